"""Davidson's model of paired comparisons with ties and a term for the seat: counts of games in, maximum posterior out.

`hawaii_env.arena.ratings` is what to call; here is the arithmetic behind it. With strengths ``a``, seat terms ``s`` and the tie
parameter ``nu``, on the natural scale, a comparison of player i in seat p with player j in seat q has

    x = a_i + s_p - a_j - s_q          P(won) : P(tied) : P(lost)  =  e^(x/2) : nu : e^(-x/2)

The logarithm of the likelihood is concave in strengths, seat terms and log nu, so with a normal prior there is one maximum.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hawaii_env.arena.result import GameResult
from hawaii_env.arena.sprt import compared, scipy_module

__all__ = ["ELO", "Davidson"]

ELO = 400.0 / math.log(10.0)
"""One unit of the natural scale in Elo."""

DROP = 0.5 * 1.959963984540054**2
"""How far below the maximum the log posterior is at the ends of a 95% profile interval."""

Array = NDArray[np.float64]


class Davidson:
    """The games as counts: K kinds of comparison (players and seats) with three outcomes each; Q patterns of a pairing.

    The P parameters are n strengths, S seat terms and log nu, in this order, on the natural scale.

    Args:
        results: one game or more.
        scores: what each counts for, by seat.
        players: the players' keys; strengths are in their order.

    Attributes:
        n: players.
        seats: seats of the game with the most of them.
        size: P.
        pairings: pairings.
        frequency: float64[Q], how many pairings have each pattern.
        edges: int64[K, 2], the players of each kind, the one in the lower seat first.
    """

    def __init__(
        self, results: Sequence[GameResult], scores: Sequence[tuple[float, ...]], players: Sequence[str]
    ) -> None:
        index = {player: i for i, player in enumerate(players)}
        kinds: dict[tuple[int, int, int, int], int] = {}
        groups: dict[object, dict[int, float]] = {}
        for number, (result, shares) in enumerate(zip(results, scores, strict=True)):
            count = len(shares)
            group = groups.setdefault(result.pairing or number, {})
            for p in range(count):
                for q in range(p + 1, count):
                    value = compared(shares[p], shares[q])
                    if value is None:
                        continue
                    kind = kinds.setdefault((index[result.seats[p]], index[result.seats[q]], p, q), len(kinds))
                    cell = 3 * kind + int(2 - 2 * value)  # won, tied, lost
                    group[cell] = group.get(cell, 0.0) + 1.0 / (count - 1)
        patterns: dict[tuple[tuple[int, float], ...], int] = {}
        for group in groups.values():
            pattern = tuple(sorted(group.items()))
            patterns[pattern] = patterns.get(pattern, 0) + 1

        sparse = scipy_module("scipy.sparse")
        self.n: int = len(players)
        self.seats: int = max(map(len, scores))
        self.pairings: int = len(groups)
        self.size: int = self.n + self.seats + 1
        self.frequency: Array = np.array(list(patterns.values()), dtype=np.float64)
        entries = [(row, cell, weight) for row, pattern in enumerate(patterns) for cell, weight in pattern]
        rows = np.array([entry[0] for entry in entries], dtype=np.int64)
        cells = np.array([entry[1] for entry in entries], dtype=np.int64)
        weights = np.array([entry[2] for entry in entries], dtype=np.float64)
        self._cells: Any = sparse.csr_array((weights, (rows, cells)), shape=(len(patterns), 3 * len(kinds)))
        pairs = np.array(list(kinds), dtype=np.int64).reshape(-1, 4)
        self.edges: NDArray[np.int64] = pairs[:, :2]
        columns = (pairs + np.array([0, 0, self.n, self.n])).ravel()
        signs = np.tile([1.0, -1.0, 1.0, -1.0], len(pairs))
        places = np.repeat(np.arange(len(pairs)), 4)
        self._design: Any = sparse.csr_array((signs, (places, columns)), shape=(len(pairs), self.size))
        self._transposed: Any = self._design.T.tocsr()

    def counts(self, weights: Array) -> Array:
        """Weighted outcomes: won, tied and lost of each kind, float64[K, 3].

        Args:
            weights: float64[Q], how often each pattern is to count; `frequency` for the games as they are.
        """
        return np.asarray(weights @ self._cells, dtype=np.float64).reshape(-1, 3)

    def loss(
        self, counts: Array, center: Array, weight: Array
    ) -> tuple[Callable[[Array], tuple[float, Array]], Callable[[Array], Array]]:
        """The negative log posterior with its gradient, and its Hessian, as functions of the P parameters.

        Args:
            counts: float64[K, 3], of `counts`.
            center: float64[P], the means of the normal prior.
            weight: float64[P], its precisions.
        """
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

    def maximum(self, counts: Array, center: Array, weight: Array, start: Array, tilt: Array | None = None) -> Array:
        """The parameters of the maximum posterior, float64[P].

        Args:
            counts: float64[K, 3], of `counts`.
            center: float64[P], the means of the prior.
            weight: float64[P], its precisions.
            start: float64[P], where to begin.
            tilt: float64[P], a linear term to add to the loss.
        """
        value, curve = self.loss(counts, center, weight)

        def tilted(at: Array) -> tuple[float, Array]:
            height, slope = value(at)
            return (height, slope) if tilt is None else (height + float(tilt @ at), slope + tilt)

        minimize = scipy_module("scipy.optimize").minimize
        options = {"gtol": 1e-6, "maxiter": 500}
        # The prior makes the Hessian positive definite, which is what "dogleg" asks for. "trust-exact" takes the root of a number
        # that rounding makes negative where a step ends on the border of its region.
        found = minimize(tilted, start, jac=True, hess=curve, method="dogleg", options=options)
        return np.asarray(found.x, dtype=np.float64)

    def profile(self, counts: Array, center: Array, weight: Array, best: Array, contrast: Array) -> tuple[float, float]:
        """The 95% profile interval of a linear function of the parameters, for where resampling the games cannot tell.

        An end is where the log posterior, at its maximum over all else, is `DROP` below its maximum. Adding ``t * contrast`` to the
        loss walks along that ridge, and t is searched.

        Args:
            counts: float64[K, 3], of `counts`.
            center: float64[P], the means of the prior.
            weight: float64[P], its precisions.
            best: float64[P], the maximum posterior.
            contrast: float64[P], the function.
        """
        value, curve = self.loss(counts, center, weight)
        floor = value(best)[0]
        # Where the posterior is normal, the end is at this t, and the rise goes with its square.
        guess = math.sqrt(2.0 * DROP / float(contrast @ np.linalg.solve(curve(best), contrast)))
        ends = []
        for sign in (1.0, -1.0):
            at, t, low, high = best, guess, 0.0, math.inf
            for _ in range(40):
                at = self.maximum(counts, center, weight, at, sign * t * contrast)
                rise = value(at)[0] - floor
                if abs(rise - DROP) < 1e-3 * DROP:
                    break
                low, high = (t, high) if rise < DROP else (low, t)
                t *= min(max(math.sqrt(DROP / max(rise, 1e-9)), 1e-2), 1e2)
                if not low < t < high:
                    t = math.sqrt(low * high) if low else 0.5 * high
            ends.append(float(contrast @ at))
        return ends[0], ends[1]
