"""Plans for all units of a power at once: who goes where, who supports it; and what a position is worth."""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import lru_cache

from hawaii_env.heiau.adjudicator import (
    ARMY,
    BOATS,
    BUNCH,
    FLEET,
    HOLD,
    MOVE,
    POST,
    SUPPORT,
    Board,
    Order,
    Sight,
    Unit,
    bits,
)

__all__ = ["Chart", "Scene", "make_plan", "worth"]

FADE = 0.55
"""What a goal one move farther is worth."""

STANDING = 6.0
"""What it is worth to stand on a centre that one does not own, before Fall is over; an owned centre is worth 10."""


class Chart:
    """Distances on a board: how many moves a unit needs to a space, boats built on the way included."""

    def __init__(self, board: Board) -> None:
        self.board = board
        size = len(board.spaces)
        self.near: dict[tuple[int, int], list[float]] = {}
        ahead: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for place, space in enumerate(board.space_of):
            for kind in (ARMY, BUNCH, FLEET):
                if not board.can_stand(kind, place):
                    continue
                steps = [(kind, end) for end in board.moves[kind][place]]
                if kind == BUNCH:
                    steps = [
                        (ARMY, end) if board.inland[place] >> board.space_of[end] & 1 else (BUNCH, end)
                        for _, end in steps
                    ]
                elif kind == ARMY and board.kind[space] == "coast":
                    steps += [(BUNCH, end) for end in board.standing(space)]
                ahead[kind, place] = steps
        for start in ahead:
            found = [0.0] * size
            seen, ring, weight = {start}, [start], 1.0
            while ring:
                for _, place in ring:
                    found[board.space_of[place]] = max(found[board.space_of[place]], weight)
                ring = list(dict.fromkeys(end for at in ring for end in ahead[at] if end not in seen))
                seen.update(ring)
                weight *= FADE
            self.near[start] = found


@lru_cache(maxsize=8)
def chart_of(board: Board) -> Chart:
    """Return a board's chart, made once."""
    return Chart(board)


class Scene:
    """A position before a movement phase, as planning needs it.

    Args:
        board: the board.
        units, owners: by space.
        supply: mask of heiaus and posts.
        posts_open: powers that may still build a post.
        fall: whether it is Fall.
    """

    def __init__(
        self,
        board: Board,
        units: Mapping[int, Unit],
        owners: Mapping[int, int],
        supply: int,
        posts_open: frozenset[int],
        fall: bool,
    ) -> None:
        self.board: Board = board
        self.units: Mapping[int, Unit] = units
        self.owners: Mapping[int, int] = owners
        self.supply: int = supply
        self.fall: bool = fall
        self.posts_open: frozenset[int] = posts_open
        self.chart: Chart = chart_of(board)
        self.sight: Sight = Sight(board, units, ~supply, posts_open)
        self.reached: list[list[int]] = [[] for _ in board.spaces]  # who can go to each space
        for space, unit in units.items():
            for end in bits(board.reach[unit.kind][unit.place]):
                self.reached[end].append(space)

    def goals(self, power: int) -> dict[int, float]:
        """What centres are worth to a power: others' and nobody's more than its own, threatened ones more."""
        found: dict[int, float] = {}
        for space in bits(self.supply):
            owner = self.owners.get(space, -1)
            threats = sum(self.units[one].power != power for one in self.reached[space])
            standing = self.units.get(space)
            if owner != power:
                found[space] = 10.0 if owner < 0 else 11.0
            elif standing is not None and standing.power != power:
                found[space] = 12.0
            else:
                found[space] = 2.0 + 2.0 * min(threats, 2)
        return found


def _pull(chart: Chart, kind: int, place: int, goals: Mapping[int, float], taken: set[int]) -> float:
    """How good it is to be somewhere, by what is near."""
    near = chart.near[kind, place]
    best = total = 0.0
    for space, weight in goals.items():
        value = weight * near[space] * (0.3 if space in taken else 1.0)
        total += value
        best = max(best, value)
    return best + 0.15 * total


class _Plan:
    """The making of one plan."""

    def __init__(self, scene: Scene, power: int, choose: random.Random, noise: float) -> None:
        self.scene, self.power, self.choose, self.noise = scene, power, choose, noise
        self.board = scene.board
        self.goals = scene.goals(power)
        self.free: list[int] = [space for space, unit in scene.units.items() if unit.power == power]
        self.orders: dict[int, Order] = {}
        self.taken: set[int] = set()

    def _kind_after(self, unit: Unit, place: int) -> int:
        return (
            ARMY
            if unit.kind == BUNCH and self.board.inland[unit.place] >> self.board.space_of[place] & 1
            else unit.kind
        )

    def _rivals(self, at: int, but: int) -> int:
        return sum(self.scene.units[one].power != self.power and one != but for one in self.scene.reached[at])

    def _score(self, space: int, place: int) -> float:
        """What it is worth to send a unit to a place, or to leave it there; supports not yet counted."""
        scene, board, unit = self.scene, self.board, self.scene.units[space]
        at = board.space_of[place]
        if at in self.taken:
            return -1e9
        score = _pull(scene.chart, self._kind_after(unit, place), place, self.goals, self.taken)
        # A goal in the target itself is got now, or after it has been held in Fall.
        score += self.goals.get(at, 0.0) * (0.6 if scene.fall else 0.35)
        if at == space:
            return score + (0.8 if self._rivals(at, space) else 0.0)
        there = scene.units.get(at)
        if there is not None and there.power == self.power:
            score -= 100.0 if self.orders.get(at, Order(HOLD)).verb != MOVE and at not in self.free else 5.0
        elif there is not None:
            score -= 2.0
        if self._kind_after(unit, place) != unit.kind:
            score -= 0.6
        if scene.fall and self.scene.owners.get(space, -1) == self.power and self._rivals(space, -1):
            score -= 1.5
        return score

    def _best(self, space: int) -> tuple[float, int]:
        unit = self.scene.units[space]
        found = [(self._score(space, place), place) for place in (unit.place, *self.board.moves[unit.kind][unit.place])]
        return max((score + self.choose.gauss(0, self.noise), place) for score, place in found)

    def _helpers(self, space: int, at: int) -> list[int]:
        found: list[tuple[float, int]] = []
        for one in self.free:
            if one != space and self.scene.sight.supports(one).get(space, 0) >> at & 1:
                unit = self.scene.units[one]
                burns = unit.kind == BUNCH and self.board.inland[unit.place] >> at & 1
                found.append((self._best(one)[0] + (1.0 if burns else 0.0), one))
        return [one for _, one in sorted(found)]

    def make(self) -> dict[int, Order]:
        """Return an order for each unit of the power."""
        while self.free:
            (score, place), space = max((self._best(space), space) for space in self.free)
            self.free.remove(space)
            unit, at = self.scene.units[space], self.board.space_of[place]
            post = self.scene.sight.post(space)
            if post and not (at in self.goals and at != space):
                self.orders[space] = Order(POST)
            elif at == space:
                self._stay(space, unit)
            else:
                self._go(space, unit, place, at, score)
        return self.orders

    def _stay(self, space: int, unit: Unit) -> None:
        """Hold, help somebody, or build boats where they lead farther."""
        self.taken.add(space)
        boats = self.scene.sight.boats(space)
        if boats:
            by_land = max(
                (_pull(self.scene.chart, ARMY, p, self.goals, self.taken) for p in self.board.moves[ARMY][unit.place]),
                default=0.0,
            )
            by_boat = max(_pull(self.scene.chart, BUNCH, p, self.goals, self.taken) for p in boats)
            if by_boat > by_land + self.choose.gauss(0, self.noise):
                self.orders[space] = Order(
                    BOATS, -1, max(boats, key=lambda p: _pull(self.scene.chart, BUNCH, p, self.goals, self.taken))
                )
                return
        self.orders[space] = self._help(space)

    def _help(self, space: int) -> Order:
        """Support the move or stand of one's own that is most in doubt, without burning boats."""
        best, found = 0.0, Order(HOLD)
        unit = self.scene.units[space]
        for source, targets in self.scene.sight.supports(space).items():
            other, order = self.scene.units[source], self.orders.get(source)
            if other.power != self.power or order is None:
                continue
            at = self.board.space_of[order.target] if order.verb == MOVE else source
            if not targets >> at & 1 or (unit.kind == BUNCH and self.board.inland[unit.place] >> at & 1):
                continue
            doubt = self._rivals(at, -1) * (1.0 + self.goals.get(at, 0.0))
            if doubt > best:
                best, found = doubt, Order(SUPPORT, source, at)
        return found

    def _go(self, space: int, unit: Unit, place: int, at: int, score: float) -> None:
        """Go there, with as many helpers as it needs; else where nobody needs be driven out."""
        there = self.scene.units.get(at)
        hostile = there is not None and there.power != self.power
        wanted = min(2, self._rivals(at, at)) + hostile if at in self.goals or hostile else 0
        helpers = self._helpers(space, at)[: min(wanted, 2)] if wanted else []
        if hostile and not helpers and self.choose.random() < 0.85:
            # In vain alone: the next best that is not held against it.
            unit_places = [
                p for p in self.board.moves[unit.kind][unit.place] if self.board.space_of[p] not in self.scene.units
            ]
            options = [
                (self._score(space, p) + self.choose.gauss(0, self.noise), p) for p in (unit.place, *unit_places)
            ]
            place = max(options)[1]
            at = self.board.space_of[place]
            if at == space:
                self._stay(space, unit)
                return
        self.taken.add(at)
        self.orders[space] = Order(MOVE, -1, place)
        for helper in helpers:
            if at == self.board.space_of[self.orders[space].target]:
                self.free.remove(helper)
                self.taken.add(helper)
                self.orders[helper] = Order(SUPPORT, space, at)


def make_plan(scene: Scene, power: int, choose: random.Random, noise: float = 0.0) -> dict[int, Order]:
    """Return orders for all units of a power; with more noise they differ more from draw to draw."""
    return _Plan(scene, power, choose, noise).make()


def worth(
    board: Board,
    units: Mapping[int, Unit],
    owners: Mapping[int, int],
    supply: int,
    fall: bool,
    powers: int,
    lost: Mapping[int, int],
    victory: int,
) -> list[float]:
    """Return what a position after a movement phase is worth to each power.

    Args:
        fall: whether the phase was Fall's: centres are owned by who stands on them then.
        lost: dislodged units, by power.
        victory: centres that win.
    """
    chart = chart_of(board)
    owned = dict(owners)
    if fall:
        owned.update({space: unit.power for space, unit in units.items() if supply >> space & 1})
    value = [0.0] * powers
    counts = [0] * powers
    for owner in owned.values():
        value[owner] += 10.0
        counts[owner] += 1
    for space, unit in units.items():
        power = unit.power
        value[power] += 1.0
        near = chart.near[unit.kind, unit.place]
        pulls = sorted((near[s] for s in bits(supply) if owned.get(s, -1) != power), reverse=True)[:3]
        value[power] += 1.2 * sum(pulls)
        owner = owned.get(space, -1)
        if supply >> space & 1 and owner != power:
            value[power] += STANDING
            if owner >= 0:
                value[owner] -= STANDING
    for power, count in lost.items():
        value[power] -= 2.5 * count
    for power, count in enumerate(counts):
        if fall and count >= victory:
            value[power] += 200.0
        value[power] += max(0, count - victory + 3) * 3.0
    total = sum(value)
    return [own - (total - own) / max(1, powers - 1) for own in value]
