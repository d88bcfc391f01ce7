"""Orders and which of them are possible [Armies, Boats, Fleets, Post, Convoys].

What can be ordered depends on the position alone, as who orders sees it: nothing that others order matters [R-07].
While starts are hidden a European sees the fleets of Europeans and nothing else: then `blind` is 1 [R-20].
"""

from __future__ import annotations

from typing import Any, NamedTuple

from hawaii_env.core.jit import rule

from .board import ARMY, BUNCH, FLEET
from .convoys import can_be_convoyed, carries, chain, list_chains, may_land
from .forms import room
from .state import NOBODY
from .tables import (
    BARE,
    COAST,
    EUROPEAN,
    FIRST_STAND,
    HEIAU,
    INLAND_FROM,
    KIND_OF,
    LAST_STAND,
    MOVES_TO,
    N_PLACES,
    N_SPACES,
    REACH,
    SEA,
    SPACE_OF,
    WAYS,
)

__all__ = [
    "BOATS", "CONVOY", "HOLD", "MOVE", "POST", "SUPPORT", "VERBS", "VIA", "Order", "boats_can_be_built", "burns",
    "convoys",
    "is_possible", "list_fleets", "list_orders", "post_can_be_built", "reaches", "stands", "supports", "via_reaches",
    "without",
]  # fmt: skip

HOLD, MOVE, VIA, SUPPORT, CONVOY, BOATS, POST = range(7)
VERBS = ("hold", "move", "via", "support", "convoy", "boats", "post")


class Order(NamedTuple):
    """What a unit is ordered to do.

    Attributes:
        verb: HOLD to POST.
        source: the space of the unit that is supported or convoyed, else -1.
        target: MOVE, VIA, BOATS: the place, with its coast where that matters. CONVOY: the destination's space.
            SUPPORT: the destination's space, or `source` itself for a unit that stays [R-06]. Else -1.
    """

    verb: int
    source: int = -1
    target: int = -1


@rule
def burns(rules: Any, kind: int, place: int, verb: int, target: int) -> bool:
    """An order burns its bunch's boats as soon as orders are revealed [Boats 3, R-07, R-28].

    A bunch burns them by a plain move inland, or by support into a space that is inland to it; success does not matter.
    """
    if kind != BUNCH or verb not in (MOVE, SUPPORT):
        return False
    space = rules[rules[SPACE_OF] + target] if verb == MOVE else target
    return rules[rules[INLAND_FROM] + place * rules[N_SPACES] + space] != 0


@rule
def reaches(rules: Any, kind: int, place: int, space: int) -> bool:
    """A unit gets there by itself [Armies, Boats 2, Boats 3, Fleets]."""
    return rules[rules[REACH] + (kind * rules[N_PLACES] + place) * rules[N_SPACES] + space] != 0


@rule
def stands(rules: Any, spaces: Any, space: int, blind: int) -> bool:
    """A unit stands there, as who orders sees it [R-20]."""
    at = spaces[space]
    return at.kind != NOBODY and (blind == 0 or rules[rules[EUROPEAN] + at.power] != 0)


@rule
def list_fleets(rules: Any, spaces: Any, blind: int, fleets: Any) -> int:
    """Write the places of all fleets, in table order; return how many there are."""
    n = 0
    for space in range(rules[N_SPACES]):
        if spaces[space].kind == FLEET and stands(rules, spaces, space, blind):
            fleets[n] = spaces[space].place
            n += 1
    return n


@rule
def is_stand(rules: Any, space: int, place: int) -> bool:
    """A bunch or fleet can stand in this place of the space: a coast, or where there is none the space itself."""
    return rules[rules[FIRST_STAND] + space] <= place <= rules[rules[LAST_STAND] + space]


@rule
def via_reaches(rules: Any, spaces: Any, space: int, place: int, fleets: Any, count: int) -> bool:
    """Some chain of the fleets carries the unit to this place; a bunch names its coast there [R-08, R-09]."""
    unit, there = spaces[space], rules[rules[SPACE_OF] + place]
    if count == 0 or there == space or not can_be_convoyed(rules, unit.kind, unit.place):
        return False
    if not may_land(rules, unit.kind, there):
        return False
    if unit.kind == ARMY:
        return place == rules[rules[BARE] + there] and chain(rules, ARMY, unit.place, place, fleets, count)
    return is_stand(rules, there, place) and chain(rules, unit.kind, unit.place, place, fleets, count)


@rule
def supports(rules: Any, spaces: Any, space: int, source: int, target: int, fleets: Any, count: int) -> bool:
    """The unit in `space` can support the one in `source` to go to `target`; `source` itself is to stay there [R-06].

    It reaches the target by itself, which is not its own space; the other could go there by itself, or by a chain of
    the fleets (those beside itself). Whoever owns the units, and whatever stands there. Both are seen.
    """
    unit = spaces[space]
    if source == space or target == space or not reaches(rules, unit.kind, unit.place, target):
        return False
    other = spaces[source]
    if target == source or reaches(rules, other.kind, other.place, target):
        return True
    return other.kind != FLEET and carries(rules, other.kind, other.place, target, fleets, count)


@rule
def without(fleets: Any, count: int, place: int, others: Any) -> int:
    """Write the fleets but the one in this place; return how many there are."""
    n = 0
    for i in range(count):
        if fleets[i] != place:
            others[n] = fleets[i]
            n += 1
    return n


@rule
def convoys(rules: Any, spaces: Any, space: int, source: int, fleets: Any, count: int, found: Any) -> int:
    """Mark in `found`, by space, where the fleet in `space` can help to convoy the unit in `source`; return how many
    [Convoys, Boats 1].
    """
    fleet, other = spaces[space], spaces[source]
    if fleet.kind != FLEET or source == space or not can_be_convoyed(rules, other.kind, other.place):
        return 0
    index = 0
    for i in range(count):
        if fleets[i] == fleet.place:
            index = i
    return list_chains(rules, other.kind, other.place, fleets, count, index, found)


@rule
def boats_can_be_built(rules: Any, spaces: Any, space: int) -> bool:
    """An army in a coastal space becomes a bunch [Armies, R-11]."""
    return spaces[space].kind == ARMY and rules[rules[KIND_OF] + space] == COAST


@rule
def post_can_be_built(rules: Any, spaces: Any, space: int) -> bool:
    """A fleet stands on land without heiau or post, where its power could build [Post, R-13]."""
    free = rules[rules[HEIAU] + space] == 0 and spaces[space].post == 0
    return spaces[space].kind == FLEET and rules[rules[KIND_OF] + space] != SEA and free


@rule
def is_possible(
    rules: Any, spaces: Any, space: int, verb: int, source: int, target: int, unbuilt: int, blind: int
) -> bool:
    """The unit can be given this order; `unbuilt`: its power's post is unbuilt."""
    unit, n = spaces[space], rules[N_PLACES]
    if verb == HOLD:
        return True
    if verb == MOVE:
        way = unit.kind * n + unit.place
        for k in range(rules[rules[WAYS] + way], rules[rules[WAYS] + way + 1]):
            if rules[rules[MOVES_TO] + k] == target:
                return True
        return False
    if verb == BOATS:
        return boats_can_be_built(rules, spaces, space) and is_stand(rules, space, target)
    if verb == POST:
        return unbuilt != 0 and post_can_be_built(rules, spaces, space)
    fleets = room(n, 0)
    count = list_fleets(rules, spaces, blind, fleets)
    if verb == VIA:
        return via_reaches(rules, spaces, space, target, fleets, count)
    if not stands(rules, spaces, source, blind):
        return False
    found = room(rules[N_SPACES], 0)
    if verb == CONVOY:
        return convoys(rules, spaces, space, source, fleets, count, found) > 0 and found[target] != 0
    others = room(n, 0)
    return supports(rules, spaces, space, source, target, others, without(fleets, count, unit.place, others))


@rule
def put_order(out: Any, n: int, verb: int, source: int, target: int) -> int:
    """Append an order to a list of them, three numbers each; return the new number of orders."""
    out[3 * n], out[3 * n + 1], out[3 * n + 2] = verb, source, target
    return n + 1


@rule
def list_orders(rules: Any, spaces: Any, space: int, unbuilt: int, blind: int, out: Any) -> int:
    """Write every order that the unit can be given: verb, source, target. Return how many there are."""
    unit, p, size = spaces[space], rules[N_PLACES], rules[N_SPACES]
    n = put_order(out, 0, HOLD, NOBODY, NOBODY)
    way = unit.kind * p + unit.place
    for k in range(rules[rules[WAYS] + way], rules[rules[WAYS] + way + 1]):
        n = put_order(out, n, MOVE, NOBODY, rules[rules[MOVES_TO] + k])
    fleets, others, found = room(p, 0), room(p, 0), room(size, 0)
    count = list_fleets(rules, spaces, blind, fleets)
    if count > 0:
        for place in range(p):
            if via_reaches(rules, spaces, space, place, fleets, count):
                n = put_order(out, n, VIA, NOBODY, place)
    count_others = without(fleets, count, unit.place, others)
    for source in range(size):
        if stands(rules, spaces, source, blind):
            for target in range(size):
                if supports(rules, spaces, space, source, target, others, count_others):
                    n = put_order(out, n, SUPPORT, source, target)
    for source in range(size):
        seen = unit.kind == FLEET and stands(rules, spaces, source, blind)
        if seen and convoys(rules, spaces, space, source, fleets, count, found) > 0:
            for target in range(size):
                if found[target] != 0:
                    n = put_order(out, n, CONVOY, source, target)
    if boats_can_be_built(rules, spaces, space):
        for place in range(rules[rules[FIRST_STAND] + space], rules[rules[LAST_STAND] + space] + 1):
            n = put_order(out, n, BOATS, NOBODY, place)
    if unbuilt != 0 and post_can_be_built(rules, spaces, space):
        n = put_order(out, n, POST, NOBODY, NOBODY)
    return n
