"""Points, and the end of the game [1.0]."""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule

from .names import (
    BRITISH,
    BY_POINTS,
    BY_SETTLEMENTS,
    BY_VILLAGES,
    MAJOR,
    MAORI,
    MINOR,
    PA,
    SETTLEMENT,
    TIED,
    VILLAGE,
)


@rule
def end(state: Any, reason: int, winner: int) -> None:
    """[1.0] Note that the game is over, unless it is already."""
    if state.result == 0:
        state.result, state.winner = reason + 1, winner


@rule
def award(rules: Any, state: Any, player: int, points: int) -> None:
    """[1.0] Give a player points: one marker moves; 9 points win at once."""
    if state.result > 0:
        return
    state.marker += points if player == BRITISH else -points
    if state.marker >= rules.decisive:
        end(state, BY_POINTS, BRITISH)
    elif state.marker <= -rules.decisive:
        end(state, BY_POINTS, MAORI)


@rule
def structure_lost(state: Any, structure: int) -> None:
    """[1.0, R-31] Note the end of the game if a village, pa or settlement that was removed was the last one. Its points
    have been given before.
    """
    if structure in (VILLAGE, PA) and state.structures[VILLAGE] + state.structures[PA] == 0:
        end(state, BY_VILLAGES, BRITISH)
    elif structure == SETTLEMENT and state.structures[SETTLEMENT] == 0:
        end(state, BY_SETTLEMENTS, MAORI)


@rule
def after_last_turn(rules: Any, state: Any) -> None:
    """[1.0] Decide the game by points after its last turn."""
    points = abs(state.marker)
    winner = BRITISH if state.marker > 0 else MAORI
    if points < rules.minor:
        end(state, TIED, -1)
    elif points < rules.major:
        end(state, MINOR, winner)
    else:
        end(state, MAJOR, winner)


@rule
def winner(rules: Any, state: Any) -> int:
    """[1.0] Return the player who has won, -1 for nobody."""
    return state.winner


@rule
def reason(rules: Any, state: Any) -> int:
    """[1.0] Return what decided, an index of `names.REASONS`."""
    return state.result - 1


@rule
def reward(rules: Any, state: Any, player: int) -> float:
    """[1.0] Return a player's result at the end: 1, -1 or 0; graded by the level of the victory with `levels`."""
    if state.winner < 0:
        return 0.0
    worth = 1.0
    if rules.levels == 1 and state.result - 1 == MAJOR:
        worth = 2 / 3
    elif rules.levels == 1 and state.result - 1 == MINOR:
        worth = 1 / 3
    return worth if player == state.winner else -worth


@rule
def marker_of(rules: Any, state: Any, player: int) -> float:
    """[14.0] Return the victory point marker as a player sees it, by 20."""
    return state.marker / 20 if player == BRITISH else -state.marker / 20
