"""Agents think in processes of their own, each decision with a limit of time, so that the server always answers.

Each call of an agent is supervised as in the arena (`hawaii_env.supervision`): what it does wrong, or does to the
process, is an error of its own game, and a process that cannot be put right is replaced. So is that of an agent that
does not come back: the next decision starts another.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import json
import math
import multiprocessing
import os
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, cast

import numpy as np

from hawaii_env import agents, games
from hawaii_env.agent_process import begin_process, end_process, load_files, receive, share_of_memory
from hawaii_env.agents import Agent, Clock
from hawaii_env.errors import AgentError, HawaiiError
from hawaii_env.game import Game, State
from hawaii_env.supervision import Supervisor, shown
from hawaii_env.texts import show_lines, show_value
from hawaii_env.web.analysis import ANALYSES, Analysis, analysis

__all__ = ["Hint", "Mind", "Task", "ThinkError", "Thinker"]

ANALYSIS_SECONDS = 120.0
"""Seconds that an analysis may take."""

KEPT = 64
"""Agents, and games of different options, that a process keeps between their decisions."""

START = 1800.0
"""Seconds in which a process must have started, and an agent that is tried must have answered. The first time they are
compiled, which takes minutes on a busy machine.
"""


PRINTED = 64 * 1024
"""Bytes that agents may print to the server's standard error in an hour; the rest is thrown away."""

MESSAGE_LENGTH = 500
"""Most characters of an agent's error in a message."""


class ThinkError(HawaiiError, RuntimeError):
    """An agent failed, took too long, or chose what is not legal."""

    def __init__(self, message: str) -> None:
        super().__init__(message if len(message) <= MESSAGE_LENGTH else f"{message[:MESSAGE_LENGTH]} ...")


@dataclass(frozen=True)
class Task:
    """A task for an agent.

    Attributes:
        key: names the game and the seat: the same agent is asked again.
        agent: its agent string.
        game: name of the game, and `params` that make it.
        params: see `game`.
        state: the position as the seat knows it: ``State.to_json(player=seat)``.
        seat: whom it plays.
        seconds: its time.
        hint: True asks for probabilities, too.
    """

    key: str
    agent: str
    game: str
    params: dict[str, Any]
    state: str
    seat: int
    seconds: float
    hint: bool = False


@dataclass(frozen=True)
class Hint:
    """An agent's choice.

    Attributes:
        action: the choice.
        chances: action -> probability, where the agent has such; else empty.
        value: the result that it expects for who decides, -1 to 1, or None.
    """

    action: int
    chances: dict[int, float]
    value: float | None


class Mind:
    """The agents of one process.

    Args:
        load: Python files that register agents.
        pipe: descriptor of the pipe that a process is asked by which agents alone use; None in another's process.

    Attributes:
        harmed: True once an agent has changed its process for good.
    """

    def __init__(self, load: Sequence[str] = (), pipe: int | None = None) -> None:
        for path in load:
            agents.load_file(path)
        self.pipe: int | None = pipe
        self.harmed: bool = False
        self._games: OrderedDict[str, Game] = OrderedDict()
        self._agents: OrderedDict[tuple[str, str], Agent] = OrderedDict()
        self._lock = threading.Lock()

    def _game(self, name: str, params: dict[str, Any]) -> Game:
        key = json.dumps([name, params], sort_keys=True)
        if key not in self._games:
            self._games[key] = games.load_game(name, **params)
            while len(self._games) > KEPT:
                self._games.popitem(last=False)
        return self._games[key]

    @contextlib.contextmanager
    def _supervised(self, game: Game, title: str) -> Iterator[Supervisor]:
        """Supervise calls of agents; what is wrong with one is a `ThinkError`."""
        # One for each decision, because other games may have loaded libraries since the last one.
        supervisor = Supervisor(game, worker=self.pipe is not None, careful=True)
        try:
            if self.pipe is not None:
                supervisor.guard(self.pipe)
            yield supervisor
        except AgentError as error:
            self.harmed |= error.lasting
            raise ThinkError(f"{title} {error.what}") from error
        except (HawaiiError, ImportError) as error:  # of its options, or of a library that is missing
            raise ThinkError(f"{title} failed: {shown(error, MESSAGE_LENGTH)}") from error
        finally:
            supervisor.close()

    def _agent(self, task: Task, supervisor: Supervisor) -> Agent:
        key, closed = (task.key, task.agent), list[Agent]()
        with self._lock:
            if key in self._agents:
                self._agents.move_to_end(key)
                return self._agents[key]
        supervisor.make(task.seat, task.agent)
        with self._lock:
            agent = self._agents[key] = cast(Agent, supervisor.players[task.seat])
            while len(self._agents) > KEPT:
                closed.append(self._agents.popitem(last=False)[1])
        for other in closed:
            self._close(supervisor.game, other)
        return agent

    def _close(self, game: Game, agent: Agent) -> None:
        """Close an agent, whose faults are nobody's any more."""
        with contextlib.suppress(ThinkError), self._supervised(game, "an agent") as supervisor:
            supervisor.call(0, "failed", agents.close, agent)

    def answer(self, asked: Any) -> Any:
        """Answer what a `Thinker` asks: a `Task`, an `Analysis`, or the arguments of `probe`."""
        if isinstance(asked, Analysis):
            return self.analysis(asked)
        return self.think(asked) if isinstance(asked, Task) else self.probe(*asked)

    def think(self, task: Task) -> Hint:
        """Return an agent's choice.

        Raises:
            ThinkError: the agent failed, chose what is not legal, or changed its process.
        """
        game = self._game(task.game, task.params)
        state = game.state_from_json(task.state).for_search(task.seat)
        try:
            with self._supervised(game, f"agent {show_value(task.agent)}") as supervisor:
                agent = supervisor.players[task.seat] = self._agent(task, supervisor)
                action = supervisor.choose(task.seat, state, Clock(task.seconds))
                if not task.hint:
                    return Hint(action, {}, None)
                legal = state.legal_actions(task.seat)
                found = supervisor.call(task.seat, "failed", _chances, agent, state, legal, task.seat, action)
                return Hint(action, *found)
        except ThinkError:
            with self._lock:
                self._agents.pop((task.key, task.agent), None)
            raise

    def analysis(self, asked: Analysis) -> tuple[dict[str, Any], float]:
        """Return what an analysis finds, and the seconds of processor time that it took.

        Raises:
            ThinkError: it failed.
        """
        start, game = time.thread_time(), self._game(asked.game, asked.params)
        # An agent's opinion may be asked, which is somebody else's code.
        with self._supervised(game, asked.what) as supervisor:
            found = supervisor.call(0, "failed", analysis, game, asked)
        return found, time.thread_time() - start

    def probe(self, agent: str, game: str, params: dict[str, Any]) -> str:
        """Let an agent take the first decision of a game, to see that it works and to have it compiled; return a
        sentence about it.

        Raises:
            ThinkError: it does not work.
        """
        made = self._game(game, params)
        state = made.initial_state(seed=0)
        seat = state.acting_players[0]
        self.think(Task("probe", agent, game, params, state.to_json(player=seat), seat, 0.2, True))
        with self._lock:
            probed = self._agents.pop(("probe", agent))
        with self._supervised(made, f"agent {show_value(agent)}") as supervisor:
            line = supervisor.call(seat, "failed", _sentence, probed)
        self._close(made, probed)
        return line


def _sentence(agent: Agent) -> str:
    """Return what an agent's class says of itself: its own line, not that of the class that it is made from."""
    line = inspect.cleandoc(vars(type(agent)).get("__doc__") or "").split("\n", 1)[0].replace("`", "").strip()
    return line.partition(". ")[0].removesuffix(".") + "." if line else ""


def _chances(
    agent: Any, state: State, legal: Sequence[int], seat: int | None, action: int
) -> tuple[dict[int, float], float | None]:
    """Return the probabilities that an agent gives its actions, and the result that it expects of the one that it
    takes: of a search by its visits, of a network by its policy.
    """
    search = getattr(agent, "search", agent)
    if hasattr(search, "visits"):
        visits = np.asarray(search.visits, np.float64)
        if visits.sum() > 0:
            shares = (visits / visits.sum()).tolist()
            chances = dict(zip(map(int, search.actions), shares, strict=True))
            # A search of whole plans takes the best one, whose first action need not be the one tried most often.
            mean = dict(zip(chances, np.asarray(search.means, np.float64).tolist(), strict=True)).get(action, math.nan)
            return chances, None if math.isnan(mean) else mean
    evaluate = getattr(getattr(agent, "policy", None), "evaluate", None)
    if evaluate is not None:
        chances, value = evaluate(
            np.asarray(state.observation(state.current_player if seat is None else seat), np.float32), legal
        )
        shares = np.asarray(chances, np.float64)
        return dict(zip(legal, (shares / shares.sum()).tolist(), strict=True)), float(np.clip(value, -1, 1))
    return {}, None


class _Output:
    """The output of agents: standard error, so much in an hour."""

    def __init__(self, most: int = PRINTED) -> None:
        self.most = most
        self._left = most
        self._until = 0.0
        self._lock = threading.Lock()

    def write(self, text: bytes) -> None:
        """Print it, or as much as may be."""
        with self._lock:
            now = time.monotonic()
            if now > self._until:
                self._left, self._until = self.most, now + 3600
            if not self._left:
                return
            taken = text[: self._left]
            self._left -= len(taken)
            if not self._left:
                taken += b"\n... agents print too much; the rest of this hour is not shown\n"
        with contextlib.suppress(OSError, ValueError):
            print(show_lines(taken.decode(errors="backslashreplace")), end="", file=sys.stderr, flush=True)

    def drain(self, pipe: Connection) -> None:
        """Print what a process writes to a pipe, until it ends."""
        with contextlib.suppress(OSError), pipe:
            while part := os.read(pipe.fileno(), 65536):
                self.write(part)


def _process(
    out: Connection | None, pipe: Any, load: Sequence[str], warm: Any, parent: int, memory: float | None
) -> None:
    """Run a process: redirect all output, of any language, to a pipe, and work."""
    begin_process(parent, open(os.devnull, "wb") if out is None else out, memory)  # noqa: SIM115
    try:
        load_files(load)
    except BaseException as error:  # a file may raise SystemExit
        pipe.send(("error", shown(error, MESSAGE_LENGTH), True))
        return
    _work(pipe, Mind(pipe=pipe.fileno()), warm)


def _work(pipe: Any, mind: Mind, warm: tuple[str, dict[str, Any]] | None) -> None:
    """Answer until the pipe ends."""
    try:
        if warm is not None:
            # The rules are loaded, or compiled, before the first decision's time runs.
            mind.probe("random", *warm)
    except Exception as error:
        pipe.send(("error", shown(error, MESSAGE_LENGTH), True))
        return
    pipe.send(("ready", None, False))
    while True:
        try:
            asked = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            answer = "ok", mind.answer(asked)
        except Exception as error:
            answer = "error", str(error)
        try:
            pipe.send((*answer, mind.harmed))
        except OSError:  # an agent has closed it
            return


class _Worker:
    """One process and the thread that talks with it."""

    def __init__(
        self, load: Sequence[str], warm: tuple[str, dict[str, Any]] | None, output: _Output, memory: float | None
    ) -> None:
        self.load, self.warm, self.output, self.memory = tuple(load), warm, output, memory
        self.thread = ThreadPoolExecutor(1, "hawaii-agent")
        self._process: Any = None
        self._pipe: Any = None

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        # On Windows a pipe is not a file that a program could print to: nothing is shown there.
        shown, printed = (None, None) if os.name == "nt" else context.Pipe(duplex=False)
        given = printed, theirs, self.load, self.warm, os.getpid(), self.memory
        self._process = context.Process(target=_process, args=given, daemon=True, name="hawaii-agent")
        self._process.start()
        theirs.close()
        if shown is not None and printed is not None:
            printed.close()
            threading.Thread(target=self.output.drain, args=(shown,), daemon=True, name="hawaii-agent-output").start()
        kind, text = self._receive(START, "the process of the agents", "has not started")
        if kind != "ready":
            raise ThinkError(f"the process of the agents does not start: {text}")

    def _receive(self, limit: float, who: str, late: str = "has not answered") -> tuple[str, Any]:
        try:
            if self._pipe.poll(limit):
                kind, value, harmed = receive(self._pipe, self._process)
                if harmed:
                    self.stop()
                return kind, value
        except Exception:  # it has ended, or an agent has written to the pipe
            self.stop()
            raise ThinkError(f"{who} ended its process; another starts at the next decision") from None
        self.stop()
        raise ThinkError(f"{who} {late} within {limit:.0f} s and was stopped")

    def ask(self, asked: Any, limit: float, who: str) -> Any:
        """Ask, and wait for the answer; runs in the worker's thread."""
        if self._process is None or not self._process.is_alive():
            self.stop()
            self._start()
        with contextlib.suppress(OSError):  # it has died meanwhile: _receive() finds out
            self._pipe.send(asked)
        kind, value = self._receive(limit, who)
        if kind == "error":
            raise ThinkError(value)
        return value

    def stop(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:  # the worker's own thread may notice this, and end it as well
            end_process(process)
            self._pipe.close()


class Thinker:
    """Asks agents.

    Args:
        workers: processes; 0: threads of this process, whose agents cannot be stopped.
        load: Python files that register agents.
        grace: seconds beyond its time after which an agent is stopped.
        warm: name and parameters of a game whose rules a process loads as it starts.
    """

    def __init__(
        self,
        workers: int,
        load: Sequence[str] = (),
        grace: float = 20.0,
        warm: tuple[str, dict[str, Any]] | None = None,
    ) -> None:
        self.grace = grace
        output, memory = _Output(), share_of_memory(workers + len(ANALYSES) + 1)
        self._workers = [_Worker(load, warm, output, memory) for _ in range(workers)]
        # Studies take seconds, and must keep neither agents waiting nor one another. A process starts with the first
        # one of its kind.
        self._students = {what: _Worker(load, warm, output, memory) for what in ANALYSES} if workers else {}
        # Trying an agent may compile for a minute, and must not keep others waiting either.
        self._trial = _Worker(load, None, output, memory) if workers else None
        self.untried: set[str] = set()
        """Agents that may have to compile before they answer."""
        self._mind = None if workers else Mind(load)
        self._threads = None if workers else ThreadPoolExecutor(4, "hawaii-agent")

    async def think(self, task: Task) -> Hint:
        """Return an agent's choice.

        Raises:
            ThinkError: it failed, took too long, or chose what is not legal.
        """
        limit = START if task.agent in self.untried else task.seconds + self.grace
        # One game's agents stay in one process, which knows what they found before.
        worker = self._workers[hash(task.key.partition("/")[0]) % len(self._workers)] if self._workers else None
        return await self._ask(worker, task, limit, f"agent {show_value(task.agent)}")

    async def _ask(self, worker: _Worker | None, asked: Any, limit: float, title: str) -> Any:
        """Ask a process, or a thread of this one."""
        loop = asyncio.get_running_loop()
        if worker is not None:
            return await loop.run_in_executor(worker.thread, worker.ask, asked, limit, title)
        assert self._mind is not None
        try:
            return await asyncio.wait_for(loop.run_in_executor(self._threads, self._mind.answer, asked), limit)
        except TimeoutError:
            raise ThinkError(f"{title} has not answered within {limit:.0f} s") from None

    async def analysis(self, asked: Analysis) -> tuple[dict[str, Any], float]:
        """Return what an analysis finds, and the seconds of processor time that it took.

        Raises:
            ThinkError: it failed or took too long.
        """
        return await self._ask(self._students.get(asked.what), asked, ANALYSIS_SECONDS, asked.what)

    async def probe(self, agent: str, game: str, params: dict[str, Any]) -> str:
        """Return a sentence about an agent after its first decision of a game.

        Raises:
            ThinkError: it does not work here.
        """
        try:
            return await self._ask(self._trial, (agent, game, params), START, f"agent {show_value(agent)}")
        finally:
            self.untried.discard(agent)

    def end_trial(self) -> None:
        """End the process in which agents were tried."""
        if self._trial is not None:
            self._trial.thread.submit(self._trial.stop)

    def close(self) -> None:
        """End the processes."""
        for worker in (*self._workers, *self._students.values(), self._trial):
            if worker is not None:
                worker.thread.shutdown(wait=False, cancel_futures=True)
                worker.stop()
        if self._threads is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)
