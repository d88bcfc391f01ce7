"""Evasion: the defender's units leave before an attack [9.0 step 2]."""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule
from hawaii_env.core.phases import Phase

from .actions import EVADE_THEM, STAND
from .dice import DieRoll, shows
from .names import (
    ADVANCE,
    BOMBARD,
    BRITISH,
    CATEGORIES,
    CHIT,
    COMBAT_STEP,
    EVADED,
    EVASION,
    LEAVE,
    MAORI,
    QUEENITE,
    RANGERS,
    STAYS,
)
from .pieces import category, is_fort_or_pa, is_land_unit, is_leader, land_units, mark
from .results import clear_stays, leave_behind, leave_by, may_go, next_unit, offer_ways
from .strength import count_attackers

BRITISH_LEADER = CATEGORIES.index("british")


@rule
def is_leaver(rules: Any, state: Any, piece: int) -> bool:
    """[9.0 step 2, R-34] Return True if a defender's land unit may evade: a ready one. Of the British player all under
    a British leader, else Rangers and Queenites, else one that is alone.
    """
    player, hex_ = state.owner[piece], state.target
    if state.disrupted[piece] == 1 or not is_land_unit(state, piece):
        return False
    if player == MAORI or state.slipping == 1 or state.kind[piece] in (RANGERS, QUEENITE):
        return True
    if is_led(rules, state, hex_):
        return True
    alone = True
    other = state.first[hex_]
    while other >= 0:
        if other != piece and state.owner[other] == player and is_land_unit(state, other):
            alone = False
        other = state.next[other]
    return alone


@rule
def is_led(rules: Any, state: Any, hex_: int) -> bool:
    """[9.0 step 2] Return True if a British leader is in a hex."""
    piece = state.first[hex_]
    while piece >= 0:
        if (
            is_leader(state, piece)
            and state.owner[piece] == BRITISH
            and category(rules, state, piece) == BRITISH_LEADER
        ):
            return True
        piece = state.next[piece]
    return False


@rule
def may_evade(rules: Any, state: Any) -> bool:
    """[9.0 step 2] Return True if a unit of the target may evade and has somewhere to go."""
    piece = state.first[state.target]
    while piece >= 0:
        if state.owner[piece] == 1 - state.attacker and is_leaver(rules, state, piece) and may_go(rules, state, piece):
            return True
        piece = state.next[piece]
    return False


@rule
def evasion_faces(rules: Any, state: Any) -> int:
    """[9.0 step 2] Return the faces on which the defender evades, as bits."""
    if state.attacker != MAORI:
        hunters = count_attackers(rules, state, RANGERS, True) + count_attackers(rules, state, QUEENITE, True)
        return rules.evade_hunted if hunters > 0 else rules.evade_maori
    if is_led(rules, state, state.target):
        return rules.evade_leader
    piece = state.first[state.target]
    while piece >= 0:
        if state.kind[piece] in (RANGERS, QUEENITE) and state.disrupted[piece] == 0:
            return rules.evade_bush
        piece = state.next[piece]
    return rules.evade_single


class Evade(Phase):
    """[9.0 step 2] The defender tries to evade, or stands."""

    @staticmethod
    def legal(rules: Any, state: Any) -> int:
        state.legal[0], state.legal[1] = EVADE_THEM, STAND
        return 2

    @staticmethod
    def apply(rules: Any, state: Any, action: int) -> None:
        state.phase, state.decider = COMBAT_STEP, -1
        if action == EVADE_THEM:
            state.phase = EVASION


class Evasion(DieRoll):
    """[9.0 step 2] Chance: the defender's evasion."""

    @staticmethod
    def apply(rules: Any, state: Any, outcome: int) -> None:
        state.phase = COMBAT_STEP
        if shows(evasion_faces(rules, state), outcome):
            begin_leaving(rules, state)


@rule
def begin_leaving(rules: Any, state: Any) -> None:
    """[9.0 step 2] Let the units that may evade leave the target, one by one; the others stay."""
    state.next_step, state.went = LEAVE, -1
    piece = state.first[state.target]
    while piece >= 0:
        if not is_leaver(rules, state, piece):
            mark(state, piece, STAYS)
        piece = state.next[piece]


@rule
def leave_next(rules: Any, state: Any) -> None:
    """[9.0 step 2] Ask where the next unit goes; after the last one go on: without an attack if the hex is empty."""
    defender, target = 1 - state.attacker, state.target
    unit = next_unit(state, defender, target, STAYS)
    if unit >= 0:
        state.piece, state.phase, state.decider = unit, LEAVE, defender
        return
    state.decider = -1
    clear_stays(state, target)
    leave_behind(rules, state, defender, target)
    state.next_step = BOMBARD if state.slipping == 1 else CHIT
    if land_units(state, defender, target) == 0 and not is_fort_or_pa(state, target):
        state.vacated, state.next_step = 1, ADVANCE


class Leave(Phase):
    """[9.0 step 2] The side that an evading unit goes to, or `stay`."""

    @staticmethod
    def legal(rules: Any, state: Any) -> int:
        return offer_ways(rules, state, True)

    @staticmethod
    def apply(rules: Any, state: Any, action: int) -> None:
        leave_by(rules, state, action, EVADED)
        state.phase, state.decider = COMBAT_STEP, -1


@rule
def slip_away(rules: Any, state: Any) -> None:
    """[9.0 step 3] Let the target's ready land units leave without a die, if one can."""
    state.slipping = 1
    if may_evade(rules, state):
        begin_leaving(rules, state)
    else:
        state.slipping = 0
