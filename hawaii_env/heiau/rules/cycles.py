"""Answers of a movement phase that hang together in circles: circular movement, and paradoxes of convoys [R-14]."""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule
from hawaii_env.core.layout import new_array

from .adjudication import answer, attack_strength, prevent_strength
from .equations import (
    GIVEN,
    MOVES,
    N_QUESTIONS,
    NO,
    OPEN,
    OUT,
    PATH,
    YES,
    answer_to,
    question_of,
    set_answer,
)

__all__ = ["resolve_cycle"]


@rule
def note(phase: Any, key: int, found: Any, n: int) -> int:
    """Append an open question that is not there yet; return the new number of them."""
    if answer_to(phase, key) != OPEN:
        return n
    for i in range(n):
        if found[i] == key:
            return n
    found[n] = key
    return n + 1


@rule
def note_all(phase: Any, question: int, first: int, following: Any, found: Any, n: int) -> int:
    """Append the open questions of one kind about the units of a list: the first, and those that follow each."""
    space = first
    while space >= 0:
        n = note(phase, question_of(space, question), found, n)
        space = following[space]
    return n


@rule
def needs(rules: Any, state: Any, phase: Any, key: int, found: Any) -> int:
    """Write the open questions on which the answer to one depends; return how many there are."""
    question, space, n = key & 3, key >> 2, 0
    if question == PATH:
        return note_all(phase, OUT, phase.carriers[space], phase.next_carrier, found, n)
    if question == GIVEN:
        n = note(phase, question_of(space, OUT), found, n)
        return note_all(phase, PATH, phase.into[space], phase.next_into, found, n)
    if question == OUT:
        n = note(phase, question_of(space, MOVES), found, n)
        return note_all(phase, MOVES, phase.into[space], phase.next_into, found, n)
    at = phase.goal[space]
    n = note(phase, question_of(space, PATH), found, n)
    n = note_all(phase, GIVEN, phase.helpers[space], phase.next_helper, found, n)
    if phase.goal[at] >= 0 and phase.opponent[space] < 0:
        n = note(phase, question_of(at, MOVES), found, n)
    else:
        n = note_all(phase, GIVEN, phase.helpers[at], phase.next_helper, found, n)
    least = attack_strength(state, phase, space)[0]
    other = phase.into[at]
    while other >= 0:
        if other != space and prevent_strength(state, phase, other)[1] >= least:
            n = note(phase, question_of(other, PATH), found, n)
            n = note_all(phase, GIVEN, phase.helpers[other], phase.next_helper, found, n)
            if phase.opponent[other] >= 0:
                n = note(phase, question_of(phase.opponent[other], MOVES), found, n)
        other = phase.next_into[other]
    return n


@rule
def find_cycle(rules: Any, state: Any, phase: Any, cycle: Any) -> int:
    """Write the smallest set of open answers that depend on no open answer outside it, ascending; the first where there
    are several, since they do not depend on each other. Return how many there are.
    """
    size = N_QUESTIONS * rules.spaces
    best = size + 1
    found, stack = new_array(size, 0), new_array(size, 0)
    for i in range(phase.n_open):
        reached = new_array(size, 0)
        stack[0] = phase.open[i]
        reached[phase.open[i]] = 1
        waiting, count = 1, 1
        while waiting > 0 and count < best:
            waiting -= 1
            n = needs(rules, state, phase, stack[waiting], found)
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
                cycle[at] = key
                at += 1
    return best


@rule
def resolve_cycle(rules: Any, state: Any, phase: Any) -> None:
    """Settle a set of answers that hang together in a circle.

    With one solution it is that. Else, without convoys, its moves all succeed (circular movement); with convoys (a
    paradox), each unit that is convoyed in it has no path: Szykman's rule [R-14].
    """
    cycle = new_array(4 * rules.spaces, 0)
    n = find_cycle(rules, state, phase, cycle)
    solution = new_array(n, 0)
    if count_solutions(rules, state, phase, cycle, n, solution) == 1:
        for i in range(n):
            set_answer(phase, cycle[i], solution[i])
    else:
        paradox = False
        for i in range(n):
            paradox = paradox or cycle[i] & 3 == PATH
        for i in range(n):
            if paradox and cycle[i] & 3 == PATH:
                set_answer(phase, cycle[i], NO)
            elif not paradox and cycle[i] & 3 == MOVES:
                set_answer(phase, cycle[i], YES)
    left = 0
    for i in range(phase.n_open):
        if answer_to(phase, phase.open[i]) == OPEN:
            phase.open[left] = phase.open[i]
            left += 1
    phase.n_open = left


@rule
def count_solutions(rules: Any, state: Any, phase: Any, cycle: Any, n: int, solution: Any) -> int:
    """Count the consistent ways to settle a set of answers, up to two; write the first. The answers stay open.

    One answer is guessed after another, YES first; what follows from a guess is taken back with it.
    """
    depth_of, guessed = new_array(n, -1), new_array(n + 1, 0)  # with which guess each was settled; which were guessed
    depth, found = 0, 0
    while True:
        free, holds = n, True
        changed = True
        while changed and holds:
            changed = False
            for i in range(n):
                value = answer(rules, state, phase, cycle[i])
                if value == OPEN:
                    continue
                if answer_to(phase, cycle[i]) == OPEN:
                    set_answer(phase, cycle[i], value)
                    depth_of[i] = depth
                    changed = True
                elif answer_to(phase, cycle[i]) != value:
                    holds = False
                    break
        if holds:
            for i in range(n - 1, -1, -1):
                if answer_to(phase, cycle[i]) == OPEN:
                    free = i
            if free < n:
                depth += 1
                guessed[depth] = free
                depth_of[free] = depth
                set_answer(phase, cycle[free], YES)
                continue
            found += 1
            if found == 1:
                for i in range(n):
                    solution[i] = answer_to(phase, cycle[i])
        # Back to the last guess of YES, which becomes NO.
        while True:
            last = guessed[depth]
            value = answer_to(phase, cycle[last]) if depth > 0 else NO
            for i in range(n):
                if depth_of[i] == depth:
                    set_answer(phase, cycle[i], OPEN)
                    depth_of[i] = -1
            if depth == 0:
                return found
            if value == YES and found < 2:
                depth_of[last] = depth
                set_answer(phase, cycle[last], NO)
                break
            depth -= 1
