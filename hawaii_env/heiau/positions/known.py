"""A position as one power knows it: for where nothing but the running turn's entries is hidden."""

from __future__ import annotations

from typing import Any

import numpy as np

from hawaii_env.heiau.positions.view import ALL
from hawaii_env.heiau.rules.flow import open_turn
from hawaii_env.heiau.rules.state import NOBODY, STATE, UNDECIDED

__all__ = ["forget_others", "key_for"]


def key_for(state: Any, power: int) -> bytes:
    """Return the key of what a power knows.

    Args:
        state: a record of either backend, which stays as it is.
        power: whose entries are part of it; ALL for everything, below zero else what everybody knows.
    """
    known = STATE.array(state)
    STATE.part(known, "queue")[STATE.part(known, "asked")[0] :] = 0
    weight = STATE.part(known, "weight")
    weight //= max(1, np.gcd.reduce(weight))
    if not STATE.part(known, "opened")[0]:  # what the last turn has left says nothing
        power = -1
    if power == ALL:
        return STATE.key(known)

    def part(name: str) -> Any:
        return STATE.part(known, name)

    unit = part("kind") != NOBODY
    mine = unit & (part("power") == power)
    for name in ("verb", "source", "target"):
        part(name)[~mine] = NOBODY
    part("step")[~(mine | (~unit & (part("owner") == power)))] = 0
    part("retreat")[(part("out_kind") == NOBODY) | (part("out_power") != power)] = UNDECIDED
    others = np.arange(len(part("half"))) != power
    for name, nothing in (("half", -1), ("vote", -1), ("steps", 0), ("done", 0)):
        part(name)[others] = nothing
    for name in ("asked", "queue"):
        part(name)[:] = 0
    return STATE.key(known)


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
