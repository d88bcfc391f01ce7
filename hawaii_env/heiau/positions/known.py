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
    at = STATE.parts(known)
    known[at["queue"]][known[at["asked"]][0] :] = 0
    weight = known[at["weight"]]
    weight //= max(1, np.gcd.reduce(weight))
    if not known[at["opened"]][0]:  # what the last turn has left says nothing
        power = -1
    if power == ALL:
        return STATE.key(known)
    unit = known[at["kind"]] != NOBODY
    mine = unit & (known[at["power"]] == power)
    for name in ("verb", "source", "target"):
        known[at[name]][~mine] = NOBODY
    known[at["step"]][~(mine | (~unit & (known[at["owner"]] == power)))] = 0
    known[at["retreat"]][(known[at["out_kind"]] == NOBODY) | (known[at["out_power"]] != power)] = UNDECIDED
    for name, nothing in (("half", -1), ("vote", -1), ("steps", 0), ("done", 0)):
        values = known[at[name]]
        own = values[power] if power >= 0 else nothing
        values[:] = nothing
        if power >= 0:
            values[power] = own
    known[at["asked"]] = known[at["queue"]] = 0
    return STATE.key(known)
