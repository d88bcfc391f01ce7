"""An agent that plays single battles of Hawaii, 1795 optimally, where their tree is small enough, and says when it is
not.

>>> import hawaii_env
>>> agent = hawaii_env.load_agent("battle-expectimax:base=random,seed=1")
>>> agent.explain(state)   # each legal action, its value, and whether that is exact
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from hawaii_env import agents
from hawaii_env.agent_options import Choice, Count, Given, Seed, checked
from hawaii_env.agents import Agent, BaseAgent, Clock
from hawaii_env.game import Game, State
from hawaii_env.hawaii1795 import battles
from hawaii_env.hawaii1795.battles import ATTACKER, DEFENDER, BattleModel, Node, Solver, TooLargeError, Units, Value

__all__ = ["FALLBACKS", "MAX_NODES", "OBJECTIVES", "ActionValue", "BattleReport", "Ends", "ExpectimaxBattleAgent"]

MAX_NODES = 12_000
"""Positions that one decision may newly solve."""

KEEP = 300_000
"""Values that are kept between decisions; some 200 bytes each."""

OBJECTIVES = ("win", "material", "war")
"""Objectives of a side: `win` the chance to win the battle, ties by the strength lost; `material` that chance and a
part of the strength lost; `war` the same, and leaders' deaths beyond their strength.
"""

STRENGTH = 0.05  # material, war: what a point of strength lost counts, against 1 for the battle
CHIEF = 1.0  # war: what a leader's death counts that ends no game by itself, but leaves one death to the end of it
SUDDEN_DEATH = 5.0  # war: what a death counts that ends the game [5.2]

FALLBACKS = ("base", "sampled")
"""Deciders for trees that are too large: the base agent, or playouts of the battle."""

FIGHTING = ("fire", "loss", "panic")
NODES_PER_SECOND = 100_000  # under a clock; slower than any machine that this was measured on
TIE = 1e-13  # values this near are equal, and the margin decides


@dataclass(frozen=True, slots=True)
class ActionValue:
    """The value of an action to the side that decides.

    Attributes:
        text: the action in words.
        value: what the side plays for, greater is better; None where it could not be computed. With the objective "win"
            it is `win`.
        win: chance that the side wins the battle (holds or takes the space); None as above.
        margin: strength that the enemy loses less what the side loses, on average from here on; with the objective
            "win" only, else None.
        exact: over the whole tree; False: by playouts, or unknown.
    """

    text: str
    value: float | None
    win: float | None
    margin: float | None
    exact: bool


@dataclass(frozen=True, slots=True)
class BattleReport:
    """A report on how a decision was made.

    Attributes:
        phase: the phase of the decision.
        method: "exact", "sampled" or "base".
        exact: every action's value is exact, and the best one was taken.
        nodes: positions newly solved for it.
        seconds: time that it took.
        action: the action taken.
        values: action -> `ActionValue`; empty outside battles.
    """

    phase: str
    method: str
    exact: bool
    nodes: int
    seconds: float
    action: int
    values: dict[int, ActionValue]


class Ends:
    """Values of battles that are over to the attackers, by an objective; see `battles.Value`.

    What the sides have left stands for what they have lost: the differences between two ends are the same.

    Args:
        model: the battle.
        objective: of OBJECTIVES.
    """

    def __init__(self, model: BattleModel, objective: str) -> None:
        self.model = model
        self.objective = objective

    def strength(self, units: Units) -> int:
        """Return the strength of a side's units, panicked or not."""
        return sum(n * it.strength for n, it in zip(units.counts, units.side.types, strict=True))

    def worth(self, units: Units) -> float:
        """Return what units count for with the objectives "material" and "war"."""
        chiefs = sum(n for n, it in zip(units.counts, units.side.types, strict=True) if it.life == 2)
        return self.strength(units) * STRENGTH + (CHIEF * chiefs if self.objective == "war" else 0.0)

    def __call__(self, node: Node) -> Value:
        """Return the value of a position in which the battle is over."""
        won = 1.0 if node[6] == ATTACKER else 0.0
        attackers, defenders = self.model.left(node)
        if self.objective == "win":
            return won, self.strength(defenders), self.strength(attackers)
        worth = won + self.worth(attackers) - self.worth(defenders)
        if self.objective == "war":
            worth += SUDDEN_DEATH * (defenders.fallen - attackers.fallen)
        return worth, 0.0, won


class ExpectimaxBattleAgent(BaseAgent):
    """Plays every battle optimally where its tree is small enough; all else is its base agent's.

    In a battle it decides who fires, who is lost and who panics. Values are exact expectations over all dice, both
    sides choosing their best.

    Attributes:
        base: the agent that decides the rest.
        last_report: `BattleReport` of the last decision, None before the first.

    Args:
        base: spec of an agent, or an agent.
        max_nodes: positions that a decision may newly solve; beyond that `fallback` decides. 0: only what is known
            already.
        objective: what is played for: "win" the chance to win the battle, ties by strength lost; "material" that chance
            and 0.05 for each point of strength lost; "war" the same, 1 for a chief and 5 for a death that ends the game
            [5.2].
        fallback: "base" the base agent, "sampled" playouts of the battle.
        samples: playouts for each action, with "sampled".
        keep: values kept between decisions.
        seed: seed of the base agent and of the playouts.
    """

    name = "battle-expectimax"
    games: Sequence[str] = ("hawaii1795",)
    strength = "no stronger than its base, measured with rule-of-thumb"

    @checked
    def __init__(
        self,
        base: Annotated[str | Agent, Given("an agent string or an agent", (str, Agent))] = "rule-of-thumb",
        max_nodes: Annotated[int, Count(0)] = MAX_NODES,
        objective: Annotated[str, Choice(OBJECTIVES)] = "win",
        fallback: Annotated[str, Choice(FALLBACKS)] = "base",
        samples: Annotated[int, Count()] = 50,
        keep: Annotated[int, Count(0)] = KEEP,
        seed: Annotated[int | None, Seed()] = None,
    ) -> None:
        self.seed: int | None = seed
        self.base: Agent = agents.load_agent(base, seed=seed)
        self.max_nodes = max_nodes
        self.objective = objective
        self.fallback = fallback
        self.samples = samples
        self.keep = keep
        self.last_report: BattleReport | None = None
        self._solvers: list[Solver] = []  # the one used last at the end

    def begin(self, game: Game, player: int) -> None:
        """Forget what was solved, so that a game's decisions depend on no game before it."""
        super().begin(game, player)
        self._solvers.clear()
        agents.begin(self.base, game, player)

    def act(self, state: State, legal_actions: Sequence[int], clock: Clock | None = None) -> int:
        """Return the best action for the battle, or the base agent's."""
        self.check_state(state)
        start = time.perf_counter()
        phase = state.phase
        values: dict[int, ActionValue] = {}
        nodes = 0
        if phase in FIGHTING:
            values, nodes = self._evaluate(state, legal_actions, clock)
        exact = bool(values) and all(v.exact for v in values.values())
        known = {a: v for a, v in values.items() if v.value is not None}
        action, method = -1, "base"
        if known and len(known) == len(values):
            method = "exact" if exact else "sampled"
            action = self._best(known)
        if action < 0:
            action, method, exact = int(self.base.act(state, legal_actions, clock)), "base", False
        self.last_report = BattleReport(phase, method, exact, nodes, time.perf_counter() - start, action, values)
        return action

    def _best(self, values: dict[int, ActionValue]) -> int:
        """Return the action of the greatest value, ties by the margin, then the first."""

        def worth(action: int) -> tuple[float, float, int]:
            it = values[action]
            margin = it.margin if it.margin is not None else it.win or 0.0
            return round(it.value or 0.0, 12), round(margin, 9), -action

        return max(values, key=worth)

    def explain(self, state: State, max_nodes: int | None = None) -> dict[int, ActionValue]:
        """Return what each legal action is worth to the side that decides; empty outside battle decisions.

        Args:
            state: any position.
            max_nodes: as for the agent; None is the agent's own.
        """
        self.check_state(state)
        return self._evaluate(state, state.legal_actions(), None, max_nodes)[0]

    # -- values --------------------------------------------------------------------------------------------------

    def _evaluate(
        self, state: State, legal: Sequence[int], clock: Clock | None, max_nodes: int | None = None
    ) -> tuple[dict[int, ActionValue], int]:
        """Return the values of the legal actions, and the number of positions newly solved."""
        if state.phase not in FIGHTING or len(legal) < 2:
            return {}, 0
        budget = self.max_nodes if max_nodes is None else max_nodes
        if clock is not None:
            budget = int(min(budget, clock.left / 2 * NODES_PER_SECOND))
        texts = {action: state.game.action_text(action) for action in legal}
        decision = _Decision(self, state, budget)
        values = decision.fight(texts)
        self._forget()
        return values, decision.nodes

    def solver(self, model: BattleModel) -> Solver:
        """Return a solver of a battle, with what it has solved: one whose model covers it, where there is one."""
        found = next((solver for solver in reversed(self._solvers) if solver.model.covers(model)), None)
        if found is None:
            found = Solver(model, ends=Ends(model, self.objective), tie=TIE)
        else:
            self._solvers.remove(found)
        self._solvers.append(found)
        return found

    def _forget(self) -> None:
        """Keep no more values than allowed: the battles looked at longest ago go first."""
        kept = sum(len(solver.known) for solver in self._solvers)
        while kept > self.keep:
            kept -= len(self._solvers.pop(0).known)


class _Decision:
    """One decision: its position, the role that decides, and the budget that is left."""

    def __init__(self, agent: ExpectimaxBattleAgent, state: Any, budget: int) -> None:
        self.agent = agent
        self.state = state
        self.view: Any = state.view()
        self.budget = budget
        self.nodes = 0
        self.role: int = ATTACKER if self.view.decider == self.view.half else DEFENDER

    def solve(self, solver: Solver, node: Node) -> Value | None:
        """Return the value of a position, or None if it takes more positions than are left."""
        before = solver.nodes
        try:
            return solver.solve(node, self.budget - self.nodes)
        except TooLargeError:
            return None
        finally:
            self.nodes += solver.nodes - before

    def shown(self, text: str, value: Value | None, here: float, exact: bool = True) -> ActionValue:
        """Return a value as the side that decides sees it; here: the margin of the strength that is there now."""
        if value is None:
            return ActionValue(text, None, None, None, False)
        main, other = value[0], value[2] - value[1]
        if self.agent.objective == "win":
            margin = other - here
            if self.role == ATTACKER:
                return ActionValue(text, main, main, margin, exact)
            return ActionValue(text, 1 - main, 1 - main, -margin, exact)
        if self.role == ATTACKER:
            return ActionValue(text, main, other, None, exact)
        return ActionValue(text, -main, 1 - other, None, exact)

    def begin(self) -> tuple[Solver, Node, float]:
        """Return the solver of the position's battle, the position in it, and the margin of strength there."""
        solver = self.agent.solver(battles.model_of(self.state)[0])
        node = battles.node_of(solver.model, self.state)
        ends = Ends(solver.model, self.agent.objective)
        return solver, node, ends.strength(node[2]) - ends.strength(node[3])

    def fight(self, texts: dict[int, str]) -> dict[int, ActionValue]:
        """[11.1, 11.3] Value who fires, is lost or panics."""
        solver, at, here = self.begin()
        after = battles.nodes_after(solver.model, at, self.state)
        known = {node: (self.solve(solver, node), True) for node in after.values()}
        if self.agent.fallback == "sampled":
            # The same dice for each choice, as far as they go.
            seed, samples = f"{self.agent.seed}/{self.state.decisions}", self.agent.samples
            for node, (value, _) in known.items():
                if value is None:
                    played = battles.simulate(solver.model, node, ("simple", "simple"), samples, seed, solver.ends)[0]
                    known[node] = (played[0], played[1], played[2]), False
        return {
            action: self.shown(text, known[after[action]][0], here, known[after[action]][1])
            for action, text in texts.items()
        }
