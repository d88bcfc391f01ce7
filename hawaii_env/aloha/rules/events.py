"""Event cards [C2e]."""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule

from .names import CALAMITY, CALAMITY_OPPONENTS, DECK, ORDINARY, SLOTS
from .state import FACE_UP, LEFT, T_CARDS, T_PLAYERS, TOKENS, TRACKS, chapter_of, lose, receive


@rule
def card_at(s: Any, number: int) -> int:
    """Where a card of the running chapter stands in the tables: its kind, then islands, receives, pays, five each."""
    return T_CARDS + 16 * ((DECK + 1) * chapter_of(s) + number)


@rule
def shuffle(s: Any) -> None:
    """[C2e] A chapter's own twenty cards, whatever was used before; no slot is filled. [R-17]"""
    for slot in range(SLOTS):
        s[FACE_UP + slot] = 0
    for number in range(1, DECK + 1):
        s[LEFT + number] = 1


@rule
def put_away(s: Any) -> None:
    """[C2e] The chapter is over: all of its cards go away. [R-17]"""
    for slot in range(SLOTS):
        s[FACE_UP + slot] = 0
    for number in range(1, DECK + 1):
        s[LEFT + number] = 0


@rule
def slot_to_fill(s: Any) -> int:
    """[C2e] The first empty slot; -1 when all are full, or the deck is empty: then it stays empty. [R-17]"""
    left = 0
    for number in range(1, DECK + 1):
        left += s[LEFT + number]
    if left > 0:
        for slot in range(SLOTS):
            if s[FACE_UP + slot] == 0:
                return slot
    return -1


@rule
def can_pay(t: Any, s: Any, card: int, player: int, island: int) -> bool:
    """[C2e] True if a player has all that a card asks for, Pure Hawaiian tokens on that island. [R-13, R-15]"""
    # Not `and`: five branches that nobody can foresee cost more than five comparisons.
    return (
        (s[TOKENS + 5 * player + island] >= t[card + 11])
        & (s[TRACKS + player] >= t[card + 12])
        & (s[TRACKS + 4 + player] >= t[card + 13])
        & (s[TRACKS + 8 + player] >= t[card + 14])
        & (s[TRACKS + 12 + player] >= t[card + 15])
    )


@rule
def pay(t: Any, s: Any, card: int, player: int, island: int) -> None:
    """[C2e] A player who can pay all that a card asks for pays it; part payment there is none. [R-15]"""
    if can_pay(t, s, card, player, island):
        for resource in range(5):
            lose(s, player, resource, island, t[card + 11 + resource])


@rule
def can_play(t: Any, s: Any, player: int, slot: int, island: int) -> bool:
    """[C2e] Whether the card of a slot may be played with an Action token of an island: it is Active, and an ordinary
    one can be paid. [R-13, R-16]
    """
    card = card_at(s, s[FACE_UP + slot])  # that of an empty slot has no Active island
    return (t[card + 1 + island] == 1) & ((t[card] != ORDINARY) | can_pay(t, s, card, player, island))


@rule
def play(t: Any, s: Any, player: int, slot: int, island: int) -> None:
    """[C2e] An event is executed: all of it, before the next card is drawn [R-29]. A calamity on opponents strikes the
    island of the Action token alone [R-16]; presence is asked now [R-21].
    """
    card = card_at(s, s[FACE_UP + slot])
    if t[card] == ORDINARY:
        pay(t, s, card, player, island)
    for resource in range(5):
        receive(t, s, player, resource, island, t[card + 6 + resource])
    if t[card] == CALAMITY_OPPONENTS:
        for other in range(t[T_PLAYERS]):
            if other != player and s[TOKENS + 5 * other + island] > 0:
                pay(t, s, card, other, island)
    s[FACE_UP + slot] = 0


@rule
def draw(t: Any, s: Any, number: int) -> None:
    """[C2e] A card is drawn. A calamity strikes at once, among the first four too [R-14], whoever is present on each of
    its islands [R-15], and is discarded; any other card lies in the slot.
    """
    slot = slot_to_fill(s)
    s[LEFT + number] = 0
    card = card_at(s, number)
    if t[card] != CALAMITY:
        s[FACE_UP + slot] = number
        return
    for island in range(5):
        if t[card + 1 + island] == 1:
            for player in range(t[T_PLAYERS]):
                if s[TOKENS + 5 * player + island] > 0:
                    pay(t, s, card, player, island)
