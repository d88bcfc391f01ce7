"""The coastlines of the Hawaiian islands, for the pictures of whichever game is played on them."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources

__all__ = ["coasts"]


@cache
def coasts() -> dict[str, str]:
    """Return each island's coast, by its name in small letters (``"kauai"``), as the data of an SVG path on a map of
    1000 by 690.
    """
    file = resources.files("hawaii_env.render").joinpath("data/coasts.json")
    return json.loads(file.read_text(encoding="utf-8"))["coasts"]
