"""[9.0 step 3] Battle Dispatches."""

from __future__ import annotations

from .phases import from_box
from .results import eliminate
from .table import Frame, Piece, Steps, Table


def draw(table: Table, frame: Frame) -> Steps[None]:
    """[9.0 step 3] A chit is drawn and does what it says, if it can."""
    if not table.cup:
        back = {number for number in table.aside if not table.rules.chits[number].once}
        table.aside -= back
        table.cup |= back
        table.events["cup refilled"] += 1
    if not table.cup:
        table.events["no chits"] += 1
        return
    number = yield from table.roll("chit", sorted(table.cup))
    table.cup.remove(number)
    table.aside.add(number)
    chit = table.rules.chits[number]
    table.events[f"chit {number}"] += 1
    if all(holds(table, frame, condition) for condition in chit.conditions):
        table.events[f"chit {number} in force"] += 1
        yield from take_effect(table, frame, dict(chit.effect))


def holds(table: Table, frame: Frame, condition: str) -> bool:
    """A condition of a chit."""
    land, structure = table.rules.land[frame.target], table.structure(frame.target, frame.defender)
    word, _, kind = condition.partition(" ")
    if word == "attacker_has":
        gun = frame.gun is not None and frame.gun.name == kind
        return gun or any(piece.name == kind for piece in frame.ready())
    if word == "defender_has":
        return any(piece.name == kind and piece.ready for piece in table.at(frame.target, frame.defender))
    return {
        "maori_attacks": frame.attacker == "maori",
        "british_attacks": frame.attacker == "british",
        "rough": land.terrain == "rough",
        "river": bool(land.rivers),
        "pa": structure is not None and structure.kind in ("pa", "queenite_pa"),
    }[word]


def take_effect(table: Table, frame: Frame, effect: dict) -> Steps[None]:
    """What a chit does."""
    frame.attack += effect.get("attack", 0)
    frame.counter += effect.get("counter", 0)
    frame.bombard += effect.get("bombard", 0)
    frame.columns += effect.get("counter_column", 0)
    frame.no_counter |= effect.get("no_counter", False)
    frame.no_bombard |= effect.get("no_bombard", False)
    frame.called_off |= effect.get("call_off", False)
    frame.second |= effect.get("second_combat", False)
    if "reinforce" in effect:
        came = yield from from_box(table, side(frame, effect["reinforce"]))
        table.events["chit reinforces"] += came
    if "disrupt" in effect:
        yield from confuse(table, frame)
    if "rally" in effect:
        for hex_id in places(frame, effect["rally"]):
            for unit in table.land_units(hex_id, side(frame, effect["rally"])):
                table.events["chit rallies"] += unit.disrupted
                unit.disrupted = False
    if "leader_hit" in effect:
        yield from hit_leader(table, frame, effect)
    if effect.get("slip_away"):
        yield from slip(table, frame)
    if "points" in effect:
        table.score(side(frame, effect["points"]), effect["amount"])


def side(frame: Frame, word: str) -> str:
    """The player that a chit speaks of."""
    return {"attacker": frame.attacker, "defender": frame.defender}.get(word, word)


def places(frame: Frame, word: str) -> list[str]:
    """The hexes of the participants, or the target."""
    return sorted(set(frame.stood.values())) if word == "attacker" else [frame.target]


def confuse(table: Table, frame: Frame) -> Steps[None]:
    """One ready participant becomes Disrupted; the attacker chooses."""
    by_hex: dict[str, list[Piece]] = {}
    for piece in sorted(frame.ready(), key=lambda piece: (piece.place, table.order(piece))):
        by_hex.setdefault(piece.place, []).append(piece)
    if not by_hex:
        return
    if len(by_hex) > 1:
        hex_id = yield from table.choose(frame.attacker, {f"from {hex_id}": hex_id for hex_id in by_hex})
    else:
        (hex_id,) = by_hex
    piece = yield from table.choose(frame.attacker, {f"unit {piece.text}": piece for piece in by_hex[hex_id]})
    piece.disrupted = True
    table.events["chit disrupts"] += 1


def hit_leader(table: Table, frame: Frame, effect: dict) -> Steps[None]:
    """The first leader of a side in the combat may fall."""
    player = side(frame, effect["leader_hit"])
    leaders = [leader for hex_id in places(frame, effect["leader_hit"]) for leader in table.leaders(hex_id, player)]
    if not leaders:
        return
    face = yield from table.roll("leader")
    if face in effect["faces"]:
        table.events["chit kills a leader"] += 1
        eliminate(table, min(leaders, key=table.order))


def slip(table: Table, frame: Frame) -> Steps[None]:
    """The ready land units of the target evade without a die."""
    from .combat import slip_away

    able = [piece for piece in table.land_units(frame.target, frame.defender) if piece.ready]
    able = [piece for piece in able if table.exits(frame.target, piece)]
    if able:
        table.events["chit slips away"] += 1
        yield from slip_away(table, frame, able)
