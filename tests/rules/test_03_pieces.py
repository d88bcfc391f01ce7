"""Pieces: sides, strength, kinds [3.0, 3.1]."""

from __future__ import annotations

import pytest
from refusals import refuses

from hawaii_env.errors import StateError
from hawaii_env.hawaii1795.rules import names

from .helpers import (
    GAME,
    HIT,
    MISS,
    PANIC,
    REST,
    A,
    K,
    advantage,
    at,
    battle,
    box,
    choices,
    dice,
    do,
    drawn,
    ended,
    fire,
    firing,
    fought,
    marked,
    moving,
    pieces,
    texts,
)

KIND = {name: GAME.ruleset.pieces[i] for i, name in enumerate(names.KINDS)}
FIGHTERS = [(K if i < 9 else A, name) for i, name in enumerate(names.KINDS) if i < 18 and "canoe" not in name]


def test_3_0_friendly_units_are_the_players_own() -> None:
    """[3.0] A player moves the units that he controls, and no others; Kaua'i's once they have joined him."""
    kamehameha, allied = {"kona": ["pike"]}, {"waikiki": ["pike"], "koolau": ["kauai_warrior"]}
    assert texts(moving(K, kamehameha, allied)) == ["done", "march pike kona hilo"]
    assert texts(moving(A, allied, kamehameha)) == [
        "done",
        "march pike waikiki koolau",
        "march kauai_warrior koolau waikiki",
    ]


@pytest.mark.parametrize(("side", "kind"), FIGHTERS)
def test_3_0_strength_is_the_number_of_dice(side: str, kind: str) -> None:
    """[3.0] A unit rolls as many dice as its strength, whoever it is."""
    name = kind.removeprefix("allied_")
    ours, theirs = ([name], ["pike", "oahu_warrior"]) if side == K else (["pike", "warrior_2"], [name])
    state = battle("maui", ours, theirs, ours={"kona": ["warrior_1"]})
    advantage(state, side)
    while not (state.phase == "hit_die" and firing(state) == f"{name}/fired"):
        do(state, REST) if state.phase == "hit_die" else do(state, f"fire {name}")
    rolled = 0
    while state.phase == "hit_die" and firing(state) == f"{name}/fired" and fought(state)["firing"] == side:
        do(state, MISS)
        rolled += 1
    assert rolled == dice(kind)


def test_3_0_printed_strengths() -> None:
    """[3.0] The strengths that the set-up prints: warriors of two and of one."""
    assert (dice("warrior_2"), dice("warrior_1")) == (2, 1)


def test_3_0_all_units_may_stand_together() -> None:
    """[3.0] Any number and any kinds of units of a side share a space, leaders and canoes with them."""
    army = ["kamehameha", "john_young", "royal_guard", "vancouver", "musketeer", "pike", *["warrior_2"] * 6,
            *["warrior_1"] * 3, *["canoe"] * 4]  # fmt: skip
    state = moving(K, {"kona": army})
    assert pieces(state, K, "kona") == army
    assert len(choices(state, "march")) == 8


def test_3_0_elite_sign_adds_to_advantage_and_cancels_panic() -> None:
    """[3.0] The plus sign: one more on the advantage roll, and no panic."""
    state = battle("maui", ["royal_guard"], ["oahu_warrior"])
    do(state, 3, 3)
    assert fought(state)["advantage"] == K
    fire(state, "royal_guard", REST)
    fire(state, "oahu_warrior", PANIC)
    assert state.phase == "hit_die" and marked(state, K, "maui") == ["royal_guard/fired"]


def test_3_1_unit_types() -> None:
    """[3.1] Leaders, gunpowder, pikes, elite warriors, canoes: which kinds are what, printed with their names."""
    leaders = {"kamehameha", "john_young", "kalani", "kaiana"}
    assert {k for k, piece in KIND.items() if piece.class_ == "leader"} == leaders
    assert {k for k, piece in KIND.items() if piece.gunpowder} == {
        "vancouver",
        "musketeer",
        "brown",
        "allied_musketeer",
    }
    assert {k for k, piece in KIND.items() if piece.pike} == {"pike", "allied_pike"}
    assert {k for k, piece in KIND.items() if piece.elite} >= {"royal_guard", "thunderers"}
    assert {k for k, piece in KIND.items() if piece.plus} >= leaders
    canoes = {"canoe", "oahu_canoe", "maui_canoe", "kauai_canoe"}
    assert {k for k, piece in KIND.items() if piece.class_ == "canoe"} == canoes
    assert all(KIND[k].strength is None for k in canoes)
    warriors = {"warrior_2", "warrior_1", "oahu_warrior", "maui_warrior", "kaiana_warriors"}
    assert {k for k, piece in KIND.items() if piece.class_ == "warrior"} == warriors


def test_3_1_leaders_have_a_battle_strength() -> None:
    """[3.1] A leader fires as a unit does, and may be the one that is hit."""
    state = battle("maui", ["john_young", "warrior_2"], ["oahu_warrior"], ours={"kona": ["warrior_2"]})
    advantage(state, K)
    assert choices(state, "fire") == {"john_young", "warrior_2"}
    fire(state, "john_young", REST)
    fire(state, "oahu_warrior", HIT)
    assert choices(state, "lose") == {"john_young", "warrior_2"}


def test_3_1_leaders_eliminated_are_not_recruited_again() -> None:
    """[3.1] An eliminated leader is out of the game; other units wait in the box. His card no longer brings him."""
    state = battle("maui", ["john_young", "warrior_2", "warrior_2"], ["kalani"])
    advantage(state, A)
    fire(state, "kalani", HIT, "lose john_young")
    assert state.view().dead == ["kamehameha:john_young"] and box(state, K, "john_young") == 0
    state = drawn(K, 3, {"kona": ["kamehameha"]}, dead=["kamehameha:john_young"])
    assert choices(state, "recruit") == {"musketeer kona", "musketeer hilo"}
    state = drawn(K, 3, {"kona": ["kamehameha"]})
    assert "john_young kona" in choices(state, "recruit")


def test_3_1_a_supreme_leader_ends_the_game() -> None:
    """[3.1] Kamehameha eliminated: the Allies win. No other leader of his does that."""
    state = battle("maui", ["john_young", "warrior_2"], ["kalani"])
    advantage(state, A)
    fire(state, "kalani", HIT, "lose john_young")
    assert not state.is_terminal
    state = battle("maui", ["kamehameha", "warrior_2"], ["kalani"])
    advantage(state, A)
    fire(state, "kalani", HIT, "lose kamehameha")
    assert ended(state) == (A, "5.2")


def test_3_1_a_canoe_carries_two_units_and_leaders() -> None:
    """[3.1] Two musketeers, pikes, warriors or cannon, and leaders beside them."""
    state = moving(K, {"kona": ["kamehameha", "john_young", "vancouver", "musketeer", "pike", "canoe"]}, fleets=1)
    do(state, "fleet kona", "embark vancouver", "embark musketeer")
    assert choices(state, "embark") == {"kamehameha", "john_young"}
    do(state, "embark kamehameha", "embark john_young", "sail maui")
    assert pieces(state, K, "maui") == ["kamehameha", "john_young", "vancouver", "musketeer", "canoe"]


def test_3_1_earthworks_marker() -> None:
    """[3.1] Earthworks are one marker, the Allies', laid down in a battle and not kept on the map."""
    state = battle("waikiki", ["warrior_2"], ["oahu_warrior"], held=["hold_the_line"])
    do(state, "play hold_the_line")
    assert fought(state)["earthworks"]
    refuses(
        StateError,
        (
            "earthworks",
            lambda: at(
                A,
                "advantage",
                {"kona": ["pike/hilo"]},
                {"kona": ["warrior_2"]},
                field="kona",
                battle={"earthworks": True},
            ),
        ),
    )
