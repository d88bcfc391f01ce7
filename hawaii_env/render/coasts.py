"""The coastlines of the Hawaiian islands, for the pictures of whichever game is played on them."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

from hawaii_env.texts import parse_json

__all__ = ["coasts", "outline"]


@cache
def coasts() -> dict[str, str]:
    """Return each island's coast, by its name in small letters (``"kauai"``), as the data of an SVG path on a map of
    1000 by 690.
    """
    file = resources.files("hawaii_env.render").joinpath("data/coasts.json")
    return parse_json(file.read_bytes())["coasts"]


@cache
def outline(island: str) -> tuple[tuple[float, float], ...]:
    """Return the points of an island's coast, on that map."""
    x = y = 0.0
    points: list[tuple[float, float]] = []
    for right, down in re.findall(r"(-?[\d.]+),(-?[\d.]+)", coasts()[island]):  # one closed line, all steps relative
        x, y = x + float(right), y + float(down)
        points.append((x, y))
    return tuple(points)
