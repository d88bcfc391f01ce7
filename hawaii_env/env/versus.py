"""N games between a learner and opponents: what environments for one learner are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, cast

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from hawaii_env._arguments import check_list
from hawaii_env.core.batch import no_choice
from hawaii_env.env.opponents import Opponent, OpponentPlayer
from hawaii_env.env.vector import ACT, MAX_EMPTY, RESET, SKIP, BatchEnv, GamesLike, check_actions, games_of, seeds_of
from hawaii_env.errors import GameOverError, IllegalActionError, OptionError
from hawaii_env.game import State

__all__ = ["Side", "Versus"]

Side: TypeAlias = "int | str"

ALTERNATE = "alternate"


class Versus:
    """N games between a learner and opponents: what the environments here, and native ones of other libraries, are made
    of.

    Opponents see batches: all lanes that wait for one of them are given to it at once.

    Args:
        games, num_envs, options: as for `hawaii_env.make_batch`.
        opponent: who plays for all other players. An agent string as ``"random"`` or ``"mcts:sims=100"``, an agent, or
            a function of (observations[n, O], masks int8[n, A]) that returns n actions; or a sequence of those, a pool:
            each game is played against the next. ``"random"`` plays in the engine, by the lane's own generator.
            Opponents of an agent string are made anew by each `reset` with a seed, and closed by `close`; those that
            decide from positions are made for each lane, seeded as it is, while an agent handed over as an object
            serves all lanes.
        side: the learner's: an index, an agent's name, or ``"alternate"``: another one in each game of a lane. Which
            comes first, and where in the pool a lane begins, depends on the lane's seed alone.
        threads, raw, max_decisions, at_once: see `hawaii_env.env.vector.BatchEnv`. Functions are given the observations
            that the learner is, raw or not; agents always scaled ones.

    Attributes:
        batch: the lanes. Where a game goes on, its arrays show what the learner is asked; where it is over, the
            learner's view of the end.
        learners: int64[N], the index of the learner's player.

    Raises:
        OptionError: an unknown side, opponent or option.
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
        **options: Any,
    ) -> None:
        self.batch: BatchEnv = BatchEnv(
            games_of(games, num_envs, **options),
            autoreset_mode=AutoresetMode.DISABLED,
            threads=threads,
            raw=raw,
            max_decisions=max_decisions,
            at_once=at_once,
        )
        n = self.batch.num_envs
        self.set_side(side)
        self.learners: NDArray[np.int64] = np.zeros(n, np.int64)
        self.opponents: NDArray[np.int64] = np.zeros(n, np.int64)  # by lane: key of its opponent
        self._players: dict[int, OpponentPlayer] = {}  # by key: those of the pool, and of games that are going on
        self._pool: list[int] = []  # their keys
        self._made = 0
        self.set_opponent(opponent)
        self._episodes = np.zeros(n, np.int64)  # games begun in each lane
        self._empty = np.zeros(n, np.int64)  # of those, in a row, that ended before the learner had a choice
        self._count = [0] * n  # seed of the lane + games begun since
        self._ops = np.zeros(n, np.int8)
        self._actions = np.zeros(n, np.int64)
        self._seeded = False

    # Who plays whom

    def set_side(self, side: Side) -> None:
        """Settle the learner's side, from each lane's next game on."""
        fewest = min(self.batch.games, key=lambda game: game.num_players)  # a side that each lane's game has
        self.side: int | None = _side(side, fewest.agents)

    def set_opponent(self, opponent: Any) -> None:
        """Change the opponent, or the pool of them. Games that are going on are played to their end against those they
        began with.

        Raises:
            OptionError: an unknown opponent or an empty pool; nothing has changed.
        """
        listed: list[Any] = list(opponent) if isinstance(opponent, (list, tuple)) else [opponent]
        if not listed:
            raise OptionError("opponent: at least one is wanted, not an empty pool")
        players = [self.make_player(one, place) for place, one in enumerate(listed)]
        self.pool: list[Any] = listed
        self._pool = list(range(self._made, self._made + len(players)))
        self._made += len(players)
        self._players.update(zip(self._pool, players, strict=True))
        in_use = {*self._pool, *(self.opponents.tolist() if self.batch.started else [])}
        for key in [key for key in self._players if key not in in_use]:
            self._players.pop(key).close()

    def make_player(self, opponent: object, place: int) -> OpponentPlayer:
        """Return an opponent as it is asked here; `place` is its index in the pool."""
        return OpponentPlayer(opponent)

    def reseed(self, seeds: Mapping[int, int]) -> None:
        """Seed the pool's opponents that were made here, by lane."""
        for player in self.players:
            player.reseed(seeds)

    def draw(self, turns: Sequence[int]) -> Sequence[int]:
        """Return the places in the pool of the next games' opponents: here they take turns.

        Args:
            turns: of each of the games, its number in the lane, which begins at the lane's seed.
        """
        return [turn % len(self._pool) for turn in turns]

    @property
    def players(self) -> list[OpponentPlayer]:
        """The opponents of the pool, as they are asked."""
        return [self._players[key] for key in self._pool]

    def opponent(self, lane: int) -> OpponentPlayer:
        """Return the opponent in the game that a lane plays, or has played last."""
        return self._players[int(self.opponents[lane])]

    def _sit_down(self, lanes: Sequence[int]) -> None:
        """Settle who plays whom in the next games of these lanes."""
        turns = []
        for lane in lanes:
            turn, self._count[lane] = self._count[lane], self._count[lane] + 1
            players = self.batch.games[lane].num_players
            self.learners[lane] = turn % players if self.side is None else self.side
            turns.append(turn // players if self.side is None else turn)
        for lane, place in zip(lanes, self.draw(turns), strict=True):
            self.opponents[lane] = self._pool[place]
            self.batch.seat(lane, int(self.learners[lane]), self.opponent(lane).auto)
            self._episodes[lane] += 1
            self._empty[lane] = 0

    # What the learner sees

    @property
    def masks(self) -> NDArray[np.int8]:
        """int8[N, A], the learner's legal actions; zeros where the game is over."""
        return self.batch.masks

    @property
    def observations(self) -> NDArray[Any]:
        """float32[N, O] (int8 when raw), as the learner sees the position."""
        return self.batch.observations

    @property
    def rewards(self) -> NDArray[np.float32]:
        """float32[N], the learner's rewards of the last step."""
        return self.batch.rewards[np.arange(len(self.learners)), self.learners]

    # Games

    def reset(
        self,
        lanes: Sequence[int] | None = None,
        seeds: Sequence[int | None] | None = None,
        state: State | None = None,
    ) -> None:
        """Begin games, up to the learner's first decision; the arguments are those of `begin`.

        Raises:
            OptionError: a position of another game, or one in which the learner has no decision left.
            StateError: too many games in a row ended before the learner had a choice.
        """
        chosen = self.begin(lanes, seeds, state)
        while True:
            while self.answer():
                pass
            again = [lane for lane in chosen if self.batch.over[lane]]
            if not again:
                self.batch.settle(chosen)
                return
            if state is not None:
                raise OptionError(f"lane {again[0]}: the game was over before the learner had a choice")
            self.finish()
            self.begin_again(again)

    def begin(
        self,
        lanes: Sequence[int] | None = None,
        seeds: Sequence[int | None] | None = None,
        state: State | Sequence[State | None] | None = None,
    ) -> Sequence[int]:
        """Begin games, and ask nobody yet.

        Args:
            lanes: which; None is all.
            seeds: one for each of N lanes; None, all or one: the lane goes on with its own generators.
            state: a position to start from, or one for each of N lanes, None where there is none.

        Returns:
            The lanes.

        Raises:
            OptionError: a position of another game.
        """
        batch = self.batch
        batch.check_ready(started=False)
        n = batch.num_envs
        chosen = range(n) if lanes is None else [batch.check_lane(lane) for lane in check_list("lanes", lanes)]
        if not batch.started and len(chosen) < n:
            raise OptionError("the first reset() is of all lanes")
        asked: list[int | None] = seeds_of(seeds, n) or [None] * n
        starts: list[State | None] = list(state) if isinstance(state, (list, tuple)) else [cast(Any, state)] * n
        for lane in chosen:
            if (start := starts[lane]) is not None:
                batch.check_state(lane, start)
        first = None if self._seeded else int(batch.seeder.integers(2**62))
        self._seeded = True
        known = [seed for seed in asked if seed is not None]
        by_lane = {lane: seed for lane in chosen if (seed := asked[lane]) is not None}
        given: list[int | None] = [None] * n
        for lane in chosen:
            seed, start = asked[lane], starts[lane]
            if seed is None and first is not None:
                seed = first + lane
                asked[lane] = seed if start is None or start.chance == "explicit" else None
            if seed is not None:
                given[lane] = self._count[lane] = seed
        if by_lane:
            self.reseed(by_lane)
        if known:
            batch.seed_seeder(known[0])
        self._sit_down(chosen)
        batch.begin(chosen, given, starts, asked)
        return chosen

    def begin_again(self, lanes: Sequence[int]) -> None:
        """Begin another game between the same players in lanes where one ended before the learner had a choice, which
        is none for it; ask nobody yet.

        Raises:
            StateError: too many in a row.
        """
        listed = list(lanes)
        self._empty[listed] += 1
        for lane in listed:
            if self._empty[lane] > MAX_EMPTY:
                raise no_choice(lane, "the learner")
        self._episodes[listed] += 1
        self._ops[:] = SKIP
        self._ops[listed] = RESET
        self.batch.run(self._ops, self._actions)

    def step(
        self, actions: NDArray[np.int64], active: NDArray[np.bool_] | None = None, lose: bool = False
    ) -> list[int]:
        """Take the learner's decisions, then let opponents play until the learner is asked again or the game is over.

        Args:
            actions: int64[N].
            active: bool[N], the lanes to step; None is all.
            lose: True: an illegal action loses the game, instead of an error.

        Returns:
            The lanes that were lost by an illegal action.

        Raises:
            IllegalActionError: an action that is not legal, the learner's (no lane has moved) or an opponent's.
            GameOverError: the game of an active lane is over.
        """
        lost = self.act(actions, active, lose)
        while self.answer():
            pass
        self.finish()
        return lost

    def act(self, actions: NDArray[np.int64], active: NDArray[np.bool_] | None = None, lose: bool = False) -> list[int]:
        """Take the learner's decisions as `step` does, and ask nobody else yet."""
        batch, ops = self.batch, self._ops
        batch.check_ready()
        actions = check_actions(actions, batch.num_envs, batch.num_actions)
        ops[:] = ACT
        if active is not None:
            if not isinstance(active, np.ndarray) or active.dtype != np.bool_ or active.shape != ops.shape:
                raise OptionError(f"active: bool[{len(ops)}] is wanted, not {active!r}")
            ops[~active] = SKIP
        over = batch.over & (ops == ACT)
        if over.any():
            raise GameOverError(f"the games of lanes {np.flatnonzero(over).tolist()} are over: reset() begins others")
        return batch.run(ops, actions, lose=lose)

    def answer(self) -> bool:
        """Let opponents decide once wherever it is their turn; return whether it was anywhere.

        Raises:
            IllegalActionError: one chose an action that is not legal.
        """
        if all(player.auto for player in self._players.values()):
            return False
        batch, ops = self.batch, self._ops
        waiting = np.flatnonzero(~batch.over & (batch.to_play != self.learners))
        if not waiting.size:
            return False
        ops[:] = SKIP
        ops[waiting] = ACT
        keys = self.opponents[waiting]
        for key in np.unique(keys).tolist():
            lanes = waiting[keys == key]
            self._actions[lanes] = self._players[key].decide(batch, lanes, self._episodes)
        try:
            batch.run(ops, self._actions)
        except IllegalActionError as error:
            name = self.opponent(cast(int, error.lane)).name
            raise IllegalActionError(f"opponent {name!r}: {error}") from None
        return True

    def finish(self) -> None:
        """Tell opponents of games that are over."""
        if not all(player.batched for player in self._players.values()):
            for lane in np.flatnonzero(self.batch.over).tolist():
                self.opponent(lane).finish(self.batch, lane, int(self._episodes[lane]))

    def outcome(self, lane: int) -> dict[str, Any]:
        """Return how the last game of a lane ended: "winner", a player's index or -1, and "reason"."""
        reason = self.batch.reason(lane)
        return {"winner": int(self.batch.episode_winners[lane]), "reason": reason}

    def close(self) -> None:
        """Close the batch, and opponents made from agent strings. May be called again."""
        self.batch.close()
        for player in self._players.values():
            player.close()


def _side(side: object, names: Sequence[str]) -> int | None:
    """Return the learner's index, or None to alternate."""
    if isinstance(side, str):
        if side == ALTERNATE:
            return None
        if side in names:
            return list(names).index(side)
    elif isinstance(side, (int, np.integer)) and not isinstance(side, bool) and 0 <= side < len(names):
        return int(side)
    allowed = ", ".join([*map(repr, names), *map(str, range(len(names)))])
    raise OptionError(f"side: allowed are {allowed} and {ALTERNATE!r}, not {side!r}")
