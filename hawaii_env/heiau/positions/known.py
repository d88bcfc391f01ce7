"""A position as one power knows it: for where nothing but the running turn's entries is hidden."""

from __future__ import annotations

from typing import Any

from hawaii_env.heiau.rules.flow import open_turn
from hawaii_env.heiau.rules.state import NOBODY

__all__ = ["forget_others"]


def forget_others(tables: Any, state: Any, power: int) -> Any:
    """Return an interpreted state whose sealed turn begins anew for all but one power: it is asked first, the others by
    index.

    Args:
        tables: the interpreted tables.
        state: an interpreted state, in a sealed turn without ballot; it stays as it is.
        power: whose entries are kept.
    """
    known = state.copy()
    open_turn(tables, known)
    for space in range(state.spaces):
        mine = state.kind[space] != NOBODY and state.power[space] == power
        if mine:
            known.verb[space], known.source[space] = state.verb[space], state.source[space]
            known.target[space] = state.target[space]
        if mine or (state.kind[space] == NOBODY and state.owner[space] == power):
            known.step[space] = state.step[space]
        if state.out_kind[space] != NOBODY and state.out_power[space] == power:
            known.retreat[space] = state.retreat[space]
    known.half[power], known.steps[power], known.done[power] = state.half[power], state.steps[power], state.done[power]
    queue = [other for other in known.queue[: known.asked] if other != power]
    if power in state.queue[: state.asked]:
        queue = [power, *queue]
    known.asked = len(queue)
    known.queue = queue + [0] * (len(known.queue) - len(queue))
    known.generator = [-1] * 8
    return known
