"""Victory [5.0]."""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule

from .names import ALLIED, KAMEHAMEHA, N_SPACES, R_NOVEMBER, R_OCCUPATION, R_OCCUPATION_NOVEMBER, TIE
from .pieces import finish, occupies


@rule
def occupation_victory(rules: Any, state: Any, side: int) -> bool:
    """[5.1, R-07] Return True if the side occupies what its occupation victory asks for."""
    some = 0
    any_of = rules.win_any[side] == 0
    for space in range(N_SPACES):
        bit = 1 << space
        held = occupies(state, side, space)
        if rules.win_all[side] & bit and not held:
            return False
        if held:
            if rules.win_some[side] & bit:
                some += 1
            if rules.win_any[side] & bit:
                any_of = True
    return any_of and some >= rules.win_some_n[side]


@rule
def check_turn_start(rules: Any, state: Any) -> None:
    """[5.1] Check Kamehameha's occupation victory at the start of every turn."""
    if occupation_victory(rules, state, KAMEHAMEHA):
        finish(state, KAMEHAMEHA, R_OCCUPATION)


@rule
def check_allied_half(rules: Any, state: Any) -> None:
    """[5.1] Check the Allies' occupation victory at the start of every Allied half."""
    if occupation_victory(rules, state, ALLIED):
        finish(state, ALLIED, R_OCCUPATION)


@rule
def end_of_november(rules: Any, state: Any) -> None:
    """[5.3, R-08] End the campaign: a tie, or with option final_check one more look at Kamehameha's condition."""
    if rules.final_check and occupation_victory(rules, state, KAMEHAMEHA):
        finish(state, KAMEHAMEHA, R_OCCUPATION_NOVEMBER)
    else:
        finish(state, TIE, R_NOVEMBER)


@rule
def units_ahead(rules: Any, state: Any, side: int) -> float:
    """[5.0] Return a side's units on the map less the other's, by 20."""
    ahead = 0
    for space in range(N_SPACES):
        ahead += state.units[side][space] - state.units[1 - side][space]
    return ahead / 20
