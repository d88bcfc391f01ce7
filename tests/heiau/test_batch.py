"""Compiled lanes play exactly as lanes in Python do, step by step: games, masks, observations, rewards, ends."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from hawaii_env.env.python_lanes import PythonLanes
from hawaii_env.env.vector import BatchEnv, make_batch
from hawaii_env.heiau import Game
from hawaii_env.heiau.batch import CompiledLanes
from hawaii_env.rollouts import playouts

FIELDS = (
    "observations", "masks", "to_play", "rewards", "terminations", "truncations", "over", "lengths", "returns", "episode_lengths",
    "episode_returns", "episode_winners",
)  # fmt: skip


class PythonGame(Game):
    """The same game, stepped in Python."""

    batch_backend = None  # pyright: ignore[reportAssignmentType]


def pair(lanes: int, raw: bool = False, **options: Any) -> tuple[BatchEnv, BatchEnv]:
    """A batch of compiled lanes and one of lanes in Python."""
    compiled, python = (make_batch(kind, lanes, raw=raw, **options) for kind in (Game, PythonGame))
    assert isinstance(compiled.lanes, CompiledLanes) and isinstance(python.lanes, PythonLanes)
    return compiled, python


def slow(options: dict[str, Any], steps: int) -> Any:
    return pytest.param(options, steps, marks=pytest.mark.slow)


def agree(compiled: BatchEnv, python: BatchEnv) -> None:
    for name in FIELDS:
        one, other = getattr(compiled.arrays, name), getattr(python.arrays, name)
        assert np.array_equal(one, other), name
    ended = compiled.terminations | compiled.truncations
    for lane in np.flatnonzero(ended):
        reasons = [b.lanes.reason_texts[b.arrays.episode_reasons[lane]] for b in (compiled, python)]
        assert reasons[0].format(compiled.arrays.limits[lane]) == reasons[1]
        finals = [b.arrays.final_observations for b in (compiled, python)]
        assert not len(finals[0]) or np.array_equal(finals[0][lane], finals[1][lane])


@pytest.mark.parametrize(
    ("options", "steps"),
    [
        ({"scenario": ["race", "duel"], "last_year": 1}, 30),
        slow({"scenario": ["clans", "triangle"], "last_year": 2}, 400),
        slow({"scenario": "two_haoles", "assignment": "random", "last_year": 1}, 200),
        slow({"scenario": "haole", "last_year": 1, "scoring": "sum_of_squares"}, 200),
        slow({"scenario": "wings", "assignment": ["random", "fixed"], "last_year": 1}, 100),
    ],
)
def test_lanes_agree(options: dict[str, Any], steps: int) -> None:
    compiled, python = pair(3, raw=options["scenario"] == "haole", **options)
    compiled.reset(seed=5)
    python.reset(seed=5)
    agree(compiled, python)
    ended = 0
    for _ in range(steps):
        actions = compiled.sample_actions()
        assert np.array_equal(actions, python.sample_actions())
        compiled.step(actions)
        python.step(actions)
        agree(compiled, python)
        ended += int(compiled.terminations.sum())
    assert ended
    for lane in range(3):
        both = [b.lanes.get(lane).to_json(secrets=True) for b in (compiled, python)]
        assert both[0] == both[1]


def test_a_batch_goes_on_from_its_pickle() -> None:
    batch = make_batch(Game, 2, scenario="triangle")
    batch.reset(seed=1)
    for _ in range(15):
        batch.step(batch.sample_actions())
    other = pickle.loads(pickle.dumps(batch))
    for _ in range(10):
        actions = batch.sample_actions()
        assert np.array_equal(actions, other.sample_actions())
        batch.step(actions)
        other.step(actions)
        assert np.array_equal(batch.observations, other.observations) and np.array_equal(batch.masks, other.masks)


@pytest.mark.parametrize("scenario", ["duel", pytest.param("two_haoles", marks=pytest.mark.slow)])
def test_playouts_agree(scenario: str) -> None:
    """Also where chance falls on the way: those games are played in Python."""
    found = [
        playouts(kind(scenario=scenario, last_year=1).initial_state(seed=2), 6, seed=3) for kind in (Game, PythonGame)
    ]
    assert np.array_equal(found[0].returns, found[1].returns) and np.array_equal(found[0].lengths, found[1].lengths)
