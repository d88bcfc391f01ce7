"""Monte Carlo search as agents: plain, and guided by a trained network.

A game with a compiled search (`find_search`) uses it, any other `tree_search`, in Python.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from hawaii_agents import weights as shipped
from hawaii_agents.network import Policy, require
from hawaii_agents.tree_search import Evaluate, Prior, PythonSearch
from hawaii_env.agent_options import (
    Choice,
    Count,
    Flag,
    Memory,
    Milliseconds,
    Real,
    Seed,
    Sims,
    Text,
    Time,
    checked,
)
from hawaii_env.agents import BaseAgent, Clock
from hawaii_env.errors import OptionError
from hawaii_env.game import Game, State

__all__ = ["SEARCHES", "ChampionAgent", "GuidedMCTSAgent", "MCTSAgent", "find_search", "value_tensors"]

SEARCHES = "hawaii_agents.searches"
"""The group of entry points that names, for a game, the package of its compiled search: with a class `Search`, and
perhaps `Plans`, as `hawaii_agents.hawaii1795.search` has them.
"""

Heat = Annotated[float, Real(least=0.001, most=1000)]
"""A temperature of priors."""

MARGIN = 0.9
"""The share of a clock's time that a search takes."""


class TimeBank:
    """Allocates time so that decisions get equal numbers of simulations instead of equal time: time saved by cheap
    decisions goes to costly ones. It never lends time, so a game's decisions get `seconds` each on average; a search
    that cannot stop at once may take a little more.

    Args:
        seconds: time added with each decision.
    """

    MOST = 4.0
    """No decision is offered more than so many times `seconds`."""
    SPREAD = 8.0
    """The number of decisions over which saved time is spent."""
    HELD = 16.0
    """So many times `seconds` are kept, at most."""
    BEGIN = 2.0
    """The speed is known once so many times `seconds` were searched."""
    MEMORY = 0.97
    """Each decision's weight in the estimate of the speed shrinks by this factor with every later one, and faster at
    first: searches that stop by time alone are slower, so they are soon forgotten."""
    HELD_UP = 1.5
    """A decision that took so many times what it was offered tells nothing of the speed: something else did."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.saved = 0.0
        """Seconds left over; below 0 after an overrun, and then half of `seconds` at most."""
        self._simulations = self._spent = self._searched = 0.0
        self._booked = 0

    def offer(self) -> tuple[int | None, float]:
        """Return the simulations for the next decision, None while the speed is unknown, and its maximum seconds."""
        most = min(self.MOST * self.seconds, self.seconds + self.saved)
        if self._searched < self.BEGIN * self.seconds:
            return None, min(most, self.seconds)
        wanted = self._simulations / self._spent * (self.seconds + self.saved / self.SPREAD)
        return max(1, round(wanted)), most

    def book(self, simulations: int | None, seconds: float, offered: float) -> None:
        """Record that a decision took `seconds` of those `offered` and had so many simulations, counting those that it
        did not need; None leaves the estimate of the speed as it is.
        """
        self.saved: float = min(self.HELD * self.seconds, max(-self.seconds / 2, self.saved + self.seconds - seconds))
        if simulations and seconds <= self.HELD_UP * offered:
            memory = min(self.MEMORY, self._booked / (self._booked + 2))
            self._simulations = memory * self._simulations + simulations
            self._spent = memory * self._spent + seconds
            self._searched += seconds
            self._booked += 1


@cache
def find_search(game: str) -> Any:
    """Return the package of a game's compiled search, or None if it has none."""
    for point in entry_points(group=SEARCHES, name=game):
        return point.load()
    return None


def value_tensors(policy: Policy) -> dict[str, NDArray[np.float32]]:
    """Return the arrays of the value tower."""
    t, h = policy.tensors, policy.hidden
    rest = {name: t[name] for name in ("worth.weight", "worth.bias", "score.weight", "score.bias")}
    return {"first.weight": t["first.weight"][h:], "first.bias": t["first.bias"][h:], **rest}


def _evaluation(policy: Policy) -> Evaluate:
    """Return a function that values two-player zero-sum positions by a network."""

    def evaluate(state: State) -> Sequence[float]:
        player = state.acting_players[0]
        value = policy.evaluate(np.asarray(state.observation(player), np.float32), state.legal_actions(player))[1]
        return (value, -value) if player == 0 else (-value, value)

    return evaluate


def _prior(policy: Policy) -> Prior:
    def prior(state: State, actions: Sequence[int], player: int) -> Sequence[float]:
        return policy.evaluate(np.asarray(state.observation(player), np.float32), actions)[0].tolist()

    return prior


class MCTSAgent(BaseAgent):
    """Monte Carlo search with explicit chance nodes, by simulations or by time; a graph search if the game has a
    compiled one.

    Args:
        sims: simulations per decision, including those reused from the previous decision; None: only the time counts.
        seconds: time per decision; None: only the clock's limit. With `sims`, the first limit reached stops the search;
            with ``sims=None`` it is an average over the game: later decisions use saved time (`TimeBank`), up to four
            times as much. In a game without a compiled search every decision has the same time. A clock limits each
            decision.
        values: evaluation of a new position: ``"static"``: quiet play to the end of the half-turn, then rules of thumb;
            ``"half"``: random play to the end of the half-turn, then a value network; ``"net"``: the network at
            once; ``"game"``: random play to the game's end.
        plans: at set-up, recruits and movement compare whole plans by as many rollouts, instead of single actions.
            None: with static values, and not with others.
        answers: with about 2,300 simulations or more, or time for as many, the enemy answers each of the last few plans
            with the best of this number of its own plans (`hawaii_agents.hawaii1795.search.Plans`); 0: never.
        weights: the value network: a `Policy`, a file or the name of a shipped one; None: the shipped one, if `values`
            needs one.
        c: weight of exploration in PUCT; None: 1.5, and 1 in a game without a compiled search.
        fpu: reduction of an untried action's value below its node's.
        restless: in random play, the probability that a player who could end movement continues.
        reuse: keep the search results for the new position.
        memory: maximum size of a compiled search's graph, in MiB. When full, the search continues with the existing
            positions.
        any_ruleset: True also plays rulesets on which the weights were not trained.
        temperature: 0 plays the most visited action; above 0 samples by visits ** (1 / temperature).
        seed: seed of the search; the same seed, simulations and game give the same moves.
        name: name for tables.

    Raises:
        OptionError: an argument that is none.
    """

    name: str = "mcts"
    strength = "95% against random in hawaii1795 with sims=100"
    simulations_option = "sims"
    with_policy = False
    """True if the network's policy gives priors."""
    proof: float = 0.0
    """The share of what may be spent in which, before plans, the graph tries to prove an action the best."""
    rollout: int = 1
    """Simulations of the graph that cost what a rollout of a plan does."""
    plans_battles = False
    """True if plans are compared in battles, too, where each is one choice."""

    @checked
    def __init__(
        self,
        sims: Sims = 1000,
        seconds: Time = None,
        values: Annotated[str, Choice(("static", "half", "net", "game"))] = "static",
        weights: shipped.Weights = None,
        c: Annotated[float | None, Real(least=0)] = None,
        fpu: Annotated[float, Real(least=-2, most=2)] = 0.2,
        restless: Annotated[float, Real(least=0, most=1)] = 0.25,
        reuse: Annotated[bool, Flag()] = True,
        temperature: Annotated[float, Real(least=0, most=1000)] = 0.0,
        seed: Annotated[int | None, Seed()] = None,
        name: Annotated[str | None, Text()] = None,
        memory: Memory = 256.0,
        any_ruleset: Annotated[bool, Flag()] = False,
        plans: Annotated[bool | None, Flag()] = None,
        answers: Annotated[int, Count(0, 1000)] = 16,
    ) -> None:
        self.any_ruleset: bool = any_ruleset
        self.sims: int | None = sims
        self.seconds: float | None = seconds
        self.values: str = values
        planned = values == "static" if plans is None else plans
        self.planning: dict[str, Any] | None = None
        if planned:  # with a policy the enemy answers by it
            self.planning = {} if self.with_policy else {"answers": answers}
        self._python_c: float = 1.0 if c is None else c
        self.settings: dict[str, Any] = {
            "c": 1.5 if c is None else c,
            "fpu": fpu,
            "restless": restless,
            "memory": memory,
        }
        self.reuse: bool = reuse
        self.temperature: float = temperature
        self.seed: int = int(np.random.SeedSequence().generate_state(1)[0]) if seed is None else seed
        self.name = name or type(self).name
        if self.with_policy:
            require()
        self._given = shipped.load(weights) if isinstance(weights, (str, Path)) else weights
        if self._given is not None:
            self.games: Sequence[str] = ()  # the weights say which game they are for
        self._draw = np.random.default_rng(self.seed)
        self._game: Game | None = None
        self._policy: Policy | None = None
        self.graph: Any = None
        self.plans: Any = None
        self.search: Any = None
        """The search that ran last, `graph` or `plans`, with its findings."""
        self._other: PythonSearch | None = None
        self._bank = None if self.seconds is None or self.sims is not None else TimeBank(self.seconds)

    @classmethod
    def compile(cls, game: Game) -> None:
        """Compile the game's search and plans, if it has them and they are not compiled yet."""
        search = find_search(game.name)
        if search is not None:
            search.Search(game)
            if hasattr(search, "Plans"):
                search.Plans(game, answers=1)

    def begin(self, game: Game, player: int) -> None:
        """Forget the previous game."""
        super().begin(game, player)
        self._fit(game)
        if self._other is not None:
            self._other.begin(game, player)
        else:
            for engine in self._engines():
                engine.clear()
                engine.seed(self.seed)
        self._draw = np.random.default_rng(self.seed)
        if self._bank is not None:  # the speed is the machine's, and stays known
            self._bank.saved = 0.0

    def files(self) -> Sequence[str]:
        """Return the file of the weights that it searches with, if any."""
        policy = self._given if self._policy is None else self._policy
        return () if policy is None else (policy.origin,)

    def _find_policy(self, game: Game) -> Policy | None:
        if self.values in ("game", "static") and not self.with_policy:
            return None
        if self._given is not None:
            self._given.check(game, ruleset=not self.any_ruleset)
            return self._given
        return shipped.find(game, self.any_ruleset)

    def _fit(self, game: Game) -> None:
        if game is self._game:
            return
        search = find_search(game.name)
        self.graph = self.plans = self._other = None
        if search is None:
            self._other = self._python(game)
        else:
            self._policy = policy = self._find_policy(game)
            tensors = None if policy is None else policy.tensors if self.with_policy else value_tensors(policy)
            self.graph = search.Search(game, tensors, seed=self.seed, values=self.values, **self.settings)
            plans: Any = getattr(search, "Plans", None)
            if plans is not None and self.planning is not None:
                self.plans = plans(game, tensors if self.with_policy else None, seed=self.seed, **self.planning)
        self.search = self.graph
        if self._bank is not None:
            self._bank = TimeBank(self._bank.seconds)
        self._game = game

    def _engines(self) -> list[Any]:
        """Return the compiled searches: the graph, and the plans if there are such."""
        return [engine for engine in (self.graph, self.plans) if engine is not None]

    def _python(self, game: Game) -> PythonSearch:
        """Return the search of a game without a compiled one: random games value positions, or the network given."""
        evaluate, prior = None, None
        if self._given is not None:
            self._given.check(game, ruleset=not self.any_ruleset)
            self._policy = self._given
            evaluate, prior = _evaluation(self._given), _prior(self._given) if self.with_policy else None
        return PythonSearch(
            self.sims,
            self.seconds,
            self._python_c,
            evaluate=evaluate,
            prior=prior,
            reuse=self.reuse,
            seed=self.seed,
        )

    def act(self, state: State, legal_actions: Sequence[int], clock: Clock | None = None) -> int:
        """Return one of `legal_actions`: the most visited one, or one sampled by visits."""
        self._fit(state.game)
        if self._other is not None:
            return self._other.act(state, legal_actions, clock)
        self.think(state, clock)
        if not self.temperature:
            return self.search.best()
        visits = self.search.visits.astype(float)
        chances = (visits / visits.max()) ** (1.0 / self.temperature)
        return int(self._draw.choice(self.search.actions, p=chances / chances.sum()))

    def think(self, state: State, clock: Clock | None = None) -> None:
        """Search a position; `search` has the results.

        Raises:
            OptionError: a game without a compiled search, or no limit at all.
        """
        self._fit(state.game)
        if self.graph is None:
            raise OptionError(f"{state.game.name} has no compiled search: use hawaii_agents.tree_search.PythonSearch")
        sims, seconds = self.sims, self.seconds
        if self._bank is not None:
            sims, seconds = self._bank.offer()
        if clock is not None and clock.seconds is not None:
            left = max(0.001, MARGIN * clock.left)
            seconds = left if seconds is None else min(seconds, left)
        if sims is None and seconds is None:
            raise OptionError(f"agent {self.name!r}: sims=none needs seconds or a clock")
        begin = time.perf_counter()
        self._search(state, sims, seconds)
        if self._bank is not None and seconds is not None:
            spent = time.perf_counter() - begin
            counted = sims  # ended early: it had all that it was to have, though most were kept or not needed
            if spent >= MARGIN * seconds:
                done: int = self.search.simulations
                counted = done if sims is None else min(done, sims)
            self._bank.book(counted, spent, seconds)

    def _search(self, state: State, sims: int | None, seconds: float | None) -> None:
        """Search with plans where they suit, otherwise in the graph."""
        plans: Any = self.plans if state.current_player >= 0 else None
        if plans is None or not (self.plans_battles or plans.suits(state)):
            self._run(self.graph, state, sims, seconds)
            return
        if self.proof:
            begin = time.perf_counter()
            share = None if sims is None else self.rollout * self.proof * sims
            self._run(self.graph, state, share, None if seconds is None else self.proof * seconds)
            if self.graph.is_proved:
                return
            seconds = None if seconds is None else max(0.001, seconds - (time.perf_counter() - begin))
        self._run(self.plans, state, sims, seconds)

    def _run(self, engine: Any, state: State, sims: float | None, seconds: float | None) -> None:
        """Search with a number of simulations, or for some seconds."""
        self.search = engine
        if not self.reuse:
            engine.clear()
        known = engine.set_root(state)
        if sims is None:
            engine.run(seconds=seconds)
        else:
            # At least one, so that every tree has a first choice.
            engine.run(max(1, math.ceil(sims) - known), seconds=seconds)


class GuidedMCTSAgent(MCTSAgent):
    """Monte Carlo tree search guided by a trained network: its policy gives the priors, its value evaluates positions.

    With `weights` it plays any two-player zero-sum game.

    Args:
        sims, seconds, weights, c, fpu, reuse, temperature, seed, name, memory, any_ruleset: as for `MCTSAgent`, but
            `c` is 2; `weights` needs a policy, None is the shipped one.
        values: ``"net"``, or ``"half"``.
        heat: temperature of the priors; above 1 flattens them.
    """

    name = "guided"
    games: Sequence[str] = tuple(point.name for point in entry_points(group=SEARCHES))
    extra = "agents"
    strength = "59% against rule-of-thumb with sims=100"
    with_policy = True

    @checked
    def __init__(
        self,
        sims: Sims = 400,
        seconds: Time = None,
        values: Annotated[str, Choice(("net", "half"))] = "net",
        weights: shipped.Weights = None,
        c: Annotated[float, Real(least=0)] = 2.0,
        fpu: Annotated[float, Real(least=-2, most=2)] = 0.2,
        heat: Heat = 1.0,
        reuse: Annotated[bool, Flag()] = True,
        temperature: Annotated[float, Real(least=0, most=1000)] = 0.0,
        seed: Annotated[int | None, Seed()] = None,
        name: Annotated[str | None, Text()] = None,
        memory: Memory = 256.0,
        any_ruleset: Annotated[bool, Flag()] = False,
    ) -> None:
        super().__init__(
            sims,
            seconds,
            values,
            weights,
            c=c,
            fpu=fpu,
            reuse=reuse,
            temperature=temperature,
            seed=seed,
            name=name,
            memory=memory,
            any_ruleset=any_ruleset,
        )
        self.settings["heat"] = heat


class ChampionAgent(GuidedMCTSAgent):
    """The strongest agent here: samples whole plans from the trained policy and compares them by rollouts with common
    random numbers.

    With simulations, the same seed gives the same moves; with time, moves depend on the machine.

    Args:
        sims: rollouts per decision, besides those reused from the previous decision; None: only the time counts. First,
            the graph search has a fifth of them for a proof, where a rollout counts as four simulations.
        ms: milliseconds per decision, with ``sims=None`` on average; see `seconds` of `MCTSAgent`. None: 45 ms if
            `sims` is also None.
        seconds: the same in seconds.
        weights, reuse, temperature, seed, name, any_ruleset: as for `MCTSAgent`; `weights` needs a policy, None is the
            shipped one.
        most, halves, heat, rollout_heat, scouted, scouting: as for `hawaii_agents.hawaii1795.search.Plans`, which alone
            has a higher `heat` and scouts none unless told so.

    In a game without compiled plans it is `guided`.
    """

    name = "champion"
    strength = "67% against rule-of-thumb with sims=256"
    proof: float = 0.2
    rollout = 4
    plans_battles = True

    @checked
    def __init__(
        self,
        sims: Sims = None,
        ms: Milliseconds = None,
        seconds: Time = None,
        weights: shipped.Weights = None,
        reuse: Annotated[bool, Flag()] = True,
        temperature: Annotated[float, Real(least=0, most=1000)] = 0.0,
        seed: Annotated[int | None, Seed()] = None,
        name: Annotated[str | None, Text()] = None,
        most: Annotated[int, Count(most=100_000)] = 48,
        halves: Annotated[int, Count(most=1000)] = 2,
        heat: Heat = 1.0,
        rollout_heat: Annotated[float, Real(least=0, most=1000)] = 0.5,
        any_ruleset: Annotated[bool, Flag()] = False,
        scouted: Annotated[int, Count(0, 100_000)] = 8,
        scouting: Annotated[float, Real(above=0, most=1000)] = 4.0,
    ) -> None:
        if ms is not None and seconds is not None:
            raise OptionError(f"ms={ms!r} and seconds={seconds!r}: name one of them")
        if ms is not None:
            seconds = max(ms / 1000, 1e-6)
        if sims is None and seconds is None:
            seconds = 0.045
        super().__init__(
            sims, seconds, weights=weights, reuse=reuse, temperature=temperature, seed=seed, name=name,
            any_ruleset=any_ruleset,
        )  # fmt: skip
        self.planning: dict[str, Any] | None = {
            "most": most,
            "halves": halves,
            "heat": heat,
            "rollout_heat": rollout_heat,
            "scouted": scouted,
            "scouting": scouting,
        }
