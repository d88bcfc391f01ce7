"""Names and colours for people."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from hawaii_env.aloha.ruleset import Ruleset

__all__ = ["COLOURS", "STAGE_NAMES", "amounts", "effect", "headline", "island_name", "okina", "player_name"]

COLOURS = ("#A5321F", "#8A6300", "#1F6B3A", "#1F4E8C")
"""Red, yellow, green, blue: dark enough for white letters upon them."""

STAGE_NAMES = {
    "prologue": "Prologue",
    "chapter_1": "Chapter I, to 1843",
    "chapter_2": "Chapter II, 1843 to 1895",
    "chapter_3": "Chapter III, 1895 to 1959",
    "epilogue": "Epilogue",
}
PHASE_NAMES = {
    "first_player": "who begins is drawn",
    "settle": "settles on an island",
    "prologue_action": "acts",
    "amount": "says how many migrate",
    "die": "the dice are rolled",
    "king": "places the King/Queen token",
    "event": "an event card is drawn",
    "action": "acts",
    "convert": "converts resources",
    "over": "the game is over",
}
RESOURCE_NAMES = {
    "hawaiian": "Hawaiian",
    "commerce": "Commerce",
    "aloha": "Aloha",
    "warrior": "Warrior",
    "vote": "Home Rule",
}


def okina(text: str) -> str:
    """Return a text with ʻokina for the apostrophes of names; those of an English genitive stay."""
    return re.sub(r"'(?!s\b)", "ʻ", text)


def player_name(agent: str) -> str:
    """Return a player's name: ``"Red"``."""
    return agent.partition("_")[0].capitalize()


def island_name(ruleset: Ruleset, island: str) -> str:
    """Return an island's name."""
    return okina(getattr(ruleset.board.islands, island).name)


def amounts(given: Mapping[Any, int]) -> str:
    """Return amounts in words: ``"3 Commerce, 1 Aloha"``."""
    return ", ".join(f"{number} {RESOURCE_NAMES[resource]}" for resource, number in given.items())


def effect(card: Any) -> str:
    """Return what a card does, in a line."""
    parts: list[str] = []
    if card.receives:
        parts.append(f"receives {amounts(card.receives)}")
    if card.pays:
        who = {"event": "pays", "calamity": "all pay", "calamity_opponents": "opponents pay"}[card.kind]
        parts.append(f"{who} {amounts(card.pays)}")
    return "; ".join(parts)


def headline(view: Any) -> str:
    """Return stage and what is going on, in a line."""
    doing = PHASE_NAMES[view.phase]
    return doing if view.to_act is None else f"{player_name(view.to_act)} {doing}"
