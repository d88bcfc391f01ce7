"""Names of towns and places, each at one place of the map: where it covers no other name, and few pieces."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, cached_property, lru_cache
from html import escape

import numpy as np
from numpy.typing import NDArray

from hawaii_env.maori_wars.pictures.chart import Chart
from hawaii_env.maori_wars.pictures.names import THEMES
from hawaii_env.render.layers import Box, Layer, markup

__all__ = ["Labels", "labels_of", "name_layers", "overlap"]

ROOMY = 52.0
"""Hexes higher than this have room for larger names, with what stands in brackets."""

SLIGHT = 30.0
"""A name may cover so much of pieces, in square units, before it makes way."""

FAR = 16.0
"""The cost of each place for a name over that of the one before it; a square unit of a covered piece costs 3."""

_COLOURS = f'fill="{THEMES["ink"][1]}" stroke="{THEMES["halo"][1]}"'
_SERIF = "font-family=\"Alegreya, 'Iowan Old Style', Georgia, serif\""


def overlap(one: Box, other: Box) -> float:
    """Return the area that two boxes share."""
    across = min(one.left + one.width, other.left + other.width) - max(one.left, other.left)
    down = min(one.top + one.height, other.top + other.height) - max(one.top, other.top)
    return across * down if across > 0 and down > 0 else 0.0


def _shared(some: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the area that each of some boxes shares with each of others."""
    one, other = some[:, None], others[None]
    starts = np.maximum(one[..., :2], other[..., :2])
    ends = np.minimum(one[..., :2] + one[..., 2:], other[..., :2] + other[..., 2:])
    return np.maximum(ends - starts, 0.0).prod(-1)


class Labels:
    """The names of a theatre's hexes.

    A name has several places around its hex. It stands in the one that covers least of other names and of the middles
    of hexes, where pieces stand; in another one where pieces of a position are in its way. A few are left out where
    names are crowded, of hexes without a town or pieces at the start of a scenario.
    """

    def __init__(self, chart: Chart) -> None:
        self.chart = chart
        board = chart.board
        names = {at: board.hex_name(at) for at in chart.hexes if at in board.places or at in board.towns}
        self.names: dict[str, str] = (
            names if chart.height > ROOMY else {at: name.partition(" (")[0] for at, name in names.items()}
        )
        areas: list[Box] = []
        for name, (x, y, size) in chart.area_names.items():
            half = 0.45 * size * len(board.map.territories[name].name)
            areas.append(Box(x - half, y - size / 2, 2 * half, size))
        self._areas = areas

    @property
    def least(self) -> float:
        """The size of the smallest letters of the map, numbers of hexes included."""
        return 13.5 if self.chart.height > ROOMY else 12.0

    @property
    def readable(self) -> float:
        """Pixels a unit from which on all letters have 12 pixels."""
        return 12 / self.least

    @cached_property
    def numbers(self) -> dict[str, tuple[float, float]]:
        """The places of the numbers of hexes, below their upper sides; without those that a name would cover."""
        size, boxes = self.least, [*self._areas, *(box for *_, box in self.spots.values())]
        found: dict[str, tuple[float, float]] = {}
        for at, (x, y) in ((at, self.chart.at(at)) for at in self.chart.hexes):
            line = y - self.chart.height / 2 + 1.1 * size
            own = Box(x - 1.2 * size, line - 0.75 * size, 2.4 * size, 0.8 * size)
            if not any(overlap(own, box) for box in boxes):
                found[at] = x, line
        return found

    def _size(self, at: str) -> float:
        town = at in self.chart.board.towns
        return (16.5 if town else self.least) if self.chart.height > ROOMY else (14.5 if town else self.least)

    def _places(self, at: str) -> Sequence[tuple[float, float, str, Box]]:
        """Return anchors for a name, the best first: below, above, beside."""
        chart, text, size = self.chart, self.names[at], self._size(at)
        x, y = chart.at(at)
        wide = len(text) * size * (0.56 if at in chart.board.towns else 0.52) + 7
        out, half = chart.side * 0.9, chart.height / 2 - 0.22 * size  # above the numbers of the hexes below
        found: list[tuple[float, float, str, Box]] = []
        for dx, dy, anchor in (
            (0, half, "middle"), (0, -half - 2, "middle"), (out, 4, "start"), (-out, 4, "end"),
            (wide * 0.3, half, "middle"), (-wide * 0.3, half, "middle"), (out * 0.7, half * 0.8, "start"),
            (-out * 0.7, half * 0.8, "end"), (out * 0.7, -half * 0.6, "start"), (-out * 0.7, -half * 0.6, "end"),
            (0, half + size, "middle"), (0, -half - size * 0.6, "middle"), (out * 1.6, 4, "start"),
            (-out * 1.6, 4, "end"),
        ):  # fmt: skip
            left = x + dx - {"middle": wide / 2, "start": 2, "end": wide - 2}[anchor]
            box = Box(left, y + dy - 0.82 * size, wide, size * 1.08)
            if chart.left + 2 < box.left and box.left + box.width < chart.left + chart.size[0] - 2:
                found.append((x + dx, y + dy, anchor, box))
        return found

    @cached_property
    def spots(self) -> dict[str, tuple[float, float, str, Box]]:
        """The anchor of each name that is drawn, and the box around it."""
        chart, towns, used = self.chart, self.chart.board.towns, self.chart.used
        half = 0.26 * chart.height
        pieces = [
            (Box(x - half, y - half, 2 * half, 2 * half), 0.6 if at in used else 0.2)
            for at, (x, y) in ((at, chart.at(at)) for at in chart.hexes if chart.board.terrain(at) != "mountain")
        ]
        covers = [*pieces, *((box, 0.8) for box in self._areas)]
        found: dict[str, tuple[float, float, str, Box]] = {}
        for at in sorted(self.names, key=lambda at: (at not in towns, at not in used, at)):
            (x, y), spots, names = chart.at(at), self._places(at), [box for *_, box in found.values()]
            near = Box(x - 200, y - 100, 400, 200)
            near_by = [(box, worth) for box, worth in covers if overlap(box, near)]
            near_by += [(box, 9.0) for box in names if overlap(box, near)]
            worths = [
                sum(overlap(box, other) * worth for other, worth in near_by) + 4 * number
                for number, (*_, box) in enumerate(spots)
            ]
            best = spots[worths.index(min(worths))]
            if at in towns or at in used or not any(overlap(best[-1], other) for other in names):
                found[at] = best
        return found

    @cached_property
    def _order(self) -> Sequence[str]:
        return list(self.spots)

    @cached_property
    def _boxes(self) -> NDArray[np.float64]:
        return np.array([box for *_, box in self.spots.values()])

    @cached_property
    def _tries(self) -> dict[str, tuple[Sequence[tuple[float, float, str, Box]], NDArray[np.float64]]]:
        tries = {at: self._places(at) for at in self.spots}
        return {at: (spots, np.array([box for *_, box in spots])) for at, spots in tries.items()}

    def around(self, pieces: Sequence[Box]) -> dict[str, tuple[float, float, str, Box]]:
        """Return the anchor of each name that is drawn, and the box around it, where it covers least of the pieces."""
        found, names = dict(self.spots), self._boxes.copy()
        stands = np.array(pieces).reshape(-1, 4)
        for number in map(int, np.flatnonzero(_shared(names, stands).sum(1) > SLIGHT)):
            at, others = self._order[number], np.delete(names, number, 0)
            spots, boxes = self._tries[at]
            shared = _shared(boxes, np.concatenate((stands, others)))
            worths = 3 * shared[:, : len(stands)].sum(1) + 9 * shared[:, len(stands) :].sum(1)
            best = int(np.argmin(worths + FAR * np.arange(len(spots))))
            found[at], names[number] = spots[best], boxes[best]
        return found

    def text(self, at: str, x: float, y: float, anchor: str) -> str:
        """Return a name with its middle, left or right end at (x, y)."""
        town = at in self.chart.board.towns
        style = f' {_SERIF} font-weight="bold"' if town else ""
        return (
            f'<text class="place-name" data-space="{at}" x="{x:.1f}" y="{y:.1f}" '
            f'font-size="{self._size(at):g}"{style} text-anchor="{anchor}" {_COLOURS} '
            f'stroke-width="3" stroke-linejoin="round" paint-order="stroke">{escape(self.names[at])}</text>'
        )


@cache
def labels_of(chart: Chart) -> Labels:
    """Return the names of a chart, placed once."""
    return Labels(chart)


@lru_cache(256)
def name_layers(chart: Chart, pieces: tuple[Box, ...] = ()) -> Sequence[Layer]:
    """Draw all names of a chart, where they cover least of the pieces."""
    labels, found = labels_of(chart), [markup('<g class="place-names">')]
    for at, (x, y, anchor, box) in labels.around(pieces).items():
        reach = Box(box.left - 6, box.top - 4, box.width + 12, box.height + 8)
        found.append(Layer(labels.text(at, x, y, anchor), reach, labels.text(at, 0, 0, anchor), (x, y)))
    return [*found, markup("</g>")]
