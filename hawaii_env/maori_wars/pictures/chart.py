"""Geometry of the picture of a theatre: projection, coasts, rivers, borders, places of the names of territories."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cache, cached_property

from hawaii_env.maori_wars.board import Board, neighbours
from hawaii_env.maori_wars.models import Projection
from hawaii_env.maori_wars.ruleset import Ruleset
from hawaii_env.render.layers import Box, around

__all__ = ["HEAD", "PANEL", "SPREAD", "Chart", "chart_of", "point_list"]

Point = tuple[float, float]

HEAD, PANEL = 56.0, 304.0
"""Height of the line above the map, width of the panel beside it."""

MAP_WIDTH, MAP_HEIGHT = 696.0, 640.0
"""A theatre's map fills this, unless its hexes would be smaller than `LEAST`."""

LEAST = 40.0, 50.0
"""Least height of a hex, in theatres of more than `MANY` hexes and in smaller ones."""

MANY = 150

MARGIN = 13.0
"""Kilometres of sea and other land around the theatre."""

SPREAD = 500.0
"""The ground goes on so far beyond the map, for pages whose window has another shape than the theatre."""


class Chart:
    """The map of a theatre as a picture.

    Attributes:
        hexes: ids of the theatre's land hexes, mountains included, ascending.
        scale: pixels a kilometre.
        height: of a hex, in pixels.
        size: width and height of the map; `left`, `top` are where it begins in the picture.
        theatre: left, top, width and height of the part of the map that holds the theatre.
    """

    left: float = 0.0
    top: float = HEAD

    def __init__(self, rules: Ruleset, territories: Sequence[str]) -> None:
        self.rules: Ruleset = rules
        self.board: Board = rules.board
        self.projection: Projection = rules.coast.projection
        self.territories: tuple[str, ...] = tuple(name for name in self.board.territories if name in territories)
        self.hexes: tuple[str, ...] = tuple(at for at in self.board.land if self.board.territory(at) in territories)
        points = [self._km(at) for at in self.hexes]
        reach = self.projection.row / math.sqrt(3)
        west, east = min(x for x, _ in points) - reach - MARGIN, max(x for x, _ in points) + reach + MARGIN
        north, south = min(y for _, y in points) - 8 - MARGIN, max(y for _, y in points) + 8 + MARGIN
        least = LEAST[len(self.hexes) <= MANY] / self.projection.row
        self.scale: float = max(least, min(MAP_WIDTH / (east - west), MAP_HEIGHT / (south - north)))
        width = max(MAP_WIDTH, (east - west) * self.scale)
        height = max(MAP_HEIGHT, (south - north) * self.scale)
        self.size: Point = (round(width), round(height))
        middle = (west + east) / 2, (north + south) / 2
        self.origin: Point = (
            self.left + width / 2 - middle[0] * self.scale,
            self.top + height / 2 - middle[1] * self.scale,
        )
        self.theatre: tuple[float, float, float, float] = (
            self.left + width / 2 - (east - west) / 2 * self.scale,
            self.top + height / 2 - (south - north) / 2 * self.scale,
            (east - west) * self.scale,
            (south - north) * self.scale,
        )
        self.height: float = self.projection.row * self.scale
        self.side: float = self.height / math.sqrt(3)

    def _km(self, at: str) -> Point:
        column, row = int(at[:2]), int(at[2:])
        down = row - 1 + (0 if column % 2 else 0.5)
        return (column - 1) * self.projection.column, down * self.projection.row

    def at(self, hex: str) -> Point:
        """Return the middle of a hex."""
        x, y = self._km(hex)
        return self.origin[0] + x * self.scale, self.origin[1] + y * self.scale

    def place(self, latitude: float, longitude: float) -> Point:
        """Return where a place of the earth lies."""
        p = self.projection
        x, y = (longitude - p.lon0) * p.km_lon, (p.lat0 - latitude) * p.km_lat
        return self.origin[0] + x * self.scale, self.origin[1] + y * self.scale

    def corners(self, hex: str, part: float = 1.0) -> list[Point]:
        """Return the corners of a hex, from the left one of its north side with the clock."""
        x, y = self.at(hex)
        a, b = self.side * part / 2, self.height * part / 2
        return [(x - a, y - b), (x + a, y - b), (x + 2 * a, y), (x + a, y + b), (x - a, y + b), (x - 2 * a, y)]

    def outline(self, hex: str | None, part: float = 1.0) -> str:
        """Return a hex as a path; None is one around (0, 0)."""
        x, y = (0.0, 0.0) if hex is None else self.at(hex)
        a, b = f"{self.side * part / 2:.1f}", f"{self.height * part / 2:.1f}"
        left, wide = f"{x - self.side * part:.1f}", f"{self.side * part:.1f}"
        return f"M{left} {y:.1f}l{a}-{b}h{wide}l{a} {b}-{a} {b}h-{wide}z"

    def edge(self, hex: str, side: int) -> tuple[Point, Point]:
        """Return the ends of a side of a hex."""
        corners = self.corners(hex)
        return corners[side], corners[(side + 1) % 6]

    def around(self, hexes: Iterable[str]) -> Box:
        """Return a box around some hexes, with room for what stands out of them."""
        return around(map(self.at, hexes), self.height)

    def shown(self, hex: str) -> bool:
        """Return True if the middle of a hex lies on the map or `SPREAD` around it."""
        x, y = self.at(hex)
        return -SPREAD < x - self.left < self.size[0] + SPREAD and -SPREAD < y - self.top < self.size[1] + SPREAD

    # Lines

    def coast(self) -> str:
        """Return the coast as a path."""
        return smooth([self.place(*point) for point in self.rules.coast.lines.coast], closed=True)

    def lake(self) -> str:
        """Return the shore of Taupō as a path."""
        return smooth([self.place(*point) for point in self.rules.coast.lines.taupo], closed=True)

    def river(self, name: str) -> list[Point]:
        """Return a river as a line: its course, or the middles of its hexes where a map of one's own has no course."""
        course = self.rules.coast.rivers.get(name)
        hexes = self.board.map.rivers[name].hexes
        return [self.place(*point) for point in course] if course else [self.at(hex) for hex in hexes]

    def dotted(self, name: str) -> list[Point]:
        """Return the part of a river's line that gunboats sail."""
        river = self.board.map.rivers[name]
        reach = set(river.hexes[: river.navigable])
        line = _sampled(self.river(name))
        return [point for point in line if self._nearest(point, river.hexes) in reach]

    def _nearest(self, point: Point, hexes: Iterable[str]) -> str:
        return min(hexes, key=lambda hex: math.dist(point, self.at(hex)))

    @cached_property
    def borders(self) -> list[tuple[Point, Point]]:
        """Return the sides between territories, as far as one of them is of the theatre."""
        found: list[tuple[Point, Point]] = []
        inside = set(self.hexes)
        for hex in self.hexes:
            for side, other in enumerate(neighbours(hex)):
                parts = other in self.board.map.hexes and self.board.territory(other) != self.board.territory(hex)
                if parts and (side < 3 or other not in inside):
                    found.append(self.edge(hex, side))
        return found

    def sides(self, kind: str) -> list[tuple[str, str, tuple[Point, Point]]]:
        """Return the sides of a kind between hexes of the theatre: two hexes, and the ends of the side."""
        inside = set(self.hexes)
        found: list[tuple[str, str, tuple[Point, Point]]] = []
        for one, other in getattr(self.board.map.hexsides, kind):
            if one in inside and other in inside:
                found.append((one, other, self.edge(one, neighbours(one).index(other))))
        return found

    @cached_property
    def area_names(self) -> dict[str, tuple[float, float, float]]:
        """Middle and size of letters of each territory's name: on its own land or at sea near it, away from places."""
        size = max(15.0, min(24.0, self.height / 2.4))
        return {name: (*self._area_name(name, size), size) for name in self.territories}

    def _area_name(self, territory: str, size: float) -> Point:
        inside = {at: self.at(at) for at in self.hexes if self.board.territory(at) == territory}
        free = [point for at, point in inside.items() if self.board.terrain(at) != "mountain"]
        names = [point for at, point in inside.items() if at in self.used]
        half = 0.43 * size * len(self.board.map.territories[territory].name)

        land = [self.at(at) for at in self.hexes]
        sea = [
            point for point in map(self.at, self.board.ocean) if min(math.dist(point, one) for one in free) < 4 * half
        ]

        def worth(point: Point) -> float:
            x, y = point
            along = [(x + half * part / 4, y) for part in range(-4, 5)]
            covered = sum(min(math.dist(one, other) for other in free) < 0.56 * self.height for one in along)
            away = min((abs(y - v) + max(0.0, abs(x - u) - half - 0.3 * self.height) for u, v in names), default=99.0)
            if point in sea:  # beside a territory that is too small
                clear = all(min(math.dist(one, other) for other in land) > 1.1 * self.height for one in along)
                covered = 6 if clear and self.left + half < x < self.left + self.size[0] - half else -9
            crowded = 6 if away < 0.68 * self.height else 0
            return 1.4 * covered + min(away, 1.2 * self.height) / self.height * 4 - crowded

        shifts = [(across * self.side, down * self.height) for across in (-0.5, 0, 0.5) for down in (0, 0.25, 0.5)]
        tries = [*((x + across, y + down) for x, y in free for across, down in shifts), *sea]
        return max(tries, key=worth)

    @cached_property
    def used(self) -> frozenset[str]:
        """Hexes with a name, or with pieces at the start of a scenario."""
        starts = {line.at for scenario in self.rules.scenarios.values() for line in scenario.setup}
        return frozenset(starts | set(self.board.places))


def point_list(points: Iterable[Point]) -> str:
    """Return points as SVG writes them."""
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def smooth(points: Sequence[Point], closed: bool = False) -> str:
    """Return a curve through points as a path: a Catmull-Rom spline, as Bézier curves."""
    n = len(points)

    def take(i: int) -> Point:
        return points[i % n] if closed else points[min(max(i, 0), n - 1)]

    parts = [f"M{points[0][0]:.1f} {points[0][1]:.1f}"]
    for i in range(n if closed else n - 1):
        (ax, ay), (bx, by), (cx, cy), (dx, dy) = (take(i + k) for k in (-1, 0, 1, 2))
        parts.append(
            f"C{bx + (cx - ax) / 6:.1f} {by + (cy - ay) / 6:.1f} {cx - (dx - bx) / 6:.1f} {cy - (dy - by) / 6:.1f} "
            f"{cx:.1f} {cy:.1f}"
        )
    return "".join(parts) + ("z" if closed else "")


def _sampled(points: Sequence[Point]) -> list[Point]:
    """Return a line with points every few pixels, on the same curve as `smooth`."""
    found = [points[0]]
    for i in range(len(points) - 1):
        a, b, c, d = (points[min(max(i + k, 0), len(points) - 1)] for k in (-1, 0, 1, 2))
        steps = max(2, int(math.dist(b, c) / 3))
        for step in range(1, steps + 1):
            t = step / steps
            found.append((_spline(a[0], b[0], c[0], d[0], t), _spline(a[1], b[1], c[1], d[1], t)))
    return found


def _spline(a: float, b: float, c: float, d: float, t: float) -> float:
    return 0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2 + (3 * b - a - 3 * c + d) * t**3)


@cache
def chart_of(rules: Ruleset, territories: tuple[str, ...]) -> Chart:
    """Return the chart of a theatre, made once."""
    return Chart(rules, territories)
