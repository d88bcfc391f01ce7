"""The chapters of the rulebook, in crowded positions of a few hexes."""

from __future__ import annotations

from typing import Any

import pytest
from moves import play, texts

from hawaii_env.maori_wars import Game, State
from hawaii_env.maori_wars.rules.names import STAGES

from .helpers import FIRST, at, game_of, pass_by, pieces_at, verbs

PLAN = 5
"""A chit that changes nothing."""

DUEL = {"1034": "warrior warrior", "1033": "infantry infantry"}
HOMES = {"1136": "village", "0934": "settlement"}


def fight(*events: str | int, pieces: Any = DUEL, homes: Any = HOMES, **more: Any) -> State:
    """A combat of the British player against 1034, from 1033, up to its chit; then the events."""
    state = play(at(pieces, homes, "combat", "british", **more), "target 1034")
    while state.phase == "participants":
        play(state, "with n all" if "with n all" in texts(state) else texts(state)[0])
    if "stand" in texts(state):
        play(state, "stand")
    return play(state, *events)


@pytest.mark.parametrize(
    ("marker", "winner", "share", "reason"),
    [(1, None, 0.0, "one point"), (2, 1, 1 / 3, "minor"), (-6, 0, 2 / 3, "major"), (-1, None, 0.0, "one point")],
)
def test_levels_of_victory(marker: int, winner: int | None, share: float, reason: str) -> None:
    """[1.0] After the last turn 0 or 1 point is a tie, 2 a minor, 6 a major victory; graded if asked."""
    view = at({"1133": "infantry"}, HOMES, "construction", "british", marker=0, turn=3, boxes={"maori": {"warrior": 1}})
    fields = view.view().to_dict() | {"turn": 4, "half": "british", "phase": "construction", "step": "build"}
    fields |= {"decides": "british", "marker": marker, "scenario": "taranaki"}
    state = Game(levels=True, rules=str(FIRST)).position(**fields)
    while not state.is_terminal:
        play(state, "pass" if "pass" in texts(state) else texts(state)[0])
    outcome = state.outcome()
    assert outcome is not None and outcome.winner == winner and reason in outcome.reason
    assert state.returns()[winner or 0] == pytest.approx(share)


def test_nine_points_win_at_once() -> None:
    """[1.0, 9.0] The ninth point ends the game in the middle of a combat."""
    state = fight(PLAN, 1, 6, pieces={"1034": "warrior", "1033": "infantry infantry"}, marker=8)
    assert state.is_terminal and state.returns() == [-1.0, 1.0] and state.marker == 9
    outcome = state.outcome()
    assert outcome is not None and "nine points" in outcome.reason


def test_the_last_village_ends_the_game() -> None:
    """[1.0] Māori lose when their last village or pa is removed."""
    state = play(
        at({"1033": "infantry"}, {"1034": "village"}, "combat", "british"), "target 1034", PLAN, 4, "advance n infantry"
    )
    assert state.is_terminal and state.view().winner == "british"


def test_the_order_of_play() -> None:
    """[2.0] Eight phases a half, Māori first, then the next turn."""
    state, seen = Game("campaign").initial_state(chance="explicit"), list[tuple[int, str, str]]()
    while state.turn < 3:
        view = state.view()
        moment = (view.turn, view.half, view.phase)
        if moment not in seen:
            seen.append(moment)
        if state.current_player < 0:
            state.apply_chance(state.chance_outcomes()[0][0])
        else:
            play(state, "done" if "done" in texts(state) else "pass" if "pass" in texts(state) else texts(state)[0])
    order = [(turn, ("maori", "british").index(half), STAGES.index(phase)) for turn, half, phase in seen]
    assert order == sorted(order) and {half for _, half, _ in order} == {0, 1}


def test_limits() -> None:
    """[4.0] Four Queenites stand in rough, two British units; artillery, leaders and boats are free."""
    state = at({"1136": "queenite queenite", "1135": "queenite queenite", "1137": "artillery pratt"}, half="british")
    assert "1136" in verbs(play(state, "from 1135", "stack"), "to")


def test_a_stack_marches_with_its_slowest() -> None:
    """[6.0] A stack goes where all can go; cavalry pays three for bush, artillery has three points."""
    state = at({"1033": "cavalry artillery infantry"}, half="british")
    play(state, "from 1033", "stack")
    assert verbs(state, "to") == {"0835", "0934", "0935", "0936", "1034", "1133", "1134", "1233"}


def test_arrivals() -> None:
    """[5.0] Automatic reinforcements come to their hex; if it is not open to the lowest next to it without an enemy."""
    state = at(
        {"1332": "", "1539": "warrior"}, {"1136": "village", "0934": "settlement"}, "construction", "british", turn=1
    )
    pass_by(state, "movement")
    assert pieces_at(state, "1332") == ["warrior", "rewi"]


def test_what_comes_from_the_box() -> None:
    """[5.0, 13.0] Militia to settlements and towns, infantry to towns; no warrior beyond three a village."""
    boxes = {"british": {"infantry": 1, "militia": 1}}
    state = at({"1539": "warrior"}, HOMES, "reinforcement", "british", boxes=boxes, turn=4)
    assert verbs(state, "unit") == {"infantry", "militia"}
    assert verbs(play(state, "unit militia"), "place") == {"0934", "1033"}
    crowd = {"1539": "warrior warrior warrior"}
    state = at(crowd, HOMES, "reinforcement", boxes={"maori": {"warrior": 1}})
    assert state.stage != "reinforcement"


def test_canoes() -> None:
    """[6.0] Canoes go by sea past everybody, and are carried over land for a point of the carrier's."""
    state = at({"1133": "canoe warrior", "1033": "infantry"})
    play(state, "from 1133", "unit canoe")
    assert "unit warrior" in texts(state) and "1033" not in verbs(state, "to") and "0934" not in verbs(state, "from")
    state = play(at({"1133": "canoe warrior"}), "from 1133", "carry warrior")
    assert "1034" in verbs(state, "to") and "1134" in verbs(state, "to")
    play(state, "to 1034")
    assert pieces_at(state, "1034") == ["warrior", "canoe"]
    play(state, "done")
    assert state.marker == 0


def test_a_canoe_without_carrier_on_land_is_removed() -> None:
    """[6.0, R-09] Its bearer marches off alone: no points."""
    state = play(at({"1034": "warrior canoe", "1539": "warrior"}), "from 1034", "unit warrior", "to 1135")
    assert pieces_at(state, "1034") == [] and state.marker == 0 and "canoe" in state.view().out
    homes, box = {"1034": "village", "1136": "village"}, {"maori": {"canoe": 1}}
    state = play(at({"1539": "warrior"}, homes, "reinforcement", boxes=box), "unit canoe", "place 1034")
    assert pieces_at(state, "1034") == [] and "canoe" in state.view().out


def test_british_units_destroy_canoes() -> None:
    """[6.0, 3.0] For a point; Queenites capture them."""
    state = at({"1233": "canoe", "1133": "infantry", "1539": "warrior"}, HOMES, half="british")
    assert play(state, "from 1133", "to 1233").marker == 1
    state = at({"1233": "canoe", "1133": "queenite", "1539": "warrior"}, HOMES, half="british")
    play(state, "from 1133", "to 1233")
    assert pieces_at(state, "1233") == ["queenite", "canoe"] and state.marker == 0


def test_a_unit_eliminates_a_leader_alone() -> None:
    """[3.0, 6.0] A unit that enters; a leader only shares the hex."""
    state = at({"1034": "heke", "1033": "infantry pratt"}, HOMES, half="british")
    play(state, "from 1033", "unit pratt", "to 1034")
    assert pieces_at(state, "1034") == ["heke", "pratt"]
    play(state, "from 1033", "to 1034")
    assert pieces_at(state, "1034") == ["infantry", "pratt"] and state.marker == 1


def test_rally() -> None:
    """[7.0] On 6 alone, on 4 with a Māori leader, who helps one; asked if kinds differ."""
    state = at({"1034": "warrior/disrupted warrior/disrupted heke", "1539": "warrior"}, HOMES)
    play(state, "done", 4)
    assert pieces_at(state, "1034") == ["warrior", "warrior/disrupted", "heke"]
    play(state, 5)
    assert pieces_at(state, "1034") == ["warrior", "warrior/disrupted", "heke"]
    state = at({"1133": "infantry/disrupted militia/disrupted pratt", "1033": "infantry"}, HOMES, half="british")
    assert verbs(play(state, "done"), "unit") == {"infantry/disrupted", "militia/disrupted"}


def test_talks() -> None:
    """[8.0] Māori add 1: 4 wins them, 1 drives them to the British player for a point."""
    for die, owner, marker in ((4, "maori", 0), (1, "british", 1), (3, "neutral", 0)):
        state = at(
            {"1007": "neutral pomare", "0908": "heke warrior"}, {"1007": "neutral_pa"}, "alliance", scenario="flagstaff"
        )
        play(state, "target 1007", die)
        assert {one.owner for one in state.view().pieces if one.at == "1007"} == {owner} and state.marker == marker


def test_evasion() -> None:
    """[9.0 step 2] Māori slip away on 4, against Queenites on 5; an empty hex is entered without a fight."""

    def evaded(unit: str, face: int) -> State:
        state = at({"1034": "warrior", "1033": unit, "1539": "warrior"}, HOMES, "combat", "british")
        return play(state, "target 1034", "evade", face)

    found = [evaded(unit, face).phase == "leave" for unit, face in (("infantry", 3), ("infantry", 4), ("queenite", 4))]
    assert found == [False, True, False]
    assert "advance n queenite" in texts(play(evaded("queenite", 5), "go se"))


@pytest.mark.parametrize("chit", [one.n for one in game_of().ruleset.chits])
def test_every_chit_is_drawn_and_played(chit: int) -> None:
    """[9.0 step 3] Each takes effect or counts as According to Plan, and lies aside afterwards."""
    state = at(DUEL, HOMES, "combat", "british", turn=4)
    if chit not in state.view().cup:
        state = at(
            {"1136": "warrior warrior", "1137": "infantry infantry"}, HOMES, "combat", scenario="campaign", turn=18
        )
        play(state, "target 1137", "with n all", chit)
    else:
        state = fight(chit)
    assert chit in state.view().aside and chit not in state.view().cup


def test_bombardment_of_canoes() -> None:
    """[9.0 step 4] A canoe is Disrupted, or destroyed for a point."""
    for die, there, marker in ((4, ["canoe/disrupted"], 0), (5, [], 1)):
        state = at({"1233": "warrior canoe", "1133": "artillery"}, HOMES, "combat", "british")
        play(state, "target 1233", "column canoe", die)
        assert [one for one in pieces_at(state, "1233") if "canoe" in one] == there and state.marker == marker


@pytest.mark.parametrize(
    ("die", "there"),
    [
        (1, ["warrior", "warrior"]),
        (2, ["warrior", "warrior/disrupted"]),
        (3, ["warrior/disrupted"] * 2),
        (5, ["warrior"]),
    ],
)
def test_results_of_equal_forces(die: int, there: list[str]) -> None:
    """[9.0 step 7, 11.0] Nothing, D, A, E: two infantry against two warriors on clear ground."""
    assert pieces_at(fight(PLAN, 1, die), "1034") == there


def test_retreats_and_panic() -> None:
    """[9.0, 11.0] R: each unit goes where it may. Disrupted again, a warrior is eliminated on 2."""
    state = fight(PLAN, 1, 4, "go se", "go sw")
    assert pieces_at(state, "1034") == [] and pieces_at(state, "1135") == pieces_at(state, "0935") == ["warrior"]
    for die, there in ((2, []), (3, ["warrior/disrupted"])):
        state = fight(PLAN, 2, die, pieces={"1034": "warrior/disrupted", "1033": "infantry infantry"})
        assert pieces_at(state, "1034") == there and state.marker == 1 - len(there)


def test_hunts() -> None:
    """[10.0] On 3 the hunters find an enemy of the same territory, and attack him; he answers if he lives."""
    state = at({"taranaki": "warrior heke militia", "1539": "warrior"}, HOMES, "bush")
    play(state, "territory taranaki", "unit warrior", "hunt", "done", 3)
    assert state.phase == "attack"
    play(state, 6)
    assert state.marker == -1 and "militia" not in pieces_at(state, "taranaki")


def test_what_is_built() -> None:
    """[12.0] Settlements by militia, villages by warriors, pa and forts on them; nothing next to an enemy."""
    state = at({"0935": "militia", "1539": "warrior"}, HOMES, "construction", "british", turn=2)
    assert verbs(state, "build") == {"0934", "0935", "1033"}
    play(state, "build 0935")
    assert state.view().structures["0935"] == "settlement"
    state = at({"1234": "warrior", "1133": "infantry"}, HOMES | {"1134": "village/disrupted"}, "construction")
    assert verbs(state, "build") == {"1134", "1136", "1234"}
    play(state, "build 1134")
    assert state.view().structures["1134"] == "village"


def test_supply() -> None:
    """[13.0] Three steps to a town, settlement or fort, not through Māori hexes; too many warriors lose one."""
    for between, said in (
        ({}, "infantry"),
        ({"1334": "warrior", "1234": "warrior", "1333": "warrior"}, "infantry/disrupted"),
    ):
        homes = HOMES | {"1233": "settlement", "1539": "village"}
        waiting = {"turn": 2, "boxes": {"maori": {"warrior": 1}}}
        state = at({"1433": "infantry", **between}, homes, "construction", "british", **waiting)
        pass_by(state, "reinforcement")
        assert pieces_at(state, "1433") == [said]
    state = at({"1034": "warrior warrior", "1539": "warrior warrior"}, HOMES, "construction")
    play(state, "pass")
    assert verbs(state, "from") == {"1034", "1539"}
    play(state, "from 1034")
    assert pieces_at(state, "1034") == ["warrior"] and state.marker == 0


def test_canoes_on_a_lake() -> None:
    """[6.0] From rim to rim of Taupō, and down the river that leaves it; nobody stops on the water."""
    state = at({"2131": "canoe warrior"}, {"1136": "village"}, scenario="campaign")
    ends = verbs(play(state, "from 2131", "unit canoe"), "to")
    assert {"2031", "2133", "2231", "2232"} <= ends and "2132" not in ends


def test_a_fort_on_a_town() -> None:
    """[9.0 step 8] Who advances into it gets 1 point for the fort and 2 for the town, and no settlement falls."""
    state = at({"1034": "warrior warrior warrior"}, HOMES | {"1033": "fort"}, "combat")
    play(state, "target 1033", "with s all", PLAN, 1, 6, "advance s")
    assert state.marker == -3 and state.view().taken == ("1033",) and "1033" not in state.view().structures


def test_no_town_changes_hands_after_the_end() -> None:
    """[1.0, R-08] The last settlement falls, and a gunboat retreats from it into a taken town."""
    homes = {"1133": "settlement", "1136": "village"}
    state = at({"1134": "warrior warrior", "1133": "gunboat"}, homes, "combat", taken=["1033"])
    play(state, "target 1133", "with s all", PLAN, 6, "advance s warrior")
    assert state.is_terminal and state.view().taken == ("1033",) and pieces_at(state, "1033") == ["gunboat"]


def test_a_retreat_without_a_way() -> None:
    """[9.0] Who finds no open hex is eliminated."""
    ring = dict.fromkeys(("0934", "0935", "1134", "1135"), "infantry")
    state = fight(PLAN, 1, 4, pieces=DUEL | ring)
    assert pieces_at(state, "1034") == [] and state.marker == 2


@pytest.mark.parametrize(
    ("sap", "there"), [(None, ["infantry"]), ({"target": "1134", "hex": "1133"}, ["infantry/disrupted"])]
)
def test_warriors_in_a_trench(sap: dict[str, str] | None, there: list[str]) -> None:
    """[6.0, R-12] Their counter-attack has 1 more: 1 against an equal force is D, not nothing."""
    state = at({"1133": "warrior", "1033": "infantry"}, HOMES | {"1134": "pa"}, "combat", "british", sap=sap)
    play(state, "target 1133", "stand", PLAN, 1)
    assert pieces_at(state, "1033") == there
