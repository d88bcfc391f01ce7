"""Runs a track: the arena plays its cells, one after the other."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from hawaii_env import agents
from hawaii_env._arguments import check_path
from hawaii_env._machine import cores, processor
from hawaii_env._version import __version__
from hawaii_env.arena import schedule
from hawaii_env.arena.run import Run
from hawaii_env.arena.schedule import ScheduledGame
from hawaii_env.arena.store import Player, Store
from hawaii_env.benchmark import puzzles, solved
from hawaii_env.benchmark.form import FILE, VERSION, Cell, Result, read_result, write_result
from hawaii_env.benchmark.scores import AGENT, cell_of, scores_of
from hawaii_env.benchmark.suites import Match, Suite, load_suite
from hawaii_env.errors import OptionError

__all__ = ["CELLS", "Facts", "facts_of", "open_run", "rows_of", "run_track", "scheduled", "summary"]

CELLS = "cells"
"""The folder of the cells, each of which is a tournament's."""

PACKAGES = ("numpy", "numba", "torch")
"""Packages that agents compute with, whose versions a result names."""

IDENTITY = ("track", "suite", "agent", "quick", "slow", "repeats", "files", "packages")
"""Fields of a result that never change in a folder."""


@dataclass(frozen=True)
class Facts:
    """Facts about an agent that a result names.

    Attributes:
        files: the files that it uses, with their SHA-256.
        simulations: simulations per decision; 0 without search, None if time limits it.
    """

    files: dict[str, str]
    simulations: int | None


def facts_of(agent: str, suite: Suite, load: Iterable[Path] = ()) -> Facts:
    """Make an agent for each scenario of a suite, and return its facts.

    Args:
        agent: agent string.
        suite: the suite.
        load: Python files that register agents; they are among the files.

    Raises:
        OptionError: the agent string is wrong, or the agent does not play the game.
    """
    made = agents.load_agent(agent, seed=0)
    files = suite.files(made, [*agents.named_files(agent), *load])
    option: str = getattr(made, "simulations_option", "")
    timed = option and any(getattr(made, name, None) is not None for name in ("ms", "seconds"))
    return Facts(files, None if timed else getattr(made, option) if option else 0)


def scheduled(suite: Suite, match: Match) -> tuple[list[Player], list[ScheduledGame]]:
    """Return the players of a cell, and its games in their order."""
    others = [f"opponent-{number}" for number in range(1, match.game.num_players)]
    players = [Player(AGENT, match.focal), *(Player(key, match.other) for key in others)]
    meetings = schedule.round_robin([player.key for player in players], match.meetings, match.game.num_players)
    return players, [game for meeting in meetings for game in meeting.games(suite.seed)]


def open_run(suite: Suite, match: Match, folder: Path, **settings: Any) -> Run:
    """Return the tournament that plays a cell's games in a folder."""
    title = f"{suite.track} {match.name}"
    return Run(title, match.games, scheduled(suite, match)[0], folder, True, seed=suite.seed, **settings)


def _begin(folder: Path, fields: dict[str, Any]) -> None:
    """Check that a folder is empty, or has the same track of the same agent.

    Raises:
        OptionError: it contains something else.
    """
    if not (folder / FILE).exists():
        return
    before = read_result(folder)
    for key in IDENTITY:
        if getattr(before, key) != fields[key]:
            raise OptionError(
                f"{folder / FILE}: {key}: the folder has a result with {getattr(before, key)!r}, not {fields[key]!r}; "
                "choose another folder"
            )


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version(), "hawaii_env": __version__}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def run_track(
    agent: str,
    track: str,
    out: str | os.PathLike[str],
    *,
    quick: bool = False,
    slow: bool = False,
    repeats: bool = True,
    load: Iterable[str | Path] = (),
    processes: int | None = None,
    progress: bool = True,
) -> Result:
    """Play the missing games of a track, and write the result into the folder after each cell.

    Processes are spawned, so scripts must call this under ``if __name__ == "__main__":``.

    Args:
        agent: agent string.
        track: name of a track; see `tracks`.
        out: the folder.
        quick: a few games per cell, to try a set-up. Not a result.
        slow: the smaller number of games, for agents that need more than a second a game.
        repeats: False for an agent that is not deterministic for a seed. Agents limited by time never are.
        load: Python files that register agents.
        processes: worker processes; None: the cores.
        progress: True shows progress on standard error.

    Returns:
        The result. Its `complete` is False if games could not be played through no fault of an agent.

    Raises:
        OptionError: an unknown track or agent, or a folder with another result.
    """
    suite, folder, files = (
        load_suite(track),
        check_path("out", out).absolute(),
        [check_path("load", path) for path in load],
    )
    for path in files:
        agents.load_file(path)
    facts = facts_of(agent, suite, files)
    fields: dict[str, Any] = {
        "format": "hawaii_env.benchmark", "version": VERSION, "track": track, "suite_version": suite.version,
        "suite": suite.hash, "quick": quick, "slow": slow, "agent": agent,
        "simulations": facts.simulations, "repeats": repeats and facts.simulations is not None, "files": facts.files,
        "seed": suite.seed, "packages": _versions(),
        "machine": {
            "processor": processor(), "cores": len(cores()), "system": f"{platform.system()} {platform.machine()}"
        },
        "settings": [setting.model_dump() for setting in suite.settings],
    }  # fmt: skip
    _begin(folder, fields)
    folder.mkdir(parents=True, exist_ok=True)

    def write(cells: Sequence[Cell], complete: bool = False) -> Result:
        given = {**fields, "complete": complete, "cells": [cell.model_dump() for cell in cells]}
        return write_result(folder, {**given, **summary(complete, cells)})

    result = read_result(folder) if (folder / FILE).exists() else write([])  # kept, if what lies beside it is refused
    if suite.puzzle:
        return write(puzzles.play(suite, agent, folder, quick, progress), complete=True)
    settings: dict[str, Any] = {"load": files, "processes": processes, "progress": progress}
    cells: list[Cell] = []
    found = solved.reckon(suite, agent, facts.simulations, folder, progress) if suite.solved else {}
    for match in suite.matches(agent, quick, slow):
        finding = found.get(match.scenario.name)
        if finding and finding.seats:
            cells.append(solved.cell_of_finding(match, finding, ()))
            result = write(cells)
            continue
        with open_run(suite, match, folder / CELLS / match.name, **settings) as run:
            void = run.play(scheduled(suite, match)[1])
            rows, bad = run.store.counted()
        if bad:
            raise OptionError(f"{folder / CELLS / match.name}: {bad[0][0].pairing}: {bad[0][1]}")
        if void:
            return result
        cells.append(solved.cell_of_finding(match, finding, rows) if finding else cell_of(match, rows))
        result = write(cells)
    return write(cells, complete=True)


def summary(complete: bool, cells: Sequence[Cell]) -> dict[str, Any]:
    """Return the fields of a result that follow from its cells."""
    decisions = sum(cell.decisions for cell in cells)
    seconds = sum(cell.seconds for cell in cells)
    return {
        "scores": scores_of(cells) if complete else None,
        "ms_a_decision": round(1000 * seconds / decisions, 3) if decisions else 0.0,
        "processor_seconds": round(sum(cell.processor_seconds for cell in cells), 3),
    }


def rows_of(folder: Path, match: Match) -> tuple[list[Any], list[tuple[Any, str]]]:
    """Return a cell's valid games, and the void ones with their reasons."""
    with Store(folder / CELLS / match.name) as store:
        return store.counted()
