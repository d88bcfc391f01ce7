"""Marches of pieces and stacks [6.0]. Boats stand in `boats`, the sap and the shipment in `preparation`."""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule
from hawaii_env.core.phases import Phase

from .actions import DONE, STACK
from .boats import can_sail, captures_canoes, enter_soft, search_boat
from .names import (
    BOAT,
    CANOE,
    CARRIED,
    LEADER,
    MOVE,
    MOVE_TO,
    MOVE_UNIT,
    MOVED,
    OPEN,
    PARTICIPANT,
    QUEENITE,
    WARRIOR,
)
from .pieces import (
    fits,
    has,
    has_unit,
    is_boat,
    is_held,
    is_leader,
    is_neutral,
    is_open,
    is_soft,
    link,
    mark,
    may_stand,
    offer,
    place_piece,
    room,
    unit_action,
    unlink,
    unmark,
    weight_of,
)
from .search import enter_cost, search_march
from .stages import finish_stage

# Marches


@rule
def may_march(state: Any, piece: int) -> bool:
    """[6.0, R-14] Return True for a land piece that has points, and has not marched yet or may once more."""
    if is_boat(state, piece) or state.points[piece] == 0:
        return False
    return not has(state, piece, MOVED) or has(state, piece, OPEN)


@rule
def can_enter_soft(state: Any, piece: int, hex_: int) -> bool:
    """[6.0] Return True if a piece may end in a soft hex: units may, leaders where the enemy has leaders only."""
    player = state.owner[piece]
    if not is_soft(state, player, hex_) or is_neutral(state, hex_):
        return False
    return not is_leader(state, piece) or not has_unit(state, 1 - player, hex_)


@rule
def can_end(rules: Any, state: Any, piece: int, hex_: int, carries: bool) -> bool:
    """[4.0, 6.0] Return True if a march whose search has been made may end in a hex; with a canoe in an open one."""
    if state.cost[hex_] <= 0:
        return False
    if may_stand(rules, state, piece, hex_):
        return True
    return not carries and can_enter_soft(state, piece, hex_) and fits(rules, state, piece, hex_)


@rule
def can_march(rules: Any, state: Any, piece: int, points: int, carries: bool) -> bool:
    """[6.0] Return True if a piece can end anywhere with so many points. It looks at the hexes next to it first, and
    searches only if it can but pass through some of them.
    """
    player, start, passes = state.owner[piece], state.place[piece], False
    for side in range(6):
        near = rules.land[start][side]
        if near < 0 or enter_cost(rules, state.kind[piece], near) > points or is_held(state, player, near):
            continue
        if may_stand(rules, state, piece, near):
            return True
        if is_soft(state, player, near):
            if not carries and can_enter_soft(state, piece, near) and fits(rules, state, piece, near):
                return True
        else:
            passes = True
    if not passes:
        return False
    search_march(rules, state, piece, points)
    for at in range(state.reached):
        if can_end(rules, state, piece, state.queue[at], carries):
            return True
    return False


@rule
def canoe_for(state: Any, piece: int) -> int:
    """[6.0] Return the canoe that a fresh unit may carry: the first in its hex that has not moved; -1 for none."""
    kind = state.kind[piece]
    if kind not in (WARRIOR, QUEENITE) or has(state, piece, MOVED | CARRIED):
        return -1
    canoe = state.first[state.place[piece]]
    while canoe >= 0:
        if state.kind[canoe] == CANOE and state.owner[canoe] == state.owner[piece] and not has(state, canoe, MOVED):
            return canoe
        canoe = state.next[canoe]
    return -1


@rule
def can_carry(rules: Any, state: Any, piece: int) -> bool:
    """[6.0] Return True if a unit can carry a canoe anywhere."""
    return canoe_for(state, piece) >= 0 and can_march(rules, state, piece, state.points[piece] - rules.carry, True)


@rule
def carry_action(rules: Any, state: Any, piece: int) -> int:
    """Return the action `carry` that names a unit."""
    return rules.do_carry + (2 if state.kind[piece] == WARRIOR else 0) + state.disrupted[piece]


@rule
def can_move_boat(rules: Any, state: Any, boat: int) -> bool:
    """[6.0, R-51] Return True for a boat that has not moved and can: a canoe can always be destroyed."""
    if has(state, boat, MOVED):
        return False
    if state.kind[boat] == CANOE:
        return True
    search_boat(rules, state, boat, state.points[boat])
    return can_sail(rules, state, boat, 0)


@rule
def can_move(rules: Any, state: Any, piece: int) -> bool:
    """[6.0] Return True if a piece can march or sail."""
    if is_boat(state, piece):
        return can_move_boat(rules, state, piece)
    return may_march(state, piece) and can_march(rules, state, piece, state.points[piece], False)


@rule
def march(rules: Any, state: Any, piece: int, hex_: int, cost: int) -> None:
    """[6.0, 3.0] A piece ends in a hex. A unit that has entered a soft one may march once more."""
    entered = is_soft(state, state.owner[piece], hex_) and not is_leader(state, piece)
    place_piece(rules, state, piece, hex_)
    if entered:
        enter_soft(rules, state, state.owner[piece], hex_, captures_canoes(state, piece))
    state.points[piece] -= cost
    unmark(state, piece, OPEN)
    mark(state, piece, MOVED | OPEN if entered else MOVED)


# Stacks


@rule
def marches_along(state: Any, piece: int) -> bool:
    """[6.0] Return True for a piece of the mover that a stack's march takes along."""
    return state.owner[piece] == state.half and may_march(state, piece)


@rule
def is_alike(state: Any, piece: int) -> bool:
    """Return True if the piece before this one in the chain of its hex marches as far."""
    other = state.first[state.place[piece]]
    while other != piece:
        same = state.kind[other] == state.kind[piece] and state.points[other] == state.points[piece]
        if same and marches_along(state, other):
            return True
        other = state.next[other]
    return False


@rule
def tally_stack(rules: Any, state: Any, hex_: int) -> int:
    """[6.0] Count for each hex the searches that reach it, of pieces of a stack that march differently; return how many
    there are, or 0 if no stack can march.
    """
    size, searches, weight, piece = 0, 0, 0, state.first[hex_]
    while piece >= 0:
        if marches_along(state, piece):
            size += 1
            weight += weight_of(rules, state, piece)
        piece = state.next[piece]
    if size < 2:
        return 0
    for other in range(state.hexes):
        state.tally[other] = 0
    piece = state.first[hex_]
    while piece >= 0:
        if marches_along(state, piece) and not is_alike(state, piece):
            searches += 1
            search_march(rules, state, piece, state.points[piece])
            for at in range(1, state.reached):
                state.tally[state.queue[at]] += 1
        piece = state.next[piece]
    for other in range(state.hexes):
        if state.tally[other] == searches:
            fits_all = room(rules, state, state.half, other, weight % 16, (weight // 16) % 16)
            if other == hex_ or not fits_all or not is_open(state, state.half, other):
                state.tally[other] = 0
    return searches


@rule
def can_march_together(rules: Any, state: Any, hex_: int) -> bool:
    """[6.0] Return True if a stack can march."""
    searches = tally_stack(rules, state, hex_)
    if searches > 0:
        for other in range(state.hexes):
            if state.tally[other] == searches:
                return True
    return False


@rule
def march_together(rules: Any, state: Any, start: int, hex_: int) -> None:
    """[6.0] All pieces of a stack that may march end in one hex, each for the points that it costs."""
    piece = state.first[start]
    while piece >= 0:
        if marches_along(state, piece):
            mark(state, piece, PARTICIPANT)
        piece = state.next[piece]
    piece = state.first[start]
    while piece >= 0:
        if has(state, piece, PARTICIPANT):
            unmark(state, piece, PARTICIPANT)
            search_march(rules, state, piece, state.points[piece])
            march(rules, state, piece, hex_, state.cost[hex_])
            piece = state.first[start]
        else:
            piece = state.next[piece]


# Decisions


@rule
def begin_movement(rules: Any, state: Any) -> None:
    """[6.0] All pieces of the mover on the map have their full allowance."""
    for piece in range(state.pieces):
        if state.owner[piece] == state.half and state.place[piece] < rules.hexes:
            state.points[piece] = rules.move[min(state.kind[piece], LEADER)]


@rule
def is_better(state: Any, piece: int, best: int) -> bool:
    """[6.0] Return True if of two pieces alike this one is meant: more points, then not carried yet."""
    if best < 0 or state.points[piece] > state.points[best]:
        return True
    return state.points[piece] == state.points[best] and has(state, best, CARRIED) and not has(state, piece, CARRIED)


class Move(Phase):
    """[6.0] The hex of a piece that moves; `done` ends the stage."""

    @staticmethod
    def legal(rules: Any, state: Any) -> int:
        state.legal[0] = DONE
        n = 1
        for hex_ in range(state.hexes):
            if state.count[state.half][hex_] > 0:
                piece = state.first[hex_]
                while piece >= 0:
                    if state.owner[piece] == state.half and can_move(rules, state, piece):
                        state.legal[n] = rules.do_from + hex_
                        n += 1
                        break
                    piece = state.next[piece]
        return n

    @staticmethod
    def apply(rules: Any, state: Any, action: int) -> None:
        if action == DONE:
            finish_stage(rules, state)
        else:
            state.hex, state.phase = action - rules.do_from, MOVE_UNIT


class MoveUnit(Phase):
    """[6.0] The piece that moves, or a unit that carries a canoe, or the whole stack."""

    @staticmethod
    def legal(rules: Any, state: Any) -> int:
        n, piece = 0, state.first[state.hex]
        while piece >= 0:
            if state.owner[piece] == state.half:
                if can_move(rules, state, piece):
                    n = offer(state, n, unit_action(state, piece))
                if can_carry(rules, state, piece):
                    n = offer(state, n, carry_action(rules, state, piece))
            piece = state.next[piece]
        if can_march_together(rules, state, state.hex):
            n = offer(state, n, STACK)
        return n

    @staticmethod
    def apply(rules: Any, state: Any, action: int) -> None:
        state.piece = state.canoe = -1
        state.phase = MOVE_TO
        if action == STACK:
            return
        carries, best, piece = action >= rules.do_carry, -1, state.first[state.hex]
        while piece >= 0:
            if state.owner[piece] == state.half and is_better(state, piece, best):
                if carries:
                    meant = canoe_for(state, piece) >= 0 and carry_action(rules, state, piece) == action
                else:
                    can = not has(state, piece, MOVED) if is_boat(state, piece) else may_march(state, piece)
                    meant = can and unit_action(state, piece) == action
                if meant:
                    best = piece
            piece = state.next[piece]
        if is_boat(state, best):
            state.boat, state.phase = best, BOAT
            return
        state.piece = best
        if carries:
            state.canoe = canoe_for(state, best)


class MoveTo(Phase):
    """[6.0] The hex where the march ends."""

    @staticmethod
    def legal(rules: Any, state: Any) -> int:
        n, searches, piece, carries = 0, 0, state.piece, state.canoe >= 0
        if piece < 0:
            searches = tally_stack(rules, state, state.hex)
        else:
            search_march(rules, state, piece, state.points[piece] - (rules.carry if carries else 0))
        for hex_ in range(state.hexes):
            ends = state.tally[hex_] == searches if piece < 0 else can_end(rules, state, piece, hex_, carries)
            if ends:
                state.legal[n] = rules.do_to + hex_
                n += 1
        return n

    @staticmethod
    def apply(rules: Any, state: Any, action: int) -> None:
        hex_, piece, canoe = action - rules.do_to, state.piece, state.canoe
        if piece < 0:
            march_together(rules, state, state.hex, hex_)
        elif canoe < 0:
            search_march(rules, state, piece, state.points[piece])
            march(rules, state, piece, hex_, state.cost[hex_])
        else:
            search_march(rules, state, piece, state.points[piece] - rules.carry)
            unlink(rules, state, canoe)
            link(rules, state, canoe, hex_)
            mark(state, canoe, MOVED)
            march(rules, state, piece, hex_, state.cost[hex_] + rules.carry)
        state.hex = state.piece = state.canoe = -1
        state.phase = MOVE
