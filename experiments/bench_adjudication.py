# pyright: reportMissingImports=false
"""Measure how fast movement phases are adjudicated, with `pydip` and `diplomacy` on the same orders.

    python -m pip install pydip diplomacy
    python experiments/bench_adjudication.py             # a minute; writes runs/bench/adjudication.json
    python experiments/bench_adjudication.py --quick

Phases of armies and fleets on the standard board, 8 to 20 units each, in the words of each library before the clock
runs. All take turns, round after round; figures are medians over the rounds, of CPU time, and so are the ratios. Of
`diplomacy` two things are timed: its resolution of moves alone (`_resolve_moves`), and `Game.process()`, which is what
its users call. A library that is not installed is named as missing.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import random
import statistics
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))  # its phases, and the libraries' words for them

from heiau import boards, peers  # noqa: E402
from heiau.standard import STANDARD  # noqa: E402

from hawaii_env.heiau import adjudicator  # noqa: E402

TARGETS = {"pydip": 20.0, "diplomacy": 100.0}
"""How many times faster ours should be."""

Phase = tuple[boards.Units, boards.Orders]


def phases(count: int) -> list[Phase]:
    """Crowded phases whose orders all libraries take."""
    found: list[Phase] = []
    seed = 0
    while len(found) < count:
        seed += 1
        rng = random.Random(seed)
        units = boards.crowd(boards.STANDARD, rng, "AF", list(peers.POWERS), 4)
        if not 8 <= len(units) <= 20:
            continue
        legal = {space: peers.sea_orders(boards.STANDARD, units, unit) for space, unit in units.items()}
        orders = boards.concert(legal, rng)
        with suppress(peers.ConvoyRefused, ModuleNotFoundError):
            peers.diplomacy_game(units, orders)
            found.append((units, orders))
            continue
        if "diplomacy" not in installed():
            found.append((units, orders))
    return found


def installed() -> dict[str, str]:
    """The libraries that are here, with their versions."""
    found: dict[str, str] = {}
    for name in TARGETS:
        with suppress(importlib.metadata.PackageNotFoundError):
            found[name] = importlib.metadata.version(name)
    return found


def timed(calls: list[Callable[[], Any]]) -> float:
    """Microseconds of CPU time a call."""
    begin = time.process_time()
    for call in calls:
        call()
    return (time.process_time() - begin) * 1e6 / len(calls)


def contenders(chosen: list[Phase], repeats: int) -> dict[str, Callable[[], float]]:
    """What is measured: each gives microseconds a phase."""
    powers = list(peers.POWERS)
    told = [boards.to_engine(STANDARD, units, orders, powers) for units, orders in chosen]
    own = [lambda units=units, orders=orders: adjudicator.adjudicate(STANDARD, units, orders) for units, orders in told]
    found: dict[str, Callable[[], float]] = {"hawaii_env": lambda: timed(own * repeats)}
    if "pydip" in installed():
        from pydip.turn.resolve import resolve_turn

        board = peers.pydip_map()
        commands = [peers.pydip_commands(units, orders) for units, orders in chosen]
        theirs = [lambda given=given: resolve_turn(board, given) for given in commands]
        found["pydip"] = lambda: timed(theirs)
    if "diplomacy" in installed():
        games = [peers.diplomacy_game(units, orders) for units, orders in chosen]
        for game in games:
            game._determine_orders()
        moves = [game._resolve_moves for game in games]
        found["diplomacy"] = lambda: timed(moves)
        found["diplomacy, process()"] = lambda: timed([peers.diplomacy_game(*phase).process for phase in chosen])
    return found


def main(arguments: list[str] | None = None) -> int:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer phases and rounds")
    parser.add_argument("--out", type=Path, default=ROOT / "runs" / "bench" / "adjudication.json")
    given = parser.parse_args(arguments)
    chosen = phases(20 if given.quick else 200)
    measured = contenders(chosen, repeats=5)
    measured["hawaii_env"]()  # compiles, where there is something to compile
    rounds: dict[str, list[float]] = {name: [] for name in measured}
    for _ in range(3 if given.quick else 9):
        for name, measure in measured.items():
            rounds[name].append(measure())
    report: dict[str, Any] = {
        "phases": len(chosen),
        "units": statistics.mean(len(units) for units, _ in chosen),
        "versions": installed(),
        "missing": [name for name in TARGETS if name not in installed()],
        "measures": {},
    }
    for name, figures in rounds.items():
        ratios = sorted(theirs / ours for theirs, ours in zip(figures, rounds["hawaii_env"], strict=True))
        report["measures"][name] = {
            "microseconds": statistics.median(figures),
            "ratio": statistics.median(ratios),
            "ratios": [ratios[0], ratios[-1]],
            "target": TARGETS.get(name),
        }
    print(f"{report['phases']} movement phases of {report['units']:.1f} units")
    for name, row in report["measures"].items():
        aim = "" if row["target"] is None else f", {row['target']:.0f} is wanted"
        spread = " to ".join(f"{value:.1f}" for value in row["ratios"])
        print(f"{name}: {row['microseconds']:.1f} microseconds a phase, {row['ratio']:.1f} times ours ({spread}){aim}")
    for name in report["missing"]:
        print(f"{name}: not installed")
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_text(json.dumps(report, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
