"""Values of new positions: by random or quiet play, rules of thumb, or a network; and priors of actions."""

from __future__ import annotations

from typing import Any

import numpy as np

from hawaii_agents.layers import value_of
from hawaii_env.core import rule
from hawaii_env.core.rng import below, next_word
from hawaii_env.hawaii1795.fast import (
    CARD,
    CODEC,
    COMMIT,
    DONE,
    FIRE,
    LOSS,
    MOVE,
    N_KINDS,
    N_SPACES,
    OVER,
    PANIC_LOSS,
    RETREAT,
    TIE,
    WINDOW,
    apply_action,
    apply_chance,
    is_chance,
    run,
)

from .network import first_layer, observe
from .static import N_FEATURES, count_pieces, static_value

# How a new position is valued: by the network; by random play to the end of the half-turn, then the network; by random
# play to the end; by quiet play to the end of the half-turn, then by rules of thumb.
NET, HALF, GAME, STATIC = 0, 1, 2, 3

RETREATS = CODEC.block("retreat")[0]


@rule
def end_value(state: Any) -> float:
    """Return Kamehameha's result of a game that is over."""
    if state.winner == TIE:
        return 0.0
    return 1.0 if state.winner == 0 else -1.0


@rule
def play_on(rules: Any, state: Any, words: Any, whole: bool, quiet: bool, restless: float) -> None:
    """Play on to the end of the half-turn, or of the whole game: at random, or quietly.

    restless: chance that movement goes on where it could end; random movement throws armies away.
    """
    half, month = state.half, state.month
    for _ in range(20_000):
        if state.phase == OVER or (not whole and (state.half != half or state.month != month)):
            break
        if is_chance(rules, state):
            apply_chance(rules, state, draw(state, words))
        elif quiet:
            apply_action(rules, state, quiet_action(state, words, restless))
        else:
            pick = below(words, state.n_legal)
            if state.phase == MOVE and state.legal[0] == DONE and next_word(words) >= restless * 4294967296.0:
                pick = 0
            apply_action(rules, state, state.legal[pick])
        run(rules, state)


@rule
def play_quietly(rules: Any, state: Any, words: Any, static: Any, restless: float) -> float:
    """Value a position, Kamehameha's view, by rules of thumb at the end of the half-turn. Until then movement ends
    where it can, the strongest fire and the weakest fall first, war fleets that sail take all, those who withdraw go
    where most are, held events are kept, and the rest is random.

    restless: chance that movement goes on where it could end.
    """
    half, month = state.half, state.month
    play_on(rules, state, words, False, True, restless)
    return value_by_rules_of_thumb(rules, state, half, month, static)


@rule
def quiet_action(state: Any, words: Any, restless: float) -> int:
    """Return the next action of `play_quietly`."""
    phase, n = state.phase, state.n_legal
    if phase in (LOSS, PANIC_LOSS):
        return int(state.legal[n - 1])  # actions stand in the order of kinds, leaders first
    if phase in (WINDOW, FIRE):
        return int(state.legal[0])
    if phase == COMMIT and state.legal[0] == DONE:
        return int(state.legal[1 + below(words, n - 1)])
    if phase == RETREAT:
        return most_friends(state)
    if phase == MOVE and state.legal[0] == DONE and next_word(words) >= restless * 4294967296.0:
        return int(state.legal[0])
    return int(state.legal[below(words, n)])


@rule
def most_friends(state: Any) -> int:
    """Return the retreat to where most of the side's units stand."""
    chosen, most = state.legal[0], -1
    for i in range(state.n_legal):
        space = state.legal[i] - RETREATS
        if 0 <= space < N_SPACES and state.units[state.decider][space] > most:
            most = state.units[state.decider][space]
            chosen = state.legal[i]
    return int(chosen)


@rule
def value_by_rules_of_thumb(rules: Any, state: Any, half: int, month: int, static: Any) -> float:
    """Return the static value, Kamehameha's, of a position at which the half-turn of `half` and `month` has ended."""
    if state.phase == OVER:
        return end_value(state)
    units, boats = np.empty((2, N_SPACES, N_KINDS), np.int64), np.empty((2, N_SPACES), np.int64)
    chiefs, left = np.empty(2, np.int64), np.empty(2, np.int64)
    count_pieces(rules, state, units, boats, chiefs)
    left[0] = state.left[0]
    left[1] = state.left[1]
    value = static_value(rules, units, boats, chiefs, left, month, half, static, np.empty(N_FEATURES))
    return value if half == 0 else -value


@rule
def draw(state: Any, words: Any) -> int:
    """Draw an outcome of a chance node."""
    if state.phase != CARD:
        return below(words, 6) + 1
    mask = state.left[state.half]
    cards = 0
    for number in range(1, 10):
        cards += (mask >> number) & 1
    skip = below(words, cards)
    for number in range(1, 10):
        if (mask >> number) & 1:
            if skip == 0:
                return number
            skip -= 1
    return 0


@rule
def net_value(rules: Any, state: Any, net: Any, layers: Any) -> float:
    """Return the network's value of a position, Kamehameha's; leave the first layer in `layers`.

    layers: see `layer_buffers`.
    """
    if state.phase == OVER:
        return end_value(state)
    buffers, tall, _, narrow = layers
    viewer = state.decider if state.phase < CARD else state.half
    observe(rules, state, viewer, buffers)
    first_layer(buffers, net, tall)
    value = min(max(value_of(tall, narrow, net.worth, net.worth_bias, net.score, net.score_bias), -1.0), 1.0)
    return value if viewer == 0 else -value


@rule
def value_position(
    rules: Any, state: Any, words: Any, net: Any, static: Any, how: int, restless: float, layers: Any
) -> float:
    """Value a position, Kamehameha's view; it is played on. What chance decides next is drawn: no chance node has a
    value.
    """
    draw_on(rules, state, words)
    if how == STATIC:
        return play_quietly(rules, state, words, static, restless)
    if how != NET:
        play_on(rules, state, words, how == GAME, False, restless)
        if how == GAME:
            return end_value(state) if state.phase == OVER else 0.0
        draw_on(rules, state, words)
    return net_value(rules, state, net, layers)


@rule
def draw_on(rules: Any, state: Any, words: Any) -> None:
    """Draw cards and dice until somebody decides."""
    while is_chance(rules, state):
        apply_chance(rules, state, draw(state, words))
        run(rules, state)
