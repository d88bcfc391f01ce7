"""The key of a position as one power knows it: for where nothing but the running turn's entries is hidden."""

from __future__ import annotations

from typing import Any

import numpy as np

from hawaii_env.heiau.positions.view import ALL
from hawaii_env.heiau.rules.state import NOBODY, STATE, UNDECIDED

__all__ = ["key_for"]


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
