"""Random games, and looks at what they go through, for the tests of the engine."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from hawaii_env.game import CHANCE
from hawaii_env.hawaii1795 import Game
from hawaii_env.hawaii1795.game import State
from hawaii_env.hawaii1795.positions import check_position
from hawaii_env.hawaii1795.rules.names import PHASES
from hawaii_env.hawaii1795.rules.state import STATE

ROOT = Path(__file__).resolve().parents[2]
FIRST_RULES = ROOT / "tests" / "reconstructed-1"
"""A ruleset whose numbers are not tuned any more: what was worked out by hand, and digests, are of it."""
LONG = Game()
SHORT = Game(scenario="short")
ASSAULT = Game(sea_victor="assault", final_check=True)
SHORT_ASSAULT = Game(scenario="short", sea_victor="assault", final_check=True)
GAMES = (LONG, SHORT, ASSAULT, SHORT_ASSAULT)
PINNED = tuple(Game(game.scenario, FIRST_RULES, game.final_check, game.sea_victor) for game in GAMES)

# Decisions in which a random player ends a phase too soon to see much of the game.
_TIMID = {"movement": "done", "cargo": "done", "window": "pass", "launch": "pass"}


def choose(state: State, rng: random.Random, bold: bool = True) -> int:
    """A random decision; a bold player seldom ends a phase that could go on."""
    legal = state.legal_actions()
    if bold and state.phase in _TIMID and rng.random() < 0.85:
        text = state.game.action_text
        legal = [a for a in legal if text(a) != _TIMID[state.phase]] or legal
    return rng.choice(legal)


def move_on(state: State, rng: random.Random, bold: bool = True) -> tuple[str, int]:
    """One random decision or chance outcome; what it was."""
    if state.current_player == CHANCE:
        outcome = rng.choice(state.chance_outcomes())[0]
        state.apply_chance(outcome)
        return "chance", outcome
    action = choose(state, rng, bold)
    state.apply(action)
    return "decision", action


def nodes(game: Game, seed: int, bold: bool = True, at: str = "") -> Iterator[State]:
    """The positions of a random game with explicit chance, the last one included; with `at`, of that phase only.

    The same object comes again and again, one step further: clone what is to be kept, and do not change it.
    """
    rng = random.Random(seed)
    state = game.initial_state(chance="explicit")
    while True:
        if not at or state.phase == at:
            yield state
        if state.is_terminal:
            return
        move_on(state, rng, bold)


def sample(count: int, seed: int = 0, rate: float = 0.2) -> list[State]:
    """Positions of random games of all scenarios and options, each phase of a game at least once."""
    found: list[State] = []
    rng = random.Random(seed)
    number = 0
    while len(found) < count:
        seen: set[str] = set()
        for state in nodes(GAMES[number % len(GAMES)], seed + number):
            if state.phase not in seen or rng.random() < rate:
                seen.add(state.phase)
                found.append(state.clone())
        number += 1
    return found[:count]


def by_phase(seed: int = 0, most: int = 3) -> dict[str, list[State]]:
    """Some positions of every phase that a game has."""
    found: dict[str, list[State]] = {}
    number = 0
    while len(found) < len(PHASES):
        for state in nodes(GAMES[number % len(GAMES)], seed + number):
            kept = found.setdefault(state.phase, [])
            if len(kept) < most:
                kept.append(state.clone())
        number += 1
        assert number < 3000, f"never seen: {set(PHASES) - set(found)}"
    return found


def data_of(state: State) -> bytes:
    """Everything that a state holds, generators too."""
    return np.array(STATE.words(state.data), np.int64).tobytes()


def finish(state: State, seed: int = 0, limit: int = 5000) -> State:
    """Play a state on at random to its end."""
    rng = random.Random(seed)
    for _ in range(limit):
        if state.is_terminal:
            return state
        move_on(state, rng, bold=False)
    raise AssertionError("the game does not end")


def digest_of_games(seeds: range) -> str:
    """Digest of everything that happens in one traced game of each seed, of every scenario and option."""
    digest = hashlib.sha256()
    for seed in seeds:
        state = GAMES[seed % len(GAMES)].initial_state(seed, trace=True)
        rng = random.Random(seed)
        while not state.is_terminal:
            digest.update(state.key())
            move_on(state, rng)
        assert state.trace is not None
        for event in state.trace:
            digest.update(repr(event).encode())
        digest.update(state.to_json(secrets=True).encode())
    return digest.hexdigest()


COUNTED = ("units", "canoes", "leaders", "at_sea", "n_legal", "legal", "generator")
"""Fields that follow from the others, and the generators."""


def numbers_of(state: State) -> dict[str, Any]:
    """Every field of a state but the counted ones and the generators, as the rules hold them."""
    return {name: STATE.get(state.data, name) for name in STATE.fields if name not in COUNTED}


def state_of(game: Game, numbers: dict[str, Any]) -> State:
    """The state of such fields, checked. Raises StateError."""
    record = game.new_state()
    for name, value in numbers.items():
        setattr(record, name, value)
    check_position(game, record)
    return game.state_from_record(record)
