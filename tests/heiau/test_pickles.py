"""Pickles of states and batches: they go on as they were, and what was altered is refused."""

from __future__ import annotations

import json
import pickle
import random
from typing import Any, cast

import numpy as np
from refusals import refuses, refuses_each

from hawaii_env import make_batch
from hawaii_env.core.checksum import add_checksum, verify_checksum
from hawaii_env.errors import StateError
from hawaii_env.heiau import Game


def played(scenario: str, decisions: int, seed: int, **options: Any) -> Any:
    """A state after random decisions."""
    state, choose = Game(scenario=scenario, **options).initial_state(seed=seed), random.Random(seed)
    for _ in range(decisions):
        if not state.is_terminal:
            state.apply(choose.choice(state.legal_actions()))
    return state


def test_an_explicit_chance_node_goes_through() -> None:
    """[R-24] Before powers are drawn there is neither a unit nor anybody to ask."""
    state = Game(scenario="wings", assignment="random").initial_state(chance="explicit")
    assert pickle.loads(pickle.dumps(state)).chance_outcomes() == state.chance_outcomes()


def test_altered_pickles_are_rejected() -> None:
    """Bytes by their checksum; what bears one is read as any position is, by the name of the field."""
    state = played("haole", 30, 1)
    again, (game, data, trace) = state.__reduce__()
    choose = random.Random(1)
    refuses_each(
        StateError,
        "altered",
        lambda at: again(game, data[:at] + bytes([data[at] ^ (1 << choose.randrange(8))]) + data[at + 1 :], trace),
        (*range(0, len(data), 211), len(data) - 1),
    )
    refuses_each(
        StateError,
        "bytes|altered",
        lambda wrong: again(game, wrong, trace),
        (data[:-1], data + b"0", b"", None, 3, "x"),
    )
    fields = json.loads(verify_checksum(data))
    words = fields["generator"]
    refuses(
        StateError,
        ("trace", lambda: again(game, data, 3)),
        (
            "cannot be there",
            lambda: again(game, pack(fields, units={"dawn": ["A npo"]}), trace),
        ),
        ("owners: .* did you mean lanai", lambda: again(game, pack(fields, owners={"lanaii": "dawn"}), trace)),
        (
            "state: generator: expected a whole number",
            lambda: again(game, pack(fields, generator=[*words[:7], 1 << 32]), trace),
        ),
        ("not legal after", lambda: again(game, pack(fields, entered={"dawn": ["vote race"]}), trace)),
    )


def pack(fields: dict[str, Any], **changes: Any) -> bytes:
    return add_checksum(json.dumps({**fields, **changes}).encode())


def test_a_batchs_pickle_is_checked_environment_by_environment() -> None:
    batch = make_batch("heiau", 2, scenario="duel")
    batch.reset(seed=1)
    values = cast(Any, batch.runner.backend).__getstate__()
    backend = type(batch.runner.backend).__new__(type(batch.runner.backend))
    cast(Any, backend).__setstate__(values)
    assert np.array_equal(cast(Any, backend)._table.states, cast(Any, batch.runner.backend)._table.states)
    words = json.loads(verify_checksum(values["words"]))
    wrong = {**values, "words": add_checksum(json.dumps([[1, 2, 3, -4, 5, 6, 7, 8], words[1]]).encode())}
    altered = {**values, "words": values["words"].replace(b"1", b"2")}
    refuses(
        StateError,
        ("environment 0: two generators", lambda: cast(Any, backend).__setstate__(wrong)),
        ("altered", lambda: cast(Any, backend).__setstate__(altered)),
    )
