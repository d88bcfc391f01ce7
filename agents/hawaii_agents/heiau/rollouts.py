"""Positions valued: what they are worth at sight, and by playing on with plans for all powers."""

from __future__ import annotations

from typing import Any

from hawaii_env.core import rule
from hawaii_env.heiau.fast import (
    ADJUSTMENTS,
    ARMY,
    DISBANDED,
    FLEET,
    NOBODY,
    ORDERS,
    OVER,
    RETREATS,
    UNDECIDED,
    need,
    new_array,
    resolve_phase,
    retreat_is_open,
)

from .plans import WIDTH, count_reaching, give, is_supply, list_goals, make_plan, outlook

__all__ = ["adjust_all", "place_value", "play_on", "retreat_all", "value_after", "value_now", "worth"]

CENTRE = 10.0
STANDING = 6.0
"""The value of a unit on a centre that its power does not own, before Fall is over; an owned centre is worth CENTRE."""

VICTORY_VALUE = 250.0
"""The value of the victory."""


@rule
def worth(rules: Any, state: Any, near: Any, power: int, fall: bool) -> float:
    """Return the value of a position to a power, less what it is worth to the others on the average.

    fall: centres are owned by who stands on them now; a Fall's movement has just been resolved.
    """
    n, powers = rules.spaces, rules.powers
    value, counts = new_array(powers, 0.0), new_array(powers, 0)
    for space in range(n):
        if state.out_kind[space] != NOBODY:
            value[state.out_power[space]] -= 2.5
        if is_supply(rules, state, space):
            owner = state.power[space] if fall and state.kind[space] != NOBODY else state.owner[space]
            if owner >= 0:
                value[owner] += CENTRE
                counts[owner] += rules.heiau[space]
    for space in range(n):
        if state.kind[space] == NOBODY:
            continue
        mine = state.power[space]
        kind, place = state.kind[space], state.place[space]
        a = b = c = 0.0
        for goal in range(n):
            owner = state.power[goal] if fall and state.kind[goal] != NOBODY else state.owner[goal]
            if is_supply(rules, state, goal) and mine != owner:
                way = near[kind][place][goal]
                if way > a:
                    a, b, c = way, a, b
                elif way > b:
                    b, c = way, b
                elif way > c:
                    c = way
        value[mine] += 1.0 + 1.2 * (a + b + c)
        if not fall and state.owner[space] != mine and is_supply(rules, state, space):
            value[mine] += STANDING
            if state.owner[space] >= 0:
                value[state.owner[space]] -= STANDING
    total = 0.0
    for one in range(powers):
        value[one] += max(0, counts[one] - rules.victory + 3) * 3.0
        if fall and counts[one] >= rules.victory:
            value[one] += VICTORY_VALUE
        total += value[one]
    return value[power] - (total - value[power]) / max(1, powers - 1)


@rule
def value_now(rules: Any, state: Any, near: Any, power: int) -> float:
    """Return what a position before orders, or a finished game, is worth to a power."""
    if state.phase != OVER:
        return worth(rules, state, near, power, False)
    total, n = 0, rules.powers
    for one in range(n):
        total += state.weight[one]
    return VICTORY_VALUE * (n * (state.weight[power] / total) - 1.0) / (n - 1)


# Playing on


@rule
def place_value(
    rules: Any, state: Any, near: Any, counts: Any, goals: Any, power: int, phase: int, space: int, place: int
) -> float:
    """Return how good a retreat from a space to a place is, or a build or a removal there; a removal is better where
    less is near.
    """
    if phase == RETREATS:
        goal = rules.space_of[place]
        inland = rules.inland[state.out_place[space]][goal] != 0
        kind = ARMY if state.out_kind[space] != FLEET and inland else state.out_kind[space]
        return outlook(rules, near, kind, place, goals)
    if state.kind[space] == NOBODY:
        return outlook(rules, near, ARMY, place, goals)
    return 100.0 - outlook(rules, near, state.kind[space], state.place[space], goals)


@rule
def retreat_all(rules: Any, state: Any, near: Any, counts: Any, goals: Any) -> None:
    """Send each dislodged unit that waits for its retreat to where most is near."""
    for space in range(rules.spaces):
        if state.out_kind[space] == NOBODY or state.retreat[space] != UNDECIDED:
            continue
        list_goals(rules, state, counts, state.out_power[space], goals)
        best, state.retreat[space] = -1.0, DISBANDED
        way = rules.ways[state.out_kind[space]][state.out_place[space]]
        for k in range(way[0], way[1]):
            place = rules.moves[k]
            if retreat_is_open(rules, state, space, place):
                value = place_value(rules, state, near, counts, goals, state.out_power[space], RETREATS, space, place)
                if value > best:
                    best, state.retreat[space] = value, place


@rule
def adjust_all(rules: Any, state: Any, near: Any, counts: Any, goals: Any) -> None:
    """Build for each power where most is near, and remove what has least; what is entered already stands."""
    for power in range(rules.powers):
        wanted = need(rules, state, power)
        if wanted == 0 or state.done[power] != 0:
            continue
        list_goals(rules, state, counts, power, goals)
        for step in range(state.steps[power], abs(wanted)):
            best, chosen = -1e9, -1
            for space in range(rules.spaces):
                if state.step[space] != 0:
                    continue
                if wanted > 0:
                    fits = state.owner[space] == power and state.kind[space] == NOBODY
                else:
                    fits = state.kind[space] != NOBODY and state.power[space] == power and state.kind[space] != FLEET
                if fits:
                    value = place_value(rules, state, near, counts, goals, power, ADJUSTMENTS, space, rules.bare[space])
                    if value > best:
                        best, chosen = value, space
            if chosen >= 0:
                state.step[chosen] = step + 1


@rule
def play_on(rules: Any, state: Any, near: Any, words: Any, noise: float, phases: int) -> None:
    """Play on by plans for all powers, through so many movement phases and what follows them, or to the game's end."""
    n, left = rules.spaces, phases
    counts, goals, plan = new_array((n, WIDTH), 0), new_array(n, 0.0), new_array((n, 3), 0)
    while state.phase in (ORDERS, RETREATS, ADJUSTMENTS):
        if state.phase == ORDERS and left == 0:
            break
        count_reaching(rules, state, counts)
        if state.phase == ORDERS:
            left -= 1
            for power in range(rules.powers):
                make_plan(rules, state, near, counts, power, noise, words, plan)
                give(rules, state, plan)
        elif state.phase == RETREATS:
            retreat_all(rules, state, near, counts, goals)
        else:
            adjust_all(rules, state, near, counts, goals)
        resolve_phase(rules, state)


@rule
def value_after(rules: Any, state: Any, near: Any, power: int, words: Any, noise: float, phases: int) -> float:
    """Return the value of a position to a power by playing on; the orders, retreats or adjustments of the running phase
    are entered.
    """
    resolve_phase(rules, state)
    play_on(rules, state, near, words, noise, phases)
    return value_now(rules, state, near, power)
