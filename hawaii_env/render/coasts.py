"""The coastlines of the Hawaiian islands, for the pictures of whichever game is played on them."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from typing import Any

from hawaii_env.render.relief import mountains
from hawaii_env.texts import parse_json

__all__ = ["coasts", "line_points", "outline", "relief"]


@cache
def _data() -> dict[str, dict[str, Any]]:
    return parse_json(resources.files("hawaii_env.render").joinpath("data/coasts.json").read_bytes())


def coasts() -> dict[str, str]:
    """Return each island's coast, by its name in small letters (``"kauai"``), as the data of an SVG path on a map of
    1000 by 690.
    """
    return _data()["coasts"]


@cache
def relief(island: str, clip: str) -> str:
    """Draw an island's mountains, on that map, clipped to the shape of an id."""
    lines = [
        [(x, y, metres) for x, y, metres in (map(float, point.split(",")) for point in ridge.split())]
        for ridge in _data()["ridges"][island]
    ]
    return mountains(lines, _data()["kilometres"][island], clip)


def line_points(path: str) -> tuple[tuple[float, float], ...]:
    """Return the points of a closed line, given as the data of a path all of whose steps are relative."""
    x = y = 0.0
    points: list[tuple[float, float]] = []
    for right, down in re.findall(r"(-?[\d.]+),(-?[\d.]+)", path):
        x, y = x + float(right), y + float(down)
        points.append((x, y))
    return tuple(points)


@cache
def outline(island: str) -> tuple[tuple[float, float], ...]:
    """Return the points of an island's coast, on that map."""
    return line_points(coasts()[island])
