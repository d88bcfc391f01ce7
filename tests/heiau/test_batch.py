"""Rows of observations that are written by difference tell what positions tell."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hawaii_env import make_batch
from hawaii_env.env.versus import Versus
from hawaii_env.heiau import Game


class PythonGame(Game):
    """The same game, stepped in Python."""

    batch_backend = None  # pyright: ignore[reportAssignmentType]


def games(kind: type[Game], lanes: int, options: dict[str, Any]) -> list[Game]:
    """Games of a class, one for each environment; lists of options take turns."""
    turns = {key: value if isinstance(value, list) else [value] for key, value in options.items()}
    return [kind(**{key: values[i % len(values)] for key, values in turns.items()}) for i in range(lanes)]


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
