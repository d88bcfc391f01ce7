"""Points that a march leaves, as the engine's own search finds them [6.0]."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .game import State
from .rules.movement import marches_along
from .rules.names import MOVE_TO
from .rules.search import search_march

__all__ = ["points_left"]


def points_left(state: State) -> dict[int, int]:
    """[6.0] Return the points that are left in each hex where the march in question may end, by action; of a stack
    those of the piece that has fewest left. Empty if nobody is asked where a march ends.
    """
    rules, record = state.game.tables, state.interpreted()
    if record.phase != MOVE_TO:
        return {}
    hexes = {action: action - rules.do_to for action in state.legal_actions()}
    left: dict[int, int] = {}
    for piece in _marching(record):
        points = record.points[piece] - (rules.carry if record.canoe >= 0 else 0)
        search_march(rules, record, piece, points)
        for action, hex_ in hexes.items():
            left[action] = min(left.get(action, points), points - record.cost[hex_])
    return left


def _marching(record: Any) -> Iterator[int]:
    """Yield the pieces that march."""
    if record.piece >= 0:
        yield record.piece
        return
    piece = record.first[record.hex]
    while piece >= 0:
        if marches_along(record, piece):
            yield piece
        piece = record.next[piece]
