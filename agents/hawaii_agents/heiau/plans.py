"""Plans for all units of a power at once: who goes where, who supports it. Compiled, or as plain Python.

A plan is a list of orders, three numbers a space as `fast.Order` has them; the verb is -1 where the power has
no unit. Plans of the same position differ by the noise that scores are shaken with.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

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

__all__ = ["count_reaching", "floats", "give", "is_supply", "list_goals", "make_plan", "noise_of", "outlook"]

ALL = MAX_POWERS
WIDTH = MAX_POWERS + 1

NOT_THERE = -1e9
"""The score of where a unit of the power goes already."""


def _floats(n: int) -> NDArray[np.float64]:
    return np.zeros(n, np.float64)


@rule(compiled=_floats)
def floats(n: int) -> Any:
    """Return an array of n real numbers, all 0."""
    return [0.0] * n


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
    """Count, by space and power, the units that can go there; ``counts[WIDTH * space + ALL]`` has them all."""
    n = rules.spaces
    for i in range(WIDTH * n):
        counts[i] = 0
    for space in range(n):
        if state.kind[space] != NOBODY:
            reached = rules.reach[state.kind[space]][state.place[space]]
            for end in range(n):
                if reached[end] != 0:
                    counts[WIDTH * end + state.power[space]] += 1
                    counts[WIDTH * end + ALL] += 1


@rule
def rivals(counts: Any, space: int, power: int) -> int:
    """Return how many units of other powers can go there."""
    return counts[WIDTH * space + ALL] - counts[WIDTH * space + power]


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
    n = rules.spaces
    row = (kind * rules.places + place) * n
    best = total = 0.0
    for space in range(n):
        if goals[space] > 0.0:
            value = goals[space] * near[row + space]
            if taken[space] != 0:
                value *= 0.3
            total += value
            best = max(best, value)
    return best + 0.15 * total


@rule
def outlook(rules: Any, near: Any, kind: int, place: int, goals: Any) -> float:
    """Return the value of the four best goals of a unit there, by which retreats, builds and removals are chosen."""
    n = rules.spaces
    row = (kind * rules.places + place) * n
    a = b = c = d = 0.0
    for space in range(n):
        value = goals[space] * near[row + space]
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
        value -= 100.0 if out[3 * at] >= 0 and out[3 * at] != MOVE else 5.0
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
    way = state.kind[space] * rules.places + state.place[space]
    for k in range(rules.ways[way], rules.ways[way + 1]):
        other = rules.moves[k]
        if empty and state.kind[rules.space_of[other]] != NOBODY:
            continue
        value = score(rules, state, near, counts, goals, taken, out, fall, space, other) + noise_of(words, noise)
        if value > best:
            best, place = value, other
    return best, place


@rule
def put(out: Any, space: int, verb: int, source: int, target: int) -> None:
    """Write an order into a plan."""
    out[3 * space], out[3 * space + 1], out[3 * space + 2] = verb, source, target


@rule
def help_or_hold(rules: Any, state: Any, counts: Any, goals: Any, out: Any, power: int, space: int) -> None:
    """Support the move or stand of the power's own unit that is most in doubt, without burning boats; else hold."""
    put(out, space, HOLD, NOBODY, NOBODY)
    best, nobody = 0.0, new_array(1, 0)
    for source in range(rules.spaces):
        if state.kind[source] == NOBODY or state.power[source] != power or source == space or out[3 * source] < 0:
            continue
        at = rules.space_of[out[3 * source + 2]] if out[3 * source] == MOVE else source
        if not supports(rules, state, space, source, at, nobody, 0):
            continue
        if kind_after(rules, state.kind[space], state.place[space], at) != state.kind[space]:
            continue
        doubt = rivals(counts, at, power) * (1.0 + goals[at])
        if doubt > best:
            best = doubt
            put(out, space, SUPPORT, source, at)


@rule
def builds_boats(
    rules: Any, state: Any, near: Any, goals: Any, taken: Any, out: Any, noise: float, words: Any, space: int
) -> bool:
    """Return True if boats lead farther than marching."""
    if not boats_can_be_built(rules, state, space):
        return False
    by_land = by_boat = 0.0
    way, coast = ARMY * rules.places + state.place[space], -1
    for k in range(rules.ways[way], rules.ways[way + 1]):
        by_land = max(by_land, pull(rules, near, ARMY, rules.moves[k], goals, taken))
    for place in range(rules.first_stand[space], rules.last_stand[space] + 1):
        value = pull(rules, near, BUNCH, place, goals, taken)
        if coast < 0 or value > by_boat:
            by_boat, coast = value, place
    if by_boat <= by_land + noise_of(words, noise):
        return False
    put(out, space, BOATS, NOBODY, coast)
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

    near: what a goal is worth by how far it is, float64[kind, place, space]. counts: of `count_reaching`. words: the
    generator.
    """
    n, fall = rules.spaces, state.season
    goals, taken, free = floats(n), new_array(n, 0), new_array(n, 0)
    list_goals(rules, state, counts, power, goals)
    left = 0
    for space in range(n):
        out[3 * space] = NOBODY
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
            put(out, space, POST, NOBODY, NOBODY)
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
        put(out, space, MOVE, NOBODY, place)
        if wanted < 2:
            second = NOBODY
        for helper in (first, second):
            if helper >= 0:
                free[helper] = 0
                left -= 1
                taken[helper] = 1
                put(out, helper, SUPPORT, space, at)


@rule
def give(rules: Any, state: Any, plans: Any, index: int) -> None:
    """Order the units what a plan says; `plans`: one after another, `index`: which."""
    n = rules.spaces
    for space in range(n):
        k = 3 * (index * n + space)
        if plans[k] >= 0:
            state.verb[space], state.source[space], state.target[space] = plans[k], plans[k + 1], plans[k + 2]
