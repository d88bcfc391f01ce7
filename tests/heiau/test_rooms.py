"""Heiau Diplomacy through every room, with two to six players; no room has code of its own for it."""

from __future__ import annotations

import base64
import json
import re
import warnings
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

import hawaii_env
from hawaii_env import heiau_v0, make_batch, records
from hawaii_env.env.single_agent import SingleAgentEnv
from hawaii_env.heiau import Game
from hawaii_env.replay.page import replay_page

TABLES = {2: "duel", 3: "triangle", 4: "heart", 5: "haole", 6: "two_haoles"}


@pytest.fixture(params=TABLES.values(), ids=[f"{n} players" for n in TABLES])
def options(request: pytest.FixtureRequest) -> dict[str, Any]:
    return {"scenario": request.param, "last_year": 1}


def test_aec(options: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        api_test(heiau_v0.env(**options), num_cycles=40)
        seed_test(lambda: heiau_v0.env(**options), num_cycles=20)


def test_parallel(options: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        parallel_api_test(heiau_v0.parallel_env(**options), num_cycles=30)
        parallel_seed_test(lambda: heiau_v0.parallel_env(**options), num_cycles=10)


def test_vector(options: dict[str, Any]) -> None:
    batch = make_batch([Game(**options)], 4)
    batch.reset(seed=0)
    done = 0
    for _ in range(80):
        assert batch.masks.any(axis=1).all()
        _, _, terminated, truncated, _ = batch.step(batch.sample_actions())
        done += int(terminated.sum())
        assert not truncated.any()
    batch.close()
    assert done


def test_single_agent(options: dict[str, Any]) -> None:
    """Against a fixed opponent in the other seats; gymnasium's checker finds nothing."""
    for side in range(Game(**options).num_players):
        env = SingleAgentEnv(Game(**options), opponent="random", side=side)
        _, info = env.reset(seed=2)
        over, reward = False, 0.0
        while not over:
            assert info["player"] == side
            _, reward, over, _, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
        assert -1 <= reward <= 1
        env.close()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        check_env(SingleAgentEnv(Game(**options), opponent="random", illegal="lose"), skip_render_check=True)


def test_records_and_replay(options: dict[str, Any], tmp_path: Path) -> None:
    """The exported page stands alone, tells every year, and shows who has how many heiaus by year."""
    path, page = tmp_path / "game.jsonl", tmp_path / "game.html"
    hawaii_env.play(Game(**{**options, "last_year": 2}), "heiau-greedy", seed=3, record=path)
    assert records.verify(path).outcome is not None
    replay_page(path, page, value="none")
    text = page.read_text(encoding="utf-8")
    assert "default-src 'none'" in text and "https://" not in text  # nothing is fetched
    packed = re.search(r'id="data">([A-Za-z0-9+/=]+)</script>', text)
    assert packed is not None
    data = json.loads(zlib.decompress(base64.b64decode(packed[1])))
    assert [name for _, name in data["chapters"]][-1] == "Year 2"
    (heiaus,) = (one for one in data["values"] if one.get("unit") == "heiaus")
    assert all(len(point) == 1 + len(data["sides"]) for point in heiaus["points"])
    assert max(heiaus["points"][-1][1:]) >= 1


def test_openspiel(options: dict[str, Any]) -> None:
    """Sealed turns as a sequence of decisions whose information states hide them."""
    pyspiel = pytest.importorskip("pyspiel")
    from hawaii_env.integrations.openspiel import register

    if "heiau" not in pyspiel.registered_names():
        register(Game)
    loaded = pyspiel.load_game("heiau", options)
    assert loaded.num_players() == Game(**options).num_players
    assert loaded.get_type().information == pyspiel.GameType.Information.IMPERFECT_INFORMATION
    pyspiel.random_sim_test(loaded, num_sims=1, serialize=False, verbose=False)


@pytest.mark.slow
@pytest.mark.parametrize("scenario", ["duel", "two_haoles"])
def test_stable_baselines_trains(scenario: str, tmp_path: Path) -> None:
    """A short run of MaskablePPO in self-play; what it learned plays a game."""
    sb3_contrib = pytest.importorskip("sb3_contrib")
    from hawaii_env.integrations.sb3 import BatchVecEnv

    game = Game(scenario=scenario, last_year=1)
    envs = BatchVecEnv(game, 4, seed=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = sb3_contrib.MaskablePPO("MlpPolicy", envs, n_steps=16, batch_size=32, n_epochs=1, seed=1)
        model.learn(64)
        looks = envs.reset()
        masks = np.stack(envs.env_method("action_masks"))
        chosen, _ = model.predict(looks, action_masks=masks)  # pyright: ignore[reportArgumentType]
    assert masks[np.arange(4), chosen].all()
    envs.close()
