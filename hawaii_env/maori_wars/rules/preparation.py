"""Preparations of the British movement: the sap marker [6.0] and the shipment [14.0]."""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule
from hawaii_env.core.phases import Phase, list_places

from .actions import DONE, PASS
from .names import BRITISH, MAORI, MOVE, MOVED, PA, SAP_PLACE, SAP_TARGET, SHIP_TARGET, SHIP_UNIT, WATER
from .pieces import (
    GUN,
    LAND,
    PROPER,
    fits,
    has_unit,
    is_boat,
    is_leader,
    is_open,
    land_units,
    mark,
    offer,
    place_piece,
    reduce_structure,
    structure_owner,
    unit_action,
)
from .results import find_unit

# The sap


@rule
def has_sappers(state: Any, hex_: int) -> bool:
    """[6.0, 3.0] Return True if a British land unit, no Queenite, is in a hex."""
    return (state.count[BRITISH][hex_] & LAND) // PROPER > 0


@rule
def can_sap(rules: Any, state: Any, hex_: int) -> bool:
    """[6.0] Return True if a hex holds a Māori pa with a British land unit next to it."""
    if state.structure[hex_] != PA:
        return False
    for side in range(6):
        near = rules.land[hex_][side]
        if near >= 0 and has_sappers(state, near):
            return True
    return False


class Sap(Phase):
    """[6.0, R-12] A sap marker that is on the map is resolved and comes off."""

    @staticmethod
    def run(rules: Any, state: Any) -> None:
        state.decider = state.half
        if state.half == BRITISH and rules.has_sap == 1:
            if state.sap_hex >= 0:
                if state.structure[state.sap_target] == PA and land_units(state, MAORI, state.sap_hex) == 0:
                    reduce_structure(rules, state, state.sap_target)
                state.sap_hex = state.sap_target = -1
            for hex_ in range(state.hexes):
                if can_sap(rules, state, hex_):
                    state.phase = SAP_TARGET
                    return
        to_shipment(rules, state)


class SapTarget(Phase):
    """[6.0] A Māori pa that is sapped, or `pass`."""

    legal = list_places(can_sap, "do_target", PASS)

    @staticmethod
    def apply(rules: Any, state: Any, action: int) -> None:
        if action == PASS:
            to_shipment(rules, state)
        else:
            state.sap_target, state.phase = action - rules.do_target, SAP_PLACE


class SapPlace(Phase):
    """[6.0] The hex of the British unit that the marker lies on."""

    @staticmethod
    def legal(rules: Any, state: Any) -> int:
        n = 0
        for side in range(6):
            near = rules.land[state.sap_target][side]
            if near >= 0 and has_sappers(state, near):
                n = offer(state, n, rules.do_place + near)
        return n

    @staticmethod
    def apply(rules: Any, state: Any, action: int) -> None:
        state.sap_hex = action - rules.do_place
        to_shipment(rules, state)


# The shipment


@rule
def may_ship(rules: Any, state: Any, piece: int, hex_: int) -> bool:
    """[14.0] Return True if a piece of the shipment's hex may sail to a hex: artillery, leaders, and so many other land
    units as are left.
    """
    if state.owner[piece] != BRITISH or is_boat(state, piece) or not fits(rules, state, piece, hex_):
        return False
    return is_leader(state, piece) or rules.weight[state.kind[piece]] >= GUN or state.left > 0


@rule
def can_ship_to(rules: Any, state: Any, hex_: int) -> bool:
    """[14.0] Return True if the shipment may sail to a hex: another one on the coast, open, and with no Māori unit or
    structure next to it but across water; and somebody can sail.
    """
    if rules.coastal[hex_] == 0 or hex_ == rules.ship_from or not is_open(state, BRITISH, hex_):
        return False
    for side in range(6):
        near = rules.neighbour[hex_][side]
        beside = near >= 0 and rules.side[hex_][side] != WATER
        if beside and (has_unit(state, MAORI, near) or structure_owner(state, near) == MAORI):
            return False
    piece = state.first[rules.ship_from]
    while piece >= 0:
        if may_ship(rules, state, piece, hex_):
            return True
        piece = state.next[piece]
    return False


@rule
def to_shipment(rules: Any, state: Any) -> None:
    """[14.0] Ask for the shipment, if it is its turn and it can sail anywhere; else pieces move."""
    state.phase, state.decider, state.left = MOVE, state.half, 0
    if state.half != BRITISH or rules.ship_turn != state.turn:
        return
    state.left = rules.ship_units
    for hex_ in range(state.hexes):
        if can_ship_to(rules, state, hex_):
            state.phase = SHIP_TARGET
            return
    state.left = 0


class ShipTarget(Phase):
    """[14.0, R-52] A coastal hex that the shipment sails to, or `pass`."""

    legal = list_places(can_ship_to, "do_target", PASS)

    @staticmethod
    def apply(rules: Any, state: Any, action: int) -> None:
        if action == PASS:
            state.left, state.phase = 0, MOVE
        else:
            state.target, state.hex, state.phase = action - rules.do_target, -1, SHIP_UNIT


class ShipUnit(Phase):
    """[14.0, R-52] A piece that sails; `done` after the first. They have moved."""

    @staticmethod
    def legal(rules: Any, state: Any) -> int:
        n = 0
        if state.hex == state.target:
            state.legal[0] = DONE
            n = 1
        piece = state.first[rules.ship_from]
        while piece >= 0:
            if may_ship(rules, state, piece, state.target):
                n = offer(state, n, unit_action(state, piece))
            piece = state.next[piece]
        return n

    @staticmethod
    def apply(rules: Any, state: Any, action: int) -> None:
        if action == DONE:
            state.hex = state.target = -1
            state.left, state.phase = 0, MOVE
            return
        piece = find_unit(state, BRITISH, rules.ship_from, action)
        if not is_leader(state, piece) and rules.weight[state.kind[piece]] < GUN:
            state.left -= 1
        place_piece(rules, state, piece, state.target)
        mark(state, piece, MOVED)
        state.points[piece] = 0
        state.hex = state.target  # somebody has sailed
