"""Games with sealed turns: positions between turns, and their values by linear programs, backwards from the end.

Between two turns nothing is hidden, so a turn is a matrix game over the plans of both players, and each pair of plans
leads to another position between turns. The last turns are solved first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hawaii_env.arena.sprt import scipy_module
from hawaii_env.errors import OptionError
from hawaii_env.exact.successors import Successors
from hawaii_env.game import State

__all__ = ["Matrix", "Turns", "solve_matrix", "solve_turns"]

MOST_POSITIONS = 1_000_000
FOLLOWS = ("queue", "asked")
"""Fields that follow from the others between turns."""

OUTCOME = ("phase", "weight")
"""Fields of a result: at the end, positions that differ only in others are equal."""


@dataclass(frozen=True, slots=True)
class Matrix:
    """A sealed turn as a matrix game. N and M plans of the players.

    Attributes:
        plans: the plans of player 0 and of player 1, lists of actions; one empty plan for a player without decisions.
        following: int64[N, M], the number of the position that follows.
    """

    plans: tuple[list[list[int]], list[list[int]]]
    following: NDArray[np.int64]

    def payoff(self, value: Callable[[int], float]) -> NDArray[np.float64]:
        """Return the values of the following positions, float64[N, M], each computed once by its number."""
        children, at = np.unique(self.following, return_inverse=True)
        return np.array([value(child) for child in children.tolist()])[at].reshape(self.following.shape)


def solve_matrix(payoff: NDArray[np.float64]) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
    """Return the value of a matrix game for the row player, who maximises, and optimal strategies of both.

    Equal rows and columns are merged; saddle points are found directly, other solutions by a linear program.
    """
    rows, row_of = np.unique(payoff, axis=0, return_index=True)
    small, column_of = np.unique(rows, axis=1, return_index=True)
    best, least = small.min(axis=1), small.max(axis=0)
    if best.max() >= least.min() - 1e-12:
        strategies = np.zeros(len(small)), np.zeros(small.shape[1])
        strategies[0][best.argmax()] = strategies[1][least.argmin()] = 1.0
        value = float(best.max())
    else:
        value, *strategies = _linear_program(small)
    full = np.zeros(payoff.shape[0]), np.zeros(payoff.shape[1])
    full[0][row_of], full[1][column_of] = strategies
    return value, *full


def _linear_program(payoff: NDArray[np.float64]) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
    """Return value and strategies of a matrix game without a saddle point."""
    linprog = scipy_module("scipy.optimize").linprog
    n, m = payoff.shape
    result = linprog(
        np.r_[np.zeros(n), -1.0],
        A_ub=np.c_[-payoff.T, np.ones(m)],
        b_ub=np.zeros(m),
        A_eq=np.r_[np.ones(n), 0.0][None],
        b_eq=[1.0],
        bounds=[*[(0, None)] * n, (None, None)],
        method="highs",
    )
    if not result.success:
        raise ArithmeticError(f"the linear program of a turn failed: {result.message}")
    row = np.maximum(result.x[:n], 0)
    column = np.maximum(-result.ineqlin.marginals, 0)
    return -float(result.fun), row / row.sum(), column / column.sum()


class Turns:
    """The positions between turns found so far, by number.

    Args:
        moves: of the game.

    Attributes:
        records: their records.
        index: their numbers by 16 bytes that stand for each.
    """

    def __init__(self, moves: Successors) -> None:
        self.moves: Successors = moves
        self.records: list[Any] = []
        self._layout: Any = moves.game.compiled_rules.state
        skipped = [name for name in FOLLOWS if name in self._layout.fields]
        self._columns = self._layout.columns(self._layout.array(moves.root), skipped)
        outcome = self._layout.columns(self._layout.array(moves.root), set(self._layout.fields) - {*OUTCOME})
        self._other = np.flatnonzero(~np.isin(self._columns, outcome))
        self._phase = int(np.flatnonzero(self._columns == self._layout.offset("phase"))[0])
        self._over = moves.game.phases.index("over")
        self._weights = np.random.default_rng(1795).integers(0, 2**63, (2, len(self._columns)), np.uint64) * 2 + 1
        self.index: dict[bytes, int] = {}

    def keys(self, records: Any) -> NDArray[np.uint64]:
        """Return 16 bytes that stand for each of some positions, uint64[N, 2]."""
        words = np.array([self._layout.array(one) for one in records]) if isinstance(records, list) else records
        words = words[:, self._columns]
        words[np.ix_(words[:, self._phase] == self._over, self._other)] = 0
        words = words.astype(np.uint64)
        return np.stack([(words * weights).sum(axis=1) for weights in self._weights], axis=1)

    def key(self, record: Any) -> bytes:
        """Return 16 bytes that stand for a position."""
        return self.keys([record])[0].tobytes()

    def number_all(self, records: Any) -> NDArray[np.int64]:
        """Return the numbers of positions, new ones for those not met before."""
        keys = self.keys(records)
        _, first, back = np.unique(keys[:, 0], return_index=True, return_inverse=True)
        numbers = np.empty(len(first), np.int64)
        for at, k in enumerate(first.tolist()):
            key = keys[k].tobytes()
            if key not in self.index:
                self.index[key] = len(self.records)
                self.records.append(records[k].copy())
            numbers[at] = self.index[key]
        return numbers[back]

    def number(self, record: Any) -> int:
        """Return the number of a position."""
        return int(self.number_all([record])[0])

    def mark(self, record: Any) -> int:
        """Return a number that grows from turn to turn."""
        rules = self.moves.game.compiled_rules
        return rules.hooks["turn_mark"](None, self._layout.interpreted(record))

    def matrix(self, record: Any) -> Matrix:
        """Return the turn that begins at a position as a matrix game."""
        moves, mark = self.moves, self.mark(record)
        first = moves.state_of(record).current_player
        n = moves.expand(record)
        plans = [moves.plan(k) for k in range(n)]
        entered = [moves.found[k].copy() for k in range(n)]
        if moves.state_of(entered[0]).is_terminal or self.mark(entered[0]) != mark:
            numbers = self.number_all(moves.found[:n])[:, None]
            return Matrix((plans, [[]]), numbers) if first == 0 else Matrix(([[]], plans), numbers.T)
        total, replies = 0, 0
        for one in entered:
            replies, total = total, moves.expand(one, total)
            replies = total - replies  # as many for each: what one can enter does not depend on the other's entries
        answers = [moves.plan(k) for k in range(replies)]
        numbers = self.number_all(moves.found[:total]).reshape(n, replies)
        return Matrix((plans, answers), numbers) if first == 0 else Matrix((answers, plans), numbers.T)


def solve_turns(turns: Turns, progress: Callable[[int], None] = lambda n: None, root: Any = None) -> dict[int, float]:
    """Return the value for player 0 of all reachable positions between turns, by number.

    Args:
        turns: of the game, without positions.
        progress: called now and then with the number of positions solved.
        root: the record to begin with; None is the first position.

    Raises:
        OptionError: more than a million positions, or chance in the game.
    """
    moves = turns.moves
    layers: dict[int, list[tuple[int, Matrix]]] = {}
    first = turns.number(moves.root if root is None else root)
    seen, waiting, values = {first}, [first], {}
    while waiting:
        number = waiting.pop()
        state: State = moves.state_of(turns.records[number])
        if state.is_terminal:
            values[number] = state.returns()[0]
            continue
        if state.current_player < 0:
            raise OptionError(f"exact: {moves.game.name} with chance between sealed turns is not solved")
        matrix = turns.matrix(turns.records[number])
        layers.setdefault(turns.mark(turns.records[number]), []).append((number, matrix))
        new = set(np.unique(matrix.following).tolist()) - seen
        seen |= new
        waiting += sorted(new)
        if len(seen) > MOST_POSITIONS:
            raise OptionError(f"exact: more than {MOST_POSITIONS:,} positions")
        progress(len(values))
    for mark in sorted(layers, reverse=True):
        for number, matrix in layers[mark]:
            values[number] = solve_matrix(matrix.payoff(values.__getitem__))[0]
            progress(len(values))
    return values
