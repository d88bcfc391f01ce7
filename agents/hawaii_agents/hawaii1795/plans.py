"""Plans of a half's movement in Hawaii, 1795, by rules of thumb, in compiled code [10.0].

Nothing here plays the game forward: a plan is weighed by the odds of the battles that it brings about, and by what the
enemy could attack afterwards with the canoes and cards that he has.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hawaii_env.core import rule
from hawaii_env.core.layout import copy_record
from hawaii_env.hawaii1795.fast import N_KINDS, N_SPACES

from .attacks import weigh
from .boards import (
    CHIEF,
    N_STEP,
    NOWHERE,
    P_BASE,
    P_BEST,
    P_NEW,
    P_SHORT,
    SHORT_LIST,
    STEP_BY,
    STEP_FROM,
    STEP_TO,
    STEP_UNITS,
    STEP_VERB,
    add_units,
    append_force,
    append_units,
    count_chiefs,
    insert_unit,
    is_invasion,
    plan_of,
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
    for i in range(plan.n_attacked):
        if plan.attacked[i] == space:
            return
    plan.attacked[plan.n_attacked] = space
    plan.n_attacked += 1


@rule
def start_plan(known: Any, base: Any, side: int, plan: Any) -> None:
    """Write a side's plan of doing nothing, in a position that `write_board` wrote."""
    copy_record(base, plan)
    plan.side = side
    plan.n_steps = 0
    for space in range(N_SPACES):
        plan.n_by_sea[space] = 0
        plan.source[space] = NOWHERE
        plan.sailing[space] = NOWHERE
        plan.fresh[space] = plan.boats[side][space] - base.fresh[space]
    for space in range(N_SPACES):
        if plan.count[side][space] > 0 and plan.count[1 - side][space] > 0:
            # Already among enemies: these will attack whatever else is done.
            attack(plan, space)
            plan.n_by_land[space] = append_force(plan.by_land[space], 0, plan, side, space)
            plan.count[side][space] = 0
            plan.fresh[space] = 0
    for space in range(N_SPACES):
        if base.n_by_sea[space] >= 0:
            attack(plan, space)
            plan.n_by_sea[space] = base.n_by_sea[space]
            plan.source[space] = base.source[space]
            plan.sailing[space] = base.sailing[space]


@rule
def canoe_for(plan: Any, pickup: int) -> int:
    """Return the space whose canoe sails for a pick-up: its own, else the one with most canoes for its units; -1 if
    none.
    """
    if plan.fresh[pickup] != 0:
        return pickup
    side = int(plan.side)
    best, found = -99.0, -1
    for space in range(N_SPACES):
        if plan.fresh[space] != 0 and plan.count[1 - side][space] == 0:
            spare = plan.boats[side][space] - 0.4 * plan.count[side][space]
            if spare > best:
                best, found = spare, space
    return found


@rule
def write_step(plan: Any, verb: int, start: int, by: int, to: int) -> Any:
    """Add a step, as yet without units, and return it."""
    step = plan.steps[plan.n_steps]
    plan.n_steps += 1
    for column in range(N_STEP):
        step[column] = 0
    step[STEP_VERB], step[STEP_FROM], step[STEP_BY], step[STEP_TO] = verb, start, by, to
    return step


@rule
def sail(plan: Any, known: Any, pickup: int, cargo: Any, to: int) -> bool:
    """Add a fleet move; return False if none is left. cargo: a number, and so many units."""
    canoe = canoe_for(plan, pickup)
    if plan.fleets < 1 or canoe < 0:
        return False
    side, n, units = int(plan.side), int(cargo[0]), cargo[1:]
    plan.fleets -= 1
    plan.fresh[canoe] -= 1
    plan.boats[side][canoe] -= 1
    step = write_step(plan, FLEET_STEP, canoe, pickup, to)
    for i in range(n):
        take_unit(plan, side, pickup, int(units[i]))
        step[STEP_UNITS + i] = units[i] + 1
    if is_invasion(plan, side, to) or plan.sailing[to] != NOWHERE:
        attack(plan, to)
        plan.n_by_sea[to] = append_units(plan.by_sea[to], int(plan.n_by_sea[to]), units, n)
        plan.source[to] = pickup
        plan.sailing[to] = max(0, int(plan.sailing[to])) + 1
    else:
        plan.boats[side][to] += 1
        add_units(plan, side, to, units, n, known)
        for i in range(n):
            plan.tired[to][units[i]] += 1
    return True


@rule
def march(rules: Any, plan: Any, known: Any, group: Any, space: int) -> None:
    """Add marches to the island's other space. group: a number, and so many units."""
    side, n, units, to = int(plan.side), int(group[0]), group[1:], rules.sibling[space]
    for i in range(n):
        kind = int(units[i])
        take_unit(plan, side, space, kind)
        write_step(plan, MARCH_STEP, space, kind, to)
    if plan.count[1 - side][to] > 0:
        attack(plan, to)
        plan.n_by_land[to] = append_units(plan.by_land[to], int(plan.n_by_land[to]), units, n)
    else:
        add_units(plan, side, to, units, n, known)
        for i in range(n):
            plan.walked[to][units[i]] += 1


# Thoughts


@rule
def write_free(known: Any, plan: Any, space: int, spent: Any, out: Any) -> tuple[int, int]:
    """Write the soldiers, the strongest first, into out[0], and the leaders into out[1], of a force without those who
    are spent, which is a number by kind. Return how many there are of each.
    """
    soldiers, leaders, left, side = 0, 0, known.spent, int(plan.side)
    for kind in range(N_KINDS):
        left[kind] = spent[kind]
    row = plan.units[side][space]
    for i in range(plan.count[side][space]):
        kind = int(row[i])
        if left[kind] > 0:
            left[kind] -= 1
        elif known.static.leading[kind] > 0:
            out[1, leaders] = kind
            leaders += 1
        else:
            insert_unit(out[0], soldiers, kind, known.ranks[1])
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
    soldiers, leaders = write_free(known, plan, space, plan.tired[space], row)
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
    soldiers, leaders = write_free(known, plan, space, plan.walked[space], row)
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
    side = int(plan.side)
    enemies = plan.count[1 - side][space] > 0 or plan.boats[1 - side][space] > 0
    return plan.count[side][space] > 0 and not enemies


@rule
def consider(rules: Any, state: Any, known: Any, count: int, no_sighting: bool) -> int:
    """Put the plan in P_NEW on the short list, if it is among the best by the table. Return how many were considered,
    `count` before.
    """
    value = weigh(rules, state, known, plan_of(known, P_NEW), no_sighting, False)
    scores, chosen = known.scores, known.chosen
    listed = min(count, SHORT_LIST)
    if listed < SHORT_LIST:
        chosen[listed] = P_SHORT + listed
    elif value <= scores[SHORT_LIST - 1]:
        return count + 1
    else:
        listed -= 1
    row, at = chosen[listed], listed
    copy_record(plan_of(known, P_NEW), plan_of(known, row))
    while at > 0 and scores[at - 1] < value:
        scores[at], chosen[at] = scores[at - 1], chosen[at - 1]
        at -= 1
    scores[at], chosen[at] = value, row
    return count + 1


@rule
def consider_marches(rules: Any, state: Any, known: Any, no_sighting: bool) -> int:
    """Consider the best plan with each march more; return how many."""
    best, new, count = plan_of(known, P_BEST), plan_of(known, P_NEW), 0
    for space in range(N_SPACES):
        if rules.sibling[space] >= 0 and may_leave(best, space):
            for i in range(write_marches(known, best, space, known.marches)):
                copy_record(best, new)
                march(rules, new, known, known.marches[i], space)
                count = consider(rules, state, known, count, no_sighting)
    return count


@rule
def write_pickup(rules: Any, known: Any, plan: Any, space: int, which: int) -> None:
    """Write the cargoes of a space, and their number, as the first or second list of it; 0 if nothing may embark."""
    known.n_cargoes[which, space] = 0
    if may_leave(plan, space):
        known.n_cargoes[which, space] = write_cargoes(rules, known, plan, space, known.cargoes[which, space])


@rule
def consider_fleets(rules: Any, state: Any, known: Any, count: int, no_sighting: bool) -> int:
    """Consider the best plan with each fleet move more; return how many were considered, `count` before."""
    best, new = plan_of(known, P_BEST), plan_of(known, P_NEW)
    for space in range(N_SPACES):
        write_pickup(rules, known, best, space, 0)
    for space in range(N_SPACES):
        for to in range(N_SPACES):
            if to != space:
                for i in range(known.n_cargoes[0, space]):
                    copy_record(best, new)
                    sail(new, known, space, known.cargoes[0, space, i], to)
                    count = consider(rules, state, known, count, no_sighting)
    return count


@rule
def sail_strongest(known: Any, plan: Any, lists: Any, to: int, skip: int, chiefs: bool, walls: int) -> int:
    """Add a fleet move of the strongest boatload that may still go to a space, not from `skip`; return where it
    embarks, -1 if there is none.

    lists: int64[spaces], which of the two in `Known.cargoes` has what a space has to embark.
    """
    best, found, which = 0.0, -1, 0
    for space in range(N_SPACES):
        if space in (to, skip):
            continue
        cargoes = known.cargoes[lists[space], space]
        for i in range(known.n_cargoes[lists[space], space]):
            size = int(cargoes[i, 0])
            if chiefs or count_chiefs(cargoes[i, 1:], size, known.facts) == 0:
                strength = power_of(cargoes[i, 1:], size, walls, known.power)
                if strength > best:
                    best, found, which = strength, space, i
    if found < 0 or not sail(plan, known, found, known.cargoes[lists[found], found, which], to):
        return -1
    return found


@rule
def consider_landings(rules: Any, state: Any, known: Any, count: int, no_sighting: bool) -> int:
    """Consider the best plan with several fleets more to one space; return how many were considered, `count` before."""
    best, new, lists = plan_of(known, P_BEST), plan_of(known, P_NEW), np.zeros(N_SPACES, np.int64)
    for to in range(N_SPACES):
        if not is_invasion(best, int(best.side), to):
            continue
        for chiefs in range(2):
            for skip in range(-1, N_SPACES):
                if skip >= 0 and (skip == to or not may_leave(best, skip)):
                    continue
                copy_record(best, new)
                lists[:] = 0
                for k in range(best.fleets):
                    space = sail_strongest(known, new, lists, to, skip, chiefs == 1, rules.fort[to])
                    if space < 0:
                        break
                    lists[space] = 1
                    write_pickup(rules, known, new, space, 1)
                    if k > 0:
                        count = consider(rules, state, known, count, no_sighting)
    return count


@rule
def make_plan(rules: Any, state: Any, known: Any, side: int, no_sighting: bool, eagerness: float) -> float:
    """Find the best plan in P_BASE, thinking of one move after the other; leave it in P_BEST. Return what it is worth.

    eagerness: how much better a first move must be than none.
    """
    best = plan_of(known, P_BEST)
    start_plan(known, plan_of(known, P_BASE), side, best)
    worth = weigh(rules, state, known, best, no_sighting, True)
    for thought in range(LONGEST):
        count = consider_marches(rules, state, known, no_sighting)
        if best.fleets >= 1 and canoe_for(best, 0) >= 0:
            count = consider_fleets(rules, state, known, count, no_sighting)
            if best.fleets >= 2:
                count = consider_landings(rules, state, known, count, no_sighting)
        least = worth + (1e-6 if thought > 0 else eagerness)
        found, top = -1, worth
        for i in range(min(count, SHORT_LIST)):
            row, value = known.chosen[i], known.scores[i]
            if plan_of(known, row).n_attacked > 0:
                value = weigh(rules, state, known, plan_of(known, row), no_sighting, True)
            if value > max(least, top):
                found, top = row, value
        if found < 0 or known.asked[0, 0] > 0:
            break
        copy_record(plan_of(known, found), best)
        worth = top
    return worth
