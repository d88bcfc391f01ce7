"""Fields of the frame of a combat, raid or decision; and keys of positions."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from .rules.names import SPEAKING
from .rules.state import STATE

__all__ = [
    "ABOUT", "COMBAT_FIELDS", "FOLLOWING", "OUTCOMES", "PIECES", "PLACES", "PLAYERS_IN", "is_silent", "key_of",
    "nothing_of",
]  # fmt: skip

NUMBERS = (
    "column", "attack_modifier", "counter_modifier", "bombard_modifier", "counter_columns", "no_counter", "no_bombard",
    "slipping", "hit", "vacated", "second", "losses", "retreating", "absorbed", "had_units", "hunting", "chit",
)  # fmt: skip
"""Numbers of the frame, as `rules.state` names them."""

OUTCOMES = ("suffers", "outcome")
"""Results that the frame holds."""

FOLLOWING = ("resume", "next_step", "after")
PLAYERS_IN = ("attacker", "victim")
PLACES = ("target", "spot", "went", "hex", "territory")
PIECES = ("gun", "prey", "piece", "boat", "canoe")
ABOUT = ("hex", "territory", "piece", "boat", "canoe", "left")
"""Fields of a decision; the rest is the frame of a combat."""

COMBAT_FIELDS = (*PLAYERS_IN, *PLACES[:3], *PIECES[:2], *OUTCOMES, *NUMBERS, *FOLLOWING)


def nothing_of(name: str) -> int:
    """Return the value of a field of the frame that says nothing."""
    return -1 if name in (*PLAYERS_IN, *PLACES, *PIECES) else 0


def is_silent(name: str, phase: int) -> bool:
    """Return True if a field of the frame has no meaning in a phase."""
    return name == "piece" and phase not in SPEAKING


_ROW = ("place", "kind", "disrupted", "owner", "points", "did", "origin", "face")
"""Fields by which pieces are alike, as `_sorted_pieces` has it."""


def key_of(game: Any, state: Any) -> bytes:
    """Return the key of a position: equal for positions that differ only in which of pieces alike fills which slot.

    Args:
        game: the game.
        state: a record of either backend, which stays as it is.
    """
    rules, known = game.tables, STATE.array(state)

    def part(name: str) -> Any:
        return STATE.part(known, name)

    rows = np.array([part(name) for name in _ROW])
    waits = rows[0] >= rules.box
    rows[2, waits], rows[4:, waits] = 0, 0
    rows[3, rows[0] == rules.out] = 0
    rows[:, rows[0] >= rules.due] = 0  # whether they have arrived follows from the turn
    order = np.lexsort(rows)
    rows = rows[:, order]
    number = np.empty(len(order) + 1, np.int64)  # of the pieces alike, by slot
    number[order] = np.concatenate([[0], np.cumsum((rows[:, 1:] != rows[:, :-1]).any(axis=0))])
    number[-1] = -1
    known[_PIECES_AT] = number[known[_PIECES_AT]]
    over = bool(part("result")[0])
    at, nothing = _silent(-1 if over else int(part("phase")[0]))
    known[at] = nothing
    if over or not part("n_legal")[0]:
        part("decider")[:] = -1
    return STATE.key(known) + rows.tobytes()


_PIECES_AT = np.array([STATE.offset(name) for name in PIECES])


@cache
def _silent(phase: int) -> tuple[Any, Any]:
    """Return where the fields of the frame stand that have no meaning in a phase, -1 for a game that is over, and the
    values that say nothing.
    """
    names = [name for name in (*COMBAT_FIELDS, *ABOUT) if phase < 0 or is_silent(name, phase)]
    return np.array([STATE.offset(name) for name in names], np.int64), np.array([nothing_of(name) for name in names])
