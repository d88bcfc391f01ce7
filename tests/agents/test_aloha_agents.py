"""The agents of ALOHA: legal, reproducible, and clearly better than chance."""

from __future__ import annotations

import pytest

from hawaii_agents.aloha import AlohaGreedyAgent, AlohaSearchAgent, worth
from hawaii_env.agents import RandomAgent
from hawaii_env.aloha import Game
from hawaii_env.errors import OptionError
from hawaii_env.hawaii1795 import Game as Other


def played(players: int, seats: dict[int, object], seed: int) -> list[float]:
    """Shares of a game in which the others are random."""
    game = Game(players=players)
    agents = [seats.get(p) or RandomAgent(seed=100 * seed + p) for p in range(players)]
    state = game.initial_state(seed=seed)
    while not state.is_terminal:
        player = state.current_player
        state.apply(agents[player].act(state.for_search(player), state.legal_actions(), None))  # type: ignore[attr-defined]
    outcome = state.outcome()
    assert outcome is not None
    return list(outcome.shares)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_greedy_beats_random(players: int) -> None:
    """Eight games in rotating seats: at least six of them."""
    won = sum(played(players, {k % players: AlohaGreedyAgent(seed=k)}, k)[k % players] for k in range(8))
    assert won >= 6


def test_greedy_is_reproducible() -> None:
    """The same seed, the same game."""
    assert played(2, {0: AlohaGreedyAgent(seed=3)}, 5) == played(2, {0: AlohaGreedyAgent(seed=3)}, 5)
    assert repr(AlohaGreedyAgent(seed=3)) == "AlohaGreedyAgent(seed=3)"


def test_greedy_takes_what_wins() -> None:
    """In the last decision, a conversion that elects the Governor is taken."""
    player = {"points": 20, "tokens": [0, 0, 0, 5, 0]}
    state = Game().position(
        stage="epilogue",
        phase="convert",
        first="red_0",
        order=["yellow_1", "red_0"],
        to_act="red_0",
        players={
            "red_0": {
                **player,
                "aloha": 1,
                "vote": 4,
                "converted": 4,
                "cards": ["prologue monarch", "chapter_1 monarch"],
            },
            "yellow_1": {**player, "tokens": [0, 5, 0, 0, 0], "vote": 6, "cards": ["chapter_2 monarch"]},
        },
    )
    action = AlohaGreedyAgent(seed=1).act(state.for_search(), state.legal_actions())
    assert state.game.action_text(action) == "convert aloha vote"


def test_search_plays() -> None:
    """A search of few simulations plays legal actions, and has looked at every player's return."""
    game = Game(players=3)
    state = game.initial_state(seed=1)
    agent = AlohaSearchAgent(sims=12, seed=1)
    action = agent.act(state.for_search(), state.legal_actions())
    assert action in state.legal_actions() and agent.result is not None
    assert agent.result.simulations == 12 and sum(agent.result.value) == pytest.approx(0, abs=1e-9)


def test_worth() -> None:
    """A worth for each player; more of what scores is worth more; the victory counts at the end."""
    players = {
        "red_0": {"tokens": [0, 0, 0, 5, 0], "points": 9},
        "yellow_1": {"tokens": [0, 5, 0, 0, 0], "points": 9, "commerce": 3},
    }
    for fields in players.values():
        fields["cards"] = []
    players["red_0"]["cards"] = ["prologue monarch", "chapter_1 monarch", "chapter_2 monarch"]
    state = Game().position(stage="epilogue", phase="over", first="red_0", order=["red_0", "yellow_1"], players=players)
    assert worth(state) == [9, 19]
    assert len(worth(Game(players=4).initial_state(seed=1))) == 4


def test_other_games_are_refused() -> None:
    """The agents know one game."""
    state = Other().initial_state(seed=1)
    for agent in (AlohaGreedyAgent(), AlohaSearchAgent()):
        with pytest.raises(OptionError, match="plays aloha, not hawaii1795"):
            agent.act(state.for_search(), state.legal_actions())
