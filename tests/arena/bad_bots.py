"""Agents for the arena's tests: each does one thing wrong, or shows that it does what it ought to."""

import ctypes
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from hawaii_env.agents import BaseAgent, register
from hawaii_env.errors import OptionError


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

    games = 0

    def __init__(self, n=1):
        self.n = n

    def act(self, state, legal_actions, clock=None):
        Full.games += state.phase == "bid" and state.round == 1
        if Full.games >= self.n:
            import resource  # not on Windows

            resource.setrlimit(resource.RLIMIT_FSIZE, (1, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
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
    *(BadBegin, BadClose, Slow, Global, Full, Loud, Awkward, High, Forger),
):
    register(kind.name, kind)
