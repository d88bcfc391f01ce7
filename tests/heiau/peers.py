"""The same movement phase on the standard board by other people's adjudicators: `pydip` and `diplomacy`.

Of each: which units stand where afterwards, and which are dislodged. Fleets convoy at sea only, as these libraries have
it, and a support names the coast that its unit goes to.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

import functools
from typing import Any

from heiau_referee.adjudication import Equations, solve
from heiau_referee.board import Board, Unit, Units, space_of
from heiau_referee.orders import Order, chains, convoyed_to, is_route, leads_to, legal_orders
from heiau_referee.orders import line as plain

from .boards import STANDARD, Orders

Found = tuple[frozenset[str], frozenset[str]]
"""Units afterwards, and those dislodged, as ``"E F lon"``."""

POWERS = {
    "A": "AUSTRIA",
    "E": "ENGLAND",
    "F": "FRANCE",
    "G": "GERMANY",
    "I": "ITALY",
    "R": "RUSSIA",
    "T": "TURKEY",
}


def sea_orders(board: Board, units: Units, unit: Unit) -> list[Order]:
    """The orders of a unit that are legal where there are no boats and fleets convoy at sea only."""
    at_sea = [fleet for fleet in units.values() if fleet.kind == "F" and board.kind[fleet.space] == "sea"]

    def stands(order: Order) -> bool:
        if order.verb == "boats":
            return False
        if order.verb == "via":
            return order.target in convoyed_to(board, unit, at_sea)
        if order.source is None or order.target is None:
            return True
        other = units[order.source]
        if order.verb == "convoy":
            found = (chain for chain in chains(board, other, at_sea) if unit in chain)
            return any(leads_to(board, chain, order.space) for chain in found)
        others = [fleet for fleet in at_sea if fleet != unit]
        return order.target in board.reach_spaces(other) or order.target in convoyed_to(board, other, others)

    return [order for order in legal_orders(board, units, unit) if stands(order)]


def destination(units: Units, orders: Orders, order: Order) -> str:
    """Where a support is for, with the coast: the one that its unit goes to, else any that it could."""
    assert order.source is not None and order.target is not None
    other, goes = units[order.source], orders[order.source]
    if goes.moving and goes.space == order.target and goes.target is not None:
        return goes.target
    reached = [place for place in sorted(STANDARD.reach(other)) if space_of(place) == order.target]
    return (reached or [order.target])[0]


def told(unit: Unit) -> str:
    """A unit in one word."""
    return f"{unit.power} {unit.text()}"


def text(units: Units, orders: Orders) -> str:
    """A phase in the notation of players, for messages."""
    return "|".join(f"{unit.power}: {plain(unit, orders[space], units)}" for space, unit in units.items())


# ------------------------------------------------------------------------------------------------------- diplomacy


def line(units: Units, orders: Orders, space: str) -> str:
    """An order as `diplomacy` reads it."""
    unit, order = units[space], orders[space]
    head = unit.text()
    if order.verb == "hold":
        text = f"{head} H"
    elif order.moving:
        text = f"{head} - {order.target}" + (" VIA" if order.verb == "via" else "")
    else:
        assert order.source is not None
        letter = "S" if order.verb == "support" else "C"
        text = f"{head} {letter} {units[order.source].text()}"
        if order.verb == "support" and order.target is not None:
            text += f" - {destination(units, orders, order)}"
        elif order.target is not None:
            text += f" - {order.target}"
    return text.upper()


class ConvoyRefused(Exception):
    """`diplomacy` does not take a convoy order."""


def diplomacy_game(units: Units, orders: Orders) -> Any:
    """A game of `diplomacy` with these orders entered."""
    game = diplomacy_position(units)
    for power, lines in diplomacy_lines(units, orders).items():
        game.set_orders(power, lines)
    if game.error:
        assert all("IMPOSSIBLE CONVOY" in str(error) for error in game.error), game.error
        raise ConvoyRefused(str(game.error))
    return game


def diplomacy_lines(units: Units, orders: Orders) -> dict[str, list[str]]:
    """All orders as `diplomacy` reads them, by power."""
    found: dict[str, list[str]] = {}
    for space, unit in units.items():
        found.setdefault(POWERS[unit.power], []).append(line(units, orders, space))
    return {power: found[power] for power in POWERS.values() if power in found}


def diplomacy_position(units: Units) -> Any:
    """A game of `diplomacy` with these units."""
    from diplomacy import Game

    game = Game(map_name="standard")
    game.clear_units()
    for letter, power in POWERS.items():
        own = [space for space, unit in units.items() if unit.power == letter]
        game.set_units(power, [units[space].text().upper() for space in own], reset=True)
    return game


def by_diplomacy(units: Units, orders: Orders) -> Found:
    """What `diplomacy` makes of it."""
    game = diplomacy_game(units, orders)
    game.process()
    results = game.result_history.last_value()
    after, out = set[str](), set[str]()
    for space, unit in units.items():
        words = {str(result) for result in results.get(unit.text().upper(), ())}
        order = orders[space]
        if "dislodged" in words:
            out.add(told(unit))
        elif order.moving and not words:
            assert order.target is not None
            after.add(told(Unit(unit.kind, unit.power, order.target)))
        else:
            after.add(told(unit))
    return frozenset(after), frozenset(out)


# ----------------------------------------------------------------------------------------------------------- pydip


@functools.cache
def pydip_map() -> Any:
    """The standard board as a map of `pydip`: land, its coasts beside it, seas."""
    from pydip.map.map import Map

    described: list[dict[str, Any]] = []
    for space in STANDARD.spaces:
        kind = STANDARD.kind[space]
        coasts = [coast(place) for place in STANDARD.places[space]] if kind == "coast" else []
        described.append({"name": space} if kind == "sea" else {"name": space, "coasts": coasts})
    pairs = {tuple(sorted((one, other))) for one, near in STANDARD.land.items() for other in near}
    pairs |= {
        tuple(sorted((coast(one), coast(other)))) for one, near in STANDARD.water.items() if near for other in near
    }
    return Map(described, sorted(pairs))


def coast(place: str) -> str:
    """The name of a fleet's place: seas have their own, coasts another than their land."""
    return place if "/" in place or STANDARD.kind[space_of(place)] == "sea" else f"{place}/c"


def by_pydip(units: Units, orders: Orders) -> Found:
    """What `pydip` makes of it."""
    from pydip.turn.resolve import resolve_turn

    found = resolve_turn(pydip_map(), pydip_commands(units, orders))
    after, out = set[str](), set[str]()
    for power, own in found.items():
        for unit, retreats in own.items():
            kind = "A" if unit.unit_type.name == "TROOP" else "F"
            text = f"{power} {kind} {unit.position.removesuffix('/c')}"
            (after if retreats is None else out).add(text)
    return frozenset(after), frozenset(out)


def pydip_name(unit: Unit, place: str) -> str:
    """The name of a unit's place."""
    return place if unit.kind == "A" else coast(place)


def pydip_players(units: Units) -> dict[str, Any]:
    """The powers with these units, as players of `pydip`, by letter."""
    from pydip.player.player import Player
    from pydip.player.unit import UnitTypes

    players: dict[str, Any] = {}
    for power in sorted({unit.power for unit in units.values()}):
        placed = [
            {
                "territory_name": pydip_name(unit, unit.place),
                "unit_type": UnitTypes.TROOP if unit.kind == "A" else UnitTypes.FLEET,
            }
            for unit in units.values()
            if unit.power == power
        ]
        players[power] = Player(power, pydip_map(), placed)
    return players


def pydip_commands(units: Units, orders: Orders, given: dict[str, Any] | None = None) -> list[Any]:
    """The orders as commands of `pydip`; given: its players, where they are made already."""
    from pydip.player.command import command as commands

    players, name = given or pydip_players(units), pydip_name
    pieces = {
        space: next(one for one in players[unit.power].units if one.position == name(unit, unit.place))
        for space, unit in units.items()
    }
    made: list[Any] = []
    for space, unit in units.items():
        order, head = orders[space], (players[unit.power], pieces[space])
        if order.verb == "hold":
            made.append(commands.HoldCommand(*head))
        elif order.verb == "move":
            assert order.target is not None
            made.append(commands.MoveCommand(*head, name(unit, order.target)))
        elif order.verb == "via":
            made.append(commands.ConvoyMoveCommand(*head, order.target))
        elif order.verb == "convoy":
            made.append(commands.ConvoyTransportCommand(*head, pieces[order.source or ""], order.target))
        else:
            assert order.source is not None
            other = units[order.source]
            where = pieces[order.source].position
            if order.target is not None:
                where = name(other, destination(units, orders, order))
            made.append(commands.SupportCommand(*head, pieces[order.source], where))
    return made


# ------------------------------------------------------------------------------ why they differ: our rules, but for ...


def by_referee(units: Units, orders: Orders, rules: type[Equations] = Equations) -> Found:
    """What the referee makes of it, by its own equations or others."""
    answers = solve(rules(STANDARD, units, orders))
    after, out = set[str](), set[str]()
    for space, unit in units.items():
        order = orders[space]
        if order.target is not None and answers.get(("moves", space)):
            after.add(told(Unit(unit.kind, unit.power, order.target)))
        else:
            stays = answers.get(("given", space)) or not answers["dislodged", space]
            (after if stays else out).add(told(unit))
    return frozenset(after), frozenset(out)


class PydipEquations(Equations):
    """`pydip` tells the target of a support from where an attacker stands by names: a coast has another than its land.

    So an attack on a supporting unit out of the very space that it supports into cuts the support where the attacker
    and the supported unit are not both armies, or both fleets on one coast. Nor is a support
    ended, or its unit dislodged, by a convoyed attack out of the space that it supports into.
    """

    def is_given(self, space: str) -> bool:
        order = self.orders[space]
        target = order.source if order.target is None else order.space
        attacks = [other for other in self.into.get(space, ()) if self.orders[other].verb == "move"]
        dislodged = any(self.ask("moves", other) for other in attacks)
        return self.fits(space) and not self.attacked(space, but_from=target) and not dislodged

    def attacked(self, space: str, but_from: str | None = None) -> bool:
        order = self.orders[space]
        if order.verb == "support" and but_from is not None and order.target is not None and but_from in self.units:
            mover, attacker = self.units[order.source or ""], self.units[but_from]
            going = destination(self.units, dict(self.orders), order)
            names = [
                place if unit.kind == "A" else coast(place)
                for unit, place in ((mover, going), (attacker, attacker.place))
            ]
            if names[0] != names[1]:
                but_from = None
        return super().attacked(space, but_from)


class DiplomacyEquations(Equations):
    """`diplomacy` reckons supports by whose unit is attacked.

    In a head-to-head battle the supports of the opponent that are the attacker's own do not count for it, and none wins
    with as many supports as the other; supports of a convoyed move by the power that it attacks count all the same. And
    a convoy is disrupted by an attack with supports of the fleet's own power, too, though they do not help to dislodge
    it.
    """

    def is_path(self, space: str) -> bool:
        order = self.orders[space]
        if order.verb == "move" or not super().is_path(space):
            return order.verb == "move"
        wanted = Order("convoy", order.space, space)
        fleets = [fleet for at, fleet in self.units.items() if self.orders[at] == wanted]
        left = [fleet for fleet in fleets if not self.ask("dislodged", fleet.space) and not self.overpowered(fleet)]
        assert order.target is not None
        return is_route(self.board, self.units[space], order.target, left)

    def overpowered(self, fleet: Unit) -> bool:
        """One attack on a convoying fleet is stronger than all else there, with all its supports."""
        attacks = self.into.get(fleet.space, ())
        strengths = sorted([1 + self.backing(fleet.space), *(self.prevent_strength(other) for other in attacks)])
        return any(
            self.prevent_strength(other) == strengths[-1] > strengths[-2] and self.units[other].power != fleet.power
            for other in attacks
        )

    def defend_strength(self, space: str, against: str) -> int:
        if self.backing(space) == self.backing(against):
            return 99
        return 1 + self.backing(space, self.units[against].power)

    def backing(self, space: str, without: str | None = None) -> int:
        if self.orders[space].verb == "via":
            without = None
        return super().backing(space, without)


def diplomacy_orders(units: Units, orders: Orders) -> Orders:
    """The orders as `diplomacy` understands them: how an army goes to a neighbour follows from what fleets do.

    Ordered `via`, it marches where no chain of fleets was ordered to convoy it; ordered to march, it is convoyed where
    a chain with a fleet of its own power was.
    """
    found = dict(orders)
    for space, unit in units.items():
        order = orders[space]
        if unit.kind != "A" or not order.moving or order.space not in STANDARD.land[space]:
            continue
        wanted = Order("convoy", order.space, space)
        fleets = [fleet for at, fleet in units.items() if orders[at] == wanted]
        carried = is_route(STANDARD, unit, order.space, fleets)
        if order.verb == "via" and not carried:
            found[space] = Order("move", order.target)
        elif order.verb == "move" and carried and any(fleet.power == unit.power for fleet in fleets):
            found[space] = Order("via", order.target)
    return found
