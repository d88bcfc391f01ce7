"""Faults that the compiled fuzzer of ALOHA finds."""

from __future__ import annotations

import pytest

from hawaii_env.aloha.game import RULES

from .helpers import chapter


@pytest.mark.parametrize(
    ("field", "index", "value", "fault"),
    [
        ("points", [0], -1, "negative"), ("tracks", [0, 0], -1, "negative"),
        ("tokens", [0, 0], -1, "negative"), ("tracks", [0, 0], 61, "track"),
        ("tokens", [0, 0], 31, "more Pure Hawaiian"),
        ("actions", [0, 0], 12, "11 Action"), ("tokens", [3, 0], 1, "does not play"),
        ("tracks", [3, 0], 1, "before Chapter III"), ("cards_of", [0, 0], 3, "nobody's index"),
        ("cards_of", [0, 0], 1, "King/Queen"), ("face_up", [0], 10, "twice"), ("face_up", [0], 16, "calamity"),
        ("face_up", [0], 0, "before a slot"),
    ],
)  # fmt: skip
def test_faults_are_found(field: str, index: list[int], value: int, fault: str) -> None:
    """Each invariant is seen to fail, in a position in which all hold before."""
    state = chapter(deck=[1, 2], players=3)
    record, fault_in = state.interpreted().copy(), RULES.hooks["fault_in"]
    assert fault_in(state.game.tables, record) == 0
    values = getattr(record, field)
    for at in index[:-1]:
        values = values[at]
    values[index[-1]] = value
    if field == "face_up" and value == 16:
        record.left[16] = 0
    assert fault in RULES.faults[fault_in(state.game.tables, record)]
