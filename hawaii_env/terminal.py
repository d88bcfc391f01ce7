"""Output of commands: lines, tables and progress bars, with rich on a terminal where it is installed, else plain.

The terminal shows every printed text as is: only rich moves the cursor or changes colours.
"""

from __future__ import annotations

import codecs
import contextlib
import importlib
import io
import os
import shutil
import sys
import textwrap
import time
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import IO, Any, TypeAlias, cast

from hawaii_env.texts import show, show_lines, width

__all__ = ["TOGETHER", "Output", "Printer", "Progress", "Styles", "coloured", "columns", "fold", "say"]

Styles: TypeAlias = Iterable[tuple[str, str]]
"""Patterns (regular expressions), each with rich's style for what it finds."""

WIDEST = 80
"""Maximum length of a line of text."""

TOGETHER = "\u00a0"
"""A space at which `fold` breaks no line if it can help it."""

NAME = 10
"""Fewest letters of a name that a line of a table has, whatever else it shows."""


def columns() -> int:
    """Return the maximum length of a line of text: the terminal's width, at most 80."""
    return min(WIDEST, shutil.get_terminal_size().columns)


def fold(text: str, room: int = 0, first: str = "", rest: str | None = None, whole: bool = True) -> list[str]:
    """Wrap a text.

    Args:
        text: the text.
        room: letters of a line; 0 is `columns`.
        first, rest: prefixes of the first line and of the others; without `rest` the others are indented by two more
            columns than the first.
        whole: True does not break words longer than a line.
    """
    room = room or columns()
    if rest is None:
        rest = " " * (len(first + text) - len((first + text).lstrip()) + 2)
    least = room - max(len(first), len(rest))
    words = (word if len(word) <= least else word.replace(TOGETHER, " ") for word in text.split(" "))
    lines = textwrap.wrap(
        " ".join(words), room, initial_indent=first, subsequent_indent=rest, break_long_words=not whole,
        break_on_hyphens=False,
    )  # fmt: skip
    return [line.replace(TOGETHER, " ") for line in lines] or [first.rstrip()]


def say(text: str) -> None:
    """Print a text, wrapped to the terminal's width."""
    Printer(plain=True).line(text)


def _rich(module: str) -> Any:
    """Return a module of rich, or None if rich is not installed."""
    with contextlib.suppress(ImportError):
        return importlib.import_module(f"rich.{module}")


def _console(stream: Any, **settings: Any) -> Any:
    """Return rich's console for a stream, whose colours `Output` lets through."""
    file = _Direct(stream) if isinstance(stream, Output) else stream
    return _rich("console").Console(file=file, **settings)


def _styled(text: str, styles: Styles) -> Any:
    found = _rich("text").Text(show_lines(text))
    for pattern, style in styles:
        found.highlight_regex(pattern, style)
    return found


def coloured(text: str, styles: Styles) -> str:
    """Return a text with ANSI codes for its colours; without rich, the unchanged text."""
    if (rich := _rich("console")) is None:
        return text
    file = io.StringIO()
    console = rich.Console(
        file=file, force_terminal=True, color_system="256", soft_wrap=True, highlight=False, no_color=False
    )
    console.print(_styled(text, styles), end="")
    return file.getvalue()


class Printer:
    """Prints lines and tables on standard output.

    Args:
        plain: True prints no colour.
        styles: of lines.
    """

    def __init__(self, plain: bool = False, styles: Styles = ()) -> None:
        self.styles: tuple[tuple[str, str], ...] = tuple(styles)
        self.console: Any = None
        if not plain and sys.stdout.isatty() and _rich("console") is not None:
            self.console = _console(sys.stdout, highlight=False)

    def line(self, text: str = "") -> None:
        """Print a text, wrapped to the terminal's width."""
        text = "\n".join(part for line in text.split("\n") for part in fold(line))
        if self.console is None:
            print(show_lines(text))
        else:
            self.console.print(_styled(text, self.styles), soft_wrap=True)

    def lines(self, texts: Iterable[str]) -> None:
        """Print texts, each from a new line on."""
        for text in texts:
            self.line(text)

    def table(self, title: str, titles: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        """Print a table; the first column is text, the others are numbers. One wider than the terminal continues
        below.
        """
        title, titles, rows = show(title), list(map(show, titles)), [list(map(show, row)) for row in rows]
        widths = [max(width(row[i]) for row in [titles, *rows]) for i in range(len(titles))]
        if self.console is None:
            say(title)
            room = columns() if sys.stdout.isatty() else sys.maxsize
            widths[0] = most = min(widths[0], room // 2, max(NAME, room - 4 - max(widths[1:], default=0)))
            for part in _parts(widths, room):
                for row in [titles, ["-" * cells for cells in widths], *rows]:
                    *above, name = textwrap.wrap(row[0], max(most, 1)) or [""]
                    cells = [name + " " * (widths[0] - width(name))]
                    cells += [" " * (widths[i] - width(row[i])) + row[i] for i in part[1:]]
                    for line in (*above, "  ".join(cells)):
                        print(f"  {line}".rstrip())
            return
        self.console.print(title, style="bold", markup=False)
        for part in _parts(widths, self.console.width):
            # Names fold where the terminal is narrow; numbers stay whole.
            names: dict[str, Any] = {"overflow": "fold", "min_width": NAME}
            table = _rich("table").Table(box=_rich("box").SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
            for i in part:
                table.add_column(
                    _rich("text").Text(titles[i]), **({"justify": "right", "no_wrap": True} if i else names)
                )
            for row in rows:
                table.add_row(*(_rich("text").Text(row[i]) for i in part))
            self.console.print(table)


def _parts(widths: Sequence[int], width: int) -> list[list[int]]:
    """Divide a table's columns into as many tables as a terminal needs, each with the first column, that of names."""
    parts: list[list[int]] = []
    room = 0
    for column in range(1, len(widths)):
        need = widths[column] + 2
        if need > room:
            # Names fold only where they would take more than half of the terminal.
            parts.append([0])
            room = width - 4 - min(widths[0], max(NAME, width // 2))
        parts[-1].append(column)
        room -= need
    return parts or [[0]]


class Progress:
    """A progress bar on a terminal with rich, otherwise occasional lines.

    Args:
        title: what continues.
        unit: the counted unit, such as "games".
        total: the total number; `add` increases it.
        shown: False shows nothing.
        stream: None means standard error.
    """

    def __init__(
        self, title: str, unit: str, total: int = 0, *, shown: bool = True, stream: IO[str] | None = None
    ) -> None:
        self.stream: Any = sys.stderr if stream is None else stream
        self.title: str = title
        self.unit: str = unit
        self.total: int = total
        self.shown: bool = shown
        self.done: int = 0
        self.note: str = ""
        self.started: float = time.monotonic()
        self.last: float = self.started
        self.every: float = 5.0
        self.bar: Any = None
        if shown and self.stream.isatty() and (rich := _rich("progress")) is not None:
            texts = (rich.TextColumn(f"{{task.fields[{name}]}}", markup=False) for name in ("title", "unit", "note"))
            title_column, unit_column, note_column = texts
            columns = (title_column, rich.BarColumn(), rich.MofNCompleteColumn(), unit_column, note_column)
            times = rich.TimeElapsedColumn(), rich.TimeRemainingColumn()
            self.bar = rich.Progress(*columns, *times, console=_console(self.stream), transient=True)
            self.task: Any = self.bar.add_task(title, total=total or None, title=show(title), unit=unit, note="")
            self.bar.start()

    def add(self, more: int) -> None:
        """Increase the total."""
        self.total += more
        self.advance(0)

    def advance(self, by: int = 1, note: str | None = None) -> None:
        """Advance the count and set the note beside it."""
        self.done += by
        self.note = self.note if note is None else show(note)
        if self.bar is not None:
            self.bar.update(self.task, completed=self.done, total=self.total, note=self.note)
        elif self.shown and time.monotonic() - self.last > self.every:
            self.last = time.monotonic()
            self.every = min(60.0, 1.5 * self.every)
            self._line()

    def _line(self) -> None:
        rate = self.done / max(time.monotonic() - self.started, 1e-9)
        note = f", {self.note}" if self.note else ""
        self._print(f"{self.title}: {self.done:,} of {self.total:,} {self.unit}, {rate:.2g} a second{note}")

    def _print(self, text: str) -> None:
        with contextlib.suppress(OSError):  # the work continues even if nobody reads of it
            print(show_lines(text), file=self.stream)

    def say(self, text: str) -> None:
        """Print a line above the bar."""
        if self.bar is not None:
            self.bar.console.print(show_lines(text), markup=False, highlight=False)
        elif self.shown:
            self._print(text)

    def close(self) -> None:
        """Remove the bar, or print the last line."""
        if self.bar is not None:
            self.bar.stop()
        elif self.shown and self.done:
            self._line()


ASCII = {
    "–": "-",
    "—": "-",
    "ʻ": "'",
    "‘": "'",
    "’": "'",
    "“": '"',
    "”": '"',
    "×": "x",
    "→": "->",
    "·": "*",
    "≥": ">=",
    "≤": "<=",
}
"""Replacements for non-ASCII letters; others lose their marks or become question marks."""


def _plain(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = ""
    for letter in error.object[error.start : error.end]:
        bare = unicodedata.normalize("NFKD", letter).encode("ascii", "ignore").decode()
        text += ASCII.get(letter, bare or ("" if unicodedata.combining(letter) else "?"))
    return text, error.end


codecs.register_error("hawaii_env.plain", _plain)


class Output:
    """Standard output or error that replaces letters missing in its encoding, and records write errors.

    Args:
        stream: the output.

    Attributes:
        failed: its first error, except that of a closed pipe.
    """

    def __init__(self, stream: Any) -> None:
        # Python has none where the descriptor was closed from the start (hawaii demo >&-).
        self._stream = cast(Any, open(os.devnull, "w") if stream is None else stream)  # noqa: SIM115
        self.failed: OSError | None = None
        encoding = str(getattr(stream, "encoding", None) or "utf-8").lower()
        if not encoding.startswith("utf") and hasattr(stream, "reconfigure"):
            self._stream.reconfigure(errors="hawaii_env.plain")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def _do(self, call: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return call(*arguments)
        except BrokenPipeError:
            raise
        except OSError as error:
            self.failed = self.failed or error
            raise

    def write(self, text: str) -> int:
        """Write a text as `show_lines` returns it."""
        return self.write_directly(show_lines(text))

    def write_directly(self, text: str) -> int:
        """Write a text with the codes of a terminal."""
        return self._do(self._stream.write, text)

    def flush(self) -> None:
        """Flush the buffers."""
        self._do(self._stream.flush)

    def give_up(self) -> None:
        """Discard all further output, because buffered output would fail again at interpreter exit."""
        with contextlib.suppress(OSError, ValueError, AttributeError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._stream.fileno())
            os.close(nowhere)


class _Direct:
    """An output as rich writes to it."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self.write = output.write_directly

    def __getattr__(self, name: str) -> Any:
        return getattr(self._output, name)
