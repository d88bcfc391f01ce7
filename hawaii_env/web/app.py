"""The server as an ASGI application: pages, and the interface that they speak (JSON under ``/api``)."""

import asyncio
import hashlib
import logging
import mimetypes
import re
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from html import escape
from importlib import resources
from typing import Annotated, Any

from fastapi import Cookie, Depends, FastAPI, Path, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from hawaii_env.web.browsers import NO_INVITATION, Browsers
from hawaii_env.web.models import (
    Act,
    Called,
    Chance,
    CheckPosition,
    Draw,
    Enter,
    Invite,
    Join,
    LoadRecord,
    LoadSave,
    NewGame,
    NewSave,
    Rematch,
    Resign,
    StandIn,
    Typed,
    Undo,
    Versioned,
    with_options,
)
from hawaii_env.web.moves import Moves
from hawaii_env.web.new_games import NewGames
from hawaii_env.web.participants import Participants
from hawaii_env.web.security import ASKER, Guard, Journal, Polls
from hawaii_env.web.service import NO_GAME, NOT_STORED, Problem, Service
from hawaii_env.web.settings import Settings
from hawaii_env.web.snapshots import Snapshots
from hawaii_env.web.store import StoreError, digest, token
from hawaii_env.web.strings import options_of, side_style
from hawaii_env.web.visibility import Visibility

__all__ = ["COOKIE", "create_app"]

COOKIE = "hawaii_session"
COOKIE_DAYS = 365
"""What the browser is told; the server forgets earlier who does not come."""

WAIT = 20.0
"""Seconds that a browser may wait for news in one request."""

HINTS = 4
"""Hints that one address waits for at a time."""

SWEEP = 3600.0
"""Seconds after which browsers that have not been seen for long are looked for again."""

_log = logging.getLogger(__name__)

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


async def _session(request: Request, response: Response, session: str | None) -> str | None:
    """The digest of the browser's token, or None where this server gave it none, or has not seen it for too long."""
    if session is None or not re.fullmatch(_TOKEN, session):
        return None
    browsers: Browsers = request.app.state.browsers
    found, due = browsers.known(digest(session))
    if due:
        browsers.touch(digest(session))
        _give(browsers.service, response, session)
    return digest(session) if found else None


async def known(request: Request, response: Response, session: Session = None) -> str:
    """Return the digest of the browser's token.

    Raises:
        Problem: it has none that this server knows.
    """
    found = await _session(request, response, session)
    if found is None:
        raise Problem(404, "unknown", NO_GAME)
    return found


async def new(request: Request, response: Response, session: Session = None) -> AsyncIterator[str]:
    """Give the digest of the browser's token; a browser that has none gets one, which is known once it has a seat."""
    found = await _session(request, response, session)
    if found is not None:
        yield found
        return
    made = token()
    _give(request.app.state.service, response, made)
    yield digest(made)
    request.app.state.journal.note("session begun", request.scope, level=logging.INFO, session=digest(made)[:8])


def _give(service: Service, response: Response, session: str) -> None:
    response.set_cookie(
        COOKIE,
        session,
        max_age=COOKIE_DAYS * 86400,
        httponly=True,
        samesite="strict",
        secure=service.settings.secure,
        path="/",
    )


Known = Annotated[str, Depends(known)]
New = Annotated[str, Depends(new)]


Asset = tuple[bytes, str, str]
"""A file of the page: content, type, digest."""


def _asset(name: str, content: bytes) -> Asset:
    ending = name[name.rfind(".") :]
    kind = _TYPES.get(ending) or mimetypes.guess_type(name)[0] or "application/octet-stream"
    return content, kind, hashlib.sha256(content).hexdigest()[:20]


def _folder(package: str, folder: str, endings: Sequence[str]) -> dict[str, bytes]:
    """The files of a package's folder whose names have one of some endings."""
    files = resources.files(package).joinpath(folder).iterdir()
    return {file.name: file.read_bytes() for file in files if file.name.endswith(tuple(endings))}


def _assets(service: Service) -> tuple[dict[str, Asset], dict[str, Asset]]:
    """The page's files by name, and those of the game. All are read now, so that no request ever names a file."""
    spec, game = service.spec, service.game({})
    kinds = (".js", ".css", ".html", ".svg")
    shared = _folder("hawaii_env.web", "static", kinds) | _folder("hawaii_env.render", "data", (".ttf",))
    own = {} if spec.static is None else _folder(spec.static, "static", kinds)
    others = [other for made in service.seatings().values() for other in made.values()]
    own.setdefault("style.css", side_style(game, *others).encode())
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
    # Half a character, as JSON allows it, cannot be sent.
    text = message.encode(errors="replace").decode()
    return JSONResponse({"error": {"code": code, "message": text}}, status)


def _invalid(errors: Sequence[Any]) -> Response:
    """Return what is wrong with a request: where and what, but never the input, which may be long and is not repeated,
    and never a pattern.
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
        f"{'it has a form that it cannot have' if entry['type'] == 'string_pattern_mismatch' else entry['msg']}"
        for place, entry in zip(places[:5], errors, strict=False)
    )
    return _error(422, "invalid", text[:500])


def create_app(settings: Settings, report: Callable[[str], None] | None = None) -> FastAPI:
    """Return the server as an ASGI application.

    Args:
        settings: what it allows.
        report: if given, every agent is tried while the server runs, and those that work are offered; called with a
            line about each that does not, and one about those that do.

    Raises:
        StoreError: the database cannot be opened.
    """
    service = Service(settings)
    if report is not None:
        service.expect_trial()
    assets, own = _assets(service)
    options = options_of(service.game({}))
    AskedGame, AskedPosition = with_options(NewGame, options), with_options(CheckPosition, options)

    browsers = Browsers(service)
    journal = Journal()
    polls, hints = Polls(settings.polls_each), Polls(HINTS)

    async def sweep() -> None:
        while True:
            try:
                ended = await browsers.end_idle_sessions()
            except Problem as error:
                ended = 0
                _log.error("browsers that were not seen for long are not forgotten: %s", error)
            if ended:
                journal.note("sessions ended", level=logging.INFO, count=ended)
            await asyncio.sleep(SWEEP)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        tasks = [asyncio.create_task(sweep())]
        if report is not None:
            tasks.append(asyncio.create_task(service.try_agents(report)))
        yield
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await service.close()

    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan, redirect_slashes=False)
    app.state.service, app.state.browsers = service, browsers
    app.state.journal = journal
    new_games, snapshots, moves = NewGames(service), Snapshots(service, list(own)), Moves(service)
    participants = Participants(service, snapshots)
    app.add_middleware(GZipMiddleware, minimum_size=1000, compresslevel=5)
    app.add_middleware(Guard, settings=settings, journal=journal)
    if settings.trusted:
        app.add_middleware(ProxyHeadersMiddleware, trusted_hosts=list(settings.trusted))

    # Errors

    async def problem(request: Request, error: Any) -> Response:
        if error.code in ("unknown", "invitation", "polls", "full"):
            session = request.cookies.get(COOKIE)
            facts: dict[str, Any] = {} if session is None else {"session": digest(session)[:8]}
            journal.note(error.code, request.scope, **facts)
        return _error(error.status, error.code, error.message)

    async def invalid(_: Request, error: Any) -> Response:
        return _invalid(error.errors())

    async def other(_: Request, error: Any) -> Response:
        return _error(error.status_code, "http", str(error.detail))

    async def unreadable(_: Request, error: Any) -> Response:
        _log.error("the database: %s", error)
        return _error(503, "storage", NOT_STORED)

    app.add_exception_handler(Problem, problem)
    app.add_exception_handler(StoreError, unreadable)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, other)

    # Pages

    def asset(name: str, request: Request, files: dict[str, Asset] = assets) -> Response:
        if name not in files:
            return _error(404, "unknown", "there is no such page")
        content, kind, etag = files[name]
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

    @app.get("/static/{game}/{name}")
    async def of_the_game(game: str, name: str, request: Request) -> Response:
        return asset(name, request, own if game == service.spec.name else {})

    @app.get("/replay/{game}")
    async def replay(game: Id) -> Response:
        page = await participants.replay(game)
        # The page names its own script, and allows nothing else; the server's policy would not allow that one.
        policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', page)
        assert policy is not None
        return HTMLResponse(page, headers={"Content-Security-Policy": policy[1] + "; frame-ancestors 'none'"})

    # The interface

    reference: dict[int, bytes] = {}

    @app.get("/api/setup")
    async def setup() -> Response:
        # It seldom changes, and making it takes longer than anything else that everybody may ask for.
        if service.revision not in reference:
            reference.clear()
            reference[service.revision] = bytes(JSONResponse(snapshots.setup()).body)
        return Response(reference[service.revision], media_type="application/json")

    @app.get("/api/games")
    async def games(request: Request, response: Response, session: Session = None) -> dict[str, Any]:
        me = await _session(request, response, session)
        if me is None:
            return {"games": [], "saves": []}
        saves = [
            {"id": s["id"], "name": s["name"], "created": s["created"], "where": s["data"]["where"]}
            for s in service.store.saves_of(me)
            if service.plays(s["data"])
        ]
        return {"games": snapshots.games_of(me), "saves": saves}

    @app.post("/api/games", status_code=201)
    async def new_game(asked: AskedGame, me: New) -> dict[str, Any]:  # pyright: ignore[reportInvalidTypeForm]  made of the options
        return await new_games.new_game(asked, me)

    @app.post("/api/records", status_code=201)
    async def load_record(asked: LoadRecord, me: New) -> dict[str, Any]:
        return await new_games.load_record(asked.record, asked.seats, asked.dice, me)

    @app.post("/api/load", status_code=201)
    async def load_save(asked: LoadSave, me: Known) -> dict[str, Any]:
        return await new_games.load_save(asked.save, me)

    @app.post("/api/join")
    async def join(asked: Join, me: New) -> dict[str, Any]:
        joined = await browsers.join(asked.invitation, me)
        participants.visit(joined["id"], me)
        if asked.name:
            await participants.name(joined["id"], me, asked.name)
        return joined

    @app.post("/api/positions")
    async def check_position(asked: AskedPosition) -> dict[str, Any]:  # pyright: ignore[reportInvalidTypeForm]  made of the options
        game = new_games.game(asked)
        return (
            new_games.sketch(game, asked.position)
            if asked.sketch
            else new_games.check_position(game, asked.position)[0]
        )

    @app.post("/api/saves/{save}/delete")
    async def drop_save(save: Id, me: Known) -> dict[str, Any]:
        await new_games.drop_save(save, me)
        return {}

    @app.post("/api/logout")
    async def logout(request: Request, response: Response, me: Known) -> dict[str, Any]:
        await browsers.end_session(me)
        journal.note("session ended", request.scope, level=logging.INFO, session=me[:8])
        response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict", secure=settings.secure)
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
        seats, table = service.seats(game, me), await service.table(game)
        # A request that waits is answered although nobody may be there any more.
        participants.visit(game, me)
        if shown is not None:
            service.show(game, Visibility(table, seats).reached(shown))
        service.resume(game)
        if wait:
            with polls.one(ASKER.get()) as may:
                if not may:
                    raise Problem(429, "polls", "too many pages of your address wait for news; close some of them")
                await service.wait(game, seats, version, wait)
        seats, table = service.seats(game, me), await service.table(game)
        return {**await snapshots.snapshot(game, me, after, epoch), **participants.snapshot(game, table, seats)}

    @app.get("/api/games/{game}/moments/{n}")
    async def moment(game: Id, n: Annotated[int, Path(ge=0)], me: Known) -> dict[str, Any]:
        return await snapshots.moment(game, me, n)

    @app.post("/api/games/{game}/actions")
    async def act(game: Id, asked: Act, me: Known) -> dict[str, Any]:
        await moves.act(game, me, asked.version, asked.action)
        return {}

    @app.post("/api/games/{game}/turn")
    async def enter(game: Id, asked: Enter, me: Known) -> dict[str, Any]:
        await moves.enter(game, me, asked.seat, asked.turn, asked.actions)
        return {}

    @app.post("/api/games/{game}/typed")
    async def typed(game: Id, asked: Typed, me: Known) -> dict[str, Any]:
        return await moves.typed(game, me, asked.seat, asked.text)

    @app.post("/api/games/{game}/chance")
    async def chance(game: Id, asked: Chance, me: Known) -> dict[str, Any]:
        await moves.apply_chance(game, me, asked.version, asked.outcome)
        return {}

    @app.post("/api/games/{game}/undo")
    async def undo(game: Id, asked: Undo, me: Known) -> dict[str, Any]:
        await moves.undo(game, me, asked.version, asked.turn)
        return {}

    @app.post("/api/games/{game}/resign")
    async def resign(game: Id, asked: Resign, me: Known) -> dict[str, Any]:
        await participants.resign(game, me, asked.seat)
        return {}

    @app.post("/api/games/{game}/draw")
    async def draw(game: Id, asked: Draw, me: Known) -> dict[str, Any]:
        await participants.draw(game, me, asked.accept)
        return {}

    @app.post("/api/games/{game}/name")
    async def name(game: Id, asked: Called, me: Known) -> dict[str, Any]:
        await participants.name(game, me, asked.name)
        return {}

    @app.post("/api/games/{game}/stand_in")
    async def stand_in(game: Id, asked: StandIn, me: Known) -> dict[str, Any]:
        await participants.stand_in(game, me, asked.agent)
        return {}

    @app.post("/api/games/{game}/back")
    async def back(game: Id, me: Known) -> dict[str, Any]:
        await participants.back(game, me)
        return {}

    @app.post("/api/games/{game}/rematch", status_code=201)
    async def rematch(game: Id, asked: Rematch, me: Known) -> dict[str, Any]:
        return await participants.rematch(game, me, asked.swap)

    @app.get("/api/games/{game}/advice")
    async def advice(game: Id, me: Known, version: Annotated[int, Query(ge=0)]) -> dict[str, Any]:
        return await participants.advice(game, me, version)

    @app.get("/api/games/{game}/curve")
    async def curve(game: Id, me: Known) -> dict[str, Any]:
        return await participants.curve(game, me)

    @app.post("/api/games/{game}/retry")
    async def retry(game: Id, asked: Versioned, me: Known) -> dict[str, Any]:
        await moves.retry(game, me, asked.version)
        return {}

    @app.post("/api/games/{game}/hint")
    async def hint(game: Id, asked: Versioned, me: Known) -> dict[str, Any]:
        with hints.one(ASKER.get()) as may:
            if not may:
                raise Problem(429, "hint", "your address has asked for several hints already; wait for them")
            return await moves.get_hint(game, me, asked.version)

    @app.post("/api/games/{game}/invitations")
    async def invite(game: Id, asked: Invite, me: Known) -> dict[str, Any]:
        return await browsers.invite(game, me, asked.seat)

    @app.post("/api/games/{game}/saves", status_code=201)
    async def save(game: Id, asked: NewSave, me: Known) -> dict[str, Any]:
        return await new_games.add_save(game, me, asked.name)

    @app.post("/api/games/{game}/leave")
    async def leave(game: Id, me: Known) -> dict[str, Any]:
        await browsers.leave(game, me)
        return {}

    @app.get("/api/games/{game}/position")
    async def position(game: Id, me: Known) -> dict[str, Any]:
        return await snapshots.position(game, me)

    @app.get("/api/games/{game}/record")
    async def record(game: Id, me: Known) -> Response:
        name = re.sub(r"[^a-z0-9]+", "-", service.spec.title.lower()).strip("-") or service.spec.name
        headers = {"Content-Disposition": f'attachment; filename="{name}.jsonl"'}
        return PlainTextResponse(await snapshots.record(game, me), headers=headers, media_type="application/jsonl")

    return app
