"""Movement: stacking, marches, fleet moves [10.0 to 10.3]."""

from __future__ import annotations

import pytest
from refusals import refuses

from hawaii_env.errors import StateError

from .helpers import (
    SPACES,
    A,
    K,
    at,
    choices,
    do,
    fleet,
    forced,
    fought,
    marked,
    moving,
    pieces,
    random_halves,
    texts,
    traced,
    variant,
)


def test_10_0_own_units_in_the_own_half() -> None:
    """[10.0] A player moves his own units, in any order, and may leave any of them where they are."""
    ours = {"kona": ["pike", "warrior_2", "canoe"], "hilo": ["warrior_1"]}
    state = moving(K, ours, {"waikiki": ["kalani", "oahu_canoe"]}, fleets=1)
    assert texts(state) == [
        "done", "march pike kona hilo", "march warrior_2 kona hilo", "march warrior_1 hilo kona", "fleet kona",
    ]  # fmt: skip
    do(state, "march warrior_1 hilo kona", "fleet kona", "embark warrior_1")
    do(state, "done", "sail maui", "march pike kona hilo", "done")
    assert (pieces(state, K, "kona"), pieces(state, K, "hilo"), pieces(state, K, "maui")) == (
        ["warrior_2"], ["pike"], ["warrior_1", "canoe"],
    )  # fmt: skip


def test_10_1_stacking_is_unlimited() -> None:
    """[10.1] Units move into and through spaces of friends without hindrance."""
    ours = {"kona": ["warrior_2"] * 5, "hilo": ["warrior_1"] * 3, "maui": ["pike", "canoe"]}
    state = moving(K, ours, fleets=1)
    for n in range(5):
        do(state, "march warrior_2 kona hilo")
        assert len(pieces(state, K, "hilo")) == 4 + n
    do(state, "fleet maui", "pickup maui", "embark pike", "sail hilo")
    assert len(pieces(state, K, "hilo")) == 10


def test_10_1_sharing_a_space_with_enemies_does_not_last() -> None:
    """[10.1] No movement phase begins with units of both sides in a space, but for what a card has put there."""
    refuses(
        StateError,
        (r"\[10\.3\]", lambda: at(K, "card", {"maui": ["pike"]}, {"maui": ["maui_warrior"]})),
        (r"\[10\.3\]", lambda: moving(K, {"maui": ["pike"]}, {"maui": ["maui_warrior"]})),
    )


@pytest.mark.parametrize(
    ("side", "unit", "a", "b"),
    [(K, "kamehameha", "kona", "hilo"), (K, "vancouver", "hilo", "kona"), (A, "pike", "waikiki", "koolau"),
     (A, "maui_warrior", "koolau", "waikiki")],
)  # fmt: skip
def test_10_2_march_between_the_two_spaces(side: str, unit: str, a: str, b: str) -> None:
    """[10.2] Units of every kind cross their island, both ways, on both islands, for either side."""
    state = moving(side, {a: [unit, "pike" if unit != "pike" else "brown"]})
    do(state, f"march {unit} {a} {b}")
    assert pieces(state, side, b) == [unit]


def test_10_2_no_limit_to_how_many_march() -> None:
    """[10.2] All units of a space may cross in one turn, without any fleet move."""
    army = ["kamehameha", "vancouver", "pike", "warrior_2", "warrior_2", "warrior_1"]
    state = moving(K, {"kona": army, "hilo": ["royal_guard"]})
    for unit in army:
        do(state, f"march {unit} kona hilo")
    assert pieces(state, K, "hilo") == ["kamehameha", "royal_guard", *army[1:]] and not pieces(state, K, "kona")


@pytest.mark.parametrize("space", ["maui", "molokai", "kauai"])
def test_10_2_no_march_elsewhere(space: str) -> None:
    """[10.2] From an island of one space nobody marches, and nobody marches from island to island."""
    state = moving(K, {space: ["pike", "kamehameha"], "kona": ["warrior_2"]}, kauai=K)
    assert texts(state) == ["done", "march warrior_2 kona hilo"]


def test_10_2_no_march_away_from_enemies() -> None:
    """[10.2] Who was recruited among enemies stays there, in Kona as in any space; into enemies one marches."""
    for space, other in (("kona", "hilo"), ("koolau", "waikiki")):
        state = moving(A, {space: ["kaiana/turned"], other: ["brown"]}, {space: ["pike"], "maui": ["kamehameha"]})
        assert choices(state, "march") == {f"brown {other} {space}"}


def test_10_2_march_and_embark_in_one_turn() -> None:
    """[10.2] A unit that has marched may be embarked in the same turn."""
    state = moving(K, {"kona": ["pike", "canoe"], "hilo": ["warrior_2", "warrior_1"]}, fleets=1)
    do(state, "march warrior_2 hilo kona", "fleet kona", "pickup kona", "embark warrior_2", "done", "sail molokai")
    assert pieces(state, K, "molokai") == ["warrior_2", "canoe"]


def test_10_2_march_after_a_landing_by_name() -> None:
    """[10.2] Units of one kind, of which one has been carried this turn, are told apart where they march."""
    ours = {"maui": ["oahu_warrior", "oahu_canoe"], "waikiki": ["oahu_warrior", "pike"]}
    state = moving(A, ours, fleets=1)
    do(state, "fleet maui", "pickup maui", "embark oahu_warrior", "sail waikiki")
    assert choices(state, "march") == {
        "oahu_warrior waikiki koolau", "oahu_warrior/carried waikiki koolau", "pike waikiki koolau",
    }  # fmt: skip
    do(state, "march oahu_warrior/carried waikiki koolau")
    assert marked(state, A, "koolau") == ["oahu_warrior/carried/marched"]
    assert choices(state, "march") == {"oahu_warrior waikiki koolau", "pike waikiki koolau"}


@pytest.mark.parametrize(
    ("side", "unit", "canoe", "a", "b"),
    [(K, "warrior_2", "canoe", "kona", "hilo"), (K, "warrior_1", "canoe", "hilo", "kona"),
     (A, "maui_warrior", "oahu_canoe", "koolau", "waikiki")],
)  # fmt: skip
def test_10_2_landed_units_of_every_kind_march_by_name(side: str, unit: str, canoe: str, a: str, b: str) -> None:
    """[10.2] Whatever the kind: the one carried and the one that was there already are two choices, and the named one
    goes.
    """
    for mark in ("", "/carried"):
        state = moving(side, {"maui": [unit, canoe], a: [unit, "musketeer"]}, fleets=1)
        do(state, "fleet maui", "pickup maui", f"embark {unit}", f"sail {a}")
        do(state, f"march {unit}{mark} {a} {b}")
        assert marked(state, side, b) == [f"{unit}{mark}/marched"] and len(pieces(state, side, a)) == 3


def test_10_2_a_mark_where_units_differ_only() -> None:
    """[10.2] A landed unit whose likes are elsewhere marches by its plain name."""
    ours = {"maui": ["warrior_2", "canoe", "pike"], "kona": ["musketeer"], "molokai": ["warrior_2"]}
    state = do(moving(K, ours, fleets=1), "fleet maui", "pickup maui", "embark warrior_2", "done", "sail kona")
    assert choices(state, "march") == {"warrior_2 kona hilo", "musketeer kona hilo"}


def test_10_3_embark_after_a_march_by_name() -> None:
    """[10.3] Units of one kind, of which one has marched this turn, are told apart where they embark."""
    ours = {"kona": ["warrior_2", "canoe", "canoe"], "hilo": ["warrior_2", "pike"]}
    state = moving(K, ours, fleets=2)
    do(state, "march warrior_2 hilo kona", "fleet kona", "pickup kona")
    assert choices(state, "embark") == {"warrior_2", "warrior_2/marched"}
    do(state, "embark warrior_2/marched", "done", "sail maui")
    assert marked(state, K, "maui") == ["warrior_2/carried/marched", "canoe/carried"]
    assert marked(state, K, "kona") == ["warrior_2", "canoe"]


@pytest.mark.parametrize("start", ["maui", "kona", "kauai"])
def test_10_2_canoes_go_from_any_space_to_any_other(start: str) -> None:
    """[10.2] No space is too far, whatever lies between."""
    state = moving(K, {start: ["pike", "canoe"]}, fleets=1, kauai=K)
    do(state, f"fleet {start}", "embark pike")
    assert choices(state, "sail") == set(SPACES) - {start}


@pytest.mark.parametrize("goal", [s for s in SPACES if s not in ("molokai", "maui")])
def test_10_3_a_fleet_move(goal: str) -> None:
    """[10.3] A canoe sails to a space, picks up, sails on to another one, and lands its cargo there."""
    ours = {"maui": ["canoe", "pike"], "molokai": ["warrior_2", "warrior_1", "musketeer", "kamehameha"]}
    state = moving(K, ours, fleets=1, kauai=K)
    do(state, "fleet maui", "pickup molokai", "embark warrior_2", "embark musketeer", "done", f"sail {goal}")
    view = state.view()
    if view.half == K:
        assert view.fleet_moves == 0
    assert pieces(state, K, goal) == ["musketeer", "warrior_2", "canoe"]
    assert pieces(state, K, "molokai") == ["kamehameha", "warrior_1"] and pieces(state, K, "maui") == ["pike"]


def test_10_3_two_units_and_two_leaders() -> None:
    """[10.3] No third unit comes aboard; leaders take no unit's room."""
    ours = {"kona": ["kamehameha", "john_young", "pike", "warrior_2", "warrior_1", "canoe"], "hilo": ["musketeer"]}
    state = moving(K, ours, fleets=1)
    do(state, "fleet kona", "pickup kona", "embark pike", "embark kamehameha")
    assert choices(state, "embark") == {"john_young", "warrior_2", "warrior_1"}
    do(state, "embark warrior_2")
    assert texts(state) == ["done", "embark john_young"]
    do(state, "embark john_young")
    assert state.phase == "sail"


def test_10_3_fewer_than_two_may_embark() -> None:
    """[10.3] One unit will do, and a leader without units."""
    for unit in ("pike", "kamehameha"):
        state = moving(K, {"kona": ["kamehameha", "pike", "canoe"]}, fleets=1)
        do(state, "fleet kona", f"embark {unit}", "done", "sail maui")
        assert pieces(state, K, "maui") == [unit, "canoe"]


def test_10_3_as_many_canoes_as_the_card_says() -> None:
    """[10.3] A fleet move is one canoe's; the card's number is the limit, not the number of canoes."""
    ours = {"kona": ["canoe", "canoe", "canoe", "pike", "warrior_2"]}
    state = moving(K, ours, fleets=2)
    do(state, "fleet kona", "embark pike", "done", "sail maui")
    assert state.view().fleet_moves == 1 and choices(state, "fleet") == {"kona"}
    do(state, "fleet kona", "embark warrior_2", "sail molokai")
    assert not choices(state, "fleet")


def test_10_3_a_canoe_moves_once_a_turn() -> None:
    """[10.3] Once its cargo has landed, the canoe's move is over, with fleet moves to spare."""
    state = moving(K, {"kona": ["canoe", "pike", "warrior_2"]}, fleets=3)
    do(state, "fleet kona", "embark pike", "done", "sail hilo")
    assert state.view().fleet_moves == 2 and not choices(state, "fleet")


def test_10_3_a_canoe_that_has_moved_is_not_taken_for_another() -> None:
    """[10.3] Beside one that has just arrived, it is the other canoe that moves on, and then none is left."""
    state = moving(K, {"kona": ["canoe", "pike"], "maui": ["canoe", "warrior_1"], "hilo": ["warrior_2"]}, fleets=3)
    do(state, "fleet kona", "pickup kona", "embark pike", "sail maui")
    assert marked(state, K, "maui") == ["pike/carried", "warrior_1", "canoe", "canoe/carried"]
    do(state, "fleet maui", "pickup maui", "embark warrior_1", "sail molokai")
    assert marked(state, K, "maui") == ["pike/carried", "canoe/carried"] and not choices(state, "fleet")


def test_10_3_the_cargo_comes_from_the_pick_up_space() -> None:
    """[10.3] Of units of one kind in several spaces the one in the pick-up space embarks."""
    ours = {space: ["warrior_2"] for space in ("kona", "hilo", "molokai", "maui")}
    state = moving(K, {**ours, "koolau": ["canoe"]}, fleets=1)
    do(state, "fleet koolau", "pickup molokai", "embark warrior_2", "sail waikiki")
    assert pieces(state, K, "waikiki") == ["warrior_2", "canoe"] and pieces(state, K, "molokai") == []
    assert all(pieces(state, K, space) == ["warrior_2"] for space in ("kona", "hilo", "maui"))


def test_10_3_canoes_move_one_by_one() -> None:
    """[10.3] Two canoes of a space may go to different spaces, two of different spaces to the same one."""
    ours = {"kona": ["canoe", "canoe", "pike", "warrior_2", "kamehameha"], "maui": ["canoe", "warrior_1"]}
    state = moving(K, ours, {}, fleets=3)
    do(state, "fleet kona", "pickup kona", "embark pike", "done", "sail molokai")
    do(state, "fleet kona", "pickup kona", "embark warrior_2", "done", "sail koolau")
    do(state, "fleet maui", "pickup maui", "embark warrior_1", "sail molokai")
    assert pieces(state, K, "molokai") == ["pike", "warrior_1", "canoe", "canoe"]
    assert pieces(state, K, "koolau") == ["warrior_2", "canoe"] and pieces(state, K, "maui") == []


def test_10_3_the_cargo_does_not_return_to_the_pick_up() -> None:
    """[10.3] The destination is another space than the pick-up; the canoe's old space will do."""
    state = moving(K, {"maui": ["canoe", "pike"], "molokai": ["warrior_2"]}, fleets=1)
    do(state, "fleet maui", "pickup molokai", "embark warrior_2")
    assert choices(state, "sail") == set(SPACES) - {"molokai"}


def test_10_3_pick_up_where_no_enemy_is() -> None:
    """[10.3] A canoe fetches nobody out of a space with enemies."""
    ours = {"kona": ["canoe", "pike", "warrior_2"], "hilo": ["warrior_1"]}
    state = moving(K, ours, {"waikiki": ["kalani"]}, fleets=2)
    do(state, "fleet kona")
    assert choices(state, "pickup") == {"kona", "hilo"}
    state = moving(
        K, {"kona": ["canoe", "pike", "warrior_2"], "hilo": ["warrior_1/kona"]}, {"hilo": ["kaiana"]}, fleets=2
    )
    do(traced(state), "fleet kona")
    assert forced(state) == ["pickup kona"]


def test_10_3_a_leader_is_a_cargo() -> None:
    """[10.3] With enemies everywhere no canoe sails empty; a leader aboard will do, or a leader with as many units."""
    theirs = {
        "hilo": ["brown"],
        "maui": ["maui_warrior"],
        "molokai": ["pike"],
        "waikiki": ["kalani"],
        "koolau": ["musketeer"],
    }
    for cargo in (["kamehameha"], ["pike", "kamehameha"], ["kamehameha", "john_young"], ["pike"]):
        state = moving(K, {"kona": ["kamehameha", "john_young", "pike", "warrior_1", "canoe"]}, theirs, fleets=1)
        do(state, "fleet kona")
        assert "done" not in texts(state)
        do(state, *(f"embark {unit}" for unit in cargo))
        assert "done" in texts(state)
        do(state, "done")
        assert choices(state, "sail") == set(SPACES) - {"kona"}
        do(state, "sail maui")
        assert pieces(state, K, "sea/maui") == [*sorted(cargo, key=["kamehameha", "john_young", "pike"].index), "canoe"]


def test_10_3_room_is_data() -> None:
    """[10.3, R-12] A ruleset may give a canoe less room, for units and for leaders."""
    game = variant(pieces={"canoe_load.units": 1, "canoe_load.leaders": 1})
    state = moving(K, {"kona": ["kamehameha", "john_young", "pike", "warrior_1", "canoe"]}, fleets=1, game=game)
    do(state, "fleet kona", "embark kamehameha")
    assert choices(state, "embark") == {"pike", "warrior_1"}
    do(state, "embark pike")
    assert state.phase == "sail"


@pytest.mark.parametrize(("warriors", "canoes"), [(1, 0), (0, 1), (0, 0)])
def test_10_3_whatever_there_is_of_neutral_kauai(warriors: int, canoes: int) -> None:
    """[10.3, R-13] One piece of neutral Kaua'i bars an empty canoe; with none of them in the game the island is
    free.
    """
    start: dict[str, object] = {"source": "reconstructed"}
    start |= {kind: {"kauai": n} for kind, n in (("kauai_warrior", warriors), ("kauai_canoe", canoes)) if n}
    counts = {"kauai.kauai_warrior.count": warriors, "kauai.kauai_canoe.count": canoes}
    game = variant(pieces={**counts, "kamehameha.warrior_1.count": 6 - warriors - canoes},
                   scenarios={f"scenarios.{name}.start.kauai": start for name in ("long", "short")})  # fmt: skip
    state = moving(K, {"kona": ["canoe", "pike"]}, {"waikiki": ["kalani"]}, fleets=1, game=game)
    do(state, "fleet kona", "done")
    assert ("kauai" in choices(state, "sail")) == (not warriors and not canoes)


def test_10_3_an_empty_canoe_of_the_allies() -> None:
    """[10.3, R-13] It sails from its own space, with nobody to embark anywhere, and to no space with enemies."""
    theirs = {"kona": ["kamehameha"], "hilo": ["canoe"], "maui": ["pike"]}
    state = moving(A, {"molokai": ["oahu_canoe"]}, theirs, fleets=1)
    do(state, "fleet molokai")
    assert (state.phase, choices(state, "sail")) == ("sail", {"waikiki", "koolau"})


def test_10_3_canoes_of_one_kind_in_a_space_are_one_choice() -> None:
    """[10.3] Nor does it matter which kinds lie elsewhere."""
    ours = {"koolau": ["oahu_canoe", "oahu_canoe"], "maui": ["maui_canoe"], "waikiki": ["kalani", "brown"]}
    state = moving(A, ours, fleets=2)
    assert choices(state, "fleet") == {"koolau", "maui"}
    do(state, "fleet maui", "pickup waikiki", "embark brown", "done", "sail koolau")
    assert choices(state, "fleet") == {"koolau"}
    # Wherever a kind's first canoe is, the kinds of a space are told apart.
    state = moving(A, {"kauai": ["oahu_canoe"], "kona": ["oahu_canoe", "maui_canoe", "brown"]}, fleets=2, kauai=A)
    assert choices(state, "fleet") == {"kauai", "oahu_canoe kona", "maui_canoe kona"}
    do(state, "fleet maui_canoe kona", "embark brown", "sail maui")
    assert pieces(state, A, "maui") == ["brown", "maui_canoe"]


def test_10_3_a_canoe_of_kauai_by_name() -> None:
    """[10.3] Beside Kamehameha's own, in the first space of the map as in any other."""
    for name in ("canoe", "kauai_canoe"):
        state = moving(K, {"kona": ["pike", "canoe", "kauai_canoe"], "kauai": ["kauai_warrior"]}, fleets=1)
        assert choices(state, "fleet") == {"kona", "kauai_canoe kona"}
        do(
            state,
            "fleet kona" if name == "canoe" else "fleet kauai_canoe kona",
            "pickup kona",
            "embark pike",
            "sail maui",
        )
        assert pieces(state, K, "maui") == ["pike", name]


def test_10_3_kinds_of_canoe_by_name() -> None:
    """[10.3] Canoes of two kinds in a space are told apart."""
    ours = {"maui": ["maui_canoe", "oahu_canoe", "pike"], "koolau": ["oahu_warrior"]}
    state = moving(A, ours, fleets=2)
    assert choices(state, "fleet") == {"oahu_canoe maui", "maui_canoe maui"}
    do(state, "fleet maui_canoe maui", "pickup koolau", "embark oahu_warrior", "sail molokai")
    assert pieces(state, A, "molokai") == ["oahu_warrior", "maui_canoe"] and choices(state, "fleet") == {"maui"}


@pytest.mark.parametrize(
    ("side", "warrior", "canoe", "here", "there", "enemy"),
    [(K, "warrior_2", "canoe", "kona", "hilo", "kaiana"),
     (A, "oahu_warrior", "oahu_canoe", "waikiki", "koolau", "vancouver")],
)  # fmt: skip
def test_10_3_engagement_by_march(side: str, warrior: str, canoe: str, here: str, there: str, enemy: str) -> None:
    """[10.3] A unit that has entered a space with enemies stays there for the turn: no march back, no canoe."""
    state = moving(side, {here: ["pike", warrior, canoe]}, {there: [enemy]}, fleets=1)
    do(state, f"march pike {here} {there}")
    assert marked(state, side, there) == [f"pike/marched/{here}"]
    assert choices(state, "march") == {f"{warrior} {here} {there}"}
    do(traced(state), f"fleet {here}")
    assert f"pickup {there}" not in texts(state) and forced(state) == [f"pickup {here}"]


def test_10_3_no_engagement_by_march() -> None:
    """[10.3] Who does not march among enemies comes from nowhere."""
    state = moving(A, {"waikiki": ["pike", "oahu_warrior", "oahu_canoe"]}, {"hilo": ["vancouver"]})
    do(state, "march pike waikiki koolau")
    assert marked(state, A, "koolau") == ["pike/marched"]


def test_10_3_recruits_among_enemies_go_nowhere() -> None:
    """[10.3, R-14] Kaiana, come among enemies, neither marches nor sails, and his space offers nobody to fetch."""
    ours = {"hilo": ["kaiana/turned"], "waikiki": ["oahu_canoe"], "maui": ["maui_canoe"]}
    state = moving(A, ours, {"hilo": ["pike"], "kona": ["kamehameha"], "koolau": ["vancouver"]}, fleets=1)
    assert not choices(state, "march") and choices(state, "fleet") == {"waikiki", "maui"}
    do(traced(state), "fleet maui")
    assert forced(state)[:1] == ["pickup maui"] and choices(state, "sail") == {"molokai", "waikiki"}
    # With nowhere to sail empty, no canoe is offered for his sake.
    theirs = {"kona": ["kamehameha"], "molokai": ["musketeer"], "maui": ["royal_guard"], "koolau": ["vancouver"]}
    state = moving(A, {"hilo": ["kaiana/turned"], "waikiki": ["oahu_canoe"]}, {"hilo": ["pike"], **theirs}, fleets=1)
    assert fought(state)["kind"] == "overland"


def test_10_3_canoes_among_enemies_do_not_sail() -> None:
    """[10.3, R-23] Canoes that turned among enemies beside their warriors stay; others of the side may sail."""
    for side, other, free in ((K, A, "canoe"), (A, K, "oahu_canoe")):
        ours = {"maui": ["kauai_warrior/turned", "kauai_canoe"], "kauai": ["pike", free]}
        state = moving(side, ours, {"maui": ["musketeer"]}, fleets=2)
        assert choices(state, "fleet") == {"kauai"}, other


def test_10_3_engagement_by_sea() -> None:
    """[10.3] A fleet bound for enemies waits before their space; nobody aboard does anything else this turn."""
    ours = {"kona": ["pike", "warrior_2", "canoe", "canoe"]}
    state = moving(K, ours, {"koolau": ["kalani"], "waikiki": ["brown"]}, fleets=2)
    do(state, "fleet kona", "embark pike", "done", "sail koolau")
    assert marked(state, K, "sea/koolau") == ["pike/carried/kona", "canoe/carried/kona"]
    assert choices(state, "march") == {"warrior_2 kona hilo"} and choices(state, "fleet") == {"kona"}
    do(state, "done")
    assert (state.phase, pieces(state, K, "koolau")) == ("advantage", ["pike", "canoe"])


def test_10_3_a_fleet_bound_for_canoes_alone_waits_at_sea() -> None:
    """[10.3] Canoes without units engage a fleet as units do: it waits before their space until movement is over."""
    state = moving(
        K, {"kona": ["kamehameha", "pike", "canoe", "canoe"]}, {"maui": ["maui_canoe"], "waikiki": ["kalani"]}, fleets=2
    )
    do(state, "fleet kona", "embark pike", "done", "sail maui")
    assert marked(state, K, "sea/maui") == ["pike/carried/kona", "canoe/carried/kona"]
    assert pieces(state, K, "maui") == []


def test_10_3_no_move_begins_among_enemies() -> None:
    """[10.3] Whatever is played, no half begins with units of both sides in a space."""
    for state in random_halves():
        for space in SPACES:
            both = [[p for p in pieces(state, side, space) if "canoe" not in p] for side in (K, A)]
            assert not (both[0] and both[1]), (state.view().turn, state.view().half, space)
    assert len(random_halves()) > 30


def test_10_3_a_landing_space_already_won() -> None:
    """[10.3] A fleet that finds its space without enemies simply lands, with no die and no battle."""
    ours = {"kona": ["pike"], "sea/hilo": ["warrior_2/kona", "canoe/kona"]}
    state = at(K, "approach", ours, {"waikiki": ["kalani"]})
    assert state.view().half == A and pieces(state, K, "hilo") == ["warrior_2", "canoe"]
    state = fleet("hilo", ["warrior_2/kona", "canoe/kona"], ["kaiana"])
    assert state.phase == "advantage"
