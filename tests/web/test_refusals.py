"""The server keeps every rule: what the page does not offer is refused, with the reason that the page shows; and every
request names the version that it was made for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from importlib import resources
from typing import Any

import pytest
from starlette.routing import Route

from hawaii_env.web.refusals import ACTIONS, OF_SEATS

from .conftest import AGENT, Browser, Running, seat_list

BODIES: dict[str, tuple[str, dict[str, Any]]] = {
    "act": ("actions", {"action": 0}),
    "why_not": ("why_not", {"thing": {}}),
    "chance": ("chance", {"outcome": None}),
    "undo": ("undo", {}),
    "undo_turn": ("undo", {"turn": True}),
    "retry": ("retry", {}),
    "hint": ("hint", {}),
    "offer": ("draw", {}),
    "accept": ("draw", {}),
    "decline": ("draw", {"accept": False}),
    "withdraw": ("draw", {"accept": False}),
    "name": ("name", {"name": "Keoni"}),
    "stand_in": ("stand_in", {"agent": "random"}),
    "back": ("back", {}),
    "rematch": ("rematch", {}),
    "leave": ("leave", {}),
    "save": ("saves", {"name": "x"}),
    "curve": ("curve", {}),
    "advice": ("advice", {}),
    "replay": ("", {}),
    "enter": ("turn", {"actions": [0]}),
    "take_back": ("turn", {"actions": []}),
    "typed": ("typed", {"text": "x"}),
    "resign": ("resign", {}),
    "invite": ("invitations", {}),
    "watch": ("watch", {}),
    "unwatch": ("unwatch", {"seat": 100}),
    "chat": ("chat", {"text": "x"}),
    "whisper": ("chat", {"text": "x"}),
    "mute": ("mute", {}),
}
"""Everything that a page asks for in a game, and its request."""

LOOKS: dict[str, tuple[str, dict[str, Any]]] = {"act": ("ahead", {"actions": [0]})}
"""Requests that change nothing and are refused as another one is."""

GETS = ("curve", "advice", "replay")
EITHER = {"offer": "accept", "accept": "offer", "decline": "withdraw", "withdraw": "decline"}
"""Requests that are one: which is meant hangs on who has offered."""


def request(one: Browser, game: str, what: str, version: int) -> Any:
    """Ask for what the page calls so, with a seat or without."""
    name, _, seat = what.partition(" ")
    path, body = BODIES[name]
    if name in GETS:
        where = f"/replay/{game}" if name == "replay" else f"/api/games/{game}/{path}"
        return one.client.get(where, params={"version": version} if name == "advice" else {})
    body = {"version": version, **body, **({"seat": int(seat)} if seat else {})}
    return one.client.post(f"/api/games/{game}/{path}", json=body)


def check_refused(one: Browser, game: str, seen: set[str]) -> None:
    """Ask for everything that the page does not offer now."""
    state = one.state(game)
    for what, why in state["refused"].items():
        other = EITHER.get(what)
        if other is not None and other not in state["refused"]:
            continue
        answer = request(one, game, what, state["version"])
        if answer.json()["error"]["code"] == "stale":  # agents play on, until they wait for who watches
            return check_refused(one, game, seen)
        told = answer.json()["error"]["message"]
        reasons = {why, state["refused"].get(other or "", why)}
        assert 400 <= answer.status_code < 500 and told in reasons, (what, why, answer.text)
        seen.add(f"{what.partition(' ')[0]}: {told}")
        if what in LOOKS:
            path, body = LOOKS[what]
            looked = one.client.post(f"/api/games/{game}/{path}", json={"version": state["version"], **body})
            if looked.json()["error"]["code"] == "stale":
                return check_refused(one, game, seen)
            assert (looked.status_code, looked.json()) == (answer.status_code, answer.json())
    after = one.state(game)
    if after["version"] != state["version"]:
        return check_refused(one, game, seen)
    assert after["refused"] == state["refused"]


KINDS: list[tuple[str, dict[str, Any], int]] = [
    ("hawaii1795", {}, 2), ("maori_wars", {}, 2), ("aloha", {"players": 2}, 2), ("aloha", {"players": 3}, 3),
    ("aloha", {"players": 4}, 4), ("heiau", {"scenario": "duel"}, 2), ("heiau", {"scenario": "haole"}, 5),
    ("heiau", {"scenario": "two_haoles"}, 6),
]  # fmt: skip


@pytest.fixture(scope="module")
def servers(serve: Callable[..., Any]) -> Iterator[Callable[[str], Running]]:
    """Servers by game, begun when they are wanted."""
    running: dict[str, Any] = {}

    def one(name: str) -> Running:
        if name not in running:
            running[name] = serve(game=name, agents=("random", AGENT), absent=0.0, values=())
            running[name].made = running[name].__enter__()
        return running[name].made

    yield one
    for made in running.values():
        made.__exit__(None, None, None)


def watcher_of(server: Running, player: Browser, game: str) -> Browser:
    """A browser that watches by a link, and may do nothing to the game."""
    watcher = server.browser()
    watcher.post("/api/join", player.post(f"/api/games/{game}/watch"))
    refused = {what.partition(" ")[0] for what in watcher.state(game)["refused"]}
    assert set(BODIES) - refused <= {"leave", "save"}
    return watcher


def join(server: Running, seats: list[str], options: dict[str, Any]) -> tuple[str, list[Browser], list[str]]:
    """A game with a browser for the host and for every guest but the last, whose seat stays free."""
    host = server.browser()
    made = host.post("/api/games", {"seats": seat_list(*seats), **options}, 201)
    found, links = [host], list(made["invitations"].values())
    for link in links[:-1]:
        found.append(server.browser())
        found[-1].post("/api/join", {"invitation": link})
    return made["id"], found, links[-1:]


@pytest.mark.parametrize(
    ("name", "options", "count"),
    [
        pytest.param(
            *kind,
            marks=[pytest.mark.slow] * (kind[0] == "hawaii1795" or kind[2] in (3, 5, 6) or kind[::2] == ("aloha", 2)),
        )
        for kind in KINDS
    ],
    ids=[f"{name}-{n}" for name, _, n in KINDS],
)
def test_what_the_page_does_not_offer_is_refused_with_its_reason(
    servers: Callable[[str], Running], name: str, options: dict[str, Any], count: int
) -> None:
    server, seen = servers(name), set[str]()

    def look(*browsers: Browser) -> None:
        for browser in {*browsers[:2], browsers[-1]}:
            check_refused(browser, game, seen)

    # People, a free seat, seats that one shares, one who resigns, and one for whom an agent stands in.
    seats = ["me", *["guest"] * (count - 1)] if count < 4 else ["me", "me", *["guest"] * (count - 2)]
    game, people, link = join(server, seats, options)
    look(*people, watcher_of(server, people[0], game))
    last = server.browser()
    last.post("/api/join", {"invitation": link[0]})
    look(*people, last)
    if count == 2:
        people[0].post(f"/api/games/{game}/draw")
        look(*people, last)
        last.post(f"/api/games/{game}/draw", {"accept": False})
    people[0].post(f"/api/games/{game}/stand_in", {"agent": "fails"}, 422)
    if count > 2:
        last.post(f"/api/games/{game}/resign", {"seat": count - 1})
        last.post(f"/api/games/{game}/resign", {"seat": count - 1}, 422)
        assert "back" not in last.state(game)["refused"]
        last.post(f"/api/games/{game}/back")
        look(*people, last)
    else:
        last.post(f"/api/games/{game}/resign", {"seat": 1})
        look(*people, last)
        assert last.state(game)["result"]
    # One who has all seats, one against agents, and one who looks on.
    game = people[0].begin(*["me"] * count, **options)
    look(people[0])
    game = last.begin(*["random"] * count, **options)
    look(last)
    reasons = {line.partition(": ")[2] for line in seen}
    assert {"you have no side in this game", "this is not your side", "no agent has failed in this game"} <= reasons
    assert ("the game is over" in reasons) == (count == 2)


def test_the_table_has_everything_that_the_page_asks_for() -> None:
    assert set(BODIES) == {*ACTIONS, *OF_SEATS}
    scripts = [
        file.read_text(encoding="utf-8")
        for file in resources.files("hawaii_env.web").joinpath("static").iterdir()
        if file.name.endswith(".js")
    ]
    text = "\n".join(scripts)
    asked = set(re.findall(r'(?:page|this)\.(?:post|send)\(\s*"(\w+)"', text)) | set(
        re.findall(r'act\("[^"]*", "(\w+)"', text)
    )
    assert asked and asked <= {path for path, _ in (*BODIES.values(), *LOOKS.values())}
    # Whatever a page posts in a game goes through the one door that names the version, but for leaving from the list.
    assert len(re.findall(r"[^.]post\(`/api/games/", text)) == 2
    offered = set(re.findall(r'(?:may\(|grey\(\w+, |refused\.)["`]?(\w+)', text)) - {"what"}
    assert offered <= set(BODIES) and len(offered) >= 11


def test_every_request_names_its_version(servers: Callable[[str], Running]) -> None:
    server = servers("hawaii1795")
    me = server.browser()
    game = me.begin("me", "guest")
    version = me.state(game)["version"]
    posts = {
        route.path.rpartition("/")[2]
        for route in server.app.routes
        if isinstance(route, Route) and route.path.startswith("/api/games/{game}/") and "POST" in (route.methods or ())
    }
    wanted = [(what, *body) for what, body in (*BODIES.items(), *LOOKS.items()) if what not in GETS]
    assert posts == {path for _, path, _ in wanted}
    for what, path, body in wanted:
        full = {**body, **({"seat": 0} if what in OF_SEATS else {})}
        answer = me.client.post(f"/api/games/{game}/{path}", json=full)
        assert answer.status_code == 422 and "version" in answer.text, what
        answer = me.client.post(f"/api/games/{game}/{path}", json={**full, "version": version + 1})
        assert answer.status_code == 409 and answer.json()["error"]["code"] == "stale", what
    assert me.state(game)["version"] == version
