"""Processes in which agents decide, each decision with a time limit, so that the server always answers.

Calls of agents are supervised as in the arena (`hawaii_env.supervision`). A fault of an agent, or its damage to the
process, is an error in its own game only. A process that is damaged for good, or whose agent does not return, is
replaced at the next decision.
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
"""Time limit for an analysis in seconds."""

KEPT = 64
"""Most agents, and games with different options, that a process keeps between decisions."""

START = 1800.0
"""Time limit in seconds for a process to start, and for a newly tried agent to answer. The first time they are
compiled, which takes minutes on a busy machine.
"""


PRINTED = 64 * 1024
"""Bytes that agents may print to the server's standard error in an hour; further output is discarded."""

MESSAGE_LENGTH = 500
"""Most characters of an agent's error message that are shown."""


class ThinkError(HawaiiError, RuntimeError):
    """An agent failed, took too long, or chose an illegal action."""

    def __init__(self, message: str) -> None:
        super().__init__(message if len(message) <= MESSAGE_LENGTH else f"{message[:MESSAGE_LENGTH]} ...")


@dataclass(frozen=True)
class Task:
    """A decision that an agent is asked for.

    Attributes:
        key: names the game and the seat; decisions with the same key go to the same agent.
        agent: its agent string.
        game: name of the game.
        params: parameters that the game is made with.
        state: the position as the seat knows it: ``State.to_json(player=seat)``.
        seat: player to decide for.
        seconds: time for the decision.
        hint: True also asks for probabilities.
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
    """An agent's decision.

    Attributes:
        action: the chosen action.
        chances: action -> probability; empty if the agent has none.
        value: expected return of the player to act, -1 to 1, or None.
    """

    action: int
    chances: dict[int, float]
    value: float | None


class Mind:
    """The agents of a process.

    Args:
        load: Python files that register agents.
        pipe: descriptor of the pipe through which the process gets requests, in a process that runs only agents;
            otherwise None.

    Attributes:
        harmed: True once an agent has changed the process for good.
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
        """Supervise calls of agents in the block; raise their faults as `ThinkError`."""
        # Each decision needs a new supervisor, because other games may have loaded libraries since.
        supervisor = Supervisor(game, worker=self.pipe is not None, careful=True)
        try:
            if self.pipe is not None:
                supervisor.guard(self.pipe)
            yield supervisor
        except AgentError as error:
            self.harmed |= error.lasting
            raise ThinkError(f"{title} {error.what}") from error
        except (HawaiiError, ImportError) as error:  # invalid options, or a missing library
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
        """Close an agent, ignoring its errors."""
        with contextlib.suppress(ThinkError), self._supervised(game, "an agent") as supervisor:
            supervisor.call(0, "failed", agents.close, agent)

    def answer(self, asked: Any) -> Any:
        """Return the answer to a request of a `Thinker`: a `Task`, an `Analysis`, or the arguments of `probe`."""
        if isinstance(asked, Analysis):
            return self.analysis(asked)
        return self.think(asked) if isinstance(asked, Task) else self.probe(*asked)

    def think(self, task: Task) -> Hint:
        """Return an agent's decision.

        Raises:
            ThinkError: the agent failed, chose an illegal action, or changed its process.
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
        """Return the result of an analysis, and the processor time that it took in seconds.

        Raises:
            ThinkError: the analysis failed.
        """
        start, game = time.thread_time(), self._game(asked.game, asked.params)
        # The analysis may run the code of an agent.
        with self._supervised(game, asked.what) as supervisor:
            found = supervisor.call(0, "failed", analysis, game, asked)
        return found, time.thread_time() - start

    def probe(self, agent: str, game: str, params: dict[str, Any]) -> str:
        """Let an agent take the first decision of a game, to check that it works and to compile it; return a sentence
        that describes it.

        Raises:
            ThinkError: the agent does not work.
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
    """Return the summary of an agent's class from its own docstring, not from an inherited one."""
    line = inspect.cleandoc(vars(type(agent)).get("__doc__") or "").split("\n", 1)[0].replace("`", "").strip()
    return line.partition(". ")[0].removesuffix(".") + "." if line else ""


def _chances(
    agent: Any, state: State, legal: Sequence[int], seat: int | None, action: int
) -> tuple[dict[int, float], float | None]:
    """Return an agent's probabilities of its actions, and its expected return for the chosen action: from the visits of
    a search, or from the policy and value of a network.
    """
    search = getattr(agent, "search", agent)
    if hasattr(search, "visits"):
        visits = np.asarray(search.visits, np.float64)
        if visits.sum() > 0:
            shares = (visits / visits.sum()).tolist()
            chances = dict(zip(map(int, search.actions), shares, strict=True))
            # A search over plans chooses the best plan, whose first action need not have the most visits.
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
    """The output of agents: standard error with a limit for each hour."""

    def __init__(self, most: int = PRINTED) -> None:
        self.most = most
        self._left = most
        self._until = 0.0
        self._lock = threading.Lock()

    def write(self, text: bytes) -> None:
        """Print bytes, up to the limit."""
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
        """Print what a process writes to a pipe, until the process ends."""
        with contextlib.suppress(OSError), pipe:
            while part := os.read(pipe.fileno(), 65536):
                self.write(part)


def _process(
    out: Connection | None, pipe: Any, load: Sequence[str], warm: Any, parent: int, memory: float | None
) -> None:
    """Run a process: redirect all output, also that of libraries, to a pipe, and answer requests."""
    begin_process(parent, open(os.devnull, "wb") if out is None else out, memory)  # noqa: SIM115
    try:
        load_files(load)
    except BaseException as error:  # a file may raise SystemExit
        pipe.send(("error", shown(error, MESSAGE_LENGTH), True))
        return
    _work(pipe, Mind(pipe=pipe.fileno()), warm)


def _work(pipe: Any, mind: Mind, warm: tuple[str, dict[str, Any]] | None) -> None:
    """Answer requests until the pipe is closed."""
    try:
        if warm is not None:
            # Load or compile the rules before the time of the first decision starts.
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
    """A process, and the thread that communicates with it."""

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
        # On Windows a pipe is not a file that a process could print to, so its output is not shown.
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
            raise ThinkError(f"the process of the agents cannot start: {text}")

    def _receive(self, limit: float, who: str, late: str = "has not answered") -> tuple[str, Any]:
        try:
            if self._pipe.poll(limit):
                kind, value, harmed = receive(self._pipe, self._process)
                if harmed:
                    self.stop()
                return kind, value
        except Exception:  # it has ended, or an agent has written to the pipe
            self.stop()
            raise ThinkError(f"{who} ended its process; a new one will start at the next decision") from None
        self.stop()
        raise ThinkError(f"{who} {late} within {limit:.0f} s and was stopped")

    def ask(self, asked: Any, limit: float, who: str) -> Any:
        """Send a request, and return the answer; runs in the worker's thread."""
        if self._process is None or not self._process.is_alive():
            self.stop()
            self._start()
        with contextlib.suppress(OSError):  # the process has died; _receive() detects it
            self._pipe.send(asked)
        kind, value = self._receive(limit, who)
        if kind == "error":
            raise ThinkError(value)
        return value

    def stop(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:  # the worker's own thread may end it at the same time
            end_process(process)
            self._pipe.close()


class Thinker:
    """Pool of processes that run agents.

    Args:
        workers: number of processes; 0: threads of this process, whose agents cannot be stopped.
        load: Python files that register agents.
        grace: seconds after the time for a decision at which an agent is stopped.
        warm: name and parameters of a game whose rules each process loads at its start.
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
        # Analyses take seconds, and must delay neither agents nor one another. Each kind has a process, which starts
        # with the first analysis.
        self._students = {what: _Worker(load, warm, output, memory) for what in ANALYSES} if workers else {}
        # Trying an agent may compile for a minute, and must not delay others either.
        self._trial = _Worker(load, None, output, memory) if workers else None
        self.untried: set[str] = set()
        """Agents that may need compilation before they answer."""
        self._mind = None if workers else Mind(load)
        self._threads = None if workers else ThreadPoolExecutor(4, "hawaii-agent")

    async def think(self, task: Task) -> Hint:
        """Return an agent's decision.

        Raises:
            ThinkError: the agent failed, took too long, or chose an illegal action.
        """
        limit = START if task.agent in self.untried else task.seconds + self.grace
        # The agents of one game stay in one process, to reuse what they have found before.
        worker = self._workers[hash(task.key.partition("/")[0]) % len(self._workers)] if self._workers else None
        return await self._ask(worker, task, limit, f"agent {show_value(task.agent)}")

    async def _ask(self, worker: _Worker | None, asked: Any, limit: float, title: str) -> Any:
        """Send a request to a process, or to a thread of this one."""
        loop = asyncio.get_running_loop()
        if worker is not None:
            return await loop.run_in_executor(worker.thread, worker.ask, asked, limit, title)
        assert self._mind is not None
        try:
            return await asyncio.wait_for(loop.run_in_executor(self._threads, self._mind.answer, asked), limit)
        except TimeoutError:
            raise ThinkError(f"{title} has not answered within {limit:.0f} s") from None

    async def analysis(self, asked: Analysis) -> tuple[dict[str, Any], float]:
        """Return the result of an analysis, and the processor time that it took in seconds.

        Raises:
            ThinkError: the analysis failed or took too long.
        """
        return await self._ask(self._students.get(asked.what), asked, ANALYSIS_SECONDS, asked.what)

    async def probe(self, agent: str, game: str, params: dict[str, Any]) -> str:
        """Return a sentence that describes an agent, after its first decision of a game.

        Raises:
            ThinkError: the agent does not work here.
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
