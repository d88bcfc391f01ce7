"""Writing game records [docs/records.md], and what of a game's events who may know.

A record holds outcomes, so it replays without a generator; the generator's state is never in it. The seed is (unless
``show_seed=False``): with it, whoever reads the record of a game *still going on* can roll its future dice, so leave it
out where players may read along.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from hawaii_env._arguments import check_kind, check_list, check_path, check_text
from hawaii_env._version import __version__
from hawaii_env.errors import OptionError, RecordError
from hawaii_env.game import Decision, Event, Game, Outcome, State, check_seed
from hawaii_env.records.form import FORMAT, VERSION, Agreement
from hawaii_env.texts import parse_json, show_value

__all__ = ["RecordWriter", "check_players", "ending", "visible"]


def check_players(players: object, game: Game) -> list[str] | None:
    """Return the names of who plays a game, one for each of its agents, or None. Raises OptionError."""
    if players is None:
        return None
    names = [check_text("players", name) for name in check_list("players", players)]
    if len(names) != game.num_players:
        raise OptionError(f"players: expected one name for each of {', '.join(game.agents)}, not {show_value(players)}")
    return names


def visible(events: Sequence[Event], state: State, player: int) -> list[Event]:
    """Return the events of a game that stands at `state` which `player` (an index or SPECTATOR) may know of now.

    Whoever shows a game that is going on, as a record, a log or a page, shows these. The file that a `RecordWriter`
    writes holds everything.
    """
    return [event for event in events if state.may_see(event, player)]


def _dump(data: Mapping[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(", ", ": "))


def event_line(number: int, event: Event) -> dict[str, Any]:
    """Return the line of an event that has a number."""
    if isinstance(event, Decision):
        return {
            "n": number,
            "event": "decision",
            "player": event.player,
            "action": event.action,
            "text": event.text,
            "forced": event.forced,
        }
    return {
        "n": number,
        "event": "chance",
        "kind": event.kind,
        "outcome": event.outcome,
        "text": event.text,
        "forced": event.forced,
    }


class RecordWriter:
    """Writes one game's record, a line an event, each on the disk before the next is played.

    Args:
        path: the file; it must not exist yet. Its folder is made.
        game: the game that is played.
        seed: the seed that the state was made with, or None if it is not known.
        players: who plays, one name a player; None if it is not known.
        start: the position that the game starts from, where that is not a new game.
        options: anything of JSON's types that the reader should know (clock, event, adapter).
        show_seed: False leaves the seed out, for games that players may read along.

    Raises:
        RecordError: the file exists or cannot be written, or there are more or fewer players than the game has.
        OptionError: an argument that cannot be.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        game: Game,
        *,
        seed: int | None = None,
        players: Sequence[str] | None = None,
        start: State | None = None,
        options: Mapping[str, Any] | None = None,
        show_seed: bool = True,
    ) -> None:
        self.path: Path = check_path("path", path)
        self.game: Game = check_kind("game", game, Game)
        self._events = 0
        self._decisions = 0
        self._seen = 0
        self._ended = False
        names = check_players(players, self.game)
        header = {
            "format": FORMAT,
            "version": VERSION,
            "game": game.name,
            "params": dict(game.params),
            "agents": list(game.agents),
            "players": names,
            "ruleset": {"name": game.ruleset_name, "hash": game.ruleset_hash},
            "action_table": game.action_table_hash,
            "seed": check_seed(seed) if show_seed and seed is not None else None,
            "start": None if start is None else parse_json(start.explicit().to_json(secrets=True)),
            "options": dict(check_kind("options", {} if options is None else options, Mapping)),
            "library": __version__,
        }
        try:
            parse_json(json.dumps(header, ensure_ascii=False, allow_nan=False))
        except (TypeError, ValueError, RecursionError) as error:
            raise OptionError(f"options: expected values of JSON's types: {error}") from None
        if os.path.lexists(self.path):
            raise RecordError(f"{self.path} exists; a record is never overwritten")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            # Stays open while the game continues; close() and the context manager end it.
            self._file: IO[str] | None = open(self.path, "x", encoding="utf-8", newline="\n")  # noqa: SIM115
        except OSError as error:
            raise RecordError(f"{self.path} cannot be written: {error.strerror}") from error
        self._write(header)

    @property
    def descriptor(self) -> int:
        """The descriptor of the open file."""
        if self._file is None:
            raise RecordError(f"{self.path} is closed")
        return self._file.fileno()

    def _write(self, data: Mapping[str, Any]) -> None:
        if self._file is None:
            raise RecordError(f"{self.path} is closed")
        try:
            self._file.write(_dump(data) + "\n")
            self._file.flush()
        except OSError as error:
            raise RecordError(f"{self.path} cannot be written: {error.strerror}") from error

    def add(self, event: Event) -> None:
        """Write one event."""
        self._events += 1
        if isinstance(event, Decision) and not event.forced:
            self._decisions += 1
        self._write(event_line(self._events, event))

    def update(self, state: State) -> None:
        """Write the events that the state's trace has gained since the last call.

        Raises:
            RecordError: the state has no trace.
        """
        trace = state.trace
        if trace is None:
            raise RecordError("the state is not traced: make it with initial_state(trace=True), or call start_trace()")
        while self._seen < len(trace):
            self.add(trace[self._seen])
            self._seen += 1

    def finish(self, state: State, agreement: Agreement | None = None) -> None:
        """Write what is left of a finished game and its result, and close the file.

        Args:
            state: the last position.
            agreement: how the players ended the game, where its rules have not.

        Raises:
            RecordError: the game is not over and nothing was agreed, or it is over and something was.
        """
        self.update(state)
        ended = ending(state, agreement)
        if ended is None:
            raise RecordError("the game is not over; stop() ends the record of a game that is broken off")
        outcome, returns = ended
        line: dict[str, Any] = {"event": "result"}
        if agreement is not None:
            line = {"event": "agreed", "kind": agreement.kind, "player": agreement.player}
        self._write(
            {
                **line,
                "winner": outcome.winner,
                "reason": outcome.reason,
                "returns": returns,
                "events": self._events,
                "decisions": self._decisions,
            }
        )
        self._ended = True
        self.close()

    def stop(self, reason: str) -> None:
        """Write that the game was broken off, and why, and close the file."""
        # An agent's error may hold half of a surrogate pair.
        reason = reason.encode("utf-8", "backslashreplace").decode()
        self._write({"event": "stopped", "reason": reason, "events": self._events, "decisions": self._decisions})
        self._ended = True
        self.close()

    def close(self) -> None:
        """Close the file. A record closed without a result reads as broken off."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def __enter__(self) -> RecordWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if error is None:
            self.close()
            return
        with contextlib.suppress(RecordError, OSError):  # the error that ended the game says more
            if not self._ended and self._file is not None:
                self.stop(f"{type(error).__name__}: {error}")
            self.close()


def ending(state: State, agreement: Agreement | None = None) -> tuple[Outcome, list[float]] | None:
    """Return how a game ended, and each player's result; None if it continues.

    Args:
        state: the last position.
        agreement: what the players agreed on, or None.

    Raises:
        RecordError: the game is over by its rules, and yet something was agreed.
    """
    outcome = state.outcome()
    if agreement is None:
        return None if outcome is None else (outcome, [float(value) for value in state.returns()])
    if outcome is not None:
        raise RecordError(f"the game is over by its rules ({outcome.reason}): nothing is left to be agreed")
    return agreement.outcome, agreement.returns
