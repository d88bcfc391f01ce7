"""Names of towns and places, put where they cover neither pieces nor each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from hawaii_env.maori_wars.pictures.chart import Chart
from hawaii_env.maori_wars.pictures.names import THEMES
from hawaii_env.render.layers import Box, Layer

__all__ = ["Labels", "overlap"]

ROOMY = 52.0
"""Hexes higher than this have room for larger names, with what stands in brackets."""

_COLOURS = f'fill="{THEMES["ink"][1]}" stroke="{THEMES["halo"][1]}"'
_SERIF = "font-family=\"Alegreya, 'Iowan Old Style', Georgia, serif\""


def overlap(one: Box, other: Box) -> float:
    """Return the area that two boxes share."""
    across = min(one.left + one.width, other.left + other.width) - max(one.left, other.left)
    down = min(one.top + one.height, other.top + other.height) - max(one.top, other.top)
    return across * down if across > 0 and down > 0 else 0.0


class _Taken:
    """Boxes that are taken, found by their place."""

    CELL = 80

    def __init__(self, boxes: Iterable[Box]) -> None:
        self._cells: dict[tuple[int, int], list[Box]] = {}
        for box in boxes:
            self.add(box)

    def _around(self, box: Box) -> Iterable[tuple[int, int]]:
        cell = self.CELL
        for column in range(int(box.left // cell), int((box.left + box.width) // cell) + 1):
            for row in range(int(box.top // cell), int((box.top + box.height) // cell) + 1):
                yield column, row

    def add(self, box: Box) -> None:
        """Take a box."""
        for cell in self._around(box):
            self._cells.setdefault(cell, []).append(box)

    def covered(self, box: Box) -> float:
        """Return how much of a box is taken."""
        near = {id(other): other for cell in self._around(box) for other in self._cells.get(cell, ())}
        return sum(overlap(box, other) for other in near.values())


class Labels:
    """The names of a theatre's hexes.

    A name has several places around its hex; in a position it stands in the first one that is free. Names of hexes
    with nothing in them are left out where no place is free, others stand where they cover least.
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
        self._spots = {at: self._places(at) for at in self.names}

    @property
    def readable(self) -> float:
        """Pixels a unit from which on all names have 12 pixels."""
        return 12 / min(map(self._size, self.names), default=12.0)

    def _size(self, at: str) -> float:
        town = at in self.chart.board.towns
        return (16.5 if town else 13.5) if self.chart.height > ROOMY else (14.5 if town else 12.0)

    def _places(self, at: str) -> Sequence[tuple[float, float, str, Box]]:
        """Return anchors for a name, the best first: below, above, beside."""
        chart, text, size = self.chart, self.names[at], self._size(at)
        x, y = chart.at(at)
        wide = len(text) * size * (0.56 if at in chart.board.towns else 0.52) + 7
        out, half = chart.side * 0.9, chart.height / 2
        found: list[tuple[float, float, str, Box]] = []
        for dx, dy, anchor in (
            (0, half, "middle"), (0, -half + 2, "middle"), (out, 4, "start"), (-out, 4, "end"),
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

    def draw(self, taken: Iterable[Box], important: Iterable[str]) -> list[Layer]:
        """Return the names as they stand in a position, a layer each.

        Args:
            taken: boxes of what is drawn.
            important: hexes whose names must stand.
        """
        towns, wanted = self.chart.board.towns, set(important)
        covers = _Taken([*taken, *self._areas])
        parts: list[Layer] = []
        for at in sorted(self.names, key=lambda at: (at not in towns, at not in wanted, at)):
            must = at in towns or at in wanted
            best: tuple[float, int, float, float, str, Box] | None = None
            for number, (x, y, anchor, box) in enumerate(self._spots[at]):
                covered = covers.covered(box)
                if covered == 0 or must:
                    tried = covered, number, x, y, anchor, box
                    best = tried if best is None or tried[:2] < best[:2] else best
                if covered == 0:
                    break
            if best is not None:
                _, _, x, y, anchor, box = best
                covers.add(box)
                parts.append(
                    Layer(self._text(at, x, y, anchor), Box(box.left - 4, box.top - 6, box.width + 12, box.height + 12))
                )
        return parts

    def _text(self, at: str, x: float, y: float, anchor: str) -> str:
        town = at in self.chart.board.towns
        style = f' {_SERIF} font-weight="bold"' if town else ""
        return (
            f'<text class="place-name" data-space="{at}" x="{x:.1f}" y="{y:.1f}" '
            f'font-size="{self._size(at):g}"{style} text-anchor="{anchor}" {_COLOURS} '
            f'stroke-width="3" stroke-linejoin="round" paint-order="stroke">{escape(self.names[at])}</text>'
        )
