"""Draw the figures of docs/hawaii1795.md: positions of *Hawaii, 1795* with the moves and dice that lead to them; and of
docs/maori_wars.md: hexes laid out for convolutions.

    python docs/make_figures.py

A test draws them again and compares, so they change with the rules, the data and the renderer.
"""

from __future__ import annotations

from pathlib import Path

from hawaii_env.hawaii1795 import Game, State
from hawaii_env.maori_wars import Game as MaoriWars
from hawaii_env.render.picture import render_svg

FOLDER = Path(__file__).resolve().parent / "figures"
JUNE = {
    "kamehameha": {
        "kona": ["kamehameha", "john_young", "royal_guard", "vancouver", "pike", *["warrior_2"] * 3, *["canoe"] * 3],
        "hilo": ["warrior_1", "warrior_2", "canoe"],
    },
    "allied": {
        "waikiki": ["kalani", "thunderers", *["oahu_warrior"] * 2, *["oahu_canoe"] * 2],
        "koolau": ["musketeer", "pike"],
        "maui": ["maui_warrior", "maui_canoe"],
    },
    "neutral": {"kauai": ["kauai_warrior", "kauai_warrior", "kauai_canoe"]},
}
"""A position in the middle of a game: Kamehameha is about to sail for Waikiki."""

LOADED = "fleet kona, pickup kona, embark warrior_2, embark warrior_2, embark john_young, done"
BOUND = (
    f"{LOADED}, sail waikiki, fleet kona, pickup kona, embark royal_guard, embark vancouver, done, sail waikiki, done"
)
WAR_FLEET = "launch, commit canoe waikiki, commit oahu_warrior waikiki, commit oahu_warrior waikiki, done"
FIRST_ROUND = "panic oahu_warrior, 1, fire john_young, 6, lose kalani, 1, 2, 2, 2, fire royal_guard, 6"
FIGURES = {
    "start.svg": "place kalani waikiki, place oahu_warrior waikiki, place oahu_warrior waikiki, place canoe waikiki, "
    "place canoe waikiki",
    "fleet.svg": LOADED,
    "sighted.svg": f"{BOUND}, 2",
    "sea.svg": f"{BOUND}, 2, {WAR_FLEET}, 5, 2, 4, 1, 1",
    "land.svg": f"{BOUND}, 5, 5, 2, 4, 6, lose kalani, 1, fire john_young, 1, 1, fire thunderers, 4",
    "cliff.svg": f"{BOUND}, 5, 6, 1, 4, 4, {FIRST_ROUND}, 1, 1, 1, 1, 1, 1, 1, 3",
}
"""Actions by their texts and dice by their faces, from June on; `start.svg` begins the long game."""

GRID = "grid.svg"
NAMES = (*FIGURES, GRID)
"""All figures."""


def position(name: str) -> State:
    """Return the position of a figure."""
    if name == "start.svg":
        state = Game(scenario="long").initial_state(chance="explicit", trace=True)
    else:
        state = Game().position(turn="june", half="kamehameha", phase="movement", fleet_moves=3, units=JUNE)
        state.start_trace()
    for move in FIGURES[name].split(", "):
        if move.isdigit():
            state.apply_chance(int(move))
        else:
            state.apply(state.game.parse_action(state, move))
    return state


def draw_grid(middle: str = "1134") -> str:
    """Return the hexes of taranaki, and the same in the grid of `to_grid`: one hex and the six next to it, by side."""
    game, unit = MaoriWars(scenario="taranaki"), 22.0
    near = {int(hex_): str(side) for side, hex_ in enumerate(game.neighbours[game.hexes.index(middle)])}
    rough, (rows, columns) = game.map_planes[1], game.to_grid(game.map_planes).shape[1:]
    corner = min(int(id_[:2]) for id_ in game.hexes), min(int(id_[2:]) for id_ in game.hexes)
    tall, parts, right = 2 * unit / 3**0.5, [], 300.0
    for row in range(rows):
        for column in range(columns):
            at = f'x="{right + unit * column:.1f}" y="{30 + unit * row:.1f}" width="{unit}" height="{unit}"'
            parts.append(f'<rect {at} fill="#FFFFFF" stroke="#D5DADD"/>')
    for number, (id_, (row, column)) in enumerate(zip(game.hexes, game.grid_index.tolist(), strict=True)):
        own = id_ == middle
        fill = "#E2A33C" if own else "#F3D9A4" if number in near else "#A9BF93" if rough[number] else "#DDE6C9"
        across, down = int(id_[:2]) - corner[0], int(id_[2:]) - corner[1]
        x, y = 34 + 0.75 * tall * across, 44 + unit * (down + (0 if int(id_[:2]) % 2 else 0.5))
        u, v, label = right + unit * (column + 0.5), 30 + unit * (row + 0.5), near.get(number, middle if own else "")
        points = [(tall / 2, 0), (tall / 4, unit / 2), (-tall / 4, unit / 2)]
        outline = " ".join(f"{x + s * a:.1f},{y + s * b:.1f}" for s in (1, -1) for a, b in points)
        parts.append(f'<polygon points="{outline}" fill="{fill}" stroke="#5B6770"/>')
        parts.append(
            f'<rect x="{u - unit / 2:.1f}" y="{v - unit / 2:.1f}" width="{unit}" height="{unit}" fill="{fill}" '
            'stroke="#5B6770"/>'
        )
        parts += [f'<text x="{a:.1f}" y="{b + 3.5:.1f}">{label}</text>' for a, b in ((x, y), (u, v)) if label]
    wide, high = right + unit * columns + 12, max(30 + unit * rows, 44 + unit * 11) + 12
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide:.0f} {high:.0f}" width="{wide:.0f}" '
        f'height="{high:.0f}" font-family="sans-serif" font-size="10" text-anchor="middle" fill="#24303A">'
        f'<rect width="100%" height="100%" fill="#F7F8F6"/><text x="120" y="18" font-size="12">37 hexes</text>'
        f'<text x="{right + unit * columns / 2:.0f}" y="18" font-size="12">{rows} x {columns}</text>'
        f"{''.join(parts)}</svg>"
    )


def draw(name: str) -> str:
    """Return a figure as an SVG document; a position with the legal choices ringed and the last events."""
    if name == GRID:
        return draw_grid() + "\n"
    state = position(name)
    events = list(state.trace or [])[-8:]
    return render_svg(state, legal=state.current_player >= 0, events=events) + "\n"


if __name__ == "__main__":
    for figure in NAMES:
        (FOLDER / figure).write_text(draw(figure), encoding="utf-8")
        print(f"wrote docs/figures/{figure}")
