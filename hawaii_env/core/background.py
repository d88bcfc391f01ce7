"""What processes say of compiling, and the one process that compiles in the background."""

from __future__ import annotations

import atexit
import contextlib
import os
import pickle
import subprocess
import sys
import zlib
from typing import Any, TextIO, cast

from hawaii_env.core import cache as code_cache

SWITCH = os.environ.get("HAWAII_ENV_BACKGROUND", "")
"""``"0"``: nothing is compiled in the background. ``"this"``: this is the process that does."""

IS_THIS = SWITCH == "this"
"""True in the process that compiles in the background: it says nothing, and nobody waits for it."""

_listener: list[TextIO] = []


def tell_on(stream: TextIO) -> None:
    """Say there what is said on stderr otherwise: for processes whose own stderr nobody reads."""
    _listener[:] = [stream]


def say(text: str, end: str = "\n") -> None:
    """Tell the user something about compiling."""
    stream = _listener[0] if _listener else sys.stderr
    if not IS_THIS and stream is not None:
        with contextlib.suppress(OSError, ValueError):  # nobody listens any more
            print(text, end=end, file=stream, flush=True)


def is_worker() -> bool:
    """Whether this is a worker of a process that has said the same already."""
    processes = sys.modules.get("multiprocessing.process")
    return processes is not None and processes.parent_process() is not None


class Background:
    """The process in which this one has its games compiled. It may outlive it, and gives way to everything else."""

    def __init__(self) -> None:
        self.asked: set[str] = set()
        self.processes: list[subprocess.Popen[bytes]] = []

    def begin(self, game: Any) -> None:
        """Say that this game is played in the plain mode, and have it compiled; once for each kind of game."""
        if self.processes:
            self._look()
        if game.name in self.asked or IS_THIS:
            return
        self.asked.add(game.name)
        how = self._start(game)
        if not is_worker():
            say(f"hawaii_env: {game.name} is not compiled yet: playing in the plain mode, some ten times slower; {how}")

    def _start(self, game: Any) -> str:
        """Start the process, unless there is one; return what the user is told."""
        by_hand = "`hawaii warm`, or HAWAII_ENV_PLAIN=0, compiles it"
        later = (
            "compiling in the background (a minute of one core, once a version); games begun after that are compiled"
        )
        where = code_cache.folder()
        if where is None:
            return (
                "no cache folder can be written: set HAWAII_ENV_CACHE, or HAWAII_ENV_PLAIN=0 to compile at every start"
            )
        lock = code_cache.lock_background()
        if lock is None:
            return later  # another process has started it
        lock.close()
        if SWITCH == "0" or not sys.executable or type(game).__module__ == "__main__":
            return by_hand
        try:
            packed = zlib.compress(pickle.dumps(game), 1)
        except Exception:  # whatever keeps somebody's game from being pickled
            return by_hand
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
        with contextlib.suppress(OSError):  # it has ended already; `_look` tells of it
            cast(Any, process.stdin).write(packed)
            cast(Any, process.stdin).close()
        self.processes.append(process)
        atexit.register(setattr, process, "returncode", 0)  # or Python warns that it goes on
        return later

    def _look(self) -> None:
        """Tell once of a process that has failed."""
        for process in list(self.processes):
            status = process.poll()
            if status is not None:
                self.processes.remove(process)
                if status > 0:
                    log = cast(Any, code_cache.folder()) / "background.log"
                    say(
                        f"hawaii_env: compiling in the background failed, games stay plain: see {log}, "
                        "or run `hawaii warm`"
                    )

    def give_way(self) -> None:
        """End what this process has started, because it compiles itself now; what is compiled already stays."""
        for process in self.processes:
            process.kill()
            process.wait()
        self.processes.clear()
        self.asked.clear()
