"""The words of Hawaii, 1795: who must decide what, which die is due, what happened, what pieces, battles and results
are called.

Map, page, account and replay all take theirs from here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hawaii_env.game import Chance, Decision, Event
from hawaii_env.hawaii1795.pictures.names import card_of, piece_of, recruits_phrase, side_name, space_name
from hawaii_env.texts import spell

__all__ = [
    "MARKS",
    "NUMBERS",
    "RESULTS",
    "SHORT_RESULTS",
    "battle_phrase",
    "button_phrase",
    "chance_phrase",
    "decision_phrase",
    "die_of",
    "fleet_phrase",
    "help_phrase",
    "last_phrase",
    "mark_phrase",
    "question",
    "result_of",
    "wrap",
]

_QUESTIONS = {
    "setup": "where does the next piece stand?",
    "home": "which piece goes home?",
    "withdrawal": "where do the canoes withdraw to?",
    "pickup": "where does the fleet pick up?",
    "sail": "where does the fleet sail?",
    "approach": "which landing comes first?",
    "launch": "do you launch a war fleet?",
    "commit": "who sails in the war fleet?",
    "battle_order": "which battle comes first?",
    "fire": "which unit fires next?",
    "loss": "which unit is lost?",
    "panic": "which unit panics?",
    "canoe_loss": "which canoe is lost?",
    "retreat": "where do they retreat to?",
    "cargo": "who goes aboard?",
    "window": "do you play the held card?",
}


def question(view: Mapping[str, Any], ruleset: Any, named: bool = True) -> str:
    """Return what is asked, as ``"Allies: which unit is lost?"``, or without who decides unless `named`.

    For chance it says which die is due, at the end who has won.
    """
    phase, decider = view["phase"], view["decider"]
    if view["winner"] is not None:
        won = {"tie": "A tie", "kamehameha": "Kamehameha has won", "allied": "The Allies have won"}[view["winner"]]
        return f"{won}: {spell(view['reason'])}"
    if phase == "sketch":
        return "This position cannot be yet"
    if decider is None:
        return "The game is over"
    if decider == "chance":
        return _chance_question(view, ruleset)
    moves = view["fleet_moves"]
    recruits = recruits_phrase(view["recruits"], decider, ruleset) if view["recruits"] else "them"
    asked = {
        "recruiting": f"where do you recruit {recruits}?",
        "movement": f"who moves? {moves} fleet move{'s' * (moves != 1)} left" if moves else "who marches?",
        **_QUESTIONS,
    }[phase]
    return f"{side_name(decider, ruleset)}: {asked}" if named else asked[:1].upper() + asked[1:]


def _chance_question(view: Mapping[str, Any], ruleset: Any) -> str:
    """Return who draws a card or rolls which die."""
    whose, battle = die_of(view) or view["half"], view["battle"] or {}
    roller, plural = side_name(whose, ruleset), whose == "allied"
    rolls, fires = ("roll", "fire") if plural else ("rolls", "fires")
    firer, dice, first = battle.get("firer"), battle.get("dice") or 0, battle.get("first_die")
    unit = f" with {spell(piece_of(firer.split('/')[0], whose, ruleset).name)}" if firer else ""
    return {
        "card": f"{roller}: a card is drawn",
        "event": f"{roller} {rolls} the event’s die",
        "sighting": f"{roller} {rolls} the sighting die: 1 to {ruleset.sighted_up_to} sees the fleet",
        "advantage": f"{roller} {rolls} for the advantage{f', against Kamehameha’s {first}' if first else ''}",
        "hit_die": f"{roller} {fires}{unit}: {dice} {'die' if dice == 1 else 'dice'} to roll",
    }[view["phase"]]


def die_of(view: Mapping[str, Any]) -> str | None:
    """Return the side that rolls the die, or draws the card, that is due; None where nothing is."""
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
    ("done", "cargo"): "No more cargo",
    ("done", "commit"): "The war fleet is complete",
    ("pass", "launch"): "Stay ashore",
    ("pass", "window"): "Keep the card",
    ("launch", "launch"): "Launch a war fleet",
}
_ENDED = {
    ("done", "recruiting"): "no more recruits",
    ("done", "movement"): "all have moved",
    ("done", "cargo"): "no more cargo",
    ("done", "commit"): "the war fleet is complete",
    ("pass", "launch"): "no war fleet is launched",
    ("pass", "window"): "the card is kept",
}
"""Results of decisions that name nothing on the board, by verb and phase."""
_PLAIN_BUTTONS = {"done": "Done", "pass": "Pass", "launch": "Launch a war fleet"}


def button_phrase(verb: str, phase: str) -> str:
    """Return the name of an action that names nothing on the board: done, pass, launch."""
    return _BUTTONS.get((verb, phase)) or _PLAIN_BUTTONS[verb]


def fleet_phrase(texts: Sequence[str], side: int, ruleset: Any) -> str:
    """Return a whole fleet move in words, given its actions' texts, from the choice of the canoe to the sailing."""
    stops, cargo = list[str](), dict[str, int]()
    for text in texts:
        verb, *words = text.split()
        if verb == "embark":
            name = _named(words[0], side, ruleset)
            cargo[name] = cargo.get(name, 0) + 1
        elif (stop := space_name(words[-1], ruleset)) not in stops[-1:]:
            stops.append(stop)
    *ways, goal = stops
    aboard = ", ".join(f"{n} × {name}" if n > 1 else name for name, n in cargo.items())
    return f"a fleet sails from {' by '.join(ways)} to {goal}{f', with {aboard}' if aboard else ''}"


MARKS = {
    "panicked": ("panicked", "is panicked: a second panic eliminates it"),
    "fired": ("has fired", "has fired in this round"),
    "marched": ("has marched", "has marched this turn"),
    "carried": ("came by canoe", "was carried by canoe this turn"),
    "turned": ("changed sides", "changed sides where it stands"),
}
"""Marks of pieces: in a word or two, and in a sentence without its subject."""


def mark_phrase(mark: str, ruleset: Any) -> str:
    """Return a piece's mark in a word or two; the name of a space is where it came from."""
    return MARKS[mark][0] if mark in MARKS else f"from {space_name(mark, ruleset)}"


RESULTS = {"none": "no effect", "panic": "panic", "elimination": "a unit is lost"}
"""Results of the Battle Results Table, as the ruleset names them, in words [11.3]."""
SHORT_RESULTS = {"none": "–", "panic": "panic", "elimination": "lost"}


def result_of(event: Chance) -> str:
    """Return the result that a hit's die had, as the ruleset names it: "none", "panic" or "elimination"."""
    said = event.text.partition(": ")[2]
    return "none" if said == "no effect" else said


def battle_phrase(kind: str, space: str, second: bool, ruleset: Any) -> str:
    """Return the name of a battle."""
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
    "done": "that is all",
    "pass": "passes",
}


def _named(word: str, side: int, ruleset: Any) -> str:
    """Return a word of an action's text as people say it: a space, a card or a piece."""
    if word in ruleset.spaces:
        return space_name(word, ruleset)
    if word in ruleset.card_ids:
        return spell(card_of(word, ruleset).title)
    kind = word.split("/")[0]
    if kind == "canoe":
        return "a canoe"  # of any kind: actions name the kind only where several lie in one place
    try:
        piece = piece_of(kind, ("kamehameha", "allied")[side], ruleset)
        name = spell(piece.name)
        return name.replace("Canoes ", "a canoe ", 1) if piece.class_ == "canoe" else name
    except KeyError:
        return spell(word.replace("_", " "))


def decision_phrase(event: Decision, ruleset: Any, phase: str = "") -> str:
    """Return a decision, taken in a phase, in words, without who took it."""
    verb, *words = event.text.split()
    if (verb, phase) in _ENDED:
        return _ENDED[verb, phase]
    if verb == "fleet":
        words = words[-1:]
    return _SAID.get(verb, verb).format(*(_named(word, event.player, ruleset) for word in words))


def chance_phrase(event: Chance, ruleset: Any) -> str:
    """Return what chance brought, as a sentence without its full stop."""
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
    """Return the last event that did something in words: whose decision, or what chance brought; "" if none did."""
    for event in reversed(events):
        if not isinstance(event, Decision):
            return chance_phrase(event, ruleset)
        if event.text not in ("done", "pass"):
            return f"{('Kamehameha', 'Allies')[event.player]}: {decision_phrase(event, ruleset)}"
    return ""


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


# What a phase asks, in a sentence or two of our own.
_HELP = {
    "setup": "Place the piece on either space of your island. Where it stands decides what you can move first.",
    "home": (
        "The card's event takes pieces off the map. You pick which; they go to your recruit box and may come "
        "back later."
    ),
    "recruiting": (
        "Your card brings recruits. They come to your home islands or to where one of your leaders is, never "
        "among enemies unless the card says so."
    ),
    "withdrawal": "Canoes alone cannot stay among enemies. They leave for a space that you occupy.",
    "window": "You hold a card that may be played just now. Play it, or keep it for a later turn.",
    "movement": (
        "March between the two spaces of an island, each unit once, and make the fleet moves that your card "
        "gives. Entering a space with enemies brings a battle."
    ),
    "pickup": "The canoe may pick up its cargo where it lies, or at another space without enemies.",
    "cargo": "A canoe carries {load}. Say who goes aboard, then end the loading.",
    "sail": (
        "A fleet sails to any other land space. Before a space with enemies it waits at sea until movement is "
        "over."
    ),
    "approach": "Several fleets lie before enemy spaces. Choose which landing is looked at next.",
    "launch": "The fleet was sighted. You may meet it at sea with canoes of the space, or wait for it ashore.",
    "commit": "Canoes of the space first; then units of the island, as many as the canoes hold.",
    "battle_order": "Several spaces are contested. Choose which battle is fought next.",
    "fire": (
        "Every unit that can must fire once a round. Which one of yours is next is your choice; it rolls as "
        "many dice as its strength."
    ),
    "loss": "Your side was hit: one unit is eliminated. It goes to the recruit box, a leader for good. Choose which.",
    "panic": "Your side was hit: one unit panics. A unit that panics a second time is eliminated.",
    "canoe_loss": "The beaten fleet loses half of its canoes. Choose which go.",
    "retreat": "Choose a space that your side occupies; all who retreat go there together.",
    "card": "A campaign card is drawn from the deck of nine.",
    "event": "The card asks for a die.",
    "sighting": "A fleet comes in. On {sighted} it is sighted, and may be met at sea.",
    "advantage": "Each side rolls a die, the side with more elite units adds 1. The winner fires first in this round.",
    "hit_die": "A unit rolls its dice one at a time, and each result counts before the next die.",
    "over": "The game is over.",
}  # fmt: skip

NUMBERS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight")


def help_phrase(phase: str, ruleset: Any) -> str:
    """Return what a phase asks, in a sentence or two; empty for no phase of the game."""
    load, faces = ruleset.canoe_load, ruleset.sighted_up_to
    parts = ((load.units, "unit"), (load.leaders, "leader"))
    carried = " and ".join(f"{NUMBERS[n]} {name}{'s' if n > 1 else ''}" for n, name in parts if n)
    sighted = f"1 to {faces}" if faces > 1 else "1" if faces else "no number"
    return _HELP.get(phase, "").format(load=f"up to {carried}", sighted=sighted)
