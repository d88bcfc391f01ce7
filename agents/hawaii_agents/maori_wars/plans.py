"""Choices of Maori Wars, played out to the end of what they begin: rules that run compiled or interpreted.

A move is three decisions, a combat ten, so a choice is valued where it comes to *rest*: at the next declaration, move,
or stage. On the way the player's own decisions without chance are all tried; once dice are to fall or the enemy
decides, some plays by the quick rules of `quick` are averaged.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from hawaii_env.core import rule
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
    NO_STRUCTURE,
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

from .worth import SPREAD, SPREAD_MORE, new_near, write_near, write_worth

__all__ = ["Buffer", "new_buffer", "think"]

DEPTH = 9
"""Own decisions in a row that are all tried."""

INNER = (
    MOVE_UNIT, MOVE_TO, BOAT, REINFORCE_PLACE, STRUCTURE, SAP_TARGET, SAP_PLACE, SHIP_TARGET, SHIP_UNIT,
    BUSH_ENTER, BUSH_UNIT, BUSH_ACT, RAID_SIDE, NEGOTIATOR,
)  # fmt: skip
REST = (MOVE, DECLARE, COUNTERSTROKE, NEGOTIATE, BUSH_MOVE, BUILD)

JUMP = 5
"""Words of a generator between two plays that do not share their dice."""


class Buffer(NamedTuple):
    """Memory that a choice is worked out in.

    Attributes:
        positions: states to play on, one a level and three more.
        at: int64[levels], the next choice at each level.
        lines: int64[actions, levels], what the best value of each legal action goes on with, then -1.
        values: float64[actions], what each legal action is worth.
        near: a record of `worth.NEAR`.
        busy: int64[hexes at least], 1 where a boat has any business: structures, towns and enemies there or next to it.
        dice: int64[8], generators that all choices share.
    """

    positions: Any
    at: Any
    lines: Any
    values: Any
    near: Any
    busy: Any
    dice: Any


def new_records(game: Game, n: int) -> Any:
    """Return so many states to play on."""
    first = new_record(game)
    return np.stack([first] * n) if isinstance(first, np.ndarray) else [first.copy() for _ in range(n)]


def new_buffer(game: Game) -> Buffer:
    """Return memory for choices in a game."""
    n, levels, positions = game.num_actions, DEPTH + 3, new_records(game, DEPTH + 3)
    return Buffer(
        positions, np.zeros(levels, np.int64), np.zeros((n, levels), np.int64), np.zeros(n),
        new_near(game, isinstance(positions, np.ndarray)), np.zeros(n, np.int64), np.zeros(8, np.int64),
    )  # fmt: skip


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
def chance_of(rules: Any, state: Any, w: Any, near: Any) -> float:
    """Return the British player's chance of the victory, a tie for half, by what the position is worth."""
    if state.phase == OVER:
        return 0.5 + 0.5 * reward(rules, state, BRITISH)
    ahead = 2.0 * (rules.turns - state.turn) + 2.0 - state.half
    lead = write_worth(rules, state, w, near) / (w[SPREAD] + w[SPREAD_MORE] * ahead)
    return 1.0 / (1.0 + math.exp(-lead))


@rule
def value_for(rules: Any, state: Any, player: int, w: Any, near: Any) -> float:
    """Return a player's chance of the victory."""
    chance = chance_of(rules, state, w, near)
    return chance if player == BRITISH else 1.0 - chance


@rule
def shuffle(words: Any) -> None:
    """Move generators on, so that what follows shares no dice with what has been played."""
    for _ in range(JUMP):
        below(words, 1 << 20, 0)
        below(words, 1 << 20, 4)


@rule
def deal(words: Any, play: Any) -> None:
    """Give a state generators, and move them on for the next play."""
    for at in range(8):
        play.generator[at] = words[at]
    shuffle(words)


@rule
def note_root(rules: Any, buffer: Any, state: Any) -> None:
    """Write what does not depend on the choice: distances, and the hexes where boats have any business."""
    write_near(rules, state, buffer.near)
    for hex_ in range(state.hexes):
        buffer.busy[hex_] = 0
    for hex_ in range(state.hexes):
        enemy = state.count[1 - state.decider][hex_] > 0
        if enemy or state.structure[hex_] != NO_STRUCTURE or state.town[hex_] != NO_TOWN:
            buffer.busy[hex_] = 1
            for side in range(6):
                if rules.neighbour[hex_][side] >= 0:
                    buffer.busy[rules.neighbour[hex_][side]] = 1


@rule
def is_idle(rules: Any, buffer: Any, level: int, action: int) -> bool:
    """Return True for a choice that is not tried: the same cargo in another order, a voyage to a hex where it has no
    business, and all choices of the sap marker but the first, as the worth of a position does not count it.
    """
    state = view_state(buffer.positions[level])
    if state.phase in (SAP_TARGET, SAP_PLACE):
        return buffer.at[level] > 1
    if state.phase not in (BOAT, SHIP_UNIT, SHIP_TARGET) or action == DONE:
        return False
    if rules.do_to <= action < rules.do_to + state.hexes:
        return buffer.busy[action - rules.do_to] == 0
    if state.phase == SHIP_TARGET:
        return buffer.busy[action - rules.do_target] == 0
    before = view_state(buffer.positions[level - 1])
    return before.phase == state.phase and action < before.legal[buffer.at[level - 1] - 1]


@rule
def value_of(rules: Any, buffer: Any, choice: int, player: int, w: Any, words: Any, samples: int) -> float:
    """Return what the best of a player's decisions without chance makes of positions[1], which a choice led to; these
    are its line.

    samples: plays that are averaged once dice are to fall or the enemy decides.
    """
    line, best, level = buffer.lines[choice], -1.0, 1
    line[0], buffer.at[1] = -1, 0
    state = view_state(buffer.positions[1])
    if not is_inner(state, player):
        return leaf_of(rules, buffer, state, player, w, words, samples)
    while level > 0:
        state = view_state(buffer.positions[level])
        if buffer.at[level] == state.n_legal:
            level -= 1
            continue
        action = state.legal[buffer.at[level]]
        buffer.at[level] += 1
        if is_idle(rules, buffer, level, action):
            continue
        after = view_state(buffer.positions[level + 1])
        copy_record(state, after)
        apply_action(rules, after, action)
        if not is_rest(after):
            go_on(rules, after)
            if level + 1 < DEPTH and is_inner(after, player):
                level += 1
                buffer.at[level] = 0
                continue
        value = leaf_of(rules, buffer, after, player, w, words, samples)
        if value > best:
            best = value
            for k in range(level):
                before = view_state(buffer.positions[k + 1])
                line[k] = before.legal[buffer.at[k + 1] - 1]
            line[level] = -1
    return best


@rule
def is_inner(state: Any, player: int) -> bool:
    """Return True at a decision that goes on with what a player has begun."""
    return state.n_legal > 1 and state.decider == player and state.phase in INNER


@rule
def leaf_of(rules: Any, buffer: Any, state: Any, player: int, w: Any, words: Any, samples: int) -> float:
    """Return what a position is worth at rest, or on average after quick play to the next rest."""
    if state.phase == OVER or is_rest(state):
        return value_for(rules, state, player, w, buffer.near)
    total, play = 0.0, view_state(buffer.positions[DEPTH + 1])
    for at in range(8):
        buffer.dice[at] = words[at]
    for _ in range(samples):
        copy_record(state, play)
        deal(buffer.dice, play)
        run(rules, play)
        finish(rules, play, buffer.dice)
        total += value_for(rules, play, player, w, buffer.near)
    return total / samples


@rule
def write_values(rules: Any, buffer: Any, w: Any, words: Any, samples: int) -> None:
    """Write to buffer.values what each legal action of positions[0] is worth to who decides: with the same dice."""
    state, after = view_state(buffer.positions[0]), view_state(buffer.positions[1])
    note_root(rules, buffer, state)
    player = state.decider
    for i in range(state.n_legal):
        buffer.lines[i][0] = -1
        if state.phase == MOVE and state.legal[i] == DONE:
            buffer.values[i] = value_for(rules, state, player, w, buffer.near)
            continue
        copy_record(state, after)
        apply_action(rules, after, state.legal[i])
        if not is_rest(after):
            go_on(rules, after)
        buffer.values[i] = value_of(rules, buffer, i, player, w, words, samples)
    shuffle(words)


@rule
def greedy(rules: Any, buffer: Any, w: Any, words: Any, samples: int, noise: int) -> int:
    """Return the legal action of positions[0], by its index, that is worth most; of equals any.

    noise: thousandths of a victory that the values are off, at most.
    """
    n = view_state(buffer.positions[0]).n_legal
    write_values(rules, buffer, w, words, samples)
    best, equals, found = -1.0, 0, 0
    for i in range(n):
        if noise > 0:
            buffer.values[i] += 1e-6 * below(words, 1000 * noise, 0)
        if buffer.values[i] > best + 1e-9:
            best, equals = buffer.values[i], 0
        if buffer.values[i] >= best - 1e-9:
            equals += 1
            if below(words, equals, 0) == 0:
                found = i
    return found


@rule
def think(tables: Any, record: Any, w: Any, buffer: Any, words: Any, samples: int) -> int:
    """Return the greedy choice in a position."""
    rules, state = view_rules(tables), view_state(buffer.positions[0])
    copy_record(view_state(record), state)
    list_legal(rules, state)
    return state.legal[greedy(rules, buffer, w, words, samples, 0)]


@rule
def play_greedily(rules: Any, state: Any, buffer: Any, w: Any, words: Any, samples: int) -> None:
    """Apply the greedy choice of who decides, and what it goes on with before dice fall or another decides."""
    copy_record(state, view_state(buffer.positions[0]))
    choice = greedy(rules, buffer, w, words, samples, 0)
    apply_action(rules, state, state.legal[choice])
    run(rules, state)
    at = 0
    while buffer.lines[choice][at] >= 0:
        apply_action(rules, state, buffer.lines[choice][at])
        run(rules, state)
        at += 1
