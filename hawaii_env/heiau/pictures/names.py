"""Names and colours of powers, spaces and phases."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

from hawaii_env.heiau.positions import HeiauView
from hawaii_env.heiau.ruleset import Ruleset
from hawaii_env.texts import spell

__all__ = ["COLOURS", "PHASES", "colours_of", "in_words", "marks", "named", "power_name", "seats", "space_of", "title"]

COLOURS = ("#C47E00", "#1B8762", "#7C0E00", "#00239E", "#00000A", "#6E3573")
"""Six tones that people with each kind of colour blindness tell apart (a test simulates them), dark enough for white
letters; a power also has its letters.
"""

_TIMES: Mapping[str, int] = {
    "dawn": 0, "sunrise": 0, "morning": 1, "noon": 2, "midday": 2, "afternoon": 2, "dusk": 3, "sunset": 3, "night": 4,
    "south": 4, "haole": 5, "north": 5,
}  # fmt: skip
"""The colour of each power of the printed scenarios: the same in all of them."""

PHASES: Mapping[str, str] = {
    "ballot": "the ballot", "orders": "orders", "retreats": "retreats", "adjustments": "Winter",
    "assignment": "powers are drawn", "setup": "the lot for the set-up", "over": "the end",
}  # fmt: skip


def colours_of(powers: Sequence[str]) -> dict[str, str]:
    """Return the colour of each power of a scenario; by index where it has other powers than the printed ones."""
    chosen = [_TIMES.get(power, -1) for power in powers]
    if len(set(chosen)) < len(chosen) or -1 in chosen:
        chosen = list(range(len(powers)))
    return {power: COLOURS[index] for power, index in zip(powers, chosen, strict=True)}


def marks(powers: Sequence[str]) -> dict[str, str]:
    """Return a letter or two for each power: the first, with the last where several begin alike."""
    firsts = [name[0] for name in powers]
    return {name: (name[0] if firsts.count(name[0]) == 1 else name[0] + name[-1]).capitalize() for name in powers}


def seats(agents: Sequence[str], powers: Sequence[str]) -> list[str]:
    """Return what the players are called: their powers, or their agents where powers are drawn by lot."""
    return list(powers if agents[0].startswith(powers[0]) else agents)


def power_name(power: str) -> str:
    """Return a power's or a scenario's id as a name."""
    return spell(power.replace("_", " ").title())


def named(rules: Ruleset, text: str) -> str:
    """Return a text with the names of spaces where it has their ids: ``"B Puna S A Hilo - Kalae"``."""
    names = _names(rules)
    return " ".join(
        f"{names[space]}{f' ({coast})' if coast else ''}" if (space := word.partition("/")[0]) in names else word
        for word in text.split(" ")
        for coast in [word.partition("/")[2]]
    )


_SENTENCES: Sequence[tuple[str, str]] = (
    (r"[ABF] (.+) H", r"\1 holds"),
    (r"[ABF] (.+) - (.+) via", r"\1 goes by convoy to \2"),
    (r"[ABF] (.+) S [ABF] (.+) - (.+)", r"\1 supports the move from \2 to \3"),
    (r"[ABF] (.+) S [ABF] (.+)", r"\1 supports \2, which stays"),
    (r"[ABF] (.+) C [ABF] (.+) - (.+)", r"\1 convoys from \2 to \3"),
    (r"[ABF] (.+) = B.*", r"\1 builds boats"),
    (r"[ABF] (.+) = C", r"\1 builds a trading post"),
    (r"[ABF] (.+) - (.+)", r"\1 moves to \2"),
    (r"[ABF] (.+) disband", r"\1 disbands"),
    (r"build A (.+)", r"An army is built in \1"),
    (r"build (.+)", r"An army is built in \1"),
    (r"remove [ABF] (.+)", r"The unit in \1 is removed"),
    (r"remove (.+)", r"The unit in \1 is removed"),
    (r"disband", r"Disbands the unit"),
    (r"done", r"Ends the Winter"),
)
"""An entry in the usual notation, and the sentence that tells it; the first that fits counts."""


def in_words(rules: Ruleset, text: str, retreat: bool = False) -> str:
    """Return an order, a build, a removal or a vote as a sentence: ``"Puna supports the move from Hilo to Kalae"``.

    Args:
        rules: whose names stand in it.
        text: the entry as `hawaii_env.heiau.texts.order_text` writes it.
        retreat: whether it is entered in a phase of retreats.
    """
    if text.startswith("vote "):
        return f"Votes for {power_name(text.removeprefix('vote '))}"
    own = named(rules, text)
    for pattern, sentence in _SENTENCES:
        match = re.fullmatch(pattern, own)
        if match is not None:
            words = match.expand(sentence)
            return words.replace(" moves to ", " retreats to ") if retreat else words
    return own[:1].upper() + own[1:].replace("_", " ")


@cache
def _names(rules: Ruleset) -> dict[str, str]:
    return {space.id: spell(space.name) for space in rules.spaces}


def space_of(unit: str) -> str:
    """Return the place of a unit's text, as "puna" of "B puna"."""
    return unit.partition(" ")[2]


def title(view: HeiauView) -> str:
    """Return when it is, in words: ``"Spring 1, orders"``."""
    season = "Winter" if view.phase == "adjustments" else view.season.capitalize()
    if view.phase == "adjustments":
        return f"Winter {view.year}"
    return f"{season} {view.year}, {PHASES.get(view.phase, view.phase)}"
