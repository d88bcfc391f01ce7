"""Pickles of states and batches: they go on as they were, and what was altered is refused."""

from __future__ import annotations

import json
import pickle
from typing import Any, cast

import numpy as np
from refusals import refuses

from hawaii_env import make_batch
from hawaii_env.core.checksum import add_checksum, verify_checksum
from hawaii_env.errors import StateError
from hawaii_env.heiau import Game


def test_an_explicit_chance_node_goes_through() -> None:
    """[R-24] Before powers are drawn there is neither a unit nor anybody to ask."""
    state = Game(scenario="wings", assignment="random").initial_state(chance="explicit")
    assert pickle.loads(pickle.dumps(state)).chance_outcomes() == state.chance_outcomes()


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
        (
            "environment 0: expected eight 32-bit words for two generators",
            lambda: cast(Any, backend).__setstate__(wrong),
        ),
        ("altered", lambda: cast(Any, backend).__setstate__(altered)),
    )
