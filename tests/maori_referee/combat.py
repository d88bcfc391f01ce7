"""[9.0] The combat phase: declaration, evasion, chit, bombardment, charge, counter-attack, attack, advance."""

from __future__ import annotations

from . import chits
from .phases import join
from .results import apply, arrive, disrupt_structure, meet, reduce_fort, remove_structure, retreat_boat, vacated
from .table import FORT_PA, OUT, Frame, Piece, Steps, Table, other_player

COLUMNS = ("lesser", "equal", "greater")


def combat(table: Table) -> Steps[None]:
    """[9.0] The mover attacks until `done`."""
    for marks in (table.attacked, table.evaded, table.bombarded, table.bound, table.shelled):
        marks.clear()
    while True:
        target = yield from choose_target(table, table.mover, "done")
        if target is None:
            break
        frame = Frame(table.mover, other_player(table.mover), target)
        yield from fight(table, frame)
        if frame.second:
            target = yield from choose_target(table, frame.defender, "pass")
            if target is not None:
                table.events["counterstroke"] += 1
                yield from fight(table, Frame(frame.defender, frame.attacker, target, free=True))
    for marks in (table.attacked, table.evaded, table.bombarded, table.bound, table.shelled):
        marks.clear()


def choose_target(table: Table, player: str, other: str) -> Steps[str | None]:
    """Step 1: a hex, or none. Who attacks by a counterstroke is free of what was done in the phase."""
    free = player != table.mover
    options: dict[str, str | None] = {}
    for hex_id in table.rules.open_land:
        if is_target(table, hex_id, player):
            frame = Frame(player, other_player(player), hex_id, free)
            if participants(table, frame):
                options[f"target {hex_id}"] = hex_id
    target = yield from table.choose(player, options | {other: None})
    return target


def is_target(table: Table, hex_id: str, player: str) -> bool:
    """[9.0 step 1, R-23, R-39] Enemy land units or structures, not evaded ones; neutrals for guns alone."""
    if table.neutral(hex_id):
        return player == "british"
    if not table.enemy_held(hex_id, player):
        return False
    if any(piece in table.evaded for piece in table.at(hex_id, other_player(player))):
        return False
    safe = table.own_town(hex_id, "british") and table.rules.land[hex_id].territory not in table.rules.designated
    return not (player == "maori" and safe)


def participants(table: Table, frame: Frame) -> dict[str, list[Piece]]:
    """Step 1: `with` for each side: all, a unit of a kind, a gun."""
    options: dict[str, list[Piece]] = {}
    for side, hex_id in table.rules.land_around(frame.target).items():
        left = [piece for piece in eligible(table, frame, hex_id) if piece not in frame.stood]
        if len(left) >= 2:
            options[f"with {side} all"] = left
        for piece in left:
            options.setdefault(f"with {side} {piece.name}", [piece])
        if frame.gun is None:
            for gun in guns(table, frame, hex_id):
                options.setdefault(f"with {side} {gun.name}", [gun])
    return options


def eligible(table: Table, frame: Frame, hex_id: str) -> list[Piece]:
    """[9.0, R-49] Ready fighting units that may attack the target from this hex."""
    if table.neutral(frame.target) or not table.rules.passable(frame.target, hex_id):
        return []
    if not frame.free and table.bound.get(hex_id, frame.target) != frame.target:
        return []
    ready = table.fighters(hex_id, frame.attacker, ready=True)
    return [piece for piece in ready if frame.free or piece not in table.attacked]


def guns(table: Table, frame: Frame, hex_id: str) -> list[Piece]:
    """[9.0 step 4, R-24, R-33] Ready guns that may bombard the target from this hex."""
    if frame.target in table.shelled or not columns(table, frame):
        return []
    connected = table.rules.water_connection(frame.target, hex_id)
    return [
        piece
        for piece in table.at(hex_id, frame.attacker)
        if (piece.name == "artillery" or (piece.name == "gunboat" and connected))
        and piece.ready
        and piece not in table.bombarded
    ]


def columns(table: Table, frame: Frame) -> list[str]:
    """Step 4: the columns of the bombardment table that apply."""
    if table.neutral(frame.target):
        return ["neutral"]
    found: list[str] = []
    if table.land_units(frame.target, frame.defender):
        found.append("units")
    if any(boat.name == "canoe" and boat.owner == "maori" for boat in table.boats(frame.target, frame.defender)):
        found.append("canoe")
    structure = table.structure(frame.target, frame.defender)
    if structure and structure.kind == "pa":
        found.append("pa")
    return found


def declare(table: Table, frame: Frame) -> Steps[None]:
    """Step 1: participants and a gun, until `done`."""
    while True:
        options: dict[str, list[Piece] | None] = dict(participants(table, frame))
        if frame.stood or frame.gun:
            options["done"] = None
        chosen = yield from table.choose(frame.attacker, options)
        if chosen is None:
            return
        for piece in chosen:
            if table.rules.kinds[piece.name]["strength"]:
                frame.stood[piece] = piece.place
            else:
                frame.gun = piece


def fight(table: Table, frame: Frame) -> Steps[None]:
    """[9.0] One single combat."""
    yield from declare(table, frame)
    if not frame.stood:
        table.events["gun alone"] += 1
        yield from bombard(table, frame)
        return
    table.events["combat"] += 1
    note_target(table, frame)
    table.participants = set(frame.stood)
    if not frame.free:
        table.attacked.update(frame.stood)
        table.bound.update(dict.fromkeys(frame.stood.values(), frame.target))
    yield from evasion(table, frame)
    if not frame.vacated and not frame.free:
        yield from chits.draw(table, frame)
    if frame.called_off:
        table.participants = set()
        return
    if not frame.vacated:
        yield from bombard(table, frame)
        yield from charge(table, frame)
        yield from counter_attack(table, frame)
        yield from attack(table, frame)
    yield from advance(table, frame)
    table.participants = set()


def note_target(table: Table, frame: Frame) -> None:
    """Count what is attacked."""
    structure = table.structure(frame.target)
    manned = "occupied" if table.land_units(frame.target, frame.defender) else "empty"
    if structure:
        table.events[f"attack on {manned} {structure.kind}"] += 1
    if table.own_town(frame.target, frame.defender):
        table.events[f"attack on {manned} town{' with fort' if structure else ''}"] += 1
    if table.sap and table.sap[0] == frame.target and frame.defender == "maori":
        table.events["Māori in a trench"] += 1


# Step 2


def evaders(table: Table, frame: Frame) -> tuple[list[Piece], list[int]]:
    """[9.0 step 2, R-34] Who may evade, and on which faces."""
    chart, target = table.rules.charts["evasion"], frame.target
    units = table.land_units(target, frame.defender)
    ready = [piece for piece in units if piece.ready]
    if frame.defender == "maori":
        hunted = any(piece.name in ("rangers", "queenite") for piece in frame.stood)
        return ready, chart["maori_hunted" if hunted else "maori"]
    if any(leader.category == "british" for leader in table.leaders(target, "british")):
        return ready, chart["british_leader"]
    light = [piece for piece in ready if piece.name in ("rangers", "queenite")]
    if light:
        return light, chart["rangers_queenites"]
    return (ready if len(units) == 1 else []), chart["single_british"]


def evasion(table: Table, frame: Frame) -> Steps[None]:
    """[9.0 step 2] The defender may evade before the attack."""
    able, faces = evaders(table, frame)
    if not any(table.exits(frame.target, piece) for piece in able):
        return
    tries = yield from table.choose(frame.defender, {"evade": True, "stand": False})
    if not tries:
        return
    face = yield from table.roll("evasion")
    table.events[f"evasion of {frame.defender} {'works' if face in faces else 'fails'}"] += 1
    if face in faces:
        yield from slip_away(table, frame, able)


def slip_away(table: Table, frame: Frame, able: list[Piece]) -> Steps[None]:
    """[9.0 step 2] Each of these units goes to a hex beside, or stays."""
    last = None
    for piece in able:
        options: dict[str, str | None] = {
            f"go {side}": other for side, other in table.exits(frame.target, piece).items()
        }
        goal = yield from table.choose(frame.defender, options | {"stay": None})
        if goal is not None:
            last = goal
            table.evaded.add(piece)
            arrive(table, goal, piece)
            table.events["evaded"] += 1
    if last is not None:
        vacated(table, frame.defender, frame.target, last)
    nobody = not table.land_units(frame.target, frame.defender)
    frame.vacated = nobody and table.fort_pa(frame.target, frame.defender) is None
    if frame.vacated:
        table.events["evasion empties a hex"] += 1


# Step 4


def bombard(table: Table, frame: Frame) -> Steps[None]:
    """[9.0 step 4] The gun fires at units, canoes, a pa, or neutrals."""
    found = columns(table, frame)
    if frame.gun is None or frame.no_bombard or not found:
        return
    if len(found) == 1:
        column = found[0]
    else:
        column = yield from table.choose(frame.attacker, {f"column {name}": name for name in found})
    table.bombarded.add(frame.gun)
    table.shelled.add(frame.target)
    face = yield from table.roll("bombard")
    result = table.rules.charts["bombardment"][column][min(max(face + frame.bombard, 1), 6) - 1]
    table.events[f"bombard {column} {result}"] += 1
    if column == "neutral":
        if result != "none":
            join(table, frame.target, result)
        if result == "maori":
            table.score("maori", table.worth("alliance"))
    elif column == "units":
        yield from apply(table, frame.defender, frame.target, result, absorbs=True)
    elif column == "pa" and result == "removed":
        reduce_fort(table, frame.target)
    elif column == "pa" and result == "D":
        yield from disrupt_structure(table, frame.target, frame.defender)
    elif column == "canoe" and result != "none":
        shell_canoes(table, frame, result)


def shell_canoes(table: Table, frame: Frame, result: str) -> None:
    """[9.0 step 4] A ready canoe is Disrupted, or one is destroyed, a Disrupted one first."""
    canoes = [boat for boat in table.boats(frame.target, frame.defender) if boat.name == "canoe"]
    if result == "D":
        for canoe in [canoe for canoe in canoes if canoe.ready][:1]:
            canoe.disrupted = True
    else:
        table.put(OUT, max(canoes, key=lambda canoe: canoe.disrupted))
        table.score(frame.attacker, table.worth("maori_canoe"))


# Steps 5 to 7


def compare(own: int, other: int) -> str:
    """[9.0] The column of the results table."""
    return COLUMNS[1 + (own > other) - (own < other)]


def strength(table: Table, hex_id: str, owner: str, ready: bool = False) -> int:
    """[9.0, R-38] Fighting units; with a fort at least 2, in a counter-attack with a ready one."""
    number = len(table.fighters(hex_id, owner, ready))
    structure = table.structure(hex_id, owner)
    if structure and structure.kind == "fort" and not (ready and structure.disrupted):
        number = max(number, table.rules.charts["combat"]["fort_strength"])
    return number


def result_of(table: Table, kind: str, column: str, modifier: int) -> Steps[str]:
    """[9.0] A roll on the results table."""
    face = yield from table.roll(kind)
    return table.rules.charts["crt"][column][min(max(face + modifier, 0), 8)]


def charge(table: Table, frame: Frame) -> Steps[None]:
    """[9.0 step 5, R-44] Cavalry charges units in the open."""
    cavalry = [piece for piece in frame.ready() if piece.name == "cavalry"]
    structure = table.structure(frame.target)
    pa = structure and structure.kind in ("pa", "queenite_pa")
    clear = table.rules.land[frame.target].terrain == "clear"
    if not cavalry or not clear or pa or not table.land_units(frame.target, frame.defender):
        return
    wants = yield from table.choose(frame.attacker, {"charge": True, "pass": False})
    if not wants:
        return
    frame.charged.update(cavalry)
    column = compare(len(cavalry), strength(table, frame.target, frame.defender))
    modifier = table.rules.charts["combat"]["charge"] + frame.attack
    result = yield from result_of(table, "charge", column, modifier)
    table.events[f"charge {result}"] += 1
    frame.hit |= result != "none"
    yield from apply(table, frame.defender, frame.target, result, absorbs=True)


def counter_attack(table: Table, frame: Frame) -> Steps[None]:
    """[9.0 step 6, R-26] The defender answers before the attack."""
    left = {piece.place for piece in frame.ready() if piece not in frame.charged}
    fort = table.fort_pa(frame.target, frame.defender)
    if frame.no_counter or not left:
        return
    empty = not table.land_units(frame.target, frame.defender)
    alone = fort is not None and not fort.disrupted and (fort.kind == "fort" or empty)
    if not alone and not table.fighters(frame.target, frame.defender, ready=True):
        return
    sides = {side: other for side, other in table.rules.land_around(frame.target).items() if other in left}
    hex_id = yield from table.choose(frame.defender, {f"counter {side}": other for side, other in sides.items()})
    if alone and fort and fort.kind != "fort":
        table.events["counter-attack of an empty pa"] += 1
        column = "lesser"
    else:
        if alone:
            table.events["counter-attack of a fort"] += 1
        own = strength(table, frame.target, frame.defender, ready=True)
        column = compare(own, len(table.fighters(hex_id, frame.attacker)))
    column = COLUMNS[min(COLUMNS.index(column) + frame.columns, 2)]
    modifier = frame.counter
    if frame.defender == "maori" and table.sap and table.sap[0] == frame.target:
        modifier += table.rules.charts["combat"]["sap_defence"]
    result = yield from result_of(table, "counter", column, modifier)
    table.events[f"counter-attack {column}"] += 1
    yield from apply(table, frame.attacker, hex_id, result)


def attack_modifier(table: Table, frame: Frame, attackers: list[Piece]) -> int:
    """[9.0 step 7, R-43] Fort, pa or terrain; militia without infantry; the chit."""
    chart = table.rules.charts
    if table.fort_pa(frame.target, frame.defender):
        manned = table.land_units(frame.target, frame.defender)
        modifier = chart["terrain"]["fort_pa_occupied" if manned else "fort_pa_empty"]
    else:
        modifier = table.rules.attack_modifier(frame.target)
    militia = any(piece.name == "militia" for piece in attackers)
    if militia and not any(table.rules.kinds[piece.name]["infantry"] for piece in attackers):
        table.events["militia alone"] += 1
        modifier += chart["combat"]["militia_alone"]
    return modifier + frame.attack


def attack(table: Table, frame: Frame) -> Steps[None]:
    """[9.0 step 7] The attack itself."""
    attackers = [piece for piece in frame.ready() if piece not in frame.charged]
    if not attackers or not table.enemy_held(frame.target, frame.attacker):
        return
    structure = table.structure(frame.target)
    empty = not table.land_units(frame.target, frame.defender)
    if empty and not (structure and structure.kind == "fort"):
        column = "greater"
    else:
        column = compare(len(attackers), strength(table, frame.target, frame.defender))
    modifier = attack_modifier(table, frame, attackers)
    result = yield from result_of(table, "attack", column, modifier)
    table.events[f"attack {column}"] += 1
    frame.hit |= result != "none"
    if empty:
        frame.on_empty = result
    yield from apply(table, frame.defender, frame.target, result, absorbs=True)


# Step 8


def advances(table: Table, frame: Frame) -> dict[str, list[Piece]]:
    """[9.0 step 7, R-35] Who may advance: a side with its leaders, or one unit."""
    options: dict[str, list[Piece]] = {}
    ready = frame.ready()
    for side, hex_id in table.rules.land_around(frame.target).items():
        units = sorted((piece for piece in ready if piece.place == hex_id), key=table.order)
        leaders = table.leaders(hex_id, frame.attacker)
        whole = len(units) >= 2 or (units and leaders)
        if whole and table.room(frame.target, frame.attacker, *units):
            options[f"advance {side}"] = [*units, *leaders]
        for piece in units:
            if table.room(frame.target, frame.attacker, piece):
                options.setdefault(f"advance {side} {piece.name}", [piece])
    return options


def advance(table: Table, frame: Frame) -> Steps[None]:
    """[9.0 step 7, R-27] The attackers may enter; else an empty structure suffers."""
    target, gone = frame.target, False
    held = table.has_structure(target, frame.defender)
    if table.land_units(target, frame.defender):
        return
    if not held or frame.hit or frame.vacated:
        while options := advances(table, frame):
            chosen = yield from table.choose(frame.attacker, {**options, "done": None})
            if chosen is None:
                break
            enter(table, frame, chosen, first=not gone)
            gone = True
    if not gone and frame.on_empty:
        yield from suffer(table, frame)


def enter(table: Table, frame: Frame, pieces: list[Piece], first: bool) -> None:
    """[9.0 step 7] Attackers enter the target; the structure is removed, boats and leaders are taken."""
    target, structure = frame.target, table.structure(frame.target)
    table.events["advance"] += 1
    if first and structure is not None:
        table.events[f"advance into {structure.kind}"] += 1
        if structure.kind not in FORT_PA:
            name = "settlement" if structure.kind == "settlement" else "village"
            remove_structure(table, target, table.worth(name))
        elif structure.kind == "fort":
            lesser = 0 if target in table.towns else table.worth("settlement")
            remove_structure(table, target, table.worth("fort") + lesser)
        else:
            remove_structure(table, target, table.worth("pa") + table.worth("village"))
    arrive(table, target, *pieces)
    meet(table, target, *(piece for piece in pieces if not piece.leader))


def suffer(table: Table, frame: Frame) -> Steps[None]:
    """[11.0, R-27] The result of an attack on an empty structure into which nobody advances."""
    target, structure = frame.target, table.structure(frame.target, frame.defender)
    if structure is None or frame.on_empty == "none":
        return
    table.events["empty structure suffers"] += 1
    if frame.on_empty in ("D", "A", "R"):
        yield from disrupt_structure(table, target, frame.defender)
    elif structure.kind in FORT_PA:
        reduce_fort(table, target)


__all__ = ["combat", "compare", "result_of", "retreat_boat", "strength"]
