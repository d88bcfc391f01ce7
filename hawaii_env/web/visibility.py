"""Visibility of a game on the server: which events a viewer may know, and their counts.

In a game that hides nothing everybody gets everything, and the counters are the table's. In one that hides something,
how many events there were, and how often the game was changed, would tell what others have entered: there each viewer
has counters of their own.
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
    """The last things that viewers of a table had seen."""

    epoch: int
    events: tuple[tuple[int, Event], ...]


class Visibility:
    """A table as some viewer sees it.

    Args:
        table: the table.
        seats: the viewer's seats; a seat without a player does not count. Without any, the viewer knows what
            everybody knows.

    Attributes:
        player: whose knowledge is shown: who decides, if that is one of the seats, else the first of them, else
            SPECTATOR.
    """

    def __init__(self, table: Table, seats: Sequence[int]) -> None:
        self.table = table
        self.seats: tuple[int, ...] = tuple(sorted(seat for seat in seats if seat < table.game.num_players))
        deciding = [seat for seat in table.deciders if seat in self.seats]
        self.player: int = (deciding or self.seats or (SPECTATOR,))[0]
        self._own = deciding
        # What others choose at the same time is no news until all have chosen.
        counted = not hides(table.game) and table.game.dynamics == "sequential"
        self._seen = None if counted else self._update()

    def _update(self) -> Seen:
        table, players = self.table, self.seats or (SPECTATOR,)
        state, trace = table.state, table.trace
        numbers = {id(event) for player in players for event in visible(trace, state, player)}
        events = tuple((n, event) for n, event in enumerate(trace) if id(event) in numbers)
        before: Seen | None = table.seen.get(self.seats)
        if before is None:
            # Pages that knew an earlier server draw everything anew.
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
        """Counts what was taken back or shown afterwards: a page that has seen another one draws everything anew."""
        return self.table.epoch if self._seen is None else self._seen.epoch

    @property
    def version(self) -> int:
        """Differs where the viewer has news."""
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
            # Headings of events that are not shown stand above the next that is.
            waiting |= {key: line[key] for key in ("chapter", "heading") if line[key] is not None}
            if n in shown:
                shown_lines.append({**line, **waiting, "n": len(shown_lines) + 1})
                waiting = {}
        return shown_lines

    def reached(self, n: int) -> int:
        """Return how many events of the table there were after n of the viewer's."""
        if n >= self.count:
            return len(self.table.trace)
        if self._seen is None:
            return n
        return self._seen.events[n - 1][0] + 1 if n else 0

    def position(self, n: int) -> State:
        """Return the position after n of the events."""
        return self.table.position(self.reached(n))
