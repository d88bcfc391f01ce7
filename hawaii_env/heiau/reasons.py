"""Why nothing can be ordered by a click: for messages. Nothing here decides whether it can."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from hawaii_env.game import State
from hawaii_env.heiau.positions.record import Record
from hawaii_env.heiau.refusals import why_no_order, why_no_retreat
from hawaii_env.heiau.rules.orders import MOVE, SUPPORT, VIA, Order

__all__ = ["why_not"]


def why_not(state: State, player: int, thing: Mapping[str, str], to: str) -> str:
    """See `hawaii_env.web.strings.Strings.why_not`: ``place`` is where a unit stands, ``via`` whom it would help."""
    known = cast(Any, state)
    board, record = known.game.options.board, cast(Record, known.record)
    space, aim = (board.index.get(name.partition("/")[0], -1) for name in (thing.get("place", ""), to))
    power = known.power_of(player)
    if record.phase == "adjustments":
        return _why_no_change(record, power, space, known.need(power) > 0)
    if record.phase not in ("orders", "retreats") or space < 0:
        return "all vote, unseen, for one of two starts [R-19]" if record.phase == "ballot" else ""
    unit = record.dislodged[space][0] if record.phase == "retreats" and space in record.dislodged else None
    unit = unit or record.units.get(space)
    if unit is None or unit.power != power:
        return "no unit of yours is there to take orders [Background]"
    if record.phase == "retreats":
        if space not in record.dislodged:
            return "it was not dislodged, and stays [Background]"
        return why_no_retreat(board, record, unit, board.bare[aim] if aim >= 0 else unit.place)
    if aim < 0:
        return ""
    helped = board.index.get(thing.get("via", "").partition("/")[0], -1)
    if helped >= 0:
        return why_no_order(board, record.units, space, Order(SUPPORT, helped, aim))
    alone = why_no_order(board, record.units, space, Order(MOVE, -1, board.bare[aim])).partition(" [")[0]
    carried = why_no_order(board, record.units, space, Order(VIA, -1, board.bare[aim]))
    if aim in record.units:
        return f"{alone}, nor can it help who is there [Armies, Boats, Fleets, Background]"
    return f"{alone}, and {carried.replace('[', '[Armies, Boats, Fleets, ')}"


def _why_no_change(record: Record, power: int, space: int, builds: bool) -> str:
    """Say why nothing is built in a space, or no unit removed from it, in a Winter."""
    if not builds:
        return "you remove your own units [Winter, R-18]"
    if space in record.units:
        return "a unit is there: armies are built on empty spaces [Winter, R-17]"
    if record.owners.get(space) != power:
        return "armies are built on your own heiaus [Winter, R-17]"
    return "no more armies can be built there [Winter, R-17]"
