# pyright: reportPrivateUsage=false
"""The flow chart never goes round for ever, no list is longer than its room, and nothing takes what is not legal."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
from refusals import refuses

from hawaii_env.core import jit
from hawaii_env.core.rng import seed_words
from hawaii_env.errors import IllegalActionError
from hawaii_env.hawaii1795 import Game, core
from hawaii_env.hawaii1795.battles.engine import battle_position, engine_frequencies
from hawaii_env.hawaii1795.play import State
from hawaii_env.hawaii1795.rules import actions, flow
from hawaii_env.hawaii1795.rules.errors import EndlessPhaseError, NotOfferedError, TooManyActionsError
from hawaii_env.hawaii1795.rules.names import AUTOMATIC_PHASES, FIRE, HALF_END, MAX_LEGAL, PHASES
from hawaii_env.hawaii1795.rules.state import STATE, PlainState

from .helpers import LONG, nodes

pytestmark = pytest.mark.timeout(60)


def test_every_phase_has_a_name() -> None:
    assert len(PHASES) + len(AUTOMATIC_PHASES) == HALF_END + 1
    assert (PHASES + AUTOMATIC_PHASES)[flow.ROUND_START] == "round_start"


@pytest.mark.parametrize(("phase", "named"), [(FIRE, "fire"), (HALF_END + 1, f"number {HALF_END + 1}")])
def test_a_phase_that_neither_offers_nor_passes_on_is_an_error(phase: int, named: str) -> None:
    """Where nobody fights nobody fires: that offers nothing and passes on to nothing; the other phase does not
    exist.
    """
    state = LONG.initial_state(3)
    state._core.put(state._buffer, "phase", phase)
    refuses(EndlessPhaseError, (rf"phase {named} \[7.2\]: nobody has had a choice for 5000 steps", lambda: state._go()))


def test_a_battle_that_no_die_can_end_is_an_error() -> None:
    """A ruleset may say so. Chance falls again and again: in the game, in its trace, in the odds' games and in the
    fuzzer.
    """
    content = copy.deepcopy(LONG.ruleset.content)
    content["battle_results.toml"]["both"] |= {"elite": ["none"] * 6, "non_elite": ["none"] * 6}
    game = Game(rules=content)
    battle = battle_position(["pike"], ["pike"], game=game)
    refuses(
        EndlessPhaseError,
        (r"phase \w+ \[7.2\]: nobody has had a choice for 5000 steps", lambda: battle.clone(seed=1)),
        ("", lambda: engine_frequencies(battle, battles=1)),
    )
    traced = battle.clone()
    traced.trace = []
    traced.set_generator(seed_words(1))
    refuses(EndlessPhaseError, ("", lambda: traced._go()))
    if not jit.INTERPRETED:  # there such games take minutes: whole armies that choose who fires, 20,000 times
        assert "the game does not end" in {game.fuzz_message(seed) for seed in range(10)}


@pytest.fixture(params=["plain", "compiled"])
def add_legal(request: pytest.FixtureRequest) -> tuple[Any, Any]:
    """A state, and what lists an action in it."""
    if request.param == "plain":
        return PlainState(), actions.add_legal
    if jit.INTERPRETED:
        pytest.skip("plain")
    return np.zeros(1, STATE)[0], jit.entry_point(actions.add_legal)


def test_no_action_is_written_past_the_list(add_legal: tuple[Any, Any]) -> None:
    state, add = add_legal
    for action in range(MAX_LEGAL):
        add(state, action)
    refuses(TooManyActionsError, (rf"more than {MAX_LEGAL} legal actions", lambda: add(state, 0)))
    assert state.n_legal == MAX_LEGAL and list(state.legal) == list(range(MAX_LEGAL)) and state.decisions == 0


def test_a_step_of_a_trace_takes_legal_actions_only() -> None:
    looked: set[str] = set()
    for state in nodes(LONG, 5):
        assert isinstance(state, State)
        if state.current_player < 0 or state.phase in looked:
            continue
        looked.add(state.phase)
        legal, before = state.legal_actions(), core.to_bytes(state._buffer)
        for action in (-1, next(a for a in range(LONG.num_actions) if a not in legal), LONG.num_actions, 2**40):
            with pytest.raises(NotOfferedError, match=rf"action {action} is not legal in phase {state.phase}"):
                state._core.take(state._tables, state._buffer, action)
        assert core.to_bytes(state._buffer) == before
    assert len(looked) > 8 and issubclass(NotOfferedError, IllegalActionError)
