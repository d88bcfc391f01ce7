"""Settings, folders and logs of a training run: what all training scripts do alike."""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from hawaii_env import __version__
from hawaii_env.errors import HawaiiError, OptionError

from .curves import draw

STOPPED = "stopped; --resume goes on from the last checkpoint"
"""What `finish` says of a run with checkpoints."""

PRESETS = Path(__file__).resolve().parent.parent / "configs"
T = TypeVar("T")


# Settings


def parse(cls: type[T], arguments: Sequence[str] | None, description: str) -> tuple[T, dict[str, Any], bool]:
    """Read a command line: return the settings, an instance of `cls`, those that it names itself, and whether to
    resume.

    Args:
        cls: a dataclass in which every field has a default: each is an option, and a key of presets.
        arguments: words of the command line; None is the process's own.
        description: what the script does.

    Raises:
        OptionError: an unknown preset, or a key or value in it that is none.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--preset", help="a TOML file of settings, or the name of one in experiments/configs")
    parser.add_argument("--resume", action="store_true", help="go on from the checkpoint in --out")
    defaults: Any = cls()
    for field in fields(defaults):
        flag, default = "--" + field.name.replace("_", "-"), getattr(defaults, field.name)
        if isinstance(default, bool):
            parser.add_argument(flag, action=argparse.BooleanOptionalAction, default=argparse.SUPPRESS)
        else:
            parser.add_argument(flag, type=type(default), default=argparse.SUPPRESS, help=f"default {default!r}")
    named = vars(parser.parse_args(arguments))
    preset, resume = named.pop("preset"), named.pop("resume")
    settings = {**(read_preset(cls, preset) if preset else {}), **named}
    return cls(**settings), named, resume


def read_preset(cls: type[Any], name: str) -> dict[str, Any]:
    """Return the settings of a preset: a path, or the name of a file in ``experiments/configs``.

    A table named after `cls` in small letters holds what is meant for its script alone; other tables are other
    scripts'.
    """
    path = Path(name)
    if not path.is_file():
        path = PRESETS / f"{name}.toml"
    if not path.is_file():
        known = ", ".join(sorted(file.stem for file in PRESETS.glob("*.toml")))
        raise OptionError(f"there is no preset {name!r}: name a TOML file, or one of {known}")
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise OptionError(f"{path}: {error}") from None
    own = content.get(cls.__name__.lower(), {})
    settings = {key: value for key, value in content.items() if not isinstance(value, dict)} | own
    defaults = asdict(cls())
    for key, value in settings.items():
        if key not in defaults:
            raise OptionError(f"{path}: {key} is no setting; the settings are {', '.join(defaults)}")
        wanted = type(defaults[key])
        if type(value) is not wanted and not (wanted is float and type(value) is int):
            raise OptionError(f"{path}: {key} is of type {wanted.__name__}, not {value!r}")
    return settings


def finish(work: Callable[[], object], stopped: str = "") -> int:
    """Do a script's work; return its exit status.

    Args:
        work: what the command line asked for. An error of ours is one line, and status 2.
        stopped: what is said when it is interrupted (status 130); empty leaves that to Python.
    """
    try:
        work()
    except HawaiiError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        if not stopped:
            raise
        print(stopped, file=sys.stderr)
        return 130
    return 0


def work_on(cls: type[T], arguments: Sequence[str] | None, description: str, run: Callable[[T], str]) -> int:
    """Do the work of a script whose same command goes on where a stopped one left off; return its exit status.

    Args:
        cls, arguments, description: as for `parse`; `cls` has a field `quiet`.
        run: does the work and returns what is printed unless `quiet`.
    """

    def work() -> None:
        settings, _, _ = parse(cls, arguments, description)
        text = run(settings)
        if not vars(settings)["quiet"]:
            print(text)

    return finish(work, "stopped; the same command goes on from the last checkpoints")


# Files


def replace(path: Path, write: Callable[[Path], object]) -> None:
    """Let `write` make a file beside `path`, and put it in its place at once: a crash leaves the old one whole."""
    part = path.with_name(path.name + ".part")
    write(part)
    with part.open("rb+") as file:
        os.fsync(file.fileno())
    os.replace(part, path)


def write_text(path: Path, text: str) -> None:
    """Write a file anew, as `replace` does."""
    replace(path, lambda part: part.write_text(text, encoding="utf-8"))


def write_json(path: Path, content: Any) -> None:
    """Write a file of JSON anew, as `replace` does."""
    write_text(path, json.dumps(content, indent=1) + "\n")


def provenance(script: str, settings: dict[str, Any], defaults: dict[str, Any]) -> dict[str, Any]:
    """Return how a policy was made, for its metadata; folders are left out, for they are the machine's.

    Args:
        script: as ``"ppo_selfplay.py"``.
        settings: all settings of the run.
        defaults: the script's; those that differ make the command.
    """
    plain = {key: _short(value) for key, value in settings.items() if key not in ("out", "quiet")}
    words = [f"python experiments/{script}"]
    for key, value in plain.items():
        if value != defaults[key]:
            flag = key.replace("_", "-")
            words.append(
                f"--{'' if value else 'no-'}{flag}" if isinstance(value, bool) else f"--{flag} {_quote(value)}"
            )
    return {
        "config": plain,
        "seed": settings.get("seed"),
        "command": " ".join(words),
        "commit": _commit(),
        "version": __version__,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _short(value: Any) -> Any:
    if isinstance(value, str) and ("/" in value or "\\" in value) and ":" not in value:
        return Path(value).name
    if isinstance(value, str) and "weights=" in value:
        return ",".join(
            part.split("weights=")[0] + "weights=" + Path(part.split("weights=")[1]).name
            if "weights=" in part
            else part
            for part in value.split(",")
        )
    return value


def _quote(value: Any) -> str:
    return f"'{value}'" if isinstance(value, str) else str(value)


def _commit() -> str | None:
    """The commit that the working tree stands at, with a + where tracked files have been changed; None outside a
    repository.
    """
    here = Path(__file__).resolve().parent
    try:
        found = subprocess.run(["git", "rev-parse", "HEAD"], cwd=here, capture_output=True, text=True, timeout=10)
        changed = subprocess.run(
            ["git", "status", "--porcelain", "--untracked-files=no"],
            cwd=here,
            capture_output=True,
            text=True,
            timeout=10,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return found.stdout.strip() + ("+" if changed.stdout.strip() else "") if found.returncode == 0 else None


def whole_lines(path: Path) -> list[Any]:
    """Return what the lines of a JSON-lines file hold, up to the first that is not whole: a kill or a full disk cuts
    lines off.

    No file has no lines. What follows a line that is not whole is left out, and standard error says so.
    """
    found: list[Any] = []
    lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
    for number, line in enumerate(lines, 1):
        try:
            if not line.endswith(b"\n"):
                raise ValueError("it is cut off")
            found.append(json.loads(line))
        except ValueError as error:  # of UTF-8 and of JSON
            print(f"{path}, line {number} is not whole and left out, as are those after it: {error}", file=sys.stderr)
            break
    return found


def write_lines(path: Path, lines: Sequence[Any]) -> None:
    """Write a JSON-lines file anew."""
    write_text(path, "".join(json.dumps(line) + "\n" for line in lines))


# Logs


class Log:
    """``progress.jsonl``, ``curves.png`` and TensorBoard's files, written as the run goes.

    Args:
        folder: the run's folder; it is made.
        settings: written to ``config.json``.
        keep: lines of an earlier part of the run that stand; those after them are played again.
        tensorboard: write TensorBoard's files, too.
        step: what a step of TensorBoard's is so far; what it has beyond is thrown away.

    Raises:
        OptionError: TensorBoard is wanted and not installed.
    """

    def __init__(self, folder: Path, settings: dict[str, Any], keep: int, tensorboard: bool, step: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        write_json(folder / "config.json", settings)
        self.folder = folder
        path = folder / "progress.jsonl"
        self.lines: list[dict[str, Any]] = whole_lines(path)[:keep]
        write_lines(path, self.lines)
        self._board = _tensorboard(folder, step) if tensorboard else None
        self._file = path.open("a", encoding="utf-8")
        self._draw = importlib.util.find_spec("matplotlib") is not None
        self._drawn = 0.0

    def write(self, line: dict[str, Any], step: int) -> None:
        """Add a line; `step` is TensorBoard's."""
        self.lines.append(line)
        self._file.write(json.dumps(line) + "\n")
        self._file.flush()
        if self._board is not None:
            for name, value in flat(line):
                self._board.add_scalar(name, value, step)

    def curves(self, least: float = 0.0) -> None:
        """Draw the curves, where matplotlib is installed, there is something to draw, and the last ones are `least`
        seconds old.
        """
        if self._draw and self.lines and "decisions" in self.lines[-1] and time.perf_counter() - self._drawn >= least:
            replace(self.folder / "curves.png", lambda part: draw(self.lines, part, self.folder.name))
            self._drawn = time.perf_counter()

    def close(self) -> None:
        """Close the files."""
        self.curves()
        self._file.close()
        if self._board is not None:
            self._board.close()


def flat(line: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, float]]:
    """Yield the numbers of a line by name, those of tables in it as ``table/name``."""
    for name, value in line.items():
        if isinstance(value, dict):
            yield from flat(value, f"{prefix}{name}/")
        elif isinstance(value, (int, float)):
            yield prefix + name, value


def _tensorboard(folder: Path, step: int) -> Any:
    if importlib.util.find_spec("tensorboard") is None:
        raise OptionError("tensorboard=True needs TensorBoard: python -m pip install tensorboard")
    from torch.utils.tensorboard import SummaryWriter

    return SummaryWriter(str(folder), purge_step=step + 1 if step else None)


def bar(total: int) -> Callable[[int], None] | None:
    """Return what shows a progress bar, told the decisions so far; None where rich is not installed or no terminal
    watches.
    """
    if importlib.util.find_spec("rich") is None or not sys.stderr.isatty():
        return None
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn, TimeRemainingColumn

    progress = Progress(
        BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn(), console=Console(stderr=True)
    )
    task = progress.add_task("decisions", total=total)
    progress.start()

    def show(done: int) -> None:
        progress.update(task, completed=min(done, total))
        if done >= total:
            progress.stop()

    return show
