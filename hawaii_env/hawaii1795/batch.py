"""Many games of Hawaii, 1795 at once, in compiled code: the lanes behind `hawaii_env.env.vector.BatchEnv`.

One compiled function does whatever a lane is told: act, begin, look, lose. A lane that comes to an effect registered by a user stops
there; Python runs the effect, and the same function goes on with that lane. In the plain mode the function runs as ordinary
Python.
"""

from __future__ import annotations

# pyright: reportPrivateUsage=false
# The lanes make states without their public constructor, which refuses.
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from hawaii_env._jit import Doors, rule
from hawaii_env.errors import HawaiiError, StateError
from hawaii_env.game import TERMINAL

from . import core, play
from .doors import copied, tables_of
from .observation import SCALE, SIZE, write_observation
from .positions.check import check_buffer
from .rules import flow
from .rules.actions import is_legal
from .rules.names import CUSTOM, FX_CUSTOM, LAST_MONTH, OVER, R_NOVEMBER, REASONS, TIE, reason_text
from .rules.rng import below
from .rules.state import STATE, STATE_WORDS
from .rules.tables import TABLES

# What a lane is told to do; the first five are those of `hawaii_env.env.vector`.
SKIP, ACT, RESET, LOOK, LOSE = 0, 1, 2, 3, 4
# Where a lane stands in its step; also where it goes on after Python has run a custom effect, as op AFTER + stage.
ACTED, BEGUN, FRESH = 1, 2, 3  # FRESH: random players have acted, the learner has not yet had a choice
AFTER = 8

MAX_EMPTY = 100  # games in a row that end before anybody decides
NO_CHOICE = -1  # `pending` of a lane in which they did
NO_ONE = TERMINAL  # `to_play` where the game is over
# Beside the game's reasons: two of the environment's, then those of a campaign that ends in an earlier month than November, by month.
R_TRUNCATED, R_ILLEGAL, R_EARLIER = len(REASONS), len(REASONS) + 1, len(REASONS) + 2
N_ENDS = len(REASONS) - R_NOVEMBER
TRUNCATED = "truncated after {} decisions, a limit of the environment and no rule"
ILLEGAL = "illegal action"

POLICY_TAG = 0x9E3779B9
MASK32 = 0xFFFFFFFF


@rule
def take_random(rules: Any, state: Any, words: Any) -> None:
    """A random legal action, and on to the next decision."""
    action = state.legal[below(words, state.n_legal)]
    state.decisions += 1
    flow.take(rules, state, action)
    flow.run(rules, state)


@rule
def run_lanes(
    tables: Any, table_of: Any, states: Any, words: Any, pending: Any, scale: Any, raw: int,
    ops: Any, actions: Any, same_step: int,
    observations: Any, small: Any, masks: Any, to_play: Any, rewards: Any, terminations: Any, truncations: Any, over: Any,
    lengths: Any, returns: Any, episode_lengths: Any, episode_returns: Any, episode_winners: Any, episode_reasons: Any,
    final: Any, small_final: Any, viewers: Any, auto: Any, limits: Any,
    start: int, stop: int,
) -> None:  # fmt: skip
    """Do in the lanes from `start` to `stop` what `ops` says, and write what is to be seen.

    The arrays are those of `hawaii_env.env.vector.Arrays`. tables: by ruleset; table_of: int64[N]; states: one a lane; words: the
    random players' generators, four numbers a lane; pending: int8[N], out: 0, the stage in which a lane waits for Python, or NO_CHOICE.
    raw: 1 writes int8 to `small` and `small_final`, 0 float32 to `observations` and `final`.
    """
    scratch = np.empty(SIZE, np.int8)
    for i in range(start, stop):
        op = int(ops[i])
        if op == SKIP:
            continue
        pending[i] = 0
        rules = tables[table_of[i]]
        state = states[i]
        empty = 0
        if op > AFTER:
            stage = op - AFTER
        else:
            rewards[i, 0] = 0.0
            rewards[i, 1] = 0.0
            terminations[i] = False
            truncations[i] = False
            stage = BEGUN
            if op == ACT:
                stage = ACTED
                state.decisions += 1
                flow.take(rules, state, int(actions[i]))
                flow.run(rules, state)
            elif op == RESET:
                flow.begin(rules, state)
            elif op == LOSE:
                stage = LOSE
        while True:
            phase = state.phase
            if phase == CUSTOM:
                pending[i] = stage
                break
            if stage == BEGUN:
                over[i] = False
                lengths[i] = 0
                returns[i, 0] = 0.0
                returns[i, 1] = 0.0
            else:
                lengths[i] += 1
            ended = phase == OVER or (stage != BEGUN and lengths[i] >= limits[i])
            if ended and stage != ACTED and stage != LOSE:
                # The game was over before anybody, or the learner, had a choice: it is none.
                empty += 1
                if empty > MAX_EMPTY:
                    pending[i] = NO_CHOICE
                    break
                flow.begin(rules, state)
                stage = BEGUN
                continue
            if not ended and stage != LOSE:
                if auto[i] and state.decider != viewers[i]:
                    take_random(rules, state, words[i])
                    if stage == BEGUN:
                        stage = FRESH
                    continue
                break
            # The game is over.
            winner = -1
            if stage == LOSE:
                rewards[i, state.decider] = -1.0
                terminations[i] = True
                episode_reasons[i] = R_ILLEGAL
            elif phase == OVER:
                if state.winner != TIE:
                    winner = state.winner
                    rewards[i, winner] = 1.0
                    rewards[i, 1 - winner] = -1.0
                terminations[i] = True
                episode_reasons[i] = state.reason
                if state.reason >= R_NOVEMBER and state.month < LAST_MONTH:
                    episode_reasons[i] = R_EARLIER + (state.month - 1) * N_ENDS + state.reason - R_NOVEMBER
            else:
                truncations[i] = True
                episode_reasons[i] = R_TRUNCATED
            over[i] = True
            episode_lengths[i] = lengths[i]
            episode_winners[i] = winner
            for player in range(2):
                returns[i, player] += rewards[i, player]
                episode_returns[i, player] = returns[i, player]
            if not same_step:
                break
            viewer = max(0, int(viewers[i]))
            if raw:
                write_observation(rules, state, viewer, small_final[i])
            else:
                write_observation(rules, state, viewer, scratch)
                np.multiply(scratch, scale, final[i])
            flow.begin(rules, state)
            stage = BEGUN
        if pending[i]:
            continue
        mask = masks[i]
        mask[:] = 0
        if over[i]:
            viewer = max(0, int(viewers[i]))
            to_play[i] = NO_ONE
        else:
            viewer = state.decider
            to_play[i] = viewer
            for k in range(state.n_legal):
                mask[state.legal[k]] = 1
        if raw:
            write_observation(rules, state, viewer, small[i])
        else:
            write_observation(rules, state, viewer, scratch)
            np.multiply(scratch, scale, observations[i])


@rule
def find_illegal(states: Any, ops: Any, actions: Any, lanes: int) -> int:
    """The first lane of those that ACT whose action is not legal, or -1."""
    for i in range(lanes):
        if ops[i] == ACT:
            if not is_legal(states[i], actions[i]):
                return i
    return -1


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
    """Random games on from the state `source`: number k with the generators games[k] (decks, dice) and words[k] (its players).

    room: a state to play on, overwritten each time. firsts[k]: the first decision, or -1. A game that comes to a custom effect is
    left with length -1: it is Python's.
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


LANES = Doors("hawaii1795", "batch", (run_lanes, find_illegal, sample_lanes), seconds=6, records=(STATE, TABLES))
PLAYOUTS = Doors("hawaii1795", "playouts", [playouts], seconds=5)


# Seeds


def spread_words(seeds: NDArray[np.uint64], n: int, tag: int | None = None) -> NDArray[np.int64]:
    """The words that NumPy's SeedSequence makes of many seeds at once: int64[K, n] of 32-bit words.

    Row k is ``SeedSequence(seeds[k]).generate_state(n)``; with a tag that of ``SeedSequence([low word, high word, tag])``.
    """
    shape = seeds.shape
    zero = np.zeros(shape, np.uint64)
    entropy = [seeds & np.uint64(MASK32), seeds >> np.uint64(32), zero if tag is None else zero + np.uint64(tag), zero]
    low, half = np.uint64(MASK32), np.uint64(16)
    constant = 0x43B0D7E5

    def hashed(value: NDArray[np.uint64]) -> NDArray[np.uint64]:
        nonlocal constant
        value = value ^ np.uint64(constant)
        constant = (constant * 0x931E8875) & MASK32
        value = (value * np.uint64(constant)) & low
        return value ^ (value >> half)

    pool = [hashed(value) for value in entropy]
    for source in range(4):
        for target in range(4):
            if source != target:
                other = hashed(pool[source])
                mixed = (pool[target] * np.uint64(0xCA01F9DD) - other * np.uint64(0x4973F715)) & low
                pool[target] = mixed ^ (mixed >> half)
    out = np.empty((*shape, n), np.int64)
    constant = 0x8B51F9DD
    for i in range(n):
        value = pool[i % 4] ^ np.uint64(constant)
        constant = (constant * 0x58F38DED) & MASK32
        value = (value * np.uint64(constant)) & low
        out[..., i] = (value ^ (value >> half)).astype(np.int64)
    return out


def small_seeds(seeds: Sequence[int]) -> NDArray[np.uint64]:
    """Seeds for the random players: those of 64 bits and less as they are, others hashed."""
    return np.array(
        [s if s < 1 << 64 else int(np.random.SeedSequence(s).generate_state(1, np.uint64)[0]) for s in seeds], np.uint64
    )


def game_words(seeds: Sequence[int]) -> NDArray[np.int64]:
    """The generators' words of games of these seeds, int64[K, 8]: as `rng.seed_words`."""
    if all(seed < 1 << 64 for seed in seeds):
        return spread_words(np.array(seeds, np.uint64), 8)
    return np.array([np.random.SeedSequence(seed).generate_state(8, np.uint32) for seed in seeds], np.int64)


class CompiledLanes:
    """Lanes of Hawaii, 1795: what `hawaii_env.env.vector.Lanes` asks for.

    Args:
        games: one a lane; scenarios, rulesets and options may differ.
    """

    def __init__(self, games: Sequence[play.Game]) -> None:
        self.games: list[play.Game] = list(games)
        self.reason_texts: list[str] = [*REASONS, TRUNCATED, ILLEGAL]
        ends = range(R_NOVEMBER, len(REASONS))
        self.reason_texts += [reason_text(end, month) for month in range(1, LAST_MONTH) for end in ends]
        n = len(self.games)
        kinds = {id(game): game for game in self.games}
        index = {key: place for place, key in enumerate(kinds)}
        self._table_of = np.array([index[id(game)] for game in self.games], np.int64)
        self._core = core.mode_of_jobs()
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
        self.serial: bool = any(FX_CUSTOM in cast(Any, game.record_array)[0]["effect"] for game in kinds.values())
        self._doors: Any = LANES.machine if self._core.compiled else LANES.plain
        self._compiled = not self._core.compiled  # or there is nothing to compile
        self._pending = np.zeros(n, np.int8)
        self._no_floats = np.zeros((0, SIZE), np.float32)
        self._no_bytes = np.zeros((0, SIZE), np.int8)

    def __getstate__(self) -> dict[str, Any]:
        values = dict(self.__dict__)
        for name in ("_tables", "_table_of", "_states", "_core", "_doors", "_compiled"):
            del values[name]
        values["_words"] = np.array(self._words, np.int64)
        values["_buffers"] = [core.pack(self._buffers[lane]) for lane in range(len(self.games))]
        return values

    def __setstate__(self, values: dict[str, Any]) -> None:
        self.__init__(values["games"])
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
        """See `hawaii_env.env.vector.Lanes.seed`."""
        if not lanes:
            return
        games, words = game_words(seeds), spread_words(small_seeds(seeds), 4, POLICY_TAG)
        for k, lane in enumerate(lanes):
            buffer = self._buffers[lane]
            self._core.put(buffer, "deck_words", games[k, :4].tolist())
            self._core.put(buffer, "dice_words", games[k, 4:].tolist())
            self._core.put(buffer, "sampled", 1)
            self._words[lane][:] = words[k].tolist()

    def get(self, lane: int) -> play.State:
        """See `hawaii_env.env.vector.Lanes.get`."""
        return self._view(lane).clone()

    def _view(self, lane: int) -> play.State:
        """A state that is the lane's position itself."""
        state = play.State.__new__(play.State)
        state._set(self.games[lane], self._buffers[lane])
        return state

    def put(self, lane: int, state: Any) -> None:
        """See `hawaii_env.env.vector.Lanes.put`."""
        self._store(lane, cast(play.State, state)._buffer)

    def illegal(self, ops: NDArray[np.int8], actions: NDArray[np.int64]) -> int:
        """See `hawaii_env.env.vector.Lanes.illegal`."""
        return int(self._doors.find_illegal(self._states, ops, actions, len(self.games)))

    def sample(self, out: Any, actions: NDArray[np.int64], start: int, stop: int) -> None:
        """See `hawaii_env.env.vector.Lanes.sample`."""
        self._doors.sample_lanes(self._states, self._words, out.over, actions, start, stop)

    def run(
        self, out: Any, ops: NDArray[np.int8], actions: NDArray[np.int64], same_step: bool, start: int, stop: int
    ) -> None:
        """See `hawaii_env.env.vector.Lanes.run`.

        Raises:
            StateError: a custom effect failed, or games end before anybody decides. Where there are custom effects, no lane has
                changed then.
        """
        before = self._keep(out, start, stop) if self.serial else None
        try:
            self._run(out, ops, actions, same_step, start, stop)
            self._serve_waiting(out, actions, same_step, start, stop)
        except Exception:
            if before is not None:
                self._bring_back(out, before, start, stop)
            raise

    def _keep(self, out: Any, start: int, stop: int) -> tuple[Any, ...]:
        """Everything that a step of these lanes may change: an effect that fails changes nothing."""
        lanes = range(start, stop)
        arrays = {name: getattr(out, name)[start:stop].copy() for name in out.__slots__}
        return arrays, [core.copy_buffer(self._buffers[i]) for i in lanes], [list(self._words[i]) for i in lanes]

    def _bring_back(self, out: Any, before: tuple[Any, ...], start: int, stop: int) -> None:
        arrays, buffers, words = before
        for name, values in arrays.items():
            getattr(out, name)[start:stop] = values
        for i in range(start, stop):
            self._store(i, buffers[i - start])
            self._words[i][:] = words[i - start]
        self._pending[start:stop] = 0

    def _serve_waiting(self, out: Any, actions: NDArray[np.int64], same_step: bool, start: int, stop: int) -> None:
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
            raise StateError(f"lane {lane}: {MAX_EMPTY} games in a row ended before anybody had a choice")
        state = self._view(lane)
        try:
            state._after()
        except HawaiiError as error:
            raise type(error)(f"lane {lane}: {error}") from error
        self._store(lane, state._buffer)

    def _run(
        self, out: Any, ops: NDArray[np.int8], actions: NDArray[np.int64], same_step: bool, start: int, stop: int
    ) -> None:
        raw = out.observations.dtype == np.int8
        arguments = (
            self._tables, self._table_of, self._states, self._words, self._pending, SCALE, int(raw),
            ops, actions, int(same_step),
            self._no_floats if raw else out.observations, out.observations if raw else self._no_bytes,
            out.masks, out.to_play, out.rewards, out.terminations, out.truncations, out.over,
            out.lengths, out.returns, out.episode_lengths, out.episode_returns, out.episode_winners, out.episode_reasons,
            self._no_floats if raw else out.final_observations, out.final_observations if raw else self._no_bytes,
            out.viewers, out.auto, out.limits, start, stop,
        )  # fmt: skip
        if not self._compiled:
            LANES.for_a_job(
                lambda: {
                    "run_lanes": arguments,
                    "find_illegal": (self._states, ops, actions, stop),
                    "sample_lanes": (self._states, self._words, out.over, actions, start, stop),
                }
            )
            self._compiled = True
        self._doors.run_lanes(*arguments)

    def playouts(
        self, state: Any, seeds: NDArray[np.uint64], firsts: NDArray[np.int64], limit: int, returns: NDArray[np.float32],
        lengths: NDArray[np.int64], finished: NDArray[np.bool_],
    ) -> None:  # fmt: skip
        """See `hawaii_env.env.vector.Lanes.playouts`."""
        source = cast(play.State, state)
        games, words = spread_words(seeds, 8), spread_words(seeds, 4, POLICY_TAG)
        arguments = (
            source.game.tables_in(self._core), self._core.copy_of(source._buffer), self._core.new_buffer(), games, words.copy(), firsts,
            limit, returns, lengths, finished,
        )  # fmt: skip
        PLAYOUTS.for_a_job(lambda: {"playouts": arguments}).playouts(*arguments)
        for k in np.flatnonzero(lengths < 0).tolist():
            copy, n = source.clone(seed=int(seeds[k])), 0
            choices = words[k].tolist()
            while n < limit and not copy.is_terminal:
                legal = copy.legal_actions()
                copy.apply(int(firsts[k]) if n == 0 and firsts[k] >= 0 else legal[below(choices, len(legal))])
                n += 1
            returns[k] = copy.returns()
            lengths[k] = n
            finished[k] = copy.is_terminal
