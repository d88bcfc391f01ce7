"""The parallel environment: sealed and simultaneous turns, one decision of each player a step."""

from __future__ import annotations

import numpy as np
import pytest
from environments import begun
from refusals import refuses
from toy import LagoonGame, ToyGame

from hawaii_env.env.aec import GameEnv
from hawaii_env.env.parallel import ParallelGameEnv
from hawaii_env.errors import OptionError
from hawaii_env.hawaii1795 import Game as Hawaii

GAMES = {"sealed": LagoonGame, "simultaneous": ToyGame}


def play(env: ParallelGameEnv, seed: int) -> list[dict[str, int]]:
    """Play a random game; return the actions of each step."""
    rng = np.random.default_rng(seed)
    looks, _ = env.reset(seed=seed)
    steps: list[dict[str, int]] = []
    while True:
        actions = {}
        for agent, look in looks.items():
            legal = np.flatnonzero(look["action_mask"])
            actions[agent] = int(rng.choice(legal)) if len(legal) else 0
        steps.append({agent: a for agent, a in actions.items() if looks[agent]["action_mask"].any()})
        looks, rewards, terminations, truncations, infos = env.step(actions)
        assert (
            set(looks) == set(rewards) == set(terminations) == set(truncations) == set(infos) == {*env.possible_agents}
        )
        if not env.agents:
            break
    assert all(terminations.values()) and not any(truncations.values())
    assert rewards == dict(zip(env.possible_agents, env.game_state.returns(), strict=True))
    outcome = env.game_state.outcome()
    assert outcome is not None
    assert {info["outcome"]["reason"] for info in infos.values()} == {outcome.reason}
    return steps


def test_players_enter_at_once_and_the_turn_is_resolved_when_all_are_in() -> None:
    env = ParallelGameEnv(LagoonGame(rounds=1))
    steps = play(env, 3)
    assert set(steps[0]) == {*env.possible_agents}
    assert 1 < len(steps) <= 3 and all(set(later) <= set(steps[0]) for later in steps)


@pytest.mark.parametrize("seed", range(10))
def test_the_aec_environment_plays_the_same_game(seed: int) -> None:
    env = ParallelGameEnv(LagoonGame())
    steps = play(env, seed)
    queues: dict[str, list[int]] = {agent: [] for agent in env.possible_agents}
    for step in steps:
        for agent, action in step.items():
            queues[agent].append(action)
    aec = begun(GameEnv(LagoonGame()), seed)
    while not any(aec.terminations.values()):
        aec.step(queues[aec.agent_selection].pop(0))
    assert aec.game_state.to_json(secrets=True) == env.game_state.to_json(secrets=True)


def test_what_others_have_entered_shows_nowhere() -> None:
    first, second = (ParallelGameEnv(LagoonGame()) for _ in range(2))
    looks, _ = first.reset(seed=5)
    second.reset(seed=5)
    actions = {agent: int(np.flatnonzero(look["action_mask"])[-1]) for agent, look in looks.items()}
    other = {**actions, "gold_3": int(np.flatnonzero(looks["gold_3"]["action_mask"])[0])}
    assert other != actions
    seen, also = first.step(actions)[0], second.step(other)[0]
    for agent in ("red_0", "green_1", "blue_2"):
        np.testing.assert_array_equal(seen[agent]["observation"], also[agent]["observation"])
        np.testing.assert_array_equal(seen[agent]["action_mask"], also[agent]["action_mask"])
    assert (seen["gold_3"]["observation"] != also["gold_3"]["observation"]).any()


def test_games_without_sealed_turns_are_rejected() -> None:
    refuses(OptionError, (r"hawaii1795.*use env\(\)", lambda: ParallelGameEnv(Hawaii())))
