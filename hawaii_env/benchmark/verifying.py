"""Verifies a result: checks its hashes and figures, replays some games, and lets the agents play them again."""

from __future__ import annotations

import os
import random
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from hawaii_env import agents, records
from hawaii_env._arguments import check_path
from hawaii_env.arena.playing import check_record
from hawaii_env.arena.schedule import game_of
from hawaii_env.arena.store import GameRow
from hawaii_env.benchmark import puzzles, solved
from hawaii_env.benchmark.form import Cell, Form, Result, read_result
from hawaii_env.benchmark.running import CELLS, facts_of, open_run, rows_of, scheduled, summary
from hawaii_env.benchmark.scores import cell_of
from hawaii_env.benchmark.suites import Match, Suite, load_suite
from hawaii_env.errors import HawaiiError, OptionError, RecordError
from hawaii_env.texts import count as plural

__all__ = ["SHARE", "Verification", "verify"]

SHARE = 0.05
"""The share of the games that are replayed, and played again."""


@dataclass
class Verification:
    """The findings about a result.

    Attributes:
        result: the result.
        problems: the problems, each with the field and the reason.
        replayed: games whose record was replayed with its dice.
        repeated: games that the agents played again, move by move; puzzles that were attempted again;
            solved games that were reckoned again.
    """

    result: Result
    problems: list[str] = field(default_factory=list[str])
    replayed: int = 0
    repeated: int = 0


def verify(
    folder: str | os.PathLike[str],
    *,
    load: Iterable[str | Path] = (),
    processes: int | None = None,
    progress: bool = True,
) -> Verification:
    """Check a result and its records: the form and the hash of the file, the suite, the schedule, every figure, the
    SHA-256 of every record; then replay some games, and let deterministic agents play them again.

    The first failing stage ends the verification, so `problems` is about one stage.

    Args:
        folder: the folder of the result.
        load: Python files that register agents.
        processes: worker processes for the games that are played again; None: the cores.
        progress: True shows progress on standard error.

    Raises:
        OptionError: there is no result, it has another form, or it was edited by hand.
    """
    folder, files = check_path("folder", folder).absolute(), [check_path("load", path) for path in load]
    found = Verification(read_result(folder))
    for path in files:
        agents.load_file(path)
    settings = {"load": files, "processes": processes, "progress": progress}
    suite = load_suite_of(found.result)
    check = _Puzzles if suite.puzzle else _Solved if suite.solved else _Games
    checks = check(found, folder, settings)
    for stage in (checks.frame, checks.cells, checks.replay):
        found.problems += stage()
        if found.problems:
            break
    return found


def load_suite_of(result: Result) -> Suite:
    """Return the suite of a result.

    Raises:
        OptionError: there is no such track, or the suite has another version or content here.
    """
    suite = load_suite(result.track)
    if result.suite_version != suite.version:
        raise OptionError(
            f"suite_version: the result is of version {result.suite_version} of the track {result.track}; this "
            f"hawaii_env has version {suite.version}"
        )
    return suite


def _differing(recorded: Form, found: Form, where: str) -> Iterator[str]:
    """Yield the fields in which two tables of one form differ."""
    for name in type(recorded).model_fields:
        before, now = getattr(recorded, name), getattr(found, name)
        if before != now:
            yield f"{where}{name}: the result has {before!r}; found is {now!r}"


class _Checks:
    """The stages of a verification; each yields what is wrong."""

    def __init__(self, found: Verification, folder: Path, settings: dict[str, Any]) -> None:
        self.found, self.result, self.folder, self.settings = found, found.result, folder, settings
        self.suite = load_suite(found.result.track)
        self.chosen = random.Random(found.result.digest)

    def frame(self) -> Iterator[str]:
        """Check everything that needs no game: completeness, the suite, the rules and the agent."""
        result, suite = self.result, self.suite
        if not result.complete:
            yield "complete: cells are missing; the command that made the result resumes"
        here = {setting.name: setting for setting in suite.settings}
        for index, setting in enumerate(result.settings):
            if setting.name in here:
                yield from _differing(setting, here[setting.name], f"settings.{index}.")
        if list(here) != [setting.name for setting in result.settings]:
            yield f"settings: expected are {', '.join(here)}"
        if result.suite != suite.hash:
            yield f"suite: the result is of a suite with hash {result.suite}; this one has {suite.hash}"
        if result.seed != suite.seed:
            yield f"seed: the suite has {suite.seed}, not {result.seed}"
        try:
            facts = facts_of(result.agent, suite, self.settings["load"])
        except HawaiiError as error:
            yield f"agent: {error}"
            return
        if facts.files != result.files:
            yield f"files: the result has {result.files}; the agent plays by {facts.files}"
        if facts.simulations != result.simulations:
            yield f"simulations: the result has {result.simulations}; the agent has {facts.simulations}"

    def figures(self, cells: list[Cell]) -> Iterator[str]:
        """Compare all figures with those computed from the games."""
        names = [[f"{cell.scenario}/{cell.opponent}" for cell in of] for of in (self.result.cells, cells)]
        if names[0] != names[1]:
            yield f"cells: the result has {', '.join(names[0])}; the suite has {', '.join(names[1])}"
            return
        for index, (recorded, now) in enumerate(zip(self.result.cells, cells, strict=True)):
            yield from _differing(recorded, now, f"cells.{index}.")
        for name, value in summary(self.result.complete, cells).items():
            recorded = self.result.model_dump()[name]
            if recorded != value:
                yield f"{name}: the result has {recorded!r}; its cells give {value!r}"

    def some(self, keys: list[Any]) -> list[Any]:
        """Sample the games to replay, by the hash of the result."""
        return self.chosen.sample(keys, max(1, round(SHARE * len(keys)))) if keys else []


class _Games(_Checks):
    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.rows: dict[str, list[GameRow]] = {}

    def matches(self) -> Iterator[Match]:
        return self.suite.matches(self.result.agent, self.result.quick, self.result.slow)

    def cells(self) -> Iterator[str]:
        """Check that the games are those of the schedule, and that figures and records are of them."""
        whole = True
        for match in self.matches():
            for reason in self._games(match):
                whole = False
                yield f"cells {match.name}: {reason}"
        if whole:
            yield from self.figures(self.found_cells())

    def found_cells(self) -> list[Cell]:
        return [cell_of(match, self.rows[match.name]) for match in self.matches()]

    def _games(self, match: Match) -> Iterator[str]:
        try:
            rows, bad = rows_of(self.folder, match)
        except HawaiiError as error:
            yield str(error)
            return
        self.rows[match.name] = rows
        for row, reason in bad:
            yield f"{row.pairing} rotation {row.rotation}: {reason}"
        wanted = {game.key: (game.seats, game.seed) for game in scheduled(self.suite, match)[1]}
        there = {row.key: (row.seats, row.seed) for row in rows}
        lost = len(wanted.keys() - there.keys() - {row.key for row, _ in bad})
        if lost:
            yield f"records: {plural(lost, 'game')} of {len(wanted)} missing"
        for key in sorted(there.keys()):
            if there[key] != wanted.get(key):
                yield f"{key[0]} rotation {key[1]}: the schedule has {wanted.get(key)}, not {there[key]}"

    def replay(self) -> Iterator[str]:
        """Replay records, and play their games again."""
        drawn: dict[str, set[tuple[str, int]]] = defaultdict(set)
        for name, key in self.some([(name, row.key) for name, rows in self.rows.items() for row in rows]):
            drawn[name].add(key)
        for match in self.matches():
            rows = {row.key: row for row in self.rows[match.name] if row.key in drawn[match.name]}
            place = self.folder / CELLS / match.name
            sound = True
            for row in rows.values():
                try:
                    check_record(
                        place / cast(str, row.record),
                        game_of(match.games, row.pairing),
                        row.seed,
                        row.seats,
                        row.end,
                        row.forfeit,
                    )
                    self.found.replayed += 1
                except RecordError as error:
                    sound = False
                    yield f"cells {match.name}: {error}"
            if sound and rows and self.result.repeats:
                yield from (f"cells {match.name}: {wrong}" for wrong in self._again(match, rows, place))

    def _again(self, match: Match, rows: dict[tuple[str, int], GameRow], place: Path) -> Iterator[str]:
        with (
            tempfile.TemporaryDirectory(prefix="hawaii-benchmark-") as folder,
            open_run(self.suite, match, Path(folder), **self.settings) as run,
        ):
            run.play([game for game in scheduled(self.suite, match)[1] if game.key in rows])
            for now in run.store.counted()[0]:
                self.found.repeated += 1
                before = rows[now.key]
                reason = _difference(place / cast(str, before.record), Path(folder) / cast(str, now.record))
                if not reason and before.forfeit != now.forfeit:
                    reason = f"forfeit: the result has {before.forfeit}; played again it is {now.forfeit}"
                if reason:
                    yield f"{now.pairing} rotation {now.rotation}: {reason}"


def _difference(before: Path, now: Path) -> str:
    """Return the first event in which two records of a game differ; empty if they are equal."""
    old, new = (records.read(path).events for path in (before, now))
    for number, (one, other) in enumerate(zip(old, new, strict=False), 1):
        if (one.text, type(one)) != (other.text, type(other)):
            return f"event {number}: the record has {one.text!r}; played again it is {other.text!r}"
    if len(old) != len(new):
        return f"the record has {len(old)} events; played again it has {len(new)}"
    return ""


class _Solved(_Games):
    def matches(self) -> Iterator[Match]:
        """Yield the cells that were played: of agents whose exploitability could not be reckoned."""
        return (match for match in super().matches() if self.findings[match.scenario.name].seats is None)

    def found_cells(self) -> list[Cell]:
        return [
            solved.cell_of_finding(match, self.findings[match.scenario.name], self.rows.get(match.name, ()))
            for match in super().matches()
        ]

    def cells(self) -> Iterator[str]:
        """Check that all scenarios were reckoned or played, and that figures are of them."""
        try:
            self.findings = solved.read_findings(self.folder)
        except OptionError as error:
            yield str(error)
            return
        wanted = [match.scenario.name for match in super().matches()]
        if list(self.findings) != wanted:
            yield f"{solved.FILE}: it has {', '.join(self.findings) or 'nothing'}; expected are {', '.join(wanted)}"
            return
        yield from super().cells()

    def replay(self) -> Iterator[str]:
        """Reckon all scenarios again; replay records, and play their games again."""
        for scenario in self.suite.scenario:
            if before := self.findings.get(scenario.name):
                now = solved.measure(self.suite, scenario, self.result.agent, self.result.simulations)
                self.found.repeated += before.seats is not None
                if before.model_copy(update={"processor": now.processor}) != now:
                    has, is_now = before.to_dict(), now.to_dict()
                    yield f"{solved.FILE}: {scenario.name}: it has {has}; reckoned again it is {is_now}"
        yield from super().replay()


class _Puzzles(_Checks):
    def cells(self) -> Iterator[str]:
        """Check that all puzzles were attempted, and that figures are of them."""
        asked = puzzles.chosen(self.suite, self.result.quick)
        try:
            self.attempts = puzzles.read_attempts(self.folder, asked, self.suite.attempts)
        except OptionError as error:
            yield str(error)
            return
        if len(asked) != len(self.attempts):
            yield f"{puzzles.FILE}: expected {self.suite.attempts} attempts at each of {plural(len(asked), 'puzzle')}"
            return
        yield from self.figures(puzzles.cells_of(self.suite, self.result.agent, self.result.quick, self.attempts))

    def replay(self) -> Iterator[str]:
        """Attempt some puzzles again."""
        for one in self.some(puzzles.chosen(self.suite, self.result.quick)) if self.result.repeats else ():
            self.found.repeated += 1
            for wrong in puzzles.differences(self.suite, self.result.agent, one, self.attempts[one.name]):
                yield f"{puzzles.FILE}: {one.name}: {wrong}"
