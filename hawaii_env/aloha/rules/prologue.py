"""The set-up and the Prologue, up to its battle [SU, P1, P2]."""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule

from .names import PROLOGUE, PROLOGUE_ACTION, SETTLE, WARRIOR
from .state import (
    ACTED,
    CARDS_OF,
    DECIDES,
    FIRST,
    FROM,
    KING_OF,
    MOVES,
    ORDER,
    PHASE,
    STAGE,
    T_MOVES,
    T_PLACED,
    T_PLAYERS,
    TO,
    TOKENS,
    WORDS,
    receive,
)  # fmt: skip


@rule
def set_up(s: Any) -> None:
    """[SU] Nothing on the board, all markers on 0; who begins is chance, equally likely [P1]. Dice have no colours that
    matter. [R-24]
    """
    for at in range(WORDS):
        s[at] = 0
    for at in (FIRST, ACTED, DECIDES, FROM, TO, KING_OF):
        s[at] = -1
    for card in range(24):
        s[CARDS_OF + card] = -1
    s[STAGE] = PROLOGUE


@rule
def begin(t: Any, s: Any, first: int) -> None:
    """[P1] The first player is known; the order is clockwise from there."""
    s[FIRST] = first
    for place in range(t[T_PLAYERS]):
        s[ORDER + place] = (first + place) % t[T_PLAYERS]
        s[MOVES + place] = t[T_MOVES]
    s[PHASE], s[DECIDES] = SETTLE, first


@rule
def is_settled(t: Any, s: Any, island: int) -> bool:
    """[P1] True where somebody has settled: one player an island. Later it may be shared. [R-25]"""
    for player in range(t[T_PLAYERS]):
        if s[TOKENS + 5 * player + island] > 0:
            return True
    return False


@rule
def settle(t: Any, s: Any, island: int) -> None:
    """[P1] 20 tokens go to the island; the next player settles, after the last one actions begin."""
    player = s[DECIDES]
    s[TOKENS + 5 * player + island] = t[T_PLACED]
    following = (player + 1) % t[T_PLAYERS]
    s[ACTED], s[DECIDES] = player, following
    if following == s[FIRST]:
        s[ACTED], s[PHASE] = -1, PROLOGUE_ACTION


@rule
def next_mover(t: Any, s: Any) -> int:
    """[P2] Who acts next: in order one action each, then a second one each; -1 when all have acted. [R-03]"""
    best, most = -1, 0
    for place in range(t[T_PLAYERS]):
        player = s[ORDER + place]
        if s[MOVES + player] > most:
            best, most = player, s[MOVES + player]
    return best


@rule
def spend(s: Any, player: int) -> None:
    """[P2] An action is used, wherever its token lies. [R-03]"""
    s[MOVES + player] -= 1
    s[ACTED] = player


@rule
def warrior(t: Any, s: Any) -> None:
    """[P2] Take one warrior."""
    player = s[DECIDES]
    receive(t, s, player, WARRIOR, 0, 1)
    spend(s, player)
