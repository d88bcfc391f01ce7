"""The engine beside the referee: possible orders and results of thousands of random phases."""

from __future__ import annotations

import random

import pytest

from hawaii_env.heiau.adjudicator import Sight, adjudicate
from hawaii_env.heiau.rules.board import KINDS, Board, Unit
from hawaii_env.heiau.rules.orders import BOATS, CONVOY, MOVE, SUPPORT, VERBS, VIA, Order
from hawaii_env.heiau.ruleset import load_ruleset

from . import judge, options_of

BOARD: Board = load_ruleset().board


def some_units(choose: random.Random, count: int) -> dict[int, Unit]:
    """Units crowded on a part of the map, two fleets at most."""
    near = {choose.randrange(len(BOARD.spaces))}
    while len(near) < count + 3:
        near |= {
            s
            for p in range(len(BOARD.places))
            if BOARD.space_of[p] in near
            for s in range(45)
            if BOARD.reach[2][p] >> s & 1 or BOARD.land[BOARD.space_of[p]] >> s & 1
        }
    found: dict[int, Unit] = {}
    fleets = 0
    for space in choose.sample(sorted(near), min(count, len(near))):
        kinds = [(k, p) for p in (BOARD.bare[space], *BOARD.coasts[space]) for k in range(3) if BOARD.can_stand(k, p)]
        kind, place = choose.choice(kinds)
        if kind == 2 and fleets == 2:
            continue
        fleets += kind == 2
        found[space] = Unit(kind, choose.randrange(3), place)
    return dict(sorted(found.items()))


def plain(order: Order) -> tuple[str, ...]:
    """An order as the referee has it."""
    if order.verb in (MOVE, VIA, BOATS):
        return VERBS[order.verb], BOARD.places[order.target]
    if order.verb in (SUPPORT, CONVOY):
        return VERBS[order.verb], BOARD.spaces[order.source], BOARD.spaces[order.target]
    return (VERBS[order.verb],)


def as_referee(units: dict[int, Unit]) -> dict[str, tuple[str, str, str]]:
    """Units as the referee has them."""
    return {BOARD.spaces[s]: (KINDS[u.kind], str(u.power), BOARD.places[u.place]) for s, u in units.items()}


def some_orders(choose: random.Random, sight: Sight) -> dict[int, Order]:
    """Orders that have to do with each other: moves first, then supports and convoys of them, more often than not."""
    orders: dict[int, Order] = {}
    for space in choose.sample(list(sight.units), len(sight.units)):
        listed = sight.listed(space)
        going = {(o.verb == VIA, s, BOARD.space_of[o.target]) for s, o in orders.items() if o.verb in (MOVE, VIA)}
        fitting = [
            o
            for o in listed
            if o.verb in (SUPPORT, CONVOY)
            and ((o.verb == CONVOY, o.source, o.target) in going or (False, o.source, o.target) in going)
        ]
        crowded = [o for o in listed if o.verb == MOVE and BOARD.space_of[o.target] in sight.units]
        pools = [pool for pool in (fitting, fitting, crowded, [o for o in listed if o.verb == VIA], listed) if pool]
        orders[space] = choose.choice(choose.choice(pools))
    return dict(sorted(orders.items()))


def compare(seed: int) -> tuple[int, int]:
    """One random phase; returns how many supports and convoys were in it, 0 and 0 where the referee does not judge."""
    choose = random.Random(seed)
    units = some_units(choose, choose.randint(3, 9))
    sight = Sight(BOARD, units, 0, frozenset())
    theirs = as_referee(units)
    for space in units:
        assert {plain(order) for order in sight.listed(space)} == options_of(theirs, BOARD.spaces[space]), (
            seed,
            theirs,
            BOARD.spaces[space],
        )
    orders = some_orders(choose, sight)
    told = {BOARD.spaces[s]: plain(order) for s, order in orders.items()}
    judged = judge(theirs, told)
    if judged is None:
        return 0, 0
    found = adjudicate(BOARD, units, orders)
    dislodged = {BOARD.spaces[s]: None if by < 0 else BOARD.spaces[by] for s, (_, by) in found.dislodged.items()}
    contested = {name for s, name in enumerate(BOARD.spaces) if found.contested >> s & 1}
    assert (as_referee(found.units), dislodged, contested) == judged, (seed, theirs, told)
    verbs = [order.verb for order in orders.values()]
    return verbs.count(SUPPORT), verbs.count(VIA)


@pytest.mark.parametrize("block", range(4))
def test_engine_and_referee_agree(block: int) -> None:
    """Possible orders of every unit, and the result, of 250 crowded phases a block."""
    counts = [compare(250 * block + seed) for seed in range(250)]
    assert sum(a for a, _ in counts) > 150 and sum(b for _, b in counts) > 20


@pytest.mark.nightly
def test_engine_and_referee_agree_at_length() -> None:
    """20,000 phases."""
    for seed in range(10_000, 30_000):
        compare(seed)
