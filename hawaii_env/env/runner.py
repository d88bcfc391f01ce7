"""Games of a batch, stepped by commands: the basis of the environments in this package.

`hawaii_env.make_batch` is for users. This module is for adapters that step only some environments of a batch, for
example while opponents answer: `BatchEnv`, `Versus` and the vector environments of other libraries.

Environment i plays exactly as `hawaii_env.env.aec.GameEnv` with its seed, step by step, for any number of environments
and threads: the first game is that of its seed, each later one continues as after `reset()` without a seed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal, cast

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from hawaii_env._arguments import check_choice, check_count, check_flag, show_array, whole
from hawaii_env.core.batch import ACT, LOAD, LOSE, RESET, SKIP, TRUNCATED, Arrays, BatchBackend, slices
from hawaii_env.env.python_batch import PythonBatch
from hawaii_env.env.shared import check_position, fix_generators, observation_space
from hawaii_env.errors import ClosedError, HawaiiError, IllegalActionError, OptionError, OrderError
from hawaii_env.game import SIMULTANEOUS, Game, State, check_seed
from hawaii_env.pools import Draws
from hawaii_env.rewards import Rewards
from hawaii_env.texts import count, show_value

__all__ = ["BatchRunner", "commands_of", "make_backend", "seeds_of"]


class BatchRunner:
    """Games of a batch, stepped by commands.

    Args:
        games: the game of each of N environments; see
            `hawaii_env.env.batch_games`.
        threads: number of threads that share the environments.
        raw: True: observations are the unscaled integers.
        max_decisions: decisions after which a game is truncated; None is each game's own limit.
        final: True keeps the last observations of games that are followed by the next in the same step.
        at_once: True: a batch of one environment does not wait for compilation; see `make_backend`.
        starts: start positions from which each game draws one: a `hawaii_env.pools.Pool`, a sequence, a sampler or a
            file.
        rules: the games from which each environment draws; see `drawn_games`.
        step_reward: a reward that replaces the game's own; see `hawaii_env.rewards.Rewards`.
        views: ``"all"``: `arrays.views` has the observations of all players.

    Attributes:
        kinds: the distinct games of the environments.
        num_envs: N.
        num_players: P, the maximum over these games.
        num_actions: A.
        arrays: the environments' output, overwritten by each call; see `hawaii_env.core.batch.Arrays`.
        backend: the object that steps the games.
        observation_space, action_space: those of one environment.

    Raises:
        OptionError: a wrong option.
    """

    def __init__(
        self,
        games: Sequence[Game],
        *,
        threads: int = 1,
        raw: bool = False,
        max_decisions: int | None = None,
        final: bool = False,
        at_once: bool = False,
        starts: Any = None,
        rules: Draws | None = None,
        step_reward: Any = None,
        views: Literal["decider", "all"] = "decider",
    ) -> None:
        self._closed = True  # until the constructor has finished
        self.num_envs: int = len(games)
        self._rules: Draws | None = rules
        every = [*games, *(rules.games if rules else [])]
        self.kinds: list[Game] = list({id(game): game for game in every}.values())
        self.threads: int = check_count("threads", threads)
        self.raw: bool = check_flag("raw", raw)
        limit = None if max_decisions is None else check_count("max_decisions", max_decisions, most=2**63 - 1)
        self.num_players: int = max(one.num_players for one in self.kinds)
        self.num_actions: int = self.kinds[0].num_actions
        draws, memory = self._draws_of(starts), getattr(self.kinds[0], "memory_size", 1)
        self.backend: BatchBackend = make_backend(games, at_once=at_once and self.num_envs == 1, draws=draws)
        longest = max(game.max_decisions for game in self.kinds) if draws and limit is None else limit
        self.arrays: Arrays = Arrays.make(
            games, raw=self.raw, limit=longest, final=final, players=self.num_players, views=views == "all"
        )
        check_choice("views", views, ("decider", "all"))
        self._views: bool = views == "all"
        self._view_memory: NDArray[np.int32] = np.full((self.num_envs, self.num_players, memory), -1, np.int32)
        self._rewards: Rewards | None = None if step_reward is None else Rewards(step_reward, self.backend)
        self.observation_space: spaces.Box = observation_space(self.kinds, self.raw)
        self.action_space: spaces.Discrete[np.int64] = spaces.Discrete(self.num_actions)
        self._nothing = np.zeros(self.num_envs, np.int64)
        self._seeder: np.random.Generator | None = None
        self._pool: ThreadPoolExecutor | None = None
        self._pool_owner = 0
        self.started: bool = False
        self._closed = False

    # What is played

    @property
    def games(self) -> list[Game]:
        """The game of each environment."""
        return list(self.backend.games)

    def set_starts(self, starts: Any) -> None:
        """Set the start positions, from each environment's next game on; None means the normal start.

        Raises:
            OptionError: as the constructor; nothing changes.
        """
        self.backend.set_draws(self._draws_of(starts))

    def _draws_of(self, starts: Any) -> Draws | None:
        return self._rules if starts is None else Draws.of_starts(starts, self.kinds)

    # Seeds

    @property
    def seeder(self) -> np.random.Generator:
        """The generator of omitted seeds, itself seeded by `seed_seeder` or the operating system."""
        if self._seeder is None:
            # Made on first use only, so that forked processes play different games.
            self._seeder = np.random.default_rng()
        return self._seeder

    def seed_seeder(self, seed: int) -> None:
        """Seed `seeder`."""
        self._seeder = np.random.default_rng(seed)

    # Steps

    def run(
        self, ops: NDArray[np.int8], actions: NDArray[np.int64], same_step: bool = False, lose: bool = False
    ) -> list[int]:
        """Carry out the commands; see `hawaii_env.core.batch.BatchBackend.run`.

        Args:
            ops: int8[N], SKIP, ACT, RESET, LOAD or LOSE for each environment.
            actions: int64[N], used by those that ACT.
            same_step: True begins the next game in the step that ends one.
            lose: True: an illegal action of the table loses the game; `ops` is changed to LOSE there.

        Returns:
            The environments lost in this way.

        Raises:
            IllegalActionError: an action is not legal; the message names environment, action and phase. Nothing has
                changed.
        """
        self._check_commands(ops, actions)
        lost: list[int] = []
        while (i := self.backend.illegal(ops, actions)) >= 0:
            if not lose or not 0 <= actions[i] < self.num_actions:
                raise self._refusal(i, int(actions[i]))
            ops[i] = LOSE
            lost.append(i)
        self._run(ops, actions, same_step)
        return lost

    def check(self, actions: NDArray[np.int64]) -> None:
        """Check the actions, int64[N], of all environments.

        Raises:
            IllegalActionError: an action is not legal; the message names environment, action and phase.
        """
        ops = np.full(self.num_envs, ACT, np.int8)
        self._check_commands(ops, actions)
        i = self.backend.illegal(ops, actions)
        if i >= 0:
            raise self._refusal(i, int(actions[i]))

    def _check_commands(self, ops: object, actions: object) -> None:
        # Compiled code does not check shapes and types.
        for name, array, kind in (("ops", ops, np.int8), ("actions", actions, np.int64)):
            if not isinstance(array, np.ndarray) or array.dtype != kind or array.shape != (self.num_envs,):
                raise OptionError(f"{name}: expected {np.dtype(kind)}[{self.num_envs}], not {show_array(array)}")

    def _refusal(self, env_index: int, action: int) -> HawaiiError:
        """Return the error for an illegal action in an environment."""
        state, game = self.backend.get(env_index), self.backend.game(env_index)
        refused: HawaiiError = IllegalActionError(f"action {action} is not legal in phase {state.phase}")
        try:
            if state.current_player == SIMULTANEOUS:
                text, agent = game.action_text(action), game.agents[int(self.arrays.to_play[env_index])]
                refused = IllegalActionError(
                    f"{show_value(text)} (action {action}) is not legal for {agent} in phase {state.phase}"
                )
            else:
                state.apply(action)
        except HawaiiError as error:
            refused = error
        named = type(refused)(f"environment {env_index}: {refused}")
        if isinstance(named, IllegalActionError):
            named.env_index = env_index
        return named

    def _run(self, ops: NDArray[np.int8], actions: NDArray[np.int64], same_step: bool) -> None:
        """Run the backend, then write rewards and views; they need the last positions before the next games begin."""
        if self._rewards is None and not self._views:
            self._run_all(ops, actions, same_step)
            return
        out = self.arrays
        if self._rewards is not None:
            self._rewards.keep(self.backend)
        self._run_all(ops, actions, False)
        if self._rewards is not None:
            self._rewards.write(self.backend, out, ops)
        self._write_views(ops)
        ended = (ops != SKIP) & out.over
        if same_step and ended.any():
            out.final_observations[ended] = out.observations[ended]
            if self._views:
                out.final_views[ended] = out.views[ended]
            kept = [array[ended] for array in (out.rewards, out.terminations, out.truncations)]
            again = np.where(ended, RESET, SKIP).astype(np.int8)
            self._run_all(again, actions, True)
            for array, values in zip((out.rewards, out.terminations, out.truncations), kept, strict=True):
                array[ended] = values
            self._write_views(again)

    def _write_views(self, ops: NDArray[np.int8]) -> None:
        if self._views:
            self._view_memory[ops > ACT, :, 0] = -1
            self.backend.write_views(self.arrays, ops, self._view_memory)

    def _run_all(self, ops: NDArray[np.int8], actions: NDArray[np.int64], same_step: bool) -> None:
        """Run the backend, in `threads` threads."""
        out, backend = self.arrays, self.backend
        if self.threads == 1 or backend.serial:
            backend.run(out, ops, actions, same_step, 0, self.num_envs)
        else:
            self._spread(lambda start, stop: backend.run(out, ops, actions, same_step, start, stop))

    def _spread(self, work: Callable[[int, int], None]) -> None:
        """Call `work` for slices of the environments, one per thread."""
        if self._pool is None or self._pool_owner != os.getpid():
            # Threads do not survive a fork: a child makes its own.
            self._pool = ThreadPoolExecutor(self.threads, thread_name_prefix="hawaii_env")
            self._pool_owner = os.getpid()
        for done in [self._pool.submit(work, *edges) for edges in slices(self.num_envs, self.threads)]:
            done.result()

    def sample(self, out: NDArray[np.int64]) -> None:
        """Write a random legal action of each environment into `out`, int64[N]; 0 if the game is over."""
        self.backend.sample(self.arrays, out, 0, self.num_envs)

    # Games

    def begin(
        self,
        indices: Sequence[int],
        seeds: Sequence[int | None],
        states: Sequence[State | None] | None = None,
        dice: Sequence[int | None] | None = None,
    ) -> None:
        """Begin games in some environments and write their arrays. The first call must include all environments.

        Args:
            indices: the environments.
            seeds: one for each of N environments; None: it continues with its own generators.
            states: positions to start from, one for each of N environments or None; see `check_state`.
            dice: seeds of those positions, one for each of N environments; None: its own generator continues.

        Raises:
            OptionError: a first call without all environments, or a position whose game ends before anybody has a
                choice.
            ClosedError: the batch is closed.
        """
        self.check_ready(started=False)
        if not self.started and len(indices) < self.num_envs:
            raise OptionError("the first reset() is of all environments")
        given = [i for i in indices if seeds[i] is not None]
        self.backend.seed(given, [cast(int, seeds[i]) for i in given])
        ops = np.zeros(self.num_envs, np.int8)
        ops[list(indices)] = RESET
        placed = [i for i in indices if states is not None and states[i] is not None]
        if states is not None and placed:
            checked: set[int] = set()
            seeded = [None] * self.num_envs if dice is None else dice
            starts = [self._start(i, cast(State, states[i]), seeded[i], checked) for i in placed]
            self.backend.put(placed, *zip(*starts, strict=True))
            ops[placed] = LOAD
        self._run(ops, self._nothing, False)
        self.started = True

    def _start(self, env_index: int, state: State, seed: int | None, checked: set[int]) -> tuple[State, int | None]:
        """Return a sampled start state and the seed of its generator; None if it has its own. `checked` has the ids of
        states that many environments begin at.
        """
        if id(state) in checked:
            return state, seed
        if state.chance == "explicit":
            state, seed = state.clone(seed=int(self.seeder.integers(2**63)) if seed is None else seed), None
        else:
            checked.add(id(state))
        if state.is_terminal:
            raise OptionError(f"environment {env_index}: the game was over before anybody had a choice")
        return state, seed

    def set_viewer(self, env_index: int, viewer: int, auto: bool) -> None:
        """Set the viewer of the last positions of an environment's games.

        Args:
            env_index: index of the environment.
            viewer: a player's index.
            auto: True: inside the step, all other players choose at random with the environment's own generator.
        """
        self.arrays.viewers[env_index] = viewer
        self.arrays.auto[env_index] = auto

    def clear(self, indices: Sequence[int]) -> None:
        """Clear the last step's rewards and end flags in some environments."""
        listed = list(indices)
        self.arrays.terminations[listed] = self.arrays.truncations[listed] = False
        self.arrays.rewards[listed] = 0.0

    def reason(self, env_index: int) -> str:
        """Return why the last game of an environment ended, with its section of the rulebook; empty before that."""
        i = self.check_index(env_index)
        text = self.backend.reason_texts[int(self.arrays.episode_reasons[i])]
        return text.format(self.arrays.limits[i]) if text == TRUNCATED else text

    def get_state(self, env_index: int) -> State:
        """Return a copy of an environment's position, with its generator.

        Raises:
            OptionError: no such environment.
        """
        self.check_ready()
        return self.backend.get(self.check_index(env_index))

    # Checks

    def check_ready(self, started: bool = True) -> None:
        """Check that the batch is open, and with `started` that it has been reset.

        Raises:
            ClosedError: after `close`.
            OrderError: before the first reset.
        """
        if self._closed:
            raise ClosedError("the batch is closed")
        if started and not self.started:
            raise OrderError("reset() needs to be called first")

    def check_index(self, env_index: object) -> int:
        """Return the index of an environment.

        Raises:
            OptionError: no such environment.
        """
        index = whole(env_index)
        if index is None or not 0 <= index < self.num_envs:
            raise OptionError(f"env_index: expected an integer from 0 to {self.num_envs - 1}, not {env_index!r}")
        return index

    def check_state(self, env_index: int, state: object) -> State:
        """Return `state`, a valid start position for an environment.

        Raises:
            OptionError: no State, a position of another game, or one of a game that is over.
        """
        game = self.backend.game(env_index)
        if self._rules is not None and isinstance(state, State):
            game = next((one for one in self.kinds if one == state.game), game)
        return check_position(f"environment {env_index}", state, game)

    # The end

    @property
    def closed(self) -> bool:
        """True after close()."""
        return self._closed

    def close(self) -> None:
        """Stop the threads. May be called repeatedly; any other call raises ClosedError."""
        self._closed = True
        if self._pool is not None and self._pool_owner == os.getpid():
            self._pool.shutdown()
        self._pool = None

    def __getstate__(self) -> dict[str, Any]:
        _ = self.seeder  # a generator is made now, so that a copy continues as the original
        fix_generators(self.observation_space, self.action_space)
        return {**self.__dict__, "_pool": None}


def commands_of(active: object, num_envs: int) -> NDArray[np.int8]:
    """Return ACT for the environments to step, and SKIP for the others, int8[N].

    Raises:
        OptionError: `active` is not bool[N].
    """
    if not isinstance(active, np.ndarray) or active.dtype != np.bool_ or active.shape != (num_envs,):
        raise OptionError(f"active: expected bool[{num_envs}], not {show_array(active)}")
    return np.where(active, ACT, SKIP).astype(np.int8)


def seeds_of(seed: object, num_envs: int) -> list[int | None] | None:
    """Return one seed per environment, seed + i for a number; None if it is not given.

    Raises:
        OptionError: neither a number of 0 or more nor a sequence of `num_envs` of them (or None).
    """
    if seed is None:
        return None
    if isinstance(seed, (list, tuple)) or (isinstance(seed, np.ndarray) and seed.ndim):
        if isinstance(seed, np.ndarray) and seed.ndim != 1:
            raise OptionError(f"seed: expected {count(num_envs, 'seed')}, not an array of shape {seed.shape}")
        if len(seed) != num_envs:
            raise OptionError(f"seed: expected {count(num_envs, 'seed')}, not {len(seed)}")
        return [None if one is None else check_seed(one) for one in seed]
    first = check_seed(seed)
    return [first + i for i in range(num_envs)]


def make_backend(games: Sequence[Game], at_once: bool = False, draws: Draws | None = None) -> BatchBackend:
    """Return the backend of these games: compiled if all share their code, otherwise Python.

    Args:
        games: one for each environment.
        draws: see `hawaii_env.core.batch.BatchBackend.set_draws`.
        at_once: True: the games may begin before they are compiled, if the backend supports it (`begins_at_once`).
    """
    backends = {backend() if (backend := getattr(game, "batch_backend", None)) else None for game in set(games)}
    backend = backends.pop() if len(backends) == 1 else None
    if backend is None:
        return PythonBatch(games, draws)
    return backend(games, at_once=at_once and getattr(backend, "begins_at_once", False), draws=draws)
