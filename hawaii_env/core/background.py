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
from typing import Any, TextIO, cast

from hawaii_env.core import cache as code_cache

SWITCH = os.environ.get("HAWAII_ENV_BACKGROUND", "")
"""``"0"``: nothing is compiled in the background. ``"this"``: this is the process that compiles in the background."""

IS_THIS = SWITCH == "this"
"""True in the process that compiles in the background. It prints nothing."""

_SPIN = 40_000
_SPIN_SECONDS = 0.0005
"""Seconds of an empty loop of so many turns on the machine whose times `hawaii_env.core.jit` knows."""

_listener: list[TextIO] = []


def print_on(stream: TextIO) -> None:
    """Print messages there instead of on stderr: for processes whose own stderr nobody reads."""
    _listener[:] = [stream]


def say(text: str, end: str = "\n") -> None:
    """Print a message about compiling."""
    stream = _listener[0] if _listener else sys.stderr
    if not IS_THIS and stream is not None:
        with contextlib.suppress(OSError, ValueError):  # nobody listens any more
            print(text, end=end, file=stream, flush=True)


def is_worker() -> bool:
    """Return True in a child of a process that has printed the same messages already."""
    processes = sys.modules.get("multiprocessing.process")
    return processes is not None and processes.parent_process() is not None


def estimate(seconds: float) -> str:
    """Return how long work takes from now on this machine, with its speed and its load, in words.

    Args:
        seconds: of processor time on the machine that was measured.
    """
    spins: list[float] = []
    for _ in range(5):
        begin = time.process_time()
        for _ in range(_SPIN):
            pass
        spins.append(time.process_time() - begin)
    speed = max(0.3, min(spins) / _SPIN_SECONDS)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    share = min(1.0, cores / (1 + load))
    wanted = seconds * speed / share
    if wanted < 5:
        return "a few seconds"
    if wanted < 50:
        return f"about {max(10, round(wanted, -1)):.0f} seconds"
    return "about a minute" if wanted < 90 else f"about {wanted / 60:.0f} minutes"


class Background:
    """The process in which this one has its games compiled. It may outlive it."""

    def __init__(self) -> None:
        self.asked: set[str] = set()
        self.processes: list[subprocess.Popen[bytes]] = []

    def begin(self, game: Any, seconds: float) -> None:
        """Print that a game runs interpreted, and have it compiled; once for each kind of game.

        Args:
            game: the game.
            seconds: of processor time until its rules are compiled.
        """
        if self.processes:
            self._look()
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
        """Start the process. Return True if one compiles, else False and what the user can do."""
        where = code_cache.folder()
        if where is None:
            return False, (
                "no cache folder can be written. Set HAWAII_ENV_CACHE to one, or HAWAII_ENV_PLAIN=0 to compile at "
                "every start"
            )
        lock = code_cache.lock_background()
        if lock is None:
            return True, ""  # another process has started it
        lock.close()
        by_hand = "`hawaii warm`, or HAWAII_ENV_PLAIN=0, compiles them"
        if SWITCH == "0" or not sys.executable or type(game).__module__ == "__main__":
            return False, by_hand
        try:
            packed = zlib.compress(pickle.dumps(game), 1)
        except Exception:  # whatever keeps somebody's game from being pickled
            return False, by_hand
        environment = {
            **os.environ,
            "HAWAII_ENV_CACHE": str(where),
            "HAWAII_ENV_PLAIN": "0",
            "HAWAII_ENV_BACKGROUND": "this",
            "PYTHONPATH": os.pathsep.join(os.path.abspath(entry or os.curdir) for entry in sys.path),
        }
        with open(where / "background.log", "wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "hawaii_env.warm"],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                env=environment,
                cwd=where,
                start_new_session=True,
            )
        with contextlib.suppress(OSError):  # it has ended already; `_look` prints that
            cast(Any, process.stdin).write(packed)
            cast(Any, process.stdin).close()
        self.processes.append(process)
        atexit.register(setattr, process, "returncode", 0)  # or Python warns that it goes on
        return True, ""

    def _look(self) -> None:
        """Print once that a process has failed."""
        for process in list(self.processes):
            status = process.poll()
            if status is not None:
                self.processes.remove(process)
                if status > 0:
                    log = cast(Any, code_cache.folder()) / "background.log"
                    say(
                        "hawaii_env: compiling in the background failed, so games run as plain Python: "
                        f"see {log}, or run `hawaii warm`"
                    )
