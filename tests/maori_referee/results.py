"""[6.0, 9.0, 11.0] Losses, disruption, panic, retreats; what entering a hex does."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from .table import BOX, FORT_PA, LESSER, MAORI_STRUCTURES, OUT, GameOver, Piece, Steps, Structure, Table, other_player

# Structures


def remove_structure(table: Table, hex_id: str, points: int) -> None:
    """[1.0, R-31] A structure is lost: the points first, then the end of all villages and pa, or of all settlements."""
    structure = table.structures.pop(hex_id)
    player = "maori" if table.owns("maori", structure.kind) else "british"
    table.score(other_player(player), points)
    table.events[f"removed {structure.kind}"] += 1
    if structure.kind in MAORI_STRUCTURES and not table.count(*MAORI_STRUCTURES):
        table.events["end by villages"] += 1
        raise GameOver("british", "decisive")
    if structure.kind == "settlement" and not table.count("settlement"):
        table.events["end by settlements"] += 1
        raise GameOver("maori", "decisive")


def reduce_fort(table: Table, hex_id: str, disrupted: bool = False) -> None:
    """[9.0, 11.0] A fort or pa becomes a settlement or village; on a town a fort is removed."""
    kind = table.structures[hex_id].kind
    table.events[f"reduced {kind}"] += 1
    if hex_id in table.towns:
        table.events["reduced fort on a town"] += 1
        del table.structures[hex_id]
    else:
        table.structures[hex_id] = Structure(LESSER[kind], disrupted)
    player = "maori" if table.owns("maori", kind) else "british"
    table.score(other_player(player), table.worth("fort" if kind == "fort" else "pa"))


def disrupt_structure(table: Table, hex_id: str, player: str) -> Steps[None]:
    """[11.0] An own structure becomes Disrupted; an empty one that was may panic."""
    structure = table.structure(hex_id, player)
    if structure is None:
        return
    if not structure.disrupted:
        structure.disrupted = True
        return
    if table.land_units(hex_id, player):
        return
    table.events["structure panic"] += 1
    face = yield from table.roll("panic")
    if face > table.rules.charts["panic"]["structure"]:
        return
    table.events["structure lost by panic"] += 1
    if structure.kind in FORT_PA:
        reduce_fort(table, hex_id, disrupted=True)
    else:
        remove_structure(table, hex_id, table.worth("settlement" if structure.kind == "settlement" else "village"))


# Units


def eliminate(table: Table, piece: Piece) -> None:
    """[9.0, R-40] A unit goes to its Box, a leader out of the game; a point to the other player."""
    table.events["leader eliminated" if piece.leader else f"eliminated {piece.name}"] += 1
    table.put(OUT if piece.leader else BOX, piece)
    table.score(other_player(piece.owner), table.worth("leader" if piece.leader else "unit"))


def disrupt(table: Table, piece: Piece) -> Steps[None]:
    """[11.0] A unit becomes Disrupted; one that was may panic, but boats do not."""
    if not piece.disrupted:
        piece.disrupted = True
    elif not piece.boat:
        table.events["unit panic"] += 1
        face = yield from table.roll("panic")
        if face <= table.rules.kinds[piece.name]["panic"]:
            table.events["unit lost by panic"] += 1
            eliminate(table, piece)


def spare(table: Table, piece: Piece) -> tuple[bool, bool]:
    """Which of several pieces that are one choice suffers: first who has nothing to do in this phase any more."""
    return piece in table.participants, not any(
        piece in done for done in (table.attacked, table.bombarded, table.acted)
    )


def units_by_text(table: Table, pieces: Iterable[Piece]) -> dict[str, Piece]:
    """`unit` for each kind and condition."""
    options: dict[str, Piece] = {}
    for piece in sorted(pieces, key=lambda piece: spare(table, piece)):
        options.setdefault(f"unit {piece.text}", piece)
    ranked = sorted(options.values(), key=table.order)
    return {f"unit {piece.text}": piece for piece in ranked}


def lose(table: Table, player: str, hex_id: str, absorbs: bool) -> Steps[None]:
    """[9.0 step 7, R-28] One loss; a ready fort or pa may take it."""
    may_absorb = absorbs
    while units := table.land_units(hex_id, player):
        options: dict[str, Piece | None] = dict(units_by_text(table, units))
        fort = table.fort_pa(hex_id, player)
        if may_absorb and fort and not fort.disrupted:
            options["absorb"] = None
        piece = yield from table.choose(player, options)
        if piece is not None:
            eliminate(table, piece)
            return
        may_absorb = False
        face = yield from table.roll("absorb")
        if face in table.rules.charts["combat"]["absorb"]:
            table.events["absorbed"] += 1
            reduce_fort(table, hex_id)
            return
        table.events["not absorbed"] += 1


def retreat(table: Table, player: str, hex_id: str) -> Steps[str | None]:
    """[9.0] Every land unit retreats, one at a time; returns where the last one went."""
    last = None
    for piece in table.land_units(hex_id, player):
        exits: dict[str, str | None] = {f"go {side}": other for side, other in table.exits(hex_id, piece).items()}
        if table.fort_pa(hex_id, player):
            exits["stay"] = None
        if not exits:
            table.events["retreat without a way"] += 1
            eliminate(table, piece)
            continue
        goal = yield from table.choose(player, exits)
        table.events["stays in fort" if goal is None else "retreat"] += 1
        if goal is not None:
            last = goal
            arrive(table, goal, piece)
    return last


def vacated(table: Table, player: str, hex_id: str, last: str | None) -> None:
    """[3.0, R-29, R-30] After units left or died: leaders and boats of a hex without land units."""
    if table.land_units(hex_id, player):
        return
    leaders = table.leaders(hex_id, player)
    if last is not None:
        table.events["leader goes along"] += len(leaders)
        table.put(last, *leaders)
    else:
        for leader in leaders:
            table.events["leader dies with units"] += 1
            eliminate(table, leader)
    if not table.has_structure(hex_id, player):
        for boat in table.boats(hex_id, player):
            retreat_boat(table, boat)


def apply(
    table: Table, player: str, hex_id: str, result: str, absorbs: bool = False, raid: bool = False
) -> Steps[None]:
    """[9.0, 11.0, R-20] A result on a player's units in a hex; he chooses."""
    table.events[f"result {result}"] += 1
    had = table.land_units(hex_id, player)
    last = None
    if result == "D" and had:
        piece = yield from table.choose(player, units_by_text(table, had))
        yield from disrupt(table, piece)
    elif result == "A":
        for piece in had:
            yield from disrupt(table, piece)
        if not raid:
            for boat in table.boats(hex_id, player):
                yield from disrupt(table, boat)
            if had:
                yield from disrupt_structure(table, hex_id, player)
    for _ in range({"E": 1, "ER": 1, "EE": 2}.get(result, 0)):
        yield from lose(table, player, hex_id, absorbs)
    if result in ("R", "ER", "EE") and not raid:
        last = yield from retreat(table, player, hex_id)
    if had:
        vacated(table, player, hex_id, last)


# Boats


def canoe_ends(table: Table, canoe: Piece, points: int | None = None) -> list[list[str]]:
    """[6.0] The open hexes that a canoe can end in, by its number of steps from one on."""
    start, player = canoe.place, canoe.owner
    steps = {start: 0}
    queue = deque([start])
    rings: dict[int, list[str]] = {}
    while queue:
        hex_id = queue.popleft()
        if steps[hex_id] == points:
            break
        for other, way in table.rules.canoe_steps(hex_id):
            if other in steps:
                continue
            if other in table.rules.land:
                occupied = table.enemy_held(other, player) or table.soft(other, player)
                if occupied and not (way == "sea" and table.rules.land[other].coast):
                    continue
                if table.open(other, player):
                    rings.setdefault(steps[hex_id] + 1, []).append(other)
            steps[other] = steps[hex_id] + 1
            queue.append(other)
    return [sorted(rings[number]) for number in sorted(rings)]


def gunboat_ends(table: Table, gunboat: Piece, points: int | None = None) -> set[str]:
    """[6.0, R-15] The open hexes that a gunboat can end in: coasts are free, rivers a point a hex."""
    start = gunboat.place
    spent, frontier = {start: 0}, [start]
    while frontier:
        hex_id = min(frontier, key=spent.__getitem__)
        frontier.remove(hex_id)
        ways = [(other, spent[hex_id] + 1) for other in table.rules.gunboat_rivers(hex_id)]
        if table.rules.land[hex_id].coast:
            ways += [(other, spent[hex_id]) for other in table.rules.open_land if table.rules.land[other].coast]
        for other, cost in ways:
            if (points is None or cost <= points) and cost < spent.get(other, cost + 1):
                spent[other] = cost
                frontier.append(other)
    return {hex_id for hex_id in spent if hex_id != start and table.open(hex_id, gunboat.owner)}


def retreat_boat(table: Table, boat: Piece) -> None:
    """[6.0, 9.0, R-30] To the nearest hex, lowest id; else a canoe is removed, a gunboat put into the Box."""
    table.events[f"{boat.name} retreats"] += 1
    if boat.name == "canoe":
        rings = [] if table.rules.land[boat.place].dry else canoe_ends(table, boat)
        table.put(rings[0][0] if rings else OUT, boat)
        return
    start = boat.place
    ends = sorted(gunboat_ends(table, boat), key=lambda hex_id: (table.rules.distance(start, hex_id), hex_id))
    if ends:
        arrive(table, ends[0], boat)
    else:
        table.put(BOX, boat)


# Entering


def arrive(table: Table, hex_id: str, *pieces: Piece) -> None:
    """[R-08] Pieces enter a hex together; a town may change hands."""
    table.put(hex_id, *pieces)
    units = [piece for piece in pieces if not piece.leader]
    if not units or hex_id not in table.towns:
        return
    taken = units[0].owner == "maori"
    if table.towns[hex_id] != taken:
        table.towns[hex_id] = taken
        table.events["town taken" if taken else "town retaken"] += 1
        table.score(units[0].owner, table.worth("town"))


def meet(table: Table, hex_id: str, *entered: Piece) -> None:
    """[6.0] Units have entered a hex: enemy leaders are eliminated, canoes taken, gunboats retreat."""
    player = entered[0].owner
    enemy = other_player(player)
    for leader in table.leaders(hex_id, enemy):
        table.events["leader caught"] += 1
        eliminate(table, leader)
    for boat in table.boats(hex_id, enemy):
        if boat.name == "gunboat":
            table.events["gunboat driven off"] += 1
            retreat_boat(table, boat)
        elif any(piece.native for piece in entered):
            if table.unit_counter_left("canoe", player):
                table.events["canoe captured"] += 1
                boat.owner, boat.disrupted, boat.moved = player, False, True
                table.strand(hex_id)
            else:
                table.events["canoe without counter"] += 1
                table.put(OUT, boat)
        else:
            table.events["canoe destroyed"] += 1
            table.put(OUT, boat)
            if enemy == "maori":
                table.score(player, table.worth("maori_canoe"))
