"""What one address may hold open, behind a proxy and without; browsers that are forgotten; the security log."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib import resources
from pathlib import Path
from typing import Any

import httpx
import pytest

from hawaii_env import agents
from hawaii_env.agents import BaseAgent
from hawaii_env.web.budgets import Polls
from hawaii_env.web.routes import COOKIE
from hawaii_env.web.server import listen, log_to
from hawaii_env.web.store import digest

from .conftest import AGENT, Browser, Running, run, seat_list, until

HALF = b"GET / HTTP/1.1\r\nHost: localhost\r\n"


@contextlib.contextmanager
def wires(server: Running, count: int, first: bytes = b"", source: str = "127.0.0.1") -> Iterator[list[socket.socket]]:
    """Connections that say something, and no more."""
    with contextlib.ExitStack() as stack:
        made = []
        for _ in range(count):
            wire = socket.create_connection(("127.0.0.1", server.port), timeout=30, source_address=(source, 0))
            made.append(stack.enter_context(wire))
            wire.sendall(first)
        yield made


def answer(wire: socket.socket) -> bytes:
    """What comes until the other end closes."""
    got = b""
    with contextlib.suppress(ConnectionError):
        while part := wire.recv(65536):
            got += part
    return got


def closed(wire: socket.socket) -> bool:
    """Return True if the other end has closed; what it has sent is thrown away."""
    wire.setblocking(False)
    try:
        while wire.recv(65536):
            pass
    except BlockingIOError:
        return False
    except ConnectionError:
        pass
    return True


@contextlib.contextmanager
def elsewhere(server: Running) -> Iterator[httpx.Client]:
    """A client at another address of this machine."""
    with httpx.Client(base_url=server.url, transport=httpx.HTTPTransport(local_address="127.0.0.2"), timeout=30) as c:
        yield c


@pytest.fixture
def other_address() -> None:
    try:
        with socket.socket() as probe:
            probe.bind(("127.0.0.2", 0))
    except OSError:
        pytest.skip("this machine has no second address")


# Connections


@pytest.mark.usefixtures("other_address")
@pytest.mark.parametrize("first", [b"", HALF, HALF + b"Content-Length: 9\r\n\r\n", HALF + b"\r\n"])
def test_connections_that_do_nothing_make_room_for_others(serve: Callable[..., Any], first: bytes) -> None:
    """Connections that say nothing, half a head, half a body; and those that wait for a further request."""
    with contextlib.ExitStack() as stack, serve(connections=30, connections_each=10) as server:
        client = stack.enter_context(elsewhere(server))
        assert client.get("/").status_code == 200
        held = [stack.enter_context(wires(server, 10, first, f"127.0.0.{n}")) for n in range(3, 8)]

        def ended() -> int:
            return sum(closed(wire) for each in held for wire in each)

        until(lambda: ended() >= 21)
        # Nor is the connection gone of who has one.
        assert client.get("/api/setup").status_code == 200
        assert ended() == 21
        with httpx.Client(base_url=server.url, timeout=30) as third:
            assert third.get("/").status_code == 200
        until(lambda: ended() == 22)


@pytest.mark.usefixtures("other_address")
def test_requests_that_are_answered_make_room_for_others(
    serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No connection does nothing, and one address has all."""
    never = asyncio.Event()
    with serve(connections=6, connections_each=6) as server, elsewhere(server) as client:

        async def setup(*_: Any) -> None:
            await never.wait()

        monkeypatch.setattr("hawaii_env.web.security.Rates.wait", setup)
        with wires(server, 6, HALF + b"\r\n") as held:
            until(lambda: len(server.server.server_state.tasks) == 6)
            monkeypatch.undo()
            assert client.get("/").status_code == 200
            until(lambda: sum(map(closed, held)) == 1)
            for task in list(server.server.server_state.tasks):
                task.get_loop().call_soon_threadsafe(task.cancel)


@pytest.mark.usefixtures("other_address")
def test_half_open_requests_of_one_address_stop_nobody_else(serve: Callable[..., Any]) -> None:
    with serve(connections=60, connections_each=20) as server, wires(server, 80, HALF) as held:
        with elsewhere(server) as client:
            assert client.get("/api/setup").status_code == 200
        # Those that are too many are told so at once, the others are waited for.
        assert answer(held[-1]).startswith(b"HTTP/1.1 429 ")
        held[0].sendall(b"\r\n")
        assert held[0].recv(100).startswith(b"HTTP/1.1 200 ")
    # What has ended counts no more.


def test_connections_that_end_count_no_more(serve: Callable[..., Any]) -> None:
    with serve(connections_each=5) as server:
        for _ in range(4):
            with wires(server, 5, HALF):
                pass

        def served() -> bool:
            with contextlib.suppress(httpx.TransportError):
                return httpx.get(f"{server.url}/").status_code == 200
            return False

        until(served)


def test_a_head_that_does_not_end_is_refused(server: Running) -> None:
    with wires(server, 1, HALF) as (wire,), contextlib.suppress(ConnectionError):
        for _ in range(20):
            wire.sendall(b"X: " + b"x" * 1000 + b"\r\n")
        assert answer(wire).startswith(b"HTTP/1.1 400 ")


def test_half_a_head_is_not_waited_for(serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hawaii_env.web.connections.HEADER_SECONDS", 0.5)
    with serve() as server:
        # Not even where a byte comes now and then, nor in a second request.
        for first in (b"", HALF, HALF + b"\r\n" + HALF):
            with wires(server, 1, first) as (wire,), contextlib.suppress(ConnectionError):
                while True:
                    wire.sendall(b"" if not first else b"X")
                    wire.settimeout(0.1)
                    with contextlib.suppress(TimeoutError):
                        if not wire.recv(65536):
                            break
        assert httpx.get(f"{server.url}/").status_code == 200


def test_a_body_that_never_ends_is_not_waited_for(serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hawaii_env.web.security.BODY_SECONDS", 0.3)
    head = (
        b"POST /api/games HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
    )
    with serve() as server, wires(server, 1, head) as (wire,):
        assert answer(wire).startswith(b"HTTP/1.1 408 ")


def test_who_does_not_read_is_not_waited_for(serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hawaii_env.web.connections.UNREAD_SECONDS", 0.3)
    with serve() as server:
        state = server.server.server_state
        fonts = resources.files("hawaii_env.render").joinpath("data").iterdir()
        font = next(file.name for file in fonts if file.name.endswith(".ttf"))
        ask = f"GET /static/{font} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
        with wires(server, 1, ask * 500) as (wire,):
            until(lambda: state.connections)
            until(lambda: not state.connections)
            assert answer(wire).count(b"200 OK") < 500


def test_small_packets_are_sent_at_once() -> None:
    (made,) = listen("127.0.0.1", 0)
    assert made.proto == socket.IPPROTO_TCP  # asyncio asks for this before it switches the delay off
    made.close()


# Those who wait for news


def test_long_polls_of_one_address_have_a_limit(serve: Callable[..., Any]) -> None:
    with serve(polls_each=3) as server:
        me = server.browser()
        game = me.begin("me", "me")
        state = me.my_turn(game)

        def poll(_: int) -> Any:
            with httpx.Client(base_url=server.url, cookies=dict(me.client.cookies), timeout=30) as client:
                return client.get(f"/api/games/{game}", params={"version": state["version"], "wait": 20})

        with ThreadPoolExecutor(8) as pool:
            polls = [pool.submit(poll, n) for n in range(8)]
            until(lambda: sum(one.done() for one in polls) >= 5)
            refused = [one.result() for one in polls if one.done()]
            assert [(one.status_code, one.json()["error"]["code"]) for one in refused] == [(429, "polls")] * 5
            # Who plays is served, and those who wait hear of it.
            me.act(game, state)
            found = [one.result() for one in polls]
        assert sorted(one.status_code for one in found) == [200] * 3 + [429] * 5
        # Nobody waits now: there is table again.
        assert me.state(game, version=state["version"] + 1, wait=0.05)["count"] > state["count"]


def test_who_waits_much_keeps_nobody_else_from_it() -> None:
    polls, ended = Polls(4, 6), list[str]()

    async def wait(who: str, name: str) -> None:
        with polls.one(who) as may:
            if may:
                await asyncio.sleep(60)
        ended.append(f"{name} {'waited' if may else 'not'}")

    async def main() -> None:
        tasks = []
        for name in ("a1", "a2", "a3", "a4", "a5", "b1", "b2", "c1", "c2", "d1", "c3", "b3"):
            tasks.append(asyncio.create_task(wait(name[0], name)))
            for _ in range(5):
                await asyncio.sleep(0)
        assert {who: len(found) for who, found in polls.waiting.items()} == {"a": 1, "b": 2, "c": 2, "d": 1}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    run(main())
    # Those of one address are too many; the oldest of who has most is answered, until nobody has two more.
    assert ended == ["a5 not", "a1 waited", "a2 waited", "a3 waited", "c3 not", "b3 not"]
    assert polls.waiting == {}


def test_who_waits_is_answered_when_the_server_ends(
    serve: Callable[..., Any], caplog: pytest.LogCaptureFixture
) -> None:
    with ThreadPoolExecutor(1) as pool, serve() as server:
        me = server.browser()
        game = me.begin("me", "me")
        state = me.my_turn(game)
        poll = pool.submit(me.state, game, version=state["version"], wait=20)
        until(lambda: server.app.state.service._changed)
        server.server.should_exit = True
        assert poll.result(30) == state
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == []


class Slow(BaseAgent):
    """Thinks for a while, and for as long as it may not answer."""

    may = threading.Event()
    pause = 0.3

    def act(self, state: Any, legal_actions: Any, clock: Any = None) -> int:
        time.sleep(self.pause)
        assert self.may.wait(600)
        return legal_actions[0]


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setitem(agents._registered, "slow", Slow)
    Slow.may.set()
    return {"agents": ("slow",), "hints": ("slow",)}


@pytest.mark.usefixtures("other_address")
def test_who_asks_for_much_keeps_nobody_else_waiting(serve: Callable[..., Any], slow: dict[str, Any]) -> None:
    with serve(**slow) as server:
        greedy = server.browser()
        games = [greedy.begin("slow", "slow") for _ in range(12)]
        asked: list[str] = []
        think = server.app.state.service.thinker.think

        async def counted(task: Any) -> Any:
            asked.append(task.key.partition("/")[0])
            return await think(task)

        server.app.state.service.thinker.think = counted
        with elsewhere(server) as client:
            client.timeout = 120
            other = Browser(client)
            mine = other.begin("me", "slow")
            assert other.my_turn(mine)["yours"]
        decided = asked.count(mine)
        assert decided > 3
        # Two of the other address were before each of mine, not twelve.
        assert len(asked) - decided <= 3 * decided + 3
        assert len(games) == 12


def test_hints_at_a_time(serve: Callable[..., Any], slow: dict[str, Any]) -> None:
    with serve(**slow) as server:
        me = server.browser()
        game = me.begin("me", "me")
        state = me.my_turn(game)

        def hint(_: int) -> int:
            with httpx.Client(base_url=server.url, cookies=dict(me.client.cookies), timeout=120) as client:
                return client.post(f"/api/games/{game}/hint", json={"version": state["version"]}).status_code

        until(lambda: not me.get("/api/setup")["trying"])
        Slow.may.clear()
        with ThreadPoolExecutor(8) as pool:
            asked = [pool.submit(hint, n) for n in range(8)]
            until(lambda: sum(one.done() for one in asked) == 4)
            Slow.may.set()
        assert sorted(one.result() for one in asked) == [200] * 4 + [429] * 4
        assert hint(0) == 200


# Behind a proxy


def ask(client: httpx.Client, forwarded: str) -> int:
    return client.get("/api/setup", headers={"X-Forwarded-For": forwarded}).status_code


def test_who_comes_through_a_proxy_counts_alone(serve: Callable[..., Any]) -> None:
    with serve(rate="3/day", trusted=("127.0.0.1",)) as server:
        client = server.browser().client
        assert [ask(client, "203.0.113.1") for _ in range(5)] == [200, 200, 200, 429, 429]
        assert [ask(client, "203.0.113.2") for _ in range(4)] == [200, 200, 200, 429]
        # What the visitor wrote into the header himself stands before what the proxy adds.
        assert ask(client, "198.51.100.7, 203.0.113.1") == 429
        # The visitor's 64 bits of IPv6 are one, and nonsense is one, too.
        assert [ask(client, f"2001:db8::{n}") for n in range(1, 5)] == [200, 200, 200, 429]
        assert [ask(client, f"nonsense{n}") for n in range(1, 5)] == [200, 200, 200, 429]


def test_nobody_else_says_for_whom_he_asks(serve: Callable[..., Any]) -> None:
    for trusted in ((), ("10.0.0.0/8", "192.0.2.1")):
        with serve(rate="3/day", trusted=trusted) as server:
            client = server.browser().client
            assert [ask(client, f"203.0.113.{n}") for n in range(4)] == [200, 200, 200, 429]


@pytest.mark.usefixtures("other_address")
def test_a_proxy_may_open_more_connections(serve: Callable[..., Any]) -> None:
    with serve(connections_each=3, trusted=("127.0.0.1",)) as server, wires(server, 10, HALF) as held:
        held[-1].sendall(b"\r\n")
        assert held[-1].recv(100).startswith(b"HTTP/1.1 200 ")
        with wires(server, 5, HALF, "127.0.0.2") as others:
            assert answer(others[-1]).startswith(b"HTTP/1.1 429 ")


# Browsers that are forgotten


def test_logout(server: Running) -> None:
    me, guest = server.browser(), server.browser()
    alone = me.begin("me", AGENT)
    me.post(f"/api/games/{alone}/saves", {"name": "x"}, 201)
    made = me.post("/api/games", {"seats": seat_list("me", "guest")}, 201)
    guest.post("/api/join", {"invitation": made["invitations"]["allied"]})
    cookies = dict(me.client.cookies)
    answered = me.client.post("/api/logout", json={})
    assert answered.status_code == 200
    assert f'{COOKIE}=""' in answered.headers["set-cookie"]
    assert "Max-Age=0" in answered.headers["set-cookie"]
    assert not me.client.cookies
    # The cookie gives nothing any more, to whoever has it.
    thief = server.browser(cookies)
    thief.get(f"/api/games/{alone}", 404)
    assert thief.get("/api/games") == {"games": [], "saves": []}
    thief.post("/api/logout", status=404)
    store = server.app.state.service.store
    assert store.game(alone) is None
    assert not store._all("SELECT 1 FROM saves WHERE session = ?", digest(cookies[COOKIE]))
    # The other one's game goes on, and the seat can be given again.
    assert [seat["joined"] for seat in guest.state(made["id"])["seats"]] == [False, True]
    assert guest.post(f"/api/games/{made['id']}/invitations")["side"] == "kamehameha"


def aged(server: Running, me: Browser, days: float) -> str:
    session = digest(dict(me.client.cookies)[COOKIE])
    server.app.state.service.store._all("UPDATE sessions SET seen = seen - ? WHERE session = ?", days * 86400, session)
    return session


def test_thirty_days_idle(serve: Callable[..., Any]) -> None:
    with serve() as server:
        service = server.app.state.service
        me, there = server.browser(), server.browser()
        game, kept = me.begin("me", AGENT), there.begin("me", AGENT)
        # Who comes is seen, and his cookie lasts again.
        session = aged(server, me, 29)
        answered = me.client.get(f"/api/games/{game}")
        assert answered.status_code == 200
        assert COOKIE in answered.headers["set-cookie"]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("hawaii_env.web.store.time.time", lambda: 0.0)  # the clock of a machine that has just started
            service.store.touch_session(session)
        assert time.time() - service.store.session_seen(session) < 600
        assert me.client.get(f"/api/games/{game}").headers.get("set-cookie") is None  # once an hour is enough
        aged(server, me, 31)
        me.get(f"/api/games/{game}", 404)
        assert me.get("/api/games")["games"] == []
        assert session in service.store.idle_sessions(time.time() - 30 * 86400)
        assert service.store.game(game) is not None
        # The sweep runs when the server starts, and each hour.
        assert server.run(server.app.state.browsers.end_idle_sessions()) == 1
        assert service.store.game(game) is None
        assert service.store.session_seen(session) is None
        assert there.my_turn(kept)["yours"]
        # A new game in the same browser is a new session, with a new token.
        again = me.begin("me", AGENT)
        assert me.state(again)["id"] == again
        assert digest(dict(me.client.cookies)[COOKIE]) != session


def test_no_session_before_it_has_something(server: Running) -> None:
    store = server.app.state.service.store
    before = store._all("SELECT COUNT(*) FROM sessions")
    me = server.browser()
    me.post("/api/games", {"seats": []}, 422)
    me.post("/api/join", {"invitation": "x" * 43}, 404)
    me.post("/api/records", {"record": "{}", "seats": seat_list("me", "me")}, 422)
    assert store._all("SELECT COUNT(*) FROM sessions") == before


# What is told


@pytest.mark.parametrize(
    ("path", "body", "code"),
    [
        ("/api/games/bad!link", None, "unknown"),
        ("/api/games/x", None, "unknown"),
        ("/api/join", {"invitation": "bad link"}, "invitation"),
        ("/api/join", {"invitation": ""}, "invitation"),
        ("/api/join", {"invitation": "x" * 500}, "invitation"),
        ("/api/load", {"save": "no such"}, "unknown"),
    ],
)
def test_a_bad_link_gets_a_readable_page(server: Running, path: str, body: Any, code: str) -> None:
    me = server.browser()
    me.begin("me", AGENT)
    error = (me.get(path, 404) if body is None else me.post(path, body, 404))["error"]
    assert error["code"] == code
    assert "^" not in error["message"]
    assert "pattern" not in error["message"]


def test_half_a_character_is_no_error_of_the_server(server: Running) -> None:
    me = server.browser()
    game = me.begin("me", AGENT)
    record = me.get(f"/api/games/{game}/record")
    half = "\\ud800"  # as JSON writes it
    lines = record.splitlines()
    events = [json.dumps({"type": "chance", "kind": "X", "outcome": 1, "text": "X", "n": 1}).replace("X", half)]
    texts = ["\n".join([lines[0], *events]) + "\n", record.replace('"long"', f'"{half}"'), f'"{half}"\n', half]
    for text in texts:
        for body in (text, text.replace(half, "\ud800")):
            sent = json.dumps({"record": body, "seats": seat_list("me", "me")})
            found = me.client.post("/api/records", content=sent, headers={"Content-Type": "application/json"})
            assert found.status_code == 422, found.text
    for sent in (f'{{"name": "{half}"}}', f'{{"{half}": "x", "name": "x"}}'):
        found = me.client.post(f"/api/games/{game}/saves", content=sent, headers={"Content-Type": "application/json"})
        assert found.status_code == 422, found.text
    for sent in (
        f'{{"scenario": "{half}", "position": {{}}}}',
        f'{{"position": {{"turn": "{half}"}}}}',
        f'{{"position": {{"{half}": 1}}}}',
    ):
        found = me.client.post("/api/positions", content=sent, headers={"Content-Type": "application/json"})
        assert found.status_code == 422, found.text


# The security log


@pytest.fixture
def journal(caplog: pytest.LogCaptureFixture) -> Callable[[], list[dict[str, Any]]]:
    caplog.set_level(logging.INFO, "hawaii_env.web.security")
    return lambda: [json.loads(r.getMessage()) for r in caplog.records if r.name == "hawaii_env.web.security"]


def test_rejected_requests_are_logged(serve: Callable[..., Any], journal: Callable[[], list[dict[str, Any]]]) -> None:
    with serve(connections_each=3, rate="40/day") as server:
        me, stranger = server.browser(), server.browser()
        game = me.begin("me", AGENT)
        token = dict(me.client.cookies)[COOKIE]
        stranger.get(f"/api/games/{game}", 404)
        guess = "guess" * 8
        stranger.post("/api/join", {"invitation": guess}, 404)
        stranger.client.get("/", headers={"Host": "evil\x1b.example"})
        stranger.client.get("/", headers={"Host": "evil.example"})
        stranger.client.get("/api/setup", headers={"Origin": "http://evil.example"})
        stranger.client.post("/api/games", content=b"x", headers={"Content-Type": "text/plain"})
        with wires(server, 6, b"GET / HT"):
            while "connections" not in {line["event"] for line in journal()}:
                time.sleep(0.01)
        while "malformed" not in {line["event"] for line in journal()}:  # the wires before may still count for a moment
            with wires(server, 1, b"nonsense\r\n\r\n") as held:
                answer(held[0])
        me.post("/api/logout")
        while stranger.client.get("/").status_code != 429:
            pass
        noted = journal()
    assert {"session begun", "unknown", "invitation", "host", "origin", "type", "malformed", "connections"} <= {
        line["event"] for line in noted
    }
    assert {"session ended", "rate"} <= {line["event"] for line in noted}
    assert {line["address"] for line in noted} == {"127.0.0.1"}
    told = json.dumps(noted)
    assert token not in told
    assert guess not in told
    assert game not in told
    assert game[:8] in told


@pytest.mark.usefixtures("kept_loggers")
def test_the_log_cannot_be_filled(serve: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "security.log"
    log_to(path)
    with serve() as server:
        me = server.browser()
        for n in range(200):
            me.client.get("/api/setup", headers={"Host": f"evil{n}.example"})
    lines = path.read_text().splitlines()
    assert 10 <= len(lines) <= 60
    assert json.loads(lines[0])["host"] == "evil0.example"
    assert os.name == "nt" or path.stat().st_mode & 0o077 == 0  # there are addresses in it


@pytest.mark.usefixtures("kept_loggers")
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_log_that_cannot_be_written_stops_nothing(
    serve: Callable[..., Any], capfd: pytest.CaptureFixture[str]
) -> None:
    log_to(Path("/dev/full"), later=True)
    with serve() as server:
        assert server.browser().client.get("/", headers={"Host": "evil.example"}).status_code == 400
        assert server.browser().client.get("/").status_code == 200
    assert capfd.readouterr().err == ""
