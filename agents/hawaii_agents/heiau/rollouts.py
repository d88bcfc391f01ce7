"""Positions valued: what they are worth at sight, and by playing on with plans for all powers."""

from __future__ import annotations

from typing import Any

from hawaii_env.core import rule
from hawaii_env.heiau.fast import (
    ADJUSTMENTS,
    ARMY,
    BARE,
    DISBANDED,
    FLEET,
    HEIAU,
    INLAND_FROM,
    MOVES_TO,
    N_ACTIONS,
    N_PLACES,
    N_POWERS,
    N_SPACES,
    NOBODY,
    ORDERS,
    OVER,
    RETREATS,
    SPACE_OF,
    UNDECIDED,
    VICTORY,
    WAYS,
    make_array,
    need,
    resolve_phase,
    retreat_is_open,
)

from .plans import count_reaching, floats, give, is_supply, list_goals, make_plan, outlook

__all__ = ["adjust_all", "place_value", "play_on", "retreat_all", "value_after", "value_now", "worth"]

CENTRE = 10.0
STANDING = 6.0
"""What it is worth to stand on a centre that one does not own, before Fall is over; an owned centre is worth CENTRE."""

VICTORY_VALUE = 250.0
"""What the victory is worth."""

WIDTH = 7


@rule
def worth(rules: Any, spaces: Any, near: Any, power: int, fall: bool) -> float:
    """Return what a position is worth to a power, less what it is worth to the others on the average.

    fall: centres are owned by who stands on them now; a Fall's movement has just been resolved.
    """
    n, powers = rules[N_SPACES], rules[N_POWERS]
    value, counts = floats(powers), make_array(powers, 0)
    for space in range(n):
        at = spaces[space]
        if at.out_kind != NOBODY:
            value[at.out_power] -= 2.5
        if is_supply(rules, spaces, space):
            owner = at.power if fall and at.kind != NOBODY else at.owner
            if owner >= 0:
                value[owner] += CENTRE
                counts[owner] += rules[rules[HEIAU] + space]
    for space in range(n):
        at = spaces[space]
        if at.kind == NOBODY:
            continue
        mine = at.power
        row = (at.kind * rules[N_PLACES] + at.place) * n
        a = b = c = 0.0
        for goal in range(n):
            if is_supply(rules, spaces, goal):
                there = spaces[goal]
                if mine != (there.power if fall and there.kind != NOBODY else there.owner):
                    way = near[row + goal]
                    if way > a:
                        a, b, c = way, a, b
                    elif way > b:
                        b, c = way, b
                    elif way > c:
                        c = way
        value[mine] += 1.0 + 1.2 * (a + b + c)
        if not fall and at.owner != mine and is_supply(rules, spaces, space):
            value[mine] += STANDING
            if at.owner >= 0:
                value[at.owner] -= STANDING
    total = 0.0
    for one in range(powers):
        value[one] += max(0, counts[one] - rules[VICTORY] + 3) * 3.0
        if fall and counts[one] >= rules[VICTORY]:
            value[one] += VICTORY_VALUE
        total += value[one]
    return value[power] - (total - value[power]) / max(1, powers - 1)


@rule
def value_now(rules: Any, state: Any, spaces: Any, near: Any, power: int) -> float:
    """Return what a position before orders, or a finished game, is worth to a power."""
    if state.phase != OVER:
        return worth(rules, spaces, near, power, False)
    total, n = 0, rules[N_POWERS]
    for one in range(n):
        total += state.weight[one]
    return VICTORY_VALUE * (n * (state.weight[power] / total) - 1.0) / (n - 1)


# Playing on


@rule
def place_value(
    rules: Any, spaces: Any, near: Any, counts: Any, goals: Any, power: int, phase: int, space: int, place: int
) -> float:
    """Return how good a retreat from a space to a place is, or a build or a removal there; a removal is better where
    less is near.
    """
    at = spaces[space]
    if phase == RETREATS:
        goal = rules[rules[SPACE_OF] + place]
        inland = rules[rules[INLAND_FROM] + at.out_place * rules[N_SPACES] + goal] != 0
        kind = ARMY if at.out_kind != FLEET and inland else at.out_kind
        return outlook(rules, near, kind, place, goals)
    if at.kind == NOBODY:
        return outlook(rules, near, ARMY, place, goals)
    return 100.0 - outlook(rules, near, at.kind, at.place, goals)


@rule
def retreat_all(rules: Any, spaces: Any, near: Any, counts: Any, goals: Any) -> None:
    """Send each dislodged unit that waits for its retreat to where most is near."""
    for space in range(rules[N_SPACES]):
        at = spaces[space]
        if at.out_kind == NOBODY or at.retreat != UNDECIDED:
            continue
        list_goals(rules, spaces, counts, at.out_power, goals)
        best, at.retreat = -1.0, DISBANDED
        way = at.out_kind * rules[N_PLACES] + at.out_place
        for k in range(rules[rules[WAYS] + way], rules[rules[WAYS] + way + 1]):
            place = rules[rules[MOVES_TO] + k]
            if retreat_is_open(rules, spaces, space, place):
                value = place_value(rules, spaces, near, counts, goals, at.out_power, RETREATS, space, place)
                if value > best:
                    best, at.retreat = value, place


@rule
def adjust_all(rules: Any, state: Any, spaces: Any, near: Any, counts: Any, goals: Any) -> None:
    """Build for each power where most is near, and remove what has least; what is entered already stands."""
    for power in range(rules[N_POWERS]):
        wanted = need(rules, spaces, power)
        if wanted == 0 or state.done[power] != 0:
            continue
        list_goals(rules, spaces, counts, power, goals)
        for step in range(state.steps[power], abs(wanted)):
            best, chosen = -1e9, -1
            for space in range(rules[N_SPACES]):
                at = spaces[space]
                if at.step != 0:
                    continue
                if wanted > 0:
                    fits = at.owner == power and at.kind == NOBODY
                else:
                    fits = at.kind != NOBODY and at.power == power and at.kind != FLEET
                if fits:
                    value = place_value(
                        rules, spaces, near, counts, goals, power, ADJUSTMENTS, space, rules[rules[BARE] + space]
                    )
                    if value > best:
                        best, chosen = value, space
            if chosen >= 0:
                spaces[chosen].step = step + 1


@rule
def play_on(rules: Any, state: Any, spaces: Any, near: Any, words: Any, noise: float, phases: int, legal: Any) -> None:
    """Play on by plans for all powers, through so many movement phases and what follows them, or to the game's end."""
    n, left = rules[N_SPACES], phases
    counts, goals, plan = make_array(WIDTH * n, 0), floats(n), make_array(3 * n, 0)
    while state.phase in (ORDERS, RETREATS, ADJUSTMENTS):
        if state.phase == ORDERS and left == 0:
            break
        count_reaching(rules, spaces, counts)
        if state.phase == ORDERS:
            left -= 1
            for power in range(rules[N_POWERS]):
                make_plan(rules, state, spaces, near, counts, power, noise, words, plan)
                give(rules, spaces, plan, 0)
        elif state.phase == RETREATS:
            retreat_all(rules, spaces, near, counts, goals)
        else:
            adjust_all(rules, state, spaces, near, counts, goals)
        resolve_phase(rules, state, spaces, legal)


@rule
def value_after(
    rules: Any, state: Any, spaces: Any, near: Any, power: int, words: Any, noise: float, phases: int
) -> float:
    """Return what a position is worth to a power by playing on; the orders, retreats or adjustments of the running
    phase are entered.
    """
    legal = make_array(rules[N_ACTIONS], 0)
    resolve_phase(rules, state, spaces, legal)
    play_on(rules, state, spaces, near, words, noise, phases, legal)
    return value_now(rules, state, spaces, near, power)
