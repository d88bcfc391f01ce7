"""Agents for Heiau Diplomacy: a greedy planner, and best responses to sampled plans of the others."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from hawaii_env.agents import BaseAgent, Clock
from hawaii_env.errors import OptionError
from hawaii_env.game import Game, State, check_seed
from hawaii_env.heiau import State as HeiauState
from hawaii_env.heiau.adjudicator import BOATS, CONVOY, FLEET, MOVE, POST, SUPPORT, VIA, Board, Order, adjudicate

from .planning import Scene, chart_of, make_plan, worth

__all__ = ["BestResponseAgent", "GreedyAgent"]


NOISES = (0.3, 0.8, 1.5)
"""Of draws in turn, as parts of an agent's own noise."""


def _texts(board: Board, order: Order) -> list[str]:
    """The actions that enter an order."""
    if order.verb in (MOVE, VIA):
        return [f"{'move' if order.verb == MOVE else 'via'} {board.places[order.target]}"]
    if order.verb in (SUPPORT, CONVOY):
        second = "stay" if order.target == order.source else f"to {board.spaces[order.target]}"
        return [f"{'support' if order.verb == SUPPORT else 'convoy'} {board.spaces[order.source]}", second]
    if order.verb == BOATS:
        coast = board.places[order.target].partition("/")[2]
        return [f"boats/{coast}" if coast else "boats"]
    return ["post" if order.verb == POST else "hold"]


class GreedyAgent(BaseAgent):
    """Sends each unit to the best heiau near, with supports where somebody may stand against it. Plans for all units at
    once.

    Args:
        noise: how much scores are shaken: 0 plays nearly the same orders each time.
        seed: seed of its generator; None takes one from the operating system.
    """

    name = "heiau-greedy"

    def __init__(self, noise: float = 0.3, seed: int | None = None) -> None:
        if isinstance(noise, bool) or not isinstance(noise, (int, float)) or noise < 0:
            raise OptionError(f"noise: a number of 0 or more is wanted, not {noise!r}")
        self.noise: float = float(noise)
        self.seed: int | None = None if seed is None else check_seed(seed)
        self._choose = random.Random(self.seed)
        self._turn: Any = None
        self._plan: dict[int, list[str]] = {}

    def begin(self, game: Game, player: int) -> None:
        """A game begins: the generator starts anew, so that a game does not depend on those before it."""
        super().begin(game, player)
        self._choose = random.Random(self.seed)
        self._turn = None

    def act(self, state: State, legal_actions: Sequence[int], clock: Clock | None = None) -> int:
        """Return a legal action.

        Raises:
            OptionError: a position of another game.
        """
        if not isinstance(state, HeiauState):
            raise OptionError(f"agent {self.name!r} plays heiau, not {state.game.name}")
        texts = {state.game.action_text(action): action for action in legal_actions}
        power = state.power_of(state.current_player)
        if state.phase == "orders":
            wanted = self._order(state, power)
        elif state.phase == "ballot":
            wanted = self._choose.choice(list(texts))
        else:
            wanted = max(texts, key=lambda text: (self._place(state, power, text), text))
        return texts.get(wanted, legal_actions[0])

    def _order(self, state: HeiauState, power: int) -> str:
        """The next action of the plan; it is made when the power is first asked in a phase."""
        record = state.record
        turn = record.year, record.season, power, tuple(record.units.items())
        if turn != self._turn:
            self._turn = turn
            board = state.game.options.board
            self._plan = {space: _texts(board, order) for space, order in self.plan(state, power).items()}
        own = [space for space, unit in record.units.items() if unit.power == power]
        space = own[len(record.chosen[power])]
        actions = self._plan.get(space, ["hold"])
        return actions[-1] if record.half[power] >= 0 else actions[0]

    def plan(self, state: HeiauState, power: int) -> dict[int, Order]:
        """Return orders for all units of a power, by space."""
        return make_plan(scene_of(state), power, self._choose, self.noise)

    def _place(self, state: HeiauState, power: int, text: str) -> float:
        """How good a retreat, build or removal is, by what is near."""
        verb, _, name = text.partition(" ")
        options, record = state.game.options, state.record
        board, scene = options.board, scene_of(state)
        if verb in ("disband", "done"):
            return -1.0
        place = board.place_index[name]
        kind = 0
        if verb == "retreat":
            own = [unit for unit, _ in record.dislodged.values() if unit.power == power]
            unit = own[len(record.entered[power])]
            space = board.space_of[place]
            kind = 0 if unit.kind != FLEET and board.inland[unit.place] >> space & 1 else unit.kind
        elif verb == "remove":
            unit = record.units[board.space_of[place]]
            kind, place = unit.kind, unit.place
        near = chart_of(board).near[kind, place]
        value = sum(sorted((weight * near[space] for space, weight in scene.goals(power).items()), reverse=True)[:4])
        return 100.0 - value if verb == "remove" else value

    def __repr__(self) -> str:
        return f"{type(self).__name__}(noise={self.noise}, seed={self.seed})"


def scene_of(state: HeiauState) -> Scene:
    """Return a position as planning needs it."""
    record, board = state.record, state.game.options.board
    return Scene(board, record.units, record.owners, board.heiaus | record.posts, record.unbuilt, record.season == 1)


class BestResponseAgent(GreedyAgent):
    """Draws plans of its own and of all others, and plays the one that does best against those of the others, on the
    average.

    Sampled best responses, as in the literature on Diplomacy without talk; each pair of plans is adjudicated and what
    comes of it is valued.

    Args:
        plans: plans of its own to choose from, 1 or more.
        samples: draws of the others' plans, 1 or more.
        sweeps: how often each unit's order is tried against all others that it could be given; 0 or more.
        noise: how much scores are shaken in the draws.
        seed: seed of its generator; None takes one from the operating system.
    """

    name = "heiau-best-response"

    def __init__(
        self, plans: int = 12, samples: int = 8, sweeps: int = 2, noise: float = 1.0, seed: int | None = None
    ) -> None:
        super().__init__(noise, seed)
        for what, value in (("plans", plans), ("samples", samples), ("sweeps", sweeps)):
            if isinstance(value, bool) or not isinstance(value, int) or value < (what != "sweeps"):
                raise OptionError(f"{what}: an integer of {int(what != 'sweeps')} or more is wanted, not {value!r}")
        self.plans: int = plans
        self.samples: int = samples
        self.sweeps: int = sweeps

    def plan(self, state: HeiauState, power: int) -> dict[int, Order]:
        """Return the plan that does best against draws of the others'."""
        scene, choose = scene_of(state), self._choose
        options = state.game.options
        mine = [make_plan(scene, power, choose, NOISES[i % len(NOISES)] * self.noise) for i in range(self.plans)]
        mine = list({tuple(sorted(plan.items())): plan for plan in mine}.values())
        others = [one for one in range(options.powers) if one != power]
        draws: list[dict[int, Order]] = []
        for i in range(self.samples):
            orders: dict[int, Order] = {}
            for one in others:
                orders.update(make_plan(scene, one, choose, NOISES[i % len(NOISES)] * self.noise))
            draws.append(orders)

        def value(plan: dict[int, Order]) -> float:
            return sum(self._result(state, power, plan, draw) for draw in draws)

        best, at = max((value(plan), -i) for i, plan in enumerate(mine))
        plan = mine[-at]
        for _ in range(self.sweeps):
            before = plan
            for space in choose.sample(list(plan), len(plan)):
                for order in scene.sight.listed(space):
                    if order != plan[space]:
                        other = {**plan, space: order}
                        found = value(other)
                        if found > best + 1e-9:
                            best, plan = found, other
            if plan == before:
                break
        return plan

    def _result(self, state: HeiauState, power: int, mine: dict[int, Order], others: dict[int, Order]) -> float:
        """What comes of everybody's orders, to a power."""
        options, record = state.game.options, state.record
        board = options.board
        found = adjudicate(board, record.units, {**others, **mine})
        lost: dict[int, int] = {}
        for unit, _ in found.dislodged.values():
            lost[unit.power] = lost.get(unit.power, 0) + 1
        owners = {**record.owners, **found.posts}
        supply = board.heiaus | record.posts | sum(1 << space for space in found.posts)
        value = worth(board, found.units, owners, supply, record.season == 1, options.powers, lost, options.victory)
        return value[power]

    def __repr__(self) -> str:
        return (
            f"BestResponseAgent(plans={self.plans}, samples={self.samples}, sweeps={self.sweeps}, noise={self.noise}, "
            f"seed={self.seed})"
        )
