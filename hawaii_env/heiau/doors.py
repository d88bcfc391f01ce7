"""The doors into the rules: the few functions that Python calls.

In the compiled mode tables and states are int64 buffers; in the plain mode they are a list and a `PlainState`. `core`
calls these functions in the mode that a state is held in.
"""

from __future__ import annotations

from typing import Any

from hawaii_env._jit import rule

from .rules import movement, orders
from .rules.state import spaces_of


@rule
def adjudicate(tables: Any, buffer: Any) -> None:
    """A movement phase: the orders that stand in the spaces."""
    movement.move_units(tables, spaces_of(buffer))


@rule
def list_orders(tables: Any, buffer: Any, space: int, unbuilt: int, out: Any) -> int:
    """Every order that a unit can be given, on the board as all see it; see `orders.list_orders`."""
    return orders.list_orders(tables, spaces_of(buffer), space, unbuilt, 0, out)


@rule
def is_possible(tables: Any, buffer: Any, space: int, verb: int, source: int, target: int, unbuilt: int) -> bool:
    """The unit can be given this order, on the board as all see it."""
    return orders.is_possible(tables, spaces_of(buffer), space, verb, source, target, unbuilt, 0)
