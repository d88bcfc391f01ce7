"""Matches of a policy against an opponent, many games at once, sides swapped on the same cards."""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Callable, Sequence
from pathlib import PurePosixPath
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hawaii_env import agents, make_batch
from hawaii_env.agents import Agent, BaseAgent
from hawaii_env.env.vector import BatchEnv
from hawaii_env.errors import OptionError
from hawaii_env.game import Game

I64 = NDArray[np.int64]
Decide: TypeAlias = "Callable[[NDArray[np.float32], NDArray[np.int8]], I64]"
"""Chooses an action a row, from observations float32[n, O] and masks int8[n, A]."""
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")


def decides_in_batches(agent: Agent) -> bool:
    """Return True if an agent decides from observations, many positions in one call."""
    return getattr(type(agent), "act_batch", None) not in (None, BaseAgent.act_batch)


class BatchPlayer:
    """An agent in some environments of a batch: one for all if it decides in batches, else one for each player of each
    environment.

    Args:
        agent: an agent string, or an agent that decides in batches.
        seed: environment i's agent gets seed + i if it takes a seed and its string has none.
    """

    def __init__(self, agent: str | Agent, seed: int) -> None:
        self.agent: str | Agent = agent
        self.seed: int = seed
        first = agents.load_agent(agent, seed=seed)
        self._batched = first if decides_in_batches(first) else None
        if self._batched is None and not isinstance(agent, str):
            raise OptionError(f"{first.name}: name an agent that decides from positions by its string")
        self._begun = False
        self._single: dict[tuple[int, int], Agent] = {}  # (environment, player)

    def decide(self, batch: BatchEnv, envs: I64) -> I64:
        """Return an action for each of these environments, int64[len(envs)]."""
        agent = self._batched
        if agent is None:
            return np.array([self._act(batch, env) for env in envs.tolist()], np.int64)
        if not self._begun:
            agents.begin(agent, batch.games[envs[0]], int(batch.to_play[envs[0]]))
            self._begun = True
        return np.asarray(agent.act_batch(batch.observations[envs], batch.masks[envs]), np.int64)

    def _act(self, batch: BatchEnv, env: int) -> int:
        player = int(batch.to_play[env])
        agent = self._single.get((env, player))
        if agent is None or not batch.lengths[env]:
            agent = agent or agents.load_agent(self.agent, seed=self.seed + env)
            self._single[env, player] = agent
            agents.begin(agent, batch.games[env], player)
        return int(agent.act(batch.get_state(env).for_search(), np.flatnonzero(batch.masks[env]).tolist(), None))


def shares_of(batch: BatchEnv, envs: I64, winners: I64, sides: I64) -> NDArray[np.float32]:
    """Return the share of the victory of one player in each of these environments, whose games are over, float32[n].

    Args:
        batch: leaves resets to its caller, so that the last positions are still there.
        envs: int64[n].
        winners: int64[n], the single winners; -1 nobody.
        sides: int64[n], the player; -1 is the first.
    """
    players = np.array([batch.games[env].num_players for env in envs.tolist()])
    shares = np.where(winners < 0, 1 / players, winners == np.maximum(sides, 0)).astype(np.float32)
    if batch.num_players > 2:
        for i in np.flatnonzero(winners < 0).tolist():
            outcome = batch.get_state(int(envs[i])).outcome()
            if outcome is not None:
                shares[i] = outcome.shares[max(int(sides[i]), 0)]
    return shares


class Player(Protocol):
    """Whoever decides from the positions of a batch, as `BatchPlayer`."""

    def decide(self, batch: BatchEnv, envs: I64) -> I64:
        """Return an action for each of these environments, int64[len(envs)]."""
        ...


def match(
    games: Sequence[Game], decide: Decide | Player, opponent: str | Agent, seed: int = 0,
    max_decisions: int | None = None,
) -> dict[str, float]:  # fmt: skip
    """Play `decide` against an opponent, in each of `games` one game for each seat, of the same seed and so the same
    cards.

    In a game of more than two players the opponent plays all other seats.

    Args:
        games: one for each row of seats, all of the same spaces; their numbers of players may differ.
        decide: chooses for the player whose score is returned.
        opponent: an agent string, or an agent that decides in batches.
        seed: the games of row k have seed + k.
        max_decisions: games are truncated after so many; such a game counts as a tie.

    Returns:
        ``score`` (the mean share of the victory; of two players a tie is half a win), ``error`` (its standard error,
        rows being independent), by seat ``score_first``, ``score_second``, ..., if numbers of players differ
        ``score_of_2``, ... by number, ``ties`` (the share of games without a single winner) and ``games``.
    """
    rows, seats = len(games), np.array([game.num_players for game in games])
    row = np.repeat(np.arange(rows), seats)
    n = len(row)
    sides = np.arange(n) - np.repeat(np.cumsum(seats) - seats, seats)
    each = [games[k] for k in row.tolist()]
    with make_batch(each, n, autoreset_mode="Disabled", max_decisions=max_decisions) as batch:
        others = None if opponent == "random" else BatchPlayer(opponent, seed)
        for env, side in enumerate(sides.tolist() if others is None else ()):  # the batch plays the random side itself
            batch.runner.set_viewer(env, side, auto=True)
        batch.reset(seed=(seed + row).tolist())
        actions = np.zeros(n, np.int64)
        going = ~batch.over
        while going.any():
            mine = np.flatnonzero(going & (batch.to_play == sides))
            if len(mine):
                actions[mine] = (
                    decide(batch.observations[mine], batch.masks[mine])
                    if callable(decide)
                    else decide.decide(batch, mine)
                )
            theirs = np.flatnonzero(going & (batch.to_play != sides))
            if len(theirs) and others is not None:
                actions[theirs] = others.decide(batch, theirs)
            batch.step(actions, going)
            going &= ~(batch.terminations | batch.truncations)
        winners = batch.episode_winners.copy()
        scores = shares_of(batch, np.arange(n), winners, sides)
    means = np.bincount(row, scores) / seats
    numbers = np.unique(seats).tolist()
    return {
        "score": float(means.mean()),
        "error": float(means.std(ddof=1) / math.sqrt(rows)) if rows > 1 else math.nan,
        **{f"score_{ORDINALS[seat]}": float(scores[sides == seat].mean()) for seat in range(seats.max())},
        **{f"score_of_{k}": float(means[seats == k].mean()) for k in numbers if len(numbers) > 1},
        "ties": float((winners < 0).mean()),
        "games": n,
    }


def installed(listed: str) -> list[str]:
    """Return the agent strings of a list whose agents are known; name the others on standard error, once each."""
    found = agents.split_agents(listed) if listed.strip() else []
    for agent in found:
        if agents.parse_agent(agent)[0] not in agents.known():
            _warn(agents.parse_agent(agent)[0])
    return [agent for agent in found if agents.parse_agent(agent)[0] in agents.known()]


@functools.cache
def _warn(name: str) -> None:
    print(f"ladder: there is no agent {name!r}: left out", file=sys.stderr)


def label(agent: str) -> str:
    """Return an agent string as a key of ``progress.jsonl``: without folders and the ending of a weights file."""
    name, parameters = agents.parse_agent(agent)

    def short(value: Any) -> Any:
        return (
            PurePosixPath(value.replace("\\", "/")).name.removesuffix(".safetensors")
            if isinstance(value, str)
            else value
        )

    return name + ":" * bool(parameters) + ",".join(f"{key}={short(value)}" for key, value in parameters.items())
