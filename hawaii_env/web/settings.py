"""Settings of a server, and its limits."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hawaii_env import games

__all__ = ["Draw", "Settings", "fair_draw"]

Draw = Callable[[Sequence[tuple[int, float]]], int]
"""Picks one outcome of a chance node, given outcomes with their probabilities."""

_system = secrets.SystemRandom()


def fair_draw(outcomes: Sequence[tuple[int, float]]) -> int:
    """Return one of the outcomes by its probability, from the operating system's generator."""
    # Nothing to store and nothing to leak: no game on the server has a generator of its own.
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
        game: name of the game that is played.
        options: options of the game that are the server's to choose, as its ruleset: browsers choose the others.
        database: SQLite file of the games, or ``":memory:"``.
        agents: agent strings of the opponents that may be chosen; nothing else is ever made from a request.
        levels: whether opponents are offered by level, too.
        values: valuers for the curve of a game that is over (see `hawaii_env.replay.values`), best first; the first
            that works is asked.
        hints: agent strings of agents that may give hints, best first; the first that works is taken. Empty: no hints.
        load: Python files that register agents, named by whoever starts the server.
        hosts: host names, besides ``localhost`` and plain addresses, that requests may be addressed to.
        secure: True marks the session's cookie for HTTPS alone.
        seconds: time of an agent for a decision.
        hint_seconds: time for a hint.
        grace: more seconds, after which an agent that has not answered is stopped.
        workers: processes in which agents think; 0: threads of this process, which cannot be stopped.
        body_limit: bytes of a request's body; `record_limit` for records.
        record_limit: bytes of a request that brings a record.
        trusted: addresses and networks of proxies that tell in ``X-Forwarded-For`` for whom they ask.
        rate: requests that one address may make, as the library ``limits`` writes it: ``200/5 seconds``, several with
            ``;``.
        heavy_rate: the same for what costs more: new games, records, positions, hints, invitations, saves.
        new_rate: the same for what is kept: new games and saves.
        chat_rate: messages of one person in a game.
        work_rate: seconds of processor time that one address may use for what takes long: records, saves and games that
            are made again, advice, curves, replays.
        bytes_rate: bytes of records, saves and loaded games that one address may have stored.
        held: bytes of requests' bodies in memory at a time; `held_each` of one address.
        held_each: see `held`.
        connections: connections that are open at a time.
        connections_each: of these, those of one address; proxies of `trusted` have no such limit.
        polls: requests that wait for news at a time; above it some of the address that has most are answered early.
        polls_each: of these, those of one address.
        session_days: days after which a browser that was not seen is forgotten.
        games_each: games that one browser may have.
        games_all: games that the server keeps at most. Above it finished ones go, the longest idle first, then those in
            which no person has decided anything for a day; others stay, and there is no new game.
        watchers: people who may watch a game by its link.
        saves_each: saved games that one browser may have; `saves_all` all together.
        saves_all: see `saves_each`.
        bytes_all: size of the database above which there are no new games and saves; what has begun continues.
        events: events of the games that are held in memory, 100 more a game; they take some 2 KB each.
        absent: seconds after which an agent may play for a person who has gone.
        ahead: events that two agents play ahead of who watches them.
        draw: picks the outcome of a die or card.
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
