"""Rewards of each step, and what all players see, in a batch."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from refusals import refuses

import hawaii_env
from hawaii_env import OptionError, Potential
from hawaii_env.core import rule
from hawaii_env.core.batch import Arrays
from hawaii_env.env.single_agent import SingleAgentVectorEnv


@rule
def gained(rules: Any, before: Any, after: Any, player: int) -> float:
    """Return a player's new points."""
    return float(after.points[player] - before.points[player])


@rule
def undefined(rules: Any, before: Any, after: Any, player: int) -> float:
    """Return no number for the second player."""
    return np.nan if player else 0.0


@rule
def endless(rules: Any, state: Any, player: int) -> float:
    """Return more than any number."""
    return np.inf


@rule
def worth(rules: Any, state: Any, player: int) -> float:
    """Return a player's points."""
    return float(state.points[player])


def test_compiled_rewards() -> None:
    """A rule of (before, after, player) sees the last position of a game, before the next begins."""
    batch = hawaii_env.make_batch("aloha", 4, step_reward=gained)
    plain = hawaii_env.make_batch("aloha", 4, autoreset_mode="NextStep")
    batch.reset(seed=1)
    plain.reset(seed=1)
    ended = 0

    def points(i: int) -> list[float]:
        state: Any = plain.get_state(i)
        return state.points

    for step in range(400):
        if step == 50:
            batch = pickle.loads(pickle.dumps(batch))
        before = [points(i) for i in range(4)]
        actions = batch.sample_actions().copy()
        was_over = plain.over.copy()
        plain.step(np.where(was_over, 0, actions), active=~was_over)
        if was_over.any():
            break
        _, rewards, terminations, _, info = batch.step(actions)
        for i in range(4):
            assert rewards[i].tolist() == [a - b for a, b in zip(points(i), before[i], strict=True)]
            if terminations[i]:
                ended += 1
                assert info["episode"]["r"][i].tolist() == points(i)
                assert batch.to_play[i] >= 0 and info["final_obs"][i].tolist() == plain.observations[i].tolist()
        if ended:
            break
    assert ended


def test_potentials_leave_the_return_as_it_is() -> None:
    """With gamma 1 the shaped rewards of a game sum to its return less the potential that it began with."""
    for measure in ("points", worth):
        batch = hawaii_env.make_batch("aloha", 4, step_reward=Potential(measure, weight=0.5))
        batch.reset(seed=2)
        returns: list[Any] = []
        shaped = 0
        while len(returns) < 6:
            _, rewards, terminations, _, info = batch.step(batch.sample_actions())
            shaped += int(((rewards != 0).any(axis=1) & ~terminations).sum())
            returns += [info["episode"]["r"][i] for i in np.flatnonzero(terminations)]
        assert np.isclose(np.abs(np.round(returns)), np.abs(returns), atol=1e-5).all() and shaped > 20


@pytest.mark.usefixtures("toys")
@pytest.mark.parametrize("name", ["aloha", "lagoon"])
def test_functions_get_the_arrays_after_the_step(name: str) -> None:
    seen: list[int] = []

    def per_step(arrays: Arrays) -> Any:
        seen.append(int(arrays.over.sum()))
        return arrays.rewards + 0.25

    batch = hawaii_env.make_batch(name, 3, step_reward=per_step)
    batch.reset(seed=1)
    info: Any = {}
    for _ in range(300):
        _, rewards, _, _, info = batch.step(batch.sample_actions())
        if "episode" in info:
            break
        assert (rewards == 0.25).all()
    assert sum(seen) > 0 and len(seen) > 3
    i = int(np.flatnonzero(info["_episode"])[0])
    least = 0.25 * info["episode"]["l"][i] - 1
    assert (info["episode"]["r"][i] >= least - 1e-4).all() and (info["episode"]["r"][i] <= least + 2 + 1e-4).all()


@pytest.mark.usefixtures("toys")
@pytest.mark.parametrize(("name", "raw"), [("aloha", False), ("aloha", True), ("lagoon", False)])
def test_views_of_all_players(name: str, raw: bool) -> None:
    """Each player's observation of the position that stands, and of the last one of games that ended."""
    batch = hawaii_env.make_batch(name, 3, views="all", raw=raw)
    plain = hawaii_env.make_batch(name, 3, autoreset_mode="Disabled", raw=raw)
    batch.reset(seed=1)
    plain.reset(seed=1)
    ended = False
    while not ended:
        actions = batch.sample_actions().copy()
        _, _, terminations, _, info = batch.step(actions)
        plain.step(actions)
        ended = bool(terminations.any())
        for i in range(3):
            last = plain.get_state(i)
            state = batch.get_state(i)
            for player in range(state.game.num_players):
                assert (batch.views[i, player] == state.observation(player, raw=raw)).all()
                if terminations[i]:
                    assert (info["final_views"][i, player] == last.observation(player, raw=raw)).all()
    assert batch.views.dtype == batch.observations.dtype


def change_of(before: Any, after: Any, player: int) -> float:
    """Return 1 for each decision, and 10 for one's own."""
    return 1.0 + 10.0 * (before.current_player == player)


@pytest.mark.parametrize(("name", "options"), [("aloha", {}), ("hawaii1795", {}), ("heiau", {"scenario": "duel"})])
def test_one_game_is_paid_like_a_batch(name: str, options: dict[str, Any]) -> None:
    """AEC sums what each player got since their own last decision; the last step pays the game's result, too."""
    game = hawaii_env.load_game(name, **options)
    measure = next(iter(game.measures))  # pyright: ignore[reportAttributeAccessIssue]  of compiled games
    batch = hawaii_env.make_batch(game, 1, step_reward=Potential(measure, 0.9, 2.0), autoreset_mode="Disabled")
    env = hawaii_env.make(game, step_reward=Potential(measure, 0.9, 2.0), illegal="raise")
    batch.reset(seed=3)
    env.reset(seed=3)
    pending = dict.fromkeys(env.agents, 0.0)
    rng = np.random.default_rng(1)
    while True:
        agent, (_, reward, over, _, info) = env.agent_selection, env.last()
        assert reward == pytest.approx(pending[agent], abs=1e-5)
        if over:
            assert env.rewards == pytest.approx(dict(zip(env.agents, batch.rewards[0].tolist(), strict=True)), abs=1e-5)
            break
        action = int(rng.choice(np.flatnonzero(info["action_mask"])))
        before = env.game_state.to_json(secrets=True)
        with pytest.raises(hawaii_env.IllegalActionError):
            env.step(int(np.flatnonzero(info["action_mask"] == 0)[0]))
        assert env.game_state.to_json(secrets=True) == before and env.last()[1] == reward
        env.step(action)
        batch.step(np.array([action]))
        pending[agent] = 0.0
        for player, name in enumerate(env.possible_agents):
            assert env.rewards[name] == pytest.approx(batch.rewards[0, player], abs=1e-5)
            pending[name] += env.rewards[name]
    lost = hawaii_env.make(game, step_reward=change_of)
    lost.reset(seed=3)
    lost.warn_illegal = False
    lost.step(int(np.flatnonzero(lost.last()[4]["action_mask"] == 0)[0]))
    assert sorted(lost.rewards.values())[:2] == [-1.0, 0.0] and all(lost.truncations.values())


def test_parallel_environments_pay_each_step() -> None:
    env = hawaii_env.make_parallel("heiau", scenario="duel", step_reward=change_of)
    shaped = hawaii_env.make_parallel("heiau", scenario="duel", step_reward=Potential("centres", weight=3.0))
    start = hawaii_env.make("heiau", scenario="duel", step_reward=Potential("centres", 0.0, -3.0))
    start.reset(seed=1)
    start.step(int(np.flatnonzero(start.last()[4]["action_mask"])[0]))
    worth, sums, rng = dict(start.rewards), dict.fromkeys(env.possible_agents, 0.0), np.random.default_rng(2)
    over: dict[str, bool] = {}
    _, infos = env.reset(seed=1)
    shaped.reset(seed=1)
    while env.agents:
        masks = {agent: info["action_mask"] for agent, info in infos.items()}
        actions = {agent: int(rng.choice(np.flatnonzero(mask))) for agent, mask in masks.items() if mask.any()}
        _, plain, _, _, infos = env.step(actions)
        assert set(plain.values()) <= {1.0, 11.0}
        _, rewards, over, _, _ = shaped.step(actions)
        sums = {agent: total + rewards[agent] for agent, total in sums.items()}
    assert all(over.values()) and max(worth.values()) > 0
    returns = dict(zip(env.possible_agents, shaped.game_state.returns(), strict=True))
    assert sums == pytest.approx({agent: returns[agent] - worth[agent] for agent in sums}, abs=1e-5)


def test_a_learner_is_paid_for_its_whole_step() -> None:
    """From its decision to its next, whatever others decide in between; the next game begins afterwards."""
    pytest.importorskip("stable_baselines3")
    from hawaii_env.env.single_agent import SingleAgentEnv
    from hawaii_env.integrations.sb3 import BatchVecEnv

    given: dict[str, Any] = {"opponent": "aloha-greedy", "side": 0, "step_reward": Potential("points", 0.5)}
    game = hawaii_env.load_game("aloha")
    measure = game.measures["points"]  # pyright: ignore[reportAttributeAccessIssue]  of compiled games
    single, vector, stable = (
        SingleAgentEnv(game, **given),
        SingleAgentVectorEnv(game, 1, autoreset_mode="Disabled", **given),
        BatchVecEnv(game, 1, **given),
    )
    _, info = single.reset(seed=5)
    vector.reset(seed=5)
    stable.seed(5)
    stable.reset()
    rng, over, steps = np.random.default_rng(3), False, 0

    def worth() -> float:
        state: Any = single.game_state
        return measure(state.game.tables, state.interpreted(), 0)

    while not over:
        before, action = worth(), int(rng.choice(np.flatnonzero(info["action_mask"])))
        _, reward, over, _, info = single.step(action)
        after = single.game_state.returns()[0] if over else 0.5 * worth()
        assert reward == pytest.approx(after - before, abs=1e-5)
        assert vector.step(np.array([action]))[1][0] == pytest.approx(reward, abs=1e-5)
        _, rewards, dones, _ = stable.step(np.array([action]))
        assert rewards[0] == pytest.approx(reward, abs=1e-5) and bool(dones[0]) == over
        steps += reward != 0
    assert steps > 5
    for made in (single, vector, stable):
        made.close()


def test_refused_rewards() -> None:
    def env(reward: Any) -> None:
        made = hawaii_env.make("aloha", step_reward=reward)
        made.reset(seed=1)
        made.step(int(np.flatnonzero(made.last()[4]["action_mask"])[0]))

    def batch(reward: Any, name: str = "aloha") -> Any:
        made = hawaii_env.make_batch(name, 2, step_reward=reward)
        made.reset(seed=1)
        made.step(made.sample_actions())

    def learner(reward: Any) -> None:
        envs = SingleAgentVectorEnv("aloha", 2, step_reward=reward)
        envs.reset(seed=1)
        envs.step(envs.action_masks().argmax(axis=1))

    for name in ("aloha", "heiau"):  # a reward is compiled for each game
        refuses(
            OptionError,
            ("environment 0: player 1: nan is not finite", lambda: batch(undefined, name)),  # noqa: B023
            ("environment 0: player 0: nan is not finite", lambda: batch(Potential(endless), name)),  # noqa: B023
        )
    refuses(
        OptionError,
        ("step_reward: aloha has no measure 'gold'; allowed: 'points'", lambda: batch("gold")),
        ("step_reward: expected a name, a Potential or a function, not 7", lambda: batch(7)),
        ("step_reward: expected float.2, 2., not float64.2.", lambda: batch(lambda arrays: np.zeros(2))),
        (
            "step_reward: environment 0: player 0: nan is not finite",
            lambda: batch(lambda arrays: arrays.rewards * np.nan),
        ),
        ("step_reward: aloha has no measure 'gold'; allowed: 'points'", lambda: env("gold")),
        ("step_reward: expected a number, not None", lambda: env(lambda before, after, player: None)),
        (
            "environment 1: player 1: 1e.300 is not finite in float32",
            lambda: batch(lambda arrays: np.where(np.arange(2 * len(arrays.rewards)).reshape(-1, 2) == 3, 1e300, 0.0)),
        ),
        (
            "step_reward: expected float.2, 2., not object.2.",
            lambda: batch(lambda arrays: [[1], *[[1, 2]] * (len(arrays.rewards) - 1)]),
        ),
        (r"step_reward: the function raised ZeroDivisionError\('division by zero'\)", lambda: batch(lambda a: 1 / 0)),
        ("step_reward: the function raised TypeError.*missing 2 required", lambda: batch(lambda a, b, c: 0.0)),
        ("step_reward: the function raised ZeroDivisionError", lambda: learner(lambda a: 1 / 0)),
        ("step_reward: the function raised ZeroDivisionError", lambda: env(lambda b, a, player: 1 / 0)),
        ("step_reward: the function raised TypeError.*takes 1 positional", lambda: env(lambda a: 0.0)),
        ("step_reward: the function raised TypeError", lambda: env(Potential(gained))),
        ("environment 0: player 1: nan is not finite", lambda: learner(undefined)),
        ("step_reward: player 1: nan is not finite", lambda: env(undefined)),
        ("step_reward: player 0: 1000", lambda: env(lambda b, a, player: 10**400)),
        ("step_reward: player 1: inf is not finite", lambda: env(lambda b, a, player: np.inf if player else 0.0)),
        ("measure: expected a name", lambda: Potential(len)),
        ("gamma", lambda: Potential("points", gamma=float("nan"))),
        ("views", lambda: hawaii_env.make_batch("aloha", 2, views="some")),  # type: ignore[arg-type]
    )
