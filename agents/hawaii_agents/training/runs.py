"""Settings and files of runs, shared by training and the scripts in experiments/; without torch."""

from __future__ import annotations

import argparse
import inspect
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar, cast

from hawaii_agents import weights as shipped
from hawaii_env import __version__, agents
from hawaii_env.benchmark import held_out
from hawaii_env.errors import HawaiiError, OptionError
from hawaii_env.texts import describe_error, parse_json, parse_toml, read_bytes, show_value, suggest

HERE = Path(__file__).resolve().parent
CONFIGS = HERE / "configs"
T = TypeVar("T")


# Settings


def add_arguments(parser: argparse.ArgumentParser, cls: type[Any], resume: bool = True) -> None:
    """Add the settings of a run to a parser, for `settings` to read.

    Args:
        parser: the parser.
        cls: a dataclass whose fields all have defaults: each is an option, and a key of presets; comments beside them
            are the help.
        resume: False if the same command resumes a stopped run.
    """
    parser.add_argument("--preset", help="a TOML file of settings, or the name of one that comes with the package")
    if resume:
        parser.add_argument("--resume", action="store_true", help="go on from the checkpoint in --out")
    meanings = {
        name: meaning
        for base in reversed(cls.__mro__[:-1])
        for name, meaning in re.findall(r"^    (\w+): .*?  # (.+)$", inspect.getsource(base), re.MULTILINE)
    }
    for name, default in asdict(cls()).items():
        what = meanings.get(name, name.replace("_", " ")).replace("%", "%%")
        kind: Any = {"action": argparse.BooleanOptionalAction} if isinstance(default, bool) else {"type": type(default)}
        flag, text = "--" + name.replace("_", "-"), f"{what} (default: {default!r})"
        parser.add_argument(flag, default=argparse.SUPPRESS, help=text, **kind)


def settings(cls: type[T], arguments: argparse.Namespace) -> tuple[T, dict[str, Any], bool]:
    """Return the settings of a command line, the explicitly given ones, and whether to resume.

    Raises:
        OptionError: an unknown preset, a wrong key or value in it, or a folder that holds another run.
    """
    given = vars(arguments)
    named = {name: given[name] for name in asdict(cast(Any, cls())) if name in given}
    made: Any = cls(**{**(read_preset(cls, arguments.preset) if arguments.preset else {}), **named})
    resume = given.get("resume", True)
    if not resume and any(Path(made.out).glob("*config.json")):
        raise OptionError(f"out: {made.out} holds a run: --resume goes on with it, another --out begins a new one")
    return made, named, resume


def read_config(name: str, folder: Path = CONFIGS, what: str = "preset") -> tuple[Path, dict[str, Any]]:
    """Return the path and the content of a TOML file: a path, or the name of a file in a folder.

    Raises:
        OptionError: no such file, or no TOML.
    """
    path = Path(name) if Path(name).is_file() else folder / f"{name}.toml"
    if not path.is_file():
        known = ", ".join(sorted(file.stem for file in path.parent.glob("*.toml")))
        hint = suggest(name, known.split(", "))
        raise OptionError(f"{what}: expected a TOML file, or one of {known}, not {show_value(name)}{hint}")
    try:
        return path, parse_toml(read_bytes(path))
    except (OSError, ValueError) as error:
        raise OptionError(f"{what}: {path}: {describe_error(error)}") from None


def read_preset(cls: type[Any], name: str) -> dict[str, Any]:
    """Return the settings of a preset: a path, or the name of a file in `configs`.

    A table named after `cls` in small letters is for its script alone; other tables are for other scripts.

    Raises:
        OptionError: no such file, or a wrong key or value.
    """
    path, content = read_config(name)
    own = content.get(cls.__name__.lower(), {})
    settings = {key: value for key, value in content.items() if not isinstance(value, dict)} | own
    defaults = asdict(cls())
    for key, value in settings.items():
        if key not in defaults:
            raise OptionError(f"{path}: {key} is not a setting; the settings are {', '.join(defaults)}")
        wanted = type(defaults[key])
        if type(value) is not wanted and not (wanted is float and type(value) is int):
            raise OptionError(f"{path}: {key} is of type {wanted.__name__}, not {value!r}")
    return settings


def check_ranges(settings: Any, at_least: Mapping[int, Sequence[str]], shares: Sequence[str] = ()) -> None:
    """Raise OptionError for a setting that is less than allowed, or for a share that is not from 0 to 1.

    Args:
        settings: an object with the settings as attributes.
        at_least: names of settings, by the least value.
        shares: names of shares.
    """
    for least, names in at_least.items():
        for name in names:
            if not getattr(settings, name) >= least:
                raise OptionError(f"{name} is {least} or more, not {getattr(settings, name)}")
    for name in shares:
        if not 0 <= getattr(settings, name) <= 1:
            raise OptionError(f"{name} is from 0 to 1, not {getattr(settings, name)}")


def check_trainable(settings: Any, opponents: Sequence[str] = (), weights: Sequence[str] = ()) -> None:
    """Raise OptionError for a setting with an agent or weights that the benchmark holds out.

    Args:
        settings: an object with the settings as attributes.
        opponents: names of settings with agent strings, separated by commas.
        weights: names of settings with weights: the name of a shipped policy, or a file.
    """
    for name in opponents:
        for agent in agents.split_agents(getattr(settings, name)) if getattr(settings, name) else ():
            held_out.check_trainable(name, agent)
    for name in weights:
        if getattr(settings, name):
            held_out.check_trainable(name, Path(shipped.load(getattr(settings, name)).origin))


# Files


def replace(path: Path, write: Callable[[Path], object]) -> None:
    """Let `write` make a file next to `path`, then replace `path` atomically: a crash leaves the old file intact."""
    part = path.with_name(path.name + ".part")
    write(part)
    with part.open("rb+") as file:
        os.fsync(file.fileno())
    os.replace(part, path)


@contextmanager
def reading_checkpoint(folder: Path) -> Iterator[Path]:
    """Yield the path of a folder's ``checkpoint.pt``; in the block a run is made of it.

    Raises:
        OptionError: there is no checkpoint, or the block could not make a run of it.
    """
    path = folder / "checkpoint.pt"
    if not path.is_file():
        raise OptionError(f"there is no checkpoint {path}")
    try:
        yield path
    except HawaiiError:
        raise
    except Exception as error:  # a damaged file fails in many ways
        raise OptionError(f"{path} is not a checkpoint of this script: {type(error).__name__}: {error}") from error


def write_text(path: Path, text: str) -> None:
    """Write a text file, as `replace` does; make its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    replace(path, lambda part: part.write_text(text, encoding="utf-8"))


def write_json(path: Path, content: Any) -> None:
    """Write a JSON file, as `replace` does."""
    write_text(path, json.dumps(content, indent=1) + "\n")


def read_json(path: Path, missing: Any = None) -> Any:
    """Return the content of a JSON file, or `missing` if there is none. Raises OptionError."""
    try:
        return parse_json(read_bytes(path), finite=False)
    except FileNotFoundError:
        return missing
    except (OSError, ValueError) as error:
        raise OptionError(f"{path}: {describe_error(error)}") from None


def whole_lines(path: Path) -> list[Any]:
    """Return the lines of a JSON-lines file up to the first incomplete one: a kill or a full disk cuts lines off.

    A missing file has no lines. Lines after an incomplete one are left out, with a message on standard error.
    """
    found: list[Any] = []
    lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
    for number, line in enumerate(lines, 1):
        try:
            if not line.endswith(b"\n"):
                raise ValueError("it is cut off")
            found.append(parse_json(line, finite=False))
        except ValueError as error:  # of UTF-8 and of JSON
            print(f"{path}, line {number} is incomplete; it and the following are left out: {error}", file=sys.stderr)
            break
    return found


def write_lines(path: Path, lines: Sequence[Any]) -> None:
    """Write a JSON-lines file."""
    write_text(path, "".join(json.dumps(line) + "\n" for line in lines))


# Provenance


def git(*words: str) -> str | None:
    """Return the output of a git command in the repository; None outside of it, if it fails or git is missing."""
    if HERE.parents[1].name != "agents":  # installed
        return None
    try:
        return subprocess.run(
            ["git", *words], cwd=HERE.parents[2], check=True, capture_output=True, text=True, timeout=10
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return None


def commit() -> str | None:
    """Return the commit of the working tree, with a + if tracked files have changed; None outside a repository."""
    found = git("rev-parse", "HEAD")
    return found and found.strip() + ("+" if git("status", "--porcelain", "--untracked-files=no") else "")


def provenance(command: str, settings: dict[str, Any], defaults: dict[str, Any]) -> dict[str, Any]:
    """Return a policy's origin, for its metadata, without local folders.

    Args:
        command: for example ``"hawaii train"``.
        settings: all settings of the run.
        defaults: the script's; those that differ make the command.
    """
    plain = {key: _short(value) for key, value in settings.items() if key not in ("out", "quiet")}
    words = [command]
    for key, value in plain.items():
        if value != defaults[key]:
            flag = key.replace("_", "-")
            text = f"'{value}'" if isinstance(value, str) else str(value)
            words.append(f"--{'' if value else 'no-'}{flag}" if isinstance(value, bool) else f"--{flag} {text}")
    return {
        "config": plain, "seed": settings.get("seed"), "command": " ".join(words), "commit": commit(),
        "version": __version__, "date": datetime.now(UTC).isoformat(timespec="seconds"),
    }  # fmt: skip


def _short(value: Any) -> Any:
    """Return a path without its folders, and so an agent string with weights; other values as they are."""
    if isinstance(value, str) and "weights=" in value:
        return re.sub(r"(?<=weights=)[^,]*[/\\]", "", value)
    if isinstance(value, str) and ("/" in value or "\\" in value) and ":" not in value:
        return Path(value).name
    return value


# Reports


def track(items: Iterable[T], total: int, description: str = "games") -> Iterable[T]:
    """Yield items with a progress bar if a terminal watches."""
    if not sys.stderr.isatty():
        return items
    from rich.console import Console
    from rich.progress import track as shown

    return shown(items, total=total, description=description, console=Console(stderr=True))


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return a Markdown table."""
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(map(str, row)) + " |" for row in rows)]) + "\n"
