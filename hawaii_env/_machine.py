"""The machine on which benchmarks run."""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from pathlib import Path

__all__ = ["cores", "processor"]


def cores() -> list[int]:
    """Return the number of cores that this process may use."""
    with suppress(AttributeError):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def processor() -> str:
    """Return the processor's name."""
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
