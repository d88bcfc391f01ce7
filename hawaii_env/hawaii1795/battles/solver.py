"""Values of a battle's positions: exact over every die and choice, or by playing battles out."""

from __future__ import annotations

import gc
import random
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeAlias, cast

from hawaii_env.errors import OptionError

from .model import ATTACKER, CHANCE, END, FIRING, LOSE, PANIC, ROLL, START, BattleModel, Node

__all__ = ["POLICIES", "Ends", "Solver", "TooLargeError", "Value", "simulate"]

POLICIES = ("optimal", "simple", "random")
"""Policies of a side: choose for the best chance of winning, by a rule of thumb, or at random."""

Value: TypeAlias = tuple[Any, Any, Any]
"""The value that the attackers maximise and the defenders minimise; and two numbers whose difference (the
second less the first) breaks ties. Of the odds: the attackers' chance, the losses of the attackers, of the
defenders.
"""

Ends: TypeAlias = Callable[[Node], Value]
"""The function that values a finished battle."""

_TIE = 1e-14
_HIT = (LOSE, PANIC)
_CALM = (FIRING, ROLL)


class TooLargeError(Exception):
    """More positions than were allowed."""


class Solver:
    """Values of a model's positions, memoised.

    Panics and losses are never undone within a battle, so the only way back to a position is a round in which nothing
    happened. A round's start S therefore has V(S) = F(V(S)) with all else known: F is monotone, piecewise linear (a
    piece a choice of policies) and contracting. It is solved by policy iteration, kept within a bracket.

    Attributes:
        nodes: positions looked at: starts of rounds, dice, and choices of two or more units to fire.

    Args:
        model: the battle.
        policies: of the attacker and of the defender, of POLICIES.
        max_nodes: positions allowed for each call of `solve`.
        number: float, or Fraction for a value without any rounding (small battles only).
        ends: what a battle that is over is worth; None: to the odds.
        tie: values this near are equal, with floats.
    """

    def __init__(
        self,
        model: BattleModel,
        policies: tuple[str, str] = ("optimal", "optimal"),
        max_nodes: int = 10**9,
        number: Any = float,
        ends: Ends | None = None,
        tie: float = _TIE,
    ) -> None:
        self.model = model
        self.policies = policies
        self.max_nodes = max_nodes
        self.number = number
        self.ends: Ends = self._odds if ends is None else ends
        self.tie: float = 0 if number is Fraction else tie
        self.known: dict[Node, Value] = {}
        self.nodes: int = 0
        self.residual: float = 0.0  # greatest error of a fixed point
        self.returning: float = 0.0  # greatest chance that nothing happens in a round
        self._limit: int = max_nodes
        self._optimal: bool = policies == ("optimal", "optimal")

    def _odds(self, node: Node) -> Value:
        ours, theirs = self.model.losses(node)
        return self.number(node[6] == ATTACKER), self.number(ours), self.number(theirs)

    def solve(self, node: Node, max_nodes: int | None = None) -> Value:
        """Return the value of a position.

        Args:
            node: the position.
            max_nodes: positions that may be looked at for it beyond those that are known; None is the solver's own
                number.

        Raises:
            TooLargeError: it takes more. What was solved on the way is kept.
            OptionError: no die has any effect, so the battle would never end.
        """
        self._limit = self.nodes + (self.max_nodes if max_nodes is None else max_nodes)
        limit, collecting = sys.getrecursionlimit(), gc.isenabled()
        sys.setrecursionlimit(max(limit, 200_000))
        # Nothing here is garbage in cycles, and to look for it takes a fifth of the time.
        gc.disable()
        try:
            return self.value(node)
        finally:
            sys.setrecursionlimit(limit)
            if collecting:
                gc.enable()

    def error(self, root: Node) -> float:
        """Return a bound of the error of the attackers' chance by rounding and by ties taken for equal."""
        units = len(root[2]) + len(root[3])
        dice = sum(n * side.types[i].count for side in self.model.sides for i, n in enumerate(side.dice))
        changes = 2 * units * (1 if self.model.sea else 2) + 1
        steps = changes * (units + 2 * dice) / (1 - self.returning)
        return 0.0 if self.number is Fraction else changes * self.residual + steps * (self.tie + 4e-16)

    def spend(self) -> None:
        """Count a position that is looked at."""
        if self.nodes >= self._limit:
            raise TooLargeError
        self.nodes += 1

    def value(self, node: Node) -> Value:
        """Return the value of a position."""
        found = self.known.get(node)
        return self.find(node) if found is None else found

    def find(self, node: Node) -> Value:
        """Return the value of a position that is not known. Losses and panics are not noted: each comes of one die,
        whose position is.
        """
        stage = node[0]
        if stage == ROLL:
            self.spend()
            found = self.mean(self.model.rolled(node))
        elif stage == FIRING:
            after = self.model.shots(node)
            if len(after) > 1:
                self.spend()
            found = self._chosen(node, node[6], after)
        elif stage == END:
            found = self.ends(node)
        elif stage == START:
            self.spend()
            found = self.mean(self.model.expand(node)[1]) if node[8] else _Round(self, node).solve()
        else:
            return self.hit(node)
        self.known[node] = found
        return found

    def mean(self, weighted: list[tuple[int, Node]]) -> Value:
        """Return the mean of positions with whole weights."""
        known, new = self.known.get, self.find
        total = 0
        x = y = z = 0
        for n, child in weighted:
            a, b, c = self.hit(child) if child[0] in _HIT else known(child) or new(child)
            total += n
            x += n * a
            y += n * b
            z += n * c
        if self.number is Fraction:
            total = Fraction(total)
        return x / total, y / total, z / total

    def hit(self, node: Node) -> Value:
        """Return the value of a loss or a panic."""
        return self._chosen(node, 1 - node[6], self.model.hits(node))

    def _chosen(self, node: Node, who: int, after: list[Node]) -> Value:
        """Return the value of the choice that a side's policy takes; under "random" the mean."""
        known, new = self.known.get, self.find
        if not self._optimal and len(after) > 1:
            if self.policies[who] == "random":
                return self.mean([(1, child) for child in after])
            if self.policies[who] == "simple":
                return self.value(after[self.model.choose(node, who)])
        best, tie = known(after[0]) or new(after[0]), self.tie
        for i in range(1, len(after)):
            child = after[i]
            value = known(child) or new(child)
            gain = best[0] - value[0] if who else value[0] - best[0]
            if gain > tie:
                best = value
            elif gain >= -tie:
                # As likely to win: what costs the enemy more and itself less.
                margin = value[2] - value[1] - best[2] + best[1]
                if (-margin if who else margin) > tie:
                    best = value
        return best

    def better(self, value: Value, best: Value, who: int) -> bool:
        """Return True if a side takes a value rather than another; of equals it takes what costs the enemy more and
        itself less.
        """
        gain = value[0] - best[0] if who == ATTACKER else best[0] - value[0]
        if gain > self.tie:
            return True
        margin = value[2] - value[1] - best[2] + best[1]
        return gain >= -self.tie and (margin if who == ATTACKER else -margin) > self.tie


class _Round:
    """The positions of a round before anything has happened in it, as a graph whose values are linear in the round's
    start.

    Node 0 is the start. A node is a constant (what comes after something has happened) and weighted nodes, or a choice
    between nodes; nodes stand after those that they lead to.
    """

    def __init__(self, solver: Solver, start: Node) -> None:
        self.solver = solver
        self.start = start
        self.nodes: list[tuple[Value, int, list[tuple[Any, int]]]] = []
        self.keys: list[Node] = [start]
        self.index: dict[Node, int] = {start: 0}
        self.nodes.append(((0, 0, 0), CHANCE, []))
        self.top: tuple[Value, list[tuple[Any, int]]] = self._mixed(solver.model.expand(start)[1])

    def _mixed(self, weighted: list[tuple[int, Node]]) -> tuple[Value, list[tuple[Any, int]]]:
        """Return a mean with whole weights, as a constant and weighted nodes."""
        solver, index, start = self.solver, self.index, self.start
        known, new, hit = solver.known.get, solver.find, solver.hit
        total = 0
        x = y = z = 0
        links: list[tuple[Any, int]] = []
        for n, child in weighted:
            total += n
            stage = child[0]
            if stage in _HIT:
                a, b, c = hit(child)
            elif stage in _CALM or child == start:
                at = index.get(child)
                links.append((n, self._visit(child) if at is None else at))
                continue
            else:
                a, b, c = known(child) or new(child)
            x += n * a
            y += n * b
            z += n * c
        total = solver.number(total)
        return (x / total, y / total, z / total), [(n / total, at) for n, at in links]

    def _visit(self, node: Node) -> int:
        """Return the number of a position that has none yet."""
        solver, who = self.solver, CHANCE
        if node[0] == ROLL:
            constant, links = self._mixed(solver.model.rolled(node))
        else:
            after = solver.model.shots(node)
            policy = solver.policies[node[6]]
            taken = 0 if len(after) == 1 else -1
            if taken < 0 and policy == "simple":
                taken = solver.model.choose(node, node[6])
            if taken >= 0:
                child = after[taken]
                at = self.index.get(child)
                self.index[node] = at = self._visit(child) if at is None else at
                return at
            if policy == "optimal":
                who = node[6]
            constant, links = self._mixed([(1, child) for child in after])
        solver.spend()
        at = self.index[node] = len(self.nodes)
        self.nodes.append((constant, who, links))
        self.keys.append(node)
        return at

    def solve(self) -> Value:
        """Return the start's value; those of all nodes are noted in the solver."""
        solver, number = self.solver, self.solver.number
        (wins, ours, theirs), links = self.top
        guess: Value = (1 / number(2), number(0), number(0))
        low, high = number(-(10**9)), number(10**9)
        for attempt in range(200):
            lines = self._lines(guess)
            total = [wins, ours, theirs]
            again = number(0)
            for weight, i in links:
                line = lines[i]
                again += weight * line[3]
                for k in range(3):
                    total[k] += weight * line[k]
            if again >= 1 - solver.tie:
                raise OptionError("this battle never ends: by its results table no die has an effect")
            found: Value = cast(Value, tuple(x / (1 - again) for x in total))
            image = total[0] + again * guess[0]
            off = abs(float(image - guess[0]))
            same = off <= 1e-15 and abs(found[1] - guess[1]) + abs(found[2] - guess[2]) <= 1e-12
            if same or (attempt > 60 and off <= 1e-14):
                solver.residual = max(solver.residual, off / float(1 - again))
                solver.returning = max(solver.returning, float(again))
                x, y, z = found
                for key, (a, b, c, p) in zip(self.keys[1:], lines[1:], strict=True):
                    solver.known[key] = a + p * x, b + p * y, c + p * z
                return found
            if image > guess[0]:
                low = guess[0]
            elif image < guess[0]:
                high = guess[0]
            wanted = found[0] if low <= found[0] <= high else (low + high) / 2
            guess = (wanted, found[1], found[2])
        raise AssertionError("a fixed point was not found")

    def _lines(self, guess: Value) -> list[tuple[Any, Any, Any, Any]]:
        """Return each node's value as a constant and the weight of the start's value, with the choices that are best at
        a guess.
        """
        gx, gy, gz = guess
        solver = self.solver
        lines: list[tuple[Any, Any, Any, Any]] = [(0, 0, 0, 1)]
        for (x, y, z), who, links in self.nodes[1:]:
            if who < 0:
                again = 0
                for weight, i in links:
                    a, b, c, p = lines[i]
                    x += weight * a
                    y += weight * b
                    z += weight * c
                    again += weight * p
                lines.append((x, y, z, again))
                continue
            line = lines[links[0][1]]
            best: Value = (line[0] + line[3] * gx, line[1] + line[3] * gy, line[2] + line[3] * gz)
            for _, i in links[1:]:
                a, b, c, p = lines[i]
                value = a + p * gx, b + p * gy, c + p * gz
                if solver.better(value, best, who):
                    line, best = lines[i], value
            lines.append(line)
        return lines


def simulate(
    model: BattleModel, root: Node, policies: tuple[str, str], samples: int, seed: int | str, ends: Ends | None = None
) -> tuple[list[float], int]:
    """Play battles of the model out; return the mean of what their ends are worth, and the positions that were met.

    Args:
        model: the battle.
        root: where it stands.
        policies: of the attacker and of the defender; "optimal" is played as "simple".
        samples: how many battles.
        seed: of the dice and of random choices.
        ends: what a battle that is over is worth; None: the attackers' wins, the losses of either side.
    """
    dice = random.Random(seed)
    known: dict[Node, tuple[int, list[tuple[Any, Node]], int]] = {}
    sums: list[float] = [0, 0, 0]
    worth: Ends = Solver(model).ends if ends is None else ends
    for _ in range(samples):
        node = root
        while node[0] != END:
            found = known.get(node)
            if found is None:
                who, choices = model.expand(node)
                total = sum(n for n, _ in choices) if who == CHANCE else -1
                if who != CHANCE and policies[who] != "random":
                    total = model.choose(node, who)
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
        for k, x in enumerate(worth(node)):
            sums[k] += x
    return [x / samples for x in sums], len(known)
