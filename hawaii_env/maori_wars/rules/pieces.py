"""Pieces and structures on the map, and what a hex is to a player [3.0, 4.0, 6.0].

`state.count[owner][hex]` packs what an owner has in a hex: fighting units, of these the British without Queenites,
artillery, and leaders and boats. Of neutrals it counts units and leaders.
"""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule

from .actions import FIRST_UNIT
from .names import (
    ARTILLERY,
    BRITISH,
    CANOE,
    CATEGORIES,
    FORT,
    GUNBOAT,
    KINDS,
    LEADER,
    MAORI,
    NEUTRAL,
    NEUTRAL_UNIT,
    NEUTRAL_VILLAGE,
    NO_STRUCTURE,
    NO_TOWN,
    PA,
    QUEENITE,
    QUEENITE_PA,
    TAKEN,
    UNTAKEN,
    WARRIOR,
)
from .victory import award, structure_lost

FIGHTING, PROPER, GUN, SOFT = 1, 16, 256, 4096
"""Weights in `state.count`: a fighting unit, one more if it is British and no Queenite, artillery, a leader or boat."""

LAND = SOFT - 1
"""Mask of the land units."""

OWNER_OF = (-1, BRITISH, BRITISH, MAORI, MAORI, BRITISH, BRITISH, NEUTRAL, NEUTRAL)
"""Owner of each structure, by its number."""

NEUTRAL_LEADER = CATEGORIES.index("neutral")


# What a piece is


@rule
def is_leader(state: Any, piece: int) -> bool:
    """[3.0] Return True for a leader."""
    return state.kind[piece] >= LEADER


@rule
def is_boat(state: Any, piece: int) -> bool:
    """[3.0] Return True for a gunboat or canoe."""
    return state.kind[piece] == GUNBOAT or state.kind[piece] == CANOE


@rule
def is_land_unit(state: Any, piece: int) -> bool:
    """[3.0] Return True for a unit that is not a boat; neutral ones are none."""
    kind = state.kind[piece]
    return kind < NEUTRAL_UNIT and kind != GUNBOAT and kind != CANOE


@rule
def is_fighting(state: Any, piece: int) -> bool:
    """[3.0] Return True for a land unit other than artillery."""
    return is_land_unit(state, piece) and state.kind[piece] != ARTILLERY


@rule
def category(rules: Any, state: Any, piece: int) -> int:
    """[3.0, 8.0] Return the category of a leader, an index of CATEGORIES; neutral ones who joined are Māori or
    Queenite.
    """
    own = rules.category[state.kind[piece] - LEADER]
    if own == NEUTRAL_LEADER and state.owner[piece] != NEUTRAL:
        return state.owner[piece]  # 0 Māori, 1 Queenite
    return own


@rule
def has(state: Any, piece: int, mark: int) -> bool:
    """Return True if a piece has a mark."""
    return state.did[piece] & mark != 0


@rule
def mark(state: Any, piece: int, marks: int) -> None:
    """Give a piece marks."""
    state.did[piece] |= marks


@rule
def unmark(state: Any, piece: int, marks: int) -> None:
    """Take marks from a piece."""
    state.did[piece] &= ~marks


@rule
def clear_marks(state: Any) -> None:
    """Take all marks from pieces and hexes, as when a stage begins."""
    for piece in range(state.pieces):
        state.did[piece], state.points[piece], state.origin[piece], state.face[piece] = 0, 0, -1, 0
    for hex_ in range(state.hexes):
        state.bound[hex_], state.used[hex_] = -1, 0


@rule
def unit_action(state: Any, piece: int) -> int:
    """Return the action `unit` that names a piece; pieces alike have the same."""
    kind = state.kind[piece]
    if kind >= LEADER:
        return FIRST_UNIT + 2 * len(KINDS) + kind - LEADER
    return FIRST_UNIT + kind + len(KINDS) * state.disrupted[piece]


@rule
def offer(state: Any, n: int, action: int) -> int:
    """Add an action to the n legal ones, which ascend, if it is not among them; return how many they are."""
    at = n
    while at > 0 and state.legal[at - 1] > action:
        at -= 1
    if at > 0 and state.legal[at - 1] == action:
        return n
    for later in range(n, at, -1):
        state.legal[later] = state.legal[later - 1]
    state.legal[at] = action
    return n + 1


# What a hex is


@rule
def fighting(state: Any, player: int, hex_: int) -> int:
    """[9.0] Count a player's fighting units in a hex."""
    return state.count[player][hex_] & 15


@rule
def land_units(state: Any, player: int, hex_: int) -> int:
    """[3.0] Return more than 0 if a player has land units in a hex, artillery too."""
    return state.count[player][hex_] & LAND


@rule
def structure_owner(state: Any, hex_: int) -> int:
    """[3.0] Return who owns the structure of a hex: a player, NEUTRAL, or -1 for none. Towns do not count."""
    return OWNER_OF[state.structure[hex_]]


@rule
def is_held(state: Any, player: int, hex_: int) -> bool:
    """[6.0] Return True if a hex is enemy-held to a player: a land unit, a structure or an untaken town [R-08]."""
    enemy = 1 - player
    if state.count[enemy][hex_] & LAND != 0 or OWNER_OF[state.structure[hex_]] == enemy:
        return True
    return player == MAORI and state.town[hex_] == UNTAKEN


@rule
def is_soft(state: Any, player: int, hex_: int) -> bool:
    """[6.0] Return True if enemy leaders or boats are in a hex that is not enemy-held."""
    return state.count[1 - player][hex_] >= SOFT and not is_held(state, player, hex_)


@rule
def is_neutral(state: Any, hex_: int) -> bool:
    """[6.0] Return True if neutral counters are in a hex."""
    return state.count[NEUTRAL][hex_] > 0 or state.structure[hex_] >= NEUTRAL_VILLAGE


@rule
def is_open(state: Any, player: int, hex_: int) -> bool:
    """[6.0] Return True if a player's pieces may end in a hex: neither enemy-held nor soft nor neutral."""
    return state.count[1 - player][hex_] == 0 and not is_held(state, player, hex_) and not is_neutral(state, hex_)


@rule
def limit_in(rules: Any, state: Any, player: int, hex_: int, proper: int) -> int:
    """[4.0] Return the stacking limit of a player in a hex, with so many more British units that are not Queenites."""
    if rules.rough[hex_] == 1 and (state.count[player][hex_] // PROPER) % 16 + proper > 0:
        return rules.stack_rough
    return rules.stack


@rule
def room(rules: Any, state: Any, player: int, hex_: int, units: int, proper: int) -> bool:
    """[4.0, R-07] Return True if a player's hex holds so many fighting units more, `proper` of them British and no
    Queenites.
    """
    return units == 0 or fighting(state, player, hex_) + units <= limit_in(rules, state, player, hex_, proper)


@rule
def fits(rules: Any, state: Any, piece: int, hex_: int) -> bool:
    """[4.0, 6.0, R-07] Return True if a piece has room in a hex; a gunboat on a coast or dotted river alone."""
    if state.kind[piece] == GUNBOAT and rules.coastal[hex_] == 0 and rules.navigable[hex_] == 0:
        return False
    weight = weight_of(rules, state, piece)
    return room(rules, state, state.owner[piece], hex_, weight % 16, (weight // PROPER) % 16)


@rule
def may_stand(rules: Any, state: Any, piece: int, hex_: int) -> bool:
    """[4.0, 6.0] Return True if a hex is open to a piece and has room."""
    return is_open(state, state.owner[piece], hex_) and fits(rules, state, piece, hex_)


@rule
def weight_of(rules: Any, state: Any, piece: int) -> int:
    """[4.0] Return what a piece counts in `state.count`."""
    return rules.weight[min(state.kind[piece], LEADER)]


@rule
def enemy_near(rules: Any, state: Any, player: int, hex_: int) -> bool:
    """[5.0, 12.0] Return True if an enemy unit, boats too, is next to a hex, across any side."""
    for side in range(6):
        near = rules.neighbour[hex_][side]
        if near >= 0 and has_unit(state, 1 - player, near):
            return True
    return False


@rule
def has_unit(state: Any, player: int, hex_: int) -> bool:
    """[3.0] Return True if a player has a unit in a hex, boats too."""
    count = state.count[player][hex_]
    if count & LAND != 0:
        return True
    if count == 0:
        return False
    piece = state.first[hex_]
    while piece >= 0:
        if state.owner[piece] == player and state.kind[piece] < NEUTRAL_UNIT:
            return True
        piece = state.next[piece]
    return False


@rule
def distance(rules: Any, hex_: int, other: int) -> int:
    """[8.0, 12.0, R-03] Return how far two hexes are apart, over any terrain."""
    x = rules.axial[hex_][0] - rules.axial[other][0]
    y = rules.axial[hex_][1] - rules.axial[other][1]
    return max(abs(x), abs(y), abs(x + y))


@rule
def is_all_land(rules: Any, hex_: int) -> bool:
    """[6.0] Return True for a hex that is neither coastal nor lake nor on a river."""
    return rules.coastal[hex_] == 0 and rules.lake[hex_] == 0 and rules.river[hex_] == 0


# Pieces move


@rule
def unlink(rules: Any, state: Any, piece: int) -> None:
    """Take a piece out of its place; `link` must follow."""
    place = state.place[piece]
    if state.first[place] == piece:
        state.first[place] = state.next[piece]
    else:
        before = state.first[place]
        while state.next[before] != piece:
            before = state.next[before]
        state.next[before] = state.next[piece]
    if place < rules.hexes:
        state.count[state.owner[piece]][place] -= weight_of(rules, state, piece)


@rule
def link(rules: Any, state: Any, piece: int, place: int) -> None:
    """Put a piece that is nowhere into a place: by kind, ready before Disrupted."""
    state.place[piece] = place
    key = 2 * state.kind[piece] + state.disrupted[piece]
    before, after = -1, state.first[place]
    while after >= 0 and 2 * state.kind[after] + state.disrupted[after] <= key:
        before, after = after, state.next[after]
    state.next[piece] = after
    if before < 0:
        state.first[place] = piece
    else:
        state.next[before] = piece
    if place < rules.hexes:
        state.count[state.owner[piece]][place] += weight_of(rules, state, piece)


@rule
def beach_canoes(rules: Any, state: Any, hex_: int) -> None:
    """[6.0] Remove canoes from an all-land hex in which no unit is left that may carry them."""
    if not is_all_land(rules, hex_):
        return
    piece = state.first[hex_]
    while piece >= 0:
        following = state.next[piece]
        if state.kind[piece] == CANOE:
            carrier = WARRIOR if state.owner[piece] == MAORI else QUEENITE
            if first_of(state, hex_, carrier) < 0:
                unlink(rules, state, piece)
                state.disrupted[piece], state.did[piece] = 0, 0
                link(rules, state, piece, rules.out)
        piece = following


@rule
def first_of(state: Any, place: int, kind: int) -> int:
    """Return the first piece of a kind in a place, ready before Disrupted; -1 for none."""
    piece = state.first[place]
    while piece >= 0 and state.kind[piece] != kind:
        piece = state.next[piece]
    return piece


@rule
def place_piece(rules: Any, state: Any, piece: int, place: int) -> None:
    """[6.0, R-08] Move a piece to a place. Canoes on land without a carrier are removed, those that it leaves and one
    that comes there; a unit that enters a town takes it, or takes it back, unless the game is over.
    """
    start = state.place[piece]
    unlink(rules, state, piece)
    link(rules, state, piece, place)
    kind = state.kind[piece]
    if start < rules.hexes and kind in (WARRIOR, QUEENITE):
        beach_canoes(rules, state, start)
    if place < rules.hexes and kind == CANOE:
        beach_canoes(rules, state, place)
    if place < rules.hexes and state.town[place] != NO_TOWN and kind < NEUTRAL_UNIT and state.result == 0:
        if state.owner[piece] == MAORI and state.town[place] == UNTAKEN:
            state.town[place] = TAKEN
            award(rules, state, MAORI, rules.town_points)
        elif state.owner[piece] == BRITISH and state.town[place] == TAKEN:
            state.town[place] = UNTAKEN
            award(rules, state, BRITISH, rules.town_points)


@rule
def set_disrupted(rules: Any, state: Any, piece: int, disrupted: int) -> None:
    """[11.0] Disrupt or rally a unit."""
    place = state.place[piece]
    unlink(rules, state, piece)
    state.disrupted[piece] = disrupted
    link(rules, state, piece, place)


@rule
def leave_map(rules: Any, state: Any, piece: int, place: int) -> None:
    """Move a piece to a Box, or out of the game, ready and without marks."""
    start = state.place[piece]
    unlink(rules, state, piece)
    state.disrupted[piece], state.did[piece], state.points[piece], state.origin[piece] = 0, 0, 0, -1
    link(rules, state, piece, place)
    if start < rules.hexes:
        beach_canoes(rules, state, start)


@rule
def eliminate(rules: Any, state: Any, piece: int) -> None:
    """[9.0, R-40] A unit goes to its player's Box, a leader out of the game; the other player gets points."""
    owner = state.owner[piece]
    if is_leader(state, piece):
        leave_map(rules, state, piece, rules.out)
        award(rules, state, 1 - owner, rules.leader_points)
    else:
        leave_map(rules, state, piece, rules.box)
        award(rules, state, 1 - owner, rules.unit_points)


# Structures


@rule
def set_structure(state: Any, hex_: int, structure: int) -> None:
    """[3.0] Put a ready structure into a hex in place of what is there, or take it away."""
    state.structures[state.structure[hex_]] -= 1
    state.structures[structure] += 1
    state.structure[hex_], state.damaged[hex_] = structure, 0


@rule
def is_fort_or_pa(state: Any, hex_: int) -> bool:
    """[9.0] Return True if a fort or pa of a player stands in a hex."""
    structure = state.structure[hex_]
    return structure in (FORT, PA, QUEENITE_PA)


@rule
def reduce_structure(rules: Any, state: Any, hex_: int) -> None:
    """[9.0, 11.0] A fort or pa becomes a ready settlement or village, a fort on a town is removed: points to the other
    player.
    """
    structure = state.structure[hex_]
    owner = OWNER_OF[structure]
    if structure == FORT and state.town[hex_] != NO_TOWN:
        set_structure(state, hex_, NO_STRUCTURE)
    else:
        set_structure(state, hex_, structure - 1)
    award(rules, state, 1 - owner, rules.structure_points[structure])


@rule
def remove_structure(rules: Any, state: Any, hex_: int) -> None:
    """[9.0, 11.0] Remove a structure; a fort or pa counts as itself and as the settlement or village under it, a fort
    on a town as itself alone.
    """
    structure = state.structure[hex_]
    owner = OWNER_OF[structure]
    points = rules.structure_points[structure]
    if is_fort_or_pa(state, hex_) and not (structure == FORT and state.town[hex_] != NO_TOWN):
        points += rules.structure_points[structure - 1]
    set_structure(state, hex_, NO_STRUCTURE)
    award(rules, state, 1 - owner, points)
    structure_lost(state, structure)
