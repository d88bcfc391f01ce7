"""War fleets of Hawaii, 1795 by rules of thumb, in compiled code [11.7, 11.8]."""

from __future__ import annotations

from typing import Any

import numpy as np

from hawaii_env.core import rule
from hawaii_env.core.layout import copy_record
from hawaii_env.hawaii1795.fast import N_PIECES, N_SPACES

from .attacks import weigh
from .boards import (
    AT_SEA,
    CHIEF,
    NOWHERE,
    OPEN,
    P_BASE,
    P_BEATEN,
    P_NEW,
    P_WON,
    WALLS,
    add_units,
    append_force,
    append_units,
    insert_unit,
    odds_of_battle,
    part_left,
    plan_of,
    power_of,
    take_unit,
    value_for,
)
from .plans import start_plan

__all__ = ["best_fleet", "value_of_landing"]


@rule
def value_of_landing(rules: Any, state: Any, known: Any) -> float:
    """Return what it is worth to let the invader land."""
    base, plan, at, player = plan_of(known, P_BASE), plan_of(known, P_NEW), state.field, state.decider
    start_plan(known, base, 1 - player, plan)
    plan.n_attacked = 1
    plan.attacked[0] = at
    sailed = base.n_by_sea[at] >= 0
    plan.n_by_sea[at] = max(0, int(base.n_by_sea[at]))
    plan.n_by_land[at] = append_force(plan.by_land[at], 0, base, state.half, at)
    for space in range(N_SPACES):
        plan.sailing[space] = NOWHERE
        plan.source[space] = NOWHERE
    plan.sailing[at] = base.sailing[at] if sailed else 1
    plan.source[at] = base.source[at] if sailed else at
    if base.count[player][at] == 0:
        plan.boats[player][at] = 0
    return -weigh(rules, state, known, plan, True, True)


@rule
def write_pool(rules: Any, known: Any, board: Any, player: int, at: int, pool: Any) -> tuple[int, int]:
    """Write who may be committed, units of int64[2, ...] with their spaces: soldiers, the strongest first, then
    leaders. Return how many there are of each.
    """
    soldiers, leaders, found = 0, 0, np.zeros((2, N_PIECES), np.int64)
    for k in range(2):
        space = rules.sibling[at] if k else at
        if k and (space < 0 or board.count[1 - player][space] > 0):
            continue
        n = append_force(known.forces[0], 0, board, player, space)
        for i in range(n):
            kind = int(known.forces[0, i])
            if rules.leader[rules.first[kind]]:
                found[0, leaders] = kind
                found[1, leaders] = space
                leaders += 1
                continue
            place = soldiers
            while place > 0 and known.power[pool[0, place - 1], 0] < known.power[kind, 0]:
                pool[0, place] = pool[0, place - 1]
                pool[1, place] = pool[1, place - 1]
                place -= 1
            pool[0, place] = kind
            pool[1, place] = space
            soldiers += 1
    pool[:, soldiers : soldiers + leaders] = found[:, :leaders]
    return soldiers, leaders


@rule
def best_fleet(rules: Any, state: Any, known: Any, out: Any) -> tuple[float, int]:
    """Write the units of the best war fleet; return what it is worth, -2 if none can sail, and how many these are."""
    board, at, player, most = plan_of(known, P_BASE), state.field, state.decider, 0
    pool, fleet = np.zeros((2, N_PIECES), np.int64), np.zeros((2, N_PIECES), np.int64)
    soldiers, leaders = write_pool(rules, known, board, player, at, pool)
    room, best = 2 * int(board.boats[player][at]), -2.0
    for n in range(1, min(room, soldiers) + 1):
        for last in range(2 if n < soldiers else 1):
            first = soldiers - n if last else 0
            fleet[:, :n] = pool[:, first : first + n]
            for led in range(2 if leaders else 1):
                size = n
                if led:
                    size = n + min(room, leaders)
                    fleet[:, n:size] = pool[:, soldiers : soldiers + size - n]
                value = worth_of_fleet(rules, state, known, fleet, size)
                if value > best:
                    best, most = value, size
                    for i in range(size):
                        out[i] = fleet[0, i]
    return best, most


@rule
def part_of(n: int, share: float) -> int:
    """Return how many are left of a beaten or victorious force of n, the best of it; the elite of a beaten one are
    dead.
    """
    return min(n, int(n * share + 0.5))


@rule
def write_lost(known: Any, board: Any, units: Any, n: int) -> None:
    """Write the position without the invading fleet, and without the chiefs among the fallen."""
    copy_record(plan_of(known, P_BASE), board)
    for i in range(n):
        side = known.facts[units[i], CHIEF]
        if side >= 0:
            board.chiefs[side] -= 1


@rule
def worth_of_fleet(rules: Any, state: Any, known: Any, fleet: Any, n: int) -> float:
    """[11.8] Return what a war fleet of these units, each with its space, is worth, over who wins."""
    base, at, player = plan_of(known, P_BASE), state.field, state.decider
    enemy, sea, units = 1 - player, known.forces[0], known.forces[2]
    sailed = base.n_by_sea[at] >= 0
    size = append_units(sea, 0, base.by_sea[at], max(0, int(base.n_by_sea[at])))
    canoes, home = (int(base.sailing[at]), int(base.source[at])) if sailed else (1, at)
    for i in range(n):
        insert_unit(units, i, fleet[0, i], known.ranks[0])
    lost = odds_of_battle(known, sea, size, units, n, AT_SEA)
    force, defence = power_of(sea, size, 0, known.power), power_of(units, n, 2, known.power)
    # The enemy beaten: survivors and half of his canoes go home, everybody of ours comes back.
    won, beaten = plan_of(known, P_WON), plan_of(known, P_BEATEN)
    write_lost(known, won, sea, size)
    left = part_of(size, part_left(known, force, defence, AT_SEA, 2) * 0.7)
    add_units(won, enemy, home, sea, left, known)
    won.boats[enemy][home] += (canoes + 1) // 2
    write_lost(known, beaten, units, n)
    for i in range(n):
        take_unit(beaten, player, fleet[1, i], fleet[0, i])
    beaten.boats[player][at] -= min(int(beaten.boats[player][at]), max(1, (n + 1) // 2))
    left = part_of(size, part_left(known, force, defence, AT_SEA, 1))
    theirs = known.forces[1]
    garrison = append_force(theirs, 0, beaten, player, at)
    if garrison > 0 and not rules.assault:
        add_units(beaten, enemy, home, sea, left, known)
        beaten.boats[enemy][home] += canoes
    elif odds_of_battle(known, sea, size, theirs, garrison, WALLS if rules.fort[at] else OPEN) > 0.5:
        beaten.count[player][at] = 0
        add_units(beaten, enemy, at, sea, left, known)
        beaten.boats[enemy][at] += canoes
    return (1.0 - lost) * worth_on_land(rules, state, known, won) + lost * worth_on_land(rules, state, known, beaten)


@rule
def worth_on_land(rules: Any, state: Any, known: Any, board: Any) -> float:
    """Return what a board is worth to the decider, after the battle with those who came overland."""
    at, player = state.field, state.decider
    enemy = 1 - player
    if board.count[player][at] > 0 and board.count[enemy][at] > 0:
        n = append_force(known.forces[0], 0, board, enemy, at)
        m = append_force(known.forces[1], 0, board, player, at)
        odds = odds_of_battle(known, known.forces[0], n, known.forces[1], m, WALLS if rules.fort[at] else OPEN)
        board.count[player if odds > 0.5 else enemy][at] = 0
    return value_for(rules, state, known, board, player)
