"""The puzzles: their solutions hold, and a solution is told from a blunder."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from experiment_scripts import load
from refusals import refuses

from hawaii_env import agents
from hawaii_env.agents import BaseAgent
from hawaii_env.benchmark.suites import Puzzle
from hawaii_env.errors import HawaiiError

script: Any = load("puzzles")
PUZZLES: list[Puzzle] = script.SUITE.puzzle


def named(name: str) -> Puzzle:
    return next(one for one in PUZZLES if one.name == name)


class Stays(BaseAgent):
    """Takes the first action: at movement, none."""

    def __init__(self, seed: int = 0) -> None:
        self.name = "stays"

    def act(self, state: Any, legal_actions: Any, clock: Any = None) -> int:
        return legal_actions[0]


def test_there_are_thirty_puzzles_of_all_kinds() -> None:
    assert len(PUZZLES) == len({one.name for one in PUZZLES}) == len({str(one.position) for one in PUZZLES}) >= 30
    assert set(Counter(one.kind for one in PUZZLES)) == set(script.KINDS)
    assert min(Counter(one.kind for one in PUZZLES).values()) >= 4
    assert all(abs(one.best - one.worst) > script.SOLVED for one in PUZZLES)


def test_the_smallest_solutions_hold() -> None:
    assert script.verify(PUZZLES, 400) >= 15
    refuses(
        HawaiiError,
        (
            r"best: exact is .*, not 0\.51",
            lambda: script.verify([named("April: the king must attack alone").model_copy(update={"best": 0.51})]),
        ),
    )


@pytest.mark.nightly
def test_all_solutions_hold() -> None:
    assert script.verify(PUZZLES) == len(PUZZLES)


def test_who_stays_at_home_loses_what_the_attack_is_worth() -> None:
    puzzle = named("April: the king must attack alone")
    agents.register("stays", Stays)
    found = script.score([puzzle], ["stays"], 1)
    assert found["stays"][puzzle.name] == pytest.approx(puzzle.best - puzzle.worst, abs=1e-6)
    assert found["stays"][puzzle.name] > 0.3
    table = script.summary([puzzle], found)
    assert "| `stays` | 0 | 0 | 0 | 0 | 0 | 0.461 |" in table
    assert script.score([puzzle], ["stays"], 1, {"stays": {puzzle.name: 0.25}}) == {"stays": {puzzle.name: 0.25}}


def test_values_are_compared_with_proved_shares() -> None:
    class Knows:
        """Values of the set itself, moved by `off`."""

        def __init__(self, off: float) -> None:
            self.values = iter([(share + off, state.current_player) for state, share in positions])

        def evaluate(self, observation: Any, legal: Any) -> tuple[Any, float]:
            share, player = next(self.values)
            return None, (2 * share - 1) * (1 if player == 0 else -1)

    positions = script.proved_positions(PUZZLES, 5, largest=130)
    assert len({state.key() for state, _ in positions}) == len(positions) > 5
    exact, off = (script.calibration(Knows(by), positions) for by in (0.0, 0.1))
    assert exact["brier"] == exact["least"] <= exact["constant"]
    assert sum(one[0] for one in exact["bins"]) == exact["positions"] == len(positions)
    assert all(one[1] == pytest.approx(one[2], abs=0.002) for one in exact["bins"] if one[0])
    assert off["least"] < off["brier"] <= off["least"] + 0.0101
