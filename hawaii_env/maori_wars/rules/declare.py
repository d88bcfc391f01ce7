"""Declaration of a combat: its target, and who takes part [9.0 step 1]."""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule
from hawaii_env.core.phases import Phase

from .actions import DONE, OF_SIDE, PASS
from .bombardment import is_any_column, may_fire
from .names import (
    ARTILLERY,
    ATTACKED,
    BOMBARD,
    COMBAT_STEP,
    DECLARE,
    EVADE,
    EVADED,
    GUNBOAT,
    MAORI,
    NO_TOWN,
    PARTICIPANT,
    PARTICIPANTS,
)
from .pieces import has, is_fighting, is_held, is_neutral, mark
from .stages import finish_stage

__all__ = ["Counterstroke", "Declare", "Participants", "declare_next", "new_combat", "targets"]

# Who may take part


@rule
def is_eligible(state: Any, piece: int, target: int) -> bool:
    """[9.0 step 1] Return True for a ready fighting unit of the attacker that may still be declared against a target.

    A counterstroke asks nothing of what units have done before. [R-45]
    """
    if state.owner[piece] != state.attacker or state.disrupted[piece] == 1 or not is_fighting(state, piece):
        return False
    if has(state, piece, PARTICIPANT):
        return False
    bound = state.bound[state.place[piece]]
    return state.second == 2 or (not has(state, piece, ATTACKED) and (bound < 0 or bound == target))


@rule
def side_actions(rules: Any, state: Any, target: int, side: int, n: int) -> int:
    """[9.0 step 1] Offer who may still take part across a side of the target; return how many choices there are then.
    Only guns take part against neutrals.
    """
    near = rules.neighbour[target][side]
    if near < 0:
        return n
    first = rules.do_with + OF_SIDE * side
    crosses = rules.land[target][side] >= 0 and not is_neutral(state, target)
    fires = state.gun < 0 and is_any_column(state, target)
    units, last, at = 0, -1, n
    piece = state.first[near]
    while piece >= 0:
        kind = state.kind[piece]
        able = crosses and is_eligible(state, piece, target)
        units += able
        if kind != last and (able or (fires and may_fire(rules, state, piece, target, side))):
            state.legal[n] = first + 1 + kind
            n, last = n + 1, kind
        piece = state.next[piece]
    if units >= 2:
        for i in range(n, at, -1):
            state.legal[i] = state.legal[i - 1]
        state.legal[at] = first
        n += 1
    return n


@rule
def may_target(rules: Any, state: Any, target: int) -> bool:
    """[9.0 step 1, R-23, R-39] Return True if the attacker may declare a combat against a hex."""
    neutral = is_neutral(state, target)
    if not neutral:
        if not is_held(state, state.attacker, target):
            return False
        if state.attacker == MAORI and state.town[target] != NO_TOWN and rules.designated[target] == 0:
            return False
        piece = state.first[target]
        while piece >= 0:
            if has(state, piece, EVADED):
                return False
            piece = state.next[piece]
    gun = is_any_column(state, target)
    for side in range(6):
        near = rules.neighbour[target][side]
        if near < 0 or state.count[state.attacker][near] == 0:
            continue
        crosses = not neutral and rules.land[target][side] >= 0
        piece = state.first[near]
        while piece >= 0:
            if crosses and is_eligible(state, piece, target):
                return True
            if gun and may_fire(rules, state, piece, target, side):
                return True
            piece = state.next[piece]
    return False


@rule
def new_combat(state: Any) -> None:
    """[9.0] Clear the frame of the combat before."""
    state.target, state.gun, state.chit, state.column = -1, -1, 0, 0
    state.attack_modifier, state.counter_modifier, state.bombard_modifier, state.counter_columns = 0, 0, 0, 0
    state.no_counter, state.no_bombard, state.slipping = 0, 0, 0
    state.hit, state.suffers, state.vacated = 0, 0, 0


@rule
def targets(rules: Any, state: Any) -> int:
    """[9.0 step 1] Offer the hexes that can be declared targets behind the first choice; return how many there are."""
    n = 1
    for hex_ in range(rules.hexes):
        if may_target(rules, state, hex_):
            state.legal[n] = rules.do_target + hex_
            n += 1
    return n


class Declare(Phase):
    """[9.0 step 1] A combat is declared against a hex, or `done` ends the combats."""

    @staticmethod
    def legal(rules: Any, state: Any) -> int:
        state.legal[0] = DONE
        return targets(rules, state)

    @staticmethod
    def apply(rules: Any, state: Any, action: int) -> None:
        if action == DONE:
            finish_stage(rules, state)
        else:
            aim_at(state, action - rules.do_target)


@rule
def aim_at(state: Any, target: int) -> None:
    """[9.0 step 1] Choose the target of a new combat: who takes part is asked next."""
    new_combat(state)
    state.target, state.phase = target, PARTICIPANTS


@rule
def is_joined(rules: Any, state: Any) -> bool:
    """[9.0 step 1] Return True if somebody, or a gun, takes part in the combat."""
    return state.gun >= 0 or count_participants(rules, state) > 0


@rule
def count_participants(rules: Any, state: Any) -> int:
    """[9.0 step 1] Count the participants that stand where they were declared, Disrupted ones too."""
    n = 0
    for side in range(6):
        near = rules.land[state.target][side]
        if near >= 0:
            piece = state.first[near]
            while piece >= 0:
                n += has(state, piece, PARTICIPANT) and state.origin[piece] == near
                piece = state.next[piece]
    return n


class Participants(Phase):
    """[9.0 step 1] The attackers: a side's units one by one or all, and at most one gun, until `done`. [R-33]"""

    @staticmethod
    def legal(rules: Any, state: Any) -> int:
        n = 0
        if is_joined(rules, state):
            state.legal[0] = DONE
            n = 1
        for side in range(6):
            n = side_actions(rules, state, state.target, side, n)
        return n

    @staticmethod
    def apply(rules: Any, state: Any, action: int) -> None:
        if action == DONE:
            begin_combat(rules, state)
            return
        side, kind = (action - rules.do_with) // OF_SIDE, (action - rules.do_with) % OF_SIDE - 1
        near = rules.neighbour[state.target][side]
        piece = state.first[near]
        while piece >= 0:
            if kind in (ARTILLERY, GUNBOAT):
                if state.kind[piece] == kind and may_fire(rules, state, piece, state.target, side):
                    state.gun = piece
                    return
            elif kind in (-1, state.kind[piece]) and is_eligible(state, piece, state.target):
                mark(state, piece, PARTICIPANT)
                state.origin[piece] = near
                if kind >= 0:
                    return
            piece = state.next[piece]


@rule
def begin_combat(rules: Any, state: Any) -> None:
    """[9.0 step 1] Bind the declared units to the target for the phase, and begin; a gun alone only fires. [R-32]"""
    state.next_step, state.phase, state.decider = EVADE, COMBAT_STEP, -1
    if count_participants(rules, state) == 0:
        state.next_step = BOMBARD
    if state.second == 2:
        return
    for side in range(6):
        near = rules.land[state.target][side]
        if near >= 0:
            piece = state.first[near]
            while piece >= 0:
                if has(state, piece, PARTICIPANT):
                    mark(state, piece, ATTACKED)
                    state.bound[near] = state.target
                piece = state.next[piece]


class Counterstroke(Phase):
    """[9.0 step 3, R-45] After a chit, the defender may declare one combat himself."""

    @staticmethod
    def legal(rules: Any, state: Any) -> int:
        state.legal[0] = PASS
        return targets(rules, state)

    @staticmethod
    def apply(rules: Any, state: Any, action: int) -> None:
        if action == PASS:
            declare_next(state)
        else:
            aim_at(state, action - rules.do_target)


@rule
def declare_next(state: Any) -> None:
    """[9.0] Let the mover declare the next combat."""
    state.attacker = state.decider = state.half
    state.second, state.phase = 0, DECLARE
    new_combat(state)
