"""Nobody learns by any sequence of requests what another has entered.

Two servers get the same requests of two browsers and of a second one of the first's, on three seats, and of one who
watches by a link; they differ only in what the other browser enters: whatever the first's browsers and the watcher are
shown is the same on both.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, cast

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

pytest.importorskip("fastapi")
pytest.importorskip("limits")

import httpx

from hawaii_env.web import create_app, refusals, store, visibility
from hawaii_env.web.store import digest
from hawaii_env.web.table import Table

from . import conftest
from .conftest import seat_list

FIRST, OTHER, SECOND, WATCHER = "first", "other", "second", "watcher"
TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")
LONG = os.environ.get("HYPOTHESIS_PROFILE") == "nightly"


class World:
    """A server, three browsers, and what is entered in it by the other one.

    Args:
        number: 0 or 1, what is entered.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        # A loop in a thread of its own: tests of the page leave one running in this one.
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self.app = create_app(
            conftest.settings(game="heiau", agents=("random:seed=1",), hints=(), values=(), absent=0.0, levels=False)
        )
        self.service = self.app.state.service
        self.begin()

    def begin(self) -> None:
        """Begin with new browsers that have nothing yet."""
        transport = httpx.ASGITransport(self.app)
        self.clients = {
            who: httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1")
            for who in (FIRST, OTHER, SECOND, WATCHER)
        }
        self.names: dict[str, str] = {}
        self.versions: dict[tuple[str, str], list[int]] = {}
        self.games: list[str] = []
        self.saves: list[str] = []
        self.links: list[str] = []

    def ask(self, who: str, path: str, body: Any = None) -> Any:
        """Return status and content of an answer, after the agents have come to rest."""
        client = self.clients[who]

        async def asked() -> Any:
            answer = await (client.get(path) if body is None else client.post(path, json=body))
            while self.service._drivers:
                await asyncio.sleep(0.001)
            return answer

        answer = asyncio.run_coroutine_threadsafe(asked(), self.loop).result(60)
        with contextlib.suppress(json.JSONDecodeError):
            return answer.status_code, answer.json()
        return answer.status_code, answer.text

    def do(self, who: str, game: int, what: str, **body: Any) -> Any:
        """Return the answer to a request about a game that names its version."""
        at = f"/api/games/{self.games[game]}"
        return self.ask(who, f"{at}/{what}", {"version": self.ask(who, at)[1].get("version", 0), **body})

    def entries(self, who: str, game: int, choice: int) -> dict[str, Any] | None:
        """Return the body that enters a whole turn, if one is asked: of every subject the option of a number."""
        at = f"/api/games/{self.games[game]}"
        status, state = self.ask(who, at)
        turn = self.ask(who, f"{at}/moments/{state['count']}")[1]["turn"] if status == 200 else None
        if turn is None:
            return None
        options = [subject["options"][choice % len(subject["options"])] for subject in turn["subjects"]]
        counted = [option for option in options if option["counts"]]
        end = turn["end"] if len(counted) < turn["most"] else []
        return {"seat": turn["seat"], "actions": [action for one in options for action in one["actions"]] + end}

    def shown(self, who: str, thorough: bool) -> Any:
        """Return everything that a browser is shown, without what is another on every server."""
        if not self.clients[who].cookies:
            return []
        found: list[Any] = [self.ask(who, "/api/games")]
        for game in self.games:
            at = f"/api/games/{game}"
            status, state = self.ask(who, at)
            if status == 200:
                seen = self.versions.setdefault((who, game), [])
                if state["version"] not in seen:
                    seen.append(state["version"])
                state = {**state, "version": seen.index(state["version"])}
            found.append([status, state])
            if thorough and status == 200:
                found += [self.ask(who, f"{at}/moments/{n}") for n in {0, state["count"]}]
                found += [self.ask(who, f"{at}/{what}") for what in ("position", "record", "curve")]
                found.append(self.ask(who, f"/replay/{game}"))
        return found

    def plain(self, found: Any) -> str:
        """Return an answer as text; tokens go by the order in which they came."""
        return TOKEN.sub(lambda one: self.names.setdefault(one[0], f"<{len(self.names)}>"), json.dumps(found))

    @property
    def public(self) -> bool:
        """True once orders of the other browser have been played: they are everybody's."""
        other = digest(self.clients[OTHER].cookies["hawaii_session"])
        return any(step.by == other for table in self.service.tables.values() for step in table.steps)

    def close(self) -> None:
        """End the server."""
        asyncio.run_coroutine_threadsafe(self.service.close(), self.loop).result(60)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(60)
        self.loop.close()


class Sequences(RuleBasedStateMachine):
    """Requests in any order."""

    games = st.integers(0, 3)
    worlds: tuple[World, World]

    def __init__(self) -> None:
        super().__init__()
        self.patch = pytest.MonkeyPatch()
        self.steps = 0
        self.patch.setattr(visibility.secrets, "randbelow", lambda below: 7)
        began = time.time()
        clock = type("Clock", (), {"time": staticmethod(lambda: began + self.steps / 1000)})
        self.patch.setattr(store, "time", clock)
        for world in self.worlds:
            world.begin()
        self.over = False

    def teardown(self) -> None:
        self.patch.undo()

    def both(self, do: Callable[[World], Any], watched: bool = True) -> list[Any]:
        """Do the same on both servers; the answer is the same, if the first's browsers get it."""
        self.steps += 1
        found = [do(world) for world in self.worlds]
        self.over = self.over or any(world.public for world in self.worlds)
        if watched and not self.over:
            texts = [world.plain(one) for world, one in zip(self.worlds, found, strict=True)]
            assert texts[0] == texts[1]
        return found

    @property
    def one(self) -> World:
        return self.worlds[0]

    def keep_link(self) -> None:
        """Keep the invitation to the other browser's seat alone, of those to a game that was loaded."""
        for world in self.worlds:
            world.links = world.links[-2:-1]

    @initialize(scenario=st.sampled_from(["clans", "triangle"]), seats=st.sampled_from(["mgg", "mga", "gma"]))
    def begin(self, scenario: str, seats: str) -> None:
        kinds = {"m": "me", "g": "guest", "a": "random:seed=1"}

        def do(world: World) -> Any:
            body = {"seats": seat_list(*(kinds[one] for one in seats)), "scenario": scenario, "last_year": 1}
            status, made = world.ask(FIRST, "/api/games", body)
            assert status == 201
            world.games.append(made["id"])
            links = list(made["invitations"].values())
            assert world.ask(OTHER, "/api/join", {"invitation": links[0]})[0] == 200
            world.links += links[1:]
            status, made = world.do(FIRST, 0, "watch")
            assert status == 200 and world.ask(WATCHER, "/api/join", made)[0] == 200
            entered = world.entries(OTHER, 0, world.number)
            assert entered is not None and world.do(OTHER, 0, "turn", **entered)[0] == 200

        self.both(do, watched=False)

    # The other browser: what it enters is another on each server

    @rule()
    def other_enters(self) -> None:
        def do(world: World) -> None:
            entered = world.entries(OTHER, 0, world.number)
            if entered is not None:
                world.do(OTHER, 0, "turn", **entered)

        self.both(do, watched=False)

    @rule(what=st.sampled_from(["take back", "leave", "back", "resign", "name"]))
    def other_does(self, what: str) -> None:
        def do(world: World) -> None:
            seat = next((n for n, one in enumerate(world.service.tables[world.games[0]].data["seats"]) if n == 1), 0)
            body = {"take back": {"seat": seat, "actions": []}, "resign": {"seat": seat}, "name": {"name": "Kū"}}
            world.do(OTHER, 0, {"take back": "turn"}.get(what, what), **body.get(what, {}))

        self.both(do, watched=False)

    # The first and its second browser

    @rule(who=st.sampled_from([FIRST, SECOND]), game=games, choice=st.integers(0, 2))
    def enters(self, who: str, game: int, choice: int) -> None:
        def do(world: World) -> Any:
            entered = world.entries(who, game % len(world.games), choice)
            return entered and world.do(who, game % len(world.games), "turn", **entered)

        self.both(do)

    @rule(who=st.sampled_from([FIRST, SECOND]), game=games)
    def lets_an_agent_play(self, who: str, game: int) -> None:
        self.both(lambda world: world.do(who, game % len(world.games), "stand_in", agent="random:seed=1"))

    @rule(
        who=st.sampled_from([FIRST, SECOND]), game=games, seat=st.integers(0, 2),
        what=st.sampled_from(["resign", "back", "hint", "retry", "draw", "undo"]),
    )  # fmt: skip
    def does(self, who: str, game: int, seat: int, what: str) -> None:
        body = {"seat": seat} if what == "resign" else {}
        self.both(lambda world: world.do(who, game % len(world.games), what, **body))

    @rule(who=st.sampled_from([FIRST, SECOND]), game=games)
    def saves_and_loads(self, who: str, game: int) -> None:
        def do(world: World) -> Any:
            status, made = world.do(who, game % len(world.games), "saves", name="x")
            if status != 201:
                return status, made
            status, made = world.ask(who, "/api/load", {"save": made["id"]})
            if status == 201:
                world.games.append(made["id"])
                world.links += made["invitations"].values()
            return status, made

        self.both(do)

    @rule(who=st.sampled_from([FIRST, SECOND]), game=games, seat=st.integers(0, 2))
    def invites(self, who: str, game: int, seat: int) -> None:
        def do(world: World) -> Any:
            status, made = world.do(who, game % len(world.games), "invitations", seat=seat)
            world.links += [made["invitation"]] if status == 200 else []
            return status, made

        self.both(do)

    @precondition(lambda self: self.one.links)
    @rule(who=st.sampled_from([FIRST, SECOND, SECOND, OTHER]))
    def joins(self, who: str) -> None:
        self.both(lambda world: world.ask(who, "/api/join", {"invitation": world.links.pop()}), watched=who != OTHER)

    @rule(who=st.sampled_from([FIRST, SECOND]))
    def plays_again(self, who: str) -> None:
        def do(world: World) -> Any:
            status, made = world.do(who, 0, "rematch")
            world.games += [made["id"]] if status == 201 and made["id"] not in world.games else []
            return status, made

        self.both(do)

    @rule()
    def the_server_begins_again(self) -> None:
        def do(world: World) -> None:
            for game in world.games:
                world.service._forget(game)

        self.both(do, watched=False)

    @rule()
    def looks_closely(self) -> None:
        for who in (FIRST, SECOND, WATCHER):
            self.both(lambda world, who=who: world.shown(who, True))

    @invariant()
    def nothing_is_shown(self) -> None:
        if self.one.games:
            for who in (FIRST, SECOND, WATCHER):
                self.both(lambda world, who=who: world.shown(who, False))


@pytest.fixture
def worlds() -> Iterator[None]:
    """Two servers for all sequences."""
    Sequences.worlds = World(0), World(1)
    yield
    for world in Sequences.worlds:
        world.close()


@pytest.mark.usefixtures("worlds")
def test_no_sequence_of_requests_shows_what_another_has_entered() -> None:
    most, steps = (400, 30) if LONG else (3, 8)
    run_state_machine_as_test(Sequences, settings=settings(max_examples=most, stateful_step_count=steps))


def left(machine: Sequences) -> None:
    """The other browser leaves, and the second takes its seat."""
    machine.other_does("leave")
    machine.invites(FIRST, 0, 1)
    machine.joins(SECOND)


def saved(machine: Sequences) -> None:
    """The first saves and loads the game, and the second takes the other's seat there."""
    machine.saves_and_loads(FIRST, 0)
    machine.keep_link()
    machine.joins(SECOND)


def kept(table: Table, seats: Any) -> Any:
    return table.data.get("pending")


@pytest.mark.usefixtures("worlds")
@pytest.mark.parametrize("sequence", [left, saved])
def test_a_planted_leak_is_found(sequence: Callable[[Sequences], None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Table, "free", lambda table, seats: None)
    monkeypatch.setattr(Table, "pending_of", kept)
    monkeypatch.setitem(cast(Any, refusals.ACTIONS), "save", lambda asker, seat: None)
    machine = Sequences()
    try:
        machine.begin("clans", "mgg")
        machine.nothing_is_shown()
        sequence(machine)
        with pytest.raises(AssertionError):
            machine.nothing_is_shown()
    finally:
        machine.teardown()
