"""What a position of Hawaii, 1795 is worth, by rules of thumb [5.0].

It looks at forces, places, canoes and chiefs, and at what either side could attack with the canoes and cards that it
has; it plays nothing forward. Weights were fitted to the results of games between agents of this kind.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from math import tanh
from typing import NamedTuple

from hawaii_agents.boards import CHIEFS, Board, Unit

__all__ = ["FEATURES", "WEIGHTS", "Facts", "facts", "features", "is_chief", "power", "threats", "worth"]

FEATURES = (
    "base",
    "force",
    "boats",
    "goals",
    "stake",
    "holds",
    "completes",
    "death",
    "chance",
    "near",
    "far",
    "hunt",
    "chiefs",
)
"""What `worth` looks at: nothing; the balance of forces, of canoes, of spaces that count for victory; the greatest
force in danger; the chance that one's own condition is met and stays so; that the enemy completes his; that one's last
chief falls; that one completes one's own next time; how near either side is to it; the chance to kill the enemy's last
chief; the balance of chiefs.
"""

WEIGHTS: tuple[tuple[float, ...], tuple[float, ...]] = (
    (0.68, 4.0, 0.3, 0.3, -2.0, 1.8, -0.8, -5.0, 0.2, 0.3, -0.4, 0.45, 0.4),
    (0.12, 2.46, 0.4, 0.3, -2.0, 1.8, -0.8, -5.0, 0.2, 0.3, -0.3, 0.45, 0.4),
)
"""By side, how much each of FEATURES adds to the logarithm of the odds of winning."""


class Facts(NamedTuple):
    """What plans ask of the units in a space, added up in standard warriors.

    Attributes:
        loads: boatloads, in the open and against walls: the strongest units with the leaders, then the next ones.
        march: everybody, in the open and against walls.
        guard: everybody, defending in the open and behind walls.
        strength: everybody, attacking and defending.
        chiefs: leaders whose death may lose the game.
        size: units.
    """

    loads: tuple[tuple[float, float], ...]
    march: tuple[float, float]
    guard: tuple[float, float]
    strength: float
    chiefs: int
    size: int


_ALL_CHIEFS = frozenset(name for names in CHIEFS for name in names)


def is_chief(unit: Unit) -> bool:
    """Return whether the death of this leader, with those who stand with him, may lose the game [5.2]."""
    return unit.leader and unit.name in _ALL_CHIEFS


def power(units: Iterable[Unit], role: int, walls: bool) -> float:
    """Return the strength of units in standard warriors, attacking (role 0) or defending (1)."""
    at = 2 * role + walls
    total = 0.0
    for unit in units:
        total += unit.power[at]
    return total


@lru_cache(maxsize=100_000)
def facts(force: tuple[Unit, ...], keep: bool, canoe: tuple[int, int]) -> Facts:
    """Return the facts of a force; `keep`: its chiefs are not risked in an attack, but guard with the others; `canoe`:
    how many units and leaders one carries.
    """
    units_aboard, leaders_aboard = canoe
    movers = [u for u in force if not (keep and is_chief(u))]
    soldiers = sorted((u for u in movers if not u.leader), key=lambda u: -u.power[0])
    leaders = [u for u in movers if u.leader][:leaders_aboard]
    loads: list[tuple[float, float]] = []
    for i in range(0, max(len(soldiers), 1 if leaders else 0), units_aboard):
        load = soldiers[i : i + units_aboard] + (leaders if not i else [])
        loads.append((power(load, 0, False), power(load, 0, True)))
    march, guard = power(force, 0, False), power(force, 1, False)
    return Facts(
        tuple(loads),
        (power(movers, 0, False), power(movers, 0, True)),
        (guard, power(force, 1, True)),
        (march + guard) / 2,
        sum(map(is_chief, force)),
        len(force),
    )


def mean_of_card(board: Board, side: int, month: int, values: list[list[float]]) -> float:
    """Return the value of a side's card of a month, on average over its deck; `values`: by side and card number."""
    number = board.rules.fixed.get(month)
    if number:
        return values[side][number]
    of_side, total = values[side], 0.0
    deck = board.decks[side]
    for n in deck:
        total += of_side[n]
    return total / len(deck) if deck else 2.0


def keeps(board: Board, side: int) -> bool:
    """Return whether a side's chiefs stay out of ordinary attacks: the next one to die loses the game."""
    return side == 0 or board.chiefs[side] <= 1


def threats(board: Board, side: int, month: int) -> list[float]:
    """Return, by space, the chance that the enemy takes it from a side in his next half if he goes for it.

    1 where nobody of the side stands and the enemy can come; 0 where he cannot, and where he stands already.

    Args:
        board: the position.
        side: who is threatened.
        month: of the enemy's half; its card brings fleet moves and recruits.
    """
    rules, enemy = board.rules, 1 - side
    fleets = mean_of_card(board, enemy, month, rules.fleets)
    fresh = mean_of_card(board, enemy, month, rules.recruits)
    theirs, mine, boats = board.forces[enemy], board.forces[side], board.boats[side]
    keep = keeps(board, enemy)
    sailing = min(int(fleets + 0.5), sum(board.boats[enemy]))
    them = [facts(force, keep, rules.load) if force else None for force in theirs]
    loads = [(*load, space) for space, fact in enumerate(them) if fact for load in fact.loads]
    loads.sort(reverse=True)
    chance = rules.table.chance
    found: list[float] = []
    for space, force in enumerate(mine):
        if not force and theirs[space]:
            found.append(0.0)
            continue
        walls = rules.fort[space]
        sibling = rules.sibling[space]
        by_sea, left = 0.0, sailing
        for load in loads:
            if not left:
                break
            if load[2] != sibling and load[2] != space:
                by_sea += load[walls]
                left -= 1
        near = them[sibling] if sibling >= 0 else None
        overland = near.march[walls] if near else 0.0
        if sibling >= 0 and not mine[sibling] and (near or sibling in rules.homes[enemy]):
            overland += fresh  # recruits come before they march
        elif left or by_sea:
            by_sea += 0.5 * fresh
        if not force:
            found.append(1.0 if by_sea + overland > 0.0 else 0.0)
            continue
        fact = facts(force, False, rules.load)
        defence, kind = fact.guard[walls], "walls" if walls else "open"
        odds = chance(by_sea + overland, defence, kind)
        if by_sea and not rules.assault and boats[space] and fact.size > 1:
            # A fleet that is sighted is met at sea, and does not land where a garrison stays [11.7, 11.8].
            odds = (odds + (chance(overland, defence, kind) if overland else 0.0)) / 2
        found.append(odds)
    return found


def needs(board: Board, side: int) -> tuple[list[int], list[int], int, list[int]]:
    """[5.1] What a side lacks for its occupation victory.

    Returns the spaces of `all` that it does not hold, those of `some`, how many of them it lacks, and those of `any`
    where it holds none.
    """
    every, some, n, one = board.rules.goals[side]
    ours, theirs = board.forces[side], board.forces[1 - side]
    missing = [s for s in every if not ours[s] or theirs[s]]
    free = [s for s in some if not ours[s] or theirs[s]]
    wanted = [s for s in one if not ours[s] or theirs[s]]
    return missing, free, max(0, n - len(some) + len(free)), wanted if len(wanted) == len(one) else []


def fulfils(board: Board, side: int) -> bool:
    """[5.1] Whether a side's occupation victory is fulfilled."""
    missing, _, lacking, wanted = needs(board, side)
    return not missing and not lacking and not wanted


def completes(lack: tuple[list[int], list[int], int, list[int]], chances: list[float], boats: float) -> float:
    """Return the chance that a side gets what it lacks in a half in which it takes spaces with these chances."""
    missing, free, lacking, wanted = lack
    picks = [chances[s] for s in missing]
    if wanted:
        picks.append(max(chances[s] for s in wanted))
    if lacking:
        picks += sorted((chances[s] for s in free), reverse=True)[:lacking]
    if len(picks) > boats + 1:
        return 0.0
    total = 1.0
    for chance in picks:
        total *= chance
    # Forces are divided: each further space costs fleets that the first one's odds have counted on.
    return total * 0.6 ** (len(picks) - 1) if len(picks) > 1 else total


def breaks(board: Board, side: int, chances: list[float]) -> float:
    """Return the chance that the enemy undoes a side's fulfilled condition, by the chances that he takes its spaces."""
    every, some, n, one = board.rules.goals[side]
    single = [chances[s] for s in every]
    held = sorted((chances[s] for s in some if board.holds(side, s)), reverse=True)
    spare = len(held) - n
    if spare == 0:
        single += held
    ones = [s for s in one if board.holds(side, s)]
    if len(ones) == 1:
        single.append(chances[ones[0]])
    single.sort(reverse=True)
    result = 0.0
    if single:
        result = single[0]
        if len(single) > 1:
            result += (1.0 - result) * 0.25 * single[1]
    if spare > 0:
        both = 0.5
        for chance in held[: spare + 1]:
            both *= chance
        result = max(result, both)
    return result


def features(board: Board, side: int) -> list[float]:
    """Return the values of FEATURES for a side whose half has just ended, of a game that goes on."""
    rules, enemy = board.rules, 1 - side
    counts = side == 1 or board.month < rules.last_month or rules.final
    fleets = mean_of_card(board, enemy, board.month + side, rules.fleets)
    danger = threats(board, side, board.month + side)
    hope = threats(board, enemy, board.month + 1)
    lack, their_lack = needs(board, side), needs(board, enemy)
    n_lack = len(lack[0]) + lack[2] + bool(lack[3])
    n_their_lack = len(their_lack[0]) + their_lack[2] + bool(their_lack[3])
    every, some, _, one = rules.goals[side]
    their_every, their_some, _, their_one = rules.goals[enemy]
    chiefs, their_chiefs = board.chiefs[side], board.chiefs[enemy]
    ours = theirs = goals = stake = death = hunt = 0.0
    for space, mine in enumerate(board.forces[side]):
        others = board.forces[enemy][space]
        if mine:
            fact = facts(mine, False, rules.load)
            ours += fact.strength
            if fact.chiefs == chiefs:
                death = max(death, danger[space])
            if not others:
                goals += (space in every or space in some or space in one) + 0.5 * (
                    space in their_every or space in their_some or space in their_one
                )
                stake = max(stake, danger[space] * fact.strength)
        if others:
            fact = facts(others, False, rules.load)
            theirs += fact.strength
            if fact.chiefs == their_chiefs:
                hunt = max(hunt, hope[space])
            if not mine:
                goals -= (space in their_every or space in their_some or space in their_one) + 0.5 * (
                    space in every or space in some or space in one
                )
    whole = ours + theirs + 2.0
    return [
        1.0,
        (ours - theirs) / whole,
        (min(sum(board.boats[side]), 4) - min(sum(board.boats[enemy]), 4)) / 4,
        goals / 5,
        stake / whole,
        1.0 - breaks(board, side, danger) if not n_lack and counts else 0.0,
        completes(their_lack, danger, fleets) if board.month < rules.last_month else 0.0,
        death,
        completes(lack, hope, 2.0) if n_lack else 0.0,
        1 / (1 + n_lack),
        1 / (1 + n_their_lack),
        hunt,
        (chiefs - their_chiefs + 1 - 2 * side) / 2,
    ]


def worth(board: Board, side: int) -> float:
    """Return what a position is worth to a side whose half has just ended, -1 (lost) to 1 (won), a tie being 0."""
    rules, enemy = board.rules, 1 - side
    if not board.chiefs[side]:
        return -1.0
    if not board.chiefs[enemy]:
        return 1.0
    if board.month + side > rules.last_month:
        # [5.3, R-08] The game is over; with the option Kamehameha's occupation is looked at once more.
        return -1.0 if rules.final and fulfils(board, enemy) else 0.0
    if fulfils(board, enemy):
        return -1.0  # his condition is looked at before anything else happens
    values = features(board, side)
    total = 0.0
    for weight, value in zip(board.weights[side], values, strict=True):
        total += weight * value
    score = tanh(total / 2)
    # Towards the end what is not decided is tied, unless a condition is held.
    later = min(1.0, (rules.last_month - board.month + 1) / 3.0)
    holds = values[FEATURES.index("holds")]
    return score if later >= 1.0 else holds * max(score, 1.0 - later) + (1.0 - holds) * score * later
