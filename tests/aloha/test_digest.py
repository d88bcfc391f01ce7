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
    (2, "most_left"): "7574a77a59e09e4e5750f67b4a14f8e07c23f43658adfe108048d1552887ffbe",
    (2, "rounds"): "d09767ad34a1458e5c38ab6d7052eea551b80e9189f5b877105509a700bae516",
    (3, "most_left"): "48056f4310f68d60a205b3529182bee78f97547aa869b8d3375aade43788fd8a",
    (3, "rounds"): "0098b33ac2d055c7b4e41adbc56cd56c85d52dd935fc0cbc58193bb8d221e0aa",
    (4, "most_left"): "9689dd5a50ebdd4b82137872531cd7de076721e6a8e50ef20c01a873d5c91c49",
    (4, "rounds"): "24f7689c101c8a4708171ff46412d23931792579aaeb55621980d60ed66d06bb",
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
