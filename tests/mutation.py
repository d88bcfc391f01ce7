"""Mutation testing of a game's rules: ``python tests/mutation.py``. What share of small changes do the tests of the
rules alone notice?

cosmic-ray makes the mutants, one at a time. pytest is started once, in the plain mode, and forks: a mutant of a
function is put into a fork in which all tests are collected, in place of the function's code; a mutant of what runs
while modules are imported into a fork in which no module of the project is imported yet. In a fork the tests run up to
the first that fails, those first that call the function. Files stay as they are. The session file keeps each verdict
as it comes: the same command goes on after an interruption, while rules and tests are the same.

Survivors that cannot be noticed, or need not be, are listed in ``survivors.toml`` beside the tests with a reason each;
others are printed, and the exit status is 1 where fewer than 95% are killed.
"""

# pyright: reportMissingImports=false, reportUnknownVariableType=false

from __future__ import annotations

import argparse
import ast
import contextlib
import difflib
import hashlib
import importlib
import importlib.abc
import importlib.util
import itertools
import json
import math
import os
import pickle
import random
import re
import resource
import signal
import sys
import tempfile
import time
import tomllib
import traceback
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any, NamedTuple

import cosmic_ray.commands
import cosmic_ray.plugins
import pytest
from cosmic_ray.mutating import mutate_code
from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import MutationSpec, TestOutcome, WorkerOutcome, WorkItem, WorkResult
from rich.console import Console
from rich.progress import Progress

ROOT = Path(__file__).resolve().parent.parent
AIM = 0.95


class Wing(NamedTuple):
    """Where a game's rules and their tests are, from the root of the project."""

    rules: str
    tests: str
    not_rules: tuple[str, ...]
    """Modules of the folder with constants, the generator, arrays' layout, registries and messages only."""


WINGS = {
    "hawaii1795": Wing(
        "hawaii_env/hawaii1795/rules",
        "tests/rules",
        ("names.py", "rng.py", "state.py", "tables.py", "effects.py", "errors.py"),
    ),
    "aloha": Wing("hawaii_env/aloha/rules", "tests/aloha", ("names.py", "rng.py", "state.py")),
    "heiau": Wing("hawaii_env/heiau/rules", "tests/heiau", ()),
}

OPERATORS = re.compile(
    r"core/(AddNot|NumberReplacer|ZeroIterationForLoop|Replace(True|False|And|Or|Break|Continue)With\w+"
    r"|ReplaceUnaryOperator_Delete_\w+"
    r"|ReplaceBinaryOperator_(Add_Sub|Sub_Add|BitAnd_BitOr|BitOr_BitAnd|LShift_RShift|RShift_LShift)"
    r"|ReplaceComparisonOperator_(Eq_NotEq|NotEq_Eq|Lt_LtE|Lt_GtE|LtE_Lt|LtE_Gt|Gt_GtE|Gt_LtE|GtE_Gt|GtE_Lt|Is_IsNot|IsNot_Is))$"
)
"""One of each family: cosmic-ray has eleven for a plus sign, which the same test kills."""


BROKEN = 3
"""The exit status of a fork in which this tool itself has failed."""

MEMORY = 4 << 30
"""Bytes that a fork may ask for."""

KEYS = ("module", "function", "line", "mutant")
"""What names a mutant in a list of survivors."""


class Place(NamedTuple):
    """Where a mutant is: a module's file, from the root, and its function, empty outside functions' bodies."""

    path: str
    function: str


def place(mutation: MutationSpec) -> Place:
    """The function whose body a mutation changes."""
    row = mutation.start_pos[0]
    for node in ast.parse((ROOT / mutation.module_path).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef) and node.body[0].lineno <= row <= (node.end_lineno or 0):
            return Place(str(mutation.module_path), node.name)
    return Place(str(mutation.module_path), "")


class Mutant(NamedTuple):
    """One mutant of a session."""

    name: str
    where: Place
    mutation: MutationSpec | None


UNMUTATED = Mutant("", Place("", ""), None)


def mutate(mutation: MutationSpec) -> tuple[CodeType, str]:
    """The mutated module's code, and the line that is changed, before and after, as a diff."""
    path = ROOT / mutation.module_path
    source = path.read_text(encoding="utf-8")
    operator = cosmic_ray.plugins.get_operator(mutation.operator_name)(**mutation.operator_args)
    mutated = mutate_code(source, operator, mutation.occurrence)
    assert mutated is not None, mutation
    lines = list(difflib.unified_diff(source.splitlines(), mutated.splitlines(), lineterm="", n=0))[2:]
    before, after = (next((x[1:].strip() for x in lines if x[0] == sign), "") for sign in "-+")
    return compile(mutated, path, "exec", dont_inherit=True), f"- {before}\n+ {after}\n"


def module_name(path: str) -> str:
    return path.removesuffix(".py").replace("/", ".")


class Mutated(importlib.abc.InspectLoader, importlib.abc.MetaPathFinder):
    """Imports one module as it is mutated."""

    def __init__(self, path: str, code: CodeType) -> None:
        self.name, self.path, self.code = module_name(path), ROOT / path, code

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> Any:
        if fullname == self.name:
            return importlib.util.spec_from_file_location(fullname, self.path, loader=self)
        return None

    def get_code(self, fullname: str) -> CodeType:
        return self.code

    def get_source(self, fullname: str) -> str:
        return self.path.read_text(encoding="utf-8")


@dataclass
class Baseline:
    """What the unmutated tests have shown."""

    imported: set[Place]
    """Functions that run while modules are imported and tests collected."""
    calls: list[set[Place]]
    """By test: the functions that it calls."""
    seconds: list[float]
    """By test: processor time."""


@dataclass
class Fork:
    """A child process: what it says, what it prints, and until when it may run."""

    pid: int
    said: int
    printed: int
    deadline: float

    def status(self) -> int | None:
        """The exit status, negative for a signal; None while it runs. Its end, where its time is over."""
        pid, status = os.waitpid(self.pid, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > self.deadline:
            os.kill(self.pid, signal.SIGKILL)
        return None


def nameless() -> int:
    """A file without a name; its descriptor alone, since tests look for open files that nobody closes."""
    descriptor, path = tempfile.mkstemp()
    os.unlink(path)
    return descriptor


def content(descriptor: int) -> bytes:
    """What a child process has written into a file, which is closed."""
    with os.fdopen(descriptor, "rb") as file:
        file.seek(0)
        return file.read()


class Runner:
    """A plugin of pytest that tries a session's mutants in forks of itself.

    ``pytest_collection`` is called before anything of the project is imported, ``pytest_runtestloop`` once every test
    is collected. A fork leaves the first, goes on in pytest and reaches the second.
    """

    def __init__(self, session: Path, wing: Wing, options: argparse.Namespace, progress: Progress) -> None:
        self.session, self.options, self.progress = session, options, progress
        with use_db(str(session), WorkDB.Mode.open) as database:
            self.task = progress.add_task("mutants", total=database.num_work_items)
        self.folder = f"{ROOT / wing.rules}{os.sep}"
        self.seen: set[CodeType] = set()
        self.baseline = Baseline(set(), [], [])
        self.killers: dict[Place, dict[int, int]] = defaultdict(dict)
        """By place: the tests that have killed mutants there, with the number of the latest."""
        self.count = itertools.count(1)
        self.parent = os.getpid()
        self.then: Callable[[pytest.Session], None] | None = None
        """What a fork does once the tests are collected."""
        self.said: int | None = None
        """Where a fork says something to its parent."""
        self.now = ""

    # pytest's hooks

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self) -> bool | None:
        """Watch the unmutated tests; try mutants of functions in forks of one fork, and then the others."""
        assert not [name for name in sys.modules if name.partition(".")[0] == "hawaii_env"]
        for name in ("gymnasium", "numba", "pettingzoo", "pydantic"):  # what every fork would import
            importlib.import_module(name)
        if not self.pending():
            return True
        for first, then in ((self.watch, self.learn), (None, self.try_functions)):
            fork = self.fork()
            if fork is None:
                sys.settrace(first)
                self.then = then
                return None
            while (status := fork.status()) is None:
                time.sleep(0.01)
            said, printed = content(fork.said), content(fork.printed).decode(errors="replace")
            if status:
                raise pytest.UsageError(printed)
            if first:
                self.baseline = pickle.loads(said)
        item = self.fork_each(self.pending())
        if item is None:
            return True
        with broken():
            where = item.where
            if item.mutation:
                sys.meta_path.insert(0, Mutated(where.path, self.mutate(item.mutation)))
            self.then = lambda session: self.run(session, where)
        return None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Do what this fork is for; there is nothing to run elsewhere."""
        if self.then:
            self.then(session)
        return True

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A module that cannot be imported ends a fork."""
        if report.failed:
            self.end(report.longreprtext)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """So does a test that fails."""
        if report.failed:
            self.end(report.longreprtext)

    def pytest_internalerror(self, excrepr: object) -> None:
        """So does what pytest makes nothing of."""
        if self.said is not None:
            self.end(str(excrepr))

    def end(self, why: str) -> None:
        """End a fork whose tests have failed."""
        self.say(self.now.encode())
        print(f"{self.now}\n{why}", file=sys.__stderr__, flush=True)
        os._exit(1)

    # Forks

    def fork(self, seconds: float = math.inf) -> Fork | None:
        """Fork. In the parent: the child. In the child: None; it prints and says into files."""
        said, printed, parent = nameless(), nameless(), os.getpid()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of threads: libraries' own, which forks do not need
            pid = os.fork()
        if pid:
            return Fork(pid, said, printed, time.monotonic() + seconds)
        self.parent, self.said = parent, said
        for descriptor in (1, 2):
            os.dup2(printed, descriptor)
        return None

    def say(self, what: bytes) -> None:
        """Say something to the parent."""
        assert self.said is not None
        with os.fdopen(os.dup(self.said), "wb") as file:
            file.write(what)

    def pending(self) -> list[Mutant]:
        """The mutants that have not been tried."""
        with use_db(str(self.session), WorkDB.Mode.open) as database:
            items = list(database.pending_work_items)
        return [Mutant(item.job_id, place(item.mutations[0]), item.mutations[0]) for item in items]

    def fork_each(self, mutants: list[Mutant]) -> Mutant | None:
        """Fork for every mutant, so many at a time, and for one that is none, which has to survive.

        In the parent: None, at the end. In a child: its mutant.
        """
        items = [*mutants, UNMUTATED] if mutants else []
        # A test that does not end is ended by its processor time (`run`); one that waits for ever, by this.
        seconds = self.options.timeout + 20 * sum(self.baseline.seconds)
        running: dict[int, tuple[Fork, Mutant]] = {}
        try:
            while items or running:
                if os.getppid() != self.parent and self.said is not None:
                    raise SystemExit  # the command has been ended
                while items and len(running) < self.options.jobs:
                    item = items.pop()
                    fork = self.fork(seconds)
                    if fork is None:
                        running.clear()
                        return item
                    running[fork.pid] = fork, item
                for fork, item in list(running.values()):
                    if (status := fork.status()) is not None:
                        del running[fork.pid]
                        self.record(item, fork, status)
                time.sleep(0.005)
        finally:
            for pid in running:
                os.kill(pid, signal.SIGKILL)
        return None

    def record(self, mutant: Mutant, fork: Fork, status: int) -> None:
        """Keep the verdict on a mutant."""
        said = content(fork.said).decode().split("\n")
        printed = content(fork.printed).decode(errors="replace")
        if status == BROKEN or (status and mutant is UNMUTATED):
            raise RuntimeError(printed)
        if mutant is UNMUTATED:
            return
        *diff, killer = said
        if killer:
            self.killers[mutant.where][int(killer.split()[0])] = next(self.count)
        outcome = TestOutcome.KILLED if status else TestOutcome.SURVIVED
        with use_db(str(self.session), WorkDB.Mode.open) as database:
            database.set_result(mutant.name, WorkResult(WorkerOutcome.NORMAL, killer, outcome, "\n".join(diff)))
            self.progress.update(self.task, completed=database.num_results, refresh=True)

    # What forks do

    def watch(self, frame: FrameType, event: str, arg: object) -> None:
        """What is called, for `sys.settrace`."""
        self.seen.add(frame.f_code)

    def called(self) -> set[Place]:
        """The functions of the rules that have been called since this was last asked."""
        seen, self.seen = self.seen, set()
        return {
            Place(str(Path(code.co_filename).relative_to(ROOT)), code.co_name)
            for code in seen
            if code.co_filename.startswith(self.folder)
        }

    def learn(self, session: pytest.Session) -> None:
        """Run the unmutated tests. Where they fail anyway, every mutant would count as killed."""
        found = Baseline(self.called(), [], [])
        assert found.imported, f"these tests import no rules from {self.folder}"
        for item, following in zip(session.items, [*session.items[1:], None], strict=True):
            began = time.process_time()
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            found.seconds.append(time.process_time() - began)
            found.calls.append(self.called())
        sys.settrace(None)
        self.say(pickle.dumps(found))
        os._exit(0)

    def try_functions(self, session: pytest.Session) -> None:
        """Try the mutants of functions' bodies, but for functions whose results may have been kept while importing."""
        item = self.fork_each([mutant for mutant in self.pending() if self.function(mutant.where)])
        if item is None:
            os._exit(0)
        with broken():
            function = self.function(item.where)
            if item.mutation and function:
                inside = (part for part in self.mutate(item.mutation).co_consts if isinstance(part, CodeType))
                function.__code__ = next(part for part in inside if part.co_name == item.where.function)
        self.run(session, item.where)

    def function(self, where: Place) -> FunctionType | None:
        """The function whose code can be exchanged."""
        function = getattr(sys.modules.get(module_name(where.path)), where.function, None)
        plain = isinstance(function, FunctionType) and function.__code__.co_filename == str(ROOT / where.path)
        return function if plain and where not in self.baseline.imported else None

    def mutate(self, mutation: MutationSpec) -> CodeType:
        """The code of a mutated module; the parent is told what is changed."""
        code, diff = mutate(mutation)
        self.say(diff.encode())
        return code

    def run(self, session: pytest.Session, where: Place) -> None:
        """Run the tests up to the first that fails: latest killers there first, then what calls the function."""
        with broken():
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            killers, known = self.killers[where], self.baseline
            order = list(range(len(session.items)))
            if len(order) == len(known.seconds):
                order.sort(key=lambda k: (-killers.get(k, 0), where not in known.calls[k], known.seconds[k]))
        items = [session.items[k] for k in order]
        for k, item, following in zip(order, items, [*items[1:], None], strict=True):
            if os.getppid() != self.parent:
                os._exit(BROKEN)  # the command has been ended
            self.now = f"{k} {item.nodeid}"
            seconds = known.seconds[k] if k < len(known.seconds) else 0
            signal.setitimer(signal.ITIMER_PROF, 2 + 10 * seconds)  # its signal ends the fork
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        os._exit(0)


@contextlib.contextmanager
def broken() -> Iterator[None]:
    """What goes wrong in here is no mutant's doing."""
    try:
        yield
    except BaseException:
        traceback.print_exc(file=sys.__stderr__)
        os._exit(BROKEN)


# The command


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
    files = [*sorted(Path(wing.rules).parent.rglob("*.py")), *sorted(Path(wing.tests).rglob("*.py"))]
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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", choices=WINGS, default="hawaii1795", help="whose rules, and whose tests")
    parser.add_argument("--sample", type=int, default=400, help="mutants drawn; 0: all of them")
    parser.add_argument("--seed", type=int, default=1, help="seed of the sample")
    parser.add_argument("--jobs", type=int, default=2, help="at a time")
    parser.add_argument("--timeout", type=float, default=60, help="seconds after which a mutant counts as killed")
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
        runner = Runner(session, wing, options, progress)
        with open(os.devnull, "w") as nothing, contextlib.redirect_stdout(nothing):
            pytest.main(["-q", "-s", "-n", "0", "-p", "no:cacheprovider", wing.tests], plugins=[runner])
        if runner.said is not None:
            os._exit(1)  # a fork whose tests could not be collected
    if runner.pending():
        return 2
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
