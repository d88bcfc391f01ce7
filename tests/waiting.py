"""Programs in processes of their own, and waiting for other threads and processes, on a machine of any speed."""

from __future__ import annotations

import os
import subprocess
import sys
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


def python(code: str, *arguments: str, **environment: str | None) -> subprocess.CompletedProcess[str]:
    """Run a program in a process of its own, with some variables of the environment set or (None) unset."""
    given = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment}
    variables = {name: value for name, value in given.items() if value is not None}
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=variables, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    return done
