"""Layouts: the fields of a compiled record, declared once for both backends.

A `Layout` lists the fields of a game's state or of its tables. Rules read ``state.points[player]`` and ``rules.stock``
in either backend:

- interpreted, a record is an object of `Layout.named`: numbers are ints, arrays are lists, nested where they have
  several axes;
- compiled, it is one array of integers; `Layout.view` turns the array into a record inside an entry point.

The length of an axis is an integer, the name of a number in the same record, or None if each record sets it. If all
lengths are integers, all records of a layout have the same size. Records of other layouts begin with the offsets of
their fields, so that the same machine code reads records of different sizes.

```python
STATE = Layout("toy", Field("phase", high=3), Field("spaces"), Field("owner", "spaces", low=-1, high=1))
state = STATE.new(spaces=12)         # the interpreted record
array = STATE.array(state)           # the compiled one
STATE.get(array, "owner")            # a list of 12 numbers
```
"""

from __future__ import annotations

import hashlib
import itertools
import math
from array import array
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hawaii_env.core.closure import INTRINSICS
from hawaii_env.core.jit import rule
from hawaii_env.errors import StateError

__all__ = ["Axis", "Field", "Layout", "copy_record", "new_array", "release"]

Axis: TypeAlias = "int | str | None"

LOWEST, HIGHEST = -(2**62), 2**62


@dataclass(frozen=True)
class Field:
    """A number or an array of a layout.

    Attributes:
        name: the attribute of the record.
        axes: lengths of its axes; none for a number.
        low: smallest value.
        high: largest value.
        derived: True if the field is not part of a position: it follows from other fields, or is a buffer.
        report: True if the field only records what happened in earlier turns; no rule reads it.
    """

    name: str
    axes: tuple[Axis, ...]
    low: int
    high: int
    derived: bool
    report: bool

    def __init__(
        self,
        name: str,
        *axes: Axis,
        low: int = LOWEST,
        high: int = HIGHEST,
        derived: bool = False,
        report: bool = False,
    ) -> None:
        given = {"name": name, "axes": axes, "low": low, "high": high, "derived": derived, "report": report}
        for key, value in given.items():
            object.__setattr__(self, key, value)

    @property
    def is_fixed(self) -> bool:
        """Return True if all lengths are integers."""
        return all(type(axis) is int for axis in self.axes)


class Record:
    """An interpreted record; `Layout.named` is a subclass with one slot for each field."""

    __slots__ = ()
    layout: Layout

    def copy(self) -> Any:
        """Return an independent copy."""
        other = self.layout.named()
        copy_record(self, other)
        return other

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Record) or other.layout is not self.layout:
            return NotImplemented
        return self.layout.words(self) == self.layout.words(other)

    __hash__ = None  # type: ignore[assignment]

    def __deepcopy__(self, memo: Any) -> Any:
        return self.copy()


def _copy(values: Any) -> Any:
    return [_copy(value) for value in values] if values and isinstance(values[0], list) else values[:]


def _listed(value: Any) -> list[int]:
    """Return the numbers of a field of an interpreted record, in order."""
    if type(value) is not list:
        return [value]
    while value and type(value[0]) is list:
        value = list(itertools.chain.from_iterable(value))
    return value


def _nest(values: list[Any], shape: Sequence[int]) -> Any:
    if len(shape) == 1:
        return values
    step = math.prod(shape[1:])
    return [_nest(values[step * i : step * (i + 1)], shape[1:]) for i in range(shape[0])]


class Layout:
    """The fields of a record, in the order in which they are stored.

    Args:
        name: name for messages.
        fields: the fields, or layouts whose fields are included.

    Attributes:
        fields: the fields by name.
        is_fixed: True if every record has the same size.
        size: number of integers in a record, or -1 if records differ.
        dtype: NumPy's type of the compiled record; if records differ, a description of the fields.
        named: class of the interpreted record.
        view: rule for entry points, which returns the record in an argument.
    """

    def __init__(self, name: str, *fields: Field | Layout) -> None:
        self.name: str = name
        self.fields: dict[str, Field] = {}
        for field in fields:
            for one in field.fields.values() if isinstance(field, Layout) else (field,):
                assert one.name not in self.fields, f"{name}: the field {one.name} is declared twice"
                self.fields[one.name] = one
        self.numbers: list[str] = [field.name for field in self.fields.values() if not field.axes]
        self.lists: list[str] = [field.name for field in self.fields.values() if len(field.axes) == 1]
        self.nested: list[str] = [field.name for field in self.fields.values() if len(field.axes) > 1]
        self.is_fixed: bool = all(field.is_fixed for field in self.fields.values())
        # If some lengths vary, a table of the offsets of those fields comes first, then the fields of fixed length.
        self.varying: list[str] = [field.name for field in self.fields.values() if not field.is_fixed]
        self._offsets: dict[str, int] = {}
        at = len(self.varying) + 1 if self.varying else 0
        for field in self.fields.values():
            if field.is_fixed:
                self._offsets[field.name] = at
                at += math.prod(map(int, field.axes))  # type: ignore[arg-type]
        self._start = at
        self._spans: dict[str, tuple[int, int]] = {
            name: (start, start + math.prod(map(int, self.fields[name].axes)))  # type: ignore[arg-type]
            for name, start in self._offsets.items()
        }
        self._places: dict[str, int] = {name: place for place, name in enumerate(self.varying)}
        self._slices: dict[bytes, dict[str, slice]] = {}  # slices of all fields, by the offsets of varying ones
        self._kept: dict[bytes, list[slice]] = {}  # slices of the fields in `key`, likewise
        self.size: int = at if self.is_fixed else -1
        self.dtype: np.dtype[Any] = self._make_dtype()
        self.named: Any = type(name, (Record,), {"__slots__": tuple(self.fields), "layout": self})
        self.view: Any = _make_view(self.dtype)

    def _make_dtype(self) -> np.dtype[Any]:
        parts: list[Any] = []
        for field in self.fields.values():
            if self.is_fixed:
                parts.append((field.name, np.int64, field.axes) if field.axes else (field.name, np.int64))
            else:
                axes = ",".join("" if axis is None else str(axis) for axis in field.axes)
                parts.append((f"{field.name}[{axes}]" if field.axes else field.name, np.int64))
        return np.dtype((np.record, parts)) if self.is_fixed else np.dtype(parts)

    # Interpreted records

    def new(self, **lengths: int | Sequence[int]) -> Any:
        """Return an interpreted record of zeros.

        lengths: values of the numbers that name axes; for a field with an axis None, its length.
            lengths: values of the numbers that axes are named by; for a field with an axis None, its length.
        """
        record = self.named()
        for name in self.numbers:
            setattr(record, name, int(lengths.get(name, 0)))  # type: ignore[arg-type]
        for name in (*self.lists, *self.nested):
            shape = [
                axis if type(axis) is int else int(lengths[name if axis is None else axis])  # type: ignore[index, arg-type]
                for axis in self.fields[name].axes
            ]
            setattr(record, name, _nest([0] * math.prod(shape), shape))
        return record

    def is_named(self, record: Any) -> bool:
        """Return True for an interpreted record, False for a compiled one."""
        return isinstance(record, self.named)

    def words(self, record: Any) -> list[int]:
        """Return the integers of a record of either backend, in compiled order."""
        if not self.is_named(record):
            return record.tolist()
        fixed: list[int] = []
        for name in self._offsets:
            value = getattr(record, name)
            if type(value) is int:
                fixed.append(value)
            else:
                fixed += _listed(value)
        if self.is_fixed:
            return fixed
        parts = [_listed(getattr(record, name)) for name in self.varying]
        starts = [self._start]
        for part in parts:
            starts.append(starts[-1] + len(part))
        return [*starts, *fixed, *itertools.chain(*parts)]

    def read(self, words: Sequence[int]) -> Any:
        """Return the interpreted record with these integers.

        Raises:
            StateError: the number of integers is wrong.
        """
        words = list(words)
        if not self._is_record(words):
            raise StateError(f"{self.name}: a record cannot have {len(words)} numbers")
        record = self.named()
        for name in self.numbers:
            setattr(record, name, words[self._offsets[name]])
        for name in self.lists:
            start, stop = self._spans.get(name) or self._span(name, words)
            setattr(record, name, words[start:stop])
        for name in self.nested:
            start, stop = self._span(name, words)
            setattr(record, name, self._shaped(name, words[start:stop], record))
        return record

    def _is_record(self, words: list[int]) -> bool:
        """Return True if these integers start with the offsets that their lengths require."""
        if self.is_fixed:
            return len(words) == self.size
        n = len(self.varying)
        if len(words) < self._start or words[0] != self._start or words[n] != len(words):
            return False
        for index, name in enumerate(self.varying):
            axes = self.fields[name].axes
            known = [
                axis if type(axis) is int else words[self._offsets[str(axis)]] for axis in axes if axis is not None
            ]
            size, length = math.prod(known), words[index + 1] - words[index]
            if min(known, default=0) < 0 or length < 0 or (length % max(size, 1) if None in axes else length - size):
                return False
        return True

    def _shaped(self, name: str, values: list[int], record: Any) -> Any:
        axes = self.fields[name].axes
        shape = [axis if type(axis) is int else -1 if axis is None else getattr(record, str(axis)) for axis in axes]
        if shape[0] == -1:
            shape[0] = len(values) // max(1, math.prod(shape[1:]))
        return _nest(values, shape)

    def _span(self, name: str, words: Any) -> tuple[int, int]:
        span = self._spans.get(name)
        if span is None:
            place = self._places[name]
            span = int(words[place]), int(words[place + 1])
        return span

    def columns(self, record: Any, skipped: Collection[str] = ()) -> NDArray[np.int64]:
        """Return the indices of the integers in a compiled record that affect the course of a game.

        Args:
            record: a compiled record; only its lengths matter.
            skipped: further fields to leave out.
        """
        names = [name for name, field in self.fields.items() if not (field.derived or field.report or name in skipped)]
        return np.concatenate([np.arange(*self._span(name, record)) for name in names])

    def offset(self, name: str) -> int:
        """Return the index of a field of fixed length in a compiled record."""
        return self._offsets[name]

    # Records of either backend

    def array(self, record: Any) -> NDArray[np.int64]:
        """Return a new compiled record with the content of a record of either backend."""
        return np.array(self.words(record), np.int64) if self.is_named(record) else record.copy()

    def interpreted(self, record: Any) -> Any:
        """Return an interpreted record itself, or convert a compiled one."""
        return record if self.is_named(record) else self.read(record.tolist())

    def convert(self, record: Any, compiled: bool) -> Any:
        """Return a copy of a record of either backend in the requested backend."""
        if compiled:
            return self.array(record)
        return record.copy() if self.is_named(record) else self.read(record.tolist())

    def assign(self, record: Any, other: Any) -> None:
        """Overwrite a record with a record of either backend and the same lengths."""
        if not self.is_named(record):
            record[:] = array("q", self.words(other)) if self.is_named(other) else other
            return
        source = other.copy() if self.is_named(other) else self.read(other.tolist())
        for name in self.fields:
            setattr(record, name, getattr(source, name))

    def get(self, record: Any, name: str) -> Any:
        """Return a field of a record of either backend: an int, or a new list."""
        if self.is_named(record):
            value = getattr(record, name)
            return value if type(value) is int else _copy(value)
        if name in self.numbers:
            return record.item(self._offsets[name])
        start, stop = self._span(name, record)
        values = record[start:stop].tolist()
        if len(self.fields[name].axes) == 1:
            return values
        return getattr(self.read(record.tolist()), name)

    def part(self, record: NDArray[np.int64], name: str) -> NDArray[np.int64]:
        """Return a field of a compiled record as a flat view of the same memory."""
        start, stop = self._span(name, record)
        return record[start:stop]

    def parts(self, record: NDArray[np.int64]) -> dict[str, slice]:
        """Return the slice of each field in a compiled record; the caller must not change the result."""
        offsets = self._lengths(record)
        found = self._slices.get(offsets)
        if found is None:
            found = self._slices[offsets] = {name: slice(*self._span(name, record)) for name in self.fields}
        return found

    def _lengths(self, words: NDArray[np.int64]) -> bytes:
        return words[: len(self.varying) + 1].tobytes() if self.varying else b""

    def key(self, record: Any) -> bytes:
        """Return the fields that are not derived, as bytes. Records of either backend have equal keys if those are
        equal.
        """
        words = self.array(record) if self.is_named(record) else record
        offsets = self._lengths(words)
        kept = self._kept.get(offsets)
        if kept is None:
            spans = [self._span(name, words) for name, field in self.fields.items() if not field.derived]
            kept = []
            for start, stop in sorted(spans):
                if kept and kept[-1].stop == start:
                    kept[-1] = slice(kept[-1].start, stop)
                else:
                    kept.append(slice(start, stop))
            self._kept[offsets] = kept
        return b"".join([words[one].tobytes() for one in kept])

    def prefix_reader(self, name: str, count: str) -> Callable[[Any], list[int]]:
        """Return a function of a compiled record that returns the first `count` numbers of an array as a list."""
        n = self._offsets[count]
        if name in self._offsets:
            start = self._offsets[name]
            return lambda record: record[start : start + record.item(n)].tolist()
        place = self._places[name]
        return lambda record: record[record.item(place) :][: record.item(n)].tolist()

    def put(self, record: Any, name: str, value: Any) -> None:
        """Overwrite a field of a record of either backend with a number, or a list of its shape."""
        if self.is_named(record):
            setattr(record, name, value if type(value) is int else _copy(list(value)))
            return
        if name in self.numbers:
            record[self._offsets[name]] = value
        else:
            start, stop = self._span(name, record)
            record[start:stop] = _listed(list(value))

    def out_of_range(self, record: Any) -> str | None:
        """Return the name of the first field with a value out of range, or None."""
        record = self.interpreted(record)
        for name, field in self.fields.items():
            if field.low > LOWEST or field.high < HIGHEST:
                values = _listed(getattr(record, name))
                if values and not (field.low <= min(values) and max(values) <= field.high):
                    return name
        return None

    def check(self, record: Any) -> None:
        """Check the range of every field.

        Raises:
            StateError: a value is out of range; the message names the field and its range.
        """
        name = self.out_of_range(record)
        if name is not None:
            field = self.fields[name]
            raise StateError(
                f"{self.name}: {name}: values from {field.low} to {field.high} are allowed, "
                f"not {self.get(record, name)}"
            )


def _compiled_array(shape: int | tuple[int, ...], value: float) -> Any:
    return np.full(shape, value)


@rule(compiled=_compiled_array)
def new_array(shape: int | tuple[int, ...], value: float) -> Any:
    """Return an array of this length or shape, filled with one number. For rules."""
    return [value] * shape if isinstance(shape, int) else _nest([value] * math.prod(shape), shape)


@rule
def release(array: Any) -> None:
    """Release an array that a rule has created and viewed as a record. Compiled code frees an array after its last use,
    regardless of views, so call this after the last use of the record. For rules.
    """


def view_record(array: Any, dtype: Any) -> Any:
    """Return the record in an array, in compiled code; `hawaii_env.core.views` provides the machine code."""
    raise TypeError("only compiled code views a record")


def move_record(source: Any, target: Any) -> None:
    """Copy one record over another, in compiled code; `hawaii_env.core.views` provides the machine code."""
    raise TypeError("only compiled code moves a record")


def prefetch(rows: Any, row: int) -> None:
    """Prefetch a row of an array into the processor's cache, in compiled code; do nothing when interpreted."""


def _load_prefetch() -> Any:
    from hawaii_env.core import views

    return views.prefetch


def _load_view() -> Any:
    from hawaii_env.core import views

    return views.view_record


def _load_move() -> Any:
    from hawaii_env.core import views

    return views.move_record


INTRINSICS[prefetch] = _load_prefetch
INTRINSICS[view_record] = _load_view
INTRINSICS[move_record] = _load_move


def _compiled_copy(source: Any, target: Any) -> None:
    move_record(source, target)


@rule(compiled=_compiled_copy)
def copy_record(source: Any, target: Any) -> None:
    """Overwrite the record `target` with `source`, of the same layout and lengths. For rules."""
    layout = source.layout
    for name in layout.numbers:
        setattr(target, name, getattr(source, name))
    for name in layout.lists:
        setattr(target, name, getattr(source, name)[:])
    for name in layout.nested:
        setattr(target, name, _copy(getattr(source, name)))


def _compiled_view(array: Any) -> Any:
    return view_record(array, DTYPE)  # type: ignore[name-defined]  # noqa: F821  a global of each copy


def _interpreted_view(array: Any) -> Any:
    return array


def _make_view(dtype: np.dtype[Any]) -> Any:
    """Return the rule that views a record of this type."""
    copies: list[FunctionType] = []
    for template in (_interpreted_view, _compiled_view):
        names = {"__name__": __name__, "DTYPE": dtype, "view_record": view_record}
        copy = FunctionType(template.__code__, names, "view")
        copy.__module__, copy.__qualname__ = __name__, f"view_{hashlib.sha256(repr(dtype).encode()).hexdigest()[:12]}"
        copies.append(copy)
    interpreted, compiled = copies
    return rule(compiled=compiled)(interpreted)
