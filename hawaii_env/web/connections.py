"""The server's connections: how many one address may have open, and how long one may do nothing.

uvicorn waits for the rest of a request, and for a reader of its answer, as long as it takes; and it knows no limit an
address.
"""

from __future__ import annotations

import asyncio
import ipaddress
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from hawaii_env.web.security import Journal, neighbourhood
from hawaii_env.web.settings import Settings

__all__ = ["HEADER_SECONDS", "UNREAD_SECONDS", "protocol"]

HEADER_SECONDS = 10.0
"""A request whose head has not come by then is not waited for. Its body has a limit of its own."""

UNREAD_SECONDS = 30.0
"""A reader who does not take what is ready for it in that time is not waited for."""

CLOSING_SECONDS = 5.0

_BUSY = b"HTTP/1.1 429 Too Many Requests\r\nConnection: close\r\nContent-Length: 0\r\nRetry-After: 10\r\n\r\n"


def protocol(settings: Settings, journal: Journal) -> Callable[..., Limited]:
    """Return what makes uvicorn's protocol with the limits of a server."""
    return partial(Limited, settings, journal, Counter[str]())


class Limited(H11Protocol):
    """One connection, which counts among those of its address and ends where it does nothing.

    Args:
        settings: the server's limits.
        journal: what is refused is noted here.
        open_by: how many connections are open, by address; all connections of a server share it.
        given: what uvicorn passes.
        named: what uvicorn passes.
    """

    def __init__(self, settings: Settings, journal: Journal, open_by: Counter[str], *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._settings, self._journal, self._open_by = settings, journal, open_by
        self._address = self._who = ""
        self._refused = False
        self._head: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        peer = transport.get_extra_info("peername")
        self._address = str(peer[0]) if isinstance(peer, tuple) and peer else ""
        self._who = neighbourhood(self._address)
        self._open_by[self._who] += 1
        if self._open_by[self._who] > self._settings.connections_each and not self._trusted():
            self._journal.note("connections", address=self._address)
            self._refused, self.transport = True, transport
            transport.write(_BUSY)
            transport.close()
            return
        super().connection_made(transport)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._open_by[self._who] -= 1
        if not self._open_by[self._who]:
            del self._open_by[self._who]
        for timer in (self._head, self._unread):
            if timer is not None:
                timer.cancel()
        if not self._refused:
            super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._refused:
            return
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            if self._head is not None:
                self._head.cancel()
                self._head = None
        elif self._head is None:
            self._await_head()

    def _trusted(self) -> bool:
        try:
            address = ipaddress.ip_address(self._address)
        except ValueError:
            return False
        return any(address in ipaddress.ip_network(network) for network in self._settings.trusted)

    def _await_head(self) -> None:
        self._head = self.loop.call_later(HEADER_SECONDS, self._give_up, "late")

    def _give_up(self, event: str) -> None:
        self._journal.note(event, address=self._address)
        self.transport.abort()

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._unread is None:
            self._unread = self.loop.call_later(UNREAD_SECONDS, self._give_up, "unread")

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    # What is closed waits until all that was written is read; not for ever.

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._end()

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()
        self._end()

    def send_400_response(self, msg: str) -> None:
        self._journal.note("malformed", address=self._address)
        super().send_400_response(msg)
        self._end()

    def _end(self) -> None:
        if self.transport.is_closing():
            self.loop.call_later(CLOSING_SECONDS, self.transport.abort)
