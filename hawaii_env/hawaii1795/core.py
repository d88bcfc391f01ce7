"""The doors into the rules: the few functions that Python calls, alike in the compiled and the plain mode.

A compiled state is an int64 buffer of `STATE_WORDS`, its tables a uint8 one of `TABLES.itemsize`; a plain state is a `PlainState` and
its tables `PlainTables`. Everything outside this module treats both as opaque.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from hawaii_env._jit import PLAIN, Doors, rule
from hawaii_env.errors import StateError

from . import flow
from .actions import N_ACTIONS
from .names import CARD, LAST_DECISION
from .observation import SCALE, SIZE, write_observation
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
    """Go on until a real decision, the caller's chance node, a custom effect or the end."""
    flow.run(tables_of(tables), state_of(buffer))


@rule
def decide(tables: Any, buffer: Any, action: int) -> int:
    """A player's action and what follows by itself. 0, or 1 when it is not legal (then nothing has changed)."""
    rules, state = tables_of(tables), state_of(buffer)
    for i in range(state.n_legal):
        if state.legal[i] == action:
            state.decisions += 1
            flow.take(rules, state, action)
            flow.run(rules, state)
            return 0
    return 1


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


def _observe(tables: Any, buffer: Any, player: int, out: Any) -> None:
    write_observation(tables_of(tables), state_of(buffer), player, out)


def _observe_scaled(tables: Any, buffer: Any, player: int, scale: Any, out: Any) -> None:
    raw = np.empty(SIZE, np.int8)
    write_observation(tables_of(tables), state_of(buffer), player, raw)
    for i in range(SIZE):
        out[i] = raw[i] * scale[i]


# In Python a list is written ten times as fast as an array.


@rule(compiled=_observe)
def observe(tables: Any, buffer: Any, player: int, out: Any) -> None:
    """Write the raw observation, int8[observation_size]."""
    raw = [0] * SIZE
    write_observation(tables, buffer, player, raw)
    out[:] = raw


@rule(compiled=_observe_scaled)
def observe_scaled(tables: Any, buffer: Any, player: int, scale: Any, out: Any) -> None:
    """Write the observation, float32[observation_size]: the raw values times `scale`."""
    raw = [0] * SIZE
    write_observation(tables, buffer, player, raw)
    np.multiply(np.array(raw, np.int8), scale, out)


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


PLAYOUT = Doors("hawaii1795", "playout", [playout], seconds=3)
RULES = Doors(
    "hawaii1795",
    "rules",
    (
        begin, resume, decide, tell, advance, take, fall, pass_on, sample, recount, move_piece, send_home, observe, observe_scaled,
        set_up, effect_of, merged, write_mask,
    ),
    seconds=45,
    begins=True,
)  # fmt: skip


def _examples() -> dict[str, tuple[Any, ...]]:
    """Arguments of the doors, as the compiled mode has them."""
    both = np.zeros(TABLES.itemsize, np.uint8), np.zeros(STATE_WORDS, np.int64)
    state = both[1]
    return {
        **dict.fromkeys(("begin", "resume", "advance", "pass_on", "recount", "set_up"), both),
        **dict.fromkeys(("decide", "tell", "take", "fall", "effect_of", "send_home"), (*both, 0)),
        "sample": (state,),
        "move_piece": (*both, 0, 0),
        "observe": (*both, 0, np.zeros(SIZE, np.int8)),
        "observe_scaled": (*both, 0, SCALE, np.zeros(SIZE, np.float32)),
        "merged": (*both, state.copy(), np.zeros((6, SIZE), np.int8), np.zeros(6, np.int64)),
        "write_mask": (state, np.zeros(N_ACTIONS, np.int8)),
    }


# What Python holds.


def _get_plain(buffer: Any, name: str) -> int:
    return getattr(buffer, name)


def _get_list_plain(buffer: Any, name: str) -> list[int]:
    return list(getattr(buffer, name))


def _put_plain(buffer: Any, name: str, value: Any) -> None:
    setattr(buffer, name, value if LENGTH[name] == 1 else list(value))


def _get_compiled(buffer: Any, name: str) -> int:
    return buffer.item(OFFSET[name])


def _get_list_compiled(buffer: Any, name: str) -> list[int]:
    at = OFFSET[name]
    return buffer[at : at + LENGTH[name]].tolist()


def _put_compiled(buffer: Any, name: str, value: Any) -> None:
    at = OFFSET[name]
    buffer[at : at + LENGTH[name]] = value


class Mode(Protocol):
    """One of the two ways in which the rules run: the doors, and what Python holds behind them.

    Attributes:
        compiled: which.
        get: a field of a state that is one number, by its name.
        get_list: a field that is an array, as a list of its own.
        put: set a field: a number, or a list of its length.
        load_tables: the tables as the doors want them, from a record array of shape (1,).
        new_buffer: a state of zeros.
        words: a generator's words as the doors want them.
        from_bytes: the state that `to_bytes` wrote; StateError where it did not.
        copy_of: an independent copy of a state of either mode, in this one.
    """

    compiled: bool
    get: Callable[[Any, str], int]
    get_list: Callable[[Any, str], list[int]]
    put: Callable[[Any, str, Any], None]
    load_tables: Callable[[NDArray[Any]], Any]
    new_buffer: Callable[[], Any]
    words: Callable[[list[int]], Any]
    from_bytes: Callable[[bytes], Any]
    copy_of: Callable[[Any], Any]
    begin: Any
    resume: Any
    decide: Any
    tell: Any
    advance: Any
    take: Any
    fall: Any
    pass_on: Any
    sample: Any
    recount: Any
    move_piece: Any
    send_home: Any
    observe: Any
    observe_scaled: Any
    set_up: Any
    effect_of: Any
    merged: Any
    write_mask: Any


def _words_of(data: bytes) -> NDArray[np.int64]:
    if len(data) != STATE_BYTES:
        raise StateError(f"a state has {STATE_BYTES} bytes, not {len(data)}: was it pickled by another version?")
    return np.frombuffer(data, np.int64)


def _from_bytes_plain(data: bytes) -> PlainState:
    values = _words_of(data).tolist()
    buffer = PlainState()
    for name, n in STATE_FIELDS:
        at = OFFSET[name]
        setattr(buffer, name, values[at] if n == 1 else values[at : at + n])
    return buffer


def _copy_plain(buffer: Any) -> PlainState:
    return buffer.copy() if type(buffer) is PlainState else _from_bytes_plain(to_bytes(buffer))


def _load_tables_compiled(tables: NDArray[Any]) -> NDArray[np.uint8]:
    return np.ascontiguousarray(tables).view(np.uint8).reshape(-1).copy()


def _new_buffer_compiled() -> NDArray[np.int64]:
    return np.zeros(STATE_WORDS, np.int64)


def _words_compiled(values: list[int]) -> NDArray[np.int64]:
    return np.array(values, np.int64)


def _from_bytes_compiled(data: bytes) -> NDArray[np.int64]:
    return _words_of(data).copy()


def _copy_compiled(buffer: Any) -> NDArray[np.int64]:
    return _from_bytes_compiled(to_bytes(buffer)) if type(buffer) is PlainState else buffer.copy()


def _mode(name: str, compiled: bool, doors: object, **held: Any) -> Mode:
    # A module: nothing is called as fast as what stands in one (30 ns; 40 from any other object).
    mode = ModuleType(name)
    vars(mode).update(vars(doors), compiled=compiled, **held)
    return cast(Mode, mode)


PLAIN_MODE = _mode(
    "plain",
    False,
    RULES.plain,
    get=_get_plain,
    get_list=_get_list_plain,
    put=_put_plain,
    load_tables=plain_tables,
    new_buffer=PlainState,
    words=list[int],
    from_bytes=_from_bytes_plain,
    copy_of=_copy_plain,
)


@cache
def _compiled_mode() -> Mode:
    return _mode(
        "compiled",
        True,
        RULES.machine,
        get=_get_compiled,
        get_list=_get_list_compiled,
        put=_put_compiled,
        load_tables=_load_tables_compiled,
        new_buffer=_new_buffer_compiled,
        words=_words_compiled,
        from_bytes=_from_bytes_compiled,
        copy_of=_copy_compiled,
    )


def mode_of(buffer: Any) -> Mode:
    """The mode that a state is held in."""
    return PLAIN_MODE if type(buffer) is PlainState else _compiled_mode()


def mode_now(game: Any) -> Mode:
    """The mode of a game that begins now: the compiled one as soon as there is machine code, unless HAWAII_ENV_PLAIN says otherwise."""
    return _compiled_mode() if RULES.now(_examples, game) else PLAIN_MODE


def mode_of_jobs(rules: bool = True) -> Mode:
    """The mode of long jobs: they compile what is not compiled yet, and say so. `rules` False: they do not need these doors."""
    if PLAIN:
        return PLAIN_MODE
    if rules:
        RULES.for_a_job(_examples)
    return _compiled_mode()


def get(buffer: Any, name: str) -> int:
    """A field that is one number, of a state of either mode."""
    return mode_of(buffer).get(buffer, name)


def get_list(buffer: Any, name: str) -> list[int]:
    """A field that is an array, as a list of its own, of a state of either mode."""
    return mode_of(buffer).get_list(buffer, name)


def put(buffer: Any, name: str, value: Any) -> None:
    """Set a field of a state of either mode: a number, or a list of its length."""
    mode_of(buffer).put(buffer, name, value)


def copy_buffer(buffer: Any) -> Any:
    """An independent copy of a state, in its mode."""
    return buffer.copy()


def forget_generators(buffer: Any) -> None:
    """Take the generators out of a state: chance becomes the caller's."""
    for name in ("deck_words", "dice_words"):
        put(buffer, name, [0, 0, 0, 0])
    put(buffer, "sampled", 0)


def to_bytes(buffer: Any) -> bytes:
    """A state as bytes, alike in both modes: int64 fields in the order of STATE_FIELDS."""
    if type(buffer) is not PlainState:
        return buffer.tobytes()
    values: list[int] = []
    for name, n in STATE_FIELDS:
        value = getattr(buffer, name)
        values += [value] if n == 1 else value
    return np.array(values, np.int64).tobytes()


def pack(buffer: Any) -> bytes:
    """A state for a pickle: its bytes, and a checksum of them."""
    data = to_bytes(buffer)
    return data + zlib.crc32(data).to_bytes(4, "little")


def unpack(data: object) -> bytes:
    """The bytes of the state that `pack` wrote. Whether the rules can go on from it is `check.check_buffer`'s to say.

    Raises:
        StateError: other bytes than those that were written.
    """
    if not isinstance(data, bytes):
        raise StateError(f"a pickled state holds bytes, not {type(data).__name__}")
    if len(data) != STATE_BYTES + 4:
        raise StateError(f"a pickled state has {STATE_BYTES + 4} bytes, not {len(data)}: is it of another version?")
    if zlib.crc32(data[:-4]).to_bytes(4, "little") != data[-4:]:
        raise StateError("a pickled state whose bytes have been altered")
    return data[:-4]
