"""Solved games: the exact exploitability of an agent, or a lower bound on it.

The share of a cell is the agent's share over both seats: against a best response; if it is stochastic, against a best
response to samples of its strategy; and if it searches, in games against an optimal strategy. An optimal strategy has a
half in each, so the exploitability is one less twice the share.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import Field

from hawaii_env.arena.sprt import mean_interval
from hawaii_env.arena.store import GameRow
from hawaii_env.benchmark.form import Cell, Exact, Form, Pair, Seconds, digest, read_as
from hawaii_env.benchmark.scores import cell_of
from hawaii_env.benchmark.suites import Match, Scenario, Suite
from hawaii_env.errors import HawaiiError
from hawaii_env.exact import solve
from hawaii_env.terminal import Progress, say
from hawaii_env.texts import count, describe_error, write_bytes

__all__ = ["FILE", "Finding", "Findings", "cell_of_finding", "measure", "read_findings", "reckon"]

FILE = "exact.json"
"""Name of the file with the computed findings, in the folder of the result."""

TOLERANCE = 1e-6
"""Maximum difference of a value from that of the suite."""

BEST_RESPONSE = "best-response"
"""The opponent of a computed cell."""


class Finding(Form):
    """An agent's exploitability in a solved game."""

    seats: Pair | None = Field(description="In each seat; None if it has to be found by games.")
    reason: str = Field(description="Why it is not exact; empty if it is.")
    processor: Seconds = Field(description="Processor seconds.")
    interval: Pair | None = Field(default=None, description="Of a bound, the 95% interval of the mean of both seats.")

    def to_dict(self) -> dict[str, Any]:
        """Return the fields but an interval that there is not."""
        return {name: value for name, value in self.model_dump().items() if name != "interval" or value is not None}


Findings = dict[str, Finding]
"""The findings of a track, by the name of the scenario."""


def measure(suite: Suite, scenario: Scenario, agent: str, simulations: int | None) -> Finding:
    """Compute an agent's exploitability in a small game, and solve the game if the cache has no solution.

    Searches are excluded: they are stochastic, and too slow to query in each position.

    Raises:
        HawaiiError: the value of the game is not that of the suite.
    """
    if simulations != 0 or "seed=" in agent:
        return Finding(seats=None, reason="it searches" if simulations != 0 else "its seed is fixed", processor=0.0)

    def progress(positions: int) -> None:
        nonlocal shown
        if positions >= 2 * shown + 100_000:
            shown = positions
            say(f"  solving {scenario.solved}: {count(positions, 'position')} ...")

    shown = 0
    solution = solve(suite.load_game(scenario.options, scenario.solved), progress)
    value, positions = solution.value(), len(solution.values)
    if scenario.value is None or abs(value - scenario.value) > TOLERANCE or positions != scenario.positions:
        raise HawaiiError(
            f"{scenario.name}: the suite has the value {scenario.value} and "
            f"{count(scenario.positions or 0, 'position')}; the solution has {value!r} and {positions:,}: "
            f"hawaii exact {scenario.solved} --again"
        )
    begun = time.process_time()
    seats, interval, reason = None, None, ""
    try:
        found = solution.exploitability(agent)
        seats = found.seats
        if not found.exact:
            lost, reason = solution.lower_bounds(agent), "it draws"
            seats = [sum(one) / len(lost) for one in zip(*lost, strict=True)]
            _, low, high = mean_interval([min(1.0, max(0.0, (1 + sum(one) / 2) / 2)) for one in lost])
            interval = [round(2 * end - 1, 6) for end in (low, high)]
    except Exception as error:  # of an agent, whose games forfeit with the reason
        seats, reason = None, f"it fails: {describe_error(error)}"
    rounded = None if seats is None else [round(one, 6) + 0.0 for one in seats]
    spent = round(time.process_time() - begun, 3)
    return Finding(seats=rounded, reason=reason, processor=spent, interval=interval)


def read_findings(folder: Path) -> Findings:
    """Return the findings in a folder.

    Raises:
        OptionError: there are none, or the file holds something else.
    """
    return read_as(Findings, folder / FILE, "nothing that was reckoned")


def reckon(suite: Suite, agent: str, simulations: int | None, folder: Path, progress: bool) -> Findings:
    """Compute the findings missing in a folder for an agent's scenarios; return all findings."""
    found = read_findings(folder) if (folder / FILE).exists() else Findings()
    todo = [one for one in suite.played(agent) if one.name not in found]
    shown = Progress(suite.track, "games reckoned", len(todo), shown=progress)
    try:
        for scenario in todo:
            found[scenario.name] = measure(suite, scenario, agent, simulations)
            data = {name: one.to_dict() for name, one in found.items()}
            write_bytes(folder / FILE, json.dumps(data, indent=1).encode())
            shown.advance()
    finally:
        shown.close()
    return found


def cell_of_finding(match: Match, finding: Finding, rows: Sequence[GameRow]) -> Cell:
    """Return the cell of a solved game: from its finding, or from games against an optimal strategy."""
    value = match.scenario.value or 0.0
    if finding.seats is None:
        cell = cell_of(match, rows)
        seats = [value - (2 * cell.by_seat[0] - 1), -value - (2 * cell.by_seat[1] - 1)]
        low, high = (1 - 2 * end for end in reversed(cell.interval))
        of = Exact(
            value=value, seats=[round(lost, 6) + 0.0 for lost in seats], mean=round(1 - 2 * cell.share, 6),
            interval=[round(low, 6), round(high, 6)], bound=True, reason=finding.reason,
        )  # fmt: skip
        return cell.model_copy(update={"exact": of})
    mean = round(sum(finding.seats) / 2, 6)
    share, ends = round((1 - mean) / 2, 6), finding.interval or [mean, mean]
    shares = [round((1 - end) / 2, 6) for end in reversed(ends)]
    by_seat = [(1 + value - finding.seats[0]) / 2, (1 - value - finding.seats[1]) / 2]
    nothing: dict[str, Any] = dict.fromkeys(("games", "forfeits", "opponent_forfeits", "shared", "decisions"), 0)
    return Cell(
        **nothing,
        scenario=match.scenario.name,
        opponent=BEST_RESPONSE,
        agents=[match.focal],
        held_out=False,
        scored=True,
        share=share,
        interval=shares,
        by_seat=[min(1.0, max(0.0, round(one, 6))) for one in by_seat],
        score=share,
        score_interval=shares,
        seconds=0.0,
        processor_seconds=finding.processor,
        records=digest(finding.to_dict()),
        exact=Exact(
            value=value,
            seats=finding.seats,
            mean=mean,
            interval=ends,
            bound=bool(finding.reason),
            reason=finding.reason,
        ),
    )
