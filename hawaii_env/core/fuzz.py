"""Random games of a compiled game, with checks of all invariants after every step.

The fuzzer plays step by step instead of calling `run`, so that it also checks forced decisions and chance. A game
defines `fault_in(rules, state)`, which returns the number of the fault in a position (an index of its faults, 0 if
there is none), and `fault_of_step(rules, state, memory)`, which does so for a position compared with the one before;
`memory` is int64[16], zeros at the start of a game. Optional: `note_action` and `fault_of_action`, with the same
arguments, for checks before and after an action.
"""

from __future__ import annotations

# pyright: reportUndefinedVariable=false
# ruff: noqa: F821
from typing import Any

import numpy as np

from hawaii_env.core.jit import rule
from hawaii_env.core.rng import below, seed_words

__all__ = ["FAULTS", "FUZZER", "fuzz_seed"]

FAULTS = (
    "nobody has a legal action",
    "legal actions do not ascend, or are outside the table",
    "the game does not end",
    "chance has an outcome that it does not have",
)
"""Faults that are checked in every game; they follow those of the game."""


@rule
def note_action(rules: Any, state: Any, memory: Any) -> None:
    """Store values for `fault_of_action` in `memory`; most games need none."""


@rule
def fault_of_action(rules: Any, state: Any, memory: Any) -> int:
    """Return the number of the fault in an action that was just applied, 0 if there is none."""
    return 0


def fault_of_choices(state: Any, num_actions: int) -> int:
    """Return the number of the fault in the legal actions, 0 if there is none."""
    if state.n_legal <= 0:
        return GENERIC
    if state.n_legal > len(state.legal):
        return GENERIC + 1
    for i in range(state.n_legal):
        action = state.legal[i]
        if action < 0 or action >= num_actions or (i > 0 and action <= state.legal[i - 1]):
            return GENERIC + 1
    return 0


def fuzz_game(
    tables: Any, record: Any, words: Any, memory: Any, bold: int, limit: int, num_actions: int, actions: Any
) -> int:
    """Play one random game from its start, checking each step. Return the number of a fault, or 0 if there is none.

    Args:
        tables, record: as in the compiled rules; the record holds the generators.
        words: generator that makes the choices.
        memory: int64[16].
        bold: 1 seldom chooses the first legal action, which in most phases passes or ends them.
        limit: maximum number of decisions of a game, including forced ones.
        num_actions: size of the action table.
        actions: int64 array for the decisions that were not forced (its first value is their number).
    """
    rules, state = view_rules(tables), view_state(record)
    set_up(rules, state)
    taken, asked = 0, 0
    actions[0] = 0
    for at in range(len(memory)):
        memory[at] = 0
    while True:
        advance(rules, state)
        fault = fault_in(rules, state)
        if fault == 0:
            fault = fault_of_step(rules, state, memory)
        if fault > 0:
            return fault
        if is_over(rules, state):
            return 0
        taken += 1
        if taken > limit:
            return GENERIC + 2
        if is_chance(rules, state):
            outcome = sample_chance(rules, state)
            if not is_outcome(rules, state, outcome):
                return GENERIC + 3
            apply_chance(rules, state, outcome)
            continue
        list_legal(rules, state)
        if state.n_legal == 0 and pass_on(rules, state):
            continue
        fault = fault_of_choices(state, num_actions)
        if fault > 0:
            return fault
        action = state.legal[0]
        if state.n_legal > 1:
            action = state.legal[below(words, state.n_legal)]
            if bold != 0 and action == state.legal[0] and below(words, 4) > 0:
                action = state.legal[state.n_legal - 1 - below(words, state.n_legal - 1)]
            asked += 1
            actions[0] = asked
            actions[asked] = action
        note_action(rules, state, memory)
        apply_action(rules, state, action)
        fault = fault_of_action(rules, state, memory)
        if fault > 0:
            return fault


FUZZER = (fault_of_choices, fuzz_game)


def fuzz_seed(game: Any, seed: int) -> tuple[int, list[int]]:
    """Play the random game of a seed: even seeds choose evenly, odd ones boldly. Return the number of a fault, or 0,
    and the decisions that were not forced.
    """
    compiled = game.compiled_rules
    backend = compiled.backend_for_jobs(rules=False)
    limit = 4 * game.max_decisions
    actions = np.zeros(limit + 2, np.int64)
    arguments = (
        game.rules_in(backend), game.new_record(backend, seed_words(seed)),
        backend.words(seed_words(seed ^ 0x5EED)[:4]),
        backend.words([0] * 16), seed & 1, limit, game.num_actions, actions,
    )  # fmt: skip
    fault = compiled.fuzzer.compile_now(lambda: {"fuzz_game": arguments}).fuzz_game(*arguments)
    return int(fault), actions[1 : int(actions[0]) + 1].tolist()
