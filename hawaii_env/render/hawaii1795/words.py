"""What a position of Hawaii, 1795 is about, in a line: who must decide what, or which die is due."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hawaii_env.game import Decision, Event
from hawaii_env.render.hawaii1795.names import card_of, okina, piece_of, recruits_words, side_name, space_name

__all__ = ["last_words", "question", "wrap"]

_QUESTIONS = {
    "setup": "where to place the next piece", "home": "which piece goes home", "withdrawal": "where the canoes withdraw to",
    "pickup": "where the fleet picks up", "sail": "where the fleet sails", "approach": "which landing comes first",
    "launch": "launch a war fleet, or stay ashore", "commit": "who sails in the war fleet", "battle_order": "which battle comes first",
    "fire": "which unit fires next", "loss": "which unit is lost", "panic": "which unit panics", "canoe_loss": "which canoe is lost",
    "retreat": "where to retreat",
}  # fmt: skip


def question(view: Mapping[str, Any], ruleset: Any) -> str:
    """Who must decide what, as ``"Allies choose: which unit is lost"``; for chance which die, and at the end who has won."""
    phase, decider = view["phase"], view["decider"]
    if view["winner"] is not None:
        won = {"tie": "A tie", "kamehameha": "Kamehameha has won", "allied": "The Allies have won"}[view["winner"]]
        return f"{won}: {view['reason']}"
    if decider is None:
        return "The game is over"
    if decider == "chance":
        half = side_name(view["half"], ruleset)
        what = {
            "card": f"{half}: a card is drawn",
            "event": f"{half}: the event's die is rolled",
            "sighting": "Sighting: a die of 1 to 3 sees the fleet",
            "advantage": "Advantage: each side rolls a die",
        }.get(phase)
        if what is not None:
            return what
        battle = view["battle"] or {}
        dice = battle.get("dice") or 0
        side = battle.get("firing") or view["half"]
        verb = "fire" if side == "allied" else "fires"
        return f"{side_name(side, ruleset)} {verb}: {dice} {'die' if dice == 1 else 'dice'} to roll"
    who = f"{side_name(decider, ruleset)} to decide"
    if phase == "recruiting":
        return (
            f"{who}: recruit {recruits_words(view['recruits'], decider, ruleset)}"
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


_SAID = {
    "place": "{0} placed at {1}", "recruit": "{0} recruited at {1}", "home": "{0} sent home from {1}", "march": "{0} from {1} to {2}",
    "fleet": "a fleet moves from {0}", "pickup": "it picks up at {0}", "embark": "{0} aboard", "sail": "the fleet sails to {0}",
    "approach": "the fleet off {0}", "battle": "battle of {0}", "retreat": "withdrawal to {0}", "commit": "{0} in the war fleet",
    "fire": "{0} to fire", "lose": "{0} lost", "panic": "{0} in panic", "play": "{0} is played", "launch": "a war fleet is launched",
}  # fmt: skip


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


def last_words(events: Sequence[Event], ruleset: Any) -> str:
    """The last event in words: whose decision, or what chance brought."""
    if not events:
        return ""
    event = events[-1]
    if isinstance(event, Decision):
        verb, *words = event.text.split()
        if verb == "fleet":
            words = words[-1:]
        said = _SAID.get(verb, verb).format(*(_named(word, event.player, ruleset) for word in words))
        return f"{('Kamehameha', 'Allies')[event.player]}: {said}"
    if event.kind == "card":
        side, _, card = event.text.split()
        return f"{'Kamehameha draws' if side == 'kamehameha' else 'The Allies draw'} {_named(card, 0, ruleset)}"
    words = [_named(word, 0, ruleset) if word in ruleset.card_ids else word for word in event.text.split()]
    text = " ".join(words).replace("allied", "Allies").replace("kamehameha", "Kamehameha")
    return text[:1].upper() + text[1:]


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
