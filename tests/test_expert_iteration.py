"""Expert iteration: a search of many games at once, and runs that learn from it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from refusals import refuses
from toy import Duel

pytest.importorskip("torch", reason="the learning libraries are not installed")
pytest.importorskip("safetensors", reason="safetensors is not installed")

from experiment_scripts import killed_run, load, quick_runs, refuses_to_resume, run_hawaii  # noqa: F401

import hawaii_env
from hawaii_agents.network import Policy
from hawaii_env import make_batch
from hawaii_env.errors import OptionError

ROOT = Path(__file__).resolve().parent.parent
expert: Any = load("hawaii_agents.training.expert_iteration")
batch_search: Any = load("hawaii_agents.training.batch_search")
SMALL: dict[str, Any] = {
    "game": "aloha", "num_envs": 2, "searched": 0.5, "sims": 4, "considered": 4,
    "decisions": 200, "hidden": 8, "minibatch": 16, "passes": 0.5,
    "window": 300, "eval_every": 2, "eval_games": 4, "test_games": 2, "precision": "float32", "quiet": True,
}  # fmt: skip


def even(observations: Any, legal: Any) -> Any:
    """A network that knows nothing."""
    return np.zeros((len(observations), int(legal.counts.max())), np.float32), np.zeros(len(observations), np.float32)


def searched(hands: list[list[int]], bids: list[int], sims: int = 200) -> list[np.ndarray[Any, Any]]:
    """The policy of the second player's bids in the last round, after each of some bids that the first has entered."""
    game, found = Duel(), []
    start = game.position(round=4, phase="bid", prize=2, winner=-1, hands=hands, points=[0, 0])
    for bid in bids:
        with make_batch([game], 1, autoreset_mode="Disabled") as batch:
            batch.reset(seed=1)
            batch.set_state(0, start, seed=1)
            batch.step(np.array([bid]))
            searcher = batch_search.Searcher([game], even, sims, 2, 0.1)
            seen, legal = batch.observations.copy(), batch_search.Legal.of(batch.masks)
            states, rng = [batch.get_state(0)], np.random.default_rng(1)
            found.append(searcher.search(states, batch.to_play.copy(), seen, legal, rng, 0.0).policy[0])
    return found


def test_a_search_finds_the_dominant_bid_and_does_not_see_the_others() -> None:
    after_1, after_2 = searched([[1, 2], [1, 3]], [1, 2])
    assert after_1[1] > 5 * after_1[0]  # 3 wins the prize, whatever the other bids
    assert np.array_equal(after_1, after_2)


@pytest.mark.parametrize(("sims", "considered"), [(16, 8), (32, 8), (5, 8), (2, 2), (200, 2), (33, 16)])
def test_halving_spends_all_simulations_on_fewer_and_fewer_actions(sims: int, considered: int) -> None:
    turns = batch_search.schedule(sims, considered)
    assert sum(turns) == sims and turns == sorted(turns, reverse=True) and turns[0] == min(sims, considered)


def same_weights(one: Any, other: Any) -> bool:
    mine, theirs = one.policy().tensors, other.policy().tensors
    return all(np.array_equal(mine[name], theirs[name]) for name in theirs)


@pytest.mark.slow
def test_a_run_learns_and_resumes_bit_by_bit(tmp_path: Path) -> None:
    whole = expert.Trainer(expert.Args(**SMALL))
    line = whole.run(tmp_path / "whole")
    assert line["decisions"] == whole.decisions >= 200 and whole.rounds >= 2
    assert set(line["ladder"]) == {"random"} and line["entropy"] > 0
    measured = json.loads((tmp_path / "whole/measured.json").read_text())
    assert measured["decisions"] == whole.decisions
    assert [measured[kind]["random"]["games"] for kind in ("policy", "searched")] == [4, 2]
    half = expert.Trainer(expert.Args(**SMALL, minutes=1e-9))
    half.run(tmp_path / "half")
    assert half.rounds == 1
    rest = expert.Trainer.load(tmp_path / "half", minutes=0.0)
    rest.run(tmp_path / "half")
    assert same_weights(rest, whole) and rest.rounds == whole.rounds
    assert len((tmp_path / "half/progress.jsonl").read_text().splitlines()) == whole.rounds
    assert same_weights(expert.Trainer.load(tmp_path / "half"), whole)
    kept = sorted(path.name for path in (tmp_path / "whole").glob("games-*.npz"))
    assert kept[-1] == f"games-{whole.rounds - 1:06d}.npz" and len(kept) < 5
    policy = Policy.load(tmp_path / "whole/policy.safetensors", whole.game)
    assert policy.meta["trainer"] == "expert_iteration" and "--sims 4" in policy.meta["command"]
    agent = f"ppo:weights={tmp_path / 'whole/policy.safetensors'}"
    assert hawaii_env.play(whole.game, [agent, "random"], seed=1).is_terminal


def test_bad_settings_are_refused_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, value in {
        "sims": 1,
        "searched": 2.0,
        "lam": -1.0,
        "scale": 0.0,
        "passes": float("nan"),
        "window": 0,
    }.items():
        refuses(OptionError, (name, lambda change={name: value}: expert.Args(**{**SMALL, **change}).check()))
    refuses(
        OptionError,
        ("game: expected one of two players", lambda: expert.Args(game="heiau", scenario="heart").make_games(1)),
    )
    refuses_to_resume(lambda words: run_hawaii("expert-iteration", words), tmp_path, capsys)


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"game": "heiau", "scenario": "duel", "num_envs": 2}], ids=["aloha", "duel"])
def test_killed_at_any_moment_a_run_goes_on(tmp_path: Path, options: dict[str, Any]) -> None:
    settings = {**SMALL, **options, "eval_every": 0}
    folder = tmp_path / "killed"
    killed_run("expert-iteration", settings, folder, 1)
    resumed, whole = expert.Trainer.load(folder), expert.Trainer(expert.Args(**settings))
    resumed.run(folder)
    whole.run(tmp_path / "whole")
    assert same_weights(resumed, whole)
