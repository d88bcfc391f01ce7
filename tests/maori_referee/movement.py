"""[6.0, 14.0] The movement phase: the sap, the shipment, marches, boats, carried canoes."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator

from .results import arrive, canoe_ends, gunboat_ends, meet, reduce_fort
from .table import OUT, Piece, Steps, Table, other_player


def movement(table: Table) -> Steps[None]:
    """[6.0] Pieces move one at a time, until `done`."""
    for piece in table.pieces:
        if piece.owner == table.mover:
            piece.points = 0 if piece.boat else table.rules.allowance(piece.name)
            piece.may_march = piece.fresh = not piece.boat
            piece.carried = piece.moved = False
    if table.mover == "british":
        yield from sap(table)
        yield from shipment(table)
    while True:
        options: dict[str, str | None] = {}
        for hex_id in sorted({piece.place for piece in table.on_map(table.mover)}):
            if moves_from(table, hex_id):
                options[f"from {hex_id}"] = hex_id
        options["done"] = None
        hex_id = yield from table.choose(table.mover, options)
        if hex_id is None:
            return
        move = yield from table.choose(table.mover, moves_from(table, hex_id))
        yield from move()


Move = Callable[[], Steps[None]]


def moves_from(table: Table, hex_id: str) -> dict[str, Move]:
    """What can move out of a hex: units, leaders, boats, carried canoes, the whole stack."""
    player = table.mover
    moves: dict[str, Move] = {}
    own = table.at(hex_id, player)
    for piece in sorted(own, key=lambda piece: (-piece.points, piece.carried)):
        text = f"unit {piece.text}"
        if piece.boat:
            able = not piece.moved and (piece.name == "canoe" or bool(boat_ends(table, piece, [])))
            if able:
                moves.setdefault(text, lambda boat=piece: sail(table, boat))
        elif piece.may_march and any(march_ends(table, piece)):
            moves.setdefault(text, lambda piece=piece: march(table, piece))
    canoes = [piece for piece in own if piece.name == "canoe" and not piece.moved]
    for piece in own:
        if canoes and piece.native and piece.fresh and carry_ends(table, piece):
            moves.setdefault(f"carry {piece.text}", lambda piece=piece: carry(table, piece, canoes[0]))
    able = [piece for piece in own if piece.may_march and piece.points]
    if len(able) >= 2 and stack_ends(table, able):
        moves["stack"] = lambda: march_together(table, able)
    return moves


# Marches


def reach(table: Table, piece: Piece, points: int) -> Iterator[tuple[str, int]]:
    """[6.0, R-13] The hexes that a piece can get to and their least costs, cheapest first."""
    found: set[str] = set()
    queue = [(0, piece.place)]
    while queue:
        cost, hex_id = heapq.heappop(queue)
        if hex_id in found:
            continue
        found.add(hex_id)
        if hex_id != piece.place:
            yield hex_id, cost
            if table.soft(hex_id, piece.owner):
                continue
        for other in table.rules.land_around(hex_id).values():
            total = cost + table.rules.cost(piece.name, other)
            if (
                other not in found
                and total <= points
                and table.rules.passable(hex_id, other)
                and not table.enemy_held(other, piece.owner)
            ):
                heapq.heappush(queue, (total, other))


def may_end(table: Table, piece: Piece, hex_id: str) -> bool:
    """[6.0] In an open hex; a unit in a soft one, a leader beside enemy leaders."""
    if table.soft(hex_id, piece.owner):
        others = table.at(hex_id, other_player(piece.owner))
        return not piece.leader or all(other.leader for other in others)
    return table.open(hex_id, piece.owner) and table.room(hex_id, piece.owner, piece)


def march_ends(table: Table, piece: Piece) -> Iterator[tuple[str, int]]:
    """Where a march can end, and the points that it costs."""
    return ((hex_id, cost) for hex_id, cost in reach(table, piece, piece.points) if may_end(table, piece, hex_id))


def to(ends: Iterable[str]) -> dict[str, str]:
    """`to` for each hex, ascending."""
    return {f"to {hex_id}": hex_id for hex_id in sorted(ends)}


def march(table: Table, piece: Piece) -> Steps[None]:
    """One piece goes to one hex."""
    ends = dict(march_ends(table, piece))
    goal = yield from table.choose(table.mover, to(ends))
    was_soft = table.soft(goal, piece.owner)
    piece.points -= ends[goal]
    piece.may_march = piece.fresh = False
    arrive(table, goal, piece)
    if not was_soft:
        return
    if piece.leader:
        table.events["leader beside leader"] += 1
    else:
        table.events["march into a soft hex"] += 1
        piece.may_march = True
        meet(table, goal, piece)


def stack_ends(table: Table, pieces: list[Piece]) -> dict[str, dict[Piece, int]]:
    """The open hexes that each of them can reach and that hold them all, with what each pays."""
    costs = {piece: dict(march_ends(table, piece)) for piece in pieces}
    common = set.intersection(*(set(found) for found in costs.values()))
    return {
        hex_id: {piece: costs[piece][hex_id] for piece in pieces}
        for hex_id in common
        if table.open(hex_id, table.mover) and table.room(hex_id, table.mover, *pieces)
    }


def march_together(table: Table, pieces: list[Piece]) -> Steps[None]:
    """[6.0] The whole stack goes to one hex."""
    ends = stack_ends(table, pieces)
    goal = yield from table.choose(table.mover, to(ends))
    for piece, cost in ends[goal].items():
        piece.points -= cost
        piece.may_march = piece.fresh = False
    arrive(table, goal, *pieces)
    table.events["stack"] += 1


def carry_ends(table: Table, piece: Piece) -> dict[str, int]:
    """[6.0] Where a piece can carry a canoe to, and what it pays with it."""
    extra = table.rules.charts["terrain"]["carry"]
    return {
        hex_id: cost + extra
        for hex_id, cost in reach(table, piece, piece.points - extra)
        if may_end(table, piece, hex_id) and not table.soft(hex_id, piece.owner)
    }


def carry(table: Table, piece: Piece, canoe: Piece) -> Steps[None]:
    """[6.0] A unit marches with a canoe."""
    ends = carry_ends(table, piece)
    goal = yield from table.choose(table.mover, to(ends))
    piece.points -= ends[goal]
    piece.may_march = piece.fresh = False
    canoe.moved = True
    table.events["canoe carried"] += 1
    if table.rules.land[goal].dry:
        table.events["canoe carried inland"] += 1
    if piece.disrupted or canoe.disrupted:
        table.events["Disrupted carry"] += 1
    arrive(table, goal, piece, canoe)


# Boats


def boat_ends(table: Table, boat: Piece, cargo: list[Piece]) -> list[str]:
    """Where a boat can land with what it carries, ascending."""
    points = table.rules.allowance(boat.name)
    if boat.name == "canoe":
        ends = [hex_id for ring in canoe_ends(table, boat, points) for hex_id in ring]
    else:
        ends = list(gunboat_ends(table, boat, points))
    return sorted(hex_id for hex_id in ends if table.room(hex_id, boat.owner, *cargo))


def sail(table: Table, boat: Piece) -> Steps[None]:
    """[6.0, R-14] A boat takes cargo on board and goes, or a canoe is scuttled."""
    price = table.rules.charts["terrain"]["transport"]
    cargo: list[Piece] = []
    while True:
        options: dict[str, Piece | str] = {}
        if not boat.disrupted:
            for piece in sorted(table.at(boat.place, boat.owner), key=lambda piece: -piece.points):
                free = not piece.boat and piece not in cargo and not piece.carried and piece.points >= price
                full = piece.land_unit and sum(other.land_unit for other in cargo) == 2
                if free and not full and boat_ends(table, boat, [*cargo, piece]):
                    options.setdefault(f"unit {piece.text}", piece)
        options.update(to(boat_ends(table, boat, cargo)))
        if boat.name == "canoe" and not cargo:
            options["scuttle"] = "scuttle"
        choice = yield from table.choose(table.mover, options)
        if isinstance(choice, str):
            break
        cargo.append(choice)
    if choice == "scuttle":
        table.events["scuttle"] += 1
        table.put(OUT, boat)
        return
    boat.moved = True
    table.events[f"{boat.name} {'with cargo' if cargo else 'alone'}"] += 1
    if table.rules.land[boat.place].lake and boat.name == "canoe":
        table.events["canoe on a lake"] += 1
    for piece in cargo:
        if not piece.fresh:
            table.events["marched, then carried"] += 1
        piece.points -= price
        piece.fresh, piece.carried, piece.may_march = False, True, True
    arrive(table, choice, boat, *cargo)


# Sap and shipment


def british_beside(table: Table, pa: str) -> list[str]:
    """[6.0] The hexes of British land units beside a pa, not across water."""
    return sorted(
        other
        for other in table.rules.land_around(pa).values()
        if table.rules.passable(pa, other)
        and any(table.rules.kinds[unit.name]["side"] == "british" for unit in table.land_units(other, "british"))
    )


def sap(table: Table) -> Steps[None]:
    """[6.0, R-12] The marker does its work and comes off; then it may be placed."""
    if not table.rules.scenario["sap"]:
        return
    if table.sap is not None:
        trench, target = table.sap
        table.sap = None
        pa = table.structure(target, "maori")
        if pa and pa.kind == "pa" and not table.land_units(trench, "maori"):
            table.events["sap works"] += 1
            reduce_fort(table, target)
        else:
            table.events["sap in vain"] += 1
    targets: dict[str, str | None] = {
        f"target {hex_id}": hex_id
        for hex_id, structure in sorted(table.structures.items())
        if structure.kind == "pa" and british_beside(table, hex_id)
    }
    target = yield from table.choose("british", targets | {"pass": None})
    if target is not None:
        places = {f"place {hex_id}": hex_id for hex_id in british_beside(table, target)}
        trench = yield from table.choose("british", places)
        table.sap = (trench, target)
        table.events["sap placed"] += 1


def maori_near(table: Table, hex_id: str) -> bool:
    """[14.0] Beside a Māori unit or structure that no water parts from the hex."""
    return any(
        table.rules.hexside(hex_id, other) != "water"
        and (table.structure(other, "maori") is not None or table.enemy_units(other, "british"))
        for other in table.rules.land_around(hex_id).values()
    )


def shipment(table: Table) -> Steps[None]:
    """[14.0, R-52] Artillery and some units sail from a hex to a coast."""
    terms = table.rules.scenario.get("shipment")
    if not terms or terms["turn"] != table.turn:
        return
    start = terms["from"]
    board: list[Piece] = []

    def able(goal: str) -> dict[str, Piece]:
        """Who can still embark."""
        found: dict[str, Piece] = {}
        for piece in table.at(start, "british"):
            full = not piece.leader and table.stacks(piece) and sum(table.stacks(p) for p in board) == terms["units"]
            takes = piece.leader or piece.name == "artillery" or (piece.land_unit and table.stacks(piece))
            if takes and piece not in board and not full and table.room(goal, "british", *board, piece):
                found.setdefault(f"unit {piece.text}", piece)
        return found

    targets: dict[str, str | None] = {
        f"target {hex_id}": hex_id
        for hex_id in table.rules.open_land
        if hex_id != start
        and table.rules.land[hex_id].coast
        and table.open(hex_id, "british")
        and not maori_near(table, hex_id)
        and able(hex_id)
    }
    goal = yield from table.choose("british", targets | {"pass": None})
    if goal is None:
        return
    while True:
        options: dict[str, Piece | None] = dict(able(goal))
        if board:
            options["done"] = None
        piece = yield from table.choose("british", options)
        if piece is None:
            break
        board.append(piece)
    for piece in board:
        piece.points, piece.may_march, piece.fresh = 0, False, False
    arrive(table, goal, *board)
    table.events["shipment"] += 1
