"""Mutation testing of the rules: ``python tests/mutation.py``. What share of small changes does ``tests/rules`` alone
notice?

cosmic-ray makes the mutants, one at a time, in copies of the project, in the plain mode. The session files keep what
has been run: the same command goes on after an interruption. Survivors that cannot be noticed, or need not be, are
listed in ``tests/rules/survivors.toml`` with a reason each; others are printed, and the exit status is 1 where fewer
than 95% are killed.
"""

# pyright: reportMissingImports=false, reportUnknownVariableType=false

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import WorkerOutcome, WorkItem, WorkResult
from rich.progress import Progress

ROOT = Path(__file__).resolve().parent.parent
RULES = "hawaii_env/hawaii1795/rules"
NOT_RULES = ("names.py", "rng.py", "state.py", "tables.py", "effects.py", "errors.py", "__init__.py")
"""Constants, the generator, arrays' layout, the registry of effects and messages: `tests/engine` and
`tests/test_ruleset.py`.
"""

LISTED = ROOT / "tests" / "rules" / "survivors.toml"
AIM = 0.95

OPERATORS = re.compile(
    r"core/(AddNot|NumberReplacer|ZeroIterationForLoop|Replace(True|False|And|Or|Break|Continue)With\w+"
    r"|ReplaceUnaryOperator_Delete_\w+"
    r"|ReplaceBinaryOperator_(Add_Sub|Sub_Add|BitAnd_BitOr|BitOr_BitAnd|LShift_RShift|RShift_LShift)"
    r"|ReplaceComparisonOperator_(Eq_NotEq|NotEq_Eq|Lt_LtE|Lt_GtE|LtE_Lt|LtE_Gt|Gt_GtE|Gt_LtE|GtE_Gt|GtE_Lt|Is_IsNot|IsNot_Is))$"
)
"""One of each family: cosmic-ray has eleven for a plus sign, which the same test kills."""

CONFIG = """[cosmic-ray]
module-path = ["{rules}"]
excluded-modules = [{excluded}]
timeout = {timeout}
test-command = "{python} -m pytest -x -q -n 0 -p no:cacheprovider {tests}"

[cosmic-ray.distributor]
name = "local"
"""


def copy_project(target: Path) -> None:
    """A copy of what the rules and their tests need, as git lists it."""
    listed = subprocess.run(
        ["git", "ls-files", "hawaii_env", "agents", "tests/*.py", "tests/rules", "tests/toy", "pyproject.toml"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout.split("\n")  # fmt: skip
    for name in filter(None, listed):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, target / name)


def environment(folder: Path) -> dict[str, str]:
    """Plain mode, and the copy before the installed project."""
    before = os.environ.get("PYTHONPATH", "")
    path = os.pathsep.join(filter(None, (str(folder), str(folder / "agents"), before)))
    return {
        **os.environ,
        "HAWAII_ENV_PLAIN": "1",
        "HAWAII_ENV_BACKGROUND": "0",
        "PYTHONPATH": path,
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def run(folder: Path, *words: str) -> None:
    subprocess.run([*words], cwd=folder, env=environment(folder), check=True, stdout=subprocess.DEVNULL)


def draw(items: list[WorkItem], sample: int, seed: int) -> set[str]:
    """The mutants of the sample, by place: the same ones for the same code and seed."""
    chosen = sorted(
        (i for i in items if OPERATORS.match(i.mutations[0].operator_name)), key=lambda i: repr(i.mutations)
    )
    if sample and sample < len(chosen):
        chosen = random.Random(seed).sample(chosen, sample)
    return {item.job_id for item in chosen}


def prepare(session: Path, folder: Path, options: argparse.Namespace) -> None:
    """Make a session of all mutants, those outside the sample or of another job marked as skipped."""
    (folder / "cosmic-ray.toml").write_text(
        CONFIG.format(
            rules=options.module or RULES,
            excluded=", ".join(f'"{RULES}/{name}"' for name in NOT_RULES),
            timeout=options.timeout,
            python=sys.executable,
            tests=options.tests,
        ),
        encoding="utf-8",
    )
    if session.exists():
        return
    fresh = session.with_suffix(".new")
    fresh.unlink(missing_ok=True)
    run(folder, "cosmic-ray", "init", "cosmic-ray.toml", str(fresh))
    with use_db(str(fresh), WorkDB.Mode.open) as database:
        items = list(database.work_items)
        chosen = draw(items, options.sample, options.seed)
        order = {name: n for n, name in enumerate(sorted(chosen))}
        skipped = WorkResult(WorkerOutcome.SKIPPED, "not in the sample")
        job = int(session.stem.rpartition("-")[2])
        database.set_multiple_results(
            [i.job_id for i in items if i.job_id not in chosen or order[i.job_id] % options.jobs != job], skipped
        )
    fresh.rename(session)


def finished(session: Path) -> list[tuple[WorkItem, WorkResult]]:
    """The mutants of a session that have been tested."""
    with use_db(str(session), WorkDB.Mode.open) as database:
        return [(i, r) for i, r in database.completed_work_items if r.worker_outcome != WorkerOutcome.SKIPPED]


def work(session: Path, options: argparse.Namespace) -> None:
    """Test the mutants of one session in a copy of its own."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        copy_project(folder)
        prepare(session, folder, options)
        run(
            folder, "cosmic-ray", "baseline", "cosmic-ray.toml"
        )  # where the tests fail anyway, every mutant would count as killed
        run(folder, "cosmic-ray", "exec", "cosmic-ray.toml", str(session))


def changed(diff: str) -> tuple[str, str]:
    """The line that a mutant changes, before and after."""
    lines = [x for x in diff.splitlines() if x[:1] in "+-" and not x.startswith(("+++", "---"))]
    before = next((x[1:].strip() for x in lines if x[0] == "-"), "")
    return before, next((x[1:].strip() for x in lines if x[0] == "+"), "")


def reasons() -> list[dict[str, Any]]:
    """The listed survivors: module, the line as it is, the line as mutated (or none: any change of it), and why."""
    return tomllib.loads(LISTED.read_text(encoding="utf-8"))["survivors"] if LISTED.exists() else []


def report(sessions: list[Path]) -> tuple[int, int, list[dict[str, Any]]]:
    """How many were tested and killed, and the survivors."""
    listed, survivors, killed, total = reasons(), [], 0, 0
    for session in sessions:
        for item, result in finished(session):
            total += 1
            if result.is_killed:
                killed += 1
                continue
            before, after = changed(result.diff or "")
            where = item.mutations[0]
            name = Path(where.module_path).stem
            why = next(
                (
                    x["why"]
                    for x in listed
                    if x["module"] == name and x["line"] == before and x.get("mutant") in (None, after)
                ),
                None,
            )
            survivors.append({"module": name, "row": where.start_pos[0], "line": before, "mutant": after, "why": why})
    return total, killed, sorted(survivors, key=lambda s: (s["module"], s["row"]))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, default=400, help="mutants drawn; 0: all of them, some hours")
    parser.add_argument("--seed", type=int, default=1, help="seed of the sample")
    parser.add_argument("--jobs", type=int, default=2, help="at a time")
    parser.add_argument("--timeout", type=float, default=60, help="seconds after which a mutant counts as killed")
    parser.add_argument("--module", help="one module instead of all: " + RULES + "/movement.py")
    parser.add_argument("--tests", default="tests/rules", help="the tests that have to notice")
    parser.add_argument("--sessions", type=Path, default=ROOT / "runs" / "mutation", help="folder of the sessions")
    parser.add_argument("--json", action="store_true", help="print the survivors as JSON")
    options = parser.parse_args()
    code = b"".join(path.read_bytes() for path in sorted((ROOT / RULES).glob("*.py")))
    name = hashlib.sha256(
        repr((code, options.sample, options.seed, options.jobs, options.module)).encode()
    ).hexdigest()[:12]
    options.sessions.mkdir(parents=True, exist_ok=True)
    sessions = [options.sessions / f"{name}-{job}.sqlite" for job in range(options.jobs)]
    with Progress() as progress, ThreadPoolExecutor(options.jobs) as pool:
        task = progress.add_task("mutants", total=options.sample or None)
        waiting = [pool.submit(work, session, options) for session in sessions]
        while not all(one.done() for one in waiting):
            progress.update(task, completed=sum(len(finished(session)) for session in sessions if session.exists()))
            time.sleep(2)
        for one in waiting:
            one.result()
    total, killed, survivors = report(sessions)
    if options.json:
        print(json.dumps(survivors, indent=1))
    unexplained = [s for s in survivors if s["why"] is None]
    for s in unexplained:
        print(f"{s['module']}.py:{s['row']}\n  - {s['line']}\n  + {s['mutant']}")
    counted = total - (len(survivors) - len(unexplained))
    share = killed / counted if counted else 1.0
    print(
        f"{killed} of {total} mutants killed; {len(survivors) - len(unexplained)} survivors listed with reasons, "
        f"{len(unexplained)} not: {share:.1%} of those that could be killed"
    )
    return share < AIM


if __name__ == "__main__":
    sys.exit(main())
