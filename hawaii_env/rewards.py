"""Per-step rewards that replace those of the game.

```python
batch = hawaii_env.make_batch("aloha", 1024, step_reward=Potential("points", gamma=0.99))
```

`Rewards` writes those of a batch, `StateRewards` those of one game.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hawaii_env._arguments import check_number
from hawaii_env.core.batch import ACT, LOSE, SKIP, Arrays, BatchBackend
from hawaii_env.core.closure import COMPILED_COPIES
from hawaii_env.core.extras import reward_points
from hawaii_env.errors import OptionError
from hawaii_env.game import Game
from hawaii_env.texts import show_value

__all__ = ["Potential", "Rewards", "StateRewards"]


class Potential:
    """Potential-based shaping: gamma x measure after the step - measure before it, added to the game's own reward.

    It preserves optimal policies (Ng, Harada and Russell, 1999): the potential is 0 at the end of a game.

    Args:
        measure: the name of one of the game's `measures`, or a rule (`hawaii_env.core.rule`) of (rules, state, player)
            that returns a number.
        gamma: the discount of the learner.
        weight: a factor.

    Raises:
        OptionError: a wrong number; with `hawaii_env.make_batch` also an unknown measure.
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
        OptionError: an unknown measure, or a compiled reward for a game that is not compiled.
    """

    def __init__(self, reward: Any, backend: BatchBackend) -> None:
        self._reward, self._rule, self._compiled = _parts_of(reward, backend.game(0))
        self._before: Any = None
        self._sums: NDArray[np.float32] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_before": None}

    def begin(self, indices: Sequence[int]) -> None:
        """Reset the sums for new games in some environments."""
        if self._sums is not None:
            self._sums[list(indices)] = 0.0

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
            OptionError: the function raises, the reward is not float[N, P], or a number is not finite.
        """
        if self._sums is None:
            self._sums = np.zeros_like(out.rewards)
        acted = (ops == ACT) | (ops == LOSE)
        self._sums[(ops != SKIP) & ~acted] = 0.0
        if self._compiled:
            backend.write_rewards(self._points(backend), self._before, ops, out.rewards, self._reward)
            _check_finite(out.rewards, out.rewards)
        elif acted.any():
            out.rewards[acted] = self._checked(_called(self._reward, out), out.rewards)[acted]
        self._sums[acted] += out.rewards[acted]
        out.returns[acted] = self._sums[acted]
        ended = acted & (out.terminations | out.truncations)
        out.episode_returns[ended] = self._sums[ended]

    def _points(self, backend: Any) -> Any:
        return _reward_points(backend.game(0).compiled_rules, self._rule, isinstance(self._reward, Potential))

    def _checked(self, given: Any, rewards: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the checked result of the caller's function for a step."""
        try:
            array = np.asarray(given)
        except ValueError:  # rows of several lengths
            array = np.asarray(given, object)
        if array.shape != rewards.shape or array.dtype.kind not in "iuf":
            shown = f"{array.dtype}{list(array.shape)}"
            raise OptionError(f"step_reward: expected float[{', '.join(map(str, rewards.shape))}], not {shown}")
        with np.errstate(over="ignore"):
            found = array.astype(np.float32)
        _check_finite(found, array)
        return found


def _called(function: Callable[..., Any], *given: Any) -> Any:
    """Return the result of the caller's function.

    Raises:
        OptionError: the function raises.
    """
    try:
        return function(*given)
    except Exception as error:
        raise OptionError(f"step_reward: the function raised {error!r}") from error


def _check_finite(rewards: NDArray[np.float32], given: NDArray[Any]) -> None:
    """Raise OptionError for the first reward that is not finite, with the number that was given."""
    finite = np.isfinite(rewards)
    if not finite.all():
        env_index, player = np.argwhere(~finite)[0].tolist()
        value = given[env_index, player]
        raise OptionError(f"step_reward: environment {env_index}: player {player}: {value} is not finite in float32")


class StateRewards:
    """Rewards of one game after each step.

    Args:
        reward: as for `Rewards`; but a Python function is one of (before, after, player), two positions and an index,
            and returns a number.
        game: the game.

    Raises:
        OptionError: an unknown measure, or a rule for a game that is not compiled.
    """

    def __init__(self, reward: Any, game: Game) -> None:
        self._reward, self._rule, self._compiled = _parts_of(reward, game)
        self._before: Any = None

    def keep(self, state: Any) -> None:
        """Keep the position before a step."""
        self._before = state.clone()

    def of(self, state: Any, own: Sequence[float]) -> list[float]:
        """Return each player's reward of the step.

        Args:
            state: the position after it.
            own: the game's own rewards.

        Raises:
            OptionError: the function raises, or returns something other than a finite number.
        """
        players = range(len(own))
        if not self._compiled:
            return [self._checked(_called(self._reward, self._before, state, player), player) for player in players]
        rules, rule = state.game.tables, self._rule
        before, after = self._before.interpreted(), state.interpreted()
        if not isinstance(self._reward, Potential):
            return [self._checked(_called(rule, rules, before, after, player), player) for player in players]
        gamma = 0.0 if state.is_terminal else self._reward.gamma
        changes = [
            gamma * _called(rule, rules, after, player) - _called(rule, rules, before, player) for player in players
        ]
        return [
            self._checked(one + self._reward.weight * change, player)
            for player, (one, change) in enumerate(zip(own, changes, strict=True))
        ]

    def _checked(self, given: Any, player: int) -> float:
        if isinstance(given, (bool, np.bool_)) or not isinstance(given, (int, float, np.integer, np.floating)):
            raise OptionError(f"step_reward: expected a number, not {show_value(given)}")
        try:
            value = float(given)
        except OverflowError:  # an int
            value = math.inf
        if not math.isfinite(value):
            raise OptionError(f"step_reward: player {player}: {show_value(given)} is not finite")
        return value


def _parts_of(reward: Any, game: Any) -> tuple[Any, Any, bool]:
    """Return a reward, its rule, and whether the rule reads the game's records.

    Raises:
        OptionError: not a reward, an unknown measure, or a rule for a game that is not compiled.
    """
    if isinstance(reward, str):
        reward = Potential(reward)
    rule = reward.measure if isinstance(reward, Potential) else reward
    if not callable(rule) and not isinstance(rule, str):
        raise OptionError(f"step_reward: expected a name, a Potential or a function, not {show_value(reward)}")
    compiled = isinstance(reward, Potential) or rule in COMPILED_COPIES
    if compiled:
        known = getattr(game, "measures", {})
        if not hasattr(game, "compiled_rules") or (isinstance(rule, str) and rule not in known):
            allowed = ", ".join(map(repr, known)) or "a Python function"
            raise OptionError(f"step_reward: {game.name} has no measure {show_value(rule)}; allowed: {allowed}")
        rule = known[rule] if isinstance(rule, str) else rule
    return reward, rule, compiled


@cache
def _reward_points(rules: Any, function: Any, potential: bool) -> Any:
    return reward_points(rules, function, potential)
