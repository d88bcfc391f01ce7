"""Agents for Heiau Diplomacy: a greedy planner, and best responses to sampled plans of the others."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from hawaii_env.agent_options import Count, Milliseconds, Real, Seed, checked
from hawaii_env.agents import BaseAgent, Clock
from hawaii_env.game import Game, State
from hawaii_env.heiau import State as HeiauState
from hawaii_env.heiau.fast import (
    BOATS,
    CONVOY,
    DISBAND,
    DONE,
    MOVE,
    NOBODY,
    RETREAT,
    STATE,
    STAY,
    SUPPORT,
    TO,
    UNDECIDED,
    VIA,
    Actions,
    Order,
)

from .plans import VERB
from .search import FADE, IMPROVED, Analysis, compile_entries

__all__ = ["BestResponseAgent", "GreedyAgent"]

HALVING = 0.6
"""The part of a time limit that is for choosing between plans; the rest is for the orders of the best one."""


def _steps(actions: Actions, order: Order) -> list[int]:
    """Return the actions that enter an order."""
    verb, source, target = order
    if verb in (MOVE, VIA):
        return [actions.of(verb, target)]
    if verb in (SUPPORT, CONVOY):
        return [actions.of(verb, source), actions.of(STAY) if target == source else actions.of(TO, target)]
    return [actions.boats(target) if verb == BOATS else actions.of(verb)]


class GreedyAgent(BaseAgent):
    """Sends each unit to the best heiau nearby, with supports if others may oppose it. Plans for all units at once.

    Args:
        noise: noise added to scores: 0 plays nearly the same orders each time.
        seed: seed of its generator; None takes one from the operating system.
    """

    name = "heiau-greedy"
    games: Sequence[str] = ("heiau",)
    strength = "100% against random (race)"
    fade: float = FADE
    """The discount of a goal for each move of distance."""

    @checked
    def __init__(
        self, noise: Annotated[float, Real(least=0)] = 0.3, seed: Annotated[int | None, Seed()] = None
    ) -> None:
        self.noise: float = noise
        self.seed: int | None = seed
        self._start()

    @classmethod
    def compile(cls, game: Game) -> None:
        """Compile what agents of Heiau Diplomacy run, if it is not compiled yet."""
        if game.name == "heiau":
            compile_entries()

    def _start(self) -> None:
        self._choose = random.Random(self.seed)
        self._turn: Any = None
        self._plan: dict[int, list[int]] = {}

    def begin(self, game: Game, player: int) -> None:
        """Start the generator anew, so that a game does not depend on those before it."""
        super().begin(game, player)
        self._start()

    def act(self, state: State, legal_actions: Sequence[int], clock: Clock | None = None) -> int:
        """Return a legal action.

        Raises:
            OptionError: a position of another game.
        """
        position = self.check_state(state)
        if position.phase == "ballot":
            return self._choose.choice(list(legal_actions))
        if position.phase == "orders":
            wanted = self._order(position, clock)
            return wanted if wanted in legal_actions else legal_actions[0]
        return self.choose(position, legal_actions, clock)

    def _order(self, state: HeiauState, clock: Clock | None) -> int:
        """Return the next action of the plan, which is made when the power is first asked in a phase."""
        year, season, half, verbs, kinds, powers, places = _read(
            state, "year", "season", "half", "verb", "kind", "power", "place"
        )
        power = state.power_of(state.current_player)
        turn = year, season, power, kinds, powers, places
        if turn != self._turn:
            self._turn = turn
            actions = state.game.options.actions
            self._plan = {space: _steps(actions, order) for space, order in self.plan(state, clock).items()}
        asked = next(space for space in self._plan if verbs[space] == NOBODY)
        steps = self._plan[asked]
        return steps[-1] if half[power] >= 0 else steps[0]

    def _generator(self, analysis: Analysis) -> Any:
        """Return the words of the generator of plans, new ones a decision."""
        return analysis.numbers([self._choose.getrandbits(32) for _ in range(4)])

    def plan(self, state: HeiauState, clock: Clock | None = None) -> dict[int, Order]:
        """Return orders for all units of the power that is asked, by space."""
        analysis = Analysis(state, fade=self.fade)
        out = analysis.new_plans()
        analysis.plans.plan(
            analysis.tables, analysis.buffer, analysis.near, analysis.power, self.noise, self._generator(analysis), out
        )
        return _orders(out)

    def choose(self, state: HeiauState, legal_actions: Sequence[int], clock: Clock | None = None) -> int:
        """Return a retreat, build or removal: by what is near."""
        analysis, options = Analysis(state, fade=self.fade), state.game.options
        leaving = -1
        if state.phase == "retreats":
            powers, retreats = _read(state, "out_power", "retreat")
            waiting = zip(powers, retreats, strict=True)
            leaving = list(waiting).index((analysis.power, UNDECIDED))

        def near(action: int) -> float:
            kind, value = options.actions.steps[action]
            if kind in (DISBAND, DONE):
                return -1.0
            space, place = (leaving, value) if kind == RETREAT else (value, options.board.bare[value])
            both = analysis.tables, analysis.buffer
            return float(analysis.plans.value_of_place(*both, analysis.near, analysis.power, space, place))

        return max(legal_actions, key=lambda action: (near(action), -action))


def _read(state: HeiauState, *names: str) -> list[Any]:
    """Return fields of a position."""
    return [STATE.get(state.data, name) for name in names]


def _orders(plan: Any) -> dict[int, Order]:
    """Return the orders of a plan, by space."""
    return {space: Order(*map(int, order)) for space, order in enumerate(plan) if order[VERB] >= 0}


class BestResponseAgent(GreedyAgent):
    """Samples its own and all others' plans, and plays the plan that does best against the others' on average.

    Sampled best responses, as in the literature on no-press Diplomacy. Plans are those of `GreedyAgent`, with more
    noise. First, each plan is evaluated statically after its phase against a few samples, and the best ones are
    improved order by order. Then the best are played out against new samples, with plans for all powers, and sequential
    halving drops the worse half again and again. Finally, other orders for each unit of the best plan are tried in the
    same way, as are retreats, builds and removals.

    Args:
        samples: draws against which plans are played on, at least 1; the same seed gives the same orders.
        ms: milliseconds for a phase's orders, in place of `samples`; None for no limit. A clock that is handed over
            counts as a limit, too.
        plans: plans of its own to choose from, 1 or more.
        draws: draws for values at sight, 1 or more.
        sweeps: how often each unit's order is tried against all others that it could be given; 0 or more.
        best: how many plans are played on, 1 or more.
        phases: movement phases that are played on after the present one; 0 or more.
        noise: how much scores are shaken in the draws.
        refine: draws against which orders are tried in place of those of the best plan; 0 leaves it as it is.
        seed: seed of its generator; None takes one from the operating system.
    """

    name = "heiau-best-response"
    strength = "98% against heiau-greedy (race)"
    simulations_option = "samples"

    @checked
    def __init__(
        self,
        samples: Annotated[int, Count(most=100_000)] = 48,
        ms: Milliseconds = None,
        plans: Annotated[int, Count(most=100_000)] = 24,
        draws: Annotated[int, Count(most=100_000)] = 12,
        sweeps: Annotated[int, Count(0)] = 2,
        best: Annotated[int, Count(most=100_000)] = 8,
        phases: Annotated[int, Count(0)] = 4,
        noise: Annotated[float, Real(least=0)] = 0.6,
        refine: Annotated[int, Count(0)] = 8,
        seed: Annotated[int | None, Seed()] = None,
    ) -> None:
        super().__init__(noise, seed)
        self.samples: int = samples
        self.ms: float | None = ms
        self.plans: int = plans
        self.draws: int = draws
        self.sweeps: int = sweeps
        self.best: int = best
        self.phases: int = phases
        self.refine: int = refine

    def plan(self, state: HeiauState, clock: Clock | None = None) -> dict[int, Order]:
        """Return the plan that does best against draws of the others'."""
        if state.record.setup < 0 and state.game.options.scenario.ballot:
            return super().plan(state, clock)  # who does not see the others' units has nothing to answer
        analysis = Analysis(state, search=True, fade=self.fade)
        until = self._until(clock)
        entries, words = analysis.search, self._generator(analysis)
        on = analysis.tables, analysis.buffer, analysis.near, analysis.power
        plans, draws = analysis.new_plans(self.plans), analysis.new_plans(self.draws)
        count = entries.propose(*on, self.noise, words, plans, self.plans, draws, self.draws)
        values = np.zeros(self.plans)
        entries.value_plans(*on, plans, count, draws, self.draws, values)
        for index in range(min(count, IMPROVED)):
            if until is None or time.perf_counter() < until:
                entries.improve(*on, words, plans[index], draws, self.draws, self.sweeps)

        def roll(chosen: Any, left: int, draw: int, sums: Any) -> None:
            entries.roll(*on, self.noise, words, plans, chosen, left, draw, 0.5 * self.noise, self.phases, sums)

        begin = time.perf_counter()
        part = until if until is None or not self.refine else begin + HALVING * (until - begin)
        plan = plans[self._halve(analysis, range(min(count, self.best)), roll, part)]
        own = list(_orders(plan))
        for space in self._choose.sample(own, len(own)) if self.refine else ():
            if until is None or time.perf_counter() < until:
                entries.refine(*on, self.noise, words, plan, space, self.refine, 0.5 * self.noise, self.phases)
        return _orders(plan)

    def choose(self, state: HeiauState, legal_actions: Sequence[int], clock: Clock | None = None) -> int:
        """Return the retreat, build or removal that does best when it is played on; all is built that may be."""
        analysis = Analysis(state, search=True, fade=self.fade)
        words = self._generator(analysis)
        on = analysis.tables, analysis.buffer, analysis.near, analysis.power

        def roll(chosen: Any, left: int, draw: int, sums: Any) -> None:
            analysis.search.roll_actions(*on, words, chosen, left, 0.5 * self.noise, self.phases, sums)

        done = state.game.options.actions.of(DONE)
        kept = [action for action in legal_actions if action != done]
        return self._halve(analysis, kept, roll, self._until(clock))

    def _until(self, clock: Clock | None) -> float | None:
        left = [] if self.ms is None else [self.ms / 1000]
        if clock is not None and clock.seconds is not None:
            left.append(0.7 * clock.left)
        return time.perf_counter() + min(left) if left else None

    def _halve(self, analysis: Analysis, candidates: Sequence[int], roll: Any, until: float | None) -> int:
        """Return the best of the candidates by sequential halving: those that do worse are left out, half by half."""
        chosen, sums, left, draw = analysis.numbers(candidates), np.zeros(len(candidates)), len(candidates), 0
        rounds, begin = (left - 1).bit_length(), time.perf_counter()
        for step in range(rounds):
            part = (step + 1) / rounds
            while draw == 0 or (
                draw < self.samples * (step + 1) // rounds
                if until is None
                else time.perf_counter() < begin + (until - begin) * part
            ):
                roll(chosen, left, draw, sums)
                draw += 1
            left = int(analysis.search.keep_half(chosen, sums, left))
        return int(chosen[0])
