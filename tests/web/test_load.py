"""Shares of the server: whoever asks for much, and whatever takes long, keeps nobody else waiting."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from hawaii_env.web.budgets import ASKER, Budget, Held, Turns, leave_turn, locked, without_turn
from hawaii_env.web.service import EVENTS, GAMES
from hawaii_env.web.think import ThinkError

from .conftest import AGENT, Browser, Running, run, seat_list, until
from .test_limits import elsewhere, other_address

__all__ = ["other_address"]  # the fixture

# Turns


async def soon() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


def answered(turns: Turns, asked: str, does: Callable[[str], Any]) -> list[str]:
    """Return the order in which requests of these addresses begin."""
    begun: list[str] = []

    async def request(who: str) -> None:
        ASKER.set(who)
        async with turns.request():
            begun.append(who)
            await does(who)

    async def main() -> None:
        tasks = [asyncio.create_task(request(who)) for who in asked]
        await asyncio.gather(*tasks)

    run(main())
    return begun


def test_requests_are_answered_by_address_in_turn() -> None:
    assert "".join(answered(Turns(1, 1), "aaaaaabbbcd", lambda _: soon())) == "abcdababaaa"


def test_who_waits_for_something_else_gives_up_the_turn() -> None:
    event, seen = asyncio.Event(), list[str]()

    async def does(who: str) -> None:
        if who == "a":  # waits for what another one does
            async with without_turn():
                await event.wait()
            seen.append("a answers")
        elif who == "b":
            await leave_turn()
            await soon()
            seen.append("b answers")
        else:
            seen.append("c answers")
            event.set()
            await soon()
            seen.append("c ends")

    assert answered(Turns(1, 1), "abc", does) == ["a", "b", "c"]
    # Who has waited for news takes another turn for the answer.
    assert seen.index("a answers") > seen.index("c ends")


def test_who_waits_for_a_lock_gives_up_the_turn() -> None:
    lock = asyncio.Lock()

    async def does(who: str) -> None:
        if who == "a":
            async with locked(lock):
                await leave_turn()
                await soon()
        elif who == "b":
            async with locked(lock):
                pass

    assert answered(Turns(1, 1), "abc", does) == ["a", "b", "c"]


# Budgets


def test_a_budget_counts_what_was_spent_beyond_it() -> None:
    async def main() -> None:
        budget = Budget("10/hour", 1000)
        assert await budget.wait("a") == 0
        await budget.spend("a", 9.5)
        assert await budget.wait("a", 0.4) == 0
        assert 0 < await budget.wait("a", 0.6) <= 3600
        await budget.spend("a", 60.0)
        assert await budget.wait("a") > 0
        assert await budget.wait("b", 10) == 0

    run(main())


def test_bytes_in_memory() -> None:
    held = Held(10, 15)
    assert held.add("a", 10) and not held.add("a", 1)
    assert held.add("b", 5) and not held.add("b", 1)
    held.remove("a", 10)
    assert held.add("b", 5) and not held.add("b", 1)
    held.remove("b", 10)
    assert not held.bytes


def test_bodies_that_wait_are_bounded(serve: Callable[..., Any]) -> None:
    with serve(held_each=1000, work_rate="1000000/day") as server:
        me = server.browser()
        body = {"record": "x" * 2000, "seats": seat_list("me", "me")}
        assert me.post("/api/records", body, 429)["error"]["code"] == "held"
        assert me.post("/api/records", {**body, "record": "x" * 500}, 422)["error"]["code"] == "record"
        me.post("/api/records", {**body, "record": "x" * 500}, 422)  # the one before counts no more
        assert me.begin("me", AGENT)


@pytest.fixture(scope="module")
def record(server: Running) -> str:
    """The record of a game that was resigned."""
    me = server.browser()
    game = me.begin("me", "me")
    me.act(game, me.my_turn(game))
    me.post(f"/api/games/{game}/resign", {"seat": 0})
    return me.get(f"/api/games/{game}/record")


def load(me: Browser, record: str, status: int = 201) -> Any:
    return me.post("/api/records", {"record": record, "seats": seat_list("me", "me")}, status)


@pytest.mark.parametrize("rate", ["work_rate", "bytes_rate"])
def test_what_takes_long_and_what_is_kept_has_a_budget(
    serve: Callable[..., Any], record: str, rate: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hawaii_env.web.service.time.thread_time", itertools.count(0, 0.1).__next__)
    with serve(**{rate: "1/day" if rate == "work_rate" else "1000/day"}) as server:
        me = server.browser()
        game = load(me, record)["id"]
        me.post(f"/api/games/{game}/saves", {"name": "x"}, 201)
        body = {"record": record, "seats": seat_list("me", "me")}
        while (found := me.client.post("/api/records", json=body)).status_code == 201:
            pass
        assert (found.status_code, found.json()["error"]["code"]) == (429, "budget")
        # Games go on, and others load.
        me.state(game)
        assert me.begin("me", AGENT)


@pytest.mark.usefixtures("other_address")
def test_long_work_keeps_nobody_waiting(
    serve: Callable[..., Any], record: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A record that is never read to its end stops neither pages nor moves, of the same address or of others."""
    from hawaii_env import records

    begun, end, parse = threading.Event(), threading.Event(), records.parse

    def slow(text: str) -> Any:
        begun.set()
        assert end.wait(60)
        return parse(text)

    with serve() as server, ThreadPoolExecutor(4) as pool, elsewhere(server) as client:
        me, other = server.browser(), Browser(client)
        game, theirs = me.begin("me", "me"), other.begin("me", "me")
        monkeypatch.setattr("hawaii_env.web.new_games.records.parse", slow)
        work = [pool.submit(load, server.browser(), record) for _ in range(3)]
        try:
            assert begun.wait(60)
            me.act(game, me.my_turn(game))
            other.act(theirs, other.my_turn(theirs))
            assert other.get("/api/setup")
            assert not any(one.done() for one in work)
        finally:
            end.set()
        assert all(one.result()["id"] for one in work)


# Results


def test_results_are_made_once(
    serve: Callable[..., Any], record: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if it fails, if nobody waits for it any more, and by another server."""
    made: list[str] = []
    begun, end = threading.Event(), threading.Event()

    async def analysis(_: Any, asked: Any) -> Any:
        made.append(asked.what)
        begun.set()
        if asked.what == "curve":
            raise ThinkError("it took too long")
        await asyncio.to_thread(end.wait, 60)
        return {"html": '<meta http-equiv="Content-Security-Policy" content="x">'}, 60.0

    monkeypatch.setattr("hawaii_env.web.think.Thinker.analysis", analysis)
    given = {"database": str(tmp_path / "games.sqlite"), "work_rate": "9999/day"}
    with serve(**given) as server:
        me = server.browser()
        games = [load(me, record)["id"] for _ in range(20)]
        with pytest.raises(httpx.ReadTimeout):
            me.client.get(f"/replay/{games[0]}", timeout=0.2)
        assert begun.wait(60)
        end.set()
        for _ in range(2):
            for game in games:
                assert "Content-Security-Policy" in me.get(f"/replay/{game}")
                assert me.get(f"/api/games/{game}/curve", 503)["error"]["message"] == "it took too long"
        assert sorted(made) == ["curve"] * 20 + ["replay"] * 20
        cookies = me.client.cookies
    with serve(**given) as server:
        me = server.browser(cookies)
        assert "Content-Security-Policy" in me.get(f"/replay/{games[0]}")
        me.get(f"/api/games/{games[0]}/curve", 503)
        assert len(made) == 40
        store = server.app.state.service.store
        monkeypatch.setattr("hawaii_env.web.store.RESULTS", 600)
        store.add_result(games[1], "replay", {"made": 0.0, "found": "x" * 400})
        assert store.result(games[0], "replay") is None and store.result(games[1], "replay")["found"]
        me.post("/api/logout")  # results go with their games
        assert store._all("SELECT COUNT(*) FROM results") == [(0,)]


def test_analyses_use_the_time_of_who_asks(
    serve: Callable[..., Any], record: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def analysis(*_: Any) -> Any:
        return {"points": []}, 60.0

    monkeypatch.setattr("hawaii_env.web.think.Thinker.analysis", analysis)
    with serve(work_rate="100/day") as server:
        me = server.browser()
        games = [load(me, record)["id"] for _ in range(3)]
        found = [me.client.get(f"/api/games/{game}/curve").status_code for game in (*games, *games)]
        # The third is refused, and that is no result; those that were made are there.
        assert found == [200, 200, 429] * 2


# Memory


@pytest.mark.usefixtures("other_address")
def test_who_has_most_games_in_memory_loses_them_first(serve: Callable[..., Any]) -> None:
    with serve(events=8 * EVENTS) as server, elsewhere(server) as client:
        me, other = server.browser(), Browser(client)
        mine = me.begin("me", "me")
        theirs = [other.begin("me", "me") for _ in range(12)]
        tables = server.app.state.service.tables
        assert mine in tables and len(tables) == 8
        assert theirs[-1] in tables and theirs[0] not in tables
        # Who comes back finds all as it was.
        assert other.state(theirs[0])["count"] == 0
        until(lambda: not server.app.state.service._locks)


def test_games_of_other_options_are_bounded(serve: Callable[..., Any]) -> None:
    with serve(game="heiau") as server:
        service = server.app.state.service
        for year in range(1, GAMES + 20):
            service.game({"last_year": year})
        assert service._game.cache_info().currsize == GAMES


# A database that is deleted


@pytest.mark.skipif(os.name == "nt", reason="an open file cannot be deleted there")
@pytest.mark.parametrize("left", [(), (".lock",), ("-wal", "-shm"), (".lock", "-wal", "-shm")])
def test_a_deleted_database_is_written_anew(
    serve: Callable[..., Any], tmp_path: Path, left: tuple[str, ...], caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "games.sqlite"
    with serve(database=str(path)) as server:
        me = server.browser()
        game = me.begin("me", "me")
        me.act(game, me.my_turn(game))
        for ending in {"", ".lock", "-wal", "-shm"} - set(left):
            with contextlib.suppress(FileNotFoundError):
                Path(f"{path}{ending}").unlink()
        me.act(game, me.my_turn(game))
        assert "was deleted" in caplog.text
        assert path.stat().st_mode & 0o077 == 0
        with pytest.raises(Exception, match="another server"):
            Running.__init__(object.__new__(Running), server.app.state.service.settings)
        me.act(game, me.my_turn(game))
        before, cookies = me.state(game), me.client.cookies
    with serve(database=str(path)) as server:
        assert json.dumps(server.browser(cookies).state(game)["events"]) == json.dumps(before["events"])


@pytest.mark.skipif(os.name == "nt", reason="an open file cannot be deleted there")
def test_another_file_in_its_place_is_left_alone(serve: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite"
    with serve(database=str(path)) as server:
        me = server.browser()
        game = me.begin("me", "me")
        state = me.my_turn(game)
        path.unlink()
        path.write_text("something else")
        assert me.act(game, state, status=503)["error"]["code"] == "storage"
        assert me.state(game)["version"] == state["version"]
        assert path.read_text() == "something else"
        path.unlink()
        me.act(game, state)
        assert path.stat().st_size > 1000
