"""Opponents as the environments for one learner ask them: the Gymnasium environments and the one for
Stable-Baselines3.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from hawaii_env import agents
from hawaii_env._arguments import check_kind
from hawaii_env.agents import Agent, BaseAgent
from hawaii_env.env.vector import BatchEnv, check_actions
from hawaii_env.errors import IllegalActionError, OptionError
from hawaii_env.game import Game, difference

__all__ = ["Opponent", "OpponentPlayer"]

Policy: TypeAlias = Callable[[NDArray[Any], NDArray[np.int8]], Any]
Opponent: TypeAlias = "str | Agent | Policy"


class OpponentPlayer:
    """An opponent as environments ask it: what is told to an agent and when, and whose it is.

    One that decides from observations is asked once for all lanes, and begins each distinct game of theirs once. One
    that decides from positions is asked lane by lane, begins each game and, where it has `finish`, is told how it
    ended; what an agent string names is made for each lane and player then, since it may remember its game.

    Args:
        opponent: an agent string, an agent, or a function of observations and masks.
        seeds: by lane, for agents made from an agent string; one asked for all lanes takes the first. Without one the
            agent draws its own.

    Attributes:
        auto: the batch plays it, in compiled code.
        batched: it decides from observations.
        owned: it was made here, so that a seed makes it anew, and `close` ends it.
        name: for messages and statistics.

    Raises:
        OptionError: an unknown opponent.
    """

    wanted: ClassVar[str] = (
        "opponent: an agent string (as 'random'), an agent or a function of observations and masks is wanted"
    )

    def __init__(self, opponent: object, seeds: Mapping[int, int] | None = None) -> None:
        self.opponent = opponent
        self.auto: bool = isinstance(opponent, str) and opponent == "random"
        self.owned: bool = isinstance(opponent, str)
        self._seeds = {} if seeds is None else dict(check_kind("seeds", seeds, Mapping))
        agent = self._make(next(iter(self._seeds.values()), None))
        act = getattr(agent, "act_batch", None)
        function = act is None and not hasattr(agent, "act")
        if function:
            act = agent
        elif getattr(type(agent), "act_batch", None) is BaseAgent.act_batch:
            act = None
        self.batched: bool = callable(act)
        if isinstance(opponent, type) or not (self.batched or callable(getattr(agent, "act", None))):
            raise OptionError(f"{self.wanted}, not {opponent!r} ({type(opponent).__name__})")
        self.name: str = str(getattr(agent, "name", "") or getattr(agent, "__name__", type(agent).__name__))
        # Agents are promised scaled observations; a function is the caller's, and gets what the environment gives.
        self._raw: bool | None = None if function else getattr(agent, "raw", False) is True
        self._agent = agent
        self._begun_batched = False
        self._agents: dict[tuple[int, int], Any] = {}  # of an agent string: by lane and player
        self._seeder: np.random.Generator | None = None  # seeds of those that were given none
        self._begun: dict[tuple[int, int], int] = {}  # by lane and player: the game it has begun
        self._told: tuple[Game, int] | None = None  # what an object that serves all lanes was last told to play

    def _make(self, seed: int | None) -> Any:
        if isinstance(self.opponent, str):
            return agents.load_agent(self.opponent, seed=seed)
        return self.opponent

    def reseed(self, seeds: Mapping[int, int]) -> None:
        """Make what is owned anew, by these seeds; where it is asked lane by lane, in these lanes."""
        if not self.owned:
            return
        self._seeds.update(seeds)
        if self.batched:
            self._close(self._agent)
            self._agent = self._make(next(iter(seeds.values()), None))
            self._begun_batched = False
        for seat in [seat for seat in self._agents if seat[0] in seeds]:
            self._close(self._agents.pop(seat))
            self._begun.pop(seat, None)

    def decide(self, batch: BatchEnv, lanes: NDArray[np.int64], episodes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return an action for each of these lanes, int64[n].

        Args:
            batch: the lanes' batch.
            lanes: int64[n], where it is to act.
            episodes: int64[N], the number of the game that each lane plays.

        Raises:
            IllegalActionError: an answer of another shape or type; from positions also an action that is not legal.
        """
        if not self.batched:
            return np.array([self._act(batch, lane, int(episodes[lane])) for lane in lanes.tolist()], np.int64)
        if not self._begun_batched:
            for game in _distinct(batch.games):
                agents.begin(self._agent, game, int(batch.to_play[lanes[0]]))
            self._begun_batched = True
        act = cast(Policy, getattr(self._agent, "act_batch", self._agent))
        chosen = act(self._observations(batch, lanes), batch.masks[lanes])
        try:
            return check_actions(chosen, len(lanes), batch.num_actions)
        except IllegalActionError as error:
            raise IllegalActionError(f"opponent {self.name!r}: {error}") from None

    def _observations(self, batch: BatchEnv, lanes: NDArray[np.int64]) -> NDArray[Any]:
        """A copy, so that an agent may write into what it is given; scaled as the agent wants it."""
        if self._raw is None or self._raw == batch.raw:
            return batch.observations[lanes]
        rows = [batch.get_state(lane).observation(int(batch.to_play[lane]), raw=self._raw) for lane in lanes.tolist()]
        return np.stack(rows)

    def _act(self, batch: BatchEnv, lane: int, episode: int) -> int:
        """A decision from the position."""
        player = int(batch.to_play[lane])
        game, seat, agent = batch.games[lane], (lane, player), self._agent
        if self.owned:
            agent = self._agents.get(seat)
            if agent is None:
                agent = self._agents[seat] = self._make(self._seed_of(lane))
        if self._begun.get(seat) != episode or (not self.owned and self._told != (game, player)):
            agents.begin(agent, game, player)
            self._begun[seat] = episode
            self._told = game, player
        legal = np.flatnonzero(batch.masks[lane]).tolist()
        action = agent.act(batch.get_state(lane).for_search(int(batch.to_play[lane])), legal, None)
        try:
            chosen = operator.index(action)
        except TypeError:
            chosen = -1
        if chosen not in legal:
            raise IllegalActionError(f"lane {lane}: opponent {self.name!r} chose {action!r}, which is not legal")
        return chosen

    def _seed_of(self, lane: int) -> int:
        """The seed that a lane's agent was given, else one that a copy of the environment draws as well."""
        seed = self._seeds.get(lane)
        return int(self.seeder.integers(2**62)) if seed is None else seed

    @property
    def seeder(self) -> np.random.Generator:
        """The generator of seeds that are not given."""
        if self._seeder is None:
            self._seeder = np.random.default_rng()
        return self._seeder

    def __getstate__(self) -> dict[str, Any]:
        _ = self.seeder
        return self.__dict__

    def finish(self, batch: BatchEnv, lane: int, episode: int) -> None:
        """The game of a lane is over: tell agents that have begun it, and have `finish`, how. One that was broken off
        is not told.
        """
        if self.batched:
            return
        seats = [(lane, player) for player in range(batch.games[lane].num_players)]
        begun = [seat for seat in seats if self._begun.pop(seat, None) == episode]
        told = {id(agent): agent for seat in begun if hasattr(agent := self._agents.get(seat, self._agent), "finish")}
        if told and (state := batch.get_state(lane)).is_terminal:
            for agent in told.values():
                agent.finish(state)

    def close(self) -> None:
        """Close agents that were made here from an agent string, where they can be. May be called again."""
        if self.owned:
            for agent in (self._agent, *self._agents.values()):
                self._close(agent)

    @staticmethod
    def _close(agent: Any) -> None:
        close = getattr(agent, "close", None)
        if callable(close):
            close()


def _distinct(games: Sequence[Game]) -> list[Game]:
    """The games that differ, in the order of the lanes."""
    found: list[Game] = []
    for game in {id(game): game for game in games}.values():
        if all(difference(game, other) for other in found):
            found.append(game)
    return found
