"""Why an order, or a step of the action table, cannot be given: for messages. Nothing here decides whether it can."""

from __future__ import annotations

from collections.abc import Mapping

from hawaii_env.heiau.options import Options
from hawaii_env.heiau.positions.record import Record
from hawaii_env.heiau.rules.actions import BUILD, DISBAND, DONE, NAMES, REMOVE, RETREAT, STAY, TO, VOTE
from hawaii_env.heiau.rules.board import FLEET, Board, Unit
from hawaii_env.heiau.rules.orders import BOATS, CONVOY, MOVE, SUPPORT, VIA, Order

__all__ = ["why_no_action", "why_no_order", "why_no_retreat", "why_not_typed"]

PHASE_OF = {
    VOTE: "ballot", RETREAT: "retreats", DISBAND: "retreats", BUILD: "adjustments", REMOVE: "adjustments",
    DONE: "adjustments",
}  # fmt: skip
"""The phase in which a kind of action is entered; all others are entered among the orders."""


def why_no_order(board: Board, units: Mapping[int, Unit], space: int, order: Order) -> str:
    """Say why a unit cannot be given an order, with the section.

    Args:
        board: the board.
        units: the units that are seen, by space.
        space: where the unit stands.
        order: what is refused.
    """
    verb, source, target = order
    helped = board.spaces[source] if source >= 0 else ""
    if verb in (SUPPORT, CONVOY) and (source == space or source not in units):
        return f"there is no other unit in {helped} [{'Convoys' if verb == CONVOY else 'Background'}]"
    if verb == SUPPORT:
        unit = units[space]
        goal = f"{helped} - {board.spaces[target]}" if target != source else f"{helped} to stay"
        if target == space:
            return "nobody is supported into the space where the unit itself stands [Background]"
        if not board.reach[unit.kind][unit.place] >> target & 1:
            return f"who supports {goal} must reach {board.spaces[target]} by itself [Background, Boats 2, R-06]"
        return f"the unit in {helped} goes to {board.spaces[target]} neither by itself nor by convoy [Background]"
    if verb == CONVOY and units[space].kind != FLEET:
        return "only fleets convoy [Convoys]"
    return {
        MOVE: "it does not go there by itself [Armies, Boats, Fleets]",
        VIA: "no chain of fleets carries it there [Convoys]",
        CONVOY: "no chain with this fleet carries that unit there [Convoys, Boats 1]",
        BOATS: "only an army in a coastal space builds boats [Armies, R-11]",
    }.get(verb, "only a fleet on a coast without heiau, whose post is unbuilt, builds a post [Post, R-13]")


def why_no_retreat(board: Board, record: Record, unit: Unit, place: int) -> str:
    """Say why a dislodged unit cannot retreat to a place, with the section."""
    space = board.space_of[place]
    if place not in board.moves[unit.kind][unit.place]:
        return "it does not go there by itself [Armies, Boats, Fleets]"
    if space in record.units:
        return "a unit is there [Background]"
    if record.dislodged[board.space_of[unit.place]][1] == space:
        return "its attacker came from there [Background, R-15]"
    return "it is contested: a move to there failed [Background]"


def why_not_typed(board: Board, record: Record, unit: Unit, order: Order) -> str:
    """Say why the unit that is asked for cannot be given an order that somebody typed, by what `record` knows."""
    if record.phase != "retreats":
        return why_no_order(board, record.units, board.space_of[unit.place], order)
    return why_no_retreat(board, record, unit, order.target) if order.verb == MOVE else "it retreats or is disbanded"


def why_no_action(options: Options, record: Record, unit: Unit | None, need: int, action: int) -> str:
    """Say why an action is not legal for the power that is asked, with the section.

    Args:
        options: the game's.
        record: the position as that power knows it.
        unit: the unit that is asked for, or None.
        need: armies that the power may build, or, below zero, units that it must remove.
        action: what is refused.
    """
    actions, board = options.actions, options.board
    kind, value = actions.steps[action]
    phase = PHASE_OF.get(kind, "orders")
    if phase != record.phase:
        return f"{NAMES[kind]!r} belongs to the phase {phase!r}"
    if unit is None:
        building = "armies are built on its heiaus and posts where nobody stands [Winter, R-17]"
        return "it must remove armies or bunches of its own [Winter, R-18]" if need < 0 else building
    if phase == "retreats":
        return why_no_retreat(board, record, unit, value)
    half, space = record.half[unit.power], board.space_of[unit.place]
    if half < 0 and kind in (STAY, TO):
        return "it is the second half of a support or convoy, and none was begun"
    if half >= 0 and kind not in (STAY, TO):
        return f"the second half of {actions.codec.text(half)!r} is asked for"
    if half >= 0:
        kind, source = actions.steps[half]
        goal = source if value < 0 else value
        if kind == CONVOY and goal == source:
            return "who is convoyed goes elsewhere [Convoys]"
        return why_no_order(board, record.units, space, Order(kind, source, goal))
    if kind not in (SUPPORT, CONVOY):
        return why_no_order(board, record.units, space, Order(kind, -1, value))
    if value == space or value not in record.units or (kind == CONVOY and unit.kind != FLEET):
        return why_no_order(board, record.units, space, Order(kind, value, value))
    return f"it can {NAMES[kind]} the unit in {board.spaces[value]} nowhere [Background, Convoys]"
