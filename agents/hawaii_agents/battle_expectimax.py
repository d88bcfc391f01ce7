"""An agent that plays single battles of Hawaii, 1795 optimally, where their tree is small enough, and says when it is not.

>>> from hawaii_env import agents
>>> agent = agents.make("battle-expectimax:base=random,seed=1")
>>> agent.explain(state)   # each legal action, its value, and whether that is exact
"""

from __future__ import annotations

import itertools
import random
import time
from collections import Counter, OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from hawaii_env import agents
from hawaii_env.agents import Agent, BaseAgent, Clock
from hawaii_env.errors import OptionError
from hawaii_env.game import Game, State, check_seed

from .battle_reader import BattleReader
from .battle_solver import BattleSolver
from .battle_units import (
    ATTACKER,
    DEFENDER,
    OBJECTIVES,
    Army,
    Choice,
    Position,
    Terms,
    TooLargeError,
    Units,
)

__all__ = ["FALLBACKS", "MAX_NODES", "ActionValue", "BattleReport", "ExpectimaxBattleAgent"]

MAX_NODES = 12_000
"""Positions that one decision may newly solve."""

KEEP = 300_000
"""Values that are kept between decisions; some 200 bytes each."""

FALLBACKS = ("base", "sampled")
"""What decides where the tree is too large: the base agent, or playouts of the battle."""

FIGHTING = ("fire", "loss", "panic")
PLANS = 300  # war fleets looked at for a launch
NODES_PER_SECOND = 100_000  # under a clock; slower than any machine that this was measured on
UNITS_A_CANOE, LEADERS_A_CANOE = 2, 2  # [11.7]


@dataclass(frozen=True, slots=True)
class ActionValue:
    """What an action is worth to the side that decides.

    Attributes:
        text: the action in words.
        value: what the side plays for, greater is better; None where it could not be computed. With the objective "win" it is
            `win`.
        win: chance that the side wins the battle (holds or takes the space); None as above.
        margin: strength that the enemy loses less what the side loses, on average from here on; with the objective "win"
            only, else None.
        exact: over the whole tree; False: by playouts, or unknown.
    """

    text: str
    value: float | None
    win: float | None
    margin: float | None
    exact: bool


@dataclass(frozen=True, slots=True)
class BattleReport:
    """How a decision was made.

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


class ExpectimaxBattleAgent(BaseAgent):
    """Plays every battle optimally where its tree is small enough; all else is its base agent's.

    In a battle it decides who fires, who is lost and who panics; with `before`, also whether a war fleet is launched and who
    sails in it, and whether earthworks are played. Values are exact expectations over all dice, both sides choosing their best.

    Attributes:
        base: the agent that decides the rest.
        last_report: `BattleReport` of the last decision, None before the first.

    Args:
        base: spec of an agent, or an agent.
        max_nodes: positions that a decision may newly solve; beyond that `fallback` decides. 0: only what is known already.
        objective: what is played for: "win" the chance to win the battle, ties by strength lost; "material" that chance and 0.05
            for each point of strength lost; "war" the same, 1 for a chief and 5 for a death that ends the game [5.2].
        fallback: "base" the base agent, "sampled" playouts of the battle.
        samples: playouts for each action, with "sampled".
        before: it also decides what comes before a battle: launches, who sails, earthworks; else these are the base agent's.
        earthworks: gain in the chance to hold the space from which on earthworks are played; the card may serve later.
        keep: values kept between decisions.
        seed: seed of the base agent and of the playouts.
    """

    name = "battle-expectimax"

    def __init__(
        self,
        base: str | Agent = "rule-of-thumb",
        max_nodes: int = MAX_NODES,
        objective: str = "win",
        fallback: str = "base",
        samples: int = 50,
        before: bool = False,
        earthworks: float = 0.1,
        keep: int = KEEP,
        seed: int | None = None,
    ) -> None:
        for what, value, low in (("max_nodes", max_nodes, 0), ("samples", samples, 1), ("keep", keep, 0)):
            if type(value) is not int or value < low:
                raise OptionError(f"{what}: a whole number of {low} or more is wanted, not {value!r}")
        for what, value, allowed in (("objective", objective, OBJECTIVES), ("fallback", fallback, FALLBACKS)):
            if value not in allowed:
                raise OptionError(f"{what}: allowed are {', '.join(allowed)}, not {value!r}")
        self.seed: int | None = None if seed is None else check_seed(seed)
        self.base: Agent = agents.make(base, **({} if seed is None else {"seed": seed}))
        self.max_nodes = max_nodes
        self.objective = objective
        self.fallback = fallback
        self.samples = samples
        self.before: bool = bool(before)
        self.earthworks = earthworks
        self.keep = keep
        self.last_report: BattleReport | None = None
        self._reader: BattleReader | None = None
        self._solvers: OrderedDict[Terms, BattleSolver] = OrderedDict()

    def __repr__(self) -> str:
        return f"ExpectimaxBattleAgent(base={self.base!r}, max_nodes={self.max_nodes}, objective={self.objective!r})"

    def begin(self, game: Game, player: int) -> None:
        """A game begins. What was solved is forgotten, so that a game's decisions depend on no game before it."""
        super().begin(game, player)
        self._solvers.clear()
        agents.begin(self.base, game, player)

    def act(self, state: State, legal_actions: Sequence[int], clock: Clock | None = None) -> int:
        """Return the best action for the battle, or the base agent's."""
        start = time.perf_counter()
        phase = state.phase
        values: dict[int, ActionValue] = {}
        nodes = 0
        if self.before or phase in FIGHTING:
            values, nodes = self._evaluate(state, legal_actions, clock)
        exact = bool(values) and all(v.exact for v in values.values())
        known = {a: v for a, v in values.items() if v.value is not None}
        action, method = -1, "base"
        if known and len(known) == len(values):
            method = "exact" if exact else "sampled"
            action = self._best(phase, known)
        if action < 0:
            action, method, exact = int(self.base.act(state, legal_actions, clock)), "base", False
        self.last_report = BattleReport(phase, method, exact, nodes, time.perf_counter() - start, action, values)
        return action

    def _best(self, phase: str, values: dict[int, ActionValue]) -> int:
        """The action of the greatest value, ties by the margin, then the first; earthworks only where they gain enough."""

        def worth(action: int) -> tuple[float, float]:
            it = values[action]
            assert it.value is not None
            card = self.earthworks if phase == "window" and it.text != "pass" else 0.0
            return round(it.value - card, 12), round(it.margin if it.margin is not None else it.win or 0.0, 9)

        return max(values, key=lambda action: (*worth(action), -action))

    def explain(self, state: State, max_nodes: int | None = None) -> dict[int, ActionValue]:
        """Return what each legal action is worth to the side that decides; empty outside battle decisions.

        Args:
            state: any position.
            max_nodes: as for the agent; None is the agent's own.
        """
        return self._evaluate(state, state.legal_actions(), None, max_nodes)[0]

    # -- values --------------------------------------------------------------------------------------------------

    def _evaluate(
        self, state: State, legal: Sequence[int], clock: Clock | None, max_nodes: int | None = None
    ) -> tuple[dict[int, ActionValue], int]:
        """The values of the legal actions, and the positions newly solved."""
        if self._reader is None or self._reader.game is not state.game:
            self._reader = BattleReader(state.game)
        phase = state.phase
        if phase not in (*FIGHTING, "launch", "commit", "window") or len(legal) < 2:
            return {}, 0
        budget = self.max_nodes if max_nodes is None else max_nodes
        if clock is not None:
            budget = int(min(budget, clock.left / 2 * NODES_PER_SECOND))
        view: Any = state.view()
        texts = {action: state.game.action_text(action) for action in legal}
        look = _Look(self, self._reader, view, budget)
        if phase in FIGHTING:
            values = look.fight(texts)
        elif phase == "window":
            values = look.window(texts)
        else:
            values = look.launch(texts)
        self._forget()
        return values, look.nodes

    def solver(self, terms: Terms) -> BattleSolver:
        """Return the solver of battles of these terms, with what it has solved."""
        found = self._solvers.get(terms)
        if found is None:
            found = self._solvers[terms] = BattleSolver(terms)
        self._solvers.move_to_end(terms)
        return found

    def _forget(self) -> None:
        """Keep no more values than allowed: the terms used longest ago go first."""
        kept = sum(len(solver.known) for solver in self._solvers.values())
        while kept > self.keep:
            kept -= len(self._solvers.popitem(last=False)[1].known)


class _Look:
    """One decision: its view, the role that decides, and the budget that is left."""

    def __init__(self, agent: ExpectimaxBattleAgent, reader: BattleReader, view: Any, budget: int) -> None:
        self.agent = agent
        self.reader = reader
        self.view = view
        self.budget = budget
        self.nodes = 0
        self.role = reader.role(view, view.decider)

    def solve(self, solver: BattleSolver, at: Position | complex) -> complex | None:
        """The value of a position, or None where it takes more positions than are left."""
        if not isinstance(at, Position):
            return at
        before = solver.nodes
        try:
            return solver.value(at, self.budget - self.nodes)
        except TooLargeError:
            return None
        finally:
            self.nodes += solver.nodes - before

    def shown(self, text: str, value: complex | None, here: float, exact: bool = True) -> ActionValue:
        """A value as the side that decides sees it; here: the margin of the strength that is there now."""
        if value is None:
            return ActionValue(text, None, None, None, False)
        main, other = value.real, value.imag
        if self.agent.objective == "win":
            margin = other - here
            if self.role == ATTACKER:
                return ActionValue(text, main, main, margin, exact)
            return ActionValue(text, 1 - main, 1 - main, -margin, exact)
        if self.role == ATTACKER:
            return ActionValue(text, main, other, None, exact)
        return ActionValue(text, -main, 1 - other, None, exact)

    def fight(self, texts: dict[int, str]) -> dict[int, ActionValue]:
        """[11.1, 11.3] Who fires, is lost or panics."""
        view, reader = self.view, self.reader
        solver = self.agent.solver(
            reader.terms(view, view.battle["kind"], self.agent.objective, view.battle["earthworks"])
        )
        at = reader.position(solver, view)
        here = at.attackers.strength - at.defenders.strength
        choices = solver.choices(at)
        known: dict[Any, complex | None] = {}
        after: dict[int, Any] = {}
        for action, text in texts.items():
            choice = reader.named(view, text, self.role, choices)
            after[action] = choice
            if choice[:2] not in known:
                known[choice[:2]] = self.solve(solver, solver.after(at, choice))
        if self.agent.fallback == "sampled" and None in known.values():
            return self._sampled(texts, solver, at, after, known, here)
        return {action: self.shown(text, known[after[action][:2]], here) for action, text in texts.items()}

    def _sampled(
        self,
        texts: dict[int, str],
        solver: BattleSolver,
        at: Position,
        after: dict[int, Choice],
        known: Any,
        here: float,
    ) -> dict[int, ActionValue]:
        """Values by playouts where none was found; each choice sees the same dice as far as it goes."""
        values: dict[Any, tuple[complex, bool]] = {}
        n = self.agent.samples
        where = f"{self.agent.seed}/{self.view.decisions}"
        for choice in after.values():
            key = choice[:2]
            if key in values:
                continue
            if known[key] is not None:
                values[key] = known[key], True
            else:
                begin = solver.after(at, choice)
                total = sum(solver.playout(begin, random.Random(f"{where}/{i}")) for i in range(n))
                values[key] = complex(total / n), False
        return {a: self.shown(text, *_at(values[after[a][:2]], here)) for a, text in texts.items()}

    # -- before a battle -----------------------------------------------------------------------------------------

    def window(self, texts: dict[int, str]) -> dict[int, ActionValue]:
        """[9.0, R-38] Earthworks or not, for the battle that begins."""
        view, reader = self.view, self.reader
        if view.window != "battle" or self.role != DEFENDER:
            return {}
        found: dict[int, ActionValue] = {}
        for action, text in texts.items():
            card = text.split()[-1]
            if text != "pass" and card not in reader.earthworks:
                return {}
            solver = self.agent.solver(reader.terms(view, view.battle["kind"], self.agent.objective, text != "pass"))
            at = reader.position(solver, view)
            here = at.attackers.strength - at.defenders.strength
            found[action] = self.shown(text, self.solve(solver, at), here)
        return found

    def launch(self, texts: dict[int, str]) -> dict[int, ActionValue]:
        """[11.7] Whether to launch, and who sails: the value of each action is that of the best fleet which it leads to.

        The space is held if the sea battle is won, or if a garrison stays (R-18, option `sea_victor` as it is by default: a
        victorious fleet may not land among units). Where marchers are in the space already, or the option is another, nothing
        is said.
        """
        view, reader = self.view, self.reader
        field, side = view.field, reader.side(view, DEFENDER)
        ours = reader.side(view, ATTACKER)
        if reader.game.sea_victor != "repulsed" or self.role != DEFENDER:
            return {}
        if not all(map(reader.is_canoe, reader.there(view, ours, field))):
            return {}
        fleets = _Fleets(self, field, side, ours)
        values: list[tuple[Plan, complex]] = []
        try:
            for plan in fleets.plans():
                value = fleets.value(plan)
                if value is None:
                    raise TooLargeError
                values.append((plan, value))
        except TooLargeError:
            return {action: self.shown(text, None, 0) for action, text in texts.items()}
        found: dict[int, ActionValue] = {}
        for action, text in texts.items():
            fitting = [v for plan, v in values if fleets.leads_to(text, plan)]
            value = fleets.landing() if text == "pass" else None
            if fitting:
                value = min(fitting, key=lambda v: (round(v.real, 12), v.imag))
            found[action] = self.shown(text, value, fleets.here)
        return found


def _at(found: tuple[complex, bool], here: float) -> tuple[complex, float, bool]:
    return found[0], here, found[1]


Plan: TypeAlias = tuple[tuple[tuple[str, str], int], ...]
"""Who else joins a fleet: units by name and space, with their numbers."""


class _Fleets:
    """The war fleets that a defender may launch, each with its value to the attackers."""

    def __init__(self, look: _Look, field: str, side: str, ours: str) -> None:
        self.look, self.field, self.side = look, field, side
        self.armies = [Army(look.agent.objective == "war") for _ in range(2)]
        reader, view = look.reader, look.view
        self.invaders = reader.there(view, ours, f"sea/{field}")
        war = reader.there(view, side, "war")
        self.sailing = [p for p in war if not reader.is_canoe(p)]
        self.launched = len(war) - len(self.sailing)
        here = reader.there(view, side, field)
        self.garrison = [p for p in here if not reader.is_canoe(p)]
        self.canoes = len(here) - len(self.garrison)
        sibling = reader.siblings[field]
        near = reader.there(view, side, sibling) if sibling is not None else []
        self.free = Counter((p.split("/")[0], field) for p in self.garrison)
        self.free.update((p.split("/")[0], str(sibling)) for p in near if not reader.is_canoe(p))
        self.here = self._strength(self.invaders, ATTACKER) - self._strength(self._all(), DEFENDER)

    def _all(self) -> list[str]:
        return [*self.sailing, *(name for name, _ in self.free.elements())]

    def _units(self, names: Sequence[str], role: int) -> Units:
        return self.armies[role].units(self.look.reader.groups(self.look.view, role, names))

    def _strength(self, names: Sequence[str], role: int) -> int:
        return self._units(names, role).strength

    def needed(self, plan: Plan) -> int:
        """Canoes that a fleet needs, those launched already included."""
        names = [*(p.split("/")[0] for p in self.sailing), *(name for (name, _), n in plan for _ in range(n))]
        leaders = sum(self.look.reader.piece(self.side, name)["class"] == "leader" for name in names)
        units = len(names) - leaders
        return max(1, -(-units // UNITS_A_CANOE), -(-leaders // LEADERS_A_CANOE))

    def plans(self) -> list[Plan]:
        """All that may still join the fleet. Raises TooLargeError where there are too many."""
        groups = sorted(self.free.items())
        size = 1
        for _, n in groups:
            size *= n + 1
        if size > 8 * PLANS:
            raise TooLargeError
        found: list[Plan] = []
        for numbers in itertools.product(*(range(n + 1) for _, n in groups)):
            plan = tuple((group, n) for (group, _), n in zip(groups, numbers, strict=True) if n)
            if (plan or self.sailing) and self.needed(plan) <= self.canoes + self.launched:
                found.append(plan)
        if len(found) > PLANS:
            raise TooLargeError
        return found

    def _rest(self, value: complex, fighting: Sequence[str]) -> complex:
        """Add what the units of the defender that do not fight are worth, so that all values compare."""
        all_, some = self._units(self._all(), DEFENDER), self._units(fighting, DEFENDER)
        if self.look.agent.objective == "win":
            return value - complex(0, all_.strength - some.strength)
        return value - complex(all_.worth - some.worth, 0)

    def _battle(self, kind: str, fighting: Sequence[str]) -> complex | None:
        look = self.look
        solver = look.agent.solver(look.reader.terms(look.view, kind, look.agent.objective))
        a = solver.armies[0].units(look.reader.groups(look.view, ATTACKER, self.invaders))
        d = solver.armies[1].units(look.reader.groups(look.view, DEFENDER, fighting))
        if not d.count:
            value: complex | None = solver.end(a, d, ATTACKER, 0)
        elif not a.count:
            value = solver.end(a, d, DEFENDER, 0)
        else:
            value = look.solve(solver, Position("start", 0, a, d))
        return None if value is None else self._rest(value, fighting)

    def landing(self) -> complex | None:
        """The value of letting them land."""
        return self._battle("invasion", self.garrison)

    def value(self, plan: Plan) -> complex | None:
        """The value of a fleet of these and those that are in it already."""
        fleet = [*self.sailing, *(name for (name, _), n in plan for _ in range(n))]
        value = self._battle("sea", fleet)
        stay = len(self.garrison) - sum(n for (_, space), n in plan if space == self.field)
        if value is None or not stay:
            return value
        # A garrison keeps the space, whoever wins at sea.
        if self.look.agent.objective == "win":
            return complex(0.0, value.imag)
        return complex(value.real - value.imag, 0.0)

    def leads_to(self, text: str, plan: Plan) -> bool:
        """Whether an action may be a step towards a fleet."""
        verb, *words = text.split()
        if verb == "done":
            return not plan
        if verb == "commit" and not self.look.reader.is_canoe(words[0]):
            return any(group == (words[0], words[1]) for group, _ in plan)
        return verb != "pass"
