"""Positions whose exact values are known: the rules, the solver of battles and the search agree on them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from refusals import refuses

from hawaii_agents.hawaii1795.search import Search
from hawaii_env.benchmark.puzzles import exact_shares
from hawaii_env.core.jit import INTERPRETED
from hawaii_env.errors import HawaiiError
from hawaii_env.hawaii1795 import Game
from hawaii_env.hawaii1795.battles import ATTACKER, Solver, model_of

POSITIONS: list[dict[str, Any]] = tomllib.loads(Path(__file__).with_name("exact_values.toml").read_text())["one"]
QUICK = [one for one in POSITIONS if one["name"].startswith("the king alone")]


def state_of(one: dict[str, Any]) -> Any:
    return Game(**one.get("options", {})).position(**one["position"])


def exact(one: dict[str, Any]) -> float:
    return next(iter(exact_shares(state_of(one)).values()))


def test_a_value_holds() -> None:
    assert len(POSITIONS) == 40 and len(QUICK) >= 1
    for one in QUICK:
        assert exact(one) == pytest.approx(one["share"], abs=2e-9), one["name"]
    refuses(HawaiiError, ("more than 10 positions", lambda: exact_shares(state_of(QUICK[0]), 10)))


@pytest.mark.nightly
def test_all_values_hold() -> None:
    for one in POSITIONS:
        assert exact(one) == pytest.approx(one["share"], abs=2e-9), one["name"]


@pytest.mark.slow
def test_the_solver_of_battles_agrees() -> None:
    for one in POSITIONS:
        if one["kind"] == "battle" and not one["name"].startswith("last half"):
            state = state_of(one)
            model, node, _ = model_of(state)
            wins = Solver(model).solve(node)[0]
            attacks = state.view().half == "kamehameha"
            assert (wins if attacks == (ATTACKER == 0) else 1 - wins) == pytest.approx(one["share"], abs=2e-9)


@pytest.mark.slow
@pytest.mark.skipif(INTERPRETED, reason="minutes in interpreted mode")
def test_the_search_comes_near_in_every_one() -> None:
    errors = np.zeros((len(POSITIONS), 3))
    for row, one in zip(errors, POSITIONS, strict=True):
        state = state_of(one)
        search = Search(state.game, values="game", seed=0)
        search.set_root(state)
        for column, simulations in enumerate((100, 1000, 10_000)):
            search.run(simulations - search.simulations)
            row[column] = abs((search.value + 1) / 2 - one["share"])
    few, some, many = errors.mean(0)
    assert errors[:, 2].max() < 0.03 and many < 0.005 < 0.05 > some
    assert ((errors[:, 2] < errors[:, 1]) | (errors[:, 1:].max(1) <= 0.002)).all()
    assert few > 2 * some > 4 * many
