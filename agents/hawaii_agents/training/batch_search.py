"""Tree search of many games at once, guided by a network: one batch steps them, one call asks the network."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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


class Trees:
    """The search trees of N games, a node for each thing that a player may see.

    Attributes:
        visits: float32[N, nodes, W], how often each legal action was tried, in the order of the lists.
        sums: the same, sums of what they brought the player who decides.
        priors: the same; -inf behind the end of the list.
        first: float32[N, nodes], the network's value.
    """

    def __init__(self, n: int, nodes: int, width: int) -> None:
        shape = n, nodes, width
        self.visits, self.sums = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
        self.priors = np.full(shape, -np.inf, np.float32)
        self.actions = np.zeros(shape, np.int64)
        self.first = np.zeros(shape[:2], np.float32)
        self._nodes: list[dict[int, int]] = [{} for _ in range(n)]

    def find(self, rows: I64, keys: Sequence[int]) -> I64:
        """Return the nodes of these keys in the trees of some games, int64[len(rows)]; -1 for a new one."""
        return np.array([self._nodes[row].get(key, -1) for row, key in zip(rows.tolist(), keys, strict=True)], np.int64)

    def add(self, rows: I64, keys: Sequence[int], legal: Legal, priors: F32, values: F32) -> None:
        """Add a node to each of these trees; priors are float32[n, K] with 0 behind the end of each list."""
        width, own = self.visits.shape[2], priors.shape[1]
        if own > width:
            more = ((0, 0), (0, 0), (0, own - width))
            self.visits, self.sums, self.actions = (np.pad(a, more) for a in (self.visits, self.sums, self.actions))
            self.priors = np.pad(self.priors, more, constant_values=-np.inf)
        nodes = np.array([len(self._nodes[row]) for row in rows.tolist()], np.int64)
        for row, key, node in zip(rows.tolist(), keys, nodes.tolist(), strict=True):
            self._nodes[row][key] = node
        owner, column = legal.places()
        at = rows[owner], nodes[owner], column
        self.priors[at], self.actions[at] = priors[owner, column], legal.actions
        self.first[rows, nodes] = values

    def select(self, rows: I64, nodes: I64, c: float) -> I64:
        """Return for some nodes the place of the action with the greatest upper bound, int64[len(rows)]."""
        visits, sums = self.visits[rows, nodes], self.sums[rows, nodes]
        total = visits.sum(1)
        mean = (self.first[rows, nodes] + sums.sum(1)) / (1 + total)
        means = np.where(visits > 0, sums / np.maximum(visits, 1), mean[:, None])
        return (means + c * np.sqrt(1 + total)[:, None] * self.priors[rows, nodes] / (1 + visits)).argmax(1)

    def update(self, rows: I64, nodes: I64, picks: I64, values: F32) -> None:
        """Count what some actions brought, at most one of each tree."""
        self.visits[rows, nodes, picks] += 1
        self.sums[rows, nodes, picks] += values


class Searcher:
    """Searches positions of many games at once.

    Args:
        games: a game for each of N positions.
        evaluate: the network.
        sims: simulations a decision.
        c: weight of exploration.
    """

    def __init__(self, games: Sequence[Game], evaluate: Evaluate, sims: int, c: float) -> None:
        self.batch: BatchEnv = make_batch(list(games), len(games), autoreset_mode="Disabled")
        self.batch.reset(seed=0)
        self.evaluate, self.sims, self.c = evaluate, sims, c
        game = games[0]
        self._open: bool = game.information == "perfect" and game.dynamics != "sealed"

    def search(
        self, states: Sequence[State], players: I64, seen: F32, legal: Legal, rng: np.random.Generator,
        noise: float = 0.0, dirichlet: float = 1.0,
    ) -> I64:  # fmt: skip
        """Search n positions; return how often each legal action was tried, int64[sum of counts], list after list; once
        each if no simulation came to the player, as where others have entered nothing yet.

        Args:
            states: the positions, n of them.
            players: int64[n], who decides.
            seen: float32[n, O], what they see.
            legal: their legal actions.
            rng: draws chance and noise.
            noise, dirichlet: share and concentration of the noise at the root.
        """
        n = len(states)
        if not self._open:
            seeds = rng.integers(2**62, size=n).tolist()
            asked = zip(states, players.tolist(), seeds, strict=True)
            states = [state.resample(player, seed=seed) for state, player, seed in asked]
        trees, size = Trees(n, self.sims + 1, int(legal.counts.max())), self.batch.num_envs
        rows = np.arange(n)
        self._expand(trees, [(rows, keys_of(players, seen), seen, legal, players)])
        if noise:
            self._add_noise(trees, rng, noise, dirichlet)
        given, nothing = [*states, *[None] * (size - n)], [None] * size
        for _ in range(self.sims):
            dice: list[int | None] = rng.integers(2**62, size=size).tolist()
            self.batch.runner.begin(range(n), nothing, given, dice)
            self._simulate(trees, n)
        owner, column = legal.places()
        visits = trees.visits[owner, 0, column].astype(np.int64)
        return visits + np.repeat(np.add.reduceat(visits, legal.starts()) == 0, legal.counts)

    def _add_noise(self, trees: Trees, rng: np.random.Generator, noise: float, dirichlet: float) -> None:
        for priors in trees.priors[:, 0]:
            n = int(np.isfinite(priors).sum())
            priors[:n] = (1 - noise) * priors[:n] + noise * rng.dirichlet(np.full(n, dirichlet / n))

    def _simulate(self, trees: Trees, n: int) -> None:
        """Go down the tree of each of the first n games, add a node to it, and count what that brought."""
        batch, actions = self.batch, np.zeros(self.batch.num_envs, np.int64)
        going, values = np.arange(batch.num_envs) < n, np.zeros((batch.num_envs, 2), np.float32)
        path: list[tuple[I64, I64, I64, I64]] = []
        new: list[tuple[Any, ...]] = []
        while going.any():
            rows, players = np.flatnonzero(going), batch.to_play[going]
            seen = batch.observations[rows]
            keys = keys_of(players, seen)
            nodes = trees.find(rows, keys)
            fresh = np.flatnonzero(nodes < 0)
            if len(fresh):
                legal = Legal.of(batch.masks[rows[fresh]])
                new.append((rows[fresh], [keys[i] for i in fresh.tolist()], seen[fresh], legal, players[fresh]))
                going[rows[fresh]] = False
                rows, nodes, players = (array[nodes >= 0] for array in (rows, nodes, players))
            if not len(rows):
                break
            picks = trees.select(rows, nodes, self.c)
            path.append((rows, nodes, picks, players))
            actions[rows] = trees.actions[rows, nodes, picks]
            batch.step(actions, going)
            ended = np.flatnonzero(going & batch.over)
            values[ended] = batch.episode_returns[ended]
            going[ended] = False
        if new:
            leaves, players, worth = self._expand(trees, new)
            values[leaves, players], values[leaves, 1 - players] = worth, -worth
        for rows, nodes, picks, players in path:
            trees.update(rows, nodes, picks, values[rows, players])

    def _expand(self, trees: Trees, new: list[tuple[Any, ...]]) -> tuple[I64, I64, F32]:
        """Ask the network for new positions, and add them to the trees; return rows, players and values.

        Each of `new` is rows, keys, what is seen, legal actions and players, of some positions.
        """
        rows, seen, players = (np.concatenate([one[k] for one in new]) for k in (0, 2, 4))
        legal, keys = Legal.join([one[3] for one in new]), [key for one in new for key in one[1]]
        logits, worth = self.evaluate(seen, legal)
        chances = np.exp(logits - logits.max(1, keepdims=True))
        worth = np.clip(worth, -1, 1)
        trees.add(rows, keys, legal, chances / chances.sum(1, keepdims=True), worth)
        return rows, players, worth


class SearchPlayer:
    """Plays by a search without noise: the action tried most, or where orders are sealed one drawn by the visits.

    Args:
        games: the games of the batch, in their order.
        evaluate, sims, c: see `Searcher`.
        seed: of chance and draws.
    """

    def __init__(self, games: Sequence[Game], evaluate: Evaluate, sims: int, c: float, seed: int = 0) -> None:
        self._searcher = Searcher(games, evaluate, sims, c)
        self._sealed: bool = games[0].dynamics != "sequential"
        self._rng = np.random.default_rng(seed)

    def decide(self, batch: BatchEnv, envs: I64) -> I64:
        """Return an action for each of these environments, int64[len(envs)]."""
        legal, states = Legal.of(batch.masks[envs]), [batch.get_state(env) for env in envs.tolist()]
        visits = self._searcher.search(states, batch.to_play[envs], batch.observations[envs], legal, self._rng)
        drawn = np.full(len(envs), self._sealed)
        return legal.actions[legal.starts() + pick(visits, legal, drawn, self._rng)]


def keys_of(players: I64, seen: F32) -> list[int]:
    """Return the keys of the nodes of some players by what they see, float32[n, O]."""
    return [hash((player, row.tobytes())) for player, row in zip(players.tolist(), seen, strict=True)]


def pick(visits: I64, legal: Legal, drawn: NDArray[np.bool_], rng: np.random.Generator) -> I64:
    """Return the place of an action in each list: drawn by the visits, or the one tried most."""
    rows, columns = legal.places()
    table = np.zeros((len(legal.counts), int(legal.counts.max())))
    table[rows, columns] = visits
    reach = table.cumsum(1)
    chosen = (reach <= rng.random(len(table))[:, None] * reach[:, -1:]).sum(1)
    return np.where(drawn, chosen, table.argmax(1))
