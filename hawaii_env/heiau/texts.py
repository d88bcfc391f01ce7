"""Orders in one line, as players write them, and names as people type them [Abbr]."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from hawaii_env.errors import StateError
from hawaii_env.heiau.rules.board import ARMY, KINDS, Board, Unit
from hawaii_env.heiau.rules.orders import BOATS, CONVOY, HOLD, MOVE, POST, SUPPORT, VIA, Order
from hawaii_env.heiau.ruleset.loading import Space

__all__ = ["Names", "nearest", "order_text", "parse_order", "plain", "unit_text"]


def plain(text: str) -> str:
    """Return a name without case, apostrophes, hyphens and spaces."""
    return re.sub(r"[\s_\-'’ʻ`.]", "", text).lower()


class Names:
    """Finds spaces and places by what somebody types [Abbr]: an id, a name, a printed abbreviation, or any prefix that
    fits one name only.

    Args:
        board: the board.
        spaces: names and abbreviations, in table order.
    """

    def __init__(self, board: Board, spaces: Sequence[Space]) -> None:
        self._board = board
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
        names = ", ".join(self._board.spaces[i] for i in fits)
        raise StateError(f"{text!r} is {f'one of {names}' if fits else 'no space of the map'} [Abbr]")

    def place(self, text: str) -> int:
        """Return the place of a text, a coast behind a slash or in brackets: ``Makan (n)``. Raises as `space`."""
        match = re.fullmatch(r"(.*?)\s*(?:/\s*(\w+)|\(\s*(\w+)\s*\))\s*", text)
        if not match:
            return self._board.bare[self.space(text)]
        space, coast = self.space(match[1]), (match[2] or match[3]).lower()
        for place in self._board.coasts[space]:
            if self._board.places[place].endswith(f"/{coast}"):
                return place
        raise StateError(f"{text!r}: {self._board.spaces[space]} has no coast {coast!r} [Map]")


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
    """Kind and place of the unit, its order, and the kind of the other, as `parse_order` tells them."""
    match = _ORDER.fullmatch(text)
    if match is None:
        raise StateError(f"{text!r} is no order, as 'B puna S A hilo - kalae' is")
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
            raise StateError(f"{text!r}: from {match['space']} to itself is no move")
        source = board.index[match["space"]]
        target = source if match["goal"] is None else board.index[match["goal"]]
        return *unit, Order(SUPPORT if match["aid"] == "S" else CONVOY, source, target), KINDS.index(match["source"])
    if match["post"]:
        return *unit, Order(POST), -1
    wanted = f"{board.spaces[board.space_of[unit[1]]]}{match['boats'][1:]}"
    if wanted not in board.place_index:
        raise StateError(f"{text!r}: there is no {wanted!r}")
    return *unit, Order(BOATS, -1, board.place_index[wanted]), -1


def nearest(texts: Iterable[str], most: int = 12) -> str:
    """Return some texts in one line, for a message."""
    listed = list(texts)
    return ", ".join(listed[:most]) + (", ..." if len(listed) > most else "")
