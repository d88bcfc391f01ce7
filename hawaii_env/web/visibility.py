"""Visibility of events on the server: which events a viewer may know, and how many there are.

In a game without hidden information all viewers see all events, and use the table's counters. In a game with hidden
information the number of events and of changes would reveal what others have entered, so each viewer has separate
counters.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hawaii_env.game import SPECTATOR, Event, State
from hawaii_env.records import visible
from hawaii_env.web.steps import hides
from hawaii_env.web.table import Table

__all__ = ["Seen", "Visibility"]


@dataclass(frozen=True)
class Seen:
    """Events that a viewer of a table had seen at the last request."""

    epoch: int
    events: tuple[tuple[int, Event], ...]


class Visibility:
    """A table as a viewer sees it.

    Args:
        table: the table.
        seats: seats of the viewer; those of spectators are ignored. A viewer without a seat knows what everybody knows.

    Attributes:
        player: player whose knowledge is shown: the player to act if it is one of `seats`, else the first of `seats`,
            else SPECTATOR.
    """

    def __init__(self, table: Table, seats: Sequence[int]) -> None:
        self.table = table
        self.seats: tuple[int, ...] = tuple(sorted(seat for seat in seats if seat < table.game.num_players))
        deciding = [seat for seat in table.deciders if seat in self.seats]
        self.player: int = (deciding or self.seats or (SPECTATOR,))[0]
        self._own = deciding
        # Choices in a simultaneous turn are not shown until all players have chosen.
        counted = not hides(table.game) and table.game.dynamics == "sequential"
        self._seen = None if counted else self._update()

    def _update(self) -> Seen:
        table, players = self.table, self.seats or (SPECTATOR,)
        state, trace = table.state, table.trace
        numbers = {id(event) for player in players for event in visible(trace, state, player)}
        events = tuple((n, event) for n, event in enumerate(trace) if id(event) in numbers)
        before: Seen | None = table.seen.get(self.seats)
        if before is None:
            # Pages from before a restart of the server must draw everything again.
            seen = Seen(secrets.randbelow(2**32) << 16, events)
        elif events[: len(before.events)] == before.events:
            seen = Seen(before.epoch, events)
        else:
            seen = Seen(before.epoch + 1, events)
        table.seen[self.seats] = seen
        return seen

    @property
    def count(self) -> int:
        """Return the number of events."""
        return len(self.table.trace) if self._seen is None else len(self._seen.events)

    @property
    def epoch(self) -> int:
        """Return the counter of undone or revealed events; a page with another value draws everything again."""
        return self.table.epoch if self._seen is None else self._seen.epoch

    @property
    def version(self) -> int:
        """Return a number that changes whenever the viewer's view changes."""
        if self._seen is None:
            return self.table.version
        table = self.table
        facts = [
            self._seen.epoch,
            self.count,
            table.problem,
            self._own,
            [table.turn(self.player), table.people_left(self.player), [table.entered(seat) for seat in self.seats]]
            if table.whole
            else bool(table.deciders),
            table.over,
            {**table.data, "pending": None, "since": None},
        ]
        return int.from_bytes(hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).digest()[:6])

    def events(self) -> list[Event]:
        """Return the events."""
        return self.table.trace if self._seen is None else [event for _, event in self._seen.events]

    def lines(self) -> list[dict[str, Any]]:
        """Return the entries of the events; see `GameLog.lines`."""
        lines = self.table.log.lines
        if self._seen is None:
            return lines
        shown_lines: list[dict[str, Any]] = []
        shown = {n for n, _ in self._seen.events}
        waiting: dict[str, Any] = {}
        for n, line in enumerate(lines):
            # Headings of hidden events move to the next event that is shown.
            waiting |= {key: line[key] for key in ("chapter", "heading") if line[key] is not None}
            if n in shown:
                shown_lines.append({**line, **waiting, "n": len(shown_lines) + 1})
                waiting = {}
        return shown_lines

    def reached(self, n: int) -> int:
        """Return the number of events of the table after n events of the viewer."""
        if n >= self.count:
            return len(self.table.trace)
        if self._seen is None:
            return n
        return self._seen.events[n - 1][0] + 1 if n else 0

    def position(self, n: int) -> State:
        """Return the position after n events of the viewer."""
        return self.table.position(self.reached(n))
