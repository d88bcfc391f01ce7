"""Compiled search of Maori Wars: plans are compared by what both players make of them when they go on greedily."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hawaii_env.core import EntryPoints, rule
from hawaii_env.core.rng import seed_words
from hawaii_env.maori_wars import Game
from hawaii_env.maori_wars.fast import (
    MOVEMENT,
    OVER,
    apply_action,
    copy_record,
    list_legal,
    records,
    run,
    set_up,
    view_rules,
    view_state,
)  # fmt: skip

from .plans import (
    DEPTH,
    deal,
    go_on,
    greedy,
    new_buffer,
    new_records,
    play_greedily,
    shuffle,
    think,
    value_for,
    write_values,
)  # fmt: skip
from .worth import WEIGHTS, fitted

__all__ = ["AGENTS", "Plans", "equal_game", "examples", "new_plans"]


@rule
def play_on(rules: Any, state: Any, inner: Any, w: Any, words: Any, halves: int) -> None:
    """Play greedily, both players, to the end of so many halves more."""
    half, left = state.half, halves
    while state.phase != OVER:
        if state.half != half:
            half, left = state.half, left - 1
            if left == 0:
                return
        play_greedily(rules, state, inner, w[state.decider], words, 1)


class Plans(NamedTuple):
    """Plans that a search compares: a choice and what it goes on with, or the whole movement.

    Attributes:
        starts: states, where each plan comes to dice, to another player's decision, or to the end of the stage.
        actions: int64[plans, LENGTH], then -1; prints: the fingerprints of the positions in which they are taken.
        order, sums: int64[plans], float64[plans]: the plans, the best first; and the sums of each plan's values.
        taken: int64[1], how many actions of plan order[0] have been taken.
        dice, words: int64[8], the generators of a round of plays, and of one play.
    """

    starts: Any
    actions: Any
    prints: Any
    order: Any
    sums: Any
    taken: Any
    dice: Any
    words: Any


LENGTH = 120
"""The most actions of a plan."""

PRIOR = 16
"""Plays that the greedy value of a choice counts for."""

NOISE = 2
"""Thousandths of a victory that the choices of movements are off: from this much to 16 times as much."""


def new_plans(game: Game, n: int) -> Plans:
    """Return memory for so many plans."""
    shape = n, LENGTH
    return Plans(
        new_records(game, n), np.full(shape, -1), np.zeros(shape, np.int64), np.zeros(n, np.int64), np.zeros(n),
        np.zeros(1, np.int64), np.zeros(8, np.int64), np.zeros(8, np.int64),
    )  # fmt: skip


@rule
def fingerprint(state: Any) -> int:
    """Return a number that tells positions within a stage apart."""
    key = state.phase + 64 * (state.stage + 8 * (state.half + 2 * state.turn))
    for part in (state.marker, state.hex, state.piece, state.boat, state.territory, state.left, state.sap_hex):
        key = (key * 1000003 + part + 100) & 0x3FFFFFFF
    for piece in range(state.pieces):
        part = (state.place[piece] * 16 + state.points[piece]) * 2 + state.disrupted[piece]
        key = (key * 1000003 + part + state.kind[piece] * 100003 + state.did[piece] * 31) & 0x3FFFFFFF
    return key


@rule
def take(rules: Any, plans: Any, k: int, at: int, action: int) -> int:
    """Apply the next action of a plan, up to dice or the next choice; return the number of its actions."""
    state = view_state(plans.starts[k])
    plans.prints[k][at], plans.actions[k][at] = fingerprint(state), action
    apply_action(rules, state, action)
    go_on(rules, state)
    return at + 1


@rule
def take_line(rules: Any, buffer: Any, plans: Any, k: int, at: int, choice: int, action: int) -> int:
    """Apply the action of a greedy choice, and what it goes on with; return the number of the plan's actions."""
    at, then = take(rules, plans, k, at, action), 0
    while buffer.lines[choice][then] >= 0:
        at, then = take(rules, plans, k, at, buffer.lines[choice][then]), then + 1
    return at


@rule
def keep_new(plans: Any, n: int) -> int:
    """Keep the plan behind the first n if it ends otherwise than they do; return how many there are."""
    key = fingerprint(view_state(plans.starts[n]))
    for other in range(n):
        if fingerprint(view_state(plans.starts[other])) == key:
            return n
    plans.order[n], plans.sums[n] = n, 0.0
    return n + 1


@rule
def make_plan(rules: Any, root: Any, buffer: Any, plans: Any, k: int, w: Any, words: Any, noise: int) -> None:
    """Make a plan for all that comes before the dice of the movement's end: greedy choices, with some noise."""
    state, at = view_state(plans.starts[k]), 0
    copy_record(root, state)
    list_legal(rules, state)
    while at < LENGTH - DEPTH and state.n_legal > 1 and state.half == root.half and state.stage <= MOVEMENT:
        copy_record(state, view_state(buffer.positions[0]))
        choice = greedy(rules, buffer, w, words, 1, noise)
        at = take_line(rules, buffer, plans, k, at, choice, state.legal[choice])
    plans.actions[k][at] = -1


@rule
def propose_movements(rules: Any, root: Any, buffer: Any, plans: Any, first: int, most: int, w: Any, words: Any) -> int:
    """Make plans for the whole movement, behind the first ones, that end differently; return how many there are."""
    n = first
    for k in range(most):
        make_plan(rules, root, buffer, plans, n, w, words, 0 if k == 0 else NOISE << k % 5)
        n = keep_new(plans, n)
    return n


@rule
def propose_choices(
    rules: Any, root: Any, buffer: Any, plans: Any, first: int, most: int, w: Any, words: Any, samples: int
) -> int:
    """Make plans of the best choices, behind the first ones, each with what it goes on with; return how many there
    are.
    """
    state = view_state(buffer.positions[0])
    copy_record(root, state)
    list_legal(rules, state)
    write_values(rules, buffer, w, words, samples)
    n = first + min(state.n_legal, most)
    for k in range(first, n):
        choice = 0
        for i in range(state.n_legal):
            if buffer.values[i] > buffer.values[choice]:
                choice = i
        plans.order[k], plans.sums[k] = k, PRIOR * buffer.values[choice]
        buffer.values[choice] = -2.0
        copy_record(root, view_state(plans.starts[k]))
        at = take_line(rules, buffer, plans, k, 0, choice, state.legal[choice])
        plans.actions[k][at] = -1
    return n


@rule
def rank(plans: Any, left: int) -> None:
    """Bring the first plans into the order of their sums, the best first."""
    order, sums = plans.order, plans.sums
    for i in range(1, left):
        plan, at = order[i], i
        while at > 0 and sums[order[at - 1]] < sums[plan]:
            order[at] = order[at - 1]
            at -= 1
        order[at] = plan


@rule
def compare_greedily(
    rules: Any, player: int, buffer: Any, plans: Any, n: int, w: Any, words: Any, sims: int, halves: int
) -> None:
    """Order plans by what they lead to when both players go on greedily: all are played out with the same dice, and
    after each round the better half of them more often.
    """
    order, sums, left, plays = plans.order, plans.sums, n, 0
    play = view_state(buffer.positions[DEPTH + 2])
    for at in range(8):
        plans.dice[at] = words[at]
    while left > 1 and plays < sims:
        rounds = max(1, (sims - plays) // (2 * left) if left > 2 else (sims - plays) // left)
        for _ in range(rounds):
            shuffle(plans.dice)
            for i in range(left):
                copy_record(view_state(plans.starts[order[i]]), play)
                for at in range(8):
                    play.generator[at] = plans.words[at] = plans.dice[at]
                run(rules, play)
                play_on(rules, play, buffer, w, plans.words, halves)
                sums[order[i]] += value_for(rules, play, player, w[2], buffer.near)
            plays += left
        rank(plans, left)
        left = (left + 1) // 2


@rule
def planned(state: Any, plans: Any) -> int:
    """Return what the last plan goes on with in a position, -1 for nothing."""
    best, at = plans.order[0], plans.taken[0]
    if at == 0 or plans.actions[best][at] < 0 or plans.prints[best][at] != fingerprint(state):
        return -1
    for i in range(state.n_legal):
        if state.legal[i] == plans.actions[best][at]:
            return state.legal[i]
    return -1


@rule
def search(tables: Any, record: Any, w: Any, buffer: Any, plans: Any, words: Any, limits: Any) -> int:
    """Return the first action of the plan that is best when both players go on greedily.

    w: the weights of greedy choices, and those of what is reached at the end of the plays.
    limits: int64[6]: plays to compare choices, choices that are tried, halves that are played, samples of the greedy
        values; plays to compare movements, movements that are tried.
    """
    rules, root = view_rules(tables), view_state(record)
    root.generator[0] = -1
    list_legal(rules, root)
    action = planned(root, plans)
    if action >= 0:
        plans.taken[0] += 1
        return action
    player, sims = root.decider, limits[0]
    if root.stage <= MOVEMENT:
        sims = limits[4]
        n = propose_movements(rules, root, buffer, plans, 0, limits[5], w[player], words)
    else:
        n = propose_choices(rules, root, buffer, plans, 0, limits[1], w[player], words, limits[3])
    compare_greedily(rules, player, buffer, plans, n, w, words, sims, limits[2])
    shuffle(words)
    plans.taken[0] = 1
    return plans.actions[plans.order[0]][0]


@rule
def play_equals(
    tables: Any, record: Any, seen: Any, w: Any, buffer: Any, plans: Any, words: Any, limits: Any, notes: Any
) -> None:
    """Play a game of two searches from its beginning.

    seen: a state, for the position that the search sees.
    notes: int64[3], what is written: the winner or -1, the index of the reason, the decisions; and the marker at the
        start of each turn, from notes[3] on.
    """
    rules, state, copy = view_rules(tables), view_state(record), view_state(seen)
    set_up(rules, state)
    deal(words, state)
    run(rules, state)
    notes[2], turn = 0, 0
    while state.phase != OVER:
        if state.turn > turn:
            turn = state.turn
            notes[2 + turn] = state.marker
        notes[2] += 1
        copy_record(state, copy)
        apply_action(rules, state, search(tables, seen, w, buffer, plans, words, limits))
        run(rules, state)
    notes[0], notes[1] = state.winner, state.result - 1


AGENTS = EntryPoints("maori_wars", "agents", [think, search, play_equals])


def examples() -> dict[str, tuple[Any, ...]]:
    """Return example arguments of the entry points, for the compiler."""
    game, row, words = Game(), np.zeros(1, np.int64), np.zeros(8, np.int64)
    buffer, plans = new_buffer(game), new_plans(game, 2)
    return {
        "think": (row, row, WEIGHTS, buffer, words, 1),
        "search": (row, row, fitted(game), buffer, plans, words, row),
        "play_equals": (row, row, row, fitted(game), buffer, plans, words, row, row),
    }


def equal_game(game: Game, seed: int, agent: Any) -> dict[str, Any]:
    """Play one game between equals.

    Args:
        game: the game.
        seed: of the dice and of the players.
        agent: the `MaoriSearchAgent` whose settings both play by.

    Returns:
        `winner`: 0, 1 or -1 for a tie; `reason`: its number; `decisions`; `markers`: at the start of each turn.
    """
    tables, record = records(game.initial_state(seed=seed))
    notes, words = np.zeros(3 + int(game.tables.turns), np.int64), np.array(seed_words(seed), np.int64)
    plans, seen = new_plans(game, max(agent.choices, agent.movements)), records(game.initial_state(seed=seed))[1]
    play = AGENTS.compile_now(examples).play_equals
    play(tables, record, seen, fitted(game), new_buffer(game), plans, words, agent.limits, notes)
    won, reason, decisions, *markers = map(int, notes)
    return {"winner": won, "reason": reason, "decisions": decisions, "markers": markers}
