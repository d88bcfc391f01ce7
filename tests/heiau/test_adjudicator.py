"""The adjudicator alone: arrays of phases, and what it refuses."""

from __future__ import annotations

import random

import numpy as np
import pytest
from numpy.typing import NDArray
from refusals import refuses

from hawaii_env.errors import StateError
from hawaii_env.heiau.adjudicator import (
    ARMY,
    BOARD,
    BUNCH,
    FLEET,
    HOLD,
    MOVE,
    ROW,
    SUPPORT,
    VIA,
    Order,
    PossibleOrders,
    Unit,
    adjudicate,
    adjudicate_many,
    bits,
)
from hawaii_env.heiau.texts import parse_order

from .standard import STANDARD

AT = BOARD.place_index


def random_phases(count: int, seed: int = 1) -> list[tuple[dict[int, Unit], dict[int, Order]]]:
    """Crowded positions with an order for most units."""
    choose, found = random.Random(seed), list[tuple[dict[int, Unit], dict[int, Order]]]()
    for _ in range(count):
        units: dict[int, Unit] = {}
        for place in choose.sample(range(len(BOARD.places)), choose.randrange(1, 24)):
            kinds = [kind for kind in (ARMY, BUNCH, FLEET) if BOARD.can_stand(kind, place)]
            if kinds:
                units[BOARD.space_of[place]] = Unit(choose.choice(kinds), choose.randrange(3), place)
        sight = PossibleOrders(BOARD, units, ~BOARD.heiaus, frozenset((0, 1, 2)))
        orders = {s: choose.choice(sight.listed(s)[choose.randrange(2) :] or [Order(HOLD)]) for s in units}
        found.append((units, {space: order for space, order in orders.items() if choose.random() < 0.9}))
    return found


def rows_of(phases: list[tuple[dict[int, Unit], dict[int, Order]]]) -> NDArray[np.int64]:
    rows = np.full((len(phases), max(len(units) for units, _ in phases) + 1, len(ROW)), -1, np.int64)
    for k, (units, orders) in enumerate(phases):
        for u, (space, unit) in enumerate(units.items()):
            rows[k, u] = (*unit, *orders.get(space, Order(HOLD)))
    return rows


def test_many_phases_end_as_each_does() -> None:
    """[Background] In whatever order the units are listed, and whatever came before."""
    phases = random_phases(20)
    found = adjudicate_many(BOARD, rows_of(phases))
    for k, (units, orders) in enumerate(phases):
        one = adjudicate(BOARD, units, orders)
        contested = 0
        for u, (space, unit) in enumerate(units.items()):
            assert found.success[k, u] == one.success[space] and found.burned[k, u] == (space in one.burned)
            now = Unit(int(found.kind[k, u]), unit.power, int(found.place[k, u]))
            if found.dislodged[k, u]:
                assert one.dislodged[space] == (now, found.attacked_from[k, u])
            else:
                assert one.units[BOARD.space_of[now.place]] == now
            if found.contested[k, u]:
                contested |= 1 << BOARD.space_of[orders[space].target]
        assert contested == one.contested and len(one.units) + len(one.dislodged) == len(units)
        assert not any(space in one.units for space in bits(contested))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([(BUNCH, 0, AT["hilo"], HOLD, -1, -1), (ARMY, 1, AT["hilo"], HOLD, -1, -1)], "hilo: a second unit"),
        ([(FLEET, 0, AT["makanalua/n"], HOLD, -1, -1), (ARMY, 1, AT["makanalua"], HOLD, -1, -1)], "a second unit"),
        ([(ARMY, 0, 99, HOLD, -1, -1)], "place 99: the board has places 0 to"),
        ([(3, 0, AT["hilo"], HOLD, -1, -1)], "kind 3 of power 0 is not a unit"),
        ([(ARMY, -1, AT["hilo"], HOLD, -1, -1)], "kind 0 of power -1 is not a unit"),
        ([(ARMY, 0, AT["hilo"], MOVE, -1, -1)], "verb 1 with source -1 and target -1 is not an order"),
        ([(ARMY, 0, AT["hilo"], VIA, -1, 47)], "verb 2 with source -1 and target 47"),
        ([(ARMY, 0, AT["hilo"], SUPPORT, -1, 3)], "verb 3 with source -1 and target 3"),
        ([(ARMY, 0, AT["hilo"], 7, -1, -1)], "verb 7"),
    ],
)
def test_malformed_rows_are_rejected(rows: list[tuple[int, ...]], message: str) -> None:
    """[Map, R-07] The message names the phase, the unit and what is wrong; later phases are as they always were."""
    given = np.full((2, 2, len(ROW)), -1, np.int64)
    given[1, : len(rows)] = rows
    with pytest.raises(StateError, match=message) as caught:
        adjudicate_many(BOARD, given)
    assert str(caught.value).startswith("phase 1, unit ")
    assert adjudicate_many(BOARD, given[:1]).success.tolist() == [[0, 0]]
    given[0, 0] = (ARMY, 0, AT["puna"], MOVE, -1, AT["hilo"])
    assert adjudicate_many(BOARD, given[:1]).success.tolist() == [[1, 0]]


@pytest.mark.parametrize("phases", [[[0] * 6], np.zeros((1, 1, 5), np.int64), np.zeros((1, 1, 6), np.int32)])
def test_arrays_of_another_kind_are_rejected(phases: object) -> None:
    refuses(
        StateError,
        (r"int64\[K, U, 6\]", lambda: adjudicate_many(BOARD, phases)),  # pyright: ignore[reportArgumentType]
    )


def test_a_unit_stands_in_its_space() -> None:
    """[Map] The space that a unit is filed under is that of its place."""
    refuses(
        StateError,
        (
            "hilo: its unit stands in puna",
            lambda: adjudicate(BOARD, {BOARD.index["hilo"]: Unit(ARMY, 0, AT["puna"])}, {}),
        ),
    )


@pytest.mark.parametrize(
    ("unit", "order", "message"),
    [
        ("B kahului", "B kahului - hilo", "B kahului - hilo: it does not go there by itself"),
        ("B kahului", "B kahului - lanai via", "no chain of fleets"),
        ("B kahului", "B kahului S A hana - waipio", "there is no other unit in hana"),
        ("F kahului", "F kahului C A hana - lanai", "there is no other unit in hana"),
        ("B kahului", "B kahului S B kahului", "there is no other unit in kahului"),
        ("B kahului", "B kahului = B", "only an army in a coastal space"),
        ("A kahului", "A kahului = C", "only a fleet on a coast"),
        ("A kaiwi", "A kaiwi H", "A kaiwi cannot be there"),
        ("B npo", "B npo H", "B npo cannot be there"),
        ("A hana", "A kahului H", "kahului: an order, and no unit"),
    ],
)
def test_impossible_orders_and_units_are_rejected(unit: str, order: str, message: str) -> None:
    """[R-07] With the reason; unchecked, as `adjudicate_many`, on request."""
    stands = parse_order(BOARD, f"{unit} H", 0)[0]
    told, given, _ = parse_order(BOARD, order, 0)
    both = {BOARD.space_of[stands.place]: stands}, {BOARD.space_of[told.place]: given}
    refuses(StateError, (message, lambda: adjudicate(BOARD, *both)))
    adjudicate(BOARD, *both, check=False)


def test_texts_are_read_as_of_their_own_board_and_power() -> None:
    """[Abbr] What is kept of a text is neither the power's nor another board's."""
    for power in (0, 3, 0):
        assert parse_order(STANDARD, "A par - bur", power)[0].power == power
    refuses(StateError, ("there is no 'par'", lambda: parse_order(BOARD, "A par - bur", 0)))
