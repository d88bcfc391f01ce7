"""Games played side by side, each written as it ends: what is missing is played, what is there is kept."""

from __future__ import annotations

import json
import multiprocessing
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from hawaii_env.errors import HawaiiError

from . import runs


def collect(
    head: dict[str, Any], play_one: Callable[[Any], dict[str, Any]], jobs: dict[int, Any], out: Path, processes: int
) -> list[dict[str, Any]]:
    """Play the games that ``games.jsonl`` in a folder lacks, and return those of the jobs, by seed.

    Args:
        head: what they are games of: the file's first line.
        play_one: plays a job, in a process of its own; what it returns has the ``"seed"``.
        jobs: by seed.
        out: the folder.
        processes: how many play.

    Raises:
        HawaiiError: the file has games of another head.
    """
    out.mkdir(parents=True, exist_ok=True)
    path = out / "games.jsonl"
    lines = runs.whole_lines(path)  # the game of a line that a kill cut off is played again
    if lines and lines[0] != head:
        raise HawaiiError(f"{path} has games of other settings: {lines[0]}; name another --out")
    known: list[dict[str, Any]] = lines[1:]
    runs.write_lines(path, lines)
    done = {game["seed"] for game in known}
    missing = [job for seed, job in jobs.items() if seed not in done]
    with path.open("a", encoding="utf-8") as file, multiprocessing.get_context("spawn").Pool(processes) as pool:
        if not file.tell():
            file.write(json.dumps(head) + "\n")
            file.flush()
        for game in _shown(pool.imap_unordered(play_one, missing), len(missing)):
            file.write(json.dumps(game) + "\n")
            file.flush()
            known.append(game)
    return sorted((game for game in known if game["seed"] in jobs), key=lambda game: game["seed"])


def _shown(games: Iterable[Any], total: int) -> Iterable[Any]:
    if sys.stderr.isatty():
        from rich.progress import track

        yield from track(games, total=total, description="games")
    else:
        yield from games
