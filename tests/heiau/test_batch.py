"""Compiled lanes play exactly as lanes in Python do, step by step: games, masks, observations, rewards, ends."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hawaii_env import make_batch
from hawaii_env.core.compiled_batch import CompiledBatch
from hawaii_env.env.python_batch import PythonBatch
from hawaii_env.env.vector import BatchEnv
from hawaii_env.env.versus import Versus
from hawaii_env.heiau import Game
from hawaii_env.rollouts import playouts

FIELDS = (
    "observations", "masks", "to_play", "rewards", "terminations", "truncations", "over", "lengths", "returns",
    "episode_lengths",
    "episode_returns", "episode_winners",
)  # fmt: skip


class PythonGame(Game):
    """The same game, stepped in Python."""

    batch_backend = None  # pyright: ignore[reportAssignmentType]


def games(kind: type[Game], lanes: int, options: dict[str, Any]) -> list[Game]:
    """Games of a class, one for each environment; lists of options take turns."""
    turns = {key: value if isinstance(value, list) else [value] for key, value in options.items()}
    return [kind(**{key: values[i % len(values)] for key, values in turns.items()}) for i in range(lanes)]


def pair(lanes: int, raw: bool = False, **options: Any) -> tuple[BatchEnv, BatchEnv]:
    """A batch of compiled lanes and one of lanes in Python."""
    compiled, python = (make_batch(games(kind, lanes, options), lanes, raw=raw) for kind in (Game, PythonGame))
    assert isinstance(compiled.runner.backend, CompiledBatch) and isinstance(python.runner.backend, PythonBatch)
    return compiled, python


def slow(options: dict[str, Any], steps: int) -> Any:
    return pytest.param(options, steps, marks=pytest.mark.slow)


def agree(compiled: BatchEnv, python: BatchEnv) -> None:
    for name in FIELDS:
        one, other = getattr(compiled.runner.arrays, name), getattr(python.runner.arrays, name)
        assert np.array_equal(one, other), name
    ended = compiled.terminations | compiled.truncations
    for lane in np.flatnonzero(ended):
        reasons = [b.runner.backend.reason_texts[b.runner.arrays.episode_reasons[lane]] for b in (compiled, python)]
        assert reasons[0].format(compiled.runner.arrays.limits[lane]) == reasons[1]
        finals = [b.runner.arrays.final_observations for b in (compiled, python)]
        assert not len(finals[0]) or np.array_equal(finals[0][lane], finals[1][lane])


@pytest.mark.parametrize(
    ("options", "steps"),
    [
        ({"scenario": ["race", "discrete", "heart"], "last_year": 1}, 30),
        slow({"scenario": ["clans", "triangle"], "last_year": 2}, 400),
        slow({"scenario": "two_haoles", "assignment": "random", "last_year": 1}, 200),
        slow({"scenario": "haole", "last_year": 1, "scoring": "sum_of_squares"}, 200),
        slow({"scenario": "wings", "assignment": ["random", "fixed"], "last_year": 1}, 100),
    ],
)
def test_environments_agree(options: dict[str, Any], steps: int) -> None:
    compiled, python = pair(3, raw=options["scenario"] == "haole", **options)
    compiled.reset(seed=5)
    python.reset(seed=5)
    agree(compiled, python)
    ended = 0
    for _ in range(steps):
        actions = compiled.sample_actions()
        assert np.array_equal(actions, python.sample_actions())
        for one, other in zip(compiled.legal_lists(), python.legal_lists(), strict=True):
            assert np.array_equal(one, other)
        compiled.step(actions)
        python.step(actions)
        agree(compiled, python)
        ended += int(compiled.terminations.sum())
    assert ended
    for lane in range(3):
        both = [b.runner.backend.get(lane).to_json(secrets=True) for b in (compiled, python)]
        assert both[0] == both[1]


@pytest.mark.parametrize("scenario", ["duel", pytest.param("two_haoles", marks=pytest.mark.slow)])
def test_playouts_agree(scenario: str) -> None:
    """Also where chance falls on the way: those games are played in Python."""
    found = [
        playouts(kind(scenario=scenario, last_year=1).initial_state(seed=2), 6, seed=3) for kind in (Game, PythonGame)
    ]
    assert np.array_equal(found[0].returns, found[1].returns) and np.array_equal(found[0].lengths, found[1].lengths)


@pytest.mark.parametrize("raw", [False, True])
def test_rows_tell_a_position_that_is_put_there(raw: bool) -> None:
    """In a turn only what is new is written: another position of the same turn and power is written whole."""
    batch = make_batch("heiau", 2, scenario="race", raw=raw)
    batch.reset(seed=1)
    state = Game(scenario="race").initial_state(seed=1)
    other = Game(scenario="race").position(units={"sunrise": ["B hilo", "A hamakua"], "sunset": ["B lahaina"]})
    for start in (state, other, state):
        batch.reset(options={"state": start, "reset_mask": np.array([False, True])})
        wanted = start.observation(0, raw=raw)
        assert np.array_equal(batch.observations[1], wanted) and batch.to_play[1] == 0
        batch.step(batch.sample_actions())


@pytest.mark.parametrize("scenario", ["triangle", ["duel", "triangle"]])
def test_rows_of_a_learner_tell_what_it_sees(scenario: Any) -> None:
    """Random players decide between its decisions, in the same turn and in others; by lanes of 2 and 3 players, too."""
    kinds = (games(kind, 4, {"scenario": scenario, "last_year": 2}) for kind in (Game, PythonGame))
    batches = [Versus(kind, 4, "random") for kind in kinds]
    for versus in batches:
        versus.reset(seeds=[3, 4, 5, 6])
        assert versus.rewards.shape == (4,) and versus.runner.num_players == 3
    for step in range(60):
        one, other = (versus.observations for versus in batches)
        assert np.array_equal(one, other), step
        batch = batches[0].runner.arrays
        over = np.flatnonzero(batch.over).tolist()
        actions = np.array([np.resize(np.flatnonzero(row), step + 1)[-1] if row.any() else 0 for row in batch.masks])
        for versus in batches:
            if over:
                versus.reset(over)
            else:
                versus.step(actions)
