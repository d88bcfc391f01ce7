"""Values of boards of Hawaii, 1795 by rules of thumb: the compiled static evaluation, of boards [5.0]."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from .boards import CHIEFS, Board, Unit
from .search import Static

__all__ = ["is_chief", "power", "worth"]

_ALL_CHIEFS = frozenset(name for names in CHIEFS for name in names)


def is_chief(unit: Unit) -> bool:
    """Return whether the death of this leader, with those who stand with him, may lose the game [5.2]."""
    return unit.leader and unit.name in _ALL_CHIEFS


def power(units: Iterable[Unit], role: int, walls: bool) -> float:
    """Return the strength of units in standard warriors, attacking (role 0) or defending (1)."""
    at = 2 * role + walls
    total = 0.0
    for unit in units:
        total += unit.power[at]
    return total


def _counted(board: Board) -> tuple[Any, Any, Any, Any]:
    """Return a board as `Static` takes it."""
    units = np.zeros((2, len(board.rules.spaces), board.rules.n_kinds), np.int64)
    for side in (0, 1):
        for space, force in enumerate(board.forces[side]):
            for unit in force:
                units[side, space, unit.kind] += 1
    left = [sum(1 << number for number in deck) for deck in board.decks]
    return units, np.array(board.boats[:2], np.int64), np.array(board.chiefs, np.int64), np.array(left, np.int64)


def worth(board: Board, side: int) -> float:
    """Return what a position is worth to a side whose half has just ended, -1 (lost) to 1 (won), a tie being 0."""
    return Static.of(board.rules.game, board.weights).value(*_counted(board), board.month, side)
