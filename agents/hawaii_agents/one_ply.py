"""One-ply search for any game: tries each legal action and plays the game out many times."""

from __future__ import annotations

import random
from collections.abc import Sequence
from time import perf_counter
from typing import Annotated, Any

import numpy as np

from hawaii_env import agents
from hawaii_env.agent_options import Count, Real, Seed, Text, checked
from hawaii_env.agents import BaseAgent, Clock
from hawaii_env.errors import GameOverError, OptionError
from hawaii_env.game import SIMULTANEOUS, State
from hawaii_env.rollouts import action_values, playouts

__all__ = ["OnePlyAgent"]


class OnePlyAgent(BaseAgent):
    """Chooses the action with the best playouts. For any game in which one player decides at a time.

    Playout k has the same dice after every action, which reduces the variance of differences. With a time limit it is
    anytime: it plays batches of increasing size, and stops before the time is up.

    Args:
        rollouts: playouts for each action, 1 or more; with a clock, the maximum.
        seed: seed of its own generator; None takes one from the operating system.
        policy: agent string of both sides in playouts: "random" in compiled code, or an agent with `act_batch`.
        limit: decisions after which a playout counts as a tie; None is the game's own limit.
        threads: threads for random playouts.
        share: the used share of the clock's remaining time: above 0, at most 1.
    """

    name = "one-ply"
    simulations_option = "rollouts"

    @checked
    def __init__(
        self,
        rollouts: Annotated[int, Count()] = 100,
        seed: Annotated[int | None, Seed()] = None,
        policy: Annotated[str, Text()] = "random",
        limit: Annotated[int | None, Count()] = None,
        threads: Annotated[int, Count(most=1024)] = 1,
        share: Annotated[float, Real(above=0, most=1)] = 0.8,
    ) -> None:
        self.rollouts: int = rollouts
        self.policy: str = policy
        self.limit: int | None = limit
        self.threads: int = threads
        self.share: float = share
        self.seed: int | None = seed
        self.played: int = 0
        """Playouts for each action at the last decision."""
        self._random = random.Random(self.seed)
        self._policy: Any = None if policy == "random" else agents.load_agent(policy, seed=self.seed or 0)

    def begin(self, game: Any, player: int) -> None:
        """Restart the generator, so that a game does not depend on earlier ones."""
        super().begin(game, player)
        self._random = random.Random(self.seed)

    def act(self, state: State, legal_actions: Sequence[int], clock: Clock | None = None) -> int:
        """Return the legal action with the best mean result; the first of equals.

        Raises:
            OptionError: several players choose at once, or the policy plays no batches.
        """
        player = state.current_player
        if player == SIMULTANEOUS or player < 0:
            raise OptionError(f"agent {self.name!r} needs a position in which one player decides")
        time = None if clock is None or clock.left == float("inf") else clock.left * self.share
        start = perf_counter()
        sums = np.zeros(len(legal_actions))
        self.played, batch = 0, self.rollouts if time is None else min(2, self.rollouts)
        while True:
            before = perf_counter()
            sums += self._batch(state, legal_actions, batch, player)
            self.played += batch
            if time is None or self.played >= self.rollouts:
                break
            now = perf_counter()
            # Twice as many where the time allows, else as many as it allows.
            each = (now - before) / batch
            batch = min(2 * batch, self.rollouts - self.played, int((time - (now - start)) / max(each, 1e-9)))
            if batch < 1:
                break
        return int(legal_actions[int(sums.argmax())])

    def _batch(self, state: State, actions: Sequence[int], n: int, player: int) -> Any:
        """Return the sums of a player's results over n playouts after each action, float64[A]."""
        seed = self._random.getrandbits(62)
        if self._policy is None:
            values = action_values(state, n, seed, actions, self.limit, self.threads)
            return values.returns[:, :, player].sum(axis=1, dtype=np.float64)
        sums = np.zeros(len(actions))
        for at, action in enumerate(actions):
            child = state.clone()
            child.apply(action)
            if child.is_terminal:
                sums[at] = n * child.returns()[player]
            else:
                try:
                    result = playouts(child, n, seed, self._policy, self.limit)
                except GameOverError:
                    # Chance may end the game before anybody has a choice; playouts in compiled code allow for it.
                    result = playouts(child, n, seed, "random", self.limit)
                sums[at] = result.returns[:, player].sum()
        return sums
