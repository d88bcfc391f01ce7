"""The one-file trainer: advantages, logits of legal actions, resuming, learning."""

from __future__ import annotations

import importlib.util
import json
import math
import sys
from dataclasses import asdict
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="the learning libraries are not installed")

import torch

from hawaii_env import agents
from hawaii_env.errors import OptionError
from hawaii_env.hawaii1795 import Game
from hawaii_env.vector import BatchEnv

ROOT = Path(__file__).resolve().parent.parent


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "experiments" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


ppo: Any = load("ppo_selfplay")
torch.set_num_threads(1)
SMALL: dict[str, Any] = {
    "scenario": "short", "lanes": 8, "steps": 16, "minibatch": 32, "epochs": 2, "hidden": 16, "decisions": 512, "eval_every": 2,
    "eval_games": 8, "checkpoint_every": 2, "quiet": True,
}  # fmt: skip


def column(*values: float) -> Any:
    return np.array(values, np.float32)[:, None]


# Advantages


def estimate(
    rewards: Any, values: Any, players: Any, ends: Any = None, bootstrap: Any = None, last: float = 0.0, then: int = 0,
    gamma: float = 1.0, lam: float = 1.0,
) -> Any:  # fmt: skip
    n = len(rewards)
    return ppo.advantages(
        column(*rewards), column(*values), np.array(players)[:, None],
        np.zeros((n, 1), bool) if ends is None else np.array(ends, bool)[:, None],
        column(*([0.0] * n if bootstrap is None else bootstrap)),
        np.array([last], np.float32), np.array([then]), gamma, lam,
    )[:, 0]  # fmt: skip


def test_a_hand_made_trajectory() -> None:
    # Player 0 decides twice, player 1 twice, player 0 once and wins. gamma 0.9, lambda 0.5. Worked out by hand, from the end:
    #   A4 = 1 - 0.8                                             = 0.2
    #   A3 = 0 - 0.9 * 0.8 - (-0.5) + 0.45 * -0.2   (then other) = -0.31
    #   A2 = 0 + 0.9 * -0.5 - (-0.3) + 0.45 * -0.31 (then same)  = -0.2895
    #   A1 = 0 - 0.9 * -0.3 - 0.2 + 0.45 * 0.2895   (then other) = 0.200275
    #   A0 = 0 + 0.9 * 0.2 - 0.1 + 0.45 * 0.200275  (then same)  = 0.17012375
    got = estimate(
        [0, 0, 0, 0, 1], [0.1, 0.2, -0.3, -0.5, 0.8], [0, 0, 1, 1, 0], [0, 0, 0, 0, 1], last=9.0, gamma=0.9, lam=0.5
    )
    np.testing.assert_allclose(got, [0.17012375, 0.200275, -0.2895, -0.31, 0.2], rtol=1e-5)


def test_without_bias_every_mover_gets_its_own_result() -> None:
    # lambda 1 and gamma 1: advantage + value is what the game brought the mover, whoever decided how often.
    players = [0, 0, 0, 1, 0, 1, 1, 1, 0, 1]
    values = np.random.default_rng(0).normal(size=10)
    rewards = [0.0] * 9 + [-1.0]  # the last mover, player 1, loses
    got = estimate(rewards, values, players, [0] * 9 + [1])
    np.testing.assert_allclose(got + values, [1.0 if player == 0 else -1.0 for player in players], atol=1e-5)


def test_right_values_leave_no_advantage() -> None:
    players = [0, 0, 1, 0, 1, 1]
    values = [0.6 if player == 0 else -0.6 for player in players]
    np.testing.assert_allclose(estimate([0] * 6, values, players, last=-0.6, then=1, lam=0.7), 0, atol=1e-6)


def test_it_is_what_player_0_would_work_out() -> None:
    rng = np.random.default_rng(1)
    t, n, gamma, lam = 30, 7, 0.97, 0.8
    players, last_players = rng.integers(0, 2, (t, n)), rng.integers(0, 2, n)
    values, last_values = rng.normal(size=(t, n)).astype(np.float32), rng.normal(size=n).astype(np.float32)
    rewards = rng.normal(size=(t, n)).astype(np.float32)
    ends = rng.random((t, n)) < 0.1
    bootstrap = np.where(ends & (rng.random((t, n)) < 0.5), rng.normal(size=(t, n)), 0).astype(np.float32)
    got = ppo.advantages(rewards, values, players, ends, bootstrap, last_values, last_players, gamma, lam)
    c, last_c = 1 - 2 * players, 1 - 2 * last_players
    for lane in range(n):
        following = 0.0
        for step in reversed(range(t)):
            sign = c[step, lane]
            nxt = c[step + 1, lane] * values[step + 1, lane] if step + 1 < t else last_c[lane] * last_values[lane]
            if ends[step, lane]:
                nxt, following = sign * bootstrap[step, lane], 0.0
            delta = sign * rewards[step, lane] + gamma * nxt - sign * values[step, lane]
            following = delta + gamma * lam * following
            assert got[step, lane] == pytest.approx(sign * following, abs=1e-4)


def test_alternating_players_and_a_single_player_are_special_cases() -> None:
    values = np.array([0.1, 0.4, -0.2], np.float32)
    alone = estimate([1, 2, 3], values, [1, 1, 1], last=0.5, then=1, gamma=0.9, lam=0.0)
    np.testing.assert_allclose(alone, [1 + 0.9 * 0.4 - 0.1, 2 - 0.9 * 0.2 - 0.4, 3 + 0.9 * 0.5 + 0.2], rtol=1e-6)
    turns = estimate([1, 2, 3], values, [1, 0, 1], last=0.5, then=0, gamma=0.9, lam=0.0)
    np.testing.assert_allclose(turns, [1 - 0.9 * 0.4 - 0.1, 2 + 0.9 * 0.2 - 0.4, 3 - 0.9 * 0.5 + 0.2], rtol=1e-6)


def test_nothing_crosses_the_end_of_a_game() -> None:
    # Two games in one lane: the first is won by player 1, the second goes on.
    args: tuple[Any, ...] = ([0, 1, 0, 0], [0.3, 0.4, 0.5, 0.6], [0, 1, 1, 0])
    got = estimate(*args, ends=[0, 1, 0, 0], last=0.7, then=0)
    assert got[1] == pytest.approx(1 - 0.4)
    assert got[0] == pytest.approx(-1 - 0.3)
    other = estimate([0, 1, 0, 0], [0.3, 0.4, -5, 6], [0, 1, 0, 1], ends=[0, 1, 0, 0], last=-9, then=1)
    np.testing.assert_array_equal(got[:2], other[:2])


def test_truncation_is_worth_what_is_left() -> None:
    got = estimate([0, 0], [0.1, 0.2], [0, 1], ends=[0, 1], bootstrap=[0, 0.9], last=5.0, gamma=0.5)
    np.testing.assert_allclose(got, [0.5 * -0.2 - 0.1 - 0.5 * (0.5 * 0.9 - 0.2), 0.5 * 0.9 - 0.2], rtol=1e-6)


def test_shapes_that_do_not_fit() -> None:
    a, b = np.zeros((2, 3), np.float32), np.zeros(3, np.float32)
    for wrong in ((a, b, a, a, a, b, b), (a, a, a, a[:1], a, b, b), (a, a, a, a, a, b[:2], b), (b, b, b, b, b, b, b)):
        with pytest.raises(OptionError, match="shape"):
            ppo.advantages(*wrong, 1.0, 1.0)
    with pytest.raises(OptionError, match="1 or more"):
        ppo.advantages(*[a[:0]] * 5, b, b, 1.0, 1.0)


# Legal actions


def masks_of(n: int, actions: int, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    masks = (rng.random((n, actions)) < 0.1).astype(np.int8)
    masks[np.arange(n), rng.integers(0, actions, n)] = 1
    return masks


def test_lists_of_legal_actions() -> None:
    masks = masks_of(40, 30)
    legal = ppo.Legal.of(masks)
    lists = np.split(legal.actions, np.cumsum(legal.counts)[:-1])
    assert [row.tolist() for row in lists] == [np.flatnonzero(mask).tolist() for mask in masks]
    rows, columns = legal.places()
    assert all(lists[row][column] == action for row, column, action in zip(rows, columns, legal.actions, strict=True))
    chosen = np.array([7, 3, 3, 39, 0])
    some = legal.take(chosen, np.cumsum(legal.counts) - legal.counts)
    wanted = ppo.Legal.of(masks[chosen])
    assert np.array_equal(some.counts, wanted.counts) and np.array_equal(some.actions, wanted.actions)
    joined = ppo.Legal.join([ppo.Legal.of(masks[:11]), ppo.Legal.of(masks[11:])])
    assert np.array_equal(joined.counts, legal.counts) and np.array_equal(joined.actions, legal.actions)


@pytest.mark.parametrize("sparse", [True, False])
def test_logits_of_legal_actions_are_those_of_a_mask(sparse: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if sparse and not ppo.SPARSE:
        pytest.skip("this torch does not multiply sparse matrices")
    monkeypatch.setattr(ppo, "SPARSE", sparse)
    torch.manual_seed(0)
    few = ppo.Net(20, 30, 8)
    with torch.no_grad():
        for weights in few.parameters():
            weights.normal_(0, 0.5)
    every = ppo.Net(20, 30, 8, legal_only=False)
    every.load_state_dict(few.state_dict())
    masks = masks_of(50, 30)
    legal = ppo.Legal.of(masks)
    observations = torch.randn(50, 20)
    for net in (few, every):
        logits, values = net(observations, legal)
        table = torch.log_softmax(logits, 1)
        (table[:, 0].sum() + (table.exp() * table).sum() + values.sum()).backward()
    for mine, other in zip(few.parameters(), every.parameters(), strict=True):
        torch.testing.assert_close(mine.grad, other.grad, atol=1e-5, rtol=1e-4)
    # The mask over all actions, written out.
    h = every.towers(observations)[0]
    dense = torch.log_softmax(torch.where(torch.from_numpy(masks).bool(), every.actions(h), torch.tensor(-1e8)), 1)
    rows, columns = legal.places()
    mine = torch.log_softmax(few(observations, legal)[0], 1)[rows, columns]
    torch.testing.assert_close(mine, dense[rows, legal.actions])


def test_the_network_is_sb3s() -> None:
    pytest.importorskip("sb3_contrib")
    from gymnasium import spaces
    from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

    net = ppo.Net(20, 30, 8)
    policy = MaskableActorCriticPolicy(
        spaces.Box(-1, 1, (20,)), spaces.Discrete(30), lambda _: 1e-3, net_arch={"pi": [8, 8], "vf": [8, 8]}
    )
    assert sum(p.numel() for p in net.parameters()) == sum(p.numel() for p in policy.parameters())
    with torch.no_grad():
        towers = policy.mlp_extractor
        for part, layers in ((slice(0, 8), towers.policy_net), (slice(8, 16), towers.value_net)):
            net.first.weight[part], net.first.bias[part] = layers[0].weight, layers[0].bias
        for mine, other in (
            (net.policy, towers.policy_net[2]), (net.worth, towers.value_net[2]), (net.actions, policy.action_net),
            (net.score, policy.value_net),
        ):  # fmt: skip
            mine.weight.copy_(other.weight)
            mine.bias.copy_(other.bias)
        observations, masks = torch.randn(16, 20), masks_of(16, 30)
        legal = ppo.Legal.of(masks)
        picks = torch.zeros(16, dtype=torch.int64)
        actions = torch.from_numpy(legal.actions[np.cumsum(legal.counts) - legal.counts])
        logits, values = net(observations, legal)
        table = torch.log_softmax(logits, 1)
        wanted = policy.evaluate_actions(observations, actions, action_masks=masks)
        torch.testing.assert_close(values, wanted[0].flatten())
        torch.testing.assert_close(table.gather(1, picks[:, None]).flatten(), wanted[1])
        torch.testing.assert_close(-(table.exp() * table).sum(1), wanted[2])


# Rollouts


def test_a_rollout_holds_both_sides_decisions() -> None:
    steps = 200
    trainer = ppo.Trainer(ppo.Args(**{**SMALL, "steps": steps}))
    rollout, figures = trainer.collect()
    n = 8 * steps
    assert rollout.observations.shape == (n, trainer.game.observation_size)
    for array in (rollout.picks, rollout.log_probs, rollout.advantages, rollout.targets, rollout.values):
        assert array.shape == (n,)
    assert (rollout.picks < rollout.legal.counts).all()
    assert rollout.legal.counts.min() >= 2  # a decision with one legal choice is not asked
    assert figures["games"] == trainer.games > 0
    assert trainer.decisions == n
    # Played again by hand, with the same draws: the same games.
    with torch.no_grad():
        logits, values = trainer.net(torch.from_numpy(rollout.observations), rollout.legal)
    table = torch.log_softmax(logits, 1).numpy()
    np.testing.assert_allclose(table[np.arange(n), rollout.picks], rollout.log_probs, atol=1e-5)
    np.testing.assert_allclose(values.numpy(), rollout.values, atol=1e-5)
    batch = BatchEnv(Game, 8, scenario="short")
    batch.reset(seed=1)
    starts = np.cumsum(rollout.legal.counts) - rollout.legal.counts
    actions = rollout.legal.actions[starts + rollout.picks].reshape(steps, 8)
    sides = set()
    for t in range(steps):
        np.testing.assert_array_equal(batch.observations, rollout.observations[8 * t : 8 * t + 8])
        sides |= set(batch.to_play.tolist())
        batch.step(actions[t])
    assert sides == {0, 1}


def test_values_of_truncated_games_have_the_movers_sign(monkeypatch: pytest.MonkeyPatch) -> None:
    trainer = ppo.Trainer(ppo.Args(**{**SMALL, "max_decisions": 5, "steps": 12}))
    told: list[Any] = []
    worth_of = trainer.worth_of

    def noted(lane: int, player: int) -> float:
        state = trainer.batch.get_state(lane)
        assert not state.is_terminal
        value = worth_of(lane, player)
        seen = torch.from_numpy(np.asarray(state.observation(state.current_player)))[None]
        sign = 1 if state.current_player == player else -1
        assert value == pytest.approx(sign * float(trainer.net.values(seen).detach()[0]))
        told.append((player, value))
        return value

    caught: list[Any] = []
    advantages = ppo.advantages

    def watched(*args: Any) -> Any:
        caught.append(args)
        return advantages(*args)

    monkeypatch.setattr(trainer, "worth_of", noted)
    monkeypatch.setattr(ppo, "advantages", watched)
    _, figures = trainer.collect()
    _, _, to_play, ends, bootstrap = caught[0][:5]
    assert figures["truncated"] == len(told) >= 8
    at = np.argwhere(bootstrap)
    assert ends[tuple(at.T)].all()
    assert sorted((int(to_play[t, i]), round(float(bootstrap[t, i]), 4)) for t, i in at) == sorted(
        (player, round(value, 4)) for player, value in told
    )


# Runs


def run(folder: Path, **changes: Any) -> Any:
    trainer = ppo.Trainer(ppo.Args(**{**SMALL, "out": str(folder), **changes}))
    trainer.run(folder)
    return trainer


def same_weights(a: Any, b: Any) -> bool:
    return all(torch.equal(a.net.state_dict()[name], weights) for name, weights in b.net.state_dict().items())


def test_a_run_writes_as_it_goes_and_resumes_bit_by_bit(tmp_path: Path) -> None:
    whole = run(tmp_path / "whole")
    lines = [json.loads(line) for line in (tmp_path / "whole/progress.jsonl").read_text().splitlines()]
    assert [line["rollout"] for line in lines] == [1, 2, 3, 4]
    assert [line["decisions"] for line in lines] == [128, 256, 384, 512]
    assert ["random" in line for line in lines] == [False, True, False, True]
    assert 0 <= lines[-1]["random"]["score"] <= 1
    assert json.loads((tmp_path / "whole/config.json").read_text()) == asdict(whole.args)
    assert same_weights(whole, run(tmp_path / "again"))
    assert not same_weights(whole, run(tmp_path / "other", seed=2))

    # Stopped after the third rollout, when the last checkpoint was after the second.
    half = ppo.Trainer(ppo.Args(**{**SMALL, "out": str(tmp_path / "half")}))

    def stop(line: dict[str, Any]) -> None:
        if line["rollout"] == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        half.run(tmp_path / "half", stop)
    resumed = ppo.Trainer.load(tmp_path / "half")
    assert resumed.rollouts == 2
    resumed.run(tmp_path / "half")
    assert same_weights(whole, resumed)
    assert np.array_equal(whole.batch.observations, resumed.batch.observations)
    for mine, other in zip(lines, (tmp_path / "half/progress.jsonl").read_text().splitlines(), strict=True):
        got = json.loads(other)
        for name in mine.keys() - {"seconds", "decisions_per_second"}:
            assert mine[name] == got[name] or (name != "random" and math.isnan(mine[name])), name


def test_the_policy_as_an_agent(tmp_path: Path) -> None:
    trainer = run(tmp_path)
    for path in (tmp_path, str(tmp_path / "policy.pt")):
        agent = ppo.load_agent(path, seed=1)
        state = agents.play(Game(scenario="short"), [agent, "random"], seed=1)
        assert state.is_terminal
    greedy = ppo.load_agent(tmp_path, greedy=True)
    observations, masks = trainer.batch.observations, trainer.batch.masks
    chosen = greedy.act_batch(observations, masks)
    assert masks[np.arange(len(chosen)), chosen].all()
    assert np.array_equal(chosen, trainer.act(observations, ppo.Legal.of(masks), None)[1])
    (tmp_path / "broken.pt").write_bytes(b"nothing")
    for path in ("broken.pt", "missing.pt"):
        with pytest.raises(OptionError, match="holds no policy"):
            ppo.load_agent(tmp_path / path)


def test_evaluating_changes_nothing() -> None:
    trainer = ppo.Trainer(ppo.Args(**SMALL))
    before = trainer.rng.bit_generator.state, trainer.batch.observations.copy()
    first = trainer.evaluate(16)
    assert trainer.evaluate(16) == first
    assert trainer.evaluate(16, greedy=True)["score"] != -1
    assert trainer.rng.bit_generator.state == before[0]
    assert np.array_equal(trainer.batch.observations, before[1])
    assert first["score"] == pytest.approx((first["score_first"] + first["score_second"]) / 2)


def test_stopping_where_the_policy_has_moved_far_and_after_minutes(tmp_path: Path) -> None:
    trainer = ppo.Trainer(ppo.Args(**{**SMALL, "target_kl": 1e-9}))
    rollout, _ = trainer.collect()
    assert trainer.learn(rollout)["updates"] < 8
    assert run(tmp_path, minutes=1e-6).rollouts == 1


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    args, named, resume = ppo.parse(["--preset", "quick", "--lanes", "4", "--no-anneal", "--out", str(tmp_path)])
    assert (args.lanes, args.anneal, args.minutes, resume) == (4, False, 5.0, False)
    assert named == {"lanes": 4, "anneal": False, "out": str(tmp_path)}
    options = [
        word for key, value in SMALL.items() if key != "quiet" for word in (f"--{key.replace('_', '-')}", str(value))
    ]
    assert ppo.main([*options, "--out", str(tmp_path), "--decisions", "128"]) == 0
    told = capsys.readouterr().out
    assert "against random" in told and "128 decisions" in told
    assert ppo.main(["--resume", "--out", str(tmp_path), "--decisions", "256"]) == 0
    assert "256 decisions" in capsys.readouterr().out
    assert ppo.main(["--resume", "--out", str(tmp_path / "nowhere")]) == 2
    assert "there is no checkpoint" in capsys.readouterr().err
    (tmp_path / "checkpoint.pt").write_bytes(b"nothing")
    assert ppo.main(["--resume", "--out", str(tmp_path)]) == 2
    assert "is no checkpoint of this script" in capsys.readouterr().err


def test_presets(tmp_path: Path) -> None:
    for preset in (ROOT / "experiments/configs").glob("*.toml"):
        ppo.Args(**ppo.read_preset(str(preset))).check()
    with pytest.raises(OptionError, match="quick"):
        ppo.read_preset("nonsense")
    path = tmp_path / "mine.toml"
    for text, message in (
        ("lane = 3", "lane is no setting"),
        ("lanes = 3.5", "of type int"),
        ("lanes = ", "mine.toml"),
    ):
        path.write_text(text)
        with pytest.raises(OptionError, match=message):
            ppo.read_preset(str(path))
    path.write_text("lr = 1\n")
    assert ppo.read_preset(str(path)) == {"lr": 1}


@pytest.mark.parametrize(
    "change",
    [{"lanes": 0}, {"epochs": 0}, {"minibatch": -1}, {"gamma": 1.5}, {"lam": -0.1}, {"lr": -1.0}, {"seed": -1}, {"lr": math.nan}],
)  # fmt: skip
def test_bad_settings(change: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match=next(iter(change))):
        ppo.Trainer(ppo.Args(**{**SMALL, **change}))


def test_games_of_three_are_refused() -> None:
    with pytest.raises(OptionError, match="3 players"):
        ppo.Trainer(ppo.Args(**{**SMALL, "game": "toy:ToyGame", "scenario": ""}))


@pytest.mark.slow
def test_a_short_run_learns_to_beat_random(tmp_path: Path) -> None:
    trainer = run(
        tmp_path,
        scenario="long",
        lanes=128,
        steps=64,
        minibatch=512,
        epochs=3,
        hidden=64,
        decisions=250_000,
        eval_every=0,
    )
    begun = ppo.Trainer(trainer.args).evaluate(512)
    learned = trainer.evaluate(512)
    assert abs(begun["score"] - 0.5) < 5 * begun["error"]
    assert learned["score"] > 0.6 + 3 * learned["error"]
