"""The commands of the arena, as they are used."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import pytest
from refusals import refuses
from toy import Duel

from hawaii_env.arena import cli
from hawaii_env.arena.store import Store
from hawaii_env.errors import HawaiiError

BOTS = str(Path(__file__).with_name("bad_bots.py"))


def hawaii(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers()
    cli.add_commands(commands, lambda command: None, lambda parsed: Duel())
    parsed = parser.parse_args(arguments)
    return parsed.run(parsed)


@pytest.fixture(autouse=True)
def _scipy() -> None:
    pytest.importorskip("scipy")


def test_tournament_and_ladder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "league")
    options = ("--pairs", "8", "--processes", "1", "--out", out, "--load", BOTS)
    assert hawaii("tournament", "random", "greedy", "worse=crash", *options) == 0
    told, progress = capsys.readouterr()
    lines = told.splitlines()
    assert lines[0] == "Ranking of league"
    assert lines[1].split() == [
        "agent",
        "Elo",
        "[95%]",
        "score",
        "points",
        "W/T/L",
        "north",
        "south",
        "dec./s",
        "faults",
    ]
    assert [line.split()[1] for line in lines[3:6]] == ["greedy", "random", "worse"]
    assert re.fullmatch(
        r" *1\. greedy +\d+ \[-?\d+, \d+\] +\d\d\.\d% +\d+\.\d +\d+/\d+/\d+( +\d+\.\d%){2} +[\d,k]+ +–", lines[3]
    )
    assert lines[4].split()[2] == "0"
    assert [lines[5].split()[i] for i in (-7, -6, -5, -4, -3, -1)] == ["0.0%", "–", "0/0/32", "0.0%", "0.0%", "32"]
    assert "Score of the row against the column" in lines
    assert "100%" in told
    said = " ".join(told.split())
    assert f"32 games were forfeited: see {out}/faults.log" in said
    assert f"48 games played now; all 48 are in {out}" in said
    assert "tournament: 48 of 48 games" in progress
    # The same command once more plays nothing; the ladder shows the same table.
    assert hawaii("tournament", *options) == 0
    again = capsys.readouterr().out
    assert again == told.replace("48 games played now", "0 games played now")
    assert hawaii("ladder", out, "--verify") == 0
    ladder = capsys.readouterr().out
    assert ladder.splitlines()[:6] == lines[:6]
    assert "48 records replayed." in ladder


def test_ladder_leaves_out_what_was_altered(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path)
    assert (
        hawaii("tournament", "random", "b=random", "--pairs", "2", "--processes", "1", "--out", out, "--no-progress")
        == 0
    )
    with Store(out) as store:
        record = store.rows()[0].record
    assert record is not None
    (tmp_path / record).write_text("{}")
    capsys.readouterr()
    assert hawaii("ladder", out) == 1
    told = " ".join(capsys.readouterr().out.split())
    assert f"Not counted: b | random #0 rotation 0: its record {record} was changed after the game" in told
    assert "3 games, " in told


def test_match(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--processes", "1", "--load", BOTS, "--no-progress")
    assert hawaii("match", "greedy", "random", "--pairs", "200", "--sprt", "0", "100", *options) == 0
    told, progress = capsys.readouterr()
    assert told.splitlines()[0] == "greedy against random"
    assert "greedy scores " in told and " Elo [" in told
    assert "SPRT: H1: the lead is 100 Elo rather than 0" in told
    assert progress == ""
    refuses(
        HawaiiError,
        ("between two agents", lambda: hawaii("match", "random")),
        ("--report needs --out", lambda: hawaii("match", "random", "greedy", "--report")),
    )


@pytest.mark.slow
def test_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    out = str(tmp_path)
    options = ("--pairs", "3", "--processes", "1", "--no-progress", "--out", out)
    assert hawaii("match", "random", "b=random", *options, "--report") == 0
    assert (tmp_path / "report" / "index.html").stat().st_size > 5000
    assert "Report: " in capsys.readouterr().out
