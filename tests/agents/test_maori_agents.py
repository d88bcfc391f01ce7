"""The agents of Maori Wars: legal, reproducible, and clearly better than chance."""

from __future__ import annotations

import pytest

from hawaii_agents.maori_wars import MaoriGreedyAgent, MaoriSearchAgent, worth
from hawaii_env.agents import Agent, RandomAgent
from hawaii_env.aloha import Game as Other
from hawaii_env.errors import OptionError
from hawaii_env.maori_wars import Game, State


def played(game: Game, agents: list[Agent], seed: int) -> tuple[list[str], State]:
    """The texts of a game's decisions, and its end."""
    state, texts = game.initial_state(seed=seed), []
    while not state.is_terminal:
        player = state.current_player
        action = agents[player].act(state.for_search(player), state.legal_actions(), None)
        texts.append(game.action_text(action))
        state.apply(action)
    return texts, state


def test_greedy_beats_chance() -> None:
    game, shares = Game(), 0.0
    for seed in range(6):
        agents: list[Agent] = [RandomAgent(seed=seed), RandomAgent(seed=seed)]
        agents[seed % 2] = MaoriGreedyAgent(samples=4, seed=seed)
        outcome = played(game, agents, seed)[1].outcome()
        assert outcome is not None
        shares += outcome.shares[seed % 2]
    assert shares >= 4.5


@pytest.mark.parametrize("agent", [MaoriGreedyAgent, MaoriSearchAgent])
def test_the_same_seed_gives_the_same_moves(agent: type[MaoriGreedyAgent] | type[MaoriSearchAgent]) -> None:
    state = Game().initial_state(seed=4)
    moves = [[agent(seed=3).act(state, state.legal_actions()) for _ in range(2)] for _ in range(2)]
    assert moves[0] == moves[1] and set(moves[0]) <= set(state.legal_actions())
    assert repr(agent(seed=3)).endswith("seed=3)")


def test_one_agent_plays_scenarios_of_any_size() -> None:
    agent = MaoriGreedyAgent(samples=1, seed=0)
    for scenario in ("taranaki", "campaign", "taranaki"):
        state = Game(scenario=scenario).initial_state(seed=1)
        assert agent.act(state, state.legal_actions()) in state.legal_actions()


def test_worth_follows_the_marker() -> None:
    state = Game().initial_state(seed=1)
    view = state.view().to_dict()
    ahead = state.game.position(**{**view, "marker": 3})
    assert worth(ahead) == pytest.approx(worth(state) + 3)


@pytest.mark.parametrize("agent", [MaoriGreedyAgent(), MaoriSearchAgent()])
def test_other_games_are_rejected(agent: Agent) -> None:
    state = Other().initial_state(seed=1)
    with pytest.raises(OptionError, match="maori_wars"):
        agent.act(state, state.legal_actions(), None)


@pytest.mark.parametrize("option", ["samples", "sims", "choices", "halves"])
def test_options_have_ranges(option: str) -> None:
    with pytest.raises(OptionError, match=option):
        MaoriSearchAgent(**{option: 0})
