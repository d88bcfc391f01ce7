"""Answers of a movement phase that hang together in circles: circular movement, and paradoxes of convoys [R-14]."""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule

from .adjudication import (
    CARRIERS,
    GIVEN,
    GOAL,
    HELPERS,
    INTO,
    MOVES,
    NEXT_CARRIER,
    NEXT_HELPER,
    NEXT_INTO,
    NO,
    OPEN,
    OPPONENT,
    OUT,
    PATH,
    SHIFT,
    WIDTH,
    YES,
    answer,
    attack_strength,
    count_at,
    prevent_strength,
)
from .forms import room
from .tables import N_SPACES

__all__ = ["untie"]


@rule
def note(phase: Any, key: int, found: Any, n: int) -> int:
    """Append an open question that is not there yet; return the new number of them."""
    if phase[key] != OPEN:
        return n
    for i in range(n):
        if found[i] == key:
            return n
    found[n] = key
    return n + 1


@rule
def note_all(phase: Any, question: int, first: int, following: int, found: Any, n: int) -> int:
    """Append the open questions of one kind about the units of a list: the first, and those that follow each."""
    space = first
    while space >= 0:
        n = note(phase, WIDTH * space + question, found, n)
        space = phase[WIDTH * space + following]
    return n


@rule
def needs(rules: Any, spaces: Any, phase: Any, key: int, found: Any) -> int:
    """Write the open questions on which the answer to one depends; return how many there are."""
    question, space, n = key & (WIDTH - 1), key >> SHIFT, 0
    of = WIDTH * space
    if question == PATH:
        return note_all(phase, OUT, phase[of + CARRIERS], NEXT_CARRIER, found, n)
    if question == GIVEN:
        n = note(phase, of + OUT, found, n)
        return note_all(phase, PATH, phase[of + INTO], NEXT_INTO, found, n)
    if question == OUT:
        n = note(phase, of + MOVES, found, n)
        return note_all(phase, MOVES, phase[of + INTO], NEXT_INTO, found, n)
    at = phase[of + GOAL]
    n = note(phase, of + PATH, found, n)
    n = note_all(phase, GIVEN, phase[of + HELPERS], NEXT_HELPER, found, n)
    if phase[WIDTH * at + GOAL] >= 0 and phase[of + OPPONENT] < 0:
        n = note(phase, WIDTH * at + MOVES, found, n)
    else:
        n = note_all(phase, GIVEN, phase[WIDTH * at + HELPERS], NEXT_HELPER, found, n)
    least = attack_strength(spaces, phase, space)[0]
    other = phase[WIDTH * at + INTO]
    while other >= 0:
        if other != space and prevent_strength(spaces, phase, other)[1] >= least:
            n = note(phase, WIDTH * other + PATH, found, n)
            n = note_all(phase, GIVEN, phase[WIDTH * other + HELPERS], NEXT_HELPER, found, n)
            if phase[WIDTH * other + OPPONENT] >= 0:
                n = note(phase, WIDTH * phase[WIDTH * other + OPPONENT] + MOVES, found, n)
        other = phase[WIDTH * other + NEXT_INTO]
    return n


@rule
def find_knot(rules: Any, spaces: Any, phase: Any, knot: Any) -> int:
    """Write the smallest set of open answers that depend on no open answer outside it, ascending; the first where there
    are several, since they do not depend on each other. Return how many there are.
    """
    size, first = WIDTH * rules[N_SPACES], WIDTH * rules[N_SPACES]
    best = size
    found, stack = room(size, 0), room(size, 0)
    for i in range(first, first + phase[count_at(rules)]):
        reached = room(size, 0)
        stack[0] = phase[i]
        reached[phase[i]] = 1
        waiting, count = 1, 1
        while waiting > 0 and count < best:
            waiting -= 1
            n = needs(rules, spaces, phase, stack[waiting], found)
            for k in range(n):
                if reached[found[k]] == 0:
                    reached[found[k]] = 1
                    count += 1
                    stack[waiting] = found[k]
                    waiting += 1
        if count >= best:
            continue
        best, at = count, 0
        for key in range(size):
            if reached[key] != 0:
                knot[at] = key
                at += 1
    return best


@rule
def untie(rules: Any, spaces: Any, phase: Any) -> None:
    """Settle a set of answers that hang together in a circle.

    With one solution it is that. Else, without convoys, its moves all succeed (circular movement); with convoys (a
    paradox), each unit that is convoyed in it has no path: Szykman's rule [R-14].
    """
    knot = room(4 * rules[N_SPACES], 0)
    n = find_knot(rules, spaces, phase, knot)
    solution = room(n, 0)
    if count_solutions(rules, spaces, phase, knot, n, solution) == 1:
        for i in range(n):
            phase[knot[i]] = solution[i]
    else:
        paradox = False
        for i in range(n):
            paradox = paradox or knot[i] & (WIDTH - 1) == PATH
        for i in range(n):
            if paradox and knot[i] & (WIDTH - 1) == PATH:
                phase[knot[i]] = NO
            elif not paradox and knot[i] & (WIDTH - 1) == MOVES:
                phase[knot[i]] = YES
    first = WIDTH * rules[N_SPACES]
    left = first
    for i in range(first, first + phase[count_at(rules)]):
        if phase[phase[i]] == OPEN:
            phase[left] = phase[i]
            left += 1
    phase[count_at(rules)] = left - first


@rule
def count_solutions(rules: Any, spaces: Any, phase: Any, knot: Any, n: int, solution: Any) -> int:
    """Count the consistent ways to settle a set of answers, up to two; write the first. The answers stay open.

    One answer is guessed after another, YES first; what follows from a guess is taken back with it.
    """
    depth_of, guessed = room(n, -1), room(n + 1, 0)  # with which guess each was settled; which were guessed
    depth, found = 0, 0
    while True:
        free, holds = n, True
        changed = True
        while changed and holds:
            changed = False
            for i in range(n):
                value = answer(rules, spaces, phase, knot[i])
                if value == OPEN:
                    continue
                if phase[knot[i]] == OPEN:
                    phase[knot[i]] = value
                    depth_of[i] = depth
                    changed = True
                elif phase[knot[i]] != value:
                    holds = False
                    break
        if holds:
            for i in range(n - 1, -1, -1):
                if phase[knot[i]] == OPEN:
                    free = i
            if free < n:
                depth += 1
                guessed[depth] = free
                depth_of[free] = depth
                phase[knot[free]] = YES
                continue
            found += 1
            if found == 1:
                for i in range(n):
                    solution[i] = phase[knot[i]]
        # Back to the last guess of YES, which becomes NO.
        while True:
            last = guessed[depth]
            value = phase[knot[last]] if depth > 0 else NO
            for i in range(n):
                if depth_of[i] == depth:
                    phase[knot[i]] = OPEN
                    depth_of[i] = -1
            if depth == 0:
                return found
            if value == YES and found < 2:
                depth_of[last] = depth
                phase[knot[last]] = NO
                break
            depth -= 1
