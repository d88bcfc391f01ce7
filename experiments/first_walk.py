"""A first-time user's walk: the commands and code blocks of README.md in a fresh clone and a fresh environment, each
timed.

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

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "benchmarks" / "walk.md"

STUMBLES = [  # what a walker stumbled over, and what became of it
    (
        "`hawaii replay runs/demo/*.jsonl` failed when pasted again: the folder held two games then",
        "a seed, and the game's file by name",
    ),
    (
        "half a minute was promised for compiling; the first `hawaii demo` takes most of a minute",
        "the README says a minute of one core",
    ),
    (
        "the README named no extra for OpenSpiel, RLlib, TorchRL, SuperSuit or data sets",
        "it names every one, and a test compares",
    ),
    ("the page on training installed an extra without torch", "it installs `train`"),
    ("`make test` said nothing of its gigabytes and minutes", "the README does"),
    ('`gymnasium.make(..., opponent="ppo")` raised an error', "every agent of the package plays there, with a test"),
    (
        "a trained agent refused another ruleset, and no page said why",
        "[agents](../agents.md) and the [questions](../faq.md) do",
    ),
    (
        "random play looks unfair: Kamehameha wins a fifth of the games",
        "the [questions](../faq.md) say why, the results how much",
    ),
]


def blocks(text: str, language: str) -> list[str]:
    """Return the code blocks of a language in Markdown."""
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def steps(readme: str) -> list[tuple[str, str]]:
    """Return the walk: what is done, and the shell command that does it."""
    plain = next(block for block in blocks(readme, "bash") if "pip install -c constraints.txt -e .\n" in block)
    found = [(line, line) for line in plain.splitlines()]
    found.append(("hawaii demo, a second time", "hawaii demo"))
    python = blocks(readme, "python")
    names = ["the environment's example", "the game's example", "the agents' example"]
    listed = next(block for block in blocks(readme, "bash") if "hawaii --version" in block)
    commands = [line.split("#")[0].strip() for line in listed.splitlines() if line.strip()]
    for name, code in zip(names[:2], python[:2], strict=True):
        found.append((name, f"python - <<'END'\n{code}END"))
    extra = 'python -m pip install -c constraints.txt -e ".[agents,arena,render]"'
    found.append((extra, extra))
    found.append((names[2], f"python - <<'END'\n{python[2]}END"))
    return found + [(command, command) for command in commands]


def main() -> int:
    """Walk, print and write the table; return the number of steps that failed."""
    argparse.ArgumentParser(description="README.md's commands in a fresh clone, each timed: some minutes.").parse_args()
    rows: list[str] = []
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "hawaii_env"
        subprocess.run(["git", "clone", "-q", str(ROOT), str(clone)], check=True)
        environment = {**os.environ, "HAWAII_ENV_CACHE": f"{folder}/cache"}
        environment.pop("VIRTUAL_ENV", None)
        environment["PATH"] = os.pathsep.join(
            part for part in environment["PATH"].split(os.pathsep) if not (Path(part) / "activate").exists()
        )
        readme = (clone / "README.md").read_text(encoding="utf-8")
        whole = time.perf_counter()
        for number, (what, command) in enumerate(steps(readme), 1):
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
            rows.append(f"| {number} | `{what}` | {seconds:.1f} | {end or 'done'} |")
        total = time.perf_counter() - whole
        commit = subprocess.run(
            ["git", "rev-parse", "--short", "HEAD"], cwd=clone, check=True, capture_output=True, text=True
        ).stdout.strip()
    PAGE.write_text(
        "<!-- Written by experiments/first_walk.py; do not edit. -->\n# A first walk\n\n"
        "What README.md says, done in a fresh clone and a fresh environment: `python experiments/first_walk.py`. "
        f"{datetime.now(UTC).date()}, commit {commit}, Python {platform.python_version()}, {os.cpu_count()} cores, "
        f"{total:.0f} s in all; packages came from a cache: a first installation downloads them and takes longer.\n\n"
        "| | step | seconds | |\n| --- | --- | --- | --- |\n" + "\n".join(rows) + "\n\n"
        "## What made walkers stumble\n\nThis walk, and readers who tried every page:\n\n"
        "| stumble | now |\n| --- | --- |\n" + "".join(f"| {what} | {now} |\n" for what, now in STUMBLES),
        encoding="utf-8",
    )
    return failed


if __name__ == "__main__":
    sys.exit(main())
