"""The progress of a tournament, on a terminal and elsewhere."""

from __future__ import annotations

import contextlib
import importlib
import sys
import time
from typing import IO, Any

from hawaii_env.arena.playing import Played

__all__ = ["Progress"]


class Progress:
    """A bar on a terminal with rich, else a line now and then.

    Args:
        title: what is played.
        shown: False shows nothing.
        stream: where; None is standard error.
    """

    def __init__(self, title: str, shown: bool, stream: IO[str] | None = None) -> None:
        self.stream: IO[str] = sys.stderr if stream is None else stream
        self.title: str = title
        self.shown: bool = shown
        self.total: int = 0
        self.done: int = 0
        self.forfeits: int = 0
        self.voids: int = 0
        self.started: float = time.monotonic()
        self.last: float = self.started
        self.every: float = 5.0
        self.bar: Any = None
        if shown and self.stream.isatty():
            with contextlib.suppress(ImportError):
                console = importlib.import_module("rich.console").Console(file=self.stream)
                rich = importlib.import_module("rich.progress")
                self.bar = rich.Progress(
                    *(rich.TextColumn(title), rich.BarColumn(), rich.MofNCompleteColumn(), rich.TextColumn("games")),
                    *(rich.TextColumn("{task.fields[note]}"), rich.TimeElapsedColumn(), rich.TimeRemainingColumn()),
                    console=console,
                    transient=True,
                )
                self.task: Any = self.bar.add_task(title, total=None, note="")
                self.bar.start()

    def add(self, games: int) -> None:
        """More games are to be played."""
        self.total += games
        if self.bar is not None:
            self.bar.update(self.task, total=self.total)

    def note(self) -> str:
        """Return what went wrong so far, in a few words."""
        faults = [f"{self.forfeits:,} forfeited"] if self.forfeits else []
        return ", ".join(faults + ([f"{self.voids:,} void"] if self.voids else []))

    def advance(self, played: Played) -> None:
        """Count a game."""
        self.forfeits += played.status == "forfeit"
        self.voids += played.status == "void"
        self.done += played.status != "void"
        if self.bar is not None:
            self.bar.update(self.task, completed=self.done, note=self.note())
        elif self.shown and time.monotonic() - self.last > self.every:
            self.last = time.monotonic()
            self.every = min(60.0, 1.5 * self.every)
            self.line()

    def line(self) -> None:
        """Print a line."""
        rate = self.done / max(time.monotonic() - self.started, 1e-9)
        note = f", {self.note()}" if self.note() else ""
        self._print(f"{self.title}: {self.done:,} of {self.total:,} games, {rate:.2g} a second{note}")

    def _print(self, text: str) -> None:
        with contextlib.suppress(OSError):  # the games go on, whether or not anybody is told
            print(text, file=self.stream)

    def say(self, text: str) -> None:
        """Print something between."""
        if self.bar is not None:
            self.bar.console.print(text, markup=False, highlight=False)
        elif self.shown:
            self._print(text)

    def close(self) -> None:
        """Take the bar away, or print the last line."""
        if self.bar is not None:
            self.bar.stop()
        elif self.shown and self.done:
            self.line()
