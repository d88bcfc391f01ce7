"""Routes of the server: the JSON interface under ``/api``, and the sessions of browsers."""

import logging
import math
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Cookie, Depends, FastAPI, Path, Query, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse

from hawaii_env.texts import isolate
from hawaii_env.web import models
from hawaii_env.web.budgets import ASKER, Polls, without_turn
from hawaii_env.web.chat import Chat
from hawaii_env.web.moves import Moves
from hawaii_env.web.new_games import NewGames
from hawaii_env.web.participants import Browsers, Participants
from hawaii_env.web.security import Journal
from hawaii_env.web.service import NO_GAME, Problem, Service
from hawaii_env.web.snapshots import Snapshots
from hawaii_env.web.store import digest, token
from hawaii_env.web.strings import options_of
from hawaii_env.web.visibility import Visibility

__all__ = ["COOKIE", "Parts", "add_routes"]

COOKIE = "hawaii_session"
COOKIE_DAYS = 365
"""Lifetime of the browser's cookie in seconds; the server forgets an idle browser earlier."""

WAIT = 20.0
"""Longest time in seconds that a request may wait for news."""

TOKEN = r"^[A-Za-z0-9_-]{8,64}$"

Id = Annotated[str, Path(pattern=TOKEN)]
Session = Annotated[str | None, Cookie(alias=COOKIE)]


async def _session(request: Request, response: Response, session: str | None) -> str | None:
    """Return the digest of the browser's token, or None if it has no valid one, or has been idle too long."""
    if session is None or not re.fullmatch(TOKEN, session):
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
        Problem: it has no token that this server knows.
    """
    found = await _session(request, response, session)
    if found is None:
        raise Problem(404, "unknown", NO_GAME)
    return found


async def new(request: Request, response: Response, session: Session = None) -> AsyncIterator[str]:
    """Yield the digest of the browser's token; a browser without one gets one, which is stored once it has a seat."""
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


@dataclass(frozen=True)
class Parts:
    """The parts of a server that handle requests."""

    service: Service
    browsers: Browsers
    journal: Journal
    new_games: NewGames
    snapshots: Snapshots
    moves: Moves
    participants: Participants
    chat: Chat


def add_routes(app: FastAPI, parts: Parts) -> None:
    """Add the routes of the interface to an application."""
    _add_lists(app, parts)
    _add_beginnings(app, parts)
    _add_views(app, parts)
    for name, model, do, *status in (
        ("actions", models.Act, parts.moves.act),
        ("ahead", models.Ahead, parts.snapshots.ahead),
        ("why_not", models.WhyNot, parts.snapshots.why_not),
        ("turn", models.Enter, parts.moves.enter),
        ("typed", models.Typed, parts.moves.typed),
        ("chance", models.Chance, parts.moves.apply_chance),
        ("undo", models.Undo, parts.moves.undo),
        ("retry", models.Versioned, parts.moves.retry),
        ("hint", models.Versioned, parts.moves.get_hint),
        ("resign", models.Resign, parts.participants.resign),
        ("draw", models.Draw, parts.participants.draw),
        ("name", models.Called, parts.participants.name),
        ("stand_in", models.StandIn, parts.participants.stand_in),
        ("back", models.Versioned, parts.participants.back),
        ("rematch", models.Rematch, parts.participants.rematch, 201),
        ("invitations", models.Invite, parts.browsers.invite),
        ("chat", models.Write, parts.chat.write),
        ("mute", models.Mute, parts.chat.mute),
        ("watch", models.Versioned, parts.browsers.watch),
        ("unwatch", models.Unwatch, parts.browsers.unwatch),
        ("leave", models.Versioned, parts.browsers.leave),
        ("saves", models.NewSave, parts.new_games.add_save, 201),
    ):
        _add_post(app, name, model, do, *status)


def _add_post(
    app: FastAPI, name: str, model: type[models.Versioned], do: Callable[..., Awaitable[Any]], status: int = 200
) -> None:
    """Add an action of a browser in a game. `do` takes the game, the browser, and the fields of the request's model,
    which include the version.
    """

    async def act(game: Id, asked: model, me: Known) -> dict[str, Any]:  # pyright: ignore[reportInvalidTypeForm]
        return await do(game, me, **dict(asked)) or {}

    app.add_api_route(f"/api/games/{{game}}/{name}", act, methods=["POST"], status_code=status)


def _add_lists(app: FastAPI, parts: Parts) -> None:
    """Add the routes that a browser uses before it opens a game."""
    service, snapshots, browsers = parts.service, parts.snapshots, parts.browsers
    reference: dict[int, bytes] = {}

    @app.get("/api/setup")
    async def setup() -> Response:
        # It seldom changes, and takes longer to build than any other public answer.
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
            {"id": s["id"], "name": isolate(s["name"]), "created": s["created"], "where": s["data"]["where"]}
            for s in service.store.saves_of(me)
            if service.plays(s["data"])
        ]
        return {"games": snapshots.games_of(me), "saves": saves}

    @app.post("/api/join")
    async def join(asked: models.Join, me: New) -> dict[str, Any]:
        return await browsers.join(asked.invitation, me, asked.name)

    @app.post("/api/saves/{save}/delete")
    async def drop_save(save: Id, me: Known) -> dict[str, Any]:
        await parts.new_games.drop_save(save, me)
        return {}

    @app.post("/api/logout")
    async def logout(request: Request, response: Response, me: Known) -> dict[str, Any]:
        await browsers.end_session(me)
        parts.journal.note("session ended", request.scope, level=logging.INFO, session=me[:8])
        response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict", secure=service.settings.secure)
        return {}


def _add_beginnings(app: FastAPI, parts: Parts) -> None:
    """Add the routes that start games."""
    new_games, options = parts.new_games, options_of(parts.service.game({}))
    AskedGame = models.with_options(models.NewGame, options)
    AskedPosition = models.with_options(models.CheckPosition, options)

    @app.post("/api/games", status_code=201)
    async def new_game(asked: AskedGame, me: New) -> dict[str, Any]:  # pyright: ignore[reportInvalidTypeForm]  made of the options
        return await new_games.new_game(asked, me)

    @app.post("/api/records", status_code=201)
    async def load_record(asked: models.LoadRecord, me: New) -> dict[str, Any]:
        return await new_games.load_record(asked.record, asked.seats, asked.dice, me)

    @app.post("/api/load", status_code=201)
    async def load_save(asked: models.LoadSave, me: Known) -> dict[str, Any]:
        return await new_games.load_save(asked.save, me)

    @app.post("/api/positions")
    async def check_position(asked: AskedPosition) -> dict[str, Any]:  # pyright: ignore[reportInvalidTypeForm]  made of the options
        game = new_games.game(asked)
        return (
            new_games.sketch(game, asked.position)
            if asked.sketch
            else new_games.check_position(game, asked.position)[0]
        )


def _add_views(app: FastAPI, parts: Parts) -> None:
    """Add the routes that show a game."""
    service, snapshots, participants = parts.service, parts.snapshots, parts.participants
    polls = Polls(service.settings.polls_each, service.settings.polls)

    @app.get("/api/games/{game}")
    async def snapshot(
        game: Id,
        me: Known,
        version: Annotated[int, Query(ge=-1)] = -1,
        after: Annotated[int, Query(ge=0)] = 0,
        epoch: Annotated[int, Query(ge=-1)] = -1,
        shown: Annotated[int | None, Query(ge=0)] = None,
        heard: Annotated[float | None, Query(ge=0)] = None,
        wait: Annotated[float, Query(ge=0, le=WAIT)] = 0.0,
        moment: bool = False,
    ) -> dict[str, Any]:
        seats, table = service.seats(game, me), await service.table(game)
        # Count the visit before waiting, since the browser may be gone afterwards.
        service.presence.visit(game, me)
        if shown is not None:
            service.show(game, Visibility(table, seats).reached(shown))
        service.resume(game)
        if wait:
            async with without_turn():
                with polls.one(ASKER.get()) as may:
                    if not may:
                        raise Problem(429, "polls", "too many open pages from your address; close some of them")
                    wait = min(wait, participants.news_in(game, table, seats))
                    await service.wait(game, seats, version, wait, me, math.inf if heard is None else heard)
        seats, table = service.seats(game, me), await service.table(game)
        found = snapshots.shown(game, table, seats, me, after, epoch)
        return {
            **found,
            "moment": snapshots.moment_of(table, seats, found["count"]) if moment else None,
            **participants.snapshot(game, table, seats, me),
            **parts.chat.snapshot(game, me, heard or 0.0),
        }

    @app.get("/api/games/{game}/moments/{n}")
    async def moment(game: Id, n: Annotated[int, Path(ge=0)], me: Known) -> dict[str, Any]:
        return await snapshots.moment(game, me, n)

    @app.get("/api/games/{game}/advice")
    async def advice(game: Id, me: Known, version: Annotated[int, Query(ge=0)]) -> dict[str, Any]:
        return await participants.advice(game, me, version)

    @app.get("/api/games/{game}/curve")
    async def curve(game: Id, me: Known) -> dict[str, Any]:
        return await participants.curve(game, me)

    @app.get("/api/games/{game}/position")
    async def position(game: Id, me: Known) -> dict[str, Any]:
        return await snapshots.position(game, me)

    @app.get("/api/games/{game}/record")
    async def record(game: Id, me: Known) -> Response:
        name = re.sub(r"[^a-z0-9]+", "-", service.spec.title.lower()).strip("-") or service.spec.name
        headers = {"Content-Disposition": f'attachment; filename="{name}.jsonl"'}
        return PlainTextResponse(await snapshots.record(game, me), headers=headers, media_type="application/jsonl")

    @app.get("/replay/{game}")
    async def replay(game: Id) -> Response:
        page = await participants.replay(game)
        # The page allows only its own inline script, which the server's policy would forbid.
        policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', page)
        assert policy is not None
        return HTMLResponse(page, headers={"Content-Security-Policy": policy[1] + "; frame-ancestors 'none'"})
