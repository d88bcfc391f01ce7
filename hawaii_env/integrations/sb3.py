"""Stable-Baselines3: a native vector environment over the batch, for MaskablePPO of sb3-contrib.

```python
from sb3_contrib import MaskablePPO
from hawaii_env.hawaii1795 import Game
from hawaii_env.integrations.sb3 import BatchVecEnv

env = BatchVecEnv(Game, 64, opponent="random", side="alternate", seed=1795)
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
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.policies import BasePolicy
from stable_baselines3.common.vec_env import VecEnv, VecNormalize

from hawaii_env._arguments import check_count, check_list
from hawaii_env.agents import Agent, Clock, PolicyAgent, best_in_rows
from hawaii_env.env.opponents import OpponentPlayer
from hawaii_env.env.vector import ACT, RESET, BatchEnv, GamesLike, check_actions
from hawaii_env.errors import ClosedError, HawaiiError, IllegalActionError, OptionError, StateError
from hawaii_env.game import SIMULTANEOUS, Game, State, check_seed
from hawaii_env.render.text import render_text

__all__ = ["BatchVecEnv", "OpponentLike", "PoolCallback", "SB3Agent"]

OpponentLike: TypeAlias = (
    "str | Path | Agent | BaseAlgorithm | BasePolicy | Callable[[NDArray[Any], NDArray[np.int8]], Any]"
)
"""Who can play against the learner: an agent's spec, an agent, a function of observations and masks that returns
actions, a model or its policy, or the path of a saved model (.zip).
"""

Indices: TypeAlias = "int | Iterable[int] | None"

MAX_EMPTY = 100
"""So many games in a row may end before the learner has had a choice; then something is wrong with the ruleset or the
opponent.
"""


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
                raise OptionError(f"{model} is no model of MaskablePPO: {type(error).__name__}: {error}") from error
        policy = model.policy if isinstance(model, BaseAlgorithm) else model
        if not isinstance(policy, MaskableActorCriticPolicy):
            raise OptionError(
                f"a model of sb3_contrib.MaskablePPO or its policy is wanted (masks are needed), not {model!r}"
            )
        if normalize is None and isinstance(model, BaseAlgorithm):
            normalize = model.get_vec_normalize_env()
        if normalize is not None and not isinstance(cast(Any, normalize), VecNormalize):
            raise OptionError(f"normalize: a VecNormalize is wanted, not {normalize!r}")
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
        """A game begins: see that the policy fits it.

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
            raise OptionError(f"{self.name}: observations: {wanted}, are wanted, not {observations.dtype}")
        policy = self.policy
        if self._normalized is not None:
            observations = self._normalized(observations)
        with torch.no_grad():
            batch = torch.as_tensor(observations, dtype=torch.float32, device=policy.device)
            features: Any = policy.extract_features(batch)
            latent = policy.mlp_extractor.forward_actor(features if policy.share_features_extractor else features[0])
            logits = policy.action_net(latent).cpu().numpy()
        # The policy's own distribution would work on all actions; few are legal.
        flags = np.ascontiguousarray(masks, np.bool_)
        rows, columns = np.divmod(
            np.flatnonzero(flags), flags.shape[1]
        )  # nonzero() in two dimensions takes ten times as long
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


class _Player(OpponentPlayer):
    """An opponent as the environment asks it; models, too, which are copied once, and draw anew by each seed."""

    wanted: ClassVar[str] = (
        "an opponent is an agent's spec (as 'random'), an object with act_batch() or act(), a function of observations "
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
    return ":" not in opponent or Path(opponent).is_file()  # not "sb3:model.zip", which is a spec


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
        games: a Game, a sequence of them which the lanes take in turn, or a class of games; see
            `hawaii_env.env.vector.games_of`.
        num_envs: number of lanes, N.
        opponent: who plays the other side, or a sequence of these: a pool from which each lane draws at the beginning
            of each game. An agent with `act_batch` is asked once for all lanes. One that has `act` alone is asked lane
            by lane; made from a spec, each lane has its own, while an object serves all lanes and must remember nothing
            of its game. A model or policy is copied as it is now, with the VecNormalize of the model's environment.
            ``"random"`` is played by the batch itself, in compiled code.
        weights: how likely each of the pool is drawn, 0 or more; None is all alike.
        side: the learner's, a player's index or name; or ``"alternate"``: another one in each game of a lane. Which
            comes first depends on the lane's seed alone, as in `hawaii_env.env.single_agent`.
        seed: seed of the first reset, as by `seed`; None takes one from the operating system.
        threads: number of threads that the batch divides its lanes among.
        raw: True: observations are the unscaled int8 values. Functions as opponents are given the same; models what
            they were trained on, and agents scaled values.
        max_decisions: decisions of all players after which a game is truncated; None is each game's own limit.
        render_mode: ``"ansi"``: ``env_method("render")`` returns the boards as texts. None: nothing is drawn.
        params: arguments for a class of games.

    Attributes:
        batch: the `BatchEnv`. Its players other than the learner are the environment's.
        sides: int64[N], the learner's side in the game that each lane plays.

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
        **params: Any,
    ) -> None:
        if render_mode is not None and not (isinstance(cast(Any, render_mode), str) and render_mode == "ansi"):
            raise OptionError(f"render_mode is None or 'ansi', not {render_mode!r}")
        self.batch: BatchEnv
        self.batch = batch = BatchEnv(
            games, num_envs, autoreset_mode="Disabled", threads=threads, raw=raw, max_decisions=max_decisions, **params
        )
        n = batch.num_envs
        self.render_mode = render_mode
        self.sides: NDArray[np.int64] = np.zeros(n, np.int64)
        self._rng = np.random.default_rng()
        self._fixed = self._side_of(side)
        self._turn = np.arange(n)  # seed of the lane, if any, + games begun since
        self._pool: list[int] = []
        self._weights: NDArray[np.float64] | None = None
        self._players: dict[int, _Player] = {}
        self._made = 0
        self._who = np.zeros(n, np.int64)  # key in _players of each lane's opponent
        self._rows = np.arange(n)
        self._ops = np.zeros(n, np.int8)
        self._all = np.full(n, ACT, np.int8)
        self._chosen = np.zeros(n, np.int64)
        self._nothing = np.zeros(n, np.int64)
        self._steps = np.zeros(n, np.int64)
        self._returns = np.zeros(n, np.float64)
        self._episodes = np.zeros(n, np.int64)
        self._masks = batch.masks.copy()
        self._actions: NDArray[np.int64] | None = None
        self._started = False
        self._born = time.time()
        super().__init__(n, batch.single_observation_space, batch.single_action_space)
        self._opponent_seed = int(self._rng.integers(2**31))
        if seed is not None:
            self.seed(seed)
        self.set_opponent(opponent, weights)

    # Sides and opponents

    def _side_of(self, side: object) -> int | None:
        """Return the learner's index, or None to alternate."""
        names = self.batch.games[0].agents
        if isinstance(side, str):
            if side == "alternate":
                return None
            if side in names:
                return names.index(side)
        elif isinstance(side, (int, np.integer)) and not isinstance(side, bool) and 0 <= side < len(names):
            return int(side)
        allowed = ", ".join([*map(repr, names), *map(str, range(len(names)))])
        raise OptionError(f"side: allowed are {allowed} and 'alternate', not {side!r}")

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
        listed: list[Any] = list(opponent) if isinstance(opponent, (list, tuple)) else [opponent]
        if not listed:
            raise OptionError("opponent: at least one is wanted, not an empty pool")
        chances = None
        if weights is not None:
            try:
                chances = np.asarray(weights, np.float64)
            except (TypeError, ValueError):
                raise OptionError(f"weights: a number for each opponent is wanted, not {weights!r}") from None
            if (
                chances.shape != (len(listed),)
                or not np.isfinite(chances).all()
                or (chances < 0).any()
                or not chances.sum()
            ):
                raise OptionError(
                    f"weights: {len(listed)} numbers of 0 or more, not all 0, are wanted, not {weights!r}"
                )
            chances = chances / chances.sum()
        players = [_Player(one, self._seeds_at(place)) for place, one in enumerate(listed)]
        self._pool = list(range(self._made, self._made + len(players)))
        self._made += len(players)
        self._players.update(zip(self._pool, players, strict=True))
        self._weights = chances
        in_use = {*self._pool, *(self._who.tolist() if self._started else [])}
        for key in [key for key in self._players if key not in in_use]:
            self._players.pop(key).close()

    def _seeds_at(self, place: int) -> dict[int, int]:
        """The seeds of an opponent at this place of the pool, by lane."""
        first = self._opponent_seed + place * self.num_envs
        return {lane: first + lane for lane in range(self.num_envs)}

    def _begin_games(self, lanes: NDArray[np.int64]) -> None:
        """Choose sides and opponents of the games that begin in these lanes."""
        if self._fixed is None:
            self.sides[lanes] = self._turn[lanes] % self.batch.num_players
            self._turn[lanes] += 1
        else:
            self.sides[lanes] = self._fixed
        if len(self._pool) == 1:
            self._who[lanes] = self._pool[0]
        else:
            self._who[lanes] = self._rng.choice(self._pool, size=len(lanes), p=self._weights)
        out = self.batch.arrays
        out.viewers[lanes] = self.sides[lanes]
        for lane in lanes.tolist():
            out.auto[lane] = self._players[int(self._who[lane])].auto
        self._steps[lanes] = 0
        self._returns[lanes] = 0.0

    # Reset and step

    def _check_open(self) -> None:
        if self.batch.closed:
            raise ClosedError("the environment is closed")

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Settle the seeds of the next reset, lane i's being seed + i, and return them; None draws one.

        Raises:
            OptionError: no integer of 0 or more.
        """
        return super().seed(None if seed is None else check_seed(seed))

    def reset(self) -> NDArray[Any]:
        """Begin a game in each lane and return the learner's first observations, float32[N, O].

        After `seed` the games, the opponents made from specs, the draws of models and the pool's are those of that
        seed; lane i's games are those of seed + i. Agents handed over as objects, and functions, are the caller's to
        seed. Without it games go on with the generators of those before. ``set_options({"state": state})`` lets them
        start from a position.

        Raises:
            ClosedError: the environment is closed.
            OptionError: an option that is none.
        """
        self._check_open()
        self._actions = None
        starts = [options.get("state") if options else None for options in self._options]
        for lane, start in enumerate(starts):
            if start is not None and not isinstance(start, State):
                raise OptionError(f'lane {lane}: options["state"]: a State is wanted, not {start!r}')
        seeded = any(one is not None for one in self._seeds)
        if seeded:
            first = next(one for one in self._seeds if one is not None)
            self._rng = np.random.default_rng(first)
            for lane, one in enumerate(self._seeds):
                if one is not None:
                    self._turn[lane] = one % self.batch.num_players
            self._reseed(first)
        self._begin_games(self._rows)
        self._episodes += 1
        self.batch.reset(seed=list(self._seeds) if seeded else None)
        for lane, start in enumerate(starts):
            if start is not None:
                self.batch.set_state(lane, start, seed=self._seeds[lane])
        self._started = True
        self._reset_seeds()
        self._reset_options()
        self._answer(None)
        self._masks = self.batch.masks.copy()
        self.reset_infos: list[dict[str, Any]] = [{"action_mask": row} for row in self._masks]
        return self.batch.observations.copy()

    def _reseed(self, seed: int) -> None:
        """Seed the opponents that are the environment's own."""
        self._opponent_seed = seed
        for place, key in enumerate(self._pool):
            self._players[key].reseed(self._seeds_at(place))

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
        self._check_open()
        if not self._started:
            from hawaii_env.env.aec import OrderError

            raise OrderError("reset() needs to be called first")
        chosen = check_actions(actions, self.num_envs, self.batch.num_actions)
        self.batch.check(self._all, chosen)
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
        self._check_open()
        actions, self._actions = self._actions, None
        if actions is None:
            from hawaii_env.env.aec import OrderError

            raise OrderError("step_async() needs to be called first")
        self.batch.run(self._all, actions)
        self._steps += 1
        rewards = self.batch.rewards[self._rows, self.sides]
        ended: dict[int, dict[str, Any]] = {}
        self._answer(rewards, ended)
        self._masks = self.batch.masks.copy()
        infos: list[dict[str, Any]] = [{"action_mask": row, "TimeLimit.truncated": False} for row in self._masks]
        dones = np.zeros(self.num_envs, np.bool_)
        for lane, info in ended.items():
            dones[lane] = True
            infos[lane].update(info)
        return self.batch.observations.copy(), rewards, dones, infos

    def _answer(self, rewards: NDArray[np.float32] | None, ended: dict[int, dict[str, Any]] | None = None) -> None:
        """Let opponents decide and games begin until the learner is to act in every lane.

        Args:
            rewards: what the learner has got in this step so far, float32[N], added to; None at a reset.
            ended: the infos of games that have ended in this step, by lane, added to; None at a reset.
        """
        batch, out = self.batch, self.batch.arrays
        empty: dict[int, int] = {}
        while True:
            if out.over.any():
                over = np.flatnonzero(out.over)
                fresh: list[int] = []
                for lane in over.tolist():
                    self._players[int(self._who[lane])].finish(batch, lane, int(self._episodes[lane]))
                    if rewards is not None and ended is not None and self._steps[lane]:
                        ended[lane] = self._ended(lane, float(rewards[lane]))
                        fresh.append(lane)
                        continue
                    # The learner has had no choice in this game: it is played again.
                    empty[lane] = empty.get(lane, 0) + 1
                    if empty[lane] > MAX_EMPTY:
                        raise StateError(
                            f"lane {lane}: {MAX_EMPTY} games in a row ended before the learner had a choice"
                        )
                self._begin_games(np.array(fresh, np.int64))
                self._episodes[over] += 1
                self._ops[:] = 0
                self._ops[over] = RESET
                batch.run(self._ops, self._nothing)
            waiting = out.to_play != self.sides
            if not waiting.any():
                if rewards is not None:
                    going = self._steps > 0
                    self._returns[going] += rewards[going]
                return
            lanes = np.flatnonzero(waiting)
            keys = self._who[lanes]
            first = int(keys[0])
            chosen = self._chosen
            if (keys == first).all():
                chosen[lanes] = self._players[first].decide(batch, lanes, self._episodes)
            else:
                for key in np.unique(keys).tolist():
                    some = lanes[keys == key]
                    chosen[some] = self._players[key].decide(batch, some, self._episodes)
            ops = waiting.astype(np.int8)  # 1 is ACT, 0 SKIP
            bad = batch.lanes.illegal(ops, chosen)
            if bad >= 0:
                name = self._players[int(self._who[bad])].name
                raise IllegalActionError(f"opponent {name!r}: {batch.refusal(bad, int(chosen[bad]))}")
            batch.run(ops, chosen)
            if rewards is not None:
                lanes = lanes[self._steps[lanes] > 0]
                rewards[lanes] += out.rewards[lanes, self.sides[lanes]]

    def _ended(self, lane: int, reward: float) -> dict[str, Any]:
        """The info of a game that has just ended."""
        out, side = self.batch.arrays, int(self.sides[lane])
        winner = int(out.episode_winners[lane])
        result = float(self._returns[lane]) + reward
        return {
            "terminal_observation": out.observations[lane].copy(),
            "TimeLimit.truncated": bool(out.truncations[lane] and not out.terminations[lane]),
            "is_success": winner == side,
            "episode": {"r": round(result, 6), "l": int(self._steps[lane]), "t": round(time.time() - self._born, 6)},
            "outcome": {
                "winner": None if winner < 0 else winner,
                "reason": self.batch.reason(lane),
                "learner": side,
                "opponent": self._players[int(self._who[lane])].name,
                "decisions": int(out.episode_lengths[lane]),
            },
        }

    # What SB3 asks of each environment

    def action_masks(self, lane: int) -> NDArray[np.int8]:
        """Return the learner's mask in a lane, int8[A]; MaskablePPO gets them by ``env_method("action_masks")``."""
        self._check_open()
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
            self._check_open()
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
            return [self._players[int(self._who[lane])].name if self._started else None for lane in lanes]
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
            self._fixed = self._side_of(value)
        else:
            raise AttributeError(f"the attributes that can be set are 'opponent' and 'side', not {attr_name!r}")

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Indices = None) -> list[bool]:
        """Return True for `Monitor`, whose statistics the lanes keep by themselves, and False for any other wrapper."""
        return [wrapper_class is Monitor] * len(self._lanes(indices))

    def get_images(self) -> list[None]:
        """Return None for each lane: there are no pictures."""
        return [None] * self.num_envs

    def close(self) -> None:
        """Stop the threads, and close opponents made from specs. Whatever is called after it raises ClosedError,
        close() excepted.
        """
        self._actions = None
        self.batch.close()
        for player in self._players.values():
            player.close()

    def __repr__(self) -> str:
        pool = ", ".join(self._players[key].name for key in self._pool)
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
            base = env._opponent_seed if self.model.seed is None else self.model.seed
            seed = int(np.random.SeedSequence([base, self._rollouts]).generate_state(1, np.uint64)[0])
            self.copies.append(SB3Agent(self.model, seed=seed, name=f"copy_{self._rollouts}"))
            del self.copies[: -self.size]
            env.set_opponent([*self.others, *self.copies])
