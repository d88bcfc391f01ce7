"""Positions of Hawaii, 1795 as plans see them, in compiled code: who stands where, and what that is worth [3.0, 4.0].

A *board* is a record: the units of each side (0, 1, 2 neutral) in each space by kind, mostly the best first, the canoes
there, and the chiefs that are left. A *plan* is a board with what has been ordered on it, see `plans`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hawaii_env.core import rule
from hawaii_env.core.layout import Field, Layout, copy_record
from hawaii_env.hawaii1795.battles import BattleTable, keeping
from hawaii_env.hawaii1795.fast import (
    DEAD,
    K_KAIANA,
    K_KALANI,
    K_KAMEHAMEHA,
    KIND_NUMBERS,
    MARKS,
    N_KINDS,
    N_PIECES,
    N_SPACES,
    NEUTRAL,
    SEA,
    SPACES,
)

from .search.static import N_FEATURES, Static, static_value

__all__ = ["Known", "Unit", "known_of", "units_of"]

MOST_STEPS = 64
STEP_VERB, STEP_FROM, STEP_BY, STEP_TO, STEP_UNITS = range(5)
N_STEP = STEP_UNITS + 4
"""Columns of a step: MARCH_STEP or FLEET_STEP; the first and the last space; of a march the kind that goes, of a fleet
the space of the pick-up; from STEP_UNITS on up to four kinds that embark, each plus 1.
"""

PLAN = Layout(
    "plan",
    Field("units", 3, N_SPACES, N_PIECES),  # by side and space, `count` of them
    Field("count", 3, N_SPACES),
    Field("boats", 3, N_SPACES),
    Field("chiefs", 2),
    # what has been ordered
    Field("by_sea", N_SPACES, N_PIECES),  # who attacks a space by canoe
    Field("by_land", N_SPACES, N_PIECES),  # and overland
    Field("n_by_sea", N_SPACES),
    Field("n_by_land", N_SPACES),
    Field("attacked", N_SPACES),  # the spaces attacked, in order
    Field("n_attacked"),
    Field("source", N_SPACES),  # where attackers by canoe embarked
    Field("sailing", N_SPACES),  # their canoes
    Field("fresh", N_SPACES),  # canoes that may still sail
    Field("tired", N_SPACES, N_KINDS),  # units that may not embark any more
    Field("walked", N_SPACES, N_KINDS),  # and not march
    Field("fleets"),  # fleet moves left
    Field("side"),
    Field("n_steps"),
    Field("steps", MOST_STEPS, N_STEP),
)
NOWHERE = -2
"""A `source` where no canoe has embarked anybody, a `sailing` without canoes."""

OPEN, WALLS, AT_SEA = 0, 1, 2

MOST, ASKS, SLOTS = 7, 16, 1 << 14
"""Units of a side of which odds are known; questions that are kept; places for answers, half of which are used."""

FACTOR, BITS = 0x5851F42D4C957F2D, (1 << 62) - 1
"""Of fingerprints; 62 bits are alike where integers overflow and where they do not."""

STRENGTH, ELITE, CHIEF = 0, 1, 2
"""Columns of `Known.facts`; of the last, the side that has the chief, else -1."""


class Unit(NamedTuple):
    """A kind of piece with what the rules say of it.

    Attributes:
        name: its name in positions and actions.
        kind: the kind's number.
        strength: dice that it rolls; 0 for a canoe.
        elite, plus, gun, pike, leader, canoe: what the rules say of it.
        power: what it is worth in battle, in standard warriors: attacking in the open, attacking walls, defending in
            the open, defending behind walls.
        worth: in which order it is given up, the least first.
    """

    name: str
    kind: int
    strength: int
    elite: bool
    plus: bool
    gun: bool
    pike: bool
    leader: bool
    canoe: bool
    power: tuple[float, float, float, float]
    worth: float


def units_of(game: Any) -> dict[tuple[str, str], Unit]:
    """Return the kinds of piece of a game's ruleset by (owner, name), as `Unit`."""
    tables: dict[str, dict[str, dict[str, Any]]] = game.ruleset.content["pieces.toml"]
    table = BattleTable.of(game.ruleset)
    found: dict[tuple[str, str], Unit] = {}
    for (owner, name), number in KIND_NUMBERS.items():
        it = tables[owner][name]
        strength = int(it.get("strength") or 0)
        elite, plus, gun, pike = (bool(it.get(key)) for key in ("elite", "plus", "gunpowder", "pike"))
        leader, canoe = (it["class"] == kind for kind in ("leader", "canoe"))
        power = table.power((strength, elite, plus, gun, pike)) if strength else (0.0, 0.0, 0.0, 0.0)
        worth = keeping(strength, elite, gun, pike, leader)
        found[owner, name] = Unit(
            name, number, strength, elite, plus, gun, pike, leader, canoe, power, worth
        )  # fmt: skip
    return found


class Known(NamedTuple):
    """Facts of a ruleset, and the memory that plans work in.

    Attributes:
        static: as `search.Static.arrays`.
        power: float64[kinds, 4], as of `Unit`.
        worth: float64[kinds].
        facts: int64[kinds, 3]: strength, elite, the chief's side.
        ranks: int64[2, kinds]: places of the kinds by worth and by power, the best first.
        quick: float64[3, 9, 9, 4], `BattleTable.quick_tables`.
        marks: int64[16, origins], the place of a piece's marks in the order of their texts.
        keys, values: int64[SLOTS, 2] and float64[SLOTS], odds that were asked: see `odds_of_battle`.
        prints, worths: int64[SLOTS] and float64[SLOTS], fingerprints of boards and what these are worth.
        asked: int64[ASKS + 1, 2], how many odds are not known, and which.
        plans, scores, chosen: plans; of the short list what they are worth, and the rows in its order.
        forces: int16[3, ...], lists of units.
        cargoes, marches: int16 rows, a number and so many units; cargoes of the best plan and of another, by space.
        n_cargoes: int64[2, spaces], how many of these there are; spent: int64[kinds].
        chances, ends: of the ways in which attacks may end, two lists of them.
        counts, boats, chiefs, features: as `static_value` takes them.
    """

    static: Any
    power: NDArray[np.float64]
    worth: NDArray[np.float64]
    facts: NDArray[np.int64]
    ranks: NDArray[np.int64]
    quick: NDArray[np.float64]
    marks: NDArray[np.int64]
    keys: NDArray[np.int64]
    values: NDArray[np.float64]
    prints: NDArray[np.int64]
    worths: NDArray[np.float64]
    asked: NDArray[np.int64]
    plans: Any
    scores: NDArray[np.float64]
    chosen: NDArray[np.int64]
    forces: NDArray[np.int16]
    cargoes: NDArray[np.int16]
    marches: NDArray[np.int16]
    n_cargoes: NDArray[np.int64]
    spent: NDArray[np.int64]
    chances: NDArray[np.float64]
    ends: NDArray[np.int64]
    counts: NDArray[np.int64]
    boats: NDArray[np.int64]
    chiefs: NDArray[np.int64]
    features: NDArray[np.float64]


(P_BASE, P_BEST, P_NEW, P_WON, P_BEATEN, P_EMPTY, P_SHORT), SHORT_LIST = range(7), 5
"""Rows of `Known.plans`: the position, the best plan, one that is thought of, what battles lead to, one of zeros, the
short list of plans whose battles are solved; others are read off the table of equal warriors.
"""
CASES, CARGOES, MARCHES = 128, 24, 24
ORIGINS = N_SPACES + 2
CHIEF_KINDS = {K_KAMEHAMEHA: 0, K_KALANI: 1, K_KAIANA: 1}


def new_plans(compiled: bool) -> Any:
    """Return the records of `Known.plans`, for compiled rules or for interpreted ones."""
    plans = [PLAN.new() for _ in range(P_SHORT + SHORT_LIST)]
    return np.array([PLAN.words(plan) for plan in plans]) if compiled else plans


@lru_cache(maxsize=32)
def known_of(game: Any, weights: Any, compiled: bool) -> Known:
    """Return what plans know of a game's ruleset, for compiled or interpreted rules. Equal games share it, with its
    memory.
    """
    units = list(units_of(game).values())
    table = BattleTable.of(game.ruleset)
    power, worth = np.zeros((N_KINDS, 4)), np.zeros(N_KINDS)
    facts, ranks = np.zeros((N_KINDS, 3), np.int64), np.zeros((2, N_KINDS), np.int64)
    for unit in units:
        power[unit.kind], worth[unit.kind] = unit.power, unit.worth
        facts[unit.kind] = unit.strength, unit.elite, CHIEF_KINDS.get(unit.kind, -1)
    for row, values in enumerate((worth, power[:, 0])):
        for place, (*_, kind) in enumerate(sorted((-values[unit.kind], unit.name, unit.kind) for unit in units)):
            ranks[row, kind] = place
    texts: list[str] = []
    for flags in range(16):
        named = [mark for bit, mark in enumerate(MARKS) if flags >> bit & 1]
        texts += ["/".join(["", *named, *origin]) for origin in ((), *((name,) for name in (*SPACES, "turned")))]
    places = {text: place for place, text in enumerate(sorted(texts))}
    return Known(
        Static.of(game, weights).arrays, power, worth, facts, ranks, table.quick_tables(),
        np.array([places[text] for text in texts]).reshape(16, ORIGINS), np.zeros((SLOTS, 2), np.int64),
        np.zeros(SLOTS),
        np.zeros(SLOTS, np.int64), np.zeros(SLOTS), np.zeros((ASKS + 1, 2), np.int64),
        new_plans(compiled), np.zeros(SHORT_LIST),
        np.zeros(SHORT_LIST, np.int64), np.zeros((3, 2 * N_PIECES), np.int16),
        np.zeros((2, N_SPACES, CARGOES, 5), np.int16), np.zeros((MARCHES, N_PIECES + 1), np.int16),
        np.zeros((2, N_SPACES), np.int64), np.zeros(N_KINDS, np.int64), np.zeros((2, CASES)),
        np.zeros((2, CASES, N_SPACES), np.int64), np.zeros((2, N_SPACES, N_KINDS), np.int64),
        np.zeros((2, N_SPACES), np.int64), np.zeros(2, np.int64), np.zeros(N_FEATURES),
    )  # fmt: skip


# Boards

view_plan: Any = PLAN.view


@rule
def plan_of(known: Any, row: int) -> Any:
    """Return one of `Known.plans` as a record."""
    return view_plan(known.plans[row])


@rule
def insert_unit(row: Any, n: int, kind: int, ranks: Any) -> None:
    """Insert a unit into a ranked list of n, the best first."""
    at = n
    while at > 0 and ranks[row[at - 1]] > ranks[kind]:
        row[at] = row[at - 1]
        at -= 1
    row[at] = kind


@rule
def add_unit(board: Any, side: int, space: int, kind: int, known: Any) -> None:
    """Add a unit to those of a side in a space, which are ranked."""
    insert_unit(board.units[side][space], int(board.count[side][space]), kind, known.ranks[0])
    board.count[side][space] += 1


@rule
def add_units(board: Any, side: int, space: int, units: Any, n: int, known: Any) -> None:
    """Add the first n units of a list to those of a side in a space, which are ranked."""
    for i in range(n):
        add_unit(board, side, space, int(units[i]), known)


@rule
def take_unit(board: Any, side: int, space: int, kind: int) -> None:
    """Take a unit of a kind from a space, which has one."""
    row, at = board.units[side][space], 0
    while row[at] != kind:
        at += 1
    board.count[side][space] -= 1
    for i in range(at, board.count[side][space]):
        row[i] = row[i + 1]


@rule
def keep_units(board: Any, side: int, space: int, units: Any, n: int) -> None:
    """Let the first n units of a list stand in a space, in their order, in place of those of the side."""
    row = board.units[side][space]
    for i in range(n):
        row[i] = units[i]
    board.count[side][space] = n


@rule
def append_units(out: Any, n: int, units: Any, count: int) -> int:
    """Append units to a list of n; return how many there are."""
    for i in range(count):
        out[n + i] = units[i]
    return n + count


@rule
def append_force(out: Any, n: int, board: Any, side: int, space: int) -> int:
    """Append the units of a side in a space to a list of n; return how many there are."""
    return append_units(out, n, board.units[side][space], int(board.count[side][space]))


@rule
def power_of(units: Any, n: int, column: int, power: Any) -> float:
    """Return the strength of units in standard warriors, of a column of `Known.power`."""
    total = 0.0
    for i in range(n):
        total += power[units[i], column]
    return total


@rule
def count_chiefs(units: Any, n: int, facts: Any) -> int:
    """Count those of n units whose death, with those who stand with them, may lose the game [5.2]."""
    count = 0
    for i in range(n):
        count += facts[units[i], CHIEF] >= 0
    return count


@rule
def is_invasion(board: Any, side: int, space: int) -> bool:
    """Return True if a side's landing in a space would be an invasion."""
    enemy = board.count[1 - side][space] > 0 or board.boats[1 - side][space] > 0
    return enemy or board.count[NEUTRAL][space] > 0 or board.boats[NEUTRAL][space] > 0


@rule
def write_board(rules: Any, state: Any, known: Any, plan: Any) -> None:
    """Write a position: the board; behind it by space the fleet bound for it, and in `fresh` the canoes that have
    sailed.
    """
    copy_record(plan_of(known, P_EMPTY), plan)
    plan.chiefs[0] = state.place[rules.first[K_KAMEHAMEHA]] != DEAD
    plan.chiefs[1] = (state.place[rules.first[K_KALANI]] != DEAD) + (state.place[rules.first[K_KAIANA]] != DEAD)
    plan.fleets = state.fleet_moves
    for space in range(N_SPACES):
        plan.n_by_sea[space] = -1
    owners, lasts = np.full(N_SPACES, -1), np.full(N_SPACES, -1)
    for piece in range(N_PIECES):
        place, owner, kind = state.place[piece], state.owner[piece], rules.kind[piece]
        if place < N_SPACES:
            moved = owner == state.half and state.carried[piece] == 1
            if rules.canoe[piece]:
                plan.boats[owner][place] += 1
                plan.fresh[place] += moved
                continue
            add_unit(plan, owner, place, kind, known)
            plan.tired[place][kind] += moved
            plan.walked[place][kind] += owner == state.half and state.marched[piece] == 1
        elif place >= SEA and owner >= owners[place - SEA]:
            write_at_sea(rules, state, known, plan, piece, owners, lasts)


@rule
def write_at_sea(rules: Any, state: Any, known: Any, plan: Any, piece: int, owners: Any, lasts: Any) -> None:
    """Write a piece of a fleet at sea; where the fleet comes from is told by the last of its pieces."""
    bound, owner, kind = state.place[piece] - SEA, state.owner[piece], rules.kind[piece]
    if owner > owners[bound]:
        owners[bound], lasts[bound] = owner, -1
        plan.n_by_sea[bound] = 0
        plan.sailing[bound] = 0
    if rules.canoe[piece]:
        plan.sailing[bound] += 1
    else:
        insert_unit(plan.by_sea[bound], int(plan.n_by_sea[bound]), kind, known.ranks[0])
        plan.n_by_sea[bound] += 1
    flags = state.panicked[piece] + 2 * state.carried[piece] + 4 * state.marched[piece] + 8 * state.fired[piece]
    origin = state.arrived_from[piece]
    last = kind * known.marks.size + known.marks[flags, origin]
    if last > lasts[bound]:
        lasts[bound] = last
        plan.source[bound] = origin - 1 if 0 < origin <= N_SPACES else bound


@rule
def print_of(state: Any, board: Any, side: int) -> int:
    """Return the fingerprint of what a board's worth depends on."""
    found = ((int(state.month) * 2 + side) * 1024 + int(state.left[0])) * 1024 + int(state.left[1])
    for owner in range(2):
        for space in range(N_SPACES):
            count, row = board.count[owner][space], board.units[owner][space]
            found = (found * FACTOR + int(count) * 64 + int(board.boats[owner][space])) & BITS
            for i in range(count):
                found = (found * FACTOR + int(row[i])) & BITS
    return (found * FACTOR + int(board.chiefs[0]) * 4 + int(board.chiefs[1])) & BITS


@rule
def worth_of(rules: Any, state: Any, known: Any, board: Any, side: int) -> float:
    """Return what a board is worth to a side whose half has just ended, -1 (lost) to 1 (won), a tie being 0."""
    fingerprint = print_of(state, board, side)
    place = fingerprint % len(known.prints)
    if known.prints[place] == fingerprint:
        return known.worths[place]
    known.counts[:] = 0
    for owner in range(2):
        known.chiefs[owner] = board.chiefs[owner]
        for space in range(N_SPACES):
            row = board.units[owner][space]
            known.boats[owner, space] = board.boats[owner][space]
            for i in range(board.count[owner][space]):
                known.counts[owner, space, row[i]] += 1
    worth = static_value(
        rules, known.counts, known.boats, known.chiefs, state.left, state.month, side, known.static, known.features
    )
    known.prints[place] = fingerprint
    known.worths[place] = worth
    return worth


@rule
def value_for(rules: Any, state: Any, known: Any, board: Any, player: int) -> float:
    """Return what a board is worth to a player at the end of this half."""
    if state.half == player:
        return worth_of(rules, state, known, board, player)
    return -worth_of(rules, state, known, board, 1 - player)


# Odds


@rule
def part_left(known: Any, attack: float, defence: float, battle: int, column: int) -> float:
    """Return a value of `BattleTable.quick_tables`: 1 what is left of attackers who win, 2 of those who lose, 3 of
    defenders who win.
    """
    if attack <= 0.0:
        return 1.0 if column == 3 else 0.0
    if defence <= 0.0:
        return 1.0 if column == 1 else 0.0
    table = known.quick[battle]
    size = len(table) - 1
    scale = max(attack, defence) / size
    if scale > 1.0:
        attack, defence = attack / scale, defence / scale
    i, j = min(int(attack), size - 1), min(int(defence), size - 1)
    x, y = attack - i, defence - j
    lower = (1 - x) * (1 - y) * table[i, j, column] + (1 - x) * y * table[i, j + 1, column]
    return lower + x * (1 - y) * table[i + 1, j, column] + x * y * table[i + 1, j + 1, column]


@rule
def pack_force(known: Any, units: Any, n: int) -> int:
    """Return the best units of a force, those with the greatest worth after the elite, as one number."""
    top, count = np.zeros(MOST, np.int64), 0
    for i in range(n):
        kind = int(units[i])
        elite, worth = known.facts[kind, ELITE], known.worth[kind]
        at = count
        while at > 0:
            other = top[at - 1]
            same = known.facts[other, ELITE]
            if same > elite or (same == elite and known.worth[other] >= worth):
                break
            at -= 1
        if at < MOST:
            count = min(count + 1, MOST)
            for k in range(count - 1, at, -1):
                top[k] = top[k - 1]
            top[at] = kind
    packed = 0
    for i in range(count - 1, -1, -1):
        packed = packed * 32 + top[i] + 1
    return packed


@rule
def slot_of(keys: Any, attackers: int, defenders: int) -> int:
    """Return the place of the odds between packed forces, or that where they belong."""
    at = (attackers % 1_000_003 * 31 + defenders) % len(keys)
    while keys[at, 0] != 0 and (keys[at, 0] != attackers or keys[at, 1] != defenders):
        at = (at + 1) % len(keys)
    return at


@rule
def odds_of_battle(known: Any, ours: Any, n: int, theirs: Any, m: int, battle: int) -> float:
    """Return the attackers' chance, of battles that are solved: `BattleTable.odds`. What is not known is asked for, and
    reads as 0.5 until then.
    """
    if n == 0:
        return 0.0
    if m == 0:
        return 1.0
    attackers, defenders = pack_force(known, ours, n), pack_force(known, theirs, m) * 4 + battle
    at = slot_of(known.keys, attackers, defenders)
    if known.keys[at, 0] != 0:
        return known.values[at]
    count = known.asked[0, 0]
    if count < ASKS:
        known.asked[count + 1, 0] = attackers
        known.asked[count + 1, 1] = defenders
        known.asked[0, 0] = count + 1
    return 0.5
