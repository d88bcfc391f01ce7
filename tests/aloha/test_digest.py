"""Seeded games of ALOHA, all that can be seen of them in one digest: the rules may be written anew, the games stay.

Where they change on purpose, ``python -m aloha.test_digest`` (in tests/) prints the new digests.
"""

from __future__ import annotations

import hashlib
import pickle
import random
from typing import Any

import pytest

from hawaii_env.aloha import Game

DIGESTS = {
    (2, "most_left"): "bdb19c527959fc7ddc9f740bc910f86f11571249a732d828e81e0b61cb3e8704",
    (2, "rounds"): "1ae7e9775637bb376634dab76ae1a3a0d48b49182ff884e2fdaf6ecb8e193894",
    (3, "most_left"): "a40585dd235abc6d37229438bffb9e30e97524171143934e5bb2bc8c8505ba65",
    (3, "rounds"): "38109dcf12fe32396993e6bf430e837d07c9c507be55ec3fbc1418135356f7af",
    (4, "most_left"): "a3e7cc384be7670cf52cfea3f9b52530474aa156883ddef5dea33c93800d9c82",
    (4, "rounds"): "5c32eca28f632bc4f407e2a048d6a9606d98a40081544d28d90aa5d4cd2321c4",
}


def digest(players: int, turn_order: str, games: int = 2) -> str:
    """SHA-256 of seeded random games: what is legal, masks, both observations, JSON, views, traces, results; the hashes
    of ruleset and action table.
    """
    game = Game(players=players, turn_order=turn_order)
    found = hashlib.sha256(f"{game.ruleset_hash} {game.action_table_hash}".encode())

    def note(*values: Any) -> None:
        for value in values:
            found.update(value if isinstance(value, bytes) else repr(value).encode())

    choose, state = random.Random(players), game.initial_state(seed=1893, trace=True)
    for number in range(games):
        while not state.is_terminal:
            player = state.current_player
            legal = state.legal_actions()
            note(state.phase, player, legal, state.legal_mask().tobytes(), state.to_json(secrets=True), state.points)
            note(state.observation(player).tobytes(), state.observation(players - 1, raw=True).tobytes())
            if choose.random() < 0.05:
                note(state.view().to_dict(), state.explicit().to_json(secrets=True))
                state = pickle.loads(pickle.dumps(state))
                note(state.clone(seed=number).to_json(secrets=True))
            state.apply(choose.choice(legal))
        note(state.trace, state.returns(), state.outcome(), state.to_json(secrets=True))
        state = state.next_episode()
        if number % 2 == 0:
            state.trace = None  # the other games go on without one
    explicit = game.initial_state(chance="explicit")
    for _ in range(60):
        if explicit.current_player == -1:
            outcomes = explicit.chance_outcomes()
            note(outcomes, explicit.chance_text(outcomes[0][0]))
            explicit.apply_chance(choose.choice(outcomes)[0])
        else:
            explicit.apply(choose.choice(explicit.legal_actions()))
        note(explicit.to_json(), explicit.observation(0, raw=True).tobytes())
    return found.hexdigest()


@pytest.mark.parametrize(("players", "turn_order"), list(DIGESTS))
def test_games_are_what_they_were(players: int, turn_order: str) -> None:
    """For two, three and four players, in either turn order."""
    assert digest(players, turn_order) == DIGESTS[players, turn_order]


if __name__ == "__main__":
    for n in (2, 3, 4):
        for order in ("most_left", "rounds"):
            print(f'    ({n}, "{order}"): "{digest(n, order)}",')
