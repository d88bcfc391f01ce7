"""Shimmy: from OpenSpiel to PettingZoo."""

from __future__ import annotations

# pyright: reportMissingImports=false
# The library is an extra, which whoever checks types need not have.
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyspiel", reason="open_spiel is not installed (extra openspiel)")
pytest.importorskip("shimmy", reason="shimmy is not installed (extra supersuit)")

import shimmy
from pettingzoo.test import api_test

import hawaii_env.integrations.openspiel as _registers  # noqa: F401
from hawaii_env.hawaii1795 import Game

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning:pettingzoo", "ignore::UserWarning:gymnasium")


def make(**config: Any) -> Any:
    return shimmy.OpenSpielCompatibilityV0(game_name="hawaii1795", config={"scenario": "short", **config})


def test_api() -> None:
    api_test(make(), num_cycles=300)


def test_a_game_through_openspiel_is_the_same_game() -> None:
    """Played through Shimmy; then its history, played by our engine."""
    env = make(sea_victor="assault")
    env.reset(seed=3)
    ours = Game(scenario="short", sea_victor="assault")
    assert env.game_state.position.game == ours
    rng = np.random.default_rng(3)
    results: dict[str, float] = {}
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        assert not truncated
        if terminated:
            results[agent] = reward
            env.step(None)
            continue
        position = env.game_state.position
        assert agent == f"player_{position.current_player}"
        np.testing.assert_array_equal(info["action_mask"], position.legal_mask())
        np.testing.assert_array_equal(observation, position.observation(position.current_player))
        env.step(int(rng.choice(position.legal_actions())))
    state = ours.initial_state(chance="explicit")
    for number in env.game_state.history():
        if state.current_player == -1:
            state.apply_chance(number)
        else:
            state.apply(number)
    assert state.is_terminal
    # Shimmy 2.0.1 gives the last player its reward twice, in OpenSpiel's own games too: only the sign is compared.
    assert np.sign([results["player_0"], results["player_1"]]).tolist() == state.returns()


def test_one_seed_is_one_game() -> None:
    histories: list[list[int]] = []
    for _ in range(2):
        env = make()
        env.reset(seed=11)
        for _ in range(60):
            env.step(env.game_state.legal_actions()[0])
        histories.append(env.game_state.history())
    assert histories[0] == histories[1] and len(histories[0]) > 60
