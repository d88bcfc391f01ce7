"""Locks between processes, held until released or until the process ends in any way.

The library filelock offers the same, but would be a sixth dependency of `hawaii_env`.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import IO, Any, cast


def try_lock(path: Path) -> IO[bytes] | None:
    """Lock a file, creating it if it is missing; closing the result unlocks it. Return None if another process has it.

    Raises:
        OSError: the file cannot be opened for writing, or its file system has no locks.
    """
    handle = open(path, "a+b")  # noqa: SIM115  open as long as the lock is held
    try:
        if os.name == "nt":
            import msvcrt

            windows = cast(Any, msvcrt)
            handle.seek(0)
            windows.locking(handle.fileno(), windows.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        handle.close()
        if os.name == "nt" or isinstance(error, BlockingIOError):
            return None
        raise
    return handle


def wait_for_lock(path: Path) -> IO[bytes]:
    """Lock a file as `try_lock` does, waiting until no other process has it."""
    while (handle := try_lock(path)) is None:
        time.sleep(0.1)
    return handle
