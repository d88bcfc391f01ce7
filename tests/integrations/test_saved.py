"""Agents from files that training libraries wrote, by their specs: ``sb3:FILE``. tests/integrations/test_rllib.py has
``rllib:CHECKPOINT``.
"""

from __future__ import annotations

import sys
import tomllib
import zipfile
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from refusals import refuses, refuses_each
from toy import ToyGame

import hawaii_env
from hawaii_env import agents
from hawaii_env.cli import main
from hawaii_env.errors import OptionError
from hawaii_env.hawaii1795 import Game
from hawaii_env.integrations import saved
from hawaii_env.render.picture import MissingExtraError

ROOT = Path(__file__).resolve().parents[2]
GAME = Game(scenario="short")


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The specs as pyproject.toml declares them, whatever is installed."""
    monkeypatch.setattr(agents, "_registered", {**agents._registered, "sb3": saved.sb3, "rllib": saved.rllib})


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of MaskablePPO that has learned nothing."""
    sb3_contrib = pytest.importorskip("sb3_contrib", reason="the extra train")
    from hawaii_env.integrations.sb3 import BatchVecEnv

    path = tmp_path_factory.mktemp("models") / "lr=1" / "a.zip"
    path.parent.mkdir()
    network: dict[str, Any] = {"net_arch": [8]}
    fresh = sb3_contrib.MaskablePPO(
        "MlpPolicy", BatchVecEnv(GAME, 1), policy_kwargs=network, n_steps=8, batch_size=8, seed=1, device="cpu"
    )
    fresh.save(path)
    return path


def test_every_declared_agent_is_there() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"]
    places = declared[agents.ENTRY_POINTS]
    assert {"sb3", "rllib", "bot", "random"} <= set(places)
    for name, place in places.items():
        assert callable(EntryPoint(name, place, agents.ENTRY_POINTS).load()), name


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning:torch")
def test_a_saved_model_plays_by_its_spec(model: Path) -> None:
    for spec in (f"sb3:{model}", f"sb3:{str(model)[:-4]},name=a", f"sb3:path={model}"):
        assert agents.load_agent(spec, seed=3).name == "a"
        once, again = (
            hawaii_env.play(GAME, [agents.load_agent(spec, seed=3), "random:seed=1"], seed=2) for _ in range(2)
        )
        assert once.is_terminal and once.to_json() == again.to_json()
    likeliest: Any = agents.load_agent(f"sb3:{model},deterministic=true")
    state = GAME.initial_state(seed=1)
    rows = np.repeat(state.observation(0)[None], 4, 0), np.repeat(state.legal_mask()[None], 4, 0)
    assert len(set(likeliest.act_batch(*rows).tolist())) == 1


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning:torch")
def test_it_is_an_opponent_and_a_player_of_the_command_line(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from hawaii_env.integrations.sb3 import BatchVecEnv

    env = BatchVecEnv(GAME, 2, opponent=f"sb3:{model}", seed=1)
    env.reset()
    assert env.get_attr("opponent") == ["a", "a"]
    env.close()
    assert main(["demo", "--agents", f"sb3:{model},random", "--scenario", "short", "--seed", "1"]) == 0
    assert "kamehameha_0 = a, allied_1 = random" in capsys.readouterr().out
    assert main(["demo", "--agents", "sb3:nowhere.zip,random"]) == 2
    assert "there is no file nowhere.zip" in capsys.readouterr().err


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning:torch")
def test_another_game_is_rejected_when_it_begins(model: Path) -> None:
    agent = agents.load_agent(f"sb3:{model}")
    agents.begin(agent, Game(scenario="long"), 1)
    toy = ToyGame()
    refuses(
        OptionError,
        (
            rf"a: a policy of observations \[\d+\] .*{toy.name} has \[{toy.observation_size}\]",
            lambda: agents.begin(agent, toy, 0),
        ),
    )


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("sb3", "sb3:model.zip"),
        ("sb3:nowhere/model.zip", "there is no file nowhere/model.zip"),
        ("sb3:model.zip,sims=3", "no parameter 'sims'; it takes: path, deterministic, seed, name"),
        ("rllib", "rllib:runs/checkpoint"),
        ("rllib:nowhere", "there is no folder nowhere"),
    ],
)
def test_odd_specs(spec: str, message: str) -> None:
    refuses(OptionError, (message, lambda: agents.load_agent(spec)))


def test_a_file_that_is_no_model_is_named(tmp_path: Path) -> None:
    pytest.importorskip("sb3_contrib", reason="the extra train")
    (tmp_path / "text.zip").write_text("no zip")
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as file:
        file.writestr("a.txt", "text")
    refuses_each(
        OptionError,
        lambda name: rf"{name}.zip is not a model of MaskablePPO",
        lambda name: agents.load_agent(f"sb3:{tmp_path / name}"),
        ("text", "other"),
    )


@pytest.mark.parametrize(
    ("spec", "module", "extra"),
    [("sb3", "sb3_contrib", "train"), ("rllib", "ray.rllib.core.rl_module.rl_module", "rllib")],
)
def test_a_missing_library_is_named_with_its_extra(
    spec: str, module: str, extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch", reason="the extra train")
    (tmp_path / "a.zip").write_bytes(b"")
    monkeypatch.setitem(sys.modules, module, None)
    place = tmp_path if spec == "rllib" else tmp_path / "a.zip"
    refuses(
        MissingExtraError,
        (rf'agent "{spec}" needs .*hawaii-env\[{extra}\]', lambda: agents.load_agent(f"{spec}:{place}")),
    )


def test_the_arena_takes_a_missing_library_for_a_slip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from hawaii_env.arena.playing import Setup, check_agent

    (tmp_path / "a.zip").write_bytes(b"")
    monkeypatch.setitem(sys.modules, "sb3_contrib", None)
    assert "hawaii-env[train]" in check_agent(Setup((GAME,)), f"sb3:{tmp_path / 'a.zip'}")
