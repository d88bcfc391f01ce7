"""The Bush Raider Box: pieces go into the bush, move there and come out; raids and hunts [10.0].

A raid or hunt uses the frame of a combat: raiders are its participants, `state.target` is the hex that is raided (-1 in
a hunt), `state.territory` where the raiders come from.
"""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule
from hawaii_env.core.phases import Phase

from .actions import DONE, HUNT_THERE, STAY
from .declare import new_combat
from .dice import DieRoll, shows
from .names import (
    ACTED,
    ALL_DISRUPTED,
    ATTACK,
    BUSH_ACT,
    BUSH_ENTER,
    BUSH_MOVE,
    BUSH_UNIT,
    COUNTER,
    COUNTER_SIDE,
    DISRUPT,
    HUNT,
    HUNT_MORE,
    LEADER,
    NEUTRAL_UNIT,
    NO_STRUCTURE,
    NO_TOWN,
    NOTHING,
    PARTICIPANT,
    PREY,
    RAID_ANSWER,
    RAID_MORE,
    RAID_SIDE,
    RANGERS,
    RETREATS,
)
from .pieces import (
    eliminate,
    fighting,
    has,
    is_fighting,
    is_land_unit,
    is_leader,
    land_units,
    mark,
    may_stand,
    offer,
    place_piece,
    unit_action,
    unmark,
)
from .results import begin_result, disrupt_one, find_unit
from .stages import finish_stage
from .strength import column_of, ready_fighting, result_of

__all__ = [
    "BushAct", "BushEnter", "BushMove", "BushUnit", "Hunt", "HuntMore", "Prey", "RaidAnswer", "RaidMore", "RaidSide",
    "answer_raid", "attack_raided",
]  # fmt: skip


# Into the bush


@rule
def in_bush(rules: Any, state: Any, player: int) -> int:
    """[10.0] Count a player's units in the Bush Raider Box."""
    n = 0
    for piece in range(state.pieces):
        place = state.place[piece]
        if place >= rules.hexes and place < rules.box and state.owner[piece] == player:
            n += not is_leader(state, piece)
    return n


@rule
def may_enter_bush(rules: Any, state: Any, piece: int, has_room: bool) -> bool:
    """[10.0, R-18, R-19] Return True if a piece of the mover may leave the map for the bush: leaders, and units of the
    kinds that may if `has_room`.
    """
    kind = state.kind[piece]
    if state.owner[piece] != state.half or has(state, piece, ACTED):
        return False
    return kind >= LEADER or (has_room and kind < NEUTRAL_UNIT and rules.bush[kind] == 1)


class BushMove(Phase):
    """[10.0] A territory whose raiders act, a hex that a piece leaves for the bush, or `done`."""

    @staticmethod
    def legal(rules: Any, state: Any) -> int:
        state.legal[0] = DONE
        n = 1
        for territory in range(rules.territories):
            piece = state.first[rules.hexes + territory]
            while piece >= 0 and (state.owner[piece] != state.half or has(state, piece, ACTED)):
                piece = state.next[piece]
            if piece >= 0:
                state.legal[n] = rules.do_territory + territory
                n += 1
        has_room = in_bush(rules, state, state.half) < rules.bush_limit[state.half]
        for hex_ in range(rules.hexes):
            if state.count[state.half][hex_] != 0:
                piece = state.first[hex_]
                while piece >= 0 and not may_enter_bush(rules, state, piece, has_room):
                    piece = state.next[piece]
                if piece >= 0:
                    state.legal[n] = rules.do_from + hex_
                    n += 1
        return n

    @staticmethod
    def apply(rules: Any, state: Any, action: int) -> None:
        if action == DONE:
            finish_stage(rules, state)
        elif action < rules.do_from:
            state.territory, state.phase = action - rules.do_territory, BUSH_UNIT
        else:
            state.hex, state.phase = action - rules.do_from, BUSH_ENTER


class BushEnter(Phase):
    """[10.0] The piece that leaves the map; it does nothing more."""

    @staticmethod
    def legal(rules: Any, state: Any) -> int:
        has_room = in_bush(rules, state, state.half) < rules.bush_limit[state.half]
        n, piece = 0, state.first[state.hex]
        while piece >= 0:
            if may_enter_bush(rules, state, piece, has_room):
                n = offer(state, n, unit_action(state, piece))
            piece = state.next[piece]
        return n

    @staticmethod
    def apply(rules: Any, state: Any, action: int) -> None:
        piece = state.first[state.hex]
        while state.owner[piece] != state.half or has(state, piece, ACTED) or unit_action(state, piece) != action:
            piece = state.next[piece]
        mark(state, piece, ACTED)
        place_piece(rules, state, piece, rules.hexes + rules.territory[state.hex])
        state.phase = BUSH_MOVE


# In the bush


@rule
def find_raider(rules: Any, state: Any, action: int) -> int:
    """[10.0] Return the first piece of the mover in the territory that has not acted and that an action names."""
    piece = state.first[rules.hexes + state.territory]
    while piece >= 0:
        if state.owner[piece] == state.half and not has(state, piece, ACTED) and unit_action(state, piece) == action:
            return piece
        piece = state.next[piece]
    return -1


class BushUnit(Phase):
    """[10.0] The piece of a territory that acts."""

    @staticmethod
    def legal(rules: Any, state: Any) -> int:
        n, piece = 0, state.first[rules.hexes + state.territory]
        while piece >= 0:
            if state.owner[piece] == state.half and not has(state, piece, ACTED):
                n = offer(state, n, unit_action(state, piece))
            piece = state.next[piece]
        return n

    @staticmethod
    def apply(rules: Any, state: Any, action: int) -> None:
        state.piece, state.phase = find_raider(rules, state, action), BUSH_ACT


@rule
def is_lair(rules: Any, state: Any, piece: int, hex_: int) -> bool:
    """[10.0] Return True for a hex of the territory where a piece may come out of the bush."""
    return rules.territory[hex_] == state.territory and may_stand(rules, state, piece, hex_)


@rule
def may_raid(rules: Any, state: Any, piece: int, target: int) -> bool:
    """[10.0] Return True if a piece may raid a hex: enemy land units, no structure, a side where it can appear."""
    if land_units(state, 1 - state.half, target) == 0:
        return False
    if state.structure[target] != NO_STRUCTURE or state.town[target] != NO_TOWN:
        return False
    return has_side(rules, state, piece, target)


@rule
def has_side(rules: Any, state: Any, piece: int, target: int) -> bool:
    """[10.0, R-49] Return True if a piece can appear at a side of the raided hex."""
    for side in range(6):
        near = rules.land[target][side]
        if near >= 0 and is_lair(rules, state, piece, near):
            return True
    return False


@rule
def may_hunt(rules: Any, state: Any) -> bool:
    """[10.0] Return True if enemy units are in the territory of the Box."""
    piece = state.first[rules.hexes + state.territory]
    while piece >= 0:
        if state.owner[piece] != state.half and is_land_unit(state, piece):
            return True
        piece = state.next[piece]
    return False


class BushAct(Phase):
    """[10.0] The act of a piece in the bush: it stays, moves, comes out, raids or hunts; not Disrupted to fight."""

    @staticmethod
    def legal(rules: Any, state: Any) -> int:
        piece = state.piece
        fights = state.disrupted[piece] == 0 and not is_leader(state, piece)
        state.legal[0] = STAY
        n = 1
        if fights and may_hunt(rules, state):
            state.legal[n] = HUNT_THERE
            n += 1
        for territory in range(rules.territories):
            if rules.territory_near[state.territory][territory] == 1:
                state.legal[n] = rules.do_territory + territory
                n += 1
        if fights:
            for hex_ in range(rules.hexes):
                if may_raid(rules, state, piece, hex_):
                    state.legal[n] = rules.do_target + hex_
                    n += 1
        for hex_ in range(rules.hexes):
            if is_lair(rules, state, piece, hex_):
                state.legal[n] = rules.do_place + hex_
                n += 1
        return n

    @staticmethod
    def apply(rules: Any, state: Any, action: int) -> None:
        piece = state.piece
        mark(state, piece, ACTED)
        state.phase = BUSH_MOVE
        if action >= rules.do_place:
            place_piece(rules, state, piece, action - rules.do_place)
        elif action >= rules.do_target:
            begin_raid(state, action - rules.do_target)
            state.phase = RAID_SIDE
        elif action == HUNT_THERE:
            begin_raid(state, -1)
            mark(state, piece, PARTICIPANT)
            state.hunting = 1
            ask_more(rules, state)
        elif action != STAY:
            place_piece(rules, state, piece, rules.hexes + action - rules.do_territory)


@rule
def begin_raid(state: Any, target: int) -> None:
    """[10.0] Begin a raid, or a hunt without a target."""
    new_combat(state)
    state.attacker, state.target, state.hunting, state.prey = state.half, target, 0, -1


class RaidSide(Phase):
    """[10.0] The side of the raided hex where a raider appears."""

    @staticmethod
    def legal(rules: Any, state: Any) -> int:
        n = 0
        for side in range(6):
            near = rules.land[state.target][side]
            if near >= 0 and is_lair(rules, state, state.piece, near):
                state.legal[n] = rules.do_go + side
                n += 1
        return n

    @staticmethod
    def apply(rules: Any, state: Any, action: int) -> None:
        piece, near = state.piece, rules.land[state.target][action - rules.do_go]
        place_piece(rules, state, piece, near)
        mark(state, piece, PARTICIPANT + ACTED)
        state.origin[piece] = near
        ask_more(rules, state)


@rule
def ask_more(rules: Any, state: Any) -> None:
    """[10.0] Ask for further raiders or hunters."""
    state.piece = -1
    state.phase = HUNT_MORE if state.hunting == 1 else RAID_MORE


@rule
def may_join(rules: Any, state: Any, piece: int) -> bool:
    """[10.0] Return True if a piece of the territory may join the raid or hunt: ready, and able to appear."""
    if state.owner[piece] != state.half or has(state, piece, ACTED) or state.disrupted[piece] == 1:
        return False
    return state.hunting == 1 or has_side(rules, state, piece, state.target)


@rule
def list_joiners(rules: Any, state: Any) -> int:
    """[10.0] Offer `done` and the pieces that may join the raid or hunt; return how many choices there are."""
    state.legal[0] = DONE
    n, piece = 1, state.first[rules.hexes + state.territory]
    while piece >= 0:
        if may_join(rules, state, piece):
            n = offer(state, n, unit_action(state, piece))
        piece = state.next[piece]
    return n


class RaidMore(Phase):
    """[10.0] Further raiders of the territory, until `done`: then they attack."""

    @staticmethod
    def legal(rules: Any, state: Any) -> int:
        return list_joiners(rules, state)

    @staticmethod
    def apply(rules: Any, state: Any, action: int) -> None:
        if action == DONE:
            state.phase, state.decider = ATTACK, -1
        else:
            state.piece, state.phase = find_raider(rules, state, action), RAID_SIDE


class HuntMore(Phase):
    """[10.0] Further hunters of the territory, until `done`: then the die falls."""

    @staticmethod
    def legal(rules: Any, state: Any) -> int:
        return list_joiners(rules, state)

    @staticmethod
    def apply(rules: Any, state: Any, action: int) -> None:
        if action == DONE:
            state.phase, state.decider = HUNT, -1
        else:
            mark(state, find_raider(rules, state, action), PARTICIPANT + ACTED)


class Hunt(DieRoll):
    """[10.0] Chance: do the hunters find the enemy?"""

    @staticmethod
    def apply(rules: Any, state: Any, outcome: int) -> None:
        if shows(rules.hunt_faces, outcome):
            state.phase, state.decider = PREY, state.half
        else:
            end_raid(state)


class Prey(Phase):
    """[10.0] The enemy unit that is hunted."""

    @staticmethod
    def legal(rules: Any, state: Any) -> int:
        n, piece = 0, state.first[rules.hexes + state.territory]
        while piece >= 0:
            if state.owner[piece] != state.half and is_land_unit(state, piece):
                n = offer(state, n, unit_action(state, piece))
            piece = state.next[piece]
        return n

    @staticmethod
    def apply(rules: Any, state: Any, action: int) -> None:
        state.prey = find_unit(state, 1 - state.half, rules.hexes + state.territory, action)
        state.phase, state.decider = ATTACK, -1


# The attack and the answer


@rule
def raid_modifier(rules: Any, state: Any) -> int:
    """[3.0, 10.0, R-46] Return the modifier of a raid: the best bonus among the raiders, surprise, terrain."""
    guided, best = False, 0
    for piece in range(state.pieces):
        if has(state, piece, PARTICIPANT) and is_leader(state, piece):
            guided = guided or rules.for_rangers[state.kind[piece] - LEADER] == 1
    for piece in range(state.pieces):
        raids = has(state, piece, PARTICIPANT) and not is_leader(state, piece)
        if raids and (guided or state.kind[piece] != RANGERS):
            best = max(best, rules.bonus[state.kind[piece]])
    if state.hunting == 1:
        return best + rules.surprise * rules.surprised[state.kind[state.prey]]
    surprised = 1
    piece = state.first[state.target]
    while piece >= 0:
        if state.owner[piece] != state.half and is_land_unit(state, piece):
            surprised = min(surprised, rules.surprised[state.kind[piece]])
        piece = state.next[piece]
    return best + rules.surprise * surprised + rules.attack_terrain[rules.rough[state.target]]


@rule
def attack_raided(rules: Any, state: Any, die: int) -> None:
    """[10.0, R-20] The raiders attack; `raid_answer` follows."""
    own = 0
    for piece in range(state.pieces):
        own += has(state, piece, PARTICIPANT) and is_fighting(state, piece)
    state.phase = RAID_ANSWER
    if state.hunting == 0:
        column = column_of(own, fighting(state, 1 - state.half, state.target))
        result = result_of(rules, column, die + raid_modifier(rules, state))
        begin_result(rules, state, 1 - state.half, state.target, result, RAID_ANSWER)
        return
    result = result_of(rules, column_of(own, 1), die + raid_modifier(rules, state))
    if result in (DISRUPT, ALL_DISRUPTED):
        disrupt_one(rules, state, state.prey, RAID_ANSWER)
    elif result not in (NOTHING, RETREATS):
        eliminate(rules, state, state.prey)


class RaidAnswer(Phase):
    """[10.0] The ready units that were raided answer, if there are any: against a side that the defender chooses; in a
    hunt against all.
    """

    @staticmethod
    def run(rules: Any, state: Any) -> None:
        state.decider = -1
        if state.no_counter == 1:
            end_raid(state)
        elif state.hunting == 1:
            alive = state.place[state.prey] == rules.hexes + state.territory and state.disrupted[state.prey] == 0
            state.phase = COUNTER if alive else RAID_ANSWER
            state.no_counter = 0 if alive else 1
        elif ready_fighting(state, 1 - state.half, state.target) > 0:
            state.phase, state.decider = COUNTER_SIDE, 1 - state.half
        else:
            state.no_counter = 1


@rule
def answer_raid(rules: Any, state: Any, die: int) -> None:
    """[10.0] The raided units strike back at the raiders of a hex, a hunted one at all units of the mover around it."""
    own, other, spot = 1, 0, rules.hexes + state.territory
    if state.hunting == 0:
        own, other, spot = ready_fighting(state, 1 - state.half, state.target), 0, state.hex
    piece = state.first[spot]
    while piece >= 0:
        other += state.owner[piece] == state.half and is_fighting(state, piece)
        piece = state.next[piece]
    state.no_counter = 1
    begin_result(rules, state, state.half, spot, result_of(rules, column_of(own, other), die), RAID_ANSWER)


@rule
def end_raid(state: Any) -> None:
    """[10.0] End a raid or hunt; the bush raiders go on."""
    for piece in range(state.pieces):
        unmark(state, piece, PARTICIPANT)
        state.origin[piece] = -1
    new_combat(state)
    state.hunting, state.prey, state.phase, state.decider = 0, -1, BUSH_MOVE, state.half
