"""Attrition: British units out of supply, and warriors whom no structure feeds [13.0]."""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule
from hawaii_env.core.phases import Phase

from .names import (
    BRITISH,
    FORT,
    GUNBOAT,
    MAORI,
    OFF,
    QUEENITE,
    SETTLEMENT,
    STARVE,
    STARVE_CHECK,
    STARVE_UNIT,
    SUPPLY,
    SUPPLY_UNIT,
    UNTAKEN,
    WARRIOR,
    WATER,
    WET,
)
from .pieces import (
    LAND,
    PROPER,
    first_of,
    has_unit,
    is_land_unit,
    leave_map,
    offer,
    structure_owner,
    unit_action,
)
from .reinforcement import in_play, supplied
from .results import disrupt_one, find_unit
from .stages import finish_stage

CENTRE, DISC = 18, 37
"""Of the hexes within 3: the index of the hex itself, and how many they are."""


# Supply


@rule
def is_source(state: Any, hex_: int, wet: bool) -> bool:
    """[13.0, R-11, R-41] Return True if a hex supplies British units: an untaken town, a settlement, a fort; over water
    only with a gunboat there.
    """
    if state.town[hex_] != UNTAKEN and state.structure[hex_] != SETTLEMENT and state.structure[hex_] != FORT:
        return False
    return not wet or first_of(state, hex_, GUNBOAT) >= 0


@rule
def stops_supply(state: Any, hex_: int) -> bool:
    """[13.0] Return True if a Māori unit, canoes too, or structure is in a hex."""
    return structure_owner(state, hex_) == MAORI or has_unit(state, MAORI, hex_)


@rule
def is_line(rules: Any, state: Any, hex_: int, wet: bool) -> bool:
    """[13.0] Return True if a line leads from a hex to a source, over land alone or over water too.

    The hexes within 3 are bits of a number: those on the edge of what is reached, and those that have been.
    """
    edge, seen = 1 << CENTRE, 1 << CENTRE
    if is_source(state, hex_, wet):
        return True
    for _ in range(rules.supply_range):
        ahead = 0
        for at in range(DISC):
            if (edge >> at) & 1 == 0:
                continue
            here = rules.around[hex_][at]
            for side in range(6):
                to = rules.around_step[at][side]
                if to < 0 or (seen >> to) & 1 == 1:
                    continue
                there = rules.around[hex_][to]
                if there == OFF:
                    continue
                by_water = (
                    here == WET
                    or there == WET
                    or (here >= 0 and rules.side[here][side] >= WATER)
                    or (there >= 0 and rules.side[there][(side + 3) % 6] >= WATER)
                )
                if (by_water and not wet) or (there >= 0 and stops_supply(state, there)):
                    continue
                if there >= 0 and is_source(state, there, wet):
                    return True
                ahead |= 1 << to
                seen |= 1 << to
        edge = ahead
    return False


@rule
def is_cut_off(rules: Any, state: Any, hex_: int) -> bool:
    """[13.0] Return True if British land units, no Queenites, are in a hex and out of supply."""
    if (state.count[BRITISH][hex_] & LAND) // PROPER == 0:
        return False
    return not is_line(rules, state, hex_, False) and not is_line(rules, state, hex_, True)


@rule
def begin_attrition(rules: Any, state: Any) -> None:
    """[13.0] Ask for the British unit out of supply that is Disrupted, if there are any; then for warriors."""
    state.phase, state.decider = STARVE_CHECK, state.half
    if state.half == BRITISH:
        for hex_ in range(state.hexes):
            if is_cut_off(rules, state, hex_):
                state.phase = SUPPLY
                return


class Supply(Phase):
    """[13.0, R-22] The hex of a British unit out of supply, which becomes Disrupted."""

    @staticmethod
    def legal(rules: Any, state: Any) -> int:
        n = 0
        for hex_ in range(state.hexes):
            if is_cut_off(rules, state, hex_):
                state.legal[n] = rules.do_from + hex_
                n += 1
        return n

    @staticmethod
    def apply(rules: Any, state: Any, action: int) -> None:
        state.hex, state.phase = action - rules.do_from, SUPPLY_UNIT


class SupplyUnit(Phase):
    """[13.0] The unit there; one that is Disrupted already may panic [11.0]."""

    @staticmethod
    def legal(rules: Any, state: Any) -> int:
        n, piece = 0, state.first[state.hex]
        while piece >= 0:
            if is_land_unit(state, piece) and state.owner[piece] == BRITISH and state.kind[piece] != QUEENITE:
                n = offer(state, n, unit_action(state, piece))
            piece = state.next[piece]
        return n

    @staticmethod
    def apply(rules: Any, state: Any, action: int) -> None:
        piece = find_unit(state, BRITISH, state.hex, action)
        state.hex = -1
        disrupt_one(rules, state, piece, STARVE_CHECK)


# Warriors without a structure


@rule
def hungry_kind(state: Any) -> int:
    """[13.0] Return the kind whose structures are counted in this half."""
    return WARRIOR if state.half == MAORI else QUEENITE


class StarveCheck(Phase):
    """[13.0] Are there more warriors, or Queenites, than their structures feed?"""

    @staticmethod
    def run(rules: Any, state: Any) -> None:
        kind = hungry_kind(state)
        if in_play(rules, state, kind) > supplied(rules, state, kind):
            state.phase, state.decider = STARVE, state.half
        else:
            finish_stage(rules, state)


class Starve(Phase):
    """[13.0] The hex or territory of the warriors of whom one is removed."""

    @staticmethod
    def legal(rules: Any, state: Any) -> int:
        n, kind = 0, hungry_kind(state)
        for place in range(rules.hexes, rules.box):
            if first_of(state, place, kind) >= 0:
                state.legal[n] = rules.do_territory + place - rules.hexes
                n += 1
        for hex_ in range(state.hexes):
            if first_of(state, hex_, kind) >= 0:
                state.legal[n] = rules.do_from + hex_
                n += 1
        return n

    @staticmethod
    def apply(rules: Any, state: Any, action: int) -> None:
        if action >= rules.do_from:
            state.hex = action - rules.do_from
        else:
            state.hex = rules.hexes + action - rules.do_territory
        state.phase = STARVE_UNIT


class StarveUnit(Phase):
    """[13.0] The unit that is removed, for no points."""

    @staticmethod
    def legal(rules: Any, state: Any) -> int:
        n, piece, kind = 0, state.first[state.hex], hungry_kind(state)
        while piece >= 0:
            if state.kind[piece] == kind:
                n = offer(state, n, unit_action(state, piece))
            piece = state.next[piece]
        return n

    @staticmethod
    def apply(rules: Any, state: Any, action: int) -> None:
        leave_map(rules, state, find_unit(state, state.half, state.hex, action), rules.out)
        state.hex = -1
        finish_stage(rules, state)
