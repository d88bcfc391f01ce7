"""A server in a thread, and browsers that speak with it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")
pytest.importorskip("limits")

import httpx
from waiting import until

from hawaii_env.web import Settings, create_app
from hawaii_env.web.server import listen, server_of

AGENT = "random:seed=1"


def seeded(seed: int) -> Callable[[Sequence[tuple[int, float]]], int]:
    draw = random.Random(seed)
    return lambda outcomes: draw.choice([outcome for outcome, _ in outcomes])


def settings(**given: Any) -> Settings:
    values: dict[str, Any] = {
        "agents": (AGENT, "random"),
        "hints": ("random",),
        "workers": 0,
        "rate": "99999/second",
        "heavy_rate": "99999/second",
        "new_rate": "99999/second",
        "connections_each": 400,
        "draw": seeded(1795),
    }
    return Settings(**{**values, **given})


class Running:
    """A server that runs."""

    def __init__(self, given: Settings, port: int = 0) -> None:
        self.app = create_app(given)
        self.sockets = listen("127.0.0.1", port)
        self.port = self.sockets[0].getsockname()[1]
        self.server = server_of(self.app, given)
        self.thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self.thread.start()
        until(lambda: self.server.started)
        self.clients: list[httpx.Client] = []

    async def _serve(self) -> None:
        self.loop = asyncio.get_running_loop()
        await self.server.serve(self.sockets)

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Run a coroutine of the application in the server's own loop."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(60)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def browser(self, cookies: Any = None) -> Browser:
        client = httpx.Client(base_url=self.url, timeout=60, cookies=cookies)
        self.clients.append(client)
        return Browser(client)

    def stop(self) -> None:
        for client in self.clients:
            client.close()
        self.server.should_exit = True
        self.thread.join(30)
        assert not self.thread.is_alive()


class Browser:
    """One person's browser, without pictures."""

    def __init__(self, client: httpx.Client) -> None:
        self.client = client

    def get(self, path: str, status: int = 200, **params: Any) -> Any:
        answer = self.client.get(path, params=params)
        assert answer.status_code == status, answer.text
        return answer.json() if answer.headers["content-type"] == "application/json" else answer.text

    def post(self, path: str, body: Any = None, status: int = 200) -> Any:
        """Post a request; one about a game names its version, as the page does."""
        body = {} if body is None else body
        named = not path.startswith("/api/games/") or "version" in body
        answer = self.client.post(path, json=body) if named else None
        while answer is None or (not named and '"stale"' in answer.text):  # agents play on meanwhile
            version = self.client.get(path.rpartition("/")[0]).json().get("version", 0)
            answer = self.client.post(path, json={"version": version, **body})
        assert answer.status_code == status, answer.text
        return answer.json()

    def begin(self, *seats: str, **more: Any) -> str:
        return self.post("/api/games", {"seats": seat_list(*seats), **more}, 201)["id"]

    def state(self, game: str, **params: Any) -> Any:
        return self.get(f"/api/games/{game}", **params)

    def my_turn(self, game: str) -> Any:
        """The game as soon as something is asked of this browser, or it is over."""
        end = time.monotonic() + 120
        state = self.state(game)
        while not (state["yours"] or state["result"] or state["chance"] or state["problem"]):
            assert time.monotonic() < end, state
            state = self.state(game, version=state["version"], wait=5)
        return state

    def act(self, game: str, state: Any, at: int = 0, status: int = 200) -> Any:
        action = state["actions"][at]["action"]
        return self.post(f"/api/games/{game}/actions", {"version": state["version"], "action": action}, status)


def seat_list(*seats: str) -> list[dict[str, Any]]:
    return [{"kind": s} if s in ("me", "guest") else {"kind": "agent", "agent": s} for s in seats]


@pytest.fixture
def kept_loggers() -> Iterator[None]:
    """Puts the loggers that `hawaii serve` sets up back."""
    loggers = [logging.getLogger(name) for name in ("hawaii_env.web.security", "hawaii_env.web", "uvicorn")]
    before = [(list(logger.handlers), logger.level) for logger in loggers]
    yield
    for logger, (handlers, level) in zip(loggers, before, strict=True):
        for handler in set(logger.handlers) - set(handlers):
            with contextlib.suppress(OSError):
                handler.close()
        logger.handlers[:], logger.propagate = handlers, True
        logger.setLevel(level)


@pytest.fixture(scope="session")
def serve() -> Iterator[Callable[..., Any]]:
    @contextlib.contextmanager
    def running(**given: Any) -> Iterator[Running]:
        made = Running(settings(**given))
        try:
            yield made
        finally:
            made.stop()

    return running  # type: ignore[return-value]


@pytest.fixture(scope="module")
def server(serve: Callable[..., Any]) -> Iterator[Running]:
    with serve() as made:
        yield made


def run(work: Coroutine[Any, Any, Any]) -> Any:
    """In a thread of its own: Playwright's tests leave an event loop running in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


@pytest.fixture
def person(browser: Any, server: Running) -> Iterator[Callable[..., Any]]:
    """Return a function that makes a `Person` at the module's server."""
    from .test_browser import people

    with people(browser, server.url) as new:
        yield new
