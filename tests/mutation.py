"""Mutation testing of a game's rules: ``python tests/mutation.py``. What share of small changes do the tests of the
rules alone notice?

cosmic-ray makes the mutants, one at a time, and `mutation_forks` tries them in forks of one pytest, in the plain mode.
The session file keeps each verdict as it comes: the same command goes on after an interruption, while code and tests
are the same.

Survivors that cannot be noticed, or need not be, are listed in ``survivors.toml`` beside the tests with a reason each;
others are printed, and the exit status is 1 where fewer than 95% are killed.
"""

# pyright: reportMissingImports=false, reportUnknownVariableType=false

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import random
import re
import sys
import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import cosmic_ray.commands
import pytest
from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import WorkItem
from mutation_forks import ROOT, Runner, place
from rich.console import Console
from rich.progress import Progress

AIM = 0.95


class Wing(NamedTuple):
    """Where a game's rules and their tests are, from the root of the project."""

    rules: str
    tests: str
    not_rules: tuple[str, ...]
    """Modules of the folder with constants, arrays' layout, registries and messages only."""


WINGS = {
    "hawaii1795": Wing(
        "hawaii_env/hawaii1795/rules",
        "tests/rules",
        ("names.py", "state.py", "tables.py", "errors.py"),
    ),
    "aloha": Wing("hawaii_env/aloha/rules", "tests/aloha", ("names.py", "state.py")),
    "heiau": Wing("hawaii_env/heiau/rules", "tests/heiau", ()),
}

OPERATORS = re.compile(
    r"core/(AddNot|NumberReplacer|ZeroIterationForLoop|Replace(True|False|And|Or|Break|Continue)With\w+"
    r"|ReplaceUnaryOperator_Delete_\w+"
    r"|ReplaceBinaryOperator_(Add_Sub|Sub_Add|BitAnd_BitOr|BitOr_BitAnd|LShift_RShift|RShift_LShift)"
    r"|ReplaceComparisonOperator_(Eq_NotEq|NotEq_Eq|Lt_LtE|Lt_GtE|LtE_Lt|LtE_Gt"
    r"|Gt_GtE|Gt_LtE|GtE_Gt|GtE_Lt|Is_IsNot|IsNot_Is))$"
)
"""One of each family: cosmic-ray has eleven for a plus sign, which the same test kills."""

KEYS = ("module", "function", "line", "mutant")
"""What names a mutant in a list of survivors."""


def draw(items: list[WorkItem], sample: int, seed: int) -> list[WorkItem]:
    """The mutants of the sample, by place: the same ones for the same code and seed."""
    chosen = sorted(
        (i for i in items if OPERATORS.match(i.mutations[0].operator_name)), key=lambda i: repr(i.mutations)
    )
    if sample and sample < len(chosen):
        chosen = random.Random(seed).sample(chosen, sample)
    return chosen


def prepare(session: Path, modules: list[Path], options: argparse.Namespace) -> None:
    """Make a session of the sample, unless it is there."""
    if session.exists():
        return
    session.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, use_db(f"{folder}/all.sqlite") as database:
        cosmic_ray.commands.init(modules, database, {})
        chosen = draw(list(database.work_items), options.sample, options.seed)
    fresh = session.with_suffix(".new")
    fresh.unlink(missing_ok=True)
    with use_db(str(fresh)) as database:
        database.add_work_items(chosen)
    fresh.rename(session)


def session_of(wing: Wing, modules: list[Path], options: argparse.Namespace) -> Path:
    """The file for these mutants of this code, tried by these tests."""
    files = sorted(p for p in Path(wing.rules).parent.rglob("*") if p.suffix in (".py", ".toml"))
    files += sorted(Path(wing.tests).rglob("*.py"))
    of = (options.sample, options.seed, [str(path) for path in modules], [path.read_bytes() for path in files])
    return options.sessions / f"{options.game}-{hashlib.sha256(repr(of).encode()).hexdigest()[:12]}.sqlite"


def report(session: Path, wing: Wing) -> tuple[int, list[dict[str, Any]], list[dict[str, Any]]]:
    """How many were killed, the survivors, and the listed survivors that were killed.

    The list names module, function, the line as it is, the line as mutated, and why.
    """
    path = Path(wing.tests) / "survivors.toml"
    listed = tomllib.loads(path.read_text(encoding="utf-8"))["survivors"] if path.exists() else []
    reasons = {tuple(entry[key] for key in KEYS): entry["why"] for entry in listed}
    survivors: list[dict[str, Any]] = []
    killed: list[dict[str, Any]] = []
    with use_db(str(session), WorkDB.Mode.open) as database:
        for item, result in database.completed_work_items:
            where, row = place(item.mutations[0]), item.mutations[0].start_pos[0]
            before, after = (line[2:] for line in (result.diff or "").split("\n"))
            values = (Path(where.path).stem, where.function, before, after)
            found = {**dict(zip(KEYS, values, strict=True)), "row": row, "why": reasons.get(values)}
            (killed if result.is_killed else survivors).append(found)
    alive = [{key: s[key] for key in KEYS} for s in survivors]
    stale = [k for k in killed if k["why"] and {key: k[key] for key in KEYS} not in alive]
    return len(killed), sorted(survivors, key=lambda s: (s["module"], s["row"])), stale


def at_least(least: int) -> Callable[[str], int]:
    """A reader of whole numbers for argparse."""

    def number(text: str) -> int:
        if int(text) < least:
            raise argparse.ArgumentTypeError(f"{text} is less than {least}")
        return int(text)

    return number


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", choices=WINGS, default="hawaii1795", help="whose rules, and whose tests")
    parser.add_argument("--sample", type=at_least(0), default=400, help="mutants drawn; 0: all of them")
    parser.add_argument("--seed", type=int, default=1, help="seed of the sample")
    parser.add_argument("--jobs", type=at_least(1), default=2, help="at a time")
    parser.add_argument(
        "--timeout", type=float, default=300, help="seconds after which one that waits counts as killed"
    )
    parser.add_argument("--module", help="one module instead of all: movement")
    parser.add_argument("--sessions", type=Path, default=ROOT / "runs" / "mutation", help="folder of the sessions")
    parser.add_argument("--json", action="store_true", help="print the survivors as JSON")
    options = parser.parse_args()
    wing = WINGS[options.game]
    options.sessions = options.sessions.resolve()
    os.chdir(ROOT)
    skipped = ("__init__.py", *wing.not_rules)
    modules = [p for p in sorted(Path(wing.rules).glob("*.py")) if p.name not in skipped]
    if options.module:
        modules = [path for path in modules if path.stem == options.module] or parser.error(
            f"no module {options.module!r} of rules in {wing.rules}: {', '.join(path.stem for path in modules)}"
        )
    session = session_of(wing, modules, options)
    prepare(session, modules, options)
    os.environ.update(
        HAWAII_ENV_PLAIN="1", HAWAII_ENV_BACKGROUND="0", PYTHONDONTWRITEBYTECODE="1", OPENBLAS_NUM_THREADS="1"
    )
    sys.dont_write_bytecode = True
    sys.path[:1] = [str(ROOT), str(ROOT / "agents")]  # not tests/, where this file is
    console = Console(file=os.fdopen(os.dup(2), "w"))
    with Progress(console=console, auto_refresh=False) as progress:
        runner = Runner(session, wing.rules, options.jobs, options.timeout, progress)
        if runner.forked():
            with open(os.devnull, "w") as nothing, contextlib.redirect_stdout(nothing):
                pytest.main(["-q", "-s", "-n", "0", "-p", "no:cacheprovider", wing.tests], plugins=[runner])
            os._exit(1)  # it was not to come back
    killed, survivors, stale = report(session, wing)
    if options.json:
        print(json.dumps(survivors, indent=1))
    unexplained = [s for s in survivors if s["why"] is None]
    for title, found in (("survived", unexplained), ("listed as a survivor, but killed", stale)):
        for s in found:
            print(f"{s['module']}.py:{s['row']} {s['function']}: {title}\n  - {s['line']}\n  + {s['mutant']}")
    total, explained = killed + len(survivors), len(survivors) - len(unexplained)
    share = killed / (total - explained) if total > explained else 1.0
    print(
        f"{killed} of {total} mutants killed, {killed / total:.1%}; {explained} survivors listed with reasons, "
        f"{len(unexplained)} not: {share:.1%} of those that could be killed"
    )
    return share < AIM


if __name__ == "__main__":
    sys.exit(main())
