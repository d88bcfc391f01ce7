"""Settings, files and games of an experiment, as all scripts share them; without torch."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from hawaii_env import __version__
from hawaii_env.errors import HawaiiError, OptionError
from hawaii_env.texts import describe_error, parse_json, parse_toml, read_bytes, show_value, suggest

ROOT = Path(__file__).resolve().parents[2]
CONFIGS = ROOT / "experiments" / "configs"
STOPPED = "stopped; --resume goes on from the last checkpoint"
T = TypeVar("T")


# Settings


def parse(
    cls: type[T], arguments: Sequence[str] | None, description: str, again: bool = False
) -> tuple[T, dict[str, Any], bool]:
    """Read a command line; return the settings, those that it names itself, and whether to resume.

    Args:
        cls: a dataclass whose fields all have defaults: each is an option, and a key of presets.
        arguments: words of the command line; None is the process's own.
        description: what the script does.
        again: True if the same command goes on with a stopped run.

    Raises:
        OptionError: an unknown preset, a wrong key or value in it, or a folder that holds another run.
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
    made: Any = cls(**settings)
    if not (resume or again) and any(Path(made.out).glob("*config.json")):
        raise OptionError(f"out: {made.out} holds a run: --resume goes on with it, another --out begins a new one")
    return made, named, resume


def read_config(name: str, folder: str = "", what: str = "preset") -> tuple[Path, dict[str, Any]]:
    """Return the path and the content of a TOML file: a path, or the name of a file in ``experiments/configs/FOLDER``.

    Raises:
        OptionError: no such file, or no TOML.
    """
    path = Path(name) if Path(name).is_file() else CONFIGS / folder / f"{name}.toml"
    if not path.is_file():
        known = ", ".join(sorted(file.stem for file in path.parent.glob("*.toml")))
        hint = suggest(name, known.split(", "))
        raise OptionError(f"{what}: expected a TOML file, or one of {known}, not {show_value(name)}{hint}")
    try:
        return path, parse_toml(read_bytes(path))
    except (OSError, ValueError) as error:
        raise OptionError(f"{what}: {path}: {describe_error(error)}") from None


def check_study(path: Path, study: dict[str, Any], known: dict[str, set[str]], needed: dict[str, set[str]]) -> None:
    """Check the tables of a study that a script plays.

    Args:
        path, study: the study, as `read_config` returns it.
        known: the keys of each kind of table; a kind is one table, or several.
        needed: those of them that a table lacks only if it has ``levels``.

    Raises:
        OptionError: a key that is unknown or missing, or no table of any kind.
    """
    if "game" not in study or not any(study.get(kind) for kind in known):
        raise OptionError(f"{path}: a game, and {' or '.join(f'[[{kind}]]' for kind in known)}")
    for kind, keys in known.items():
        tables = study.get(kind) or []
        for entry in tables if isinstance(tables, list) else [tables]:
            where = f"{path}: [[{kind}]]"
            if wrong := set(entry) - keys:
                raise OptionError(f"{where} has no {', '.join(sorted(wrong))}, only {', '.join(sorted(keys))}")
            if (missing := needed[kind] - set(entry)) and not entry.get("levels"):
                raise OptionError(f"{where} lacks {', '.join(sorted(missing))}")


def play_study(folder: str, description: str, arguments: Sequence[str] | None, play: Callable[[Any], object]) -> int:
    """Read the command line of a script that plays studies, and play one; return the exit status.

    Args:
        folder: of the studies in ``experiments/configs``, and of the games in ``runs``.
        description: what the script does.
        arguments: words of the command line; None is the process's own.
        play: plays the study of the options `study`, `only`, `games`, `processes`, `out` and `write`.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("study", help=f"a TOML file, or the name of one in experiments/configs/{folder}")
    parser.add_argument("--only", default="", metavar="TEXT", help="what has this text in its name or line")
    parser.add_argument("--games", type=int, help="games of each part, in place of the study's own number")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--out", type=Path, help=f"folder of the games (default: runs/{folder}/STUDY)")
    parser.add_argument("--write", action="store_true", help="update the study's results and pictures")
    args = parser.parse_args(arguments)
    args.out = args.out or Path("runs") / folder / Path(args.study).stem
    return finish(lambda: play(args), "stopped; the same command goes on")


def read_preset(cls: type[Any], name: str) -> dict[str, Any]:
    """Return the settings of a preset: a path, or the name of a file in ``experiments/configs``.

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


def finish(
    work: Callable[[], object], stopped: str = "stopped; nothing is half written, and the same command begins again"
) -> int:
    """Do a script's work; return its exit status.

    Args:
        work: the work. A HawaiiError prints one line and returns 2.
        stopped: the line that is printed on an interrupt (status 130).
    """
    try:
        work()
    except HawaiiError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(stopped, file=sys.stderr)
        return 130
    return 0


def work_on(cls: type[T], arguments: Sequence[str] | None, description: str, run: Callable[[T], str]) -> int:
    """Do the work of a script whose same command resumes a stopped run; return its exit status.

    Args:
        cls, arguments, description: as for `parse`; `cls` has a field `quiet`.
        run: does the work and returns the text to print unless `quiet`.
    """

    def work() -> None:
        settings, _, _ = parse(cls, arguments, description, again=True)
        text = run(settings)
        if not vars(settings)["quiet"]:
            print(text)

    return finish(work, "stopped; the same command goes on from the last checkpoints")


# Files


def replace(path: Path, write: Callable[[Path], object]) -> None:
    """Let `write` make a file beside `path`, then move it there at once: a crash leaves the old file whole."""
    part = path.with_name(path.name + ".part")
    write(part)
    with part.open("rb+") as file:
        os.fsync(file.fileno())
    os.replace(part, path)


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
    """Return the output of a git command in the repository; None if it fails or git is missing."""
    try:
        return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True, timeout=10).stdout
    except (OSError, subprocess.SubprocessError):
        return None


def commit() -> str | None:
    """Return the commit of the working tree, with a + if tracked files have changed; None outside a repository."""
    found = git("rev-parse", "HEAD")
    return found and found.strip() + ("+" if git("status", "--porcelain", "--untracked-files=no") else "")


def provenance(script: str, settings: dict[str, Any], defaults: dict[str, Any]) -> dict[str, Any]:
    """Return how a policy was made, for its metadata; folders are left out, because they are the machine's.

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


# Games


def collect(
    head: dict[str, Any], play_one: Callable[[Any], dict[str, Any]], jobs: dict[int, Any], out: Path, processes: int
) -> list[dict[str, Any]]:
    """Play the games that ``games.jsonl`` in a folder lacks, each written at its end; return those of the jobs, by
    seed.

    Args:
        head: identifies the games; the file's first line.
        play_one: plays a job, in another process if there are several; its result has the key ``"seed"``.
        jobs: by seed.
        out: the folder.
        processes: their number.

    Raises:
        HawaiiError: the file has games of another head.
    """
    path = out / "games.jsonl"
    lines = whole_lines(path)  # a game whose line is incomplete is played again
    if lines and lines[0] != head:
        raise HawaiiError(f"{path} has games of other settings: {lines[0]}; name another --out")
    known: list[dict[str, Any]] = lines[1:]
    write_lines(path, lines or [head])
    done = {game["seed"] for game in known}
    missing = [job for seed, job in jobs.items() if seed not in done]
    pool = multiprocessing.get_context("spawn").Pool(processes) if processes > 1 and missing else None
    with path.open("a", encoding="utf-8") as file, pool or nullcontext():
        played = pool.imap_unordered(play_one, missing) if pool else map(play_one, missing)
        for game in track(played, len(missing)):
            file.write(json.dumps(game) + "\n")
            file.flush()
            known.append(game)
    return sorted((game for game in known if game["seed"] in jobs), key=lambda game: game["seed"])


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
