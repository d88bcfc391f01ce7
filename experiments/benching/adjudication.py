# pyright: reportMissingImports=false
"""Movement phases on the standard board, 8 to 20 armies and fleets each, by ours, `pydip` and `diplomacy`.

Two comparisons, of the same orders:

- The orders stand ready in each library's own form: arrays (`adjudicate_many`, all phases in one call) or mappings
  (`adjudicate`) here, commands of `pydip` (`resolve_turn`), orders that a game of `diplomacy` has parsed
  (`_resolve_moves`, a part of its `process` that nobody calls alone, and `process` itself).
- From what a player writes, the position set up before: texts parsed, checked and adjudicated here; texts given to
  `set_orders`, then `process`, in `diplomacy`; commands made, then `resolve_turn`, in `pydip`, which reads no texts.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from functools import cache

import numpy as np
import peers
from heiau import boards  # tests/heiau
from heiau.standard import STANDARD

from hawaii_env.heiau import adjudicator
from hawaii_env.heiau import texts as text

Phase = tuple[boards.Units, boards.Orders]
COUNT = 200


@cache
def phases() -> list[Phase]:
    """Return crowded phases whose orders all libraries take; if `diplomacy` is not here, those that may be refused."""
    found: list[Phase] = []
    seed = 0
    while len(found) < COUNT:
        seed += 1
        rng = random.Random(seed)
        units = boards.crowd(boards.STANDARD, rng, "AF", list(peers.POWERS), 4)
        if 8 <= len(units) <= 20:
            legal = {space: peers.sea_orders(boards.STANDARD, units, unit) for space, unit in units.items()}
            orders = boards.concert(legal, rng)
            with suppress(peers.ConvoyRefused):
                with suppress(ModuleNotFoundError):
                    peers.diplomacy_game(units, orders)
                found.append((units, orders))
    return found


def kind_of(units: dict[int, adjudicator.Unit], order: adjudicator.Order) -> int:
    """Return what an order supports or convoys, for its text."""
    return units[order.source].kind if order.source >= 0 else 0


def ours(name: str) -> Callable[[], object]:
    """Return a function that adjudicates all phases: from arrays, mappings or texts."""
    entered = [boards.to_engine(STANDARD, units, orders, list(peers.POWERS)) for units, orders in phases()]
    if name == "adjudicate_mappings":
        return lambda: [adjudicator.adjudicate(STANDARD, *phase, check=False) for phase in entered]
    if name == "adjudicate_arrays":
        rows = np.full((len(entered), max(len(units) for units, _ in entered), len(adjudicator.ROW)), -1, np.int64)
        for k, (units, orders) in enumerate(entered):
            rows[k, : len(units)] = [(*unit, *orders[space]) for space, unit in units.items()]
        return lambda: adjudicator.adjudicate_many(STANDARD, rows)
    lines = [
        [(unit.power, text.order_text(STANDARD, unit, orders[space], kind_of(units, orders[space]))) for space, unit in
         units.items()]
        for units, orders in entered
    ]  # fmt: skip

    def read() -> None:
        for (units, _), texts in zip(entered, lines, strict=True):
            sight, orders = adjudicator.PossibleOrders(STANDARD, units, 0, frozenset()), {}
            for power, line in texts:
                unit, order, _ = text.parse_order(STANDARD, line, power)
                space = STANDARD.space_of[unit.place]
                assert not sight.refusal(space, order)
                orders[space] = order
            adjudicator.adjudicate(STANDARD, units, orders, check=False)

    return read


def by_pydip(name: str) -> Callable[[], object]:
    """Return a function that has `pydip` resolve all phases, of commands made before, or made in it."""
    from pydip.turn.resolve import resolve_turn

    board, chosen = peers.pydip_map(), phases()
    if name == "pydip_ready":
        commands = [peers.pydip_commands(units, orders) for units, orders in chosen]
        return lambda: [resolve_turn(board, given) for given in commands]
    players = [peers.pydip_players(units) for units, _ in chosen]
    return lambda: [
        resolve_turn(board, peers.pydip_commands(*phase, given)) for phase, given in zip(chosen, players, strict=True)
    ]


def by_diplomacy(name: str, excluded: Callable[[], AbstractContextManager[None]]) -> Callable[[], object]:
    """Return a function that has `diplomacy` resolve all phases: the moves alone, all of a phase, or from texts."""
    chosen = phases()
    games = [peers.diplomacy_game(units, orders) for units, orders in chosen]
    if name == "diplomacy_moves":
        for game in games:
            game._determine_orders()
        return lambda: [game._resolve_moves() for game in games]
    texts = [peers.diplomacy_lines(units, orders) if name == "diplomacy_texts" else {} for units, orders in chosen]

    def process() -> None:
        with excluded():
            fresh = [
                peers.diplomacy_position(units) if lines else peers.diplomacy_game(units, orders)
                for (units, orders), lines in zip(chosen, texts, strict=True)
            ]
        for game, lines in zip(fresh, texts, strict=True):
            for power, given in lines.items():
                game.set_orders(power, given)
            game.process()

    return process


def make(name: str, excluded: Callable[[], AbstractContextManager[None]]) -> Callable[[], int]:
    """Return a measure; a call of it adjudicates all phases, and returns how many they are.

    Args:
        name: one of `report.MEASURES` of adjudication.
        excluded: leaves the time of a block out of what is measured.
    """
    library = name.partition("_")[0]
    if library == "diplomacy":
        run = by_diplomacy(name, excluded)
    else:
        run = by_pydip(name) if library == "pydip" else ours(name)

    def play() -> int:
        run()
        return COUNT

    return play
