"""Processes in which agents play or think: each ends with the process that started it, as do all programs that agents
start.
"""

from __future__ import annotations

import contextlib
import ctypes
import io
import os
import signal
import sys
import threading
import time
from collections.abc import Sequence
from typing import Any

from hawaii_env import agents
from hawaii_env.bots.process import adopt_orphans, descendants, kill
from hawaii_env.code_state import Code
from hawaii_env.errors import OptionError
from hawaii_env.game import Game
from hawaii_env.process_state import Noted

__all__ = ["begin_process", "end_process", "load_files", "receive", "share_of_memory"]

WHOLE = 5.0
"""Maximum seconds until a message that has begun is complete."""


def begin_process(parent: int, output: Any = None, memory: float | None = None) -> None:
    """Prepare this process for running agents.

    Args:
        parent: the process with which it ends.
        output: a file for everything printed, from any language; None leaves output unchanged.
        memory: GiB that it may allocate, or None for no limit; on Linux.
    """
    own = False
    with contextlib.suppress(AttributeError, OSError):
        os.setsid()  # Ctrl-C is the parent's; programs that agents start can be ended with this process
        own = True
    if not own:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    adopt_orphans()  # so that nothing leaves our tree, and `end_process` finds it

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        kill(descendants(os.getpid()))
        if own:
            os.killpg(0, signal.SIGKILL)
        os._exit(1)

    if os.name != "nt":
        threading.Thread(target=watch, daemon=True, name="parent").start()
    if sys.platform.startswith("linux"):
        # For an agent that never lets go of the interpreter, so that no thread of ours can watch.
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(1, int(signal.SIGKILL), 0, 0, 0)  # PR_SET_PDEATHSIG
    if output is not None:
        for number, stream in ((1, sys.stdout), (2, sys.stderr)):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(line_buffering=True, errors="backslashreplace")  # a killed process loses no line
            os.dup2(output.fileno(), number)
        output.close()
    if memory is not None and sys.platform.startswith("linux"):
        import resource

        size = int(memory * 2**30)
        resource.setrlimit(resource.RLIMIT_DATA, (size, size))


def share_of_memory(processes: int) -> float | None:
    """Return the GiB of memory per process: the machine's divided by their number, at least 4; or None if unknown."""
    try:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    except (AttributeError, OSError, ValueError):
        return None
    return max(4.0, total / processes)


def load_files(paths: Sequence[str], game: Game | None = None) -> None:
    """Load files of agents in a process that agents alone use. A file that forks ends the fork that comes back.

    Raises:
        OptionError: a file fails, or changes what all agents are played with.
    """
    own = os.getpid()
    Noted.keep()
    try:
        for path in paths:
            code = Code(game)
            agents.load_file(path)
            if changed := code.restore(registering=True):
                raise OptionError(f"{path}: changes {', '.join(changed[:3])}, with which all agents are played")
    finally:
        if os.getpid() != own:
            os._exit(0)


def receive(pipe: Any, process: Any, seconds: float = WHOLE) -> Any:
    """Return the next message of a process that runs agents.

    An agent may have written to the pipe: a process whose message does not end is killed.

    Raises:
        Exception: the process has ended, or sent something that is not a message.
    """
    unfinished = threading.Timer(seconds, end_process, [process])
    unfinished.daemon = True
    unfinished.start()
    try:
        return pipe.recv()
    finally:
        unfinished.cancel()


def end_process(process: Any) -> None:
    """Kill such a process and all programs that it started, inside or outside its group."""
    pid = process.pid
    started = [] if pid is None else descendants(pid)
    process.kill()
    # Before it has called setsid there is no such group.
    if pid is not None and os.name != "nt":
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
        kill(started)
    process.join()
