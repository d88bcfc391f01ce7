"""Agents for the arena's tests: each does one thing wrong, or shows that it does what it ought to."""

import _thread
import builtins
import ctypes
import errno
import gc
import io
import json
import locale
import math
import os
import random
import signal
import subprocess
import sys
import threading
import time
import tracemalloc
from _thread import start_new_thread
from pathlib import Path
from random import seed
from typing import Any

import numpy as np

import hawaii_env
from hawaii_env import agents, supervision
from hawaii_env.agents import BaseAgent, register
from hawaii_env.errors import OptionError, RecordError
from hawaii_env.records import writing


class Greedy(BaseAgent):
    """Bids its highest card, and keeps what it wins; passes elsewhere."""

    def act(self, state, legal_actions, clock=None):
        return legal_actions[-1 if state.phase == "bid" else 0]


class Crash(Greedy):
    def act(self, state, legal_actions, clock=None):
        raise ZeroDivisionError("on purpose")


class Illegal(Greedy):
    def act(self, state, legal_actions, clock=None):
        return 10_000


class Odd(Greedy):
    """Returns what is not an action."""

    def act(self, state, legal_actions, clock=None) -> Any:
        return "keep"


class Leave(Greedy):
    def act(self, state, legal_actions, clock=None):
        sys.exit(0)


class Exit(Greedy):
    def act(self, state, legal_actions, clock=None):
        os._exit(3)


class Segfault(Greedy):
    def act(self, state, legal_actions, clock=None):
        return len(ctypes.string_at(0))


class Hang(Greedy):
    def act(self, state, legal_actions, clock=None):
        while True:
            time.sleep(60)


class HangInC(Greedy):
    """Never lets go of the interpreter, and leaves a program behind."""

    def __init__(self, pids=""):
        self.pids = pids

    def act(self, state, legal_actions, clock=None):
        if self.pids:
            child = subprocess.Popen(["sleep", "1000"], start_new_session=True)
            Path(self.pids).write_text(str(child.pid))
        return sum(range(10**15))


class Daemon(Greedy):
    """Leaves a program behind that nothing ties to it: two forks, a session of its own, an empty environment."""

    def __init__(self, pids):
        self.pids = pids

    def act(self, state, legal_actions, clock=None):
        command = f"setsid sh -c 'env -i sleep 1000 >/dev/null 2>&1 & echo $! >> {self.pids}'"
        subprocess.run(["sh", "-c", command], check=True)
        return super().act(state, legal_actions, clock)


class Eater(Greedy):
    def act(self, state, legal_actions, clock=None):
        eaten = []
        while True:
            eaten.append(bytearray(2**27))


class Killed(Greedy):
    """Is killed from outside, as by a system that lacks memory."""

    def act(self, state, legal_actions, clock=None):
        os.kill(os.getpid(), signal.SIGKILL)
        return legal_actions[0]


class KilledOnce(Greedy):
    """The same, but only where `flag` does not exist yet."""

    def __init__(self, flag):
        self.flag = Path(flag)

    def act(self, state, legal_actions, clock=None):
        if not self.flag.exists():
            self.flag.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return legal_actions[0]


class Unmade(Greedy):
    def __init__(self):
        raise RuntimeError("never to be had")


class Refused(Greedy):
    def __init__(self):
        raise OptionError("no weights here")


class BadBegin(Greedy):
    def begin(self, game, player):
        raise KeyError("begin")


class BadClose(Greedy):
    """Plays well, and crashes when it is closed."""

    def close(self):
        raise ValueError("close")


class Slow(Greedy):
    def __init__(self, seconds=0.05):
        self.seconds = seconds

    def act(self, state, legal_actions, clock=None):
        time.sleep(self.seconds)
        return super().act(state, legal_actions, clock)


class Global(Greedy):
    """Uses the process's generator."""

    def act(self, state, legal_actions, clock=None):
        print("thinking")
        return random.choice(legal_actions)


class Full(Greedy):
    """Fills the disk, as far as the process can tell, from the `n`-th game of the process on."""

    started = 0

    def __init__(self, n=1):
        self.n = n

    @staticmethod
    def fail(writer, data):
        raise RecordError("the record cannot be written: No space left on device") from OSError(errno.ENOSPC, "")

    def act(self, state, legal_actions, clock=None):
        Full.started += state.phase == "bid" and state.round == 1
        if Full.started >= self.n:
            writing.RecordWriter._write = self.fail  # type: ignore[method-assign, assignment]
        return super().act(state, legal_actions, clock)


class Loud(Greedy):
    """Prints without end, from Python and from a program."""

    def act(self, state, legal_actions, clock=None):
        for _ in range(20):
            print("loud " * 20_000)
        subprocess.run(["sh", "-c", "yes louder | head -c 2000000"], check=True)
        return super().act(state, legal_actions, clock)


class Awkward(Greedy):
    """Nothing that it gives can be told: its errors, its actions and their names fail in turn."""

    def act(self, state, legal_actions, clock=None) -> Any:
        class NoError(Exception):
            def __str__(self):
                raise RuntimeError("no text")

        class NoAction:
            def __index__(self):
                raise RuntimeError("no number")

            def __repr__(self):
                return "\ud800" * 100

        if self.player == 0:
            raise NoError
        if state.prize == 1:
            raise ValueError("half a pair \ud800" + "x" * 10**6)
        return NoAction()


class High(BaseAgent):
    """Plays the highest action, but any net: the highest card in the test's game of four."""

    def __init__(self, seed=0):
        self.choose = random.Random(seed)

    def act(self, state, legal_actions, clock=None):
        return legal_actions[-1] if len(legal_actions) < 6 else self.choose.choice(legal_actions)


class Forger(Greedy):
    """Writes into the record of its own game when that is over."""

    def __init__(self, folder):
        self.folder = Path(folder)

    def close(self):
        for path in self.folder.glob("playing/*.jsonl"):
            with path.open("a") as file:
                file.write('{"event": "forged"}\n')


class Shifty(int):
    """A number that equals every other."""

    def __eq__(self, other):
        return True

    __hash__ = int.__hash__


class Equal:
    """An attribute that equals every other."""

    def __eq__(self, other):
        return True

    __hash__ = object.__hash__

    def __call__(self, *_):
        return 0


def fork_and_come_back():
    os.fork()


def fork_and_leave():
    if os.fork() == 0:
        sys.exit(0)


def start_thread():
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()


def start_raw_thread():
    _thread.start_new_thread(time.sleep, (60,))


def exit_in_a_moment():
    threading.Timer(0.4, os._exit, (5,)).start()


def recurse(depth=0):
    return recurse(depth + 1)


def hoard():
    Hoarder.kept = bytearray(600 << 20)


class Hoarder:
    kept: object = None


def open_all():
    while True:
        os.open(os.devnull, os.O_RDONLY)


def each_file(deed):
    for number in range(3, 64):
        try:
            if Path(f"/proc/self/fd/{number}").resolve().suffix == ".jsonl":
                deed(number)
        except OSError:
            pass


def limit(name):
    import resource  # not on Windows

    kind = getattr(resource, name)
    resource.setrlimit(kind, (64 if name == "RLIMIT_NOFILE" else 10**6, resource.getrlimit(kind)[1]))


def throw(error):
    raise error


CRASHES = {
    "base": lambda: throw(BaseException("on purpose")),
    "interrupt": lambda: throw(KeyboardInterrupt()),
    "generator": lambda: throw(GeneratorExit()),
    "leave": sys.exit,
    "recurse": recurse,
    "stop": lambda: throw(StopIteration()),
    "value": lambda: throw(ZeroDivisionError("on purpose")),
}
"""Faults that an agent raises itself."""

CONDUCT = {
    "fork": (fork_and_come_back, "forked, and the fork came back"),
    "fork_exit": (fork_and_leave, "forked, and the fork came back"),
    "handler": (lambda: signal.signal(signal.SIGTERM, signal.SIG_IGN), "changed a signal handler"),
    "alarm": (lambda: signal.setitimer(signal.ITIMER_REAL, 0.5), "left a timer running"),
    "mask": (lambda: signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}), "blocked signals"),
    "chdir": (lambda: os.chdir("/"), "changed the current folder"),
    "environment": (lambda: os.environ.update(PATH="/nowhere"), "changed the environment"),
    "no_environment": (os.environ.clear, "changed the environment"),
    "seed": (lambda: random.seed(1), "seeded a generator of the process"),
    "setstate": (lambda: random.setstate(random.Random(1).getstate()), "seeded a generator of the process"),
    "numpy_seed": (lambda: np.random.seed(1), "seeded a generator of the process"),  # noqa: NPY002
    "recursion": (lambda: sys.setrecursionlimit(200), "changed the recursion limit"),
    "stdout": (lambda: setattr(sys, "stdout", None), "replaced or closed a standard stream"),
    "descriptor": (lambda: os.close(1), "closed or replaced descriptors"),
    "dup": (lambda: os.dup2(os.open(os.devnull, os.O_WRONLY), 2), "closed or replaced descriptors"),
    "collector": (gc.disable, "changed the garbage collector"),
    "umask": (lambda: os.umask(0o777), "changed the umask"),
    "files": (lambda: limit("RLIMIT_NOFILE"), "changed limits of the process"),
    "size": (lambda: limit("RLIMIT_FSIZE"), "changed limits of the process"),
    "builtins": (lambda: setattr(builtins, "len", None), "changed the module builtins"),
    "clock": (lambda: setattr(time, "perf_counter", lambda: 0.0), "changed the module time"),
    "dice": (lambda: setattr(random, "random", lambda: 0.1), "changed the module random"),
    "getpid": (lambda: delattr(os, "getpid"), "changed the module os"),
    "switch": (lambda: sys.setswitchinterval(1), "changed the switch interval of threads"),
    "affinity": (
        lambda: os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}),
        "changed the priority of the process",
    ),
    "path": (sys.path.clear, "changed where modules are looked for"),
    "finder": (sys.meta_path.clear, "changed where modules are looked for"),
    "collected": (lambda: gc.callbacks.append(lambda *_: time.sleep(0.1)), "changed the garbage collector"),
    "digits": (lambda: sys.set_int_max_str_digits(0), "changed the limit of digits"),
    "traced": (tracemalloc.start, "left a trace function"),
    "print": (lambda: setattr(sys.stdout, "write", None), "replaced or closed a standard stream"),
    "core": (lambda: limit("RLIMIT_CORE"), "changed limits of the process"),
    "locale": (lambda: locale.setlocale(locale.LC_ALL, "C"), "changed the locale"),
    "audited": (lambda: sys.addaudithook(lambda *_: time.sleep(0.1)), "added an audit hook"),
    "debugged": (lambda: gc.set_debug(gc.DEBUG_UNCOLLECTABLE), "changed the garbage collector"),
}
"""Acts of an agent against its process, each with a part of the reason for its forfeit."""

LASTING = {
    "thread": (start_thread, "left a thread running"),
    "raw_thread": (start_raw_thread, "left a thread running"),
    "timer": (exit_in_a_moment, "left a thread running"),
    "descriptors": (lambda: os.closerange(3, 256), "closed or replaced descriptors of its process"),
    "close_stdout": (lambda: sys.stdout.close(), "replaced or closed a standard stream"),
    "nice": (lambda: os.nice(5), "changed the priority of the process"),
    "detach": (lambda: vars(io.TextIOWrapper)["detach"](sys.stdout), "replaced or closed a standard stream"),
    "all_files": (open_all, "left no descriptor free"),
    "record": (lambda: each_file(lambda number: os.ftruncate(number, 0)), "wrote to a file of the process"),
    "in_record": (lambda: each_file(lambda number: os.write(number, b"x")), "wrote to a file of the process"),
}
"""The same, where the process cannot be put right."""

CODE = {
    "method": (lambda: setattr(agents.RandomAgent, "act", None), "changed RandomAgent.act"),
    "new_method": (lambda: setattr(agents.RandomAgent, "__eq__", None), "changed RandomAgent.__eq__"),
    "json": (lambda: setattr(json, "dumps", None), "changed json.dumps"),
    "zeros": (lambda: setattr(np, "zeros", None), "changed numpy.zeros"),
    "supervisor": (lambda: setattr(supervision.Supervisor, "_put_right", None), "changed Supervisor._put_right"),
    "threads": (lambda: setattr(threading, "enumerate", None), "changed threading.enumerate"),
    "unloaded": (lambda: sys.modules.pop("hawaii_env.records", None), "changed a loaded module"),
    "registry": (lambda: agents._registered.pop("random", None), "changed a registered agent"),
    "registered": (lambda: agents.register("greedy-2", Greedy), "changed a registered agent"),
    "found": (lambda: agents._found.pop("random"), "changed a registered agent"),
    "equal": (lambda: setattr(agents.RandomAgent, "act", Equal()), "changed RandomAgent.act"),
    "code": (lambda: setattr(agents.RandomAgent.act, "__code__", Greedy.act.__code__), "changed RandomAgent.act"),
    "defaults": (lambda: setattr(json.dumps, "__defaults__", ()), "changed dumps"),
    "held": (hawaii_env.__dict__["_MODULES"].clear, "changed what a dict of this library holds"),
    "game": (lambda: setattr(Does.game, "agents", ("x", "y")), "changed the game.agents"),
}
"""Changes of what games are played with: a first game is void, and the next one tells whose they are."""

IMPORTED = {
    "seed_imported": (lambda: seed(1), "seeded a generator of the process"),
    "thread_imported": (lambda: start_new_thread(time.sleep, (60,)), "left a thread running"),
    "settrace": (lambda: sys.settrace(lambda *_: None), "left a trace function"),
    "setprofile": (lambda: threading.setprofile(lambda *_: None), "left a trace function"),
}
"""Acts with functions that a file imported before it was called, or that debuggers use: seen in workers alone."""

DEATHS = {
    "abort": (os.abort, "the process died of SIGABRT"),
    "term": (lambda: os.kill(os.getpid(), signal.SIGTERM), "the process died of SIGTERM"),
    "stopped": (lambda: os.kill(os.getpid(), signal.SIGSTOP), "no decision within 0.5 s"),
}
"""Acts that end or stop the process."""

ANSWERS: dict[str, Any] = {
    "nothing": None,
    "text": "keep",
    "float": 1.0,
    "yes": True,
    "numpy_yes": np.True_,
    "list": [1],
    "array": np.array([1, 2]),
    "huge": 10**5000,
    "negative": -1,
    "shifty": Shifty(10_000),
    "not_a_number": math.nan,
    "class": int,
}
"""Answers that are no legal action."""


def shown(value):
    try:
        return repr(value)[:60]
    except ValueError:
        return "(ValueError where it was to be told)"


class Does(Greedy):
    """Does one thing of the tables above, when it is made, asked or closed."""

    game: Any = None

    def __init__(self, what, when="act"):
        self.what, self.when = what, when
        known = CONDUCT | LASTING | DEATHS | CODE | IMPORTED
        self.deeds = {name: deed for name, (deed, _) in known.items()} | CRASHES
        self._do("init")

    def _do(self, when):
        if when == self.when and self.what in self.deeds:
            self.deeds[self.what]()

    def begin(self, game, player):
        super().begin(game, player)
        Does.game = game
        self._do("begin")

    def act(self, state, legal_actions, clock=None):
        self._do("act")
        if self.when == "act" and self.what in ANSWERS:
            return ANSWERS[self.what]
        return super().act(state, legal_actions, clock)

    def close(self):
        self._do("close")

    def __del__(self):
        self._do("del")


for kind in (
    *(
        Greedy,
        Crash,
        Illegal,
        Odd,
        Leave,
        Exit,
        Segfault,
        Hang,
        HangInC,
        Daemon,
        Eater,
        Killed,
        KilledOnce,
        Unmade,
        Refused,
    ),
    *(BadBegin, BadClose, Slow, Global, Full, Loud, Awkward, High, Forger, Does),
):
    if __name__.startswith("hawaii_env_bot"):  # loaded as a file of bots, and not imported by a test
        register(kind.name, kind)
