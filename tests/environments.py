"""Environments begun, and what opponents of a learner are given to look at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hawaii_env.agents import PolicyAgent


def begun(env: Any, seed: Any = 1, **arguments: Any) -> Any:
    """Return an environment or a batch after its first reset."""
    env.reset(seed=seed, **arguments)
    return env


class Watcher(PolicyAgent):
    """Plays the first legal action, and keeps the observations that it is given."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    def act_batch(self, observations: Any, masks: Any) -> Any:
        self.seen.append(observations.copy())
        return masks.argmax(axis=1)


def check_what_opponents_are_given(play: Callable[[list[Any], bool], None]) -> None:
    """Agents are given scaled observations, functions the environment's; `play` plays the same games against them, raw
    or not.
    """
    seen = []
    for raw in (False, True):
        watcher, given = Watcher(), []

        def function(observations: Any, masks: Any, given: list[Any] = given) -> Any:
            given.append(observations.dtype)
            return masks.argmax(axis=1)

        play([watcher, function], raw)
        seen.append(np.concatenate(watcher.seen))
        assert set(given) == {np.dtype(np.int8 if raw else np.float32)}
    assert seen[0].dtype == seen[1].dtype == np.float32 and np.array_equal(seen[0], seen[1])
