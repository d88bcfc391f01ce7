"""Who may enter what in the running turn, and how it is entered [Calendar, Winter, Haole, Two Haoles]."""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule

from .actions import BUILD, DISBAND, DONE, REMOVE, RETREAT, STAY, TO, VOTE
from .board import FLEET
from .forms import room
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
from .tables import (
    BOATS_ACTION,
    BUILD_ACTION,
    CONVOY_ACTION,
    EUROPEAN,
    FIRST_ACTION,
    FIRST_STAND,
    HAS_BALLOT,
    LAST_STAND,
    MOVES_TO,
    N_PLACES,
    N_SPACES,
    REMOVE_ACTION,
    SPACE_OF,
    STEP_KIND,
    STEP_VALUE,
    VIA_ACTION,
    WAYS,
)

__all__ = ["asks", "enter", "hidden", "holdings", "list_legal", "need", "next_space", "retreat_is_open"]


@rule
def hidden(rules: Any, state: Any) -> bool:
    """Europeans know neither ballots nor set-up: until all Spring orders of year 1 are in [Haole, Two Haoles]."""
    if rules[HAS_BALLOT] == 0:
        return False
    first = state.phase == ORDERS and state.year == 1 and state.season == 0
    return first or state.phase in (ASSIGNMENT, BALLOT, SETUP)


@rule
def next_space(rules: Any, state: Any, spaces: Any, power: int) -> int:
    """The space of the power's unit that is to be ordered, or is to retreat: in table order; -1 where all are."""
    for space in range(rules[N_SPACES]):
        at = spaces[space]
        if state.phase == RETREATS:
            if at.out_kind != NOBODY and at.out_power == power and at.retreat == UNDECIDED:
                return space
        elif at.kind != NOBODY and at.power == power and at.verb == NOBODY:
            return space
    return -1


@rule
def asks(rules: Any, state: Any, spaces: Any, power: int, legal: Any) -> bool:
    """The power has something to enter now; `legal`: room for actions."""
    if state.phase in (ORDERS, RETREATS):
        return next_space(rules, state, spaces, power) >= 0
    return list_legal(rules, state, spaces, power, legal) > 0


@rule
def add(legal: Any, n: int, action: int) -> int:
    """Append a legal action; return the new number of them."""
    legal[n] = action
    return n + 1


@rule
def list_legal(rules: Any, state: Any, spaces: Any, power: int, legal: Any) -> int:
    """Write a power's legal actions, ascending; return how many there are: none when it has entered all."""
    first = rules[FIRST_ACTION]
    if state.phase == ORDERS:
        space = next_space(rules, state, spaces, power)
        if space < 0:
            return 0
        if state.half[power] >= 0:
            return list_seconds(rules, state, spaces, power, space, legal)
        return list_firsts(rules, state, spaces, power, space, legal)
    n = 0
    if state.phase == RETREATS:
        space = next_space(rules, state, spaces, power)
        if space < 0:
            return 0
        way = spaces[space].out_kind * rules[N_PLACES] + spaces[space].out_place
        for k in range(rules[rules[WAYS] + way], rules[rules[WAYS] + way + 1]):
            place = rules[rules[MOVES_TO] + k]
            if retreat_is_open(rules, spaces, space, place):
                n = add(legal, n, rules[first + RETREAT] + place)
        return add(legal, n, rules[first + DISBAND])
    if state.phase == ADJUSTMENTS:
        return list_adjustments(rules, state, spaces, power, legal)
    if state.phase == BALLOT:
        votes = state.counted == 0 or rules[rules[EUROPEAN] + power] == 0
        if votes and state.vote[power] < 0:
            n = add(legal, n, rules[first + VOTE])
            n = add(legal, n, rules[first + VOTE] + 1)
    return n


@rule
def is_blind(rules: Any, state: Any, power: int) -> int:
    """1 for a European while starts are hidden: it sees and orders as if there were Europeans' fleets alone [R-20]."""
    return 1 if rules[rules[EUROPEAN] + power] != 0 and hidden(rules, state) else 0


@rule
def list_firsts(rules: Any, state: Any, spaces: Any, power: int, space: int, legal: Any) -> int:
    """The first actions of an order; a first half only where some second half fits [Armies, Boats, Fleets, Post,
    Convoys].
    """
    first, places = rules[FIRST_ACTION], rules[N_PLACES]
    unit, blind = spaces[space], is_blind(rules, state, power)
    n = add(legal, 0, rules[first + HOLD])
    way = unit.kind * places + unit.place
    start, stop = rules[rules[WAYS] + way], rules[rules[WAYS] + way + 1]
    for k in range(start, stop):
        n = add(legal, n, rules[first + MOVE] + rules[rules[MOVES_TO] + k])
    fleets, others = room(places, 0), room(places, 0)
    count = list_fleets(rules, spaces, blind, fleets)
    if count > 0 and unit.kind != FLEET:
        for place in range(places):
            if via_reaches(rules, spaces, space, place, fleets, count):
                n = add(legal, n, rules[rules[VIA_ACTION] + place])
    count_others = without(fleets, count, unit.place, others)
    for source in range(rules[N_SPACES]):
        if spaces[source].kind == NOBODY or not stands(rules, spaces, source, blind):
            continue
        if source == space:
            continue
        other = spaces[source]
        for k in range(start, stop):
            target = rules[rules[SPACE_OF] + rules[rules[MOVES_TO] + k]]
            goes = target == source or reaches(rules, other.kind, other.place, target)
            if goes or (count_others > 0 and supports(rules, spaces, space, source, target, others, count_others)):
                n = add(legal, n, rules[first + SUPPORT] + source)
                break
    if unit.kind == FLEET:
        found = room(rules[N_SPACES], 0)
        for source in range(rules[N_SPACES]):
            seen = stands(rules, spaces, source, blind)
            if seen and convoys(rules, spaces, space, source, fleets, count, found) > 0:
                n = add(legal, n, rules[rules[CONVOY_ACTION] + source])
        if state.unbuilt[power] != 0 and post_can_be_built(rules, spaces, space):
            n = add(legal, n, rules[first + POST])
    elif boats_can_be_built(rules, spaces, space):
        for place in range(rules[rules[FIRST_STAND] + space], rules[rules[LAST_STAND] + space] + 1):
            n = add(legal, n, rules[rules[BOATS_ACTION] + place])
    return n


@rule
def list_seconds(rules: Any, state: Any, spaces: Any, power: int, space: int, legal: Any) -> int:
    """The second halves of a support or convoy: where to."""
    first, size = rules[FIRST_ACTION], rules[N_SPACES]
    verb, source = rules[rules[STEP_KIND] + state.half[power]], rules[rules[STEP_VALUE] + state.half[power]]
    fleets, n = room(rules[N_PLACES], 0), 0
    count = list_fleets(rules, spaces, is_blind(rules, state, power), fleets)
    if verb == CONVOY:
        found = room(size, 0)
        convoys(rules, spaces, space, source, fleets, count, found)
        for target in range(size):
            if found[target] != 0:
                n = add(legal, n, rules[first + TO] + target)
        return n
    others = room(rules[N_PLACES], 0)
    count = without(fleets, count, spaces[space].place, others)
    if supports(rules, spaces, space, source, source, others, count):
        n = add(legal, n, rules[first + STAY])
    for target in range(size):
        if target != source and supports(rules, spaces, space, source, target, others, count):
            n = add(legal, n, rules[first + TO] + target)
    return n


@rule
def retreat_is_open(rules: Any, spaces: Any, space: int, place: int) -> bool:
    """The unit dislodged from `space` may retreat to a place that it reaches by itself [Background, R-15].

    It is empty, not where its attacker marched or sailed from, and not contested.
    """
    at = rules[rules[SPACE_OF] + place]
    return spaces[at].kind == NOBODY and at != spaces[space].out_from and spaces[at].contested == 0


@rule
def holdings(rules: Any, spaces: Any, power: int) -> tuple[int, int, int]:
    """How many heiaus and posts a power owns, its armies and bunches, its fleets."""
    owned = land = fleets = 0
    for space in range(rules[N_SPACES]):
        at = spaces[space]
        if at.owner == power:
            owned += 1
        if at.kind != NOBODY and at.power == power:
            if at.kind == FLEET:
                fleets += 1
            else:
                land += 1
    return owned, land, fleets


@rule
def need(rules: Any, spaces: Any, power: int) -> int:
    """How many armies a power may build, or, below zero, how many units it must remove [Winter, Fleets].

    Heiaus and posts that it owns, less its armies and bunches; a fleet does not count.
    """
    owned, land, _ = holdings(rules, spaces, power)
    return owned - land


@rule
def list_adjustments(rules: Any, state: Any, spaces: Any, power: int, legal: Any) -> int:
    """Builds one by one, in any order, on own heiaus and posts without unit, or done; or removals one by one, never of
    a fleet [Winter, R-17, R-18].
    """
    wanted, n = need(rules, spaces, power), 0
    if state.steps[power] >= abs(wanted) or state.done[power] != 0:
        return 0
    for space in range(rules[N_SPACES]):
        at = spaces[space]
        if at.step != 0:
            continue
        if wanted > 0 and at.owner == power and at.kind == NOBODY:
            n = add(legal, n, rules[rules[BUILD_ACTION] + space])
        elif wanted < 0 and at.kind != NOBODY and at.power == power and at.kind != FLEET:
            n = add(legal, n, rules[rules[REMOVE_ACTION] + space])
    if wanted > 0 and n > 0:
        n = add(legal, n, rules[rules[FIRST_ACTION] + DONE])
    return n


@rule
def enter(rules: Any, state: Any, spaces: Any, power: int, action: int) -> None:
    """Note a legal action of a power."""
    kind, value = rules[rules[STEP_KIND] + action], rules[rules[STEP_VALUE] + action]
    if state.phase == BALLOT:
        state.vote[power] = value
    elif state.phase == RETREATS:
        space = next_space(rules, state, spaces, power)
        spaces[space].retreat = value if kind == RETREAT else DISBANDED
    elif state.phase == ADJUSTMENTS:
        if kind in (BUILD, REMOVE):
            state.steps[power] += 1
            spaces[value].step = state.steps[power]
        else:
            state.done[power] = 1
    elif kind in (SUPPORT, CONVOY):
        state.half[power] = action
    else:
        order(rules, state, spaces, power, action)


@rule
def order(rules: Any, state: Any, spaces: Any, power: int, action: int) -> None:
    """The action makes an order whole."""
    kind, value = rules[rules[STEP_KIND] + action], rules[rules[STEP_VALUE] + action]
    space = next_space(rules, state, spaces, power)
    at = spaces[space]
    if kind in (STAY, TO):
        half = state.half[power]
        at.source = rules[rules[STEP_VALUE] + half]
        at.target = at.source if kind == STAY else value
        at.verb = rules[rules[STEP_KIND] + half]
    else:
        at.target = value
        at.verb = kind
        if kind == BOATS:
            for place in range(rules[rules[FIRST_STAND] + space], rules[rules[LAST_STAND] + space] + 1):
                if rules[rules[BOATS_ACTION] + place] == action:
                    at.target = place
    state.half[power] = -1
