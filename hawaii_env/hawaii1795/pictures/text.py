"""The board of Hawaii, 1795 as text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any, cast

from hawaii_env._arguments import check_kind
from hawaii_env.game import State
from hawaii_env.hawaii1795.pictures.names import card_of, recruits_phrase, short_name, side_name, space_name
from hawaii_env.hawaii1795.pictures.phrases import battle_phrase, mark_phrase
from hawaii_env.terminal import TOGETHER, columns, fold
from hawaii_env.texts import spell

__all__ = ["board"]

SIDES = ("kamehameha", "allied")

NARROW = 72
"""Columns of a terminal in which three columns of pieces have no room."""

# Rows of the board from west to east.
ROWS = ("kauai", "waikiki", "koolau", "molokai", "maui", "kona", "hilo")


def _piece(text: str, side: str, ruleset: Any, number: int = 1) -> str:
    """Return pieces in words, with their marks."""
    kind, *marks = text.split("/")
    name = short_name(kind, side, ruleset, number)
    return name + (f" [{', '.join(mark_phrase(mark, ruleset) for mark in marks)}]" if marks else "")


def _pieces(pieces: Iterable[str], side: str, ruleset: Any) -> str:
    """Return pieces of a side in words, those of one text as one, which `fold` keeps together."""
    counted = ((text, len(list(same))) for text, same in groupby(pieces))
    return ", ".join(_piece(text, side, ruleset, n).replace(" ", TOGETHER) for text, n in counted)


def _names(state: State) -> Any:
    return cast(Any, state.game).ruleset


def _title(ruleset: Any, card: str) -> str:
    """Return a card's printed title, from its id."""
    entry = card_of(card, ruleset)
    return f"{entry.number} {spell(entry.title)}"


def _status(state: State, view: Mapping[str, Any]) -> str:
    ruleset, month = _names(state), str(view["turn"]).capitalize()
    half = side_name(view["half"], ruleset)
    outcome = state.outcome()
    if outcome is not None:
        winner = "A tie" if outcome.winner is None else f"{side_name(SIDES[outcome.winner], ruleset)} won"
        return f"{month}. {winner}: {spell(outcome.reason)}."
    parts = [f"{month}, half of {half}. {str(view['phase']).replace('_', ' ').capitalize()}"]
    if view["decider"] == "chance":
        parts[0] += ": chance decides"
    elif view["decider"]:
        parts[0] += f": {side_name(view['decider'], ruleset)} decide{'s' * (view['decider'] != 'allied')}"
    if view["card"]:
        parts.append(f"Card {_title(ruleset, view['card'])}, fleet moves left {view['fleet_moves']}")
    return ". ".join(parts) + "."


def _extras(state: State, view: Mapping[str, Any], pending: bool) -> list[str]:
    """Return lines on what is beside the map; on what is going on only if `pending`."""
    lines: list[str] = []
    ruleset = _names(state)
    if view["held"]:
        lines.append("held: " + ", ".join(_title(ruleset, card) for card in view["held"]))
    if view["dead"]:
        dead = groupby((text.split(":", 1) for text in view["dead"]), key=lambda of: of[0])
        lines.append("gone for good: " + ", ".join(_pieces((one for _, one in of), side, ruleset) for side, of in dead))
    if not pending or state.is_terminal:
        return lines
    if view["recruits"]:
        lines.append(f"recruits to come: {recruits_phrase(view['recruits'], view['half'], ruleset)}")
    fleet = view["fleet"]
    if fleet:
        where = f"from {space_name(fleet['at'], ruleset)}" if fleet["at"] else "loaded"
        cargo = f", picks up at {space_name(fleet['pickup'], ruleset)}" if fleet["pickup"] else ""
        lines.append(f"fleet: {_piece(fleet['canoe'], view['half'], ruleset)} {where}{cargo}")
    battle = view["battle"]
    if battle:
        text = f"battle: {battle_phrase(battle['kind'], view['field'], battle['second'], ruleset)}"
        text += ", earthworks" if battle["earthworks"] else ""
        if battle["advantage"]:
            text += f", advantage {side_name(battle['advantage'], ruleset)}"
        if battle["firer"]:
            who, side = side_name(battle["firing"], ruleset), battle["firing"]
            text += f", of {who} {_piece(battle['firer'], side, ruleset)} fires, dice left {battle['dice']}"
        lines.append(text)
    retreat = view["retreat"]
    if retreat:
        # Only canoes that are driven off have a space that they leave, and no name.
        start = retreat["from_space"]
        who = f"canoes from {space_name(start, ruleset)}" if start else retreat["who"].replace("_", " ")
        lines.append(f"retreat: {who}")
    return lines


def board(state: State, player: int | None = None, pending: bool = True) -> str:
    """Return a position as a table of spaces and sides, with the month, the card and, unless `pending` is False, what
    is going on.
    """
    view: dict[str, Any] = check_kind("state", state, State).view(player).to_dict()
    ruleset = _names(state)
    units: dict[str, dict[str, list[str]]] = view["units"]
    box: dict[str, list[str]] = view["box"]
    # In a narrow terminal the neutral pieces, which their names tell, stand in the column of the Allies.
    narrow = columns() < NARROW
    sides = (("kamehameha",), ("allied", "neutral")) if narrow else (("kamehameha",), ("allied",), ("neutral",))
    rows: list[tuple[str, list[str]]] = []

    def add(label: str, at: Mapping[str, Mapping[str, list[str]]], place: str) -> None:
        cells = ((_pieces(at.get(side, {}).get(place, []), side, ruleset) for side in some) for some in sides)
        rows.append((label, [", ".join(filter(None, some)) for some in cells]))

    for space in ROWS:
        fort = " (fort)" if getattr(ruleset.spaces[space], "fort", False) else ""
        add(space_name(space, ruleset) + fort, units, space)
    places = [place for side in (*SIDES, "neutral") for place in units[side] if place not in ROWS]
    for place in dict.fromkeys(places):
        bound = space_name(place.removeprefix("sea/"), ruleset) if place.startswith("sea/") else ""
        add({"aboard": "aboard", "war": "war fleet"}.get(place, f"to {bound}"), units, place)
    add("box", {side: {"box": pieces} for side, pieces in box.items()}, "box")

    first = max(len(label) for label, _ in rows)
    last = () if narrow else (len("2 × Kauaʻi warriors,"),)
    half = (columns() - first - sum(last) - 2 * len(sides)) // 2
    widths = (half, half, *last)

    def line(cells: tuple[str, ...]) -> str:
        sized = zip(cells, (first, *widths), strict=True)
        return "  ".join(f"{cell:<{width}}" for cell, width in sized).rstrip()

    heads = (", ".join(side_name(side, ruleset) for side in some) for some in sides)
    lines = [_status(state, view), line(("", *heads)), "-" * (first + sum(widths) + 2 * len(sides))]
    for label, cells in rows:
        wrapped = [fold(cell, width, rest="", whole=False) for cell, width in zip(cells, widths, strict=True)]
        for number in range(max(len(part) for part in wrapped)):
            row = [part[number] if number < len(part) else "" for part in wrapped]
            lines.append(line((label if not number else "", *row)))
    lines += _extras(state, view, pending)
    # The status and what stands below the table may be longer than the table is wide.
    return "\n".join(part for text in lines for part in fold(text))
