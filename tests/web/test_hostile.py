"""Requests that no page of ours makes."""

from __future__ import annotations

import importlib.metadata
import json
import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from hawaii_env.web.routes import COOKIE
from hawaii_env.web.security import is_address, neighbourhood

from .conftest import AGENT, Browser, Running, seat_list, until


@pytest.fixture(scope="module")
def me(server: Running) -> Browser:
    return server.browser()


@pytest.fixture(scope="module")
def game(me: Browser) -> str:
    game = me.begin("me", AGENT)
    me.my_turn(game)
    return game


def code(answer: Any) -> str:
    return answer.json()["error"]["code"]


PATHS = ("", "/moments/0", "/record", "/position")
POSTS = (
    "actions", "chance", "undo", "retry", "hint", "invitations", "saves", "leave", "draw", "resign", "turn", "typed",
    "name", "stand_in", "back", "rematch", "why_not",
)  # fmt: skip
BODIES: dict[str, Any] = {
    "actions": {"version": 0, "action": 0}, "saves": {"version": 0, "name": "x"}, "draw": {"version": 0},
    "resign": {"version": 0, "seat": 0}, "turn": {"version": 0, "seat": 0, "actions": [0]},
    "typed": {"version": 0, "seat": 0, "text": "x"}, "name": {"version": 0, "name": "x"},
    "stand_in": {"version": 0, "agent": AGENT}, "why_not": {"version": 0, "thing": {"piece": "x" * 64}},
}  # fmt: skip


def test_a_stranger_sees_and_does_nothing(server: Running, game: str, me: Browser) -> None:
    stranger = server.browser()
    stranger.begin("me", AGENT)  # a browser with a game of its own
    nobody = server.browser()
    before = me.state(game)
    for browser in (stranger, nobody):
        for path in PATHS:
            answer = browser.client.get(f"/api/games/{game}{path}")
            assert (answer.status_code, code(answer)) == (404, "unknown")
        for path in POSTS:
            answer = browser.client.post(
                f"/api/games/{game}/{path}", json=BODIES.get(path, {"version": before["version"]})
            )
            assert (answer.status_code, code(answer)) == (404, "unknown"), path
    # The same words as for a game that is not there: not even that it is there is told.
    missing = stranger.client.get("/api/games/" + "x" * 43)
    assert missing.text == stranger.client.get(f"/api/games/{game}").text
    assert me.state(game) == before


def test_a_made_up_session_is_none(server: Running, game: str) -> None:
    for value in ("x" * 43, "../../etc/passwd", "' OR 1=1 --", ""):
        answer = server.browser({COOKIE: value}).client.get(f"/api/games/{game}")
        assert answer.status_code == 404


def test_the_session_is_unguessable_and_hidden_from_scripts(server: Running) -> None:
    answer = server.browser().client.post("/api/games", json={"seats": seat_list("me", AGENT)})
    cookie = answer.headers["set-cookie"]
    name, _, value = cookie.split(";")[0].partition("=")
    assert name == COOKIE
    assert len(value) >= 43
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert value not in answer.text
    assert server.browser().client.get("/api/games").headers.get("set-cookie") is None


def test_illegal_and_stale_actions(me: Browser, game: str) -> None:
    state = me.my_turn(game)
    legal = {action["action"] for action in state["actions"]}
    illegal = next(action for action in range(1000) if action not in legal)
    path = f"/api/games/{game}/actions"
    assert me.post(path, {"version": state["version"], "action": illegal}, 422)["error"]["code"] == "illegal"
    assert me.post(path, {"version": state["version"], "action": 999_999}, 422)["error"]["code"] == "illegal"
    for version in (state["version"] - 1, state["version"] + 1):
        answer = me.client.post(path, json={"version": version, "action": min(legal)})
        assert (answer.status_code, code(answer)) == (409, "stale")
    assert me.state(game) == state


def test_out_of_turn(server: Running) -> None:
    me = server.browser()
    made = me.post("/api/games", {"seats": seat_list("me", "guest")}, 201)
    state = me.state(made["id"])
    assert not state["yours"]  # the Allies place first
    assert state["actions"] == []
    body = {"version": state["version"], "action": 1}
    assert me.post(f"/api/games/{made['id']}/actions", body, 403)["error"]["code"] == "turn"
    assert (
        me.post(f"/api/games/{made['id']}/chance", {"version": state["version"], "outcome": 6}, 403)["error"]["code"]
        == "dice"
    )
    assert me.post(f"/api/games/{made['id']}/hint", {"version": state["version"]}, 403)["error"]["code"] == "turn"


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"null", b"[]", b"\xff\xfe", b'"x"', b"NaN", b'{"version": 1e999}',
        b'{"version": "0", "action": "1"}',
        b'{"version": 0, "action": 1.0}', b'{"version": 0, "action": true}', b'{"version": 0, "action": -1}',
        b'{"version": 0}',
        b'{"version": 0, "action": 1, "path": "/etc/passwd"}', b"[" * 30000,
        b'{"version": 0, "action": ' + b"9" * 5000 + b"}",
        b'{"version": 0, "action": 0, "action": 0}', b'{"version": 0, "action": 0, "x": "\\ud800"}',
    ],
)  # fmt: skip
def test_bad_json(me: Browser, game: str, body: bytes) -> None:
    answer = me.client.post(f"/api/games/{game}/actions", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code in (400, 422), answer.text
    assert len(answer.text) < 1000
    assert b"passwd" not in answer.content or body.count(b"path")  # a field's name may be told, its value not
    assert b"/etc" not in answer.content


@pytest.mark.parametrize(
    "spec", ["mcts:sims=100000000", "random:seed=2", "ppo:weights=/etc/passwd", "os:system", "", "x" * 500]
)
def test_only_agents_of_the_list(me: Browser, spec: str) -> None:
    body = {"seats": [{"kind": "me"}, {"kind": "agent", "agent": spec}]}
    assert me.post("/api/games", body, 422)["error"]["code"] in ("agent", "invalid")


@pytest.mark.parametrize(
    "change",
    [
        {"scenario": "../long"}, {"scenario": 7}, {"rules": "/tmp"}, {"sea_victor": "x"}, {"final_check": 1},
        {"dice": "loaded"},
        {"seats": []}, {"seats": [{"kind": "me"}]}, {"seats": [{"kind": "guest"}, {"kind": "guest"}]},
        {"seats": [{"kind": "me"}] * 9},
        {"seats": [{"kind": "me", "agent": AGENT}, {"kind": "me"}]}, {"seats": [{"kind": "agent"}, {"kind": "me"}]},
        {"seed": 1},
    ],
)  # fmt: skip
def test_bad_new_games(me: Browser, change: dict[str, Any]) -> None:
    me.post("/api/games", {"seats": seat_list("me", AGENT), **change}, 422)


def test_wrong_methods(me: Browser, game: str) -> None:
    for method in ("PUT", "DELETE", "PATCH"):
        assert me.client.request(method, f"/api/games/{game}").status_code == 405
    assert me.client.get(f"/api/games/{game}/actions").status_code == 405
    assert me.client.post("/", json={}).status_code == 405
    assert me.client.request("TRACE", "/").status_code == 405


@pytest.mark.parametrize("path", ["/static/../app.py", "/static/..%2fapp.py", "/static/%2e%2e/%2e%2e/pyproject.toml",
    "/static/....//app.py",
                                  "/static//etc/passwd", "/static/%00", "/../../etc/passwd", "/static/style.css/..",
                                  "/static/", "/api/", "/docs", "/openapi.json"])  # fmt: skip
def test_no_file_but_the_pages(server: Running, path: str) -> None:
    # By hand: a client would tidy the path up.
    with socket.create_connection(("127.0.0.1", server.port)) as wire:
        wire.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
        answer = b""
        while part := wire.recv(65536):
            answer += part
    assert answer.split(b" ")[1] in (b"404", b"400"), answer[:200]
    assert b"root:" not in answer
    assert b"import" not in answer


def test_ids_of_odd_form(me: Browser) -> None:
    for game in ("x", "..", "%2e%2e%2f", "a" * 500, "a'b", "%00"):
        assert me.client.get(f"/api/games/{game}").status_code in (404, 422)


def test_huge_bodies(server: Running, me: Browser, game: str) -> None:
    path = f"/api/games/{game}/actions"
    big = json.dumps({"version": 0, "action": 0, "x": "y" * 100_000}).encode()
    headers = {"Content-Type": "application/json"}
    assert me.client.post(path, content=big, headers=headers).status_code == 413
    # Without a length, in pieces.
    answer = me.client.post(path, content=(b"x" * 1000 for _ in range(200)), headers=headers)
    assert answer.status_code == 413
    # A length that is told, and never sent.
    with socket.create_connection(("127.0.0.1", server.port)) as wire:
        wire.sendall(
            f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
            "99999999999\r\n\r\n".encode()
        )
        assert wire.recv(4096).split(b" ")[1] == b"413"
    assert me.client.post("/api/records", content=b"x" * 3_000_000, headers=headers).status_code == 413
    assert me.state(game)["count"] > 0


def test_wrong_host(server: Running) -> None:
    client = server.browser().client
    for host in (
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "evil.example:1795",
        "user@localhost",
        "",
    ):
        answer = client.get("/api/setup", headers={"Host": host})
        assert answer.status_code in (400, 421), host
    upper = (
        ("LOCALHOST:9",) if tuple(map(int, importlib.metadata.version("starlette").split(".")[:2])) >= (1, 9) else ()
    )  # Starlette's
    for host in ("localhost", *upper, "127.0.0.1:80", "[::1]:1795", "192.168.1.4"):
        assert client.get("/api/setup", headers={"Host": host}).status_code == 200, host


def test_names_that_are_given(serve: Callable[..., Any]) -> None:
    with serve(hosts=("games.example",)) as server:
        client = server.browser().client
        for host, status in (("games.example:443", 200), ("games.example", 200), ("www.games.example", 400)):
            assert client.get("/", headers={"Host": host}).status_code == status, host


def test_plain_addresses() -> None:
    for host in ("127.0.0.1", "10.0.0.7:80", "[::1]", "[fe80::1]:1795"):
        assert is_address(host), host
    for host in (
        "",
        "1",
        "a.b",
        "127.0.0.1:x",
        "127.0.0.1:",
        "u@127.0.0.1",
        "127.0.0.1/",
        "::1",
        "[::1",
        "127.0.0.1.",
        "[127.0.0.1]x",
    ):
        assert not is_address(host), host


def test_who_counts_as_one() -> None:
    assert neighbourhood("203.0.113.9") == "203.0.113.9"
    assert neighbourhood("::ffff:203.0.113.9") == "203.0.113.9"
    # Whoever has one address of IPv6 has 2**64 of them.
    assert neighbourhood("2001:db8:1:2::3") == neighbourhood("2001:db8:1:2:ffff::9") != neighbourhood("2001:db8:1:3::3")
    assert neighbourhood("unknown") == neighbourhood("") == "unknown"


def test_other_sites(me: Browser, game: str) -> None:
    path, body = f"/api/games/{game}/undo", {"version": 0}
    for headers in (
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://["},
        {"Origin": "http://[::1]x"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ):
        answer = me.client.post(path, json=body, headers=headers)
        assert (answer.status_code, code(answer)) == (403, "origin")
        assert me.client.get(f"/api/games/{game}", headers=headers).status_code == 403
    # What a form of another site can send.
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
        answer = me.client.post(path, content=b'{"version": 0}', headers={"Content-Type": kind})
        assert (answer.status_code, code(answer)) == (415, "type")
    assert (
        me.client.post(path, json=body, headers={"Origin": f"http://{me.client.base_url.netloc.decode()}"}).status_code
        == 409
    )


def test_headers(me: Browser, game: str) -> None:
    for path in ("/", "/static/main.js", f"/api/games/{game}", "/api/nothing", "/nothing"):
        answer = me.client.get(path)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert "server" not in answer.headers
    assert me.client.get(f"/api/games/{game}").headers["cache-control"] == "no-store"
    page = me.client.get("/").text
    assert "<style" not in page
    assert "style=" not in page
    assert page.count("<script") == 1
    assert "http" not in page.replace("http-equiv", "")


def test_rates(serve: Callable[..., Any]) -> None:
    with serve(rate="20/day", heavy_rate="3/day") as server:
        client = server.browser().client
        answers = [client.post("/api/games", json={"seats": seat_list("me", AGENT)}) for _ in range(5)]
        assert [answer.status_code for answer in answers] == [201, 201, 201, 429, 429]
        assert code(answers[-1]) == "rate"
        assert 0 < int(answers[-1].headers["retry-after"]) <= 24 * 3600  # until midnight
        statuses = [client.get("/api/setup").status_code for _ in range(30)]
        assert statuses[0] == 200
        assert statuses[-1] == 429


def test_rates_end(serve: Callable[..., Any]) -> None:
    with serve(rate="2/second") as server:
        client = server.browser().client
        assert 429 in [client.get("/api/setup").status_code for _ in range(6)]
        until(lambda: client.get("/api/setup").status_code != 429)


def test_what_is_kept_has_a_rate_of_its_own(serve: Callable[..., Any]) -> None:
    with serve(new_rate="2/day") as server:
        me = server.browser()
        game = me.begin("me", AGENT)
        me.my_turn(game)
        me.post(f"/api/games/{game}/saves", {"name": "x"}, 201)
        assert me.post(f"/api/games/{game}/saves", {"name": "x"}, 429)["error"]["code"] == "rate"
        # Another cookie is no other address.
        server.browser().post("/api/games", {"seats": seat_list("me", AGENT)}, 429)
        me.act(game, me.my_turn(game))


def test_games_of_one_browser_are_limited(serve: Callable[..., Any]) -> None:
    with serve(games_each=2) as server:
        me = server.browser()
        first = me.begin("me", AGENT)
        me.begin("me", AGENT)
        assert me.post("/api/games", {"seats": seat_list("me", AGENT)}, 429)["error"]["code"] == "games"
        record = me.get(f"/api/games/{first}/record")
        me.post(f"/api/games/{first}/leave")
        me.get(f"/api/games/{first}", 404)

        def load(_: int) -> int:
            return me.client.post("/api/records", json={"record": record, "seats": seat_list("me", "me")}).status_code

        with ThreadPoolExecutor(6) as pool:  # of several at a time no more than one after another
            assert sorted(pool.map(load, range(6))) == [201, *[429] * 5]
        assert len(me.get("/api/games")["games"]) == 2


def test_strangers_push_out_no_unfinished_game(serve: Callable[..., Any]) -> None:
    with serve(games_all=3) as server:
        me = server.browser()
        kept = me.begin("me", AGENT)
        me.act(kept, me.my_turn(kept))
        idle = me.begin("me", AGENT)
        stranger = server.browser()
        over = stranger.begin("me", AGENT)
        stranger.my_turn(over)  # nobody writes it any more
        refused = server.browser().post("/api/games", {"seats": seat_list("me", AGENT)}, 503)["error"]
        assert (refused["code"], "accepts no more" in refused["message"]) == ("full", True)
        ask = server.app.state.service.store._all
        # A finished one goes, the longest idle first; then one that has been begun only, a day ago.
        ask("UPDATE games SET over = 1 WHERE id = ?", over)
        stranger.begin("me", AGENT)
        stranger.get(f"/api/games/{over}", 404)
        stranger.post("/api/games", {"seats": seat_list("me", AGENT)}, 503)
        ask("UPDATE games SET updated = updated - 90000 WHERE id IN (?, ?)", idle, kept)
        stranger.begin("me", AGENT)
        me.get(f"/api/games/{idle}", 404)
        stranger.post("/api/games", {"seats": seat_list("me", AGENT)}, 503)
        assert me.my_turn(kept)["count"] > 0


def test_saves_have_a_cap(serve: Callable[..., Any]) -> None:
    with serve(saves_each=2, saves_all=3) as server:
        me, other = server.browser(), server.browser()
        mine, theirs = me.begin("me", AGENT), other.begin("me", AGENT)
        for _ in range(2):
            me.post(f"/api/games/{mine}/saves", {"name": "x"}, 201)
        assert me.post(f"/api/games/{mine}/saves", {"name": "x"}, 429)["error"]["code"] == "saves"
        other.post(f"/api/games/{theirs}/saves", {"name": "x"}, 201)
        assert other.post(f"/api/games/{theirs}/saves", {"name": "x"}, 503)["error"]["code"] == "full"
        assert len(me.get("/api/games")["saves"]) == 2


def test_a_big_database_takes_nothing_new(serve: Callable[..., Any]) -> None:
    with serve() as server:
        me = server.browser()
        game = me.begin("me", AGENT)
        object.__setattr__(server.app.state.service.settings, "bytes_all", 1000)
        assert me.post("/api/games", {"seats": seat_list("me", AGENT)}, 503)["error"]["code"] == "full"
        assert me.post(f"/api/games/{game}/saves", {"name": "x"}, 503)["error"]["code"] == "full"
        me.act(game, me.my_turn(game))  # what has begun goes on


def test_no_secrets_in_what_is_sent(me: Browser, game: str) -> None:
    for path in PATHS:
        text = me.client.get(f"/api/games/{game}{path}").text
        for word in ('"generator"', "session"):
            assert word not in text
