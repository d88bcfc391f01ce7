"""What a position of ALOHA is worth to each player, in points: what he has, and what he may expect from it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from hawaii_env.aloha import State
from hawaii_env.errors import OptionError
from hawaii_env.game import State as AnyState

__all__ = ["check_aloha", "worth"]

# Where the fields of a player stand in his part of the observation (docs/aloha.md).
POINTS, BOARD, COMMERCE, ALOHA, WARRIOR, VOTE, ON_CARDS, KING, TOKENS, ACTIONS, LEFT = (
    3,
    4,
    6,
    7,
    8,
    9,
    10,
    11,
    12,
    17,
    52,
)

MAJORITY = ((BOARD, 3.0, 3.0), (COMMERCE, 2.0, 2.0), (ALOHA, 2.0, 2.0))
"""Field, points of the first place, and the lead that makes it all but safe."""

GOVERNOR, MONARCH = 5.0, 4.5
"""A monarch: its points, its votes, the Action that goes with it."""


def check_aloha(state: AnyState) -> State:
    """Return the position of ALOHA that it is. Raises OptionError for another game's."""
    if not isinstance(state, State):
        raise OptionError(f"this agent plays aloha, not {state.game.name}")
    return state


def _chance(lead: float, scale: float) -> float:
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, 2 * lead / scale))))


def _lead(rows: Sequence[Sequence[int]], player: int, value: Callable[[Sequence[int]], float]) -> float:
    own = value(rows[player])
    return own - max(value(row) for other, row in enumerate(rows) if other != player)


def _votes(row: Sequence[int], chapter: int) -> float:
    # Commerce and Aloha that the conversions left may turn into votes.
    possible = min(row[LEFT] if chapter == 4 else 5, row[COMMERCE] + row[ALOHA])
    return row[VOTE] + row[ON_CARDS] + 0.8 * possible


def _expected(rows: Sequence[Sequence[int]], player: int, stage: int, in_conflict_chapter: bool) -> float:
    row = rows[player]
    total = row[POINTS] + row[BOARD] / 5 + row[COMMERCE] / 3 + row[ALOHA] / 4
    chapters_left = max(0, 4 - max(stage, 1))
    for field, points, scale in MAJORITY:
        if row[field]:
            lead = _lead(rows, player, lambda other, field=field: other[field])
            total += chapters_left * points * _chance(lead - 0.5, scale)
    total += GOVERNOR * _chance(_lead(rows, player, lambda other: _votes(other, stage)) - 0.5, 2.5)
    # An island's card: a point each, votes, an Action more in the next chapter; Representatives at the end a point.
    card = 3.0 if in_conflict_chapter else 1.2
    later = 1.3 * max(0, 3 - stage)
    for island in range(5):
        own = row[TOKENS + island]
        if own:
            lead = own - max(other[TOKENS + island] for p, other in enumerate(rows) if p != player)
            total += (card + later) * _chance(lead - 0.5, 2.0)
    # An island where one is present gives an Action in the chapters to come.
    total += 0.5 * chapters_left * sum(1 for island in range(5) if row[TOKENS + island])
    if in_conflict_chapter:
        total += (
            MONARCH
            * _chance(_lead(rows, player, lambda other: other[WARRIOR]) - 0.5, 2.0)
            * (0.6 if row[WARRIOR] else 0.3)
        )
    return total + 0.9 * sum(row[ACTIONS : ACTIONS + 5])


def worth(state: AnyState) -> list[float]:
    """Return what the position is worth to each player, in points; at the end the points, and ten more for the victory.

    Args:
        state: a position of ALOHA, of any number of players.
    """
    state = check_aloha(state)
    n = state.game.num_players
    outcome = state.outcome()
    if outcome is not None:
        return [points + 10 * share for points, share in zip(state.points, outcome.shares, strict=True)]
    seen = state.observation(0, raw=True)
    rows: list[Any] = seen[-55 * n :].reshape(n, 55).tolist()
    stage = int(seen[1:6].argmax())
    return [_expected(rows, player, stage, stage <= 2) for player in range(n)]
