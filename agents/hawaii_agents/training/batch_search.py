"""Tree search of many games at once, guided by a network: one batch steps them, one call asks the network."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hawaii_env import make_batch
from hawaii_env.env.vector import BatchEnv
from hawaii_env.game import Game, State

from .net import Legal

F32 = NDArray[np.float32]
I64 = NDArray[np.int64]

Evaluate = Callable[[F32, Legal], tuple[F32, F32]]
"""Returns logits, float32[n, K], K being the longest list, and values, float32[n], of observations float32[n, O]."""
VISITS = 50
"""Visits that are added to those of the action tried most, before values are scaled (Danihelka et al., 2022)."""


class Trees:
    """The search trees of N games, a node for each thing that a player may see.

    Attributes:
        visits: float32[N, nodes, W], how often each legal action was tried, in the order of the lists.
        sums: the same, sums of what they brought the player who decides.
        logits: the same, the network's; -inf behind the end of the list.
        first: float32[N, nodes], the network's value.
        scale: weight of values beside logits.
    """

    def __init__(self, n: int, nodes: int, width: int, scale: float) -> None:
        shape = n, nodes, width
        self.scale: float = scale
        self.visits: F32 = np.zeros(shape, np.float32)
        self.sums: F32 = np.zeros(shape, np.float32)
        self.logits: F32 = np.full(shape, -np.inf, np.float32)
        self.actions: I64 = np.zeros(shape, np.int64)
        self.first: F32 = np.zeros(shape[:2], np.float32)
        self._nodes: list[dict[int, int]] = [{} for _ in range(n)]

    def find(self, roots: I64, keys: Sequence[int]) -> I64:
        """Return the nodes of these keys in the trees of some games, int64[len(roots)]; -1 for a new one."""
        return np.array(
            [self._nodes[root].get(key, -1) for root, key in zip(roots.tolist(), keys, strict=True)], np.int64
        )

    def add(self, roots: I64, keys: Sequence[int], legal: Legal, logits: F32, values: F32) -> None:
        """Add nodes to these trees; a key that comes twice in one tree is one node."""
        nodes = np.zeros(len(roots), np.int64)
        for k, (root, key) in enumerate(zip(roots.tolist(), keys, strict=True)):
            known = self._nodes[root]
            nodes[k] = known.setdefault(key, len(known))
        width, own = self.visits.shape[2], logits.shape[1]
        if own > width:
            more = ((0, 0), (0, 0), (0, own - width))
            self.visits, self.sums = np.pad(self.visits, more), np.pad(self.sums, more)
            self.actions = np.pad(self.actions, more)
            self.logits = np.pad(self.logits, more, constant_values=-np.inf)
        owner, column = legal.places()
        at = roots[owner], nodes[owner], column
        self.logits[at], self.actions[at] = logits[owner, column], legal.actions
        self.first[roots, nodes] = values

    def judge(self, roots: I64, nodes: I64) -> tuple[F32, F32]:
        """Return the values of some nodes, float32[n], and the improved logits of their actions, float32[n, W].

        An action that was not tried counts as much as the node, whose value mixes the network's with what its actions
        brought.
        """
        visits, sums, logits = self.visits[roots, nodes], self.sums[roots, nodes], self.logits[roots, nodes]
        means, total = sums / np.maximum(visits, 1), visits.sum(1)
        tried = softmax(logits) * (visits > 0)
        known = (tried * means).sum(1) / np.maximum(tried.sum(1), 1e-9)
        value = (self.first[roots, nodes] + total * known) / (1 + total)
        completed = np.where(visits > 0, means, value[:, None])
        weight = self.scale * (VISITS + visits.max(1, keepdims=True))
        return value, logits + weight * completed

    def select(self, roots: I64, nodes: I64) -> I64:
        """Return for some nodes the place of the action whose share of the visits is the most below its improved
        probability, int64[len(roots)].
        """
        visits = self.visits[roots, nodes]
        return (softmax(self.judge(roots, nodes)[1]) - visits / (1 + visits.sum(1, keepdims=True))).argmax(1)

    def update(self, roots: I64, nodes: I64, picks: I64, values: F32) -> None:
        """Count what some actions brought."""
        np.add.at(self.visits, (roots, nodes, picks), 1)
        np.add.at(self.sums, (roots, nodes, picks), values)


@dataclass
class Found:
    """Results of a search of n positions.

    Attributes:
        policy: float32[n, W], improved probabilities of the legal actions, in the order of the lists, then zeros.
        picks: int64[n], the action that the search chose, by its place in the list.
        values: float32[n], for the player who decides.
    """

    policy: F32
    picks: I64
    values: F32


class Searcher:
    """Searches positions of many games at once, as Gumbel AlphaZero does (Danihelka et al., 2022).

    Args:
        games: a game for each of N positions.
        evaluate: the network.
        sims: simulations per decision, at most.
        considered: actions of the root that are tried, at most.
        scale: weight of values beside logits.
    """

    def __init__(self, games: Sequence[Game], evaluate: Evaluate, sims: int, considered: int, scale: float) -> None:
        each = [game for game in games for _ in range(considered)]
        self.batch: BatchEnv = make_batch(each, len(each), autoreset_mode="Disabled")
        self.batch.reset(seed=0)
        self.evaluate: Evaluate = evaluate
        self.sims: int = sims
        self.considered: int = considered
        self.scale: float = scale
        self._open: bool = games[0].information == "perfect" and games[0].dynamics != "sealed"

    def search(
        self, states: Sequence[State], players: I64, seen: F32, legal: Legal, rng: np.random.Generator,
        noise: float = 1.0,
    ) -> Found:  # fmt: skip
        """Search n positions by sequential halving of their actions.

        Args:
            states: the positions, n of them, at most N.
            players: int64[n], who decides.
            seen: float32[n, O], what they see.
            legal: their legal actions.
            rng: draws chance and noise.
            noise: size of the Gumbel noise: 1 draws actions by the improved policy, 0 chooses its best.
        """
        n = len(states)
        if not self._open:
            seeds = rng.integers(2**62, size=n).tolist()
            asked = zip(states, players.tolist(), seeds, strict=True)
            states = [state.resample(player, seed=seed) for state, player, seed in asked]
        root = np.arange(n), np.zeros(n, np.int64)
        trees = Trees(n, self.sims + 1, int(legal.counts.max()), self.scale)
        self._expand(trees, [(root[0], keys_of(players, seen), seen, legal, players)])
        gumbel = noise * rng.gumbel(size=(n, trees.visits.shape[2])).astype(np.float32)
        going = np.isfinite(trees.logits[:, 0])
        for number in schedule(self.sims, self.considered):
            going = best_of(np.where(going, gumbel + trees.judge(*root)[1][:, : going.shape[1]], -np.inf), number)
            tried, picks = np.nonzero(going)
            self._simulate(trees, states, tried, picks, players, rng)
        values, logits = trees.judge(*root)
        logits = logits[:, : going.shape[1]]
        return Found(softmax(logits), np.where(going, gumbel + logits, -np.inf).argmax(1), values)

    def _simulate(
        self, trees: Trees, states: Sequence[State], roots: I64, picks: I64, players: I64, rng: np.random.Generator
    ) -> None:
        """Try some actions of the roots once, each in an environment of its own. All of one root meet the same chance,
        which makes them easier to compare.
        """
        batch, n, size = self.batch, len(roots), self.batch.num_envs
        given, nothing = [*(states[root] for root in roots.tolist()), *[None] * (size - n)], [None] * size
        dice = rng.integers(2**62, size=len(states))[roots].tolist()
        batch.runner.begin(range(n), nothing, given, [*dice, *nothing[n:]])
        self._enter_others(players[roots], rng)
        actions, values = np.zeros(size, np.int64), np.zeros((n, 2), np.float32)
        going, rows, nodes = np.arange(size) < n, np.arange(n), np.zeros(n, np.int64)
        path: list[tuple[I64, I64, I64, I64]] = []
        new: list[tuple[Any, ...]] = []
        movers = players[roots]
        while len(rows):
            path.append((rows, nodes, picks, movers))
            actions[rows] = trees.actions[roots[rows], nodes, picks]
            batch.step(actions, going)
            ended = rows[batch.over[rows]]
            values[ended] = batch.episode_returns[ended]
            going[ended] = False
            rows = np.flatnonzero(going)
            movers, seen = batch.to_play[rows], batch.observations[rows]
            keys = keys_of(movers, seen)
            nodes = trees.find(roots[rows], keys)
            fresh = np.flatnonzero(nodes < 0)
            if len(fresh):
                legal = Legal.of(batch.masks[rows[fresh]])
                new.append((rows[fresh], [keys[i] for i in fresh.tolist()], seen[fresh], legal, movers[fresh]))
                going[rows[fresh]] = False
                rows, nodes, movers = (array[nodes >= 0] for array in (rows, nodes, movers))
            picks = trees.select(roots[rows], nodes)
        if new:
            movers, worth = self._expand(trees, [(roots[one[0]], *one[1:]) for one in new])
            at = np.concatenate([one[0] for one in new])
            values[at, movers], values[at, 1 - movers] = worth, -worth
        for rows, nodes, picks, movers in path:
            trees.update(roots[rows], nodes, picks, values[rows, movers])

    def _enter_others(self, players: I64, rng: np.random.Generator) -> None:
        """Let the network choose for others, whose choices are not known, until the first environments have come to
        these players.
        """
        batch, actions, waits = self.batch, np.zeros(self.batch.num_envs, np.int64), np.zeros(self.batch.num_envs, bool)
        while len(rows := np.flatnonzero(batch.to_play[: len(players)] != players)):
            legal = Legal.of(batch.masks[rows])
            logits = self.evaluate(batch.observations[rows], legal)[0]
            actions[rows] = legal.actions[legal.starts() + (logits + rng.gumbel(size=logits.shape)).argmax(1)]
            waits[:] = False
            waits[rows] = True
            batch.step(actions, waits)

    def _expand(self, trees: Trees, new: list[tuple[Any, ...]]) -> tuple[I64, F32]:
        """Ask the network for new positions, and add them to the trees; return players and values.

        Each of `new` is roots, keys, what is seen, legal actions and players, of some positions.
        """
        roots, seen, players = (np.concatenate([one[k] for one in new]) for k in (0, 2, 4))
        legal, keys = Legal.join([one[3] for one in new]), [key for one in new for key in one[1]]
        logits, worth = self.evaluate(seen, legal)
        worth = np.clip(worth, -1, 1)
        trees.add(roots, keys, legal, logits, worth)
        return players, worth


class SearchPlayer:
    """Plays by a search: its best action, or where orders are sealed one drawn by the improved policy.

    Args:
        searcher: searches the positions, of as many games as the batch has.
        seed: of chance and draws.
    """

    def __init__(self, searcher: Searcher, seed: int = 0) -> None:
        self._searcher = searcher
        self._noise = float(searcher.batch.games[0].dynamics != "sequential")
        self._rng = np.random.default_rng(seed)

    def decide(self, batch: BatchEnv, envs: I64) -> I64:
        """Return an action for each of these environments, int64[len(envs)]."""
        legal, states = Legal.of(batch.masks[envs]), [batch.get_state(env) for env in envs.tolist()]
        movers, seen = batch.to_play[envs], batch.observations[envs]
        found = self._searcher.search(states, movers, seen, legal, self._rng, self._noise)
        return legal.actions[legal.starts() + found.picks]


def keys_of(players: I64, seen: F32) -> list[int]:
    """Return the keys of the nodes of some players by what they see, float32[n, O]."""
    return [hash((player, row.tobytes())) for player, row in zip(players.tolist(), seen, strict=True)]


def softmax(logits: F32) -> F32:
    """Return the probabilities of logits, float32[n, W], which may be -inf."""
    chances = np.exp(logits - logits.max(1, keepdims=True))
    return chances / chances.sum(1, keepdims=True)


def best_of(scores: F32, number: int) -> NDArray[np.bool_]:
    """Return a mask of the greatest scores of each row, float32[n, W]; a score of -inf is left out."""
    found = np.zeros(scores.shape, np.bool_)
    np.put_along_axis(found, np.argsort(-scores, axis=1, kind="stable")[:, :number], True, 1)
    return found & np.isfinite(scores)


def schedule(sims: int, considered: int) -> list[int]:
    """Return the number of actions that each turn of a sequential halving tries, `sims` in all."""
    number, phases, found = min(considered, sims), max(1, math.ceil(math.log2(considered))), list[int]()
    while sum(found) < sims:
        for _ in range(max(1, sims // (phases * number))):
            if (rest := min(number, sims - sum(found))) > 0:
                found.append(rest)
        number = max(2, number // 2)
    return found
