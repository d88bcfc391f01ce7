"""Plans of a half's movement in Hawaii, 1795, by rules of thumb, in compiled code [10.0].

Nothing here plays the game forward: a plan is weighed by the odds of the battles that it brings about, and by what the
enemy could attack afterwards with the canoes and cards that he has.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hawaii_env.core import rule
from hawaii_env.hawaii1795.fast import N_KINDS, N_SPACES

from .attacks import weigh
from .boards import (
    ATTACKED,
    BOATS,
    BY_LAND,
    BY_SEA,
    CHIEF,
    COUNT,
    FLEETS,
    FRESH,
    N_ATTACKED,
    N_BY_LAND,
    N_BY_SEA,
    N_PIECES,
    N_STEPS,
    NOWHERE,
    P_BASE,
    P_BEST,
    P_NEW,
    P_SHORT,
    SAILING,
    SHORT_LIST,
    SIDE,
    SOURCE,
    STEP,
    STEPS,
    TIRED,
    WALKED,
    add_units,
    append_cell,
    append_units,
    count_chiefs,
    first_of,
    insert_unit,
    is_invasion,
    power_of,
    take_unit,
)

__all__ = ["FLEET_STEP", "MARCH_STEP", "make_plan", "start_plan"]

LONGEST = 8
"""Thoughts of a plan: a march, a fleet move, or several fleets to one space."""

MARCH_STEP, FLEET_STEP = 0, 1


# Orders


@rule
def attack(plan: Any, space: int) -> None:
    """Note a space that is attacked."""
    for i in range(plan[N_ATTACKED]):
        if plan[ATTACKED + i] == space:
            return
    plan[ATTACKED + plan[N_ATTACKED]] = space
    plan[N_ATTACKED] += 1


@rule
def start_plan(known: Any, base: Any, side: int, plan: Any) -> None:
    """Write a side's plan of doing nothing, in a position that `write_board` wrote."""
    plan[:] = base
    plan[SIDE] = side
    plan[N_STEPS] = 0
    for space in range(N_SPACES):
        plan[N_BY_SEA + space] = 0
        plan[SOURCE + space] = NOWHERE
        plan[SAILING + space] = NOWHERE
        plan[FRESH + space] = base[BOATS + side * N_SPACES + space] - base[FRESH + space]
    for space in range(N_SPACES):
        cell = side * N_SPACES + space
        if plan[COUNT + cell] > 0 and plan[COUNT + (1 - side) * N_SPACES + space] > 0:
            # Already among enemies: these will attack whatever else is done.
            attack(plan, space)
            plan[N_BY_LAND + space] = append_cell(plan[BY_LAND + space * N_PIECES :], 0, plan, cell)
            plan[COUNT + cell] = 0
            plan[FRESH + space] = 0
    for space in range(N_SPACES):
        if base[N_BY_SEA + space] >= 0:
            attack(plan, space)
            plan[N_BY_SEA + space] = base[N_BY_SEA + space]
            plan[SOURCE + space] = base[SOURCE + space]
            plan[SAILING + space] = base[SAILING + space]


@rule
def canoe_for(plan: Any, pickup: int) -> int:
    """Return the space whose canoe sails for a pick-up: its own, else the one with most canoes for its units; -1 if
    none.
    """
    if plan[FRESH + pickup] != 0:
        return pickup
    side = int(plan[SIDE])
    best, found = -99.0, -1
    for space in range(N_SPACES):
        if plan[FRESH + space] != 0 and plan[COUNT + (1 - side) * N_SPACES + space] == 0:
            cell = side * N_SPACES + space
            spare = plan[BOATS + cell] - 0.4 * plan[COUNT + cell]
            if spare > best:
                best, found = spare, space
    return found


@rule
def write_step(plan: Any, verb: int, a: int, b: int, c: int) -> int:
    """Add a step; return where its units follow."""
    at = STEPS + STEP * plan[N_STEPS]
    plan[N_STEPS] += 1
    plan[at : at + STEP] = 0
    plan[at] = verb
    plan[at + 1] = a
    plan[at + 2] = b
    plan[at + 3] = c
    return at + 4


@rule
def sail(plan: Any, known: Any, pickup: int, cargo: Any, to: int) -> bool:
    """Add a fleet move; return False if none is left. cargo: a number, and so many units."""
    canoe = canoe_for(plan, pickup)
    if plan[FLEETS] < 1 or canoe < 0:
        return False
    side, n = int(plan[SIDE]), int(cargo[0])
    here, there = side * N_SPACES + pickup, side * N_SPACES + to
    plan[FLEETS] -= 1
    plan[FRESH + canoe] -= 1
    plan[BOATS + side * N_SPACES + canoe] -= 1
    at = write_step(plan, FLEET_STEP, canoe, pickup, to)
    for i in range(n):
        take_unit(plan, here, int(cargo[1 + i]))
        plan[at + i] = cargo[1 + i] + 1
    if is_invasion(plan, side, to) or plan[SAILING + to] != NOWHERE:
        attack(plan, to)
        plan[N_BY_SEA + to] = append_units(plan[BY_SEA + to * N_PIECES :], int(plan[N_BY_SEA + to]), cargo, 1, n)
        plan[SOURCE + to] = pickup
        plan[SAILING + to] = max(0, int(plan[SAILING + to])) + 1
    else:
        plan[BOATS + there] += 1
        add_units(plan, there, cargo, 1, n, known)
        for i in range(n):
            plan[TIRED + to * N_KINDS + cargo[1 + i]] += 1
    return True


@rule
def march(rules: Any, plan: Any, known: Any, units: Any, space: int) -> None:
    """Add marches to the island's other space. units: a number, and so many units."""
    side, n, to = int(plan[SIDE]), int(units[0]), rules.sibling[space]
    for i in range(n):
        kind = int(units[1 + i])
        take_unit(plan, side * N_SPACES + space, kind)
        write_step(plan, MARCH_STEP, space, kind, to)
    if plan[COUNT + (1 - side) * N_SPACES + to] > 0:
        attack(plan, to)
        plan[N_BY_LAND + to] = append_units(plan[BY_LAND + to * N_PIECES :], int(plan[N_BY_LAND + to]), units, 1, n)
    else:
        add_units(plan, side * N_SPACES + to, units, 1, n, known)
        for i in range(n):
            plan[WALKED + to * N_KINDS + units[1 + i]] += 1


# Thoughts


@rule
def write_free(known: Any, plan: Any, space: int, spent: int, out: Any) -> tuple[int, int]:
    """Write the soldiers, the strongest first, into out[0], and the leaders into out[1], of a force without those who
    are spent, which stand by space and kind from `spent` on. Return how many there are of each.
    """
    soldiers, leaders, left = 0, 0, known.spent
    for kind in range(N_KINDS):
        left[kind] = plan[spent + space * N_KINDS + kind]
    cell = int(plan[SIDE]) * N_SPACES + space
    for i in range(first_of(cell), first_of(cell) + plan[COUNT + cell]):
        kind = int(plan[i])
        if left[kind] > 0:
            left[kind] -= 1
        elif known.static[5][kind] > 0:
            out[1, leaders] = kind
            leaders += 1
        else:
            insert_unit(out[0], 0, soldiers, kind, known.ranks[1])
            soldiers += 1
    return soldiers, leaders


@rule
def write_group(known: Any, out: Any, n: int, row: Any, first: int, soldiers: int, leaders: int, which: int) -> int:
    """Write soldiers of row[0] from one on, and behind them leaders of row[1]: which 0 none, 1 those who are no chiefs,
    2 all, 3 the first chief, 4 + i that one. Return how many groups there are, of which each is another.
    """
    group, size = out[n], 0
    for i in range(soldiers):
        group[1 + size] = row[0, first + i]
        size += 1
    for i in range(leaders):
        chief = known.facts[row[1, i], CHIEF] >= 0
        if which == 2 or (which == 1 and not chief) or which == 4 + i or (which == 3 and chief):
            group[1 + size] = row[1, i]
            size += 1
            if which == 3:
                break
    group[0] = size
    if size == 0:
        return n
    for other in range(n):
        same = out[other, 0] == size
        for i in range(size):
            same = same and out[other, 1 + i] == group[1 + i]
        if same:
            return n
    return n + 1


@rule
def write_cargoes(rules: Any, known: Any, plan: Any, space: int, out: Any) -> int:
    """Write what may be worth embarking of a force, the strongest first; return how many cargoes there are."""
    row, most = known.forces, rules.leaders_a_canoe
    soldiers, leaders = write_free(known, plan, space, TIRED, row)
    n = 0
    for size in range(rules.units_a_canoe, -1, -1):
        if size > soldiers:
            continue
        for last in range(2 if size > 0 else 1):
            first = soldiers - size if last else 0
            n = write_group(known, out, n, row, first, size, 0, 0)
            if most > 0:
                n = write_some(known, out, n, row, first, size, leaders, most)
    return n


@rule
def write_some(known: Any, out: Any, n: int, row: Any, first: int, size: int, leaders: int, most: int) -> int:
    """Write cargoes of these soldiers with leaders: those who are no chiefs, any, one chief; return how many there are
    now.
    """
    others, upto = 0, 0
    for i in range(leaders):
        if others < most and known.facts[row[1, i], CHIEF] < 0:
            others += 1
            upto = i + 1
    n = write_group(known, out, n, row, first, size, upto, 1)
    n = write_group(known, out, n, row, first, size, min(leaders, most), 2)
    return write_group(known, out, n, row, first, size, leaders, 3)


@rule
def write_marches(known: Any, plan: Any, space: int, out: Any) -> int:
    """Write who may be worth marching of a force; return how many groups there are."""
    row = known.forces
    soldiers, leaders = write_free(known, plan, space, WALKED, row)
    n = 0
    for size in range(1, soldiers + 1):
        if size <= 2 or size >= soldiers - 1:
            for which in range(3):
                n = write_group(known, out, n, row, 0, size, leaders, which)
    if soldiers > 0:
        n = write_group(known, out, n, row, soldiers - 1, 1, 0, 0)
    for which in range(1, 3):
        n = write_group(known, out, n, row, 0, 0, leaders, which)
    for i in range(leaders):
        n = write_group(known, out, n, row, 0, 0, leaders, 4 + i)
    return n


@rule
def may_leave(plan: Any, space: int) -> bool:
    """Return True if units may march or embark: there are some, and no enemies."""
    side = int(plan[SIDE])
    cell = (1 - side) * N_SPACES + space
    return plan[COUNT + side * N_SPACES + space] > 0 and plan[COUNT + cell] == 0 and plan[BOATS + cell] == 0


@rule
def consider(rules: Any, state: Any, known: Any, count: int, no_sighting: bool) -> int:
    """Put the plan in P_NEW on the short list, if it is among the best by the table. Return how many were considered,
    `count` before.
    """
    value = weigh(rules, state, known, known.plans[P_NEW], no_sighting, False)
    scores, chosen = known.scores, known.chosen
    listed = min(count, SHORT_LIST)
    if listed < SHORT_LIST:
        chosen[listed] = P_SHORT + listed
    elif value <= scores[SHORT_LIST - 1]:
        return count + 1
    else:
        listed -= 1
    row, at = chosen[listed], listed
    known.plans[row, :] = known.plans[P_NEW]
    while at > 0 and scores[at - 1] < value:
        scores[at], chosen[at] = scores[at - 1], chosen[at - 1]
        at -= 1
    scores[at], chosen[at] = value, row
    return count + 1


@rule
def consider_marches(rules: Any, state: Any, known: Any, no_sighting: bool) -> int:
    """Consider the best plan with each march more; return how many."""
    best, new, count = known.plans[P_BEST], known.plans[P_NEW], 0
    for space in range(N_SPACES):
        if rules.sibling[space] >= 0 and may_leave(best, space):
            for i in range(write_marches(known, best, space, known.marches)):
                new[:] = best
                march(rules, new, known, known.marches[i], space)
                count = consider(rules, state, known, count, no_sighting)
    return count


@rule
def write_pickup(rules: Any, known: Any, plan: Any, space: int, place: int) -> None:
    """Write the cargoes of a space, and their number, into a place of `Known.cargoes`; 0 if nothing may embark."""
    known.n_cargoes[place] = 0
    if may_leave(plan, space):
        known.n_cargoes[place] = write_cargoes(rules, known, plan, space, known.cargoes[place])


@rule
def consider_fleets(rules: Any, state: Any, known: Any, count: int, no_sighting: bool) -> int:
    """Consider the best plan with each fleet move more; return how many were considered, `count` before."""
    best, new = known.plans[P_BEST], known.plans[P_NEW]
    for space in range(N_SPACES):
        write_pickup(rules, known, best, space, space)
    for space in range(N_SPACES):
        for to in range(N_SPACES):
            if to != space:
                for i in range(known.n_cargoes[space]):
                    new[:] = best
                    sail(new, known, space, known.cargoes[space, i], to)
                    count = consider(rules, state, known, count, no_sighting)
    return count


@rule
def sail_strongest(known: Any, plan: Any, places: Any, to: int, skip: int, chiefs: bool, walls: int) -> int:
    """Add a fleet move of the strongest boatload that may still go to a space, not from `skip`; return where it
    embarks, -1 if there is none.

    places: int64[spaces], the places in `Known.cargoes` of what each space has to embark.
    """
    best, found, which = 0.0, -1, 0
    for space in range(N_SPACES):
        if space in (to, skip):
            continue
        cargoes = known.cargoes[places[space]]
        for i in range(known.n_cargoes[places[space]]):
            size = int(cargoes[i, 0])
            if chiefs or count_chiefs(cargoes[i, 1:], size, known.facts) == 0:
                strength = power_of(cargoes[i], 1, size, walls, known.power)
                if strength > best:
                    best, found, which = strength, space, i
    if found < 0 or not sail(plan, known, found, known.cargoes[places[found], which], to):
        return -1
    return found


@rule
def consider_landings(rules: Any, state: Any, known: Any, count: int, no_sighting: bool) -> int:
    """Consider the best plan with several fleets more to one space; return how many were considered, `count` before."""
    best, new, places = known.plans[P_BEST], known.plans[P_NEW], np.zeros(N_SPACES, np.int64)
    for to in range(N_SPACES):
        if not is_invasion(best, int(best[SIDE]), to):
            continue
        for chiefs in range(2):
            for skip in range(-1, N_SPACES):
                if skip >= 0 and (skip == to or not may_leave(best, skip)):
                    continue
                new[:] = best
                for space in range(N_SPACES):
                    places[space] = space
                for k in range(best[FLEETS]):
                    space = sail_strongest(known, new, places, to, skip, chiefs == 1, rules.fort[to])
                    if space < 0:
                        break
                    places[space] = N_SPACES + space
                    write_pickup(rules, known, new, space, N_SPACES + space)
                    if k > 0:
                        count = consider(rules, state, known, count, no_sighting)
    return count


@rule
def make_plan(rules: Any, state: Any, known: Any, side: int, no_sighting: bool, eagerness: float) -> float:
    """Find the best plan in P_BASE, thinking of one move after the other; leave it in P_BEST. Return what it is worth.

    eagerness: how much better a first move must be than none.
    """
    best = known.plans[P_BEST]
    start_plan(known, known.plans[P_BASE], side, best)
    worth = weigh(rules, state, known, best, no_sighting, True)
    for thought in range(LONGEST):
        count = consider_marches(rules, state, known, no_sighting)
        if best[FLEETS] >= 1 and canoe_for(best, 0) >= 0:
            count = consider_fleets(rules, state, known, count, no_sighting)
            if best[FLEETS] >= 2:
                count = consider_landings(rules, state, known, count, no_sighting)
        least = worth + (1e-6 if thought > 0 else eagerness)
        found, top = -1, worth
        for i in range(min(count, SHORT_LIST)):
            row, value = known.chosen[i], known.scores[i]
            if known.plans[row, N_ATTACKED] > 0:
                value = weigh(rules, state, known, known.plans[row], no_sighting, True)
            if value > max(least, top):
                found, top = row, value
        if found < 0 or known.asked[0, 0] > 0:
            break
        best[:] = known.plans[found]
        worth = top
    return worth
