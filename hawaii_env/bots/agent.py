"""The agent that a bot's process plays behind, and the files that describe bots."""

from __future__ import annotations

import contextlib
import math
import os
import shlex
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, cast

from hawaii_env._arguments import check_kind, check_path, check_text, check_word
from hawaii_env.agent_options import Flag, Given, Real, Seed, Text, Time, checked
from hawaii_env.agents import BaseAgent, Clock
from hawaii_env.errors import AgentError, AgentIllegalActionError, AgentProtocolError, IllegalActionError, OptionError
from hawaii_env.game import SIMULTANEOUS, Game, State
from hawaii_env.texts import describe_error, parse_toml, read_bytes, show, show_value

from . import protocol
from .process import BotProcess

__all__ = ["SubprocessAgent", "bot", "read_manifest"]


def _command(command: object, cwd: Path | None, env: Mapping[str, str]) -> list[str]:
    """Return the words of a command whose program can be run; a program with a '/' is looked for from `cwd`."""
    if isinstance(command, str):
        try:
            words = shlex.split(command)
        except ValueError as error:
            raise OptionError(f"command: {show_value(command)} cannot be split into words: {error}") from None
    elif isinstance(command, Sequence) and all(isinstance(word, str) for word in command):
        words = [str(word) for word in command]
    else:
        raise OptionError(f"command: expected a string or a list of strings, not {show_value(command)}")
    if not words or not words[0]:
        raise OptionError(f"command: expected a program, not {show_value(command)}")
    for word in words:
        check_word("command", word, "a program")
    program = words[0]
    path = check_path("command", (cwd or Path()) / program, "a program")
    if "/" not in program:
        if shutil.which(program, path=env.get("PATH")) is None:
            hint = f"; for the file of this folder write ./{program}" if path.is_file() else ""
            raise OptionError(f"command: there is no program {program!r}{hint}")
    elif not path.is_file():
        raise OptionError(f"command: there is no file {path}")
    elif not os.access(path, os.X_OK):
        raise OptionError(f"command: {path} may not be executed; chmod +x {path}")
    return words


def _environment(env: Mapping[str, str] | None) -> dict[str, str]:
    """Return the variables of an environment that a process can be started with."""
    variables = dict(check_kind("env", {} if env is None else env, Mapping))
    for key, value in variables.items():
        if not isinstance(key, str) or not isinstance(value, str) or not key or "=" in key:
            raise OptionError(
                f"env: variables are strings, their names without '=', not {show_value(key)}: {show_value(value)}"
            )
        for part in (key, value):
            check_word("env", part, "a variable")
    return variables


def _named(state: State, text: str, legal: Sequence[int]) -> int | None:
    """Return the legal action that a text names, or None."""
    for action in legal:
        if state.game.action_text(action) == text:
            return action
    with contextlib.suppress(IllegalActionError):  # games may understand shorter texts
        action = state.game.parse_action(state, text)
        return action if action in legal else None
    return None


class SubprocessAgent(BaseAgent):
    """Plays what a program in any language answers over its standard input and output; see docs/bots.md.

    The process is started when the first game begins, and serves one game after the other. Whatever it does wrong
    raises an `AgentError` and ends it with all its children; the next game starts it anew. It runs with the rights of
    the caller: the limits guard against accidents, not against malice.

    Args:
        command: program and arguments; a string is split as a shell does. A program with a ``/`` is a path from `cwd`.
        seconds: most wall-clock seconds for a decision. A shorter clock of the caller's takes precedence; None
            leaves it to that.
        memory_mb: cap in MiB on the memory of each of the bot's processes. Enforced by Linux; see `BotProcess`.
        grace: seconds beyond the limit that are left for pipes and scheduling before the bot is ended.
        seed: sent to the bot, folded to 31 bits, for its own random numbers.
        name: the agent's name; None takes the one that the bot gives, else that of its file.
        start_seconds: most seconds for the bot to start and be ready.
        restart: True starts a process of its own for each game.
        cwd: the folder that the bot runs in; None is the current one.
        env: variables added to its environment.
        log: a file that its standard error is appended to, up to 1 MiB.
        watch: is called with ``">"`` or ``"<"`` and each line that is sent or received, for debugging.

    Raises:
        OptionError: an argument that cannot be, or a program that is not there.
    """

    name: str = "bot"

    @checked
    def __init__(
        self,
        command: str | Sequence[str],
        seconds: Time = None,
        memory_mb: Annotated[float | None, Real(above=0, most=1e9)] = None,
        grace: Annotated[float, Real(least=0)] = 0.25,
        seed: Annotated[int | None, Seed()] = None,
        name: Annotated[str | None, Text()] = None,
        *,
        start_seconds: Annotated[float, Real(above=0)] = 10.0,
        restart: Annotated[bool, Flag()] = False,
        cwd: str | Path | None = None,
        env: Mapping[str, str] | None = None,
        log: str | Path | None = None,
        watch: Callable[[str, bytes], None] | None = None,
    ) -> None:
        if os.name != "posix":
            raise OptionError("bots run on POSIX systems (Linux, macOS, or WSL on Windows)")
        self.seconds: float | None = seconds
        self.memory_mb: float | None = memory_mb
        self.grace: float = grace
        self.start_seconds: float = start_seconds
        self.seed: int | None = seed
        self.restart = restart
        self._cwd = None if cwd is None else check_path("cwd", cwd)
        if self._cwd is not None and not self._cwd.is_dir():
            raise OptionError(f"cwd: there is no folder {self._cwd}")
        self._env = _environment(env)
        self._log = None if log is None else check_path("log", log)
        if self._log is not None and (self._log.is_dir() or self._log.is_fifo()):
            raise OptionError(f"log: {self._log} is a {'folder' if self._log.is_dir() else 'pipe'}")
        if self._log is not None and not self._log.parent.is_dir():
            raise OptionError(f"log: there is no folder {self._log.parent}")
        if watch is not None and not callable(watch):
            raise OptionError(f"watch: expected a function, not {watch!r}")
        self.command: list[str] = _command(command, self._cwd, {**os.environ, **self._env})
        self._named = None if name is None else check_text("name", name)
        self.name = self._program() if name is None else name
        self.watch = watch
        self._process: BotProcess | None = None
        self._game: Game | None = None
        self._want: list[Any] = []
        self._asked = 0

    def _program(self) -> str:
        """Return the name of a bot that gives none: the first word that is a file besides the interpreter, as my_bot of
        python3 my_bot.py.
        """
        scripts = (word for word in self.command[1:] if ((self._cwd or Path()) / word).is_file())
        return Path(next(scripts, self.command[0])).stem

    @property
    def process(self) -> BotProcess | None:
        """The running process, or None."""
        return self._process if self._process is not None and self._process.alive else None

    @property
    def want(self) -> tuple[str, ...]:
        """Parts of the position that the bot asked for besides its legal actions."""
        return tuple(self._want)

    # Games

    def begin(self, game: Game, player: int) -> None:
        """Start the process where none runs, and tell it of a new game.

        Raises:
            AgentError: the bot cannot be started, is not ready in time, or has gone.
        """
        super().begin(game, player)
        if self.restart:
            self.close()
        process = self.process or self._start()
        self._game = game
        process.send(protocol.dump(protocol.new_game(game, player)), time.perf_counter() + self.start_seconds)

    def act(self, state: State, legal_actions: Sequence[int], clock: Clock | None = None) -> int:
        """Return the bot's choice; see `Agent.act`.

        Raises:
            AgentTimeoutError: it did not answer in time.
            AgentCrashError: it died.
            AgentProtocolError: it wrote something else than one answer.
            AgentIllegalActionError: it chose none of `legal_actions`.
        """
        player = self.player if state.current_player == SIMULTANEOUS else state.current_player
        if self.process is None or self._game != state.game:
            self.begin(state.game, player)
        process = self._process
        assert process is not None
        legal = [int(action) for action in legal_actions]
        self._asked += 1
        message = protocol.decide(self._asked, state, player, legal, self._want)
        # The bot's time begins here: what it takes to look at the position (a first time, to compile it) is not its
        # own.
        limits = [self.seconds, None if clock is None or clock.seconds is None else clock.left]
        # A clock that has run out leaves the grace: a message cannot say "no time".
        seconds = min((max(limit, 1e-3) for limit in limits if limit is not None), default=None)
        message["seconds"] = None if seconds is None else round(seconds, 4)
        line = protocol.dump(message)
        deadline = math.inf if seconds is None else time.perf_counter() + seconds + self.grace
        process.send(line, deadline)
        limit = "" if seconds is None else f"{seconds:.3g} s (and {self.grace:g} s of grace)"
        return self._chosen(process, process.receive(deadline, limit), state, legal)

    def _chosen(self, process: BotProcess, line: bytes, state: State, legal: list[int]) -> int:
        try:
            answer: protocol.Action = protocol.parse(line, protocol.Action)
            if answer.id is not None and answer.id != self._asked:
                raise ValueError(f"id: the question was {self._asked}, not {answer.id}")
        except ValueError as error:
            raise self._misspoken(process, line, "action", error) from None
        number, text = answer.action, answer.text
        own = state.game.action_text(number) if number is not None and 0 <= number < state.game.num_actions else None
        named = number if text is None or text == own else _named(state, text, legal)
        if number is not None and named != number:
            about = f"action {show_value(number)}" + ("" if own is None else f" ({own!r})")
            both = ValueError(f"{about} and text {show_value(text)} are not the same action")
            raise self._misspoken(process, line, "action", both)
        if named in legal:
            return cast(int, named)
        problem = show_value(text) if number is None else f"action {show_value(number)}"
        if number is not None and own is not None:
            problem += f" ({own!r})"
        texts = [state.game.action_text(action) for action in legal[:6]]
        more = f" and {len(legal) - 6} more" if len(legal) > 6 else ""
        raise process.fail(
            AgentIllegalActionError,
            f"chose {problem}, which is not legal in phase {state.phase}; legal are "
            f"{', '.join(map(repr, texts))}{more}",
        )

    def finish(self, state: State) -> None:
        """Tell the bot how the game ended. A bot that has gone by then is not minded: its game is over."""
        if self.process is not None:
            with contextlib.suppress(AgentError):
                self.process.send(
                    protocol.dump(protocol.game_over(state)), time.perf_counter() + min(self.start_seconds, 1.0)
                )
        if self.restart:
            self.close()

    # The process

    def _start(self) -> BotProcess:
        self._asked, self._game = 0, None
        process = self._process = BotProcess(
            self.command,
            who=self.name,
            cwd=self._cwd,
            env=self._env,
            memory_mb=self.memory_mb,
            log=self._log,
            watch=self.watch,
        )
        deadline = time.perf_counter() + self.start_seconds
        process.send(protocol.dump(protocol.hello(self.seed, self.seconds, self.memory_mb)), deadline)
        line = process.receive(deadline, f"{self.start_seconds:g} s of its start; it should have been 'ready'")
        try:
            ready: protocol.Ready = protocol.parse(line, protocol.Ready)
        except ValueError as error:
            raise self._misspoken(process, line, "ready", error) from None
        self._want = list(ready.want)
        if self._named is None and ready.name is not None:
            self.name = process.who = show(ready.name)
        return process

    def _misspoken(self, process: BotProcess, line: bytes, wanted: str, error: ValueError) -> AgentProtocolError:
        shown = process.shown(line.rstrip(b"\r\n"))
        failure = process.fail(AgentProtocolError, f"wrote {shown}, which is no {wanted!r} message: {error}")
        assert isinstance(failure, AgentProtocolError)
        return failure

    def close(self, seconds: float = 0.5) -> None:
        """Let the bot exit, and end it where it does not within `seconds`. A further game starts it anew."""
        if self._process is not None:
            self._process.stop(protocol.dump({"type": "quit"}), seconds)
            self._process = None

    def __enter__(self) -> SubprocessAgent:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"SubprocessAgent({shlex.join(self.command)!r}, name={self.name!r})"


# Bots by file and by spec

_KEYS = ("command", "name", "seconds", "memory_mb", "grace", "start_seconds", "restart", "cwd", "env", "log")


def read_manifest(path: str | Path) -> dict[str, Any]:
    """Return the arguments of `SubprocessAgent` that a TOML file gives. Paths in it are from the file's folder, in
    which the bot runs.

    Raises:
        OptionError: the file is missing, is no TOML, or has an unknown key.
    """
    path = check_path("file", path)
    try:
        found = parse_toml(read_bytes(path))
    except OSError as error:
        raise OptionError(f"bot file {path}: {describe_error(error)}") from error
    except ValueError as error:
        raise OptionError(f"bot file {path} is not TOML: {error}") from error
    for key in found:
        if key not in _KEYS:
            raise OptionError(f"bot file {path} has an unknown key {show_value(key)}; available: {', '.join(_KEYS)}")
    if "command" not in found:
        raise OptionError(f"bot file {path} has no 'command'")
    for key, kind in (("cwd", str), ("log", str), ("name", str), ("env", dict)):
        if key in found and not isinstance(found[key], kind):
            raise OptionError(f"bot file {path}: {key}: expected {'a table' if kind is dict else 'a string'}")
    folder = path.resolve().parent
    found["cwd"] = folder / found.get("cwd", ".")
    if "log" in found:
        found["log"] = folder / found["log"]
    return found


@checked
def bot(
    file: Annotated[str | Path | None, Given("a path", (str, Path))] = None,
    command: Annotated[str | None, Text()] = None,
    seconds: Time = None,
    memory_mb: Annotated[float | None, Real(above=0, most=1e9)] = None,
    grace: Annotated[float | None, Real(least=0)] = None,
    start_seconds: Annotated[float | None, Real(above=0)] = None,
    restart: Annotated[bool | None, Flag()] = None,
    name: Annotated[str | None, Text()] = None,
    log: Annotated[str | Path | None, Given("a path", (str, Path))] = None,
    seed: Annotated[int | None, Seed()] = None,
) -> SubprocessAgent:
    """A program in any language, over JSON lines: ``bot:command=./my_bot.pl,seconds=0.5`` or ``bot:file=my_bot.toml``.

    Args:
        file: a TOML file with the arguments of `SubprocessAgent`, for commands with commas and the like.
        command: or the command itself; words are split at spaces, as a shell does.
        seconds, memory_mb, grace, start_seconds, restart, name, log, seed: as for `SubprocessAgent`; they take
            precedence the
        file's.

    Raises:
        OptionError: neither or both of `file` and `command`, or what `SubprocessAgent` and `read_manifest` refuse.
    """
    if (file is None) == (command is None):
        raise OptionError(
            "a bot is named by its command or by its file: bot:command=./my_bot.pl or bot:file=my_bot.toml"
        )
    options: dict[str, Any] = {"command": command} if file is None else read_manifest(file)
    given: dict[str, Any] = {"seconds": seconds, "memory_mb": memory_mb, "grace": grace, "start_seconds": start_seconds}
    given |= {"restart": restart, "name": name, "log": log, "seed": seed}
    options.update({key: value for key, value in given.items() if value is not None})
    return SubprocessAgent(**options)
