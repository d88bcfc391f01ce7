"""The scripts around ALOHA's agents: `calibrate_aloha.py`, `aloha_strength.py`, and the page from what they wrote."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from experiment_scripts import ROOT, load
from refusals import refuses

from hawaii_env.aloha.rules.names import ISLANDS
from hawaii_env.errors import HawaiiError, OptionError

calibrate: Any = load("calibrate_aloha")
strength: Any = load("aloha_strength")


@pytest.mark.parametrize("players", [2, 4])
def test_every_point_has_its_source(players: int) -> None:
    """A game of one seed is the same twice; its sources add up to its points, player by player."""
    game = calibrate.play("random", players, None, 5)
    assert game == calibrate.play("random", players, None, 5)
    assert [sum(found.values()) for found in game["sources"]] == list(game["points"])
    assert sum(game["shares"]) == pytest.approx(1) and sorted(game["order"]) == list(range(players))
    assert len(set(game["settled"])) == players and set(game["settled"]) <= set(ISLANDS)
    # three monarchs of two points in the Prologue's, Chapter I's and Chapter II's scoring
    assert sum(found["monarchs"] for found in game["sources"]) == 6


def game(order: list[int], settled: list[str], shares: list[float]) -> dict[str, Any]:
    sources = [dict.fromkeys(calibrate.SOURCES, 0) | {"Governor": 6}, dict.fromkeys(calibrate.SOURCES, 0)]
    sources[1]["monarchs"] = 4
    return {"order": order, "settled": settled, "shares": shares, "sources": sources, "points": [6, 4], "decisions": 60}


def test_figures() -> None:
    """Places are those of the Prologue's order, not seats; the first choice is of who settled first."""
    games = [game([0, 1], ["maui", "oahu"], [1.0, 0.0]), game([1, 0], ["maui", "oahu"], [1.0, 0.0])]
    found = calibrate.summarise(games)
    assert [row["share"] for row in found["places"]] == [0.5, 0.5]
    assert [row["share"] for row in found["seats"]] == [1.0, 0.0]
    assert found["islands"]["maui"]["first_choice"] == 0.5 and found["islands"]["maui"]["share"] == 1.0
    assert found["sources"]["Governor"] == 0.6 and found["points"] == {"mean": 5.0, "least": 4, "most": 6}
    assert calibrate.faults(found) == ["2 players: Governor bring 60% of the points"]


def test_what_is_asked_of_the_data() -> None:
    """A place is at fault when its whole interval is off; an island when the first to settle takes no other."""
    games = [game([0, 1], ["maui", "oahu"], [1.0, 0.0])] * 200
    wrong = calibrate.faults(calibrate.summarise(games))
    assert wrong[:2] == ["2 players: place 1 has 100.0%", "2 players: place 2 has 0.0%"]
    assert "2 players: maui is chosen first in 100%" in wrong


def test_the_control_has_a_prologue_at_random() -> None:
    """The Prologue's choices, and no others, are drawn; a game of one seed is the same twice."""
    own, stray = (calibrate.play("random", 2, None, 3, stray) for stray in (False, True))
    assert stray == calibrate.play("random", 2, None, 3, True) != own
    refuses(
        OptionError,
        (r"one number, or 3 with commas between, are wanted, not '4,5'", lambda: calibrate.counts("4,5", (2, 3, 4))),
    )
    assert calibrate.counts("4", (2, 3)) == [4, 4] and calibrate.counts("4,5", (2, 3)) == [4, 5]


@pytest.mark.slow
def test_a_stopped_calibration_goes_on(tmp_path: Path) -> None:
    """A cut line is played again, the figures are those of a run that was never stopped; other settings are refused."""
    whole = calibrate.run("random", None, [2], [3], tmp_path / "whole", 1, 1, 2)
    lines = (tmp_path / "whole" / "2" / "games.jsonl").read_text(encoding="utf-8")
    (tmp_path / "cut" / "2").mkdir(parents=True)
    (tmp_path / "cut" / "2" / "games.jsonl").write_text(lines[: lines.rindex("{") + 20], encoding="utf-8")
    assert calibrate.run("random", None, [2], [3], tmp_path / "cut", 1, 1, 2) == whole
    refuses(
        HawaiiError,
        ("games of other settings", lambda: calibrate.run("aloha-greedy", None, [2], [3], tmp_path / "cut", 1, 1, 2)),
    )


@pytest.mark.slow
def test_a_match_of_one_against_others(tmp_path: Path) -> None:
    """One agent sits in every seat as often; its share is told with an interval."""
    row = strength.match("aloha-greedy", "random", 3, 6, 1, tmp_path / "m")
    assert row["games"] == 6 and row["interval"][0] <= row["share"] <= row["interval"][1]
    assert row["times_fair"] == pytest.approx(3 * row["share"])


def test_committed_figures_keep_the_aims() -> None:
    """The aims that the results are measured for; a place may be off by no more than its interval."""
    found = json.loads((ROOT / "docs/benchmarks/aloha-strength.json").read_text(encoding="utf-8"))
    matches = {(row["agent"].split(":")[0], row["against"], row["players"]): row for row in found["matches"]}
    assert matches["aloha-greedy", "random", 2]["share"] >= 0.9
    assert matches["aloha-search", "aloha-greedy", 4]["times_fair"] >= 1.6
    assert all(row["games"] >= 400 for row in found["matches"])
