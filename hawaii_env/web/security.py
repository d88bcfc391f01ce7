"""What stands before every request: the host that it is addressed to, where it comes from, how big it is, how often it comes."""

from __future__ import annotations

import asyncio
import ipaddress
import json
import time
from collections import OrderedDict
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from hawaii_env.web.settings import Settings

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["HEADERS", "Buckets", "Guard", "host_allowed"]

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
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

_HEAVY = ("/api/games", "/api/records", "/api/positions", "/api/join", "/api/load")


def host_allowed(host: str, names: tuple[str, ...]) -> bool:
    """Whether requests may be addressed to a host, as the header says it.

    Plain addresses and localhost may: a name under somebody else's control, pointed at this machine, is neither (DNS rebinding).
    """
    try:
        name = urlsplit(f"//{host}").hostname
        _ = urlsplit(f"//{host}").port
    except ValueError:
        return False
    if not name or "@" in host or "/" in host:
        return False
    name = name.rstrip(".")
    if name == "localhost" or name in names:
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


class Buckets:
    """How often each address may come: so many at once, then so many a second.

    Args:
        rate: a second.
        burst: at once.
        most: addresses that are remembered.
    """

    def __init__(self, rate: float, burst: float, most: int = 10_000) -> None:
        self.rate: float = rate
        self.burst: float = burst
        self.most: int = most
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, who: str) -> float:
        """Take one; return 0 where there was one, else the seconds until there is."""
        now = time.monotonic()
        left, then = self._left.pop(who, (self.burst, now))
        left = min(self.burst, left + (now - then) * self.rate)
        wait = 0.0 if left >= 1 else (1 - left) / self.rate
        self._left[who] = (left - 1 if not wait else left, now)
        while len(self._left) > self.most:
            self._left.popitem(last=False)
        return wait


def _heavy(method: str, path: str) -> bool:
    if method == "GET":
        return path.startswith("/replay/")
    return method == "POST" and (path in _HEAVY or path.endswith(("/hint", "/invitations", "/saves", "/rematch")))


class Guard:
    """The ASGI application before the application.

    Args:
        app: what answers requests that pass.
        settings: limits.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app: ASGIApp = app
        self.settings: Settings = settings
        self.all: Buckets = Buckets(settings.rate, settings.burst)
        self.heavy: Buckets = Buckets(settings.heavy_rate, settings.heavy_burst)

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

        refusal = self._refusal(scope)
        body = b""
        if refusal is None and scope["method"] not in ("GET", "HEAD"):
            try:
                found = await asyncio.wait_for(self._body(scope, receive), BODY_SECONDS)
            except TimeoutError:
                found = None
                refusal = (408, "slow", "the request did not come to an end", {})
            if found is None and refusal is None:
                refusal = (413, "big", f"a request has at most {self._limit(scope)} bytes", {})
            body = found or b""
        if refusal is not None:
            await _refuse(sealed, *refusal)
            return
        sent = False

        async def again() -> Message:
            nonlocal sent
            if not sent:
                sent = True
                return {"type": "http.request", "body": body, "more_body": False}
            return await receive()

        await self.app(scope, again, sealed)

    def _limit(self, scope: Scope) -> int:
        return self.settings.record_limit if scope["path"] == "/api/records" else self.settings.body_limit

    def _refusal(self, scope: Scope) -> tuple[int, str, str, dict[str, str]] | None:
        """Why a request is not looked at, or None: status, code, message, headers."""
        headers: dict[str, list[str]] = {}
        for key, value in scope["headers"]:
            headers.setdefault(key.decode("latin-1").lower(), []).append(value.decode("latin-1"))

        def one(key: str) -> str:
            found = headers.get(key, [])
            return found[0] if len(found) == 1 else ""

        host, method, path = one("host"), scope["method"], scope["path"]
        if not host_allowed(host, self.settings.hosts):
            return 421, "host", "this server does not answer to that name", {}
        who = scope["client"][0] if scope.get("client") else ""
        wait = self.all.take(who) or (self.heavy.take(who) if _heavy(method, path) else 0.0)
        if wait:
            return 429, "rate", "too many requests; wait a little", {"Retry-After": str(int(wait) + 1)}
        if not path.startswith("/api/"):
            return None
        site, origin = one("sec-fetch-site"), one("origin")
        if site and site != "same-origin" and not (site == "none" and method == "GET"):
            return 403, "origin", "requests come from this server's own page only", {}
        if "origin" in headers and urlsplit(origin).netloc.lower() != host.lower():
            return 403, "origin", "requests come from this server's own page only", {}
        if method == "POST":
            if one("content-type").partition(";")[0].strip().lower() != "application/json":
                return 415, "type", "the body must be application/json", {}
            length = one("content-length")
            if length and (not length.isdigit() or len(length) > 12 or int(length) > self._limit(scope)):
                return 413, "big", f"a request has at most {self._limit(scope)} bytes", {}
        return None

    async def _body(self, scope: Scope, receive: Receive) -> bytes | None:
        """The whole body, or None where it is too big."""
        parts: list[bytes] = []
        size, limit = 0, self._limit(scope)
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return b""
            part = message.get("body", b"")
            size += len(part)
            if size > limit:
                return None
            parts.append(part)
            if not message.get("more_body", False):
                return b"".join(parts)


async def _refuse(send: Any, status: int, code: str, message: str, headers: dict[str, str]) -> None:
    body = json.dumps({"error": {"code": code, "message": message}}).encode()
    listed = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    # What is left of a body that was not read would be taken for the next request.
    listed.append((b"connection", b"close"))
    listed += [(key.lower().encode(), value.encode()) for key, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": listed})
    await send({"type": "http.response.body", "body": body})
