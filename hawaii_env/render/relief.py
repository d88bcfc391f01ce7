"""The look that all boards share: three depths of sea, the shading of mountains, soft shadows, the grain of paper."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cache
from importlib import resources
from itertools import pairwise

from hawaii_env.texts import parse_toml

__all__ = ["SEA", "SHADOW", "depths", "grain", "mountains", "ridges"]

Point = tuple[float, float]
Ridge = Sequence[tuple[float, float, float]]

SEA, SHELF, SHOAL = "#8DBDCD", "#A2CBD6", "#C0DFE3"
"""Deep water, which is also what a page shows around a map; between; near the coast."""

SHADOW = 'fill="#0B2530" fill-opacity=".28"'
"""The colour of the shadow of a piece or an island: its shape once more, beside it."""

FLANK = 7.0
"""Kilometres that a mountain's flank reaches for each 1000 metres of its height."""


@cache
def ridges(land: str) -> Sequence[Ridge]:
    """Return the ridges of an island of ``data/relief.toml``: latitude, longitude, metres."""
    file = resources.files("hawaii_env.render").joinpath("data/relief.toml")
    return parse_toml(file.read_text(encoding="utf-8"))["ridges"][land]


def depths(coast: str, reach: float = 44.0) -> str:
    """Draw the sea near a coast.

    Args:
        coast: the id of the coasts' shapes.
        reach: width of the outer stroke; half of it is at sea.
    """
    stroke = '<use href="#{}" fill="none" stroke="{}" stroke-width="{:g}" stroke-linejoin="round"/>'
    shadow = f'<use href="#{coast}" transform="translate(2.5 3.5)" {SHADOW}/>'
    return stroke.format(coast, SHELF, reach) + stroke.format(coast, SHOAL, 0.42 * reach) + shadow


def grain(name: str, box: str) -> str:
    """Draw the grain of paper over a ground.

    Args:
        name: begins the pattern's id.
        box: where, as attributes of a rectangle.
    """
    dots = ((k * 72.5 % 96, k * 54.7 % 96, 4 * k * k % 7) for k in range(96))
    lines = "".join(f"M{x:.0f} {y:.0f}l{2 + turn % 3} {turn / 2 - 1.5:g}" for x, y, turn in dots)
    return (
        f'<pattern id="{name}grain" width="96" height="96" patternUnits="userSpaceOnUse"><path d="{lines}" '
        'stroke="#4A3B22" stroke-opacity=".07" fill="none"/></pattern>'
        f'<rect {box} fill="url(#{name}grain)" pointer-events="none"/>'
    )


def mountains(lines: Iterable[Ridge], unit: float, clip: str = "") -> str:
    """Draw mountains lit from the north-west: the tone of high ground, flanks in shade and in light, and crests.

    Args:
        lines: ridges as they lie on the map: x, y, metres.
        unit: units of the map in a kilometre.
        clip: the id of what the drawing is clipped to.
    """
    high, shade, deep, light, crests = (list[str]() for _ in range(5))
    for line in lines:
        points = _along(line, 2.0 * unit)
        side = 1 if points[-1][0] - points[0][0] > points[-1][1] - points[0][1] else -1
        for reach, into in ((1.0, shade), (0.5, deep), (-0.8, light)):
            into.append(_flank(points, side * reach * FLANK * unit / 1000))
        high += [_flank(points, part * FLANK * unit / 1000) for part in (1.25, -1.25)]
        crests.append(_path([(x, y) for x, y, _ in points]))
    drawn = "".join(
        f'<path d="{"".join(parts)}" fill="{colour}" fill-opacity="{opacity}"/>'
        for parts, colour, opacity in (
            (high, "#8A7A52", 0.16), (light, "#FFF9E6", 0.42), (shade, "#4A3B22", 0.15), (deep, "#4A3B22", 0.2),
        )
    )  # fmt: skip
    crest = f'<path d="{"".join(crests)}" fill="none" stroke="#4A3B22" stroke-opacity=".5" stroke-linejoin="round"/>'
    clipped = f' clip-path="url(#{clip})"' if clip else ""
    return f'<g class="relief" pointer-events="none"{clipped}>{drawn}{crest}</g>'


def _along(line: Ridge, step: float) -> list[tuple[float, float, float]]:
    """Return a ridge with points every `step`, a little aside from the straight line."""
    found: list[tuple[float, float, float]] = []
    for (x, y, h), (u, v, g) in pairwise(line):
        length = math.hypot(u - x, v - y) or 1.0
        number = max(1, round(length / step))
        for k in range(number):
            part, aside = k / number, 0.22 * step * math.sin(2.4 * len(found))
            ox, oy = -(v - y) / length * aside, (u - x) / length * aside
            found.append((x + part * (u - x) + ox, y + part * (v - y) + oy, h + part * (g - h)))
    return [*found, (line[-1][0], line[-1][1], line[-1][2])]


def _flank(points: Sequence[tuple[float, float, float]], reach: float) -> str:
    """Return one side of a ridge, with spurs and valleys, as a closed path that turns the same way for either side."""
    feet: list[Point] = []
    for k, (x, y, h) in enumerate(points):
        (a, b, _), (c, d, _) = points[max(k - 1, 0)], points[min(k + 1, len(points) - 1)]
        length = math.hypot(c - a, d - b) or 1.0
        out = reach * h * (0.62 + 0.38 * math.sin(2.1 * k + x)) * min(1.0, (k + 0.6) / 2, (len(points) - k - 0.4) / 2)
        feet.append((x - (d - b) / length * out, y + (c - a) / length * out))
    ring = [(x, y) for x, y, _ in points] + feet[::-1]
    if reach < 0:
        ring.reverse()
    return _path(ring) + "z"


def _path(points: Sequence[Point]) -> str:
    """Return a line as a path, short: whole numbers, each a step from the one before."""
    whole = [(round(x), round(y)) for x, y in points]
    steps = " ".join(f"{u - x} {v - y}" for (x, y), (u, v) in pairwise(whole) if (x, y) != (u, v))
    return f"M{whole[0][0]} {whole[0][1]}l{steps}"
