"""The vector environment of Stable-Baselines3."""

from __future__ import annotations

import copy
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from refusals import refuses, refuses_each

pytest.importorskip("sb3_contrib", reason="the learning libraries are not installed")

import torch
from environments import Diarist
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3 import PPO
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.utils import set_random_seed
from stable_baselines3.common.vec_env import DummyVecEnv, VecCheckNan, VecEnv, VecMonitor, VecNormalize
from toy import ToyGame

from hawaii_env.agents import BaseAgent, PolicyAgent, RandomAgent
from hawaii_env.env.single_agent import SingleAgentEnv
from hawaii_env.errors import ClosedError, HawaiiError, IllegalActionError, OptionError, OrderError, StateError
from hawaii_env.hawaii1795 import Game
from hawaii_env.integrations.sb3 import BatchVecEnv, PoolCallback, SB3Agent

torch.set_num_threads(1)

GAME = Game(scenario="short")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning:torch")


@pytest.mark.parametrize("name", ["hawaii_env:hawaii_env/Hawaii1795-v1", "hawaii_env:hawaii1795-v1"])
def test_the_library_takes_ids(name: str) -> None:
    """Its own vector environments and PPO, which know no masks: illegal actions lose."""
    envs = make_vec_env(name, n_envs=2, env_kwargs={"scenario": "short"})
    assert envs.env_method("get_wrapper_attr", "game") == [GAME, GAME]
    PPO("MlpPolicy", envs, n_steps=4, batch_size=8, n_epochs=1, device="cpu", seed=1).learn(8)
    PPO("MlpPolicy", name, n_steps=4, batch_size=4, n_epochs=1, device="cpu", seed=1)


def first_legal(observations: NDArray[Any], masks: NDArray[np.int8]) -> NDArray[np.int64]:
    return masks.argmax(axis=1)


class Last(BaseAgent):
    """Looks at positions, and plays the last legal action."""

    def act(self, state: Any, legal_actions: Any, clock: Any = None) -> int:
        assert state.chance == "explicit"
        assert self.player in state.acting_players
        return legal_actions[-1]


class Recorder(PolicyAgent):
    """Plays the first legal action, and keeps the sizes of its batches."""

    name = "recorder"

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def act_batch(self, observations: NDArray[np.float32], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        assert masks.any(axis=1).all()
        self.sizes.append(len(masks))
        observations[:] = np.nan  # what it is given is its own
        return masks.argmax(axis=1)


class Random:
    """A learner that draws legal actions."""

    def __init__(self, seed: int = 0) -> None:
        self.rng = np.random.default_rng(seed)

    def __call__(self, env: VecEnv) -> NDArray[np.int64]:
        masks = get_action_masks(env)
        return ((1 - self.rng.random(masks.shape)) * masks).argmax(axis=1)


def untrained(env: VecEnv, spread: float = 0.0, **options: Any) -> MaskablePPO:
    """A small model; `spread` makes its actions differ."""
    settings: dict[str, Any] = {"n_steps": 8, "batch_size": 32, "n_epochs": 1, "seed": 0, "device": "cpu", **options}
    model = MaskablePPO("MlpPolicy", env, policy_kwargs={"net_arch": [8]}, **settings)
    if spread:
        with torch.no_grad():
            cast(torch.nn.Linear, model.policy.action_net).weight.normal_(0, spread)
    return model


def story(env: BatchVecEnv, steps: int = 30) -> list[Any]:
    """A reset, steps with a learner that always draws alike, and what was seen."""
    learner = Random()
    told: list[Any] = [env.reset().sum()]
    for _ in range(steps):
        observations, rewards, dones, _ = env.step(learner(env))
        told += [observations.sum(), rewards.tolist(), dones.tolist(), env.get_attr("side")]
    return told


def play(env: BatchVecEnv, steps: int, learner: Callable[[VecEnv], Any] | None = None) -> list[dict[str, Any]]:
    """Step with random legal actions; return the infos of the games that ended."""
    learner = learner or Random()
    ended: list[dict[str, Any]] = []
    for _ in range(steps):
        _, _, dones, infos = env.step(learner(env))
        assert [("episode" in info) for info in infos] == dones.tolist()
        ended += [info for info in infos if "episode" in info]
    return ended


# What SB3 expects of a vector environment


def test_shapes_and_types() -> None:
    env = BatchVecEnv(GAME, 3, seed=1)
    assert isinstance(env, VecEnv)
    assert env.num_envs == 3
    observations = env.reset()
    assert observations.shape == (3, GAME.observation_size)
    assert observations.dtype == np.float32
    assert all(env.observation_space.contains(row) for row in observations)
    assert is_masking_supported(env)
    assert get_action_masks(env).shape == (3, GAME.num_actions)
    seen, rewards, dones, infos = env.step(Random()(env))
    assert (seen.shape, seen.dtype) == ((3, GAME.observation_size), np.float32)
    assert (rewards.shape, rewards.dtype) == ((3,), np.float32)
    assert (dones.shape, dones.dtype) == ((3,), np.bool_)
    assert isinstance(infos, list)
    assert [set(info) for info in infos] == [{"action_mask", "TimeLimit.truncated"}] * 3
    for row, info in zip(get_action_masks(env), infos, strict=True):
        assert info["action_mask"].dtype == np.int8
        assert np.array_equal(row, info["action_mask"])


def test_returned_arrays_are_the_callers() -> None:
    env = BatchVecEnv(GAME, 2, seed=1)
    kept = [env.reset(), np.stack(env.env_method("action_masks"))]
    rows = env.env_method("action_masks")
    copies = [array.copy() for array in kept]
    play(env, 5)
    assert all(np.array_equal(a, b) for a, b in zip(kept, copies, strict=True))
    assert np.array_equal(np.stack(rows), kept[1])
    observations = env.step(Random()(env))[0]
    observations[:] = -1
    assert (env._runner.arrays.observations >= 0).all()


def test_attributes_and_methods() -> None:
    env = BatchVecEnv(GAME, 3, side=1, seed=1, render_mode="ansi")
    assert env.get_attr("opponent") == [None] * 3
    env.reset()
    assert env.get_attr("side") == [1, 1, 1]
    assert env.get_attr("opponent", indices=[0, 2]) == ["random", "random"]
    assert env.get_attr("game", indices=1) == [GAME]
    assert env.get_attr("num_envs") == [3, 3, 3]
    assert not env.has_attr("nonsense")
    assert np.array_equal(env.get_attr("action_masks")[2](), get_action_masks(env)[2])
    assert len(env.env_method("action_masks", indices=[0, -1])) == 2
    assert env.env_method("state", indices=0)[0].current_player == 1
    assert all(isinstance(text, str) for text in env.env_method("render"))
    env.render()
    assert env.get_images() == [None] * 3
    assert env.env_is_wrapped(Monitor) == [True] * 3
    assert env.env_is_wrapped(VecMonitor, indices=0) == [False]
    env.set_attr("side", "kamehameha_0")
    env.set_attr("opponent", first_legal)
    refuses(
        AttributeError,
        ("nonsense", lambda: env.get_attr("nonsense")),
        ("action_masks, state, render", lambda: env.env_method("nonsense")),
        ("'opponent' and 'side'", lambda: env.set_attr("nonsense", 1)),
        ("share", lambda: env.set_attr("opponent", "random", indices=[0])),
    )
    refuses(
        OptionError,
        ("indices: expected an integer from -3 to 2, not 3", lambda: env.env_method("action_masks", indices=3)),
    )
    env.reset()
    assert env.get_attr("side") == [0, 0, 0]
    assert env.get_attr("opponent") == ["first_legal"] * 3


def test_sb3_checks_and_wrappers() -> None:
    check_env(SingleAgentEnv(GAME), warn=False)  # SB3 checks environments, not vector environments
    env: Any = VecNormalize(VecCheckNan(BatchVecEnv(GAME, 4, seed=0), raise_exception=True), norm_reward=False)
    env.reset()
    found = []
    for _ in range(200):
        _, _, _, infos = env.step(Random()(env))
        found += [info["episode"] for info in infos if "episode" in info]
    assert found
    assert {"r", "l", "t"} <= set(found[0])
    with pytest.warns(UserWarning, match="already wrapped with a `Monitor`"):
        VecMonitor(env)


def test_environments_play_as_single_environments_of_their_seeds() -> None:
    lanes, seed = 5, 7
    env = BatchVecEnv(GAME, lanes, opponent=first_legal, max_decisions=60)
    single: Any = DummyVecEnv(
        [lambda: SingleAgentEnv(GAME, opponent=first_legal, max_decisions=60, illegal="raise")] * lanes
    )
    env.seed(seed)
    single.seed(seed)
    assert np.array_equal(env.reset(), single.reset())
    learner = Random()
    for _ in range(250):
        actions = learner(env)
        ours, theirs = env.step(actions), single.step(actions)
        for mine, other in zip(ours[:3], theirs[:3], strict=True):
            assert np.array_equal(mine, other)
        for mine, other in zip(ours[3], theirs[3], strict=True):
            assert mine["TimeLimit.truncated"] == other["TimeLimit.truncated"]
            assert ("terminal_observation" in mine) == ("terminal_observation" in other)
            if "terminal_observation" in mine:
                assert np.array_equal(mine["terminal_observation"], other["terminal_observation"])
                assert (mine["outcome"]["winner"], mine["outcome"]["reason"]) == (
                    None if other["winner"] < 0 else other["winner"],
                    other["reason"],
                )


@pytest.mark.parametrize(("opponent", "threads"), [("random", 1), ("random:seed=3", 2)])
def test_a_seed_fixes_everything(opponent: str, threads: int) -> None:
    env = BatchVecEnv(GAME, 6, opponent=opponent, seed=4, threads=threads)
    first = story(env)
    env.seed(4)
    assert story(env) == first
    assert story(BatchVecEnv(GAME, 6, opponent=opponent, seed=4)) == first
    env.seed(5)
    assert story(env) != first


@pytest.mark.parametrize(
    "form",
    ["model", "path", "pool", pytest.param("ppo:greedy=false", marks=pytest.mark.slow), "mcts:sims=2,values=game"],
)
def test_a_seed_fixes_opponents_of_every_form(form: str, tmp_path: Path) -> None:
    model = untrained(BatchVecEnv(GAME, 2))
    path = tmp_path / "model.zip"
    model.save(path)
    forms: dict[str, Any] = {"model": model, "path": path, "pool": [model, "random:seed=2", path]}
    opponent = forms.get(form, form)
    steps = 8 if form.startswith("mcts") else 30
    env = BatchVecEnv(GAME, 4, opponent=opponent, seed=4)
    first = story(env, steps)
    assert story(BatchVecEnv(GAME, 4, opponent=opponent, seed=4), steps) == first
    env.seed(4)
    assert story(env, steps) == first
    late = BatchVecEnv(GAME, 4, seed=9)
    late.set_opponent(opponent)
    late.seed(4)
    assert story(late, steps) == first


def test_seeds_are_checked() -> None:
    env = BatchVecEnv(GAME, 2, seed=0)
    refuses_each(OptionError, "seed", lambda wrong: env.seed(cast(Any, wrong)), (-3, 1.5, True))
    assert env.seed(3) == [3, 4]
    assert len(env.seed()) == 2
    env.reset()


# The learner's decisions, rewards and statistics


@pytest.mark.parametrize(
    ("opponent", "side"), [("random", 0), (first_legal, "allied_1"), (RandomAgent(3), "alternate"), (Last(), 1)]
)
def test_the_learner_sees_its_own_decisions_only(opponent: Any, side: Any) -> None:
    env = BatchVecEnv(GAME, 8, opponent=opponent, side=side, seed=2)
    env.reset()
    learner = Random()
    returns, lengths, sides = np.zeros(8), np.zeros(8, int), env.sides.copy()
    games = [0] * 8
    for _ in range(150):
        observations, rewards, dones, infos = env.step(learner(env))
        assert np.array_equal(env._runner.arrays.to_play, env.sides)
        for lane in range(8):
            state = env.env_method("state", indices=lane)[0]
            assert np.array_equal(observations[lane], state.observation(int(env.sides[lane])))
            assert np.array_equal(infos[lane]["action_mask"], state.legal_mask())
        returns += rewards
        lengths += 1
        for lane in np.flatnonzero(dones):
            info = infos[lane]
            winner = info["outcome"]["winner"]
            assert (
                info["episode"]["r"] == returns[lane] == (0 if winner is None else 1 if winner == sides[lane] else -1)
            )
            assert info["episode"]["l"] == lengths[lane] <= info["outcome"]["decisions"]
            assert info["is_success"] == (winner == sides[lane])
            assert info["outcome"]["learner"] == sides[lane]
            assert re.search(r"\[\d", info["outcome"]["reason"])
            games[lane] += 1
        returns[dones] = lengths[dones] = 0
        if side == "alternate":
            assert np.array_equal(env.sides[dones], 1 - sides[dones])
        else:
            assert set(env.sides.tolist()) == {1 if side == "allied_1" else side}
        sides = env.sides.copy()
    assert sum(games) >= 4


def test_opponents_decide_together_for_waiting_environments() -> None:
    agent = Recorder()
    env = BatchVecEnv(GAME, 16, opponent=agent, seed=2)
    env.reset()
    assert max(agent.sizes) == 8  # where the opponent has the first decision
    learner = Random()
    for _ in range(30):
        waited = len(agent.sizes)
        before = env._runner.arrays.lengths.copy()
        _, _, dones, _ = env.step(learner(env))
        gone = (env._runner.arrays.lengths - before)[~dones]
        assert gone.min() >= 1
        assert len(agent.sizes) - waited >= gone.max() - 1
    assert max(agent.sizes) > 4


def test_truncation() -> None:
    env = BatchVecEnv(GAME, 8, opponent=first_legal, max_decisions=10, seed=0)
    env.reset()
    ended = play(env, 40)
    cut = [info for info in ended if info["TimeLimit.truncated"]]
    assert len(cut) > 8
    assert all(info["outcome"]["decisions"] == 10 and info["outcome"]["winner"] is None for info in cut)
    assert all(info["episode"]["r"] == 0 and not info["is_success"] for info in cut)
    assert all(env.observation_space.contains(info["terminal_observation"]) for info in cut)


def test_start_from_a_position() -> None:
    state = GAME.initial_state(seed=3)
    for _ in range(6):
        state.apply(state.legal_actions()[-1])
    env = BatchVecEnv(GAME, 3, side=state.current_player, seed=0)
    env.set_options({"state": state})
    observations = env.reset()
    assert np.array_equal(observations, np.stack([state.observation(state.current_player)] * 3))
    env.set_options([{"state": state}, {}, {}])
    again = env.reset()
    assert np.array_equal(again[0], observations[0])
    assert not np.array_equal(again[1], observations[1])
    env.set_options({"state": "june"})
    refuses(OptionError, ("expected a State", lambda: env.reset()))


def test_mixed_scenarios_and_another_game() -> None:
    env = BatchVecEnv("hawaii1795", 4, scenario=["long", "short"], seed=0)
    env.reset()
    assert [game.scenario for game in env.get_attr("game")] == ["long", "short", "long", "short"]
    toy = BatchVecEnv(ToyGame(), 6, opponent=["random", first_legal, Last()], seed=0)
    toy.reset()
    ended = play(toy, 60)
    assert {info["outcome"]["learner"] for info in ended} == {0, 1, 2}
    assert {info["outcome"]["opponent"] for info in ended} == {"random", "first_legal", "last"}
    assert {info["episode"]["r"] for info in ended} <= {1.0, 0.0, -0.5}


# Opponents


def test_a_pool_is_drawn_from_at_each_game() -> None:
    env = BatchVecEnv(GAME, 16, opponent=["random", first_legal, Last()], weights=[1, 2, 0], seed=0)
    env.reset()
    names = [info["outcome"]["opponent"] for info in play(env, 150)]
    assert set(names) == {"random", "first_legal"}
    assert names.count("first_legal") > names.count("random")


def test_games_end_against_those_they_began_with() -> None:
    env = BatchVecEnv(GAME, 8, opponent="random", seed=0)
    env.reset()
    env.set_opponent(Last())
    assert env.get_attr("opponent") == ["random"] * 8
    names = [info["outcome"]["opponent"] for info in play(env, 400)]
    assert names[0] == "random"
    assert names.count("random") == 8
    assert names[-1] == "last"
    assert len(env._versus._players) <= 2


def test_opponents_that_are_exchanged_are_closed_once_their_games_are_over(diarists: list[Diarist]) -> None:
    env = BatchVecEnv(GAME, 4, opponent="diarist", side=0, seed=9)
    env.reset()
    ends = len(play(env, 200))
    playing = [one for one in diarists if one.diary]
    assert ends > 4 and sum(one.diary.count(True) for one in playing) == ends
    env.seed(1)
    env.reset()
    assert all(one.diary[-1] == "closed" for one in playing)
    play(env, 15)
    playing = [one for one in diarists if one.diary and one.diary[-1] != "closed"]
    env.set_opponent("random")
    assert playing and not any("closed" in one.diary for one in playing)  # games go on against them
    env.reset()
    env.set_opponent("random")
    assert all(one.diary[-1] == "closed" for one in playing)
    mine = Diarist()
    env.set_opponent([mine, "diarist"])
    env.reset()
    env.close()
    assert "closed" not in mine.diary and any(one.diary[-1:] == ["closed"] for one in diarists[-2:])


# What opponents see


@pytest.mark.parametrize("trained_raw", [False, True])
def test_models_are_given_what_they_were_trained_on(trained_raw: bool) -> None:
    model = untrained(BatchVecEnv(GAME, 2, raw=trained_raw), spread=1.0)
    agent = SB3Agent(model, deterministic=True)
    assert agent.raw is trained_raw
    one, other = (BatchVecEnv(GAME, 4, opponent=agent, seed=4, raw=raw, side=1) for raw in (False, True))
    one.reset()
    other.reset()
    learner, twin = Random(), Random()
    for _ in range(30):
        one.step(learner(one))
        other.step(twin(other))
        assert [state.to_json() for state in one.env_method("state")] == [
            state.to_json() for state in other.env_method("state")
        ]
    state, masks = one.env_method("state")[0], get_action_masks(one)[:1]
    assert (
        agent.act(state, state.legal_actions(), None)
        == agent.act_batch(state.observation(1, raw=trained_raw)[None], masks)[0]
    )  # type: ignore[arg-type]
    refuses(
        OptionError,
        ("observations", lambda: agent.act_batch(state.observation(1, raw=not trained_raw)[None], masks)),  # type: ignore[arg-type]
    )


def test_a_row_without_a_legal_action_is_named() -> None:
    env = BatchVecEnv(GAME, 3, seed=0)
    agent = SB3Agent(untrained(env), seed=0)
    observations, masks = env.reset(), get_action_masks(env)
    for row in range(3):
        empty = masks.copy()
        empty[row] = 0
        with pytest.raises(OptionError, match=f"row {row} "):
            agent.act_batch(observations, empty)


@pytest.mark.parametrize("raw", [False, True])
def test_copies_keep_the_normalisation_of_their_time(raw: bool) -> None:
    env = VecNormalize(BatchVecEnv(GAME, 4, seed=0, raw=raw), norm_reward=False)
    model = untrained(env, spread=1.0)
    pool = PoolCallback(every=2, size=2)
    model.learn(64, callback=pool)
    old = copy.deepcopy(env.obs_rms)
    copies = [SB3Agent(model, deterministic=True), SB3Agent(model.policy, deterministic=True, normalize=env)]
    copies += [copy.deepcopy(copies[0]), pickle.loads(pickle.dumps(copies[0]))]
    follower = SB3Agent(model, deterministic=True, freeze=False)
    test = BatchVecEnv(GAME, 16, seed=5, raw=raw)
    observations, masks = test.reset(), get_action_masks(test)
    normal = cast(Any, env.normalize_obs(observations))
    wanted = model.predict(normal, action_masks=masks, deterministic=True)[0]
    for agent in [*copies, follower]:
        assert agent.raw is raw and np.array_equal(agent.act_batch(observations, masks), wanted)
    env.reset()
    for _ in range(50):
        env.step(get_action_masks(env).argmax(axis=1))
    assert not np.array_equal(cast(Any, old).mean, cast(Any, env.obs_rms).mean)
    assert all(np.array_equal(agent.act_batch(observations, masks), wanted) for agent in copies)
    inner = cast(BatchVecEnv, env.unwrapped)
    assert {player.name for player in inner._versus._players.values()} == {"random", "copy_2"}
    seen: list[Any] = []
    newest = pool.copies[-1]
    forward = newest.policy.extract_features
    newest.policy.extract_features = lambda batch: (seen.append(batch), forward(batch))[1]  # type: ignore[method-assign]
    newest.act_batch(observations, masks)
    assert len(seen) == 1 and seen[0].min() < -0.5
    refuses(OptionError, ("normalize", lambda: SB3Agent(model, normalize=cast(Any, test))))


@pytest.mark.parametrize(("model_seed", "env_seed"), [(3, None), (None, 3)])
def test_a_seed_fixes_self_play(model_seed: int | None, env_seed: int | None) -> None:
    weights = []
    for _ in range(2):
        set_random_seed(0)  # what a model without a seed draws from
        model = untrained(BatchVecEnv(GAME, 4, seed=env_seed), n_steps=16, seed=model_seed)
        pool = PoolCallback(every=1, size=2, others=("random", "ppo:greedy=false"))
        model.learn(256, callback=pool)
        weights.append({name: value.clone() for name, value in model.policy.state_dict().items()})
        assert len({agent._rng.random() for agent in pool.copies}) == 2
    assert all(torch.equal(value, weights[1][name]) for name, value in weights[0].items())


def test_a_frozen_policy_as_opponent(tmp_path: Path) -> None:
    env = BatchVecEnv(GAME, 8, seed=0)
    model = MaskablePPO("MlpPolicy", env, n_steps=16, batch_size=64, n_epochs=1, seed=0, device="cpu")
    model.learn(128)
    agent = SB3Agent(model, deterministic=True)
    assert model._last_obs is not None
    observations, masks = np.asarray(model._last_obs), get_action_masks(env)
    chosen = agent.act_batch(observations, masks)
    assert np.array_equal(chosen, model.predict(observations, action_masks=masks, deterministic=True)[0])
    frozen = {name: weights.clone() for name, weights in agent.policy.state_dict().items()}
    model.learn(128)
    assert all(torch.equal(frozen[name], weights) for name, weights in agent.policy.state_dict().items())
    assert SB3Agent(model, freeze=False).policy is model.policy
    model.save(tmp_path / "model.zip")
    for opponent in (model, model.policy, tmp_path / "model.zip", str(tmp_path / "model.zip")):
        against = BatchVecEnv(GAME, 4, opponent=opponent, seed=0)
        against.reset()
        assert play(against, 60)
    drawn = [SB3Agent(model, seed=1).act_batch(observations, masks).tolist() for _ in range(2)]
    assert drawn[0] == drawn[1]
    assert masks[np.arange(8), drawn[0]].all()


def test_draws_follow_the_policy() -> None:
    env = BatchVecEnv(GAME, 1, seed=0)
    model = MaskablePPO("MlpPolicy", env, n_steps=16, batch_size=16, seed=0, device="cpu")
    with torch.no_grad():
        cast(torch.nn.Linear, model.policy.action_net).bias.normal_(0, 2)
    observations = env.reset()
    masks = get_action_masks(env)
    distribution: Any = model.policy.get_distribution(torch.from_numpy(observations), masks).distribution
    wanted = distribution.probs[0].detach().numpy()
    agent, n = SB3Agent(model, seed=0), 4000
    got = np.bincount(agent.act_batch(observations.repeat(n, 0), masks.repeat(n, 0)), minlength=masks.shape[1]) / n
    assert np.abs(got - wanted).max() < 0.03


@pytest.mark.slow
def test_maskable_ppo_learns() -> None:
    env = BatchVecEnv(GAME, 32, seed=0)
    model = MaskablePPO(
        "MlpPolicy", env, n_steps=32, batch_size=256, n_epochs=3, gamma=1.0, learning_rate=1e-3, seed=0, device="cpu"
    )
    pool = PoolCallback(every=4, size=2)
    model.learn(10_240, callback=pool)
    assert [agent.name for agent in pool.copies] == ["copy_4", "copy_8"]
    assert len(model.ep_info_buffer or ()) > 50
    test = BatchVecEnv(GAME, 64, seed=1000)
    returns, lengths = evaluate_policy(
        model, test, n_eval_episodes=256, deterministic=False, return_episode_rewards=True, warn=True
    )
    assert isinstance(returns, list) and isinstance(lengths, list)
    assert np.mean(returns) > 0.1  # random against random is 0, give or take 0.06
    assert min(lengths) >= 1


# Bad input


def test_bad_options() -> None:
    refuses_each(
        OptionError,
        "num_envs",
        lambda number: BatchVecEnv(GAME, number),  # type: ignore[arg-type]
        (0, -1, 1.5, True, "3"),
    )
    refuses(
        OptionError,
        ("render_mode", lambda: BatchVecEnv(GAME, 1, render_mode="human")),
        ("seed", lambda: BatchVecEnv(GAME, 1, seed=-1)),
        ("2 numbers of 0 or more", lambda: BatchVecEnv(GAME, 1, opponent=["random", "random"], weights=[1])),
        ("every: expected an integer", lambda: PoolCallback(every=0)),
        ("masks are needed", lambda: SB3Agent(PPO("MlpPolicy", SingleAgentEnv(GAME), device="cpu"))),
        (r"missing\.zip is not a model", lambda: SB3Agent("missing.zip")),
    )


def test_a_rejected_opponent_changes_nothing() -> None:
    env = BatchVecEnv(GAME, 2, seed=0)
    env.reset()
    before = env._versus.players, dict(env._versus._players)
    refuses(OptionError, ("", lambda: env.set_opponent(["random", "nonsense"])))
    assert (env._versus.players, env._versus._players) == before


def test_an_illegal_action_names_environment_action_and_phase() -> None:
    env = BatchVecEnv(GAME, 3, seed=0)
    env.reset()
    before = env._runner.arrays.observations.copy()
    actions = get_action_masks(env).argmax(axis=1)
    actions[1] = get_action_masks(env)[1].argmin()
    refuses(IllegalActionError, (r"environment 1: .*phase", lambda: env.step_async(actions)))
    actions[1] = GAME.num_actions
    refuses(IllegalActionError, (r"environment 1: .*outside the action table", lambda: env.step_async(actions)))
    assert np.array_equal(before, env._runner.arrays.observations)
    refuses(OrderError, ("", lambda: env.step_wait()))
    play(env, 3)


class Cheat(PolicyAgent):
    name = "cheat"

    def __init__(self, answer: Callable[[NDArray[np.int8]], Any]) -> None:
        self.answer = answer

    def act_batch(self, observations: NDArray[np.float32], masks: NDArray[np.int8]) -> Any:
        return self.answer(masks)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda masks: masks.argmin(axis=1), r"opponent 'cheat': environment \d: .*phase"),
        (lambda masks: masks.argmax(axis=1)[:-1], r"opponent 'cheat': actions: expected an integer array of shape"),
        (lambda masks: masks.argmax(axis=1) * 1.0, r"opponent 'cheat': .*dtype float64"),
        (lambda masks: None, r"opponent 'cheat': .*dtype object"),
    ],
)
def test_opponents_that_answer_wrongly_are_named(answer: Any, message: str) -> None:
    env = BatchVecEnv(GAME, 4, opponent=Cheat(answer), seed=0)
    refuses(IllegalActionError, (message, lambda: env.reset()))


def test_an_agent_that_chooses_an_illegal_action_is_named() -> None:
    class Wrong(BaseAgent):
        def act(self, state: Any, legal_actions: Any, clock: Any = None) -> int:
            return -1

    refuses(
        IllegalActionError,
        (r"environment \d: opponent 'wrong' chose -1", lambda: BatchVecEnv(GAME, 4, opponent=Wrong(), seed=0).reset()),
    )


def test_order_and_closing() -> None:
    env = BatchVecEnv(GAME, 2, seed=0)
    refuses(OrderError, ("reset", lambda: env.step([0, 0])))
    env.reset()
    refuses(OrderError, ("step_async", lambda: env.step_wait()))
    env.close()
    env.close()
    refuses_each(
        ClosedError,
        "closed",
        lambda call: call(),
        (env.reset, lambda: env.step([0, 0]), env.step_wait, lambda: env.env_method("action_masks")),
    )
    assert "closed" in repr(env)


def test_the_pool_callback_rejects_other_environments() -> None:
    callback = PoolCallback(every=1)
    model = MaskablePPO("MlpPolicy", DummyVecEnv([lambda: SingleAgentEnv(GAME)]), n_steps=8, batch_size=8, device="cpu")
    refuses(HawaiiError, ("is for a BatchVecEnv", lambda: model.learn(8, callback=callback)))


def test_games_without_a_choice_of_the_learner_are_not_reported() -> None:
    env = BatchVecEnv(ToyGame(rounds=2), 4, seed=0, max_decisions=2, opponent=first_legal, side=1)
    env.reset()
    ended = play(env, 30)
    assert ended
    assert all(info["episode"]["l"] >= 1 for info in ended)
    refuses_each(
        StateError,
        "in a row ended before",
        lambda opponent: BatchVecEnv(ToyGame(), 2, side=2, max_decisions=1, opponent=opponent).reset(),
        ("random", first_legal),
    )
