"""Compiled max^n tree search with sampled chance; greedy players continue new positions for some decisions."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from hawaii_env.agent_options import Count, Given, Milliseconds, Real, Seed, Sims, checked
from hawaii_env.agents import BaseAgent, Clock
from hawaii_env.aloha.fast import records
from hawaii_env.core.rng import seed_words
from hawaii_env.errors import OptionError
from hawaii_env.game import State

from . import opening, tree
from .worth import WEIGHTS

__all__ = ["AlohaSearchAgent"]

MARGIN = 0.9
"""The share of a clock's time that a search takes."""

CHUNK = 8
"""Simulations between two looks at the clock."""

IN_THE_PROLOGUE = 4
"""The factor on the simulations of a decision in the Prologue: a loss there is never made good."""

MOST_NODES = 50_000
"""Positions that a tree has buffer for; full, it goes on with those that it has."""


class AlohaSearchAgent(BaseAgent):
    """Monte Carlo tree search in which every player maximises his own chance of victory (max^n).

    Each simulation samples chance anew, with one child per outcome. Greedy players continue new positions for some
    decisions before they are valued for each player. With two players the Prologue is searched to its end; with more,
    it gets four times the simulations.

    Args:
        sims: simulations per decision of a chapter; the same seed gives the same moves. None: only the time counts.
        ms: milliseconds per decision; with both, the first limit reached stops the search. The clock passed to `act`
            also applies.
        c: weight of exploration in PUCT.
        ahead: decisions of greedy players before a new position is valued.
        seed: seed of its generators; None takes one from the operating system.
        weights: weights of the value, as `worth.WEIGHTS`.

    Raises:
        OptionError: an invalid limit, or none.
    """

    name = "aloha-search"
    games: Sequence[str] = ("aloha",)
    strength = "83% against aloha-greedy with sims=16 (2 players)"
    simulations_option = "sims"

    @checked
    def __init__(
        self,
        sims: Sims = 200,
        ms: Milliseconds = None,
        c: Annotated[float, Real(least=0)] = float(tree.CONSTANTS[tree.C]),
        ahead: Annotated[int, Count(0)] = int(tree.CONSTANTS[tree.AHEAD]),
        seed: Annotated[int | None, Seed()] = None,
        weights: Annotated[Any, Given("an array of weights", (np.ndarray,))] = WEIGHTS,
    ) -> None:
        self.sims: int | None = sims
        self.ms: float | None = ms
        self.seed: int | None = seed
        self.weights: NDArray[np.float64] = weights
        constants = tree.CONSTANTS.copy()
        constants[tree.C], constants[tree.AHEAD] = c, ahead
        self._constants = constants
        self._words = np.array(seed_words(self.seed), np.int64)
        self._tree = tree.new_tree(256)
        self._buffers = opening.new_buffers()
        self._returns = (-1.0, 1.0)

    @property
    def simulations(self) -> int:
        """Return the simulations of the last decision; 0 if the Prologue was searched to its end."""
        return int(self._tree.sizes[tree.DONE])

    @property
    def actions(self) -> NDArray[np.int64]:
        """Return the legal actions of the last decision, int64[n]."""
        return self._tree.edges[: self._tree.nodes[0, tree.COUNT], tree.ACTION].astype(np.int64)

    @property
    def visits(self) -> NDArray[np.int64]:
        """Return how often each of `actions` was tried, int64[n]."""
        return self._tree.edges[: self._tree.nodes[0, tree.COUNT], tree.VISITS].astype(np.int64)

    @property
    def means(self) -> NDArray[np.float64]:
        """Return `chances` as returns of the game, between its least and its greatest."""
        least, most = self._returns
        return least + (most - least) * self.chances

    @property
    def chances(self) -> NDArray[np.float64]:
        """Return the mean chance of the victory after each of `actions`, for who decided, float64[n]; NaN if never
        tried.
        """
        n = self._tree.nodes[0, tree.COUNT]
        with np.errstate(invalid="ignore"):
            return self._tree.sums[:n] / self.visits

    def act(self, state: State, legal_actions: Sequence[int], clock: Clock | None = None) -> int:
        """Search, and return the most visited action; the better one of equals."""
        started = time.perf_counter()
        position = self.check_state(state)
        self._returns = position.game.min_return, position.game.max_return
        tables, record = records(position)
        entries = tree.AGENTS.compile_now(tree.examples)
        limit = math.inf if self.ms is None else self.ms / 1000
        if clock is not None and clock.seconds is not None:
            limit = min(limit, max(0.001, MARGIN * clock.left))
        if self.sims is None and limit == math.inf:
            raise OptionError("aloha-search: sims=none needs ms or a clock")
        if opening.can_search_opening(position.game.tables, position.interpreted()):
            self._tree.sizes[tree.DONE] = self._tree.nodes[0, tree.COUNT] = 0
            return int(entries.search_opening(tables, record, opening.OPENING, *self._buffers, self._words))
        most = 2**31 if self.sims is None else self.sims * (IN_THE_PROLOGUE if position.stage == "prologue" else 1)
        self._make_buffer(min(most, MOST_NODES))
        self._tree.sizes[:] = 0
        chunk = most if limit == math.inf else CHUNK
        while self.simulations < most:
            number = min(chunk, most - self.simulations)
            entries.think(tables, record, self.weights, self._constants, self._tree, self._words, number)
            if time.perf_counter() - started >= limit:
                break
        visits = self.visits
        best = np.flatnonzero(visits == visits.max())
        return int(self.actions[best[np.argmax(self.chances[best])]])

    def _make_buffer(self, nodes: int) -> None:
        if len(self._tree.keys) < nodes + 1:
            self._tree = tree.new_tree(nodes + 1)
