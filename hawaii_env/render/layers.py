"""Pictures in layers: what was rasterised once is not rasterised again.

A `Drawing` is one SVG document, cut into layers that each say where they draw. As pixels it is put together from the
pixels of its layers; those are kept, so that a picture of the next position costs only what has changed: a counter, the
line that says who decides, the dice.
"""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Box", "Drawing", "Layer", "apart", "around", "composed", "joined", "letters", "markup", "readable"]


class Box(NamedTuple):
    """A rectangle of a drawing, in its units: the left upper corner and the size."""

    left: float
    top: float
    width: float
    height: float


class Layer(NamedTuple):
    """A piece of a drawing's SVG.

    Attributes:
        svg: its elements.
        box: the rectangle outside of which they draw nothing. None is for markup that draws nothing by itself: the
            opening or the closing of a group, which must not change how the layers inside look.
        shape: what `svg` draws, moved to (0, 0), without titles and data; layers of one shape share their pixels. None:
            `svg` itself.
        at: where the shape stands.
    """

    svg: str
    box: Box | None
    shape: str | None = None
    at: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture in layers.

    Attributes:
        width, height: its size in its own units.
        layers: from the ground up. An id that a layer refers to stands in the same layer.
        attributes: of the root element, their values as they stand in the document; layers inherit those that begin
            with ``font-``.
        head: the root's first children: title and description.
    """

    width: float
    height: float
    layers: Sequence[Layer]
    attributes: Mapping[str, str]
    head: str = ""

    def svg(self, width: int | None = None) -> str:
        """Return the document, `width` pixels wide; None leaves that to the place where it stands."""
        size = "" if width is None else f' width="{width}" height="{round(width * self.height / self.width)}"'
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width:g} {self.height:g}"{size}'
            f"{_written(self.attributes)}>{self.head}{joined(self.layers)}</svg>"
        )


def apart(board: Box, beside: Box) -> dict[str, str]:
    """Return the attributes by which a page shows the board of a picture, and its group of class ``beside`` next to it,
    each at a size of its own. The ground may be a group with ``data-spread``, whose clip path the page takes away.

    Args:
        board: what must be seen of the board.
        beside: the rectangle of the group.
    """
    boxes = {"board": board, "beside": beside}
    return {f"data-{name}": " ".join(f"{number:.0f}" for number in box) for name, box in boxes.items()}


def readable(unit: float = 0.8) -> dict[str, str]:
    """Return the attribute that says how many pixels a unit needs so that names have 12 pixels and marks of pieces 11.

    A page begins with a part of the board where there is no room for all. The default lets a board of 1000 units be
    seen whole at 1280x800.
    """
    return {"data-readable": f"{math.ceil(100 * unit) / 100:.2f}"}


def _written(attributes: Mapping[str, str]) -> str:
    return "".join(f' {name}="{value}"' for name, value in attributes.items())


def joined(layers: Iterable[Layer]) -> str:
    """Return the SVG of some layers."""
    return "".join(layer.svg for layer in layers)


def markup(svg: str) -> Layer:
    """Return the opening or the closing of a group."""
    return Layer(svg, None)


def letters(x: float, y: float, text: str, size: float, anchor: str = "start") -> Box:
    """Return a box around a line of text anchored at (x, y), as SVG's ``text-anchor`` has it; no letter is wider than
    it is high.
    """
    width = (len(text) + 1) * size
    left = {"start": x - size / 2, "middle": x - width / 2, "end": x - width + size / 2}[anchor]
    return Box(left, y - 1.1 * size, width, 1.6 * size)


def around(points: Iterable[tuple[float, float]], reach: float) -> Box:
    """Return the box of some points, and so much more on each side."""
    xs, ys = zip(*points, strict=True)
    left, top = min(xs) - reach, min(ys) - reach
    return Box(left, top, max(xs) + reach - left, max(ys) + reach - top)


class _Kept:
    """The pixels of layers, those longest unused dropped first.

    Args:
        most: bytes of pixels to keep.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.bytes = 0
        self._found: OrderedDict[Any, tuple[Any, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Any, make: Callable[[], tuple[Any, int]]) -> Any:
        """Return what is kept under a key; else what `make` returns, with its size in bytes."""
        with self._lock:
            found = self._found.get(key)
            if found is not None:
                self._found.move_to_end(key)
                return found[0]
        return self.put(key, *make())

    def take(self, key: Any) -> Any:
        """Return what is kept under a key, None for nothing, and keep it no longer."""
        with self._lock:
            made, size = self._found.pop(key, (None, 0))
            self.bytes -= size
        return made

    def put(self, key: Any, made: Any, size: int) -> Any:
        """Keep something of so many bytes under a key, and return it."""
        with self._lock:
            self.bytes -= self._found.pop(key, (None, 0))[1]
            if size <= self.most:
                self._found[key] = made, size
                self.bytes += size
                while self.bytes > self.most:
                    self.bytes -= self._found.popitem(last=False)[1][1]
        return made


_kept = _Kept(64 << 20)
"""At 1000 pixels four games of Hawaii, 1795 need some 30 MB."""


class _Placed(NamedTuple):
    """A layer's place in a picture: pixel (x, y) has the origin of its shape, at the quarters `part` of it, and `edges`
    (left, top, right, bottom) are of all that it draws, counted in pixels from there.
    """

    shape: str
    x: int
    y: int
    part: tuple[float, float]
    edges: tuple[int, int, int, int]

    @property
    def rectangle(self) -> tuple[int, int, int, int]:
        """The pixels that it covers: left, top, right and bottom in the picture."""
        left, top, right, bottom = self.edges
        return self.x + left, self.y + top, self.x + right, self.y + bottom


def _placed(layer: Layer, size: tuple[int, int], scale: tuple[float, float]) -> _Placed | None:
    """Return where a layer stands; None where it draws nothing in the picture."""
    if layer.box is None:
        return None
    (across, down), (wide, high) = layer.at, scale
    at = round(4 * across * wide) / 4, round(4 * down * high) / 4
    x, y = math.floor(at[0]), math.floor(at[1])
    part = at[0] - x, at[1] - y
    left, top = (layer.box.left - across) * wide + part[0], (layer.box.top - down) * high + part[1]
    edges = (
        max(math.floor(left), -x),
        max(math.floor(top), -y),
        min(math.ceil(left + layer.box.width * wide), size[0] - x),
        min(math.ceil(top + layer.box.height * high), size[1] - y),
    )
    if edges[2] <= edges[0] or edges[3] <= edges[1]:
        return None
    return _Placed(layer.svg if layer.shape is None else layer.shape, x, y, part, edges)


class _Pixels(NamedTuple):
    """The pixels of a layer from (left, top) of its origin: what is seen of the ground, of 255, and the colours times
    what is seen of them. What is almost all opaque is copied (`solid`), and the rest of its pixels mixed; of others
    those that are seen, whose places in the picture are `mixed` (None: all of the rectangle).
    """

    left: int
    top: int
    shape: tuple[int, int, int]
    solid: NDArray[np.uint8] | None
    mixed: NDArray[np.int64] | None
    colours: NDArray[np.uint8]
    through: NDArray[np.uint16]


def _pixels(image: Any, left: int, top: int, width: int) -> tuple[_Pixels | None, int]:
    """Return the pixels of an RGBA image for a picture of some width, and their bytes."""
    edges = image.getchannel("A").getbbox()
    if edges is None:
        return None, 0
    found = np.asarray(image.crop(edges))
    through = 255 - found[..., 3:].astype(np.uint16)
    colours = np.rint(found[..., :3] * (found[..., 3:] / 255)).astype(np.uint8)
    solid = bool(np.count_nonzero(through) < 0.1 * through.size)
    where = np.nonzero((through > 0 if solid else through < 255)[..., 0])
    few = solid or through.size > 4096
    # Pixels that are counted through the whole picture are found faster than those of rows and columns.
    mixed: Any = where[0] * width + where[1] if few else None
    colours_of, through_of = (colours[where], through[where]) if few else (colours, through)
    there = _Pixels(
        left + edges[0], top + edges[1], found.shape, colours if solid else None, mixed, colours_of, through_of
    )
    return there, 13 * len(where[0]) + solid * colours.size


def _mix(onto: NDArray[np.uint8], there: _Pixels, x: int, y: int) -> None:
    """Draw a layer whose origin is in the pixel (x, y)."""
    left, top, (height, width, _), solid, pixels, colours, through = there
    under = onto[y + top : y + top + height, x + left : x + left + width]
    flat = onto.reshape(-1, 3)
    if pixels is not None:
        pixels = pixels + ((y + top) * onto.shape[1] + x + left)
    mixed = (under if pixels is None else flat.take(pixels, 0)) * through + 128
    mixed += mixed >> 8
    mixed >>= 8
    mixed += colours
    if solid is not None:
        under[:] = solid
    if pixels is None:
        under[:] = mixed
    else:
        flat.view("V3")[pixels, 0] = mixed.astype(np.uint8).view("V3")[:, 0]


def _changed(before: Sequence[_Placed], now: Sequence[_Placed]) -> NDArray[np.int64]:
    """Return the rectangles in which two pictures may differ: lefts, tops, rights and bottoms, int64[4, n]."""
    old, new = set(before), set(now)
    if [one for one in before if one in new] != [one for one in now if one in old]:
        return np.array([now[0].rectangle]).T  # another order: the ground has them all
    return np.array([one.rectangle for one in old ^ new], np.int64).reshape(-1, 4).T


def composed(
    drawing: Drawing, size: tuple[int, int], rasterized: Callable[[str], Any], theme: str = ""
) -> NDArray[np.uint8]:
    """Return a drawing as an array, uint8[height, width, 3], on white.

    Args:
        drawing: the drawing. Its first layer is the ground, the largest; the picture last made on the same one is kept,
            and only what differs from it is put together anew.
        size: width and height in pixels.
        rasterized: gives an SVG document as an RGBA image of Pillow's, of the size that it names.
        theme: the colours that `rasterized` gives; pixels of each theme are kept apart.
    """
    scale = size[0] / drawing.width, size[1] / drawing.height
    style = _written({name: value for name, value in drawing.attributes.items() if name.startswith("font-")})
    form = scale, size, style, theme

    def put(onto: NDArray[np.uint8], one: _Placed) -> None:
        left, top, right, bottom = one.edges

        def make() -> tuple[_Pixels | None, int]:
            found = rasterized(
                f'<svg xmlns="http://www.w3.org/2000/svg" width="{right - left}" height="{bottom - top}"{style}>'
                f'<g transform="matrix({scale[0]:.9g} 0 0 {scale[1]:.9g} {one.part[0] - left:g} '
                f'{one.part[1] - top:g})">{one.shape}</g></svg>'
            )
            return _pixels(found, left, top, size[0])

        there = _kept.get((one.shape, one.edges, one.part, form), make)
        if there is not None:
            _mix(onto, there, one.x, one.y)

    placed = [one for layer in drawing.layers if (one := _placed(layer, size, scale)) is not None]

    def ground() -> tuple[NDArray[np.uint8], int]:
        found = np.full((size[1], size[0], 3), 255, np.uint8)
        for one in placed[:1]:
            put(found, one)
        return found, found.size

    if not placed:
        return ground()[0]

    whole = _kept.get((placed[0], form), ground)
    before, made = _kept.take(("last", placed[0], form)) or (placed[:1], whole.copy())
    changed = _changed(before, placed)
    onto, corners = np.empty_like(whole), np.array([one.rectangle for one in placed])
    lefts, tops, rights, bottoms = (corners[:, None, edge] for edge in range(4))
    for left, top, right, bottom in changed.T:
        onto[top:bottom, left:right] = whole[top:bottom, left:right]
    touched = (lefts < changed[2]) & (rights > changed[0]) & (tops < changed[3]) & (bottoms > changed[1])
    for one in compress(placed[1:], touched.any(1)[1:]):
        put(onto, one)
    for left, top, right, bottom in changed.T:
        made[top:bottom, left:right] = onto[top:bottom, left:right]
    return _kept.put(("last", placed[0], form), (placed, made), made.size)[1].copy()
