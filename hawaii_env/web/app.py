"""The server as an ASGI application: pages, and the interface that they speak (JSON under ``/api``)."""

import hashlib
import mimetypes
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib import resources
from typing import Annotated, Any

from fastapi import Cookie, Depends, FastAPI, Path, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware

from hawaii_env.web.models import Act, Chance, CheckPosition, Join, LoadRecord, LoadSave, NewGame, NewSave, Versioned
from hawaii_env.web.security import Guard
from hawaii_env.web.service import Problem, Service
from hawaii_env.web.settings import Settings
from hawaii_env.web.store import digest

__all__ = ["COOKIE", "create_app"]

COOKIE = "hawaii_session"
WAIT = 20.0
"""Seconds that a browser may wait for news in one request."""

_TOKEN = r"^[A-Za-z0-9_-]{8,64}$"
_TYPES = {
    ".js": "text/javascript",
    ".css": "text/css",
    ".html": "text/html",
    ".svg": "image/svg+xml",
    ".ttf": "font/ttf",
}

Id = Annotated[str, Path(pattern=_TOKEN)]
Session = Annotated[str | None, Cookie(alias=COOKIE)]


def known(request: Request, session: Session = None) -> str:
    """Return the digest of the browser's token.

    Raises:
        Problem: it has none that this server gave.
    """
    store = request.app.state.service.store
    if session is None or not re.fullmatch(_TOKEN, session) or not store.has_session(digest(session)):
        raise Problem(404, "unknown", "there is no such game here, or it is not yours")
    return digest(session)


def new(request: Request, response: Response, session: Session = None) -> str:
    """Return the digest of the browser's token; a browser that has none gets one."""
    try:
        return known(request, session)
    except Problem:
        service: Service = request.app.state.service
        made = service.store.add_session()
        response.set_cookie(
            COOKIE,
            made,
            max_age=365 * 86400,
            httponly=True,
            samesite="strict",
            secure=service.settings.secure,
            path="/",
        )
        return digest(made)


Known = Annotated[str, Depends(known)]
New = Annotated[str, Depends(new)]


def _assets() -> dict[str, tuple[bytes, str, str]]:
    """The page's files by name: content, type, digest. All are read now, so that no request ever names a file."""
    found: dict[str, tuple[bytes, str, str]] = {}
    for folder, endings in (
        (resources.files("hawaii_env.web").joinpath("static"), (".js", ".css", ".html", ".svg")),
        (resources.files("hawaii_env.render").joinpath("data"), (".ttf",)),
    ):
        for file in folder.iterdir():
            ending = file.name[file.name.rfind(".") :]
            if ending in endings:
                content = file.read_bytes()
                kind = _TYPES.get(ending) or mimetypes.guess_type(file.name)[0] or "application/octet-stream"
                found[file.name] = (content, kind, hashlib.sha256(content).hexdigest()[:20])
    return found


def _error(status: int, code: str, message: str) -> JSONResponse:
    return JSONResponse({"error": {"code": code, "message": message}}, status)


def create_app(settings: Settings, tell: Callable[[str], None] | None = None) -> FastAPI:
    """Return the server as an ASGI application.

    Args:
        settings: what it allows.
        tell: where agents that do not work are told of; given, every agent is tried once now, and those that fail are not offered.

    Raises:
        StoreError: the database cannot be opened.
    """
    service = Service(settings)
    if tell is not None:
        service.probe(tell)
    assets = _assets()

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        await service.close()

    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan, redirect_slashes=False)
    app.state.service = service
    app.add_middleware(GZipMiddleware, minimum_size=1000, compresslevel=5)
    app.add_middleware(Guard, settings=settings)

    # Errors

    async def problem(_: Request, error: Any) -> Response:
        return _error(error.status, error.code, error.message)

    async def invalid(_: Request, error: Any) -> Response:
        # Where and what, but never the input: it may be long, and is not ours to repeat.
        said = "; ".join(
            f"{'.'.join(str(part) for part in entry['loc'][1:]) or entry['loc'][0]}: {entry['msg']}"
            for entry in error.errors()[:5]
        )
        return _error(422, "invalid", said[:500])

    async def other(_: Request, error: Any) -> Response:
        return _error(error.status_code, "http", str(error.detail))

    app.add_exception_handler(Problem, problem)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, other)

    # Pages

    def asset(name: str, request: Request) -> Response:
        if name not in assets:
            return _error(404, "unknown", "there is no such page")
        content, kind, etag = assets[name]
        headers = {"ETag": f'"{etag}"', "Cache-Control": "no-cache"}
        if request.headers.get("if-none-match") == f'"{etag}"':
            return Response(status_code=304, headers=headers)
        return Response(content, media_type=kind, headers=headers)

    @app.get("/")
    async def page(request: Request) -> Response:
        return asset("index.html", request)

    @app.get("/favicon.ico")
    async def icon(request: Request) -> Response:
        return asset("icon.svg", request)

    @app.get("/static/{name}")
    async def static(name: str, request: Request) -> Response:
        return asset(name, request)

    # The interface

    @app.get("/api/setup")
    async def setup() -> dict[str, Any]:
        return service.setup()

    @app.get("/api/games")
    async def games(request: Request, session: Session = None) -> dict[str, Any]:
        try:
            me = known(request, session)
        except Problem:
            return {"games": [], "saves": []}
        saves = [
            {"id": s["id"], "name": s["name"], "created": s["created"], "where": s["data"]["where"]}
            for s in service.store.saves_of(me)
        ]
        return {"games": [service.summary(row, me) for row in service.store.games_of(me)], "saves": saves}

    @app.post("/api/games", status_code=201)
    async def new_game(asked: NewGame, me: New) -> dict[str, Any]:
        return service.new_game(asked, me)

    @app.post("/api/records", status_code=201)
    async def load_record(asked: LoadRecord, me: New) -> dict[str, Any]:
        return service.load_record(asked.record, asked.seats, asked.dice, me)

    @app.post("/api/load", status_code=201)
    async def load_save(asked: LoadSave, me: Known) -> dict[str, Any]:
        return service.load_save(asked.save, me)

    @app.post("/api/join")
    async def join(asked: Join, me: New) -> dict[str, Any]:
        return await service.join(asked.invitation, me)

    @app.post("/api/positions")
    async def check_position(asked: CheckPosition) -> dict[str, Any]:
        if asked.sketch:
            return service.sketch(asked.scenario, asked.position)
        return service.check_position(asked.scenario, asked.position)[0]

    @app.post("/api/saves/{save}/delete")
    async def drop_save(save: Id, me: Known) -> dict[str, Any]:
        service.store.drop_save(save, me)
        return {}

    @app.get("/api/games/{game}")
    async def snapshot(
        game: Id,
        me: Known,
        version: Annotated[int, Query(ge=-1)] = -1,
        after: Annotated[int, Query(ge=0)] = 0,
        epoch: Annotated[int, Query(ge=-1)] = -1,
        shown: Annotated[int | None, Query(ge=0)] = None,
        wait: Annotated[float, Query(ge=0, le=WAIT)] = 0.0,
    ) -> dict[str, Any]:
        service.seats(game, me)
        await service.room(game)
        if shown is not None:
            service.show(game, shown)
        service.kick(game)
        if wait:
            await service.wait(game, version, wait)
        return await service.snapshot(game, me, after, epoch)

    @app.get("/api/games/{game}/moments/{n}")
    async def moment(game: Id, n: Annotated[int, Path(ge=0)], me: Known) -> dict[str, Any]:
        return await service.moment(game, me, n)

    @app.post("/api/games/{game}/actions")
    async def act(game: Id, asked: Act, me: Known) -> dict[str, Any]:
        await service.act(game, me, asked.version, asked.action)
        return {}

    @app.post("/api/games/{game}/chance")
    async def chance(game: Id, asked: Chance, me: Known) -> dict[str, Any]:
        await service.tell_chance(game, me, asked.version, asked.outcome)
        return {}

    @app.post("/api/games/{game}/undo")
    async def undo(game: Id, asked: Versioned, me: Known) -> dict[str, Any]:
        await service.undo(game, me, asked.version)
        return {}

    @app.post("/api/games/{game}/retry")
    async def retry(game: Id, asked: Versioned, me: Known) -> dict[str, Any]:
        await service.retry(game, me, asked.version)
        return {}

    @app.post("/api/games/{game}/hint")
    async def hint(game: Id, asked: Versioned, me: Known) -> dict[str, Any]:
        return await service.get_hint(game, me, asked.version)

    @app.post("/api/games/{game}/invitations")
    async def invite(game: Id, me: Known) -> dict[str, Any]:
        return await service.invite(game, me)

    @app.post("/api/games/{game}/saves", status_code=201)
    async def save(game: Id, asked: NewSave, me: Known) -> dict[str, Any]:
        return await service.add_save(game, me, asked.name)

    @app.post("/api/games/{game}/leave")
    async def leave(game: Id, me: Known) -> dict[str, Any]:
        await service.leave(game, me)
        return {}

    @app.get("/api/games/{game}/position")
    async def position(game: Id, me: Known) -> dict[str, Any]:
        return await service.position(game, me)

    @app.get("/api/games/{game}/record")
    async def record(game: Id, me: Known) -> Response:
        headers = {"Content-Disposition": 'attachment; filename="hawaii-1795.jsonl"'}
        return PlainTextResponse(await service.record(game, me), headers=headers, media_type="application/jsonl")

    return app
