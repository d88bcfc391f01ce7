"""Worker processes: each plays one game at a time, and can die without affecting the others.

`Worker` is the tournament's side: it starts a process, sends it games through a pipe, and ends it when a player takes
too long, as the shared numbers of `hawaii_env.arena.playing` show.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Protocol, cast

from hawaii_env.agent_process import begin_process, end_process, load_files, receive
from hawaii_env.arena.playing import (
    CHOOSING,
    COUNTS,
    HARMED,
    PHASE,
    SEAT,
    UNTIL,
    Played,
    Setup,
    Task,
    Watch,
    check_agent,
    check_record,
    overtime,
    play_game,
    warm,
)
from hawaii_env.arena.result import End
from hawaii_env.arena.schedule import game_of
from hawaii_env.bots.process import append_log
from hawaii_env.core.background import print_on
from hawaii_env.errors import HawaiiError, OptionError
from hawaii_env.process_state import allocated

__all__ = ["Backend", "Processes", "Worker"]

SLACK = 0.5
"""Seconds after a player's time at which a process that has not reported it is killed."""


def _main(pipe: Connection, shared: Any, setup: Setup, parent: int, output: Connection | None) -> None:
    if output is not None:
        print_on(os.fdopen(os.dup(2), "w"))  # messages about compiling
    begin_process(parent, output, setup.memory)
    wrong = ""
    try:
        load_files(setup.load, setup.game)
    except BaseException as error:
        wrong = str(error) if isinstance(error, HawaiiError) else f"{type(error).__name__}: {error}"
    watch = Watch(shared, pipe.fileno())
    watch.end()
    pipe.send(("ready", wrong, False))
    before = allocated()
    while True:
        try:
            kind, thing = pipe.recv()
        except (EOFError, OSError):
            return
        if kind != "check" and setup.seconds is not None:
            setup.game.compile()  # perhaps on another machine than the one that asked
        work: Any = {"play": play_game, "check": check_agent, "warm": warm}[kind]
        answer = work(setup, thing, watch)
        kept = setup.memory is not None and allocated() - before > setup.memory * 2**29
        try:
            spoilt = isinstance(answer, Played) and answer.status == "void" and not answer.unwritten
            pipe.send((kind, answer, watch.harmed or kept or spoilt))
        except OSError:
            return


_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    """Let processes started here compute in one thread each, unless the user has said otherwise."""
    added = [name for name in _THREADS if name not in os.environ]
    os.environ.update(dict.fromkeys(added, "1"))
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)


class _Log(threading.Thread):
    """Reads the output of a worker's process and keeps its beginning; in a thread, so that the process never waits.

    Args:
        path: the log, which takes up to `MAX_LOG` bytes.
        pipe: pipe that the process writes to.
    """

    def __init__(self, path: Path, pipe: Connection) -> None:
        super().__init__(daemon=True, name="log")
        self.path, self.pipe = path, pipe
        self.start()

    def run(self) -> None:
        with contextlib.suppress(OSError), self.pipe:
            while data := os.read(self.pipe.fileno(), 65_536):
                append_log(self.path, data)


class Worker:
    """A worker process, as seen by the tournament.

    Args:
        setup: settings of all games.
        name: name of its log in the folder of logs; a process that replaces another has the same name.

    Attributes:
        task: present task: a `Task`, an agent string to check or to warm up, or None.
    """

    def __init__(self, setup: Setup, name: str = "1") -> None:
        self.setup = setup
        self.task: Any = None
        self.kind: str = "start"
        context = multiprocessing.get_context("spawn")
        self._shared = context.RawArray("d", COUNTS + 2 * setup.game.num_players)
        # Until it is ready, its time limit is for loading files.
        self._shared[SEAT], self._shared[UNTIL] = -1.0, time.monotonic() + max(60.0, setup.limit)
        ours, theirs = context.Pipe()
        self.pipe: Connection = ours
        self._log: _Log | None = None
        output: Connection | None = None
        if setup.log is not None and os.name != "nt":  # on Windows a pipe is not a file descriptor
            printed, output = context.Pipe(duplex=False)
            self._log = _Log(Path(setup.log) / f"worker-{name}.log", printed)
        self._process = context.Process(
            target=_main, args=(theirs, self._shared, setup, os.getpid(), output), daemon=True, name="hawaii-arena"
        )
        with _one_thread():
            self._process.start()
        theirs.close()
        if output is not None:
            output.close()

    @property
    def pid(self) -> int:
        """Return the id of the process."""
        return cast(int, self._process.pid)

    @property
    def idle(self) -> bool:
        """Return True if the process waits for a request."""
        return self.kind == ""

    def give(self, kind: str, thing: Any) -> None:
        """Send a request: ``("play", Task)``, ``("check", agent)`` or ``("warm", agent)``."""
        assert self.idle, self.kind
        self.kind, self.task = kind, thing
        with contextlib.suppress(OSError):  # the process has died; collect() detects it
            self.pipe.send((kind, thing))

    def _dead(self, overdue: bool) -> tuple[str, Any]:
        """Return the result of a request whose process was killed or has died."""
        code = self._process.exitcode
        seat, phase = int(self._shared[SEAT]), int(self._shared[PHASE])
        killed = not overdue and code == -int(getattr(signal, "SIGKILL", 9))
        if code is not None and code < 0:
            reason = f"the process died of {signal.Signals(-code).name}"
        else:
            reason = f"the process ended with exit status {code}"
        if phase == HARMED:
            reason = "closed or replaced descriptors of its process"
        elif overdue:
            reason = overtime(self.setup) if phase == CHOOSING else f"not made or closed within {self.setup.limit:g} s"
        kind, task, self.kind, self.task = self.kind, self.task, "dead", None
        if kind != "play":
            return kind, "" if kind == "check" else reason  # an agent that dies while being made forfeits its games
        task = cast(Task, task)
        count = len(task.game.seats)
        if 0 <= seat < count:
            end = End.forfeited(count, seat)
            try:
                check_record(
                    Path(task.record),
                    game_of(self.setup.games, task.game.pairing),
                    task.game.seed,
                    task.game.seats,
                    end,
                    seat,
                )
                return kind, Played(
                    *(task, "forfeit", end, seat, reason, *self._used(task, count)), verified=True, killed=killed
                )
            except HawaiiError as error:
                reason = f"{reason}; {error}"
        return kind, Played(
            *(task, "void", End.void(count), None, reason, *self._used(task, count)), verified=False, killed=killed
        )

    def _used(self, task: Task, count: int) -> tuple[tuple[int, ...], tuple[float, ...]]:
        used = list(self._shared[COUNTS : COUNTS + 2 * count])
        return tuple(int(n) for n in used[:count]), tuple(used[count:])

    def collect(self) -> tuple[str, Any] | None:
        """Return the result of the present request, or None if it is not finished.

        ``("play", Played)``, ``("ready", error)``, ``("check", error)`` or ``("warm", error)``. A process that has died
        or has been killed for taking too long gives what came of its work, too; `kind` is ``"dead"`` then, as of one
        that an agent has changed for good: it is to be replaced.
        """
        try:
            if self.pipe.poll():
                kind, answer, harmed = receive(self.pipe, self._process)
                if kind != (self.kind if self.kind != "start" else "ready"):
                    raise EOFError("not what it was asked for")
                self.kind, self.task = "dead" if harmed else "", None
                return kind, answer
        except Exception:  # it has ended, or an agent has written to the pipe
            self._process.join(5.0)
            self.end()
            return self._dead(overdue=False)
        if self.kind in ("", "dead"):
            return None
        until = self._shared[UNTIL]
        if time.monotonic() > until + SLACK and self._shared[UNTIL] == until:
            self.end()
            return self._dead(overdue=True)
        return None

    def end(self) -> None:
        """Kill the process and all that it has started."""
        end_process(self._process)
        if self._log is not None:
            self._log.join(1.0)  # longer only where somebody whom we could not find holds the pipe
        self.pipe.close()


class Backend(Protocol):
    """A backend that plays games: worker processes here, or Ray's."""

    capacity: int

    def check(self, agents: Sequence[str]) -> None:
        """Raise OptionError if a bot file does not load or an agent string is invalid."""
        ...

    def warm(self, agents: Sequence[str]) -> list[tuple[str, str]]:
        """Let each agent choose once; return those that failed, each with the reason."""
        ...

    def submit(self, task: Task) -> None:
        """Start a game. At most `capacity` games run at a time."""
        ...

    def wait(self, seconds: float) -> list[Played]:
        """Return the games that have ended, after at most `seconds`."""
        ...

    def close(self) -> None:
        """End all processes."""
        ...


class Processes:
    """Worker processes on this machine.

    Args:
        setup: settings of all games.
        count: number of processes.
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
        """Send requests, wait for results, and collect them."""
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
                # No game can be played without the files that were named.
                raise OptionError(f"a worker process cannot start: {thing}")
            self._done.append((kind, (doing, thing) if kind == "warm" else thing))
            if worker.kind == "dead":
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
        """Raise OptionError if a bot file does not load or an agent string is invalid."""
        for wrong in sorted(self._all("check", agents)):
            if wrong:
                raise OptionError(wrong)

    def warm(self, agents: Sequence[str]) -> list[tuple[str, str]]:
        """Let each agent choose once; return those that failed, each with the reason."""
        return [(agent, wrong) for agent, wrong in self._all("warm", agents) if wrong]

    def submit(self, task: Task) -> None:
        """Start a game."""
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
