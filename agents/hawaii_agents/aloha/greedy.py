"""One-ply search: chooses the action with the best position relative to the other players."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from hawaii_env.agent_options import Given, Seed, checked
from hawaii_env.agents import BaseAgent, Clock
from hawaii_env.aloha.fast import records
from hawaii_env.core.rng import seed_words
from hawaii_env.game import Game, State

from . import tree
from .worth import WEIGHTS

__all__ = ["AlohaGreedyAgent"]


class AlohaGreedyAgent(BaseAgent):
    """Chooses the action with the greatest hand-made value of the next position; a random one of equals.

    Args:
        seed: seed of its own generator, which breaks ties; None takes one from the operating system.
        weights: weights of the value, as `worth.WEIGHTS`.
    """

    name = "aloha-greedy"
    games: Sequence[str] = ("aloha",)
    strength = "100% against random (2 players)"

    @checked
    def __init__(
        self,
        seed: Annotated[int | None, Seed()] = None,
        weights: Annotated[Any, Given("an array of weights", (np.ndarray,))] = WEIGHTS,
    ) -> None:
        self.seed: int | None = seed
        self.weights: NDArray[np.float64] = weights
        self._words = np.array(seed_words(self.seed), np.int64)
        self._tree = tree.new_tree(1)

    @classmethod
    def compile(cls, game: Game) -> None:
        """Compile what agents of ALOHA run, if it is not compiled yet."""
        if game.name == "aloha":
            tree.AGENTS.compile_now(tree.examples)

    def act(self, state: State, legal_actions: Sequence[int], clock: Clock | None = None) -> int:
        """Return the best action; a random one of equals."""
        tables, record = records(self.check_state(state))
        think = tree.AGENTS.compile_now(tree.examples).think
        return int(think(tables, record, self.weights, tree.CONSTANTS, self._tree, self._words, 0))
