"""Worker processes: each plays one game at a time, and may die of it without harm to anything else.

`Worker` is the side of whoever runs the tournament: it starts a process, hands it games, and ends it when a player
takes too long. `play_game` plays one game, in the worker's process. Between the two stand a pipe, and a few shared
numbers that say who is choosing and until when: so a process that hangs or dies leaves behind whose fault it was.
"""

from __future__ import annotations

import contextlib
import ctypes
import math
import multiprocessing
import operator
import os
import random
import signal
import sys
import threading
import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, cast

import numpy as np

from hawaii_env import agents, records
from hawaii_env._arguments import check_number
from hawaii_env._background import tell_on
from hawaii_env.arena.result import End
from hawaii_env.arena.schedule import ScheduledGame
from hawaii_env.bots import children
from hawaii_env.bots.process import append_log
from hawaii_env.errors import HawaiiError, OptionError, RecordError
from hawaii_env.game import SIMULTANEOUS, Game, State

__all__ = ["Played", "Setup", "Task", "Worker", "check_record", "check_spec", "play_game"]

SLACK = 0.5
"""Seconds that a process has, after a player's time is up, to say so itself before it is killed."""

DETAILS = 20_000
"""Letters of a traceback that are kept; its end says most."""

_SEAT, _UNTIL, _PHASE, _COUNTS = 0, 1, 2, 3  # the shared numbers; then decisions and seconds by seat
_ELSEWHERE, _MAKING, _CHOOSING = 0, 1, 2  # what the seat is doing


@dataclass(frozen=True)
class Setup:
    """What all games of a tournament share.

    Attributes:
        game: the game.
        load: Python files that register agents.
        seconds: the clock for a decision, or None.
        grace: seconds by which a player may overrun the clock over a whole game.
        limit: seconds for a decision without a clock, and for making an agent.
        memory: GiB of memory a worker process may allocate; None for no limit.
        log: folder for what agents print, or None to leave it on the terminal.
    """

    game: Game
    load: tuple[str, ...] = ()
    seconds: float | None = None
    grace: float = 10.0
    limit: float = 300.0
    memory: float | None = None
    log: str | None = None

    def __post_init__(self) -> None:
        check_number("limit", self.limit, above=0)
        check_number("grace", self.grace, least=0)
        for name, value in (("seconds", self.seconds), ("memory", self.memory)):
            if value is not None:
                check_number(name, value, above=0)


@dataclass(frozen=True)
class Task:
    """A game to play.

    Attributes:
        game: what the schedule says of it.
        specs: the agents' specs, by seat.
        record: the file for its record, which must not exist.
        attempt: how often it was tried before.
    """

    game: ScheduledGame
    specs: tuple[str, ...]
    record: str
    attempt: int = 0


@dataclass(frozen=True)
class Played:
    """How a game went.

    Attributes:
        task: the game.
        status: ``"finished"``, ``"forfeit"`` or ``"void"``.
        end: shares, places and points by seat.
        forfeit: the seat that forfeited, or None.
        reason: how it ended, or why it is void; one line.
        decisions: by seat.
        seconds: by seat.
        verified: True when the record replays.
        details: a traceback or whatever else the log should have.
        killed: True when the process was killed by somebody else, so that whose fault it was is a guess.
        unwritten: True when the record could not be written.
        text: the record's bytes, where its file is on another machine.
    """

    task: Task
    status: str
    end: End
    forfeit: int | None
    reason: str
    decisions: tuple[int, ...]
    seconds: tuple[float, ...]
    verified: bool
    details: str = ""
    killed: bool = False
    unwritten: bool = False
    text: bytes | None = field(default=None, repr=False)


class _Fault(Exception):
    """A player has lost the game by what it did."""

    def __init__(self, seat: int, reason: str, details: str = "") -> None:
        super().__init__(reason)
        self.seat, self.reason, self.details = seat, reason, details


class _Watch:
    """Tells the other process who is choosing, and until when."""

    def __init__(self, shared: Any) -> None:
        self.shared = shared

    def begin(self, count: int) -> None:
        self.shared[_COUNTS : _COUNTS + 2 * count] = [0.0] * (2 * count)
        self.end()

    def start(self, seat: int, phase: int, seconds: float) -> None:
        # The time comes last: whoever sees it sees whose it is.
        self.shared[_SEAT], self.shared[_PHASE] = seat, phase
        self.shared[_UNTIL] = time.monotonic() + seconds

    def end(self) -> None:
        self.shared[_UNTIL] = math.inf
        self.shared[_SEAT], self.shared[_PHASE] = -1, _ELSEWHERE

    def note(self, seat: int, count: int, spent: float) -> None:
        self.shared[_COUNTS + seat] += 1
        self.shared[_COUNTS + count + seat] += spent


def _shown(value: object, most: int) -> str:
    """Return one line about an agent's object that every file can hold, whatever the object's methods do."""
    try:
        text = f"{type(value).__name__}: {value}" if isinstance(value, BaseException) else repr(value)
    except BaseException as error:
        text = f"({type(error).__name__} where it was to be told)"
    return (text.splitlines() or [""])[0][:most].encode("utf-8", "backslashreplace").decode()


@contextlib.contextmanager
def _blame(seat: int, what: str) -> Iterator[None]:
    """Turn whatever an agent raises into its fault."""
    try:
        yield
    except _Fault:
        raise
    except BaseException as error:
        # SystemExit and KeyboardInterrupt as well: nobody but the agent can have raised them here.
        told = _shown(error, 200)
        raise _Fault(seat, f"{what}: {told}", traceback.format_exc()[-DETAILS:]) from error


class _Table:
    """The agents of one game and what they have used."""

    def __init__(self, setup: Setup, task: Task, watch: _Watch) -> None:
        self.setup, self.task, self.watch = setup, task, watch
        self.count = len(task.game.seats)
        self.players: list[agents.Agent] = []
        self.reserve = [setup.grace] * self.count
        self.decisions = [0] * self.count
        self.seconds = [0.0] * self.count

    def make(self) -> None:
        """Make the agents, and tell them that a game begins."""
        for seat, (spec, seed) in enumerate(zip(self.task.specs, self.task.game.seeds, strict=True)):
            with self._limited(seat), _blame(seat, "cannot be made"):
                agent = agents.make(spec, seed=seed)
                # Known to be there before anything else of it runs, so that it is closed whatever happens.
                self.players.append(agent)
                agents.begin(agent, self.setup.game, seat)

    @contextlib.contextmanager
    def _limited(self, seat: int) -> Iterator[None]:
        self.watch.start(seat, _MAKING, self.setup.limit)
        try:
            yield
        finally:
            self.watch.end()

    def choose(self, state: State, seat: int) -> int:
        """Return the action of one player, which is legal."""
        seconds = self.setup.seconds
        legal = state.legal_actions(seat)
        offered, shown = list(legal), state.for_search(seat)
        clock = None if seconds is None else agents.Clock(seconds)
        allowed = self.setup.limit if seconds is None else seconds + self.reserve[seat]
        started = time.perf_counter()
        self.watch.start(seat, _CHOOSING, allowed)
        try:
            with _blame(seat, "crashed"):
                action = self.players[seat].act(shown, offered, clock)
        finally:
            spent = time.perf_counter() - started
            self.watch.end()
            self.decisions[seat] += 1
            self.seconds[seat] += spent
            self.watch.note(seat, self.count, spent)
        if spent > allowed:
            raise _Fault(seat, _overtime(self.setup))
        if seconds is not None:
            self.reserve[seat] -= max(0.0, spent - seconds)
        try:
            number = -1 if isinstance(action, (bool, np.bool_)) else operator.index(cast(Any, action))
        except BaseException:  # somebody else's __index__
            number = -1
        if number not in legal:
            told = _shown(action, 60)
            raise _Fault(seat, f"illegal action {told}", f"legal in phase {state.phase}: {legal}"[:DETAILS])
        return number

    def close(self) -> str:
        """Let agents that have something to close close it; return what went wrong."""
        wrong = ""
        for seat, agent in enumerate(self.players):
            close = getattr(agent, "close", None)
            if callable(close):
                try:
                    with self._limited(seat), _blame(seat, "crashed when closed"):
                        close()
                except _Fault as fault:
                    wrong += fault.details
        self.players.clear()
        return wrong


def _overtime(setup: Setup) -> str:
    if setup.seconds is None:
        return f"no decision within {setup.limit:g} s"
    return f"out of time: {setup.seconds:g} s a decision, and {setup.grace:g} s over a game"


def play_game(setup: Setup, task: Task, shared: Any = None) -> Played:
    """Play one game, keep its record, and verify it.

    Args:
        setup: what all games share.
        task: the game.
        shared: 3 + 2 * seats numbers, where who is choosing is told; None tells nobody.
    """
    game, count = setup.game, len(task.game.seats)
    watch = _Watch([0.0] * (_COUNTS + 2 * count) if shared is None else shared)
    watch.begin(count)
    # Agents that use the generators of the process play the same game again, too.
    random.seed(task.game.seed)
    np.random.seed(task.game.seed % 2**32)  # noqa: NPY002
    table = _Table(setup, task, watch)
    status, end, forfeit, reason, details = "void", End.void(count), None, "", ""
    verified = unwritten = False
    try:
        state = game.initial_state(seed=task.game.seed, trace=True)
        options = {"pairing": task.game.pairing, "rotation": task.game.rotation, "agents": list(task.specs)}
        options |= {"agent_seeds": list(task.game.seeds), "seconds": setup.seconds}
        with records.RecordWriter(
            task.record, game, seed=task.game.seed, players=task.game.seats, options=options
        ) as writer:
            try:
                table.make()
                while not state.is_terminal:
                    writer.update(state)
                    chosen = {seat: table.choose(state, seat) for seat in state.acting_players}
                    if sum(table.decisions) > game.max_decisions:
                        raise HawaiiError(f"more than {game.max_decisions} decisions")
                    if state.current_player == SIMULTANEOUS:
                        state.apply_joint(chosen)
                    else:
                        state.apply(chosen[state.current_player])
                writer.finish(state)
                outcome = state.outcome()
                status, end, reason = "finished", End.of(state), "" if outcome is None else outcome.reason
            except _Fault as fault:
                writer.update(state)
                writer.stop(f"{task.game.seats[fault.seat]} (seat {fault.seat}) forfeits: {fault.reason}")
                status, end, forfeit = "forfeit", End.forfeited(count, fault.seat), fault.seat
                reason, details = fault.reason, fault.details
        details += table.close()
        check_record(Path(task.record), game, task.game.seed, task.game.seats, end, forfeit)
        verified = True
    except Exception as error:
        # Not an agent's doing as far as can be told: the game does not count, and is tried again.
        status, end, forfeit = "void", End.void(count), None
        reason, details = _shown(error, 300), traceback.format_exc()[-DETAILS:]
        unwritten = isinstance(error, RecordError) and isinstance(error.__cause__, OSError)
        reason = str(error) if unwritten else reason
    return Played(
        *(task, status, end, forfeit, reason, tuple(table.decisions), tuple(table.seconds), verified, details),
        unwritten=unwritten,
    )


def check_record(path: Path, game: Game, seed: int, seats: Sequence[str], end: End, forfeit: int | None) -> None:
    """Replay a record, and compare it with what the arena says of the game.

    Raises:
        RecordError: it does not replay, or is one of another game, of other players, or with another end.
    """
    found = records.verify(path, game, partial=forfeit is not None)
    header = found.record.header
    if header["seed"] != seed or header["players"] != list(seats):
        raise RecordError(f"{path} is the record of another game: {header['players']} with seed {header['seed']}")
    told = End.of(found.state) if forfeit is None else End.forfeited(len(seats), forfeit)
    # A game of an earlier version has shares alone.
    if told != (end if end.places else replace(told, shares=end.shares)):
        raise RecordError(f"{path} ends with {told}, not {end}")


def check_spec(setup: Setup, spec: str, watch: _Watch | None = None) -> str:
    """Make an agent as for a game; return what is wrong with its spec, or nothing.

    An OptionError is a user's slip (a name, a parameter, missing weights), and so is a library that is not installed.
    Whatever else goes wrong is the agent's, and costs it its games.
    """
    watch = _Watch([0.0] * _COUNTS) if watch is None else watch
    watch.start(0, _MAKING, setup.limit)
    wrong = ""
    try:
        agent = agents.make(spec, seed=0)
        close = getattr(agent, "close", None)
        try:
            agents.begin(agent, setup.game, 0)
        finally:
            if callable(close):
                close()
    except (OptionError, ImportError) as error:
        wrong = f"agent {spec!r}: {error}"
    except BaseException:
        wrong = ""
    finally:
        watch.end()
    return wrong


def _warm(setup: Setup, spec: str, shared: Any) -> str:
    """Let an agent choose once, so that what it compiles is compiled before its clock runs. Returns what went wrong."""
    watch = _Watch(shared)
    try:
        watch.start(0, _MAKING, setup.limit)
        agent = agents.make(spec, seed=0)
        state = setup.game.initial_state(seed=0)
        if state.is_terminal:
            return ""
        seat = state.acting_players[0]
        agents.begin(agent, setup.game, seat)
        agent.act(state.for_search(seat), state.legal_actions(seat), agents.Clock(setup.seconds))
        close = getattr(agent, "close", None)
        if callable(close):
            close()
    except BaseException:
        return traceback.format_exc()
    finally:
        watch.end()
    return ""


# The worker's process


def _alone(setup: Setup, parent: int, output: Connection | None) -> None:
    """Make this process one that ends with its parent, prints to `output`, and has a limit of memory."""
    own = False
    with contextlib.suppress(AttributeError, OSError):
        os.setsid()  # Ctrl-C is the parent's; programs that agents start can be ended with this process
        own = True
    children.adopt_orphans()  # so that nothing leaves our tree, and `Worker.end` finds it

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        children.kill(children.descendants(os.getpid()))
        if own:
            os.killpg(0, signal.SIGKILL)
        os._exit(1)

    if os.name != "nt":
        threading.Thread(target=watch, daemon=True, name="parent").start()
    if sys.platform.startswith("linux"):
        # For an agent that never lets go of the interpreter, so that no thread of ours can watch.
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(1, int(signal.SIGKILL), 0, 0, 0)  # PR_SET_PDEATHSIG
    if output is not None:
        sys.stdout.flush()
        sys.stderr.flush()
        tell_on(os.fdopen(os.dup(2), "w"))  # what compiles here is told there
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
        output.close()
    if setup.memory is not None and sys.platform.startswith("linux"):
        import resource

        size = int(setup.memory * 2**30)
        resource.setrlimit(resource.RLIMIT_DATA, (size, size))


def _main(pipe: Connection, shared: Any, setup: Setup, parent: int, output: Connection | None) -> None:
    _alone(setup, parent, output)
    wrong = ""
    try:
        for path in setup.load:
            agents.load_file(path)
        setup.game.compile()  # on another machine than the one that asked
    except BaseException as error:
        wrong = str(error) if isinstance(error, HawaiiError) else f"{type(error).__name__}: {error}"
    watch = _Watch(shared)
    watch.end()
    pipe.send(("ready", wrong))
    while True:
        try:
            kind, thing = pipe.recv()
        except (EOFError, OSError):
            return
        if kind == "play":
            answer: Any = play_game(setup, thing, shared)
        elif kind == "check":
            answer = check_spec(setup, thing, watch)
        else:
            answer = _warm(setup, thing, shared)
        try:
            pipe.send((kind, answer))
        except OSError:
            return


_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    """Let processes started here compute in one thread each, unless the user has said otherwise."""
    added = [name for name in _THREADS if name not in os.environ]
    os.environ.update(dict.fromkeys(added, "1"))
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)


class _Log(threading.Thread):
    """Takes what a worker's process prints, and keeps its beginning; a thread, so that nobody who prints waits for a
    tournament.

    Args:
        path: the log, which takes up to `MAX_LOG` bytes.
        pipe: what the process writes to.
    """

    def __init__(self, path: Path, pipe: Connection) -> None:
        super().__init__(daemon=True, name="log")
        self.path, self.pipe = path, pipe
        self.start()

    def run(self) -> None:
        with contextlib.suppress(OSError), self.pipe:
            while data := os.read(self.pipe.fileno(), 65_536):
                append_log(self.path, data)


class Worker:
    """A worker process, as whoever runs it sees it.

    Args:
        setup: what all games share.
        name: of its log in the folder of logs; a process that replaces another has the same.

    Attributes:
        task: what it is doing: a `Task`, a spec to check or to warm up, or None.
    """

    def __init__(self, setup: Setup, name: str = "1") -> None:
        self.setup = setup
        self.task: Any = None
        self.kind: str = "start"
        context = multiprocessing.get_context("spawn")
        self._shared = context.RawArray("d", _COUNTS + 2 * setup.game.num_players)
        # Until it is ready, what takes its time is the loading of files.
        self._shared[_SEAT], self._shared[_UNTIL] = -1.0, time.monotonic() + max(60.0, setup.limit)
        ours, theirs = context.Pipe()
        self.pipe: Connection = ours
        self._log: _Log | None = None
        output: Connection | None = None
        if setup.log is not None and os.name != "nt":  # where a pipe is no file descriptor
            printed, output = context.Pipe(duplex=False)
            self._log = _Log(Path(setup.log) / f"worker-{name}.log", printed)
        self._process = context.Process(
            target=_main, args=(theirs, self._shared, setup, os.getpid(), output), daemon=True, name="hawaii-arena"
        )
        with _one_thread():
            self._process.start()
        theirs.close()
        if output is not None:
            output.close()

    @property
    def pid(self) -> int:
        """The process's id."""
        return cast(int, self._process.pid)

    @property
    def idle(self) -> bool:
        """True when it waits for something to do."""
        return self.kind == ""

    def give(self, kind: str, thing: Any) -> None:
        """Hand it something to do: ``("play", Task)``, ``("check", spec)`` or ``("warm", spec)``."""
        assert self.idle, self.kind
        self.kind, self.task = kind, thing
        with contextlib.suppress(OSError):  # it has died meanwhile: collect() finds out
            self.pipe.send((kind, thing))

    def _dead(self, overdue: bool) -> tuple[str, Any]:
        """Say what becomes of the work of a process that was killed or has died."""
        code = self._process.exitcode
        seat, phase = int(self._shared[_SEAT]), int(self._shared[_PHASE])
        killed = not overdue and code == -int(getattr(signal, "SIGKILL", 9))
        if code is not None and code < 0:
            died = f"the process died of {signal.Signals(-code).name}"
        else:
            died = f"the process ended with exit status {code}"
        reason = died
        if overdue:
            reason = (
                _overtime(self.setup) if phase == _CHOOSING else f"not made or closed within {self.setup.limit:g} s"
            )
        kind, task, self.kind, self.task = self.kind, self.task, "dead", None
        if kind != "play":
            return kind, "" if kind == "check" else reason  # what dies of being made forfeits its games
        task = cast(Task, task)
        count = len(task.game.seats)
        decisions, seconds = self._used(task, count)
        guilty = seat if 0 <= seat < count else None
        fields = (task, "forfeit", End.forfeited(count, seat), seat, reason, decisions, seconds)
        if guilty is None:
            fields = (task, "void", End.void(count), None, reason, decisions, seconds)
        verified, details = False, ""
        if guilty is not None:
            try:
                path, end = Path(task.record), End.forfeited(count, seat)
                check_record(path, self.setup.game, task.game.seed, task.game.seats, end, seat)
                verified = True
            except HawaiiError as error:
                fields = (task, "void", End.void(count), None, f"{reason}; {error}", decisions, seconds)
        return kind, Played(*fields, verified, details, killed)

    def _used(self, task: Task, count: int) -> tuple[tuple[int, ...], tuple[float, ...]]:
        used = list(self._shared[_COUNTS : _COUNTS + 2 * count])
        return tuple(int(n) for n in used[:count]), tuple(used[count:])

    def collect(self) -> tuple[str, Any] | None:
        """Return what it has done, or None while it is at it.

        ``("play", Played)``, ``("ready", error)``, ``("check", error)`` or ``("warm", error)``. A process that has died
        or has been killed for taking too long gives what came of its work, too; `kind` is ``"dead"`` then.
        """
        try:
            if self.pipe.poll():
                kind, answer = self.pipe.recv()
                self.kind, self.task = "", None
                return kind, answer
        except (EOFError, OSError):
            self._process.join(5.0)
            self.end()
            return self._dead(overdue=False)
        if self.kind in ("", "dead"):
            return None
        until = self._shared[_UNTIL]
        if time.monotonic() > until + SLACK and self._shared[_UNTIL] == until:
            self.end()
            return self._dead(overdue=True)
        return None

    def end(self) -> None:
        """Kill the process and whatever it has started."""
        pid = self._process.pid
        started = [] if pid is None else children.descendants(pid)
        self._process.kill()
        # Its group, and what has left it (a bot has a session of its own). Before it has called setsid there is no such
        # group.
        if pid is not None and os.name != "nt":
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGKILL)
            children.kill(started)
        self._process.join()
        if self._log is not None:
            self._log.join(1.0)  # longer only where somebody whom we could not find holds the pipe
        self.pipe.close()
