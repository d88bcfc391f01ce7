"""Invariants of every position that play reaches: the fuzzer checks them after every step."""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule

from .events import slot_to_fill
from .names import (
    ACTION,
    AMOUNT,
    CALAMITY,
    CHAPTER_1,
    CHAPTER_3,
    DECK,
    EVENT,
    MOST_ACTIONS,
    SETS,
    SLOTS,
    TITLES,
    VOTE,
    WARRIOR,
)
from .state import actions_of, chapter_of, on_board

__all__ = ["FAULTS", "fault_in", "fault_of_step"]

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
    "a player has lost points",
    "a card was drawn twice in a chapter [R-17]",
)
POINTS_LOST, DRAWN_TWICE = 14, 15


@rule
def fault_of_player(rules: Any, state: Any, player: int) -> int:
    """Return the number of what does not hold of a player, 0 if all does."""
    board = on_board(state, player)
    if board > rules.stock:
        return 3
    if actions_of(state, player) > MOST_ACTIONS:
        return 4
    if player >= rules.players and (board > 0 or state.points[player] > 0):
        return 5
    if state.stage >= CHAPTER_3 and state.tracks[WARRIOR - 1][player] > 0:
        return 6
    if state.stage < CHAPTER_3 and state.tracks[VOTE - 1][player] > 0:
        return 7
    return 0


@rule
def fault_of_cards(rules: Any, state: Any) -> int:
    """Return the number of what does not hold of event and Royal Family cards, 0 if all does."""
    phase, shown = state.phase, 0
    for slot in range(SLOTS):
        number = state.face_up[slot]
        if number < 0 or number > DECK:
            return 8
        if number == 0:
            continue
        shown += 1
        if state.left[number] != 0:
            return 8
        for other in range(slot):
            if state.face_up[other] == number:
                return 8
        if (
            state.stage >= CHAPTER_1
            and state.stage <= CHAPTER_3
            and rules.card_kind[chapter_of(state)][number] == CALAMITY
        ):
            return 9
    if phase == ACTION and slot_to_fill(state) >= 0:
        return 10
    if shown > 0 and phase != EVENT and phase != ACTION and phase != AMOUNT:
        return 11
    for stage in range(len(SETS)):
        for title in range(len(TITLES)):
            if state.cards_of[stage][title] < -1 or state.cards_of[stage][title] >= rules.players:
                return 12
    if state.stage > 0 and state.king_of != state.cards_of[min(state.stage - 1, 2)][0]:
        return 13
    return 0


@rule
def fault_in(rules: Any, state: Any) -> int:
    """[SU, C2w, R-11] Return the number of what does not hold in this position, an index of FAULTS; 0 if all does."""
    for player in range(4):
        for count in (state.points[player], state.moves[player], state.converted[player], state.dice[player]):
            if count < 0:
                return 1
        for resource in range(4):
            if state.tracks[resource][player] < 0:
                return 1
            if state.tracks[resource][player] > rules.track_end:
                return 2
        for island in range(5):
            if state.tokens[player][island] < 0 or state.actions[player][island] < 0:
                return 1
        fault = fault_of_player(rules, state, player)
        if fault > 0:
            return fault
    return fault_of_cards(rules, state)


@rule
def fault_of_step(rules: Any, state: Any, memory: Any) -> int:
    """[R-17] Return the number of what does not hold beside the step before, 0 if all holds.

    memory: four players' points, the stage, and the cards that were seen in it, as bits.
    """
    for player in range(4):
        if state.points[player] < memory[player]:
            return POINTS_LOST
        memory[player] = state.points[player]
    if state.stage != memory[4]:
        memory[4], memory[5], memory[6] = state.stage, 0, 0
    gone = 0
    if state.phase == EVENT or state.phase == ACTION or state.phase == AMOUNT:
        for number in range(1, DECK + 1):
            if state.left[number] == 0:
                gone |= 1 << number
        if memory[6] == 1 and (memory[5] & ~gone) != 0:
            return DRAWN_TWICE
        memory[5], memory[6] = gone, 1
    return 0
