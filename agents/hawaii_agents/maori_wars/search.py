"""Search for Maori Wars: plans, each followed by greedy play of both players."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from hawaii_agents import weights as shipped
from hawaii_agents.network import Policy, require
from hawaii_env.agent_options import Count, Given, Real, Seed, checked
from hawaii_env.agents import BaseAgent, Clock
from hawaii_env.core.rng import seed_words
from hawaii_env.errors import OptionError
from hawaii_env.game import Game as AnyGame
from hawaii_env.game import State
from hawaii_env.maori_wars import Game
from hawaii_env.maori_wars.fast import records

from .guided import GUIDED, Mind, new_mind
from .guided import examples as guided_examples
from .lookahead import AGENTS, Plans, examples, new_plans
from .plans import Buffer, new_buffer
from .worth import fitted

__all__ = ["MaoriChampionAgent", "MaoriSearchAgent"]


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
        weights: what it values, as `worth.FITTED` has it for a scenario; None is the one for the game's scenario.
    """

    name = "maori-search"
    simulations_option = "sims"
    games: Sequence[str] = ("maori_wars",)
    strength = "73% against maori-greedy (taranaki)"

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
        weights: Annotated[Any, Given("an array of weights", (np.ndarray,))] = None,
    ) -> None:
        self.sims: int = sims
        self.choices: int = choices
        self.halves: int = halves
        self.samples: int = samples
        self.movement_sims: int = movement_sims
        self.movements: int = movements
        self.seed: int | None = seed
        self.weights: NDArray[np.float64] | None = weights
        self.limits: NDArray[Any] = np.array([sims, choices, halves, samples, movement_sims, movements])
        self._words = np.array(seed_words(self.seed), np.int64)
        self._memory: tuple[AnyGame, Buffer, Plans] | None = None

    def act(self, state: State, legal_actions: Sequence[int], clock: Clock | None = None) -> int:
        """Return the action after which greedy play leaves it best off."""
        position = self.check_state(state)
        tables, record = records(position)
        if self._memory is None or self._memory[0] is not position.game:
            most = max(self.choices, self.movements)
            self._memory = position.game, new_buffer(position.game), new_plans(position.game, most)
        search = AGENTS.compile_now(examples).search
        weights = fitted(position.game) if self.weights is None else self.weights
        return int(search(tables, record, weights, *self._memory[1:], self._words, self.limits))


class MaoriChampionAgent(BaseAgent):
    """Plays out plans of a trained policy and greedy ones, both players going on by the policy, and takes the one that
    leaves it best off by the mean of the network's value and of what the position is worth. It has weights for taranaki
    and flagstaff; in flagstaff, where the network tells less than the rules of thumb, plays are greedy and end with the
    worth alone.

    Args:
        sims: plays a decision, at most; the same seed gives the same moves.
        plans: plans that are drawn.
        each: plays for each plan, at most: few plans need few.
        halves: halves of turns that are played out, the rest of this one included; None is 2, of greedy plays 1. In the
            last turn plays go to the end of the game.
        greedy: greedy plans that are added.
        worth: the share of the position's worth in the value at the end of plays; with 1 plays are greedy. None is 1
            with the shipped weights of flagstaff, else 0.5.
        heat: temperature of the plans that are drawn, the first of which is the likeliest.
        rollout_heat: temperature of the plays.
        weights: a policy of the kind that `hawaii train` trains with network=plain; a file, or the name
            of a shipped one. None is the shipped one for the scenario.
        seed: seed of its own generator; None takes one from the operating system.
    """

    name = "maori-champion"
    simulations_option = "sims"
    games: Sequence[str] = ("maori_wars",)
    extra = "agents"
    strength = "87% against maori-greedy in taranaki, 81% in flagstaff"

    @checked
    def __init__(
        self,
        sims: Annotated[int, Count()] = 512,
        plans: Annotated[int, Count()] = 16,
        each: Annotated[int, Count()] = 64,
        halves: Annotated[int | None, Count()] = None,
        greedy: Annotated[int, Count(least=0)] = 8,
        worth: Annotated[float | None, Real(least=0, most=1)] = None,
        heat: Annotated[float, Real(above=0, most=1000)] = 1.0,
        rollout_heat: Annotated[float, Real(least=0, most=1000)] = 0.5,
        weights: shipped.Weights = None,
        seed: Annotated[int | None, Seed()] = None,
    ) -> None:
        require()
        self.sims: int = sims
        self.plans: int = plans
        self.each: int = each
        self.halves: int | None = halves
        self.greedy: int = greedy
        self.worth: float | None = worth
        self.seed: int | None = seed
        self.limits: NDArray[np.int64] = np.zeros(5, np.int64)
        self.heats: NDArray[Any] = np.array([heat, rollout_heat, 0.0])
        self.policy: Policy | None = None
        if weights is not None:
            self.policy = weights if isinstance(weights, Policy) else shipped.load(weights)
        self._words = np.array(seed_words(self.seed), np.int64)
        self._memory: tuple[Game, Mind, Buffer, Plans] | None = None
        self._origin: str | None = None if self.policy is None else self.policy.origin

    def begin(self, game: AnyGame, player: int) -> None:
        """Check that there are weights for the game."""
        super().begin(game, player)
        self._remember(game)

    def _remember(self, game: AnyGame) -> tuple[Mind, Buffer, Plans]:
        if self._memory is None or self._memory[0] is not game:
            if not isinstance(game, Game):
                raise OptionError(f"{self.name} plays maori_wars, not {game.name}")
            policy = self.policy or shipped.find(game)
            policy.check(game)
            if policy.kind != Policy.kind:
                raise OptionError(
                    f"weights: {policy.origin} has a network of the kind {policy.kind}, not {Policy.kind}"
                )
            self._origin = policy.origin
            worth = self.worth
            if worth is None:
                worth = 1.0 if self.policy is None and game.params["scenario"] == "flagstaff" else 0.5
            self.heats[2], halves = worth, self.halves or (1 if worth == 1.0 else 2)
            self.limits[:] = self.sims, self.plans, halves, self.each, self.greedy
            self._memory = game, new_mind(game, policy), new_buffer(game), new_plans(game, self.plans + self.greedy + 1)
        return self._memory[1:]

    def files(self) -> Sequence[str]:
        """Return the file of its weights."""
        return () if self._origin is None else (self._origin,)

    def act(self, state: State, legal_actions: Sequence[int], clock: Clock | None = None) -> int:
        """Return the first action of the best plan."""
        position = self.check_state(state)
        memory = self._remember(position.game)
        tables, record = records(position)
        guide = GUIDED.compile_now(guided_examples).guide
        return int(guide(tables, record, *memory, fitted(position.game), self._words, self.limits, self.heats))
