"""SuperSuit's wrappers around the AEC environment, checked by PettingZoo's own tests."""

from __future__ import annotations

# pyright: reportMissingImports=false
# The library is an extra, which whoever checks types need not have.
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from refusals import refuses

pytest.importorskip("supersuit", reason="supersuit is not installed (extra supersuit)")

import supersuit
from pettingzoo.test import api_test, seed_test
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from hawaii_env import hawaii1795_v1, heiau_v0
from hawaii_env.errors import OptionError
from hawaii_env.integrations.supersuit import boxed

ss: Any = supersuit
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning:pettingzoo", "ignore::UserWarning:gymnasium")
SIZE = hawaii1795_v1.env().game.observation_size


def make() -> Any:
    return boxed(hawaii1795_v1.env(scenario="short"))


def play(env: Any, seed: int = 1) -> tuple[list[np.ndarray[Any, Any]], float]:
    """Play a whole random game; return every observation, and the sum of what the agents were rewarded in size."""
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    seen: list[np.ndarray[Any, Any]] = []
    rewarded = 0.0
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        assert env.observation_space(agent).contains(observation), agent
        seen.append(observation)
        rewarded += abs(reward)
        over = terminated or truncated
        env.step(None if over else int(rng.choice(np.flatnonzero(info["action_mask"]))))
    assert not env.agents
    return seen, rewarded


def test_boxed_shows_the_same_game() -> None:
    env, bare = make(), hawaii1795_v1.env(scenario="short")
    for one in (env, bare):
        one.reset(seed=3)
    rng = np.random.default_rng(3)
    for agent in env.agent_iter():
        observation, _, over, _, info = env.last()
        plain: Any = bare.last()
        np.testing.assert_array_equal(observation, plain[0]["observation"])
        np.testing.assert_array_equal(info["action_mask"], plain[4]["action_mask"])
        assert (agent, over) == (bare.agent_selection, plain[2])
        action = None if over else int(rng.choice(np.flatnonzero(info["action_mask"])))
        env.step(action)
        bare.step(action)
    # All agents are done: the last position is still there to be looked at.
    last = env.observe("allied_1")
    np.testing.assert_array_equal(last, bare.game_state.observation(1))
    refuses(OptionError, ("AEC", lambda: boxed(ss.frame_stack_v2)))


def test_boxed_passes_the_api_test() -> None:
    api_test(make(), num_cycles=400)
    seed_test(make, num_cycles=200)
    api_test(boxed(OrderEnforcingWrapper(hawaii1795_v1.env())), num_cycles=100)


WRAPPERS: dict[str, tuple[Callable[[Any], Any], tuple[int, ...]]] = {
    "agent_indicator_v0": (lambda env: ss.agent_indicator_v0(ss.normalize_obs_v0(env, 0, 1)), (SIZE + 2,)),
    "clip_reward_v0": (lambda env: ss.clip_reward_v0(env, -0.5, 0.5), (SIZE,)),
    "delay_observations_v0": (lambda env: ss.delay_observations_v0(env, 2), (SIZE,)),
    "dtype_v0": (lambda env: ss.dtype_v0(env, np.float16), (SIZE,)),
    "flatten_v0": (lambda env: ss.flatten_v0(env), (SIZE,)),
    "frame_stack_v1": (lambda env: ss.frame_stack_v1(env, 4), (4 * SIZE,)),
    "frame_stack_v2": (lambda env: ss.frame_stack_v2(env, 4), (4 * SIZE,)),
    "max_observation_v0": (lambda env: ss.max_observation_v0(env, 2), (SIZE,)),
    "nan_zeros_v0": (lambda env: ss.nan_zeros_v0(env), (SIZE,)),
    "normalize_obs_v0": (lambda env: ss.normalize_obs_v0(env, 0, 1), (SIZE,)),
    "observation_lambda_v0": (
        lambda env: ss.observation_lambda_v0(
            env, lambda seen, space: seen[:9], lambda space: type(space)(space.low[:9], space.high[:9])
        ),
        (9,),
    ),
    "pad_action_space_v0": (lambda env: ss.pad_action_space_v0(env), (SIZE,)),
    "pad_observations_v0": (lambda env: ss.pad_observations_v0(env), (SIZE,)),
    "reshape_v0": (lambda env: ss.reshape_v0(env, (1, SIZE)), (1, SIZE)),
    "reward_lambda_v0": (lambda env: ss.reward_lambda_v0(env, lambda reward: 2 * reward), (SIZE,)),
}


@pytest.mark.parametrize("name", WRAPPERS)
def test_wrappers_play_whole_games(name: str) -> None:
    wrap, shape = WRAPPERS[name]
    for seed in (1, 2):
        seen, rewarded = play(wrap(make()), seed)
        assert seen[0].shape == shape
        again, _ = play(wrap(make()), seed)
        assert len(again) == len(seen) > 20
        assert all(np.array_equal(one, two) for one, two in zip(seen, again, strict=True))
        scale = {"clip_reward_v0": 0.5, "reward_lambda_v0": 2.0}.get(name, 1.0)
        assert rewarded in (0.0, 2 * scale)


def test_a_wrapped_environment_passes_the_api_test() -> None:
    api_test(ss.frame_stack_v2(ss.agent_indicator_v0(ss.normalize_obs_v0(make(), 0, 1)), 2), num_cycles=200)


def test_vectorize_aec_env() -> None:
    """Two games side by side; its steps take an action for each game, those of games that are over begin another."""
    envs = ss.vectorize_aec_env_v0(make(), 2)
    envs.reset(seed=1)
    rng = np.random.default_rng(1)
    games = 0
    for agent in envs.agent_iter(400):
        observations, _, terminated, _, _, _, passes, infos = envs.last()
        assert observations.shape == (2, SIZE) and agent in envs.possible_agents
        masks = [info["action_mask"] for info in infos]
        # Who passes is not to act in that game.
        assert [not mask.any() for mask in masks] == (passes.astype(bool) | terminated.astype(bool)).tolist()
        games += int(terminated.sum())
        envs.step([int(rng.choice(np.flatnonzero(mask))) if mask.any() else 0 for mask in masks])
    assert games > 0


@pytest.mark.parametrize("name", ["black_death_v3", "pettingzoo_env_to_vec_env_v1"])
def test_wrappers_of_parallel_environments_say_no(name: str) -> None:
    """One player decides at a time, so there is no parallel form; docs/integrations.md says what to use instead."""
    refuses(AssertionError, (r"(?i)parallel", lambda: getattr(ss, name)(make())))


def test_wrappers_of_parallel_environments_play_heiau() -> None:
    """The parallel environment goes into them, and its games end and begin anew."""
    env = boxed(heiau_v0.parallel_env(scenario="duel", last_year=1))
    vector = ss.concat_vec_envs_v1(ss.pettingzoo_env_to_vec_env_v1(ss.frame_stack_v2(env, 2)), 2)
    _, infos = vector.reset(seed=1)
    rng, ends = np.random.default_rng(1), 0
    for _ in range(20):
        masks = [info["action_mask"] for info in infos]
        actions = np.array([rng.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in masks])
        _, _, terminated, truncated, infos = vector.step(actions)
        ends += int(np.sum(terminated))
        assert not np.any(truncated)
    assert ends > 4
