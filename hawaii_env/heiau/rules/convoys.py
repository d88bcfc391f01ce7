"""Chains of fleets [Convoys]."""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule
from hawaii_env.core.layout import new_array

from .board import ARMY, FLEET
from .tables import COAST, INLAND, SEA

__all__ = ["beside", "can_be_convoyed", "carries", "chain", "list_chains", "may_land"]


@rule
def can_be_convoyed(rules: Any, kind: int, place: int) -> bool:
    """Return True for an army or bunch in a coastal space [Convoys]; a bunch at sea is not convoyed [R-10]."""
    return kind != FLEET and rules.kind[rules.space_of[place]] == COAST


@rule
def may_land(rules: Any, kind: int, space: int) -> bool:
    """Return True if a convoy may end there: in a coastal space; a bunch's also in a sea that is not an ocean [Convoys,
    Boats 2].
    """
    what = rules.kind[space]
    return what != INLAND and rules.ocean[space] == 0 and (what != SEA or kind != ARMY)


@rule
def beside(rules: Any, kind: int, place: int, other: int) -> bool:
    """Return True if a place is next by water to a unit: to either coast of an army's space, to a bunch's own
    [R-09].
    """
    if kind != ARMY:
        return rules.water[place][other] != 0
    at = rules.space_of[place]
    for p in range(rules.first_stand[at], rules.last_stand[at] + 1):
        if rules.water[p][other] != 0:
            return True
    return False


@rule
def chain(rules: Any, kind: int, place: int, goal: int, fleets: Any, count: int) -> bool:
    """Return True if fleets in these places carry a unit to a place; an army to whichever coast [Convoys, R-09].

    The first is next by water to the unit, each to the one before, the last to the end; none stands in the destination.
    """
    there = rules.space_of[goal]
    first, last = goal, goal
    if kind == ARMY:
        first, last = rules.first_stand[there], rules.last_stand[there]
    joined = new_array(count, 0)
    growing = True
    while growing:
        growing = False
        for i in range(count):
            fleet = fleets[i]
            if joined[i] != 0 or rules.space_of[fleet] == there:
                continue
            near = beside(rules, kind, place, fleet)
            for j in range(count):
                if joined[j] != 0 and rules.water[fleets[j]][fleet] != 0:
                    near = True
            if near:
                joined[i] = 1
                growing = True
                for end in range(first, last + 1):
                    if rules.water[fleet][end] != 0:
                        return True
    return False


@rule
def carries(rules: Any, kind: int, place: int, space: int, fleets: Any, count: int) -> bool:
    """Return True if fleets in these places could carry the unit to a space, on whichever coast [Convoys]."""
    if count == 0 or space == rules.space_of[place]:
        return False
    if not can_be_convoyed(rules, kind, place) or not may_land(rules, kind, space):
        return False
    if kind == ARMY:
        return chain(rules, kind, place, rules.bare[space], fleets, count)
    for end in range(rules.first_stand[space], rules.last_stand[space] + 1):
        if chain(rules, kind, place, end, fleets, count):
            return True
    return False


@rule
def list_chains(rules: Any, kind: int, place: int, fleets: Any, count: int, fleet: int, found: Any) -> int:
    """Mark in `found`, by space, where chains that include one of the fleets carry a unit; return how many [Convoys].

    fleets: places; fleet: index of the one. Every way through different fleets is walked.
    """
    marked = 0
    for space in range(rules.spaces):
        found[space] = 0
    if not can_be_convoyed(rules, kind, place):
        return 0
    here = rules.space_of[place]
    used, path, ahead = new_array(count, 0), new_array(count + 1, 0), new_array(count + 1, 0)
    depth = 0
    while depth >= 0:
        i = ahead[depth]
        if i == count:
            depth -= 1
            if depth >= 0:
                used[path[depth]] = 0
            continue
        ahead[depth] += 1
        if used[i] != 0:
            continue
        if depth == 0:
            joins = beside(rules, kind, place, fleets[i])
        else:
            joins = rules.water[fleets[path[depth - 1]]][fleets[i]] != 0
        if not joins:
            continue
        used[i] = 1
        path[depth] = i
        if used[fleet] != 0:
            way = rules.ways[FLEET][fleets[i]]
            for k in range(way[0], way[1]):
                space = rules.space_of[rules.moves[k]]
                if found[space] != 0 or space == here or not may_land(rules, kind, space):
                    continue
                free = True
                for j in range(count):
                    if used[j] != 0 and rules.space_of[fleets[j]] == space:
                        free = False
                if free:
                    found[space] = 1
                    marked += 1
        depth += 1
        ahead[depth] = 0
    return marked
