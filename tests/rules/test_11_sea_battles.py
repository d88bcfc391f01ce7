"""Sea battles: sighting, war fleets, and what follows [11.7, 11.8]."""

from __future__ import annotations

import pytest

from .helpers import (
    ASSAULT,
    HIT,
    PANIC,
    REST,
    A,
    K,
    advantage,
    at,
    box,
    choices,
    do,
    fire,
    firing,
    fleet,
    fought,
    launch,
    marked,
    miss,
    moving,
    pieces,
    texts,
)

KONA = {"kona": ["warrior_1"]}
GUARD = ["maui_warrior", "brown", "maui_canoe"]


# ---- 11.7: sighting and launching


@pytest.mark.parametrize("face", range(1, 7))
def test_11_7_sighted_on_one_to_three(face: int) -> None:
    """[11.7] On 1-3 the defender may launch a war fleet; on 4-6 the invaders land and fight."""
    state = fleet("maui", ["pike/kona", "canoe/kona"], GUARD)
    assert state.phase == "sighting"
    do(state, face)
    if face <= 3:
        assert (state.phase, state.current_player, texts(state)) == ("launch", 1, ["pass", "launch"])
    else:
        assert state.phase == "advantage" and fought(state)["kind"] == "invasion"
        assert marked(state, K, "maui") == ["pike", "canoe"]


def test_11_7_launching_is_an_option() -> None:
    """[11.7] Sighted, he may let them land all the same."""
    state = do(fleet("maui", ["pike/kona", "canoe/kona"], GUARD), 3, "pass")
    assert fought(state)["kind"] == "invasion"


@pytest.mark.parametrize(
    ("there", "elsewhere", "rolled"),
    [
        (["maui_warrior"], {}, False),
        (["maui_warrior"], {"molokai": ["brown", "maui_canoe"]}, False),
        (["maui_canoe"], {"molokai": ["brown"]}, False),
        (["maui_warrior", "maui_canoe"], {}, True),
        (["kalani", "maui_canoe"], {}, True),
    ],
    ids=["no canoe", "canoe elsewhere", "nobody to sail", "both", "a leader"],
)
def test_11_7_who_could_sail_out(there: list[str], elsewhere: dict[str, list[str]], rolled: bool) -> None:
    """[11.7] A war fleet needs a canoe in the space and somebody to sail in it; else no die is rolled."""
    state = fleet("maui", ["pike/kona", "canoe/kona"], there, theirs=elsewhere, ours=KONA)
    assert (state.phase == "sighting") == rolled


def test_11_7_from_both_spaces_of_an_island() -> None:
    """[11.7] Canoes of the invaded space, units of either space of a two-space island, and of no other place."""
    theirs = {"waikiki": ["kalani", "brown", "oahu_canoe"], "maui": ["maui_warrior", "maui_canoe"]}
    state = do(
        fleet("koolau", ["pike/kona", "canoe/kona"], ["oahu_warrior", "oahu_canoe", "maui_canoe"], theirs=theirs),
        2,
        "launch",
    )
    assert choices(state, "commit") == {"oahu_canoe koolau", "maui_canoe koolau"}
    do(state, "commit maui_canoe koolau")
    assert choices(state, "commit") == {"canoe koolau", "oahu_warrior koolau", "kalani waikiki", "brown waikiki"}
    assert "done" not in texts(state)
    do(state, "commit kalani waikiki", "commit brown waikiki")
    assert marked(state, A, "war") == ["kalani/waikiki", "brown/waikiki", "maui_canoe/koolau"]
    assert "done" in texts(state)


def test_11_7_units_of_one_kind_in_both_spaces() -> None:
    """[11.7] The unit that sails is the one of the space that was named."""
    for space in ("waikiki", "koolau"):
        state = fleet(
            "koolau", ["pike/kona", "canoe/kona"], ["oahu_warrior", "oahu_canoe"], theirs={"waikiki": ["oahu_warrior"]}
        )
        launch(do(state, 1), f"oahu_warrior {space}")
        assert marked(state, A, "war") == [f"oahu_warrior/{space}", "oahu_canoe/koolau"]
        assert pieces(state, A, space) == [] and pieces(state, A, "waikiki") + pieces(state, A, "koolau") == [
            "oahu_warrior"
        ]


def test_11_7_a_die_for_a_space_held_by_canoes_and_the_other_spaces_units() -> None:
    """[11.7] Only canoes are in the invaded space: units of the island's other space may sail in them."""
    state = fleet("koolau", ["pike/kona", "canoe/kona"], ["oahu_canoe"], theirs={"waikiki": ["brown"]})
    do(state, 1, "launch")
    assert (state.phase, fought(state)["kind"]) == ("advantage", "sea")
    assert marked(state, A, "war") == ["brown/waikiki", "oahu_canoe/koolau"]


@pytest.mark.parametrize(("space", "other"), [("hilo", "kona"), ("kona", "hilo")])
def test_11_7_units_of_the_other_space_of_hawaii(space: str, other: str) -> None:
    """[11.7] On Hawai'i as on O'ahu; on an island of one space there is no other."""
    state = fleet(space, ["brown/maui", "maui_canoe/maui"], ["canoe"], half=A, theirs={other: ["pike"]})
    launch(do(state, 1), f"pike {other}")
    assert marked(state, K, "war") == [f"pike/{other}", f"canoe/{space}"]
    state = fleet(
        "maui", ["pike/kona", "canoe/kona"], ["maui_canoe"], theirs={"kauai": ["kauai_warrior"], "molokai": ["brown"]}
    )
    assert pieces(state, K, "maui") == ["pike", "canoe"]


@pytest.mark.parametrize("half", [K, A])
def test_11_7_the_defender_decides(half: str) -> None:
    """[11.7] Sighted, it is he whose half it is not who launches, and a leader alone is crew enough."""
    aboard = ["pike/waikiki", "canoe/waikiki"] if half == K else ["pike/waikiki", "oahu_canoe/waikiki"]
    there = ["kaiana", "brown", "maui_canoe"] if half == K else ["kamehameha", "vancouver", "canoe"]
    state = do(fleet("maui", aboard, there, half=half), 1)
    assert (state.phase, state.current_player) == ("launch", 1 if half == K else 0)
    do(state, "launch")
    assert "done" not in texts(state)
    do(state, f"commit {there[0]} maui")
    assert "done" in texts(state)
    do(state, "done")
    assert pieces(state, A if half == K else K, "war") == [there[0], there[2]]


def test_11_7_nobody_sails_out_for_another() -> None:
    """[11.7] On an island of one space canoes alone are no war fleet, whoever stands on Kaua'i."""
    kauai = {"kauai": ["kauai_warrior"]}
    state = fleet("maui", ["pike/kona", "canoe/kona"], ["maui_canoe"], ours=kauai, theirs={"molokai": ["brown"]})
    assert pieces(state, K, "maui") == ["pike", "canoe"] and pieces(state, A, "molokai") == ["brown", "maui_canoe"]
    state = fleet("maui", ["pike/waikiki", "oahu_canoe/waikiki"], ["canoe"], half=A, theirs=KONA)
    assert pieces(state, A, "maui") == ["pike", "oahu_canoe"] and pieces(state, K, "kona") == ["warrior_1", "canoe"]


def test_11_7_within_what_the_canoes_hold() -> None:
    """[11.7] Two units and two leaders a canoe."""
    there = ["kalani", "kaiana", "maui_warrior", "maui_warrior", "brown", "musketeer", "maui_canoe", "maui_canoe"]
    state = do(fleet("maui", ["pike/kona", "canoe/kona"], there), 1, "launch")
    assert pieces(state, A, "war") == ["maui_canoe"]
    do(state, "commit brown maui", "commit musketeer maui")
    assert choices(state, "commit") == {"canoe maui", "kalani maui", "kaiana maui"}
    do(state, "commit canoe maui")
    assert "maui_warrior maui" in choices(state, "commit")


def test_11_7_one_sea_battle_a_space() -> None:
    """[11.7] All canoes bound for a space are one fleet, with one die; another space has a die of its own."""
    ours = {"sea/molokai": ["musketeer/kona", "canoe/kona"], **KONA}
    state = fleet("maui", ["pike/kona", "canoe/kona", "warrior_2/hilo", "canoe/hilo"], GUARD,
                  ours=ours, theirs={"molokai": ["pike", "oahu_canoe"]})  # fmt: skip
    assert texts(state) == ["approach maui", "approach molokai"]
    do(state, "approach maui", 1)
    launch(state, "brown maui")
    advantage(state, A)
    fire(state, "brown", HIT)
    assert choices(state, "lose") == {"pike", "warrior_2"}
    state = fleet("maui", ["pike/kona", "canoe/kona"], GUARD, ours=ours, theirs={"molokai": ["pike", "oahu_canoe"]})
    do(state, "approach molokai", 6)
    assert (state.phase, state.view().field) == ("sighting", "maui")


def test_11_7_a_march_is_not_sighted() -> None:
    """[11.7] Sighting is for canoes."""
    state = moving(K, {"waikiki": ["pike"]}, {"koolau": ["brown", "oahu_canoe"]})
    do(state, "march pike waikiki koolau")
    assert (state.phase, fought(state)["kind"]) == ("advantage", "overland")


def test_11_7_on_four_to_six_they_fight_as_any_invaders() -> None:
    """[11.7] The landed force attacks everybody in the space, in the battle phase after all approaches."""
    ours = {"sea/molokai": ["musketeer/kona", "canoe/kona"], **KONA}
    state = fleet("maui", ["pike/kona", "canoe/kona"], GUARD, ours=ours, theirs={"molokai": ["pike", "oahu_canoe"]})
    do(state, "approach maui", 4, 5)
    assert texts(state) == ["battle maui", "battle molokai"]


# ---- 11.8: the sea battle


def test_11_8_one_battle_without_fort_or_earthworks() -> None:
    """[11.8] Panicked units do not fight a second battle at sea, and a fort does not help its war fleet."""
    there = ["warrior_2", "warrior_1", "canoe"]
    ours, theirs = {"maui": ["kalani"]}, {"hilo": ["pike"]}
    state = fleet("kona", ["brown/maui", "maui_canoe/maui"], there, half=A, ours=ours, theirs=theirs)
    do(state, 1)
    launch(state, "warrior_2 kona")
    fire(advantage(state, A), "brown", PANIC)
    assert marked(state, K, "war") == ["warrior_2/panicked/kona", "canoe/kona"]
    do(state, REST)
    assert not pieces(state, K, "war") and marked(state, K, "hilo") == ["pike", "warrior_2", "canoe"]


def test_11_8_attacker_wins_and_lands() -> None:
    """[11.8] Nobody stayed behind: he rallies and lands where he meant to."""
    state = fleet("maui", ["pike/kona", "warrior_2/kona", "canoe/kona"], ["maui_warrior", "maui_canoe"], ours=KONA)
    do(state, 1, "launch")
    fire(advantage(state, A), "maui_warrior", PANIC, PANIC)
    do(state, "panic warrior_2")
    fire(state, "pike", HIT)
    assert marked(state, K, "maui") == ["pike", "warrior_2", "canoe"]
    assert box(state, A, "maui_warrior") == 2 and box(state, A, "maui_canoe") == 2


def test_11_8_attacker_wins_but_cannot_attack_again() -> None:
    """[11.8] A garrison stayed behind: no second attack in this turn; the fleet goes back to where it sailed from."""
    aboard = ["pike/kona", "canoe/kona", "warrior_2/hilo", "canoe/hilo"]
    state = fleet("maui", aboard, GUARD, theirs={"molokai": ["kalani"]})
    do(state, 1)
    launch(state, "maui_warrior maui")
    fire(advantage(state, K), "pike", HIT)
    assert marked(state, K, "kona") == ["pike", "canoe"] and marked(state, K, "hilo") == ["warrior_2", "canoe"]
    assert pieces(state, A, "maui") == ["brown"] and state.view().half == A


def test_11_8_attacker_wins_and_the_other_space_does_not_help() -> None:
    """[11.8] The defender moves nobody in from the other side of the island: an empty space is simply taken."""
    state = fleet(
        "koolau", ["pike/kona", "canoe/kona"], ["oahu_warrior", "oahu_canoe"], theirs={"waikiki": ["kalani", "brown"]}
    )
    do(state, 1)
    launch(state, "oahu_warrior koolau")
    fire(advantage(state, K), "pike", HIT)
    assert marked(state, K, "koolau") == ["pike", "canoe"] and pieces(state, A, "waikiki") == [
        "kalani",
        "brown",
        "oahu_canoe",
    ]
    assert state.view().half == A


def test_11_8_assault_fights_the_garrison() -> None:
    """[11.8] The option sea_victor=assault: he lands, and the garrison is fought."""
    state = fleet("maui", ["pike/kona", "canoe/kona"], GUARD, theirs={"molokai": ["kalani"]}, game=ASSAULT)
    do(state, 1)
    launch(state, "maui_warrior maui")
    fire(advantage(state, K), "pike", HIT)
    assert (state.phase, fought(state)["kind"], state.view().field) == ("advantage", "invasion", "maui")
    advantage(state, A)
    assert firing(state) == "brown/fired"


def test_11_8_attacker_loses_and_retreats() -> None:
    """[11.8] His panicked units and half of his canoes go to one friendly space of his choice."""
    ours = {**KONA, "hilo": ["warrior_1"]}
    state = fleet("maui", ["pike/kona", "warrior_2/kona", "canoe/kona", "canoe/kona"], GUARD, ours=ours)
    do(state, 1)
    launch(state, "brown maui", "maui_warrior maui")
    fire(advantage(state, A), "brown", HIT, "lose pike", PANIC, REST)
    fire(state, "maui_warrior", REST)
    assert state.phase == "retreat" and choices(state, "retreat") == {"kona", "hilo"}
    do(state, "retreat hilo")
    assert marked(state, K, "hilo") == ["warrior_2", "warrior_1", "canoe"]
    assert box(state, K, "canoe") == 3 and box(state, K, "pike") == 1


@pytest.mark.parametrize(("canoes", "kept"), [(1, 1), (2, 1), (3, 2), (4, 2)])
def test_11_8_half_the_canoes_rounded_up(canoes: int, kept: int) -> None:
    """[11.8] The loser keeps half of his canoes, rounded up; the others are in the box."""
    state = fleet("maui", ["pike/kona", *["canoe/kona"] * canoes], GUARD, ours=KONA)
    do(state, 1)
    launch(state, "brown maui")
    fire(advantage(state, A), "brown", HIT)
    assert pieces(state, K, "kona") == ["warrior_1", *["canoe"] * kept]
    assert box(state, K, "canoe") == 4 - kept


def test_11_8_attacker_loses_with_nowhere_to_go() -> None:
    """[11.8] No friendly space: units and canoes are gone."""
    state = fleet("maui", ["pike/kona", "canoe/kona", "canoe/kona"], GUARD)
    do(state, 1)
    launch(state, "brown maui")
    fire(advantage(state, A), "brown", HIT)
    assert box(state, K, "canoe") == 4 and box(state, K, "pike") == 1


def test_11_8_defender_wins_and_returns() -> None:
    """[11.8] His units go back to the spaces that they came from, rallied; nobody lands."""
    state = fleet("koolau", ["pike/kona", "warrior_2/kona", "canoe/kona"], ["oahu_warrior", "oahu_canoe"], ours=KONA,
                  theirs={"waikiki": ["brown", "kalani"]})  # fmt: skip
    do(state, 1)
    launch(state, "oahu_warrior koolau", "brown waikiki")
    advantage(state, K)
    fire(state, "brown", HIT, "lose pike", REST)
    fire(state, "warrior_2", PANIC, "panic oahu_warrior", REST)
    assert state.phase == "advantage"
    fire(advantage(state, A), "brown", HIT)
    assert marked(state, A, "koolau") == ["oahu_warrior", "oahu_canoe"]
    assert marked(state, A, "waikiki") == ["kalani", "brown"]
    assert pieces(state, K, "kona") == ["warrior_1", "canoe"] and pieces(state, K, "koolau") == []


def test_11_8_defender_loses_and_retreats_elsewhere() -> None:
    """[11.8] To one friendly space, never the one that was invaded, though a garrison holds it."""
    theirs = {"molokai": ["kalani"], "waikiki": ["pike"]}
    state = fleet(
        "maui",
        ["vancouver/kona", "canoe/kona"],
        ["maui_warrior", "brown", "maui_canoe", "maui_canoe"],
        ours=KONA,
        theirs=theirs,
    )
    do(state, 1)
    launch(state, "maui_warrior maui", canoes=2)
    fire(advantage(state, K), "vancouver", PANIC, REST)
    assert (state.phase, state.current_player) == ("retreat", 1)
    assert choices(state, "retreat") == {"molokai", "waikiki"}
    do(state, "retreat waikiki")
    assert marked(state, A, "waikiki") == ["pike", "maui_warrior", "maui_canoe"] and box(state, A, "maui_canoe") == 1
    assert pieces(state, A, "maui") == ["brown"] and pieces(state, K, "kona") == ["vancouver", "warrior_1", "canoe"]


def test_11_8_defender_loses_with_nowhere_to_go() -> None:
    """[11.8] The invaded space is not a refuge: with no other, the war fleet is eliminated."""
    state = fleet("maui", ["vancouver/kona", "canoe/kona"], GUARD, ours=KONA)
    do(state, 1)
    launch(state, "maui_warrior maui")
    fire(advantage(state, K), "vancouver", PANIC, REST)
    assert box(state, A, "maui_warrior") == 2 and box(state, A, "maui_canoe") == 2


def test_11_8_the_invaders_lose_nobody_to_capacity() -> None:
    """[11.8] All survivors retreat, whatever the canoes that are left could carry."""
    aboard = ["pike/kona", "warrior_2/kona", "warrior_2/kona", "warrior_1/kona", "canoe/kona", "canoe/kona"]
    state = fleet("maui", aboard, ["thunderers", "brown", "maui_canoe"], ours=KONA)
    do(state, 1)
    launch(state, "thunderers maui", "brown maui")
    advantage(state, A)
    fire(state, "brown", PANIC, PANIC, "panic pike", PANIC, "panic warrior_1")
    fire(state, "thunderers", PANIC, "panic warrior_2", PANIC, "panic warrior_2", REST)
    miss(state)
    assert pieces(state, K, "kona") == ["pike", "warrior_2", "warrior_2", "warrior_1", "warrior_1", "canoe"]


@pytest.mark.parametrize("lost", [True, False], ids=["fleet lost", "fleet won"])
def test_11_8_marchers_are_not_in_the_sea_battle(lost: bool) -> None:
    """[11.8] Who marched into the same space takes no part at sea and fights its land battle either way."""
    ours = {"waikiki": ["warrior_1"], "koolau": ["warrior_2/waikiki"]}
    state = fleet("koolau", ["pike/kona", "canoe/kona"], ["oahu_warrior", "brown", "oahu_canoe"], ours=ours,
                  theirs={"molokai": ["kalani"]})  # fmt: skip
    do(state, 1)
    launch(state, "oahu_warrior koolau")
    advantage(state, A if lost else K)
    fire(state, "oahu_warrior" if lost else "pike", HIT)
    assert (state.phase, fought(state)["kind"], state.view().field) == ("advantage", "overland", "koolau")
    assert marked(state, K, "koolau") == ["warrior_2/waikiki"]
    assert ("oahu_warrior" in pieces(state, A, "koolau")) == lost


def test_11_8_victors_join_the_marchers_where_all_have_sailed() -> None:
    """[11.8] With nobody left ashore the victors land beside them, and there is no land battle."""
    ours = {"waikiki": ["warrior_1"], "koolau": ["warrior_2/waikiki"]}
    state = fleet(
        "koolau", ["pike/kona", "canoe/kona"], ["oahu_warrior", "oahu_canoe"], ours=ours, theirs={"molokai": ["kalani"]}
    )
    do(state, 1, "launch")
    fire(advantage(state, K), "pike", HIT)
    assert marked(state, K, "koolau") == ["pike", "warrior_2", "canoe"] and state.view().half == A


def test_11_8_sea_battles_come_before_land_battles() -> None:
    """[11.8] A fleet repulsed at sea is back before the battles on land begin."""
    ours = {"sea/molokai": ["musketeer/kona", "canoe/kona"], "koolau": ["pike"], **KONA}
    theirs = {"molokai": ["brown", "maui_warrior", "oahu_canoe"], "koolau": ["kalani"]}
    state = at(K, "approach", ours, theirs)
    do(state, 1)
    launch(state, "brown molokai")
    fire(advantage(state, A), "brown", HIT)
    assert (state.phase, state.view().field) == ("advantage", "koolau")
    assert pieces(state, K, "kona") == ["warrior_1", "canoe"]


@pytest.mark.parametrize("face", [1, 6])
def test_11_7_what_a_sighting_die_does(face: int) -> None:
    """[11.7] Three faces sight, three do not, and they are two outcomes."""
    state = fleet("maui", ["pike/kona", "canoe/kona"], GUARD)
    assert state.chance_outcomes(merged=True) == [(1, 0.5), (4, 0.5)]
    assert state.chance_text(face) == f"sighting {face}: {'sighted' if face == 1 else 'not sighted'}"


def test_11_8_marchers_stay_where_they_are() -> None:
    """[11.8] A beaten fleet goes; who marched ashore is not a part of it, nor is anybody elsewhere."""
    ours = {"waikiki": ["warrior_1"], "koolau": ["warrior_2/waikiki"], "kona": ["musketeer"]}
    state = fleet(
        "koolau", ["pike/kona", "warrior_2/kona", "canoe/kona"], ["brown", "oahu_warrior", "oahu_canoe"], ours=ours
    )
    launch(do(state, 1), "brown koolau")
    fire(advantage(state, A), "brown", HIT, "lose pike", PANIC, REST)
    do(state, "retreat kona")
    assert pieces(state, K, "kona") == ["musketeer", "warrior_2", "canoe"]
    assert marked(state, K, "koolau") == ["warrior_2/waikiki"] and pieces(state, K, "waikiki") == ["warrior_1"]


def test_11_8_the_fleets_rally() -> None:
    """[11.8] After the battle at sea nobody of either fleet is panicked, wherever the fleet fought."""
    for space in ("kona", "maui", "molokai"):
        here, there = (
            ["brown/waikiki", "oahu_warrior/waikiki", "oahu_canoe/waikiki"],
            ["vancouver", "pike", "warrior_1", "canoe"],
        )
        state = fleet(
            space, here, there, half=A, ours={"waikiki": ["kalani"], "koolau": ["maui_warrior"]}, game=ASSAULT
        )
        launch(do(state, 1), f"vancouver {space}", f"warrior_1 {space}")
        fire(advantage(state, A), "brown", PANIC, "panic warrior_1", REST)
        fire(state, "vancouver", HIT, "lose oahu_warrior", PANIC, REST)
        assert (state.phase, choices(state, "retreat")) == ("retreat", {"waikiki", "koolau"})
        assert marked(state, K, space) == ["vancouver", "pike", "warrior_1", "canoe"]
        do(state, "retreat koolau")
        assert pieces(state, A, "koolau") == ["brown", "maui_warrior", "oahu_canoe"]
