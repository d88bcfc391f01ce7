"""Plans for all units of a power at once: who goes where, who supports it. Compiled, or as plain Python.

A plan is a table of orders, a row a space: VERB, SOURCE and TARGET as `fast.Order` has them; the verb is -1 if the
power has no unit there. Plans of the same position differ by the noise that scores are shaken with.
"""

from __future__ import annotations

from typing import Any

from hawaii_env.core import rule
from hawaii_env.core.rng import below, next_word
from hawaii_env.heiau.fast import (
    ARMY,
    BOATS,
    BUNCH,
    HOLD,
    MAX_POWERS,
    MOVE,
    NOBODY,
    POST,
    SUPPORT,
    boats_can_be_built,
    new_array,
    post_can_be_built,
    supports,
)

__all__ = [
    "COLUMNS",
    "VERB",
    "copy_plan",
    "count_reaching",
    "give",
    "is_supply",
    "list_goals",
    "make_plan",
    "noise_of",
    "outlook",
]

VERB, SOURCE, TARGET = COLUMNS = 0, 1, 2
"""Columns of a plan."""

ALL = MAX_POWERS
WIDTH = MAX_POWERS + 1

NOT_THERE = -1e9
"""The score of where a unit of the power goes already."""


@rule
def noise_of(words: Any, size: float) -> float:
    """Draw a number from a bell-shaped law with this standard deviation: the sum of four uniform ones."""
    one, other = next_word(words), next_word(words)
    total = (one & 0xFFFF) + (one >> 16) + (other & 0xFFFF) + (other >> 16)
    return size * 1.7320508 * (total / 65535.0 - 2.0)


@rule
def is_supply(rules: Any, state: Any, space: int) -> bool:
    """Return True if a heiau or a post stands there."""
    return rules.heiau[space] != 0 or state.post[space] != 0


@rule
def count_reaching(rules: Any, state: Any, counts: Any) -> None:
    """Count, by space and power, the units that can go there; ``counts[space][ALL]`` has them all."""
    n = rules.spaces
    for space in range(n):
        for power in range(WIDTH):
            counts[space][power] = 0
    for space in range(n):
        if state.kind[space] != NOBODY:
            power, reached = state.power[space], rules.reach[state.kind[space]][state.place[space]]
            for end in range(n):
                if reached[end] != 0:
                    count = counts[end]
                    count[power] += 1
                    count[ALL] += 1


@rule
def rivals(counts: Any, space: int, power: int) -> int:
    """Return how many units of other powers can go there."""
    count = counts[space]
    return count[ALL] - count[power]


@rule
def list_goals(rules: Any, state: Any, counts: Any, power: int, goals: Any) -> None:
    """Write what each space is worth to a power as a goal: centres of others and nobody's more than its own, threatened
    ones more.
    """
    for space in range(rules.spaces):
        goals[space] = 0.0
        if is_supply(rules, state, space):
            if state.owner[space] != power:
                goals[space] = 10.0 if state.owner[space] < 0 else 11.0
            elif state.kind[space] != NOBODY and state.power[space] != power:
                goals[space] = 12.0
            else:
                goals[space] = 2.0 + 2.0 * min(rivals(counts, space, power), 2)


@rule
def pull(rules: Any, near: Any, kind: int, place: int, goals: Any, taken: Any) -> float:
    """Return how good it is for a unit to be somewhere, by the goals that are near."""
    best = total = 0.0
    for space in range(rules.spaces):
        if goals[space] > 0.0:
            value = goals[space] * near[kind][place][space]
            if taken[space] != 0:
                value *= 0.3
            total += value
            best = max(best, value)
    return best + 0.15 * total


@rule
def outlook(rules: Any, near: Any, kind: int, place: int, goals: Any) -> float:
    """Return the value of the four best goals of a unit there, by which retreats, builds and removals are chosen."""
    a = b = c = d = 0.0
    for space in range(rules.spaces):
        value = goals[space] * near[kind][place][space]
        if value > a:
            a, b, c, d = value, a, b, c
        elif value > b:
            b, c, d = value, b, c
        elif value > c:
            c, d = value, c
        elif value > d:
            d = value
    return a + b + c + d


@rule
def kind_after(rules: Any, kind: int, place: int, at: int) -> int:
    """Return a unit's kind after its move to a space: boats burn inland [Boats 3]."""
    return ARMY if kind == BUNCH and rules.inland[place][at] != 0 else kind


@rule
def score(
    rules: Any, state: Any, near: Any, counts: Any, goals: Any, taken: Any, out: Any, fall: int, space: int, place: int
) -> float:
    """Return what it is worth to send a unit to a place, or to leave it there; supports not yet counted.

    `out`: the plan so far. taken: 1 where a unit of the power will be.
    """
    at = rules.space_of[place]
    if taken[at] != 0:
        return NOT_THERE
    power, kind = state.power[space], kind_after(rules, state.kind[space], state.place[space], at)
    # A goal in the target itself is got now, or after it has been held in Fall.
    value = pull(rules, near, kind, place, goals, taken) + goals[at] * (0.6 if fall != 0 else 0.35)
    if at == space:
        return value + (0.8 if rivals(counts, at, power) > 0 else 0.0)
    if state.kind[at] != NOBODY and state.power[at] == power:
        value -= 100.0 if out[at][VERB] >= 0 and out[at][VERB] != MOVE else 5.0
    elif state.kind[at] != NOBODY:
        value -= 2.0
    if kind != state.kind[space]:
        value -= 0.6
    if fall != 0 and state.owner[space] == power and rivals(counts, space, power) > 0:
        value -= 1.5
    return value


@rule
def best_place(
    rules: Any,
    state: Any,
    near: Any,
    counts: Any,
    goals: Any,
    taken: Any,
    out: Any,
    fall: int,
    noise: float,
    words: Any,
    space: int,
    empty: bool,
) -> tuple[float, int]:
    """Return the best score of a unit and the place that has it; `empty`: only where nobody stands, and where it is
    itself.
    """
    place = state.place[space]
    best = score(rules, state, near, counts, goals, taken, out, fall, space, place) + noise_of(words, noise)
    way = rules.ways[state.kind[space]][state.place[space]]
    for k in range(way[0], way[1]):
        other = rules.moves[k]
        if empty and state.kind[rules.space_of[other]] != NOBODY:
            continue
        value = score(rules, state, near, counts, goals, taken, out, fall, space, other) + noise_of(words, noise)
        if value > best:
            best, place = value, other
    return best, place


@rule
def put(order: Any, verb: int, source: int, target: int) -> None:
    """Write an order into a row of a plan."""
    order[VERB], order[SOURCE], order[TARGET] = verb, source, target


@rule
def help_or_hold(rules: Any, state: Any, counts: Any, goals: Any, out: Any, power: int, space: int) -> None:
    """Support the move or stand of the power's own unit that is most in doubt, without burning boats; else hold."""
    put(out[space], HOLD, NOBODY, NOBODY)
    best, nobody = 0.0, new_array(1, 0)
    for source in range(rules.spaces):
        if state.kind[source] == NOBODY or state.power[source] != power or source == space or out[source][VERB] < 0:
            continue
        at = rules.space_of[out[source][TARGET]] if out[source][VERB] == MOVE else source
        if not supports(rules, state, space, source, at, nobody, 0):
            continue
        if kind_after(rules, state.kind[space], state.place[space], at) != state.kind[space]:
            continue
        doubt = rivals(counts, at, power) * (1.0 + goals[at])
        if doubt > best:
            best = doubt
            put(out[space], SUPPORT, source, at)


@rule
def builds_boats(
    rules: Any, state: Any, near: Any, goals: Any, taken: Any, out: Any, noise: float, words: Any, space: int
) -> bool:
    """Return True if boats lead farther than marching."""
    if not boats_can_be_built(rules, state, space):
        return False
    by_land = by_boat = 0.0
    way, coast = rules.ways[ARMY][state.place[space]], -1
    for k in range(way[0], way[1]):
        by_land = max(by_land, pull(rules, near, ARMY, rules.moves[k], goals, taken))
    for place in range(rules.first_stand[space], rules.last_stand[space] + 1):
        value = pull(rules, near, BUNCH, place, goals, taken)
        if coast < 0 or value > by_boat:
            by_boat, coast = value, place
    if by_boat <= by_land + noise_of(words, noise):
        return False
    put(out[space], BOATS, NOBODY, coast)
    return True


@rule
def pick_helpers(
    rules: Any,
    state: Any,
    near: Any,
    counts: Any,
    goals: Any,
    taken: Any,
    out: Any,
    fall: int,
    noise: float,
    words: Any,
    free: Any,
    space: int,
    at: int,
) -> tuple[int, int]:
    """Return the two free units that lose least by supporting a unit's move; -1 for each that is missing."""
    least = less = 1e18
    first = second = NOBODY
    for one in range(rules.spaces):
        if free[one] != 0 and supports(rules, state, one, space, at, free, 0):
            burns = kind_after(rules, state.kind[one], state.place[one], at) != state.kind[one]
            loses, _ = best_place(rules, state, near, counts, goals, taken, out, fall, noise, words, one, False)
            loses += 1.0 if burns else 0.0
            if loses < least:
                least, first, less, second = loses, one, least, first
            elif loses < less:
                less, second = loses, one
    return first, second


@rule
def next_unit(
    rules: Any,
    state: Any,
    near: Any,
    counts: Any,
    goals: Any,
    taken: Any,
    out: Any,
    fall: int,
    noise: float,
    words: Any,
    free: Any,
) -> tuple[int, int]:
    """Return the free unit with the best score, and the place that it goes to."""
    best, space, place = NOT_THERE * 10, NOBODY, NOBODY
    for one in range(rules.spaces):
        if free[one] != 0:
            value, to = best_place(rules, state, near, counts, goals, taken, out, fall, noise, words, one, False)
            if value > best:
                best, space, place = value, one, to
    return space, place


@rule
def make_plan(rules: Any, state: Any, near: Any, counts: Any, power: int, noise: float, words: Any, out: Any) -> None:
    """Write a power's plan to `out`: the unit with the best score is ordered first, with its helpers, then the next.

    near: what a goal is worth by how far it is, float64[kind][place][space]. counts: of `count_reaching`. words: the
    generator.
    """
    n, fall = rules.spaces, state.season
    goals, taken, free = new_array(n, 0.0), new_array(n, 0), new_array(n, 0)
    list_goals(rules, state, counts, power, goals)
    left = 0
    for space in range(n):
        out[space][VERB] = NOBODY
        if state.kind[space] != NOBODY and state.power[space] == power:
            free[space] = 1
            left += 1
    while left > 0:
        space, place = next_unit(rules, state, near, counts, goals, taken, out, fall, noise, words, free)
        free[space] = 0
        left -= 1
        at = rules.space_of[place]
        builds = state.unbuilt[power] != 0 and post_can_be_built(rules, state, space)
        if builds and not (goals[at] > 0.0 and at != space):
            put(out[space], POST, NOBODY, NOBODY)
            taken[space] = 1
            continue
        hostile = state.kind[at] != NOBODY and state.power[at] != power
        wanted = 0
        if at != space and (goals[at] > 0.0 or hostile):
            wanted = min(2, min(2, rivals(counts, at, power)) + (1 if hostile else 0))
        first = second = NOBODY
        if wanted > 0:
            first, second = pick_helpers(
                rules, state, near, counts, goals, taken, out, fall, noise, words, free, space, at
            )
        if hostile and first < 0 and below(words, 100) < 85:
            # In vain alone: the next best that is not held against it.
            _, place = best_place(rules, state, near, counts, goals, taken, out, fall, noise, words, space, True)
            at = rules.space_of[place]
            first = second = NOBODY
        taken[at] = 1
        if at == space:
            if not builds_boats(rules, state, near, goals, taken, out, noise, words, space):
                help_or_hold(rules, state, counts, goals, out, power, space)
            continue
        put(out[space], MOVE, NOBODY, place)
        if wanted < 2:
            second = NOBODY
        for helper in (first, second):
            if helper >= 0:
                free[helper] = 0
                left -= 1
                taken[helper] = 1
                put(out[helper], SUPPORT, space, at)


@rule
def copy_plan(plan: Any, out: Any) -> None:
    """Overwrite a plan."""
    for space in range(len(out)):
        put(out[space], plan[space][VERB], plan[space][SOURCE], plan[space][TARGET])


@rule
def give(rules: Any, state: Any, plan: Any) -> None:
    """Order the units what a plan says."""
    for space in range(rules.spaces):
        verb = plan[space][VERB]
        if verb >= 0:
            state.verb[space], state.source[space], state.target[space] = verb, plan[space][SOURCE], plan[space][TARGET]
