"""The order of stages, halves and turns [2.0]."""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule

from .names import BEGIN, BRITISH, MAORI, STAGES
from .victory import after_last_turn

N_STAGES = len(STAGES)


@rule
def finish_stage(rules: Any, state: Any) -> None:
    """[2.0, 1.0] Go on to the next stage; after the last one to the other player's half, then to the next turn. After
    the last turn points decide.
    """
    state.phase = BEGIN
    if state.stage < N_STAGES - 1:
        state.stage += 1
    elif state.half == BRITISH and state.turn == rules.turns:
        after_last_turn(rules, state)
    else:
        state.stage, state.half = 0, 1 - state.half
        if state.half == MAORI:
            state.turn += 1
