"""Many games at once, without Gymnasium: what lanes are told and what they write, alike for every game.

`hawaii_env.env.runner.BatchRunner` steps a `BatchBackend`. A game that has compiled code for it says so by
`Game.batch_backend()`;
any other is stepped in Python, by `hawaii_env.env.python_batch`, which is what compiled lanes have to agree with.
Compiled lanes keep their books by the rules at the end of this module.

A lane is one game after another. Lane i plays exactly as `hawaii_env.env.aec.GameEnv` with the seed of that lane, step
by step, whatever the number of lanes and threads: the first game is that of seed + i, each later one goes on as its
`reset()` without seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from hawaii_env.core.jit import rule
from hawaii_env.errors import IllegalActionError, StateError
from hawaii_env.game import TERMINAL, Game, State

__all__ = [
    "ACT",
    "ACTED",
    "AFTER",
    "BEGUN",
    "FRESH",
    "ILLEGAL",
    "LOOK",
    "LOSE",
    "MAX_EMPTY",
    "NO_CHOICE",
    "RESET",
    "SKIP",
    "TRUNCATED",
    "Arrays",
    "BatchBackend",
    "Commands",
    "ObservationBuffers",
    "Statistics",
    "begin_game",
    "check_actions",
    "end_game",
    "no_choice",
    "slices",
]  # fmt: skip

# What a lane is told to do in one call of `BatchBackend.run`.
SKIP, ACT, RESET, LOOK, LOSE = 0, 1, 2, 3, 4

# Where a compiled lane stands in its step; beside LOSE. FRESH: random players have acted, the learner has not yet had a
# choice. Where Python does a part of the step, the lane goes on as op AFTER + stage.
ACTED, BEGUN, FRESH = 1, 2, 3
AFTER = 8

NO_CHOICE = -1
"""In place of the stage in which a lane waits for Python: so many games ended at once."""

# How an episode ended where no rule says so: kept beside the game's own reasons.
TRUNCATED = "truncated after {} decisions, a limit of the environment and no rule"
ILLEGAL = "illegal action"

MAX_EMPTY = 100
"""So many games in a row may end before anybody decides; then something is wrong with the ruleset."""


@dataclass(slots=True)
class Arrays:
    """What lanes write. N lanes, P players (the most that a lane's game has; nobody's rewards are 0), O observation
    values, A actions.

    Attributes:
        observations: float32[N, O], or int8[N, O] when raw: as the player to act sees the position. Where the game is
            over and waits for a reset, as `viewers` says.
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
        episode_reasons: int64[N], why it ended, an index into `BatchBackend.reason_texts`.
        final_observations: as `observations`: the last position of a game that ended in this step where the next one
            was begun at once; other rows mean nothing.
        viewers: int64[N], who sees the last position of a game: a player's index, or -1 for player 0, as in AEC.
        auto: int8[N]: 1: all players but `viewers[i]` choose at random, by the lane's own generator, without being
            asked.
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
        n, game, players = len(games), games[0], max(game.num_players for game in games)
        kind: Any = game.raw_dtype if raw else np.float32
        return cls(
            observations=np.zeros((n, game.observation_size), kind),
            masks=np.zeros((n, game.num_actions), np.int8),
            to_play=np.full(n, TERMINAL, np.int64),
            rewards=np.zeros((n, players), np.float32),
            terminations=np.zeros(n, np.bool_),
            truncations=np.zeros(n, np.bool_),
            over=np.ones(n, np.bool_),
            lengths=np.zeros(n, np.int64),
            returns=np.zeros((n, players), np.float32),
            episode_lengths=np.zeros(n, np.int64),
            episode_returns=np.zeros((n, players), np.float32),
            episode_winners=np.full(n, -1, np.int64),
            episode_reasons=np.zeros(n, np.int64),
            final_observations=np.zeros((n if final else 0, game.observation_size), kind),
            viewers=np.full(n, -1, np.int64),
            auto=np.zeros(n, np.int8),
            limits=np.array([game.max_decisions if limit is None else min(limit, 2**62) for game in games], np.int64),
        )


class Statistics(NamedTuple):
    """The part of `Arrays` that is alike whatever the observations are: a record for compiled rules.

    Attributes: see `Arrays`.
    """

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
    viewers: NDArray[np.int64]
    auto: NDArray[np.int8]
    limits: NDArray[np.int64]

    @classmethod
    def of(cls, out: Arrays) -> Statistics:
        """Return the record of these arrays: the same memory."""
        return cls(*(getattr(out, name) for name in cls._fields))


class ObservationBuffers(NamedTuple):
    """Where compiled rules write observations: one type of machine code for both kinds.

    Attributes:
        raw: 1: the integers are asked for, the other arrays have no rows; 0: the other way round.
        scale: float32[O], what raw values are multiplied with.
        scaled, scaled_final: float32[N, O].
        integers, integers_final: int8[N, O], or the game's own type of raw observations.
    """

    raw: int
    scale: NDArray[np.float32]
    scaled: NDArray[np.float32]
    scaled_final: NDArray[np.float32]
    integers: NDArray[Any]
    integers_final: NDArray[Any]

    @classmethod
    def of(cls, out: Arrays, scale: NDArray[np.float32], kind: Any = np.int8) -> ObservationBuffers:
        """Return the record of these arrays' observations: the same memory."""
        size = out.observations.shape[1]
        if out.observations.dtype == np.float32:
            none = np.zeros((0, size), kind)
            return cls(0, scale, out.observations, out.final_observations, none, none)
        nothing = np.zeros((0, size), np.float32)
        return cls(1, scale, nothing, nothing, out.observations, out.final_observations)


class Commands(NamedTuple):
    """What lanes are told in one call: `ops` int8[N], `actions` int64[N], `same_step` 0 or 1; see
    `BatchBackend.run`."""

    ops: NDArray[np.int8]
    actions: NDArray[np.int64]
    same_step: int


class BatchBackend(Protocol):
    """N games that are stepped together. `hawaii_env.env.python_batch.PythonBatch` says in Python what each method has
    to do.

    BatchBackend hold positions and generators; what they tell stands in `Arrays`. Nothing is checked here: `BatchEnv`
    does.
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

        SKIP: nothing, not even to the arrays. ACT: take `actions[i]`, which is legal. RESET: begin another game. LOOK:
        a position was put into the lane: its game begins there. LOSE: who is to act loses by an illegal action.

        same_step: a game that ends writes its last position to `out.final_observations`, and another begins at once.
        Safe to call in several threads for lanes that are not the same.
        """
        ...

    def illegal(self, ops: NDArray[np.int8], actions: NDArray[np.int64]) -> int:
        """Return the first lane of those that ACT whose action is not legal, or -1."""
        ...

    def legal(self, out: Arrays) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return how many legal actions each lane has, int64[N], and the actions, lane after lane, ascending in each:
        int64[M]. None where the game is over.
        """
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
        self, state: State, seeds: NDArray[np.uint64], firsts: NDArray[np.int64], limit: int,
        returns: NDArray[np.float32], lengths: NDArray[np.int64], finished: NDArray[np.bool_],
    ) -> None:  # fmt: skip
        """Play K random games on from a position: number k as ``state.clone(seed=seeds[k])``, its players by
        `policy_words`.

        The first decision of number k is firsts[k], which is legal; -1 is a random one, too. Write the returns
        float32[K, P], the decisions int64[K], at most `limit`, and whether the game ended. The lanes' own games are
        left alone. Safe to call in several threads.
        """
        ...


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


def slices(n: int, parts: int) -> list[tuple[int, int]]:
    """Divide 0 ... n into at most `parts` slices of nearly the same length."""
    edges = [n * part // parts for part in range(parts + 1)]
    return [(start, stop) for start, stop in pairwise(edges) if start < stop]


def no_choice(lane: int, who: str = "anybody") -> StateError:
    """Return the error of an environment in which game after game ends before somebody is asked."""
    return StateError(f"environment {lane}: {MAX_EMPTY} games in a row ended before {who} had a choice")


# The books of a lane where a game begins and ends, for compiled lanes. Not for every step: a record handed to a
# function is copied, array by array.


@rule
def begin_game(books: Any, lane: int) -> None:
    """A game begins in the lane."""
    books.over[lane] = False
    books.lengths[lane] = 0
    for player in range(books.returns.shape[1]):
        books.returns[lane, player] = 0.0


@rule
def end_game(books: Any, lane: int, winner: int, reason: int) -> None:
    """The lane's game is over: its rewards are those of this step. Whether by a rule or a limit, the caller says."""
    books.over[lane] = True
    books.episode_lengths[lane] = books.lengths[lane]
    books.episode_winners[lane] = winner
    books.episode_reasons[lane] = reason
    for player in range(books.returns.shape[1]):
        books.returns[lane, player] += books.rewards[lane, player]
        books.episode_returns[lane, player] = books.returns[lane, player]
