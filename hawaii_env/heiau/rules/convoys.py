"""Chains of fleets [Convoys]."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from .board import ARMY, FLEET, Board, Unit

__all__ = ["can_be_convoyed", "carried", "carried_spaces", "chain", "chains_with"]


def can_be_convoyed(board: Board, unit: Unit) -> bool:
    """True for an army or bunch in a coastal space [Convoys]; a bunch at sea is not convoyed [R-10]."""
    return unit.kind != FLEET and board.kind[board.space_of[unit.place]] == "coast"


def _beside(board: Board, unit: Unit) -> int:
    """The places next by water to a unit: for an army, to either coast of its space; for a bunch, to its own [R-09]."""
    if unit.kind != ARMY:
        return board.water[unit.place]
    found = 0
    for place in board.standing(board.space_of[unit.place]):
        found |= board.water[place]
    return found


def chain(board: Board, unit: Unit, ends: Iterable[int], fleets: Iterable[int]) -> bool:
    """True when fleets in these places carry the unit to one of the places `ends`, all of one space.

    The first is next by water to the unit, each to the one before, the last to the end; none stands in the destination
    [Convoys].
    """
    goals = 0
    for end in ends:
        goals |= 1 << end
    there = board.spaces_of(goals)
    waiting = [place for place in fleets if not there >> board.space_of[place] & 1]
    near = _beside(board, unit)
    while True:
        joined = [place for place in waiting if near >> place & 1]
        if not joined:
            return False
        for place in joined:
            waiting.remove(place)
            if board.water[place] & goals:
                return True
            near |= board.water[place]


def _afloat(board: Board, unit: Unit, fleets: Iterable[int]) -> int:
    """The places next by water to fleets that a chain from the unit can end with."""
    near, found, waiting = _beside(board, unit), 0, list(fleets)
    while True:
        joined = [place for place in waiting if near >> place & 1]
        if not joined:
            return found
        for place in joined:
            waiting.remove(place)
            near |= board.water[place]
            found |= board.water[place]


def carried(board: Board, unit: Unit, fleets: Iterable[int]) -> tuple[int, ...]:
    """Return the places to which fleets in these places could carry a unit, ascending [Convoys].

    An army goes to a coastal space; a bunch also to a sea that is no ocean [Boats 2], and it names a coast [R-09].
    """
    return _carried(board, unit.kind, unit.place, tuple(sorted(fleets)))


@lru_cache(maxsize=1 << 16)
def _carried(board: Board, kind: int, place: int, fleets: tuple[int, ...]) -> tuple[int, ...]:
    unit = Unit(kind, 0, place)
    if not fleets or not can_be_convoyed(board, unit):
        return ()
    anywhere = _afloat(board, unit, fleets)
    if not anywhere:
        return ()
    here, found = board.space_of[place], list[int]()
    held = {board.space_of[fleet] for fleet in fleets}
    for space, what in enumerate(board.kind):
        if space == here or what == "inland" or board.oceans >> space & 1 or (what == "sea" and kind == ARMY):
            continue
        # No fleet of the chain stands in the destination.
        near = _afloat(board, unit, [f for f in fleets if board.space_of[f] != space]) if space in held else anywhere
        ends = [end for end in board.standing(space) if near >> end & 1]
        found += ends if kind != ARMY else [board.bare[space]] * bool(ends)
    return tuple(found)


def carried_spaces(board: Board, unit: Unit, fleets: Iterable[int]) -> int:
    """Return the same as a mask of spaces."""
    return board.spaces_of(sum(1 << place for place in carried(board, unit, fleets)))


def chains_with(board: Board, unit: Unit, fleets: Mapping[int, int], fleet: int) -> int:
    """Return a mask of the spaces to which some chain that includes one of the fleets carries a unit [Convoys].

    Args:
        fleets: the fleets' places by their spaces.
        fleet: the space of the one.
    """
    if not can_be_convoyed(board, unit):
        return 0
    here, found = board.space_of[unit.place], 0
    allowed = sum(
        1 << s
        for s, kind in enumerate(board.kind)
        if s != here and not board.oceans >> s & 1 and (kind == "coast" or (kind == "sea" and unit.kind != ARMY))
    )

    def walk(last: int, used: frozenset[int]) -> None:
        nonlocal found
        if fleet in used:
            found |= board.spaces_of(board.water[last]) & allowed & ~sum(1 << s for s in used)
        for space, place in fleets.items():
            if space not in used and board.water[last] >> place & 1:
                walk(place, used | {space})

    for space, place in fleets.items():
        if _beside(board, unit) >> place & 1:
            walk(place, frozenset((space,)))
    return found
