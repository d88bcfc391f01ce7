"""The choices of a player of Hawaii, 1795 by rules of thumb, in compiled code: a rule for each phase [6.0 to 11.8].

A rule values the legal actions; those that are worth most are written out, and the caller draws among them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hawaii_env.core import rule
from hawaii_env.core.layout import Field, Layout, copy_record
from hawaii_env.hawaii1795.fast import (
    ABOARD,
    APPROACH,
    BATTLE_ORDER,
    BY_SEA_LOSER,
    CANOE_LOSS,
    CARGO,
    COMMIT,
    FIRE,
    HOME,
    LAUNCH,
    LOSS,
    MAX_LEGAL,
    MOVE,
    N_KINDS,
    N_PIECES,
    N_SPACES,
    PANIC_LOSS,
    PICKUP,
    RECRUIT,
    RETREAT,
    SAIL,
    SEA,
    SEA_BATTLE,
    SETUP,
    WAR,
    WINDOW,
    WINDOW_BATTLE,
    WINDOW_MOVEMENT,
    WINDOW_SIGHTING,
    WITHDRAW,
    view_rules,
    view_state,
)

from .attacks import weigh
from .boards import (
    ELITE,
    MOST_STEPS,
    N_STEP,
    OPEN,
    P_BASE,
    P_BEST,
    P_NEW,
    STEP_BY,
    STEP_FROM,
    STEP_TO,
    STEP_UNITS,
    STEP_VERB,
    STRENGTH,
    WALLS,
    add_unit,
    add_units,
    append_force,
    append_units,
    is_invasion,
    odds_of_battle,
    plan_of,
    power_of,
    take_unit,
    value_for,
    write_board,
)
from .fleets import best_fleet, value_of_landing
from .plans import MARCH_STEP, make_plan, start_plan

__all__ = ["MEMORY", "choose"]

VERBS = (
    "done", "pass", "launch", "play", "place", "recruit", "home", "march", "fleet", "pickup", "embark", "sail",
    "approach", "battle", "retreat", "commit", "fire", "lose", "panic",
)  # fmt: skip
(
    V_DONE, V_PASS, V_LAUNCH, V_PLAY, V_PLACE, V_RECRUIT, V_HOME, V_MARCH, V_FLEET, V_PICKUP, V_EMBARK, V_SAIL,
    V_APPROACH, V_BATTLE, V_RETREAT, V_COMMIT, V_FIRE, V_LOSE, V_PANIC,
) = range(len(VERBS))  # fmt: skip

VERB, BY_KIND, SOURCE_OF, PLACE, MARKED, FIRED, PANICKED, CANOE, N_COLUMNS = 0, 1, 3, 4, 5, 6, 7, 8, 9
"""Columns of the table of actions: the verb; the piece's kind, for either side; the first and the last space; whether
the piece has marks, which; whether it is a canoe.
"""

MEMORY = Layout(
    "memory",
    Field("month"),  # of the plan; 0 none yet
    Field("half"),
    Field("asked"),  # decisions then
    Field("length"),  # steps of the plan
    Field("next"),
    Field("now"),  # the step that goes on, plus 1; 0 none
    Field("fleet_size"),
    Field("fleet", N_PIECES),  # units of a war fleet
    Field("steps", MOST_STEPS, N_STEP),
)
"""The notes of a player."""

view_memory: Any = MEMORY.view


@rule
def find(state: Any, actions: Any, verb: int, place: int) -> int:
    """Return the first legal action of a verb and a place, if that is not -1; -1 if there is none."""
    for i in range(state.n_legal):
        action = state.legal[i]
        if actions[action, VERB] == verb and place in (-1, actions[action, PLACE]):
            return action
    return -1


@rule
def find_or_first(state: Any, actions: Any, verb: int) -> int:
    """Return the first legal action of a verb, else the first of all."""
    action = find(state, actions, verb, -1)
    return state.legal[0] if action < 0 else action


# Forces


@rule
def value_with(rules: Any, state: Any, known: Any, player: int, kind: int, space: int) -> float:
    """Return what the position is worth with one more piece; among enemies it attacks."""
    plan = plan_of(known, P_BEST)
    copy_record(plan_of(known, P_BASE), plan)
    if rules.canoe[rules.first[kind]]:
        plan.boats[player][space] += 1
        return value_for(rules, state, known, plan, player) + 0.001 * (plan.count[player][space] > 0)
    add_unit(plan, player, space, kind, known)
    if plan.count[1 - player][space] > 0:
        start_plan(known, plan, player, plan_of(known, P_NEW))
        return weigh(rules, state, known, plan_of(known, P_NEW), False, True)
    return value_for(rules, state, known, plan, player)


@rule
def value_without(rules: Any, state: Any, known: Any, player: int, kind: int, space: int) -> float:
    """Return what the position is worth without a piece."""
    board = plan_of(known, P_BEST)
    copy_record(plan_of(known, P_BASE), board)
    if rules.canoe[rules.first[kind]]:
        board.boats[player][space] -= 1
    else:
        take_unit(board, player, space, kind)
    return value_for(rules, state, known, board, player)


@rule
def count_there(rules: Any, state: Any, player: int, place: int, units: Any) -> int:
    """Write a player's units in a place, in the order of kinds, without canoes, whose number stands behind them; return
    how many there are.
    """
    n, canoes = 0, 0
    for piece in range(N_PIECES):
        if state.place[piece] == place and state.owner[piece] == player:
            if rules.canoe[piece]:
                canoes += 1
            else:
                units[n] = rules.kind[piece]
                n += 1
    units[n] = canoes
    return n


@rule
def value_joined(rules: Any, state: Any, known: Any, player: int, left: int, n: int, boats: int, space: int) -> float:
    """Return what the position is worth when the first units of `Known.forces`, and boats, are in a space; whoever
    stood where they left, if that is a space, is gone.
    """
    board = plan_of(known, P_BEST)
    copy_record(plan_of(known, P_BASE), board)
    if 0 <= left < N_SPACES:
        board.count[player][left] = 0
        board.boats[player][left] = 0
    add_units(board, player, space, known.forces[0], n, known)
    board.boats[player][space] += boats
    return value_for(rules, state, known, board, player)


# Movement


@rule
def plan_half(rules: Any, state: Any, known: Any, memory: Any, boldness: float) -> None:
    """Make a plan, and remember its steps."""
    make_plan(rules, state, known, state.decider, state.no_sighting == 1, 0.02 * (1.0 - boldness))
    best = plan_of(known, P_BEST)
    memory.length = best.n_steps
    memory.next = 0
    for i in range(best.n_steps):
        for column in range(N_STEP):
            memory.steps[i][column] = best.steps[i][column]


@rule
def next_step(state: Any, actions: Any, memory: Any) -> int:
    """Return the action that begins the next step, or -1 if none is left or it is not legal."""
    memory.now = 0
    if memory.next >= memory.length:
        return -1
    step = memory.steps[memory.next]
    marching = step[STEP_VERB] == MARCH_STEP
    for i in range(state.n_legal):
        action = state.legal[i]
        said = actions[action]
        if marching:
            if (
                said[VERB] == V_MARCH
                and said[BY_KIND + state.decider] == step[STEP_BY]
                and said[SOURCE_OF] == step[STEP_FROM]
                and said[PLACE] == step[STEP_TO]
            ):
                memory.next += 1
                return action
        elif said[VERB] == V_FLEET and said[PLACE] == step[STEP_FROM]:
            memory.next += 1
            memory.now = memory.next
            return action
    return -1


@rule
def move(rules: Any, state: Any, known: Any, actions: Any, memory: Any, boldness: float) -> int:
    """[10.0] Return the next step of the plan; make a new plan if none goes on."""
    if memory.month != state.month or memory.half != state.half or state.decisions < memory.asked:
        memory.month = state.month
        memory.half = state.half
        plan_half(rules, state, known, memory, boldness)
    memory.asked = state.decisions
    action = next_step(state, actions, memory)
    if action < 0 and memory.next < memory.length:
        plan_half(rules, state, known, memory, boldness)
        action = next_step(state, actions, memory)
    return find_or_first(state, actions, V_DONE) if action < 0 else action


@rule
def load(rules: Any, state: Any, actions: Any, memory: Any) -> int:
    """[10.3] Load as planned; else nobody more."""
    if memory.now > 0:
        aboard = np.zeros(N_KINDS, np.int64)
        for piece in range(N_PIECES):
            if state.place[piece] == ABOARD and state.owner[piece] == state.decider:
                aboard[rules.kind[piece]] += 1
        for i in range(STEP_UNITS, N_STEP):
            kind = memory.steps[memory.now - 1][i] - 1
            if kind < 0:
                break
            if aboard[kind] > 0:
                aboard[kind] -= 1
                continue
            for k in range(state.n_legal):
                said = actions[state.legal[k]]
                if said[VERB] == V_EMBARK and said[BY_KIND + state.decider] == kind:
                    return state.legal[k]
    return find_or_first(state, actions, V_DONE)


# Battles


@rule
def odds_at(rules: Any, state: Any, known: Any, side: int, space: int, battle: int) -> float:
    """Return the odds that those who attack a space, by canoe and overland, beat a side's units there."""
    base, ours, theirs = plan_of(known, P_BASE), known.forces[0], known.forces[1]
    n = append_units(ours, 0, base.by_sea[space], max(0, int(base.n_by_sea[space])))
    n = append_force(ours, n, base, state.half, space)
    m = append_force(theirs, 0, base, side, space)
    return odds_of_battle(known, ours, n, theirs, m, battle)


@rule
def window(rules: Any, state: Any, known: Any, actions: Any) -> int:
    """[8.1] Play a held event if it changes enough; towards the end a little is enough."""
    stake, gain, player = 0.01 if state.month >= rules.last_month - 2 else 0.05, 0.0, state.decider
    if state.window == WINDOW_MOVEMENT:
        seen = make_plan(rules, state, known, player, False, 0.004)
        gain = make_plan(rules, state, known, player, True, 0.004) - seen
    elif state.window == WINDOW_SIGHTING:
        gain, _ = best_fleet(rules, state, known, np.zeros(N_PIECES, np.int64))
        gain -= value_of_landing(rules, state, known)
    elif state.window == WINDOW_BATTLE:
        gain = odds_at(rules, state, known, player, state.field, OPEN)
        gain = gain - odds_at(rules, state, known, player, state.field, WALLS) - 0.05
    return find(state, actions, V_PLAY if gain > stake else V_PASS, -1)


@rule
def launch(rules: Any, state: Any, known: Any, actions: Any, memory: Any) -> int:
    """[11.7] Launch a war fleet if that is better than to be landed upon."""
    gain, memory.fleet_size = best_fleet(rules, state, known, memory.fleet)
    if memory.fleet_size > 0 and gain > value_of_landing(rules, state, known):
        return find_or_first(state, actions, V_LAUNCH)
    return find_or_first(state, actions, V_PASS)


@rule
def commit(rules: Any, state: Any, known: Any, actions: Any, memory: Any) -> int:
    """[11.7] Commit the canoes that are needed, then the units chosen."""
    if memory.fleet_size == 0:
        _, memory.fleet_size = best_fleet(rules, state, known, memory.fleet)
    gone, canoes, player = np.zeros(N_KINDS, np.int64), 0, state.decider
    for piece in range(N_PIECES):
        if state.place[piece] == WAR and state.owner[piece] == player:
            gone[rules.kind[piece]] += 1
            canoes += rules.canoe[piece]
    leaders = 0
    for i in range(memory.fleet_size):
        leaders += rules.leader[rules.first[memory.fleet[i]]]
    if canoes < max(1, (memory.fleet_size - leaders + 1) // 2, (leaders + 1) // 2):
        for k in range(state.n_legal):
            if actions[state.legal[k], VERB] == V_COMMIT and actions[state.legal[k], CANOE] == 1:
                return state.legal[k]
    for i in range(memory.fleet_size):
        kind = memory.fleet[i]
        if gone[kind] > 0:
            gone[kind] -= 1
            continue
        for k in range(state.n_legal):
            said = actions[state.legal[k]]
            if said[VERB] == V_COMMIT and said[MARKED] == 0 and said[BY_KIND + player] == kind:
                return state.legal[k]
    return find_or_first(state, actions, V_DONE)


@rule
def standing(rules: Any, state: Any, known: Any, side: int) -> tuple[int, float]:
    """Return a side's units in the battle that are not panicked, and their strength."""
    place = state.field
    if state.battle == SEA_BATTLE:
        place = SEA + state.field if state.half == side else WAR
    n, power = 0, 0.0
    for piece in range(N_PIECES):
        there = state.place[piece] == place and state.owner[piece] == side
        if there and not rules.canoe[piece] and state.panicked[piece] == 0:
            n += 1
            power += known.power[rules.kind[piece], 0]
    return n, power


@rule
def leaving_from(state: Any) -> int:
    """[11.5, R-25] Return the place that pieces withdraw from; -1 if none."""
    if state.pending_retreat == BY_SEA_LOSER:
        return SEA + state.field if state.half == state.decider else WAR
    return state.field if state.from_space < 0 else state.from_space


# Values


@rule
def value_of_unit(rules: Any, state: Any, known: Any, said: Any, safe: bool) -> float:
    """Return how gladly a unit of a battle is chosen: to fire the strongest, which may not be there later [11.1]; to be
    lost the least, one that has fired before one that has not, leaders last [11.3]; to panic one that is panicked, for
    the others' fire, unless the battle is won anyway, else the least [12.0].
    """
    kind = said[BY_KIND + state.decider]
    if state.phase == FIRE:
        return known.facts[kind, STRENGTH] * 2 + known.facts[kind, ELITE] - 0.01 * known.worth[kind]
    if state.phase == LOSS:
        return 0.0 if said[CANOE] else -known.worth[kind] + 0.4 * said[FIRED]
    cost = known.worth[kind] - 0.4 * said[FIRED]
    if said[PANICKED]:
        cost += 3.0 if safe else -100.0
    return -cost


@rule
def value_of_action(
    rules: Any, state: Any, known: Any, said: Any, left: int, n: int, boats: int, safe: bool
) -> float:  # fmt: skip
    """Return what an action is worth, in phases in which all are compared."""
    player, phase, space = state.decider, state.phase, said[PLACE]
    kind = said[BY_KIND + player]
    if phase in (SETUP, RECRUIT):
        return value_with(rules, state, known, player, kind, space)
    if phase == HOME:
        return value_without(rules, state, known, player, kind, space)
    if phase == PICKUP:
        board = plan_of(known, P_BASE)
        return power_of(board.units[player][space], int(board.count[player][space]), 0, known.power)
    if phase == SAIL:
        if is_invasion(plan_of(known, P_BASE), player, space):
            return -1.5
        return value_joined(rules, state, known, player, -1, n, 1, space)
    if phase in (APPROACH, BATTLE_ORDER):
        return odds_at(rules, state, known, 1 - player, space, WALLS if rules.fort[space] else OPEN)
    if phase in (FIRE, LOSS, PANIC_LOSS):
        return value_of_unit(rules, state, known, said, safe)
    return value_joined(rules, state, known, player, left, n, boats, space)


@rule
def write_best(rules: Any, state: Any, known: Any, actions: Any, out: Any) -> int:
    """Write the legal actions that are worth most; return how many there are."""
    values, most = np.zeros(MAX_LEGAL), -np.inf
    player, left, n, boats, safe = state.decider, -1, 0, 0, False
    if state.phase == SAIL:
        n = count_there(rules, state, player, ABOARD, known.forces[0])
    elif state.phase == PANIC_LOSS:
        ours, power = standing(rules, state, known, player)
        safe = ours > 1 and power > 2.0 * standing(rules, state, known, 1 - player)[1]
    elif state.phase in (WITHDRAW, RETREAT):
        left = leaving_from(state)
        n = count_there(rules, state, player, left, known.forces[0])
        boats = int(known.forces[0, n])
    for i in range(state.n_legal):
        values[i] = value_of_action(rules, state, known, actions[state.legal[i]], left, n, boats, safe)
        most = max(most, values[i])
    count = 0
    for i in range(state.n_legal):
        if values[i] > most - 1e-9:
            out[count] = state.legal[i]
            count += 1
    return count


@rule
def planned(rules: Any, state: Any, known: Any, actions: Any, memory: Any, boldness: float) -> int:
    """Return the action of a phase in which all follow one plan; -1 if the actions are compared."""
    phase = state.phase
    if phase == MOVE:
        return move(rules, state, known, actions, memory, boldness)
    if phase == PICKUP and memory.now > 0:
        return find(state, actions, V_PICKUP, memory.steps[memory.now - 1][STEP_BY])
    if phase == CARGO:
        return load(rules, state, actions, memory)
    if phase == SAIL and memory.now > 0:
        return find(state, actions, V_SAIL, memory.steps[memory.now - 1][STEP_TO])
    if phase == WINDOW:
        return window(rules, state, known, actions)
    if phase == LAUNCH:
        return launch(rules, state, known, actions, memory)
    if phase == COMMIT:
        return commit(rules, state, known, actions, memory)
    return state.legal[0] if phase == CANOE_LOSS else -1


@rule
def choose(tables: Any, record: Any, known: Any, actions: Any, memory: Any, boldness: float, out: Any) -> int:
    """Write the actions that a player takes, of which none is better than another; return how many there are."""
    rules, state = view_rules(tables), view_state(record)
    known.asked[0, 0] = 0
    write_board(rules, state, known, plan_of(known, P_BASE))
    action = planned(rules, state, known, actions, view_memory(memory), boldness)
    if action < 0:
        return write_best(rules, state, known, actions, out)
    out[0] = action
    return 1
