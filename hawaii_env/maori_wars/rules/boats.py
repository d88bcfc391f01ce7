"""Gunboats and canoes: voyages with cargo, captures, retreats [6.0]."""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule
from hawaii_env.core.phases import Phase

from .actions import SCUTTLE
from .names import BRITISH, CANOE, CARGO, CARRIED, GUNBOAT, MOVE, MOVED, OPEN, QUEENITE, WARRIOR
from .pieces import (
    PROPER,
    award,
    distance,
    eliminate,
    has,
    is_all_land,
    is_boat,
    is_land_unit,
    is_leader,
    is_open,
    leave_map,
    link,
    mark,
    offer,
    place_piece,
    room,
    unit_action,
    unlink,
    unmark,
    weight_of,
)
from .search import UNLIMITED, search_canoe, search_gunboat

FAR = 1 << 30
MOST_CARGO = 2
"""Land units that a boat carries."""


@rule
def search_boat(rules: Any, state: Any, boat: int, points: int) -> None:
    """[6.0] Find what a boat reaches."""
    if state.kind[boat] == GUNBOAT:
        search_gunboat(rules, state, state.place[boat], points)
    else:
        search_canoe(rules, state, state.place[boat], state.owner[boat], points)


# Voyages


@rule
def cargo_weight(rules: Any, state: Any, boat: int) -> int:
    """[6.0] Return the cargo's weight in `state.count`."""
    total, piece = 0, state.first[state.place[boat]]
    while piece >= 0:
        if has(state, piece, CARGO):
            total += weight_of(rules, state, piece)
        piece = state.next[piece]
    return total


@rule
def can_land(rules: Any, state: Any, boat: int, weight: int, hex_: int) -> bool:
    """[4.0, 6.0] Return True if a boat whose search has been made can end in a hex, with cargo of this weight."""
    if state.cost[hex_] < 0 or hex_ == state.place[boat]:
        return False
    player = state.owner[boat]
    return is_open(state, player, hex_) and room(rules, state, player, hex_, weight % 16, (weight // PROPER) % 16)


@rule
def can_sail(rules: Any, state: Any, boat: int, weight: int) -> bool:
    """[6.0] Return True if a boat whose search has been made can end anywhere, with cargo of this weight."""
    for at in range(state.reached):
        if can_land(rules, state, boat, weight, state.queue[at]):
            return True
    return False


@rule
def may_load(rules: Any, state: Any, boat: int, piece: int) -> bool:
    """[6.0, R-14, R-37] Return True if a piece may be cargo of a boat: not carried yet, with the points, of two land
    units at most; Disrupted boats carry nobody.
    """
    if state.disrupted[boat] == 1 or is_boat(state, piece) or state.owner[piece] != state.owner[boat]:
        return False
    if has(state, piece, CARRIED | CARGO) or state.points[piece] < rules.transport:
        return False
    if is_leader(state, piece):
        return True
    loaded, other = 0, state.first[state.place[boat]]
    while other >= 0:
        if has(state, other, CARGO) and is_land_unit(state, other):
            loaded += 1
        other = state.next[other]
    return loaded < MOST_CARGO


@rule
def sail(rules: Any, state: Any, boat: int, hex_: int) -> None:
    """[6.0] A boat and its cargo land in a hex; the cargo may march once more."""
    piece = state.first[state.place[boat]]
    while piece >= 0:
        following = state.next[piece]
        if has(state, piece, CARGO):
            unmark(state, piece, CARGO)
            mark(state, piece, CARRIED | OPEN)
            state.points[piece] -= rules.transport
            place_piece(rules, state, piece, hex_)
        piece = following
    place_piece(rules, state, boat, hex_)
    mark(state, boat, MOVED)


class Boat(Phase):
    """[6.0] Cargo, or where the boat ends; a canoe without cargo may be destroyed. [R-51]"""

    @staticmethod
    def legal(rules: Any, state: Any) -> int:
        boat, n = state.boat, 0
        weight = cargo_weight(rules, state, boat)
        search_boat(rules, state, boat, state.points[boat])
        piece, empty = state.first[state.place[boat]], True
        while piece >= 0:
            if has(state, piece, CARGO):
                empty = False
            elif may_load(rules, state, boat, piece) and can_sail(
                rules, state, boat, weight + weight_of(rules, state, piece)
            ):
                n = offer(state, n, unit_action(state, piece))
            piece = state.next[piece]
        if empty and state.kind[boat] == CANOE:
            n = offer(state, n, SCUTTLE)
        for hex_ in range(state.hexes):
            if can_land(rules, state, boat, weight, hex_):
                state.legal[n] = rules.do_to + hex_
                n += 1
        return n

    @staticmethod
    def apply(rules: Any, state: Any, action: int) -> None:
        boat = state.boat
        if action != SCUTTLE and action < rules.do_to:
            piece, best = state.first[state.place[boat]], -1
            while piece >= 0:
                more = best < 0 or state.points[piece] > state.points[best]
                if more and unit_action(state, piece) == action and may_load(rules, state, boat, piece):
                    best = piece
                piece = state.next[piece]
            mark(state, best, CARGO)
            return
        if action == SCUTTLE:
            leave_map(rules, state, boat, rules.out)
        else:
            sail(rules, state, boat, action - rules.do_to)
        state.boat, state.phase = -1, MOVE


# Boats that are entered, or left alone


@rule
def retreat_boat(rules: Any, state: Any, boat: int) -> None:
    """[6.0, 9.0, R-30] A boat goes to the nearest hex where it could end a move, a gunboat by distance, a canoe by its
    steps; of several to the lowest. Without one it is removed: a gunboat to the Box, a canoe for good.
    """
    start, best, nearest = state.place[boat], -1, FAR
    if state.kind[boat] == CANOE and is_all_land(rules, start):
        leave_map(rules, state, boat, rules.out)
        return
    search_boat(rules, state, boat, UNLIMITED)
    for hex_ in range(state.hexes):
        if can_land(rules, state, boat, 0, hex_):
            away = distance(rules, start, hex_) if state.kind[boat] == GUNBOAT else state.cost[hex_]
            if away < nearest:
                best, nearest = hex_, away
    if best >= 0:
        place_piece(rules, state, boat, best)
    else:
        leave_map(rules, state, boat, rules.box if state.kind[boat] == GUNBOAT else rules.out)


@rule
def retreat_boats(rules: Any, state: Any, player: int, hex_: int) -> None:
    """[9.0, R-30] All boats of a player leave a hex."""
    piece = state.first[hex_]
    while piece >= 0:
        following = state.next[piece]
        if state.owner[piece] == player and is_boat(state, piece):
            retreat_boat(rules, state, piece)
        piece = following


@rule
def canoes_of(rules: Any, state: Any, player: int) -> int:
    """[6.0, R-09] Count the canoe counters that a player uses."""
    found = 0
    for piece in range(state.pieces):
        if state.kind[piece] == CANOE and state.owner[piece] == player and state.place[piece] != rules.out:
            found += 1
    return found


@rule
def take_canoe(rules: Any, state: Any, canoe: int, captor: int, captures: bool) -> None:
    """[6.0, R-09] An entered canoe is captured if a Queenite or Māori unit enters and its player has a counter; else
    it is removed, for a point if British units destroy a Māori one.
    """
    if captures and canoes_of(rules, state, captor) < rules.counters[CANOE][captor]:
        hex_ = state.place[canoe]
        unlink(rules, state, canoe)
        state.owner[canoe], state.disrupted[canoe], state.did[canoe], state.points[canoe] = captor, 0, MOVED, 0
        link(rules, state, canoe, hex_)
        return
    leave_map(rules, state, canoe, rules.out)
    if captor == BRITISH and not captures:
        award(rules, state, BRITISH, rules.canoe_points)


@rule
def enter_soft(rules: Any, state: Any, player: int, hex_: int, captures: bool) -> None:
    """[3.0, 6.0] A player's units have entered a hex with enemy leaders or boats alone: leaders are eliminated, canoes
    captured or destroyed, gunboats retreat.

    captures: a Queenite or Māori unit is among those that enter.
    """
    piece = state.first[hex_]
    while piece >= 0:
        following = state.next[piece]
        if state.owner[piece] == 1 - player:
            if is_leader(state, piece):
                eliminate(rules, state, piece)
            elif state.kind[piece] == CANOE:
                take_canoe(rules, state, piece, player, captures)
            elif state.kind[piece] == GUNBOAT:
                retreat_boat(rules, state, piece)
        piece = following


@rule
def captures_canoes(state: Any, piece: int) -> bool:
    """[6.0] Return True for a unit that captures canoes rather than destroying them."""
    return state.kind[piece] in (WARRIOR, QUEENITE)
