"""Ranges of the options of agents, each declared once: in the annotation of the parameter that takes it.

```python
@checked
def __init__(self, sims: Annotated[int, Count()] = 100, c: Annotated[float | None, Real(least=0)] = None) -> None:
```
"""

from __future__ import annotations

import abc
import functools
import inspect
import types
import typing
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar, cast

import numpy as np

from hawaii_env._arguments import check_choice, check_count, check_number, check_text
from hawaii_env.errors import OptionError
from hawaii_env.game import check_seed
from hawaii_env.texts import show_value

__all__ = [
    "Choice", "Count", "Flag", "Given", "Memory", "Milliseconds", "Range", "Real", "Seed", "Sims", "Text", "Time",
    "as_texts", "checked", "declared",
]  # fmt: skip

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class Range(abc.ABC):
    """The values that an option may have."""

    @property
    def typed(self) -> bool:
        """True if an agent string can give the option."""
        return True

    @abc.abstractmethod
    def check(self, name: str, value: Any) -> Any:
        """Return the value, or raise OptionError if the option of this name does not allow it."""


@dataclass(frozen=True)
class Count(Range):
    """Integers from `least` to `most`."""

    least: int = 1
    most: int = 10**9

    def check(self, name: str, value: Any) -> int:
        """Return the value as an int."""
        return check_count(name, value, self.least, self.most)


@dataclass(frozen=True)
class Real(Range):
    """Finite numbers of `least` or more, `above` one, and of `most` or less."""

    least: float | None = None
    above: float | None = None
    most: float = 1e9

    def check(self, name: str, value: Any) -> float:
        """Return the value as a float."""
        return check_number(name, value, least=self.least, above=self.above, most=self.most)


@dataclass(frozen=True)
class Choice(Range):
    """Some texts."""

    values: tuple[str, ...]

    def check(self, name: str, value: Any) -> str:
        """Return the value."""
        return check_choice(name, value, self.values)


@dataclass(frozen=True)
class Flag(Range):
    """True and False."""

    def check(self, name: str, value: Any) -> bool:
        """Return the value as a bool."""
        if isinstance(value, (bool, np.bool_)):
            return bool(value)
        raise OptionError(f"{name}: expected true or false, not {show_value(value)}")


@dataclass(frozen=True)
class Seed(Range):
    """Integers of 0 or more, of any size."""

    def check(self, name: str, value: Any) -> int:
        """Return the value as an int."""
        return check_seed(value)


@dataclass(frozen=True)
class Text(Range):
    """Texts of one letter or more."""

    def check(self, name: str, value: Any) -> str:
        """Return the value as a text."""
        text = check_text(name, value)
        if not text:
            raise OptionError(f"{name}: expected a text, not an empty one")
        return text


@dataclass(frozen=True)
class Given(Range):
    """Objects of given kinds.

    Attributes:
        what: what is expected.
        kinds: the classes; empty means anything callable.
    """

    what: str
    kinds: tuple[type, ...] = ()

    @property
    def typed(self) -> bool:
        """True if an agent string can give the option."""
        return str in self.kinds

    def check(self, name: str, value: Any) -> Any:
        """Return the value."""
        if isinstance(value, self.kinds) if self.kinds else callable(value):
            return value
        raise OptionError(f"{name}: expected {self.what}, not {show_value(value)}")


Sims = Annotated[int | None, Count()]
"""Simulations per decision; None means no limit."""

Time = Annotated[float | None, Real(above=0)]
"""Seconds; None means no limit."""

Milliseconds = Annotated[float | None, Real(above=0)]
"""Milliseconds; None means no limit."""

Memory = Annotated[float, Real(above=0, most=1e7)]
"""MiB of memory."""


def declared(factory: Callable[..., Any]) -> dict[str, tuple[Range, bool]]:
    """Return the ranges of the options of a class or function, by name, each with whether the option may be None."""
    function: Any = factory.__init__ if isinstance(factory, type) else factory
    return _declared(inspect.unwrap(function))


@functools.cache
def _declared(function: Callable[..., Any]) -> dict[str, tuple[Range, bool]]:
    found: dict[str, tuple[Range, bool]] = {}
    try:
        hints = typing.get_type_hints(function, include_extras=True)
    except Exception:  # somebody else's function, with annotations that cannot be read, or none
        return found
    for name, hint in hints.items():
        for value in getattr(hint, "__metadata__", ()):
            if isinstance(value, Range):
                inner = typing.get_args(hint)[0]
                found[name] = value, types.NoneType in typing.get_args(inner)
    return found


def as_texts(factory: Callable[..., Any], options: dict[str, Any]) -> dict[str, Any]:
    """Return the options of an agent string; a number becomes a text if the option expects one."""
    texts = {name for name, (allowed, _) in declared(factory).items() if isinstance(allowed, Text)}
    return {
        name: str(value) if name in texts and isinstance(value, (int, float)) else value
        for name, value in options.items()
    }


def checked(function: F) -> F:
    """Check a function's arguments against the ranges that its annotations declare."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        for name, (allowed, optional) in _declared(function).items():
            if name in bound.arguments and not (optional and bound.arguments[name] is None):
                bound.arguments[name] = allowed.check(name, bound.arguments[name])
        return function(*bound.args, **bound.kwargs)

    return cast(F, call)
