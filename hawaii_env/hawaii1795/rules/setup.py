"""Setting up [6.0, 6.1, 6.2 (printed as 5.2)]: who starts where, and what the sides place themselves."""

from __future__ import annotations

from typing import Any

from hawaii_env.codec import action2, indices2
from hawaii_env.core.jit import rule

from .actions import (
    KIND_OF_UNIT,
    PLACE,
    PLACED_CANOE,
    ROUTE_FROM,
    SETUP_SPACES,
    UNIT_OF_KIND,
    add_legal,
)
from .names import (
    ALL_CARDS,
    ALLIED,
    BOX,
    K_KAIANA_WARRIORS,
    KAMEHAMEHA,
    N_KINDS,
    N_PIECES,
    N_SPACES,
    NEUTRAL,
    SETUP,
    SPACES,
    TURN_START,
)
from .pieces import clear_marks, move_piece, recount
from .tables import PLACED_ON

SPACE_OF_SETUP: Any = tuple(SPACES.index(s) for s in SETUP_SPACES)


@rule
def set_up(rules: Any, state: Any) -> None:
    """[6.0] Put every piece to its start place; what is placed by its owner waits in the box. The generators go on."""
    for piece in range(N_PIECES):
        clear_marks(state, piece)
        state.owner[piece] = rules.side[piece]
        start = rules.start[piece]
        state.place[piece] = BOX if start >= PLACED_ON else start
    state.kauai = NEUTRAL
    recount(rules, state)
    state.month = rules.first_month
    state.half = KAMEHAMEHA
    state.winner = -1
    state.reason = 0
    state.card = -1
    state.fixed = 0
    state.advantage_bonus = 0
    state.gunpowder_bonus = 0
    state.no_sighting = 0
    state.homes = 0
    state.window = 0
    for i in range(N_KINDS + 2):
        state.want[i] = 0
    for side in (KAMEHAMEHA, ALLIED):
        state.left[side] = ALL_CARDS
        state.held[side] = 0
        state.event_played[side] = 0
        state.setup_choice[side] = rules.choose[side]
        state.pike_used[side] = 0
    state.fleet_moves = 0
    state.fleet = -1
    state.pickup = -1
    state.aboard_units = 0
    state.aboard_leaders = 0
    clear_battle(state)
    state.refuge = -1
    state.next_phase = TURN_START
    state.decisions = 0
    state.decider = KAMEHAMEHA
    state.phase = SETUP


@rule
def clear_battle(state: Any) -> None:
    """Forget the battle."""
    state.field = -1
    state.battle = 0
    state.second = 0
    state.earthworks = 0
    state.war_canoes = 0
    state.war_units = 0
    state.war_leaders = 0
    state.first_die = 0
    state.advantage = -1
    state.turn_side = 0
    state.guns = 0
    state.firing = 0
    state.firer = -1
    state.dice = 0
    state.pending_retreat = 0
    state.from_space = -1
    state.canoes_lost = 0


@rule
def next_to_place(rules: Any, state: Any) -> int:
    """[R-06, R-31] Return the next piece that its owner places; -1 when the fixed ones are done."""
    piece = state.setup_piece
    while piece < N_PIECES and rules.side[piece] == state.decider:
        if rules.start[piece] >= PLACED_ON and state.place[piece] == BOX:
            return piece
        piece += 1
    return -1


@rule
def begin_setup_of(rules: Any, state: Any, side: int) -> None:
    """[R-06] Let a side begin to place its pieces."""
    state.decider = side
    piece = 0
    while rules.side[piece] != side:
        piece += 1
    state.setup_piece = piece


@rule
def place_action(rules: Any, kind: int, space: int) -> int:
    """Return the action that places a piece of a kind in a space of a two-space island."""
    unit = UNIT_OF_KIND[kind]
    if unit < 0:
        unit = PLACED_CANOE
    return action2(PLACE, unit, ROUTE_FROM[space])


@rule
def setup_actions(rules: Any, state: Any) -> None:
    """[6.0, 6.2, R-06] List the places of the next piece; then each warrior of choice and its place.

    Kinds of canoe never collide: one piece is placed at a time.
    """
    piece = next_to_place(rules, state)
    if piece >= 0:
        for space in range(N_SPACES):
            if rules.island[space] == rules.start[piece] - PLACED_ON:
                add_legal(state, place_action(rules, rules.kind[piece], space))
        return
    side = state.decider
    if state.setup_choice[side] > 0:
        for kind in range(N_KINDS):
            piece = rules.first[kind]
            if rules.count[kind] and rules.warrior[piece] and rules.side[piece] == side and kind != K_KAIANA_WARRIORS:
                if _in_box(rules, state, kind) >= 0:
                    for space in range(N_SPACES):
                        if rules.island[space] == rules.choose_island[side]:
                            add_legal(state, place_action(rules, kind, space))


@rule
def _in_box(rules: Any, state: Any, kind: int) -> int:
    """Return a piece of the kind in the box that is not placed by rule, or -1."""
    for i in range(rules.count[kind]):
        piece = rules.first[kind] + i
        if state.place[piece] == BOX and rules.start[piece] < PLACED_ON:
            return piece
    return -1


@rule
def do_place(rules: Any, state: Any, action: int) -> None:
    """[6.0] Place the piece that the action names."""
    name, at = indices2(PLACE, action)
    piece = next_to_place(rules, state)
    if piece < 0:
        kind = KIND_OF_UNIT[state.decider][name]  # warriors of choice are not canoes
        piece = _in_box(rules, state, kind)
        state.setup_choice[state.decider] -= 1
    else:
        state.setup_piece = piece + 1
    move_piece(rules, state, piece, SPACE_OF_SETUP[at])


@rule
def setup_done(rules: Any, state: Any) -> None:
    """[6.0] Go on to the other side, or to the first turn: the side has nothing more to place."""
    if state.decider == KAMEHAMEHA:
        begin_setup_of(rules, state, ALLIED)
    else:
        state.phase = TURN_START
