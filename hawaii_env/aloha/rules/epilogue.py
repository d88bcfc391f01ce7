"""The Epilogue, up to its scoring [E1, E2, E3]."""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule

from .names import CONVERT, EPILOGUE, HAWAIIAN, SETS, TITLES, VOTE
from .scoring import tie_break
from .state import lose, most_on, order_by_points, receive


@rule
def begin_epilogue(rules: Any, state: Any) -> None:
    """[E1] Players convert by points, high to low. [R-20]"""
    state.stage = EPILOGUE
    order_by_points(rules, state)
    state.phase, state.acted, state.decider = CONVERT, -1, state.order[0]


@rule
def convert_token(rules: Any, state: Any, island: int, resource: int) -> None:
    """[E1] A Pure Hawaiian token of an island becomes 1 Commerce or 1 Aloha: one of the five steps. [R-20]"""
    player = state.decider
    lose(state, player, HAWAIIAN, island, 1)
    receive(rules, state, player, resource, 0, 1)
    state.converted[player] += 1


@rule
def convert_track(rules: Any, state: Any, resource: int) -> None:
    """[E1] Turn 1 Commerce or 1 Aloha into 1 Home Rule token: one of the five steps. [R-20]"""
    player = state.decider
    lose(state, player, resource, 0, 1)
    receive(rules, state, player, VOTE, 0, 1)
    state.converted[player] += 1


@rule
def may_convert(rules: Any, state: Any) -> bool:
    """[E1] Return True while a player has converted less than five times."""
    return state.converted[state.decider] < rules.conversions


@rule
def next_converter(rules: Any, state: Any) -> int:
    """[E1] Return who converts next: the next in order, or -1 after the last."""
    for place in range(rules.players - 1):
        if state.order[place] == state.decider:
            return state.order[place + 1]
    return -1


@rule
def votes_on_cards(rules: Any, state: Any, player: int) -> int:
    """[E3] Count the votes on all Royal Family cards that a player holds, of all four sets. [R-18]"""
    total = 0
    for stage in range(len(SETS)):
        for title in range(len(TITLES)):
            if state.cards_of[stage][title] == player:
                total += rules.votes[stage][title]
    return total


@rule
def votes(rules: Any, state: Any, player: int) -> int:
    """[E3] Count Home Rule tokens and the votes on cards."""
    return state.tracks[VOTE - 1][player] + votes_on_cards(rules, state, player)


@rule
def elect(rules: Any, state: Any) -> None:
    """[E2, E3] Each island's Representative to who has most tokens there, then the Governor to most votes; ties by
    tokens, Aloha, Commerce, else an independent governs and nobody has the card.
    """
    for island in range(5):
        state.cards_of[3][1 + island] = most_on(rules, state, island)
    best, shared = 0, False
    for player in range(1, rules.players):
        more = votes(rules, state, player) - votes(rules, state, best)
        if more == 0:
            more = tie_break(state, player, best)
        if more > 0:
            best, shared = player, False
        elif more == 0:
            shared = True
    state.cards_of[3][0] = -1 if shared else best
