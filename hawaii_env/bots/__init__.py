"""Bots in any language: a program that speaks JSON lines on standard input and output plays as an agent.

>>> import hawaii_env
>>> hawaii_env.load_agent("bot:command=./my_bot.pl,seconds=0.5,memory_mb=512")  # doctest: +SKIP

docs/bots.md has the protocol, and bots to start from.
"""

from __future__ import annotations

from hawaii_env.errors import (
    AgentCrashError,
    AgentError,
    AgentIllegalActionError,
    AgentProtocolError,
    AgentTimeoutError,
)

from .agent import SubprocessAgent, bot, read_manifest
from .protocol import PROTOCOL, schema

__all__ = [
    "PROTOCOL",
    "AgentCrashError",
    "AgentError",
    "AgentIllegalActionError",
    "AgentProtocolError",
    "AgentTimeoutError",
    "SubprocessAgent",
    "bot",
    "read_manifest",
    "schema",
]
