"""Several processes that train one network."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from refusals import refuses, refuses_each

pytest.importorskip("torch", reason="the learning libraries are not installed")

import torch
from experiment_scripts import load, run_hawaii

from hawaii_agents.network import Policy
from hawaii_env.errors import OptionError

ppo: Any = load("hawaii_agents.training.ppo_selfplay")
team: Any = importlib.import_module("hawaii_agents.training.team")
SMALL: dict[str, Any] = {
    "scenario": "short", "num_envs": 8, "steps": 16, "minibatch": 32, "epochs": 2, "hidden": 16,
    "width": 8, "decisions": 512, "eval_every": 2, "eval_games": 8, "checkpoint_every": 2, "quiet": True,
    "precision": "float32",
}  # fmt: skip


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
    assert run_hawaii("train", [*base, "--out", str(tmp_path / "whole")]) == 0
    assert run_hawaii("train", [*base, "--decisions=256", "--out", str(tmp_path / "half")]) == 0
    assert sorted(path.name for path in (tmp_path / "half").glob("*.pt")) == ["checkpoint-1-000002.pt", "checkpoint.pt"]
    assert run_hawaii("train", ["--resume", "--decisions=512", "--out", str(tmp_path / "half")]) == 0
    ends = [Policy.load(tmp_path / name / "policy.safetensors") for name in ("whole", "half")]
    assert ends[0].meta["decisions"] == 512
    for name, array in ends[0].tensors.items():
        np.testing.assert_array_equal(array, ends[1].tensors[name])
    assert run_hawaii("train", ["--export", str(tmp_path / "half"), str(tmp_path / "out.safetensors")]) == 0
    assert run_hawaii("train", ["--resume", "--processes=1", "--out", str(tmp_path / "half")]) == 2


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
