"""Records and arrays that the rules read and write, alike in both modes.

Compiled, a record is a NumPy record of int64 numbers and an array is NumPy's; in the plain mode a record is a list
whose numbers have names, and an array is a list. Both are written ``units[space].kind``.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hawaii_env.core.jit import rule

__all__ = ["Fields", "Form", "room"]

Fields = Sequence[tuple[str, int]]
"""Names and lengths: a field of length 1 is a number, any other an array."""


class Form:
    """A form of record.

    Attributes:
        dtype: NumPy's type of it.
        words: how many numbers it has.
        names: its fields.
        plain: the class of it in the plain mode.
        at: where each field begins.
    """

    def __init__(self, name: str, fields: Fields) -> None:
        self.fields: tuple[tuple[str, int], ...] = tuple(fields)
        self.names: tuple[str, ...] = tuple(name for name, _ in fields)
        self.dtype: Any = np.dtype(
            (np.record, [(name, np.int64) if n == 1 else (name, np.int64, (n,)) for name, n in fields])
        )
        self.words: int = self.dtype.itemsize // 8
        self.at: dict[str, int] = {}
        for field in self.names:
            self.at[field] = sum(length for _, length in self.fields[: self.names.index(field)])
        held: dict[str, Any] = {"__slots__": ()}
        for i, field in enumerate(self.names):
            held[field] = property(itemgetter(i), _setter(i))
        self.plain: Any = type(name, (list,), held)

    def read(self, words: Sequence[int]) -> Any:
        """Return the plain record of these numbers."""
        at = self.at
        return self.plain(words[at[f]] if n == 1 else list(words[at[f] : at[f] + n]) for f, n in self.fields)

    def read_all(self, words: Sequence[int]) -> list[Any]:
        """Return the plain records that stand there one after another."""
        return [self.read(words[k : k + self.words]) for k in range(0, len(words), self.words)]

    def write(self, record: Any) -> list[int]:
        """Return the numbers of a plain record."""
        found: list[int] = []
        for value, (_, n) in zip(record, self.fields, strict=True):
            found += [value] if n == 1 else value
        return found


def _setter(index: int) -> Any:
    def put(record: Any, value: int) -> None:
        record[index] = value

    return put


def _room(n: int, value: int) -> NDArray[np.int64]:
    return np.full(n, value, np.int64)


@rule(compiled=_room)
def room(n: int, value: int) -> Any:
    """An array of n numbers, all of this value."""
    return [value] * n
