"""Loops over many compiled games: the batch, and playouts from one position.

The functions at the top are templates (`hawaii_env.core.hooks`) over the hooks of `hawaii_env.core.game.CompiledRules`.
The code of a step is one long function, because passing a record to another function copies it, array by array.
"""

from __future__ import annotations

# pyright: reportUndefinedVariable=false
# ruff: noqa: F821
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hawaii_env.core.batch import (
    ACT,
    ACTED,
    BEGUN,
    FRESH,
    LOSE,
    MAX_EMPTY,
    RESET,
    SKIP,
    begin_game,
    end_game,
)
from hawaii_env.core.layout import copy_record, new_array, prefetch
from hawaii_env.core.rng import (
    below,
    pick,
)
from hawaii_env.game import TERMINAL

__all__ = ["BATCH", "ENTRIES", "PLAYOUTS", "Table"]


class Table(NamedTuple):
    """Data of a batch's environments: a record for the compiled rules.

    Attributes:
        rules: compiled tables, one for each game.
        game_of: int64[N], index of each environment's tables.
        states: compiled states, one for each environment.
        words: generators of the random players, int64[N, 4].
        empty: int64[N], output: number of consecutive games that ended before anybody had a choice.
        scales: float32[games, O], factors of raw observations.
        memory: int32[N, M], notes on the rows of observations, for games that write differences only; the first is -1
            if the content of a row is unknown.
        draws: generators of the draws from the pool, int64[N, 4].
        reach: int64[K], cumulative probabilities of the pool's entries, scaled to 32 bits; see
            `hawaii_env.core.rng.pick`. K is 0 without a pool.
        pool: compiled states of the entries: positions, or blank records.
        pool_game: int64[K], index of each entry's tables.
        pool_starts: int8[K], 1 for a position, 0 for a blank record.
    """

    rules: Any
    game_of: NDArray[np.int64]
    states: Any
    words: Any
    empty: NDArray[np.int64]
    scales: NDArray[np.float32]
    memory: NDArray[np.int32]
    draws: Any
    reach: NDArray[np.int64]
    pool: Any
    pool_game: NDArray[np.int64]
    pool_starts: NDArray[np.int8]


def draw_game(table: Any, state: Any, i: int) -> bool:
    """Start an environment's game with an entry drawn from the pool, leaving its generators unchanged; return True if
    the entry is a position.
    """
    entry = pick(table.draws[i], table.reach)
    words = new_array(8, 0)
    for k in range(8):
        words[k] = state.generator[k]
    copy_record(view_state(table.pool[entry]), state)
    for k in range(8):
        state.generator[k] = words[k]
    table.game_of[i] = table.pool_game[entry]
    return table.pool_starts[entry] != 0


def write_raw(rules: Any, state: Any, viewer: int, memory: Any, spare: Any, out: Any) -> None:
    """Write a raw observation. Games that write only differences override it.

    Args:
        rules, state, viewer: tables, position, and player who sees it.
        memory: notes on the row, which shows an earlier position of the same game; the first is -1 if it is unknown.
        spare: int32, a buffer as long as `memory`.
        out: the row.
    """
    write_observation(rules, state, viewer, out)


def write_scaled(
    rules: Any, state: Any, viewer: int, memory: Any, spare: Any, scratch: Any, scale: Any, out: Any
) -> None:
    """Write an observation: the raw values, computed in `scratch`, times `scale`. See `write_raw`."""
    write_observation(rules, state, viewer, scratch)
    scale_raw(scratch, scale, out)


def close(rules: Any, state: Any, statistics: Any, i: int, lost: bool) -> None:
    """End an environment's game: by the rules, by the limit on decisions, or `lost` by an illegal action."""
    winning, why = -1, R_TRUNCATED
    if lost:
        statistics.rewards[i, decider(rules, state)] = -1.0
        statistics.terminations[i] = True
        why = R_ILLEGAL
    elif is_over(rules, state):
        write_returns(rules, state, statistics.rewards[i])
        winning, why = winner(rules, state), reason(rules, state)
        statistics.terminations[i] = True
    else:
        statistics.truncations[i] = True
    end_game(statistics, i, winning, why)


def run_environments(
    table: Any, commands: Any, statistics: Any, buffers: Any, scratch: Any, forgotten: Any, spare: Any, start: int,
    stop: int,
) -> None:  # fmt: skip
    """Execute the commands, with buffers; see `run_batch`. It creates no arrays, so that it counts no references."""
    for i in range(start, stop):
        op = int(commands.ops[i])
        if i + 1 < stop:
            prefetch(table.states, i + 1)
            prefetch(table.memory, i + 1)
        if op == SKIP:
            continue
        game = table.game_of[i]
        rules, state, scale = view_rules(table.rules[game]), view_state(table.states[i]), table.scales[game]
        for player in range(statistics.rewards.shape[1]):
            statistics.rewards[i, player] = 0.0
        statistics.terminations[i] = False
        statistics.truncations[i] = False
        table.empty[i] = 0
        stage, fresh, begins = BEGUN, op != ACT, op == RESET
        if op == ACT:
            stage = ACTED
            act(rules, state, int(commands.actions[i]))
        elif op == LOSE:
            stage = LOSE
        while True:
            if begins:
                begins, from_position = False, False
                if len(table.reach) > 0:
                    from_position = draw_game(table, state, i)
                    game = table.game_of[i]
                    rules, scale = view_rules(table.rules[game]), table.scales[game]
                if from_position:
                    run(rules, state)
                else:
                    start_game(rules, state)
            if stage == BEGUN:
                begin_game(statistics, i)
            else:
                statistics.lengths[i] += 1
            ended = is_over(rules, state) or (stage != BEGUN and statistics.lengths[i] >= statistics.limits[i])
            if ended and stage != ACTED and stage != LOSE:
                # A game that ends before the first choice (of the learner, if there is one) is not counted as an
                # episode.
                table.empty[i] += 1
                if table.empty[i] > MAX_EMPTY:
                    break
                stage, fresh, begins = BEGUN, True, True
                continue
            if not ended and stage != LOSE:
                if statistics.auto[i] and decider(rules, state) != statistics.viewers[i]:
                    act(rules, state, state.legal[below(table.words[i], state.n_legal)])
                    if stage == BEGUN:
                        stage = FRESH
                    continue
                break
            close(rules, state, statistics, i, stage == LOSE)
            if not commands.same_step:
                break
            viewer = max(0, int(statistics.viewers[i]))
            forgotten[0] = -1
            if buffers.raw:
                write_raw(rules, state, viewer, forgotten, spare, buffers.integers_final[i])
            else:
                write_scaled(rules, state, viewer, forgotten, spare, scratch, scale, buffers.scaled_final[i])
            stage, fresh, begins = BEGUN, True, True
        if table.empty[i] > MAX_EMPTY:
            continue
        mask = statistics.masks[i]
        mask[:] = 0
        if statistics.over[i]:
            viewer = max(0, int(statistics.viewers[i]))
            statistics.to_play[i] = TERMINAL
        else:
            viewer = decider(rules, state)
            statistics.to_play[i] = viewer
            for k in range(state.n_legal):
                mask[state.legal[k]] = 1
        memory = table.memory[i]
        if fresh:
            memory[0] = -1
        if buffers.raw:
            write_raw(rules, state, viewer, memory, spare, buffers.integers[i])
        else:
            write_scaled(rules, state, viewer, memory, spare, scratch, scale, buffers.scaled[i])


def run_batch(table: Any, commands: Any, statistics: Any, buffers: Any, start: int, stop: int) -> None:
    """Execute the commands in the environments from `start` to `stop`, and write the results.

    Args:
        table: see `Table`.
        commands, statistics, buffers: see `Commands`, `Statistics` and `ObservationBuffers`.
        start, stop: range of environments.
    """
    scratch, width = new_raw(table.scales.shape[1]), table.memory.shape[1]
    forgotten, spare = np.empty(width, np.int32), np.empty(width, np.int32)
    run_environments(table, commands, statistics, buffers, scratch, forgotten, spare, start, stop)


def find_illegal(states: Any, ops: Any, actions: Any, n: int) -> int:
    """Return the first environment with op ACT and an illegal action, or -1."""
    for i in range(n):
        if ops[i] == ACT and not is_legal(view_state(states[i]), actions[i]):
            return i
    return -1


def sample_batch(states: Any, words: Any, over: Any, actions: Any, start: int, stop: int) -> None:
    """Write a random legal action of each environment from `start` to `stop`; 0 if the game is over."""
    for i in range(start, stop):
        actions[i] = 0
        if not over[i]:
            state = view_state(states[i])
            actions[i] = state.legal[below(words[i], state.n_legal)]


def list_batch(states: Any, over: Any, counts: Any, actions: Any) -> int:
    """Write the number of legal actions of each environment, and all actions in order; return their total number."""
    n = 0
    for i in range(len(counts)):
        counts[i] = 0
        if not over[i]:
            state = view_state(states[i])
            counts[i] = state.n_legal
            for k in range(state.n_legal):
                actions[n] = state.legal[k]
                n += 1
    return n


def playouts(
    tables: Any, source: Any, target: Any, games: Any, words: Any, firsts: Any, limit: int, returns: Any, lengths: Any,
    finished: Any,
) -> None:  # fmt: skip
    """Play random games from the state `source`. Number k uses the generators games[k] (cards, dice) and words[k]
    (players).

    target: state that each game overwrites. firsts[k]: first decision, or -1.
    """
    rules, start, state = view_rules(tables), view_state(source), view_state(target)
    for k in range(len(lengths)):
        copy_record(start, state)
        for at in range(8):
            state.generator[at] = int(games[k, at])
        run(rules, state)
        n = 0
        while n < limit and state.n_legal > 0:
            if n == 0 and firsts[k] >= 0:
                act(rules, state, int(firsts[k]))
            else:
                act(rules, state, state.legal[below(words[k], state.n_legal)])
            n += 1
        lengths[k] = n
        finished[k] = is_over(rules, state)
        for player in range(returns.shape[1]):
            returns[k, player] = 0.0
        if finished[k]:
            write_returns(rules, state, returns[k])


ENTRIES = (run_batch, find_illegal, sample_batch, list_batch)
BATCH = (draw_game, write_raw, write_scaled, close, run_environments, *ENTRIES)
PLAYOUTS = (playouts,)
