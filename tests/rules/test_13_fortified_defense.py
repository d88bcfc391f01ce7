"""Forts and earthworks [13.0]."""

from __future__ import annotations

import pytest

from .helpers import (
    HIT,
    PANIC,
    REST,
    A,
    K,
    advantage,
    battle,
    box,
    choices,
    do,
    fire,
    fleet,
    fought,
    launch,
    marked,
    miss,
    pieces,
    texts,
)


@pytest.mark.parametrize("fort", ["kona", "hilo"])
def test_13_0_defenders_of_a_fort_ignore_all_panic(fort: str) -> None:
    """[13.0] Any number of panic results does nothing to them, in the first battle and in the rounds after it."""
    state = battle(fort, ["brown", "oahu_warrior", "oahu_canoe"], ["warrior_1", "warrior_2"], half=A)
    for _ in range(2):
        fire(advantage(state, A), "brown", PANIC, PANIC, PANIC)
        assert [p.split("/")[0] for p in marked(state, K, fort)] == ["warrior_2", "warrior_1"]
        assert not [p for p in marked(state, K, fort) if "panicked" in p]
        miss(state)


@pytest.mark.parametrize("fort", ["kona", "hilo"])
def test_13_0_eliminations_count_in_a_fort(fort: str) -> None:
    """[13.0] They are applied as ever."""
    state = battle(fort, ["brown", "oahu_warrior"], ["warrior_1", "warrior_2"], half=A)
    fire(advantage(state, A), "brown", HIT)
    assert choices(state, "lose") == {"warrior_1", "warrior_2"}
    do(state, "lose warrior_2", HIT)
    assert pieces(state, A, fort) == ["brown", "oahu_warrior"] and box(state, K, "warrior_1") == 3


def test_13_0_attackers_of_a_fort_panic() -> None:
    """[13.0] The fort is the defender's."""
    state = battle("hilo", ["oahu_warrior", "maui_warrior"], ["vancouver"], half=A)
    fire(advantage(state, K), "vancouver", PANIC)
    assert choices(state, "panic") == {"oahu_warrior", "maui_warrior"}


@pytest.mark.parametrize("owner", [K, A])
def test_13_0_a_fort_serves_whoever_defends_it(owner: str) -> None:
    """[13.0] Also the Allies, when they hold one."""
    attackers, defenders = (["vancouver"], ["oahu_warrior"]) if owner == A else (["brown"], ["warrior_2"])
    state = battle("kona", attackers, defenders, half=A if owner == K else K)
    fire(advantage(state, A if owner == K else K), attackers[0], PANIC)
    assert state.phase == "hit_die" and not [p for p in marked(state, owner, "kona") if "panicked" in p]


def test_13_0_a_fort_does_not_help_at_sea() -> None:
    """[13.0] A war fleet has left its walls."""
    state = fleet("kona", ["brown/maui", "maui_canoe/maui"], ["warrior_2", "warrior_1", "canoe"], half=A)
    do(state, 1)
    launch(state, "warrior_2 kona", "warrior_1 kona")
    fire(advantage(state, A), "brown", PANIC)
    assert choices(state, "panic") == {"warrior_2", "warrior_1"}


def test_13_0_earthworks_are_a_fort_for_the_battle() -> None:
    """[13.0] With the card played, the Allied defenders ignore panic; without it they do not."""
    for played in (True, False):
        state = battle("waikiki", ["vancouver", "warrior_1"], ["oahu_warrior", "pike"], held=["hold_the_line"])
        do(state, "play hold_the_line" if played else "pass")
        fire(advantage(state, K), "vancouver", PANIC, PANIC)
        assert (state.phase == "panic") == (not played)
        assert fought(state)["earthworks"] == played


def test_13_0_eliminations_count_behind_earthworks() -> None:
    """[13.0] And the attacker panics before them."""
    state = battle("waikiki", ["vancouver", "warrior_1"], ["oahu_warrior", "brown"], held=["hold_the_line"])
    do(state, "play hold_the_line")
    fire(advantage(state, K), "vancouver", HIT)
    assert choices(state, "lose") == {"oahu_warrior", "brown"}
    do(state, "lose oahu_warrior", REST)
    fire(state, "brown", PANIC)
    assert choices(state, "panic") == {"vancouver", "warrior_1"}


def test_13_0_earthworks_are_gone_with_the_battle() -> None:
    """[13.0] The next battle of the half is fought in the open."""
    ours = {"maui": ["vancouver"], "hilo": ["warrior_1"]}
    state = battle(
        "waikiki", ["warrior_2"], ["oahu_warrior"], ours=ours, theirs={"maui": ["maui_warrior"]}, held=["hold_the_line"]
    )
    do(state, "battle waikiki", "play hold_the_line")
    fire(advantage(state, K), "warrior_2", HIT)
    assert state.view().field == "maui" and not fought(state)["earthworks"]
    fire(advantage(state, K), "vancouver", PANIC)
    assert "panicked" in marked(state, A, "maui")[0] and texts(state) == []
