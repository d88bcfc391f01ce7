"""The data: what the shipped files hold, and what makes a ruleset wrong."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from moves import play

from hawaii_env.errors import RulesetError, StateError
from hawaii_env.maori_wars import Game
from hawaii_env.maori_wars.board import distance, neighbours
from hawaii_env.maori_wars.ruleset import Ruleset

from .helpers import pieces_at

SHIPPED = Ruleset.load()


def test_the_map() -> None:
    """547 land hexes, 30 of them mountains; 169 coastal; 328 hexes of sea and one of a lake."""
    board = SHIPPED.board
    terrains = [hex.terrain for hex in board.map.hexes.values()]
    assert len(board.land) == 547 and terrains.count("mountain") == 30 and len(terrains) - 30 == 517
    assert (len(board.coastal), len(board.ocean), board.lake) == (169, 328, {"2132"})
    assert len(board.territories) == 8 and len(board.towns) == 5 and set(board.towns) <= board.coastal


@pytest.mark.parametrize(
    ("scenario", "n", "turns", "chits", "pieces"),
    [("taranaki", 37, 4, 31, 26), ("flagstaff", 103, 4, 27, 32), ("waikato", 205, 6, 36, 61),
     ("campaign", 517, 18, 40, 69)],
)  # fmt: skip
def test_scenarios(scenario: str, n: int, turns: int, chits: int, pieces: int) -> None:
    """[14.0, R-05] Sizes of the theatres, turns, chits, and all pieces that a scenario can have."""
    one, theatre = SHIPPED.scenarios[scenario], SHIPPED.theatre(scenario)
    assert (theatre.n, one.turns, len(SHIPPED.chits_of(scenario))) == (n, turns, chits)
    assert list(theatre.hexes) == sorted(theatre.hexes) and len(theatre.cells) == len(set(theatre.cells))
    units = sum(sum(line.units.values()) + line.neutral for line in one.setup)
    units += sum(sum(line.units.values()) for line in one.arrivals) + sum(sum(b.values()) for b in one.box.values())
    leaders = sum(len(line.leaders) for line in (*one.setup, *one.arrivals))
    assert units + leaders == pieces


def test_neighbours() -> None:
    """[R-03] Sides are named from the north with the clock, and a side is the third on of the hex across."""
    assert neighbours("1134") == ("1133", "1233", "1234", "1135", "1034", "1033")
    assert neighbours("1034") == ("1033", "1134", "1135", "1035", "0935", "0934")
    for at in SHIPPED.board.land:
        assert all(neighbours(other)[(side + 3) % 6] == at for side, other in enumerate(neighbours(at)))
    assert distance("1315", "1418") == 4 == distance("1418", "1315") and distance("1134", "1134") == 0
    assert {distance("1134", other) for other in neighbours("1134")} == {1}


def test_a_unit_costs_what_the_page_says() -> None:
    """[3.0] Counters, points and limits of kinds."""
    kinds = SHIPPED.kinds
    assert [kind.move for kind in kinds.values()] == [4, 4, 4, 4, 5, 6, 3, 6, 5, 5, 8]
    assert [kinds[name].count for name in ("infantry", "warrior", "queenite")] == [14, 24, 12]
    assert len(SHIPPED.leaders) == 22 and [one for one in SHIPPED.leaders if SHIPPED.leaders[one].rangers] == [
        "von_tempsky", "jackson",
    ]  # fmt: skip


# ---- what is refused

NOTHING = "nothing"


def changed(file: str, path: str, value: Any) -> dict[str, Any]:
    """The content of a shipped file with one value set, added to a list (the path ends with +) or taken out."""
    content = SHIPPED.content[file]
    *above, last = path.split("/")
    table: Any = content
    for part in above:
        table = table[int(part) if isinstance(table, list) else part]
    if last == "+":
        table.append(value)
    elif value is NOTHING:
        del table[int(last) if isinstance(table, list) else last]
    else:
        table[int(last) if isinstance(table, list) else last] = value
    return {file: content}


MAP, UNITS, CHARTS, CHITS, SCENARIOS = (
    f"{name}.toml" for name in ("map", "units", "charts", "dispatches", "scenarios")
)
TARANAKI = "scenarios/taranaki/"
AT = "scenarios.taranaki"

REFUSED: tuple[tuple[str, str, Any, str], ...] = (
    # the map
    (MAP, "hexes/0201/terrain", "swamp", "[hexes.0201], key terrain: 'swamp' is not allowed; allowed: \"clear\""),
    (MAP, "hexes/0201/territory", "otago", "[hexes.0201], key territory: there is no territory 'otago'; allowed: auck"),
    (MAP, "hexes/9901", {"terrain": "clear", "territory": "auckland"}, "key hexes: 9901 is off the grid"),
    (MAP, "hexes/x1", {"terrain": "clear", "territory": "auckland"}, "[hexes], key x1: is not a name of this table"),
    (MAP, "water/ocean/+", "1134", "[water], key ocean: 1134 is land or water twice; allowed: each hex once"),
    (MAP, "water/ocean/+", "0101", "[water], key ocean: "),
    (MAP, "hexes/1134/coast", True, "[hexes.1134], key coast: True goes against the other tables of the map"),
    (MAP, "hexes/1134/lake", True, "[hexes.1134], key lake: True goes against the other tables of the map"),
    (MAP, "hexes/1134/rivers", ["waikato"], "[hexes.1134], key rivers: ('waikato',) goes against the other tables"),
    (MAP, "hexes/1134/places", ["huirangi"], "[hexes.1134], key places: ('huirangi',) goes against the other tables"),
    (MAP, "territories/wellington/neighbours", ["auckland"],
        "[territories.wellington], key neighbours: ['auckland'], but hexes touch those of central_interior, hawkes_ba"),
    (MAP, "hexsides/mixed/+", ["1134", "1334"], "[hexsides], key mixed: 1134 - 1334 is not a side between two land"),
    (MAP, "hexsides/lake/+", ["0101", "0201"], "[hexsides], key lake: 0101 - 0201 is not a side between two"),
    (MAP, "hexsides/water/+", ["1033", "1133"], "[hexsides], key water: 1033 - 1133 stands twice; allowed: each side"),
    (MAP, "rivers/waitara/hexes", ["1133", "1234"], "[rivers.waitara], key hexes: 1133 and 1234 do not touch"),
    (MAP, "rivers/waitara/hexes", ["1133", "1032"], "[rivers.waitara], key hexes: 1032 is not a land hex"),
    (MAP, "rivers/waitara/hexes", ["1133", "1133"], "[rivers.waitara], key hexes: ['1133', '1133']: a value comes"),
    (MAP, "rivers/waitara/navigable", 5, "[rivers.waitara], key navigable: 5 hexes of a river of 4; allowed: 0 to 4"),
    (MAP, "towns/napier", "1032", "[towns], key napier: 1032 is not a land hex; allowed: a land hex"),
    (MAP, "towns/napier", "3327", "[towns], key napier: 3327 is a mountain, which nobody enters [R-01]"),
    (MAP, "towns/napier", "1033", "table [towns]: two towns stand in one hex"),
    (MAP, "places/napier/hex", "1032", "[places.napier], key hex: 1032 is not a land hex"),
    (MAP, "places/napier/note", 3, "[places.napier], key note: is not text"),
    (MAP, "columns", 20, "key hexes: 2119 is off the grid"),
    (MAP, "source", NOTHING, "map.toml, key columns: has no source; allowed: a `source` in its table"),
    (MAP, "source", "guessed", "map.toml, key source: 'guessed' is not a source"),
    (MAP, "source", "ruling R-99", "map.toml, key source: 'ruling R-99' names no ruling of rulings.toml"),
    (MAP, "source", "printed 4.0,", "map.toml, key source: 'printed 4.0,' is not a source"),
    # units
    (UNITS, "kinds/infantry", NOTHING, "units.toml, table [kinds], key infantry: is missing"),
    (UNITS, "kinds/dragoons", {}, "table [kinds], key dragoons: is not a name of this table; allowed: infantry, naval"),
    (UNITS, "kinds/infantry/move", 0, "[kinds.infantry], key move: 0 is not allowed; allowed: a whole number 1 to 9"),
    (UNITS, "kinds/infantry/hats", 1, "[kinds.infantry], key hats: is not a key of this table; allowed: name, side"),
    (UNITS, "kinds/infantry/side", "maori", "[kinds.infantry], key side: 'maori': fixed by the rules"),
    (UNITS, "kinds/artillery/strength", 1, "[kinds.artillery], key strength: 1: fixed by the rules"),
    (UNITS, "kinds/artillery/stacks", True, "[kinds.artillery], key stacks: True: fixed by the rules"),
    (UNITS, "kinds/gunboat/loss", True, "[kinds.gunboat], key loss: True: fixed by the rules"),
    (UNITS, "kinds/gunboat/bush", True, "[kinds.gunboat], key bush: boats do not enter the bush [10.0]"),
    (UNITS, "kinds/gunboat/panic", 2, "[kinds.gunboat], key panic: boats have none, land units have it"),
    (UNITS, "kinds/warrior/cost", NOTHING, "[kinds.warrior], key cost: boats have none, land units have it"),
    (UNITS, "kinds/warrior/count", {"maori": 3, "queenite": 3}, "[kinds.warrior], key count: only canoes have counter"),
    (UNITS, "kinds/canoe/count", 6, "[kinds.canoe], key count: only canoes have counters of two sides"),
    (UNITS, "leaders/infantry", {"name": "A", "category": "maori", "bush": True},
        "[leaders], key infantry: is the name of a kind of unit"),
    (UNITS, "leaders/heke/category", "french", "[leaders.heke], key category: 'french' is not allowed; allowed: \"mao"),
    (UNITS, "leaders/heke/rangers", True, "[leaders.heke], key rangers: only a British leader leads Rangers [7.0, R-1"),
    (UNITS, "structures/pa", -1, "[structures], key pa: -1 is not allowed; allowed: a whole number 0 to 99"),
    (UNITS, "neutral/source", NOTHING, "[neutral], key count: has no source"),
    # charts
    (CHARTS, "crt/lesser", ["none"] * 8, "[crt], key lesser: has 8 items; allowed: a list, each \"none\", \"D\""),
    (CHARTS, "crt/equal/3", "X", "[crt], key equal: item 4: 'X' is not allowed; allowed: \"none\", \"D\", \"A\""),
    (CHARTS, "bombardment/units", ["none"] * 7, "[bombardment], key units: has 7 items"),
    (CHARTS, "bombardment/pa/0", "E", "[bombardment], key pa: item 1: 'E' is not allowed; allowed: \"none\", \"D\", "),
    (CHARTS, "alliance/result", ["none"] * 6, "[alliance], key result: has 6 items"),
    (CHARTS, "alliance/result/0", "maori", "[alliance], key result: item 1: 'maori' is not allowed"),
    (CHARTS, "combat/absorb", [4, 7], "[combat], key absorb: item 2: 7 is not allowed; allowed: a whole number 1 to 6"),
    (CHARTS, "evasion/maori", [4, 4], "[evasion], key maori: [4, 4]: a value comes twice; allowed: a list of differen"),
    (CHARTS, "victory/major", 10, "[victory], key major: minor, major and decisive do not ascend"),
    (CHARTS, "points/unit", NOTHING, "[points], key unit: is missing"),
    (CHARTS, "panic/source", NOTHING, "[panic], key structure: has no source"),
    # chits
    (CHITS, "chits/39", NOTHING, "table [chits], key n: chits are not numbered in order; allowed: 1 to 40"),
    (CHITS, "chits/39/n", 41, "[chits.40], key n: 41 is not allowed; allowed: a whole number 1 to 40"),
    (CHITS, "chits/39/n", 1, "table [chits], key n: chits are not numbered in order; allowed: 1 to 40"),
    (CHITS, "chits/0/if", ["snow"], "[chits.1], key if: item 1: 'snow' is not allowed; allowed: maori_attacks, britis"),
    (CHITS, "chits/0/if", ["attacker_has dragoons"], "key if: item 1: 'attacker_has dragoons' is not allowed"),
    (CHITS, "chits/0/effect", {"storm": True}, "[chits.1.effect], key storm: is not a key of this table; allowed: non"),
    (CHITS, "chits/0/effect", {}, "table [chits.1.effect]: does nothing"),
    (CHITS, "chits/0/effect", {"none": True, "attack": 1}, "[chits.1.effect], key none: stands beside an effect"),
    (CHITS, "chits/0/effect", {"leader_hit": "attacker"}, "[chits.1.effect], key faces: leader_hit and faces belong"),
    (CHITS, "chits/0/effect", {"points": "maori"}, "[chits.1.effect], key amount: points and amount belong together"),
    (CHITS, "chits/0/effect", {"disrupt": "defender"}, "[chits.1.effect], key disrupt: 'defender' is not allowed"),
    # scenarios
    (SCENARIOS, "default", "otago", "scenarios.toml, key default: 'otago' is not a scenario; allowed: flagstaff"),
    (SCENARIOS, TARANAKI + "theatre", ["otago"], f"[{AT}], key theatre: 'otago' is not a territory of the map"),
    (SCENARIOS, TARANAKI + "designated", ["waikato"], f"[{AT}], key designated: 'waikato' is not a territory of the"),
    (SCENARIOS, TARANAKI + "first", "March", f"[{AT}], key first: 'March' is not allowed; allowed: year and month"),
    (SCENARIOS, TARANAKI + "remove", [41], f"[{AT}], key remove: item 1: 41 is not allowed"),
    (SCENARIOS, TARANAKI + "remove", list(range(1, 41)), f"[{AT}], key remove: no chit is left"),
    (SCENARIOS, TARANAKI + "bush_banned", ["dragoons"], f"[{AT}], key bush_banned: item 1: 'dragoons' is not allowed"),
    (SCENARIOS, TARANAKI + "weather", "fair", f"[{AT}], key weather: is not a key of this table; allowed: name, turns"),
    (SCENARIOS, TARANAKI + "source", NOTHING, f"[{AT}], key name: has no source"),
    (SCENARIOS, TARANAKI + "setup/0/at", "1035", f"[{AT}.setup.1], key at: 1035 is a mountain, which nobody enters [R"),
    (SCENARIOS, TARANAKI + "setup/0/at", "1418", f"[{AT}.setup.1], key at: 1418 is outside the theatre [R-05]"),
    (SCENARIOS, TARANAKI + "setup/0/at", "0933", f"[{AT}.setup.1], key at: 0933 is not a land hex"),
    (SCENARIOS, TARANAKI + "setup/0/at", "1034", f"[{AT}.setup], key at: hex 1034 stands 2 times; allowed: each hex o"),
    (SCENARIOS, TARANAKI + "setup/0/units", {"warrior": 5}, f"[{AT}.setup.1], key units: 5 land units, over the limit"),
    (SCENARIOS, TARANAKI + "setup/+", {"at": "1332", "units": {"infantry": 2, "queenite": 1}},
        "key units: 3 land units, over the limit [4.0]; allowed: at most 2"),
    (SCENARIOS, TARANAKI + "setup/0/units", {"warrior": 1, "militia": 1},
        f"[{AT}.setup.1], key at: 1134 holds pieces of british and maori; allowed: one owner a hex"),
    (SCENARIOS, TARANAKI + "setup/0/neutral", 1, f"[{AT}.setup.1], key at: 1134 holds pieces of maori and neutral"),
    (SCENARIOS, TARANAKI + "setup/0/leaders", ["pratt"], f"[{AT}.setup.1], key at: 1134 holds pieces of british and m"),
    (SCENARIOS, TARANAKI + "setup/0/leaders", ["nobody"], f"[{AT}.setup.1], key leaders: there is no leader 'nobody'"),
    (SCENARIOS, TARANAKI + "setup/6/structure", "pa", f"[{AT}.setup.7], key at: 1033 holds pieces of british and maor"),
    (SCENARIOS, TARANAKI + "setup/6/structure", "settlement", f"[{AT}.setup.7], key structure: settlement on a town"),
    (SCENARIOS, TARANAKI + "setup/0/structure", "tower", f"[{AT}.setup.1], key structure: 'tower' is not allowed"),
    (SCENARIOS, TARANAKI + "setup/+", {"at": "1335", "units": {"gunboat": 1}},
        f"[{AT}.setup.10.units], key gunboat: 1335 is neither coastal nor on a dotted river [6.0]"),
    (SCENARIOS, TARANAKI + "setup/+", {"at": "1335", "units": {"canoe": 1}},
        f"[{AT}.setup.10.units], key canoe: 1335 is neither coastal nor on a lake or river [6.0]"),
    (SCENARIOS, TARANAKI + "setup/0/leaders", ["rewi"], f"[{AT}], key leaders: leader rewi stands 2 times"),
    (SCENARIOS, TARANAKI + "setup/+", {"at": "1332", "neutral": 5}, f"[{AT}.setup.10], key units: 5 land units, over"),
    (SCENARIOS, TARANAKI + "setup/+", {"at": "1332", "neutral": 1, "units": {"canoe": 1}},
        f"[{AT}.setup.10], key at: 1332 holds pieces of maori and neutral"),
    (CHARTS, "supply/british_range", 4, "[supply], key british_range: 4 is not allowed; allowed: a whole numb"),
    (UNITS, "kinds/artillery/count", 16, "[kinds.artillery], key count: 16, and one hex may have to hold them all"),
    (SCENARIOS, TARANAKI + "box/maori", {"warrior": 30}, f"[{AT}]: 37 warrior, and there are 24 counters; allowed: at"),
    (SCENARIOS, TARANAKI + "box/maori", {"canoe": 7}, f"[{AT}]: 7 canoe of maori, and there are 6 counters"),
    (SCENARIOS, TARANAKI + "box/maori", {"militia": 1}, f"[{AT}.box.maori], key militia: militia is not a kind of"),
    (SCENARIOS, TARANAKI + "box/french", {}, f"[{AT}.box], key french: is not a name of this table; allowed: maori"),
    (SCENARIOS, TARANAKI + "box/maori", NOTHING, f"[{AT}.box], key maori: is missing"),
    (SCENARIOS, TARANAKI + "arrivals/0/turn", 5, f"[{AT}.arrivals.1], key turn: turn 5 is after the last one; allowed"),
    (SCENARIOS, TARANAKI + "arrivals/0/at", "1035", f"[{AT}.arrivals.1], key at: 1035 is a mountain"),
    (SCENARIOS, TARANAKI + "arrivals/0/side", "british", f"[{AT}.arrivals.1.units], key warrior: warrior is not a"),
    (SCENARIOS, TARANAKI + "arrivals/0/leaders", ["cameron"], f"[{AT}.arrivals.1], key leaders: cameron is not a lead"),
    (SCENARIOS, TARANAKI + "shipment", {"turn": 9, "from": "1033", "units": 2},
        f"[{AT}.shipment], key turn: turn 9 is after the last one"),
    (SCENARIOS, TARANAKI + "shipment", {"turn": 1, "from": "1134", "units": 2},
        f"[{AT}.shipment], key from: 1134 is not coastal; allowed: a coastal hex of the theatre"),
    # pictures, names
    ("coast.toml", "lines/coast", [[0.0, 1.0]], "[lines], key coast: has 1 items"),
    ("coast.toml", "projection/row", 0, "[projection], key row: 0 is not allowed"),
    ("ruleset.toml", "sides/french", "French", "[sides], key french: is not a name of this table; allowed: maori, bri"),
)  # fmt: skip


@pytest.mark.parametrize(("file", "path", "value", "message"), REFUSED, ids=lambda one: str(one)[:60])
def test_bad_data(file: str, path: str, value: Any, message: str) -> None:
    """File, table, key and what is allowed are named, and nothing else is found."""
    with pytest.raises(RulesetError) as caught:
        Ruleset.load(changed(file, path, value))
    assert str(caught.value).startswith(file) and message in str(caught.value)


def test_order_of_kinds() -> None:
    """[3.0] The rules fix the order of kinds and structures."""
    content = SHIPPED.content[UNITS]
    content["kinds"] = dict(reversed(content["kinds"].items()))
    with pytest.raises(
        RulesetError, match=r"units.toml, table \[kinds\]: the order is fixed by the rules; allowed: infa"
    ):
        Ruleset.load({UNITS: content})


def test_structures_and_neutrals_beyond_their_counters() -> None:
    """[3.0] As units are."""
    content = SHIPPED.content[UNITS]
    content["structures"]["settlement"], content["neutral"]["count"] = 2, 2
    with pytest.raises(RulesetError) as caught:
        Ruleset.load({UNITS: content})
    for message in ("3 settlement, and there are 2 counters", "3 neutral units, and there are 2 counters"):
        assert message in str(caught.value)


def test_a_scenario_of_nothing() -> None:
    """[14.0, R-01] A theatre of a mountain alone; nothing but structures."""
    map, scenarios = SHIPPED.content[MAP], SHIPPED.content[SCENARIOS]
    map["territories"]["peak"] = {"name": "Peak", "source": "reconstructed"}
    map["hexes"]["1035"]["territory"] = "peak"
    bare = {"setup": [{"at": "1134", "structure": "pa"}], "arrivals": [], "box": {"maori": {}, "british": {}}}
    for change, why in (
        ({"theatre": ["peak"], "designated": []}, "key theatre: no hex of it can be entered"),
        (bare, "has no units and no leaders"),
    ):
        own = {"taranaki": scenarios["scenarios"]["taranaki"] | change}
        with pytest.raises(RulesetError, match=re.escape(why)):
            Ruleset.load({MAP: map, SCENARIOS: {"default": "taranaki", "scenarios": own}})


# ---- what is accepted


def test_a_folder_of_scenarios(tmp_path: Path) -> None:
    """[14.0] A folder may hold scenarios of its own, on the shipped map, with theatres of any territories.

    The JSON of a finished game knows who arrived in the last half.
    """
    text = """
default = "lake"
[scenarios.lake]
name = "Canoes on Taupō"
turns = 2
first = "1869-09"
theatre = ["central_interior", "hawkes_bay"]
designated = []
remove = [5]
per_turn = { maori = 0, british = 0 }
fort_limit = 0
bush_banned = []
sap = false
box = { maori = {}, british = {} }
arrivals = [{ turn = 2, side = "british", at = "2836", units = { infantry = 1 } }]
source = "reconstructed"
setup = [{ at = "2133", structure = "village", units = { warrior = 1, canoe = 1 } }, { at = "2836" }]
"""
    (tmp_path / SCENARIOS).write_text(text, encoding="utf-8")
    own = Ruleset.load(tmp_path)
    assert list(own.scenarios) == [own.default] == ["lake"] and own.about.kind == "variant"
    theatre = own.theatre("lake")
    assert {SHIPPED.board.territory(at) for at in theatre.hexes} == {"central_interior", "hawkes_bay"}
    assert theatre.n < theatre.land and len(own.chits_of("lake")) == 39 and own.hash != SHIPPED.hash
    state = Game("lake", rules=tmp_path).initial_state(seed=1)
    while not state.is_terminal:
        state.apply(state.legal_actions()[0])
    assert pieces_at(state, "2836") == ["infantry"] and state.view().half == "british"
    assert state.game.state_from_json(state.to_json()) == state


def test_an_inland_town() -> None:
    """[5.0, 6.0] A map may have one; no gunboat comes there from the Box."""
    map, scenarios = SHIPPED.content[MAP], SHIPPED.content[SCENARIOS]
    map["towns"]["inglewood"] = "1135"
    scenarios["scenarios"]["taranaki"]["box"]["british"] = {"gunboat": 1}
    state = Game(rules={MAP: map, SCENARIOS: scenarios}).initial_state(chance="explicit")
    while state.view().half == "maori":
        state.apply(state.legal_actions()[0])
    assert pieces_at(play(state, "unit gunboat"), "1033").count("gunboat") == 2


def test_a_mountain_behind_water() -> None:
    """[13.0] Supply crosses a mountain, but not the water before it."""
    map = SHIPPED.content[MAP]
    map["hexsides"]["lake"].append(["1035", "1036"])
    there = {"1036": "infantry", "0936": "warrior", "1136": "warrior"}
    for rules, starves in ((None, False), ({MAP: map}, True)):
        game = Game(rules=rules)
        fields: dict[str, Any] = {
            "turn": 4, "half": "british", "phase": "attrition", "step": "supply", "decides": "british",
            "structures": {"1034": "settlement"}, "cup": list(game.ruleset.chits_of("taranaki")),
            "pieces": [
                {"kind": kind, "owner": "british" if kind == "infantry" else "maori", "at": hex_}
                for hex_, kind in there.items()
            ],
            "out": {"warrior": game.tables.pieces - 3},
        }  # fmt: skip
        if starves:
            assert pieces_at(game.position(**fields), "1036") == ["infantry/disrupted"]
        else:
            with pytest.raises(StateError, match="nothing can be chosen"):
                game.position(**fields)


def canoe_steps(map: Any, start: str) -> dict[str, int]:
    """The steps of canoes from a hex of another map, with their points."""
    game = Game("campaign", rules={MAP: map})
    rules, at = game.tables, game.hexes.index(start)
    steps = range(rules.canoe_first[at], rules.canoe_first[at + 1])
    return {game.hexes[rules.canoe_to[step]]: rules.canoe_cost[step] for step in steps}


def test_canoes_on_other_lakes() -> None:
    """[6.0] Across a dashed side of a rim that the lake touches too; over two hexes of a lake."""
    map = SHIPPED.content[MAP]
    assert canoe_steps(map, "2232")["2133"] == 2
    map["hexsides"]["lake"].append(["2133", "2232"])
    assert canoe_steps(map, "2232")["2133"] == 1
    map = SHIPPED.content[MAP]
    del map["hexes"]["2232"]
    map["water"]["lake"].append("2232")
    assert canoe_steps(map, "2031")["2332"] == 3


def test_what_a_map_may_repeat() -> None:
    """Facts that follow from other tables may stand in a file if they agree; they play no part in the hash."""
    content = SHIPPED.content[MAP]
    content["hexes"]["1133"] |= {"coast": True, "lake": False, "rivers": ["waitara"]}
    content["territories"]["wellington"]["neighbours"] = ["hawkes_bay", "central_interior"]
    own = Ruleset.load({MAP: content})
    assert own.hash == SHIPPED.hash and own != SHIPPED


def test_sources() -> None:
    """Printed facts of the first scenario, rulings, and facts that no single key holds."""
    found = {(value.file, value.table, value.key): value.source for value in SHIPPED.provenance}
    assert found[SCENARIOS, "scenarios.flagstaff", "turns"] == found[SCENARIOS, "scenarios.flagstaff", "neutrals"]
    assert found[SCENARIOS, "scenarios.flagstaff", "turns"] == "printed 14.0"
    assert found[UNITS, "kinds.artillery", "loss"] == "ruling R-25" and found[CHARTS, "crt", "columns"] == "printed 9.0"
    assert {source for (file, *_), source in found.items() if file == "coast.toml"} == {"reconstructed"}
