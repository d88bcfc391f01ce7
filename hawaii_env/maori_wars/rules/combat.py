"""A combat, step by step: evasion, bombardment, charge, counter-attack, attack, advance [9.0 steps 2 to 8].

`state.next_step` is the step that comes next, as the number of its phase. `combat_step` asks nobody: it passes over the
steps in which there is nothing to do. Chits, step 3, have a module of their own.
"""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule
from hawaii_env.core.phases import Phase

from .actions import CHARGE_THEM, DONE, OF_SIDE, PASS
from .boats import captures_canoes, enter_soft
from .bombardment import aim
from .bush import answer_raid, attack_raided
from .chits import draw_next
from .declare import declare_next, new_combat, targets
from .dice import DieRoll
from .evasion import leave_next, may_evade
from .names import (
    ADVANCE,
    ALL_DISRUPTED,
    ATTACK,
    BOMBARD,
    BUSH,
    CAVALRY,
    CHARGE,
    CHARGE_OR_NOT,
    CHARGED,
    CHIT,
    COMBAT_STEP,
    CONSTABULARY,
    COUNTER,
    COUNTER_SIDE,
    COUNTERSTROKE,
    DECLARE,
    DISRUPT,
    EVADE,
    FORT,
    GREATER,
    INFANTRY,
    LEAVE,
    LESSER,
    MAORI,
    MILITIA,
    NAVAL,
    NOTHING,
    PA,
    PARTICIPANT,
    QUEENITE_PA,
    RETREATS,
    STAYS,
)
from .pieces import (
    PROPER,
    fighting,
    fits,
    is_fort_or_pa,
    is_held,
    is_leader,
    land_units,
    mark,
    place_piece,
    reduce_structure,
    remove_structure,
    room,
    structure_owner,
    unmark,
    weight_of,
)
from .results import begin_result, disrupt_boats, disrupt_structure
from .strength import (
    column_of,
    count_attackers,
    count_side,
    fights_on,
    is_empty_fort,
    ready_fighting,
    result_of,
)

# The steps in turn


class CombatStep(Phase):
    """[9.0] The next step of a combat."""

    @staticmethod
    def run(rules: Any, state: Any) -> None:
        step, defender = state.next_step, 1 - state.attacker
        state.decider = -1
        if step == EVADE:
            state.next_step = CHIT
            if may_evade(rules, state):
                state.phase, state.decider = EVADE, defender
        elif step == LEAVE:
            leave_next(rules, state)
        elif step == CHIT:
            state.next_step = BOMBARD
            if state.second != 2:
                draw_next(rules, state)
        elif step == BOMBARD:
            state.next_step = CHARGE_OR_NOT
            aim(rules, state)
        elif step == CHARGE_OR_NOT:
            state.next_step = COUNTER_SIDE
            if may_charge(rules, state):
                state.phase, state.decider = CHARGE_OR_NOT, state.attacker
        elif step == COUNTER_SIDE:
            state.next_step = ATTACK
            if is_countered(rules, state):
                state.phase, state.decider = COUNTER_SIDE, defender
        elif step == ATTACK:
            state.next_step = ADVANCE
            if count_attackers(rules, state, -1, False) > 0 and is_held(state, state.attacker, state.target):
                state.phase = ATTACK
        elif step == ADVANCE:
            state.next_step = DECLARE
            if is_open_to_advance(state) and count_attackers(rules, state, -1, True) > 0:
                state.phase, state.decider = ADVANCE, state.attacker
            else:
                suffer(rules, state)
        else:
            end_combat(rules, state)


@rule
def end_combat(rules: Any, state: Any) -> None:
    """[9.0, R-45] End a combat; a counterstroke that a chit allows follows."""
    for piece in range(state.pieces):
        unmark(state, piece, PARTICIPANT + CHARGED + STAYS)
        state.origin[piece] = -1
    if state.second == 1:
        state.attacker = state.decider = 1 - state.attacker
        state.second, state.phase = 2, COUNTERSTROKE
        new_combat(state)
        if targets(rules, state) > 1:
            return
    declare_next(state)


# Charge


@rule
def may_charge(rules: Any, state: Any) -> bool:
    """[9.0 step 5, R-44] Return True if ready cavalry takes part against units on clear ground without a pa."""
    target = state.target
    if rules.rough[target] == 1 or state.structure[target] in (PA, QUEENITE_PA):
        return False
    return land_units(state, 1 - state.attacker, target) != 0 and count_attackers(rules, state, CAVALRY, True) > 0


class ChargeOrNot(Phase):
    """[9.0 step 5, R-44] All the cavalry charges, or none."""

    @staticmethod
    def legal(rules: Any, state: Any) -> int:
        state.legal[0], state.legal[1] = PASS, CHARGE_THEM
        return 2

    @staticmethod
    def apply(rules: Any, state: Any, action: int) -> None:
        state.phase, state.decider = COMBAT_STEP, -1
        if action == PASS:
            return
        state.phase = CHARGE
        for piece in range(state.pieces):
            if state.kind[piece] == CAVALRY and fights_on(state, piece):
                mark(state, piece, CHARGED)


class Charge(DieRoll):
    """[9.0 step 5] Chance: the die of the charge."""

    @staticmethod
    def apply(rules: Any, state: Any, outcome: int) -> None:
        defender = 1 - state.attacker
        own = count_attackers(rules, state, -1, True) - count_attackers(rules, state, -1, False)
        column = column_of(own, fighting(state, defender, state.target))
        strike(rules, state, column, outcome + rules.charge + state.attack_modifier)


@rule
def strike(rules: Any, state: Any, column: int, die: int) -> None:
    """[9.0] Apply the result of an attack or a charge to the defender; an empty structure suffers later. [R-27]"""
    result = result_of(rules, column, die)
    state.phase = COMBAT_STEP
    if result == NOTHING:
        return
    state.hit = 1
    if land_units(state, 1 - state.attacker, state.target) != 0:
        begin_result(rules, state, 1 - state.attacker, state.target, result, COMBAT_STEP)
    else:
        state.suffers = result
        if result == ALL_DISRUPTED:
            disrupt_boats(rules, state, 1 - state.attacker, state.target)


# Counter-attack


@rule
def is_countered(rules: Any, state: Any) -> bool:
    """[9.0 step 6, R-26] Return True if the defender must counter-attack: with ready fighting units, a ready fort, or a
    ready empty pa, and against participants that will attack.
    """
    target = state.target
    if state.no_counter == 1 or count_attackers(rules, state, -1, False) == 0:
        return False
    if ready_fighting(state, 1 - state.attacker, target) > 0:
        return True
    if state.damaged[target] == 1 or structure_owner(state, target) != 1 - state.attacker:
        return False
    return state.structure[target] == FORT or is_empty_fort(state, target)


class CounterSide(Phase):
    """[9.0 step 6] The side of the target that the defender counter-attacks."""

    @staticmethod
    def legal(rules: Any, state: Any) -> int:
        n = 0
        for side in range(6):
            if count_side(rules, state, side, -1, False) > 0:
                state.legal[n] = rules.do_counter + side
                n += 1
        return n

    @staticmethod
    def apply(rules: Any, state: Any, action: int) -> None:
        state.hex = rules.land[state.target][action - rules.do_counter]
        state.phase, state.decider = COUNTER, -1


@rule
def counter_column(rules: Any, state: Any) -> int:
    """[9.0 step 6] Return the column of the counter-attack on the hex that was chosen; an empty pa uses the least."""
    own = ready_fighting(state, 1 - state.attacker, state.target)
    if state.structure[state.target] == FORT and state.damaged[state.target] == 0:
        own = max(own, rules.fort_strength)
    column = LESSER if own == 0 else column_of(own, fighting(state, state.attacker, state.hex))
    return min(column + state.counter_columns, GREATER)


@rule
def counter_modifier(rules: Any, state: Any) -> int:
    """[9.0 step 6, R-12] Return what is added to the die of the counter-attack."""
    sapped = state.attacker != MAORI and state.sap_hex == state.target
    return state.counter_modifier + (rules.sap_defence if sapped else 0)


class Counter(DieRoll):
    """[9.0 step 6, 10.0] Chance: the die of the counter-attack, or of the answer to a raid."""

    @staticmethod
    def apply(rules: Any, state: Any, outcome: int) -> None:
        if state.stage == BUSH:
            answer_raid(rules, state, outcome)
            return
        result = result_of(rules, counter_column(rules, state), outcome + counter_modifier(rules, state))
        state.phase = COMBAT_STEP
        begin_result(rules, state, state.attacker, state.hex, result, COMBAT_STEP)


# Attack


@rule
def attack_modifier(rules: Any, state: Any) -> int:
    """[3.0, 9.0 step 7, R-38, R-43] Return what is added to the die of the attack."""
    target, modifier = state.target, state.attack_modifier
    if not is_fort_or_pa(state, target):
        modifier += rules.attack_terrain[rules.rough[target]]
    elif is_empty_fort(state, target):
        modifier += rules.fort_empty
    else:
        modifier += rules.fort_occupied
    if count_attackers(rules, state, MILITIA, False) > 0:
        steady = 0
        for kind in (INFANTRY, NAVAL, CONSTABULARY):
            steady += count_attackers(rules, state, kind, False)
        if steady == 0:
            modifier += rules.militia_alone
    return modifier


@rule
def attack_column(rules: Any, state: Any) -> int:
    """[9.0 step 7] Return the column of the attack: the greatest against who is not there, but for a fort's own."""
    target, defender = state.target, 1 - state.attacker
    own, other = count_attackers(rules, state, -1, False), fighting(state, defender, target)
    if state.structure[target] == FORT:
        return column_of(own, max(other, rules.fort_strength))
    return column_of(own, other) if land_units(state, defender, target) != 0 else GREATER


class Attack(DieRoll):
    """[9.0 step 7, 10.0] Chance: the die of the attack, or of a raid."""

    @staticmethod
    def apply(rules: Any, state: Any, outcome: int) -> None:
        if state.stage == BUSH:
            attack_raided(rules, state, outcome)
        else:
            strike(rules, state, attack_column(rules, state), outcome + attack_modifier(rules, state))


# Advance


@rule
def is_open_to_advance(state: Any) -> bool:
    """[9.0 step 8] Return True if the attacker may advance: no enemy land unit is left, and no structure either, or the
    charge or attack had a result, or evasion emptied the hex.
    """
    if land_units(state, 1 - state.attacker, state.target) != 0:
        return False
    return not is_held(state, state.attacker, state.target) or state.hit == 1 or state.vacated == 1


@rule
def advances_together(rules: Any, state: Any, side: int) -> bool:
    """[9.0 step 8, R-35] Return True if all of a side may advance at once: two or more, or one with a leader."""
    near = rules.land[state.target][side]
    if near < 0:
        return False
    units, leaders, proper = 0, 0, 0
    piece = state.first[near]
    while piece >= 0:
        if fights_on(state, piece):
            weight = weight_of(rules, state, piece)
            units += weight % 16
            proper += (weight // PROPER) % 16
        elif is_leader(state, piece) and state.owner[piece] == state.attacker:
            leaders += 1
        piece = state.next[piece]
    if units == 0 or units + leaders < 2:
        return False
    return room(rules, state, state.attacker, state.target, units, proper)


class Advance(Phase):
    """[9.0 step 8, R-35] The advance: a side's units one by one or all, with their leaders, until `done`."""

    @staticmethod
    def legal(rules: Any, state: Any) -> int:
        state.legal[0] = DONE
        n = 1
        for side in range(6):
            near, first = rules.land[state.target][side], rules.do_advance + OF_SIDE * side
            if near < 0:
                continue
            if advances_together(rules, state, side):
                state.legal[n] = first
                n += 1
            last, piece = -1, state.first[near]
            while piece >= 0:
                kind = state.kind[piece]
                if kind != last and fights_on(state, piece) and fits(rules, state, piece, state.target):
                    state.legal[n] = first + 1 + kind
                    n, last = n + 1, kind
                piece = state.next[piece]
        return n

    @staticmethod
    def apply(rules: Any, state: Any, action: int) -> None:
        if action == DONE:
            state.decider = -1
            suffer(rules, state)
            return
        side, kind = (action - rules.do_advance) // OF_SIDE, (action - rules.do_advance) % OF_SIDE - 1
        occupy(rules, state, rules.land[state.target][side], kind)


@rule
def advances(state: Any, piece: int, kind: int) -> bool:
    """[9.0 step 8, R-35] Return True if a piece goes with an advance of a kind, or with that of all: leaders too."""
    if fights_on(state, piece):
        return kind in (-1, state.kind[piece])
    return kind < 0 and is_leader(state, piece) and state.owner[piece] == state.attacker


@rule
def occupy(rules: Any, state: Any, near: int, kind: int) -> None:
    """[9.0 step 8] Units of a hex advance, one of a kind or all with their leaders. The structure is removed; leaders
    and boats of the enemy suffer as in movement.
    """
    state.suffers = 0
    if structure_owner(state, state.target) == 1 - state.attacker:
        remove_structure(rules, state, state.target)
    captures, piece = False, state.first[near]
    while piece >= 0:
        if advances(state, piece, kind):
            captures = captures or captures_canoes(state, piece)
            place_piece(rules, state, piece, state.target)
            if kind >= 0:
                break
            piece = state.first[near]
        else:
            piece = state.next[piece]
    enter_soft(rules, state, state.attacker, state.target, captures)


@rule
def suffer(rules: Any, state: Any) -> None:
    """[9.0 step 8, 11.0, R-27] An empty structure that nobody has advanced into suffers the result of the attack."""
    result, target = state.suffers, state.target
    state.suffers, state.phase = 0, COMBAT_STEP
    if result == NOTHING or structure_owner(state, target) != 1 - state.attacker:
        return
    if result in (DISRUPT, ALL_DISRUPTED, RETREATS):
        disrupt_structure(rules, state, target, COMBAT_STEP)
    elif is_fort_or_pa(state, target):
        reduce_structure(rules, state, target)
