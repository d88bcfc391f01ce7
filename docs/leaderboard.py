"""The leaderboard: the tracks of the benchmark, and the results in docs/benchmarks/results."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from tables import NOTE, percent, table

from hawaii_env import benchmark
from hawaii_env.benchmark.form import Estimate, Result
from hawaii_env.benchmark.suites import Suite

RESULTS = Path(__file__).resolve().parent / "benchmarks" / "results"
BUDGETS = (0, 100, 1000)
"""Simulations a decision that a search has at most to be ranked among others of its budget; 0 is no search."""


def read(track: str) -> list[Result]:
    """Return the results of a track.

    Raises:
        SystemExit: one that is no result of this version of the track.
    """
    found: list[Result] = []
    for path in sorted((RESULTS / track).glob("*.json")):
        result, suite = benchmark.read_result(path), benchmark.load_suite(track)
        if (result.track, result.suite, result.quick, result.complete) != (track, suite.hash, False, True):
            raise SystemExit(f"{path}: no complete result of version {suite.version} of the track {track}")
        found.append(result)
    return found


def budget(result: Result) -> int:
    """Return the place of an agent's budget: no search first, limits of time last."""
    if result.simulations is None:
        return len(BUDGETS) + 1
    return sum(result.simulations > most for most in BUDGETS)


def estimate(value: Estimate | None) -> str:
    """Return an estimate with its interval."""
    return "-" if value is None else percent(value.value, value.interval)


def rank(result: Result) -> tuple[int, float]:
    """Return what orders results: the budget, then the score against held-out opponents, or the score."""
    assert result.scores is not None
    return budget(result), -(result.scores.held_out or result.scores.all).value


def leaders(results: list[Result]) -> str:
    """Return the table of the results of a track, by budget, the best first."""
    rows: list[list[object]] = []
    for result in sorted(results, key=rank):
        scores = result.scores
        assert scores is not None
        simulations = "by time" if result.simulations is None else f"{result.simulations:,}"
        parts = (scores.held_out, scores.public, scores.all, scores.decisiveness)
        forfeits = sum(cell.forfeits for cell in result.cells)
        games = f"{sum(cell.games for cell in result.cells):,}"
        row = [f"`{result.agent}`", simulations, *map(estimate, parts), games, forfeits, f"{result.ms_a_decision:.2f}"]
        rows.append(row)
    head = ["agent", "simulations", "held out", "public", "all", "a fifth at random", "games", "forfeits", "ms"]
    return table(head, rows)


def cells(results: list[Result]) -> str:
    """Return the table of the scores of all results in each cell."""
    if not results:
        return ""
    shown = sorted(results, key=rank)
    rows: list[list[object]] = []
    for number, cell in enumerate(shown[0].cells):
        scores = [percent(one.cells[number].score, one.cells[number].score_interval, 0) for one in shown]
        rows.append([cell.scenario, cell.opponent, *scores])
    return "\n" + table(["scenario", "against", *(f"`{result.agent}`" for result in shown)], rows)


def opponents(suite: Suite) -> str:
    """Return the table of the opponents of a track."""
    rows: list[list[object]] = []
    for one in suite.opponent:
        kind = "held out: never train against it" if one.held_out else "public" if one.scored else "not scored"
        who = f"`{one.agent}`" if one.scored else f"the agent, with `{one.focal}` in the measured seat"
        rows.append([one.name, who, kind, suite.slow_games if one.slow else suite.games])
    return table(["opponent", "agent", "kind", "games"], rows)


def parts() -> Iterator[str]:
    """Yield the sections of the page."""
    for track in benchmark.tracks():
        suite, results = benchmark.load_suite(track), read(track)
        yield f"## `{track}`\n\n{suite.title}. Version {suite.version}, hash `{suite.hash[:16]}`. "
        if suite.puzzle:
            yield f"{len(suite.puzzle)} [puzzles](puzzles.md), {suite.attempts} attempts at each.\n\n"
        else:
            settings = ", ".join(f"{one.name} ({len(one.seats)} players)" for one in suite.settings)
            yield f"Scenarios: {settings}.\n\n{opponents(suite)}\n"
        if results:
            yield leaders(results) + cells(results) + "\n"
        else:
            yield "No result yet.\n\n"


def leaderboard_page() -> str:
    """Return the leaderboard of all tracks."""
    return (
        f"{NOTE}# Leaderboard of the benchmark\n\n[The protocol](../benchmark.md). Scores with 95% intervals; an "
        "equal of the opponents has 50%. Agents are grouped by simulations a decision (none, up to 100, up to 1,000, "
        "more, limited by time), and ranked in a group by the score against held-out opponents. *a fifth at random*: "
        "the score of a copy that takes one fifth of its decisions at random, against the agent. *ms*: wall-clock "
        "milliseconds a decision, of the machine that played.\n\n" + "".join(parts()).rstrip("\n") + "\n"
    )


PAGES: dict[str, Callable[[], str]] = {"benchmarks/leaderboard.md": leaderboard_page}
