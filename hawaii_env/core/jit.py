"""The compiled core's door: the only module that knows numba, for the games of any package.

``@rule`` marks a function of the rules and leaves it as it is. `EntryPoints` are the rules that Python calls: as that
Python
(the plain mode) or as machine code made from it (the compiled mode). Both play identical games from the same seeds, and
both may run in one process.

``HAWAII_ENV_PLAIN=1`` is always plain, ``=0`` always compiled. Otherwise games run compiled where their machine code is
there; where it is not they begin plain at once while it is made in the background, and games begun after that are
compiled. Long jobs compile first.
"""

from __future__ import annotations

import builtins
import contextlib
import hashlib
import importlib.metadata
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from functools import cache, cached_property
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any, TypeVar, cast, overload

from hawaii_env.core import cache as code_cache
from hawaii_env.core import closure
from hawaii_env.core.background import IS_THIS, Background, is_worker, say
from hawaii_env.core.closure import COMPILED_COPIES, INTRINSICS

F = TypeVar("F", bound=Callable[..., Any])
Examples = Callable[[], Mapping[str, tuple[Any, ...]]]


def _chosen() -> bool | None:
    """What HAWAII_ENV_PLAIN asks for: True plain, False compiled, None neither. numba's own switch asks for plain."""
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        return True
    text = os.environ.get("HAWAII_ENV_PLAIN", "")
    return None if text == "" else text != "0"


INTERPRETED: bool = _chosen() is True
"""True where nothing is ever compiled: rules run as ordinary Python, for debuggers and coverage."""

AUTOMATIC: bool = _chosen() is None
"""True where the mode is chosen by what is compiled already."""

BOUNDS_CHECK = os.environ.get("HAWAII_ENV_BOUNDS_CHECK", "") not in ("", "0")
"""True when compiled code checks every index (slower; the tests switch it on)."""

_jobs = threading.RLock()
_doors: list[EntryPoints] = []
_compiling: list[EntryPoints] = []
_background = Background()


@overload
def rule(function: F) -> F: ...
@overload
def rule(*, compiled: Callable[..., Any]) -> Callable[[F], F]: ...
def rule(function: Any = None, *, compiled: Any = None) -> Any:
    """Mark a function of the rules: it can be compiled, with the rules that it calls. It stays the function that it is.

    Args:
        function: a function of a module, with what numba can compile.
        compiled: what the compiled mode runs in its place, where the two modes differ in how they hold a state.
    """
    if function is None:
        return lambda function: _note(function, compiled)
    return _note(function, function)


def _note(function: FunctionType, compiled: FunctionType) -> FunctionType:
    COMPILED_COPIES[function] = COMPILED_COPIES[compiled] = compiled
    return function


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
    return _digest(_environment(), closure.of(function))


_twin_modules: dict[int, tuple[dict[str, Any], ModuleType]] = {}
_twins: dict[FunctionType, Any] = {}
_filled: set[int] = set()
_filling = threading.RLock()  # the compiler's own lock may be held already, so nothing else is asked for inside


def _twin_module(names: dict[str, Any]) -> ModuleType:
    """A module's other self, in which rules are compiled; empty until `_fill`."""
    if id(names) not in _twin_modules:
        twin = ModuleType(names.get("__name__", "?"))
        twin.__dict__["__builtins__"] = builtins
        _twin_modules[id(names)] = names, twin
    return _twin_modules[id(names)][1]


def _fill(names: dict[str, Any]) -> None:
    """Put into a module's other self what stands in the module, with the rules compiled; the compiler looks there."""
    with _filling:
        if id(names) in _filled:
            return
        _filled.add(id(names))
        twin = _twin_module(names)
        for name, value in list(names.items()):
            if isinstance(value, FunctionType) and value in COMPILED_COPIES:
                value = machine(value)
            elif isinstance(value, FunctionType) and value in INTRINSICS:
                value = INTRINSICS[value]()
            elif isinstance(value, ModuleType) and _has_rules(value):
                _fill(vars(value))
                value = _twin_module(vars(value))
            twin.__dict__[name] = value


def _has_rules(module: ModuleType) -> bool:
    return any(isinstance(value, FunctionType) and value in COMPILED_COPIES for value in vars(module).values())


def machine(function: Callable[..., Any]) -> Any:
    """Return a rule's compiled self: a function that loads its machine code when it is first called, or makes it.

    Raises:
        RuleError: a rule uses what cannot be compiled; the message names both.
    """
    original = COMPILED_COPIES[cast(FunctionType, function)]
    if original not in _twins:
        _twins.setdefault(original, _make_twin(original))
    return _twins[original]


def _make_twin(original: FunctionType) -> Any:
    import numba

    closure.of(original)  # raises before numba does, with better words
    names = original.__globals__
    copy = FunctionType(original.__code__, vars(_twin_module(names)), original.__name__, original.__defaults__)
    for name in ("__qualname__", "__module__", "__doc__", "__kwdefaults__", "__annotations__"):
        setattr(copy, name, getattr(original, name))
    twin: Any = numba.njit(nogil=True, boundscheck=BOUNDS_CHECK)(copy)
    where = code_cache.folder()
    if where is None:
        _twins[original] = twin
        _fill(names)
    else:
        code = where / "machine-code" / original.__module__
        twin._cache = _cache_class()(copy, str(code), _tag(original), lambda: _missed(original))
    return twin


def _missed(original: FunctionType) -> None:
    """A function is about to be compiled: its module's other self is needed, and whoever waits is told."""
    _fill(original.__globals__)
    if not _compiling and any(original in map(COMPILED_COPIES.get, doors.functions.values()) for doors in _doors):
        say(f"hawaii_env: compiling {original.__name__} for arguments of other types than usual; this may take seconds")


@cache
def _cache_class() -> Any:
    """numba's cache, with files named by what the code is made from, and harmless where one cannot be read or written.

    numba's own names them by path and line, and looks for changes in the one file that a function stands in.
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
                if IS_THIS:
                    raise  # then this process is of no use
                _complain(f"hawaii_env: machine code could not be kept: {error}")

    return Cache


@cache
def _complain(text: str) -> None:
    """Say it once."""
    say(text)


# Jobs


class EntryPoints:
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
        self.game: str = game
        self.job: str = job
        self.seconds: float = seconds
        self.begins: bool = begins
        self.records: tuple[Any, ...] = records
        self.functions: dict[str, FunctionType] = {f.__name__: cast(FunctionType, f) for f in functions}
        self.plain: SimpleNamespace = SimpleNamespace(**self.functions)
        self._there = False
        _doors.append(self)

    @cached_property
    def machine(self) -> SimpleNamespace:
        """The compiled selves of the functions, as attributes."""
        return SimpleNamespace(**{name: machine(function) for name, function in self.functions.items()})

    @cached_property
    def mark(self) -> code_cache.Mark:
        """What says that they are compiled."""
        parts = [*map(_tag, self.functions.values()), *map(repr, self.records)]
        return code_cache.Mark(f"{self.game}-{self.job}", _digest(*parts))

    def is_ready(self) -> bool:
        """Whether the machine code is there."""
        self._there = self._there or (not INTERPRETED and self.mark.is_there())
        return self._there

    def for_a_job(self, examples: Examples) -> SimpleNamespace:
        """Return the doors in the mode of long jobs: compiled. If they are not yet, that is done now, and told.

        Args:
            examples: gives arguments for every door, by its name, of the types that it is compiled for; none is called.
        """
        if INTERPRETED:
            return self.plain
        if not self._there:
            with _jobs:
                self._compile_once(examples)
        return self.machine

    def _compile_once(self, examples: Examples) -> None:
        if self.is_ready():
            return
        if IS_THIS:  # it waits for others, but nobody has to wait for a process that gives way to everything
            with self.mark.alone(lambda: None):
                pass
            if not self.is_ready():
                self._compile(examples())
            return
        with self.mark.alone(self._say_waiting):
            if not self.is_ready():
                _background.give_way()
                self._compile(examples())

    def _say_waiting(self) -> None:
        if not is_worker():
            say(f"hawaii_env: another process compiles the {self.job} of {self.game}; waiting for it")

    def _compile(self, examples: Mapping[str, tuple[Any, ...]]) -> None:
        assert set(examples) == set(self.functions), "an example for every door"
        kept = (
            "once a version"
            if self.mark.path
            else "at every start: no cache folder can be written, see HAWAII_ENV_CACHE"
        )
        kept = f"{kept}; some {self.seconds:.0f} s of processor time, less where parts are there"
        say(f"hawaii_env: compiling the {self.job} of {self.game} ({kept}) ...", end="")
        begin, rest = time.perf_counter(), ""
        _compiling.append(self)
        try:
            for name, arguments in examples.items():
                door = getattr(self.machine, name)
                door.compile(tuple(door.typeof_pyval(argument) for argument in arguments))
            rest = f" done in {time.perf_counter() - begin:.0f} s"
        finally:
            _compiling.pop()
            say(rest)
        self._there = True
        files = {_tag(f) for door in self.functions.values() for f in closure.closure(door)}
        self.mark.write(files, time.perf_counter() - begin)

    def now(self, examples: Examples, game: Any) -> bool:
        """Whether a game that begins now is played compiled. If not, that is said, and the background compiles it.

        Args:
            examples: as `for_a_job` takes them.
            game: the game, which can be pickled; the background process compiles all of its jobs.
        """
        if INTERPRETED or self._there:
            return not INTERPRETED
        if AUTOMATIC and not self.is_ready():
            _background.begin(game)
            return False
        self.for_a_job(examples)
        return True


def loaded() -> list[EntryPoints]:
    """The doors that begin games, of all games that this process has imported."""
    return [doors for doors in _doors if doors.begins]


def compiled() -> bool:
    """Whether games that begin now are played compiled: those of all games that are loaded, and there is one."""
    return bool(loaded()) and not INTERPRETED and all(not AUTOMATIC or doors.is_ready() for doors in loaded())
