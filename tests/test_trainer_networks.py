"""The trainer's network over tokens, and several processes that train one network."""

from __future__ import annotations

import importlib
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from refusals import refuses, refuses_each

pytest.importorskip("torch", reason="the learning libraries are not installed")

import torch
from experiment_scripts import load

from hawaii_agents.network import Policy
from hawaii_env.errors import OptionError
from hawaii_env.hawaii1795 import Game, observation
from hawaii_env.hawaii1795.rules.names import N_PIECES

ppo: Any = load("ppo_selfplay")
team: Any = importlib.import_module("training.team")
tokens: Any = importlib.import_module("training.tokens")
inputs: Any = importlib.import_module("training.inputs")
SMALL: dict[str, Any] = {
    "scenario": "short", "num_envs": 8, "steps": 16, "minibatch": 32, "epochs": 2, "hidden": 16,
    "width": 8, "decisions": 512, "eval_every": 2, "eval_games": 8, "checkpoint_every": 2, "quiet": True,
    "precision": "float32",
}  # fmt: skip


def seen(n: int = 6) -> Any:
    """Observations of positions in a game, float32[n, O]."""
    state, found = Game().initial_state(seed=4), []
    for k in range(9 * n):
        state.apply(state.legal_actions()[k % len(state.legal_actions())])
        if k % 9 == 0:
            found.append(np.asarray(state.observation(state.current_player), np.float32))
    return np.stack(found)


def attended(x: Any, t: dict[str, Any], heads: int) -> Any:
    """Tokens [n, T, D] after each has heard all, head by head."""
    q, (k, v) = x @ t["ask.weight"].T + t["ask.bias"], np.split(x @ t["tell.weight"].T + t["tell.bias"], 2, axis=2)
    size, heard = x.shape[2] // heads, np.empty_like(x)
    for at in range(0, x.shape[2], size):
        one = slice(at, at + size)
        weights = np.exp(q[:, :, one] @ k[:, :, one].transpose(0, 2, 1) / size**0.5)
        heard[:, :, one] = weights / weights.sum(2, keepdims=True) @ v[:, :, one]
    return x + heard @ t["heard.weight"].T + t["heard.bias"]


@pytest.mark.parametrize("heads", [0, 4])
@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_tokens_are_a_set(precision: str, heads: int) -> None:
    torch.manual_seed(0)
    game, x = Game(), seen()
    net = tokens.TokenNet(game, 16, precision, 8, heads)
    some = inputs.Inputs(net, x[0])
    with torch.no_grad():
        values = net.values(some.of(x)).numpy()
        # The pieces of a kind in another order are the same position.
        rows = x[:, observation.O_PIECES :][:, : N_PIECES * observation.PIECE_WIDTH].reshape(len(x), N_PIECES, -1)
        other = x.copy()
        at = slice(observation.O_PIECES, observation.O_PIECES + rows[0].size)
        kinds = np.array(game.tables.kind)
        order = np.lexsort((np.random.default_rng(1).random(N_PIECES), kinds))
        other[:, at] = rows[:, order].reshape(len(x), -1)
        assert not np.array_equal(x, other)
        tolerance = 1e-5 if precision == "float32" else 0.03
        np.testing.assert_allclose(net.values(some.of(other)).numpy(), values, atol=tolerance)
        # And it is what its formula says.
        t = {name: array.numpy().astype(np.float64) for name, array in net.state_dict().items()}
        known = np.broadcast_to(np.eye(kinds.max() + 1)[kinds], (len(x), N_PIECES, kinds.max() + 1))
        pieces = np.tanh(np.concatenate([rows, known], 2) @ t["piece.weight"].T + t["piece.bias"])
        first, n_spaces = observation.C_SPACE, 7
        here = np.einsum("nps,npd->nsd", rows[:, :, first : first + n_spaces], pieces)
        spaces = x[:, observation.O_SPACES :][:, : 7 * observation.SPACE_WIDTH].reshape(len(x), 7, -1)
        told = np.tanh(np.concatenate([spaces, here], 2) @ t["space.weight"].T + t["space.bias"])
        if heads:
            told = attended(np.concatenate([pieces, told + t["place"]], 1), t, heads)[:, N_PIECES:]
        mixed = np.concatenate([told.reshape(len(x), -1), pieces.sum(1)], 1) @ t["mix.weight"].T
        loose = np.setdiff1d(np.arange(x.shape[1]), net.fixed)
        tall = np.tanh(x[:, loose] @ t["first.weight"].T + mixed + t["first.bias"])
        worth = np.tanh(tall[:, 16:] @ t["worth.weight"].T + t["worth.bias"])
        wanted = worth @ t["score.weight"][0] + t["score.bias"][0]
        np.testing.assert_allclose(values, wanted, atol=1e-4 if precision == "float32" else 0.05)


@pytest.mark.parametrize("network", ["tokens", "attention"])
def test_a_run_over_tokens(tmp_path: Path, network: str) -> None:
    args = ppo.Args(**{**SMALL, "network": network})
    whole = ppo.Trainer(args)
    whole.run(tmp_path / "whole")
    half = ppo.Trainer(ppo.Args(**{**asdict(args), "decisions": 256, "anneal": False}))
    half.run(tmp_path / "half")
    assert len(half.inputs.columns) < half.net.first.in_features + len(half.net.fixed) < 2035
    again = ppo.Trainer.load(tmp_path / "half")
    assert np.array_equal(again.inputs.taken, half.inputs.taken)
    for one, other in zip(again.net.parameters(), half.net.parameters(), strict=True):
        assert torch.equal(one, other)
    lines = [json.loads(line) for line in (tmp_path / "whole/progress.jsonl").read_text().splitlines()]
    assert lines[-1]["decisions"] == 512 and "random" in lines[-1]["ladder"]
    assert not list(tmp_path.glob("*/policy*.safetensors"))
    refuses(OptionError, ("not have the form of a policy", lambda: whole.policy()))
    refuses_each(
        OptionError,
        "network",
        lambda change: ppo.Trainer(ppo.Args(**{**asdict(args), **change})),
        ({"pool": 0.5}, {"init": "hawaii1795"}, {"network": "deep"}),
    )


def test_heads_that_do_not_divide_a_token() -> None:
    refuses(
        OptionError,
        (
            "width: 4 heads of attention do not divide it: 6",
            lambda: ppo.Trainer(ppo.Args(**{**SMALL, "network": "attention", "width": 6})),
        ),
    )


# Several processes


def learn_together(place: Any, settings: dict[str, Any]) -> tuple[Any, Any]:
    """Two rollouts and what is learned from them; all processes have the same network then."""
    trainer = ppo.Trainer(ppo.Args(**settings), place)
    for _ in range(2):
        rollout, _ = trainer.collect()
        trainer.learn(rollout)
        trainer.rollouts += 1
    weights = torch.cat([one.detach().reshape(-1) for one in trainer.net.parameters()]).double()
    if [total / 2 for total in place.total(*weights.tolist())] != weights.tolist():
        raise SystemExit("the weights differ")
    return trainer, weights


@pytest.mark.slow
def test_two_processes_train_one_network(tmp_path: Path) -> None:
    settings = {**SMALL, "processes": 2, "pool": 0.5, "pool_every": 1}
    with team.gathered(2, learn_together, settings) as place:
        trainer, _ = learn_together(place, settings)
        assert trainer.batch.num_envs == 4 and 0 < trainer.decisions < 256
    # A run, stopped and resumed, and what comes out of it.
    words = [f"--{key.replace('_', '-')}={value}" for key, value in SMALL.items() if key != "quiet"]
    base = [*words, "--quiet", "--processes=2", "--no-anneal"]
    assert ppo.main([*base, "--out", str(tmp_path / "whole")]) == 0
    assert ppo.main([*base, "--decisions=256", "--out", str(tmp_path / "half")]) == 0
    assert sorted(path.name for path in (tmp_path / "half").glob("*.pt")) == ["checkpoint-1-000002.pt", "checkpoint.pt"]
    assert ppo.main(["--resume", "--decisions=512", "--out", str(tmp_path / "half")]) == 0
    ends = [Policy.load(tmp_path / name / "policy.safetensors") for name in ("whole", "half")]
    assert ends[0].meta["decisions"] == 512
    for name, array in ends[0].tensors.items():
        np.testing.assert_array_equal(array, ends[1].tensors[name])
    assert ppo.main(["--export", str(tmp_path / "half"), str(tmp_path / "out.safetensors")]) == 0
    assert ppo.main(["--resume", "--processes=1", "--out", str(tmp_path / "half")]) == 2


def test_what_does_not_divide() -> None:
    refuses_each(
        OptionError,
        "processes",
        lambda change: ppo.Args(**{**SMALL, **change}).check(),
        ({"processes": 3}, {"processes": 2, "minibatch": 33}, {"processes": 2, "device": "cuda"}),
    )
    refuses(OptionError, ("command line starts them", lambda: ppo.Trainer(ppo.Args(**{**SMALL, "processes": 2}))))
    alone = team.Team()
    assert alone.leads and alone.total(1, 2) == [1, 2] and alone.most(3) == 3
