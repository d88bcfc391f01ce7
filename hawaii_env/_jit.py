"""The compiled core's door: the only module that knows numba, for the games of any package.

``@rule`` marks a function of the rules and leaves it as it is. `Doors` are the rules that Python calls: as that Python (the plain mode) or as
machine code made from it (the compiled mode). Both play identical games from the same seeds, and both may run in one process.

``HAWAII_ENV_PLAIN=1`` is always plain, ``=0`` always compiled. Otherwise games run compiled where their machine code is there; where it is not
they begin plain at once while it is made in the background, and games begun after that are compiled. Long jobs compile first.
"""

from __future__ import annotations

import atexit
import builtins
import contextlib
import hashlib
import importlib.metadata
import os
import pickle
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Mapping
from functools import cache, cached_property
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any, TextIO, TypeVar, cast, overload

from hawaii_env import _closure, _code_store
from hawaii_env._closure import SUBSTITUTES

F = TypeVar("F", bound=Callable[..., Any])
Examples = Callable[[], Mapping[str, tuple[Any, ...]]]


def _chosen() -> bool | None:
    """What HAWAII_ENV_PLAIN asks for: True plain, False compiled, None neither. numba's own switch asks for plain, too."""
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        return True
    text = os.environ.get("HAWAII_ENV_PLAIN", "")
    return None if text == "" else text != "0"


PLAIN: bool = _chosen() is True
"""True where nothing is ever compiled: rules run as ordinary Python, for debuggers and coverage."""

AUTOMATIC: bool = _chosen() is None
"""True where the mode is chosen by what is compiled already."""

BOUNDS_CHECK = os.environ.get("HAWAII_ENV_BOUNDS_CHECK", "") not in ("", "0")
"""True when compiled code checks every index (slower; the tests switch it on)."""

BACKGROUND = os.environ.get("HAWAII_ENV_BACKGROUND", "")
"""``"0"``: nothing is compiled in the background. ``"this"``: this is the process that does so, which says nothing and has nobody wait."""

_threads = threading.RLock()
_doors: list[Doors] = []


@overload
def rule(function: F) -> F: ...
@overload
def rule(*, compiled: Callable[..., Any]) -> Callable[[F], F]: ...
def rule(function: Any = None, *, compiled: Any = None) -> Any:
    """Mark a function of the rules: it can be compiled, and so can the rules that it calls. It stays the function that it is.

    Args:
        function: a function of a module, with what numba can compile.
        compiled: what the compiled mode runs in its place, where the two modes differ in how they hold a state.
    """
    if function is None:
        return lambda function: _note(function, compiled)
    return _note(function, function)


def _note(function: FunctionType, compiled: FunctionType) -> FunctionType:
    SUBSTITUTES[function] = SUBSTITUTES[compiled] = compiled
    return function


# What stands on stderr


_listener: list[TextIO] = []


def tell_on(stream: TextIO) -> None:
    """Say there what is said on stderr otherwise: for processes whose own stderr nobody reads."""
    _listener[:] = [stream]


def _say(text: str, end: str = "\n") -> None:
    stream = _listener[0] if _listener else sys.stderr
    if BACKGROUND != "this" and stream is not None:
        with contextlib.suppress(OSError, ValueError):  # nobody listens any more
            print(text, end=end, file=stream, flush=True)


def _is_child() -> bool:
    """Whether this is a worker of a process that has said so already."""
    processes = sys.modules.get("multiprocessing.process")
    return processes is not None and processes.parent_process() is not None


# Machine code


@cache
def _environment() -> str:
    """What machine code depends on beside the rules: libraries, Python, processor and flags."""
    from llvmlite import binding

    versions = [importlib.metadata.version(name) for name in ("numba", "llvmlite", "numpy")]
    flags = [
        f"{name}={value}"
        for name, value in sorted(os.environ.items())
        if name.startswith("NUMBA_") and name not in ("NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS", "NUMBA_DEBUG_CACHE")
    ]
    processor = (binding.get_process_triple(), binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten())
    return repr((versions, sys.version, processor, flags, BOUNDS_CHECK))


def _digest(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:24]


@cache
def _tag(function: FunctionType) -> str:
    """The name under which a rule's machine code is filed."""
    return _digest(_environment(), _closure.of(function))


_twin_modules: dict[int, tuple[dict[str, Any], ModuleType]] = {}
_twins: dict[FunctionType, Any] = {}
_filled: set[int] = set()


def _twin_module(names: dict[str, Any]) -> ModuleType:
    """A module's other self, in which rules are compiled; empty until `_fill`."""
    if id(names) not in _twin_modules:
        twin = ModuleType(names.get("__name__", "?"))
        twin.__dict__["__builtins__"] = builtins
        _twin_modules[id(names)] = names, twin
    return _twin_modules[id(names)][1]


def _fill(names: dict[str, Any]) -> None:
    """Put into a module's other self what stands in the module, with the rules compiled: the compiler looks names up there."""
    if id(names) in _filled:
        return
    _filled.add(id(names))
    twin = _twin_module(names)
    for name, value in list(names.items()):
        if isinstance(value, FunctionType) and value in SUBSTITUTES:
            value = machine(value)
        elif isinstance(value, ModuleType) and _has_rules(value):
            _fill(vars(value))
            value = _twin_module(vars(value))
        twin.__dict__[name] = value


def _has_rules(module: ModuleType) -> bool:
    return any(isinstance(value, FunctionType) and value in SUBSTITUTES for value in vars(module).values())


def machine(function: Callable[..., Any]) -> Any:
    """Return a rule's compiled self: a function that loads its machine code when it is first called, or makes it.

    Raises:
        RuleError: a rule uses what cannot be compiled; the message names both.
    """
    original = SUBSTITUTES[cast(FunctionType, function)]
    with _threads:
        if original not in _twins:
            _twins[original] = _make_twin(original)
    return _twins[original]


def _make_twin(original: FunctionType) -> Any:
    import numba

    _closure.of(original)  # raises before numba does, with better words
    names = original.__globals__
    copy = FunctionType(original.__code__, vars(_twin_module(names)), original.__name__, original.__defaults__)
    for name in ("__qualname__", "__module__", "__doc__", "__kwdefaults__", "__annotations__"):
        setattr(copy, name, getattr(original, name))
    twin: Any = numba.njit(nogil=True, boundscheck=BOUNDS_CHECK)(copy)
    where = _code_store.folder()
    if where is None:
        _twins[original] = twin
        _fill(names)
    else:
        code = where / "code" / original.__module__
        twin._cache = _cache_class()(copy, str(code), _tag(original), lambda: _missed(original))
    return twin


def _missed(original: FunctionType) -> None:
    """A function is about to be compiled: its module's other self is needed, and whoever waits is told."""
    with _threads:
        _fill(original.__globals__)
    if not _compiling and any(original in map(SUBSTITUTES.get, doors.functions.values()) for doors in _doors):
        _say(
            f"hawaii_env: compiling {original.__name__} for arguments of other types than usual; this may take seconds"
        )


_compiling: list[str] = []


@cache
def _cache_class() -> Any:
    """numba's cache, but with files named by what the code is made from, and harmless where a file cannot be read or written.

    numba's own names them by path and line and compares the one file that a function stands in.
    """
    from numba.core import caching

    class Locator:
        def __init__(self, folder: str, tag: str) -> None:
            self.folder, self.tag = folder, tag
            self._py_file = folder  # where numba's warnings point

        def ensure_cache_path(self) -> None:
            # Below the cache's own folder: where that is taken away, as in tests, it does not come again.
            code = os.path.dirname(self.folder)
            for folder in (code, self.folder):
                if not os.path.isdir(folder):
                    os.mkdir(folder)

        def get_cache_path(self) -> str:
            return self.folder

        def get_source_stamp(self) -> str:
            return self.tag

        def get_disambiguator(self) -> str:
            return self.tag

    class Impl(caching.CompileResultCacheImpl):
        def __init__(self, function: FunctionType, folder: str, tag: str) -> None:
            self._locator, self._lineno = Locator(folder, tag), function.__code__.co_firstlineno
            self._filename_base = self.get_filename_base(function.__qualname__, getattr(sys, "abiflags", ""))

    class Cache(caching.FunctionCache):
        def __init__(self, function: FunctionType, folder: str, tag: str, missed: Callable[[], None]) -> None:
            self._missed = missed
            self._impl_class = lambda _: Impl(function, folder, tag)
            super().__init__(function)

        def load_overload(self, sig: Any, target_context: Any) -> Any:
            try:
                found = super().load_overload(sig, target_context)
            except Exception:  # a file cut short or altered, in whatever way: it is written anew
                found = None
                with contextlib.suppress(OSError):
                    os.unlink(self._cache_file._index_path)
            if found is None:
                self._missed()
            return found

        def save_overload(self, sig: Any, data: Any) -> None:
            try:
                super().save_overload(sig, data)
            except OSError as error:
                if BACKGROUND == "this":
                    raise  # then this process is of no use
                _complain(f"hawaii_env: machine code could not be kept: {error}")

    return Cache


@cache
def _complain(text: str) -> None:
    """Say it once."""
    _say(text)


# Jobs


class Doors:
    """The rules that Python calls for one job, in both modes.

    Attributes:
        plain: the functions themselves, as attributes.
        machine: their compiled selves.
    """

    def __init__(
        self,
        game: str,
        job: str,
        functions: Iterable[Callable[..., Any]],
        seconds: float,
        begins: bool = False,
        records: tuple[Any, ...] = (),
    ) -> None:
        """Take the functions of one job.

        Args:
            game: the game's name, as texts and files have it.
            job: what they do in one word: ``"rules"``, ``"search"``.
            functions: rules; their names differ.
            seconds: of processor time that compiling them takes, measured.
            begins: these doors begin games: they decide the mode that the game is played in.
            records: NumPy's types of the records that are among the arguments: another layout is other machine code.
        """
        self.game, self.job, self.seconds, self.begins, self.records = game, job, seconds, begins, records
        self.functions: dict[str, FunctionType] = {f.__name__: cast(FunctionType, f) for f in functions}
        self.plain = SimpleNamespace(**self.functions)
        self._there = False
        _doors.append(self)

    @cached_property
    def machine(self) -> SimpleNamespace:
        """The compiled selves of the functions, as attributes."""
        return SimpleNamespace(**{name: machine(function) for name, function in self.functions.items()})

    @cached_property
    def mark(self) -> _code_store.Mark:
        """What says that they are compiled."""
        parts = [*map(_tag, self.functions.values()), *map(repr, self.records)]
        return _code_store.Mark(f"{self.game}-{self.job}", _digest(*parts))

    def is_ready(self) -> bool:
        """Whether the machine code is there."""
        self._there = self._there or (not PLAIN and self.mark.is_there())
        return self._there

    def for_a_job(self, examples: Examples) -> SimpleNamespace:
        """Return the doors in the mode of long jobs: compiled, and if they are not yet, that is done now and told with the time it takes.

        Args:
            examples: gives arguments for every door, by its name: their types are what it is compiled for. Nothing is called.
        """
        if PLAIN:
            return self.plain
        if not self._there:
            with _threads:
                self._compile_once(examples)
        return self.machine

    def _compile_once(self, examples: Examples) -> None:
        if self.is_ready():
            return
        if (
            BACKGROUND == "this"
        ):  # others need not wait for a process that gives way to everybody, but it can wait for them
            with self.mark.alone(lambda: None):
                pass
            if not self.is_ready():
                self._compile(examples())
            return
        with self.mark.alone(self._say_waiting):
            if not self.is_ready():
                self._compile(examples())

    def _say_waiting(self) -> None:
        if not _is_child():
            _say(f"hawaii_env: another process compiles the {self.job} of {self.game}; waiting for it")

    def _compile(self, examples: Mapping[str, tuple[Any, ...]]) -> None:
        assert set(examples) == set(self.functions), "an example for every door"
        kept = (
            "once a version"
            if self.mark.path
            else "at every start: no cache folder can be written, see HAWAII_ENV_CACHE"
        )
        _say(
            f"hawaii_env: compiling the {self.job} of {self.game} ({kept}; up to {self.seconds:.0f} s on a quiet core) ...",
            end="",
        )
        begin, rest = time.perf_counter(), ""
        _compiling.append(self.job)
        try:
            for name, arguments in examples.items():
                door = getattr(self.machine, name)
                door.compile(tuple(door.typeof_pyval(argument) for argument in arguments))
            rest = f" done in {time.perf_counter() - begin:.0f} s"
        finally:
            _compiling.pop()
            _say(rest)
        self._there = True
        files = {_tag(f) for door in self.functions.values() for f in _closure.closure(door)}
        self.mark.write(files, time.perf_counter() - begin)

    def now(self, examples: Examples, game: Any) -> bool:
        """Whether a game that begins now is played compiled. Where its code is not there yet: says so, and has it made aside.

        Args:
            examples: as `for_a_job` takes them.
            game: the game, which can be pickled; the background process compiles all of its jobs.
        """
        if PLAIN or self._there:
            return not PLAIN
        if AUTOMATIC and not self.is_ready():
            _aside.begin(game)
            return False
        self.for_a_job(examples)
        return True


def compiled() -> bool:
    """Whether games that begin now are played compiled: all games with rules of their own that are loaded, and at least one."""
    found = [doors for doors in _doors if doors.begins]
    return bool(found) and not PLAIN and all(not AUTOMATIC or doors.is_ready() for doors in found)


# Compiling aside


class _Aside:
    """The process in which this one has its games compiled."""

    def __init__(self) -> None:
        self.asked: set[str] = set()
        self.processes: list[subprocess.Popen[bytes]] = []

    def begin(self, game: Any) -> None:
        """Say that this game is played plain, and compile it in the background; once for each kind of game."""
        if self.processes:
            self._look()
        if game.name in self.asked or BACKGROUND == "this":
            return
        self.asked.add(game.name)
        how = self._start(game)
        if not _is_child():
            _say(
                f"hawaii_env: {game.name} is not compiled yet: playing in the plain mode, some ten times slower; {how}"
            )

    def _start(self, game: Any) -> str:
        where = _code_store.folder()
        if where is None:
            return (
                "no cache folder can be written: set HAWAII_ENV_CACHE, or HAWAII_ENV_PLAIN=0 to compile at every start"
            )
        later = (
            "compiling in the background (a minute of one core, once a version); games begun after that are compiled"
        )
        lock = _code_store.lock_background()
        if lock is None:
            return later  # somebody does
        lock.close()
        if BACKGROUND == "0" or not sys.executable or type(game).__module__ == "__main__":
            return "`hawaii warm`, or HAWAII_ENV_PLAIN=0, compiles it"
        path = [os.path.abspath(entry or os.curdir) for entry in sys.path]
        environment = {
            **os.environ, "HAWAII_ENV_CACHE": str(where), "HAWAII_ENV_PLAIN": "0", "HAWAII_ENV_BACKGROUND": "this",
            "PYTHONPATH": os.pathsep.join(path),
        }  # fmt: skip
        with open(where / "background.log", "wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "hawaii_env.warm"], stdin=subprocess.PIPE, stdout=log, stderr=log, env=environment,
                cwd=where, start_new_session=True,
            )  # fmt: skip
        assert process.stdin is not None
        try:
            process.stdin.write(zlib.compress(pickle.dumps(game), 1))
            process.stdin.close()
        except OSError:
            pass  # it has ended already; `_look` tells of it
        self.processes.append(process)
        atexit.register(setattr, process, "returncode", 0)  # it may outlive this process, which does not wait for it
        return later

    def _look(self) -> None:
        """Tell once of a background process that has failed."""
        for process in list(self.processes):
            status = process.poll()
            if status is not None:
                self.processes.remove(process)
                if status:
                    log = cast(Any, _code_store.folder()) / "background.log"
                    _say(
                        f"hawaii_env: compiling in the background failed, games stay plain: see {log}, or run `hawaii warm`"
                    )


_aside = _Aside()
