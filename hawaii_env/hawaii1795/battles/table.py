"""Estimates of battles, fast enough to be asked hundreds of times a turn [11.0 to 14.2].

Two, both read from the ruleset in use and both of battles in which either side keeps its best units:

- `BattleTable.odds`: a battle of given units, solved over every die. A side is described by how many units it still has
  unpanicked and panicked; the order in which it gives them up is fixed, so the tree folds into a chain. Milliseconds,
  then remembered.
- `BattleTable.chance`: read off a table of such battles between equal warriors, units counted in warriors.
  Microseconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hawaii_env._arguments import check_kind

from ..ruleset import Ruleset
from .model import advantage_chances, next_role, results_of

__all__ = ["KINDS_OF_BATTLE", "BattleTable", "Fights"]

KINDS_OF_BATTLE = ("open", "walls", "sea")

Matrix = NDArray[np.float64]
Fights = tuple[int, bool, bool, bool, bool]
"""The fighting values of a unit: strength, elite, plus, gunpowder, pike."""

Force = tuple[Fights, ...]
"""Units of a side, the best first, the elite before all others."""

STANDARD: Fights = (2, False, False, False, False)
"""The warrior that forces are measured in."""

SIZE = 8
"""Greatest number of warriors of a side in `quick_tables`."""

MOST = 7
"""Greatest number of units of a side that `odds` solves; of more, the least are left out."""


# -- chains ----------------------------------------------------------------------------------------------------------


@cache
def _states(n: int) -> tuple[tuple[int, int], ...]:
    """Return (unpanicked, panicked) of a side of n units, as far as it can come."""
    return tuple((m, p) for m in range(n + 1) for p in range(n + 1 - m))


@cache
def _index(n: int) -> dict[tuple[int, int], int]:
    return {state: i for i, state in enumerate(_states(n))}


@cache
def _die(n: int, hard: int, panic: float, elimination: float, walls: bool) -> tuple[Matrix, Matrix]:
    """[11.3, 12.0, 13.0] Return the effect of a die on a side of n units, of which the best `hard` are elite.

    Returns two matrices: the die's effect, and that of the same die whose panic a pike cancels [14.1].
    """
    index = _index(n)
    plain, piked = np.zeros((len(index), len(index))), np.zeros((len(index), len(index)))
    for (m, p), i in index.items():
        lost = (m - 1, p) if m else (0, max(p - 1, 0))
        soft = m > min(m, hard)
        if walls or (not soft and not p):
            after = (m, p)
        elif p:
            # Given up for the others' fire: at their best both sides mostly do so, and this comes nearest to their
            # odds.
            after = (m, p - 1)
        else:
            after = (m - 1, p + 1)
        for matrix, then in ((plain, after), (piked, (m, p))):
            matrix[i, index[lost]] += elimination
            matrix[i, index[then]] += panic
            matrix[i, i] += 1.0 - panic - elimination
    return plain, piked


@cache
def _volley(
    n: int, hard: int, panic: float, elimination: float, walls: bool, dice: int, pike: float
) -> tuple[Matrix, float]:
    """Return the effect of a unit's dice, and the chance that a pike is unused after them; `pike`: that it was
    before.
    """
    plain, piked = _die(n, hard, panic, elimination, walls)
    ready, used = np.eye(len(plain)) * pike, np.eye(len(plain)) * (1.0 - pike)
    quiet = 1.0 - panic
    for _ in range(dice):
        # A die without panic leaves the pike ready; its panic is cancelled and uses it.
        without = (piked - panic * np.eye(len(piked))) if panic else piked
        used = used @ plain + panic * ready
        ready = ready @ without
    return ready + used, pike * quiet**dice


def _order(attackers: Force, defenders: Force, first: int) -> list[tuple[int, int]]:
    """[11.1 v-vii, 14.2] Return the order of fire if nobody falls: (role, rank of the unit, 1 the best)."""
    guns, others = (
        [[k + 1 for k, unit in enumerate(side) if unit[3] == gun] for side in (attackers, defenders)]
        for gun in (True, False)
    )
    order: list[tuple[int, int]] = []
    turn = first
    while True:
        firing = guns if guns[0] or guns[1] else others
        who = next_role(turn, *map(bool, guns), *map(bool, others))
        if who < 0:
            return order
        order.append((who, firing[who].pop(0)))
        turn = turn if firing is guns else 1 - who


def _sixths(faces: tuple[int, int, int]) -> tuple[float, float, float]:
    return faces[0] / 6, faces[1] / 6, faces[2] / 6


class BattleTable:
    """Estimates of battles by one ruleset.

    Args:
        ruleset: the ruleset, as `game.ruleset`.
    """

    _made: ClassVar[dict[Any, BattleTable]] = {}

    def __init__(self, ruleset: Any) -> None:
        check_kind("ruleset", ruleset, Ruleset)
        self.chances: list[list[tuple[float, float, float]]] = [
            [_sixths(faces) for faces in row] for row in results_of(ruleset)
        ]
        self.known: dict[Any, float] = {}
        self._tables = {kind: self._table(kind) for kind in KINDS_OF_BATTLE}
        self._chances = {kind: [[cell[0] for cell in row] for row in rows] for kind, rows in self._tables.items()}
        self._powers: dict[Fights, tuple[float, float, float, float]] = {}

    @staticmethod
    def of(ruleset: Any) -> BattleTable:
        """Return the table of a ruleset; rulesets of equal battle results share one."""
        key = results_of(check_kind("ruleset", ruleset, Ruleset))
        if key not in BattleTable._made:
            BattleTable._made[key] = BattleTable(ruleset)
        return BattleTable._made[key]

    def power(self, fights: Fights) -> tuple[float, float, float, float]:
        """Return what a unit is worth in battle, in standard warriors: attacking in the open, attacking walls,
        defending in the open, defending behind walls.

        Args:
            fights: strength, elite, plus, gunpowder, pike.
        """
        found = self._powers.get(fights)
        if found is None:
            values = [self._weigh(fights, role, kind) for role in (0, 1) for kind in ("open", "walls")]
            found = self._powers[fights] = (values[0], values[1], values[2], values[3])
        return found

    # -- quick

    def chance(self, attack: float, defence: float, kind: str = "open") -> float:
        """Return the attackers' chance in a battle of standard warriors.

        Args:
            attack: the attackers' weights, added up, 0 or more.
            defence: the defenders'.
            kind: "open", "walls" (a fort or earthworks) or "sea".
        """
        if attack <= 0.0:
            return 0.0
        if defence <= 0.0:
            return 1.0
        most = max(attack, defence)
        if most > SIZE:
            attack, defence = attack * SIZE / most, defence * SIZE / most
        i, j = min(int(attack), SIZE - 1), min(int(defence), SIZE - 1)
        x, y = attack - i, defence - j
        low, high = self._chances[kind][i], self._chances[kind][i + 1]
        return (1 - x) * ((1 - y) * low[j] + y * low[j + 1]) + x * ((1 - y) * high[j] + y * high[j + 1])

    def quick_tables(self) -> NDArray[np.float64]:
        """Return estimates of battles between standard warriors, float64[3, SIZE + 1, SIZE + 1, 4]: by kind of battle
        (open, walls, sea), attackers and defenders, the attackers' chance, then shares of a force that are left on
        average: of attackers who win, of those who lose, of defenders who win.
        """
        return np.array([self._tables[kind] for kind in KINDS_OF_BATTLE])

    def _table(self, kind: str) -> list[list[list[float]]]:
        """Return the values of `quick_tables` for battles of i against j standard warriors."""
        force, size = (STANDARD,) * SIZE, SIZE
        index, states = _index(size), _states(size)
        chain = _Chain(self.chances, force, force, kind, 0)
        alive = np.array([m + p for m, p in states], float)
        gone = np.array([m == 0 for m, _ in states])
        won = (gone[None, :] & ~gone[:, None]).astype(float)
        lost = (gone[:, None] | gone[None, :]) - won
        ends = (won, won * alive[:, None], lost * alive[:, None], lost * alive[None, :])
        wins, ours, beaten, theirs = (
            chain.value(end, start) for end, start in zip(ends, (0.5, 0.0, 0.0, 0.0), strict=True)
        )
        found: list[list[list[float]]] = []
        for i in range(size + 1):
            row: list[list[float]] = []
            for j in range(size + 1):
                if not i or not j:
                    row.append([float(i > 0 and not j), float(j == 0), 1.0, 1.0])
                    continue
                at = index[i, 0], index[j, 0]
                win = float(wins[at])
                values = [float(ours[at]) / max(win, 1e-9) / i, float(beaten[at]) / max(1 - win, 1e-9) / i]
                row.append([win, *(min(1.0, v) for v in (*values, float(theirs[at]) / max(1 - win, 1e-9) / j))])
            found.append(row)
        return found

    def _weigh(self, unit: Fights, role: int, kind: str) -> float:
        """Return the worth of a unit in standard warriors, by the odds of even battles with it."""
        total = 0.0
        for others in (1, 2, 3):
            mine = (unit, *(STANDARD,) * others)
            # As many enemies as make the battle most even.
            odds: list[tuple[float, int, float]] = []
            for enemies in range(1, SIZE + 1):
                enemy = (STANDARD,) * enemies
                wins = self._odds(*((mine, enemy) if role == 0 else (enemy, mine)), kind, 0)
                odds.append((abs(wins - 0.5), enemies, wins))
                if (wins < 0.5) == (role == 0):
                    break
            _, enemies, wanted = min(odds)
            low, high = 0.0, 5.0
            for _ in range(14):
                middle = (low + high) / 2
                sides = (others + middle, enemies) if role == 0 else (enemies, others + middle)
                if (self.chance(*sides, kind) < wanted) == (role == 0):
                    low = middle
                else:
                    high = middle
            total += (low + high) / 2
        return total / 3

    # -- exact chains

    def odds(
        self,
        attackers: Sequence[Any],
        defenders: Sequence[Any],
        kind: str = "open",
        advantage: int = 0,
        guns: int = 0,
    ) -> float:
        """Return the attackers' chance to take the space, or to win the sea battle.

        Args:
            attackers: their units, any order; of more than MOST the best are taken. A unit has `strength`, `elite`,
                `plus`, `gun`, `pike`, and `worth`: the least is given up first.
            defenders: the same.
            kind: as for `chance`.
            advantage: added to the attackers' advantage rolls by a card.
            guns: dice that a card adds to each of the attackers' gunpowder units.
        """
        if not attackers:
            return 0.0
        if not defenders:
            return 1.0
        ours, theirs = self._force(attackers, guns), self._force(defenders, 0)
        key = ours, theirs, kind, advantage
        found = self.known.get(key)
        if found is None:
            if len(self.known) > 200_000:
                self.known.clear()
            found = self.known[key] = self._odds(ours, theirs, kind, advantage)
        return found

    @staticmethod
    def _force(units: Sequence[Any], guns: int) -> Force:
        ranked = sorted(units, key=lambda u: (u.elite, u.worth), reverse=True)[:MOST]
        return tuple((u.strength + guns * u.gun, u.elite, u.plus, u.gun, u.pike) for u in ranked)

    def _odds(self, ours: Force, theirs: Force, kind: str, advantage: int) -> float:
        ours = tuple(sorted(ours, key=lambda u: u[1], reverse=True))
        theirs = tuple(sorted(theirs, key=lambda u: u[1], reverse=True))
        chain = _Chain(self.chances, ours, theirs, kind, advantage)
        gone = [np.array([m == 0 for m, _ in _states(len(side))]) for side in (ours, theirs)]
        value = chain.value((gone[1][None, :] & ~gone[0][:, None]).astype(float), 0.5)
        return float(value[_index(len(ours))[len(ours), 0], _index(len(theirs))[len(theirs), 0]])


class _Chain:
    """A battle as a chain over the numbers of unpanicked and panicked units of both sides."""

    def __init__(self, chances: Any, ours: Force, theirs: Force, kind: str, advantage: int) -> None:
        sides, size = (ours, theirs), (len(ours), len(theirs))
        self.size, self.kind = size, kind
        walls = kind == "walls"
        hard = [sum(u[1] for u in side) for side in sides]
        piked = [float(any(u[4] for u in side)) for side in sides]
        ready = [np.array([m for m, _ in _states(n)]) for n in size]
        # Volleys in order, for either side's advantage: role, the states that still have the unit, matrix.
        self.plans: list[list[tuple[int, slice, Matrix]]] = []
        for first in (0, 1):
            pikes = [piked[0], 0.0 if walls else piked[1]]
            plan: list[tuple[int, slice, Matrix]] = []
            for role, rank in _order(ours, theirs, first):
                strength, elite = sides[role][rank - 1][:2]
                target = 1 - role
                _none, panic, elimination = chances[role][elite]
                matrix, pikes[target] = _volley(
                    size[target], hard[target], panic, elimination, walls and target == 1, strength, pikes[target]
                )
                # States are sorted by unpanicked units: those that still have the unit are the last ones.
                rows = slice(int(np.searchsorted(ready[role], rank)), None)
                plan.append((role, rows, np.ascontiguousarray(matrix.T) if role == 0 else matrix))
            self.plans.append(plan[::-1])
        plus = [
            np.array([sum(u[2] for u in side[:m]) for m, _ in _states(n)]) for side, n in zip(sides, size, strict=True)
        ]
        lead = plus[0][:, None] - plus[1][None, :]
        chances_ahead = [float(advantage_chances(advantage + (n > 0), int(n < 0))[0]) for n in (-1, 0, 1)]
        self.ahead = np.select([lead > 0, lead < 0], [chances_ahead[2], chances_ahead[0]], chances_ahead[1])
        gone = [np.array([m == 0 for m, _ in _states(n)]) for n in size]
        self.over = gone[0][:, None] | gone[1][None, :]
        left = np.array([p > 0 for _, p in _states(size[1])])
        self.again = ~gone[0][:, None] & (gone[1] & left)[None, :]

    def value(self, end: Matrix, start: float) -> Matrix:
        """Return the worth of every pair of states, by that of the battle's end; `start` is a first guess."""
        value = self._battle(end, start)
        if self.kind == "sea":
            return value
        # [11.4] Where defenders are left after the first battle, all rally and fight again.
        rallied = [[_index(n)[m + p, 0] for m, p in _states(n)] for n in self.size]
        second = np.where(self.again, value[np.ix_(rallied[0], rallied[1])], end)
        return self._battle(second, start)

    def _battle(self, end: Matrix, start: float) -> Matrix:
        value = np.where(self.over, end, start)
        root = _index(self.size[0])[self.size[0], 0], _index(self.size[1])[self.size[1], 0]
        before = -1.0
        for _ in range(40):
            results: list[Matrix] = []
            for plan in self.plans:
                v = value.copy()
                for role, rows, matrix in plan:
                    if role == 0:
                        v[rows] = v[rows] @ matrix
                    else:
                        v[:, rows] = matrix @ v[:, rows]
                results.append(v)
            value = np.where(self.over, end, self.ahead * results[0] + (1.0 - self.ahead) * results[1])
            now = float(value[root])
            if abs(now - before) < 1e-4:
                break
            before = now
        return value
