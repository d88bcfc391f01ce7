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
    (2, "most_left"): "6c8e13754a23ec867c7e8be1d77ba60eaa10f1cb21b79d291c273d37b47f760a",
    (2, "rounds"): "a7743f445f995f1d24d40cf0261bc747d15dc3f1b9ff21745f229b23f5363a63",
    (3, "most_left"): "f473daabcee4825a0683712f25b886ddf6b9d7e7668575e3350c68faa9777467",
    (3, "rounds"): "7bc54f191b0305c474b0d064c206dd4307a06b551775b6b93bf6b22995aef75a",
    (4, "most_left"): "dd7eabfb770dd3f08a0dad4f6fe93cf15a97491fb042cb7d0f3345699fc9a36e",
    (4, "rounds"): "0368136e03d259cfb539e765f507a974e77962074a49a77cf6de8331cc7554ee",
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
