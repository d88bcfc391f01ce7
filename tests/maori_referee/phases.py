"""[5.0, 7.0, 8.0, 12.0, 13.0] Reinforcement, rally, alliance, construction, attrition."""

from __future__ import annotations

from collections.abc import Iterable

from .results import arrive, disrupt, vacated
from .table import BOX, OUT, Piece, Steps, Structure, Table, other_player

# Reinforcement


def reinforcement(table: Table) -> Steps[None]:
    """[5.0] Arrivals, then units from the Box."""
    for line in table.rules.scenario["arrivals"]:
        if line["turn"] == table.turn and line["side"] == table.mover:
            arrivals(table, line)
    for _ in range(table.rules.scenario["per_turn"][table.mover]):
        came = yield from from_box(table, table.mover)
        if not came:
            return


def arrivals(table: Table, line: dict) -> None:
    """[5.0, R-53] Units before leaders, each to the hex, or near it, or into the Box."""
    player = line["side"]
    names = [name for name, number in sorted_kinds(table, line.get("units", {})) for _ in range(number)]
    for name in (*names, *line.get("leaders", ())):
        leader = table.rules.leaders.get(name)
        piece = table.add(Piece(name, player, BOX, leader.category if leader else ""))
        goal = arrival_hex(table, piece, line["at"])
        if goal is None:
            table.events["arrival into the Box"] += 1
        else:
            table.events["arrival" if goal == line["at"] else "arrival elsewhere"] += 1
            arrive(table, goal, piece)


def sorted_kinds(table: Table, units: dict[str, int]) -> list[tuple[str, int]]:
    """Kinds in the order of the file."""
    return sorted(units.items(), key=lambda item: table.rules.kind_order.index(item[0]))


def arrival_hex(table: Table, piece: Piece, named: str) -> str | None:
    """[5.0] Where an arrival appears."""
    player = piece.owner

    def holds(hex_id: str) -> bool:
        return table.open(hex_id, player) and table.room(hex_id, player, piece)

    def quiet(hex_id: str) -> bool:
        near = table.rules.land_around(hex_id).values()
        return holds(hex_id) and not any(table.enemy_units(other, player) for other in near)

    if holds(named):
        return named
    beside = [hex_id for hex_id in sorted(table.rules.land_around(named).values()) if quiet(hex_id)]
    if beside:
        return beside[0]
    coasts = [hex_id for hex_id in table.rules.open_land if table.rules.land[hex_id].coast and quiet(hex_id)]
    if player == "british" and coasts:
        return min(coasts, key=lambda hex_id: (table.rules.distance(named, hex_id), hex_id))
    return None


def places(table: Table, piece: Piece) -> list[str]:
    """[5.0, R-11] Where a unit of the Box may appear."""
    where = table.rules.kinds[piece.name]["place"]
    if piece.name == "canoe" and piece.owner == "british":
        where = "queenite"
    kinds = {
        "town": (),
        "british": ("settlement", "fort"),
        "maori": ("village", "pa"),
        "queenite": ("queenite_village", "queenite_pa"),
    }[where]
    towns = [hex_id for hex_id, taken in table.towns.items() if not taken and where in ("town", "british")]
    found = {hex_id for hex_id, structure in table.structures.items() if structure.kind in kinds}
    return sorted(
        hex_id
        for hex_id in found.union(towns)
        if table.room(hex_id, piece.owner, piece)
        and (piece.owner == "maori" or table.rules.land[hex_id].territory in table.rules.designated)
    )


def from_box(table: Table, player: str) -> Steps[bool]:
    """[5.0] A player may take a unit from his Box; leaders there come with it."""
    options: dict[str, Piece | None] = {}
    for piece in table.in_box(player):
        if piece.leader or not places(table, piece):
            continue
        if piece.native and len(table.in_play(piece.name, player)) >= table.supplied(piece.name):
            table.events["Box without supply"] += 1
            continue
        options.setdefault(f"unit {piece.name}", piece)
    piece = yield from table.choose(player, options | {"pass": None})
    if piece is None:
        return False
    goal = yield from table.choose(player, {f"place {hex_id}": hex_id for hex_id in places(table, piece)})
    leaders = [other for other in table.in_box(player) if other.leader]
    table.events["leader out of the Box"] += len(leaders)
    table.events["from the Box"] += 1
    arrive(table, goal, piece, *leaders)
    return True


# Rally


def face_of(table: Table, leader: Piece, unit: Piece) -> int:
    """[7.0, R-16] The least face on which a leader's unit rallies."""
    chart = table.rules.charts["rally"]
    if leader.category == "british":
        hunts = table.rules.leaders[leader.name].rangers and unit.name == "rangers"
        return chart["ranger_leader" if hunts else "british_leader"]
    return chart[f"{leader.category}_leader"]


def rally(table: Table) -> Steps[None]:
    """[7.0] Leaders aid one Disrupted unit each; then all Disrupted units roll."""
    player = table.mover
    here = [*table.on_map(player), *table.in_bush(player)]
    faces: dict[Piece, int] = {}
    leaders = [piece for piece in here if piece.leader]
    for leader in sorted(leaders, key=table.order):
        options: dict[str, Piece] = {}
        for unit in table.at(leader.place, player):
            own = leader.category != "queenite" or unit.name in ("queenite", "canoe")
            if unit.disrupted and own and unit not in faces:
                options.setdefault(f"unit {unit.text}", unit)
        if options:
            unit = yield from table.choose(player, options)
            faces[unit] = face_of(table, leader, unit)
    unaided: int = table.rules.charts["rally"]["alone"]
    rank = {piece: index for index, piece in enumerate(here)}
    first = {(piece.place, piece.text): rank[piece] for piece in reversed(here)}
    for unit in sorted(
        (piece for piece in here if piece.disrupted),
        key=lambda unit: (first[unit.place, unit.text], faces.get(unit, 7)),
    ):
        face = yield from table.roll("rally")
        if face >= faces.get(unit, unaided):
            table.events["rallied"] += 1
            unit.disrupted = False


# Alliance


def join(table: Table, hex_id: str, player: str) -> None:
    """[8.0] Neutrals become a player's; what has no counter is lost."""
    category = "maori" if player == "maori" else "queenite"
    village, pa = ("village", "pa") if player == "maori" else ("queenite_village", "queenite_pa")
    structure = table.structures.pop(hex_id, None)
    if structure is not None:
        wanted = [pa, village] if structure.kind == "neutral_pa" else [village]
        left = [kind for kind in wanted if table.counter_left(kind)]
        table.events[f"joined {structure.kind}"] += 1
        if left:
            table.structures[hex_id] = Structure(left[0], structure.disrupted)
        else:
            table.events["joined without a counter"] += 1
    for piece in table.at(hex_id, "neutral"):
        if piece.leader:
            piece.owner, piece.category = player, category
            table.events["neutral leader joined"] += 1
        elif table.unit_counter_left("warrior" if player == "maori" else "queenite", player):
            piece.owner, piece.name = player, "warrior" if player == "maori" else "queenite"
        else:
            table.put(OUT, piece)
    table.events[f"joined {player}"] += 1


def alone(table: Table, leader: Piece) -> bool:
    """[8.0] No other piece and no structure is in the leader's hex."""
    town = table.towns.get(leader.place) is False
    return len(table.at(leader.place)) == 1 and leader.place not in table.structures and not town


def alliance(table: Table) -> Steps[None]:
    """[8.0, R-17] Leaders talk to neutral villages and pa beside them."""
    player = table.mover
    talked: set[Piece] = set()
    asked: set[str] = set()
    while True:
        able: dict[str, list[Piece]] = {}
        for hex_id, structure in sorted(table.structures.items()):
            if structure.kind.startswith("neutral") and hex_id not in asked:
                near = [
                    leader
                    for other in table.rules.land_around(hex_id).values()
                    for leader in table.leaders(other, player)
                    if leader not in talked
                ]
                if near:
                    able[hex_id] = sorted(near, key=table.order)
        options: dict[str, str | None] = {f"target {hex_id}": hex_id for hex_id in able}
        target = yield from table.choose(player, options | {"done": None})
        if target is None:
            return
        leader = yield from table.choose(player, {f"unit {leader.name}": leader for leader in able[target]})
        talked.add(leader)
        asked.add(target)
        yield from negotiate(table, target, leader)


def negotiate(table: Table, target: str, leader: Piece) -> Steps[None]:
    """[8.0, R-47] One talk, and the way back of a leader who is alone."""
    chart, player = table.rules.charts["alliance"], leader.owner
    modifier = chart["maori"] if leader.category == "maori" else 0
    if leader.category == "british" and alone(table, leader):
        table.events["sole British leader talks"] += 1
        modifier = chart["british_sole"]
    face = yield from table.roll("alliance")
    result = chart["result"][min(max(face + modifier, 1), 7) - 1]
    table.events[f"alliance {result}"] += 1
    if result == "own":
        join(table, target, player)
    elif result == "opponent":
        join(table, target, other_player(player))
        table.score(other_player(player), table.worth("alliance"))
    if not alone(table, leader):
        return
    homes = sorted({unit.place for unit in table.on_map(player) if unit.land_unit})
    near: dict[str, str | None] = {
        f"place {hex_id}": hex_id for hex_id in homes if table.rules.distance(leader.place, hex_id) <= chart["withdraw"]
    }
    home = yield from table.choose(player, near | {"pass": None})
    if home is not None:
        table.events["leader withdraws"] += 1
        table.put(home, leader)


# Construction


def builds(table: Table, hex_id: str, player: str) -> list[str]:
    """[12.0] What may be built or repaired in a hex."""
    rules, structure, town = table.rules, table.structure(hex_id), table.towns.get(hex_id)
    found: list[str] = []
    village, pa = ("village", "pa") if player == "maori" else ("queenite_village", "queenite_pa")
    if not disturbed(table, hex_id, player):
        new = structure is None and town is None and rules.land[hex_id].territory in rules.designated
        if new and near_structure(table, hex_id, player):
            ready = {unit.name for unit in table.land_units(hex_id, player) if unit.ready}
            if "militia" in ready and table.counter_left("settlement"):
                found.append("settlement")
            if ready & {"warrior", "queenite"} and table.counter_left(village):
                found.append("village")
        calm = "" if structure is None or structure.disrupted else structure.kind
        fort_here = calm == "settlement" or (town is False and structure is None)
        limit = rules.scenario["fort_limit"]
        if player == "british" and fort_here and table.forts_built < limit and table.counter_left("fort"):
            found.append("fort")
        if calm == village and table.counter_left(pa):
            found.append("pa")
    if structure and structure.disrupted and table.owns(player, structure.kind):
        found.append("repair")
    return found


def disturbed(table: Table, hex_id: str, player: str) -> bool:
    """[12.0] An enemy unit is in the hex or beside it, or a ready enemy structure beside it."""
    enemy = other_player(player)
    beside = table.rules.land_around(hex_id).values()
    if any(table.enemy_units(other, player) for other in (hex_id, *beside)):
        return True
    for other in beside:
        structure = table.structure(other, enemy)
        if table.own_town(other, enemy) or (structure and not structure.disrupted):
            return True
    return False


def near_structure(table: Table, hex_id: str, player: str) -> bool:
    """[12.0] Within 3 of a structure of the player."""
    reach = table.rules.charts["construction"]["range"]
    return any(
        table.has_structure(other, player) and table.rules.distance(hex_id, other) <= reach
        for other in (*table.structures, *table.towns)
    )


def construction(table: Table) -> Steps[None]:
    """[12.0] Build, upgrade or repair one thing, or `pass`."""
    player = table.mover
    able = {hex_id: found for hex_id in table.rules.open_land if (found := builds(table, hex_id, player))}
    options: dict[str, str | None] = {f"build {hex_id}": hex_id for hex_id in able}
    hex_id = yield from table.choose(player, options | {"pass": None})
    if hex_id is None:
        return
    what = yield from table.choose(player, {f"structure {name}": name for name in able[hex_id]})
    prefix = "queenite_" if player == "british" else ""
    table.events[f"build {prefix if what in ('village', 'pa') else ''}{what}"] += 1
    if what == "repair":
        table.structures[hex_id].disrupted = False
    else:
        if what == "fort" and hex_id in table.towns:
            table.events["fort on a town"] += 1
        table.structures[hex_id] = Structure(prefix + what if what in ("village", "pa") else what)
        if what == "fort":
            table.forts_built += 1
            table.score("maori", table.rules.charts["construction"]["fort_cost"])


# Attrition


def attrition(table: Table) -> Steps[None]:
    """[13.0] Too many warriors; British units out of supply, too many Queenites."""
    if table.mover == "maori":
        yield from starve(table, "warrior", "maori")
        return
    lost = [
        unit
        for unit in table.on_map("british")
        if unit.land_unit and table.rules.kinds[unit.name]["side"] == "british" and not in_supply(table, unit.place)
    ]
    if lost:
        table.events["out of supply"] += 1
        unit = yield from pick(table, "british", lost)
        place = unit.place
        yield from disrupt(table, unit)
        if unit.place != place:
            table.events["panic out of supply"] += 1
            vacated(table, "british", place, None)
    yield from starve(table, "queenite", "british")


def starve(table: Table, name: str, player: str) -> Steps[None]:
    """[13.0] One unit too many goes out of the game."""
    units = table.in_play(name, player)
    if len(units) > table.supplied(name):
        table.events[f"starved {name}"] += 1
        unit = yield from pick(table, player, units)
        table.put(OUT, unit)


def pick(table: Table, player: str, units: Iterable[Piece]) -> Steps[Piece]:
    """`from` or `territory`, and `unit`."""
    by_place: dict[str, list[Piece]] = {}
    for unit in units:
        by_place.setdefault(unit.place, []).append(unit)
    words = {f"territory {p.split()[1]}" if p.startswith("bush ") else f"from {p}": p for p in by_place}
    place = yield from table.choose(player, words)
    unit = yield from table.choose(player, {f"unit {unit.text}": unit for unit in by_place[place]})
    return unit


def in_supply(table: Table, hex_id: str) -> bool:
    """[13.0] A line of at most 3 steps leads to a town, settlement or fort; over water to where a gunboat lies."""
    homes = [
        home
        for home in (*table.structures, *table.towns)
        if table.own_town(home, "british")
        or ((structure := table.structure(home)) is not None and structure.kind in ("settlement", "fort"))
    ]
    naval = {home for home in homes if any(boat.name == "gunboat" for boat in table.boats(home, "british"))}
    by_land, by_water = line(table, hex_id, False), line(table, hex_id, True)
    if not by_land.intersection(homes) and by_water & naval:
        table.events["supply by water"] += 1
    return bool(by_land.intersection(homes) or by_water & naval)


def line(table: Table, start: str, by_water: bool) -> set[str]:
    """[13.0] The hexes that a line of supply can lead to."""
    found = {start}
    for _ in range(table.rules.charts["supply"]["british_range"]):
        for hex_id in tuple(found):
            for other in table.rules.supply_steps(hex_id, by_water):
                blocked = table.enemy_units(other, "british") or table.structure(other, "maori") is not None
                if not blocked:
                    found.add(other)
    return found
