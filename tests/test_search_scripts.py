"""The scripts around search: what decides games (`depth.py`), what simulations are worth (`strength.py`), learning
from one's own searches, and a small network of a large one's.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="the learning libraries are not installed")
pytest.importorskip("safetensors", reason="safetensors is not installed")

import torch
from experiment_scripts import load

from hawaii_agents.network import Policy
from hawaii_env.errors import HawaiiError, OptionError
from hawaii_env.hawaii1795 import Game

ppo: Any = load("ppo_selfplay")
depth: Any = load("depth")
figures: Any = load("depth_figures")
expert: Any = load("expert_iteration")
strength: Any = load("strength")
one_shot: Any = load("one_shot")
tune: Any = load("tune")
torch.set_num_threads(1)


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
    with pytest.raises(HawaiiError, match="games of other settings"):
        depth.run({**HEAD, "scenario": "long"}, GAME, 3, tmp_path / "cut", 1, 1)


def test_one_game_from_a_position_cannot_be_compared(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert depth.main(["--agent", "random", "--again", "1", "--out", str(tmp_path)]) == 2
    assert "again: 0, or 2 and more" in capsys.readouterr().err


# expert_iteration.py


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A policy's file, untrained."""
    path = tmp_path_factory.mktemp("weights") / "start.safetensors"
    ppo.Trainer(ppo.Args(scenario="short", lanes=2, hidden=16)).policy(decisions=0).save(path)
    return path


def small(start: Path, out: Path, **more: Any) -> Any:
    values = {
        "out": str(out),
        "init": str(start),
        "scenario": "short",
        "shares": "",
        "rounds": 2,
        "games": 2,
        "sims": 6,
        "keep": 2,
        "ladder": "",
        "eval_every": 99,
        "quiet": True,
        "eval_games": 2,
    }
    return expert.Args(**{**values, **more})


@pytest.fixture(scope="module")
def finished(start: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run of two rounds."""
    folder = tmp_path_factory.mktemp("expert") / "run"
    expert.run(small(start, folder))
    return folder


def test_a_lesson_is_a_decision_and_what_the_search_made_of_it(start: Path, tmp_path: Path) -> None:
    args, game = small(start, tmp_path), Game(scenario="short")
    lessons, returns = expert.play(args, game, Policy.load(start), 3)
    n = len(lessons.targets)
    assert lessons.observations.shape == (n, game.observation_size) and len(lessons.counts) == n
    starts = np.cumsum(lessons.counts) - lessons.counts
    assert np.allclose(np.add.reduceat(lessons.visits, starts), 1.0, atol=1e-5)
    assert (lessons.visits >= 0).all() and (lessons.counts >= 2).all()  # forced decisions teach nothing
    assert (np.abs(lessons.targets) <= 1.0 + 1e-6).all()
    assert sum(returns) == 0.0
    once_more, _ = expert.play(args, game, Policy.load(start), 3)
    assert all(np.array_equal(getattr(lessons, f), getattr(once_more, f)) for f in expert.Lessons.__annotations__)
    # With the result alone, a lesson's value is what its mover got in the end.
    only, returns = expert.play(small(start, tmp_path, result=1.0), game, Policy.load(start), 3)
    assert set(np.abs(only.targets).tolist()) <= {abs(returns[0])}


def test_lessons_of_plans(start: Path, tmp_path: Path) -> None:
    args, game = small(start, tmp_path, expert="plans", searched=0.3, old=0.5, sims=24), Game(scenario="short")
    policy = Policy.load(start)
    lessons, returns = expert.play_plans(args, game, policy, 3)
    n = len(lessons.targets)
    starts = np.cumsum(lessons.counts) - lessons.counts
    assert np.allclose(np.add.reduceat(lessons.visits, starts), 1.0, atol=1e-5)
    assert set(lessons.weights.tolist()) == {0.5, 1.0} and sum(returns) == 0.0
    assert (np.abs(lessons.targets) <= 1.0 + 1e-6).all() and (lessons.counts >= 2).all()
    moved = 0
    for k in range(n):  # where nothing was searched the old policy is the target
        legal = lessons.actions[starts[k] : starts[k] + lessons.counts[k]].tolist()
        same = np.allclose(
            policy.evaluate(lessons.observations[k], legal)[0], lessons.visits[starts[k] :][: len(legal)], atol=1e-6
        )
        assert same or lessons.weights[k] == 1.0
        moved += not same
    assert moved > 3
    once_more, _ = expert.play_plans(args, game, policy, 3)
    assert all(np.array_equal(getattr(lessons, f), getattr(once_more, f)) for f in expert.Lessons.__annotations__)
    # Others begin every second game; what they decide is no lesson.
    led = small(start, tmp_path, expert="plans", searched=0.3, sims=24, scouted=2, leaders="random", lead=30)
    begun = expert.play_plans(led, game, policy, 3)[0], expert.play_plans(led, game, policy, 4)[0]
    first = np.asarray(game.initial_state(seed=3).observation(0), np.float32), game.initial_state(seed=4).observation(0)
    assert [np.array_equal(one.observations[0], seen) for one, seen in zip(begun, first, strict=True)] == [False, True]
    with pytest.raises(OptionError, match="lead"):
        small(start, tmp_path, expert="plans", lead=-1).check()
    expert.run(small(start, tmp_path / "run", expert="plans", rounds=1))
    assert Policy.load(tmp_path / "run/policy.safetensors").meta["config"]["expert"] == "plans"


def test_what_plans_make_of_the_policy() -> None:
    plans = [([7, 1], 24, 0.5), ([7, 2], 8, 0.9), ([9], 8, -0.5)]
    chances = np.array([0.2, 0.5, 0.3], np.float32)
    share = expert.improved(chances, [7, 8, 9], plans, 0.5, 8.0)
    mean = (24 * 0.5 + 8 * 0.9 - 8 * 0.5) / 40
    better = np.array([(0.5 - mean) * 24 / 32, 0.0, (-0.5 - mean) * 8 / 16])
    wanted = chances * np.exp(better / 0.5)
    np.testing.assert_allclose(share, wanted / wanted.sum(), rtol=1e-6)


def test_learning_from_lessons_brings_both_losses_down(start: Path, finished: Path) -> None:
    policy = Policy.load(start)
    torch.manual_seed(1)
    net = expert.Net(policy.observation_size, policy.num_actions, policy.hidden)
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    lessons = [expert._read(path) for path in sorted(finished.glob("lessons-*.npz"))]
    args = small(start, finished, epochs=1, minibatch=64)
    losses = [expert.learn(args, net, optimizer, lessons, np.random.default_rng(k)) for k in range(40)]
    assert losses[-1]["value_loss"] < 0.6 * losses[0]["value_loss"]
    of_policy = [loss["policy_loss"] for loss in losses]  # each of a few minibatches, so they jump
    assert np.mean(of_policy[-10:]) < np.mean(of_policy[:10]) - 0.02


def test_a_run_resumes_to_the_same_weights(start: Path, finished: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    expert.run(small(start, folder, rounds=1))
    expert.run(small(start, folder), resume=True)
    one, other = (Policy.load(path / "policy.safetensors") for path in (finished, folder))
    assert all(np.array_equal(one.tensors[name], other.tensors[name]) for name in one.tensors)
    assert not all(np.array_equal(one.tensors[name], Policy.load(start).tensors[name]) for name in one.tensors)
    lines = [json.loads(line) for line in (folder / "progress.jsonl").read_text().splitlines()]
    assert [line["rollout"] for line in lines] == [1, 2]
    assert lines[-1]["decisions"] == one.meta["decisions"] and one.meta["trainer"] == "expert_iteration"
    with pytest.raises(OptionError, match="holds a run already"):
        expert.run(small(start, folder))


def test_what_expert_iteration_refuses(start: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(OptionError, match="init: weights to start from"):
        expert.run(small(start, tmp_path, init=""))
    with pytest.raises(OptionError, match="noise is from 0 to 1"):
        expert.run(small(start, tmp_path, noise=2.0))
    with pytest.raises(OptionError, match="sims is 1 or more"):
        expert.run(small(start, tmp_path, sims=0))
    with pytest.raises(OptionError, match="shares: one for each scenario"):
        expert.run(small(start, tmp_path, shares="0.5,0.5"))
    assert expert.main(["--init", str(tmp_path / "nowhere.safetensors"), "--out", str(tmp_path / "none")]) == 2
    assert "nowhere.safetensors" in capsys.readouterr().err


# strength.py


def test_values_and_their_pairs() -> None:
    assert strength.parse_values("10, 1000*40,0.5", 100) == [("10", 100), ("1000", 40), ("0.5", 100)]
    for text in ("", "10,,20", "10*", "10*0", "10*x", "ten"):
        with pytest.raises(OptionError, match="values"):
            strength.parse_values(text, 100)


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


# one_shot.py


def test_what_another_plan_brings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["--games", "1", "--rollouts", "6", "--candidates", "6", "--heat", "3", "--halves", "1", "--processes", "1"]
    assert one_shot.main([*asked, "--out", str(tmp_path)]) == 0
    first, printed = (tmp_path / "games.jsonl").read_text(encoding="utf-8"), capsys.readouterr().out
    summary = json.loads((tmp_path / "summary.json").read_text(encoding="utf-8"))
    assert summary["all"]["positions"] >= 1 and set(summary["all"]["gains"]) == {"99", "1"}
    assert "| all |" in printed and "1 half-turns" in printed
    assert one_shot.main([*asked, "--out", str(tmp_path)]) == 0
    assert (tmp_path / "games.jsonl").read_text(encoding="utf-8") == first  # what is there is not played again
    assert one_shot.main([*asked, "--heat", "2", "--out", str(tmp_path)]) == 2
    assert "other settings" in capsys.readouterr().err
    with pytest.raises(OptionError, match="2 candidates"):
        one_shot.Settings(candidates=1).check()


def test_another_agent_leads_the_policy_off_its_path(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = one_shot.Settings(against="random", scouted=4, heat=0.01, candidates=6, rollouts=4, halves=())
    seats = list[int]()
    look = one_shot.look
    monkeypatch.setattr(
        one_shot, "look", lambda s, e, state, n: seats.append(state.current_player) or look(s, e, state, n)
    )
    found = [one_shot.play((settings, seed))["positions"] for seed in (2, 3)]
    assert set(seats) == {0, 1} and seats == sorted(seats)  # the policy's decisions alone, sides in turn
    assert any(one["plans"] > 1 for some in found for one in some)  # of one likely plan: the others are scouted


def test_gains_are_means_with_intervals_by_games() -> None:
    def position(gain: float, phase: str = "movement") -> dict[str, Any]:
        return {"phase": phase, "plans": 4, "gains": {"99": gain}, "spread": 0.04, "noise": {"99": 0.25}}

    games = [{"positions": [position(0.1), position(0.1)]}, {"positions": [position(-0.1), position(-0.1)]}]
    row = one_shot.summarise([*games, {"positions": []}])["movement"]
    assert (row["positions"], row["spread"], row["noise"]["99"]) == (4, 0.2, 0.5)
    # Two games of two positions each: the mean's error is that of two values, not of four.
    assert row["gains"]["99"] == {"mean": 0.0, "low": pytest.approx(-0.1386), "high": pytest.approx(0.1386)}
    assert "recruiting" not in one_shot.summarise(games)


# tune.py


def test_weights_race_against_the_shipped_ones(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--candidates", "4", "--games", "1", "--against", "random", "--side", "allied", "--out", str(tmp_path)]
    assert tune.main(words) == 0
    found = json.loads((tmp_path / "tuned.json").read_text())
    made = tune.candidates(tune.Args(candidates=4, games=1, side="allied"))
    assert [one["games"] for one in found["rounds"]] == [1, 4, 16]
    assert set(found["rounds"][0]["scores"]) == set("01234")
    best = next(iter(set(found["rounds"][2]["scores"]) - {"0"}))
    assert found["weights"] == list(made[int(best)][1]) and made[int(best)][0] == made[0][0] == tune.WEIGHTS[0]
    assert found["games"] == 16 and found["gain"][1] == pytest.approx(found["score"] - found["shipped"], abs=2e-4)
    lines = (tmp_path / "games.jsonl").read_text().splitlines(keepends=True)
    assert len(lines) == 1 + 5 + 2 * 3 + 2 * 12 + 2 * 16  # the head; games of a round stand in the next one, too
    (tmp_path / "games.jsonl").write_text("".join(lines[:20]) + lines[20][:7])  # a kill
    (tmp_path / "tuned.json").unlink()
    assert tune.main(words) == 0
    again = json.loads((tmp_path / "tuned.json").read_text())
    assert {**again, "date": 0} == {**found, "date": 0}
    capsys.readouterr()
    assert tune.main([*words, "--seed", "2"]) == 2  # another race in this folder
    assert "other settings" in capsys.readouterr().err
    for wrong in (["--side", "kauai"], ["--candidates", "2"], ["--games", "0"]):
        assert tune.main([*words, *wrong]) == 2
        assert wrong[0][2:] in capsys.readouterr().err
