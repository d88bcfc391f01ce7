"""Many games at once: N lanes, stepped in one call.

```python
import hawaii_env

batch = hawaii_env.make_batch("hawaii1795", 1024, scenario=["long", "short"])   # lanes take turns with the scenarios
observations, info = batch.reset(seed=0)                     # lane i is the game of seed 0 + i
while True:
    actions = batch.sample_actions()                         # or a policy of (observations, batch.masks)
    observations, rewards, terminations, truncations, info = batch.step(actions)
```

A lane is one game after another. Lane i plays exactly as `hawaii_env.env.aec.GameEnv` with the seed of that lane, step
by step, whatever the number of lanes and threads: the first game is that of seed + i, each later one goes on as its
`reset()` without seed.

The module knows no game: what steps the lanes is `hawaii_env.core.batch`'s to say.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from hawaii_env._arguments import check_options
from hawaii_env.core.batch import (
    ACT,
    LOOK,
    LOSE,
    MAX_EMPTY,
    RESET,
    SKIP,
    TRUNCATED,
    Arrays,
    BatchBackend,
    check_actions,
    slices,
)
from hawaii_env.core.rng import policy_words
from hawaii_env.env.python_batch import GamesLike, PythonBatch, games_of, make_lanes
from hawaii_env.errors import ClosedError, GameOverError, HawaiiError, IllegalActionError, OptionError
from hawaii_env.game import SIMULTANEOUS, Game, State, check_seed, difference

__all__ = [
    "ACT",
    "LOOK",
    "LOSE",
    "MAX_EMPTY",
    "RESET",
    "SKIP",
    "Arrays",
    "BatchBackend",
    "BatchEnv",
    "GamesLike",
    "PythonBatch",
    "check_actions",
    "games_of",
    "make_batch",
    "make_lanes",
    "policy_words",
    "settle_generators",
]  # fmt: skip


def reset_mask_of(options: Mapping[str, Any], num_envs: int) -> NDArray[np.bool_] | None:
    """Return ``options["reset_mask"]``, bool[num_envs] with a True in it, or None where there is none.

    Raises:
        OptionError: it is something else.
    """
    mask = options.get("reset_mask")
    if mask is None:
        return None
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (num_envs,):
        raise OptionError(f'options["reset_mask"]: bool[{num_envs}] is wanted, not {_described(mask)}')
    if not mask.any():
        raise OptionError('options["reset_mask"]: at least one True is wanted')
    return mask


def _described(value: object) -> str:
    return f"{value.dtype}{list(value.shape)}" if isinstance(value, np.ndarray) else repr(value)


def seeds_of(seed: object, num_envs: int) -> list[int | None] | None:
    """Return one seed a lane, seed + i for a number; None where there is none.

    Raises:
        OptionError: no number of 0 or more, and no sequence of `num_envs` of them (or None).
    """
    if seed is None:
        return None
    if isinstance(seed, (list, tuple, np.ndarray)):
        if isinstance(seed, np.ndarray) and seed.ndim != 1:
            raise OptionError(f"seed: {num_envs} seeds are wanted, one a lane, not an array of shape {seed.shape}")
        if len(seed) != num_envs:
            raise OptionError(f"seed: {num_envs} seeds are wanted, one a lane, not {len(seed)}")
        return [None if one is None else check_seed(one) for one in seed]
    first = check_seed(seed)
    return [first + lane for lane in range(num_envs)]


class BatchEnv:
    """N games stepped in one call. Every player is the caller's: `to_play` says whose turn it is in each lane.

    All arrays are made once and overwritten by `step` and `reset`, unless `copy`: then these return fresh copies. Treat
    the batch's own arrays as read-only.

    Args:
        games: one for each of N lanes.
        autoreset_mode: of `gymnasium.vector.AutoresetMode`, or its text. ``"SameStep"`` (the default here): a game that
            ends is followed by the next in the same step, so that every row always asks for a decision; the last
            position stands in ``info["final_obs"]``. ``"NextStep"`` (Gymnasium's default): the row shows the last
            position, and the next step, whose action is ignored, begins another game. ``"Disabled"``: the caller
            resets, with ``options={"reset_mask": ...}``.
        threads: number of threads that lanes are divided among.
        copy: True returns fresh arrays from `reset` and `step`.
        raw: True: observations are the unscaled int8 values.
        max_decisions: decisions after which a game is truncated; None is each game's own limit.
        at_once: True: a batch of one lane does not wait for a compiler; see `make_lanes`.

    Attributes:
        num_envs: N.
        games: the game of each lane.
        observations: float32[N, O], or int8[N, O] when raw, as the player to act sees the position.
        masks: int8[N, A].
        to_play: int64[N], who is to act; -4 where the game is over (never in the mode SameStep).
        num_players: P, the most that a lane's game has; others may have fewer, as scenarios do, and the seats that they
            do not have get 0.
        rewards: float32[N, P], of the last step, for all players.
        terminations: bool[N].
        truncations: bool[N].
        lengths: int64[N], decisions of the game that is going on.
        episode_lengths: int64[N]; episode_returns: float32[N, P]; episode_winners: int64[N]: of the last game that
            ended in a lane; winner -1 is nobody.
        observation_space, action_space, single_observation_space, single_action_space: as in Gymnasium's vector
        environments.

    Raises:
        OptionError: N is 0 or less, an unknown mode, games whose spaces differ, or an option that is none.
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
        at_once: bool = False,
    ) -> None:
        self._closed = True  # until everything is made
        self.games: list[Game] = list(games)
        self.num_envs: int = len(self.games)
        self.autoreset_mode: AutoresetMode = mode_of(autoreset_mode)
        self.metadata: dict[str, AutoresetMode] = {"autoreset_mode": self.autoreset_mode}
        self.threads: int = _positive("threads", threads)
        self.copy: bool = bool(copy)
        self.raw: bool = bool(raw)
        limit = None if max_decisions is None else _positive("max_decisions", max_decisions)
        game = self.games[0]
        self.num_players: int = max(one.num_players for one in self.games)
        self.num_actions: int = game.num_actions
        same_step = self.autoreset_mode is AutoresetMode.SAME_STEP
        alone = at_once and self.num_envs == 1
        self.lanes: BatchBackend = make_lanes(self.games, at_once=True) if alone else make_lanes(self.games)
        out = Arrays.make(self.games, raw=self.raw, limit=limit, final=same_step)
        self.arrays: Arrays = out
        self.observations: NDArray[Any] = out.observations
        self.masks: NDArray[np.int8] = out.masks
        self.to_play: NDArray[np.int64] = out.to_play
        self.rewards: NDArray[np.float32] = out.rewards
        self.terminations: NDArray[np.bool_] = out.terminations
        self.truncations: NDArray[np.bool_] = out.truncations
        self.lengths: NDArray[np.int64] = out.lengths
        self.episode_lengths: NDArray[np.int64] = out.episode_lengths
        self.episode_returns: NDArray[np.float32] = out.episode_returns
        self.episode_winners: NDArray[np.int64] = out.episode_winners
        self.single_observation_space: spaces.Box[Any] = observation_space_of(self.games, self.raw)
        self.single_action_space: spaces.Discrete[np.int64] = spaces.Discrete(game.num_actions)
        self.observation_space: spaces.Space[Any] = batch_space(self.single_observation_space, self.num_envs)
        self.action_space: spaces.Space[Any] = batch_space(self.single_action_space, self.num_envs)
        self._ops = np.full(self.num_envs, ACT, np.int8)
        self._sampled = np.zeros(self.num_envs, np.int64)
        self._nothing = np.zeros(self.num_envs, np.int64)
        self._seeder: np.random.Generator | None = None
        self._started = False
        self._pool: ThreadPoolExecutor | None = None
        self._pool_owner = 0
        self._closed = False

    def seed_seeder(self, seed: int) -> None:
        """Settle what `seeder` draws from here on."""
        self._seeder = np.random.default_rng(seed)

    @property
    def seeder(self) -> np.random.Generator:
        """The generator of seeds that are not given: of the last seed, else of the operating system."""
        if self._seeder is None:
            # Not before it is needed: processes forked from one that made the batch play games of their own.
            self._seeder = np.random.default_rng()
        return self._seeder

    # Running lanes

    def check_ready(self, started: bool = True) -> None:
        """Raise ClosedError after `close`, and OrderError before the first reset where that must have been
        (`started`).
        """
        if self._closed:
            raise ClosedError("the batch is closed")
        if started and not self._started:
            from hawaii_env.env.aec import OrderError

            raise OrderError("reset() needs to be called first")

    def _spread(self, work: Callable[[int, int], None]) -> None:
        """Call `work` for slices of the lanes, in as many threads as asked for."""
        if self._pool is None or self._pool_owner != os.getpid():
            # Threads do not survive a fork: a child makes its own.
            self._pool = ThreadPoolExecutor(self.threads, thread_name_prefix="hawaii_env")
            self._pool_owner = os.getpid()
        edges = slices(self.num_envs, self.threads)
        for done in [self._pool.submit(work, start, stop) for start, stop in edges]:
            done.result()

    def run(
        self, ops: NDArray[np.int8], actions: NDArray[np.int64], same_step: bool = False, lose: bool = False
    ) -> list[int]:
        """Do what `ops` says (SKIP, ACT, RESET, LOOK, LOSE), int8[N]; see `BatchBackend.run`.

        For adapters that step some lanes and not others, as where opponents answer.

        Args:
            ops: int8[N].
            actions: int64[N], of the lanes that ACT.
            same_step: begin the next game in the step that ends one.
            lose: True: whoever chose an action of the table that is not legal loses by it; `ops` is changed to LOSE
                there.

        Returns:
            The lanes that are lost so.

        Raises:
            IllegalActionError: an action that is not legal; the message names lane, action and phase. No lane has
                moved.
        """
        self._check_orders(ops, actions)
        lost: list[int] = []
        while (lane := self.lanes.illegal(ops, actions)) >= 0:
            if not lose or not 0 <= actions[lane] < self.num_actions:
                raise self.refusal(lane, int(actions[lane]))
            ops[lane] = LOSE
            lost.append(lane)
        self._run(ops, actions, same_step)
        return lost

    def _run(self, ops: NDArray[np.int8], actions: NDArray[np.int64], same_step: bool) -> None:
        """Run the lanes, in threads where asked for."""
        out, lanes = self.arrays, self.lanes
        if self.threads == 1 or lanes.serial:
            lanes.run(out, ops, actions, same_step, 0, self.num_envs)
        else:
            self._spread(lambda start, stop: lanes.run(out, ops, actions, same_step, start, stop))

    def _check_orders(self, ops: object, actions: object) -> None:
        """Compiled code trusts in shapes and types."""
        for name, array, kind in (("ops", ops, np.int8), ("actions", actions, np.int64)):
            if not isinstance(array, np.ndarray) or array.dtype != kind or array.shape != (self.num_envs,):
                raise OptionError(f"{name}: {np.dtype(kind)}[{self.num_envs}] is wanted, not {_described(array)}")

    # Gymnasium's calls

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Begin a game in each lane.

        Args:
            seed: lane i gets seed + i, as if it were the only one; or one seed a lane. Without it the first games are
                seeded by the operating system, and later ones go on with the generators of those before.
            options: ``"reset_mask"``: bool[N], the lanes to reset; the others stay as they are. ``"state"``: a State to
                start from in all these lanes, with dice of the lane's seed; without a seed a state that has a generator
                goes on alike in all of them. Other keys mean nothing here.

        Returns:
            Observations and info: ``"action_mask"`` and ``"to_play"``.

        Raises:
            OptionError: a seed or option that is none; nothing has changed.
            ClosedError: the batch is closed.
        """
        self.check_ready(started=False)
        options = check_options(options, "reset_mask", "state")
        chosen = reset_mask_of(options, self.num_envs)
        if chosen is not None and not self._started:
            raise OptionError('options["reset_mask"]: the first reset() is of all lanes')
        seeds = seeds_of(seed, self.num_envs)
        start = options.get("state")
        lanes = list(range(self.num_envs)) if chosen is None else np.flatnonzero(chosen).tolist()
        if start is not None:
            for lane in lanes:
                self.check_state(lane, start)
        if seeds is not None and seeds[0] is not None:
            self.seed_seeder(seeds[0])
        asked: list[int | None] = [None] * self.num_envs if seeds is None else seeds
        used = asked
        if not self._started:
            first = int(self.seeder.integers(2**62))
            used = [first + lane if one is None else one for lane, one in enumerate(asked)]
        given = [lane for lane in lanes if used[lane] is not None]
        self.lanes.seed(given, [cast(int, used[lane]) for lane in given])
        ops = np.zeros(self.num_envs, np.int8)
        ops[lanes] = RESET
        if start is not None:
            for lane in lanes:
                self._put(lane, start, asked[lane])
            ops[lanes] = LOOK
        self.run(ops, self._nothing)
        self._started = True
        return self._out(self.observations), self._info()

    def step(
        self, actions: Any
    ) -> tuple[NDArray[Any], NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Take one decision in each lane, by the player to act there.

        Args:
            actions: integers of shape (N,). In the mode NextStep the action of a lane whose game is over is ignored.

        Returns:
            Observations, rewards, terminations, truncations and info. Info has ``"action_mask"`` and ``"to_play"``.
            Where games ended in this step it also has ``"episode"``, a dict of arrays over the lanes ("r" float32[N,
            P], "l" int64[N], "winner" int64[N], "reason" object[N]) with the lanes that it is about in ``"_episode"``,
            bool[N]; and in the mode SameStep ``"final_obs"``, object[N] with an observation in those lanes and None in
            the others, ``"final_info"`` with that ``"episode"``, and ``"_final_obs"`` and ``"_final_info"``, bool[N].

        Raises:
            IllegalActionError: a wrong shape or type, or an action that is not legal; the message names lane, action
                and phase. No lane has moved.
            GameOverError: mode Disabled: a lane's game is over.
            OrderError: before reset().
            ClosedError: the batch is closed.
        """
        self.check_ready()
        chosen = check_actions(actions, self.num_envs, self.num_actions)
        ops, same_step = self._ops, self.autoreset_mode is AutoresetMode.SAME_STEP
        if not same_step:
            over = self.arrays.over
            if over.any():
                if self.autoreset_mode is AutoresetMode.DISABLED:
                    lanes = np.flatnonzero(over).tolist()
                    raise GameOverError(
                        f"the games of lanes {lanes} are over: reset(options={{'reset_mask': ...}}) begins others"
                    )
                ops = np.where(over, RESET, ACT).astype(np.int8)
        self.run(ops, chosen, same_step)
        return (
            self._out(self.observations),
            self._out(self.rewards),
            self._out(self.terminations),
            self._out(self.truncations),
            self._info(),
        )

    def check(self, ops: NDArray[np.int8], actions: NDArray[np.int64]) -> None:
        """Raise IllegalActionError when a lane that is to ACT has an action that is not legal; name lane, action and
        phase.
        """
        self._check_orders(ops, actions)
        lane = self.lanes.illegal(ops, actions)
        if lane >= 0:
            raise self.refusal(lane, int(actions[lane]))

    def refusal(self, lane: int, action: int) -> HawaiiError:
        """Return the error for an action that is not legal in a lane."""
        state = self.lanes.get(self.check_lane(lane))
        refused: HawaiiError = IllegalActionError(f"action {action} is not legal in phase {state.phase}")
        try:
            if state.current_player == SIMULTANEOUS:
                text = f"{self.games[lane].action_text(action)!r} (action {action})"
                player = self.games[lane].agents[int(self.to_play[lane])]
                refused = IllegalActionError(f"{text} is not legal for {player} in phase {state.phase}")
            else:
                state.apply(action)
        except HawaiiError as error:
            refused = error
        told = type(refused)(f"lane {lane}: {refused}")
        if isinstance(told, IllegalActionError):
            told.lane = lane
        return told

    def _out(self, array: NDArray[Any]) -> NDArray[Any]:
        return array.copy() if self.copy else array

    def _info(self) -> dict[str, Any]:
        info: dict[str, Any] = {"action_mask": self._out(self.masks), "to_play": self._out(self.to_play)}
        ended = self.terminations | self.truncations
        if ended.any():
            lanes = np.flatnonzero(ended).tolist()
            info["episode"] = self._episodes(ended, lanes)
            info["_episode"] = ended
            if self.autoreset_mode is AutoresetMode.SAME_STEP:
                final = np.full(self.num_envs, None, object)
                for lane in lanes:
                    final[lane] = self.arrays.final_observations[lane].copy()
                info["final_obs"] = final
                info["_final_obs"] = ended.copy()
                again = {name: values.copy() for name, values in info["episode"].items()}
                info["final_info"] = {"episode": again, "_episode": ended.copy()}
                info["_final_info"] = ended.copy()
        return info

    def _episodes(self, ended: NDArray[np.bool_], lanes: list[int]) -> dict[str, Any]:
        """Statistics of the games that have ended in these lanes; zeros, -1 and None in the others."""
        out = self.arrays
        reasons = np.full(self.num_envs, None, object)
        for lane, code in zip(lanes, out.episode_reasons[lanes].tolist(), strict=True):
            reasons[lane] = self._reason_text(code, lane)
        return {
            "r": np.where(ended[:, None], out.episode_returns, np.float32(0)),
            "l": np.where(ended, out.episode_lengths, 0),
            "winner": np.where(ended, out.episode_winners, -1),
            "reason": reasons,
        }

    def reason(self, lane: int) -> str:
        """Return why the last game of a lane ended, with its section of the rulebook; empty before the first."""
        return self._reason_text(int(self.arrays.episode_reasons[self.check_lane(lane)]), lane)

    def _reason_text(self, code: int, lane: int) -> str:
        text = self.lanes.reason_texts[code]
        return text.format(self.arrays.limits[lane]) if text == TRUNCATED else text

    # Masks, random players, positions

    def action_masks(self) -> NDArray[np.int8]:
        """Return the masks, int8[N, A]: the batch's own array, or a copy with `copy`."""
        self.check_ready()
        return self._out(self.masks)

    def legal_lists(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the legal actions as lists, for policies that look up what is legal and nothing else.

        Returns:
            counts, int64[N]: how many each lane has, 0 where the game is over; and actions, int64[sum of counts]: lane
            after lane, ascending in each. Those of lane i begin at ``(cumsum(counts) - counts)[i]``. Fresh arrays.
        """
        self.check_ready()
        return self.lanes.legal(self.arrays)

    def sample_actions(self, out: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """Return a random legal action of each lane, int64[N]; 0 where the game is over.

        Each lane has a generator of its own for it, set by its seed, apart from dice and decks; so the games that
        random players play do not depend on the number of lanes and threads.

        Args:
            out: int64[N] to write into; None is an array of the batch's own, overwritten by the next call.
        """
        self.check_ready()
        if out is None:
            out = np.empty(self.num_envs, np.int64) if self.copy else self._sampled
        elif not isinstance(out, np.ndarray):
            raise OptionError(f"out: int64[{self.num_envs}] is wanted, not {out!r}")
        elif out.shape != (self.num_envs,) or out.dtype != np.int64 or not out.flags.c_contiguous:
            raise OptionError(f"out: int64[{self.num_envs}] is wanted, not {out.dtype}{list(out.shape)}")
        self.lanes.sample(self.arrays, out, 0, self.num_envs)
        return out

    @property
    def started(self) -> bool:
        """True after the first reset."""
        return self._started

    def begin(
        self,
        lanes: Sequence[int],
        seeds: Sequence[int | None],
        states: Sequence[State | None] | None = None,
        dice: Sequence[int | None] | None = None,
    ) -> None:
        """Begin games in some lanes, as `reset` does in those of a mask, and write what is to be seen there.

        For adapters that keep books of their own. The first call is of all lanes.

        Args:
            lanes: which.
            seeds: one for each of N lanes; None: the lane goes on with its own generators.
            states: positions to start from, one for each of N lanes, None where there is none; see `check_state`.
            dice: seeds of those positions, one for each of N lanes; None, all or one: its own generator goes on.

        Raises:
            OptionError: some lanes before all, or a position of a game that is over.
            ClosedError: the batch is closed.
        """
        self.check_ready(started=False)
        if not self._started and len(lanes) < self.num_envs:
            raise OptionError("the first reset() is of all lanes")
        given = [lane for lane in lanes if seeds[lane] is not None]
        self.lanes.seed(given, [cast(int, seeds[lane]) for lane in given])
        ops = np.zeros(self.num_envs, np.int8)
        ops[list(lanes)] = RESET
        for lane in lanes:
            if states is not None and (state := states[lane]) is not None:
                self._put(lane, state, None if dice is None else dice[lane])
                ops[lane] = LOOK
        self._run(ops, self._nothing, False)
        self._started = True

    def seat(self, lane: int, viewer: int, auto: bool) -> None:
        """Settle who looks at a lane's games, and whether all others are played at random in the engine, without being
        asked.
        """
        self.arrays.viewers[lane] = viewer
        self.arrays.auto[lane] = auto

    @property
    def over(self) -> NDArray[np.bool_]:
        """bool[N], the game is over and waits for a reset: the batch's own array."""
        return self.arrays.over

    def settle(self, lanes: Sequence[int]) -> None:
        """Forget rewards and ends of the last step in these lanes: what was before an adapter's step began."""
        listed = list(lanes)
        self.arrays.terminations[listed] = self.arrays.truncations[listed] = False
        self.arrays.rewards[listed] = 0.0

    def check_lane(self, lane: object) -> int:
        """Return the index of a lane; raise OptionError where there is no such lane."""
        if (
            isinstance(lane, (bool, np.bool_))
            or not isinstance(lane, (int, np.integer))
            or not 0 <= lane < self.num_envs
        ):
            raise OptionError(f"lane: an integer from 0 to {self.num_envs - 1}, not {lane!r}")
        return int(lane)

    def get_state(self, lane: int) -> State:
        """Return a copy of a lane's position, with its generator: it goes on as the lane would.

        Raises:
            OptionError: there is no such lane.
        """
        self.check_ready()
        return self.lanes.get(self.check_lane(lane))

    def set_state(self, lane: int, state: State, seed: int | None = None) -> None:
        """Begin a game in one lane from a position, and write what is to be seen there. The other lanes stay as they
        are.

        Args:
            lane: index of the lane.
            state: a position of the lane's game; it is copied. One without a generator gets one.
            seed: seed of its generators from here on; None keeps those of the state.

        Raises:
            OptionError: no such lane, no state, a position of another game, or one of a game that is over.
        """
        self.check_ready()
        lane = self.check_lane(lane)
        self.check_state(lane, state)
        seed = None if seed is None else check_seed(seed)
        if seed is not None:
            self.lanes.seed([lane], [seed])
        self._put(lane, state, seed)
        ops = np.zeros(self.num_envs, np.int8)
        ops[lane] = LOOK
        self.arrays.terminations[lane] = self.arrays.truncations[lane] = False
        self.run(ops, self._nothing)

    def check_state(self, lane: int, state: object) -> None:
        """Raise OptionError for what is no position that a lane's game can begin from."""
        if not isinstance(state, State):
            raise OptionError(f"lane {lane}: a State is wanted, not {state!r}")
        if other := difference(state.game, self.games[lane]):
            raise OptionError(f"lane {lane}: the state is a position of {other}")
        if state.is_terminal:
            raise OptionError(f"lane {lane}: the state is the position of a game that is over")

    def _put(self, lane: int, state: State, seed: int | None) -> None:
        if seed is None and state.chance == "explicit":
            seed = int(self.seeder.integers(2**63))
        copy = state.clone(seed=seed)
        if copy.is_terminal:
            raise OptionError(f"lane {lane}: the game was over before anybody had a choice")
        self.lanes.put(lane, copy)

    # The end

    @property
    def closed(self) -> bool:
        """True after close()."""
        return self._closed

    def close(self) -> None:
        """Stop the threads. Whatever is called after it raises ClosedError, close() excepted."""
        self._closed = True
        if self._pool is not None and self._pool_owner == os.getpid():
            self._pool.shutdown()
        self._pool = None

    def __enter__(self) -> BatchEnv:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __getstate__(self) -> dict[str, Any]:
        # What has no generator yet gets it now, so that a copy goes on as the original.
        _ = self.seeder
        settle_generators(
            self.single_observation_space, self.single_action_space, self.observation_space, self.action_space
        )
        return {**self.__dict__, "_pool": None}

    def __len__(self) -> int:
        return self.num_envs

    def __repr__(self) -> str:
        names = {game.name for game in self.games}
        return f"<BatchEnv: {self.num_envs} lanes of {', '.join(sorted(names))}{', closed' if self._closed else ''}>"


def settle_generators(*found: spaces.Space[Any]) -> None:
    """Give spaces that have not drawn yet their generators now: Gymnasium's make them when they draw first, each copy
    its own.
    """
    for space in found:
        parts = getattr(space, "spaces", None)
        if parts is None:
            _ = space.np_random
        else:
            # Those of a Dict or Tuple draw; to ask itself for a generator would seed them anew.
            settle_generators(*(parts.values() if isinstance(parts, Mapping) else parts))


def _positive(name: str, value: object) -> int:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)) or value < 1:
        raise OptionError(f"{name}: an integer of 1 or more, not {value!r}")
    return int(value)


def mode_of(mode: object) -> AutoresetMode:
    """Return the mode that is meant: one of `AutoresetMode`, or its value or name as text."""
    for known in AutoresetMode:
        if mode is known or (isinstance(mode, str) and mode in (known.value, known.name)):
            return known
    allowed = ", ".join(repr(known.value) for known in AutoresetMode)
    raise OptionError(f"autoreset_mode is one of {allowed}, not {mode!r}")


def observation_space_of(games: Sequence[Game], raw: bool = False) -> spaces.Box:
    """Return the space of one observation that holds those of all these games."""
    distinct = list({id(game): game for game in games}.values())
    low = np.min([game.observation_low for game in distinct], axis=0)
    high = np.max([game.observation_high for game in distinct], axis=0)
    if raw:
        return spaces.Box(games[0].raw_low, games[0].raw_high, dtype=games[0].raw_dtype.type)
    return spaces.Box(low.astype(np.float32), high.astype(np.float32), dtype=np.float32)


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
    **options: Any,
) -> BatchEnv:
    """Return a batch: many games that one call steps, with all their players.

    >>> import hawaii_env
    >>> batch = hawaii_env.make_batch("hawaii1795", 4, scenario=["long", "short"])
    >>> [game.scenario for game in batch.games]
    ['long', 'short', 'long', 'short']

    Args:
        games: the name of a game; a `Game`; or a sequence of `Game`, which the environments take in turn.
        num_envs: number of environments, N.
        autoreset_mode, threads, copy, raw, max_decisions: see `BatchEnv`.
        options: the game's options, with its name. A list is one value after the other, which the environments take in
            turn.

    Raises:
        OptionError: an unknown game, option or mode, a value that the game refuses, N below 1, or games of different
            spaces.
    """
    return BatchEnv(
        games_of(games, num_envs, **options), autoreset_mode=autoreset_mode, threads=threads, copy=copy, raw=raw,
        max_decisions=max_decisions,
    )  # fmt: skip
