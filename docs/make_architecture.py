"""Draw the architecture from the imports: ``python docs/make_architecture.py`` writes docs/figures/architecture.svg.

Boxes and their places are chosen here; the arrows are the imports that no other arrow implies. A test draws the picture
again and compares, and fails for a module of the library that has no box.
"""

from __future__ import annotations

import sys
from pathlib import Path
from xml.sax.saxutils import escape

import networkx as nx

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs" / "figures" / "architecture.svg"
sys.path.insert(0, str(ROOT / "tests"))
from test_project import GAMES, all_imports  # noqa: E402  the tests read the imports, too

LOOKS = ("pictures", "strings", "narration", "text", "texts", "guide", "web", "turns")
"""Modules of a game package that show a game; the rest are its rules."""
LOWEST = 586
BOXES: dict[str, tuple[str, float, float, tuple[str, ...]]] = {
    # title: purpose, middle and top of the box, prefixes of module names; the longest prefix decides
    "experiments": ("training, matches, findings", 440, 34, ("experiments",)),
    "hawaii_agents": ("players and their weights", 740, 34, ("hawaii_agents",)),
    "cli": ("the command hawaii", 130, 148, ("hawaii_env.cli", "hawaii_env.__main__", "hawaii_env._command")),
    "web": ("play in the browser", 330, 148, ("hawaii_env.web",)),
    "integrations": ("other libraries", 530, 148, ("hawaii_env.integrations",)),
    "arena": (
        "tournaments, ratings",
        130,
        252,
        ("hawaii_env._machine", "hawaii_env.arena", "hawaii_env.benchmark", "hawaii_env.exact"),
    ),
    "replay": ("a game as a page", 330, 252, ("hawaii_env.replay",)),
    "env": (
        "PettingZoo, Gymnasium",
        530,
        252,
        ("hawaii_env.env", "hawaii_env.pools", "hawaii_env.rewards", "hawaii_env.variation"),
    ),
    "agents, bots": (
        "players by name",
        130,
        356,
        (
            "hawaii_env.agent_process",
            "hawaii_env.agents",
            "hawaii_env.agent_options",
            "hawaii_env.bots",
            "hawaii_env.code_state",
            "hawaii_env.playing",
            "hawaii_env.process_state",
            "hawaii_env.supervision",
        ),
    ),
    "render": ("pictures, boards, windows", 330, 356, ("hawaii_env.narration", "hawaii_env.render")),
    "rollouts, fuzz": (
        "random play, checks",
        530,
        356,
        ("hawaii_env.fuzz", "hawaii_env.rollouts", "hawaii_env.heads", "hawaii_env.state_checks"),
    ),
    "records": ("games kept and replayed", 330, 460, ("hawaii_env.records",)),
    "spec, environments": ("what a game declares", 860, 148, ()),
    "pictures, strings": ("how it looks and reads", 980, 304, ()),
    "rules, Game, State": ("chapters, data, positions", 860, 460, ()),
    "games": ("the registry", 130, LOWEST, ("hawaii_env.games", "hawaii_env.command_line", "hawaii_env.terminal")),
    "game, errors": (
        "the contract",
        330,
        LOWEST,
        ("hawaii_env.game", "hawaii_env.errors", "hawaii_env._arguments", "hawaii_env._lazy", "hawaii_env.texts"),
    ),
    "core": (
        "compiled rules, alone knows numba",
        570,
        LOWEST,
        ("hawaii_env.core", "hawaii_env.codec", "hawaii_env.warm"),
    ),
    "rulesets, positions": (
        "one reader, one form",
        810,
        LOWEST,
        ("hawaii_env.rulesets", "hawaii_env._ruleset_checks", "hawaii_env.positions"),
    ),
    "hawaii_env": ("the front door", 1010, LOWEST, ("hawaii_env", "hawaii_env._version")),
}
WIDTH, HEIGHT, BOX = 1140, LOWEST + 80, 54
PANELS = (
    # left, right, top, bottom, heading
    (8, WIDTH - 8, 10, 104, "around the library"),
    (8, 640, 124, 530, "modules that serve any game"),
    (656, WIDTH - 8, 124, 530, f"one package a game: {', '.join(GAMES)}"),
    (8, WIDTH - 8, 552, HEIGHT - 8, "what all stand on"),
)


def box_of(module: str) -> str:
    """Return the box of a module. Raises LookupError if there is none."""
    game, _, part = module.removeprefix("hawaii_env.").partition(".")
    for parts in GAMES.values():
        if game in parts:
            own = part.split(".")[0]
            if own == "spec" or (not part and game not in GAMES):
                return "spec, environments"
            return "pictures, strings" if own in LOOKS else "rules, Game, State"
    found = [
        (len(prefix), title)
        for title, (*_, prefixes) in BOXES.items()
        for prefix in prefixes
        if module == prefix
        or (prefix != "hawaii_env" and module.startswith((f"{prefix}.", f"{prefix}_", f"{prefix}s")))
    ]
    if not found:
        raise LookupError(f"{module} has no box in docs/make_architecture.py")
    return max(found)[1]


def edges() -> list[tuple[str, str]]:
    """Return which box imports which, without what others imply and without the lowest row."""
    pairs = [  # a list, because a graph takes an error of a generator for its end
        (box_of(module), box_of(name))
        for module, names in all_imports().items()
        for name in names
        if name.split(".")[0] in ("hawaii_env", "hawaii_agents", "experiments") and box_of(module) != box_of(name)
    ]
    graph: nx.DiGraph[str] = nx.DiGraph(pairs)
    graph.remove_nodes_from([title for title, (_, _, top, _) in BOXES.items() if top == LOWEST])
    groups = nx.condensation(graph)
    kept = nx.transitive_reduction(groups)
    group = groups.graph["mapping"]
    between = {(group[a], group[b]): (a, b) for a, b in sorted(graph.edges, key=lambda edge: BOXES[edge[1]][2])}
    return sorted(
        [edge for edge in graph.edges if group[edge[0]] == group[edge[1]]] + [between[pair] for pair in kept.edges]
    )


def arrow(one: str, other: str) -> str:
    """Return an arrow between two boxes: down, up, or from side to side."""
    (_, x1, y1, _), (_, x2, y2, _) = BOXES[one], BOXES[other]
    if y1 == y2:
        way = 1 if x1 < x2 else -1
        path = f"M{x1 + way * half(one):.0f},{y1 + BOX / 2} L{x2 - way * (half(other) + 2):.0f},{y2 + BOX / 2}"
    else:
        start, end, bend = (y1 + BOX, y2 - 2, 30) if y1 < y2 else (y1, y2 + BOX + 2, -30)
        x1, x2 = x1 + max(-40.0, min(40.0, (x2 - x1) / 6)), x2 - max(-40.0, min(40.0, (x2 - x1) / 6))
        path = f"M{x1:.0f},{start} C{x1:.0f},{start + bend} {x2:.0f},{end - bend} {x2:.0f},{end}"
    return f'<path d="{path}" fill="none" stroke="#40525c" stroke-width="1.3" marker-end="url(#tip)"/>'


def half(title: str) -> float:
    """Return half of the width of a box."""
    return max(82.0, 3.3 * len(BOXES[title][0]) + 8)


def draw() -> str:
    """Return the picture as SVG text."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="Fira Sans, sans-serif">',
        "<title>The architecture: an arrow goes from what imports to what is imported</title>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0,0 L8,4 L0,8 z" fill="#40525c"/></marker></defs>',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fbf9f4"/>',
    ]
    for left, right, top, bottom, heading in PANELS:
        parts.append(
            f'<rect x="{left}" y="{top}" width="{right - left}" height="{bottom - top}" rx="8" fill="#efe9dc"/>'
            f'<text x="{left + 10}" y="{top + 17}" font-size="13" fill="#5a5246">{escape(heading)}</text>'
        )
    parts += [arrow(*edge) for edge in edges()]
    for title, (purpose, x, y, _) in BOXES.items():
        parts.append(
            f'<rect x="{x - half(title):.0f}" y="{y}" width="{2 * half(title):.0f}" height="{BOX}" rx="6" fill="#fff" '
            f'stroke="#2f5d73"/><text x="{x}" y="{y + 23}" font-size="16" font-weight="bold" text-anchor="middle">'
            f'{escape(title)}</text><text x="{x}" y="{y + 42}" font-size="12" '
            f'text-anchor="middle">{escape(purpose)}</text>'
        )
    return "\n".join([*parts, "</svg>", ""])


if __name__ == "__main__":
    TARGET.write_text(draw(), encoding="utf-8")
    print(TARGET)
