"""Chapters I, II and III: Action tokens, turn order, actions [AD, TO, C1, C2, C2m, C2w, C2r]."""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule

from .events import shuffle
from .names import AMOUNT, CHAPTER_3, EVENT, HAWAIIAN, KING, PROLOGUE, WARRIOR
from .prologue import spend
from .state import (
    ACTED,
    ACTIONS,
    CARDS_OF,
    DECIDES,
    FIRST,
    FROM,
    KING_OF,
    ORDER,
    PHASE,
    STAGE,
    T_PLAYERS,
    T_ROUNDS,
    T_TAKE,
    TO,
    TOKENS,
    TRACKS,
    actions_of,
    chapter_of,
    order_by_points,
    pool,
    receive,
)  # fmt: skip


@rule
def given(s: Any, player: int, island: int) -> int:
    """[AD, C1] Two Action tokens for the latest set's card of an island [R-26], else one for presence there."""
    if s[CARDS_OF + 6 * (s[STAGE] - 1) + 1 + island] == player:
        return 2
    return 1 if s[TOKENS + 5 * player + island] > 0 else 0


@rule
def begin_chapter(t: Any, s: Any) -> None:
    """[AD, C1] Action tokens are given; then the King/Queen token is placed, before cards are shown [R-07]. Chapter III
    begins without warriors [R-10].
    """
    s[STAGE] += 1
    s[ACTED], s[DECIDES] = -1, -1
    for player in range(t[T_PLAYERS]):
        if s[STAGE] == CHAPTER_3:
            s[TRACKS + 4 * (WARRIOR - 1) + player] = 0
        for island in range(5):
            s[ACTIONS + 5 * player + island] = given(s, player, island)
    holder = s[KING_OF]
    if holder >= 0:
        for island in range(5):
            if s[TOKENS + 5 * holder + island] > 0:
                s[PHASE], s[DECIDES] = KING, holder
                return
    begin_actions(t, s)


@rule
def place_king(t: Any, s: Any, island: int) -> None:
    """[AD, C1] The King/Queen token is one more Action there; without presence anywhere it is lost. [R-07]"""
    s[ACTIONS + 5 * s[DECIDES] + island] += 1
    begin_actions(t, s)


@rule
def begin_actions(t: Any, s: Any) -> None:
    """[TO, C2] The order of ties is made once; who has most Action tokens, of equals the first in it, acts first
    [R-06]. With `rounds` players stand by tokens as given [R-05]. Then four cards are drawn.
    """
    order_by_points(t, s)
    n = t[T_PLAYERS]
    best = s[ORDER]
    for place in range(1, n):
        if actions_of(s, s[ORDER + place]) > actions_of(s, best):
            best = s[ORDER + place]
    s[FIRST] = best
    if t[T_ROUNDS] == 1:
        for place in range(1, n):
            player, at = s[ORDER + place], place
            while at > 0 and actions_of(s, s[ORDER + at - 1]) < actions_of(s, player):
                s[ORDER + at] = s[ORDER + at - 1]
                at -= 1
            s[ORDER + at] = player
    shuffle(s)
    s[PHASE], s[ACTED], s[DECIDES] = EVENT, -1, -1


@rule
def next_actor(t: Any, s: Any) -> int:
    """[TO] Who acts next: who has most Action tokens left, of equals the first in the order of ties; with `rounds` the
    next in the order who has any [R-05]. -1 when there are none left.
    """
    n = t[T_PLAYERS]
    if t[T_ROUNDS] == 1:
        start = 0
        for place in range(n):
            if s[ORDER + place] == s[ACTED]:
                start = place + 1
        for step in range(n):
            player = s[ORDER + (start + step) % n]
            if actions_of(s, player) > 0:
                return player
        return -1
    best, most = -1, 0
    for place in range(n):
        player = s[ORDER + place]
        left = actions_of(s, player)
        if left > most:
            best, most = player, left
    return best


@rule
def use(s: Any, player: int, island: int) -> None:
    """[C2] An Action token is taken off an island; no presence is needed there. [R-21]"""
    s[ACTIONS + 5 * player + island] -= 1
    s[ACTED] = player


@rule
def can_take(t: Any, s: Any, player: int, island: int) -> bool:
    """[C2r] Kaua'i gives nothing when the pool is empty. [R-12]"""
    return t[T_TAKE + 25 * chapter_of(s) + 5 * island + HAWAIIAN] == 0 or pool(t, s, player) > 0


@rule
def take_resource(t: Any, s: Any, player: int, island: int) -> None:
    """[C2r] What the island gives; Hawai'i one Home Rule token in Chapter III. [R-27]"""
    for resource in range(5):
        receive(t, s, player, resource, island, t[T_TAKE + 25 * chapter_of(s) + 5 * island + resource])
    use(s, player, island)


@rule
def take_warrior(t: Any, s: Any, player: int, island: int) -> None:
    """[C2w] One warrior for an Action token of any island, Hawai'i too. [R-28]"""
    receive(t, s, player, WARRIOR, island, 1)
    use(s, player, island)


@rule
def lose_turns(s: Any, player: int) -> None:
    """[C2] Who can do nothing loses all his Action tokens left. [R-04]"""
    for island in range(5):
        s[ACTIONS + 5 * player + island] = 0
    s[ACTED] = player


@rule
def set_out(s: Any, start: int, end: int) -> None:
    """[P2, C2m] A group sets out from one island to another; how many is the next choice."""
    s[PHASE], s[FROM], s[TO] = AMOUNT, start, end


@rule
def migrate(s: Any, number: int) -> None:
    """[P2, C2m] The group arrives; in a chapter an Action token of the island left is used."""
    player = s[DECIDES]
    s[TOKENS + 5 * player + s[FROM]] -= number
    s[TOKENS + 5 * player + s[TO]] += number
    if s[STAGE] == PROLOGUE:
        spend(s, player)
    else:
        use(s, player, s[FROM])
    s[FROM] = s[TO] = -1
