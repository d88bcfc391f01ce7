"""Chapters I, II and III: Action tokens, turn order, actions [AD, TO, C1, C2, C2m, C2w, C2r]."""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule

from .events import shuffle
from .names import AMOUNT, CHAPTER_3, EVENT, HAWAIIAN, KING, PROLOGUE, WARRIOR
from .prologue import spend
from .state import actions_of, chapter_of, order_by_points, pool, receive


@rule
def given(state: Any, player: int, island: int) -> int:
    """[AD, C1] Return two Action tokens for the latest set's card of an island [R-26], else one for presence there."""
    if state.cards_of[state.stage - 1][1 + island] == player:
        return 2
    return 1 if state.tokens[player][island] > 0 else 0


@rule
def begin_chapter(rules: Any, state: Any) -> None:
    """[AD, C1] Action tokens are given; then the King/Queen token is placed, before cards are shown [R-07]. Chapter III
    begins without warriors [R-10].
    """
    state.stage += 1
    state.acted, state.decider = -1, -1
    for player in range(rules.players):
        if state.stage == CHAPTER_3:
            state.tracks[WARRIOR - 1][player] = 0
        for island in range(5):
            state.actions[player][island] = given(state, player, island)
    holder = state.king_of
    if holder >= 0:
        for island in range(5):
            if state.tokens[holder][island] > 0:
                state.phase, state.decider = KING, holder
                return
    begin_actions(rules, state)


@rule
def place_king(rules: Any, state: Any, island: int) -> None:
    """[AD, C1] The King/Queen token is one more Action there; without presence anywhere it is lost. [R-07]"""
    state.actions[state.decider][island] += 1
    begin_actions(rules, state)


@rule
def begin_actions(rules: Any, state: Any) -> None:
    """[TO, C2] The order of ties is made once; who has most Action tokens, of equals the first in it, acts first
    [R-06]. With `rounds` players stand by tokens as given [R-05]. Then four cards are drawn.
    """
    order_by_points(rules, state)
    n = rules.players
    best = state.order[0]
    for place in range(1, n):
        if actions_of(state, state.order[place]) > actions_of(state, best):
            best = state.order[place]
    state.first = best
    if rules.rounds == 1:
        for place in range(1, n):
            player, at = state.order[place], place
            while at > 0 and actions_of(state, state.order[at - 1]) < actions_of(state, player):
                state.order[at] = state.order[at - 1]
                at -= 1
            state.order[at] = player
    shuffle(state)
    state.phase, state.acted, state.decider = EVENT, -1, -1


@rule
def next_actor(rules: Any, state: Any) -> int:
    """[TO] Return the player who acts next: the one with most Action tokens left, of equals the first in the order of
    ties; with `rounds` the next in the order who has any [R-05]. -1 when there are none left.
    """
    n = rules.players
    if rules.rounds == 1:
        start = 0
        for place in range(n):
            if state.order[place] == state.acted:
                start = place + 1
        for step in range(n):
            player = state.order[(start + step) % n]
            if actions_of(state, player) > 0:
                return player
        return -1
    best, most = -1, 0
    for place in range(n):
        player = state.order[place]
        left = actions_of(state, player)
        if left > most:
            best, most = player, left
    return best


@rule
def use(state: Any, player: int, island: int) -> None:
    """[C2] An Action token is taken off an island; no presence is needed there. [R-21]"""
    state.actions[player][island] -= 1
    state.acted = player


@rule
def can_take(rules: Any, state: Any, player: int, island: int) -> bool:
    """[C2r] Kaua'i gives nothing when the pool is empty. [R-12]"""
    return rules.take[chapter_of(state)][island][HAWAIIAN] == 0 or pool(rules, state, player) > 0


@rule
def take_resource(rules: Any, state: Any, player: int, island: int) -> None:
    """[C2r] Take what the island gives; Hawai'i gives one Home Rule token in Chapter III. [R-27]"""
    for resource in range(5):
        receive(rules, state, player, resource, island, rules.take[chapter_of(state)][island][resource])
    use(state, player, island)


@rule
def take_warrior(rules: Any, state: Any, player: int, island: int) -> None:
    """[C2w] One warrior for an Action token of any island, Hawai'i too. [R-28]"""
    receive(rules, state, player, WARRIOR, island, 1)
    use(state, player, island)


@rule
def lose_turns(state: Any, player: int) -> None:
    """[C2] Take all Action tokens left from a player who can do nothing. [R-04]"""
    for island in range(5):
        state.actions[player][island] = 0
    state.acted = player


@rule
def set_out(state: Any, start: int, end: int) -> None:
    """[P2, C2m] A group sets out from one island to another; how many is the next choice."""
    state.phase, state.origin, state.destination = AMOUNT, start, end


@rule
def migrate(state: Any, number: int) -> None:
    """[P2, C2m] The group arrives; in a chapter an Action token of the island left is used."""
    player = state.decider
    state.tokens[player][state.origin] -= number
    state.tokens[player][state.destination] += number
    if state.stage == PROLOGUE:
        spend(state, player)
    else:
        use(state, player, state.origin)
    state.origin = state.destination = -1
