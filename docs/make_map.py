"""Make the coastlines of the pictures, ``hawaii_env/render/data/coasts.json``, and what stands on them in Hawaii, 1795,
``hawaii_env/hawaii1795/pictures/map.json``.

The shapes are the Census Bureau's county outlines, which are in the public domain, as the npm package us-atlas carries
them:

    npm pack us-atlas@3.0.1 && tar xf us-atlas-3.0.1.tgz
    python -m pip install shapely
    python docs/make_map.py package/counties-10m.json

The ridges of ``hawaii_env/render/data/relief.toml`` go where their islands go.

It is a game's map: each island keeps its form and its place in the chain, but the islands are moved together and drawn
to scales of their own, so that pieces find room. Coasts are rounded by a curve through the source's points; O'ahu and
Hawai'i are cut in two along the crests of their mountains.
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from shapely import LineString, Point, Polygon, get_parts, unary_union
from shapely.ops import split

from hawaii_env.render.relief import ridges

Points: TypeAlias = NDArray[np.float64]
Pair: TypeAlias = tuple[float, float]

PACKAGE = Path(__file__).resolve().parent.parent / "hawaii_env"
TARGET = PACKAGE / "hawaii1795" / "pictures" / "map.json"
COASTS = PACKAGE / "render" / "data" / "coasts.json"
SOURCE = "us-atlas 3.0.1, counties-10m.json: cartographic boundary files of the U.S. Census Bureau, 2017"
LICENCE = "public domain (U.S. Census Bureau); us-atlas: ISC, Copyright 2013-2019 Michael Bostock"

COUNTIES = ("15001", "15003", "15005", "15007", "15009")
LATITUDE = 20.6  # of true shape
UNIT = 150.0  # board units in a degree of latitude at scale 1

# Of each island: a point inside it (longitude, latitude), its scale, and where the middle of its outline goes on the
# board.
ISLANDS: dict[str, tuple[Pair, float, Pair]] = {
    "kauai": ((-159.52, 22.05), 1.85, (150, 188)),
    "niihau": ((-160.15, 21.9), 1.45, (42, 226)),
    "oahu": ((-158.0, 21.5), 2.35, (368, 218)),
    "molokai": ((-157.05, 21.14), 1.85, (566, 236)),
    "lanai": ((-156.93, 20.83), 1.6, (577, 336)),
    "maui": ((-156.35, 20.8), 1.65, (704, 306)),
    "kahoolawe": ((-156.61, 20.55), 1.5, (632, 376)),
    "hawaii": ((-155.5, 19.6), 1.25, (864, 474)),
}

# Crests (longitude, latitude) that part the two spaces of an island, from coast to coast.
CRESTS: dict[str, tuple[tuple[str, str], list[Pair]]] = {
    # Ko'olau: Kahuku, Pupukea, Konahuanui, Makapu'u. The first named space is the one on the right of the line.
    "oahu": (
        ("waikiki", "koolau"),
        [
            (-158.02, 21.78),
            (-157.985, 21.68),
            (-157.92, 21.56),
            (-157.86, 21.47),
            (-157.79, 21.36),
            (-157.70, 21.31),
            (-157.60, 21.30),
        ],
    ),
    # Kohala, Mauna Kea, Mauna Loa, Ka Lae.
    "hawaii": (
        ("kona", "hilo"),
        [
            (-155.80, 20.35),
            (-155.74, 20.12),
            (-155.62, 19.95),
            (-155.47, 19.82),
            (-155.52, 19.65),
            (-155.60, 19.475),
            (-155.66, 19.2),
            (-155.69, 18.80),
        ],
    ),
}


def outlines(topology: dict[str, Any]) -> list[Polygon]:
    """Return the outlines of all islands, without borders between counties (Kalawao is a part of Moloka'i)."""
    scale, move = topology["transform"]["scale"], topology["transform"]["translate"]
    arcs = [np.cumsum(arc, axis=0) * scale + move for arc in topology["arcs"]]
    counties = [one for one in topology["objects"]["counties"]["geometries"] if str(one["id"]) in COUNTIES]
    rings = [
        polygon[0] for one in counties for polygon in (one["arcs"] if one["type"] == "MultiPolygon" else [one["arcs"]])
    ]
    polygons = [Polygon(np.concatenate([arcs[i] if i >= 0 else arcs[~i][::-1] for i in ring])) for ring in rings]
    return list(get_parts(unary_union(polygons)))


def rounded(points: Any, closed: bool, steps: int = 4) -> Points:
    """Return points of a centripetal Catmull-Rom curve through `points`: it passes each, and makes no loops at sharp
    corners.
    """
    points = np.asarray(points)
    n = len(points)
    index = np.arange(n if closed else n - 1)[:, None] + np.arange(-1, 3)
    four = points[index % n if closed else index.clip(0, n - 1)]
    gaps = np.maximum(np.linalg.norm(np.diff(four, axis=1), axis=2) ** 0.5, 1e-6)
    knots = np.pad(np.cumsum(gaps, axis=1), ((0, 0), (1, 0)))[:, :, None, None]
    t = knots[:, 1] + (knots[:, 2] - knots[:, 1]) * np.arange(steps)[:, None] / steps
    level = [four[:, i, None, :] for i in range(4)]
    for width, firsts in ((1, (0, 1, 2)), (2, (0, 1)), (1, (1,))):
        low, high = [knots[:, i] for i in firsts], [knots[:, i + width] for i in firsts]
        level = [
            (one * (b - t) + other * (t - a)) / (b - a)
            for one, other, a, b in zip(level, level[1:], low, high, strict=False)
        ]
    curve = level[0].reshape(-1, 2)
    return curve if closed else np.vstack([curve, points[-1:]])


def path(points: Any, closed: bool = True) -> str:
    """Return points as the data of an SVG path, to a tenth of a unit."""
    tenths = np.round(np.asarray(points) * 10).astype(int)
    tenths = tenths[np.append(True, (np.diff(tenths, axis=0) != 0).any(axis=1))]
    steps = (f"{x / 10:g},{y / 10:g}" for x, y in np.diff(tenths, axis=0))
    return f"M{tenths[0, 0] / 10:g},{tenths[0, 1] / 10:g}l{' '.join(steps)}{'z' if closed else ''}"


def main() -> None:
    """Read the source named on the command line, and write the data files."""
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    shapes = outlines(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
    stretch = np.array([math.cos(math.radians(LATITUDE)), -1]) * UNIT
    spaces: dict[str, str] = {}
    coasts: dict[str, str] = {}
    crests: dict[str, str] = {}
    heights: dict[str, list[str]] = {}
    kilometres: dict[str, float] = {}
    for island, (point, scale, at) in ISLANDS.items():
        shape = next(shape for shape in shapes if shape.contains(Point(point)))
        middle = np.reshape(shape.bounds, (2, 2)).mean(axis=0)

        def place(points: Any, middle: Points = middle, scale: float = scale, at: Pair = at) -> Points:
            return np.array(at) + (np.asarray(points) - middle) * stretch * scale

        coast = rounded(place(shape.exterior.coords[:-1]), closed=True)
        coasts[island] = path(coast)
        kilometres[island] = round(scale * UNIT / 111, 3)
        heights[island] = [
            " ".join("{:.1f},{:.1f},{}".format(*place((east, north)), metres) for north, east, metres in ridge)
            for ridge in ridges(island)
        ]
        if island in CRESTS:
            names, line = CRESTS[island]
            crest = LineString(rounded(place(line), closed=False))
            halves: list[Any] = sorted(split(Polygon(coast), crest).geoms, key=lambda part: -part.area)[:2]
            for name, part in zip(names, sorted(halves, key=lambda part: part.centroid.x), strict=True):
                spaces[name] = path(part.exterior.coords[:-1])
            crests[island] = path(crest.intersection(Polygon(coast)).coords, closed=False)
        elif island in ("kauai", "molokai", "maui"):
            spaces[island] = coasts[island]
    about = {
        "source": SOURCE,
        "licence": LICENCE,
        "made_by": "docs/make_map.py",
        "note": "a game map: islands are moved together and enlarged, each to a scale of its own",
    }
    scales = {island: scale for island, (_, scale, _) in ISLANDS.items()}
    data = {**about, "scales": scales, "spaces": spaces, "crests": crests}
    for target, content in (
        (TARGET, data),
        (COASTS, {**about, "coasts": coasts, "kilometres": kilometres, "ridges": heights}),
    ):
        target.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        print(f"{target}: {target.stat().st_size} bytes")


if __name__ == "__main__":
    main()
