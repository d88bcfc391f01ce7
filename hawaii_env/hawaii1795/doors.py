"""The doors into the rules: the few functions that Python calls, and what lets them run in both modes.

In the compiled mode a state is an int64 buffer of `STATE_WORDS`, its tables a uint8 one of `TABLES.itemsize`; in the
plain mode they are a `PlainState` and `PlainTables`. `core` calls these functions in the mode that a state is held in.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hawaii_env.core.jit import rule
from hawaii_env.core.rng import below

from .observation import N_SHOWN, N_TOLD, begin_observation, write_key, write_observation
from .rules import flow
from .rules.actions import N_ACTIONS, is_legal
from .rules.errors import NotOfferedError
from .rules.names import CARD, LAST_DECISION
from .rules.pieces import recount as recount_pieces
from .rules.state import STATE
from .rules.tables import TABLES

# Compiled bodies: buffers come in, records are viewed inside (a record passed from Python costs ten times as much).


def _tables_in(buffer: Any) -> Any:
    return buffer.view(TABLES)[0]


def _state_in(buffer: Any) -> Any:
    return buffer.view(STATE)[0]


@rule(compiled=_tables_in)
def tables_of(buffer: Any) -> Any:
    """The tables behind a door's argument."""
    return buffer


@rule(compiled=_state_in)
def state_of(buffer: Any) -> Any:
    """The state behind a door's argument."""
    return buffer


def _copied(source: Any, room: Any) -> Any:
    room[:] = source
    return state_of(room)


@rule(compiled=_copied)
def copied(source: Any, room: Any) -> Any:
    """The state of a copy of `source`; in the compiled mode it takes the place of `room`."""
    return source.copy()


def _held(room: Any, state: Any) -> Any:
    return room


@rule(compiled=_held)
def held(room: Any, state: Any) -> Any:
    """What holds a state that `copied` has made: `copied` takes it."""
    return state


@rule
def begin(tables: Any, buffer: Any) -> None:
    """[6.0] A new game, up to its first real decision."""
    flow.begin(tables_of(tables), state_of(buffer))


@rule
def resume(tables: Any, buffer: Any) -> None:
    """Go on until a real decision, the caller's chance node or the end."""
    flow.run(tables_of(tables), state_of(buffer))


@rule
def decide(tables: Any, buffer: Any, action: int) -> int:
    """A player's action and what follows by itself. 0, or 1 when it is not legal (then nothing has changed)."""
    rules, state = tables_of(tables), state_of(buffer)
    if not is_legal(state, action):
        return 1
    state.decisions += 1
    flow.take(rules, state, action)
    flow.run(rules, state)
    return 0


@rule
def tell(tables: Any, buffer: Any, outcome: int) -> int:
    """A chance outcome and what follows by itself. 0, or 1 when there is no such outcome (then nothing has changed)."""
    rules, state = tables_of(tables), state_of(buffer)
    if not flow.is_chance(state):
        return 1
    if state.phase == CARD:
        if outcome < 1 or outcome > 9 or not (state.left[state.half] >> outcome) & 1:
            return 1
    elif outcome < 1 or outcome > 6:
        return 1
    flow.fall(rules, state, outcome)
    flow.run(rules, state)
    return 0


@rule
def advance(tables: Any, buffer: Any) -> None:
    """One step of a trace: the phases that need nobody, then the legal actions of a decision phase."""
    rules, state = tables_of(tables), state_of(buffer)
    flow.advance(rules, state)
    if state.phase <= LAST_DECISION:
        flow.list_legal(rules, state)
    else:
        state.n_legal = 0


@rule
def take(tables: Any, buffer: Any, action: int) -> None:
    """One step of a trace: an action, nothing more. Raises NotOfferedError for one that is not legal."""
    rules, state = tables_of(tables), state_of(buffer)
    if not is_legal(state, action):
        raise NotOfferedError(action, state.phase)
    flow.take(rules, state, action)


@rule
def fall(tables: Any, buffer: Any, outcome: int) -> None:
    """One step of a trace: a chance outcome, nothing more."""
    flow.fall(tables_of(tables), state_of(buffer), outcome)


@rule
def pass_on(tables: Any, buffer: Any) -> None:
    """One step of a trace: a phase with nothing to do ends."""
    flow.pass_on(tables_of(tables), state_of(buffer))


@rule
def sample(buffer: Any) -> int:
    """One step of a trace: draw the outcome of the chance node."""
    return flow.sample(state_of(buffer))


@rule
def recount(tables: Any, buffer: Any) -> None:
    """Count the pieces by place anew."""
    recount_pieces(tables_of(tables), state_of(buffer))


def _observe(tables: Any, buffer: Any, player: int, template: Any, scale: Any, out: Any) -> None:
    told, shown = np.empty(N_TOLD, np.int32), np.empty(N_SHOWN, np.int32)
    begin_observation(template, shown, out)
    write_observation(tables_of(tables), state_of(buffer), player, scale, told, shown, out)


# In Python a list is written ten times as fast as an array.


@rule(compiled=_observe)
def observe(tables: Any, buffer: Any, player: int, template: Any, scale: Any, out: Any) -> None:
    """Write the observation, float32[observation_size]; see `observation.write_observation`."""
    values = template.tolist()
    write_observation(tables, buffer, player, scale.tolist(), [0] * N_TOLD, [-1] * N_SHOWN, values)
    out[:] = values


def _position_key(tables: Any, buffer: Any, out: Any) -> None:
    write_key(tables_of(tables), state_of(buffer), out)


@rule(compiled=_position_key)
def position_key(tables: Any, buffer: Any, out: Any) -> None:
    """Write the key of the public position, int32[N_TOLD]; see `observation.write_key`."""
    key = [0] * N_TOLD
    write_key(tables, buffer, key)
    out[:] = key


@rule
def set_up(tables: Any, buffer: Any) -> None:
    """[6.0] One step of a trace: a new game, before its first decision."""
    rules, state = tables_of(tables), state_of(buffer)
    flow.set_up(rules, state)
    flow.begin_setup_of(rules, state, 0)


@rule
def effect_of(tables: Any, buffer: Any, face: int) -> int:
    """What a face of the die does at this chance node; see `flow.effect_of`."""
    return flow.effect_of(tables_of(tables), state_of(buffer), face)


@rule
def merge_faces(rules: Any, state: Any, source: Any, room: Any, keys: Any, least: Any) -> None:
    """Write to `least`, int64[6], for each face of a die the least face that leads to the same position.

    source: the state as `copied` takes it; room (a state) and keys (int32[6, N_TOLD]) are overwritten.
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
        after = copied(source, room)
        after.sampled = 0
        flow.fall(rules, after, face + 1)
        flow.run(rules, after)
        write_key(rules, after, keys[face])
        for other in range(face):
            if least[other] == other + 1 and alike(keys[other], keys[face]):
                least[face] = other + 1
                break


@rule
def alike(one: Any, other: Any) -> bool:
    """Return True if two keys are equal."""
    for i in range(N_TOLD):
        if one[i] != other[i]:
            return False
    return True


@rule
def merged(tables: Any, buffer: Any, room: Any, keys: Any, least: Any) -> None:
    """The faces that lead to one position; see `merge_faces`."""
    merge_faces(tables_of(tables), state_of(buffer), buffer, room, keys, least)


def _write_mask(buffer: Any, out: Any) -> None:
    state = state_of(buffer)
    for i in range(N_ACTIONS):
        out[i] = 0
    for i in range(state.n_legal):
        out[state.legal[i]] = 1


@rule(compiled=_write_mask)
def write_mask(buffer: Any, out: Any) -> None:
    """Write the mask of the legal actions, int8[N_ACTIONS]."""
    out[:] = 0
    out[buffer.legal[: buffer.n_legal]] = 1


@rule
def playout(tables: Any, buffer: Any, words: Any, limit: int) -> int:
    """Random legal play to the end, or `limit` decisions. Returns the number of decisions; words: the player's
    generator.

    Stops early at a chance node in the explicit mode.
    """
    rules, state = tables_of(tables), state_of(buffer)
    n = 0
    while n < limit and state.n_legal > 0:
        flow.take(rules, state, state.legal[below(words, state.n_legal)])
        state.decisions += 1
        flow.run(rules, state)
        n += 1
    return n
