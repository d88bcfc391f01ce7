"""The strongest agent here: whole plans compared by rollouts at movement, graph search in battles."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hawaii_agents.mcts import GuidedMCTSAgent
from hawaii_agents.network import Policy
from hawaii_env.agents import Clock
from hawaii_env.game import Game, State

PLANNED = ("setup", "home", "recruiting", "withdrawal", "window", "movement", "pickup", "cargo", "sail")


class ChampionAgent(GuidedMCTSAgent):
    name = "champion"

    def __init__(self, sims: int | None = 256, ms: float | None = None, seconds=None, ratio: float = 8.0, blank: bool = False, where: str = "movement",
                 most: int = 48, halves: int = 2, heat: float = 1.0, rollout_heat: float = 1.0, **others: Any) -> None:
        self.rollouts = sims
        if ms is not None: seconds = ms / 1000
        super().__init__(None if sims is None else max(1, int(sims * ratio)), seconds, **others)
        self.blank = blank
        self.where = where
        self.how = dict(most=most, halves=halves, heat=heat, rollout_heat=rollout_heat)
        self.plans: Any = None

    def begin(self, game: Game, player: int) -> None:
        super().begin(game, player)
        if self.plans is not None:
            self.plans.seed(self.seed)

    def _fit(self, game: Game) -> None:
        if game is self._game:
            return
        super()._fit(game)
        from hawaii_env.hawaii1795.search import Weights
        from hawaii_env.hawaii1795.search.plans import Plans
        from hawaii_env.hawaii1795.search.search import _blank
        self.plans = Plans(game, _blank() if self.blank else Weights(self._policy(game).tensors), seed=self.seed, **self.how)

    def act(self, state: State, legal_actions: Sequence[int], clock: Clock | None = None) -> int:
        self._fit(state.game)
        if self.where == "all" or (self.where == "movement" and state.view().phase in PLANNED):
            self.plans.set_root(state)
            self.plans.run(self.rollouts, self.seconds)
            return self.plans.best()
        return super().act(state, legal_actions, clock)
