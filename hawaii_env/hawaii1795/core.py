"""How Python holds and calls the rules, alike in the compiled and the plain mode.

A compiled state is an int64 buffer of `STATE_WORDS`, its tables a uint8 one of `TABLES.itemsize`; a plain state is a
`PlainState` and its tables `PlainTables`. Everything outside this module and `doors` treats both as opaque.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from hawaii_env.core.checksum import add_checksum, verify_checksum
from hawaii_env.core.jit import INTERPRETED, EntryPoints
from hawaii_env.errors import StateError
from hawaii_env.game import State

from . import doors
from .observation import N_TOLD, SIZE
from .rules.actions import N_ACTIONS
from .rules.state import STATE_BYTES, STATE_FIELDS, STATE_WORDS, PlainState
from .rules.tables import TABLES, plain_tables

LENGTH = dict(STATE_FIELDS)
OFFSET: dict[str, int] = {}
_at = 0
for _name, _n in STATE_FIELDS:
    OFFSET[_name] = _at
    _at += _n

PLAYOUT = EntryPoints("hawaii1795", "playout", [doors.playout], seconds=3)
RULES = EntryPoints(
    "hawaii1795",
    "rules",
    (
        doors.begin, doors.resume, doors.decide, doors.tell, doors.advance, doors.take, doors.fall, doors.pass_on,
        doors.sample, doors.recount, doors.observe, doors.position_key, doors.set_up, doors.effect_of, doors.merged,
        doors.write_mask,
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
        **dict.fromkeys(("decide", "tell", "take", "fall", "effect_of"), (*both, 0)),
        "sample": (state,),
        "observe": (*both, 0, *(np.zeros(SIZE, np.float32) for _ in range(3))),
        "position_key": (*both, np.zeros(N_TOLD, np.int32)),
        "merged": (
            *both,
            state.copy(),
            np.zeros((6, N_TOLD), np.int32),
            np.zeros(6, np.int64),
        ),
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
    observe: Any
    position_key: Any
    set_up: Any
    effect_of: Any
    merged: Any
    write_mask: Any


class HeldState(Protocol):
    """A state of this game as lanes and searches know it: what holds the position, and Python's part of a step."""

    _buffer: Any

    @property
    def is_terminal(self) -> bool:
        """The game is over."""
        ...

    def clone(self, seed: int | None = None) -> State:
        """See `hawaii_env.game.State.clone`."""
        ...


class HeldGame(Protocol):
    """A game of this wing as lanes and searches know it; see `play.Game`."""

    record_array: NDArray[Any]

    def tables_in(self, mode: Mode) -> Any:
        """The tables as the doors of a mode want them."""
        ...

    def state_of(self, buffer: Any) -> HeldState:
        """A state that is this buffer itself."""
        ...


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


def _mode(name: str, compiled: bool, functions: object, **held: Any) -> Mode:
    # A module: nothing is called as fast as what stands in one (30 ns; 40 from any other object).
    mode = ModuleType(name)
    vars(mode).update(vars(functions), compiled=compiled, **held)
    return cast(Mode, mode)


INTERPRETED_BACKEND = _mode(
    "plain",
    False,
    RULES.interpreted,
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
        RULES.compiled,
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
    return INTERPRETED_BACKEND if type(buffer) is PlainState else _compiled_mode()


def mode_now(game: Any) -> Mode:
    """The mode of a game that begins now: the compiled one as soon as there is machine code, unless HAWAII_ENV_PLAIN
    says otherwise.
    """
    return _compiled_mode() if RULES.use_compiled(_examples, game) else INTERPRETED_BACKEND


def mode_of_jobs(rules: bool = True) -> Mode:
    """The mode of long jobs: they compile what is not compiled yet, and say so. `rules` False: they do not need these
    doors.
    """
    if INTERPRETED:
        return INTERPRETED_BACKEND
    if rules:
        RULES.compile_now(_examples)
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
    return add_checksum(to_bytes(buffer))


def unpack(data: object) -> bytes:
    """The bytes of the state that `pack` wrote. Whether the rules can go on from it is `check.check_buffer`'s to say.

    Raises:
        StateError: other bytes than those that were written.
    """
    return verify_checksum(data, STATE_BYTES)
