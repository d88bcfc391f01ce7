"""Generalised advantages: for two players, whose decisions form one chain, and for any number, with a chain each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]
I64 = NDArray[np.int64]
Bools = NDArray[np.bool_]


def advantages(
    rewards: F32, values: F32, to_play: I64, ends: Bools, bootstrap: F32, last_values: F32, last_to_play: I64,
    gamma: float, lam: float, learns: Bools | None = None,
) -> F32:  # fmt: skip
    r"""Return the generalised advantage of each decision, for its mover, in a two-player zero-sum game.

    Let p_t be the player who takes decision t, V(s_t) the value of the position for p_t, which the network estimates,
    and r_t the reward of p_t between decisions t and t + 1. Players need not alternate. Take player 0's view, with c_t
    = 1 where p_t = 0 and -1 where p_t = 1; the game being zero-sum, player 0 gets c_t r_t, and the position is worth
    c_t V(s_t) to them. For player 0 the decisions of both are one Markov reward process, so the usual estimator
    applies, whoever moves:

        A0_t = c_t r_t + gamma c_{t+1} V(s_{t+1}) - c_t V(s_t) + gamma lam A0_{t+1}

    The mover's advantage is A_t = c_t A0_t. Multiplying by c_t, with c_t c_t = 1:

        A_t = r_t + gamma sigma_t V(s_{t+1}) - V(s_t) + gamma lam sigma_t A_{t+1},    sigma_t = c_t c_{t+1}

    sigma_t is 1 where the next decision is the same player's, and -1 where it is the other's. So a sign that flips each
    step (usual in chess and Go, where players alternate) is wrong wherever a player decides twice running: it takes a
    player's own good prospects for the opponent's. Leaving the sign out is wrong wherever the turn passes. Treating
    each player's decisions as a separate chain, as an environment for one player does, bootstraps from that player's
    next decision, which may be many decisions later; that is right, too, but it has the noise of everything between.

    Where a game ends with decision t, nothing follows: sigma_t counts as 0, for the value and for A_{t+1}, which
    belongs to the environment's next game. If the game was truncated, the position still has a value: `bootstrap`
    stands for sigma_t V(s_{t+1}).

    Decisions of an opponent that does not learn are not links of the chain, but part of the time between two of the
    learner's: the chain goes from one of these to the next, and rewards of the opponent's decisions are added up.

    Args:
        rewards: float32[T, N], r_t, the mover's.
        values: float32[T, N], V(s_t), the mover's.
        to_play: int64[T, N], p_t, 0 or 1.
        ends: bool[T, N], the game ended with this decision, by a rule or by truncation.
        bootstrap: float32[T, N], the value for p_t of the last position of a game truncated by decision t; 0 elsewhere.
        last_values: float32[N], V(s_T).
        last_to_play: int64[N], p_T.
        gamma: discount of one decision of any player.
        lam: lambda of the estimator, from 0 (one step) to 1 (the whole rest).
        learns: bool[T, N], the decision is the learner's; None: all are. The others' values are not used.

    Returns:
        float32[T, N], 0 for the others' decisions. Advantage + value is the target of the value.
    """
    shape = rewards.shape
    learns = np.ones(shape, np.bool_) if learns is None else learns
    result = np.zeros(shape, np.float32)
    one, zero = np.float32(1), np.float32(0)
    # In player 0's view: the reward up to the learner's next decision, that decision's value and its advantage.
    won, value, trace = np.zeros(shape[1], np.float32), np.where(last_to_play == 0, last_values, -last_values), zero
    for t in reversed(range(shape[0])):
        c = np.where(to_play[t] == 0, one, -one)
        won = np.where(ends[t], zero, won)
        value = np.where(ends[t], c * bootstrap[t], value)
        trace = np.where(ends[t], zero, trace)
        own = c * values[t]
        advantage = c * rewards[t] + gamma * (won + value) - own + gamma * lam * trace
        result[t] = np.where(learns[t], c * advantage, zero)
        won = np.where(learns[t], zero, c * rewards[t] + gamma * won)
        value = np.where(learns[t], own, gamma * value)
        trace = np.where(learns[t], advantage, gamma * trace)
    return result


def own_advantages(
    rewards: F32, values: F32, to_play: I64, ends: Bools, bootstrap: F32, last_values: F32, gamma: float, lam: float,
    learns: Bools | None = None,
) -> F32:  # fmt: skip
    """Return the generalised advantage of each decision, for its mover, in a game of any number of players and any
    returns.

    A player's chain goes from one of its decisions to its next, over the decisions of others in between; rewards on the
    way are added up. With two players and returns that sum to zero `advantages` uses the others' decisions too, and has
    less noise.

    Args:
        rewards: float32[T, N, P], the reward of each player between decisions t and t + 1.
        values: float32[T, N], the mover's value of the position of decision t.
        to_play: int64[T, N], the player that decides, 0 to P - 1.
        ends: bool[T, N], the game ended with this decision, by a rule or by truncation.
        bootstrap: float32[T, N, P], the value for each player of the last position of a game truncated by decision t; 0
            elsewhere.
        last_values: float32[N, P], the value for each player of the position after the last decision.
        gamma: discount of one decision of any player.
        lam: lambda of the estimator, from 0 (one step) to 1 (the whole rest).
        learns: bool[T, N], the decision is the learner's; None: all are. The others' values are not used.

    Returns:
        float32[T, N], 0 for the others' decisions. Advantage + value is the target of the value.
    """
    shape = rewards.shape
    learns = np.ones(shape[:2], np.bool_) if learns is None else learns
    result = np.zeros(shape[:2], np.float32)
    envs = np.arange(shape[1])
    # By environment and player: the reward up to its next decision, that decision's value and its advantage.
    won, value, trace = np.zeros(shape[1:], np.float32), last_values.astype(np.float32), np.zeros(shape[1:], np.float32)
    for t in reversed(range(shape[0])):
        over = ends[t][:, None]
        won = rewards[t] + gamma * np.where(over, np.float32(0), won)
        value = gamma * np.where(over, bootstrap[t], value)
        trace = gamma * np.where(over, np.float32(0), trace)
        mover = to_play[t]
        advantage = won[envs, mover] + value[envs, mover] - values[t] + lam * trace[envs, mover]
        own = np.flatnonzero(learns[t])
        result[t, own] = advantage[own]
        won[own, mover[own]] = 0
        value[own, mover[own]] = values[t, own]
        trace[own, mover[own]] = advantage[own]
    return result
