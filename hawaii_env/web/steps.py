"""Parts of a table: its steps, its first position, and the entries of a player in a sealed turn."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from hawaii_env.errors import IllegalActionError
from hawaii_env.game import Chance, Decision, Event, Game, State

__all__ = ["Mark", "Step", "decisions", "hides", "joint", "same", "start_of", "waiting_since"]


@dataclass(frozen=True)
class Step:
    """One decision or chance outcome with the forced decisions that followed it.

    Attributes:
        first: number of events before it.
        chance: True for a chance outcome.
        player: the player who decided; CHANCE, or SIMULTANEOUS if several decided at once.
        by: digest of the browser that made it; empty for the server and agents.
    """

    first: int
    chance: bool
    player: int
    by: str


class Mark(NamedTuple):
    """A snapshot of a table; see `hawaii_env.web.table.Table.mark`."""

    data: dict[str, Any]
    state: State
    trace: list[Event]
    steps: list[Step]
    kept: dict[int, State]
    version: int
    epoch: int
    problem: str | None


def hides(game: Game) -> bool:
    """Return True if a game hides anything from any player."""
    return game.information != "perfect" or game.dynamics == "sealed"


def start_of(game: Game, start: Mapping[str, Any] | None) -> State:
    """Return the first position of a game in explicit mode, traced.

    Args:
        game: the game.
        start: the position to start from, as `State.to_json` writes it; None starts a new game.

    Raises:
        StateError: the position is invalid.
    """
    if start is None:
        return game.initial_state(chance="explicit", trace=True)
    # Drop a generator that the text may contain.
    state = game.state_from_json(json.dumps(start)).explicit()
    state.start_trace()
    return state


def decisions(own: State, player: int, actions: Sequence[int]) -> list[int]:
    """Return the actions of a sealed turn that the player is asked for, without the forced ones among them.

    Args:
        own: the position as the player knows it before the first action; it is changed.
        player: the player.
        actions: all actions of the turn.

    Raises:
        IllegalActionError: an action is not legal after those before it, or the turn is not complete.
    """
    turn, chosen, forced = own.sealed_turn, list[int](), list[int]()
    own.start_trace()
    assert own.trace is not None
    for action in actions:
        if action in forced:
            forced.remove(action)
            continue
        if own.current_player != player or own.sealed_turn != turn:
            raise IllegalActionError(f"{own.game.action_text(action)!r} is one action too many for this turn")
        before = len(own.trace)
        own.apply(action)
        chosen.append(action)
        made = [event for event in own.trace[before:] if isinstance(event, Decision) and event.turn == turn]
        forced = [event.action for event in made if event.forced and event.player == player]
    if own.current_player == player and own.sealed_turn == turn:
        raise IllegalActionError("this turn needs further decisions")
    return chosen


def waiting_since(data: Mapping[str, Any]) -> dict[int, float]:
    """Return the times since which the other players have waited for each person, as everybody may know them."""
    pending: Mapping[Any, Any] = data.get("pending") or {}

    def done(seat: str, turn: int | None) -> bool:
        entry = pending.get(seat, pending.get(int(seat)))
        return isinstance(entry, dict) and entry["done"] and entry["turn"] == turn

    asked = (data.get("since") or {"now": {}})["now"]
    return {int(seat): at for seat, (turn, at) in asked.items() if not done(seat, turn)}


def joint(state: State, events: Sequence[Event]) -> dict[int, int]:
    """Return the choice of each player in the simultaneous turn that begins with these events."""
    acting = state.acting_players
    return {
        event.player: event.action
        for event in events[: state.game.num_players]
        if isinstance(event, Decision) and event.player in acting and not event.forced
    }


def same(event: Event, stored: Event) -> bool:
    """Return True if a stored event equals one of the game, apart from who may know it and when."""
    if isinstance(event, Decision) and isinstance(stored, Decision):
        return replace(event, turn=None) == replace(stored, turn=None)
    if isinstance(event, Chance) and isinstance(stored, Chance):
        return replace(event, player=None) == replace(stored, player=None)
    return False
