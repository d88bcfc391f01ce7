"""A movement phase from the orders to what stands on the board after it [Background, Armies, Boats 3, Post]."""

from __future__ import annotations

from typing import Any

from hawaii_env._jit import rule

from .adjudication import (
    GIVEN,
    GOAL,
    INTO,
    MOVES,
    NEXT_INTO,
    NO,
    OUT,
    PATH,
    WIDTH,
    YES,
    count_at,
    iterate,
    new_phase,
    prevent_strength,
)
from .board import ARMY, BUNCH
from .knots import untie
from .orders import BOATS, HOLD, MOVE, POST, SUPPORT, VIA, burns
from .state import NOBODY
from .tables import BARE, N_SPACES

__all__ = ["move_units"]


@rule
def move_units(rules: Any, spaces: Any) -> None:
    """Resolve a movement phase: boats burn, the equations are solved, the dislodged are set aside, boats and posts are
    built. The orders are possible ones; what became of each is reported.
    """
    for space in range(rules[N_SPACES]):
        report(rules, spaces, space)
    for space in range(rules[N_SPACES]):
        if spaces[space].burned != 0 and spaces[space].kind != NOBODY:
            spaces[space].kind = ARMY
    phase = new_phase(rules, spaces)
    iterate(rules, spaces, phase)
    while phase[count_at(rules)] > 0:
        untie(rules, spaces, phase)
        iterate(rules, spaces, phase)
    for space in range(rules[N_SPACES]):
        judge(rules, spaces, phase, space)
    carry_out(rules, spaces, phase)


@rule
def report(rules: Any, spaces: Any, space: int) -> None:
    """The orders as they are revealed; boats burn at once [Boats 3]."""
    at = spaces[space]
    at.last_kind, at.last_power, at.last_place = at.kind, at.power, at.place
    at.last_verb, at.last_source, at.last_target = NOBODY, NOBODY, NOBODY
    at.last_aided, at.success, at.dislodged, at.burned = NOBODY, 0, 0, 0
    at.out_kind, at.contested = NOBODY, 0
    if at.kind == NOBODY:
        return
    if at.verb == NOBODY:
        at.verb = HOLD
    at.last_verb, at.last_source, at.last_target = at.verb, at.source, at.target
    if at.source >= 0:
        at.last_aided = spaces[at.source].kind
    if burns(rules, at.kind, at.place, at.verb, at.target):
        at.burned = 1


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
    if at.kind == NOBODY:
        return
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
    n = rules[N_SPACES]
    for space in range(n):
        at = spaces[space]
        if at.kind == NOBODY:
            continue
        if at.dislodged != 0:
            set_aside(rules, spaces, phase, space)
        elif at.verb == BOATS and at.success != 0:
            at.kind, at.place = BUNCH, at.target
        elif at.verb == POST and at.success != 0:
            at.post, at.owner = 1, at.power
    # A unit that moves may go where another has still to leave: all leave first.
    for space in range(n):
        phase[WIDTH * n + space] = spaces[space].kind  # no question is open now
        if phase[WIDTH * space + MOVES] == YES or spaces[space].dislodged != 0:
            spaces[space].kind = NOBODY
    for space in range(n):
        if phase[WIDTH * space + MOVES] == YES:
            goal = spaces[phase[WIDTH * space + GOAL]]
            goal.kind, goal.power = phase[WIDTH * n + space], spaces[space].last_power
            goal.place = spaces[space].target
            if goal.kind == ARMY:
                goal.place = rules[rules[BARE] + phase[WIDTH * space + GOAL]]
    for space in range(n):
        if spaces[space].kind == NOBODY:
            spaces[space].power = spaces[space].place = NOBODY
            one = phase[WIDTH * space + INTO]
            while one >= 0:
                failed = phase[WIDTH * one + MOVES] == NO
                if failed and prevent_strength(rules, spaces, phase, one)[0] >= 1:
                    spaces[space].contested = 1
                one = phase[WIDTH * one + NEXT_INTO]


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
