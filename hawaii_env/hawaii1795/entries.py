"""Entry points of these rules beside those of every game: keys, faces that coincide, single steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from hawaii_env.core.jit import rule
from hawaii_env.core.layout import copy_record

from .observation import N_CODES, write_key
from .rules import flow
from .rules.names import LAST_DECISION
from .rules.state import STATE
from .rules.tables import TABLES

__all__ = [
    "EXAMPLES",
    "NOTHING",
    "SAMPLE",
    "copy_state",
    "enter_key",
    "enter_merged",
    "enter_step",
    "merge_faces",
    "new_spare",
    "view_rules",
    "view_state",
]

NOTHING, SAMPLE = -1, -2
"""Arguments of `enter_step` beside actions and outcomes: apply nothing; draw from the state's generators."""

view_rules: Any = TABLES.view
view_state: Any = STATE.view
"""Return the record behind an argument of an entry point: ``view_rules(tables)``, ``view_state(record)``."""


STATE_SIZE = STATE.size


def _new_spare() -> Any:
    return np.zeros(STATE_SIZE, np.int64)


@rule(compiled=_new_spare)
def new_spare() -> Any:
    """Return a record to copy positions into, as entry points take it. For rules."""
    return STATE.new()


@rule
def copy_state(source: Any, spare: Any) -> Any:
    """Overwrite the record `spare` with `source`, both as entry points take them; return the state in it."""
    state = view_state(spare)
    copy_record(view_state(source), state)
    return state


@rule
def alike(one: Any, other: Any) -> bool:
    """Return True if two keys are equal."""
    for i in range(N_CODES):
        if one[i] != other[i]:
            return False
    return True


@rule
def merge_faces(rules: Any, state: Any, source: Any, spare: Any, keys: Any, least: Any) -> None:
    """Write to `least`, int64[6], for each face of a die the least face that leads to the same position.

    Args:
        rules, state: the position, at a chance node that is not a card.
        source: the record of the position, as entry points take it.
        spare: another record, overwritten.
        keys: int32[6, N_CODES], overwritten.
        least: int64[6].
    """
    for face in range(6):
        least[face] = face + 1
        effect = flow.effect_of(rules, state, face + 1)
        for other in range(face):
            if least[other] == other + 1 and flow.effect_of(rules, state, other + 1) == effect:
                least[face] = other + 1
                break
    if not flow.effects_may_coincide(rules, state):
        return
    for face in range(6):
        if least[face] != face + 1:
            least[face] = least[least[face] - 1]
            continue
        after = copy_state(source, spare)
        for i in range(8):
            after.generator[i] = -1
        flow.apply_chance(rules, after, face + 1)
        flow.run(rules, after)
        write_key(rules, after, keys[face])
        for other in range(face):
            if least[other] == other + 1 and alike(keys[other], keys[face]):
                least[face] = other + 1
                break


@rule
def enter_merged(tables: Any, record: Any, spare: Any, keys: Any, least: Any) -> None:
    """Write the faces that lead to one position; see `merge_faces`."""
    merge_faces(view_rules(tables), view_state(record), record, spare, keys, least)


def _enter_key(tables: Any, record: Any, out: Any) -> None:
    write_key(view_rules(tables), view_state(record), out)


@rule(compiled=_enter_key)
def enter_key(tables: Any, record: Any, out: Any) -> None:
    """Write the key of the public position, int32[N_CODES]; see `observation.write_key`."""
    values = [0] * N_CODES
    write_key(tables, record, values)
    out[:] = values


@rule
def enter_step(tables: Any, record: Any, choice: int) -> None:
    """Apply an action, an outcome of chance, SAMPLE or NOTHING, and play what asks nobody; forced choices are listed,
    not taken.
    """
    rules, state = view_rules(tables), view_state(record)
    if choice == SAMPLE:
        flow.apply_chance(rules, state, flow.sample_chance(rules, state))
    elif choice != NOTHING:
        if flow.is_chance(rules, state):
            flow.apply_chance(rules, state, choice)
        else:
            flow.apply_action(rules, state, choice)
    flow.advance(rules, state)
    state.n_legal = 0
    if state.phase <= LAST_DECISION:
        flow.list_legal(rules, state)


EXAMPLES: dict[Any, tuple[Any, ...]] = {
    enter_key: (np.zeros(1, np.int32),),
    enter_merged: (
        np.zeros(1, np.int64), np.zeros((1, 1), np.int32), np.zeros(1, np.int64),
    ),
    enter_step: (0,),
}  # fmt: skip
"""These entry points, with arguments of theirs behind the tables and the record."""
