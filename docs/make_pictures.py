"""Make the pictures of the README and of docs/: a recorded game as a GIF, two of its positions, and one of each other
game.

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
    "maori_wars": ({"scenario": "taranaki"}, "maori-greedy", 98),
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


def main() -> None:
    """Write the pictures."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(folder) / "game.jsonl"
        if not path.exists():
            hawaii_env.play("hawaii1795", ["guided:sims=200"] * 2, seed=SEED, record=path)
        made = animate(path, FOLDER / "game.gif", width=720, frames=100, milliseconds=800, colours=128)
        shown = {"map": moment(path, pieces_on_map), "battle": moment(path, units_in_battle)}
        for name, (options, player, events) in OTHERS.items():
            game, record = hawaii_env.load_game(name, **options), Path(folder) / f"{name}.jsonl"
            hawaii_env.play(game, [player] * game.num_players, seed=SEED, record=record)
            shown[name] = moment(record, lambda state, number, last=events: number if number < last else -1)
    entered = hawaii_env.load_game("heiau", scenario="clans").initial_state(seed=SEED)
    for text in ORDERS:
        entered.apply(entered.game.parse_action(entered, text))
    for name, (state, events) in {**shown, "heiau_orders": (entered, [])}.items():
        (FOLDER / f"{name}.png").write_bytes(to_png(render_svg(state, legal=True, events=events), 1000))
    print(f"{made.path}: {made.frames} pictures, {made.seconds:.0f} s, {made.bytes / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
