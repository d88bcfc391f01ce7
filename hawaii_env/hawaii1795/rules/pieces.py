"""Places of pieces, and how they move, fall and change sides [3.0, 4.0].

Everything that changes a piece's place or owner goes through here, so that the counts by space stay true.
"""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule

from .names import (
    ALLIED,
    BOX,
    DEAD,
    K_KAIANA,
    K_KALANI,
    K_KAMEHAMEHA,
    K_KAUAI_CANOE,
    K_KAUAI_WARRIOR,
    KAMEHAMEHA,
    KAUAI,
    N_PIECES,
    N_SPACES,
    NEUTRAL,
    ORIGIN_NONE,
    ORIGIN_TURNED,
    OVER,
    R_CHIEFS_DEAD,
    R_KAMEHAMEHA_DEAD,
    SEA,
)


@rule
def _count(rules: Any, state: Any, piece: int, place: int, n: int) -> None:
    """Add a piece (n = 1) to the counts of a place, or take it away (n = -1)."""
    if place < N_SPACES:
        owner = state.owner[piece]
        if rules.canoe[piece]:
            state.canoes[owner][place] += n
        else:
            state.units[owner][place] += n
            if rules.leader[piece]:
                state.leaders[owner][place] += n
    elif place >= SEA and rules.canoe[piece]:
        state.at_sea[place - SEA] += n


@rule
def move_piece(rules: Any, state: Any, piece: int, place: int) -> None:
    """Put a piece into a place."""
    _count(rules, state, piece, state.place[piece], -1)
    state.place[piece] = place
    _count(rules, state, piece, place, 1)


@rule
def clear_marks(state: Any, piece: int) -> None:
    """Take every mark off a piece."""
    state.arrived_from[piece] = ORIGIN_NONE
    state.panicked[piece] = 0
    state.carried[piece] = 0
    state.marched[piece] = 0
    state.fired[piece] = 0


@rule
def send_home(rules: Any, state: Any, piece: int) -> None:
    """[8.2, 9.0, 11.3] Send a piece to its side's box; leaders and Kaua'i pieces never return, they are dead."""
    clear_marks(state, piece)
    if rules.leader[piece] or rules.side[piece] == NEUTRAL:
        move_piece(rules, state, piece, DEAD)
    else:
        move_piece(rules, state, piece, BOX)


@rule
def eliminate(rules: Any, state: Any, piece: int) -> None:
    """[11.3, 5.2] Eliminate a piece; sudden death follows at once, also in the middle of a battle."""
    send_home(rules, state, piece)
    if rules.leader[piece]:
        if state.place[rules.first[K_KAMEHAMEHA]] == DEAD:
            finish(state, ALLIED, R_KAMEHAMEHA_DEAD)
        elif state.place[rules.first[K_KALANI]] == DEAD and state.place[rules.first[K_KAIANA]] == DEAD:
            finish(state, KAMEHAMEHA, R_CHIEFS_DEAD)


@rule
def finish(state: Any, winner: int, reason: int) -> None:
    """[5.0] End the game."""
    if state.winner < 0:
        state.winner = winner
        state.reason = reason
        state.phase = OVER


@rule
def attacker(state: Any) -> int:
    """[11.0] Return the side whose half of the turn it is: it moves, and it attacks."""
    return state.half


@rule
def defender(state: Any) -> int:
    """[11.0] Return the other side: the enemy of whoever moves."""
    return 1 - state.half


@rule
def units_in(state: Any, side: int, space: int) -> int:
    """Count the pieces of a side in a space that are not canoes."""
    return state.units[side][space]


@rule
def canoes_in(state: Any, side: int, space: int) -> int:
    """Count the canoes of a side in a space."""
    return state.canoes[side][space]


@rule
def pieces_in(state: Any, side: int, space: int) -> int:
    """Count all pieces of a side in a space."""
    return state.units[side][space] + state.canoes[side][space]


@rule
def occupies(state: Any, side: int, space: int) -> bool:
    """[R-07] Return True if a unit of the side is there and no unit of the enemy."""
    return state.units[side][space] > 0 and state.units[1 - side][space] == 0


@rule
def neutral_in(state: Any, space: int) -> int:
    """Count the pieces of neutral Kaua'i in a space."""
    return state.units[NEUTRAL][space] + state.canoes[NEUTRAL][space]


@rule
def contested(state: Any, space: int) -> bool:
    """[11.0] Return True if units of both sides stand there."""
    return state.units[0][space] > 0 and state.units[1][space] > 0


@rule
def kauai_pieces_alive(rules: Any, state: Any) -> int:
    """Count the living pieces of Kaua'i."""
    n = 0
    for kind in (K_KAUAI_WARRIOR, K_KAUAI_CANOE):
        for i in range(rules.count[kind]):
            if state.place[rules.first[kind] + i] != DEAD:
                n += 1
    return n


@rule
def join(rules: Any, state: Any, side: int) -> None:
    """[2.0, 8.2, R-16, R-23] Let Kaua'i's pieces join a side where they stand; among enemies they are marked as
    turned.
    """
    left = state.kauai
    for piece in range(N_PIECES):
        if rules.side[piece] == NEUTRAL:
            place = state.place[piece]
            _count(rules, state, piece, place, -1)
            state.owner[piece] = side
            _count(rules, state, piece, place, 1)
    state.kauai = side
    if left != NEUTRAL:
        for piece in range(N_PIECES):
            if rules.side[piece] == NEUTRAL and not rules.canoe[piece] and state.place[piece] < N_SPACES:
                if units_in(state, left, state.place[piece]) > 0:
                    state.arrived_from[piece] = ORIGIN_TURNED


@rule
def kauai_is_neutral_at(state: Any, space: int) -> bool:
    """[R-16] Return True if neutral Kaua'i stands in this space."""
    return space == KAUAI and state.kauai == NEUTRAL and neutral_in(state, space) > 0


@rule
def recount(rules: Any, state: Any) -> None:
    """Count the pieces by place anew, from their places."""
    for space in range(N_SPACES):
        state.at_sea[space] = 0
        for owner in range(3):
            state.units[owner][space] = 0
            state.canoes[owner][space] = 0
            state.leaders[owner][space] = 0
    for piece in range(N_PIECES):
        _count(rules, state, piece, state.place[piece], 1)
