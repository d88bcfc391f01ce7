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

from hawaii_env._jit import AUTOMATIC, PLAIN, Doors

from . import doors
from .rules.board import Board
from .rules.state import PlainState
from .rules.tables import make_tables, plain_tables

__all__ = ["RULES", "Mode", "mode_for_all", "mode_now", "mode_of", "mode_of_jobs", "tables_of_board"]

RULES = Doors(
    "heiau",
    "rules",
    (doors.adjudicate, doors.list_orders, doors.is_possible),
    seconds=20,
    begins=True,
)


def _examples() -> dict[str, tuple[Any, ...]]:
    """Arguments of the doors, as the compiled mode has them."""
    words = np.zeros(1, np.int64)
    both = words, words
    return {
        "adjudicate": both,
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
    """

    compiled: bool
    load_tables: Callable[[NDArray[np.int64]], Any]
    load: Callable[[Sequence[int]], Any]
    words: Callable[[Any], list[int]]
    room: Callable[[int], Any]
    adjudicate: Any
    list_orders: Any
    is_possible: Any


def _mode(name: str, compiled: bool, functions: object, **held: Any) -> Mode:
    # A module: nothing is called as fast as what stands in one.
    mode = ModuleType(name)
    vars(mode).update(vars(functions), compiled=compiled, **held)
    return cast(Mode, mode)


PLAIN_MODE = _mode(
    "plain",
    False,
    RULES.plain,
    load_tables=plain_tables,
    load=PlainState.read,
    words=PlainState.write,
    room=lambda n: [0] * n,
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
    )


def mode_of(buffer: Any) -> Mode:
    """The mode that a state is held in."""
    return PLAIN_MODE if type(buffer) is PlainState else _compiled_mode()


def mode_now(game: Any) -> Mode:
    """The mode of a game that begins now: the compiled one as soon as there is machine code, unless HAWAII_ENV_PLAIN
    says otherwise.
    """
    return _compiled_mode() if RULES.now(_examples, game) else PLAIN_MODE


def mode_for_all() -> Mode:
    """The mode of what belongs to no game: the compiled one where there is machine code, or HAWAII_ENV_PLAIN=0 asks for
    it.
    """
    if PLAIN or (AUTOMATIC and not RULES.is_ready()):
        return PLAIN_MODE
    return mode_of_jobs()


def mode_of_jobs() -> Mode:
    """The mode of long jobs: they compile what is not compiled yet, and say so."""
    if PLAIN:
        return PLAIN_MODE
    RULES.for_a_job(_examples)
    return _compiled_mode()


def tables_of_board(board: Board, mode: Mode) -> Any:
    """A bare board's tables as the doors of a mode want them, made once."""
    if mode.compiled not in board.tables:
        board.tables[mode.compiled] = mode.load_tables(make_tables(board))
    return board.tables[mode.compiled]
