"""Ray RLlib: the games as multi-agent environments with action masks, on its new API stack.

```python
from pathlib import Path
import torch
from hawaii_env.integrations.rllib import ppo_config

torch.set_num_threads(1)  # where cores are shared, a learner's threads wait for each other
config = ppo_config({"game": "hawaii1795", "scenario": "short"}).env_runners(num_env_runners=2)
algorithm = config.build_algo()
for _ in range(15):  # 30,000 decisions; the policy then beats random play in two games of three
    algorithm.train()
folder = algorithm.save_to_path(Path("runs/rllib").resolve())  # plays as the agent rllib:runs/rllib
```

`GameMultiAgentEnv` shows a position only to the player to act. RLlib's own ``ActionMaskingTorchRLModule`` keeps
policies to the legal actions. `RLlibAgent` makes an agent of a checkpoint. The module works for any game.

RLlib pins its own gymnasium, so it wants an environment of its own: ``pip install "hawaii-env[rllib]"``; see
docs/integrations.md.
"""

from __future__ import annotations

# pyright: reportMissingImports=false
# The library is an extra, which whoever checks types need not have.
# pyright: reportIncompatibleVariableOverride=false, reportIncompatibleMethodOverride=false
# RLlib types the ids of agents as Hashable; ours are texts.
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core import COMPONENT_LEARNER, COMPONENT_LEARNER_GROUP, COMPONENT_RL_MODULE
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModule, RLModuleSpec
from ray.rllib.env.multi_agent_env import MultiAgentEnv
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

from hawaii_env import games
from hawaii_env.agents import PolicyAgent
from hawaii_env.env.aec import GameEnv
from hawaii_env.errors import IllegalActionError, OptionError
from hawaii_env.game import Game, check_seed
from hawaii_env.texts import show_value

__all__ = ["SHARED", "GameMultiAgentEnv", "RLlibAgent", "ppo_config"]

SHARED = "shared"
"""The policy of all players, where they have one together."""


def _game(config: Mapping[str, Any]) -> tuple[Game, str]:
    """Return the game of an environment's configuration, and what illegal actions do."""
    given = dict(config)
    game, illegal = given.pop("game", None), given.pop("illegal", "lose")
    return games.load_game(game, **given), illegal


class GameMultiAgentEnv(MultiAgentEnv):
    """A game as RLlib's MultiAgentEnv: each step is one decision, and observations go to who is to decide alone.

    An observation is ``{"observations": float32[O], "action_mask": float32[A]}``, as RLlib's masking module wants them.
    The end goes to all agents, with their rewards (+1, -1 or 0), a last observation whose mask is zero, and infos with
    ``"winner"`` (an agent or None) and ``"reason"``.

    Args:
        config: RLlib's ``env_config``. ``"game"``: a name (``"hawaii1795"``) or a `Game`;
            ``"illegal"``: ``"lose"`` (the default: RLlib's own checks sample without the mask) or ``"raise"``;
            everything else goes to the game (``"scenario"``).

    Attributes:
        game: the game.

    Raises:
        OptionError: no game, or parameters that it refuses.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012  as Gymnasium has it

    def __init__(self, config: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        self.game: Game
        self.game, illegal = _game(config or {})
        self.game.compile()  # nobody trains in interpreted mode
        self._env = GameEnv(self.game, illegal=illegal)  # pyright: ignore[reportArgumentType]  it checks
        self._env.warn_illegal = False  # RLlib's own checks sample without the mask; the info tells it
        self.possible_agents: list[str] = list(self.game.agents)
        self.agents: list[str] = list(self.game.agents)  # to the end: RLlib takes what comes from others for a mistake
        seen = spaces.Dict(
            {
                "action_mask": spaces.Box(0.0, 1.0, (self.game.num_actions,), np.float32),
                "observations": spaces.Box(self.game.observation_low, self.game.observation_high, dtype=np.float32),
            }
        )
        self.observation_spaces: dict[str, Any] = dict.fromkeys(self.possible_agents, seen)
        self.action_spaces: dict[str, Any] = dict.fromkeys(self.possible_agents, spaces.Discrete(self.game.num_actions))

    def _observe(self, agent: str) -> dict[str, NDArray[np.float32]]:
        shown = self._env.observe(agent)
        return {"action_mask": shown["action_mask"].astype(np.float32), "observations": shown["observation"]}

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin a game; see `hawaii_env.env.aec.GameEnv.reset`. Return the observation of who is to decide, and an
        empty info.
        """
        self._env.reset(seed=None if seed is None else check_seed(seed), options=options)
        agent = self._env.agent_selection
        return {agent: self._observe(agent)}, {agent: {}}

    def step(
        self, action_dict: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, Any]]:
        """Play the decision of who is to decide; return observations, rewards, terminateds, truncateds and infos.

        Raises:
            IllegalActionError: that agent has no action, or, with ``illegal="raise"``, an illegal one.
        """
        env = self._env
        if env.agent_selection not in action_dict:
            raise IllegalActionError(f"{env.agent_selection} is to decide; actions came from {list(action_dict)}")
        env.step(action_dict[env.agent_selection])
        if not any(env.terminations.values()) and not any(env.truncations.values()):
            agent = env.agent_selection
            # RLlib wants a reward with each observation, for who decides again and again.
            return {agent: self._observe(agent)}, {agent: 0.0}, {"__all__": False}, {"__all__": False}, {agent: {}}
        terminated = all(env.terminations.values())
        outcome = dict(env.infos[env.agent_selection]["outcome"])
        names = self.possible_agents
        observations = {agent: self._observe(agent) for agent in names}
        return (
            observations,
            {agent: float(env.rewards[agent]) for agent in names},
            dict.fromkeys([*names, "__all__"], terminated),
            dict.fromkeys([*names, "__all__"], not terminated),
            {agent: dict(outcome) for agent in names},
        )

    def close(self) -> None:
        """Close the environment."""
        self._env.close()


def ppo_config(
    env_config: Mapping[str, Any], shared: bool = True, hidden: Sequence[int] = (256, 256), **training: Any
) -> PPOConfig:
    """Return a PPO configuration of the new API stack: masked policies, undiscounted results.

    Add to it what RLlib offers (``env_runners``, ``learners``, ``resources``), then ``build_algo()``.

    Args:
        env_config: as for `GameMultiAgentEnv`.
        shared: True: one policy plays all players (an observation says who looks); False: each player has its own.
        hidden: widths of the layers; the value has its own network.
        training: arguments of ``PPOConfig.training`` that take precedence over ours.

    Raises:
        OptionError: no game, or parameters that it refuses.
    """
    game, _ = _game(env_config)
    policies = [SHARED] if shared else list(game.agents)
    network = {
        "head_fcnet_hiddens": [],
        "fcnet_hiddens": list(hidden),
        "fcnet_activation": "tanh",
        "vf_share_layers": False,
    }
    module = RLModuleSpec(module_class=ActionMaskingTorchRLModule, model_config=network)
    # RLlib's own batch of 4,000 decisions and 30 epochs in minibatches of 128 take minutes an iteration on two cores.
    options: dict[str, Any] = {
        "gamma": 1.0, "lambda_": 0.95, "lr": 1e-3, "vf_clip_param": 10.0, "entropy_coeff": 0.01,
        "train_batch_size_per_learner": 2048, "minibatch_size": 512, "num_epochs": 3,
    }  # fmt: skip
    config = PPOConfig()
    config.environment(GameMultiAgentEnv, env_config=dict(env_config))
    config.framework("torch")
    config.env_runners(num_envs_per_env_runner=8)  # a network looks at eight positions as fast as at one
    config.multi_agent(policies=set(policies), policy_mapping_fn=_Mapping(shared))
    config.rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs=dict.fromkeys(policies, module)))
    config.training(**{**options, **training})
    return config


class _Mapping:
    """A mapping of agents to policies: their own, or one for all."""

    def __init__(self, shared: bool) -> None:
        self.shared = shared

    def __call__(self, agent: Any, *args: Any, **kwargs: Any) -> str:
        return SHARED if self.shared else agent


def _module(source: Path, policy: str | None) -> RLModule:
    """Return the module of a policy in an algorithm's checkpoint."""
    folder = source.resolve() / COMPONENT_LEARNER_GROUP / COMPONENT_LEARNER / COMPONENT_RL_MODULE
    there = sorted(path.name for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []
    if not there:
        raise OptionError(f"{source} is not a checkpoint of an RLlib algorithm (Algorithm.save_to_path)")
    if policy is None:
        policy = SHARED if SHARED in there else there[0] if len(there) == 1 else None
    if policy not in there:
        wanted = "" if policy is None else f" {show_value(policy)}"
        raise OptionError(
            f"{source}: name a policy of this checkpoint{wanted and f', not{wanted}'}: {', '.join(there)}"
        )
    try:
        return RLModule.from_checkpoint(folder / policy)
    except Exception as error:  # pickled objects of another version, cut files: what is wrong takes many forms
        raise OptionError(
            f"{source}: the policy {show_value(policy)} cannot be read: {type(error).__name__}: {error}"
        ) from error


class RLlibAgent(PolicyAgent):
    """A policy of RLlib's as an agent: for matches and tournaments.

    Args:
        source: folder of an algorithm's checkpoint (``Algorithm.save_to_path``), or a module
            (``Algorithm.get_module``).
        policy: which policy of the checkpoint: `SHARED`, or an agent's name. None is the shared one, or the only one.
        deterministic: True takes the likeliest action, False draws one.
        seed: seed of its draws; None takes one from the operating system.
        name: name for tables.

    Raises:
        OptionError: no checkpoint, no such policy in it, or one that cannot be read. When a game begins: a policy for
            another one.
    """

    name: str = "rllib"

    def __init__(
        self,
        source: str | Path | RLModule,
        policy: str | None = None,
        deterministic: bool = False,
        seed: int | None = None,
        name: str = "rllib",
    ) -> None:
        self.module: Any = _module(Path(source), policy) if isinstance(source, (str, Path)) else source
        self.name = name
        self.deterministic: bool = bool(deterministic)
        self._rng = np.random.default_rng(None if seed is None else check_seed(seed))

    def begin(self, game: Game, player: int) -> None:
        """Begin a game: check that the policy fits it.

        Raises:
            OptionError: it has another observation or other actions.
        """
        super().begin(game, player)
        seen, actions = self.module.observation_space, getattr(self.module.action_space, "n", None)
        if isinstance(seen, spaces.Dict):
            seen = seen["observations"]
        if seen.shape != (game.observation_size,) or actions != game.num_actions:
            raise OptionError(
                f"{self.name}: a policy of observations {list(seen.shape or ())} and {actions} actions; {game.name} "
                f"has {[game.observation_size]} and {game.num_actions}"
            )

    def act_batch(self, observations: NDArray[np.float32], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Return an action a row, int64[n]; see `Agent.act_batch`."""
        seen = {
            "action_mask": torch.as_tensor(np.asarray(masks, np.float32)),
            "observations": torch.as_tensor(np.asarray(observations, np.float32)),
        }
        with torch.no_grad():
            logits = self.module.forward_inference({Columns.OBS: seen})[Columns.ACTION_DIST_INPUTS].cpu().numpy()
        logits = np.where(np.asarray(masks, np.bool_), logits, -np.inf)
        if not self.deterministic:
            logits = logits + self._rng.gumbel(size=logits.shape)
        return logits.argmax(axis=1).astype(np.int64)
