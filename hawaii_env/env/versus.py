"""Games between a learner and opponents: the basis of environments for one learner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from hawaii_env._arguments import check_list, whole
from hawaii_env.core.batch import ACT, MAX_EMPTY, RESET, SKIP, check_actions, no_choice
from hawaii_env.core.rng import OPPONENT_TAG, draw_words, pick
from hawaii_env.env.batch_games import GamesLike, drawn_games
from hawaii_env.env.opponents import Opponent, OpponentPlayer
from hawaii_env.env.runner import BatchRunner, commands_of, seeds_of
from hawaii_env.errors import GameOverError, IllegalActionError, OptionError
from hawaii_env.game import State
from hawaii_env.pools import Pool
from hawaii_env.rewards import Rewards

__all__ = ["Side", "Versus"]

Side: TypeAlias = "int | str"

ALTERNATE = "alternate"


class Versus:
    """N games between a learner and opponents, for adapters.

    The Gymnasium environments here, and native environments for other libraries, are built on it. An opponent decides
    for all waiting environments in one call.

    Args:
        games, num_envs, options: as for `hawaii_env.make_batch`.
        opponent: the agent of all other players. An agent string such as ``"random"`` or ``"mcts:sims=100"``, an agent,
            or a function of (observations[n, O], masks int8[n, A]) that returns n actions; or a sequence of those, used
            in turn by successive games; or a `hawaii_env.Pool` of them, from which each game draws. ``"random"`` plays
            in compiled code with the environment's own generator. Each `reset` with a seed recreates opponents made
            from strings, and `close` closes them; those that decide from positions are made per environment, with its
            seed, while an agent object serves all environments.
        side: the learner's side: an index, an agent's name, or ``"alternate"``, which changes with each game of an
            environment. The first side, and the environment's start in the pool, depend only on its seed.
        step_reward: a reward that replaces the game's own, for the learner's step from one decision to its next; see
            `hawaii_env.make_batch`.
        threads, raw, max_decisions, at_once, starts: see `hawaii_env.env.runner.BatchRunner`. Functions get the same
            observations as the learner, raw or not; agents always get scaled ones.

    Attributes:
        runner: the object that steps the games. Its arrays show the learner's decisions, and the learner's view of the
            end if a game is over.
        learners: int64[N], the index of the learner's player.
        opponents: int64[N], key of the opponent in each environment's current game.
        places: int64[N], its index in its pool.

    Raises:
        OptionError: an unknown game, side, opponent or option.
    """

    def __init__(
        self,
        games: GamesLike,
        num_envs: int,
        opponent: Opponent | Sequence[Opponent] = "random",
        side: Side = ALTERNATE,
        *,
        threads: int = 1,
        raw: bool = False,
        max_decisions: int | None = None,
        at_once: bool = True,
        starts: Any = None,
        step_reward: Any = None,
        **options: Any,
    ) -> None:
        made, rules = drawn_games(games, num_envs, **options)
        self.runner: BatchRunner = BatchRunner(
            made, threads=threads, raw=raw, max_decisions=max_decisions, at_once=at_once, starts=starts, rules=rules
        )
        n = self.runner.num_envs
        # Not the runner's: its steps are those of all players.
        self._rewards: Rewards | None = None if step_reward is None else Rewards(step_reward, self.runner.backend)
        self.set_side(side)
        self.learners: NDArray[np.int64] = np.zeros(n, np.int64)
        self.opponents: NDArray[np.int64] = np.zeros(n, np.int64)
        self.places: NDArray[np.int64] = np.zeros(n, np.int64)
        self._words: NDArray[np.int64] = np.zeros((n, 4), np.int64)  # generators of the draws from the pool
        self._reach: NDArray[np.int64] | None = None  # the pool's, or None if opponents take turns
        self._players: dict[int, OpponentPlayer] = {}  # by key: those of the pool, and of games that are going on
        self._pool: list[int] = []  # their keys
        self._made = 0
        self.set_opponent(opponent)
        self._episodes = np.zeros(n, np.int64)  # games begun in each environment
        self._empty = np.zeros(n, np.int64)  # of those, in a row, that ended before the learner had a choice
        self._count = [0] * n  # the environment's seed + games begun since
        self._ops = np.zeros(n, np.int8)
        self._actions = np.zeros(n, np.int64)
        self._seeded = False

    # Learners and opponents

    def set_side(self, side: Side) -> None:
        """Set the learner's side, from each environment's next game on.

        Raises:
            OptionError: not a side of all games here.
        """
        fewest = min(self.runner.kinds, key=lambda game: game.num_players)
        self.side: int | None = _side(side, fewest.agents)

    def set_opponent(self, opponent: Any) -> None:
        """Change the opponent, or the sequence or pool of opponents. Current games keep their opponents.

        Raises:
            OptionError: an unknown opponent or an empty pool; nothing has changed.
        """
        listed: list[Any] = list(opponent) if isinstance(opponent, (list, tuple)) else [opponent]
        if isinstance(opponent, Pool):
            listed = opponent.items
        if not listed:
            raise OptionError("opponent: expected at least one, not an empty pool")
        players = [self.make_player(one, place) for place, one in enumerate(listed)]
        self.pool: list[Any] = listed
        self._reach = opponent.reach if isinstance(opponent, Pool) else None
        self._pool = list(range(self._made, self._made + len(players)))
        self._made += len(players)
        self._players.update(zip(self._pool, players, strict=True))
        in_use = {*self._pool, *(self.opponents.tolist() if self.runner.started else [])}
        for key in [key for key in self._players if key not in in_use]:
            self._players.pop(key).close()

    def make_player(self, opponent: object, place: int) -> OpponentPlayer:
        """Return the player for an opponent; `place` is its index in the pool."""
        return OpponentPlayer(opponent)

    def reseed(self, seeds: Mapping[int, int]) -> None:
        """Seed the pool's opponents made from strings, by environment."""
        for player in self.players:
            player.reseed(seeds)

    def _draw_opponent(self, env_index: int, turn: int) -> int:
        """Return the index in the pool of the next game's opponent.

        Args:
            env_index: the environment.
            turn: the number of the game in it, which begins at the environment's seed.
        """
        if self._reach is None:
            return turn % len(self._pool)
        words = self._words[env_index].tolist()
        place = pick(words, self._reach)
        self._words[env_index] = words
        return place

    @property
    def players(self) -> list[OpponentPlayer]:
        """The players of the pool."""
        return [self._players[key] for key in self._pool]

    def opponent(self, env_index: int) -> OpponentPlayer:
        """Return the opponent of an environment's current or last game."""
        return self._players[int(self.opponents[env_index])]

    def _assign_players(self, indices: Sequence[int]) -> None:
        """Set learner and opponent of the next games of these environments."""
        for i in indices:
            turn, self._count[i] = self._count[i], self._count[i] + 1
            players = self.runner.backend.game(i).num_players
            self.learners[i] = turn % players if self.side is None else self.side
            place = self.places[i] = self._draw_opponent(i, turn // players if self.side is None else turn)
            self.opponents[i] = self._pool[place]
            self.runner.set_viewer(i, int(self.learners[i]), self.opponent(i).auto)
            self._episodes[i] += 1
            self._empty[i] = 0

    # What the learner sees

    @property
    def masks(self) -> NDArray[np.int8]:
        """int8[N, A], the learner's legal actions; all zero if the game is over."""
        return self.runner.arrays.masks

    @property
    def observations(self) -> NDArray[Any]:
        """float32[N, O], or integers when raw, as the learner sees the position."""
        return self.runner.arrays.observations

    @property
    def rewards(self) -> NDArray[np.float32]:
        """float32[N], the learner's rewards of the last step."""
        return self.runner.arrays.rewards[np.arange(len(self.learners)), self.learners]

    def take_rewards(self, indices: Sequence[int]) -> NDArray[np.float32]:
        """Return the learner's rewards of a completed step in some environments, float32[len(indices)].

        Without a `step_reward` they are those of the game; with one, call it once per step, before the next game
        begins.

        Raises:
            OptionError: the reward is not finite, or of a wrong shape.
        """
        listed = list(indices)
        if self._rewards is not None and listed:
            ops = np.full(self.runner.num_envs, SKIP, np.int8)
            ops[listed] = ACT
            self._rewards.write(self.runner.backend, self.runner.arrays, ops)
        return self.runner.arrays.rewards[listed, self.learners[listed]]

    # Games

    def reset(
        self,
        indices: Sequence[int] | None = None,
        seeds: Sequence[int | None] | None = None,
        state: State | None = None,
    ) -> None:
        """Begin games, up to the learner's first decision; the arguments are those of `begin`.

        Raises:
            OptionError: a position of another game, or one in which the learner has no decision left.
            StateError: too many games in a row ended before the learner had a choice.
        """
        chosen = self.begin(indices, seeds, state)
        while True:
            while self.step_opponents():
                pass
            again = [i for i in chosen if self.runner.arrays.over[i]]
            if not again:
                self.runner.clear(chosen)
                return
            if state is not None:
                raise OptionError(f"environment {again[0]}: the game was over before the learner had a choice")
            self.notify_finished()
            self.begin_again(again)

    def begin(
        self,
        indices: Sequence[int] | None = None,
        seeds: Sequence[int | None] | None = None,
        state: State | Sequence[State | None] | None = None,
    ) -> Sequence[int]:
        """Begin games without opponents' decisions.

        Args:
            indices: the environments; None is all of them.
            seeds: one for each of N environments; None, all or one: it continues with its own generators.
            state: a position to start from; or a sequence of N, with None for environments without one.

        Returns:
            The environments.

        Raises:
            OptionError: a position of another game.
        """
        runner = self.runner
        runner.check_ready(started=False)
        n = runner.num_envs
        chosen = range(n) if indices is None else [runner.check_index(i) for i in check_list("indices", indices)]
        if not runner.started and len(chosen) < n:
            raise OptionError("the first reset() is of all environments")
        asked: list[int | None] = seeds_of(seeds, n) or [None] * n
        starts: list[State | None] = list(state) if isinstance(state, (list, tuple)) else [cast(Any, state)] * n
        for i in chosen:
            if (start := starts[i]) is not None:
                runner.check_state(i, start)
        first = None if self._seeded else int(runner.seeder.integers(2**62))
        self._seeded = True
        known = [seed for seed in asked if seed is not None]
        by_index = {i: seed for i in chosen if (seed := asked[i]) is not None}
        given: list[int | None] = [None] * n
        for i in chosen:
            seed, start = asked[i], starts[i]
            if seed is None and first is not None:
                seed = first + i
                asked[i] = seed if start is None or start.chance == "explicit" else None
            if seed is not None:
                given[i] = self._count[i] = seed
        seeded = [i for i in chosen if given[i] is not None]
        if seeded:
            self._words[seeded] = draw_words([self._count[i] for i in seeded], OPPONENT_TAG)
        if by_index:
            self.reseed(by_index)
        if known:
            runner.seed_seeder(known[0])
        self._assign_players(chosen)
        if self._rewards is not None:
            self._rewards.begin(chosen)
        runner.begin(chosen, given, starts, asked)
        return chosen

    def begin_again(self, indices: Sequence[int]) -> None:
        """Begin new games between the same players, without opponents' decisions.

        For environments whose game ended before the learner had a choice: such a game does not count.

        Raises:
            StateError: too many in a row.
        """
        listed = list(indices)
        self._empty[listed] += 1
        for i in listed:
            if self._empty[i] > MAX_EMPTY:
                raise no_choice(i, "the learner")
        self._episodes[listed] += 1
        self._ops[:] = SKIP
        self._ops[listed] = RESET
        self.runner.run(self._ops, self._actions)

    def step(
        self, actions: NDArray[np.int64], active: NDArray[np.bool_] | None = None, lose: bool = False
    ) -> list[int]:
        """Apply the learner's decisions, then let opponents play until its next decision or the end of the game.

        Args:
            actions: int64[N].
            active: bool[N], the environments to step; None is all of them.
            lose: True: an illegal action loses the game, instead of an error.

        Returns:
            The environments that were lost by an illegal action.

        Raises:
            IllegalActionError: an action that is not legal, the learner's (nothing has changed) or an opponent's.
            GameOverError: the game of an active environment is over.
        """
        lost = self.step_learner(actions, active, lose)
        while self.step_opponents():
            pass
        if self._rewards is not None:
            stepped = range(len(self.learners)) if active is None else np.flatnonzero(active).tolist()
            self.take_rewards([i for i in stepped if i not in lost])
        self.notify_finished()
        return lost

    def step_learner(
        self, actions: NDArray[np.int64], active: NDArray[np.bool_] | None = None, lose: bool = False
    ) -> list[int]:
        """Apply the learner's decisions as `step` does, without opponents' decisions."""
        runner = self.runner
        runner.check_ready()
        actions = check_actions(actions, runner.num_envs, runner.num_actions)
        self._ops[:] = ACT if active is None else commands_of(active, runner.num_envs)
        over = runner.arrays.over & (self._ops == ACT)
        if over.any():
            ended = np.flatnonzero(over).tolist()
            raise GameOverError(f"the games of environments {ended} are over: reset() begins others")
        if self._rewards is not None:
            self._rewards.keep(runner.backend)
        return runner.run(self._ops, actions, lose=lose)

    def step_opponents(self) -> bool:
        """Apply one opponent's decision in each environment where it is their turn; return True if there was any.

        Raises:
            IllegalActionError: an opponent chose an action that is not legal.
        """
        if all(player.auto for player in self._players.values()):
            return False
        runner, ops, out = self.runner, self._ops, self.runner.arrays
        waiting = np.flatnonzero(~out.over & (out.to_play != self.learners))
        if not waiting.size:
            return False
        ops[:] = SKIP
        ops[waiting] = ACT
        keys = self.opponents[waiting]
        for key in np.unique(keys).tolist():
            indices = waiting[keys == key]
            self._actions[indices] = self._players[key].decide(runner, indices, self._episodes)
        try:
            runner.run(ops, self._actions)
        except IllegalActionError as error:
            name = self.opponent(cast(int, error.env_index)).name
            raise IllegalActionError(f"opponent {name!r}: {error}") from None
        return True

    def notify_finished(self) -> None:
        """Notify opponents of finished games."""
        if not all(player.batched for player in self._players.values()):
            for i in np.flatnonzero(self.runner.arrays.over).tolist():
                self.opponent(i).finish(self.runner, i, int(self._episodes[i]))

    def outcome(self, env_index: int) -> dict[str, Any]:
        """Return how the last game of an environment ended.

        Returns:
            ``"winner"``, a player's index or -1, and ``"reason"``.
        """
        reason = self.runner.reason(env_index)
        return {"winner": int(self.runner.arrays.episode_winners[env_index]), "reason": reason}

    def close(self) -> None:
        """Close the batch and opponents made from strings. May be called repeatedly."""
        self.runner.close()
        for player in self._players.values():
            player.close()


def _side(side: object, names: Sequence[str]) -> int | None:
    """Return the learner's index, or None to alternate."""
    if isinstance(side, str):
        if side == ALTERNATE:
            return None
        if side in names:
            return list(names).index(side)
    elif (index := whole(side)) is not None and 0 <= index < len(names):
        return index
    allowed = ", ".join([*map(repr, names), *map(str, range(len(names)))])
    raise OptionError(f"side: expected one of {allowed}, {ALTERNATE!r}, not {side!r}")
