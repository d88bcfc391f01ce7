"""The order of play: phases, who is asked what, and what follows when all have entered [Calendar, Winter, Haole, Two
Haoles]. Powers go by their index.
"""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule

from .board import ARMY, FLEET
from .ending import end_fall
from .legal import asks, enter, hidden, list_legal, retreat_is_open
from .movement import move_units
from .orders import POST
from .state import ADJUSTMENTS, ASSIGNMENT, BALLOT, NOBODY, ORDERS, OVER, RETREATS, SETUP, UNDECIDED
from .tables import (
    BARE,
    EUROPEAN,
    HAS_BALLOT,
    HEIAU,
    INLAND_FROM,
    LATE,
    MAX_POWERS,
    MOVES_TO,
    N_PLACES,
    N_POWERS,
    N_SPACES,
    RANDOM_POWERS,
    SPACE_OF,
    START_KIND,
    START_PLACE,
    START_POWER,
    WAYS,
)

__all__ = ["begin", "decide", "fall", "open_turn", "run"]

# Beginning


@rule
def clear(rules: Any, state: Any, spaces: Any) -> None:
    """Nothing is on the board, and nothing has been played."""
    state.year, state.season, state.phase, state.setup = 1, 0, ORDERS, -1
    state.assigned, state.counted, state.recounted, state.opened, state.asked = 0, 0, 0, 0, 0
    state.reason, state.most = 0, 0
    for power in range(MAX_POWERS):
        state.assignment[power] = 0
        state.ballots[power] = state.second[power] = state.vote[power] = state.half[power] = -1
        state.steps[power] = state.done[power] = state.queue[power] = state.unsettled[power] = state.weight[power] = 0
        state.unbuilt[power] = rules[rules[EUROPEAN] + power]
    for space in range(rules[N_SPACES]):
        at = spaces[space]
        at.kind, at.power, at.place, at.owner, at.post, at.contested = NOBODY, NOBODY, NOBODY, NOBODY, 0, 0
        at.out_kind, at.out_power, at.out_place, at.out_from = NOBODY, NOBODY, NOBODY, NOBODY
        at.verb, at.source, at.target, at.retreat, at.step = NOBODY, NOBODY, NOBODY, UNDECIDED, 0
        at.last_kind, at.last_power, at.last_place, at.last_aided = NOBODY, NOBODY, NOBODY, NOBODY
        at.last_verb, at.last_source, at.last_target = NOBODY, NOBODY, NOBODY
        at.success, at.dislodged, at.burned = 0, 0, 0


@rule
def begin(rules: Any, state: Any, spaces: Any, legal: Any) -> None:
    """The beginning of a game, before anybody is asked [Scenarios]. `legal`, here and below: room for actions."""
    clear(rules, state, spaces)
    if rules[RANDOM_POWERS] != 0 and rules[LATE] == 0:
        state.phase = ASSIGNMENT
        return
    if rules[RANDOM_POWERS] == 0:
        state.assigned = rules[N_POWERS]
        for power in range(rules[N_POWERS]):
            state.assignment[power] = power
    begin_play(rules, state, spaces, legal)


@rule
def begin_play(rules: Any, state: Any, spaces: Any, legal: Any) -> None:
    """The powers vote, or stand where they start."""
    if rules[HAS_BALLOT] != 0:
        state.phase = BALLOT
    else:
        set_up(rules, state, spaces)
    open_turn(rules, state, spaces, legal)


@rule
def set_up(rules: Any, state: Any, spaces: Any) -> None:
    """Place the units; a power owns the heiaus on which it starts [R-05]."""
    state.phase = ORDERS
    for space in range(rules[N_SPACES]):
        at, start = spaces[space], (state.setup + 1) * rules[N_SPACES] + space
        at.kind, at.power = rules[rules[START_KIND] + start], rules[rules[START_POWER] + start]
        at.place = rules[rules[START_PLACE] + start]
        at.owner = at.power if at.kind != NOBODY and rules[rules[HEIAU] + space] != 0 else NOBODY


# Sealed turns


@rule
def open_turn(rules: Any, state: Any, spaces: Any, legal: Any) -> None:
    """Begin a sealed turn: ask all who have something to decide, in index order."""
    for space in range(rules[N_SPACES]):
        at = spaces[space]
        at.verb, at.source, at.target, at.retreat, at.step = NOBODY, NOBODY, NOBODY, UNDECIDED, 0
    state.opened = 1
    for power in range(MAX_POWERS):
        state.vote[power] = state.half[power] = -1
        state.steps[power] = state.done[power] = 0
    ask_all(rules, state, spaces, legal)


@rule
def ask_all(rules: Any, state: Any, spaces: Any, legal: Any) -> None:
    """Ask the powers that have something to enter, in index order."""
    state.asked = 0
    for power in range(rules[N_POWERS]):
        state.unsettled[power] = 1
        if asks(rules, state, spaces, power, legal):
            state.queue[state.asked] = power
            state.asked += 1


@rule
def run(rules: Any, state: Any, spaces: Any, legal: Any, one: int) -> int:
    """Go on to where somebody has a choice, chance falls, or the game ends.

    What is forced is entered as the turn opens, so that it does not depend on who is asked first. Returns the number of
    legal actions, which stand in `legal`: 0 where nobody decides. `one`: 1 returns after each action that is entered
    without choice: below zero, -1 - (action * MAX_POWERS + power).
    """
    while state.phase <= ADJUSTMENTS:
        i, listed, n = 0, -1, 0
        while i < state.asked:
            power = state.queue[i]
            if state.unsettled[power] == 0:
                i += 1
                continue
            n = list_legal(rules, state, spaces, power, legal)
            listed = power
            if n == 1:
                action = legal[0]
                enter(rules, state, spaces, power, action)
                if one != 0:
                    return -1 - (action * MAX_POWERS + power)
                continue
            state.unsettled[power] = 0
            if n == 0:
                state.asked -= 1
                for k in range(i, state.asked):
                    state.queue[k] = state.queue[k + 1]
            else:
                i += 1
        if state.asked > 0:
            if listed != state.queue[0]:
                n = list_legal(rules, state, spaces, state.queue[0], legal)
            return n
        resolve(rules, state, spaces, legal)
    return 0


@rule
def decide(rules: Any, state: Any, spaces: Any, action: int) -> None:
    """Who is asked enters a legal action; `run` comes next."""
    power = state.queue[0]
    enter(rules, state, spaces, power, action)
    state.unsettled[power] = 1


@rule
def resolve(rules: Any, state: Any, spaces: Any, legal: Any) -> None:
    """All have entered: do what follows, up to the next phase that asks or rolls."""
    if state.phase == BALLOT:
        count_ballots(rules, state, spaces, legal)
    elif state.phase == ORDERS:
        if state.setup < 0 and hidden(rules, state):
            state.phase = SETUP  # a copy for search: who has entered did not know the start
        else:
            move(rules, state, spaces, legal)
    elif state.phase == RETREATS:
        retreat(rules, spaces)
        after_retreats(rules, state, spaces, legal)
    else:
        adjust(rules, spaces)
        state.year += 1
        state.season, state.phase = 0, ORDERS
        open_turn(rules, state, spaces, legal)


# Ballots [Haole, Two Haoles]


@rule
def count_ballots(rules: Any, state: Any, spaces: Any, legal: Any) -> None:
    """All votes are in: the first, or the natives' second ones [R-19]."""
    for power in range(rules[N_POWERS]):
        if state.counted != 0:
            state.second[power] = state.vote[power]
        else:
            state.ballots[power] = state.vote[power]
    if state.counted != 0:
        state.recounted = 1
    else:
        state.counted = 1
        if rules[RANDOM_POWERS] != 0 and state.assigned < rules[N_POWERS]:
            state.phase = ASSIGNMENT
            open_turn(rules, state, spaces, legal)
            return
    after_ballots(rules, state, spaces, legal)


@rule
def after_ballots(rules: Any, state: Any, spaces: Any, legal: Any) -> None:
    """The start with more votes; six who are level vote again without the Europeans, four by lot [R-19]."""
    ones = zeros = 0
    for power in range(rules[N_POWERS]):
        vote = state.second[power] if state.recounted != 0 else state.ballots[power]
        if vote == 1:
            ones += 1
        elif vote == 0:
            zeros += 1
    if ones == zeros:
        state.phase = SETUP if state.recounted != 0 else BALLOT
        open_turn(rules, state, spaces, legal)
        return
    state.setup = 1 if ones > zeros else 0
    set_up(rules, state, spaces)
    open_turn(rules, state, spaces, legal)


# Chance


@rule
def fall(rules: Any, state: Any, spaces: Any, legal: Any, outcome: int) -> None:
    """Let chance fall: the lot of a level ballot, or the next player's power [R-19, R-24]."""
    if state.phase == SETUP:
        state.setup = outcome
        set_up(rules, state, spaces)
        # In a copy for search a European has entered its orders already; the others follow.
        ask_all(rules, state, spaces, legal)
        return
    state.assignment[state.assigned] = outcome
    state.assigned += 1
    if state.assigned < rules[N_POWERS]:
        return
    if state.counted == 0:
        begin_play(rules, state, spaces, legal)
        return
    for player in range(rules[N_POWERS]):
        state.vote[player] = state.ballots[player]
    for player in range(rules[N_POWERS]):
        state.ballots[state.assignment[player]] = state.vote[player]
    after_ballots(rules, state, spaces, legal)


# Movement and retreats


@rule
def move(rules: Any, state: Any, spaces: Any, legal: Any) -> None:
    """A movement phase; those who can go nowhere are disbanded at once [Background]."""
    move_units(rules, spaces)
    waiting = False
    for space in range(rules[N_SPACES]):
        at = spaces[space]
        if at.last_verb == POST and at.success != 0:
            state.unbuilt[at.last_power] = 0
        if at.out_kind != NOBODY:
            if can_retreat(rules, spaces, space):
                waiting = True
            else:
                at.out_kind, at.out_power, at.out_place, at.out_from = NOBODY, NOBODY, NOBODY, NOBODY
    state.phase = RETREATS
    if waiting:
        open_turn(rules, state, spaces, legal)
    else:
        after_retreats(rules, state, spaces, legal)


@rule
def can_retreat(rules: Any, spaces: Any, space: int) -> bool:
    """A dislodged unit has somewhere to go, as what it is now: whose boats burned goes by land [R-26]."""
    way = spaces[space].out_kind * rules[N_PLACES] + spaces[space].out_place
    for k in range(rules[rules[WAYS] + way], rules[rules[WAYS] + way + 1]):
        if retreat_is_open(rules, spaces, space, rules[rules[MOVES_TO] + k]):
            return True
    return False


@rule
def retreat(rules: Any, spaces: Any) -> None:
    """Retreats are made at once; two or more to one space are all disbanded [R-16]. Inland, boats burn [Boats 3]."""
    n = rules[N_SPACES]
    for space in range(n):
        unit = spaces[space]
        if unit.out_kind == NOBODY or unit.retreat < 0:
            continue
        goal, alone = rules[rules[SPACE_OF] + unit.retreat], True
        for other in range(n):
            if other != space and spaces[other].out_kind != NOBODY and spaces[other].retreat >= 0:
                alone = alone and rules[rules[SPACE_OF] + spaces[other].retreat] != goal
        if alone:
            inland = rules[rules[INLAND_FROM] + unit.out_place * n + goal] != 0
            spaces[goal].kind = ARMY if unit.out_kind != FLEET and inland else unit.out_kind
            spaces[goal].power, spaces[goal].place = unit.out_power, unit.retreat


@rule
def after_retreats(rules: Any, state: Any, spaces: Any, legal: Any) -> None:
    """Spring is followed by Fall, Fall by Winter, unless the game is over."""
    for space in range(rules[N_SPACES]):
        at = spaces[space]
        at.out_kind, at.out_power, at.out_place, at.out_from, at.contested = NOBODY, NOBODY, NOBODY, NOBODY, 0
    if state.season == 0:
        state.season, state.phase = 1, ORDERS
    elif end_fall(rules, state, spaces):
        state.phase, state.asked, state.opened = OVER, 0, 0
        return
    else:
        state.phase = ADJUSTMENTS
    open_turn(rules, state, spaces, legal)


# Winter


@rule
def adjust(rules: Any, spaces: Any) -> None:
    """Armies are built, units removed [Winter]."""
    for space in range(rules[N_SPACES]):
        at = spaces[space]
        if at.step == 0:
            continue
        if at.kind == NOBODY:
            at.kind, at.power, at.place = ARMY, at.owner, rules[rules[BARE] + space]
        else:
            at.kind, at.power, at.place = NOBODY, NOBODY, NOBODY
