"""Waiting for other threads and processes, on a machine of any speed."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any


def until(holds: Callable[[], Any], seconds: float = 120) -> Any:
    """Return what a call returns as soon as that is true. Fail if it stays false."""
    end = time.monotonic() + seconds
    while not (found := holds()):
        assert time.monotonic() < end, "it never comes"
        time.sleep(0.01)
    return found


def running(pid: int | str) -> bool:
    """Return True if a process runs, and is no zombie."""
    try:
        return ") Z" not in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
