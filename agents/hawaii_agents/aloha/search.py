"""Searches: the tree search for any game (max^n, chance nodes), with ALOHA's value and priors instead of random
games.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from hawaii_agents.tree_search import PythonSearch
from hawaii_env.agents import Clock
from hawaii_env.game import State

from .greedy import values
from .worth import check_aloha, worth

__all__ = ["AlohaSearchAgent"]

SPREAD = 6.0
"""Points of lead that make a victory e times as likely as another's, with half of the game to come."""


def _returns(state: State) -> list[float]:
    """Each player's expected return, from what the position is worth to each: a softmax of victories, as rewards count
    them.
    """
    worths = worth(state)
    best = max(worths)
    weights = [math.exp((value - best) / SPREAD) for value in worths]
    n, whole = len(weights), sum(weights)
    return [(weight / whole - 1 / n) * n / (n - 1) for weight in weights]


def _prior(state: State, legal_actions: Sequence[int], player: int) -> list[float]:
    found = values(state, legal_actions)
    best = max(found)
    return [math.exp(max((value - best), -20.0)) + 0.01 for value in found]


class AlohaSearchAgent(PythonSearch):
    """Monte Carlo tree search with chance nodes in which every player looks to his own return.

    Args:
        sims: simulations a decision.
        seconds: seconds a decision; None for no limit beside `sims`.
        c: how much untried actions are favoured.
        seed: of its random numbers.
    """

    name = "aloha-search"

    def __init__(
        self, sims: int | None = 100, seconds: float | None = None, c: float = 0.7, seed: int | None = None
    ) -> None:
        super().__init__(sims=sims, seconds=seconds, c=c, evaluate=_returns, prior=_prior, reuse=False, seed=seed)

    def act(self, state: State, legal_actions: Sequence[int], clock: Clock | None = None) -> int:
        """Search, and return an action; see `hawaii_env.agents.Agent.act`."""
        check_aloha(state)
        return super().act(state, legal_actions, clock)
