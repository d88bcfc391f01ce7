"""Layouts: fields in both backends, records of different lengths in one machine code, copies, ranges."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
from refusals import refuses

from hawaii_env.core import jit
from hawaii_env.core.jit import EntryPoints, rule
from hawaii_env.core.layout import Field, Layout, copy_record
from hawaii_env.errors import StateError

FIXED = Layout("fixed", Field("phase", low=0, high=3), Field("grid", 2, 3), Field("legal", 5, low=-1))
VARYING = Layout(
    "varying",
    Field("spaces"),
    Field("kinds"),
    Field("fixed", 3),
    Field("owner", "spaces", low=-1, high=1),
    Field("reach", "kinds", "spaces"),
    Field("moves", None),
    Field("pairs", None, 2),
)
view_fixed, view_varying = FIXED.view, VARYING.view


@rule
def change(fixed: Any, varying: Any, other: Any, kind: int) -> int:
    """Read and write numbers and arrays of both."""
    total = len(varying.pairs)
    for k in range(len(varying.moves)):
        total += varying.moves[k]
    fixed.phase = 2
    fixed.grid[1][2] += total
    for space in range(varying.spaces):
        varying.reach[kind][space] = 10 * kind + space
        varying.owner[space] = -1
    varying.fixed[2] = varying.spaces
    varying.pairs[1][0] = 5
    copy_record(varying, other)
    other.owner[0] = 1
    return total


@rule
def change_all(a: Any, b: Any, c: Any, kind: int) -> int:
    """Do it to the records behind the arguments."""
    return change(view_fixed(a), view_varying(b), view_varying(c), kind)


POINTS = EntryPoints("layout", "test", [change_all])


def varying(spaces: int) -> Any:
    record = VARYING.new(spaces=spaces, kinds=2, moves=3, pairs=2)
    record.moves = [1, 2, spaces]
    return record


@pytest.mark.parametrize("spaces", [3, 40])
def test_both_backends_read_and_write_alike(spaces: int) -> None:
    records: list[Any] = [FIXED.new(), varying(spaces), varying(spaces)]
    arrays = [layout.array(record) for layout, record in zip((FIXED, VARYING, VARYING), records, strict=True)]
    found = change_all(records[0], records[1], records[2], 1)
    assert found == spaces + 5 and records[0].grid == [[0, 0, 0], [0, 0, found]]
    assert records[1].reach[1] == list(range(10, 10 + spaces)) and records[2].owner[0] == 1
    for layout, record in zip((FIXED, VARYING, VARYING), records, strict=True):
        again = layout.read(layout.words(record))
        assert all(getattr(again, name) == getattr(record, name) for name in layout.fields)
    if not jit.INTERPRETED:
        assert POINTS.compile_now(lambda: {"change_all": (*arrays, 1)}).change_all(*arrays, 1) == found
        assert [array.tolist() for array in arrays] == [
            layout.words(record) for layout, record in zip((FIXED, VARYING, VARYING), records, strict=True)
        ]


@pytest.mark.skipif(jit.INTERPRETED, reason="counts what is compiled")
def test_records_of_different_lengths_are_compiled_once() -> None:
    """Two sizes of map, one signature of the entry point and of the rule that it calls."""
    for spaces in (3, 40):
        arrays = FIXED.array(FIXED.new()), VARYING.array(varying(spaces)), VARYING.array(varying(spaces))
        POINTS.compile_now(lambda arrays=arrays: {"change_all": (*arrays, 1)}).change_all(*arrays, 1)
    assert len(POINTS.compiled.change_all.signatures) == 1
    assert len(jit.entry_point(change).signatures) <= 1  # none if it is compiled within the entry point


def test_fields_are_read_and_overwritten_in_both_backends() -> None:
    for record in (varying(4), VARYING.array(varying(4))):
        VARYING.put(record, "spaces", 4)
        VARYING.put(record, "owner", [1, 0, -1, 1])
        VARYING.put(record, "reach", [[1, 2, 3, 4], [5, 6, 7, 8]])
        assert VARYING.get(record, "owner") == [1, 0, -1, 1] and VARYING.get(record, "moves") == [1, 2, 4]
        assert VARYING.get(record, "reach")[1] == [5, 6, 7, 8] and VARYING.get(record, "spaces") == 4
        other = VARYING.convert(record, True)
        VARYING.assign(other, record)
        assert other.tolist() == VARYING.words(record)
    assert FIXED.offset("legal") == 7 and FIXED.size == 12 and VARYING.size == -1


@pytest.mark.parametrize("how", [copy.deepcopy, lambda record: record.copy()])
def test_interpreted_records_are_copied_whole(how: Any) -> None:
    record = varying(3)
    other = how(record)
    other.reach[1][0], other.moves[0] = 9, 9
    assert record.reach[1][0] == 0 and record.moves[0] == 1 and VARYING.words(how(record)) == VARYING.words(record)


def test_ranges_are_checked() -> None:
    record = varying(3)
    record.owner[2] = 7
    assert VARYING.out_of_range(record) == "owner"
    refuses(
        StateError,
        (
            r"varying: owner: values from -1 to 1 are allowed, not \[0, 0, 7\]",
            lambda: VARYING.check(VARYING.array(record)),
        ),
    )
    FIXED.check(FIXED.new())
    refuses(StateError, ("a record cannot have 11 numbers", lambda: FIXED.read(np.zeros(11, np.int64).tolist())))
