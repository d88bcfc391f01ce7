"""A bot's process: lines to it and from it, each with a deadline; a memory cap; and an end to it and its children,
always.

Everything goes through one `poll` loop without threads, so that a process which writes while it ought to read, or reads
nothing at all, holds up nobody beyond its deadline. It needs a POSIX system.

subprocess and asyncio leave the memory cap, the children and the bound on what is read to their caller: it is this.
"""

from __future__ import annotations

import contextlib
import ctypes
import math
import os
import select
import signal
import subprocess
import sys
import time
import uuid
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from hawaii_env.errors import AgentCrashError, AgentError, AgentProtocolError, AgentTimeoutError
from hawaii_env.texts import show_lines, show_value

__all__ = [
    "MAX_LINE",
    "MAX_LOG",
    "BotProcess",
    "adopt_orphans",
    "append_log",
    "descendants",
    "end_marked",
    "kill",
]

MAX_LINE = 65_536
"""Bytes that a line of a bot may have."""

MAX_LOG = 1_048_576
"""Bytes that a log of what an agent prints takes."""

_TAIL = 4096  # bytes of standard error that are kept for errors
_EXIT_SECONDS = 0.25  # seconds for a process whose output has ended to exit
_CHUNK = 65_536


MARK = "HAWAII_ENV_BOT"
"""The variable that marks the children of a bot, by the process's own value, wherever they have gone."""


def _release(process: subprocess.Popen[bytes], owner: int, mark: str) -> None:
    """Kill the process group and what has left it, reap its leader, close the pipes."""
    if os.getpid() == owner:  # a fork of ours has a copy of the object, but the bot is not its child
        # Children of the bot may outlive it, so the group is killed even where its leader has gone.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        end_marked(MARK, mark)
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()


def append_log(path: Path, text: bytes | str, most: int = MAX_LOG) -> None:
    """Append to a log, as it can be shown, until it has `most` bytes, and say there that it is full. A log that cannot
    be written holds up nobody.
    """
    data = show_lines(text if isinstance(text, str) else text.decode("utf-8", "backslashreplace")).encode()
    with contextlib.suppress(OSError), path.open("ab") as file:
        room = most - file.tell()
        if room > 0:
            file.write(data[:room])
            if len(data) > room:
                file.write(b"\n(the log is full)\n")


class BotProcess:
    """A running bot.

    Args:
        command: program and arguments.
        who: the bot's name, for errors; may be changed.
        cwd: the folder that it runs in; None is the current one.
        env: variables added to the environment.
        memory_mb: cap in MiB on the memory that each process of the bot allocates (RLIMIT_DATA: heap and private
            writable mappings; address space that is merely reserved, as Node.js and Java do, is free). Enforced by
            Linux.
        log: a file that standard error is appended to, up to `MAX_LOG` bytes; None keeps its end alone.
        watch: is called with ``">"`` or ``"<"`` and each line sent or received.

    Raises:
        AgentCrashError: it cannot be started.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        who: str,
        cwd: str | Path | None = None,
        env: Mapping[str, str] | None = None,
        memory_mb: float | None = None,
        log: str | Path | None = None,
        watch: Callable[[str, bytes], None] | None = None,
    ) -> None:
        self.who = who
        self._memory_mb = memory_mb
        self._log = None if log is None else Path(log)
        self._watch = watch
        self._received = bytearray()  # standard output that has not been taken as a line
        self._tail = bytearray()
        self._ended = False
        arguments = list(command)
        if memory_mb is not None:
            import resource  # not on Windows

            kib, hard = int(memory_mb * 1024), resource.getrlimit(resource.RLIMIT_DATA)[1]
            if hard != resource.RLIM_INFINITY:
                kib = min(kib, hard // 1024)  # a cap of ours is the bot's, too, and cannot be raised
            # The limit must stand before the program starts, and code between fork and exec is not safe in a process
            # with threads: so the shell sets it, and becomes the program.
            arguments = ["/bin/sh", "-c", f'ulimit -d {kib} && exec "$0" "$@"', *arguments]
        # A Python bot's print() shall reach us without a flush.
        mark = uuid.uuid4().hex
        environment = {**os.environ, "PYTHONUNBUFFERED": "1", **(env or {}), MARK: mark}
        try:
            self._process = subprocess.Popen(
                arguments,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                cwd=cwd,
                env=environment,
                start_new_session=True,
            )
        except OSError as error:
            reason = f"cannot be started: {error.strerror or error}"
            if error.errno == 8:  # ENOEXEC
                reason += " (does its first line name the interpreter, as #!/usr/bin/env python3?)"
            raise AgentCrashError(who, reason) from error
        self._release = weakref.finalize(self, _release, self._process, os.getpid(), mark)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._in, self._out, self._err = (
            pipe.fileno() for pipe in (self._process.stdin, self._process.stdout, self._process.stderr)
        )
        self._poll = select.poll()
        for descriptor in (self._in, self._out, self._err):
            os.set_blocking(descriptor, False)
        for descriptor in (self._out, self._err):
            self._poll.register(descriptor, select.POLLIN)

    @property
    def pid(self) -> int:
        """The process's id, which is its group's and session's, too."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """False once the process was ended by us; one that died by itself is found out at the next message."""
        return self._release.alive

    @property
    def stderr(self) -> str:
        """The end of its standard error, as it can be shown."""
        text = self._tail.decode("utf-8", "replace").replace("\r", "")
        if len(self._tail) >= _TAIL:
            text = text.partition("\n")[2] or text  # the first line is cut
        return show_lines(text).strip("\n")

    def peak_mb(self) -> float | None:
        """Return the most memory that the process has had resident so far, in MiB, or None if the system does not
        tell.
        """
        try:
            for line in Path(f"/proc/{self.pid}/status").read_text(encoding="ascii", errors="replace").splitlines():
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) / 1024
        except (OSError, ValueError):
            pass
        return None

    # Lines

    def send(self, line: bytes, deadline: float) -> None:
        """Send a line.

        Args:
            line: with its newline.
            deadline: in seconds of `time.perf_counter`; infinite for none.

        Raises:
            AgentError: the bot has died, reads nothing, or wrote something that nobody asked for. It is ended.
        """
        self._move(0)
        if self._received:
            raise self.fail(AgentProtocolError, f"wrote {self.shown(bytes(self._received))} without being asked")
        if self._watch is not None:
            self._watch(">", line)
        rest = memoryview(line)
        while True:
            try:
                rest = rest[os.write(self._in, rest) :]
            except BlockingIOError:
                pass
            except BrokenPipeError:
                raise self._gone("standard input") from None
            if not rest:
                return
            left = deadline - time.perf_counter()
            if left <= 0:
                raise self.fail(AgentTimeoutError, "did not read its standard input in time")
            self._poll.register(self._in, select.POLLOUT)
            try:
                self._move(left)
            finally:
                self._poll.unregister(self._in)
            if len(self._received) > MAX_LINE:  # it may write for ever, and read nothing
                raise self.fail(AgentProtocolError, f"wrote {self.shown(bytes(self._received))} without being asked")

    def receive(self, deadline: float, limit: str) -> bytes:
        """Return the next line that the bot writes.

        Args:
            deadline: in seconds of `time.perf_counter`; infinite for none.
            limit: the limit in words, as ``"0.5 s"``, for the error.

        Raises:
            AgentError: the bot has died, is late, or writes no lines. It is ended.
        """
        late = False
        while True:
            end = self._received.find(b"\n", 0, MAX_LINE + 1)
            if end >= 0:
                line = bytes(self._received[: end + 1])
                del self._received[: end + 1]
                if self._watch is not None:
                    self._watch("<", line)
                return line
            if len(self._received) > MAX_LINE:
                raise self.fail(
                    AgentProtocolError,
                    f"wrote a line of more than {MAX_LINE:,} bytes: {self.shown(bytes(self._received))}",
                )
            if self._ended:
                raise self._gone("standard output")
            if late:
                what = f"gave no answer within {limit}"
                if self._received:
                    what += f"; it wrote {self.shown(bytes(self._received))}, which has no newline at its end"
                raise self.fail(AgentTimeoutError, what)
            left = deadline - time.perf_counter()
            late = left <= 0  # one last look at the pipe: it is the bot that is judged, not when we were woken
            self._move(max(left, 0))

    def _move(self, seconds: float) -> None:
        """Wait until something can be read or written, and read it; at most half a second."""
        wait = min(math.ceil(seconds * 1000), 500) if seconds < 1 else 500
        ready = self._poll.poll(wait)
        for descriptor, _ in ready:
            if descriptor == self._in:
                continue
            try:
                data = os.read(descriptor, _CHUNK)
            except BlockingIOError:
                continue
            if not data:
                self._poll.unregister(descriptor)
                self._ended |= descriptor == self._out
            elif descriptor == self._out:
                self._received += data
            else:
                self._note(data)
        if not ready and wait and self._process.poll() is not None:
            self._ended = True  # it has gone, though a child of it still holds the pipe

    def _note(self, data: bytes) -> None:
        self._tail = (self._tail + data)[-_TAIL:]
        if self._log is not None:
            append_log(self._log, data)

    @staticmethod
    def shown(data: bytes) -> str:
        """Return the beginning of what a bot wrote, safe to print."""
        return show_value(data[:81].decode("utf-8", "backslashreplace"))

    # The end

    def _gone(self, pipe: str) -> AgentError:
        """Return the error for a pipe that has ended: the bot died, or closed it."""
        try:
            status = self._process.wait(_EXIT_SECONDS)
        except subprocess.TimeoutExpired:
            return self.fail(AgentProtocolError, f"closed its {pipe}, though it still runs")
        if status < 0:
            with contextlib.suppress(ValueError):
                what = f"was killed by {signal.Signals(-status).name}"
                return self._crash(what)
            return self._crash(f"was killed by signal {-status}")
        return self._crash(f"exited with status {status}")

    def _crash(self, what: str) -> AgentError:
        if self._received:
            what += f" in the middle of a line, {self.shown(bytes(self._received))}"
        if self._memory_mb is not None:
            what += f" (its memory is capped at {self._memory_mb:g} MB)"
        return self.fail(AgentCrashError, what)

    def fail(self, kind: type[AgentError], what: str) -> AgentError:
        """End the bot, and return the error that says why."""
        self.kill()
        return kind(self.who, what, self.stderr)

    def kill(self) -> None:
        """End the process and its children now. May be called again."""
        if not self._release.alive:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        with contextlib.suppress(OSError):  # what it said last is often why
            for _ in range(4):
                data = os.read(self._err, _CHUNK)
                if not data:
                    break
                self._note(data)
        self._release()

    def stop(self, line: bytes | None, seconds: float) -> float | None:
        """Let the process exit by itself, then end what is left of it.

        Args:
            line: what is sent before its input is closed; None only closes it.
            seconds: how long it has.

        Returns:
            The seconds that it took; None when it had to be killed, or had ended before.
        """
        if not self._release.alive:
            return None
        started = time.perf_counter()
        if line is not None:
            with contextlib.suppress(OSError):
                os.write(self._in, line)
        assert self._process.stdin is not None
        self._process.stdin.close()
        while (left := started + seconds - time.perf_counter()) > 0 and self._process.poll() is None:
            # Its pipes are emptied meanwhile: it may have something to say, and must not wait for us.
            self._move(min(left, 0.01))
            self._received.clear()
        took = time.perf_counter() - started if self._process.poll() is not None else None
        self.kill()
        return took


ROUNDS = 50
"""The rounds of `end_marked`: a process that is killed may be starting another just then."""


def descendants(pid: int) -> list[int]:
    """Return the processes that a process has started, and those that they have."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            # The name, in brackets, may hold anything.
            parent = int(stat.read_text(errors="replace").rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(stat.parent.name))
    found: list[int] = []
    todo = [pid]
    while todo:
        below = children.get(todo.pop(), [])
        found += below
        todo += below
    return found


def _marked(mark: bytes) -> list[int]:
    found: list[int] = []
    for environ in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):  # somebody else's, or gone
            if mark in environ.read_bytes().split(b"\0"):
                found.append(int(environ.parent.name))
    return found


def kill(pids: Iterable[int]) -> None:
    """Kill processes, and reap those that are ours."""
    for pid in pids:
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(OSError):
            os.waitpid(pid, os.WNOHANG)


def end_marked(variable: str, value: str) -> None:
    """Kill all processes that were started with a variable in their environment, which children inherit whatever
    becomes of their parents.
    """
    mark = os.fsencode(f"{variable}={value}")
    for _ in range(ROUNDS):
        found = _marked(mark)
        if not found:
            return
        kill(found)
        time.sleep(0.002)


def adopt_orphans() -> bool:
    """Have children of our children become ours where their parents end (Linux); False if that cannot be."""
    if not sys.platform.startswith("linux"):
        return False
    with contextlib.suppress(OSError, AttributeError):
        return ctypes.CDLL(None).prctl(36, 1, 0, 0, 0) == 0  # PR_SET_CHILD_SUBREAPER
    return False
