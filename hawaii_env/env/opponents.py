"""Opponents in the environments for one learner."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from hawaii_env import agents
from hawaii_env._arguments import check_kind, whole
from hawaii_env.agents import Agent, BaseAgent
from hawaii_env.core.batch import check_actions
from hawaii_env.env.runner import BatchRunner
from hawaii_env.errors import IllegalActionError, OptionError
from hawaii_env.game import Game, difference
from hawaii_env.pools import Pool
from hawaii_env.texts import show_value

__all__ = ["Opponent", "OpponentPlayer"]

Policy: TypeAlias = Callable[[NDArray[Any], NDArray[np.int8]], Any]
Opponent: TypeAlias = "str | Agent | Policy | Pool"


class OpponentPlayer:
    """An opponent as the games use it: it begins games, decides, and is notified of their ends.

    An opponent that decides from observations is called once for all environments, and begins each distinct game once.
    One that decides from positions is called per environment, begins each game and, if it has `finish`, is notified of
    its end; if a string names it, each environment and player gets its own agent, because it may keep state.

    Args:
        opponent: an agent string, an agent, or a function of observations and masks.
        seeds: by environment, for agents that a string names; one called for all environments uses the first. Without
            one the agent draws its own.

    Attributes:
        auto: True if the batch plays it in compiled code.
        batched: True if it decides from observations.
        owned: True if it was made here, so that a seed recreates it and `close` closes it.
        name: for messages and statistics.

    Raises:
        OptionError: an unknown opponent.
    """

    wanted: ClassVar[str] = (
        "opponent: expected an agent string (as 'random'), an agent or a function of observations and masks"
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
        # Agents always get scaled observations; a function of the caller gets those of the environment.
        self._raw: bool | None = None if function else getattr(agent, "raw", False) is True
        self._agent = agent
        self._begun_batched = False
        self._agents: dict[tuple[int, int], Any] = {}  # agents made from a string, by environment and player
        self._seeder: np.random.Generator | None = None  # seeds for agents without a given seed
        self._begun: dict[tuple[int, int], int] = {}  # by environment and player: number of the game it has begun
        self._playing: tuple[Game, int] | None = None  # the game last begun by an object that serves all environments

    def _make(self, seed: int | None) -> Any:
        if isinstance(self.opponent, str):
            return agents.load_agent(self.opponent, seed=seed)
        return self.opponent

    def reseed(self, seeds: Mapping[int, int]) -> None:
        """Recreate owned agents with these seeds, those of their environments."""
        if not self.owned:
            return
        self._seeds.update(seeds)
        if self.batched:
            agents.close(self._agent)
            self._agent = self._make(next(iter(seeds.values()), None))
            self._begun_batched = False
        for seat in [seat for seat in self._agents if seat[0] in seeds]:
            agents.close(self._agents.pop(seat))
            self._begun.pop(seat, None)

    def decide(self, runner: BatchRunner, indices: NDArray[np.int64], episodes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return an action for each of these environments, int64[n].

        Args:
            runner: what steps the games.
            indices: int64[n], the environments in which it is to act.
            episodes: int64[N], the number of the game that each environment plays.

        Raises:
            IllegalActionError: an answer of a wrong shape or type; from positions also an illegal action.
        """
        if not self.batched:
            return np.array([self._act(runner, i, int(episodes[i])) for i in indices.tolist()], np.int64)
        if not self._begun_batched:
            for game in _distinct(runner.kinds):
                agents.begin(self._agent, game, int(runner.arrays.to_play[indices[0]]))
            self._begun_batched = True
        act = cast(Policy, getattr(self._agent, "act_batch", self._agent))
        chosen = act(self._observations(runner, indices), runner.arrays.masks[indices])
        try:
            return check_actions(chosen, len(indices), runner.num_actions)
        except IllegalActionError as error:
            raise IllegalActionError(f"opponent {self.name!r}: {error}") from None

    def _observations(self, runner: BatchRunner, indices: NDArray[np.int64]) -> NDArray[Any]:
        """Return a writable copy of the observations in the agent's form, scaled or raw."""
        if self._raw is None or self._raw == runner.raw:
            return runner.arrays.observations[indices]
        seats = [(runner.get_state(i), int(runner.arrays.to_play[i])) for i in indices.tolist()]
        return np.stack([state.observation(player, raw=self._raw) for state, player in seats])

    def _act(self, runner: BatchRunner, env_index: int, episode: int) -> int:
        """Return a decision from the position."""
        player = int(runner.arrays.to_play[env_index])
        game, seat, agent = runner.backend.game(env_index), (env_index, player), self._agent
        if self.owned:
            agent = self._agents.get(seat)
            if agent is None:
                agent = self._agents[seat] = self._make(self._seed_of(env_index))
        if self._begun.get(seat) != episode or (not self.owned and self._playing != (game, player)):
            agents.begin(agent, game, player)
            self._begun[seat] = episode
            self._playing = game, player
        legal = runner.arrays.masks[env_index].nonzero()[0].tolist()
        action = agent.act(runner.backend.known(env_index, player), legal, None)
        chosen = whole(action)
        if chosen is None or chosen not in legal:
            raise IllegalActionError(
                f"environment {env_index}: opponent {self.name!r} chose {show_value(action)}, which is not legal"
            )
        return chosen

    def _seed_of(self, env_index: int) -> int:
        """Return the seed given to an environment's agent, or one that a copy of the environment would draw, too."""
        seed = self._seeds.get(env_index)
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

    def finish(self, runner: BatchRunner, env_index: int, episode: int) -> None:
        """Notify the agents of an environment's game of its end.

        For agents that have `finish`, and complete games only.
        """
        if self.batched:
            return
        seats = [(env_index, player) for player in range(runner.backend.game(env_index).num_players)]
        begun = [seat for seat in seats if self._begun.pop(seat, None) == episode]
        waiting = {
            id(agent): agent for seat in begun if hasattr(agent := self._agents.get(seat, self._agent), "finish")
        }
        if waiting and (state := runner.get_state(env_index)).is_terminal:
            for agent in waiting.values():
                agent.finish(state)

    def close(self) -> None:
        """Close agents made from strings, if they can be closed. May be called repeatedly."""
        if self.owned:
            for agent in (self._agent, *self._agents.values()):
                agents.close(agent)


def _distinct(games: Sequence[Game]) -> list[Game]:
    """Return the games that differ, in the order of the environments."""
    found: list[Game] = []
    for game in {id(game): game for game in games}.values():
        if all(difference(game, other) for other in found):
            found.append(game)
    return found
