"""Compiled search of Maori Wars by a trained policy: plans are drawn from it, and compared by what both players make of
them when they go on by it.

A plan is what a player decides until dice fall or the enemy decides; greedy plans may be added to those of the policy.
All are played out with the same dice to the end of some halves, where a mean of the network's value and of the
position's worth stands; after each round the better half of them goes on. If the worth alone counts, plays are greedy.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hawaii_agents.layers import add_changes, arrange, dense, dot, squash, value_of
from hawaii_agents.network import Policy
from hawaii_env.core import EntryPoints, rule
from hawaii_env.core.rng import below
from hawaii_env.maori_wars import Game
from hawaii_env.maori_wars.fast import (
    MOVEMENT,
    OVER,
    apply_action,
    copy_record,
    list_legal,
    reward,
    run,
    view_rules,
    view_state,
    write_observation,
)

from .lookahead import (
    LENGTH,
    PRIOR,
    keep_new,
    new_plans,
    planned,
    play_on,
    propose_choices,
    propose_movements,
    rank,
    take,
)
from .plans import deal, leaf_of, new_buffer, new_records, value_for
from .worth import fitted, write_near

__all__ = ["GUIDED", "Mind", "examples", "new_mind"]

FINE = 1 << 24
"""Parts of a draw's probability."""

SAMPLES = 8
"""Plays that the greedy values of choices with dice are averaged over."""


DOUBT = 0.25
"""The weight of greedy values of choices in a search by the network, as a share of what they count in a greedy one."""


class Mind(NamedTuple):
    """A network, and memory to ask it.

    Attributes:
        net: the arrays, see `hawaii_agents.layers.Layers`.
        raw, seen, root_seen: int8[O and more], raw observations: a new one, that of `sums`, that of `root_sums`.
        sums, root_sums: float32[2H], sums of the first layer: of the last position, and of the search's root.
        first, second, logits: float32[2H], float32[H], float32[A].
        play: a state to play on.
    """

    net: Any
    raw: Any
    seen: Any
    root_seen: Any
    sums: Any
    root_sums: Any
    first: Any
    second: Any
    logits: Any
    play: Any


def new_mind(game: Game, policy: Policy) -> Mind:
    """Return a network for a game, and memory to ask it."""
    t = policy.tensors
    pairs = [(t[f"{name}.weight"], t[f"{name}.bias"]) for name in ("policy", "worth", "actions", "score")]
    nothing = np.zeros(game.observation_size, np.int8)
    net = arrange(t["first.weight"], t["first.bias"], pairs[0], pairs[1], pairs[2], pairs[3], game.scale, nothing)
    tall, hidden = len(net.first_bias), len(net.policy_bias)

    def floats(n: int) -> NDArray[np.float32]:
        return np.zeros(n, np.float32)

    return Mind(
        net, net.template.copy(), net.template.copy(), net.template.copy(), floats(tall), floats(tall), floats(tall),
        floats(hidden), floats(game.num_actions), new_records(game, 1),
    )  # fmt: skip


@rule
def observe(rules: Any, state: Any, mind: Any) -> None:
    """Bring the first layer's sums up to date, for who decides."""
    write_observation(rules, state, state.decider, mind.raw)
    add_changes(mind.raw, mind.seen, mind.net.scale, mind.net.first, mind.sums)
    mind.seen[:] = mind.raw


@rule
def begin(rules: Any, root: Any, mind: Any) -> None:
    """Note the sums of the search's root."""
    mind.seen[:] = mind.net.template
    mind.sums[:] = mind.net.first_bias
    observe(rules, root, mind)
    mind.root_seen[:] = mind.seen
    mind.root_sums[:] = mind.sums


@rule
def go_back(mind: Any) -> None:
    """Return to the sums of the search's root."""
    mind.seen[:] = mind.root_seen
    mind.sums[:] = mind.root_sums


@rule
def pick(rules: Any, state: Any, mind: Any, words: Any, heat: float) -> int:
    """Return the policy's action, drawn at a temperature; at 0 the likeliest."""
    observe(rules, state, mind)
    hidden = len(mind.second)
    mind.first[:] = mind.sums
    squash(mind.first[:hidden])
    dense(mind.first[:hidden], mind.net.policy, mind.net.policy_bias, mind.second)
    best, chosen, n = np.float32(-1e30), 0, state.n_legal
    for i in range(n):
        action = state.legal[i]
        mind.logits[i] = dot(mind.second, mind.net.actions[action]) + mind.net.actions_bias[action]
        if mind.logits[i] > best:
            best, chosen = mind.logits[i], i
    if heat > 0.0:
        total = 0.0
        for i in range(n):
            mind.logits[i] = math.exp((mind.logits[i] - best) / heat)
            total += mind.logits[i]
        left = below(words, FINE, 0) * total / FINE
        for i in range(n):
            left -= mind.logits[i]
            if left < 0.0:
                return state.legal[i]
    return state.legal[chosen]


@rule
def value_now(rules: Any, state: Any, player: int, mind: Any) -> float:
    """Return what a position is worth to a player, from -1 to 1."""
    if state.phase == OVER:
        return reward(rules, state, player)
    observe(rules, state, mind)
    mind.first[:] = mind.sums
    squash(mind.first)
    net = mind.net
    value = float(value_of(mind.first, mind.second, net.worth, net.worth_bias, net.score, net.score_bias))
    value = max(-1.0, min(1.0, value))
    return value if state.decider == player else -value


@rule
def draw_plan(rules: Any, root: Any, mind: Any, plans: Any, k: int, first: int, words: Any, heat: float) -> None:
    """Draw a plan: what the policy does until dice fall, or the enemy decides, or the half is over.

    first: the action that it begins with, -1 for the policy's.
    """
    state, at = view_state(plans.starts[k]), 0
    copy_record(root, state)
    list_legal(rules, state)
    go_back(mind)
    while at < LENGTH - 1 and state.n_legal > 1 and state.decider == root.decider and state.half == root.half:
        action = first if at == 0 and first >= 0 else pick(rules, state, mind, words, heat)
        at = take(rules, plans, k, at, action)
    plans.actions[k][at] = -1


@rule
def draw_plans(rules: Any, root: Any, mind: Any, plans: Any, words: Any, most: int, heat: float) -> int:
    """Draw plans that end differently; return how many. The first is the likeliest, the others are drawn at `heat` and
    more; with few choices each is tried, too.
    """
    n, forced = 0, root.n_legal if 2 * root.n_legal <= most else 0
    for k in range(most):
        first = root.legal[k - 1] if 1 <= k <= forced else -1
        warmth = 0.0 if k <= forced else heat * (1 + k % 3)
        draw_plan(rules, root, mind, plans, n, first, words, warmth)
        n = keep_new(plans, n)
    return n


@rule
def play_out(rules: Any, state: Any, mind: Any, words: Any, halves: int, heat: float) -> None:
    """Play by the policy, both players, to the end of so many halves more."""
    half, left = state.half, halves
    while state.phase != OVER:
        if state.half != half:
            half, left = state.half, left - 1
            if left == 0:
                return
        apply_action(rules, state, pick(rules, state, mind, words, heat))
        run(rules, state)


@rule
def chance_now(rules: Any, state: Any, player: int, mind: Any, buffer: Any, w: Any, share: float) -> float:
    """Return a player's chance of the victory: by the network, and for a share of it by the worth of the position."""
    chance = 0.0
    if share < 1.0 or state.phase == OVER:
        chance = 0.5 + 0.5 * value_now(rules, state, player, mind)
    if share > 0.0 and state.phase != OVER:
        write_near(rules, state, buffer.near)
        chance = (1.0 - share) * chance + share * value_for(rules, state, player, w[2], buffer.near)
    return chance


@rule
def compare(
    rules: Any, root: Any, mind: Any, buffer: Any, plans: Any, n: int, w: Any, words: Any, limits: Any, heats: Any
) -> None:
    """Order plans by what they lead to when both players go on as `guide` says; in the last turn to the game's end."""
    player, halves = root.decider, limits[2] if root.turn < rules.turns else 2
    left, plays, play, sims = n, 0, view_state(mind.play[0]), min(limits[0], n * limits[3])
    for at in range(8):
        plans.dice[at] = words[at]
    while left > 1 and plays < sims:
        rounds = max(1, (sims - plays) // (2 * left) if left > 2 else (sims - plays) // left)
        for _ in range(rounds):
            for i in range(left):
                copy_record(view_state(plans.starts[plans.order[i]]), play)
                for at in range(8):
                    plans.words[at] = plans.dice[at]
                deal(plans.words, play)
                run(rules, play)
                if heats[2] < 1.0:
                    go_back(mind)
                    play_out(rules, play, mind, plans.words, halves, heats[1])
                else:
                    play_on(rules, play, buffer, w, plans.words, halves)
                plans.sums[plans.order[i]] += chance_now(rules, play, player, mind, buffer, w, heats[2])
            deal(plans.dice, play)
            plays += left
        rank(plans, left)
        left = (left + 1) // 2


@rule
def add_greedy(rules: Any, root: Any, buffer: Any, plans: Any, n: int, most: int, w: Any, words: Any) -> int:
    """Add greedy plans to the first n; return how many there are. Plans of choices begin with their greedy values."""
    if root.stage <= MOVEMENT:
        return propose_movements(rules, root, buffer, plans, n, most, w, words)
    count = propose_choices(rules, root, buffer, plans, n, most, w, words, SAMPLES)
    for k in range(n):
        state = view_state(plans.starts[k])
        plans.sums[k] = PRIOR * leaf_of(rules, buffer, state, root.decider, w, words, SAMPLES)
    return count


@rule
def guide(
    tables: Any, record: Any, mind: Any, buffer: Any, plans: Any, w: Any, words: Any, limits: Any, heats: Any
) -> int:
    """Return the first action of the plan that is best when both players go on by the policy, or greedily.

    w: the weights of each player's greedy choices, and those of what is reached at the end of plays.
    limits: int64[5]: plays, plans, and halves that are played; plays for each plan, at most; greedy plans.
    heats: float64[3]: temperatures of the plans that are drawn, and of the plays; the share of the position's worth in
        the value at their end: with 1 plays are greedy.
    """
    rules, root = view_rules(tables), view_state(record)
    root.generator[0] = -1
    list_legal(rules, root)
    action = planned(root, plans)
    if action >= 0:
        plans.taken[0] += 1
        return action
    begin(rules, root, mind)
    n = draw_plans(rules, root, mind, plans, words, limits[1], heats[0])
    if limits[4] > 0:
        n = add_greedy(rules, root, buffer, plans, n, limits[4], w[root.decider], words)
        if heats[2] < 1.0:
            plans.sums[:n] *= DOUBT
    compare(rules, root, mind, buffer, plans, n, w, words, limits, heats)
    deal(words, view_state(mind.play[0]))
    plans.taken[0] = 1
    return plans.actions[plans.order[0]][0]


GUIDED = EntryPoints("maori_wars", "guided", [guide])


def examples() -> dict[str, tuple[Any, ...]]:
    """Return example arguments of the entry points, for the compiler."""
    game, row = Game(), np.zeros(1, np.int64)
    shapes = {name: shape.split() for name, shape in Policy.shapes.items()}
    sizes = {"O": game.observation_size, "A": game.num_actions, "H": 1, "2H": 2, "1": 1}
    policy = Policy({name: np.zeros([sizes[part] for part in shape], np.float32) for name, shape in shapes.items()})
    memory = new_mind(game, policy), new_buffer(game), new_plans(game, 2)
    return {"guide": (row, row, *memory, fitted(game), np.zeros(8, np.int64), row, np.zeros(3))}
