"""`experiments/calibrate.py`: games between equals, their figures by game, aims, and levers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from experiment_scripts import ROOT, load
from refusals import refuses

from hawaii_env import load_game
from hawaii_env.aloha.rules.names import ISLANDS
from hawaii_env.errors import HawaiiError, OptionError
from hawaii_env.hawaii1795 import Game
from hawaii_env.hawaii1795.rules.names import REASONS

calibrate: Any = load("calibrate")
depth: Any = load("calibration.hawaii1795")
aloha: Any = load("calibration.aloha")
fitting: Any = load("calibration.levers")
STUDIES = sorted((ROOT / "experiments/configs/calibration").glob("*.toml"))
SHORT: dict[str, Any] = {"scenario": "short"}


# Hawaii, 1795


@pytest.mark.slow
def test_a_game_records_what_happened_in_it() -> None:
    job = ("hawaii1795", SHORT, "random", 5, {"values": "", "again": 2})
    game = calibrate.play(job)
    assert game == calibrate.play(job)
    assert depth.winner(game) in {"kamehameha", "allied", "tie"} and game["reason"] in REASONS
    if game["reason"].startswith("Kamehameha eliminated"):
        assert "kamehameha:kamehameha" in game["deaths"]
    assert game["turn"] in game["months"] and all(len(scores) == 2 for scores in game["months"].values())
    assert set(game["months"]) <= set(game["jumps"]) and sum(map(sum, game["jumps"].values())) > 0
    assert game["legal"][0] >= 2 * game["decisions"] and game["legal"][1] >= np.log10(2) * game["decisions"] - 0.01
    assert sum(reason.startswith(depth.OCCUPATION) for reason in REASONS) == 2  # one with the final check


def test_the_expected_score_over_dice_is_their_mean() -> None:
    game = Game(**SHORT)
    expectation = depth.Watch(game, "random", 1, {"values": ""}).expectation
    state, seen, rng = game.initial_state(chance="explicit"), 0, np.random.default_rng(3)
    while seen < 15 and not state.is_terminal:
        if state.current_player >= 0:
            state.apply(int(rng.choice(state.legal_actions())))
            continue
        outcomes, mean = state.chance_outcomes(), 0.0
        for outcome, share in outcomes:
            child = state.clone()
            child.apply_chance(outcome)
            mean += share * expectation(child)
        assert expectation(state) == pytest.approx(mean, abs=1e-6)
        state.apply_chance(outcomes[int(rng.integers(len(outcomes)))][0])
        seen += 1
    assert seen > 10


def test_a_plan_is_the_places_of_land_pieces_and_leaders() -> None:
    units = {"kona": ["kamehameha", "warrior_2/panicked", "canoe"], "sea/maui": ["pike", "canoe"], "hilo": ["canoe"]}
    assert depth.plan_of(units, None) == {
        "targets": "kona(kamehameha) maui()", "pieces": "kona(kamehameha,warrior_2) maui(pike)",
    }  # fmt: skip
    assert depth.plan_of({"war": ["warrior_2"]}, "maui")["targets"] == "maui()"


def test_what_is_known_of_a_result() -> None:
    """Of a model whose answer is known: results are 0 or 1, with a probability that the position gives."""
    rng = np.random.default_rng(2)
    for low, high, share in ((0.5, 0.5, 0.0), (0.2, 0.8, 0.36), (0.0, 1.0, 1.0)):
        chances = rng.choice([low, high], size=6000)
        results = [float(rng.random() < p) for p in chances]
        pairs = [(one, [float(x) for x in rng.random(2) < p]) for one, p in zip(results, chances, strict=True)]
        assert depth.known(pairs) == pytest.approx(share, abs=0.04)
        values = [(one, [p]) for one, p in zip(results, chances, strict=True)]
        assert depth.known(values) == pytest.approx(share, abs=0.04)
    assert depth.known([(1.0, [1.0, 1.0])] * 30) is None and depth.known([(1.0, [1.0, 0.0])] * 5) is None


def game(seed: int, share: float, deaths: dict[str, str]) -> dict[str, Any]:
    plan = {"targets": "kona()" if seed < 3 else "hilo()", "pieces": "kona(pike)"}
    return {
        "seed": seed, "shares": [share, 1 - share], "reason": "because", "turn": "may" if seed < 4 else "february",
        "decisions": 100 + seed, "deaths": deaths,
        "plans": {"kamehameha": plan}, "legal": [400, 50.0], "months": {}, "jumps": {"may": [0.1, 0.3]},
    }  # fmt: skip


def test_figures_of_given_games() -> None:
    games = [
        game(1, 1.0, {"allied:kaiana": "may"}), game(2, 0.5, {}),
        game(3, 0.0, {"kamehameha:kamehameha": "january"}), game(4, 0.0, {}),
    ]  # fmt: skip
    found, numbers = depth.summarise(games), depth.figures(games)
    assert [found["shares"][who]["share"] for who in ("kamehameha", "allied", "tie")] == [0.25, 0.5, 0.25]
    assert found["kamehameha_score"]["mean"] == numbers["kamehameha"] == 0.375
    assert found["kamehameha_of_decided"]["share"] == pytest.approx(1 / 3, abs=1e-4)
    assert found["decisions"]["mean"] == 102.5 and found["branching"]["mean"] == round(400 / 102.5, 2)
    assert found["decided"]["january_february"]["share"] == numbers["before_april"] == 0.25
    assert found["leaders"]["kamehameha:kamehameha"]["died_in_january"] == 0.25
    assert found["leaders"]["kamehameha:kamehameha"]["score_if_died"]["mean"] == 0.0
    assert found["leaders"]["allied:kaiana"]["score_if_died"]["mean"] == 1.0
    assert found["plans"]["kamehameha"]["targets"]["effective"] == 2.0 and numbers["greatest_plan"] == 1.0
    assert found["plans"]["kamehameha"]["pieces"]["effective"] == 1.0 and "allied" not in found["plans"]
    assert found["luck"]["luck"] == 0.75 and found["known"] == {} and np.isnan(numbers["known_may"])
    assert "| 25.0% (0% to 91%) | 50.0% (2% to 98%) |" in depth.tables(found)
    told = {x: depth.tables({**found, "luck": {**found["luck"], "of_variance": x}}) for x in (0.94, 0.96, 1.04, 1.06)}
    assert [x for x, text in told.items() if "| choice | luck |" in text and "Luck makes 75%" in text] == [0.96, 1.04]
    assert all("are no martingale" in told[x] for x in (0.94, 1.06))


# ALOHA


@pytest.mark.parametrize(("players", "settings"), [(2, {}), (4, {}), (2, {"prologue": "random"})])
def test_every_point_of_aloha_has_its_source(players: int, settings: dict[str, Any]) -> None:
    job = ("aloha", {"players": players}, "random", 5, settings)
    one = calibrate.play(job)
    assert one == calibrate.play(job)
    assert [sum(found.values()) for found in one["sources"]] == one["scores"]
    assert sum(one["shares"]) == pytest.approx(1) and sorted(one["order"]) == list(range(players))
    assert len(set(one["settled"])) == players and set(one["settled"]) <= set(ISLANDS)
    # three monarchs of two points in the Prologue's, Chapter I's and Chapter II's scoring
    assert sum(found["monarchs"] for found in one["sources"]) == 6


def test_figures_of_aloha() -> None:
    """Places are those of the Prologue's order, not seats; the first choice is that of the first to settle."""
    sources = [dict.fromkeys(aloha.SOURCES, 0) | {"Governor": 6}, dict.fromkeys(aloha.SOURCES, 0) | {"monarchs": 4}]
    one = {
        "settled": ["maui", "oahu"], "shares": [1.0, 0.0], "sources": sources, "scores": [6, 4], "decisions": 60,
        "reason": "the end",
    }  # fmt: skip
    games = [{**one, "order": [0, 1]}, {**one, "order": [1, 0]}]
    found, numbers = aloha.summarise(games), aloha.figures(games)
    assert [row["share"] for row in found["places"]] == [0.5, 0.5] and numbers["place_off_fair"] == 0
    assert [row["share"] for row in found["seats"]] == [1.0, 0.0]
    assert found["islands"]["maui"]["first_choice"] == 0.5 == numbers["greatest_first_choice"]
    assert found["islands"]["maui"]["share"] == 1.0 and numbers["greatest_source"] == 0.6
    assert found["points"] == {"mean": 5.0, "least": 4, "most": 6}
    assert aloha.figures([games[0]] * 3)["place_off_fair"] == 0.5


# Studies

STUDY = """game = "{game}"
results = "{results}"
[aims]
ties = [0.0, 1.0]
[[part]]
name = "one"
agent = "random"
games = 3
options = {options}
"""


@pytest.mark.parametrize(("name", "options"), [("tides", "{}"), *(
    pytest.param(*kind, marks=pytest.mark.slow) for kind in (("aloha", "{players = [3]}"),
        ("hawaii1795", '{scenario = ["short"]}'), ("heiau", '{scenario = ["duel"], last_year = 2}')))])  # fmt: skip
@pytest.mark.usefixtures("toys")
def test_a_study_is_played_written_and_resumed(name: str, options: str, tmp_path: Path) -> None:
    results = tmp_path / "kept.json"
    (tmp_path / "study.toml").write_text(STUDY.format(game=name, options=options, results=results))
    words = [str(tmp_path / "study.toml"), "--out", str(tmp_path / "out"), "--write"]
    assert calibrate.main(words) == 0
    whole = json.loads((tmp_path / "out/results.json").read_text())
    assert whole == json.loads(results.read_text()) and whole[0]["games"] == 3
    assert whole[0]["figures"]["ties"] == pytest.approx(whole[0]["ties"]["share"], abs=1e-4)
    assert "| ties | 0.0% to 100.0% | **" in (tmp_path / "out/summary.md").read_text()
    # A game whose line was cut off is played again, and the figures are the same.
    (path,) = tmp_path.glob("out/*/games.jsonl")
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:2]) + lines[2][:-40])
    assert calibrate.main(words) == 0 and json.loads((tmp_path / "out/results.json").read_text()) == whole
    study = (tmp_path / "study.toml").read_text()
    (tmp_path / "study.toml").write_text(study.replace('"random"', '"epsilon-greedy:base=random,epsilon=0.5"'))
    with pytest.raises(HawaiiError, match="games of other settings"):
        calibrate.run(calibrate.read_study(words[0]), tmp_path / "out")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('game = "aloha"', ""), "a game, and"),
        (("[[part]]", "[[part]]\nrules = 3"), r"\[\[part\]\] has no rules"),
        (('agent = "random"', ""), r"\[\[part\]\] lacks agent"),
        (("[0.0, 1.0]", "[1.0, 0.0]"), "aims: ties"),
        (("[[part]]", "[levers]\nfile = 'x'\n[[part]]"), r"\[\[levers\]\] lacks agent"),
        (("[[part]]", "[[part"), "study.toml"),
    ],
)
def test_studies_that_are_rejected(change: tuple[str, str], message: str, tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(STUDY.format(game="aloha", options="{}", results="x").replace(*change))
    refuses(OptionError, (message, lambda: calibrate.read_study(str(tmp_path / "study.toml"))))


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [("hawaii1795", {"again": 1}, "again: 0, or 2 and more"), ("aloha", {"again": 2}, "settings: aloha has no again")],
)
def test_settings_that_are_rejected(name: str, settings: dict[str, Any], message: str) -> None:
    refuses(OptionError, (message, lambda: calibrate.play((name, {}, "random", 1, settings))))


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_every_study_can_be_played_and_has_results(path: Path) -> None:
    study = calibrate.read_study(str(path))
    parts = calibrate.parts_of(study)
    written = json.loads((ROOT / study["results"]).read_text(encoding="utf-8")) if parts else []
    for one in parts:
        ruleset = load_game(study["game"], **one["options"]).ruleset_name
        wanted = {key: one[key] for key in ("name", "agent", "options", "settings")} | {"ruleset": ruleset}
        assert any(wanted.items() <= row.items() for row in written), wanted


# Levers

LEVERS = calibrate.Levers("hawaii1795", Game().ruleset.content)
AIMS = calibrate.read_study("hawaii1795-depth")["aims"]


def test_effects_that_were_put_in_are_found_again() -> None:
    """A figure made of one lever's value and of a pair's is fitted, and the best combination is the right one."""
    rng = np.random.default_rng(0)
    chosen = fitting.drawn(LEVERS, 300, 1)
    assert len({tuple(one) for one in chosen}) == 300
    least = {name: aims[0] for name, aims in AIMS.items()}
    rows = []
    for one in chosen:
        early = 0.4 - 0.1 * (one[0] == 1) - 0.25 * (one[3] == 1 and one[4] == 2) + rng.normal(0, 0.01)
        rows.append({"choice": one, **least, "kamehameha": 0.5, "before_april": early})
    best = fitting.ranked(rows, LEVERS, AIMS)[0]
    assert (best["choice"][0], best["choice"][3], best["choice"][4]) == (1, 1, 2)
    assert best["before_april"] == pytest.approx(0.05, abs=0.04)


@pytest.mark.slow
def test_rulesets_of_levers_are_played_and_resumed(tmp_path: Path) -> None:
    study = {
        "game": "hawaii1795", "aims": AIMS,
        "levers": {"file": "hawaii1795", "agent": "random", "drawn": 20, "games": 2, "best": 2, "again": 3,
                   "pictures": [["before_april", "ties"]]},
    }  # fmt: skip
    page = calibrate.run_levers(study, tmp_path, None, 1)
    assert page.startswith("# Levers, 20 rulesets") and page.count("## ") == 2 and "| fleet moves of cards 1" in page
    path = tmp_path / "rulesets" / "games.jsonl"
    whole = path.read_text().splitlines(keepends=True)
    path.write_text("".join(whole[:15]) + '{"choice": [')
    assert calibrate.run_levers(study, tmp_path, None, 1) == page
    assert sorted(path.read_text().splitlines(keepends=True)[1:]) == sorted(whole[1:])
    assert len((tmp_path / "confirmed" / "games.jsonl").read_text().splitlines()) == 3
    assert (tmp_path / "levers.png").read_bytes().startswith(b"\x89PNG")
