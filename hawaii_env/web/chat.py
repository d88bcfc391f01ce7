"""Chat between the people at a game: to all, or to one. Length, number and rate of messages are limited."""

from __future__ import annotations

import math
from typing import Any

from hawaii_env.texts import isolate
from hawaii_env.web.budgets import Budget
from hawaii_env.web.service import Problem, Service

__all__ = ["Chat"]


class Chat:
    """The messages of a server. Methods run in the server's event loop.

    Args:
        service: the games of the server.
    """

    def __init__(self, service: Service) -> None:
        self.service: Service = service
        self.rate: Budget = Budget(service.settings.chat_rate)

    async def write(self, game: str, session: str, version: int, text: str, seat: int | None) -> None:
        """Send a message to everybody at a game, or privately to the present owner of a seat."""
        service, seats = self.service, self.service.seats(game, session)
        what = "chat" if seat is None else "whisper"
        service.check(game, await service.table(game), seats, session, version, what, seat)
        who = f"{game} {session}"
        if wait := await self.rate.wait(who):
            raise Problem(429, "chat", f"too many messages; try again in {math.ceil(wait)} s")
        await self.rate.spend(who, 1)
        to = None if seat is None else service.store.members(game)[seat]
        await service.stored(lambda: service.store.add_message(game, min(seats), session, seat, to, text))
        service.notify(game)

    async def mute(self, game: str, session: str, version: int, seat: int, on: bool) -> None:
        """Hide the messages of a seat's present owner from a browser, or show them again."""
        service, seats = self.service, self.service.seats(game, session)
        service.check(game, await service.table(game), seats, session, version, "mute", seat)
        other = service.store.members(game)[seat]
        await service.stored(lambda: service.store.mute(game, session, other, on))
        service.notify(game)

    def snapshot(self, game: str, session: str, heard: float) -> dict[str, Any]:
        """Return the messages to a browser since a time, and the seats that it has muted."""
        store = self.service.store
        messages, muted = store.messages(game, session, heard), store.muted(game, session)
        members = store.members(game) if muted else {}
        return {
            "chat": [{**message, "text": isolate(message["text"])} for message in messages],
            "muted": sorted(seat for seat, other in members.items() if other in muted),
        }
