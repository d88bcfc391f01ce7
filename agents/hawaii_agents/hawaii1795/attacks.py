"""Attacks of a plan in Hawaii, 1795 by rules of thumb, in compiled code: how they may end, what it is worth [11.0]."""

from __future__ import annotations

from typing import Any

import numpy as np

from hawaii_env.core import rule
from hawaii_env.core.layout import copy_record
from hawaii_env.hawaii1795.fast import N_SPACES, NEUTRAL

from .boards import (
    ELITE,
    NOWHERE,
    OPEN,
    P_BEATEN,
    WALLS,
    add_units,
    append_force,
    append_units,
    count_chiefs,
    insert_unit,
    keep_units,
    odds_of_battle,
    part_left,
    plan_of,
    power_of,
    worth_of,
)
from .search.static import chance_of

__all__ = ["weigh"]

SAFE, CAUTION = 0.05, 2.0
"""A chance above SAFE that Kamehameha is beaten where he attacks himself [5.2] costs CAUTION times as much again, on a
scale from -1 to 1.
"""

WON, BEATEN, REPULSED = 0, 1, 2
"""Ends of an attack; repulsed: met at sea, and gone home."""


@rule
def write_attackers(plan: Any, space: int, out: Any) -> int:
    """Write who attacks a space, by canoe, then overland; return how many."""
    n = append_units(out, 0, plan.by_sea[space], int(plan.n_by_sea[space]))
    return append_units(out, n, plan.by_land[space], int(plan.n_by_land[space]))


@rule
def write_defenders(board: Any, side: int, space: int, out: Any) -> int:
    """Write who defends a space against a side, neutral units last; return how many."""
    n = append_force(out, 0, board, 1 - side, space)
    return append_force(out, n, board, NEUTRAL, space)


@rule
def write_outcomes(rules: Any, known: Any, plan: Any, space: int, no_sighting: bool, exact: bool, out: Any) -> None:
    """Write the chances of WON, BEATEN and REPULSED, which is negative if nobody may be met at sea; without defenders
    that of BEATEN is, too.
    """
    side, walls = int(plan.side), rules.fort[space]
    enemy = 1 - side
    ours, theirs, power = known.forces[0], known.forces[1], known.power
    n, m = write_attackers(plan, space, ours), write_defenders(plan, side, space, theirs)
    out[WON], out[BEATEN], out[REPULSED] = 1.0, -1.0, -1.0
    if m == 0:
        return
    battle = WALLS if walls else OPEN
    defence = power_of(theirs, m, 2 + walls, power)
    if exact:
        wins = odds_of_battle(known, ours, n, theirs, m, battle)
    else:
        wins = chance_of(known.quick[battle], power_of(ours, n, walls, power), defence)
    boats = plan.boats[enemy][space] + plan.boats[NEUTRAL][space]
    other = rules.sibling[space]
    could = boats > 0 and (m > 1 or (other >= 0 and plan.count[enemy][other] > 0))
    n_sea, n_land = int(plan.n_by_sea[space]), int(plan.n_by_land[space])
    met = 0.5 if n_sea > 0 and could and not no_sighting else 0.0
    if met > 0.0 and n_land > 0:
        # Those who came overland fight alone.
        alone = chance_of(known.quick[battle], power_of(plan.by_land[space], n_land, walls, power), defence)
        out[WON] = (1 - met) * wins + met * alone
        out[BEATEN] = 1 - (1 - met) * wins - met * alone
        return
    out[WON], out[BEATEN], out[REPULSED] = (1 - met) * wins, (1 - met) * (1 - wins), met


@rule
def share_of(n: int, share: float) -> int:
    """Return how many of n units are left, the best ones."""
    if share >= 0.999 or n == 0:
        return n
    return max(1, int(n * share + 0.5))


@rule
def repulse(rules: Any, known: Any, plan: Any, board: Any, space: int) -> None:
    """Let attackers go home that were met at sea, and those who came overland."""
    side, source = int(plan.side), int(plan.source[space])
    add_units(board, side, source, plan.by_sea[space], share_of(int(plan.n_by_sea[space]), 0.9), known)
    board.boats[side][source] += max(0, int(plan.sailing[space]))
    home = rules.sibling[space]
    if home >= 0:
        add_units(board, side, home, plan.by_land[space], int(plan.n_by_land[space]), known)


@rule
def write_after(rules: Any, known: Any, plan: Any, board: Any, space: int, how: int) -> None:
    """Change a board to what it looks like after an attack, on average."""
    if how == REPULSED:
        repulse(rules, known, plan, board, space)
        return
    side, walls = int(plan.side), rules.fort[space]
    enemy = 1 - side
    given, theirs, ours = known.forces[0], known.forces[1], known.forces[2]
    n, m = write_attackers(plan, space, given), write_defenders(board, side, space, theirs)
    for i in range(n):
        insert_unit(ours, i, int(given[i]), known.ranks[0])
    battle = WALLS if walls else OPEN
    force, defence = power_of(ours, n, walls, known.power), power_of(theirs, m, 2 + walls, known.power)
    boats = max(0, int(plan.sailing[space]))
    board.count[NEUTRAL][space] = 0
    if how == WON:
        left = share_of(n, part_left(known, force, defence, battle, 1)) if m > 0 else n
        keep_units(board, side, space, ours, left)
        board.boats[side][space] += boats
        board.chiefs[enemy] -= count_chiefs(theirs, m, known.facts)
        board.count[enemy][space] = 0
        away = board.boats[enemy][space] + board.boats[NEUTRAL][space]
        board.boats[enemy][space] = 0
        board.boats[NEUTRAL][space] = 0
        for refuge in range(N_SPACES):
            if board.count[enemy][refuge] > 0 and board.count[side][refuge] == 0:
                board.boats[enemy][refuge] += away
                return
        return
    board.chiefs[side] -= count_chiefs(ours, n, known.facts)
    keep_units(board, enemy, space, theirs, share_of(m, part_left(known, force, defence, battle, 3)))
    source = int(plan.source[space])
    if source == NOWHERE:
        source = rules.sibling[space]
    if source >= 0 and board.count[enemy][source] == 0:
        soft = 0
        for i in range(n):
            if known.facts[ours[i], ELITE] == 0:
                ours[soft] = ours[i]
                soft += 1
        survivors = share_of(soft, part_left(known, force, defence, battle, 2))
        add_units(board, side, source, ours, survivors, known)
        board.boats[side][source] += boats


@rule
def weigh(rules: Any, state: Any, known: Any, plan: Any, no_sighting: bool, exact: bool) -> float:
    """Return what a plan is worth, over the ways in which its attacks may end, less what SAFE and CAUTION take off.

    exact: battles are solved, not read off the table of equal warriors.
    """
    side, attacks = int(plan.side), int(plan.n_attacked)
    if attacks == 0:
        return worth_of(rules, state, known, plan, side)
    chances, ends, odds = known.chances, known.ends, np.zeros(3)
    chances[0, 0] = 1.0
    count, risk, now = 1, 0.0, 0
    for k in range(attacks):
        space = int(plan.attacked[k])
        write_outcomes(rules, known, plan, space, no_sighting, exact, odds)
        n = write_attackers(plan, space, known.forces[0])
        if side == 0 and count_chiefs(known.forces[0], n, known.facts) > 0:
            risk += max(0.0, max(0.0, odds[BEATEN]) - SAFE)
        grown = 0
        for i in range(count):
            for how in range(3):
                chance = chances[now, i] * odds[how]
                if chance > 0.01:
                    chances[1 - now, grown] = chance
                    ends[1 - now, grown, :k] = ends[now, i, :k]
                    ends[1 - now, grown, k] = how
                    grown += 1
        count, now = grown, 1 - now
    total, weight, board = 0.0, 0.0, plan_of(known, P_BEATEN)
    for i in range(count):
        copy_record(plan, board)
        for k in range(attacks):
            write_after(rules, known, plan, board, int(plan.attacked[k]), ends[now, i, k])
        total += chances[now, i] * worth_of(rules, state, known, board, side)
        weight += chances[now, i]
    return total / weight - CAUTION * risk
