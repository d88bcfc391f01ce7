"""Recruiting [9.0]."""

from __future__ import annotations

import pytest

from hawaii_env.hawaii1795.game import State

from .helpers import (
    A,
    K,
    at,
    battle,
    box,
    choices,
    do,
    drawn,
    forced,
    fought,
    pieces,
    texts,
    traced,
    variant,
)

HOME_K, HOME_A = {"kona": ["kamehameha"]}, {"waikiki": ["kalani"]}


def places(state: State, kind: str) -> set[str]:
    """Where a kind may be recruited."""
    return {c.split()[1] for c in choices(state, "recruit") if c.split()[0] == kind}


def test_9_0_home_islands() -> None:
    """[9.0] Either space of Hawai'i, Maui for Maui's, either space of O'ahu for the other Allied units."""
    state = drawn(K, 4, {"maui": ["warrior_2"]}, HOME_A)
    assert places(state, "royal_guard") == places(state, "warrior_1") == {"kona", "hilo"}
    state = drawn(A, 4, {"molokai": ["brown"]}, HOME_K)
    assert places(state, "thunderers") == places(state, "oahu_warrior") == {"waikiki", "koolau"}
    assert places(state, "maui_warrior") == {"maui"}
    state = drawn(A, 9, {"molokai": ["brown"]}, HOME_K)
    assert places(state, "musketeer") == {"waikiki", "koolau"}
    assert places(state, "canoe") == {"maui", "waikiki", "koolau"}


def test_9_0_with_a_leader() -> None:
    """[9.0] A recruit may come to any of its side's leaders, wherever he is; not to an enemy's."""
    state = drawn(K, 4, {"kauai": ["john_young"], "maui": ["kamehameha"]}, HOME_A, kauai=K)
    assert places(state, "royal_guard") == {"kona", "hilo", "maui", "kauai"}
    state = drawn(A, 4, {"hilo": ["kaiana"], "waikiki": ["kalani"]}, {"maui": ["kamehameha"]})
    assert places(state, "maui_warrior") == {"hilo", "waikiki"}
    assert places(state, "thunderers") == {"hilo", "waikiki", "koolau"}


def test_9_0_units_alone_are_no_leader() -> None:
    """[9.0] Elite warriors do not draw recruits to their space."""
    state = drawn(K, 5, {"maui": ["royal_guard", "pike"]}, HOME_A)
    assert places(state, "warrior_2") == {"kona", "hilo"}


def test_9_0_not_where_enemies_are() -> None:
    """[9.0] Neither enemy units nor enemy canoes share the space of a recruit."""
    state = drawn(K, 4, {"kona": ["kamehameha"]}, {"hilo": ["pike"], **HOME_A})
    assert places(state, "royal_guard") == {"kona"}
    state = drawn(A, 4, {"waikiki": ["kalani"]}, {"koolau": ["warrior_2"], "maui": ["canoe"]})
    assert places(state, "maui_warrior") == places(state, "thunderers") == {"waikiki"}


def test_9_0_only_what_the_card_lists() -> None:
    """[9.0] A line for a musketeer and a leader brings no warrior, even with warriors in the box."""
    state = drawn(K, 3, HOME_K, HOME_A)
    assert {c.split()[0] for c in choices(state, "recruit")} == {"john_young", "musketeer"}


def test_9_0_eliminated_units_come_again() -> None:
    """[9.0] The box holds who has not come yet and who was eliminated, alike."""
    state = drawn(K, 4, {**HOME_K, "maui": ["warrior_2"] * 5, "hilo": ["warrior_1"] * 3}, HOME_A)
    assert box(state, K, "warrior_2") == 1 and places(state, "warrior_2") == {"kona", "hilo"}
    assert places(state, "warrior_1") == set()
    do(state, "recruit warrior_2 kona")
    assert box(state, K, "warrior_2") == 0


def test_9_0_kauai_is_never_recruited() -> None:
    """[9.0] Kaua'i's pieces come with their island or not at all: a dead one is nobody's recruit."""
    state = drawn(A, 8, {"waikiki": ["kalani"], "kauai": ["kauai_warrior"]}, HOME_K)
    assert state.view().dead == ["neutral:kauai_warrior", "neutral:kauai_canoe"]
    assert not [t for t in texts(state) if "kauai_" in t]
    assert choices(state, "recruit") == {"canoe maui", "oahu_canoe waikiki", "maui_canoe waikiki", "canoe koolau"}
    joined = do(drawn(A, 5, HOME_A, HOME_K), 6)
    assert joined.view().kauai == A and places(joined, "oahu_warrior") == {"waikiki", "koolau"}


def test_9_0_recruiting_is_compulsory() -> None:
    """[9.0] While a piece and a place exist there is no way to leave it; the order is the owner's."""
    state = drawn(K, 5, HOME_K, HOME_A)
    seen = 0
    while state.phase == "recruiting":
        assert all(t.startswith("recruit ") for t in texts(state))
        do(state, texts(state)[-1])
        seen += 1
    assert seen == 3


def test_9_0_no_place_no_recruit() -> None:
    """[9.0] With enemies in every space that it could come to, a recruit stays in the box, and nothing is asked."""
    ours, theirs = {"maui": ["pike"]}, {"kona": ["brown"], "hilo": ["kalani"]}
    state = traced(at(K, "card", ours, theirs, turn="march"))
    do(state, 4)
    assert forced(state)[0] == "done" and state.view().half == A
    assert box(state, K, "royal_guard") == 1 and box(state, K, "warrior_1") == 3


def test_9_0_recruits_move_in_the_same_half() -> None:
    """[9.0] They are on the map when movement begins."""
    state = drawn(K, 4, {"kona": ["kamehameha", "canoe"]}, HOME_A)
    do(state, "recruit royal_guard kona", "recruit warrior_1 hilo")
    assert choices(state, "march") == {"kamehameha kona hilo", "royal_guard kona hilo", "warrior_1 hilo kona"}
    do(state, "fleet kona", "pickup kona", "embark royal_guard")
    assert pieces(state, K, "aboard") == ["royal_guard", "canoe"]


def test_9_0_canoes_are_recruited_by_kind() -> None:
    """[9.0] Where canoes of O'ahu and of Maui may both come, each goes by its own name."""
    state = drawn(A, 8, {"waikiki": ["kalani"]}, HOME_K)
    assert choices(state, "recruit") == {"oahu_canoe waikiki", "maui_canoe waikiki", "canoe koolau", "canoe maui"}
    do(state, "recruit canoe koolau")
    assert pieces(state, A, "koolau") == ["oahu_canoe"]


def test_9_0_kaianas_warriors_follow_kaiana() -> None:
    """[9.0] A card's warrior may be Kaiana's once he has entered, also when he has fallen."""
    state = drawn(A, 1, HOME_A, HOME_K)
    assert places(state, "kaiana_warriors") == set()
    for fields in ({"dead": ["allied:kaiana"]}, {}):
        ours = {**HOME_A, **({} if fields else {"koolau": ["kaiana"]})}
        state = drawn(A, 1, ours, HOME_K, **fields)
        assert places(state, "kaiana_warriors") == {"hilo", "waikiki", "koolau"}


def test_9_0_earthworks_in_a_hex_under_attack() -> None:
    """[9.0] Earthworks come with Hold the Line, in a space that the Allies defend, and no other way."""
    state = battle("koolau", ["warrior_2"], ["oahu_warrior"], held=["hold_the_line"])
    assert texts(state) == ["pass", "play hold_the_line"]
    assert fought(do(state, "play hold_the_line"))["earthworks"]
    state = battle("koolau", ["oahu_warrior"], ["warrior_2"], half=A, held=["hold_the_line"])
    assert state.phase == "advantage" and not fought(state)["earthworks"]
    state = drawn(A, 6, HOME_A, HOME_K)
    assert not [t for t in texts(state) if "earthworks" in t]


@pytest.mark.parametrize("kind", ["oahu_canoe", "maui_canoe"])
def test_9_0_kinds_of_canoe_by_name(kind: str) -> None:
    """[9.0] Where both kinds of the Allies may come the owner names one; where one may come it is a canoe."""
    for space in ("hilo", "maui", "koolau"):
        state = drawn(A, 9, {space: ["kalani"]}, HOME_K)
        both = {f"{k}_canoe {space}" for k in ("oahu", "maui")}
        assert {c for c in choices(state, "recruit") if "canoe" in c and c.split()[1] == space} == both
        assert places(state, "canoe") == {"maui", "waikiki", "koolau"} - {space}
        do(state, f"recruit {kind} {space}")
        assert [p for p in pieces(state, A, space) if "canoe" in p] == [kind]
    for space, only in (("maui", "maui_canoe"), ("waikiki", "oahu_canoe"), ("koolau", "oahu_canoe")):
        state = do(drawn(A, 9, {"molokai": ["brown"]}, HOME_K), f"recruit canoe {space}")
        assert pieces(state, A, space) == [only]


def test_9_0_one_kind_of_canoe_left() -> None:
    """[9.0] With the other kind all on the map, no choice is between kinds."""
    ours = {"molokai": ["kalani", "oahu_canoe", "oahu_canoe"], "koolau": ["oahu_canoe"]}
    state = drawn(A, 9, ours, HOME_K)
    assert places(state, "canoe") == {"maui", "molokai"} and not places(state, "maui_canoe")
    do(state, "recruit canoe molokai")
    assert pieces(state, A, "molokai") == ["kalani", "oahu_canoe", "oahu_canoe", "maui_canoe"]
    ours = {"molokai": ["kalani", "maui_canoe", "maui_canoe"]}
    state = drawn(A, 9, ours, HOME_K)
    assert places(state, "canoe") == {"waikiki", "koolau", "molokai"} and not places(state, "oahu_canoe")
    do(state, "recruit canoe koolau")
    assert pieces(state, A, "koolau") == ["oahu_canoe"]


def test_9_0_a_line_that_names_a_kind_of_canoe() -> None:
    """[9.0] It brings that kind, whatever else lies in the box."""
    for kind, other in (("oahu_canoe", "maui_canoe"), ("maui_canoe", "oahu_canoe")):
        game = variant(cards={"allied.muskets_for_land.recruit": {kind: 1, "musketeer": 1}})
        state = do(at(A, "card", {"molokai": ["kalani"]}, HOME_K, turn="march", game=game), 9)
        assert not places(state, other) and "molokai" in places(state, "canoe")
        do(state, "recruit canoe molokai")
        assert pieces(state, A, "molokai") == ["kalani", kind] and box(state, A, other) == (
            2 if other == "maui_canoe" else 3
        )


def test_9_0_a_canoe_of_kauai_is_never_recruited() -> None:
    """[9.0] Not even where Kaua'i stands with the side."""
    dead = ["neutral:kauai_canoe"]
    state = drawn(K, 5, {"kona": ["kamehameha"], "kauai": ["kauai_warrior"]}, HOME_A, dead=dead)
    assert places(state, "canoe") == {"kona", "hilo"} and not places(state, "kauai_canoe")
    do(state, "recruit canoe kona")
    assert pieces(state, K, "kona") == ["kamehameha", "canoe"]
    assert "neutral:kauai_canoe" in state.view().dead
