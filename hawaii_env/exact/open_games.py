"""Games without sealed turns: their graph of positions, and values by value iteration."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hawaii_env.errors import OptionError
from hawaii_env.exact.successors import Successors, digest
from hawaii_env.game import CHANCE, State

__all__ = ["Graph", "Policy", "build", "iterate"]

Policy = Callable[[State, list[int]], NDArray[np.float64]]
"""The probabilities of the legal actions of a position."""

MOST_POSITIONS = 5_000_000
TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Graph:
    """The graph of positions. N positions, E edges.

    Attributes:
        index: the number of a position by its digest.
        owner: int8[N], the player who chooses; -1 for chance or a given policy, -2 at the end.
        first: int64[N + 1], the edges of position i are first[i] to first[i + 1] - 1.
        child: int32[E], the position that each leads to.
        weight: float64[E], its probability; 1 if a player chooses.
        end: float64[N], the result of player 0 at the end, else 0.
    """

    index: dict[bytes, int]
    owner: NDArray[np.int8]
    first: NDArray[np.int64]
    child: NDArray[np.int32]
    weight: NDArray[np.float64]
    end: NDArray[np.float64]


def build(
    moves: Successors,
    root: Any = None,
    policies: tuple[Policy | None, Policy | None] = (None, None),
    progress: Callable[[int], None] = lambda n: None,
) -> Graph:
    """Return the graph of all reachable positions.

    Args:
        moves: of the game.
        root: the record to start from; None means the first position.
        policies: by player, a policy that chooses for the player; None leaves the choice open.
        progress: called now and then with the number of positions.

    Raises:
        OptionError: more than five million positions.
    """
    first_record = moves.root if root is None else root
    index = {digest(moves.state_of(first_record)): 0}
    owner, first, child, weight, end = array("b"), array("q", [0]), array("i"), array("d"), array("d")
    layer = [first_record.copy()]
    while layer:
        following: list[Any] = []
        for record in layer:
            state = moves.state_of(record)
            player = state.current_player
            n = 0 if state.is_terminal else moves.expand(record)
            end.append(state.returns()[0] if n == 0 else 0.0)
            policy = policies[player] if player >= 0 else None
            owner.append(-2 if n == 0 else -1 if player == CHANCE or policy is not None else player)
            chances = [1 / n if player == CHANCE else 1.0] * n
            if policy is not None:
                chances = policy(state, moves.actions[:n, 0].tolist()).tolist()
            for k in range(n):
                if chances[k] == 0:
                    continue
                key = digest(moves.state_of(moves.found[k]))
                if key not in index:
                    index[key] = len(index)
                    following.append(moves.found[k].copy())
                child.append(index[key])
                weight.append(chances[k])
            first.append(len(child))
        if len(index) > MOST_POSITIONS:
            raise OptionError(f"exact: more than {MOST_POSITIONS:,} positions")
        progress(len(index))
        layer = following
    return Graph(
        index,
        np.frombuffer(owner, np.int8),
        np.frombuffer(first, np.int64),
        np.frombuffer(child, np.int32),
        np.frombuffer(weight, np.float64),
        np.frombuffer(end, np.float64),
    )


def iterate(graph: Graph) -> NDArray[np.float64]:
    """Return the value of each position for player 0, float64[N], by value iteration to a change below 1e-9.

    Player 0 takes the greatest value, player 1 the least; chance and given policies take the mean.
    """
    values = graph.end.copy()
    groups = []
    for owner, reduce in ((-1, np.add), (0, np.maximum), (1, np.minimum)):
        rows = np.flatnonzero(graph.owner == owner)
        if rows.size:
            sizes = graph.first[rows + 1] - graph.first[rows]
            edges = np.repeat(graph.first[rows] - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
            starts = np.cumsum(sizes) - sizes
            weights = graph.weight[edges] if owner < 0 else np.ones(1)
            groups.append((rows, graph.child[edges], weights, starts, reduce))
    change = np.inf
    while change > TOLERANCE:
        change = 0.0
        for rows, children, weights, starts, reduce in reversed(groups):
            new = reduce.reduceat(values[children] * weights, starts)
            change = max(change, float(np.abs(new - values[rows]).max()))
            values[rows] = new
    return values
