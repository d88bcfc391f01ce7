"""Descendants of a process, found and ended, also those that left its group and session.

Linux tells it under ``/proc``; elsewhere nothing is found, and only process groups are ended.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import time
from collections.abc import Iterable
from pathlib import Path

__all__ = ["adopt_orphans", "descendants", "end_marked", "kill"]

ROUNDS = 50
"""How often `end_marked` looks again: what is killed may be starting something just then."""


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
    """Have children of our children become ours where their parents end (Linux); False where that cannot be."""
    if not sys.platform.startswith("linux"):
        return False
    with contextlib.suppress(OSError, AttributeError):
        return ctypes.CDLL(None).prctl(36, 1, 0, 0, 0) == 0  # PR_SET_CHILD_SUBREAPER
    return False
