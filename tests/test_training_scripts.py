"""The training scripts beside the self-play trainer: MaskablePPO, the best response, learning from a teacher; and the
ladder.
"""

from __future__ import annotations

import json
import math
import re
import sys
import zipfile
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from refusals import refuses

pytest.importorskip("torch", reason="the learning libraries are not installed")
pytest.importorskip("sb3_contrib", reason="the learning libraries are not installed")
pytest.importorskip("safetensors", reason="safetensors is not installed")

import torch
from experiment_scripts import curves, load, quick_runs, refuses_to_resume, run_hawaii  # noqa: F401

import hawaii_env
from hawaii_agents.network import Policy, game_meta
from hawaii_agents.ppo import PPOAgent
from hawaii_env import agents, make_batch
from hawaii_env.agents import BaseAgent, PolicyAgent, RandomAgent
from hawaii_env.errors import OptionError
from hawaii_env.hawaii1795 import Game

ROOT = Path(__file__).resolve().parent.parent


ablations: Any = load("ablations")
exact_training: Any = load("exact_training")
league: Any = load("hawaii_agents.training.league")
ppo: Any = load(
    "hawaii_agents.training.ppo_selfplay"
)  # puts experiments/ on the path, so that the others find it and `training`
sb3: Any = load("ppo_sb3")
best_response: Any = load("hawaii_agents.training.best_response")
expert: Any = load("hawaii_agents.training.expert_iteration")
imitate: Any = load("hawaii_agents.training.imitate")
ladder: Any = sys.modules["hawaii_agents.training.evaluation"]
logs: Any = sys.modules["hawaii_agents.training.logs"]
torch.set_num_threads(1)


class Last(BaseAgent):
    """Takes the last legal action: an agent that decides from positions, and says which games it has begun."""

    begun: list[int] = []  # noqa: RUF012 (shared on purpose)

    def begin(self, game: Any, player: int) -> None:
        super().begin(game, player)
        self.begun.append(player)

    def act(self, state: Any, legal_actions: Any, clock: Any = None) -> int:
        assert state.current_player == self.player
        return legal_actions[-1]


@pytest.fixture(autouse=True)
def last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(agents._registered, "last", Last)


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A policy's file, untrained."""
    folder = tmp_path_factory.mktemp("weights")
    args = ppo.Args(scenario="short", num_envs=2, hidden=16)
    ppo.Trainer(args).policy(decisions=0).save(folder / "target.safetensors")
    return folder / "target.safetensors"


def lines_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "progress.jsonl").read_text().splitlines()]


# The ladder


def test_a_match_is_played_in_pairs_on_the_same_cards() -> None:
    game = Game(scenario="short")
    random = RandomAgent(seed=1)
    found = ladder.match([game] * 20, random.act_batch, "random", 3)
    assert found["games"] == 40
    assert found["score"] == pytest.approx((found["score_first"] + found["score_second"]) / 2)
    Last.begun.clear()
    against = ladder.match([game] * 4, RandomAgent(seed=1).act_batch, "last", 3)
    assert sorted(Last.begun) == [0] * 4 + [1] * 4  # an agent a game, each told its side
    assert against == ladder.match([game] * 4, RandomAgent(seed=1).act_batch, "last", 3)
    # Against itself, move for move, whoever wins the one game of a pair loses the other: the score is one half, without
    # spread.
    first = lambda observations, masks: masks.argmax(1)  # noqa: E731

    class First(PolicyAgent):
        def act_batch(self, observations: Any, masks: Any) -> Any:
            return first(observations, masks)

    same = ladder.match([game] * 5, first, First(), 0)
    assert same["score"] == 0.5 and same["error"] == 0.0


def test_what_the_ladder_leaves_out(capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        assert ladder.installed("random,not-installed:x=1,last") == ["random", "last"]
    assert capsys.readouterr().err.count("not-installed") == 1
    assert ladder.installed("") == []
    assert ladder.label("ppo:weights=/somewhere/a.safetensors,greedy=true") == "ppo:weights=a,greedy=True"
    refuses(OptionError, ("by its string", lambda: ladder.BatchPlayer(Last(), 0)))


def test_this_packages_agents_are_known_by_name(weights: Path) -> None:
    assert {"ppo", "rule-of-thumb"} <= set(agents.known())
    agent = agents.load_agent(f"ppo:weights={weights},greedy=true", seed=1)
    assert isinstance(agent, PPOAgent) and agent.greedy


# MaskablePPO

SMALL: dict[str, Any] = {
    "scenario": "short", "num_envs": 8, "steps": 16, "minibatch": 32, "epochs": 2, "hidden": 16, "decisions": 512,
    "eval_every": 2,
    "eval_games": 8, "eval_slow_games": 4, "checkpoint_every": 2, "quiet": True,
}  # fmt: skip


def test_maskable_ppo_is_converted_exactly() -> None:

    run = sb3.Run(sb3.Sb3(**SMALL))
    with torch.no_grad():  # weights that tell places apart
        for tensor in run.learner.policy.parameters():
            tensor.normal_(0, 0.2)
    policy = Policy(sb3.convert(run.learner))
    with make_batch("hawaii1795", 16, scenario="short") as batch:
        batch.reset(seed=1)
        for _ in range(40):
            batch.step(batch.sample_actions())
        observations, masks = batch.observations.copy(), batch.masks.copy()
    table, values = policy.forward(observations, masks)
    rows, actions = np.nonzero(masks)
    for row, action in zip(rows.tolist(), actions.tolist(), strict=True):
        if row < 4:
            wanted = run.learner.policy.evaluate_actions(
                torch.from_numpy(observations[[row]]), torch.tensor([action]), action_masks=masks[[row]]
            )
            assert table[row, action] == pytest.approx(float(wanted[1].detach()), abs=1e-5)
            assert values[row] == pytest.approx(float(wanted[0].detach()), abs=1e-5)


def test_networks_of_another_form_are_not_converted() -> None:
    run = sb3.Run(sb3.Sb3(**SMALL))
    for kwargs in ({"net_arch": [8, 8, 8]}, {"activation_fn": torch.nn.ReLU}):
        model = sb3.MaskablePPO("MlpPolicy", run.env, n_steps=8, batch_size=8, policy_kwargs=kwargs)
        with pytest.raises(OptionError, match="another form"):
            sb3.convert(model)


@pytest.mark.slow
def test_a_run_of_maskable_ppo_writes_resumes_and_plays(tmp_path: Path) -> None:
    run = sb3.Run(sb3.Sb3(**SMALL, pool_every=1, pool_size=2, scripted="random,last", scripted_share=0.5))
    run.run(tmp_path)
    lines = lines_of(tmp_path)
    assert [line["decisions"] for line in lines] == [128, 256, 384, 512]
    assert ["ladder" in line for line in lines] == [False, True, False, True]
    assert [rollout for rollout, _ in run.pool] == [3, 4]
    assert {player.name for player in run.env._versus._players.values()} >= {"random", "last", "rollout_3", "rollout_4"}
    assert lines[0]["entropy"] > 0.5 and 0 <= lines[-1]["ladder"]["past_best"]["score"] <= 1
    resumed = sb3.Run.load(tmp_path, decisions=768)
    assert resumed.rollouts == 4 and resumed.learner.num_timesteps == 512
    for name, tensor in resumed.learner.policy.state_dict().items():
        assert torch.equal(tensor, run.learner.policy.state_dict()[name])
    assert resumed.learner.policy.optimizer.state_dict()["state"]
    resumed.run(tmp_path)
    assert [line["decisions"] for line in lines_of(tmp_path)] == [128, 256, 384, 512, 640, 768]
    for name in ("policy", "policy-best"):
        policy = Policy.load(tmp_path / f"{name}.safetensors", Game())
        assert policy.meta["trainer"] == "ppo_sb3" and "--scripted 'random,last'" in policy.meta["command"]
        assert hawaii_env.play(Game(scenario="short"), [PPOAgent(policy, seed=1), "random"], seed=2).is_terminal
    assert policy.meta["decisions"] in (256, 512, 768)
    model = sb3.MaskablePPO.load(tmp_path / "model.zip", device="cpu")
    for name, tensor in model.policy.state_dict().items():
        assert torch.equal(tensor, resumed.learner.policy.state_dict()[name])
    assert b"ppo_sb3" not in zipfile.ZipFile(tmp_path / "model.zip").read("data")  # SB3 loads it without this script


@pytest.mark.parametrize(
    ("name", "options"),
    [("aloha", {}), ("hawaii1795", {}), ("heiau", {"scenario": "duel"}), ("maori_wars", {"scenario": "taranaki"})],
)
def test_the_committed_models_play(name: str, options: dict[str, Any]) -> None:
    model = ROOT / f"experiments/results/policies/sb3-{name}.zip"
    game = hawaii_env.load_game(name, **options)
    assert hawaii_env.play(game, [f"sb3:{model}", "random"], seed=1).is_terminal


@pytest.mark.slow
def test_the_command_line_of_maskable_ppo(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [f"--{key.replace('_', '-')}={value}" for key, value in SMALL.items() if key != "quiet"]
    assert sb3.main([*words, "--decisions=128", "--out", str(tmp_path)]) == 0
    assert "128 decisions" in capsys.readouterr().out
    refuses_to_resume(sb3.main, tmp_path / "nowhere", capsys)
    assert sb3.main(["--num-envs", "0"]) == 2
    assert sb3.main(["--scripted-share", "2"]) == 2
    assert "scripted_share" in capsys.readouterr().err
    stopped = sb3.Run(sb3.Sb3(**{**SMALL, "eval_every": 9, "minutes": 1e-9})).run(tmp_path / "short")
    assert stopped["rollout"] == 1 and stopped["ladder"]  # who stops for lack of time has been measured, too


# The best response

RESPONSE: dict[str, Any] = {
    "scenario": "short", "num_envs": 8, "steps": 16, "minibatch": 32, "hidden": 16, "decisions": 200, "eval_every": 2,
    "eval_games": 8,
    "test_games": 20, "checkpoint_every": 2, "quiet": True,
}  # fmt: skip


@pytest.mark.slow
def test_a_best_response_is_measured_and_resumed(weights: Path, tmp_path: Path) -> None:
    response = best_response.Response(**RESPONSE, target=str(weights), out=str(tmp_path / "run"))
    result = best_response.run(response)
    told = json.loads((tmp_path / "run/response.json").read_text())
    assert told == json.loads(json.dumps(result))
    assert told["games"] == 20 and told["target"] == "target" and told["budget_decisions"] >= 200
    low, high = told["interval"]
    assert low <= told["score"] <= high and told["exploitability"] == max(0.0, told["score"] - 0.5)
    assert str(tmp_path) not in json.dumps(told)
    lines = lines_of(tmp_path / "run")
    # Every lane has the policy on one side: the learner decides about half of the steps.
    assert 0.25 < lines[-1]["decisions"] / (128 * len(lines)) < 0.75
    assert any("target" in name for line in lines for name in line.get("ladder", {}))
    again = best_response.run(response, resume=True, named={"decisions": 400})
    assert again["budget_decisions"] >= 400
    assert len(lines_of(tmp_path / "run")) > len(lines)


def test_any_agent_can_be_answered(tmp_path: Path) -> None:
    response = best_response.Response(**RESPONSE, opponent="epsilon-greedy:epsilon=0.5", out=str(tmp_path / "run"))
    result = best_response.run(response)
    assert result["target"] == "epsilon-greedy:epsilon=0.5" and result["target_decisions"] is None
    assert [set(point) for point in result["curve"]] == [{"decisions", "score", "low", "high", "games"}] * len(
        [line for line in lines_of(tmp_path / "run") if "ladder" in line]
    )
    assert all(point["low"] <= point["score"] <= point["high"] for point in result["curve"])


LEAGUE: dict[str, Any] = {
    "scenario": "short", "num_envs": 32, "steps": 8, "minibatch": 64, "hidden": 16, "policy_decisions": 100,
    "exploiter_decisions": 50, "scripted": "random", "scripted_envs": 4, "lead": 10, "test_games": 8,
    "checkpoint_every": 2, "quiet": True,
}  # fmt: skip


@pytest.mark.slow
def test_a_league_trains_a_policy_and_its_exploiters_in_turn(
    weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(best_response, "Response", partial(best_response.Response, eval_games=8))
    out = tmp_path / "league"
    args = league.Args(**LEAGUE, init=str(weights), rounds=1, out=str(out))
    text = league.run(args)
    assert text.count("\n") == 3 and (out / "league.md").read_text() == text
    begun = Policy.load(weights).meta["decisions"]
    learned = Policy.load(out / "policy-1.safetensors").meta["decisions"]
    assert learned >= begun + 100  # what it had learned before counts
    before = (out / "policy-1.safetensors").read_bytes()
    more = league.Args(**{**LEAGUE, "rounds": 2}, init=str(weights), out=str(out))
    assert league.run(more).startswith(text.rstrip()[:200])  # the first round is not trained again
    assert (out / "policy-1.safetensors").read_bytes() == before
    first, second = json.loads((out / "league.json").read_text())["rounds"]
    assert second["policy_decisions"] == learned and first["games"] == 8
    low, high = second["interval"]
    assert low <= second["score"] <= high
    told = json.loads((out / "exploiter-2/response-config.json").read_text())
    assert Path(told["target"]).name == "policy-1.safetensors" and Path(told["init"]).name == "exploiter-1.safetensors"
    opponents = json.loads((out / "policy-2/config.json").read_text())["scripted"]
    assert opponents.count("exploiter-2") == 2 and opponents.count("exploiter-1") == 1 and opponents.endswith("random")
    refuses(
        OptionError,
        (
            "other settings",
            lambda: league.run(league.Args(**{**LEAGUE, "num_envs": 16}, init=str(weights), out=str(out))),
        ),
        ("rounds", lambda: league.run(league.Args(**LEAGUE, rounds=0, out=str(out)))),
    )


def test_a_best_response_rejects_bad_input(weights: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_hawaii("best-response", ["--target", "nowhere", "--out", str(tmp_path)]) == 2
    assert "there is no file" in capsys.readouterr().err
    assert run_hawaii("best-response", ["--resume", "--out", str(tmp_path)]) == 2
    assert "no run of this script" in capsys.readouterr().err
    other = Policy(Policy.load(weights).tensors, {**game_meta(Game()), "action_table_hash": "00"})
    other.save(tmp_path / "other.safetensors")
    assert run_hawaii("best-response", ["--target", str(tmp_path / "other.safetensors"), "--out", str(tmp_path)]) == 2
    assert "another action table" in capsys.readouterr().err


HELD, HELD_WEIGHTS = "held-out:kind=biased", "held-out/hawaii1795"


def test_training_rejects_held_out_opponents_and_weights(tmp_path: Path) -> None:
    runs: list[tuple[str, Any]] = [
        ("scripted", lambda: ppo.Args(scripted=f"random,epsilon-greedy:epsilon=0.1,base={HELD}").check()),
        ("scripted", lambda: sb3.Sb3(scripted=HELD).check()),
        ("scripted", lambda: league.run(league.Args(scripted=HELD, out=str(tmp_path)))),
        ("teacher", lambda: imitate.Args(teacher=HELD).check()),
        ("opponent", lambda: best_response.run(best_response.Response(opponent=HELD, out=str(tmp_path)))),
        ("target", lambda: best_response.run(best_response.Response(target=HELD_WEIGHTS, out=str(tmp_path)))),
        ("init", lambda: ppo.Args(init="held-out/hawaii1795").check()),
        ("init", lambda: expert.Args(init=HELD_WEIGHTS).check()),
        ("init", lambda: league.run(league.Args(init=HELD_WEIGHTS, out=str(tmp_path)))),
        ("exploiter", lambda: league.run(league.Args(exploiter=HELD_WEIGHTS, out=str(tmp_path)))),
    ]
    refuses(OptionError, *((f"^{name}: .* is held out", run) for name, run in runs))
    for args in (ppo.Args(ladder=HELD), expert.Args(ladder=HELD), imitate.Args(ladder=HELD)):
        args.check()


# Learning from a teacher


def test_lessons_hold_the_teachers_choices(tmp_path: Path) -> None:
    args = imitate.Args(
        scenario="short", teacher="last", games=6, batch=4, strayed=1.0, stray=0.5, seed=3, out=str(tmp_path)
    )
    lessons = imitate.collect(args, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["games-000000.npz", "games-000004.npz"]
    n = len(lessons["picks"])
    assert lessons["observations"].shape == (n, 2035) and set(lessons["games"].tolist()) == set(range(6))
    # The choice of the teacher, whatever was played: always the last legal one.
    assert np.array_equal(lessons["picks"], lessons["counts"] - 1)
    assert set(np.unique(lessons["results"])) <= {-1.0, 0.0, 1.0} and np.abs(lessons["results"]).sum() > 0
    straight = imitate.play(imitate.Args(scenario="short", teacher="last", strayed=0.0, seed=3), 0, 4)
    assert len(straight["picks"]) != int((lessons["games"] < 4).sum())  # random decisions led elsewhere
    (tmp_path / "games-000004.npz").unlink()
    again = imitate.collect(args, tmp_path)
    assert np.array_equal(again["observations"], lessons["observations"])


@pytest.mark.slow
def test_a_pupil_learns_a_simple_teacher(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--scenario", "short", "--teacher", "last", "--games", "24", "--batch", "12", "--hidden", "32", "--epochs",
        "6", "--minibatch", "64",
             "--eval-games", "8", "--ladder", "random,last", "--out", str(tmp_path)]  # fmt: skip
    assert run_hawaii("imitate", words) == 0
    lines = lines_of(tmp_path)
    assert len(lines) == 6 and lines[-1]["train"]["policy_loss"] < 0.8 * lines[0]["train"]["policy_loss"]
    assert lines[-1]["test"]["agreement"] > 0.5
    policy = Policy.load(tmp_path / "policy.safetensors", Game())
    assert policy.meta["trainer"] == "imitate" and set(policy.meta["ladder"]) == {"random", "last"}
    started = ppo.Trainer(ppo.Args(scenario="short", num_envs=2, hidden=32, init=str(tmp_path / "policy.safetensors")))
    assert np.array_equal(started.policy().tensors["first.weight"], policy.tensors["first.weight"])
    assert run_hawaii("imitate", words) == 2
    assert "--resume goes on" in capsys.readouterr().err
    assert run_hawaii("imitate", [*words, "--epochs", "1", "--resume"]) == 0
    refuses(OptionError, ("stray", lambda: imitate.Args(stray=1.5).check()))


def test_the_readme_names_every_script() -> None:
    folder = Path(__file__).parents[1] / "experiments"
    named = set(re.findall(r"`(\w+\.py)`", (folder / "README.md").read_text(encoding="utf-8")))
    assert named == {path.name for path in folder.glob("*.py")}


@pytest.mark.usefixtures("curves")
def test_curves_of_lines_with_gaps(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    lines = [{"decisions": 10**6 * k, "entropy": 1.0, "explained": math.nan} for k in range(3)]
    logs.draw(lines, tmp_path / "a.png", "gaps")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert logs.smooth([math.nan, 1.0, 2.0], 0.5)[1:] == [1.0, 1.5]


def test_panels_of_curves() -> None:
    assert logs.panels([{"decisions": 1, "policy_loss": 1.0, "value_loss": 1.0}]) == ["policy_loss", "value_loss"]
    whole = dict.fromkeys(("decisions", "length", "entropy", "explained", "policy_loss", "value_loss"), 1.0)
    assert logs.panels([whole, {**whole, "ladder": {}}]) == ["ladder", "entropy", "explained", "length"]
    assert logs.panels([{"decisions": 1}]) == []


@pytest.mark.parametrize("cut", [b'{"rollout": 2, "entro', b'{"rollout": 2}', b'{"rollout": "\xca', b"\0\0\0\n"])
def test_a_log_goes_on_after_a_line_that_was_cut_off(
    cut: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "progress.jsonl"
    path.write_bytes(b'{"rollout": 1, "explained": NaN}\n' + cut)
    log = logs.Log(tmp_path, {}, 2, False, 0)
    assert [line["rollout"] for line in log.lines] == [1]
    log.write({"rollout": 3}, 3)
    log.close()
    assert path.read_text() == '{"rollout": 1, "explained": NaN}\n{"rollout": 3}\n'
    assert "progress.jsonl, line 2 is incomplete" in capsys.readouterr().err
    assert [path.name for path in tmp_path.glob("*.part")] == []


# Ablations


ARMS = """[base]
game = "tides"
decisions = 256
num_envs = 8
steps = 16
minibatch = 64
hidden = 8
precision = "float32"
eval_games = 6
eval_every = 1
checkpoint_every = 1
[[arm]]
name = "base"
[[arm]]
name = "lambda 0"
lam = 0.0
[expert-iteration]
decisions = 20
num_envs = 2
sims = 2
hidden = 8
precision = "float32"
eval_every = 1
eval_games = 6
test_games = 0
[[arm]]
name = "search"
seeds = 1
trainer = "expert-iteration"
"""


def test_the_middle_of_some_runs_leaves_out_the_best_and_the_worst() -> None:
    mean, low, high = ablations.middle([0.0, 0.4, 0.5, 0.6, 0.9])
    assert mean == pytest.approx(0.5)
    assert 0.13 < low < 0.4 < 0.6 < high < 0.81
    # Of tasks that differ more than their runs: runs are drawn within a task, so that each has its part in all samples.
    mean, low, high = ablations.middle([0.0, 0.1, 0.2, 0.1, 0.1], [0.8, 0.9, 0.8, 0.9, 0.9])
    assert mean == pytest.approx((0.1 + 0.1 + 0.2 + 0.8 + 0.8 + 0.9) / 6) and 0.4 < low < mean < high < 0.6


@pytest.mark.slow
@pytest.mark.usefixtures("toys")
def test_arms_of_an_ablation_go_on_where_they_stopped(tmp_path: Path) -> None:
    arms = tmp_path / "arms.toml"
    arms.write_text(ARMS)
    args = ablations.Args(out=str(tmp_path / "out"), arms=str(arms), seeds=2, quiet=True)
    text = ablations.run(args)
    assert text.count("| base | random | 2 | 0.00 |") == 1 and text.count("| lambda 0 | random | 2 |") == 1
    folders = sorted(folder.name for folder in (tmp_path / "out").iterdir() if folder.is_dir())
    assert folders == ["base-1", "base-2", "lambda-0-1", "lambda-0-2", "search-1"]
    assert "| search | random | 1 | 0.00 |" in text
    settings = [json.loads((tmp_path / "out" / folder / "config.json").read_text()) for folder in folders[:4]]
    assert [(one["lam"], one["seed"]) for one in settings] == [(0.95, 1), (0.95, 2), (0.0, 1), (0.0, 2)]
    assert ablations.run(args) == text  # nothing is trained again
    assert "| base | random | 2 | 0.00 |" in (tmp_path / "out/ablations.md").read_text()
    more = ablations.Args(**{**asdict(args), "decisions": 512, "only": "base", "seeds": 1})
    ablations.run(more)
    lines = (tmp_path / "out/base-1/progress.jsonl").read_text().splitlines()
    assert [json.loads(line)["decisions"] for line in lines] == [128, 256, 384, 512]
    for change, message in (
        ({"only": "bases"}, "no arm bases"),
        ({"arms": "nowhere"}, "nowhere"),
        ({"arms": str(tmp_path / "bad.toml")}, "lambda is not a setting"),
        ({"arms": str(tmp_path / "worse.toml")}, "trainer is one of base, expert-iteration, not 'expert'"),
    ):
        (tmp_path / "bad.toml").write_text(ARMS.replace("lam =", "lambda ="))
        (tmp_path / "worse.toml").write_text(ARMS.replace('"expert-iteration"', '"expert"'))
        with pytest.raises(OptionError, match=message):
            ablations.run(ablations.Args(**{**asdict(args), **change}))


@pytest.mark.parametrize("game", ["aloha", "hawaii1795", "heiau", "maori_wars"])
def test_defaults_fit_every_game(game: str) -> None:
    first = imitate.Args(game=game).make_games(1)[0]
    assert first == hawaii_env.load_game(game)
    assert f"weights/{game}" in best_response.Response(game=game).answered()
    assert sb3.Sb3(game=game).games(1)[0] == first


EXACT_ARMS = """
[base]
num_envs = 8
steps = 8
minibatch = 32
hidden = 8
decisions = 128
eval_every = 0
[[arm]]
name = "atoll"
game = "heiau"
rules = "hawaii_env/exact/rulesets/atoll"
scenario = "atoll"
options = "scoring=solo,last_year=2"
"""


@pytest.mark.slow
def test_what_policies_lose_in_a_solved_game_is_measured_once_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "arms.toml").write_text(EXACT_ARMS)
    monkeypatch.setattr(exact_training, "RESULTS", tmp_path / "results.json")
    args = exact_training.Args(out=str(tmp_path / "out"), arms=str(tmp_path / "arms.toml"), seeds=2, write=True)
    rows = exact_training.run(args)
    assert [(row["game"], row["decisions"], row["plays"]) for row in rows] == [
        ("atoll", 128, "likeliest"), ("atoll", 128, "draws"),
    ]  # fmt: skip
    assert all(len(row["seats"]) == 2 and 0 <= loss <= 2 for row in rows for pair in row["seats"] for loss in pair)
    assert rows[0]["seats"] != rows[1]["seats"] and rows[0]["middle"] is None
    assert json.loads((tmp_path / "results.json").read_text()) == rows
    monkeypatch.setattr(exact_training.ppo, "train", lambda *_: pytest.fail("trained again"))
    assert exact_training.run(args) == rows
    more = exact_training.summary([*({**runs, "seed": seed} for seed, runs in enumerate(_figures(tmp_path) * 3))])
    assert more[0]["middle"][0] == pytest.approx(np.mean(rows[0]["seats"]), abs=1e-4)


def _figures(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(path.read_text()) for path in sorted((folder / "out").glob("*/exact.json"))]
