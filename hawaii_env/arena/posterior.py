"""Common parts of the models of ratings: parameters with a normal prior, their maximum posterior, how far it reaches.

`hawaii_env.arena.ratings` is what to call. A model has n strengths and S seat terms as its first parameters, on the
natural scale, and may have more; the logarithm of its likelihood is concave, so with the prior there is one maximum.
SciPy finds it.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from hawaii_env.arena.result import By, GameResult, comparisons
from hawaii_env.arena.sprt import scipy_module

__all__ = ["ELO", "Model"]

ELO = 400.0 / math.log(10.0)
"""One unit of the natural scale in Elo."""

DROP = 0.5 * 1.959963984540054**2
"""How far below the maximum the log posterior is at the ends of a 95% profile interval."""

Array = NDArray[np.float64]
Loss = Callable[[Array], tuple[float, Array]]
Curve = Callable[[Array], Array]


class Model(ABC):
    """The games of a tournament as a likelihood.

    Args:
        results: one game or more, each as `hawaii_env.arena.result.counted` gives it.
        players: the players' keys; strengths are in their order.
        by: what orders the players of a game.

    Attributes:
        n: players.
        seats: seats of the game with the most of them.
        size: parameters, P.
        pairings: pairings.
        outcomes: int64[K, 3], what the games say of two players each: how often the first was before the second, level,
            behind.
        edges: int64[K, 2], those two players.
        refits: True where each of `samples` is a fit of its own.
    """

    size: int
    pairings: int
    refits: bool = True

    def __init__(self, results: Sequence[GameResult], players: Sequence[str], by: By) -> None:
        index = {player: i for i, player in enumerate(players)}
        counts: dict[tuple[int, int], list[int]] = {}
        for result in results:
            for p, q, value in comparisons(result, by):
                pair = index[result.seats[p]], index[result.seats[q]]
                counts.setdefault(pair, [0, 0, 0])[int(2 - 2 * value)] += 1
        self.n: int = len(players)
        self.seats: int = max(len(result.seats) for result in results)
        self.edges: NDArray[np.int64] = np.array(list(counts), dtype=np.int64).reshape(-1, 2)
        self.outcomes: NDArray[np.int64] = np.array(list(counts.values()), dtype=np.int64).reshape(-1, 3)

    @abstractmethod
    def loss(self, center: Array, weight: Array) -> tuple[Loss, Curve]:
        """The negative log posterior with its gradient, and its Hessian, as functions of the P parameters.

        Args:
            center: float64[P], the means of the normal prior.
            weight: float64[P], its precisions.
        """

    @abstractmethod
    def samples(
        self, best: Array, center: Array, spread: Array, bootstrap: int, generator: np.random.Generator
    ) -> Array:
        """Parameters as they might have come out: float64[bootstrap, P].

        Each sample draws as many pairings as there are, with replacement, and the centres of the prior from the prior.

        Args:
            best: float64[P], the maximum posterior.
            center: float64[P], the means of the prior.
            spread: float64[P], its standard deviations.
            bootstrap: samples.
            generator: draws them.
        """

    def maximum(self, center: Array, weight: Array, start: Array) -> Array:
        """The parameters of the maximum posterior, float64[P].

        Args:
            center: float64[P], the means of the prior.
            weight: float64[P], its precisions.
            start: float64[P], where to begin.
        """
        return maximum(*self.loss(center, weight), start)

    def profile(self, center: Array, weight: Array, best: Array, contrast: Array) -> tuple[float, float]:
        """The 95% profile interval of a linear function of the parameters, for where resampling the games cannot tell.

        An end is where the log posterior, at its maximum over all else, is `DROP` below its maximum. Adding
        ``t * contrast`` to the loss walks along that ridge, and t is searched.

        Args:
            center: float64[P], the means of the prior.
            weight: float64[P], its precisions.
            best: float64[P], the maximum posterior.
            contrast: float64[P], the function.
        """
        value, curve = self.loss(center, weight)
        floor = value(best)[0]
        # Where the posterior is normal, the end is at this t, and the rise goes with its square.
        guess = math.sqrt(2.0 * DROP / float(contrast @ np.linalg.solve(curve(best), contrast)))
        ends = []
        for sign in (1.0, -1.0):
            at, t, low, high = best, guess, 0.0, math.inf
            for _ in range(40):
                at = maximum(value, curve, at, sign * t * contrast)
                rise = value(at)[0] - floor
                if abs(rise - DROP) < 1e-3 * DROP:
                    break
                low, high = (t, high) if rise < DROP else (low, t)
                t *= min(max(math.sqrt(DROP / max(rise, 1e-9)), 1e-2), 1e2)
                if not low < t < high:
                    t = math.sqrt(low * high) if low else 0.5 * high
            ends.append(float(contrast @ at))
        return ends[0], ends[1]


def maximum(value: Loss, curve: Curve, start: Array, tilt: Array | None = None) -> Array:
    """Return the minimum of a strictly convex loss with a linear term added."""

    def tilted(at: Array) -> tuple[float, Array]:
        height, slope = value(at)
        return (height, slope) if tilt is None else (height + float(tilt @ at), slope + tilt)

    minimize = scipy_module("scipy.optimize").minimize
    options = {"gtol": 1e-6, "maxiter": 500}
    # The prior makes the Hessian positive definite, which is what "dogleg" asks for. "trust-exact" takes the root of a
    # number that rounding makes negative where a step ends on the border of its region.
    found = minimize(tilted, start, jac=True, hess=curve, method="dogleg", options=options)
    return np.asarray(found.x, dtype=np.float64)
