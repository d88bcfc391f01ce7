"""Orders in one line, as players write them, and names as people type them [Abbr]."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from hawaii_env.errors import StateError
from hawaii_env.heiau.rules.board import ARMY, KINDS, Board, Unit
from hawaii_env.heiau.rules.orders import BOATS, CONVOY, HOLD, MOVE, POST, SUPPORT, VIA, Order
from hawaii_env.heiau.ruleset import Space

__all__ = ["Names", "Typed", "fits", "nearest", "order_text", "parse_order", "plain", "typed_order", "unit_text"]


def plain(text: str) -> str:
    """Return a name without case, macrons, apostrophes, hyphens and spaces."""
    bare = "".join(letter for letter in unicodedata.normalize("NFD", text) if not unicodedata.combining(letter))
    return re.sub(r"[\s_\-'’‘ʻ`.]", "", bare).lower()


class Names:
    """Finds spaces and places by what somebody types [Abbr]: an id, a name, a printed abbreviation, or any prefix that
    fits one name only.

    Args:
        board: the board.
        spaces: names and abbreviations, in table order.
    """

    def __init__(self, board: Board, spaces: Sequence[Space]) -> None:
        self.board = board
        self._whole: dict[str, int] = {}
        self._names: list[str] = [plain(space.name) for space in spaces]
        for index, space in enumerate(spaces):
            for text in (space.id, space.name, space.abbr):
                self._whole[plain(text)] = index

    def space(self, text: str) -> int:
        """Return the space of a text.

        Raises:
            StateError: none, or several, fit it; the message names those.
        """
        typed = plain(text)
        found = self._whole.get(typed)
        if found is not None:
            return found
        fits = [i for i, name in enumerate(self._names) if typed and name.startswith(typed)]
        if len(fits) == 1:
            return fits[0]
        names = ", ".join(self.board.spaces[i] for i in fits)
        raise StateError(f"{text!r} is {f'one of {names}' if fits else 'no space of the map'} [Abbr]")

    def place(self, text: str) -> int:
        """Return the place of a text, a coast behind a slash or in brackets: ``Makan (n)``. Raises as `space`."""
        match = re.fullmatch(r"(.*?)\s*(?:/\s*(\w+)|\(\s*(\w+)\s*\))\s*", text)
        if not match:
            return self.board.bare[self.space(text)]
        space, coast = self.space(match[1]), (match[2] or match[3]).lower()
        for place in self.board.coasts[space]:
            if self.board.places[place].endswith(f"/{coast}"):
                return place
        raise StateError(f"{text!r}: {self.board.spaces[space]} has no coast {coast!r} [Map]")


def unit_text(board: Board, unit: Unit) -> str:
    """Return a unit as ``"B makanalua/n"``."""
    return f"{KINDS[unit.kind]} {board.places[unit.place]}"


def order_text(board: Board, unit: Unit, order: Order, source: int = ARMY) -> str:
    """Return an order in one line, as ``"B puna S A hilo - kalae"``.

    Args:
        unit: the unit as the phase began.
        order: its order.
        source: kind of the unit that it supports or convoys.
    """
    who, name = unit_text(board, unit), board.spaces
    if order.verb == HOLD:
        return f"{who} H"
    if order.verb in (MOVE, VIA):
        return f"{who} - {board.places[order.target]}{' via' if order.verb == VIA else ''}"
    if order.verb in (SUPPORT, CONVOY):
        what = f"{who} {'S' if order.verb == SUPPORT else 'C'} {KINDS[source]} {name[order.source]}"
        return what if order.target == order.source else f"{what} - {name[order.target]}"
    if order.verb == BOATS:
        coast = board.places[order.target].partition("/")[2]
        return f"{who} = B{f'/{coast}' if coast else ''}"
    return f"{who} = C"


_ORDER = re.compile(
    r"(?P<kind>[ABF]) (?P<place>\S+) (?:(?P<hold>H)|= (?P<boats>B(?:/\w+)?)|= (?P<post>C)|- (?P<to>\S+)(?P<via> via)?"
    r"|(?P<aid>[SC]) (?P<source>[ABF]) (?P<space>\S+)(?: - (?P<goal>\S+))?)"
)


MOST_KNOWN = 20000
"""Orders of a board whose texts are kept with their meaning."""


def parse_order(board: Board, text: str, power: int) -> tuple[Unit, Order, int]:
    """Return the unit, its order, and the kind of the unit that it supports or convoys (-1 none), of what `order_text`
    writes.

    Raises:
        StateError: no order, or a place that is none.
    """
    known = board.tables.setdefault("orders", {})  # the same orders come again and again
    found = known.get(text)
    if found is None:
        if len(known) >= MOST_KNOWN:
            known.clear()
        found = known[text] = _parsed(board, text)
    kind, place, order, source = found
    return Unit(kind, power, place), order, source


def _parsed(board: Board, text: str) -> tuple[int, int, Order, int]:
    """Return kind and place of the unit, its order, and the kind of the other, as `parse_order` tells them."""
    match = _ORDER.fullmatch(text)
    if match is None:
        raise StateError(f"{text!r} is not an order, as 'B puna S A hilo - kalae' is")
    for name, known in (
        ("place", board.place_index),
        ("to", board.place_index),
        ("space", board.index),
        ("goal", board.index),
    ):
        if match[name] is not None and match[name] not in known:
            raise StateError(f"{text!r}: there is no {match[name]!r}")
    unit = KINDS.index(match["kind"]), board.place_index[match["place"]]
    if match["hold"]:
        return *unit, Order(HOLD), -1
    if match["to"]:
        return *unit, Order(VIA if match["via"] else MOVE, -1, board.place_index[match["to"]]), -1
    if match["aid"]:
        if match["goal"] == match["space"]:
            raise StateError(f"{text!r}: from {match['space']} to itself is not a move")
        source = board.index[match["space"]]
        target = source if match["goal"] is None else board.index[match["goal"]]
        return *unit, Order(SUPPORT if match["aid"] == "S" else CONVOY, source, target), KINDS.index(match["source"])
    if match["post"]:
        return *unit, Order(POST), -1
    wanted = f"{board.spaces[board.space_of[unit[1]]]}{match['boats'][1:]}"
    if wanted not in board.place_index:
        raise StateError(f"{text!r}: there is no {wanted!r}")
    return *unit, Order(BOATS, -1, board.place_index[wanted]), -1


class Typed(NamedTuple):
    """An order as somebody has typed it.

    Attributes:
        place: the unit's.
        order: what it is to do; a target without a coast stands for any coast of its space.
        kind, source: the kinds of the unit and of the one that it helps, or -1 where none was typed.
    """

    place: int
    order: Order
    kind: int
    source: int


_KIND = r"(?:a|army|b|bunch|boat|boats|boat\s+bunch|f|fleet)"
_HELPS = r"s|supports?|c|convoys?"
_TYPED = re.compile(
    rf"(?:(?P<kind>{_KIND})\s+)?(?P<unit>.+?)\s*(?:(?<=[\s)])(?P<hold>h|holds?|stays?|stands?)"
    rf"|(?<=[\s)])(?P<aid>{_HELPS})\s+(?:(?P<source>{_KIND})\s+)?(?P<whom>.+?)"
    r"(?:\s*(?:\s-\s?|-\s|(?<=\s)to\s)\s*(?P<goal>.+)|\s+(?:h|holds?|stays?))?"
    r"|(?:=\s*|(?<=[\s)])builds?\s+)(?:(?P<boats>boats?|b)\b(?:\s*/?\s*\(?(?P<coast>\w+)\)?)?"
    r"|(?P<post>c|(?:trading\s+)?post))"
    r"|(?:\s-\s?|-\s|(?<=\s)(?:moves?\s+)?to\s)\s*(?P<to>.+?)(?P<via>\s+(?:via(?:\s+convoy)?|by\s+convoy))?)",
    re.IGNORECASE,
)
NOTATION = "as 'A hilo - puna', 'B puna H', 'B puna S A hilo - kalae', 'F spo C A lanai - kalae', 'A lanai - kalae via'"


def typed_order(names: Names, text: str) -> Typed:
    """Return the order that a text names in the usual notation of Diplomacy, with names as `Names` finds them.

    Raises:
        StateError: it is not an order, or names no space; the message shows the form of orders, or the known names.
    """
    board = names.board
    said = re.sub(r"[–—−]|->|→", " - ", " ".join(text.split()))
    match = _TYPED.fullmatch(said)
    if match is None and said.count("-") == 1:  # "A bul-gre"
        match = _TYPED.fullmatch(" ".join(said.replace("-", " - ").split()))
    if match is None:
        raise StateError(f"{text!r} is not an order; orders are written {NOTATION}, 'A kohala = B', 'F koolau = C'")
    kind, source = (-1 if match[name] is None else KINDS.index(match[name][0].upper()) for name in ("kind", "source"))
    place = names.place(match["unit"])
    space = board.space_of[place]
    if match["hold"]:
        order = Order(HOLD)
    elif match["aid"]:
        whom = names.space(_bare(match["whom"]))
        goal = whom if match["goal"] is None else names.space(_bare(match["goal"]))
        order = Order(SUPPORT if match["aid"][0].lower() == "s" else CONVOY, whom, goal)
    elif match["boats"]:
        mark = match["coast"]
        order = Order(BOATS, -1, board.bare[space] if mark is None else names.place(f"{board.spaces[space]}/{mark}"))
    elif match["post"]:
        order = Order(POST)
    else:
        order = Order(VIA if match["via"] else MOVE, -1, names.place(match["to"]))
    return Typed(place, order, kind, source)


def _bare(text: str) -> str:
    """Return a name without a coast, which supports and convoys do not name [R-06]."""
    return re.sub(r"\s*(/\s*\w+|\(\s*\w+\s*\))\s*$", "", text)


def fits(board: Board, typed: Typed, unit: Unit, order: Order) -> bool:
    """Return True if a typed order means this one of this unit."""
    asked = typed.order
    if board.space_of[typed.place] != board.space_of[unit.place] or asked.verb != order.verb:
        return False
    if order.verb in (SUPPORT, CONVOY):
        return (asked.source, asked.target) == (order.source, order.target)
    if order.verb in (MOVE, VIA, BOATS):
        space = board.space_of[order.target]
        return asked.target in (order.target, board.bare[space])
    return True


def nearest(texts: Iterable[str], most: int = 12) -> str:
    """Return some texts in one line, for a message."""
    listed = list(texts)
    return ", ".join(listed[:most]) + (", ..." if len(listed) > most else "")
