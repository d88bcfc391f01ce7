"""A first-time user's walk: the commands and code blocks of README.md and docs/install.md in a fresh clone and a fresh
environment, each timed.

    python experiments/first_walk.py

Writes ``docs/benchmarks/walk.md``. It downloads what `pip` lacks, and takes some minutes.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

import studies

from hawaii_agents.training import runs

PAGE = studies.ROOT / "docs" / "benchmarks" / "walk.md"


def blocks(text: str, language: str) -> list[str]:
    """Return the code blocks of a language in Markdown."""
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def steps(readme: str, install: str) -> list[tuple[str, str]]:
    """Return the walk: what is done, and the shell command that does it."""
    plain = next(block for block in blocks(readme, "bash") if "pip install -c constraints.txt -e .\n" in block)
    found = [(line, line) for line in plain.splitlines()]
    found.append(("hawaii demo, a second time", "hawaii demo"))
    for name, code in zip(("the batch's example", "the environment's example"), blocks(readme, "python"), strict=True):
        found.append((name, f"python - <<'END'\n{code}END"))
    extra = 'python -m pip install -c constraints.txt -e ".[agents,arena,render]"'
    listed = next(block for block in blocks(install, "bash") if "hawaii --version" in block)
    commands = [line.split("#")[0].strip() for line in listed.splitlines() if line.strip()]
    return [*found, *((command, command) for command in (extra, *commands))]


def main() -> int:
    """Walk, print and write the table; return the number of steps that failed."""
    argparse.ArgumentParser(description="First commands in a fresh clone, each timed: some minutes.").parse_args()
    rows: list[list[object]] = []
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "hawaii_env"
        subprocess.run(["git", "clone", "-q", str(studies.ROOT), str(clone)], check=True)
        environment = {**os.environ, "HAWAII_ENV_CACHE": f"{folder}/cache"}
        environment.pop("VIRTUAL_ENV", None)
        environment["PATH"] = os.pathsep.join(
            part for part in environment["PATH"].split(os.pathsep) if not (Path(part) / "activate").exists()
        )
        pages = [(clone / name).read_text(encoding="utf-8") for name in ("README.md", "docs/install.md")]
        whole = time.perf_counter()
        for number, (what, command) in enumerate(steps(*pages), 1):
            active = "" if number == 1 else ". .venv/bin/activate && "
            began = time.perf_counter()
            done = subprocess.run(
                ["bash", "-c", active + command], cwd=clone, env=environment, capture_output=True, text=True
            )
            seconds = time.perf_counter() - began
            failed += done.returncode != 0
            lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
            end = "" if not done.returncode else f"**{done.returncode}**: {lines[-1] if lines else ''}"
            print(f"{seconds:7.1f} s  {what}  {end}", flush=True)
            rows.append([number, f"`{what}`", f"{seconds:.1f}", end or "done"])
        total = time.perf_counter() - whole
    runs.write_text(
        PAGE,
        "<!-- Written by experiments/first_walk.py; do not edit. -->\n# First steps, timed\n\n"
        "The steps of README.md and docs/install.md in a fresh clone and a new environment: `python "
        "experiments/first_walk.py`. "
        f"{datetime.now(UTC).date()}, commit {runs.commit()}, Python {platform.python_version()}, {os.cpu_count()} "
        f"cores, {total:.0f} s in all. Packages came from a cache; a first installation downloads them and takes "
        f"longer.\n\n{runs.table(['', 'step', 'seconds', ''], rows)}",
    )
    return failed


if __name__ == "__main__":
    sys.exit(main())
