"""Values of positions of Maori Wars, in victory points for the British player: the marker, what stands, what is
threatened.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hawaii_env.core import rule
from hawaii_env.errors import OptionError
from hawaii_env.game import Game as AnyGame
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
    MOVEMENT,
    NEUTRAL,
    NO_STRUCTURE,
    PA,
    SETTLEMENT,
    UNTAKEN,
    VILLAGE,
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

__all__ = ["FITTED", "WEIGHTS", "check_maori_wars", "fitted", "worth", "write_near", "write_worth"]

FAR = 12
"""The most that distances from enemy structures count."""

(
    UNIT, BOX, DISRUPTED, LEADS, VILLAGE_WORTH, FORT_WORTH, TOWN_WORTH, DAMAGED, SOON, LATER, MANY, NEAR_ENEMY,
    HUNGRY, SPREAD, SPREAD_MORE, LAST_SETTLEMENT, LAST_VILLAGE, EMPTY, REACH,
) = range(19)  # fmt: skip

WEIGHTS: NDArray[np.float64] = np.array(
    [0.6, 0.25, 0.2, 0.5, 0.8, 1.4, 1.6, 0.4, 0.9, 0.5, 0.3, 0.03, 0.4, 2.0, 0.8, 0.0, 0.0, 0.0, 1.0]
)
"""In victory points: a unit on the map or in the bush, one in the Box; what a Disrupted one has less; a leader; a
village or settlement, a fort or pa, a town; what a Disrupted one has less; how much of what could be gained by
attacks counts for who attacks next (SOON), for the other (LATER), and for all attacks but the best (MANY); a hex of
distance from the nearest enemy structure; a warrior whom no structure feeds. SPREAD and SPREAD_MORE, the latter for
each half to come: a lead that makes a victory e times as likely. What the last settlement, and the last village or pa,
is worth more than others, the last but one half of that, and so on; what a structure without land units has less. How
many hexes attackers come from, if they may march before (REACH).
"""

FITTED: dict[str, NDArray[np.float64]] = {
    "taranaki": np.array([
        [0.9, 0.0, 0.17, 0.68, 2.16, 1.0, 0.44, 0.38, 0.83, 0.13, 0.24, 0.03, 0.4, 0.98, 0.83, 3.59, 0.8, 0.21, 2.0],
        [0.98, 0.0, 0.26, 0.73, 1.95, 0.87, 0.0, 0.4, 0.65, 0.52, 0.21, 0.01, 0.27, 0.98, 0.83, 3.52, 0.61, 0.54, 2.0],
        [0.56, 0.32, 0.15, 0.0, 0.33, 0.0, -1.36, 0.04, 0.77, 0.14, 0.21, 0.03, 0.0, 1.14, 0.33, 0.56, 1.32, 0.27, 2.0],
    ]),
    "flagstaff": np.array([
        [0.71, 0.1, 0.31, 0.52, 0.3, 1.67, 1.31, 0.41, 0.68, 0.33, 0.4, 0.05, 0.44, 2.0, 0.8, 0.0, 0.3, 0.15, 2.0],
        [0.85, 0.06, 0.17, 0.62, 1.24, 0.9, 1.9, 0.44, 0.78, 0.35, 0.32, 0.04, 0.34, 2.0, 0.8, 0.26, 0.0, 0.0, 2.0],
        [0.21, 0.1, 0.05, 0.0, 0.0, 0.66, -2.06, 0.0, 1.18, 0.48, 0.01, 0.02, 0.0, 1.65, 0.14, 0.15, 1.63, 0.32, 2.0],
    ]),
}  # fmt: skip
"""The same by scenario: for choices of Māori and for those of the British, as games of players with different weights
went; in the last row as the results of games that stood like this at the end of a half, for what a search leads to: a
town that Māori have not taken yet is 2 points that they may still get, and lose again.
"""


def fitted(game: AnyGame) -> NDArray[np.float64]:
    """Return the fitted weights for a game's scenario; those of taranaki for one that has none of its own."""
    return FITTED.get(str(game.params["scenario"]), FITTED["taranaki"])


@rule
def last_worth(state: Any, owner: int, w: Any) -> float:
    """Return what few structures take from their owner: a share of what the last one is worth."""
    if owner == BRITISH:
        return w[LAST_SETTLEMENT] / max(1, state.structures[SETTLEMENT])
    return w[LAST_VILLAGE] / max(1, state.structures[VILLAGE] + state.structures[PA])


@rule
def structure_worth(state: Any, hex_: int, w: Any) -> float:
    """Return what the structure and the town of a hex are worth to who owns them."""
    value, structure = 0.0, state.structure[hex_]
    if structure != NO_STRUCTURE:
        value = w[FORT_WORTH] if is_fort_or_pa(state, hex_) else w[VILLAGE_WORTH]
        if state.damaged[hex_] == 1:
            value -= w[DAMAGED]
        if land_units(state, structure_owner(state, hex_), hex_) == 0:
            value -= w[EMPTY]
    if state.town[hex_] == UNTAKEN:
        value += w[TOWN_WORTH]
    return value


@rule
def write_ready(rules: Any, state: Any, player: int, ready: Any) -> int:
    """Write where a player's ready fighting units on the map are, behind the distances; return how many there are.

    ready: int64[2 hexes and pieces at least], distances from structures before.
    """
    n, first = 0, 2 * state.hexes
    for piece in range(state.pieces):
        if state.place[piece] < rules.hexes and state.owner[piece] == player and state.disrupted[piece] == 0:
            ready[first + n] = state.place[piece]
            n += is_fighting(state, piece)
    return n


@rule
def strength_against(rules: Any, ready: Any, first: int, n: int, target: int, reach: int) -> int:
    """Count the units, of those that `write_ready` wrote, within so many hexes of a target."""
    near = 0
    for at in range(first, first + n):
        near += distance(rules, ready[at], target) <= reach
    return near


@rule
def gain_of(rules: Any, state: Any, player: int, target: int, own: int, w: Any) -> float:
    """Return what a player may expect to gain by an attack on a hex with so many units."""
    enemy, structure = 1 - player, state.structure[target]
    other, fort = fighting(state, enemy, target), is_fort_or_pa(state, target)
    if structure == FORT:
        other = max(other, rules.fort_strength)
    modifier = rules.attack_terrain[rules.rough[target]]
    occupied = land_units(state, enemy, target) != 0
    if fort:
        modifier = rules.fort_occupied if occupied else rules.fort_empty
    column = GREATER if own > other else LESSER if own < other else 1
    stands = structure_worth(state, target, w) + (1.0 if structure != NO_STRUCTURE else 0.0)
    if structure in (SETTLEMENT, VILLAGE, PA):
        stands += last_worth(state, enemy, w)
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
def threat_of(rules: Any, state: Any, player: int, reach: int, w: Any, near: Any) -> float:
    """Return what a player may expect to gain by attacks with the units that are within reach."""
    best, whole, n = 0.0, 0.0, write_ready(rules, state, player, near)
    for hex_ in range(state.hexes):
        if is_held(state, player, hex_) and (player == BRITISH or state.town[hex_] == 0 or rules.designated[hex_] == 1):
            own = strength_against(rules, near, 2 * state.hexes, n, hex_, reach)
            gain = gain_of(rules, state, player, hex_, own, w) if own > 0 else 0.0
            whole += gain
            best = max(best, gain)
    return best + w[MANY] * (whole - best)


@rule
def worth_of_pieces(rules: Any, state: Any, w: Any, near: Any) -> float:
    """Return what the pieces are worth to the British player, and where they are.

    near: distances of hexes from the enemy's structures, as `write_near` writes them.
    """
    value, warriors = 0.0, 0
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
            if place < rules.hexes and is_fighting(state, piece):
                own -= w[NEAR_ENEMY] * near[owner * state.hexes + place]
            warriors += kind == WARRIOR
        value += own if owner == BRITISH else -own
    return value + w[HUNGRY] * max(0, warriors - supplied(rules, state, WARRIOR))


@rule
def write_near(rules: Any, state: Any, near: Any) -> None:
    """Write how far each hex is from the nearest structure or town that a player attacks: Māori first, then British."""
    n = state.hexes
    for at in range(2 * n):
        near[at] = FAR
    for target in range(n):
        owner = structure_owner(state, target)
        if state.town[target] == UNTAKEN:
            owner = BRITISH
        if owner in (MAORI, BRITISH):
            first = (1 - owner) * n
            for hex_ in range(n):
                near[first + hex_] = min(near[first + hex_], distance(rules, hex_, target))


@rule
def write_worth(rules: Any, state: Any, w: Any, near: Any) -> float:
    """Return what a position is worth to the British player, in victory points."""
    value = state.marker + worth_of_pieces(rules, state, w, near)
    for hex_ in range(state.hexes):
        owner = structure_owner(state, hex_)
        if state.town[hex_] == UNTAKEN:
            owner = BRITISH
        if owner == BRITISH:
            value += structure_worth(state, hex_, w)
        elif owner == MAORI:
            value -= structure_worth(state, hex_, w)
    value += last_worth(state, MAORI, w) - last_worth(state, BRITISH, w)
    mover, other = state.half, 1 - state.half
    moving = 1 if state.stage >= MOVEMENT else int(w[REACH])
    soon, later = (w[SOON], w[LATER]) if state.stage < COMBAT else (w[LATER], w[SOON])
    lead = soon * threat_of(rules, state, mover, moving, w, near)
    lead -= later * threat_of(rules, state, other, int(w[REACH]), w, near)
    return value + lead if mover == BRITISH else value - lead


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
    rules, found = state.game.tables, state.interpreted()
    near = np.zeros(2 * found.hexes + found.pieces, np.int64)
    write_near(rules, found, near)
    return float(write_worth(rules, found, WEIGHTS, near))
