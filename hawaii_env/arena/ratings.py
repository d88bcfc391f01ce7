"""Ratings on the Elo scale from the games of a tournament, with confidence intervals.

```python
from hawaii_env.arena import ratings

fitted = ratings.fit(results)          # list[GameResult]; random is anchored at 0
for row in fitted.table:
    print(f"{row.player:20} {row.elo:6.0f} [{row.low:.0f}, {row.high:.0f}]  {100 * row.score:.1f}% of {row.games}")
fitted.side, fitted.tie                # what the first seat is worth, and how often equals tie
fitted.expected("ppo", "rule-of-thumb")         # the score to expect of ppo over both sides
```

The model is that of Plackett and Luce (R. L. Plackett, "The analysis of permutations", Applied Statistics 24, 1975)
with ties and a term for the seat: a lead of 400 makes a player come before another ten times as often as after. For two
players it is that of Bradley and Terry with the ties of R. R. Davidson ("On extending the Bradley-Terry model to
accommodate ties in paired comparison experiments", JASA 65, 1970) and a tie term ``t`` a player. With ``d`` the first
player's lead in Elo, seats included, and ``x = d ln(10)/400``:

    P(first wins) : P(tie) : P(second wins)  =  e^(x/2) : nu t t' : e^(-x/2)

`Ratings.goodness` tells whether one rating per player describes the scores; if not, reports show no ratings.

docs/ratings.md explains the model, the prior and the intervals. The module works for any game.

One file: the model, its fit and its table share their arrays.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hawaii_env.arena.payoffs import MOST_A_DEGREE, Goodness, NashAverage, goodness_of_fit, nash_average
from hawaii_env.arena.plackett_luce import ELO, PlackettLuce, chances_of
from hawaii_env.arena.result import By, GameResult, Standing, comparisons, counted, standings
from hawaii_env.arena.sprt import (
    ScoreInterval,
    Sprt,
    Verdict,
    elo_of_score,
    pair_scores,
    scipy_module,
    score_interval,
    score_of_elo,
)
from hawaii_env.errors import OptionError
from hawaii_env.texts import show_value

__all__ = [
    "Cell",
    "Estimate",
    "GameResult",
    "Goodness",
    "NashAverage",
    "Prior",
    "Ratings",
    "Row",
    "ScoreInterval",
    "Sprt",
    "Tie",
    "Verdict",
    "elo_of_score",
    "fit",
    "nash_average",
    "pair_scores",
    "score_interval",
    "score_of_elo",
]

LEVEL = (2.5, 97.5)
"""Percentiles at the ends of intervals."""


@dataclass(frozen=True, slots=True)
class Prior:
    """The weak prior before the first game: each parameter is normal, and the players' strengths spread about
    their own mean.

    Attributes:
        strength: standard deviation of a player's strength, in Elo.
        seat: standard deviation of the worth of one seat over another, in Elo, around 0.
        ties: prior share of ties between equal players, above 0 and below 1.
        tie_spread: standard deviation of the logarithm of nu.
        tie_term: standard deviation of the logarithm of each player's tie term, around 0.
    """

    strength: float = 600.0
    seat: float = 200.0
    ties: float = 0.1
    tie_spread: float = 2.0
    tie_term: float = 0.5


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with the ends of its 95% interval; they are NaN without a bootstrap."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        digits = 0 if abs(self.value) >= 10 else 1 if abs(self.value) >= 1 else 3
        return f"{self.value:.{digits}f} [{self.low:.{digits}f}, {self.high:.{digits}f}]"


NOTHING = Estimate(math.nan, math.nan, math.nan)


@dataclass(frozen=True, slots=True)
class Tie:
    """The frequency of ties.

    Attributes:
        nu: Davidson's parameter with its interval.
        share: the resulting share of ties between players of equal strength: ``nu / (2 + nu)``.
    """

    nu: Estimate
    share: Estimate


@dataclass(frozen=True, slots=True)
class Cell:
    """The games of one player against another; with more than two players, all games in which both played.

    Attributes:
        games: number of games.
        wins: games in which the player came before the other.
        ties: games in which they were level; two who are last together in a game of three or more are not counted.
        losses: games in which the player came after the other.
        score: share of wins plus half the ties in the games counted above; NaN if there are none.
    """

    games: int
    wins: int
    ties: int
    losses: int
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Row(Standing):
    """One player in the ranking.

    Attributes:
        elo: the rating.
        low: lower end of its 95% interval; NaN without a bootstrap. The anchor's ends equal its rating.
        high: upper end of the interval.
        tie: the tie term: how many times as frequent ties are, by wins and losses, as with an average player; NaN in
            games of more than two players.
    """

    elo: float
    low: float
    high: float
    tie: float


@dataclass(frozen=True, eq=False)
class Ratings:
    """The result of `fit`. n players, best first; S seats; B bootstrap samples.

    Attributes:
        table: a `Row` for each player, the highest rating first.
        anchor: the player whose rating is 0, or None if ratings have mean 0.
        side: worth of the first seat over the others, in Elo.
        seats: worth of each seat over the mean of all, in Elo.
        tie: frequency of ties between average players; NaN in games of more than two players.
        by: what was rated: "shares" of the victory or "places".
        cross: the games of one player against another: ``cross[a, b]`` is a `Cell` where they met.
        superiority: float64[n, n], the share of samples in which the row's player is stronger than the column's, in the
            order of table; a half on the diagonal; NaN if nothing was bootstrapped.
        samples: float64[B, n], the ratings of each sample, in the order of table.
        goodness: how well the ratings describe the scores.
        components: groups of players that no game connects; ideally there is one.
        warnings: caveats for readers of the ratings, as sentences.
        games: number of games.
        pairings: number of pairings.
    """

    table: tuple[Row, ...]
    anchor: str | None
    side: Estimate
    seats: tuple[Estimate, ...]
    tie: Tie
    by: By
    cross: dict[tuple[str, str], Cell] = field(repr=False)
    superiority: NDArray[np.float64] = field(repr=False)
    samples: NDArray[np.float64] = field(repr=False)
    goodness: Goodness
    components: tuple[tuple[str, ...], ...]
    warnings: tuple[str, ...]
    games: int
    pairings: int

    @property
    def players(self) -> tuple[str, ...]:
        """Return the keys of the players, the strongest first."""
        return tuple(row.player for row in self.table)

    def __getitem__(self, player: str) -> Row:
        """Return the row of a player; raise OptionError for one without games."""
        for row in self.table:
            if row.player == player:
                return row
        raise OptionError(f"player {show_value(player)} is not rated; rated are: {', '.join(self.players) or 'none'}")

    def probabilities(self, first: str, second: str) -> tuple[float, float, float]:
        """Return the probabilities that `first`, in the first seat, wins, ties and loses against `second`.

        For games of two players.

        Raises:
            OptionError: the games are of more than two players.
        """
        if len(self.seats) > 2:
            raise OptionError("wins, ties and losses of one against another are for games of two players")
        lead = self[first].elo - self[second].elo
        if len(self.seats) > 1:
            lead += self.seats[0].value - self.seats[1].value
        return chances_of(lead, self.tie.nu.value * self[first].tie * self[second].tie)

    def expected(self, a: str, b: str) -> float:
        """Return the expected score of `a` against `b`, 0 to 1, over a pair of games with the sides swapped.

        In games of more than two players, return the share of games in which `a` comes before `b`, averaged over all
        seats.
        """
        if len(self.seats) > 2:
            return 1.0 / (1.0 + math.exp((self[b].elo - self[a].elo) / ELO))
        won, tied, _ = self.probabilities(a, b)
        _, also_tied, also_won = self.probabilities(b, a)
        return 0.5 * (won + also_won + 0.5 * (tied + also_tied))

    @property
    def verdict(self) -> str:
        """Return a sentence that says whether one rating for each player describes the scores."""
        if self.goodness.fits:
            return f"Ratings against scores: {self.goodness}."
        return (
            f"Ratings do not describe the scores ({self.goodness}, more than {MOST_A_DEGREE} a degree): no Elo is "
            "shown, and the order is only approximate."
        )

    @property
    def payoffs(self) -> NDArray[np.float64]:
        """Return the score of each player against each other, float64[n, n], 0 to 1, in the order of `table`; NaN if
        two never met.
        """
        n, index = len(self.table), {player: i for i, player in enumerate(self.players)}
        found = np.where(np.eye(n) == 1.0, 0.5, math.nan)
        for (a, b), cell in self.cross.items():
            found[index[a], index[b]] = cell.score
        return found

    def nash(self) -> NashAverage | None:
        """Return the Nash average of the players, in the order of table; None if two of them never met."""
        payoffs = self.payoffs
        return nash_average(payoffs) if self.table and not np.isnan(payoffs).any() else None

    def stronger(self, a: str, b: str) -> float:
        """Return the share of bootstrap samples in which `a` is stronger than `b`, 0 to 1: the likelihood of
        superiority.
        """
        order = self.players
        return float(self.superiority[order.index(self[a].player), order.index(self[b].player)])

    def to_dict(self) -> dict[str, Any]:
        """Return all but the samples as plain data for JSON; NaN is None."""
        return _plain(
            {
                "anchor": self.anchor,
                "games": self.games,
                "pairings": self.pairings,
                "table": [asdict(row) for row in self.table],
                "by": self.by,
                "side": asdict(self.side),
                "seats": [asdict(seat) for seat in self.seats],
                "tie": asdict(self.tie),
                "cross": [{"player": a, "other": b, **asdict(cell)} for (a, b), cell in self.cross.items()],
                "superiority": self.superiority.tolist(),
                "goodness": asdict(self.goodness),
                "nash": None if (nash := self.nash()) is None else [nash.mass.tolist(), nash.score.tolist()],
                "components": [list(group) for group in self.components],
                "warnings": list(self.warnings),
            }
        )


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def fit(
    results: Iterable[GameResult],
    anchor: str | None = "random",
    prior: Prior | None = None,
    bootstrap: int = 200,
    seed: int = 0,
    by: By = "places",
) -> Ratings:
    """Rate the players of some games by maximum posterior, with 95% intervals by bootstrap over pairings.

    Each sample draws as many pairings as there are, with replacement, and takes one Newton step from the maximum. It
    also draws the centres of the prior from the prior, so that parameters without data get intervals as wide as the
    prior. If the games bound a rating on one side only (a player without a loss has none in any sample), the interval
    is that of the profile posterior.

    Args:
        results: the games. A forfeit counts as a loss against each of the others. Games with one pairing key are
            resampled together; a game without one is a pairing of its own.
        anchor: player whose rating is 0; None, or one without games, sets the mean to 0.
        prior: the prior; by default weakly informative, see `Prior`.
        bootstrap: number of samples, B; 0 computes no intervals.
        seed: seed of the samples, 0 or more.
        by: what orders more than two players: their "places", or their "shares" of the victory alone.

    Returns:
        The ratings; without games, an empty table.

    Raises:
        RecordError: a game has invalid seats or scores.
        ModuleNotFoundError: SciPy is not installed.
    """
    prior = Prior() if prior is None else prior
    games = [counted(game) for game in results]
    players = sorted({player for game in games for player in game.seats})
    if not games:
        return _no_ratings(by)
    model = PlackettLuce(games, players, by)
    n, seats = model.n, model.seats
    center, spread = _prior_of(model, prior)
    weight = spread**-2.0
    best = model.maximum(center, weight, center)
    drawn = model.samples(best, center, spread, bootstrap, np.random.default_rng(seed))

    anchored = players.index(anchor) if anchor in players else None
    contrasts = _contrasts(model, anchored)
    values, samples = contrasts @ best, drawn @ contrasts.T
    intervals = np.percentile(samples, LEVEL, axis=0) if bootstrap else np.full((2, n + seats), math.nan)
    onesided = _onesided(model.edges, model.outcomes, n, anchored)
    for i in onesided if bootstrap else ():
        intervals[:, i] = model.profile(center, weight, best, contrasts[i])
    components = _components(model, players)
    warnings = _warnings(anchor, anchored is not None, components, [players[i] for i in onesided])

    # To a thousandth: players whom the games do not separate are sorted by name.
    order = np.array(sorted(range(n), key=lambda i: (-round(values[i], 3), players[i])), dtype=np.int64)
    elos = samples[:, order]
    above = elos[:, :, None] - elos[:, None, :]
    estimates = [Estimate(*map(float, ends)) for ends in zip(values, *intervals, strict=True)]
    first, scale = estimates[n], seats / (seats - 1)  # from 'over the mean of all' to 'over the mean of the others'
    found = {standing.player: standing for standing in standings(games)}
    terms = np.exp(best[model.nu + 1 :]) if model.ties else np.full(n, math.nan)
    rated = Ratings(
        table=tuple(_row(found[players[i]], estimates[i], float(terms[i])) for i in order),
        anchor=None if anchored is None else anchor,
        side=Estimate(first.value * scale, first.low * scale, first.high * scale),
        seats=tuple(estimates[n:]),
        tie=_tie(best[model.nu], drawn[:, model.nu]) if model.ties else Tie(NOTHING, NOTHING),
        by=by,
        cross=_cross(games, by),
        superiority=0.5 + 0.5 * np.sign(above).mean(0) if bootstrap else np.full((n, n), math.nan),
        samples=elos,
        goodness=Goodness(0.0, 0, 1.0),
        components=components,
        warnings=warnings,
        games=len(games),
        pairings=model.pairings,
    )
    return replace(rated, goodness=_goodness(rated, model, players))


def _goodness(rated: Ratings, model: PlackettLuce, players: Sequence[str]) -> Goodness:
    """Compare the scores of the games with those expected from the ratings."""

    def chances(a: str, b: str) -> tuple[float, float, float]:
        before = rated.expected(a, b)
        return rated.probabilities(a, b) if model.ties else (before, 0.0, 1.0 - before)

    named = [
        ((players[int(i)], players[int(j)]), (won, tied, lost))
        for (i, j), (won, tied, lost) in zip(model.edges.tolist(), model.outcomes.tolist(), strict=True)
    ]
    return goodness_of_fit(named, chances, model.n - len(rated.components))


def _no_ratings(by: By) -> Ratings:
    empty = np.zeros((0, 0))
    return Ratings(
        *((), None, NOTHING, (), Tie(NOTHING, NOTHING), by, {}, empty, empty, Goodness(0.0, 0, 1.0), ()),
        ("There are no games to rate.",),
        *(0, 0),
    )


def _prior_of(model: PlackettLuce, prior: Prior) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the centre and the standard deviation of the prior for each parameter."""
    n, seats = model.n, model.seats
    spread, center = np.ones(model.size), np.zeros(model.size)
    spread[:n], spread[n : n + seats] = prior.strength / ELO, prior.seat / ELO / math.sqrt(2.0)
    if model.ties:
        spread[model.nu], center[model.nu] = prior.tie_spread, math.log(2.0 * prior.ties / (1.0 - prior.ties))
        spread[model.nu + 1 :] = prior.tie_term
    return center, spread


def _contrasts(model: PlackettLuce, anchored: int | None) -> NDArray[np.float64]:
    """Return the ratings of players and seats as contrasts of the parameters, in Elo.

    Args:
        model: the model.
        anchored: index of the player whose rating is 0; None for the mean of all.
    """
    n, seats = model.n, model.seats
    contrasts = np.zeros((n + seats, model.size))
    contrasts[:n, :n] = np.eye(n) - (1.0 / n if anchored is None else np.eye(n)[anchored])
    contrasts[n:, n : n + seats] = np.eye(seats) - 1.0 / seats
    return contrasts * ELO


def _components(model: PlackettLuce, players: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Return the groups of players that no game connects, the largest first."""
    groups = _groups(model.edges, model.outcomes.sum(1) > 0, model.n)
    named = (tuple(players[i] for i in group) for group in groups)
    return tuple(sorted(named, key=lambda group: (-len(group), group)))


def _warnings(
    anchor: str | None, anchored: bool, components: Sequence[Sequence[str]], onesided: Sequence[str]
) -> tuple[str, ...]:
    warnings: list[str] = []
    if anchor is not None and not anchored:
        warnings.append(f"The anchor {anchor!r} played no game; the mean rating is 0 instead.")
    if len(components) > 1:
        names = "; ".join(", ".join(group) for group in components)
        warnings.append(
            f"No game connects these {len(components)} groups of players, so ratings compare within a group only: "
            f"{names}."
        )
    if onesided:
        against = f"against {anchor}" if anchored else "against all the others"
        warnings.append(
            f"Too one-sided to place {against}: {', '.join(onesided)}. The games limit these ratings from one side "
            "only; on the other side the interval is that of the prior."
        )
    return tuple(warnings)


def _row(standing: Standing, estimate: Estimate, tie: float) -> Row:
    return Row(**asdict(standing), elo=estimate.value, low=estimate.low, high=estimate.high, tie=tie)


def _tie(log_nu: float, samples: NDArray[np.float64]) -> Tie:
    ends = np.exp(np.percentile(samples, LEVEL)) if len(samples) else (math.nan, math.nan)
    nu = [math.exp(log_nu), *map(float, ends)]
    return Tie(Estimate(*nu), Estimate(*(x / (2.0 + x) for x in nu)))


def _groups(edges: NDArray[np.int64], there: NDArray[np.bool_], n: int, strong: bool = False) -> list[list[int]]:
    """Return the groups of players connected by edges, in either direction or, if `strong`, in both."""
    sparse, paths = scipy_module("scipy.sparse"), scipy_module("scipy.sparse.csgraph")
    kept = edges[there]
    graph = sparse.coo_array((np.ones(len(kept)), (kept[:, 0], kept[:, 1])), shape=(n, n))
    count, labels = paths.connected_components(graph, directed=strong, connection="strong" if strong else "weak")
    return [np.flatnonzero(labels == label).tolist() for label in range(count)]


def _onesided(edges: NDArray[np.int64], counts: NDArray[np.int64], n: int, anchor: int | None) -> list[int]:
    """Return the players whose rating has no maximum likelihood.

    No chain of games in which somebody was not behind leads to the anchor and back. That is the condition of L. R.
    Ford, "Solution of a ranking problem from binary comparisons", American Mathematical Monthly 64, 1957. Without an
    anchor all players are such as soon as two are not connected both ways.
    """
    arrows = np.concatenate([edges, edges[:, ::-1]])  # from who won or tied to the other
    there = np.concatenate([counts[:, 0] + counts[:, 1], counts[:, 1] + counts[:, 2]]) > 0
    groups = _groups(arrows, there, n, strong=True)
    if anchor is None:
        return [] if len(groups) == 1 else list(range(n))
    return sorted(i for group in groups if anchor not in group for i in group)


def _cross(games: Sequence[GameResult], by: By) -> dict[tuple[str, str], Cell]:
    counts: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for game in games:
        for a, b in permutations(game.seats, 2):
            if a != b:
                counts[a, b][0] += 1
        for p, q, value in comparisons(game, by):
            a, b = game.seats[p], game.seats[q]
            if a != b:
                counts[a, b][1 + int(2 - 2 * value)] += 1
                counts[b, a][1 + int(2 * value)] += 1
    cross = {}
    for key in sorted(counts):
        number, wins, ties, losses = counts[key]
        decided = wins + ties + losses
        cross[key] = Cell(number, wins, ties, losses, (wins + 0.5 * ties) / decided if decided else math.nan)
    return cross
