"""Seeded games and movement phases are what they always were: digests of all that a game tells on its way.

`python -m tests.heiau.test_same_games` prints the digests of the code as it is. They change with the rules, the map,
the action table or the observation, and with nothing else.
"""

from __future__ import annotations

import hashlib
import json
import random
from pathlib import Path
from typing import Any

import pytest

from hawaii_env.game import SPECTATOR, TERMINAL
from hawaii_env.heiau import Game
from hawaii_env.heiau.adjudicator import ARMY, BUNCH, FLEET, SUPPORT, Board, Order, Sight, Unit, adjudicate
from hawaii_env.heiau.ruleset import Ruleset

from .standard import STANDARD

KEPT = Path(__file__).with_name("same_games.json")
BOARD = Ruleset.load().board
GAMES: dict[str, dict[str, Any]] = {
    "race": {}, "duel": {"last_year": 6}, "discrete": {"discrete_start": "kona_kailua"}, "triangle": {}, "clans": {},
    "heart": {"scoring": "sum_of_squares", "last_year": 3}, "wings": {"assignment": "random"},
    "kamaainas": {"scoring": "solo", "last_year": 2},
    "haole": {"last_year": 2}, "discovery": {"posts_win": True}, "two_haoles": {"assignment": "random"},
}  # fmt: skip


def game_digest(scenario: str, seed: int, decisions: int) -> str:
    """Digest of a random game: actions, masks and observations of each decision, now and then all that can be asked."""
    state = Game(scenario=scenario, **GAMES[scenario]).initial_state(seed=seed, trace=True)
    choose, digest = random.Random(seed), hashlib.sha256()
    players = range(state.game.num_players)
    for step in range(decisions):
        if state.is_terminal:
            break
        legal, player = state.legal_actions(), state.current_player
        digest.update(repr((player, state.phase, state.sealed_turn, legal)).encode())
        digest.update(state.observation(player, raw=True).tobytes())
        if step % 29 == 0:
            digest.update(told(state))
        keen = [action for action in legal if not state.game.action_text(action).startswith("hold")]
        state.apply(choose.choice(keen if keen and step % 3 else legal))
    digest.update(told(state))
    digest.update(repr((state.trace, state.outcome(), state.returns())).encode())
    for player in players:
        digest.update(state.observation(player).tobytes())
    return digest.hexdigest()[:16]


def told(state: Any) -> bytes:
    """All that a position tells of itself."""
    players = range(state.game.num_players)
    found = [state.to_json(secrets=True), state.to_json(player=SPECTATOR)]
    found += [json.dumps(state.view(player).to_dict()) for player in players]
    found.append(state.for_search(0).to_json(secrets=True))
    found.append(state.resample(state.game.num_players - 1, seed=5).to_json(secrets=True))
    found.append(hashlib.sha256(b"".join(state.observation(p, raw=True).tobytes() for p in players)).hexdigest())
    if state.current_player not in (TERMINAL,):
        found.append(state.for_search().to_json(secrets=True))
    return "\n".join(found).encode()


def phase_digest(board: Board, seed: int, phases: int, units: int, fleets: float) -> str:
    """Digest of movement phases with random possible orders, of which many help and hinder each other."""
    choose, digest = random.Random(seed), hashlib.sha256()
    spaces = range(len(board.spaces))
    for _ in range(phases):
        stand: dict[int, Unit] = {}
        for space in sorted(choose.sample(spaces, units)):
            kinds = [k for k in (ARMY, BUNCH, FLEET) if any(board.can_stand(k, p) for p in _places(board, space))]
            kind = FLEET if FLEET in kinds and choose.random() < fleets else choose.choice(kinds)
            place = choose.choice([p for p in _places(board, space) if board.can_stand(kind, p)])
            stand[space] = Unit(kind, choose.randrange(3), place)
        sight = Sight(board, stand, ~board.heiaus, frozenset((0, 2)))
        orders: dict[int, Order] = {}
        for space in stand:
            listed = sight.listed(space)
            verb = choose.choice(sorted({order.verb for order in listed}))
            orders[space] = choose.choice([order for order in listed if order.verb == verb])
            digest.update(repr([tuple(order) for order in listed]).encode())
        for space, order in list(orders.items()):
            # Supports and convoys of what is really ordered; else few would fit.
            for aided, ordered in orders.items():
                goal = board.space_of[ordered.target] if ordered.verb in (1, 2) else aided
                for verb in (SUPPORT, 4):
                    wish = Order(verb, aided, goal)
                    if choose.random() < 0.3 and order.verb in (0, verb) and not sight.refusal(space, wish):
                        orders[space] = wish
        found = adjudicate(board, stand, orders)
        shown = [
            sorted((s, tuple(u)) for s, u in found.units.items()),
            [(s, tuple(u), by) for s, (u, by) in found.dislodged.items()],
            found.contested, sorted(found.success.items()), sorted(found.burned), sorted(found.posts.items()),
        ]  # fmt: skip
        digest.update(repr(shown).encode())
    return digest.hexdigest()[:16]


def _places(board: Board, space: int) -> tuple[int, ...]:
    return (board.bare[space], *board.coasts[space])


def digests() -> dict[str, str]:
    """All of them by name: the quick ones, then the long ones."""
    found = {f"{scenario} quick": game_digest(scenario, 3, 40) for scenario in GAMES}
    found |= {f"{scenario} {seed}": game_digest(scenario, seed, 900) for scenario in GAMES for seed in (1, 2)}
    found["phases quick"] = phase_digest(BOARD, 1, 20, 14, 0.2)
    found["phases standard quick"] = phase_digest(STANDARD, 1, 6, 22, 0.3)
    found["phases crowded"] = phase_digest(BOARD, 2, 400, 24, 0.2)
    found["phases standard"] = phase_digest(STANDARD, 2, 250, 30, 0.35)
    return found


def _kept() -> dict[str, str]:
    return json.loads(KEPT.read_text(encoding="utf-8"))


def test_beginnings_of_games() -> None:
    assert {
        f"{s} quick": game_digest(s, 3, 40) for s in ("race", "wings", "haole", "two_haoles")
    }.items() <= _kept().items()


def test_movement_phases() -> None:
    assert phase_digest(BOARD, 1, 20, 14, 0.2) == _kept()["phases quick"]
    assert phase_digest(STANDARD, 1, 6, 22, 0.3) == _kept()["phases standard quick"]


@pytest.mark.slow
def test_whole_games_and_many_phases() -> None:
    assert digests() == _kept()


if __name__ == "__main__":
    print(json.dumps(digests(), indent=1))
