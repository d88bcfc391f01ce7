"""What holds in every position that play reaches, and random games in which it is checked after every step.

The fuzzer plays its bulk of games here, in compiled code. A game goes on step by step, not by `flow.run`, so that
forced decisions and chance are checked as well.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hawaii_env.core.jit import EntryPoints, rule
from hawaii_env.core.rng import below, seed_words

from . import core
from .rules import flow, prologue
from .rules.actions import N_ACTIONS
from .rules.events import card_at, slot_to_fill
from .rules.names import (
    ACTION,
    AMOUNT,
    CALAMITY,
    CHAPTER_1,
    CHAPTER_3,
    DECK,
    EVENT,
    MOST_ACTIONS,
    OVER,
    SLOTS,
    VOTE,
    WARRIOR,
)
from .rules.state import (
    CARDS_OF,
    FACE_UP,
    KING_OF,
    LEFT,
    LEGAL,
    MOST_LEGAL,
    N_LEGAL,
    PHASE,
    POINTS,
    SIZE,
    STAGE,
    T_PLAYERS,
    T_STOCK,
    T_TRACK_END,
    TRACKS,
    WORDS,
    actions_of,
    on_board,
)

__all__ = ["FAULTS", "fault_in", "fuzz_seed"]

FAULTS = (
    "",
    "a count is negative",
    "a marker is past the end of its track [R-11]",
    "a player has more Pure Hawaiian tokens on the board than there are [SU, R-02]",
    "a player has more than 11 Action tokens [AD]",
    "somebody who does not play has tokens or points",
    "warriors in Chapter III [R-10]",
    "Home Rule tokens before Chapter III [C2r]",
    "a card lies face up twice, or in the deck as well",
    "a calamity lies face up [C2e]",
    "an action before a slot is filled [C2e]",
    "cards lie face up outside of actions [R-17]",
    "a Royal Family card is held by nobody's index",
    "the King/Queen token is not with the latest monarch's card [P3, C3]",
    "nobody has a legal action",
    "legal actions do not ascend, or are outside the table",
    "a player has lost points",
    "a card was drawn twice in a chapter [R-17]",
    "the game does not end",
)


@rule
def fault_of_player(t: Any, s: Any, player: int) -> int:
    """The number of what does not hold of a player, 0 when all does."""
    board = on_board(s, player)
    if board > t[T_STOCK]:
        return 3
    if actions_of(s, player) > MOST_ACTIONS:
        return 4
    if player >= t[T_PLAYERS] and (board > 0 or s[POINTS + player] > 0):
        return 5
    if s[STAGE] >= CHAPTER_3 and s[TRACKS + 4 * (WARRIOR - 1) + player] > 0:
        return 6
    if s[STAGE] < CHAPTER_3 and s[TRACKS + 4 * (VOTE - 1) + player] > 0:
        return 7
    return 0


@rule
def fault_of_cards(t: Any, s: Any) -> int:
    """The number of what does not hold of event and Royal Family cards, 0 when all does."""
    phase, shown = s[PHASE], 0
    for slot in range(SLOTS):
        number = s[FACE_UP + slot]
        if number < 0 or number > DECK:
            return 8
        if number == 0:
            continue
        shown += 1
        if s[LEFT + number] != 0:
            return 8
        for other in range(slot):
            if s[FACE_UP + other] == number:
                return 8
        if s[STAGE] >= CHAPTER_1 and s[STAGE] <= CHAPTER_3 and t[card_at(s, number)] == CALAMITY:
            return 9
    if phase == ACTION and slot_to_fill(s) >= 0:
        return 10
    if shown > 0 and phase != EVENT and phase != ACTION and phase != AMOUNT:
        return 11
    for card in range(24):
        if s[CARDS_OF + card] < -1 or s[CARDS_OF + card] >= t[T_PLAYERS]:
            return 12
    if s[STAGE] > 0 and s[KING_OF] != s[CARDS_OF + 6 * min(s[STAGE] - 1, 2)]:
        return 13
    return 0


@rule
def fault_in(t: Any, s: Any) -> int:
    """[SU, C2w, R-11] The number of what does not hold in this position, an index of FAULTS; 0 when all does."""
    for at in range(POINTS, CARDS_OF):
        if s[at] < 0:
            return 1
    for at in range(16):
        if s[TRACKS + at] > t[T_TRACK_END]:
            return 2
    for player in range(4):
        fault = fault_of_player(t, s, player)
        if fault > 0:
            return fault
    return fault_of_cards(t, s)


@rule
def fault_of_choices(s: Any) -> int:
    """The number of what does not hold of the legal actions, 0 when all does."""
    n = s[N_LEGAL]
    if n <= 0:
        return 14
    if n > MOST_LEGAL:
        return 15
    for i in range(n):
        if s[LEGAL + i] < 0 or s[LEGAL + i] >= N_ACTIONS or (i > 0 and s[LEGAL + i] <= s[LEGAL + i - 1]):
            return 15
    return 0


@rule
def fuzz_game(t: Any, s: Any, words: Any, limit: int, points: Any, actions: Any) -> int:
    """Play one random game from its beginning, checking each step. Returns the number of a fault, 0 when all held.

    words: generator of the choices; limit: the most decisions that a game can have; points: int64[4] to overwrite;
    actions: int64 array that takes the decisions asked (its first value their number).
    """
    prologue.set_up(s)
    taken, asked, drawn, stage = 0, 0, 0, 0
    for player in range(4):
        points[player] = 0
    actions[0] = 0
    while True:
        fault = fault_in(t, s)
        if fault > 0:
            return fault
        for player in range(4):
            if s[POINTS + player] < points[player]:
                return 16
            points[player] = s[POINTS + player]
        if s[STAGE] != stage:
            stage, drawn = s[STAGE], 0
        if s[PHASE] == OVER:
            return 0
        if flow.is_chance(s):
            outcome = flow.sample(t, s)
            if s[PHASE] == EVENT:
                if (drawn >> outcome) & 1:
                    return 17
                drawn |= 1 << outcome
            flow.fall(t, s, outcome)
            continue
        flow.list_legal(t, s)
        fault = fault_of_choices(s)
        if fault > 0:
            return fault
        taken += 1
        if taken > limit:
            return 18
        action = s[LEGAL]
        if s[N_LEGAL] > 1:
            action = s[LEGAL + below(words, s[N_LEGAL])]
            asked += 1
            actions[0] = asked
            actions[asked] = action
        flow.take(t, s, action)


FUZZER = EntryPoints("aloha", "fuzzer", [fuzz_game], seconds=3)


def fuzz_seed(game: Any, seed: int) -> tuple[int, list[int]]:
    """Play the random game of a seed. Returns the number of a fault, or 0, and the decisions asked."""
    mode = core.mode_of_jobs(rules=False)
    vector = [0] * SIZE
    vector[WORDS:N_LEGAL] = seed_words(seed)
    actions = np.zeros(game.max_decisions + 2, np.int64)
    arguments = (
        game.tables_in(mode), mode.hold(vector), mode.hold(seed_words(seed ^ 0x5EED)[:4]), game.max_decisions,
        mode.hold([0] * 4),
        actions,
    )  # fmt: skip
    fault = FUZZER.for_a_job(lambda: {"fuzz_game": arguments}).fuzz_game(*arguments)
    return int(fault), actions[1 : int(actions[0]) + 1].tolist()
