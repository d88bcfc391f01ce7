"""SuperSuit: the AEC environments in the form that its wrappers work on.

```python
import supersuit
from hawaii_env import hawaii1795_v1
from hawaii_env.integrations.supersuit import boxed

env = supersuit.frame_stack_v2(boxed(hawaii1795_v1.env()), 4)
env.reset(seed=1795)
observation, reward, termination, truncation, info = env.last()
action = env.action_space(env.agent_selection).sample(info["action_mask"])
```

SuperSuit's wrappers of observations want a ``Box``, and ours are a ``Dict`` of the vector and the mask. `boxed` leaves
the vector; the mask stays where it is too, in the info. It takes parallel environments as well. The module itself needs
PettingZoo alone; SuperSuit is in ``pip install "hawaii-env[supersuit]"``.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.wrappers import BaseParallelWrapper, BaseWrapper

from hawaii_env.env.aec import game_env_of
from hawaii_env.env.parallel import ParallelGameEnv

__all__ = ["BoxObservations", "ParallelBoxObservations", "boxed"]


def _boxes(env: Any) -> dict[str, spaces.Space[Any]]:
    return {agent: env.observation_space(agent)["observation"] for agent in env.possible_agents}


class BoxObservations(BaseWrapper[str, NDArray[np.float32], "int | None"]):
    """An AEC environment whose observations are the vector alone, float32[O]; the mask is in ``info["action_mask"]``.

    Args:
        env: the environment: a `hawaii_env.env.aec.GameEnv`, as ``hawaii1795_v1.env()`` makes it, bare or in
            PettingZoo's wrappers.

    Raises:
        OptionError: another environment.
    """

    def __init__(self, env: AECEnv[Any, Any, Any]) -> None:
        game_env_of(env)
        super().__init__(env)
        self._boxes = _boxes(env)

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the agent's observation space, a ``Box`` of float32, the same object each time."""
        return self._boxes[agent]

    def observe(self, agent: str) -> NDArray[np.float32]:
        """Return what the agent sees, float32[O]."""
        return cast(Any, self.env.observe(agent))["observation"]


class ParallelBoxObservations(BaseParallelWrapper[str, NDArray[np.float32], "int | None"]):
    """A parallel environment whose observations are the vectors alone, float32[O]; masks are in the infos.

    Args:
        env: the environment: a `hawaii_env.env.parallel.ParallelGameEnv`, bare or in PettingZoo's wrappers.
    """

    def __init__(self, env: ParallelEnv[Any, Any, Any]) -> None:
        super().__init__(env)
        self._boxes = _boxes(env)

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the agent's observation space, a ``Box`` of float32, the same object each time."""
        return self._boxes[agent]

    def reset(self, seed: int | None = None, options: Any = None) -> Any:
        """Begin a game; see `hawaii_env.env.parallel.ParallelGameEnv.reset`."""
        observations, infos = self.env.reset(seed=seed, options=options)
        return _vectors(observations), infos

    def step(self, actions: Any) -> Any:
        """Apply one decision of each player who has one; see `hawaii_env.env.parallel.ParallelGameEnv.step`."""
        observations, *others = self.env.step(actions)
        return _vectors(observations), *others


def _vectors(observations: Any) -> dict[str, NDArray[np.float32]]:
    return {agent: seen["observation"] for agent, seen in observations.items()}


def boxed(env: AECEnv[Any, Any, Any] | ParallelEnv[Any, Any, Any]) -> BoxObservations | ParallelBoxObservations:
    """Return the environment with vectors for observations; see `BoxObservations`.

    Raises:
        OptionError: another environment.
    """
    if isinstance(env, ParallelEnv) and isinstance(env.unwrapped, ParallelGameEnv):
        return ParallelBoxObservations(env)
    return BoxObservations(cast(Any, env))
