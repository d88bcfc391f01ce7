"""A static evaluation of positions by rules of thumb, in compiled code [5.0]: for searches without a network, and for
agents.

It looks at forces, places, canoes and chiefs at the end of a half-turn, and at what either side could attack with the
canoes and cards that it has; it plays nothing forward. Its weights were fitted to the results of games between agents
that play by it.

Forces are counted: units, int64[2, spaces, kinds], by side; boats, int64[2, spaces]; chiefs, int64[2], leaders whose
death loses the game when the last of them falls [5.2]; left, int64[2], masks of the cards in the decks.

One file: the features share one set of facts.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hawaii_env.core import rule
from hawaii_env.hawaii1795 import Game
from hawaii_env.hawaii1795.battles import BattleTable, keeping
from hawaii_env.hawaii1795.fast import (
    DEAD,
    K_KAIANA,
    K_KALANI,
    K_KAMEHAMEHA,
    LAST_MONTH,
    N_KINDS,
    N_NUMBERS,
    N_PIECES,
    N_SPACES,
    WANT_CANOE,
    WANT_WARRIOR,
)

__all__ = ["FEATURES", "WEIGHTS", "Static", "static_value"]

FEATURES = (
    "base", "force", "boats", "goals", "stake", "holds", "completes", "death", "chance", "near", "far", "hunt",
    "chiefs",
)  # fmt: skip
"""The features: a constant; the balance of forces, of canoes, of spaces that count for victory; the greatest force in
danger; the chances that the side's own condition is met and stays so, that the enemy completes his, that the side's
last chief falls, that the side completes its own next time; how near either side is to it; the chance to kill the
enemy's last chief; the balance of chiefs.
"""

WEIGHTS: tuple[tuple[float, ...], tuple[float, ...]] = (
    (0.68, 4.0, 0.3, 0.3, -2.0, 1.8, -0.8, -5.0, 0.2, 0.3, -0.4, 0.45, 0.4),
    (0.12, 2.46, 0.4, 0.3, -2.0, 1.8, -0.8, -5.0, 0.2, 0.3, -0.3, 0.45, 0.4),
)
"""By side, how much each of FEATURES adds to the logarithm of the odds of winning."""

N_FEATURES, F_HOLDS = len(FEATURES), FEATURES.index("holds")
CHIEFS = (K_KAMEHAMEHA, K_KALANI, K_KAIANA)

# Columns of a force's facts, in standard warriors: attacking in the open and against walls, without chiefs that are not
# risked; defending in the open and behind walls; the mean of attack and defence; chiefs; units.
MARCH, GUARD, STRENGTH, N_CHIEFS, N_UNITS, N_FACTS = 0, 2, 4, 5, 6, 7
LOAD_SPACE, N_LOAD = 2, 3


@rule
def count_pieces(rules: Any, state: Any, units: Any, boats: Any, chiefs: Any) -> None:
    """Count the pieces of a position."""
    units[:] = 0
    boats[:] = 0
    for piece in range(N_PIECES):
        place, owner = state.place[piece], state.owner[piece]
        if place < N_SPACES and owner < 2:
            if rules.canoe[piece]:
                boats[owner, place] += 1
            else:
                units[owner, place, rules.kind[piece]] += 1
    chiefs[0] = state.place[rules.first[K_KAMEHAMEHA]] != DEAD
    chiefs[1] = (state.place[rules.first[K_KALANI]] != DEAD) + (state.place[rules.first[K_KAIANA]] != DEAD)


@rule
def chance_of(table: Any, attack: float, defence: float) -> float:
    """Return the attackers' chance, forces in standard warriors: `BattleTable.chance`. The table's last axis is what it
    says of a battle, the chance first.
    """
    if attack <= 0.0:
        return 0.0
    if defence <= 0.0:
        return 1.0
    size = len(table) - 1
    most = max(attack, defence)
    if most > size:
        attack, defence = attack * size / most, defence * size / most
    i, j = min(int(attack), size - 1), min(int(defence), size - 1)
    x, y = attack - i, defence - j
    low = (1 - y) * table[i, j, 0] + y * table[i, j + 1, 0]
    high = (1 - y) * table[i + 1, j, 0] + y * table[i + 1, j + 1, 0]
    return (1 - x) * low + x * high


@rule
def mean_of_card(rules: Any, left: Any, side: int, month: int, values: Any) -> float:
    """Return the value of a side's card of a month, on average over its deck; `values`: [side][number - 1]."""
    if month <= LAST_MONTH:
        number = rules.fixed[month][side]
        if number:
            return values[side][number - 1]
    total, n = 0.0, 0
    for number in range(1, N_NUMBERS + 1):
        if (left[side] >> number) & 1:
            total += values[side][number - 1]
            n += 1
    return total / n if n else 2.0


@rule
def add_load(loads: Any, n: int, in_open: float, walls: float, space: int) -> int:
    """File a boatload among n others, the strongest first. Return how many there are."""
    at = n
    while at > 0:
        before = loads[at - 1]
        if before[0] > in_open or (before[0] == in_open and before[1] > walls):
            break
        if before[0] == in_open and before[1] == walls and before[LOAD_SPACE] >= space:
            break
        loads[at, :] = before
        at -= 1
    loads[at, 0] = in_open
    loads[at, 1] = walls
    loads[at, LOAD_SPACE] = space
    return n + 1


@rule
def write_force(rules: Any, counts: Any, keep: bool, static: Any, space: int, fact: Any, loads: Any, n: int) -> int:
    """Write the facts of the force in a space, and file its boatloads. Return how many loads there are.

    keep: its chiefs are not risked in an attack, but guard with the others.
    """
    power, order, kinds = static.power, static.order, static.leading
    fact[:] = 0.0
    lead_open, lead_walls, leaders = 0.0, 0.0, 0
    in_open, walls, aboard, soldiers = 0.0, 0.0, 0, 0
    for i in range(len(order)):
        kind = order[i]
        for _ in range(counts[kind]):
            p = power[kind]
            fact[GUARD] += p[2]
            fact[GUARD + 1] += p[3]
            fact[STRENGTH] += (p[0] + p[2]) / 2
            fact[N_UNITS] += 1.0
            if kinds[kind] == 2:
                fact[N_CHIEFS] += 1.0
                if keep:
                    continue
            fact[MARCH] += p[0]
            fact[MARCH + 1] += p[1]
            if kinds[kind] > 0:
                if leaders < rules.leaders_a_canoe:
                    lead_open += p[0]
                    lead_walls += p[1]
                    leaders += 1
                continue
            soldiers += 1
            if aboard == 0 and soldiers == 1:
                # Leaders come first in `order`: they are known by now.
                in_open, walls = lead_open, lead_walls
            in_open += p[0]
            walls += p[1]
            aboard += 1
            if aboard == rules.units_a_canoe:
                n = add_load(loads, n, in_open, walls, space)
                in_open, walls, aboard = 0.0, 0.0, 0
    if aboard:
        n = add_load(loads, n, in_open, walls, space)
    elif not soldiers and leaders:
        n = add_load(loads, n, lead_open, lead_walls, space)
    return n


@rule
def write_forces(rules: Any, units: Any, chiefs: Any, static: Any, facts: Any, loads: Any, n_loads: Any) -> None:
    """Write facts, float64[2, spaces, N_FACTS], and boatloads, float64[2, pieces, 3] with their number int64[2]."""
    for side in range(2):
        keep = side == 0 or chiefs[side] <= 1  # the next one to die loses the game
        n = 0
        for space in range(N_SPACES):
            n = write_force(rules, units[side, space], keep, static, space, facts[side, space], loads[side], n)
        n_loads[side] = n


@rule
def write_threats(
    rules: Any, boats: Any, left: Any, facts: Any, loads: Any, n_loads: Any, static: Any, side: int, month: int,
    found: Any
) -> None:  # fmt: skip
    """Write, by space, the chance that the enemy takes it from a side in his half of a month if he goes for it: 1 where
    nobody of the side stands and the enemy can come; 0 where he cannot, and where he stands already.
    """
    odds, homes = static.odds, static.homes
    enemy = 1 - side
    fresh = mean_of_card(rules, left, enemy, month, static.force)
    canoes = 0
    for space in range(N_SPACES):
        canoes += boats[enemy, space]
    sailing = min(int(mean_of_card(rules, left, enemy, month, static.fleets) + 0.5), canoes)
    for space in range(N_SPACES):
        mine, theirs = facts[side, space], facts[enemy, space]
        found[space] = 0.0
        if mine[N_UNITS] == 0.0 and theirs[N_UNITS] > 0.0:
            continue
        walls = rules.fort[space]
        sibling = rules.sibling[space]
        by_sea, ships = 0.0, sailing
        for i in range(n_loads[enemy]):
            if ships == 0:
                break
            origin = int(loads[enemy, i, LOAD_SPACE])
            if origin != sibling and origin != space:
                by_sea += loads[enemy, i, walls]
                ships -= 1
        overland = 0.0
        near = sibling >= 0 and facts[enemy, sibling, N_UNITS] > 0.0
        if near:
            overland = facts[enemy, sibling, MARCH + walls]
        if sibling >= 0 and facts[side, sibling, N_UNITS] == 0.0 and (near or (homes[enemy] >> sibling) & 1):
            overland += fresh  # recruits come before they march
        elif ships or by_sea:
            by_sea += 0.5 * fresh
        if mine[N_UNITS] == 0.0:
            found[space] = 1.0 if by_sea + overland > 0.0 else 0.0
            continue
        defence = mine[GUARD + walls]
        chance = chance_of(odds[walls], by_sea + overland, defence)
        if by_sea and not rules.assault and boats[side, space] and mine[N_UNITS] > 1.0:
            # A fleet that is sighted is met at sea, and does not land where a garrison stays [11.7, 11.8].
            chance = (chance + chance_of(odds[walls], overland, defence)) / 2
        found[space] = chance


@rule
def lacking(rules: Any, facts: Any, side: int, lack: Any) -> None:
    """[5.1] Write what a side lacks for its occupation victory: masks of spaces of `all` that it does not hold, of
    those of `some`, how many of these it lacks, and the mask of those of `any` if it holds none.
    """
    free = 0
    for space in range(N_SPACES):
        if facts[side, space, N_UNITS] == 0.0 or facts[1 - side, space, N_UNITS] > 0.0:
            free |= 1 << space
    lack[0] = rules.win_all[side] & free
    lack[1] = rules.win_some[side] & free
    held = 0
    for space in range(N_SPACES):
        held += (rules.win_some[side] & ~free) >> space & 1
    lack[2] = max(0, rules.win_some_n[side] - held)
    lack[3] = rules.win_any[side] if rules.win_any[side] & free == rules.win_any[side] else 0


@rule
def fulfilled(lack: Any) -> bool:
    """[5.1] Return True if nothing is lacking."""
    return lack[0] == 0 and lack[2] == 0 and lack[3] == 0


@rule
def chance_to_complete(lack: Any, chances: Any, boats: float) -> float:
    """Return the chance that a side gets what it lacks in a half in which it takes spaces with these chances."""
    total, picks, best = 1.0, 0, -1.0
    for space in range(N_SPACES):
        if (lack[0] >> space) & 1:
            total *= chances[space]
            picks += 1
        if (lack[3] >> space) & 1:
            best = max(best, chances[space])
    if best >= 0.0:
        total *= best
        picks += 1
    taken = 0
    for _ in range(lack[2]):
        at = -1
        for space in range(N_SPACES):
            if (lack[1] >> space) & 1 and not (taken >> space) & 1 and (at < 0 or chances[space] > chances[at]):
                at = space
        if at >= 0:
            taken |= 1 << at
            total *= chances[at]
            picks += 1
    if picks > boats + 1:
        return 0.0
    # Forces are divided: each further space costs fleets that the first one's odds have counted on.
    return total * 0.6 ** (picks - 1) if picks > 1 else total


@rule
def chance_to_break(rules: Any, facts: Any, side: int, chances: Any) -> float:
    """Return the chance that the enemy undoes a side's fulfilled condition, by the chances that he takes its spaces."""
    held, n_held, ones, n_ones = 0, 0, 0, 0
    for space in range(N_SPACES):
        if facts[side, space, N_UNITS] > 0.0 and facts[1 - side, space, N_UNITS] == 0.0:
            if (rules.win_some[side] >> space) & 1:
                held |= 1 << space
                n_held += 1
            if (rules.win_any[side] >> space) & 1:
                ones |= 1 << space
                n_ones += 1
    spare = n_held - rules.win_some_n[side]
    single = rules.win_all[side]
    first, second = 0.0, 0.0  # the greatest chances of those each of which undoes it; a space may count twice
    for group in range(3):
        mask = single
        if group == 1:
            mask = held if spare == 0 else 0
        elif group == 2:
            mask = ones if n_ones == 1 else 0
        for space in range(N_SPACES):
            if (mask >> space) & 1:
                if chances[space] > first:
                    first, second = chances[space], first
                elif chances[space] > second:
                    second = chances[space]
    result = first + (1.0 - first) * 0.25 * second
    if spare > 0:
        both, taken = 0.5, 0
        for _ in range(spare + 1):
            at = -1
            for space in range(N_SPACES):
                if (held >> space) & 1 and not (taken >> space) & 1 and (at < 0 or chances[space] > chances[at]):
                    at = space
            if at >= 0:
                taken |= 1 << at
                both *= chances[at]
        result = max(result, both)
    return result


@rule
def counting(masks: Any, space: int) -> int:
    """Return 1 if a space counts for a victory, else 0."""
    return (masks >> space) & 1


@rule
def write_features(
    rules: Any, boats: Any, chiefs: Any, left: Any, facts: Any, loads: Any, n_loads: Any, static: Any, month: int,
    side: int, lack: Any, their_lack: Any, found: Any
) -> None:  # fmt: skip
    """Write the values of FEATURES, float64[N_FEATURES], for a side whose half of a month has just ended, of a game
    that goes on.
    """
    enemy = 1 - side
    danger, hope = np.zeros(N_SPACES), np.zeros(N_SPACES)
    write_threats(rules, boats, left, facts, loads, n_loads, static, side, month + side, danger)
    write_threats(rules, boats, left, facts, loads, n_loads, static, enemy, month + 1, hope)
    n_lack, n_their_lack = 0, 0
    for space in range(N_SPACES):
        n_lack += counting(lack[0], space)
        n_their_lack += counting(their_lack[0], space)
    n_lack += lack[2] + (lack[3] != 0)
    n_their_lack += their_lack[2] + (their_lack[3] != 0)
    own = rules.win_all[side] | rules.win_some[side] | rules.win_any[side]
    other = rules.win_all[enemy] | rules.win_some[enemy] | rules.win_any[enemy]
    ours, theirs, goals, stake, death, hunt = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    canoes, their_canoes = 0, 0
    for space in range(N_SPACES):
        mine, others = facts[side, space], facts[enemy, space]
        canoes += boats[side, space]
        their_canoes += boats[enemy, space]
        if mine[N_UNITS] > 0.0:
            ours += mine[STRENGTH]
            if mine[N_CHIEFS] == chiefs[side]:
                death = max(death, danger[space])
            if others[N_UNITS] == 0.0:
                goals += counting(own, space) + 0.5 * counting(other, space)
                stake = max(stake, danger[space] * mine[STRENGTH])
        if others[N_UNITS] > 0.0:
            theirs += others[STRENGTH]
            if others[N_CHIEFS] == chiefs[enemy]:
                hunt = max(hunt, hope[space])
            if mine[N_UNITS] == 0.0:
                goals -= counting(other, space) + 0.5 * counting(own, space)
    whole = ours + theirs + 2.0
    counts = side == 1 or month < rules.last_month or rules.final_check
    fleets = mean_of_card(rules, left, enemy, month + side, static.fleets)
    found[0] = 1.0
    found[1] = (ours - theirs) / whole
    found[2] = (min(canoes, 4) - min(their_canoes, 4)) / 4
    found[3] = goals / 5
    found[4] = stake / whole
    found[F_HOLDS] = 1.0 - chance_to_break(rules, facts, side, danger) if n_lack == 0 and counts else 0.0
    found[6] = chance_to_complete(their_lack, danger, fleets) if month < rules.last_month else 0.0
    found[7] = death
    found[8] = chance_to_complete(lack, hope, 2.0) if n_lack else 0.0
    found[9] = 1 / (1 + n_lack)
    found[10] = 1 / (1 + n_their_lack)
    found[11] = hunt
    found[12] = (chiefs[side] - chiefs[enemy] + 1 - 2 * side) / 2


@rule
def static_value(
    rules: Any, units: Any, boats: Any, chiefs: Any, left: Any, month: int, side: int, static: Any, found: Any
) -> float:
    """Return what a position is worth to a side whose half of a month has just ended, -1 (lost) to 1 (won), a tie being
    0.

    found: float64[N_FEATURES], where the features are written, if they count.
    """
    enemy = 1 - side
    if chiefs[side] == 0:
        return -1.0
    if chiefs[enemy] == 0:
        return 1.0
    facts, loads = np.zeros((2, N_SPACES, N_FACTS)), np.empty((2, N_PIECES, N_LOAD))
    n_loads = np.zeros(2, np.int64)
    write_forces(rules, units, chiefs, static, facts, loads, n_loads)
    lack, their_lack = np.zeros(4, np.int64), np.zeros(4, np.int64)
    lacking(rules, facts, side, lack)
    lacking(rules, facts, enemy, their_lack)
    if month + side > rules.last_month:
        # [5.3, R-08] The game is over; with the option Kamehameha's occupation is looked at once more.
        return -1.0 if rules.final_check and fulfilled(their_lack) else 0.0
    if fulfilled(their_lack):
        return -1.0  # his condition is looked at before anything else happens
    write_features(rules, boats, chiefs, left, facts, loads, n_loads, static, month, side, lack, their_lack, found)
    total = 0.0
    for i in range(N_FEATURES):
        total += static.weights[side, i] * found[i]
    score = np.tanh(total / 2)
    # Towards the end what is not decided is tied, unless a condition is held.
    later = min(1.0, (rules.last_month - month + 1) / 3.0)
    if later >= 1.0:
        return score
    holds = found[F_HOLDS]
    return holds * max(score, 1.0 - later) + (1.0 - holds) * score * later


class StaticArrays(NamedTuple):
    """The static evaluation of a game's ruleset as the compiled code wants it.

    Attributes:
        power: float64[kinds, 4], the strength of a unit in standard warriors: attacking in the open and against walls,
            defending likewise.
        odds: float64[2, n, n, 1], the attackers' chance by forces, in the open and against walls.
        weights: float64[2, N_FEATURES].
        fleets, force: float64[2, 9], what each card of a side brings.
        order: the kinds of units in the order in which they embark.
        leading: by kind, 1 for a leader and 2 for a chief.
        homes: masks of the spaces where a side recruits without a leader.
    """

    power: NDArray[np.float64]
    odds: NDArray[np.float64]
    weights: NDArray[np.float64]
    fleets: NDArray[np.float64]
    force: NDArray[np.float64]
    order: NDArray[np.int64]
    leading: NDArray[np.int64]
    homes: NDArray[np.int64]


class Static:
    """The static evaluation of one game's ruleset.

    Args:
        game: the game.
        weights: by side, what each of FEATURES counts; None: WEIGHTS.

    Attributes:
        arrays: what the compiled code reads.
    """

    def __init__(self, game: Game, weights: Any = None) -> None:
        self.arrays: StaticArrays = _arrays_of(game, WEIGHTS if weights is None else weights)

    @staticmethod
    @lru_cache(maxsize=32)
    def of(game: Any, weights: Any = None) -> Static:
        """Return the evaluation of a game; equal games share it."""
        return Static(game, weights)


def _arrays_of(game: Any, weights: Any) -> StaticArrays:
    table, record = BattleTable.of(game.ruleset), game.tables
    power, kinds = np.zeros((N_KINDS, 4)), np.zeros(N_KINDS, np.int64)
    order: list[tuple[Any, ...]] = []
    homes = np.zeros(2, np.int64)
    for kind in range(N_KINDS):
        piece = int(record.first[kind])
        if not record.count[kind] or record.canoe[piece]:
            continue
        strength = int(record.strength[piece])
        elite, plus, gun, pike, leader = (
            bool(getattr(record, f)[piece]) for f in ("elite", "plus", "gun", "pike", "leader")
        )
        power[kind] = table.power((strength, elite, plus, gun, pike))
        kinds[kind] = 2 if kind in CHIEFS else int(leader)
        worth = keeping(strength, elite, gun, pike, leader)
        order.append((not leader, 0.0 if leader else -power[kind, 0], -worth, kind))
    for piece in range(N_PIECES):
        if record.side[piece] < 2:
            homes[record.side[piece]] |= record.home[piece]
    wants = np.array(record.recruit)
    worth_of = np.zeros(wants.shape[1])
    worth_of[:N_KINDS], worth_of[WANT_WARRIOR], worth_of[WANT_CANOE] = power[:, 0], 1.0, 0.0
    fleets, force = (np.reshape(found, (2, N_NUMBERS)) for found in (np.array(record.fleets, float), wants @ worth_of))
    size = range(9)
    odds = np.array([[[[table.chance(i, j, kind)] for j in size] for i in size] for kind in ("open", "walls")])
    return StaticArrays(
        power, odds, np.array(weights, float), fleets, force, np.array([k for *_, k in sorted(order)]), kinds, homes
    )
