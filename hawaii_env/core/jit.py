"""Rules, and their entry points in interpreted and compiled mode.

``@rule`` marks a function as a rule and returns it unchanged. `EntryPoints` are the rules that Python calls, either as
Python functions (interpreted) or as machine code made from them (compiled). Both modes play identical games from the
same seeds, and both may run in one process.

``HAWAII_ENV_PLAIN=1`` always interprets, ``=0`` always compiles. Otherwise new games run compiled if their machine code
exists. If it does not, games start interpreted at once while a background process compiles; games started after that
run compiled. Long jobs compile first.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from functools import cache, cached_property, partial
from pathlib import Path
from types import FunctionType, SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeVar, cast, overload

from hawaii_env.core import cache as code_cache
from hawaii_env.core import closure
from hawaii_env.core.background import IS_THIS, Background, estimate, is_worker, say
from hawaii_env.core.closure import COMPILED_COPIES

if TYPE_CHECKING:
    from hawaii_env.core.compiler import EntryPoint

F = TypeVar("F", bound=Callable[..., Any])
Examples = Callable[[], Mapping[str, tuple[Any, ...]]]


def _chosen() -> bool | None:
    """Return the backend set by HAWAII_ENV_PLAIN: True interpreted, False compiled, None automatic. numba's own switch
    also selects interpreted.
    """
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        return True
    text = os.environ.get("HAWAII_ENV_PLAIN", "")
    return None if text == "" else text != "0"


INTERPRETED: bool = _chosen() is True
"""True if nothing is ever compiled: rules run as plain Python, for debuggers and coverage."""

AUTOMATIC: bool = _chosen() is None
"""True if the mode depends on whether machine code exists."""

BOUNDS_CHECK = os.environ.get("HAWAII_ENV_BOUNDS_CHECK", "") not in ("", "0")
"""True if compiled code checks every index (slower; the tests turn it on)."""

LOWERING, LINKING = 0.00019, 0.0001
"""Seconds of processor time per byte of bytecode: to type and lower a rule; and to link, optimise and translate it."""

_compiling = threading.RLock()
_entry_points: list[EntryPoints] = []
_background = Background()


def interpret() -> None:
    """Interpret all rules in this process, unless HAWAII_ENV_PLAIN is set or a game has already been imported.

    For tasks that take less time than loading machine code.
    """
    global AUTOMATIC, INTERPRETED
    if AUTOMATIC and not _entry_points:
        AUTOMATIC, INTERPRETED = False, True
        cast(Any, sys.modules["hawaii_env.core"]).INTERPRETED = True


@overload
def rule(function: F) -> F: ...
@overload
def rule(*, compiled: Callable[..., Any]) -> Callable[[F], F]: ...
def rule(function: Any = None, *, compiled: Any = None) -> Any:
    """Mark a function as a rule, which can be compiled together with the rules that it calls. Return it unchanged.

    Args:
        function: a function of a module that numba can compile.
        compiled: function that compiled mode runs instead, if the two modes store states differently.
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
    """Return the dependencies of machine code besides the rules: libraries, Python, processor, flags, compiler.py."""
    from llvmlite import binding

    versions = [importlib.metadata.version(name) for name in ("numba", "llvmlite", "numpy")]
    flags = [
        f"{name}={value}"
        for name, value in sorted(os.environ.items())
        if name.startswith("NUMBA_") and name not in ("NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS", "NUMBA_DEBUG_CACHE")
    ]
    processor = (binding.get_process_triple(), binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten())
    compiler = Path(__file__).with_name("compiler.py").read_bytes()
    return repr((versions, sys.version, processor, flags, BOUNDS_CHECK, compiler))


def _nothing() -> None:
    pass


def entry_point(
    function: Callable[..., Any], load: Callable[[], object] = _nothing, announce: Callable[[], object] = _nothing
) -> EntryPoint:
    """Return a rule for calls from Python, compiled on the first call for the types of its arguments.

    Args:
        function: the rule.
        load: called before compiling; it may add machine code from the cache.
        announce: called if the function must be compiled.

    Raises:
        RuleError: a rule uses an object that cannot be compiled; the message names both.
    """
    from hawaii_env.core import compiler

    rule = COMPILED_COPIES[cast(FunctionType, function)]
    closure.of(rule)  # raises a clearer error than numba would
    return compiler.EntryPoint(rule, BOUNDS_CHECK, load, announce)


# Jobs


class EntryPoints:
    """The rules that Python calls for one job, in both modes, compiled and cached together.

    Attributes:
        interpreted: the Python functions, as attributes.
    """

    def __init__(
        self,
        game: str,
        job: str,
        functions: Iterable[Callable[..., Any]],
        begins: bool = False,
    ) -> None:
        """Collect the functions of one job.

        Args:
            game: name of the game, for messages and files.
            job: one word for the job: ``"rules"``, ``"search"``.
            functions: rules with different names.
            begins: True if games start with this job, which then decides the mode of a game.
        """
        self.game: str = game
        self.job: str = job
        self.begins: bool = begins
        self.functions: dict[str, FunctionType] = {f.__name__: cast(FunctionType, f) for f in functions}
        self.interpreted: SimpleNamespace = SimpleNamespace(**self.functions)
        self._loaded = False
        _entry_points.append(self)

    @cached_property
    def compiled(self) -> SimpleNamespace:
        """Return the compiled functions, as attributes. The first call loads their machine code."""
        return SimpleNamespace(
            **{n: entry_point(f, self._load, partial(self._announce, n)) for n, f in self.functions.items()}
        )

    @cached_property
    def code(self) -> code_cache.CodeFile:
        """Return the file of the machine code."""
        parts = [_environment(), *map(closure.of, self.functions.values())]
        digest = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:24]
        return code_cache.CodeFile(f"{self.game}-{self.job}", digest)

    def is_ready(self) -> bool:
        """Return True if the machine code exists and is undamaged."""
        return not INTERPRETED and (self._loaded or self.code.is_sound())

    def load(self) -> bool:
        """Load the machine code if it exists; return True if it is loaded."""
        return self._loaded or (self.is_ready() and self._load())

    def compile_now(self, examples: Examples) -> SimpleNamespace:
        """Return the compiled functions. If they are not compiled yet, print a notice and compile them first.

        Under ``HAWAII_ENV_PLAIN=1`` return the interpreted functions.

        Args:
            examples: function that returns example arguments for every function, by name; only their types are used.
        """
        if INTERPRETED:
            return self.interpreted
        if not self._loaded:
            with _compiling:
                self._compile_once(examples)
        return self.compiled

    def use_compiled(self, examples: Examples, game: Any) -> bool:
        """Return True if new games run compiled. If not, start compiling in the background and print a notice.

        Args:
            examples: see `compile_now`.
            game: the game, which can be pickled; the background process compiles all its jobs.
        """
        if INTERPRETED or self._loaded:
            return not INTERPRETED
        if AUTOMATIC and not self.load():
            _background.begin(game, self._seconds())
            return False
        self.compile_now(examples)
        return True

    def _compile_once(self, examples: Examples) -> None:
        if self._load():
            return
        with self.code.alone(self._say_waiting, lambda text: say(f"hawaii_env: {text}")):
            if not self._load():
                self._compile(examples())

    def _load(self) -> bool:
        """Load the machine code if it exists; return True if it is loaded."""
        from hawaii_env.core import compiler

        with _compiling:
            code = None if self._loaded else self.code.read()
            if code is not None:
                try:
                    self._add(compiler.from_bytes(code))
                except Exception:  # a file with any error is written again
                    self.code.remove()
            return self._loaded

    def _seconds(self) -> float:
        """Return the expected time to compile, in seconds of processor time on the reference machine."""
        rules = {rule for function in self.functions.values() for rule in closure.closure(function)}
        compiler = sys.modules.get("hawaii_env.core.compiler")
        return sum(
            len(rule.__code__.co_code)
            * (LINKING if compiler is not None and compiler.is_lowered(rule) else LINKING + LOWERING)
            for rule in rules
        )

    def _say_waiting(self) -> None:
        if not is_worker():
            how_long = estimate(self._seconds())
            say(f"hawaii_env: another process compiles the {self.job} of {self.game}; waiting for it ({how_long})")

    def _compile(self, examples: Mapping[str, tuple[Any, ...]]) -> None:
        from hawaii_env.core import compiler

        assert set(examples) == set(self.functions), "an example for every entry point"
        kept = "" if code_cache.folder() else ", at every start: no cache folder can be written, see HAWAII_ENV_CACHE"
        say(f"hawaii_env: compiling the {self.job} of {self.game} ({estimate(self._seconds())}{kept}) ...", end="")
        begin, rest = time.perf_counter(), ""
        try:
            entries = {
                name: (function.py_func, function.signature_of(examples[name]))
                for name, function in vars(self.compiled).items()
            }
            results = compiler.build(f"{self.game}.{self.job}", entries, BOUNDS_CHECK)
            self._add(results)
            rest = f" done in {time.perf_counter() - begin:.0f} s"
        finally:
            say(rest)
        try:
            self.code.write(compiler.to_bytes(results))
        except OSError as error:
            if IS_THIS:
                raise  # this process cannot do anything else
            say(f"hawaii_env: machine code could not be kept: {error}")

    def _add(self, results: Mapping[tuple[str, Any], Any]) -> None:
        for (name, _), result in results.items():
            getattr(self.compiled, name).add_overload(result)
        self._loaded = True

    def _announce(self, name: str) -> None:
        say(f"hawaii_env: compiling {name} for arguments of other types than usual; this may take seconds")


def loaded() -> list[EntryPoints]:
    """Return the entry points that games start with, for all games imported in this process."""
    return [points for points in _entry_points if points.begins]


def compiled() -> bool:
    """Return True if at least one game is loaded and new games of all loaded games run compiled."""
    return bool(loaded()) and not INTERPRETED and all(not AUTOMATIC or points.is_ready() for points in loaded())
