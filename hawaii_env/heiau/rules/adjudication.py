"""A movement phase: orders in, results out [Background, Armies, Boats 3, Post, Convoys].

The answers (does a move succeed, is a unit dislodged, is a support given, is a convoy's path whole) are settled by
three-valued iteration: each is computed from the least and the greatest that strengths can still be. What stays open
hangs together in circles; see `knots.untie`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from hawaii_env._jit import rule

from .board import ARMY, BUNCH
from .convoys import chain
from .forms import room
from .orders import BOATS, CONVOY, HOLD, MOVE, POST, SUPPORT, VIA, burns
from .state import NOBODY

__all__ = ["GIVEN", "MOVES", "NO", "OPEN", "OUT", "PATH", "YES", "Phase", "answer", "iterate", "new_phase"]

GIVEN, MOVES, OUT, PATH = range(4)
"""Questions: is a support given, does a move succeed, is a unit dislodged, has a move a path. An answer stands in
``known[question * spaces + space]``, with the unit's space.
"""
NO, YES, OPEN = 0, 1, -1

NONE = -1


class Phase(NamedTuple):
    """The equations of one phase; every unit is known by its space. Lists of units are linked, in table order.

    Attributes:
        goal: the space that a unit moves to, or -1.
        opponent: of head-to-head moves, both by plain moves: the other's space, or -1.
        into, next_into: the units that move into a space.
        helpers, next_helper: those that support a unit, where it fits.
        carriers, next_carrier: the fleets ordered to convoy just what a unit is ordered.
        known: the answers: YES, NO, or OPEN while either is possible.
        open: the questions that are open; count[0] of them.
    """

    goal: Any
    opponent: Any
    into: Any
    next_into: Any
    helpers: Any
    next_helper: Any
    carriers: Any
    next_carrier: Any
    known: Any
    open: Any
    count: Any


@rule
def new_phase(rules: Any, spaces: Any) -> Any:
    """[Background] The equations of the orders that the units have."""
    n = rules.game[0].spaces
    phase = Phase(
        room(n, NONE),
        room(n, NONE),
        room(n, NONE),
        room(n, NONE),
        room(n, NONE),
        room(n, NONE),
        room(n, NONE),
        room(n, NONE),
        room(4 * n, NO),
        room(4 * n, 0),
        room(1, 0),
    )
    for space in range(n):
        verb = spaces[space].verb
        if spaces[space].kind != NOBODY and (verb == MOVE or verb == VIA):
            phase.goal[space] = rules.places[spaces[space].target].space
    for space in range(n - 1, -1, -1):  # each goes to the head of its list
        unit, at = spaces[space], phase.goal[space]
        if unit.kind == NOBODY:
            continue
        if at >= 0:
            phase.next_into[space] = phase.into[at]
            phase.into[at] = space
            if phase.goal[at] == space and unit.verb == MOVE and spaces[at].verb == MOVE:
                phase.opponent[space] = at
        elif unit.verb == SUPPORT and support_fits(phase, spaces, space):
            phase.next_helper[space] = phase.helpers[unit.source]
            phase.helpers[unit.source] = space
            phase.known[GIVEN * n + space] = OPEN
        elif unit.verb == CONVOY and spaces[unit.source].kind != NOBODY:
            if spaces[unit.source].verb == VIA and phase.goal[unit.source] == unit.target:
                phase.next_carrier[space] = phase.carriers[unit.source]
                phase.carriers[unit.source] = space
    n_open = 0
    for space in range(n):
        unit = spaces[space]
        if unit.kind == NOBODY:
            continue
        if phase.goal[space] >= 0:
            phase.known[PATH * n + space] = YES if unit.verb == MOVE else OPEN
            phase.known[MOVES * n + space] = OPEN
        if phase.into[space] >= 0:
            phase.known[OUT * n + space] = OPEN
        for question in (GIVEN, PATH, MOVES, OUT):
            if phase.known[question * n + space] == OPEN:
                phase.open[n_open] = question * n + space
                n_open += 1
    phase.count[0] = n_open
    return phase


@rule
def support_fits(phase: Any, spaces: Any, space: int) -> bool:
    """A support to stay fits a unit without a move; one to go fits a unit that goes there, on any coast and by any
    route [R-06].
    """
    source = spaces[space].source
    if spaces[source].kind == NOBODY:
        return False
    going = phase.goal[source] if phase.goal[source] >= 0 else source
    return going == spaces[space].target


# The answers: YES, NO, or OPEN while either is possible


@rule
def answer(rules: Any, spaces: Any, phase: Any, key: int) -> int:
    """Compute one answer from the others."""
    question, space = key // rules.game[0].spaces, key % rules.game[0].spaces
    if question == MOVES:
        return succeeds(rules, spaces, phase, space)
    if question == OUT:
        return is_dislodged(rules, phase, space)
    if question == GIVEN:
        return is_given(rules, spaces, phase, space)
    return has_path(rules, spaces, phase, space)


@rule
def has_path(rules: Any, spaces: Any, phase: Any, space: int) -> int:
    """Fleets ordered to convoy just this, and not dislodged, make a chain; any one is enough [Convoys, R-27]."""
    n, unit = rules.game[0].spaces, spaces[space]
    sure, maybe = room(n, 0), room(n, 0)
    n_sure = n_maybe = 0
    fleet = phase.carriers[space]
    while fleet >= 0:
        out = phase.known[OUT * n + fleet]
        if out == NO:
            sure[n_sure] = spaces[fleet].place
            n_sure += 1
        if out != YES:
            maybe[n_maybe] = spaces[fleet].place
            n_maybe += 1
        fleet = phase.next_carrier[fleet]
    if n_sure > 0 and chain(rules, unit.kind, unit.place, unit.target, sure, n_sure):
        return YES
    if n_maybe > 0 and chain(rules, unit.kind, unit.place, unit.target, maybe, n_maybe):
        return OPEN
    return NO


@rule
def is_given(rules: Any, spaces: Any, phase: Any, space: int) -> int:
    """A support is given: its unit stays, and nobody of another power attacks it but from the target."""
    n = rules.game[0].spaces
    out = phase.known[OUT * n + space]
    if out == YES:
        return NO
    sure = out == NO
    attacker = phase.into[space]
    while attacker >= 0:
        if spaces[attacker].power != spaces[space].power and attacker != spaces[space].target:
            path = phase.known[PATH * n + attacker]
            if path == YES:
                return NO
            sure = sure and path == NO
        attacker = phase.next_into[attacker]
    return YES if sure else OPEN


@rule
def is_dislodged(rules: Any, phase: Any, space: int) -> int:
    """A unit is dislodged: a move into its space succeeds, and it does not get away."""
    n = rules.game[0].spaces
    leaves = phase.known[MOVES * n + space]
    if leaves == YES:
        return NO
    settled = True
    attacker = phase.into[space]
    while attacker >= 0:
        moves = phase.known[MOVES * n + attacker]
        if moves == YES and leaves == NO:
            return YES
        settled = settled and moves == NO
        attacker = phase.next_into[attacker]
    return NO if settled else OPEN


@rule
def helped(rules: Any, spaces: Any, phase: Any, space: int, against: int) -> tuple[int, int]:
    """Least and greatest 1 + supports of a unit's order; supports of the power `against` do not count."""
    least, most = 1, 1
    helper = phase.helpers[space]
    while helper >= 0:
        if spaces[helper].power != against:
            given = phase.known[GIVEN * rules.game[0].spaces + helper]
            if given == YES:
                least += 1
            if given != NO:
                most += 1
        helper = phase.next_helper[helper]
    return least, most


@rule
def attack_strength(rules: Any, spaces: Any, phase: Any, space: int) -> tuple[int, int]:
    """Least and greatest strength of a move against what may stand in its target."""
    n = rules.game[0].spaces
    path = phase.known[PATH * n + space]
    if path == NO:
        return 0, 0
    at = phase.goal[space]
    facing = phase.opponent[space] >= 0
    leaves = OPEN if facing else phase.known[MOVES * n + at]
    if spaces[at].kind == NOBODY or (not facing and leaves == YES):
        least, most = helped(rules, spaces, phase, space, NOBODY)
    else:
        # It stays: no unit is dislodged by its own power, nor with its own power's support.
        least, most = 0, 0
        if spaces[at].power != spaces[space].power:
            least, most = helped(rules, spaces, phase, space, spaces[at].power)
        if leaves == OPEN and not facing:
            most = max(most, helped(rules, spaces, phase, space, NOBODY)[1])
    return (least if path == YES else 0), most


@rule
def prevent_strength(rules: Any, spaces: Any, phase: Any, space: int) -> tuple[int, int]:
    """Least and greatest strength of a move against others into the same space."""
    n = rules.game[0].spaces
    path = phase.known[PATH * n + space]
    if path == NO:
        return 0, 0
    beaten = NO if phase.opponent[space] < 0 else phase.known[MOVES * n + phase.opponent[space]]
    if beaten == YES:
        return 0, 0
    least, most = helped(rules, spaces, phase, space, NOBODY)
    return (least if path == YES and beaten == NO else 0), most


@rule
def hold_strength(rules: Any, spaces: Any, phase: Any, at: int) -> tuple[int, int]:
    """Least and greatest strength of what holds a space."""
    if spaces[at].kind == NOBODY:
        return 0, 0
    if phase.goal[at] < 0:
        return helped(rules, spaces, phase, at, NOBODY)
    leaves = phase.known[MOVES * rules.game[0].spaces + at]
    if leaves == YES:
        return 0, 0
    return (1 if leaves == NO else 0), 1


@rule
def succeeds(rules: Any, spaces: Any, phase: Any, space: int) -> int:
    """A move succeeds: it is stronger than every other move there, and than who opposes it or holds the space."""
    at = phase.goal[space]
    least, most = attack_strength(rules, spaces, phase, space)
    if phase.opponent[space] >= 0:
        low, high = helped(rules, spaces, phase, at, NOBODY)
    else:
        low, high = hold_strength(rules, spaces, phase, at)
    other = phase.into[at]
    while other >= 0:
        if other != space:
            weak, strong = prevent_strength(rules, spaces, phase, other)
            low, high = max(low, weak), max(high, strong)
        other = phase.next_into[other]
    if least > high:
        return YES
    return NO if most <= low else OPEN


# Solving


@rule
def iterate(rules: Any, spaces: Any, phase: Any) -> None:
    """Answer what can be answered; what is left stays in `open`."""
    before = -1
    while phase.count[0] != before:
        before = phase.count[0]
        left = 0
        for i in range(before):
            key = phase.open[i]
            value = answer(rules, spaces, phase, key)
            if value == OPEN:
                phase.open[left] = key
                left += 1
            else:
                phase.known[key] = value
        phase.count[0] = left
