"""The doors into the rules: the few functions that Python calls, alike in the compiled and the plain mode.

A compiled state is an int64 buffer of `STATE_WORDS`, its tables a uint8 one of `TABLES.itemsize`; a plain state is a `PlainState` and
its tables `PlainTables`. Everything outside this module treats both as opaque.
"""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hawaii_env._jit import PLAIN, announce, rule
from hawaii_env.errors import StateError

from . import flow
from .actions import N_ACTIONS
from .names import LAST_DECISION
from .observation import SIZE, write_observation
from .pieces import move_piece as move_one
from .pieces import recount as recount_pieces
from .pieces import send_home as send_one_home
from .rng import below
from .state import STATE, STATE_BYTES, STATE_FIELDS, STATE_WORDS, PlainState
from .tables import TABLES, plain_tables

LENGTH = dict(STATE_FIELDS)
OFFSET: dict[str, int] = {}
_at = 0
for _name, _n in STATE_FIELDS:
    OFFSET[_name] = _at
    _at += _n

# Compiled bodies: buffers come in, records are viewed inside (a record passed from Python costs ten times as much).

if PLAIN:

    @rule
    def tables_of(buffer: Any) -> Any:
        """The tables behind a door's argument."""
        return buffer

    @rule
    def state_of(buffer: Any) -> Any:
        """The state behind a door's argument."""
        return buffer

    @rule
    def copied(source: Any, room: Any) -> Any:
        """The state of a copy of `source`."""
        return source.copy()

else:

    @rule
    def tables_of(buffer: Any) -> Any:
        """The tables behind a door's argument."""
        return buffer.view(TABLES)[0]

    @rule
    def state_of(buffer: Any) -> Any:
        """The state behind a door's argument."""
        return buffer.view(STATE)[0]

    @rule
    def copied(source: Any, room: Any) -> Any:
        """The state of a copy of `source`, which takes the place of `room`."""
        room[:] = source
        return state_of(room)


@rule
def begin(tables: Any, buffer: Any) -> None:
    """[6.0] A new game, up to its first real decision."""
    flow.begin(tables_of(tables), state_of(buffer))


@rule
def resume(tables: Any, buffer: Any) -> None:
    """Go on until a real decision, the caller's chance node, a custom effect or the end."""
    flow.run(tables_of(tables), state_of(buffer))


@rule
def decide(tables: Any, buffer: Any, action: int) -> int:
    """A player's action and what follows by itself. 0, or 1 when it is not legal (then nothing has changed)."""
    return flow.decide(tables_of(tables), state_of(buffer), action)


@rule
def tell(tables: Any, buffer: Any, outcome: int) -> int:
    """A chance outcome and what follows by itself. 0, or 1 when there is no such outcome (then nothing has changed)."""
    return flow.tell(tables_of(tables), state_of(buffer), outcome)


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
    """One step of a trace: an action, nothing more."""
    flow.take(tables_of(tables), state_of(buffer), action)


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


@rule
def move_piece(tables: Any, buffer: Any, piece: int, place: int) -> None:
    """Put a piece into a place (positions written by hand, custom effects)."""
    move_one(tables_of(tables), state_of(buffer), piece, place)


@rule
def send_home(tables: Any, buffer: Any, piece: int) -> None:
    """A piece goes to its box, or is dead (custom effects)."""
    send_one_home(tables_of(tables), state_of(buffer), piece)


@rule
def observe(tables: Any, buffer: Any, player: int, out: Any) -> None:
    """Write the raw observation, int8[observation_size]."""
    write_observation(tables_of(tables), state_of(buffer), player, out)


@rule
def observe_scaled(tables: Any, buffer: Any, player: int, scale: Any, out: Any) -> None:
    """Write the observation, float32[observation_size]: the raw values times `scale`."""
    raw = np.empty(SIZE, np.int8)
    write_observation(tables_of(tables), state_of(buffer), player, raw)
    for i in range(SIZE):
        out[i] = raw[i] * scale[i]


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
def merge_faces(rules: Any, state: Any, source: Any, room: Any, looks: Any, least: Any) -> None:
    """Write to `least`, int64[6], for each face of a die the least face that leads to the same position.

    source: the state as `copied` takes it; room: a state to overwrite; looks: int8[6, observation_size], to overwrite.
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
        write_observation(rules, after, 0, looks[face])
        for other in range(face):
            if least[other] == other + 1 and alike(looks[other], looks[face]):
                least[face] = other + 1
                break


@rule
def alike(one: Any, other: Any) -> bool:
    """Two observations are equal."""
    for i in range(SIZE):
        if one[i] != other[i]:
            return False
    return True


@rule
def merged(tables: Any, buffer: Any, room: Any, looks: Any, least: Any) -> None:
    """The faces that lead to one position; see `merge_faces`."""
    merge_faces(tables_of(tables), state_of(buffer), buffer, room, looks, least)


@rule
def write_mask(buffer: Any, out: Any) -> None:
    """Write the mask of the legal actions, int8[N_ACTIONS]."""
    state = state_of(buffer)
    for i in range(N_ACTIONS):
        out[i] = 0
    for i in range(state.n_legal):
        out[state.legal[i]] = 1


@rule
def playout(tables: Any, buffer: Any, words: Any, limit: int) -> int:
    """Random legal play to the end, or `limit` decisions. Returns the number of decisions; words: the player's generator.

    Stops early at a custom effect and, in the explicit mode, at a chance node.
    """
    rules, state = tables_of(tables), state_of(buffer)
    n = 0
    while n < limit and state.n_legal > 0:
        flow.take(rules, state, state.legal[below(words, state.n_legal)])
        state.decisions += 1
        flow.run(rules, state)
        n += 1
    return n


# What Python holds.


def load_tables(tables: NDArray[Any]) -> Any:
    """The tables as the doors want them, from a record array of shape (1,)."""
    return plain_tables(tables) if PLAIN else np.ascontiguousarray(tables).view(np.uint8).reshape(-1).copy()


def new_buffer() -> Any:
    """A state of zeros."""
    announce()
    return PlainState() if PLAIN else np.zeros(STATE_WORDS, np.int64)


def words(values: list[int]) -> Any:
    """A generator's words as the doors want them."""
    return list(values) if PLAIN else np.array(values, np.int64)


def copy_buffer(buffer: Any) -> Any:
    """An independent copy of a state."""
    return buffer.copy()


def forget_generators(buffer: Any) -> None:
    """Take the generators out of a state: chance becomes the caller's."""
    for name in ("deck_words", "dice_words"):
        put(buffer, name, [0, 0, 0, 0])
    put(buffer, "sampled", 0)


def to_bytes(buffer: Any) -> bytes:
    """A state as bytes, alike in both modes: int64 fields in the order of STATE_FIELDS."""
    if not PLAIN:
        return buffer.tobytes()
    values: list[int] = []
    for name, n in STATE_FIELDS:
        value = getattr(buffer, name)
        values += [value] if n == 1 else value
    return np.array(values, np.int64).tobytes()


def from_bytes(data: bytes) -> Any:
    """The state that `to_bytes` wrote."""
    if len(data) != STATE_BYTES:
        raise StateError(f"a state has {STATE_BYTES} bytes, not {len(data)}: was it pickled by another version?")
    if not PLAIN:
        return np.frombuffer(data, np.int64).copy()
    values = np.frombuffer(data, np.int64).tolist()
    buffer = PlainState()
    for name, n in STATE_FIELDS:
        at = OFFSET[name]
        setattr(buffer, name, values[at] if n == 1 else values[at : at + n])
    return buffer


def pack(buffer: Any) -> bytes:
    """A state for a pickle: its bytes, and a checksum of them."""
    data = to_bytes(buffer)
    return data + zlib.crc32(data).to_bytes(4, "little")


def unpack(data: object) -> Any:
    """The state that `pack` wrote. Whether the rules can go on from it is `check.check_buffer`'s to say.

    Raises:
        StateError: other bytes than those that were written.
    """
    if not isinstance(data, bytes):
        raise StateError(f"a pickled state holds bytes, not {type(data).__name__}")
    buffer = from_bytes(data[:-4])
    if zlib.crc32(data[:-4]).to_bytes(4, "little") != data[-4:]:
        raise StateError("a pickled state whose bytes have been altered")
    return buffer


if PLAIN:

    def get(buffer: Any, name: str) -> int:
        """A field that is one number."""
        return getattr(buffer, name)

    def get_list(buffer: Any, name: str) -> list[int]:
        """A field that is an array, as a list of its own."""
        return list(getattr(buffer, name))

    def put(buffer: Any, name: str, value: Any) -> None:
        """Set a field: a number, or a list of its length."""
        setattr(buffer, name, value if LENGTH[name] == 1 else list(value))

else:

    def get(buffer: Any, name: str) -> int:
        """A field that is one number."""
        return buffer.item(OFFSET[name])

    def get_list(buffer: Any, name: str) -> list[int]:
        """A field that is an array, as a list of its own."""
        at = OFFSET[name]
        return buffer[at : at + LENGTH[name]].tolist()

    def put(buffer: Any, name: str, value: Any) -> None:
        """Set a field: a number, or a list of its length."""
        at = OFFSET[name]
        buffer[at : at + LENGTH[name]] = value
