"""Every ruling R-nn: the reading that is played, and where it shows [rulings.toml]."""

from __future__ import annotations

import pytest
from refusals import refuses

from hawaii_env.errors import RulesetError, StateError
from hawaii_env.game import Chance
from hawaii_env.hawaii1795.game import Game, State

from .helpers import (
    ASSAULT,
    FINAL,
    GAME,
    HIT,
    PANIC,
    REST,
    RESULTS,
    SHORT,
    SPACES,
    A,
    K,
    advantage,
    at,
    battle,
    box,
    choices,
    do,
    drawn,
    end_of_half,
    ended,
    fire,
    fleet,
    forced,
    fought,
    launch,
    marked,
    miss,
    moving,
    pieces,
    texts,
    traced,
    variant,
)

HELD = ["hold_the_line"]
HOME_K, HOME_A = {"kona": ["kamehameha"]}, {"waikiki": ["kalani"]}
KAUAI = ["kauai_warrior", "kauai_warrior", "kauai_canoe"]


def test_r_01() -> None:
    """[R-01] Kamehameha needs Kona and Hilo, the Allies one of the same two."""
    victory = GAME.ruleset.victory
    assert set(victory[K].all) == set(victory[A].any) == {"kona", "hilo"}
    forts = {name: space.colour for name, space in GAME.ruleset.spaces.items() if space.fort}
    assert forts == {"kona": "orange", "hilo": "orange"}
    for fort, other in (("kona", "hilo"), ("hilo", "kona")):
        theirs = {fort: ["brown"], "maui": ["kalani"], "koolau": ["pike"]}
        assert ended(end_of_half(moving(K, {other: ["kamehameha", "pike"]}, theirs))) == (A, "5.1")


def test_r_02() -> None:
    """[R-02] Moloka'i is the fifth blue or yellow space: blue, an island by itself, counted for both sides."""
    space = GAME.ruleset.spaces["molokai"]
    assert (space.colour, space.island, space.fort) == ("blue", "molokai", False)
    coloured = [name for name, s in GAME.ruleset.spaces.items() if s.colour in ("blue", "yellow")]
    assert coloured == list(GAME.ruleset.victory[K].some) and len(coloured) == 5
    theirs = {"kona": ["brown"], "molokai": ["kalani"], "maui": ["pike"]}
    assert ended(end_of_half(moving(K, {"hilo": ["kamehameha", "pike"]}, theirs))) == (A, "5.1")
    ours = {
        "kona": ["kamehameha", "pike"],
        "hilo": ["warrior_1"],
        **{s: ["warrior_2"] for s in ("maui", "molokai", "waikiki", "koolau")},
    }
    assert ended(end_of_half(moving(A, {"kauai": ["brown"]}, ours, kauai=A))) == (K, "5.1")


def test_r_03() -> None:
    """[R-03] A fleet sails in one move from any land space to any other, and there are no spaces but land."""
    assert list(GAME.ruleset.spaces) == list(SPACES) and len(SPACES) == 7
    for start in SPACES:
        state = moving(K, {start: ["pike", "warrior_1", "canoe"]}, fleets=1, kauai=K)
        do(state, f"fleet {start}", "embark pike", "done")
        assert choices(state, "sail") == set(SPACES) - {start}


def test_r_04() -> None:
    """[R-04] Leaders are elite; with `elite` off in the data they panic, fire as others, and still count."""
    state = battle("maui", ["vancouver"], ["kalani", "oahu_warrior"])
    traced(state)
    fire(advantage(state, K), "vancouver", PANIC)
    assert "panic oahu_warrior" in forced(state)
    table = GAME.ruleset.results.column(0, 1)
    assert table is not None
    face = next(f for f in range(1, 7) if table[f - 1] != RESULTS["non_elite"][f - 1])
    assert (
        _effect_of_kamehameha(GAME, face)
        == {"none": "hit_die", "panic": "panic", "elimination": "loss"}[table[face - 1]]
    )
    other = variant(pieces={"allied.kalani.elite": False, "kamehameha.kamehameha.elite": False})
    state = battle("maui", ["vancouver"], ["kalani", "oahu_warrior"], game=other)
    fire(advantage(state, K), "vancouver", PANIC)
    assert choices(state, "panic") == {"kalani", "oahu_warrior"}
    state = do(battle("maui", ["vancouver"], ["kalani"], game=other), 3, 3)
    assert fought(state)["advantage"] == A
    plain = RESULTS["non_elite"][face - 1]
    assert _effect_of_kamehameha(other, face) == {"none": "hit_die", "panic": "panic", "elimination": "loss"}[plain]


def _effect_of_kamehameha(game: Game, face: int) -> str:
    state = battle("maui", ["kamehameha", "warrior_1"], ["oahu_warrior", "maui_warrior"], game=game)
    return fire(advantage(state, K), "kamehameha", face).phase


def test_r_05() -> None:
    """[R-05] The elite column is used whenever an elite unit fires; the data may give the defender another one."""
    face = next(f for f in range(1, 7) if RESULTS["elite"][f - 1] != RESULTS["non_elite"][f - 1])
    for half in (K, A):
        sides = (["royal_guard", "warrior_1"], ["oahu_warrior", "maui_warrior"])
        state = battle("maui", *(sides if half == K else sides[::-1]), half=half)
        fire(advantage(state, K), "royal_guard", face)
        assert state.phase == {"panic": "panic", "elimination": "loss"}[RESULTS["elite"][face - 1]]
    both = {**RESULTS, "source": "reconstructed"}
    defender = {"elite": RESULTS["non_elite"], "source": "reconstructed"}
    other = variant(battle_results={"both": both, "defender": defender})
    for half, column in ((K, "elite"), (A, "non_elite")):
        sides = (["royal_guard", "warrior_1"], ["oahu_warrior", "maui_warrior"])
        state = battle("maui", *(sides if half == K else sides[::-1]), half=half, game=other)
        fire(advantage(state, K), "royal_guard", face)
        assert state.phase == {"none": "hit_die", "panic": "panic", "elimination": "loss"}[RESULTS[column][face - 1]]


def test_r_06() -> None:
    """[R-06] The owner places piece by piece on either space; in the short game Kamehameha does so first."""
    state = GAME.initial_state(chance="explicit")
    asked = []
    while state.phase == "setup":
        assert state.current_player == 1
        asked.append(sorted(texts(state)))
        do(state, texts(state)[len(asked) % 2])
    assert asked == [
        [f"place {kind} koolau", f"place {kind} waikiki"]
        for kind in ("kalani", "oahu_warrior", "oahu_warrior", "canoe", "canoe")
    ]
    view = state.view()
    assert view.units[A]["waikiki"] == ["oahu_warrior", "oahu_canoe"]
    assert view.units[A]["koolau"] == ["kalani", "oahu_warrior", "oahu_canoe"]
    state = SHORT.initial_state(chance="explicit")
    players = []
    while state.phase == "setup":
        players.append(state.current_player)
        do(state, texts(state)[0])
    assert players == [0] * 4 + [1] * 9


@pytest.mark.parametrize(
    ("fourth", "won"),
    [
        ({"koolau": ["pike"]}, True),
        ({"kauai": KAUAI}, True),
        ({}, False),
        ({"koolau": ["canoe"]}, False),
    ],
    ids=["unit", "Kaua'i's unit", "nobody", "canoe alone"],
)
def test_r_07(fourth: dict[str, list[str]], won: bool) -> None:
    """[R-07] A unit and no enemy unit: canoes hold nothing, Kaua'i's joined units do, a shared space is nobody's."""
    ours = {
        "kona": ["kamehameha", "warrior_1"],
        "hilo": ["warrior_1"],
        **{s: ["warrior_2"] for s in ("maui", "molokai", "waikiki")},
    }
    assert ended(end_of_half(moving(A, {}, {**ours, **fourth}, kauai=K))) == ((K, "5.1") if won else (None, ""))
    refuges = {"koolau": ["pike"], "kona": ["warrior_1"], "hilo": ["warrior_1"]}
    state = battle("maui", ["warrior_2", "canoe"], ["brown"], ours=refuges, theirs={"koolau": ["kalani"]})
    do(state, "battle maui")
    fire(advantage(state, A), "brown", HIT)
    assert choices(state, "retreat") == {"kona", "hilo"}


def test_r_08() -> None:
    """[R-08] Nobody looks after November; with final_check Kamehameha's condition is looked at, the Allies' is not."""
    ours = {
        "kona": ["kamehameha", "warrior_1"],
        "hilo": ["warrior_1"],
        **{s: ["warrior_2"] for s in ("maui", "molokai", "waikiki", "koolau")},
    }
    for game, result in ((GAME, ("tie", "5.3")), (FINAL, (K, "5.1"))):
        assert ended(end_of_half(moving(A, {"kauai": ["brown"]}, ours, kauai=A, turn="november", game=game))) == result
        theirs = {"kona": ["brown"], "maui": ["kalani"], "waikiki": ["pike"]}
        assert ended(end_of_half(moving(A, theirs, {"hilo": ["pike"]}, turn="november", game=game))) == ("tie", "5.3")


def test_r_09() -> None:
    """[R-09] A held event waits for a later half, and each holder plays one a half."""
    state = drawn(K, 9, {"kona": ["kamehameha", "canoe"]}, HOME_A)
    do(state, "recruit warrior_2 kona", "recruit warrior_2 kona")
    assert state.phase == "movement"
    state = drawn(K, 1, {"kona": ["kamehameha", "canoe"]}, HOME_A, turn="april", decks={K: [1, 2, 3, 4, 5, 6, 7, 8]},
                  held=["ku_snatcher_of_islands"])  # fmt: skip
    do(state, "recruit warrior_2 kona")
    assert texts(state) == ["pass", "play ku_snatcher_of_islands"]
    # The Allies hold two: once one is played, the other has no window in this half.
    ours = {
        "sea/maui": ["warrior_2/kona", "canoe/kona"],
        "sea/molokai": ["pike/kona", "canoe/kona"],
        "kona": ["warrior_1"],
    }
    theirs = {"maui": ["maui_warrior", "maui_canoe"], "molokai": ["oahu_warrior", "oahu_canoe"]}
    held = ["hold_the_line", "muskets_for_land"]
    for first, later in (("play muskets_for_land", False), ("pass", True)):
        state = at(K, "approach", ours, theirs, held=held)
        do(state, "approach maui", first)
        do(state, "pass") if first != "pass" else do(state, 6)
        do(state, *(["pass"] if later else []), 6, "battle maui")
        assert (state.phase == "window") == later
    assert texts(state) == ["pass", "play hold_the_line"]
    # One a half for each holder: the attacker's event leaves the defender his.
    state = fleet(
        "maui", ["pike/kona", "canoe/kona"], ["maui_warrior"], held=["hold_the_line"], events_played={K: True, A: False}
    )
    assert state.phase == "window"
    state = fleet(
        "maui", ["pike/kona", "canoe/kona"], ["maui_warrior"], held=["hold_the_line"], events_played={K: False, A: True}
    )
    assert state.phase == "advantage"


def test_r_10() -> None:
    """[R-10] No recruit beside enemy pieces, canoes included, nor beside a leader who stands among enemies."""
    state = drawn(K, 4, {"kona": ["kamehameha"], "maui": ["john_young"]}, {"hilo": ["oahu_canoe"], **HOME_A})
    assert choices(state, "recruit") == {
        f"{kind} {s}" for kind in ("royal_guard", "warrior_2", "warrior_1") for s in ("kona", "maui")
    }
    game = variant(cards={"allied.kaiana_changes_sides.recruit": {"kaiana": 1, "kaiana_warriors": 1, "brown": 1}})
    state = do(at(A, "card", HOME_A, {"hilo": ["pike"], **HOME_K}, turn="march", game=game), 3)
    do(state, "recruit kaiana hilo")
    assert {c for c in choices(state, "recruit") if c.startswith("brown")} == {"brown waikiki", "brown koolau"}
    assert "kaiana_warriors hilo" in choices(state, "recruit")


def test_r_11() -> None:
    """[R-11] One march a turn for each unit; canoes do not march."""
    state = moving(K, {"kona": ["pike", "canoe"], "hilo": ["warrior_1"]})
    do(state, "march pike kona hilo")
    assert texts(state) == ["done", "march warrior_1 hilo kona"]
    state = moving(K, {"kona": ["canoe"], "hilo": ["warrior_1"]})
    assert texts(state) == ["done", "march warrior_1 hilo kona"]


def test_r_12() -> None:
    """[R-12] Both leaders of a side, which is all that it ever has, fit into one canoe beside two units."""
    for side, leaders, units, canoe in (
        (K, ["kamehameha", "john_young"], ["warrior_2", "warrior_2"], "canoe"),
        (A, ["kalani", "kaiana"], ["oahu_warrior", "oahu_warrior"], "oahu_canoe"),
    ):
        most = [k.class_ for k in GAME.ruleset.pieces[0 if side == K else 9 : 9 if side == K else 20]].count("leader")
        assert most == 2
        state = moving(side, {"maui": [*leaders, *units, canoe, "pike"]}, fleets=1)
        do(state, "fleet maui", *(f"embark {p}" for p in [*leaders, *units]), "sail molokai")
        assert pieces(state, side, "molokai") == [*leaders, *units, canoe]


def test_r_13() -> None:
    """[R-13] An empty canoe sails where no enemy piece is, and not to neutral Kaua'i."""
    state = moving(K, {"kona": ["canoe", "pike"]}, {"maui": ["kalani"], "molokai": ["maui_canoe"]}, fleets=1)
    do(state, "fleet kona", "done")
    assert choices(state, "sail") == {"hilo", "waikiki", "koolau"}
    state = moving(K, {"kona": ["canoe", "pike"]}, {"maui": ["kalani"], "molokai": ["maui_canoe"]}, fleets=1, kauai=K)
    do(state, "fleet kona", "done")
    assert choices(state, "sail") == {"hilo", "waikiki", "koolau", "kauai"}


def test_r_14() -> None:
    """[R-14] Carried once a turn; who has entered enemies stays."""
    state = moving(K, {"kona": ["canoe", "canoe", "pike"], "maui": ["warrior_1"]}, fleets=2)
    do(state, "fleet kona", "pickup kona", "embark pike", "sail maui")
    do(state, "fleet kona", "pickup maui")
    assert texts(state) == ["done", "embark warrior_1"]
    state = moving(K, {"kona": ["canoe", "pike", "warrior_1"]}, {"hilo": ["brown"]}, fleets=1)
    do(state, "march pike kona hilo")
    assert choices(state, "march") == {"warrior_1 kona hilo"}
    do(traced(state), "fleet kona")
    assert forced(state) == ["pickup kona"]


def test_r_15() -> None:
    """[R-15] Canoes alone among enemies leave at once, without a battle: by march, landing, recruit, launch; test_r_23:
    turned.
    """
    theirs = {"hilo": ["oahu_canoe"], "maui": ["kalani"], "molokai": ["brown"]}
    state = do(moving(K, {"kona": ["pike", "warrior_1"]}, theirs), "march pike kona hilo")
    assert (state.phase, state.current_player) == ("withdrawal", 1) and choices(state, "retreat") == {"maui", "molokai"}
    do(state, "retreat molokai")
    assert pieces(state, A, "molokai") == ["brown", "oahu_canoe"]
    assert (state.phase, state.current_player) == ("movement", 0)
    assert marked(state, K, "hilo") == ["pike/marched"]
    state = fleet(
        "waikiki", ["pike/kona", "canoe/kona"], ["oahu_canoe"], theirs={"maui": ["kalani"], "molokai": ["brown"]}
    )
    assert do(state).phase == "withdrawal" and state.view().field is None
    assert do(state, "retreat maui").phase == "card" and pieces(state, K, "waikiki") == ["pike", "canoe"]
    state = drawn(A, 3, {"koolau": ["pike"]}, {"hilo": ["canoe"], "kona": ["pike"], "maui": ["warrior_1"]})
    do(state, "recruit kaiana hilo")
    assert (state.phase, state.current_player) == ("withdrawal", 0) and choices(state, "retreat") == {"kona", "maui"}
    ours = {"koolau": ["warrior_2/waikiki"], "waikiki": ["warrior_1"], "kona": ["musketeer"]}
    state = fleet("koolau", ["pike/kona", "canoe/kona"], ["oahu_warrior", "oahu_canoe", "oahu_canoe"], ours=ours,
                  theirs={"maui": ["kalani"], "molokai": ["brown"]})  # fmt: skip
    do(state, 1, "launch", "commit oahu_warrior koolau", "done")
    assert (state.phase, state.current_player) == ("withdrawal", 1)
    do(state, "retreat maui")
    assert (state.phase, fought(state)["kind"]) == ("advantage", "sea")
    # Canoes of both sides never share a space either: such a position is refused.
    refuses(
        StateError,
        (
            r"canoes of both sides on maui.*R-15",
            lambda: moving(K, {"maui": ["canoe"], "kona": ["pike"]}, {"maui": ["maui_canoe"], "waikiki": ["kalani"]}),
        ),
    )
    # The only refuge is Kona.
    ours = {"kona": ["pike"], "hilo": ["canoe"]}
    state = do(drawn(A, 3, {"koolau": ["pike"]}, ours), "recruit kaiana hilo")
    assert pieces(state, K, "kona") == ["pike", "canoe"]


def test_r_16() -> None:
    """[R-16] A fleet sails for neutral Kaua'i: it joins the other side and defends; an appeal may still turn it."""
    state = moving(K, {"kona": ["pike", "warrior_1", "canoe"]}, HOME_A, fleets=1)
    do(state, "fleet kona", "embark pike", "done", "sail kauai")
    assert state.view().kauai == A and pieces(state, A, "kauai") == KAUAI
    assert marked(state, K, "sea/kauai") == ["pike/carried/kona", "canoe/carried/kona"]
    do(state, "done")
    assert state.phase == "sighting"
    launch(do(state, 2), "kauai_warrior kauai", "kauai_warrior kauai")
    fire(advantage(state, A), "kauai_warrior", HIT)
    assert pieces(state, A, "kauai") == KAUAI
    state = drawn(K, 6, HOME_K, {**HOME_A, "kauai": KAUAI})
    do(state, 6)
    assert state.view().kauai == K and pieces(state, K, "kauai") == KAUAI


def test_r_17() -> None:
    """[R-17] No die while fleets move; then one for each invaded space, in the attacker's order."""
    theirs = {"maui": ["maui_warrior", "maui_canoe"], "molokai": ["oahu_warrior", "oahu_canoe"]}
    state = moving(
        K, {"kona": ["canoe", "canoe", "canoe", "pike", "warrior_2", "warrior_1", "royal_guard"]}, theirs, fleets=3
    )
    for unit, goal in (("pike", "maui"), ("warrior_2", "maui"), ("warrior_1", "molokai")):
        do(state, "fleet kona", f"embark {unit}", "done", f"sail {goal}")
    assert state.phase == "movement"
    do(state, "done")
    assert texts(state) == ["approach maui", "approach molokai"]
    do(state, "approach molokai", 6)
    assert (state.phase, state.view().field) == ("sighting", "maui")
    do(state, 6)
    assert texts(state) == ["battle maui", "battle molokai"]


def test_r_18() -> None:
    """[R-18] Repulsed: no landing where a garrison stayed; assault: it is fought. Marchers fight either way."""
    for game, marchers in ((GAME, False), (ASSAULT, False), (GAME, True), (ASSAULT, True)):
        ours = {"waikiki": ["warrior_1"], **({"koolau": ["warrior_2/waikiki"]} if marchers else {})}
        state = fleet("koolau", ["pike/kona", "canoe/kona"], ["oahu_warrior", "brown", "oahu_canoe"], ours=ours,
                      theirs={"molokai": ["kalani"]}, game=game)  # fmt: skip
        launch(do(state, 1), "oahu_warrior koolau")
        fire(advantage(state, K), "pike", HIT)
        if game is ASSAULT:
            assert (state.phase, fought(state)["kind"]) == ("advantage", "invasion")
            assert "pike" in pieces(state, K, "koolau")
        else:
            assert pieces(state, K, "kona") == ["pike", "canoe"]
            assert (state.phase == "advantage") == marchers
    # Canoes alone are no garrison.
    state = fleet(
        "maui",
        ["pike/kona", "canoe/kona"],
        ["maui_warrior", "maui_canoe", "maui_canoe"],
        theirs={"molokai": ["kalani"]},
    )
    do(state, 1, "launch", "commit maui_warrior maui", "done")
    fire(advantage(state, K), "pike", HIT)
    assert pieces(state, K, "maui") == ["pike", "canoe"] and "maui_canoe" in pieces(state, A, "molokai")


def test_r_19() -> None:
    """[R-19] One attacker by canoe makes an invasion, marchers alone an overland attack with a way out."""
    theirs = {"maui": ["kalani"], "molokai": ["brown"]}
    for attackers, kind in (
        (["warrior_2/waikiki", "warrior_1/waikiki"], "overland"),
        (["warrior_2/waikiki", "warrior_1", "canoe"], "invasion"),
    ):
        state = battle(
            "koolau", attackers, ["oahu_warrior", "oahu_canoe"], theirs=theirs, ours={"waikiki": ["royal_guard"]}
        )
        for second in (False, True):
            assert (fought(state)["kind"], fought(state)["second"]) == (kind, second)
            fire(advantage(state, K), "warrior_2", PANIC, REST)
            fire(state, "warrior_1", REST)
        assert box(state, A, "oahu_warrior") == (2 if kind == "overland" else 3)


def test_r_20() -> None:
    """[R-20] Each die's result is in force before the next die is rolled."""
    state = battle("maui", ["vancouver", "warrior_1"], ["maui_warrior", "oahu_warrior"])
    fire(advantage(state, K), "vancouver", PANIC, "panic maui_warrior")
    assert state.phase == "hit_die" and marked(state, A, "maui") == ["oahu_warrior", "maui_warrior/panicked"]
    do(state, HIT)
    assert marked(state, A, "maui") == ["maui_warrior/panicked"] and state.phase == "hit_die"


def test_r_21() -> None:
    """[R-21] The first panic of the round is cancelled without a question, gunpowder's too, and each round anew."""
    for unit in ("vancouver", "warrior_2"):
        state = battle("maui", [unit, "warrior_1"], ["pike", "maui_warrior"])
        traced(state)
        fire(advantage(state, K), unit, PANIC)
        assert state.phase == "hit_die" and fought(state)["pike_used"][A]
        assert not [t for t in forced(state) if t.startswith("panic")]
        assert not [p for p in marked(state, A, "maui") if "panicked" in p]
        miss(state)
        fire(advantage(state, K), unit, PANIC)
        assert state.phase == "hit_die"
    for side, ours, theirs in (
        (K, ["maui_warrior", "oahu_warrior"], ["pike", "warrior_1"]),
        (A, ["warrior_2"], ["pike"]),
    ):
        state = battle("maui", ours, theirs, half=A if side == K else K)
        for _ in range(2):
            fire(advantage(state, A if side == K else K), ours[0], PANIC)
            assert fought(state)["pike_used"] == {side: True, A if side == K else K: False}
            miss(state)


def test_r_22() -> None:
    """[R-22] The last enemy unit gone, all other dice and units are silent, even if canoes are left."""
    state = battle(
        "maui", ["vancouver", "warrior_2", "pike"], ["maui_warrior", "maui_canoe"], theirs={"molokai": ["kalani"]}
    )
    fire(advantage(state, K), "vancouver", HIT)
    assert (state.phase, state.view().half) == ("card", A) and pieces(state, K, "maui") == [
        "vancouver",
        "pike",
        "warrior_2",
    ]


def test_r_23() -> None:
    """[R-23] Kaua'i's units that turn among others cannot move, attack overland, and if beaten leave by canoe."""
    theirs = {"maui": ["kauai_warrior", "kauai_warrior", "kauai_canoe", "oahu_warrior"], "waikiki": ["kalani"]}
    state = do(drawn(K, 6, {"kona": ["kamehameha", "canoe"]}, theirs), 6)
    assert marked(state, K, "maui") == ["kauai_warrior/turned", "kauai_warrior/turned", "kauai_canoe"]
    do(state, "recruit warrior_1 kona")
    assert choices(state, "fleet") == {"kona"}
    do(traced(state), "fleet kona")
    assert forced(state) == ["pickup kona"]
    do(state, "embark warrior_1", "done", "sail hilo")
    assert not [c for c in texts(state) if "kauai" in c or "maui" in c]
    do(state, "done")
    assert (state.phase, fought(state)["kind"]) == ("advantage", "overland")
    fire(advantage(state, A), "oahu_warrior", PANIC, PANIC, "panic kauai_warrior")
    assert (state.phase, choices(state, "retreat")) == ("retreat", {"kona", "hilo"})
    for canoe in (True, False):
        ours = {
            "maui": ["kauai_warrior/turned", *(["kauai_canoe"] if canoe else [])],
            "kona": ["kamehameha"],
            "hilo": ["pike"],
        }
        state = at(K, "battle_order", ours, {"maui": ["oahu_warrior"]})
        fire(advantage(state, A), "oahu_warrior", PANIC, REST)
        if canoe:
            assert choices(state, "retreat") == {"kona", "hilo"}
            do(state, "retreat hilo")
            assert marked(state, K, "hilo") == ["pike", "kauai_warrior", "kauai_canoe"]
        else:
            assert state.view().dead.count("neutral:kauai_warrior") == 2


def test_r_23_a_canoe_that_turns_among_canoes() -> None:
    """[R-23, R-15] A Kaua'i canoe left among enemy canoes only leaves at once, so that two sides never share a space
    [10.3].
    """
    theirs = {"maui": ["maui_canoe", "kauai_canoe"], "waikiki": ["kalani"], "kauai": ["kauai_warrior", "kauai_warrior"]}
    state = do(drawn(K, 6, {"kona": ["kamehameha", "warrior_2"]}, theirs, turn="june"), 6)
    assert (state.phase, state.current_player) == ("withdrawal", 0)
    assert texts(state) == ["retreat kona", "retreat kauai"]
    again = state.game.state_from_json(state.to_json())
    assert again == state == state.game.position(**state.view().to_dict())
    do(state, "retreat kauai")
    assert pieces(state, K, "kauai") == KAUAI and marked(state, A, "maui") == ["maui_canoe"]
    assert state.phase == "recruiting"
    # The other way round; and one refuge is no question.
    ours = {"maui": ["canoe", "kauai_canoe"], "kona": ["kamehameha"], "kauai": ["kauai_warrior"]}
    state = do(drawn(A, 5, {"waikiki": ["kalani"]}, ours), 6)
    assert texts(state) == ["retreat waikiki", "retreat kauai"]
    ours = {"maui": ["canoe", "kauai_canoe"], "kona": ["kamehameha"]}
    state = do(drawn(A, 5, {"waikiki": ["kalani"]}, ours), 6)
    assert pieces(state, A, "waikiki") == ["kalani", "kauai_canoe"] and state.phase == "recruiting"
    # Nowhere to go: Kaua'i's pieces never come back [9.0].
    ours = {"maui": ["canoe", "kauai_canoe"], "waikiki": ["kamehameha"]}
    state = do(drawn(A, 5, {}, ours), 6)
    assert "allied:kauai_canoe" in state.view().dead or "neutral:kauai_canoe" in state.view().dead
    # Where a warrior turned as well it is the enemy's canoes that are alone.
    theirs = {"maui": ["maui_canoe", "kauai_canoe", "kauai_warrior"], "waikiki": ["kalani"], "molokai": ["brown"]}
    state = do(drawn(K, 6, {"kona": ["kamehameha"]}, theirs), 6)
    assert (state.phase, state.current_player, texts(state)) == (
        "withdrawal",
        1,
        ["retreat molokai", "retreat waikiki"],
    )
    # It is the canoe there that counts, not its fellows; and where no enemy is it stays.
    dead = ["neutral:kauai_warrior", "neutral:kauai_warrior"]
    state = do(
        drawn(
            K, 6, {"kona": ["kamehameha"]}, {"maui": ["maui_canoe", "kauai_canoe"], "waikiki": ["kalani"]}, dead=dead
        ),
        6,
    )
    assert pieces(state, K, "kona") == ["kamehameha", "kauai_canoe"]
    state = do(moving(K, {"kauai": ["kauai_canoe"], "kona": ["pike", "warrior_1"]}, dead=dead), "march pike kona hilo")
    assert state.phase == "movement" and pieces(state, K, "kauai") == ["kauai_canoe"]


def test_r_24() -> None:
    """[R-24] Beaten marchers go with the canoes or walk back, one choice for all, after the canoes."""
    ours = {"waikiki": ["john_young"], "kona": ["warrior_1"], "hilo": ["warrior_1"]}
    attackers = ["warrior_2/waikiki", "warrior_2/waikiki", "warrior_1", "canoe"]
    for goal in ("waikiki", "hilo"):
        state = battle("koolau", attackers, ["brown", "oahu_warrior"], ours=ours)
        fire(advantage(state, A), "brown", PANIC, "panic warrior_1", PANIC, "panic warrior_2", PANIC, "panic warrior_2")
        fire(state, "oahu_warrior", REST)
        assert choices(state, "retreat") == {"waikiki", "kona", "hilo"}
        do(state, "retreat hilo")
        assert pieces(state, K, "hilo") == ["warrior_1", "warrior_1", "canoe"] and choices(state, "retreat") == {
            "waikiki",
            "hilo",
        }
        do(state, f"retreat {goal}")
        assert pieces(state, K, "koolau") == [] and pieces(state, K, goal).count("warrior_2") == 2
    # An enemy where they came from, and no canoes: they are lost; no enemy there, and they walk back.
    for theirs, lost in (({"waikiki": ["brown"]}, True), ({}, False)):
        state = battle("koolau", ["warrior_2/waikiki"], ["oahu_warrior"], ours={"kona": ["warrior_1"]}, theirs=theirs)
        fire(advantage(state, A), "oahu_warrior", PANIC, REST)
        assert box(state, K, "warrior_2") == (6 if lost else 5) and pieces(state, K, "kona") == ["warrior_1"]
        assert pieces(state, K, "waikiki") == ([] if lost else ["warrior_2"])
    # Enemies where they came from: they follow the canoes, to Kona as to any space.
    state = battle("koolau", ["warrior_2/waikiki", "warrior_1", "canoe"], ["oahu_warrior"],
    theirs={"waikiki": ["brown"]},
                   ours={"kona": ["pike"], "maui": ["musketeer"]})  # fmt: skip
    fire(advantage(state, A), "oahu_warrior", PANIC, "panic warrior_1", PANIC, "panic warrior_2")
    do(state, REST)
    assert choices(state, "retreat") == {"kona", "maui"}
    do(state, "retreat kona")
    assert pieces(state, K, "kona") == ["pike", "warrior_2", "warrior_1", "canoe"]
    # Marchers in another battle have nothing to do with it.
    ours = {"koolau": ["warrior_2/waikiki"], "waikiki": ["pike"], "kona": ["musketeer"]}
    state = battle("maui", ["warrior_1", "canoe"], ["maui_warrior"], ours=ours, theirs={"koolau": ["oahu_warrior"]})
    fire(advantage(do(state, "battle maui"), A), "maui_warrior", PANIC, REST)
    do(state, "retreat kona")
    assert (state.phase, state.view().field) == ("advantage", "koolau")
    assert marked(state, K, "koolau") == ["warrior_2/waikiki"] and pieces(state, K, "kona") == [
        "musketeer",
        "warrior_1",
        "canoe",
    ]
    # Where no enemy is left when the fleets have fought, it is forgotten where they came from.
    ours = {"waikiki": ["warrior_1"], "koolau": ["warrior_2/waikiki"], "maui": ["musketeer"]}
    state = fleet("koolau", ["pike/kona", "canoe/kona"], ["oahu_warrior", "oahu_canoe"], ours=ours,
                  theirs={"molokai": ["kalani"], "maui": ["maui_warrior"]})  # fmt: skip
    fire(advantage(do(state, 1, "launch"), K), "pike", HIT)
    assert state.view().field == "maui" and marked(state, K, "koolau") == ["pike", "warrior_2", "canoe"]
    # Defenders who meet a fleet at sea and come back have not left.
    ours = {"waikiki": ["warrior_1"], "koolau": ["warrior_2/waikiki"]}
    state = fleet("koolau", ["pike/kona", "canoe/kona"], ["oahu_warrior", "oahu_canoe"], ours=ours)
    fire(advantage(do(state, 1, "launch"), A), "oahu_warrior", HIT)
    assert (state.phase, marked(state, K, "koolau")) == ("advantage", ["warrior_2/waikiki"])


def test_r_25() -> None:
    """[R-25] Canoes of beaten defenders go to one space that their side occupies; with none, to the box."""
    theirs = {"molokai": ["kalani"], "waikiki": ["brown"]}
    state = battle("maui", ["pike", "canoe"], ["maui_warrior", "maui_canoe", "oahu_canoe"], theirs=theirs)
    fire(advantage(state, K), "pike", HIT)
    assert (state.phase, state.current_player) == ("withdrawal", 1) and choices(state, "retreat") == {
        "molokai",
        "waikiki",
    }
    do(state, "retreat waikiki")
    assert pieces(state, A, "waikiki") == ["brown", "oahu_canoe", "maui_canoe"]
    state = battle("maui", ["pike", "canoe"], ["maui_warrior", "maui_canoe", "oahu_canoe"])
    fire(advantage(state, K), "pike", HIT)
    assert box(state, A, "maui_canoe") == 2 and box(state, A, "oahu_canoe") == 3
    # Where some of several kinds are lost, the owner picks.
    state = fleet(
        "molokai",
        ["pike/maui", "oahu_canoe/maui", "maui_canoe/maui"],
        ["vancouver", "canoe"],
        half=A,
        ours={"maui": ["kalani"]},
    )
    launch(do(state, 1), "vancouver molokai")
    fire(advantage(state, K), "vancouver", HIT)
    assert (state.phase, texts(state)) == ("canoe_loss", ["lose oahu_canoe", "lose maui_canoe"])
    do(state, "lose oahu_canoe")
    assert pieces(state, A, "maui") == ["kalani", "maui_canoe"] and box(state, A, "oahu_canoe") == 3


def test_r_26() -> None:
    """[R-26] One canoe takes every survivor of a beaten attack along."""
    attackers = ["warrior_2", "warrior_2", "warrior_2", "warrior_1", "canoe"]
    state = battle("maui", attackers, ["brown", "oahu_warrior"], ours={"kona": ["kamehameha"]})
    fire(advantage(state, A), "brown", PANIC, "panic warrior_2", PANIC, "panic warrior_2", PANIC, "panic warrior_2")
    fire(state, "oahu_warrior", PANIC, "panic warrior_1", REST)
    assert pieces(state, K, "kona") == ["kamehameha", *["warrior_2"] * 3, "warrior_1", "canoe"]


@pytest.mark.parametrize(
    ("half", "number", "kind"), [(K, 1, "vancouver"), (K, 2, "pike"), (A, 1, "brown"), (A, 2, "pike")]
)
def test_r_27(half: str, number: int, kind: str) -> None:
    """[R-27] Cards 1 and 2 bring neither cannon nor pike in the short game, though they lie in the box."""
    ours, theirs = (HOME_K, HOME_A) if half == K else (HOME_A, HOME_K)
    state = drawn(half, number, ours, theirs, game=SHORT)
    assert box(state, half, kind) == 1
    assert state.view().recruits == {"warrior": 1}
    assert not [c for c in choices(state, "recruit") if c.startswith(kind)]


def test_r_28() -> None:
    """[R-28] Landed without enemies, a unit may march on, into enemies too, without a sighting."""
    theirs = {"koolau": ["brown", "oahu_canoe"]}
    state = moving(K, {"kona": ["pike", "warrior_1", "canoe"]}, theirs, fleets=1)
    do(state, "fleet kona", "embark pike", "done", "sail waikiki", "march pike waikiki koolau", "done")
    assert (state.phase, fought(state)["kind"]) == ("advantage", "overland")
    state = moving(K, {"kona": ["pike", "warrior_1", "canoe"]}, theirs, fleets=1)
    do(state, "fleet kona", "embark pike", "done", "sail koolau")
    assert choices(state, "march") == {"warrior_1 kona hilo"}


def test_r_29() -> None:
    """[R-29] A repulsed fleet returns to its pick-up space, the canoe with its cargo."""
    ours = {"kona": ["canoe", "warrior_1"], "molokai": ["pike", "warrior_2"]}
    state = moving(K, ours, {"maui": ["maui_warrior", "brown", "maui_canoe"], "waikiki": ["kalani"]}, fleets=1)
    do(state, "fleet kona", "pickup molokai", "embark pike", "done", "sail maui", "done", 1)
    launch(state, "maui_warrior maui")
    fire(advantage(state, K), "pike", HIT)
    assert pieces(state, K, "molokai") == ["pike", "warrior_2", "canoe"] and pieces(state, K, "kona") == ["warrior_1"]


def test_r_30() -> None:
    """[R-30] Canoes driven off from several spaces at once withdraw in the order of the map."""
    theirs = {
        "maui": ["kauai_warrior", "maui_canoe"],
        "koolau": ["kauai_warrior", "oahu_canoe"],
        "waikiki": ["kalani"],
        "molokai": ["brown"],
    }
    state = do(drawn(K, 6, HOME_K, theirs), 6)
    seen = []
    while state.phase == "withdrawal":
        retreat = state.view().retreat
        assert retreat is not None
        seen.append(retreat["from_space"])
        do(state, "retreat waikiki")
    assert seen == ["maui", "koolau"] and pieces(state, A, "waikiki") == ["kalani", "oahu_canoe", "maui_canoe"]


def test_r_31() -> None:
    """[R-31] Pieces are placed kind by kind as in their table; then any warriors of the box, but not Kaiana's."""
    state = SHORT.initial_state(chance="explicit")
    kinds = []
    while state.phase == "setup":
        kinds.append(sorted({c.split()[0] for c in choices(state, "place")}))
        do(state, texts(state)[0])
    free_k, free_a = ["warrior_1", "warrior_2"], ["maui_warrior", "oahu_warrior"]
    assert kinds[:4] == [["vancouver"], ["pike"], free_k, free_k]
    assert kinds[4:11] == [["kalani"], ["brown"], ["pike"], ["oahu_warrior"], ["oahu_warrior"], ["canoe"], ["canoe"]]
    assert kinds[11] == free_a and set(kinds[12]) <= set(free_a) and len(kinds) == 13


def test_r_32() -> None:
    """[R-32] No fleet move that cannot be completed: without cargo and without a free space no canoe is offered."""
    theirs = {
        s: ["maui_warrior" if s in ("maui", "molokai") else "oahu_warrior"]
        for s in ("hilo", "maui", "molokai", "waikiki", "koolau")
    }
    alone = moving(K, {"kona": ["canoe"]}, theirs, fleets=2)
    assert alone.view().half == A
    state = moving(K, {"kona": ["canoe", "pike", "warrior_1"]}, theirs, fleets=2)
    do(state, "fleet kona")
    assert "done" not in texts(state) and choices(state, "embark") == {"pike", "warrior_1"}
    free = {s: p for s, p in theirs.items() if s != "koolau"}
    state = moving(K, {"kona": ["canoe"]}, free, fleets=2)
    assert texts(state) == ["done", "fleet kona"]
    do(traced(state), "fleet kona")
    assert forced(state)[:3] == ["pickup kona", "done", "sail koolau"]


def test_r_33() -> None:
    """[R-33] A panicked unit with a plus sign does not count for advantage; only other rulesets know such units."""
    other = variant(pieces={"allied.kalani.elite": False})
    for panicked in (False, True):
        defenders = ["kalani/panicked" if panicked else "kalani", "oahu_warrior"]
        state = at(
            K,
            "advantage",
            {"maui": ["warrior_2"]},
            {"maui": defenders},
            field="maui",
            battle={"kind": "invasion"},
            game=other,
        )
        do(state, 3, 3)
        assert (state.phase == "advantage") == panicked
    refuses(
        StateError,
        (
            r"12\.0",
            lambda: at(
                K,
                "advantage",
                {"maui": ["warrior_2"]},
                {"maui": ["kalani/panicked", "oahu_warrior"]},
                field="maui",
                battle={"kind": "invasion"},
            ),
        ),
    )


def test_r_34() -> None:
    """[R-34] The last card of a deck comes without a chance node; with two left there is one."""
    for turn, left in (("october", [3, 4]), ("november", [4])):
        theirs_left = {"october": [1, 2], "november": [1]}[turn]
        state = _last_half(turn, left, theirs_left)
        assert (state.phase == "card") == (len(left) == 2)
        if turn == "november":
            assert state.view().card == "royal_guard" and state.view().decks[K] == []
    # A trace has it all the same, as what could fall in one way only.
    before = moving(A, {"waikiki": ["kalani"]}, {"kona": ["kamehameha"]}, turn="october", decks={K: [4], A: [1]})
    state = end_of_half(traced(before))
    drawn = Chance("card", 4, "kamehameha draws royal_guard", forced=True)
    assert [event for event in state.trace or [] if isinstance(event, Chance)] == [drawn]


def _last_half(turn: str, left: list[int], others: list[int]) -> State:
    before = {"october": "september", "november": "october"}[turn]
    ours, theirs = {"waikiki": ["kalani"]}, {"kona": ["kamehameha"]}
    return end_of_half(moving(A, ours, theirs, turn=before, decks={K: left, A: others}))


def test_r_35() -> None:
    """[R-35] A war fleet: a canoe of the invaded space first, then units of the island as far as the canoes carry."""
    theirs = {"waikiki": ["brown", "kaiana", "oahu_canoe"]}
    there = ["kalani", "oahu_warrior", "pike", "oahu_canoe", "oahu_canoe"]
    state = do(fleet("koolau", ["pike/kona", "canoe/kona"], there, theirs=theirs), 1)
    do(traced(state), "launch")
    assert forced(state) == ["commit canoe koolau"]
    assert choices(state, "commit") == {
        "canoe koolau", "kalani koolau", "oahu_warrior koolau", "pike koolau", "brown waikiki", "kaiana waikiki",
    }  # fmt: skip
    do(state, "commit pike koolau", "commit brown waikiki")
    assert choices(state, "commit") == {"canoe koolau", "kalani koolau", "kaiana waikiki"}
    do(state, "commit canoe koolau")
    assert "oahu_warrior koolau" in choices(state, "commit") and "oahu_canoe waikiki" not in choices(state, "commit")


def test_r_36() -> None:
    """[R-36] A storm may take Kaua'i's canoe, which then is dead; Kaua'i's warriors do not go home."""
    ours = {"kona": ["kamehameha", "canoe"], "kauai": KAUAI}
    state = do(drawn(K, 8, ours, HOME_A), 1)
    assert choices(state, "home") == {"canoe kona", "canoe kauai"}
    do(state, "home canoe kauai")
    assert state.view().dead == ["neutral:kauai_canoe"] and box(state, K, "canoe") == 3
    state = drawn(K, 7, {"kona": ["kamehameha"], "kauai": KAUAI}, HOME_A)
    assert state.phase == "recruiting" and pieces(state, K, "kauai") == KAUAI


def test_r_37() -> None:
    """[R-37] The canoes that a beaten fleet loses are picked before its refuge; without a refuge nothing is picked."""
    aboard = ["pike/maui", "brown/maui", "oahu_canoe/maui", "maui_canoe/maui"]
    for ours in ({"maui": ["kalani"], "waikiki": ["oahu_warrior"]}, {}):
        state = fleet("molokai", aboard, ["vancouver", "royal_guard", "canoe"], half=A, ours=ours)
        launch(do(state, 1), "vancouver molokai", "royal_guard molokai")
        fire(advantage(state, K), "vancouver", HIT, "lose brown", HIT)
        if ours:
            assert state.phase == "canoe_loss"
            do(state, "lose maui_canoe")
            assert state.phase == "retreat" and choices(state, "retreat") == {"maui", "waikiki"}
        else:
            assert box(state, A, "oahu_canoe") == 3 and box(state, A, "maui_canoe") == 2 and state.view().half == K


def test_r_38() -> None:
    """[R-38] Earthworks: before the first advantage roll, until the space has been fought for; no second battle behind
    them.
    """
    ours = {"waikiki": ["royal_guard"], "maui": ["warrior_2"], "kona": ["warrior_1"]}
    state = battle("koolau", ["brown", "pike"], ["warrior_2"], half=A, held=["hold_the_line"])
    assert state.phase == "advantage"
    theirs = {"maui": ["maui_warrior"]}
    state = battle("koolau", ["vancouver", "canoe"], ["oahu_warrior", "kalani"], ours=ours, theirs=theirs, held=HELD)
    do(state, "battle koolau")
    assert state.phase == "window"
    do(state, "play hold_the_line")
    fire(advantage(state, K), "vancouver", HIT, "lose kalani", PANIC, PANIC)
    assert marked(state, A, "koolau") == ["oahu_warrior/fired"]
    fire(state, "oahu_warrior", REST)
    assert state.phase == "advantage" and fought(state)["earthworks"]
    fire(advantage(state, K), "vancouver", PANIC, PANIC, HIT)
    assert state.view().field == "maui" and pieces(state, K, "koolau") == ["vancouver", "canoe"]
    # A passed window does not open again in the second battle.
    state = battle("koolau", ["vancouver"], ["oahu_warrior", "maui_warrior"], held=["hold_the_line"])
    do(state, "pass")
    fire(advantage(state, K), "vancouver", PANIC, "panic oahu_warrior", PANIC, "panic maui_warrior", REST)
    assert state.phase == "advantage" and fought(state)["second"]


def test_r_39() -> None:
    """[R-39] A panic that could change nothing, as in a fort, does not use the pike up."""
    state = battle("hilo", ["brown", "oahu_warrior"], ["pike", "warrior_1"], half=A)
    fire(advantage(state, A), "brown", PANIC)
    assert fought(state)["pike_used"] == {K: False, A: False}
    state = battle("waikiki", ["vancouver", "warrior_1"], ["pike", "thunderers"], held=["hold_the_line"])
    do(state, "play hold_the_line")
    fire(advantage(state, K), "vancouver", PANIC)
    assert not fought(state)["pike_used"][A]
    state = battle("waikiki", ["vancouver", "warrior_1"], ["pike", "thunderers"])
    fire(advantage(state, K), "vancouver", PANIC)
    assert fought(state)["pike_used"][A]


def test_r_40() -> None:
    """[R-40] The shuffle takes all nine cards, and a ruleset deals none to be held before it."""
    state = end_of_half(moving(A, {"waikiki": ["kalani"]}, {"kona": ["kamehameha"]}, turn="february"))
    assert state.view().turn == "march" and state.view().held == []
    assert state.view().decks == {K: list(range(1, 10)), A: list(range(1, 10))}
    for card in (6, 9):  # held by the Allies; by both
        with pytest.raises(
            RulesetError, match=rf"card {card} of a deck is held, and the shuffle takes it back \(R-40\)"
        ):
            variant(scenarios={"scenarios.long.fixed_cards": {"january": 1, "february": card}})
