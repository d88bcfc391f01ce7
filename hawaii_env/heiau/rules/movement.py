"""A movement phase from the orders to what stands on the board after it [Background, Armies, Boats 3, Post]."""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule
from hawaii_env.core.layout import release

from .adjudication import iterate, open_questions, prevent_strength
from .board import ARMY, BUNCH, FLEET
from .cycles import resolve_cycle
from .equations import (
    GIVEN,
    MOVES,
    N_QUESTIONS,
    NO,
    NONE,
    OUT,
    PATH,
    YES,
    new_equations,
    view_equations,
)
from .orders import BOATS, CONVOY, HOLD, MOVE, POST, SUPPORT, VIA, burns
from .state import NOBODY

__all__ = ["move_many", "move_units"]


@rule
def move_units(rules: Any, state: Any) -> None:
    """Resolve a movement phase: boats burn, the equations are solved, the dislodged are set aside, boats and posts are
    built. The orders are possible ones; what became of each is reported.
    """
    held = new_equations(rules)
    phase = view_equations(held)
    for space in range(rules.spaces):
        state.out_kind[space], state.contested[space] = NOBODY, 0
        if state.kind[space] != NOBODY:
            phase.units[phase.n_units] = space
            phase.n_units += 1
        elif state.last_kind[space] != NOBODY:
            state.last_kind[space], state.last_power[space], state.last_place[space] = NOBODY, NOBODY, NOBODY
            state.last_verb[space], state.last_source[space], state.last_target[space] = NOBODY, NOBODY, NOBODY
            state.last_aided[space], state.success[space], state.dislodged[space], state.burned[space] = NOBODY, 0, 0, 0
    resolve(rules, state, phase)
    release(held)


KIND, OWNER, PLACE, VERB, SOURCE, TARGET = range(6)
"""A unit and its order, as a row of whole numbers."""
AFTER_KIND, AFTER_PLACE, FROM, SUCCESS, OUT_OF_IT, BURNED, CONTESTED = range(7)
"""The outcome of an order: see `hawaii_env.heiau.adjudicator.Outcomes`."""


@rule
def move_many(rules: Any, state: Any, phases: Any, found: Any) -> int:
    """Resolve many movement phases, one after another, on a board that is empty before and after.

    phases: int64[K, U, 6], of a unit and its order; kind -1: no unit. found: int64[K, U, 7], out. Returns the first row
    that is none (k * U + u), or -1; nothing after it is done.
    """
    held, bad = new_equations(rules), -1
    phase = view_equations(held)
    for k in range(phases.shape[0]):
        bad = -1
        for u in range(phases.shape[1]):
            if bad < 0 and phases[k, u, KIND] >= 0:
                if is_row(rules, state, phases, k, u):
                    enter_row(rules, state, phase, phases, k, u)
                else:
                    bad = k * phases.shape[1] + u
        if bad < 0:
            resolve(rules, state, phase)
            for u in range(phases.shape[1]):
                if phases[k, u, KIND] >= 0:
                    report_row(rules, state, phases, found, k, u)
        for i in range(phase.n_units):
            space = phase.units[i]
            goal = phase.goal[space]
            clear_space(state, space)
            if goal >= 0:
                clear_space(state, goal)
                phase.into[goal] = NONE
        for i in range(phase.n_units):
            forget(phase, phase.units[i])
        phase.n_units = 0
        if bad >= 0:
            break
    release(held)
    return bad


@rule
def forget(phase: Any, space: int) -> None:
    """Take what the equations hold of the unit of a space."""
    phase.goal[space] = phase.opponent[space] = phase.into[space] = phase.next_into[space] = NONE
    phase.helpers[space] = phase.next_helper[space] = phase.carriers[space] = phase.next_carrier[space] = NONE
    for question in range(N_QUESTIONS):
        phase.answer[space][question] = NONE


@rule
def is_row(rules: Any, state: Any, phases: Any, k: int, u: int) -> bool:
    """Return True if a row is a unit where none stands yet, with an order of numbers that are in range."""
    place, verb, source = phases[k, u, PLACE], phases[k, u, VERB], phases[k, u, SOURCE]
    target, n = phases[k, u, TARGET], rules.spaces
    if not (phases[k, u, KIND] <= FLEET and 0 <= place < rules.places and phases[k, u, OWNER] >= 0):
        return False
    if state.kind[rules.space_of[place]] != NOBODY:
        return False
    if verb in (SUPPORT, CONVOY):
        return 0 <= source < n and 0 <= target < n
    if verb in (MOVE, VIA, BOATS):
        return source == -1 and 0 <= target < rules.places
    return verb in (HOLD, POST) and source == -1 and target == -1


@rule
def enter_row(rules: Any, state: Any, phase: Any, phases: Any, k: int, u: int) -> None:
    """Put a unit on the board, and its space among the others, in table order."""
    space = rules.space_of[int(phases[k, u, PLACE])]
    state.kind[space], state.power[space] = int(phases[k, u, KIND]), int(phases[k, u, OWNER])
    state.place[space], state.verb[space] = int(phases[k, u, PLACE]), int(phases[k, u, VERB])
    state.source[space], state.target[space] = int(phases[k, u, SOURCE]), int(phases[k, u, TARGET])
    i = phase.n_units
    phase.n_units += 1
    while i > 0 and phase.units[i - 1] > space:
        phase.units[i] = phase.units[i - 1]
        i -= 1
    phase.units[i] = space


@rule
def report_row(rules: Any, state: Any, phases: Any, found: Any, k: int, u: int) -> None:
    """Write what became of the unit of a row."""
    space, verb = rules.space_of[phases[k, u, PLACE]], phases[k, u, VERB]
    found[k, u, SUCCESS], found[k, u, OUT_OF_IT] = state.success[space], state.dislodged[space]
    found[k, u, BURNED], found[k, u, FROM], found[k, u, CONTESTED] = state.burned[space], NOBODY, 0
    if state.dislodged[space] != 0:
        found[k, u, AFTER_KIND], found[k, u, AFTER_PLACE] = state.out_kind[space], state.out_place[space]
        found[k, u, FROM] = state.out_from[space]
    else:
        there = space
        if verb in (MOVE, VIA) and state.success[space] != 0:
            there = rules.space_of[phases[k, u, TARGET]]
        found[k, u, AFTER_KIND], found[k, u, AFTER_PLACE] = state.kind[there], state.place[there]
    if verb in (MOVE, VIA):
        found[k, u, CONTESTED] = state.contested[rules.space_of[phases[k, u, TARGET]]]


@rule
def clear_space(state: Any, space: int) -> None:
    """Empty a space."""
    state.kind[space] = state.power[space] = state.place[space] = state.owner[space] = NOBODY
    state.post[space] = state.contested[space] = 0
    clear_dislodged(state, space)


@rule
def clear_dislodged(state: Any, space: int) -> None:
    """Take away the dislodged unit of a space."""
    state.out_kind[space] = state.out_power[space] = state.out_place[space] = state.out_from[space] = NOBODY


@rule
def resolve(rules: Any, state: Any, phase: Any) -> None:
    """Resolve the movement phase of the units whose spaces stand in `phase`; see `move_units`."""
    for i in range(phase.n_units):
        report(rules, state, phase.units[i])
    for i in range(phase.n_units):
        if state.burned[phase.units[i]] != 0:
            state.kind[phase.units[i]] = ARMY
    open_questions(rules, state, phase)
    iterate(rules, state, phase)
    while phase.n_open > 0:
        resolve_cycle(rules, state, phase)
        iterate(rules, state, phase)
    for i in range(phase.n_units):
        judge(rules, state, phase, phase.units[i])
    carry_out(rules, state, phase)


@rule
def report(rules: Any, state: Any, space: int) -> None:
    """Note a unit's order as orders are revealed; boats burn at once [Boats 3]."""
    if state.verb[space] == NOBODY:
        state.verb[space] = HOLD
    state.last_kind[space], state.last_power[space], state.last_place[space] = (
        state.kind[space],
        state.power[space],
        state.place[space],
    )
    state.last_verb[space], state.last_source[space], state.last_target[space] = (
        state.verb[space],
        state.source[space],
        state.target[space],
    )
    state.last_aided[space] = state.kind[state.source[space]] if state.source[space] >= 0 else NOBODY
    state.success[space], state.dislodged[space] = 0, 0
    state.burned[space] = (
        1 if burns(rules, state.kind[space], state.place[space], state.verb[space], state.target[space]) else 0
    )


@rule
def is_attacked(rules: Any, state: Any, phase: Any, space: int) -> bool:
    """Return True if a unit of another power is ordered there, by an undisturbed convoy or by itself; success does not
    matter [R-12, R-25].
    """
    one = phase.into[space]
    while one >= 0:
        if state.power[one] != state.power[space] and phase.answer[one][PATH] == YES:
            return True
        one = phase.next_into[one]
    return False


@rule
def judge(rules: Any, state: Any, phase: Any, space: int) -> None:
    """Note the result of a unit's order: a move arrived, a support was given, boats or a post were built; else the unit
    was not dislodged.
    """
    state.dislodged[space] = phase.answer[space][OUT]
    if state.verb[space] in (MOVE, VIA):
        state.success[space] = phase.answer[space][MOVES]
    elif state.verb[space] == SUPPORT:
        state.success[space] = phase.answer[space][GIVEN]
    elif state.verb[space] in (BOATS, POST):
        state.success[space] = 0 if is_attacked(rules, state, phase, space) else 1
    else:
        state.success[space] = 1 - state.dislodged[space]


@rule
def carry_out(rules: Any, state: Any, phase: Any) -> None:
    """Put everything where it is after the phase."""
    for i in range(phase.n_units):
        space = phase.units[i]
        if state.dislodged[space] != 0:
            set_aside(rules, state, phase, space)
        elif state.verb[space] == BOATS and state.success[space] != 0:
            state.kind[space], state.place[space] = BUNCH, state.target[space]
        elif state.verb[space] == POST and state.success[space] != 0:
            state.post[space], state.owner[space] = 1, state.power[space]
    # A unit that moves may go where another has still to leave: all leave first.
    for i in range(phase.n_units):
        space = phase.units[i]
        phase.leaving[space] = state.kind[space]
        if phase.answer[space][MOVES] == YES or state.dislodged[space] != 0:
            state.kind[space] = state.power[space] = state.place[space] = NOBODY
    for i in range(phase.n_units):
        space = phase.units[i]
        if phase.answer[space][MOVES] == YES:
            goal = phase.goal[space]
            state.kind[goal], state.power[goal] = phase.leaving[space], state.last_power[space]
            state.place[goal] = rules.bare[goal] if phase.leaving[space] == ARMY else state.target[space]
    for i in range(phase.n_units):
        space = phase.units[i]
        at = phase.goal[space]
        failed = at >= 0 and phase.answer[space][MOVES] == NO and state.kind[at] == NOBODY
        if failed and prevent_strength(state, phase, space)[0] >= 1:
            state.contested[at] = 1


@rule
def set_aside(rules: Any, state: Any, phase: Any, space: int) -> None:
    """A dislodged unit waits for its retreat; it may not go where its attacker marched or sailed from [R-15]."""
    state.out_kind[space], state.out_power[space] = state.kind[space], state.power[space]
    state.out_place[space], state.out_from[space] = state.place[space], NOBODY
    attacker = phase.into[space]
    while phase.answer[attacker][MOVES] != YES:
        attacker = phase.next_into[attacker]
    if state.verb[attacker] == MOVE:
        state.out_from[space] = attacker
