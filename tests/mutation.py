"""Mutation testing of a game's rules: ``python tests/mutation.py``. What share of small changes do the tests notice?

In interpreted mode, pytest collects the tests of the rules once and forks for each mutant of a function: the mutated
code takes the function's place, and the tests that call it run up to the first that fails. A mutant of what runs while
modules are imported is tried in a fork that imports the project anew. Files stay as they are.

Survivors that cannot be noticed, or need not be, are listed in ``survivors.toml`` beside the tests with a reason each;
others are printed, and the exit status is 1 if fewer than 95% are killed.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import importlib.abc
import importlib.util
import itertools
import os
import pickle
import random
import resource
import sys
import tempfile
import time
import tomllib
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent
AIM = 0.95
TESTS = {"hawaii1795": "tests/rules"}
"""Where the tests of a game's rules are, if not in a folder of its name."""
NOT_RULES = {"__init__", "names", "state", "tables", "errors"}
"""Modules of constants, layouts of arrays and messages."""
SWAPS: dict[type[ast.AST], tuple[str, list[str]]] = {
    ast.And: ("and", ["or"]), ast.Or: ("or", ["and"]),
    ast.Add: ("+", ["-"]), ast.Sub: ("-", ["+"]), ast.BitAnd: ("&", ["|"]), ast.BitOr: ("|", ["&"]),
    ast.LShift: ("<<", [">>"]), ast.RShift: (">>", ["<<"]),
    ast.Eq: ("==", ["!="]), ast.NotEq: ("!=", ["=="]), ast.Lt: ("<", ["<=", ">="]), ast.LtE: ("<=", ["<", ">"]),
    ast.Gt: (">", [">=", "<="]), ast.GtE: (">=", [">", "<"]), ast.Is: ("is", ["is not"]), ast.IsNot: ("is not", ["is"]),
    ast.Break: ("break", ["continue"]), ast.Continue: ("continue", ["break"]),
}  # fmt: skip
"""Signs, and what stands in their place."""


class Mutant(NamedTuple):
    """One change of one module."""

    path: str
    function: str
    """Empty for what runs while the module is imported."""
    row: int
    line: str
    mutant: str
    source: bytes
    """The whole module, mutated."""

    @property
    def module(self) -> str:
        return self.path.removesuffix(".py").replace("/", ".")

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What names a mutant in a list of survivors."""
        return Path(self.path).stem, self.function, self.line, self.mutant


def changes_of(node: ast.AST, source: bytes, at: Callable[[int, int], int]) -> Iterator[tuple[int, int, str]]:
    """Yield the changes of a node of a module: from where to where, and what stands there instead."""

    def span(part: Any) -> tuple[int, int]:
        return at(part.lineno, part.col_offset), at(part.end_lineno, part.end_col_offset)

    def swaps(sign: ast.AST, start: int, end: int) -> Iterator[tuple[int, int, str]]:
        old, others = SWAPS.get(type(sign), ("", []))
        for new in others:
            found = source.index(old.encode(), start, end)
            yield found, found + len(old), new

    match node:
        case ast.Constant(value=bool() as value):
            yield *span(node), repr(not value)
        case ast.Constant(value=int() as value) if source[slice(*span(node))].isalnum():
            yield from ((*span(node), str(value + step)) for step in (1, -1))
        case ast.UnaryOp(op=op):
            start = span(node)[0]
            yield start, start + (4 if isinstance(op, ast.Not) else 1), ""
        case ast.BinOp(left=left, op=op, right=right):
            yield from swaps(op, span(left)[1], span(right)[0])
        case ast.BoolOp(op=op, values=values):
            for left, right in itertools.pairwise(values):
                yield from swaps(op, span(left)[1], span(right)[0])
        case ast.Compare(left=left, ops=ops, comparators=others):
            for op, before, after in zip(ops, [left, *others], others, strict=False):
                yield from swaps(op, span(before)[1], span(after)[0])
        case ast.Break() | ast.Continue():
            yield from swaps(node, *span(node))
        case ast.For(iter=iterated):
            yield *span(iterated), "[]"
        case _:
            pass
    if isinstance(node, ast.If | ast.While | ast.IfExp):
        start, end = span(node.test)
        yield start, end, f"(not ({source[start:end].decode()}))"


def mutants_of(path: str) -> Iterator[Mutant]:
    """Yield the mutants of a module."""
    source = (ROOT / path).read_bytes()
    rows = source.splitlines(keepends=True)
    starts = [sum(map(len, rows[:n])) for n in range(len(rows))]
    for top in ast.parse(source).body:
        function, parts = (top.name, top.body) if isinstance(top, ast.FunctionDef) else ("", [top])
        hidden = {annotation for node in ast.walk(top) if (annotation := getattr(node, "annotation", None))}
        skipped = {part for annotation in hidden for part in ast.walk(annotation)}
        for node in (n for part in parts for n in ast.walk(part) if n not in skipped):
            for start, end, new in changes_of(node, source, lambda row, column: starts[row - 1] + column):
                mutated = source[:start] + new.encode() + source[end:]
                row = source.count(b"\n", 0, start)
                line, other = (" ".join(text.splitlines()[row].decode().split()) for text in (source, mutated))
                yield Mutant(path, function, row + 1, line, other, mutated)


class Mutated(importlib.abc.InspectLoader, importlib.abc.MetaPathFinder):
    """Imports one module as it is mutated."""

    def __init__(self, mutant: Mutant) -> None:
        self.mutant = mutant

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Any:
        if fullname == self.mutant.module:
            return importlib.util.spec_from_file_location(fullname, ROOT / self.mutant.path, loader=self)
        return None

    def get_source(self, fullname: str) -> str:
        return self.mutant.source.decode()


def fork(work: Callable[[], object], seconds: float) -> int:
    """Fork, and return the child's process id; its exit status is 0 if the work ends without an exception."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads: libraries' own, which forks do not need
        pid = os.fork()
    if not pid:
        try:
            resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
            resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 1))
            work()
        except BaseException:
            os._exit(1)
        os._exit(0)
    return pid


def killed_of(mutants: Iterable[Mutant], work: Callable[[Mutant], object], jobs: int, seconds: float) -> set[Mutant]:
    """Return the mutants whose work does not end well, each in a fork, so many at a time."""
    running: dict[int, Mutant] = {}
    killed: set[Mutant] = set()
    left = list(mutants)
    while left or running:
        while left and len(running) < jobs:
            mutant = left.pop()
            running[fork(lambda mutant=mutant: work(mutant), seconds)] = mutant
        pid, status = os.wait()
        mutant = running.pop(pid)
        killed |= {mutant} if status else set()
        print(f"\r{len(left)} to go ", end="", file=sys.__stderr__, flush=True)
    return killed


class Runner:
    """A plugin of pytest that tries mutants of functions in forks of itself once the tests are collected."""

    def __init__(self, mutants: list[Mutant], jobs: int, file: Path) -> None:
        self.mutants, self.jobs, self.file = mutants, jobs, file
        self.seen: set[CodeType] = set()
        self.calls: list[set[tuple[str, str]]] = []
        """By test: the functions that it calls, by file and name."""
        self.seconds: list[float] = []
        self.failed = ""
        sys.setprofile(self.watch)

    def watch(self, frame: FrameType, event: str, arg: object) -> None:
        self.seen.add(frame.f_code)

    def called(self) -> set[tuple[str, str]]:
        """Return the functions that have been called since this was last asked."""
        seen, self.seen = self.seen, set()
        return {(code.co_filename, code.co_name) for code in seen if code.co_filename.startswith(str(ROOT))}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note a test that fails."""
        if report.failed:
            self.failed = f"{report.nodeid}\n{report.longreprtext}"

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Learn what the tests call; then try the mutants, and write down what is left to others, and the killed."""
        imported = self.called()

        def learn() -> None:
            for number in range(len(session.items)):
                began = time.process_time()
                self.run(session, [number])
                self.seconds.append(time.process_time() - began)
                self.calls.append(self.called())
            sys.setprofile(None)
            self.file.write_bytes(pickle.dumps((self.calls, self.seconds, self.failed)))

        os.waitpid(fork(learn, 3600), 0)
        sys.setprofile(None)
        self.calls, self.seconds, self.failed = pickle.loads(self.file.read_bytes())
        if self.failed:
            self.file.write_bytes(pickle.dumps(self.failed))
            os._exit(1)
        inside = [m for m in self.mutants if self.function(m) and (str(ROOT / m.path), m.function) not in imported]
        killed = killed_of(inside, lambda m: self.attempt(session, m), self.jobs, 5 + 10 * sum(self.seconds))
        self.file.write_bytes(pickle.dumps((inside, killed, 5 + 10 * sum(self.seconds))))
        os._exit(0)

    def function(self, mutant: Mutant) -> FunctionType | None:
        """Return the function whose code can be exchanged."""
        function = getattr(sys.modules.get(mutant.module), mutant.function, None)
        plain = isinstance(function, FunctionType) and function.__code__.co_filename == str(ROOT / mutant.path)
        return function if plain else None

    def attempt(self, session: pytest.Session, mutant: Mutant) -> None:
        """Run the tests that call the mutated function, the quick ones first."""
        function = self.function(mutant)
        assert function
        code = compile(mutant.source, ROOT / mutant.path, "exec", dont_inherit=True)
        parts = [part for part in code.co_consts if isinstance(part, CodeType) and part.co_name == mutant.function]
        function.__code__ = parts[-1]
        calling = [n for n, calls in enumerate(self.calls) if (str(ROOT / mutant.path), mutant.function) in calls]
        self.run(session, sorted(calling, key=lambda n: self.seconds[n]))
        assert not self.failed

    def run(self, session: pytest.Session, numbers: list[int]) -> None:
        """Run tests up to the first that fails."""
        items = [session.items[n] for n in numbers]
        for item, following in zip(items, [*items[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if self.failed:
                break


def run_pytest(tests: str, *plugins: object) -> None:
    """Run the tests quietly in this process."""
    with open(os.devnull, "w") as nothing:
        os.dup2(nothing.fileno(), 1)
        os.dup2(nothing.fileno(), 2)
    assert not pytest.main(["-qxs", "-n", "0", "-p", "no:cacheprovider", tests], plugins=plugins)


def run_mutated(tests: str, mutant: Mutant) -> None:
    """Run the tests on a project with one mutated module."""
    sys.meta_path.insert(0, Mutated(mutant))
    run_pytest(tests)


def try_mutants(mutants: list[Mutant], tests: str, jobs: int) -> set[Mutant]:
    """Return the mutants that the tests notice."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "verdicts"
        os.waitpid(fork(lambda: run_pytest(tests, Runner(mutants, jobs, file)), 1e6), 0)
        found = pickle.loads(file.read_bytes())
    if isinstance(found, str):
        raise SystemExit(f"the tests fail without a mutant: {found}")
    tried, killed, seconds = found
    rest = [mutant for mutant in mutants if mutant not in set(tried)]
    return killed | killed_of(rest, lambda mutant: run_mutated(tests, mutant), jobs, 30 + seconds)


def main() -> int:
    games = sorted(path.parent.name for path in ROOT.glob("hawaii_env/*/rules"))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", choices=games, default="hawaii1795", help="whose rules, and whose tests")
    parser.add_argument("--sample", type=int, default=400, help="mutants drawn; 0: all of them")
    parser.add_argument("--seed", type=int, default=1, help="seed of the sample")
    parser.add_argument("--jobs", type=int, default=2, help="at a time")
    parser.add_argument("--module", help="one module instead of all: movement")
    options = parser.parse_args()
    os.chdir(ROOT)
    tests = TESTS.get(options.game, f"tests/{options.game}")
    paths = sorted(Path(f"hawaii_env/{options.game}/rules").glob("*.py"))
    chosen = [p for p in paths if p.stem == options.module or (p.stem not in NOT_RULES and not options.module)]
    mutants = [mutant for path in chosen for mutant in mutants_of(str(path))]
    if options.sample and options.sample < len(mutants):
        mutants = random.Random(options.seed).sample(mutants, options.sample)
    os.environ.update(HAWAII_ENV_PLAIN="1", HAWAII_ENV_BACKGROUND="0", OPENBLAS_NUM_THREADS="1")
    sys.dont_write_bytecode = True
    sys.path[:1] = [str(ROOT), str(ROOT / "agents")]  # not tests/, where this file is
    killed = try_mutants(mutants, tests, options.jobs)
    reasons: set[tuple[str, ...]] = set()
    with contextlib.suppress(FileNotFoundError):
        listed = tomllib.loads(Path(tests, "survivors.toml").read_text(encoding="utf-8"))["survivors"]
        reasons = {tuple(entry[key] for key in ("module", "function", "line", "mutant")) for entry in listed}
    alive = set(mutants) - killed
    unexplained = {mutant for mutant in alive if mutant.key not in reasons}
    stale = {mutant for mutant in killed if mutant.key in reasons - {other.key for other in alive}}
    for title, found in (("survived", unexplained), ("listed as a survivor, but killed", stale)):
        for m in sorted(found):
            print(f"{m.path}:{m.row} {m.function}: {title}\n  - {m.line}\n  + {m.mutant}")
    share = len(killed) / max(1, len(killed) + len(unexplained))
    print(
        f"{len(killed)} of {len(mutants)} mutants killed; {len(alive) - len(unexplained)} survivors listed with "
        f"reasons, {len(unexplained)} not: {share:.1%} of those that could be killed"
    )
    return share < AIM


if __name__ == "__main__":
    sys.exit(main())
