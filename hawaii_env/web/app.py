"""The server as an ASGI application: the pages, and the JSON interface under ``/api`` that they use."""

import asyncio
import hashlib
import logging
import mimetypes
import re
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from functools import partial
from html import escape
from importlib import resources
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from hawaii_env.texts import parse_json, show
from hawaii_env.web.chat import Chat
from hawaii_env.web.moves import Moves
from hawaii_env.web.new_games import NewGames
from hawaii_env.web.participants import NO_INVITATION, Browsers, Participants
from hawaii_env.web.routes import COOKIE, Parts, add_routes
from hawaii_env.web.security import Guard, Journal
from hawaii_env.web.service import NO_GAME, NOT_STORED, Problem, Service
from hawaii_env.web.settings import Settings
from hawaii_env.web.snapshots import Snapshots
from hawaii_env.web.store import StoreError, digest
from hawaii_env.web.strings import side_style

__all__ = ["COOKIE", "create_app"]

SWEEP = 3600.0
"""Seconds between searches for browsers that have been idle too long."""

TICK = 5.0
"""Seconds between checks for players whose time is up."""

_log = logging.getLogger(__name__)

_TYPES = {
    ".js": "text/javascript",
    ".css": "text/css",
    ".html": "text/html",
    ".svg": "image/svg+xml",
    ".ttf": "font/ttf",
}

Asset = tuple[bytes, str, str]
"""A file of the page: content, media type, digest."""


def _asset(name: str, content: bytes) -> Asset:
    ending = name[name.rfind(".") :]
    kind = _TYPES.get(ending) or mimetypes.guess_type(name)[0] or "application/octet-stream"
    return content, kind, hashlib.sha256(content).hexdigest()[:20]


def _folder(package: str, folder: str, endings: Sequence[str]) -> dict[str, bytes]:
    """Return the files in a package's folder whose names end in one of the given endings, by name."""
    files = resources.files(package).joinpath(folder).iterdir()
    return {file.name: file.read_bytes() for file in files if file.name.endswith(tuple(endings))}


def _assets(service: Service) -> tuple[dict[str, Asset], dict[str, Asset]]:
    """Return the page's shared files and those of the game, each by name. All are read here, so that no request ever
    opens a file.
    """
    spec, game = service.spec, service.game({})
    kinds = (".js", ".css", ".html", ".svg")
    shared = _folder("hawaii_env.web", "static", kinds) | _folder("hawaii_env.render", "data", (".ttf",))
    own = {} if spec.static is None else _folder(spec.static, "static", kinds)
    others = [other for made in service.seatings().values() for other in made.values()]
    # One style sheet: the first paint waits for all of them.
    sheets = (shared.pop(name) for name in ("style.css", "play.css", "board.css"))
    own["style.css"] = b"\n".join([*sheets, own.get("style.css", b""), side_style(game, *others).encode()])
    page = shared["index.html"].decode()
    for key, value in {"TITLE": spec.title, "GAME": spec.name}.items():
        page = page.replace("{{" + key + "}}", escape(value))
    if "editor.js" not in own:
        page = re.sub(r"\s*<a href=\"#/edit\">.*?</a>", "", page)
    shared["index.html"] = page.encode()
    return {name: _asset(name, file) for name, file in shared.items()}, {
        name: _asset(name, file) for name, file in own.items()
    }


def _error(status: int, code: str, message: str) -> JSONResponse:
    return JSONResponse({"error": {"code": code, "message": show(message)}}, status)


class _StrictRequest(Request):
    """A request whose body is parsed strictly, like all incoming JSON."""

    async def json(self) -> Any:
        try:
            return parse_json(await self.body())
        except ValueError as error:
            raise HTTPException(422, str(error)) from None


class _StrictRoute(APIRoute):
    """A route whose handler gets a `_StrictRequest`."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handler = super().get_route_handler()

        async def handle(request: Request) -> Response:
            return await handler(_StrictRequest(request.scope, request.receive))

        return handle


def _invalid(errors: Sequence[Any]) -> Response:
    """Return the answer to an invalid request: where and what is wrong, but neither the input, which may be long, nor a
    pattern.
    """
    places = [tuple(entry["loc"]) for entry in errors]
    if ("body", "invitation") in places:
        return _error(404, "invitation", NO_INVITATION)
    if ("body", "save") in places:
        return _error(404, "unknown", "there is no such saved game, or it is not yours")
    if any(place[0] == "path" for place in places):
        return _error(404, "unknown", NO_GAME)
    text = "; ".join(
        f"{'.'.join(map(str, place[1:])) or place[0]}: "
        + (
            "invalid format"
            if entry["type"] == "string_pattern_mismatch"
            else entry["msg"].removeprefix("Value error, ")  # pydantic puts this before our own messages
        )
        for place, entry in zip(places[:5], errors, strict=False)
    )
    return _error(422, "invalid", text[:500])


def create_app(
    settings: Settings,
    report: Callable[[str], None] | None = None,
    players: Callable[[], tuple[tuple[str, ...], tuple[str, ...]]] | None = None,
) -> FastAPI:
    """Return the server as an ASGI application.

    Args:
        settings: configuration of the server.
        report: if given, the server tries every agent once it runs and offers those that work. Called with one line for
            each agent that fails, and one that lists the others.
        players: see `Service.try_agents`.

    Raises:
        StoreError: the database cannot be opened.
    """
    service, journal = Service(settings), Journal()
    if report is not None:
        service.expect_trial()
    assets, own = _assets(service)
    snapshots = Snapshots(service, list(own))
    parts = Parts(
        service, Browsers(service), journal, NewGames(service), snapshots, Moves(service),
        Participants(service, snapshots), Chat(service),
    )  # fmt: skip

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        tasks = [asyncio.create_task(_sweep(parts)), asyncio.create_task(_watch_time(service))]
        if report is not None:
            tasks.append(asyncio.create_task(service.try_agents(report, players)))
        yield
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await service.close()

    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan, redirect_slashes=False)
    app.router.route_class = _StrictRoute
    app.state.service, app.state.browsers, app.state.journal = service, parts.browsers, journal
    app.add_middleware(GZipMiddleware, minimum_size=1000, compresslevel=5)
    app.add_middleware(Guard, settings=settings, journal=journal)
    if settings.trusted:
        app.add_middleware(ProxyHeadersMiddleware, trusted_hosts=list(settings.trusted))
    _add_errors(app, journal)
    for path, folders, name in (
        ("/", {"": assets}, "index.html"),
        ("/favicon.ico", {"": assets}, "icon.svg"),
        ("/static/{name}", {"": assets}, ""),
        ("/static/{game}/{name}", {service.spec.name: own}, ""),
    ):
        app.add_route(path, partial(_file, folders=folders, name=name))
    add_routes(app, parts)
    return app


async def _sweep(parts: Parts) -> None:
    """Forget browsers that have been idle too long, every `SWEEP` seconds."""
    while True:
        try:
            if ended := await parts.browsers.end_idle_sessions():
                parts.journal.note("sessions ended", level=logging.INFO, count=ended)
        except Problem as error:
            _log.error("cannot forget idle browsers: %s", error)
        await asyncio.sleep(SWEEP)


async def _watch_time(service: Service) -> None:
    """End the turns of players whose time is up, every `TICK` seconds."""
    while True:
        try:
            await service.end_turns()
        except StoreError as error:
            _log.error("cannot read whose time is up: %s", error)
        await asyncio.sleep(TICK)


async def _file(request: Request, folders: dict[str, dict[str, Asset]], name: str) -> Response:
    """Return a file of the page: `name`, or the one named in the path."""
    files = folders.get(request.path_params.get("game", ""), {})
    name = name or request.path_params["name"]
    if name not in files:
        return _error(404, "unknown", "there is no such page")
    content, kind, etag = files[name]
    headers = {"ETag": f'"{etag}"', "Cache-Control": "no-cache"}
    if request.headers.get("if-none-match") == f'"{etag}"':
        return Response(status_code=304, headers=headers)
    return Response(content, media_type=kind, headers=headers)


def _add_errors(app: FastAPI, journal: Journal) -> None:
    """Add the handlers of errors."""

    @app.exception_handler(Problem)
    async def problem(request: Request, error: Problem) -> Response:
        if error.code in ("unknown", "invitation", "polls", "full"):
            session = request.cookies.get(COOKIE)
            facts: dict[str, Any] = {} if session is None else {"session": digest(session)[:8]}
            journal.note(error.code, request.scope, **facts)
        return _error(error.status, error.code, error.message)

    @app.exception_handler(StoreError)
    async def unreadable(_: Request, error: StoreError) -> Response:
        _log.error("the database: %s", error)
        return _error(503, "storage", NOT_STORED)

    @app.exception_handler(RequestValidationError)
    async def invalid(_: Request, error: RequestValidationError) -> Response:
        return _invalid(error.errors())

    @app.exception_handler(HTTPException)
    async def other(_: Request, error: HTTPException) -> Response:
        return _error(error.status_code, "http", str(error.detail))
