"""The Epilogue, up to its scoring [E1, E2, E3]."""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule

from .names import ALOHA, COMMERCE, CONVERT, EPILOGUE, HAWAIIAN, VOTE
from .scoring import tie_break
from .state import (
    ACTED,
    CARDS_OF,
    CONVERTED,
    DECIDES,
    ORDER,
    PHASE,
    STAGE,
    T_CONVERSIONS,
    T_PLAYERS,
    T_VOTES,
    TRACKS,
    lose,
    most_on,
    order_by_points,
    receive,
)  # fmt: skip


@rule
def begin_epilogue(t: Any, s: Any) -> None:
    """[E1] Players convert by points, high to low. [R-20]"""
    s[STAGE] = EPILOGUE
    order_by_points(t, s)
    s[PHASE], s[ACTED], s[DECIDES] = CONVERT, -1, s[ORDER]


@rule
def convert_token(t: Any, s: Any, island: int, resource: int) -> None:
    """[E1] A Pure Hawaiian token of an island becomes 1 Commerce or 1 Aloha: one of the five steps. [R-20]"""
    player = s[DECIDES]
    lose(s, player, HAWAIIAN, island, 1)
    receive(t, s, player, resource, 0, 1)
    s[CONVERTED + player] += 1


@rule
def convert_track(t: Any, s: Any, resource: int) -> None:
    """[E1] 1 Commerce or 1 Aloha becomes 1 Home Rule token: one of the five steps. [R-20]"""
    player = s[DECIDES]
    lose(s, player, resource, 0, 1)
    receive(t, s, player, VOTE, 0, 1)
    s[CONVERTED + player] += 1


@rule
def may_convert(t: Any, s: Any) -> bool:
    """[E1] True while a player has converted less than five times."""
    return s[CONVERTED + s[DECIDES]] < t[T_CONVERSIONS]


@rule
def next_converter(t: Any, s: Any) -> int:
    """[E1] Who converts after the one who has: the next in order, or -1 after the last."""
    for place in range(t[T_PLAYERS] - 1):
        if s[ORDER + place] == s[DECIDES]:
            return s[ORDER + place + 1]
    return -1


@rule
def votes_on_cards(t: Any, s: Any, player: int) -> int:
    """[E3] Votes on all Royal Family cards that a player holds, of all four sets. [R-18]"""
    total = 0
    for card in range(24):
        if s[CARDS_OF + card] == player:
            total += t[T_VOTES + card]
    return total


@rule
def votes(t: Any, s: Any, player: int) -> int:
    """[E3] Home Rule tokens, and the votes on cards."""
    return s[TRACKS + 4 * (VOTE - 1) + player] + votes_on_cards(t, s, player)


@rule
def elect(t: Any, s: Any) -> None:
    """[E2, E3] Each island's Representative to who has most tokens there, then the Governor to most votes; ties by
    tokens, Aloha, Commerce, else an independent governs and nobody has the card.
    """
    for island in range(5):
        s[CARDS_OF + 19 + island] = most_on(t, s, island)
    best, shared = 0, False
    for player in range(1, t[T_PLAYERS]):
        more = votes(t, s, player) - votes(t, s, best)
        if more == 0:
            more = tie_break(s, player, best)
        if more > 0:
            best, shared = player, False
        elif more == 0:
            shared = True
    s[CARDS_OF + 18] = -1 if shared else best


CONVERTED_TO = (COMMERCE, ALOHA)
"""What conversions are made into and from, in the order of the action table."""
