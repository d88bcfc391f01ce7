# pyright: reportMissingImports=false
"""Measure how fast movement phases are adjudicated, with `pydip` and `diplomacy` on the same orders.

    python -m pip install pydip diplomacy
    python experiments/bench_adjudication.py             # a minute; writes docs/benchmarks/adjudication.json
    python experiments/bench_adjudication.py --quick     # a look; writes to runs/bench/

Phases of armies and fleets on the standard board, 8 to 20 units each. All take turns, round after round; figures are
the least over the rounds, of CPU time, and ratios those of the least. Two comparisons:

- The orders stand ready in each library's own form before the clock runs: arrays (`adjudicate_many`, all phases in one
  call) or mappings (`adjudicate`) here, commands of `pydip` (`resolve_turn`), orders that a game of `diplomacy` has
  parsed (`_resolve_moves`, a part of its `process` that nobody calls alone, and `process` itself).
- From what a player writes, the position set up before: texts parsed, checked and adjudicated here; texts given to
  `set_orders`, then `process`, in `diplomacy`; commands made, then `resolve_turn`, in `pydip`, which reads no texts.

A library that is not installed is named as missing. ``python docs/generate.py`` makes the table of the docs from it.
"""

from __future__ import annotations

import argparse
import functools
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

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))  # its phases, and the libraries' words for them

from heiau import boards, peers  # noqa: E402
from heiau.standard import STANDARD  # noqa: E402
from machine import machine  # noqa: E402

from hawaii_env.heiau import adjudicator  # noqa: E402
from hawaii_env.heiau import texts as text  # noqa: E402

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


def timed(calls: list[Callable[[], Any]], chosen: list[Phase]) -> float:
    """Microseconds of CPU time a phase; each call does all phases."""
    begin = time.process_time()
    for call in calls:
        call()
    return (time.process_time() - begin) * 1e6 / (len(calls) * len(chosen))


def ours(chosen: list[Phase]) -> dict[str, Callable[[], Any]]:
    """Return what is measured of this project, by its name: each does all phases."""
    powers = list(peers.POWERS)
    told = [boards.to_engine(STANDARD, units, orders, powers) for units, orders in chosen]
    rows = np.full((len(told), max(len(units) for units, _ in told), len(adjudicator.ROW)), -1, np.int64)
    for k, (units, orders) in enumerate(told):
        rows[k, : len(units)] = [(*unit, *orders[space]) for space, unit in units.items()]
    lines = [
        [(unit.power, text.order_text(STANDARD, unit, orders[space], kind_of(units, orders[space]))) for space, unit in
         units.items()]
        for units, orders in told
    ]  # fmt: skip
    positions = [units for units, _ in told]

    def read() -> None:
        for units, entered in zip(positions, lines, strict=True):
            sight, orders = adjudicator.Sight(STANDARD, units, 0, frozenset()), {}
            for power, line in entered:
                unit, order, _ = text.parse_order(STANDARD, line, power)
                space = STANDARD.space_of[unit.place]
                assert not sight.refusal(space, order)
                orders[space] = order
            adjudicator.adjudicate(STANDARD, units, orders, check=False)

    return {
        "arrays": lambda: adjudicator.adjudicate_many(STANDARD, rows),
        "mappings": lambda: [adjudicator.adjudicate(STANDARD, *phase, check=False) for phase in told],
        "texts": read,
    }


def kind_of(units: dict[int, adjudicator.Unit], order: adjudicator.Order) -> int:
    """Return what an order supports or convoys, for its text."""
    return units[order.source].kind if order.source >= 0 else 0


def contenders(chosen: list[Phase], repeats: int) -> dict[str, tuple[str, Callable[[], float]]]:
    """Yield what is measured: the comparison that it belongs to, and what gives microseconds a phase."""
    own = ours(chosen)
    found: dict[str, tuple[str, Callable[[], float]]] = {
        f"hawaii_env, {name}": ("texts" if name == "texts" else "ready", lambda run=run: timed([run] * repeats, chosen))
        for name, run in own.items()
    }
    if "pydip" in installed():
        from pydip.turn.resolve import resolve_turn

        board = peers.pydip_map()
        commands = [peers.pydip_commands(units, orders) for units, orders in chosen]
        players = [peers.pydip_players(units) for units, _ in chosen]

        def order_pydip() -> None:
            for (units, orders), given in zip(chosen, players, strict=True):
                resolve_turn(board, peers.pydip_commands(units, orders, given))

        found["pydip, resolve_turn"] = (
            "ready", lambda: timed([lambda: [resolve_turn(board, given) for given in commands]], chosen),
        )  # fmt: skip
        found["pydip, commands and resolve_turn"] = "texts", lambda: timed([order_pydip], chosen)
    if "diplomacy" in installed():
        games = [peers.diplomacy_game(units, orders) for units, orders in chosen]
        for game in games:
            game._determine_orders()
        texts = [peers.diplomacy_lines(units, orders) for units, orders in chosen]

        def order_diplomacy(fresh: list[Any]) -> None:
            for game, lines in zip(fresh, texts, strict=True):
                for power, given in lines.items():
                    game.set_orders(power, given)
                game.process()

        def process_diplomacy(fresh: list[Any]) -> None:
            for game in fresh:
                game.process()

        def positions() -> list[Any]:
            return [peers.diplomacy_position(units) for units, _ in chosen]

        def entered() -> list[Any]:
            return [peers.diplomacy_game(units, orders) for units, orders in chosen]

        found["diplomacy, _resolve_moves"] = (
            "ready", lambda: timed([lambda: [game._resolve_moves() for game in games]], chosen),
        )  # fmt: skip
        found["diplomacy, process"] = "ready", lambda: timed([functools.partial(process_diplomacy, entered())], chosen)
        found["diplomacy, set_orders and process"] = (
            "texts", lambda: timed([functools.partial(order_diplomacy, positions())], chosen),
        )  # fmt: skip
    return found


def main(arguments: list[str] | None = None) -> int:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer phases and rounds")
    parser.add_argument(
        "--out", type=Path, help="file (default: docs/benchmarks/adjudication.json, quick: runs/bench/)"
    )
    given = parser.parse_args(arguments)
    place = given.out or ROOT / ("runs/bench" if given.quick else "docs/benchmarks") / "adjudication.json"
    on = machine()
    chosen = phases(20 if given.quick else 200)
    measured = contenders(chosen, repeats=5)
    for name, (_, measure) in measured.items():
        if name.startswith("hawaii_env"):
            measure()  # compiles, where there is something to compile
    rounds: dict[str, list[float]] = {name: [] for name in measured}
    for _ in range(3 if given.quick else 15):
        for name, (_, measure) in measured.items():
            rounds[name].append(measure())
    best = {name: min(figures) for name, figures in rounds.items()}
    report: dict[str, Any] = {
        "machine": on,
        "phases": len(chosen),
        "units": statistics.mean(len(units) for units, _ in chosen),
        "rounds": len(next(iter(rounds.values()))),
        "versions": installed(),
        "missing": [name for name in TARGETS if name not in installed()],
        "measures": {},
    }
    print(f"{report['phases']} movement phases of {report['units']:.1f} units; least of the rounds")
    for name, (kind, _) in measured.items():
        of = {own: best[name] / best[own] for own in best if own.startswith("hawaii_env") and measured[own][0] == kind}
        wanted = TARGETS.get(name.partition(",")[0])
        report["measures"][name] = {
            "comparison": kind,
            "microseconds": round(best[name], 3),
            "median": round(statistics.median(rounds[name]), 3),
            "ratios": {own: round(ratio, 2) for own, ratio in of.items()},
            "target": wanted,
        }
        line = f"{name}: {best[name]:.2f} microseconds a phase"
        if wanted is not None:
            told = ", ".join(f"{ratio:.1f} times {own.partition(', ')[2]}" for own, ratio in of.items())
            line += f"; {told}; {wanted:.0f} is wanted"
        print(line)
    for name in report["missing"]:
        print(f"{name}: not installed")
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
