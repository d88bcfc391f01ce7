"""Matches of each level of the browser's opponents against the one below it: a match of every two neighbours, in either
scenario.

    python experiments/levels.py --pairs 100 --out runs/levels --write

The same command goes on where a stopped one left off. ``--level 6`` plays that level's matches alone and takes the
others from what is written. ``--write`` renews docs/benchmarks/levels.json, from which ``python docs/generate.py``
writes the table.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from strength import measure
from training import runs

from hawaii_env.hawaii1795 import Game
from hawaii_env.hawaii1795.spec import LEVELS

FIGURES = Path(__file__).resolve().parent.parent / "docs" / "benchmarks" / "levels.json"


def run(
    scenarios: Sequence[str], pairs: int, seed: int, processes: int, out: Path, only: Sequence[int] = ()
) -> dict[str, Any]:
    """Play the matches, or what is missing of them, and return their figures; with `only`, of those levels, the others'
    being as they are written.
    """
    written: dict[str, Any] = json.loads(FIGURES.read_text(encoding="utf-8")) if only else {"matches": {}}
    matches: dict[str, list[dict[str, Any]]] = {**written["matches"]}
    ruleset = ""
    for scenario in scenarios:
        game = Game(scenario=scenario)
        ruleset = game.ruleset_name
        matches[scenario] = []
        options = {"scenario": scenario}
        for lower, upper in pairwise(LEVELS):
            if only and upper.number not in only:
                matches[scenario] += [m for m in written["matches"][scenario] if m["level"] == upper.number]
                continue
            a, b = (f"level-{level.number}={level.agent_for(options)}" for level in (upper, lower))
            place = out / f"{scenario}-{upper.number}-{lower.number}"
            found = measure(game, a, b, pairs, seed, processes, place)
            found |= {"agent": upper.agent_for(options), "against": lower.agent_for(options)}
            matches[scenario].append({"level": upper.number, "seed": seed, **found})
            low, high = found["interval"]
            print(
                f"{scenario}: level {upper.number} against {lower.number}: {found['score']:.1%} ({low:.1%} to "
                f"{high:.1%}), {found['games']} games",
                flush=True,
            )
    return {"ruleset": ruleset, "matches": matches}


def main(arguments: Sequence[str] | None = None) -> int:
    """Play and print, as the command line says; return the exit status."""
    parser = argparse.ArgumentParser(
        description="Whether each level of the browser's opponents beats the one below it."
    )
    parser.add_argument("--scenario", action="append", help="long and short where none is named")
    parser.add_argument(
        "--level", action="append", type=int, default=[], help="these levels alone, each with the one below"
    )
    parser.add_argument("--pairs", type=int, default=100, help="pairs of games with swapped sides, each match")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--write", action="store_true", help=f"renew {FIGURES.relative_to(FIGURES.parents[2])}")
    args = parser.parse_args(arguments)

    def work() -> None:
        found = run(args.scenario or ["long", "short"], args.pairs, args.seed, args.processes, args.out, args.level)
        if args.write:
            runs.write_json(FIGURES, found)

    return runs.finish(work)


if __name__ == "__main__":
    sys.exit(main())
