"""Battle Dispatch chits: one is drawn in each combat [9.0 step 3]."""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule
from hawaii_env.core.phases import Phase
from hawaii_env.core.rng import below

from .dice import DieRoll, shows
from .evasion import slip_away
from .names import (
    ARTILLERY,
    BRITISH_ATTACKS,
    CHIT,
    COMBAT_STEP,
    DECLARE,
    DISRUPT_FROM,
    DISRUPT_UNIT,
    E_ATTACK,
    E_BOMBARD,
    E_CALL_OFF,
    E_COUNTER,
    E_COUNTER_COLUMN,
    E_DISRUPT,
    E_LEADER_HIT,
    E_NO_BOMBARD,
    E_NO_COUNTER,
    E_POINTS,
    E_RALLY,
    E_REINFORCE,
    E_SECOND_COMBAT,
    E_SLIP_AWAY,
    GUNBOAT,
    IF_PA,
    IF_RIVER,
    IF_ROUGH,
    LEADER_DIE,
    MAORI,
    MAORI_ATTACKS,
    PA,
    QUEENITE_PA,
    TO_ATTACKER,
    TO_DEFENDER,
)
from .pieces import eliminate, is_land_unit, is_leader, offer, set_disrupted, structure_owner, unit_action
from .reinforcement import ask_for_unit
from .state import N_CHITS
from .strength import fights_on, has_joined
from .victory import award

__all__ = ["Chit", "DisruptFrom", "DisruptUnit", "Leader", "draw_next"]


# The cup


@rule
def draw_next(rules: Any, state: Any) -> None:
    """[9.0 step 3, R-36] Draw a chit; an empty cup gets back those that were put aside, but for the asterisks."""
    if state.cup == 0:
        for number in range(1, N_CHITS + 1):
            if rules.once[number] == 0 and (state.aside >> number) & 1 == 1:
                state.cup |= 1 << number
                state.aside -= 1 << number
    if state.cup != 0:
        state.phase = CHIT


class Chit(Phase):
    """[9.0 step 3] Chance: a chit of the cup, each equally likely."""

    @staticmethod
    def is_outcome(rules: Any, state: Any, outcome: int) -> bool:
        return outcome >= 1 and outcome <= N_CHITS and (state.cup >> outcome) & 1 == 1

    @staticmethod
    def sample(rules: Any, state: Any) -> int:
        left = 0
        for number in range(1, N_CHITS + 1):
            left += (state.cup >> number) & 1
        skip = below(state.generator, left, 0)
        for number in range(1, N_CHITS + 1):
            skip -= (state.cup >> number) & 1
            if skip < 0:
                return number
        return 0

    @staticmethod
    def apply(rules: Any, state: Any, outcome: int) -> None:
        state.cup -= 1 << outcome
        state.aside |= 1 << outcome
        state.chit, state.phase = outcome, COMBAT_STEP
        if is_met(rules, state, outcome):
            carry_out(rules, state, outcome)


# Conditions


@rule
def is_met(rules: Any, state: Any, chit: int) -> bool:
    """[9.0 step 3] Return True if a chit's conditions hold; if not it counts as According to Plan."""
    conditions, target = rules.chit_if[chit], state.target
    if conditions & MAORI_ATTACKS != 0 and state.attacker != MAORI:
        return False
    if conditions & BRITISH_ATTACKS != 0 and state.attacker == MAORI:
        return False
    if conditions & IF_ROUGH != 0 and rules.rough[target] == 0:
        return False
    if conditions & IF_RIVER != 0 and rules.river[target] == 0:
        return False
    if conditions & IF_PA != 0:
        pa = state.structure[target] in (PA, QUEENITE_PA)
        if not pa or structure_owner(state, target) == state.attacker:
            return False
    kind = rules.chit_attacker_has[chit]
    if kind >= 0 and not attacker_has(state, kind):
        return False
    kind = rules.chit_defender_has[chit]
    return kind < 0 or defender_has(state, kind)


@rule
def attacker_has(state: Any, kind: int) -> bool:
    """[9.0 step 3] Return True if a ready participant is of a kind, or the gun is."""
    if kind in (ARTILLERY, GUNBOAT):
        return state.gun >= 0 and state.kind[state.gun] == kind
    for piece in range(state.pieces):
        if state.kind[piece] == kind and fights_on(state, piece):
            return True
    return False


@rule
def defender_has(state: Any, kind: int) -> bool:
    """[9.0 step 3] Return True if a ready unit of a kind defends the target."""
    piece = state.first[state.target]
    while piece >= 0:
        if state.kind[piece] == kind and state.owner[piece] != state.attacker and state.disrupted[piece] == 0:
            return True
        piece = state.next[piece]
    return False


@rule
def whose(state: Any, code: int) -> int:
    """[9.0 step 3] Return the player whom an effect names; -1 if the chit has no such effect."""
    if code == 0:
        return -1
    if code - 1 == TO_ATTACKER:
        return state.attacker
    return 1 - state.attacker if code - 1 == TO_DEFENDER else code - 1


# Effects


@rule
def carry_out(rules: Any, state: Any, chit: int) -> None:
    """[9.0 step 3] Carry out a chit, as far as there is something to change."""
    effects = rules.chit[chit]
    state.attack_modifier += effects[E_ATTACK]
    state.counter_modifier += effects[E_COUNTER]
    state.bombard_modifier += effects[E_BOMBARD]
    state.counter_columns += effects[E_COUNTER_COLUMN]
    state.no_counter = max(state.no_counter, effects[E_NO_COUNTER])
    state.no_bombard = max(state.no_bombard, effects[E_NO_BOMBARD])
    state.second = max(state.second, effects[E_SECOND_COMBAT])
    if effects[E_CALL_OFF] == 1:
        state.next_step = DECLARE
    if effects[E_SLIP_AWAY] == 1:
        slip_away(rules, state)
    if effects[E_POINTS] > 0:
        award(rules, state, whose(state, effects[E_POINTS]), rules.chit_amount[chit])
    if effects[E_RALLY] > 0:
        rally_side(rules, state, whose(state, effects[E_RALLY]))
    if effects[E_DISRUPT] > 0:
        state.phase, state.decider = DISRUPT_FROM, state.attacker
    if effects[E_LEADER_HIT] > 0:
        state.piece = first_leader(state, whose(state, effects[E_LEADER_HIT]))
        if state.piece >= 0:
            state.phase = LEADER_DIE
    if effects[E_REINFORCE] > 0:
        state.resume = COMBAT_STEP
        ask_for_unit(rules, state, whose(state, effects[E_REINFORCE]), 1)


@rule
def is_near(state: Any, player: int, place: int) -> bool:
    """[9.0 step 3] Return True for the target, if the player defends it, and for the hexes of the attacker's
    participants.
    """
    if player != state.attacker:
        return place == state.target
    for piece in range(state.pieces):
        if state.place[piece] == place and has_joined(state, piece):
            return True
    return False


@rule
def rally_side(rules: Any, state: Any, player: int) -> None:
    """[9.0 step 3] Rally the Disrupted land units of a player where the combat is fought."""
    for piece in range(state.pieces):
        shaken = state.disrupted[piece] == 1 and state.owner[piece] == player and is_land_unit(state, piece)
        if shaken and is_near(state, player, state.place[piece]):
            set_disrupted(rules, state, piece, 0)


@rule
def first_leader(state: Any, player: int) -> int:
    """[9.0 step 3] Return a player's first leader where the combat is fought, in the order of the file; -1 for none."""
    best = -1
    for piece in range(state.pieces):
        leads = is_leader(state, piece) and state.owner[piece] == player
        if leads and is_near(state, player, state.place[piece]):
            best = piece if best < 0 or state.kind[piece] < state.kind[best] else best
    return best


class DisruptFrom(Phase):
    """[9.0 step 3] The hex of the participant that a chit Disrupts."""

    @staticmethod
    def legal(rules: Any, state: Any) -> int:
        n = 0
        for piece in range(state.pieces):
            if fights_on(state, piece):
                n = offer(state, n, rules.do_from + state.place[piece])
        return n

    @staticmethod
    def apply(rules: Any, state: Any, action: int) -> None:
        state.hex, state.phase = action - rules.do_from, DISRUPT_UNIT


class DisruptUnit(Phase):
    """[9.0 step 3] The ready participant that a chit Disrupts; its owner chooses."""

    @staticmethod
    def legal(rules: Any, state: Any) -> int:
        n, piece = 0, state.first[state.hex]
        while piece >= 0:
            if fights_on(state, piece):
                n = offer(state, n, unit_action(state, piece))
            piece = state.next[piece]
        return n

    @staticmethod
    def apply(rules: Any, state: Any, action: int) -> None:
        piece = state.first[state.hex]
        while not fights_on(state, piece) or unit_action(state, piece) != action:
            piece = state.next[piece]
        set_disrupted(rules, state, piece, 1)
        state.phase, state.decider = COMBAT_STEP, -1


class Leader(DieRoll):
    """[9.0 step 3] Chance: a leader may fall."""

    @staticmethod
    def apply(rules: Any, state: Any, outcome: int) -> None:
        state.phase = COMBAT_STEP
        if shows(rules.chit_faces[state.chit], outcome):
            eliminate(rules, state, state.piece)
