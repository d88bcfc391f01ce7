"""A movement phase from the orders to what stands on the board after it [Background, Armies, Boats 3, Post]."""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule

from .adjudication import (
    GIVEN,
    GOAL,
    INTO,
    MOVES,
    NEXT_INTO,
    NO,
    NONE,
    OUT,
    PATH,
    WIDTH,
    YES,
    count_at,
    iterate,
    new_phase,
    open_questions,
    prevent_strength,
    unit_at,
)
from .board import ARMY, BUNCH, FLEET
from .knots import untie
from .orders import BOATS, CONVOY, HOLD, MOVE, POST, SUPPORT, VIA, burns
from .state import NOBODY
from .tables import BARE, N_PLACES, N_SPACES, SPACE_OF

__all__ = ["move_many", "move_units"]


@rule
def move_units(rules: Any, spaces: Any) -> None:
    """Resolve a movement phase: boats burn, the equations are solved, the dislodged are set aside, boats and posts are
    built. The orders are possible ones; what became of each is reported.
    """
    phase = new_phase(rules)
    number = unit_at(rules) - 1
    for space in range(rules[N_SPACES]):
        at = spaces[space]
        at.out_kind, at.contested = NOBODY, 0
        if at.kind != NOBODY:
            phase[number] += 1
            phase[number + phase[number]] = space
        elif at.last_kind != NOBODY:
            at.last_kind, at.last_power, at.last_place = NOBODY, NOBODY, NOBODY
            at.last_verb, at.last_source, at.last_target = NOBODY, NOBODY, NOBODY
            at.last_aided, at.success, at.dislodged, at.burned = NOBODY, 0, 0, 0
    settle(rules, spaces, phase)


KIND, OWNER, PLACE, VERB, SOURCE, TARGET = range(6)
"""A unit and its order, as a row of whole numbers."""
AFTER_KIND, AFTER_PLACE, FROM, SUCCESS, OUT_OF_IT, BURNED, CONTESTED = range(7)
"""What became of it: see `hawaii_env.heiau.adjudicator.Outcomes`."""


@rule
def move_many(rules: Any, spaces: Any, phases: Any, found: Any) -> int:
    """Resolve many movement phases, one after another, on a board that is empty before and after.

    phases: int64[K, U, 6], of a unit and its order; kind -1: no unit. found: int64[K, U, 7], out. Returns the first row
    that is none (k * U + u), or -1; nothing after it is done.
    """
    number, phase = unit_at(rules) - 1, new_phase(rules)
    for k in range(phases.shape[0]):
        bad = -1
        for u in range(phases.shape[1]):
            if bad < 0 and phases[k, u, KIND] >= 0:
                if is_row(rules, spaces, phases, k, u):
                    enter_row(rules, spaces, phase, number, phases, k, u)
                else:
                    bad = k * phases.shape[1] + u
        if bad < 0:
            settle(rules, spaces, phase)
            for u in range(phases.shape[1]):
                if phases[k, u, KIND] >= 0:
                    tell_row(rules, spaces, phases, found, k, u)
        for i in range(number + 1, number + 1 + phase[number]):
            space = phase[i]
            goal = phase[WIDTH * space + GOAL]
            clear(spaces, space)
            if goal >= 0:
                clear(spaces, goal)
                phase[WIDTH * goal + INTO] = NONE
        for i in range(number + 1, number + 1 + phase[number]):
            for key in range(WIDTH * phase[i], WIDTH * phase[i] + PATH + 1):
                phase[key] = NONE
        phase[number] = 0
        if bad >= 0:
            return bad
    return -1


@rule
def is_row(rules: Any, spaces: Any, phases: Any, k: int, u: int) -> bool:
    """A row is a unit where none stands yet, with an order of numbers that are in range."""
    place, verb, source = phases[k, u, PLACE], phases[k, u, VERB], phases[k, u, SOURCE]
    target, n = phases[k, u, TARGET], rules[N_SPACES]
    if not (phases[k, u, KIND] <= FLEET and 0 <= place < rules[N_PLACES] and phases[k, u, OWNER] >= 0):
        return False
    if spaces[rules[rules[SPACE_OF] + place]].kind != NOBODY:
        return False
    if verb in (SUPPORT, CONVOY):
        return 0 <= source < n and 0 <= target < n
    if verb in (MOVE, VIA, BOATS):
        return source == -1 and 0 <= target < rules[N_PLACES]
    return verb in (HOLD, POST) and source == -1 and target == -1


@rule
def enter_row(rules: Any, spaces: Any, phase: Any, number: int, phases: Any, k: int, u: int) -> None:
    """Put a unit on the board, and its space among the others, in table order."""
    space = rules[rules[SPACE_OF] + int(phases[k, u, PLACE])]
    at = spaces[space]
    at.kind, at.power, at.place = int(phases[k, u, KIND]), int(phases[k, u, OWNER]), int(phases[k, u, PLACE])
    at.verb, at.source, at.target = int(phases[k, u, VERB]), int(phases[k, u, SOURCE]), int(phases[k, u, TARGET])
    phase[number] += 1
    i = number + phase[number]
    while i > number + 1 and phase[i - 1] > space:
        phase[i] = phase[i - 1]
        i -= 1
    phase[i] = space


@rule
def tell_row(rules: Any, spaces: Any, phases: Any, found: Any, k: int, u: int) -> None:
    """Write what became of a unit."""
    at, verb = spaces[rules[rules[SPACE_OF] + phases[k, u, PLACE]]], phases[k, u, VERB]
    found[k, u, SUCCESS], found[k, u, OUT_OF_IT], found[k, u, BURNED] = at.success, at.dislodged, at.burned
    found[k, u, FROM] = NOBODY
    found[k, u, CONTESTED] = 0
    if at.dislodged != 0:
        found[k, u, AFTER_KIND], found[k, u, AFTER_PLACE], found[k, u, FROM] = at.out_kind, at.out_place, at.out_from
    else:
        there = at
        if verb in (MOVE, VIA) and at.success != 0:
            there = spaces[rules[rules[SPACE_OF] + phases[k, u, TARGET]]]
        found[k, u, AFTER_KIND], found[k, u, AFTER_PLACE] = there.kind, there.place
    if verb in (MOVE, VIA):
        found[k, u, CONTESTED] = spaces[rules[rules[SPACE_OF] + phases[k, u, TARGET]]].contested


@rule
def clear(spaces: Any, space: int) -> None:
    """Empty a space."""
    at = spaces[space]
    at.kind, at.power, at.place, at.owner, at.post, at.contested = NOBODY, NOBODY, NOBODY, NOBODY, 0, 0
    at.out_kind, at.out_power, at.out_place, at.out_from = NOBODY, NOBODY, NOBODY, NOBODY


@rule
def settle(rules: Any, spaces: Any, phase: Any) -> None:
    """Resolve the movement phase of the units whose spaces stand in `phase`; see `move_units`."""
    first = unit_at(rules)
    last = first + phase[first - 1]
    for i in range(first, last):
        report(rules, spaces, phase[i])
    for i in range(first, last):
        if spaces[phase[i]].burned != 0:
            spaces[phase[i]].kind = ARMY
    open_questions(rules, spaces, phase)
    iterate(rules, spaces, phase)
    while phase[count_at(rules)] > 0:
        untie(rules, spaces, phase)
        iterate(rules, spaces, phase)
    for i in range(first, last):
        judge(rules, spaces, phase, phase[i])
    carry_out(rules, spaces, phase)


@rule
def report(rules: Any, spaces: Any, space: int) -> None:
    """A unit's order as orders are revealed; boats burn at once [Boats 3]."""
    at = spaces[space]
    if at.verb == NOBODY:
        at.verb = HOLD
    at.last_kind, at.last_power, at.last_place = at.kind, at.power, at.place
    at.last_verb, at.last_source, at.last_target = at.verb, at.source, at.target
    at.last_aided = spaces[at.source].kind if at.source >= 0 else NOBODY
    at.success, at.dislodged = 0, 0
    at.burned = 1 if burns(rules, at.kind, at.place, at.verb, at.target) else 0


@rule
def is_attacked(rules: Any, spaces: Any, phase: Any, space: int) -> bool:
    """A unit of another power is ordered there, by an undisturbed convoy or by itself; success does not matter [R-12,
    R-25].
    """
    one = phase[WIDTH * space + INTO]
    while one >= 0:
        if spaces[one].power != spaces[space].power and phase[WIDTH * one + PATH] == YES:
            return True
        one = phase[WIDTH * one + NEXT_INTO]
    return False


@rule
def judge(rules: Any, spaces: Any, phase: Any, space: int) -> None:
    """What became of a unit's order: a move arrived, a support was given, boats or a post were built; else the unit was
    not dislodged.
    """
    at = spaces[space]
    at.dislodged = phase[WIDTH * space + OUT]
    if at.verb in (MOVE, VIA):
        at.success = phase[WIDTH * space + MOVES]
    elif at.verb == SUPPORT:
        at.success = phase[WIDTH * space + GIVEN]
    elif at.verb in (BOATS, POST):
        at.success = 0 if is_attacked(rules, spaces, phase, space) else 1
    else:
        at.success = 1 - at.dislodged


@rule
def carry_out(rules: Any, spaces: Any, phase: Any) -> None:
    """Put everything where it is after the phase."""
    first, kinds = unit_at(rules), WIDTH * rules[N_SPACES]  # no question is open now
    last = first + phase[first - 1]
    for i in range(first, last):
        space = phase[i]
        at = spaces[space]
        if at.dislodged != 0:
            set_aside(rules, spaces, phase, space)
        elif at.verb == BOATS and at.success != 0:
            at.kind, at.place = BUNCH, at.target
        elif at.verb == POST and at.success != 0:
            at.post, at.owner = 1, at.power
    # A unit that moves may go where another has still to leave: all leave first.
    for i in range(first, last):
        space = phase[i]
        phase[kinds + space] = spaces[space].kind
        if phase[WIDTH * space + MOVES] == YES or spaces[space].dislodged != 0:
            spaces[space].kind = spaces[space].power = spaces[space].place = NOBODY
    for i in range(first, last):
        space = phase[i]
        if phase[WIDTH * space + MOVES] == YES:
            goal = spaces[phase[WIDTH * space + GOAL]]
            goal.kind, goal.power = phase[kinds + space], spaces[space].last_power
            goal.place = spaces[space].target
            if goal.kind == ARMY:
                goal.place = rules[rules[BARE] + phase[WIDTH * space + GOAL]]
    for i in range(first, last):
        space = phase[i]
        at = phase[WIDTH * space + GOAL]
        failed = at >= 0 and phase[WIDTH * space + MOVES] == NO and spaces[at].kind == NOBODY
        if failed and prevent_strength(spaces, phase, space)[0] >= 1:
            spaces[at].contested = 1


@rule
def set_aside(rules: Any, spaces: Any, phase: Any, space: int) -> None:
    """A dislodged unit waits for its retreat; it may not go where its attacker marched or sailed from [R-15]."""
    at = spaces[space]
    at.out_kind, at.out_power, at.out_place, at.out_from = at.kind, at.power, at.place, NOBODY
    attacker = phase[WIDTH * space + INTO]
    while phase[WIDTH * attacker + MOVES] != YES:
        attacker = phase[WIDTH * attacker + NEXT_INTO]
    if spaces[attacker].verb == MOVE:
        at.out_from = attacker
