"""Bombardment: artillery and gunboats fire at units, canoes, a pa, or neutrals [9.0 step 4]."""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule
from hawaii_env.core.phases import Phase

from .alliance import join
from .dice import DieRoll
from .names import (
    ARTILLERY,
    BOMBARD,
    BOMBARDED,
    BRITISH,
    CANOE,
    COLUMN,
    COMBAT_STEP,
    DISRUPT,
    GUNBOAT,
    JOIN_BRITISH,
    JOIN_MAORI,
    MAORI,
    NOTHING,
    ON_CANOE,
    ON_NEUTRAL,
    ON_PA,
    ON_UNITS,
    PA,
    REMOVED,
    SHELLED,
)
from .pieces import has, is_neutral, land_units, leave_map, mark, reduce_structure, set_disrupted
from .results import begin_result, disrupt_structure
from .victory import award


@rule
def may_fire(rules: Any, state: Any, piece: int, target: int, side: int) -> bool:
    """[9.0 step 4, R-24, R-33] Return True for a ready gun across a side of the target, a gunboat with water between,
    that may bombard it.
    """
    kind = state.kind[piece]
    if state.owner[piece] != state.attacker or (kind != ARTILLERY and kind != GUNBOAT):
        return False
    if state.disrupted[piece] == 1 or has(state, piece, BOMBARDED) or state.used[target] & SHELLED != 0:
        return False
    return kind == ARTILLERY or rules.wet[target][side] == 1


@rule
def has_column(state: Any, target: int, column: int) -> bool:
    """[9.0 step 4] Return True if a column of the bombardment table applies to a hex."""
    if column == ON_NEUTRAL:
        return is_neutral(state, target)
    enemy = 1 - state.attacker
    if column == ON_UNITS:
        return land_units(state, enemy, target) != 0
    if enemy != MAORI:
        return False
    if column == ON_PA:
        return state.structure[target] == PA
    piece = state.first[target]
    while piece >= 0:
        if state.kind[piece] == CANOE and state.owner[piece] == MAORI:
            return True
        piece = state.next[piece]
    return False


@rule
def is_any_column(state: Any, target: int) -> bool:
    """[9.0 step 4] Return True if something in a hex can be bombarded."""
    for column in (ON_UNITS, ON_CANOE, ON_PA, ON_NEUTRAL):
        if has_column(state, target, column):
            return True
    return False


@rule
def aim(rules: Any, state: Any) -> None:
    """[9.0 step 4] The gun fires, if there is something to fire at; its owner picks the column. [R-50]"""
    n = 0
    if state.gun >= 0 and state.no_bombard == 0:
        for column in (ON_UNITS, ON_CANOE, ON_PA, ON_NEUTRAL):
            if has_column(state, state.target, column):
                state.column = column
                n += 1
    if n == 1:
        state.phase = BOMBARD
    elif n > 1:
        state.phase, state.decider = COLUMN, state.attacker


class Column(Phase):
    """[9.0 step 4] The column that the gun fires on."""

    @staticmethod
    def legal(rules: Any, state: Any) -> int:
        n = 0
        for column in (ON_UNITS, ON_CANOE, ON_PA):
            if has_column(state, state.target, column):
                state.legal[n] = rules.do_column + column
                n += 1
        return n

    @staticmethod
    def apply(rules: Any, state: Any, action: int) -> None:
        state.column = action - rules.do_column
        state.phase, state.decider = BOMBARD, -1


class Bombard(DieRoll):
    """[9.0 step 4] Chance: the gun's die."""

    @staticmethod
    def apply(rules: Any, state: Any, outcome: int) -> None:
        target, column, defender = state.target, state.column, 1 - state.attacker
        mark(state, state.gun, BOMBARDED)
        state.used[target] |= SHELLED
        state.phase = COMBAT_STEP
        result = rules.bombardment[column][min(max(outcome + state.bombard_modifier, 1), 6)]
        if result == NOTHING:
            return
        if column == ON_UNITS:
            begin_result(rules, state, defender, target, result, COMBAT_STEP)
        elif column == ON_CANOE:
            shell_canoe(rules, state, result)
        elif column == ON_PA:
            if result == REMOVED:
                reduce_structure(rules, state, target)
            else:
                disrupt_structure(rules, state, target, COMBAT_STEP)
        else:
            intimidate(rules, state, result)


@rule
def shell_canoe(rules: Any, state: Any, result: int) -> None:
    """[9.0 step 4] Disrupt a ready Māori canoe of the target, or destroy one, a Disrupted one if there is any."""
    ready, hit = -1, -1
    piece = state.first[state.target]
    while piece >= 0:
        if state.kind[piece] == CANOE and state.owner[piece] == MAORI:
            if state.disrupted[piece] == 1:
                hit = piece
            else:
                ready = piece
        piece = state.next[piece]
    if result == DISRUPT:
        if ready >= 0:
            set_disrupted(rules, state, ready, 1)
        return
    leave_map(rules, state, hit if hit >= 0 else ready, rules.out)
    award(rules, state, BRITISH, rules.canoe_points)


@rule
def intimidate(rules: Any, state: Any, result: int) -> None:
    """[8.0, 9.0 step 4, R-42] Shelled neutrals join a player, the Māori for a point."""
    if result == JOIN_BRITISH:
        join(rules, state, state.target, BRITISH)
    elif result == JOIN_MAORI:
        join(rules, state, state.target, MAORI)
        award(rules, state, MAORI, rules.alliance_points)
