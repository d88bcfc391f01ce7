"""Tournaments of games of more than two players: tables, seats, forfeits, what is for two alone, and the commands."""

from __future__ import annotations

import argparse
import re
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from refusals import refuses_each
from toy import LagoonGame, ToyGame

from hawaii_env import arena, records
from hawaii_env.arena import cli, schedule
from hawaii_env.arena.ratings import Sprt
from hawaii_env.arena.schedule import Meeting
from hawaii_env.arena.store import Store
from hawaii_env.errors import HawaiiError, OptionError

BOTS = Path(__file__).with_name("bad_bots.py")
OPTIONS: dict[str, Any] = {"load": [BOTS], "progress": False, "processes": 1}
FIVE = ["random", "high", "quiet=greedy", "b=random", "c=high"]


def seats_of(found: arena.TournamentResult) -> dict[str, list[int]]:
    return {standing.player: list(standing.seat_games) for standing in found.standings}


@pytest.mark.slow
def test_a_round_robin_of_four_seats_everybody_everywhere_as_often(tmp_path: Path) -> None:
    found = arena.run_tournament(LagoonGame(), FIVE, pairs=3, out=tmp_path, **OPTIONS)
    assert (found.played, found.void, len(found.results)) == (5 * 3 * 4, 0, 60)
    # Everybody sits at four of the five tables, three times, once in each seat.
    assert set(map(tuple, seats_of(found).values())) == {(12, 12, 12, 12)}
    met = Counter(frozenset(pair) for result in found.results for pair in combinations(result.seats, 2))
    assert set(met.values()) == {36} and len(met) == 10
    best, *_, last = found.standings
    assert {best.player, found.standings[1].player} == {"high", "c"} and last.player == "quiet"
    assert best.score > 0.3 and best.place < 2 and best.points > 600 and last.points == 0
    with Store(tmp_path) as store:
        rows = store.rows()
        assert not store.verify()[1]
    seeds = {row.pairing: {other.seed for other in rows if other.pairing == row.pairing} for row in rows}
    assert all(len(of) == 1 for of in seeds.values()) and len(seeds) == 15
    for row in rows[:8]:
        assert row.record is not None
        outcome = records.verify(tmp_path / row.record, LagoonGame()).state.outcome()
        assert outcome is not None
        assert (row.end.shares, row.end.places, row.end.scores) == (outcome.shares, outcome.places, outcome.scores)
    ties = [row for row in rows if row.end.places.count(1) > 1]
    assert all(max(row.end.shares) < 1 for row in ties) and all(sum(row.end.shares) == pytest.approx(1) for row in rows)
    # Once more it plays nothing; a sixth agent plays its own tables alone.
    assert arena.run_tournament(LagoonGame(), FIVE, pairs=3, out=tmp_path, **OPTIONS).played == 0
    more = arena.run_tournament(LagoonGame(), ["d=random"], pairs=1, out=tmp_path, **OPTIONS)
    assert more.played == 10 * 4 and seats_of(more)["d"] == [10, 10, 10, 10]


def test_three_players_who_act_at_once() -> None:
    found = arena.run_tournament(ToyGame(), ["random", "b=random", "c=random", "d=random"], pairs=2, **OPTIONS)
    assert len(found.results) == 4 * 2 * 3
    assert set(map(tuple, seats_of(found).values())) == {(6, 6, 6)}


def test_who_forfeits_is_last_and_the_others_share_the_rest(tmp_path: Path) -> None:
    entries = ["random", "crash", "b=random", "high"]
    found = arena.run_tournament(LagoonGame(), entries, pairs=1, out=tmp_path, **OPTIONS)
    assert len(found.results) == 4 and found.void == 0
    for result in found.results:
        seat = result.seats.index("crash")
        assert result.forfeit == seat and result.scores is None
        assert result.shares == tuple(0.0 if i == seat else 1 / 3 for i in range(4))
        assert result.places == tuple(4 if i == seat else 1 for i in range(4))
    tally = {standing.player: standing for standing in found.standings}
    assert (tally["crash"].forfeits, tally["crash"].place, tally["crash"].losses) == (4, 4.0, 4)
    assert (tally["high"].score, tally["high"].place, tally["high"].ties) == (pytest.approx(1 / 3), 1.0, 4)
    with Store(tmp_path) as store:
        assert {row.status for row in store.rows()} == {"forfeit"} and not store.verify()[1]
    assert (tmp_path / "faults.log").read_text().count("ZeroDivisionError: on purpose") >= 4


def test_a_gauntlet_of_four_has_the_first_at_every_table() -> None:
    found = arena.run_tournament(LagoonGame(1), FIVE, format="gauntlet", pairs=1, **OPTIONS)
    assert len(found.results) == 4 * 4 and all("random" in result.seats for result in found.results)
    assert seats_of(found)["random"] == [4, 4, 4, 4] and seats_of(found)["high"] == [3, 3, 3, 3]


@pytest.mark.slow
def test_a_big_field_meets_without_all_tables(tmp_path: Path) -> None:
    entries = [f"r{i}=random" for i in range(7)]
    options = {**OPTIONS, "pairs": 1, "out": tmp_path, "meets": 1}
    found = arena.run_tournament(LagoonGame(1), entries, **options)
    met = Counter(frozenset(pair) for result in found.results for pair in combinations(result.seats, 2))
    assert len(met) == 21 and len(found.results) < 4 * 12  # all tables would be 35
    assert all(len(set(games)) == 1 for games in seats_of(found).values())
    # The draw is kept, and who joins is added to it.
    assert arena.run_tournament(LagoonGame(1), [], **options).played == 0
    more = arena.run_tournament(LagoonGame(1), ["new=random"], **options)
    assert 0 < more.played <= 4 * 3
    assert all("new" in result.seats for result in more.results if result not in found.results)


def test_drawn_tables_bring_every_two_together() -> None:
    for count, seats, meets in ((9, 4, 1), (9, 4, 3), (10, 3, 2), (6, 6, 2), (13, 5, 1)):
        players = [f"p{i}" for i in range(count)]
        tables = schedule.draw_tables(players, seats, meets)
        met = Counter(frozenset(pair) for table in tables for pair in combinations(table, 2))
        assert len(met) == count * (count - 1) // 2 and min(met.values()) >= meets
        assert all(len(set(table)) == seats for table in tables)
        least = meets * len(met) / (seats * (seats - 1) / 2)  # what no draw can do without
        assert len(tables) <= 2 * least + 1
        assert schedule.draw_tables(players, seats, meets, tables) == tables
        center = schedule.draw_tables(players, seats, meets, center="p3")
        assert all("p3" in table for table in center)
        assert set().union(*center) == set(players)


def test_all_orders_around_a_table_come_in_turn() -> None:
    players = ("a", "b", "c", "d")
    seen = set()
    for number in range(6):
        games = Meeting(players, number).games(0)
        for seat in range(4):
            assert sorted(game.seats[seat] for game in games) == sorted(players)
        first = games[0].seats.index("a")
        seen.add(games[0].seats[first:] + games[0].seats[:first])
    assert len(seen) == 6
    assert Meeting(players, 0).games(0)[0].seats == Meeting(players, 6).games(0)[0].seats
    # Tables that meet once do not all sit in the order of their names.
    orders = {Meeting(tuple(f"{name}{i}" for name in "abcd"), 0).games(0)[0].seats[1][0] for i in range(20)}
    assert orders == {"b", "c", "d"}


def test_what_is_for_two_says_so(tmp_path: Path) -> None:
    four, five = LagoonGame(), FIVE
    refuses_each(
        OptionError,
        None,
        lambda call: call(),
        (
            (
                lambda: arena.run_tournament(four, five, format="swiss"),
                "a Swiss tournament is for games of two players",
            ),
            (lambda: arena.play_match(four, "random", "high"), "a match is for games of two players, and lagoon has 4"),
            (lambda: arena.play_match(four, "random", "high", sprt=Sprt(0, 20)), "an SPRT is for games of two players"),
            (
                lambda: arena.run_tournament(four, five[:3], out=tmp_path / "t", **OPTIONS),
                "4 agents sit at a table; 3 were",
            ),
            (lambda: arena.run_tournament(four, five, meets=0), "meets: expected an integer of 1 or more"),
        ),
    )
    assert not list(tmp_path.iterdir())


# The commands


def hawaii(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    cli.add_commands(parser.add_subparsers(), lambda command: None, lambda parsed: LagoonGame())
    parsed = parser.parse_args(arguments)
    return parsed.run(parsed)


def test_commands_for_two_players_reject_other_games() -> None:
    refuses_each(
        HawaiiError,
        None,
        lambda arguments: hawaii(*arguments),
        (
            (("match", "random", "b=random"), "a match is for games of two players"),
            (("match", *FIVE), "a match is for games of two players"),
            (("match", "random", "b=random", "--sprt", "0", "20"), "an SPRT is for games of two players"),
            (
                ("tournament", *FIVE, "--format", "swiss"),
                "a Swiss tournament is for games of two players, and lagoon has 4",
            ),
        ),
    )


@pytest.mark.slow
def test_tables_and_report_of_four(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("scipy")
    pytest.importorskip("matplotlib")
    out = str(tmp_path / "league")
    options = ("--pairs", "6", "--processes", "1", "--out", out, "--load", str(BOTS), "--no-progress")
    assert hawaii("tournament", "random", "high", "b=random", "bad=crash", "c=high", *options, "--report") == 0
    told = capsys.readouterr().out
    lines = told.splitlines()
    columns = [
        "agent",
        "Elo",
        "[95%]",
        "score",
        "place",
        "points",
        "W/T/L",
        "red",
        "green",
        "blue",
        "gold",
        "dec./s",
        "faults",
    ]
    assert lines[1].split() == columns
    assert [line.split()[1] for line in lines[3:8]][-1] == "bad" and {lines[3].split()[1], lines[4].split()[1]} == {
        "high",
        "c",
    }
    number = r"-?\d+ \[-?\d+, -?\d+\] +\d+\.\d% +\d\.\d\d +\d+\.\d +\d+/\d+/\d+( +\d+\.\d%){4} +[\d,k]+ +–"
    assert re.fullmatch(rf" *1\. \w+ +{number}", lines[3])
    # 120 games, 96 of them with the one that crashes; points are of the others.
    assert [lines[7].split()[i] for i in (-9, -8, -7, -1)] == ["4.00", "–", "0/0/96", "96"]
    assert "How often the row came before the column" in lines
    assert "Score: the mean share of the victory. Elo: of places." in lines
    assert "96 games were forfeited" in told and "120 games played now" in told
    assert re.search(
        r"120 games, \d+\.\d% shared victories\. Elo: random is 0\. The first seat \(red_0\) is worth",
        " ".join(told.split()),
    )
    text = (tmp_path / "league" / "report" / "report.md").read_text("utf-8")
    assert (
        "| player | Elo | 95% interval | score | place | points | games | wins | shared | losses | forfeits |" in text
    )
    assert "a Plackett-Luce model of places" in text and "| forfeited | 96 | 80.0% |" in text
    assert "| player | against | games | before | level | after | pairings |" in text
    assert "| seat | score |" in text and "| gold_3 |" in text and "| fourth place |" in text
    for name in ("ranking", "crosstable", "seats", "places", "lengths", "speed"):
        assert (tmp_path / "league" / "report" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    assert "came before the column" in (tmp_path / "league" / "report" / "crosstable.svg").read_text("utf-8")
    # The same folder by shares: another rating, the same scores.
    assert hawaii("ladder", out, "--by", "shares") == 0
    shares = capsys.readouterr().out
    assert "Elo: of the victory and its shares alone." in shares
    scores = {line.split()[1]: re.search(r"\d+\.\d%", line) for line in lines[3:8]}
    for line in shares.splitlines()[3:8]:
        score = scores[line.split()[1]]
        assert score is not None and score[0] in line
