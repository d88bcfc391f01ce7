"""The project's exceptions.

Every error that a caller can bring about is a `HawaiiError`; each also is the built-in exception that fits it, so that
code which knows nothing of this project catches it too.
"""

from __future__ import annotations


class HawaiiError(Exception):
    """The base of every error that this project raises on purpose."""


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
