"""The trained policy as an agent: one evaluation per decision, no search, no torch."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from hawaii_agents import weights as shipped
from hawaii_agents.network import Policy, require
from hawaii_env.agent_options import Flag, Given, Real, Seed, Text, checked
from hawaii_env.agents import Clock, PolicyAgent, best_in_rows
from hawaii_env.errors import OptionError
from hawaii_env.game import SIMULTANEOUS, Game, State

__all__ = ["PPOAgent"]


class PPOAgent(PolicyAgent):
    """A policy trained by self-play with PPO: plays its likeliest action, or samples.

    Args:
        weights: a policy; the path of a safetensors file; or the name of a shipped one (`hawaii_agents.weights.names`).
            None means the shipped one for the game.
        greedy: True plays the likeliest action, which is stronger in measurements; False samples, which is harder to
            predict.
        temperature: divides the logits before sampling: below 1 is sharper, above 1 closer to random.
        seed: seed of the draws; None takes one from the operating system.
        name: name for tables.
        path: the weights' file, as in the agent string ``ppo:FILE``; instead of `weights`.
        any_ruleset: True also plays rulesets on which the weights were not trained.

    Raises:
        OptionError: no such file, a temperature of 0 or less, or one for a greedy agent. When a game
            begins: weights of another action table or observation, of another ruleset (`Policy.check`), or no shipped
            ones for the game.
    """

    name: str = "ppo"
    games: Sequence[str] = tuple(sorted({name.partition("-")[0] for name in shipped.names()}))
    extra = "agents"
    strength = (
        "638 Elo above random in hawaii1795; 81% against heiau-greedy (triangle), 75% against maori-greedy (taranaki), "
        "38% against aloha-greedy (2 players)"
    )

    @checked
    def __init__(
        self,
        weights: shipped.Weights = None,
        greedy: Annotated[bool, Flag()] = True,
        temperature: Annotated[float, Real(least=0.001, most=1000)] = 1.0,
        seed: Annotated[int | None, Seed()] = None,
        name: Annotated[str, Text()] = "ppo",
        path: Annotated[str | Path | None, Given("a path", (str, Path))] = None,
        any_ruleset: Annotated[bool, Flag()] = False,
    ) -> None:
        if path is not None:
            if weights is not None:
                raise OptionError(f"ppo: expected either path={path} or weights={weights}, not both")
            weights = path
        self.temperature: float = temperature
        if greedy and temperature != 1.0:
            raise OptionError(f"temperature={temperature:g} is of draws: say greedy=false, too")
        self.policy: Policy | None = None
        require()
        if weights is not None:
            self.policy = weights if isinstance(weights, Policy) else shipped.load(weights)
            self.games = ()  # the weights say which game they are for
        self.name = name
        self.greedy: bool = greedy
        self._rng = np.random.default_rng(seed)
        self.any_ruleset: bool = any_ruleset
        self._given = weights is not None
        self._checked: Game | None = None

    def begin(self, game: Game, player: int) -> None:
        """Check that the weights match the game, or find matching ones."""
        super().begin(game, player)
        self._fit(game)

    def _fit(self, game: Game) -> Policy:
        if game is not self._checked:
            if not self._given:
                self.policy = shipped.find(game, any_ruleset=self.any_ruleset)
            assert self.policy is not None
            self.policy.check(game, ruleset=not self.any_ruleset)
            self._checked = game
        assert self.policy is not None
        return self.policy

    def files(self) -> Sequence[str]:
        """Return the file of its weights."""
        return () if self.policy is None else (self.policy.origin,)

    def act(self, state: State, legal_actions: Sequence[int], clock: Clock | None = None) -> int:
        """Return one of `legal_actions`; `act_batch` for one position, worked out for legal actions alone."""
        logits = self._logits(state, legal_actions)
        if not self.greedy:
            logits = logits / self.temperature + self._rng.gumbel(size=len(logits))
        return int(legal_actions[int(logits.argmax())])

    def probabilities(self, state: State, legal_actions: Sequence[int]) -> NDArray[np.float64]:
        """Return the probability of each of `legal_actions`, float64[n]; of a greedy agent one has 1."""
        logits = self._logits(state, legal_actions)
        if self.greedy:
            return np.eye(len(logits))[int(logits.argmax())]
        odds = np.exp((logits - logits.max()).astype(np.float64) / self.temperature)
        return odds / odds.sum()

    def _logits(self, state: State, legal_actions: Sequence[int]) -> NDArray[np.float32]:
        policy = self._fit(state.game)
        player = state.current_player
        player = self.player if player == SIMULTANEOUS else player
        return policy.logits(np.asarray(state.observation(player), np.float32), legal_actions)

    def act_batch(self, observations: NDArray[np.float32], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Return one action per row, int64[n]; see `hawaii_env.agents.Agent.act_batch`.

        Raises:
            OptionError: rows of another length than the weights are for, a row of the masks without a legal action, or
                no weights named and none begun with.
        """
        policy = self.policy
        if policy is None:
            raise OptionError(
                "weights: name some, or call begin(game, player) first, which takes the shipped ones for its game"
            )
        if observations.shape[1:] != (policy.observation_size,) or masks.shape[1:] != (policy.num_actions,):
            raise OptionError(
                f"{policy.origin}: expected observations of {policy.observation_size} values and masks of "
                f"{policy.num_actions} actions, not {list(observations.shape)} and {list(masks.shape)}"
            )
        rows, actions, logits = policy.choices(observations, masks)
        if not self.greedy:
            logits = logits / self.temperature + self._rng.gumbel(size=len(logits))
        return best_in_rows(rows, actions, logits, len(masks), self.name)

    def __repr__(self) -> str:
        return f"PPOAgent({self.policy!r}, greedy={self.greedy}, temperature={self.temperature})"
