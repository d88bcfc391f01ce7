"""Reads and restores the process state that agents share and must not change."""

from __future__ import annotations

import _thread
import builtins
import contextlib
import errno
import gc
import locale
import mmap
import os
import random
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from types import ModuleType
from typing import Any, ClassVar, NamedTuple, cast

import numpy as np

if sys.platform != "win32":
    import resource

__all__ = [
    "ASPECTS", "BUILTINS", "FIRST", "FORKS", "VARIABLES", "Aspect", "Descriptors", "Noted", "allocated", "getpid",
    "kept", "threads",
]  # fmt: skip


class Aspect(NamedTuple):
    """One aspect of the process that an agent must not change.

    Attributes:
        fault: the fault of an agent that changed it; "" if it is restored silently.
        read: returns it, comparable with ==; a dict or a list of names is the one in use.
        restore: restores it from the result of `read`; raises OSError or ValueError if it cannot.
        shared: True if other processes change it too, with renice, taskset, prlimit: then it is an agent's fault only
            if the agent called what changes it, see `Noted.set`.
    """

    fault: str
    read: Callable[[], Any]
    restore: Callable[[Any], None]
    shared: bool = False


def _attributes(module: ModuleType) -> Aspect:
    def restore(home: dict[str, Any]) -> None:
        for name in vars(module).keys() - home.keys():
            delattr(module, name)
        vars(module).update(home)

    return Aspect(f"changed the module {module.__name__}", lambda: vars(module), restore)


def _folder() -> str | None:
    try:
        return os.getcwd()
    except OSError:  # somebody has deleted it
        return None


def _set_folder(home: str | None) -> None:
    if home is not None:
        os.chdir(home)


VARIABLES: dict[Any, Any] = getattr(os.environ, "_data", cast(Any, os.environ))  # as the system has them: no decoding


def _set_environment(home: dict[Any, Any]) -> None:
    decode: Callable[[Any], str] = os.fsdecode if os.name == "posix" else str
    os.environ.clear()
    os.environ.update({decode(key): decode(value) for key, value in home.items()})


_STREAMS = ("stdin", "stdout", "stderr")


def _closed(stream: Any) -> bool:
    try:
        return getattr(stream, "closed", False)
    except ValueError:  # its buffer was detached
        return True


def _streams() -> list[tuple[Any, bool, dict[str, Any]]]:
    streams = [getattr(sys, name) for name in _STREAMS]
    return [(stream, _closed(stream), dict(getattr(stream, "__dict__", {}))) for stream in streams]


def _set_streams(home: list[tuple[Any, bool, dict[str, Any]]]) -> None:
    for number, (name, (stream, closed, own)) in enumerate(zip(_STREAMS, home, strict=True)):
        if hasattr(stream, "__dict__"):
            vars(stream).clear()
            vars(stream).update(own)
        if _closed(stream) and not closed:
            mode = "w" if number else "r"
            stream = open(number, mode, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
        setattr(sys, name, stream)


_SIGNALS = sorted(
    signal.valid_signals() - {getattr(signal, name, 0) for name in ("SIGKILL", "SIGSTOP")} - set(range(32, 65))
)
_handler: Callable[[int], Any] = import_module("_signal").getsignal  # which makes no enumerations


def _handlers() -> list[Any]:
    return [_handler(number) for number in _SIGNALS]


def _set_handlers(home: list[Any]) -> None:
    for number, handler in zip(_SIGNALS, home, strict=True):
        if handler is not None and _handler(number) != handler:
            signal.signal(number, handler)


_TIMERS = tuple(
    getattr(signal, name) for name in ("ITIMER_REAL", "ITIMER_VIRTUAL", "ITIMER_PROF") if hasattr(signal, name)
)


def _timers() -> list[bool]:
    return [signal.getitimer(timer)[0] > 0 for timer in _TIMERS]


def _set_timers(home: list[bool]) -> None:
    for timer, running in zip(_TIMERS, home, strict=True):
        if not running:
            signal.setitimer(timer, 0)


_TRACED: tuple[tuple[Callable[[], Any], Callable[[Any], None]], ...] = (
    (sys.gettrace, sys.settrace),
    (sys.getprofile, sys.setprofile),
    (threading.gettrace, threading.settrace),
    (threading.getprofile, threading.setprofile),
)


def _tracing() -> tuple[list[Any], bool]:
    memory: Any = sys.modules.get("tracemalloc")
    debugged = "bdb" in sys.modules  # debuggers come and go
    return [None if debugged else get() for get, _ in _TRACED], memory is not None and memory.is_tracing()


def _set_tracing(home: tuple[list[Any], bool]) -> None:
    for (_, put), function in zip(_TRACED, home[0], strict=True):
        put(function)
    if not home[1] and "tracemalloc" in sys.modules:
        cast(Any, sys.modules["tracemalloc"]).stop()


_HOOKS = "excepthook", "displayhook", "unraisablehook", "breakpointhook"


def _hooks() -> list[Any]:
    return [*(getattr(sys, name, None) for name in _HOOKS), threading.excepthook, *sys.get_asyncgen_hooks()]


def _set_hooks(home: list[Any]) -> None:
    for name, hook in zip(_HOOKS, home, strict=False):
        setattr(sys, name, hook)
    threading.excepthook = home[4]
    sys.set_asyncgen_hooks(*home[5:])


def _collector() -> tuple[bool, tuple[int, int, int], int, list[Any]]:
    return gc.isenabled(), gc.get_threshold(), gc.get_debug(), list(gc.callbacks)


def _set_collector(home: tuple[bool, tuple[int, int, int], int, list[Any]]) -> None:
    (gc.enable if home[0] else gc.disable)()
    gc.set_threshold(*home[1])
    gc.set_debug(home[2])
    gc.callbacks[:] = home[3]


def _finders() -> list[Any]:
    return [*sys.path, None, *sys.meta_path, None, *sys.path_hooks]


def _set_finders(home: list[Any]) -> None:
    first = home.index(None)
    second = home.index(None, first + 1)
    sys.path[:], sys.meta_path[:], sys.path_hooks[:] = home[:first], home[first + 1 : second], home[second + 1 :]


def _set_warnings(home: list[Any]) -> None:
    with contextlib.suppress(AttributeError):
        warnings.filters[:] = home  # type: ignore[index]
        cast(Any, warnings)._filters_mutated()


_set_locale: Callable[..., Any] = import_module("_locale").setlocale  # without a second argument it is told


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _system() -> Iterator[Aspect]:
    """Yield the aspects of some systems only."""
    if sys.platform == "win32":
        return
    limits = [getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_")]

    def set_limits(home: list[tuple[int, int]]) -> None:
        for limit, values in zip(limits, home, strict=True):
            resource.setrlimit(limit, values)

    def set_priority(home: tuple[int, set[int]]) -> None:
        os.setpriority(os.PRIO_PROCESS, 0, home[0])
        if sys.platform == "linux":
            os.sched_setaffinity(0, home[1])

    yield Aspect(
        "changed limits of the process", lambda: [resource.getrlimit(limit) for limit in limits], set_limits, True
    )
    yield Aspect(
        "changed the priority of the process",
        lambda: (
            os.getpriority(os.PRIO_PROCESS, 0),
            os.sched_getaffinity(0) if sys.platform == "linux" else set[int](),
        ),
        set_priority,
        True,
    )
    yield Aspect(
        "blocked signals",
        lambda: signal.pthread_sigmask(signal.SIG_BLOCK, ()),
        lambda home: cast(None, signal.pthread_sigmask(signal.SIG_SETMASK, home)),
    )


FIRST = os, time, signal, random
"""Modules that the functions below use."""

ASPECTS = (
    *map(_attributes, FIRST),
    Aspect("changed the current folder", _folder, _set_folder),
    Aspect("changed the environment", lambda: VARIABLES, _set_environment),
    Aspect("replaced or closed a standard stream", _streams, _set_streams),
    Aspect("changed a signal handler", _handlers, _set_handlers),
    Aspect("left a timer running", _timers, _set_timers),
    Aspect("changed where modules are looked for", _finders, _set_finders),
    Aspect("changed the recursion limit", sys.getrecursionlimit, sys.setrecursionlimit),
    Aspect("changed the switch interval of threads", sys.getswitchinterval, sys.setswitchinterval),
    Aspect("changed the limit of digits", sys.get_int_max_str_digits, sys.set_int_max_str_digits),
    Aspect("left a trace function", _tracing, _set_tracing),
    Aspect("changed the garbage collector", _collector, _set_collector),
    Aspect("changed the locale", lambda: _set_locale(locale.LC_ALL), lambda home: _set_locale(locale.LC_ALL, home)),
    Aspect("changed the umask", _umask, lambda home: cast(None, os.umask(home))),
    *_system(),
    Aspect("", _hooks, _set_hooks),
    Aspect("", lambda: list(warnings.filters), _set_warnings),  # many libraries change them where they are imported
)


# Functions that are replaced while an agent is called, because what they do cannot be seen afterwards


class Noted:
    """Notes calls of functions that seed a generator of the process, whose state it keeps, that start a thread without
    the module threading, that set what other processes may set too, and that add an audit hook, which could never be
    removed: it is not added.

    Attributes:
        hooked: True if somebody wanted to add an audit hook.
        set: True if somebody has set a priority, an affinity or a limit.
    """

    kept: ClassVar[Noted | None] = None
    """The one of a process that agents alone use, where they find the functions replaced at all times."""

    def __init__(self) -> None:
        self._before: list[tuple[Callable[[Any], Any], Any]] = []
        self._running: list[Any] = []
        self._replaced: list[tuple[Any, str, Any]] = []
        self.hooked: bool = False
        self.set: bool = False

    def _hook(self, hook: Callable[[str, tuple[Any, ...]], object]) -> None:
        self.hooked = True

    def _sets(self, original: Callable[..., Any]) -> Any:
        def setter(*args: Any, **kwargs: Any) -> Any:
            self.set = True
            return original(*args, **kwargs)

        return setter

    def _seeds(self, original: Callable[..., Any], read: Callable[[], Any], restore: Callable[[Any], Any]) -> Any:
        def seed(*args: Any, **kwargs: Any) -> Any:
            self._before.append((restore, read()))
            return original(*args, **kwargs)

        return seed

    def _starts(self, original: Callable[..., Any]) -> Any:
        def start(function: Callable[..., Any], args: tuple[Any, ...], *more: Any) -> Any:
            lock = _thread.allocate_lock()
            lock.acquire()

            def run(*given: Any, **named: Any) -> None:
                try:
                    function(*given, **named)
                finally:
                    lock.release()

            self._running.append(lock)
            return original(run, args, *more)

        return start

    @classmethod
    def keep(cls) -> None:
        """Replace the functions permanently, before loading agents' files that may import them."""
        cls.kept = cls()
        cls.kept.replace()

    def replace(self) -> None:
        """Replace those that are not replaced yet."""
        done = {(id(module), name) for module, name, _ in self._replaced}
        for module, names, get, put in (
            (_thread, ("start_new_thread",), "", ""),
            (sys, ("addaudithook",), "", ""),
            (os, ("nice", "setpriority", "sched_setaffinity"), "", ""),
            (sys.modules.get("resource"), ("setrlimit", "prlimit"), "", ""),
            (random, ("seed", "setstate"), "getstate", "setstate"),
            (np.random, ("seed", "set_state"), "get_state", "set_state"),
            (sys.modules.get("torch"), ("manual_seed", "seed", "set_rng_state"), "get_rng_state", "set_rng_state"),
        ):
            for name in names:
                if hasattr(module, name) and (id(module), name) not in done:
                    original = getattr(module, name)
                    self._replaced.append((module, name, original))
                    if get:
                        noting = self._seeds(original, getattr(module, get), getattr(module, put))
                    elif module is sys:
                        noting = self._hook
                    else:
                        noting = (self._starts if module is _thread else self._sets)(original)
                    setattr(module, name, noting)

    @contextlib.contextmanager
    def __call__(self) -> Iterator[None]:
        """Replace the functions meanwhile."""
        self._before.clear()
        self._running.clear()
        self.hooked = self.set = False
        self.replace()
        try:
            yield
        finally:
            if self is not Noted.kept:
                for module, name, original in self._replaced:
                    setattr(module, name, original)
                self._replaced.clear()

    def unseed(self) -> bool:
        """Put the generators back; True if one was seeded."""
        for restore, state in reversed(self._before):
            restore(state)
        return bool(self._before)

    def quiet(self) -> bool:
        """Return True if no thread is running."""
        return not any(lock.locked() for lock in self._running)


FORKS = [0]
_SPARE = 8


def _count_fork() -> None:
    FORKS[0] += 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_parent=_count_fork)

getpid = os.getpid
BUILTINS: dict[str, Any] = cast(Any, vars(builtins))


def allocated() -> int:
    """Return the bytes of memory that the process has allocated; 0 if the system does not say."""
    with contextlib.suppress(OSError, ValueError, IndexError), open("/proc/self/statm", "rb", buffering=0) as file:
        return int(file.read().split()[5]) * mmap.PAGESIZE
    return 0


def kept(value: Any) -> Any:
    """Return an aspect's value in a form that can be kept: a copy of a dict in use."""
    return dict(value) if isinstance(value, dict) else value


class Descriptors:
    """Descriptors that agents leave alone, copies of the standard ones, and some to go on with if an agent takes all.

    Attributes:
        copies: of the standard ones.
        numbers: those that agents leave alone.
        files: of these the files that are written between the calls of agents.
    """

    def __init__(self) -> None:
        self.copies: dict[int, int] = {}
        for number in (0, 1, 2):
            with contextlib.suppress(OSError):
                self.copies[number] = os.dup(number)
        self.numbers: list[int] = list(self.copies)
        self.files: list[int] = []
        self._spare = [os.open(os.devnull, os.O_RDONLY) for _ in range(_SPARE)]

    def places(self) -> list[tuple[int, int]]:
        """Return the files' ends and write positions."""
        return [(os.fstat(number).st_size, os.lseek(number, 0, os.SEEK_CUR)) for number in self.files]

    def has_room(self) -> bool:
        """Return True if a descriptor can be opened."""
        try:
            os.close(os.open(os.devnull, os.O_RDONLY))
        except OSError as error:
            return error.errno != errno.EMFILE
        return True

    def make_room(self, _: bool) -> None:
        """Make room to end the process in good order.

        Raises:
            OSError: always, because the room is what was spared.
        """
        while self._spare:
            os.close(self._spare.pop())
        raise OSError("an agent has all descriptors")

    def read(self) -> list[tuple[int, ...] | None]:
        """Return what each is."""
        return [self._file(number) for number in self.numbers]

    @staticmethod
    def _file(number: int) -> tuple[int, ...] | None:
        try:
            return os.fstat(number)[:3]
        except OSError:
            return None

    def restore(self, home: list[tuple[int, ...] | None]) -> None:
        """Put the standard ones back.

        Raises:
            OSError: another is lost.
        """
        for number, copy in self.copies.items():
            os.dup2(copy, number)
        if self.read() != home:
            raise OSError("a descriptor is lost")

    def close(self) -> None:
        """Close the copies."""
        for copy in (*self.copies.values(), *self._spare):
            with contextlib.suppress(OSError):
                os.close(copy)


def threads() -> set[int]:
    """Return the Python threads, except those of this library."""
    known = {thread.ident: thread.name for thread in threading.enumerate()}
    return {ident for ident in sys._current_frames() if not known.get(ident, "").startswith("hawaii")}
