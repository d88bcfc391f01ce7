"""Payoffs: scores of all pairs of players, the fit of ratings to them, and Nash averaging.

A payoff matrix is float64[n, n]: the score of the row's player against the column's, 0 to 1, a half on the diagonal,
NaN where two never met.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hawaii_env.arena.sprt import scipy_module
from hawaii_env.errors import OptionError
from hawaii_env.texts import count

__all__ = ["MOST_A_DEGREE", "Goodness", "NashAverage", "goodness_of_fit", "nash_average"]

Array = NDArray[np.float64]

MOST_A_DEGREE = 1.5
"""Chi-squared a degree of freedom above which no table shows a rating, unless chance does as much."""
CHANCE = 0.05
"""The p-value from which on ratings fit all the same: with one degree of freedom, 1.5 is common."""


@dataclass(frozen=True, slots=True)
class Goodness:
    """The fit of ratings to the scores of all pairs of players.

    Attributes:
        chi_squared: the squared differences of scores and expectations, by their variance.
        degrees: degrees of freedom: pairs of players that met, less the ratings that were free.
        p_value: how often games of such ratings differ as much or more, 0 to 1; 1 without degrees of freedom.
    """

    chi_squared: float
    degrees: int
    p_value: float

    @property
    def fits(self) -> bool:
        """True if one rating per player describes the scores: chi-squared is at most 1.5 per degree of freedom, or
        chance gives as much in 5% of cases.
        """
        return self.chi_squared <= MOST_A_DEGREE * self.degrees or self.p_value >= CHANCE

    def __str__(self) -> str:
        return f"chi-squared {self.chi_squared:.1f} on {count(self.degrees, 'degree')} of freedom"


Cells = Iterable[tuple[tuple[str, str], tuple[int, int, int]]]
"""First and second player, and how often the first came before, level, behind."""


def goodness_of_fit(cells: Cells, chances: Callable[[str, str], tuple[float, float, float]], free: int) -> Goodness:
    """Compare scores with the chances that ratings give them.

    Games of a pairing count as independent, which they are but for the cards and dice that they share.

    Args:
        cells: the results of each pair of players, in each order of seats; of a player with itself they are ignored.
        chances: for first and second player, the probabilities that the first comes before, level, behind.
        free: ratings that were free: players less groups of connected players.
    """
    sums: dict[frozenset[str], list[float]] = {}
    for (a, b), counts in cells:
        games = sum(counts)
        if a == b or not games:
            continue
        won, tied, _ = chances(a, b)
        expected = won + 0.5 * tied
        off = counts[0] + 0.5 * counts[1] - games * expected
        total = sums.setdefault(frozenset((a, b)), [0.0, 0.0])
        total[0] += off if a < b else -off
        total[1] += games * (won + 0.25 * tied - expected * expected)
    chi_squared = sum(off * off / variance for off, variance in sums.values() if variance > 0.0)
    degrees = max(0, len(sums) - free)
    tail = float(scipy_module("scipy.stats").chi2.sf(chi_squared, degrees)) if degrees else 1.0
    return Goodness(chi_squared, degrees, tail)


@dataclass(frozen=True, slots=True, eq=False)
class NashAverage:
    """The equilibrium of the game in which each side picks a player and scores what the matrix says.

    Attributes:
        mass: float64[n], how often the equilibrium picks each player; of several equilibria, that of greatest entropy.
        score: float64[n], what each player scores against that mixture, 0 to 1: a half at most, and just that for
            everybody with a mass.
    """

    mass: Array
    score: Array


def nash_average(payoffs: Array) -> NashAverage:
    """Average scores over the opponents that matter (D. Balduzzi et al., "Re-evaluating evaluation", NeurIPS 2018).

    Copies of a weak player change nothing; players that beat each other in a cycle share the mass.

    Args:
        payoffs: float64[n, n], a payoff matrix without NaN, n > 0.

    Raises:
        OptionError: two players never met, or the scores of two do not add up to 1.
    """
    score = np.asarray(payoffs, dtype=np.float64)
    if np.isnan(score).any():
        raise OptionError("payoffs: two of the players never met, so there is no equilibrium of all")
    if score.ndim != 2 or score.shape[0] != score.shape[1] or not np.allclose(score + score.T, 1.0):
        raise OptionError("payoffs: expected a square matrix in which the scores of two players add up to 1")
    edge, n = score - 0.5, len(score)
    optimize = scipy_module("scipy.optimize")
    # An equilibrium first: no player scores more than a half against the mass.
    zero = optimize.linprog(np.zeros(n), A_ub=edge, b_ub=np.zeros(n), A_eq=np.ones((1, n)), b_eq=[1.0])
    found = optimize.minimize(
        lambda p: float(np.sum(p * np.log(np.maximum(p, 1e-12)))),
        zero.x,
        jac=lambda p: np.log(np.maximum(p, 1e-12)) + 1.0,
        bounds=[(0.0, 1.0)] * n,
        constraints=[
            {"type": "eq", "fun": lambda p: p.sum() - 1.0, "jac": lambda _: np.ones(n)},
            {"type": "ineq", "fun": lambda p: -edge @ p, "jac": lambda _: -edge},
        ],
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-12},
    )
    best = found.x if found.success and (edge @ found.x).max() < 1e-6 else zero.x
    mass = np.where(best < 1e-6, 0.0, best)
    mass /= mass.sum()
    return NashAverage(mass, 0.5 + edge @ mass)
