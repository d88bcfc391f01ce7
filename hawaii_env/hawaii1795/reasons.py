"""Why a piece cannot be chosen, or cannot go to a space: for messages. Nothing here decides whether it can."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from hawaii_env.game import State

from .pictures.names import space_name
from .pictures.phrases import NUMBERS
from .rules.cards import kaiana_entered
from .rules.movement import march_spaces
from .rules.names import BOX, K_KAIANA_WARRIORS, KIND_NAMES, N_PIECES, N_SPACES, PHASES, SIDES, SPACES
from .rules.pieces import defender, kauai_is_neutral_at, pieces_in, units_in
from .rules.recruiting import wanted_as

__all__ = ["why_not"]

_IN_BATTLE = ("fire", "loss", "panic", "canoe_loss")

_ELSE = {
    "setup": "the pieces come one after the other, each to its own island [6.0, R-06]",
    "home": "the card names other kinds of piece [8.2, R-36]",
    "recruiting": "recruits come from the box [9.0]",
    "withdrawal": "canoes that are driven off go to a space that their side occupies [R-15]",
    "retreat": "who retreats goes to a space that his side occupies, where no battle is pending [11.5, R-07, R-24]",
    "approach": "no fleet of this half waits before it [R-17]",
    "launch": "the sighted fleet is answered first: launch a war fleet, or not [11.7]",
    "battle_order": "units of both sides do not stand there [11.0]",
    "pickup": "cargo is taken on where units stand, and no enemies [10.3]",
    "sail": "the loaded canoe sails to a space first [10.3]",
    "window": "a held event is played now, or not [8.1, R-09]",
}
"""Reasons of a phase for whatever is not chosen in it, where nothing more particular holds."""


def why_not(state: State, player: int, thing: Mapping[str, str], to: str) -> str:
    """See `hawaii_env.web.strings.Strings.why_not`."""
    rules, record = cast(Any, state.game).tables, cast(Any, state).interpreted()
    pieces = [
        piece
        for piece in range(N_PIECES)
        if KIND_NAMES[rules.kind[piece]] == thing.get("piece", "").split("/")[0]
        and SIDES[record.owner[piece]] == thing.get("side")
        and _stands(record.place[piece], thing.get("place", ""))
    ]
    if pieces and record.owner[pieces[0]] != player:
        return ""  # whose turn it is says more
    aim = SPACES.index(to) if to in SPACES else -1
    here = SPACES.index(thing["place"]) if thing.get("place") in SPACES else -1
    phase = PHASES[int(record.phase)]
    if phase in _IN_BATTLE:
        return next(_not_in_battle(rules, record, phase, pieces, thing), "")
    find = {"movement": _no_move, "pickup": _no_pickup, "cargo": _no_cargo, "sail": _no_voyage,
        "recruiting": _no_recruit, "commit": _no_war_fleet}.get(phase)  # fmt: skip
    found = "" if find is None else next(find(rules, record, pieces, here, aim, state), "")
    return found or _ELSE.get(phase, "")


def _stands(place: int, named: str) -> bool:
    """Return True if the name that a picture has for a place may be this one's."""
    if place < N_SPACES:
        return SPACES[place] == named
    return named not in SPACES and (place == BOX) == (named == "box")


def _name(state: State, space: int) -> str:
    return space_name(SPACES[space], cast(Any, state.game).ruleset)


def _no_move(rules: Any, record: Any, pieces: list[int], here: int, aim: int, state: State) -> Iterator[str]:
    """[10.0] Yield why pieces do not march, nor canoes begin a fleet move."""
    if not pieces:
        yield "pieces of yours march and sail: choose one, not the space [10.0]"
    elif here < 0:
        yield "pieces in the box come by recruiting [9.0]"
    elif rules.canoe[pieces[0]]:
        if record.fleet_moves == 0:
            yield "the card allows no more fleet moves [10.3]"
        if all(record.carried[piece] for piece in pieces):
            yield "a canoe moves once a turn [10.3, R-14]"
        if units_in(record, defender(record), here):
            yield "enemy units are in its space [R-23]"
        if aim >= 0:
            yield "a canoe is chosen, then where it loads, then where it sails [10.3]"
        yield "nobody can go aboard, and no space is free for an empty canoe [10.3, R-13]"
    else:
        over = "" if record.fleet_moves else ", and the card allows no more of them"
        if rules.sibling[here] < 0:
            yield f"its island has no other space: it leaves by canoe, in a fleet move{over} [10.2, 10.3]"
        if aim >= 0 and aim != rules.sibling[here]:
            beside = _name(state, rules.sibling[here])
            yield f"a march goes to {beside} alone: over water a fleet carries it [10.2, 10.3]"
        if not march_spaces(rules, record) >> here & 1:
            yield "enemies are in its space, and who meets enemies stops there [10.3, R-28]"
        yield "a unit marches once a turn [10.2, R-11]"


def _no_pickup(rules: Any, record: Any, pieces: list[int], here: int, aim: int, state: State) -> Iterator[str]:
    """[10.3] Yield why a canoe does not load in a space."""
    space = aim if aim >= 0 else here
    if space >= 0 and pieces_in(record, defender(record), space):
        yield "enemies are there, and nobody goes aboard among them [10.3]"
    if space >= 0 and not units_in(record, record.half, space):
        yield "no unit of yours is there to go aboard [10.3]"
    if space >= 0:
        yield "whoever is there has been carried this turn [R-14]"


def _no_cargo(rules: Any, record: Any, pieces: list[int], here: int, aim: int, state: State) -> Iterator[str]:
    """[10.3, R-12] Yield why pieces do not go aboard."""
    if not pieces:
        yield "first who goes aboard is chosen, then where the canoe sails [10.3]"
    elif rules.canoe[pieces[0]]:
        yield "canoes carry units and leaders, not canoes [R-12]"
    elif here != record.pickup:
        yield f"the canoe loads at {_name(state, record.pickup)} [10.3]"
    elif all(record.carried[piece] for piece in pieces):
        yield "a unit is carried once a turn [R-14]"
    elif rules.leader[pieces[0]]:
        yield f"a canoe holds {NUMBERS[rules.leaders_a_canoe]} leaders [10.3, R-12]"
    else:
        yield f"a canoe holds {NUMBERS[rules.units_a_canoe]} units [10.3, R-12]"


def _no_voyage(rules: Any, record: Any, pieces: list[int], here: int, aim: int, state: State) -> Iterator[str]:
    """[10.3, R-13] Yield why a fleet does not sail to a space."""
    space = aim if aim >= 0 else here
    if space == record.pickup:
        yield "it sails to another space than it loads in [10.3, R-03]"
    if space >= 0 and kauai_is_neutral_at(record, space):
        yield "an empty canoe does not sail to neutral Kauaʻi [R-13]"
    if space >= 0 and pieces_in(record, defender(record), space):
        yield "an empty canoe does not sail to enemies [R-13]"


def _no_recruit(rules: Any, record: Any, pieces: list[int], here: int, aim: int, state: State) -> Iterator[str]:
    """[9.0, R-10] Yield why recruits do not come, or not to a space."""
    space = aim if aim >= 0 else here
    kind = rules.kind[pieces[0]] if pieces else -1
    if kind >= 0 and here < 0 and wanted_as(rules, record, kind) < 0:
        if kind == K_KAIANA_WARRIORS and not kaiana_entered(rules, record):
            yield "they come once Kaʻiana has been on the map [R-04]"
        yield "the card brings no such recruit, or no more of them [8.1, 9.0]"
    if kind >= 0 and here >= 0 and aim < 0:
        yield "recruits come from the box; what is on the map moves later [9.0]"
    if space >= 0 and pieces_in(record, 1 - record.half, space):
        yield "recruits do not come among enemies [9.0, R-10]"
    yield "recruits come to a space with a leader of their side, or to their home island [9.0, R-10]"


def _no_war_fleet(rules: Any, record: Any, pieces: list[int], here: int, aim: int, state: State) -> Iterator[str]:
    """[11.7, R-35] Yield why pieces do not join a war fleet."""
    field = record.field
    if here not in (field, rules.sibling[field]):
        yield f"who sails out comes from {_name(state, field)}, or the island’s other space [11.7, R-17]"
    if pieces and rules.canoe[pieces[0]]:
        yield f"the canoes of {_name(state, field)} sail out, no others [11.7]"
    yield "the canoes of the war fleet hold no more: choose another canoe first, if there is one [11.7, R-35]"


def _not_in_battle(rules: Any, record: Any, phase: str, pieces: list[int], thing: Mapping[str, str]) -> Iterator[str]:
    """[11.2, 11.3, 12.0] Yield why units are not named in a battle."""
    fights = [piece for piece in pieces if not rules.canoe[piece]]
    marks = thing.get("piece", "").split("/")[1:]
    space = SPACES[int(record.field)]
    if phase == "canoe_loss":
        yield "canoes of the beaten fleet are lost now [11.8, R-37]"
    if not pieces or (thing.get("place") in ("box", *SPACES) and thing["place"] != space):
        yield "units of the running battle are asked for [11.2]"
    if not fights:
        yield "canoes never fire, and are no losses in a land battle [3.1, 11.2, 11.5]"
    if phase == "fire":
        if "panicked" in marks:
            yield "a panicked unit does not fire [11.3]"
        if "fired" in marks:
            yield "each unit fires once a round [11.1]"
        yield "gunpowder fires before all others [14.2]"
    if phase == "loss":
        yield "units that are not panicked are lost first [11.3]"
    yield "elite units never panic [12.0, R-04]"
