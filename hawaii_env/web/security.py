"""Checks before every request: the host that it is addressed to, where it comes from, how big it is, how often it
comes; and the log of what was refused.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import json
import logging
import re
import time
from collections.abc import AsyncIterator, Iterator
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from anyio import CancelScope
from limits import parse, parse_many
from limits.aio.storage import MemoryStorage
from limits.aio.strategies import SlidingWindowCounterRateLimiter
from limits.storage import MemoryStorage as BlockingStorage
from limits.strategies import FixedWindowRateLimiter
from starlette.middleware.trustedhost import TrustedHostMiddleware

from hawaii_env.web.settings import Settings

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = [
    "ASKER",
    "HEADERS",
    "Guard",
    "Journal",
    "Polls",
    "Rates",
    "Throttle",
    "Turns",
    "address_of",
    "is_address",
    "neighbourhood",
]

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src "
        "'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
}
"""Of every answer."""

BODY_SECONDS = 20.0
"""A body that has not come by then is not waited for."""

UNUSED = 8 * 1024**2
"""Bytes of a body that is too big which are taken, and thrown away, before the answer."""

_NEW = ("/api/games", "/api/records", "/api/load")
_HEAVY = (*_NEW, "/api/positions", "/api/join", "/api/logout")


# Who asks


def address_of(scope: Scope) -> str:
    """Return the address that a request comes from, or "unknown" if a proxy sent something else."""
    try:
        return str(ipaddress.ip_address(scope["client"][0])) if scope.get("client") else "unknown"
    except ValueError:
        return "unknown"


def neighbourhood(address: str) -> str:
    """Return what counts as one address: of IPv6 the 64 bits that one customer has at least, else all of it."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return "unknown"
    if isinstance(found, ipaddress.IPv6Address):
        return str(found.ipv4_mapped or ipaddress.ip_network((int(found) >> 64 << 64, 64)))
    return str(found)


def is_address(host: str) -> bool:
    """Return True if a Host header names a plain address, perhaps with a port."""
    found = re.fullmatch(r"(?:\[([0-9A-Fa-f:.]+)\]|([0-9.]+))(?::[0-9]{1,5})?", host)
    try:
        return found is not None and bool(ipaddress.ip_address(found[1] or found[2]))
    except ValueError:
        return False


# The log


class Throttle(logging.Filter):
    """Lets so many records of one kind into a log, so that nobody fills it.

    Args:
        rate: how many, as the library ``limits`` writes it.
    """

    def __init__(self, rate: str = "20/minute") -> None:
        super().__init__()
        self._rate = parse(rate)
        self._limiter = FixedWindowRateLimiter(BlockingStorage())

    def filter(self, record: logging.LogRecord) -> bool:
        """Return True if a record is written. Its kind is the attribute `kind`, or its message without arguments."""
        return self._limiter.hit(self._rate, str(getattr(record, "kind", record.msg))[:200])


class Journal:
    """The security log: the logger ``hawaii_env.web.security``, a line of JSON for each event. No token is ever in
    it.
    """

    def __init__(self) -> None:
        self._log = logging.getLogger("hawaii_env.web.security")

    def note(
        self,
        event: str,
        scope: Scope | None = None,
        *,
        address: str = "",
        level: int = logging.WARNING,
        **facts: Any,
    ) -> None:
        """Note an event.

        Args:
            event: one word.
            scope: the request, or None.
            address: who, where there is no request.
            level: of `logging`; what is refused is a warning.
            facts: what else there is to say.
        """
        if not self._log.isEnabledFor(level):
            return
        entry: dict[str, Any] = {"time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "event": event}
        if scope is not None:
            address = address_of(scope)
            # A game appears by the beginning of its id.
            path = re.sub(r"[A-Za-z0-9_-]{20,}", lambda found: found[0][:8] + "...", scope["path"][:300])[:100]
            facts = {"method": scope["method"], "path": path, **facts}
        if address:
            entry["address"] = address
        self._log.log(level, "%s", json.dumps({**entry, **facts}), extra={"kind": f"{event} {address}"})


# How often, and how many at a time


class Rates:
    """Limits on how often each address may ask."""

    def __init__(self, settings: Settings) -> None:
        self._limiter = SlidingWindowCounterRateLimiter(MemoryStorage())
        self._all = parse_many(settings.rate)
        self._heavy = parse_many(settings.heavy_rate)
        self._new = parse_many(settings.new_rate)

    async def wait(self, who: str, method: str, path: str) -> float:
        """Count a request; return 0 if it may pass, else the seconds after which another one may."""
        kinds = [("all", self._all)]
        heavy = path in _HEAVY or path.endswith(("/hint", "/invitations", "/saves", "/retry", "/rematch"))
        if (method == "POST" and heavy) or path.startswith("/replay/"):
            kinds.append(("heavy", self._heavy))
        if method == "POST" and (path in _NEW or path.endswith(("/saves", "/rematch"))):
            kinds.append(("new", self._new))
        for kind, limits in kinds:
            for limit in limits:
                if not await self._limiter.hit(limit, kind, who):
                    reset, _ = await self._limiter.get_window_stats(limit, kind, who)
                    return max(0.1, reset - time.time())
        return 0.0


class Polls:
    """Requests that wait for something, by address. Where there are too many, one of the address that has most is
    answered at once, so that the waiting of some keeps nobody else from it.

    Args:
        most: of one address at a time.
        most_all: of all; None: no limit.
    """

    def __init__(self, most: int, most_all: int | None = None) -> None:
        self.most, self.most_all = most, most_all
        self.waiting: dict[str, list[CancelScope]] = {}

    @contextlib.contextmanager
    def one(self, who: str) -> Iterator[bool]:
        """Count one as long as the block runs, which may be ended early; gives False, and counts none, where there are
        too many.
        """
        mine = self.waiting.get(who, [])
        if len(mine) >= self.most or not self._make_room(len(mine)):
            yield False
            return
        scope = CancelScope()
        self.waiting.setdefault(who, mine).append(scope)
        try:
            with scope:
                yield True
        finally:
            self._forget(who, scope)

    def _make_room(self, mine: int) -> bool:
        """Return True if there is room for one more of an address that has so many; end the oldest of an address that
        has more than that would be.
        """
        if self.most_all is None or sum(map(len, self.waiting.values())) < self.most_all:
            return True
        who = max(self.waiting, key=lambda who: len(self.waiting[who]))
        if len(self.waiting[who]) <= mine + 1:  # else two would end one another's for ever
            return False
        oldest = self.waiting[who][0]
        oldest.cancel()
        self._forget(who, oldest)
        return True

    def _forget(self, who: str, scope: CancelScope) -> None:
        if scope in self.waiting.get(who, ()):
            self.waiting[who].remove(scope)
            if not self.waiting[who]:
                del self.waiting[who]


ASKER: ContextVar[str] = ContextVar("asker", default="")
"""The address that made the current request, or the request that began the current task."""


class Turns:
    """So many things at a time for each address: the others wait, and nobody's wait is longer for who asks for much.

    Args:
        most: of one address at a time.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._queues: dict[str, tuple[asyncio.Semaphore, int]] = {}

    @contextlib.asynccontextmanager
    async def one(self) -> AsyncIterator[None]:
        """Run the block when it is the turn of `ASKER`."""
        who = ASKER.get()
        queue, users = self._queues.get(who, (asyncio.Semaphore(self.most), 0))
        self._queues[who] = queue, users + 1
        try:
            async with queue:
                yield
        finally:
            queue, users = self._queues.pop(who)
            if users > 1:
                self._queues[who] = queue, users - 1


class Guard:
    """The ASGI application before the application.

    Args:
        app: what answers requests that pass.
        settings: limits.
        journal: where refusals are noted.
    """

    def __init__(self, app: ASGIApp, settings: Settings, journal: Journal) -> None:
        self.app: ASGIApp = app
        self.settings: Settings = settings
        self.journal: Journal = journal
        self.rates: Rates = Rates(settings)
        self.named: TrustedHostMiddleware = TrustedHostMiddleware(
            self._addressed, ["localhost", *settings.hosts], www_redirect=False
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return

        async def sealed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = [(k, v) for k, v in message["headers"] if k.lower() != b"server"]
                known = {k.lower() for k, _ in headers}
                headers += [(k.encode(), v.encode()) for k, v in HEADERS.items() if k.lower().encode() not in known]
                if b"cache-control" not in known:
                    headers.append((b"Cache-Control", b"no-store"))
                message = {**message, "headers": headers}
            await send(message)

        who = neighbourhood(address_of(scope))
        ASKER.set(who)
        wait = await self.rates.wait(who, scope["method"], scope["path"])
        if wait:
            await self._refuse(scope, sealed, 429, "rate", "too many requests; wait a little", int(wait) + 1)
            return
        host = _only(scope, b"host")
        # A name under somebody else's control can be pointed at this machine (DNS rebinding); a plain address cannot.
        # The library knows lists of names alone.
        if is_address(host):
            await self._addressed(scope, receive, sealed)
            return

        async def watched(message: Message) -> None:
            if message["type"] == "http.response.start" and "hawaii.addressed" not in scope:
                self.journal.note("host", scope, host=host[:100])
            await sealed(message)

        await self.named(scope, receive, watched)

    async def _addressed(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request that is addressed to this server."""
        scope["hawaii.addressed"] = True
        refusal = self._refusal(scope)
        if refusal is not None:
            await self._refuse(scope, send, *refusal)
            return
        body = b""
        if scope["method"] not in ("GET", "HEAD"):
            try:
                found = await asyncio.wait_for(self._body(scope, receive), BODY_SECONDS)
            except TimeoutError:
                await self._refuse(scope, send, 408, "slow", "the request did not come to an end")
                return
            if found is None:
                await self._refuse(scope, send, 413, "big", f"a request has at most {self._limit(scope)} bytes")
                return
            body = found
        sent = False

        async def again() -> Message:
            nonlocal sent
            if not sent:
                sent = True
                return {"type": "http.request", "body": body, "more_body": False}
            return await receive()

        await self.app(scope, again, send)

    def _limit(self, scope: Scope) -> int:
        return self.settings.record_limit if scope["path"] == "/api/records" else self.settings.body_limit

    def _refusal(self, scope: Scope) -> tuple[int, str, str] | None:
        """Return why a request is refused, or None: status, code, message."""
        if not scope["path"].startswith("/api/"):
            return None
        site, origin = _only(scope, b"sec-fetch-site"), _only(scope, b"origin")
        if site and site != "same-origin" and not (site == "none" and scope["method"] == "GET"):
            return 403, "origin", "requests come from this server's own page only"
        if _all(scope, b"origin") and urlsplit(origin).netloc.lower() != _only(scope, b"host").lower():
            return 403, "origin", "requests come from this server's own page only"
        if scope["method"] == "POST":
            if _only(scope, b"content-type").partition(";")[0].strip().lower() != "application/json":
                return 415, "type", "the body must be application/json"
            length = _only(scope, b"content-length")
            if length and (not length.isdigit() or len(length) > 12 or int(length) > UNUSED):
                return 413, "big", f"a request has at most {self._limit(scope)} bytes"
        return None

    async def _body(self, scope: Scope, receive: Receive) -> bytes | None:
        """Return the whole body, or None if it is too big."""
        parts: list[bytes] = []
        size, limit = 0, self._limit(scope)
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return b""
            part = message.get("body", b"")
            size += len(part)
            if size <= limit:
                parts.append(part)
            # Who still sends would not read the answer.
            if not message.get("more_body", False) or size > UNUSED:
                return b"".join(parts) if size <= limit else None

    async def _refuse(self, scope: Scope, send: Send, status: int, code: str, message: str, after: int = 0) -> None:
        self.journal.note(code, scope)
        body = json.dumps({"error": {"code": code, "message": message}}).encode()
        listed = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        # What is left of a body that was not read would be taken for the next request.
        listed.append((b"connection", b"close"))
        if after:
            listed.append((b"retry-after", str(after).encode()))
        await send({"type": "http.response.start", "status": status, "headers": listed})
        await send({"type": "http.response.body", "body": body})


def _all(scope: Scope, key: bytes) -> list[str]:
    return [v.decode("latin-1") for k, v in scope["headers"] if k.lower() == key]


def _only(scope: Scope, key: bytes) -> str:
    """Return a header that comes once; else nothing."""
    found = _all(scope, key)
    return found[0] if len(found) == 1 else ""
