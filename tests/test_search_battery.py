"""The battery of positions with exact values: the values hold, and how far a search is from them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from experiment_scripts import load

from hawaii_env.core.jit import INTERPRETED
from hawaii_env.errors import HawaiiError

script: Any = load("search_battery")
BATTERY: list[dict[str, Any]] = script.load()


def named(name: str) -> dict[str, Any]:
    return next(one for one in BATTERY if one["name"] == name)


def test_the_battery_is_forty_different_positions_of_many_months() -> None:
    assert len(BATTERY) == len({one["name"] for one in BATTERY}) == len({str(one["position"]) for one in BATTERY}) == 40
    assert {one["kind"] for one in BATTERY} == {"battle", "plan", "card"}
    assert len({one["position"]["turn"] for one in BATTERY}) == 11
    assert all(0 < one["share"] < 1 for one in BATTERY)


def test_the_smallest_values_hold() -> None:
    assert script.verify(BATTERY, 80) == 3


def test_a_wrong_value_is_found() -> None:
    one = named("the king alone against Kalani alone")
    with pytest.raises(HawaiiError, match=r"share: exact is 0\.585308057, not 0\.51"):
        script.verify([one | {"share": 0.51}])
    with pytest.raises(HawaiiError, match="more than 10 positions"):
        script.exact(script.state_of(one), 10)


@pytest.mark.slow
def test_values_hold() -> None:
    assert script.verify(BATTERY, 9_000) == 32


@pytest.mark.nightly
def test_all_values_hold() -> None:
    assert script.verify(BATTERY) == 40


def test_errors_are_of_the_share() -> None:
    (found,) = script.errors([named("out of reach")], (4, 8), 1)
    assert found["simulations"] == [4, 8]
    assert found["error"] == [pytest.approx(abs(share - 0.5), abs=1e-3) for share in found["found"]]
    assert "| 8 |" in script.summary([found])
    assert script.falls([0.3, 0.2, 0.1]) and not script.falls([0.3, 0.2, 0.25]) and script.falls([0.1, 0.0, 0.001])


@pytest.mark.slow
@pytest.mark.skipif(INTERPRETED, reason="minutes in the plain mode")
def test_the_search_comes_near_in_every_one() -> None:
    found = script.errors(BATTERY, seeds=1)
    near = np.array([one["error"] for one in found])
    assert (near[:, 2] < 0.03).all(), script.summary(found)
    assert near[:, 2].mean() < 0.005 < 0.05 > near[:, 1].mean(), script.summary(found)
    # Falling from 1,000 to 10,000 in every one, from 100 on in the mean.
    assert all(script.falls(errors) for errors in near[:, 1:]), script.summary(found)
    assert near[:, 0].mean() > 2 * near[:, 1].mean() > 4 * near[:, 2].mean()


@pytest.mark.slow
def test_the_picture(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    script.draw({"one": script.errors([named("out of reach")], (4, 8), 1)}, tmp_path / "a.png")
    assert (tmp_path / "a.png").stat().st_size > 5000
