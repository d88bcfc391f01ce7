"""Vectorised environment: steps many games, with all their players, in one call.

```python
import hawaii_env

batch = hawaii_env.make_batch("hawaii1795", 1024, scenario=["long", "short"])  # the scenarios take turns
observations, info = batch.reset(seed=0)                                       # environment i plays the game of seed i
while True:
    actions = batch.sample_actions()                                           # or a policy of (observations, masks)
    observations, rewards, terminations, truncations, info = batch.step(actions)
```

An environment of the batch plays one game after another. Environment i plays exactly as `hawaii_env.env.aec.GameEnv`
with its seed, for any number of environments and threads: the first game is that of seed + i, and each later one
continues as after `reset()` without a seed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from hawaii_env._arguments import check_choice, check_flag, check_options, show_array
from hawaii_env.core.batch import ACT, RESET, SKIP, check_actions
from hawaii_env.env.batch_games import GamesLike, drawn_games
from hawaii_env.env.runner import BatchRunner, commands_of, seeds_of
from hawaii_env.env.shared import fix_generators
from hawaii_env.errors import GameOverError, OptionError
from hawaii_env.game import Game, State, check_seed
from hawaii_env.pools import Draws
from hawaii_env.texts import count, show_value

__all__ = ["BatchEnv", "make_batch"]


class BatchEnv:
    """Vectorised environment over N games; made by `make_batch`.

    The caller decides for every player: `to_play` has the player to act in each environment. `step` and `reset`
    overwrite the same arrays; with `copy` they return new ones. Do not write into the batch's own arrays.

    Args:
        games: the game of each of N environments.
        autoreset_mode: one of `gymnasium.vector.AutoresetMode`, or its text. ``"SameStep"``: when a game ends, the next
            begins in the same step, so that every row always needs a decision; the last observation is in
            ``info["final_obs"]``. ``"NextStep"`` (Gymnasium's default): the row shows the last position, and the next
            step ignores its action and begins another game. ``"Disabled"``: the caller resets, with
            ``options={"reset_mask": ...}``.
        threads: number of threads that share the environments.
        copy: True returns new arrays from `reset` and `step`.
        raw: True: observations are the unscaled integers, ``game.raw_dtype``.
        max_decisions: decisions after which a game is truncated; None is each game's own limit.
        illegal: ``"raise"``: an action that is not legal raises IllegalActionError and changes nothing. ``"lose"``: one
            of the table ends its game, with -1 for its player and 0 for the others.
        starts, rules, step_reward, views: see `make_batch` and `hawaii_env.env.batch_games.drawn_games`.

    Attributes:
        num_envs: N.
        num_players: P, the maximum over the games. Games with fewer players, such as other scenarios, get 0 for the
            missing ones.
        observations: float32[N, O], or integers when raw, as the player to act sees the position.
        masks: int8[N, A], the legal actions; all zero if the game is over.
        to_play: int64[N], the player to act; -4 if the game is over (never in the mode SameStep).
        rewards: float32[N, P], of the last step, for all players.
        terminations, truncations: bool[N], the last step ended the game, by a rule or by the limit on decisions.
        over: bool[N], the game is over and waits for a reset.
        lengths: int64[N], decisions of the current game.
        episode_lengths: int64[N]; episode_returns: float32[N, P]; episode_winners: int64[N]: of the last game that
            ended; winner -1 means nobody.
        views: with ``views="all"`` [N, P, O] as `observations`: the position as each player sees it.
        viewers: int64[N], the player who sees the last observation of a game: an index, or -1 for player 0. May be set.
        observation_space, action_space, single_observation_space, single_action_space: as in Gymnasium's vector
            environments.
        runner: the object that steps the games, for adapters; see `hawaii_env.env.runner`.

    Raises:
        OptionError: a wrong option.
    """

    def __init__(
        self,
        games: Sequence[Game],
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        threads: int = 1,
        copy: bool = False,
        raw: bool = False,
        max_decisions: int | None = None,
        illegal: Literal["raise", "lose"] = "raise",
        starts: Any = None,
        rules: Draws | None = None,
        step_reward: Any = None,
        views: Literal["decider", "all"] = "decider",
    ) -> None:
        check_choice("illegal", illegal, ("raise", "lose"))
        self.illegal = illegal
        self.autoreset_mode: AutoresetMode = mode_of(autoreset_mode)
        self.metadata: dict[str, AutoresetMode] = {"autoreset_mode": self.autoreset_mode}
        self.copy: bool = check_flag("copy", copy)
        self._same_step = self.autoreset_mode is AutoresetMode.SAME_STEP
        runner = BatchRunner(
            games,
            threads=threads,
            raw=raw,
            max_decisions=max_decisions,
            final=self._same_step,
            starts=starts, rules=rules,
            step_reward=step_reward, views=views,
        )  # fmt: skip
        self.runner: BatchRunner = runner
        self.num_envs: int = runner.num_envs
        self.num_players: int = runner.num_players
        out = runner.arrays
        self.observations: NDArray[Any] = out.observations
        self.masks: NDArray[np.int8] = out.masks
        self.to_play: NDArray[np.int64] = out.to_play
        self.rewards: NDArray[np.float32] = out.rewards
        self.terminations: NDArray[np.bool_] = out.terminations
        self.truncations: NDArray[np.bool_] = out.truncations
        self.over: NDArray[np.bool_] = out.over
        self.lengths: NDArray[np.int64] = out.lengths
        self.episode_lengths: NDArray[np.int64] = out.episode_lengths
        self.episode_returns: NDArray[np.float32] = out.episode_returns
        self.episode_winners: NDArray[np.int64] = out.episode_winners
        self.viewers: NDArray[np.int64] = out.viewers
        self.views: NDArray[Any] = out.views
        self.single_observation_space: spaces.Box[Any] = runner.observation_space
        self.single_action_space: spaces.Discrete[np.int64] = runner.action_space
        self.observation_space: spaces.Space[Any] = batch_space(self.single_observation_space, self.num_envs)
        self.action_space: spaces.Space[Any] = batch_space(self.single_action_space, self.num_envs)
        self._ops = np.full(self.num_envs, ACT, np.int8)
        self._sampled = np.zeros(self.num_envs, np.int64)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Begin a game in each environment.

        Args:
            seed: environment i gets seed + i, as if it were the only one; or a sequence of N seeds. Without a seed, the
                operating system seeds the first games, and later ones continue with their generators.
            options: ``"reset_mask"``: bool[N], the environments to reset; the others do not change. ``"state"``: a
                State to start from in all of these, with dice of the environment's seed; without a seed, a state with a
                generator has the same dice in all of them.

        Returns:
            Observations, and an info with ``"action_mask"`` and ``"to_play"``.

        Raises:
            OptionError: a wrong seed or option; nothing changes.
            ClosedError: the batch is closed.
        """
        runner = self.runner
        runner.check_ready(started=False)
        options = check_options(options, "reset_mask", "state")
        chosen = reset_mask_of(options, self.num_envs)
        if chosen is not None and not runner.started:
            raise OptionError('options["reset_mask"]: the first reset() is of all environments')
        seeds = seeds_of(seed, self.num_envs)
        start = options.get("state")
        indices = list(range(self.num_envs)) if chosen is None else np.flatnonzero(chosen).tolist()
        if start is not None:
            for i in indices:
                runner.check_state(i, start)
        if seeds is not None and seeds[0] is not None:
            runner.seed_seeder(seeds[0])
        asked: list[int | None] = [None] * self.num_envs if seeds is None else seeds
        used = asked
        if not runner.started:
            first = int(runner.seeder.integers(2**62))
            used = [first + i if one is None else one for i, one in enumerate(asked)]
        runner.begin(indices, used, [start] * self.num_envs, asked)
        return self._out(self.observations), self._info()

    def step(
        self, actions: Any, active: NDArray[np.bool_] | None = None
    ) -> tuple[NDArray[Any], NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Apply one action in each environment.

        Args:
            actions: legal actions, integers of shape (N,).
            active: bool[N], the environments to step; None means all. The others do not change: their actions are
                ignored, and their rewards, terminations and truncations are 0.

        Returns:
            Observations, rewards float32[N, P], terminations, truncations, and an info with ``"action_mask"``,
            ``"to_play"``, and if games have ended ``"episode"`` (a dict of arrays over all environments: ``"r"``
            returns, ``"l"`` decisions, ``"winner"``, ``"reason"``) with ``"_episode"``, the mask of those environments;
            in the mode SameStep also ``"final_obs"`` and ``"final_info"``.

        Raises:
            IllegalActionError: a wrong shape or type, or an action that is not legal (with ``illegal="lose"`` one
                outside the table); the message names environment, action and phase. Nothing has changed.
            GameOverError: mode Disabled: an environment's game is over.
            OrderError: before reset().
            ClosedError: the batch is closed.
        """
        self.runner.check_ready()
        chosen = check_actions(actions, self.num_envs, self.runner.num_actions)
        ops = self._ops if active is None else commands_of(active, self.num_envs)
        if not self._same_step:
            over = self.over & (ops == ACT)
            if over.any():
                if self.autoreset_mode is AutoresetMode.DISABLED:
                    ended = np.flatnonzero(over).tolist()
                    others = "reset(options={'reset_mask': ...}) begins others"
                    raise GameOverError(f"the games of environments {ended} are over: {others}")
                ops = np.where(over, RESET, ops).astype(np.int8)
        lose = self.illegal == "lose"
        self.runner.run(ops.copy() if lose else ops, chosen, self._same_step, lose)  # it notes who loses
        if active is not None:
            self.runner.clear(np.flatnonzero(ops == SKIP).tolist())
        return (
            self._out(self.observations),
            self._out(self.rewards),
            self._out(self.terminations),
            self._out(self.truncations),
            self._info(),
        )

    def _out(self, array: NDArray[Any]) -> NDArray[Any]:
        return array.copy() if self.copy else array

    def _info(self) -> dict[str, Any]:
        info: dict[str, Any] = {"action_mask": self._out(self.masks), "to_play": self._out(self.to_play)}
        ended = self.terminations | self.truncations
        indices = np.flatnonzero(ended).tolist()
        if len(self.views):
            info["views"] = self._out(self.views)
        if indices:
            info["episode"] = self._episodes(ended, indices)
            info["_episode"] = ended
            if self._same_step:
                final = np.empty(self.num_envs, object)  # of None
                for i in indices:
                    final[i] = self.runner.arrays.final_observations[i].copy()
                info["final_obs"] = final
                if len(self.views):
                    info["final_views"] = self._out(self.runner.arrays.final_views)
                info["final_info"] = {"episode": info["episode"], "_episode": ended}
                info["_final_obs"] = info["_final_info"] = ended
        return info

    def _episodes(self, ended: NDArray[np.bool_], indices: list[int]) -> dict[str, Any]:
        """Return statistics of the games that have ended in these environments; zeros, -1 and None in the others."""
        reasons = np.empty(self.num_envs, object)
        for i in indices:
            reasons[i] = self.runner.reason(i)
        return {
            "r": np.where(ended[:, None], self.episode_returns, np.float32(0)),
            "l": np.where(ended, self.episode_lengths, 0),
            "winner": np.where(ended, self.episode_winners, -1),
            "reason": reasons,
        }

    # Masks, random players, positions

    def action_masks(self) -> NDArray[np.int8]:
        """Return the masks, int8[N, A]: the batch's own array, or a copy with `copy`."""
        self.runner.check_ready()
        return self._out(self.masks)

    def legal_lists(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the legal actions as lists, for policies that evaluate only legal actions.

        Returns:
            New arrays: `counts`, int64[N], the number of legal actions of each environment, 0 if the game is over; and
            `actions`, int64[sum of counts], environment after environment, ascending in each. Those of environment i
            begin at ``(cumsum(counts) - counts)[i]``.
        """
        self.runner.check_ready()
        return self.runner.backend.legal(self.runner.arrays)

    def sample_actions(self, out: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """Return a random legal action of each environment, int64[N]; 0 if the game is over.

        Each environment has a separate generator for this, seeded by its seed and independent of dice and decks, so
        random games do not depend on the number of environments and threads.

        Args:
            out: int64[N] to write into; None uses the batch's own array, which the next call overwrites.
        """
        self.runner.check_ready()
        if out is None:
            out = np.empty(self.num_envs, np.int64) if self.copy else self._sampled
        elif (
            not isinstance(out, np.ndarray)
            or out.shape != (self.num_envs,)
            or out.dtype != np.int64
            or not out.flags.c_contiguous
        ):
            raise OptionError(f"out: expected int64[{self.num_envs}], not {show_array(out)}")
        self.runner.sample(out)
        return out

    def reason(self, env_index: int) -> str:
        """Return why the last game of an environment ended, with its section of the rulebook; empty before that.

        Raises:
            OptionError: no such environment.
        """
        return self.runner.reason(env_index)

    def get_state(self, env_index: int) -> State:
        """Return a copy of an environment's position, with its generator: it continues as the environment would.

        Raises:
            OptionError: no such environment.
        """
        return self.runner.get_state(env_index)

    def set_state(self, env_index: int, state: State, seed: int | None = None) -> None:
        """Begin a game in one environment from a position. The other environments do not change.

        Args:
            env_index: index of the environment.
            state: a position of the environment's game; it is copied. One without a generator gets one.
            seed: seed of its generators from here on; None keeps those of the state.

        Raises:
            OptionError: no such environment, no State, a position of another game, or one of a game that is over.
        """
        runner = self.runner
        runner.check_ready()
        i = runner.check_index(env_index)
        runner.check_state(i, state)
        seeds: list[int | None] = [None] * self.num_envs
        seeds[i] = None if seed is None else check_seed(seed)
        runner.begin([i], seeds, [state] * self.num_envs, seeds)

    # The end

    @property
    def closed(self) -> bool:
        """True after close()."""
        return self.runner.closed

    def close(self) -> None:
        """Stop the threads. May be called again; any other call raises ClosedError."""
        self.runner.close()

    def __enter__(self) -> BatchEnv:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __getstate__(self) -> dict[str, Any]:
        fix_generators(self.observation_space, self.action_space)
        return self.__dict__

    @property
    def games(self) -> list[Game]:
        """The game of each environment."""
        return self.runner.games

    def set_starts(self, starts: Any) -> None:
        """Set the positions that games begin at, from each environment's next game on; see `make_batch`.

        Raises:
            OptionError: as `make_batch`; nothing has changed.
        """
        self.runner.set_starts(starts)

    def __len__(self) -> int:
        return self.num_envs

    def __repr__(self) -> str:
        names = ", ".join(sorted({game.name for game in self.games}))
        return f"<BatchEnv: {count(self.num_envs, 'environment')} of {names}{', closed' if self.closed else ''}>"


def make_batch(
    games: GamesLike,
    num_envs: int,
    /,
    *,
    autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
    threads: int = 1,
    copy: bool = False,
    raw: bool = False,
    max_decisions: int | None = None,
    illegal: Literal["raise", "lose"] = "raise",
    starts: Any = None,
    step_reward: Any = None,
    views: Literal["decider", "all"] = "decider",
    **options: Any,
) -> BatchEnv:
    """Make a batch: many games, with all their players, that one call steps.

    >>> import hawaii_env
    >>> batch = hawaii_env.make_batch("hawaii1795", 4, scenario=["long", "short"])
    >>> [game.scenario for game in batch.games]
    ['long', 'short', 'long', 'short']

    Args:
        games: the name of a game; a `Game`; or a sequence of `Game`, which the environments use in turn.
        num_envs: number of environments, N.
        autoreset_mode, threads, copy, raw, max_decisions, illegal: see `BatchEnv`.
        starts: start positions from which each game draws one: a sequence of `State`, the path of a file with one per
            line (`State.to_json`), a sampler, or a `hawaii_env.Pool` of them. None means the normal start.
        step_reward: a per-step reward that replaces the game's own: the name of one of its `measures`, a
            `hawaii_env.Potential`, a rule of (rules, before, after, player), compiled, or a Python function of the
            batch's arrays after the step (`hawaii_env.core.batch.Arrays`) that returns float[N, P].
        views: ``"all"``: `BatchEnv.views` and ``info["views"]`` show each position to all players, and
            ``info["final_views"]`` the last position of games that ended.
        options: the game's options, with its name. The environments use the values of a list in turn. `rules` may be a
            `hawaii_env.Pool` of rulesets or a sampler: each game draws one.

    Raises:
        OptionError: an unknown game, option or mode, a value that the game does not allow, N below 1, or games with
            different spaces.
    """
    made, rules = drawn_games(games, num_envs, **options)
    return BatchEnv(
        made, autoreset_mode=autoreset_mode, threads=threads, copy=copy, raw=raw, max_decisions=max_decisions,
        illegal=illegal, starts=starts, rules=rules, step_reward=step_reward, views=views,
    )  # fmt: skip


def reset_mask_of(options: Mapping[str, Any], num_envs: int) -> NDArray[np.bool_] | None:
    """Return ``options["reset_mask"]``, bool[num_envs] with a True in it, or None if it has none.

    Raises:
        OptionError: another value.
    """
    mask = options.get("reset_mask")
    if mask is None:
        return None
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (num_envs,):
        raise OptionError(f'options["reset_mask"]: expected bool[{num_envs}], not {show_array(mask)}')
    if not mask.any():
        raise OptionError('options["reset_mask"]: expected at least one True')
    return mask


def mode_of(mode: object) -> AutoresetMode:
    """Return the mode that is one of `AutoresetMode`, or its value or name as text.

    Raises:
        OptionError: an unknown mode.
    """
    for known in AutoresetMode:
        if mode is known or (isinstance(mode, str) and mode in (known.value, known.name)):
            return known
    allowed = ", ".join(repr(known.value) for known in AutoresetMode)
    raise OptionError(f"autoreset_mode is one of {allowed}, not {show_value(mode)}")
