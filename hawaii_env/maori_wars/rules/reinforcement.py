"""Reinforcements: automatic ones, and units of the Box [5.0]."""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule
from hawaii_env.core.phases import Phase

from .actions import PASS
from .names import (
    BRITISH,
    FORT,
    MAORI,
    NEUTRAL_UNIT,
    PA,
    QUEENITE,
    QUEENITE_PA,
    QUEENITE_VILLAGE,
    REINFORCE,
    REINFORCE_PLACE,
    REINFORCEMENT,
    SETTLEMENT,
    UNTAKEN,
    VILLAGE,
    WARRIOR,
)
from .pieces import (
    distance,
    enemy_near,
    fits,
    is_leader,
    is_open,
    offer,
    place_piece,
    unit_action,
)
from .results import find_unit
from .stages import finish_stage

AT_TOWNS, AT_BRITISH, AT_QUEENITE, AT_MAORI = range(4)
"""The places where a kind enters from the Box: values of `rules.arrives`."""

FAR = 1 << 30


# Automatic reinforcements


@rule
def can_arrive(rules: Any, state: Any, piece: int, hex_: int, apart: bool) -> bool:
    """[5.0] Return True if a piece can arrive in a hex: open, with room, and `apart` from enemy units."""
    player = state.owner[piece]
    if not is_open(state, player, hex_) or not fits(rules, state, piece, hex_):
        return False
    return not (apart and enemy_near(rules, state, player, hex_))


@rule
def arrival_place(rules: Any, state: Any, piece: int, named: int) -> int:
    """[5.0] Return where an automatic reinforcement appears: the named hex, or the lowest next to it; else for the
    British player the nearest on the coast, for Māori the Box.
    """
    if can_arrive(rules, state, piece, named, False):
        return named
    best, nearest = rules.box, FAR
    for side in range(6):
        hex_ = rules.neighbour[named][side]
        if hex_ >= 0 and (best == rules.box or hex_ < best) and can_arrive(rules, state, piece, hex_, True):
            best = hex_
    if best < rules.box or state.owner[piece] == MAORI:
        return best
    for at in range(len(rules.coast)):
        hex_ = rules.coast[at]
        away = distance(rules, named, hex_)
        if away < nearest and can_arrive(rules, state, piece, hex_, True):
            best, nearest = hex_, away
    return best


class Arrivals(Phase):
    """[5.0] The automatic reinforcements of this turn and half appear; supply does not matter."""

    @staticmethod
    def run(rules: Any, state: Any) -> None:
        for entry in range(rules.arrivals):
            if rules.arrival_turn[entry] == state.turn and rules.arrival_player[entry] == state.half:
                piece = state.first[rules.due + entry]
                while piece >= 0:
                    following = state.next[piece]
                    place_piece(rules, state, piece, arrival_place(rules, state, piece, rules.arrival_hex[entry]))
                    piece = following
        ask_for_unit(rules, state, state.half, rules.per_turn[state.half])


# Units of the Box


@rule
def ask_for_unit(rules: Any, state: Any, player: int, number: int) -> None:
    """[5.0, R-48] Let a player take up to so many units from his Box; `end_reinforcement` follows."""
    state.left, state.decider, state.phase = number, player, REINFORCE
    if number == 0:
        end_reinforcement(rules, state)


@rule
def end_reinforcement(rules: Any, state: Any) -> None:
    """[5.0, 9.0] End the stage, or go on with the combat whose chit brought a unit."""
    state.left, state.piece = 0, -1
    if state.stage == REINFORCEMENT:
        finish_stage(rules, state)
    else:
        state.phase = state.resume


@rule
def in_play(rules: Any, state: Any, kind: int) -> int:
    """[5.0, 13.0] Count the units of a kind on the map and in the bush."""
    found = 0
    for piece in range(state.pieces):
        if state.kind[piece] == kind and state.place[piece] < rules.box:
            found += 1
    return found


@rule
def supplied(rules: Any, state: Any, kind: int) -> int:
    """[5.0, 13.0, R-11] Count the warriors or Queenites that their structures supply."""
    if kind == WARRIOR:
        return rules.per_structure * (state.structures[VILLAGE] + state.structures[PA])
    return rules.per_structure * (state.structures[QUEENITE_VILLAGE] + state.structures[QUEENITE_PA])


@rule
def is_place_for(rules: Any, state: Any, piece: int, hex_: int) -> bool:
    """[5.0, R-11] Return True if a unit of the Box may appear in a hex: a structure of its kind, with room, for the
    British player in a designated territory.
    """
    structure, where = state.structure[hex_], rules.arrives[state.kind[piece]]
    if state.owner[piece] == BRITISH:
        if rules.designated[hex_] == 0:
            return False
        if where == AT_MAORI:
            where = AT_QUEENITE  # a canoe
    town = state.town[hex_] == UNTAKEN
    if where == AT_TOWNS:
        right = town
    elif where == AT_BRITISH:
        right = town or structure in (SETTLEMENT, FORT)
    elif where == AT_QUEENITE:
        right = structure in (QUEENITE_VILLAGE, QUEENITE_PA)
    else:
        right = structure in (VILLAGE, PA)
    return right and fits(rules, state, piece, hex_)


@rule
def can_come(rules: Any, state: Any, piece: int) -> bool:
    """[5.0, 13.0] Return True if a unit of the Box is supplied and has a place to appear in."""
    kind = state.kind[piece]
    if kind in (WARRIOR, QUEENITE) and in_play(rules, state, kind) >= supplied(rules, state, kind):
        return False
    for hex_ in range(state.hexes):
        if is_place_for(rules, state, piece, hex_):
            return True
    return False


class Reinforce(Phase):
    """[5.0] A unit of the Box, or `pass`, which ends the phase. [R-48]"""

    @staticmethod
    def legal(rules: Any, state: Any) -> int:
        state.legal[0] = PASS
        n, piece, last = 1, state.first[rules.box], -1
        while piece >= 0:
            kind = state.kind[piece]
            if state.owner[piece] == state.decider and kind < NEUTRAL_UNIT and kind != last:
                last = kind
                if can_come(rules, state, piece):
                    n = offer(state, n, unit_action(state, piece))
            piece = state.next[piece]
        return n

    @staticmethod
    def apply(rules: Any, state: Any, action: int) -> None:
        if action == PASS:
            end_reinforcement(rules, state)
            return
        state.piece = find_unit(state, state.decider, rules.box, action)
        state.phase = REINFORCE_PLACE


class ReinforcePlace(Phase):
    """[5.0] The hex where the unit appears."""

    @staticmethod
    def legal(rules: Any, state: Any) -> int:
        n = 0
        for hex_ in range(state.hexes):
            if is_place_for(rules, state, state.piece, hex_):
                state.legal[n] = rules.do_place + hex_
                n += 1
        return n

    @staticmethod
    def apply(rules: Any, state: Any, action: int) -> None:
        hex_ = action - rules.do_place
        place_piece(rules, state, state.piece, hex_)
        piece = state.first[rules.box]
        while piece >= 0:  # leaders who found no room come with the first unit
            following = state.next[piece]
            if state.owner[piece] == state.decider and is_leader(state, piece):
                place_piece(rules, state, piece, hex_)
            piece = following
        state.left -= 1
        state.piece, state.phase = -1, REINFORCE
        if state.left == 0:
            end_reinforcement(rules, state)
