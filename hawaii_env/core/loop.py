"""Loops over many compiled games: the batch, and playouts from one position.

The functions at the top are templates (`hawaii_env.core.hooks`) over the hooks of `hawaii_env.core.game.CompiledRules`.
The code of a step is one long function, because passing a record to another function copies it, array by array.
"""

from __future__ import annotations

# pyright: reportUndefinedVariable=false
# ruff: noqa: F821
import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hawaii_env.core.batch import (
    ACT,
    ACTED,
    BEGUN,
    FRESH,
    ILLEGAL,
    LOSE,
    MAX_EMPTY,
    RESET,
    SKIP,
    TRUNCATED,
    Arrays,
    Commands,
    ObservationBuffers,
    Statistics,
    begin_game,
    end_game,
    no_choice,
)
from hawaii_env.core.checksum import add_checksum, verify_checksum
from hawaii_env.core.jit import AUTOMATIC
from hawaii_env.core.layout import copy_record, prefetch
from hawaii_env.core.rng import POLICY_TAG, below, check_generator, game_words, small_seeds, spread_words
from hawaii_env.errors import StateError
from hawaii_env.game import TERMINAL, State
from hawaii_env.texts import parse_json

__all__ = ["BATCH", "ENTRIES", "PLAYOUTS", "CompiledBatch", "Table"]


class Table(NamedTuple):
    """The data of a batch's environments: a record for the compiled rules.

    Attributes:
        rules: compiled tables, one per game.
        game_of: int64[N], the index of each environment's tables.
        states: compiled states, one per environment.
        words: generators of the random players, int64[N, 4].
        empty: int64[N], out: number of games in a row that ended before anybody had a choice.
        scales: float32[games, O], factors of raw observations.
        memory: int32[N, M], notes on the content of the rows of observations, for games that write differences only;
            the first is -1 if the content is unknown.
    """

    rules: Any
    game_of: NDArray[np.int64]
    states: Any
    words: Any
    empty: NDArray[np.int64]
    scales: NDArray[np.float32]
    memory: NDArray[np.int32]


def write_raw(rules: Any, state: Any, viewer: int, memory: Any, spare: Any, out: Any) -> None:
    """Write a raw observation. Games that write differences only override it.

    Args:
        rules, state, viewer: the tables, the position and the player who sees it.
        memory: notes on the row, which shows an earlier position of this game; the first is -1 if that is unknown.
        spare: int32, a buffer as long as `memory`.
        out: the row.
    """
    write_observation(rules, state, viewer, out)


def write_scaled(
    rules: Any, state: Any, viewer: int, memory: Any, spare: Any, scratch: Any, scale: Any, out: Any
) -> None:
    """Write an observation: the raw values, made in `scratch`, times `scale`. See `write_raw`."""
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


def run_batch(table: Any, commands: Any, statistics: Any, buffers: Any, start: int, stop: int) -> None:
    """Execute the commands in the environments from `start` to `stop`, and write the results.

    Args:
        table: see `Table`.
        commands, statistics, buffers: see `Commands`, `Statistics` and `ObservationBuffers`.
        start, stop: the environments.
    """
    scratch, width = new_raw(table.scales.shape[1]), table.memory.shape[1]
    forgotten, spare = np.empty(width, np.int32), np.empty(width, np.int32)
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
        stage, fresh = BEGUN, op != ACT
        if op == ACT:
            stage = ACTED
            act(rules, state, int(commands.actions[i]))
        elif op == RESET:
            start_game(rules, state)
        elif op == LOSE:
            stage = LOSE
        while True:
            if stage == BEGUN:
                begin_game(statistics, i)
            else:
                statistics.lengths[i] += 1
            ended = is_over(rules, state) or (stage != BEGUN and statistics.lengths[i] >= statistics.limits[i])
            if ended and stage != ACTED and stage != LOSE:
                # A game that ends before the first choice (of the learner, if there is one) does not count.
                table.empty[i] += 1
                if table.empty[i] > MAX_EMPTY:
                    break
                start_game(rules, state)
                stage, fresh = BEGUN, True
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
            start_game(rules, state)
            stage, fresh = BEGUN, True
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
    """Play random games from the state `source`: number k with the generators games[k] (cards, dice) and words[k]
    (its players).

    target: a state that each game overwrites. firsts[k]: the first decision, or -1.
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
BATCH = (write_raw, write_scaled, close, *ENTRIES)
PLAYOUTS = (playouts,)


class CompiledBatch:
    """Environments of a compiled game, stepped together: a `hawaii_env.core.batch.BatchBackend`.

    Args:
        games: one per environment; rulesets and options may differ, but not the shapes of observations and actions.
        at_once: True: if no machine code exists yet, begin interpreted, and run later games compiled as soon as it
            exists. For a batch of one environment.
    """

    begins_at_once = True

    def __init__(self, games: Sequence[Any], at_once: bool = False) -> None:
        self.games: list[Any] = list(games)
        self._compiled: Any = self.games[0].compiled_rules
        self.reason_texts: list[str] = [*self._compiled.reasons, TRUNCATED, ILLEGAL]
        self.serial: bool = False
        self._entry: Any = self._compiled.batch
        self._interpreted: bool = at_once and AUTOMATIC and not self._entry.use_compiled(self._examples, self.games[0])
        self._backend = self._compiled.interpreted if self._interpreted else self._compiled.backend_for_jobs()
        self._functions: Any = None if self._backend.compiled else self._entry.interpreted
        n, kinds = len(self.games), {id(game): game for game in self.games}
        index = {key: place for place, key in enumerate(kinds)}
        self._table = Table(
            self._stack([game.rules_in(self._backend) for game in kinds.values()]),
            np.array([index[id(game)] for game in self.games], np.int64),
            self._stack([game.new_record(self._backend, [-1] * 8) for game in self.games]),
            self._stack([self._backend.words([0] * 4) for _ in range(n)]),
            np.zeros(n, np.int64),
            np.array([game.scale for game in kinds.values()], np.float32),
            np.full((n, self.games[0].memory_size), -1, np.int32),
        )
        self._written: tuple[Arrays, Statistics, ObservationBuffers] | None = None

    def _stack(self, records: list[Any]) -> Any:
        """Return records of one backend in one array, each padded to the longest, or as a list."""
        if not self._backend.compiled:
            return records
        width = max(map(len, records))
        return np.stack([np.pad(record, (0, width - len(record))) for record in records])

    def _ready(self) -> Any:
        """Return the entry points, compiled if that is the backend."""
        if self._functions is None:
            self._functions = self._entry.compile_now(self._examples)
        return self._functions

    def _examples(self) -> dict[str, tuple[Any, ...]]:
        """Return arguments of the entry points, as the compiled backend has them."""
        game, out, ints, matrix = (
            self.games[0],
            Arrays.make(self.games[:1]),
            np.zeros(1, np.int64),
            np.zeros((1, 1), int),
        )
        scales = np.zeros((1, game.observation_size), np.float32)
        table = Table(matrix, ints, matrix, matrix, ints, scales, np.zeros((1, 1), np.int32))
        commands = Commands(np.zeros(1, np.int8), ints, 0)
        buffers = ObservationBuffers.of(out, scales[0], game.raw_dtype)
        return {
            "run_batch": (table, commands, Statistics.of(out), buffers, 0, 1),
            "find_illegal": (matrix, commands.ops, ints, 1),
            "sample_batch": (matrix, matrix, out.over, ints, 0, 1),
            "list_batch": (matrix, out.over, ints, ints),
        }

    def _records_of(self, out: Arrays) -> tuple[Statistics, ObservationBuffers]:
        """Return the records of the arrays for the rules, made once because a batch never changes its arrays."""
        written = self._written
        if written is None or written[0] is not out:
            buffers = ObservationBuffers.of(out, self._table.scales[0], self.games[0].raw_dtype)
            written = self._written = out, Statistics.of(out), buffers
            self._table.memory[:, 0] = -1  # the content of these rows is unknown
        return written[1:]

    def __getstate__(self) -> dict[str, Any]:
        layout = self._compiled.state
        return {
            "games": self.games,
            "interpreted": self._interpreted,
            "words": add_checksum(json.dumps([list(map(int, words)) for words in self._table.words]).encode()),
            "states": [
                game.state_of(state) if layout.get(state, "n_legal") or layout.get(state, "phase") else
                layout.get(state, "generator")
                for game, state in zip(self.games, self._table.states, strict=True)
            ],
        }  # fmt: skip

    def __setstate__(self, values: dict[str, Any]) -> None:
        self.__init__(values["games"], at_once=values["interpreted"])
        rows = zip(values["states"], parse_json(verify_checksum(values["words"])), strict=True)
        for i, (state, words) in enumerate(rows):
            if len(words) != 4 or not all(type(word) is int and 0 <= word < 1 << 32 for word in words):
                raise StateError(f"environment {i}: a generator holds four words of 32 bits, not {words}")
            self._table.words[i][:] = words
            if isinstance(state, list):  # before the first reset a state consists of generators only
                self._compiled.state.put(
                    self._table.states[i], "generator", state if state == [-1] * 8 else check_generator(state)
                )
            else:
                self.put(i, state)

    def seed(self, lanes: Sequence[int], seeds: Sequence[int]) -> None:
        """See `hawaii_env.core.batch.BatchBackend.seed`."""
        if not lanes:
            return
        games, words = game_words(seeds), spread_words(small_seeds(seeds), 4, POLICY_TAG)
        for k, i in enumerate(lanes):
            self._compiled.state.put(self._table.states[i], "generator", games[k].tolist())
            self._table.words[i][:] = words[k].tolist()

    def get(self, lane: int) -> State:
        """See `hawaii_env.core.batch.BatchBackend.get`."""
        return self.games[lane].state_of(self._own(lane)).clone()

    def _own(self, lane: int) -> Any:
        """Return the state of an environment, without padding."""
        state = self._table.states[lane]
        return state[: self.games[lane].record_size] if self._backend.compiled else state

    def put(self, lane: int, state: Any) -> None:
        """See `hawaii_env.core.batch.BatchBackend.put`."""
        self._compiled.state.assign(self._own(lane), state.data)

    def illegal(self, ops: NDArray[np.int8], actions: NDArray[np.int64]) -> int:
        """See `hawaii_env.core.batch.BatchBackend.illegal`."""
        return int(self._ready().find_illegal(self._table.states, ops, actions, len(self.games)))

    def legal(self, out: Arrays) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """See `hawaii_env.core.batch.BatchBackend.legal`."""
        counts = np.zeros(len(self.games), np.int64)
        actions = np.zeros(int(out.masks.sum()), np.int64)
        n = int(self._ready().list_batch(self._table.states, out.over, counts, actions))
        return counts, actions[:n]

    def sample(self, out: Arrays, actions: NDArray[np.int64], start: int, stop: int) -> None:
        """See `hawaii_env.core.batch.BatchBackend.sample`."""
        self._ready().sample_batch(self._table.states, self._table.words, out.over, actions, start, stop)

    def run(
        self, out: Arrays, ops: NDArray[np.int8], actions: NDArray[np.int64], same_step: bool, start: int, stop: int
    ) -> None:
        """See `hawaii_env.core.batch.BatchBackend.run`.

        Raises:
            StateError: too many games in a row end before a decision.
        """
        if self._interpreted and ops[0] == RESET and self._entry.load():
            self._go_compiled()
        statistics, buffers = self._records_of(out)
        commands = Commands(ops, actions, int(same_step))
        self._ready().run_batch(self._table, commands, statistics, buffers, start, stop)
        idle = np.flatnonzero(self._table.empty[start:stop] > MAX_EMPTY)
        if idle.size:
            raise no_choice(start + int(idle[0]))

    def _go_compiled(self) -> None:
        """Run the next games of an environment that began interpreted compiled, with the same generators."""
        state, words = self._table.states[0], self._table.words[0]
        CompiledBatch.__init__(self, self.games)
        self._compiled.state.assign(self._table.states[0], state)
        self._table.words[0][:] = words

    def playouts(
        self, state: Any, seeds: NDArray[np.uint64], firsts: NDArray[np.int64], limit: int,
        returns: NDArray[np.float32], lengths: NDArray[np.int64], finished: NDArray[np.bool_],
    ) -> None:  # fmt: skip
        """See `hawaii_env.core.batch.BatchBackend.playouts`."""
        games, words = spread_words(seeds, 8), spread_words(seeds, 4, POLICY_TAG)
        source = self._backend.state(state.data)
        rules = state.game.rules_in(self._backend)
        arguments = rules, source, source.copy(), games, words.copy(), firsts, limit, returns, lengths, finished
        self._compiled.playouts.compile_now(lambda: {"playouts": arguments}).playouts(*arguments)
