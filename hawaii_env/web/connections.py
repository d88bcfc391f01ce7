"""Connections of the server: limits on how many are open in total and per address, and on how long one may be idle.

uvicorn waits without limit for the rest of a request and for a client to read its answer. It has no limit per address,
and at its total limit it refuses new connections instead of closing idle ones.
"""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import Callable
from functools import partial
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from hawaii_env.web.security import Journal, neighbourhood
from hawaii_env.web.settings import Settings

__all__ = ["HEADER_SECONDS", "UNREAD_SECONDS", "Connections", "protocol"]

HEADER_SECONDS = 10.0
"""Time limit for the head of a request. The body has a limit of its own."""

UNREAD_SECONDS = 30.0
"""Time limit for a client to read what has been sent."""

CLOSING_SECONDS = 5.0

_REFUSAL = "HTTP/1.1 {}\r\nConnection: close\r\nContent-Length: 0\r\nRetry-After: 10\r\n\r\n"


def protocol(settings: Settings, journal: Journal) -> Callable[..., Limited]:
    """Return a factory of uvicorn's protocol with the limits of a server."""
    return partial(Limited, Connections(settings, journal))


class Connections:
    """The open connections of a server, by address.

    Args:
        settings: limits of the server.
        journal: log of refused and dropped connections.
    """

    def __init__(self, settings: Settings, journal: Journal) -> None:
        self.settings: Settings = settings
        self.journal: Journal = journal
        self.count: int = 0
        self._open: dict[str, set[Limited]] = {}

    def admit(self, made: Limited) -> str:
        """Count a new connection, making room for it if necessary; return the status line of a rejection, or ""."""
        if len(self._open.get(made.who, ())) >= self.settings.connections_each and not self._trusted(made.address):
            return "429 Too Many Requests"
        if self.count >= self.settings.connections and not self._drop_one(len(self._open.get(made.who, ()))):
            return "503 Service Unavailable"
        self._open.setdefault(made.who, set()).add(made)
        self.count += 1
        return ""

    def remove(self, ended: Limited) -> None:
        """Stop counting a connection."""
        found = self._open.get(ended.who, set())
        if ended in found:
            found.remove(ended)
            self.count -= 1
            if not found:
                del self._open[ended.who]

    def _drop_one(self, mine: int) -> bool:
        """Close a connection to make room for one of an address that has `mine`; return False if none may be closed.

        Of the address with the most connections, and at least one idle, the one idle longest is closed. If no
        connection is idle, the newest of the address that has the most is closed, if it has more than `mine` + 1.
        """
        for found in sorted(self._open.values(), key=len, reverse=True):
            if idle := [one for one in found if one.keeps_waiting]:
                min(idle, key=lambda one: one.since).drop("dropped")
                return True
        busy = max(self._open.values(), key=len, default=set())
        if len(busy) > mine + 1 and not any(self._trusted(one.address) for one in busy):
            max(busy, key=lambda one: one.since).drop("dropped")
            return True
        return False

    def _trusted(self, address: str) -> bool:
        try:
            found = ipaddress.ip_address(address)
        except ValueError:
            return False
        return any(found in ipaddress.ip_network(network) for network in self.settings.trusted)


class Limited(H11Protocol):
    """A connection, counted for its address and closed when it is idle too long.

    Args:
        all_open: all connections of the server.
        given: positional arguments from uvicorn.
        named: keyword arguments from uvicorn.

    Attributes:
        address: address of the client.
        who: what counts as one address: see `neighbourhood`.
        since: time at which the server began to wait for the client, or the client for the server.
    """

    def __init__(self, all_open: Connections, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._all, self.address, self.who, self.since = all_open, "", "", 0.0
        self._refused = False
        self._head: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None

    @property
    def keeps_waiting(self) -> bool:
        """True if the server waits for the client to send a request or to read an answer."""
        return self.cycle is None or self.cycle.response_complete or self.cycle.more_body or self.flow.write_paused

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        peer = transport.get_extra_info("peername")
        self.address: str = str(peer[0]) if isinstance(peer, tuple) and peer else ""
        self.who: str = neighbourhood(self.address)
        self.since = self.loop.time()
        if refusal := self._all.admit(self):
            self._all.journal.note("connections", address=self.address)
            self._refused, self.transport = True, transport
            transport.write(_REFUSAL.format(refusal).encode())
            transport.close()
            return
        super().connection_made(transport)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._all.remove(self)
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
                self._head, self.since = None, self.loop.time()
        elif self._head is None:
            self._await_head()

    def _await_head(self) -> None:
        self._head = self.loop.call_later(HEADER_SECONDS, self.drop, "late")

    def drop(self, event: str) -> None:
        """Close the connection at once, and log why."""
        self._all.journal.note(event, address=self.address)
        self._all.remove(self)
        self.transport.abort()

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._unread is None:
            self._unread = self.loop.call_later(UNREAD_SECONDS, self.drop, "unread")
            self.since = self.loop.time()

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    # A closing connection stays open until the client has read everything; limit that time.

    def on_response_complete(self) -> None:
        self.since: float = self.loop.time()
        super().on_response_complete()
        self._end()

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()
        self._end()

    def send_400_response(self, msg: str) -> None:
        self._all.journal.note("malformed", address=self.address)
        super().send_400_response(msg)
        self._end()

    def _end(self) -> None:
        if self.transport.is_closing():
            self.loop.call_later(CLOSING_SECONDS, self.transport.abort)
