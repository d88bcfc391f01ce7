"""Background compilation and its messages."""

from __future__ import annotations

import atexit
import contextlib
import os
import pickle
import subprocess
import sys
import time
import zlib
from pathlib import Path
from typing import IO, Any, TextIO, cast

from hawaii_env.core import cache as code_cache
from hawaii_env.core.locks import try_lock

SWITCH = os.environ.get("HAWAII_ENV_BACKGROUND", "")
"""``"0"``: background compilation is off. ``"this"``: this process is the one that compiles."""

IS_THIS = SWITCH == "this"
"""True in the process that compiles in the background. It prints nothing."""

_LOOP = 10_000
_LOOP_SECONDS = 0.000125
"""Seconds that an empty loop of this many turns takes on the machine whose times `hawaii_env.core.jit` uses."""
_MEASURED = 0.15
"""Seconds for which `estimate` measures how fast this process is now."""

_listener: list[TextIO] = []


def print_on(stream: TextIO) -> None:
    """Print messages to a stream other than stderr, for processes whose stderr nobody reads."""
    _listener[:] = [stream]


def say(text: str, end: str = "\n") -> None:
    """Print a message about compiling."""
    stream = _listener[0] if _listener else sys.stderr
    if not IS_THIS and stream is not None:
        with contextlib.suppress(OSError, ValueError):  # the stream may be closed
            print(text, end=end, file=stream, flush=True)


def is_worker() -> bool:
    """Return True in a child of a process that has already printed the same messages."""
    processes = sys.modules.get("multiprocessing.process")
    return processes is not None and processes.parent_process() is not None


def estimate(seconds: float) -> str:
    """Return the expected duration of a task on this machine, given its speed and load, as text.

    Args:
        seconds: processor time of the task on the reference machine.
    """
    loops, begin = 0, time.perf_counter()
    while time.perf_counter() - begin < _MEASURED:
        for _ in range(_LOOP):
            pass
        loops += 1
    lasts = seconds * (time.perf_counter() - begin) / (loops * _LOOP_SECONDS)
    if lasts < 5:
        return "a few seconds"
    if lasts < 50:
        return f"about {max(10, round(lasts, -1)):.0f} seconds"
    return "about a minute" if lasts < 90 else f"about {lasts / 60:.0f} minutes"


def lock_background(game: Any) -> IO[bytes] | None:
    """Lock the background compilation of a game. Return None if another process has it or the folder is read-only.

    Raises:
        OSError: see `hawaii_env.core.locks.try_lock`.
    """
    where = code_cache.folder()
    return None if where is None else try_lock(where / f"background-{game.name}.lock")


class Background:
    """The background process that compiles the games of this process. It may outlive this process."""

    def __init__(self) -> None:
        self.asked: set[str] = set()
        self.processes: dict[subprocess.Popen[bytes], Path] = {}

    def begin(self, game: Any, seconds: float) -> None:
        """Print that a game runs interpreted, and start its compilation, once for each kind of game.

        Args:
            game: the game.
            seconds: processor time needed to compile its rules.
        """
        if self.processes:
            self._poll()
        if game.name in self.asked or IS_THIS:
            return
        self.asked.add(game.name)
        started, hint = self._start(game)
        if is_worker():
            return
        slower = f"the rules of {game.name} run as plain Python"
        if started:
            say(
                f"hawaii_env: the first run after an install or update is about ten times slower: {slower} while numba "
                f"compiles them in the background ({estimate(seconds)})"
            )
        else:
            say(f"hawaii_env: {slower}, about ten times slower: {hint}")

    def _start(self, game: Any) -> tuple[bool, str]:
        """Start the process. Return True if a process compiles, else False and advice for the user."""
        where = code_cache.folder()
        if where is None:
            return False, (
                "no cache folder can be written. Set HAWAII_ENV_CACHE to one, or HAWAII_ENV_PLAIN=0 to compile at "
                "every start"
            )
        try:
            lock = lock_background(game)
            if lock is None:
                return True, ""  # another process has started it
            lock.close()
            started = SWITCH != "0" and bool(sys.executable) and self._launch(game, where)
        except OSError as error:
            return False, f"nothing can be compiled in the background ({error.filename or where}: {error.strerror})"
        return started, "`hawaii warm`, or HAWAII_ENV_PLAIN=0, compiles them"

    def _launch(self, game: Any, where: Path) -> bool:
        """Start a process that compiles a game; return False if the game cannot be pickled. Raises OSError."""
        if type(game).__module__ == "__main__":
            return False
        try:
            packed = zlib.compress(pickle.dumps(game), 1)
        except Exception:  # a game of another package may fail to pickle in any way
            return False
        environment = {
            **os.environ,
            "HAWAII_ENV_CACHE": str(where),
            "HAWAII_ENV_PLAIN": "0",
            "HAWAII_ENV_BACKGROUND": "this",
            "PYTHONPATH": os.pathsep.join(os.path.abspath(entry or os.curdir) for entry in sys.path),
        }
        log_path = where / f"background-{game.name}.log"
        with open(log_path, "wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "hawaii_env.warm"],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                env=environment,
                cwd=where,
                start_new_session=True,
            )
        with contextlib.suppress(OSError):  # the process has ended; `_poll` reports it
            cast(Any, process.stdin).write(packed)
            cast(Any, process.stdin).close()
        self.processes[process] = log_path
        atexit.register(setattr, process, "returncode", 0)  # avoids Python's warning about a running process
        return True

    def _poll(self) -> None:
        """Print once that a process has failed."""
        for process in list(self.processes):
            status = process.poll()
            if status is not None:
                log = self.processes.pop(process)
                if status > 0:
                    say(
                        "hawaii_env: compiling in the background failed, so games run as plain Python: "
                        f"see {log}, or run `hawaii warm`"
                    )
