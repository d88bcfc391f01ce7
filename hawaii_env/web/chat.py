"""Chat of the people at a game: to all, or to one. How long and how many messages are, and how often, has limits."""

from __future__ import annotations

import math
from typing import Any

from hawaii_env.texts import isolate
from hawaii_env.web.budgets import Budget
from hawaii_env.web.service import Problem, Service

__all__ = ["Chat"]


class Chat:
    """The messages of a server's people. Methods run in the server's event loop.

    Args:
        service: its games.
    """

    def __init__(self, service: Service) -> None:
        self.service: Service = service
        self.rate: Budget = Budget(service.settings.chat_rate)

    async def write(self, game: str, session: str, version: int, text: str, seat: int | None) -> None:
        """Write to everybody who may look at a game, or to who has a seat now; others never learn of that."""
        service, seats = self.service, self.service.seats(game, session)
        what = "chat" if seat is None else "whisper"
        service.check(game, await service.table(game), seats, session, version, what, seat)
        who = f"{game} {session}"
        if wait := await self.rate.wait(who):
            raise Problem(429, "chat", f"that is more than others can read; go on in {math.ceil(wait)} s")
        await self.rate.spend(who, 1)
        to = None if seat is None else service.store.members(game)[seat]
        await service.stored(lambda: service.store.add_message(game, min(seats), session, seat, to, text))
        service.notify(game)

    async def mute(self, game: str, session: str, version: int, seat: int, on: bool) -> None:
        """Show a browser no messages of who has a seat now, or show them again."""
        service, seats = self.service, self.service.seats(game, session)
        service.check(game, await service.table(game), seats, session, version, "mute", seat)
        other = service.store.members(game)[seat]
        await service.stored(lambda: service.store.mute(game, session, other, on))
        service.notify(game)

    def snapshot(self, game: str, session: str, heard: float) -> dict[str, Any]:
        """Return what has been written to a browser since a moment, and the seats that it does not hear."""
        store = self.service.store
        messages, muted = store.messages(game, session, heard), store.muted(game, session)
        members = store.members(game) if muted else {}
        return {
            "chat": [{**message, "text": isolate(message["text"])} for message in messages],
            "muted": sorted(seat for seat, other in members.items() if other in muted),
        }
