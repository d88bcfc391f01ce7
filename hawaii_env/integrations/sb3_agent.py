"""Policies of Stable-Baselines3 as agents: for arenas, and as frozen opponents.

It needs stable-baselines3 and sb3-contrib: ``pip install "hawaii-env[train]"``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.policies import BasePolicy
from stable_baselines3.common.vec_env import VecEnv, VecNormalize

from hawaii_env.agents import Clock, PolicyAgent, best_in_rows, legal_in_rows
from hawaii_env.errors import OptionError
from hawaii_env.game import SIMULTANEOUS, Game, State, check_seed

__all__ = ["SB3Agent"]


class SB3Agent(PolicyAgent):
    """A policy of MaskablePPO as an agent: for arenas, and as a frozen opponent.

    Args:
        model: a MaskablePPO, its policy, or the path of a saved model.
        deterministic: True takes the likeliest action, False draws one from the policy.
        seed: seed of its draws; None takes one from the operating system.
        name: name for tables; None is ``"sb3"``, or the file's name.
        freeze: True keeps a copy of the policy as it is now, on the CPU; False follows the model as it learns.
        normalize: SB3's VecNormalize that the policy was trained under, whose statistics its observations are
            normalised with; copied where the policy is. None takes that of the model's environment, if there is one: a
            saved model and a policy have none with them.

    Attributes:
        raw: the policy was trained on unscaled observations, int8, and is to be given such.

    Raises:
        OptionError: no model, one without masks, a file that cannot be loaded, or a `normalize` that is none. When a
            game begins: a policy for another one.
    """

    name: str = "sb3"

    def __init__(
        self,
        model: BaseAlgorithm | BasePolicy | str | Path,
        deterministic: bool = False,
        seed: int | None = None,
        name: str | None = None,
        freeze: bool = True,
        normalize: VecNormalize | None = None,
    ) -> None:
        if isinstance(model, (str, Path)):
            name = name or Path(model).stem
            try:
                model = MaskablePPO.load(model, device="cpu")
            except Exception as error:  # a zip file of anything may be named: what is wrong with it takes many forms
                raise OptionError(f"{model} is not a model of MaskablePPO: {type(error).__name__}: {error}") from error
        policy = model.policy if isinstance(model, BaseAlgorithm) else model
        if not isinstance(policy, MaskableActorCriticPolicy):
            raise OptionError(
                f"expected a model of sb3_contrib.MaskablePPO or its policy (masks are needed), not {model!r}"
            )
        if normalize is None and isinstance(model, BaseAlgorithm):
            normalize = model.get_vec_normalize_env()
        if normalize is not None and not isinstance(cast(Any, normalize), VecNormalize):
            raise OptionError(f"normalize: expected a VecNormalize, not {normalize!r}")
        # Its own space may be of floats where the observations below it are int8.
        below: VecEnv | None = None if normalize is None else normalize.venv
        self.raw: bool = (policy if below is None else below).observation_space.dtype == np.int8
        self._normalized: Callable[[Any], Any] | None = None
        if normalize is not None and normalize.norm_obs:
            self._normalized = _Statistics(normalize) if freeze else normalize.normalize_obs
        self.policy: MaskableActorCriticPolicy = _copy(policy) if freeze else policy
        self.deterministic: bool = bool(deterministic)
        self.name = name or self.name
        self.reseed(seed)

    def reseed(self, seed: int | None) -> None:
        """Begin the draws of a seed; None takes one from the operating system."""
        self._rng = np.random.default_rng(None if seed is None else check_seed(seed))

    def begin(self, game: Game, player: int) -> None:
        """Begin a game: check that the policy fits it.

        Raises:
            OptionError: it has another observation or other actions.
        """
        super().begin(game, player)
        seen, actions = self.policy.observation_space.shape, getattr(self.policy.action_space, "n", None)
        if seen != (game.observation_size,) or actions != game.num_actions:
            raise OptionError(
                f"{self.name}: a policy of observations {list(seen or ())} and {actions} actions; {game.name} has "
                f"{[game.observation_size]} and {game.num_actions}"
            )

    def act(self, state: State, legal_actions: Sequence[int], clock: Clock | None = None) -> int:
        """Return the action that `act_batch` gives for this position."""
        player = state.current_player
        if player == SIMULTANEOUS:
            player = self.player
        observation: Any = state.observation(player, raw=self.raw)
        return int(self.act_batch(observation[None], state.legal_mask(None, player)[None])[0])

    def act_batch(self, observations: NDArray[Any], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Return an action a row, int64[n]; see `Agent.act_batch`.

        Args:
            observations: float32[n, O]; int8[n, O], unscaled, where the agent is `raw`.
            masks: int8[n, A].

        Raises:
            OptionError: observations of the other kind, or a row of the masks without a legal action.
        """
        if (observations.dtype == np.int8) != self.raw:
            wanted = "int8, unscaled (raw=True)" if self.raw else "float32, scaled"
            raise OptionError(f"{self.name}: observations: expected {wanted}, not {observations.dtype}")
        policy = self.policy
        if self._normalized is not None:
            observations = self._normalized(observations)
        with torch.no_grad():
            batch = torch.as_tensor(observations, dtype=torch.float32, device=policy.device)
            features: Any = policy.extract_features(batch)
            latent = policy.mlp_extractor.forward_actor(features if policy.share_features_extractor else features[0])
            logits = policy.action_net(latent).cpu().numpy()
        # The policy's own distribution would work on all actions; few are legal.
        rows, columns = legal_in_rows(masks)
        values = logits[rows, columns]
        if not self.deterministic:
            values = values + self._rng.gumbel(size=len(values))
        return best_in_rows(rows, columns, values, len(logits), self.name)


class _Statistics:
    """Normalises observations by a VecNormalize as it is now. (A copy of that could not be copied or pickled again.)"""

    def __init__(self, of: VecNormalize) -> None:
        running: Any = of.obs_rms
        self._mean: NDArray[np.float64] = running.mean.copy()
        self._deviation: NDArray[np.float64] = np.sqrt(running.var + of.epsilon)
        self._most = float(of.clip_obs)

    def __call__(self, observations: NDArray[Any]) -> NDArray[np.float32]:
        scaled = (observations - self._mean) / self._deviation
        return np.clip(scaled, -self._most, self._most).astype(np.float32)


def _copy(policy: MaskableActorCriticPolicy) -> MaskableActorCriticPolicy:
    """Return a policy with the same weights on the CPU, as saving and loading would; after a rollout deepcopy
    refuses.
    """
    fresh = type(policy)(**policy._get_constructor_parameters())
    fresh.load_state_dict(policy.state_dict())
    fresh.set_training_mode(False)
    return fresh.to("cpu")
