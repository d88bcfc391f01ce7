"""Matches of a policy against the fixed ladder, many games at once, sides swapped on the same cards."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hawaii_env import agents, make_batch
from hawaii_env.agents import Agent, BaseAgent
from hawaii_env.env.vector import ACT, BatchEnv
from hawaii_env.errors import OptionError
from hawaii_env.game import Game

Decide: TypeAlias = "Callable[[NDArray[np.float32], NDArray[np.int8]], NDArray[np.int64]]"
"""Chooses an action a row, from observations float32[n, O] and masks int8[n, A]."""


def batched(agent: Agent) -> bool:
    """Return whether an agent decides from observations, many positions in one call."""
    return getattr(type(agent), "act_batch", None) not in (None, BaseAgent.act_batch)


class Seats:
    """One side of some lanes, played by what a spec names: one agent for all lanes where it decides in batches, else
    one a lane.

    Args:
        spec: the agent's spec; or an agent that decides in batches.
        seed: lane i's agent is seeded with seed + i, where it takes a seed and its spec says none.
    """

    def __init__(self, spec: str | Agent, seed: int) -> None:
        self.spec, self.seed = spec, seed
        first = agents.load_agent(spec, seed=seed)
        self.name = first.name
        self._batch = first if batched(first) else None
        if self._batch is None and not isinstance(spec, str):
            raise OptionError(
                f"{first.name}: an agent that decides from positions is named by its spec, so that each lane has its "
                "own"
            )
        self._begun = False
        self._single: dict[tuple[int, int], Agent] = {}  # (lane, player)

    def decide(self, batch: BatchEnv, lanes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return an action for each of these lanes, int64[len(lanes)]."""
        if self._batch is not None:
            if not self._begun:
                _begin(self._batch, batch, int(lanes[0]))
                self._begun = True
            return np.asarray(self._batch.act_batch(batch.observations[lanes], batch.masks[lanes]), np.int64)
        return np.array([self._act(batch, lane) for lane in lanes.tolist()], np.int64)

    def _act(self, batch: BatchEnv, lane: int) -> int:
        key = lane, int(batch.to_play[lane])
        agent = self._single.get(key)
        if agent is None:
            agent = self._single[key] = agents.load_agent(self.spec, seed=self.seed + lane)
            _begin(agent, batch, lane)
        elif not batch.lengths[lane]:
            _begin(agent, batch, lane)
        return int(agent.act(batch.get_state(lane).for_search(), np.flatnonzero(batch.masks[lane]).tolist(), None))


def _begin(agent: Agent, batch: BatchEnv, lane: int) -> None:
    agents.begin(agent, batch.games[lane], int(batch.to_play[lane]))


SEATS = ("first", "second", "third", "fourth", "fifth", "sixth")


def shares_of(
    batch: BatchEnv, lanes: NDArray[np.int64], winners: NDArray[np.int64], sides: NDArray[np.int64]
) -> NDArray[np.float32]:
    """Return the share of the victory of one player in each of these lanes, whose games are over, float32[n].

    Args:
        batch: leaves resets to its caller, so that the last positions are still there.
        lanes: int64[n].
        winners: int64[n], who won there alone; -1 nobody.
        sides: int64[n], the player; -1 is the first.
    """
    players = np.array([batch.games[lane].num_players for lane in lanes.tolist()])
    shares = np.where(winners < 0, 1 / players, winners == np.maximum(sides, 0)).astype(np.float32)
    if batch.num_players > 2:
        for i in np.flatnonzero(winners < 0).tolist():
            outcome = batch.get_state(int(lanes[i])).outcome()
            if outcome is not None:
                shares[i] = outcome.shares[max(int(sides[i]), 0)]
    return shares


def match(
    games: Sequence[Game], decide: Decide, opponent: str | Agent, seed: int = 0, max_decisions: int | None = None
) -> dict[str, float]:
    """Play `decide` against an opponent: for each of `games` a game in each seat, of the same seed, and so the same
    cards.

    In a game of more than two players the opponent plays all other seats.

    Args:
        games: one for each row of seats; all in one batch, so of one space; they may differ in their players.
        decide: chooses for the one whose score this is.
        opponent: a spec, or an agent that decides in batches.
        seed: the games of row k are those of seed + k.
        max_decisions: games are truncated after so many; such a game counts as a tie.

    Returns:
        ``score`` (the mean share of the victory; of two players a tie is half a win), ``error`` (its standard error,
        rows being what is independent), by seat ``score_first``, ``score_second``, ..., where games differ in their
        players ``score_of_2``, ... by their number, ``ties`` (the share of games that nobody won alone) and ``games``.
    """
    rows, seats = len(games), np.array([game.num_players for game in games])
    row = np.repeat(np.arange(rows), seats)
    n = len(row)
    sides = np.arange(n) - np.repeat(np.cumsum(seats) - seats, seats)
    with make_batch(
        [games[k] for k in row.tolist()], n, autoreset_mode="Disabled", max_decisions=max_decisions
    ) as batch:
        others = None
        if opponent == "random":  # the batch plays it itself, in compiled code where there is such
            for lane, side in enumerate(sides.tolist()):
                batch.seat(lane, side, auto=True)
        else:
            others = Seats(opponent, seed)
        batch.reset(seed=(seed + row).tolist())
        actions = np.zeros(n, np.int64)
        going = ~batch.over
        while going.any():
            mine = np.flatnonzero(going & (batch.to_play == sides))
            if len(mine):
                actions[mine] = decide(batch.observations[mine], batch.masks[mine])
            theirs = np.flatnonzero(going & (batch.to_play != sides))
            if len(theirs) and others is not None:
                actions[theirs] = others.decide(batch, theirs)
            ops = np.where(going, ACT, 0).astype(np.int8)
            batch.run(ops, actions)
            going &= ~(batch.terminations | batch.truncations)
        winners = batch.episode_winners.copy()
        scores = shares_of(batch, np.arange(n), winners, sides)
    means = np.bincount(row, scores) / seats
    return {
        "score": float(means.mean()),
        "error": float(means.std(ddof=1) / math.sqrt(rows)) if rows > 1 else math.nan,
        **{
            f"score_{name}": float(scores[sides == seat].mean())
            for seat, name in zip(range(seats.max()), SEATS, strict=False)
        },
        **(
            {f"score_of_{players}": float(means[seats == players].mean()) for players in np.unique(seats).tolist()}
            if seats.min() < seats.max()
            else {}
        ),
        "ties": float((winners < 0).mean()),
        "games": n,
    }


def installed(specs: str, told: set[str] | None = None) -> list[str]:
    """Return the specs of a list whose agents are known here; the others are named on standard error, once where `told`
    is kept.
    """
    found = []
    for spec in agents.split_agents(specs) if specs.strip() else []:
        name = agents.parse_agent(spec)[0]
        if name in agents.known():
            found.append(spec)
        elif told is None or name not in told:
            print(f"ladder: there is no agent {name!r} here: left out", file=sys.stderr)
            if told is not None:
                told.add(name)
    return found


def label(spec: str) -> str:
    """Return a spec as a key of ``progress.jsonl``: without folders and the ending of a weights file."""
    name, parameters = agents.parse_agent(spec)
    if not parameters:
        return name
    return name + ":" + ",".join(f"{key}={_stem(value)}" for key, value in parameters.items())


def _stem(value: Any) -> Any:
    return value.replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".safetensors") if isinstance(value, str) else value
