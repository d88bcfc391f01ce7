"""Many games of Heiau Diplomacy at once, in compiled code: `hawaii_env.core.batch.BatchBackend`.

One compiled function does whatever a lane is told: act, begin, look, lose. A lane that comes to a chance node (the lot
of a ballot, who plays which power) stops there; Python rolls, by the lane's own generator, and the same function goes
on with that lane. In the plain mode the function runs as ordinary Python.
"""

from __future__ import annotations

# pyright: reportPrivateUsage=false
# BatchBackend and states of a wing share what holds a position.
import random
from collections.abc import Sequence
from typing import Any, NamedTuple, cast

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
from hawaii_env.core.rng import POLICY_TAG, below, small_seeds, spread_words
from hawaii_env.errors import StateError
from hawaii_env.game import TERMINAL, State

from . import core
from .observation import index_of, list_board, list_entries, list_observation, turn_of, value_of
from .positions.check import check_words
from .rules import flow
from .rules.ending import HEIAUS, LAST_FALL, NOBODY_IN, OTHERS_OUT, reason_text
from .rules.knowledge import player_of, power_of
from .rules.state import ASSIGNMENT, OVER, SETUP, spaces_of, state_of
from .rules.tables import LAST_YEAR, N_POWERS

R_OTHERS_OUT, R_NOBODY_IN, R_TRUNCATED, R_ILLEGAL, R_LAST_FALL = 1, 2, 3, 4, 5
MAX_YEARS = 99
R_HEIAUS = R_LAST_FALL + MAX_YEARS
"""Why a game ended: after these come the last years from 1 on, then the heiaus of a winner from 0 on."""


SEER, TURN, OF_BOARD = 0, 1, 2
"""What is kept of a lane's row of observations, see `Table.kept`."""


class Table(NamedTuple):
    """What the lanes play on: a record for the compiled rules.

    Attributes:
        tables: one a game.
        table_of: int64[N], which each lane plays with.
        scales: float32[games, O], factors of observations.
        states: one a lane.
        legal: the legal actions of each lane; int64[N, A] in the compiled mode.
        counts: int64[N], how many there are.
        words: the random players' generators, four numbers a lane.
        pending: int8[N], out: 0, the stage in which a lane waits for Python, or NO_CHOICE.
        told: int32[N, O + 1], what the lanes' rows of observations tell, see `observation.tell`.
        kept: int64[N, 3], for whom (a power) and of which turn; -1 where it is not known what the row tells; and how
            much of it is not of the entries.
    """

    tables: Any
    table_of: NDArray[np.int64]
    scales: NDArray[np.float32]
    states: Any
    legal: Any
    counts: NDArray[np.int64]
    words: Any
    pending: NDArray[np.int8]
    told: NDArray[np.int32]
    kept: NDArray[np.int64]


@rule
def write_returns(rules: Any, state: Any, returns: Any) -> int:
    """Write each player's result, (n x share - 1) / (n - 1); return who is first alone, or -1."""
    n, total, most, winner = rules[N_POWERS], 0, -1, -1
    for power in range(n):
        total += state.weight[power]
    for player in range(n):
        weight = state.weight[power_of(rules, state, player)]
        returns[player] = (n * (weight / total) - 1) / (n - 1)
        if weight > most:
            most, winner = weight, player
        elif weight == most:
            winner = -1
    return winner


@rule
def close(rules: Any, state: Any, books: Any, lane: int, lost: bool) -> None:
    """[Background] The lane's game is over: by the rules, by the limit on decisions, or `lost` by an illegal action."""
    winner, reason = -1, R_TRUNCATED
    if lost:
        books.rewards[lane, player_of(rules, state, state.queue[0])] = -1.0
        books.terminations[lane] = True
        reason = R_ILLEGAL
    elif state.phase == OVER:
        winner = write_returns(rules, state, books.rewards[lane])
        books.terminations[lane] = True
        if state.reason == HEIAUS:
            reason = R_HEIAUS + state.most
        elif state.reason == LAST_FALL:
            reason = R_LAST_FALL + rules[LAST_YEAR] - 1
        else:
            reason = R_OTHERS_OUT if state.reason == OTHERS_OUT else R_NOBODY_IN
    else:
        books.truncations[lane] = True
    end_game(books, lane, winner, reason)


@rule
def take_back(told: Any, first: int, row: Any) -> None:
    """Empty a row of what the list tells from its entry `first` on; see `observation.tell`."""
    for k in range(first, told[0] + 1):
        row[index_of(told[k])] = 0


@rule
def show_raw(told: Any, first: int, row: Any) -> None:
    """Put there what the list tells from its entry `first` on."""
    for k in range(first, told[0] + 1):
        row[index_of(told[k])] = value_of(told[k])


@rule
def show_scaled(told: Any, first: int, scale: Any, row: Any) -> None:
    """The same, scaled."""
    for k in range(first, told[0] + 1):
        index = index_of(told[k])
        row[index] = np.float32(value_of(told[k])) * scale[index]


@rule
def run_lanes(table: Any, orders: Any, books: Any, looks: Any, start: int, stop: int) -> None:
    """Do in the lanes from `start` to `stop` what the orders say, and write what is to be seen.

    table: see `Table`; orders: `Commands`; books, looks: `hawaii_env.core.batch.Statistics` and `ObservationBuffers`.
    What happens in every step
    stands here in one piece: a record handed on to another function is copied, array by array.
    """
    scratch = np.empty(len(looks.scale) + 1, np.int32)
    for i in range(start, stop):
        op = int(orders.ops[i])
        if op == SKIP:
            continue
        table.pending[i] = 0
        kind = table.table_of[i]
        rules, legal = table.tables[kind], table.legal[i]
        state, spaces = state_of(table.states[i]), spaces_of(table.states[i])
        empty, n, stage, fresh = 0, 0, BEGUN, False
        if op > AFTER:
            stage = op - AFTER
            n = flow.run(rules, state, spaces, legal, 0)
        else:
            for player in range(rules[N_POWERS]):
                books.rewards[i, player] = 0.0
            books.terminations[i] = False
            books.truncations[i] = False
            if op == LOSE:
                stage = LOSE
            else:
                if op == ACT:
                    stage = ACTED
                    flow.decide(rules, state, spaces, int(orders.actions[i]))
                elif op == RESET:
                    flow.begin(rules, state, spaces, legal)
                n = flow.run(rules, state, spaces, legal, 0)
        while True:
            if state.phase in (ASSIGNMENT, SETUP) and stage != LOSE:
                table.pending[i] = stage
                break
            if stage == BEGUN:
                begin_game(books, i)
            else:
                books.lengths[i] += 1
            ended = state.phase == OVER or (stage != BEGUN and books.lengths[i] >= books.limits[i])
            if ended and stage not in (ACTED, LOSE):
                # The game was over before anybody, or the learner, had a choice: it is none.
                empty += 1
                if empty > MAX_EMPTY:
                    table.pending[i] = NO_CHOICE
                    break
                flow.begin(rules, state, spaces, legal)
                n = flow.run(rules, state, spaces, legal, 0)
                stage, fresh = BEGUN, True
                continue
            if not ended and stage != LOSE:
                if books.auto[i] and player_of(rules, state, state.queue[0]) != books.viewers[i]:
                    flow.decide(rules, state, spaces, legal[below(table.words[i], n)])
                    n = flow.run(rules, state, spaces, legal, 0)
                    if stage == BEGUN:
                        stage = FRESH
                    continue
                break
            close(rules, state, books, i, stage == LOSE)
            n = 0
            if not orders.same_step:
                break
            seer = power_of(rules, state, max(0, int(books.viewers[i])))
            list_observation(rules, state, spaces, seer, scratch)
            if looks.raw:
                looks.integers_final[i][:] = 0
                show_raw(scratch, 1, looks.integers_final[i])
            else:
                looks.scaled_final[i][:] = 0
                show_scaled(scratch, 1, table.scales[kind], looks.scaled_final[i])
            flow.begin(rules, state, spaces, legal)
            n = flow.run(rules, state, spaces, legal, 0)
            stage, fresh = BEGUN, True
        if table.pending[i]:
            continue
        table.counts[i] = n
        mask = books.masks[i]
        mask[:] = 0
        if books.over[i]:
            seer = power_of(rules, state, max(0, int(books.viewers[i])))
            books.to_play[i] = TERMINAL
        else:
            seer = state.queue[0]
            books.to_play[i] = player_of(rules, state, seer)
            for k in range(n):
                mask[legal[k]] = 1
        # Most of an observation is zero: what the row told last is taken back, and what it tells now put there. In a
        # sealed turn only the entries change.
        told, kept, turn = table.told[i], table.kept[i], turn_of(state)
        same = op == ACT and not fresh and kept[SEER] == seer and kept[TURN] == turn
        first = kept[OF_BOARD] + 1 if same else 1
        if kept[TURN] < 0:
            if looks.raw:
                looks.integers[i][:] = 0
            else:
                looks.scaled[i][:] = 0
        elif looks.raw:
            take_back(told, first, looks.integers[i])
        else:
            take_back(told, first, looks.scaled[i])
        told[0] = first - 1
        if not same:
            list_board(rules, state, spaces, seer, told)
            kept[SEER], kept[TURN], kept[OF_BOARD] = seer, turn, told[0]
        list_entries(rules, state, spaces, seer, told)
        if looks.raw:
            show_raw(told, first, looks.integers[i])
        else:
            show_scaled(told, first, table.scales[kind], looks.scaled[i])


@rule
def find_illegal(table: Any, ops: Any, actions: Any, lanes: int) -> int:
    """The first lane of those that ACT whose action is not legal, or -1."""
    for i in range(lanes):
        if ops[i] == ACT:
            found = False
            for k in range(table.counts[i]):
                found = found or table.legal[i][k] == actions[i]
            if not found:
                return i
    return -1


@rule
def sample_lanes(table: Any, over: Any, actions: Any, start: int, stop: int) -> None:
    """A random legal action of each lane from `start` to `stop`; 0 where the game is over."""
    for i in range(start, stop):
        actions[i] = 0
        if not over[i]:
            actions[i] = table.legal[i][below(table.words[i], table.counts[i])]


def _copied(source: Any, room: Any) -> Any:
    room[:] = source
    return room


@rule(compiled=_copied)
def copied(source: Any, room: Any) -> Any:
    """A copy of a state; in the compiled mode it takes the place of `room`."""
    return source.copy()


@rule
def playouts(
    rules: Any, source: Any, room: Any, legal: Any, words: Any, firsts: Any, limit: int, returns: Any, lengths: Any,
    finished: Any,
) -> None:  # fmt: skip
    """Random games on from the state `source`: number k with words[k], its players' generator.

    room: a state to play on, and legal: room for actions, overwritten each time. firsts[k]: the first decision, or -1.
    A game that comes to a chance node is left with length -1: it is Python's.
    """
    for k in range(len(lengths)):
        buffer = copied(source, room)
        state, spaces = state_of(buffer), spaces_of(buffer)
        n, played = flow.run(rules, state, spaces, legal, 0), 0
        while played < limit and n > 0:
            action = int(firsts[k]) if played == 0 and firsts[k] >= 0 else legal[below(words[k], n)]
            flow.decide(rules, state, spaces, action)
            n = flow.run(rules, state, spaces, legal, 0)
            played += 1
        lengths[k] = -1 if state.phase in (ASSIGNMENT, SETUP) else played
        finished[k] = state.phase == OVER
        for player in range(rules[N_POWERS]):
            returns[k, player] = 0.0
        if state.phase == OVER:
            write_returns(rules, state, returns[k])


LANES = EntryPoints("heiau", "batch", (run_lanes, find_illegal, sample_lanes), seconds=15)
PLAYOUTS = EntryPoints("heiau", "playouts", [playouts], seconds=10)


class CompiledBatch:
    """BatchBackend of Heiau Diplomacy: what `hawaii_env.core.batch.BatchBackend` asks for.

    Args:
        games: one a lane; options may differ, and scenarios of as many powers.
        at_once: True: where nothing is compiled yet the game begins in the plain mode; its next ones are compiled as
            soon as there is machine code. For one lane alone.
    """

    begins_at_once = True

    def __init__(self, games: Sequence[Any], at_once: bool = False) -> None:
        self.games: list[Any] = list(games)
        n, first = len(self.games), self.games[0]
        kinds = {id(game): game for game in self.games}
        index = {key: place for place, key in enumerate(kinds)}
        spaces = max(len(game.options.board.spaces) for game in kinds.values())
        last = [reason_text(LAST_FALL, 0, year) for year in range(1, MAX_YEARS + 1)]
        self.reason_texts: list[str] = [
            "", reason_text(OTHERS_OUT, 0, 0), reason_text(NOBODY_IN, 0, 0), TRUNCATED, ILLEGAL, *last,
            *(reason_text(HEIAUS, most, 0) for most in range(spaces + 1)),
        ]  # fmt: skip
        self.serial: bool = any(game.options.random_powers or game.options.late for game in kinds.values())
        self._for_now: bool = at_once and AUTOMATIC and not LANES.now(self._examples, first)
        self._core = core.INTERPRETED_BACKEND if self._for_now else core.mode_of_jobs()
        self._generators: list[random.Random | int | None] = [None] * n
        buffers = [game.table_buffer for game in kinds.values()]
        states: Any = [self._core.load(core.empty_words(game.options.board)) for game in self.games]
        tables: Any = [game.tables_in(self._core) for game in kinds.values()]
        legal: Any = [[0] * first.num_actions for _ in range(n)]
        words: Any = [[0, 0, 0, 0] for _ in range(n)]
        if self._core.compiled:
            width = max(len(buffer) for buffer in buffers)
            tables = np.stack([np.pad(buffer, (0, width - len(buffer))) for buffer in buffers])
            states, legal, words = np.stack(states), np.array(legal, np.int64), np.array(words, np.int64)
        self._table = Table(
            tables,
            np.array([index[id(game)] for game in self.games], np.int64),
            np.stack([game.layout.scale for game in kinds.values()]),
            states,
            legal,
            np.zeros(n, np.int64),
            words,
            np.zeros(n, np.int8),
            np.zeros((n, first.observation_size + 1), np.int32),
            np.full((n, 3), -1, np.int64),
        )
        self._doors: Any = None if self._core.compiled else LANES.plain
        self._written: tuple[Arrays, Statistics, ObservationBuffers] | None = None

    def _ready(self) -> Any:
        """The doors, compiled where that is the mode."""
        if self._doors is None:
            self._doors = LANES.for_a_job(self._examples)
        return self._doors

    def _examples(self) -> dict[str, tuple[Any, ...]]:
        """Arguments of the doors, as the compiled mode has them."""
        out, square, row = Arrays.make(self.games[:1]), np.zeros((1, 1), np.int64), np.zeros(1, np.int64)
        scales = np.zeros((1, 1), np.float32)
        told = np.zeros((1, 1), np.int32)
        table = Table(square, row, scales, square, square, row, square, np.zeros(1, np.int8), told, square)
        orders = Commands(np.zeros(1, np.int8), row, 0)
        return {
            "run_lanes": (
                table,
                orders,
                Statistics.of(out),
                ObservationBuffers.of(out, self.games[0].layout.scale),
                0,
                1,
            ),
            "find_illegal": (table, orders.ops, row, 1),
            "sample_lanes": (table, out.over, row, 0, 1),
        }

    def _records_of(self, out: Arrays) -> tuple[Statistics, ObservationBuffers]:
        """The arrays as the rules want them; a batch has the same ones in every step."""
        written = self._written
        if written is None or written[0] is not out:
            written = self._written = out, Statistics.of(out), ObservationBuffers.of(out, self.games[0].layout.scale)
            self._table.kept[:] = -1  # what these rows tell is not known
        return written[1:]

    def __getstate__(self) -> dict[str, Any]:
        table = self._table
        return {
            "games": self.games,
            "for_now": self._for_now,
            "generators": self._generators,
            "states": [core.pack(self._core.words(table.states[lane])) for lane in range(len(self.games))],
            "words": [list(map(int, row)) for row in table.words],
        }

    def __setstate__(self, values: dict[str, Any]) -> None:
        self.__init__(values["games"], at_once=values["for_now"])
        self._generators = values["generators"]
        for lane, game in enumerate(self.games):
            words = core.unpack(values["states"][lane], game.options.board)
            if words != core.empty_words(game.options.board):  # it has begun
                tables = game.tables_in(self._core)
                check_words(game.options, self._core, tables, words, f"lane {lane}")
                self._store(lane, self._core.load(words))
                state = self._table.states[lane]
                power = self._core.get(state, "queue")
                self._table.counts[lane] = self._core.list_legal(tables, state, power, self._table.legal[lane])
            mine, generator = values["words"][lane], self._generators[lane]
            if len(mine) != 4 or not all(0 <= word < 1 << 32 for word in mine):
                raise StateError(f"lane {lane}: a generator holds four words of 32 bits, not {mine}")
            if not isinstance(cast(Any, generator), (random.Random, int, type(None))):
                raise StateError(f"lane {lane}: a generator is a random.Random or a seed, not {generator!r}")
            self._table.words[lane][:] = mine

    def _store(self, lane: int, buffer: Any) -> None:
        copy = self._core.copy_of(buffer)
        if self._core.compiled:
            self._table.states[lane, :] = copy
        else:
            self._table.states[lane] = copy

    def _generator(self, lane: int) -> random.Random:
        """The lane's generator, made from its seed when it is first wanted."""
        held = self._generators[lane]
        if not isinstance(held, random.Random):
            held = self._generators[lane] = random.Random(held)
        return held

    def seed(self, lanes: Sequence[int], seeds: Sequence[int]) -> None:
        """See `hawaii_env.core.batch.BatchBackend.seed`."""
        if not lanes:
            return
        words = spread_words(small_seeds(seeds), 4, POLICY_TAG)
        for k, lane in enumerate(lanes):
            self._generators[lane] = seeds[k]
            self._table.words[lane][:] = words[k].tolist()

    def get(self, lane: int) -> State:
        """See `hawaii_env.core.batch.BatchBackend.get`."""
        return self._view(lane).clone()

    def _view(self, lane: int) -> Any:
        """A state that is the lane's position itself."""
        return self.games[lane].state_of(self._table.states[lane], self._generator(lane))

    def put(self, lane: int, state: Any) -> None:
        """See `hawaii_env.core.batch.BatchBackend.put`."""
        copy = state.clone()
        self._store(lane, copy._buffer)
        self._generators[lane] = copy.generator

    def illegal(self, ops: NDArray[np.int8], actions: NDArray[np.int64]) -> int:
        """See `hawaii_env.core.batch.BatchBackend.illegal`."""
        return int(self._ready().find_illegal(self._table, ops, actions, len(self.games)))

    def legal(self, out: Arrays) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """See `hawaii_env.core.batch.BatchBackend.legal`."""
        counts = np.where(out.over, 0, self._table.counts)
        return counts, np.concatenate([row[:n] for row, n in zip(self._table.legal, counts, strict=True)])

    def sample(self, out: Arrays, actions: NDArray[np.int64], start: int, stop: int) -> None:
        """See `hawaii_env.core.batch.BatchBackend.sample`."""
        self._ready().sample_lanes(self._table, out.over, actions, start, stop)

    def run(
        self, out: Arrays, ops: NDArray[np.int8], actions: NDArray[np.int64], same_step: bool, start: int, stop: int
    ) -> None:
        """See `hawaii_env.core.batch.BatchBackend.run`.

        Raises:
            StateError: games end before anybody decides.
        """
        if self._for_now and ops[0] == RESET and LANES.is_ready():
            self._go_compiled()
        self._run(out, ops, actions, same_step, start, stop)
        pending = self._table.pending
        waiting = np.flatnonzero(pending[start:stop]) + start
        while waiting.size:
            again = np.zeros(len(self.games), np.int8)
            for lane in waiting.tolist():
                if pending[lane] == NO_CHOICE:
                    raise no_choice(lane)
                again[lane] = AFTER + pending[lane]
                self._view(lane).go_on()
            self._run(out, again, actions, same_step, start, stop)
            waiting = waiting[pending[waiting] != 0]

    def _go_compiled(self) -> None:
        """Where one lane began in the plain mode, its next game is compiled, and goes on with the same generators."""
        generators, buffer, words = self._generators, self._table.states[0], list(self._table.words[0])
        CompiledBatch.__init__(self, self.games)
        self._generators = generators
        self._store(0, buffer)
        self._table.words[0][:] = words

    def _run(
        self, out: Arrays, ops: NDArray[np.int8], actions: NDArray[np.int64], same_step: bool, start: int, stop: int
    ) -> None:
        books, looks = self._records_of(out)
        self._ready().run_lanes(self._table, Commands(ops, actions, int(same_step)), books, looks, start, stop)

    def playouts(
        self, state: Any, seeds: NDArray[np.uint64], firsts: NDArray[np.int64], limit: int,
        returns: NDArray[np.float32], lengths: NDArray[np.int64], finished: NDArray[np.bool_],
    ) -> None:  # fmt: skip
        """See `hawaii_env.core.batch.BatchBackend.playouts`."""
        words, mode = spread_words(seeds, 4, POLICY_TAG), self._core
        source = mode.copy_of(state._buffer)
        arguments = (
            state.game.tables_in(mode), source, mode.copy_of(source), mode.room(state.game.num_actions), words.copy(),
            firsts, limit, returns, lengths, finished,
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
