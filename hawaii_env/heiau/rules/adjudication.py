"""A movement phase: orders in, results out [Background, Armies, Boats 3, Post, Convoys].

The answers (does a move succeed, is a unit dislodged, is a support given, is a convoy's path whole) are settled by
three-valued iteration: each is computed from the least and the greatest that strengths can still be. What stays open
hangs together in circles; see `cycles.resolve_cycle`.
"""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule
from hawaii_env.core.layout import new_array

from .convoys import chain
from .equations import (
    GIVEN,
    MOVES,
    NO,
    OPEN,
    OUT,
    PATH,
    YES,
    keep_open,
    set_answer,
)
from .orders import CONVOY, MOVE, SUPPORT, VIA
from .state import NOBODY

__all__ = ["answer", "attack_strength", "iterate", "open_questions", "prevent_strength"]


@rule
def open_questions(rules: Any, state: Any, phase: Any) -> None:
    """[Background] Write the equations of the orders that the units have."""
    for i in range(phase.n_units):
        space = phase.units[i]
        verb = state.verb[space]
        phase.answer[space][GIVEN] = phase.answer[space][MOVES] = phase.answer[space][OUT] = phase.answer[space][
            PATH
        ] = NO
        if verb in (MOVE, VIA):
            phase.goal[space] = rules.space_of[state.target[space]]
    for i in range(phase.n_units - 1, -1, -1):  # each goes to the head of its list
        space = phase.units[i]
        at = phase.goal[space]
        if at >= 0:
            phase.next_into[space] = phase.into[at]
            phase.into[at] = space
            if phase.goal[at] == space and state.verb[space] == MOVE and state.verb[at] == MOVE:
                phase.opponent[space] = at
        elif state.verb[space] == SUPPORT and support_fits(phase, state, space):
            phase.next_helper[space] = phase.helpers[state.source[space]]
            phase.helpers[state.source[space]] = space
            phase.answer[space][GIVEN] = OPEN
        elif state.verb[space] == CONVOY and convoy_fits(phase, state, space):
            phase.next_carrier[space] = phase.carriers[state.source[space]]
            phase.carriers[state.source[space]] = space
    n = 0
    for i in range(phase.n_units):
        space = phase.units[i]
        attacked = phase.into[space] >= 0
        if phase.answer[space][GIVEN] == OPEN:
            if attacked:
                n = keep_open(phase, n, space, GIVEN)
            else:
                phase.answer[space][GIVEN] = YES
        at = phase.goal[space]
        if at >= 0 and state.verb[space] == MOVE:
            # What follows at once is not asked: alone into an empty space, or without a fleet to carry it.
            phase.answer[space][PATH] = YES
            alone = phase.into[at] == space and phase.next_into[space] < 0
            if alone and state.kind[at] == NOBODY:
                phase.answer[space][MOVES] = YES
            else:
                n = keep_open(phase, n, space, MOVES)
        elif at >= 0 and phase.carriers[space] >= 0:
            n = keep_open(phase, n, space, PATH)
            n = keep_open(phase, n, space, MOVES)
        if attacked:
            n = keep_open(phase, n, space, OUT)
    phase.n_open = n


@rule
def support_fits(phase: Any, state: Any, space: int) -> bool:
    """Return True if a support to stay fits a unit without a move; one to go fits a unit that goes there, on any coast
    and by any route [R-06].
    """
    source = state.source[space]
    if state.kind[source] == NOBODY:
        return False
    going = phase.goal[source] if phase.goal[source] >= 0 else source
    return going == state.target[space]


@rule
def convoy_fits(phase: Any, state: Any, space: int) -> bool:
    """Start and end are those of a `via` order."""
    ordered = state.kind[state.source[space]] != NOBODY and state.verb[state.source[space]] == VIA
    return ordered and phase.goal[state.source[space]] == state.target[space]


# The answers: YES, NO, or OPEN while either is possible


@rule
def answer(rules: Any, state: Any, phase: Any, key: int) -> int:
    """Compute one answer from the others."""
    question, space = key & 3, key >> 2
    if question == MOVES:
        return succeeds(state, phase, space)
    if question == OUT:
        return is_dislodged(phase, space)
    if question == GIVEN:
        return is_given(state, phase, space)
    return has_path(rules, state, phase, space)


@rule
def has_path(rules: Any, state: Any, phase: Any, space: int) -> int:
    """Return YES if fleets ordered to convoy just this, and not dislodged, make a chain, NO or OPEN if not or not yet;
    any one is enough [Convoys, R-27].
    """
    n = rules.spaces
    sure, maybe = new_array(n, 0), new_array(n, 0)
    n_sure = n_maybe = 0
    fleet = phase.carriers[space]
    while fleet >= 0:
        out = phase.answer[fleet][OUT]
        if out == NO:
            sure[n_sure] = state.place[fleet]
            n_sure += 1
        if out != YES:
            maybe[n_maybe] = state.place[fleet]
            n_maybe += 1
        fleet = phase.next_carrier[fleet]
    if n_sure > 0 and chain(rules, state.kind[space], state.place[space], state.target[space], sure, n_sure):
        return YES
    if n_maybe > 0 and chain(rules, state.kind[space], state.place[space], state.target[space], maybe, n_maybe):
        return OPEN
    return NO


@rule
def is_given(state: Any, phase: Any, space: int) -> int:
    """Return whether a support is given: its unit stays, and nobody of another power attacks it but from the target."""
    out = phase.answer[space][OUT]
    if out == YES:
        return NO
    sure = out == NO
    attacker = phase.into[space]
    while attacker >= 0:
        if state.power[attacker] != state.power[space] and attacker != state.target[space]:
            path = phase.answer[attacker][PATH]
            if path == YES:
                return NO
            sure = sure and path == NO
        attacker = phase.next_into[attacker]
    return YES if sure else OPEN


@rule
def is_dislodged(phase: Any, space: int) -> int:
    """Return whether a unit is dislodged: a move into its space succeeds, and it does not get away."""
    leaves = phase.answer[space][MOVES]
    if leaves == YES:
        return NO
    settled = True
    attacker = phase.into[space]
    while attacker >= 0:
        moves = phase.answer[attacker][MOVES]
        if moves == YES and leaves == NO:
            return YES
        settled = settled and moves == NO
        attacker = phase.next_into[attacker]
    return NO if settled else OPEN


@rule
def helped(state: Any, phase: Any, space: int, against: int) -> tuple[int, int]:
    """Return the least and greatest 1 + supports of a unit's order; supports of the power `against` do not count."""
    least, most = 1, 1
    helper = phase.helpers[space]
    while helper >= 0:
        if state.power[helper] != against:
            given = phase.answer[helper][GIVEN]
            if given == YES:
                least += 1
            if given != NO:
                most += 1
        helper = phase.next_helper[helper]
    return least, most


@rule
def attack_strength(state: Any, phase: Any, space: int) -> tuple[int, int]:
    """Return the least and greatest strength of a move against what may stand in its target."""
    path = phase.answer[space][PATH]
    if path == NO:
        return 0, 0
    at = phase.goal[space]
    facing = phase.opponent[space] >= 0
    leaves = OPEN if facing else phase.answer[at][MOVES]
    if state.kind[at] == NOBODY or (not facing and leaves == YES):
        least, most = helped(state, phase, space, NOBODY)
    else:
        # It stays: no unit is dislodged by its own power, nor with its own power's support.
        least, most = 0, 0
        if state.power[at] != state.power[space]:
            least, most = helped(state, phase, space, state.power[at])
        if leaves == OPEN and not facing:
            most = max(most, helped(state, phase, space, NOBODY)[1])
    return (least if path == YES else 0), most


@rule
def prevent_strength(state: Any, phase: Any, space: int) -> tuple[int, int]:
    """Return the least and greatest strength of a move against others into the same space."""
    path = phase.answer[space][PATH]
    if path == NO:
        return 0, 0
    beaten = NO if phase.opponent[space] < 0 else phase.answer[phase.opponent[space]][MOVES]
    if beaten == YES:
        return 0, 0
    least, most = helped(state, phase, space, NOBODY)
    return (least if path == YES and beaten == NO else 0), most


@rule
def hold_strength(state: Any, phase: Any, at: int) -> tuple[int, int]:
    """Return the least and greatest strength of what holds a space."""
    if state.kind[at] == NOBODY:
        return 0, 0
    if phase.goal[at] < 0:
        return helped(state, phase, at, NOBODY)
    leaves = phase.answer[at][MOVES]
    if leaves == YES:
        return 0, 0
    return (1 if leaves == NO else 0), 1


@rule
def succeeds(state: Any, phase: Any, space: int) -> int:
    """Return whether a move succeeds: it is stronger than every other move there, and than who opposes it or holds
    the space.
    """
    at = phase.goal[space]
    least, most = attack_strength(state, phase, space)
    if phase.opponent[space] >= 0:
        low, high = helped(state, phase, at, NOBODY)
    else:
        low, high = hold_strength(state, phase, at)
    other = phase.into[at]
    while other >= 0:
        if other != space:
            weak, strong = prevent_strength(state, phase, other)
            low, high = max(low, weak), max(high, strong)
        other = phase.next_into[other]
    if least > high:
        return YES
    return NO if most <= low else OPEN


# Solving


@rule
def iterate(rules: Any, state: Any, phase: Any) -> None:
    """Answer what can be answered; what is left stays in `open`."""
    before = -1
    while phase.n_open != before:
        before = phase.n_open
        left = 0
        for i in range(before):
            key = phase.open[i]
            value = answer(rules, state, phase, key)
            if value == OPEN:
                phase.open[left] = key
                left += 1
            else:
                set_answer(phase, key, value)
        phase.n_open = left
