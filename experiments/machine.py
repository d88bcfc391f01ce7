"""Descriptions of the machine and the commit, for the reports of the benchmarks."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from typing import Any

from hawaii_agents.training import runs
from hawaii_env._machine import cores, processor


def machine() -> dict[str, Any]:
    """Return a description of the machine and the software that figures were measured with."""
    commit = runs.git("rev-parse", "--short=12", "HEAD")
    changed = runs.git("status", "--porcelain", "--untracked-files=no", "--", "hawaii_env")
    return {
        "processor": processor(),
        "cores": len(cores()),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "commit": commit and commit.strip() + (" with changes" if changed else ""),
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "load": [round(x, 2) for x in os.getloadavg()] if hasattr(os, "getloadavg") else None,
        "bounds_check": os.environ.get("HAWAII_ENV_BOUNDS_CHECK", "") not in ("", "0"),
    }


def machine_sentence(on: dict[str, Any]) -> str:
    """Return the first sentence of a page, from the result of `machine`."""
    return (
        f"{on['date']}, commit {on['commit'] or 'unknown'}: {on['processor']}, {on['cores']} cores, {on['system']}, "
        f"Python {on['python']}."
    )


def load_sentence(on: dict[str, Any]) -> str:
    """Return the sentence on the load of the machine."""
    return f"Load average at the start: {', '.join(map(str, on['load'] or ['unknown']))}."


def warned(on: dict[str, Any]) -> list[str]:
    """Return lines that warn of unreliable figures; no line if there is nothing to warn of."""
    warning = "**Bounds checks were on (HAWAII_ENV_BOUNDS_CHECK): the compiled figures are too low.**"
    return ["", warning] if on["bounds_check"] else []
