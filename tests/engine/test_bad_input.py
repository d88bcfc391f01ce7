"""Wrong calls: each a clear error of the project's own, and nothing changed."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest

from hawaii_env.errors import GameOverError, HawaiiError, IllegalActionError
from hawaii_env.game import CHANCE
from hawaii_env.hawaii1795.game import State

from .helpers import LONG, by_phase, data_of, nodes

NO_ACTIONS: list[Any] = [
    -1,
    -991,
    991,
    10**6,
    2**63,
    2**64,
    -(2**63),
    0.0,
    1.0,
    float("nan"),
    True,
    False,
    None,
    "0",
    "done",
    b"0",
    [],
    [0],
    (0,),
    {},
    np.float32(1),
    np.float64(0),
    np.bool_(True),
    np.array([0, 1]),
    np.array(0.0),
    Fraction(1),
    1j,
    object(),
]


def wrong(state: State, call: Any, *kinds: type[HawaiiError]) -> str:
    """The message of a call's error; the state must stay as it was, to the byte."""
    before, trace = data_of(state), None if state.trace is None else list(state.trace)
    with pytest.raises(kinds) as caught:
        call()
    assert data_of(state) == before and state.trace == trace
    assert isinstance(caught.value, HawaiiError) and str(caught.value)
    return str(caught.value)


def test_illegal_actions_in_every_phase() -> None:
    """Every action of the table that is not legal is refused by name, phase and rule, and changes nothing."""
    for phase, states in by_phase(seed=10, most=1).items():
        state = states[0]
        legal = set(state.legal_actions())
        kinds = (GameOverError,) if phase == "over" else (IllegalActionError,)
        for action in range(state.game.num_actions):
            if action not in legal:
                message = wrong(state, partial(state.apply, action), *kinds)
                assert phase == "over" or (
                    phase in message and state.game.action_text(action) in message and "[" in message
                )


@pytest.mark.parametrize("outcome", [o for o in NO_ACTIONS if o is not False] + [0, 7, 10])
def test_what_is_no_outcome(outcome: Any) -> None:
    for phase in LONG.chance_kinds:
        state = next(s for seed in range(40) for s in nodes(LONG, seed, at=phase))
        if type(outcome) is int and outcome in [o for o, _ in state.chance_outcomes()]:
            continue
        state.start_trace()
        message = wrong(state, partial(state.apply_chance, outcome), IllegalActionError)
        assert phase in message and "outcomes are" in message
        wrong(state, partial(state.chance_text, outcome), IllegalActionError)


def test_chance_where_there_is_none() -> None:
    for phase, states in by_phase(seed=15, most=1).items():
        if states[0].current_player != CHANCE:
            for call in (
                states[0].chance_outcomes,
                partial(states[0].apply_chance, 1),
                partial(states[0].chance_text, 1),
            ):
                assert phase in wrong(states[0], call, IllegalActionError)
        else:
            for action in (0, 1, 500):
                message = wrong(states[0], partial(states[0].apply, action), IllegalActionError)
                assert "chance decides" in message


def test_a_card_that_was_drawn_is_no_outcome() -> None:
    games = (nodes(LONG, seed, at="card") for seed in range(50))
    state = next(s.clone() for game in games for s in game if len(s.chance_outcomes()) < 8)
    gone = set(range(1, 10)) - {o for o, _ in state.chance_outcomes()}
    for card in gone:
        wrong(state, partial(state.apply_chance, card), IllegalActionError)
