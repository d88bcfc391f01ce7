"""The games on disk: one SQLite file, written as the games go.

Of a game its settings and its events are kept; a position is made again by playing them. Browsers and invitations are kept as digests,
so that the file gives nobody a seat.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from hawaii_env.errors import HawaiiError
from hawaii_env.game import Chance, Decision, Event

__all__ = ["GameRow", "Store", "StoreError", "digest", "event_of", "line_of", "token"]

VERSION = 1

_SCHEMA = """
CREATE TABLE IF NOT EXISTS sessions (session TEXT PRIMARY KEY, created REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS games (
    id TEXT PRIMARY KEY, created REAL NOT NULL, updated REAL NOT NULL, version INTEGER NOT NULL, epoch INTEGER NOT NULL,
    over INTEGER NOT NULL, data TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS events (
    game TEXT NOT NULL REFERENCES games ON DELETE CASCADE, n INTEGER NOT NULL, line TEXT NOT NULL, by TEXT NOT NULL,
    PRIMARY KEY (game, n)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS members (
    game TEXT NOT NULL REFERENCES games ON DELETE CASCADE, seat INTEGER NOT NULL, session TEXT NOT NULL, PRIMARY KEY (game, seat)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS members_session ON members (session);
CREATE TABLE IF NOT EXISTS invitations (
    invitation TEXT PRIMARY KEY, game TEXT NOT NULL REFERENCES games ON DELETE CASCADE, seat INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS saves (
    id TEXT PRIMARY KEY, session TEXT NOT NULL, name TEXT NOT NULL, created REAL NOT NULL, data TEXT NOT NULL, events TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS saves_session ON saves (session);
"""


class StoreError(HawaiiError, OSError):
    """The database cannot be opened or is another program's."""


def token() -> str:
    """Return 256 random bits as text: nobody guesses it."""
    return secrets.token_urlsafe(32)


def digest(text: str) -> str:
    """Return the digest that stands for a token in the database."""
    return hashlib.sha256(text.encode()).hexdigest()


def line_of(event: Event) -> str:
    """Return an event as it is stored."""
    if isinstance(event, Decision):
        return json.dumps(["d", event.player, event.action, event.text, event.forced])
    return json.dumps(["c", event.kind, event.outcome, event.text, event.forced])


def event_of(line: str) -> Event:
    """Return a stored event."""
    kind, *rest = json.loads(line)
    return Decision(*rest) if kind == "d" else Chance(*rest)


@dataclass(frozen=True)
class GameRow:
    """A stored game.

    Attributes:
        id: its id.
        created: when it began, seconds since 1970; `updated`: when it last went on.
        updated: see `created`.
        version: counts every change.
        epoch: counts what was taken back.
        over: True when it is finished.
        data: its settings.
    """

    id: str
    created: float
    updated: float
    version: int
    epoch: int
    over: bool
    data: dict[str, Any]


class Store:
    """The database. All calls may come from any thread.

    Args:
        path: the file, or ``":memory:"``.

    Raises:
        StoreError: the file cannot be opened, is no database or a newer one.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._lock = threading.RLock()
        try:
            self._db = sqlite3.connect(path, check_same_thread=False, timeout=10, isolation_level=None)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.execute("PRAGMA foreign_keys=ON")
            found = self._db.execute("PRAGMA user_version").fetchone()[0]
            if found not in (0, VERSION):
                raise StoreError(f"{path}: a database of version {found}; this server reads version {VERSION}")
            self._db.executescript(_SCHEMA)
            self._db.execute(f"PRAGMA user_version={VERSION}")
        except sqlite3.Error as error:
            raise StoreError(f"{path}: the database of games cannot be opened: {error}") from error

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

    def _all(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        with self._lock:
            return self._db.execute(sql, values).fetchall()

    def _do(self, statements: Iterable[tuple[str, tuple[Any, ...]]]) -> None:
        with self._lock:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                for sql, values in statements:
                    self._db.execute(sql, values)
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    # Browsers

    def add_session(self) -> str:
        """Return a new browser's token."""
        made = token()
        self._do([("INSERT INTO sessions VALUES (?, ?)", (digest(made), time.time()))])
        return made

    def has_session(self, session: str) -> bool:
        """Whether a digest is a known browser's."""
        return bool(self._all("SELECT 1 FROM sessions WHERE session = ?", session))

    # Games

    def add_game(self, game: str, data: dict[str, Any], members: Iterable[tuple[int, str]]) -> None:
        """Store a new game with its members: seat and browser's digest."""
        now = time.time()
        self._do(
            [
                ("INSERT INTO games VALUES (?, ?, ?, 0, 0, 0, ?)", (game, now, now, json.dumps(data))),
                *(("INSERT INTO members VALUES (?, ?, ?)", (game, seat, session)) for seat, session in members),
            ]
        )

    def write(
        self, game: str, version: int, epoch: int, over: bool, keep: int, events: Iterable[tuple[Event, str]]
    ) -> None:
        """Store a game's progress.

        Args:
            game: its id.
            version: its version, and `epoch`, from now on.
            epoch: see `version`.
            over: whether it is finished.
            keep: events that stay; those after them go.
            events: events that follow, each with the digest of the browser that made it, or nothing.
        """
        rows = [(game, n, line_of(event), by) for n, (event, by) in enumerate(events, keep + 1)]
        self._do(
            [
                ("DELETE FROM events WHERE game = ? AND n > ?", (game, keep)),
                *(("INSERT INTO events VALUES (?, ?, ?, ?)", row) for row in rows),
                (
                    "UPDATE games SET version = ?, epoch = ?, over = ?, updated = ? WHERE id = ?",
                    (version, epoch, int(over), time.time(), game),
                ),
            ]
        )

    def set_data(self, game: str, data: dict[str, Any]) -> None:
        """Store a game's settings anew."""
        self._do([("UPDATE games SET data = ? WHERE id = ?", (json.dumps(data), game))])

    def game(self, game: str) -> GameRow | None:
        """Return a game's row, or None."""
        rows = self._all("SELECT id, created, updated, version, epoch, over, data FROM games WHERE id = ?", game)
        return _row(rows[0]) if rows else None

    def events(self, game: str) -> list[tuple[Event, str]]:
        """Return a game's events, each with who made it."""
        rows = self._all("SELECT line, by FROM events WHERE game = ? ORDER BY n", game)
        return [(event_of(line), by) for line, by in rows]

    def games_of(self, session: str) -> list[GameRow]:
        """Return a browser's games, the last played first."""
        rows = self._all(
            "SELECT DISTINCT g.id, g.created, g.updated, g.version, g.epoch, g.over, g.data FROM games g "
            "JOIN members m ON m.game = g.id WHERE m.session = ? ORDER BY g.updated DESC LIMIT 500",
            session,
        )
        return [_row(row) for row in rows]

    def seats_of(self, game: str, session: str) -> list[int]:
        """Return the seats of a browser in a game; a watcher's is none of the players'. Empty: it has no business there."""
        return [seat for (seat,) in self._all("SELECT seat FROM members WHERE game = ? AND session = ?", game, session)]

    def taken(self, game: str) -> set[int]:
        """Return the seats of a game that somebody has."""
        return {seat for (seat,) in self._all("SELECT seat FROM members WHERE game = ?", game)}

    def leave(self, game: str, session: str) -> bool:
        """Take a browser out of a game; return True where nobody was left and the game is gone."""
        with self._lock:
            self._do([("DELETE FROM members WHERE game = ? AND session = ?", (game, session))])
            if self.taken(game):
                return False
            self._do([("DELETE FROM games WHERE id = ?", (game,))])
            return True

    def prune(self, most: int) -> list[str]:
        """Delete games above this number, finished ones first, the longest idle first; return their ids."""
        (count,) = self._all("SELECT COUNT(*) FROM games")[0]
        if count <= most:
            return []
        rows = self._all("SELECT id FROM games ORDER BY over DESC, updated LIMIT ?", count - most)
        self._do(("DELETE FROM games WHERE id = ?", row) for row in rows)
        return [game for (game,) in rows]

    # Invitations

    def invite(self, game: str, seat: int) -> str:
        """Return a new invitation to a seat; an earlier one ends."""
        made = token()
        self._do(
            [
                ("DELETE FROM invitations WHERE game = ? AND seat = ?", (game, seat)),
                ("INSERT INTO invitations VALUES (?, ?, ?)", (digest(made), game, seat)),
            ]
        )
        return made

    def accept(self, invitation: str, session: str) -> str | None:
        """Give the seat of an invitation, which is used up by it; return the game's id, or None where there is no such invitation."""
        with self._lock:
            rows = self._all("SELECT game, seat FROM invitations WHERE invitation = ?", digest(invitation))
            if not rows:
                return None
            game, seat = rows[0]
            if not self.seats_of(game, session):
                self._do(
                    [
                        ("DELETE FROM invitations WHERE game = ? AND seat = ?", (game, seat)),
                        ("INSERT INTO members VALUES (?, ?, ?)", (game, seat, session)),
                    ]
                )
            return game

    # Saves

    def add_save(self, session: str, name: str, data: dict[str, Any], events: Iterable[tuple[Event, str]]) -> str:
        """Store a copy of a game under a name; return its id."""
        made = token()
        lines = json.dumps([[line_of(event), by] for event, by in events])
        self._do(
            [
                (
                    "INSERT INTO saves VALUES (?, ?, ?, ?, ?, ?)",
                    (made, session, name, time.time(), json.dumps(data), lines),
                )
            ]
        )
        return made

    def saves_of(self, session: str) -> list[dict[str, Any]]:
        """Return a browser's saves, the newest first: ``id``, ``name``, ``created``, ``data``."""
        rows = self._all(
            "SELECT id, name, created, data FROM saves WHERE session = ? ORDER BY created DESC LIMIT 500", session
        )
        return [{"id": i, "name": name, "created": at, "data": json.loads(data)} for i, name, at, data in rows]

    def save(self, save: str, session: str) -> tuple[dict[str, Any], list[tuple[Event, str]]] | None:
        """Return a browser's save: settings and events; None where it has no such save."""
        rows = self._all("SELECT data, events FROM saves WHERE id = ? AND session = ?", save, session)
        if not rows:
            return None
        return json.loads(rows[0][0]), [(event_of(line), by) for line, by in json.loads(rows[0][1])]

    def drop_save(self, save: str, session: str) -> None:
        """Delete a browser's save."""
        self._do([("DELETE FROM saves WHERE id = ? AND session = ?", (save, session))])


def _row(row: tuple[Any, ...]) -> GameRow:
    game, created, updated, version, epoch, over, data = row
    return GameRow(game, created, updated, version, epoch, bool(over), json.loads(data))
