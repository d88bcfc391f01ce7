"""Elite units [12.0]."""

from __future__ import annotations

import pytest

from .helpers import GAME, HIT, PANIC, A, K, advantage, battle, box, choices, do, fire, forced, marked, miss, traced


@pytest.mark.parametrize("half", [K, A])
@pytest.mark.parametrize("face", range(1, 7))
def test_12_0_elite_units_fire_on_their_column(half: str, face: int) -> None:
    """[12.0] Attacking or defending, an elite unit's dice are read in the elite column."""
    table = GAME.ruleset.results.column(0, 1)
    assert table is not None
    ours, theirs = ["royal_guard", "warrior_1"], ["oahu_warrior", "maui_warrior"]
    state = battle("maui", ours, theirs) if half == K else battle("maui", theirs, ours, half=A)
    fire(advantage(state, K), "royal_guard", face)
    assert state.phase == {"none": "hit_die", "panic": "panic", "elimination": "loss"}[table[face - 1]]


@pytest.mark.parametrize("half", [K, A])
def test_12_0_elite_units_do_not_panic(half: str) -> None:
    """[12.0] Another unit must be picked, whoever attacks."""
    ours, theirs = ["vancouver", "warrior_1"], ["thunderers", "oahu_warrior"]
    state = battle("maui", ours, theirs) if half == K else battle("maui", theirs, ours, half=A)
    traced(state)
    fire(advantage(state, K), "vancouver", PANIC)
    assert "panic oahu_warrior" in forced(state)
    assert marked(state, A, "maui") == ["thunderers", "oahu_warrior/panicked"]


def test_12_0_elite_units_among_panicked_ones() -> None:
    """[12.0] With the other unit panicked already, it is that one that panics again and is gone."""
    state = battle("maui", ["vancouver", "warrior_1"], ["thunderers", "oahu_warrior"])
    fire(advantage(state, K), "vancouver", PANIC, PANIC, PANIC)
    assert marked(state, A, "maui") == ["thunderers"]
    assert box(state, A, "oahu_warrior") == 3


def test_12_0_elite_units_are_eliminated_as_others() -> None:
    """[12.0] An elimination may be laid on an elite unit, and must be when no other is left."""
    state = battle("maui", ["vancouver", "warrior_1"], ["thunderers", "oahu_warrior"])
    fire(advantage(state, K), "vancouver", HIT)
    assert choices(state, "lose") == {"thunderers", "oahu_warrior"}
    do(state, "lose oahu_warrior", HIT)
    assert box(state, A, "thunderers") == 1 and box(state, A, "oahu_warrior") == 3


def test_12_0_an_elite_unit_holds_the_line_alone() -> None:
    """[12.0] A side of elite units only cannot lose by panic: round follows round."""
    state = battle("maui", ["vancouver", "warrior_1"], ["thunderers"])
    for _ in range(3):
        fire(advantage(state, K), "vancouver", PANIC, PANIC, PANIC)
        miss(state)
    assert marked(state, A, "maui") == ["thunderers"] and state.phase == "advantage"
