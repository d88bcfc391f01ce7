"""Movement phases on the standard board as other people's adjudicators take them: `pydip` and `diplomacy`.

Fleets convoy at sea only, as these libraries have it, and a support names the coast that its unit goes to.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

import functools
from typing import Any

from heiau.boards import STANDARD, Orders
from heiau_referee.board import Board, Unit, Units, space_of
from heiau_referee.orders import Order, chains, convoyed_to, leads_to, legal_orders

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
    """Return the orders of a unit that are legal where there are no boats and fleets convoy at sea only."""
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
    """Return where a support is for, with the coast: the one that its unit goes to, else any that it could."""
    assert order.source is not None
    assert order.target is not None
    other, goes = units[order.source], orders[order.source]
    if goes.moving and goes.space == order.target and goes.target is not None:
        return goes.target
    reached = [place for place in sorted(STANDARD.reach(other)) if space_of(place) == order.target]
    return (reached or [order.target])[0]


def line(units: Units, orders: Orders, space: str) -> str:
    """Return an order as `diplomacy` reads it."""
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
    """Return a game of `diplomacy` with these orders entered."""
    game = diplomacy_position(units)
    for power, lines in diplomacy_lines(units, orders).items():
        game.set_orders(power, lines)
    if game.error:
        assert all("IMPOSSIBLE CONVOY" in str(error) for error in game.error), game.error
        raise ConvoyRefused(str(game.error))
    return game


def diplomacy_lines(units: Units, orders: Orders) -> dict[str, list[str]]:
    """Return all orders as `diplomacy` reads them, by power."""
    found: dict[str, list[str]] = {}
    for space, unit in units.items():
        found.setdefault(POWERS[unit.power], []).append(line(units, orders, space))
    return {power: found[power] for power in POWERS.values() if power in found}


def diplomacy_position(units: Units) -> Any:
    """Return a game of `diplomacy` with these units."""
    from diplomacy import Game

    game = Game(map_name="standard")
    game.clear_units()
    for letter, power in POWERS.items():
        own = [space for space, unit in units.items() if unit.power == letter]
        game.set_units(power, [units[space].text().upper() for space in own], reset=True)
    return game


@functools.cache
def pydip_map() -> Any:
    """Return the standard board as a map of `pydip`: land, its coasts beside it, seas."""
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
    """Return the name of a fleet's place: seas have their own, coasts another than their land."""
    return place if "/" in place or STANDARD.kind[space_of(place)] == "sea" else f"{place}/c"


def pydip_name(unit: Unit, place: str) -> str:
    """Return the name of a unit's place."""
    return place if unit.kind == "A" else coast(place)


def pydip_players(units: Units) -> dict[str, Any]:
    """Return the powers with these units, as players of `pydip`, by letter."""
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
    """Return the orders as commands of `pydip`; given: its players, where they are made already."""
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
