"""The Prologue of two players, looked through to its end: who acts last answers everything, so a few simulations do not
find what is to be done against it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hawaii_env.aloha.fast import (
    AMOUNT,
    AMOUNT_OF,
    MIGRATE,
    PROLOGUE_ACTION,
    WARRIOR,
    WARRIOR_ONE,
    view_state,
)
from hawaii_env.core import rule
from hawaii_env.core.rng import below

__all__ = ["MOST_MOVES", "N_BUFFER", "OPENING", "can_search_opening", "search_opening"]

LEAD, MARGIN, PRESENCE, WARRIORS = range(4)
OPENING: NDArray[np.float64] = np.array([0.073, 0.0164, 0.083, 0.135])
"""Weights of a position at the end of the Prologue: an island on which the player leads; each token of the lead there,
up to eight; an island where the player is present; most warriors. Fitted to 4,800 games that began with Prologues
played by random weights.
"""

ENOUGH = 8
"""Tokens of a lead that count."""

MOST_MOVES = 4
"""Actions that are looked through: all of a Prologue of two actions each."""

# A buffer to work in, int64: tokens by player and island, warriors, the order of islands, then the options that are
# being tried, four numbers each: from, to, how many, whether all have been tried.
HAS, ARMS, ISLAND_AT, TRIED = 0, 10, 12, 17
N_BUFFER = TRIED + 4 * MOST_MOVES


@rule
def can_search_opening(rules: Any, state: Any) -> bool:
    """Return True if an action of a Prologue of two players is to be chosen, with few enough to come, in turn."""
    if rules.players != 2 or state.moves[0] + state.moves[1] == 0 or state.moves[0] + state.moves[1] > MOST_MOVES:
        return False
    if state.phase != PROLOGUE_ACTION and state.phase != AMOUNT:
        return False
    more = state.moves[state.decider] - state.moves[1 - state.decider]
    return more == 0 or more == 1


@rule
def _island(w: Any, own: int, theirs: int) -> float:
    """Return what an island adds to a player's chance."""
    lead = own - theirs
    value = w[MARGIN] * max(-ENOUGH, min(ENOUGH, lead))
    if lead > 0:
        value += w[LEAD]
    elif lead < 0:
        value -= w[LEAD]
    if own > 0:
        value += w[PRESENCE]
    if theirs > 0:
        value -= w[PRESENCE]
    return value


@rule
def _arms(w: Any, lead: int) -> float:
    """Return what warriors add to a player's chance."""
    if lead > 0:
        return w[WARRIORS]
    return -w[WARRIORS] if lead < 0 else 0.0


@rule
def _end(w: Any, buffer: Any, player: int) -> float:
    """Return what the Prologue's end adds to a player's chance."""
    other = 1 - player
    value = _arms(w, buffer[ARMS + player] - buffer[ARMS + other])
    for island in range(5):
        value += _island(w, buffer[HAS + 5 * player + island], buffer[HAS + 5 * other + island])
    return value


@rule
def _is_second_empty(buffer: Any, island: int) -> bool:
    """Return True if nobody is on an island, nor on an earlier one: then to go to one or the other is the same."""
    empty = 0
    for earlier in range(island):
        if buffer[HAS + earlier] + buffer[HAS + 5 + earlier] == 0:
            empty += 1
    return empty > 0 and buffer[HAS + island] + buffer[HAS + 5 + island] == 0


@rule
def _last(w: Any, buffer: Any, player: int) -> float:
    """Return the best that the Prologue's last action makes of it, for who takes it."""
    own, theirs = HAS + 5 * player, HAS + 5 * (1 - player)
    arms = buffer[ARMS + player] - buffer[ARMS + 1 - player]
    value = _end(w, buffer, player)
    best = _arms(w, arms + 1) - _arms(w, arms)
    for start in range(5):
        has = buffer[own + start]
        if has == 0:
            continue
        for end in range(5):
            if end == start or _is_second_empty(buffer, end):
                continue
            before = _island(w, has, buffer[theirs + start]) + _island(w, buffer[own + end], buffer[theirs + end])
            for number in range(1, has + 1):
                after = _island(w, has - number, buffer[theirs + start])
                after += _island(w, buffer[own + end] + number, buffer[theirs + end])
                best = max(best, after - before)
    return value + best


@rule
def _next(buffer: Any, at: int, player: int, fixed: bool) -> bool:
    """Go on to the next option in buffer[at:] and return True, or False if none is left. The first is a warrior, from
    -1; `fixed`: only how many go is open.
    """
    own = HAS + 5 * player
    if fixed:
        buffer[at + 2] += 1
        return buffer[at + 2] <= buffer[own + buffer[at]]
    if buffer[at] >= 0 and buffer[at + 2] < buffer[own + buffer[at]]:
        buffer[at + 2] += 1
        return True
    start, end = buffer[at], buffer[at + 1]
    if start < 0:
        start, end = 0, -1
    while start < 5:
        end += 1
        if end == 5 or buffer[own + start] == 0:
            start, end = start + 1, -1
        elif end != start and not _is_second_empty(buffer, end):
            buffer[at], buffer[at + 1], buffer[at + 2] = start, end, 1
            return True
    return False


@rule
def _do(buffer: Any, at: int, player: int, sign: int) -> None:
    """Take an option, or with -1 take it back."""
    if buffer[at] < 0:
        buffer[ARMS + player] += sign
    else:
        buffer[HAS + 5 * player + buffer[at]] -= sign * buffer[at + 2]
        buffer[HAS + 5 * player + buffer[at + 1]] += sign * buffer[at + 2]


@rule
def search_opening(tables: Any, record: Any, w: Any, buffer: Any, bounds: Any, words: Any) -> int:
    """Return the best action of who decides, when both play on to the Prologue's end as is best for the chance that it
    leaves.

    Alpha-beta, islands in an order by the generator in `words`: of equals it takes the first.
    w: `OPENING`; buffer: int64[N_BUFFER]; bounds: float64[3 * MOST_MOVES].
    """
    state = view_state(record)
    depth = state.moves[0] + state.moves[1]
    for island in range(5):
        other = below(words, island + 1)
        buffer[ISLAND_AT + island] = buffer[ISLAND_AT + other]
        buffer[ISLAND_AT + other] = island
    for player in range(2):
        buffer[ARMS + player] = state.tracks[WARRIOR - 1][player]
        for island in range(5):
            buffer[HAS + 5 * player + island] = state.tokens[player][buffer[ISLAND_AT + island]]
    fixed = state.phase == AMOUNT
    first, d, found = state.decider, 0, WARRIOR_ONE
    bounds[0], bounds[1], bounds[2] = -1e9, 1e9, -1e9  # of each depth: alpha, beta, the best so far
    buffer[TRIED], buffer[TRIED + 1], buffer[TRIED + 2] = -1, -1, 0
    if fixed:
        for island in range(5):
            if buffer[ISLAND_AT + island] == state.origin:
                buffer[TRIED] = island
            if buffer[ISLAND_AT + island] == state.destination:
                buffer[TRIED + 1] = island
        buffer[TRIED + 2] = 1
    while True:
        player, at = (first + d) % 2, TRIED + 4 * d
        _do(buffer, at, player, 1)
        if d + 1 == depth:
            value = _end(w, buffer, player)
        elif d + 2 == depth:
            value = -_last(w, buffer, 1 - player)
        else:
            d += 1
            bounds[3 * d], bounds[3 * d + 1], bounds[3 * d + 2] = -bounds[3 * d - 2], -bounds[3 * d - 3], -1e9
            at = TRIED + 4 * d
            buffer[at], buffer[at + 1], buffer[at + 2] = -1, -1, 0
            continue
        while True:
            _do(buffer, at, player, -1)
            if value > bounds[3 * d + 2] + 1e-9:
                bounds[3 * d + 2] = value
                bounds[3 * d] = max(bounds[3 * d], value)
                if d == 0 and fixed:
                    found = AMOUNT_OF + buffer[at + 2]
                elif d == 0 and buffer[at] >= 0:
                    start, end = buffer[ISLAND_AT + buffer[at]], buffer[ISLAND_AT + buffer[at + 1]]
                    found = MIGRATE + 4 * start + end - (1 if end > start else 0)
            if bounds[3 * d] < bounds[3 * d + 1] and _next(buffer, at, player, fixed and d == 0):
                break
            if d == 0:
                return found
            value = -bounds[3 * d + 2]
            d -= 1
            player, at = (first + d) % 2, TRIED + 4 * d
