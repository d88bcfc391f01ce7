"""Make the pictures of the README and of docs/: a recorded game as a GIF, two of its positions, one of each other game,
and of Maori Wars a GIF and a dark picture, too.

    python docs/make_pictures.py [game.jsonl]

Without a record it plays a game of its own, guided search against itself, the same each time. Needs the extras
``render`` and ``agents``.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hawaii_env
from hawaii_env.game import Event, State
from hawaii_env.records import game_of, read, replay
from hawaii_env.render.animate import animate
from hawaii_env.render.picture import render_svg, to_png

FOLDER = Path(__file__).resolve().parent / "pictures"
SEED = 6
OTHERS: dict[str, tuple[dict[str, Any], str, int]] = {
    # game: its options, who plays, and after how many events it is shown
    "heiau": ({"scenario": "discovery"}, "heiau-greedy", 120),
    "aloha": ({"players": 4}, "aloha-greedy", 64),
    "maori_wars": ({"scenario": "taranaki"}, "maori-greedy", 56),
}
ORDERS = (
    "B kilauea - wailua", "B kohoolawe - alalakeiki", "B puna - kalae", "B waimea - kilauea", "B lahaina - honuaula",
    "B hamakua S B kona_kailua - kawaihae",
)  # fmt: skip
"""Orders of Heiau Diplomacy that are shown while a power enters them."""


def pieces_on_map(state: State, number: int) -> int:
    """Return the number of pieces on the map during movement from March on, or -1."""
    view: Any = state.view()
    if view.phase != "movement" or view.battle is not None or view.turn in ("january", "february"):
        return -1
    return sum(len(pieces) for places in view.units.values() for pieces in places.values())


def units_in_battle(state: State, number: int) -> int:
    """Return a measure of the units in a battle while a loss is chosen, or -1."""
    view: Any = state.view()
    if view.battle is None or view.phase not in ("loss", "panic"):
        return -1
    there = [view.units[side].get(view.field or "", []) for side in view.units]
    return min(len(pieces) for pieces in there[:2]) * 100 + sum(map(len, there))


def moment(path: Path, value: Callable[[State, int], int]) -> tuple[State, list[Event]]:
    """Return the first position of a record with the greatest value, and the events that lead to it."""
    record = read(path)
    found = [
        (value(state, number), -number, state.clone())
        for number, (_, state) in enumerate(replay(record, game_of(record)))
    ]
    most, number, state = max(found, key=lambda one: one[:2])
    if most < 0:
        raise SystemExit(f"{path} has no such moment")
    return state, list(record.events[max(0, -number - 7) : 1 - number])


def others(folder: Path) -> dict[str, tuple[State, list[Event]]]:
    """Return the position that is shown of each other game, with the events before it; their records are kept in a
    folder.
    """
    shown: dict[str, tuple[State, list[Event]]] = {}
    for name, (options, player, events) in OTHERS.items():
        game, record = hawaii_env.load_game(name, **options), folder / f"{name}.jsonl"
        hawaii_env.play(game, [player] * game.num_players, seed=SEED, record=record)
        shown[name] = moment(record, lambda state, number, last=events: number if number < last else -1)
    return shown


def draw(shown: dict[str, tuple[State, list[Event]]]) -> None:
    """Write pictures of positions, by name."""
    for name, (state, events) in shown.items():
        for dark in (False, True)[: 1 + (name == "maori_wars")]:
            svg = render_svg(state, legal=True, events=events, dark=dark)
            (FOLDER / f"{name}{'_dark' * dark}.png").write_bytes(to_png(svg, 1000))


def main() -> None:
    """Write the pictures."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(folder) / "game.jsonl"
        if not path.exists():
            hawaii_env.play("hawaii1795", ["guided:sims=200"] * 2, seed=SEED, record=path)
        made = [animate(path, FOLDER / "game.gif", width=720, frames=100, milliseconds=800, colours=128)]
        shown = {"map": moment(path, pieces_on_map), "battle": moment(path, units_in_battle), **others(Path(folder))}
        war = Path(folder) / "maori_wars.jsonl"
        made.append(animate(war, FOLDER / "maori_wars.gif", width=720, frames=48, milliseconds=400, colours=96))
    entered = hawaii_env.load_game("heiau", scenario="clans").initial_state(seed=SEED)
    for text in ORDERS:
        entered.apply(entered.game.parse_action(entered, text))
    draw({**shown, "heiau_orders": (entered, [])})
    for one in made:
        print(f"{one.path}: {one.frames} pictures, {one.seconds:.0f} s, {one.bytes / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
