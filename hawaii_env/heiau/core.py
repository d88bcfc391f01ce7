"""How Python holds and calls the rules, alike in the compiled and the plain mode.

A compiled state and its tables are int64 buffers; a plain state is a `PlainState` and its tables are lists.
Everything outside this module and `doors` treats both as opaque.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from types import ModuleType
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from hawaii_env.core.checksum import add_checksum, verify_checksum
from hawaii_env.core.jit import AUTOMATIC, INTERPRETED, EntryPoints

from . import doors
from .rules.board import Board
from .rules.state import EMPTY, STATE, PlainState
from .rules.tables import MAX_POWERS, make_tables, plain_tables

__all__ = ["RULES", "Mode", "empty_state_of", "mode_for_all", "mode_now", "mode_of", "mode_of_jobs", "tables_of_board"]

RULES = EntryPoints(
    "heiau",
    "rules",
    (
        doors.begin, doors.open_turn, doors.run, doors.decide, doors.list_legal, doors.enter, doors.fall, doors.hidden,
        doors.knows_start, doors.shown_phase, doors.own_vote, doors.power_of, doors.player_of, doors.need,
        doors.centres, doors.observe, doors.adjudicate, doors.adjudicate_many,
        doors.list_orders, doors.is_possible,
    ),
    seconds=40,
    begins=True,
)  # fmt: skip


def _examples() -> dict[str, tuple[Any, ...]]:
    """Arguments of the doors, as the compiled mode has them."""
    words = np.zeros(1, np.int64)
    both = words, words
    return {
        **dict.fromkeys(("begin", "open_turn", "hidden", "adjudicate"), both),
        **dict.fromkeys(
            ("run", "fall", "knows_start", "shown_phase", "own_vote", "power_of", "player_of", "need", "centres"),
            (*both, 0),
        ),
        **dict.fromkeys(("decide", "enter"), (*both, 0, 0)),
        "list_legal": (*both, 0, words),
        "observe": (*both, 0, np.zeros(1, np.int8)),
        "adjudicate_many": (*both, np.zeros((1, 1, 1), np.int64), np.zeros((1, 1, 1), np.int64)),
        "list_orders": (*both, 0, 0, words),
        "is_possible": (*both, 0, 0, 0, 0, 0),
    }


class Mode(Protocol):
    """One of the two ways in which the rules run: the doors, and what Python holds behind them.

    Attributes:
        compiled: which.
        load_tables: tables as the doors want them, from a buffer.
        load: a state as the doors want it, from its numbers.
        words: a state's numbers.
        room: an array of so many zeros.
        get: a number of the record of the whole game, by its name; of an array the first.
        get_list: an array of it.
        copy_of: an independent copy of a state of either mode, in this one.
    """

    compiled: bool
    load_tables: Callable[[NDArray[np.int64]], Any]
    load: Callable[[Sequence[int]], Any]
    words: Callable[[Any], list[int]]
    room: Callable[[int], Any]
    get: Callable[[Any, str], int]
    get_list: Callable[[Any, str], list[int]]
    copy_of: Callable[[Any], Any]
    begin: Any
    open_turn: Any
    run: Any
    decide: Any
    list_legal: Any
    enter: Any
    fall: Any
    hidden: Any
    knows_start: Any
    shown_phase: Any
    own_vote: Any
    power_of: Any
    player_of: Any
    need: Any
    centres: Any
    observe: Any
    adjudicate: Any
    adjudicate_many: Any
    list_orders: Any
    is_possible: Any


def _mode(name: str, compiled: bool, functions: object, **held: Any) -> Mode:
    # A module: nothing is called as fast as what stands in one.
    mode = ModuleType(name)
    vars(mode).update(vars(functions), compiled=compiled, **held)
    return cast(Mode, mode)


def _get_plain(buffer: Any, name: str) -> int:
    value = getattr(buffer.head, name)
    return value if type(value) is int else value[0]


INTERPRETED_BACKEND = _mode(
    "plain",
    False,
    RULES.plain,
    load_tables=plain_tables,
    load=PlainState.read,
    words=PlainState.write,
    room=lambda n: [0] * n,
    get=_get_plain,
    get_list=lambda buffer, name: list(getattr(buffer.head, name)),
    copy_of=lambda buffer: buffer.copy() if type(buffer) is PlainState else PlainState.read(buffer.tolist()),
)


@cache
def _compiled_mode() -> Mode:
    return _mode(
        "compiled",
        True,
        RULES.machine,
        load_tables=lambda buffer: buffer,
        load=lambda words: np.array(words, np.int64),
        words=lambda buffer: buffer.tolist(),
        room=lambda n: np.zeros(n, np.int64),
        get=lambda buffer, name: buffer.item(STATE.at[name]),
        get_list=lambda buffer, name: buffer[STATE.at[name] : STATE.at[name] + MAX_POWERS].tolist(),
        copy_of=lambda buffer: np.array(buffer.write(), np.int64) if type(buffer) is PlainState else buffer.copy(),
    )


def mode_of(buffer: Any) -> Mode:
    """The mode that a state is held in."""
    return INTERPRETED_BACKEND if type(buffer) is PlainState else _compiled_mode()


def mode_now(game: Any) -> Mode:
    """The mode of a game that begins now: the compiled one as soon as there is machine code, unless HAWAII_ENV_PLAIN
    says otherwise.
    """
    return _compiled_mode() if RULES.now(_examples, game) else INTERPRETED_BACKEND


def mode_for_all() -> Mode:
    """The mode of what belongs to no game: the compiled one where there is machine code, or HAWAII_ENV_PLAIN=0 asks for
    it.
    """
    if INTERPRETED or (AUTOMATIC and not RULES.is_ready()):
        return INTERPRETED_BACKEND
    return mode_of_jobs()


def mode_of_jobs(rules: bool = True) -> Mode:
    """The mode of long jobs: they compile what is not compiled yet, and say so. `rules` False: they do not need these
    entry points.
    """
    if INTERPRETED:
        return INTERPRETED_BACKEND
    if rules:
        RULES.for_a_job(_examples)
    return _compiled_mode()


def tables_of_board(board: Board, mode: Mode) -> Any:
    """A bare board's tables as the doors of a mode want them, made once."""
    if mode.compiled not in board.tables:
        board.tables[mode.compiled] = mode.load_tables(make_tables(board))
    return board.tables[mode.compiled]


def empty_state_of(board: Board, mode: Mode) -> Any:
    """A state with nothing on the board, as the doors of a mode want it; made anew, for whoever writes into it."""
    key = mode.compiled, "empty"
    if key not in board.tables:
        board.tables[key] = mode.load(empty_words(board))
    return board.tables[key].copy()


def empty_words(board: Board) -> list[int]:
    """A state's numbers with nothing on the board."""
    return [0] * STATE.words + list(EMPTY) * len(board.spaces)


def pack(words: Sequence[int]) -> bytes:
    """A state for a pickle: its numbers as bytes, and a checksum of them."""
    return add_checksum(np.array(words, np.int64).tobytes())


def unpack(data: object, board: Board) -> list[int]:
    """The numbers that `pack` wrote. Whether the rules can go on from them is `positions.check_words`' to say.

    Raises:
        StateError: other bytes than those that were written.
    """
    return np.frombuffer(verify_checksum(data, 8 * len(empty_words(board))), np.int64).tolist()
