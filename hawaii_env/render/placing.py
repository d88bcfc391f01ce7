"""Places for pieces within a shape, for pictures of maps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["Area", "Point", "within"]

Point = tuple[float, float]
Run = tuple[float, float]
"""The first and the last x of a stretch of a row."""

CELL = 2.0
"""Distance of the points by which an `Area` knows its shape."""
TOGETHER = 1024
"""Points of which `within` asks at once."""


def within(points: Sequence[Point] | NDArray[np.float64], corners: Sequence[Point]) -> NDArray[np.bool_]:
    """Return of each point whether it is inside of a polygon."""
    x, y = np.asarray(points, np.float64).reshape(-1, 2).T
    ends = np.asarray(corners, np.float64)
    following = np.roll(ends, -1, 0)
    odd = np.zeros(len(x), bool)
    if not len(x):
        return odd
    # Only edges as high as some point, and not left of all, can be crossed to the right of one.
    low, high = np.minimum(ends, following), np.maximum(ends, following)
    some = (low[:, 1] < high[:, 1]) & (low[:, 1] <= y.max()) & (high[:, 1] > y.min()) & (high[:, 0] >= x.min())
    (a, b), (c, d) = ends[some].T, following[some].T
    for part in range(0, len(x), TOGETHER):  # all edges at once, of a label's few points or of some of a grid's
        u, v = (axis[part : part + TOGETHER, None] for axis in (x, y))
        crossed = ((b > v) != (d > v)) & (u < (c - a) * (v - b) / (d - b) + a)
        odd[part : part + TOGETHER] = np.logical_xor.reduce(crossed, axis=1)
    return odd


class Area:
    """The places of a shape where square pieces can stand.

    Args:
        corners: the shape.
        land: the corners of the island that it is part of; what reaches beyond the shape, but not into the sea, counts
            half.
    """

    def __init__(self, corners: Sequence[Point], land: Sequence[Point]) -> None:
        (left, right), (top, bottom) = ((min(axis) - 30, max(axis) + 30) for axis in zip(*corners, strict=True))
        self._xs, self._ys = np.arange(left, right, CELL), np.arange(top, bottom, CELL)
        grid = np.stack(np.meshgrid(self._xs, self._ys), -1).reshape(-1, 2)
        self._own = within(grid, corners).reshape(len(self._ys), -1)
        weight = (self._own.astype(float) + within(grid, land).reshape(self._own.shape)) / 2
        self._sums = np.pad(weight.cumsum(0).cumsum(1), ((1, 0), (1, 0)))

    def shares(self, half: float) -> NDArray[np.float64]:
        """Return of each middle inside of the shape how much of a piece's square is on it; 0 outside."""
        (rows, columns), reach = self._own.shape, round(half / CELL)
        ups, downs = (np.clip(np.arange(rows) + k, 0, rows) for k in (-reach, reach + 1))
        lefts, rights = (np.clip(np.arange(columns) + k, 0, columns) for k in (-reach, reach + 1))
        sums = self._sums
        total = sums[np.ix_(downs, rights)] - sums[np.ix_(ups, rights)]
        total += sums[np.ix_(ups, lefts)] - sums[np.ix_(downs, lefts)]
        return np.where(self._own, total / (2 * reach + 1) ** 2, 0.0)

    def rows(
        self,
        number: int,
        middle: Point,
        half: float,
        pitch: float,
        share: float,
        avoid: Sequence[tuple[float, float, float]] = (),
    ) -> list[Point] | None:
        """Return places for pieces in rows around a middle, or None if they do not fit.

        Args:
            number: how many pieces.
            middle: the point near which they stand.
            half: half of a piece's side.
            pitch: the distance of neighbouring pieces and rows.
            share: how much of each piece is on the shape, at least, as a part of what the best place has.
            avoid: middles of what no piece covers, with half of its side.
        """
        shares = self.shares(half)
        free = shares >= share * shares.max()
        for x, y, other in avoid:
            apart = half + other
            free &= (np.abs(self._xs - x) >= apart) | (np.abs(self._ys - y) >= apart)[:, None]
        around = np.pad(free, ((0, 0), (1, 1)))
        runs = [_longest(self._xs, np.flatnonzero(row)) for row in around[:, 1:] != around[:, :-1]]
        found: list[list[Point]] = []
        for first in range(len(runs)):
            lines: list[tuple[Run, float]] = []
            places = 0
            for k in range(first, len(runs), round(pitch / CELL + 0.49)):
                run = runs[k]
                if run is None or places >= number:
                    break
                lines.append((run, float(self._ys[k])))
                places += _capacity(run, pitch)
            if places >= number:
                found.append(_filled(lines, number, middle, pitch))
        return min(
            found, key=lambda spots: sum((x - middle[0]) ** 2 + (y - middle[1]) ** 2 for x, y in spots), default=None
        )


def _length(run: Run) -> float:
    return run[1] - run[0]


def _capacity(run: Run, pitch: float) -> int:
    return int(_length(run) / pitch) + 1


def _longest(xs: NDArray[np.float64], ends: NDArray[np.intp]) -> Run | None:
    """Return the first and the last place of the longest stretch that is free, or None.

    Args:
        xs: the places.
        ends: the first place of each stretch, and that after its last, in turn.
    """
    if not len(ends):
        return None
    first, last = xs[ends[::2]], xs[ends[1::2] - 1]
    best = int((last - first).argmax())
    return float(first[best]), float(last[best])


def _filled(lines: Sequence[tuple[Run, float]], number: int, middle: Point, pitch: float) -> list[Point]:
    """Return places in rows, as evenly as they have space."""
    most, counts = [_capacity(run, pitch) for run, _ in lines], [0] * len(lines)
    for _ in range(number):
        counts[min((k for k in range(len(most)) if counts[k] < most[k]), key=lambda k: counts[k])] += 1
    places: list[Point] = []
    for ((start, end), y), count in zip(lines, counts, strict=True):
        reach = (count - 1) * pitch / 2
        x = min(max(middle[0], start + reach), end - reach)
        places += [(x + k * pitch - reach, y) for k in range(count)]
    return places
