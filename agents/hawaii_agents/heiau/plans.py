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
    FIRST_STAND,
    HEIAU,
    HOLD,
    INLAND_FROM,
    LAST_STAND,
    MAX_POWERS,
    MOVE,
    MOVES_TO,
    N_PLACES,
    N_SPACES,
    NOBODY,
    POST,
    REACH,
    SPACE_OF,
    SUPPORT,
    WAYS,
    boats_can_be_built,
    make_array,
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
def is_supply(rules: Any, spaces: Any, space: int) -> bool:
    """Return True if a heiau or a post stands there."""
    return rules[rules[HEIAU] + space] != 0 or spaces[space].post != 0


@rule
def count_reaching(rules: Any, spaces: Any, counts: Any) -> None:
    """Count, by space and power, the units that can go there; ``counts[WIDTH * space + ALL]`` has them all."""
    n = rules[N_SPACES]
    for i in range(WIDTH * n):
        counts[i] = 0
    for space in range(n):
        at = spaces[space]
        if at.kind != NOBODY:
            row = rules[REACH] + (at.kind * rules[N_PLACES] + at.place) * n
            for end in range(n):
                if rules[row + end] != 0:
                    counts[WIDTH * end + at.power] += 1
                    counts[WIDTH * end + ALL] += 1


@rule
def rivals(counts: Any, space: int, power: int) -> int:
    """Return how many units of other powers can go there."""
    return counts[WIDTH * space + ALL] - counts[WIDTH * space + power]


@rule
def list_goals(rules: Any, spaces: Any, counts: Any, power: int, goals: Any) -> None:
    """Write what each space is worth to a power as a goal: centres of others and nobody's more than its own, threatened
    ones more.
    """
    for space in range(rules[N_SPACES]):
        goals[space] = 0.0
        at = spaces[space]
        if is_supply(rules, spaces, space):
            if at.owner != power:
                goals[space] = 10.0 if at.owner < 0 else 11.0
            elif at.kind != NOBODY and at.power != power:
                goals[space] = 12.0
            else:
                goals[space] = 2.0 + 2.0 * min(rivals(counts, space, power), 2)


@rule
def pull(rules: Any, near: Any, kind: int, place: int, goals: Any, taken: Any) -> float:
    """Return how good it is for a unit to be somewhere, by the goals that are near."""
    n = rules[N_SPACES]
    row = (kind * rules[N_PLACES] + place) * n
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
    n = rules[N_SPACES]
    row = (kind * rules[N_PLACES] + place) * n
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
    return ARMY if kind == BUNCH and rules[rules[INLAND_FROM] + place * rules[N_SPACES] + at] != 0 else kind


@rule
def score(
    rules: Any, spaces: Any, near: Any, counts: Any, goals: Any, taken: Any, out: Any, fall: int, space: int, place: int
) -> float:
    """Return what it is worth to send a unit to a place, or to leave it there; supports not yet counted.

    `out`: the plan so far. taken: 1 where a unit of the power will be.
    """
    at, unit = rules[rules[SPACE_OF] + place], spaces[space]
    if taken[at] != 0:
        return NOT_THERE
    power, kind = unit.power, kind_after(rules, unit.kind, unit.place, at)
    # A goal in the target itself is got now, or after it has been held in Fall.
    value = pull(rules, near, kind, place, goals, taken) + goals[at] * (0.6 if fall != 0 else 0.35)
    if at == space:
        return value + (0.8 if rivals(counts, at, power) > 0 else 0.0)
    there = spaces[at]
    if there.kind != NOBODY and there.power == power:
        value -= 100.0 if out[3 * at] >= 0 and out[3 * at] != MOVE else 5.0
    elif there.kind != NOBODY:
        value -= 2.0
    if kind != unit.kind:
        value -= 0.6
    if fall != 0 and unit.owner == power and rivals(counts, space, power) > 0:
        value -= 1.5
    return value


@rule
def best_place(
    rules: Any,
    spaces: Any,
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
    unit = spaces[space]
    place = unit.place
    best = score(rules, spaces, near, counts, goals, taken, out, fall, space, place) + noise_of(words, noise)
    way = unit.kind * rules[N_PLACES] + unit.place
    for k in range(rules[rules[WAYS] + way], rules[rules[WAYS] + way + 1]):
        other = rules[rules[MOVES_TO] + k]
        if empty and spaces[rules[rules[SPACE_OF] + other]].kind != NOBODY:
            continue
        value = score(rules, spaces, near, counts, goals, taken, out, fall, space, other) + noise_of(words, noise)
        if value > best:
            best, place = value, other
    return best, place


@rule
def put(out: Any, space: int, verb: int, source: int, target: int) -> None:
    """Write an order into a plan."""
    out[3 * space], out[3 * space + 1], out[3 * space + 2] = verb, source, target


@rule
def help_or_hold(rules: Any, spaces: Any, counts: Any, goals: Any, out: Any, power: int, space: int) -> None:
    """Support the move or stand of the power's own unit that is most in doubt, without burning boats; else hold."""
    put(out, space, HOLD, NOBODY, NOBODY)
    best, unit, nobody = 0.0, spaces[space], make_array(1, 0)
    for source in range(rules[N_SPACES]):
        other = spaces[source]
        if other.kind == NOBODY or other.power != power or source == space or out[3 * source] < 0:
            continue
        at = rules[rules[SPACE_OF] + out[3 * source + 2]] if out[3 * source] == MOVE else source
        if not supports(rules, spaces, space, source, at, nobody, 0):
            continue
        if kind_after(rules, unit.kind, unit.place, at) != unit.kind:
            continue
        doubt = rivals(counts, at, power) * (1.0 + goals[at])
        if doubt > best:
            best = doubt
            put(out, space, SUPPORT, source, at)


@rule
def builds_boats(
    rules: Any, spaces: Any, near: Any, goals: Any, taken: Any, out: Any, noise: float, words: Any, space: int
) -> bool:
    """Return True if boats lead farther than marching."""
    unit = spaces[space]
    if not boats_can_be_built(rules, spaces, space):
        return False
    by_land = by_boat = 0.0
    way, coast = ARMY * rules[N_PLACES] + unit.place, -1
    for k in range(rules[rules[WAYS] + way], rules[rules[WAYS] + way + 1]):
        by_land = max(by_land, pull(rules, near, ARMY, rules[rules[MOVES_TO] + k], goals, taken))
    for place in range(rules[rules[FIRST_STAND] + space], rules[rules[LAST_STAND] + space] + 1):
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
    spaces: Any,
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
    for one in range(rules[N_SPACES]):
        if free[one] != 0 and supports(rules, spaces, one, space, at, free, 0):
            burns = kind_after(rules, spaces[one].kind, spaces[one].place, at) != spaces[one].kind
            loses, _ = best_place(rules, spaces, near, counts, goals, taken, out, fall, noise, words, one, False)
            loses += 1.0 if burns else 0.0
            if loses < least:
                least, first, less, second = loses, one, least, first
            elif loses < less:
                less, second = loses, one
    return first, second


@rule
def next_unit(
    rules: Any,
    spaces: Any,
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
    for one in range(rules[N_SPACES]):
        if free[one] != 0:
            value, to = best_place(rules, spaces, near, counts, goals, taken, out, fall, noise, words, one, False)
            if value > best:
                best, space, place = value, one, to
    return space, place


@rule
def make_plan(
    rules: Any, state: Any, spaces: Any, near: Any, counts: Any, power: int, noise: float, words: Any, out: Any
) -> None:
    """Write a power's plan to `out`: the unit with the best score is ordered first, with its helpers, then the next.

    near: what a goal is worth by how far it is, float64[kind, place, space]. counts: of `count_reaching`. words: the
    generator.
    """
    n, fall = rules[N_SPACES], state.season
    goals, taken, free = floats(n), make_array(n, 0), make_array(n, 0)
    list_goals(rules, spaces, counts, power, goals)
    left = 0
    for space in range(n):
        out[3 * space] = NOBODY
        if spaces[space].kind != NOBODY and spaces[space].power == power:
            free[space] = 1
            left += 1
    while left > 0:
        space, place = next_unit(rules, spaces, near, counts, goals, taken, out, fall, noise, words, free)
        free[space] = 0
        left -= 1
        at = rules[rules[SPACE_OF] + place]
        builds = state.unbuilt[power] != 0 and post_can_be_built(rules, spaces, space)
        if builds and not (goals[at] > 0.0 and at != space):
            put(out, space, POST, NOBODY, NOBODY)
            taken[space] = 1
            continue
        hostile = spaces[at].kind != NOBODY and spaces[at].power != power
        wanted = 0
        if at != space and (goals[at] > 0.0 or hostile):
            wanted = min(2, min(2, rivals(counts, at, power)) + (1 if hostile else 0))
        first = second = NOBODY
        if wanted > 0:
            first, second = pick_helpers(
                rules, spaces, near, counts, goals, taken, out, fall, noise, words, free, space, at
            )
        if hostile and first < 0 and below(words, 100) < 85:
            # In vain alone: the next best that is not held against it.
            _, place = best_place(rules, spaces, near, counts, goals, taken, out, fall, noise, words, space, True)
            at = rules[rules[SPACE_OF] + place]
            first = second = NOBODY
        taken[at] = 1
        if at == space:
            if not builds_boats(rules, spaces, near, goals, taken, out, noise, words, space):
                help_or_hold(rules, spaces, counts, goals, out, power, space)
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
def give(rules: Any, spaces: Any, plans: Any, index: int) -> None:
    """Order the units what a plan says; `plans`: one after another, `index`: which."""
    n = rules[N_SPACES]
    for space in range(n):
        k = 3 * (index * n + space)
        if plans[k] >= 0:
            at = spaces[space]
            at.verb, at.source, at.target = plans[k], plans[k + 1], plans[k + 2]
