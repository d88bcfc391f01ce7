"""The scripts around search: what decides games (`depth.py`), what simulations are worth (`strength.py`)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from refusals import refuses, refuses_each

pytest.importorskip("torch", reason="the learning libraries are not installed")
pytest.importorskip("safetensors", reason="safetensors is not installed")

from experiment_scripts import load

from hawaii_env.errors import HawaiiError, OptionError
from hawaii_env.hawaii1795 import Game

depth: Any = load("depth")
figures: Any = load("depth_figures")
strength: Any = load("strength")


# depth.py

HEAD: dict[str, Any] = {
    "agent": "random", "scenario": "short", "rules": None, "values": None, "again": 0, "again_by": None,
}  # fmt: skip
GAME: Any = depth.Game(scenario="short")


def test_a_game_says_what_happened_in_it() -> None:
    game = depth.play("random", "short", None, 5, "", 2)
    assert game == depth.play("random", "short", None, 5, "", 2)
    assert game["winner"] in {"kamehameha", "allied", "tie"}
    assert 2 <= len(game["cards"]) == len({card for card, _ in game["cards"]})
    ruleset = Game().ruleset
    assert {card for card, _ in game["cards"]} <= set(ruleset.card_ids)
    for battle in game["battles"]:
        assert battle["space"] in Game().ruleset.spaces and battle["attacker"] in figures.SIDES
    if game["reason"].startswith("Kamehameha eliminated"):
        assert "kamehameha:kamehameha" in game["deaths"]
    assert game["turn"] in game["months"] and all(len(scores) == 2 for scores in game["months"].values())
    assert set(game["months"]) <= set(game["jumps"]) and sum(map(sum, game["jumps"].values())) > 0
    assert game["legal"][0] >= 2 * game["decisions"] and game["legal"][1] >= np.log10(2) * game["decisions"] - 0.01


def test_the_expected_score_over_dice_is_their_mean() -> None:
    game = Game(scenario="short")
    worth = depth.Worth(depth.weights.find(game))
    state, seen, rng = game.initial_state(chance="explicit"), 0, np.random.default_rng(3)
    while seen < 40 and not state.is_terminal:
        if state.current_player >= 0:
            state.apply(int(rng.choice(state.legal_actions())))
            continue
        outcomes = state.chance_outcomes()
        mean = 0.0
        for outcome, share in outcomes:
            child = state.clone()
            child.apply_chance(outcome)
            mean += share * worth(child)
        assert worth(state) == pytest.approx(mean, abs=1e-6)
        state.apply_chance(outcomes[int(rng.integers(len(outcomes)))][0])
        seen += 1
    assert seen > 10


def test_a_plan_is_where_land_pieces_stand_and_leaders_are() -> None:
    units = {"kona": ["kamehameha", "warrior_2/panicked", "canoe"], "sea/maui": ["pike", "canoe"], "hilo": ["canoe"]}
    assert depth.plan_of(units, None) == {
        "targets": "kona(kamehameha) maui()", "pieces": "kona(kamehameha,warrior_2) maui(pike)",
    }  # fmt: skip
    assert depth.plan_of({"war": ["warrior_2"]}, "maui")["targets"] == "maui()"


def test_what_is_known_of_a_result() -> None:
    """Of a model whose answer is known: results are 0 or 1, with a probability that the position tells."""
    rng = np.random.default_rng(2)
    for low, high, share in ((0.5, 0.5, 0.0), (0.2, 0.8, 0.36), (0.0, 1.0, 1.0)):
        chances = rng.choice([low, high], size=6000)
        pairs = [(float(rng.random() < p), [float(x) for x in rng.random(2) < p]) for p in chances]
        assert figures.known(pairs) == pytest.approx(share, abs=0.04)
    assert figures.known([(1.0, [1.0, 1.0])] * 30) is None and figures.known([(1.0, [1.0, 0.0])] * 5) is None


def test_figures_of_given_games() -> None:
    def game(seed: int, winner: str, deaths: dict[str, str], won: bool) -> dict[str, Any]:
        battle = {"space": "hilo", "kind": "land", "attacker": "kamehameha", "turn": "may", "won": won}
        plan = {"targets": "kona()" if seed < 3 else "hilo()", "pieces": "kona(pike)"}
        return {
            "seed": seed, "winner": winner, "reason": "because", "turn": "may" if seed < 4 else "february",
            "decisions": 100 + seed, "cards": [("k1", "january"), ("k2", "july")], "battles": [battle],
            "deaths": deaths, "plans": {"kamehameha": plan}, "legal": [400, 50.0], "months": {},
            "jumps": {"may": [0.1, 0.3]},
        }  # fmt: skip

    games = [
        game(1, "kamehameha", {"allied:kaiana": "may"}, True), game(2, "tie", {}, False),
        game(3, "allied", {"kamehameha:kamehameha": "january"}, False), game(4, "allied", {}, False),
    ]  # fmt: skip
    found = figures.summarise(games)
    assert [found["shares"][who]["share"] for who in ("kamehameha", "allied", "tie")] == [0.25, 0.5, 0.25]
    assert found["kamehameha_score"]["mean"] == 0.375
    assert found["kamehameha_of_decided"]["share"] == pytest.approx(1 / 3, abs=1e-4)
    assert found["decisions"]["mean"] == 102.5 and found["branching"]["mean"] == round(400 / 102.5, 2)
    assert found["decided"]["january_february"]["share"] == found["decided"]["before_april"]["share"] == 0.25
    assert found["battles"]["kamehameha at hilo"] == {**figures._mean([1.0, 0.0, 0.0, 0.0]), "a_game": 1.0}
    assert found["leaders"]["kamehameha:kamehameha"]["died_in_january"] == 0.25
    assert found["leaders"]["kamehameha:kamehameha"]["score_if_died"]["mean"] == 0.0
    assert found["leaders"]["allied:kaiana"]["score_if_died"]["mean"] == 1.0
    assert found["cards"]["k1"]["early"]["n"] == 4 and found["cards"]["k1"]["later"] == {"n": 0}
    assert found["plans"]["kamehameha"]["targets"]["effective"] == 2.0
    assert found["plans"]["kamehameha"]["pieces"]["effective"] == 1.0 and "allied" not in found["plans"]
    assert found["luck"]["luck"] == 0.75 and found["known"] == {}
    page = figures.markdown(found, "A title")
    assert page.startswith("# A title\n") and "| 25.0% (0% to 91%) | 50.0% (2% to 98%) |" in page


def test_games_go_on_after_a_kill(tmp_path: Path) -> None:
    whole = depth.run(HEAD, GAME, 3, tmp_path / "whole", 1, 1)
    path = tmp_path / "whole" / "games.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    (tmp_path / "cut").mkdir()
    (tmp_path / "cut" / "games.jsonl").write_text("".join(lines[:2]) + lines[2][:-40])
    assert json.dumps(depth.run(HEAD, GAME, 3, tmp_path / "cut", 1, 1)) == json.dumps(whole)
    seeds = [json.loads(line)["seed"] for line in (tmp_path / "cut" / "games.jsonl").read_text().splitlines()[1:]]
    assert sorted(seeds) == [1, 2, 3]
    refuses(
        HawaiiError,
        ("games of other settings", lambda: depth.run({**HEAD, "scenario": "long"}, GAME, 3, tmp_path / "cut", 1, 1)),
    )


def test_one_game_from_a_position_cannot_be_compared(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert depth.main(["--agent", "random", "--again", "1", "--out", str(tmp_path)]) == 2
    assert "again: 0, or 2 and more" in capsys.readouterr().err


# strength.py


def test_values_and_their_pairs() -> None:
    assert strength.parse_values("10, 1000*40,0.5", 100) == [("10", 100), ("1000", 40), ("0.5", 100)]
    refuses_each(
        OptionError,
        "values",
        lambda text: strength.parse_values(text, 100),
        ("", "10,,20", "10*", "10*0", "10*x", "ten"),
    )


def test_strength_is_measured_kept_and_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--agent", "mcts:sims={},values=game", "--against", "random", "--scenario", "short", "--processes", "1"]
    words += ["--seed", "3", "--out", str(tmp_path)]
    assert strength.main([*words, "--values", "2,64*3", "--pairs", "2"]) == 0
    first = json.loads((tmp_path / "strength.json").read_text())
    assert [(one["value"], one["games"], one["forfeits"]) for one in first["points"]] == [(2.0, 4, 0), (64.0, 6, 0)]
    for one in first["points"]:
        low, high = one["interval"]
        assert 0 <= low <= one["score"] <= high <= 1 and one["seconds_a_decision"] > 0
        assert one["score"] == pytest.approx(sum(one["by_side"].values()) / 2, abs=1e-4)
    assert (tmp_path / "strength.png").read_bytes().startswith(b"\x89PNG")
    assert (first["ruleset"], first["scenario"], first["seed"]) == (Game().ruleset_name, "short", 3)
    # The same again plays nothing, and says the same.
    games = sorted(path for path in tmp_path.glob("*/records/**/*") if path.is_file())
    times = [path.stat().st_mtime_ns for path in games]
    assert strength.main([*words, "--values", "2,64*3", "--pairs", "2"]) == 0
    assert json.loads((tmp_path / "strength.json").read_text()) == first and len(games) == 10
    assert [path.stat().st_mtime_ns for path in games] == times
    assert "mcts:sims=64,values=game: " in capsys.readouterr().out
    kept = tmp_path / "kept.json"
    for _ in range(2):
        strength.keep(first, kept)
    strength.keep({**first, "points": [{**first["points"][0], "score": 0.25}]}, kept)
    points = json.loads(kept.read_text())
    assert [(one["value"], one["seed"]) for one in points] == [(2.0, 3), (64.0, 3)] and points[0]["score"] == 0.25
    assert strength.main([*words, "--values", "2", "--agent", "random"]) == 2
    assert "must have {} once" in capsys.readouterr().err
