"""[5.0-14.0] The referee alone: games end and pieces are never lost. Whether it is right is seen beside the engine."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from . import Referee, data

K, A = "kamehameha", "allied"


def random_game(seed: int, **options: Any) -> Referee:
    """[7.2] Play anything legal to the end, checking what must always hold."""
    rng = random.Random(seed)
    referee = Referee(**options)
    asked = 0
    while referee.decider is not None:
        asked += 1
        assert asked < 5000
        choices: list[Any] = referee.outcomes() if referee.decider == "chance" else referee.options()
        assert len(choices) >= 2 and choices == sorted(set(choices))
        position = referee.position()
        assert sum(map(len, position["pieces"].values())) == 39
        if referee.phase == "card":
            check_quiet(position)
        referee.answer(rng.choice(choices))
    assert referee.over in (K, A, "tie") and referee.reason and referee.phase == "over"
    return referee


def check_quiet(position: dict[str, Any]) -> None:
    """[10.3] Between two halves no marks are left and no space holds units of both sides."""
    for place, texts in position["pieces"].items():
        assert not any("/" in text for text in texts)
        assert place in data.SPACES or place in ("box/" + K, "box/" + A, "dead")
        if place in data.SPACES:
            assert len({text[0] for text in texts if not text.endswith("canoe")}) <= 1


@pytest.mark.parametrize("scenario", ["long", "short"])
@pytest.mark.parametrize("sea_victor", ["repulsed", "assault"])
def test_random_games_end(scenario: str, sea_victor: str) -> None:
    """[5.0] Eight games a kind, every one of them over within its months."""
    ends = Counter(
        random_game(seed, scenario=scenario, sea_victor=sea_victor, final_check=seed % 2 == 0).over for seed in range(8)
    )
    assert len(ends) >= 2


def test_copy_is_independent() -> None:
    """[7.0] A copy has the same position, and goes its own way."""
    rng = random.Random(5)
    referee = Referee()
    for _ in range(60):
        referee.answer(rng.choice(referee.options() or referee.outcomes()))
    twin = referee.copy()
    before = referee.position()
    assert twin.position() == before and twin.options() == referee.options() and twin.forced == referee.forced
    twin.answer((twin.options() or twin.outcomes())[0])
    assert referee.position() == before
