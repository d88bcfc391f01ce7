"""The tables that the rules read, made from a ruleset and one of its scenarios."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hawaii_env.codec import Codec

from .actions import BLOCKS, make_codec
from .names import (
    BRITISH,
    BRITISH_ATTACKS,
    CANOE,
    CATEGORIES,
    CLEAR,
    COLUMNS,
    EFFECTS,
    IF_PA,
    IF_RIVER,
    IF_ROUGH,
    KINDS,
    LAKE,
    LEADER,
    MAORI,
    MAORI_ATTACKS,
    MIXED,
    NEUTRAL,
    NEUTRAL_UNIT,
    PLAIN,
    RESULTS,
    ROUGH,
    SIDES,
    STRUCTURES,
    WATER,
)
from .state import N_CHITS, TABLES

__all__ = ["DRY", "OFF", "WET", "Board", "make_tables"]

Data = Mapping[str, Any]

OFF, DRY, WET = -1, -2, -3
"""In `rules.around`: off the theatre, a mountain of it, water."""

STEPS = {
    1: {"n": (0, -1), "ne": (1, -1), "se": (1, 0), "s": (0, 1), "sw": (-1, 0), "nw": (-1, -1)},
    0: {"n": (0, -1), "ne": (1, 0), "se": (1, 1), "s": (0, 1), "sw": (-1, 1), "nw": (-1, 0)},
}
"""Neighbours of odd and even columns."""

AXIAL = ((0, -1), (1, -1), (1, 0), (0, 1), (-1, 1), (-1, 0))
"""The same steps in axial coordinates, by side."""

FAR = 99


def beside(hex_id: str, side: int) -> str:
    """Return the id of the hex next to another across a side, on the map or not."""
    column, row = int(hex_id[:2]), int(hex_id[2:])
    across, down = STEPS[column % 2][SIDES[side]]
    return f"{column + across:02d}{row + down:02d}"


def axial(hex_id: str) -> tuple[int, int]:
    """Return the axial coordinates of a hex."""
    column, row = int(hex_id[:2]), int(hex_id[2:])
    return column, row - (column + 1) // 2


class Board:
    """The map as a scenario's theatre shows it.

    Args:
        data: `map.toml`.
        theatre: the territories in play.

    Attributes:
        ids: the hexes that can be entered, ascending.
        number: their numbers by id.
        territories: ids of all territories of the map.
    """

    def __init__(self, data: Data, theatre: Sequence[str]) -> None:
        self.hexes: Data = data["hexes"]
        self.theatre: set[str] = set(theatre)
        self.land: list[str] = sorted(h for h, of in self.hexes.items() if of["territory"] in self.theatre)
        self.ids: list[str] = [h for h in self.land if self.hexes[h]["terrain"] != "mountain"]
        self.number: dict[str, int] = {h: n for n, h in enumerate(self.ids)}
        self.territories: list[str] = list(data["territories"])
        self.ocean: set[str] = set(data["water"]["ocean"])
        self.lake: set[str] = set(data["water"].get("lake", ()))
        self.kinds: dict[frozenset[str], int] = {
            frozenset(pair): kind
            for kind, name in ((MIXED, "mixed"), (WATER, "water"), (LAKE, "lake"))
            for pair in data["hexsides"][name]
        }
        self.rivers: Data = data["rivers"]
        self.river_steps: set[frozenset[str]] = set()
        self.navy_steps: set[frozenset[str]] = set()
        self.rivers_of: dict[str, set[str]] = {}
        self.navigable: set[str] = set()
        for name, river in self.rivers.items():
            hexes = river["hexes"]
            for index, hex_id in enumerate(hexes):
                self.rivers_of.setdefault(hex_id, set()).add(name)
                if index < river["navigable"]:
                    self.navigable.add(hex_id)
                if index:
                    step = frozenset((hexes[index - 1], hex_id))
                    self.river_steps.add(step)
                    if index < river["navigable"]:
                        self.navy_steps.add(step)

    def is_coastal(self, hex_id: str) -> bool:
        """Return True for a land hex that touches the sea."""
        return bool(self.hexes[hex_id].get("coast"))

    def side(self, hex_id: str, other: str) -> int:
        """Return the kind of the side between two hexes."""
        return self.kinds.get(frozenset((hex_id, other)), PLAIN)

    def wet(self, hex_id: str, other: str) -> bool:
        """[R-24] Return True if a water connection joins two neighbours."""
        if self.rivers_of.get(hex_id, set()) & self.rivers_of.get(other, set()):
            return True
        if not (self.is_coastal(hex_id) and self.is_coastal(other)):
            return False
        seas = {beside(hex_id, side) for side in range(6)} & {beside(other, side) for side in range(6)} & self.ocean
        return self.side(hex_id, other) != PLAIN or bool(seas)

    def sea_from(self, hex_id: str) -> dict[str, int]:
        """Return the coastal hexes that canoes reach from one over the sea alone, with the points it takes."""
        found: dict[str, int] = {}
        seen, front, cost = {hex_id}, [hex_id], 0
        while front:
            cost += 1
            ahead: list[str] = []
            for at in front:
                for side in range(6):
                    near = beside(at, side)
                    if near in self.ocean and near not in seen:
                        seen.add(near)
                        ahead.append(near)
                    elif at in self.ocean and near in self.number and self.is_coastal(near) and near != hex_id:
                        found.setdefault(near, cost)
            front = ahead
        return found

    def canoe_steps(self) -> list[dict[tuple[int, int], int]]:
        """[6.0] Return the steps of canoes from each hex: points by target and way, 1 by sea or along the coast, 0 by
        river or lake. Voyages over the sea that go by another coastal hex as cheaply are left out.
        """
        sea: list[dict[int, int]] = []
        steps: list[dict[tuple[int, int], int]] = []
        for hex_id in self.ids:
            own: dict[tuple[int, int], int] = {}
            voyages = self.sea_from(hex_id) if self.is_coastal(hex_id) else {}
            for side in range(6):
                near = beside(hex_id, side)
                if near in self.lake and self.hexes[hex_id].get("lake"):
                    for exit_ in (beside(near, out) for out in range(6)):
                        if exit_ != hex_id and exit_ in self.number and self.hexes[exit_].get("lake"):
                            own[self.number[exit_], 0] = 2
                if near not in self.number:
                    continue
                kind, both = self.side(hex_id, near), self.is_coastal(hex_id) and self.is_coastal(near)
                if both and kind in (MIXED, WATER):
                    voyages[near] = 1
                if kind == LAKE or frozenset((hex_id, near)) in self.river_steps:
                    own[self.number[near], 0] = 1
            sea.append({self.number[other]: cost for other, cost in voyages.items()})
            steps.append(own)
        for start, voyages in enumerate(sea):
            for end, cost in voyages.items():
                if not any(sea[via].get(end, FAR) + first <= cost for via, first in voyages.items() if via != end):
                    steps[start][end, 1] = cost
        return steps

    def around(self, hex_id: str, offsets: Sequence[tuple[int, int]]) -> list[int]:
        """Return what lies at each offset from a hex: a number, OFF, DRY or WET."""
        q, r = axial(hex_id)
        found: list[int] = []
        for across, down in offsets:
            column = q + across
            other = f"{column:02d}{r + down + (column + 1) // 2:02d}"
            if other in self.number:
                found.append(self.number[other])
            elif other in self.ocean or other in self.lake:
                found.append(WET)
            else:
                found.append(DRY if other in self.hexes and self.hexes[other]["territory"] in self.theatre else OFF)
        return found


def make_tables(data: Mapping[str, Data], scenario: str, levels: bool) -> tuple[Any, Board, Codec]:
    """Return a scenario's tables, map and action table.

    Args:
        data: the files of a ruleset by name: map, units, charts, dispatches, scenarios.
        scenario: its name.
        levels: True for graded wins.
    """
    plan: Data = data["scenarios"]["scenarios"][scenario]
    board = Board(data["map"], plan["theatre"])
    leaders = [name for name in data["units"]["leaders"] if name != "source"]
    codec = make_codec(leaders, board.territories, board.ids)
    n, territories = len(board.ids), len(board.territories)
    box = n + territories
    pieces = _pieces(data["units"], leaders, plan, board, box)
    arrivals = plan["arrivals"]
    steps = board.canoe_steps()
    coast = [h for h, hex_id in enumerate(board.ids) if board.is_coastal(hex_id)]
    rules = TABLES.new(
        hexes=n, places=box + 2 + len(arrivals), pieces=len(pieces), territories=territories, leaders=len(leaders),
        arrivals=len(arrivals), coast=len(coast), canoe_first=n + 1, canoe_to=sum(map(len, steps)),
        canoe_cost=sum(map(len, steps)), canoe_sea=sum(map(len, steps)),
    )  # fmt: skip
    rules.box, rules.out, rules.due, rules.levels, rules.coast = box, box + 1, box + 2, int(levels), coast
    for slot, (kind, owner, place) in enumerate(pieces):
        rules.start_kind[slot], rules.start_owner[slot], rules.start_place[slot] = kind, owner, place
    _write_map(rules, board, data["map"], plan)
    _write_canoes(rules, steps)
    _write_units(rules, data["units"], leaders, plan)
    _write_charts(rules, data["charts"])
    _write_chits(rules, data["dispatches"]["chits"])
    _write_scenario(rules, plan, board)
    for name in BLOCKS:
        setattr(rules, f"do_{name}", codec.block(name)[0])
    rules.actions = codec.size
    return rules, board, codec


def _pieces(units: Data, leaders: Sequence[str], plan: Data, board: Board, box: int) -> list[tuple[int, int, int]]:
    """Return kind, owner and place of every piece that the scenario can ever have, in the order of section 2."""
    found: list[tuple[int, int, int]] = []

    def add(kind: str, count: int, place: int, player: int) -> None:
        owner = {"british": BRITISH, "queenite": BRITISH, "maori": MAORI}[units["kinds"][kind]["side"]]
        found.extend([(KINDS.index(kind), player if kind == "canoe" else owner, place)] * count)

    def add_leaders(names: Sequence[str], place: int) -> None:
        for name in names:
            category = units["leaders"][name]["category"]
            owner = {"maori": MAORI, "neutral": NEUTRAL}.get(category, BRITISH)
            found.append((LEADER + leaders.index(name), owner, place))

    for line in plan["setup"]:
        place = board.number[line["at"]]
        british = any(units["kinds"][kind]["side"] != "maori" for kind in line.get("units", {}) if kind != "canoe")
        british = british or line.get("structure", "").startswith("queenite")
        for kind, count in line.get("units", {}).items():
            add(kind, count, place, BRITISH if british else MAORI)
        found.extend([(NEUTRAL_UNIT, NEUTRAL, place)] * line.get("neutral", 0))
        add_leaders(line.get("leaders", ()), place)
    for side, player in (("maori", MAORI), ("british", BRITISH)):
        for kind, count in plan["box"].get(side, {}).items():
            add(kind, count, box, player)
    for index, arrival in enumerate(plan["arrivals"]):
        for kind, count in arrival.get("units", {}).items():
            add(kind, count, box + 2 + index, MAORI if arrival["side"] == "maori" else BRITISH)
        add_leaders(arrival.get("leaders", ()), box + 2 + index)
    return sorted(found, key=lambda piece: (piece[2], piece[0]))


def _write_map(rules: Any, board: Board, data: Data, plan: Data) -> None:
    towns = set(data["towns"].values())
    for h, hex_id in enumerate(board.ids):
        of = board.hexes[hex_id]
        rules.axial[h] = list(axial(hex_id))
        rules.rough[h] = ROUGH if of["terrain"] == "rough" else CLEAR
        rules.coastal[h], rules.lake[h] = int(board.is_coastal(hex_id)), int(bool(of.get("lake")))
        rules.river[h], rules.navigable[h] = int(hex_id in board.rivers_of), int(hex_id in board.navigable)
        rules.territory[h] = board.territories.index(of["territory"])
        rules.designated[h] = int(of["territory"] in plan["designated"])
        rules.town[h] = int(hex_id in towns)
        for side in range(6):
            near = beside(hex_id, side)
            rules.neighbour[h][side] = rules.land[h][side] = board.number.get(near, -1)
            if near in board.number:
                kind = rules.side[h][side] = board.side(hex_id, near)
                if kind in (WATER, LAKE):
                    rules.land[h][side] = -1
                rules.wet[h][side] = int(board.wet(hex_id, near))
                rules.navy[h][side] = int(frozenset((hex_id, near)) in board.navy_steps)
    for t, name in enumerate(board.territories):
        rules.in_play[t] = int(name in board.theatre)
        for other in data["territories"][name]["neighbours"]:
            if name in board.theatre and other in board.theatre:
                rules.territory_near[t][board.territories.index(other)] = 1
    offsets = [(q, r) for q in range(-3, 4) for r in range(-3, 4) if abs(q + r) <= 3]
    for h, hex_id in enumerate(board.ids):
        rules.around[h] = board.around(hex_id, offsets)
    for at, (q, r) in enumerate(offsets):
        for side, (across, down) in enumerate(AXIAL):
            step = (q + across, r + down)
            rules.around_step[at][side] = offsets.index(step) if step in offsets else -1


def _write_canoes(rules: Any, steps: list[dict[tuple[int, int], int]]) -> None:
    at = 0
    for h, own in enumerate(steps):
        rules.canoe_first[h] = at
        for (to, way), cost in sorted(own.items()):
            rules.canoe_to[at], rules.canoe_sea[at], rules.canoe_cost[at] = to, way, cost
            at += 1
    rules.canoe_first[len(steps)] = at


def _write_units(rules: Any, units: Data, leaders: Sequence[str], plan: Data) -> None:
    for kind, name in enumerate(KINDS):
        of = units["kinds"][name]
        british = of["side"] == "british"
        rules.strength[kind], rules.move[kind] = of["strength"], of["move"]
        rules.enter[kind] = [of["cost"][terrain] for terrain in ("clear", "rough")] if "cost" in of else [FAR, FAR]
        rules.infantry[kind], rules.panic[kind] = int(of["infantry"]), of.get("panic", 0)
        rules.bush[kind] = int(of["bush"] and name not in plan["bush_banned"])
        rules.bonus[kind], rules.surprised[kind] = of.get("bonus", 0), int(of.get("surprised", False))
        rules.may_be_lost[kind] = int(of["loss"])
        if of["strength"]:
            rules.weight[kind] = 1 + 16 * british
        else:
            rules.weight[kind] = 256 if of["loss"] else 4096
        count = of["count"]
        if kind == CANOE:
            rules.counters[kind] = [count["maori"], count["queenite"]]
        else:
            rules.counters[kind] = [count, count]
        rules.arrives[kind] = ("town", "british", "queenite", "maori").index(of["place"])
    rules.weight[NEUTRAL_UNIT], rules.weight[LEADER] = 1, 4096
    rules.move[LEADER] = 4
    rules.bush[LEADER] = 1
    for structure, name in enumerate(STRUCTURES, start=1):
        rules.structure_counters[structure] = units["structures"][name]
    for n, name in enumerate(leaders):
        of = units["leaders"][name]
        rules.category[n] = CATEGORIES.index(of["category"])
        rules.bushman[n], rules.for_rangers[n] = int(of["bush"]), int(of.get("rangers", False))


def _faces(faces: Sequence[int]) -> int:
    return sum(1 << face for face in faces)


def _write_charts(rules: Any, charts: Data) -> None:
    for column, name in enumerate(("lesser", "equal", "greater")):
        rules.results[column] = [RESULTS.index(result) for result in charts["crt"][name]]
    for column, name in enumerate(COLUMNS):
        rules.bombardment[column] = [0, *(RESULTS.index(result) for result in charts["bombardment"][name])]
    rules.talks = [0, *(RESULTS.index(result) for result in charts["alliance"]["result"])]
    terrain, combat, evasion, rally = charts["terrain"], charts["combat"], charts["evasion"], charts["rally"]
    rules.attack_terrain = [terrain["attack"]["clear"], terrain["attack"]["rough"]]
    rules.fort_occupied, rules.fort_empty = terrain["fort_pa_occupied"], terrain["fort_pa_empty"]
    rules.stack, rules.stack_rough = terrain["stack"], terrain["stack_british_rough"]
    rules.transport, rules.carry = terrain["transport"], terrain["carry"]
    rules.charge, rules.militia_alone = combat["charge"], combat["militia_alone"]
    rules.sap_defence, rules.fort_strength = combat["sap_defence"], combat["fort_strength"]
    rules.absorb_faces = _faces(combat["absorb"])
    rules.evade_maori, rules.evade_hunted = _faces(evasion["maori"]), _faces(evasion["maori_hunted"])
    rules.evade_bush, rules.evade_leader = _faces(evasion["rangers_queenites"]), _faces(evasion["british_leader"])
    rules.evade_single = _faces(evasion["single_british"])
    rules.panic_structure = charts["panic"]["structure"]
    rules.rally_alone, rules.rally_british = rally["alone"], rally["british_leader"]
    rules.rally_ranger, rules.rally_queenite = rally["ranger_leader"], rally["queenite_leader"]
    rules.rally_maori = rally["maori_leader"]
    alliance, bush, supply = charts["alliance"], charts["bush"], charts["supply"]
    rules.sole_british, rules.maori_talks = alliance["british_sole"], alliance["maori"]
    rules.withdraw = alliance["withdraw"]
    rules.bush_limit = [bush["limit"]["maori"], bush["limit"]["british"]]
    rules.hunt_faces, rules.surprise = _faces(bush["hunt"]), bush["surprise"]
    rules.per_structure, rules.supply_range = supply["units_per_structure"], supply["british_range"]
    rules.build_range, rules.fort_cost = charts["construction"]["range"], charts["construction"]["fort_cost"]
    victory, points = charts["victory"], charts["points"]
    rules.decisive, rules.minor, rules.major = victory["decisive"], victory["minor"], victory["major"]
    rules.unit_points, rules.leader_points = points["unit"], points["leader"]
    rules.canoe_points, rules.town_points = points["maori_canoe"], points["town"]
    rules.alliance_points = points["alliance"]
    for structure, name in enumerate(STRUCTURES, start=1):
        rules.structure_points[structure] = points[name.split("_")[-1]]


def _write_chits(rules: Any, chits: Sequence[Data]) -> None:
    plain = {
        "maori_attacks": MAORI_ATTACKS, "british_attacks": BRITISH_ATTACKS, "rough": IF_ROUGH, "river": IF_RIVER,
        "pa": IF_PA,
    }  # fmt: skip
    sides = ("maori", "british", "attacker", "defender")
    for chit in chits:
        number = chit["n"]
        rules.once[number] = int(chit.get("once", False))
        rules.chit_attacker_has[number] = rules.chit_defender_has[number] = -1
        for condition in chit.get("if", ()):
            word, _, kind = condition.partition(" ")
            if word in plain:
                rules.chit_if[number] |= plain[word]
            elif word == "attacker_has":
                rules.chit_attacker_has[number] = KINDS.index(kind)
            else:
                rules.chit_defender_has[number] = KINDS.index(kind)
        for name, value in chit["effect"].items():
            if name == "amount":
                rules.chit_amount[number] = value
            elif name == "faces":
                rules.chit_faces[number] = _faces(value)
            else:
                rules.chit[number][EFFECTS.index(name)] = sides.index(value) + 1 if value in sides else int(value)


def _write_scenario(rules: Any, plan: Data, board: Board) -> None:
    rules.turns, rules.fort_limit, rules.has_sap = plan["turns"], plan["fort_limit"], int(plan["sap"])
    rules.per_turn = [plan["per_turn"]["maori"], plan["per_turn"]["british"]]
    shipment = plan.get("shipment")
    if shipment:
        rules.ship_turn, rules.ship_units = shipment["turn"], shipment["units"]
        rules.ship_from = board.number[shipment["from"]]
    rules.chits = sum(1 << n for n in range(1, N_CHITS + 1) if n not in plan["remove"])
    for line in plan["setup"]:
        if "structure" in line:
            rules.start_structure[board.number[line["at"]]] = STRUCTURES.index(line["structure"]) + 1
    for index, arrival in enumerate(plan["arrivals"]):
        rules.arrival_turn[index] = arrival["turn"]
        rules.arrival_player[index] = MAORI if arrival["side"] == "maori" else BRITISH
        rules.arrival_hex[index] = board.number[arrival["at"]]
