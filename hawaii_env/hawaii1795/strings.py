"""The page's texts for Hawaii, 1795: legal actions as buttons, phases with their rules, cards, pieces, and what the
editor needs.

Everything is read from the view, the ruleset and the rulings; nothing here knows the rules.

One file: most of it is tables of text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from hawaii_env.game import Chance, Decision, Event, Game, State
from hawaii_env.hawaii1795.pictures import svg
from hawaii_env.hawaii1795.pictures.battle import in_battle, rolled
from hawaii_env.hawaii1795.pictures.legal import panicked_already
from hawaii_env.hawaii1795.pictures.names import (
    card_of,
    piece_of,
    recruits_phrase,
    side_name,
    space_name,
    type_of,
)
from hawaii_env.hawaii1795.pictures.panels import card_sign
from hawaii_env.hawaii1795.pictures.phrases import (
    MARKS,
    NUMBERS,
    SHORT_RESULTS,
    battle_phrase,
    button_phrase,
    chance_phrase,
    die_of,
    help_phrase,
    mark_phrase,
    question,
)
from hawaii_env.hawaii1795.reasons import why_not
from hawaii_env.hawaii1795.rules.flow import TABLE
from hawaii_env.hawaii1795.rules.names import MONTHS, PHASES, SPACES
from hawaii_env.hawaii1795.ruleset import Ruleset
from hawaii_env.texts import spell

__all__ = ["SIDES", "HawaiiStrings", "kind_counts"]

SIDES = ("kamehameha", "allied")

# Rules that are worth a look in a phase, beside those that error messages name.
_MORE = {
    "movement": "10.1 10.2 10.3", "cargo": "10.1", "sail": "R-16", "window": "8.2", "recruiting": "8.1",
    "launch": "R-35", "commit": "R-35",
    "fire": "11.2 12.0", "hit_die": "11.3 12.0 13.0 14.1", "panic": "13.0 14.1", "advantage": "R-33",
    "battle_order": "11.4 11.5",
}  # fmt: skip

# The rules behind a choice, by its verb; "done" and "pass" have those of their phase.
_VERB_RULES = {
    "place": "6.0 R-06", "home": "8.2 R-36", "recruit": "9.0 R-10", "play": "8.1 R-09", "march": "10.2 10.1 R-11 R-28",
    "fleet": "10.3 R-32",
    "pickup": "10.3 R-03", "embark": "10.3 10.1 R-12 R-14", "sail": "10.3 R-13 R-16", "approach": "11.0 R-17",
    "launch": "11.7 R-35",
    "commit": "11.7 R-35", "battle": "11.0 11.4 R-19", "fire": "11.2 12.0 14.2 R-05", "lose": "11.3",
    "panic": "11.3 12.0 14.1", "retreat": "11.5 R-30",
}  # fmt: skip
_PHASE_VERB_RULES = {("canoe_loss", "lose"): "11.8 R-37"}

# The rules behind a card's event, by its effect.
_EFFECT_RULES = {
    "gunpowder_dice": "14.2", "advantage": "11.1 R-33", "appeal": "R-16 R-23", "home": "R-36", "recruit_among": "R-10",
    "no_sighting": "11.7 R-17",
    "sure_sighting": "11.7 R-17", "earthworks": "13.0 R-38",
}  # fmt: skip


def _piece(word: str, side: str, ruleset: Any) -> str:
    """Return a piece of an action's text as people say it, with strength and marks."""
    kind, *marks = word.split("/")
    if kind == "canoe":
        return "Canoe"  # any kind of canoe: actions name the kind only where several lie in one place
    piece = piece_of(kind, side, ruleset)
    text = spell(piece.name)
    if piece.strength is not None and not text.endswith(")"):
        text += f" ({piece.strength}{'+' if piece.plus else ''})"
    said = [mark_phrase(mark, ruleset) for mark in marks]
    return f"{text}, {', '.join(said)}" if said else text


# Group and label of a choice by its verb, with the words of its text: a piece, or a space.
_LABELS = {
    "place": ("Place {piece}", "at {last}"), "recruit": ("Recruit {piece}", "at {last}"),
    "home": ("Send home", "{piece} from {last}"), "march": ("March {middle} → {last}", "{piece}"),
    "fleet": ("Fleet move with", "a canoe at {last}"), "commit": ("War fleet", "{piece} from {last}"),
    "embark": ("Go aboard", "{piece}"), "fire": ("Fire with", "{piece}"), "lose": ("Lose", "{piece}"),
    "panic": ("Panic falls on", "{piece}"), "pickup": ("Pick up cargo at", "{last}"), "sail": ("Sail to", "{last}"),
    "approach": ("Next the landing at", "{last}"), "battle": ("Next the battle of", "{last}"),
    "retreat": ("Retreat to", "{last}"),
}  # fmt: skip


def _label(text: str, view: Mapping[str, Any], ruleset: Any) -> tuple[str, str]:
    """Return group and label of an action."""
    verb, *words = text.split()
    side = view["decider"]
    if verb in ("done", "pass", "launch"):
        return "", button_phrase(verb, view["phase"])
    if verb == "play":
        return "Play", spell(card_of(words[0], ruleset).title)
    group, label = _LABELS[verb]
    if verb == "fleet" and len(words) > 1:
        label = "{piece} at {last}"
    elif verb == "retreat" and view["phase"] == "withdrawal":
        group = "Withdraw to"
    elif verb == "panic" and panicked_already(view, side, words[0]):
        group = "Lost by a second panic"
    parts = {
        "piece": _piece(words[0], side, ruleset) if "{piece}" in group + label else "",
        "middle": space_name(words[1], ruleset) if verb == "march" else "",
        "last": space_name(words[-1], ruleset) if "{last}" in group + label else "",
    }
    return group.format(**parts), label.format(**parts)


def _rules_of(text: str, phase: str) -> list[str]:
    verb = text.split()[0]
    return _numbers(_PHASE_VERB_RULES.get((phase, verb)) or _VERB_RULES.get(verb) or TABLE.sections.get(phase, ""))


def _numbers(text: str) -> list[str]:
    """Return the sections and rulings that a text names."""
    return re.findall(r"R-\d\d|\d+\.\d+", text)


def _battle(view: Mapping[str, Any], ruleset: Any, recent: Sequence[Event]) -> dict[str, Any]:
    """Return the note of a battle: what counts in it, and the results table with the row that is rolled."""
    battle, half = view["battle"], view["half"]
    other = SIDES[1 - SIDES.index(half)]
    facts: list[str] = []
    if battle["guns"]:
        facts.append("Gunpowder fires before all others [14.2].")
    if battle["kind"] != "sea" and (ruleset.spaces[view["field"]].fort or battle["earthworks"]):
        where = "behind earthworks" if battle["earthworks"] else "in a fort"
        facts.append(f"{side_name(other, ruleset)} {where}: they ignore panic [13.0].")
    for side, place in in_battle(view).items():
        pieces = [text.split("/") for text in view["units"][side].get(place, [])]
        pikes = [kind for kind, *marks in pieces if piece_of(kind, side, ruleset).pike and "panicked" not in marks]
        if pikes:
            name = spell(piece_of(pikes[0], side, ruleset).name)
            used = (
                "have cancelled a panic in this round"
                if battle["pike_used"][side]
                else "cancel the next panic of this round"
            )
            facts.append(f"{name} {used} [14.1].")
    return {
        "title": battle_phrase(battle["kind"], view["field"], battle["second"], ruleset),
        "facts": facts,
        "table": _results(view, ruleset, recent),
    }


def _results(view: Mapping[str, Any], ruleset: Any, recent: Sequence[Event]) -> dict[str, Any]:
    """Return the Battle Results Table [11.2], with the row of the unit that fires, or fired last, and the face that
    fell.
    """
    fell = rolled(recent, "hit_die")
    firer, firing = view["battle"]["firer"], view["battle"]["firing"]
    if firer is None and fell:
        fires = next((e for e in reversed(recent) if isinstance(e, Decision) and e.text.startswith("fire ")), None)
        firer, firing = (fires.text.split()[1], SIDES[fires.player]) if fires else (None, firing)
    now: tuple[int, bool] | None = None
    if firer is not None:
        now = int(firing != view["half"]), bool(piece_of(firer.split("/")[0], firing, ruleset).elite)
    column = ruleset.results.column
    rows: list[dict[str, Any]] = []
    for elite in (False, True):
        unit = "elite (+)" if elite else "others"
        same = column(0, int(elite)) == column(1, int(elite))
        rows += [
            {
                "label": unit if same else f"{unit}, {('attacker', 'defender')[role]}",
                "cells": [SHORT_RESULTS[result] for result in column(role, int(elite)) or ()],
                "now": now is not None and now[1] == elite and (same or now[0] == role),
            }
            for role in ((0,) if same else (0, 1))
        ]
    at = fell[-1].outcome - 1 if fell and now is not None else None
    return {"caption": "Battle results [11.2]", "columns": [str(face) for face in range(1, 7)], "rows": rows, "at": at}


def kind_counts(ruleset: Any) -> list[dict[str, Any]]:
    """Return every kind of piece: ``side`` (or neutral), ``kind``, ``name``, ``count``, what its counter says, and the
    ``rules`` that speak of it.
    """
    from hawaii_env.hawaii1795.models import OWNER_FIRST, OWNERS, kinds_of

    made: list[dict[str, Any]] = []
    for index, owner in enumerate(OWNERS):
        for offset, kind in enumerate(kinds_of(index)):
            piece = ruleset.pieces[OWNER_FIRST[index] + offset]
            made.append(
                {
                    "side": owner if owner in SIDES else "neutral", "kind": kind, "name": spell(piece.name),
                    "count": piece.count,
                    "strength": piece.strength, "elite": piece.elite, "plus": piece.plus, "gunpowder": piece.gunpowder,
                    "pike": piece.pike,
                    "type": type_of(piece), "can": _can(piece, ruleset), "facts": _facts(piece),
                    "rules": _numbers(_piece_rules(piece)),
                    "home": [spell(ruleset.island_name(i)) for i in getattr(piece, "home", None) or ()],
                }
            )  # fmt: skip
    return made


def _facts(piece: Any) -> list[str]:
    """Return the abilities of a piece, in sentences."""
    kind, strength, facts = type_of(piece), piece.strength, list[str]()
    if strength:
        facts.append(
            f"Strength {strength}{'+' * piece.plus}: it rolls {'one die' if strength == 1 else f'{strength} dice'} "
            "[3.0]."
        )
    if kind == "canoe":
        facts.append("Carries up to two units and two leaders [10.3]. It does not fight on land.")
    if kind == "leader":
        facts.append("A leader: recruits may come to where he is [9.0]. Once lost he never returns.")
    said = (
        (piece.elite, "Elite: ignores panic and fires on the elite column [12.0]."),
        (piece.plus, "Counts for the advantage [11.1]."),
        (piece.gunpowder, "Gunpowder: fires first [14.2]."), (piece.pike,
            "Pikes: cancel the first panic of each round [14.1]."),
    )  # fmt: skip
    return facts + [text for has, text in said if has]


def _piece_rules(piece: Any) -> str:
    kind = type_of(piece)
    said = {"canoe": "10.3 R-12 R-13 R-15", "leader": "3.1 R-04 R-12"}.get(kind, "3.0")
    for has, rules in (
        (piece.elite, "12.0 R-05"),
        (piece.plus, "11.1 R-33"),
        (piece.gunpowder, "14.2"),
        (piece.pike, "14.1 R-21 R-39"),
    ):
        said += f" {rules}" if has else ""
    return said


def _can(piece: Any, ruleset: Any) -> list[str]:
    """Return the abilities of a piece, in words for a table."""
    load, kind = ruleset.canoe_load, type_of(piece)
    carries = f"carries {NUMBERS[load.units]} units and {NUMBERS[load.leaders]} leaders"
    said = (
        (kind == "leader", "leader"), (piece.elite, "elite"), (piece.gunpowder, "gunpowder"), (piece.pike, "pikes"),
        (kind == "canoe", carries),
    )  # fmt: skip
    return [text for has, text in said if has]


def _space(space: str, ruleset: Any) -> dict[str, Any]:
    """Return a space of the map: ``id``, ``name``, ``title``, ``facts``, and its ``island``."""
    found = ruleset.spaces[space]
    name, island = space_name(space, ruleset), spell(ruleset.island_name(found.island))
    return {
        "id": space,
        "name": name,
        "title": f"{name}{'' if name == island else f', {island}'}{' · fort' if found.fort else ''}",
        "facts": ["Defenders of a fort ignore panic [13.0]."] if found.fort else [],
        "island": island,
    }


def _card_facts(card: Any, number: int, ruleset: Any) -> str:
    recruits = recruits_phrase(card.recruit, SIDES[number // 9], ruleset) or "none"
    held = " Held for later." if getattr(card.event, "timing", None) == "hold" else ""
    return f"Recruits: {recruits}. Fleet moves: {card.fleets}.{held}"


def _card_rules(card: Any) -> list[str]:
    said = "9.0" if card.recruit else ""
    if getattr(card, "recruit_once", None):
        said += " 6.1 R-27"
    if card.event is not None:
        said += f" {'8.1 R-09' if card.event.timing == 'hold' else '8.2'} {_EFFECT_RULES.get(card.event.effect, '')}"
    return _numbers(said)


# A side as sentences have it: at their beginning, in their middle, what it has, and whether its verb is plural.
_SAID = {
    "kamehameha": {"title": "Kamehameha", "within": "Kamehameha", "whose": "Kamehameha’s", "plural": False},
    "allied": {"title": "The Allies", "within": "the Allies", "whose": "The Allies’", "plural": True},
}

_SHORT = [
    "Hawaiʻi in 1795: Kamehameha comes with canoes and cannon against the chiefs of Oʻahu and Maui. Each month he "
    "moves first, then the Allies. A half begins with a card; recruits come, units march, fleets sail, and where "
    "enemies meet they fight.",
    None,  # how either side wins
    "Otherwise the game is a tie after November [5.3].",
]

# How long each kind of event stands at normal speed, in milliseconds.
_TIMES = {
    "card": 1500, "event": 1400, "sighting": 1300, "advantage": 900, "hit_die": 850, "play": 1200, "recruit": 700,
    "place": 500, "home": 700, "march": 750,
    "sail": 850, "fire": 450, "lose": 800, "panic": 800, "launch": 900, "commit": 400, "retreat": 900, "battle": 800,
    "approach": 500, "fleet": 200,
    "pickup": 200, "embark": 250,
}  # fmt: skip


def _options(ruleset: Any) -> list[dict[str, Any]]:
    """Return the options as the page asks for them; see `hawaii_env.web.strings.Strings.reference`."""
    months = {"long": "January to November", "short": "March to November"}
    return [
        {"name": "scenario", "label": "Scenario", "kind": "radios",
            "choices": [[name, found.name, months.get(name, "")] for name, found in ruleset.scenarios.items()]},
        {"name": "final_check", "label": "Kamehameha’s occupation is looked at once more after November [R-08]",
            "kind": "check", "value": False},
        {"name": "sea_victor", "label": "The victor of a sea battle [R-18]", "kind": "select",
         "choices": [["repulsed", "may not land where a garrison stayed"],
             ["assault", "fights the garrison on landing"]]},
    ]  # fmt: skip


def _victory(side: str, ruleset: Any) -> str:
    """Return how a side wins, from the ruleset's table [5.1] and the leaders whose death ends the game [5.2]."""
    wanted = ruleset.victory[side]

    def names(spaces: Sequence[str], last: str) -> str:
        said = [space_name(space, ruleset) for space in spaces]
        return f"{', '.join(said[:-1])} {last} {said[-1]}" if len(said) > 1 else said[0]

    parts = [names(wanted.all, "and")] if wanted.all else []
    if wanted.at_least:
        parts.append(f"at least {NUMBERS[wanted.at_least]} of {names(wanted.some, 'and')}")
    if wanted.any:
        parts.append(names(wanted.any, "or"))
    when = "a month begins" if side == "kamehameha" else "their half of a month begins"
    who, verb = ("Kamehameha", "occupies") if side == "kamehameha" else ("The Allies", "occupy")
    leaders = {"kamehameha": ("kalani", "kaiana"), "allied": ("kamehameha",)}[side]
    other = "allied" if side == "kamehameha" else "kamehameha"
    lost = " and ".join(spell(piece_of(leader, other, ruleset).name) for leader in leaders)
    fallen = "have both fallen" if len(leaders) > 1 else "has fallen"
    win = "wins" if side == "kamehameha" else "win"
    return (
        f"{who} {win} if, as {when}, {'he' if side == 'kamehameha' else 'they'} {verb} {'; and '.join(parts)} [5.1]; "
        f"or once {lost} {fallen} [5.2]."
    )


def _start(game: Game) -> dict[str, Any]:
    """Return a scenario's first position after the set-up, each choice the first there is: where the editor begins."""
    state = game.initial_state(chance="explicit")
    while state.phase == "setup":
        state.apply(state.legal_actions()[0])
    return state.view().to_dict()


class HawaiiStrings:
    """The strings that the game's spec names; see `hawaii_env.web.strings.Strings`. All players see everything, so none
    of them asks for whom.
    """

    why_not = staticmethod(why_not)

    def __init__(self, game: Game) -> None:
        self.game = game
        self.ruleset: Any = cast(Any, game).ruleset

    def reference(self) -> dict[str, Any]:
        """See `hawaii_env.web.strings.Strings.reference`."""
        game, ruleset = self.game, self.ruleset
        cards = {}
        for number, (name, card) in enumerate(zip(ruleset.card_ids, ruleset.cards, strict=True)):
            cards[name] = {
                "side": SIDES[number // 9], "number": card.number, "title": spell(card.title), "text": spell(card.text),
                "deck": f"Cards of {_SAID[SIDES[number // 9]]['within']}", "facts": _card_facts(card, number, ruleset),
                "fleets": card.fleets, "holds": getattr(card.event, "timing", None) == "hold",
                "rules": _card_rules(card), "sign": card_sign(card, SIDES[number // 9], ruleset),
            }  # fmt: skip
        return {
            "sides": [{"id": side, "name": side_name(side, ruleset), **_SAID[side]} for side in SIDES],
            "names": {**{side: side_name(side, ruleset) for side in SIDES}, "neutral": "neutral"},
            "marks": {mark: f"This one {said}." for mark, (_, said) in MARKS.items()},
            "spaces": [
                {**_space(s, ruleset),
                 "rules": _numbers(f"5.1 10.1 R-07{' 13.0' if ruleset.spaces[s].fort else ''}")}
                for s in SPACES
            ],
            "places": {
                "aboard": "Aboard", "war": "War fleet", "box": "Recruit boxes", "dead": "Gone for good",
            },
            "pieces": kind_counts(ruleset),
            "cards": cards,
            "victory": {side: _victory(side, ruleset) for side in SIDES},
            **Ruleset.references(),
            "months": list(MONTHS[1:]),
            "phases": [phase for phase in PHASES if phase not in ("over", "setup")],
            "scenarios": {name: scenario.name for name, scenario in ruleset.scenarios.items()},
            "options": _options(ruleset),
            "short": _SHORT,
            "moves": ["march", "sail", "recruit", "place", "home", "retreat", "battle"],
            "times": _TIMES,
            "starts": {name: _start(type(cast(Any, game))(name, ruleset)) for name in ruleset.scenarios},
        }  # fmt: skip

    def actions(self, state: State, player: int) -> list[dict[str, Any]]:
        """See `hawaii_env.web.strings.Strings.actions`."""
        game, view, ruleset = state.game, state.view().to_dict(), self.ruleset
        made: list[dict[str, Any]] = []
        for action in state.legal_actions():
            text = game.action_text(action)
            group, label = _label(text, view, ruleset)
            entry = {
                "action": action,
                "text": text,
                "group": group,
                "label": label,
                "rules": _rules_of(text, state.phase),
            }
            made.append({**entry, "card": text.removeprefix("play ")} if text.startswith("play ") else entry)
        return made

    def status(self, state: State, player: int) -> dict[str, Any]:
        """See `hawaii_env.web.strings.Strings.status`."""
        view, ruleset = state.view(), self.ruleset
        return {
            "when": view.turn.capitalize(),
            "month": view.turn.capitalize(),
            "half": view.half,
            "phase": view.phase,
            "question": question(view.to_dict(), ruleset, named=False),
            "help": help_phrase(view.phase, ruleset),
            "rules": _numbers(f"{TABLE.sections.get(view.phase, '')} {_MORE.get(view.phase, '')}"),
            "card": view.card,
            "held": view.held,
            "winner": view.winner,
            "reason": spell(view.reason),
        }

    def chance(self, state: State) -> dict[str, Any]:
        """See `hawaii_env.web.strings.Strings.chance`."""
        ruleset, view = self.ruleset, state.view().to_dict()
        side, drawn = die_of(view) or view["half"], state.phase == "card"
        outcomes: list[dict[str, Any]] = []
        for outcome, _ in state.chance_outcomes():
            made: dict[str, Any] = {"outcome": outcome, "label": str(outcome)}
            if drawn:
                card = state.chance_text(outcome).rsplit(" ", 1)[-1]
                made = {**made, "label": f"{outcome}: {spell(card_of(card, ruleset).title)}", "card": card}
            outcomes.append(made)
        whose = "Kamehameha’s" if side == "kamehameha" else "the Allies’"
        return {
            "kind": state.phase, "side": side, "question": question(view, ruleset), "card": drawn, "outcomes": outcomes,
            "help": f"Draw {whose} card, and say which." if drawn else f"Roll {whose} die, and say what it shows.",
            "draw": "Draw it for us" if drawn else "Roll it for us",
        }  # fmt: skip

    def at_hand(self, state: State, recent: Sequence[Event], player: int) -> dict[str, Any]:
        """See `hawaii_env.web.strings.Strings.at_hand`."""
        view, ruleset = state.view().to_dict(), self.ruleset
        cards = [{"label": "in effect", "card": view["card"]}] if view["card"] else []
        cards += [{"label": "held", "card": card} for card in view["held"]]
        half = view["half"]
        when = (
            f"{view['turn'].capitalize()}, "
            f"{'the ' * (half == 'allied')}{side_name(half, ruleset)}’{'s' * (half == 'kamehameha')} half"
        )
        return {
            "when": when,
            "cards": cards,
            "note": _battle(view, ruleset, recent) if view["battle"] and view["field"] else None,
        }

    def undo_text(self, before: State, happened: Event) -> str:
        """See `hawaii_env.web.strings.Strings.undo_text`."""
        if isinstance(happened, Chance):
            return chance_phrase(happened, self.ruleset)
        group, label = _label(happened.text, before.view().to_dict(), self.ruleset)
        return f"{group} {label}".strip()

    def error_text(self, message: str) -> str:
        """See `hawaii_env.web.strings.Editor.error_text`."""
        ruleset, (said, *typed), then = self.ruleset, message.split(", not '", 1), ", not '"
        said = re.sub(r"^units: | \(write [^)]*\)", "", said)
        said = re.sub(r"\bone (\S+) too many", r"one too many of \1", said)
        if (found := re.match("(.*)expected one of ", said)) is not None:
            said, then = found[1] + ("" if typed else "there is no such name"), "there is no '"
        pieces = {p["kind"]: p["name"] for p in kind_counts(ruleset)}
        cards = {card: f"“{card_of(card, ruleset).title}”" for card in ruleset.card_ids}
        names = pieces | cards if said.startswith(("card", "held", "decks")) else cards | pieces
        names |= {space: space_name(space, ruleset) for space in SPACES}
        names |= {side: side_name(side, ruleset) for side in SIDES} | {month: month.capitalize() for month in MONTHS}
        known = re.compile(rf"\b({'|'.join(map(re.escape, sorted(names, key=len, reverse=True)))})\b")
        said = re.sub(r"\bsea/(\w+)", r"at sea, for \1", said)
        said = re.sub(r"\b(\w+)((?:/\w+)+)", lambda found: found[1] + f" ({found[2][1:].replace('/', ', ')})", said)
        said = known.sub(lambda found: names[found[1]], said).replace("Allies's", "the Allies’")
        return then.join([spell(said.replace("neutral's", "neutral Kauaʻi’s").replace("_", " ")), *typed])

    def sketch(self, position: Mapping[str, Any]) -> str:
        """See `hawaii_env.web.strings.Editor.sketch`."""
        view = _start(self.game)
        pieces = {(piece["side"], piece["kind"]): piece["count"] for piece in kind_counts(self.ruleset)}
        owners = (*SIDES, "neutral")
        units: dict[str, dict[str, list[str]]] = {owner: {} for owner in owners}
        left = dict(pieces)

        def take(owner: str, text: str) -> bool:
            """Return True if there is such a piece, and count it."""
            kind, *marks = text.split("/")
            key = next((key for key in ((owner, kind), ("neutral", kind)) if key in pieces), None)
            if key is None or not set(marks) <= {*MARKS, *SPACES} or len(marks) > len(MARKS):
                return False
            left[key] -= 1
            return True

        asked = position.get("units")
        for owner, places in cast("dict[str, Any]", asked).items() if isinstance(asked, dict) else ():
            for place, texts in cast("dict[str, Any]", places).items() if isinstance(places, dict) else ():
                if owner in owners and place.removeprefix("sea/") in SPACES and isinstance(texts, list):
                    units[owner][place] = [
                        text for text in cast("list[Any]", texts) if isinstance(text, str) and take(owner, text)
                    ]
        gone = position.get("dead")
        named = cast("list[Any]", gone) if isinstance(gone, list) else []
        dead = [tuple(text.split(":", 1)) for text in named if isinstance(text, str)]
        view |= {
            "units": units,
            "dead": [f"{pair[0]}:{pair[1]}" for pair in dead if len(pair) == 2 and pair[0] in owners and take(*pair)],
            "kauai": position["kauai"] if position.get("kauai") in owners else "neutral",
            "turn": position["turn"] if position.get("turn") in MONTHS[1:] else view["turn"],
            "half": position["half"] if position.get("half") in SIDES else view["half"],
            "phase": "sketch", "decider": None, "card": None, "held": [],
        }  # fmt: skip
        view["box"] = {
            side: [kind for (owner, kind), n in left.items() if owner == side for _ in range(n)] for side in SIDES
        }
        return svg(view, ruleset=self.ruleset)
