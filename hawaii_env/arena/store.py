"""The store of a tournament: a folder with an SQLite file of games, their records, and a log of faults.

Games are only ever added. Each is committed by itself, so whoever is killed loses what was being played and nothing
else; a game that counts is in the store once (an index sees to it), and one that does not count, a *void* one, stays
for the reader. See docs/arena.md for the tables.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, cast

from hawaii_env._arguments import check_path, check_text
from hawaii_env.arena.result import End, GameResult
from hawaii_env.bots.process import append_log
from hawaii_env.core.locks import try_lock
from hawaii_env.errors import HawaiiError, OptionError, RecordError, StorageError
from hawaii_env.game import Game
from hawaii_env.texts import NAME, check_name, parse_json, show, show_value

__all__ = ["FILE", "GameRow", "Player", "Store", "load_games", "parse_player"]

FILE = "results.sqlite"
"""Name of the SQLite file in a tournament's folder."""

VERSION = 3
"""Version of the store's format."""

MAX_FAULTS = 16 * 1_048_576
"""Most bytes of the log of faults."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS players (
    key TEXT PRIMARY KEY, spec TEXT NOT NULL, name TEXT NOT NULL, added TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS rounds (
    round INTEGER PRIMARY KEY, pairs TEXT NOT NULL, bye TEXT, meetings INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS games (
    id INTEGER PRIMARY KEY, pairing TEXT NOT NULL, rotation INTEGER NOT NULL, round INTEGER NOT NULL,
    seats TEXT NOT NULL, game TEXT NOT NULL, params TEXT NOT NULL, ruleset TEXT NOT NULL, seed INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('finished', 'forfeit', 'void')), shares TEXT NOT NULL, forfeit_seat INTEGER,
    reason TEXT NOT NULL, decisions TEXT NOT NULL, seconds TEXT NOT NULL, record TEXT, digest TEXT,
    verified INTEGER NOT NULL, at TEXT NOT NULL, places TEXT NOT NULL, scores TEXT, processor REAL NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS once ON games (pairing, rotation) WHERE status <> 'void';
CREATE TRIGGER IF NOT EXISTS games_stay BEFORE UPDATE ON games
    BEGIN SELECT RAISE(ABORT, 'games are never changed'); END;
CREATE TRIGGER IF NOT EXISTS games_kept BEFORE DELETE ON games
    BEGIN SELECT RAISE(ABORT, 'games are never deleted'); END;
"""


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


@dataclass(frozen=True, slots=True)
class Player:
    """An entry of a tournament.

    Attributes:
        key: its name in tables: its label, or the agent string itself.
        agent: the agent string, as `hawaii_env.load_agent` takes it.
    """

    key: str
    agent: str


def parse_player(text: str) -> Player:
    """Read ``"mcts:sims=9"`` or, with a label, ``"small=mcts:sims=9"``.

    Raises:
        OptionError: an empty label or agent string, or one that is no name (`hawaii_env.texts.check_name`), or has
            ``|`` in it.
    """
    label, equals, rest = check_text("agent", text).partition("=")
    # The first '=' is a parameter's where a ':' comes before it.
    labelled = equals and ":" not in label
    key, agent = (label.strip(), rest.strip()) if labelled else (text.strip(), text.strip())
    try:
        key = check_name(key, NAME if labelled else 1000)
    except ValueError as error:
        raise OptionError(f"agent: {show_value(text)}: {error}") from None
    if not key or not agent or "|" in key:
        wanted = "an agent is named as 'mcts:sims=9' or 'label=mcts:sims=9', without '|'"
        raise OptionError(f"{wanted}; not {show_value(text)}")
    return Player(key, agent)


@dataclass(frozen=True, slots=True)
class GameRow:
    """One row of the table `games`.

    Attributes:
        pairing: key of the meeting.
        rotation: which rotation of the seats.
        round: the tournament's round, or 0.
        seats: keys of the players, by seat.
        seed: seed of the dice.
        status: ``"finished"``, ``"forfeit"`` or ``"void"``.
        end: shares, places and points by seat; a game of the first version has no places.
        forfeit: the seat that forfeited, or None.
        reason: how the game ended, or why it is void.
        decisions: decisions taken, by seat.
        seconds: wall-clock seconds spent on them, by seat.
        record: the record's path in the folder, or None.
        digest: SHA-256 of the record's file in hexadecimal, or None.
        verified: True when the record was replayed and found right.
        at: when it was added, UTC.
        processor: processor seconds of the process that played and verified it.
    """

    pairing: str
    rotation: int
    round: int
    seats: tuple[str, ...]
    seed: int
    status: str
    end: End
    forfeit: int | None
    reason: str
    decisions: tuple[int, ...]
    seconds: tuple[float, ...]
    record: str | None
    digest: str | None
    verified: bool
    at: str = ""
    processor: float = 0.0

    @property
    def key(self) -> tuple[str, int]:
        """Return what distinguishes the game from any other."""
        return self.pairing, self.rotation

    def result(self) -> GameResult:
        """Return the game as ratings and reports want it."""
        rest = self.pairing, self.forfeit, self.decisions, self.seconds
        return GameResult(self.seats, self.end.shares, *rest, self.end.places, self.end.scores)


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


class Store:
    """A tournament's folder.

    Args:
        folder: the folder, or its SQLite file.
        create: True makes it if it is missing, False raises.

    Raises:
        OptionError: there is no tournament there, or one of another version.
        StorageError: from any method: the disk is full, or the database is damaged.
    """

    def __init__(self, folder: str | os.PathLike[str], create: bool = False) -> None:
        path = check_path("folder", folder)
        if path.is_file():
            if create:
                raise OptionError(f"{path} is a file; a tournament is kept in a folder")
            path = path.parent
        self.folder: Path = path.absolute()
        file = self.folder / FILE
        if not create and not file.is_file():
            raise OptionError(f"there is no tournament in {folder}: it has no file {FILE}")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(file, timeout=60, isolation_level=None)
        except (OSError, sqlite3.Error) as error:
            raise StorageError(f"{folder} cannot be written: {error}") from error
        try:
            if create:
                self._db.execute("PRAGMA journal_mode = WAL").fetchone()
                self._db.execute("PRAGMA synchronous = NORMAL")
                self._db.executescript(_SCHEMA)
                self._db.execute("INSERT OR IGNORE INTO meta VALUES ('version', ?)", (json.dumps(VERSION),))
            version = self.meta().get("version")
        except (StorageError, sqlite3.Error, ValueError) as error:
            self._db.close()
            first = error.__cause__ or error
            if isinstance(first, sqlite3.OperationalError) and "no such table" not in str(first):
                # SQLite writes beside the file to read it, too.
                raise StorageError(f"{folder} cannot be {'written' if create else 'read'}: {first}") from error
            raise OptionError(f"{folder} is not a tournament's folder: {first}") from error
        if version != VERSION:
            self._db.close()
            raise OptionError(f"{file} has version {version!r}; this hawaii_env reads version {VERSION}")
        self._lock: IO[bytes] | None = None

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file, and let others play in the folder."""
        self._db.close()
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def lock(self) -> None:
        """Prevent other processes from playing in this folder until `close`, or until this process ends.

        Raises:
            OptionError: another process plays in it.
        """
        try:
            self._lock = try_lock(self.folder / "lock")
        except OSError as error:
            raise StorageError(f"{self.folder} cannot be written: {error.strerror}") from error
        if self._lock is None:
            raise OptionError(f"another process plays the tournament in {self.folder}")

    def _execute(self, command: str, values: Sequence[Any] = ()) -> list[Any]:
        with self._translated():
            return self._db.execute(command, values).fetchall()

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        """Raise errors of SQLite as `StorageError`, except for rows that the tables reject."""
        try:
            yield
        except sqlite3.IntegrityError:
            raise
        except sqlite3.Error as error:
            raise StorageError(f"{self.folder / FILE}: {error}") from error

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._translated(), self._db:
            self._db.execute("BEGIN IMMEDIATE")
            yield

    # Settings and players

    def meta(self) -> dict[str, Any]:
        """Return the tournament's settings."""
        return {key: parse_json(value) for key, value in self._execute("SELECT key, value FROM meta")}

    def check_settings(self, settings: Mapping[str, Any]) -> None:
        """Store the settings on first use, and compare them later: all games of a store have the same settings.

        Raises:
            OptionError: a setting differs from the stored one; the message names it.
        """
        with self._transaction():
            known = self.meta()
            for key, value in settings.items():
                plain = parse_json(json.dumps(value))
                if key in known and known[key] != plain:
                    raise OptionError(
                        f"the tournament in {self.folder} is played with {key} = {known[key]!r}, not {plain!r}; use "
                        "another folder"
                    )
                self._execute("INSERT OR IGNORE INTO meta VALUES (?, ?)", (key, json.dumps(plain)))

    def check_files(self, files: Mapping[str, str]) -> None:
        """Store the digests of files that players name, and compare those stored before.

        Args:
            files: SHA-256 by path.

        Raises:
            OptionError: a file has changed, so games with it would be another player's.
        """
        with self._transaction():
            known: dict[str, str] = self.meta().get("files", {})
            for path, digest in files.items():
                if known.setdefault(path, digest) != digest:
                    raise OptionError(
                        f"{path} has changed since games in {self.folder} were played; use another folder"
                    )
            self._execute("INSERT OR REPLACE INTO meta VALUES ('files', ?)", (json.dumps(known),))

    def players(self) -> list[Player]:
        """Return the players, in the order in which they were added."""
        return [Player(*row) for row in self._execute("SELECT key, spec FROM players ORDER BY rowid")]

    def enter(self, players: Iterable[Player]) -> None:
        """Add players that are not in the store yet.

        Raises:
            OptionError: a label is taken by another agent string.
        """
        with self._transaction():
            known = {player.key: player.agent for player in self.players()}
            for player in players:
                if known.setdefault(player.key, player.agent) != player.agent:
                    raise OptionError(
                        f"{player.key!r} is {known[player.key]!r} in {self.folder}, not {player.agent!r}; choose "
                        "another label"
                    )
                row = (player.key, player.agent, player.key, _now())
                self._execute("INSERT OR IGNORE INTO players VALUES (?, ?, ?, ?)", row)

    # Rounds of a Swiss tournament

    def rounds(self) -> list[tuple[int, list[tuple[str, str]], str | None, int]]:
        """Return the rounds that were drawn: number, pairs, player who is left out, meetings of each pair."""
        rows = self._execute("SELECT round, pairs, bye, meetings FROM rounds ORDER BY round")
        return [(number, [(a, b) for a, b in parse_json(pairs)], bye, count) for number, pairs, bye, count in rows]

    def add_round(self, number: int, pairs: Sequence[tuple[str, str]], bye: str | None, meetings: int) -> None:
        """Store the draw of a round, which never changes."""
        self._execute("INSERT INTO rounds VALUES (?, ?, ?, ?)", (number, json.dumps(pairs), bye, meetings))

    # Tables of games of more than two players

    def tables(self) -> list[tuple[str, ...]]:
        """Return the tables that were drawn (`hawaii_env.arena.schedule.draw_tables`)."""
        return [tuple(table) for table in self.meta().get("tables", [])]

    def keep_tables(self, tables: Sequence[Sequence[str]]) -> None:
        """Store the tables that were drawn, including earlier ones."""
        self._execute("INSERT OR REPLACE INTO meta VALUES ('tables', ?)", (json.dumps(tables),))

    # Games

    def add(self, row: GameRow) -> None:
        """Add one game and commit it.

        Raises:
            RecordError: the store already has this game, and it counts.
        """
        meta = self.meta()
        values = (
            *(row.pairing, row.rotation, row.round, json.dumps(row.seats)),
            *(meta.get("game", ""), json.dumps(meta.get("params", {})), meta.get("ruleset", ""), row.seed),
            *(row.status, json.dumps(row.end.shares), row.forfeit, row.reason, json.dumps(row.decisions)),
            *(json.dumps([round(spent, 6) for spent in row.seconds]), row.record, row.digest, int(row.verified)),
            row.at or _now(),
            *(json.dumps(row.end.places), None if row.end.scores is None else json.dumps(row.end.scores)),
            round(row.processor, 6),
        )
        try:
            self._execute(f"INSERT INTO games VALUES (NULL{', ?' * len(values)})", values)
        except sqlite3.IntegrityError as error:
            raise RecordError(f"game {row.pairing} ({row.rotation}) cannot be added: {error}") from error

    def rows(self, void: bool = False) -> list[GameRow]:
        """Return the games, void ones too where asked for, in an order that does not depend on which ended first."""
        found = self._execute(
            "SELECT pairing, rotation, round, seats, seed, status, forfeit_seat, reason, decisions, seconds, record, "
            "digest, verified, at, processor, shares, places, scores FROM games WHERE ? OR status <> 'void' "
            "ORDER BY round, pairing, rotation, id",
            (void,),
        )
        rows: list[GameRow] = []
        for pairing, rotation, number, seats, seed, status, *how in found:
            forfeit, reason, decisions, seconds, record, digest, verified, at, processor, shares, places, scores = how
            try:
                end = End(tuple(parse_json(shares)), tuple(parse_json(places)), scores and tuple(parse_json(scores)))
                seats, decisions, seconds = (tuple(parse_json(text)) for text in (seats, decisions, seconds))
            except (TypeError, ValueError) as error:
                raise StorageError(f"{self.folder / FILE}: game {show_value(pairing)}: {error}") from error
            row = (pairing, rotation, number, seats, seed, status, end, forfeit, reason, decisions, seconds)
            rows.append(GameRow(*row, record, digest, bool(verified), at, processor))
        return rows

    def played(self) -> set[tuple[str, int]]:
        """Return the keys of the games that are not void."""
        return set(self._execute("SELECT pairing, rotation FROM games WHERE status <> 'void'"))

    def log(self, title: str, text: str) -> None:
        """Add an entry to the log of faults, ``faults.log``, which takes up to `MAX_FAULTS` bytes."""
        entry = f"{_now()} {show(title)}\n" + "".join(f"    {line}\n" for line in text.rstrip().split("\n"))
        append_log(self.folder / "faults.log", entry, MAX_FAULTS)

    def counted(self) -> tuple[list[GameRow], list[tuple[GameRow, str]]]:
        """Return the games that count, and those that would count if their records had not changed since they were
        verified.

        Returns:
            The games that count; those that do not, each with the reason.
        """
        good: list[GameRow] = []
        bad: list[tuple[GameRow, str]] = []
        for row in self.rows():
            path = None if row.record is None else self.folder / row.record
            if not row.verified:
                bad.append((row, f"its record {row.record} was not verified"))
            elif path is None or not path.is_file():
                bad.append((row, f"its record {row.record} is missing"))
            elif file_digest(path) != row.digest:
                bad.append((row, f"its record {row.record} was changed after the game"))
            else:
                good.append(row)
        return good, bad

    def verify(self, game: Game | None = None) -> tuple[list[GameRow], list[tuple[GameRow, str]]]:
        """Return the same as `counted`, but replay every record and compare the scores.

        Args:
            game: the game, if it cannot be made from the settings (a ruleset folder that has moved).

        Raises:
            OptionError: the game cannot be made.
        """
        from hawaii_env.arena.playing import check_record

        if game is None:
            meta = self.meta()
            module, _, name = meta["game"].partition(":")
            try:
                game = cast("Callable[..., Game]", getattr(importlib.import_module(module), name))(**meta["params"])
            except (ImportError, AttributeError, TypeError, HawaiiError) as error:
                raise OptionError(f"the game of {self.folder}, {meta['game']}, cannot be made: {error}") from error
        good: list[GameRow] = []
        rows, bad = self.counted()
        for row in rows:
            try:
                check_record(self.folder / cast(str, row.record), game, row.seed, row.seats, row.end, row.forfeit)
                good.append(row)
            except RecordError as error:
                bad.append((row, str(error)))
        return good, bad


def load_games(path: str | os.PathLike[str]) -> list[GameResult]:
    """Return the games of a store that count: finished or forfeited, with the record that was verified; in an order
    that does not depend on which ended first.

    Args:
        path: the tournament's folder or its SQLite file.

    Raises:
        OptionError: there is no tournament.
    """
    with Store(path) as store:
        return [row.result() for row in store.counted()[0]]
