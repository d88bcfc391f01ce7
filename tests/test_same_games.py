"""Seeded games of all shipped games are what they always were: digests of all that a game tells on its way.

The rules may be written anew, the games stay. ``python tests/test_same_games.py`` writes the digests of the code as it
is; they change with a game's rules, data, action table or observation, and with nothing else.
"""

from __future__ import annotations

import hashlib
import json
import random
from pathlib import Path
from typing import Any

import pytest

from hawaii_env import games
from hawaii_env.game import CHANCE, SPECTATOR, Game, State

KEPT = Path(__file__).with_suffix(".json")
WANTED: dict[str, str] = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}


def variants() -> dict[str, tuple[str, dict[str, Any]]]:
    """Return each scenario and each option of each game once, the others as they are shipped."""
    found: dict[str, tuple[str, dict[str, Any]]] = {}
    for spec in games.shipped():
        options = {option.name: option.choices or () for option in spec.options}
        if "scenario" in options:
            options["scenario"] = tuple(spec.make().ruleset.scenarios)  # pyright: ignore[reportAttributeAccessIssue]
        for name, values in options.items():
            found |= {f"{spec.name} {name}={value}": (spec.name, {name: value}) for value in values}
    return found


GAMES = variants()


def told(state: State) -> bytes:
    """Return all that a position tells of itself."""
    players = range(state.game.num_players)
    found: list[Any] = [state.to_json(secrets=True), state.returns(), state.outcome()]
    found += [state.view(player).to_dict() for player in (*players, SPECTATOR)]
    found += [state.for_search(player).to_json(secrets=True) for player in players]
    found.append(state.resample(len(players) - 1, seed=5).to_json(secrets=True))
    found += [state.observation(player, raw=raw).tobytes() for player in players for raw in (False, True)]
    return repr(found).encode()


def digest(game: Game, seed: int, decisions: int) -> str:
    """Return the digest of random play: choices, observations, now and then all that is told, and chance nodes."""
    state, explicit = game.initial_state(seed=seed, trace=True), game.initial_state(chance="explicit")
    choose = random.Random(seed)
    found = hashlib.sha256(f"{game.ruleset_hash} {game.action_table_hash}".encode())
    for step in range(decisions):
        if state.is_terminal:
            found.update(told(state) + repr(state.trace).encode())
            state = state.begin_after(game, trace=True)
        player, legal = state.current_player, state.legal_actions()
        found.update(repr((player, state.phase, legal)).encode() + state.observation(player, raw=True).tobytes())
        found.update(told(state) if step % 29 == 0 else b"")
        state.apply(choose.choice(legal))
        if explicit.current_player == CHANCE:
            outcomes = explicit.chance_outcomes()
            found.update(repr([(*one, explicit.chance_text(one[0])) for one in outcomes]).encode())
            explicit.apply_chance(choose.choice(outcomes)[0])
        elif not explicit.is_terminal:
            explicit.apply(choose.choice(explicit.legal_actions()))
    found.update(told(state) + told(explicit) + repr(state.trace).encode())
    return found.hexdigest()[:16]


def digests(name: str, decisions: int) -> str:
    game, options = GAMES[name]
    return digest(games.load_game(game, **options), 7, decisions)


@pytest.mark.parametrize("name", GAMES)
def test_games_begin_as_they_always_did(name: str) -> None:
    assert digests(name, 60) == WANTED[name]


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_games_are_what_they_always_were(name: str) -> None:
    assert digests(name, 1500) == WANTED[f"{name}, long"]


if __name__ == "__main__":
    kept = {f"{name}{part}": digests(name, n) for name in GAMES for part, n in (("", 60), (", long", 1500))}
    KEPT.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
