"""[10.0] The bush raider phase: into the bush, out of it, raids and hunts."""

from __future__ import annotations

from collections.abc import Callable

from .combat import compare, result_of
from .results import apply, arrive, disrupt, eliminate, units_by_text
from .table import Piece, Steps, Table, other_player


def bush_raiders(table: Table) -> Steps[None]:
    """[10.0] Pieces enter the bush, and those there act, until `done`."""
    player = table.mover
    table.acted.clear()
    while True:
        options: dict[str, str | None] = {}
        for piece in table.on_map(player):
            if may_enter(table, piece):
                options[f"from {piece.place}"] = piece.place
        for piece in table.in_bush(player):
            if piece not in table.acted:
                options[f"territory {piece.place.split()[1]}"] = piece.place
        options["done"] = None
        place = yield from table.choose(player, options)
        if place is None:
            table.acted.clear()
            return
        if place.startswith("bush "):
            yield from act(table, place.split()[1])
        else:
            pieces = [piece for piece in table.at(place, player) if may_enter(table, piece)]
            piece = yield from table.choose(player, first(pieces))
            table.events["into the bush"] += 1
            table.put(f"bush {table.rules.land[place].territory}", piece)
            table.acted.add(piece)


def first(pieces: list[Piece]) -> dict[str, Piece]:
    """`unit` for each kind and condition."""
    return {f"unit {piece.text}": piece for piece in reversed(pieces)}


def may_enter(table: Table, piece: Piece) -> bool:
    """[10.0, R-18, R-19] A leader, or a unit of a kind that may, within the limit."""
    if piece in table.acted:
        return False
    if piece.leader:
        return True
    inside = sum(not other.leader for other in table.in_bush(piece.owner))
    allowed = table.rules.kinds[piece.name]["bush"] and piece.name not in table.rules.scenario["bush_banned"]
    return bool(allowed) and inside < table.rules.charts["bush"]["limit"][piece.owner]


def hexes_of(table: Table, territory: str) -> list[str]:
    """The hexes of a territory that can be entered."""
    return [hex_id for hex_id in table.rules.open_land if table.rules.land[hex_id].territory == territory]


def fits(table: Table, piece: Piece, hex_id: str) -> bool:
    """Open, and within the limit."""
    return table.open(hex_id, piece.owner) and table.room(hex_id, piece.owner, piece)


def raid_sides(table: Table, piece: Piece, territory: str, target: str) -> dict[str, str]:
    """Where a raider can appear beside the target: `go`."""
    return {
        f"go {side}": hex_id
        for side, hex_id in table.rules.land_around(target).items()
        if table.rules.passable(target, hex_id)
        and table.rules.land[hex_id].territory == territory
        and fits(table, piece, hex_id)
    }


def act(table: Table, territory: str) -> Steps[None]:
    """[10.0] A piece in the bush does one thing."""
    player = table.mover
    enemy = other_player(player)
    here = f"bush {territory}"
    waiting = [piece for piece in table.at(here, player) if piece not in table.acted]
    piece = yield from table.choose(player, first(waiting))
    deeds: dict[str, Callable[[], Steps[None]]] = {"stay": lambda: stay(table)}
    for other in table.rules.territory_neighbours[territory]:
        deeds[f"territory {other}"] = lambda other=other: move_on(table, piece, other)
    for hex_id in hexes_of(table, territory):
        if fits(table, piece, hex_id):
            deeds[f"place {hex_id}"] = lambda hex_id=hex_id: come_out(table, piece, hex_id)
    if piece.ready:
        for hex_id in table.rules.open_land:
            unfortified = table.structure(hex_id) is None and hex_id not in table.towns
            if unfortified and table.land_units(hex_id, enemy) and raid_sides(table, piece, territory, hex_id):
                deeds[f"target {hex_id}"] = lambda hex_id=hex_id: raid(table, piece, territory, hex_id)
        if any(not other.leader for other in table.at(here, enemy)):
            deeds["hunt"] = lambda: hunt(table, piece, territory)
    deed = yield from table.choose(player, deeds)
    table.acted.add(piece)
    yield from deed()


def stay(table: Table) -> Steps[None]:
    """Nothing."""
    table.events["stays in the bush"] += 1
    yield from ()


def move_on(table: Table, piece: Piece, territory: str) -> Steps[None]:
    """To a territory beside."""
    table.events["through the bush"] += 1
    table.put(f"bush {territory}", piece)
    yield from ()


def come_out(table: Table, piece: Piece, hex_id: str) -> Steps[None]:
    """Back to the map."""
    table.events["out of the bush"] += 1
    arrive(table, hex_id, piece)
    yield from ()


def companions(table: Table, territory: str) -> list[Piece]:
    """Ready units and leaders who may join a raid or hunt."""
    return [
        piece
        for piece in table.at(f"bush {territory}", table.mover)
        if piece not in table.acted and (piece.ready or piece.leader)
    ]


def raid_modifier(table: Table, raiders: list[Piece], raided: list[Piece]) -> int:
    """[10.0, R-46] The best bonus of a raider, and surprise."""
    hunters = any(piece.leader and table.rules.leaders[piece.name].rangers for piece in raiders)
    bonus = [0]
    for piece in raiders:
        if not piece.leader and (piece.name != "rangers" or hunters):
            bonus.append(table.rules.kinds[piece.name].get("bonus", 0))
            if piece.name == "rangers":
                table.events["rangers raid with their leader"] += 1
    surprised = all(table.rules.kinds[piece.name].get("surprised", False) for piece in raided)
    if surprised:
        table.events["surprise"] += 1
    return max(bonus) + (table.rules.charts["bush"]["surprise"] if surprised else 0)


def raid(table: Table, leader: Piece, territory: str, target: str) -> Steps[None]:
    """[10.0, R-20] Raiders appear beside a hex and attack it; it answers."""
    player = table.mover
    enemy = other_player(player)
    raiders: dict[Piece, str] = {}
    piece: Piece | None = leader
    while piece is not None:
        table.acted.add(piece)
        hex_id = yield from table.choose(player, raid_sides(table, piece, territory, target))
        raiders[piece] = hex_id
        arrive(table, hex_id, piece)
        more = [other for other in companions(table, territory) if raid_sides(table, other, territory, target)]
        options: dict[str, Piece | None] = dict(first(more))
        piece = yield from table.choose(player, options | {"done": None})
    table.events["raid"] += 1
    if any(piece.leader for piece in raiders):
        table.events["leader raids"] += 1
    units = [piece for piece in raiders if not piece.leader]
    raided = table.land_units(target, enemy)
    modifier = raid_modifier(table, list(raiders), raided) + table.rules.attack_modifier(target)
    column = compare(len(units), len(table.fighters(target, enemy)))
    result = yield from result_of(table, "attack", column, modifier)
    yield from apply(table, enemy, target, result, raid=True)
    ready = table.fighters(target, enemy, ready=True)
    if not ready:
        return
    sides = {
        f"counter {side}": hex_id
        for side, hex_id in table.rules.land_around(target).items()
        if any(raiders[unit] == hex_id for unit in units)
    }
    hex_id = yield from table.choose(enemy, sides)
    column = compare(len(ready), len(table.fighters(hex_id, player)))
    result = yield from result_of(table, "counter", column, 0)
    table.events["raid answered"] += 1
    yield from apply(table, player, hex_id, result, raid=True)


def hunt(table: Table, leader: Piece, territory: str) -> Steps[None]:
    """[10.0] Raiders look for enemies in the bush."""
    player = table.mover
    enemy, here = other_player(player), f"bush {territory}"
    hunters = [leader]
    while True:
        options: dict[str, Piece | None] = dict(first(companions(table, territory)))
        piece = yield from table.choose(player, options | {"done": None})
        if piece is None:
            break
        table.acted.add(piece)
        hunters.append(piece)
    face = yield from table.roll("hunt")
    if face not in table.rules.charts["bush"]["hunt"]:
        table.events["hunt in vain"] += 1
        return
    table.events["hunt"] += 1
    prey = yield from table.choose(player, first([p for p in table.at(here, enemy) if not p.leader]))
    units = [piece for piece in hunters if not piece.leader]
    modifier = raid_modifier(table, hunters, [prey])
    result = yield from result_of(table, "attack", compare(len(units), 1), modifier)
    if result in ("D", "A"):
        yield from disrupt(table, prey)
    elif result in ("E", "ER", "EE"):
        eliminate(table, prey)
    if prey.place != here or prey.disrupted:
        return
    column = compare(1, len(table.fighters(here, player)))
    result = yield from result_of(table, "counter", column, 0)
    table.events["hunt answered"] += 1
    yield from answer_in_bush(table, here, result)


def answer_in_bush(table: Table, here: str, result: str) -> Steps[None]:
    """[10.0, R-20] A result on the mover's units in a territory of the Box."""
    player = table.mover
    units = [piece for piece in table.at(here, player) if not piece.leader]
    if result == "D":
        piece = yield from table.choose(player, units_by_text(table, units))
        yield from disrupt(table, piece)
    elif result == "A":
        for piece in units:
            yield from disrupt(table, piece)
    for _ in range({"E": 1, "ER": 1, "EE": 2}.get(result, 0)):
        left = [piece for piece in table.at(here, player) if not piece.leader]
        if left:
            piece = yield from table.choose(player, units_by_text(table, left))
            eliminate(table, piece)
