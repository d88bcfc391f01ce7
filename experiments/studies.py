"""Command lines, studies and games of the scripts of experiments/."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, TypeVar

from hawaii_agents.training import runs
from hawaii_env.errors import HawaiiError, OptionError

ROOT = Path(__file__).resolve().parents[1]
CONFIGS = ROOT / "experiments" / "configs"
T = TypeVar("T")


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


def read_study(
    name: str, folder: str, known: dict[str, set[str]], needed: dict[str, set[str]]
) -> tuple[Path, dict[str, Any]]:
    """Return a study and its path: a path, or the name of a file in ``experiments/configs/FOLDER``.

    Raises:
        OptionError: no such file, or as `check_study`.
    """
    path, study = runs.read_config(name, CONFIGS / folder, "study")
    check_study(path, study, known, needed)
    return path, study


def parse(
    cls: type[T], arguments: Sequence[str] | None, description: str, resume: bool = True
) -> tuple[T, dict[str, Any], bool]:
    """Read the command line of a script whose options are the fields of a dataclass, as `runs.settings` does."""
    parser = argparse.ArgumentParser(description=description)
    runs.add_arguments(parser, cls, resume)
    return runs.settings(cls, parser.parse_args(arguments))


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
    lines = runs.whole_lines(path)  # a game whose line is incomplete is played again
    if lines and lines[0] != head:
        raise HawaiiError(f"{path} has games of other settings: {lines[0]}; name another --out")
    known: list[dict[str, Any]] = lines[1:]
    runs.write_lines(path, lines or [head])
    done = {game["seed"] for game in known}
    missing = [job for seed, job in jobs.items() if seed not in done]
    pool = multiprocessing.get_context("spawn").Pool(processes) if processes > 1 and missing else None
    with path.open("a", encoding="utf-8") as file, pool or nullcontext():
        played = pool.imap_unordered(play_one, missing) if pool else map(play_one, missing)
        for game in runs.track(played, len(missing)):
            file.write(json.dumps(game) + "\n")
            file.flush()
            known.append(game)
    return sorted((game for game in known if game["seed"] in jobs), key=lambda game: game["seed"])
