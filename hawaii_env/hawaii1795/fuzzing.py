"""Compiled invariants: what holds in every position that play reaches, checked after every step of random games.

The fuzzer plays its bulk of games here. A game goes on step by step, not by `flow.run`, so that forced decisions and
chance are checked as well.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hawaii_env.core.jit import EntryPoints, rule
from hawaii_env.core.rng import below, seed_words

from . import core, doors
from .rules import flow
from .rules.actions import N_ACTIONS
from .rules.names import (
    ABOARD,
    BATTLE_ORDER,
    BOX,
    CAME_TURNED,
    CARD,
    CARGO,
    COMMIT,
    DEAD,
    HALF_START,
    HOME,
    LAST_DECISION,
    LAUNCH,
    LOSS,
    MAX_STEPS,
    MOVE,
    N_KINDS,
    N_PIECES,
    N_PLACES,
    N_SPACES,
    NEUTRAL,
    OVER,
    PANIC_LOSS,
    RECRUIT,
    SAIL,
    SEA,
    SEA_BATTLE,
    SETUP,
    WAR,
    WINDOW,
)

LIMIT = 20_000  # decisions; no game comes near it

FAULTS = (
    "",
    "a piece stands in no place, or a piece's owner is not its side's",
    "the counts by space do not fit the pieces",
    "a piece was made or lost: kinds do not have their number of pieces [1.0]",
    "a canoe was lost in a land battle [11.5]",
    "nobody has a legal action",
    "legal actions do not ascend, or are outside the table",
    "units of both sides in a space when a half begins [10.3]",
    "canoes alone among enemies are asked for nothing, and stay [R-15, R-23]",
    "a card was drawn twice in nine turns [6.1]",
    "a fleet at sea, aboard or at war when a half begins [10.3, 11.7]",
    "more units or leaders aboard than a canoe carries [10.3]",
    "an elite unit or a canoe is panicked [12.0]",
    "Kamehameha, or Kalani and Kaiana, are dead and the game goes on [5.2]",
    "the game does not end",
    "a leader or a Kaua'i piece is in the wrong off-map place [3.1, 9.0]",
)


@rule
def fault_in(rules: Any, state: Any) -> int:
    """The number of what does not hold in this position, 0 when all does."""
    units = 0
    canoes = 0
    for piece in range(N_PIECES):
        place, printed = state.place[piece], rules.side[piece]
        if place < 0 or place >= N_PLACES:
            return 1
        if state.owner[piece] != (state.kauai if printed == NEUTRAL else printed):
            return 1
        if place < N_SPACES:
            canoes += rules.canoe[piece]
            units += 1 - rules.canoe[piece]
        if place == BOX and printed == NEUTRAL:
            return 15
        if place == DEAD and printed != NEUTRAL and not rules.leader[piece]:
            return 15
        if state.panicked[piece] and (rules.elite[piece] or rules.canoe[piece]):
            return 12
        if state.came[piece] < 0 or state.came[piece] > CAME_TURNED:
            return 1
    for at in range(3 * N_SPACES):
        if state.units[at] < 0 or state.canoes[at] < 0 or state.leaders[at] > state.units[at]:
            return 2
        units -= state.units[at]
        canoes -= state.canoes[at]
    if units or canoes:
        return 2
    n = 0
    for kind in range(N_KINDS):
        n += rules.count[kind]
    if n != N_PIECES:
        return 3
    if state.aboard_units > rules.units_a_canoe or state.aboard_leaders > rules.leaders_a_canoe:
        return 11
    if state.winner < 0:
        if state.place[rules.first[0]] == DEAD:
            return 13
        if state.place[rules.first[9]] == DEAD and state.place[rules.first[10]] == DEAD:
            return 13
    return 0


@rule
def fault_at_rest(rules: Any, state: Any) -> int:
    """What does not hold where somebody decides, or where a half begins; 0 when all does."""
    phase = state.phase
    for space in range(N_SPACES):
        both = state.units[space] > 0 and state.units[N_SPACES + space] > 0
        if both and phase in (CARD, HALF_START, SETUP):
            return 7
        if phase in (RECRUIT, MOVE, CARGO, SAIL, WINDOW, LAUNCH, BATTLE_ORDER, HOME, CARD):
            for side in range(2):
                mine, theirs = side * N_SPACES + space, (1 - side) * N_SPACES + space
                if state.canoes[mine] and not state.units[mine] and state.units[theirs] + state.canoes[theirs]:
                    return 8
    if phase in (CARD, HALF_START, RECRUIT, HOME, SETUP):
        for piece in range(N_PIECES):
            if state.place[piece] >= SEA or state.place[piece] == WAR or state.place[piece] == ABOARD:
                return 10
    return 0


@rule
def canoes_on_map(rules: Any, state: Any) -> int:
    """Canoes anywhere but in a box or dead."""
    n = 0
    for piece in range(N_PIECES):
        if rules.canoe[piece] and state.place[piece] != BOX and state.place[piece] != DEAD:
            n += 1
    return n


@rule
def fuzz_game(tables: Any, buffer: Any, words: Any, bold: int, actions: Any) -> int:
    """Play one random game from its beginning, checking each step. Returns the number of a fault, 0 when all held.

    words: generator of the choices; bold: 1 prefers anything to `done` and `pass`; actions: int64 array that takes the
    decisions asked (its first value their number), as far as it reaches.
    """
    rules, state = doors.tables_of(tables), doors.state_of(buffer)
    flow.set_up(rules, state)
    flow.begin_setup_of(rules, state, 0)
    drawn_0 = 0
    drawn_1 = 0
    asked = 0
    actions[0] = 0
    steps = 0  # since somebody had a choice
    while True:
        steps += 1
        if steps > MAX_STEPS:
            return 14
        flow.advance(rules, state)
        fault = fault_in(rules, state)
        if fault == 0:
            fault = fault_at_rest(rules, state)
        if fault:
            return fault
        phase = state.phase
        if phase == OVER:
            return 0
        if phase > LAST_DECISION:
            outcome = flow.sample(state)
            if phase == CARD:
                seen = drawn_1 if state.half else drawn_0
                if (seen >> outcome) & 1:
                    return 9
                if state.half:
                    drawn_1 |= 1 << outcome
                else:
                    drawn_0 |= 1 << outcome
            flow.fall(rules, state, outcome)
            continue
        flow.list_legal(rules, state)
        n = state.n_legal
        if n == 0:
            if phase not in (RECRUIT, HOME, SETUP):
                return 5
            flow.pass_on(rules, state)
            continue
        for i in range(n):
            if state.legal[i] < 0 or state.legal[i] >= N_ACTIONS or (i and state.legal[i] <= state.legal[i - 1]):
                return 6
        action = state.legal[0]
        if n > 1:
            action = state.legal[below(words, n)]
            if bold and action <= 1 and below(words, 4):
                action = state.legal[n - 1 - below(words, n - 1)]
            asked += 1
            steps = 0
            state.decisions += 1
            if asked < len(actions):
                actions[0] = asked
                actions[asked] = action
            if asked > LIMIT:
                return 14
        before = canoes_on_map(rules, state)
        battle = state.battle
        flow.take(rules, state, action)
        if phase in (LOSS, PANIC_LOSS) and battle != SEA_BATTLE and canoes_on_map(rules, state) != before:
            return 4
        if phase == COMMIT and state.phase == COMMIT and state.war_canoes == 0:
            return 11


FUZZER = EntryPoints("hawaii1795", "fuzzer", [fuzz_game], seconds=4)


def fuzz_seed(game: Any, seed: int) -> tuple[int, list[int]]:
    """Play the random game of a seed: even seeds choose evenly, odd ones boldly. Returns the number of a fault, or 0,
    and the decisions asked.
    """
    mode = core.mode_of_jobs()
    tables, buffer = game.tables_in(mode), mode.new_buffer()
    words = seed_words(seed)
    mode.put(buffer, "deck_words", words[:4])
    mode.put(buffer, "dice_words", words[4:])
    mode.put(buffer, "sampled", 1)
    actions = np.empty(LIMIT + 2, np.int64)
    arguments = tables, buffer, mode.words(seed_words(seed ^ 0x5EED)[:4]), seed & 1, actions
    fault = FUZZER.compile_now(lambda: {"fuzz_game": arguments}).fuzz_game(*arguments)
    return int(fault), actions[1 : int(actions[0]) + 1].tolist()
