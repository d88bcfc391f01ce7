"""Database of the games: one SQLite file, written as the games are played.

A game is stored as its settings and its events; its position is rebuilt by playing them. Browsers and invitations are
stored as digests, so that the file gives nobody access to a seat.

One file: one database and its statements.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import re
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from hawaii_env.core.locks import try_lock
from hawaii_env.errors import HawaiiError
from hawaii_env.game import Chance, Decision, Event
from hawaii_env.texts import parse_json, show

__all__ = [
    "WATCHER",
    "GameRow",
    "Store",
    "StoreBusy",
    "StoreConflict",
    "StoreError",
    "StoreFull",
    "digest",
    "event_of",
    "line_of",
    "now",
    "token",
]

_log = logging.getLogger(__name__)

VERSION = 4
DAY = 86400.0

WATCHER = 99
"""Seat of a person who started a game between agents; people who watch through a link have higher ones."""

MESSAGES = 200
"""Most messages of a game that are kept."""

RESULTS = 256 * 1024**2
"""Most bytes of curves and replay pages that are kept; beyond it the oldest are deleted."""

_MAGIC = b"SQLite format 3\0"
"""First bytes of a database; an empty file counts as a database, too."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS sessions (session TEXT PRIMARY KEY, created REAL NOT NULL, seen REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS games (
    id TEXT PRIMARY KEY, created REAL NOT NULL, updated REAL NOT NULL, version INTEGER NOT NULL, epoch INTEGER NOT NULL,
    over INTEGER NOT NULL, data TEXT NOT NULL, due REAL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS events (
    game TEXT NOT NULL REFERENCES games ON DELETE CASCADE, n INTEGER NOT NULL, line TEXT NOT NULL, by TEXT NOT NULL,
    PRIMARY KEY (game, n)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS members (
    game TEXT NOT NULL REFERENCES games ON DELETE CASCADE, seat INTEGER NOT NULL, session TEXT NOT NULL,
    PRIMARY KEY (game, seat)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS members_session ON members (session);
CREATE TABLE IF NOT EXISTS invitations (
    invitation TEXT PRIMARY KEY, game TEXT NOT NULL REFERENCES games ON DELETE CASCADE, seat INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS messages (
    game TEXT NOT NULL REFERENCES games ON DELETE CASCADE, at REAL NOT NULL, seat INTEGER NOT NULL, by TEXT NOT NULL,
    to_seat INTEGER, to_whom TEXT, text TEXT NOT NULL, PRIMARY KEY (game, at)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS mutes (
    game TEXT NOT NULL REFERENCES games ON DELETE CASCADE, session TEXT NOT NULL, other TEXT NOT NULL,
    PRIMARY KEY (game, session, other)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS saves (
    id TEXT PRIMARY KEY, session TEXT NOT NULL, name TEXT NOT NULL, created REAL NOT NULL, data TEXT NOT NULL,
    events TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS saves_session ON saves (session);
CREATE TABLE IF NOT EXISTS results (
    game TEXT NOT NULL REFERENCES games ON DELETE CASCADE, what TEXT NOT NULL, made REAL NOT NULL,
    size INTEGER NOT NULL, result TEXT NOT NULL, PRIMARY KEY (game, what)
);
"""


class StoreError(HawaiiError, OSError):
    """The database cannot be opened, read or written, or belongs to another program. Nothing has been written."""


class StoreBusy(StoreError):
    """Another program is writing to the database."""


class StoreConflict(StoreError):
    """The stored game differs from the one in the server's memory: another program has written to it."""


class StoreFull(StoreError):
    """The database is full: no new games can be stored; games in progress continue."""


def token() -> str:
    """Return 256 random bits as text."""
    return secrets.token_urlsafe(32)


def now() -> float:
    """Return the time in seconds since 1970."""
    return time.time()


def digest(text: str) -> str:
    """Return the digest that stands for a token in the database."""
    return hashlib.sha256(text.encode()).hexdigest()


def line_of(event: Event) -> str:
    """Return an event in its stored format."""
    if isinstance(event, Decision):
        return json.dumps(["d", event.player, event.action, event.text, event.forced])
    return json.dumps(["c", event.kind, event.outcome, event.text, event.forced])


def event_of(line: str) -> Event:
    """Parse a stored event."""
    kind, *rest = parse_json(line)
    return Decision(*rest) if kind == "d" else Chance(*rest)


@dataclass(frozen=True)
class GameRow:
    """A stored game.

    Attributes:
        id: id of the game.
        created: time of its start, in seconds since 1970.
        updated: time of its last change, in seconds since 1970.
        version: counter of changes.
        epoch: counter of undone steps.
        over: True if it is finished.
        data: settings of the game.
    """

    id: str
    created: float
    updated: float
    version: int
    epoch: int
    over: bool
    data: dict[str, Any]


class Store:
    """The database. Its methods may be called from any thread; none waits for other programs.

    A change is written completely or not at all: if a method raises `StoreError`, nothing has changed.

    Args:
        path: the file, or ``":memory:"``. No other server can open it until `close`, or until the process ends.

    Raises:
        StoreError: the file cannot be opened, is not a database, has another version, or is open in another server.
    """

    def __init__(self, path: str) -> None:
        self.path: str = show(path)
        self._given = path
        self._file: tuple[int, int] | None = None
        self._lock = threading.RLock()
        self._file_lock: IO[bytes] | None = None
        self._new_lock: str | None = None
        try:
            if path != ":memory:":
                self._claim(path)
            self._connect()
        except (sqlite3.Error, StoreError, OSError, ValueError) as error:
            if self._new_lock is not None:  # do not leave a lock beside a file that is not ours
                with contextlib.suppress(OSError):
                    os.unlink(self._new_lock)
            self.close()
            if isinstance(error, StoreError):
                raise
            reason = error.strerror if isinstance(error, OSError) and error.strerror else error
            raise StoreError(f"{self.path}: the database of games cannot be opened: {reason}") from error

    def _connect(self) -> None:
        # Do not wait for locks here: the whole server would wait. The caller tries again.
        self._db = sqlite3.connect(os.fsencode(self._given), check_same_thread=False, timeout=0, isolation_level=None)
        self._file = None
        self._prepare()
        if self._given != ":memory:":
            self._file = _identity(os.path.realpath(self._given))

    def _claim(self, path: str) -> None:
        """Lock the file, so that no other server uses it; create a missing one, readable by its owner only."""
        if not path:
            raise StoreError("the database of games has no name")
        real = os.path.realpath(path)
        if os.path.exists(real) and not os.path.isfile(real):
            raise StoreError(f"{self.path}: the database of games must be a regular file")
        try:
            os.makedirs(os.path.dirname(real), exist_ok=True)
        except OSError as error:
            raise StoreError(f"{self.path}: the folder of the database cannot be created: {error.strerror}") from error
        lock = f"{real}.lock"
        if not os.path.exists(
            lock
        ):  # then no server has the file open; closing one that is open would drop SQLite's locks
            self._check_file(real)
            self._new_lock = lock
        os.close(os.open(lock, os.O_RDWR | os.O_CREAT, 0o600))
        self._file_lock = try_lock(Path(lock))
        if self._file_lock is None:
            self._new_lock = None
            raise StoreError(f"{self.path}: another server has this database of games open")
        os.close(os.open(real, os.O_RDWR | os.O_CREAT, 0o600))

    def _check_file(self, real: str) -> None:
        """Raise `StoreError` if the file is not a database, before anything is created beside it."""
        if os.path.exists(real):
            with open(real, "rb") as file:
                if file.read(len(_MAGIC)) not in (b"", _MAGIC):
                    raise StoreError(f"{self.path}: the file is not a database")

    def _prepare(self) -> None:
        do = self._db.execute
        found = do("PRAGMA user_version").fetchone()[0]
        if found not in (0, VERSION):
            raise StoreError(f"{self.path}: a database of version {found}; this server reads version {VERSION}")
        tables = {name for (name,) in do("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if found == 0 and not tables <= set(re.findall(r"TABLE IF NOT EXISTS (\w+)", _SCHEMA)):
            raise StoreError(f"{self.path}: this database belongs to another program")
        do("PRAGMA journal_mode=WAL")
        do("PRAGMA synchronous=NORMAL")
        do("PRAGMA foreign_keys=ON")
        with self._changing():
            for statement in _SCHEMA.split(";"):
                do(statement)
            do(f"PRAGMA user_version={VERSION}")

    def close(self) -> None:
        """Close the file, so that another server can open it."""
        with self._lock:
            if hasattr(self, "_db"):
                self._db.close()
            if self._file_lock is not None:
                self._file_lock.close()
                self._file_lock = None

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        """Raise SQLite's errors as `StoreError`."""
        try:
            yield
        except sqlite3.Error as error:
            # The low byte is the kind of error; the rest gives details.
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            kind = StoreBusy if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) else StoreError
            raise kind(f"{self.path}: {error}") from error

    @contextlib.contextmanager
    def _decoded(self) -> Iterator[None]:
        """Raise errors in the content of a row as `StoreError`."""
        try:
            yield
        except (TypeError, ValueError) as error:
            raise StoreError(f"{self.path}: a row is damaged: {error}") from error

    def _all(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        with self._lock, self._translated():
            return self._db.execute(sql, values).fetchall()

    def _see_file(self) -> None:
        """Check that the file is still there; if it was deleted, write it again from the open connection."""
        if self._file is None:
            return
        real = os.path.realpath(self._given)
        try:
            if _identity(real) == self._file:
                return
        except FileNotFoundError:
            pass
        except OSError as error:
            raise StoreError(f"{self.path}: the database cannot be found: {error.strerror}") from error
        else:
            raise StoreError(f"{self.path}: the database was replaced by another file; restart the server")
        _log.error("%s: the database was deleted while the server was running; writing it again", self.path)
        try:
            if self._file_lock is not None:
                self._file_lock.close()
            self._claim(self._given)
            for ending in ("-wal", "-shm"):
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(real + ending)
            with contextlib.closing(sqlite3.connect(os.fsencode(real))) as anew:
                self._db.backup(anew)
            self._db.close()
            self._connect()
        except OSError as error:
            raise StoreError(f"{self.path}: the database was deleted, and cannot be written again: {error}") from error

    @contextlib.contextmanager
    def _changing(self) -> Iterator[Callable[..., sqlite3.Cursor]]:
        """Open a transaction: all of it is written, or nothing."""
        with self._lock, self._translated():
            self._see_file()
        with self._lock, self._translated(), self._db:
            self._db.execute("BEGIN IMMEDIATE")
            yield self._db.execute

    def size(self) -> int:
        """Return the bytes that the database uses, without those of deleted rows."""
        pages, free, page = (
            self._all(f"PRAGMA {name}")[0][0] for name in ("page_count", "freelist_count", "page_size")
        )
        return (pages - free) * page

    # Browsers

    def session_seen(self, session: str) -> float | None:
        """Return when a browser was last seen, in seconds since 1970, by its digest; None if it is not known."""
        found = self._all("SELECT seen FROM sessions WHERE session = ?", session)
        return found[0][0] if found else None

    def touch_session(self, session: str) -> None:
        """Record that a browser was seen now."""
        with self._changing() as do:
            # Keep the later time, in case the clock was set back, as on a machine that has just booted.
            do("UPDATE sessions SET seen = MAX(seen, ?) WHERE session = ?", (now(), session))

    def end_sessions(self, sessions: Iterable[str]) -> list[str]:
        """Forget browsers with their seats and saves. Delete games without members, and return their ids."""
        gone: list[str] = []
        with self._changing() as do:
            for session in sessions:
                do("DELETE FROM saves WHERE session = ?", (session,))
                do("DELETE FROM sessions WHERE session = ?", (session,))
                games = [game for (game,) in do("SELECT DISTINCT game FROM members WHERE session = ?", (session,))]
                do("DELETE FROM members WHERE session = ?", (session,))
                gone += self._drop_empty(do, games)
        return gone

    def idle_sessions(self, before: float) -> list[str]:
        """Return the browsers not seen since a time, and those without games and saves not seen for a day."""
        found = self._all(
            "SELECT session FROM sessions s WHERE seen < ? OR seen < ? AND NOT EXISTS (SELECT 1 FROM members m WHERE "
            "m.session = s.session) AND NOT EXISTS (SELECT 1 FROM saves v WHERE v.session = s.session)",
            before, now() - DAY,
        )  # fmt: skip
        return [session for (session,) in found]

    def games_with(self, session: str) -> list[str]:
        """Return the ids of a browser's games."""
        return [game for (game,) in self._all("SELECT DISTINCT game FROM members WHERE session = ?", session)]

    @staticmethod
    def _drop_empty(do: Callable[..., sqlite3.Cursor], games: Iterable[str]) -> list[str]:
        """Delete those of some games that have no members left except spectators who came through a link."""
        left = "SELECT 1 FROM members WHERE game = games.id AND seat <= ?"
        empty = f"DELETE FROM games WHERE id = ? AND NOT EXISTS ({left})"
        return [game for game in games if do(empty, (game, WATCHER)).rowcount]

    @staticmethod
    def _seat(do: Callable[..., sqlite3.Cursor], game: str, seat: int, session: str) -> None:
        seen = now()
        do("INSERT OR IGNORE INTO sessions VALUES (?, ?, ?)", (session, seen, seen))
        do("INSERT INTO members VALUES (?, ?, ?)", (game, seat, session))

    # Games

    def add_game(
        self,
        game: str,
        data: dict[str, Any],
        members: Iterable[tuple[int, str]],
        *,
        most: int,
        version: int = 0,
        over: bool = False,
        events: Iterable[tuple[Event, str]] = (),
        guests: Sequence[int] = (),
    ) -> tuple[dict[int, str], list[str]]:
        """Store a new game.

        If the server has too many, delete finished games, the longest idle first, then games idle for a day in which no
        person has decided anything.

        Args:
            game: id of the game.
            data: settings of the game.
            members: seats, each with the digest of its browser; a browser that is new is stored, too.
            most: number of games that the server may have.
            version: version of the game.
            over: True if it is finished.
            events: previous events, each with the digest of the browser that made it, or "".
            guests: seats that somebody is invited to; no time runs before all of them have come.

        Returns:
            The invitations by seat, and the ids of the deleted games.

        Raises:
            StoreFull: there are too many games, and none may be deleted.
        """
        began = now()
        invitations = {seat: token() for seat in guests}
        with self._changing() as do:
            gone = self._make_room(do, most - 1)
            row = (game, began, began, version, int(over), json.dumps(data))
            do("INSERT INTO games VALUES (?, ?, ?, ?, 0, ?, ?, NULL)", row)
            for seat, session in members:
                self._seat(do, game, seat, session)
            self._add_events(do, game, 0, events)
            for seat, made in invitations.items():
                do("INSERT INTO invitations VALUES (?, ?, ?)", (digest(made), game, seat))
        return invitations, gone

    @staticmethod
    def _make_room(do: Callable[..., sqlite3.Cursor], most: int) -> list[str]:
        too_many = do("SELECT COUNT(*) FROM games").fetchone()[0] - most
        if too_many <= 0:
            return []
        gone = do(
            "SELECT id FROM games g WHERE over OR updated < ? AND NOT EXISTS "
            "(SELECT 1 FROM events e WHERE e.game = g.id AND e.by != '') ORDER BY over DESC, updated LIMIT ?",
            (now() - DAY, too_many),
        ).fetchall()
        if len(gone) < too_many:
            raise StoreFull(f"this server has {most + 1} games, and accepts no more")
        for row in gone:
            do("DELETE FROM games WHERE id = ?", row)
        return [game for (game,) in gone]

    @staticmethod
    def _add_events(
        do: Callable[..., sqlite3.Cursor], game: str, keep: int, events: Iterable[tuple[Event, str]]
    ) -> None:
        for n, (event, by) in enumerate(events, keep + 1):
            do("INSERT INTO events VALUES (?, ?, ?, ?)", (game, n, line_of(event), by))

    def write(
        self,
        game: str,
        version: int,
        epoch: int,
        over: bool,
        keep: int,
        events: Iterable[tuple[Event, str]],
        data: dict[str, Any] | None = None,
        was: int | None = None,
        public: bool = True,
        due: float | None = None,
    ) -> None:
        """Store a game's progress.

        Args:
            game: id of the game.
            version: new version of the game.
            epoch: new epoch of the game.
            over: True if it is finished.
            keep: number of events that stay; later ones are deleted.
            events: new events, each with the digest of the browser that made it, or "".
            data: settings of the game, if they have changed.
            was: expected version in the database; None skips the check.
            public: True if the change may be visible to everybody, as the time of the last update is.
            due: time at which somebody runs out of time, or None.

        Raises:
            StoreConflict: the game was deleted, or its stored version is not `was`.
        """
        with self._changing() as do:
            do("DELETE FROM events WHERE game = ? AND n > ?", (game, keep))
            stored = do("SELECT COALESCE(MAX(n), 0) FROM events WHERE game = ?", (game,)).fetchone()[0]
            changed = do(
                "UPDATE games SET version = ?, epoch = ?, over = ?, updated = COALESCE(?, updated), due = ? "
                "WHERE id = ? AND version = COALESCE(?, version)",
                (version, epoch, int(over), now() if public else None, due, game, was),
            ).rowcount
            if stored != keep or changed != 1:
                raise StoreConflict(f"{self.path}: the game was changed by somebody else")
            if data is not None:
                do("UPDATE games SET data = ? WHERE id = ?", (json.dumps(data), game))
            self._add_events(do, game, keep, events)

    def due(self) -> list[str]:
        """Return the games in which somebody has run out of time."""
        return [game for (game,) in self._all("SELECT id FROM games WHERE due <= ?", now())]

    def set_due(self, game: str, due: float | None) -> None:
        """Store the time at which somebody in a game runs out of time, or None."""
        with self._changing() as do:
            do("UPDATE games SET due = ? WHERE id = ?", (due, game))

    def game(self, game: str) -> GameRow | None:
        """Return a game's row, or None."""
        rows = self._all("SELECT id, created, updated, version, epoch, over, data FROM games WHERE id = ?", game)
        with self._decoded():
            return _row(rows[0]) if rows else None

    def events(self, game: str) -> list[tuple[Event, str]]:
        """Return a game's events, each with the digest of the browser that made it."""
        rows = self._all("SELECT line, by FROM events WHERE game = ? ORDER BY n", game)
        with self._decoded():
            return [(event_of(line), by) for line, by in rows]

    def games_of(self, session: str) -> list[GameRow]:
        """Return a browser's games, the most recently played first."""
        rows = self._all(
            "SELECT DISTINCT g.id, g.created, g.updated, g.version, g.epoch, g.over, g.data FROM games g "
            "JOIN members m ON m.game = g.id WHERE m.session = ? ORDER BY g.updated DESC, g.created DESC LIMIT 500",
            session,
        )
        with self._decoded():
            return [_row(row) for row in rows]

    def seats_of(self, game: str, session: str) -> list[int]:
        """Return a browser's seats in a game, also as a spectator; an empty list means no access."""
        return [seat for (seat,) in self._all("SELECT seat FROM members WHERE game = ? AND session = ?", game, session)]

    def members(self, game: str) -> dict[int, str]:
        """Return the occupied seats of a game, with the digests of their browsers."""
        return dict(self._all("SELECT seat, session FROM members WHERE game = ?", game))  # pyright: ignore[reportArgumentType]

    def taken(self, game: str) -> set[int]:
        """Return the occupied seats of a game."""
        return set(self.members(game))

    def leave(self, game: str, session: str) -> bool:
        """Remove a browser from a game; return True if the game was deleted because nobody is left."""
        with self._changing() as do:
            do("DELETE FROM members WHERE game = ? AND session = ?", (game, session))
            return bool(self._drop_empty(do, [game]))

    # Invitations

    def invite(self, game: str, seat: int) -> str:
        """Return a new invitation to a seat, which replaces an earlier one."""
        made = token()
        with self._changing() as do:
            do("DELETE FROM invitations WHERE game = ? AND seat = ?", (game, seat))
            do("INSERT INTO invitations VALUES (?, ?, ?)", (digest(made), game, seat))
        return made

    def uninvite(self, game: str, seat: int) -> None:
        """Delete the invitation to a seat."""
        with self._changing() as do:
            do("DELETE FROM invitations WHERE game = ? AND seat = ?", (game, seat))

    def accept(self, invitation: str, session: str, watchers: int) -> tuple[str, list[int]] | None:
        """Give a browser the seat of an invitation. Return the game's id and the seats given, which are none if the
        browser had one already; None if the invitation is not valid. An invitation to play is used up.

        Raises:
            StoreFull: too many people watch the game already.
        """
        with self._lock:
            rows = self._all("SELECT game, seat FROM invitations WHERE invitation = ?", digest(invitation))
            if not rows:
                return None
            game, seat = rows[0]
            if self.seats_of(game, session):
                return game, []
            with self._changing() as do:
                if seat == WATCHER:
                    taken = self.taken(game)
                    if sum(one > WATCHER for one in taken) >= watchers:
                        raise StoreFull(f"{watchers} people watch this game, and no more can join")
                    seat = max({WATCHER, *taken}) + 1
                else:
                    do("DELETE FROM invitations WHERE game = ? AND seat = ?", (game, seat))
                self._seat(do, game, seat, session)
            return game, [seat]

    # Chat

    def add_message(self, game: str, seat: int, by: str, to_seat: int | None, to: str | None, text: str) -> None:
        """Store a message to all, or to the browser that has a seat."""
        with self._changing() as do:
            last = do("SELECT COALESCE(MAX(at), 0) FROM messages WHERE game = ?", (game,)).fetchone()[0]
            row = (game, max(now(), last + 1e-3), seat, by, to_seat, to, text)
            do("INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?, ?)", row)
            newest = "SELECT at FROM messages WHERE game = ? ORDER BY at DESC LIMIT 1 OFFSET ?"
            do(f"DELETE FROM messages WHERE game = ? AND at <= ({newest})", (game, game, MESSAGES))

    def messages(self, game: str, session: str, after: float) -> list[dict[str, Any]]:
        """Return messages since a time that are public, or to or from a browser, without those of browsers it has
        muted.
        """
        rows = self._all(
            "SELECT at, seat, by, to_seat, text FROM messages WHERE game = ? AND at > ? AND (to_whom IS NULL OR ? IN "
            "(by, to_whom)) AND by NOT IN (SELECT other FROM mutes WHERE game = ? AND session = ?) ORDER BY at",
            game, after, session, game, session,
        )  # fmt: skip
        return [
            {"at": at, "seat": seat, "you": by == session, "to": to, "text": text} for at, seat, by, to, text in rows
        ]

    def mute(self, game: str, session: str, other: str, on: bool) -> None:
        """Mute another browser for a browser, or unmute it."""
        with self._changing() as do:
            do("DELETE FROM mutes WHERE game = ? AND session = ? AND other = ?", (game, session, other))
            if on:
                do("INSERT INTO mutes VALUES (?, ?, ?)", (game, session, other))

    def muted(self, game: str, session: str) -> set[str]:
        """Return the browsers that a browser has muted."""
        return {
            other for (other,) in self._all("SELECT other FROM mutes WHERE game = ? AND session = ?", game, session)
        }

    # Results of analyses

    def result(self, game: str, what: str) -> dict[str, Any] | None:
        """Return the result of an analysis of a game; None if there is none."""
        rows = self._all("SELECT result FROM results WHERE game = ? AND what = ?", game, what)
        with self._decoded():
            return parse_json(rows[0][0]) if rows else None

    def add_result(self, game: str, what: str, result: dict[str, Any]) -> None:
        """Store the result of an analysis of a game, if the game still exists."""
        text = json.dumps(result)
        with self._changing() as do:
            do(
                "INSERT OR REPLACE INTO results SELECT ?, ?, ?, ?, ? WHERE EXISTS (SELECT 1 FROM games WHERE id = ?)",
                (game, what, now(), len(text), text, game),
            )
            for (row,) in do(
                "SELECT row FROM (SELECT rowid AS row, SUM(size) OVER (ORDER BY made DESC, rowid DESC) AS newer FROM "
                "results) WHERE newer > ?",
                (RESULTS,),
            ).fetchall():
                do("DELETE FROM results WHERE rowid = ?", (row,))

    # Saves

    def add_save(
        self, session: str, name: str, data: dict[str, Any], events: Iterable[tuple[Event, str]], most: int
    ) -> str:
        """Store a copy of a game under a name; return its id.

        Raises:
            StoreFull: all browsers together have `most` saves.
        """
        made = token()
        lines = json.dumps([[line_of(event), by] for event, by in events])
        with self._changing() as do:
            if do("SELECT COUNT(*) FROM saves").fetchone()[0] >= most:
                raise StoreFull(f"this server has {most} saved games, and accepts no more")
            do(
                "INSERT INTO saves VALUES (?, ?, ?, ?, ?, ?)",
                (made, session, name, now(), json.dumps(data), lines),
            )
        return made

    def saves_of(self, session: str) -> list[dict[str, Any]]:
        """Return a browser's saves, newest first: ``id``, ``name``, ``created``, ``data``."""
        rows = self._all(
            "SELECT id, name, created, data FROM saves WHERE session = ? ORDER BY created DESC LIMIT 500",
            session,
        )
        with self._decoded():
            return [{"id": i, "name": name, "created": at, "data": parse_json(data)} for i, name, at, data in rows]

    def save(self, save: str, session: str) -> tuple[dict[str, Any], list[tuple[Event, str]]] | None:
        """Return the settings and events of a browser's save; None if it has no such save."""
        rows = self._all("SELECT data, events FROM saves WHERE id = ? AND session = ?", save, session)
        if not rows:
            return None
        with self._decoded():
            return parse_json(rows[0][0]), [(event_of(line), by) for line, by in parse_json(rows[0][1])]

    def drop_save(self, save: str, session: str) -> None:
        """Delete a browser's save."""
        with self._changing() as do:
            do("DELETE FROM saves WHERE id = ? AND session = ?", (save, session))


def _identity(path: str) -> tuple[int, int]:
    found = os.stat(path)
    return found.st_dev, found.st_ino


def _row(row: tuple[Any, ...]) -> GameRow:
    game, created, updated, version, epoch, over, data = row
    return GameRow(game, created, updated, version, epoch, bool(over), parse_json(data))
