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

import html
import json
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hawaii_env.arena import charts
from hawaii_env.arena.charts import number
from hawaii_env.arena.ratings import Estimate, Ratings, fit
from hawaii_env.arena.result import By, GameResult, counted
from hawaii_env.arena.sprt import mean_interval, score_interval
from hawaii_env.errors import OptionError

__all__ = ["Report", "write"]

BINS = 20
"""Columns of the chart of game lengths, at most."""


@dataclass(frozen=True, slots=True)
class Report:
    """The files of a report.

    Attributes:
        html: the page, which needs no other file.
        markdown: the same text with links to the charts.
        data: the ratings as JSON (`Ratings.to_dict`).
        charts: the charts, as SVG and PNG.
        ratings: the ratings themselves.
    """

    html: Path
    markdown: Path
    data: Path
    charts: tuple[Path, ...]
    ratings: Ratings


@dataclass(slots=True)
class _Table:
    head: list[str]
    rows: list[list[str]]
    caption: str = ""
    text: int = 1  # columns from the left that hold words
    folded: bool = False


@dataclass(slots=True)
class _Section:
    title: str
    text: list[str] = field(default_factory=list)
    chart: tuple[str, str, Any] | None = None  # file name, description, figure
    tables: list[_Table] = field(default_factory=list)


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
        results: the games. Without games the report says so.
        folder: made if it is not there; files of these names in it are replaced.
        title: the heading.
        meta: what else to state on top, as game, ruleset, commit, machine; any values, shown as text.
        seat_names: what the seats are called; by default 'first seat', 'second seat' and so on.
        ratings: those of these games if they were fitted already; else they are fitted here.
        anchor: for `hawaii_env.arena.ratings.fit`.
        bootstrap: the same.
        seed: the same.
        by: the same.

    Raises:
        OptionError: fewer seat names than seats.
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
    page.write_text(_html(title, facts, fitted.warnings, sections), encoding="utf-8")
    text.write_text(_markdown(title, facts, fitted.warnings, sections), encoding="utf-8")
    data.write_text(json.dumps(fitted.to_dict(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return Report(page, text, data, tuple(paths), fitted)


def _ordinal(seat: int) -> str:
    return f"{('first', 'second', 'third', 'fourth', 'fifth', 'sixth')[seat]} seat" if seat < 6 else f"seat {seat + 1}"


def _percent(share: float, digits: int = 1) -> str:
    return "–" if math.isnan(share) else f"{100 * share:.{digits}f}%"


def _range(low: float, high: float) -> str:
    return "–" if math.isnan(low) else f"{low:.0f} to {high:.0f}"


def _percents(low: float, high: float) -> str:
    return "–" if math.isnan(low) else f"{100 * low:.1f} to {100 * high:.1f}%"


def _estimate(estimate: Estimate) -> str:
    return f"{estimate.value:.0f}" + ("" if math.isnan(estimate.low) else f" [{_range(estimate.low, estimate.high)}]")


def _facts(games: Sequence[GameResult], fitted: Ratings, meta: Mapping[str, Any]) -> list[tuple[str, str]]:
    forfeits = sum(game.forfeit is not None for game in games)
    facts = [
        ("Games", f"{len(games):,} in {fitted.pairings:,} pairings, {forfeits:,} forfeited"),
        ("Players", f"{len(fitted.table):,}"),
        ("Ratings", f"{fitted.anchor} is 0" if fitted.anchor is not None else "their mean is 0"),
    ]
    return facts + [(str(key), str(value)) for key, value in meta.items()]


def _sections(games: Sequence[GameResult], fitted: Ratings, named: Sequence[str]) -> list[_Section]:
    found = [
        _ranking(fitted),
        _cross(fitted),
        _matches(games, fitted),
        _seats(games, fitted, named),
        _outcomes(games, fitted, named),
    ]
    return found + [section for section in (_lengths(games), _speed(fitted)) if section is not None]


def _ranking(fitted: Ratings) -> _Section:
    rows = fitted.table
    more = len(fitted.seats) > 2
    points = any(not math.isnan(row.points) for row in rows)
    head = ["player", "Elo", "95% interval", "score", *["place"] * more, *["points"] * points, "games"]
    table = _Table(
        [*head, "wins", "shared" if more else "ties", "losses", "forfeits"],
        [
            [
                row.player,
                f"{row.elo:.0f}",
                "anchor" if row.player == fitted.anchor else _range(row.low, row.high),
                _percent(row.score),
                *[number(row.place, 2)] * more,
                *[number(row.points)] * points,
                *(f"{count:,}" for count in (row.games, row.wins, row.ties, row.losses, row.forfeits)),
            ]
            for row in rows
        ],
    )
    sure = _Table(
        ["stronger than", *fitted.players],
        [
            [player, *("" if i == j else _percent(float(share)) for j, share in enumerate(shares))]
            for i, (player, shares) in enumerate(zip(fitted.players, fitted.superiority, strict=True))
        ],
        "In how many of the bootstrap samples the row's player is rated above the column's",
        folded=True,
    )
    model = "a Bradley-Terry model with ties and a term for the seat"
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
    figure = charts.ranking(fitted.players, [r.elo for r in rows], [r.low for r in rows], [r.high for r in rows])
    return _Section(
        "Ranking",
        text,
        ("ranking", "Ratings with 95% intervals", figure),
        [table, *([sure] if len(fitted.samples) else [])],
    )


def _cross(fitted: Ratings) -> _Section:
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
    return _Section("Cross-table", text, chart, [_Table(["", *players], rows)])


def _matches(games: Sequence[GameResult], fitted: Ratings) -> _Section:
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
        text.append(f"{unpaired:,} games are in no whole pair and count in wins, ties, losses and ratings only.")
    ends = ["before", "level", "after", "pairings"] if more else ["wins", "ties", "losses", "pairs"]
    head = ["player", "against", "games", *ends, "score", "95% interval", "expected"]
    return _Section("Matches", text, None, [_Table(head, rows, "All matches", 2, len(rows) > 12)])


def _seats(games: Sequence[GameResult], fitted: Ratings, named: Sequence[str]) -> _Section:
    by_seat = np.array([row.seat_scores for row in fitted.table], dtype=np.float64).reshape(-1, len(named))
    players = _Table(
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
    overall = _Table(["seat", "score", "95% interval", "worth in Elo"], rows)
    text = [
        f"The first seat{given} is worth {_estimate(fitted.side)} Elo over "
        f"{'the other' if len(named) == 2 else 'the others'}, strengths being equal. The scores beside it are plain "
        "means over all pairings, equal or not, and each seat's worth is over the mean of all."
    ]
    chart = ("seats", "Mean score of each player in each seat", charts.seats(fitted.players, by_seat, named))
    return _Section("Seats", text, chart, [overall, players])


def _outcomes(games: Sequence[GameResult], fitted: Ratings, named: Sequence[str]) -> _Section:
    more = len(named) > 2
    ends = [*(f"{name} won" for name in named), *(["shared", "forfeited"] if more else ["tied"])]
    won = np.zeros(len(ends), dtype=np.int64)
    for game in games:
        alone = max(game.shares) >= 1 - 1e-9
        won[game.shares.index(max(game.shares)) if alone else len(named) + (game.forfeit is not None)] += 1
    overall = _Table(
        ["games", "number", "share"],
        [[end, f"{number:,}", _percent(number / len(games))] for end, number in zip(ends, won.tolist(), strict=True)],
    )
    if more:
        return _places(fitted, overall, f"{_percent(won[len(named)] / len(games))} of the victories are shared.")
    share = fitted.tie.share
    shares = np.array([[row.wins, row.ties, row.losses] for row in fitted.table]) / np.array(
        [[row.games or math.nan] for row in fitted.table]
    )
    players = _Table(
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
    return _Section("Wins, ties and losses", text, chart, [overall, players])


def _places(fitted: Ratings, overall: _Table, shared: str) -> _Section:
    """Return how often each player came in each place, if games have more than two players."""
    shares = np.array([row.places for row in fitted.table]) / np.array(
        [[row.games or math.nan] for row in fitted.table]
    )
    names = [_ordinal(place).replace("seat", "place") for place in range(shares.shape[1])]
    players = _Table(
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
    return _Section("Places", text, ("places", "Share of each place of each player", figure), [overall, players])


def _lengths(games: Sequence[GameResult]) -> _Section | None:
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
    columns = _Table(
        ["decisions", "games"],
        [
            [f"{low:.0f} to {high - 1:.0f}" if high - low > 1 else f"{low:.0f}", f"{n:,}"]
            for low, high, n in zip(edges, edges[1:], counts, strict=False)
        ],
        "The columns of the chart",
        folded=True,
    )
    spread = _Table(["of a game", "mean", "least", "5%", "median", "95%", "most"], rows)
    text = [f"{len(decisions):,} games that were played to their end and whose decisions were counted."]
    return _Section(
        "Length", text, ("lengths", "Decisions in a game", charts.lengths(edges, counts)), [spread, columns]
    )


def _histogram(values: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return whole-numbered bins, at most BINS, that hold all values."""
    least, most = int(values.min()), int(values.max())
    width = math.ceil((most - least + 1) / BINS)
    edges = np.arange(least, most + width + 1, width, dtype=np.float64)
    edges = edges[: int(np.searchsorted(edges, most, side="right")) + 1]
    counts, _ = np.histogram(values, edges)
    return edges, counts.astype(np.int64)


def _spread(values: NDArray[np.float64]) -> list[str]:
    return [number(float(x)) for x in (values.mean(), *np.percentile(values, [0, 5, 50, 95, 100]))]


def _speed(fitted: Ratings) -> _Section | None:
    rows = [row for row in fitted.table if row.decisions_per_second > 0]
    if not rows:
        return None
    table = _Table(
        ["player", "decisions a second", "milliseconds a decision", "decisions"],
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
    return _Section("Speed", text, ("speed", "Decisions a second", figure), [table])


# Pages


def _markdown(
    title: str, facts: Sequence[tuple[str, str]], warnings: Sequence[str], sections: Sequence[_Section]
) -> str:
    def cell(text: str) -> str:
        return html.escape(" ".join(text.split()), quote=False).replace("|", "\\|")

    def table(given: _Table) -> list[str]:
        ruler = ["---" if i < given.text else "---:" for i in range(len(given.head))]
        lines = [f"{given.caption}:", ""] if given.caption else []
        return [*lines, *("| " + " | ".join(map(cell, line)) + " |" for line in [given.head, ruler, *given.rows]), ""]

    lines = [f"# {cell(title)}", "", *table(_Table(["", ""], [list(fact) for fact in facts], text=2))]
    for warning in warnings:
        lines += [f"> **Note:** {cell(warning)}", ""]
    for section in sections:
        lines += [f"## {section.title}", ""]
        for text in section.text:
            lines += [cell(text), ""]
        if section.chart is not None:
            lines += [f"![{section.chart[1]}]({section.chart[0]}.png)", ""]
        for given in section.tables:
            lines += table(given)
    return "\n".join(lines).rstrip() + "\n"


CSS = """
:root {
  color-scheme: light dark; --ink: #1d1f23; --soft: #5c6068; --line: #d9dbe0; --page: #ffffff; --band: #f4f5f7;
  --dot: #0072b2; --note: #fff4d6;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e6e7ea; --soft: #a3a7b0; --line: #3a3d44; --page: #16181c; --band: #1f2227; --dot: #56b4e9;
    --note: #3a3113;
  }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 60rem; color: var(--ink); background: var(--page);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: .5rem 0 1rem; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 2.2rem 0 .5rem; padding-top: .8rem; border-top: 1px solid var(--line); }
p { max-width: 44rem; margin: .5rem 0; }
nav { display: flex; flex-wrap: wrap; gap: .2rem 1rem; margin: 1rem 0; }
a { color: var(--dot); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: 0; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
.note { background: var(--note); padding: .5rem .8rem; border-radius: .3rem; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; margin: .8rem 0; }
figure { margin: 1rem 0; }
figure svg { display: block; height: auto; max-width: 100%; }
figure svg text { font-family: inherit; }
figure.wide svg { max-width: none; }
table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--soft); padding-bottom: .3rem; }
th, td { padding: .22rem .6rem; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--line); }
th { font-weight: 600; color: var(--soft); vertical-align: bottom; }
th.word, td.word { text-align: left; }
td.word:first-child {
  position: sticky; left: 0; background: var(--page); max-width: 60vw; overflow: hidden; text-overflow: ellipsis;
}
tbody tr:nth-child(even), tbody tr:nth-child(even) td.word:first-child { background: var(--band); }
summary { cursor: pointer; color: var(--soft); margin: .8rem 0; }
"""


def _html(title: str, facts: Sequence[tuple[str, str]], warnings: Sequence[str], sections: Sequence[_Section]) -> str:
    esc = html.escape

    def cells(tag: str, texts: Sequence[str], words: int) -> str:
        return "".join(
            f"<{tag}{' class=word' if i < words else ''}>{esc(text)}</{tag}>" for i, text in enumerate(texts)
        )

    def table(given: _Table) -> str:
        caption = f"<caption>{esc(given.caption)}</caption>" if given.caption and not given.folded else ""
        body = "\n".join(f"<tr>{cells('td', row, given.text)}</tr>" for row in given.rows)
        whole = (
            f'<div class="scroll"><table>{caption}<thead><tr>{cells("th", given.head, given.text)}</tr></thead>\n'
            f"<tbody>\n{body}\n</tbody></table></div>"
        )
        return f"<details><summary>{esc(given.caption)}</summary>{whole}</details>" if given.folded else whole

    keys = [section.title.split(",")[0].lower() for section in sections]
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{esc(title)}</title>",
        f"<style>{CSS}</style></head><body>",
        f"<h1>{esc(title)}</h1>",
        "<dl>" + "".join(f"<dt>{esc(key)}</dt><dd>{esc(value)}</dd>" for key, value in facts) + "</dl>",
        *(f'<p class="note">{esc(warning)}</p>' for warning in warnings),
        "<nav>"
        + "".join(f'<a href="#{key}">{esc(section.title)}</a>' for key, section in zip(keys, sections, strict=True))
        + "</nav>"
        if sections
        else "",
    ]
    for key, section in zip(keys, sections, strict=True):
        parts.append(f'<section id="{key}"><h2>{esc(section.title)}</h2>')
        parts += [f"<p>{esc(text)}</p>" for text in section.text]
        if section.chart is not None:
            name, label, figure = section.chart
            wide = ' class="wide"' if figure.get_figwidth() > 1.5 * charts.WIDTH else ""
            parts.append(
                f'<div class="scroll"><figure{wide}>{charts.inline_svg(figure, f"chart-{name}", label)}</figure></div>'
            )
        parts += [table(given) for given in section.tables]
        parts.append("</section>")
    return "\n".join(parts) + "\n</body></html>\n"
