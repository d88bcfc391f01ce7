"""Crowded movement phases for the adjudicator alone, on any board: the referee's words for them, and the engine's."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from heiau_referee.adjudication import Result
from heiau_referee.board import Board, Unit, Units, space_of
from heiau_referee.orders import Order

from hawaii_env.heiau import adjudicator as engine

from .standard import LAND, WATER, pairs

Orders = dict[str, Order]

KINDS = {"A": engine.ARMY, "B": engine.BUNCH, "F": engine.FLEET}
VERBS = {
    "hold": engine.HOLD,
    "move": engine.MOVE,
    "via": engine.VIA,
    "support": engine.SUPPORT,
    "convoy": engine.CONVOY,
    "boats": engine.BOATS,
    "post": engine.POST,
}


def table(land: Sequence[tuple[str, str]], water: Sequence[tuple[str, str]]) -> str:
    """The standard board in the form of the referee's table."""
    near_land: dict[str, list[str]] = {}
    near_water: dict[str, list[str]] = {}
    for pairs_, near in ((land, near_land), (water, near_water)):
        for one, other in pairs_:
            near.setdefault(one, []).append(other)
            near.setdefault(other, []).append(one)
    rows: list[str] = []
    for space in sorted({*near_land, *map(space_of, near_water)}):
        coasts = [place for place in sorted(near_water) if space_of(place) == space]
        kind = "sea" if space not in near_land else "coast" if coasts else "inland"
        if coasts in ([], [space]):
            told = " ".join(near_water.get(space, ()))
        else:
            told = " ; ".join(f"{place.removeprefix(space)}: {' '.join(near_water[place])}" for place in coasts)
        rows.append(f"{space} | {kind} | | {' '.join(near_land.get(space, ()))} | {told}")
    return "\n".join(rows)


STANDARD = Board(table(pairs(LAND), pairs(WATER)))
"""The standard board of Diplomacy, as the referee has it."""


def near(board: Board, space: str) -> set[str]:
    """The spaces next to one, by land or water."""
    by_water = {space_of(there) for place in board.places.get(space, ()) for there in board.water[place]}
    return board.land[space] | by_water


def crowd(board: Board, rng: random.Random, kinds: str, powers: Sequence[str], fleets: int) -> Units:
    """Units on a stretch of the board, most of it occupied; `kinds`: the letters of the units there are."""
    stretch = [rng.choice(board.spaces)]
    wide = rng.randint(5, 22)
    while len(stretch) < wide:
        stretch.append(rng.choice(sorted(near(board, rng.choice(stretch)) - set(stretch)) or board.spaces))
    some = rng.sample(powers, rng.randint(2, len(powers)))
    units: Units = {}
    for space in dict.fromkeys(stretch):
        afloat = sum(unit.kind == "F" for unit in units.values())
        possible = [kind for kind in kinds if may_stand(board, kind, space) and not (kind == "F" and afloat >= fleets)]
        if possible and rng.random() < 0.8:
            kind = rng.choice(possible)
            units[space] = Unit(kind, rng.choice(some), space if kind == "A" else rng.choice(board.places[space]))
    return units


def may_stand(board: Board, kind: str, space: str) -> bool:
    """A unit of this kind can be in this space."""
    if kind == "A":
        return board.kind[space] in ("coast", "inland")
    return board.kind[space] != "inland" and not (kind == "B" and board.kind[space] == "ocean")


def fits(order: Order, chosen: Orders) -> bool:
    """A support or convoy for an order that was chosen."""
    other = chosen.get(order.source or "")
    if other is None:
        return False
    if order.verb == "convoy":
        return other.verb == "via" and other.space == order.target
    return (other.space if other.moving else None) == order.target


def concert(legal: dict[str, list[Order]], rng: random.Random) -> Orders:
    """Orders that belong together: attacks, mostly on what is occupied, and supports and convoys for them."""
    eager, loyal, afloat = rng.random(), rng.random(), rng.random()
    chosen: Orders = {}
    spaces = list(legal)
    rng.shuffle(spaces)
    for space in spaces:
        moves = [order for order in legal[space] if order.moving]
        wanted = set(legal) | {order.space for order in chosen.values() if order.moving}
        bold = [order for order in moves if order.space in wanted]
        vias = [order for order in moves if order.verb == "via"]
        helping = [order for order in legal[space] if order.source is not None and fits(order, chosen)]
        carriers = {at for at, order in chosen.items() if order.verb == "convoy"}
        rough = [order for order in moves if order.space in carriers]
        carrying = [order for order in helping if order.verb == "convoy"]
        choices = legal[space]
        likely = (moves, eager), (bold, eager), (vias, afloat), (rough, afloat), (helping, loyal), (carrying, afloat)
        for better, chance in likely:
            if better and rng.random() < chance:
                choices = better
        chosen[space] = rng.choice(choices)
    return chosen


def to_engine(board: engine.Board, units: Units, orders: Orders, powers: Sequence[str]) -> tuple[Any, Any]:
    """Units and orders in the engine's words."""
    at, place = board.index, board.place_index
    told: dict[int, engine.Order] = {}
    for space, order in orders.items():
        source = -1 if order.source is None else at[order.source]
        if order.target is None:
            target = source  # a support to stay names its unit's space; -1 where nothing is named
        else:
            target = at[order.target] if order.verb in ("support", "convoy") else place[order.target]
        told[at[space]] = engine.Order(VERBS[order.verb], source, target)
    stood = {
        at[space]: engine.Unit(KINDS[unit.kind], powers.index(unit.power), place[unit.place])
        for space, unit in units.items()
    }
    return dict(sorted(stood.items())), told


def from_engine(board: engine.Board, found: engine.Resolution, powers: Sequence[str]) -> dict[str, Any]:
    """A result of the engine in the referee's words."""
    letters = {kind: letter for letter, kind in KINDS.items()}

    def unit(one: engine.Unit) -> str:
        return f"{powers[one.power]} {letters[one.kind]} {board.places[one.place]}"

    return {
        "units": {board.spaces[space]: unit(one) for space, one in found.units.items()},
        "dislodged": {
            board.spaces[space]: (unit(one), None if source < 0 else board.spaces[source])
            for space, (one, source) in found.dislodged.items()
        },
        "contested": {space for index, space in enumerate(board.spaces) if found.contested >> index & 1},
        "success": {board.spaces[space]: bool(success) for space, success in found.success.items()},
        "burned": {board.spaces[space] for space in found.burned},
        "posts": {board.spaces[space] for space in found.posts},
    }


def from_referee(found: Result) -> dict[str, Any]:
    """A result of the referee in the same words."""
    return {
        "units": {space: f"{unit.power} {unit.text()}" for space, unit in found.units.items()},
        "dislodged": {
            space: (f"{unit.power} {unit.text()}", source) for space, (unit, source) in found.dislodged.items()
        },
        "contested": found.contested,
        "success": found.success,
        "burned": found.burned,
        "posts": found.posts,
    }
