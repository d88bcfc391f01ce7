"""Generalised advantages for any number of players: each player's own decisions are a chain."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hawaii_env.errors import OptionError


def own_advantages(
    rewards: NDArray[np.float32], values: NDArray[np.float32], to_play: NDArray[np.int64], ends: NDArray[np.bool_],
    bootstrap: NDArray[np.float32], last_values: NDArray[np.float32], gamma: float, lam: float,
    learns: NDArray[np.bool_] | None = None,
) -> NDArray[np.float32]:  # fmt: skip
    """Return the generalised advantage of each decision, for its mover, in a game of any number of players and any
    returns.

    A player's chain goes from one of its decisions to its next, over what others do in between; what it gets on the way
    is added up. With two players and returns that sum to zero `ppo_selfplay.advantages` uses the others' decisions too,
    and has less noise.

    Args:
        rewards: float32[T, N, P], what each player gets between decisions t and t + 1.
        values: float32[T, N], the mover's value of the position of decision t.
        to_play: int64[T, N], who decides, 0 to P - 1.
        ends: bool[T, N], the game ended with this decision, by a rule or by truncation.
        bootstrap: float32[T, N, P], what the last position of a game truncated by decision t is worth to each player; 0
            elsewhere.
        last_values: float32[N, P], what the position after the last decision is worth to each player.
        gamma: discount of one decision of anybody's.
        lam: lambda of the estimator, from 0 (one step) to 1 (the whole rest).
        learns: bool[T, N], the decision is the learner's; None: all are. The others' values are not looked at.

    Returns:
        float32[T, N], 0 for the others' decisions. Advantage + value is the target of the value.

    Raises:
        OptionError: arrays whose shapes do not fit.
    """
    shape = rewards.shape
    if len(shape) != 3 or not shape[0] or any(array.shape != shape[:2] for array in (values, to_play, ends)):
        raise OptionError("rewards [T, N, P] and values, to_play, ends [T, N] are wanted, T of 1 or more")
    if bootstrap.shape != shape or last_values.shape != shape[1:]:
        raise OptionError(f"bootstrap and last_values: the shapes {list(shape)} and {list(shape[1:])} are wanted")
    learns = np.ones(shape[:2], np.bool_) if learns is None else learns
    result = np.zeros(shape[:2], np.float32)
    lanes = np.arange(shape[1])
    # By lane and player: what is won up to the player's next decision, that decision's value and its advantage.
    won, value, trace = np.zeros(shape[1:], np.float32), last_values.astype(np.float32), np.zeros(shape[1:], np.float32)
    for t in reversed(range(shape[0])):
        over = ends[t][:, None]
        won = rewards[t] + gamma * np.where(over, np.float32(0), won)
        value = gamma * np.where(over, bootstrap[t], value)
        trace = gamma * np.where(over, np.float32(0), trace)
        mover = to_play[t]
        advantage = won[lanes, mover] + value[lanes, mover] - values[t] + lam * trace[lanes, mover]
        own = np.flatnonzero(learns[t])
        result[t, own] = advantage[own]
        won[own, mover[own]] = 0
        value[own, mover[own]] = values[t, own]
        trace[own, mover[own]] = advantage[own]
    return result
