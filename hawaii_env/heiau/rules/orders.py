"""Orders and which of them are possible [Armies, Boats, Fleets, Post, Convoys]."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from .board import ARMY, BUNCH, FLEET, Board, Unit, bits
from .convoys import carried, carried_spaces, chains_with

__all__ = ["BOATS", "CONVOY", "HOLD", "MOVE", "POST", "SUPPORT", "VERBS", "VIA", "Order", "Sight", "burns"]

HOLD, MOVE, VIA, SUPPORT, CONVOY, BOATS, POST = range(7)
VERBS = ("hold", "move", "via", "support", "convoy", "boats", "post")


class Order(NamedTuple):
    """What a unit is ordered to do.

    Attributes:
        verb: HOLD to POST.
        source: the space of the unit that is supported or convoyed, else -1.
        target: MOVE, VIA, BOATS: the place, with its coast where that matters. CONVOY: the destination's space.
            SUPPORT: the destination's space, or `source` itself for a unit that stays [R-06]. Else -1.
    """

    verb: int
    source: int = -1
    target: int = -1


def burns(board: Board, unit: Unit, order: Order) -> bool:
    """True when an order burns its bunch's boats as soon as orders are revealed [Boats 3, R-07, R-28].

    A bunch burns them by a plain move inland, or by support into a space that is inland to it; success does not matter.
    """
    if unit.kind != BUNCH:
        return False
    if order.verb == MOVE:
        return bool(board.inland[unit.place] >> board.space_of[order.target] & 1)
    return order.verb == SUPPORT and bool(board.inland[unit.place] >> order.target & 1)


class Sight:
    """What can be ordered on a board as somebody sees it; nothing depends on what others order [R-07, R-20].

    Args:
        board: the board.
        units: the units that are seen, by space.
        sites: mask of the spaces without heiau or post, for the building of posts.
        unbuilt: the powers whose post is unbuilt.
    """

    def __init__(self, board: Board, units: Mapping[int, Unit], sites: int, unbuilt: frozenset[int]) -> None:
        self.board = board
        self.units = units
        self._sites = sites
        self._unbuilt = unbuilt
        self.fleets: dict[int, int] = {s: unit.place for s, unit in units.items() if unit.kind == FLEET}
        self._goes: dict[int, int] = {s: board.reach[unit.kind][unit.place] for s, unit in units.items()}
        self._supports: dict[int, dict[int, int]] = {}
        self._convoys: dict[int, dict[int, int]] = {}

    def moves(self, space: int) -> tuple[int, ...]:
        """Places that the unit reaches by itself [Armies, Boats 2, Map]."""
        unit = self.units[space]
        return self.board.moves[unit.kind][unit.place]

    def vias(self, space: int) -> tuple[int, ...]:
        """Places to which some chain of the fleets on the board could carry the unit [R-08]."""
        return carried(self.board, self.units[space], self.fleets.values()) if self.fleets else ()

    def supports(self, space: int) -> dict[int, int]:
        """What the unit can support: by the space of the supported unit, a mask of the targets; that space itself is
        `stay` [R-06].

        The target is a space that the supporter reaches by itself, other than its own; the supported unit could go
        there by itself or by a chain of the fleets on the board without the supporter. Whoever owns the units, and
        whatever stands there.
        """
        found = self._supports.get(space)
        if found is None:
            found = self._supports[space] = {}
            unit = self.units[space]
            mine = self.board.reach[unit.kind][unit.place] & ~(1 << space)
            others = [place for at, place in self.fleets.items() if at != space]
            for source, other in self.units.items():
                if source == space:
                    continue
                goes = self._goes[source]
                if others and other.kind != FLEET:
                    goes |= carried_spaces(self.board, other, [p for p in others if p != other.place])
                targets = (goes | 1 << source) & mine
                if targets:
                    found[source] = targets
        return found

    def convoys(self, space: int) -> dict[int, int]:
        """What the fleet can convoy: by the space of the unit that is carried, a mask of the destinations [Convoys,
        Boats 1].
        """
        found = self._convoys.get(space)
        if found is None:
            found = self._convoys[space] = {}
            if space in self.fleets:
                for source, other in self.units.items():
                    targets = chains_with(self.board, other, self.fleets, space) if source != space else 0
                    if targets:
                        found[source] = targets
        return found

    def boats(self, space: int) -> tuple[int, ...]:
        """Places in which the unit can become a bunch: an army's, in a coastal space [Armies, R-11]."""
        unit = self.units[space]
        if unit.kind != ARMY or self.board.kind[space] != "coast":
            return ()
        return self.board.standing(space)

    def post(self, space: int) -> bool:
        """True where the unit can build its power's trading post: a fleet on land without heiau or post [Post,
        R-13].
        """
        unit = self.units[space]
        return (
            unit.kind == FLEET
            and unit.power in self._unbuilt
            and self.board.is_land(space)
            and bool(self._sites >> space & 1)
        )

    def refusal(self, space: int, order: Order) -> str:
        """Say why a unit cannot be given this order, with its section; empty where it can."""
        name = self.board.spaces
        if order.verb == HOLD:
            return ""
        if order.verb == MOVE:
            return "" if order.target in self.moves(space) else "it does not reach that place by itself [Armies, Boats]"
        if order.verb == VIA:
            return "" if order.target in self.vias(space) else "no chain of fleets carries it there [Convoys]"
        if order.verb == SUPPORT:
            targets = self.supports(space).get(order.source, 0)
            return (
                ""
                if targets >> order.target & 1
                else f"no unit of {name[order.source]} that it could support there [Boats]"
            )
        if order.verb == CONVOY:
            targets = self.convoys(space).get(order.source, 0)
            return "" if targets >> order.target & 1 else "no chain with this fleet carries that unit there [Convoys]"
        if order.verb == BOATS:
            return (
                ""
                if order.target in self.boats(space)
                else "only an army in a coastal space builds boats [Armies, R-11]"
            )
        return (
            ""
            if self.post(space)
            else "only a fleet on land without heiau, whose post is unbuilt, builds a post [Post]"
        )

    def listed(self, space: int) -> list[Order]:
        """Return every order that the unit can be given."""
        found = [Order(HOLD)]
        found += [Order(MOVE, -1, place) for place in self.moves(space)]
        found += [Order(VIA, -1, place) for place in self.vias(space)]
        for verb, sources in ((SUPPORT, self.supports(space)), (CONVOY, self.convoys(space))):
            found += [Order(verb, source, target) for source, targets in sources.items() for target in bits(targets)]
        found += [Order(BOATS, -1, place) for place in self.boats(space)]
        return [*found, Order(POST)] if self.post(space) else found
