"""Declared action tables: every number follows from the families."""

from __future__ import annotations

from refusals import refuses

from hawaii_env.codec import Codec, Family, action1, action2, action3, index1, indices2, indices3
from hawaii_env.errors import IllegalActionError, OptionError

UNITS, PLACES, MARKS = ("pike", "chief"), ("kona", "hilo", "maui"), ("fresh", "tired")
CODEC = Codec(
    done=Family("done"),
    fire=Family("fire", UNITS),
    march=Family("march", UNITS, PLACES),
    rally=Family("rally", UNITS, PLACES, MARKS, text=lambda u, p, m: f"rally {UNITS[u]}/{MARKS[m]} {PLACES[p]}"),
)


def test_the_table_is_in_the_order_of_the_families() -> None:
    assert CODEC.size == len(CODEC.texts) == len(set(CODEC.texts)) == 1 + 2 + 6 + 12
    assert CODEC.texts[:4] == ("done", "fire pike", "fire chief", "march pike kona")
    assert CODEC.texts[-1] == "rally chief/tired maui"
    assert [(first, last) for first, last, *_ in CODEC.rows()] == [(0, 0), (1, 2), (3, 8), (9, 20)]


def test_actions_come_back() -> None:
    for action in range(CODEC.size):
        name, indices = CODEC.decode(action)
        assert CODEC.action(name, *indices) == action
        assert CODEC.text(action) == CODEC.families[name].words(indices)


def test_compiled_rules_use_the_same_numbers() -> None:
    fire, march, rally = (CODEC.block(name) for name in ("fire", "march", "rally"))
    assert [action1(fire, i) for i in range(2)] == [1, 2] and index1(fire, 2) == 1
    for action in range(3, 9):
        assert action2(march, *indices2(march, action)) == action
        assert CODEC.decode(action)[1] == tuple(indices2(march, action))
    for action in range(9, 21):
        assert action3(rally, *indices3(rally, action)) == action
        assert CODEC.decode(action)[1] == tuple(indices3(rally, action))


def test_the_digest_is_the_texts() -> None:
    assert CODEC.hash != Codec(done=Family("done")).hash
    assert CODEC.hash == Codec(**CODEC.families).hash


def test_impossible_input_is_rejected() -> None:
    refuses(
        IllegalActionError,
        ("0 to 20", lambda: CODEC.text(21)),
        (r"march: expected indices below \[2, 3\]", lambda: CODEC.action("march", 2, 0)),
    )
    refuses(
        OptionError,
        ("two actions have the text 'done'", lambda: Codec(done=Family("done"), end=Family("done"))),
        ("'fire' has an empty axis", lambda: Codec(fire=Family("fire", ()))),
    )
