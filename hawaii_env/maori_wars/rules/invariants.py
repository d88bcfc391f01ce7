"""Invariants of every position that play reaches: the fuzzer checks them after every step."""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule

from .bombardment import is_any_column
from .bush import may_hunt
from .combat import is_countered, may_charge
from .evasion import may_evade
from .names import (
    ABSORB,
    ADVANCE,
    APPLY,
    ARRIVALS,
    ARTILLERY,
    ATTACK,
    ATTRITION,
    BOMBARD,
    BOMBARDED,
    BRITISH,
    BUILD,
    BUSH,
    BUSH_MOVE,
    CANOE,
    CAVALRY,
    CHARGE,
    CHARGE_OR_NOT,
    COLUMN,
    COMBAT,
    COUNTER,
    COUNTER_SIDE,
    DECLARE,
    DISRUPT_FROM,
    DISRUPT_UNIT,
    EVADE,
    EVASION,
    FORT,
    GUNBOAT,
    HUNT_MORE,
    LEADER,
    LEADER_DIE,
    LEAVE,
    LOSE,
    MAORI,
    NEGOTIATE,
    NEUTRAL,
    NEUTRAL_UNIT,
    NO_STRUCTURE,
    NO_TOWN,
    OVER,
    PANIC,
    PARTICIPANT,
    PREY,
    QUEENITE,
    RAID_MORE,
    RALLY_NEXT,
    REINFORCE,
    REINFORCE_PLACE,
    RETREAT,
    SAP,
    SAP_PLACE,
    SUPPLY,
    TAKEN,
    UNTAKEN,
    WARRIOR,
)
from .pieces import (
    distance,
    fighting,
    first_of,
    has,
    has_unit,
    is_all_land,
    is_fighting,
    is_held,
    is_land_unit,
    is_leader,
    is_neutral,
    land_units,
    limit_in,
    structure_owner,
    weight_of,
)
from .results import has_victim, may_absorb
from .strength import count_attackers, count_side, ready_fighting

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
    "a town is British with Māori pieces in it, or taken with British units or a fort there [R-08]",
    "a canoe is in an all-land hex without a carrier [6.0]",
    "a unit is Disrupted where it cannot be",
    "more units of a player in the Bush Raider Box than may be there [10.0]",
    "a piece is where its kind cannot be",
    "the sap marker does not lie next to a target [6.0]",
    "more forts were built than may be [14.0]",
    "the turn went back [2.0]",
    "the step is not one of this phase [2.0]",
    "the step asks the other player [2.0, 9.0]",
    "nobody takes part who could attack [9.0, 10.0]",
    "nobody is attacked [9.0, 10.0]",
    "nobody is there whom the result befalls [9.0, 11.0]",
    "no gun is there that could fire [9.0]",
    "nobody advances where the enemy still stands [9.0]",
)
(
    CHAIN, COUNT, STACKED, BOTH, WITH_NEUTRALS, COUNTERS, CHITS, MARKER, ON_TOWN, IN_TOWN, BEACHED, DISRUPTED, IN_BUSH,
    KIND, SAP_LIES, FORTS, WENT_BACK, WRONG_STEP, DECIDER, NO_ATTACKER, NO_DEFENDER, NO_VICTIM, NO_GUN, STILL_HELD,
) = range(1, 25)  # fmt: skip

FIRST_STEP = ARRIVALS, SAP, RALLY_NEXT, NEGOTIATE, DECLARE, BUSH_MOVE, BUILD, SUPPLY
LAST_STEP = SAP, RALLY_NEXT, NEGOTIATE, DECLARE, APPLY, BUILD, SUPPLY, OVER
"""The first phase of the compiled rules in each stage, and the one behind the last."""

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
        return IN_BUSH
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
    if state.result == 0:
        taken = has_unit(state, BRITISH, hex_) or structure != NO_STRUCTURE
        if (state.town[hex_] == UNTAKEN and state.count[MAORI][hex_] > 0) or (state.town[hex_] == TAKEN and taken):
            return IN_TOWN
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
def is_step_of_stage(state: Any) -> bool:
    """[2.0] Return True if what is asked belongs to the stage: results to combats, raids and attrition, too."""
    phase, stage = state.phase, state.stage
    if phase >= APPLY and phase <= PANIC:
        return stage in (COMBAT, BUSH) or (phase == PANIC and stage == ATTRITION)
    if (stage == COMBAT and phase in (REINFORCE, REINFORCE_PLACE)) or (
        stage == BUSH and phase in (COUNTER_SIDE, COUNTER, ATTACK)
    ):
        return True
    return phase >= FIRST_STEP[stage] and phase < LAST_STEP[stage]


@rule
def somebody_attacks(rules: Any, state: Any, fired: bool) -> bool:
    """[9.0, 10.0] Return True if a participant stands next to the target, or in the territory of a hunt.

    fired: a gun beside the target that has bombarded will do.
    """
    if state.hunting == 0 and state.target < 0:
        return False
    for piece in range(state.pieces):
        place = state.place[piece]
        if state.owner[piece] != state.attacker:
            continue
        joins = has(state, piece, PARTICIPANT) and is_fighting(state, piece)
        if state.hunting == 1:
            if joins and place == rules.hexes + state.territory:
                return True
        elif place < rules.hexes and distance(rules, place, state.target) == 1:
            fights = joins and state.origin[piece] == place
            if fights or (fired and has(state, piece, BOMBARDED)):
                return True
    return False


@rule
def is_unit_of(state: Any, piece: int, player: int, place: int) -> bool:
    """Return True for a land unit of a player in a place."""
    return piece >= 0 and state.owner[piece] == player and state.place[piece] == place and is_land_unit(state, piece)


@rule
def fault_of_result(rules: Any, state: Any) -> int:
    """[9.0, 11.0] Return the number of what does not hold of a result that is being applied, 0 if all does."""
    phase, piece, spot, victim = state.phase, state.piece, state.spot, state.victim
    if phase == PANIC and piece < 0:
        if spot >= rules.hexes or state.damaged[spot] == 0:
            return NO_VICTIM
        victim = structure_owner(state, spot)
        befalls = land_units(state, victim, spot) == 0
    elif phase == PANIC:
        victim = state.owner[piece]
        befalls = is_unit_of(state, piece, victim, spot) and state.disrupted[piece] == 1
    elif phase == LOSE:
        befalls = has_victim(rules, state)
    elif phase == ABSORB:
        befalls = has_victim(rules, state) and may_absorb(state)
    else:
        befalls = is_unit_of(state, piece, victim, spot)
    if not befalls:
        return NO_VICTIM
    if state.stage == ATTRITION or victim == state.attacker:
        return 0
    return 0 if somebody_attacks(rules, state, state.stage == COMBAT) else NO_ATTACKER


@rule
def attackers_left(rules: Any, state: Any) -> int:
    """[9.0] Count the ready participants whom a step of a combat or raid needs."""
    if state.phase == COUNTER:
        n = 0
        for side in range(6):
            if rules.land[state.target][side] == state.hex:
                n += count_side(rules, state, side, -1, False)
        return n
    kind = CAVALRY if state.phase in (CHARGE_OR_NOT, CHARGE) else -1
    return count_attackers(rules, state, kind, state.phase not in (COUNTER_SIDE, ATTACK))


@rule
def is_defended(rules: Any, state: Any) -> bool:
    """[9.0, 10.0] Return True if a combat or raid has whom its step is about on the other side."""
    phase, enemy, target = state.phase, 1 - state.attacker, state.target
    if phase in (EVADE, EVASION):
        return may_evade(rules, state)
    if phase == LEAVE:
        return is_unit_of(state, state.piece, enemy, target)
    if phase in (CHARGE_OR_NOT, CHARGE):
        return may_charge(rules, state)
    if phase in (COUNTER_SIDE, COUNTER):
        return ready_fighting(state, enemy, target) > 0 if state.stage == BUSH else is_countered(rules, state)
    return land_units(state, enemy, target) != 0 if state.stage == BUSH else is_held(state, state.attacker, target)


@rule
def fault_of_gun(rules: Any, state: Any) -> int:
    """[9.0 step 4] Return the number of what does not hold of a bombardment, 0 if all does."""
    gun, target = state.gun, state.target
    if state.kind[gun] not in (ARTILLERY, GUNBOAT) or state.owner[gun] != state.attacker:
        return NO_GUN
    if state.place[gun] >= rules.hexes or distance(rules, state.place[gun], target) != 1:
        return NO_GUN
    return 0 if is_any_column(state, target) else NO_DEFENDER


@rule
def fault_of_hunt(rules: Any, state: Any) -> int:
    """[10.0] Return the number of what does not hold of a hunt, 0 if all does."""
    if state.territory < 0 or not somebody_attacks(rules, state, False):
        return NO_ATTACKER
    place = rules.hexes + state.territory
    if state.phase == ATTACK and not is_unit_of(state, state.prey, 1 - state.attacker, place):
        return NO_DEFENDER
    return 0 if state.phase in (ATTACK, COUNTER) or may_hunt(rules, state) else NO_DEFENDER


@rule
def fault_of_combat(rules: Any, state: Any) -> int:
    """[9.0, 10.0] Return the number of what does not hold of a combat, raid, hunt or result, 0 if all does: nobody
    takes part, nobody is attacked, nobody is there whom it befalls.
    """
    phase = state.phase
    if not is_step_of_stage(state):
        return WRONG_STEP
    if phase >= LOSE and phase <= PANIC:
        return fault_of_result(rules, state)
    if phase in (COLUMN, BOMBARD):
        return fault_of_gun(rules, state)
    chit = phase in (REINFORCE, REINFORCE_PLACE) and state.stage == COMBAT
    if not chit and not (phase >= EVADE and phase <= ADVANCE) and not (phase >= RAID_MORE and phase <= PREY):
        return 0
    if state.hunting == 1 or (phase >= HUNT_MORE and phase <= PREY):
        return fault_of_hunt(rules, state)
    if phase == ADVANCE and fighting(state, state.attacker, state.target) > 0:
        return 0  # somebody has advanced, perhaps all
    if not somebody_attacks(rules, state, False):
        return NO_ATTACKER
    ready = phase in (DISRUPT_FROM, DISRUPT_UNIT) or (phase >= CHARGE_OR_NOT and phase <= ADVANCE)
    if ready and attackers_left(rules, state) == 0:
        return NO_ATTACKER
    if phase == ADVANCE:
        return STILL_HELD if land_units(state, 1 - state.attacker, state.target) != 0 else 0
    if phase == LEADER_DIE and not is_leader(state, state.piece):
        return NO_VICTIM
    return 0 if is_defended(rules, state) else NO_DEFENDER


@rule
def asked_player(state: Any) -> int:
    """[2.0, 9.0] Return who decides at a step that asks somebody; 2 for either, as a chit may reinforce both."""
    phase = state.phase
    if phase in (LOSE, RETREAT):
        return state.victim
    if phase in (EVADE, LEAVE, COUNTER_SIDE):
        return 1 - state.attacker
    if state.stage != COMBAT:
        return state.half
    return 2 if phase in (REINFORCE, REINFORCE_PLACE) else state.attacker


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
        return SAP_LIES
    if state.sap_hex >= 0 and distance(rules, state.sap_hex, state.sap_target) != 1:
        return SAP_LIES
    if state.forts_built > rules.fort_limit:
        return FORTS
    if state.result > 0:
        return 0
    fault = fault_of_combat(rules, state)
    if fault == 0 and state.decider >= 0 and state.decider == 1 - asked_player(state):
        return DECIDER
    return fault


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
