"""Sentences for what happens: decisions by their texts, results by what differs between two views."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hawaii_env.game import Chance, Event
from hawaii_env.maori_wars.board import distance, neighbours
from hawaii_env.maori_wars.pictures.names import STRUCTURE_NAMES, counted
from hawaii_env.maori_wars.rules.names import SIDES
from hawaii_env.maori_wars.ruleset import Ruleset
from hawaii_env.texts import count

__all__ = [
    "PURPOSES",
    "Context",
    "chance_phrase",
    "changes",
    "decision_phrase",
    "last_phrase",
    "place_name",
    "result_phrase",
]

_BANDS: Mapping[str, tuple[str, bool]] = {
    "infantry": ("infantry", True),
    "naval": ("a naval brigade", False),
    "militia": ("militia", True),
    "constabulary": ("Armed Constabulary", True),
    "rangers": ("Rangers", True),
    "cavalry": ("cavalry", True),
    "artillery": ("guns", True),
    "gunboat": ("a gunboat", False),
    "queenite": ("kūpapa", True),
    "warrior": ("a taua", False),
    "canoe": ("a waka", False),
    "neutral": ("neutral people", True),
}
"""A unit of each kind in a sentence, and whether the verb is in the plural."""

_COMPASS: Mapping[str, str] = dict(
    zip(SIDES, ("north", "north-east", "south-east", "south", "south-west", "north-west"), strict=True)
)

_RESULTS = {
    "none": "no effect",
    "D": "one is Disrupted",
    "A": "all are Disrupted",
    "R": "they must retreat",
    "E": "one is lost",
    "ER": "one is lost, the others retreat",
    "EE": "two are lost, the others retreat",
}


@dataclass
class Context:
    """The pieces and places that decisions have spoken of.

    Attributes:
        stage: the phase of the rulebook.
        hex, territory, unit, target: what was named last.
        verb: of the last decision.
        boat: the boat that is being loaded, or "".
    """

    stage: str = ""
    hex: str = ""
    territory: str = ""
    unit: str = ""
    target: str = ""
    verb: str = ""
    boat: str = ""


def place_name(rules: Ruleset, place: str) -> str:
    """Return the name of a hex or a territory; of a hex without a name its id, and what is near; "somewhere" for "",
    a place that events before those at hand have named.
    """
    board = rules.board
    if not place:
        return "somewhere"
    if place in board.map.territories:
        return board.map.territories[place].name
    if place in board.towns or place in board.places:
        return board.hex_name(place)
    near = min((at for at in (*board.towns, *board.places) if distance(at, place) <= 3), default="", key=lambda at: (
        distance(at, place), at,
    ))  # fmt: skip
    return f"{place} near {board.hex_name(near)}" if near else place


def _across(context: Context, side: str) -> str:
    """Return the hex across a side of the target, "" if the target is not known."""
    return neighbours(context.target)[SIDES.index(side)] if context.target else ""


def _band(rules: Ruleset, unit: str, view: Mapping[str, Any], at: str) -> tuple[str, bool]:
    """Return a piece in a sentence, and whether its verb is in the plural: a leader by his name, Māori warriors by that
    of the leader who is with them.
    """
    kind = unit.partition("/")[0]
    if kind in rules.leaders:
        return rules.leaders[kind].name, False
    if kind == "warrior":
        for piece in view["pieces"]:
            if piece["at"] == at and piece["owner"] == "maori" and piece["kind"] in rules.leaders:
                return f"{rules.leaders[piece['kind']].name}’s taua", False
    return _BANDS.get(kind, (kind, False))


def _does(band: tuple[str, bool], verb: str) -> str:
    """Return a subject with its verb, which is given in the plural."""
    return f"{band[0]} {verb if band[1] else _third(verb)}"


def _third(verb: str) -> str:
    if verb.endswith("y"):
        return f"{verb[:-1]}ies"
    return verb + ("es" if verb.endswith(("o", "ch")) else "s")


def decision_phrase(rules: Ruleset, text: str, view: Mapping[str, Any], context: Context) -> str:
    """Return a decision as a sentence without who takes it and without its stop; `context` is brought up to date."""
    verb, *words = text.split()
    named = words[0] if words else ""
    place = place_name(rules, named) if verb in ("from", "to", "target", "place", "build", "territory") else ""
    say = _SAID.get(verb)
    said = _FIXED[verb].format() if say is None else say(rules, named, place, words, view, context)
    _note(verb, named, context)
    return said


def _note(verb: str, named: str, context: Context) -> None:
    if verb in ("from", "build", "to"):
        context.hex, context.boat = named, "" if verb == "from" else context.boat
    elif verb == "territory" and context.verb != "territory":
        context.territory, context.hex = named, named
    elif verb in ("unit", "carry"):
        if context.stage == "movement" and context.verb == "from" and named.partition("/")[0] in ("gunboat", "canoe"):
            context.boat = named
        if not context.boat or context.boat == named:
            context.unit = named
    elif verb == "target":
        context.target = named
    context.verb = verb


def _from(rules: Ruleset, named: str, place: str, words: list[str], view: Any, context: Context) -> str:
    return f"at {place}"


def _unit(rules: Ruleset, named: str, place: str, words: list[str], view: Any, context: Context) -> str:
    band, stage = _band(rules, named, view, context.hex), context.stage
    if stage == "reinforcement":
        return _does(band, "come") + " from the box"
    if stage == "movement":
        return _does(band, "go") + " aboard" if context.boat or context.verb == "target" else band[0]
    if stage == "rally":
        return f"the leader helps {band[0]}"
    if stage == "alliance":
        return _does(band, "speak")
    if stage == "attrition":
        hungry = view["half"] == "maori" or named.partition("/")[0] == "queenite"  # [13.0] supply asks for others
        return _does(band, "go") + " home" if hungry else f"{band[0]} {'are' if band[1] else 'is'} without supply"
    if stage == "bush":
        if context.verb == "from":
            return _does(band, "go") + " into the bush"
        return _does(band, "join") + " in" if context.verb in ("go", "hunt", "unit") else band[0]
    return band[0]


def _to(rules: Ruleset, named: str, place: str, words: list[str], view: Any, context: Context) -> str:
    start = place_name(rules, context.hex) if context.hex else ""
    if context.verb == "stack":
        return f"all march from {start} to {place}"
    band = _band(rules, context.boat or context.unit, view, context.hex)
    return _does(band, "sail" if context.boat else "march") + f" from {start} to {place}"


def _place(rules: Ruleset, named: str, place: str, words: list[str], view: Any, context: Context) -> str:
    if context.stage == "movement":
        return f"the sap is dug from {place}"
    if context.stage == "alliance":
        return f"he goes back to {place}"
    if not context.unit:
        return f"to {place}"
    band = _band(rules, context.unit, view, context.hex)
    return _does(band, "come") + f" {'out of the bush at' if context.stage == 'bush' else 'to'} {place}"


def _target(rules: Ruleset, named: str, place: str, words: list[str], view: Any, context: Context) -> str:
    if context.stage == "movement":
        return f"a sap is dug against {place}" if view["step"] == "sap_target" else f"ships sail for {place}"
    if context.stage == "alliance":
        return f"they talk with the people of {place}"
    if context.stage == "bush":
        return _does(_band(rules, context.unit, view, context.territory), "raid") + f" {place}"
    return f"they attack {place}"


def _with(rules: Ruleset, named: str, place: str, words: list[str], view: Any, context: Context) -> str:
    start = _across(context, named)
    who, many = ("all", True) if words[1] == "all" else _band(rules, words[1], view, start)
    return _does((f"{who} of {place_name(rules, start)}", many), "join")


def _advance(rules: Ruleset, named: str, place: str, words: list[str], view: Any, context: Context) -> str:
    start = _across(context, named)
    band = ("all", True) if len(words) == 1 else _band(rules, words[1], view, start)
    return _does(band, "advance") + f" from {place_name(rules, start)} to {place_name(rules, context.target)}"


def _go(rules: Ruleset, named: str, place: str, words: list[str], view: Any, context: Context) -> str:
    piece = (view["about"] or {}).get("piece")
    if context.stage == "bush":
        return f"they raid from {place_name(rules, _across(context, named))}"
    if not isinstance(piece, int) or view["step"] not in ("leave", "retreat"):
        return f"they go {_COMPASS[named]}"
    start = view["pieces"][piece]["at"]
    band = _band(rules, view["pieces"][piece]["kind"], view, start)
    does = f"{_does(band, 'slip')} away" if view["step"] == "leave" else _does(band, "retreat")
    return f"{does} from {place_name(rules, start)} to {place_name(rules, neighbours(start)[SIDES.index(named)])}"


def _counter(rules: Ruleset, named: str, place: str, words: list[str], view: Any, context: Context) -> str:
    return f"the answer falls on {place_name(rules, _across(context, named))}"


def _structure(rules: Ruleset, named: str, place: str, words: list[str], view: Any, context: Context) -> str:
    where = place_name(rules, context.hex)
    if named == "repair":
        return f"what stands at {where} is repaired"
    return f"a {STRUCTURE_NAMES[named]} is built at {where}"


def _column(rules: Ruleset, named: str, place: str, words: list[str], view: Any, context: Context) -> str:
    what = {"units": "whoever is in it", "canoe": "the waka", "pa": "the pā"}[named]
    return f"the guns fire on {what}"


def _carry(rules: Ruleset, named: str, place: str, words: list[str], view: Any, context: Context) -> str:
    return _does(_band(rules, named, view, context.hex), "carry") + " a waka"


def _build(rules: Ruleset, named: str, place: str, words: list[str], view: Any, context: Context) -> str:
    return f"works at {place}"


def _territory(rules: Ruleset, named: str, place: str, words: list[str], view: Any, context: Context) -> str:
    if context.verb in ("unit", "territory") and context.stage == "bush" and context.territory != named:
        return _does(_band(rules, context.unit, view, context.territory), "go") + f" through the bush to {place}"
    return f"in the bush of {place}"


def _done(rules: Ruleset, named: str, place: str, words: list[str], view: Any, context: Context) -> str:
    return {
        "participants": "the attack is set", "advance": "they advance no further", "move": "no more moves",
        "declare": "no more attacks", "negotiate": "no more talks",
        "bush_move": "no more raiders", "ship_unit": "the ships are loaded",
    }.get(view["step"], "that is all")  # fmt: skip


def _pass(rules: Ruleset, named: str, place: str, words: list[str], view: Any, context: Context) -> str:
    return {
        "reinforce": "none comes from the box", "build": "nothing is built", "withdraw": "he stays",
        "charge_or_not": "the cavalry do not charge", "ship_target": "the ships stay", "sap_target": "no sap is dug",
        "counterstroke": "the defender strikes no counterstroke",
    }.get(view["step"], "passes")  # fmt: skip


_SAID = {
    "from": _from, "unit": _unit, "to": _to, "place": _place, "target": _target, "with": _with, "advance": _advance,
    "go": _go, "counter": _counter, "structure": _structure, "column": _column, "carry": _carry, "build": _build,
    "territory": _territory, "done": _done, "pass": _pass,
}  # fmt: skip
_FIXED = {
    "evade": "tries to slip away",
    "stand": "stands",
    "stay": "stays",
    "absorb": "the works take the blow",
    "charge": "the cavalry charge",
    "hunt": "they hunt in the bush",
    "stack": "all together",
    "scuttle": "the waka is scuttled",
}


PURPOSES: Mapping[str, str] = {
    "evasion": "to slip away",
    "bombard": "in the bombardment",
    "charge": "in the charge",
    "counter": "in the counter-attack",
    "attack": "in the attack",
    "absorb": "for the works to hold",
    "panic": "against panic",
    "rally": "to rally",
    "alliance": "in the talks",
    "hunt": "in the hunt",
    "leader": "for the leader’s life",
}
"""Purposes of the dice by kind, as they follow "Māori roll 3"."""


def chance_phrase(rules: Ruleset, event: Chance) -> str:
    """Return what chance brought: the title of a chit, or a die and what it was rolled for."""
    if event.kind == "chit":
        return rules.chits[event.outcome - 1].title
    return f"A roll of {event.outcome} {PURPOSES[event.kind]}"


def last_phrase(rules: Ruleset, events: Sequence[Event], view: Mapping[str, Any]) -> str:
    """Return the last of some events that did something as a sentence, with who decided; "" if there is none."""
    context, said = Context(stage=view["phase"], target=(view["combat"] or {}).get("target", "")), ""
    for event in events:
        if isinstance(event, Chance):
            said = chance_phrase(rules, event)
        elif event.text not in ("done", "pass"):
            said = f"{('Māori', 'British')[event.player]}: {decision_phrase(rules, event.text, view, context)}"
    return said[:1].upper() + said[1:]


# ---- results


def _counts(view: Mapping[str, Any]) -> Counter[tuple[str, str]]:
    return Counter((piece["kind"], piece["owner"]) for piece in view["pieces"])


def changes(rules: Ruleset, was: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return what a step has changed beyond moves: losses, Disrupted pieces, structures, towns, points."""
    lost = _counts(was) - _counts(now)
    waits = {owner: Counter(now["boxes"][owner]) - Counter(was["boxes"][owner]) for owner in now["boxes"]}
    said = [
        f"{counted(rules, kind, n)} {'is' if n == 1 else 'are'} lost"
        for (kind, owner), n in lost.items()
        if owner == "neutral" or waits[owner][kind] or Counter(now["out"])[kind] > Counter(was["out"])[kind]
    ]
    before, after = (Counter(p["kind"] for p in view["pieces"] if p["disrupted"]) for view in (was, now))
    said += [f"{counted(rules, kind, n)} {'is' if n == 1 else 'are'} Disrupted" for kind, n in (after - before).items()]
    said += [f"{counted(rules, kind, n)} rallied" for kind, n in (before - after).items() if not lost]
    for at, structure in was["structures"].items():
        name, then = place_name(rules, at), now["structures"].get(at)
        kind, _, condition = structure.partition("/")
        if then is None:
            said.append(f"the {STRUCTURE_NAMES[kind]} of {name} is gone")
        elif then != structure and then.partition("/")[0] != kind:
            said.append(f"the {STRUCTURE_NAMES[kind]} of {name} is now a {STRUCTURE_NAMES[then.partition('/')[0]]}")
        elif then != structure:
            said.append(f"{name} is {'ready again' if condition else 'Disrupted'}")
    said += [f"{place_name(rules, at)} is taken" for at in now["taken"] if at not in was["taken"]]
    said += [f"{place_name(rules, at)} is British again" for at in was["taken"] if at not in now["taken"]]
    if points := now["marker"] - was["marker"]:
        said.append(f"{count(abs(points), 'point')} for {'Māori' if points < 0 else 'the British'}")
    return said


def result_phrase(rules: Ruleset, now: Mapping[str, Any]) -> str:
    """Return the result that is still to be applied after a step, or ""."""
    combat = now["combat"] or {}
    if "spot" in combat and combat.get("outcome", "none") != "none":
        return f"{place_name(rules, combat['spot'])}: {_RESULTS.get(combat['outcome'], '')}"
    return "the way is open" if now["step"] == "advance" else ""
