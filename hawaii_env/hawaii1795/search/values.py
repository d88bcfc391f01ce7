"""What a search thinks of a position that it has not gone beyond: random play, or a network; and its actions'
priors.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hawaii_env._jit import rule
from hawaii_env.rng import below, next_word

from ..rules import flow
from ..rules.actions import DONE as A_DONE
from ..rules.names import CARD, CUSTOM, MOVE, OVER, TIE
from .network import dense, dot, first_layer, see, value_of

# How a new position is valued: by the network; by random play to the end of the half-turn, then the network; by random
# play to the end.
NET, HALF, GAME = 0, 1, 2


@rule
def end_value(state: Any) -> float:
    """Kamehameha's result of a game that is over."""
    if state.winner == TIE:
        return 0.0
    return 1.0 if state.winner == 0 else -1.0


@rule
def play_on(rules: Any, state: Any, words: Any, whole: int, restless: float) -> None:
    """Random play from a decision to the end of the half-turn, or of the game.

    restless: chance that movement is gone on with where it could end; random movement throws armies away.
    """
    half, month = state.half, state.month
    for _ in range(20_000):
        if state.phase == OVER or state.phase == CUSTOM:
            return
        if not whole and (state.half != half or state.month != month):
            return
        if flow.is_chance(state):
            flow.fall(rules, state, draw(state, words))
        else:
            pick = below(words, state.n_legal)
            if state.phase == MOVE and state.legal[0] == A_DONE and next_word(words) >= restless * 4294967296.0:
                pick = 0
            flow.take(rules, state, state.legal[pick])
        flow.run(rules, state)


@rule
def draw(state: Any, words: Any) -> int:
    """An outcome of a chance node, from the search's own generator."""
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
def net_value(rules: Any, state: Any, net: Any, eyes: Any, tall: Any, narrow: Any) -> float:
    """The network's value of a position, Kamehameha's. Leaves the first layer in `tall`. eyes: see `open_eyes`."""
    if state.phase == OVER:
        return end_value(state)
    viewer = state.decider if state.phase < CARD else state.half
    see(rules, state, viewer, eyes)
    first_layer(eyes, net, tall)
    value = value_of(tall, narrow, net[4], net[5], net[8], net[9])
    value = min(max(value, -1.0), 1.0)
    return value if viewer == 0 else -value


@rule
def give_priors(edges: Any, priors: Any, first: int, n: int, net: Any, tall: Any, hidden: Any, heat: float) -> None:
    """Priors of a decision's actions from the policy; `tall` is the first layer. heat: temperature of the softmax."""
    dense(tall[: len(hidden)], net[2], net[3], hidden)
    top = -1e30
    for i in range(first, first + n):
        action = edges[i, 0]
        logit = (dot(hidden, net[6][action]) + net[7][action]) / heat
        priors[i] = logit
        top = max(top, logit)
    total = 0.0
    for i in range(first, first + n):
        priors[i] = np.exp(priors[i] - top)
        total += priors[i]
    for i in range(first, first + n):
        priors[i] /= total


@rule
def worth(
    rules: Any, state: Any, words: Any, net: Any, how: int, restless: float, eyes: Any, tall: Any, narrow: Any
) -> float:
    """Value a position, Kamehameha's view; it is played on. What chance decides next is drawn: no value is of a chance
    node.
    """
    draw_on(rules, state, words)
    if how != NET:
        play_on(rules, state, words, how == GAME, restless)
        if how == GAME:
            return end_value(state) if state.phase == OVER else 0.0
        draw_on(rules, state, words)
    return net_value(rules, state, net, eyes, tall, narrow)


@rule
def value_new(
    rules: Any,
    state: Any,
    first: int,
    count: int,
    edges: Any,
    priors: Any,
    words: Any,
    net: Any,
    how: int,
    restless: float,
    heat: float,
    eyes: Any,
    tall: Any,
    hidden: Any,
    narrow: Any,
) -> float:
    """Value a new decision's position, Kamehameha's view, and give its actions priors. The state may be played on."""
    if len(hidden) > 0:
        value = net_value(rules, state, net, eyes, tall, narrow)
        give_priors(edges, priors, first, count, net, tall, hidden, heat)
        if how == NET:
            return value
    return worth(rules, state, words, net, how, restless, eyes, tall, narrow)


@rule
def draw_on(rules: Any, state: Any, words: Any) -> None:
    """Draw cards and dice until somebody decides."""
    while flow.is_chance(state):
        flow.fall(rules, state, draw(state, words))
        flow.run(rules, state)
