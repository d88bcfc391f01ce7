"""Positions, scripts of play and looks at the result, for the tests of the rules.

A script is a row of steps for `do`: a text is an action and must be legal just so, a number is what chance brings,
`REST` lets the unit that fires miss with the dice that it has left. Decisions with one choice are taken by the
engine, so that a script leaves them out.
"""

from __future__ import annotations

import copy
import random
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from moves import step, texts

from hawaii_env import hawaii1795
from hawaii_env.game import CHANCE, Decision
from hawaii_env.hawaii1795 import Game
from hawaii_env.hawaii1795.game import State
from hawaii_env.hawaii1795.rules import names

K, A = "kamehameha", "allied"
ENEMY = {K: A, A: K}
SPACES = names.SPACES

SHIPPED = Game()
# The scripts of these tests count on its strengths and fleet moves. The shipped numbers may be tuned; rules may not.
PINNED = Game(rules=Path(__file__).parents[1] / "reconstructed-1")
# Its Battle Results Table.
RESULTS = {
    "non_elite": ["none", "none", "none", "panic", "panic", "elimination"],
    "elite": ["none", "none", "panic", "panic", "elimination", "elimination"],
}


def variant(*, scenario: str = "long", sea_victor: str = "repulsed", final_check: bool = False, **files: Any) -> Game:
    """The game with a ruleset changed in places, as `pieces={"allied.kalani.elite": False}`; all else as in
    `PINNED`.
    """
    content = copy.deepcopy(PINNED.ruleset.content)
    for name, changes in files.items():
        for path, value in changes.items():
            table = content[f"{name}.toml"]
            *way, last = path.split(".")
            for key in way:
                table = table[key]
            table[last] = value
    return Game(scenario, content, final_check, sea_victor)


GAME = variant()
SHORT = variant(scenario="short")
ASSAULT = variant(sea_victor="assault")
FINAL = variant(final_check=True)

PACKAGE = Path(hawaii1795.__file__).parent
REST = "(misses with the rest)"

Units = Mapping[str, list[str]]


def _face(result: str) -> int:
    """A face of the die that brings a result in every column of the Battle Results Table."""
    columns = [GAME.ruleset.results.column(role, elite) for role in (0, 1) for elite in (0, 1)]
    return next(face for face in range(1, 7) if all(c is not None and c[face - 1] == result for c in columns))


MISS, PANIC, HIT = _face("none"), _face("panic"), _face("elimination")


def at(half: str, phase: str, ours: Units, theirs: Units | None = None, *, game: Game = GAME, **fields: Any) -> State:
    """A position of the side whose half it is (`ours`: place -> pieces) and its enemy; in June if not told."""
    units: dict[str, Any] = {half: ours, ENEMY[half]: theirs or {}}
    if "neutral" in fields:
        units["neutral"] = fields.pop("neutral")
    return game.position(**{"turn": "june", "half": half, "phase": phase, "units": units, **fields})


def moving(half: str, ours: Units, theirs: Units | None = None, *, fleets: int = 0, **fields: Any) -> State:
    """A movement phase; `fleets`: fleet moves left."""
    return at(half, "movement", ours, theirs, fleet_moves=fleets, **fields)


def battle(space: str, attackers: list[str], defenders: list[str], *, half: str = K, ours: Units | None = None,
           theirs: Units | None = None, **fields: Any) -> State:  # fmt: skip
    """A land battle about to be fought: attackers without marks have landed by canoe, `pike/hilo` has marched."""
    return at(half, "battle_order", {space: attackers, **(ours or {})}, {space: defenders, **(theirs or {})}, **fields)


def fleet(space: str, aboard: list[str], there: list[str], *, half: str = K, ours: Units | None = None,
          theirs: Units | None = None, **fields: Any) -> State:  # fmt: skip
    """A fleet at sea before a space, about to come in: every piece of it with its origin, as `canoe/kona`."""
    return at(half, "approach", {f"sea/{space}": aboard, **(ours or {})}, {space: there, **(theirs or {})}, **fields)


def choices(state: State, verb: str) -> set[str]:
    """What stands behind a verb in the legal actions."""
    return {text.split(" ", 1)[1] for text in texts(state) if text.startswith(verb + " ")}


def do(state: State, *script: str | int) -> State:
    """Play a script; every step must be possible just as it is written."""
    for n, move in enumerate(script):
        where = f"step {n}, {move!r}, in phase {state.phase}"
        if move == REST:
            for _ in range(fought(state)["dice"] if state.phase == "hit_die" else 0):
                state.apply_chance(MISS)
        elif isinstance(move, int):
            assert state.current_player == CHANCE, f"{where}: {texts(state)}"
            state.apply_chance(move)
        else:
            legal = texts(state)
            assert move in legal, f"{where}: {legal}"
            state.apply(state.legal_actions()[legal.index(move)])
    state.game.invariants(state)
    return state


def fire(state: State, unit: str, *steps: str | int) -> State:
    """Fire a unit, asked or forced, and go on with these steps."""
    if state.phase == "fire":
        do(state, f"fire {unit}")
    assert firing(state).split("/")[0] == unit
    return do(state, *steps)


def miss(state: State) -> State:
    """Everybody who has not fired yet in this round fires and misses."""
    while state.phase in ("fire", "hit_die"):
        do(state, REST) if state.phase == "hit_die" else do(state, texts(state)[0])
    return state


def advantage(state: State, side: str) -> State:
    """Roll advantage dice that give it to a side, whatever is added to them."""
    assert state.phase == "advantage", state.phase
    return do(state, *((6, 1) if side == K else (1, 6)))


def launch(state: State, *units: str, canoes: int = 1) -> State:
    """Launch a war fleet of so many canoes and these units, each as `brown waikiki`; forced steps are passed over."""
    do(state, "launch")
    space = state.view().field
    while sum("canoe" in piece for piece in pieces(state, ENEMY[state.view().half], "war")) < canoes:
        do(state, f"commit canoe {space}")
    wanted = [unit.replace(" ", "/") for unit in units]
    for n, unit in enumerate(units):
        aboard = marked(state, ENEMY[state.view().half], "war")
        if aboard.count(wanted[n]) < wanted[: n + 1].count(wanted[n]):
            do(state, f"commit {unit}")
    if state.phase == "commit":
        do(state, "done")
    aboard = [p for p in marked(state, ENEMY[state.view().half], "war") if "canoe" not in p]
    assert sorted(aboard) == sorted(wanted), aboard
    return state


def dice(kind: str) -> int:
    """Dice that a kind of piece rolls, by the ruleset."""
    strength = GAME.ruleset.pieces[names.KINDS.index(kind)].strength
    assert strength is not None
    return strength


def firing(state: State) -> str:
    """The unit whose dice are being rolled."""
    fought = state.view().battle
    assert fought is not None and fought["firer"] is not None, state.phase
    return fought["firer"]


def fought(state: State) -> dict[str, Any]:
    """The battle in progress."""
    found = state.view().battle
    assert found is not None
    return found


def marked(state: State, side: str, place: str) -> list[str]:
    """A side's pieces in a place with their marks, in the order of the table of pieces."""
    return state.view().units[side].get(place, [])


def pieces(state: State, side: str, place: str) -> list[str]:
    """A side's pieces in a place, without their marks."""
    return [text.split("/")[0] for text in marked(state, side, place)]


def box(state: State, side: str, kind: str) -> int:
    """How many pieces of a kind are in a side's box."""
    return state.view().box[side].count(kind)


def ended(state: State) -> tuple[str | None, str]:
    """Who has won, and the section of the reason."""
    view = state.view()
    return view.winner, view.reason[view.reason.find("[") :].strip("[]").split(",")[0] if view.reason else ""


def traced(state: State) -> State:
    """From now on the state notes what happens, forced decisions too."""
    state.trace = []
    return state


def forced(state: State) -> list[str]:
    """The decisions with one choice that the engine has taken since `traced`."""
    assert state.trace is not None
    return [event.text for event in state.trace if isinstance(event, Decision) and event.forced]


def drawn(half: str, number: int, ours: Units, theirs: Units | None = None, **fields: Any) -> State:
    """A card has just been drawn, in March unless `turn` says else."""
    state = at(half, "card", ours, theirs, **{"turn": "march", **fields})
    return do(state, number)


def idle(state: State) -> State:
    """One decision of somebody who does nothing that he need not do, and recruits far from enemies."""
    legal = texts(state)
    assert legal, f"chance in phase {state.phase}"
    return do(state, "done" if "done" in legal else "pass" if "pass" in legal else legal[-1])


def end_of_half(state: State) -> State:
    """Pass through the rest of a half in which nothing is pending, up to the next draw, fixed card or the game's end.

    A state at such a point already, because its half asked nothing, is left as it is.
    """
    half, turn = state.view().half, state.view().turn
    while not state.is_terminal and state.phase != "card" and (state.view().half, state.view().turn) == (half, turn):
        idle(state)
    return state


@cache
def random_halves() -> list[State]:
    """Where a half begins, with a card to be drawn, in ten random games."""
    rng = random.Random(1795)
    found: list[State] = []
    for _ in range(10):
        state = GAME.initial_state(chance="explicit")
        while not state.is_terminal:
            if state.phase == "card":
                found.append(state.clone())
            step(state, rng)
    return found


# What the fields of a state are where nothing is going on: no card in effect, no fleet under way, no battle.
NOTHING: dict[str, Any] = {
    "arrived_from": [0] * 39, "panicked": [0] * 39, "carried": [0] * 39, "marched": [0] * 39, "fired": [0] * 39,
    "card": -1, "fixed": 0, "event_played": [0, 0], "advantage_bonus": 0, "gunpowder_bonus": 0, "no_sighting": 0,
    "homes": 0, "window": 0, "want": [0] * 24, "fleet_moves": 0, "fleet": -1, "pickup": -1, "aboard_units": 0,
    "aboard_leaders": 0, "field": -1, "battle": 0, "second": 0, "earthworks": 0, "war_canoes": 0, "war_units": 0,
    "war_leaders": 0, "first_die": 0, "advantage": -1, "turn_side": 0, "guns": 0, "firing": 0, "firer": -1, "dice": 0,
    "pending_retreat": 0, "from_space": -1, "refuge": -1, "canoes_lost": 0, "winner": -1, "reason": 0,
}  # fmt: skip


def toml(path: Path) -> dict[str, Any]:
    """A TOML file."""
    return tomllib.loads(path.read_text(encoding="utf-8"))
