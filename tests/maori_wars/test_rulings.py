"""Every ruling in a position of its own."""

from __future__ import annotations

from typing import Any

from moves import play, texts

from hawaii_env.maori_wars import Game, State
from hawaii_env.maori_wars.rules.names import KINDS
from hawaii_env.maori_wars.rules.pieces import distance

from .helpers import at, game_of, pass_by, pieces_at, verbs

PLAN = 5
"""A chit that changes nothing."""

WAITING: dict[str, Any] = {"turn": 2, "boxes": {"maori": {"warrior": 1}}}
"""Māori have something to decide in the next turn, so that no game runs to its end by itself."""


def number(game: Game, hex_id: str) -> int:
    return game.hexes.index(hex_id)


def stays(state: State, *events: str | int) -> State:
    """Answer every question about evading, then the events."""
    if "stand" in texts(state):
        play(state, "stand")
    return play(state, *events)


def test_r_01() -> None:
    """[R-01] Mountains are not hexes of the game: Taranaki itself, between 1034 and 1036."""
    assert "1035" not in game_of().hexes and "to 1035" not in texts(play(at({"1034": "warrior"}), "from 1034"))


def test_r_02() -> None:
    """[R-02] Gunboats pass from the Waikato into the Waipā where they meet."""
    state = at({"1722": "gunboat infantry"}, half="british", scenario="waikato")
    assert {"1725", "1723", "1418"} <= verbs(play(state, "from 1722", "unit gunboat"), "to")


def test_r_03() -> None:
    """[R-03] Distance is counted over any terrain: two hexes past the mountain."""
    game = game_of()
    assert distance(game.tables, number(game, "1034"), number(game, "1036")) == 2


def test_r_04() -> None:
    """[R-04] Australian units are infantry: there is no kind for them."""
    assert "infantry" in KINDS and len(KINDS) == 11


def test_r_05() -> None:
    """[R-05] Only the theatre is in play."""
    game = game_of()
    territories = {game.ruleset.board.territory(hex_id) for hex_id in game.hexes}
    assert territories == {"taranaki"} and game.neighbours.max() < len(game.hexes)


def test_r_06() -> None:
    """[R-06] The neutral village of the Northern War lies four hexes from Auckland, at 1315."""
    game = game_of("flagstaff")
    view = game.initial_state(chance="explicit").view()
    assert view.structures["1315"] == "neutral_village"
    assert distance(game.tables, number(game, "1315"), number(game, "1418")) == 4


def test_r_07() -> None:
    """[R-07] No move ends over the limit: four in a hex, two in rough with British units among them."""
    state = at({"1036": "warrior warrior warrior warrior", "0936": "warrior"})
    assert "1036" not in verbs(play(state, "from 0936"), "to")
    state = at({"1136": "infantry queenite", "1137": "infantry queenite"}, half="british")
    assert "1136" not in verbs(play(state, "from 1137", "unit queenite"), "to")


def test_r_08() -> None:
    """[R-08] Māori take a town for 2 points; British units that enter it get them back."""
    state = at({"1034": "warrior warrior", "0934": "infantry"}, {"1136": "village"}, "combat")
    play(state, "target 1033", "with s all", PLAN, 6, "advance s")
    assert state.marker == -2 and state.view().taken == ("1033",)
    state = at({"0934": "infantry", "1539": "warrior"}, half="british", taken=["1033"], marker=-2)
    play(state, "from 0934", "to 1033")
    assert state.marker == 0 and state.view().taken == ()


def test_r_09() -> None:
    """[R-09] A captor needs a counter; without one the canoe is removed, for no points."""
    for own, owners in (("", ["maori"]), ("canoe " * 6, [])):
        state = at({"1133": "canoe@british", "1233": "warrior", "1539": own}, {"1136": "village"})
        play(state, "from 1233", "to 1133")
        assert [one.owner for one in state.view().pieces if one.at == "1133" and one.kind == "canoe"] == owners
        assert state.marker == 0


def test_r_10() -> None:
    """[R-10] Nobody decides anything in set-up: the first question is of reinforcement."""
    assert Game().initial_state(chance="explicit").stage == "reinforcement"


def test_r_11() -> None:
    """[R-11] A Disrupted village receives a reinforcement."""
    state = at({}, {"1136": "village/disrupted"}, "reinforcement", boxes={"maori": {"warrior": 1}}, turn=4)
    play(state, "unit warrior")
    assert pieces_at(state, "1136") == ["warrior"]


def test_r_12() -> None:
    """[R-12] The sap works unless Māori units are in its hex; the marker comes off in any case, and may lie again."""
    for there, said, marker in (("infantry", "village", 1), ("warrior", "pa", 0)):
        state = at(
            {"1133": there, "1033": "infantry", "1233": "infantry"}, {"1134": "pa", "1136": "village"}, "construction",
            turn=2, sap={"target": "1134", "hex": "1133"},
        )  # fmt: skip
        pass_by(state, "movement")
        assert state.view().half == "british" and state.view().structures["1134"] == said
        assert state.marker == marker and state.view().sap is None
        assert ("target 1134" in texts(state)) == (said == "pa")


def test_r_13() -> None:
    """[R-13] The path avoids hexes with enemy boats alone; who ends there may go on."""
    state = at({"0936": "warrior", "1036": "gunboat"}, {"0935": "settlement", "1136": "village"})
    play(state, "from 0936")
    assert "1036" in verbs(state, "to") and "1137" not in verbs(state, "to")
    play(state, "to 1036", "from 1036")
    assert "1137" in verbs(state, "to")


def test_r_14() -> None:
    """[R-14] A unit marches to a boat, is carried, and marches on."""
    state = at({"1033": "infantry", "1133": "gunboat", "1539": "warrior"}, half="british")
    play(state, "from 1033", "to 1133", "from 1133", "unit infantry", "to 0936", "from 0936")
    assert verbs(state, "to") >= {"1036"}


def test_r_15() -> None:
    """[R-15] Gunboats go from any coast to any other."""
    state = play(at({"0934": "gunboat infantry"}, half="british"), "from 0934", "unit gunboat")
    coast = {hex_id for hex_id in game_of().hexes if hex_id in game_of().ruleset.board.coastal}
    assert verbs(state, "to") == coast - {"0934"}


def test_r_16() -> None:
    """[R-16] Von Tempsky helps Rangers from 4, others from 5."""
    for kind, face, said in (("rangers", 4, ""), ("infantry", 4, "/disrupted"), ("infantry", 5, "")):
        state = at({"1133": f"{kind}/disrupted von_tempsky", "1033": "infantry"}, half="british")
        play(state, "done", face)
        assert kind + said in pieces_at(state, "1133")


def test_r_17() -> None:
    """[R-17] Leaders talk with a neutral pa, too."""
    state = at({"1007": "neutral", "0907": "nene queenite"}, {"1007": "neutral_pa"}, "alliance", "british", "flagstaff")
    assert "target 1007" in texts(state)


def test_r_18() -> None:
    """[R-18] The limit of the Bush Raider Box holds at each entry; leaders are free."""
    state = at({"taranaki": "warrior warrior warrior", "1034": "warrior heke"}, phase="bush")
    assert verbs(play(state, "from 1034"), "unit") in ({"heke"}, set()) and "heke" in pieces_at(state, "taranaki")


def test_r_19() -> None:
    """[R-19] Disrupted units may go into the bush."""
    state = play(at({"1034": "warrior/disrupted", "taranaki": "warrior"}, phase="bush"), "from 1034")
    assert "warrior/disrupted" in pieces_at(state, "taranaki")


def test_r_20() -> None:
    """[R-20] Nobody retreats from a raid: two against two militia, 3 and 1 more give R."""
    state = at({"taranaki": "warrior warrior", "1137": "militia militia"}, phase="bush")
    play(state, "territory taranaki", "target 1137", "go n", "unit warrior", "go n", 3)
    assert pieces_at(state, "1137") == ["militia", "militia"]


def test_r_21() -> None:
    """[R-21] Upgrades stand outside the designated area, new structures do not."""
    state = at({"1526": "warrior"}, {"1527": "village"}, "construction", scenario="campaign", turn=18)
    assert texts(state) == ["pass", "build 1527"]


def test_r_22() -> None:
    """[R-22] British units in the bush need no supply."""
    state = at({"taranaki": "militia", "1539": "infantry"}, {"1136": "village"}, "construction", "british", **WAITING)
    pass_by(state, "reinforcement")
    assert pieces_at(state, "1539") == ["infantry/disrupted"] and pieces_at(state, "taranaki") == ["militia"]


def test_r_23() -> None:
    """[R-23] A hex with a unit that has evaded is not a target."""
    state = at({"1034": "warrior", "1033": "infantry", "1235": "militia", "1136": "warrior"}, {}, "combat", "british")
    play(state, "target 1034", "evade", 6, "go se")
    while state.phase != "declare":
        play(state, "done")
    assert verbs(state, "target") == {"1136"}


def test_r_24() -> None:
    """[R-24] Water connects hexes of one river, and coastal hexes with sea between or beside them."""
    game = game_of()
    wet = {
        (hex_id, game.hexes[other])
        for hex_id, near, sides in zip(game.hexes, game.tables.neighbour, game.tables.wet, strict=True)
        for other, connected in zip(near, sides, strict=True)
        if connected
    }
    assert {("0934", "1033"), ("1133", "1134"), ("1134", "1133")} <= wet
    assert ("1033", "1034") not in wet and ("1034", "1135") not in wet


def test_r_25() -> None:
    """[R-25] Artillery may be the loss."""
    state = at({"1137": "militia artillery", "1136": "warrior warrior"}, {}, "combat", boxes={})
    play(state, "target 1137", "with n all", PLAN, 1, 5)
    assert set(texts(state)) == {"unit militia", "unit artillery"}


def test_r_26() -> None:
    """[R-26] The defender cannot decline his counter-attack: he chooses a side."""
    state = at({"1137": "militia militia", "1136": "warrior", "1036": "warrior"}, {}, "combat")
    play(state, "target 1137", "with n warrior", "with nw warrior", PLAN)
    assert texts(state) == ["counter n", "counter nw"] and state.current_player == 1


def test_r_27() -> None:
    """[R-27] An empty pa that nobody advances into suffers: R disrupts it, E reduces it for a point."""
    for die, said, marker in ((4, "pa/disrupted", 0), (6, "village", 1)):
        state = at({"1133": "infantry infantry"}, {"1134": "pa", "1136": "village"}, "combat", "british")
        play(state, "target 1134", "with n all", PLAN, 1, die, "done")
        assert state.view().structures["1134"] == said and state.marker == marker


def test_r_28() -> None:
    """[R-28] A pa absorbs what guns do, once a hit."""
    state = at({"1134": "warrior", "1133": "artillery"}, {"1134": "pa", "1136": "village"}, "combat", "british")
    play(state, "target 1134", "column units", 6)
    assert "absorb" in texts(state)
    play(state, "absorb", 4)
    assert state.view().structures["1134"] == "village" and pieces_at(state, "1134") == ["warrior"]


def test_r_29() -> None:
    """[R-29] A leader goes with the last unit that leaves."""
    state = at({"1034": "warrior heke", "1033": "infantry infantry"}, {"1136": "village"}, "combat", "british")
    stays(play(state, "target 1034", "with n all"), PLAN, 1, 3)
    play(state, "go se")
    assert pieces_at(state, "1135") == ["warrior", "heke"]


def test_r_30() -> None:
    """[R-30] A gunboat left alone goes to the nearest hex, of two the lower."""
    state = at({"1036": "infantry gunboat", "1136": "warrior warrior"}, {}, "combat")
    stays(play(state, "target 1036", "with ne all"), PLAN, 1, 5)
    assert pieces_at(state, "0936") == ["gunboat"]


def test_r_31() -> None:
    """[R-31] Upgrading the last settlement loses nothing; its removal ends the game."""
    state = at({"0934": "militia"}, {"0935": "settlement"}, "construction", "british", turn=2)
    play(state, "build 0935")
    assert state.view().structures["0935"] == "fort" and not state.is_terminal
    state = at({"1034": "warrior warrior", "1133": "infantry"}, {"0935": "settlement"}, "combat")
    play(state, "target 0935", "with ne all", PLAN, 6, "advance ne")
    assert state.is_terminal and state.outcome() is not None and state.view().winner == "maori"


def test_r_32() -> None:
    """[R-32] A gun alone only fires: no evasion, chit or counter-attack."""
    state = at({"1034": "warrior", "1033": "artillery"}, {}, "combat", "british")
    play(state, "target 1034")
    assert state.phase == "bombard"


def test_r_33() -> None:
    """[R-33] One gun takes part."""
    state = at({"1134": "warrior", "1133": "artillery gunboat infantry"}, {"1134": "pa"}, "combat", "british")
    play(state, "target 1134")
    assert {"n artillery", "n gunboat"} <= verbs(state, "with")
    play(state, "with n artillery")
    assert "n gunboat" not in verbs(state, "with")


def test_r_34() -> None:
    """[R-34] British stacks evade with a leader, single units without; Rangers and Queenites in any company."""
    for units, may in (
        ("infantry infantry", False), ("infantry infantry pratt", True), ("infantry", True), ("infantry rangers", True),
    ):  # fmt: skip
        state = at({"1137": units, "1136": "warrior warrior"}, {}, "combat")
        play(state, "target 1137", "with n all")
        assert ("evade" in texts(state)) == may


def test_r_35() -> None:
    """[R-35] All of a side advance together, with the leaders of their hex."""
    state = at({"1033": "infantry infantry pratt"}, {"1034": "village", "1136": "village"}, "combat", "british")
    play(state, "target 1034", "with n all", PLAN, 4, "advance n")
    assert pieces_at(state, "1034") == ["infantry", "infantry", "pratt"]


def test_r_36() -> None:
    """[R-36] There are forty chits."""
    assert [chit.n for chit in game_of().ruleset.chits] == list(range(1, 41))


def test_r_37() -> None:
    """[R-37] Disrupted units move, but a Disrupted gunboat carries nobody."""
    state = at({"1133": "infantry/disrupted gunboat/disrupted"}, half="british")
    play(state, "from 1133")
    assert verbs(state, "unit") == {"infantry/disrupted", "gunboat/disrupted"}
    assert not verbs(play(state, "unit gunboat/disrupted"), "unit")


def test_r_38() -> None:
    """[R-38] A Disrupted fort keeps modifier and strength: one against it is the lesser force, 6 - 2 gives A."""
    state = at({"1137": "militia", "1136": "warrior"}, {"1137": "fort/disrupted"}, "combat")
    stays(play(state, "target 1137"), PLAN, 1, 6)
    assert pieces_at(state, "1137") == ["militia/disrupted"]


def test_r_39() -> None:
    """[R-39] Leaders and boats alone are no target."""
    state = at(
        {"1137": "pratt", "1036": "gunboat", "1136": "warrior", "1033": "infantry", "1034": "warrior"}, {}, "combat"
    )
    assert verbs(state, "target") == {"1033"}


def test_r_40() -> None:
    """[R-40] A unit eliminated is a point for the other player, and waits in its Box."""
    state = at({"1137": "militia", "1136": "warrior warrior"}, {}, "combat")
    stays(play(state, "target 1137", "with n all"), PLAN, 1, 6)
    assert state.marker == -1 and state.view().boxes["british"] == {"militia": 1}


def test_r_41() -> None:
    """[R-41] A Queenite village is a structure of the British player for distances, and supplies no British unit."""
    state = at(
        {"1137": "militia"}, {"1136": "queenite_village", "0835": "settlement"}, "construction", "british", turn=2
    )
    assert "build 1137" in texts(state)
    state = at(
        {"1237": "infantry"}, {"1236": "queenite_village", "1134": "village"}, "construction", "british", **WAITING
    )
    assert pieces_at(pass_by(state, "reinforcement"), "1237") == ["infantry/disrupted"]


def test_r_42() -> None:
    """[R-42] Neutrals whom guns drive to the Māori are a point for them."""
    state = at({"1007": "neutral", "0907": "artillery"}, {"1007": "neutral_pa"}, "combat", "british", "flagstaff")
    play(state, "target 1007", 1)
    assert state.marker == -1 and pieces_at(state, "1007") == ["warrior"] and state.view().structures["1007"] == "pa"


def test_r_43() -> None:
    """[R-43] Militia without infantry attack at -1: one against one, 4 is A and not R."""
    state = at({"1034": "warrior", "1033": "militia"}, {"1136": "village"}, "combat", "british")
    stays(play(state, "target 1034"), PLAN, 1, 4)
    assert pieces_at(state, "1034") == ["warrior/disrupted"]


def test_r_44() -> None:
    """[R-44] All cavalry charges or none, and only where a unit is."""
    state = at({"1034": "warrior", "1033": "cavalry cavalry"}, {"1136": "village"}, "combat", "british")
    stays(play(state, "target 1034", "with n all"), PLAN)
    assert set(texts(state)) == {"charge", "pass"}
    state = at({"1033": "cavalry cavalry"}, {"1034": "village", "1136": "village"}, "combat", "british")
    play(state, "target 1034", "with n all", PLAN)
    assert state.phase == "attack"


def test_r_45() -> None:
    """[R-45] After a Counterstroke the defender declares one combat, without a chit."""
    state = at({"1034": "warrior warrior", "1033": "infantry"}, {"1136": "village"}, "combat", "british")
    stays(play(state, "target 1034"), 39, 1)
    assert state.current_player == 0 and texts(state) == ["pass", "target 1033"]
    stays(play(state, "target 1033", "with s all"))
    assert state.phase in ("counter", "attack")


def test_r_46() -> None:
    """[R-46] Infantry is surprised by raiders, constabulary is not: two against one, 1 and 1 more give A, else D."""
    for kind, both in (("infantry", True), ("constabulary", False)):
        state = at({"taranaki": "warrior warrior", "1137": f"{kind} {kind}"}, phase="bush")
        play(state, "territory taranaki", "target 1137", "go n", "unit warrior", "go n", 1)
        assert pieces_at(state, "1137").count(f"{kind}/disrupted") == (2 if both else 1)


def test_r_47() -> None:
    """[R-47] A leader who talked alone goes to a unit of his player within three hexes."""
    state = at({"1007": "neutral", "0907": "despard", "0808": "infantry", "1415": "infantry"},
               {"1007": "neutral_pa"}, "alliance", "british", "flagstaff")  # fmt: skip
    play(state, "target 1007", 3)
    assert texts(state) == ["pass", "place 0808"]


def test_r_48() -> None:
    """[R-48] Passing ends the phase, though a second unit might come."""
    state = Game("waikato").initial_state(chance="explicit")
    assert play(state, "pass").stage == "movement"


def test_r_49() -> None:
    """[R-49] Nobody attacks across water, but guns fire and leaders talk over it."""
    state = at({"1107": "warrior", "1006": "infantry artillery"}, {"0808": "village"}, "combat", "british", "flagstaff")
    play(state, "target 1107")
    assert state.phase == "bombard"
    state = at({"1007": "neutral", "1006": "nene"}, {"1007": "neutral_pa"}, "alliance", "british", "flagstaff")
    assert "target 1007" in texts(state)


def test_r_50() -> None:
    """[R-50] A gun in a combat that ends before the bombardment has not fired."""
    state = at(
        {"1134": "warrior", "1133": "infantry artillery", "1033": "infantry", "1034": "warrior"}, {"1136": "village"},
        "combat", "british",
    )  # fmt: skip
    play(state, "target 1134", "with n infantry", "with n artillery", "done", "evade", 6, "go se")
    while state.phase != "declare":
        play(state, "done")
    assert not any("bombarded" in one.did for one in state.view().pieces)


def test_r_51() -> None:
    """[R-51] A canoe is destroyed by its owner before it moves, not after."""
    state = play(at({"1133": "canoe warrior"}), "from 1133", "unit canoe")
    assert "scuttle" in texts(state)
    play(state, "to 1233")
    assert "canoe" not in {text.split()[-1] for text in texts(play(state, "from 1133")) if text.startswith("unit")}


def test_r_52() -> None:
    """[R-52] The shipment sails first; its pieces stay put and may fight."""
    state = Game("flagstaff").initial_state(chance="explicit")
    while state.phase != "ship_target":
        play(state, "pass" if "pass" in texts(state) else "done")
    target = sorted(verbs(state, "target"))[0]
    play(state, f"target {target}", "unit artillery", "done")
    assert state.phase == "move" and f"from {target}" not in texts(state)


def test_r_53() -> None:
    """[R-53] A leader who finds no room waits in the Box, and comes with the first unit."""
    state = at({"1332": "infantry", "1539": "warrior"}, {"1136": "village"}, "construction", "british", turn=1)
    pass_by(state, "reinforcement")
    assert state.view().boxes["maori"] == {"warrior": 1, "rewi": 1}
    play(state, "unit warrior")
    assert pieces_at(state, "1136") == ["warrior", "rewi"]
