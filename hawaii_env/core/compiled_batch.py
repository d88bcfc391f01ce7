"""Batch of a compiled game: environments whose positions, generators and tables are stored in arrays."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hawaii_env.core.batch import (
    ILLEGAL,
    MAX_EMPTY,
    RESET,
    TRUNCATED,
    Arrays,
    Commands,
    ObservationBuffers,
    Statistics,
    no_choice,
)
from hawaii_env.core.checksum import add_checksum, verify_checksum
from hawaii_env.core.extras import view_points
from hawaii_env.core.jit import AUTOMATIC
from hawaii_env.core.loop import Table
from hawaii_env.core.rng import POLICY_TAG, check_generator, draw_words, game_words, small_seeds, spread_words
from hawaii_env.errors import StateError
from hawaii_env.game import State
from hawaii_env.texts import parse_json

__all__ = ["CompiledBatch"]


class CompiledBatch:
    """Environments of a compiled game, stepped together: a `hawaii_env.core.batch.BatchBackend`.

    Args:
        games: one per environment; rulesets and options may differ, but not the shapes of observations and actions.
        at_once: True: if no machine code exists yet, start interpreted, and run later games compiled once it exists.
            For a batch of one environment.
        draws: source of each game's rules and first position, or None; see `hawaii_env.core.batch.BatchBackend`.
    """

    begins_at_once = True

    def __init__(self, games: Sequence[Any], at_once: bool = False, draws: Any = None) -> None:
        self._given: list[Any] = list(games)
        self._draws: Any = draws
        every = [*games, *([] if draws is None else draws.games)]
        self._kinds: list[Any] = list({id(game): game for game in every}.values())
        self._compiled: Any = self._kinds[0].compiled_rules
        self.reason_texts: list[str] = [*self._compiled.reasons, TRUNCATED, ILLEGAL]
        self.serial: bool = False
        self._entry: Any = self._compiled.batch
        self._interpreted: bool = at_once and AUTOMATIC and not self._entry.use_compiled(self._examples, self._kinds[0])
        self._backend = self._compiled.interpreted if self._interpreted else self._compiled.backend_for_jobs()
        self._functions: Any = None if self._backend.compiled else self._entry.interpreted
        n, index = len(self._given), {id(game): place for place, game in enumerate(self._kinds)}
        positions = [] if draws is None else draws.positions
        width = max(game.record_size for game in self._kinds) if self._backend.compiled else 0
        blank = [-1] * 8
        self._table = Table(
            self._stack([game.rules_in(self._backend) for game in self._kinds]),
            np.array([index[id(game)] for game in self._given], np.int64),
            self._stack([game.new_record(self._backend, blank) for game in self._given], width),
            self._stack([self._backend.words([0] * 4) for _ in range(n)]),
            np.zeros(n, np.int64),
            np.array([game.scale for game in self._kinds], np.float32),
            np.full((n, self._kinds[0].memory_size), -1, np.int32),
            self._stack([self._backend.words([0] * 4) for _ in range(n)]),
            np.zeros(0, np.int64) if draws is None else draws.reach,
            self._stack([
                game.new_record(self._backend, blank) if start is None else self._backend.state(start.data)
                for game, start in zip([] if draws is None else draws.games, positions, strict=True)
            ], width),
            np.array([index[id(game)] for game in ([] if draws is None else draws.games)], np.int64),
            np.array([start is not None for start in positions], np.int8),
        )  # fmt: skip
        self._written: tuple[Arrays, Statistics, ObservationBuffers] | None = None

    @property
    def games(self) -> list[Any]:
        """Return the game of each environment."""
        return [self._kinds[kind] for kind in self._table.game_of.tolist()]

    def game(self, lane: int) -> Any:
        """See `hawaii_env.core.batch.BatchBackend.game`."""
        return self._kinds[self._table.game_of[lane]]

    @property
    def states(self) -> Any:
        """Return the compiled states of the environments, or the interpreted ones as a list."""
        return self._table.states

    def write_rewards(
        self, points: Any, before: Any, ops: NDArray[np.int8], rewards: NDArray[np.float32], reward: Any
    ) -> None:
        """Write the rewards of a step through the entry point of `hawaii_env.core.extras.reward_points`."""
        (name,) = points.functions
        factors = () if name == "write_rewards" else (reward.gamma, reward.weight)
        arguments = self._table, before, ops, rewards, *factors, 0, len(self._given)
        ready = points.compile_now(lambda: {name: arguments}) if self._backend.compiled else points.interpreted
        getattr(ready, name)(*arguments)

    def write_views(self, out: Arrays, ops: NDArray[np.int8], memory: NDArray[np.int32]) -> None:
        """See `hawaii_env.core.batch.BatchBackend.write_views`."""
        points, views, size = _view_points(self._compiled), out.views, out.views.shape[2]
        raw = views.dtype != np.float32
        none = np.zeros((0, 0, size), np.float32 if raw else self._kinds[0].raw_dtype)
        scaled, integers = (none, views) if raw else (views, none)
        arguments = self._table, int(raw), memory, scaled, integers, ops, 0, len(self._given)
        ready = points.compile_now(lambda: {"write_views": arguments}) if self._backend.compiled else points.interpreted
        ready.write_views(*arguments)

    def set_draws(self, draws: Any) -> None:
        """See `hawaii_env.core.batch.BatchBackend.set_draws`."""
        other = CompiledBatch(self.games, at_once=self._interpreted, draws=draws)
        for i in range(len(self._given)):
            self._compiled.state.assign(other._own(i), self._own(i))
        old = self._table
        other._table = other._table._replace(words=old.words, draws=old.draws, empty=old.empty, memory=old.memory)
        written = self._written
        self.__dict__.update(other.__dict__)
        self._written = written

    def _stack(self, records: list[Any], width: int = 0) -> Any:
        """Return records of one backend as one array, each padded to the longest and to `width`, or as a list."""
        if not self._backend.compiled:
            return records
        width = max([width, *map(len, records)])
        rows = np.zeros((len(records), width), np.int64)
        for row, record in zip(rows, records, strict=True):
            row[: len(record)] = record
        return rows

    def _ready(self) -> Any:
        """Return the entry points of the present backend, compiled if necessary."""
        if self._functions is None:
            self._functions = self._entry.compile_now(self._examples)
        return self._functions

    def _examples(self) -> dict[str, tuple[Any, ...]]:
        """Return example arguments of the entry points for the compiled backend."""
        game, out, ints, matrix = (
            self._kinds[0],
            Arrays.make(self._kinds[:1]),
            np.zeros(1, np.int64),
            np.zeros((1, 1), int),
        )
        scales = np.zeros((1, game.observation_size), np.float32)
        flags = np.zeros(1, np.int8)
        table = Table(
            matrix, ints, matrix, matrix, ints, scales, np.zeros((1, 1), np.int32), matrix, ints, matrix, ints, flags
        )
        commands = Commands(np.zeros(1, np.int8), ints, 0)
        buffers = ObservationBuffers.of(out, scales[0], game.raw_dtype)
        return {
            "run_batch": (table, commands, Statistics.of(out), buffers, 0, 1),
            "find_illegal": (matrix, commands.ops, ints, 1),
            "sample_batch": (matrix, matrix, out.over, ints, 0, 1),
            "list_batch": (matrix, out.over, ints, ints),
        }

    def _records_of(self, out: Arrays) -> tuple[Statistics, ObservationBuffers]:
        """Return the records of the arrays for the rules, created once because a batch never changes its arrays."""
        written = self._written
        if written is None or written[0] is not out:
            buffers = ObservationBuffers.of(out, self._table.scales[0], self._kinds[0].raw_dtype)
            written = self._written = out, Statistics.of(out), buffers
            self._table.memory[:, 0] = -1  # the content of these rows is unknown
        return written[1:]

    def __getstate__(self) -> dict[str, Any]:
        layout, table = self._compiled.state, self._table
        words = [list(map(int, [*one, *other])) for one, other in zip(table.words, table.draws, strict=True)]
        return {
            "games": self.games,
            "draws": self._draws,
            "interpreted": self._interpreted,
            "words": add_checksum(json.dumps(words).encode()),
            "states": [
                game.state_of(state) if layout.get(state, "n_legal") or layout.get(state, "phase") else
                layout.get(state, "generator")
                for game, state in zip(self.games, map(self._own, range(len(self._given))), strict=True)
            ],
        }  # fmt: skip

    def __setstate__(self, values: dict[str, Any]) -> None:
        self.__init__(values["games"], at_once=values["interpreted"], draws=values["draws"])
        rows = zip(values["states"], parse_json(verify_checksum(values["words"])), strict=True)
        for i, (state, words) in enumerate(rows):
            if len(words) != 8 or not all(type(word) is int and 0 <= word < 1 << 32 for word in words):
                raise StateError(f"environment {i}: expected eight 32-bit words for two generators, not {words}")
            self._table.words[i][:], self._table.draws[i][:] = words[:4], words[4:]
            if isinstance(state, list):  # before the first reset a state consists of generators only
                self._compiled.state.put(
                    self._table.states[i], "generator", state if state == [-1] * 8 else check_generator(state)
                )
            else:
                self.put([i], [state], [None])

    def seed(self, lanes: Sequence[int], seeds: Sequence[int]) -> None:
        """See `hawaii_env.core.batch.BatchBackend.seed`."""
        if not lanes:
            return
        games, words, draws = game_words(seeds), spread_words(small_seeds(seeds), 4, POLICY_TAG), draw_words(seeds)
        for k, i in enumerate(lanes):
            self._table.draws[i][:] = draws[k].tolist()
            self._compiled.state.put(self._table.states[i], "generator", games[k].tolist())
            self._table.words[i][:] = words[k].tolist()

    def get(self, lane: int) -> State:
        """See `hawaii_env.core.batch.BatchBackend.get`."""
        return self.game(lane).state_of(self._own(lane)).clone()

    def known(self, lane: int, player: int) -> State:
        """See `hawaii_env.core.batch.BatchBackend.known`."""
        return self.game(lane).state_of(self._own(lane)).for_search(player)

    def _own(self, lane: int) -> Any:
        """Return a copy of an environment's state without padding."""
        state = self._table.states[lane]
        return state[: self.game(lane).record_size] if self._backend.compiled else state

    def put(self, lanes: Sequence[int], states: Sequence[Any], seeds: Sequence[int | None]) -> None:
        """See `hawaii_env.core.batch.BatchBackend.put`."""
        layout, games = self._compiled.state, game_words([seed or 0 for seed in seeds])
        for lane, state, seed, words in zip(lanes, states, seeds, games, strict=True):
            if (game := state.game) is not self.game(lane):
                kinds = [place for place, kind in enumerate(self._kinds) if kind is game or kind == game]
                if self._table.game_of[lane] not in kinds:
                    self._table.game_of[lane] = kinds[0]
            layout.assign(self._own(lane), state.data)
            if seed is not None:
                layout.put(self._table.states[lane], "generator", words.tolist())

    def illegal(self, ops: NDArray[np.int8], actions: NDArray[np.int64]) -> int:
        """See `hawaii_env.core.batch.BatchBackend.illegal`."""
        return int(self._ready().find_illegal(self._table.states, ops, actions, len(self._given)))

    def legal(self, out: Arrays) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """See `hawaii_env.core.batch.BatchBackend.legal`."""
        counts = np.zeros(len(self._given), np.int64)
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
        """Switch an environment that started interpreted to compiled for its next games, with the same generators."""
        old = self._table
        CompiledBatch.__init__(self, self.games, draws=self._draws)
        self._compiled.state.assign(self._own(0), old.states[0])
        self._table.words[0][:], self._table.draws[0][:] = old.words[0], old.draws[0]

    def playouts(
        self, state: Any, seeds: NDArray[np.uint64], firsts: NDArray[np.int64], limit: int,
        returns: NDArray[np.float32], lengths: NDArray[np.int64], finished: NDArray[np.bool_],
    ) -> None:  # fmt: skip
        """See `hawaii_env.core.batch.BatchBackend.playouts`."""
        games, words = spread_words(seeds, 8), spread_words(seeds, 4, POLICY_TAG)
        source = self._backend.state(state.data)
        rules = state.game.rules_in(self._backend)
        self._compiled.ready_playouts().playouts(
            rules, source, source.copy(), games, words.copy(), firsts, limit, returns, lengths, finished
        )


@cache
def _view_points(rules: Any) -> Any:
    return view_points(rules)
