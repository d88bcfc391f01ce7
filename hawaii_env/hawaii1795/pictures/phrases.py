"""The words of Hawaii, 1795: who must decide what, which die is due, what happened, what pieces, battles and results
are called.

Map, page, account and replay all take theirs from here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hawaii_env.game import Chance, Decision, Event
from hawaii_env.hawaii1795.pictures.names import card_of, okina, piece_of, recruits_phrase, side_name, space_name

__all__ = [
    "MARKS",
    "RESULTS",
    "SHORT_RESULTS",
    "battle_phrase",
    "button_phrase",
    "chance_phrase",
    "decision_phrase",
    "die_of",
    "last_phrase",
    "mark_phrase",
    "question",
    "result_of",
    "wrap",
]

_QUESTIONS = {
    "setup": "where to place the next piece",
    "home": "which piece goes home",
    "withdrawal": "where the canoes withdraw to",
    "pickup": "where the fleet picks up",
    "sail": "where the fleet sails",
    "approach": "which landing comes first",
    "launch": "launch a war fleet, or stay ashore",
    "commit": "who sails in the war fleet",
    "battle_order": "which battle comes first",
    "fire": "which unit fires next",
    "loss": "which unit is lost",
    "panic": "which unit panics",
    "canoe_loss": "which canoe is lost",
    "retreat": "where to retreat",
}


def question(view: Mapping[str, Any], ruleset: Any) -> str:
    """Who must decide what, as ``"Allies choose: which unit is lost"``; for chance which die, and at the end who has
    won.
    """
    phase, decider = view["phase"], view["decider"]
    if view["winner"] is not None:
        won = {"tie": "A tie", "kamehameha": "Kamehameha has won", "allied": "The Allies have won"}[view["winner"]]
        return f"{won}: {view['reason']}"
    if phase == "sketch":
        return "This position cannot be yet"
    if decider is None:
        return "The game is over"
    if decider == "chance":
        whose = die_of(view)
        roller = side_name(whose or view["half"], ruleset)
        rolls = "roll" if whose == "allied" else "rolls"
        battle = view["battle"] or {}
        if phase == "card":
            return f"{roller}: a card is drawn"
        if phase == "event":
            return f"{roller} {rolls} the event’s die"
        if phase == "sighting":
            return f"{roller} {rolls} the sighting die: 1 to {ruleset.sighted_up_to} sees the fleet"
        if phase == "advantage":
            against = f", against Kamehameha’s {battle['first_die']}" if battle.get("first_die") else ""
            return f"{roller} {rolls} for the advantage{against}"
        dice = battle.get("dice") or 0
        unit = okina(piece_of(battle["firer"].split("/")[0], whose or "", ruleset).name) if battle.get("firer") else ""
        fires = "fire" if whose == "allied" else "fires"
        return f"{roller} {fires}{f' with {unit}' if unit else ''}: {dice} {'die' if dice == 1 else 'dice'} to roll"
    who = f"{side_name(decider, ruleset)} to decide"
    if phase == "recruiting":
        return (
            f"{who}: recruit {recruits_phrase(view['recruits'], decider, ruleset)}"
            if view["recruits"]
            else f"{who}: recruiting"
        )
    if phase == "movement":
        n = view["fleet_moves"]
        return (
            f"{who}: march, {n} fleet move{'' if n == 1 else 's'} left" if n else f"{who}: march; no fleet moves left"
        )
    if phase == "cargo":
        return f"{who}: who goes aboard"
    if phase == "window":
        return f"{who}: play the held card, or pass"
    return f"{who}: {_QUESTIONS.get(phase, phase.replace('_', ' '))}"


def die_of(view: Mapping[str, Any]) -> str | None:
    """The side that rolls the die, or draws the card, that is due; None where nothing is."""
    phase, half = view["phase"], view["half"]
    if view["decider"] != "chance":
        return None
    if phase == "sighting":
        return "allied" if half == "kamehameha" else "kamehameha"  # the defender looks out for the fleet [11.7]
    if phase == "advantage":
        return "allied" if view["battle"]["first_die"] else "kamehameha"
    if phase == "hit_die":
        return view["battle"]["firing"] or half
    return half


# What actions that speak of nothing on the board are called, by verb and phase.
_BUTTONS = {
    ("done", "recruiting"): "No more recruits",
    ("done", "movement"): "End movement",
    ("done", "cargo"): "Loading complete",
    ("done", "commit"): "The war fleet is complete",
    ("pass", "launch"): "Stay ashore",
    ("pass", "window"): "Keep the card",
    ("launch", "launch"): "Launch a war fleet",
}
_PLAIN_BUTTONS = {"done": "Done", "pass": "Pass", "launch": "Launch a war fleet"}


def button_phrase(verb: str, phase: str) -> str:
    """What an action that speaks of nothing on the board is called: done, pass, launch."""
    return _BUTTONS.get((verb, phase)) or _PLAIN_BUTTONS[verb]


MARKS = {
    "panicked": ("panicked", "is panicked: a second panic eliminates it"),
    "fired": ("has fired", "has fired in this round"),
    "marched": ("has marched", "has marched this turn"),
    "carried": ("came by canoe", "was carried by canoe this turn"),
    "turned": ("changed sides", "changed sides where it stands"),
}
"""Marks of pieces: in a word or two, and in a sentence without its subject."""


def mark_phrase(mark: str, ruleset: Any) -> str:
    """A piece's mark in a word or two; the name of a space is where it came from."""
    return MARKS[mark][0] if mark in MARKS else f"from {space_name(mark, ruleset)}"


RESULTS = {"none": "no effect", "panic": "panic", "elimination": "a unit is lost"}
"""Results of the Battle Results Table, as the ruleset names them, in words [11.3]."""
SHORT_RESULTS = {"none": "–", "panic": "panic", "elimination": "lost"}


def result_of(event: Chance) -> str:
    """The result that a hit's die had, as the ruleset names it: "none", "panic" or "elimination"."""
    said = event.text.partition(": ")[2]
    return "none" if said == "no effect" else said


def battle_phrase(kind: str, space: str, second: bool, ruleset: Any) -> str:
    """What a battle is called."""
    name = space_name(space, ruleset)
    text = {
        "sea": f"Sea battle off {name}",
        "invasion": f"Invasion of {name}",
        "overland": f"Overland attack on {name}",
    }
    return text[kind] + (", second battle" if second else "")


_SAID = {
    "place": "{0} placed at {1}",
    "recruit": "{0} recruited at {1}",
    "home": "{0} sent home from {1}",
    "march": "{0} from {1} to {2}",
    "fleet": "fleet move with a canoe at {0}",
    "pickup": "cargo is picked up at {0}",
    "embark": "{0} aboard",
    "sail": "the fleet sails to {0}",
    "approach": "the landing at {0} comes next",
    "battle": "the battle of {0} comes next",
    "retreat": "retreat to {0}",
    "commit": "{0} from {1} in the war fleet",
    "fire": "{0} to fire",
    "lose": "{0} lost",
    "panic": "a panic falls on {0}",
    "play": "{0} is played",
    "launch": "a war fleet is launched",
    "done": "done",
    "pass": "passes",
}


def _named(word: str, side: int, ruleset: Any) -> str:
    """A word of an action's text as people say it: a space, a card or a piece."""
    if word in ruleset.spaces:
        return space_name(word, ruleset)
    if word in ruleset.card_ids:
        return okina(card_of(word, ruleset).title)
    kind = word.split("/")[0]
    if kind == "canoe":
        return "a canoe"  # of any kind: actions name the kind only where several lie in one place
    try:
        piece = piece_of(kind, ("kamehameha", "allied")[side], ruleset)
        name = okina(piece.name)
        return name.replace("Canoes ", "a canoe ", 1) if piece.class_ == "canoe" else name
    except KeyError:
        return okina(word.replace("_", " "))


def decision_phrase(event: Decision, ruleset: Any) -> str:
    """A decision in words, without who took it."""
    verb, *words = event.text.split()
    if verb == "fleet":
        words = words[-1:]
    return _SAID.get(verb, verb).format(*(_named(word, event.player, ruleset) for word in words))


def chance_phrase(event: Chance, ruleset: Any) -> str:
    """What chance brought, as a sentence without its full stop."""
    if event.kind == "card":
        side, _, card = event.text.split()
        return f"{'Kamehameha draws' if side == 'kamehameha' else 'The Allies draw'} {_named(card, 0, ruleset)}"
    if event.kind == "hit_die":
        return f"Die {event.outcome}: {RESULTS[result_of(event)]}"
    if event.kind == "sighting":
        return f"Sighting die {event.outcome}: the fleet is {event.text.partition(': ')[2]}"
    if event.kind == "advantage":
        side, _, rest = event.text.removeprefix("advantage: ").partition(" ")
        said = f"{'Kamehameha rolls' if side == 'kamehameha' else 'The Allies roll'} {event.outcome} for the advantage"
        won = {
            "tie": ": a tie, both roll again", "kamehameha": ": Kamehameha has it", "allied": ": the Allies have it",
        }  # fmt: skip
        return said + won.get(rest.partition(": ")[2], "")
    card, _, happens = event.text.partition(": ")
    return f"{_named(card.split()[0], 0, ruleset)}, die {event.outcome}: {happens}"


def last_phrase(events: Sequence[Event], ruleset: Any) -> str:
    """The last event in words: whose decision, or what chance brought."""
    if not events:
        return ""
    event = events[-1]
    if isinstance(event, Decision):
        return f"{('Kamehameha', 'Allies')[event.player]}: {decision_phrase(event, ruleset)}"
    return chance_phrase(event, ruleset)


def wrap(text: str, width: int, most: int) -> list[str]:
    """Break a text into at most `most` lines of about `width` characters; what is cut ends in an ellipsis."""
    lines: list[str] = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    if len(lines) > most:
        lines = lines[:most]
        lines[-1] = lines[-1][: width - 1].rstrip(" .,;:") + "…"
    return lines
