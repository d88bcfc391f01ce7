"""Spaces, pieces, cards and buttons of a position's legal actions, for highlighting them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

__all__ = ["ActionId", "Highlights", "highlights", "panicked_already"]

ActionId: TypeAlias = "int | str"

PieceKey: TypeAlias = "tuple[str, str, str]"
"""Side, place and text of a piece, as the view names them."""

_CANOES = ("canoe", "oahu_canoe", "maui_canoe", "kauai_canoe")


_WHERE = {
    "place": "box", "recruit": "box", "home": "last", "commit": "last", "march": "middle", "fleet": "last",
    "embark": "loading", "fire": "battle", "lose": "battle", "panic": "battle",
}  # fmt: skip
"""The place of the piece that an action names, by its verb: at a word of its text, or elsewhere."""

_AIMED = frozenset(("place", "recruit", "march", "pickup", "sail", "approach", "battle", "retreat"))
"""Verbs whose last word is a space to click."""


@dataclass
class Highlights:
    """Spaces, pieces, cards and buttons, each with the legal actions that name it.

    Attributes:
        spaces: by space.
        pieces: by side, place and text.
        cards: by id of a held card.
        buttons: actions that are nowhere on the board (done, pass, launch), by their text.
    """

    spaces: dict[str, list[ActionId]] = field(default_factory=dict)
    pieces: dict[PieceKey, list[ActionId]] = field(default_factory=dict)
    cards: dict[str, list[ActionId]] = field(default_factory=dict)
    buttons: dict[str, list[ActionId]] = field(default_factory=dict)


def _match(view: Mapping[str, Any], side: str, places: Iterable[str], name: str) -> list[PieceKey]:
    """Return the freshest pieces of a side that a name with marks fits, in the first place that has any.

    ``canoe`` fits every kind of canoe: an action says it where kinds do not collide.
    """
    kind, *marks = name.split("/")
    kinds = _CANOES if kind == "canoe" else (kind,)
    for place in places:
        texts = view["box"].get(side, []) if place == "box" else view["units"][side].get(place, [])
        found = {text for text in texts if text.split("/")[0] in kinds and set(marks) <= set(text.split("/")[1:])}
        exact = {text for text in found if text.split("/")[0] == kind}
        chosen = exact or found
        if chosen:
            freshest = min(map(_spent, chosen))
            return [(side, place, text) for text in sorted(chosen) if _spent(text) == freshest]
    return []


def _spent(text: str) -> tuple[bool, bool, int]:
    """Return the order in which actions take interchangeable pieces: who has fired later, who is panicked last."""
    marks = text.split("/")[1:]
    return "panicked" in marks, "fired" in marks, len(marks)


def panicked_already(view: Mapping[str, Any], side: str, name: str) -> bool:
    """Return True if the unit that a panic falls on was panicked before, and so is lost [11.3].

    Args:
        view: a position of the battle before the panic.
        side: whose unit it is.
        name: the unit as the action names it; a name without marks is the freshest one.
    """
    found = _match(view, side, _fighting(view), name)
    return any("panicked" in text.split("/")[1:] for _, _, text in found)


def _fighting(view: Mapping[str, Any]) -> list[str]:
    """Return the places where the units of a battle may stand."""
    field = view["field"]
    return [f"sea/{field}", "war", field] if field else []


def highlights(view: Mapping[str, Any], legal: Mapping[int, str] | Iterable[str]) -> Highlights:
    """Sort legal actions by what they speak of.

    Args:
        view: the position, `View.to_dict()`.
        legal: texts of the legal actions, or a mapping from action to text; actions are named by their index, else by
            their text.
    """
    found = Highlights()
    side = view["decider"] if view["decider"] in ("kamehameha", "allied") else view["half"]
    pairs: list[tuple[ActionId, str]] = (
        list(legal.items()) if isinstance(legal, Mapping) else [(text, text) for text in legal]
    )
    for action, text in pairs:
        verb, *words = text.split()
        if verb in ("done", "pass", "launch"):
            found.buttons.setdefault(verb, []).append(action)
            continue
        if verb == "play":
            found.cards.setdefault(words[0], []).append(action)
            continue
        where = _WHERE.get(verb, "")
        fleet = view["fleet"] or {}
        places = {
            "box": ["box"],
            "middle": words[1:2],
            "last": words[-1:],
            "loading": [fleet.get("pickup") or fleet.get("at") or ""],
            "battle": _fighting(view),
        }.get(where, [])
        name = words[0] if verb != "fleet" or len(words) > 1 else "canoe"
        spaces = words[-1:] if verb in _AIMED else []
        pieces = _match(view, side, places, name)
        for space in spaces:
            found.spaces.setdefault(space, []).append(action)
        for key in pieces:
            found.pieces.setdefault(key, []).append(action)
    return found
