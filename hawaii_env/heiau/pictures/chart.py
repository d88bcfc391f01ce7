"""Places of what is drawn: spaces as cells of islands, names where they cover nothing, orders as arrows.

Everything follows from the positions and borders in the ruleset's map, so that another map needs no drawing.
"""

from __future__ import annotations

import math
from functools import cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hawaii_env.heiau.models import Coast
from hawaii_env.heiau.ruleset import Ruleset
from hawaii_env.render.coasts import outline
from hawaii_env.render.placing import Point, within

__all__ = ["HEAD", "SHORE", "Arrow", "Chart", "chart_of"]

HEAD = 56.0
"""Height of the line above the map."""

SHORE = 27.0
"""The distance to which land without a coast of its own reaches beyond the middle of its spaces."""

UNIT = 18.0
"""Radius of a unit."""

NAME = 15.0
"""Size of the names' letters; half the width of one is a quarter of it."""

MARGIN = 14.0
"""Room below the southernmost coast."""


class Arrow(NamedTuple):
    """An order as it is drawn.

    Attributes:
        kind: "move", "via", "support", "convoy", "hold" or "build".
        line, head: paths of SVG; `head` is filled.
        tip: where a failed order gets its mark.
    """

    kind: str
    line: str
    head: str
    tip: Point


class Chart:
    """The map of a ruleset as a picture.

    Args:
        rules: the ruleset.

    Attributes:
        at: the middle of each place, coasts included.
        size: width and height of the picture.
        coasts: the outline of each island that has one.
        cells: the corners of each land space, without regard to coasts.
        ways: the borders on land.
        trails: those that no shared edge of two cells shows.
        ridges: shared edges that are no border.
        centres: where the heiau or post of each land space stands, on its land beside its unit.
        outs: where a dislodged unit of each land space stands.
        names: of each space its label's middle, and the text.
    """

    def __init__(self, rules: Ruleset) -> None:
        self.rules = rules
        board = rules.board
        self.at: dict[str, Point] = {}
        for space in rules.spaces:
            self.at[space.id] = (space.x, space.y + HEAD)
            for coast, (x, y) in space.coasts.items():
                self.at[f"{space.id}/{coast}"] = (x, y + HEAD)
        self.coasts: dict[str, list[Point]] = {island: _coast(one) for island, one in rules.coasts.items()}
        south = max((y for coast in self.coasts.values() for _, y in coast), default=0.0)
        self.size: Point = (rules.size[0], max(rules.size[1] + HEAD, math.ceil(south + MARGIN)))
        self.islands: dict[str, str] = {space.id: space.island for space in rules.spaces}
        self.land: list[str] = [s for i, s in enumerate(board.spaces) if board.is_land(i)]
        self.ways: list[tuple[str, str]] = [
            (one, other)
            for a, one in enumerate(board.spaces)
            for b, other in enumerate(board.spaces)
            if a < b and board.land[a] >> b & 1
        ]
        self.lanes: list[tuple[str, str, bool]] = [
            (one, other, bool((board.oceans >> board.space_of[a] | board.oceans >> board.space_of[b]) & 1))
            for a, one in enumerate(board.places)
            for b, other in enumerate(board.places)
            if a < b
            and board.water[a] >> b & 1
            and "sea" in (board.kind[board.space_of[a]], board.kind[board.space_of[b]])
        ]
        self.cells: dict[str, list[Point]] = {one: self._cell(one) for one in self.land}
        shared = self._edges()
        self.trails: list[tuple[str, str]] = [pair for pair in self.ways if frozenset(pair) not in shared]
        borders = set(map(frozenset, self.ways))
        self.ridges: list[tuple[Point, Point]] = [edge for pair, edge in shared.items() if pair not in borders]
        self.at |= {one: self._ashore(one) for one in self.land}
        self.centres: dict[str, Point] = {one: self._beside(one, 14, 9, (27, -17)) for one in self.land}
        self.outs: dict[str, Point] = {
            one: self._beside(one, UNIT, UNIT, (-22, -20), self.centres[one]) for one in self.land
        }
        self.names: dict[str, tuple[Point, str]] = self._labels()

    def _ashore(self, one: str) -> Point:
        """Return the middle of a land space, moved as little as its unit needs to stand on its land."""
        x, y = self.at[one]
        shift = np.array([(0.0, 0.0), *_circle(4), *_circle(8), *_circle(12), *_circle(16)])
        off = self._off(one, shift + np.array((x, y)), UNIT, UNIT)
        u, v = shift[np.argmin(3 * np.maximum(off - 0.06, 0) + np.hypot(*shift.T) / 40)]
        return x + float(u), y + float(v)

    def _beside(self, one: str, wide: float, high: float, wish: Point, *taken: Point) -> Point:
        """Return the place beside a space's unit, of some around it, where something of this size is most on its land,
        and least under other units and what stands on `taken`.
        """
        x, y = self.at[one]
        spots = np.array([*_circle(27), *_circle(30), *_circle(34)]) + np.array((x, y))
        units = [point for place, point in self.at.items() if self._stands(place)]
        near = sum(np.maximum(0.0, 32 - np.hypot(*(spots - unit).T)) for unit in (*units, *taken, *taken))
        far = np.hypot(*(spots - (x + wish[0], y + wish[1])).T)
        best = spots[np.argmin(100 * self._off(one, spots, wide, high) + 2 * near + 0.1 * far)]
        return round(float(best[0]), 1), round(float(best[1]), 1)

    def _off(self, one: str, spots: NDArray[np.float64], wide: float, high: float) -> NDArray[np.float64]:
        """Return how much of a shape of this half width and height, around each spot, is off a space's land."""
        offs = np.stack(np.meshgrid(np.linspace(-wide, wide, 7), np.linspace(-high, high, 5)), -1).reshape(-1, 2)
        points = (spots[:, None] + offs).reshape(-1, 2)
        on = within(points, self.cells[one])
        if self.islands[one] in self.coasts:
            on = (on + 3.0 * within(points, self.coasts[self.islands[one]])) / 4
        return 1.0 - on.reshape(len(spots), -1).mean(1)

    def _edges(self) -> dict[frozenset[str], tuple[Point, Point]]:
        """Return the edges that two cells share within a coast."""
        found: dict[frozenset[str], tuple[Point, Point]] = {}
        for one, other in combinations(self.land, 2):
            coast = self.coasts.get(self.islands[one])
            if coast is None or self.islands[one] != self.islands[other]:
                continue
            mine, theirs = self.cells[one], self.cells[other]
            common = [point for point in mine if any(math.dist(point, far) < 0.01 for far in theirs)]
            if len(common) == 2:
                (x, y), (u, v) = common
                along = [(x + t / 40 * (u - x), y + t / 40 * (v - y)) for t in range(41)]
                if within(along, coast).sum() > 1:
                    found[frozenset((one, other))] = common[0], common[1]
        return found

    def _cell(self, one: str) -> list[Point]:
        """Return the box of a coast, or a square around a land space, cut half-way to each neighbour on the island."""
        x, y = self.at[one]
        reach = 2.4 * SHORE
        around = self.coasts.get(self.islands[one], [(x - reach, y - reach), (x + reach, y + reach)])
        left, right = min(u for u, _ in around), max(u for u, _ in around)
        top, bottom = min(v for _, v in around), max(v for _, v in around)
        corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
        for other in self.land:
            if other == one or self.islands[other] != self.islands[one]:
                continue
            u, v = self.at[other]
            nx, ny = u - x, v - y
            limit = (u * u + v * v - x * x - y * y) / 2
            corners = _cut(corners, nx, ny, limit)
        return corners

    def _labels(self) -> dict[str, tuple[Point, str]]:
        """Return each name below, above or beside its space, where it meets the fewest units, heiaus and other names; a
        sea's beside the islands.
        """
        rules = self.rules
        taken = [(x - UNIT, y - UNIT, x + UNIT, y + UNIT) for place, (x, y) in self.at.items() if self._stands(place)]
        taken += [(x - 13, y - 10, x + 13, y + 9) for x, y in (self.centres[s.id] for s in rules.spaces if s.heiau)]
        found: dict[str, tuple[Point, str]] = {}
        boxes: dict[str, tuple[float, float, float, float]] = {}
        ashore = cache(self._on_land)
        for _ in range(3):  # what was placed early moves out of the way of what came later
            for space in rules.spaces:
                text, sea = space.name.replace(" Channel", " Ch."), space.kind == "sea"
                tries = self._tries(space.id, text)
                left, top, right, bottom = (
                    pick(box[n] for _, box, _ in tries) for n, pick in enumerate((min, min, max, max))
                )
                others = [box for name, box in boxes.items() if name != space.id] + taken
                near = [box for box in others if box[0] < right and box[2] > left and box[1] < bottom and box[3] > top]
                _, point, boxes[space.id] = min(
                    (2 * _overlap(box, near, self.size) + cost + (15 * ashore(box) if sea else 0), point, box)
                    for point, box, cost in tries
                )
                found[space.id] = point, text
        return found

    def _on_land(self, box: tuple[float, float, float, float]) -> int:
        """Return how many points of a label, of five, are on an island."""
        y = (box[1] + box[3]) / 2
        points = [(box[0] + part / 4 * (box[2] - box[0]), y) for part in range(5)]
        ashore = sum(int(within(points, coast).sum()) for coast in self.coasts.values())
        if ashore:
            return ashore
        ways = [
            (a, b)
            for a, b in [*self.ways, *zip(self.land, self.land, strict=True)]
            if self.islands[a] not in self.coasts
        ]
        return sum(any(_away(point, self.at[a], self.at[b]) < SHORE for a, b in ways) for point in points)

    def _stands(self, place: str) -> bool:
        return "/" in place or not any(other.startswith(f"{place}/") for other in self.at)

    def _tries(self, space: str, text: str) -> list[tuple[Point, tuple[float, float, float, float], float]]:
        x, y = self.at[space]
        half = NAME / 4 * len(text) + 2
        below, above = UNIT + NAME, -UNIT - 7.0
        coasts = [self.at[place][1] for place in self.at if place.startswith(f"{space}/")]
        if coasts:
            below, above = max(coasts) - y + UNIT + NAME, min(coasts) - y - UNIT - 7.0
        side = UNIT + 4 + half
        made: list[tuple[Point, tuple[float, float, float, float], float]] = []
        for dx, dy, cost in (
            (0, below, 0), (0, above, 14), (side, 4, 30), (-side, 4, 30), (half / 2, below, 12), (-half / 2, below, 12),
            (half / 2, above, 26), (-half / 2, above, 26), (0, below + 8, 24), (0, below + 22, 34),
            (half / 2, below + 16, 36), (-half / 2, below + 16, 36), (0, above - 18, 38), (-half / 4, above - 18, 40),
            (half / 4, above - 18, 40),
        ):  # fmt: skip
            point = (x + dx, y + dy)
            made.append((point, (point[0] - half, point[1] - 0.8 * NAME, point[0] + half, point[1] + 3), float(cost)))
        return made

    # Orders

    def arrow(self, order: str) -> Arrow | None:
        """Return a whole order, as ``"B puna S A hilo - kalae"``, as it is drawn; None for what is not."""
        words = order.split()
        start = self.at[words[1]]
        if words[2] == "-":
            return self._move(start, self.at[words[3]], "via" if words[-1] == "via" else "move")
        if words[2] in ("S", "C"):
            kind = "support" if words[2] == "S" else "convoy"
            source = self.at[words[4]]
            if len(words) <= 5:
                return _ring(kind, start, source)
            return _to(kind, start, _bend(source, self.at[words[6]], 0.5))
        x, y = start
        circle = f"M{x - 22:g} {y:g}a22 22 0 1 0 44 0a22 22 0 1 0 -44 0"
        return Arrow("hold" if words[2] == "H" else "build", circle, "", (x, y))

    def _move(self, start: Point, end: Point, kind: str) -> Arrow:
        """Return a bow to the right of the way, so that two that change places do not cover one another."""
        middle = _control(start, end)
        first, tip = _towards(start, middle, UNIT), _towards(end, middle, UNIT + 3)
        back = _towards(tip, middle, 9)
        line = f"M{first[0]:.1f} {first[1]:.1f}Q{middle[0]:.1f} {middle[1]:.1f} {back[0]:.1f} {back[1]:.1f}"
        return Arrow(kind, line, _head(back, tip), _towards(tip, middle, 4))


def _control(start: Point, end: Point) -> Point:
    (x, y), (u, v) = start, end
    length = math.hypot(u - x, v - y) or 1.0
    off = min(0.12 * length, 26.0)
    return (x + u) / 2 - (v - y) / length * off, (y + v) / 2 + (u - x) / length * off


def _bend(start: Point, end: Point, t: float) -> Point:
    """Return a point of a move's bow."""
    middle = _control(start, end)
    a, b, c = (1 - t) ** 2, 2 * t * (1 - t), t * t
    return a * start[0] + b * middle[0] + c * end[0], a * start[1] + b * middle[1] + c * end[1]


def _towards(start: Point, end: Point, by: float) -> Point:
    length = math.hypot(end[0] - start[0], end[1] - start[1]) or 1.0
    by = min(by, 0.45 * length)
    return start[0] + (end[0] - start[0]) / length * by, start[1] + (end[1] - start[1]) / length * by


def _head(back: Point, tip: Point) -> str:
    dx, dy = tip[0] - back[0], tip[1] - back[1]
    length = math.hypot(dx, dy) or 1.0
    dx, dy = dx / length, dy / length
    return (
        f"M{tip[0]:.1f} {tip[1]:.1f}L{tip[0] - 12 * dx - 6 * dy:.1f} {tip[1] - 12 * dy + 6 * dx:.1f}"
        f"L{tip[0] - 12 * dx + 6 * dy:.1f} {tip[1] - 12 * dy - 6 * dx:.1f}z"
    )


def _to(kind: str, start: Point, end: Point) -> Arrow:
    """Return a line to the middle of what is helped, with a dot there."""
    first = _towards(start, end, UNIT)
    x, y = end
    dot = f"M{x - 3.5:.1f} {y:.1f}a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0z"
    return Arrow(kind, f"M{first[0]:.1f} {first[1]:.1f}L{x:.1f} {y:.1f}", dot, _towards(first, end, 12))


def _ring(kind: str, start: Point, end: Point) -> Arrow:
    """Return a line to a ring around a unit that is supported to stay."""
    first, last = _towards(start, end, UNIT), _towards(end, start, UNIT + 4)
    x, y, r = *end, UNIT + 4
    ring = f"M{x - r:.1f} {y:.1f}a{r:g} {r:g} 0 1 0 {2 * r:g} 0a{r:g} {r:g} 0 1 0 {-2 * r:g} 0"
    line = f"M{first[0]:.1f} {first[1]:.1f}L{last[0]:.1f} {last[1]:.1f}{ring}"
    return Arrow(kind, line, "", _towards(first, end, 12))


def _circle(radius: float) -> list[Point]:
    """Return points all around (0, 0)."""
    return [(radius * math.cos(k * math.pi / 12), radius * math.sin(k * math.pi / 12)) for k in range(24)]


def _cut(corners: list[Point], nx: float, ny: float, limit: float) -> list[Point]:
    """Return the part of a polygon where ``nx x + ny y`` is at most a limit."""
    kept: list[Point] = []
    for (x, y), (u, v) in zip(corners, corners[1:] + corners[:1], strict=True):
        here, there = nx * x + ny * y - limit, nx * u + ny * v - limit
        if here <= 0:
            kept.append((x, y))
        if here * there < 0:
            t = here / (here - there)
            kept.append((x + t * (u - x), y + t * (v - y)))
    return kept


def _coast(coast: Coast) -> list[Point]:
    """Return an island's outline, scaled, with the middle of its box where it goes."""
    points = outline(coast.outline)
    xs, ys = [x for x, _ in points], [y for _, y in points]
    x, y = (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2
    return [(coast.x + coast.scale * (u - x), coast.y + HEAD + coast.scale * (v - y)) for u, v in points]


def _away(point: Point, start: Point, end: Point) -> float:
    """Return how far a point is from a line between two others."""
    (x, y), (u, v), (p, q) = start, end, point
    dx, dy = u - x, v - y
    part = ((p - x) * dx + (q - y) * dy) / (dx * dx + dy * dy or 1.0)
    part = min(1.0, max(0.0, part))
    return math.hypot(p - x - part * dx, q - y - part * dy)


def _overlap(
    box: tuple[float, float, float, float], others: list[tuple[float, float, float, float]], size: Point
) -> float:
    """Return how much of a box others cover, and how much of it is outside of the picture."""
    left, top, right, bottom = box
    covered = sum(
        max(0.0, min(right, r) - max(left, a)) * max(0.0, min(bottom, d) - max(top, b)) for a, b, r, d in others
    )
    outside = max(0.0, 4 - left) + max(0.0, right - size[0] + 4) + max(0.0, bottom - size[1] + 2)
    return covered + 100 * outside


@cache
def chart_of(rules: Ruleset) -> Chart:
    """Return the chart of a ruleset, made once."""
    return Chart(rules)
