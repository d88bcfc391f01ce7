"""The map, the boxes and the battle map [4.0, 4.1]."""

from __future__ import annotations

from hawaii_env.hawaii1795.rules import names

from .helpers import (
    GAME,
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
    moving,
    pieces,
)


def test_4_0_islands_and_spaces() -> None:
    """[4.0] Five islands; O'ahu and Hawai'i have two land spaces each."""
    islands: dict[str, list[str]] = {}
    for name, space in GAME.ruleset.spaces.items():
        islands.setdefault(space.island, []).append(name)
    assert islands == {
        "hawaii": ["kona", "hilo"], "maui": ["maui"], "molokai": ["molokai"], "oahu": ["waikiki", "koolau"],
        "kauai": ["kauai"],
    }  # fmt: skip


def test_4_0_forts_are_kona_and_hilo() -> None:
    """[4.0] Kona and Hilo alone are forts: defenders there ignore panic, elsewhere they do not."""
    assert {name for name, space in GAME.ruleset.spaces.items() if space.fort} == {"kona", "hilo"}
    for space in names.SPACES:
        state = battle(space, ["oahu_warrior", "brown"], ["warrior_2", "warrior_1"], half=A, kauai=K)
        advantage(state, A)
        fire(state, "brown", PANIC)
        assert (state.phase == "panic") == (space not in ("kona", "hilo"))


def test_4_0_recruit_boxes() -> None:
    """[4.0] What is destroyed goes to its own side's recruit box."""
    state = battle("maui", ["warrior_2", "pike"], ["maui_warrior", "pike"])
    before = box(state, K, "pike"), box(state, A, "pike"), box(state, A, "maui_warrior")
    assert before == (0, 0, 1)
    advantage(state, K)
    fire(state, "pike", HIT, "lose maui_warrior", REST)
    assert (box(state, A, "maui_warrior"), box(state, K, "maui_warrior")) == (2, 0)
    fire(state, "pike", HIT, "lose pike")
    assert (box(state, K, "pike"), box(state, A, "pike")) == (1, 0)


def test_4_1_beach_and_inland() -> None:
    """[4.1] All attackers of a space face all its defenders at once: nobody there stays out of the battle."""
    state = battle("waikiki", ["warrior_2", "pike", "canoe"], ["oahu_warrior", "pike", "oahu_canoe"],
                   theirs={"koolau": ["kalani"]})  # fmt: skip
    advantage(state, A)
    assert fought(state)["kind"] == "invasion" and not fought(state)["second"]
    assert choices(state, "fire") == {"oahu_warrior", "pike"}
    fire(state, "pike", HIT)
    assert choices(state, "lose") == {"warrior_2", "pike"}


def test_4_1_sea_battle_hex() -> None:
    """[4.1] A sea battle has a hex of its own: units left ashore in the space take no part."""
    state = fleet("waikiki", ["warrior_2/kona", "canoe/kona"], ["oahu_warrior", "pike", "oahu_canoe"])
    do(state, 1, "launch", "commit pike waikiki", "done")
    assert fought(state)["kind"] == "sea"
    advantage(state, K)
    fire(state, "warrior_2", HIT)
    assert box(state, A, "pike") == 1 and pieces(state, A, "waikiki")[0] == "oahu_warrior"


def test_4_1_a_fleet_goes_from_land_to_land() -> None:
    """[4.1] The only sea is the battle's: a fleet never ends its move in a space of sea."""
    state = do(moving(K, {"kona": ["warrior_2", "canoe"]}, fleets=1), "fleet kona", "embark warrior_2")
    assert choices(state, "sail") == {"hilo", "maui", "molokai", "waikiki", "koolau", "kauai"}
