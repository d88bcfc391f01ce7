"""The scoring chart and the winner [P4, C4, E4, W]."""

from __future__ import annotations

from typing import Any

from hawaii_env._jit import rule

from .names import ALOHA, CHAPTER_1, CHAPTER_2, CHAPTER_3, COMMERCE, HAWAIIAN
from .state import (
    CARDS_OF,
    POINTS,
    STAGE,
    T_FOR_A_POINT,
    T_GOVERNOR,
    T_ISLAND,
    T_MAJORITY,
    T_MONARCH,
    T_PLAYERS,
    TRACKS,
    chapter_of,
    on_board,
)  # fmt: skip


@rule
def scored(s: Any, player: int, resource: int) -> int:
    """What a player has of Pure Hawaiian tokens (on the board), Commerce or Aloha."""
    if resource == HAWAIIAN:
        return on_board(s, player)
    return s[TRACKS + 4 * (resource - 1) + player]


@rule
def majority_points(t: Any, s: Any, player: int, resource: int) -> int:
    """[C4] Points for a resource: level players share what their places give, rounded down; none for who has nothing.
    [R-19]
    """
    own = scored(s, player, resource)
    if own == 0:
        return 0
    ahead, level = 0, 0
    for other in range(t[T_PLAYERS]):
        theirs = scored(s, other, resource)
        if theirs > own:
            ahead += 1
        elif theirs == own:
            level += 1
    total = 0
    for place in range(ahead, ahead + level):
        total += t[T_MAJORITY + 12 * chapter_of(s) + 4 * resource + place]
    return total // level


@rule
def score_stage(t: Any, s: Any) -> None:
    """[P4, C4] Points of this stage's Royal Family cards, of no earlier ones [R-18]; then majorities. Chapter III has
    no cards.
    """
    stage = s[STAGE]
    if stage <= CHAPTER_2:
        for title in range(6):
            holder = s[CARDS_OF + 6 * stage + title]
            if holder >= 0:
                s[POINTS + holder] += t[(T_MONARCH if title == 0 else T_ISLAND) + stage]
    if stage >= CHAPTER_1 and stage <= CHAPTER_3:
        for player in range(t[T_PLAYERS]):
            for resource in range(3):
                s[POINTS + player] += majority_points(t, s, player, resource)


@rule
def score_end(t: Any, s: Any) -> None:
    """[E4] The Governor, the Island Representatives, and tokens by the chart, remainders lost."""
    for title in range(6):
        holder = s[CARDS_OF + 18 + title]
        if holder >= 0:
            s[POINTS + holder] += t[T_GOVERNOR] if title == 0 else t[T_ISLAND + s[STAGE]]
    for player in range(t[T_PLAYERS]):
        for resource in range(3):
            s[POINTS + player] += scored(s, player, resource) // t[T_FOR_A_POINT + resource]


@rule
def tie_break(s: Any, player: int, other: int) -> int:
    """[E3, W] 1 if `player` comes before `other` by Pure Hawaiian tokens, then Aloha, then Commerce; -1 if after, 0 if
    level.
    """
    for resource in (HAWAIIAN, ALOHA, COMMERCE):
        more = scored(s, player, resource) - scored(s, other, resource)
        if more != 0:
            return 1 if more > 0 else -1
    return 0


@rule
def ahead(s: Any, player: int, other: int) -> int:
    """[W] 1 if `player` comes before `other`, by points, then as ties are broken; -1 if after; 0 if they share the
    place. [R-23]
    """
    more = s[POINTS + player] - s[POINTS + other]
    if more != 0:
        return 1 if more > 0 else -1
    return tie_break(s, player, other)
