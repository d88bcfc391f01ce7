"""Is A better than B? A sequential test over pairs of games with the sides swapped, and the interval of a score.

```python
from hawaii_env._arguments import check_number
from hawaii_env.arena.sprt import Sprt

test = Sprt(elo0=0, elo1=20)
while test.status == "continue":
    test.update(play_a_pair())     # A's score over both games of the pair: 0, 0.5, 1, 1.5 or 2
print(test.describe())
```

The two games of a pair share cards and dice, so their results are not independent; the pair is what is counted. Nothing
here knows a game.

Written out here: engine testers have this test inside of their programs, no kept Python library has it for pairs.
"""

from __future__ import annotations

import importlib
import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hawaii_env._arguments import check_number
from hawaii_env.arena.result import By, GameResult, comparisons, counted
from hawaii_env.errors import OptionError
from hawaii_env.texts import count, number

__all__ = [
    "ScoreInterval",
    "Sprt",
    "Verdict",
    "elo_of_score",
    "log_likelihood_ratio",
    "mean_interval",
    "pair_scores",
    "score_interval",
    "score_of_elo",
    "share_interval",
]

Verdict: TypeAlias = Literal["continue", "H0", "H1"]

PAIR_VALUES = (0.0, 0.5, 1.0, 1.5, 2.0)
"""The possible scores of a player over the two games of a pair."""

STEPS = 60
"""Halvings of a bracket after which float64 cannot be divided further."""

EDGE = 1e-12
"""The distance from the end of a range at which a search stops, as a share of the range."""


def score_of_elo(elo: float) -> float:
    """Return the expected score, 0 to 1, that stands for a lead of `elo`: ``1 / (1 + 10^(-elo/400))``."""
    return 1.0 / (1.0 + 10.0 ** (-min(max(elo, -1e5), 1e5) / 400.0))


def elo_of_score(score: float) -> float:
    """Return the lead in Elo that a score stands for; minus and plus infinity for 0 and 1."""
    if score in (0.0, 1.0):
        return math.copysign(math.inf, score - 0.5)
    return -400.0 * math.log10(1.0 / score - 1.0)


def pair_scores(results: Iterable[GameResult], a: str, b: str) -> tuple[list[float], int]:
    """Return the scores of `a` against `b` over whole pairs, and the number of their games outside whole pairs.

    A pair is two games of two players with one pairing key, each player once in the first seat.

    Args:
        results: games, in any order; those of other players are ignored.
        a: key of the first player.
        b: key of the second player.

    Returns:
        A list of 0, 0.5, 1, 1.5 or 2, in the order in which the pairs were completed; the number of games left over.
    """
    waiting: dict[str, tuple[list[float], list[float]]] = defaultdict(lambda: ([], []))
    pairs: list[float] = []
    left = 0
    for result in results:
        if result.seats not in ((a, b), (b, a)) or a == b:
            continue
        seat = result.seats.index(a)
        score = counted(result).shares[seat]
        left += 1
        if not result.pairing:
            continue
        mine, others = waiting[result.pairing][seat], waiting[result.pairing][1 - seat]
        if others:
            pairs.append(score + others.pop(0))
            left -= 2
        else:
            mine.append(score)
    return pairs, left


def _profile(values: NDArray[np.float64], counts: NDArray[np.float64], mean: float) -> NDArray[np.float64]:
    """Return the log likelihood lost by holding that the mean is `mean`: float64[...], 0 or more.

    Maximum likelihood over all distributions on [0, 1] that have the mean: ``p_i = c_i / (n (1 + t (v_i - mean)))``,
    where t maximises ``sum_i c_i log(1 + t (v_i - mean))``; that maximum is what is returned. The ends of the range of
    t are where probability goes to 0 or 1 though neither was seen.

    Args:
        values: float64[m], from 0 to 1.
        counts: float64[..., m], how often each was seen.
        mean: strictly between 0 and 1.
    """
    off = values - mean

    def slope_and_bend(at: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        share = off / (1.0 + at[..., None] * off)
        return (counts * share).sum(-1), (counts * share * share).sum(-1)

    # A hair inside of the range, so that what was not seen divides by little, not by nothing.
    low = np.full(counts.shape[:-1], (EDGE - 1.0) / (1.0 - mean))
    high = np.full(counts.shape[:-1], (1.0 - EDGE) / mean)
    low = np.where(slope_and_bend(high)[0] >= 0, high, low)
    high = np.where(slope_and_bend(low)[0] <= 0, low, high)
    tilt = np.clip(np.zeros(counts.shape[:-1]), low, high)
    for _ in range(STEPS):
        slope, bend = slope_and_bend(tilt)
        low, high = np.where(slope > 0, tilt, low), np.where(slope > 0, high, tilt)
        step = tilt + slope / np.where(bend > 0, bend, 1.0)
        step = np.where((step > low) & (step < high), step, 0.5 * (low + high))
        if np.all(np.abs(step - tilt) <= 1e-12 * (1.0 + np.abs(tilt))):
            break
        tilt = step
    return (counts * np.log1p(tilt[..., None] * off)).sum(-1)


def log_likelihood_ratio(counts: ArrayLike, elo0: float, elo1: float) -> NDArray[np.float64]:
    """Return the generalised log likelihood ratio of 'the lead is elo1' to 'it is elo0', given counts of pair scores.

    Both hypotheses fix only the mean of the pair score; the five probabilities are under each its maximum likelihood
    estimate, exactly, not the usual normal approximation ``n (s1 - s0) (2 mean - s0 - s1) / (2 variance)``, which it
    comes to for many pairs and a small difference.

    Args:
        counts: float[..., 5], how often a pair brought 0, 0.5, 1, 1.5 and 2 points.
        elo0: the lead that the null hypothesis states, in Elo of the score (`score_of_elo`).
        elo1: that of the alternative.

    Returns:
        float64[...], above 0 if the counts speak for elo1.
    """
    seen = np.asarray(counts, dtype=np.float64)
    values = np.array(PAIR_VALUES) / 2.0
    scores = score_of_elo(elo0), score_of_elo(elo1)
    return _profile(values, seen, scores[0]) - _profile(values, seen, scores[1])


class Sprt:
    """A sequential probability ratio test over swapped pairs: stop as soon as it is clear whether A is better than B.

    It is the generalised test (GSPRT: T. L. Lai, "Nearly optimal sequential tests of composite hypotheses", Annals of
    Statistics 16, 1988; M. Van den Bergh, "A practical introduction to the GSPRT", 2016) on the pentanomial of pair
    scores. With c_i pairs that brought v_i of {0, 1/4, 1/2, 3/4, 1} of their points, and ``s = 1 / (1 +
    10^(-elo/400))`` for elo0 and elo1,

        llr = max_t sum_i c_i log(1 + t (v_i - s0))  -  max_t sum_i c_i log(1 + t (v_i - s1))

    which is the log ratio of the two maximum likelihoods with the mean held at s1 and at s0 (`log_likelihood_ratio`).
    The test ends with "H1" at ``llr >= log((1 - beta) / alpha)`` and with "H0" at ``llr <= log(beta / (1 - alpha))``
    (Wald 1945).

    Elo here is that of the score over both sides; `hawaii_env.arena.ratings` has another one where ties are frequent
    (docs/ratings.md says how they go together).

    Args:
        elo0: the lead of A over B that counts as none.
        elo1: the lead that is worth finding; above elo0.
        alpha: how often to say H1 though the lead is elo0, above 0 and below 1/2.
        beta: how often to say H0 though the lead is elo1.

    Attributes:
        counts: int64[5], pairs that brought 0, 0.5, 1, 1.5 and 2 points.
        llr: the log likelihood ratio so far.
        lower: at or below this the verdict is H0.
        upper: at or above this it is H1.
        status: "continue", "H0" or "H1".

    Raises:
        OptionError: elo1 not above elo0, alpha or beta out of range.
    """

    def __init__(self, elo0: float, elo1: float, alpha: float = 0.05, beta: float = 0.05) -> None:
        if not -4000 <= elo0 < elo1 <= 4000:
            raise OptionError(f"elo0 {elo0!r} and elo1 {elo1!r}: elo1 must be above elo0, both from -4000 to 4000")
        check_number("alpha", alpha, above=0, below=0.5)
        check_number("beta", beta, above=0, below=0.5)
        self.elo0: float = float(elo0)
        self.elo1: float = float(elo1)
        self.alpha: float = float(alpha)
        self.beta: float = float(beta)
        self.lower: float = math.log(beta / (1.0 - alpha))
        self.upper: float = math.log((1.0 - beta) / alpha)
        self.counts: NDArray[np.int64] = np.zeros(5, dtype=np.int64)
        self.llr: float = 0.0
        self.status: Verdict = "continue"

    @property
    def pairs(self) -> int:
        """Return the number of pairs."""
        return int(self.counts.sum())

    @property
    def score(self) -> float:
        """Return A's mean score in a game, 0 to 1; NaN before the first pair."""
        return float(self.counts @ np.array(PAIR_VALUES)) / (2.0 * self.pairs) if self.pairs else math.nan

    def update(self, pair_score: float) -> Verdict:
        """Count one pair, and return the new status of the test.

        A verdict is final: pairs that were still being played are added to counts and llr, but do not change it.

        Args:
            pair_score: A's points over both games: 0, 0.5, 1, 1.5 or 2.

        Raises:
            OptionError: the score is another number.
        """
        if pair_score not in PAIR_VALUES:
            raise OptionError(f"pair score {pair_score!r}: the two games of a pair bring 0, 0.5, 1, 1.5 or 2 points")
        self.counts[round(2 * pair_score)] += 1
        self.llr = float(log_likelihood_ratio(self.counts, self.elo0, self.elo1))
        if self.status == "continue":
            if self.llr >= self.upper:
                self.status = "H1"
            elif self.llr <= self.lower:
                self.status = "H0"
        return self.status

    def describe(self) -> str:
        """Return one line: the verdict, the ratio and its bounds, the pairs and the score."""
        verdict = {
            "continue": "undecided",
            "H0": f"H0: the lead is {self.elo0:g} Elo rather than {self.elo1:g}",
            "H1": f"H1: the lead is {self.elo1:g} Elo rather than {self.elo0:g}",
        }[self.status]
        score = f"score {100 * self.score:.1f}%, " if self.pairs else ""
        counts = " ".join(map(str, self.counts.tolist()))
        return (
            f"{verdict} ({score}{count(self.pairs, 'pair')} [{counts}], "
            f"llr {number(self.llr, 2)} between {self.lower:.2f} and "
            f"{self.upper:.2f}, errors {self.alpha:g} and {self.beta:g})"
        )

    def __repr__(self) -> str:
        return (
            f"Sprt(elo0={self.elo0:g}, elo1={self.elo1:g}, alpha={self.alpha:g}, beta={self.beta:g}): {self.describe()}"
        )


@dataclass(frozen=True, slots=True)
class ScoreInterval:
    """The mean score of one player against another, 0 to 1, with an interval.

    Attributes:
        mean: mean score a game; NaN without games.
        low: lower end of the interval.
        high: upper end.
        pairs: number of pairs with swapped sides, or of pairings in games of three or more.
        games: number of games in them.
        left_over: games of the two players that are in no whole pair, and were left out.
        level: level of the interval, such as 0.95.
    """

    mean: float
    low: float
    high: float
    pairs: int
    games: int
    left_over: int = 0
    level: float = 0.95

    def __str__(self) -> str:
        return (
            f"{100 * self.mean:.1f}% [{100 * self.low:.1f}, {100 * self.high:.1f}] "
            f"over {count(self.pairs, 'pair')}, {count(self.games, 'game')}"
        )


def scipy_module(name: str) -> Any:
    """Import a module of SciPy.

    Raises:
        ModuleNotFoundError: SciPy is not installed; the message names the extra.
    """
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"ratings need SciPy: pip install 'hawaii-env[arena]' ({error})", name=error.name
        ) from error


def mean_interval(values: Sequence[float], level: float = 0.95) -> tuple[float, float, float]:
    """Return the mean of independent numbers from 0 to 1, and an interval of it that never leaves that range.

    The interval holds the means whose profile likelihood (`log_likelihood_ratio`) is within ``t^2 / 2`` of the best
    one, t Student's quantile with one degree of freedom less than there are values. It is about mean +- t standard
    errors where many values spread, and still has a width where all are equal: 0.996 to 1 for 500 wins in 500.

    Args:
        values: float[n], from 0 to 1.
        level: above 0, below 1.

    Returns:
        mean, lower end, upper end; NaN, 0 and 1 for no values, and the whole range for one.
    """
    data = np.asarray(values, dtype=np.float64)
    if data.size == 0:
        return math.nan, 0.0, 1.0
    mean = float(data.mean())
    if data.size == 1:
        return mean, 0.0, 1.0
    support, counts = np.unique(data, return_counts=True)
    weights = counts.astype(np.float64)
    bound = 0.5 * float(scipy_module("scipy.special").stdtrit(data.size - 1, 0.5 + level / 2.0)) ** 2

    def over(at: float) -> float:
        return float(_profile(support, weights, at)) - bound

    def end(far: float) -> float:
        edge = min(max(far, EDGE), 1.0 - EDGE)
        if abs(mean - far) < 1e-9 or over(edge) <= 0:
            return far
        inside = min(max(mean, EDGE), 1.0 - EDGE)
        return float(scipy_module("scipy.optimize").brentq(over, edge, inside, xtol=1e-9))

    return mean, end(0.0), end(1.0)


@dataclass(frozen=True, slots=True)
class ShareInterval:
    """A player's share of the victory.

    Attributes:
        games: number of games.
        share: the mean share, 0 to 1; NaN without games.
        low: lower end of the 95% interval, by meetings.
        high: upper end.
        by_seat: the mean share in each seat; NaN without games there.
        decisions: number of the player's decisions.
        seconds: wall-clock seconds that they took.
        forfeits: number of games that it forfeited.
    """

    games: int
    share: float
    low: float
    high: float
    by_seat: tuple[float, ...]
    decisions: int
    seconds: float
    forfeits: int


def share_interval(results: Iterable[GameResult], key: str) -> ShareInterval:
    """Return a player's share of the victory over all its games, with an interval by meetings: the games of one meeting
    share cards and dice, and count as one.
    """
    meetings: dict[str, list[float]] = defaultdict(list)
    seats: dict[int, list[float]] = defaultdict(list)
    decisions, seconds, forfeits, most = 0, 0.0, 0, 0
    for game in results:
        most = max(most, len(game.seats))
        for seat in (seat for seat, player in enumerate(game.seats) if player == key):
            meetings[game.pairing].append(game.shares[seat])
            seats[seat].append(game.shares[seat])
            forfeits += game.forfeit == seat
            decisions += game.decisions[seat]
            seconds += game.seconds[seat]
    means = [sum(seats[seat]) / len(seats[seat]) if seats[seat] else math.nan for seat in range(most)]
    interval = mean_interval([sum(shares) / len(shares) for shares in meetings.values()])
    return ShareInterval(sum(map(len, seats.values())), *interval, tuple(means), decisions, seconds, forfeits)


def score_interval(
    results: Iterable[GameResult], a: str, b: str, level: float = 0.95, by: By = "places"
) -> ScoreInterval:
    """Return the mean score of `a` against `b` with an interval, counted by pairs of swapped sides, not by games.

    Games in no whole pair are left out, since they would let the sides tell. In games of three or more players the mean
    is over pairings: in how many of a pairing's games `a` came before `b`, level a half; games that say nothing of the
    two (`hawaii_env.arena.result.comparisons`) are left out.

    Args:
        results: games, in any order; those of others are left out.
        a: the key of the player whose score is wanted.
        b: the key of the other.
        level: of the interval.
        by: what orders more than two players.
    """
    mine = [result for result in results if a in result.seats and b in result.seats]
    scores, left = pair_scores((result for result in mine if len(result.seats) == 2), a, b)
    values, games = [score / 2.0 for score in scores], 2 * len(scores)
    groups: dict[object, list[float]] = defaultdict(list)
    for index, result in enumerate(mine):
        if len(result.seats) > 2 and a != b:
            for p, q, value in comparisons(counted(result), by):
                if (result.seats[p], result.seats[q]) in ((a, b), (b, a)):
                    groups[result.pairing or index].append(value if result.seats[p] == a else 1 - value)
                    games += 1
    values += [sum(group) / len(group) for group in groups.values()]
    mean, low, high = mean_interval(values, level)
    return ScoreInterval(mean, low, high, len(values), games, left, level)
