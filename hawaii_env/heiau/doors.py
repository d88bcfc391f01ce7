"""The doors into the rules: the few functions that Python calls.

In the compiled mode tables and states are int64 buffers; in the plain mode they are a list and a `PlainState`. `core`
calls these functions in the mode that a state is held in.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hawaii_env.core.jit import rule

from .observation import write_observation
from .rules import ending as end
from .rules import flow, knowledge, legal, movement, orders
from .rules.forms import room
from .rules.state import spaces_of, state_of
from .rules.tables import N_ACTIONS, SIZE


@rule
def begin(tables: Any, buffer: Any) -> None:
    """A new game, before anybody is asked."""
    flow.begin(tables, state_of(buffer), spaces_of(buffer), room(tables[N_ACTIONS], 0))


@rule
def open_turn(tables: Any, buffer: Any) -> None:
    """Begin the sealed turn of the phase that the position is in."""
    flow.open_turn(tables, state_of(buffer), spaces_of(buffer), room(tables[N_ACTIONS], 0))


@rule
def run(tables: Any, buffer: Any, one: int) -> int:
    """Go on to where somebody decides, chance falls or the game ends; see `flow.run`."""
    return flow.run(tables, state_of(buffer), spaces_of(buffer), room(tables[N_ACTIONS], 0), one)


@rule
def decide(tables: Any, buffer: Any, action: int, one: int) -> int:
    """Who is asked enters an action, and what follows by itself, unless `one`: 0; 1 where it is not legal (then nothing
    has changed).
    """
    state, spaces, actions = state_of(buffer), spaces_of(buffer), room(tables[N_ACTIONS], 0)
    n = legal.list_legal(tables, state, spaces, state.queue[0], actions)
    for i in range(n):
        if actions[i] == action:
            flow.decide(tables, state, spaces, action)
            if one == 0:
                flow.run(tables, state, spaces, actions, 0)
            return 0
    return 1


@rule
def list_legal(tables: Any, buffer: Any, power: int, out: Any) -> int:
    """A power's legal actions; see `legal.list_legal`."""
    return legal.list_legal(tables, state_of(buffer), spaces_of(buffer), power, out)


@rule
def enter(tables: Any, buffer: Any, power: int, action: int) -> None:
    """Note a legal action of any power, of a position that is read."""
    legal.enter(tables, state_of(buffer), spaces_of(buffer), power, action)


@rule
def fall(tables: Any, buffer: Any, outcome: int) -> None:
    """Let chance fall."""
    flow.fall(tables, state_of(buffer), spaces_of(buffer), room(tables[N_ACTIONS], 0), outcome)


@rule
def hidden(tables: Any, buffer: Any) -> bool:
    """Starts are hidden from Europeans; see `legal.hidden`."""
    return legal.hidden(tables, state_of(buffer))


@rule
def knows_start(tables: Any, buffer: Any, power: int) -> bool:
    """A power knows ballots and set-up; see `knowledge.knows_start`."""
    return knowledge.knows_start(tables, state_of(buffer), power)


@rule
def shown_phase(tables: Any, buffer: Any, power: int) -> int:
    """The phase as a power knows it; see `knowledge.shown_phase`."""
    return knowledge.shown_phase(tables, state_of(buffer), spaces_of(buffer), power)


@rule
def own_vote(tables: Any, buffer: Any, power: int) -> int:
    """A power's vote as it knows it; see `knowledge.own_vote`."""
    return knowledge.own_vote(tables, state_of(buffer), power)


@rule
def power_of(tables: Any, buffer: Any, player: int) -> int:
    """The power that a player plays; see `knowledge.power_of`."""
    return knowledge.power_of(tables, state_of(buffer), player)


@rule
def player_of(tables: Any, buffer: Any, power: int) -> int:
    """Who plays a power; see `knowledge.player_of`."""
    return knowledge.player_of(tables, state_of(buffer), power)


@rule
def need(tables: Any, buffer: Any, power: int) -> int:
    """Armies that a power may build, or must remove; see `legal.need`."""
    return legal.need(tables, spaces_of(buffer), power)


@rule
def centres(tables: Any, buffer: Any, power: int) -> int:
    """Heiaus and posts that a power owns."""
    return end.centres(tables, spaces_of(buffer), power, 1)


def _observe(tables: Any, buffer: Any, power: int, out: Any) -> None:
    write_observation(tables, state_of(buffer), spaces_of(buffer), power, room(tables[SIZE] + 1, 0), out)


# In Python a list is written ten times as fast as an array.


@rule(compiled=_observe)
def observe(tables: Any, buffer: Any, power: int, out: Any) -> None:
    """Write a power's raw observation, int8[observation_size]."""
    raw = [0] * tables[SIZE]
    write_observation(tables, state_of(buffer), spaces_of(buffer), power, room(tables[SIZE] + 1, 0), raw)
    out[:] = np.array(raw, np.int8)


@rule
def adjudicate(tables: Any, buffer: Any) -> None:
    """A movement phase: the orders that stand in the spaces."""
    movement.move_units(tables, spaces_of(buffer))


@rule
def adjudicate_many(tables: Any, buffer: Any, phases: Any, found: Any) -> int:
    """Many movement phases, on an empty board; see `movement.move_many`."""
    return movement.move_many(tables, spaces_of(buffer), phases, found)


@rule
def list_orders(tables: Any, buffer: Any, space: int, unbuilt: int, out: Any) -> int:
    """Every order that a unit can be given, on the board as all see it; see `orders.list_orders`."""
    return orders.list_orders(tables, spaces_of(buffer), space, unbuilt, 0, out)


@rule
def is_possible(tables: Any, buffer: Any, space: int, verb: int, source: int, target: int, unbuilt: int) -> bool:
    """The unit can be given this order, on the board as all see it."""
    return orders.is_possible(tables, spaces_of(buffer), space, verb, source, target, unbuilt, 0)
