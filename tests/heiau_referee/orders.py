"""[Armies, Boats, Post, Convoys] Orders, and which of them are legal: sections 3 and 5.1."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from .board import Board, Unit, Units, space_of


@dataclass(frozen=True)
class Order:
    """One order: verb hold, move, via, support, convoy, boats or post.

    `target` is a place for moves, convoyed moves and boats, a space for supports and convoys, None for a support to
    stay; `source` the space of the unit that is supported or convoyed.
    """

    verb: str
    target: str | None = None
    source: str | None = None

    @property
    def moving(self) -> bool:
        """It means to go somewhere, by itself or by convoy."""
        return self.verb in ("move", "via")

    @property
    def space(self) -> str:
        """The space that it is about."""
        assert self.target is not None
        return space_of(self.target)


def chains(board: Board, unit: Unit, fleets: Collection[Unit]) -> Iterator[list[Unit]]:
    """[Convoys] Every chain of different fleets, the first next by water to a unit, each next to the one before."""
    starts = board.places[unit.space] if unit.kind == "A" else [unit.place]

    def lengthen(chain: list[Unit]) -> Iterator[list[Unit]]:
        yield chain
        for fleet in fleets:
            if fleet not in chain and fleet.place in board.water[chain[-1].place]:
                yield from lengthen([*chain, fleet])

    for fleet in fleets:
        if any(fleet.place in board.water[start] for start in starts):
            yield from lengthen([fleet])


def leads_to(board: Board, chain: list[Unit], target: str) -> bool:
    """[Convoys] The chain's end is next by water to a place, an army's on any coast, and none of it is in there."""
    ends = board.places.get(target, [target])
    beside = any(end in board.water[chain[-1].place] for end in ends)
    return beside and all(fleet.space != space_of(target) for fleet in chain)


def is_route(board: Board, unit: Unit, target: str, fleets: Collection[Unit]) -> bool:
    """[Convoys] Some chain of these fleets leads there."""
    return any(leads_to(board, chain, target) for chain in chains(board, unit, fleets))


def convoy_targets(board: Board, unit: Unit) -> list[str]:
    """[Convoys] Where fleets could bring a unit if they lay as they should: places for a bunch, spaces for an army."""
    if unit.kind == "F" or not board.is_coastal(unit.space):
        return []
    targets: list[str] = []
    for space in board.spaces:
        if space == unit.space:
            continue
        if board.is_coastal(space):
            targets += [space] if unit.kind == "A" else board.places[space]
        elif board.kind[space] == "sea" and unit.kind == "B":
            targets.append(space)
    return targets


def convoyed_to(board: Board, unit: Unit, fleets: Collection[Unit]) -> set[str]:
    """[Convoys] Where these fleets can bring it."""
    possible = list(chains(board, unit, fleets))
    return {
        target for target in convoy_targets(board, unit) if any(leads_to(board, chain, target) for chain in possible)
    }


def goes_to(board: Board, unit: Unit, fleets: Collection[Unit]) -> set[str]:
    """Spaces that a unit reaches by itself or with these fleets."""
    return board.reach_spaces(unit) | {space_of(place) for place in convoyed_to(board, unit, fleets)}


def supports(board: Board, units: Units, unit: Unit) -> list[Order]:
    """Section 3.3."""
    found: list[Order] = []
    within = board.reach_spaces(unit)
    others = [fleet for fleet in units.values() if fleet.kind == "F" and fleet != unit]
    for space in board.in_order(units):
        if space == unit.space:
            continue
        if space in within:
            found.append(Order("support", None, space))
        going = goes_to(board, units[space], others)
        found += [Order("support", target, space) for target in board.in_order(within & going - {unit.space})]
    return found


def convoys(board: Board, units: Units, unit: Unit) -> list[Order]:
    """Section 3.5: what a fleet may convoy."""
    found: list[Order] = []
    fleets = [fleet for fleet in units.values() if fleet.kind == "F"]
    for space in board.in_order(units):
        with_it = [chain for chain in chains(board, units[space], fleets) if unit in chain]
        ends = {
            space_of(target)
            for target in convoy_targets(board, units[space])
            if any(leads_to(board, chain, target) for chain in with_it)
        }
        found += [Order("convoy", target, space) for target in board.in_order(ends)]
    return found


def legal_orders(board: Board, units: Units, unit: Unit, post_sites: Collection[str] = ()) -> list[Order]:
    """Every order that a unit may get; `post_sites`: where its power may build its trading post."""
    fleets = [fleet for fleet in units.values() if fleet.kind == "F"]
    found = [Order("hold")]
    found += [Order("move", place) for place in sorted(board.reach(unit))]
    if unit.kind != "F":
        found += [Order("via", place) for place in sorted(convoyed_to(board, unit, fleets))]
    found += supports(board, units, unit)
    if unit.kind == "F":
        found += convoys(board, units, unit)
    if unit.kind == "A":
        found += [Order("boats", place) for place in board.coast_places(unit.space)]
    if unit.kind == "F" and unit.space in post_sites:
        found.append(Order("post"))
    return found


def steps(order: Order) -> tuple[str, ...]:
    """Section 5.1: an order as the one or two texts that enter it."""
    if order.verb in ("hold", "post"):
        return (order.verb,)
    if order.verb == "boats":
        assert order.target is not None
        return ("boats" + order.target.removeprefix(order.space),)
    if order.verb in ("move", "via"):
        return (f"{order.verb} {order.target}",)
    return (f"{order.verb} {order.source}", "stay" if order.target is None else f"to {order.target}")


def line(unit: Unit, order: Order, units: Units) -> str:
    """Section 5.2: unit and order in one line."""
    if order.verb == "hold":
        return f"{unit.text()} H"
    if order.verb == "post":
        return f"{unit.text()} = C"
    if order.verb == "boats":
        assert order.target is not None
        return f"{unit.text()} = B{order.target.removeprefix(order.space)}"
    if order.moving:
        return f"{unit.text()} - {order.target}" + (" via" if order.verb == "via" else "")
    assert order.source is not None
    letter = "S" if order.verb == "support" else "C"
    going = "" if order.target is None else f" - {order.target}"
    return f"{unit.text()} {letter} {units[order.source].kind} {order.source}{going}"
