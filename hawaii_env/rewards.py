"""Rewards for the steps of a batch, in place of those of the game.

```python
batch = hawaii_env.make_batch("aloha", 1024, step_reward=Potential("points", gamma=0.99))
```
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hawaii_env._arguments import check_number
from hawaii_env.core.batch import ACT, LOSE, SKIP, Arrays, BatchBackend
from hawaii_env.core.closure import COMPILED_COPIES
from hawaii_env.core.extras import reward_points
from hawaii_env.errors import OptionError
from hawaii_env.texts import show_value

__all__ = ["Potential", "Rewards"]


class Potential:
    """Potential-based shaping: gamma x measure after the step - measure before it, added to the game's own reward.

    It leaves best policies as they are (Ng, Harada and Russell, 1999): at the end of a game the potential is 0.

    Args:
        measure: a name of the game's `measures`, or a rule (`hawaii_env.core.rule`) of (rules, state, player) that
            returns a number.
        gamma: the discount of the learner.
        weight: a factor.

    Raises:
        OptionError: a wrong number; with `hawaii_env.make_batch` also a measure that the game does not have.
    """

    def __init__(self, measure: str | Callable[..., float], gamma: float = 1.0, weight: float = 1.0) -> None:
        if not isinstance(measure, str) and measure not in COMPILED_COPIES:
            raise OptionError(f"measure: expected a name or a function marked with `rule`, not {show_value(measure)}")
        self.measure: str | Callable[..., float] = measure
        self.gamma: float = check_number("gamma", gamma)
        self.weight: float = check_number("weight", weight)


class Rewards:
    """Writer of the rewards of a batch after each step.

    Args:
        reward: a name of the game's `measures` or a `Potential`; a rule of (rules, before, after, player), which runs
            compiled; or a Python function of the batch's `hawaii_env.core.batch.Arrays` after the step, which returns
            float[N, P].
        backend: what steps the games.

    Raises:
        OptionError: an unknown measure, or a compiled reward for a game that is not.
    """

    def __init__(self, reward: Any, backend: BatchBackend) -> None:
        if isinstance(reward, str):
            reward = Potential(reward)
        self._reward: Any = reward
        self._before: Any = None
        game: Any = backend.game(0)
        rule = reward.measure if isinstance(reward, Potential) else reward
        self._compiled = isinstance(reward, Potential) or rule in COMPILED_COPIES
        if not callable(rule) and not isinstance(rule, str):
            raise OptionError(f"step_reward: expected a name, a Potential or a function, not {show_value(reward)}")
        if self._compiled:
            known = getattr(game, "measures", {})
            if not hasattr(backend, "states") or (isinstance(rule, str) and rule not in known):
                allowed = ", ".join(map(repr, known)) or "a Python function"
                raise OptionError(f"step_reward: {game.name} has no measure {show_value(rule)}; allowed: {allowed}")
            self._rule: Any = known[rule] if isinstance(rule, str) else rule
        self._sums: NDArray[np.float32] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_before": None}

    def keep(self, backend: Any) -> None:
        """Keep the positions before a step."""
        if self._compiled:
            states = backend.states
            if isinstance(states, list):
                self._before = copy.deepcopy(states)
            elif self._before is None or self._before.shape != states.shape:
                self._before = states.copy()
            else:
                self._before[:] = states

    def write(self, backend: Any, out: Arrays, ops: NDArray[np.int8]) -> None:
        """Write the rewards of a step, and their sums.

        Raises:
            OptionError: the function returns something else than float[N, P], or a number that is not finite.
        """
        if self._sums is None:
            self._sums = np.zeros_like(out.rewards)
        acted = (ops == ACT) | (ops == LOSE)
        self._sums[(ops != SKIP) & ~acted] = 0.0
        if self._compiled:
            backend.write_rewards(self._points(backend), self._before, ops, out.rewards, self._reward)
        elif acted.any():
            out.rewards[acted] = self._checked(self._reward(out), out.rewards)[acted]
        self._sums[acted] += out.rewards[acted]
        out.returns[acted] = self._sums[acted]
        ended = acted & (out.terminations | out.truncations)
        out.episode_returns[ended] = self._sums[ended]

    def _points(self, backend: Any) -> Any:
        return _reward_points(backend.game(0).compiled_rules, self._rule, isinstance(self._reward, Potential))

    def _checked(self, given: Any, rewards: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return what a function of the caller has made of a step."""
        array = np.asarray(given)
        if array.shape != rewards.shape or array.dtype.kind not in "iuf":
            shown = f"{array.dtype}{list(array.shape)}"
            raise OptionError(f"step_reward: expected float[{', '.join(map(str, rewards.shape))}], not {shown}")
        wrong = ~np.isfinite(array)
        if wrong.any():
            env_index, player = np.argwhere(wrong)[0].tolist()
            raise OptionError(
                f"step_reward: environment {env_index}: player {player}: {array[env_index, player]} is not finite"
            )
        return array.astype(np.float32)


@cache
def _reward_points(rules: Any, function: Any, potential: bool) -> Any:
    return reward_points(rules, function, potential)
