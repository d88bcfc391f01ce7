"""The enemy's answer to a plan, in compiled code, where there is no policy to answer by: what `plans` compares last.

A rollout plays a plan and goes on quietly until the enemy moves. There he draws plans of his own (`proposals`), tries
each by some dice, and plays the one that is best for him; the end of his half-turn is valued with other dice, so that
what made him choose it does not flatter it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hawaii_env.core import EntryPoints, rule
from hawaii_env.hawaii1795.fast import (
    MOVE,
    N_SPACES,
    OVER,
    apply_action,
    copy_state,
    is_chance,
    run,
    view_rules,
)

from .graph import actor_of
from .playing import CARDS, DRAWS, MAX_LENGTH, STREAMS, draw_chance, follow, seed_streams
from .proposals import N_AIM, TARGET, draw_aim, propose
from .values import play_quietly, quiet_action, value_by_rules_of_thumb

FINALISTS, TRIALS, LAST_TRIALS = 6, 3, 2
"""The enemy's plans that are tried again, how often, and how often the chosen one is valued in the end."""

# Seeds of the enemy's draws and of his dice, beside the rollout's own.
HIS_DRAWS, HIS_DICE = 101, 202


@rule
def until_the_enemy_moves(rules: Any, state: Any, me: int, words: Any, static: Any) -> tuple[bool, float]:
    """Play quietly until the enemy of `me` moves. Return True if he does; if not, within two half-turns, False and what
    the position is worth, Kamehameha's view.
    """
    half, month = state.half, state.month
    over_half, over_month, ended = half, month, 0
    while state.phase != OVER:
        if state.half != half or state.month != month:
            over_half, over_month, ended = half, month, ended + 1
            half, month = state.half, state.month
            if ended == 2:
                break
        if is_chance(rules, state):
            draw_chance(rules, state, words)
            continue
        if state.phase == MOVE and state.decider != me:
            return True, 0.0
        apply_action(rules, state, quiet_action(state, words[DRAWS], 0.0))
        run(rules, state)
    return False, value_by_rules_of_thumb(rules, state, over_half, over_month, static)


@rule
def draw_answer(rules: Any, state: Any, number: int, words: Any, aim: Any, actions: Any) -> int:
    """Draw one of the enemy's plans and play it. Number 0 ends movement at once; the others aim at the spaces where he
    is opposed, in turn, every fourth one anywhere. Write its actions, int64[MAX_LENGTH], and return how many.
    """
    he, n = actor_of(rules, state), 0
    if number > 0:
        draw_aim(aim, words[DRAWS])
        if number % 4:
            aim[TARGET] = opposed(state, 1 - he, number - number // 4 - 1, aim[TARGET])
    while n < MAX_LENGTH and actor_of(rules, state) == he:
        actions[n] = propose(state, aim, words[DRAWS]) if number > 0 else quiet_action(state, words[DRAWS], 0.0)
        apply_action(rules, state, int(actions[n]))
        run(rules, state)
        n += 1
    return n


@rule
def opposed(state: Any, side: int, number: int, other: int) -> int:
    """Return the space at this place, going round, of those where a side has units; `other` if it has none anywhere."""
    spaces = 0
    for space in range(N_SPACES):
        spaces += state.units[side][space] > 0
    if spaces == 0:
        return other
    left = number % spaces
    for space in range(N_SPACES):
        if state.units[side][space] > 0:
            if left == 0:
                return space
            left -= 1
    return other


@rule
def try_answer(
    rules: Any, base: Any, spare: Any, actions: Any, size: int, static: Any, seed: int, k: int, words: Any
) -> float:
    """Return the value, Kamehameha's view, of an enemy's plan with dice `k` at the end of the half-turn."""
    state = copy_state(base, spare)
    follow(rules, state, actions, size)
    seed_streams(seed + HIS_DICE, k, words)
    return float(play_quietly(rules, state, words[CARDS], static, 0.0))


@rule
def choose_answer(
    rules: Any, base: Any, spare: Any, static: Any, sign: float, seed: int, k: int, words: Any, actions: Any, sizes: Any
) -> int:
    """Draw the enemy's plans into `actions`, int64[D, MAX_LENGTH], and `sizes`, int64[D], try each once and the
    FINALISTS best ones again; return the row of the best. sign: 1 or -1, by which he multiplies Kamehameha's values.
    """
    drawn, first = len(sizes), k * (1 + TRIALS + LAST_TRIALS)
    sums, again, aim = np.empty(drawn), np.zeros(drawn, np.bool_), np.empty(N_AIM, np.int64)
    for j in range(drawn):
        seed_streams(seed + HIS_DRAWS, k * drawn + j, words)
        sizes[j] = draw_answer(rules, copy_state(base, spare), j, words, aim, actions[j])
        sums[j] = sign * try_answer(rules, base, spare, actions[j], sizes[j], static, seed, first, words)
    for _ in range(min(FINALISTS, drawn)):
        best = -1
        for j in range(drawn):
            if not again[j] and (best < 0 or sums[j] > sums[best]):
                best = j
        for t in range(1, 1 + TRIALS):
            sums[best] += sign * try_answer(
                rules, base, spare, actions[best], sizes[best], static, seed, first + t, words
            )
        again[best] = True
    best = -1
    for j in range(drawn):
        if again[j] and (best < 0 or sums[j] > sums[best]):
            best = j
    return best


@rule
def answer(
    tables: Any,
    source: Any,
    spare: Any,
    second_spare: Any,
    static: Any,
    plans: Any,
    lengths: Any,
    alive: Any,
    begins: Any,
    until: int,
    totals: Any,
    seed: int,
    drawn: int,
) -> int:
    """Play the rollouts from `begins[p]` to `until` of each plan p in `alive`, the enemy choosing among `drawn` plans,
    and add their values, Kamehameha's, to `totals[p]`. Return how many were played.
    """
    rules, words = view_rules(tables), np.empty(STREAMS, np.int64)
    actions, sizes = np.empty((drawn, MAX_LENGTH), np.int64), np.empty(drawn, np.int64)
    trials, played = 1 + TRIALS + LAST_TRIALS, 0
    for p in alive:
        for k in range(begins[p], until):
            played += 1
            state = copy_state(source, spare)
            run(rules, state)
            me = actor_of(rules, state)
            seed_streams(seed, k, words)
            follow(rules, state, plans[p], lengths[p])
            moves, value = until_the_enemy_moves(rules, state, me, words, static)
            if not moves:
                totals[p] += value
                continue
            base, sign = spare, 1.0 if me == 1 else -1.0
            j = choose_answer(rules, base, second_spare, static, sign, seed, k, words, actions, sizes)
            for t in range(1 + TRIALS, trials):
                value = try_answer(rules, base, second_spare, actions[j], sizes[j], static, seed, k * trials + t, words)
                totals[p] += value / LAST_TRIALS
    return played


def cost(drawn: int) -> int:
    """Return as how many quiet rollouts one with an answer counts."""
    return drawn + min(FINALISTS, drawn) * TRIALS + LAST_TRIALS


ANSWERS = EntryPoints("hawaii1795", "answers", (answer,))
