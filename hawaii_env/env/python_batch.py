"""BatchBackend of any game, in Python, and which lanes a list of games gets: their own where they have such."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hawaii_env._arguments import check_list
from hawaii_env.core.batch import (
    ACT,
    ILLEGAL,
    LOSE,
    MAX_EMPTY,
    RESET,
    TRUNCATED,
    Arrays,
    BatchBackend,
    no_choice,
)
from hawaii_env.core.rng import below, policy_words
from hawaii_env.errors import OptionError
from hawaii_env.game import SIMULTANEOUS, TERMINAL, Game, State
from hawaii_env.games import find, load_game

__all__ = ["GamesLike", "PythonBatch", "games_of", "make_lanes"]

MAX_LANES = 2**20
"""The most lanes that a batch may have: a thousand times what is quickest, and a mistake of the caller beyond."""

GamesLike: TypeAlias = "str | Game | Sequence[Game]"


class PythonBatch:
    """BatchBackend of any game, in Python: slow, and the measure of every compiled kind.

    Players of a simultaneous turn are asked one after the other, as in `hawaii_env.env.aec.GameEnv`.

    Args:
        games: one a lane.
    """

    def __init__(self, games: Sequence[Game]) -> None:
        self.games: list[Game] = list(games)
        self.reason_texts: list[str] = [""]
        self.serial = True
        self._reasons = {"": 0}
        n = len(self.games)
        self._states: list[State | None] = [None] * n
        self._seeds: list[int | None] = [None] * n
        self._words: list[list[int]] = [[0, 0, 0, 0] for _ in range(n)]
        self._joint: list[list[int]] = [[] for _ in range(n)]  # players of a simultaneous turn still to be asked
        self._chosen: list[dict[int, int]] = [{} for _ in range(n)]
        self._asked: list[int] = [TERMINAL] * n  # who is asked in each lane, as `to_play` says
        self._lit: list[list[int]] = [[] for _ in range(n)]  # what is legal in each lane, as its mask says

    def seed(self, lanes: Sequence[int], seeds: Sequence[int]) -> None:
        """See `BatchBackend.seed`."""
        for lane, seed in zip(lanes, seeds, strict=True):
            self._seeds[lane] = seed
            self._words[lane] = policy_words(seed)

    def get(self, lane: int) -> State:
        """See `BatchBackend.get`."""
        return self._state(lane).clone()

    def put(self, lane: int, state: State) -> None:
        """See `BatchBackend.put`."""
        self._states[lane] = state.clone()
        self._seeds[lane] = None

    def _state(self, lane: int) -> State:
        state = self._states[lane]
        assert state is not None
        return state

    def _ask(self, lane: int) -> int:
        """Settle and return who is asked now, or TERMINAL."""
        player = self._joint[lane][0] if self._joint[lane] else self._state(lane).current_player
        if player == SIMULTANEOUS:
            self._joint[lane] = list(self._state(lane).acting_players)
            self._chosen[lane] = {}
            player = self._joint[lane][0]
        self._asked[lane] = player
        return player

    def illegal(self, ops: NDArray[np.int8], actions: NDArray[np.int64]) -> int:
        """See `BatchBackend.illegal`."""
        for lane, (op, action) in enumerate(zip(ops.tolist(), actions.tolist(), strict=True)):
            if op == ACT and action not in self._lit[lane]:
                return lane
        return -1

    def legal(self, out: Arrays) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """See `BatchBackend.legal`."""
        listed = [list(legal) for legal in self._lit]
        counts = np.array([len(legal) for legal in listed], np.int64)
        return counts, np.array([action for legal in listed for action in legal], np.int64)

    def sample(self, out: Arrays, actions: NDArray[np.int64], start: int, stop: int) -> None:
        """See `BatchBackend.sample`."""
        for lane in range(start, stop):
            legal = self._lit[lane]
            actions[lane] = legal[below(self._words[lane], len(legal))] if legal else 0

    def _random(self, lane: int) -> int:
        legal = self._state(lane).legal_actions(self._asked[lane])
        return legal[below(self._words[lane], len(legal))]

    def run(
        self, out: Arrays, ops: NDArray[np.int8], actions: NDArray[np.int64], same_step: bool, start: int, stop: int
    ) -> None:
        """See `BatchBackend.run`."""
        told, chosen = ops[start:stop].tolist(), actions[start:stop].tolist()
        moved = np.flatnonzero(ops[start:stop]) + start  # SKIP is 0
        out.rewards[moved] = 0.0
        out.terminations[moved] = out.truncations[moved] = False
        raw = out.observations.dtype != np.float32
        lanes, lit = moved.tolist(), self._lit
        before, asking = [lit[lane] for lane in lanes], []
        try:
            for lane in lanes:
                op = told[lane - start]
                if op == ACT:
                    self._act(lane, out, chosen[lane - start])
                    self._play_on(lane, out, same_step, learner_acted=True)
                elif op == LOSE:
                    out.lengths[lane] += 1
                    out.rewards[lane, self._asked[lane]] = -1.0
                    self._end(lane, out, ILLEGAL, None, same_step)
                else:
                    if op == RESET:
                        self._begin(lane)
                    self._fresh(lane, out)
                    self._play_on(lane, out, same_step, learner_acted=False)
                over, asked = out.over[lane], self._asked[lane]
                state = self._state(lane)
                viewer = max(int(out.viewers[lane]), 0) if over else asked
                state.observation(viewer, out.observations[lane], raw=raw)
                lit[lane] = [] if over else state.legal_actions(asked)
                asking.append(TERMINAL if over else asked)
        finally:  # where a game fails, the lanes before it have moved
            seen = lanes[: len(asking)]
            out.to_play[seen] = asking
            # Only what was lit is put out: of 20,000 actions a few are legal.
            _light(out.masks, seen, before[: len(seen)], 0)
            _light(out.masks, seen, [lit[lane] for lane in seen], 1)

    def _begin(self, lane: int) -> None:
        seed, self._seeds[lane] = self._seeds[lane], None
        before = self._states[lane]
        for _ in range(MAX_EMPTY):
            if seed is not None or before is None:
                before, seed = self.games[lane].initial_state(seed=seed), None
            else:
                before = before.next_episode()
            if not before.is_terminal:
                self._states[lane] = before
                return
        raise no_choice(lane)

    def _fresh(self, lane: int, out: Arrays) -> None:
        """A game begins."""
        self._joint[lane] = []
        self._chosen[lane] = {}
        out.over[lane] = False
        out.lengths[lane] = 0
        out.returns[lane] = 0.0

    def _act(self, lane: int, out: Arrays, action: int) -> None:
        out.lengths[lane] += 1
        joint = self._joint[lane]
        if not joint:
            self._state(lane).apply(action)
            return
        self._chosen[lane][joint.pop(0)] = action
        if not joint:
            self._state(lane).apply_joint(self._chosen[lane])

    def _play_on(self, lane: int, out: Arrays, same_step: bool, learner_acted: bool) -> None:
        """Let random players act until somebody is to be asked; end the game where it ends."""
        empty = 0
        while True:
            if self._state(lane).is_terminal or out.lengths[lane] >= out.limits[lane]:
                if learner_acted:
                    self._finish(lane, out, same_step)
                    return
                # A game that ends before the learner has had a choice is none for them.
                empty += 1
                if empty > MAX_EMPTY:
                    raise no_choice(lane, f"player {out.viewers[lane]}")
                self._begin(lane)
                self._fresh(lane, out)
                continue
            asked = self._ask(lane)
            if not out.auto[lane] or asked == out.viewers[lane]:
                return
            self._act(lane, out, self._random(lane))

    def _finish(self, lane: int, out: Arrays, same_step: bool) -> None:
        state = self._state(lane)
        outcome = state.outcome()
        if outcome is None:
            out.truncations[lane] = True
            self._end(lane, out, TRUNCATED.format(out.limits[lane]), None, same_step)
        else:
            out.rewards[lane, : state.game.num_players] = state.returns()
            self._end(lane, out, outcome.reason, outcome.winner, same_step)

    def _end(self, lane: int, out: Arrays, reason: str, winner: int | None, same_step: bool) -> None:
        out.terminations[lane] = not out.truncations[lane]
        out.returns[lane] += out.rewards[lane]
        out.episode_lengths[lane] = out.lengths[lane]
        out.episode_returns[lane] = out.returns[lane]
        out.episode_winners[lane] = -1 if winner is None else winner
        if reason not in self._reasons:
            self._reasons[reason] = len(self.reason_texts)
            self.reason_texts.append(reason)
        out.episode_reasons[lane] = self._reasons[reason]
        out.over[lane] = True
        self._joint[lane] = []
        if same_step:
            row = out.final_observations[lane]
            self._state(lane).observation(max(int(out.viewers[lane]), 0), row, raw=row.dtype != np.float32)
            self._begin(lane)
            self._fresh(lane, out)
            self._play_on(lane, out, same_step, learner_acted=False)

    def playouts(
        self, state: State, seeds: NDArray[np.uint64], firsts: NDArray[np.int64], limit: int,
        returns: NDArray[np.float32], lengths: NDArray[np.int64], finished: NDArray[np.bool_],
    ) -> None:  # fmt: skip
        """See `BatchBackend.playouts`."""
        for k, seed in enumerate(seeds.tolist()):
            copy, words, n = state.clone(seed=seed), policy_words(seed), 0
            while not copy.is_terminal and n < limit:
                if copy.current_player == SIMULTANEOUS:
                    legal = {player: copy.legal_actions(player) for player in copy.acting_players}
                    copy.apply_joint({player: some[below(words, len(some))] for player, some in legal.items()})
                    n += len(legal)
                else:
                    some = copy.legal_actions()
                    copy.apply(int(firsts[k]) if n == 0 and firsts[k] >= 0 else some[below(words, len(some))])
                    n += 1
            returns[k] = copy.returns()
            lengths[k] = n
            finished[k] = copy.is_terminal


def _light(masks: NDArray[np.int8], lanes: list[int], actions: list[list[int]], value: int) -> None:
    """Write a value for these actions, a list a lane, into the lanes' masks."""
    counts = [len(some) for some in actions]
    rows = np.repeat(np.array(lanes, np.int64), counts)
    masks[rows, np.fromiter(chain.from_iterable(actions), np.int64, len(rows))] = value


# Games of lanes


def games_of(games: GamesLike, num_envs: int, **options: Any) -> list[Game]:
    """Return the game of each environment of a batch.

    Args:
        games: the name of a game; a `Game`; or a sequence of `Game`, which the environments take in turn.
        num_envs: number of environments, 1 or more.
        options: the game's options, with its name. A list or tuple is one value after the other, which the environments
            take in turn.

    Raises:
        OptionError: an unknown game, a value that the game refuses, or games that do not fit into one batch.
        ArgumentError: an option that the game does not have, or options without a name.
    """
    if isinstance(num_envs, (bool, np.bool_)) or not isinstance(num_envs, (int, np.integer)) or num_envs < 1:
        raise OptionError(f"num_envs: an integer of 1 or more, not {num_envs!r}")
    if num_envs > MAX_LANES:
        raise OptionError(f"num_envs: at most {MAX_LANES:,}, which take gigabytes already; not {num_envs:,}")
    if isinstance(games, str):
        listed = _variants(games, int(num_envs), options)
    else:
        listed = [load_game(game, **options) for game in ([games] if isinstance(games, Game) else _several(games))]
    made = [listed[i % len(listed)] for i in range(int(num_envs))]
    for i, game in enumerate(made):
        if game is not made[0]:
            _check_alike(made[0], game, i)
    return made


def _several(games: object) -> list[Any]:
    listed = check_list("games", games)
    if not listed:
        raise OptionError("games: at least one game is wanted, not an empty sequence")
    if named := [game for game in listed if not isinstance(game, Game)]:
        raise OptionError(f"games: a Game is wanted, not {named[0]!r}")
    return listed


def _variants(name: str, num_envs: int, options: Mapping[str, Any]) -> list[Game]:
    """Return the games of a name: one for all environments, or one for each of them if options take turns."""
    spec = find(name)
    turns = {key: list(value) for key, value in options.items() if isinstance(value, (list, tuple))}
    if empty := [key for key, values in turns.items() if not values]:
        raise OptionError(f"{empty[0]}: at least one value is wanted, not an empty sequence")
    if not turns:
        return [spec.make(**options)]
    made: dict[tuple[int, ...], Game] = {}
    listed: list[Game] = []
    for i in range(num_envs):
        turn = tuple(i % len(values) for values in turns.values())
        if turn not in made:
            chosen = {key: values[i % len(values)] for key, values in turns.items()}
            made[turn] = spec.make(**{**options, **chosen})
        listed.append(made[turn])
    return listed


def _check_alike(first: Game, game: Game, env_index: int) -> None:
    for name in ("name", "num_actions", "observation_size", "action_table_hash"):
        here, there = getattr(first, name), getattr(game, name)
        if here != there:
            raise OptionError(
                f"the games of a batch share their spaces: {name} is {here!r} in environment 0 and {there!r} in "
                f"environment {env_index}"
            )


def make_lanes(games: Sequence[Game], at_once: bool = False) -> BatchBackend:
    """Return the lanes of these games: compiled where the games have such, else in Python.

    at_once: True: they need not be compiled when they begin, where the game's lanes can do that (`begins_at_once`).
    """
    backends = {backend() if (backend := getattr(game, "batch_backend", None)) else None for game in set(games)}
    backend = backends.pop() if len(backends) == 1 else None
    if backend is None:
        return PythonBatch(games)
    return backend(games, at_once=True) if at_once and getattr(backend, "begins_at_once", False) else backend(games)
