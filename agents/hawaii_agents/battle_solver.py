"""An exact solver of single battles of Hawaii, 1795 [11.0 to 14.2]: expectimax over dice and both sides' choices, memoised.

A battle is a zero-sum game of perfect information with chance. The solver knows no engine: a battle is a `Terms` (what holds
throughout) and the units of both sides (`battle_units`).

Values are complex numbers: the real part is what the sides play for (the attackers for more, the defenders for less), the
imaginary part breaks ties. Sums weighted by chances take both parts along at the price of one.
"""

from __future__ import annotations

import random
import sys
from fractions import Fraction
from functools import cache
from typing import Any

from hawaii_env.errors import OptionError

from .battle_units import (
    ATTACKER,
    DEFENDER,
    OBJECTIVES,
    PANICKED,
    READY,
    SUDDEN_DEATH,
    Army,
    Choice,
    Position,
    Terms,
    TooLargeError,
    Units,
    UnitType,
)

__all__ = ["BattleSolver", "advantage_chances"]

_TIE = 1e-13


@cache
def advantage_chances(lead: int) -> tuple[float, float]:
    """[11.1 i-iii] The chances that the side with this lead and the other get the advantage; ties are rolled again."""
    ahead = sum(i + lead > j for i in range(1, 7) for j in range(1, 7))
    behind = sum(i + lead < j for i in range(1, 7) for j in range(1, 7))
    return float(Fraction(ahead, ahead + behind)), float(Fraction(behind, ahead + behind))


class BattleSolver:
    """Values of the positions of battles of the same terms; what has been solved is kept.

    Attributes:
        nodes: positions looked at since the solver was made; `known` holds the values of those that were finished.

    Args:
        terms: what holds throughout the battles.
    """

    def __init__(self, terms: Terms) -> None:
        if terms.objective not in OBJECTIVES:
            raise OptionError(f"objective: allowed are {', '.join(OBJECTIVES)}, not {terms.objective!r}")
        self.terms = terms
        war = terms.objective == "war"
        self.armies: tuple[Army, Army] = (Army(war), Army(war))
        self.results: tuple[tuple[int, int, int], ...] = terms.results
        self.walls: bool = terms.walls and not terms.sea
        self.known: dict[int, complex] = {}
        self.nodes: int = 0
        self._limit = 0

    # -- values --------------------------------------------------------------------------------------------------

    def value(self, position: Position, max_nodes: int) -> complex:
        """Return the value of a position to the attackers.

        Args:
            position: where the battle stands.
            max_nodes: positions that may be looked at for it beyond those that are known.

        Raises:
            TooLargeError: it takes more. What was solved on the way is kept.
            OptionError: no die has any effect, so the battle would never end.
        """
        self._limit = self.nodes + max_nodes
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(max(limit, 200_000))
        try:
            return self._value(position)
        finally:
            sys.setrecursionlimit(limit)

    def _value(self, at: Position) -> complex:
        a, d = at.attackers, at.defenders
        if at.stage == "start":
            return self._mid_advantage(at) if at.first else self._start(at.second, a, d)
        if at.stage == "fire":
            return self._next(at.second, a, d, at.turn, at.pikes)
        if at.stage == "roll":
            return self._roll(at.second, a, d, at.turn, at.pikes, at.who, at.elite, at.dice)
        best: complex | None = None
        for _, _, after, dead in self.choices(at):
            end = self.hit(at, after, dead)
            best = self._better(best, self._value(end) if isinstance(end, Position) else end, 1 - at.who)
        assert best is not None
        return best

    def choices(self, at: Position) -> list[Choice]:
        """Return whom the side that decides may name."""
        if at.stage == "fire":
            side = (at.attackers, at.defenders)[at.who]
            self._filled(side, at.who)
            guns = at.attackers.guns or at.defenders.guns
            return [(kind, READY, after, False) for kind, after in (side.gunshots if guns else side.fires)]
        hit = (at.defenders, at.attackers)[at.who]
        self._filled(hit, 1 - at.who)
        return hit.losses if at.stage == "lose" else hit.panics

    def after(self, at: Position, choice: Choice) -> Position | complex:
        """Return the position after one of `choices`, or the value where it ends the battle."""
        kind, _, units, dead = choice
        return self.fired(at, kind, units) if at.stage == "fire" else self.hit(at, units, dead)

    def _better(self, best: complex | None, value: complex, who: int) -> complex:
        """The one of two values that a side takes."""
        if best is None:
            return value
        gain, tie = value.real - best.real, value.imag - best.imag
        if who == DEFENDER:
            gain, tie = -gain, -tie
        return value if gain > _TIE or (gain >= -_TIE and tie > _TIE) else best

    def end(self, a: Units, d: Units, winner: int, second: int, death: int = -1) -> complex:
        """The value of a battle that is over: who won, who has died a sudden death (a role, or -1).

        What the sides have left stands for what they have lost: the differences between two ends are the same.
        """
        terms = self.terms
        gone = death if death >= 0 else -1
        if gone < 0 and winner == ATTACKER and (second or terms.sea) and not terms.escape[1]:
            gone = DEFENDER
        elif gone < 0 and winner == DEFENDER and not terms.escape[0]:
            gone = ATTACKER
        if death < 0 and gone >= 0:
            # The beaten are eliminated to the last: their leaders with them.
            death = gone if (a, d)[gone].lives else -1
            if gone == ATTACKER:
                a = self.armies[0].units(())
            else:
                d = self.armies[1].units(())
        won = 1.0 if winner == ATTACKER else 0.0
        if terms.objective == "win":
            return complex(won, a.strength - d.strength)
        worth = won + a.worth - d.worth
        if terms.objective == "war" and death >= 0:
            worth += SUDDEN_DEATH if death == DEFENDER else -SUDDEN_DEATH
        return complex(worth, won)

    def _filled(self, units: Units, role: int) -> None:
        if units.losses is None:
            self.armies[role].fill(units)

    def _over(self, second: int, a: Units, d: Units) -> complex:
        """[11.1 viii, 11.4] All have fired: another round, the second battle, or the end."""
        if not a.upright:
            return self.end(a, d, DEFENDER, second)
        if a.fresh is None:
            self.armies[0].fill(a)
        if d.fresh is None:
            self.armies[1].fill(d)
        if d.upright:
            fresh: tuple[Any, Any] = a.fresh, d.fresh
            return self._start(second, *fresh)
        if second or self.terms.sea or not d.count:
            return self.end(a, d, ATTACKER, second)
        return self._start(1, a.rallied, d.rallied)

    def _next(self, second: int, a: Units, d: Units, turn: int, pikes: int) -> complex:
        """[11.1 v-viii, 14.2] The next unit fires, or the round is over."""
        if not (a.count and d.count):
            return self._over(second, a, d)
        guns = a.guns or d.guns
        if guns:
            who = turn if (d.guns if turn else a.guns) else 1 - turn
        elif a.ready or d.ready:
            turn = who = turn if (d.ready if turn else a.ready) else 1 - turn
        else:
            return self._over(second, a, d)
        side = d if who else a
        if side.losses is None:
            self.armies[who].fill(side)
        shots = side.gunshots if guns else side.fires
        after_turn = turn if guns else 1 - who
        if len(shots) == 1:
            kind, after = shots[0]
            if who:
                return self._roll(second, a, after, after_turn, pikes, who, kind.elite, kind.dice)
            return self._roll(second, after, d, after_turn, pikes, who, kind.elite, kind.dice)
        if not a.pikes:
            pikes |= 1
        if self.walls or not d.pikes:
            pikes |= 2
        if not (a.ready and d.ready):
            turn = 0
        key = ((((a.id << 20 | d.id) << 1 | second) << 1 | turn) << 2 | pikes) << 1 | who
        key <<= 6
        found = self.known.get(key)
        if found is not None:
            return found
        self._spend(1)
        for kind, after in shots:
            if who:
                value = self._roll(second, a, after, after_turn, pikes, who, kind.elite, kind.dice)
            else:
                value = self._roll(second, after, d, after_turn, pikes, who, kind.elite, kind.dice)
            found = self._better(found, value, who)
        assert found is not None
        self.known[key] = found
        return found

    def _spend(self, n: int) -> None:
        self.nodes += n
        if self.nodes > self._limit:
            self.nodes -= n
            raise TooLargeError

    def _roll(
        self, second: int, a: Units, d: Units, turn: int, pikes: int, who: int, elite: bool, dice: int
    ) -> complex:
        """[11.2, 11.3] One die of a unit, applied before the next."""
        walls = self.walls
        if not a.pikes:
            pikes |= 1
        if walls or not d.pikes:
            pikes |= 2
        if not (a.ready and d.ready):
            turn = 0
        key = ((((a.id << 20 | d.id) << 1 | second) << 1 | turn) << 2 | pikes) << 1 | who
        key = key << 6 | elite << 5 | dice
        known = self.known
        found = known.get(key)
        if found is not None:
            return found
        self.nodes += 1
        if self.nodes > self._limit:
            self.nodes -= 1
            raise TooLargeError
        none, panic, elimination = self.results[who * 2 + elite]
        hit = a if who else d
        if hit.losses is None:
            self.armies[1 - who].fill(hit)
        if panic and ((walls and not who) or not hit.soft):
            none, panic = none + panic, 0
        left = dice - 1
        total = 0j
        if none:
            if left:
                total = none * self._roll(second, a, d, turn, pikes, who, elite, left)
            else:
                total = none * self._next(second, a, d, turn, pikes)
        if panic:
            bit = 2 - who  # the side that is hit: 2 the defenders, 1 the attackers
            if hit.pikes and not pikes & bit:
                if left:
                    total += panic * self._roll(second, a, d, turn, pikes | bit, who, elite, left)
                else:
                    total += panic * self._next(second, a, d, turn, pikes | bit)
            else:
                total += panic * self._best_hit(hit.panics, second, a, d, turn, pikes, who, elite, left)
        if elimination:
            total += elimination * self._best_hit(hit.losses, second, a, d, turn, pikes, who, elite, left)
        total /= 6
        known[key] = total
        return total

    def _best_hit(
        self, choices: Any, second: int, a: Units, d: Units, turn: int, pikes: int, who: int, elite: bool, left: int
    ) -> complex:
        """[11.3, 5.2] The best of whom a loss or a panic may take, for the side that is hit."""
        best: complex | None = None
        sign = -1.0 if who == ATTACKER else 1.0  # the side that is hit chooses
        for _, _, after, dead in choices:
            if dead:
                value = self.end(after, d, who, second, 0) if who else self.end(a, after, who, second, 1)
            elif not after.count:
                value = self._over(second, after, d) if who else self._over(second, a, after)
            elif left:
                if who:
                    value = self._roll(second, after, d, turn, pikes, who, elite, left)
                else:
                    value = self._roll(second, a, after, turn, pikes, who, elite, left)
            elif who:
                value = self._next(second, after, d, turn, pikes)
            else:
                value = self._next(second, a, after, turn, pikes)
            if best is None:
                best = value
            else:
                gain = sign * (value.real - best.real)
                if gain > _TIE or (gain >= -_TIE and sign * (value.imag - best.imag) > _TIE):
                    best = value
        assert best is not None
        return best

    # -- a round's start -----------------------------------------------------------------------------------------

    def _start(self, second: int, a: Units, d: Units) -> complex:
        """[11.1] The value of a round's start S: the fixed point V = F(V), because a round without effect comes to S again.

        All else is known or can be, since panics and losses are never undone within a battle. F is piecewise linear (a piece a
        policy), monotone and contracting; it is solved by policy iteration inside a bracket.
        """
        key = ((a.id << 20 | d.id) << 1 | second) << 10 | 32
        found = self.known.get(key)
        if found is not None:
            return found
        self._spend(1)
        graph = _Round(self, second, a, d)
        chances = advantage_chances(self._lead(a, d))
        tops = [(chances[role], graph.next(a, d, role, 0)) for role in (0, 1) if chances[role]]
        found, values = graph.solve(tops)
        self.known[key] = found
        for at, value in zip(graph.keys, values, strict=True):
            if at:
                self.known[at] = value
        return found

    def _lead(self, a: Units, d: Units) -> int:
        """[11.1 ii, 8.2] What the attackers' advantage die is ahead by."""
        return int(a.plus > d.plus) - int(d.plus > a.plus) + self.terms.advantage

    def _mid_advantage(self, at: Position) -> complex:
        """[11.1 iii] Kamehameha's advantage die has fallen, the other one has not."""
        a, d = at.attackers, at.defenders
        ahead = self._lead(a, d) if at.kamehameha == ATTACKER else -self._lead(a, d)
        total = 0j
        for face in range(1, 7):
            lead = at.first + ahead - face
            if lead:
                role = at.kamehameha if lead > 0 else 1 - at.kamehameha
                total += self._next(at.second, a, d, role, 0)
            else:
                total += self._start(at.second, a, d)
        return total / 6

    # -- single steps, for whoever plays battles out -------------------------------------------------------------

    def fired(self, at: Position, kind: UnitType, after: Units) -> Position:
        """Return the position after a unit was named to fire."""
        guns = at.attackers.guns or at.defenders.guns
        turn = at.turn if guns else 1 - at.who
        if at.who:
            return at._replace(stage="roll", defenders=after, turn=turn, elite=kind.elite, dice=kind.dice)
        return at._replace(stage="roll", attackers=after, turn=turn, elite=kind.elite, dice=kind.dice)

    def hit(self, at: Position, after: Units, dead: bool) -> Position | complex:
        """Return the position after a loss or a panic, or the value where it ends the battle."""
        at = at._replace(attackers=after) if at.who else at._replace(defenders=after)
        if dead:
            return self.end(at.attackers, at.defenders, at.who, at.second, 1 - at.who)
        return self._after_die(at)

    def _after_die(self, at: Position) -> Position | complex:
        if at.attackers.count and at.defenders.count:
            return at._replace(stage="roll") if at.dice else self.to_fire(at)
        return self._ended(at)

    def to_fire(self, at: Position) -> Position | complex:
        """Return the position in which the next unit fires, or the next round starts, or the value of the end."""
        a, d, turn = at.attackers, at.defenders, at.turn
        if a.guns or d.guns:
            return at._replace(stage="fire", who=turn if (a, d)[turn].guns else 1 - turn)
        if a.ready or d.ready:
            who = turn if (a, d)[turn].ready else 1 - turn
            return at._replace(stage="fire", who=who, turn=who)
        return self._ended(at)

    def _ended(self, at: Position) -> Position | complex:
        a, d = at.attackers, at.defenders
        self._filled(a, 0)
        self._filled(d, 1)
        if a.upright and d.upright:
            return Position("start", at.second, a.fresh, d.fresh)
        if a.upright and d.count and not (at.second or self.terms.sea):
            return Position("start", 1, a.rallied, d.rallied)
        return self.end(a, d, ATTACKER if a.upright else DEFENDER, at.second)

    def playout(self, at: Position | complex, dice: random.Random) -> complex:
        """Play a battle out by a rule of thumb for both sides, up to a position whose value is known, and return the value.

        The strongest unit fires; the least is lost or panics, one that has fired before one that has not.
        """
        while isinstance(at, Position):
            known = self._lookup(at)
            if known is not None:
                return known
            if at.stage == "start":
                a, d = at.attackers, at.defenders
                role = int(dice.random() >= advantage_chances(self._lead(a, d))[0])
                at = self.to_fire(Position("fire", at.second, a, d, role))
            elif at.stage == "roll":
                at = self._rolled(at, dice.randrange(6))
            elif at.stage == "fire":
                at = self.after(at, max(self.choices(at), key=lambda c: 2 * c[0].dice + c[0].elite))
            else:
                last = sum(g.ready + g.fired for g in (at.defenders, at.attackers)[at.who].groups) == 1
                at = self.after(at, _least(self.choices(at), last))
        return at

    def _lookup(self, at: Position) -> complex | None:
        if at.stage != "start" or at.first:
            return None
        return self.known.get(((at.attackers.id << 20 | at.defenders.id) << 1 | at.second) << 10 | 32)

    def _rolled(self, at: Position, face: int) -> Position | complex:
        none, panic, _ = self.results[at.who * 2 + at.elite]
        hit = (at.defenders, at.attackers)[at.who]
        at = at._replace(dice=at.dice - 1)
        if face >= none + panic:
            return at._replace(stage="lose")
        if face < none or (self.walls and at.who == ATTACKER) or not hit.soft:
            return self._after_die(at)
        bit = 2 - at.who
        if hit.pikes and not at.pikes & bit:
            return self._after_die(at._replace(pikes=at.pikes | bit))
        return at._replace(stage="panic")


def _least(choices: list[Choice], last: bool) -> Choice:
    return min(choices, key=lambda c: _cost(c[0], c[1], last))


def _cost(kind: UnitType, condition: int, last: bool) -> float:
    """What the rule of thumb would rather keep: leaders, elite, guns, pikes; the last unpanicked unit above all."""
    cost = kind.strength + 2.0 * kind.elite + kind.gun + kind.pike + 20.0 * bool(kind.life)
    if condition == PANICKED:
        return cost + (-100.0 if last else 3.0)
    return cost + 0.5 * (condition == READY)


class _Round:
    """The positions of a round before anything has happened in it, as a graph whose values are linear in the round's start.

    Node 0 is the start. A node is a constant (what comes after something has happened) and weighted nodes, or a choice
    between nodes; nodes stand after those that they lead to.
    """

    def __init__(self, solver: BattleSolver, second: int, a: Units, d: Units) -> None:
        self.solver = solver
        self.second = second
        self.nodes: list[tuple[complex, int, tuple[tuple[float, int], ...]]] = [(0j, -1, ())]
        self.keys: list[int] = [0]
        self.index: dict[int, int] = {}

    def next(self, a: Units, d: Units, turn: int, pikes: int) -> int:
        """As `BattleSolver._next`, for a node's number."""
        solver = self.solver
        guns = a.guns or d.guns
        if guns:
            who = turn if (d.guns if turn else a.guns) else 1 - turn
        elif a.ready or d.ready:
            turn = who = turn if (d.ready if turn else a.ready) else 1 - turn
        else:
            return 0
        side = d if who else a
        solver._filled(side, who)
        shots = side.gunshots if guns else side.fires
        after_turn = turn if guns else 1 - who
        if len(shots) > 1:
            if not a.pikes:
                pikes |= 1
            if solver.walls or not d.pikes:
                pikes |= 2
            if not (a.ready and d.ready):
                turn = 0
            key = (((((a.id << 20 | d.id) << 1 | self.second) << 1 | turn) << 2 | pikes) << 1 | who) << 6
            found = self.index.get(key)
            if found is not None:
                return found
        else:
            key = 0
        options: list[int] = []
        for kind, after in shots:
            left, right = (a, after) if who else (after, d)
            options.append(self.roll(left, right, after_turn, pikes, who, kind.elite, kind.dice))
        if not key:
            return options[0]
        return self.add(key, 0j, who, tuple((1.0, i) for i in options))

    def add(self, key: int, constant: complex, who: int, links: tuple[tuple[float, int], ...]) -> int:
        """A new node; who: -1, or the role that chooses."""
        self.solver._spend(1)
        self.index[key] = len(self.nodes)
        self.nodes.append((constant, who, links))
        self.keys.append(key)
        return len(self.nodes) - 1

    def roll(self, a: Units, d: Units, turn: int, pikes: int, who: int, elite: bool, dice: int) -> int:
        """As `BattleSolver._roll`, for a node's number."""
        solver, second = self.solver, self.second
        if not a.pikes:
            pikes |= 1
        if solver.walls or not d.pikes:
            pikes |= 2
        if not (a.ready and d.ready):
            turn = 0
        key = (((((a.id << 20 | d.id) << 1 | second) << 1 | turn) << 2 | pikes) << 1 | who) << 6 | elite << 5 | dice
        found = self.index.get(key)
        if found is not None:
            return found
        none, panic, elimination = solver.results[who * 2 + elite]
        hit = a if who else d
        solver._filled(hit, 1 - who)
        if panic and ((solver.walls and not who) or not hit.soft):
            none, panic = none + panic, 0
        left, links, total = dice - 1, [], 0j
        calm = [(none, pikes)] if none else []
        if panic:
            bit = 2 - who
            if hit.pikes and not pikes & bit:
                calm.append((panic, pikes | bit))
            else:
                total += panic * solver._best_hit(hit.panics, second, a, d, turn, pikes, who, elite, left)
        if elimination:
            total += elimination * solver._best_hit(hit.losses, second, a, d, turn, pikes, who, elite, left)
        for n, after in calm:
            child = self.roll(a, d, turn, after, who, elite, left) if left else self.next(a, d, turn, after)
            links.append((n / 6, child))
        return self.add(key, total / 6, -1, tuple(links))

    def solve(self, tops: list[tuple[float, int]]) -> tuple[complex, list[complex]]:
        """The start's value and those of all nodes; `tops`: what the advantage roll leads to."""
        guess, low, high = 0.5 + 0j, -1e9, 1e9
        for attempt in range(200):
            # Per node the value at the guess, and the value as constant + again * start.
            values, constants, agains = [guess], [0j], [1.0]
            for constant, who, links in self.nodes[1:]:
                if who < 0:
                    again = 0.0
                    for weight, i in links:
                        constant += weight * constants[i]
                        again += weight * agains[i]
                    values.append(constant + again * guess)
                else:
                    best = links[0][1]
                    value = values[best]
                    for _, i in links[1:]:
                        better = self.solver._better(value, values[i], who)
                        if better is not value:
                            best, value = i, better
                    constant, again = constants[best], agains[best]
                    values.append(value)
                constants.append(constant)
                agains.append(again)
            total = sum(weight * constants[i] for weight, i in tops)
            again = sum(weight * agains[i] for weight, i in tops)
            if again >= 1 - 1e-12:
                raise OptionError("this battle never ends: by its results table no die has an effect")
            found = complex(total / (1 - again))
            image = total + again * guess
            off = image.real - guess.real
            same = abs(off) <= 1e-15 and abs(found.imag - guess.imag) <= 1e-12
            if same or (attempt > 60 and abs(off) <= 1e-14):
                return found, [c + p * found for c, p in zip(constants, agains, strict=True)]
            if off > 0:
                low = guess.real
            elif off < 0:
                high = guess.real
            real = found.real if low <= found.real <= high else (low + high) / 2
            guess = complex(real, found.imag)
        raise AssertionError("a fixed point was not found")
