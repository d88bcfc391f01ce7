"""Errors of agents. The arena turns each of them into a forfeit of that agent."""

from __future__ import annotations

from hawaii_env.errors import HawaiiError, IllegalActionError

__all__ = ["AgentCrashError", "AgentError", "AgentIllegalActionError", "AgentProtocolError", "AgentTimeoutError"]


class AgentError(HawaiiError, RuntimeError):
    """An agent failed. The message names the agent, what it did, and the end of what it wrote on standard error.

    Attributes:
        agent: the agent's name.
        what: what it did, in one line.
        stderr: the end of its standard error; empty where there is none.
    """

    def __init__(self, agent: str, what: str, stderr: str = "") -> None:
        super().__init__(agent, what, stderr)  # as args, so that the error can be pickled
        self.agent: str = agent
        self.what: str = what
        self.stderr: str = stderr

    def __str__(self) -> str:
        text = f"bot {self.agent!r} {self.what}"
        lines = self.stderr.splitlines()[-8:]
        if lines:
            # The last line usually says it; it stands on the first, which is what logs and tables take.
            text += f"; its standard error ends: {lines[-1].strip()}"
        return text + "".join(f"\n    {line}" for line in lines if len(lines) > 1)


class AgentCrashError(AgentError):
    """The agent's process could not be started, or ended in the middle of the game."""


class AgentTimeoutError(AgentError, TimeoutError):
    """The agent did not answer in its time."""

    def __str__(self) -> str:  # TimeoutError is an OSError, which would print its arguments as an errno
        return AgentError.__str__(self)


class AgentProtocolError(AgentError, ValueError):
    """The agent wrote something that is not the answer which the protocol asks for."""


class AgentIllegalActionError(AgentError, IllegalActionError):
    """The agent chose an action that is not legal in the position."""
