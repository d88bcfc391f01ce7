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
    (2, "most_left"): "6eef05f70cf44028f582020d8bee07a7cc1cff9c6d64295cf5018164978d44ed",
    (2, "rounds"): "31bfd857fc1bcdc064530767f99c337128eb9317eb7bcc3ebc24ff2e8c5b753f",
    (3, "most_left"): "56357a7f8b855e567f7a5120865e87c3f16f5565615b31f9142de16a6c07acdf",
    (3, "rounds"): "3eb64fa3a6d47783b1bcbdf1527f5aed0fe80fbf500fdaf276e31810a6491c03",
    (4, "most_left"): "8a65582830dde08686f5763ac16430985f37bb971d4d037870e12a00d266ff0b",
    (4, "rounds"): "0cc5999b23c1413477e83ded6d54dd387df1bd5b06ab6e6371700bbb02ed54c9",
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
