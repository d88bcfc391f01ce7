"""The adjudicator against two other people's, `pydip` and `diplomacy`, on the standard board.

Each difference is explained: the referee's equations with what is peculiar to the library (`peers.py`) give the
library's result to the last unit. Both are for these tests only, and are not in the test extra: `pip install pydip
diplomacy`.
"""

from __future__ import annotations

import contextlib
import random
from collections import Counter
from collections.abc import Iterator

import pytest
from heiau_referee.board import Units

from hawaii_env.heiau import adjudicator as engine

from . import boards, peers
from .boards import Orders
from .standard import STANDARD

pytestmark = pytest.mark.nightly


def phases(seeds: range, times: int) -> Iterator[tuple[Units, Orders]]:
    """Crowded positions of armies and fleets, each with several sets of orders."""
    for seed in seeds:
        rng = random.Random(seed)
        units = boards.crowd(boards.STANDARD, rng, "AF", list(peers.POWERS), 5)
        legal = {space: peers.sea_orders(boards.STANDARD, units, unit) for space, unit in units.items()}
        for _ in range(times):
            yield units, boards.concert(legal, rng)


def by_engine(units: Units, orders: Orders) -> peers.Found:
    """What the engine makes of it."""
    powers = list(peers.POWERS)
    found = engine.adjudicate(STANDARD, *boards.to_engine(STANDARD, units, orders, powers))
    told = boards.from_engine(STANDARD, found, powers)
    return frozenset(told["units"].values()), frozenset(unit for unit, _ in told["dislodged"].values())


@pytest.mark.parametrize("part", range(10))
def test_against_pydip(part: int) -> None:
    """Coasts are other places than their land to it, and convoyed attacks do not dislodge who supports."""
    pytest.importorskip("pydip")
    seen = Counter[str]()
    for units, orders in phases(range(part * 100, part * 100 + 100), 8):
        ours, theirs = by_engine(units, orders), peers.by_pydip(units, orders)
        assert theirs == peers.by_referee(units, orders, peers.PydipEquations), peers.text(units, orders)
        seen["same" if ours == theirs else "explained"] += 1
    assert seen["same"] > 20 * seen["explained"] > 0


@pytest.mark.parametrize("part", range(10))
def test_against_diplomacy(part: int) -> None:
    """It reckons supports by the attacked unit's power, and an own fleet implies a convoy; see `peers.py`."""
    pytest.importorskip("diplomacy")
    seen = Counter[str]()
    for units, orders in phases(range(part * 100, part * 100 + 100), 8):
        theirs = None
        # It takes no convoy by a fleet that the shortest chains can do without.
        with contextlib.suppress(peers.ConvoyRefused):
            theirs = peers.by_diplomacy(units, orders)
        if theirs is None:
            seen["refused"] += 1
            continue
        meant = peers.diplomacy_orders(units, orders)
        assert theirs == peers.by_referee(units, meant, peers.DiplomacyEquations), peers.text(units, orders)
        seen["same" if by_engine(units, orders) == theirs else "explained"] += 1
    assert seen["same"] > 2 * seen["explained"] > 0 and seen["refused"] < 200
