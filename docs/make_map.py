"""Make the coastlines of the pictures, ``hawaii_env/render/data/coasts.json``, and what stands on them in Hawaii, 1795,
``hawaii_env/hawaii1795/pictures/map.json``.

The shapes are the Census Bureau's county outlines, which are in the public domain, as the npm package us-atlas carries
them:

    npm pack us-atlas@3.0.1 && tar xf us-atlas-3.0.1.tgz
    python docs/make_map.py package/counties-10m.json

It is a game's map: each island keeps its form and its place in the chain, but the islands are moved together and drawn
to scales of their own, so that pieces find room. Coasts are rounded by a curve through the source's points; O'ahu and
Hawai'i are cut in two along the crests of their mountains.
"""

from __future__ import annotations

import itertools
import json
import math
import sys
from pathlib import Path

Point = tuple[float, float]
Ring = list[Point]

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
ISLANDS: dict[str, tuple[Point, float, Point]] = {
    "kauai": ((-159.52, 22.05), 1.85, (150, 188)),
    "niihau": ((-160.15, 21.9), 1.45, (42, 226)),
    "oahu": ((-158.0, 21.5), 2.35, (368, 218)),
    "molokai": ((-157.05, 21.14), 1.85, (566, 236)),
    "lanai": ((-156.93, 20.83), 1.6, (577, 336)),
    "maui": ((-156.35, 20.8), 1.65, (704, 306)),
    "kahoolawe": ((-156.61, 20.55), 1.5, (632, 376)),
    "hawaii": ((-155.5, 19.6), 1.25, (864, 474)),
}

# Crests (longitude, latitude) that part the two spaces of an island, from coast to coast, and the heights drawn along
# them.
CRESTS: dict[str, tuple[tuple[str, str], Ring]] = {
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
HEIGHTS: dict[str, list[Point]] = {
    "oahu": [(-157.93, 21.575), (-157.86, 21.47), (-157.79, 21.36), (-158.14, 21.5), (-158.18, 21.45)],
    "hawaii": [(-155.72, 20.08), (-155.468, 19.82), (-155.60, 19.475), (-155.87, 19.69)],
    "maui": [(-156.25, 20.71), (-156.58, 20.89)],
    "kauai": [(-159.5, 22.05), (-159.6, 22.1)],
    "molokai": [(-156.86, 21.11)],
}


def arcs_of(topology: dict) -> list[Ring]:
    """Decode the arcs of a quantized TopoJSON into degrees."""
    (kx, ky), (tx, ty) = topology["transform"]["scale"], topology["transform"]["translate"]
    arcs: list[Ring] = []
    for arc in topology["arcs"]:
        x = y = 0
        points: Ring = []
        for dx, dy in arc:
            x, y = x + dx, y + dy
            points.append((x * kx + tx, y * ky + ty))
        arcs.append(points)
    return arcs


def outlines(topology: dict) -> list[Ring]:
    """Return the outlines of all islands; borders between counties are left out (Kalawao is a part of Moloka'i)."""
    arcs = arcs_of(topology)
    uses: dict[int, int] = {}
    for shape in topology["objects"]["counties"]["geometries"]:
        if str(shape["id"]) in COUNTIES:
            for polygon in shape["arcs"] if shape["type"] == "MultiPolygon" else [shape["arcs"]]:
                for index in polygon[0]:
                    uses[index if index >= 0 else ~index] = uses.get(index if index >= 0 else ~index, 0) + 1
    pieces = [list(arcs[index]) for index, n in uses.items() if n == 1]
    rings: list[Ring] = []
    while pieces:
        ring = pieces.pop()
        while ring[0] != ring[-1]:
            for number, piece in enumerate(pieces):
                if ring[-1] in (piece[0], piece[-1]):
                    ring += (piece if piece[0] == ring[-1] else piece[::-1])[1:]
                    del pieces[number]
                    break
            else:
                raise SystemExit(f"an outline does not close at {ring[-1]}")
        rings.append(ring[:-1])
    return rings


def inside(point: Point, ring: Ring) -> bool:
    """Whether a point lies in a ring."""
    x, y = point
    found = False
    for (x1, y1), (x2, y2) in zip(ring, ring[1:] + ring[:1], strict=True):
        if (y1 > y) != (y2 > y) and x < x1 + (y - y1) / (y2 - y1) * (x2 - x1):
            found = not found
    return found


def rounded(points: Ring, closed: bool, steps: int = 4) -> Ring:
    """Return points of a centripetal Catmull-Rom curve through `points`: it passes each, and makes no loops at sharp
    corners.
    """
    n = len(points)
    found: Ring = []
    for i in range(n if closed else n - 1):
        if closed:
            four = [points[(i + k) % n] for k in (-1, 0, 1, 2)]
        else:
            four = [points[min(max(i + k, 0), n - 1)] for k in (-1, 0, 1, 2)]
        knots = [0.0]
        for a, b in itertools.pairwise(four):
            knots.append(knots[-1] + max(math.dist(a, b) ** 0.5, 1e-6))
        for step in range(steps):
            t = knots[1] + (knots[2] - knots[1]) * step / steps
            level = four
            for width in (1, 2, 3):
                low = [knots[j] for j in range(4 - width)] if width < 3 else [knots[1]]
                high = [knots[j + width] for j in range(4 - width)] if width < 3 else [knots[2]]
                level = [
                    tuple((p * (h - t) + q * (t - w)) / (h - w) for p, q in zip(a, b, strict=True))
                    for a, b, w, h in zip(level, level[1:], low, high, strict=False)
                ]
            found.append(level[0])  # pyright: ignore[reportArgumentType]
    return found if closed else [*found, points[-1]]


def crossings(ring: Ring, line: Ring) -> list[tuple[int, float, int, float, Point]]:
    """Where a line meets a ring, along the line: index and share on the line, index and share on the ring, the
    point.
    """
    found: list[tuple[int, float, int, float, Point]] = []
    for i, (p, q) in enumerate(itertools.pairwise(line)):
        for j, (a, b) in enumerate(zip(ring, ring[1:] + ring[:1], strict=True)):
            d = (q[0] - p[0]) * (b[1] - a[1]) - (q[1] - p[1]) * (b[0] - a[0])
            if d:
                t = ((a[0] - p[0]) * (b[1] - a[1]) - (a[1] - p[1]) * (b[0] - a[0])) / d
                u = ((a[0] - p[0]) * (q[1] - p[1]) - (a[1] - p[1]) * (q[0] - p[0])) / d
                if 0 <= t < 1 and 0 <= u < 1:
                    found.append((i, t, j, u, (p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1]))))
    return sorted(found)


def cut(ring: Ring, line: Ring) -> tuple[Ring, Ring, Ring]:
    """Cut a ring along a line: the two parts, and the line within. The first part lies on the right of the line (y
    grows downwards).
    """
    meets = crossings(ring, line)
    if len(meets) < 2:
        raise SystemExit("a crest does not cross its island")
    first, last = meets[0], meets[-1]
    within = [first[4], *line[first[0] + 1 : last[0] + 1], last[4]]

    def walk(start: int, end: int) -> Ring:
        points, at = [], (start + 1) % len(ring)
        while at != (end + 1) % len(ring):
            points.append(ring[at])
            at = (at + 1) % len(ring)
        return points

    one = within + walk(last[2], first[2])
    other = within[::-1] + walk(first[2], last[2])
    return (one, other, within) if mean_x(one) < mean_x(other) else (other, one, within)


def mean_x(ring: Ring) -> float:
    """The mean x of a ring's points."""
    return sum(x for x, _ in ring) / len(ring)


def path(points: Ring, closed: bool = True) -> str:
    """Points as the data of an SVG path, to a tenth of a unit."""
    text, last = "", (0, 0)
    for number, (x, y) in enumerate(points):
        at = (round(x * 10), round(y * 10))
        if number and at == last:
            continue
        step = at if not number else (at[0] - last[0], at[1] - last[1])
        text += ("M" if not number else "l" if number == 1 else " ") + f"{step[0] / 10:g},{step[1] / 10:g}"
        last = at
    return text + ("z" if closed else "")


def main() -> None:
    """Read the source named on the command line, and write the data file."""
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    topology = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    rings = outlines(topology)
    narrow = math.cos(math.radians(LATITUDE))
    spaces: dict[str, str] = {}
    coasts: dict[str, str] = {}
    crests: dict[str, str] = {}
    heights: dict[str, list[list[float]]] = {}
    for island, (point, scale, (x, y)) in ISLANDS.items():
        ring = next(ring for ring in rings if inside(point, ring))
        middle = [(min(p[k] for p in ring) + max(p[k] for p in ring)) / 2 for k in (0, 1)]

        def place(p: Point, scale: float = scale, x: float = x, y: float = y, middle: list[float] = middle) -> Point:
            return (x + (p[0] - middle[0]) * narrow * UNIT * scale, y - (p[1] - middle[1]) * UNIT * scale)

        coast = rounded([place(p) for p in ring], closed=True)
        coasts[island] = path(coast)
        heights[island] = [[round(v, 1) for v in place(p)] for p in HEIGHTS.get(island, [])]
        if island in CRESTS:
            names, line = CRESTS[island]
            left, right, within = cut(coast, rounded([place(p) for p in line], closed=False))
            spaces[names[0]], spaces[names[1]] = path(left), path(right)
            crests[island] = path(within, closed=False)
        elif island in ("kauai", "molokai", "maui"):
            spaces[island] = path(coast)
    about = {
        "source": SOURCE,
        "licence": LICENCE,
        "made_by": "docs/make_map.py",
        "note": "a game map: islands are moved together and enlarged, each to a scale of its own",
    }
    data = {
        **about,
        "scales": {island: scale for island, (_, scale, _) in ISLANDS.items()},
        "spaces": spaces,
        "crests": crests,
        "heights": {island: points for island, points in heights.items() if points},
    }
    for target, content in ((TARGET, data), (COASTS, {**about, "coasts": coasts})):
        target.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        print(f"{target}: {target.stat().st_size} bytes")


if __name__ == "__main__":
    main()
