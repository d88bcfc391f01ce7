"""What a server allows, and its limits."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from hawaii_env.errors import OptionError

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
    """What a server allows.

    Attributes:
        database: SQLite file of the games, or ``":memory:"``.
        agents: specs of the opponents that may be chosen; nothing else is ever made from a request.
        levels: whether opponents are offered by level, too.
        values: valuers for the curve of a game that is over (see `hawaii_env.replay.values`), best first; the first that works is asked.
        hints: specs that may give hints, best first; the first that works is taken. Empty: no hints.
        load: Python files that register agents, named by whoever starts the server.
        rules: a ruleset folder, or None for the shipped ruleset.
        hosts: host names, besides ``localhost`` and plain addresses, that requests may be addressed to.
        secure: True marks the session's cookie for HTTPS alone.
        seconds: time of an agent for a decision.
        hint_seconds: time for a hint.
        grace: more seconds, after which an agent that has not answered is stopped.
        workers: processes in which agents think; 0: threads of this process, which cannot be stopped.
        body_limit: bytes of a request's body; `record_limit` for records.
        record_limit: bytes of a request that brings a record.
        rate: requests a second that one address may make in the long run; `burst` at once.
        burst: see `rate`.
        heavy_rate: the same for what costs more: new games, records, positions, hints, invitations.
        heavy_burst: see `heavy_rate`.
        games_each: games that one browser may have.
        games_all: games that the server keeps at most; above it the longest idle finished ones go first.
        rooms: games held in memory.
        absent: seconds after which an agent may play for a person who has gone.
        ahead: events that two agents play ahead of who watches them.
        draw: picks the outcome of a die or card.
    """

    database: str = ":memory:"
    agents: tuple[str, ...] = ("random",)
    levels: bool = True
    values: tuple[str, ...] = ("ppo", "playouts:games=20")
    hints: tuple[str, ...] = ()
    load: tuple[str, ...] = ()
    rules: str | None = None
    hosts: tuple[str, ...] = ()
    secure: bool = False
    seconds: float = 1.0
    hint_seconds: float = 2.0
    grace: float = 20.0
    workers: int = 1
    body_limit: int = 64 * 1024
    record_limit: int = 2 * 1024 * 1024
    rate: float = 40.0
    burst: float = 200.0
    heavy_rate: float = 2.0
    heavy_burst: float = 40.0
    games_each: int = 100
    games_all: int = 5000
    rooms: int = 128
    absent: float = 300.0
    ahead: int = 40
    draw: Draw = field(default=fair_draw, repr=False)

    def __post_init__(self) -> None:
        for name in ("seconds", "hint_seconds", "rate", "burst", "heavy_rate", "heavy_burst"):
            if not getattr(self, name) > 0:
                raise OptionError(f"{name}: more than 0 is wanted, not {getattr(self, name)!r}")
        if self.workers < 0:
            raise OptionError(f"workers: 0 or more, not {self.workers!r}")
        if not self.agents:
            raise OptionError("agents: at least one agent must be offered")
