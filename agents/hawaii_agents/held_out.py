"""The held-out opponents of the benchmark: never train, tune or select against them.

Each game has a biased one (a rule of thumb with other values), a deviating one (a search with unusual openings and
another evaluation), and a trained one (a policy of another training run with another seed). No league, preset or study
of this project uses them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from hawaii_agents import weights
from hawaii_agents.aloha import AlohaGreedyAgent, AlohaSearchAgent
from hawaii_agents.aloha.worth import WEIGHTS as ALOHA
from hawaii_agents.hawaii1795.rule_of_thumb import RuleOfThumbAgent
from hawaii_agents.hawaii1795.search import WEIGHTS as HAWAII
from hawaii_agents.heiau import BestResponseAgent, GreedyAgent
from hawaii_agents.maori_wars import MaoriGreedyAgent, MaoriSearchAgent
from hawaii_agents.maori_wars.worth import FITTED
from hawaii_agents.maori_wars.worth import WEIGHTS as MAORI
from hawaii_agents.mcts import MCTSAgent
from hawaii_agents.ppo import PPOAgent
from hawaii_env import agents
from hawaii_env.agent_options import Choice, Seed, checked
from hawaii_env.agents import Agent, BaseAgent, Clock
from hawaii_env.errors import OptionError
from hawaii_env.game import Game, State

__all__ = ["KINDS", "HeldOutAgent"]

KINDS = ("biased", "deviating", "trained")

OPENING = {"hawaii1795": 12, "aloha": 6, "heiau": 8, "maori_wars": 16}
"""The decisions of its own in which a deviating agent plays its opening."""

SLIP = 0.5
"""The chance of a random action in each decision of an opening; the others are the biased agent's."""


def _warped(shipped: Any, seed: int, fixed: int = 0) -> NDArray[np.float64]:
    """Return weights, each but the last `fixed` multiplied by a number from 1/2 to 2 that the seed draws."""
    found = np.asarray(shipped, np.float64)
    factors = np.exp2(np.random.default_rng(seed).uniform(-1.0, 1.0, found.shape))
    factors[..., found.shape[-1] - fixed :] = 1.0
    return found * factors


def _heiau(agent: GreedyAgent, fade: float) -> GreedyAgent:
    agent.fade = fade
    return agent


Make = Callable[[int | None], Agent]

MAKERS: dict[tuple[str, str], Make] = {
    ("hawaii1795", "biased"): lambda seed: RuleOfThumbAgent(seed, 0.3, _warped(HAWAII, 1795).tolist()),
    ("hawaii1795", "deviating"): lambda seed: MCTSAgent(64, plans=False, seed=seed),
    ("aloha", "biased"): lambda seed: AlohaGreedyAgent(seed, _warped(ALOHA, 1893)),
    ("aloha", "deviating"): lambda seed: AlohaSearchAgent(16, ahead=2, seed=seed, weights=_warped(ALOHA, 1898)),
    ("heiau", "biased"): lambda seed: _heiau(GreedyAgent(0.6, seed), 0.8),
    ("heiau", "deviating"): lambda seed: _heiau(
        BestResponseAgent(8, plans=8, draws=4, sweeps=1, phases=2, noise=0.8, refine=0, seed=seed), 0.35
    ),
    ("maori_wars", "biased"): lambda seed: MaoriGreedyAgent(6, seed, _warped(MAORI, 1845, 1)),
    ("maori_wars", "deviating"): lambda seed: MaoriSearchAgent(
        8, samples=4, movement_sims=32, movements=8, seed=seed, weights=_warped(FITTED["taranaki"], 1860, 1)
    ),
}  # fmt: skip
"""Makers of the agents without weights, by game and kind; each takes a seed."""


class HeldOutAgent(BaseAgent):
    """Held out for the benchmark: never train, tune or select against it.

    Args:
        kind: "biased": a rule of thumb with other values; "deviating": a search with other openings, half random, and
            another evaluation; "trained": a policy of another training run, from the distribution hawaii-env-weights.
        seed: seed of its generators; None takes one from the operating system.
    """

    name = "held-out"
    games: Sequence[str] = tuple(dict.fromkeys(game for game, _ in MAKERS))
    strength = "see the benchmark"

    @checked
    def __init__(
        self,
        kind: Annotated[str, Choice(KINDS)] = "biased",
        seed: Annotated[int | None, Seed()] = None,
    ) -> None:
        self.kind: str = kind
        self.seed: int | None = seed
        self._choose = random.Random(seed)
        self._left = 0

    def begin(self, game: Game, player: int) -> None:
        """Make the agents for a game and begin it.

        Raises:
            OptionError: a game without held-out opponents, or weights that are not installed.
        """
        super().begin(game, player)
        if game.name not in OPENING:
            raise OptionError(f"agent {self.name!r} plays {', '.join(OPENING)}, not {game.name}")
        self._choose = random.Random(self.seed)
        self.opening: Agent = MAKERS[game.name, "biased"](self.seed)
        make = MAKERS.get((game.name, self.kind))
        self.base: Agent = make(self.seed) if make else PPOAgent(weights.find(game, held_out=True), seed=self.seed)
        self._left = OPENING[game.name] if self.kind == "deviating" else 0
        for agent in (self.opening, self.base):
            agents.begin(agent, game, player)

    def files(self) -> Sequence[str | Path]:
        """Return the files of its base agent; before the first game, all files of held-out weights."""
        if hasattr(self, "base"):
            return super().files()
        return sorted((weights.FOLDER / weights.HELD_OUT).glob("*.safetensors"))

    def act(self, state: State, legal_actions: Sequence[int], clock: Clock | None = None) -> int:
        """Return one of `legal_actions`."""
        if self._left > 0:
            self._left -= 1
            if self._choose.random() < SLIP:
                return self._choose.choice(list(legal_actions))
            return self.opening.act(state, legal_actions, clock)
        return self.base.act(state, legal_actions, clock)
