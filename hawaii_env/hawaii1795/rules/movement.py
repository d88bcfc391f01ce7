"""Movement [10.0]: marches on two-space islands, fleet moves."""

from __future__ import annotations

from typing import Any

from hawaii_env.codec import action1, action2, index1, indices2, is_from
from hawaii_env.core.jit import rule

from .actions import (
    DONE,
    EMBARK,
    EMBARK_MARCHED,
    FLEET_,
    KIND_OF_CANOE,
    KIND_OF_MULTIPLE,
    KIND_OF_UNIT,
    MARCH,
    MARCH_CARRIED,
    MULTIPLE_OF_KIND,
    N_CANOES,
    PICKUP_,
    PLAIN_CANOE,
    ROUTE_FROM,
    SAIL_,
    SPACE_OF_ROUTE,
    UNIT_OF_KIND,
    add_legal,
)
from .cards import open_window, playable
from .names import (
    ABOARD,
    CARGO,
    MOVE,
    N_PIECES,
    N_SPACES,
    ORIGIN_NONE,
    PICKUP,
    SAIL,
    SEA,
    SEA_PHASE,
    WINDOW_MOVEMENT,
    WITHDRAWALS,
)
from .pieces import defender, join, kauai_is_neutral_at, move_piece, pieces_in, units_in


@rule
def start_movement(rules: Any, state: Any) -> None:
    """[10.0, 8.1] Give the card's fleet moves; open the window of an event held for the start of movement."""
    state.fleet_moves = rules.fleets[state.card]
    state.decider = state.half
    state.phase = MOVE
    if playable(rules, state, state.half, WINDOW_MOVEMENT):
        open_window(state, state.half, WINDOW_MOVEMENT, MOVE)


@rule
def march_spaces(rules: Any, state: Any) -> int:
    """[10.2, R-28] Return mask of the spaces where a march may begin: on a two-space island, without enemies."""
    spaces = 0
    for space in range(N_SPACES):
        if rules.sibling[space] >= 0 and pieces_in(state, defender(state), space) == 0:
            spaces |= 1 << space
    return spaces


@rule
def may_march(rules: Any, state: Any, piece: int, spaces: int) -> bool:
    """[10.2, R-11, R-14] Return True for a unit in one of the `march_spaces`, once a turn."""
    return (
        state.owner[piece] == state.half
        and not rules.canoe[piece]
        and not state.marched[piece]
        and (spaces >> state.place[piece]) & 1 == 1
    )


@rule
def may_embark(rules: Any, state: Any, piece: int, space: int) -> bool:
    """[10.3, R-14] Return True for a unit that stands in the pick-up space and was not carried this turn."""
    return (
        state.place[piece] == space
        and state.owner[piece] == state.half
        and not rules.canoe[piece]
        and not state.carried[piece]
    )


@rule
def may_board(rules: Any, state: Any, piece: int) -> bool:
    """[10.3, R-12] Return True for a unit of the pick-up space that the canoe being loaded has room for."""
    if not may_embark(rules, state, piece, state.pickup):
        return False
    if rules.leader[piece]:
        return state.aboard_leaders < rules.leaders_a_canoe
    return state.aboard_units < rules.units_a_canoe


@rule
def may_pick_up_in(rules: Any, state: Any, space: int) -> bool:
    """[10.3] Return True if no enemy piece is there, and a unit to embark."""
    if pieces_in(state, defender(state), space) > 0 or units_in(state, state.half, space) == 0:
        return False
    for piece in range(N_PIECES):
        if may_embark(rules, state, piece, space):
            return True
    return False


@rule
def may_sail_empty_to(state: Any, space: int) -> bool:
    """[R-13] Return True for a space without enemies, canoes alone included, that is not neutral Kaua'i."""
    return pieces_in(state, defender(state), space) == 0 and not kauai_is_neutral_at(state, space)


@rule
def empty_voyage_from(state: Any, space: int) -> bool:
    """Return True if an empty canoe has a space to sail to from here."""
    for other in range(N_SPACES):
        if other != space and may_sail_empty_to(state, other):
            return True
    return False


@rule
def may_begin_empty(state: Any, space: int) -> bool:
    """[10.3, R-13] Return True if a canoe may take its own space as its pick-up, embark nothing, and sail somewhere."""
    return pieces_in(state, defender(state), space) == 0 and empty_voyage_from(state, space)


@rule
def may_fleet_move(rules: Any, state: Any, piece: int) -> bool:
    """[10.3, R-14, R-23] Return True for a canoe that has not moved and does not lie among enemy units."""
    space = state.place[piece]
    return (
        rules.canoe[piece]
        and state.owner[piece] == state.half
        and space < N_SPACES
        and not state.carried[piece]
        and units_in(state, defender(state), space) == 0
    )


@rule
def any_pick_up(rules: Any, state: Any) -> bool:
    """Return True if some space has units to embark."""
    for space in range(N_SPACES):
        if may_pick_up_in(rules, state, space):
            return True
    return False


@rule
def least_carried(rules: Any, state: Any, kind: int, space: int, spaces: int) -> int:
    """Return 0 if a unit of a kind that may march from a space was not carried this turn, 1 if all were, 2 if none may
    march.
    """
    lowest = 2
    for i in range(rules.count[kind]):
        piece = rules.first[kind] + i
        if state.place[piece] == space and may_march(rules, state, piece, spaces) and state.carried[piece] < lowest:
            lowest = state.carried[piece]
    return lowest


@rule
def least_marched(rules: Any, state: Any, kind: int) -> int:
    """Return 0 if a unit of a kind that may board has not marched this turn, 1 if all have, 2 if none may board."""
    lowest = 2
    for i in range(rules.count[kind]):
        piece = rules.first[kind] + i
        if may_board(rules, state, piece) and state.marched[piece] < lowest:
            lowest = state.marched[piece]
    return lowest


@rule
def movement_actions(rules: Any, state: Any) -> None:
    """[10.0] List marches, fleets and done, in any order."""
    add_legal(state, DONE)
    spaces = march_spaces(rules, state)
    for piece in range(N_PIECES):
        space = state.place[piece]
        if may_march(rules, state, piece, spaces):
            kind = rules.kind[piece]
            multiple = MULTIPLE_OF_KIND[kind]
            if multiple >= 0 and state.carried[piece] and least_carried(rules, state, kind, space, spaces) == 0:
                add_legal(state, action2(MARCH_CARRIED, multiple, ROUTE_FROM[space]))
            else:
                add_legal(state, action2(MARCH, UNIT_OF_KIND[kind], ROUTE_FROM[space]))
    if state.fleet_moves > 0:
        fleet_actions(rules, state)


@rule
def fleet_actions(rules: Any, state: Any) -> None:
    """[10.3, R-32] List the canoes whose fleet move can be completed."""
    loads = any_pick_up(rules, state)
    for name in range(N_CANOES):
        kind = KIND_OF_CANOE[name]
        for i in range(rules.count[kind]):
            piece = rules.first[kind] + i
            if may_fleet_move(rules, state, piece):
                space = state.place[piece]
                if loads or may_begin_empty(state, space):
                    shown = PLAIN_CANOE if unmoved_kinds(rules, state, space) == 1 else name
                    add_legal(state, action2(FLEET_, shown, space))


@rule
def unmoved_kinds(rules: Any, state: Any, space: int) -> int:
    """Count the kinds of canoe in a space that may still move."""
    n = 0
    for name in range(N_CANOES):
        kind = KIND_OF_CANOE[name]
        for i in range(rules.count[kind]):
            piece = rules.first[kind] + i
            if state.place[piece] == space and may_fleet_move(rules, state, piece):
                n += 1
                break
    return n


@rule
def do_movement(rules: Any, state: Any, action: int) -> None:
    """[10.0] March, begin a fleet move, or end movement."""
    if action == DONE:
        movement_done(state)
    elif is_from(FLEET_, action):
        name, space = indices2(FLEET_, action)
        begin_fleet(rules, state, name, space)
    elif is_from(MARCH_CARRIED, action):
        multiple, route = indices2(MARCH_CARRIED, action)
        march(rules, state, KIND_OF_MULTIPLE[multiple], SPACE_OF_ROUTE[route], True)
    else:
        unit, route = indices2(MARCH, action)
        march(rules, state, KIND_OF_UNIT[state.half][unit], SPACE_OF_ROUTE[route], False)


@rule
def march(rules: Any, state: Any, kind: int, space: int, was_carried: bool) -> None:
    """[10.2] Move a unit to the island's other space; into enemy units it is an overland attack."""
    spaces = march_spaces(rules, state)
    carried = 1 if was_carried else least_carried(rules, state, kind, space, spaces)
    for i in range(rules.count[kind]):
        piece = rules.first[kind] + i
        if state.place[piece] == space and state.carried[piece] == carried and may_march(rules, state, piece, spaces):
            to = rules.sibling[space]
            state.marched[piece] = 1
            if units_in(state, defender(state), to) > 0:
                state.arrived_from[piece] = 1 + space
            move_piece(rules, state, piece, to)
            break
    state.phase = WITHDRAWALS
    state.next_phase = MOVE


@rule
def begin_fleet(rules: Any, state: Any, name: int, space: int) -> None:
    """[10.3] Choose a canoe; it counts as a fleet move."""
    only = unmoved_kinds(rules, state, space) == 1
    for piece in range(N_PIECES):
        if rules.canoe[piece] and state.place[piece] == space and may_fleet_move(rules, state, piece):
            if only or rules.kind[piece] == KIND_OF_CANOE[name]:
                state.fleet = piece
                break
    state.fleet_moves -= 1
    state.phase = PICKUP


@rule
def pickup_actions(rules: Any, state: Any) -> None:
    """[10.3] List the canoe's own space, and those with something to embark; never one with enemies."""
    own = state.place[state.fleet]
    for space in range(N_SPACES):
        if may_pick_up_in(rules, state, space) or (space == own and may_begin_empty(state, own)):
            add_legal(state, action1(PICKUP_, space))


@rule
def do_pickup(rules: Any, state: Any, action: int) -> None:
    """[10.3] Take the canoe to the pick-up space."""
    state.pickup = index1(PICKUP_, action)
    state.aboard_units = 0
    state.aboard_leaders = 0
    move_piece(rules, state, state.fleet, ABOARD)
    state.phase = CARGO


@rule
def cargo_actions(rules: Any, state: Any) -> None:
    """[10.3, R-12] List up to two units and two leaders that may embark; an empty canoe needs somewhere to go."""
    if state.aboard_units + state.aboard_leaders > 0 or empty_voyage_from(state, state.pickup):
        add_legal(state, DONE)
    for piece in range(N_PIECES):
        if may_board(rules, state, piece):
            kind = rules.kind[piece]
            multiple = MULTIPLE_OF_KIND[kind]
            if multiple >= 0 and state.marched[piece] and least_marched(rules, state, kind) == 0:
                add_legal(state, action1(EMBARK_MARCHED, multiple))
            else:
                add_legal(state, action1(EMBARK, UNIT_OF_KIND[kind]))


@rule
def do_cargo(rules: Any, state: Any, action: int) -> None:
    """[10.3] Embark a unit, or complete the cargo."""
    if action == DONE:
        state.phase = SAIL
        return
    if is_from(EMBARK_MARCHED, action):
        kind = KIND_OF_MULTIPLE[index1(EMBARK_MARCHED, action)]
        marched = 1
    else:
        kind = KIND_OF_UNIT[state.half][index1(EMBARK, action)]
        marched = least_marched(rules, state, kind)
    for i in range(rules.count[kind]):
        piece = rules.first[kind] + i
        if may_board(rules, state, piece) and state.marched[piece] == marched:
            move_piece(rules, state, piece, ABOARD)
            if rules.leader[piece]:
                state.aboard_leaders += 1
            else:
                state.aboard_units += 1
            break


@rule
def sail_actions(rules: Any, state: Any) -> None:
    """[10.3, R-03, R-13] List the other land spaces; for an empty canoe those without enemies."""
    loaded = state.aboard_units + state.aboard_leaders > 0
    for space in range(N_SPACES):
        if space != state.pickup and (loaded or may_sail_empty_to(state, space)):
            add_legal(state, action1(SAIL_, space))


@rule
def do_sail(rules: Any, state: Any, action: int) -> None:
    """[10.3, R-16, R-29] Land the fleet, or let it wait at sea before a space with enemies; neutral Kaua'i joins the
    enemy.
    """
    space = index1(SAIL_, action)
    if kauai_is_neutral_at(state, space):
        join(rules, state, defender(state))
    invades = pieces_in(state, defender(state), space) > 0
    for piece in range(N_PIECES):
        if state.place[piece] == ABOARD:
            state.carried[piece] = 1
            if invades:
                state.arrived_from[piece] = 1 + state.pickup
                move_piece(rules, state, piece, SEA + space)
            else:
                move_piece(rules, state, piece, space)
    state.fleet = -1
    state.pickup = -1
    state.aboard_units = 0
    state.aboard_leaders = 0
    state.phase = WITHDRAWALS
    state.next_phase = MOVE


@rule
def movement_done(state: Any) -> None:
    """[10.0] End movement, and forget what was carried or marched this turn."""
    for piece in range(N_PIECES):
        state.carried[piece] = 0
        state.marched[piece] = 0
    state.fleet_moves = 0
    state.phase = WITHDRAWALS
    state.next_phase = SEA_PHASE


@rule
def land_fleets(rules: Any, state: Any, space: int) -> None:
    """[10.3] Land the fleets bound for a space."""
    for piece in range(N_PIECES):
        if state.place[piece] == SEA + space:
            state.arrived_from[piece] = ORIGIN_NONE
            move_piece(rules, state, piece, space)
