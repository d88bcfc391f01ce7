"""Supervised calls of agents: attributes errors, and changes of the shared process, to the agent that caused them.

`Supervisor` calls the agents of one game. An exception of any kind, a wrong answer, and a change of shared state of the
process (its folder, environment, signal handlers, streams, descriptors, threads, generators, limits, code) raise an
`AgentError`; the change is undone. The arena turns the error into a forfeit; `hawaii_env.play` raises it.

The parent process handles agents that end or block the process.
"""

from __future__ import annotations

import contextlib
import contextvars
import faulthandler
import mmap
import os
import sys
import threading
import time
import traceback
from collections.abc import Callable
from typing import Any, TypeVar, cast

from hawaii_env import agents
from hawaii_env._arguments import whole
from hawaii_env.code_state import Code
from hawaii_env.errors import AgentConductError, AgentCrashError, AgentError, AgentIllegalActionError, OptionError
from hawaii_env.game import Game, State
from hawaii_env.process_state import (
    ASPECTS,
    BUILTINS,
    FORKS,
    Aspect,
    Descriptors,
    Noted,
    allocated,
    getpid,
    kept,
    threads,
)
from hawaii_env.render.picture import MissingExtraError
from hawaii_env.texts import show

__all__ = ["Supervisor"]

DETAILS = 20_000
"""Maximum length of a stored traceback; its end is the most informative part."""

PATIENCE = 0.25
"""Seconds for an agent's threads and forks to end after its answer."""

T = TypeVar("T")


def shown(value: object, most: int) -> str:
    """Return one line about an agent's object that every file can hold, whatever the object's methods do."""
    try:
        text = f"{type(value).__name__}: {value}" if isinstance(value, BaseException) else repr(value)
    except BaseException as error:
        text = f"({type(error).__name__} where it was to be told)"
    return show((text.splitlines() or [""])[0], most)


def _answer(action: Any) -> int | None:
    """Return an agent's answer as an exact int, or None if it is not an action."""
    try:
        return whole(action)
    except BaseException:  # an agent may raise SystemExit
        return None


class Supervisor:
    """The agents of one game, each called under supervision.

    Only the main thread of a process can be supervised in full: elsewhere changes of the process are not looked for,
    because they may be somebody else's.

    Args:
        game: the game.
        worker: True in a process that agents alone may interrupt: KeyboardInterrupt is an agent's there, as is an error
            of its options, and MemoryError that of the agent which holds the memory.
        memory: bytes that the process may allocate, or None. An agent that holds half of them is at fault where they do
            not suffice.

    Attributes:
        players: the agents by seat.
        names: their names.
    """

    def __init__(self, game: Game, worker: bool = False, memory: int | None = None, careful: bool = False) -> None:
        count = game.num_players
        self.game: Game = game
        self.worker: bool = worker
        self.careful: bool = careful
        self.players: list[agents.Agent | None] = [None] * count
        self.names: list[str] = [f"of {name}" for name in game.agents]
        self._pid = getpid()
        self._forked = mmap.mmap(-1, count)  # shared with forks
        self._contexts = [contextvars.copy_context() for _ in range(count)]
        self.memory: int | None = memory
        self._held, self._allocated = [0] * count, 0 if memory is None else allocated()
        self._descriptors = Descriptors()
        self._noted = Noted.kept or Noted()
        self._whole = threading.current_thread() is threading.main_thread()
        closed = Aspect("closed or replaced descriptors", self._descriptors.read, self._descriptors.restore)
        opened = Aspect("left no descriptor free", self._descriptors.has_room, self._descriptors.make_room)
        self._aspects = (closed, opened, *ASPECTS) if self._whole else ()
        self._home = [kept(aspect.read()) for aspect in self._aspects]
        self._builtins, self._spoiled = dict(BUILTINS), False
        self._threads = threads()
        self._code = self._code_now() if self._whole else None

    def guard(self, descriptor: int, file: bool = False) -> None:
        """Protect a descriptor, besides the standard ones; with `file`, that of an open file."""
        self._descriptors.numbers.append(descriptor)
        if file:
            self._descriptors.files.append(descriptor)
        self._home[:1] = [self._descriptors.read()] if self._whole else []

    def forget(self, descriptor: int) -> None:
        """Stop protecting a descriptor, before it is closed."""
        self._descriptors.numbers.remove(descriptor)
        if descriptor in self._descriptors.files:
            self._descriptors.files.remove(descriptor)
        self._home[:1] = [self._descriptors.read()] if self._whole else []

    # The agents

    def make(self, seat: int, agent: str | agents.Agent, seed: int | None = None) -> None:
        """Make an agent from its string, and tell it that a game begins.

        Raises:
            AgentError: it cannot be made.
            OptionError, MissingExtraError: its string is wrong, or a library is missing, except in a worker.
        """

        def make() -> None:
            if isinstance(agent, str):
                self.names[seat] = agent[:80]  # until it is made
            self.players[seat] = made = agents.load_agent(agent, seed=seed)
            self.names[seat] = str.__str__(made.name)[:80]
            agents.begin(made, self.game, seat)

        modules = len(sys.modules)
        self.call(seat, "cannot be made", make)
        if self._code is not None and len(sys.modules) != modules:
            self.inspect()
            self._code = self._code_now()  # what has been loaded meanwhile, too

    def choose(self, seat: int, state: State, clock: agents.Clock | None = None) -> int:
        """Return an agent's legal action in a position.

        Raises:
            AgentError: it did not return one.
        """
        legal = state.legal_actions(seat)
        offered, position = list(legal), state.for_search(seat)

        def act() -> tuple[int | None, str]:
            action = cast(agents.Agent, self.players[seat]).act(position, offered, clock)
            number = _answer(action)
            return (number, "") if number in legal else (None, shown(action, 60))

        number, text = self.call(seat, "crashed", act, deciding=True)
        if number is None:
            about = f"legal in phase {state.phase}: {legal}"[:DETAILS]
            raise self._error(AgentIllegalActionError, seat, f"illegal action {text}", about)
        return number

    def finish(self, seat: int, state: State) -> None:
        """Show an agent the last position; see `inspect`."""
        self.inspect()
        self.call(seat, "crashed at the end", agents.finish, self.players[seat], state)

    def release(self, seat: int) -> None:
        """Close an agent and release it now, rather than during another agent's time."""

        def release() -> None:
            agent, self.players[seat] = self.players[seat], None
            agents.close(cast(Any, agent))

        self.call(seat, "crashed when closed", release)

    def close(self) -> None:
        """End the supervision and undo all changes by agents."""
        if self._code is not None:
            self._code.restore()
        self._descriptors.close()
        self._forked.close()

    # Calls

    def _code_now(self) -> Code:
        """Return the code as it is now, with functions that are replaced permanently in their places: those of a module
        that has just been loaded, too.
        """
        if self._noted is Noted.kept:
            self._noted.replace()
        return Code(self.game)

    def inspect(self) -> None:
        """Check that the code that plays games is unchanged; undo changes.

        Raises:
            AgentConductError: an agent has changed it; a careful supervisor identifies which one.
        """
        if self._code is not None and (changed := self._code.restore()):
            error = AgentConductError(", ".join(self.names), _changed(changed))
            error.noun, error.lasting = "one of the agents", True
            raise error

    def call(self, seat: int, what: str, function: Callable[..., T], *args: Any, deciding: bool = False) -> T:
        """Call a function of an agent and return its result.

        Args:
            seat: the agent's.
            what: description of the fault if it raises.
            function: is called in a context of the seat's own.
            args: its arguments.
            deciding: True if generators of the process may be used, and not seeded, as libraries do when they load.

        Raises:
            AgentError: the function raised or changed the process.
        """
        forks, modules, problem, details = FORKS[0], len(sys.modules), "", ""
        result: Any = None
        caught: BaseException | None = None
        code = self._code if self.careful else None
        restore = None if code is None else code.restore  # the agent may put another in its place
        places = self._descriptors.places()
        # Of several threads each would take the others' replacements for what was there.
        with self._noted() if self._whole else contextlib.nullcontext():
            try:
                result = self._run(seat, function, *args)
            except BaseException as error:  # SystemExit as well
                caught = error
        changed = [] if restore is None else restore()
        if caught is not None:
            if isinstance(caught, MemoryError):
                traceback.clear_frames(caught.__traceback__)  # or there would be none to tell of it
            problem, details = f"{what}: {shown(caught, 200)}", _details(caught)
        cause = None if self.worker else caught
        found, lasting = self._put_right(modules)
        if changed:
            found.append(_changed(changed))
            lasting = True
        if places != self._places():
            found.append("wrote to a file of the process")
            lasting = True
        if self._noted.unseed() and deciding:
            found.append("seeded a generator of the process")
        if self._noted.hooked:
            found.append("added an audit hook")
        if forks != FORKS[0] or self._forked[seat]:
            found += self._stray(seat)
        if isinstance(cause, (KeyboardInterrupt, OptionError, MissingExtraError, AgentError)) and not found:
            raise cause  # the user's own, or an agent's that says it all
        if self.memory is not None:
            seat = self._charge(seat, "MemoryError" in problem)
        if problem or found:
            kind = AgentConductError if found else AgentCrashError
            error = self._error(kind, seat, "; ".join([problem] * bool(problem) + found), details)
            error.lasting = lasting
            raise error from cause
        return result

    def _places(self) -> list[tuple[int, int]] | None:
        try:
            return self._descriptors.places()
        except OSError:  # closed
            return None

    def _run(self, seat: int, function: Callable[..., T], *args: Any) -> T:
        """Call a function in a seat's context. A fork that comes back ends: it must not go on as this process."""
        try:
            return self._contexts[seat].run(function, *args)
        finally:
            # First what all that follows is written in.
            self._spoiled = self._builtins != BUILTINS
            if self._spoiled:
                BUILTINS.clear()
                BUILTINS.update(self._builtins)
            if getpid() != self._pid:
                try:
                    self._forked[seat] = 1
                finally:
                    os._exit(0)

    def _error(self, kind: type[AgentError], seat: int, what: str, details: str) -> AgentError:
        error = kind(self.names[seat], what)
        error.noun, error.seat, error.details = "agent", seat, details
        return error

    def _stray(self, seat: int) -> list[str]:
        """Return the fault if a fork of the process returned from the agent; wait for it briefly."""
        _within(lambda: self._forked[seat] != 0)
        return ["forked, and the fork came back"] if self._forked[seat] else []

    def _charge(self, seat: int, lacking: bool) -> int:
        """Charge a seat with memory; return the seat whose fault it is if memory is `lacking`."""
        now = allocated()
        self._held[seat] += now - self._allocated
        self._allocated = now
        most = max(range(len(self._held)), key=self._held.__getitem__)
        return most if lacking and self._held[most] > cast(int, self.memory) / 2 else seat

    def _put_right(self, modules: int) -> tuple[list[str], bool]:
        """Return what the agent has changed, each with what it did, and True if something could not be put back.

        Args:
            modules: how many modules were loaded before: what a module adds as it is loaded stays.
        """
        found = ["changed the module builtins"] * self._spoiled
        lasting = False
        if self.worker:
            faulthandler.cancel_dump_traceback_later()  # which may end the process in somebody else's time
        for number, (aspect, home) in enumerate(zip(self._aspects, self._home, strict=True)):
            now = aspect.read()
            if now == home:
                continue
            if (aspect.shared and not self._noted.set) or (len(sys.modules) > modules and _adds(now, home)):
                self._home[number] = kept(now)
                continue
            try:
                aspect.restore(home)
                lasting |= bool(aspect.fault) and aspect.read() != home
            except (OSError, ValueError, RuntimeError):
                lasting = True
            if aspect.fault:
                found.append(aspect.fault)
        if self._whole:
            if not _within(lambda: threads() <= self._threads and self._noted.quiet()):
                found.append("left a thread running")
                lasting = True
            self._threads &= threads()
        return found, lasting


def _adds(now: Any, home: Any) -> bool:
    """Return True if a dict, or a list in its order, has what it had and more."""
    if isinstance(home, dict):
        return home.items() <= now.items()
    left = iter(now) if isinstance(home, list) else iter(())
    return isinstance(home, list) and len(now) > len(home) and all(any(one is item for one in left) for item in home)


def _details(error: BaseException) -> str:
    try:
        return "".join(traceback.format_exception(error))[-DETAILS:]
    except Exception:  # of an exception with odd attributes
        return f"{type(error).__name__}, of which nothing can be told"


def _changed(names: list[str]) -> str:
    """Return the fault for changed code."""
    names = list(dict.fromkeys(names))
    return show(f"changed {', '.join(names[:3])}{' and more' * (len(names) > 3)}", 200)


def _within(true: Callable[[], bool]) -> bool:
    """Return True once something is true; False after the time that what an agent started has to end."""
    until = time.monotonic() + PATIENCE
    while not (found := true()) and time.monotonic() < until:
        time.sleep(0.005)
    return found
