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


@rule
def gained(rules: Any, before: Any, after: Any, player: int) -> float:
    """Return a player's new points."""
    return float(after.points[player] - before.points[player])


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


def test_refused_rewards() -> None:
    def batch(reward: Any) -> Any:
        made = hawaii_env.make_batch("aloha", 2, step_reward=reward)
        made.reset(seed=1)
        made.step(made.sample_actions())

    refuses(
        OptionError,
        ("step_reward: aloha has no measure 'gold'; allowed: 'points'", lambda: batch("gold")),
        ("step_reward: expected a name, a Potential or a function, not 7", lambda: batch(7)),
        ("step_reward: expected float.2, 2., not float64.2.", lambda: batch(lambda arrays: np.zeros(2))),
        (
            "step_reward: environment 0: player 0: nan is not finite",
            lambda: batch(lambda arrays: arrays.rewards * np.nan),
        ),
        ("measure: expected a name", lambda: Potential(len)),
        ("gamma", lambda: Potential("points", gamma=float("nan"))),
        ("views", lambda: hawaii_env.make_batch("aloha", 2, views="some")),  # type: ignore[arg-type]
    )
