"""Playouts from a position, many at a time, for search.

```python
from hawaii_env.rollouts import action_values, playouts, step_many

result = playouts(state, 1000, seed=7)            # random players, in compiled code where the game has such
result.mean, result.standard_error                # float64[P] each
values = action_values(state, 200, seed=7)        # the same for each legal action
values.best(state.current_player)
```

Playout k of a seed continues as ``state.clone(seed=result.seeds[k])``: with its own dice, whether or not the state has
a generator, so future dice stay hidden. The same seed gives the same playouts for any number of threads, and a larger
number of playouts begins with the same ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from hawaii_env import agents
from hawaii_env._arguments import check_count, check_list
from hawaii_env.agents import Agent, BaseAgent
from hawaii_env.core.batch import ACT, LOAD, SKIP, Arrays, BatchBackend, check_actions, slices
from hawaii_env.env.runner import make_backend
from hawaii_env.errors import GameOverError, IllegalActionError, OptionError
from hawaii_env.game import CHANCE, SIMULTANEOUS, State, check_action, check_seed
from hawaii_env.texts import show_value

__all__ = ["ActionValues", "Playouts", "Policy", "Successors", "action_values", "playouts", "step_many"]

Policy: TypeAlias = "str | Agent | Callable[[NDArray[np.float32], NDArray[np.int8]], Any]"

CHUNK = 1024
MOST = 2**27  # playouts at once: some 4 GB
MOST_THREADS = 1024
"""Playouts of a policy that run in one batch: as many as fit in a processor's cache."""


@dataclass(frozen=True, slots=True)
class Playouts:
    """Results of playouts. K playouts, P players.

    Attributes:
        returns: float32[K, P], each player's result; zeros if the limit stopped a playout.
        lengths: int64[K], decisions.
        finished: bool[K], False if stopped by the limit.
        seeds: uint64[K], the seed of each.
    """

    returns: NDArray[np.float32]
    lengths: NDArray[np.int64]
    finished: NDArray[np.bool_]
    seeds: NDArray[np.uint64]

    @property
    def mean(self) -> NDArray[np.float64]:
        """The estimate of each player's value, float64[P]."""
        return self.returns.mean(axis=0, dtype=np.float64)

    @property
    def standard_error(self) -> NDArray[np.float64]:
        """The standard error of `mean`, float64[P]; infinite for a single playout."""
        return _standard_error(self.returns)

    def __len__(self) -> int:
        return len(self.lengths)


@dataclass(frozen=True, slots=True)
class ActionValues:
    """Value estimates of A legal actions, from K playouts each.

    Attributes:
        actions: int64[A], ascending.
        mean: float64[A, P], each player's value after the action.
        standard_error: float64[A, P]; infinite for a single playout.
        returns: float32[A, K, P]. Playout k of every action has the same seed, so that differences between actions have
            less noise than either.
    """

    actions: NDArray[np.int64]
    mean: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    returns: NDArray[np.float32]

    def best(self, player: int) -> int:
        """Return the action of the highest mean for a player; the first of equals."""
        return int(self.actions[int(self.mean[:, player].argmax())])


@dataclass(frozen=True, slots=True)
class Successors:
    """Copies of a position, each after one action. K of them; arrays as in `hawaii_env.core.batch.Arrays`.

    Attributes:
        states: the positions, in the sampled mode.
        observations: float32[K, O].
        masks: int8[K, A].
        to_play: int64[K]; -4 if the game is over.
        rewards: float32[K, P].
        terminations: bool[K].
    """

    states: list[State]
    observations: NDArray[np.float32]
    masks: NDArray[np.int8]
    to_play: NDArray[np.int64]
    rewards: NDArray[np.float32]
    terminations: NDArray[np.bool_]


def _standard_error(returns: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return standard errors along the last axis but one."""
    n = returns.shape[-2]
    if n < 2:
        return np.full((*returns.shape[:-2], returns.shape[-1]), np.inf)
    return returns.std(axis=-2, ddof=1, dtype=np.float64) / np.sqrt(n)


def _count(name: str, value: object, most: int = 2**31 - 1) -> int:
    return check_count(name, value, 1, most)


def _seeds(seed: int | None, n: int) -> NDArray[np.uint64]:
    sequence = np.random.SeedSequence(None if seed is None else check_seed(seed))
    return cast("NDArray[np.uint64]", sequence.generate_state(n, np.uint64))


def _check_open(state: object) -> State:
    if not isinstance(state, State):
        raise OptionError(f"state: expected a State, not {show_value(state)}")
    if state.is_terminal:
        raise GameOverError("the game is over: there is nothing to play out")
    return state


def playouts(
    state: State,
    n: int,
    seed: int | None = None,
    policy: Policy | Sequence[Policy] = "random",
    limit: int | None = None,
    threads: int = 1,
) -> Playouts:
    """Play a position out `n` times.

    Args:
        state: the position; it is not changed. At a chance node (explicit mode) chance comes first.
        n: number of playouts, K.
        seed: an integer of 0 or more; None takes one from the operating system.
        policy: who decides: ``"random"``, in compiled code; an agent with `act_batch`, or its spec; or a function of
            (observations[m, O], masks int8[m, A]) that returns m actions, of all unfinished playouts. One for all
            players, or a sequence with one per player.
        limit: decisions after which a playout stops with returns of zero; None is the game's own limit.
        threads: number of threads for random playouts.

    Raises:
        GameOverError: the game is over.
        IllegalActionError: a policy returned something other than legal actions.
        OptionError: an invalid argument.
    """
    state, n, threads = _check_open(state), _count("n", n, MOST), _count("threads", threads, MOST_THREADS)
    limit = state.game.max_decisions if limit is None else _count("limit", limit)
    seeds = _seeds(seed, n)
    policies = _policies(policy, state.game.num_players, seed)
    if all(one is None for one in policies):
        return _random(state, seeds, np.full(n, -1, np.int64), limit, threads)
    parts = [_by_policy(state, seeds[at : at + CHUNK], policies, limit) for at in range(0, n, CHUNK)]
    return Playouts(
        np.concatenate([part.returns for part in parts]),
        np.concatenate([part.lengths for part in parts]),
        np.concatenate([part.finished for part in parts]),
        seeds,
    )


def action_values(
    state: State,
    n: int,
    seed: int | None = None,
    actions: Sequence[int] | None = None,
    limit: int | None = None,
    threads: int = 1,
) -> ActionValues:
    """Estimate each action's value by `n` random playouts after it.

    Args:
        state: a position in which one player decides.
        n: playouts for each action, K.
        actions: which; None is every legal one.
        seed, limit, threads: as for `playouts`; the limit counts the action itself.

    Raises:
        GameOverError: the game is over.
        IllegalActionError: an action that is not legal, or no single player decides.
        OptionError: an invalid argument.
    """
    state, n, threads = _check_open(state), _count("n", n, MOST), _count("threads", threads, MOST_THREADS)
    limit = state.game.max_decisions if limit is None else _count("limit", limit)
    chosen = _check_legal(state, state.legal_actions() if actions is None and state.current_player >= 0 else actions)
    _count("n, for each action,", n, MOST // len(chosen))
    seeds = _seeds(seed, n)
    result = _random(state, np.tile(seeds, len(chosen)), np.repeat(chosen, n), limit, threads)
    returns = result.returns.reshape(len(chosen), n, -1)
    return ActionValues(chosen, returns.mean(axis=1, dtype=np.float64), _standard_error(returns), returns)


def step_many(state: State, actions: Sequence[int], seed: int | None = None) -> Successors:
    """Take each action in a copy of the position of its own, with dice of its own.

    Args:
        state: a position in which one player decides; it is not changed.
        actions: K legal actions; the same may come more than once.
        seed: an integer of 0 or more; None takes one from the operating system.

    Raises:
        GameOverError: the game is over.
        IllegalActionError: an action that is not legal, or no single player decides.
    """
    state = _check_open(state)
    chosen = _check_legal(state, actions)
    batch, out, ops = _batch_at(state, _seeds(seed, len(chosen)), state.game.max_decisions)
    ops[:] = ACT
    batch.run(out, ops, chosen, False, 0, len(chosen))
    states = [batch.get(i) for i in range(len(chosen))]
    return Successors(states, out.observations, out.masks, out.to_play, out.rewards, out.terminations)


def _check_legal(state: State, actions: Sequence[int] | None) -> NDArray[np.int64]:
    player = state.current_player
    if player < 0 or actions is None:
        what = "several players choose at once" if player == SIMULTANEOUS else "chance decides"
        raise IllegalActionError(f"phase {state.phase}: {what}, no single player")
    legal = set(state.legal_actions())
    chosen = [check_action(action, state.game.num_actions) for action in check_list("actions", actions)]
    if not chosen:
        raise OptionError("actions: expected at least one")
    for action in chosen:
        if action not in legal:
            state.clone().apply(action)  # raises, and says why
    return np.array(chosen, np.int64)


def _random(state: State, seeds: NDArray[np.uint64], firsts: NDArray[np.int64], limit: int, threads: int) -> Playouts:
    n = len(seeds)
    batch = make_backend([state.game])
    returns, lengths = np.zeros((n, state.game.num_players), np.float32), np.zeros(n, np.int64)
    finished = np.zeros(n, np.bool_)

    def work(start: int, stop: int) -> None:
        part = slice(start, stop)
        batch.playouts(state, seeds[part], firsts[part], limit, returns[part], lengths[part], finished[part])

    if threads == 1 or batch.serial:
        work(0, n)
    else:
        with ThreadPoolExecutor(threads) as pool:
            for done in [pool.submit(work, start, stop) for start, stop in slices(n, threads)]:
                done.result()
    return Playouts(returns, lengths, finished, seeds)


def _batch_at(state: State, seeds: NDArray[np.uint64], limit: int) -> tuple[BatchBackend, Arrays, NDArray[np.int8]]:
    """Return a batch that stands at copies of a position, each with dice of its seed."""
    games, n = [state.game] * len(seeds), len(seeds)
    batch, out = make_backend(games), Arrays.make(games, limit=limit, final=False)
    listed = seeds.tolist()
    batch.seed(range(n), listed)
    if state.current_player == CHANCE:
        copies = [state.clone(seed=seed) for seed in listed]  # `put` takes positions in which somebody has a choice
        if any(copy.is_terminal for copy in copies):
            raise GameOverError("chance ended the game before anybody had a choice")
        batch.put(range(n), copies, [None] * n)
    else:
        batch.put(range(n), [state] * n, listed)
    ops = np.full(n, LOAD, np.int8)
    batch.run(out, ops, np.zeros(n, np.int64), False, 0, n)
    return batch, out, ops


def _policies(policy: Any, players: int, seed: int | None) -> list[Any]:
    """Return one policy a player; None is random."""
    listed = list(policy) if isinstance(policy, (list, tuple)) else [policy] * players
    if len(listed) != players:
        raise OptionError(f"policy: one for all, or one for each of {players} players, not {len(listed)}")
    made: dict[int, Any] = {}
    for one in listed:
        if isinstance(one, str) and one == "random":
            made[id(one)] = None
        elif isinstance(one, str):
            made[id(one)] = agents.load_agent(one, seed=seed)
        else:
            made[id(one)] = one
        one = made[id(one)]
        if isinstance(one, BaseAgent) and type(one).act_batch is BaseAgent.act_batch:
            raise OptionError(f"policy: agent {one.name!r} decides from positions and plays no batches")
        if one is not None and not callable(getattr(one, "act_batch", one)):
            raise OptionError(
                f"policy: expected an agent or a function of observations and masks, not {show_value(one)}"
            )
    return [made[id(one)] for one in listed]


def _by_policy(state: State, seeds: NDArray[np.uint64], policies: list[Any], limit: int) -> Playouts:
    batch, out, ops = _batch_at(state, seeds, limit)
    n = len(seeds)
    actions = np.zeros(n, np.int64)
    while True:
        live = ~out.over
        if not live.any():
            break
        ops[:] = np.where(live, ACT, SKIP)
        if None in policies:
            batch.sample(out, actions, 0, n)
        for policy in {id(one): one for one in policies if one is not None}.values():
            whose = [player for player, one in enumerate(policies) if one is policy]
            rows = np.flatnonzero(live & np.isin(out.to_play, whose))
            if rows.size:
                act = cast(Any, getattr(policy, "act_batch", policy))
                actions[rows] = check_actions(
                    act(out.observations[rows], out.masks[rows]), len(rows), out.masks.shape[1]
                )
        i = batch.illegal(ops, actions)
        if i >= 0:
            try:
                batch.get(i).apply(int(actions[i]))
            except IllegalActionError as error:
                raise IllegalActionError(f"the policy of playout {i}: {error}") from None
        batch.run(out, ops, actions, False, 0, n)
    return Playouts(out.episode_returns, out.episode_lengths, ~out.truncations, seeds)
