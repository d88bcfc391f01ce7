"""The order of play: phases, who is asked what, and what follows when all have entered [Calendar, Winter, Haole, Two
Haoles]. Powers go by their index.
"""

from __future__ import annotations

from typing import Any

from hawaii_env.core.jit import rule
from hawaii_env.core.layout import new_array
from hawaii_env.core.rng import below

from .board import ARMY, FLEET
from .ending import end_fall
from .knowledge import player_of
from .legal import asks, enter, hidden, list_legal, retreat_is_open
from .movement import clear_dislodged, clear_space, move_units
from .orders import POST
from .state import ADJUSTMENTS, ASSIGNMENT, BALLOT, NOBODY, ORDERS, OVER, RETREATS, SETUP, UNDECIDED, view_state
from .tables import MAX_POWERS, view_rules

__all__ = [
    "advance", "apply_action", "apply_chance", "count_outcomes", "decider", "enter_forced", "enter_forget_others",
    "is_chance", "is_outcome", "is_over", "keep_listed", "nth_outcome", "num_players",
    "open_turn", "run", "sample_chance", "set_up", "turn_mark",
]  # fmt: skip


# Beginning


@rule
def clear(rules: Any, state: Any) -> None:
    """Nothing is on the board, and nothing has been played."""
    state.year, state.season, state.phase, state.setup = 1, 0, ORDERS, -1
    state.assigned, state.counted, state.recounted, state.opened, state.asked = 0, 0, 0, 0, 0
    state.reason, state.most = 0, 0
    for power in range(MAX_POWERS):
        state.assignment[power] = 0
        state.ballots[power] = state.second[power] = state.vote[power] = state.half[power] = -1
        state.steps[power] = state.done[power] = state.queue[power] = state.unsettled[power] = state.weight[power] = 0
        state.unbuilt[power] = rules.european[power]
    for space in range(rules.spaces):
        clear_space(state, space)
        clear_entry(state, space)
        state.last_kind[space] = state.last_power[space] = state.last_place[space] = state.last_aided[space] = NOBODY
        state.last_verb[space], state.last_source[space], state.last_target[space] = NOBODY, NOBODY, NOBODY
        state.success[space], state.dislodged[space], state.burned[space] = 0, 0, 0


@rule
def set_up(rules: Any, state: Any) -> None:
    """The beginning of a game, before anybody is asked [Scenarios]."""
    clear(rules, state)
    if rules.random_powers != 0 and rules.late == 0:
        state.phase = ASSIGNMENT
        return
    if rules.random_powers == 0:
        state.assigned = rules.powers
        for power in range(rules.powers):
            state.assignment[power] = power
    begin_play(rules, state)


@rule
def begin_play(rules: Any, state: Any) -> None:
    """The powers vote, or stand where they start."""
    if rules.ballot != 0:
        state.phase = BALLOT
    else:
        place_units(rules, state)
    open_turn(rules, state)


@rule
def place_units(rules: Any, state: Any) -> None:
    """Place the units; a power owns the heiaus on which it starts [R-05]."""
    state.phase = ORDERS
    for space in range(rules.spaces):
        state.kind[space] = rules.start_kind[state.setup + 1][space]
        state.power[space] = rules.start_power[state.setup + 1][space]
        state.place[space] = rules.start_place[state.setup + 1][space]
        state.owner[space] = state.power[space] if state.kind[space] != NOBODY and rules.heiau[space] != 0 else NOBODY


# Sealed turns


@rule
def clear_entry(state: Any, space: int) -> None:
    """Forget what is entered for the unit of a space."""
    state.verb[space] = state.source[space] = state.target[space] = NOBODY
    state.retreat[space], state.step[space] = UNDECIDED, 0


@rule
def open_turn(rules: Any, state: Any) -> None:
    """Begin a sealed turn: ask all who have something to decide, in index order."""
    for space in range(rules.spaces):
        clear_entry(state, space)
    state.opened = 1
    for power in range(MAX_POWERS):
        state.vote[power] = state.half[power] = -1
        state.steps[power] = state.done[power] = 0
    ask_all(rules, state)


@rule
def ask_all(rules: Any, state: Any) -> None:
    """Ask the powers that have something to enter, in index order."""
    state.asked = 0
    for power in range(rules.powers):
        state.unsettled[power] = 1
        if asks(rules, state, power, state.legal):
            state.queue[state.asked] = power
            state.asked += 1


@rule
def forget_others(rules: Any, state: Any, power: int) -> None:
    """Begin the sealed turn anew for all but one power, without generators: it is asked first, the others by index.

    The turn is no ballot.
    """
    kept = new_array((rules.spaces, 5), 0)
    for space in range(rules.spaces):
        own = kept[space]
        own[0], own[1], own[2] = state.verb[space], state.source[space], state.target[space]
        own[3], own[4] = state.step[space], state.retreat[space]
    half, steps, done, asked = state.half[power], state.steps[power], state.done[power], 0
    for k in range(state.asked):
        if state.queue[k] == power:
            asked = 1
    open_turn(rules, state)
    for space in range(rules.spaces):
        own, mine = kept[space], state.kind[space] != NOBODY and state.power[space] == power
        if mine:
            state.verb[space], state.source[space], state.target[space] = own[0], own[1], own[2]
        if mine or (state.kind[space] == NOBODY and state.owner[space] == power):
            state.step[space] = own[3]
        if state.out_kind[space] != NOBODY and state.out_power[space] == power:
            state.retreat[space] = own[4]
    state.half[power], state.steps[power], state.done[power] = half, steps, done
    queue = new_array(MAX_POWERS + 1, power)
    for k in range(state.asked):
        if state.queue[k] != power:
            queue[asked] = state.queue[k]
            asked += 1
    state.asked = asked
    for k in range(MAX_POWERS):
        state.queue[k] = queue[k] if k < asked else 0
    for k in range(len(state.generator)):
        state.generator[k] = -1


@rule
def enter_forget_others(tables: Any, data: Any, power: int) -> None:
    """Forget what others than a power have entered; see `forget_others`."""
    forget_others(view_rules(tables), view_state(data), power)


@rule
def enter_forced(rules: Any, state: Any, one: int) -> int:
    """Go on to where somebody has a choice, a chance node, or the end.

    What is forced is entered as the turn opens, so that it does not depend on who is asked first. Returns the number of
    legal actions, which stand in `state.legal`: 0 if nobody decides. `one`: 1 returns after each action that is entered
    without choice: below zero, -1 - (action * MAX_POWERS + power).
    """
    while state.phase <= ADJUSTMENTS:
        i, listed, n = 0, -1, 0
        while i < state.asked:
            power = state.queue[i]
            if state.unsettled[power] == 0:
                i += 1
                continue
            n = list_legal(rules, state, power, state.legal)
            listed = power
            if n == 1:
                action = state.legal[0]
                enter(rules, state, power, action)
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
                n = list_legal(rules, state, state.queue[0], state.legal)
            return n
        resolve(rules, state)
    return 0


@rule
def advance(rules: Any, state: Any) -> None:
    """Enter what is forced and play what follows, up to a choice, a chance node or the end."""
    state.n_legal = enter_forced(rules, state, 0)


@rule
def keep_listed(rules: Any, state: Any) -> None:
    """Keep the legal actions that `advance` has listed."""


@rule
def run(rules: Any, state: Any) -> None:
    """Go on to where somebody has a choice, the caller's chance node, or the end. An outcome that is the only one
    follows by itself [R-24].
    """
    while True:
        state.n_legal = enter_forced(rules, state, 0)
        if not is_chance(rules, state):
            return
        if count_outcomes(rules, state) == 1:
            apply_chance(rules, state, nth_outcome(rules, state, 0))
        elif state.generator[0] < 0:
            return
        else:
            apply_chance(rules, state, sample_chance(rules, state))


@rule
def is_over(rules: Any, state: Any) -> bool:
    """Return True if the game is over."""
    return state.phase == OVER


@rule
def decider(rules: Any, state: Any) -> int:
    """Return the player who is asked."""
    return player_of(rules, state, state.queue[0])


@rule
def num_players(rules: Any) -> int:
    """Return the number of players."""
    return rules.powers


@rule
def turn_mark(rules: Any, state: Any) -> int:
    """Return a number that differs between successive sealed turns."""
    return ((state.year * 2 + state.season) * 8 + state.phase) * 2 + state.counted


@rule
def apply_action(rules: Any, state: Any, action: int) -> None:
    """Enter a legal action of who is asked; `run` comes next."""
    power = state.queue[0]
    enter(rules, state, power, action)
    state.unsettled[power] = 1


@rule
def resolve(rules: Any, state: Any) -> None:
    """All have entered: do what follows, up to the next phase that asks or rolls."""
    if state.phase == BALLOT:
        count_ballots(rules, state)
    elif state.phase == ORDERS:
        if state.setup < 0 and hidden(rules, state):
            state.phase = SETUP  # a copy for search: who has entered did not know the start
        else:
            move(rules, state)
    elif state.phase == RETREATS:
        retreat(rules, state)
        after_retreats(rules, state)
    else:
        adjust(rules, state)
        state.year += 1
        state.season, state.phase = 0, ORDERS
        open_turn(rules, state)


# Ballots [Haole, Two Haoles]


@rule
def count_ballots(rules: Any, state: Any) -> None:
    """All votes are in: the first, or the natives' second ones [R-19]."""
    for power in range(rules.powers):
        if state.counted != 0:
            state.second[power] = state.vote[power]
        else:
            state.ballots[power] = state.vote[power]
    if state.counted != 0:
        state.recounted = 1
    else:
        state.counted = 1
        if rules.random_powers != 0 and state.assigned < rules.powers:
            state.phase = ASSIGNMENT
            open_turn(rules, state)
            return
    after_ballots(rules, state)


@rule
def after_ballots(rules: Any, state: Any) -> None:
    """Choose the start with more votes; six who are level vote again without the Europeans, four by lot [R-19]."""
    ones = zeros = 0
    for power in range(rules.powers):
        vote = state.second[power] if state.recounted != 0 else state.ballots[power]
        if vote == 1:
            ones += 1
        elif vote == 0:
            zeros += 1
    if ones != zeros:
        state.setup = 1 if ones > zeros else 0
    place_units(rules, state)  # without a start the Europeans alone, who enter their first orders unseen
    if ones == zeros:
        state.phase = SETUP if state.recounted != 0 else BALLOT
    open_turn(rules, state)


# Chance


@rule
def is_chance(rules: Any, state: Any) -> bool:
    """Return True at a chance node: the lot of a level ballot, or the next player's power."""
    return state.phase == SETUP or state.phase == ASSIGNMENT


@rule
def is_outcome(rules: Any, state: Any, outcome: int) -> bool:
    """Return True for an outcome of the chance node: a start, or a power that nobody plays yet."""
    if state.phase == SETUP:
        return outcome >= 0 and outcome < 2
    if state.phase != ASSIGNMENT or outcome < 0 or outcome >= rules.powers:
        return False
    for player in range(state.assigned):
        if state.assignment[player] == outcome:
            return False
    return True


@rule
def count_outcomes(rules: Any, state: Any) -> int:
    """Return the number of outcomes of the chance node, each as likely as the others."""
    return 2 if state.phase == SETUP else rules.powers - state.assigned


@rule
def nth_outcome(rules: Any, state: Any, n: int) -> int:
    """Return the outcome that n others come before."""
    outcome = 0
    while n > 0 or not is_outcome(rules, state, outcome):
        if is_outcome(rules, state, outcome):
            n -= 1
        outcome += 1
    return outcome


@rule
def sample_chance(rules: Any, state: Any) -> int:
    """Return a chance outcome by the generator."""
    return nth_outcome(rules, state, below(state.generator, count_outcomes(rules, state), 4))


@rule
def apply_chance(rules: Any, state: Any, outcome: int) -> None:
    """Apply a chance outcome: the lot of a level ballot, or the next player's power [R-19, R-24]."""
    if state.phase == SETUP:
        state.setup = outcome
        place_units(rules, state)
        # In a copy for search a European has entered its orders already; the others follow.
        ask_all(rules, state)
        return
    state.assignment[state.assigned] = outcome
    state.assigned += 1
    if state.assigned < rules.powers:
        return
    if state.counted == 0:
        begin_play(rules, state)
        return
    for player in range(rules.powers):
        state.vote[player] = state.ballots[player]
    for player in range(rules.powers):
        state.ballots[state.assignment[player]] = state.vote[player]
    after_ballots(rules, state)


# Movement and retreats


@rule
def move(rules: Any, state: Any) -> None:
    """A movement phase; those who can go nowhere are disbanded at once [Background]."""
    move_units(rules, state)
    waiting = False
    for space in range(rules.spaces):
        if state.last_verb[space] == POST and state.success[space] != 0:
            state.unbuilt[state.last_power[space]] = 0
        if state.out_kind[space] != NOBODY:
            if can_retreat(rules, state, space):
                waiting = True
            else:
                clear_dislodged(state, space)
    state.phase = RETREATS
    if waiting:
        open_turn(rules, state)
    else:
        after_retreats(rules, state)


@rule
def can_retreat(rules: Any, state: Any, space: int) -> bool:
    """Return True if a dislodged unit has somewhere to go, as what it is now: whose boats burned goes by land
    [R-26].
    """
    way = rules.ways[state.out_kind[space]][state.out_place[space]]
    for k in range(way[0], way[1]):
        if retreat_is_open(rules, state, space, rules.moves[k]):
            return True
    return False


@rule
def retreat(rules: Any, state: Any) -> None:
    """Retreats are made at once; two or more to one space are all disbanded [R-16]. Inland, boats burn [Boats 3]."""
    n = rules.spaces
    for space in range(n):
        if state.out_kind[space] == NOBODY or state.retreat[space] < 0:
            continue
        goal, alone = rules.space_of[state.retreat[space]], True
        for other in range(n):
            if other != space and state.out_kind[other] != NOBODY and state.retreat[other] >= 0:
                alone = alone and rules.space_of[state.retreat[other]] != goal
        if alone:
            inland = rules.inland[state.out_place[space]][goal] != 0
            state.kind[goal] = ARMY if state.out_kind[space] != FLEET and inland else state.out_kind[space]
            state.power[goal], state.place[goal] = state.out_power[space], state.retreat[space]


@rule
def after_retreats(rules: Any, state: Any) -> None:
    """Spring is followed by Fall, Fall by Winter, unless the game is over."""
    for space in range(rules.spaces):
        clear_dislodged(state, space)
        state.contested[space] = 0
    if state.season == 0:
        state.season, state.phase = 1, ORDERS
    elif end_fall(rules, state):
        state.phase, state.asked, state.opened = OVER, 0, 0
        return
    else:
        state.phase = ADJUSTMENTS
    open_turn(rules, state)


# Winter


@rule
def adjust(rules: Any, state: Any) -> None:
    """Armies are built, units removed [Winter]."""
    for space in range(rules.spaces):
        if state.step[space] == 0:
            continue
        if state.kind[space] == NOBODY:
            state.kind[space], state.power[space], state.place[space] = ARMY, state.owner[space], rules.bare[space]
        else:
            state.kind[space], state.power[space], state.place[space] = NOBODY, NOBODY, NOBODY
