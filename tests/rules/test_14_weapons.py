"""Pikes and gunpowder [14.0, 14.1, 14.2]."""

from __future__ import annotations

import pytest

from .helpers import (
    GAME,
    HIT,
    MISS,
    PANIC,
    REST,
    A,
    K,
    advantage,
    battle,
    choices,
    dice,
    do,
    fire,
    firing,
    fleet,
    fought,
    launch,
    marked,
    miss,
    texts,
)

REFUGE = {"kona": ["warrior_1"]}


def test_14_0_which_units_have_them() -> None:
    """[14.0] Each side has one pike, one musketeer and one cannon, and Kaua'i has none of them."""
    for piece in GAME.ruleset.pieces:
        assert not (piece.pike and piece.gunpowder)
        assert piece.count == 1 or not (piece.pike or piece.gunpowder)
    flags = [(piece.pike, piece.gunpowder) for piece in GAME.ruleset.pieces]
    for part in (flags[:9], flags[9:20]):
        assert (sum(p for p, _ in part), sum(g for _, g in part)) == (1, 2)
    assert flags[20:] == [(False, False)] * 2


# ---- 14.1: pikes


def test_14_1_the_first_panic_is_cancelled() -> None:
    """[14.1] With a pike on the side the first panic does nothing, the second does."""
    state = battle("maui", ["vancouver", "warrior_1"], ["pike", "maui_warrior"])
    fire(advantage(state, K), "vancouver", PANIC)
    assert state.phase == "hit_die" and fought(state)["pike_used"] == {K: False, A: True}
    assert marked(state, A, "maui") == ["pike", "maui_warrior"]
    do(state, PANIC)
    assert choices(state, "panic") == {"pike", "maui_warrior"}


def test_14_1_without_a_pike_it_counts() -> None:
    """[14.1] Only its presence does that."""
    state = battle("maui", ["vancouver", "pike"], ["oahu_warrior", "maui_warrior"])
    fire(advantage(state, K), "vancouver", PANIC)
    assert state.phase == "panic"


def test_14_1_either_side_has_its_own() -> None:
    """[14.1] Attacker and defender cancel one each."""
    state = battle("maui", ["vancouver", "pike"], ["brown", "pike"])
    fire(advantage(state, K), "vancouver", PANIC, REST)
    fire(state, "brown", PANIC)
    assert fought(state)["pike_used"] == {K: True, A: True}
    assert not [p for side in (K, A) for p in marked(state, side, "maui") if "panicked" in p]
    do(state, PANIC)
    assert choices(state, "panic") == {"vancouver", "pike"}


def test_14_1_a_panic_after_an_elimination() -> None:
    """[14.1] Other results do not use it up."""
    state = battle("maui", ["vancouver", "warrior_1"], ["pike", "maui_warrior", "oahu_warrior"])
    fire(advantage(state, K), "vancouver", HIT, "lose oahu_warrior", MISS, PANIC)
    assert marked(state, A, "maui")[0].startswith("pike") and fought(state)["pike_used"][A]
    assert not [p for p in marked(state, A, "maui") if "panicked" in p]


def test_14_1_once_more_each_round() -> None:
    """[14.1] A second round has a first panic of its own."""
    state = battle("maui", ["vancouver", "warrior_1"], ["pike", "maui_warrior"])
    fire(advantage(state, K), "vancouver", PANIC)
    miss(state)
    fire(advantage(state, K), "vancouver")
    assert fought(state)["pike_used"] == {K: False, A: False}
    do(state, PANIC)
    assert state.phase == "hit_die" and fought(state)["pike_used"][A]


def test_14_1_a_panicked_pike_cancels_nothing() -> None:
    """[14.1] Turned over, in this round and the next, until it rallies."""
    state = battle("maui", ["vancouver", "warrior_1"], ["pike", "maui_warrior"])
    fire(advantage(state, K), "vancouver", PANIC, PANIC, "panic pike")
    miss(state)
    fire(advantage(state, K), "vancouver", PANIC)
    assert state.phase == "panic"


def test_14_1_a_rallied_pike_cancels_again() -> None:
    """[14.1] Rallied between the first and the second battle it has its ability back."""
    state = battle("maui", ["vancouver", "warrior_1"], ["pike"], ours=REFUGE)
    fire(advantage(state, K), "vancouver", PANIC, PANIC, REST)
    fire(state, "warrior_1", REST)
    assert fought(state)["second"] and marked(state, A, "maui") == ["pike"]
    fire(advantage(state, K), "vancouver", PANIC)
    assert fought(state)["pike_used"][A] and marked(state, A, "maui") == ["pike"]


def test_14_1_an_eliminated_pike_cancels_nothing() -> None:
    """[14.1] The comrades of an eliminated pike panic at once."""
    state = battle("maui", ["vancouver", "warrior_1"], ["pike", "maui_warrior", "oahu_warrior"])
    fire(advantage(state, K), "vancouver", HIT, "lose pike", PANIC)
    assert choices(state, "panic") == {"maui_warrior", "oahu_warrior"}


def test_14_1_at_sea_too() -> None:
    """[14.1] A pike aboard cancels as well; one left ashore does not."""
    for crew, cancelled in (
        (["pike maui", "oahu_warrior maui"], True),
        (["maui_warrior maui", "oahu_warrior maui"], False),
    ):
        there = ["pike", "oahu_warrior", "maui_warrior", "maui_canoe"]
        state = do(fleet("maui", ["vancouver/kona", "canoe/kona"], there, ours=REFUGE), 1)
        launch(state, *crew)
        fire(advantage(state, K), "vancouver", PANIC)
        assert (state.phase == "hit_die") == cancelled


# ---- 14.2: gunpowder


def test_14_2_gunpowder_of_the_advantage_first() -> None:
    """[14.2] The side with the advantage fires its gunpowder units before all others, in its order."""
    state = battle("maui", ["vancouver", "musketeer", "pike"], ["brown", "musketeer", "oahu_warrior"])
    advantage(state, K)
    assert texts(state) == ["fire vancouver", "fire musketeer"]
    fire(state, "musketeer", REST)
    assert firing(state) == "vancouver/fired"


def test_14_2_then_the_other_sides() -> None:
    """[14.2] Then the other player's gunpowder, then the rest in turn, beginning with the advantage."""
    state = battle("maui", ["vancouver", "warrior_2", "pike"], ["brown", "musketeer", "oahu_warrior"])
    fire(advantage(state, A), "musketeer", REST)
    order = []
    while state.phase in ("fire", "hit_die"):
        if state.phase == "fire":
            do(state, texts(state)[-1])
        order.append((fought(state)["firing"], firing(state).split("/")[0]))
        do(state, REST)
    assert order == [(A, "brown"), (K, "vancouver"), (A, "oahu_warrior"), (K, "warrior_2"), (K, "pike")]


def test_14_2_gunpowder_fires_before_standard_units_without_the_advantage() -> None:
    """[14.2] The side with the advantage has no gunpowder: the other's fires first all the same."""
    state = battle("maui", ["warrior_2", "pike"], ["brown", "oahu_warrior"])
    advantage(state, K)
    assert firing(state) == "brown/fired"
    do(state, REST)
    assert choices(state, "fire") == {"warrior_2", "pike"}


def test_14_2_gunpowder_hit_first_does_not_fire() -> None:
    """[14.2] A gunpowder unit eliminated or panicked by the other side's guns is silent."""
    for face in (HIT, PANIC):
        state = battle("maui", ["vancouver", "warrior_2"], ["brown", "oahu_warrior"])
        fire(advantage(state, K), "vancouver", face, "lose brown" if face == HIT else "panic brown", REST)
        assert firing(state) == "warrior_2/fired"


def test_14_2_in_the_second_round_too() -> None:
    """[14.2] In a further round gunpowder comes before the others again."""
    state = battle("maui", ["vancouver", "warrior_2"], ["brown", "oahu_warrior"])
    miss(advantage(state, K))
    advantage(state, A)
    assert firing(state) == "brown/fired"
    do(state, REST)
    assert firing(state) == "vancouver/fired"


def test_14_2_in_the_second_battle_too() -> None:
    """[14.2] Rallied guns fire first on the cliff."""
    state = battle("maui", ["vancouver", "warrior_2", "warrior_1"], ["brown"], ours=REFUGE)
    fire(advantage(state, K), "vancouver", PANIC, REST)
    miss(state)
    assert fought(state)["second"]
    advantage(state, A)
    assert firing(state) == "brown/fired" and fought(state)["dice"] == dice("brown")


@pytest.mark.parametrize(("bonus", "more"), [(0, 0), (1, 1)])
def test_14_2_one_more_die_by_card(bonus: int, more: int) -> None:
    """[14.2] A card's bonus is for gunpowder units only."""
    state = battle("maui", ["vancouver", "warrior_2"], ["oahu_warrior"], bonuses={"gunpowder": bonus})
    advantage(state, K)
    assert fought(state)["dice"] == dice("vancouver") + more
    do(state, REST)
    assert (firing(state), fought(state)["dice"]) == ("warrior_2/fired", dice("warrior_2"))


def test_14_2_at_sea_too() -> None:
    """[14.2] Cannon aboard fire before the warriors."""
    state = fleet(
        "maui", ["warrior_2/kona", "pike/kona", "canoe/kona"], ["brown", "maui_warrior", "maui_canoe"], ours=REFUGE
    )
    launch(do(state, 1), "brown maui", "maui_warrior maui")
    advantage(state, K)
    assert firing(state) == "brown/fired/maui"
