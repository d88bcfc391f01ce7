"""Davidson's model of paired comparisons with ties and a term for the seat, for games of two players.

`hawaii_env.arena.ratings` is what to call; here is the arithmetic behind it. With strengths ``a``, seat terms ``s`` and
the tie parameter ``nu``, on the natural scale, a game of player i in the first seat and player j in the second has

    x = a_i + s_0 - a_j - s_1          P(won) : P(tied) : P(lost)  =  e^(x/2) : nu : e^(-x/2)

The P parameters are n strengths, two seat terms and log nu, in this order.

Written out here, since choix and its like have Bradley and Terry's model without ties or without seats.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hawaii_env.arena.posterior import ELO, Array, Curve, Loss, Model, maximum
from hawaii_env.arena.result import By, GameResult, comparisons
from hawaii_env.arena.sprt import scipy_module

__all__ = ["ELO", "Davidson"]


class Davidson(Model):
    """The games as counts: K ordered pairs of players with three outcomes each; Q patterns of a pairing.

    Args, attributes: as for `Model`.

    Attributes:
        frequency: float64[Q], how many pairings have each pattern.
    """

    def __init__(self, results: Sequence[GameResult], players: Sequence[str], by: By = "places") -> None:
        super().__init__(results, players, by)
        index = {player: i for i, player in enumerate(players)}
        kinds = {(int(i), int(j)): kind for kind, (i, j) in enumerate(self.edges)}
        groups: dict[object, dict[int, float]] = {}
        for number, result in enumerate(results):
            group = groups.setdefault(result.pairing or number, {})
            for p, q, value in comparisons(result, by):
                kind = kinds[index[result.seats[p]], index[result.seats[q]]]
                cell = 3 * kind + int(2 - 2 * value)  # won, tied, lost
                group[cell] = group.get(cell, 0.0) + 1.0
        patterns: dict[tuple[tuple[int, float], ...], int] = {}
        for group in groups.values():
            pattern = tuple(sorted(group.items()))
            patterns[pattern] = patterns.get(pattern, 0) + 1

        sparse = scipy_module("scipy.sparse")
        self.pairings: int = len(groups)
        self.size: int = self.n + self.seats + 1
        self.frequency: Array = np.array(list(patterns.values()), dtype=np.float64)
        entries = [(row, cell, weight) for row, pattern in enumerate(patterns) for cell, weight in pattern]
        rows = np.array([entry[0] for entry in entries], dtype=np.int64)
        cells = np.array([entry[1] for entry in entries], dtype=np.int64)
        weights = np.array([entry[2] for entry in entries], dtype=np.float64)
        self._cells: Any = sparse.csr_array((weights, (rows, cells)), shape=(len(patterns), 3 * len(kinds)))
        seats = np.tile([self.n, self.n + 1], (len(kinds), 1))
        columns = np.concatenate([self.edges, seats], axis=1).ravel()
        signs = np.tile([1.0, -1.0, 1.0, -1.0], len(kinds))
        places: NDArray[np.int64] = np.repeat(np.arange(len(kinds)), 4)
        self._design: Any = sparse.csr_array((signs, (places, columns)), shape=(len(kinds), self.size))
        self._transposed: Any = self._design.T.tocsr()

    def counts(self, weights: Array) -> Array:
        """Weighted outcomes: won, tied and lost of each kind, float64[K, 3].

        Args:
            weights: float64[Q], how often each pattern is to count; `frequency` for the games as they are.
        """
        return np.asarray(weights @ self._cells, dtype=np.float64).reshape(-1, 3)

    def loss(self, center: Array, weight: Array) -> tuple[Loss, Curve]:
        """As `Model.loss`."""
        return self.loss_of(self.counts(self.frequency), center, weight)

    def loss_of(self, counts: Array, center: Array, weight: Array) -> tuple[Loss, Curve]:
        """As `Model.loss`, of counted outcomes, float64[K, 3]."""
        design, transposed = self._design, self._transposed
        total = counts.sum(1)
        lean = 0.5 * (counts[:, 0] - counts[:, 2])
        ties = float(counts[:, 1].sum())

        def shares(at: Array) -> tuple[Array, Array, Array]:
            half, log_nu = 0.5 * (design @ at), at[-1]
            top = np.maximum(np.abs(half), log_nu)
            won, tied, lost = np.exp(half - top), np.exp(log_nu - top), np.exp(-half - top)
            whole = won + tied + lost
            return top + np.log(whole), (won - lost) / whole, tied / whole

        def value(at: Array) -> tuple[float, Array]:
            log_z, edge, tied = shares(at)
            off = at - center
            slope = transposed @ (0.5 * total * edge - lean) + weight * off
            slope[-1] += total @ tied - ties
            return float(total @ log_z - lean @ (design @ at) - ties * at[-1] + 0.5 * weight @ (off * off)), slope

        def curve(at: Array) -> Array:
            _, edge, tied = shares(at)
            bend = 0.25 * total * (1.0 - tied - edge * edge)
            out = (transposed @ (design * bend[:, None])).toarray()
            cross = transposed @ (-0.5 * total * edge * tied)
            out[-1, :] += cross
            out[:, -1] += cross
            out[-1, -1] += total @ (tied * (1.0 - tied))
            out[np.diag_indices_from(out)] += weight
            return out

        return value, curve

    def samples(
        self, best: Array, center: Array, spread: Array, bootstrap: int, generator: np.random.Generator
    ) -> Array:
        """As `Model.samples`: each is fitted again from the start."""
        drawn = np.empty((bootstrap, self.size))
        for b in range(bootstrap):
            picked = generator.multinomial(self.pairings, self.frequency / self.pairings).astype(np.float64)
            shifted = center + spread * generator.standard_normal(self.size)
            drawn[b] = maximum(*self.loss_of(self.counts(picked), shifted, spread**-2.0), best)
        return drawn
