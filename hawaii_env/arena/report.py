"""The report of a tournament: one HTML page that needs nothing else, and the same as Markdown with its charts beside
it.

```python
from hawaii_env.arena import report

written = report.write(results, "runs/league", title="League", meta={"ruleset": "baseline"})
written.html, written.markdown, written.ratings
```

Every number that a chart shows is in a table too. Nothing here knows a game.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hawaii_env.arena import charts
from hawaii_env.arena.pages import Section, Table, as_html, as_markdown
from hawaii_env.arena.ratings import Estimate, Ratings, fit
from hawaii_env.arena.result import By, GameResult, counted
from hawaii_env.arena.sprt import mean_interval, score_interval
from hawaii_env.errors import OptionError
from hawaii_env.texts import count, number, write_bytes

__all__ = ["Report", "write"]

BINS = 20
"""Most columns in the chart of game lengths."""


@dataclass(frozen=True, slots=True)
class Report:
    """The files of a report.

    Attributes:
        html: the page, which needs no other files.
        markdown: the same text with links to the charts.
        data: the ratings as JSON (`Ratings.to_dict`).
        charts: the charts, as SVG and PNG.
        ratings: the ratings.
    """

    html: Path
    markdown: Path
    data: Path
    charts: tuple[Path, ...]
    ratings: Ratings


def write(
    results: Iterable[GameResult],
    folder: str | Path,
    *,
    title: str = "Tournament",
    meta: Mapping[str, Any] | None = None,
    seat_names: Sequence[str] = (),
    ratings: Ratings | None = None,
    anchor: str | None = "random",
    bootstrap: int = 200,
    seed: int = 0,
    by: By = "places",
) -> Report:
    """Write ``index.html``, ``report.md``, ``ratings.json`` and the charts ``*.svg`` and ``*.png`` to a folder.

    Args:
        results: the games; they may be empty.
        folder: folder, created if it is missing; files of these names in it are replaced.
        title: heading of the report.
        meta: facts to show at the top, such as game, ruleset, commit, machine; values of any type, shown as text.
        seat_names: names of the seats; by default 'first seat', 'second seat' and so on.
        ratings: ratings of these games; None fits them here.
        anchor: see `hawaii_env.arena.ratings.fit`.
        bootstrap: see `hawaii_env.arena.ratings.fit`.
        seed: see `hawaii_env.arena.ratings.fit`.
        by: see `hawaii_env.arena.ratings.fit`.

    Raises:
        OptionError: there are fewer seat names than seats.
        ModuleNotFoundError: SciPy or Matplotlib is not installed; the message names the extra.
    """
    place = Path(folder)
    games = [counted(game) for game in results]
    fitted = ratings if ratings is not None else fit(games, anchor=anchor, bootstrap=bootstrap, seed=seed, by=by)
    count = max((len(game.seats) for game in games), default=0)
    if seat_names and len(seat_names) < count:
        raise OptionError(f"seat_names {list(seat_names)!r}: the games have {count} seats")
    named = [str(name) for name in seat_names[:count]] or [_ordinal(seat) for seat in range(count)]
    sections = _sections(games, fitted, named) if games else []
    facts = _facts(games, fitted, meta or {})

    place.mkdir(parents=True, exist_ok=True)
    paths: list[Path] = []
    for section in sections:
        if section.chart is not None:
            charts.save(section.chart[2], place, section.chart[0])
            paths += [place / f"{section.chart[0]}.svg", place / f"{section.chart[0]}.png"]
    page, text, data = place / "index.html", place / "report.md", place / "ratings.json"
    write_bytes(page, as_html(title, facts, fitted.warnings, sections).encode())
    write_bytes(text, as_markdown(title, facts, fitted.warnings, sections).encode())
    write_bytes(data, f"{json.dumps(fitted.to_dict(), indent=1, ensure_ascii=False)}\n".encode())
    return Report(page, text, data, tuple(paths), fitted)


def _ordinal(seat: int) -> str:
    return f"{('first', 'second', 'third', 'fourth', 'fifth', 'sixth')[seat]} seat" if seat < 6 else f"seat {seat + 1}"


def _percent(share: float) -> str:
    return "–" if math.isnan(share) else f"{number(100 * share, 1)}%"


def _range(low: float, high: float) -> str:
    return "–" if math.isnan(low) else f"{number(low, 0)} to {number(high, 0)}"


def _percents(low: float, high: float) -> str:
    return "–" if math.isnan(low) else f"{100 * low:.1f} to {100 * high:.1f}%"


def _estimate(estimate: Estimate) -> str:
    return number(estimate.value, 0) + ("" if math.isnan(estimate.low) else f" [{_range(estimate.low, estimate.high)}]")


def _facts(games: Sequence[GameResult], fitted: Ratings, meta: Mapping[str, Any]) -> list[tuple[str, str]]:
    forfeits = sum(game.forfeit is not None for game in games)
    facts = [
        ("Games", f"{len(games):,} in {count(fitted.pairings, 'pairing')}, {forfeits:,} forfeited"),
        ("Players", f"{len(fitted.table):,}"),
        ("Ratings", f"{fitted.anchor} is 0" if fitted.anchor is not None else "their mean is 0"),
    ]
    return facts + [(str(key), str(value)) for key, value in meta.items()]


def _sections(games: Sequence[GameResult], fitted: Ratings, named: Sequence[str]) -> list[Section]:
    found = [
        _cross(fitted),
        _ranking(fitted),
        _matches(games, fitted),
        _seats(games, fitted, named),
        _outcomes(games, fitted, named),
    ]
    return found + [section for section in (_lengths(games), _speed(fitted)) if section is not None]


def _ranking(fitted: Ratings) -> Section:
    rows = fitted.table
    more = len(fitted.seats) > 2
    points = any(not math.isnan(row.points) for row in rows)
    rated = fitted.goodness.fits
    head = ["player", *["Elo", "95% interval"] * rated, "score", *["place"] * more, *["points"] * points, "games"]
    table = Table(
        [*head, "wins", "shared" if more else "ties", "losses", "forfeits"],
        [
            [
                row.player,
                *[number(row.elo, 0), "anchor" if row.player == fitted.anchor else _range(row.low, row.high)] * rated,
                _percent(row.score),
                *[number(row.place, 2)] * more,
                *[number(row.points)] * points,
                *(f"{count:,}" for count in (row.games, row.wins, row.ties, row.losses, row.forfeits)),
            ]
            for row in rows
        ],
    )
    sure = Table(
        ["stronger than", *fitted.players],
        [
            [player, *("" if i == j else _percent(float(share)) for j, share in enumerate(shares))]
            for i, (player, shares) in enumerate(zip(fitted.players, fitted.superiority, strict=True))
        ],
        "In how many of the bootstrap samples the row's player is rated above the column's",
        folded=True,
    )
    model = "a Bradley-Terry model with ties, a tie term a player and a term for the seat"
    lead = "makes wins ten times as frequent as losses"
    if more:
        what = "places" if fitted.by == "places" else "shares of the victory alone"
        model = f"a Plackett-Luce model of {what}, with ties and a term for the seat"
        lead = (
            "makes a player come before another ten times as often as after. The score is the mean share of the victory"
        )
    text = [
        f"Maximum posterior of {model}, with pairings resampled for the intervals. A lead of 400 Elo {lead}. "
        "Intervals that overlap may still belong to players who are clearly apart, since the anchor's own uncertainty "
        "is in each of them; the second table compares two at a time."
    ]
    text.append(fitted.verdict)
    if not rated:
        return Section("Ranking", text[1:], None, [table])
    figure = charts.ranking(fitted.players, [r.elo for r in rows], [r.low for r in rows], [r.high for r in rows])
    return Section(
        "Ranking",
        text,
        ("ranking", "Ratings with 95% intervals", figure),
        [table, *([sure] if len(fitted.samples) else [])],
    )


def _cross(fitted: Ratings) -> Section:
    players = fitted.players
    matrix = np.full((len(players), len(players)), math.nan)
    rows = []
    for i, a in enumerate(players):
        line = [a]
        for j, b in enumerate(players):
            cell = fitted.cross.get((a, b))
            if cell is not None:
                matrix[i, j] = cell.score
            line.append("" if cell is None else f"{_percent(cell.score)} ({cell.games:,})")
        rows.append(line)
    what = (
        "The score of the row's player against" if len(fitted.seats) == 2 else "How often the row's player came before"
    )
    text = [f"{what} the column's, and in brackets the games of the two."]
    figure = charts.scores(players, matrix)
    if len(fitted.seats) > 2:
        figure = charts.scores(players, matrix, "games in % in which the row's player\ncame before the column's")
    chart = ("crosstable", "Score of each player against each other", figure)
    tables = [Table(["", *players], rows)]
    if nash := fitted.nash():
        text.append(
            "Nash averaging: the mixture of players that none of them beats, and what each scores against it. Copies "
            "of a player, or many weak ones, change nothing there."
        )
        shares = zip(players, nash.mass.tolist(), nash.score.tolist(), strict=True)
        tables.append(
            Table(
                ["player", "share of the mixture", "score against it"],
                [[player, _percent(mass), _percent(score)] for player, mass, score in shares],
            )
        )
    return Section("Cross-table", text, chart, tables)


def _matches(games: Sequence[GameResult], fitted: Ratings) -> Section:
    met: dict[frozenset[str], list[GameResult]] = defaultdict(list)
    for game in games:
        for a, b in combinations(sorted(set(game.seats)), 2):
            met[frozenset((a, b))].append(game)
    rows, unpaired = [], 0
    for a, b in combinations(fitted.players, 2):
        cell = fitted.cross.get((a, b))
        if cell is None:
            continue
        interval = score_interval(met[frozenset((a, b))], a, b, by=fitted.by)
        unpaired += interval.left_over
        found = [_percent(interval.mean), _percents(interval.low, interval.high)] if interval.pairs else ["–", "–"]
        numbers = [f"{cell.games:,}", f"{cell.wins:,}", f"{cell.ties:,}", f"{cell.losses:,}"]
        rows.append([a, b, *numbers, f"{interval.pairs:,}", *found, _percent(fitted.expected(a, b))])
    more = len(fitted.seats) > 2
    text = [
        "How often the first-named came before the second, level a half; games in which another player forfeited, or "
        "in which both were last, say nothing of the two. Its interval is counted by pairings, "
        if more
        else "The score of the first-named against the second over whole pairs of games with the sides swapped, its "
        "interval counted by pairs, "
    ]
    text[0] += (
        "and the score that the ratings expect. Where many of these lie outside of the intervals, one number a player "
        "does not tell the whole story."
    )
    if unpaired:
        text.append(
            f"{count(unpaired, 'game is', 'games are')} in no whole pair: part of wins, ties, losses and ratings only."
        )
    ends = ["before", "level", "after", "pairings"] if more else ["wins", "ties", "losses", "pairs"]
    head = ["player", "against", "games", *ends, "score", "95% interval", "expected"]
    return Section("Matches", text, None, [Table(head, rows, "All matches", 2, len(rows) > 12)])


def _seats(games: Sequence[GameResult], fitted: Ratings, named: Sequence[str]) -> Section:
    by_seat = np.array([row.seat_scores for row in fitted.table], dtype=np.float64).reshape(-1, len(named))
    players = Table(
        ["player", *(f"{name} {what}" for name in named for what in ("score", "games"))],
        [
            [row.player]
            + [
                text
                for score, count in zip(row.seat_scores, row.seat_games, strict=True)
                for text in (_percent(score), f"{count:,}")
            ]
            for row in fitted.table
        ],
    )
    rows = []
    for seat, name in enumerate(named):
        groups: dict[object, list[float]] = defaultdict(list)
        for index, game in enumerate(games):
            if seat < len(game.seats):
                groups[game.pairing or index].append(game.shares[seat])
        mean, low, high = mean_interval([sum(group) / len(group) for group in groups.values()])
        rows.append([name, _percent(mean), _percents(low, high), _estimate(fitted.seats[seat])])
    given = "" if named[0] == _ordinal(0) else f" ({named[0]})"
    overall = Table(["seat", "score", "95% interval", "worth in Elo"], rows)
    text = [
        f"The first seat{given} is worth {_estimate(fitted.side)} Elo over "
        f"{'the other' if len(named) == 2 else 'the others'}, strengths being equal. The scores beside it are plain "
        "means over all pairings, equal or not, and each seat's worth is over the mean of all."
    ]
    chart = ("seats", "Mean score of each player in each seat", charts.seats(fitted.players, by_seat, named))
    return Section("Seats", text, chart, [overall, players])


def _outcomes(games: Sequence[GameResult], fitted: Ratings, named: Sequence[str]) -> Section:
    more = len(named) > 2
    ends = [*(f"{name} won" for name in named), *(["shared", "forfeited"] if more else ["tied"])]
    won = np.zeros(len(ends), dtype=np.int64)
    for game in games:
        alone = max(game.shares) >= 1 - 1e-9
        won[game.shares.index(max(game.shares)) if alone else len(named) + (game.forfeit is not None)] += 1
    overall = Table(
        ["games", "number", "share"],
        [[end, f"{number:,}", _percent(number / len(games))] for end, number in zip(ends, won.tolist(), strict=True)],
    )
    if more:
        return _places(fitted, overall, f"{_percent(won[len(named)] / len(games))} of the victories are shared.")
    share = fitted.tie.share
    shares = np.array([[row.wins, row.ties, row.losses] for row in fitted.table]) / np.array(
        [[row.games or math.nan] for row in fitted.table]
    )
    players = Table(
        ["player", "wins", "ties", "losses"],
        [
            [player, *(_percent(float(part)) for part in line)]
            for player, line in zip(fitted.players, shares, strict=True)
        ],
    )
    text = [
        f"{_percent(won[-1] / len(games))} of the games are tied. Players of equal strength tie in "
        f"{_percent(share.value)} of theirs [{_percents(share.low, share.high)}], by the model (nu "
        f"{fitted.tie.nu.value:.3f})."
    ]
    chart = (
        "results",
        "Shares of wins, ties and losses of each player",
        charts.outcomes(fitted.players, shares, ["wins", "ties", "losses"]),
    )
    return Section("Wins, ties and losses", text, chart, [overall, players])


def _places(fitted: Ratings, overall: Table, shared: str) -> Section:
    """Return how often each player came in each place, if games have more than two players."""
    shares = np.array([row.places for row in fitted.table]) / np.array(
        [[row.games or math.nan] for row in fitted.table]
    )
    names = [_ordinal(place).replace("seat", "place") for place in range(shares.shape[1])]
    players = Table(
        ["player", *names],
        [
            [player, *(_percent(float(part)) for part in line)]
            for player, line in zip(fitted.players, shares, strict=True)
        ],
    )
    text = [
        f"{shared} Players who are level share the better place; who forfeits is last, and all the others are first."
    ]
    figure = charts.outcomes(fitted.players, shares, names)
    return Section("Places", text, ("places", "Share of each place of each player", figure), [overall, players])


def _lengths(games: Sequence[GameResult]) -> Section | None:
    decisions = np.array(
        [sum(game.decisions) for game in games if game.decisions and game.forfeit is None], dtype=np.int64
    )
    if not len(decisions):
        return None
    seconds = np.array([sum(game.seconds) for game in games if game.seconds and game.forfeit is None], dtype=np.float64)
    edges, counts = _histogram(decisions)
    rows = [["decisions", *_spread(decisions.astype(np.float64))]]
    if len(seconds):
        rows.append(["seconds of thought", *_spread(seconds)])
    columns = Table(
        ["decisions", "games"],
        [
            [f"{low:.0f} to {high - 1:.0f}" if high - low > 1 else f"{low:.0f}", f"{n:,}"]
            for low, high, n in zip(edges, edges[1:], counts, strict=False)
        ],
        "The columns of the chart",
        folded=True,
    )
    spread = Table(["of a game", "mean", "least", "5%", "median", "95%", "most"], rows)
    text = [f"{count(len(decisions), 'game')} played to the end, with decisions counted."]
    return Section("Length", text, ("lengths", "Decisions in a game", charts.lengths(edges, counts)), [spread, columns])


def _histogram(values: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return at most `BINS` bins of whole numbers that contain all values."""
    least, most = int(values.min()), int(values.max())
    width = math.ceil((most - least + 1) / BINS)
    edges = np.arange(least, most + width + 1, width, dtype=np.float64)
    edges = edges[: int(np.searchsorted(edges, most, side="right")) + 1]
    counts, _ = np.histogram(values, edges)
    return edges, counts.astype(np.int64)


def _spread(values: NDArray[np.float64]) -> list[str]:
    return [number(float(x)) for x in (values.mean(), *np.percentile(values, [0, 5, 50, 95, 100]))]


def _speed(fitted: Ratings) -> Section | None:
    rows = [row for row in fitted.table if row.decisions_per_second > 0]
    if not rows:
        return None
    table = Table(
        ["player", "decisions per second", "milliseconds per decision", "decisions"],
        [
            [
                row.player,
                number(row.decisions_per_second),
                number(1000 / row.decisions_per_second),
                f"{row.decisions:,}",
            ]
            for row in rows
        ],
    )
    text = ["Decisions by the time that they took the player, on the machine and with the load of this tournament."]
    figure = charts.speed([row.player for row in rows], [row.decisions_per_second for row in rows])
    return Section("Speed", text, ("speed", "Decisions per second", figure), [table])
