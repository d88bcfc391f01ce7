"""The model of Plackett and Luce with ties and a term for the seat, for games of any number of players.

`hawaii_env.arena.ratings` is what to call. With strengths ``a`` and seat terms ``s`` on the natural scale, player i in seat p has the worth
``w = e^(a_i + s_p)``. Who comes first is drawn in proportion to the worths of all; who comes second, to those of the rest; and so on.
So of any two players the one comes before the other as often as in the model of Bradley and Terry.

That is the partial likelihood of Cox's proportional hazards, a stratum a game and a place a time; players who share a place are
Efron's ties. statsmodels has it (`PHReg`): its likelihood, gradient and curvature are used here, with a prior.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from hawaii_env.arena.posterior import Array, Curve, Loss, Model
from hawaii_env.arena.result import By, GameResult, order_of

__all__ = ["PlackettLuce"]

FEW = 20
"""Pairings from which on they are resampled: of ten, resampled, intervals held the truth in 87% of simulations, and so in 94%."""


def _phreg() -> Any:
    try:
        return importlib.import_module("statsmodels.duration.hazard_regression").PHReg
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"ratings of games of more than two players need statsmodels: pip install 'hawaii-env[arena]' ({error})",
            name=error.name,
        ) from error


class PlackettLuce(Model):
    """The games as rankings. The P parameters are n strengths and S seat terms.

    Args, attributes: as for `Model`.
    """

    refits: bool = False

    def __init__(self, results: Sequence[GameResult], players: Sequence[str], by: By = "places") -> None:
        super().__init__(results, players, by)
        self.size: int = self.n + self.seats
        index = {player: i for i, player in enumerate(players)}
        groups: dict[object, list[list[tuple[int, int, int]]]] = {}
        for number, result in enumerate(results):
            groups.setdefault(result.pairing or number, []).extend(_rankings(result, index, by))
        self.pairings: int = len(groups)
        self._groups = list(groups.values())
        self._whole = self._model([ranking for group in self._groups for ranking in group])

    def _model(self, rankings: Sequence[Sequence[tuple[int, int, int]]]) -> Any:
        """The rankings as statsmodels has them: a stratum each, with a line for each player."""
        lines = [(number, *line) for number, ranking in enumerate(rankings) for line in ranking]
        stratum, player, seat, place = np.array(lines, dtype=np.int64).T
        covariates = np.zeros((len(lines), self.size))
        covariates[np.arange(len(lines)), player] = 1.0
        covariates[np.arange(len(lines)), self.n + seat] = 1.0
        # Who share the last place are not compared: their order is what was not seen. A game in which all are level is a tie.
        last = np.zeros(len(rankings), dtype=np.int64)
        np.maximum.at(last, stratum, place)
        seen = (place < last[stratum]) | (last[stratum] == 1)
        return _phreg()(
            place.astype(np.float64), covariates, status=seen.astype(np.int64), strata=stratum, ties="efron"
        )

    def loss(self, center: Array, weight: Array) -> tuple[Loss, Curve]:
        """As `Model.loss`."""

        def value(at: Array) -> tuple[float, Array]:
            off = at - center
            height = 0.5 * float(weight @ (off * off)) - float(self._whole.loglike(at))
            return height, weight * off - np.asarray(self._whole.score(at))

        def curve(at: Array) -> Array:
            return np.diag(weight) - np.asarray(self._whole.hessian(at))

        return value, curve

    def samples(
        self, best: Array, center: Array, spread: Array, bootstrap: int, generator: np.random.Generator
    ) -> Array:
        """As `Model.samples`: each is one step of Newton from the maximum, which is many times as fast as a fit.

        Of fewer than `FEW` pairings samples would spread too little: they are drawn from the posterior's normal approximation instead.
        """
        weight = spread**-2.0
        if self.pairings < FEW:
            bend = self.loss(center, weight)[1](best)
            return generator.multivariate_normal(best, np.linalg.inv(bend), size=bootstrap, method="cholesky")
        slopes = np.array([self._model(group).score(best) for group in self._groups])
        picked = generator.multinomial(self.pairings, np.full(self.pairings, 1 / self.pairings), size=bootstrap)
        shifted = center + spread * generator.standard_normal((bootstrap, self.size))
        uphill = picked @ slopes - weight * (best - shifted)
        curve = self.loss(center, weight)[1]
        return best + np.linalg.solve(curve(best), uphill.T).T


def _rankings(result: GameResult, index: dict[str, int], by: By) -> list[list[tuple[int, int, int]]]:
    """The rankings that a game stands for, each as (player, seat, place).

    One for a game that was played out. One with each of the others where somebody has forfeited: how they would have come in was not seen.
    """
    order = order_of(result, by)
    lines = [(index[player], seat, place) for seat, (player, place) in enumerate(zip(result.seats, order, strict=True))]
    if result.forfeit is None:
        return [lines]
    loser = (*lines[result.forfeit][:2], 2)
    return [[(*line[:2], 1), loser] for seat, line in enumerate(lines) if seat != result.forfeit]
