"""Orders and which of them are possible [Armies, Boats, Fleets, Post, Convoys].

What can be ordered depends on the position alone, as who orders sees it: nothing that others order matters [R-07].
While starts are hidden a European sees the fleets of Europeans and nothing else: then `blind` is 1 [R-20].
"""

from __future__ import annotations

from typing import Any, NamedTuple

from hawaii_env.core.jit import rule
from hawaii_env.core.layout import new_array

from .board import ARMY, BUNCH, FLEET
from .convoys import can_be_convoyed, carries, chain, list_chains, may_land
from .state import NOBODY
from .tables import COAST, SEA

__all__ = [
    "BOATS", "CONVOY", "HOLD", "MOVE", "POST", "SUPPORT", "VERBS", "VIA", "Order", "boats_can_be_built", "burns",
    "convoys",
    "is_possible", "list_fleets", "list_orders", "post_can_be_built", "reaches", "stands", "supports", "via_reaches",
    "without",
]  # fmt: skip

HOLD, MOVE, VIA, SUPPORT, CONVOY, BOATS, POST = range(7)
VERBS = ("hold", "move", "via", "support", "convoy", "boats", "post")


class Order(NamedTuple):
    """The order of a unit.

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
    """Return True if an order burns its bunch's boats as soon as orders are revealed [Boats 3, R-07, R-28].

    A bunch burns them by a plain move inland, or by support into a space that is inland to it; success does not matter.
    """
    if kind != BUNCH or verb not in (MOVE, SUPPORT):
        return False
    space = rules.space_of[target] if verb == MOVE else target
    return rules.inland[place][space] != 0


@rule
def reaches(rules: Any, kind: int, place: int, space: int) -> bool:
    """Return True if a unit gets there by itself [Armies, Boats 2, Boats 3, Fleets]."""
    return rules.reach[kind][place][space] != 0


@rule
def stands(rules: Any, state: Any, space: int, blind: int) -> bool:
    """Return True if a unit stands there, as who orders sees it [R-20]."""
    return state.kind[space] != NOBODY and (blind == 0 or rules.european[state.power[space]] != 0)


@rule
def list_fleets(rules: Any, state: Any, blind: int, fleets: Any) -> int:
    """Write the places of all fleets, in table order; return how many there are."""
    n = 0
    for space in range(rules.spaces):
        if state.kind[space] == FLEET and stands(rules, state, space, blind):
            fleets[n] = state.place[space]
            n += 1
    return n


@rule
def is_stand(rules: Any, space: int, place: int) -> bool:
    """Return True if a bunch or fleet can stand in this place of the space: a coast, or where there is none the space
    itself.
    """
    return rules.first_stand[space] <= place <= rules.last_stand[space]


@rule
def via_reaches(rules: Any, state: Any, space: int, place: int, fleets: Any, count: int) -> bool:
    """Return True if some chain of the fleets carries the unit to this place; a bunch names its coast there [R-08,
    R-09].
    """
    there = rules.space_of[place]
    if count == 0 or there == space or not can_be_convoyed(rules, state.kind[space], state.place[space]):
        return False
    if not may_land(rules, state.kind[space], there):
        return False
    if state.kind[space] == ARMY:
        return place == rules.bare[there] and chain(rules, ARMY, state.place[space], place, fleets, count)
    return is_stand(rules, there, place) and chain(rules, state.kind[space], state.place[space], place, fleets, count)


@rule
def supports(rules: Any, state: Any, space: int, source: int, target: int, fleets: Any, count: int) -> bool:
    """Return True if the unit in `space` can support the one in `source` to go to `target`; `source` itself is to stay
    there [R-06].

    It reaches the target by itself, which is not its own space; the other could go there by itself, or by a chain of
    the fleets (those beside itself). Whoever owns the units, and whatever stands there. Both are seen.
    """
    if source == space or target == space or not reaches(rules, state.kind[space], state.place[space], target):
        return False
    if target == source or reaches(rules, state.kind[source], state.place[source], target):
        return True
    return state.kind[source] != FLEET and carries(
        rules, state.kind[source], state.place[source], target, fleets, count
    )


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
def convoys(rules: Any, state: Any, space: int, source: int, fleets: Any, count: int, found: Any) -> int:
    """Mark in `found`, by space, where the fleet in `space` can help to convoy the unit in `source`; return how many
    [Convoys, Boats 1].
    """
    if (
        state.kind[space] != FLEET
        or source == space
        or not can_be_convoyed(rules, state.kind[source], state.place[source])
    ):
        return 0
    index = 0
    for i in range(count):
        if fleets[i] == state.place[space]:
            index = i
    return list_chains(rules, state.kind[source], state.place[source], fleets, count, index, found)


@rule
def boats_can_be_built(rules: Any, state: Any, space: int) -> bool:
    """Return True for an army in a coastal space becomes a bunch [Armies, R-11]."""
    return state.kind[space] == ARMY and rules.kind[space] == COAST


@rule
def post_can_be_built(rules: Any, state: Any, space: int) -> bool:
    """Return True if a fleet stands on land without heiau or post, where its power could build [Post, R-13]."""
    free = rules.heiau[space] == 0 and state.post[space] == 0
    return state.kind[space] == FLEET and rules.kind[space] != SEA and free


@rule
def is_possible(
    rules: Any, state: Any, space: int, verb: int, source: int, target: int, unbuilt: int, blind: int
) -> bool:
    """Return True if the unit can be given this order; `unbuilt`: its power's post is unbuilt."""
    n = rules.places
    if verb == HOLD:
        return True
    if verb == MOVE:
        way = rules.ways[state.kind[space]][state.place[space]]
        for k in range(way[0], way[1]):
            if rules.moves[k] == target:
                return True
        return False
    if verb == BOATS:
        return boats_can_be_built(rules, state, space) and is_stand(rules, space, target)
    if verb == POST:
        return unbuilt != 0 and post_can_be_built(rules, state, space)
    fleets = new_array(n, 0)
    count = list_fleets(rules, state, blind, fleets)
    if verb == VIA:
        return via_reaches(rules, state, space, target, fleets, count)
    if not stands(rules, state, source, blind):
        return False
    found = new_array(rules.spaces, 0)
    if verb == CONVOY:
        return convoys(rules, state, space, source, fleets, count, found) > 0 and found[target] != 0
    others = new_array(n, 0)
    return supports(rules, state, space, source, target, others, without(fleets, count, state.place[space], others))


@rule
def put_order(out: Any, n: int, verb: int, source: int, target: int) -> int:
    """Append an order to rows of them; return the new number of orders."""
    row = out[n]
    row[0], row[1], row[2] = verb, source, target
    return n + 1


@rule
def list_orders(rules: Any, state: Any, space: int, unbuilt: int, blind: int, out: Any) -> int:
    """Write every order that the unit can be given, a row each: verb, source, target. Return how many there are."""
    p, size = rules.places, rules.spaces
    n = put_order(out, 0, HOLD, NOBODY, NOBODY)
    way = rules.ways[state.kind[space]][state.place[space]]
    for k in range(way[0], way[1]):
        n = put_order(out, n, MOVE, NOBODY, rules.moves[k])
    fleets, others, found = new_array(p, 0), new_array(p, 0), new_array(size, 0)
    count = list_fleets(rules, state, blind, fleets)
    if count > 0:
        for place in range(p):
            if via_reaches(rules, state, space, place, fleets, count):
                n = put_order(out, n, VIA, NOBODY, place)
    count_others = without(fleets, count, state.place[space], others)
    for source in range(size):
        if stands(rules, state, source, blind):
            for target in range(size):
                if supports(rules, state, space, source, target, others, count_others):
                    n = put_order(out, n, SUPPORT, source, target)
    for source in range(size):
        seen = state.kind[space] == FLEET and stands(rules, state, source, blind)
        if seen and convoys(rules, state, space, source, fleets, count, found) > 0:
            for target in range(size):
                if found[target] != 0:
                    n = put_order(out, n, CONVOY, source, target)
    if boats_can_be_built(rules, state, space):
        for place in range(rules.first_stand[space], rules.last_stand[space] + 1):
            n = put_order(out, n, BOATS, NOBODY, place)
    if unbuilt != 0 and post_can_be_built(rules, state, space):
        n = put_order(out, n, POST, NOBODY, NOBODY)
    return n
