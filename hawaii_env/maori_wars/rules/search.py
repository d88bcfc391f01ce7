"""Searches over the map, into the scratch of the state: marches, voyages of canoes and of gunboats [6.0]."""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule

from .names import LEADER
from .pieces import is_held, is_soft

UNLIMITED = 1 << 20
"""Points of a search for a retreat."""


@rule
def begin_search(state: Any, start: int) -> None:
    """Forget the last search and begin one."""
    for at in range(state.reached):
        state.cost[state.queue[at]] = -1
    state.cost[start], state.queue[0], state.reached = 0, start, 1


@rule
def reach(state: Any, hex_: int, cost: int) -> None:
    """Note that a hex is reached with so many points, unless fewer will do."""
    if state.cost[hex_] < 0:
        state.queue[state.reached] = hex_
        state.reached += 1
        state.cost[hex_] = cost
    elif cost < state.cost[hex_]:
        state.cost[hex_] = cost


@rule
def more_than(state: Any, cost: int) -> bool:
    """Return True if a hex is reached that costs more."""
    for at in range(state.reached):
        if state.cost[state.queue[at]] > cost:
            return True
    return False


@rule
def enter_cost(rules: Any, kind: int, hex_: int) -> int:
    """[6.0] Return the points that a land unit or leader pays to enter a hex."""
    rough = rules.rough[hex_]
    if kind >= LEADER:
        return 2 if rough == 1 and rules.bushman[kind - LEADER] == 0 else 1
    return rules.enter[kind][rough]


@rule
def search_march(rules: Any, state: Any, piece: int, points: int) -> None:
    """[6.0, R-13] Find what a land unit or leader reaches by land: no enemy-held hex; nothing behind a soft one."""
    kind, player, start = state.kind[piece], state.owner[piece], state.place[piece]
    begin_search(state, start)
    for cost in range(points):
        at = 0
        while at < state.reached:
            hex_ = state.queue[at]
            at += 1
            if state.cost[hex_] != cost or (hex_ != start and is_soft(state, player, hex_)):
                continue
            for side in range(6):
                near = rules.land[hex_][side]
                if near >= 0:
                    total = cost + enter_cost(rules, kind, near)
                    if total <= points and not is_held(state, player, near):
                        reach(state, near, total)


@rule
def search_canoe(rules: Any, state: Any, start: int, player: int, points: int) -> None:
    """[6.0] Find what a canoe reaches: by sea past everybody, by river and lake into no enemy-held or soft hex."""
    begin_search(state, start)
    cost = 0
    while cost < points and (cost == 0 or more_than(state, cost - 1)):
        at = 0
        while at < state.reached:
            hex_ = state.queue[at]
            at += 1
            if state.cost[hex_] != cost:
                continue
            for step in range(rules.canoe_first[hex_], rules.canoe_first[hex_ + 1]):
                near, total = rules.canoe_to[step], cost + rules.canoe_cost[step]
                blocked = rules.canoe_sea[step] == 0 and (is_held(state, player, near) or is_soft(state, player, near))
                if total <= points and not blocked:
                    reach(state, near, total)
        cost += 1


@rule
def search_gunboat(rules: Any, state: Any, start: int, points: int) -> None:
    """[6.0, R-15] Find what a gunboat reaches: all coasts free from any, navigable hexes of a river at a point each."""
    begin_search(state, start)
    cost, at_sea = 0, False
    while cost <= points and (cost == 0 or more_than(state, cost - 1)):
        at = 0
        while at < state.reached:
            hex_ = state.queue[at]
            at += 1
            if state.cost[hex_] != cost:
                continue
            if rules.coastal[hex_] == 1 and not at_sea:
                at_sea, at = True, 0
                for index in range(len(rules.coast)):
                    reach(state, rules.coast[index], cost)
                continue
            if cost < points:
                for side in range(6):
                    if rules.navy[hex_][side] == 1:
                        reach(state, rules.neighbour[hex_][side], cost + 1)
        cost += 1
