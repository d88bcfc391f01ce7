"""Names of pieces, spaces, cards and sides of Hawaii, 1795 in pictures; the ruleset's entries behind a view's names."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from hawaii_env.texts import spell

__all__ = [
    "card_of",
    "piece_of",
    "recruit_words",
    "recruits_phrase",
    "short_name",
    "side_name",
    "space_name",
    "type_of",
]


def side_name(side: str, ruleset: Any) -> str:
    """Return a side's name, short."""
    return {"kamehameha": "Kamehameha", "allied": "Allies", "neutral": "Kauaʻi"}.get(side) or ruleset.side_name(side)


def space_name(space: str, ruleset: Any) -> str:
    """Return a space's name, as the ruleset gives it."""
    return spell(ruleset.spaces[space].name)


def card_of(card: str, ruleset: Any) -> Any:
    """Return a card by its id."""
    return ruleset.cards[ruleset.card_ids.index(card)]


@cache
def _kind_table(ruleset: Any) -> dict[tuple[str, str], Any]:
    """Return the pieces of a ruleset by owner and name, as the view names them."""
    from hawaii_env.hawaii1795.models import OWNER_FIRST, OWNERS, kinds_of

    return {
        (owner, name): ruleset.pieces[OWNER_FIRST[index] + offset]
        for index, owner in enumerate(OWNERS)
        for offset, name in enumerate(kinds_of(index))
    }


def piece_of(kind: str, side: str, ruleset: Any) -> Any:
    """Return the ruleset's entry of a piece that the view lists with `side`; Kaua'i's pieces may stand with any
    side.
    """
    table = _kind_table(ruleset)
    for owner in (side, "kauai", "kamehameha", "allied"):
        if (owner, kind) in table:
            return table[owner, kind]
    raise KeyError(kind)


def short_name(kind: str, side: str, ruleset: Any, number: int = 1) -> str:
    """Return pieces of a kind in few words: ``"Oʻahu warriors"``, ``"2 canoes"``."""
    piece = piece_of(kind, side, ruleset)
    what, of, whose = spell(piece.name).partition(" of ")
    if of:
        whose, _, strength = whose.partition(" ")
        what = what.lower().removesuffix("s" * (piece.class_ == "canoe" and number == 1))
        what = " ".join(word for word in (whose.replace("Hawaiʻi", ""), what, strength) if word)
    return what if number == 1 else f"{number} {what}" if piece.class_ == "canoe" else f"{number} × {what}"


def recruits_phrase(recruits: Mapping[str, int], side: str, ruleset: Any) -> str:
    """Return the recruits of a card, as ``"Royal Guard, 1 warrior"``: kinds of piece, and classes."""
    return ", ".join(text for _, text in recruit_words(recruits, side, ruleset))


def recruit_words(recruits: Mapping[str, int], side: str, ruleset: Any, one: bool = True) -> list[tuple[str, str]]:
    """Return the parts of `recruits_phrase`, each with the type whose symbol is theirs; `one`: write a 1 before a
    class.
    """
    said: list[tuple[str, str]] = []
    for what, n in recruits.items():
        word = what.removeprefix("allied_")
        if word in ("warrior", "canoe"):
            said.append((word, f"{n} {word}s" if n > 1 else f"1 {word}" if one else word))
        else:
            # Only one kind of pikes or musketeers can be meant: whose they are goes without saying.
            piece = piece_of(word, side, ruleset)
            name = spell(piece.name).partition(" of ")[0]
            said.append((type_of(piece), f"{n} × {name}" if n > 1 else name))
    return said


def type_of(piece: Any) -> str:
    """Return the type whose symbol a piece shows: leader, guard, cannon, musket, pike, warrior or canoe."""
    if piece.class_ in ("leader", "canoe"):
        return piece.class_
    if piece.gunpowder:
        return "cannon" if piece.strength is not None and piece.strength >= 3 else "musket"
    if piece.pike:
        return "pike"
    return "guard" if piece.elite or piece.plus else "warrior"
