"""Parts of a table: its steps, its first position, and what a player enters in a sealed turn."""

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
        first: events before it.
        chance: True for a chance outcome.
        player: who decided; CHANCE, or SIMULTANEOUS where several decided at once.
        by: digest of the browser that made it; empty for the server and for agents.
    """

    first: int
    chance: bool
    player: int
    by: str


class Mark(NamedTuple):
    """A table at some moment; see `hawaii_env.web.table.Table.mark`."""

    data: dict[str, Any]
    state: State
    trace: list[Event]
    steps: list[Step]
    kept: dict[int, State]
    version: int
    epoch: int
    problem: str | None


def hides(game: Game) -> bool:
    """Return True if a game hides anything from anybody."""
    return game.information != "perfect" or game.dynamics == "sealed"


def start_of(game: Game, start: Mapping[str, Any] | None) -> State:
    """Return a game's first position in the explicit mode, traced.

    Args:
        game: the game.
        start: the position that it starts from, as `State.to_json` writes it; None is a new game.

    Raises:
        StateError: the position cannot be.
    """
    if start is None:
        return game.initial_state(chance="explicit", trace=True)
    # A generator is forgotten, should the text have brought one.
    state = game.state_from_json(json.dumps(start)).explicit()
    state.start_trace()
    return state


def decisions(own: State, player: int, actions: Sequence[int]) -> list[int]:
    """Return of a player's actions in a sealed turn those that are asked for: what is forced may be among them, or not.

    Args:
        own: what the player knows before the first of them; it is changed.
        player: the player.
        actions: the whole turn.

    Raises:
        IllegalActionError: an action is not legal after those before it, or they do not make a whole turn.
    """
    turn, chosen, forced = own.sealed_turn, list[int](), list[int]()
    own.start_trace()
    assert own.trace is not None
    for action in actions:
        if action in forced:
            forced.remove(action)
            continue
        if own.current_player != player or own.sealed_turn != turn:
            raise IllegalActionError(f"{own.game.action_text(action)!r} is one more than the turn asks for")
        before = len(own.trace)
        own.apply(action)
        chosen.append(action)
        made = [event for event in own.trace[before:] if isinstance(event, Decision) and event.turn == turn]
        forced = [event.action for event in made if event.forced and event.player == player]
    if own.current_player == player and own.sealed_turn == turn:
        raise IllegalActionError("something is left to be decided in this turn")
    return chosen


def waiting_since(data: Mapping[str, Any]) -> dict[int, float]:
    """Return since when the others wait for each person, from a table's settings, as everybody may know it."""
    pending: Mapping[Any, Any] = data.get("pending") or {}

    def done(seat: str, turn: int | None) -> bool:
        entry = pending.get(seat, pending.get(int(seat)))
        return isinstance(entry, dict) and entry["done"] and entry["turn"] == turn

    asked = (data.get("since") or {"now": {}})["now"]
    return {int(seat): at for seat, (turn, at) in asked.items() if not done(seat, turn)}


def joint(state: State, events: Sequence[Event]) -> dict[int, int]:
    """Return what each player chooses in a simultaneous turn that begins with these events."""
    acting = state.acting_players
    return {
        event.player: event.action
        for event in events[: state.game.num_players]
        if isinstance(event, Decision) and event.player in acting and not event.forced
    }


def same(event: Event, stored: Event) -> bool:
    """Return True if a stored event is the game's; who may know it, and when, is not compared."""
    if isinstance(event, Decision) and isinstance(stored, Decision):
        return replace(event, turn=None) == replace(stored, turn=None)
    if isinstance(event, Chance) and isinstance(stored, Chance):
        return replace(event, player=None) == replace(stored, player=None)
    return False
