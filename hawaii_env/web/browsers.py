"""The browsers that a server knows: how they come to a seat, leave it, and are forgotten."""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import Any

from hawaii_env.web.service import Problem, Service
from hawaii_env.web.store import DAY, StoreError
from hawaii_env.web.strings import side_ids

__all__ = ["NO_INVITATION", "Browsers"]

TOUCH = 3600.0
"""Seconds after which it is noted again that a browser is there."""

NO_INVITATION = "this invitation is not valid: it was used already, or a newer one was made"


class Browsers:
    """The browsers of a server. Methods run in the server's event loop.

    Args:
        service: its games.
    """

    def __init__(self, service: Service) -> None:
        self.service = service

    async def invite(self, game: str, session: str, seat: int | None = None) -> dict[str, Any]:
        """Return a new invitation to a seat that nobody has, the first where none is named; an earlier one ends."""
        self.service.seats(game, session)
        table = await self.service.table(game)
        taken = self.service.store.taken(game)
        free = [n for n, seat in enumerate(table.data["seats"]) if seat["kind"] == "human" and n not in taken]
        if not free:
            raise Problem(409, "seats", "every seat of this game is taken")
        if seat is not None and seat not in free:
            raise Problem(409, "seats", "that seat is taken")
        to = free[0] if seat is None else seat
        return {
            "invitation": await self.service.stored(lambda: self.service.store.invite(game, to)),
            "side": side_ids(table.game)[to],
        }

    async def join(self, invitation: str, session: str) -> dict[str, Any]:
        """Take the seat of an invitation."""
        game = await self.service.stored(lambda: self.service.store.accept(invitation, session))
        if game is None:
            raise Problem(404, "invitation", NO_INVITATION)
        self.service.notify(game)
        return {"id": game}

    async def leave(self, game: str, session: str) -> None:
        """Take a browser out of a game; a game that nobody has is deleted."""
        self.service.seats(game, session)
        if await self.service.stored(lambda: self.service.store.leave(game, session)):
            self.service.drop([game])
        else:
            self.service.notify(game)

    def known(self, session: str) -> tuple[bool, bool]:
        """Return whether a browser is known, by its digest, and whether it was not seen for an hour and should be
        noted.
        """
        seen, now = self.service.store.session_seen(session), time.time()
        if seen is None or seen < now - self.service.settings.session_days * DAY:
            return False, False
        return True, seen < now - TOUCH

    def touch(self, session: str) -> None:
        """Note that a browser is still there."""
        # An hour later is early enough where it cannot be written now.
        with contextlib.suppress(StoreError):
            self.service.store.touch_session(session)

    async def end_session(self, session: str) -> None:
        """Forget a browser: its saves and the games that nobody else is in are deleted, its other seats are free."""
        shared = self.service.store.games_with(session)
        self.service.drop(await self.service.stored(lambda: self.service.store.end_sessions([session])))
        for game in shared:
            self.service.notify(game)

    async def end_idle_sessions(self) -> int:
        """Forget the browsers that have not been seen for long; return how many."""
        idle = self.service.store.idle_sessions(time.time() - self.service.settings.session_days * DAY)
        for session in idle:
            await self.end_session(session)
            await asyncio.sleep(0)  # requests come in between
        return len(idle)
