"""A process that runs measures of one library on request: one line of JSON in, one out.

    {"prepare": "backgammon_full"}             ->  {"versions": {"open-spiel": "2.0.2"}, "memory": 0}, or
                                                   {"missing": "why"}
    {"run": "backgammon_full", "seconds": 0.5} ->  {"count": 4321, "cpu": 0.5, "wall": 0.6}

The memory is that of a game of a batch, in bytes. It needs nothing but Python and the library that it measures, so that
each can live in an environment of its own.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import json
import os
import sys
import time
from typing import Any, TextIO

import plays

from hawaii_env.texts import parse_json

PACKAGES = (
    *("hawaii-env", "numpy", "numba", "gymnasium", "pettingzoo", "chess", "rlcard", "open-spiel", "pgx", "jax"),
    *("jaxlib", "catanatron", "pydip", "diplomacy"),
)


def versions() -> dict[str, str]:
    """Return the versions of what is installed here."""
    found: dict[str, str] = {}
    for package in PACKAGES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[package] = importlib.metadata.version(package)
    return found


def answer(request: dict[str, Any], ready: dict[str, plays.Play]) -> dict[str, Any]:
    """Do what a request says."""
    if "prepare" in request:
        try:
            play = ready[request["prepare"]] = plays.make(request["prepare"])
        except Exception as error:  # whatever keeps a library from working here is a reason to name it as missing
            return {"missing": f"{type(error).__name__}: {error}".partition("\n")[0]}
        return {"versions": versions(), "memory": getattr(play, "memory", 0)}
    count, play, wall = 0, ready[request["run"]], time.perf_counter()
    end = (begun := plays.spent()) + request["seconds"]
    while plays.spent() < end or not count:
        count += play()
    return {"count": count, "cpu": plays.spent() - begun, "wall": time.perf_counter() - wall}


def main() -> int:
    """Answer until the input ends. The first argument, if there is one, is the core to stay on."""
    if len(sys.argv) > 1:
        os.sched_setaffinity(0, {int(sys.argv[1])})
    # Libraries print what they like; answers go where the output went before.
    out: TextIO = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    ready: dict[str, plays.Play] = {}
    for line in sys.stdin:
        print(json.dumps(answer(parse_json(line), ready)), file=out, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
