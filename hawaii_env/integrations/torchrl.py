"""TorchRL: the PettingZoo environments in TorchRL's PettingZooWrapper. (Its GymEnv needs nothing from here: see
docs/integrations.md.)

```python
from hawaii_env import hawaii1795_v1
from hawaii_env.integrations.torchrl import wrap

env = wrap(hawaii1795_v1.env(scenario="short"), seed=1795)
rollout = env.rollout(100)
print(rollout["kamehameha_0", "mask"].sum(), "decisions of Kamehameha's")
```

Each player is a group of its own, ``"kamehameha_0"`` and ``"allied_1"``, with leading dimension 1. ``(group, "mask")``
says whether it acts in a step: one player does, or in a parallel environment all who have something to enter.
``(group, "action_mask")`` says what is legal (all True for who is not to act, and at the end), ``(group, "observation",
"observation")`` is float32[1, O]. A step takes an action for each group and plays those of the players to act. The
reward comes with the step that ends the game, whoever made it: work returns and advantages out over all steps, and take
a group's own steps for its loss then.

PettingZooWrapper takes the AEC environment bare, too, with ``use_mask=True``. `wrap` adds this: an agent that is done
has a mask of ones, because a mask of zeros is NaN in a distribution; infos are empty, because TorchRL makes a tensor of
each entry; illegal actions, which collectors without a policy take, print no warnings. The module needs torchrl and
tensordict: ``pip install "hawaii-env[torchrl]"``.
"""

from __future__ import annotations

# pyright: reportMissingImports=false
# The library is an extra, which whoever checks types need not have.
import warnings
from typing import Any

import numpy as np
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.wrappers import BaseParallelWrapper, BaseWrapper
from torchrl.envs.libs.pettingzoo import PettingZooWrapper

from hawaii_env.env.aec import game_env_of
from hawaii_env.env.parallel import ParallelGameEnv
from hawaii_env.errors import OptionError

__all__ = ["ParallelWithoutInfos", "WithoutInfos", "wrap"]


class WithoutInfos(BaseWrapper[str, Any, "int | None"]):
    """An AEC environment with empty infos; masks are in ``observation["action_mask"]``, all 1 for an agent that is
    done.

    Args:
        env: the environment: a `hawaii_env.env.aec.GameEnv`, as ``hawaii1795_v1.env()`` makes it, bare or in
            PettingZoo's wrappers.

    Raises:
        OptionError: another environment.
    """

    def __init__(self, env: AECEnv[Any, Any, Any]) -> None:
        game_env_of(env).warn_illegal = False
        super().__init__(env)

    @property
    def infos(self) -> dict[str, dict[str, Any]]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """An empty info for each agent."""
        return {agent: {} for agent in self.env.possible_agents}

    def observe(self, agent: str) -> Any:
        """Return the environment's observation; a mask that lets nothing through would be NaN in TorchRL's
        distributions.
        """
        seen: Any = super().observe(agent)
        if self.env.terminations.get(agent) or self.env.truncations.get(agent):
            seen["action_mask"][:] = 1
        return seen


class ParallelWithoutInfos(BaseParallelWrapper[str, Any, "int | None"]):
    """A parallel environment with empty infos, whose `agents` are those who act in the next step.

    Args:
        env: the environment: a `hawaii_env.env.parallel.ParallelGameEnv`, bare or in PettingZoo's wrappers.
    """

    def __init__(self, env: ParallelEnv[Any, Any, Any]) -> None:
        env.unwrapped.warn_illegal = False  # pyright: ignore[reportAttributeAccessIssue]
        super().__init__(env)
        self.agents: list[str] = []

    def reset(self, seed: int | None = None, options: Any = None) -> Any:
        """Begin a game; see `hawaii_env.env.parallel.ParallelGameEnv.reset`."""
        observations, infos = self.env.reset(seed=seed, options=options)
        self._set_agents(observations)
        return observations, {agent: {} for agent in infos}

    def step(self, actions: Any) -> Any:
        """Apply one decision of each player who has one; see `hawaii_env.env.parallel.ParallelGameEnv.step`."""
        observations, rewards, terminations, truncations, infos = self.env.step(actions)
        self._set_agents(observations)
        return observations, rewards, terminations, truncations, {agent: {} for agent in infos}

    def _set_agents(self, observations: Any) -> None:
        self.agents = [agent for agent, seen in observations.items() if np.any(seen["action_mask"])]


def wrap(env: AECEnv[Any, Any, Any] | ParallelEnv[Any, Any, Any], **options: Any) -> PettingZooWrapper:
    """Return the environment for TorchRL.

    Args:
        env: an AEC or a parallel environment of this library, bare or in PettingZoo's wrappers.
        options: more arguments of PettingZooWrapper: seed, group_map, return_state, categorical_actions, device. Later
            games continue with the generator of the first.

    Raises:
        OptionError: another environment, or ``use_mask=False``: not all players act in each step.
    """
    if not options.setdefault("use_mask", True):
        raise OptionError("use_mask: not all players act in each step, so the mask is needed")
    if isinstance(env, ParallelEnv) and isinstance(env.unwrapped, ParallelGameEnv):
        without: Any = ParallelWithoutInfos(env)
    else:
        without = WithoutInfos(env)  # pyright: ignore[reportArgumentType]  it checks
    with warnings.catch_warnings():
        # TorchRL is tested with an old PettingZoo, and says so each time; our tests try it with this one.
        warnings.filterwarnings("ignore", message="PettingZoo in TorchRL is tested", category=UserWarning)
        return PettingZooWrapper(env=without, **options)
