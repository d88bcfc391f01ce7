"""A battle as a game of its own [11.0 to 14.2], apart from the engine: units, who fires next, dice, losses, results.

A battle is a zero-sum game of perfect information with chance: both sides choose who fires, who is lost and who panics,
dice do the rest. A test walks the engine and the model side by side and compares every step.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache, lru_cache
from math import comb
from typing import Any, TypeAlias

from hawaii_env._arguments import check_count, check_number

from .units import FIRED, PANICKED, READY, Side, Units, UnitType, keeping

__all__ = [
    "ATTACKER",
    "CHANCE",
    "DEFENDER",
    "END",
    "FIRED",
    "FIRING",
    "LOSE",
    "PANIC",
    "PANICKED",
    "READY",
    "ROLL",
    "START",
    "BattleModel",
    "Node",
    "advantage_chances",
    "hit_chances",
    "next_role",
    "results_of",
]

ATTACKER, DEFENDER, CHANCE = 0, 1, -1

START, FIRING, ROLL, LOSE, PANIC, END = range(6)
"""Stages: a round begins, a unit is chosen to fire, its next die, a loss, a panic, the battle is over."""

Node: TypeAlias = tuple[int, int, Units, Units, int, int, int, int, int]
"""A position: stage, second battle (0, 1), attackers, defenders, who is next in turn, pikes used (bit 0 the attackers',
bit 1 the defenders'), who fires (END: who won; START: 0), whether the firer is elite, dice left (START: Kamehameha's
advantage die where it has fallen already).
"""

Faces: TypeAlias = tuple[tuple[tuple[int, int, int], ...], ...]


@lru_cache(maxsize=64)
def results_of(ruleset: Any) -> Faces:
    """[11.2, 12.0, R-05] Return the numbers of faces without effect, of panic, of elimination, by role and eliteness of
    who fires.

    Args:
        ruleset: a ruleset, as `Game.ruleset`.
    """
    columns = [[ruleset.results.column(role, elite) for elite in (0, 1)] for role in (0, 1)]
    return tuple(tuple((c.count("none"), c.count("panic"), c.count("elimination")) for c in row) for row in columns)


@cache
def advantage_chances(attacker_bonus: int = 0, defender_bonus: int = 0) -> tuple[Fraction, Fraction]:
    """[11.1 i-iii] Return the chances that the attacker and the defender get the advantage; ties are rolled again.

    With d the difference of the bonuses, 36 pairs of dice hold (6 - d)(5 - d) / 2 won by the side without it (d of 0 to
    5) and 6 - d ties.
    """
    for name, bonus in (("attacker_bonus", attacker_bonus), ("defender_bonus", defender_bonus)):
        check_count(name, bonus, least=-100, most=100)
    lead = attacker_bonus - defender_bonus
    d = min(abs(lead), 6)
    behind = (6 - d) * (5 - d) // 2 if d < 6 else 0
    ties = 6 - d
    ahead = 36 - behind - ties
    chances = Fraction(ahead, ahead + behind), Fraction(behind, ahead + behind)
    return chances if lead >= 0 else (chances[1], chances[0])


def hit_chances(dice: int, chance: Fraction | float) -> list[Any]:
    """Return the chances of 0, 1, ... `dice` hits where each die hits with `chance`: C(n, k) p^k (1 - p)^(n - k)."""
    check_count("dice", dice, least=0, most=1000)
    check_number("chance", chance, least=0, most=1)
    return [comb(dice, k) * chance**k * (1 - chance) ** (dice - k) for k in range(dice + 1)]


def next_role(turn: int, attackers_guns: bool, defenders_guns: bool, attackers: bool, defenders: bool) -> int:
    """[11.1 v-vii, 14.2] Return the role that fires next, -1 where the round is over.

    Gunpowder fires first, all of the side with the advantage and then the other's; then one unit each in turn.

    Args:
        turn: the role whose turn it is: of the advantage while gunpowder is left.
        attackers_guns: whether the attackers have gunpowder that may fire.
        defenders_guns: the same of the defenders.
        attackers: whether the attackers have any unit that may fire.
        defenders: the same of the defenders.
    """
    if attackers_guns or defenders_guns:
        return turn if (defenders_guns if turn else attackers_guns) else 1 - turn
    if attackers or defenders:
        return turn if (defenders if turn else attackers) else 1 - turn
    return -1


class BattleModel:
    """The battle as a game: positions (`Node`), their choices and dice.

    Args:
        attackers: types of the attackers' units.
        defenders: types of the defenders' units.
        results: the numbers of a die's faces, as `results_of` returns them.
        walls: the defenders stand in a fort or behind earthworks.
        sea: a sea battle: one battle, and no walls.
        advantage: added to the attackers' advantage rolls by a card.
        gunpowder: dice added to the attackers' gunpowder units by a card.
        escape: defenders beaten overland leave by canoe instead of being eliminated.
        chiefs: False where one of Kalani and Kaiana is dead already, so that the other's death is sudden death.
        kamehameha: the role of Kamehameha's side, whose advantage die falls first.
    """

    def __init__(
        self,
        attackers: Sequence[UnitType],
        defenders: Sequence[UnitType],
        results: Faces,
        walls: bool = False,
        sea: bool = False,
        advantage: int = 0,
        gunpowder: int = 0,
        escape: bool = False,
        chiefs: bool = True,
        kamehameha: int = ATTACKER,
    ) -> None:
        self.results = results
        self.walls: bool = walls and not sea
        self.sides: tuple[Side, Side] = (
            Side(attackers, gunpowder, chiefs, 1),
            Side(defenders, 0, chiefs, 2, pikes=not self.walls),
        )
        self.sea = sea
        self.advantage = advantage
        self.escape: bool = escape and not sea
        self.kamehameha = kamehameha
        self.terms: tuple[Any, ...] = (
            self.results, self.walls, sea, advantage, gunpowder, self.escape, chiefs, kamehameha,
            *(tuple(it.name for it in side.types if it.life) for side in self.sides),
        )  # fmt: skip
        """The terms that hold throughout the battle, with the pieces whose death is sudden death."""

    @property
    def root(self) -> Node:
        """The position before the first round."""
        return (START, 0, self.sides[0].start, self.sides[1].start, 0, 0, 0, 0, 0)

    def covers(self, other: BattleModel) -> bool:
        """Return True if the positions of another battle are positions of this one, too: equal terms, and all its
        types.
        """
        return self.terms == other.terms and all(
            mine.type_of(it.name, it.fights) >= 0
            for mine, theirs in zip(self.sides, other.sides, strict=True)
            for it in theirs.types
        )

    def bonuses(self, attackers: Units, defenders: Units) -> tuple[int, int]:
        """[11.1 ii, 8.2] Return what the sides add to their advantage dice."""
        ours, theirs = attackers.plus, defenders.plus
        return int(ours > theirs) + self.advantage, int(theirs > ours)

    def expand(self, node: Node) -> tuple[int, list[tuple[Any, Node]]]:
        """Return who decides (0, 1, CHANCE) and what may come: weights or choices, with the positions after them.

        The weights are whole numbers; their sum is the whole. A choice is (type, condition), or a type alone for who
        fires. A battle that is over has nothing to come.
        """
        stage = node[0]
        if stage == ROLL:
            return CHANCE, self.rolled(node)
        if stage in (FIRING, LOSE, PANIC):
            who = node[6] if stage == FIRING else 1 - node[6]
            return who, list(zip(self.choices(node), self.after(node), strict=True))
        if stage == START:
            return CHANCE, self._advantage(node)
        return CHANCE, []

    def _advantage(self, node: Node) -> list[tuple[Any, Node]]:
        """[11.1 i-iii] Return the advantage roll; ties are left out where neither die has fallen."""
        _, second, a, d, _, _, _, _, first = node
        ours, theirs = self.bonuses(a, d)
        if first:
            kamehamehas, others = (ours, theirs) if self.kamehameha == ATTACKER else (theirs, ours)
            lead = [first + kamehamehas - face - others for face in range(1, 7)]
            ahead, ties = sum(n > 0 for n in lead), lead.count(0)
            roles = (self.kamehameha, 1 - self.kamehameha)
            found: list[tuple[Any, Node]] = [
                (n, self.next_to_fire(second, a, d, role, 0)) for n, role in zip((ahead, 6 - ahead - ties), roles) if n
            ]
            return found + ([(ties, (START, second, a, d, 0, 0, 0, 0, 0))] if ties else [])
        chances = advantage_chances(ours, theirs)
        return [
            (
                chance.numerator * (chances[0].denominator // chance.denominator),
                self.next_to_fire(second, a, d, role, 0),
            )
            for role, chance in enumerate(chances)
            if chance
        ]

    def node(
        self, stage: int, second: int, a: Units, d: Units, turn: int, pikes: int, who: int, elite: int, dice: int
    ) -> Node:
        """Return a position without what no longer matters."""
        return (stage, second, a, d, turn if a.ready and d.ready else 0, pikes | a.used | d.used, who, elite, dice)

    def next_to_fire(self, second: int, a: Units, d: Units, turn: int, pikes: int) -> Node:
        """[11.1 v-viii, 14.2] Let gunpowder of the side with the advantage fire, then the other's, then one unit each
        in turn.
        """
        who = next_role(turn, a.guns, d.guns, a.ready, d.ready) if a.bits and d.bits else -1
        if who < 0:
            return self._round_over(second, a, d)
        if not (a.ready and d.ready):
            turn = 0
        elif not (a.guns or d.guns):
            turn = who
        return (FIRING, second, a, d, turn, pikes | a.used | d.used, who, 0, 0)

    def choices(self, node: Node) -> list[Any]:
        """Return the choices of the side that decides: a type for who fires, else (type, condition)."""
        stage, who = node[0], node[6]
        units = node[3] if (who == DEFENDER) == (stage == FIRING) else node[2]
        if units.fresh is None:
            units.side.fill(units)
        if stage == FIRING:
            return [i for i, _ in (units.gunshots if node[2].guns or node[3].guns else units.fires)]
        return [choice for choice, _, _ in (units.losses if stage == LOSE else units.panics)]

    def after(self, node: Node) -> list[Node]:
        """Return the positions after each of the `choices`."""
        return self.shots(node) if node[0] == FIRING else self.hits(node)

    def shots(self, node: Node) -> list[Node]:
        """[11.1 v-vii, 14.2] Return the positions after each shot."""
        _, second, a, d, turn, pikes, who, _, _ = node
        units = d if who else a
        side = units.side
        if units.losses is None:
            side.fill(units)
        guns = a.guns or d.guns
        if not guns:
            turn = 1 - who
        elite, dice = side.elite, side.dice
        found: list[Node] = []
        shots: list[tuple[int, Units]] = units.gunshots if guns else units.fires
        for i, after in shots:
            if who:
                found.append(
                    (ROLL, second, a, after, turn if a.ready and after.ready else 0, pikes, who, elite[i], dice[i])
                )
            else:
                found.append(
                    (ROLL, second, after, d, turn if after.ready and d.ready else 0, pikes, who, elite[i], dice[i])
                )
        return found

    def _round_over(self, second: int, a: Units, d: Units) -> Node:
        """[11.1 viii, 11.4] Return the next round, the second battle, or the end."""
        if not a.unpanicked:
            return (END, second, a, d, 0, 0, DEFENDER, 0, 0)
        if not d.unpanicked and (second or self.sea or not d.bits):
            return (END, second, a, d, 0, 0, ATTACKER, 0, 0)
        for units in (a, d):
            if units.fires is None:
                units.side.fill(units)
        if d.unpanicked:
            return (START, second, a.fresh, d.fresh, 0, 0, 0, 0, 0)
        return (START, 1, a.rallied, d.rallied, 0, 0, 0, 0, 0)

    def rolled(self, node: Node) -> list[tuple[Any, Node]]:
        """[11.3, R-20, R-21] Return one die's results, with the numbers of their faces."""
        _, second, a, d, turn, pikes, who, elite, dice = node
        none, panic, elimination = self.results[who][elite]
        hit = a if who else d
        dice -= 1
        if panic and ((self.walls and not who) or not hit.soft):
            none, panic = none + panic, 0
        found: list[tuple[Any, Node]] = []
        bit = 2 - who  # the side that is hit
        # [11.1 v] The unit's next die, or the next unit.
        if none:
            if dice:
                found.append((none, (ROLL, second, a, d, turn, pikes, who, elite, dice)))
            else:
                found.append((none, self.next_to_fire(second, a, d, turn, pikes)))
        if panic and pikes & bit:
            found.append((panic, (PANIC, second, a, d, turn, pikes, who, elite, dice)))
        elif panic and dice:
            found.append((panic, (ROLL, second, a, d, turn, pikes | bit, who, elite, dice)))
        elif panic:
            found.append((panic, self.next_to_fire(second, a, d, turn, pikes | bit)))
        if elimination:
            found.append((elimination, (LOSE, second, a, d, turn, pikes, who, elite, dice)))
        return found

    def hits(self, node: Node) -> list[Node]:
        """[11.3, 5.2] Return the positions after each loss or panic."""
        stage, second, a, d, turn, pikes, who, elite, dice = node
        units = a if who else d
        if units.fires is None:
            units.side.fill(units)
        found: list[Node] = []
        left, right = a, d
        for _, after, dead in units.losses if stage == LOSE else units.panics:
            if who:
                left = after
            else:
                right = after
            if dead:
                found.append((END, second, left, right, 0, 0, who, 0, 0))
            elif not after.bits:
                found.append(self._round_over(second, left, right))
            elif dice:
                turn_left = turn if left.ready and right.ready else 0
                found.append((ROLL, second, left, right, turn_left, pikes | after.used, who, elite, dice))
            else:
                found.append(self.next_to_fire(second, left, right, turn, pikes))
        return found

    def left(self, node: Node) -> tuple[Units, Units]:
        """[11.4, 11.6] Return the units that the attackers and the defenders have left when a battle is over.

        Beaten defenders that are left in a second battle are eliminated, unless they escape. Beaten attackers and
        fleets withdraw.
        """
        a, d = node[2], node[3]
        if node[6] == ATTACKER and node[1] and not self.escape:
            d = self.sides[1].units(0)
        return a, d

    def losses(self, node: Node) -> tuple[int, int]:
        """[11.4, 11.6] Return how many units the attackers and the defenders have lost in a battle that is over; see
        `left`.
        """
        a, d = self.left(node)
        return len(self.sides[0].start) - len(a), len(self.sides[1].start) - len(d)

    def choose(self, node: Node, who: int) -> int:
        """Return the rule of thumb of the policy "simple": index of one of the `choices` of a side.

        The strongest unit fires. The least one is lost or panics: not the leaders, elite, guns and pikes if others are
        there, one that has fired before one that has not; a panicked one is given up rather than the last unpanicked.
        """
        side = self.sides[who]
        if node[0] == FIRING:
            firers: list[int] = self.choices(node)
            worth = [side.dice[i] * 2 + side.elite[i] for i in firers]
            return worth.index(max(worth))
        last = (node[3] if who else node[2]).upright == 1
        costs: list[float] = []
        taken: list[tuple[int, int]] = self.choices(node)
        for i, condition in taken:
            it = side.types[i]
            cost = keeping(it.strength, it.elite, it.gun, it.pike, bool(it.life))
            if condition == READY:
                cost += 0.5
            elif condition == PANICKED:
                cost += -100.0 if last else 3.0
            costs.append(cost)
        return costs.index(min(costs))
