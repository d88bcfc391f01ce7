"""Make the pictures of the README and of docs/: a recorded game as a GIF, two of its positions, and one of each other
game.

    python docs/make_pictures.py [game.jsonl]

Without a record it plays a game of its own, guided search against itself, the same each time. Needs the extras
``render`` and ``agents``.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import hawaii_env
from hawaii_env import games
from hawaii_env.game import Decision, Event, State
from hawaii_env.hawaii1795 import Game
from hawaii_env.records import game_of, read, replay
from hawaii_env.render.animate import animate
from hawaii_env.render.picture import render_svg, to_png

FOLDER = Path(__file__).resolve().parent / "pictures"
PLAYER = "guided:sims=200"
SEED = 6
OTHERS: dict[str, tuple[dict[str, Any], str, int]] = {
    # game: its options, who plays, and after how many decisions it is shown
    "heiau": ({"scenario": "discovery"}, "heiau-greedy", 120),
    "aloha": ({"players": 4}, "aloha-greedy", 40),
}


def map_of(path: Path) -> tuple[State, list[Event]]:
    """A position in which units march and sail, from the middle of the game: the one with the most pieces on the
    map.
    """
    record = read(path)
    best, most, recent = None, -1, list[Event]()
    for number, (_, state) in enumerate(replay(record, game_of(record))):
        view = state.view()
        if view.phase != "movement" or view.battle is not None or view.turn in ("january", "february"):
            continue
        size = sum(len(pieces) for places in view.units.values() for pieces in places.values())
        if size > most:
            best, most, recent = state.clone(), size, record.events[max(0, number - 7) : number + 1]
    if best is None:
        raise SystemExit(f"{path} ends before March")
    return best, list(recent)


def battle_of(path: Path) -> tuple[State, list[Event]]:
    """The position of a record with the most pieces in a battle, while a loss is chosen, and what happened before
    it.
    """
    record = read(path)
    best, most, events = None, -1, []
    for number, (_, state) in enumerate(replay(record, game_of(record))):
        view = state.view()
        if view.battle is None or view.phase not in ("loss", "panic"):
            continue
        there = [view.units[side].get(view.field or "", []) for side in view.units]
        size = min(len(pieces) for pieces in there[:2]) * 100 + sum(map(len, there))
        if size > most:
            best, most, events = state.clone(), size, record.events[max(0, number - 7) : number + 1]
    if best is None:
        raise SystemExit(f"{path} has no battle")
    return best, list(events)


def other(name: str, path: Path) -> tuple[State, list[Event]]:
    """A position of a game of an agent against itself, and what happened before it."""
    options, player, decisions = OTHERS[name]
    game = games.load_game(name, **options)
    hawaii_env.play(game, [player] * game.num_players, seed=SEED, record=path)
    record = read(path)
    made = 0
    for number, (event, state) in enumerate(replay(record, game_of(record))):
        made += isinstance(event, Decision)
        if made == decisions:
            return state.clone(), list(record.events[max(0, number - 7) : number + 1])
    raise SystemExit(f"{name}: its game has fewer than {decisions} decisions")


def entered() -> State:
    """Orders of Heiau Diplomacy while a power enters them."""
    game = games.load_game("heiau", scenario="clans")
    state = game.initial_state(seed=SEED)
    for text in ("B kilauea - wailua", "B kohoolawe - alalakeiki", "B puna - kalae"):
        state.apply(game.parse_action(state, text))
    for text in ("B waimea - kilauea", "B lahaina - honuaula", "B hamakua S B kona_kailua - kawaihae"):
        state.apply(game.parse_action(state, text))
    return state


def main() -> None:
    """Write the pictures."""
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(folder) / "game.jsonl"
        if not path.exists():
            hawaii_env.play(Game(), [PLAYER, PLAYER], seed=SEED, record=path)
        made = animate(path, FOLDER / "game.gif", width=720, frames=100, milliseconds=800, colours=128)
        shown = {"map": map_of(path), "battle": battle_of(path)}
        shown |= {name: other(name, Path(folder) / f"{name}.jsonl") for name in OTHERS}
    shown["heiau_orders"] = entered(), []
    for name, (state, events) in shown.items():
        drawing = render_svg(state, legal=True, events=events)
        (FOLDER / f"{name}.png").write_bytes(to_png(drawing, 1000))
    print(f"{made.path}: {made.frames} pictures, {made.seconds:.0f} s, {made.bytes / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
