"""Many games at once: N lanes, stepped in one call.

```python
from hawaii_env.hawaii1795 import Game
from hawaii_env.env.vector import make_batch

batch = make_batch(Game, 1024, scenario=["long", "short"])   # lanes take turns with the scenarios
observations, info = batch.reset(seed=0)                     # lane i is the game of seed 0 + i
while True:
    actions = batch.sample_actions()                         # or a policy of (observations, batch.masks)
    observations, rewards, terminations, truncations, info = batch.step(actions)
```

A lane is one game after another. Lane i plays exactly as `hawaii_env.env.aec.GameEnv` with the seed of that lane, step by step,
whatever the number of lanes and threads: the first game is that of seed + i, each later one goes on as its `reset()` without seed.

The module knows no game. A game that has compiled code for it says so by `Game.batch_backend()`; any other is stepped in Python
by `PythonLanes`, which is what the compiled lanes have to agree with.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import import_module
from inspect import signature
from itertools import pairwise
from typing import Any, Protocol, TypeAlias, cast

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from hawaii_env._arguments import check_list, check_options
from hawaii_env.errors import (
    ArgumentError,
    ClosedError,
    GameOverError,
    HawaiiError,
    IllegalActionError,
    OptionError,
    StateError,
)
from hawaii_env.game import SIMULTANEOUS, TERMINAL, Game, State, check_seed, difference

__all__ = [
    "ACT",
    "LOOK",
    "LOSE",
    "RESET",
    "SKIP",
    "Arrays",
    "BatchEnv",
    "GamesLike",
    "Lanes",
    "PythonLanes",
    "check_actions",
    "games_of",
    "make_batch",
    "make_lanes",
    "policy_words",
    "settle_generators",
]

# What a lane is told to do in one call of `Lanes.run`.
SKIP, ACT, RESET, LOOK, LOSE = 0, 1, 2, 3, 4

# How an episode ended where no rule says so: kept beside the game's own reasons.
TRUNCATED = "truncated after {} decisions, a limit of the environment and no rule"
ILLEGAL = "illegal action"

MAX_LANES = 2**20
"""The most lanes that a batch may have: a thousand times what is quickest, and a mistake of the caller beyond."""

MAX_EMPTY = 100
"""So many games in a row may end before anybody decides; then something is wrong with the ruleset."""

POLICY_TAG = 0x9E3779B9
"""Sets the generators of random players apart from those of dice and decks of the same seed."""

GamesLike: TypeAlias = "Game | Sequence[Game] | type[Game] | str"


@dataclass(slots=True)
class Arrays:
    """What lanes write. N lanes, P players, O observation values, A actions.

    Attributes:
        observations: float32[N, O], or int8[N, O] when raw: as the player to act sees the position. Where the game is over and waits
            for a reset, as `viewers` says.
        masks: int8[N, A], the legal actions of the player to act; zeros where the game is over.
        to_play: int64[N], who acts; TERMINAL (-4) where the game is over.
        rewards: float32[N, P], of the last step, for all players.
        terminations: bool[N], the last step ended the game by a rule.
        truncations: bool[N], the last step ended the game by the limit on decisions.
        over: bool[N], the game is over and waits for a reset.
        lengths: int64[N], decisions of the game that is going on.
        returns: float32[N, P], sum of its rewards.
        episode_lengths: int64[N], decisions of the last game that ended in the lane; 0 before the first.
        episode_returns: float32[N, P], its rewards.
        episode_winners: int64[N], its winner; -1 for nobody (a tie, a truncation).
        episode_reasons: int64[N], why it ended, an index into `Lanes.reason_texts`.
        final_observations: as `observations`: the last position of a game that ended in this step where the next one was begun
            at once; other rows mean nothing.
        viewers: int64[N], who sees the last position of a game: a player's index, or -1 for player 0, as in AEC.
        auto: int8[N]: 1: all players but `viewers[i]` choose at random, by the lane's own generator, without being asked.
        limits: int64[N], the number of decisions after which a game is truncated.
    """

    observations: NDArray[Any]
    masks: NDArray[np.int8]
    to_play: NDArray[np.int64]
    rewards: NDArray[np.float32]
    terminations: NDArray[np.bool_]
    truncations: NDArray[np.bool_]
    over: NDArray[np.bool_]
    lengths: NDArray[np.int64]
    returns: NDArray[np.float32]
    episode_lengths: NDArray[np.int64]
    episode_returns: NDArray[np.float32]
    episode_winners: NDArray[np.int64]
    episode_reasons: NDArray[np.int64]
    final_observations: NDArray[Any]
    viewers: NDArray[np.int64]
    auto: NDArray[np.int8]
    limits: NDArray[np.int64]

    @classmethod
    def make(cls, games: Sequence[Game], raw: bool = False, limit: int | None = None, final: bool = True) -> Arrays:
        """Return arrays for lanes of these games, all zero; `final` False leaves `final_observations` without rows."""
        n, game = len(games), games[0]
        kind: Any = game.raw_dtype if raw else np.float32
        return cls(
            observations=np.zeros((n, game.observation_size), kind),
            masks=np.zeros((n, game.num_actions), np.int8),
            to_play=np.full(n, TERMINAL, np.int64),
            rewards=np.zeros((n, game.num_players), np.float32),
            terminations=np.zeros(n, np.bool_),
            truncations=np.zeros(n, np.bool_),
            over=np.ones(n, np.bool_),
            lengths=np.zeros(n, np.int64),
            returns=np.zeros((n, game.num_players), np.float32),
            episode_lengths=np.zeros(n, np.int64),
            episode_returns=np.zeros((n, game.num_players), np.float32),
            episode_winners=np.full(n, -1, np.int64),
            episode_reasons=np.zeros(n, np.int64),
            final_observations=np.zeros((n if final else 0, game.observation_size), kind),
            viewers=np.full(n, -1, np.int64),
            auto=np.zeros(n, np.int8),
            limits=np.array([game.max_decisions if limit is None else min(limit, 2**62) for game in games], np.int64),
        )


class Lanes(Protocol):
    """N games that are stepped together. `PythonLanes` says in Python what each method has to do.

    Lanes hold positions and generators; what they tell stands in `Arrays`. Nothing is checked here: `BatchEnv` does.
    """

    games: list[Game]
    reason_texts: list[str]
    serial: bool
    """True: threads are of no use, or would break that a failing step changes nothing."""

    def seed(self, lanes: Sequence[int], seeds: Sequence[int]) -> None:
        """Give lanes the generators of these seeds; a RESET then begins the game of that seed."""
        ...

    def run(
        self, out: Arrays, ops: NDArray[np.int8], actions: NDArray[np.int64], same_step: bool, start: int, stop: int
    ) -> None:
        """Do in each lane from `start` to `stop` what `ops` says, and write what is to be seen then.

        SKIP: nothing, not even to the arrays. ACT: take `actions[i]`, which is legal. RESET: begin another game. LOOK: a position was
        put into the lane: its game begins there. LOSE: who is to act loses by an illegal action.

        same_step: a game that ends writes its last position to `out.final_observations`, and another begins at once. Safe to
        call in several threads for lanes that are not the same.
        """
        ...

    def illegal(self, ops: NDArray[np.int8], actions: NDArray[np.int64]) -> int:
        """Return the first lane of those that ACT whose action is not legal, or -1."""
        ...

    def sample(self, out: Arrays, actions: NDArray[np.int64], start: int, stop: int) -> None:
        """Write a random legal action of each lane, by its own generator; 0 where the game is over."""
        ...

    def get(self, lane: int) -> State:
        """Return a copy of the lane's position, generator included."""
        ...

    def put(self, lane: int, state: State) -> None:
        """Put a copy of a sampled state into the lane; LOOK comes next."""
        ...

    def playouts(
        self, state: State, seeds: NDArray[np.uint64], firsts: NDArray[np.int64], limit: int, returns: NDArray[np.float32],
        lengths: NDArray[np.int64], finished: NDArray[np.bool_],
    ) -> None:  # fmt: skip
        """Play K random games on from a position: number k as ``state.clone(seed=seeds[k])``, its players by `policy_words`.

        The first decision of number k is firsts[k], which is legal; -1 is a random one, too. Write the returns float32[K, P],
        the decisions int64[K], at most `limit`, and whether the game ended. The lanes' own games are left alone. Safe to call in several threads.
        """
        ...


def policy_words(seed: int) -> list[int]:
    """Return the four 32-bit words of the random player's generator (sfc32) that goes with a seed of 0 or more."""
    if seed >= 1 << 64:
        seed = int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])
    sequence = np.random.SeedSequence([seed & 0xFFFFFFFF, seed >> 32, POLICY_TAG])
    return [int(word) for word in sequence.generate_state(4, np.uint32)]


def choose(words: list[int], n: int) -> int:
    """Return an integer in 0 ... n - 1, all equally likely; `words` goes on (sfc32)."""
    limit = (1 << 32) // n * n
    while True:
        a, b, c, counter = words
        word = (a + b + counter) & 0xFFFFFFFF
        words[:] = [
            b ^ (b >> 9),
            (c + (c << 3)) & 0xFFFFFFFF,
            (((c << 21) & 0xFFFFFFFF | (c >> 11)) + word) & 0xFFFFFFFF,
            (counter + 1) & 0xFFFFFFFF,
        ]
        if word < limit:
            return word % n


class PythonLanes:
    """Lanes of any game, in Python: slow, and the measure of every compiled kind.

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
        self._lit: list[list[int]] = [[] for _ in range(n)]  # the actions that a lane's mask has as legal

    def seed(self, lanes: Sequence[int], seeds: Sequence[int]) -> None:
        """See `Lanes.seed`."""
        for lane, seed in zip(lanes, seeds, strict=True):
            self._seeds[lane] = seed
            self._words[lane] = policy_words(seed)

    def get(self, lane: int) -> State:
        """See `Lanes.get`."""
        return self._state(lane).clone()

    def put(self, lane: int, state: State) -> None:
        """See `Lanes.put`."""
        self._states[lane] = state.clone()
        self._seeds[lane] = None

    def _state(self, lane: int) -> State:
        state = self._states[lane]
        assert state is not None
        return state

    def _ask(self, lane: int) -> int:
        """Return who is asked now, or TERMINAL."""
        if self._joint[lane]:
            return self._joint[lane][0]
        player = self._state(lane).current_player
        if player == SIMULTANEOUS:
            self._joint[lane] = list(self._state(lane).acting_players)
            self._chosen[lane] = {}
            return self._joint[lane][0]
        return player

    def _legal(self, lane: int) -> list[int]:
        return self._state(lane).legal_actions(self._ask(lane))

    def illegal(self, ops: NDArray[np.int8], actions: NDArray[np.int64]) -> int:
        """See `Lanes.illegal`."""
        for lane in range(len(self.games)):
            if ops[lane] == ACT and int(actions[lane]) not in self._legal(lane):
                return lane
        return -1

    def sample(self, out: Arrays, actions: NDArray[np.int64], start: int, stop: int) -> None:
        """See `Lanes.sample`."""
        for lane in range(start, stop):
            actions[lane] = 0 if out.over[lane] else self._random(lane)

    def _random(self, lane: int) -> int:
        legal = self._legal(lane)
        return legal[choose(self._words[lane], len(legal))]

    def run(
        self, out: Arrays, ops: NDArray[np.int8], actions: NDArray[np.int64], same_step: bool, start: int, stop: int
    ) -> None:
        """See `Lanes.run`."""
        for lane in range(start, stop):
            op = ops[lane]
            if op == SKIP:
                continue
            out.rewards[lane] = 0.0
            out.terminations[lane] = out.truncations[lane] = False
            if op == ACT:
                self._act(lane, out, int(actions[lane]))
                self._play_on(lane, out, same_step, learner_acted=True)
            elif op == LOSE:
                out.lengths[lane] += 1
                out.rewards[lane, self._ask(lane)] = -1.0
                self._end(lane, out, ILLEGAL, None, same_step)
            else:
                if op == RESET:
                    self._begin(lane)
                self._fresh(lane, out)
                self._play_on(lane, out, same_step, learner_acted=False)
            self._write(lane, out)

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
        raise StateError(f"lane {lane}: {MAX_EMPTY} games in a row ended before anybody had a choice")

    def _fresh(self, lane: int, out: Arrays) -> None:
        """A game begins."""
        self._joint[lane] = []
        self._chosen[lane] = {}
        out.over[lane] = False
        out.lengths[lane] = 0
        out.returns[lane] = 0.0

    def _act(self, lane: int, out: Arrays, action: int) -> None:
        state, player = self._state(lane), self._ask(lane)
        out.lengths[lane] += 1
        joint = self._joint[lane]
        if not joint:
            state.apply(action)
            return
        self._chosen[lane][player] = action
        del joint[0]
        if not joint:
            state.apply_joint(self._chosen[lane])

    def _play_on(self, lane: int, out: Arrays, same_step: bool, learner_acted: bool) -> None:
        """Let random players act until somebody is to be asked; end the game where it ends."""
        viewer, empty = int(out.viewers[lane]), 0
        while True:
            state = self._state(lane)
            if state.is_terminal or out.lengths[lane] >= out.limits[lane]:
                if learner_acted:
                    self._finish(lane, out, same_step)
                    return
                # A game that ends before the learner has had a choice is none for them.
                empty += 1
                if empty > MAX_EMPTY:
                    raise StateError(
                        f"lane {lane}: {MAX_EMPTY} games in a row ended before player {viewer} had a choice"
                    )
                self._begin(lane)
                self._fresh(lane, out)
                continue
            if not out.auto[lane] or self._ask(lane) == viewer:
                return
            self._act(lane, out, self._random(lane))

    def _finish(self, lane: int, out: Arrays, same_step: bool) -> None:
        state = self._state(lane)
        outcome = state.outcome()
        if outcome is None:
            out.truncations[lane] = True
            self._end(lane, out, TRUNCATED.format(out.limits[lane]), None, same_step)
        else:
            out.rewards[lane] = state.returns()
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
            self._see(lane, out, out.final_observations[lane])
            self._begin(lane)
            self._fresh(lane, out)
            self._play_on(lane, out, same_step, learner_acted=False)

    def _see(self, lane: int, out: Arrays, row: NDArray[Any]) -> None:
        player = max(int(out.viewers[lane]), 0) if out.over[lane] else self._ask(lane)
        self._state(lane).observation(player, row, raw=row.dtype != np.float32)

    def _write(self, lane: int, out: Arrays) -> None:
        self._see(lane, out, out.observations[lane])
        # Only what was lit is put out: of 20,000 actions a few are legal.
        out.masks[lane, self._lit[lane]] = 0
        self._lit[lane] = []
        if out.over[lane]:
            out.to_play[lane] = TERMINAL
        else:
            player = self._ask(lane)
            out.to_play[lane] = player
            legal = self._state(lane).legal_actions(player)
            out.masks[lane, legal] = 1
            self._lit[lane] = legal

    def playouts(
        self, state: State, seeds: NDArray[np.uint64], firsts: NDArray[np.int64], limit: int, returns: NDArray[np.float32],
        lengths: NDArray[np.int64], finished: NDArray[np.bool_],
    ) -> None:  # fmt: skip
        """See `Lanes.playouts`."""
        for k, seed in enumerate(seeds.tolist()):
            copy, words, n = state.clone(seed=seed), policy_words(seed), 0
            while not copy.is_terminal and n < limit:
                if copy.current_player == SIMULTANEOUS:
                    legal = {player: copy.legal_actions(player) for player in copy.acting_players}
                    copy.apply_joint({player: some[choose(words, len(some))] for player, some in legal.items()})
                    n += len(legal)
                else:
                    some = copy.legal_actions()
                    copy.apply(int(firsts[k]) if n == 0 and firsts[k] >= 0 else some[choose(words, len(some))])
                    n += 1
            returns[k] = copy.returns()
            lengths[k] = n
            finished[k] = copy.is_terminal


# Games of lanes


def games_of(games: GamesLike, num_envs: int, **params: Any) -> list[Game]:
    """Return one game a lane.

    Args:
        games: a Game; a sequence of them, which the lanes take in turn; or a class of games, itself or as ``"module:Class"``.
        num_envs: the number of lanes, 1 or more.
        params: arguments of the class. A list or tuple is one value after the other, which the lanes take in turn.

    Raises:
        OptionError: no lane, no game, or games whose spaces or players differ.
        ArgumentError: parameters that the class does not take, or with games that are made already.
    """
    if isinstance(num_envs, (bool, np.bool_)) or not isinstance(num_envs, (int, np.integer)) or num_envs < 1:
        raise OptionError(f"num_envs: an integer of 1 or more, not {num_envs!r}")
    if num_envs > MAX_LANES:
        raise OptionError(f"num_envs: at most {MAX_LANES:,} lanes, which take gigabytes already; not {num_envs:,}")
    if isinstance(games, str):
        games = _class_of(games)
    if isinstance(games, type):
        made = _make_games(games, int(num_envs), params)
    else:
        listed: list[Any] = [games] if isinstance(games, Game) else check_list("games", games)
        if params:
            raise ArgumentError(
                f"got an unexpected keyword argument {', '.join(map(repr, params))}: parameters go with a class of games, "
                "not with games that are made already"
            )
        if not listed:
            raise OptionError("games: at least one game is wanted, not an empty sequence")
        for game in listed:
            if not isinstance(game, Game):
                raise OptionError(f"games: a Game is wanted, not {game!r}")
        made = [listed[lane % len(listed)] for lane in range(int(num_envs))]
    first = made[0]
    for lane, game in enumerate(made):
        if game is not first:
            _check_alike(first, game, lane)
    return made


def _class_of(text: str) -> type[Game]:
    module, _, name = text.partition(":")
    try:
        found = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise OptionError(f'games: a class is named as "package.module:Class", not {text!r} ({error})') from None
    if not isinstance(found, type):
        raise OptionError(f"games: {text!r} is no class of games")
    return found


def _make_games(cls: type, num_envs: int, params: Mapping[str, Any]) -> list[Game]:
    if not issubclass(cls, Game):
        raise OptionError(f"games: a subclass of Game is wanted, not {cls.__name__}")
    varied = {key: list(value) for key, value in params.items() if isinstance(value, (list, tuple))}
    for key, values in varied.items():
        if not values:
            raise OptionError(f"{key}: at least one value is wanted, not an empty sequence")
    made: dict[tuple[int, ...], Game] = {}
    lanes: list[Game] = []
    for lane in range(num_envs):
        turn = tuple(lane % len(values) for values in varied.values())
        if turn not in made:
            chosen = {
                key: varied[key][lane % len(varied[key])] if key in varied else value for key, value in params.items()
            }
            try:
                made[turn] = cls(**chosen)
            except TypeError as error:
                takes = ", ".join(signature(cls).parameters)
                raise ArgumentError(f"{error}; {cls.__name__} takes {takes}") from None
        lanes.append(made[turn])
    return lanes


def _check_alike(first: Game, game: Game, lane: int) -> None:
    for name in ("name", "num_players", "num_actions", "observation_size", "action_table_hash"):
        here, there = getattr(first, name), getattr(game, name)
        if here != there:
            raise OptionError(
                f"the games of a batch have one space: {name} is {here!r} in lane 0 and {there!r} in lane {lane}"
            )


def make_lanes(games: Sequence[Game]) -> Lanes:
    """Return the lanes of these games: compiled where the games have such, else in Python."""
    backends = {backend() if (backend := getattr(game, "batch_backend", None)) else None for game in set(games)}
    backend = backends.pop() if len(backends) == 1 else None
    return PythonLanes(games) if backend is None else backend(games)


def check_actions(actions: object, num_envs: int, num_actions: int) -> NDArray[np.int64]:
    """Return actions as int64[num_envs], without copying where they are such already.

    Raises:
        IllegalActionError: another shape, or a type that is not one of integers.
    """
    try:
        array = np.asarray(cast(Any, actions))
    except ValueError as error:
        raise IllegalActionError(f"actions: an integer array of shape ({num_envs},) is wanted ({error})") from None
    if array.dtype.kind not in "iu":
        raise IllegalActionError(
            f"actions: an integer array of shape ({num_envs},) is wanted, not one of dtype {array.dtype}"
        )
    if array.shape != (num_envs,):
        raise IllegalActionError(
            f"actions: an integer array of shape ({num_envs},) is wanted, not one of shape {array.shape}"
        )
    if array.dtype.kind == "u" and array.dtype.itemsize == 8 and array.size and array.max() >= 1 << 63:
        raise IllegalActionError(f"an action is an integer from 0 to {num_actions - 1}")
    return np.ascontiguousarray(array, np.int64)


def reset_mask_of(options: Mapping[str, Any], num_envs: int) -> NDArray[np.bool_] | None:
    """Return ``options["reset_mask"]``, bool[num_envs] with a True in it, or None where there is none.

    Raises:
        OptionError: it is something else.
    """
    mask = options.get("reset_mask")
    if mask is None:
        return None
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (num_envs,):
        raise OptionError(f'options["reset_mask"]: bool[{num_envs}] is wanted, not {_described(mask)}')
    if not mask.any():
        raise OptionError('options["reset_mask"]: at least one True is wanted')
    return mask


def _described(value: object) -> str:
    return f"{value.dtype}{list(value.shape)}" if isinstance(value, np.ndarray) else repr(value)


def seeds_of(seed: object, num_envs: int) -> list[int | None] | None:
    """Return one seed a lane, seed + i for a number; None where there is none.

    Raises:
        OptionError: no number of 0 or more, and no sequence of `num_envs` of them (or None).
    """
    if seed is None:
        return None
    if isinstance(seed, (list, tuple, np.ndarray)):
        if isinstance(seed, np.ndarray) and seed.ndim != 1:
            raise OptionError(f"seed: {num_envs} seeds are wanted, one a lane, not an array of shape {seed.shape}")
        if len(seed) != num_envs:
            raise OptionError(f"seed: {num_envs} seeds are wanted, one a lane, not {len(seed)}")
        return [None if one is None else check_seed(one) for one in seed]
    first = check_seed(seed)
    return [first + lane for lane in range(num_envs)]


class BatchEnv:
    """N games stepped in one call. Every player is the caller's: `to_play` says whose turn it is in each lane.

    All arrays are made once and overwritten by `step` and `reset`, unless `copy`: then these return fresh copies. Treat
    the batch's own arrays as read-only.

    Args:
        games: see `games_of`.
        num_envs: number of lanes, N.
        autoreset_mode: of `gymnasium.vector.AutoresetMode`, or its text. ``"SameStep"`` (the default here): a game that ends is
            followed by the next in the same step, so that every row always asks for a decision; the last position stands in
            ``info["final_obs"]``. ``"NextStep"`` (Gymnasium's default): the row shows the last position, and the next step, whose action
            is ignored, begins another game. ``"Disabled"``: the caller resets, with ``options={"reset_mask": ...}``.
        threads: number of threads that lanes are divided among.
        copy: True returns fresh arrays from `reset` and `step`.
        raw: True: observations are the unscaled int8 values.
        max_decisions: decisions after which a game is truncated; None is each game's own limit.
        params: arguments for a class of games; see `games_of`.

    Attributes:
        num_envs: N.
        games: the game of each lane.
        observations: float32[N, O], or int8[N, O] when raw, as the player to act sees the position.
        masks: int8[N, A].
        to_play: int64[N], who is to act; -4 where the game is over (never in the mode SameStep).
        rewards: float32[N, P], of the last step, for all players.
        terminations: bool[N].
        truncations: bool[N].
        lengths: int64[N], decisions of the game that is going on.
        episode_lengths: int64[N]; episode_returns: float32[N, P]; episode_winners: int64[N]: of the last game that ended in a
            lane; winner -1 is nobody.
        observation_space, action_space, single_observation_space, single_action_space: as in Gymnasium's vector environments.

    Raises:
        OptionError: N is 0 or less, an unknown mode, games whose spaces differ, or an option that is none.
    """

    def __init__(
        self,
        games: GamesLike,
        num_envs: int,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        threads: int = 1,
        copy: bool = False,
        raw: bool = False,
        max_decisions: int | None = None,
        **params: Any,
    ) -> None:
        self._closed = True  # until everything is made
        self.games: list[Game] = games_of(games, num_envs, **params)
        self.num_envs: int = len(self.games)
        self.autoreset_mode: AutoresetMode = mode_of(autoreset_mode)
        self.metadata: dict[str, AutoresetMode] = {"autoreset_mode": self.autoreset_mode}
        self.threads: int = _positive("threads", threads)
        self.copy: bool = bool(copy)
        self.raw: bool = bool(raw)
        limit = None if max_decisions is None else _positive("max_decisions", max_decisions)
        game = self.games[0]
        self.num_players: int = game.num_players
        self.num_actions: int = game.num_actions
        same_step = self.autoreset_mode is AutoresetMode.SAME_STEP
        self.lanes: Lanes = make_lanes(self.games)
        out = Arrays.make(self.games, raw=self.raw, limit=limit, final=same_step)
        self.arrays: Arrays = out
        self.observations: NDArray[Any] = out.observations
        self.masks: NDArray[np.int8] = out.masks
        self.to_play: NDArray[np.int64] = out.to_play
        self.rewards: NDArray[np.float32] = out.rewards
        self.terminations: NDArray[np.bool_] = out.terminations
        self.truncations: NDArray[np.bool_] = out.truncations
        self.lengths: NDArray[np.int64] = out.lengths
        self.episode_lengths: NDArray[np.int64] = out.episode_lengths
        self.episode_returns: NDArray[np.float32] = out.episode_returns
        self.episode_winners: NDArray[np.int64] = out.episode_winners
        self.single_observation_space: spaces.Box[Any] = observation_space_of(self.games, self.raw)
        self.single_action_space: spaces.Discrete[np.int64] = spaces.Discrete(game.num_actions)
        self.observation_space: spaces.Space[Any] = batch_space(self.single_observation_space, self.num_envs)
        self.action_space: spaces.Space[Any] = batch_space(self.single_action_space, self.num_envs)
        self._ops = np.full(self.num_envs, ACT, np.int8)
        self._sampled = np.zeros(self.num_envs, np.int64)
        self._nothing = np.zeros(self.num_envs, np.int64)
        self._seeder: np.random.Generator | None = None
        self._started = False
        self._pool: ThreadPoolExecutor | None = None
        self._pool_owner = 0
        self._closed = False

    @property
    def seeder(self) -> np.random.Generator:
        """What draws seeds where none are given: of the last seed, else of the operating system."""
        if self._seeder is None:
            # Not before it is needed: processes forked from one that made the batch play games of their own.
            self._seeder = np.random.default_rng()
        return self._seeder

    # Running lanes

    def _ready(self, started: bool = True) -> None:
        if self._closed:
            raise ClosedError("the batch is closed")
        if started and not self._started:
            from hawaii_env.env.aec import OrderError

            raise OrderError("reset() needs to be called first")

    def _spread(self, work: Callable[[int, int], None]) -> None:
        """Call `work` for slices of the lanes, in as many threads as asked for."""
        if self._pool is None or self._pool_owner != os.getpid():
            # Threads do not survive a fork: a child makes its own.
            self._pool = ThreadPoolExecutor(self.threads, thread_name_prefix="hawaii_env")
            self._pool_owner = os.getpid()
        edges = slices(self.num_envs, self.threads)
        for done in [self._pool.submit(work, start, stop) for start, stop in edges]:
            done.result()

    def run(self, ops: NDArray[np.int8], actions: NDArray[np.int64], same_step: bool = False) -> None:
        """Do what `ops` says (SKIP, ACT, RESET, LOOK, LOSE), int8[N], in lanes; see `Lanes.run`. Actions are int64[N], and not checked.

        For adapters that step some lanes and not others, as where opponents answer.
        """
        self._check_orders(ops, actions)
        out, lanes = self.arrays, self.lanes
        if self.threads == 1 or lanes.serial:
            lanes.run(out, ops, actions, same_step, 0, self.num_envs)
        else:
            self._spread(lambda start, stop: lanes.run(out, ops, actions, same_step, start, stop))

    def _check_orders(self, ops: object, actions: object) -> None:
        """Compiled code trusts in shapes and types."""
        for name, array, kind in (("ops", ops, np.int8), ("actions", actions, np.int64)):
            if not isinstance(array, np.ndarray) or array.dtype != kind or array.shape != (self.num_envs,):
                raise OptionError(f"{name}: {np.dtype(kind)}[{self.num_envs}] is wanted, not {_described(array)}")

    # Gymnasium's calls

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Begin a game in each lane.

        Args:
            seed: lane i gets seed + i, as if it were the only one; or one seed a lane. Without it the first games are seeded by
                the operating system, and later ones go on with the generators of those before.
            options: ``"reset_mask"``: bool[N], the lanes to reset; the others stay as they are. ``"state"``: a State to start from in all
                these lanes, with dice of the lane's seed; without a seed a state that has a generator goes on alike in
                all of them. Other keys mean nothing here.

        Returns:
            Observations and info: ``"action_mask"`` and ``"to_play"``.

        Raises:
            OptionError: a seed or option that is none; nothing has changed.
            ClosedError: the batch is closed.
        """
        self._ready(started=False)
        options = check_options(options, "reset_mask", "state")
        chosen = reset_mask_of(options, self.num_envs)
        if chosen is not None and not self._started:
            raise OptionError('options["reset_mask"]: the first reset() is of all lanes')
        seeds = seeds_of(seed, self.num_envs)
        start = options.get("state")
        lanes = list(range(self.num_envs)) if chosen is None else np.flatnonzero(chosen).tolist()
        if start is not None:
            for lane in lanes:
                self._check_state(lane, start)
        if seeds is not None and seeds[0] is not None:
            self._seeder = np.random.default_rng(seeds[0])
        asked: list[int | None] = [None] * self.num_envs if seeds is None else seeds
        used = asked
        if not self._started:
            first = int(self.seeder.integers(2**62))
            used = [first + lane if one is None else one for lane, one in enumerate(asked)]
        given = [lane for lane in lanes if used[lane] is not None]
        self.lanes.seed(given, [cast(int, used[lane]) for lane in given])
        ops = np.zeros(self.num_envs, np.int8)
        ops[lanes] = RESET
        if start is not None:
            for lane in lanes:
                self._put(lane, start, asked[lane])
            ops[lanes] = LOOK
        self.run(ops, self._nothing)
        self._started = True
        return self._out(self.observations), self._info()

    def step(
        self, actions: Any
    ) -> tuple[NDArray[Any], NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Take one decision in each lane, by the player to act there.

        Args:
            actions: integers of shape (N,). In the mode NextStep the action of a lane whose game is over is ignored.

        Returns:
            Observations, rewards, terminations, truncations and info. Info has ``"action_mask"`` and ``"to_play"``. Where games ended in
            this step it also has ``"episode"``, a dict of arrays over the lanes ("r" float32[N, P], "l" int64[N], "winner" int64[N], "reason"
            object[N]) with the lanes that it is about in ``"_episode"``, bool[N]; and in the mode SameStep ``"final_obs"``, object[N] with
            an observation in those lanes and None in the others, ``"final_info"`` with that ``"episode"``, and ``"_final_obs"`` and
            ``"_final_info"``, bool[N].

        Raises:
            IllegalActionError: a wrong shape or type, or an action that is not legal; the message names lane, action and phase. No lane
                has moved.
            GameOverError: mode Disabled: a lane's game is over.
            OrderError: before reset().
            ClosedError: the batch is closed.
        """
        self._ready()
        chosen = check_actions(actions, self.num_envs, self.num_actions)
        ops, same_step = self._ops, self.autoreset_mode is AutoresetMode.SAME_STEP
        if not same_step:
            over = self.arrays.over
            if over.any():
                if self.autoreset_mode is AutoresetMode.DISABLED:
                    lanes = np.flatnonzero(over).tolist()
                    raise GameOverError(
                        f"the games of lanes {lanes} are over: reset(options={{'reset_mask': ...}}) begins others"
                    )
                ops = np.where(over, RESET, ACT).astype(np.int8)
        self.check(ops, chosen)
        self.run(ops, chosen, same_step)
        return (
            self._out(self.observations),
            self._out(self.rewards),
            self._out(self.terminations),
            self._out(self.truncations),
            self._info(),
        )

    def check(self, ops: NDArray[np.int8], actions: NDArray[np.int64]) -> None:
        """Raise IllegalActionError when a lane that is to ACT has an action that is not legal; name lane, action and phase."""
        self._check_orders(ops, actions)
        lane = self.lanes.illegal(ops, actions)
        if lane >= 0:
            raise self.refusal(lane, int(actions[lane]))

    def refusal(self, lane: int, action: int) -> HawaiiError:
        """Return the error for an action that is not legal in a lane."""
        state = self.lanes.get(self._lane(lane))
        try:
            if state.current_player == SIMULTANEOUS:
                text = f"{self.games[lane].action_text(action)!r} (action {action})"
                player = self.games[lane].agents[int(self.to_play[lane])]
                return IllegalActionError(f"lane {lane}: {text} is not legal for {player} in phase {state.phase}")
            state.apply(action)
        except HawaiiError as error:
            return type(error)(f"lane {lane}: {error}")
        return IllegalActionError(f"lane {lane}: action {action} is not legal in phase {state.phase}")

    def _out(self, array: NDArray[Any]) -> NDArray[Any]:
        return array.copy() if self.copy else array

    def _info(self) -> dict[str, Any]:
        info: dict[str, Any] = {"action_mask": self._out(self.masks), "to_play": self._out(self.to_play)}
        ended = self.terminations | self.truncations
        if ended.any():
            lanes = np.flatnonzero(ended).tolist()
            info["episode"] = self._episodes(ended, lanes)
            info["_episode"] = ended
            if self.autoreset_mode is AutoresetMode.SAME_STEP:
                final = np.full(self.num_envs, None, object)
                for lane in lanes:
                    final[lane] = self.arrays.final_observations[lane].copy()
                info["final_obs"] = final
                info["_final_obs"] = ended.copy()
                info["final_info"] = {"episode": self._episodes(ended, lanes), "_episode": ended.copy()}
                info["_final_info"] = ended.copy()
        return info

    def _episodes(self, ended: NDArray[np.bool_], lanes: list[int]) -> dict[str, Any]:
        """Statistics of the games that have ended in these lanes; zeros, -1 and None in the others."""
        out = self.arrays
        reasons = np.full(self.num_envs, None, object)
        for lane in lanes:
            reasons[lane] = self.reason(lane)
        return {
            "r": np.where(ended[:, None], out.episode_returns, np.float32(0)),
            "l": np.where(ended, out.episode_lengths, 0),
            "winner": np.where(ended, out.episode_winners, -1),
            "reason": reasons,
        }

    def reason(self, lane: int) -> str:
        """Return why the last game of a lane ended, with its section of the rulebook; empty before the first."""
        text = self.lanes.reason_texts[int(self.arrays.episode_reasons[self._lane(lane)])]
        return text.format(self.arrays.limits[lane]) if text == TRUNCATED else text

    # Masks, random players, positions

    def action_masks(self) -> NDArray[np.int8]:
        """Return the masks, int8[N, A]: the batch's own array, or a copy with `copy`."""
        self._ready()
        return self._out(self.masks)

    def sample_actions(self, out: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """Return a random legal action of each lane, int64[N]; 0 where the game is over.

        Each lane has a generator of its own for it, set by its seed, apart from dice and decks; so the games that random players play do not
        depend on the number of lanes and threads.

        Args:
            out: int64[N] to write into; None is an array of the batch's own, overwritten by the next call.
        """
        self._ready()
        if out is None:
            out = np.empty(self.num_envs, np.int64) if self.copy else self._sampled
        elif not isinstance(out, np.ndarray):
            raise OptionError(f"out: int64[{self.num_envs}] is wanted, not {out!r}")
        elif out.shape != (self.num_envs,) or out.dtype != np.int64 or not out.flags.c_contiguous:
            raise OptionError(f"out: int64[{self.num_envs}] is wanted, not {out.dtype}{list(out.shape)}")
        self.lanes.sample(self.arrays, out, 0, self.num_envs)
        return out

    def _lane(self, lane: object) -> int:
        if (
            isinstance(lane, (bool, np.bool_))
            or not isinstance(lane, (int, np.integer))
            or not 0 <= lane < self.num_envs
        ):
            raise OptionError(f"lane: an integer from 0 to {self.num_envs - 1}, not {lane!r}")
        return int(lane)

    def get_state(self, lane: int) -> State:
        """Return a copy of a lane's position, with its generator: it goes on as the lane would.

        Raises:
            OptionError: there is no such lane.
        """
        self._ready()
        return self.lanes.get(self._lane(lane))

    def set_state(self, lane: int, state: State, seed: int | None = None) -> None:
        """Begin a game in one lane from a position, and write what is to be seen there. The other lanes stay as they are.

        Args:
            lane: index of the lane.
            state: a position of the lane's game; it is copied. One without a generator gets one.
            seed: seed of its generators from here on; None keeps those of the state.

        Raises:
            OptionError: no such lane, no state, a position of another game, or one of a game that is over.
        """
        self._ready()
        lane = self._lane(lane)
        self._check_state(lane, state)
        seed = None if seed is None else check_seed(seed)
        if seed is not None:
            self.lanes.seed([lane], [seed])
        self._put(lane, state, seed)
        ops = np.zeros(self.num_envs, np.int8)
        ops[lane] = LOOK
        self.arrays.terminations[lane] = self.arrays.truncations[lane] = False
        self.run(ops, self._nothing)

    def _check_state(self, lane: int, state: object) -> None:
        if not isinstance(state, State):
            raise OptionError(f"lane {lane}: a State is wanted, not {state!r}")
        if other := difference(state.game, self.games[lane]):
            raise OptionError(f"lane {lane}: the state is a position of {other}")
        if state.is_terminal:
            raise OptionError(f"lane {lane}: the state is the position of a game that is over")

    def _put(self, lane: int, state: State, seed: int | None) -> None:
        if seed is None and state.chance == "explicit":
            seed = int(self.seeder.integers(2**63))
        copy = state.clone(seed=seed)
        if copy.is_terminal:
            raise OptionError(f"lane {lane}: the game was over before anybody had a choice")
        self.lanes.put(lane, copy)

    # The end

    @property
    def closed(self) -> bool:
        """True after close()."""
        return self._closed

    def close(self) -> None:
        """Stop the threads. Whatever is called after it raises ClosedError, close() excepted."""
        self._closed = True
        if self._pool is not None and self._pool_owner == os.getpid():
            self._pool.shutdown()
        self._pool = None

    def __enter__(self) -> BatchEnv:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __getstate__(self) -> dict[str, Any]:
        # What has no generator yet gets it now, so that a copy goes on as the original.
        _ = self.seeder
        settle_generators(
            self.single_observation_space, self.single_action_space, self.observation_space, self.action_space
        )
        return {**self.__dict__, "_pool": None}

    def __len__(self) -> int:
        return self.num_envs

    def __repr__(self) -> str:
        names = {game.name for game in self.games}
        return f"<BatchEnv: {self.num_envs} lanes of {', '.join(sorted(names))}{', closed' if self._closed else ''}>"


def settle_generators(*found: spaces.Space[Any]) -> None:
    """Give spaces that have not drawn yet their generators now: Gymnasium's make them when they draw first, each copy its own."""
    for space in found:
        parts = getattr(space, "spaces", None)
        if parts is None:
            _ = space.np_random
        else:
            # Those of a Dict or Tuple draw; to ask itself for a generator would seed them anew.
            settle_generators(*(parts.values() if isinstance(parts, Mapping) else parts))


def slices(n: int, parts: int) -> list[tuple[int, int]]:
    """Divide 0 ... n into at most `parts` slices of nearly the same length."""
    edges = [n * part // parts for part in range(parts + 1)]
    return [(start, stop) for start, stop in pairwise(edges) if start < stop]


def _positive(name: str, value: object) -> int:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)) or value < 1:
        raise OptionError(f"{name}: an integer of 1 or more, not {value!r}")
    return int(value)


def mode_of(mode: object) -> AutoresetMode:
    """Return the mode that is meant: one of `AutoresetMode`, or its value or name as text."""
    for known in AutoresetMode:
        if mode is known or (isinstance(mode, str) and mode in (known.value, known.name)):
            return known
    allowed = ", ".join(repr(known.value) for known in AutoresetMode)
    raise OptionError(f"autoreset_mode is one of {allowed}, not {mode!r}")


def observation_space_of(games: Sequence[Game], raw: bool = False) -> spaces.Box:
    """Return the space of one observation that holds those of all these games."""
    distinct = list({id(game): game for game in games}.values())
    low = np.min([game.observation_low for game in distinct], axis=0)
    high = np.max([game.observation_high for game in distinct], axis=0)
    if raw:
        return spaces.Box(games[0].raw_low, games[0].raw_high, dtype=games[0].raw_dtype.type)
    return spaces.Box(low.astype(np.float32), high.astype(np.float32), dtype=np.float32)


def make_batch(games: GamesLike, num_envs: int, **options: Any) -> BatchEnv:
    """Return a `BatchEnv`; its arguments are these.

    >>> from hawaii_env.hawaii1795 import Game
    >>> batch = make_batch(Game, 4, scenario=["long", "short"], rules=[None])
    >>> [game.scenario for game in batch.games]
    ['long', 'short', 'long', 'short']
    """
    return BatchEnv(games, num_envs, **options)
