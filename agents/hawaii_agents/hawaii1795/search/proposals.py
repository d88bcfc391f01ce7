"""Plans of a half-turn drawn without a policy, in compiled code: around an aim, as a player would think of them.

An aim is a space where forces are to meet, with a space that nobody leaves, leaders who come along, and whether others
march. Fleets fetch the strongest from elsewhere and sail there, and units of the island march in. Now and then the aim
is another one, a step is any legal one, or movement ends: every plan has a chance to be drawn.
"""

from __future__ import annotations

from typing import Any

from hawaii_env.core import rule
from hawaii_env.core.rng import below, next_word
from hawaii_env.hawaii1795.fast import (
    CARGO,
    CODEC,
    DONE,
    MOVE,
    N_LEADERS,
    N_SPACES,
    PICKUP,
    SAIL,
    SPACE_OF_ROUTE,
)

# Where the families of actions begin; each ends where the next one begins.
TO_MARCH, TO_MARCH_CARRIED, FLEETS, PICKUPS, TO_EMBARK, TO_EMBARK_MARCHED, TO_SAIL = (
    CODEC.block(name)[0] for name in ("march", "march_carried", "fleet", "pickup", "embark", "embark_marched", "sail")
)

TARGET, KEEP, LEADERS, MARCHES, N_AIM = 0, 1, 2, 3, 4

# Chances, as words of 32 bits: that a step is any legal one; that before a move the aim changes; that movement ends;
# that of several spaces or pieces not the strongest is taken.
WILD, TURN, STOP, OTHER = (int(p * 2**32) for p in (0.05, 0.2, 0.12, 0.25))


@rule
def draw_aim(aim: Any, words: Any) -> None:
    """Draw an aim, int64[N_AIM], from a generator."""
    aim[TARGET] = below(words, N_SPACES)
    aim[KEEP] = below(words, 2 * N_SPACES)  # half of them are none: anybody may leave
    aim[LEADERS] = below(words, 1 << N_LEADERS)
    aim[MARCHES] = below(words, 4)


@rule
def propose(state: Any, aim: Any, words: Any) -> int:
    """Return a legal action towards an aim, which may change."""
    if next_word(words) < WILD:
        return int(state.legal[below(words, state.n_legal)])
    chosen = -1
    if state.phase == MOVE:
        if next_word(words) < TURN:
            draw_aim(aim, words)
        if state.legal[0] == DONE and next_word(words) < STOP:
            return int(state.legal[0])
        chosen = next_move(state, aim, words)
    elif state.phase == PICKUP:
        chosen = where_to_embark(state, aim, words)
    elif state.phase == CARGO:
        chosen = whom_to_embark(state, aim, words)
    elif state.phase == SAIL:
        for i in range(state.n_legal):
            if state.legal[i] == TO_SAIL + aim[TARGET]:
                chosen = state.legal[i]
    if chosen >= 0:
        return int(chosen)
    if state.phase == MOVE and state.legal[0] == DONE:
        return int(state.legal[0])
    return int(state.legal[below(words, state.n_legal)])


@rule
def next_move(state: Any, aim: Any, words: Any) -> int:
    """Return a march to the aim's space, or a fleet; -1 if there is none."""
    chosen, seen = -1, 0
    for i in range(state.n_legal):
        action = state.legal[i]
        fits = False
        if TO_MARCH <= action < TO_MARCH_CARRIED:
            unit, route = (action - TO_MARCH) // 4, (action - TO_MARCH) % 4
            fits = leads_to_aim(route, aim) and (unit >= N_LEADERS or (aim[LEADERS] >> unit) & 1)
        elif TO_MARCH_CARRIED <= action < FLEETS:
            fits = leads_to_aim((action - TO_MARCH_CARRIED) % 4, aim)
        elif FLEETS <= action < PICKUPS:
            fits = True
        if fits:
            seen += 1
            if below(words, seen) == 0:
                chosen = action
    return chosen


@rule
def leads_to_aim(route: int, aim: Any) -> bool:
    """Return True if a march by this route leads to the aim's space and may be made."""
    # Routes stand in pairs, there and back.
    return aim[MARCHES] > 0 and SPACE_OF_ROUTE[route ^ 1] == aim[TARGET] and SPACE_OF_ROUTE[route] != aim[KEEP]


@rule
def where_to_embark(state: Any, aim: Any, words: Any) -> int:
    """Return the pick-up where most units wait, or now and then another; not where the aim is, nor where nobody leaves;
    -1 if there is none.
    """
    chosen, most, seen = -1, -1, 0
    by_size = next_word(words) >= OTHER
    for i in range(state.n_legal):
        space = state.legal[i] - PICKUPS
        if space < 0 or space >= N_SPACES or space == aim[TARGET] or space == aim[KEEP]:
            continue
        size = state.units[state.decider][space]
        seen += 1
        if (by_size and size > most) or (not by_size and below(words, seen) == 0):
            chosen = state.legal[i]
            most = size
    return chosen


@rule
def whom_to_embark(state: Any, aim: Any, words: Any) -> int:
    """Return the first of those who may come, mostly the strongest, or now and then another; nobody completes the
    cargo.
    """
    chosen, seen = -1, 0
    first = next_word(words) >= OTHER
    for i in range(state.n_legal):
        action = state.legal[i]
        if action == DONE:
            continue
        if TO_EMBARK <= action < TO_EMBARK_MARCHED:
            unit = action - TO_EMBARK
            if unit < N_LEADERS and not (aim[LEADERS] >> unit) & 1:
                continue
        seen += 1
        if (first and seen == 1) or (not first and below(words, seen) == 0):
            chosen = action
    if chosen < 0 and state.legal[0] == DONE:
        return int(DONE)
    return int(chosen)
