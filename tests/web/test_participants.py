"""What people do beside their moves: give up, agree, undo a turn, names, going away, the rematch, and what is there to
see at the end.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hawaii_env import records
from hawaii_env.hawaii1795.spec import SPEC
from hawaii_env.web import store
from hawaii_env.web.routes import WAIT

from .conftest import AGENT, Browser, Running, seat_list, until
from .test_games import march, play


@pytest.fixture(scope="module")
def server(serve: Callable[..., Any]) -> Any:
    with serve(absent=0.0, values=("nobody", "playouts:games=2")) as made:
        yield made


def two(server: Running, **more: Any) -> tuple[Browser, Browser, str]:
    """Two people at a game, on two machines: Kamehameha, the Allies, the game's id."""
    host, guest = server.browser(), server.browser()
    seats = [{"kind": "me"}, {"kind": "guest"}]
    made = host.post("/api/games", {"seats": seats, "scenario": "short", "name": "Keoni", **more}, 201)
    guest.post("/api/join", {"invitation": made["invitations"]["allied"], "name": "Māhealani"})
    return host, guest, made["id"]


def verified(browser: Browser, game: str, tmp_path: Path) -> records.Replay:
    path = tmp_path / f"{game}.jsonl"
    path.write_text(browser.get(f"/api/games/{game}/record"), encoding="utf-8")
    return records.verify(path)


def test_who_resigns_has_lost_and_the_record_verifies(server: Running, tmp_path: Path) -> None:
    host, guest, game = two(server)
    state = host.my_turn(game)
    host.act(game, state)
    state = host.state(game)
    # Only one's own side, and only at the position that one has seen.
    host.post(f"/api/games/{game}/resign", {"seat": 1}, 403)
    guest.post(f"/api/games/{game}/resign", {"seat": 1})
    for browser in (host, guest):
        over = browser.state(game)
        assert over["result"] == {
            "winner": 0,
            "reason": "resignation",
            "why": "",
            "agreed": {"kind": "resignation", "player": 1},
        }
        assert not over["yours"]
        assert over["actions"] == []
        assert over["undo"] is None
        assert over["refused"]["resign 0"] == over["refused"]["resign 1"] == "the game is over"
    assert host.get("/api/games")["games"][0]["over"]
    version = over["version"]
    for what, body in (
        ("actions", {"action": 0, "version": version}),
        ("resign", {"seat": 0}),
        ("draw", {}),
        ("undo", {"version": version}),
    ):
        host.post(f"/api/games/{game}/{what}", body, 422)
    found = verified(host, game, tmp_path)
    assert found.record.agreement == records.Agreement("resignation", 1, 2)
    assert found.record.header["players"] == ["Keoni", "Māhealani"]
    # Loaded again it is the game that is over.
    text = host.get(f"/api/games/{game}/record")
    again = host.post("/api/records", {"record": text, "seats": [{"kind": "me"}, {"kind": "me"}]}, 201)["id"]
    assert host.state(again)["result"]["reason"] == "resignation"
    # A save of it goes on.
    host.post(f"/api/games/{game}/saves", {"name": "before the end"}, 201)
    save = host.get("/api/games")["saves"][0]["id"]
    assert host.state(host.post("/api/load", {"save": save}, 201)["id"])["result"] is None


def test_a_draw_needs_both(server: Running, tmp_path: Path) -> None:
    host, guest, game = two(server)

    def draw(browser: Browser, accept: bool = True, status: int = 200) -> Any:
        return browser.post(f"/api/games/{game}/draw", {"accept": accept}, status)

    draw(guest, accept=False, status=422)
    draw(host)
    assert guest.state(game)["offer"] == 0
    draw(host, status=422)
    draw(guest, accept=False)
    assert guest.state(game)["offer"] is None
    # Who plays on declines.
    draw(guest)
    host.act(game, host.my_turn(game))
    assert host.state(game)["offer"] is None
    # One's own offer stands while one plays on.
    draw(host)
    host.act(game, host.my_turn(game))
    assert guest.state(game)["offer"] == 0
    draw(guest)
    assert host.state(game)["result"]["winner"] is None
    assert host.state(game)["result"]["agreed"] == {"kind": "draw", "player": None}
    assert verified(guest, game, tmp_path).record.agreement == records.Agreement("draw", None, 2)


def test_an_agent_agrees_to_nothing_but_takes_a_resignation(server: Running) -> None:
    me = server.browser()
    game = me.begin("me", AGENT)
    state = me.my_turn(game)
    assert "offer" in state["refused"]
    me.post(f"/api/games/{game}/draw", {}, 422)
    me.post(f"/api/games/{game}/resign", {"seat": 0})
    assert me.state(game)["result"]["winner"] == 1
    watcher = server.browser()
    watched = watcher.begin(AGENT, AGENT)
    state = watcher.state(watched)
    assert "resign 0" in state["refused"]
    assert watcher.post(f"/api/games/{watched}/resign", {"seat": 0}, 403)


def test_one_who_has_both_sides_agrees_at_once(server: Running) -> None:
    me = server.browser()
    game = me.begin("me", "me")
    me.post(f"/api/games/{game}/draw", {})
    assert me.state(game)["result"]["reason"] == "draw by agreement"


def test_what_was_agreed_survives_a_restart(serve: Callable[..., Any], tmp_path: Path) -> None:
    database = str(tmp_path / "games.sqlite")
    with serve(database=database) as first:
        host, _, game = two(first)
        cookies = host.client.cookies
        host.post(f"/api/games/{game}/draw", {})
        other = host.begin("me", AGENT)
        host.my_turn(other)
        host.post(f"/api/games/{other}/resign", {"seat": 0})
        before = host.state(other)
    with serve(database=database) as second:
        again = second.browser(cookies)
        assert again.state(game)["offer"] == 0
        after = again.state(other)
        assert {key: after[key] for key in before if key != "away"} == {
            key: before[key] for key in before if key != "away"
        }


def test_a_whole_turn_is_taken_back(server: Running) -> None:
    me = server.browser()
    game = me.begin("me", AGENT)
    march(me, game)
    state = me.my_turn(game)
    while state["status"]["phase"] == "movement" and state["undo_turn"] < 3:
        moves = [n for n, action in enumerate(state["actions"]) if action["text"] != "done"]
        if not moves:
            break
        me.act(game, state, moves[0])
        state = me.my_turn(game)
    assert state["undo_turn"] >= 2
    taken, count = state["undo_turn"], state["count"]
    me.post(f"/api/games/{game}/undo", {"version": state["version"], "turn": True})
    back = me.my_turn(game)
    assert back["undo_turn"] == 0 or back["undo"] is not None
    assert back["count"] <= count - taken
    assert back["status"]["half"] == "kamehameha"
    # Nothing is left to take back of this turn, or what is left was before a die.
    assert back["undo_turn"] == 0


def test_two_at_one_screen_take_back_their_own_turn_alone(server: Running) -> None:
    me = server.browser()
    game = me.begin("me", "me", scenario="short")
    state = me.my_turn(game)
    sides: list[int] = []
    while state["status"]["phase"] == "setup":
        sides.append(state["player"])
        me.act(game, state)
        state = me.my_turn(game)
    assert sides == sorted(sides)
    mine = sides.count(sides[-1])
    # A card was drawn since: by the rule for single decisions nothing can be taken back either.
    assert state["undo"] is None
    game = me.begin("me", "me", scenario="short")
    for _ in range(len(sides) - 1):
        me.act(game, me.my_turn(game))
    state = me.my_turn(game)
    assert state["undo_turn"] == mine - 1
    me.post(f"/api/games/{game}/undo", {"version": state["version"], "turn": True})
    assert me.my_turn(game)["player"] == sides[-1]
    assert me.my_turn(game)["count"] == len(sides) - mine


def test_names_are_seen_and_hold_nothing_odd(server: Running) -> None:
    host, guest, game = two(server)
    assert [seat["name"] for seat in guest.state(game)["seats"]] == ["Keoni", "Māhealani"]
    host.post(f"/api/games/{game}/name", {"name": "  <b>Kū</b> "})
    assert [seat["name"] for seat in guest.state(game)["seats"]] == ["<b>Kū</b>", "Māhealani"]
    host.post(f"/api/games/{game}/name", {"name": ""})
    assert guest.state(game)["seats"][0]["name"] is None
    # A seat that somebody has left keeps no name for who takes it.
    other = two(server)
    other[1].post(f"/api/games/{other[2]}/leave")
    assert [seat["name"] for seat in other[0].state(other[2])["seats"]] == ["Keoni", None]
    for wrong in ("x" * 41, "a\nb", "\u202eabc", "\x00", 7, None):
        host.post(f"/api/games/{game}/name", {"name": wrong}, 422)
    answer = host.client.post(
        f"/api/games/{game}/name", content=b'{"name": "\\ud800"}', headers={"content-type": "application/json"}
    )
    assert answer.status_code == 422


def test_an_agent_stands_in_for_who_has_gone_until_they_are_back(
    serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    monkeypatch.setattr("hawaii_env.web.refusals.time", SimpleNamespace(monotonic=lambda: now[0]))
    with serve(absent=300) as server:
        host, guest, game = two(server)
        guest.state(game)
        while host.state(game)["player"] != 1:
            host.act(game, host.my_turn(game))
        now[0] += 299
        assert host.state(game)["absent"] == []
        host.post(f"/api/games/{game}/stand_in", {"agent": AGENT}, 409)
        now[0] += 2
        assert host.state(game)["absent"] == [1]
        host.post(f"/api/games/{game}/stand_in", {"agent": "champion:seconds=9"}, 422)
        host.post(f"/api/games/{game}/stand_in", {"agent": AGENT})
        state = host.my_turn(game)
        assert state["seats"][1]["stand_in"] == AGENT
        assert state["yours"] or state["result"]
        assert "offer" in state["refused"]
        # Back again, the seat is theirs.
        seen = guest.state(game)
        assert seen["seats"][1]["you"]
        guest.post(f"/api/games/{game}/back", {})
        assert guest.state(game)["seats"][1]["stand_in"] is None
        assert "offer" not in guest.state(game)["refused"]
        guest.post(f"/api/games/{game}/back", {}, 422)


def test_nobody_takes_the_seat_of_who_is_there(server: Running) -> None:
    me = server.browser()
    stranger = server.browser()
    stranger.begin("me", AGENT)
    game = me.begin("me", "me")
    state = me.state(game)
    assert state["absent"] == []
    me.post(f"/api/games/{game}/stand_in", {"agent": AGENT}, 409)
    for what, body in (("resign", {"seat": 0}), ("draw", {}), ("stand_in", {"agent": AGENT}), ("back", {})):
        stranger.post(f"/api/games/{game}/{what}", body, 404)
    for what in ("rematch", "name"):
        stranger.post(f"/api/games/{game}/{what}", {"name": "x"} if what == "name" else {}, 404)
    stranger.get(f"/api/games/{game}/curve", 404)
    stranger.get(f"/api/games/{game}/advice", 404, version=state["version"])


def test_a_rematch_is_one_for_both(server: Running) -> None:
    host, guest, game = two(server)
    host.post(f"/api/games/{game}/rematch", {}, 409)
    host.post(f"/api/games/{game}/resign", {"seat": 0})
    made = host.post(f"/api/games/{game}/rematch", {"swap": True}, 201)["id"]
    assert guest.state(game)["next"] == made
    assert guest.post(f"/api/games/{game}/rematch", {}, 201)["id"] == made
    # Both at the same moment find one and the same, too.
    host.post(f"/api/games/{made}/resign", {"seat": 1})
    with ThreadPoolExecutor(2) as pool:
        both = list(pool.map(lambda one: one.post(f"/api/games/{made}/rematch", {}, 201)["id"], (host, guest)))
    assert len(set(both)) == 1
    seats = guest.state(made)["seats"]
    assert [seat["you"] for seat in seats] == [True, False]
    assert [seat["name"] for seat in seats] == ["Māhealani", "Keoni"]
    assert host.state(made)["scenario"] == "short"
    # Against an agent, without and with the sides changed.
    me = server.browser()
    first = me.begin("me", AGENT, dice="hand")
    me.post(f"/api/games/{first}/resign", {"seat": 0})
    second = me.post(f"/api/games/{first}/rematch", {"swap": True}, 201)["id"]
    assert [seat["agent"] for seat in me.state(second)["seats"]] == [AGENT, None]
    assert me.state(second)["dice"] == "hand"
    # Who has left the rematch gets another.
    me.post(f"/api/games/{second}/leave")
    assert me.post(f"/api/games/{first}/rematch", {}, 201)["id"] != second
    # But nobody gives the other one seat after another.
    host.post(f"/api/games/{both[0]}/leave")
    assert host.post(f"/api/games/{made}/rematch", {}, 409)["error"]["code"] == "left"
    assert guest.post(f"/api/games/{made}/rematch", {}, 201)["id"] == both[0]


LATE = {
    "turn": "september", "half": "kamehameha", "phase": "movement", "fleet_moves": 1,
    "units": {
        "kamehameha": {"kona": ["kamehameha", "warrior_2", "canoe"], "hilo": ["warrior_1"]},
        "allied": {"maui": ["maui_warrior"], "waikiki": ["kalani", "oahu_warrior", "oahu_canoe"]},
    },
}  # fmt: skip
"""Some twenty decisions before the end."""


def test_the_end_has_a_reason_a_curve_and_a_replay(server: Running) -> None:
    me = server.browser()
    game = me.begin("me", AGENT, scenario="short", position=LATE)
    me.get(f"/api/games/{game}/curve", 404)
    assert server.browser().client.get(f"/replay/{game}").status_code == 404
    state = play(me, game, pick=1)
    assert state["result"]["agreed"] is None
    assert state["result"]["why"]
    curve = me.get(f"/api/games/{game}/curve")
    # The first valuer that works is asked, and one that does not exist harms nobody.
    assert curve["label"] == "2 random games from each position"
    points = curve["points"]
    assert [n for n, *_ in points] == sorted({n for n, *_ in points})
    assert points[-1][0] == state["count"]
    winner = state["result"]["winner"]
    assert points[-1][1:] == ([0.5, 0.5] if winner is None else [1.0 - winner, float(winner)])
    assert all(abs(sum(scores) - 1) < 1e-3 for _, *scores in points)
    # Who has the address sees the replay, and nothing else of the game.
    stranger = server.browser().client
    page = stranger.get(f"/replay/{game}")
    assert page.status_code == 200
    policy = page.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "frame-ancestors 'none'" in policy
    assert page.headers["x-content-type-options"] == "nosniff"
    assert stranger.get(f"/api/games/{game}").status_code == 404
    assert stranger.get(f"/replay/{'x' * 43}").status_code == 404
    assert stranger.get("/replay/..%2f..").status_code in (404, 422)


def test_advice_is_for_whose_turn_it_is(server: Running) -> None:
    me = server.browser()
    game = me.begin("me", AGENT)
    state = me.my_turn(game)
    advice = me.get(f"/api/games/{game}/advice", version=state["version"])
    assert advice["player"] == 0
    assert advice["sections"][0]["title"] == "You win"
    assert json.dumps(advice["warnings"]) == "{}"
    me.get(f"/api/games/{game}/advice", 409, version=state["version"] + 1)
    watched = me.begin(AGENT, AGENT)
    assert me.state(watched)["refused"]["advice"] == "you have no side in this game"


def test_levels_are_offered_with_their_agents(server: Running) -> None:
    me = server.browser()
    setup = me.get("/api/setup")
    assert [level["number"] for level in setup["levels"]] == list(range(1, 7))
    assert setup["level"] == SPEC.level <= 2
    assert all(
        level["name"] and level["about"] and level["agent"] and set(level["others"]) == {"scenario=short"}
        for level in setup["levels"]
    )
    easy = setup["levels"][1]["others"]["scenario=short"]
    game = me.begin("me", easy, scenario="short")
    assert me.my_turn(game)["seats"][1]["agent"] == easy
    me.post("/api/games", {"seats": [{"kind": "me"}, {"kind": "agent", "agent": "epsilon-greedy:epsilon=0.9"}]}, 422)


@pytest.mark.parametrize("what", ["join", "name", "leave", "logout", "watch", "unwatch"])
def test_who_waits_learns_at_once_who_is_there(server: Running, what: str) -> None:
    """What wakes those who wait for news changes the version that they wait for."""
    host, guest = server.browser(), server.browser()
    made = host.post("/api/games", {"seats": seat_list("me", "guest")}, 201)
    game, (invitation,) = made["id"], made["invitations"].values()
    if what != "join":
        guest.post("/api/join", {"invitation": invitation})
    if what == "unwatch":
        server.browser().post("/api/join", host.post(f"/api/games/{game}/watch"))
    before = host.state(game)
    with ThreadPoolExecutor(1) as pool:
        news = pool.submit(host.state, game, version=before["version"], wait=WAIT)
        until(lambda: server.app.state.service._changed.get(game))  # the host waits
        if what == "join":
            guest.post("/api/join", {"invitation": invitation})
        elif what == "name":
            guest.post(f"/api/games/{game}/name", {"name": "Keoni"})
        elif what == "leave":
            guest.post(f"/api/games/{game}/leave")
        elif what == "watch":
            server.browser().post("/api/join", host.post(f"/api/games/{game}/watch"))
        elif what == "unwatch":
            host.post(f"/api/games/{game}/unwatch", {"seat": before["watching"][0]["seat"]})
        else:
            guest.post("/api/logout")
        after = news.result(WAIT / 2)
    assert after["version"] != before["version"]
    assert {"watching": after["watching"], "seats": after["seats"]} != {
        "watching": before["watching"],
        "seats": before["seats"],
    }


def test_who_waits_learns_that_somebody_has_gone(server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """As soon as they count as gone, and not when the request that waits for news ends by itself."""
    monkeypatch.setattr("hawaii_env.web.participants.AWAY", 0.5)
    host, _, game = two(server)
    with ThreadPoolExecutor(1) as pool:
        news = pool.submit(host.state, game, version=host.state(game)["version"], wait=WAIT)
        assert news.result(WAIT / 2)["away"] == [1]


def test_watchers_by_a_link(server: Running) -> None:
    """Any number by one link, until there is a newer one; a game is its players', not its watchers'."""
    host, guest, game = two(server)
    link, since = host.post(f"/api/games/{game}/watch"), [seat["since"] for seat in host.state(game)["seats"]]
    watchers = [server.browser() for _ in range(3)]
    for watcher, name in zip(watchers[:2], ("Keoni", None), strict=True):
        assert watcher.post("/api/join", {**link, "name": name})["id"] == game
    watchers[0].post("/api/join", link)  # once more is no more
    seen = watchers[0].state(game)
    assert seen["watching"] == host.state(game)["watching"]
    assert [one["name"] for one in seen["watching"]] == ["Keoni", None]
    assert [seat["since"] for seat in seen["seats"]] == since  # nobody's time begins anew
    assert not seen["yours"] and not seen["actions"] and not any(seat["you"] for seat in seen["seats"])
    assert watchers[0].get("/api/games")["games"][0]["id"] == game
    watchers[0].post(f"/api/games/{game}/chance", {}, 403)
    host.post(f"/api/games/{game}/watch")
    watchers[2].post("/api/join", link, 404)
    watchers[1].post(f"/api/games/{game}/leave")
    (left,) = host.state(game)["watching"]
    # Who is removed learns it at once, and does not come back by the same link.
    link = host.post(f"/api/games/{game}/watch")
    watchers[0].post(f"/api/games/{game}/unwatch", {"seat": left["seat"]}, 403)
    with ThreadPoolExecutor(1) as pool:
        at = {"version": watchers[0].state(game)["version"], "wait": WAIT}
        news = pool.submit(watchers[0].client.get, f"/api/games/{game}", params=at)
        until(lambda: server.app.state.service._changed.get(game))
        host.post(f"/api/games/{game}/unwatch", {"seat": left["seat"]})
        assert news.result(WAIT / 2).status_code == 404
    watchers[0].post("/api/join", link, 404)
    assert host.state(game)["watching"] == []
    link = host.post(f"/api/games/{game}/watch")
    watchers[2].post("/api/join", link)
    for browser in (host, guest):
        browser.post(f"/api/games/{game}/leave")
    watchers[2].get(f"/api/games/{game}", 404)


def test_watchers_of_a_game_are_bounded(serve: Callable[..., Any]) -> None:
    with serve(watchers=1) as server:
        host, _, game = two(server)
        link = host.post(f"/api/games/{game}/watch")
        server.browser().post("/api/join", link)
        told = server.browser().post("/api/join", link, 503)["error"]["message"]
        assert told.startswith("1 people watch this game")


def test_an_agent_plays_for_whose_time_is_up(server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    began, passed = time.time(), [0.0]
    monkeypatch.setattr(store, "time", SimpleNamespace(time=lambda: began + passed[0]))
    alone = server.browser()
    alone.post("/api/games", {"seats": seat_list("me", AGENT), "limit": 300}, 422)
    host = server.browser()
    made = host.post("/api/games", {"seats": seat_list("me", "guest"), "scenario": "short", "limit": 300}, 201)
    game, at = made["id"], f"/api/games/{made['id']}"

    def waited(seat: int) -> Any:
        since = host.get("/api/games")["games"][0]["seats"][seat]["since"]
        assert since == host.state(game)["seats"][seat]["since"]
        return None if since is None else round(since - began)

    def pass_time(seconds: float) -> list[Any]:
        passed[0] += seconds
        server.run(server.app.state.service.end_turns())
        return [seat["stand_in"] for seat in host.state(game)["seats"]]

    # Nobody's time runs before all have come, and then all of it is left.
    assert pass_time(1000) == [None, None]
    guest = server.browser()
    guest.post("/api/join", {"invitation": made["invitations"]["allied"]})
    assert (waited(0), waited(1)) == (1000, None)
    assert pass_time(200) == [None, None]
    # A turn of several decisions has one time, which nothing begins anew but the turn of somebody else.
    host.act(game, host.my_turn(game))
    host.post(f"{at}/undo")
    host.post(f"{at}/draw")
    host.post(f"{at}/draw", {"accept": False})
    assert waited(0) == 1000
    assert pass_time(99) == [None, None]
    assert pass_time(2)[0] is not None
    assert guest.state(game)["seats"][0]["played_by"]
    # Back at the game there is time again.
    host.post(f"{at}/back")
    assert pass_time(299)[0] is None
    assert host.get("/api/games")["games"][0]["limit"] == 300
