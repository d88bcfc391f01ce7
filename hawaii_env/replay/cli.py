"""``hawaii replay FILE -o game.html``: a recorded game as a page for the browser."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from hawaii_env import agents
from hawaii_env.command_line import LOAD, argument
from hawaii_env.replay.page import replay_page
from hawaii_env.terminal import Progress
from hawaii_env.texts import count

__all__ = ["REPLAY", "run_replay"]


REPLAY = (
    argument("record", metavar="FILE", help="a game record"),
    argument("-o", "--out", metavar="FILE.html", help="the page (default: the record's name with .html)"),
    argument("--value", action="append", metavar="AGENT",
        help="whose opinion the curve shows: playouts, playouts:games=400, an agent that values positions, or none "
        "(default: playouts); given several times, the page lets its reader choose"),
    argument("--seed", type=int, default=0, help="seed of the values (default: %(default)s)"),
    argument("--quiet", action="store_true", help="show no progress"),
    LOAD,
)  # fmt: skip
"""The command's arguments."""


def run_replay(arguments: argparse.Namespace) -> int:
    """Run the command; return its exit status.

    Raises:
        HawaiiError: whatever is wrong with the record, the page's name or the values.
    """
    for path in arguments.load:
        agents.load_file(path)
    out = Path(arguments.out) if arguments.out else Path(arguments.record).with_suffix(".html")
    progress = Progress("replay", "events", shown=not arguments.quiet and sys.stderr.isatty())

    def advance(done: int, total: int) -> None:
        progress.total = total
        progress.advance(done - progress.done)

    try:
        made = replay_page(
            arguments.record, out, value=arguments.value or "playouts", seed=arguments.seed, progress=advance
        )
    finally:
        progress.close()
    values = f", {made.valued} of them valued" if made.valued else ""
    print(f"{made.path}: {count(made.steps + 1, 'position')}{values}, {made.bytes / 1e6:.2f} MB")
    return 0
