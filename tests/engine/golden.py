"""Whole games as readable text: written, read back and played again.

    python -m engine.golden        (in tests/; PYTHONPATH must have the project's root)

writes tests/golden/*.txt anew. They are played by a ruleset that is not tuned any more. Write them anew when the rules
change on purpose, read the difference, and say in the header line `# reviewed:` what was looked at. `test_golden.py`
plays every file again from its own decisions and outcomes. """  # fmt: skip

from __future__ import annotations

import random
import re
from collections import Counter
from pathlib import Path
from typing import Any

from hawaii_env.game import CHANCE, Chance, Decision
from hawaii_env.hawaii1795 import Game
from hawaii_env.hawaii1795.game import State
from hawaii_env.hawaii1795.rules.names import SPACES

from .helpers import FIRST_RULES, choose

FOLDER = Path(__file__).resolve().parents[1] / "golden"
RULES = {"rules": FIRST_RULES}
# name: scenario, options, seed of the state, seed of the players
GAMES: dict[str, tuple[dict[str, Any], int, int]] = {
    "long": ({"scenario": "long", **RULES}, 1795, 41),
    "short": ({"scenario": "short", **RULES}, 1796, 24),
    "long-assault-final": ({"scenario": "long", "sea_victor": "assault", "final_check": True, **RULES}, 1797, 38),
    "short-assault": ({"scenario": "short", "sea_victor": "assault", **RULES}, 1798, 21),
}
NOT_REVIEWED = "# reviewed: no"
STEP = re.compile(
    r"  (?P<who>\w+): (?P<text>[^()]+?)(?P<forced> \(the only choice\))?$"
    r"|  \* (?P<kind>\w+) (?P<outcome>\d+) +(?P<told>.*?)(?P<only> \(the only card\))?$"
)


def board(state: State) -> list[str]:
    """The position in a few lines: who stands where, what is in the boxes, what is held."""
    view = state.view()
    lines: list[str] = []
    elsewhere = {place for units in view.units.values() for place in units} - set(SPACES)
    for place in (*SPACES, *sorted(elsewhere)):
        for side, units in view.units.items():
            if place in units:
                lines.append(f"    {place:8} {side:10} {counted(units[place])}")
    for side, box in view.box.items():
        lines.append(f"    box      {side:10} {counted(box)}")
    if view.dead:
        lines.append(f"    dead     {', '.join(view.dead)}")
    held = f"; held: {', '.join(view.held)}" if view.held else ""
    decks = ", ".join(f"{side} {''.join(map(str, cards))}" for side, cards in view.decks.items())
    lines.append(f"    Kaua'i: {view.kauai}; cards left: {decks}{held}")
    return lines


def counted(pieces: list[str]) -> str:
    return ", ".join(f"{n} {piece}" if n > 1 else piece for piece, n in Counter(pieces).items())


def told(event: Decision | Chance, game: Game) -> str:
    """An event as a line."""
    if isinstance(event, Chance):
        return f"  * {event.kind} {event.outcome}  {event.text}{' (the only card)' if event.forced else ''}"
    forced = " (the only choice)" if event.forced else ""
    return f"  {game.agents[event.player].removesuffix('_0').removesuffix('_1')}: {event.text}{forced}"


class Script:
    """Writes a game down while it is played, half by half."""

    def __init__(self, state: State) -> None:
        self.state, self.lines = state, ["", "set-up"]
        self.half = ("", "")
        self.told = 0

    def catch_up(self) -> None:
        """Write what has happened since the last time; a new half begins with the board."""
        trace = self.state.trace or []
        for event in trace[self.told :]:
            self.lines.append(told(event, self.state.game))
        self.told = len(trace)
        view = self.state.view()
        if (view.turn, view.half) != self.half and view.phase != "setup":
            self.half = (view.turn, view.half)
            self.lines += ["", f"{view.turn}, {view.half}", *board(self.state)]

    def end(self) -> str:
        """The whole text, without its header."""
        outcome = self.state.outcome()
        assert outcome is not None
        winner = (
            "a tie"
            if outcome.winner is None
            else self.state.game.agents[outcome.winner].removesuffix("_0").removesuffix("_1")
        )
        self.lines += ["", f"end: {winner}; {outcome.reason}", *board(self.state), ""]
        return "\n".join(self.lines)


def write(name: str, **changes: Any) -> str:
    """Play a game, with changes of its options, and return its text."""
    params, seed, players = GAMES[name]
    rng = random.Random(players)
    # Chance is told, so that each die and what it brings about stand in one place of the text.
    dice = random.Random(seed)
    state = Game(**{**params, **changes}).initial_state(chance="explicit", trace=True)
    script = Script(state)
    while not state.is_terminal:
        script.catch_up()
        if state.current_player == CHANCE:
            state.apply_chance(dice.choice(state.chance_outcomes())[0])
        else:
            state.apply(choose(state, rng))
    script.catch_up()
    return script.end()


def header(name: str, reviewed: str) -> str:
    """The first lines of a file."""
    params = ", ".join(
        f"{key}={value.name if isinstance(value, Path) else value}" for key, value in GAMES[name][0].items()
    )
    return "\n".join(
        [
            f"# A whole game of Hawaii, 1795: {params}; played at random, boldly.",
            "# Lines: a decision (`side: text`), a chance outcome (`* kind outcome  text`), the board as each half "
            "begins.",
            "# Written by `cd tests && PYTHONPATH=.. HAWAII_ENV_PLAIN=1 python -m engine.golden`; compared by "
            "tests/engine/test_golden.py.",
            reviewed,
        ]
    )


def reviewed_line(text: str) -> str:
    """The lines of a file's header that say what was reviewed."""
    lines = text.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith("# reviewed:")), None)
    if start is None:
        return NOT_REVIEWED
    end = next(i for i in range(start, len(lines) + 1) if i == len(lines) or not lines[i].startswith("#"))
    return "\n".join(lines[start:end])


def play_again(name: str, text: str, **changes: Any) -> str:
    """Play the decisions and outcomes of what `write` gave; return the text that they give, without the header."""
    state = Game(**{**GAMES[name][0], **changes}).initial_state(chance="explicit", trace=True)
    script = Script(state)
    for line in text.splitlines():
        found = STEP.match(line)
        if found is None or found["forced"] or found["only"]:
            continue
        script.catch_up()
        if found["kind"]:
            assert found["kind"] == state.phase, f"{line!r} in phase {state.phase}"
            state.apply_chance(int(found["outcome"]))
        else:
            state.apply(state.game.parse_action(state, found["text"]))
    script.catch_up()
    return script.end()


def main() -> None:
    """Write every file anew; what a header says of a review is kept only where the game is the same."""
    FOLDER.mkdir(exist_ok=True)
    for name in GAMES:
        path, game = FOLDER / f"{name}.txt", write(name)
        old = path.read_text(encoding="utf-8") if path.exists() else ""
        same = old.endswith("\n" + game)
        path.write_text(f"{header(name, reviewed_line(old) if same else NOT_REVIEWED)}\n{game}", encoding="utf-8")
        print(f"{path.name}: {'the same game' if same else 'changed'}, {len(game.splitlines())} lines")


if __name__ == "__main__":
    main()
