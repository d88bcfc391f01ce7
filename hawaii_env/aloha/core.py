"""How Python holds a position and calls the rules, alike in both modes: lists in the plain one, int64 arrays in the
compiled one.

Everything outside this module treats both as opaque, or asks for `Mode.values`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import cache
from types import SimpleNamespace
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from hawaii_env.core.jit import INTERPRETED, EntryPoints, rule

from .observation import COMMON, PER_PLAYER, write_observation
from .rules import flow
from .rules.actions import N_ACTIONS
from .rules.state import LEGAL, N_LEGAL, SIZE, T_PLAYERS, T_SIZE

__all__ = ["INTERPRETED_BACKEND", "Mode", "compiled_mode", "mode_now", "mode_of", "mode_of_jobs"]


@rule
def begin(t: Any, s: Any) -> None:
    """[SU] A new game, up to its first choice."""
    flow.begin(t, s)


@rule
def resume(t: Any, s: Any) -> None:
    """Go on until somebody has a choice, the caller's chance node, or the end."""
    flow.run(t, s)


@rule
def decide(t: Any, s: Any, action: int) -> int:
    """A player's action and what follows by itself. 0, or 1 when it is not legal (then nothing has changed)."""
    if not flow.is_legal(s, action):
        return 1
    flow.take(t, s, action)
    flow.run(t, s)
    return 0


@rule
def tell(t: Any, s: Any, outcome: int) -> int:
    """A chance outcome and what follows by itself. 0, or 1 when there is no such outcome (then nothing has changed)."""
    if not flow.is_outcome(t, s, outcome):
        return 1
    flow.fall(t, s, outcome)
    flow.run(t, s)
    return 0


# In Python a list is written ten times as fast as an array.


def _observe(t: Any, s: Any, player: int, out: Any) -> None:
    write_observation(t, s, player, out)


@rule(compiled=_observe)
def observe(t: Any, s: Any, player: int, out: Any) -> None:
    """Write the raw observation, int8[118 + 55 a player]."""
    raw = [0] * (COMMON + PER_PLAYER * t[T_PLAYERS])
    write_observation(t, s, player, raw)
    out[:] = raw


def _write_mask(s: Any, out: Any) -> None:
    for i in range(N_ACTIONS):
        out[i] = 0
    for i in range(s[N_LEGAL]):
        out[s[LEGAL + i]] = 1


@rule(compiled=_write_mask)
def write_mask(s: Any, out: Any) -> None:
    """Write the mask of the legal actions, int8[105]."""
    out[:] = 0
    out[s[LEGAL : LEGAL + s[N_LEGAL]]] = 1


RULES = EntryPoints("aloha", "rules", (begin, resume, decide, tell, observe, write_mask), seconds=18, begins=True)


def _examples() -> dict[str, tuple[Any, ...]]:
    """Arguments of the doors, as the compiled mode has them."""
    t, s = np.zeros(T_SIZE, np.int64), np.zeros(SIZE, np.int64)
    return {
        **dict.fromkeys(("begin", "resume"), (t, s)),
        **dict.fromkeys(("decide", "tell"), (t, s, 0)),
        "observe": (t, s, 0, np.zeros(1, np.int8)),
        "write_mask": (s, np.zeros(N_ACTIONS, np.int8)),
    }


class Mode(Protocol):
    """One of the two ways in which the rules run: the doors, and what Python holds.

    Attributes:
        compiled: which.
        get: the value at an index of a position.
        values: a position or tables as a list of ints; in the plain mode that is what is held.
        hold: what is held of a sequence of ints, a copy.
    """

    compiled: bool
    get: Callable[[Any, int], int]
    values: Callable[[Any], list[int]]
    hold: Callable[[Sequence[int]], Any]
    begin: Any
    resume: Any
    decide: Any
    tell: Any
    observe: Any
    write_mask: Any


def _array(values: Sequence[int]) -> NDArray[np.int64]:
    return np.array(values, np.int64)


def _itself(values: Any) -> Any:
    return values


def _mode(compiled: bool, functions: object, **held: Any) -> Mode:
    return cast(Mode, SimpleNamespace(**vars(functions), compiled=compiled, **held))


INTERPRETED_BACKEND = _mode(False, RULES.plain, get=operator.getitem, values=_itself, hold=list)


@cache
def compiled_mode() -> Mode:
    """The compiled mode, whether its machine code is there or not."""
    return _mode(True, RULES.machine, get=np.ndarray.item, values=np.ndarray.tolist, hold=_array)


def mode_of(s: Any) -> Mode:
    """The mode that a position is held in."""
    return INTERPRETED_BACKEND if type(s) is list else compiled_mode()


def mode_now(game: Any) -> Mode:
    """The mode of a game that begins now: the compiled one as soon as there is machine code, unless HAWAII_ENV_PLAIN
    says otherwise.
    """
    return compiled_mode() if RULES.now(_examples, game) else INTERPRETED_BACKEND


def mode_of_jobs(rules: bool = True) -> Mode:
    """The mode of long jobs: they compile what is not compiled yet, and say so. `rules` False: they do not need these
    doors.
    """
    if INTERPRETED:
        return INTERPRETED_BACKEND
    if rules:
        RULES.for_a_job(_examples)
    return compiled_mode()
