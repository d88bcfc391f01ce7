"""The set-up and the Prologue, up to its battle [SU, P1, P2]."""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule

from .names import DECK, FIRST_PLAYER, PROLOGUE, PROLOGUE_ACTION, SETTLE, SLOTS, WARRIOR
from .state import receive


@rule
def set_up(rules: Any, state: Any) -> None:
    """[SU] Nothing on the board, all markers on 0; who begins is chance, equally likely [P1]. Dice have no colours that
    matter. [R-24]
    """
    state.phase = FIRST_PLAYER
    state.first = state.acted = state.decider = state.origin = state.destination = state.king_of = -1
    for player in range(4):
        state.order[player] = state.points[player] = state.moves[player] = state.converted[player] = 0
        state.dice[player] = state.total[player] = 0
        for resource in range(4):
            state.tracks[resource][player] = 0
        for island in range(5):
            state.tokens[player][island] = state.actions[player][island] = 0
    for stage in range(4):
        for title in range(6):
            state.cards_of[stage][title] = -1
    for slot in range(SLOTS):
        state.face_up[slot] = 0
    for number in range(DECK + 1):
        state.left[number] = 0
    state.stage = PROLOGUE


@rule
def begin(rules: Any, state: Any, first: int) -> None:
    """[P1] The first player is known; the order is clockwise from there."""
    state.first = first
    for place in range(rules.players):
        state.order[place] = (first + place) % rules.players
        state.moves[place] = rules.moves
    state.phase, state.decider = SETTLE, first


@rule
def is_settled(rules: Any, state: Any, island: int) -> bool:
    """[P1] Return True if somebody has settled: one player an island. Later it may be shared. [R-25]"""
    for player in range(rules.players):
        if state.tokens[player][island] > 0:
            return True
    return False


@rule
def settle(rules: Any, state: Any, island: int) -> None:
    """[P1] 20 tokens go to the island; the next player settles, after the last one actions begin."""
    player = state.decider
    state.tokens[player][island] = rules.placed
    following = (player + 1) % rules.players
    state.acted, state.decider = player, following
    if following == state.first:
        state.acted, state.phase = -1, PROLOGUE_ACTION


@rule
def next_mover(rules: Any, state: Any) -> int:
    """[P2] Return who acts next: in order one action each, then a second one each; -1 when all have acted. [R-03]"""
    best, most = -1, 0
    for place in range(rules.players):
        player = state.order[place]
        if state.moves[player] > most:
            best, most = player, state.moves[player]
    return best


@rule
def spend(state: Any, player: int) -> None:
    """[P2] An action is used, wherever its token lies. [R-03]"""
    state.moves[player] -= 1
    state.acted = player


@rule
def warrior(rules: Any, state: Any) -> None:
    """[P2] Take one warrior."""
    player = state.decider
    receive(rules, state, player, WARRIOR, 0, 1)
    spend(state, player)
