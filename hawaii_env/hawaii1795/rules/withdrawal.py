"""Withdrawals [11.5, 11.6, 11.8]: who leaves, where to, and what happens when there is nowhere to go."""

from __future__ import annotations

from typing import Any

from hawaii_env.codec import action1, index1
from hawaii_env.core.jit import rule

from .actions import CANOE_OF_KIND, KIND_OF_CANOE, LOSE, N_UNITS, RETREAT_, add_legal
from .names import (
    BY_ATTACKER,
    BY_DEFENDER,
    BY_MARCHERS,
    BY_SEA_LOSER,
    CANOE_LOSS,
    LAND_PHASE,
    MARCHERS_LOST,
    N_PIECES,
    N_SPACES,
    NEUTRAL,
    ORIGIN_NONE,
    ORIGIN_TURNED,
    RETREAT,
    SEA,
    SEA_LAND,
    SEA_PHASE,
    WAR,
    WITHDRAW,
    WITHDRAWALS,
)
from .pieces import attacker, canoes_in, defender, eliminate, move_piece, occupies, pieces_in, send_home, units_in


@rule
def has_refuge(state: Any, side: int, barred: int) -> bool:
    """Return True if the side occupies a space outside the mask `barred`."""
    for space in range(N_SPACES):
        if not (barred >> space) & 1 and occupies(state, side, space):
            return True
    return False


@rule
def refuge_actions(state: Any, side: int, barred: int) -> None:
    """[11.5, R-07] List every space that the side occupies, but those of the mask."""
    for space in range(N_SPACES):
        if not (barred >> space) & 1 and occupies(state, side, space):
            add_legal(state, action1(RETREAT_, space))


@rule
def rally(state: Any, piece: int) -> None:
    """[11.6 rallying] Rally a panicked unit; it may fire again."""
    state.panicked[piece] = 0
    state.fired[piece] = 0


# -- canoes alone [R-15, R-25] ---------------------------------------------------------------------------------------


@rule
def forget_origins(state: Any) -> None:
    """[R-24] Forget where an attacker came from once no enemy unit is left in his space."""
    for piece in range(N_PIECES):
        if state.arrived_from[piece] and state.place[piece] < N_SPACES:
            if units_in(state, 1 - state.owner[piece], state.place[piece]) == 0:
                state.arrived_from[piece] = ORIGIN_NONE


@rule
def driven_off(rules: Any, state: Any, side: int, space: int) -> bool:
    """[R-15, R-23] Return True if a side's canoes are alone among enemy units; or Kaua'i's turned there, among enemy
    canoes only.
    """
    if canoes_in(state, side, space) == 0 or units_in(state, side, space) > 0:
        return False
    if units_in(state, 1 - side, space) > 0:
        return True
    if canoes_in(state, 1 - side, space) > 0:
        for piece in range(N_PIECES):
            if rules.side[piece] == NEUTRAL and state.place[piece] == space and state.owner[piece] == side:
                return True
    return False


@rule
def withdraw_driven_off(rules: Any, state: Any) -> None:
    """[R-15, R-25, R-30] Let canoes that are driven off withdraw at once, space by space in the order of the map."""
    if state.next_phase == SEA_PHASE:
        forget_origins(state)
    for space in range(N_SPACES):
        for side in (0, 1):
            if driven_off(rules, state, side, space):
                if has_refuge(state, side, 0):
                    state.from_space = space
                    state.decider = side
                    state.phase = WITHDRAW
                    return
                for piece in range(N_PIECES):
                    if state.place[piece] == space and state.owner[piece] == side:
                        send_home(rules, state, piece)
    state.from_space = -1
    state.phase = state.next_phase
    state.decider = state.half


@rule
def withdraw_actions(rules: Any, state: Any) -> None:
    """[R-15] List the spaces that their side occupies."""
    refuge_actions(state, state.decider, 0)


@rule
def do_withdraw(rules: Any, state: Any, action: int) -> None:
    """[R-15] Move all the canoes there."""
    for piece in range(N_PIECES):
        if state.place[piece] == state.from_space and state.owner[piece] == state.decider:
            state.arrived_from[piece] = ORIGIN_NONE
            move_piece(rules, state, piece, index1(RETREAT_, action))
    state.phase = WITHDRAWALS


# -- the beaten fleet [11.8] -----------------------------------------------------------------------------------------


@rule
def fleet_place(state: Any, side: int) -> int:
    """Return the place of a side's pieces of the sea battle: at sea before the space, or in the war fleet."""
    return SEA + state.field if side == attacker(state) else WAR


@rule
def sea_loser_withdraws(rules: Any, state: Any, side: int) -> None:
    """[11.8] Let survivors and half of the canoes, rounded up, go to one space; if there is none, eliminate all."""
    place = fleet_place(state, side)
    canoes = 0
    for piece in range(N_PIECES):
        if state.place[piece] == place:
            canoes += rules.canoe[piece]
    state.decider = side
    if not has_refuge(state, side, sea_barred(state, side)):
        for piece in range(N_PIECES):
            if state.place[piece] == place:
                eliminate(rules, state, piece)
        sea_loser_gone(state, side)
        return
    state.canoes_lost = canoes // 2
    state.pending_retreat = BY_SEA_LOSER
    state.phase = CANOE_LOSS if state.canoes_lost else RETREAT


@rule
def sea_barred(state: Any, side: int) -> int:
    """[11.8] Return the defender's fleet never retreats to the invaded space."""
    return 0 if side == attacker(state) else 1 << state.field


@rule
def sea_loser_gone(state: Any, side: int) -> None:
    """Go on after the beaten fleet: a victorious attacker lands, a victorious defender has returned already."""
    state.pending_retreat = 0
    if side == attacker(state):
        state.phase = WITHDRAWALS
        state.next_phase = SEA_PHASE
    else:
        state.phase = SEA_LAND


@rule
def canoe_loss_actions(rules: Any, state: Any) -> None:
    """[11.8, R-37, section 8] List the canoes that the owner may lose; they differ by kind only."""
    place = fleet_place(state, state.decider)
    for piece in range(N_PIECES):
        if rules.canoe[piece] and state.place[piece] == place:
            add_legal(state, action1(LOSE, N_UNITS + CANOE_OF_KIND[rules.kind[piece]]))


@rule
def do_canoe_loss(rules: Any, state: Any, action: int) -> None:
    """[11.8] Send a canoe of the beaten fleet to the box."""
    place = fleet_place(state, state.decider)
    kind = KIND_OF_CANOE[index1(LOSE, action) - N_UNITS]
    for piece in range(N_PIECES):
        if state.place[piece] == place and rules.kind[piece] == kind:
            send_home(rules, state, piece)
            break
    state.canoes_lost -= 1
    if state.canoes_lost == 0:
        state.phase = RETREAT


# -- attackers who lost on land [11.5] -------------------------------------------------------------------------------


@rule
def attackers_lost(rules: Any, state: Any) -> None:
    """[11.5, R-23, R-24] Let canoes and who came by them go to one space; without canoes or refuge eliminate them."""
    space, side = state.field, attacker(state)
    canoes = canoes_in(state, side, space)
    refuge = has_refuge(state, side, 0)
    for piece in range(N_PIECES):
        if state.place[piece] == space:
            rally(state, piece)
            if state.owner[piece] == side and not is_marcher(state, piece):
                turned = state.arrived_from[piece] == ORIGIN_TURNED and rules.side[piece] != NEUTRAL
                if turned or not canoes or not refuge:
                    eliminate(rules, state, piece)
    state.refuge = -1
    if canoes and refuge:
        state.decider = side
        state.pending_retreat = BY_ATTACKER
        state.phase = RETREAT
    else:
        state.phase = MARCHERS_LOST


@rule
def is_marcher(state: Any, piece: int) -> bool:
    """[11.6] Return True if the unit came overland into the battle."""
    return state.arrived_from[piece] != ORIGIN_NONE and state.arrived_from[piece] != ORIGIN_TURNED


@rule
def marchers_from(state: Any) -> int:
    """[R-24] Return the space that the attacker's marchers came from, -1 when there are none."""
    for piece in range(N_PIECES):
        if state.place[piece] == state.field and state.owner[piece] == attacker(state) and is_marcher(state, piece):
            return state.arrived_from[piece] - 1
    return -1


@rule
def marchers_lost(rules: Any, state: Any) -> None:
    """[11.5, R-24] Let marchers go with the canoes or walk back, one choice for all; else eliminate them."""
    origin = marchers_from(state)
    state.phase = WITHDRAWALS
    state.next_phase = LAND_PHASE
    if origin < 0:
        return
    if state.refuge >= 0 or pieces_in(state, defender(state), origin) == 0:
        state.decider = state.half
        state.pending_retreat = BY_MARCHERS
        state.phase = RETREAT
        return
    for piece in range(N_PIECES):
        if state.place[piece] == state.field and state.owner[piece] == attacker(state):
            eliminate(rules, state, piece)


# -- all that retreat to a space of their choice ---------------------------------------------------------------------


@rule
def retreat_actions(rules: Any, state: Any) -> None:
    """[11.5, 11.6, 11.8] List the spaces to choose from, by who retreats."""
    if state.pending_retreat == BY_SEA_LOSER:
        refuge_actions(state, state.decider, sea_barred(state, state.decider))
    elif state.pending_retreat == BY_ATTACKER:
        refuge_actions(state, state.decider, 0)
    elif state.pending_retreat == BY_MARCHERS:
        origin = marchers_from(state)
        if state.refuge >= 0:
            add_legal(state, action1(RETREAT_, state.refuge))
        if pieces_in(state, defender(state), origin) == 0:
            add_legal(state, action1(RETREAT_, origin))
    else:
        refuge_actions(state, state.decider, island_mask(rules, state.field))


@rule
def island_mask(rules: Any, space: int) -> int:
    """Return the spaces of the island that a space is on."""
    mask = 1 << space
    if rules.sibling[space] >= 0:
        mask |= 1 << rules.sibling[space]
    return mask


@rule
def do_retreat(rules: Any, state: Any, action: int) -> None:
    """[11.5, 11.6, 11.8, R-26] Move them; carrying capacity does not limit a withdrawal."""
    to = index1(RETREAT_, action)
    side = state.decider
    who = state.pending_retreat
    state.pending_retreat = 0
    place = fleet_place(state, side) if who == BY_SEA_LOSER else state.field
    for piece in range(N_PIECES):
        if state.place[piece] == place and state.owner[piece] == side:
            if who != BY_ATTACKER or not is_marcher(state, piece):
                state.arrived_from[piece] = ORIGIN_NONE
                move_piece(rules, state, piece, to)
    if who == BY_SEA_LOSER:
        sea_loser_gone(state, side)
    elif who == BY_ATTACKER:
        state.refuge = to
        state.phase = MARCHERS_LOST
    else:
        state.phase = WITHDRAWALS
        state.next_phase = LAND_PHASE
        if who == BY_DEFENDER:
            attackers_hold(state)


@rule
def attackers_hold(state: Any) -> None:
    """[11.4] Let the attackers hold the space that they fought for, and forget where they came from."""
    for piece in range(N_PIECES):
        if state.place[piece] == state.field and state.owner[piece] == attacker(state):
            rally(state, piece)
            state.arrived_from[piece] = ORIGIN_NONE
    state.earthworks = 0
    state.phase = WITHDRAWALS
    state.next_phase = LAND_PHASE
