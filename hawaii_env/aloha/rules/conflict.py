"""Conflicts: the Battle of Kuamo'o, the Paulet Affair, the Abdication [P3, C3]."""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule

from .names import DIE, WARRIOR
from .state import CARDS_OF, DECIDES, DICE, KING_OF, PHASE, STAGE, T_PLAYERS, TOTAL, TRACKS, most_on


@rule
def dice_of(t: Any, s: Any, player: int) -> int:
    """[P3, C3] Two dice, three for who has most warriors; for both if two are level, for nobody if more are. [R-08]"""
    at = TRACKS + 4 * (WARRIOR - 1)
    most, level = 0, 0
    for other in range(t[T_PLAYERS]):
        most = max(most, s[at + other])
    for other in range(t[T_PLAYERS]):
        if s[at + other] == most:
            level += 1
    if level <= 2 and s[at + player] == most:
        return 3
    return 2


@rule
def begin_conflict(t: Any, s: Any) -> None:
    """[P3, C3] Everybody is to roll; warriors are not spent. [R-09]"""
    s[PHASE], s[DECIDES] = DIE, -1
    for player in range(t[T_PLAYERS]):
        s[DICE + player], s[TOTAL + player] = dice_of(t, s, player), 0


@rule
def roller(t: Any, s: Any) -> int:
    """[P3, C3] Whose die falls next: players roll in the order of their indices, each all his dice. [R-08]"""
    for player in range(t[T_PLAYERS]):
        if s[DICE + player] > 0:
            return player
    return -1


@rule
def roll(t: Any, s: Any, face: int) -> int:
    """[P3, C3] A die falls. Those level for the highest total roll again, each with as many dice [R-08]; returns who
    has won, or -1.
    """
    player = roller(t, s)
    s[TOTAL + player] += face
    s[DICE + player] -= 1
    if roller(t, s) >= 0:
        return -1
    best, level, winner = 0, 0, -1
    for other in range(t[T_PLAYERS]):
        best = max(best, s[TOTAL + other])
    for other in range(t[T_PLAYERS]):
        if s[TOTAL + other] == best:
            level, winner = level + 1, other
    for other in range(t[T_PLAYERS]):
        if level > 1 and s[TOTAL + other] == best:
            s[DICE + other] = dice_of(t, s, other)
        s[TOTAL + other] = 0
    return winner if level == 1 else -1


@rule
def crown(t: Any, s: Any, winner: int) -> None:
    """[P3, C3] The winner gets the monarch and the King/Queen token; each island's card goes to who has most tokens
    there.
    """
    first = CARDS_OF + 6 * s[STAGE]
    s[KING_OF] = s[first] = winner
    for island in range(5):
        s[first + 1 + island] = most_on(t, s, island)
