"""Invariants of every position that play reaches: the fuzzer checks them after every step."""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule

from .names import (
    CANOE,
    FORT,
    GUNBOAT,
    LEADER,
    MAORI,
    NEUTRAL,
    NEUTRAL_UNIT,
    NO_STRUCTURE,
    NO_TOWN,
    QUEENITE,
    SAP_PLACE,
    WARRIOR,
)
from .pieces import (
    fighting,
    first_of,
    is_all_land,
    is_leader,
    is_neutral,
    limit_in,
    structure_owner,
    weight_of,
)

__all__ = ["FAULTS", "fault_in", "fault_of_step"]

FAULTS = (
    "",
    "the chain of a place is broken",
    "what is counted in a hex is not what stands there",
    "a hex is over the stacking limit [4.0]",
    "pieces of both players are in a hex, and not leaders alone [6.0]",
    "a piece is in a hex with neutrals [6.0]",
    "more pieces or structures than counters [12.0]",
    "a chit is in no place, or in two [9.0]",
    "the marker is beyond its bounds [1.0]",
    "a structure other than a fort is on a town [3.0]",
    "a canoe is in an all-land hex without a carrier [6.0]",
    "a unit is Disrupted where it cannot be",
    "more units of a player in the Bush Raider Box than may be there [10.0]",
    "a piece is where its kind cannot be",
    "the sap marker lies without a target [6.0]",
    "more forts were built than may be [14.0]",
    "the turn went back [2.0]",
)
(
    CHAIN, COUNT, STACKED, BOTH, WITH_NEUTRALS, COUNTERS, CHITS, MARKER, ON_TOWN, BEACHED, DISRUPTED, BUSH, KIND, SAP,
    FORTS, WENT_BACK,
) = range(1, 17)  # fmt: skip

TALLY_BITS = 7
"""Bits that count the structures of a kind."""


@rule
def is_bare(state: Any, hex_: int) -> bool:
    """Return True if there is nothing in a hex."""
    if state.first[hex_] >= 0 or state.structure[hex_] != NO_STRUCTURE or state.damaged[hex_] != 0:
        return False
    return state.count[0][hex_] == 0 and state.count[1][hex_] == 0 and state.count[2][hex_] == 0


@rule
def fault_of_place(rules: Any, state: Any, place: int) -> int:
    """Return the number of what does not hold of the pieces of a place, 0 if all does."""
    piece, last, seen, inside = state.first[place], -1, 0, 0
    counts = 0
    while piece >= 0:
        seen += 1
        key = 2 * state.kind[piece] + state.disrupted[piece]
        if seen > state.pieces or state.place[piece] != place or key < last:
            return CHAIN
        last, owner, kind = key, state.owner[piece], state.kind[piece]
        if state.disrupted[piece] == 1 and (place >= rules.box or kind >= NEUTRAL_UNIT):
            return DISRUPTED
        if place >= rules.hexes and place < rules.box and rules.bush[min(kind, LEADER)] == 0:
            return KIND
        if kind == GUNBOAT and place < rules.hexes and rules.coastal[place] == 0 and rules.navigable[place] == 0:
            return KIND
        if place < rules.hexes:
            counts += weight_of(rules, state, piece)
        elif owner != NEUTRAL and kind < NEUTRAL_UNIT:
            inside += 1 if owner == MAORI else 64
        piece = state.next[piece]
    if place < rules.hexes:
        return COUNT if counts != state.count[0][place] + state.count[1][place] + state.count[2][place] else 0
    if place < rules.box and (inside % 64 > rules.bush_limit[0] or inside // 64 > rules.bush_limit[1]):
        return BUSH
    return 0


@rule
def fault_of_hex(rules: Any, state: Any, hex_: int) -> int:
    """Return the number of what does not hold of a hex, 0 if all does."""
    for player in range(2):
        if state.count[player][hex_] == 0:
            continue
        if is_neutral(state, hex_):
            return WITH_NEUTRALS
        if fighting(state, player, hex_) > limit_in(rules, state, player, hex_, 0):
            return STACKED
        if state.count[1 - player][hex_] == 0:
            continue
        piece = state.first[hex_]
        while piece >= 0:
            if not is_leader(state, piece):
                return BOTH
            piece = state.next[piece]
    structure = state.structure[hex_]
    if structure != NO_STRUCTURE and structure != FORT and state.town[hex_] != NO_TOWN:
        return ON_TOWN
    if structure == NO_STRUCTURE and state.damaged[hex_] == 1:
        return DISRUPTED
    owner = structure_owner(state, hex_)
    if owner in (0, 1) and state.count[1 - owner][hex_] > 0:
        return BOTH
    if is_all_land(rules, hex_):
        canoe = first_of(state, hex_, CANOE)
        if canoe >= 0 and first_of(state, hex_, WARRIOR if state.owner[canoe] == MAORI else QUEENITE) < 0:
            return BEACHED
    return 0


@rule
def fault_of_structures(rules: Any, state: Any) -> int:
    """Return the number of what does not hold of structures, 0 if all does."""
    tally, standing = 0, 0
    for hex_ in range(state.hexes):
        if state.structure[hex_] != NO_STRUCTURE:
            tally += 1 << TALLY_BITS * (state.structure[hex_] - 1)
            standing += 1
    if state.structures[NO_STRUCTURE] != state.hexes - standing:
        return COUNT
    for structure in range(1, len(state.structures)):
        found = tally >> TALLY_BITS * (structure - 1) & (1 << TALLY_BITS) - 1
        if found != state.structures[structure]:
            return COUNT
        most = rules.structure_counters[structure]
        if structure % 2 == 1:  # what was built on may come back
            most += rules.structure_counters[structure + 1]
        if found > most:
            return COUNTERS
    return 0


@rule
def fault_in(rules: Any, state: Any) -> int:
    """[1.0, 4.0, 6.0] Return the number of what does not hold in this position, an index of FAULTS; 0 if all does."""
    for hex_ in range(state.hexes):
        if not is_bare(state, hex_):
            fault = fault_of_place(rules, state, hex_)
            if fault == 0:
                fault = fault_of_hex(rules, state, hex_)
            if fault > 0:
                return fault
    for place in range(state.hexes, state.places):
        fault = fault_of_place(rules, state, place)
        if fault > 0:
            return fault
    for piece in range(state.pieces):
        if state.place[piece] < 0 or state.place[piece] >= state.places:
            return CHAIN
    fault = fault_of_structures(rules, state)
    if fault > 0:
        return fault
    gone = rules.chits & ~(state.cup | state.aside)
    if state.cup & state.aside != 0 or gone != 0 or (state.cup | state.aside) & ~rules.chits != 0:
        return CHITS
    if state.result == 0 and abs(state.marker) >= rules.decisive:
        return MARKER
    if (state.sap_hex < 0) != (state.sap_target < 0) and state.phase != SAP_PLACE:
        return SAP
    return FORTS if state.forts_built > rules.fort_limit else 0


@rule
def fault_of_step(rules: Any, state: Any, memory: Any) -> int:
    """[2.0] Return the number of what does not hold beside the step before, 0 if all holds.

    memory: the moment of the step before, and the forts built.
    """
    if state.result > 0:
        return 0
    moment = (state.turn * 2 + state.half) * 8 + state.stage
    if moment < memory[0] or state.forts_built < memory[1]:
        return WENT_BACK
    memory[0], memory[1] = moment, state.forts_built
    return 0
