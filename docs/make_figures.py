"""Make the pictures of docs/rules.md: positions played to the moment that is explained, drawn by the package's own
renderer.

python docs/make_figures.py

A test draws them anew and compares; so they change with the rules, the data and the renderer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from hawaii_env.game import Chance
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

FIRST = ["fleet kona", "pickup kona", "embark warrior_2", "embark warrior_2", "embark john_young", "done"]
SECOND = [
    "sail waikiki",
    "fleet kona",
    "pickup kona",
    "embark royal_guard",
    "embark vancouver",
    "done",
    "sail waikiki",
    "done",
]


def june() -> State:
    """The position, in Kamehameha's movement."""
    state = Game().position(turn="june", half="kamehameha", phase="movement", fleet_moves=3, units=JUNE)
    state.start_trace()
    return state


def play(state: State, moves: Sequence[str | int]) -> State:
    """Play texts of actions and faces of dice."""
    for move in moves:
        if isinstance(move, int):
            state.apply_chance(move)
        else:
            state.apply(state.game.parse_action(state, move))
    return state


def play_until(state: State, there: Callable[[State], bool], dice: Sequence[int], defending: Sequence[int]) -> State:
    """Play on until `there` says so: the first legal action each time, and each side's dice in turn, the last face
    again and again.
    """
    rolled = [0, 0]
    while not there(state):
        if state.current_player >= 0:
            state.apply(state.legal_actions()[0])
            continue
        battle = state.view().battle
        if battle is None:
            raise AssertionError("the battle ended first")
        # Kamehameha attacks in all of them; he rolls for the advantage first.
        side = int(battle["first_die"] > 0) if state.phase == "advantage" else int(battle["firing"] == "allied")
        faces = (dice, defending)[side]
        state.apply_chance(faces[min(rolled[side], len(faces) - 1)])
        rolled[side] += 1
    return state


def hits(state: State) -> int:
    """How many dice have been rolled to hit."""
    return sum(isinstance(event, Chance) and event.kind == "hit_die" for event in state.trace or [])


def start() -> State:
    """The long game as it begins, the Allied pieces of O'ahu placed."""
    state = Game(scenario="long").initial_state(chance="explicit", trace=True)
    while state.phase == "setup":
        texts = [state.game.action_text(action) for action in state.legal_actions()]
        state.apply(state.game.parse_action(state, next(text for text in texts if text.endswith("waikiki"))))
    return state


def fleet() -> State:
    """A canoe loaded at Kona; its destinations are ringed."""
    return play(june(), FIRST)


def sighted() -> State:
    """Both fleets before Waikiki, seen by the defender, who may launch."""
    return play(june(), [*FIRST, *SECOND, 2])


def sea() -> State:
    """A war fleet meets them: shots have been fired."""
    state = play(sighted(), ["launch", "commit canoe waikiki"])
    state = play(state, ["commit oahu_warrior waikiki", "commit oahu_warrior waikiki", "done"])
    return play_until(state, lambda s: hits(s) >= 3 and s.current_player >= 0, [5, 4, 1], [2, 4, 3])


def land() -> State:
    """The fleets came unseen, and the first battle is being fought."""
    state = play(june(), [*FIRST, *SECOND, 5])
    return play_until(state, lambda s: hits(s) >= 6 and s.current_player >= 0, [5, 4, 6, 1], [2, 4, 1])


def cliff() -> State:
    """The second battle: the attackers stand inland, the defenders have fallen back."""
    state = play(june(), [*FIRST, *SECOND, 5])

    def second(state: State) -> bool:
        battle = state.view().battle
        return battle is not None and battle["second"] and state.phase in ("fire", "hit_die")

    return play_until(state, second, [6, 4, 4, 1, 6, 1, 6, 1], [1, 2, 2, 2, 3])


FIGURES: dict[str, Callable[[], State]] = {
    "start.svg": start,
    "fleet.svg": fleet,
    "sighted.svg": sighted,
    "sea.svg": sea,
    "land.svg": land,
    "cliff.svg": cliff,
}


def draw(name: str) -> str:
    """Return a picture as an SVG document; its choices are ringed, its last events told."""
    state = FIGURES[name]()
    events = list(state.trace or [])[-8:]
    return render_svg(state, legal=state.current_player >= 0, events=events) + "\n"


def main() -> None:
    """Write the pictures."""
    FOLDER.mkdir(exist_ok=True)
    for name in FIGURES:
        (FOLDER / name).write_text(draw(name), encoding="utf-8")
        print(f"wrote docs/figures/{name}")


if __name__ == "__main__":
    main()
