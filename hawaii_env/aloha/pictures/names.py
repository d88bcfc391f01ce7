"""Names and colours for people."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from hawaii_env.aloha.ruleset import Ruleset
from hawaii_env.texts import spell

__all__ = [
    "COLOURS",
    "CONFLICTS",
    "PAYS",
    "RESOURCE_NAMES",
    "STAGE_NAMES",
    "amounts",
    "card_votes",
    "cards_in_words",
    "effect",
    "headline",
    "island_name",
    "monarch_name",
    "player_name",
    "scoring_words",
    "takes",
]

COLOURS = ("#8C1020", "#946C00", "#006B5A", "#3B3BB5")
"""Red, yellow, green, blue: dark enough for white letters upon them, and apart for the colour-blind."""

STAGE_NAMES = {
    "prologue": "Prologue",
    "chapter_1": "Chapter I, to 1843",
    "chapter_2": "Chapter II, 1843 to 1895",
    "chapter_3": "Chapter III, 1895 to 1959",
    "epilogue": "Epilogue",
}
CONFLICTS = {
    "prologue": "Battle of Kuamoʻo",
    "chapter_1": "Paulet Affair",
    "chapter_2": "Abdication of Queen Liliʻuokalani",
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


PAYS = {"event": "pays", "calamity": "all pay", "calamity_opponents": "opponents pay"}
"""Kinds of event cards, and the words for who pays."""


def player_name(agent: str) -> str:
    """Return a player's name: ``"Red"``."""
    return agent.partition("_")[0].capitalize()


def island_name(ruleset: Ruleset, island: str) -> str:
    """Return an island's name."""
    return spell(getattr(ruleset.board.islands, island).name)


def amounts(given: Mapping[Any, int]) -> str:
    """Return amounts in words: ``"3 Commerce, 2 Warriors"``."""
    return ", ".join(
        f"{number} {RESOURCE_NAMES[resource]}{'s' * (resource == 'warrior' and number > 1)}"
        for resource, number in given.items()
    )


def takes(ruleset: Ruleset, stage: str, island: str) -> Mapping[Any, int]:
    """[C2r] Return what an Action token on an island takes in a stage."""
    given = getattr(ruleset.board.islands, island)
    return (stage == "chapter_3" and given.take_chapter_3) or given.take


def effect(card: Any) -> str:
    """Return what a card does, in a line."""
    parts: list[str] = []
    if card.receives:
        parts.append(f"receives {amounts(card.receives)}")
    if card.pays:
        parts.append(f"{PAYS[card.kind]} {amounts(card.pays)}")
    return "; ".join(parts)


def headline(view: Any) -> str:
    """Return stage and what is going on, in a line."""
    doing = PHASE_NAMES[view.phase]
    return doing if view.to_act is None else f"{player_name(view.to_act)} {doing}"


def card_votes(ruleset: Ruleset, cards: Sequence[str]) -> int:
    """[E3] Return the votes on Royal Family cards."""
    votes = 0
    for card in cards:
        kind, _, which = card.partition(" ")
        given = getattr(ruleset.royal, kind)
        votes += (given.monarch if which == "monarch" else given.island).votes
    return votes


def monarch_name(ruleset: Ruleset, kind: str) -> str:
    """Return whom a set's first card shows, in short: ``"Kamehameha I"``."""
    return spell(re.sub(r"^(King|Queen) ", "", getattr(ruleset.royal, kind).monarch.title))


def cards_in_words(ruleset: Ruleset, cards: Sequence[str]) -> str:
    """Return Royal Family cards in a few words: ``"Kamehameha I, 2 island cards"``."""
    kinds = [card.partition(" ") for card in cards]
    said = [monarch_name(ruleset, kind) for kind, _, which in kinds if which == "monarch"]
    islands = len(kinds) - len(said)
    return ", ".join([*said, *([f"{islands} island card{'s' if islands > 1 else ''}"] if islands else [])])


def scoring_words(ruleset: Ruleset, stage: str, players: int) -> list[str]:
    """[P4, C4, E4] Return what scores at the end of a stage, in short sentences."""
    found = getattr(ruleset.scoring, stage)
    if stage == "epilogue":
        tokens = found.tokens_for_a_point
        return [
            f"Governor {found.governor}, each Representative {found.island}",
            f"1 for every {tokens.hawaiian} Hawaiian, {tokens.commerce} Commerce, {tokens.aloha} Aloha",
        ]
    lines: list[str] = []
    if hasattr(found, "monarch"):
        lines.append(f"{monarch_name(ruleset, stage)} {found.monarch}, each island card {found.island}")
    if hasattr(found, "majority"):
        rows = {name: getattr(found.majority, name)[players - 2] for name in ("hawaiian", "commerce", "aloha")}
        said = [f"{RESOURCE_NAMES[name]} {', '.join(str(n) for n in row if n)}" for name, row in rows.items()]
        lines.append(f"Most {'; '.join(said)}")
    return lines
