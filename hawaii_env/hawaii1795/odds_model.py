"""The compact model of a battle that `odds` solves [11.0 to 14.2], apart from the engine.

A battle is a zero-sum game of perfect information with chance: both sides choose who fires, who is lost and who panics,
dice do the rest. A round in which nothing happens brings the same position again, so a position's value is a fixed point: it
is solved for, not cut off after some rounds. A test walks the engine and the model side by side and compares every step.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import comb
from typing import Any, TypeAlias, cast

from hawaii_env.errors import OptionError

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
    "POLICIES",
    "READY",
    "ROLL",
    "START",
    "BattleModel",
    "Node",
    "Side",
    "Solver",
    "TooLargeError",
    "UnitType",
    "advantage_chances",
    "hit_chances",
    "simulate",
]

POLICIES = ("optimal", "simple", "random")
"""How a side chooses: for the best chance of winning, by a rule of thumb, or at random."""

ATTACKER, DEFENDER, CHANCE = 0, 1, -1


# -- closed forms ----------------------------------------------------------------------------------------------------


@cache
def advantage_chances(attacker_bonus: int = 0, defender_bonus: int = 0) -> tuple[Fraction, Fraction]:
    """[11.1 i-iii] The chances that the attacker and the defender get the advantage; ties are rolled again.

    With d the difference of the bonuses, 36 pairs of dice hold (6 - d)(5 - d) / 2 won by the side without it (d of 0 to 5)
    and 6 - d ties.
    """
    lead = attacker_bonus - defender_bonus
    d = min(abs(lead), 6)
    behind = (6 - d) * (5 - d) // 2 if d < 6 else 0
    ties = 6 - d
    ahead = 36 - behind - ties
    chances = Fraction(ahead, ahead + behind), Fraction(behind, ahead + behind)
    return chances if lead >= 0 else (chances[1], chances[0])


def hit_chances(dice: int, chance: Fraction | float) -> list[Any]:
    """The chances of 0, 1, ... `dice` hits where each die hits with `chance`: C(n, k) p^k (1 - p)^(n - k)."""
    return [comb(dice, k) * chance**k * (1 - chance) ** (dice - k) for k in range(dice + 1)]


# -- the compact model -----------------------------------------------------------------------------------------------

START, FIRING, ROLL, LOSE, PANIC, END = range(6)
"""Stages: a round begins, a unit is chosen to fire, its next die, a loss, a panic, the battle is over."""

Node: TypeAlias = tuple[int, int, int, int, int, int, int, int, int]
"""A position: stage, second battle (0, 1), attackers, defenders, who is next in turn, pikes used (bit 0 the attackers', bit 1
the defenders'), who fires (END: who won; START: 0), whether the firer is elite, dice left (START: Kamehameha's advantage
die where it has fallen already).

A side's units are one number: for each type 18 bits, six each for the units that may fire, those that have fired and
those that are panicked.
"""

_BITS, _TYPE_BITS = 6, 18
_MOST = (1 << _BITS) - 1
READY, FIRED, PANICKED = 0, 1, 2


@dataclass(frozen=True, slots=True)
class UnitType:
    """Units that fight alike.

    Attributes:
        name: name of the kind; of the first one where several fight alike.
        count: units of the type at the start.
        strength: dice that one rolls.
        elite: it cannot panic and fires on the elite column.
        plus: it counts for Battlefield Advantage.
        gun: it is of gunpowder.
        pike: it is a pike.
        life: 0, or which sudden death it stands for [5.2]: 1 Kamehameha, 2 the chiefs.
    """

    name: str
    count: int
    strength: int
    elite: bool
    plus: bool
    gun: bool
    pike: bool
    life: int


class Side:
    """One side's types, and the masks that pick fields out of its number."""

    def __init__(self, types: Sequence[UnitType], dice_bonus: int, both_chiefs: bool) -> None:
        self.types: tuple[UnitType, ...] = tuple(types)
        self.start: int = 0
        self.fields: list[int] = []  # shift of the first field of each type
        self.dice: list[int] = []
        self.ready: int = 0
        self.fired: int = 0
        self.panicked: int = 0
        self.guns: int = 0
        self.soft: int = 0
        self.pikes: int = 0
        self.plus_fields: list[int] = []
        lives: dict[int, list[int]] = {}
        for i, it in enumerate(types):
            at = i * _TYPE_BITS
            self.fields.append(at)
            self.dice.append(it.strength + (dice_bonus if it.gun else 0))
            self.start += it.count << at
            self.ready |= _MOST << at
            self.fired |= _MOST << (at + _BITS)
            self.panicked |= _MOST << (at + 2 * _BITS)
            whole = ((1 << _TYPE_BITS) - 1) << at
            if it.gun:
                self.guns |= _MOST << at
            if not it.elite:
                self.soft |= whole
            if it.pike:
                self.pikes |= (_MOST << at) | (_MOST << (at + _BITS))
            if it.plus:
                self.plus_fields += [at, at + _BITS]
            if it.life and it.count:
                lives.setdefault(it.life, []).append(whole)
        self.unpanicked: int = self.ready | self.fired
        # [5.2] Sudden death: when nobody of a group is left. One chief alone is none, unless the other is dead.
        self.lives: tuple[int, ...] = tuple(
            sum(masks) for life, masks in lives.items() if life == 1 or len(masks) > 1 or not both_chiefs
        )

    def shift(self, i: int, condition: int) -> int:
        """Where the field of a type and a condition begins in the side's number."""
        return self.fields[i] + condition * _BITS

    def plus(self, units: int) -> int:
        """Unpanicked units that count for Battlefield Advantage."""
        return sum((units >> at) & _MOST for at in self.plus_fields)

    def count(self, units: int) -> int:
        """Units, panicked or not."""
        n = 0
        while units:
            n += units & _MOST
            units >>= _BITS
        return n

    def fallen(self, units: int) -> bool:
        """A sudden death."""
        for mask in self.lives:
            if not units & mask:
                return True
        return False

    def to_fire(self, units: int, guns: bool) -> list[int]:
        """Types with a unit that may fire now."""
        able = units & (self.guns if guns else self.ready)
        return [i for i, at in enumerate(self.fields) if (able >> at) & _MOST]

    def to_lose(self, units: int) -> list[tuple[int, int]]:
        """[11.3] Types and conditions that an elimination may take."""
        conditions = (READY, FIRED) if units & self.unpanicked else (PANICKED,)
        return [(i, c) for i, at in enumerate(self.fields) for c in conditions if (units >> (at + c * _BITS)) & _MOST]

    def to_panic(self, units: int) -> list[tuple[int, int]]:
        """[11.3, 12.0] Types and conditions that a panic may take."""
        return [
            (i, c)
            for i, at in enumerate(self.fields)
            if not self.types[i].elite
            for c in (READY, FIRED, PANICKED)
            if (units >> (at + c * _BITS)) & _MOST
        ]


def _fresh(side: Side, units: int) -> int:
    """[11.1 i] Everybody unpanicked may fire again."""
    fired = units & side.fired
    return units - fired + (fired >> _BITS)


def _rallied(side: Side, units: int) -> int:
    """[11.4, 11.6] Panicked units rally, too."""
    panicked = units & side.panicked
    return _fresh(side, units - panicked + (panicked >> 2 * _BITS))


class BattleModel:
    """The battle as a game: positions (`Node`), their choices and dice.

    Args:
        attackers: types of the attackers' units.
        defenders: types of the defenders' units.
        results: by role and eliteness of who fires (role * 2 + elite), the numbers of faces without effect, of panic, of
            elimination.
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
        results: Sequence[tuple[int, int, int]],
        walls: bool = False,
        sea: bool = False,
        advantage: int = 0,
        gunpowder: int = 0,
        escape: bool = False,
        chiefs: bool = True,
        kamehameha: int = ATTACKER,
    ) -> None:
        self.sides: tuple[Side, Side] = (Side(attackers, gunpowder, chiefs), Side(defenders, 0, chiefs))
        self.results: tuple[tuple[int, int, int], ...] = tuple(results)
        self.walls: bool = walls and not sea
        self.sea = sea
        self.advantage = advantage
        self.escape: bool = escape and not sea
        self.kamehameha = kamehameha

    @property
    def root(self) -> Node:
        """The position before the first round."""
        return (START, 0, self.sides[0].start, self.sides[1].start, 0, 0, 0, 0, 0)

    def bonuses(self, attackers: int, defenders: int) -> tuple[int, int]:
        """[11.1 ii, 8.2] What the sides add to their advantage dice."""
        ours, theirs = self.sides[0].plus(attackers), self.sides[1].plus(defenders)
        return int(ours > theirs) + self.advantage, int(theirs > ours)

    def expand(self, node: Node) -> tuple[int, list[tuple[Any, Node]]]:
        """Return who decides (0, 1, CHANCE) and what may come: weights or choices, with the positions after them.

        The weights are whole numbers; their sum is the whole. A choice is (type, condition), or a type alone for who fires. A
        battle that is over has nothing to come.
        """
        stage, second, a, d, turn, pikes, who, elite, dice = node
        if stage == ROLL:
            return CHANCE, self._dice(second, a, d, turn, pikes, who, elite, dice)
        if stage == FIRING:
            side, units = self.sides[who], (d if who else a)
            guns = bool(a & self.sides[0].guns or d & self.sides[1].guns)
            found: list[tuple[Any, Node]] = []
            for i in side.to_fire(units, guns):
                at = side.fields[i]
                after = units - (1 << at) + (1 << (at + _BITS))
                if who:
                    left, right = a, after
                else:
                    left, right = after, d
                child = self.node(
                    ROLL,
                    second,
                    left,
                    right,
                    turn if guns else 1 - who,
                    pikes,
                    who,
                    int(side.types[i].elite),
                    side.dice[i],
                )
                found.append((i, child))
            return who, found
        if stage in (LOSE, PANIC):
            return 1 - who, self._hits(node)
        if stage == START:
            return CHANCE, self._advantage(second, a, d, dice)
        return CHANCE, []

    def _advantage(self, second: int, a: int, d: int, first: int) -> list[tuple[Any, Node]]:
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
        self, stage: int, second: int, a: int, d: int, turn: int, pikes: int, who: int, elite: int, dice: int
    ) -> Node:
        """A position without what no longer matters."""
        left, right = self.sides
        if not a & left.pikes:
            pikes |= 1
        if self.walls or not d & right.pikes:
            pikes |= 2
        if not a & left.ready or not d & right.ready:
            turn = 0
        return (stage, second, a, d, turn, pikes, who, elite, dice)

    def next_to_fire(self, second: int, a: int, d: int, turn: int, pikes: int) -> Node:
        """[11.1 v-viii, 14.2] Who fires next, or the end of the round."""
        left, right = self.sides
        if a and d:
            guns = bool(a & left.guns), bool(d & right.guns)
            if guns[0] or guns[1]:
                who = turn if guns[turn] else 1 - turn
                return self.node(FIRING, second, a, d, turn, pikes, who, 0, 0)
            able = a & left.ready, d & right.ready
            if able[0] or able[1]:
                who = turn if able[turn] else 1 - turn
                return self.node(FIRING, second, a, d, who, pikes, who, 0, 0)
        return self._round_over(second, a, d)

    def _round_over(self, second: int, a: int, d: int) -> Node:
        """[11.1 viii, 11.4] Another round, the second battle, or the end."""
        left, right = self.sides
        if not a & left.unpanicked:
            return (END, second, a, d, 0, 0, DEFENDER, 0, 0)
        if d & right.unpanicked:
            return (START, second, _fresh(left, a), _fresh(right, d), 0, 0, 0, 0, 0)
        if second or self.sea or not d:
            return (END, second, a, d, 0, 0, ATTACKER, 0, 0)
        return (START, 1, _rallied(left, a), _rallied(right, d), 0, 0, 0, 0, 0)

    def _after_die(self, second: int, a: int, d: int, turn: int, pikes: int, who: int, elite: int, dice: int) -> Node:
        """[11.1 v, R-22] The unit's next die, or the next unit; the round stops when a side has no units left."""
        if not (a if who else d):
            return self._round_over(second, a, d)
        if dice:
            return self.node(ROLL, second, a, d, turn, pikes, who, elite, dice)
        return self.next_to_fire(second, a, d, turn, pikes)

    def _dice(
        self, second: int, a: int, d: int, turn: int, pikes: int, who: int, elite: int, dice: int
    ) -> list[tuple[Any, Node]]:
        """[11.3, R-20, R-21] One die's results, with the numbers of their faces."""
        none, panic, elimination = self.results[who * 2 + elite]
        target = 1 - who
        units = a if who else d
        side = self.sides[target]
        dice -= 1
        if panic and ((target and self.walls) or not units & side.soft):
            none, panic = none + panic, 0
        found: list[tuple[Any, Node]] = []
        if none:
            found.append((none, self._after_die(second, a, d, turn, pikes, who, elite, dice)))
        if panic:
            if units & side.pikes and not pikes >> target & 1:
                child = self._after_die(second, a, d, turn, pikes | 1 << target, who, elite, dice)
            else:
                child = self.node(PANIC, second, a, d, turn, pikes, who, elite, dice)
            found.append((panic, child))
        if elimination:
            found.append((elimination, self.node(LOSE, second, a, d, turn, pikes, who, elite, dice)))
        return found

    def _hits(self, node: Node) -> list[tuple[Any, Node]]:
        """[11.3, 5.2] Whom a loss or a panic may take."""
        stage, second, a, d, turn, pikes, who, elite, dice = node
        target = 1 - who
        side, units = self.sides[target], (a if who else d)
        found: list[tuple[Any, Node]] = []
        for choice in side.to_lose(units) if stage == LOSE else side.to_panic(units):
            i, condition = choice
            at = side.fields[i]
            after = units - (1 << (at + condition * _BITS))
            lost = stage == LOSE or condition == PANICKED
            if not lost:
                after += 1 << (at + 2 * _BITS)
            left, right = (after, d) if who else (a, after)
            if lost and side.lives and side.fallen(after):
                child: Node = (END, second, left, right, 0, 0, who, 0, 0)
            else:
                child = self._after_die(second, left, right, turn, pikes, who, elite, dice)
            found.append((choice, child))
        return found

    def losses(self, node: Node) -> tuple[int, int]:
        """[11.4, 11.6] Units that the attackers and the defenders have lost in a battle that is over.

        Beaten defenders that are left in a second battle are eliminated, unless they escape. Beaten attackers and fleets withdraw.
        """
        _, second, a, d, _, _, who, _, _ = node
        left, right = self.sides
        if who == ATTACKER and second and not self.escape:
            d = 0
        return left.count(left.start) - left.count(a), right.count(right.start) - right.count(d)

    def choose(self, node: Node, who: int, choices: list[tuple[Any, Node]]) -> int:
        """The rule of thumb of the policy "simple": index of a choice.

        The strongest unit fires. The least one is lost or panics: not the leaders, elite, guns and pikes if others are there, one
        that has fired before one that has not; a panicked one is given up rather than the last unpanicked.
        """
        side = self.sides[who]
        if node[0] == FIRING:
            firers: list[int] = [choice for choice, _ in choices]
            worth = [side.dice[i] * 2 + side.types[i].elite for i in firers]
            return worth.index(max(worth))
        units = node[3] if who else node[2]
        last = side.count(units & side.unpanicked) == 1
        costs: list[float] = []
        taken: list[tuple[int, int]] = [choice for choice, _ in choices]
        for i, condition in taken:
            it = side.types[i]
            cost = it.strength + 2.0 * it.elite + it.gun + it.pike + 20.0 * bool(it.life)
            if condition == READY:
                cost += 0.5
            elif condition == PANICKED:
                cost += -100.0 if last else 3.0
            costs.append(cost)
        return costs.index(min(costs))


# -- solving ---------------------------------------------------------------------------------------------------------


class TooLargeError(Exception):
    """More positions than were allowed."""


_Value: TypeAlias = tuple[Any, Any, Any]  # the attackers' chance, losses of the attackers, of the defenders
_Linear: TypeAlias = tuple[Any, Any, Any, Any]  # the same without, and with what weight, the value of the round's start

_TIE = 1e-14


class Solver:
    """Values of a model's positions, memoised.

    Panics and losses are never undone within a battle, so the only way back to a position is a round in which nothing
    happened. A round's start S therefore has V(S) = F(V(S)) with all else known: F is monotone, piecewise linear (a piece a
    choice of policies) and contracting. It is solved by policy iteration, kept within a bracket.

    Args:
        model: the battle.
        policies: of the attacker and of the defender.
        max_nodes: positions allowed.
        number: float, or Fraction for a value without any rounding (small battles only).
    """

    def __init__(self, model: BattleModel, policies: tuple[str, str], max_nodes: int, number: Any = float) -> None:
        self.model = model
        self.policies = policies
        self.budget: int = max_nodes
        self.max_nodes = max_nodes
        self.number = number
        self.tie = 0 if number is Fraction else _TIE
        self.known: dict[Node, _Value] = {}
        self.residual: float = 0.0  # greatest error of a fixed point
        self.returning: float = 0.0  # greatest chance that nothing happens in a round

    @property
    def nodes(self) -> int:
        """Positions that were looked at."""
        return self.max_nodes - self.budget

    def solve(self, node: Node) -> _Value:
        """Return the value of a position. Raises TooLargeError, and OptionError for a battle that never ends."""
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(max(limit, 200_000))
        try:
            return self.value(node)
        finally:
            sys.setrecursionlimit(limit)

    def error(self, root: Node) -> float:
        """A bound of the error of the attackers' chance by rounding and by ties taken for equal."""
        left, right = self.model.sides
        units = left.count(root[2]) + right.count(root[3])
        dice = sum(n * side.types[i].count for side in self.model.sides for i, n in enumerate(side.dice))
        changes = 2 * units * (1 if self.model.sea else 2) + 1
        steps = changes * (units + 2 * dice) / (1 - self.returning)
        return 0.0 if self.number is Fraction else changes * self.residual + steps * (_TIE + 4e-16)

    def value(self, node: Node) -> _Value:
        """The value of a position."""
        found = self.known.get(node)
        if found is not None:
            return found
        self.budget -= 1
        if self.budget < 0:
            raise TooLargeError
        stage = node[0]
        if stage == END:
            ours, theirs = self.model.losses(node)
            found = (self.number(node[6] == ATTACKER), self.number(ours), self.number(theirs))
        elif stage == START and not node[8]:
            found = self.round(node)
        else:
            who, choices = self.model.expand(node)
            if len(choices) == 1:
                found = self.value(choices[0][1])
            elif who == CHANCE:
                found = self.mean([(n, self.value(child)) for n, child in choices])
            else:
                values = [self.value(child) for _, child in choices]
                found = self.pick(node, who, choices, values, values)
        self.known[node] = found
        return found

    def mean(self, weighted: list[tuple[int, Any]]) -> Any:
        """The mean of values with whole weights."""
        total = 0
        sums: list[Any] = [0] * len(weighted[0][1])
        for n, value in weighted:
            total += n
            for i, x in enumerate(value):
                sums[i] += n * x
        if self.number is Fraction:
            return tuple(Fraction(x) / total for x in sums)
        return tuple(x / total for x in sums)

    def pick(
        self, node: Node, who: int, choices: list[tuple[Any, Node]], values: list[_Value], results: list[Any]
    ) -> Any:
        """The one of `results` that the side's policy takes, by `values`; under "random" their mean."""
        policy = self.policies[who]
        if policy == "random":
            return self.mean([(1, result) for result in results])
        if policy == "simple":
            return results[self.model.choose(node, who, choices)]
        best = 0
        sign = 1 if who == ATTACKER else -1
        for i in range(1, len(values)):
            gain = sign * (values[i][0] - values[best][0])
            if gain > self.tie:
                best = i
            elif gain >= -self.tie:  # as likely to win: what costs more of the enemy's and less of one's own
                margin = values[i][2] - values[i][1] - values[best][2] + values[best][1]
                if sign * margin > self.tie:
                    best = i
        return results[best]

    def round(self, start: Node) -> _Value:
        """The fixed point of a round's start."""
        half = Fraction(1, 2) if self.number is Fraction else 0.5
        guess: _Value = (half, self.number(0), self.number(0))
        low, high = self.number(0), self.number(1)
        for attempt in range(200):
            weighted: list[tuple[int, _Linear]] = []
            memo: dict[Node, _Linear] = {}
            for n, child in self.model.expand(start)[1]:
                weighted.append((n, self.linear(child, start, guess, memo)))
            wins, ours, theirs, again = self.mean(weighted)
            if again >= 1:
                raise OptionError("this battle never ends: by its results table no die has an effect")
            found: _Value = (wins / (1 - again), ours / (1 - again), theirs / (1 - again))
            image = wins + again * guess[0]
            off = abs(float(image - guess[0]))
            same = off <= 1e-15 and abs(found[1] - guess[1]) + abs(found[2] - guess[2]) <= 1e-12
            if same or (attempt > 60 and off <= 1e-15):
                self.residual = max(self.residual, off / float(1 - again))
                self.returning = max(self.returning, float(again))
                self.budget -= len(memo)
                return found
            if image > guess[0]:
                low = guess[0]
            elif image < guess[0]:
                high = guess[0]
            wanted = found[0] if low <= found[0] <= high else (low + high) / 2
            guess = (wanted, found[1], found[2])
        raise AssertionError("a fixed point was not found")

    def linear(self, node: Node, start: Node, guess: _Value, memo: dict[Node, _Linear]) -> _Linear:
        """The value of a position before anything has happened in a round, as a function of the value of its start."""
        if node == start:
            return (0, 0, 0, 1)
        if node[0] != FIRING and node[0] != ROLL:
            return (*self.value(node), 0)
        found = memo.get(node)
        if found is not None:
            return found
        if len(memo) > self.budget:
            raise TooLargeError
        who, choices = self.model.expand(node)
        results = [self.linear(child, start, guess, memo) for _, child in choices]
        if len(results) == 1:
            found = results[0]
        elif who == CHANCE:
            found = self.mean([(choices[i][0], result) for i, result in enumerate(results)])
        else:
            values = [(w + p * guess[0], x + p * guess[1], y + p * guess[2]) for w, x, y, p in results]
            found = self.pick(node, who, choices, values, results)
        memo[node] = cast(_Linear, found)
        return memo[node]


def simulate(
    model: BattleModel, root: Node, policies: tuple[str, str], samples: int, seed: int
) -> tuple[list[float], int]:
    """Play battles of the model; return the means of wins and losses, and the positions that were met."""
    dice = random.Random(seed)
    known: dict[Node, tuple[int, list[tuple[Any, Node]], int]] = {}
    sums = [0, 0, 0]
    for _ in range(samples):
        node = root
        while node[0] != END:
            found = known.get(node)
            if found is None:
                who, choices = model.expand(node)
                total = sum(n for n, _ in choices) if who == CHANCE else -1
                if who != CHANCE and policies[who] != "random":
                    total = model.choose(node, who, choices)
                found = known[node] = (who, choices, total)
            who, choices, total = found
            if who == CHANCE:
                fall = dice.randrange(total)
                for n, child in choices:
                    fall -= n
                    if fall < 0:
                        node = child
                        break
            else:
                node = choices[total if total >= 0 else dice.randrange(len(choices))][1]
        ours, theirs = model.losses(node)
        sums[0] += node[6] == ATTACKER
        sums[1] += ours
        sums[2] += theirs
    return [x / samples for x in sums], len(known)
