"""Checks before every request: its host, its origin, its size and its rate; and the log of refused requests."""

from __future__ import annotations

import asyncio
import ipaddress
import json
import logging
import re
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from limits import parse
from limits.storage import MemoryStorage as BlockingStorage
from limits.strategies import FixedWindowRateLimiter
from starlette.middleware.trustedhost import TrustedHostMiddleware

from hawaii_env.web.budgets import ASKER, Held, Rates, Turns, leave_turn
from hawaii_env.web.settings import Settings

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = [
    "HEADERS",
    "Guard",
    "Journal",
    "Throttle",
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
"""Headers of every answer."""

BODY_SECONDS = 20.0
"""Time limit for the body of a request."""

AT_A_TIME = 2
"""Requests of one address, and of all, that are answered at a time; those that only wait do not count."""

UNUSED = 8 * 1024**2
"""Most bytes of an oversized body that are read and discarded before the answer is sent."""


# Addresses


def address_of(scope: Scope) -> str:
    """Return the address that a request comes from, or "unknown" if a proxy sent something invalid."""
    try:
        return str(ipaddress.ip_address(scope["client"][0])) if scope.get("client") else "unknown"
    except ValueError:
        return "unknown"


def neighbourhood(address: str) -> str:
    """Return what counts as one address: the /64 network of an IPv6 address, since one customer has at least that; else
    the address itself.
    """
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return "unknown"
    if isinstance(found, ipaddress.IPv6Address):
        return str(found.ipv4_mapped or ipaddress.ip_network((int(found) >> 64 << 64, 64)))
    return str(found)


def is_address(host: str) -> bool:
    """Return True if a Host header is a plain IP address, with or without a port."""
    found = re.fullmatch(r"(?:\[([0-9A-Fa-f:.]+)\]|([0-9.]+))(?::[0-9]{1,5})?", host)
    try:
        return found is not None and bool(ipaddress.ip_address(found[1] or found[2]))
    except ValueError:
        return False


# The log


class Throttle(logging.Filter):
    """Limits how many records of one kind are logged, so that nobody can fill the log.

    Args:
        rate: the limit, in the notation of the library ``limits``.
    """

    def __init__(self, rate: str = "20/minute") -> None:
        super().__init__()
        self._rate = parse(rate)
        self._limiter = FixedWindowRateLimiter(BlockingStorage())

    def filter(self, record: logging.LogRecord) -> bool:
        """Return True to log a record. Its kind is the attribute `kind`, or its message without arguments."""
        return self._limiter.hit(self._rate, str(getattr(record, "kind", record.msg))[:200])


class Journal:
    """The security log: the logger ``hawaii_env.web.security``, one line of JSON for each event, never with a token."""

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
        """Log an event.

        Args:
            event: one word.
            scope: the request, or None.
            address: address of the client, if there is no request.
            level: level of `logging`; refusals are warnings.
            facts: further fields of the entry.
        """
        if not self._log.isEnabledFor(level):
            return
        entry: dict[str, Any] = {"time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "event": event}
        if scope is not None:
            address = address_of(scope)
            # A game appears only by the first characters of its id.
            path = re.sub(r"[A-Za-z0-9_-]{20,}", lambda found: found[0][:8] + "...", scope["path"][:300])[:100]
            facts = {"method": scope["method"], "path": path, **facts}
        if address:
            entry["address"] = address
        self._log.log(level, "%s", json.dumps({**entry, **facts}), extra={"kind": f"{event} {address}"})


class Guard:
    """ASGI middleware that checks requests before the application gets them.

    Args:
        app: application that answers the requests that pass.
        settings: limits of the server.
        journal: log of refusals.
    """

    def __init__(self, app: ASGIApp, settings: Settings, journal: Journal) -> None:
        self.app: ASGIApp = app
        self.settings: Settings = settings
        self.journal: Journal = journal
        self.rates: Rates = Rates(settings)
        self.held: Held = Held(settings.held_each, settings.held)
        # Addresses take turns, so that a thousand requests from one delay a request from another by only a few.
        self.turns: Turns = Turns(1, AT_A_TIME)
        self.named: TrustedHostMiddleware = TrustedHostMiddleware(
            self._addressed, ["localhost", *settings.hosts], www_redirect=False
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
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
                await leave_turn()
            await send(message)

        who = neighbourhood(address_of(scope))
        ASKER.set(who)
        wait = await self.rates.wait(who, scope["method"], scope["path"])
        if wait:
            await self._refuse(scope, sealed, 429, "rate", "too many requests; wait a little", int(wait) + 1)
            return
        host = _only(scope, b"host")
        # A host name that somebody else controls can be pointed at this machine (DNS rebinding); a plain address
        # cannot. TrustedHostMiddleware checks names only.
        if is_address(host):
            await self._addressed(scope, receive, sealed)
            return

        async def watched(message: Message) -> None:
            if message["type"] == "http.response.start" and "hawaii.addressed" not in scope:
                self.journal.note("host", scope, host=host[:100])
            await sealed(message)

        await self.named(scope, receive, watched)

    async def _addressed(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request whose host is this server."""
        scope["hawaii.addressed"] = True
        refusal = self._refusal(scope)
        if refusal is not None:
            await self._refuse(scope, send, *refusal)
            return
        taken = _Taken(self.held, ASKER.get(), self._limit(scope))
        try:
            if scope["method"] not in ("GET", "HEAD"):
                try:
                    refusal = await asyncio.wait_for(taken.read(receive), BODY_SECONDS)
                except TimeoutError:
                    refusal = 408, "slow", "the request was not completed in time"
                if refusal is not None:
                    await self._refuse(scope, send, *refusal)
                    return
            sent = False

            async def again() -> Message:
                nonlocal sent
                if not sent:
                    sent = True
                    return {"type": "http.request", "body": taken.body, "more_body": False}
                return await receive()

            async with self.turns.request():
                await self.app(scope, again, send)
        finally:
            taken.release()

    def _limit(self, scope: Scope) -> int:
        return self.settings.record_limit if scope["path"] == "/api/records" else self.settings.body_limit

    def _refusal(self, scope: Scope) -> tuple[int, str, str] | None:
        """Return the status, code and message of a rejection, or None if the request passes."""
        if not scope["path"].startswith("/api/"):
            return None
        site, origin = _only(scope, b"sec-fetch-site"), _only(scope, b"origin")
        if site and site != "same-origin" and not (site == "none" and scope["method"] == "GET"):
            return 403, "origin", "requests must come from this server's own page"
        if _all(scope, b"origin") and _place(origin) != _only(scope, b"host").lower():
            return 403, "origin", "requests must come from this server's own page"
        if scope["method"] == "POST":
            if _only(scope, b"content-type").partition(";")[0].strip().lower() != "application/json":
                return 415, "type", "the body must be application/json"
            length = _only(scope, b"content-length")
            if length and (not length.isdigit() or len(length) > 12 or int(length) > UNUSED):
                return 413, "big", f"the body of a request may have at most {self._limit(scope)} bytes"
        return None

    async def _refuse(self, scope: Scope, send: Send, status: int, code: str, message: str, after: int = 0) -> None:
        self.journal.note(code, scope)
        body = json.dumps({"error": {"code": code, "message": message}}).encode()
        listed = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        # Unread bytes of the body would be parsed as the next request.
        listed.append((b"connection", b"close"))
        if after:
            listed.append((b"retry-after", str(after).encode()))
        await send({"type": "http.response.start", "status": status, "headers": listed})
        await send({"type": "http.response.body", "body": body})


class _Taken:
    """The body of a request.

    Args:
        held: counter of the bytes in memory.
        who: address of the client.
        limit: most bytes allowed.
    """

    def __init__(self, held: Held, who: str, limit: int) -> None:
        self.held, self.who, self.limit = held, who, limit
        self.body: bytes = b""
        self.size: int = 0

    async def read(self, receive: Receive) -> tuple[int, str, str] | None:
        """Read the whole body; return the status, code and message of a rejection, or None."""
        parts: list[bytes] = []
        seen, room = 0, True
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return None
            part = message.get("body", b"")
            seen += len(part)
            if room and seen <= self.limit and (room := self.held.add(self.who, len(part))):
                parts.append(part)
                self.size += len(part)
            # A client that is still sending would not read the answer.
            if not message.get("more_body", False) or seen > UNUSED:
                break
        if seen > self.limit:
            return 413, "big", f"the body of a request may have at most {self.limit} bytes"
        if not room:
            return 429, "held", "too many bytes are being sent at once; wait a little"
        self.body = b"".join(parts)
        return None

    def release(self) -> None:
        """Stop counting the body."""
        self.held.remove(self.who, self.size)


def _all(scope: Scope, key: bytes) -> list[str]:
    return [v.decode("latin-1") for k, v in scope["headers"] if k.lower() == key]


def _place(origin: str) -> str:
    """Return the host and port of an origin; "" if it is invalid."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


def _only(scope: Scope, key: bytes) -> str:
    """Return the value of a header that occurs exactly once; else ""."""
    found = _all(scope, key)
    return found[0] if len(found) == 1 else ""
