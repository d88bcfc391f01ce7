"""The scoring chart and the winner [P4, C4, E4, W]."""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule

from .names import ALOHA, BY_MARGIN, BY_RANK, CHAPTER_1, CHAPTER_2, CHAPTER_3, COMMERCE, HAWAIIAN
from .state import chapter_of, on_board


@rule
def scored(state: Any, player: int, resource: int) -> int:
    """Return a player's number of Pure Hawaiian tokens (on the board), Commerce or Aloha."""
    if resource == HAWAIIAN:
        return on_board(state, player)
    return state.tracks[resource - 1][player]


@rule
def majority_points(rules: Any, state: Any, player: int, resource: int) -> int:
    """[C4] Return the points for a resource: level players share what their places give, rounded down; none for who has
    nothing. [R-19]
    """
    own = scored(state, player, resource)
    if own == 0:
        return 0
    ahead, level = 0, 0
    for other in range(rules.players):
        theirs = scored(state, other, resource)
        if theirs > own:
            ahead += 1
        elif theirs == own:
            level += 1
    total = 0
    for place in range(ahead, ahead + level):
        total += rules.majority[chapter_of(state)][resource][place]
    return total // level


@rule
def score_stage(rules: Any, state: Any) -> None:
    """[P4, C4] Give points for this stage's Royal Family cards, of no earlier ones [R-18]; then majorities. Chapter III
    has no cards.
    """
    stage = state.stage
    if stage <= CHAPTER_2:
        for title in range(6):
            holder = state.cards_of[stage][title]
            if holder >= 0:
                state.points[holder] += rules.monarch[stage] if title == 0 else rules.island[stage]
    if stage >= CHAPTER_1 and stage <= CHAPTER_3:
        for player in range(rules.players):
            for resource in range(3):
                state.points[player] += majority_points(rules, state, player, resource)


@rule
def score_end(rules: Any, state: Any) -> None:
    """[E4] Give points for the Governor, the Island Representatives, and tokens by the chart, remainders lost."""
    for title in range(6):
        holder = state.cards_of[3][title]
        if holder >= 0:
            state.points[holder] += rules.governor if title == 0 else rules.island[state.stage]
    for player in range(rules.players):
        for resource in range(3):
            state.points[player] += scored(state, player, resource) // rules.for_a_point[resource]


@rule
def tie_break(state: Any, player: int, other: int) -> int:
    """[E3, W] Return 1 if `player` comes before `other` by Pure Hawaiian tokens, then Aloha, then Commerce; -1 if
    after, 0 if level.
    """
    for resource in (HAWAIIAN, ALOHA, COMMERCE):
        more = scored(state, player, resource) - scored(state, other, resource)
        if more != 0:
            return 1 if more > 0 else -1
    return 0


@rule
def ahead(state: Any, player: int, other: int) -> int:
    """[W] Return 1 if `player` comes before `other`, by points, then as ties are broken; -1 if after; 0 if they share
    the place. [R-23]
    """
    more = state.points[player] - state.points[other]
    if more != 0:
        return 1 if more > 0 else -1
    return tie_break(state, player, other)


MARGIN = 20
"""Points of difference that the reward `margin` counts as a full win."""


@rule
def place(rules: Any, state: Any, player: int) -> int:
    """[W] Return a player's place, from 1; who shares a place shares the better one. [R-23]"""
    before = 1
    for other in range(rules.players):
        if other != player and ahead(state, other, player) > 0:
            before += 1
    return before


@rule
def winners(rules: Any, state: Any) -> int:
    """[W] Return the number of players who share the victory. [R-23]"""
    n = 0
    for player in range(rules.players):
        if place(rules, state, player) == 1:
            n += 1
    return n


@rule
def winner(rules: Any, state: Any) -> int:
    """[W] Return the player who alone is in the first place, or -1. [R-23]"""
    found = -1
    for player in range(rules.players):
        if place(rules, state, player) == 1:
            found = player if found < 0 else -2
    return max(found, -1)


@rule
def reward(rules: Any, state: Any, player: int) -> float:
    """[W] Return a player's reward at the end, -1 to 1: by the victory, by his place or by points. They sum to 0."""
    n = rules.players
    total = 0
    if rules.reward == BY_MARGIN:
        for other in range(n):
            total += max(-MARGIN, min(MARGIN, state.points[player] - state.points[other]))
        return total / (MARGIN * (n - 1))
    if rules.reward == BY_RANK:
        for other in range(n):
            if other != player:
                total += ahead(state, player, other)
        return total / (n - 1)
    share = 0.0
    if place(rules, state, player) == 1:
        share = 1 / winners(rules, state)
    return (share - 1 / n) * n / (n - 1)


@rule
def reason(rules: Any, state: Any) -> int:
    """[W] Return what decided: 0 points, 1 the tie-break, 2 nothing: the victory is shared. [R-23]"""
    most, level = 0, 0
    for player in range(rules.players):
        most = max(most, state.points[player])
    for player in range(rules.players):
        if state.points[player] == most:
            level += 1
    if winners(rules, state) > 1:
        return 2
    return 1 if level > 1 else 0


@rule
def lead(rules: Any, state: Any, player: int) -> float:
    """[W] Return a player's points less the mean of the others', by 20."""
    others = 0
    for other in range(rules.players):
        if other != player:
            others += state.points[other]
    return (state.points[player] - others / (rules.players - 1)) / 20
