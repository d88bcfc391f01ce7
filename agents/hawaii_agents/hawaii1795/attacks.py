"""Attacks of a plan in Hawaii, 1795 by rules of thumb, in compiled code: how they may end, what it is worth [11.0]."""

from __future__ import annotations

from typing import Any

import numpy as np

from hawaii_env.core import rule
from hawaii_env.hawaii1795.fast import N_PIECES, N_SPACES

from .boards import (
    ATTACKED,
    BOARD,
    BOATS,
    BY_LAND,
    BY_SEA,
    CHIEFS,
    COUNT,
    ELITE,
    N_ATTACKED,
    N_BY_LAND,
    N_BY_SEA,
    NOWHERE,
    OPEN,
    P_BEATEN,
    SAILING,
    SIDE,
    SOURCE,
    WALLS,
    add_units,
    append_cell,
    append_units,
    count_chiefs,
    insert_unit,
    keep_units,
    odds_of_battle,
    part_left,
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
    n = append_units(out, 0, plan, BY_SEA + space * N_PIECES, int(plan[N_BY_SEA + space]))
    return append_units(out, n, plan, BY_LAND + space * N_PIECES, int(plan[N_BY_LAND + space]))


@rule
def write_defenders(board: Any, side: int, space: int, out: Any) -> int:
    """Write who defends a space against a side, neutral units last; return how many."""
    n = append_cell(out, 0, board, (1 - side) * N_SPACES + space)
    return append_cell(out, n, board, 2 * N_SPACES + space)


@rule
def write_outcomes(rules: Any, known: Any, plan: Any, space: int, no_sighting: bool, exact: bool, out: Any) -> None:
    """Write the chances of WON, BEATEN and REPULSED, which is negative if nobody may be met at sea; without defenders
    that of BEATEN is, too.
    """
    side, walls = int(plan[SIDE]), rules.fort[space]
    enemy = 1 - side
    ours, theirs, power = known.forces[0], known.forces[1], known.power
    n, m = write_attackers(plan, space, ours), write_defenders(plan, side, space, theirs)
    out[WON], out[BEATEN], out[REPULSED] = 1.0, -1.0, -1.0
    if m == 0:
        return
    battle = WALLS if walls else OPEN
    defence = power_of(theirs, 0, m, 2 + walls, power)
    if exact:
        wins = odds_of_battle(known, ours, n, theirs, m, battle)
    else:
        wins = chance_of(known.quick[battle], power_of(ours, 0, n, walls, power), defence)
    boats = plan[BOATS + enemy * N_SPACES + space] + plan[BOATS + 2 * N_SPACES + space]
    other = rules.sibling[space]
    could = boats > 0 and (m > 1 or (other >= 0 and plan[COUNT + enemy * N_SPACES + other] > 0))
    n_sea, n_land = int(plan[N_BY_SEA + space]), int(plan[N_BY_LAND + space])
    met = 0.5 if n_sea > 0 and could and not no_sighting else 0.0
    if met > 0.0 and n_land > 0:
        # Those who came overland fight alone.
        alone = chance_of(
            known.quick[battle], power_of(plan, BY_LAND + space * N_PIECES, n_land, walls, power), defence
        )
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
    side, source = int(plan[SIDE]), int(plan[SOURCE + space])
    cell = side * N_SPACES + source
    add_units(board, cell, plan, BY_SEA + space * N_PIECES, share_of(int(plan[N_BY_SEA + space]), 0.9), known)
    board[BOATS + cell] += max(0, int(plan[SAILING + space]))
    home = rules.sibling[space]
    if home >= 0:
        n = int(plan[N_BY_LAND + space])
        add_units(board, side * N_SPACES + home, plan, BY_LAND + space * N_PIECES, n, known)


@rule
def write_after(rules: Any, known: Any, plan: Any, board: Any, space: int, how: int) -> None:
    """Change a board to what it looks like after an attack, on average."""
    if how == REPULSED:
        repulse(rules, known, plan, board, space)
        return
    side, walls = int(plan[SIDE]), rules.fort[space]
    enemy = 1 - side
    mine, their = side * N_SPACES + space, enemy * N_SPACES + space
    given, theirs, ours = known.forces[0], known.forces[1], known.forces[2]
    n, m = write_attackers(plan, space, given), write_defenders(board, side, space, theirs)
    for i in range(n):
        insert_unit(ours, 0, i, int(given[i]), known.ranks[0])
    battle = WALLS if walls else OPEN
    force, defence = power_of(ours, 0, n, walls, known.power), power_of(theirs, 0, m, 2 + walls, known.power)
    boats = max(0, int(plan[SAILING + space]))
    board[COUNT + 2 * N_SPACES + space] = 0
    if how == WON:
        left = share_of(n, part_left(known, force, defence, battle, 1)) if m > 0 else n
        keep_units(board, mine, ours, 0, left)
        board[BOATS + mine] += boats
        board[CHIEFS + enemy] -= count_chiefs(theirs, m, known.facts)
        board[COUNT + their] = 0
        away = board[BOATS + their] + board[BOATS + 2 * N_SPACES + space]
        board[BOATS + their] = 0
        board[BOATS + 2 * N_SPACES + space] = 0
        for refuge in range(N_SPACES):
            if board[COUNT + enemy * N_SPACES + refuge] > 0 and board[COUNT + side * N_SPACES + refuge] == 0:
                board[BOATS + enemy * N_SPACES + refuge] += away
                return
        return
    board[CHIEFS + side] -= count_chiefs(ours, n, known.facts)
    keep_units(board, their, theirs, 0, share_of(m, part_left(known, force, defence, battle, 3)))
    source = int(plan[SOURCE + space])
    if source == NOWHERE:
        source = rules.sibling[space]
    if source >= 0 and board[COUNT + enemy * N_SPACES + source] == 0:
        soft = 0
        for i in range(n):
            if known.facts[ours[i], ELITE] == 0:
                ours[soft] = ours[i]
                soft += 1
        survivors = share_of(soft, part_left(known, force, defence, battle, 2))
        add_units(board, side * N_SPACES + source, ours, 0, survivors, known)
        board[BOATS + side * N_SPACES + source] += boats


@rule
def weigh(rules: Any, state: Any, known: Any, plan: Any, no_sighting: bool, exact: bool) -> float:
    """Return what a plan is worth, over the ways in which its attacks may end, less what SAFE and CAUTION take off.

    exact: battles are solved, not read off the table of equal warriors.
    """
    side, attacks = int(plan[SIDE]), int(plan[N_ATTACKED])
    if attacks == 0:
        return worth_of(rules, state, known, plan, side)
    chances, ends, odds = known.chances, known.ends, np.zeros(3)
    chances[0, 0] = 1.0
    count, risk, now = 1, 0.0, 0
    for k in range(attacks):
        space = int(plan[ATTACKED + k])
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
    total, weight, board = 0.0, 0.0, known.plans[P_BEATEN]
    for i in range(count):
        board[:BOARD] = plan[:BOARD]
        for k in range(attacks):
            write_after(rules, known, plan, board, int(plan[ATTACKED + k]), ends[now, i, k])
        total += chances[now, i] * worth_of(rules, state, known, board, side)
        weight += chances[now, i]
    return total / weight - CAUTION * risk
