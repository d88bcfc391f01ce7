"""Many games of Hawaii, 1795 at once, in compiled code: `hawaii_env.core.batch.BatchBackend`.

One compiled function does whatever a lane is told: act, begin, look, lose. A lane that comes to an effect registered by
a user stops there; Python runs the effect, and the same function goes on with that lane. In the plain mode the function
runs as ordinary Python.
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
    AFTER,
    BEGUN,
    FRESH,
    ILLEGAL,
    LOSE,
    MAX_EMPTY,
    NO_CHOICE,
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
from hawaii_env.errors import HawaiiError
from hawaii_env.game import TERMINAL, State

from . import core, observation_v1
from .doors import copied, tables_of
from .observation import SCALE, SIZE, write_observation
from .observation_v1 import N_CODES, N_SHOWN, ONES, write_observation_v1
from .positions.check import check_buffer
from .rules import flow
from .rules.actions import is_legal
from .rules.names import (
    CUSTOM,
    FX_CUSTOM,
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
        pending: int8[N], out: 0, the stage in which a lane waits for Python, or NO_CHOICE.
    """

    tables: Any
    table_of: NDArray[np.int64]
    states: Any
    words: Any
    pending: NDArray[np.int8]


class Second(NamedTuple):
    """What observations of the second edition need beside.

    Attributes:
        templates, scaled_templates: int8[G, O], float32[G, O]: what they begin with, one a ruleset.
        shown: int32[N, N_SHOWN], what the lanes' observations tell already, see `write_observation_v1`; -1 where that
            is not known.
    """

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
def run_lanes(table: Any, orders: Any, books: Any, looks: Any, second: Any, start: int, stop: int) -> None:
    """Do in the lanes from `start` to `stop` what the orders say, and write what is to be seen.

    table: see `Table`; orders: `Commands`; books, looks: `hawaii_env.core.batch.Statistics` and `ObservationBuffers`;
    second: `Second`, or None
    for the first edition of the observation: the compiler then leaves out what is for the other. What happens in every
    step stands here in one piece: a record handed on to another function is copied, array by array.
    """
    scratch = np.empty(SIZE, np.int8)
    codes, nothing = np.empty(N_CODES, np.int32), np.empty(N_SHOWN, np.int32)
    for i in range(start, stop):
        op = int(orders.ops[i])
        if op == SKIP:
            continue
        table.pending[i] = 0
        rules = table.tables[table.table_of[i]]
        state = table.states[i]
        fresh = op != ACT
        empty = 0
        if op > AFTER:
            stage = op - AFTER
        else:
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
            if state.phase == CUSTOM:
                table.pending[i] = stage
                break
            if stage == BEGUN:
                begin_game(books, i)
            else:
                books.lengths[i] += 1
            ended = state.phase == OVER or (stage != BEGUN and books.lengths[i] >= books.limits[i])
            if ended and stage != ACTED and stage != LOSE:
                # The game was over before anybody, or the learner, had a choice: it is none.
                empty += 1
                if empty > MAX_EMPTY:
                    table.pending[i] = NO_CHOICE
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
            if second is None:
                if looks.raw:
                    write_observation(rules, state, viewer, looks.integers_final[i])
                else:
                    write_observation(rules, state, viewer, scratch)
                    np.multiply(scratch, looks.scale, looks.scaled_final[i])
            else:
                nothing[:] = -1
                if looks.raw:
                    looks.integers_final[i][:] = second.templates[table.table_of[i]]
                    write_observation_v1(rules, state, viewer, ONES, codes, nothing, looks.integers_final[i])
                else:
                    looks.scaled_final[i][:] = second.scaled_templates[table.table_of[i]]
                    write_observation_v1(rules, state, viewer, looks.scale, codes, nothing, looks.scaled_final[i])
            flow.begin(rules, state)
            stage = BEGUN
        if table.pending[i]:
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
        if second is None:
            if looks.raw:
                write_observation(rules, state, viewer, looks.integers[i])
            else:
                write_observation(rules, state, viewer, scratch)
                np.multiply(scratch, looks.scale, looks.scaled[i])
        else:
            shown = second.shown[i]
            fresh = fresh or shown[0] < 0
            if fresh:
                shown[:] = -1
            if looks.raw:
                if fresh:
                    looks.integers[i][:] = second.templates[table.table_of[i]]
                write_observation_v1(rules, state, viewer, ONES, codes, shown, looks.integers[i])
            else:
                if fresh:
                    looks.scaled[i][:] = second.scaled_templates[table.table_of[i]]
                write_observation_v1(rules, state, viewer, looks.scale, codes, shown, looks.scaled[i])


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

    room: a state to play on, overwritten each time. firsts[k]: the first decision, or -1. A game that comes to a custom
    effect is left with length -1: it is Python's.
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
        lengths[k] = -1 if state.phase == CUSTOM else n
        finished[k] = state.phase == OVER
        returns[k, 0] = 0.0
        returns[k, 1] = 0.0
        if state.winner == 0:
            returns[k, 0] = 1.0
            returns[k, 1] = -1.0
        elif state.winner == 1:
            returns[k, 0] = -1.0
            returns[k, 1] = 1.0


_LANES = (run_lanes, find_illegal, list_lanes, sample_lanes)
LANES = EntryPoints("hawaii1795", "batch", _LANES, seconds=6, records=(STATE, TABLES))
LANES_V1 = EntryPoints("hawaii1795", "batch_v1", _LANES, seconds=8, records=(STATE, TABLES))
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
        self._second: bool = self.games[0].observation == "v1"
        self._job: EntryPoints = LANES_V1 if self._second else LANES
        self._scale: NDArray[np.float32] = observation_v1.SCALE if self._second else SCALE
        index = {key: place for place, key in enumerate(kinds)}
        self._table_of = np.array([index[id(game)] for game in self.games], np.int64)
        self._for_now: bool = at_once and AUTOMATIC and not self._job.now(self._examples, self.games[0])
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
        self.serial: bool = any(FX_CUSTOM in game.record_array[0]["effect"] for game in kinds.values())
        self._doors: Any = None if self._core.compiled else self._job.plain
        self._pending = np.zeros(n, np.int8)
        self._table = Table(self._tables, self._table_of, self._states, self._words, self._pending)
        self._templates: tuple[NDArray[np.int8], NDArray[np.float32]] | None = None
        if self._second:
            raw, scaled = (np.stack([game.templates[k] for game in kinds.values()]) for k in (0, 1))
            self._templates = raw, scaled
        self._written: tuple[Arrays, Statistics, ObservationBuffers, Second | None] | None = None

    def _ready(self) -> Any:
        """The doors, compiled where that is the mode."""
        if self._doors is None:
            self._doors = self._job.for_a_job(self._examples)
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
                ObservationBuffers.of(out, self._scale),
                self._begun(),
                0,
                1,
            ),
            "find_illegal": (self._states, orders.ops, orders.actions, 1),
            "list_lanes": (self._states, out.over, orders.actions, orders.actions),
            "sample_lanes": (self._states, self._words, out.over, orders.actions, 0, 1),
        }

    def _begun(self) -> Second | None:
        """What observations of the second edition need; of none it is known what it tells."""
        if self._templates is None:
            return None
        return Second(*self._templates, np.full((len(self.games), N_SHOWN), -1, np.int32))

    def _records_of(self, out: Arrays) -> tuple[Statistics, ObservationBuffers, Second | None]:
        """The arrays as the rules want them; a batch has the same ones in every step."""
        written = self._written
        if written is None or written[0] is not out:
            written = self._written = out, Statistics.of(out), ObservationBuffers.of(out, self._scale), self._begun()
        return written[1:]

    def __getstate__(self) -> dict[str, Any]:
        values = dict(self.__dict__)
        for name in ("_tables", "_table_of", "_states", "_core", "_doors", "_table", "_written", "_job"):
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
        self._pending[:] = values["_pending"]
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
            StateError: a custom effect failed, or games end before anybody decides. Where there are custom effects, no
                lane has changed then.
        """
        if self._for_now and ops[0] == RESET and self._job.is_ready():
            self._go_compiled()
        before = self._keep(out, start, stop) if self.serial else None
        try:
            self._run(out, ops, actions, same_step, start, stop)
            self._serve_waiting(out, actions, same_step, start, stop)
        except Exception:
            if before is not None:
                self._bring_back(out, before, start, stop)
            raise

    def _go_compiled(self) -> None:
        """Where one lane began in the plain mode, its next game is compiled, and goes on with the same generators."""
        buffer, words = self._buffers[0], list(self._words[0])
        CompiledBatch.__init__(self, self.games)
        self._store(0, buffer)
        self._words[0][:] = words

    def _keep(self, out: Arrays, start: int, stop: int) -> tuple[Any, ...]:
        """Everything that a step of these lanes may change: an effect that fails changes nothing."""
        lanes = range(start, stop)
        arrays = {name: getattr(out, name)[start:stop].copy() for name in out.__slots__}
        return arrays, [core.copy_buffer(self._buffers[i]) for i in lanes], [list(self._words[i]) for i in lanes]

    def _bring_back(self, out: Arrays, before: tuple[Any, ...], start: int, stop: int) -> None:
        arrays, buffers, words = before
        for name, values in arrays.items():
            getattr(out, name)[start:stop] = values
        for i in range(start, stop):
            self._store(i, buffers[i - start])
            self._words[i][:] = words[i - start]
        self._pending[start:stop] = 0
        self._written = None  # it is not known any more what the arrays tell

    def _serve_waiting(self, out: Arrays, actions: NDArray[np.int64], same_step: bool, start: int, stop: int) -> None:
        """Run the custom effects that lanes have come to, until none waits."""
        waiting = np.flatnonzero(self._pending[start:stop]) + start
        while waiting.size:
            again = np.zeros(len(self.games), np.int8)
            for lane in waiting.tolist():
                self._wait_over(lane)
                again[lane] = AFTER + self._pending[lane]
            self._run(out, again, actions, same_step, start, stop)
            waiting = waiting[self._pending[waiting] != 0]

    def _wait_over(self, lane: int) -> None:
        """Python's part of a step: the custom effect that the lane has come to."""
        if self._pending[lane] == NO_CHOICE:
            raise no_choice(lane)
        state = self._view(lane)
        try:
            state._after()
        except HawaiiError as error:
            raise type(error)(f"lane {lane}: {error}") from error
        self._store(lane, state._buffer)

    def _run(
        self, out: Arrays, ops: NDArray[np.int8], actions: NDArray[np.int64], same_step: bool, start: int, stop: int
    ) -> None:
        books, looks, second = self._records_of(out)
        self._ready().run_lanes(self._table, Commands(ops, actions, int(same_step)), books, looks, second, start, stop)

    def playouts(
        self, state: Any, seeds: NDArray[np.uint64], firsts: NDArray[np.int64], limit: int,
        returns: NDArray[np.float32], lengths: NDArray[np.int64], finished: NDArray[np.bool_],
    ) -> None:  # fmt: skip
        """See `hawaii_env.core.batch.BatchBackend.playouts`."""
        games, words = spread_words(seeds, 8), spread_words(seeds, 4, POLICY_TAG)
        arguments = (
            state.game.tables_in(self._core), self._core.copy_of(state._buffer), self._core.new_buffer(), games,
            words.copy(), firsts, limit, returns, lengths, finished,
        )  # fmt: skip
        PLAYOUTS.for_a_job(lambda: {"playouts": arguments}).playouts(*arguments)
        for k in np.flatnonzero(lengths < 0).tolist():
            copy, n = state.clone(seed=int(seeds[k])), 0
            choices = words[k].tolist()
            while n < limit and not copy.is_terminal:
                legal = copy.legal_actions()
                copy.apply(int(firsts[k]) if n == 0 and firsts[k] >= 0 else legal[below(choices, len(legal))])
                n += 1
            returns[k] = copy.returns()
            lengths[k] = n
            finished[k] = copy.is_terminal
