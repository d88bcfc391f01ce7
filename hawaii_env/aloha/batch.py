"""Many games of ALOHA at once, in compiled code: `hawaii_env.core.batch.BatchBackend`.

One compiled function does whatever a lane is told: act, begin, look, lose. In the plain mode it runs as ordinary
Python.
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
    POLICY_TAG,
    RESET,
    SKIP,
    TRUNCATED,
    Arrays,
    Commands,
    ObservationBuffers,
    Statistics,
    begin_game,
    end_game,
    game_words,
    no_choice,
    small_seeds,
    spread_words,
)
from hawaii_env.core.jit import AUTOMATIC, EntryPoints, rule
from hawaii_env.core.rng import below
from hawaii_env.game import TERMINAL, State

from . import core
from .observation import write_observation
from .rules import flow
from .rules.names import OVER, REASONS
from .rules.scoring import place, reason, reward, winners
from .rules.state import DECIDES, LEGAL, N_LEGAL, PHASE, SIZE, T_PLAYERS, WORDS

__all__ = ["CompiledBatch"]

R_TRUNCATED, R_ILLEGAL = len(REASONS), len(REASONS) + 1  # beside the game's reasons: two of the environment's


class Table(NamedTuple):
    """What the lanes play on: a record for the compiled rules.

    Attributes:
        tables: one a ruleset and reward.
        table_of: int64[N], which each lane plays with.
        states: one a lane.
        words: the random players' generators, four numbers a lane.
        empty: int64[N], out: how many games in a row ended before anybody had a choice.
        scales: float32[..., O], what raw observations are multiplied with, by table.
    """

    tables: Any
    table_of: NDArray[np.int64]
    states: Any
    words: Any
    empty: NDArray[np.int64]
    scales: NDArray[np.float32]


@rule
def act(t: Any, s: Any, action: int) -> None:
    """A legal action, and on to the next choice."""
    flow.take(t, s, action)
    flow.run(t, s)


@rule
def choose(s: Any, words: Any) -> int:
    """A random legal action."""
    return s[LEGAL + below(words, s[N_LEGAL])]


@rule
def close(t: Any, s: Any, books: Any, lane: int, lost: bool) -> None:
    """[W] The lane's game is over: by the rules, by the limit on decisions, or `lost` by an illegal action."""
    winner, why = -1, R_TRUNCATED
    if lost:
        books.rewards[lane, s[DECIDES]] = -1.0
        books.terminations[lane] = True
        why = R_ILLEGAL
    elif s[PHASE] == OVER:
        alone = winners(t, s) == 1
        for player in range(t[T_PLAYERS]):
            books.rewards[lane, player] = reward(t, s, player)
            if alone and place(t, s, player) == 1:
                winner = player
        books.terminations[lane] = True
        why = reason(t, s)
    else:
        books.truncations[lane] = True
    end_game(books, lane, winner, why)


def _show(t: Any, s: Any, viewer: int, scale: Any, out: Any) -> None:
    write_observation(t, s, viewer, out)
    for i in range(len(out)):
        out[i] *= scale[i]


@rule(compiled=_show)
def show(t: Any, s: Any, viewer: int, scale: Any, out: Any) -> None:
    """Write the observation, float32[O]: the raw values times `scale`."""
    raw = [0] * len(out)
    write_observation(t, s, viewer, raw)
    np.multiply(np.array(raw, np.int8), scale, out)


@rule
def run_lanes(table: Any, orders: Any, books: Any, looks: Any, start: int, stop: int) -> None:
    """Do in the lanes from `start` to `stop` what the orders say, and write what is to be seen.

    table: see `Table`; orders: `Commands`; books, looks: `hawaii_env.core.batch.Statistics` and `ObservationBuffers`.
    What happens in every step
    stands here in one piece: a record handed on to another function is copied, array by array.
    """
    for i in range(start, stop):
        op = int(orders.ops[i])
        if op == SKIP:
            continue
        t, scale = table.tables[table.table_of[i]], table.scales[table.table_of[i]]
        s = table.states[i]
        for player in range(t[T_PLAYERS]):
            books.rewards[i, player] = 0.0
        books.terminations[i] = False
        books.truncations[i] = False
        table.empty[i] = 0
        stage = BEGUN
        if op == ACT:
            stage = ACTED
            act(t, s, int(orders.actions[i]))
        elif op == RESET:
            flow.begin(t, s)
        elif op == LOSE:
            stage = LOSE
        while True:
            if stage == BEGUN:
                begin_game(books, i)
            else:
                books.lengths[i] += 1
            ended = s[PHASE] == OVER or (stage != BEGUN and books.lengths[i] >= books.limits[i])
            if ended and stage != ACTED and stage != LOSE:
                # The game was over before anybody, or the learner, had a choice: it is none.
                table.empty[i] += 1
                if table.empty[i] > MAX_EMPTY:
                    break
                flow.begin(t, s)
                stage = BEGUN
                continue
            if not ended and stage != LOSE:
                if books.auto[i] and s[DECIDES] != books.viewers[i]:
                    act(t, s, choose(s, table.words[i]))
                    if stage == BEGUN:
                        stage = FRESH
                    continue
                break
            close(t, s, books, i, stage == LOSE)
            if not orders.same_step:
                break
            viewer = max(0, int(books.viewers[i]))
            if looks.raw:
                write_observation(t, s, viewer, looks.integers_final[i])
            else:
                show(t, s, viewer, scale, looks.scaled_final[i])
            flow.begin(t, s)
            stage = BEGUN
        if table.empty[i] > MAX_EMPTY:
            continue
        mask = books.masks[i]
        mask[:] = 0
        if books.over[i]:
            viewer = max(0, int(books.viewers[i]))
            books.to_play[i] = TERMINAL
        else:
            viewer = s[DECIDES]
            books.to_play[i] = viewer
            for k in range(s[N_LEGAL]):
                mask[s[LEGAL + k]] = 1
        if looks.raw:
            write_observation(t, s, viewer, looks.integers[i])
        else:
            show(t, s, viewer, scale, looks.scaled[i])


@rule
def find_illegal(states: Any, ops: Any, actions: Any, lanes: int) -> int:
    """The first lane of those that ACT whose action is not legal, or -1."""
    for i in range(lanes):
        if ops[i] == ACT and not flow.is_legal(states[i], actions[i]):
            return i
    return -1


@rule
def sample_lanes(states: Any, words: Any, over: Any, actions: Any, start: int, stop: int) -> None:
    """A random legal action of each lane from `start` to `stop`; 0 where the game is over."""
    for i in range(start, stop):
        if over[i]:
            actions[i] = 0
        else:
            actions[i] = choose(states[i], words[i])


@rule
def playouts(
    t: Any, source: Any, s: Any, games: Any, words: Any, firsts: Any, limit: int, returns: Any, lengths: Any,
    finished: Any,
) -> None:  # fmt: skip
    """Random games on from the position `source`: number k with the generators games[k] (cards, dice) and words[k] (its
    players).

    s: a position to play on, overwritten each time. firsts[k]: the first decision, or -1.
    """
    for k in range(len(lengths)):
        for at in range(SIZE):
            s[at] = source[at]
        for at in range(8):
            s[WORDS + at] = int(games[k, at])
        flow.run(t, s)
        n = 0
        while n < limit and s[N_LEGAL] > 0:
            if n == 0 and firsts[k] >= 0:
                act(t, s, int(firsts[k]))
            else:
                act(t, s, choose(s, words[k]))
            n += 1
        lengths[k] = n
        finished[k] = s[PHASE] == OVER
        for player in range(t[T_PLAYERS]):
            returns[k, player] = reward(t, s, player) if s[PHASE] == OVER else 0.0


LANES = EntryPoints("aloha", "batch", (run_lanes, find_illegal, sample_lanes), seconds=7)
PLAYOUTS = EntryPoints("aloha", "playouts", [playouts], seconds=3)


class CompiledBatch:
    """BatchBackend of ALOHA: what `hawaii_env.core.batch.BatchBackend` asks for.

    Args:
        games: one a lane; rulesets and options may differ, all but the number of players.
        at_once: True: where nothing is compiled yet the game begins in the plain mode; its next ones are compiled as
            soon as there is machine code. For one lane alone.
    """

    begins_at_once = True

    def __init__(self, games: Sequence[Any], at_once: bool = False) -> None:
        self.games: list[Any] = list(games)  # of this game: `Game` here knows fewer methods
        self.reason_texts: list[str] = [*REASONS, TRUNCATED, ILLEGAL]
        self.serial: bool = False
        n = len(self.games)
        kinds = {id(game): game for game in self.games}
        index = {key: place for place, key in enumerate(kinds)}
        self._for_now: bool = at_once and AUTOMATIC and not LANES.now(self._examples, self.games[0])
        self._core = core.INTERPRETED_BACKEND if self._for_now else core.mode_of_jobs()
        self._states: Any
        self._words: Any
        if self._core.compiled:
            tables: Any = np.array([game.tables for game in kinds.values()], np.int64)
            self._states, self._words = np.zeros((n, SIZE), np.int64), np.zeros((n, 4), np.int64)
        else:
            tables = [game.tables for game in kinds.values()]
            self._states, self._words = [[0] * SIZE for _ in range(n)], [[0] * 4 for _ in range(n)]
        table_of = np.array([index[id(game)] for game in self.games], np.int64)
        scales = np.array([game.scale for game in kinds.values()], np.float32)
        self._table = Table(tables, table_of, self._states, self._words, np.zeros(n, np.int64), scales)
        self._doors: Any = None if self._core.compiled else LANES.plain
        self._written: tuple[Arrays, Statistics, ObservationBuffers] | None = None

    def _ready(self) -> Any:
        """The doors, compiled where that is the mode."""
        if self._doors is None:
            self._doors = LANES.for_a_job(self._examples)
        return self._doors

    def _examples(self) -> dict[str, tuple[Any, ...]]:
        """Arguments of the doors, as the compiled mode has them."""
        out = Arrays.make(self.games[:1])
        states, words = np.zeros((1, SIZE), np.int64), np.zeros((1, 4), np.int64)
        scales = np.zeros((1, self.games[0].observation_size), np.float32)
        ints = np.zeros(1, np.int64)
        tables = np.array([self.games[0].tables], np.int64)
        orders = Commands(np.zeros(1, np.int8), ints, 0)
        return {
            "run_lanes": (
                Table(tables, ints, states, words, ints, scales), orders, Statistics.of(out),
                ObservationBuffers.of(out, scales[0]), 0, 1,
            ),
            "find_illegal": (states, orders.ops, ints, 1),
            "sample_lanes": (states, words, out.over, ints, 0, 1),
        }  # fmt: skip

    def _records_of(self, out: Arrays) -> tuple[Statistics, ObservationBuffers]:
        """The arrays as the rules want them; a batch has the same ones in every step."""
        written = self._written
        if written is None or written[0] is not out:
            written = self._written = out, Statistics.of(out), ObservationBuffers.of(out, self._table.scales[0])
        return written[1:]

    def __getstate__(self) -> dict[str, Any]:
        values = [self._core.values(self._states[lane]) for lane in range(len(self.games))]
        return {
            "games": self.games,
            "for_now": self._for_now,
            "words": [list(map(int, words)) for words in self._words],
            "states": [
                game.state_of(vector) if vector[N_LEGAL] or vector[PHASE] else vector[WORDS:N_LEGAL]
                for game, vector in zip(self.games, values, strict=True)
            ],
        }

    def __setstate__(self, values: dict[str, Any]) -> None:
        self.__init__(values["games"], at_once=values["for_now"])
        for lane, state in enumerate(values["states"]):
            self._words[lane][:] = values["words"][lane]
            if isinstance(state, list):  # before the first reset there are generators alone
                self._states[lane][WORDS:N_LEGAL] = state
            else:
                self.put(lane, state)

    def seed(self, lanes: Sequence[int], seeds: Sequence[int]) -> None:
        """See `hawaii_env.core.batch.BatchBackend.seed`."""
        if not lanes:
            return
        games, words = game_words(seeds), spread_words(small_seeds(seeds), 4, POLICY_TAG)
        for k, lane in enumerate(lanes):
            self._states[lane][WORDS:N_LEGAL] = games[k].tolist()
            self._words[lane][:] = words[k].tolist()

    def get(self, lane: int) -> State:
        """See `hawaii_env.core.batch.BatchBackend.get`."""
        return self.games[lane].state_of(self._states[lane]).clone()

    def put(self, lane: int, state: Any) -> None:
        """See `hawaii_env.core.batch.BatchBackend.put`."""
        self._states[lane][:] = state._values()

    def illegal(self, ops: NDArray[np.int8], actions: NDArray[np.int64]) -> int:
        """See `hawaii_env.core.batch.BatchBackend.illegal`."""
        return int(self._ready().find_illegal(self._states, ops, actions, len(self.games)))

    def legal(self, out: Arrays) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """See `hawaii_env.core.batch.BatchBackend.legal`."""
        counts = np.where(out.over, 0, [state[N_LEGAL] for state in self._states])
        return counts, np.concatenate([state[LEGAL : LEGAL + n] for state, n in zip(self._states, counts, strict=True)])

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
        books, looks = self._records_of(out)
        self._ready().run_lanes(self._table, Commands(ops, actions, int(same_step)), books, looks, start, stop)
        idle = np.flatnonzero(self._table.empty[start:stop] > MAX_EMPTY)
        if idle.size:
            raise no_choice(start + int(idle[0]))

    def _go_compiled(self) -> None:
        """Where one lane began in the plain mode, its next game is compiled, and goes on with the same generators."""
        vector, words = self._states[0], self._words[0]
        CompiledBatch.__init__(self, self.games)
        self._states[0][:] = vector
        self._words[0][:] = words

    def playouts(
        self, state: Any, seeds: NDArray[np.uint64], firsts: NDArray[np.int64], limit: int,
        returns: NDArray[np.float32], lengths: NDArray[np.int64], finished: NDArray[np.bool_],
    ) -> None:  # fmt: skip
        """See `hawaii_env.core.batch.BatchBackend.playouts`."""
        games, words = spread_words(seeds, 8), spread_words(seeds, 4, POLICY_TAG)
        source = self._core.hold(state._values())
        arguments = (
            state.game.tables_in(self._core), source, source.copy(), games, words.copy(), firsts, limit, returns,
            lengths, finished,
        )  # fmt: skip
        PLAYOUTS.for_a_job(lambda: {"playouts": arguments}).playouts(*arguments)
