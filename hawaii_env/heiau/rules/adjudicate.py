"""Entry points for movement phases without a game: on any board, with a state of its own."""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule

from .movement import move_many
from .orders import is_possible, list_orders
from .state import view_state
from .tables import view_rules

__all__ = ["enter_adjudications", "enter_orders", "enter_possible"]


@rule
def enter_adjudications(tables: Any, data: Any, phases: Any, found: Any) -> int:
    """Resolve many movement phases, on an empty board; see `movement.move_many`."""
    return move_many(view_rules(tables), view_state(data), phases, found)


@rule
def enter_orders(tables: Any, data: Any, space: int, unbuilt: int, out: Any) -> int:
    """Write every order that a unit can be given, on the board as all see it; see `orders.list_orders`."""
    return list_orders(view_rules(tables), view_state(data), space, unbuilt, 0, out)


@rule
def enter_possible(tables: Any, data: Any, space: int, verb: int, source: int, target: int, unbuilt: int) -> bool:
    """Return True if a unit can be given this order, on the board as all see it."""
    return is_possible(view_rules(tables), view_state(data), space, verb, source, target, unbuilt, 0)
