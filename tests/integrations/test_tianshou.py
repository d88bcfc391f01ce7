"""Tianshou's PettingZooEnv takes the AEC environment as it is, masks included."""

from __future__ import annotations

# pyright: reportMissingImports=false
# The library has pins of its own, so no extra brings it; see docs/integrations.md.
import warnings
from typing import Any

import numpy as np
import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # deprecations of Tianshou's among itself, while it is imported
    pytest.importorskip("tianshou", reason="tianshou is not installed (it has no extra: docs/integrations.md)")

    from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
    from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
    from tianshou.data import Collector, VectorReplayBuffer
    from tianshou.env import DummyVectorEnv, PettingZooEnv

from hawaii_env import hawaii1795_v1
from hawaii_env.hawaii1795 import Game

pytestmark = pytest.mark.filterwarnings("ignore")
GAME = Game(scenario="short")


def make() -> Any:
    # An illegal action raises: what Tianshou's policies choose is checked by the game itself.
    return PettingZooEnv(hawaii1795_v1.env(scenario="short", illegal="raise"))  # pyright: ignore[reportArgumentType]


def test_a_game_is_the_same_game() -> None:
    env, state = make(), GAME.initial_state(seed=3)
    seen, _ = env.reset(seed=3)
    rng = np.random.default_rng(3)
    over = False
    rewards: list[float] = []
    while not over:
        player = state.current_player
        assert seen["agent_id"] == GAME.agents[player]
        np.testing.assert_array_equal(seen["obs"], state.observation(player))
        np.testing.assert_array_equal(np.flatnonzero(seen["mask"]), state.legal_actions())
        action = int(rng.choice(state.legal_actions()))
        state.apply(action)
        seen, rewards, terminated, truncated, _ = env.step(action)
        over = terminated or truncated
    assert state.is_terminal and list(rewards) == state.returns()


def test_a_collector_plays_whole_games() -> None:
    env = make()
    players: list[Any] = [
        MARLRandomDiscreteMaskedOffPolicyAlgorithm(action_space=env.action_space) for _ in GAME.agents
    ]
    algorithm = MultiAgentOffPolicyAlgorithm(algorithms=players, env=env)
    buffer = VectorReplayBuffer(4000, 2)
    collector: Any = Collector(algorithm, DummyVectorEnv([make, make]), buffer)
    collector.reset()
    stats = collector.collect(n_episode=2)
    assert stats.n_collected_episodes == 2
    assert all(sorted(result) in ([-1.0, 1.0], [0.0, 0.0]) for result in stats.returns.tolist())
    batch: Any = buffer.sample(0)[0]
    assert np.asarray(batch.obs.mask)[np.arange(len(batch.act)), batch.act].all()
