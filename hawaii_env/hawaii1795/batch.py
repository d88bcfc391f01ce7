"""Many games of Hawaii, 1795 at once, in compiled code: `hawaii_env.core.batch.BatchBackend`.

One compiled function does whatever a lane is told: act, begin, look, lose. In the interpreted mode the function runs as
ordinary Python.
"""

from __future__ import annotations

# pyright: reportPrivateUsage=false
# BatchBackend and states of a wing share what holds a position.
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
from hawaii_env.core.jit import AUTOMATIC, EntryPoints, rule
from hawaii_env.core.rng import POLICY_TAG, below, game_words, small_seeds, spread_words
from hawaii_env.game import TERMINAL, State

from . import core
from .doors import copied, tables_of
from .observation import N_SHOWN, N_TOLD, ONES, SCALE, begin_observation, write_observation
from .positions.check import check_buffer
from .rules import flow
from .rules.actions import is_legal
from .rules.names import (
    LAST_MONTH,
    MAX_LEGAL,
    OVER,
    R_NOVEMBER,
    REASONS,
    TIE,
    reason_text,
)
from .rules.state import STATE, STATE_WORDS
from .rules.tables import TABLES

# Beside the game's reasons: two of the environment's, then those of a campaign that ends in an earlier month than
# November, by month.
R_TRUNCATED, R_ILLEGAL, R_EARLIER = len(REASONS), len(REASONS) + 1, len(REASONS) + 2
N_ENDS = len(REASONS) - R_NOVEMBER


class Table(NamedTuple):
    """What the lanes play on: a record for the compiled rules.

    Attributes:
        tables: one a ruleset.
        table_of: int64[N], which each lane plays with.
        states: one a lane.
        words: the random players' generators, four numbers a lane.
        empty: int64[N], out: how many games in a row ended before anybody had a choice.
        templates, scaled_templates: int8[G, O], float32[G, O]: what observations begin with, one a ruleset.
        shown: int32[N, N_SHOWN], what the observations tell already, see `write_observation`; -1 if that is unknown.
    """

    tables: Any
    table_of: NDArray[np.int64]
    states: Any
    words: Any
    empty: NDArray[np.int64]
    templates: NDArray[np.int8]
    scaled_templates: NDArray[np.float32]
    shown: NDArray[np.int32]


@rule
def take_random(rules: Any, state: Any, words: Any) -> None:
    """A random legal action, and on to the next decision."""
    action = state.legal[below(words, state.n_legal)]
    state.decisions += 1
    flow.take(rules, state, action)
    flow.run(rules, state)


@rule
def close(state: Any, books: Any, lane: int, lost: bool) -> None:
    """[5.0] The lane's game is over: by the rules, by the limit on decisions, or `lost` by an illegal action."""
    winner = -1
    reason = R_TRUNCATED
    if lost:
        books.rewards[lane, state.decider] = -1.0
        books.terminations[lane] = True
        reason = R_ILLEGAL
    elif state.phase == OVER:
        if state.winner != TIE:
            winner = state.winner
            books.rewards[lane, winner] = 1.0
            books.rewards[lane, 1 - winner] = -1.0
        books.terminations[lane] = True
        reason = state.reason
        if reason >= R_NOVEMBER and state.month < LAST_MONTH:
            reason = R_EARLIER + (state.month - 1) * N_ENDS + reason - R_NOVEMBER
    else:
        books.truncations[lane] = True
    end_game(books, lane, winner, reason)


@rule
def run_lanes(table: Any, orders: Any, books: Any, looks: Any, start: int, stop: int) -> None:
    """Do in the lanes from `start` to `stop` what the orders say, and write what is to be seen.

    table: see `Table`; orders: `Commands`; books, looks: `hawaii_env.core.batch.Statistics` and `ObservationBuffers`.
    What happens in every step stands here in one piece: a record handed on to another function is copied, array by
    array.
    """
    told, nothing = np.empty(N_TOLD, np.int32), np.empty(N_SHOWN, np.int32)
    for i in range(start, stop):
        op = int(orders.ops[i])
        if op == SKIP:
            continue
        table.empty[i] = 0
        rules = table.tables[table.table_of[i]]
        state = table.states[i]
        fresh = op != ACT
        books.rewards[i, 0] = 0.0
        books.rewards[i, 1] = 0.0
        books.terminations[i] = False
        books.truncations[i] = False
        stage = BEGUN
        if op == ACT:
            stage = ACTED
            state.decisions += 1
            flow.take(rules, state, int(orders.actions[i]))
            flow.run(rules, state)
        elif op == RESET:
            flow.begin(rules, state)
        elif op == LOSE:
            stage = LOSE
        while True:
            if stage == BEGUN:
                begin_game(books, i)
            else:
                books.lengths[i] += 1
            ended = state.phase == OVER or (stage != BEGUN and books.lengths[i] >= books.limits[i])
            if ended and stage != ACTED and stage != LOSE:
                # The game was over before anybody, or the learner, had a choice: it is none.
                table.empty[i] += 1
                if table.empty[i] > MAX_EMPTY:
                    break
                flow.begin(rules, state)
                stage = BEGUN
                continue
            if not ended and stage != LOSE:
                if books.auto[i] and state.decider != books.viewers[i]:
                    take_random(rules, state, table.words[i])
                    if stage == BEGUN:
                        stage = FRESH
                    continue
                break
            close(state, books, i, stage == LOSE)
            if not orders.same_step:
                break
            viewer = max(0, int(books.viewers[i]))
            fresh = True
            if looks.raw:
                begin_observation(table.templates[table.table_of[i]], nothing, looks.integers_final[i])
                write_observation(rules, state, viewer, ONES, told, nothing, looks.integers_final[i])
            else:
                begin_observation(table.scaled_templates[table.table_of[i]], nothing, looks.scaled_final[i])
                write_observation(rules, state, viewer, looks.scale, told, nothing, looks.scaled_final[i])
            flow.begin(rules, state)
            stage = BEGUN
        if table.empty[i] > MAX_EMPTY:
            continue
        mask = books.masks[i]
        mask[:] = 0
        if books.over[i]:
            viewer = max(0, int(books.viewers[i]))
            books.to_play[i] = TERMINAL
        else:
            viewer = state.decider
            books.to_play[i] = viewer
            for k in range(state.n_legal):
                mask[state.legal[k]] = 1
        shown = table.shown[i]
        fresh = fresh or shown[0] < 0
        if looks.raw:
            if fresh:
                begin_observation(table.templates[table.table_of[i]], shown, looks.integers[i])
            write_observation(rules, state, viewer, ONES, told, shown, looks.integers[i])
        else:
            if fresh:
                begin_observation(table.scaled_templates[table.table_of[i]], shown, looks.scaled[i])
            write_observation(rules, state, viewer, looks.scale, told, shown, looks.scaled[i])


@rule
def find_illegal(states: Any, ops: Any, actions: Any, lanes: int) -> int:
    """The first lane of those that ACT whose action is not legal, or -1."""
    for i in range(lanes):
        if ops[i] == ACT:
            if not is_legal(states[i], actions[i]):
                return i
    return -1


@rule
def list_lanes(states: Any, over: Any, counts: Any, actions: Any) -> int:
    """Write the number of legal actions of each lane, and the actions, lane after lane; return how many they are."""
    n = 0
    for i in range(len(counts)):
        counts[i] = 0
        if not over[i]:
            state = states[i]
            counts[i] = state.n_legal
            for k in range(state.n_legal):
                actions[n] = state.legal[k]
                n += 1
    return n


@rule
def sample_lanes(states: Any, words: Any, over: Any, actions: Any, start: int, stop: int) -> None:
    """A random legal action of each lane from `start` to `stop`; 0 where the game is over."""
    for i in range(start, stop):
        if over[i]:
            actions[i] = 0
        else:
            state = states[i]
            actions[i] = state.legal[below(words[i], state.n_legal)]


@rule
def playouts(
    tables: Any, source: Any, room: Any, games: Any, words: Any, firsts: Any, limit: int, returns: Any, lengths: Any,
    finished: Any,
) -> None:  # fmt: skip
    """Random games on from the state `source`: number k with the generators games[k] (decks, dice) and words[k] (its
    players).

    room: a state to play on, overwritten each time. firsts[k]: the first decision, or -1.
    """
    rules = tables_of(tables)
    for k in range(len(lengths)):
        state = copied(source, room)
        for j in range(4):
            state.deck_words[j] = int(games[k, j])
            state.dice_words[j] = int(games[k, 4 + j])
        state.sampled = 1
        flow.run(rules, state)
        n = 0
        while n < limit and state.n_legal > 0:
            if n == 0 and firsts[k] >= 0:
                state.decisions += 1
                flow.take(rules, state, int(firsts[k]))
                flow.run(rules, state)
            else:
                take_random(rules, state, words[k])
            n += 1
        lengths[k] = n
        finished[k] = state.phase == OVER
        returns[k, 0] = 0.0
        returns[k, 1] = 0.0
        if state.winner == 0:
            returns[k, 0] = 1.0
            returns[k, 1] = -1.0
        elif state.winner == 1:
            returns[k, 0] = -1.0
            returns[k, 1] = 1.0


LANES = EntryPoints(
    "hawaii1795", "batch", (run_lanes, find_illegal, list_lanes, sample_lanes), seconds=8, records=(STATE, TABLES)
)
PLAYOUTS = EntryPoints("hawaii1795", "playouts", [playouts], seconds=5)


class CompiledBatch:
    """BatchBackend of Hawaii, 1795: what `hawaii_env.core.batch.BatchBackend` asks for.

    Args:
        games: one a lane; scenarios, rulesets and options may differ.
        at_once: True: where nothing is compiled yet the game begins in the plain mode; its next ones are compiled as
            soon as there is machine code. For one lane alone.
    """

    begins_at_once = True

    def __init__(self, games: Sequence[Any], at_once: bool = False) -> None:
        self.games: list[Any] = list(games)  # of this game: `Game` here knows fewer methods
        self.reason_texts: list[str] = [*REASONS, TRUNCATED, ILLEGAL]
        ends = range(R_NOVEMBER, len(REASONS))
        self.reason_texts += [reason_text(end, month) for month in range(1, LAST_MONTH) for end in ends]
        n = len(self.games)
        kinds = {id(game): game for game in self.games}
        index = {key: place for place, key in enumerate(kinds)}
        self._table_of = np.array([index[id(game)] for game in self.games], np.int64)
        self._for_now: bool = at_once and AUTOMATIC and not LANES.use_compiled(self._examples, self.games[0])
        self._core = core.INTERPRETED_BACKEND if self._for_now else core.mode_of_jobs()
        tables = [game.tables_in(self._core) for game in kinds.values()]
        # Records, not the buffers that single states are: viewing those inside costs 50 ns a lane.
        self._tables: Any
        self._states: Any
        self._buffers: Any  # the same states as the doors of `core` want them
        self._words: Any
        if not self._core.compiled:
            self._tables = tables
            self._states = self._buffers = [self._core.new_buffer() for _ in range(n)]
            self._words = [[0, 0, 0, 0] for _ in range(n)]
        else:
            self._tables = np.concatenate(tables).view(TABLES)
            self._buffers = np.zeros((n, STATE_WORDS), np.int64)
            self._states = self._buffers.reshape(-1).view(STATE)
            self._words = np.zeros((n, 4), np.int64)
        self.serial: bool = False
        self._doors: Any = None if self._core.compiled else LANES.interpreted
        raw, scaled = (np.stack([game.templates[k] for game in kinds.values()]) for k in (0, 1))
        self._table = Table(
            self._tables, self._table_of, self._states, self._words, np.zeros(n, np.int64), raw, scaled,
            np.full((n, N_SHOWN), -1, np.int32),
        )  # fmt: skip
        self._written: tuple[Arrays, Table, Statistics, ObservationBuffers] | None = None

    def _ready(self) -> Any:
        """The doors, compiled where that is the mode."""
        if self._doors is None:
            self._doors = LANES.compile_now(self._examples)
        return self._doors

    def _examples(self) -> dict[str, tuple[Any, ...]]:
        """Arguments of the doors, as the compiled mode has them."""
        out = Arrays.make(self.games[:1])
        orders = Commands(np.zeros(1, np.int8), np.zeros(1, np.int64), 0)
        return {
            "run_lanes": (
                self._table,
                orders,
                Statistics.of(out),
                ObservationBuffers.of(out, SCALE),
                0,
                1,
            ),
            "find_illegal": (self._states, orders.ops, orders.actions, 1),
            "list_lanes": (self._states, out.over, orders.actions, orders.actions),
            "sample_lanes": (self._states, self._words, out.over, orders.actions, 0, 1),
        }

    def _records_of(self, out: Arrays) -> tuple[Table, Statistics, ObservationBuffers]:
        """Return the arrays as the rules want them; a batch has the same ones in every step."""
        written = self._written
        if written is None or written[0] is not out:
            table = self._table._replace(shown=np.full_like(self._table.shown, -1))  # what `out` tells is not known
            written = self._written = out, table, Statistics.of(out), ObservationBuffers.of(out, SCALE)
        return written[1:]

    def __getstate__(self) -> dict[str, Any]:
        values = dict(self.__dict__)
        for name in ("_tables", "_table_of", "_states", "_core", "_doors", "_table", "_written"):
            del values[name]
        values["_words"] = np.array(self._words, np.int64)
        values["_buffers"] = [core.pack(self._buffers[lane]) for lane in range(len(self.games))]
        return values

    def __setstate__(self, values: dict[str, Any]) -> None:
        self.__init__(values["games"], at_once=values["_for_now"])
        empty = core.to_bytes(self._core.new_buffer())
        for lane, data in enumerate(values["_buffers"]):
            buffer = self._core.from_bytes(core.unpack(data))
            if core.to_bytes(buffer) != empty:  # so it is before the first reset
                check_buffer(self.games[lane], buffer, f"pickle: lane {lane}")
            self._store(lane, buffer)
            for k in range(4):
                self._words[lane][k] = int(values["_words"][lane][k])
        self.reason_texts = values["reason_texts"]

    def _store(self, lane: int, buffer: Any) -> None:
        if not self._core.compiled:
            self._buffers[lane] = self._core.copy_of(buffer)
        else:
            self._buffers[lane, :] = buffer if core.mode_of(buffer) is self._core else self._core.copy_of(buffer)

    def seed(self, lanes: Sequence[int], seeds: Sequence[int]) -> None:
        """See `hawaii_env.core.batch.BatchBackend.seed`."""
        if not lanes:
            return
        games, words = game_words(seeds), spread_words(small_seeds(seeds), 4, POLICY_TAG)
        for k, lane in enumerate(lanes):
            buffer = self._buffers[lane]
            self._core.put(buffer, "deck_words", games[k, :4].tolist())
            self._core.put(buffer, "dice_words", games[k, 4:].tolist())
            self._core.put(buffer, "sampled", 1)
            self._words[lane][:] = words[k].tolist()

    def get(self, lane: int) -> State:
        """See `hawaii_env.core.batch.BatchBackend.get`."""
        return self._view(lane).clone()

    def _view(self, lane: int) -> core.HeldState:
        """A state that is the lane's position itself."""
        return self.games[lane].state_of(self._buffers[lane])

    def put(self, lane: int, state: Any) -> None:
        """See `hawaii_env.core.batch.BatchBackend.put`."""
        self._store(lane, state._buffer)

    def illegal(self, ops: NDArray[np.int8], actions: NDArray[np.int64]) -> int:
        """See `hawaii_env.core.batch.BatchBackend.illegal`."""
        return int(self._ready().find_illegal(self._states, ops, actions, len(self.games)))

    def legal(self, out: Arrays) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """See `hawaii_env.core.batch.BatchBackend.legal`."""
        counts, actions = (np.empty(n, np.int64) for n in (len(self.games), len(self.games) * MAX_LEGAL))
        n = int(self._ready().list_lanes(self._states, out.over, counts, actions))
        return counts, actions[:n].copy()

    def sample(self, out: Arrays, actions: NDArray[np.int64], start: int, stop: int) -> None:
        """See `hawaii_env.core.batch.BatchBackend.sample`."""
        self._ready().sample_lanes(self._states, self._words, out.over, actions, start, stop)

    def run(
        self, out: Arrays, ops: NDArray[np.int8], actions: NDArray[np.int64], same_step: bool, start: int, stop: int
    ) -> None:
        """See `hawaii_env.core.batch.BatchBackend.run`.

        Raises:
            StateError: games end before anybody decides.
        """
        if self._for_now and ops[0] == RESET and LANES.is_ready():
            self._go_compiled()
        table, books, looks = self._records_of(out)
        self._ready().run_lanes(table, Commands(ops, actions, int(same_step)), books, looks, start, stop)
        idle = np.flatnonzero(self._table.empty[start:stop] > MAX_EMPTY)
        if idle.size:
            raise no_choice(start + int(idle[0]))

    def _go_compiled(self) -> None:
        """Where one lane began in the plain mode, its next game is compiled, and goes on with the same generators."""
        buffer, words = self._buffers[0], list(self._words[0])
        CompiledBatch.__init__(self, self.games)
        self._store(0, buffer)
        self._words[0][:] = words

    def playouts(
        self, state: Any, seeds: NDArray[np.uint64], firsts: NDArray[np.int64], limit: int,
        returns: NDArray[np.float32], lengths: NDArray[np.int64], finished: NDArray[np.bool_],
    ) -> None:  # fmt: skip
        """See `hawaii_env.core.batch.BatchBackend.playouts`."""
        games, words = spread_words(seeds, 8), spread_words(seeds, 4, POLICY_TAG)
        arguments = (
            state.game.tables_in(self._core), self._core.copy_of(state._buffer), self._core.new_buffer(), games,
            words, firsts, limit, returns, lengths, finished,
        )  # fmt: skip
        PLAYOUTS.compile_now(lambda: {"playouts": arguments}).playouts(*arguments)
