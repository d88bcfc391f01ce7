"""Stable-Baselines3: a native vector environment over the batch, for MaskablePPO of sb3-contrib.

```python
from sb3_contrib import MaskablePPO
from hawaii_env.integrations.sb3 import BatchVecEnv

env = BatchVecEnv("hawaii1795", 64, opponent="random", side="alternate", seed=1795)
model = MaskablePPO("MlpPolicy", env, n_steps=128, batch_size=1024, gamma=1.0)
model.learn(100_000)
```

The learner sees its own decisions only. Between them opponents decide, all lanes that wait for one in one call; a lane
in which the learner is to act stands still meanwhile. So one step of a lane goes from a decision of the learner's to
its next one, whoever moves how often between them; discounting and advantages, which SB3 computes per step, are those
of the learner's decisions.

The module knows no game. It needs stable-baselines3 and sb3-contrib: ``pip install "hawaii-env[train]"``.
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

from hawaii_env._arguments import check_count, check_list
from hawaii_env.agents import Agent
from hawaii_env.env.opponents import OpponentPlayer
from hawaii_env.env.vector import ACT, BatchEnv, GamesLike, check_actions
from hawaii_env.env.versus import Versus
from hawaii_env.errors import HawaiiError, OptionError
from hawaii_env.game import State, check_seed
from hawaii_env.integrations.sb3_agent import SB3Agent
from hawaii_env.render.text import render_text

__all__ = ["BatchVecEnv", "OpponentLike", "PoolCallback", "SB3Agent"]

OpponentLike: TypeAlias = (
    "str | Path | Agent | BaseAlgorithm | BasePolicy | Callable[[NDArray[Any], NDArray[np.int8]], Any]"
)
"""Who can play against the learner: an agent string, an agent, a function of observations and masks that returns
actions, a model or its policy, or the path of a saved model (.zip).
"""

Indices: TypeAlias = "int | Iterable[int] | None"


class _Player(OpponentPlayer):
    """An opponent as the environment asks it; models, too, which are copied once, and draw anew by each seed."""

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


class _DrawnOpponents(Versus):
    """Games whose opponents are drawn from the pool, by weights. Their seeds follow from one, theirs or the first
    lane's, and from lane and place in the pool.
    """

    def __init__(self, *args: Any, weights: Sequence[float] | None, **kwargs: Any) -> None:
        self.rng: np.random.Generator = np.random.default_rng()
        self.seed: int = int(self.rng.integers(2**31))
        super().__init__(*args, **kwargs)
        self._chances = _chances(weights, len(self.pool))

    def set_opponent(self, opponent: Any, weights: Sequence[float] | None = None) -> None:
        chances = _chances(weights, len(opponent) if isinstance(opponent, (list, tuple)) else 1)
        super().set_opponent(opponent)
        self._chances = chances

    def make_player(self, opponent: object, place: int) -> OpponentPlayer:
        return _Player(opponent, self._seeds_at(place))

    def _seeds_at(self, place: int) -> dict[int, int]:
        first = self.seed + place * self.batch.num_envs
        return {lane: first + lane for lane in range(self.batch.num_envs)}

    def reseed(self, seeds: Mapping[int, int]) -> None:
        self.seed = next(iter(seeds.values()))
        self.rng = np.random.default_rng(self.seed)
        for place, player in enumerate(self.players):
            player.reseed(self._seeds_at(place))

    def draw(self, turns: Sequence[int]) -> Sequence[int]:
        if len(self.pool) == 1:
            return [0] * len(turns)
        return self.rng.choice(len(self.pool), size=len(turns), p=self._chances).tolist()


def _chances(weights: Sequence[float] | None, n: int) -> NDArray[np.float64] | None:
    """Return how likely each of `n` opponents is drawn; None is all alike."""
    if weights is None:
        return None
    try:
        chances = np.asarray(weights, np.float64)
    except (TypeError, ValueError):
        raise OptionError(f"weights: a number for each opponent is wanted, not {weights!r}") from None
    if chances.shape != (n,) or not np.isfinite(chances).all() or (chances < 0).any() or not chances.sum():
        raise OptionError(f"weights: {n} numbers of 0 or more, not all 0, are wanted, not {weights!r}")
    return chances / chances.sum()


class BatchVecEnv(VecEnv):
    """A batch of games as a vector environment of Stable-Baselines3: the learner against opponents.

    One step of a lane: the learner's decision, then whatever its opponents decide until the learner is to act again.
    Rewards are the learner's; a game that ends is followed by the next at once, its last position in
    ``info["terminal_observation"]``.

    Infos: ``"action_mask"`` int8[A] of the observation that comes with it, ``"TimeLimit.truncated"``; and where a game
    ended ``"terminal_observation"`` (as the learner sees it), ``"episode"`` (as `Monitor` writes it: "r" the learner's
    return, "l" its decisions, "t" seconds since the environment was made), ``"is_success"`` (the learner won) and
    ``"outcome"`` (a dict: "winner", "reason", "learner", "opponent", "decisions" of all players).

    A game that ends before the learner has had a choice is not reported: another is begun in its place.

    Args:
        games, options: as for `hawaii_env.make_batch`.
        num_envs: number of lanes, N.
        opponent: who plays the other side, or a sequence of these: a pool from which each lane draws at the beginning
            of each game. An agent with `act_batch` is asked once for all lanes. One that has `act` alone is asked lane
            by lane; made from an agent string, each lane has its own, while an object serves all lanes and must
            remember nothing of its game. A model or policy is copied as it is now, with the VecNormalize of the model's
            environment. ``"random"`` is played by the batch itself, in compiled code.
        weights: how likely each of the pool is drawn, 0 or more; None is all alike.
        side: the learner's, a player's index or name; or ``"alternate"``: another one in each game of a lane. Which
            comes first depends on the lane's seed alone, as in `hawaii_env.env.single_agent`.
        seed: seed of the first reset, as by `seed`; None takes one from the operating system.
        threads: number of threads that the batch divides its lanes among.
        raw: True: observations are the unscaled int8 values. Functions as opponents are given the same; models what
            they were trained on, and agents scaled values.
        max_decisions: decisions of all players after which a game is truncated; None is each game's own limit.
        render_mode: ``"ansi"``: ``env_method("render")`` returns the boards as texts. None: nothing is drawn.

    Attributes:
        versus: the games between the learner and its opponents.
        batch: their `BatchEnv`. Its players other than the learner are the environment's.

    Raises:
        OptionError: N is 0 or less, an unknown opponent, side or option.
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
        self.versus: _DrawnOpponents = _DrawnOpponents(
            games, num_envs, opponent, side, weights=weights, threads=threads, raw=raw, max_decisions=max_decisions,
            at_once=False, **options,
        )  # fmt: skip
        batch = self.versus.batch
        self.batch: BatchEnv = batch
        self.render_mode = render_mode
        self._steps = np.zeros(batch.num_envs, np.int64)  # the learner's decisions in each lane's game
        self._masks = batch.masks.copy()
        self._actions: NDArray[np.int64] | None = None
        self._born = time.time()
        super().__init__(batch.num_envs, batch.single_observation_space, batch.single_action_space)
        if seed is not None:
            self.seed(seed)

    @property
    def sides(self) -> NDArray[np.int64]:
        """int64[N], the learner's side in the game that each lane plays."""
        return self.versus.learners

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
        self.versus.set_opponent(opponent, weights)

    # Reset and step

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Settle the seeds of the next reset, lane i's being seed + i, and return them; None draws one.

        Raises:
            OptionError: no integer of 0 or more.
        """
        return super().seed(None if seed is None else check_seed(seed))

    def reset(self) -> NDArray[Any]:
        """Begin a game in each lane and return the learner's first observations, float32[N, O].

        After `seed` the games, the opponents made from agent strings, the draws of models and the pool's are those of
        that seed; lane i's games are those of seed + i. Agents handed over as objects, and functions, are the caller's
        to seed. Without it games go on with the generators of those before. ``set_options({"state": state})`` lets them
        start from a position.

        Raises:
            ClosedError: the environment is closed.
            OptionError: an option that is none.
        """
        self.batch.check_ready(started=False)
        self._actions = None
        starts = [options.get("state") if options else None for options in self._options]
        for lane, start in enumerate(starts):
            if start is not None and not isinstance(start, State):
                raise OptionError(f'lane {lane}: options["state"]: a State is wanted, not {start!r}')
        self.versus.begin(seeds=list(self._seeds), state=starts)
        self._steps[:] = 0
        self._reset_seeds()
        self._reset_options()
        self._play_on()
        self.reset_infos: list[dict[str, Any]] = [{"action_mask": row} for row in self._masks]
        return self.batch.observations.copy()

    def step_async(self, actions: Any) -> None:
        """Take the learner's actions, one a lane; `step_wait` plays them.

        Args:
            actions: integers of shape (N,).

        Raises:
            IllegalActionError: a wrong shape or type, or an action that is not legal; the message names lane, action
                and phase. No lane has moved.
            ClosedError: the environment is closed.
            OrderError: before reset().
        """
        self.batch.check_ready()
        chosen = check_actions(actions, self.num_envs, self.batch.num_actions)
        self.batch.check(np.full(self.num_envs, ACT, np.int8), chosen)
        self._actions = chosen

    def step(self, actions: Any) -> tuple[NDArray[Any], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Take the learner's actions and play on to its next decisions: `step_async`, then `step_wait`."""
        self.step_async(actions)
        return self.step_wait()

    def step_wait(self) -> tuple[NDArray[Any], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Play the actions, then the opponents' decisions.

        Returns:
            Observations float32[N, O], the learner's rewards float32[N], dones bool[N], and infos. All are fresh.

        Raises:
            OrderError: without step_async().
            ClosedError: the environment is closed.
            IllegalActionError: an opponent chose an illegal action. Games have moved.
        """
        self.batch.check_ready(started=False)
        actions, self._actions = self._actions, None
        if actions is None:
            from hawaii_env.env.aec import OrderError

            raise OrderError("step_async() needs to be called first")
        self.versus.act(actions)
        self._steps += 1
        rewards, dones = np.zeros(self.num_envs, np.float32), np.zeros(self.num_envs, np.bool_)
        ended = self._play_on()
        infos: list[dict[str, Any]] = [{"action_mask": row, "TimeLimit.truncated": False} for row in self._masks]
        for lane, (reward, info) in ended.items():
            rewards[lane], dones[lane] = reward, True
            infos[lane].update(info)
        return self.batch.observations.copy(), rewards, dones, infos

    def _play_on(self) -> dict[int, tuple[float, dict[str, Any]]]:
        """Let opponents decide, and games begin where others end, until the learner is to act in every lane.

        Returns:
            The learner's reward and the info of each game that has ended, by lane. One in which it has had no choice
            is played again instead.
        """
        versus, ended = self.versus, {}
        while True:
            over = np.flatnonzero(self.batch.over)
            played, unplayed = over[self._steps[over] > 0].tolist(), over[self._steps[over] == 0].tolist()
            versus.finish()
            for lane in played:
                ended[lane] = float(self.batch.rewards[lane, self.sides[lane]]), self._ended(lane)
            self._steps[played] = 0
            if played:
                versus.begin(played)
            if unplayed:
                versus.begin_again(unplayed)
            if not versus.answer():
                break
        self._masks = self.batch.masks.copy()
        return ended

    def _ended(self, lane: int) -> dict[str, Any]:
        """The info of a game that has just ended."""
        batch, side = self.batch, int(self.sides[lane])
        outcome = self.versus.outcome(lane)
        winner, result = outcome["winner"], float(batch.episode_returns[lane, side])
        return {
            "terminal_observation": batch.observations[lane].copy(),
            "TimeLimit.truncated": bool(batch.truncations[lane]),
            "is_success": winner == side,
            "episode": {"r": round(result, 6), "l": int(self._steps[lane]), "t": round(time.time() - self._born, 6)},
            "outcome": {
                "winner": None if winner < 0 else winner,
                "reason": outcome["reason"],
                "learner": side,
                "opponent": self.versus.opponent(lane).name,
                "decisions": int(batch.episode_lengths[lane]),
            },
        }

    # What SB3 asks of each environment

    def action_masks(self, lane: int) -> NDArray[np.int8]:
        """Return the learner's mask in a lane, int8[A]; MaskablePPO gets them by ``env_method("action_masks")``."""
        self.batch.check_ready(started=False)
        return self._masks[check_count("lane", lane, least=0, most=self.num_envs - 1)]

    def state(self, lane: int) -> State:
        """Return a copy of a lane's position, generator included."""
        return self.batch.get_state(lane)

    def render_lane(self, lane: int) -> str | None:
        """Return a lane's board as text, or None without a render_mode."""
        return None if self.render_mode is None else render_text(self.batch.get_state(lane))

    def _lanes(self, indices: Indices) -> list[int]:
        if indices is None:
            return list(range(self.num_envs))
        several = [indices] if isinstance(indices, (int, np.integer)) else check_list("indices", indices)
        lanes = [check_count("indices", lane, least=-self.num_envs) for lane in several]
        for lane in lanes:
            if not -self.num_envs <= lane < self.num_envs:
                raise OptionError(f"indices: there is no lane {lane}, the lanes are 0 to {self.num_envs - 1}")
        return [lane % self.num_envs for lane in lanes]

    _METHODS: Mapping[str, str] = {"action_masks": "action_masks", "state": "state", "render": "render_lane"}

    def env_method(
        self, method_name: str, *method_args: Any, indices: Indices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call a method for each lane: ``"action_masks"`` (int8[A]), ``"state"`` (the position), ``"render"`` (text).

        Raises:
            AttributeError: there is no such method.
        """
        if method_name not in self._METHODS:
            raise AttributeError(f"the lanes have no method {method_name!r}; they have: {', '.join(self._METHODS)}")
        if method_name == "action_masks" and indices is None:
            self.batch.check_ready(started=False)
            return list(self._masks)
        method = getattr(self, self._METHODS[method_name])
        return [method(lane, *method_args, **method_kwargs) for lane in self._lanes(indices)]

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """Return an attribute for each lane: ``"side"`` and ``"opponent"`` of its game, ``"game"``, or one of the
        environment itself.

        Raises:
            AttributeError: there is no such attribute.
        """
        lanes = self._lanes(indices)
        if attr_name in self._METHODS:
            method = getattr(self, self._METHODS[attr_name])
            return [lambda *args, lane=lane, **kwargs: method(lane, *args, **kwargs) for lane in lanes]
        if attr_name == "side":
            return [int(self.sides[lane]) for lane in lanes]
        if attr_name == "opponent":
            return [self.versus.opponent(lane).name if self.batch.started else None for lane in lanes]
        if attr_name == "game":
            return [self.batch.games[lane] for lane in lanes]
        value = getattr(self, attr_name)
        return [value] * len(lanes)

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Set ``"opponent"``, as `set_opponent`, or ``"side"``; both from each lane's next game on, for all lanes.

        Raises:
            AttributeError: another attribute, or not all lanes: they share what they have.
        """
        if sorted(set(self._lanes(indices))) != list(range(self.num_envs)):
            raise AttributeError("lanes share their attributes: set_attr is for all of them (indices=None)")
        if attr_name == "opponent":
            self.set_opponent(value)
        elif attr_name == "side":
            self.versus.set_side(value)
        else:
            raise AttributeError(f"the attributes that can be set are 'opponent' and 'side', not {attr_name!r}")

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Indices = None) -> list[bool]:
        """Return True for `Monitor`, whose statistics the lanes keep by themselves, and False for any other wrapper."""
        return [wrapper_class is Monitor] * len(self._lanes(indices))

    def get_images(self) -> list[None]:
        """Return None for each lane: there are no pictures."""
        return [None] * self.num_envs

    def close(self) -> None:
        """Stop the threads, and close opponents made from agent strings. Whatever is called after it raises
        ClosedError, close() excepted.
        """
        self._actions = None
        self.versus.close()

    def __repr__(self) -> str:
        pool = ", ".join(player.name for player in self.versus.players)
        return f"<BatchVecEnv: {self.num_envs} lanes against {pool}{', closed' if self.batch.closed else ''}>"


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
                raise HawaiiError(f"PoolCallback is for a BatchVecEnv, not for {env!r}")
            base = env.versus.seed if self.model.seed is None else self.model.seed
            seed = int(np.random.SeedSequence([base, self._rollouts]).generate_state(1, np.uint64)[0])
            self.copies.append(SB3Agent(self.model, seed=seed, name=f"copy_{self._rollouts}"))
            del self.copies[: -self.size]
            env.set_opponent([*self.others, *self.copies])
