# pyright: reportPrivateUsage=false
"""The flow chart never goes round for ever, no list is longer than its room, and nothing takes what is not legal."""

from __future__ import annotations

import copy

import pytest
from refusals import refuses

from hawaii_env.core import jit
from hawaii_env.core.rng import seed_words
from hawaii_env.hawaii1795 import Game
from hawaii_env.hawaii1795.battles.engine import battle_position, engine_frequencies
from hawaii_env.hawaii1795.rules import actions, flow
from hawaii_env.hawaii1795.rules.errors import EndlessPhaseError, TooManyActionsError
from hawaii_env.hawaii1795.rules.names import AUTOMATIC_PHASES, FIRE, HALF_END, MAX_LEGAL, PHASES
from hawaii_env.hawaii1795.rules.state import STATE

from .helpers import LONG

pytestmark = pytest.mark.timeout(300)


def test_every_phase_has_a_name() -> None:
    assert len(PHASES) + len(AUTOMATIC_PHASES) == HALF_END + 1
    assert (PHASES + AUTOMATIC_PHASES)[flow.ROUND_START] == "round_start"


@pytest.mark.parametrize(("phase", "named"), [(FIRE, "fire"), (HALF_END + 1, f"number {HALF_END + 1}")])
def test_a_phase_that_neither_offers_nor_passes_on_is_an_error(phase: int, named: str) -> None:
    """Where nobody fights nobody fires: that offers nothing and passes on to nothing; the other phase does not
    exist.
    """
    state = LONG.initial_state(3)
    STATE.put(state.data, "phase", phase)
    refuses(
        EndlessPhaseError, (rf"phase {named} \[7.2\]: nobody has had a choice for 5000 steps", lambda: state.go_on())
    )


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
    refuses(EndlessPhaseError, ("", lambda: traced.go_on()))
    if not jit.INTERPRETED:  # there such games take minutes: whole armies that choose who fires, 20,000 times
        assert "the game does not end" in {game.fuzz_message(seed) for seed in range(10)}


def test_no_action_is_written_past_the_list() -> None:
    state = STATE.new()
    for action in range(MAX_LEGAL):
        actions.add_legal(state, action)
    refuses(TooManyActionsError, (rf"more than {MAX_LEGAL} legal actions", lambda: actions.add_legal(state, 0)))
    assert state.n_legal == MAX_LEGAL and state.legal == list(range(MAX_LEGAL)) and state.decisions == 0
