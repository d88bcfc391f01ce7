"""The tables that the rules read, made from a ruleset and one of its scenarios."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hawaii_env.codec import Codec
from hawaii_env.maori_wars.board import Board, Theatre
from hawaii_env.maori_wars.charts import Charts, Chit
from hawaii_env.maori_wars.models import Scenario, Units
from hawaii_env.maori_wars.ruleset import Ruleset
from hawaii_env.maori_wars.setup import kind_owner, leader_owner, set_up_owners

from .actions import BLOCKS, make_codec
from .names import (
    BRITISH_ATTACKS,
    CATEGORIES,
    CLEAR,
    COLUMNS,
    DRY,
    EFFECTS,
    IF_PA,
    IF_RIVER,
    IF_ROUGH,
    KINDS,
    LAKE,
    LEADER,
    MAORI_ATTACKS,
    MIXED,
    NEUTRAL,
    NEUTRAL_UNIT,
    OFF,
    PLAIN,
    RESULTS,
    ROUGH,
    STRUCTURES,
    WATER,
    WET,
)
from .state import TABLES

__all__ = ["make_tables"]

AXIAL = ((0, -1), (1, -1), (1, 0), (0, 1), (-1, 1), (-1, 0))
"""Steps in axial coordinates, by side."""

DISC = tuple((q, r) for q in range(-3, 4) for r in range(-3, 4) if abs(q + r) <= 3)
"""Steps to the 37 hexes within 3."""

OWNERS = ("maori", "british", "neutral")
FAR = 99

Steps = list[dict[tuple[int, int], int]]
"""Steps of canoes from each hex: points by target and way."""


def make_tables(ruleset: Ruleset, scenario: str, levels: bool) -> tuple[Any, Codec]:
    """Return a scenario's tables and action table.

    Args:
        ruleset: the data.
        scenario: its name.
        levels: True for graded wins.
    """
    plan, board, theatre = ruleset.scenarios[scenario], ruleset.board, ruleset.theatre(scenario)
    leaders = list(ruleset.leaders)
    codec = make_codec(leaders, board.territories, theatre.hexes)
    box = theatre.n + len(board.territories)
    pieces = _pieces(ruleset, plan, theatre, box)
    steps = _canoe_steps(board, theatre)
    coast = [h for h, hex_id in enumerate(theatre.hexes) if hex_id in board.coastal]
    n_steps = sum(map(len, steps))
    rules = TABLES.new(
        hexes=theatre.n, places=box + 2 + len(plan.arrivals), pieces=len(pieces), territories=len(board.territories),
        leaders=len(leaders), arrivals=len(plan.arrivals), coast=len(coast), canoe_first=theatre.n + 1,
        canoe_to=n_steps, canoe_cost=n_steps, canoe_sea=n_steps,
    )  # fmt: skip
    rules.box, rules.out, rules.due, rules.levels, rules.coast = box, box + 1, box + 2, int(levels), coast
    for slot, (kind, owner, place) in enumerate(pieces):
        rules.start_kind[slot], rules.start_owner[slot], rules.start_place[slot] = kind, owner, place
    _write_hexes(rules, board, theatre, plan)
    _write_around(rules, board, theatre, plan)
    _write_canoes(rules, steps)
    _write_units(rules, ruleset.units, plan)
    _write_charts(rules, ruleset.charts)
    _write_chits(rules, ruleset.chits)
    _write_scenario(rules, plan, theatre)
    rules.chits = sum(1 << n for n in ruleset.chits_of(scenario))
    for name in BLOCKS:
        setattr(rules, f"do_{name}", codec.block(name)[0])
    rules.actions = codec.size
    return rules, codec


def _pieces(ruleset: Ruleset, plan: Scenario, theatre: Theatre, box: int) -> list[tuple[int, int, int]]:
    """Return kind, owner and place of every piece that the scenario can ever have, in the order of section 2."""
    leaders = list(ruleset.leaders)
    found: list[tuple[int, int, int]] = []

    def add(one: Any, place: int, player: str) -> None:
        for kind, count in one.units.items():
            owner = player if kind == "canoe" else kind_owner(kind)
            found.extend([(KINDS.index(kind), OWNERS.index(owner), place)] * count)
        for name in one.leaders:
            owner = leader_owner(ruleset.units, name)
            found.append((LEADER + leaders.index(name), OWNERS.index(owner), place))

    for line in plan.setup:
        place = theatre.number[line.at]
        add(line, place, set_up_owners(ruleset.board, ruleset.units, line)[0])
        found.extend([(NEUTRAL_UNIT, NEUTRAL, place)] * line.neutral)
    for player, units in plan.box.items():
        for kind, count in units.items():
            owner = player if kind == "canoe" else kind_owner(kind)
            found.extend([(KINDS.index(kind), OWNERS.index(owner), box)] * count)
    for index, arrival in enumerate(plan.arrivals):
        add(arrival, box + 2 + index, arrival.side)
    return sorted(found, key=lambda piece: (piece[2], piece[0]))


def _write_hexes(rules: Any, board: Board, theatre: Theatre, plan: Scenario) -> None:
    rivers = [river.hexes for river in board.map.rivers.values()]
    navy = {
        frozenset(river.hexes[i : i + 2])
        for river in board.map.rivers.values()
        for i in range(max(0, river.navigable - 1))
    }
    for h, hex_id in enumerate(theatre.hexes):
        column, row = int(hex_id[:2]), int(hex_id[2:])
        rules.axial[h] = [column, row - (column + 1) // 2]
        rules.rough[h] = ROUGH if board.terrain(hex_id) == "rough" else CLEAR
        rules.coastal[h], rules.lake[h] = int(hex_id in board.coastal), int(hex_id in board.lakeside)
        rules.river[h], rules.navigable[h] = int(hex_id in board.rivers), int(hex_id in board.navigable)
        rules.territory[h] = board.territories.index(board.territory(hex_id))
        rules.designated[h] = int(board.territory(hex_id) in plan.designated)
        rules.town[h] = int(hex_id in board.towns)
        for side, near in enumerate(theatre.neighbours[h]):
            if not 0 <= near < theatre.n:
                rules.neighbour[h][side] = rules.land[h][side] = -1
                if theatre.n <= near < theatre.land:  # a mountain: supply crosses its sides
                    rules.side[h][side] = theatre.sides[h][side]
                continue
            kind, other = theatre.sides[h][side], theatre.cells[near]
            rules.neighbour[h][side], rules.side[h][side] = near, kind
            rules.land[h][side] = -1 if kind in (WATER, LAKE) else near
            rules.navy[h][side] = int(frozenset((hex_id, other)) in navy)
            one_river = any(hex_id in river and other in river for river in rivers)
            rules.wet[h][side] = int(one_river or _one_sea(board, theatre, h, near, kind))


def _one_sea(board: Board, theatre: Theatre, one: int, other: int, kind: int) -> bool:
    """[R-24] Return True if two coastal neighbours have sea between or beside them."""
    if not {theatre.cells[one], theatre.cells[other]} <= board.coastal:
        return False
    both = set(theatre.neighbours[one]) & set(theatre.neighbours[other]) - {-1}
    return kind != PLAIN or any(theatre.cells[near] in board.ocean for near in both)


def _write_around(rules: Any, board: Board, theatre: Theatre, plan: Scenario) -> None:
    for t, name in enumerate(board.territories):
        rules.in_play[t] = int(name in plan.theatre)
        for other in board.territory_neighbours[name]:
            if name in plan.theatre and other in plan.theatre:
                rules.territory_near[t][board.territories.index(other)] = 1
    for h in range(theatre.n):
        q, r = rules.axial[h]
        for at, (across, down) in enumerate(DISC):
            column = q + across
            near = theatre.number.get(f"{column:02}{r + down + (column + 1) // 2:02}", OFF)
            if near >= theatre.n:
                near = DRY if near < theatre.land else WET
            rules.around[h][at] = near
    for at, (q, r) in enumerate(DISC):
        for side, (across, down) in enumerate(AXIAL):
            step = (q + across, r + down)
            rules.around_step[at][side] = DISC.index(step) if step in DISC else -1


def _voyages(theatre: Theatre, start: int, water: frozenset[str], shore: frozenset[str]) -> dict[int, int]:
    """Return the hexes of a shore that canoes reach from one over water alone, with the points it takes."""
    wet = [at in water for at in theatre.cells]
    found: dict[int, int] = {}
    seen, front, cost = {start}, [start], 0
    while front:
        cost += 1
        ahead: list[int] = []
        for at in front:
            for near in theatre.neighbours[at]:
                if near < 0 or near in seen:
                    continue
                if wet[near]:
                    seen.add(near)
                    ahead.append(near)
                elif wet[at] and near < theatre.n and theatre.cells[near] in shore:
                    found.setdefault(near, cost)
        front = ahead
    return found


def _canoe_steps(board: Board, theatre: Theatre) -> Steps:
    """[6.0, R-02] Return the steps of canoes from each hex; the way is 1 by sea or along the coast, 0 by river or lake.
    Voyages over the sea that go by another coastal hex as cheaply are left out.
    """
    rivers = {
        frozenset(river.hexes[i : i + 2]) for river in board.map.rivers.values() for i in range(len(river.hexes) - 1)
    }
    sea: list[dict[int, int]] = []
    steps: Steps = []
    for h, hex_id in enumerate(theatre.hexes):
        voyages = _voyages(theatre, h, board.ocean, board.coastal) if hex_id in board.coastal else {}
        lakes = _voyages(theatre, h, board.lake, board.lakeside) if hex_id in board.lakeside else {}
        own = {(far, 0): cost for far, cost in lakes.items()}
        for side, near in enumerate(theatre.neighbours[h]):
            if not 0 <= near < theatre.n:
                continue
            kind, other = theatre.sides[h][side], theatre.cells[near]
            if kind in (MIXED, WATER) and {hex_id, other} <= board.coastal:
                voyages[near] = 1
            if kind == LAKE or frozenset((hex_id, other)) in rivers:
                own[near, 0] = 1
        sea.append(voyages)
        steps.append(own)
    for start, voyages in enumerate(sea):
        for end, cost in voyages.items():
            if not any(sea[via].get(end, FAR) + first <= cost for via, first in voyages.items() if via != end):
                steps[start][end, 1] = cost
    return steps


def _write_canoes(rules: Any, steps: Steps) -> None:
    at = 0
    for h, own in enumerate(steps):
        rules.canoe_first[h] = at
        for (to, way), cost in sorted(own.items()):
            rules.canoe_to[at], rules.canoe_sea[at], rules.canoe_cost[at] = to, way, cost
            at += 1
    rules.canoe_first[len(steps)] = at


def _write_units(rules: Any, units: Units, plan: Scenario) -> None:
    for kind, name in enumerate(KINDS):
        of = units.kinds[name]
        rules.strength[kind], rules.move[kind] = of.strength, of.move
        rules.enter[kind] = [of.cost.clear, of.cost.rough] if of.cost else [FAR, FAR]
        rules.infantry[kind], rules.panic[kind] = int(of.infantry), of.panic or 0
        rules.bush[kind] = int(of.bush and name not in plan.bush_banned)
        rules.bonus[kind], rules.surprised[kind], rules.may_be_lost[kind] = of.bonus, int(of.surprised), int(of.loss)
        if of.strength:
            rules.weight[kind] = 1 + 16 * (of.side == "british")
        else:
            rules.weight[kind] = 256 if of.loss else 4096
        rules.counters[kind] = [of.count] * 2 if isinstance(of.count, int) else [of.count.maori, of.count.queenite]
        rules.arrives[kind] = ("town", "british", "queenite", "maori").index(of.place)
    rules.weight[NEUTRAL_UNIT], rules.weight[LEADER] = 1, 4096
    rules.move[LEADER], rules.bush[LEADER] = 4, 1
    for structure, name in enumerate(STRUCTURES, start=1):
        rules.structure_counters[structure] = units.structures[name]
    for n, leader in enumerate(units.leaders.values()):
        rules.category[n] = CATEGORIES.index(leader.category)
        rules.bushman[n], rules.for_rangers[n] = int(leader.bush), int(leader.rangers)


def _faces(faces: Sequence[int]) -> int:
    return sum(1 << face for face in faces)


def _write_charts(rules: Any, charts: Charts) -> None:
    for column, name in enumerate(("lesser", "equal", "greater")):
        rules.results[column] = [RESULTS.index(result) for result in getattr(charts.crt, name)]
    for column, name in enumerate(COLUMNS):
        rules.bombardment[column] = [0, *(RESULTS.index(result) for result in getattr(charts.bombardment, name))]
    rules.talks = [0, *(RESULTS.index(result) for result in charts.alliance.result)]
    terrain, combat, evasion, rally = charts.terrain, charts.combat, charts.evasion, charts.rally
    rules.attack_terrain = [terrain.attack.clear, terrain.attack.rough]
    rules.fort_occupied, rules.fort_empty = terrain.fort_pa_occupied, terrain.fort_pa_empty
    rules.stack, rules.stack_rough = terrain.stack, terrain.stack_british_rough
    rules.transport, rules.carry = terrain.transport, terrain.carry
    rules.charge, rules.militia_alone = combat.charge, combat.militia_alone
    rules.sap_defence, rules.fort_strength = combat.sap_defence, combat.fort_strength
    rules.absorb_faces = _faces(combat.absorb)
    rules.evade_maori, rules.evade_hunted = _faces(evasion.maori), _faces(evasion.maori_hunted)
    rules.evade_bush, rules.evade_leader = _faces(evasion.rangers_queenites), _faces(evasion.british_leader)
    rules.evade_single = _faces(evasion.single_british)
    rules.panic_structure = charts.panic.structure
    rules.rally_alone, rules.rally_british = rally.alone, rally.british_leader
    rules.rally_ranger, rules.rally_queenite = rally.ranger_leader, rally.queenite_leader
    rules.rally_maori = rally.maori_leader
    rules.sole_british, rules.maori_talks = charts.alliance.british_sole, charts.alliance.maori
    rules.withdraw = charts.alliance.withdraw
    rules.bush_limit = [charts.bush.limit.maori, charts.bush.limit.british]
    rules.hunt_faces, rules.surprise = _faces(charts.bush.hunt), charts.bush.surprise
    rules.per_structure, rules.supply_range = charts.supply.units_per_structure, charts.supply.british_range
    rules.build_range, rules.fort_cost = charts.construction.range, charts.construction.fort_cost
    victory, points = charts.victory, charts.points
    rules.decisive, rules.minor, rules.major = victory.decisive, victory.minor, victory.major
    rules.unit_points, rules.leader_points = points.unit, points.leader
    rules.canoe_points, rules.town_points = points.maori_canoe, points.town
    rules.alliance_points = points.alliance
    for structure, name in enumerate(STRUCTURES, start=1):
        rules.structure_points[structure] = getattr(points, name.split("_")[-1])


CONDITIONS = {
    "maori_attacks": MAORI_ATTACKS, "british_attacks": BRITISH_ATTACKS, "rough": IF_ROUGH, "river": IF_RIVER,
    "pa": IF_PA,
}  # fmt: skip


def _write_chits(rules: Any, chits: Sequence[Chit]) -> None:
    sides = ("maori", "british", "attacker", "defender")
    for chit in chits:
        number = chit.n
        rules.once[number] = int(chit.once)
        rules.chit_attacker_has[number] = rules.chit_defender_has[number] = -1
        for condition in chit.if_:
            word, _, kind = condition.partition(" ")
            if word in CONDITIONS:
                rules.chit_if[number] |= CONDITIONS[word]
            elif word == "attacker_has":
                rules.chit_attacker_has[number] = KINDS.index(kind)
            else:
                rules.chit_defender_has[number] = KINDS.index(kind)
        for name in chit.effect.model_fields_set:
            value = getattr(chit.effect, name)
            if name == "amount":
                rules.chit_amount[number] = value
            elif name == "faces":
                rules.chit_faces[number] = _faces(value)
            else:
                rules.chit[number][EFFECTS.index(name)] = sides.index(value) + 1 if value in sides else int(value)


def _write_scenario(rules: Any, plan: Scenario, theatre: Theatre) -> None:
    rules.turns, rules.fort_limit, rules.has_sap = plan.turns, plan.fort_limit, int(plan.sap)
    rules.per_turn = [plan.per_turn.maori, plan.per_turn.british]
    if plan.shipment is not None:
        rules.ship_turn, rules.ship_units = plan.shipment.turn, plan.shipment.units
        rules.ship_from = theatre.number[plan.shipment.from_]
    for line in plan.setup:
        if line.structure is not None:
            rules.start_structure[theatre.number[line.at]] = STRUCTURES.index(line.structure) + 1
    for index, arrival in enumerate(plan.arrivals):
        rules.arrival_turn[index], rules.arrival_player[index] = arrival.turn, OWNERS.index(arrival.side)
        rules.arrival_hex[index] = theatre.number[arrival.at]
