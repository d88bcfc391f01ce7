"""Every module that serves any game plays every kind of game: two players in turn, three who choose at once, four with
hidden hands and sealed orders; and the games of this distribution with any number of players.

The page and the commands play them in tests/web/test_any_game.py and tests/test_installed_games.py, the arena in
tests/arena.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test
from refusals import refuses
from three_games import GAMES, installed

import hawaii_env
from hawaii_env import fuzz, games, make_batch, records
from hawaii_env.env.aec import GameEnv
from hawaii_env.env.checker import check_aec
from hawaii_env.env.parallel import ParallelGameEnv
from hawaii_env.env.single_agent import SingleAgentEnv
from hawaii_env.errors import OptionError
from hawaii_env.game import Game
from hawaii_env.render.picture import render_svg
from hawaii_env.render.text import render_text
from hawaii_env.replay.page import replay_page

__all__ = ["installed"]  # the fixture

pytestmark = pytest.mark.usefixtures("installed")
BOT = Path(__file__).parents[1] / "docs" / "examples" / "bot.py"


def _fuzz(game: Game, folder: Path) -> None:
    for seed in range(5):
        fuzz.check_game(game, seed)


def _checker(game: Game, folder: Path) -> None:
    report = check_aec(lambda: GameEnv(game), games=11, seed=1)
    assert report.games == 11


def _aec(game: Game, folder: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        api_test(GameEnv(game), num_cycles=50)


def _parallel(game: Game, folder: Path) -> None:
    if game.dynamics == "sequential":
        refuses(
            OptionError, ("a parallel environment is for sealed or simultaneous turns", lambda: ParallelGameEnv(game))
        )
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        parallel_api_test(ParallelGameEnv(game, illegal="lose"), num_cycles=30)
        parallel_seed_test(lambda: ParallelGameEnv(game, illegal="lose"), num_cycles=10)
    env = ParallelGameEnv(game)
    seen, _ = env.reset(seed=1)
    rng = np.random.default_rng(1)
    while env.agents:
        legal = {agent: np.flatnonzero(one["action_mask"]) for agent, one in seen.items()}
        seen, *_ = env.step({a: int(rng.choice(legal[a])) if len(legal[a]) else 0 for a in env.agents})
    assert env.game_state.outcome() is not None


def _vector(game: Game, folder: Path) -> None:
    batch = make_batch([game], 4)
    batch.reset(seed=0)
    done = 0
    for _ in range(game.max_decisions):
        legal = batch.masks.astype(bool)
        assert legal.any(axis=1).all()
        _, _, terminated, truncated, _ = batch.step(batch.sample_actions())
        done += int(terminated.sum())
        assert not truncated.any()
        if done:
            break
    batch.close()
    assert done


def _single_agent(game: Game, folder: Path) -> None:
    for side in range(game.num_players):
        env = SingleAgentEnv(game, opponent="random", side=side)
        _, info = env.reset(seed=2)
        over, reward = False, 0.0
        while not over:
            assert info["player"] == side
            _, reward, over, _, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
        assert game.min_return - 1e-6 <= reward <= game.max_return + 1e-6  # rewards are float32
        env.close()


def _records(game: Game, folder: Path) -> None:
    path = folder / "game.jsonl"
    state = hawaii_env.play(game, "random", seed=3, record=path)
    found = records.verify(path)
    assert found.outcome == state.outcome() and found.seed_checked
    assert found.record.header["game"] == game.name


def _replay(game: Game, folder: Path) -> None:
    path = folder / "game.jsonl"
    hawaii_env.play(game, "random", seed=4, record=path)
    made = replay_page(path, folder / "game.html", value="playouts:games=2")
    assert made.steps and made.valued


def _pictures(game: Game, folder: Path) -> None:
    state = game.initial_state(seed=5)
    for player in range(game.num_players):
        assert render_svg(state, legal=True, player=player).startswith("<svg")
        assert render_text(state, player)


def _bots(game: Game, folder: Path) -> None:
    if os.name != "posix":
        pytest.skip("bots run on POSIX systems")
    outcome = hawaii_env.play(
        game, ["random"] * (game.num_players - 1) + [f"bot:command={sys.executable} {BOT}"], seed=6
    ).outcome()
    assert outcome is not None


def _openspiel(game: Game, folder: Path) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    from hawaii_env.integrations.openspiel import register

    if game.name not in pyspiel.registered_names():
        register(type(game))
    options = {option.name: option.default for option in games.find(game.name).options}
    loaded = pyspiel.load_game(game.name, {k: v for k, v in game.params.items() if v != options.get(k, v)})
    assert loaded.num_players() == game.num_players
    kind = loaded.get_type()
    perfect = game.information == "perfect"
    assert (kind.information == pyspiel.GameType.Information.PERFECT_INFORMATION) == perfect
    assert (kind.utility == pyspiel.GameType.Utility.ZERO_SUM) == (game.utility == "zero_sum")
    pyspiel.random_sim_test(loaded, num_sims=1, serialize=False, verbose=False)


def _search(game: Game, folder: Path) -> None:
    if game.dynamics == "simultaneous" or importlib.util.find_spec("hawaii_agents") is None:
        pytest.skip("a search of turns in which several choose at once is not a tree of ours")
    state = hawaii_env.play(game, "python_search:sims=8", seed=7)
    assert state.is_terminal


def _sb3(game: Game, folder: Path) -> None:
    sb3_contrib = pytest.importorskip("sb3_contrib")
    from hawaii_env.integrations.sb3 import BatchVecEnv

    env = BatchVecEnv(game, 4, seed=0)
    model = sb3_contrib.MaskablePPO(
        "MlpPolicy", env, n_steps=16, batch_size=32, n_epochs=1, seed=0, device="cpu", policy_kwargs={"net_arch": [8]}
    )
    model.learn(128)
    assert model.num_timesteps == 128


def _torchrl(game: Game, folder: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip("torchrl")
        from hawaii_env.integrations.torchrl import wrap

        rollout = wrap(GameEnv(game), seed=1).rollout(2000)
    assert bool(rollout[-1]["next", "done"].all()) and not bool(rollout["next", "truncated"].any())
    rewards = [float(rollout["next", agent, "reward"].sum()) for agent in game.agents]
    assert sum(rewards) == pytest.approx(0, abs=1e-6)
    assert any(rewards) or "last_year" in game.params  # which ends most games as draws


def _rllib(game: Game, folder: Path) -> None:
    pytest.importorskip("ray.rllib")
    from hawaii_env.integrations.rllib import GameMultiAgentEnv

    env = GameMultiAgentEnv({"game": game.name, **{k: v for k, v in game.params.items() if v is not None}})
    seen, _ = env.reset(seed=5)
    rng = np.random.default_rng(5)
    over, rewards = False, dict[str, float]()
    while not over:
        ((agent, look),) = seen.items()
        seen, rewards, terminated, _, _ = env.step({agent: int(rng.choice(np.flatnonzero(look["action_mask"])))})
        over = terminated["__all__"]
    assert list(rewards) == list(game.agents) and sum(rewards.values()) == pytest.approx(0)


MODULES: dict[str, Callable[[Game, Path], Any]] = {
    "fuzz": _fuzz,
    "checker": _checker,
    "aec": _aec,
    "parallel": _parallel,
    "vector": _vector,
    "single_agent": _single_agent,
    "records": _records,
    "replay": _replay,
    "pictures": _pictures,
    "bots": _bots,
    "openspiel": _openspiel,
    "search": _search,
}
OWN: dict[str, tuple[str, dict[str, Any]]] = {f"aloha-{n}": ("aloha", {"players": n}) for n in (2, 3, 4)} | {
    f"heiau-{scenario}": ("heiau", {"scenario": scenario, "last_year": 1})
    for scenario in ("duel", "triangle", "heart", "haole", "two_haoles")
}
OWN |= {f"maori-{scenario}": ("maori_wars", {"scenario": scenario}) for scenario in ("taranaki", "flagstaff")}
OWN |= {f"hawaii1795-{scenario}": ("hawaii1795", {"scenario": scenario}) for scenario in ("long", "short")}
"""Games of this distribution, with any number of players."""

MORE: dict[str, Callable[[Game, Path], Any]] = {
    "sb3": _sb3, "torchrl": _torchrl, "rllib": _rllib,
}  # fmt: skip
"""Libraries whose use takes longer."""


CASES = [
    pytest.param(
        name,
        module,
        marks=() if module == "openspiel" and name in ("heiau-duel", "hawaii1795-short") else pytest.mark.slow,
    )
    for name, (game, _) in OWN.items()
    for module in (*MODULES, *MORE)
]
"""Most of it `test_promises` tries with the same games."""


@pytest.mark.parametrize(("name", "module"), CASES)
def test_plays_with_any_number_of_players(name: str, module: str, tmp_path: Path) -> None:
    game, options = OWN[name]
    {**MODULES, **MORE}[module](games.load_game(game, **options), tmp_path)


@pytest.mark.parametrize("module", MODULES)
@pytest.mark.parametrize("name", GAMES)
def test_plays(name: str, module: str, tmp_path: Path) -> None:
    MODULES[module](games.load_game(name), tmp_path)
