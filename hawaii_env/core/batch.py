"""Batches of games, without Gymnasium: the commands and arrays of the environments, the same for every game.

`hawaii_env.env.runner.BatchRunner` steps a `BatchBackend`. If a game has compiled code for batches,
`Game.batch_backend()` returns its backend. `hawaii_env.env.python_batch` steps all other games in Python; it is the
reference for compiled lanes. Compiled lanes update their statistics by the rules at the end of this module.

A lane (an environment of the batch) plays one game after another. Lane i plays exactly as `hawaii_env.env.aec.GameEnv`
with the seed of that lane, whatever the number of lanes and threads: the first game is that of seed + i, and each later
one continues as after `reset()` without a seed.
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
    "LOAD",
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

# Commands to a lane in one call of `BatchBackend.run`.
SKIP, ACT, RESET, LOAD, LOSE = 0, 1, 2, 3, 4

# Progress of a compiled lane within a step, besides LOSE. FRESH: random players have acted, and the learner has not yet
# had a choice. If Python does part of the step, the lane continues with op AFTER + stage.
ACTED, BEGUN, FRESH = 1, 2, 3
AFTER = 8

NO_CHOICE = -1
"""Replaces the stage of a lane that waits for Python: too many games ended before a decision."""

# Ends of an episode that no rule causes, besides the game's own reasons.
TRUNCATED = "truncated after {} decisions, a limit of the environment and no rule"
ILLEGAL = "illegal action"

MAX_EMPTY = 100
"""Maximum number of consecutive games that end before a decision; more indicate a faulty ruleset."""


@dataclass(slots=True)
class Arrays:
    """Output arrays of N lanes, with P players (the most of any lane's game; absent players have reward 0), O
    observation values and A actions.

    Attributes:
        observations: float32[N, O], or int8[N, O] when raw: the position as the player to act sees it. If the game is
            over and waits for a reset, as the player in `viewers` sees it.
        masks: int8[N, A], the legal actions of the player to act; zeros if the game is over.
        to_play: int64[N], the player to act; TERMINAL (-4) if the game is over.
        rewards: float32[N, P], of the last step, for all players.
        terminations: bool[N], the last step ended the game by a rule.
        truncations: bool[N], the last step ended the game by the limit on decisions.
        over: bool[N], the game is over and waits for a reset.
        lengths: int64[N], decisions of the current game.
        returns: float32[N, P], sum of its rewards.
        episode_lengths: int64[N], decisions of the last game that ended in the lane; 0 before the first.
        episode_returns: float32[N, P], its rewards.
        episode_winners: int64[N], its winner; -1 for nobody (a tie, a truncation).
        episode_reasons: int64[N], the reason of its end, an index into `BatchBackend.reason_texts`.
        final_observations: as `observations`: the last position of a game that ended in this step, if the next one
            began in the same step; other rows are undefined.
        views, final_views: [N, P, O] as `observations`: what each player sees, and for a game that ended in this step
            what each saw last; without rows unless requested.
        viewers: int64[N], the player who sees the last position of a game: an index, or -1 for player 0, as in AEC.
        auto: int8[N]: 1: all players but `viewers[i]` choose at random inside the step, by the lane's own generator.
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
    views: NDArray[Any]
    final_views: NDArray[Any]
    viewers: NDArray[np.int64]
    auto: NDArray[np.int8]
    limits: NDArray[np.int64]

    @classmethod
    def make(
        cls, games: Sequence[Game], raw: bool = False, limit: int | None = None, final: bool = True, players: int = 0,
        views: bool = False,
    ) -> Arrays:  # fmt: skip
        """Return zeroed arrays for lanes of these games, with room for at least `players` players.

        `final` False leaves `final_observations` without rows, `views` False `views` and `final_views`.
        """
        n, game, players = len(games), games[0], max(players, *(game.num_players for game in games))
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
            views=np.zeros((n if views else 0, players, game.observation_size), kind),
            final_views=np.zeros((n if views and final else 0, players, game.observation_size), kind),
            viewers=np.full(n, -1, np.int64),
            auto=np.zeros(n, np.int8),
            limits=np.array([game.max_decisions if limit is None else min(limit, 2**62) for game in games], np.int64),
        )


class Statistics(NamedTuple):
    """Record for compiled rules of the arrays in `Arrays` that do not depend on the type of observations.

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
    """Buffers into which compiled rules write observations, of one type for scaled and raw ones.

    Attributes:
        raw: 1: raw observations, so the scaled arrays have no rows; 0: scaled ones, so the integer arrays have none.
        scale: float32[O], factors of the raw values.
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
    """Commands to lanes in one call: `ops` int8[N], `actions` int64[N], `same_step` 0 or 1; see
    `BatchBackend.run`."""

    ops: NDArray[np.int8]
    actions: NDArray[np.int64]
    same_step: int


class BatchBackend(Protocol):
    """N games that are stepped together. `hawaii_env.env.python_batch.PythonBatch` is the reference in Python.

    A backend holds positions and generators, and writes its results to `Arrays`. It checks nothing; `BatchEnv` does.
    """

    games: list[Game]
    reason_texts: list[str]
    serial: bool
    """True if threads do not help, or if a failing step could leave changes behind with threads."""

    def game(self, lane: int) -> Game:
        """Return the game that a lane plays."""
        ...

    def set_draws(self, draws: Any) -> None:
        """Set the source of rules and first positions of the next games: a `hawaii_env.pools.Draws`, or None."""
        ...

    def write_views(self, out: Arrays, ops: NDArray[np.int8], memory: NDArray[np.int32]) -> None:
        """Write to `out.views` what every player sees, in the lanes whose op is not SKIP.

        Args:
            out: the arrays.
            ops: int8[N].
            memory: int32[N, P, M], notes on the rows; the first is -1 if the row shows another game.
        """
        ...

    def seed(self, lanes: Sequence[int], seeds: Sequence[int]) -> None:
        """Seed the generators of lanes; a RESET then starts the game of that seed."""
        ...

    def run(
        self, out: Arrays, ops: NDArray[np.int8], actions: NDArray[np.int64], same_step: bool, start: int, stop: int
    ) -> None:
        """Execute `ops` in each lane from `start` to `stop`, and write the results to the arrays.

        SKIP: do nothing, and leave the arrays unchanged. ACT: apply `actions[i]`, which must be legal. RESET: start
        another game. LOAD: start a game from the position that was put into the lane. LOSE: the player to act loses by
        an illegal action.

        same_step: when a game ends, write its last position to `out.final_observations` and start another at once.
        Several threads may call this for disjoint lanes.
        """
        ...

    def illegal(self, ops: NDArray[np.int8], actions: NDArray[np.int64]) -> int:
        """Return the first lane with op ACT and an illegal action, or -1."""
        ...

    def legal(self, out: Arrays) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the numbers of legal actions of the lanes, int64[N], and the legal actions themselves, int64[M]: lane
        after lane, ascending within a lane. A lane whose game is over has none.
        """
        ...

    def sample(self, out: Arrays, actions: NDArray[np.int64], start: int, stop: int) -> None:
        """Write a random legal action of each lane, drawn by its own generator; 0 if the game is over."""
        ...

    def get(self, lane: int) -> State:
        """Return a copy of the lane's position, including its generator."""
        ...

    def known(self, lane: int, player: int) -> State:
        """Return the lane's position as a player knows it; see `hawaii_env.game.State.for_search`."""
        ...

    def put(self, lanes: Sequence[int], states: Sequence[State], seeds: Sequence[int | None]) -> None:
        """Put copies of sampled states into lanes, with generators of these seeds, or with their own for None. The next
        op must be LOAD.
        """
        ...

    def playouts(
        self, state: State, seeds: NDArray[np.uint64], firsts: NDArray[np.int64], limit: int,
        returns: NDArray[np.float32], lengths: NDArray[np.int64], finished: NDArray[np.bool_],
    ) -> None:  # fmt: skip
        """Play K random games from a position: number k as ``state.clone(seed=seeds[k])``, its players by
        `policy_words`.

        The first decision of number k is firsts[k], which is legal, or a random one if it is -1. Write the returns
        float32[K, P], the decisions int64[K], at most `limit`, and a flag for games that ended. The lanes' own games do
        not change. Several threads may call this.
        """
        ...


def check_actions(actions: object, num_envs: int, num_actions: int) -> NDArray[np.int64]:
    """Return actions as int64[num_envs], without copying them if they have this type already.

    Raises:
        IllegalActionError: the shape is wrong, or the type is not an integer type.
    """
    try:
        array = np.asarray(cast(Any, actions))
    except ValueError as error:
        raise IllegalActionError(f"actions: expected an integer array of shape ({num_envs},) ({error})") from None
    if array.dtype.kind not in "iu":
        raise IllegalActionError(
            f"actions: expected an integer array of shape ({num_envs},), not one of dtype {array.dtype}"
        )
    if array.shape != (num_envs,):
        raise IllegalActionError(
            f"actions: expected an integer array of shape ({num_envs},), not one of shape {array.shape}"
        )
    if array.dtype.kind == "u" and array.dtype.itemsize == 8 and array.size and array.max() >= 1 << 63:
        lane = int(array.argmax())
        raise IllegalActionError(
            f"environment {lane}: action {array[lane]} is outside the action table, which has 0 to {num_actions - 1}"
        )
    return np.ascontiguousarray(array, np.int64)


def slices(n: int, parts: int) -> list[tuple[int, int]]:
    """Divide 0 ... n into at most `parts` slices of nearly the same length."""
    parts = min(n, parts)
    edges = [n * part // parts for part in range(parts + 1)]
    return [(start, stop) for start, stop in pairwise(edges) if start < stop]


def no_choice(lane: int, who: str = "anybody") -> StateError:
    """Return the error of an environment in which games keep ending before a decision."""
    return StateError(f"environment {lane}: {MAX_EMPTY} games in a row ended before {who} had a choice")


# Statistics at the beginning and end of a game, for compiled lanes. They are not called in every step, because passing
# a record to a function copies it, array by array.


@rule
def begin_game(statistics: Any, lane: int) -> None:
    """Start a game in the lane."""
    statistics.over[lane] = False
    statistics.lengths[lane] = 0
    for player in range(statistics.returns.shape[1]):
        statistics.returns[lane, player] = 0.0


@rule
def end_game(statistics: Any, lane: int, winner: int, reason: int) -> None:
    """End the lane's game with the rewards of this step. The caller sets the cause, a rule or a limit."""
    statistics.over[lane] = True
    statistics.episode_lengths[lane] = statistics.lengths[lane]
    statistics.episode_winners[lane] = winner
    statistics.episode_reasons[lane] = reason
    for player in range(statistics.returns.shape[1]):
        statistics.returns[lane, player] += statistics.rewards[lane, player]
        statistics.episode_returns[lane, player] = statistics.returns[lane, player]
