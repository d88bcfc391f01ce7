"""Strengths of both sides in a combat, and the Combat Results Table [9.0]."""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule

from .names import CHARGED, EQUAL, GREATER, LESSER, PARTICIPANT
from .pieces import has, is_fighting, is_fort_or_pa, land_units, structure_owner

__all__ = [
    "column_of", "count_attackers", "count_side", "fights_on", "has_joined", "is_empty_fort", "ready_fighting",
    "result_of",
]  # fmt: skip


@rule
def has_joined(state: Any, piece: int) -> bool:
    """[9.0] Return True for a participating unit that stands where it was declared."""
    return has(state, piece, PARTICIPANT) and state.origin[piece] == state.place[piece] and is_fighting(state, piece)


@rule
def fights_on(state: Any, piece: int) -> bool:
    """[9.0] Return True for a ready participant that stands where it was declared."""
    return has_joined(state, piece) and state.disrupted[piece] == 0


@rule
def count_side(rules: Any, state: Any, side: int, kind: int, charged: bool) -> int:
    """[9.0] Count the participants across a side of the target that fight on.

    Args:
        side: of the target.
        kind: only these; -1 for all.
        charged: False leaves out cavalry that has charged.
    """
    near, n = rules.land[state.target][side], 0
    if near < 0:
        return 0
    piece = state.first[near]
    while piece >= 0:
        if fights_on(state, piece) and kind in (-1, state.kind[piece]) and (charged or not has(state, piece, CHARGED)):
            n += 1
        piece = state.next[piece]
    return n


@rule
def count_attackers(rules: Any, state: Any, kind: int, charged: bool) -> int:
    """[9.0] Count the participants that fight on; see `count_side`."""
    n = 0
    for side in range(6):
        n += count_side(rules, state, side, kind, charged)
    return n


@rule
def ready_fighting(state: Any, player: int, place: int) -> int:
    """[9.0 step 6] Count a player's ready fighting units in a place."""
    n, piece = 0, state.first[place]
    while piece >= 0:
        n += state.owner[piece] == player and state.disrupted[piece] == 0 and is_fighting(state, piece)
        piece = state.next[piece]
    return n


@rule
def column_of(own: int, other: int) -> int:
    """[9.0] Return the column of the Combat Results Table by the strengths of both sides."""
    if own < other:
        return LESSER
    return EQUAL if own == other else GREATER


@rule
def result_of(rules: Any, column: int, die: int) -> int:
    """[9.0] Return what the Combat Results Table gives for a modified die."""
    return rules.results[column][min(max(die, 0), 8)]


@rule
def is_empty_fort(state: Any, hex_: int) -> bool:
    """[9.0] Return True for a fort or pa without a land unit of its owner."""
    return is_fort_or_pa(state, hex_) and land_units(state, structure_owner(state, hex_), hex_) == 0
