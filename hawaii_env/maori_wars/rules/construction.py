"""Construction: a new structure, an upgrade, or a repair [12.0]."""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule
from hawaii_env.core.phases import Phase, list_places

from .actions import PASS
from .names import (
    BRITISH,
    FORT,
    MAORI,
    MILITIA,
    NO_STRUCTURE,
    NO_TOWN,
    QUEENITE,
    QUEENITE_VILLAGE,
    SETTLEMENT,
    STRUCTURE,
    UNTAKEN,
    VILLAGE,
    WARRIOR,
)
from .pieces import distance, enemy_near, first_of, has_unit, offer, set_structure, structure_owner
from .stages import finish_stage
from .victory import award

BUILD_SETTLEMENT, BUILD_FORT, BUILD_VILLAGE, BUILD_PA, REPAIR = range(5)
"""The actions `structure`."""


@rule
def is_disturbed(rules: Any, state: Any, player: int, hex_: int) -> bool:
    """[12.0] Return True if an enemy unit is in a hex or next to it, or a ready enemy structure next to it."""
    enemy = 1 - player
    if has_unit(state, enemy, hex_) or enemy_near(rules, state, player, hex_):
        return True
    for side in range(6):
        near = rules.neighbour[hex_][side]
        if near >= 0:
            if structure_owner(state, near) == enemy and state.damaged[near] == 0:
                return True
            if player == MAORI and state.town[near] == UNTAKEN:
                return True
    return False


@rule
def has_structure(state: Any, player: int, hex_: int) -> bool:
    """[12.0, R-41] Return True if a player has a structure in a hex, an untaken town too."""
    return structure_owner(state, hex_) == player or (player == BRITISH and state.town[hex_] == UNTAKEN)


@rule
def has_ready(state: Any, kind: int, hex_: int) -> bool:
    """[12.0] Return True if a ready unit of a kind is in a hex."""
    piece = first_of(state, hex_, kind)
    return piece >= 0 and state.disrupted[piece] == 0


@rule
def may_found(rules: Any, state: Any, player: int, hex_: int) -> bool:
    """[12.0] Return True if a new structure of a player may stand in a hex: designated, without structure or town, near
    another one.
    """
    if state.structure[hex_] != NO_STRUCTURE or state.town[hex_] != NO_TOWN or rules.designated[hex_] == 0:
        return False
    for other in range(state.hexes):
        if has_structure(state, player, other) and distance(rules, hex_, other) <= rules.build_range:
            return True
    return False


@rule
def has_counter(rules: Any, state: Any, structure: int) -> bool:
    """[12.0] Return True if a counter of a structure is left."""
    return state.structures[structure] < rules.structure_counters[structure]


@rule
def result_of(state: Any, player: int, hex_: int, what: int) -> int:
    """[12.0] Return the structure that something built makes in a hex."""
    if what == BUILD_SETTLEMENT:
        return SETTLEMENT
    if what == BUILD_FORT:
        return FORT
    village = VILLAGE if player == MAORI else QUEENITE_VILLAGE
    return village if what == BUILD_VILLAGE else village + 1


@rule
def can_build(rules: Any, state: Any, player: int, hex_: int, what: int) -> bool:
    """[12.0, R-21] Return True if a player may build something in a hex."""
    structure, ready = state.structure[hex_], state.damaged[hex_] == 0
    if what == REPAIR:
        return structure_owner(state, hex_) == player and not ready
    if what == BUILD_SETTLEMENT:
        right = player == BRITISH and has_ready(state, MILITIA, hex_) and may_found(rules, state, player, hex_)
    elif what == BUILD_FORT:
        town = state.town[hex_] == UNTAKEN and structure == NO_STRUCTURE
        right = player == BRITISH and state.forts_built < rules.fort_limit
        right = right and (town or (structure == SETTLEMENT and ready))
    elif what == BUILD_VILLAGE:
        builder = WARRIOR if player == MAORI else QUEENITE
        right = has_ready(state, builder, hex_) and may_found(rules, state, player, hex_)
    else:
        right = structure == (VILLAGE if player == MAORI else QUEENITE_VILLAGE) and ready
    if not right or not has_counter(rules, state, result_of(state, player, hex_, what)):
        return False
    return not is_disturbed(rules, state, player, hex_)


@rule
def can_build_any(rules: Any, state: Any, hex_: int) -> bool:
    """[12.0] Return True if the mover may build something in a hex."""
    player = state.half
    if state.count[player][hex_] == 0 and not has_structure(state, player, hex_):
        return False
    for what in range(5):
        if can_build(rules, state, player, hex_, what):
            return True
    return False


class Build(Phase):
    """[12.0] A hex where something is built, or `pass`."""

    legal = list_places(can_build_any, "do_build", PASS)

    @staticmethod
    def apply(rules: Any, state: Any, action: int) -> None:
        if action == PASS:
            finish_stage(rules, state)
        else:
            state.hex, state.phase = action - rules.do_build, STRUCTURE


class Structure(Phase):
    """[12.0] The structure that is built; a fort costs its player a point."""

    @staticmethod
    def legal(rules: Any, state: Any) -> int:
        n = 0
        for what in range(5):
            if can_build(rules, state, state.half, state.hex, what):
                n = offer(state, n, rules.do_structure + what)
        return n

    @staticmethod
    def apply(rules: Any, state: Any, action: int) -> None:
        hex_, what = state.hex, action - rules.do_structure
        if what == REPAIR:
            state.damaged[hex_] = 0
        else:
            set_structure(state, hex_, result_of(state, state.half, hex_, what))
            if what == BUILD_FORT:
                state.forts_built += 1
                award(rules, state, 1 - state.half, rules.fort_cost)
        state.hex = -1
        finish_stage(rules, state)
