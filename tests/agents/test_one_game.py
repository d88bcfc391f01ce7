"""Agents of one game, of all games: they refuse other games, play the same moves from the same seed, and those by
rules of thumb beat random ones.
"""

from __future__ import annotations

from typing import Any

import pytest
from refusals import refuses
from toy import ToyGame

import hawaii_env
from hawaii_env.errors import OptionError
from hawaii_env.variation import load_variation


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("hawaii1795", {}), ("aloha", {}), ("heiau", {"scenario": "race"}),
        *(pytest.param(*kind, marks=pytest.mark.slow) for kind in (
            ("aloha", {"players": 3}), ("aloha", {"players": 4}), ("maori_wars", {}),
            ("heiau", {"scenario": "two_haoles"}),
        )),
    ],
)  # fmt: skip
def test_rules_of_thumb_beat_random(name: str, options: dict[str, Any]) -> None:
    """Six games in rotating seats: far above its share."""
    game, agent, shares = hawaii_env.load_game(name, **options), load_variation(name).description.rule_of_thumb, 0.0
    for seed in range(6):
        players = ["random"] * game.num_players
        players[seed % game.num_players] = agent
        outcome = hawaii_env.play(game, players, seed=seed).outcome()
        assert outcome is not None
        shares += outcome.shares[seed % game.num_players]
    assert shares / 6 > 1.5 / game.num_players


@pytest.mark.parametrize(
    ("agent", "game"),
    [
        ("rule-of-thumb", "hawaii1795"), ("battle-expectimax", "hawaii1795"), ("aloha-greedy", "aloha"),
        ("aloha-search", "aloha"), ("heiau-greedy", "heiau"), ("heiau-best-response", "heiau"),
        ("maori-greedy", "maori_wars"), ("maori-search", "maori_wars"), ("maori-champion", "maori_wars"),
    ],
)  # fmt: skip
def test_other_games_are_refused(agent: str, game: str) -> None:
    state, player = ToyGame().initial_state(seed=1), hawaii_env.load_agent(agent, seed=1)
    refuses(OptionError, (f"{game}( alone)?, not tides", lambda: player.act(state.for_search(), [0, 1], None)))


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize(
    ("game", "agent", "decisions"),
    [
        ("hawaii1795", "rule-of-thumb", 60), ("hawaii1795", "one-ply:rollouts=4", 6), ("aloha", "aloha-greedy", 60),
        ("heiau", "heiau-greedy", 40), ("maori_wars", "maori-greedy", 3), *(
            pytest.param(*slower, marks=pytest.mark.slow) for slower in (
                ("aloha", "aloha-search:sims=6,ahead=2", 4),
                ("maori_wars", "maori-search:sims=4,movement_sims=12,movements=4", 2),
            )
        ),
    ],
)  # fmt: skip
def test_the_same_seed_gives_the_same_moves(game: str, agent: str, decisions: int) -> None:
    """Two players of one seed each, twice; a position that is handed over is left as it is."""
    games: list[list[str]] = []
    for _ in range(2):
        state, texts = hawaii_env.load_game(game).initial_state(seed=3), list[str]()
        players = [hawaii_env.load_agent(agent, seed=seed) for seed in range(2)]
        while not state.is_terminal and len(texts) < decisions:
            seen, before = state.for_search(), state.to_json()
            action = players[state.current_player].act(seen, seen.legal_actions(), None)
            assert seen == state.for_search() and state.to_json() == before and "seed=1" in repr(players[1])
            texts.append(state.game.action_text(action))
            state.apply(action)
        games.append(texts)
    assert games[0] == games[1]
