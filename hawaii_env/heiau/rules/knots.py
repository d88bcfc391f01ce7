"""Answers of a movement phase that hang together in circles: circular movement, and paradoxes of convoys [R-14]."""

from __future__ import annotations

from typing import Any

from hawaii_env._jit import rule

from .adjudication import (
    GIVEN,
    MOVES,
    NO,
    OPEN,
    OUT,
    PATH,
    YES,
    answer,
    attack_strength,
    prevent_strength,
)
from .forms import room

__all__ = ["untie"]


@rule
def note(phase: Any, key: int, found: Any, n: int) -> int:
    """Append an open question that is not there yet; return the new number of them."""
    if phase.known[key] != OPEN:
        return n
    for i in range(n):
        if found[i] == key:
            return n
    found[n] = key
    return n + 1


@rule
def note_all(phase: Any, question: int, first: int, following: Any, spaces: int, found: Any, n: int) -> int:
    """Append the open questions of one kind about the units of a list."""
    space = first
    while space >= 0:
        n = note(phase, question * spaces + space, found, n)
        space = following[space]
    return n


@rule
def needs(rules: Any, spaces: Any, phase: Any, key: int, found: Any) -> int:
    """Write the open questions on which the answer to one depends; return how many there are."""
    size, n = rules.game[0].spaces, 0
    question, space = key // size, key % size
    if question == PATH:
        return note_all(phase, OUT, phase.carriers[space], phase.next_carrier, size, found, n)
    if question == GIVEN:
        n = note(phase, OUT * size + space, found, n)
        return note_all(phase, PATH, phase.into[space], phase.next_into, size, found, n)
    if question == OUT:
        n = note(phase, MOVES * size + space, found, n)
        return note_all(phase, MOVES, phase.into[space], phase.next_into, size, found, n)
    at = phase.goal[space]
    n = note(phase, PATH * size + space, found, n)
    n = note_all(phase, GIVEN, phase.helpers[space], phase.next_helper, size, found, n)
    if phase.goal[at] >= 0 and phase.opponent[space] < 0:
        n = note(phase, MOVES * size + at, found, n)
    else:
        n = note_all(phase, GIVEN, phase.helpers[at], phase.next_helper, size, found, n)
    least = attack_strength(rules, spaces, phase, space)[0]
    other = phase.into[at]
    while other >= 0:
        if other != space and prevent_strength(rules, spaces, phase, other)[1] >= least:
            n = note(phase, PATH * size + other, found, n)
            n = note_all(phase, GIVEN, phase.helpers[other], phase.next_helper, size, found, n)
            if phase.opponent[other] >= 0:
                n = note(phase, MOVES * size + phase.opponent[other], found, n)
        other = phase.next_into[other]
    return n


@rule
def find_knot(rules: Any, spaces: Any, phase: Any, knot: Any) -> int:
    """Write the smallest set of open answers that depend on no open answer outside it, ascending; the first where there
    are several. Return how many there are.
    """
    size = 4 * rules.game[0].spaces
    best = size + 1
    found = room(size, 0)
    for i in range(phase.count[0]):
        reached, stack = room(size, 0), room(size, 0)
        stack[0] = phase.open[i]
        reached[phase.open[i]] = 1
        waiting, count = 1, 1
        while waiting > 0 and count <= best:
            waiting -= 1
            n = needs(rules, spaces, phase, stack[waiting], found)
            for k in range(n):
                if reached[found[k]] == 0:
                    reached[found[k]] = 1
                    count += 1
                    stack[waiting] = found[k]
                    waiting += 1
        if waiting > 0 or count > best or (count == best and not comes_first(reached, knot, best)):
            continue
        best, at = count, 0
        for key in range(size):
            if reached[key] != 0:
                knot[at] = key
                at += 1
    return best


@rule
def comes_first(reached: Any, knot: Any, n: int) -> bool:
    """A set of n questions comes before the knot, which has as many."""
    at = 0
    for key in range(len(reached)):
        if reached[key] != 0:
            if key != knot[at]:
                return key < knot[at]
            at += 1
            if at == n:
                return False
    return False


@rule
def untie(rules: Any, spaces: Any, phase: Any) -> None:
    """Settle a set of answers that hang together in a circle.

    With one solution it is that. Else, without convoys, its moves all succeed (circular movement); with convoys (a
    paradox), each unit that is convoyed in it has no path: Szykman's rule [R-14].
    """
    size = rules.game[0].spaces
    knot = room(4 * size, 0)
    n = find_knot(rules, spaces, phase, knot)
    solution = room(n, 0)
    if count_solutions(rules, spaces, phase, knot, n, solution) == 1:
        for i in range(n):
            phase.known[knot[i]] = solution[i]
    else:
        paradox = False
        for i in range(n):
            paradox = paradox or knot[i] // size == PATH
        for i in range(n):
            if paradox and knot[i] // size == PATH:
                phase.known[knot[i]] = NO
            elif not paradox and knot[i] // size == MOVES:
                phase.known[knot[i]] = YES
    left = 0
    for i in range(phase.count[0]):
        if phase.known[phase.open[i]] == OPEN:
            phase.open[left] = phase.open[i]
            left += 1
    phase.count[0] = left


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
                if phase.known[knot[i]] == OPEN:
                    phase.known[knot[i]] = value
                    depth_of[i] = depth
                    changed = True
                elif phase.known[knot[i]] != value:
                    holds = False
                    break
        if holds:
            for i in range(n - 1, -1, -1):
                if phase.known[knot[i]] == OPEN:
                    free = i
            if free < n:
                depth += 1
                guessed[depth] = free
                depth_of[free] = depth
                phase.known[knot[free]] = YES
                continue
            found += 1
            if found == 1:
                for i in range(n):
                    solution[i] = phase.known[knot[i]]
        # Back to the last guess of YES, which becomes NO.
        while True:
            last = guessed[depth]
            value = phase.known[knot[last]] if depth > 0 else NO
            for i in range(n):
                if depth_of[i] == depth:
                    phase.known[knot[i]] = OPEN
                    depth_of[i] = -1
            if depth == 0:
                return found
            if value == YES and found < 2:
                depth_of[last] = depth
                phase.known[knot[last]] = NO
                break
            depth -= 1
