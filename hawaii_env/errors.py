"""The project's exceptions.

Every error that a caller can bring about is a `HawaiiError`; each also is the built-in exception that fits it, so that
code which knows nothing of this project catches it too.
"""

from __future__ import annotations

MOST_LETTERS = 10_000
"""Letters of a message: what was wrong with the input may be as long as the input."""


class HawaiiError(Exception):
    """The base of every error that this project raises on purpose."""

    def __str__(self) -> str:
        text = super().__str__()
        return text if len(text) <= MOST_LETTERS else f"{text[: MOST_LETTERS - 3]}..."


class RulesetError(HawaiiError, ValueError):
    """A ruleset file with a wrong, missing or unknown value. The message names file, table, key and what is allowed."""


class OptionError(HawaiiError, ValueError):
    """An unknown scenario, option or seed. The message names what is allowed."""


class ArgumentError(OptionError, TypeError):
    """A keyword argument that nothing takes, or one that is missing. Other libraries look for TypeError, with Python's
    own words in it.
    """


class IllegalActionError(HawaiiError, ValueError):
    """An action that is not legal in the position. The message names the action, the phase and the rule.

    Attributes:
        env_index: the environment of a batch in which it was to be taken; None outside a batch.
    """

    env_index: int | None = None


class StateError(HawaiiError, ValueError):
    """A position that cannot be: impossible, truncated or edited."""


class RecordError(HawaiiError, ValueError):
    """A game record that cannot be read or does not replay."""


class StorageError(HawaiiError, OSError):
    """A file or a database that cannot be written or read: the disk is full, or not ours. What was written before
    stays.
    """


class GameOverError(HawaiiError, RuntimeError):
    """A move was asked of a game that is over."""


class OrderError(HawaiiError, AssertionError):
    """A call out of order: before reset(), or a loop over agent_iter() that does not step()."""


class ClosedError(HawaiiError, RuntimeError):
    """A call to an environment that is closed."""


class AgentError(HawaiiError, RuntimeError):
    """An agent failed. The message names the agent, what it did, and the end of what it wrote on standard error.

    Attributes:
        agent: the agent's name.
        what: what it did, in one line.
        stderr: the end of its standard error; empty if it wrote nothing.
        noun: what it is.
        seat: which seat it had, or None.
        details: a traceback or whatever else a log should have.
        lasting: True if it has changed the process that it shares with others for good.
    """

    noun: str = "bot"
    seat: int | None = None
    details: str = ""
    lasting: bool = False

    def __init__(self, agent: str, what: str, stderr: str = "") -> None:
        super().__init__(agent, what, stderr)  # as args, so that the error can be pickled
        self.agent: str = agent
        self.what: str = what
        self.stderr: str = stderr

    def __str__(self) -> str:
        text = f"{self.noun} {self.agent!r} {self.what}"
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


class AgentConductError(AgentError):
    """The agent changed what it shares with others in its process."""
