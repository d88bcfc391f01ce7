"""The scoring chart and the winner [P4, C4, E4, W]."""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule

from .names import ALOHA, BY_MARGIN, BY_RANK, CHAPTER_1, CHAPTER_2, CHAPTER_3, COMMERCE, HAWAIIAN
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
    T_REWARD,
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


MARGIN = 20
"""Points of difference that the reward `margin` counts as a full win."""


@rule
def place(t: Any, s: Any, player: int) -> int:
    """[W] A player's place, from 1; who shares a place shares the better one. [R-23]"""
    before = 1
    for other in range(t[T_PLAYERS]):
        if other != player and ahead(s, other, player) > 0:
            before += 1
    return before


@rule
def winners(t: Any, s: Any) -> int:
    """[W] How many players share the victory. [R-23]"""
    n = 0
    for player in range(t[T_PLAYERS]):
        if place(t, s, player) == 1:
            n += 1
    return n


@rule
def reward(t: Any, s: Any, player: int) -> float:
    """[W] A player's reward at the end, -1 to 1: by the victory, by his place or by points. They sum to 0."""
    n = t[T_PLAYERS]
    total = 0
    if t[T_REWARD] == BY_MARGIN:
        for other in range(n):
            total += max(-MARGIN, min(MARGIN, s[POINTS + player] - s[POINTS + other]))
        return total / (MARGIN * (n - 1))
    if t[T_REWARD] == BY_RANK:
        for other in range(n):
            if other != player:
                total += ahead(s, player, other)
        return total / (n - 1)
    share = 0.0
    if place(t, s, player) == 1:
        share = 1 / winners(t, s)
    return (share - 1 / n) * n / (n - 1)


@rule
def reason(t: Any, s: Any) -> int:
    """[W] What decided: 0 points, 1 the tie-break, 2 nothing: the victory is shared. [R-23]"""
    most, level = 0, 0
    for player in range(t[T_PLAYERS]):
        most = max(most, s[POINTS + player])
    for player in range(t[T_PLAYERS]):
        if s[POINTS + player] == most:
            level += 1
    if winners(t, s) > 1:
        return 2
    return 1 if level > 1 else 0
