"""Recruiting [9.0]: pieces from the box, one by one, and where they may come."""

from __future__ import annotations

from typing import Any

from hawaii_env.codec import action2, indices2
from hawaii_env.core.jit import rule

from .actions import (
    CANOE_OF_KIND,
    KIND_OF_CANOE,
    KIND_OF_UNIT,
    N_PLACED_UNITS,
    PLACED_CANOE,
    RECRUIT_,
    UNIT_OF_KIND,
    add_legal,
)
from .cards import kaiana_entered
from .names import (
    BOX,
    FX_RECRUIT_AMONG,
    K_KAIANA_WARRIORS,
    N_KINDS,
    N_SPACES,
    ORIGIN_TURNED,
    RECRUIT,
    WANT_CANOE,
    WANT_WARRIOR,
    WITHDRAWALS,
)
from .pieces import defender, move_piece, pieces_in, units_in


@rule
def wanted_as(rules: Any, state: Any, kind: int) -> int:
    """[8.1] Return the entry of the recruit line that asks for a kind: the kind itself before its class; -1 if none
    does.
    """
    if state.want[kind] > 0:
        return kind
    first = rules.first[kind]
    if rules.warrior[first] and state.want[WANT_WARRIOR] > 0:
        if kind != K_KAIANA_WARRIORS or kaiana_entered(rules, state):
            return WANT_WARRIOR
    if rules.canoe[first] and state.want[WANT_CANOE] > 0:
        return WANT_CANOE
    return -1


@rule
def in_box(rules: Any, state: Any, kind: int) -> int:
    """Return a piece of a kind in the box, or -1."""
    for i in range(rules.count[kind]):
        piece = rules.first[kind] + i
        if state.place[piece] == BOX:
            return piece
    return -1


@rule
def among_enemies_allowed(rules: Any, state: Any, kind: int, space: int) -> bool:
    """[8.2] Return True if the card in effect lets this kind come to this space even among enemies."""
    card = state.card
    if rules.effect[card] != FX_RECRUIT_AMONG:
        return False
    args = rules.effect_args[card]
    return (args[0] >> kind) & 1 == 1 and (args[1] >> space) & 1 == 1


@rule
def may_recruit_at(rules: Any, state: Any, piece: int, space: int) -> bool:
    """[9.0, R-10] Return True for a space with a leader or on the home island, never among enemies unless the card says
    so.
    """
    side = state.half
    if among_enemies_allowed(rules, state, rules.kind[piece], space):
        return True
    if pieces_in(state, 1 - side, space) > 0:
        return False
    return state.leaders[side][space] > 0 or (rules.home[piece] >> space) & 1 == 1


@rule
def recruit_actions(rules: Any, state: Any) -> None:
    """[9.0] List every kind asked for and in the box, with every place where it may come; without any recruiting is
    over.

    Kinds of canoe of one side may collide in a place; then each goes by its own name.
    """
    for kind in range(N_KINDS):
        if rules.count[kind] and rules.side[rules.first[kind]] == state.half:
            if wanted_as(rules, state, kind) >= 0:
                piece = in_box(rules, state, kind)
                if piece >= 0:
                    for space in range(N_SPACES):
                        if may_recruit_at(rules, state, piece, space):
                            if rules.canoe[piece]:
                                name = N_PLACED_UNITS + CANOE_OF_KIND[kind]
                            else:
                                name = UNIT_OF_KIND[kind]
                            add_legal(state, action2(RECRUIT_, name, space))
    plain_canoes(state)


@rule
def plain_canoes(state: Any) -> None:
    """Turn canoe names that do not collide in their place into `canoe`."""
    for i in range(state.n_legal):
        name, space = indices2(RECRUIT_, state.legal[i])
        if name > PLACED_CANOE:
            alone = True
            for j in range(state.n_legal):
                other, there = indices2(RECRUIT_, state.legal[j])
                if j != i and other >= PLACED_CANOE and there == space:
                    alone = False
            if alone:
                state.legal[i] = action2(RECRUIT_, PLACED_CANOE, space)


@rule
def do_recruit(rules: Any, state: Any, action: int) -> None:
    """[9.0] Bring the piece from the box to its place."""
    name, space = indices2(RECRUIT_, action)
    if name < N_PLACED_UNITS:
        kind = KIND_OF_UNIT[state.half][name]
    else:
        kind = _canoe_kind(rules, state, name - N_PLACED_UNITS, space)
    state.want[wanted_as(rules, state, kind)] -= 1
    piece = in_box(rules, state, kind)
    if units_in(state, defender(state), space) > 0:
        state.arrived_from[piece] = ORIGIN_TURNED
    move_piece(rules, state, piece, space)
    state.phase = WITHDRAWALS
    state.next_phase = RECRUIT


@rule
def _canoe_kind(rules: Any, state: Any, name: int, space: int) -> int:
    """Return the kind of canoe that a name stands for: `canoe` is the side's own kind, or the only one that may come
    there.
    """
    kind = KIND_OF_CANOE[name]
    if rules.count[kind] and rules.side[rules.first[kind]] == state.half and wanted_as(rules, state, kind) >= 0:
        return kind
    for kind in range(N_KINDS):
        if rules.count[kind] and rules.side[rules.first[kind]] == state.half and rules.canoe[rules.first[kind]]:
            if wanted_as(rules, state, kind) >= 0:
                piece = in_box(rules, state, kind)
                if piece >= 0 and may_recruit_at(rules, state, piece, space):
                    return kind
    return -1


@rule
def recruiting_done(state: Any) -> None:
    """[9.0] Forget the recruits that could not come."""
    for want in range(N_KINDS + 2):
        state.want[want] = 0
