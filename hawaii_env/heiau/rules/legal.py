"""Legal entries of the running turn, and how they are entered [Calendar, Winter, Haole, Two Haoles]."""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule
from hawaii_env.core.layout import new_array

from .actions import BUILD, DISBAND, DONE, REMOVE, RETREAT, STAY, TO, VOTE
from .board import FLEET
from .orders import (
    BOATS,
    CONVOY,
    HOLD,
    MOVE,
    POST,
    SUPPORT,
    boats_can_be_built,
    convoys,
    list_fleets,
    post_can_be_built,
    reaches,
    stands,
    supports,
    via_reaches,
    without,
)
from .state import ADJUSTMENTS, ASSIGNMENT, BALLOT, DISBANDED, NOBODY, ORDERS, RETREATS, SETUP, UNDECIDED

__all__ = ["asks", "enter", "hidden", "holdings", "list_legal", "need", "next_space", "retreat_is_open"]


@rule
def hidden(rules: Any, state: Any) -> bool:
    """Return True while Europeans know neither ballots nor set-up: until all Spring orders of year 1 are in [Haole, Two
    Haoles].
    """
    if rules.ballot == 0:
        return False
    first = state.phase == ORDERS and state.year == 1 and state.season == 0
    return first or state.phase in (ASSIGNMENT, BALLOT, SETUP)


@rule
def next_space(rules: Any, state: Any, power: int) -> int:
    """Return the space of the power's unit that is to be ordered, or is to retreat: in table order; -1 where all
    are.
    """
    for space in range(rules.spaces):
        if state.phase == RETREATS:
            if (
                state.out_kind[space] != NOBODY
                and state.out_power[space] == power
                and state.retreat[space] == UNDECIDED
            ):
                return space
        elif state.kind[space] != NOBODY and state.power[space] == power and state.verb[space] == NOBODY:
            return space
    return -1


@rule
def asks(rules: Any, state: Any, power: int, legal: Any) -> bool:
    """Return True if the power has something to enter now; `legal`: room for actions."""
    if state.phase in (ORDERS, RETREATS):
        return next_space(rules, state, power) >= 0
    return list_legal(rules, state, power, legal) > 0


@rule
def add(legal: Any, n: int, action: int) -> int:
    """Append a legal action; return the new number of them."""
    legal[n] = action
    return n + 1


@rule
def list_legal(rules: Any, state: Any, power: int, legal: Any) -> int:
    """Write a power's legal actions, ascending; return how many there are: none when it has entered all."""
    if state.phase == ORDERS:
        space = next_space(rules, state, power)
        if space < 0:
            return 0
        if state.half[power] >= 0:
            return list_seconds(rules, state, power, space, legal)
        return list_firsts(rules, state, power, space, legal)
    n = 0
    if state.phase == RETREATS:
        space = next_space(rules, state, power)
        if space < 0:
            return 0
        way = rules.ways[state.out_kind[space]][state.out_place[space]]
        for k in range(way[0], way[1]):
            place = rules.moves[k]
            if retreat_is_open(rules, state, space, place):
                n = add(legal, n, rules.first_action[RETREAT] + place)
        return add(legal, n, rules.first_action[DISBAND])
    if state.phase == ADJUSTMENTS:
        return list_adjustments(rules, state, power, legal)
    if state.phase == BALLOT:
        votes = state.counted == 0 or rules.european[power] == 0
        if votes and state.vote[power] < 0:
            n = add(legal, n, rules.first_action[VOTE])
            n = add(legal, n, rules.first_action[VOTE] + 1)
    return n


@rule
def is_blind(rules: Any, state: Any, power: int) -> int:
    """Return 1 for a European while starts are hidden: it sees and orders as if there were Europeans' fleets alone
    [R-20].
    """
    return 1 if rules.european[power] != 0 and hidden(rules, state) else 0


@rule
def list_firsts(rules: Any, state: Any, power: int, space: int, legal: Any) -> int:
    """Return the first actions of an order; a first half only where some second half fits [Armies, Boats, Fleets, Post,
    Convoys].
    """
    places = rules.places
    blind = is_blind(rules, state, power)
    n = add(legal, 0, rules.first_action[HOLD])
    way = rules.ways[state.kind[space]][state.place[space]]
    for k in range(way[0], way[1]):
        n = add(legal, n, rules.first_action[MOVE] + rules.moves[k])
    fleets, others = new_array(places, 0), new_array(places, 0)
    count = list_fleets(rules, state, blind, fleets)
    if count > 0 and state.kind[space] != FLEET:
        for place in range(places):
            if via_reaches(rules, state, space, place, fleets, count):
                n = add(legal, n, rules.via[place])
    count_others = without(fleets, count, state.place[space], others)
    for source in range(rules.spaces):
        if state.kind[source] == NOBODY or not stands(rules, state, source, blind):
            continue
        if source == space:
            continue
        for k in range(way[0], way[1]):
            target = rules.space_of[rules.moves[k]]
            goes = target == source or reaches(rules, state.kind[source], state.place[source], target)
            if goes or (count_others > 0 and supports(rules, state, space, source, target, others, count_others)):
                n = add(legal, n, rules.first_action[SUPPORT] + source)
                break
    if state.kind[space] == FLEET:
        found = new_array(rules.spaces, 0)
        for source in range(rules.spaces):
            seen = stands(rules, state, source, blind)
            if seen and convoys(rules, state, space, source, fleets, count, found) > 0:
                n = add(legal, n, rules.convoy[source])
        if state.unbuilt[power] != 0 and post_can_be_built(rules, state, space):
            n = add(legal, n, rules.first_action[POST])
    elif boats_can_be_built(rules, state, space):
        for place in range(rules.first_stand[space], rules.last_stand[space] + 1):
            n = add(legal, n, rules.boats[place])
    return n


@rule
def list_seconds(rules: Any, state: Any, power: int, space: int, legal: Any) -> int:
    """Return the second halves of a support or convoy: where to."""
    size = rules.spaces
    verb, source = rules.step_kind[state.half[power]], rules.step_value[state.half[power]]
    fleets, n = new_array(rules.places, 0), 0
    count = list_fleets(rules, state, is_blind(rules, state, power), fleets)
    if verb == CONVOY:
        found = new_array(size, 0)
        convoys(rules, state, space, source, fleets, count, found)
        for target in range(size):
            if found[target] != 0:
                n = add(legal, n, rules.first_action[TO] + target)
        return n
    others = new_array(rules.places, 0)
    count = without(fleets, count, state.place[space], others)
    if supports(rules, state, space, source, source, others, count):
        n = add(legal, n, rules.first_action[STAY])
    for target in range(size):
        if target != source and supports(rules, state, space, source, target, others, count):
            n = add(legal, n, rules.first_action[TO] + target)
    return n


@rule
def retreat_is_open(rules: Any, state: Any, space: int, place: int) -> bool:
    """Return True if the unit dislodged from `space` may retreat to a place that it reaches by itself [Background,
    R-15].

    It is empty, not where its attacker marched or sailed from, and not contested.
    """
    at = rules.space_of[place]
    return state.kind[at] == NOBODY and at != state.out_from[space] and state.contested[at] == 0


@rule
def holdings(rules: Any, state: Any, power: int) -> tuple[int, int, int]:
    """Return how many heiaus and posts a power owns, its armies and bunches, its fleets."""
    owned = land = fleets = 0
    for space in range(rules.spaces):
        if state.owner[space] == power:
            owned += 1
        if state.kind[space] != NOBODY and state.power[space] == power:
            if state.kind[space] == FLEET:
                fleets += 1
            else:
                land += 1
    return owned, land, fleets


@rule
def need(rules: Any, state: Any, power: int) -> int:
    """Return how many armies a power may build, or, below zero, how many units it must remove [Winter, Fleets].

    Heiaus and posts that it owns, less its armies and bunches; a fleet does not count.
    """
    owned, land, _ = holdings(rules, state, power)
    return owned - land


@rule
def list_adjustments(rules: Any, state: Any, power: int, legal: Any) -> int:
    """List builds one by one, in any order, on own heiaus and posts without unit, or done; or removals one by one,
    never of a fleet [Winter, R-17, R-18].
    """
    wanted, n = need(rules, state, power), 0
    if state.steps[power] >= abs(wanted) or state.done[power] != 0:
        return 0
    for space in range(rules.spaces):
        if state.step[space] != 0:
            continue
        if wanted > 0 and state.owner[space] == power and state.kind[space] == NOBODY:
            n = add(legal, n, rules.build[space])
        elif wanted < 0 and state.kind[space] != NOBODY and state.power[space] == power and state.kind[space] != FLEET:
            n = add(legal, n, rules.remove[space])
    if wanted > 0 and n > 0:
        n = add(legal, n, rules.first_action[DONE])
    return n


@rule
def enter(rules: Any, state: Any, power: int, action: int) -> None:
    """Note a legal action of a power."""
    kind, value = rules.step_kind[action], rules.step_value[action]
    if state.phase == BALLOT:
        state.vote[power] = value
    elif state.phase == RETREATS:
        space = next_space(rules, state, power)
        state.retreat[space] = value if kind == RETREAT else DISBANDED
    elif state.phase == ADJUSTMENTS:
        if kind in (BUILD, REMOVE):
            state.steps[power] += 1
            state.step[value] = state.steps[power]
        else:
            state.done[power] = 1
    elif kind in (SUPPORT, CONVOY):
        state.half[power] = action
    else:
        order(rules, state, power, action)


@rule
def order(rules: Any, state: Any, power: int, action: int) -> None:
    """Complete an order by an action."""
    kind, value = rules.step_kind[action], rules.step_value[action]
    space = next_space(rules, state, power)
    if kind in (STAY, TO):
        half = state.half[power]
        state.source[space] = rules.step_value[half]
        state.target[space] = state.source[space] if kind == STAY else value
        state.verb[space] = rules.step_kind[half]
    else:
        state.target[space] = value
        state.verb[space] = kind
        if kind == BOATS:
            for place in range(rules.first_stand[space], rules.last_stand[space] + 1):
                if rules.boats[place] == action:
                    state.target[space] = place
    state.half[power] = -1
