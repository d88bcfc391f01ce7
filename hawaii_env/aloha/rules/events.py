"""Event cards [C2e]."""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule

from .names import ALOHA, CALAMITY, CALAMITY_OPPONENTS, COMMERCE, DECK, HAWAIIAN, ORDINARY, SLOTS, VOTE, WARRIOR
from .state import chapter_of, lose, receive


@rule
def shuffle(state: Any) -> None:
    """[C2e] A chapter's own twenty cards, whatever was used before; no slot is filled. [R-17]"""
    for slot in range(SLOTS):
        state.face_up[slot] = 0
    for number in range(1, DECK + 1):
        state.left[number] = 1


@rule
def put_away(state: Any) -> None:
    """[C2e] The chapter is over: all of its cards go away. [R-17]"""
    for slot in range(SLOTS):
        state.face_up[slot] = 0
    for number in range(1, DECK + 1):
        state.left[number] = 0


@rule
def slot_to_fill(state: Any) -> int:
    """[C2e] Return the first empty slot; -1 when all are full, or the deck is empty: then it stays empty. [R-17]"""
    left = 0
    for number in range(1, DECK + 1):
        left += state.left[number]
    if left > 0:
        for slot in range(SLOTS):
            if state.face_up[slot] == 0:
                return slot
    return -1


@rule
def can_pay(state: Any, pays: Any, player: int, island: int) -> bool:
    """[C2e] Return True if a player has all that a card asks for, Pure Hawaiian tokens on that island. [R-13, R-15]"""
    # Not `and`: five branches that nobody can foresee cost more than five comparisons.
    return (
        (state.tokens[player][island] >= pays[HAWAIIAN])
        & (state.tracks[COMMERCE - 1][player] >= pays[COMMERCE])
        & (state.tracks[ALOHA - 1][player] >= pays[ALOHA])
        & (state.tracks[WARRIOR - 1][player] >= pays[WARRIOR])
        & (state.tracks[VOTE - 1][player] >= pays[VOTE])
    )


@rule
def pay(state: Any, pays: Any, player: int, island: int) -> None:
    """[C2e] Take from a player all that a card asks for if he has it; players cannot pay in part. [R-15]"""
    if can_pay(state, pays, player, island):
        for resource in range(5):
            lose(state, player, resource, island, pays[resource])


@rule
def can_play(rules: Any, state: Any, player: int, slot: int, island: int) -> bool:
    """[C2e] Return True if the card of a slot may be played with an Action token of an island: it is Active, and an
    ordinary one can be paid. [R-13, R-16]
    """
    chapter, number = chapter_of(state), state.face_up[slot]  # card 0, of an empty slot, has no Active island
    ordinary = rules.card_kind[chapter][number] == ORDINARY
    active = rules.card_islands[chapter][number][island] == 1
    return active & ((not ordinary) | can_pay(state, rules.card_pays[chapter][number], player, island))


@rule
def play(rules: Any, state: Any, player: int, slot: int, island: int) -> None:
    """[C2e] Execute an event: all of it, before the next card is drawn [R-29]. A calamity on opponents strikes the
    island of the Action token alone [R-16]; presence is asked now [R-21].
    """
    chapter, number = chapter_of(state), state.face_up[slot]
    kind, pays = rules.card_kind[chapter][number], rules.card_pays[chapter][number]
    if kind == ORDINARY:
        pay(state, pays, player, island)
    for resource in range(5):
        receive(rules, state, player, resource, island, rules.card_receives[chapter][number][resource])
    if kind == CALAMITY_OPPONENTS:
        for other in range(rules.players):
            if other != player and state.tokens[other][island] > 0:
                pay(state, pays, other, island)
    state.face_up[slot] = 0


@rule
def draw(rules: Any, state: Any, number: int) -> None:
    """[C2e] Draw a card. A calamity strikes at once, among the first four too [R-14], whoever is present on each of its
    islands [R-15], and is discarded; any other card lies in the slot.
    """
    chapter, slot = chapter_of(state), slot_to_fill(state)
    state.left[number] = 0
    if rules.card_kind[chapter][number] != CALAMITY:
        state.face_up[slot] = number
        return
    for island in range(5):
        if rules.card_islands[chapter][number][island] == 1:
            for player in range(rules.players):
                if state.tokens[player][island] > 0:
                    pay(state, rules.card_pays[chapter][number], player, island)
