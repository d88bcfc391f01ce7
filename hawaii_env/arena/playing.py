"""Playing one game between agents: each is watched, and what an agent does wrong loses it the game.

A few shared numbers say who is choosing and until when, so that a process that hangs or dies leaves behind whose fault
it was.
"""

from __future__ import annotations

import contextlib
import math
import operator
import random
import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np

from hawaii_env import agents, records
from hawaii_env.arena.result import End
from hawaii_env.arena.schedule import ScheduledGame
from hawaii_env.errors import HawaiiError, OptionError, RecordError
from hawaii_env.game import SIMULTANEOUS, Game, State
from hawaii_env.texts import show

__all__ = ["Played", "Setup", "Task", "Watch", "check_agent", "check_record", "play_game", "warm"]

DETAILS = 20_000
"""Letters of a traceback that are kept; its end says most."""

SEAT, UNTIL, PHASE, COUNTS = 0, 1, 2, 3
"""Places of the shared numbers; from the last on decisions and seconds by seat."""

ELSEWHERE, MAKING, CHOOSING = 0, 1, 2
"""States of a seat."""


@dataclass(frozen=True)
class Setup:
    """The settings that all games of a tournament share.

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


@dataclass(frozen=True)
class Task:
    """A game to play.

    Attributes:
        game: what the schedule says of it.
        agents: agent strings by seat.
        record: the file for its record, which must not exist.
        attempt: how often it was tried before.
    """

    game: ScheduledGame
    agents: tuple[str, ...]
    record: str
    attempt: int = 0


@dataclass(frozen=True)
class Played:
    """The result of a game that was played.

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


class Watch:
    """Tells the other process who is choosing, and until when."""

    def __init__(self, shared: Any) -> None:
        self.shared = shared

    def begin(self, count: int) -> None:
        """Begin a game of so many seats."""
        self.shared[COUNTS : COUNTS + 2 * count] = [0.0] * (2 * count)
        self.end()

    def start(self, seat: int, phase: int, seconds: float) -> None:
        """Note that a seat begins a phase, and how many seconds it has."""
        # The time comes last: whoever sees it sees whose it is.
        self.shared[SEAT], self.shared[PHASE] = seat, phase
        self.shared[UNTIL] = time.monotonic() + seconds

    def end(self) -> None:
        """Note that nobody does anything."""
        self.shared[UNTIL] = math.inf
        self.shared[SEAT], self.shared[PHASE] = -1, ELSEWHERE

    def note(self, seat: int, count: int, spent: float) -> None:
        """Count a decision of one of `count` seats, and the seconds that it took."""
        self.shared[COUNTS + seat] += 1
        self.shared[COUNTS + count + seat] += spent


def _shown(value: object, most: int) -> str:
    """Return one line about an agent's object that every file can hold, whatever the object's methods do."""
    try:
        text = f"{type(value).__name__}: {value}" if isinstance(value, BaseException) else repr(value)
    except BaseException as error:
        text = f"({type(error).__name__} where it was to be told)"
    return show((text.splitlines() or [""])[0], most)


@contextlib.contextmanager
def _blame(seat: int, what: str) -> Iterator[None]:
    """Turn whatever an agent raises into its fault."""
    try:
        yield
    except _Fault:
        raise
    except BaseException as error:
        # SystemExit and KeyboardInterrupt as well: nobody but the agent can have raised them here.
        text = _shown(error, 200)
        raise _Fault(seat, f"{what}: {text}", traceback.format_exc()[-DETAILS:]) from error


class _Table:
    """The agents of one game and what they have used."""

    def __init__(self, setup: Setup, task: Task, watch: Watch) -> None:
        self.setup, self.task, self.watch = setup, task, watch
        self.count = len(task.game.seats)
        self.players: list[agents.Agent] = []
        self.reserve = [setup.grace] * self.count
        self.decisions = [0] * self.count
        self.seconds = [0.0] * self.count

    def make(self) -> None:
        """Make the agents, and tell them that a game begins."""
        for seat, (agent_string, seed) in enumerate(zip(self.task.agents, self.task.game.seeds, strict=True)):
            with self._limited(seat), _blame(seat, "cannot be made"):
                agent = agents.load_agent(agent_string, seed=seed)
                # Known to be there before anything else of it runs, so that it is closed whatever happens.
                self.players.append(agent)
                agents.begin(agent, self.setup.game, seat)

    @contextlib.contextmanager
    def _limited(self, seat: int) -> Iterator[None]:
        self.watch.start(seat, MAKING, self.setup.limit)
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
        self.watch.start(seat, CHOOSING, allowed)
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
            raise _Fault(seat, overtime(self.setup))
        if seconds is not None:
            self.reserve[seat] -= max(0.0, spent - seconds)
        try:
            number = -1 if isinstance(action, (bool, np.bool_)) else operator.index(cast(Any, action))
        except BaseException:  # somebody else's __index__
            number = -1
        if number not in legal:
            text = _shown(action, 60)
            raise _Fault(seat, f"illegal action {text}", f"legal in phase {state.phase}: {legal}"[:DETAILS])
        return number

    def close(self) -> str:
        """Let agents that have something to close close it; return what went wrong."""
        wrong = ""
        for seat, agent in enumerate(self.players):
            try:
                with self._limited(seat), _blame(seat, "crashed when closed"):
                    agents.close(agent)
            except _Fault as fault:
                wrong += fault.details
        self.players.clear()
        return wrong


def overtime(setup: Setup) -> str:
    """Return the reason of a forfeit on time."""
    if setup.seconds is None:
        return f"no decision within {setup.limit:g} s"
    return f"out of time: {setup.seconds:g} s a decision, and {setup.grace:g} s over a game"


def play_game(setup: Setup, task: Task, shared: Any = None) -> Played:
    """Play one game, keep its record, and verify it.

    Args:
        setup: what all games share.
        task: the game.
        shared: 3 + 2 * seats numbers, in which the process reports who chooses; None reports to nobody.
    """
    game, count = setup.game, len(task.game.seats)
    watch = Watch([0.0] * (COUNTS + 2 * count) if shared is None else shared)
    watch.begin(count)
    # Agents that use the generators of the process play the same game again, too.
    random.seed(task.game.seed)
    np.random.seed(task.game.seed % 2**32)  # noqa: NPY002
    table = _Table(setup, task, watch)
    status, end, forfeit, reason, details = "void", End.void(count), None, "", ""
    verified = unwritten = False
    try:
        state = game.initial_state(seed=task.game.seed, trace=True)
        options = {"pairing": task.game.pairing, "rotation": task.game.rotation, "agents": list(task.agents)}
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
        # Probably not an agent's fault: the game does not count, and is tried again.
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
    recorded = End.of(found.state) if forfeit is None else End.forfeited(len(seats), forfeit)
    if recorded != end:
        raise RecordError(f"{path} ends with {recorded}, not {end}")


def check_agent(setup: Setup, agent_string: str, watch: Watch | None = None) -> str:
    """Make an agent as for a game; return what is wrong with its agent string, or "".

    An OptionError is a user's slip (a name, a parameter, missing weights), and so is a library that is not installed.
    Whatever else goes wrong is the agent's, and costs it its games.
    """
    watch = Watch([0.0] * COUNTS) if watch is None else watch
    watch.start(0, MAKING, setup.limit)
    try:
        agent = agents.load_agent(agent_string, seed=0)
        try:
            agents.begin(agent, setup.game, 0)
        finally:
            agents.close(agent)
    except (OptionError, ImportError) as error:
        return f"agent {agent_string!r}: {error}"
    except BaseException:
        return ""
    finally:
        watch.end()
    return ""


def warm(setup: Setup, agent_string: str, shared: Any) -> str:
    """Let an agent choose once, so that what it compiles is compiled before its clock runs. Returns what went wrong."""
    watch = Watch(shared)
    try:
        watch.start(0, MAKING, setup.limit)
        agent = agents.load_agent(agent_string, seed=0)
        state = setup.game.initial_state(seed=0)
        if state.is_terminal:
            return ""
        seat = state.acting_players[0]
        agents.begin(agent, setup.game, seat)
        agent.act(state.for_search(seat), state.legal_actions(seat), agents.Clock(setup.seconds))
        agents.close(agent)
    except BaseException:
        return traceback.format_exc()
    finally:
        watch.end()
    return ""
