"""Talks with neutrals, and how they join a player [8.0, 9.0]."""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule
from hawaii_env.core.phases import Phase, list_places

from .actions import DONE, PASS
from .dice import DieRoll
from .names import (
    ALLIANCE,
    CATEGORIES,
    JOIN_OPPONENT,
    JOIN_OWN,
    MAORI,
    NEGOTIATE,
    NEGOTIATED,
    NEGOTIATOR,
    NEUTRAL,
    NEUTRAL_PA,
    NEUTRAL_UNIT,
    NEUTRAL_VILLAGE,
    NO_STRUCTURE,
    QUEENITE,
    QUEENITE_VILLAGE,
    TALKED,
    UNTAKEN,
    VILLAGE,
    WARRIOR,
    WITHDRAW,
)
from .pieces import (
    category,
    distance,
    has,
    is_leader,
    land_units,
    link,
    mark,
    offer,
    place_piece,
    set_structure,
    unit_action,
    unlink,
)
from .stages import finish_stage
from .victory import award

MAORI_LEADER, BRITISH_LEADER = CATEGORIES.index("maori"), CATEGORIES.index("british")
MOST_TALKS = 7
"""The highest die of the table."""


# Neutrals join


@rule
def counters_used(rules: Any, state: Any, kind: int) -> int:
    """[8.0] Count the counters of a kind of unit that are on the map, in the bush or a Box, or still to arrive."""
    found = 0
    for piece in range(state.pieces):
        if state.kind[piece] == kind and state.place[piece] != rules.out:
            found += 1
    return found


@rule
def join(rules: Any, state: Any, hex_: int, player: int) -> None:
    """[8.0] The neutrals of a hex become a player's. Without a counter a pa becomes a village, then nothing, and units
    are lost.
    """
    kind = WARRIOR if player == MAORI else QUEENITE
    village = VILLAGE if player == MAORI else QUEENITE_VILLAGE
    structure = state.structure[hex_]
    if structure in (NEUTRAL_VILLAGE, NEUTRAL_PA):
        wanted = village + structure - NEUTRAL_VILLAGE
        if wanted > village and state.structures[wanted] >= rules.structure_counters[wanted]:
            wanted = village
        if state.structures[wanted] >= rules.structure_counters[wanted]:
            wanted = NO_STRUCTURE
        set_structure(state, hex_, wanted)
    piece = state.first[hex_]
    while piece >= 0:
        following = state.next[piece]
        if state.owner[piece] == NEUTRAL:
            lost = (
                state.kind[piece] == NEUTRAL_UNIT and counters_used(rules, state, kind) >= rules.counters[kind][player]
            )
            unlink(rules, state, piece)
            if not lost:
                state.owner[piece] = player
                if state.kind[piece] == NEUTRAL_UNIT:
                    state.kind[piece] = kind
            link(rules, state, piece, rules.out if lost else hex_)
        piece = following


# Talks


@rule
def may_negotiate(rules: Any, state: Any, leader: int, hex_: int) -> bool:
    """[8.0, R-49] Return True if a leader of the mover may talk with a hex next to his, across any side."""
    if state.owner[leader] != state.half or has(state, leader, NEGOTIATED):
        return False
    return state.place[leader] < rules.hexes and distance(rules, state.place[leader], hex_) == 1


@rule
def can_talk_to(rules: Any, state: Any, hex_: int) -> bool:
    """[8.0, R-17] Return True for a neutral village or pa that a leader may talk with."""
    if state.structure[hex_] < NEUTRAL_VILLAGE or state.used[hex_] & TALKED != 0:
        return False
    for piece in range(state.pieces):
        if is_leader(state, piece) and may_negotiate(rules, state, piece, hex_):
            return True
    return False


@rule
def is_sole(state: Any, leader: int) -> bool:
    """[8.0] Return True if a leader is alone in his hex: no other piece, no structure."""
    hex_ = state.place[leader]
    if state.next[state.first[hex_]] >= 0:
        return False
    return state.structure[hex_] == NO_STRUCTURE and state.town[hex_] != UNTAKEN


@rule
def may_withdraw_to(rules: Any, state: Any, hex_: int) -> bool:
    """[8.0, R-47] Return True for a hex with a land unit of the player of the leader who talked, within 3."""
    leader = state.piece
    if land_units(state, state.owner[leader], hex_) == 0:
        return False
    return distance(rules, state.place[leader], hex_) <= rules.withdraw


class Negotiate(Phase):
    """[8.0] A neutral village or pa that a leader talks with; `done` ends the stage."""

    legal = list_places(can_talk_to, "do_target", DONE)

    @staticmethod
    def apply(rules: Any, state: Any, action: int) -> None:
        if action == DONE:
            finish_stage(rules, state)
        else:
            state.hex, state.phase = action - rules.do_target, NEGOTIATOR


class Negotiator(Phase):
    """[8.0] The leader who talks."""

    @staticmethod
    def legal(rules: Any, state: Any) -> int:
        n = 0
        for piece in range(state.pieces):
            if is_leader(state, piece) and may_negotiate(rules, state, piece, state.hex):
                n = offer(state, n, unit_action(state, piece))
        return n

    @staticmethod
    def apply(rules: Any, state: Any, action: int) -> None:
        for piece in range(state.pieces):
            if is_leader(state, piece) and unit_action(state, piece) == action:
                state.piece = piece
        mark(state, state.piece, NEGOTIATED)
        state.used[state.hex] |= TALKED
        state.phase, state.decider = ALLIANCE, -1


class Alliance(DieRoll):
    """[8.0] Chance: the die of the talk."""

    @staticmethod
    def apply(rules: Any, state: Any, outcome: int) -> None:
        leader = state.piece
        of, die = category(rules, state, leader), outcome
        if of == MAORI_LEADER:
            die += rules.maori_talks
        elif of == BRITISH_LEADER and is_sole(state, leader):
            die += rules.sole_british
        result = rules.talks[max(1, min(die, MOST_TALKS))]
        if result == JOIN_OWN:
            join(rules, state, state.hex, state.half)
        elif result == JOIN_OPPONENT:
            join(rules, state, state.hex, 1 - state.half)
            award(rules, state, 1 - state.half, rules.alliance_points)
        state.phase, state.decider, state.hex = NEGOTIATE, state.half, -1
        if is_sole(state, leader):
            for hex_ in range(state.hexes):
                if may_withdraw_to(rules, state, hex_):
                    state.phase = WITHDRAW
                    return
        state.piece = -1


class Withdraw(Phase):
    """[8.0, R-47] A hex with a unit that the leader withdraws to, or `pass`."""

    legal = list_places(may_withdraw_to, "do_place", PASS)

    @staticmethod
    def apply(rules: Any, state: Any, action: int) -> None:
        if action != PASS:
            place_piece(rules, state, state.piece, action - rules.do_place)
        state.piece, state.phase = -1, NEGOTIATE
