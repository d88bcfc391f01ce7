"""A movement phase: orders in, results out [Background, Armies, Boats 3, Post, Convoys].

The answers (does a move succeed, is a unit dislodged, is a support given, is a convoy's path whole) are settled by
three-valued iteration: each is computed from the least and the greatest that strengths can still be. What stays open
hangs together in circles; see `knots.untie`.
"""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule

from .convoys import chain
from .forms import room
from .orders import CONVOY, MOVE, SUPPORT, VIA
from .state import NOBODY
from .tables import N_SPACES, SPACE_OF

__all__ = [
    "answer", "attack_strength", "count_at", "iterate", "new_phase", "open_questions", "prevent_strength", "unit_at",
]  # fmt: skip

(
    GOAL, OPPONENT, INTO, NEXT_INTO, HELPERS, NEXT_HELPER, CARRIERS, NEXT_CARRIER, GIVEN, MOVES, OUT, PATH,
) = range(12)  # fmt: skip
"""What the equations of a phase hold of the unit in a space, ``phase[WIDTH * space + GOAL]``; spaces, or -1.

GOAL: where it moves to. OPPONENT: of head-to-head moves, both by plain moves, the other's. INTO, NEXT_INTO: who moves
into the space, and who else, in table order. HELPERS, NEXT_HELPER: who supports the unit, where it fits. CARRIERS,
NEXT_CARRIER: the fleets ordered to convoy just what it is ordered.

GIVEN, MOVES, OUT, PATH: answers: its support is given, its move succeeds, it is dislodged, its move has a path. The
place of an answer stands for the question. Behind the spaces' stand the questions that are open, their number, then the
number of units, and their spaces in table order.
"""
WIDTH, SHIFT = 16, 4  # a power of two: a question's space and kind are found without division
NO, YES, OPEN = 0, 1, -1

NONE = -1


@rule
def count_at(rules: Any) -> int:
    """Where the number of open questions stands."""
    return (WIDTH + 4) * rules[N_SPACES]


@rule
def unit_at(rules: Any) -> int:
    """Where the first unit's space stands, behind their number."""
    return (WIDTH + 4) * rules[N_SPACES] + 2


@rule
def new_phase(rules: Any) -> Any:
    """Room for the equations of a movement phase; the units' spaces are still to be put there."""
    phase = room((WIDTH + 5) * rules[N_SPACES] + 2, NONE)
    phase[unit_at(rules) - 1] = 0
    return phase


@rule
def open_questions(rules: Any, spaces: Any, phase: Any) -> None:
    """[Background] Write the equations of the orders that the units have."""
    n, first = rules[N_SPACES], unit_at(rules)
    last = first + phase[first - 1]
    for i in range(first, last):
        space = phase[i]
        of = WIDTH * space
        verb = spaces[space].verb
        phase[of + GIVEN] = phase[of + MOVES] = phase[of + OUT] = phase[of + PATH] = NO
        if verb in (MOVE, VIA):
            phase[of + GOAL] = rules[rules[SPACE_OF] + spaces[space].target]
    for i in range(last - 1, first - 1, -1):  # each goes to the head of its list
        space = phase[i]
        unit, at = spaces[space], phase[WIDTH * space + GOAL]
        if at >= 0:
            phase[WIDTH * space + NEXT_INTO] = phase[WIDTH * at + INTO]
            phase[WIDTH * at + INTO] = space
            if phase[WIDTH * at + GOAL] == space and unit.verb == MOVE and spaces[at].verb == MOVE:
                phase[WIDTH * space + OPPONENT] = at
        elif unit.verb == SUPPORT and support_fits(phase, spaces, space):
            phase[WIDTH * space + NEXT_HELPER] = phase[WIDTH * unit.source + HELPERS]
            phase[WIDTH * unit.source + HELPERS] = space
            phase[WIDTH * space + GIVEN] = OPEN
        elif unit.verb == CONVOY and convoy_fits(phase, spaces, space):
            phase[WIDTH * space + NEXT_CARRIER] = phase[WIDTH * unit.source + CARRIERS]
            phase[WIDTH * unit.source + CARRIERS] = space
    n_open = WIDTH * n
    for i in range(first, last):
        space = phase[i]
        of = WIDTH * space
        attacked = phase[of + INTO] >= 0
        if phase[of + GIVEN] == OPEN:
            if attacked:
                phase[n_open] = of + GIVEN
                n_open += 1
            else:
                phase[of + GIVEN] = YES
        at = phase[of + GOAL]
        if at >= 0 and spaces[space].verb == MOVE:
            # What follows at once is not asked: alone into an empty space, or without a fleet to carry it.
            phase[of + PATH] = YES
            alone = phase[WIDTH * at + INTO] == space and phase[of + NEXT_INTO] < 0
            if alone and spaces[at].kind == NOBODY:
                phase[of + MOVES] = YES
            else:
                phase[of + MOVES] = OPEN
                phase[n_open] = of + MOVES
                n_open += 1
        elif at >= 0 and phase[of + CARRIERS] >= 0:
            phase[of + PATH] = phase[of + MOVES] = OPEN
            phase[n_open], phase[n_open + 1] = of + PATH, of + MOVES
            n_open += 2
        if attacked:
            phase[of + OUT] = OPEN
            phase[n_open] = of + OUT
            n_open += 1
    phase[count_at(rules)] = n_open - WIDTH * n


@rule
def support_fits(phase: Any, spaces: Any, space: int) -> bool:
    """A support to stay fits a unit without a move; one to go fits a unit that goes there, on any coast and by any
    route [R-06].
    """
    source = spaces[space].source
    if spaces[source].kind == NOBODY:
        return False
    going = phase[WIDTH * source + GOAL] if phase[WIDTH * source + GOAL] >= 0 else source
    return going == spaces[space].target


@rule
def convoy_fits(phase: Any, spaces: Any, space: int) -> bool:
    """Start and end are those of a `via` order."""
    source = spaces[spaces[space].source]
    ordered = source.kind != NOBODY and source.verb == VIA
    return ordered and phase[WIDTH * spaces[space].source + GOAL] == spaces[space].target


# The answers: YES, NO, or OPEN while either is possible


@rule
def answer(rules: Any, spaces: Any, phase: Any, key: int) -> int:
    """Compute one answer from the others."""
    question, space = key & (WIDTH - 1), key >> SHIFT
    if question == MOVES:
        return succeeds(spaces, phase, space)
    if question == OUT:
        return is_dislodged(phase, space)
    if question == GIVEN:
        return is_given(spaces, phase, space)
    return has_path(rules, spaces, phase, space)


@rule
def has_path(rules: Any, spaces: Any, phase: Any, space: int) -> int:
    """Fleets ordered to convoy just this, and not dislodged, make a chain; any one is enough [Convoys, R-27]."""
    n, unit = rules[N_SPACES], spaces[space]
    sure, maybe = room(n, 0), room(n, 0)
    n_sure = n_maybe = 0
    fleet = phase[WIDTH * space + CARRIERS]
    while fleet >= 0:
        out = phase[WIDTH * fleet + OUT]
        if out == NO:
            sure[n_sure] = spaces[fleet].place
            n_sure += 1
        if out != YES:
            maybe[n_maybe] = spaces[fleet].place
            n_maybe += 1
        fleet = phase[WIDTH * fleet + NEXT_CARRIER]
    if n_sure > 0 and chain(rules, unit.kind, unit.place, unit.target, sure, n_sure):
        return YES
    if n_maybe > 0 and chain(rules, unit.kind, unit.place, unit.target, maybe, n_maybe):
        return OPEN
    return NO


@rule
def is_given(spaces: Any, phase: Any, space: int) -> int:
    """A support is given: its unit stays, and nobody of another power attacks it but from the target."""
    out = phase[WIDTH * space + OUT]
    if out == YES:
        return NO
    sure = out == NO
    attacker = phase[WIDTH * space + INTO]
    while attacker >= 0:
        if spaces[attacker].power != spaces[space].power and attacker != spaces[space].target:
            path = phase[WIDTH * attacker + PATH]
            if path == YES:
                return NO
            sure = sure and path == NO
        attacker = phase[WIDTH * attacker + NEXT_INTO]
    return YES if sure else OPEN


@rule
def is_dislodged(phase: Any, space: int) -> int:
    """A unit is dislodged: a move into its space succeeds, and it does not get away."""
    leaves = phase[WIDTH * space + MOVES]
    if leaves == YES:
        return NO
    settled = True
    attacker = phase[WIDTH * space + INTO]
    while attacker >= 0:
        moves = phase[WIDTH * attacker + MOVES]
        if moves == YES and leaves == NO:
            return YES
        settled = settled and moves == NO
        attacker = phase[WIDTH * attacker + NEXT_INTO]
    return NO if settled else OPEN


@rule
def helped(spaces: Any, phase: Any, space: int, against: int) -> tuple[int, int]:
    """Least and greatest 1 + supports of a unit's order; supports of the power `against` do not count."""
    least, most = 1, 1
    helper = phase[WIDTH * space + HELPERS]
    while helper >= 0:
        if spaces[helper].power != against:
            given = phase[WIDTH * helper + GIVEN]
            if given == YES:
                least += 1
            if given != NO:
                most += 1
        helper = phase[WIDTH * helper + NEXT_HELPER]
    return least, most


@rule
def attack_strength(spaces: Any, phase: Any, space: int) -> tuple[int, int]:
    """Least and greatest strength of a move against what may stand in its target."""
    path = phase[WIDTH * space + PATH]
    if path == NO:
        return 0, 0
    at = phase[WIDTH * space + GOAL]
    facing = phase[WIDTH * space + OPPONENT] >= 0
    leaves = OPEN if facing else phase[WIDTH * at + MOVES]
    if spaces[at].kind == NOBODY or (not facing and leaves == YES):
        least, most = helped(spaces, phase, space, NOBODY)
    else:
        # It stays: no unit is dislodged by its own power, nor with its own power's support.
        least, most = 0, 0
        if spaces[at].power != spaces[space].power:
            least, most = helped(spaces, phase, space, spaces[at].power)
        if leaves == OPEN and not facing:
            most = max(most, helped(spaces, phase, space, NOBODY)[1])
    return (least if path == YES else 0), most


@rule
def prevent_strength(spaces: Any, phase: Any, space: int) -> tuple[int, int]:
    """Least and greatest strength of a move against others into the same space."""
    path = phase[WIDTH * space + PATH]
    if path == NO:
        return 0, 0
    beaten = NO if phase[WIDTH * space + OPPONENT] < 0 else phase[WIDTH * phase[WIDTH * space + OPPONENT] + MOVES]
    if beaten == YES:
        return 0, 0
    least, most = helped(spaces, phase, space, NOBODY)
    return (least if path == YES and beaten == NO else 0), most


@rule
def hold_strength(spaces: Any, phase: Any, at: int) -> tuple[int, int]:
    """Least and greatest strength of what holds a space."""
    if spaces[at].kind == NOBODY:
        return 0, 0
    if phase[WIDTH * at + GOAL] < 0:
        return helped(spaces, phase, at, NOBODY)
    leaves = phase[WIDTH * at + MOVES]
    if leaves == YES:
        return 0, 0
    return (1 if leaves == NO else 0), 1


@rule
def succeeds(spaces: Any, phase: Any, space: int) -> int:
    """A move succeeds: it is stronger than every other move there, and than who opposes it or holds the space."""
    at = phase[WIDTH * space + GOAL]
    least, most = attack_strength(spaces, phase, space)
    if phase[WIDTH * space + OPPONENT] >= 0:
        low, high = helped(spaces, phase, at, NOBODY)
    else:
        low, high = hold_strength(spaces, phase, at)
    other = phase[WIDTH * at + INTO]
    while other >= 0:
        if other != space:
            weak, strong = prevent_strength(spaces, phase, other)
            low, high = max(low, weak), max(high, strong)
        other = phase[WIDTH * other + NEXT_INTO]
    if least > high:
        return YES
    return NO if most <= low else OPEN


# Solving


@rule
def iterate(rules: Any, spaces: Any, phase: Any) -> None:
    """Answer what can be answered; what is left stays in `open`."""
    first, before = WIDTH * rules[N_SPACES], -1
    while phase[count_at(rules)] != before:
        before = phase[count_at(rules)]
        left = first
        for i in range(first, first + before):
            key = phase[i]
            value = answer(rules, spaces, phase, key)
            if value == OPEN:
                phase[left] = key
                left += 1
            else:
                phase[key] = value
        phase[count_at(rules)] = left - first
