"""Reports: everything that was counted is in them, and they need nothing but themselves."""

import json
import math
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from refusals import refuses

from hawaii_env.arena import charts, ratings, report
from hawaii_env.arena.ratings import GameResult
from hawaii_env.errors import OptionError

pytest.importorskip("matplotlib")

NASTY = 'mcts:"<b>|x&y'
CHARTS = ("ranking", "crosstable", "seats", "results", "lengths", "speed")


def games_of(players: tuple[str, ...], pairs: int = 12) -> list[GameResult]:
    generator = np.random.default_rng(0)
    games = []
    for i, a in enumerate(players):
        for b in players[:i]:
            for k in range(pairs):
                for seats in ((a, b), (b, a)):
                    scores = [(1.0, 0.0), (0.5, 0.5), (0.0, 1.0)][generator.integers(3)]
                    decisions = tuple(int(x) for x in generator.integers(20, 90, 2))
                    games.append(GameResult(seats, scores, f"{a} {b} {k}", None, decisions, (0.5, 2.0)))
    games[0] = GameResult(games[0].seats, (0.0, 1.0), games[0].pairing, 0, (3, 3), (0.1, 0.1))
    return games


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> report.Report:
    folder = tmp_path_factory.mktemp("report") / "deep" / "er"
    return report.write(
        games_of(("random", "rule", NASTY)),
        folder,
        title="A <league>",
        meta={"ruleset": "baseline", "note": "a | b"},
        seat_names=["North", "South"],
        bootstrap=40,
    )


class Text(HTMLParser):
    """The texts of a page's elements, and what they refer to."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.cells: list[str] = []
        self.ids: list[str] = []
        self.references: list[str] = []
        self.open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        if tag in ("td", "dd"):
            self.cells.append("")
        for name, value in attrs:
            if name == "id":
                self.ids.append(str(value))
            if name in ("src", "href", "xlink:href", "srcset", "data"):
                self.references.append(str(value))

    def handle_data(self, data: str) -> None:
        if self.open[-1:] in (["td"], ["dd"]):
            self.cells[-1] += data

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop() != tag:
            pass


def test_every_figure_is_in_both_reports(written: report.Report) -> None:
    page, text = Text(written.html.read_text("utf-8")), written.markdown.read_text("utf-8")
    found = written.ratings
    expected = []
    for row in found.table:
        expected += [
            f"{row.elo:.0f}",
            f"{100 * row.score:.1f}%",
            f"{row.wins}",
            f"{row.ties}",
            f"{row.losses}",
            f"{row.forfeits}",
        ]
        expected += [f"{row.low:.0f} to {row.high:.0f}"] if row.player != "random" else ["anchor"]
        expected += [f"{100 * score:.1f}%" for score in row.seat_scores]
        expected += [f"{100 * part / row.games:.1f}%" for part in (row.wins, row.ties, row.losses)]
        expected += [charts.number(row.decisions_per_second), f"{row.decisions:,}"]
    expected += [f"{100 * cell.score:.1f}% ({cell.games})" for cell in found.cross.values()]
    expected += [f"{100 * found.stronger(a, b):.1f}%" for a in found.players for b in found.players if a != b]
    interval = ratings.score_interval(games_of(("random", "rule", NASTY)), found.players[0], found.players[1])
    expected += [f"{100 * interval.mean:.1f}%", f"{100 * interval.low:.1f} to {100 * interval.high:.1f}%"]
    expected += [f"{100 * found.expected(found.players[0], found.players[1]):.1f}%", "baseline", "a | b", "1"]
    cells = [cell.strip() for line in text.splitlines() for cell in re.split(r"(?<!\\)\|", line)]
    for figure in expected:
        assert figure in page.cells
        assert figure.replace("|", "\\|") in cells
    for sentence in (
        f"worth {found.side.value:.0f} [",
        f"{100 * found.tie.share.value:.1f}% of theirs",
        f"{found.tie.nu.value:.3f}",
    ):
        assert sentence in text and sentence in written.html.read_text("utf-8")


def test_sums_are_those_of_the_games(written: report.Report) -> None:
    games = games_of(("random", "rule", NASTY))
    text = written.markdown.read_text("utf-8")
    first, ties = sum(g.shares[0] == 1 for g in games), sum(g.shares[0] == 0.5 for g in games)
    assert f"| North won | {first} | {100 * first / len(games):.1f}% |" in text
    assert f"| tied | {ties} | {100 * ties / len(games):.1f}% |" in text
    assert "72 in 36 pairings, 1 forfeited" in text
    lengths = [sum(g.decisions) for g in games if g.forfeit is None]
    assert f"| decisions | {charts.number(float(np.mean(lengths)))} | {min(lengths)}" in text
    histogram = re.findall(r"^\| (\d+)(?: to (\d+))? \| (\d+) \|$", text, re.MULTILINE)
    assert sum(int(count) for _, _, count in histogram) == len(lengths)
    for low, high, count in histogram:
        assert int(count) == sum(int(low) <= length <= int(high or low) for length in lengths)


def test_the_page_needs_nothing_else(written: report.Report) -> None:
    page = written.html.read_text("utf-8")
    parsed = Text(page)
    assert parsed.references and all(reference.startswith("#") for reference in parsed.references)
    assert "<script" not in page and "@import" not in page and not re.search(r"url\((?!#)", page)
    assert len(parsed.ids) == len(set(parsed.ids))
    assert {reference[1:] for reference in parsed.references} <= set(parsed.ids)
    assert set(re.findall(r"url\(#([^)]*)\)", page)) <= set(parsed.ids)
    assert 'name="viewport"' in page and "prefers-color-scheme: dark" in page
    drawn = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert len(drawn) == len(CHARTS)
    for chart in drawn:
        assert ElementTree.fromstring(chart).get("aria-label")
        assert "currentColor" in chart and charts.INK not in chart


def test_names_are_text_not_markup(written: report.Report) -> None:
    page, text = written.html.read_text("utf-8"), written.markdown.read_text("utf-8")
    assert "<b>" not in page and "<b>" not in text and NASTY in Text(page).cells
    assert "A &lt;league&gt;" in page and text.startswith("# A &lt;league&gt;\n")
    widths: dict[int, set[int]] = {}
    table = 0
    for line in text.splitlines():
        table += not line.startswith("|")
        if line.startswith("|"):
            widths.setdefault(table, set()).add(len(re.split(r"(?<!\\)\|", line)))
    assert widths and all(len(columns) == 1 for columns in widths.values())


def test_charts_lie_beside_the_markdown(written: report.Report) -> None:
    text = written.markdown.read_text("utf-8")
    for name in CHARTS:
        assert f"]({name}.png)" in text
        assert (written.markdown.parent / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        ElementTree.parse(written.markdown.parent / f"{name}.svg")
    assert {path.stem for path in written.charts} == set(CHARTS) and len(written.charts) == 2 * len(CHARTS)


def test_the_data_is_that_of_the_ratings(written: report.Report) -> None:
    data = json.loads(written.data.read_text("utf-8"))
    assert [row["player"] for row in data["table"]] == list(written.ratings.players)
    assert data["side"]["value"] == written.ratings.side.value


@pytest.mark.slow
def test_the_same_games_give_the_same_files(written: report.Report, tmp_path: Path) -> None:
    again = report.write(
        games_of(("random", "rule", NASTY)),
        tmp_path,
        title="A <league>",
        meta={"ruleset": "baseline", "note": "a | b"},
        seat_names=["North", "South"],
        ratings=written.ratings,
    )
    assert again.html.read_bytes() == written.html.read_bytes()
    assert again.markdown.read_bytes() == written.markdown.read_bytes()


@pytest.mark.slow
def test_games_of_four_without_times_are_reported(tmp_path: Path) -> None:
    seats = ("a", "b", "c", "d")
    games = [
        GameResult(seats[k:] + seats[:k], tuple(float(s == (k * k) % 4) for s in range(4)), str(k // 4))
        for k in range(16)
    ]
    found = report.write(games, tmp_path, anchor=None, bootstrap=10)
    text = found.markdown.read_text("utf-8")
    assert "fourth seat" in text and "over the others" in text and "## Speed" not in text and "## Length" not in text
    assert not (tmp_path / "speed.png").exists()


def test_warnings_and_missing_intervals_are_shown(tmp_path: Path) -> None:
    games = [GameResult(("a", "b"), (1.0, 0.0)), GameResult(("x", "y"), (1.0, 0.0))]
    found = report.write(games, tmp_path, bootstrap=0)
    for text in (found.html.read_text("utf-8"), found.markdown.read_text("utf-8")):
        assert "played no game" in text and "2 groups of players" in text and "nan" not in text
        assert "2 games are in no whole pair" in text


def test_without_games_the_report_says_so(tmp_path: Path) -> None:
    found = report.write([], tmp_path)
    assert "There are no games to rate." in found.html.read_text("utf-8")
    assert "There are no games to rate." in found.markdown.read_text("utf-8") and found.charts == ()


def test_bad_seat_names_are_rejected(tmp_path: Path) -> None:
    refuses(
        OptionError,
        (
            "the games have 2 seats",
            lambda: report.write([GameResult(("a", "b"), (1.0, 0.0))], tmp_path, seat_names=["one"], bootstrap=0),
        ),
    )


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    refuses(
        ModuleNotFoundError,
        (r"hawaii-env\[arena\]", lambda: report.write([GameResult(("a", "b"), (1.0, 0.0))], tmp_path, bootstrap=0)),
    )


def test_names_and_numbers_are_cut_to_what_is_read() -> None:
    assert charts.short("random") == "random"
    long = "mcts:simulations=1000,depth=12,seed=3"
    assert (
        len(charts.short(long)) == charts.NAME
        and charts.short(long).startswith("mcts:")
        and charts.short(long).endswith("=3")
    )
    shown = [charts.number(value) for value in (12345.6, 100.0, 3.14, 0.0521, math.nan)]
    assert shown == ["12,346", "100", "3.1", "0.052", "–"]


def test_where_one_number_does_not_describe_the_scores_none_is_shown(tmp_path: Path) -> None:
    circle = [("a", "b"), ("b", "c"), ("c", "a")]
    games = [GameResult(pair, (1.0, 0.0)) for pair in circle] * 20
    games += [GameResult(pair[::-1], (0.0, 1.0)) for pair in circle] * 20
    found = report.write(games, tmp_path, anchor=None, bootstrap=20)
    text = found.markdown.read_text("utf-8")
    assert "no Elo is shown" in text and "| Elo |" not in text and not (tmp_path / "ranking.svg").exists()
    assert "| a | 33.3% | 50.0% |" in text
    assert json.loads(found.data.read_text("utf-8"))["goodness"]["degrees"] == 1
