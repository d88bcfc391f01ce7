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
        made, size = make()
        with self._lock:
            if key not in self._found and size <= self.most:
                self._found[key] = made, size
                self.bytes += size
                while self.bytes > self.most:
                    self.bytes -= self._found.popitem(last=False)[1][1]
        return made


_kept = _Kept(64 << 20)
"""At 1000 pixels four games of Hawaii, 1795 need some 30 MB."""


def composed(
    drawing: Drawing, size: tuple[int, int], rasterized: Callable[[str], Any], theme: str = ""
) -> NDArray[np.uint8]:
    """Return a drawing as an array, uint8[height, width, 3], on white.

    Args:
        drawing: the drawing.
        size: width and height in pixels.
        rasterized: gives an SVG document as an RGBA image of Pillow's, of the size that it names.
        theme: the colours that `rasterized` gives; pixels of each theme are kept apart.
    """
    scale = size[0] / drawing.width, size[1] / drawing.height
    style = _written({name: value for name, value in drawing.attributes.items() if name.startswith("font-")})

    def put(onto: NDArray[np.uint8], layer: Layer) -> None:
        if layer.box is None:
            return
        # The shape's origin is in the pixel (x, y), at these quarters of it; the box is counted in pixels from there.
        at = [round(4 * place * by) / 4 for place, by in zip(layer.at, scale, strict=True)]
        x, y = map(math.floor, at)
        part = at[0] - x, at[1] - y
        box = layer.box._replace(left=layer.box.left - layer.at[0], top=layer.box.top - layer.at[1])
        left = max(math.floor(box.left * scale[0] + part[0]), -x)
        top = max(math.floor(box.top * scale[1] + part[1]), -y)
        right = min(math.ceil((box.left + box.width) * scale[0] + part[0]), size[0] - x)
        bottom = min(math.ceil((box.top + box.height) * scale[1] + part[1]), size[1] - y)
        if right <= left or bottom <= top:
            return
        shape = layer.svg if layer.shape is None else layer.shape

        def make() -> tuple[Any, int]:
            found = rasterized(
                f'<svg xmlns="http://www.w3.org/2000/svg" width="{right - left}" height="{bottom - top}"{style}>'
                f'<g transform="matrix({scale[0]:.9g} 0 0 {scale[1]:.9g} {part[0] - left:g} '
                f'{part[1] - top:g})">{shape}</g></svg>'
            )
            edges = found.getchannel("A").getbbox()
            if edges is None:
                return None, 0
            found = np.asarray(found.crop(edges))
            # What is seen of the ground, of 255, and the colours times what is seen of them.
            through = 255 - found[..., 3:].astype(np.uint16)
            colours = np.rint(found[..., :3] * (found[..., 3:] / 255)).astype(np.uint8)
            # What is almost all opaque is copied, and the rest of its pixels mixed; of others those that are seen.
            solid = bool(np.count_nonzero(through) < 0.1 * through.size)
            where = np.nonzero((through > 0 if solid else through < 255)[..., 0])
            few = solid or through.size > 4096
            # Pixels that are counted through the whole picture are found faster than those of rows and columns.
            mixed: Any = where[0] * size[0] + where[1] if few else None
            colours_of, through_of = (colours[where], through[where]) if few else (colours, through)
            there = (left + edges[0], top + edges[1], found.shape, colours if solid else None, mixed, colours_of,
                through_of)  # fmt: skip
            return there, 13 * len(where[0]) + solid * colours.size

        there = _kept.get((shape, left, top, right, bottom, part, scale, size[0], style, theme), make)
        if there is not None:
            left, top, (height, width, _), solid, pixels, colours, through = there
            under = onto[y + top : y + top + height, x + left : x + left + width]
            flat = onto.reshape(-1, 3)
            if pixels is not None:
                pixels = pixels + ((y + top) * size[0] + x + left)
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

    def ground() -> tuple[Any, int]:
        found = np.full((size[1], size[0], 3), 255, np.uint8)
        put(found, drawing.layers[0])
        return found, found.size

    if not drawing.layers:
        return np.full((size[1], size[0], 3), 255, np.uint8)
    # The ground is the largest layer: kept as it looks on white.
    svg, box, shape, at = drawing.layers[0]
    whole = _kept.get((svg if shape is None else shape, box, at, size, style, theme), ground).copy()
    for layer in drawing.layers[1:]:
        put(whole, layer)
    return whole
