"""Rules of thumb for Maori Wars: each choice is played out to its end and valued."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from hawaii_env.agent_options import Count, Given, Seed, checked
from hawaii_env.agents import BaseAgent, Clock
from hawaii_env.core.rng import seed_words
from hawaii_env.game import Game, State
from hawaii_env.maori_wars.fast import records

from .lookahead import AGENTS, examples
from .plans import Buffer, new_buffer
from .worth import WEIGHTS

__all__ = ["MaoriGreedyAgent"]


class MaoriGreedyAgent(BaseAgent):
    """Takes the action whose outcome is worth most: a whole move, or a combat averaged over some plays of its dice.

    Args:
        samples: plays that a choice with dice is averaged over.
        seed: seed of its own generator; None takes one from the operating system.
        weights: what it values, as `worth.WEIGHTS`.
    """

    name = "maori-greedy"
    games: Sequence[str] = ("maori_wars",)
    strength = "99% against random (taranaki)"

    @checked
    def __init__(
        self,
        samples: Annotated[int, Count()] = 12,
        seed: Annotated[int | None, Seed()] = None,
        weights: Annotated[Any, Given("an array of weights", (np.ndarray,))] = WEIGHTS,
    ) -> None:
        self.samples: int = samples
        self.seed: int | None = seed
        self.weights: NDArray[np.float64] = weights
        self._words = np.array(seed_words(self.seed), np.int64)
        self._memory: tuple[Game, Buffer] | None = None

    def act(self, state: State, legal_actions: Sequence[int], clock: Clock | None = None) -> int:
        """Return the best action; of equals one at random."""
        position = self.check_state(state)
        tables, record = records(position)
        if self._memory is None or self._memory[0] is not position.game:
            self._memory = position.game, new_buffer(position.game)
        entries = AGENTS.compile_now(examples)
        return int(entries.think(tables, record, self.weights, self._memory[1], self._words, self.samples))
