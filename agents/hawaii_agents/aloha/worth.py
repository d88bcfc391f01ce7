"""Values of positions of ALOHA to each player, in points: what he has, and what he may expect from it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hawaii_env.agents import check_game
from hawaii_env.aloha import State
from hawaii_env.aloha.fast import (
    CHAPTER_1,
    CHAPTER_2,
    CHAPTER_3,
    EPILOGUE,
    OVER,
    VOTE,
    WARRIOR,
    actions_of,
    place,
    scored,
    votes,
    winners,
)
from hawaii_env.core import rule

__all__ = ["WEIGHTS", "actions_ahead", "worth", "write_worth"]

(
    ACTION, LATE_ACTION, MOVE, PRESENCE, BALLOT, MAJORITY_NEAR, MAJORITY_FAR, ISLAND_NEAR, ISLAND_FAR, WARRIOR_NEAR,
    WARRIOR_FAR, GOVERNOR_NEAR, GOVERNOR_FAR, CONVERTIBLE, CROWN, EARLY_HAWAIIAN, EARLY_COMMERCE, EARLY_ALOHA,
) = range(18)  # fmt: skip

WEIGHTS: NDArray[np.float64] = np.array(
    [0.9, 0.9, 0.9, 0.5, 0.25, 0.8, 0.3, 0.8, 0.2, 0.8, 0.15, 1.0, 0.25, 0.6, 0.9, 1.0, 1.0, 1.0]
)
"""In points: an Action token left; an island where one is present, for each chapter to come; a vote beside its part in
the election. Then leads that make a thing three quarters sure, at once (NEAR) and more for each Action that everybody
has before it is settled (FAR): of majorities, islands, warriors, votes. Then how much of a vote a token that may be
converted is; what an Action of the King/Queen token is worth; what a token is worth before Chapter III, of its part of
a point at the end: Pure Hawaiian, Commerce, Aloha. An Action of Chapter III and one of the Prologue have weights of
their own.
"""

ACTIONS_A_CHAPTER = 6.0
"""The actions of a player in a chapter that has not begun, about."""


@rule
def _soft(lead: float, scale: float) -> float:
    """Return a chance from a lead: 1/2 when level, 3/4 when it is `scale`, 1/4 when one is as much behind."""
    return 0.5 + 0.5 * lead / (scale + abs(lead))


@rule
def _ballots(rules: Any, state: Any, player: int, w: Any) -> float:
    """Return the votes, and a part of those that the conversions left may bring."""
    left = rules.conversions - state.converted[player]
    return votes(rules, state, player) + w[CONVERTIBLE] * min(left, state.tracks[0][player] + state.tracks[1][player])


@rule
def _add_ballots(rules: Any, state: Any, w: Any, ahead: float, out: Any) -> None:
    """[E3] Add the Governor's points, by the lead in votes."""
    best, second, first = -1.0, -1.0, -1
    for player in range(rules.players):
        ballots = _ballots(rules, state, player, w)
        if ballots > best:
            best, second, first = ballots, best, player
        else:
            second = max(second, ballots)
    scale = w[GOVERNOR_NEAR] + w[GOVERNOR_FAR] * (ahead + ACTIONS_A_CHAPTER * max(0, CHAPTER_3 - state.stage))
    for player in range(rules.players):
        lead = best - second if player == first else _ballots(rules, state, player, w) - best
        out[player] += rules.governor * _soft(lead, scale)


@rule
def _majorities(rules: Any, state: Any, player: int, w: Any, ahead: float) -> float:
    """[C4] Return the points to expect of majorities, of this chapter and those to come: by the places between which
    one stands.
    """
    n, total = rules.players, 0.0
    first = max(state.stage, CHAPTER_1)
    for resource in range(3):
        own = scored(state, player, resource)
        for stage in range(first, EPILOGUE):
            if own == 0 and stage == state.stage and ahead < 0.5:
                continue
            scale = w[MAJORITY_NEAR] + w[MAJORITY_FAR] * (ahead + ACTIONS_A_CHAPTER * (stage - state.stage))
            behind = 0.0
            for other in range(n):
                if other != player:
                    behind += _soft(float(scored(state, other, resource) - own), scale)
            points = rules.majority[stage - CHAPTER_1][resource]
            low = min(int(behind), n - 2)
            part = behind - low
            total += (1.0 - part) * points[low] + part * points[low + 1]
    return total


@rule
def _add_islands(rules: Any, state: Any, w: Any, ahead: float, out: Any) -> None:
    """[P3, C3, E2, AD] Add what islands bring: cards of this stage and those to come, Actions where one is present."""
    stage = state.stage
    presence = w[PRESENCE] * max(0, CHAPTER_3 - stage)
    for island in range(5):
        best, second, first = 0, 0, -1
        for player in range(rules.players):
            tokens = state.tokens[player][island]
            if tokens > best:
                best, second, first = tokens, best, player
            else:
                second = max(second, tokens)
        for player in range(rules.players):
            own = state.tokens[player][island]
            if own == 0:
                continue
            lead = own - 0.5 - (second if player == first else best)
            out[player] += presence
            for later in range(stage, EPILOGUE + 1):
                if later == CHAPTER_3:
                    continue
                card = float(rules.island[later])
                if later <= CHAPTER_2:
                    card += w[ACTION] + w[BALLOT] * rules.votes[later][1 + island]
                scale = w[ISLAND_NEAR] + w[ISLAND_FAR] * (ahead + ACTIONS_A_CHAPTER * (later - stage))
                out[player] += card * _soft(lead, scale)


@rule
def _monarchs(rules: Any, state: Any, player: int, w: Any, ahead: float) -> float:
    """[P3, C3] Return the value of the monarchs of conflicts to come: whoever has most warriors has a die more."""
    n, stage, total = rules.players, state.stage, 0.0
    least, most = 0.2 - 0.04 * (n - 2), 0.8 - 0.085 * (n - 2)
    own, best = state.tracks[WARRIOR - 1][player], 0
    for other in range(n):
        if other != player:
            best = max(best, state.tracks[WARRIOR - 1][other])
    for later in range(stage, CHAPTER_2 + 1):
        card = rules.monarch[later] + w[CROWN] + w[BALLOT] * rules.votes[later][0]
        scale = w[WARRIOR_NEAR] + w[WARRIOR_FAR] * (ahead + ACTIONS_A_CHAPTER * (later - stage))
        total += card * (least + (most - least) * _soft(float(own - best), scale))
    return total


@rule
def actions_ahead(rules: Any, state: Any) -> float:
    """Return the Actions that a player has, on the mean, before this stage is settled."""
    total = 0
    for player in range(rules.players):
        total += actions_of(state, player) + state.moves[player]
    return total / rules.players


@rule
def write_worth(rules: Any, state: Any, w: Any, out: Any) -> None:
    """Write to out[player] what a position is worth to each, in points; at its end the points, and ten more for the
    victory.
    """
    n = rules.players
    if state.phase == OVER:
        for player in range(n):
            out[player] = float(state.points[player])
            if place(rules, state, player) == 1:
                out[player] += 10.0 / winners(rules, state)
        return
    ahead = actions_ahead(rules, state)
    for player in range(n):
        total = state.points[player] + w[MOVE] * state.moves[player]
        total += w[LATE_ACTION if state.stage == CHAPTER_3 else ACTION] * actions_of(state, player)
        for resource in range(3):
            part = w[EARLY_HAWAIIAN + resource] if state.stage < CHAPTER_3 else 1.0
            total += part * scored(state, player, resource) / rules.for_a_point[resource]
        total += w[BALLOT] * state.tracks[VOTE - 1][player]
        out[player] = total + _majorities(rules, state, player, w, ahead) + _monarchs(rules, state, player, w, ahead)
    _add_islands(rules, state, w, ahead, out)
    _add_ballots(rules, state, w, ahead, out)


def worth(state: State) -> list[float]:
    """Return what the position is worth to each player, in points; at the end the points, and ten more for the victory.

    Args:
        state: a position of ALOHA, of any number of players.
    """
    check_game("worth", ("aloha",), state.game)
    found = [0.0] * state.game.num_players
    write_worth(state.game.tables, state.interpreted(), WEIGHTS.tolist(), found)
    return found
