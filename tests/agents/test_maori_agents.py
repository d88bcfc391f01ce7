"""The agents of Maori Wars: legal, reproducible, and clearly better than chance."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from refusals import refuses

from hawaii_agents import weights as shipped
from hawaii_agents.maori_wars import MaoriChampionAgent, MaoriGreedyAgent, MaoriSearchAgent, guided, lookahead, worth
from hawaii_agents.maori_wars.plans import new_buffer
from hawaii_agents.maori_wars.worth import fitted
from hawaii_env.agents import Agent, RandomAgent
from hawaii_env.core.rng import seed_words
from hawaii_env.errors import OptionError
from hawaii_env.maori_wars import Game, State, fast

QUICK: list[Any] = [MaoriGreedyAgent, partial(MaoriSearchAgent, sims=4, movement_sims=12, movements=4)]


@pytest.fixture(autouse=True)
def interpreted_unless_slow(request: pytest.FixtureRequest) -> None:
    if "slow" not in request.keywords:
        request.getfixturevalue("interpreted")


def played(game: Game, agents: list[Agent], seed: int) -> tuple[list[str], State]:
    """The texts of a game's decisions, and its end."""
    state, texts = game.initial_state(seed=seed), []
    while not state.is_terminal:
        player = state.current_player
        action = agents[player].act(state.for_search(player), state.legal_actions(), None)
        texts.append(game.action_text(action))
        state.apply(action)
    return texts, state


@pytest.mark.slow
@pytest.mark.parametrize("agent", QUICK)
def test_both_modes_choose_alike(agent: Callable[..., Any], request: pytest.FixtureRequest) -> None:
    """Compiled first, then interpreted."""
    texts: list[list[str]] = []
    for _ in range(2):
        game = Game()
        texts.append(played(game, [agent(seed=1), RandomAgent(seed=2)], seed=3)[0][:60])
        request.getfixturevalue("interpreted")
    assert texts[0] == texts[1]


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize(
    "agent",
    [MaoriGreedyAgent(samples=1, seed=0), pytest.param(MaoriSearchAgent(sims=4, seed=0), marks=pytest.mark.slow)],
)
def test_one_agent_plays_scenarios_of_any_size(agent: Agent) -> None:
    """Also those with the same actions and more pieces."""
    rules = Game().ruleset.content
    more = copy.deepcopy(rules["scenarios.toml"])
    more["scenarios"]["taranaki"]["box"]["maori"]["warrior"] += 4
    games = [Game(), Game(scenario="flagstaff"), Game(), Game(rules={**rules, "scenarios.toml": more})]
    assert games[3].num_actions == games[2].num_actions and games[3].record_size > games[2].record_size
    for game in games:
        state = game.initial_state(seed=1)
        assert agent.act(state, state.legal_actions(), None) in state.legal_actions()


@pytest.mark.parametrize(("change", "more"), [({"marker": 3}, 3), ({"sap": {"target": "1034", "hex": "1134"}}, 0)])
def test_worth_follows_the_marker(change: dict[str, Any], more: int) -> None:
    """Not the sap marker: the rules of thumb try but one of its places."""
    state = Game().initial_state(seed=1)
    changed = state.game.position(**{**state.view().to_dict(), **change})
    assert worth(changed) == pytest.approx(worth(state) + more)


def test_the_champion_asks_the_trained_network() -> None:
    """Interpreted: values and logits are those of the shipped policy, and the same seed gives the same legal plan."""
    pytest.importorskip("safetensors", reason="safetensors is not installed")
    game = Game()
    policy = shipped.find(game)
    mind = guided.new_mind(game, policy)._replace(play=[game.new_state()])
    plans = lookahead.new_plans(game, 6)._replace(starts=[game.new_state() for _ in range(6)])
    buffer = new_buffer(game)
    buffer = buffer._replace(positions=[game.new_state() for _ in buffer.positions])
    state, rng = game.initial_state(seed=4), random.Random(1)
    for _ in range(12):
        legal, found = state.legal_actions(), state.interpreted()
        seen = np.asarray(state.observation(state.current_player), np.float32)
        fast.list_legal(game.tables, found)
        guided.begin(game.tables, found, mind)
        value = guided.value_now(game.tables, found, found.decider, mind)
        assert value == pytest.approx(np.clip(policy.evaluate(seen, legal)[1], -1, 1), abs=1e-4)
        likeliest = guided.pick(game.tables, found, mind, np.ones(8, np.int64), 0.0)
        logits = policy.logits(seen, legal)
        np.testing.assert_allclose(mind.logits[: len(legal)], logits, atol=1e-3)
        assert likeliest == legal[int(logits.argmax())]
        state.apply(rng.choice(legal))
    for greedy, share in ((0, 0.0), (2, 0.5), (2, 1.0)):
        chosen = []
        for _ in range(2):
            plans.taken[0] = 0
            words, heats = np.array(seed_words(3), np.int64), np.array([1.0, 0.5, share])
            memory, limits = (mind, buffer, plans, fitted(game)), np.array([4, 3, 1, 2, greedy])
            chosen.append(guided.guide(game.tables, state.interpreted(), *memory, words, limits, heats))
        assert chosen[0] == chosen[1] and chosen[0] in state.legal_actions()
    wrong = MaoriChampionAgent(weights="hawaii1795")
    refuses(OptionError, ("weights for the game 'hawaii1795'", lambda: wrong.begin(game, 0)))
