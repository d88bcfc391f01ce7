"""Plays one game between supervised agents; an agent that commits a fault loses the game.

A few shared numbers record who is choosing and until when, so that a hanging or dead process leaves a record of who was
at fault.
"""

from __future__ import annotations

import contextlib
import errno
import math
import random
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from hawaii_env import agents, records
from hawaii_env.arena.result import End
from hawaii_env.arena.schedule import ScheduledGame, game_of
from hawaii_env.errors import AgentError, AgentTimeoutError, HawaiiError, OptionError, RecordError
from hawaii_env.game import SIMULTANEOUS, Game, State
from hawaii_env.supervision import DETAILS, Supervisor, shown
from hawaii_env.texts import show_value

__all__ = ["Played", "Setup", "Task", "Watch", "check_agent", "check_record", "play_game", "warm"]

SEAT, UNTIL, PHASE, COUNTS = 0, 1, 2, 3
"""Indices of the shared numbers; from the last one on, decisions and seconds by seat."""

FULL = [getattr(errno, name, -1) for name in ("ENOSPC", "EDQUOT", "EROFS", "EIO")]
"""Disk errors that make it impossible to record a game."""

ELSEWHERE, MAKING, CHOOSING, HARMED = 0, 1, 2, 3
"""Phases of a seat; in the last one it has changed the process for good, which then ends."""

T = TypeVar("T")


@dataclass(frozen=True)
class Setup:
    """The shared settings of a tournament's games.

    Attributes:
        games: games that the meetings play in turn, with the same action table; most tournaments have one.
        load: Python files that register agents.
        seconds: time for a decision, or None.
        grace: seconds by which a player may exceed its time over a whole game.
        limit: seconds for a decision without `seconds`, and for making an agent.
        memory: GiB of memory that a worker process may allocate; None for no limit.
        log: folder for the output of agents, or None to leave it on the terminal.
    """

    games: tuple[Game, ...]
    load: tuple[str, ...] = ()
    seconds: float | None = None
    grace: float = 10.0
    limit: float = 300.0
    memory: float | None = None
    log: str | None = None

    @property
    def game(self) -> Game:
        """Return the first game."""
        return self.games[0]


@dataclass(frozen=True)
class Task:
    """A game to be played.

    Attributes:
        game: entry in the schedule.
        agents: agent strings by seat.
        record: file for the record, which must not exist.
        attempt: number of earlier attempts.
    """

    game: ScheduledGame
    agents: tuple[str, ...]
    record: str
    attempt: int = 0


@dataclass(frozen=True)
class Played:
    """The outcome of a task.

    Attributes:
        task: the task.
        status: ``"finished"``, ``"forfeit"`` or ``"void"``.
        end: shares, places and points by seat.
        forfeit: the seat that forfeited, or None.
        reason: reason for the end, or for being void, in one line.
        decisions: number of decisions, by seat.
        seconds: time for decisions, by seat.
        verified: True if the record has been replayed successfully.
        details: traceback or other information for the log.
        killed: True if the process was killed from outside, so that it is uncertain who is at fault.
        unwritten: True if the record could not be written.
        text: content of the record, if its file is on another machine.
        processor: processor seconds of the process that played and verified the game; 0 if the process died.
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
    processor: float = 0.0


class Watch:
    """Shared notes on who is choosing and until when, for the other process.

    Args:
        shared: 3 + 2 * seats numbers that both processes can access.

    Attributes:
        harmed: True once an agent has changed the process for good: the agent is held responsible, and the process must
            be replaced.
        pipe: descriptor of the pipe between the processes, or None.
    """

    def __init__(self, shared: Any, pipe: int | None = None) -> None:
        self.shared: Any = shared
        self.pipe: int | None = pipe
        self.harmed: bool = False

    def begin(self, count: int) -> None:
        """Start a game with this number of seats."""
        self.shared[COUNTS : COUNTS + 2 * count] = [0.0] * (2 * count)
        self.end()

    def start(self, seat: int, phase: int, seconds: float) -> None:
        """Note that a seat starts a phase, and how many seconds it has."""
        # Write the time last: a reader that sees the time also sees the seat.
        self.shared[SEAT], self.shared[PHASE] = seat, phase
        self.shared[UNTIL] = time.monotonic() + seconds

    def end(self) -> None:
        """Note that no seat is busy."""
        self.shared[UNTIL] = math.inf
        self.shared[SEAT], self.shared[PHASE] = -1, ELSEWHERE

    def note(self, seat: int, count: int, spent: float) -> None:
        """Count a decision of one of `count` seats, and the seconds that it took."""
        self.shared[COUNTS + seat] += 1
        self.shared[COUNTS + count + seat] += spent

    @contextlib.contextmanager
    def limited(self, seat: int, phase: int, seconds: float) -> Iterator[None]:
        """Watch a seat during the block, and after the block if it has harmed the process."""
        self.start(seat, phase, seconds)
        try:
            yield
        except AgentError as error:
            if error.lasting:
                self.harmed = True
                self.start(seat, HARMED, seconds)
                raise
            self.end()
            raise
        self.end()


class _Table:
    """The agents of a game and their use of resources."""

    def __init__(self, setup: Setup, task: Task, watch: Watch) -> None:
        self.setup, self.task, self.watch = setup, task, watch
        self.count = len(task.game.seats)
        # If a game was void, its next attempt finds out which agent caused it.
        game = game_of(setup.games, task.game.pairing)
        self.supervisor = supervise(setup, game, watch, careful=task.attempt > 0)
        self.reserve = [setup.grace] * self.count
        self.decisions = [0] * self.count
        self.seconds = [0.0] * self.count

    def make(self) -> None:
        """Make the agents, and notify them of the start of a game."""
        for seat, (agent, seed) in enumerate(zip(self.task.agents, self.task.game.seeds, strict=True)):
            with self.watch.limited(seat, MAKING, self.setup.limit):
                self.supervisor.make(seat, agent, seed)

    def choose(self, state: State, seat: int) -> int:
        """Return the action of a player; it is legal."""
        seconds = self.setup.seconds
        clock = None if seconds is None else agents.Clock(seconds)
        allowed = self.setup.limit if seconds is None else seconds + self.reserve[seat]
        started = time.perf_counter()
        try:
            with self.watch.limited(seat, CHOOSING, allowed):
                action = self.supervisor.choose(seat, state, clock)
        finally:
            spent = time.perf_counter() - started
            self.decisions[seat] += 1
            self.seconds[seat] += spent
            self.watch.note(seat, self.count, spent)
        if spent > allowed:
            error = AgentTimeoutError(self.supervisor.names[seat], overtime(self.setup))
            error.seat = seat
            raise error
        if seconds is not None:
            self.reserve[seat] -= max(0.0, spent - seconds)
        return action

    def close(self) -> str:
        """Close the agents that have a method for it; return their errors."""
        wrong = ""
        for seat in range(self.count):
            if self.supervisor.players[seat] is not None and not self.watch.harmed:
                try:
                    with self.watch.limited(seat, MAKING, self.setup.limit):
                        self.supervisor.release(seat)
                except AgentError as error:
                    wrong += error.details or error.what
        self.supervisor.close()
        return wrong


def supervise(setup: Setup, game: Game, watch: Watch, careful: bool) -> Supervisor:
    """Return the supervisor of a game's agents in a worker process."""
    memory = None if setup.memory is None else int(setup.memory * 2**30)
    supervisor = Supervisor(game, worker=True, memory=memory, careful=careful)
    if watch.pipe is not None:
        supervisor.guard(watch.pipe)
    return supervisor


def overtime(setup: Setup) -> str:
    """Return the reason for a forfeit on time."""
    if setup.seconds is None:
        return f"no decision within {setup.limit:g} s"
    return f"out of time: {setup.seconds:g} s a decision, and {setup.grace:g} s over a game"


def play_game(setup: Setup, task: Task, watch: Watch) -> Played:
    """Play one game, record it, and verify the record.

    Args:
        setup: settings of all games.
        task: the game to play.
        watch: shared notes for the other process.
    """
    game, count = game_of(setup.games, task.game.pairing), len(task.game.seats)
    watch.begin(count)
    begun = time.process_time()
    # Seed the generators of the process, so that agents that use them repeat their games.
    random.seed(task.game.seed)
    np.random.seed(task.game.seed % 2**32)  # noqa: NPY002
    table = _Table(setup, task, watch)
    status, end, forfeit, reason, details = "void", End.void(count), None, "", ""
    verified = unwritten = False
    try:
        state = game.initial_state(seed=task.game.seed, trace=True)
        options = {"pairing": task.game.pairing, "rotation": task.game.rotation, "agents": list(task.agents)}
        options |= {"agent_seeds": list(task.game.seeds), "seconds": setup.seconds}

        def recorder() -> records.RecordWriter:
            return records.RecordWriter(
                task.record, game, seed=task.game.seed, players=task.game.seats, options=options
            )

        with recorder() as writer:
            table.supervisor.guard(writer.descriptor, file=True)
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
                table.supervisor.inspect()
                table.supervisor.forget(writer.descriptor)
                writer.finish(state)
                outcome = state.outcome()
                status, end, reason = "finished", End.of(state), "" if outcome is None else outcome.reason
            except AgentError as error:
                if error.seat is None:
                    raise
                table.supervisor.inspect()  # another agent may have damaged shared modules
                seat, reason, details = error.seat, error.what, error.details
                table.supervisor.forget(writer.descriptor)
                with contextlib.ExitStack() as stack:
                    if error.lasting:  # its file may be lost or damaged
                        Path(task.record).unlink(missing_ok=True)
                        writer = stack.enter_context(recorder())
                    writer.update(state)
                    writer.stop(f"{task.game.seats[seat]} (seat {seat}) forfeits: {reason}")
                status, end, forfeit = "forfeit", End.forfeited(count, seat), seat
        details += table.close()
        check_record(Path(task.record), game, task.game.seed, task.game.seats, end, forfeit)
        verified = True
    except Exception as error:
        # Probably not an agent's fault: the game does not count, and is tried again.
        status, end, forfeit = "void", End.void(count), None
        reason, details = shown(error, 300), traceback.format_exc()[-DETAILS:]
        unwritten = isinstance(error, RecordError) and getattr(error.__cause__, "errno", None) in FULL
        reason = str(error) if unwritten else reason
    return Played(
        *(task, status, end, forfeit, reason, tuple(table.decisions), tuple(table.seconds), verified, details),
        unwritten=unwritten,
        processor=time.process_time() - begun,
    )


def check_record(path: Path, game: Game, seed: int, seats: Sequence[str], end: End, forfeit: int | None) -> None:
    """Replay a record and compare it with the arena's result.

    Raises:
        RecordError: the record does not replay, or it has another game, other players or another end.
    """
    found = records.verify(path, game, partial=forfeit is not None)
    header = found.record.header
    if header["seed"] != seed or header["players"] != list(seats):
        raise RecordError(f"{path} is the record of another game: {header['players']} with seed {header['seed']}")
    recorded = End.of(found.state) if forfeit is None else End.forfeited(len(seats), forfeit)
    if recorded != end:
        raise RecordError(f"{path} ends with {recorded}, not {end}")


def check_agent(setup: Setup, agent: str, watch: Watch | None = None) -> str:
    """Make an agent as for a game; return the error in its agent string, or "".

    Errors of the user count: an OptionError (a name, a parameter, missing weights) or a library that is not installed.
    Any other error is the agent's fault, and forfeits its games.
    """

    def make() -> str:
        try:
            made = agents.load_agent(agent, seed=0)
            try:
                agents.begin(made, setup.game, 0)
            finally:
                agents.close(made)
        except (OptionError, ImportError) as error:
            return f"agent {show_value(agent)}: {error}"
        return ""

    try:
        return _once(setup, 0, Watch([0.0] * COUNTS) if watch is None else watch, make)
    except AgentError:
        return ""


def warm(setup: Setup, agent: str, watch: Watch) -> str:
    """Let an agent choose once, so that its code is compiled before its clock runs. Return the fault, if any."""
    state = setup.game.initial_state(seed=0)
    if state.is_terminal:
        return ""
    seat = state.acting_players[0]

    def choose() -> None:
        made = agents.load_agent(agent, seed=0)
        agents.begin(made, setup.game, seat)
        made.act(state.for_search(seat), state.legal_actions(seat), agents.Clock(setup.seconds))
        agents.close(made)

    try:
        _once(setup, seat, watch, choose)
    except AgentError as error:
        return error.details or error.what
    return ""


def _once(setup: Setup, seat: int, watch: Watch, function: Callable[[], T]) -> T:
    """Call a function of an agent outside a game, and return its result."""
    supervisor = supervise(setup, setup.game, watch, careful=True)
    try:
        with watch.limited(seat, MAKING, setup.limit):
            return supervisor.call(seat, "failed", function)
    finally:
        supervisor.close()
