"""Limits for each address: requests per time, requests at a time, processor time, bytes."""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Iterator
from contextvars import ContextVar

from anyio import CancelScope
from limits import parse_many
from limits.aio.storage import MemoryStorage
from limits.aio.strategies import FixedWindowRateLimiter, SlidingWindowCounterRateLimiter

from hawaii_env.web.settings import Settings

__all__ = ["ASKER", "Budget", "Held", "Polls", "Rates", "Turns", "leave_turn", "locked", "without_turn"]

LATE = 10_000
"""Most addresses that are remembered for having sent too many requests."""

_NEW = ("/api/games", "/api/records", "/api/load")
_HEAVY = (*_NEW, "/api/positions", "/api/join", "/api/logout")

ASKER: ContextVar[str] = ContextVar("asker", default="")
"""Address, or network of addresses, that sent the current request or started the current task."""

_turn: ContextVar[tuple[Turns, contextlib.AsyncExitStack] | None] = ContextVar("turn", default=None)
"""The turn in which the current request is answered."""


class Rates:
    """Limits on how often each address may send requests."""

    def __init__(self, settings: Settings) -> None:
        self._limiter = SlidingWindowCounterRateLimiter(MemoryStorage())
        self._all = parse_many(settings.rate)
        self._heavy = parse_many(settings.heavy_rate)
        self._new = parse_many(settings.new_rate)
        self._late: OrderedDict[str, float] = OrderedDict()

    async def wait(self, who: str, method: str, path: str) -> float:
        """Count a request; return 0 if it is allowed, else the seconds until another one will be."""
        # Refuse an address that is over its limit cheaply, without asking the limiter.
        if (late := self._late.get(who, 0.0) - time.monotonic()) > 0:
            return late
        kinds = [("all", self._all)]
        heavy = path in _HEAVY or path.endswith(("/hint", "/invitations", "/watch", "/saves", "/retry", "/rematch"))
        if (method == "POST" and heavy) or path.startswith("/replay/"):
            kinds.append(("heavy", self._heavy))
        if method == "POST" and (path in _NEW or path.endswith(("/saves", "/rematch"))):
            kinds.append(("new", self._new))
        for kind, limits in kinds:
            for limit in limits:
                if not await self._limiter.hit(limit, kind, who):
                    reset, _ = await self._limiter.get_window_stats(limit, kind, who)
                    wait = max(0.1, reset - time.time())
                    if kind == "all":
                        self._late[who] = time.monotonic() + wait
                        if len(self._late) > LATE:
                            self._late.popitem(last=False)
                    return wait
        return 0.0


class Polls:
    """Waiting requests, by address. If there are too many, one request of the address that has the most is answered
    early, so that no address can fill all places.

    Args:
        most: limit for one address.
        most_all: limit for all addresses together; None: no limit.
    """

    def __init__(self, most: int, most_all: int | None = None) -> None:
        self.most: int = most
        self.most_all: int | None = most_all
        self.waiting: dict[str, list[CancelScope]] = {}

    @contextlib.contextmanager
    def one(self, who: str) -> Iterator[bool]:
        """Count one request while the block runs; the block may be cancelled early. Yield False, and count nothing, if
        there are too many.
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
        """Return True if there is room for one more request of an address that has `mine`. If necessary, cancel the
        oldest request of an address that has more than `mine` + 1.
        """
        if self.most_all is None or sum(map(len, self.waiting.values())) < self.most_all:
            return True
        who = max(self.waiting, key=lambda who: len(self.waiting[who]))
        if len(self.waiting[who]) <= mine + 1:  # else two addresses would cancel each other's for ever
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


class Turns:
    """A limit on concurrent tasks for each address. Further tasks wait, and an address with many does not delay the
    others.

    Args:
        each: tasks of one address at a time.
        most: tasks of all addresses at a time; None: no limit.
    """

    def __init__(self, each: int, most: int | None = None) -> None:
        self.each = each
        self._all = contextlib.nullcontext() if most is None else asyncio.Semaphore(most)
        self._queues: dict[str, tuple[asyncio.Semaphore, int]] = {}

    @contextlib.asynccontextmanager
    async def one(self) -> AsyncIterator[None]:
        """Run the block when it is the turn of the address `ASKER`."""
        who = ASKER.get()
        queue, users = self._queues.get(who, (asyncio.Semaphore(self.each), 0))
        self._queues[who] = queue, users + 1
        try:
            async with queue, self._all:
                yield
        finally:
            queue, users = self._queues.pop(who)
            if users > 1:
                self._queues[who] = queue, users - 1

    @contextlib.asynccontextmanager
    async def request(self) -> AsyncIterator[None]:
        """Answer a request in the block when it is its turn; `leave_turn` ends the turn early."""
        async with contextlib.AsyncExitStack() as stack:
            await stack.enter_async_context(self.one())
            _turn.set((self, stack))
            yield


async def leave_turn() -> None:
    """End the turn of the current request: what follows only waits."""
    found = _turn.get()
    if found is not None:
        await found[1].aclose()


@contextlib.asynccontextmanager
async def without_turn() -> AsyncIterator[None]:
    """Let others have their turn while the block runs."""
    await leave_turn()
    yield
    found = _turn.get()
    if found is not None:
        await found[1].enter_async_context(found[0].one())


class Budget:
    """An amount that each address may spend in a period.

    Args:
        rate: the amount, in the notation of the library ``limits``.
        unit: units that make up an amount of 1.
    """

    def __init__(self, rate: str, unit: int = 1) -> None:
        self._limits = [type(limit)(limit.amount * unit, limit.multiples) for limit in parse_many(rate)]
        self._limiter = FixedWindowRateLimiter(MemoryStorage())
        self._unit = unit

    async def wait(self, who: str, amount: float = 0) -> float:
        """Return 0 if an address may spend `amount` more now, else the seconds until it may."""
        cost = max(1, math.ceil(amount * self._unit))
        for limit in self._limits:
            if not await self._limiter.test(limit, who, cost=cost):
                reset, _ = await self._limiter.get_window_stats(limit, who)
                return max(0.1, reset - time.time())
        return 0.0

    async def spend(self, who: str, amount: float) -> None:
        """Count what an address has spent."""
        for limit in self._limits:
            await self._limiter.hit(limit, who, cost=math.ceil(amount * self._unit))


class Held:
    """Bytes of requests that are held in memory until they are answered.

    Args:
        each: limit for one address.
        most: limit for all addresses together.
    """

    def __init__(self, each: int, most: int) -> None:
        self.each: int = each
        self.most: int = most
        self.bytes: Counter[str] = Counter()

    def add(self, who: str, size: int) -> bool:
        """Count more bytes; return False, and count nothing, if the limit is exceeded."""
        if self.bytes[who] + size > self.each or self.bytes.total() + size > self.most:
            return False
        self.bytes[who] += size
        return True

    def remove(self, who: str, size: int) -> None:
        """Stop counting bytes."""
        self.bytes[who] -= size
        self.bytes += Counter()


@contextlib.asynccontextmanager
async def locked(lock: asyncio.Lock) -> AsyncIterator[None]:
    """Run the block with a lock; a request that must wait for the lock ends its turn."""
    if lock.locked():
        await leave_turn()
    async with lock:
        yield
