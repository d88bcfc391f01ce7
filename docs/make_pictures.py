"""Make the pictures of the README and of docs/pictures.md: a recorded game as a GIF, and a position as PNG and SVG.

    python docs/make_pictures.py [game.jsonl]

Without a record it plays a game of its own, rule of thumb against rule of thumb. Needs the extra ``render``.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from hawaii_env.game import Event, State
from hawaii_env.hawaii1795 import Game
from hawaii_env.records import RecordWriter, game_of, read, replay
from hawaii_env.render.animate import animate
from hawaii_env.render.picture import render_svg, to_png

FOLDER = Path(__file__).resolve().parent / "pictures"
SEED = 7


def play(path: Path) -> None:
    """Play one game, and record it."""
    from hawaii_agents.rule_of_thumb import RuleOfThumbAgent

    game = Game()
    state = game.initial_state(seed=SEED, trace=True)
    agents = [RuleOfThumbAgent(seed=SEED), RuleOfThumbAgent(seed=SEED + 50)]
    with RecordWriter(path, game, seed=SEED, players=["rule-of-thumb", "rule-of-thumb"]) as writer:
        while not state.is_terminal:
            state.apply(agents[state.current_player].act(state.for_search(), state.legal_actions(), None))
        writer.finish(state)


def battle_of(path: Path) -> tuple[State, list[Event]]:
    """The position of a record with the most pieces in a battle, while a loss is chosen, and what happened before it."""
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


def main() -> None:
    """Write the pictures."""
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(folder) / "game.jsonl"
        if not path.exists():
            play(path)
        made = animate(path, FOLDER / "game.gif", width=720, frames=100, milliseconds=800, colours=96)
        state, events = battle_of(path)
    drawing = render_svg(state, legal=True, events=events)
    (FOLDER / "battle.svg").write_text(drawing + "\n", encoding="utf-8")
    (FOLDER / "battle.png").write_bytes(to_png(drawing, 1000))
    print(f"{made.path}: {made.frames} pictures, {made.seconds:.0f} s, {made.bytes / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
