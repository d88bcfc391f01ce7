"""Search for Maori Wars: plans, each followed by greedy play of both players."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from hawaii_env.agent_options import Count, Given, Seed, checked
from hawaii_env.agents import BaseAgent, Clock
from hawaii_env.core.rng import seed_words
from hawaii_env.game import State
from hawaii_env.maori_wars.fast import records

from .lookahead import AGENTS, Plans, examples, new_plans
from .plans import Buffer, new_buffer
from .worth import FITTED, check_maori_wars

__all__ = ["MaoriSearchAgent"]


class MaoriSearchAgent(BaseAgent):
    """Plays plans out, both players going on greedily, and takes the one that leaves it best off: plans of a whole
    movement, and of other choices those that are worth most.

    Args:
        sims: plays that compare choices; the same seed gives the same moves.
        choices: the best greedy choices that are tried.
        halves: halves of turns that are played out, the rest of this one included.
        samples: plays that the greedy values of choices with dice are averaged over.
        movement_sims: plays that compare movements.
        movements: movements that are tried.
        seed: seed of its own generator; None takes one from the operating system.
        weights: what it values, as `worth.FITTED`.
    """

    name = "maori-search"
    simulations_option = "sims"
    games = ("maori_wars",)

    @checked
    def __init__(
        self,
        sims: Annotated[int, Count()] = 32,
        choices: Annotated[int, Count()] = 6,
        halves: Annotated[int, Count()] = 1,
        samples: Annotated[int, Count()] = 8,
        movement_sims: Annotated[int, Count()] = 160,
        movements: Annotated[int, Count()] = 16,
        seed: Annotated[int | None, Seed()] = None,
        weights: Annotated[Any, Given("an array of weights", (np.ndarray,))] = FITTED,
    ) -> None:
        self.sims: int = sims
        self.choices: int = choices
        self.halves: int = halves
        self.samples: int = samples
        self.movement_sims: int = movement_sims
        self.movements: int = movements
        self.seed: int | None = seed
        self.weights: NDArray[np.float64] = weights
        self.limits = np.array([sims, choices, halves, samples, movement_sims, movements])
        self._words = np.array(seed_words(self.seed), np.int64)
        self._memory: tuple[Buffer, Plans] | None = None
        self._size = 0

    def act(self, state: State, legal_actions: Sequence[int], clock: Clock | None = None) -> int:
        """Return the action after which greedy play leaves it best off."""
        state = check_maori_wars(state)
        tables, record = records(state)
        if self._memory is None or self._size != state.game.num_actions:
            most = max(self.choices, self.movements)
            self._memory = new_buffer(state.game), new_plans(state.game, most)
            self._size = state.game.num_actions
        search = AGENTS.compile_now(examples).search
        return int(search(tables, record, self.weights, *self._memory, self._words, self.limits))

    def __repr__(self) -> str:
        return f"MaoriSearchAgent(sims={self.sims}, choices={self.choices}, halves={self.halves}, seed={self.seed})"
