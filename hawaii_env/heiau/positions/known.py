"""A position as one power knows it, from its numbers: for where nothing but the running turn's entries is hidden."""

from __future__ import annotations

from typing import Any

from hawaii_env.heiau.rules.state import STAND, STATE
from hawaii_env.heiau.rules.tables import MAX_POWERS

__all__ = ["forget_others"]

KIND, POWER, OWNER, STEP = (STAND.at[name] for name in ("kind", "power", "owner", "step"))
OUT_KIND, OUT_POWER, RETREAT = (STAND.at[name] for name in ("out_kind", "out_power", "retreat"))
ORDER = slice(STAND.at["verb"], STAND.at["target"] + 1)


def forget_others(mode: Any, tables: Any, buffer: Any, power: int) -> Any:
    """Return a state whose sealed turn begins anew for all but one power: it is asked first, the others by index.

    Args:
        mode, tables: as the state is played.
        buffer: the state, in a sealed turn without ballot; it stays as it is.
        power: whose entries are kept.
    """
    held = mode.words(buffer)
    copy = mode.copy_of(buffer)
    mode.open_turn(tables, copy)
    words = mode.words(copy)
    for k in range(STATE.words, len(words), STAND.words):
        mine = held[k + KIND] >= 0 and held[k + POWER] == power
        if mine:
            words[k + ORDER.start : k + ORDER.stop] = held[k + ORDER.start : k + ORDER.stop]
        if mine or (held[k + KIND] < 0 and held[k + OWNER] == power):
            words[k + STEP] = held[k + STEP]
        if held[k + OUT_KIND] >= 0 and held[k + OUT_POWER] == power:
            words[k + RETREAT] = held[k + RETREAT]
    for name in ("half", "steps", "done"):
        at = STATE.at[name] + power
        words[at] = held[at]
    first = STATE.at["queue"]
    waits = power in held[first : first + held[STATE.at["asked"]]]
    queue = [other for other in words[first : first + words[STATE.at["asked"]]] if other != power]
    queue = [power, *queue] if waits else queue
    words[STATE.at["asked"]] = len(queue)
    words[first : first + MAX_POWERS] = queue + [0] * (MAX_POWERS - len(queue))
    return mode.load(words)
