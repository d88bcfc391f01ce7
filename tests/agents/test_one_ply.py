"""One-ply search with playouts: any game, the same choice from the same seed, stronger than chance."""

from __future__ import annotations

from typing import Any

import pytest
from refusals import refuses
from toy import ToyGame

import hawaii_env
from hawaii_agents.one_ply import OnePlyAgent
from hawaii_env import agents
from hawaii_env.agents import Clock
from hawaii_env.errors import OptionError
from hawaii_env.game import SIMULTANEOUS
from hawaii_env.hawaii1795 import Game

GAME = Game("short")


def choices(agent: OnePlyAgent, n: int = 6) -> list[int]:
    """What an agent picks in the first positions of a random game."""
    agent.begin(GAME, 0)
    state, random, found = GAME.initial_state(seed=3), agents.RandomAgent(seed=3), []
    for _ in range(n):
        found.append(agent.act(state.for_search(), state.legal_actions()))
        state.apply(random.act(state, state.legal_actions()))
    return found


def score(agent: Any, other: Any, seeds: range, game: Any = GAME) -> float:
    """Mean score of an agent, each seed played with sides swapped; a tie is half a win."""
    total = 0.0
    for seed in seeds:
        for swapped in (False, True):
            players = [other, agent] if swapped else [agent, other]
            total += (hawaii_env.play(game, players, seed=seed).returns()[int(swapped)] + 1) / 2
    return total / (2 * len(seeds))


def test_the_same_seed_chooses_the_same() -> None:
    first = choices(OnePlyAgent(rollouts=20, seed=7))
    assert first == choices(OnePlyAgent(rollouts=20, seed=7))
    agent = OnePlyAgent(rollouts=20, seed=7)
    assert choices(agent) == first == choices(agent)
    assert len({tuple(choices(OnePlyAgent(rollouts=1, seed=seed))) for seed in range(6)}) > 1
    assert agent.played == 20


def test_sees_what_loses_the_game() -> None:
    state = GAME.position(
        turn="june",
        half="kamehameha",
        phase="loss",
        field="waikiki",
        units={
            "kamehameha": {"waikiki": ["kamehameha", "warrior_2", "canoe"], "kona": ["warrior_2"]},
            "allied": {"waikiki": ["oahu_warrior/fired"], "maui": ["kalani"]},
        },
        battle={
            "kind": "invasion", "advantage": "allied", "turn_side": "kamehameha", "firing": "allied",
            "firer": "oahu_warrior/fired", "dice": 1,
        },
    )  # fmt: skip
    assert len(state.legal_actions()) == 2
    for rollouts in (1, 10):
        chosen = OnePlyAgent(rollouts=rollouts, seed=1).act(state.for_search(), state.legal_actions())
        assert GAME.action_text(chosen) == "lose warrior_2"


@pytest.mark.slow
def test_more_rollouts_are_stronger_than_chance() -> None:
    assert score(OnePlyAgent(rollouts=10, seed=1), "random", range(10)) >= 0.65


def test_any_game() -> None:
    game, decisions = ToyGame(), 0
    for seed in range(10):
        state, random = game.initial_state(seed=seed), agents.RandomAgent(seed=seed)
        while not state.is_terminal:
            if state.current_player == SIMULTANEOUS:
                state.apply_joint({p: random.act(state, state.legal_actions(p)) for p in state.acting_players})
            else:
                decisions += 1
                legal = state.legal_actions()
                state.apply(OnePlyAgent(rollouts=10, seed=1).act(state.for_search(), legal))
    assert decisions
    refuses(OptionError, ("one player decides", lambda: OnePlyAgent(seed=1).act(game.initial_state(seed=2), [0, 1])))


def test_policies_of_playouts() -> None:
    state = GAME.initial_state(seed=1)
    agent = OnePlyAgent(rollouts=2, seed=1, policy="random:seed=4")
    assert agent.act(state.for_search(), state.legal_actions()) in state.legal_actions()
    assert agent.played == 2


def test_a_clock_is_kept_and_used() -> None:
    state = GAME.initial_state(seed=1)
    state.apply(state.legal_actions()[0])
    agent = OnePlyAgent(rollouts=10**9, seed=1)
    assert agent.act(state.for_search(), state.legal_actions(), Clock(0.2)) in state.legal_actions()
    assert 1 <= agent.played < 10**9
    agent = OnePlyAgent(rollouts=5, seed=1)
    agent.act(state.for_search(), state.legal_actions(), Clock(60))
    assert agent.played == 5
    agent.act(state.for_search(), state.legal_actions(), Clock())
    assert agent.played == 5
