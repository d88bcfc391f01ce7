"""Whole plans played out by a policy, in compiled code: what `plans` compares.

A plan is what one player decides until chance, or the other player, has the word. It is drawn from the policy, kept as
its actions, and known by the position that it leads to. A rollout plays a plan from the root's position and goes on by
the policy for both sides until so many half-turns are over; there the network's value stands. Rollout k has the same
cards, dice and draws of the policy whatever the plan, so that plans are compared by common chance.

Without a policy plans are drawn by `proposals`, rollouts go on quietly, and the static evaluation values them.

The policy's first layer is carried along from decision to decision, for each viewer: only inputs that change are added.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hawaii_agents.layers import add_changes, dense, dot, squash
from hawaii_env.core import EntryPoints, rule
from hawaii_env.core.rng import next_word
from hawaii_env.hawaii1795.fast import (
    CARD,
    MAX_LEGAL,
    OVER,
    apply_action,
    apply_chance,
    copy_state,
    is_chance,
    run,
    view_rules,
    write_key,
)

from .graph import KEY_WORDS, actor_of, same_key
from .network import layer_buffers, observation_buffers, observe
from .proposals import N_AIM, draw_aim, propose
from .values import draw, end_value, net_value, quiet_action, value_by_rules_of_thumb

MAX_LENGTH = 96
"""Decisions of a plan, at most; a longer one is cut there, and the policy goes on."""
MAX_DECISIONS = 400
"""Decisions of a rollout, at most."""

CARDS, DICE, DRAWS = range(3)
"""Streams of a rollout's chance: cards, dice, the policy's draws; rows of four words."""
STREAMS = 3, 4

NEVER = -1.0
"""A heat that means the likeliest action."""


@rule
def seed_streams(seed: int, k: int, words: Any) -> None:
    """Write the words of rollout k's three streams."""
    for i in range(3):
        stream = words[i]
        stream[0], stream[1], stream[2], stream[3] = seed & 0xFFFFFFFF, (k * 3 + i) & 0xFFFFFFFF, 0x9E3779B9, 1
        for _ in range(12):
            next_word(stream)


@rule
def draw_chance(rules: Any, state: Any, words: Any) -> None:
    """Apply a chance outcome, drawn from its stream."""
    apply_chance(rules, state, draw(state, words[CARDS if state.phase == CARD else DICE]))
    run(rules, state)


@rule
def update_sums(rules: Any, state: Any, viewer: int, net: Any, buffers: Any, seen: Any, sums: Any) -> None:
    """Bring a viewer's sums of the first layer up to date: `seen[viewer]`, int8[W], is what they are of.

    buffers: see `observation_buffers`.
    """
    observe(rules, state, viewer, buffers)
    add_changes(buffers[0], seen[viewer], net.scale, net.first, sums[viewer])
    seen[viewer, :] = buffers[0]


@rule
def pick(state: Any, net: Any, sums: Any, first: Any, hidden: Any, logits: Any, heat: float, words: Any) -> int:
    """Return the policy's action from a viewer's sums; drawn at temperature `heat`, or at NEVER the likeliest."""
    first[:] = sums
    squash(first)
    dense(first, net.policy, net.policy_bias, hidden)
    best, chosen = np.float32(-1e30), 0
    n = state.n_legal
    for i in range(n):
        action = state.legal[i]
        logits[i] = dot(hidden, net.actions[action]) + net.actions_bias[action]
        if logits[i] > best:
            best = logits[i]
            chosen = i
    if heat > 0.0:
        total = 0.0
        for i in range(n):
            logits[i] = np.exp((logits[i] - best) / np.float32(heat))
            total += logits[i]
        left = next_word(words[DRAWS]) / 4294967296.0 * total
        for i in range(n):
            left -= logits[i]
            if left < 0.0:
                return int(np.int64(state.legal[i]))
    return int(np.int64(state.legal[chosen]))


@rule
def prepare(tables: Any, source: Any, spare: Any, net: Any, seen: Any, sums: Any) -> None:
    """Write the sums of the first layer, float32[2, H], and observations, int8[2, W], of the root's position."""
    rules = view_rules(tables)
    state = copy_state(source, spare)
    run(rules, state)
    if len(net.policy_bias) == 0:
        return
    buffers = observation_buffers(net)
    for viewer in range(2):
        seen[viewer, :] = net.template
        sums[viewer, :] = net.first_bias[: sums.shape[1]]
        update_sums(rules, state, viewer, net, buffers, seen, sums)


@rule
def draw_plans(
    tables: Any,
    source: Any,
    spare: Any,
    net: Any,
    base_seen: Any,
    base_sums: Any,
    plans: Any,
    lengths: Any,
    keys: Any,
    seed: int,
    begin: int,
    wanted: int,
    count: int,
    heat: float,
) -> int:
    """Draw plans `begin` to `begin + wanted - 1`, of which plan 0 is the likeliest, or the quiet one; merge those that
    lead to one position. Without a policy the others are drawn by `proposals`. Return how many plans there are then;
    `count` were there before.

    plans: int64[P, MAX_LENGTH], actions. lengths: int64[P], decisions. keys: int64[P, KEY_WORDS + 1], positions and who
    acts in them.
    """
    rules = view_rules(tables)
    raw, buffers = np.zeros(2 * KEY_WORDS, np.int32), observation_buffers(net)
    seen, sums = base_seen.copy(), base_sums.copy()
    first, hidden = np.empty(base_sums.shape[1], np.float32), np.empty(len(net.policy_bias), np.float32)
    logits = np.empty(MAX_LEGAL, np.float32)
    words, aim = np.empty(STREAMS, np.int64), np.empty(N_AIM, np.int64)
    blank = len(net.policy_bias) == 0
    for k in range(begin, begin + wanted):
        if count >= len(lengths):
            return count
        state = copy_state(source, spare)
        run(rules, state)
        seen[:] = base_seen
        sums[:] = base_sums
        seed_streams(seed + 1, k, words)
        proposed = blank and k > 0
        if proposed:
            draw_aim(aim, words[DRAWS])
        me = actor_of(rules, state)
        n = 0
        while n < MAX_LENGTH and actor_of(rules, state) == me:
            if proposed:
                action = propose(state, aim, words[DRAWS])
            elif not blank:
                update_sums(rules, state, me, net, buffers, seen, sums)
                warmth = NEVER if k == 0 else heat
                action = pick(state, net, sums[me], first, hidden, logits, warmth, words)
            else:
                action = quiet_action(state, words[DRAWS], 0.0)
            plans[count, n] = action
            n += 1
            apply_action(rules, state, action)
            run(rules, state)
        lengths[count] = n
        count = file_plan(rules, state, raw, keys, count)
    return count


@rule
def follow(rules: Any, state: Any, actions: Any, size: int) -> None:
    """Play a plan, int64[MAX_LENGTH] of `size` decisions."""
    for i in range(size):
        apply_action(rules, state, int(actions[i]))
        run(rules, state)


@rule
def file_plans(
    tables: Any,
    source: Any,
    spare: Any,
    given: Any,
    sizes: Any,
    plans: Any,
    lengths: Any,
    keys: Any,
    count: int,
) -> int:
    """Add plans that another search has found, int64[N, MAX_LENGTH] of `sizes` decisions, as `draw_plans` does."""
    rules = view_rules(tables)
    raw = np.zeros(2 * KEY_WORDS, np.int32)
    for row in range(len(sizes)):
        if count >= len(lengths):
            return count
        state = copy_state(source, spare)
        run(rules, state)
        plans[count, : sizes[row]] = given[row, : sizes[row]]
        follow(rules, state, given[row], sizes[row])
        lengths[count] = sizes[row]
        count = file_plan(rules, state, raw, keys, count)
    return count


@rule
def file_plan(rules: Any, state: Any, raw: Any, keys: Any, count: int) -> int:
    """Keep the plan in row `count`, which has led to this position, unless another does. Return the new count."""
    write_key(rules, state, raw)
    keys[count, :KEY_WORDS] = raw.view(np.int64)
    keys[count, KEY_WORDS] = actor_of(rules, state)
    for i in range(count):
        if keys[i, KEY_WORDS] == keys[count, KEY_WORDS] and same_key(keys[i], keys[count]):
            return count
    return count + 1


@rule
def roll_out(
    tables: Any, source: Any, spare: Any, net: Any, static: Any, base_seen: Any, base_sums: Any, plans: Any,
    lengths: Any, alive: Any, begins: Any, until: int, totals: Any, seed: int, heat: float, halves: int,
) -> int:  # fmt: skip
    """Play the rollouts from `begins[p]` to `until` of each plan p in `alive` and add their values, Kamehameha's, to
    `totals[p]`. Return how many were played.

    heat: temperature of the policy's draws. halves: ends of half-turns after which the network values.
    """
    rules, layers = view_rules(tables), layer_buffers(net)
    seen, sums = base_seen.copy(), base_sums.copy()
    first, logits = np.empty(base_sums.shape[1], np.float32), np.empty(MAX_LEGAL, np.float32)
    words = np.empty(STREAMS, np.int64)
    blank = len(net.policy_bias) == 0
    played = 0
    for p in alive:
        for k in range(begins[p], until):
            state = copy_state(source, spare)
            run(rules, state)
            seed_streams(seed, k, words)
            half, month = state.half, state.month
            over_half, over_month = half, month
            follow(rules, state, plans[p], lengths[p])
            seen[:] = base_seen
            sums[:] = base_sums
            if not blank:
                half, month = state.half, state.month  # the network values a later one than that of the plan
            ended, decisions = 0, 0
            while state.phase != OVER and decisions < MAX_DECISIONS:
                if state.half != half or state.month != month:
                    over_half, over_month = half, month
                    half, month = state.half, state.month
                    ended += 1
                if is_chance(rules, state) and not (blank and ended >= halves):
                    draw_chance(rules, state, words)
                    continue
                if ended >= halves:
                    break
                viewer = int(state.decider)
                if blank:
                    action = quiet_action(state, words[DRAWS], 0.0)
                else:
                    update_sums(rules, state, viewer, net, layers[0], seen, sums)
                    action = pick(state, net, sums[viewer], first, layers[2], logits, heat, words)
                decisions += 1
                apply_action(rules, state, action)
                run(rules, state)
            if state.phase == OVER:
                totals[p] += end_value(state)
            elif blank:
                totals[p] += value_by_rules_of_thumb(rules, state, over_half, over_month, static)
            else:
                totals[p] += net_value(rules, state, net, layers)
            played += 1
    return played


PLANS = EntryPoints("hawaii1795", "plans", (prepare, draw_plans, file_plans, roll_out))
