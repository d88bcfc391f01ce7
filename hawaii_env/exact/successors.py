"""Positions as compiled records, and their successors."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hawaii_env.errors import OptionError
from hawaii_env.game import State

__all__ = ["Successors", "digest"]

MOST_DECISIONS = 40
"""Maximum decisions of a player in a sealed turn: orders of 17 units in two halves are 34."""


def digest(state: State) -> bytes:
    """Return 16 bytes that stand for a position: those of its key."""
    return hashlib.blake2b(state.key(), digest_size=16).digest()


class Successors:
    """Computes successors of positions by compiled rules.

    Args:
        game: a game of two players.
        most: initial capacity in positions.

    Attributes:
        game: the game.
        root: the record of its first position.
        found: the records that `expand` has written.
        actions: int64[N, D], the path to each: the actions of a plan followed by -1, or a chance outcome.

    Raises:
        OptionError: not two players, or returns that do not sum to zero.
    """

    def __init__(self, game: Any, most: int = 1024) -> None:
        if game.num_players != 2 or game.utility != "zero_sum":
            raise OptionError(
                f"exact: expected a zero-sum game of two players, not {game.name} with {game.num_players}"
            )
        self.game: Any = game
        self._rules: Any = game.compiled_rules
        self._backend: Any = self._rules.backend_for_jobs()
        self._tables: Any = game.rules_in(self._backend)
        self.root: Any = self.record_of(game.initial_state(chance="explicit"))
        self._path: Any = self._make(MOST_DECISIONS + 1)
        self._tried: NDArray[np.int64] = np.zeros(MOST_DECISIONS + 1, np.int64)
        self.found: Any = self._make(most)
        self.actions: NDArray[np.int64] = np.full((most, MOST_DECISIONS + 1), -1, np.int64)
        self._list: Any = self._rules.ready_playouts().list_plans

    def _make(self, n: int) -> Any:
        """Return room for n records."""
        if self._backend.compiled:
            return np.repeat(self.root[None], n, axis=0)
        return [self.root.copy() for _ in range(n)]

    def record_of(self, state: State) -> Any:
        """Return the record of a position of the game, without a generator."""
        other: Any = state.explicit()
        return self._backend.state(other.data)

    def state_of(self, record: Any) -> Any:
        """Return the state over a record."""
        return self.game.state_of(record)

    def expand(self, record: Any, start: int = 0) -> int:
        """Write the successors of a position after the first `start` of `found`, and return the new end.

        Each follows an action, a chance outcome, or in a sealed turn a plan of the player to act.
        """
        while True:
            n = self._list(
                self._tables, record, self.game.max_chance_outcomes, self._path, self._tried,
                self.actions[start:], self.found[start:],
            )  # fmt: skip
            stop = start + int(n)
            if stop <= len(self.actions):
                return stop
            self._grow(stop)

    def plan(self, index: int) -> list[int]:
        """Return the actions of a plan, or the outcome of chance, that leads to record `index` of `found`."""
        row = self.actions[index].tolist()
        return row[: row.index(-1)]

    def _grow(self, most: int) -> None:
        """Grow the buffers and keep their content."""
        found, actions = self._make(2 * most), np.full((2 * most, MOST_DECISIONS + 1), -1, np.int64)
        found[: len(self.found)] = self.found
        actions[: len(self.actions)] = self.actions
        self.found, self.actions = found, actions
