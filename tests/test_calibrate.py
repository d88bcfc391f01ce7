"""`experiments/calibrate.py`: a policy plays rulesets drawn from levers, and their effects are fitted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="the learning libraries are not installed")
pytest.importorskip("safetensors", reason="safetensors is not installed")

from experiment_scripts import load

from hawaii_env.hawaii1795 import Game
from hawaii_env.hawaii1795.rules.names import REASONS

ppo: Any = load("ppo_selfplay")
calibrate: Any = load("calibrate")
LEVERS = calibrate.Levers("hawaii1795", Game().ruleset.content)
SIZES = [len(values) for values in calibrate.values_of(LEVERS)]


def test_figures_of_games_that_are_known() -> None:
    plans = {"kamehameha": "kona()", "allied": "oahu()"}
    games = [
        {"winner": "kamehameha", "reason": "occupation victory [5.1]", "turn": "february", "decisions": 10,
         "plans": plans, "values": {"february": 1.0}},
        {"winner": "tie", "reason": "the last turn", "turn": "november", "decisions": 30,
         "plans": {**plans, "allied": "maui()"}, "values": {"february": 0.0, "may": 0.0}},
    ]  # fmt: skip
    found = calibrate.figures(games)
    assert (found["kamehameha"], found["ties"], found["january_february"], found["before_april"]) == (
        0.75,
        0.5,
        0.5,
        0.5,
    )
    assert (found["greatest_plan"], found["plans"], found["decisions"], found["occupation"]) == (1.0, 1.0, 20.0, 0.5)
    assert found["known_february"] == pytest.approx(1.0) and found["known_may"] == pytest.approx(1.0)


def test_a_win_by_occupation_is_told_in_these_words() -> None:
    assert sum(reason.startswith(calibrate.OCCUPATION) for reason in REASONS) == 2  # one with the final check


def test_effects_that_were_put_in_are_found_again() -> None:
    """A figure made of one lever's value and of a pair's is fitted, and the best combination is the right one."""
    rng = np.random.default_rng(0)
    chosen = calibrate.chosen_rulesets(LEVERS, 300, 1)
    assert len({tuple(one) for one in chosen}) == 300
    least = {name: aims[0] for name, aims in calibrate.AIMS.items()}
    rows = []
    for one in chosen:
        both = float(one[3] == 1 and one[4] == 2)
        early = 0.4 - 0.1 * (one[0] == 1) - 0.25 * both + rng.normal(0, 0.01)
        figures = {
            **least,
            "games": 32,
            "kamehameha": 0.5,
            "king_dead": 0.0,
            "leader_dead": 0.0,
            "plans": 8.0,
            "decisions": 100.0,
        }
        rows.append({"choice": one, **figures, "before_april": early})
    best = calibrate.ranked(rows, LEVERS)[0]
    assert (best["choice"][0], best["choice"][3], best["choice"][4]) == (1, 1, 2)
    assert best["before_april"] == pytest.approx(0.05, abs=0.04)


def test_rulesets_are_played_and_a_stopped_run_goes_on(tmp_path: Path) -> None:
    trainer = ppo.Trainer(ppo.Args(hidden=16, num_envs=2, steps=4, rulesets="hawaii1795"))
    trainer.policy().save(tmp_path / "policy.safetensors")
    words = ["--policy", str(tmp_path / "policy.safetensors"), "--games", "2", "--out", str(tmp_path / "out")]
    assert calibrate.main([*words, "--rulesets", "20"]) == 0
    path = tmp_path / "out" / "rulesets.jsonl"
    whole = path.read_text()
    lines = [json.loads(line) for line in whole.splitlines()]
    assert len(lines) == 21 and all(line["games"] == 2 and line["decisions"] > 10 for line in lines[1:])
    assert all(1 <= line["plans"] <= 2 for line in lines[1:])
    path.write_text("\n".join(whole.splitlines()[:15]) + '\n{"choice": [')
    assert calibrate.main([*words, "--rulesets", "20"]) == 0
    assert [json.loads(line)["choice"] for line in path.read_text().splitlines()[1:]] == [
        line["choice"] for line in lines[1:]
    ]
    assert calibrate.main([*words, "--confirm", "2"]) == 0
    assert len((tmp_path / "out" / "confirmed.jsonl").read_text().splitlines()) == 3
    assert (tmp_path / "out" / "frontier.png").stat().st_size > 1000
