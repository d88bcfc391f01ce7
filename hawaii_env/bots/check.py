"""``hawaii bot check``: play a bot against random, and say whether it keeps the protocol, how fast it is, and what to
mend.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hawaii_env.agents import BaseAgent, Clock
from hawaii_env.command_line import SEED, add_arguments, argument, count, positive
from hawaii_env.errors import (
    AgentCrashError,
    AgentError,
    AgentIllegalActionError,
    AgentProtocolError,
    AgentTimeoutError,
)
from hawaii_env.game import Decision, Game, State
from hawaii_env.playing import play
from hawaii_env.texts import count as plural

from . import protocol
from .agent import SubprocessAgent, bot

__all__ = ["add_bot_arguments", "check", "run_bot"]

HINTS: dict[type[AgentError], str] = {
    AgentTimeoutError: "Does it write a newline after each answer, and flush its output? Does it answer 'hello' "
    "with 'ready' and each 'decide' with 'action', and nothing else? A search keeps within 'seconds' of the message.",
    AgentCrashError: "Its standard error says more; run it by hand, and paste the lines that --verbose shows.",
    AgentProtocolError: "Standard output is for answers alone: one JSON object a line. Print whatever else to "
    "standard error.",
    AgentIllegalActionError: "Choose an 'action' or a 'text' from the 'legal' of the same message.",
}


class _Timed(BaseAgent):
    """Notes how long another agent takes."""

    def __init__(self, agent: SubprocessAgent) -> None:
        self.agent = agent
        self.name = agent.name
        self.seconds: list[float] = []

    def begin(self, game: Game, player: int) -> None:
        self.agent.begin(game, player)

    def act(self, state: State, legal_actions: Sequence[int], clock: Clock | None = None) -> int:
        started = time.perf_counter()
        action = self.agent.act(state, legal_actions, clock)
        self.seconds.append(time.perf_counter() - started)
        return action


def _game(subject: SubprocessAgent, game: Game, seat: int, seed: int) -> tuple[State, list[float], list[int]]:
    """Play one game against random; returns the last position, the bot's times and its choices."""
    timed = _Timed(subject)
    seats: list[Any] = [f"random:seed={seed + player}" for player in range(game.num_players)]
    seats[seat] = timed
    state = play(game, seats, seed)
    subject.finish(state)
    chosen = [e.action for e in state.trace or [] if isinstance(e, Decision) and e.player == seat and not e.forced]
    return state, timed.seconds, chosen


def _newer(subject: SubprocessAgent, game: Game) -> None:
    """Send what a later version might: a message of another type, and a field more."""
    assert subject.process is not None
    deadline = time.perf_counter() + 1.0
    subject.process.send(protocol.dump({"type": "x_later", "note": "ignore me"}), deadline)
    subject.process.send(protocol.dump({**protocol.new_game(game, 0), "x_later": [1, {"a": None}]}), deadline)


def check(make: Callable[[], SubprocessAgent], game: Game, games: int = 4, seed: int = 0, out: Any = print) -> bool:
    """Check a bot, and print what was found.

    Args:
        make: makes the bot's agent anew, with the same seed each time.
        game: what is played.
        games: games against random, the bot in each seat in turn.
        seed: of the first game.
        out: prints a line.

    Returns:
        True when the bot kept the protocol throughout.
    """
    subject = make()
    doing = "starting"
    try:
        with subject:
            started = time.perf_counter()
            subject.begin(game, 0)
            took = time.perf_counter() - started
            out(
                f"ok    ready after {1000 * took:.0f} ms: {subject.name!r}, wants "
                f"{', '.join(subject.want) or 'nothing more'}"
            )
            doing = "ignoring message types and fields that it does not know"
            _newer(subject, game)
            seconds: list[float] = []
            results: list[float] = []
            first: list[int] = []
            for number in range(games):
                seat = number % game.num_players
                doing = f"in game {number + 1} of {games}, as {game.agents[seat]}, seed {seed + number}"
                state, times, chosen = _game(subject, game, seat, seed + number)
                seconds += times
                results.append(state.returns()[seat])
                first = first or chosen
                if number == 0:
                    out("ok    ignores messages and fields that it does not know")
            won, lost = sum(r > 0 for r in results), sum(r < 0 for r in results)
            out(
                f"ok    {plural(games, 'game')} against random, {plural(len(seconds), 'decision')}, all legal; "
                f"won {won}, tied {games - won - lost}, lost {lost}"
            )
            assert subject.process is not None
            peak = subject.process.peak_mb()
            doing = "exiting"
            for line, how in ((protocol.dump({"type": "quit"}), "'quit'"), (None, "the end of its input")):
                subject.begin(game, 0)
                process = subject.process
                assert process is not None
                exited = process.stop(line, 1.0)
                if exited is None:
                    out(f"FAIL  it still ran 1 s after {how}; it was killed")
                    return False
                out(f"ok    exits {1000 * exited:.0f} ms after {how}")
        doing = "playing the first game again"
        with make() as again:
            _, _, chosen = _game(again, game, 0, seed)
        out(f"note  the same seeds give {'the same' if chosen == first else 'another'} game")
    except AgentError as error:
        out(f"FAIL  {doing}: {error}")
        out(f"      {next(hint for kind, hint in HINTS.items() if isinstance(error, kind))}")
        return False
    _report(subject, seconds, peak, out)
    return True


def _report(subject: SubprocessAgent, seconds: Sequence[float], peak: float | None, out: Any) -> None:
    """Print the time and the memory that a bot took."""
    mean, half, most, worst = 1000 * np.array([np.mean(seconds), *np.quantile(seconds, [0.5, 0.95, 1.0])])
    out(f"      time a decision, in ms: mean {mean:.2f}, median {half:.2f}, 95% {most:.2f}, longest {worst:.2f}")
    if peak is not None:
        out(
            f"      most memory: {peak:.0f} MB" + ("" if subject.memory_mb is None else f" of {subject.memory_mb:g} MB")
        )
    if subject.seconds is not None and worst > 500 * subject.seconds:
        out(
            f"note  the longest decision took {worst / 10 / subject.seconds:.0f}% of its {subject.seconds:g} s; on a "
            "busy machine it may fail"
        )


# The command


def add_bot_arguments(
    parser: argparse.ArgumentParser, game_arguments: Callable[[argparse.ArgumentParser], None]
) -> None:
    """Add the arguments of ``hawaii bot``; `game_arguments` adds those that choose the game."""
    kinds = parser.add_subparsers(dest="bot_command", metavar="check | schema", required=True)
    checking = kinds.add_parser("check", help="play a bot against random, and check that it follows the protocol")
    add_arguments(
        checking,
        argument("bot", metavar="COMMAND", help="the bot's command in quotes, or its .toml file"),
        argument("--games", type=count, default=4, help="games against random (default: %(default)s)"),
        argument("--seconds", type=positive, help="maximum seconds per decision (default: the file's, or 1)"),
        argument("--memory-mb", type=positive, metavar="MB", help="cap on its memory (default: the file's, or none)"),
        argument("--verbose", action="store_true", help="show every message, on standard error"),
        SEED,
    )
    game_arguments(checking)
    kinds.add_parser("schema", help="print the JSON Schema of the messages")


def run_bot(arguments: argparse.Namespace, game: Callable[[], Game]) -> int:
    """Run ``hawaii bot``; returns its exit status.

    Args:
        arguments: as `add_bot_arguments` parses them.
        game: makes the game that is played.
    """
    if arguments.bot_command == "schema":
        print(json.dumps(protocol.schema(), indent=2))
        return 0

    def make() -> SubprocessAgent:
        named = {"file" if arguments.bot.endswith(".toml") else "command": arguments.bot}
        made = bot(**named, seconds=arguments.seconds, memory_mb=arguments.memory_mb, seed=arguments.seed)
        if made.seconds is None:
            made.seconds = 1.0
        if arguments.verbose:
            made.watch = lambda way, line: print(way, line.decode("utf-8", "replace").rstrip(), file=sys.stderr)
        return made

    return 0 if check(make, game(), arguments.games, arguments.seed) else 1
