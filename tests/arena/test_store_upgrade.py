"""Folders of the first version of the store, whose column `scores` held the shares, are read and played on."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from refusals import refuses
from toy import Duel

from hawaii_env import arena
from hawaii_env.arena import store
from hawaii_env.arena.store import Store
from hawaii_env.errors import OptionError, StorageError

BOTS = Path(__file__).with_name("bad_bots.py")
OPTIONS: dict[str, Any] = {"load": [BOTS], "progress": False, "processes": 1}
ENTRIES = ["random", "greedy", "crash"]

FIRST = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE players (key TEXT PRIMARY KEY, spec TEXT NOT NULL, name TEXT NOT NULL, added TEXT NOT NULL);
CREATE TABLE rounds (round INTEGER PRIMARY KEY, pairs TEXT NOT NULL, bye TEXT, meetings INTEGER NOT NULL);
CREATE TABLE games (
    id INTEGER PRIMARY KEY, pairing TEXT NOT NULL, rotation INTEGER NOT NULL, round INTEGER NOT NULL,
    seats TEXT NOT NULL, game TEXT NOT NULL, params TEXT NOT NULL, ruleset TEXT NOT NULL, seed INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('finished', 'forfeit', 'void')), scores TEXT NOT NULL, forfeit_seat INTEGER,
    reason TEXT NOT NULL, decisions TEXT NOT NULL, seconds TEXT NOT NULL, record TEXT, digest TEXT,
    verified INTEGER NOT NULL, at TEXT NOT NULL
);
CREATE UNIQUE INDEX once ON games (pairing, rotation) WHERE status <> 'void';
CREATE TRIGGER games_stay BEFORE UPDATE ON games BEGIN SELECT RAISE(ABORT, 'games are never changed'); END;
CREATE TRIGGER games_kept BEFORE DELETE ON games BEGIN SELECT RAISE(ABORT, 'games are never deleted'); END;
INSERT INTO meta SELECT key, CASE key WHEN 'version' THEN '1' ELSE value END FROM new.meta;
INSERT INTO players SELECT * FROM new.players;
INSERT INTO games SELECT id, pairing, rotation, round, seats, game, params, ruleset, seed, status, shares, forfeit_seat,
    reason, decisions, seconds, record, digest, verified, at FROM new.games;
"""


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A folder as the first version left it; the same games as today's store has them are beside it, in ``new``."""
    new, folder = tmp_path / "new", tmp_path / "old"
    arena.run_tournament(Duel(), ENTRIES, pairs=2, out=new, **OPTIONS)
    shutil.copytree(new, folder, ignore=lambda _, names: [name for name in names if name.startswith("results")])
    database = sqlite3.connect(folder / "results.sqlite")
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("ATTACH ? AS new", (str(new / "results.sqlite"),))
    database.executescript(FIRST)
    database.close()
    return folder


def version(folder: Path) -> int:
    with Store(folder) as store:
        return store.meta()["version"]


def test_an_old_folder_is_read_as_it_is(old: Path) -> None:
    ratings = pytest.importorskip("hawaii_env.arena.ratings")
    found, today = arena.load_games(old), arena.load_games(old.with_name("new"))
    assert len(found) == 12 and [game.places for game in found] == [()] * 12
    assert [(g.seats, g.shares, g.forfeit, g.seconds) for g in found] == [
        (g.seats, g.shares, g.forfeit, g.seconds) for g in today
    ]
    for one, other in zip(arena.standings(found), arena.standings(today), strict=True):
        assert (one.player, one.score, one.place, one.forfeits) == (
            other.player,
            other.score,
            other.place,
            other.forfeits,
        )
    pytest.importorskip("scipy")
    assert ratings.fit(found, bootstrap=5).players == ratings.fit(today, bootstrap=5).players
    with Store(old) as store:
        assert not store.verify()[1] and len(store.verify()[0]) == 12
    assert version(old) == 1


def test_an_old_folder_is_played_on(old: Path) -> None:
    before = arena.load_games(old)
    with Store(old) as reader:
        played = arena.run_tournament(Duel(), ENTRIES, pairs=3, out=old, **OPTIONS)
        # Whoever was reading meanwhile reads on.
        assert len(reader.rows()) == len(played.results) == 18
    assert played.played == 6 and version(old) == 2
    assert [game for game in played.results if not game.places] == before
    fresh = [game for game in played.results if game.places]
    assert len(fresh) == 6 and all(game.scores is not None for game in fresh if game.forfeit is None)
    with Store(old) as store:
        assert not store.verify()[1]
    assert arena.run_tournament(Duel(), ENTRIES, pairs=3, out=old, **OPTIONS).played == 0
    database = sqlite3.connect(old / "results.sqlite")
    refuses(
        sqlite3.IntegrityError,
        ("never changed", lambda: database.execute("UPDATE games SET shares = '[1, 0]'")),
        (
            "UNIQUE",
            lambda: database.execute(
                "INSERT INTO games SELECT NULL, pairing, rotation, round, seats, game, params, ruleset, seed, status, "
                "shares, forfeit_seat, reason, decisions, seconds, record, digest, verified, at, places, scores "
                "FROM games"
            ),
        ),
    )
    database.close()


def test_an_upgrade_that_fails_leaves_the_folder_as_it_was(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = arena.load_games(old)
    monkeypatch.setattr(store, "_UPGRADE", (*store._UPGRADE[:2], "ALTER TABLE missing ADD COLUMN x TEXT"))
    refuses(
        StorageError,
        ("no such table: missing", lambda: arena.run_tournament(Duel(), ENTRIES, pairs=3, out=old, **OPTIONS)),
    )
    assert version(old) == 1 and arena.load_games(old) == before


def test_a_folder_of_a_later_version_is_refused(old: Path) -> None:
    database = sqlite3.connect(old / "results.sqlite")
    database.execute("UPDATE meta SET value = '3' WHERE key = 'version'")
    database.commit()
    database.close()
    refuses(OptionError, ("has version 3; this hawaii_env reads versions 1 to 2", lambda: arena.load_games(old)))
