"""Looks one decision ahead: takes what makes the position worth most, compared with the others."""

from __future__ import annotations

import random
from collections.abc import Sequence

from hawaii_env.agents import BaseAgent, Clock
from hawaii_env.game import State, check_seed

from .worth import check_aloha, worth

__all__ = ["AlohaGreedyAgent", "values"]


def values(state: State, legal_actions: Sequence[int]) -> list[float]:
    """Return for each action how far ahead of the others' mean it leaves who decides, in points.

    A migration is valued by the best of some amounts: 1, 2, 4, 8, all but one, all.
    """
    player = state.current_player
    found: list[float] = []
    for action in legal_actions:
        after = state.clone()
        after.apply(action)
        if after.phase == "amount" and state.phase != "amount":
            amounts = after.legal_actions()
            some = sorted({i for i in (0, 1, 3, 7, len(amounts) - 2, len(amounts) - 1) if 0 <= i < len(amounts)})
            best = -1e9
            for i in some:
                arrived = after.clone()
                arrived.apply(amounts[i])
                best = max(best, _ahead(arrived, player))
            found.append(best)
        else:
            found.append(_ahead(after, player))
    return found


def _ahead(state: State, player: int) -> float:
    worths = worth(state)
    return worths[player] - (sum(worths) - worths[player]) / (len(worths) - 1)


class AlohaGreedyAgent(BaseAgent):
    """Takes the action after which a hand-made value of the position is greatest; of equals any.

    Args:
        seed: seed of its own generator, which breaks ties; None takes one from the operating system.
    """

    name = "aloha-greedy"

    def __init__(self, seed: int | None = None) -> None:
        self.seed: int | None = None if seed is None else check_seed(seed)
        self._choose = random.Random(self.seed)

    def act(self, state: State, legal_actions: Sequence[int], clock: Clock | None = None) -> int:
        """Return the best action; of equals one at random."""
        check_aloha(state)
        found = values(state, legal_actions)
        best = max(found)
        return self._choose.choice([a for a, value in zip(legal_actions, found, strict=True) if value >= best - 1e-9])

    def __repr__(self) -> str:
        return f"AlohaGreedyAgent(seed={self.seed})"
