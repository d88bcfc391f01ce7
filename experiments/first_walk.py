"""A first-time user's walk: the commands and code blocks of README.md and docs/install.md in a fresh clone and a fresh
environment, each timed; and the pages of `hawaii serve` in Chromium, beside those of an earlier commit.

    python experiments/first_walk.py
    python experiments/first_walk.py --only pages --beside 745b090

Writes ``docs/benchmarks/walk.md``, or one of its parts. It downloads what `pip` lacks, and takes some minutes.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

import studies
from load import Server

from hawaii_agents.training import runs
from hawaii_env import games, list_games

PAGE = studies.ROOT / "docs" / "benchmarks" / "walk.md"


def blocks(text: str, language: str) -> list[str]:
    """Return the code blocks of a language in Markdown."""
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def steps(readme: str, install: str) -> list[tuple[str, str]]:
    """Return the steps of the walk: a description, and a shell command."""
    plain = next(block for block in blocks(readme, "bash") if "pip install -c constraints.txt -e .\n" in block)
    found = [(line, line) for line in plain.splitlines()]
    found.append(("hawaii demo, a second time", "hawaii demo"))
    for name, code in zip(("the batch's example", "the environment's example"), blocks(readme, "python"), strict=True):
        found.append((name, f"python - <<'END'\n{code}END"))
    extra = 'python -m pip install -c constraints.txt -e ".[agents,arena,render]"'
    listed = next(block for block in blocks(install, "bash") if "hawaii --version" in block)
    commands = [line.split("#")[0].strip() for line in listed.splitlines() if line.strip()]
    return [*found, *((command, command) for command in (extra, *commands))]


CHANGE = """async () => {
    const stamp = () => [document.querySelector('.controls input[type=range]').max,
        document.querySelector('.decision').innerText].join();
    const before = stamp(), button = document.querySelector('.decision :is(.choice, .send:not([disabled]))');
    const began = performance.now();
    button.click();
    while (stamp() === before) await new Promise(requestAnimationFrame);
    return performance.now() - began;
}"""
"""Clicks the first choice, and returns the milliseconds until the page shows the result."""

READY = ".decision:not([aria-busy]) :is(.choice, .send:not([disabled]))"


def page_times(browser: Any, url: str, players: int) -> list[float]:
    """Return milliseconds of a server's pages: first paint, the first position of a game, and a click's change."""
    context = browser.new_context(viewport={"width": 1280, "height": 720})
    kept = "for (const [k, v] of [['speed', 'instant'], ['warn', 'off'], ['welcomed', 'yes']])"
    context.add_init_script(f"try {{ {kept} localStorage.setItem('hawaii.' + k, v) }} catch {{}}")
    page = context.new_page()
    page.goto(url)
    page.wait_for_selector("#new-game")
    found = [page.evaluate("() => performance.getEntriesByName('first-contentful-paint')[0].startTime")]
    body = {"seats": [{"kind": "me"}] * players}
    made = page.evaluate(
        "async body => (await fetch('/api/games', {method: 'POST', headers: {'Content-Type': 'application/json'}, "
        "body: JSON.stringify(body)})).json()",
        body,
    )
    began = time.perf_counter()
    page.goto(f"{url}/#/game/{made['id']}")
    page.wait_for_selector(f".map svg, {READY}")
    page.wait_for_selector(READY)
    found.append(1000 * (time.perf_counter() - began))
    clicks: list[float] = []
    for _ in range(8):
        page.wait_for_selector(READY)
        clicks.append(page.evaluate(CHANGE))
    context.close()
    return [*found, median(clicks)]


def pages(beside: str) -> str:
    """Return the part about pages, with a row for each game: medians of five visits, here and at another commit."""
    from playwright.sync_api import sync_playwright

    rows: list[list[object]] = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        other = Path(folder) / "beside"
        subprocess.run(["git", "worktree", "add", "-q", "--detach", str(other), beside], cwd=studies.ROOT, check=True)
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
        for game in list_games():
            found: dict[Path, list[list[float]]] = {}
            for root in (other, studies.ROOT):
                with tempfile.TemporaryDirectory() as database:
                    server = Server(game, database, root, HAWAII_ENV_PLAIN="1")
                    url = f"http://127.0.0.1:{server.port}"
                    count = games.find(game).players[0]
                    found[root] = [page_times(browser, url, count) for _ in range(6)][1:]  # the first one warms up
                    server.close()
            both = zip(*(map(median, zip(*found[root], strict=True)) for root in (other, studies.ROOT)), strict=True)
            rows.append([games.find(game).title, *(f"{old:.0f} / {new:.0f}" for old, new in both)])
            print(*rows[-1], sep="  ", flush=True)
        browser.close()
        subprocess.run(["git", "worktree", "remove", "--force", str(other)], cwd=studies.ROOT, check=True)
    columns = ["", "first paint, ms", "first position, ms", "a click's change, ms"]
    return (
        "## Pages in a browser\n\n`hawaii serve` in Chromium at 1280x720, "
        f"commit {beside} / commit {str(runs.commit())[:7]}, "
        "in one run:\n`python experiments/first_walk.py --only pages`. Medians of five visits; rules interpreted.\n"
        f"{datetime.now(UTC).date()}, {os.cpu_count()} cores, load average {os.getloadavg()[0]:.1f}.\n\n"
        f"{runs.table(columns, rows)}"
    )


def main() -> int:
    """Walk, print and write the tables; return the number of steps that failed."""
    parser = argparse.ArgumentParser(description="First commands in a fresh clone, and pages, timed: some minutes.")
    parser.add_argument("--only", choices=["commands", "pages"], help="one part; the other stays as it is")
    parser.add_argument("--beside", default="745b090", help="the commit whose pages are timed as well")
    options = parser.parse_args()
    head, mark, tail = PAGE.read_text(encoding="utf-8").partition("## Pages in a browser")
    failed = 0
    if options.only != "pages":
        head, failed = commands()
    after = f"{mark}{tail}" if options.only == "commands" else pages(options.beside)
    runs.write_text(PAGE, f"{head.rstrip()}\n\n{after}".rstrip() + "\n")
    return failed


def commands() -> tuple[str, int]:
    """Return the part about commands, and the number of those that failed."""
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
    text = (
        "<!-- Written by experiments/first_walk.py; do not edit. -->\n# First steps, timed\n\n"
        "The steps of README.md and docs/install.md in a fresh clone and a new environment: `python "
        "experiments/first_walk.py`. "
        f"{datetime.now(UTC).date()}, commit {runs.commit()}, Python {platform.python_version()}, {os.cpu_count()} "
        f"cores, {total:.0f} s in all. Packages came from a cache; a first installation downloads them and takes "
        f"longer.\n\n{runs.table(['', 'step', 'seconds', ''], rows)}"
    )
    return text, failed


if __name__ == "__main__":
    sys.exit(main())
