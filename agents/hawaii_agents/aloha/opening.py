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

__all__ = ["OPENING", "can_search_opening", "new_buffers", "search_opening"]

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


def new_buffers() -> tuple[NDArray[Any], ...]:
    """Return the buffers of `search_opening`, from `tokens` to `bounds`."""
    shapes = ((2, 5), (2,), (5,), (MOST_MOVES, 3))
    return *(np.zeros(shape, np.int64) for shape in shapes), np.zeros((MOST_MOVES, 3))


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
def _end(w: Any, tokens: Any, warriors: Any, player: int) -> float:
    """Return what the Prologue's end adds to a player's chance."""
    value = _arms(w, warriors[player] - warriors[1 - player])
    for island in range(5):
        value += _island(w, tokens[player, island], tokens[1 - player, island])
    return value


@rule
def _is_second_empty(tokens: Any, island: int) -> bool:
    """Return True if nobody is on an island, nor on an earlier one: then to go to one or the other is the same."""
    empty = 0
    for earlier in range(island):
        if tokens[0, earlier] + tokens[1, earlier] == 0:
            empty += 1
    return empty > 0 and tokens[0, island] + tokens[1, island] == 0


@rule
def _last(w: Any, tokens: Any, warriors: Any, player: int) -> float:
    """Return the best that the Prologue's last action makes of it, for who takes it."""
    own, theirs = tokens[player], tokens[1 - player]
    arms = warriors[player] - warriors[1 - player]
    value = _end(w, tokens, warriors, player)
    best = _arms(w, arms + 1) - _arms(w, arms)
    for start in range(5):
        has = own[start]
        if has == 0:
            continue
        for end in range(5):
            if end == start or _is_second_empty(tokens, end):
                continue
            before = _island(w, has, theirs[start]) + _island(w, own[end], theirs[end])
            for number in range(1, has + 1):
                after = _island(w, has - number, theirs[start])
                after += _island(w, own[end] + number, theirs[end])
                best = max(best, after - before)
    return value + best


@rule
def _next(tokens: Any, option: Any, player: int, fixed: bool) -> bool:
    """Turn an option into the next one and return True, or return False if none is left. The first is a warrior, from
    -1; `fixed`: only how many go is open.
    """
    own = tokens[player]
    if fixed:
        option[2] += 1
        return option[2] <= own[option[0]]
    if option[0] >= 0 and option[2] < own[option[0]]:
        option[2] += 1
        return True
    start, end = option[0], option[1]
    if start < 0:
        start, end = 0, -1
    while start < 5:
        end += 1
        if end == 5 or own[start] == 0:
            start, end = start + 1, -1
        elif end != start and not _is_second_empty(tokens, end):
            option[0], option[1], option[2] = start, end, 1
            return True
    return False


@rule
def _do(tokens: Any, warriors: Any, option: Any, player: int, sign: int) -> None:
    """Take an option, or with -1 take it back."""
    if option[0] < 0:
        warriors[player] += sign
    else:
        tokens[player, option[0]] -= sign * option[2]
        tokens[player, option[1]] += sign * option[2]


@rule
def search_opening(
    tables: Any,
    record: Any,
    w: Any,
    tokens: Any,
    warriors: Any,
    order: Any,
    options: Any,
    bounds: Any,
    words: Any,
) -> int:
    """Return the best action of who decides, when both play on to the Prologue's end as is best for the chance that it
    leaves.

    Alpha-beta, islands in an order by the generator in `words`: of equals it takes the first.
    w: `OPENING`. `new_buffers` makes the others: tokens by player and island; warriors; the order of islands; by depth
    the option that is tried (from, to, how many) and the bounds (alpha, beta, the best so far).
    """
    state = view_state(record)
    depth = state.moves[0] + state.moves[1]
    for island in range(5):
        other = below(words, island + 1)
        order[island] = order[other]
        order[other] = island
    for player in range(2):
        warriors[player] = state.tracks[WARRIOR - 1][player]
        for island in range(5):
            tokens[player, island] = state.tokens[player][order[island]]
    fixed = state.phase == AMOUNT
    first, d, found = state.decider, 0, WARRIOR_ONE
    bounds[0, 0], bounds[0, 1], bounds[0, 2] = -1e9, 1e9, -1e9
    options[0, 0], options[0, 1], options[0, 2] = -1, -1, 0
    if fixed:
        for island in range(5):
            if order[island] == state.origin:
                options[0, 0] = island
            if order[island] == state.destination:
                options[0, 1] = island
        options[0, 2] = 1
    while True:
        player = (first + d) % 2
        _do(tokens, warriors, options[d], player, 1)
        if d + 1 == depth:
            value = _end(w, tokens, warriors, player)
        elif d + 2 == depth:
            value = -_last(w, tokens, warriors, 1 - player)
        else:
            d += 1
            bounds[d, 0], bounds[d, 1], bounds[d, 2] = -bounds[d - 1, 1], -bounds[d - 1, 0], -1e9
            options[d, 0], options[d, 1], options[d, 2] = -1, -1, 0
            continue
        while True:
            _do(tokens, warriors, options[d], player, -1)
            if value > bounds[d, 2] + 1e-9:
                bounds[d, 2] = value
                bounds[d, 0] = max(bounds[d, 0], value)
                if d == 0 and fixed:
                    found = AMOUNT_OF + options[0, 2]
                elif d == 0 and options[0, 0] >= 0:
                    start, end = order[options[0, 0]], order[options[0, 1]]
                    found = MIGRATE + 4 * start + end - (1 if end > start else 0)
            if bounds[d, 0] < bounds[d, 1] and _next(tokens, options[d], player, fixed and d == 0):
                break
            if d == 0:
                return found
            value = -bounds[d, 2]
            d -= 1
            player = (first + d) % 2
