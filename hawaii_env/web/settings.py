"""Settings of a server and its limits."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hawaii_env import games

__all__ = ["Draw", "Settings", "fair_draw"]

Draw = Callable[[Sequence[tuple[int, float]]], int]
"""Function that picks one outcome of a chance node from pairs of outcome and probability."""

_system = secrets.SystemRandom()


def fair_draw(outcomes: Sequence[tuple[int, float]]) -> int:
    """Return one of the outcomes by its probability, drawn with the operating system's generator."""
    # Games on the server have no generators of their own, so there is none to store or leak.
    at = _system.random()
    for outcome, probability in outcomes:
        at -= probability
        if at < 0:
            return outcome
    return outcomes[-1][0]


@dataclass(frozen=True)
class Settings:
    """The settings of a server.

    Attributes:
        game: name of the game.
        options: options of the game that the server sets, such as the ruleset; browsers choose the others.
        database: SQLite file, or ``":memory:"``.
        agents: agent strings of the opponents on offer; no other agent is ever made from a request.
        levels: whether opponents are also offered by level.
        values: valuers for the curve of a finished game (see `hawaii_env.replay.values`), best first; the first that
            works is used.
        hints: agent strings for hints, best first; the first that works is used. If empty, there are no hints.
        load: Python files that register agents.
        hosts: host names that requests may use, besides ``localhost`` and plain addresses.
        secure: True restricts the session's cookie to HTTPS.
        seconds: time of an agent for a decision, in seconds.
        hint_seconds: time for a hint, in seconds.
        grace: further seconds after which an agent that has not answered is stopped.
        workers: processes that run agents; 0: threads of this process, which cannot be stopped.
        body_limit: most bytes of a request's body.
        record_limit: most bytes of the body of a request with a record.
        trusted: addresses and networks of proxies whose ``X-Forwarded-For`` is believed.
        rate: requests that one address may send, in the notation of the library ``limits``: ``200/5 seconds``, several
            separated by ``;``.
        heavy_rate: the same for expensive requests: new games, records, positions, hints, invitations, saves.
        new_rate: the same for requests that store something: new games and saves.
        chat_rate: messages of one person in a game.
        work_rate: seconds of processor time that one address may use for long work: records, saves, rebuilding games,
            advice, curves, replays.
        bytes_rate: bytes of records, saves and loaded games that one address may store.
        held: bytes of request bodies in memory at a time.
        held_each: of these, bytes from one address.
        connections: connections open at a time.
        connections_each: of these, connections of one address; proxies of `trusted` have no such limit.
        polls: requests that wait for news at a time; beyond it, requests of the address with the most are answered
            early.
        polls_each: of these, requests of one address.
        session_days: days without a visit after which a browser is forgotten.
        games_each: games that one browser may have.
        games_all: games that the server keeps. Beyond it, finished games are deleted, the longest idle first, then
            games in which no person has decided anything for a day; if none can be deleted, no new game can be started.
        watchers: people who may watch a game through its link.
        saves_each: saved games that one browser may have.
        saves_all: saved games of all browsers together.
        bytes_all: size of the database in bytes beyond which no new games and saves are allowed; games in progress
            continue.
        events: events of games held in memory, plus 100 for each game; an event takes about 2 KB.
        absent: seconds after which an agent may play for a person who has left.
        ahead: events that a game between agents may be ahead of its spectators.
        draw: function that picks the outcome of a die or card.
    """

    game: str = games.DEFAULT
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    database: str = ":memory:"
    agents: tuple[str, ...] = ("random",)
    levels: bool = True
    values: tuple[str, ...] = ("ppo", "playouts:games=20")
    hints: tuple[str, ...] = ()
    load: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    secure: bool = False
    seconds: float = 1.0
    hint_seconds: float = 2.0
    grace: float = 20.0
    workers: int = 1
    body_limit: int = 64 * 1024
    record_limit: int = 2 * 1024 * 1024
    trusted: tuple[str, ...] = ()
    rate: str = "200/5 seconds"
    heavy_rate: str = "40/20 seconds"
    new_rate: str = "500/day"
    chat_rate: str = "5/10 seconds; 60/10 minutes"
    work_rate: str = "120/10 minutes"
    bytes_rate: str = "20000000/day"
    held: int = 64 * 1024**2
    held_each: int = 8 * 1024**2
    connections: int = 500
    connections_each: int = 50
    polls: int = 300
    polls_each: int = 24
    session_days: float = 30.0
    games_each: int = 100
    games_all: int = 5000
    watchers: int = 50
    saves_each: int = 50
    saves_all: int = 5000
    bytes_all: int = 2 * 1024**3
    events: int = 150_000
    absent: float = 300.0
    ahead: int = 40
    draw: Draw = field(default=fair_draw, repr=False)
