"""Values of positions of Maori Wars, in victory points for the British player: the marker, what stands, what is
threatened.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hawaii_env.core import rule
from hawaii_env.errors import OptionError
from hawaii_env.game import State as AnyState
from hawaii_env.maori_wars import State
from hawaii_env.maori_wars.fast import (
    BRITISH,
    COMBAT,
    FORT,
    GREATER,
    LEADER,
    LESSER,
    MAORI,
    NEUTRAL,
    NO_STRUCTURE,
    UNTAKEN,
    WARRIOR,
    distance,
    fighting,
    is_fighting,
    is_fort_or_pa,
    is_held,
    land_units,
    structure_owner,
    supplied,
)

__all__ = ["WEIGHTS", "check_maori_wars", "worth", "write_worth"]

(
    UNIT, BOX, DISRUPTED, LEADS, VILLAGE_WORTH, FORT_WORTH, TOWN_WORTH, DAMAGED, SOON, LATER, MANY, NEAR_ENEMY,
    HUNGRY, SPREAD, SPREAD_MORE,
) = range(15)  # fmt: skip

WEIGHTS: NDArray[np.float64] = np.array([0.6, 0.25, 0.2, 0.5, 0.8, 1.4, 1.6, 0.4, 0.9, 0.5, 0.3, 0.03, 0.4, 2.0, 0.8])
"""In victory points: a unit on the map or in the bush, one in the Box; what a Disrupted one has less; a leader; a
village or settlement, a fort or pa, a town; what a Disrupted one has less; how much of what could be gained by
attacks counts for who attacks next (SOON), for the other (LATER), and for all attacks but the best (MANY); a hex of
distance from the nearest enemy structure; a warrior whom no structure feeds. SPREAD and SPREAD_MORE, the latter for
each half to come: a lead that makes a victory e times as likely.
"""


@rule
def structure_worth(state: Any, hex_: int, w: Any) -> float:
    """Return what the structure and the town of a hex are worth to who owns them."""
    value = 0.0
    if state.structure[hex_] != NO_STRUCTURE:
        value = w[FORT_WORTH] if is_fort_or_pa(state, hex_) else w[VILLAGE_WORTH]
        if state.damaged[hex_] == 1:
            value -= w[DAMAGED]
    if state.town[hex_] == UNTAKEN:
        value += w[TOWN_WORTH]
    return value


@rule
def strength_against(rules: Any, state: Any, player: int, target: int) -> int:
    """Count a player's ready fighting units next to a hex that could attack it."""
    n = 0
    for side in range(6):
        near = rules.land[target][side]
        if near >= 0 and fighting(state, player, near) > 0:
            piece = state.first[near]
            while piece >= 0:
                n += state.owner[piece] == player and state.disrupted[piece] == 0 and is_fighting(state, piece)
                piece = state.next[piece]
    return n


@rule
def gain_of(rules: Any, state: Any, player: int, target: int, w: Any) -> float:
    """Return what a player may expect to gain by an attack on a hex with all that stands next to it."""
    own = strength_against(rules, state, player, target)
    if own == 0:
        return 0.0
    enemy = 1 - player
    other, fort = fighting(state, enemy, target), is_fort_or_pa(state, target)
    if state.structure[target] == FORT:
        other = max(other, rules.fort_strength)
    modifier = rules.attack_terrain[rules.rough[target]]
    occupied = land_units(state, enemy, target) != 0
    if fort:
        modifier = rules.fort_occupied if occupied else rules.fort_empty
    column = GREATER if own > other else LESSER if own < other else 1
    stands = structure_worth(state, target, w) + (1.0 if state.structure[target] != NO_STRUCTURE else 0.0)
    if state.town[target] == UNTAKEN:
        stands += rules.town_points
    value, unit = 0.0, w[UNIT] - w[BOX] + 1.0
    for die in range(1, 7):
        result = rules.results[column][max(0, min(8, die + modifier))]
        if result == 0:
            continue
        if not occupied:
            value += stands
        elif result == 1:
            value += w[DISRUPTED]
        elif result == 2:
            value += w[DISRUPTED] * other
        elif result == 3:
            value += 0.2 if fort else 0.3 + 0.8 * stands
        elif result == 4:
            value += unit + (stands if other == 1 else 0.0)
        elif result == 5:
            value += unit + (stands if other == 1 or not fort else 0.0)
        else:
            value += unit * min(2, other) + (stands if other <= 2 or not fort else 0.0)
    risk = 0.0 if not occupied else w[DISRUPTED] * min(2, other)
    return max(0.0, value / 6 - risk)


@rule
def threat_of(rules: Any, state: Any, player: int, w: Any) -> float:
    """Return what a player may expect to gain by attacks from where his units stand."""
    best, whole = 0.0, 0.0
    for hex_ in range(state.hexes):
        if is_held(state, player, hex_) and (player == BRITISH or state.town[hex_] == 0 or rules.designated[hex_] == 1):
            gain = gain_of(rules, state, player, hex_, w)
            whole += gain
            best = max(best, gain)
    return best + w[MANY] * (whole - best)


@rule
def reach_of(rules: Any, state: Any, player: int, w: Any) -> float:
    """Return what a player loses by distance of his fighting units from the enemy's structures."""
    far = 0.0
    for piece in range(state.pieces):
        place = state.place[piece]
        if state.owner[piece] == player and place < rules.hexes and is_fighting(state, piece):
            nearest = 12
            for hex_ in range(state.hexes):
                if structure_owner(state, hex_) == 1 - player or (player == MAORI and state.town[hex_] == UNTAKEN):
                    nearest = min(nearest, distance(rules, place, hex_))
            far += nearest
    return w[NEAR_ENEMY] * far


@rule
def write_worth(rules: Any, state: Any, w: Any) -> float:
    """Return what a position is worth to the British player, in victory points."""
    value = float(state.marker)
    for piece in range(state.pieces):
        owner, place, kind = state.owner[piece], state.place[piece], state.kind[piece]
        if owner == NEUTRAL or place > rules.box:
            continue
        if kind >= LEADER:
            own = w[LEADS]
        elif place == rules.box:
            own = w[BOX]
        else:
            own = w[UNIT] - w[DISRUPTED] * state.disrupted[piece]
        value += own if owner == BRITISH else -own
    for hex_ in range(state.hexes):
        owner = structure_owner(state, hex_)
        if state.town[hex_] == UNTAKEN:
            owner = BRITISH
        if owner == BRITISH:
            value += structure_worth(state, hex_, w)
        elif owner == MAORI:
            value -= structure_worth(state, hex_, w)
    warriors = 0
    for piece in range(state.pieces):
        warriors += state.kind[piece] == WARRIOR and state.place[piece] < rules.box
    value += w[HUNGRY] * max(0, warriors - supplied(rules, state, WARRIOR))
    mover = 1 if state.half == BRITISH else -1
    soon, later = (w[SOON], w[LATER]) if state.stage < COMBAT else (w[LATER], w[SOON])
    value += mover * soon * threat_of(rules, state, state.half, w)
    value -= mover * later * threat_of(rules, state, 1 - state.half, w)
    return value - reach_of(rules, state, BRITISH, w) + reach_of(rules, state, MAORI, w)


def check_maori_wars(state: AnyState) -> State:
    """Return the state, if it is one of Maori Wars.

    Raises:
        OptionError: another game's state.
    """
    if not isinstance(state, State):
        raise OptionError(f"this agent plays maori_wars, not {state.game.name}")
    return state


def worth(state: AnyState) -> float:
    """Return what a position is worth to the British player, in victory points."""
    state = check_maori_wars(state)
    return float(write_worth(state.game.tables, state.interpreted(), WEIGHTS))
