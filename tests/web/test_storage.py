"""The database when it cannot be written: a full disk, a lock that another program holds, another server, a path that
is none.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from refusals import refuses, refuses_each

from hawaii_env.web import Settings, create_app
from hawaii_env.web.store import Store, StoreBusy, StoreConflict, StoreError

from .conftest import AGENT, Browser, Running, seat_list, until


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 640 KiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=640k", "tmpfs", str(folder)]
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=20)
    except (OSError, subprocess.SubprocessError):
        pytest.skip("no file system can be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True, timeout=20)


@contextlib.contextmanager
def full_disk(server: Running, folder: Path) -> Iterator[None]:
    """Leave no byte on the disk."""
    filler = folder / "filler"
    with contextlib.suppress(OSError), filler.open("wb", buffering=0) as out:
        while True:
            out.write(b"x" * 512)
    try:
        yield
    finally:
        filler.unlink()


@contextlib.contextmanager
def full_file(server: Running, folder: Path) -> Iterator[None]:
    """Let the database have no page more than it has: SQLite then says the same as of a full disk."""
    ask = server.app.state.service.store._all
    ask("PRAGMA wal_checkpoint(TRUNCATE)")
    ask(f"PRAGMA max_page_count={ask('PRAGMA page_count')[0][0]}")
    try:
        yield
    finally:
        ask("PRAGMA max_page_count=1000000")


@contextlib.contextmanager
def locked(server: Running, folder: Path) -> Iterator[None]:
    """Have another program write to the database."""
    other = sqlite3.connect(folder / "games.sqlite", isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()


def act_until_refused(me: Browser, game: str) -> Any:
    """Decide until it cannot be stored; return the game as it was before that."""
    for _ in range(500):
        state = me.my_turn(game)
        if state["problem"]:  # it was a die that could not be stored
            assert "cannot store" in state["problem"]
            return state
        action = state["actions"][len(state["actions"]) // 2]["action"]
        answer = me.client.post(
            f"/api/games/{game}/actions", json={"version": state["version"], "action": action}, timeout=30
        )
        if answer.status_code == 503:
            assert answer.json()["error"]["code"] == "storage"
            return state
        assert answer.status_code == 200, answer.text
    raise AssertionError("all was stored")


def nothing_is_lost(
    serve: Callable[..., Any], folder: Path, way: Callable[[Running, Path], contextlib.AbstractContextManager[None]]
) -> None:
    database = str(folder / "games.sqlite")
    with serve(database=database) as server:
        me = server.browser()
        game = me.begin("me", "me")
        me.act(game, me.my_turn(game))
        with way(server, folder):
            before = act_until_refused(me, game)
            # What was refused has not happened, for nobody.
            assert me.state(game) == before
            if way is not full_file:  # in which what takes back needs no table, and what is small finds some
                me.post(f"/api/games/{game}/undo", {"version": before["version"]}, 503)
                me.post(f"/api/games/{game}/saves", {"name": "x" * 80}, 503)
                me.post("/api/games", {"seats": seat_list("me", "me")}, 503)
            assert me.state(game) == before
            assert len(me.get("/api/games")["games"]) == 1
        # It goes on where it was, as soon as there is table.
        if before["problem"]:
            me.post(f"/api/games/{game}/retry", {"version": before["version"]})
        for _ in range(3):
            if (state := me.my_turn(game))["yours"]:
                me.act(game, state)
            assert state["yours"] or state["result"]
        after = me.my_turn(game)
        assert after["version"] > before["version"]
        record = me.get(f"/api/games/{game}/record")
        cookies = dict(me.client.cookies)
    with serve(database=database) as server:
        again = server.browser(cookies)
        assert again.state(game) == after
        assert again.get(f"/api/games/{game}/record") == record


def test_a_full_disk_loses_nothing(serve: Callable[..., Any], small_disk: Path) -> None:
    nothing_is_lost(serve, small_disk, full_disk)


def test_a_full_database_loses_nothing(serve: Callable[..., Any], tmp_path: Path) -> None:
    nothing_is_lost(serve, tmp_path, full_file)


def test_a_held_lock_loses_nothing(serve: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hawaii_env.web.service.PAUSES", (0.01, 0.02))
    nothing_is_lost(serve, tmp_path, locked)


def test_a_held_lock_stops_nobody_else(
    serve: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve(database=str(tmp_path / "games.sqlite")) as server:
        me, other = server.browser(), server.browser()
        game = me.begin("me", "me")
        state = me.my_turn(game)
        statuses: list[int] = []
        body = {"version": state["version"], "action": state["actions"][0]["action"]}

        def act() -> None:
            statuses.append(me.client.post(f"/api/games/{game}/actions", json=body).status_code)

        with locked(server, tmp_path):
            waiting = threading.Thread(target=act)
            waiting.start()
            answered = 0
            while waiting.is_alive():
                other.get("/api/setup")
                answered += 1
            assert answered >= 3  # an answer takes milliseconds, the lock was waited for through some attempts
            assert statuses == [503]
            service, tries = server.app.state.service, list[int]()
            monkeypatch.setattr("hawaii_env.web.service.PAUSES", (0.05,) * 1000)
            write = service.store.write
            monkeypatch.setattr(service.store, "write", lambda *given, **more: tries.append(1) or write(*given, **more))
            waiting = threading.Thread(target=act)
            waiting.start()
            until(lambda: tries)
        waiting.join()
        # A lock that goes soon is waited for.
        assert statuses == [503, 200]


def test_an_agents_decision_that_cannot_be_stored(serve: Callable[..., Any], tmp_path: Path) -> None:
    with serve(database=str(tmp_path / "games.sqlite")) as server:
        me = server.browser()
        game = me.begin("me", AGENT)
        state = me.my_turn(game)
        assert state["yours"]
        service = server.app.state.service
        # The lock comes between the person's decision and what follows it.
        play, holding = service._play, locked(server, tmp_path)

        def slow(*given: Any) -> None:
            if not holding_now:
                holding.__enter__()
                holding_now.append(True)
            play(*given)

        holding_now: list[bool] = []
        service._play = slow
        while not holding_now:
            done = [n for n, action in enumerate(state["actions"]) if action["text"] == "done"]
            me.act(game, state, done[0] if done else 0)
            state = me.my_turn(game)
        assert "cannot store" in state["problem"]
        holding.__exit__(None, None, None)
        me.post(f"/api/games/{game}/retry", {"version": state["version"]})
        after = me.my_turn(game)
        assert after["problem"] is None
        assert after["version"] > state["version"]


def test_a_change_that_fails_half_way_leaves_no_transaction(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "x.sqlite"))
    refuses(StoreError, ("UNIQUE", lambda: store.add_game("g", {}, [(0, "s"), (0, "t")], most=9)))
    assert store.game("g") is None
    store.add_game("g", {}, [(0, "s"), (1, "t")], most=9)
    assert store.seats_of("g", "t") == [1]
    refuses(
        StoreConflict,
        ("", lambda: store.write("g", 5, 0, False, 3, [], was=0)),  # it has no three events
        ("", lambda: store.write("g", 5, 0, False, 0, [], was=4)),  # it is not at version 4
    )
    store.write("g", 5, 0, False, 0, [], was=0)
    store.close()


# Two servers, and paths


def test_two_servers_on_one_database(serve: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite"
    link = tmp_path / "link.sqlite"
    link.symlink_to(path)
    with serve(database=str(path)):
        refuses_each(
            StoreError,
            "another server has this database",
            lambda other: create_app(Settings(database=str(other))),
            (path, link),
        )
    Store(str(link)).close()


def test_the_lock_ends_with_the_process(tmp_path: Path) -> None:
    path = str(tmp_path / "games.sqlite")
    code = (
        "import sys, os; from hawaii_env.web.store import Store; s = Store(sys.argv[1]); print('open', flush=True); "
        "sys.stdin.read()"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", code, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        cwd=Path(__file__).parents[2],
    )  # fmt: skip
    try:
        assert holder.stdout and holder.stdout.readline() == "open\n"
        refuses(StoreError, ("another server", lambda: Store(path)))
    finally:
        holder.kill()
        holder.communicate(timeout=30)
    Store(path).close()


def test_a_game_that_somebody_else_has_changed(serve: Callable[..., Any], tmp_path: Path) -> None:
    # Where locks do nothing, as on some network drives.
    with serve(database=str(tmp_path / "games.sqlite")) as server:
        me = server.browser()
        game = me.begin("me", "me")
        state = me.my_turn(game)
        other = sqlite3.connect(tmp_path / "games.sqlite")
        with other:
            other.execute("UPDATE games SET version = version + 7 WHERE id = ?", (game,))
        other.close()
        assert me.act(game, state, status=409)["error"]["code"] == "stale"
        now = me.state(game)
        assert (now["version"], now["count"]) == (state["version"] + 7, state["count"])
        me.act(game, now)


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("folder", "must be a regular file"),
        ("text", "not a database"),
        ("other.sqlite", "belongs to another program"),
        ("text/x.sqlite", "the folder of the database cannot be created"),
        ("x" * 300, "cannot be opened"),
        ("folder/new/x.sqlite", None),
        ("\udcff.sqlite", None),
    ],
)
def test_paths(tmp_path: Path, path: str, words: str | None) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "text").write_text("no database " * 200)
    other = sqlite3.connect(tmp_path / "other.sqlite")
    other.execute("CREATE TABLE contacts (name TEXT)")
    other.close()
    if words is None:
        store = Store(str(tmp_path / path))
        assert store.path.isprintable()
        store.close()
        return
    was = sorted(tmp_path.iterdir())
    refuses(StoreError, (words, lambda: Store(str(tmp_path / path))))
    assert sorted(tmp_path.iterdir()) == was, "a lock, or another file, made for nothing"


@pytest.mark.skipif(os.name == "nt", reason="has no such paths")
@pytest.mark.parametrize("path", ["/dev/full", "/dev/null/x", "/proc/nothing"])
def test_paths_of_the_system(path: str) -> None:
    with pytest.raises(StoreError) as error:
        Store(path)
    assert "another server" not in str(error.value)


def test_a_copy_is_made_while_the_server_runs(serve: Callable[..., Any], tmp_path: Path) -> None:
    with serve(database=str(tmp_path / "games.sqlite")) as server:
        me = server.browser()
        game = me.begin("me", "me")
        me.act(game, me.my_turn(game))
        state = me.my_turn(game)
        source, copy = sqlite3.connect(tmp_path / "games.sqlite"), sqlite3.connect(tmp_path / "copy.sqlite")
        source.backup(copy)
        source.close()
        copy.close()
        me.act(game, state)
        cookies = dict(me.client.cookies)
    with serve(database=str(tmp_path / "copy.sqlite")) as server:
        assert server.browser(cookies).my_turn(game) == state


@pytest.mark.skipif(os.name == "nt", reason="has no such permissions")
def test_the_database_is_its_owners_alone(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "x.sqlite"))
    store.add_game("g", {}, [(0, "s")], most=9)
    for path in tmp_path.iterdir():
        assert path.stat().st_mode & 0o077 == 0, path
    store.close()


def test_busy_is_an_error_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    store = Store(str(path))
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert store._all("PRAGMA busy_timeout") == [(0,)]  # a wait of SQLite's would be the whole server's
    refuses(StoreBusy, ("", lambda: store.add_game("g", {}, [(0, "s")], most=9)))
    other.close()
    store.add_game("g", {}, [(0, "s")], most=9)
    store.close()


def test_a_database_without_a_name() -> None:
    """SQLite would take it for one that is gone when it is closed."""
    refuses(StoreError, ("has no name", lambda: Store("")))
