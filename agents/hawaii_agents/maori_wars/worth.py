"""Values of positions of Maori Wars, in victory points for the British player: the marker, what stands, what is
threatened.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hawaii_env.agents import check_game
from hawaii_env.core import rule
from hawaii_env.core.layout import Field, Layout
from hawaii_env.game import Game as AnyGame
from hawaii_env.maori_wars import Game, State
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
    NO_TOWN,
    PA,
    SETTLEMENT,
    TWO_LOSSES,
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

__all__ = ["FITTED", "WEIGHTS", "fitted", "new_near", "worth", "write_near", "write_worth"]

FAR = 12
"""The most that distances from enemy structures count."""

IN_FORT, EMPTY_FORT = 2, 3
"""Grounds of an attack behind those of the terrain: a fort or pa that is occupied, or empty."""

NEAR = Layout(
    "near",
    Field("hexes"),
    Field("pieces"),
    Field("odds", 4, 3, TWO_LOSSES + 1),  # by ground and column of the Combat Results Table: faces of a die by result
    Field("distance", 2, "hexes"),  # of each hex from the nearest structure or town that a player attacks
    Field("n_ready", 2),
    Field("ready", 2, "pieces", 2),  # a player's ready fighting units on the map: their coordinates
)
"""Notes on a position, by which it and those that follow are valued."""

view_near: Any = NEAR.view

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


def new_near(game: Game, compiled: bool) -> Any:
    """Return a record of `NEAR` for `write_near` and `write_worth`."""
    return NEAR.convert(NEAR.new(hexes=game.tables.hexes, pieces=game.tables.pieces), compiled)


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
def strength_against(rules: Any, player: int, target: int, reach: int, near: Any) -> int:
    """Count a player's ready fighting units within so many hexes of a target."""
    count, ready = 0, near.ready[player]
    x, y = rules.axial[target][0], rules.axial[target][1]
    for i in range(near.n_ready[player]):
        right, down = ready[i][0] - x, ready[i][1] - y
        count += max(abs(right), abs(down), abs(right + down)) <= reach
    return count


@rule
def gain_of(rules: Any, state: Any, player: int, target: int, own: int, w: Any, near: Any) -> float:
    """Return what a player may expect to gain by an attack on a hex with so many units."""
    enemy, structure = 1 - player, state.structure[target]
    other, fort = fighting(state, enemy, target), is_fort_or_pa(state, target)
    if structure == FORT:
        other = max(other, rules.fort_strength)
    occupied = land_units(state, enemy, target) != 0
    ground = rules.rough[target]
    if fort:
        ground = IN_FORT if occupied else EMPTY_FORT
    column = GREATER if own > other else LESSER if own < other else 1
    stands, odds = 0.0, near.odds[ground][column]
    if structure != NO_STRUCTURE:
        stands = structure_worth(state, target, w) + 1.0
        if structure in (SETTLEMENT, VILLAGE, PA):
            stands += last_worth(state, enemy, w)
    elif state.town[target] == UNTAKEN:
        stands = w[TOWN_WORTH]
    if state.town[target] == UNTAKEN:
        stands += rules.town_points
    if not occupied:
        return max(0.0, (6 - odds[0]) * stands / 6)
    unit, open_ = w[UNIT] - w[BOX] + 1.0, 0.0 if fort else stands
    value = (odds[1] + odds[2] * other) * w[DISRUPTED]
    value += odds[3] * (0.2 if fort else 0.3 + 0.8 * stands)
    value += odds[4] * (unit + (stands if other == 1 else 0.0))
    value += odds[5] * (unit + (stands if other == 1 else open_))
    value += odds[6] * (unit * min(2, other) + (stands if other <= 2 else open_))
    return max(0.0, value / 6 - w[DISRUPTED] * min(2, other))


@rule
def gain_at(rules: Any, state: Any, player: int, target: int, reach: int, w: Any, near: Any) -> float:
    """Return what a player may expect to gain by an attack on a hex with the units that are within reach."""
    if not is_held(state, player, target):
        return 0.0
    if player == MAORI and state.town[target] != NO_TOWN and rules.designated[target] == 0:
        return 0.0
    own = strength_against(rules, player, target, reach, near)
    return gain_of(rules, state, player, target, own, w, near) if own > 0 else 0.0


@rule
def worth_of_pieces(rules: Any, state: Any, w: Any, near: Any) -> float:
    """Return what the pieces are worth to the British player, and where they are; note who is ready to fight."""
    value, warriors = 0.0, 0
    near.n_ready[MAORI] = near.n_ready[BRITISH] = 0
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
                own -= w[NEAR_ENEMY] * near.distance[owner][place]
                if state.disrupted[piece] == 0:
                    at = near.ready[owner][near.n_ready[owner]]
                    at[0], at[1] = rules.axial[place][0], rules.axial[place][1]
                    near.n_ready[owner] += 1
            warriors += kind == WARRIOR
        value += own if owner == BRITISH else -own
    return value + w[HUNGRY] * max(0, warriors - supplied(rules, state, WARRIOR))


@rule
def write_odds(rules: Any, odds: Any) -> None:
    """Write how many faces of a die give each result: on each ground, in each column of the Combat Results Table."""
    for ground in range(4):
        modifier = rules.attack_terrain[ground % 2]
        if ground >= IN_FORT:
            modifier = rules.fort_occupied if ground == IN_FORT else rules.fort_empty
        for column in range(3):
            faces = odds[ground][column]
            for result in range(len(faces)):
                faces[result] = 0
            for die in range(1, 7):
                faces[rules.results[column][max(0, min(8, die + modifier))]] += 1


@rule
def write_near(rules: Any, state: Any, memory: Any) -> None:
    """Write how far each hex is from the nearest structure or town that a player attacks, and the odds of attacks."""
    near = view_near(memory)
    write_odds(rules, near.odds)
    for hex_ in range(state.hexes):
        near.distance[MAORI][hex_] = near.distance[BRITISH][hex_] = FAR
    for target in range(state.hexes):
        owner = structure_owner(state, target)
        if state.town[target] == UNTAKEN:
            owner = BRITISH
        if owner in (MAORI, BRITISH):
            far = near.distance[1 - owner]
            for hex_ in range(state.hexes):
                far[hex_] = min(far[hex_], distance(rules, hex_, target))


@rule
def write_worth(rules: Any, state: Any, w: Any, memory: Any) -> float:
    """Return what a position is worth to the British player, in victory points; `memory`: as of `write_near`."""
    near = view_near(memory)
    value = state.marker + worth_of_pieces(rules, state, w, near)
    far = int(w[REACH])
    moving = 1 if state.stage >= MOVEMENT else far
    reach = moving if state.half == MAORI else far
    reach_british = moving if state.half == BRITISH else far
    best, whole, best_british, whole_british = 0.0, 0.0, 0.0, 0.0
    for hex_ in range(state.hexes):
        structure, untaken = state.structure[hex_], state.town[hex_] == UNTAKEN
        units = land_units(state, MAORI, hex_) + land_units(state, BRITISH, hex_)
        if structure == NO_STRUCTURE and units == 0 and not untaken:
            continue
        owner = BRITISH if untaken else structure_owner(state, hex_)
        if owner == BRITISH:
            value += structure_worth(state, hex_, w)
        elif owner == MAORI:
            value -= structure_worth(state, hex_, w)
        gain = gain_at(rules, state, MAORI, hex_, reach, w, near)
        best, whole = max(best, gain), whole + gain
        gain = gain_at(rules, state, BRITISH, hex_, reach_british, w, near)
        best_british, whole_british = max(best_british, gain), whole_british + gain
    value += last_worth(state, MAORI, w) - last_worth(state, BRITISH, w)
    threat = best + w[MANY] * (whole - best)
    threat_british = best_british + w[MANY] * (whole_british - best_british)
    soon, later = (w[SOON], w[LATER]) if state.stage < COMBAT else (w[LATER], w[SOON])
    if state.half == BRITISH:
        return value + (soon * threat_british - later * threat)
    return value - (soon * threat - later * threat_british)


def worth(state: State) -> float:
    """Return what a position is worth to the British player, in victory points."""
    check_game("worth", ("maori_wars",), state.game)
    rules, found = state.game.tables, state.interpreted()
    near = new_near(state.game, compiled=False)
    write_near(rules, found, near)
    return float(write_worth(rules, found, WEIGHTS, near))
