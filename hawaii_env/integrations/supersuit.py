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
the vector; the mask stays where it is too, in the info. The module itself needs PettingZoo alone; SuperSuit is in ``pip
install "hawaii-env[supersuit]"``.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import BaseWrapper

from hawaii_env.env.aec import game_env_of

__all__ = ["BoxObservations", "boxed"]


class BoxObservations(BaseWrapper[str, NDArray[np.float32], "int | None"]):
    """An AEC environment whose observations are the vector alone, float32[O]; the mask is in ``info["action_mask"]``.

    Args:
        env: the environment: a `hawaii_env.env.aec.GameEnv`, as ``hawaii1795_v1.env()`` makes it, bare or in
            PettingZoo's wrappers.

    Raises:
        OptionError: another environment.
    """

    def __init__(self, env: AECEnv[Any, Any, Any]) -> None:
        self._game_env = game_env_of(env)
        super().__init__(env)
        self._boxes = {agent: cast(Any, env.observation_space(agent))["observation"] for agent in env.possible_agents}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the agent's observation space, a ``Box`` of float32, the same object each time."""
        return self._boxes[agent]

    def observe(self, agent: str) -> NDArray[np.float32]:
        """Return what the agent sees, float32[O].

        After the end of a game, when all agents are done, it is the last position: SuperSuit's wrappers with a memory
        look once more.
        """
        if not self.env.agents:
            observation = self._game_env.game_state.observation(self._game_env.possible_agents.index(agent))
            return np.asarray(observation, np.float32)
        return cast(Any, self.env.observe(agent))["observation"]


def boxed(env: AECEnv[Any, Any, Any]) -> BoxObservations:
    """Return the environment with vectors for observations; see `BoxObservations`."""
    return BoxObservations(env)
