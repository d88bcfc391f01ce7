"""Rallies [7.0]."""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule
from hawaii_env.core.phases import Phase

from .dice import DieRoll
from .names import (
    AID,
    AIDED,
    CANOE,
    CATEGORIES,
    LEADER,
    NEUTRAL_UNIT,
    QUEENITE,
    RALLY,
    RALLY_NEXT,
    RANGERS,
    ROLLED,
)
from .pieces import category, has, mark, offer, set_disrupted, unit_action
from .stages import finish_stage

MAORI_LEADER, QUEENITE_LEADER = CATEGORIES.index("maori"), CATEGORIES.index("queenite")


@rule
def may_aid(rules: Any, state: Any, leader: int, piece: int) -> bool:
    """[7.0] Return True if a leader may help a Disrupted unit of his place to rally."""
    kind = state.kind[piece]
    if state.disrupted[piece] == 0 or has(state, piece, AIDED) or state.owner[piece] != state.owner[leader]:
        return False
    if category(rules, state, leader) == QUEENITE_LEADER:
        return kind in (QUEENITE, CANOE)
    return kind < NEUTRAL_UNIT


@rule
def aided_face(rules: Any, state: Any, leader: int, kind: int) -> int:
    """[7.0, R-16] Return the least face with which a unit rallies that a leader helps."""
    of = category(rules, state, leader)
    if of == MAORI_LEADER:
        return rules.rally_maori
    if of == QUEENITE_LEADER:
        return rules.rally_queenite
    if kind == RANGERS and rules.for_rangers[state.kind[leader] - LEADER] == 1:
        return rules.rally_ranger
    return rules.rally_british


@rule
def aid(rules: Any, state: Any, leader: int, kind: int) -> None:
    """[7.0] A leader helps a Disrupted unit of a kind in his place."""
    piece = state.first[state.place[leader]]
    while state.kind[piece] != kind or not may_aid(rules, state, leader, piece):
        piece = state.next[piece]
    mark(state, piece, AIDED)
    state.face[piece] = aided_face(rules, state, leader, kind)


@rule
def next_leader(rules: Any, state: Any) -> int:
    """[7.0] Return the first leader of the mover, in the order of the file, who has not helped yet; -1 for none."""
    best = -1
    for piece in range(state.pieces):
        leads = state.kind[piece] >= LEADER and state.owner[piece] == state.half and state.place[piece] < rules.box
        if leads and not has(state, piece, ROLLED) and (best < 0 or state.kind[piece] < state.kind[best]):
            best = piece
    return best


@rule
def rolls_before(state: Any, piece: int, other: int) -> bool:
    """[7.0] Return True if of two Disrupted units this one rolls first: by place, then kind; of one kind those helped
    first, the surer first.
    """
    if state.place[piece] != state.place[other]:
        return state.place[piece] < state.place[other]
    if state.kind[piece] != state.kind[other]:
        return state.kind[piece] < state.kind[other]
    if state.face[piece] == 0 or state.face[other] == 0:
        return state.face[piece] > state.face[other]
    return state.face[piece] < state.face[other]


@rule
def next_to_roll(rules: Any, state: Any) -> int:
    """[7.0] Return the Disrupted unit of the mover that rolls next; -1 for none."""
    best = -1
    for piece in range(state.pieces):
        rolls = state.disrupted[piece] == 1 and state.owner[piece] == state.half and state.place[piece] < rules.box
        if rolls and not has(state, piece, ROLLED) and (best < 0 or rolls_before(state, piece, best)):
            best = piece
    return best


class RallyNext(Phase):
    """[7.0] Leaders help, then each Disrupted unit rolls."""

    @staticmethod
    def run(rules: Any, state: Any) -> None:
        leader = next_leader(rules, state)
        if leader < 0:
            state.piece = next_to_roll(rules, state)
            state.phase, state.decider = RALLY, -1
            if state.piece < 0:
                finish_stage(rules, state)
            return
        mark(state, leader, ROLLED)
        first, kinds, piece = -1, 0, state.first[state.place[leader]]
        while piece >= 0:
            if may_aid(rules, state, leader, piece) and state.kind[piece] != first:
                first = state.kind[piece]
                kinds += 1
            piece = state.next[piece]
        if kinds == 1:
            aid(rules, state, leader, first)
        elif kinds > 1:
            state.piece, state.decider, state.phase = leader, state.half, AID


class Aid(Phase):
    """[7.0] The Disrupted unit that a leader helps."""

    @staticmethod
    def legal(rules: Any, state: Any) -> int:
        n, piece = 0, state.first[state.place[state.piece]]
        while piece >= 0:
            if may_aid(rules, state, state.piece, piece):
                n = offer(state, n, unit_action(state, piece))
            piece = state.next[piece]
        return n

    @staticmethod
    def apply(rules: Any, state: Any, action: int) -> None:
        piece = state.first[state.place[state.piece]]
        while unit_action(state, piece) != action or not may_aid(rules, state, state.piece, piece):
            piece = state.next[piece]
        aid(rules, state, state.piece, state.kind[piece])
        state.piece, state.phase = -1, RALLY_NEXT


class Rally(DieRoll):
    """[7.0] Chance: the die of a Disrupted unit."""

    @staticmethod
    def apply(rules: Any, state: Any, outcome: int) -> None:
        piece = state.piece
        mark(state, piece, ROLLED)
        least = state.face[piece] if state.face[piece] > 0 else rules.rally_alone
        if outcome >= least:
            set_disrupted(rules, state, piece, 0)
        state.piece, state.phase = -1, RALLY_NEXT
