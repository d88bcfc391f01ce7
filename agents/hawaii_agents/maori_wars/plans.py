"""Choices of Maori Wars, played out to the end of what they begin: rules that run compiled or interpreted.

A move is three decisions, a combat ten, so a choice is valued where it comes to *rest*: at the next declaration, move,
or stage. On the way the player's own decisions without chance are all tried; once dice are to fall or the enemy
decides, some plays by the quick rules of `quick` are averaged.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from hawaii_env.core import EntryPoints, rule
from hawaii_env.core.rng import below
from hawaii_env.maori_wars import Game
from hawaii_env.maori_wars.fast import (
    ABSORB_IT,
    ADVANCE,
    BOAT,
    BRITISH,
    BUILD,
    BUSH_ACT,
    BUSH_ENTER,
    BUSH_MOVE,
    BUSH_UNIT,
    CHARGE_OR_NOT,
    CHARGE_THEM,
    COUNTERSTROKE,
    DECLARE,
    DONE,
    EVADE,
    EVADE_THEM,
    LEAVE,
    LOSE,
    MOVE,
    MOVE_TO,
    MOVE_UNIT,
    NEGOTIATE,
    NEGOTIATOR,
    NO_TOWN,
    OF_SIDE,
    OVER,
    PARTICIPANTS,
    RAID_SIDE,
    REINFORCE,
    REINFORCE_PLACE,
    REINFORCEMENT,
    RETREAT,
    SAP,
    SAP_PLACE,
    SAP_TARGET,
    SHIP_TARGET,
    SHIP_UNIT,
    STAND,
    STAY,
    STRUCTURE,
    apply_action,
    copy_record,
    count_attackers,
    fighting,
    list_legal,
    new_record,
    reward,
    run,
    structure_owner,
    view_rules,
    view_state,
)

from .worth import SPREAD, SPREAD_MORE, WEIGHTS, write_worth

__all__ = ["AGENTS", "Buffer", "examples", "new_buffer"]

DEPTH = 7
"""Own decisions in a row that are all tried."""

INNER = (
    MOVE_UNIT, MOVE_TO, BOAT, REINFORCE_PLACE, STRUCTURE, SAP_TARGET, SAP_PLACE, SHIP_TARGET, SHIP_UNIT,
    BUSH_ENTER, BUSH_UNIT, BUSH_ACT, RAID_SIDE, NEGOTIATOR,
)  # fmt: skip
REST = (MOVE, DECLARE, COUNTERSTROKE, NEGOTIATE, BUSH_MOVE, BUILD)


class Buffer(NamedTuple):
    """Memory that a choice is worked out in.

    Attributes:
        positions: states to play on, one a level and two more.
        at: int64[levels], the next choice at each level.
        values: float64[actions], what each legal action is worth.
        order, sums: int64[actions], float64[actions]: choices that a search tries, and the sums of their values.
    """

    positions: Any
    at: Any
    values: Any
    order: Any
    sums: Any


def new_buffer(game: Game) -> Buffer:
    """Return memory for choices in a game."""
    positions = [new_record(game) for _ in range(DEPTH + 3)]
    if isinstance(positions[0], np.ndarray):
        positions = np.stack(positions)
    n = game.num_actions
    return Buffer(positions, np.zeros(DEPTH + 3, np.int64), np.zeros(n), np.zeros(n, np.int64), np.zeros(n))


# Quick play


@rule
def go_on(rules: Any, state: Any) -> None:
    """Go on to the next decision with a choice, the next chance node, or the end."""
    state.generator[0] = -1
    run(rules, state)


@rule
def quick(rules: Any, state: Any, words: Any) -> int:
    """Return a sensible action of a decision in the middle of something, without looking ahead."""
    phase, n = state.phase, state.n_legal
    if phase == PARTICIPANTS:
        for i in range(n):
            action = state.legal[i]
            if action >= rules.do_with and (action - rules.do_with) % OF_SIDE == 0:
                return action
        return state.legal[n - 1]
    if phase == EVADE:
        weaker = fighting(state, 1 - state.attacker, state.target) < count_attackers(rules, state, -1, True)
        return EVADE_THEM if weaker else STAND
    if phase == LOSE:
        return ABSORB_IT if state.legal[0] == ABSORB_IT else state.legal[n - 1]
    if phase in (LEAVE, RETREAT):
        if state.legal[0] == STAY and phase == RETREAT:
            return STAY
        return state.legal[n - 1 - below(words, n - 1 if state.legal[0] == STAY else n, 0)]
    if phase == CHARGE_OR_NOT:
        return CHARGE_THEM
    if phase == ADVANCE:
        worth = structure_owner(state, state.target) == 1 - state.attacker or state.town[state.target] != NO_TOWN
        return state.legal[1] if worth else DONE
    return state.legal[below(words, n, 0)]


@rule
def is_rest(state: Any) -> bool:
    """Return True where a choice has come to its end: nothing is begun that is not over."""
    return state.phase in REST or state.phase == SAP or (state.phase == REINFORCE and state.stage == REINFORCEMENT)


@rule
def finish(rules: Any, state: Any, words: Any) -> None:
    """Play on to the next rest, by quick play."""
    while state.phase != OVER and not is_rest(state):
        apply_action(rules, state, quick(rules, state, words))
        run(rules, state)


# Values


@rule
def chance_of(rules: Any, state: Any, w: Any) -> float:
    """Return the British player's chance of the victory, a tie for half, by what the position is worth."""
    if state.phase == OVER:
        return 0.5 + 0.5 * reward(rules, state, BRITISH)
    ahead = 2.0 * (rules.turns - state.turn) + 2.0 - state.half
    lead = write_worth(rules, state, w) / (w[SPREAD] + w[SPREAD_MORE] * ahead)
    return 1.0 / (1.0 + math.exp(-lead))


@rule
def value_for(rules: Any, state: Any, player: int, w: Any) -> float:
    """Return a player's chance of the victory."""
    chance = chance_of(rules, state, w)
    return chance if player == BRITISH else 1.0 - chance


@rule
def value_of(rules: Any, buffer: Any, level: int, player: int, w: Any, words: Any, samples: int) -> float:
    """Return what the best of a player's decisions without chance makes of positions[level], a decision that has been
    listed.

    samples: plays that are averaged once dice are to fall or the enemy decides.
    """
    first, best = level, -1.0
    buffer.at[level] = 0
    while level >= first:
        state = view_state(buffer.positions[level])
        inner = state.n_legal > 1 and state.decider == player and state.phase in INNER
        if inner and level < DEPTH and buffer.at[level] < state.n_legal:
            after = view_state(buffer.positions[level + 1])
            copy_record(state, after)
            apply_action(rules, after, state.legal[buffer.at[level]])
            buffer.at[level] += 1
            level += 1
            buffer.at[level] = 0
            go_on(rules, after)
            continue
        if not inner or level == DEPTH:
            best = max(best, leaf_of(rules, buffer, state, player, w, words, samples))
        level -= 1
    return best


@rule
def leaf_of(rules: Any, buffer: Any, state: Any, player: int, w: Any, words: Any, samples: int) -> float:
    """Return what a position is worth at rest, or on average after quick play to the next rest."""
    if state.phase == OVER or is_rest(state):
        return value_for(rules, state, player, w)
    total, play = 0.0, view_state(buffer.positions[DEPTH + 2])
    for _ in range(samples):
        copy_record(state, play)
        for at in range(8):
            play.generator[at] = words[at]
        run(rules, play)
        finish(rules, play, words)
        total += value_for(rules, play, player, w)
        for at in range(4, 8):
            words[at] = play.generator[at]
    return total / samples


@rule
def write_values(rules: Any, buffer: Any, w: Any, words: Any, samples: int) -> None:
    """Write to buffer.values what each legal action of positions[0] is worth to who decides."""
    state, after = view_state(buffer.positions[0]), view_state(buffer.positions[1])
    player = state.decider
    for i in range(state.n_legal):
        copy_record(state, after)
        apply_action(rules, after, state.legal[i])
        go_on(rules, after)
        buffer.values[i] = value_of(rules, buffer, 1, player, w, words, samples)


@rule
def greedy(rules: Any, buffer: Any, w: Any, words: Any, samples: int) -> int:
    """Return the action of positions[0] that is worth most; of equals any."""
    state = view_state(buffer.positions[0])
    write_values(rules, buffer, w, words, samples)
    best, level = -1.0, 0
    for i in range(state.n_legal):
        best = max(best, buffer.values[i])
    for i in range(state.n_legal):
        level += buffer.values[i] >= best - 1e-9
    skip = below(words, level, 0)
    for i in range(state.n_legal):
        if buffer.values[i] >= best - 1e-9:
            if skip == 0:
                return state.legal[i]
            skip -= 1
    return state.legal[0]


@rule
def think(tables: Any, record: Any, w: Any, buffer: Any, words: Any, samples: int) -> int:
    """Return the greedy choice in a position."""
    rules, state = view_rules(tables), view_state(buffer.positions[0])
    copy_record(view_state(record), state)
    list_legal(rules, state)
    return greedy(rules, buffer, w, words, samples)


# Search


@rule
def play_on(rules: Any, state: Any, inner: Any, w: Any, words: Any, halves: int) -> None:
    """Play greedily, both players, to the end of so many halves more."""
    half, left = state.half, halves
    while state.phase != OVER:
        if state.half != half:
            half, left = state.half, left - 1
            if left == 0:
                return
        copy_record(state, view_state(inner.positions[0]))
        apply_action(rules, state, greedy(rules, inner, w, words, 2))
        run(rules, state)


@rule
def search(tables: Any, record: Any, w: Any, buffer: Any, inner: Any, words: Any, limits: Any) -> int:
    """Return the choice that is best when both players go on greedily: the best greedy ones are played out, and after
    each round the better half of them more often.

    limits: int64[4]: plays in all, choices that are tried, halves that are played, samples of the greedy values.
    """
    rules, state, root = view_rules(tables), view_state(buffer.positions[0]), view_state(record)
    copy_record(root, state)
    list_legal(rules, state)
    player, n = state.decider, state.n_legal
    write_values(rules, buffer, w, words, limits[3])
    order, sums = buffer.order, buffer.sums
    for i in range(n):
        at = i
        while at > 0 and buffer.values[order[at - 1]] < buffer.values[i]:
            order[at] = order[at - 1]
            at -= 1
        order[at] = i
    left, plays, tried = min(n, limits[1]), 0, 0
    for i in range(left):
        sums[i] = 0.0
    play = view_state(buffer.positions[DEPTH + 1])
    while left > 1 and plays < limits[0]:
        rounds = max(1, (limits[0] - plays) // (2 * left) if left > 2 else (limits[0] - plays) // left)
        for _ in range(rounds):
            for i in range(left):
                copy_record(root, play)
                for at in range(8):
                    play.generator[at] = words[at]
                apply_action(rules, play, state.legal[order[i]])
                run(rules, play)
                play_on(rules, play, inner, w, words, limits[2])
                sums[i] += value_for(rules, play, player, w)
                plays += 1
            for _ in range(3):
                below(words, 1 << 20, 4)
        tried += rounds
        for i in range(1, left):
            at, total, choice = i, sums[i], order[i]
            while at > 0 and sums[at - 1] < total:
                sums[at], order[at] = sums[at - 1], order[at - 1]
                at -= 1
            sums[at], order[at] = total, choice
        left = (left + 1) // 2
    return state.legal[order[0]]


AGENTS = EntryPoints("maori_wars", "agents", [think, search])


def examples() -> dict[str, tuple[Any, ...]]:
    """Return example arguments of the entry points, for the compiler."""
    buffer, row, words = new_buffer(Game()), np.zeros(1, np.int64), np.zeros(8, np.int64)
    limits = np.zeros(4, np.int64)
    return {
        "think": (row, row, WEIGHTS, buffer, words, 1),
        "search": (row, row, WEIGHTS, buffer, buffer, words, limits),
    }
