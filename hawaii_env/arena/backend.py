"""Backends that play games: their protocol, and the worker processes of this machine."""

from __future__ import annotations

import multiprocessing.connection
import time
from collections import deque
from collections.abc import Sequence
from typing import Any, Protocol, cast

from hawaii_env.arena.playing import Played, Setup, Task
from hawaii_env.arena.worker import Worker
from hawaii_env.errors import OptionError

__all__ = ["Backend", "Processes"]


class Backend(Protocol):
    """A backend that plays games: worker processes here, or Ray's."""

    capacity: int

    def check(self, agents: Sequence[str]) -> None:
        """Raise OptionError if a bot file does not load or an agent string is wrong."""
        ...

    def warm(self, agents: Sequence[str]) -> list[tuple[str, str]]:
        """Let each agent choose once; return those that failed, each with why."""
        ...

    def submit(self, task: Task) -> None:
        """Have a game played. At most `capacity` are under way."""
        ...

    def wait(self, seconds: float) -> list[Played]:
        """Return the games that have ended, after `seconds` at the latest."""
        ...

    def close(self) -> None:
        """End everything."""
        ...


class Processes:
    """Worker processes on this machine.

    Args:
        setup: what all games share.
        count: how many processes.
    """

    def __init__(self, setup: Setup, count: int) -> None:
        self.setup = setup
        self.capacity = count
        self._workers: list[Worker] = []
        self._queue: deque[tuple[str, Any]] = deque()
        self._done: list[tuple[str, Any]] = []

    def _replace(self, index: int) -> None:
        self._workers[index].end()
        self._workers[index] = Worker(self.setup, str(index + 1))

    def _turn(self, seconds: float) -> None:
        """Hand out work, wait for something to happen, and gather it."""
        while len(self._workers) < min(self.capacity, len(self._queue) + self._busy()):
            self._workers.append(Worker(self.setup, str(len(self._workers) + 1)))
        for worker in self._workers:
            if worker.idle and self._queue:
                worker.give(*self._queue.popleft())
        busy = [worker for worker in self._workers if not worker.idle]
        if busy:
            multiprocessing.connection.wait([worker.pipe for worker in busy], seconds)
        for index, worker in enumerate(self._workers):
            doing = worker.task if worker.kind == "warm" else None
            answer = worker.collect()
            if answer is None:
                continue
            kind, thing = answer
            if kind == "ready" and not thing:
                continue
            if kind in ("ready", "start"):
                # Nothing can be played without the files that were asked for.
                raise OptionError(f"a worker process cannot start: {thing}")
            self._done.append((kind, (doing, thing) if kind == "warm" else thing))
            if worker.kind == "dead" or (kind == "play" and "MemoryError" in cast(Played, thing).reason):
                self._replace(index)

    def _busy(self) -> int:
        return sum(not worker.idle for worker in self._workers)

    def _all(self, kind: str, things: Sequence[Any]) -> list[Any]:
        self._queue.extend((kind, thing) for thing in things)
        while len(self._done) < len(things):
            self._turn(0.2)
        done, self._done = [thing for _, thing in self._done], []
        return done

    def check(self, agents: Sequence[str]) -> None:
        """Raise OptionError if a bot file does not load or an agent string is wrong."""
        for wrong in sorted(self._all("check", agents)):
            if wrong:
                raise OptionError(wrong)

    def warm(self, agents: Sequence[str]) -> list[tuple[str, str]]:
        """Let each agent choose once; return those that failed, each with why."""
        return [(agent, wrong) for agent, wrong in self._all("warm", agents) if wrong]

    def submit(self, task: Task) -> None:
        """Have a game played."""
        self._queue.append(("play", task))

    def wait(self, seconds: float) -> list[Played]:
        """Return the games that have ended."""
        until = time.monotonic() + seconds
        while not self._done:
            self._turn(min(0.2, seconds))
            if time.monotonic() >= until:
                break
        done, self._done = [thing for _, thing in self._done], []
        return done

    def close(self) -> None:
        """Kill the processes."""
        for worker in self._workers:
            worker.end()
        self._workers.clear()
