"""The command ``hawaii benchmark``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hawaii_env.command_line import LOAD, PLAIN, argument, count
from hawaii_env.errors import OptionError
from hawaii_env.terminal import Printer
from hawaii_env.texts import count as plural
from hawaii_env.texts import number

if TYPE_CHECKING:
    from hawaii_env.benchmark.form import Estimate, Result

__all__ = ["BENCHMARK", "run_benchmark"]

VERIFY = "verify"

BENCHMARK = (
    argument("agent", metavar="AGENT", help=f"agent string; or '{VERIFY}', which checks the result in DIR"),
    argument("folder", nargs="?", metavar="DIR", help=f"with '{VERIFY}': the folder of a result"),
    argument("--track", metavar="NAME", help="which track; without it the tracks are listed"),
    argument("--out", metavar="DIR", help="folder of the result and the records; the same command resumes"),
    argument("--quick", action="store_true", help="a few games per cell, to try a set-up: not a result"),
    argument("--slow", action="store_true", help="200 games per cell, for agents slower than a second per game"),
    argument("--varies", action="store_true", help="the agent is not deterministic for a seed"),
    argument("--processes", type=count, help="worker processes (default: the cores)"),
    argument("--no-progress", dest="progress", action="store_false", help="no progress on standard error"),
    *(LOAD, PLAIN),
)  # fmt: skip


def run_benchmark(arguments: argparse.Namespace) -> int:
    """Run the command; return its exit status."""
    from hawaii_env.benchmark import tracks, verify
    from hawaii_env.benchmark.running import run_track

    out = Printer(arguments.plain)
    settings = {name: getattr(arguments, name) for name in ("load", "processes", "progress")}
    if arguments.agent == VERIFY:
        if arguments.folder is None or arguments.track or arguments.out:
            raise OptionError(f"expected: hawaii benchmark {VERIFY} DIR")
        found = verify(arguments.folder, **settings)
        _show(out, found.result)
        for problem in found.problems:
            out.line(f"BAD {problem}")
        again = plural(found.repeated, "game was played again alike", "games were played again alike")
        if not found.problems:
            out.line(f"ok: all hashes and figures agree; {plural(found.replayed, 'record')} replayed, {again}")
        return 1 if found.problems else 0
    if arguments.folder is not None:
        raise OptionError(f"DIR {arguments.folder!r} goes with '{VERIFY}'; the folder of a new result is --out")
    if arguments.track is None or arguments.out is None:
        raise OptionError(f"expected --track NAME and --out DIR; tracks: {', '.join(tracks())}")
    choices = {name: getattr(arguments, name) for name in ("quick", "slow")}
    result = run_track(
        *(arguments.agent, arguments.track, arguments.out), **choices, repeats=not arguments.varies, **settings
    )
    _show(out, result)
    out.line(f"Result: {Path(arguments.out) / 'result.json'}")
    if not result.complete:
        out.line("Games could not be played, and it was no agent's fault: see faults.log in the folder of the cell")
    return 0 if result.complete else 1


def _range(estimate: Estimate | Any) -> str:
    if estimate is None:
        return "–"
    low, high = estimate.interval
    return f"{number(100 * estimate.value, 1)}% [{number(100 * low, 1)}, {number(100 * high, 1)}]"


def _show(out: Printer, result: Result) -> None:
    """Print the cells and the scores of a result."""
    from hawaii_env.benchmark.scores import gaps
    from hawaii_env.benchmark.suites import load_suite

    quick = ", QUICK: not a result" if result.quick else ""
    rows = [
        [
            f"{cell.scenario} {cell.opponent}" + " (held out)" * cell.held_out,
            str(cell.games),
            f"{number(100 * cell.share, 1)}%",
            f"{number(100 * cell.score, 1)}% [{', '.join(number(100 * end, 1) for end in cell.score_interval)}]",
            str(cell.forfeits or "–"),
        ]
        for cell in result.cells
    ]
    title = f"{result.agent} on {result.track}, version {result.suite_version}{quick}"
    out.table(title, ["cell", "games", "share", "score [95%]", "forfeits"], rows)
    for cell in result.cells:
        if of := cell.exact:
            seats = ", ".join(number(lost, 4) for lost in of.seats)
            bound = f"at least {number(max(0.0, of.interval[0]), 4)}, the lower end of a 95% interval; measured "
            out.line(
                f"{cell.scenario}: exploitability {bound * of.bound}{number(of.mean, 4)} (seats {seats}"
                f"{f'; {of.reason}' * of.bound}); value {number(of.value, 6)}"
            )
    budget = "limited by time" if result.simulations is None else f"{result.simulations:,} simulations"
    out.line(
        f"{budget}, {number(result.ms_a_decision)} ms per decision; {number(result.processor_seconds)} s of processor"
    )
    if result.scores is not None:
        parts = {"Score": "all", "public": "public", "held out": "held_out", "a fifth at random": "decisiveness"}
        out.line("; ".join(f"{name} {_range(getattr(result.scores, field))}" for name, field in parts.items()))
    suite = load_suite(result.track)
    if found := gaps(suite, result.cells):
        shown = [
            f"{cell} {' to '.join(number(end, 1) for end in (low, high))}" for cell, (_, low, high) in found.items()
        ]
        out.line(f"Points below {suite.gap_to}, 95% intervals: {'; '.join(shown)}")
