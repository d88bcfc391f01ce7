"""Knowledge of ballots and starts [Haole, Two Haoles, R-20]."""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule

from .legal import hidden
from .state import ASSIGNMENT, BALLOT, NOBODY, ORDERS, SETUP

__all__ = ["knows_start", "own_vote", "player_of", "power_of", "shown_phase"]


@rule
def knows_start(rules: Any, state: Any, power: int) -> bool:
    """Return True if the power may know ballots and set-up now: natives once the ballots are counted; later all. Below
    zero: what everybody may know.
    """
    if not hidden(rules, state):
        return True
    if power < 0 or rules.european[power] != 0:
        return False
    return (state.counted != 0 and state.phase != ASSIGNMENT) or state.setup >= 0


@rule
def shown_phase(rules: Any, state: Any, power: int) -> int:
    """Return the phase as a power knows it. Who may not know of a second ballot is at its first orders already [R-19,
    R-20].
    """
    if state.phase not in (ASSIGNMENT, BALLOT, SETUP) or knows_start(rules, state, power):
        return state.phase
    for space in range(rules.spaces):
        if state.kind[space] != NOBODY:
            return ORDERS
    return BALLOT if state.counted != 0 else state.phase


@rule
def own_vote(rules: Any, state: Any, power: int) -> int:
    """Return a power's vote in the turn as it knows it, or -1: its first one where it does not know that there was a
    second turn.
    """
    if state.counted != 0 and not knows_start(rules, state, power):
        return state.ballots[power]
    return state.vote[power]


@rule
def power_of(rules: Any, state: Any, player: int) -> int:
    """Return the power that a player plays; before powers are assigned, its own number [R-24]."""
    return state.assignment[player] if state.assigned == rules.powers and player >= 0 else player


@rule
def player_of(rules: Any, state: Any, power: int) -> int:
    """Return who plays a power; before powers are assigned, the voter of that number."""
    if state.assigned == rules.powers:
        for player in range(rules.powers):
            if state.assignment[player] == power:
                return player
    return power
