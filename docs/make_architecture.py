"""Draw the architecture from the imports: ``python docs/make_architecture.py`` writes docs/figures/architecture.svg.

Rows and their order are chosen here, red is what should not be; which box knows which is read from the source. A test
draws it anew and compares, and fails where a module has no box. Arrows that follow from others are left out.
"""

from __future__ import annotations

import sys
from pathlib import Path
from xml.sax.saxutils import escape

import networkx as nx

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs" / "figures" / "architecture.svg"
sys.path.insert(0, str(ROOT / "tests"))

WINGS_BUILT = ("hawaii1795", "heiau", "aloha")
"""Wings are built alike: the modules of one name stand in one box."""
Boxes = tuple[tuple[str, str, tuple[str, ...]], ...]


def wings(*names: str) -> tuple[str, ...]:
    """The modules of these names in every wing; an empty name is the wing itself."""
    return tuple(f"hawaii_env.{wing}{f'.{name}' if name else ''}" for wing in WINGS_BUILT for name in names)


TOP: Boxes = (
    ("experiments", "training, ladders, calibration", ("experiments",)),
    ("hawaii_agents", "the players and their weights", ("hawaii_agents",)),
)
ROOMS: tuple[Boxes, ...] = (
    (
        ("cli", "the command hawaii", ("hawaii_env.cli", "hawaii_env.__main__")),
        ("integrations", "other libraries", ("hawaii_env.integrations",)),
        ("web", "play in the browser", ("hawaii_env.web",)),
    ),
    (
        ("arena", "tournaments, ratings", ("hawaii_env.arena",)),
        ("bots", "programs that play", ("hawaii_env.bots",)),
        ("replay", "a game as a page", ("hawaii_env.replay",)),
    ),
    (
        ("fuzz, rollouts", "random play, invariants", ("hawaii_env.fuzz", "hawaii_env.rollouts")),
        ("env", "PettingZoo, Gymnasium", ("hawaii_env.env",)),
    ),
    (
        ("agents", "protocol and registry", ("hawaii_env.agents",)),
        ("render", "pictures, boards, windows", ("hawaii_env.render",)),
    ),
    (("records", "games kept and replayed", ("hawaii_env.records",)),),
)
WINGS: tuple[Boxes, ...] = (
    (
        (
            "entry and spec", "what it declares",
            (*(f"hawaii_env.{wing}_v0" for wing in WINGS_BUILT), "hawaii_env.hawaii1795_v1", *wings("spec")),
        ),
    ),
    (
        (
            "pictures, words", "how it looks and reads",
            wings("pictures", "narration", "strings", "guide", "turns", "rules_cli"),
        ),
        ("batch, fast", "many games, for agents", wings("batch", "fast", "fuzzing")),
        ("battles", "one model, odds", wings("battles", "adjudicator")),
    ),
    (("play", "Game and State", wings("", "play")),),
    (
        (
            "positions", "views, JSON, arrays",
            wings(
                "positions", "view", "core", "doors", "options", "texts", "refusals", "observation"
            ),
        ),
        ("rules, ruleset", "chapters and numbers", wings("rules", "ruleset", "models")),
    ),
)  # fmt: skip
BASE: Boxes = (
    ("games", "the registry", ("hawaii_env.games", "hawaii_env._options", "hawaii_env.rulesets", "hawaii_env._ruleset_checks")),
    ("game", "the contract", ("hawaii_env.game",)),
    ("codec, batch, rng", "actions; many games; chance", ("hawaii_env.codec", "hawaii_env.core.batch",
    "hawaii_env.core.rng")),
    (
        "core", "alone knows numba",
        tuple(f"hawaii_env.{n}" for n in ("core", "core.jit", "core.closure", "core.cache", "core.background", "warm")),
    ),
    (
        "errors", "and small helpers",
        (
            "hawaii_env",
            *(
                f"hawaii_env.{n}"
                for n in ("errors", "_arguments", "core.locks", "_rulesets", "core.checksum", "_version")
            ),
        ),
    ),
)  # fmt: skip
"""Boxes: title, purpose, modules (with all below them)."""

ALL: Boxes = (*TOP, *(box for row in (*ROOMS, *WINGS) for box in row), *BASE)
BELOW = {title for title, *_ in BASE}
WIDTH, BOX, ROW, GAP, SPLIT = 1180, 54, 104, 26, 590


def box_of(module: str) -> str:
    """The box in which a module stands; the longest name decides."""
    found = [
        (len(prefix), title)
        for title, _, prefixes in ALL
        for prefix in prefixes
        if module == prefix or (module.startswith(prefix + ".") and prefix not in ("hawaii_env", *wings("")))
    ]
    if not found:
        raise KeyError(f"{module} has no box in docs/make_architecture.py")
    return max(found)[1]


def edges(imports: dict[str, set[str]]) -> list[tuple[str, str]]:
    """Which box knows which, without what follows from others, and without the base, which all know."""
    graph: nx.DiGraph[str] = nx.DiGraph()
    ours = ("hawaii_env", "hawaii_agents", "experiments")
    for module, names in imports.items():
        for name in names:
            if (
                name.split(".")[0] in ours
                and box_of(module) != box_of(name)
                and not {box_of(module), box_of(name)} & BELOW
            ):
                graph.add_edge(box_of(module), box_of(name))
    condensed = nx.condensation(graph)
    kept = nx.transitive_reduction(condensed)
    member = condensed.graph["mapping"]
    found = [(a, b) for a, b in graph.edges if member[a] == member[b]]
    for one, other in kept.edges:
        found.append(min((a, b) for a, b in graph.edges if member[a] == one and member[b] == other))
    return sorted(found)


def row_of(boxes: Boxes, left: float, right: float, top: float) -> dict[str, tuple[float, float, float]]:
    """Left edge, top and width of each box of a row."""
    width = min(210.0, (right - left - GAP * (len(boxes) - 1)) / len(boxes))
    step = (right - left - width) / max(1, len(boxes) - 1)
    first = left if len(boxes) > 1 else (left + right - width) / 2
    return {title: (first + n * step, top, width) for n, (title, *_) in enumerate(boxes)}


def places() -> tuple[dict[str, tuple[float, float, float]], float]:
    """Where each box stands, and the height of the picture."""
    found = row_of(TOP, 120, WIDTH - 120, 34)
    for n, boxes in enumerate(ROOMS):
        found |= row_of(boxes, 30, SPLIT - 30, 34 + ROW + 20 + n * ROW)
    for n, boxes in enumerate(WINGS):
        found |= row_of(boxes, SPLIT + 30, WIDTH - 30, 34 + ROW + 20 + n * ROW * (len(ROOMS) - 1) / (len(WINGS) - 1))
    bottom = 34 + ROW + 20 + len(ROOMS) * ROW
    return found | row_of(BASE, 30, WIDTH - 30, bottom), bottom + BOX + 24


def arrow(start: tuple[float, float, float], end: tuple[float, float, float], colour: str) -> str:
    """A line from one box down, or up, to another; beside each other from side to side."""
    x1, x2 = start[0] + start[2] / 2, end[0] + end[2] / 2
    if start[1] == end[1]:
        x1, x2 = (start[0] + start[2], end[0] - 2) if x1 < x2 else (start[0], end[0] + end[2] + 2)
        path = f"M{x1:.0f},{start[1] + BOX / 2} L{x2:.0f},{end[1] + BOX / 2}"
    else:
        down = start[1] < end[1]
        y1, y2, bend = (start[1] + BOX, end[1] - 2, 34) if down else (start[1], end[1] + BOX + 2, -34)
        x1 += max(-40.0, min(40.0, (x2 - x1) / 6))
        x2 -= max(-40.0, min(40.0, (x2 - x1) / 6))
        path = f"M{x1:.0f},{y1:.0f} C{x1:.0f},{y1 + bend:.0f} {x2:.0f},{y2 - bend:.0f} {x2:.0f},{y2:.0f}"
    return f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.3" marker-end="url(#tip)"/>'


def draw() -> str:
    """The picture as SVG text."""
    from test_project import IMPORTS  # the tests read the imports, too

    where, height = places()
    wing = {title for row in WINGS for title, *_ in row}
    rooms = {title for row in ROOMS for title, *_ in row}
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="Fira Sans, sans-serif">',
        "<title>The architecture: an arrow goes from what knows to what is known</title>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0,0 L8,4 L0,8 z" fill="#40525c"/></marker></defs>',
        f'<rect width="{WIDTH}" height="{height}" fill="#fbf9f4"/>',
    ]
    middle, bottom = 34 + ROW - 6, height - BOX - 24
    for left, right, top, below, name in (
        (8, WIDTH - 8, 10, 34 + BOX + 12, "around the package"),
        (8, SPLIT - 8, middle, bottom - 44, "rooms, for any game"),
        (SPLIT + 8, WIDTH - 8, middle, bottom - 44, f"one wing a game: {', '.join(WINGS_BUILT)}"),
        (8, WIDTH - 8, bottom - 28, height - 8, "what all stand on"),
    ):
        parts.append(
            f'<rect x="{left}" y="{top:.0f}" width="{right - left}" height="{below - top:.0f}" rx="8" fill="#efe9dc"/>'
        )
        parts.append(f'<text x="{left + 10}" y="{top + 17:.0f}" font-size="13" fill="#5a5246">{escape(name)}</text>')
    for a, b in edges(IMPORTS):
        parts.append(arrow(where[a], where[b], "#c0392b" if a in rooms and b in wing else "#40525c"))
    for title, purpose, _ in ALL:
        x, y, width = where[title]
        parts.append(
            f'<rect x="{x:.0f}" y="{y:.0f}" width="{width:.0f}" height="{BOX}" rx="6" fill="#fff" stroke="#2f5d73"/>'
        )
        parts.append(
            f'<text x="{x + width / 2:.0f}" y="{y + 23:.0f}" font-size="16" font-weight="bold" '
            f'text-anchor="middle">{escape(title)}</text>'
            f'<text x="{x + width / 2:.0f}" y="{y + 42:.0f}" font-size="12" '
            f'text-anchor="middle">{escape(purpose)}</text>'
        )
    return "\n".join([*parts, "</svg>", ""])


if __name__ == "__main__":
    TARGET.write_text(draw(), encoding="utf-8")
    print(TARGET)
