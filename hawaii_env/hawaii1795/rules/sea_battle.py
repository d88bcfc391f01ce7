"""Sea battles [11.7, 11.8]: approach, sighting, the war fleet, and who lands."""

from __future__ import annotations

from typing import Any

from hawaii_env.codec import action1, action2, index1, indices2
from hawaii_env.core.jit import rule

from .actions import (
    APPROACH_,
    CANOE_OF_KIND,
    COMMIT_,
    DONE,
    KIND_OF_CANOE,
    KIND_OF_UNIT,
    LAUNCH_FLEET,
    N_UNITS,
    PASS,
    PLAIN_CANOE,
    UNIT_OF_KIND,
    add_legal,
)
from .cards import canoe_kinds, open_window, playable
from .land_battle import begin_battle
from .movement import land_fleets
from .names import (
    APPROACH,
    COMMIT,
    LAND_FLEET,
    LAND_PHASE,
    LAUNCH,
    N_PIECES,
    N_SPACES,
    ORIGIN_NONE,
    SEA,
    SEA_BATTLE,
    SEA_LOSER,
    SEA_PHASE,
    SEA_START,
    SIGHT_START,
    SIGHTING,
    WAR,
    WINDOW_SIGHTING,
    WITHDRAWALS,
)
from .pieces import canoes_in, defender, move_piece, units_in
from .withdrawal import rally, sea_loser_withdraws


@rule
def begin_sea_phase(rules: Any, state: Any) -> None:
    """[11.7, R-17] Let the attacker choose which invasion is looked for next; without any the land battles follow."""
    state.field = -1
    state.decider = state.half
    state.phase = LAND_PHASE
    for space in range(N_SPACES):
        if state.at_sea[space]:
            state.phase = APPROACH


@rule
def approach_actions(rules: Any, state: Any) -> None:
    """[R-17] List the spaces with fleets before them."""
    for space in range(N_SPACES):
        if state.at_sea[space]:
            add_legal(state, action1(APPROACH_, space))


@rule
def do_approach(rules: Any, state: Any, action: int) -> None:
    """[R-17] Bring in the invasion of a space."""
    state.field = index1(APPROACH_, action)
    state.phase = SIGHT_START


@rule
def could_sail_out(rules: Any, state: Any) -> bool:
    """[11.7] Return True if the defender has a canoe in the space, and a unit there or in the island's other space."""
    space, side = state.field, defender(state)
    if canoes_in(state, side, space) == 0:
        return False
    other = rules.sibling[space]
    return units_in(state, side, space) > 0 or (other >= 0 and units_in(state, side, other) > 0)


@rule
def start_sighting(rules: Any, state: Any) -> None:
    """[11.7, R-17] Ask for the sighting die if one is rolled; before it, for an event held for this moment."""
    if state.no_sighting or not could_sail_out(rules, state):
        state.phase = LAND_FLEET
        return
    state.phase = SIGHTING
    if playable(rules, state, defender(state), WINDOW_SIGHTING):
        open_window(state, defender(state), WINDOW_SIGHTING, SIGHTING)


@rule
def sighted(rules: Any, face: int) -> bool:
    """[11.7] Return True if the die sights a fleet."""
    return face <= rules.sighted_up_to


@rule
def sighting_rolled(rules: Any, state: Any, face: int) -> None:
    """[11.7] Let the defender meet a fleet that is sighted; land any other."""
    if sighted(rules, face):
        state.decider = defender(state)
        state.phase = LAUNCH
    else:
        state.phase = LAND_FLEET


@rule
def fleet_lands(rules: Any, state: Any) -> None:
    """[11.7] Land the invaders; they fight in the battle phase."""
    land_fleets(rules, state, state.field)
    state.field = -1
    state.phase = WITHDRAWALS
    state.next_phase = SEA_PHASE


@rule
def launch_actions(rules: Any, state: Any) -> None:
    """[11.7] List the option of a war fleet."""
    add_legal(state, LAUNCH_FLEET)
    add_legal(state, PASS)


@rule
def do_launch(rules: Any, state: Any, action: int) -> None:
    """[11.7] Launch a war fleet, or let them land."""
    state.phase = COMMIT if action == LAUNCH_FLEET else LAND_FLEET
    state.decider = defender(state)
    state.war_canoes = 0
    state.war_units = 0
    state.war_leaders = 0


@rule
def may_commit(rules: Any, state: Any, piece: int) -> bool:
    """[11.7, R-17, R-35] Return True for a canoe of the space; a unit of the island, within what the canoes hold."""
    space = state.place[piece]
    if space >= N_SPACES or state.owner[piece] != state.decider:
        return False
    if rules.canoe[piece]:
        return space == state.field
    if space != state.field and space != rules.sibling[state.field]:
        return False
    if rules.leader[piece]:
        return state.war_leaders < rules.leaders_a_canoe * state.war_canoes
    return state.war_units < rules.units_a_canoe * state.war_canoes


@rule
def commit_actions(rules: Any, state: Any) -> None:
    """[11.7] List canoes first, then units; done once a unit is in."""
    if state.war_units + state.war_leaders > 0:
        add_legal(state, DONE)
    for piece in range(N_PIECES):
        if state.place[piece] < N_SPACES and may_commit(rules, state, piece):
            kind, space = rules.kind[piece], state.place[piece]
            if rules.canoe[piece]:
                name = CANOE_OF_KIND[kind]
                if canoe_kinds(rules, state, state.decider, space) == 1:
                    name = PLAIN_CANOE
                add_legal(state, action2(COMMIT_, N_UNITS + name, space))
            else:
                add_legal(state, action2(COMMIT_, UNIT_OF_KIND[kind], space))


@rule
def do_commit(rules: Any, state: Any, action: int) -> None:
    """[11.7] Add a piece to the war fleet, or complete it."""
    if action == DONE:
        state.phase = WITHDRAWALS
        state.next_phase = SEA_START
        return
    name, space = indices2(COMMIT_, action)
    only = canoe_kinds(rules, state, state.decider, space) == 1
    for piece in range(N_PIECES):
        if state.place[piece] == space and may_commit(rules, state, piece):
            kind = rules.kind[piece]
            if name < N_UNITS:
                found = kind == KIND_OF_UNIT[state.decider][name]
            else:
                found = rules.canoe[piece] and (only or kind == KIND_OF_CANOE[name - N_UNITS])
            if found:
                state.arrived_from[piece] = 1 + space
                move_piece(rules, state, piece, WAR)
                if rules.canoe[piece]:
                    state.war_canoes += 1
                elif rules.leader[piece]:
                    state.war_leaders += 1
                else:
                    state.war_units += 1
                break


@rule
def begin_sea_battle(rules: Any, state: Any) -> None:
    """[11.8] Begin the sea battle, which is one battle."""
    begin_battle(state, SEA_BATTLE)


@rule
def sea_battle_won(rules: Any, state: Any, side: int) -> None:
    """[11.8] Let a victorious defender return first; then the loser withdraws; a victorious attacker lands after that.

    Canoes that come back alone among enemies withdraw before the loser chooses a refuge [R-15, section 8].
    """
    state.advantage = side
    for piece in range(N_PIECES):
        if state.place[piece] == SEA + state.field or state.place[piece] == WAR:
            rally(state, piece)
    if side == defender(state):
        return_home(rules, state, WAR)
    state.phase = WITHDRAWALS
    state.next_phase = SEA_LOSER


@rule
def sea_loser_leaves(rules: Any, state: Any) -> None:
    """[11.8] Let the side that lost the sea battle withdraw."""
    sea_loser_withdraws(rules, state, 1 - state.advantage)


@rule
def return_home(rules: Any, state: Any, place: int) -> None:
    """[11.8, R-29] Return all pieces of a fleet to where they sailed from."""
    for piece in range(N_PIECES):
        if state.place[piece] == place:
            space = state.arrived_from[piece] - 1
            state.arrived_from[piece] = ORIGIN_NONE
            move_piece(rules, state, piece, space)


@rule
def victor_lands(rules: Any, state: Any) -> None:
    """[11.8, R-18] Land the attacker; where a garrison stayed he returns, unless the option lets him assault it."""
    if units_in(state, defender(state), state.field) > 0 and not rules.assault:
        return_home(rules, state, SEA + state.field)
        state.field = -1
        state.phase = WITHDRAWALS
        state.next_phase = SEA_PHASE
    else:
        fleet_lands(rules, state)
