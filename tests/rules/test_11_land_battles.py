"""Land battles: procedure, results, second battle, retreats [11.0 to 11.6]."""

from __future__ import annotations

import pytest

from hawaii_env.hawaii1795.game import State

from .helpers import (
    ENEMY,
    GAME,
    HIT,
    MISS,
    PANIC,
    REST,
    RESULTS,
    A,
    K,
    advantage,
    at,
    battle,
    box,
    choices,
    dice,
    do,
    ended,
    fire,
    firing,
    forced,
    fought,
    marked,
    miss,
    moving,
    pieces,
    texts,
    traced,
)

REFUGE = {"hilo": ["warrior_1"]}
TWO_REFUGES = {"hilo": ["warrior_1"], "kona": ["warrior_1"]}


# ---- 11.0: what is fought for, and by whom


def test_11_0_units_of_both_sides_fight() -> None:
    """[11.0] Every space with units of both sides is fought for, and no other."""
    ours = {"kona": ["pike"], "maui": ["warrior_2"], "molokai": ["warrior_1"]}
    state = battle(
        "waikiki", ["musketeer"], ["brown"], ours=ours, theirs={"maui": ["maui_warrior"], "koolau": ["kalani"]}
    )
    assert texts(state) == ["battle maui", "battle waikiki"]


@pytest.mark.parametrize("half", [K, A])
def test_11_0_the_mover_attacks(half: str) -> None:
    """[11.0] The side whose half it is attacks, so that the fort protects the other one only."""
    ours, theirs = (["warrior_2", "warrior_1"], ["oahu_warrior", "brown"])
    if half == A:
        ours, theirs = theirs, ours
    state = battle("kona", ours, theirs, half=half)
    advantage(state, A)
    fire(state, "brown", PANIC)
    assert (state.phase == "panic") == (half == K)


def test_11_0_one_battle_after_the_other() -> None:
    """[11.0] A battle is fought to its end before the next begins."""
    ours = {"maui": ["warrior_2", "canoe"], **TWO_REFUGES}
    state = battle("waikiki", ["musketeer"], ["brown"], ours=ours, theirs={"maui": ["maui_warrior"]})
    do(state, "battle maui")
    fire(advantage(state, K), "warrior_2", PANIC, REST)
    assert (state.phase, fought(state)["second"], state.view().field) == ("advantage", True, "maui")
    fire(advantage(state, K), "warrior_2", HIT)
    assert (state.phase, state.view().field) == ("advantage", "waikiki")


def test_11_0_movement_comes_first() -> None:
    """[11.0] No battle before all movement is done, and none of the fighters moves after it."""
    state = moving(K, {"kona": ["pike", "warrior_1", "canoe"]}, {"hilo": ["oahu_warrior"]}, fleets=1)
    do(state, "march pike kona hilo")
    assert state.phase == "movement"
    do(state, "fleet kona", "embark warrior_1", "sail maui")
    assert state.phase == "advantage"


# ---- 11.1: procedure


@pytest.mark.parametrize(("first", "second"), [(K, A), (A, K)])
def test_11_1_battles_in_any_order(first: str, second: str) -> None:
    """[11.1] The attacker chooses which battle comes first."""
    spaces = {K: "maui", A: "waikiki"}
    state = battle("waikiki", ["pike"], ["brown"], ours={"maui": ["warrior_2"]}, theirs={"maui": ["maui_warrior"]})
    do(state, f"battle {spaces[first]}")
    assert state.view().field == spaces[first] != spaces[second]


@pytest.mark.parametrize(("kamehamehas", "allied", "winner"), [(5, 4, K), (1, 2, A), (6, 1, K)])
def test_11_1_i_higher_die_has_the_advantage(kamehamehas: int, allied: int, winner: str) -> None:
    """[11.1 i, iii] A die for each side; the higher one fires first, whoever attacks."""
    for half in (K, A):
        ours, theirs = (["pike"], ["oahu_warrior"]) if half == K else (["oahu_warrior"], ["pike"])
        state = do(battle("maui", ours, theirs, half=half), kamehamehas, allied)
        assert (fought(state)["advantage"], fought(state)["firing"]) == (winner, winner)


def test_11_1_ii_more_elite_units_add_one() -> None:
    """[11.1 ii] One more on the die for the side with more elite units, however many more."""
    state = do(battle("maui", ["royal_guard", "kamehameha", "john_young"], ["kalani"]), 3, 3)
    assert fought(state)["advantage"] == K
    state = do(battle("maui", ["royal_guard", "kamehameha", "john_young"], ["pike"]), 2, 4)
    assert fought(state)["advantage"] == A
    state = do(battle("maui", ["royal_guard"], ["thunderers", "kalani"]), 5, 4)
    assert state.phase == "advantage" and fought(state)["first_die"] == 0


def test_11_1_ii_equal_elite_units_add_nothing() -> None:
    """[11.1 ii] As many on either side: the dice alone decide."""
    state = do(battle("maui", ["royal_guard", "kamehameha"], ["thunderers", "kalani"]), 3, 3)
    assert state.phase == "advantage"
    do(state, 3, 4)
    assert fought(state)["advantage"] == A


def test_11_1_iii_ties_are_rolled_again() -> None:
    """[11.1 iii] As often as it takes, both dice each time."""
    state = battle("maui", ["pike"], ["oahu_warrior"])
    for face in (1, 6, 3):
        do(state, face)
        assert fought(state)["first_die"] == face
        do(state, face)
        assert state.phase == "advantage" and fought(state)["first_die"] == 0
    do(state, 2, 1)
    assert fought(state)["advantage"] == K


def test_11_1_iv_all_units_of_the_space_fight() -> None:
    """[11.1 iv] Both sides' units of the space line up, in no order but that of their owner's choice when they fire."""
    state = battle("maui", ["pike", "warrior_2", "warrior_1"], ["maui_warrior", "pike"], theirs={"molokai": ["kalani"]})
    advantage(state, K)
    assert choices(state, "fire") == {"pike", "warrior_2", "warrior_1"}
    fire(state, "warrior_1", REST)
    assert choices(state, "fire") == {"pike", "maui_warrior"}


def test_11_1_v_the_advantage_fires_first() -> None:
    """[11.1 v] Its owner picks the unit, its dice are compared with the table, and results count at once."""
    state = battle("maui", ["pike", "warrior_2"], ["maui_warrior", "oahu_warrior"])
    advantage(state, A)
    assert (state.current_player, choices(state, "fire")) == (1, {"maui_warrior", "oahu_warrior"})
    fire(state, "oahu_warrior", HIT)
    assert state.current_player == 0 and choices(state, "lose") == {"pike", "warrior_2"}
    do(state, "lose pike")
    assert box(state, K, "pike") == 1 and state.phase == "hit_die"


def test_11_1_v_who_is_hit_before_firing_does_not_fire() -> None:
    """[11.1 v] Eliminated or panicked before its turn, a unit rolls no dice in that round."""
    state = battle("maui", ["warrior_2", "warrior_1", "musketeer"], ["maui_warrior", "oahu_warrior"], ours=REFUGE)
    advantage(state, A)
    fire(state, "musketeer", REST)
    fire(state, "oahu_warrior", PANIC, "panic warrior_2", HIT, "lose warrior_1")
    assert state.phase == "hit_die" and firing(state) == "maui_warrior/fired"
    do(state, REST)
    assert state.phase == "advantage"


def test_11_1_vi_vii_sides_alternate() -> None:
    """[11.1 vi, vii] One unit each in turn; who has units left when the other has none fires them all."""
    state = battle("maui", ["pike", "warrior_2", "warrior_1"], ["maui_warrior"], ours=REFUGE)
    advantage(state, A)
    order = []
    while state.phase in ("fire", "hit_die"):
        if state.phase == "fire":
            do(state, texts(state)[0])
        order.append(firing(state).split("/")[0])
        do(state, REST)
    assert order == ["maui_warrior", "pike", "warrior_2", "warrior_1"]
    state = battle("maui", ["pike", "warrior_2"], ["maui_warrior", "oahu_warrior", "oahu_warrior"], ours=REFUGE)
    advantage(state, K)
    sides = []
    while state.phase in ("fire", "hit_die"):
        if state.phase == "fire":
            do(state, texts(state)[0])
        sides.append(fought(state)["firing"])
        do(state, REST)
    assert sides == [K, A, K, A, A]


def test_11_1_vii_each_unit_fires_once_a_round() -> None:
    """[11.1 vii] Who has fired is not chosen again before the next round."""
    state = battle("maui", ["pike", "warrior_2", "warrior_1"], ["maui_warrior", "oahu_warrior"])
    advantage(state, K)
    fire(state, "warrior_2", REST)
    fire(state, "oahu_warrior", REST)
    assert choices(state, "fire") == {"pike", "warrior_1"}


def test_11_1_vii_firing_is_compulsory() -> None:
    """[11.1 vii] There is no way to let a unit keep its fire."""
    state = advantage(battle("maui", ["pike", "warrior_2"], ["maui_warrior", "oahu_warrior"]), K)
    assert all(text.startswith("fire ") for text in texts(state))


def test_11_1_viii_another_round_while_both_can_fight() -> None:
    """[11.1 viii] Both sides have unpanicked units when all have fired: from the advantage roll on again."""
    state = battle("maui", ["pike", "warrior_2"], ["maui_warrior", "oahu_warrior"])
    fire(advantage(state, K), "pike", PANIC, "panic maui_warrior")
    miss(state)
    assert state.phase == "advantage" and not fought(state)["second"]
    assert marked(state, A, "maui") == ["oahu_warrior", "maui_warrior/panicked"]
    advantage(state, A)
    assert firing(state) == "oahu_warrior/fired"


def test_11_1_viii_without_unpanicked_units_a_side_loses() -> None:
    """[11.1 viii] All panicked is as bad as all eliminated."""
    state = battle(
        "maui", ["warrior_2", "warrior_1", "canoe"], ["maui_warrior"], ours=REFUGE, theirs={"molokai": ["kalani"]}
    )
    fire(advantage(state, A), "maui_warrior", PANIC, "panic warrior_1", PANIC, "panic warrior_2")
    assert pieces(state, A, "maui") == ["maui_warrior"] and pieces(state, K, "maui") == []
    assert pieces(state, K, "hilo") == ["warrior_2", "warrior_1", "warrior_1", "canoe"]


# ---- 11.2, 11.3: results


@pytest.mark.parametrize("face", range(1, 7))
@pytest.mark.parametrize(("unit", "column"), [("warrior_2", 0), ("royal_guard", 1)])
def test_11_2_battle_results_table(unit: str, column: int, face: int) -> None:
    """[11.2] Each face of a die, fired by a unit of either column, as the table of the ruleset has it."""
    table = GAME.ruleset.results.column(0, column)
    assert table is not None
    state = battle("maui", [unit, "warrior_1"], ["maui_warrior", "oahu_warrior"])
    fire(advantage(state, K), unit, face)
    assert state.phase == {"none": "hit_die", "panic": "panic", "elimination": "loss"}[table[face - 1]]


def test_11_2_the_columns_differ() -> None:
    """[11.2] The elite column is not a copy of the other, and never worse."""
    order = ("none", "panic", "elimination")
    for role in (0, 1):
        plain, elite = (GAME.ruleset.results.column(role, c) for c in (0, 1))
        assert plain is not None and elite is not None and plain != elite
        assert all(order.index(e) >= order.index(p) for p, e in zip(plain, elite, strict=True))


def test_11_2_canoes_never_fire() -> None:
    """[11.2] Canoes are in nobody's line, on land or at sea."""
    state = battle("maui", ["warrior_2", "canoe"], ["maui_warrior", "maui_canoe"])
    miss(advantage(state, K))
    assert state.phase == "advantage"
    traced(state)
    miss(advantage(state, K))
    assert not [t for t in forced(state) if "canoe" in t] and len([t for t in forced(state) if "fire" in t]) == 2


def test_11_3_elimination() -> None:
    """[11.3] The side that is hit removes a unit of its choice, whatever its type or strength, to the box."""
    state = battle("maui", ["vancouver", "warrior_2"], ["thunderers", "maui_warrior", "maui_canoe"])
    fire(advantage(state, K), "vancouver", HIT)
    assert state.current_player == 1 and texts(state) == ["lose thunderers", "lose maui_warrior"]
    do(state, "lose thunderers")
    assert box(state, A, "thunderers") == 1


def test_11_3_panic() -> None:
    """[11.3] The side that is hit turns a unit of its choice over; it fires no more in this battle."""
    state = battle("maui", ["vancouver", "warrior_2"], ["oahu_warrior", "maui_warrior", "maui_canoe"])
    fire(advantage(state, K), "vancouver", PANIC)
    assert state.current_player == 1 and texts(state) == ["panic oahu_warrior", "panic maui_warrior"]
    do(state, "panic oahu_warrior")
    assert marked(state, A, "maui") == ["oahu_warrior/panicked", "maui_warrior", "maui_canoe"]
    miss(state)
    assert state.phase == "advantage"
    fire(advantage(state, A), "vancouver", REST)
    assert firing(state) == "maui_warrior/fired"
    do(state, REST)
    assert firing(state) == "warrior_2/fired"


def test_11_3_a_second_panic_eliminates() -> None:
    """[11.3] A panicked unit that panics again is eliminated; its owner may choose it."""
    state = battle("maui", ["vancouver", "warrior_2"], ["oahu_warrior", "maui_warrior"])
    fire(advantage(state, K), "vancouver", PANIC, "panic oahu_warrior", PANIC)
    assert texts(state) == ["panic oahu_warrior", "panic maui_warrior"]
    do(state, "panic oahu_warrior")
    assert marked(state, A, "maui") == ["maui_warrior"] and box(state, A, "oahu_warrior") == 3


def test_11_3_no_effect() -> None:
    """[11.3] A die of no effect changes nothing but the dice left."""
    state = battle("maui", ["vancouver", "warrior_2"], ["oahu_warrior", "maui_warrior"])
    fire(advantage(state, K), "vancouver")
    before = state.view().units
    do(state, MISS)
    assert state.view().units == before and fought(state)["dice"] == dice("vancouver") - 1


def test_11_3_each_die_at_once() -> None:
    """[11.3] A result is applied before the next die of the same unit is rolled."""
    state = battle("maui", ["vancouver", "warrior_2"], ["oahu_warrior", "maui_warrior"])
    fire(advantage(state, K), "vancouver", HIT, "lose oahu_warrior")
    assert (state.phase, fought(state)["dice"], pieces(state, A, "maui")) == (
        "hit_die",
        dice("vancouver") - 1,
        ["maui_warrior"],
    )


def test_11_3_elite_units_ignore_panic() -> None:
    """[11.3] Another unit must take it; with elite units only it has no effect."""
    state = battle("maui", ["warrior_2", "warrior_1"], ["thunderers", "oahu_warrior", "maui_warrior"])
    fire(advantage(state, K), "warrior_2", PANIC)
    assert texts(state) == ["panic oahu_warrior", "panic maui_warrior"]
    state = battle("maui", ["warrior_2", "warrior_1"], ["thunderers"])
    fire(advantage(state, K), "warrior_2", PANIC)
    assert state.phase == "hit_die" and marked(state, A, "maui") == ["thunderers"]


def test_11_3_defenders_of_a_fort_ignore_panic() -> None:
    """[11.3] In a fort only eliminations count, and only for the defender."""
    state = battle(
        "hilo", ["oahu_warrior", "maui_warrior"], ["warrior_2", "warrior_1"], half=A, ours={"maui": ["brown"]}
    )
    fire(advantage(state, A), "oahu_warrior", PANIC)
    assert state.phase == "hit_die" and marked(state, K, "hilo") == ["warrior_2", "warrior_1"]
    do(state, HIT, "lose warrior_1")
    fire(state, "warrior_2", PANIC)
    assert state.phase == "panic"


def test_11_3_units_of_one_kind_differ_by_their_condition() -> None:
    """[11.3] Fresh, fired, panicked, come by canoe or overland: its owner says which of them is hit."""
    attackers = ["warrior_2/waikiki", "warrior_2", "warrior_2", "canoe"]
    state = battle("koolau", attackers, ["brown", "oahu_warrior"], ours={"waikiki": ["warrior_1"]})
    fire(advantage(state, A), "brown", PANIC)
    assert choices(state, "panic") == {"warrior_2", "warrior_2/waikiki"}
    do(state, "panic warrior_2/waikiki", REST)
    fire(state, "oahu_warrior", REST)
    assert marked(state, K, "koolau") == ["warrior_2", "warrior_2/fired", "warrior_2/panicked/waikiki", "canoe"]
    do(state, REST)
    assert marked(state, K, "koolau") == ["warrior_2/fired", "warrior_2/fired", "warrior_2/panicked/waikiki", "canoe"]
    state = at(K, "fire", {"koolau": ["warrior_2/fired/waikiki", "warrior_2/fired", "warrior_2/panicked", "pike"]},
               {"koolau": ["brown/fired", "oahu_warrior"]}, field="koolau",
               battle={"kind": "invasion", "advantage": A, "turn_side": A, "firing": A})  # fmt: skip
    do(state, PANIC, PANIC)
    assert choices(state, "panic") == {"pike", "warrior_2", "warrior_2/fired/waikiki", "warrior_2/panicked"}
    do(state, "panic warrior_2/fired/waikiki")
    assert "warrior_2/panicked/waikiki" in marked(state, K, "koolau")


def test_11_3_unpanicked_units_are_eliminated_first() -> None:
    """[11.3] A panicked unit is not a choice for an elimination while an unpanicked one is there, then it is."""
    state = battle("maui", ["vancouver", "warrior_2"], ["oahu_warrior", "maui_warrior"])
    traced(state)
    fire(advantage(state, K), "vancouver", PANIC, "panic oahu_warrior", HIT)
    assert "lose maui_warrior" in forced(state) and state.phase == "hit_die"
    do(state, HIT)
    assert forced(state)[-1] == "lose oahu_warrior"
    assert box(state, A, "oahu_warrior") == 3 and pieces(state, A, "maui") == []


@pytest.mark.parametrize("kind", ["oahu_warrior", "maui_warrior"])
def test_11_3_conditions_of_every_kind_of_warrior(kind: str) -> None:
    """[11.3] Come by canoe or overland, fresh or fired or panicked: each group of a kind fires, panics, is lost by
    name.
    """
    other = "pike"
    ours = {"koolau": [f"{kind}/waikiki", kind, other, "oahu_canoe"], "waikiki": ["brown"]}
    state = at(A, "battle_order", ours, {"koolau": ["warrior_1", "warrior_2"]})
    assert choices(advantage(state, A), "fire") == {kind, f"{kind}/waikiki", other}
    do(state, f"fire {kind}/waikiki")
    assert marked(state, A, "koolau") == [other, *sorted([f"{kind}/fired/waikiki", kind]), "oahu_canoe"]
    for verb, face in (("panic", PANIC), ("lose", HIT)):
        fought = {"kind": "invasion", "advantage": K, "turn_side": K, "firing": K}
        ours = {"koolau": [f"{kind}/waikiki", f"{kind}/fired", "musketeer/fired", "oahu_canoe"], "waikiki": ["brown"]}
        state = at(
            A, "fire", ours, {"koolau": ["vancouver/fired", "warrior_2", "warrior_1"]}, field="koolau", battle=fought
        )
        do(state, "fire warrior_2", face)
        assert choices(state, verb) == {kind, f"{kind}/fired", "musketeer"}
        do(state, f"{verb} {kind}/fired")
        left = marked(state, A, "koolau")
        assert (
            f"{kind}/waikiki" in left
            and (f"{kind}/panicked" in left) == (verb == "panic")
            and f"{kind}/fired" not in left
        )
    fought = {"kind": "invasion", "advantage": K, "turn_side": K, "firing": K}
    ours = {"koolau": [f"{kind}/panicked/waikiki", f"{kind}/panicked", "oahu_canoe"], "waikiki": ["brown"]}
    state = at(
        A, "fire", ours, {"koolau": ["vancouver/fired", "warrior_2", "warrior_1"]}, field="koolau", battle=fought
    )
    do(state, "fire warrior_2", HIT)
    assert choices(state, "lose") == {kind, f"{kind}/panicked/waikiki"}
    do(state, f"lose {kind}/panicked/waikiki")
    assert marked(state, A, "koolau") == [f"{kind}/panicked", "oahu_canoe"]


EFFECTS = {"none": "no effect", "panic": "panic", "elimination": "elimination"}


@pytest.mark.parametrize(
    ("half", "space", "attackers", "defenders", "attacker_panics", "defender_panics"),
    [
        (K, "maui", ["vancouver", "warrior_2"], ["brown", "oahu_warrior"], True, True),
        (A, "maui", ["brown", "oahu_warrior"], ["vancouver", "warrior_2"], True, True),
        (A, "kona", ["brown", "oahu_warrior"], ["vancouver", "warrior_2"], True, False),
        (K, "maui", ["royal_guard"], ["maui_warrior", "oahu_warrior"], False, True),
        (K, "maui", ["warrior_1", "warrior_2"], ["thunderers"], True, False),
    ],
    ids=["open", "allied", "fort", "elite attackers", "elite defenders"],
)
def test_11_3_what_each_face_does(
    half: str, space: str, attackers: list[str], defenders: list[str], attacker_panics: bool, defender_panics: bool
) -> None:
    """[11.3] A panic that nobody can take is not an effect: for elite units, in a fort; faces of one effect are one
    outcome.
    """
    for firer, panics in ((half, defender_panics), (ENEMY[half], attacker_panics)):
        state = advantage(battle(space, attackers, defenders, half=half), firer)
        if state.phase == "fire":
            do(state, texts(state)[0])
        found = [state.chance_text(face).split(": ")[1] for face in range(1, 7)]
        elite = firing(state).split("/")[0] in ("royal_guard", "thunderers")
        wanted = [EFFECTS[result] for result in RESULTS["elite" if elite else "non_elite"]]
        assert found == [w if panics or w != "panic" else "no effect" for w in wanted]
        chances = {text: found.count(text) / 6 for text in dict.fromkeys(found)}
        assert [p for _, p in state.chance_outcomes(merged=True)] == pytest.approx(list(chances.values()))
        assert [found[face - 1] for face, _ in state.chance_outcomes(merged=True)] == list(chances)


def test_11_1_what_the_advantage_dice_do() -> None:
    """[11.1 iii] The first die tells six things apart, the second who wins."""
    state = battle("maui", ["pike"], ["oahu_warrior"])
    assert [state.chance_text(face) for face in (1, 6)] == ["advantage: kamehameha 1", "advantage: kamehameha 6"]
    assert len(state.chance_outcomes(merged=True)) == 6
    do(state, 3)
    assert [state.chance_text(face).split(": ")[2] for face in range(1, 7)] == [K, K, "tie", A, A, A]
    assert [(n, round(6 * p)) for n, p in state.chance_outcomes(merged=True)] == [(1, 2), (3, 1), (4, 3)]


def test_11_3_effects_that_lead_to_one_position() -> None:
    """[11.3] Panic is elimination where only panicked units are left, and at the last die on the cliff."""
    fought = {"kind": "invasion", "advantage": K, "turn_side": K, "firing": K}
    for second, panicked, fired, outcomes in (
        (False, "/panicked", "", 2), (False, "", "/fired", 3), (True, "", "/fired", 2), (True, "", "", 3),
    ):  # fmt: skip
        state = at(K, "fire", {"maui": ["pike", f"warrior_1{fired}"]}, {"maui": [f"oahu_warrior{panicked}"]},
        field="maui",
                   battle={**fought, "second": second})  # fmt: skip
        if state.phase == "fire":
            do(state, "fire pike")
        while state.phase == "hit_die" and fought_dice(state) > 1:
            do(state, MISS)
        assert len(state.chance_outcomes(merged=True)) == outcomes, (second, panicked, fired)
    state = at(K, "fire", {"maui": ["warrior_2", "warrior_1/fired"]}, {"maui": ["oahu_warrior"]}, field="maui",
               battle={**fought, "second": True})  # fmt: skip
    assert fought_dice(state) > 1 and len(state.chance_outcomes(merged=True)) == 3
    fought = {"kind": "invasion", "advantage": A, "turn_side": A, "firing": A}
    for panicked, outcomes in (("/panicked", 2), ("", 3)):
        state = at(
            A,
            "fire",
            {"maui": ["pike", "maui_warrior"]},
            {"maui": [f"warrior_1{panicked}"]},
            field="maui",
            battle=fought,
        )
        if state.phase == "fire":
            do(state, "fire pike")
        assert len(state.chance_outcomes(merged=True)) == outcomes


def fought_dice(state: State) -> int:
    """Dice left of the unit that fires."""
    return fought(state)["dice"]


# ---- 11.4: the second battle


def test_11_4_second_battle_defenders_rally() -> None:
    """[11.4] Panicked defenders fall back to the cliff, rally, and fight again, with a new advantage roll."""
    state = battle("maui", ["warrior_2", "pike", "canoe"], ["maui_warrior", "oahu_warrior"])
    fire(advantage(state, K), "pike", PANIC, "panic maui_warrior", PANIC, "panic oahu_warrior")
    fire(state, "warrior_2", REST)
    assert (state.phase, fought(state)["second"], fought(state)["kind"]) == ("advantage", True, "invasion")
    assert marked(state, A, "maui") == ["oahu_warrior", "maui_warrior"]
    advantage(state, A)
    assert choices(state, "fire") == {"oahu_warrior", "maui_warrior"}


def test_11_4_attackers_rally_and_advance() -> None:
    """[11.4] The attacker's panicked units rally too, and all of his units fight in the second battle."""
    state = battle("maui", ["warrior_2", "warrior_1", "canoe"], ["maui_warrior"])
    fire(advantage(state, A), "maui_warrior", PANIC, "panic warrior_1", REST)
    fire(state, "warrior_2", PANIC, REST)
    assert fought(state)["second"] and marked(state, K, "maui") == ["warrior_2", "warrior_1", "canoe"]
    advantage(state, K)
    assert choices(state, "fire") == {"warrior_2", "warrior_1"}


def test_11_4_no_second_battle_without_defenders() -> None:
    """[11.4] All defenders eliminated: the space is taken."""
    state = battle("maui", ["warrior_2", "canoe"], ["maui_warrior"])
    fire(advantage(state, K), "warrior_2", HIT)
    assert state.view().half == A and pieces(state, K, "maui") == ["warrior_2", "canoe"]


def test_11_4_only_panicked_on_the_cliff_are_eliminated() -> None:
    """[11.4] In the second battle defenders left with panicked units alone are eliminated."""
    state = battle("maui", ["warrior_2", "pike", "canoe"], ["maui_warrior", "oahu_warrior", "maui_canoe"],
                   theirs={"molokai": ["kalani"]})  # fmt: skip
    fire(advantage(state, K), "pike", PANIC, "panic maui_warrior", PANIC, "panic oahu_warrior")
    fire(state, "warrior_2", REST)
    fire(advantage(state, K), "pike", PANIC, "panic maui_warrior", PANIC, "panic oahu_warrior")
    fire(state, "warrior_2", REST)
    assert box(state, A, "maui_warrior") == 2 and box(state, A, "oahu_warrior") == 3
    assert pieces(state, K, "maui") == ["pike", "warrior_2", "canoe"]
    assert pieces(state, A, "molokai") == ["kalani", "maui_canoe"]


def test_11_4_a_second_battle_may_have_several_rounds() -> None:
    """[11.4] It is fought as the first one."""
    state = battle("maui", ["warrior_2", "canoe"], ["maui_warrior"], ours=REFUGE)
    fire(advantage(state, K), "warrior_2", PANIC, REST)
    miss(advantage(state, A))
    assert (state.phase, fought(state)["second"]) == ("advantage", True)


def test_11_4_the_defender_may_win_the_second_battle() -> None:
    """[11.4] Then the attacker retreats as from the first."""
    state = battle("maui", ["warrior_2", "canoe"], ["maui_warrior"], ours=TWO_REFUGES)
    fire(advantage(state, K), "warrior_2", PANIC, REST)
    fire(advantage(state, A), "maui_warrior", PANIC, REST)
    assert state.phase == "retreat" and choices(state, "retreat") == {"kona", "hilo"}
    do(state, "retreat kona")
    assert pieces(state, K, "kona") == ["warrior_2", "warrior_1", "canoe"] and pieces(state, A, "maui") == [
        "maui_warrior"
    ]


@pytest.mark.parametrize("half", [K, A])
def test_11_4_victory_of_either_side(half: str) -> None:
    """[11.4] The attacker, whichever side he is, takes the space of defenders who are gone, and fights on with
    others.
    """
    ours, theirs, units = (
        (["pike", "warrior_2"], ["oahu_warrior"], K) if half == K else (["pike", "oahu_warrior"], ["warrior_2"], A)
    )
    state = battle("maui", ours, theirs, half=half)
    fire(advantage(state, half), "pike", HIT)
    assert marked(state, units, "maui") == ours and pieces(state, ENEMY[half], "maui") == []
    assert state.phase == "card" and (state.view().half, state.view().turn) == (
        (A, "june") if half == K else (K, "july")
    )
    state = battle("maui", ours, theirs, half=half)
    fire(advantage(state, half), "pike", PANIC, REST)
    fire(state, ours[1], REST)
    assert state.phase == "advantage" and fought(state)["second"]
    fire(advantage(state, half), "pike", PANIC, REST)
    fire(state, ours[1], REST)
    assert box(state, ENEMY[half], theirs[0]) == (6 if half == A else 3) and marked(state, units, "maui") == ours


# ---- 11.5: successful defence


def test_11_5_panicked_attackers_leave_by_canoe() -> None:
    """[11.5] To one space of the owner's choice that his side occupies; eliminated units stay in the box."""
    state = battle(
        "maui",
        ["warrior_2", "warrior_1", "pike", "canoe"],
        ["brown", "pike"],
        ours={**TWO_REFUGES, "waikiki": ["canoe"]},
    )
    fire(advantage(state, A), "brown", HIT, "lose warrior_2", HIT, "lose pike", PANIC)
    do(state, REST)
    assert state.phase == "retreat" and state.current_player == 0
    assert choices(state, "retreat") == {"kona", "hilo"}
    do(state, "retreat hilo")
    assert marked(state, K, "hilo") == ["warrior_1", "warrior_1", "canoe"]
    assert box(state, K, "warrior_2") == 6 and pieces(state, A, "maui") == ["brown", "pike"]


def test_11_5_no_retreat_of_the_allies_to_a_space_still_fought_for() -> None:
    """[11.5] Nor for them is a space with a battle pending a refuge."""
    ours = {"molokai": ["pike"], "waikiki": ["brown"], "koolau": ["musketeer"]}
    state = battle(
        "maui", ["oahu_warrior", "oahu_canoe"], ["warrior_2"], half=A, ours=ours, theirs={"koolau": ["pike"]}
    )
    do(state, "battle maui")
    fire(advantage(state, K), "warrior_2", PANIC, REST)
    assert choices(state, "retreat") == {"molokai", "waikiki"}


def test_11_5_no_retreat_to_a_space_still_fought_for() -> None:
    """[11.5] A space with a battle pending is not a refuge."""
    ours = {**REFUGE, "kona": ["pike"], "koolau": ["musketeer"]}
    state = battle("maui", ["warrior_2", "canoe"], ["maui_warrior"], ours=ours, theirs={"koolau": ["kalani"]})
    do(state, "battle maui")
    fire(advantage(state, A), "maui_warrior", PANIC, REST)
    assert choices(state, "retreat") == {"kona", "hilo"}


def test_11_5_canoes_are_never_lost_on_land() -> None:
    """[11.5] All units of the attacker eliminated: his canoes leave for any space that he occupies."""
    state = battle("maui", ["warrior_2", "canoe", "canoe"], ["maui_warrior"], ours=TWO_REFUGES)
    fire(advantage(state, A), "maui_warrior", HIT)
    assert state.phase == "retreat" and box(state, K, "canoe") == 2
    do(state, "retreat kona")
    assert pieces(state, K, "kona") == ["warrior_1", "canoe", "canoe"]


def test_11_5_nowhere_to_go() -> None:
    """[11.5] No space occupied elsewhere: the whole force is eliminated, its canoes with it."""
    state = battle("maui", ["warrior_2", "warrior_1", "canoe"], ["maui_warrior"], theirs={"kona": ["brown"]})
    fire(advantage(state, A), "maui_warrior", PANIC, "panic warrior_1", PANIC, "panic warrior_2")
    assert pieces(state, K, "maui") == []
    assert (box(state, K, "warrior_2"), box(state, K, "warrior_1"), box(state, K, "canoe")) == (6, 3, 4)


def test_11_5_without_canoes_attackers_from_the_sea_are_lost() -> None:
    """[11.5] Retreat is by canoe."""
    state = battle("maui", ["warrior_2"], ["maui_warrior"], ours=TWO_REFUGES)
    fire(advantage(state, A), "maui_warrior", PANIC, REST)
    assert box(state, K, "warrior_2") == 6 and pieces(state, K, "kona") == ["warrior_1"]


# ---- 11.6: two-space islands, rallying


def test_11_6_two_space_islands_inland_and_then_the_beach() -> None:
    """[11.6 two-space islands] Two battles overland, too; after the second the defender may leave."""
    theirs = {"maui": ["kalani"], "molokai": ["brown"]}
    state = battle(
        "koolau", ["warrior_2/waikiki", "pike/waikiki"], ["oahu_warrior", "maui_warrior", "oahu_canoe"], theirs=theirs
    )
    for second in (False, True):
        assert (fought(state)["kind"], fought(state)["second"]) == ("overland", second)
        fire(advantage(state, K), "pike", PANIC, "panic maui_warrior", PANIC, "panic oahu_warrior")
        fire(state, "warrior_2", REST)
    assert state.current_player == 1 and choices(state, "retreat") == {"maui", "molokai"}
    do(state, "retreat molokai")
    assert marked(state, A, "molokai") == ["brown", "oahu_warrior", "maui_warrior", "oahu_canoe"]
    assert marked(state, K, "koolau") == ["pike", "warrior_2"]


def beaten_overland(space: str, start: str, defenders: list[str], theirs: dict[str, list[str]]) -> State:
    """One defender, beaten twice by Kamehameha's warriors from the island's other space."""
    state = battle(space, [f"warrior_2/{start}", f"warrior_1/{start}"], defenders, theirs=theirs)
    for _ in range(2):
        fire(advantage(state, K), "warrior_2", PANIC, REST)
        fire(state, "warrior_1", REST)
    return state


def test_11_6_two_space_islands_without_canoes_they_are_lost() -> None:
    """[11.6 two-space islands] No canoe there, no way off the island: the defenders are eliminated."""
    state = beaten_overland("koolau", "waikiki", ["oahu_warrior"], {"maui": ["kalani"]})
    assert box(state, A, "oahu_warrior") == 3 and pieces(state, K, "koolau") == ["warrior_2", "warrior_1"]


def test_11_6_two_space_islands_without_a_refuge_they_are_lost() -> None:
    """[11.6 two-space islands] No space off the island: units and canoes are gone."""
    state = beaten_overland("koolau", "waikiki", ["oahu_warrior", "oahu_canoe"], {"maui": ["maui_canoe"]})
    assert box(state, A, "oahu_warrior") == 3 and box(state, A, "oahu_canoe") == 3


def test_11_6_two_space_islands_the_other_space_is_no_refuge() -> None:
    """[11.6 two-space islands] They retreat off the island; the canoes alone may go to the other space."""
    state = beaten_overland("koolau", "waikiki", ["oahu_warrior", "oahu_canoe"], {"waikiki": ["brown"]})
    assert box(state, A, "oahu_warrior") == 3 and pieces(state, A, "waikiki") == ["brown", "oahu_canoe"]


def test_11_6_two_space_islands_an_invasion_is_fought_on_the_cliff() -> None:
    """[11.6 two-space islands] Against a force that came by canoe he falls back to the cliff, and cannot leave."""
    theirs = {"maui": ["kalani"], "molokai": ["brown"]}
    state = battle("koolau", ["warrior_2", "warrior_1"], ["oahu_warrior", "oahu_canoe"], theirs=theirs)
    for _ in range(2):
        fire(advantage(state, K), "warrior_2", PANIC, REST)
        fire(state, "warrior_1", REST)
    assert box(state, A, "oahu_warrior") == 3
    assert state.phase == "withdrawal" and choices(state, "retreat") == {"maui", "molokai"}


def test_11_6_two_space_islands_beaten_marchers_walk_back() -> None:
    """[11.6 two-space islands] An overland attack that fails ends where it began."""
    state = battle("koolau", ["warrior_2/waikiki", "pike/waikiki"], ["oahu_warrior", "brown"])
    fire(advantage(state, A), "brown", HIT, "lose pike", PANIC, REST)
    fire(state, "oahu_warrior", REST)
    assert marked(state, K, "waikiki") == ["warrior_2"] and pieces(state, A, "koolau") == ["brown", "oahu_warrior"]


@pytest.mark.parametrize(
    ("half", "space", "start"),
    [(half, *pair) for half in (K, A) for pair in (("koolau", "waikiki"), ("waikiki", "koolau"), ("hilo", "kona"),
    ("kona", "hilo"))],
)  # fmt: skip
def test_11_6_two_space_islands_off_the_island_only(half: str, space: str, start: str) -> None:
    """[11.6 two-space islands] Any space of another island is a refuge, the island's other space is none."""
    defender, unit, canoe = ("oahu_warrior", "pike", "oahu_canoe") if half == K else ("warrior_1", "pike", "canoe")
    attackers = [f"vancouver/{start}"] if half == K else [f"brown/{start}"]
    theirs = {start: ["musketeer"], "kauai": ["kauai_warrior"], "molokai": [unit]}
    state = battle(space, attackers, [defender, canoe], half=half, theirs=theirs)
    for _ in range(2):
        fire(advantage(state, half), attackers[0].split("/")[0], HIT if space in ("kona", "hilo") else PANIC)
        if state.phase in ("hit_die", "fire"):
            do(state, REST)
        if space in ("kona", "hilo"):
            break
    if space in ("waikiki", "koolau"):
        assert (state.phase, choices(state, "retreat")) == ("retreat", {"kauai", "molokai"})
        do(state, "retreat kauai")
        assert pieces(state, ENEMY[half], "kauai") == [*sorted([defender, canoe], reverse=True), "kauai_warrior"]
    else:
        # A fort panics nobody: its last defender falls, and the canoes alone may go to the other space.
        assert (state.phase, choices(state, "retreat")) == ("withdrawal", {start, "kauai", "molokai"})


def test_11_6_two_space_islands_those_who_turned_fight_overland_anywhere() -> None:
    """[11.6 two-space islands, R-23] Kaua'i's, turned on an island of one space, leave the beaten a way out."""
    ours = {"maui": ["kauai_warrior/turned"], "kona": ["kamehameha"]}
    theirs = {"maui": ["maui_warrior", "maui_canoe"], "molokai": ["brown"], "waikiki": ["kalani"]}
    state = at(K, "battle_order", ours, theirs)
    for _ in range(2):
        fire(advantage(state, K), "kauai_warrior", PANIC, REST)
    assert (state.phase, choices(state, "retreat")) == ("retreat", {"molokai", "waikiki"})
    do(state, "retreat waikiki")
    assert pieces(state, A, "waikiki") == ["kalani", "maui_warrior", "maui_canoe"]


def test_11_6_two_space_islands_beaten_marchers_walk_back_to_kona() -> None:
    """[11.6 two-space islands] To any space that they came from, the first of the map, too."""
    state = battle("hilo", ["warrior_2/kona"], ["oahu_warrior"], ours={"maui": ["pike"]})
    fire(advantage(state, A), "oahu_warrior", PANIC, REST)
    assert pieces(state, K, "kona") == ["warrior_2"] and pieces(state, K, "maui") == ["pike"]


@pytest.mark.parametrize("left", [True, False], ids=["they leave", "they fall"])
def test_11_6_two_space_islands_a_battle_won_touches_no_other(left: bool) -> None:
    """[11.6 two-space islands] The victors hold their space, unmarked; who marched elsewhere still came from there."""
    ours = {"hilo": ["pike/kona"], "kona": ["kamehameha"]}
    theirs = {"hilo": ["kaiana"], "molokai": ["brown"], "waikiki": ["pike"]}
    state = battle("koolau", ["warrior_2/waikiki", "warrior_1/waikiki"], ["oahu_warrior", "oahu_canoe"],
                   ours=ours, theirs={k: v for k, v in theirs.items() if k != "waikiki"})  # fmt: skip
    do(state, "battle koolau")
    for _ in range(2):
        fire(advantage(state, K), "warrior_2", PANIC if left else HIT, REST)
        if not left:
            break
        fire(state, "warrior_1", REST)
    assert (state.phase, state.view().field, fought(state)["kind"]) == ("advantage", "hilo", "overland")
    assert marked(state, K, "koolau") == ["warrior_2", "warrior_1"] and marked(state, K, "hilo") == ["pike/kona"]
    assert pieces(state, A, "molokai") == ["brown", *(["oahu_warrior"] if left else []), "oahu_canoe"]


def test_11_6_rallying_after_a_battle() -> None:
    """[11.6 rallying] Every panicked unit of either side stands up again when a battle is over."""
    state = battle("maui", ["vancouver", "warrior_2", "canoe"], ["brown", "oahu_warrior", "maui_warrior"], ours=REFUGE)
    fire(advantage(state, K), "vancouver", PANIC, "panic maui_warrior", REST)
    fire(state, "brown", PANIC, "panic warrior_2", PANIC, "panic vancouver")
    assert marked(state, A, "maui") == ["brown/fired", "oahu_warrior", "maui_warrior/panicked"]
    miss(state)
    assert marked(state, A, "maui") == ["brown", "oahu_warrior", "maui_warrior"]
    assert marked(state, K, "hilo") == ["vancouver", "warrior_2", "warrior_1", "canoe"]


def test_11_6_rallying_not_between_rounds() -> None:
    """[11.6 rallying] A new round of the same battle finds them panicked still."""
    state = battle("maui", ["vancouver", "warrior_2"], ["brown", "maui_warrior"])
    fire(advantage(state, K), "vancouver", PANIC, "panic maui_warrior")
    miss(state)
    assert state.phase == "advantage" and marked(state, A, "maui") == ["brown", "maui_warrior/panicked"]


def test_11_6_rallying_of_the_victors() -> None:
    """[11.6 rallying] The attackers who hold the space are all unpanicked for what follows."""
    state = battle("maui", ["warrior_2", "warrior_1", "canoe"], ["maui_warrior"])
    fire(advantage(state, A), "maui_warrior", PANIC, "panic warrior_1", REST)
    fire(state, "warrior_2", HIT)
    assert marked(state, K, "maui") == ["warrior_2", "warrior_1", "canoe"]
    assert ended(state) == (None, "") and state.phase == "card"
    # Before the half is over, too: with another battle still to be fought.
    ours, theirs = {"waikiki": ["vancouver"], "kona": ["warrior_1"]}, {"waikiki": ["brown"]}
    state = battle("hilo", ["warrior_2/kona", "pike/kona"], ["kaiana", "oahu_warrior"], ours=ours, theirs=theirs)
    do(state, "battle hilo")
    fire(advantage(state, A), "oahu_warrior", PANIC, PANIC, "panic pike")
    fire(state, "warrior_2", HIT, "lose kaiana", HIT)
    assert state.view().field == "waikiki" and marked(state, K, "hilo") == ["pike", "warrior_2"]
