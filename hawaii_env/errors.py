"""The project's exceptions.

Every error that a caller can cause is a `HawaiiError`; each is also the matching built-in exception, so that code that
does not know this project can catch it, too.
"""

from __future__ import annotations

MOST_LETTERS = 10_000
"""Maximum length of a message, because wrong input may be of any length."""


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
    """An unknown or missing keyword argument. Other libraries expect a TypeError with Python's wording."""


class IllegalActionError(HawaiiError, ValueError):
    """An action that is not legal in the position. The message names the action, the phase and the rule.

    Attributes:
        env_index: the environment of a batch to which it was passed; None outside a batch.
    """

    env_index: int | None = None


class StateError(HawaiiError, ValueError):
    """An impossible, truncated or edited position."""


class RecordError(HawaiiError, ValueError):
    """A game record that cannot be read or does not replay."""


class StorageError(HawaiiError, OSError):
    """A file or database that cannot be written or read, for example on a full disk. Earlier data stay."""


class GameOverError(HawaiiError, RuntimeError):
    """A move in a game that is over."""


class OrderError(HawaiiError, AssertionError):
    """A call out of order: before reset(), or a loop over agent_iter() that does not step()."""


class ClosedError(HawaiiError, RuntimeError):
    """A call to a closed environment."""


class AgentError(HawaiiError, RuntimeError):
    """An agent failed. The message names the agent, what it did, and the end of what it wrote on standard error.

    Attributes:
        agent: the agent's name.
        what: its fault, in one line.
        stderr: the end of its standard error; empty if it wrote nothing.
        noun: the kind of agent, in a word.
        seat: its seat, or None.
        details: a traceback or other information for a log.
        lasting: True if it has permanently changed the process that it shares with others.
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
    """The agent's process could not be started, or ended during the game."""


class AgentTimeoutError(AgentError, TimeoutError):
    """The agent did not answer in its time."""

    def __str__(self) -> str:  # TimeoutError is an OSError, which would print its arguments as an errno
        return AgentError.__str__(self)


class AgentProtocolError(AgentError, ValueError):
    """The agent wrote something other than the answer required by the protocol."""


class AgentIllegalActionError(AgentError, IllegalActionError):
    """The agent chose an action that is not legal in the position."""


class AgentConductError(AgentError):
    """The agent changed something that it shares with others in its process."""
