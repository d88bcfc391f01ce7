"""Draw the figures of docs/hawaii1795.md: positions of *Hawaii, 1795* with the moves and dice that lead to them.

    python docs/make_figures.py

A test draws them again and compares, so they change with the rules, the data and the renderer.
"""

from __future__ import annotations

from pathlib import Path

from hawaii_env.hawaii1795 import Game, State
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


def draw(name: str) -> str:
    """Return a figure as an SVG document, with the legal choices ringed and the last events."""
    state = position(name)
    events = list(state.trace or [])[-8:]
    return render_svg(state, legal=state.current_player >= 0, events=events) + "\n"


if __name__ == "__main__":
    for figure in FIGURES:
        (FOLDER / figure).write_text(draw(figure), encoding="utf-8")
        print(f"wrote docs/figures/{figure}")
