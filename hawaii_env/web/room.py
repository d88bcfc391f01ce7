"""One game on the server: its position, what happened, who did it, and what can be taken back.

A room's position is in the explicit mode: there is no generator in it. Dice fall one by one, drawn by the server or told by the players, and
a position is made again by playing its events.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from hawaii_env.errors import GameOverError, IllegalActionError, RecordError
from hawaii_env.game import CHANCE, Chance, Event, Game, State

__all__ = ["Room", "Step", "start_of"]


@dataclass(frozen=True)
class Step:
    """One decision or chance outcome with the forced decisions that followed it.

    Attributes:
        first: events before it.
        chance: True for a chance outcome.
        player: who decided; -1 for chance.
        by: digest of the browser that made it; empty for the server and for agents.
    """

    first: int
    chance: bool
    player: int
    by: str


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
    # for_search forgets a generator, should the text have brought one.
    state = game.state_from_json(json.dumps(start)).for_search()
    state.start_trace()
    return state


class Room:
    """One game.

    Args:
        game: its rules.
        data: its settings: ``seats`` (each ``kind`` "human" or "agent", and ``agent``), ``dice`` ("server" or "hand"), ``start``.
        version: counts every change.
        epoch: counts what was taken back: a browser that has seen another one draws everything anew.

    Attributes:
        state: the position, in the explicit mode, traced.
        steps: what was decided and rolled; `positions` holds the position before each.
        problem: why an agent does not go on, or None.
        told: what the page says of the events, as far as it was asked; kept here because it does not change.
    """

    def __init__(self, game: Game, data: dict[str, Any], version: int = 0, epoch: int = 0) -> None:
        self.game: Game = game
        self.data: dict[str, Any] = data
        self.version: int = version
        self.epoch: int = epoch
        self.state: State = start_of(game, data.get("start"))
        self.steps: list[Step] = []
        self.positions: list[State] = []
        self.problem: str | None = None
        self.told: list[dict[str, Any]] = []

    # What it is

    @property
    def trace(self) -> list[Event]:
        """Everything that has happened."""
        assert self.state.trace is not None
        return self.state.trace

    @property
    def by_hand(self) -> bool:
        """True where players tell the dice."""
        return self.data["dice"] == "hand"

    @property
    def at_chance(self) -> bool:
        """True where a die or card is due."""
        return self.state.current_player == CHANCE

    @property
    def agent(self) -> str | None:
        """The spec of the agent that must decide now, or None."""
        player = self.state.current_player
        if player < 0:
            return None
        seat = self.data["seats"][player]
        return seat["agent"] if seat["kind"] == "agent" else None

    @property
    def watched(self) -> bool:
        """True where agents play one another."""
        return all(seat["kind"] == "agent" for seat in self.data["seats"])

    def events(self, first: int = 0) -> list[tuple[Event, str]]:
        """Return the events from a number on, each with the digest of who made it."""
        makers = {step.first: step.by for step in self.steps}
        return [(event, makers.get(first + n, "")) for n, event in enumerate(self.trace[first:])]

    def position(self, n: int) -> State:
        """Return the position after n events; forced decisions belong to what led to them."""
        at = bisect_left([step.first for step in self.steps], n)
        return self.positions[at] if at < len(self.positions) else self.state

    # What happens

    def play(self, action: int, by: str = "") -> None:
        """Take a decision.

        Raises:
            IllegalActionError: it is not legal here.
            GameOverError: the game is over.
        """
        player = self.state.current_player
        if player == CHANCE:
            raise IllegalActionError("a die or card is due, nobody decides")
        before = self._before()
        self.state.apply(action)
        self._after(before, False, player, by)

    def fall(self, outcome: int, by: str = "") -> None:
        """Let a die or card fall.

        Raises:
            IllegalActionError: it is no outcome here, or no die is due.
            GameOverError: the game is over.
        """
        if self.state.is_terminal:
            raise GameOverError("the game is over")
        if not self.at_chance:
            raise IllegalActionError("no die or card is due")
        before = self._before()
        self.state.apply_chance(outcome)
        self._after(before, True, -1, by)

    def _before(self) -> tuple[int, State]:
        return len(self.trace), self.state.clone()

    def _after(self, before: tuple[int, State], chance: bool, player: int, by: str) -> None:
        self.steps.append(Step(before[0], chance, player, by))
        self.positions.append(before[1])
        self.version += 1
        self.problem = None

    def feed(self, events: Iterable[tuple[Event, str]]) -> None:
        """Play stored events; version and epoch stay as they are.

        What chance could do in one way only may be left out, as older stores and records do.

        Raises:
            RecordError: an event that the game does not do.
        """
        wanted = list(events)
        version, seen = self.version, 0
        while True:
            while seen < min(len(self.trace), len(wanted)):
                event, stored = self.trace[seen], wanted[seen][0]
                if event != stored:
                    if not (isinstance(event, Chance) and event.forced):
                        raise RecordError(f"event {seen + 1} is {stored.text!r}; the game does {event.text!r}")
                    wanted.insert(seen, (event, ""))
                seen += 1
            if len(self.trace) >= len(wanted):
                break
            event, by = wanted[len(self.trace)]
            try:
                if isinstance(event, Chance):
                    self.fall(event.outcome, by)
                elif event.player != self.state.current_player:
                    raise RecordError(f"event {len(self.trace) + 1}: {event.text!r} is not this player's turn")
                else:
                    self.play(event.action, by)
            except (IllegalActionError, GameOverError) as error:
                raise RecordError(f"event {len(self.trace) + 1}: {error}") from error
        self.version = version

    # Taking back

    def undoable(self, by: str) -> int | None:
        """Return the number of the step that a browser may take back, or None.

        That is its last decision, where no die was rolled and nobody else decided since (an agent's answer goes with it). A die that it has
        told by hand can be put right as long as nothing followed.
        """
        for number in range(len(self.steps) - 1, -1, -1):
            step = self.steps[number]
            if step.chance:
                return number if step.by == by and number == len(self.steps) - 1 else None
            if step.by == by:
                return number
            if step.by:
                return None
        return None

    def undo(self, by: str) -> Step:
        """Take back; see `undoable`.

        Raises:
            IllegalActionError: there is nothing to take back.
        """
        number = self.undoable(by)
        if number is None:
            raise IllegalActionError("there is nothing to take back: a die was rolled or somebody else decided since")
        step = self.steps[number]
        trace = self.trace[: step.first]
        self.state = self.positions[number]
        self.state.trace = trace
        del self.steps[number:], self.positions[number:], self.told[step.first :]
        self.version += 1
        self.epoch += 1
        self.problem = None
        return step
