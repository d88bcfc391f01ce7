"""``hawaii replay FILE -o game.html``: a recorded game as a page for the browser."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from hawaii_env import agents
from hawaii_env.replay.page import replay_page

__all__ = ["add_replay_arguments", "run_replay"]


def add_replay_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to its parser."""
    parser.add_argument("record", metavar="FILE", help="a game record")
    parser.add_argument("-o", "--out", metavar="FILE.html", help="the page (default: the record's name with .html)")
    parser.add_argument(
        "--value",
        action="append",
        metavar="SPEC",
        help="whose opinion the curve shows: playouts, playouts:games=400, an agent that values positions, or "
        "none (default: playouts); "
        "given several times, the page lets its reader choose",
    )
    parser.add_argument(
        "--load", action="append", default=[], metavar="FILE", help="a Python file that registers agents"
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of the values (default: %(default)s)")
    parser.add_argument("--quiet", action="store_true", help="show no progress")


@contextmanager
def _progress(quiet: bool) -> Iterator[Callable[[int, int], None] | None]:
    """A progress bar on stderr, where that is a terminal and rich is installed."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    try:
        bars, console = importlib.import_module("rich.progress"), importlib.import_module("rich.console")
    except ImportError:
        yield None
        return
    columns = (
        bars.TextColumn("{task.description}"),
        bars.BarColumn(),
        bars.MofNCompleteColumn(),
        bars.TimeRemainingColumn(),
    )
    with bars.Progress(*columns, console=console.Console(stderr=True), transient=True) as progress:
        task = progress.add_task("events", total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


def run_replay(arguments: argparse.Namespace) -> int:
    """Run the command; return its exit status.

    Raises:
        HawaiiError: whatever is wrong with the record, the page's name or the values.
    """
    for path in arguments.load:
        agents.load_file(path)
    out = Path(arguments.out) if arguments.out else Path(arguments.record).with_suffix(".html")
    with _progress(arguments.quiet) as progress:
        made = replay_page(
            arguments.record, out, value=arguments.value or "playouts", seed=arguments.seed, progress=progress
        )
    values = f", {made.valued} of them valued" if made.valued else ""
    print(f"{made.path}: {made.steps + 1} positions{values}, {made.bytes / 1e6:.2f} MB")
    return 0
