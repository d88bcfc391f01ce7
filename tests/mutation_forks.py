"""Tries mutants in forks of one pytest, for tests/mutation.py.

A mutant of a function is put into a fork in which all tests are collected, in place of the function's code; a mutant of
what runs while modules are imported into a fork in which no module of the project is imported yet. In a fork the tests
run up to the first that fails, those first that call the function. Files stay as they are, so a test that starts
another Python does not see the mutant there. A mutant that changes nothing is tried first, and has to survive.
"""

# pyright: reportMissingImports=false, reportUnknownVariableType=false

from __future__ import annotations

import ast
import contextlib
import difflib
import functools
import gc
import importlib
import importlib.abc
import importlib.util
import itertools
import math
import os
import pickle
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any, NamedTuple

import cosmic_ray.plugins
import pytest
from cosmic_ray.mutating import mutate_code
from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import MutationSpec, TestOutcome, WorkerOutcome, WorkResult
from rich.progress import Progress

ROOT = Path(__file__).resolve().parent.parent

BROKEN = 3
"""The exit status of a fork in which this tool itself has failed."""

MEMORY = 4 << 30
"""Bytes that a fork may ask for."""


class Place(NamedTuple):
    """Where a mutant is: a module's file, from the root, and its function, empty outside functions' bodies."""

    path: str
    function: str


@functools.cache
def bodies(path: Path) -> dict[str, range]:
    """The rows of functions' bodies."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    functions = (node for node in tree.body if isinstance(node, ast.FunctionDef))
    return {node.name: range(node.body[0].lineno, (node.end_lineno or 0) + 1) for node in functions}


def place(mutation: MutationSpec) -> Place:
    """The function whose body a mutation changes."""
    rows = bodies(mutation.module_path)
    return Place(str(mutation.module_path), next((f for f in rows if mutation.start_pos[0] in rows[f]), ""))


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

    `forked` is called before pytest and anything of the project are; each fork then runs pytest, which calls
    `pytest_runtestloop` once every test is collected.
    """

    def __init__(self, session: Path, rules: str, jobs: int, timeout: float, progress: Progress) -> None:
        self.session, self.jobs, self.timeout, self.progress = session, jobs, timeout, progress
        with use_db(str(session), WorkDB.Mode.open) as database:
            self.task = progress.add_task("mutants", total=database.num_work_items)
        self.folder = f"{ROOT / rules}{os.sep}"
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

    def forked(self) -> bool:
        """Watch the unmutated tests; try mutants of functions in forks of one fork, and then the others.

        In a fork: True, and pytest is to be run with this plugin. Otherwise False, at the end.
        """
        assert not [name for name in sys.modules if name.partition(".")[0] == "hawaii_env"]
        for name in ("gymnasium", "numba", "pettingzoo", "pydantic"):  # what every fork would import
            importlib.import_module(name)
        if not self.pending():
            return False
        for first, then in ((self.watch, self.learn), (None, self.try_functions)):
            fork = self.fork()
            if fork is None:
                sys.settrace(first)
                self.then = then
                return True
            while (status := fork.status()) is None:
                time.sleep(0.01)
            said, printed = content(fork.said), content(fork.printed).decode(errors="replace")
            if status:
                raise RuntimeError(f"the tests cannot be tried: {printed}")
            if first:
                self.baseline = pickle.loads(said)
        mutant = self.fork_each(self.pending())
        if mutant is None:
            return False
        with broken():
            if mutant.mutation:
                sys.meta_path.insert(0, Mutated(mutant.where.path, self.mutate(mutant.mutation)))
            self.then = lambda session: self.run(session, mutant.where)
        return True

    # pytest's hooks

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Do what this fork is for."""
        assert self.then
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
        seconds = self.timeout + 20 * sum(self.baseline.seconds)
        running: dict[int, tuple[Fork, Mutant]] = {}
        gc.collect()
        gc.freeze()  # what is here is shared with forks: their collector leaves it alone
        try:
            while items or running:
                if os.getppid() != self.parent and self.said is not None:
                    raise SystemExit  # the command has been ended
                while items and len(running) < self.jobs:
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
