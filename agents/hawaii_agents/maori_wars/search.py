"""Search for Maori Wars: the best greedy choices, each followed by greedy play of both players."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from hawaii_env.agent_options import Count, Seed, checked
from hawaii_env.agents import BaseAgent, Clock
from hawaii_env.core.rng import seed_words
from hawaii_env.game import State
from hawaii_env.maori_wars.fast import records

from . import plans
from .worth import WEIGHTS, check_maori_wars

__all__ = ["MaoriSearchAgent"]


class MaoriSearchAgent(BaseAgent):
    """Plays the best greedy choices out, both players going on greedily, and takes the one that leaves it best off.

    Args:
        sims: plays of a decision; the same seed gives the same moves.
        choices: the best greedy choices that are tried.
        halves: halves of turns that are played out, the rest of this one included.
        samples: plays that the greedy values of choices with dice are averaged over.
        seed: seed of its own generator; None takes one from the operating system.
    """

    name = "maori-search"
    games = ("maori_wars",)

    @checked
    def __init__(
        self,
        sims: Annotated[int, Count()] = 48,
        choices: Annotated[int, Count()] = 6,
        halves: Annotated[int, Count()] = 2,
        samples: Annotated[int, Count()] = 12,
        seed: Annotated[int | None, Seed()] = None,
    ) -> None:
        self.sims: int = sims
        self.choices: int = choices
        self.halves: int = halves
        self.samples: int = samples
        self.seed: int | None = seed
        self._limits = np.array([self.sims, self.choices, self.halves, self.samples])
        self._words = np.array(seed_words(self.seed), np.int64)
        self._buffers: tuple[plans.Buffer, plans.Buffer] | None = None
        self._size = 0

    def act(self, state: State, legal_actions: Sequence[int], clock: Clock | None = None) -> int:
        """Return the action after which greedy play leaves it best off."""
        state = check_maori_wars(state)
        tables, record = records(state)
        if self._buffers is None or self._size != state.game.num_actions:
            self._buffers = plans.new_buffer(state.game), plans.new_buffer(state.game)
            self._size = state.game.num_actions
        search = plans.AGENTS.compile_now(plans.examples).search
        return int(search(tables, record, WEIGHTS, *self._buffers, self._words, self._limits))

    def __repr__(self) -> str:
        return f"MaoriSearchAgent(sims={self.sims}, choices={self.choices}, halves={self.halves}, seed={self.seed})"
