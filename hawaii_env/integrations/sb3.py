"""Stable-Baselines3: a native vector environment on the batch, for MaskablePPO of sb3-contrib.

```python
from sb3_contrib import MaskablePPO
from hawaii_env.integrations.sb3 import BatchVecEnv

env = BatchVecEnv("hawaii1795", 64, opponent="random", side="alternate", seed=1795)
model = MaskablePPO("MlpPolicy", env, n_steps=128, batch_size=1024, gamma=1.0)
model.learn(100_000)
```

The learner sees its own decisions only. Between them opponents decide, in one call for all environments that wait for
one; an environment in which the learner is to act waits meanwhile. So one step of an environment goes from a decision
of the learner's to its next one, and discounting and advantages, which SB3 computes per step, are those of the
learner's decisions.

It needs stable-baselines3 and sb3-contrib: ``pip install "hawaii-env[train]"``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.policies import BasePolicy
from stable_baselines3.common.vec_env import VecEnv

from hawaii_env._arguments import check_count, check_list, whole
from hawaii_env.agents import Agent
from hawaii_env.core.batch import check_actions
from hawaii_env.env.batch_games import GamesLike
from hawaii_env.env.opponents import OpponentPlayer
from hawaii_env.env.versus import Versus
from hawaii_env.errors import HawaiiError, OptionError, OrderError
from hawaii_env.game import State, check_seed
from hawaii_env.integrations.sb3_agent import SB3Agent
from hawaii_env.pools import Pool
from hawaii_env.render.text import render_text
from hawaii_env.texts import count, show_value

__all__ = ["BatchVecEnv", "OpponentLike", "PoolCallback", "SB3Agent"]

OpponentLike: TypeAlias = (
    "str | Path | Agent | BaseAlgorithm | BasePolicy | Callable[[NDArray[Any], NDArray[np.int8]], Any]"
)
"""Opponents: an agent string, an agent, a function of observations and masks that returns actions, a model or its
policy, or the path of a saved model (.zip).
"""

Indices: TypeAlias = "int | Iterable[int] | None"


class _Player(OpponentPlayer):
    """An opponent, which may be a model, too: it is copied once, and draws anew by each seed."""

    wanted: ClassVar[str] = (
        "an opponent is an agent string (as 'random'), an object with act_batch() or act(), a function of observations "
        "and masks, a MaskablePPO or its policy, or the path of a saved model"
    )

    def __init__(self, opponent: object, seeds: Mapping[int, int]) -> None:
        self._model: SB3Agent | None = None
        if isinstance(opponent, (Path, BaseAlgorithm, BasePolicy)) or _is_file(opponent):
            self._model = SB3Agent(cast(Any, opponent))
        super().__init__(opponent, seeds)
        self.owned = self.owned or self._model is not None

    def _make(self, seed: int | None) -> Any:
        if self._model is None:
            return super()._make(seed)
        self._model.reseed(seed)
        return self._model


def _is_file(opponent: object) -> bool:
    if not isinstance(opponent, str) or not opponent.endswith(".zip"):
        return False
    return ":" not in opponent or Path(opponent).is_file()  # not "sb3:model.zip", which is an agent string


class _ModelOpponents(Versus):
    """Games whose opponents may be models.

    The opponents' seeds follow from one, their own or the first environment's, and from environment and place in the
    pool.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.seed: int = int(np.random.default_rng().integers(2**31))
        super().__init__(*args, **kwargs)

    def make_player(self, opponent: object, place: int) -> OpponentPlayer:
        return _Player(opponent, self._seeds_at(place))

    def _seeds_at(self, place: int) -> dict[int, int]:
        first = self.seed + place * self.runner.num_envs
        return {i: first + i for i in range(self.runner.num_envs)}

    def reseed(self, seeds: Mapping[int, int]) -> None:
        self.seed = next(iter(seeds.values()))
        for place, player in enumerate(self.players):
            player.reseed(self._seeds_at(place))


def _pool_of(opponent: Any, weights: Sequence[float] | None) -> Any:
    """Return a sequence of opponents as a pool, anything else as it is."""
    if weights is None and not isinstance(opponent, (list, tuple)):
        return opponent
    return Pool(cast(Any, opponent) if isinstance(opponent, (list, tuple)) else [opponent], weights)


class BatchVecEnv(VecEnv):
    """Vector environment of Stable-Baselines3 over a batch of games: one learner against opponents.

    One step of an environment: the learner's decision, then its opponents' decisions until the learner is to act again.
    Rewards are the learner's; a game that ends is followed by the next at once, its last observation in
    ``info["terminal_observation"]``.

    Infos: ``"action_mask"`` int8[A] of the observation that comes with it, ``"TimeLimit.truncated"``; and if a game
    ended ``"terminal_observation"`` (as the learner sees it), ``"episode"`` (as `Monitor` writes it: "r" the learner's
    return, "l" its decisions, "t" seconds since the environment was made), ``"is_success"`` (the learner won) and
    ``"outcome"`` (a dict: "winner", "reason", "learner", "opponent", "decisions" of all players).

    A game that ends before the learner has had a choice is not reported: another is begun in its place.

    Args:
        games, options: as for `hawaii_env.make_batch`.
        num_envs: number of environments, N.
        opponent: who plays for all other players, or a sequence of these: a pool from which each environment draws at
            the beginning of each game. An agent with `act_batch` is asked once for all environments. One that has `act`
            alone is asked environment by environment; if a string names it, each has its own, while an object serves
            all and must remember nothing of its game. A model or policy is copied as it is now, with the VecNormalize
            of the model's environment. ``"random"`` is played by the batch itself, in compiled code.
        weights: how likely each of the pool is drawn, 0 or more; None is all alike.
        side: the learner's, a player's index or name; or ``"alternate"``: another one in each game of an environment.
            Which comes first depends on the environment's seed alone, as in `hawaii_env.env.single_agent`.
        seed: seed of the first reset, as by `seed`; None takes one from the operating system.
        threads: number of threads that the environments are divided among.
        raw: True: observations are the unscaled integers. Functions as opponents get the same; models what they were
            trained on, and agents scaled values.
        max_decisions: decisions of all players after which a game is truncated; None is each game's own limit.
        render_mode: ``"ansi"``: ``env_method("render")`` returns the boards as texts. None: nothing is drawn.

    Attributes:
        sides: int64[N], the learner's side in the game that each environment plays.

    Raises:
        OptionError: an unknown game, opponent, side or option, or N below 1.
    """

    def __init__(
        self,
        games: GamesLike,
        num_envs: int,
        *,
        opponent: OpponentLike | Sequence[OpponentLike] = "random",
        weights: Sequence[float] | None = None,
        side: int | str = "alternate",
        seed: int | None = None,
        threads: int = 1,
        raw: bool = False,
        max_decisions: int | None = None,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        if render_mode is not None and not (isinstance(cast(Any, render_mode), str) and render_mode == "ansi"):
            raise OptionError(f"render_mode is None or 'ansi', not {render_mode!r}")
        self._versus = _ModelOpponents(
            games, num_envs, _pool_of(opponent, weights), side, threads=threads, raw=raw, max_decisions=max_decisions,
            at_once=False, **options,
        )  # fmt: skip
        runner = self._runner = self._versus.runner
        self.render_mode = render_mode
        self._steps = np.zeros(runner.num_envs, np.int64)  # the learner's decisions in each game
        self._masks = runner.arrays.masks.copy()
        self._actions: NDArray[np.int64] | None = None
        self._born = time.time()
        super().__init__(runner.num_envs, runner.observation_space, runner.action_space)
        if seed is not None:
            self.seed(seed)

    @property
    def sides(self) -> NDArray[np.int64]:
        """int64[N], the learner's side in the game that each environment plays."""
        return self._versus.learners

    def set_opponent(
        self, opponent: OpponentLike | Sequence[OpponentLike], weights: Sequence[float] | None = None
    ) -> None:
        """Change the opponent, or the pool of them. Games that are going on are played to their end against those they
        began with.

        Args:
            opponent: as for the class.
            weights: as for the class.

        Raises:
            OptionError: an unknown opponent, an empty pool, or weights that do not fit it; nothing has changed.
        """
        self._versus.set_opponent(_pool_of(opponent, weights))

    # Reset and step

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Set the seeds of the next reset, seed + i for environment i, and return them; None draws one.

        Raises:
            OptionError: no integer of 0 or more.
        """
        return super().seed(None if seed is None else check_seed(seed))

    def reset(self) -> NDArray[Any]:
        """Begin a game in each environment and return the learner's first observations, float32[N, O].

        After `seed` the games, the opponents that strings name, the draws of models and the pool's are those of that
        seed; environment i's games are those of seed + i. Agents handed over as objects, and functions, are the
        caller's to seed. Without `seed` games continue with the generators of those before. ``set_options({"state":
        state})`` lets them start from a position.

        Raises:
            ClosedError: the environment is closed.
            OptionError: a wrong option.
        """
        self._runner.check_ready(started=False)
        self._actions = None
        starts = [options.get("state") if options else None for options in self._options]
        for i, start in enumerate(starts):
            if start is not None and not isinstance(start, State):
                raise OptionError(f'environment {i}: options["state"]: expected a State, not {start!r}')
        self._versus.begin(seeds=list(self._seeds), state=starts)
        self._steps[:] = 0
        self._reset_seeds()
        self._reset_options()
        self._play_on()
        self.reset_infos: list[dict[str, Any]] = [{"action_mask": row} for row in self._masks]
        return self._runner.arrays.observations.copy()

    def step_async(self, actions: Any) -> None:
        """Take the learner's actions, which `step_wait` applies.

        Args:
            actions: integers of shape (N,).

        Raises:
            IllegalActionError: a wrong shape or type, or an action that is not legal; the message names environment,
                action and phase. Nothing has changed.
            ClosedError: the environment is closed.
            OrderError: before reset().
        """
        self._runner.check_ready()
        chosen = check_actions(actions, self.num_envs, self._runner.num_actions)
        self._runner.check(chosen)
        self._actions = chosen

    def step(self, actions: Any) -> tuple[NDArray[Any], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Apply the learner's actions and play on to its next decisions: `step_async`, then `step_wait`."""
        self.step_async(actions)
        return self.step_wait()

    def step_wait(self) -> tuple[NDArray[Any], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Apply the actions, then the opponents' decisions.

        Returns:
            Observations float32[N, O], the learner's rewards float32[N], dones bool[N], and infos. All are fresh.

        Raises:
            OrderError: without step_async().
            ClosedError: the environment is closed.
            IllegalActionError: an opponent chose an illegal action. Games have moved.
        """
        self._runner.check_ready(started=False)
        actions, self._actions = self._actions, None
        if actions is None:
            raise OrderError("step_async() needs to be called first")
        self._versus.step_learner(actions)
        self._steps += 1
        rewards, dones = np.zeros(self.num_envs, np.float32), np.zeros(self.num_envs, np.bool_)
        ended = self._play_on()
        infos: list[dict[str, Any]] = [{"action_mask": row, "TimeLimit.truncated": False} for row in self._masks]
        for i, (reward, info) in ended.items():
            rewards[i], dones[i] = reward, True
            infos[i].update(info)
        going_on = np.flatnonzero(~dones).tolist()
        rewards[going_on] = self._versus.take_rewards(going_on)
        return self._runner.arrays.observations.copy(), rewards, dones, infos

    def _play_on(self) -> dict[int, tuple[float, dict[str, Any]]]:
        """Let opponents decide, and games begin after others, until the learner is to act in every environment.

        Returns:
            The learner's reward and the info of each game that has ended, by environment. One in which it has had no
            choice is played again instead.
        """
        versus, out, ended = self._versus, self._runner.arrays, {}
        while True:
            over = np.flatnonzero(out.over)
            played, unplayed = over[self._steps[over] > 0].tolist(), over[self._steps[over] == 0].tolist()
            versus.notify_finished()
            for i, reward in zip(played, versus.take_rewards(played).tolist(), strict=True):
                ended[i] = reward, self._ended(i)
            self._steps[played] = 0
            if played:
                versus.begin(played)
            if unplayed:
                versus.begin_again(unplayed)
            if not versus.step_opponents():
                break
        self._masks = out.masks.copy()
        return ended

    def _ended(self, env_index: int) -> dict[str, Any]:
        """Return the info of a game that has just ended."""
        i, out, side = env_index, self._runner.arrays, int(self.sides[env_index])
        outcome = self._versus.outcome(i)
        winner, result = outcome["winner"], float(out.episode_returns[i, side])
        return {
            "terminal_observation": out.observations[i].copy(),
            "TimeLimit.truncated": bool(out.truncations[i]),
            "is_success": winner == side,
            "episode": {"r": round(result, 6), "l": int(self._steps[i]), "t": round(time.time() - self._born, 6)},
            "outcome": {
                "winner": None if winner < 0 else winner,
                "reason": outcome["reason"],
                "learner": side,
                "opponent": self._versus.opponent(i).name,
                "decisions": int(out.episode_lengths[i]),
            },
        }

    # What SB3 asks of each environment

    def _action_masks(self, env_index: int) -> NDArray[np.int8]:
        self._runner.check_ready(started=False)
        return self._masks[env_index]

    def _state(self, env_index: int) -> State:
        return self._runner.get_state(env_index)

    def _render(self, env_index: int) -> str | None:
        return None if self.render_mode is None else render_text(self._runner.get_state(env_index))

    def _indices(self, indices: Indices) -> list[int]:
        if indices is None:
            return list(range(self.num_envs))
        several = [indices] if whole(indices) is not None else check_list("indices", indices)
        return [check_count("indices", i, -self.num_envs, self.num_envs - 1) % self.num_envs for i in several]

    _METHODS: Mapping[str, str] = {"action_masks": "_action_masks", "state": "_state", "render": "_render"}

    def env_method(
        self, method_name: str, *method_args: Any, indices: Indices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call a method of each environment: ``"action_masks"``, the learner's mask int8[A]; ``"state"``, a copy of the
        position with its generator; ``"render"``, the board as text or None without a render_mode.

        Raises:
            AttributeError: another method.
            OptionError: no such environment.
        """
        if method_name not in self._METHODS:
            raise AttributeError(
                f"the environments have no method {method_name!r}; they have: {', '.join(self._METHODS)}"
            )
        if method_name == "action_masks" and indices is None:
            self._runner.check_ready(started=False)
            return list(self._masks)
        method = getattr(self, self._METHODS[method_name])
        return [method(i, *method_args, **method_kwargs) for i in self._indices(indices)]

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """Return an attribute of each environment: ``"side"`` and ``"opponent"`` of its game, ``"game"``, or one of the
        vector environment itself.

        Raises:
            AttributeError: no such attribute.
            OptionError: no such environment.
        """
        listed = self._indices(indices)
        if attr_name in self._METHODS:
            method = getattr(self, self._METHODS[attr_name])
            return [lambda *args, i=i, **kwargs: method(i, *args, **kwargs) for i in listed]
        if attr_name == "side":
            return [int(self.sides[i]) for i in listed]
        if attr_name == "opponent":
            return [self._versus.opponent(i).name if self._runner.started else None for i in listed]
        if attr_name == "game":
            return [self._runner.backend.game(i) for i in listed]
        value = getattr(self, attr_name)
        return [value] * len(listed)

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Set ``"opponent"``, as `set_opponent` does, or ``"side"``; both from each environment's next game on.

        Raises:
            AttributeError: another attribute, or not all environments: they share what they have.
        """
        if sorted(set(self._indices(indices))) != list(range(self.num_envs)):
            raise AttributeError("environments share their attributes: set_attr is for all of them (indices=None)")
        if attr_name == "opponent":
            self.set_opponent(value)
        elif attr_name == "side":
            self._versus.set_side(value)
        else:
            raise AttributeError(f"the attributes that can be set are 'opponent' and 'side', not {attr_name!r}")

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Indices = None) -> list[bool]:
        """Return True for `Monitor`, whose statistics stand in the infos, and False for any other wrapper."""
        return [wrapper_class is Monitor] * len(self._indices(indices))

    def get_images(self) -> list[None]:
        """Return None for each environment: there are no pictures."""
        return [None] * self.num_envs

    def close(self) -> None:
        """Stop the threads, and close opponents that strings named. May be called again; any other call raises
        ClosedError.
        """
        self._actions = None
        self._versus.close()

    def __repr__(self) -> str:
        pool = ", ".join(player.name for player in self._versus.players)
        closed = ", closed" if self._runner.closed else ""
        return f"<BatchVecEnv: {count(self.num_envs, 'environment')} against {pool}{closed}>"


class PoolCallback(BaseCallback):
    """Self-play: each so many rollouts a frozen copy of the policy joins the pool of opponents.

    A copy is seeded by the model's seed, or else the environment's, and the number of the rollout. Under SB3's
    VecNormalize it keeps the statistics of that time.

    Args:
        every: rollouts between two copies.
        size: number of copies that are kept, the newest ones.
        others: opponents that stay in the pool.
        verbose: as for every callback of SB3.

    Raises:
        OptionError: `every` or `size` is less than 1.
    """

    def __init__(
        self, every: int = 10, size: int = 5, others: Sequence[OpponentLike] = ("random",), verbose: int = 0
    ) -> None:
        super().__init__(verbose)
        self.every: int = check_count("every", every)
        self.size: int = check_count("size", size)
        self.others: list[Any] = check_list("others", others)
        self.copies: list[SB3Agent] = []
        self._rollouts = 0

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        self._rollouts += 1
        if self._rollouts % self.every == 0:
            env = self.training_env.unwrapped
            if not isinstance(env, BatchVecEnv):
                raise HawaiiError(f"PoolCallback is for a BatchVecEnv, not for {show_value(env)}")
            base = env._versus.seed if self.model.seed is None else self.model.seed
            seed = int(np.random.SeedSequence([base, self._rollouts]).generate_state(1, np.uint64)[0])
            self.copies.append(SB3Agent(self.model, seed=seed, name=f"copy_{self._rollouts}"))
            del self.copies[: -self.size]
            env.set_opponent([*self.others, *self.copies])
