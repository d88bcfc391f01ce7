"""Conflicts: the Battle of Kuamo'o, the Paulet Affair, the Abdication [P3, C3]."""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule

from .names import DIE, WARRIOR
from .state import most_on


@rule
def dice_of(rules: Any, state: Any, player: int) -> int:
    """[P3, C3] Return two dice, three for who has most warriors; for both if two are level, for nobody if more are.
    [R-08]
    """
    warriors = state.tracks[WARRIOR - 1]
    most, level = 0, 0
    for other in range(rules.players):
        most = max(most, warriors[other])
    for other in range(rules.players):
        if warriors[other] == most:
            level += 1
    if level <= 2 and warriors[player] == most:
        return 3
    return 2


@rule
def begin_conflict(rules: Any, state: Any) -> None:
    """[P3, C3] Everybody is to roll; warriors are not spent. [R-09]"""
    state.phase, state.decider = DIE, -1
    for player in range(rules.players):
        state.dice[player], state.total[player] = dice_of(rules, state, player), 0


@rule
def roller(rules: Any, state: Any) -> int:
    """[P3, C3] Return whose die falls next: players roll in the order of their indices, each all his dice. [R-08]"""
    for player in range(rules.players):
        if state.dice[player] > 0:
            return player
    return -1


@rule
def roll(rules: Any, state: Any, face: int) -> int:
    """[P3, C3] Note a die that falls. Those level for the highest total roll again, each with as many dice [R-08];
    returns who has won, or -1.
    """
    player = roller(rules, state)
    state.total[player] += face
    state.dice[player] -= 1
    if roller(rules, state) >= 0:
        return -1
    best, level, winner = 0, 0, -1
    for other in range(rules.players):
        best = max(best, state.total[other])
    for other in range(rules.players):
        if state.total[other] == best:
            level, winner = level + 1, other
    for other in range(rules.players):
        if level > 1 and state.total[other] == best:
            state.dice[other] = dice_of(rules, state, other)
        state.total[other] = 0
    return winner if level == 1 else -1


@rule
def crown(rules: Any, state: Any, winner: int) -> None:
    """[P3, C3] The winner gets the monarch and the King/Queen token; each island's card goes to who has most tokens
    there.
    """
    cards = state.cards_of[state.stage]
    state.king_of = cards[0] = winner
    for island in range(5):
        cards[1 + island] = most_on(rules, state, island)
