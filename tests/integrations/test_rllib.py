"""RLlib on its new API stack: the environment, a short PPO run with two env runners, checkpoint and restore.

RLlib pins its own gymnasium, so these tests have an environment and a target of their own: ``make test-rllib``.
"""

from __future__ import annotations

# pyright: reportMissingImports=false
# The library is an extra, which whoever checks types need not have.
import importlib.metadata
import os
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from refusals import refuses, refuses_each
from toy import ToyGame

import hawaii_env
from hawaii_env import agents, games
from hawaii_env.errors import IllegalActionError, OptionError
from hawaii_env.hawaii1795 import Game
from hawaii_env.integrations import saved

# What ray asks of gymnasium exactly, it needs: with another version its env runners fail in ways of their own.
try:
    asked = [line for line in importlib.metadata.requires("ray") or [] if line.startswith("gymnasium==")]
except importlib.metadata.PackageNotFoundError:
    pytest.skip("ray is not installed (extra rllib)", allow_module_level=True)
wanted = asked[0].partition("==")[2].partition(";")[0].strip() if asked else ""
if wanted and importlib.metadata.version("gymnasium") != wanted:
    pytest.skip(f"this ray's RLlib needs gymnasium {wanted}: make test-rllib", allow_module_level=True)
torch = pytest.importorskip("torch", reason="torch is not installed (extra rllib)")

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # deprecations of RLlib's among itself, while it is imported
    try:
        import ray
        from ray.rllib.algorithms.algorithm import Algorithm
        from ray.rllib.algorithms.ppo import PPOConfig
        from ray.rllib.utils.pre_checks.env import check_multiagent_environments

        from hawaii_env.integrations.rllib import SHARED, GameMultiAgentEnv, RLlibAgent, ppo_config
    except ImportError as error:
        pytest.skip(f"RLlib is not installed (extra rllib): {error}", allow_module_level=True)

pytestmark = pytest.mark.filterwarnings("ignore")
ENV: dict[str, Any] = {"game": "hawaii1795", "scenario": "short"}
GAME = Game(scenario="short")


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    os.environ.setdefault("RAY_worker_niceness", "0")  # at Ray's own 15 a busy machine leaves its workers no time
    ray.init(num_cpus=3, include_dashboard=False, log_to_driver=False, configure_logging=False)
    yield
    ray.shutdown()


def small(**changes: Any) -> Any:
    """A configuration that trains in seconds."""
    # An action against the mask is an error here, and would end the run.
    config = ppo_config(
        {**ENV, "illegal": "raise"},
        hidden=(32,),
        train_batch_size_per_learner=300,
        minibatch_size=100,
        num_epochs=1,
        **changes,
    )
    config.environment(disable_env_checking=True)  # RLlib's own check samples without the mask
    # A mistake of the environment's is to end the test, not to have env runners started for ever.
    config.fault_tolerance(restart_failed_env_runners=False)
    return config.debugging(seed=1, log_level="ERROR")


def weights(algorithm: Any, policy: str = SHARED) -> dict[str, Any]:
    return {key: np.array(value) for key, value in algorithm.get_module(policy).get_state().items()}


def same(one: dict[str, Any], two: dict[str, Any]) -> bool:
    return one.keys() == two.keys() and all(np.array_equal(one[key], two[key]) for key in one)


# The environment


@pytest.mark.parametrize("name", ["hawaii_env:hawaii1795-v1", "hawaii_env:hawaii_env/Hawaii1795-v1"])
def test_ids_of_gymnasium(cluster: None, name: str) -> None:
    """RLlib's own environments of one learner, which know no masks: illegal actions lose."""
    config = PPOConfig().environment(name, env_config={"scenario": "short"}).env_runners(num_env_runners=0)
    algorithm = config.debugging(seed=1, log_level="ERROR").build_algo()
    sampled = algorithm.env_runner.sample(num_episodes=2)
    assert len(sampled) == 2 and all(episode.is_terminated for episode in sampled)
    algorithm.stop()


def test_rllibs_own_check(capfd: pytest.CaptureFixture[str]) -> None:
    """It samples without masks, so games are lost by illegal actions; nothing is printed of them."""
    for _ in range(3):
        check_multiagent_environments(GameMultiAgentEnv(ENV))
    captured = capfd.readouterr()
    assert "llegal" not in captured.out + captured.err


def test_the_environment_is_the_same_game() -> None:
    env = GameMultiAgentEnv({**ENV, "illegal": "raise"})
    state = GAME.initial_state(seed=5)
    seen, infos = env.reset(seed=5)
    rng = np.random.default_rng(5)
    while True:
        (agent,) = seen
        player = state.current_player
        assert agent == GAME.agents[player] and list(infos) == [agent]
        assert env.observation_spaces[agent].contains(seen[agent])
        np.testing.assert_array_equal(seen[agent]["observations"], state.observation(player))
        np.testing.assert_array_equal(seen[agent]["action_mask"], state.legal_mask())
        action = int(rng.choice(state.legal_actions()))
        state.apply(action)
        seen, rewards, terminated, truncated, infos = env.step({agent: action})
        if terminated["__all__"]:
            break
        assert rewards == dict.fromkeys(seen, 0.0) and not truncated["__all__"]
    assert state.is_terminal
    outcome = state.outcome()
    assert outcome is not None and list(rewards.values()) == state.returns()
    winner = None if outcome.winner is None else GAME.agents[outcome.winner]
    assert infos == {agent: {"winner": winner, "reason": outcome.reason} for agent in GAME.agents}
    assert not any(shown["action_mask"].any() for shown in seen.values()) and len(seen) == 2


def test_illegal_actions_and_options() -> None:
    env = GameMultiAgentEnv(ENV)
    seen, _ = env.reset(seed=1)
    (agent,) = seen
    illegal = int(np.flatnonzero(seen[agent]["action_mask"] == 0)[0])
    _, rewards, terminated, truncated, infos = env.step({agent: illegal})
    assert rewards[agent] == -1.0 and (terminated["__all__"] or truncated["__all__"])
    assert "illegal" in infos[agent]["reason"]
    strict = GameMultiAgentEnv({**ENV, "illegal": "raise"})
    seen, _ = strict.reset(seed=1)
    refuses(
        IllegalActionError,
        ("", lambda: strict.step({agent: illegal})),
        ("is to decide", lambda: strict.step({next(one for one in GAME.agents if one != agent): illegal})),
    )
    assert GameMultiAgentEnv({"game": ToyGame()}).possible_agents == list(ToyGame().agents)
    refuses_each(
        OptionError,
        "",
        GameMultiAgentEnv,
        ({}, {"game": "chess"}, {"game": ToyGame(), "rounds": 3}, {"game": "hawaii1795", "rounds": 3}),
    )


@pytest.mark.parametrize("scenario", ["duel", "two_haoles"])
def test_sealed_orders_of_two_and_of_six(scenario: str) -> None:
    """Heiau Diplomacy, power after power; each is an agent with observation and mask of its own."""
    env = GameMultiAgentEnv({"game": "heiau", "scenario": scenario, "last_year": 1})
    rng, seen = np.random.default_rng(1), env.reset(seed=1)[0]
    acted, over = set[str](), False
    while not over:
        (agent,) = seen
        acted.add(agent)
        legal = np.flatnonzero(seen[agent]["action_mask"])
        seen, _, terminated, truncated, _ = env.step({agent: int(rng.choice(legal))})
        over = terminated["__all__"]
        assert not truncated["__all__"]
    assert acted == set(env.possible_agents)


# PPO


@pytest.mark.slow
def test_ppo_trains_with_two_env_runners_and_goes_on_from_a_checkpoint(
    cluster: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    algorithm = small().env_runners(num_env_runners=2, rollout_fragment_length="auto").build_algo()
    before = weights(algorithm)
    result = algorithm.train()
    assert algorithm.env_runner_group.num_healthy_remote_workers() == 2
    assert result["env_runners"]["num_env_steps_sampled"] >= 300
    trained = weights(algorithm)
    assert not same(before, trained)
    folder = algorithm.save_to_path(str(tmp_path / "checkpoint"))
    algorithm.stop()
    again = Algorithm.from_checkpoint(folder)
    assert same(weights(again), trained) and again.iteration == 1
    more = again.train()
    assert more["training_iteration"] == 2 and not same(weights(again), trained)
    again.stop()

    # The policy plays: the checkpoint's agent does what the module says, and keeps to the rules.
    agent = RLlibAgent(folder, deterministic=True)
    # The checkpoint has the learner's module; env runners get the weights that play, not those of the value.
    loaded = {key: np.array(value) for key, value in agent.module.get_state().items()}
    plays = [key for key in trained if "critic" not in key and not key.startswith("vf")]
    assert 4 <= len(plays) < len(trained)
    assert same({key: loaded[key] for key in plays}, {key: trained[key] for key in plays})
    state = hawaii_env.play(GAME, [RLlibAgent(folder, seed=1), "random"], seed=1)
    assert state.is_terminal
    observations = GAME.initial_state(seed=1).observation(1).astype(np.float32)[None]
    mask = GAME.initial_state(seed=1).legal_mask()[None]
    assert agent.act_batch(observations, mask).tolist() == agent.act_batch(observations, mask).tolist()
    refuses(OptionError, (f"not 'nobody': {SHARED}", lambda: RLlibAgent(folder, policy="nobody")))

    # By its spec, too.
    monkeypatch.setattr(agents, "_registered", {**agents._registered, "rllib": saved.rllib})
    spec = f"rllib:{folder},policy={SHARED}"
    once, again = (hawaii_env.play(GAME, [spec, "random"], seed=1).to_json() for _ in range(2))
    assert once == again and agents.load_agent(f"rllib:{folder}").name == "checkpoint"
    toy = ToyGame()
    refuses(
        OptionError,
        (
            rf"a policy of observations \[\d+\] .*{toy.name} has \[{toy.observation_size}\]",
            lambda: agents.begin(agents.load_agent(spec), toy, 0),
        ),
    )
    (tmp_path / "empty").mkdir()
    refuses(
        OptionError,
        ("empty is not a checkpoint of an RLlib algorithm", lambda: agents.load_agent(f"rllib:{tmp_path / 'empty'}")),
    )
    next(Path(folder).rglob(f"{SHARED}/*.pkl")).write_bytes(b"cut")
    refuses(OptionError, (f"policy '{SHARED}' cannot be read", lambda: agents.load_agent(f"rllib:{folder}")))


def share_won(agent: RLlibAgent, games: int) -> float:
    """The share of games won against random play, of both sides alike; a tie is half a win."""
    won = 0.0
    for number in range(games):
        state = hawaii_env.play(GAME, [agent, "random"] if number % 2 == 0 else ["random", agent], seed=number)
        outcome = state.outcome()
        assert outcome is not None
        won += 0.5 if outcome.winner is None else outcome.winner == number % 2
    return won / games


@pytest.mark.slow
def test_the_documented_configuration_learns_visibly(cluster: None, tmp_path: Path) -> None:
    """As docs/integrations.md has it; what is measured is printed (`pytest -s`)."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        algorithm = ppo_config(ENV).env_runners(num_env_runners=2).debugging(seed=1, log_level="ERROR").build_algo()
        started, decisions = time.perf_counter(), 0.0
        for _ in range(15):
            decisions = algorithm.train()["env_runners"]["num_env_steps_sampled_lifetime"]
        seconds = time.perf_counter() - started
        folder = algorithm.save_to_path(str(tmp_path / "learned"))
        algorithm.stop()
        won = share_won(RLlibAgent(folder, seed=1), 300)
    finally:
        torch.set_num_threads(threads)
    print(f"{decisions:.0f} decisions in {seconds:.0f} s; then {won:.1%} of 300 games won against random play")
    # An untrained policy wins half; 300 games tell 58% from that by 2.8 standard errors.
    assert decisions >= 30_000
    assert won > 0.58


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "options", "players"),
    [
        ("heiau", {"scenario": "duel", "last_year": 1}, 2),
        ("heiau", {"scenario": "two_haoles", "last_year": 1}, 6),
        ("aloha", {"players": 2}, 2),
        ("aloha", {"players": 4}, 4),
    ],
)
def test_two_to_six_policies_train_and_play(
    cluster: None, tmp_path: Path, name: str, options: dict[str, Any], players: int
) -> None:
    """Sealed orders and turns around the table: each player's policy learns, and the checkpoint's play a whole game."""
    config = ppo_config(
        {"game": name, **options, "illegal": "raise"},
        shared=False,
        hidden=(32,),
        train_batch_size_per_learner=600,
        minibatch_size=50,
        num_epochs=1,
    )
    config.environment(disable_env_checking=True)  # RLlib's own check samples without the mask
    config.env_runners(num_env_runners=0, num_envs_per_env_runner=1)  # whole games within a batch
    algorithm = config.debugging(seed=1, log_level="ERROR").build_algo()
    game = games.load_game(name, **options)
    assert len(game.agents) == players and set(algorithm.env_runner.module.keys()) == set(game.agents)
    before = {agent: weights(algorithm, agent) for agent in game.agents}
    told = algorithm.train()["env_runners"]
    assert told["num_episodes"] >= 1 and set(told["agent_episode_returns_mean"]) == set(game.agents)
    assert all(not same(before[agent], weights(algorithm, agent)) for agent in game.agents)
    folder = algorithm.save_to_path(str(tmp_path / name))
    algorithm.stop()
    seats = [RLlibAgent(folder, policy=agent, seed=seat) for seat, agent in enumerate(game.agents)]
    outcome = hawaii_env.play(game, seats, seed=1).outcome()
    assert outcome is not None and sum(outcome.shares) == pytest.approx(1.0)
