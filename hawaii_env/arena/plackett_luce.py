"""The model of Plackett and Luce with ties and a term for the seat, for games of any number of players.

`hawaii_env.arena.ratings` is what to call. With strengths ``a`` and seat terms ``s`` on the natural scale, player i in
seat p has the worth ``w = e^(a_i + s_p)``. Who comes first is drawn in proportion to the worths of all; who comes
second, to those of the rest; and so on. So of any two players the one comes before the other as often as in the model
of Bradley and Terry. Of m players who share a place the j-th is drawn with j/m of their worths taken off, from j = 0 on
(B. Efron, "The efficiency of Cox's likelihood function for censored data", JASA 72, 1977).

That is the partial likelihood of Cox's proportional hazards, a stratum a game. statsmodels has it (`PHReg`), but goes
through the strata in Python: the ratings of 250 games one of whose players always wins took 10.7 s by it and take 0.5 s
by products of SciPy's sparse matrices, those of 3,000 more than 220 s and 7 s. So it is written out here; a test holds
it against statsmodels.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hawaii_env.arena.posterior import Array, Curve, Loss, Model
from hawaii_env.arena.result import By, GameResult, order_of
from hawaii_env.arena.sprt import scipy_module

__all__ = ["FEW", "PlackettLuce"]

FEW = 20
"""Pairings from which on they are resampled. Ten of them, resampled, gave intervals that held the truth in 87% of
simulations; the normal approximation, in 94%."""


class PlackettLuce(Model):
    """The games as rankings, of L lines in all, one a player, and E draws of who comes next.

    The P parameters are n strengths and S seat terms. Args, attributes: as for `Model`.
    """

    refits: bool = False

    def __init__(self, results: Sequence[GameResult], players: Sequence[str], by: By = "places") -> None:
        super().__init__(results, players, by)
        self.size: int = self.n + self.seats
        index = {player: i for i, player in enumerate(players)}
        groups: dict[object, int] = {}
        group_of: list[int] = []  # by line
        columns: list[tuple[int, int]] = []  # the player's and the seat's, by line
        starts: list[int] = []  # the first line of each ranking
        drawn: list[bool] = []  # whether a line is one of those drawn, by line
        pools: list[dict[int, float]] = []  # by draw: what part of the worth of which line is in it
        for number, result in enumerate(results):
            group = groups.setdefault(result.pairing or number, len(groups))
            for ranking in _rankings(result, index, by):
                start, places = len(columns), [place for _, _, place in ranking]
                starts.append(start)
                group_of += [group] * len(ranking)
                columns += [(player, self.n + seat) for player, seat, _ in ranking]
                # Who share the last place are not compared: their order is what was not seen. A game in which all are
                # level is a tie.
                seen = sorted(set(places))[:-1] or [1]
                drawn += [place in seen for place in places]
                for now in seen:
                    level = places.count(now)
                    pools += [
                        {start + i: 1.0 - (place == now) * j / level for i, place in enumerate(places) if place >= now}
                        for j in range(level)
                    ]
        sparse = scipy_module("scipy.sparse")
        count = len(columns)
        self.pairings: int = len(groups)
        self._starts: NDArray[np.int64] = np.array(starts, dtype=np.int64)
        self._ranking: NDArray[np.int64] = np.repeat(np.arange(len(starts)), np.diff([*starts, count]))
        self._drawn: Array = np.array(drawn, dtype=np.float64)
        ones, rows = np.ones(count), np.arange(count)
        self._grouped: Any = sparse.csr_array((ones, (np.array(group_of), rows)), shape=(len(groups), count))
        places_in = np.array(columns, dtype=np.int64)
        self._design: Any = sparse.csr_array(
            (np.ones(2 * count), (np.repeat(rows, 2), places_in.ravel())), shape=(count, self.size)
        )
        entries = [(draw, line, part) for draw, pool in enumerate(pools) for line, part in pool.items()]
        draws, lines, parts = (np.array(column) for column in zip(*entries, strict=True))
        self._pools: Any = sparse.csr_array((parts, (draws, lines)), shape=(len(pools), count))

    def _worths(self, at: Array) -> tuple[Array, Array, Array]:
        """Logarithm and worth of each line, the greatest of a ranking being 1, and the sum of each draw's pool."""
        logs = self._design @ at
        logs -= np.maximum.reduceat(logs, self._starts)[self._ranking]
        worths = np.exp(logs)
        return logs, worths, self._pools @ worths

    def _residuals(self, worths: Array, sums: Array) -> Array:
        """By how much each line was drawn more often than it was to be: float64[L]."""
        return self._drawn - worths * (self._pools.T @ (1.0 / sums))

    def loss(self, center: Array, weight: Array) -> tuple[Loss, Curve]:
        """As `Model.loss`."""

        def value(at: Array) -> tuple[float, Array]:
            off = at - center
            logs, worths, sums = self._worths(at)
            height = 0.5 * float(weight @ (off * off)) - float(self._drawn @ logs - np.log(sums).sum())
            return height, weight * off - self._design.T @ self._residuals(worths, sums)

        def curve(at: Array) -> Array:
            _, worths, sums = self._worths(at)
            diagonal = scipy_module("scipy.sparse").diags_array
            chances = diagonal(1.0 / sums) @ self._pools @ diagonal(worths)  # of each line in each draw
            means = chances @ self._design
            spread = self._design.T @ (diagonal(np.asarray(chances.sum(0))) @ self._design) - means.T @ means
            return np.diag(weight) + spread.toarray()

        return value, curve

    def samples(
        self, best: Array, center: Array, spread: Array, bootstrap: int, generator: np.random.Generator
    ) -> Array:
        """As `Model.samples`: each is one step of Newton from the maximum, which is many times as fast as a fit.

        Of fewer than `FEW` pairings samples would spread too little: they are drawn from the posterior's normal
        approximation instead.
        """
        weight = spread**-2.0
        bend = self.loss(center, weight)[1](best)
        if self.pairings < FEW:
            return generator.multivariate_normal(best, np.linalg.inv(bend), size=bootstrap, method="cholesky")
        _, worths, sums = self._worths(best)
        residuals = scipy_module("scipy.sparse").diags_array(self._residuals(worths, sums))
        slopes = (self._grouped @ residuals @ self._design).toarray()
        picked = generator.multinomial(self.pairings, np.full(self.pairings, 1 / self.pairings), size=bootstrap)
        shifted = center + spread * generator.standard_normal((bootstrap, self.size))
        uphill = picked @ slopes - weight * (best - shifted)
        return best + np.linalg.solve(bend, uphill.T).T


def _rankings(result: GameResult, index: dict[str, int], by: By) -> list[list[tuple[int, int, int]]]:
    """The rankings that a game stands for, each as (player, seat, place).

    One for a game that was played out. One with each of the others where somebody has forfeited: how they would have
    come in was not seen.
    """
    order = order_of(result, by)
    lines = [(index[player], seat, place) for seat, (player, place) in enumerate(zip(result.seats, order, strict=True))]
    if result.forfeit is None:
        return [lines]
    loser = (*lines[result.forfeit][:2], 2)
    return [[(*line[:2], 1), loser] for seat, line in enumerate(lines) if seat != result.forfeit]
