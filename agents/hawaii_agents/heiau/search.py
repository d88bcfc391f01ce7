"""Sampled best responses: plans of a power against draws of the others' plans. Compiled, or as plain Python."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hawaii_env.core import INTERPRETED, EntryPoints, rule
from hawaii_env.core.rng import below, next_word
from hawaii_env.heiau import State
from hawaii_env.heiau.fast import (
    ARMY,
    BUNCH,
    FLEET,
    NOBODY,
    RETREATS,
    SUPPORT,
    Board,
    enter_action,
    list_orders,
    move_units,
    new_array,
    records,
    release,
    view_rules,
    view_state,
)

from .plans import COLUMNS, SOURCE, TARGET, VERB, WIDTH, copy_plan, count_reaching, give, list_goals, make_plan, put
from .rollouts import adjust_all, place_value, retreat_all, value_after, worth

__all__ = ["FADE", "IMPROVED", "PLANS", "SEARCH", "Analysis", "chart_of"]

FADE = 0.55
"""The discount of a goal for each move of distance."""

IMPROVED = 2
"""The number of the best plans that are improved order by order."""

HOPELESS = 6.0
"""By how much an order may fall behind, summed over the draws so far, before it is given up; a centre is worth 10."""


@rule
def noise_of_draw(noise: float, i: int) -> float:
    """Return the noise of draws in turn: some play what looks best, some wilder."""
    if i % 3 == 0:
        return 0.3 * noise
    return 0.8 * noise if i % 3 == 1 else 1.5 * noise


@rule
def draw_others(
    rules: Any,
    state: Any,
    near: Any,
    counts: Any,
    power: int,
    noise: float,
    words: Any,
    draw: Any,
) -> None:
    """Write a plan of each other power, all together as one."""
    n = rules.spaces
    plan = new_array((n, 3), NOBODY)
    for space in range(n):
        put(draw[space], NOBODY, NOBODY, NOBODY)
    for other in range(rules.powers):
        if other != power:
            make_plan(rules, state, near, counts, other, noise, words, plan)
            for space in range(n):
                verb = plan[space][VERB]
                if verb >= 0:
                    put(draw[space], verb, plan[space][SOURCE], plan[space][TARGET])


@rule
def plan(tables: Any, buffer: Any, near: Any, power: int, noise: float, words: Any, out: Any) -> None:
    """Write one plan of a power; see `plans.make_plan`."""
    rules, state = view_rules(tables), view_state(buffer)
    counts = new_array((rules.spaces, WIDTH), 0)
    count_reaching(rules, state, counts)
    make_plan(rules, state, near, counts, power, noise, words, out)


@rule
def is_alike(one: Any, other: Any) -> bool:
    """Return True if a plan orders what another does."""
    for space in range(len(one)):
        for column in COLUMNS:
            if one[space][VERB] >= 0 and one[space][column] != other[space][column]:
                return False
    return True


@rule
def propose(
    tables: Any, buffer: Any, near: Any, power: int, noise: float, words: Any, plans: Any, wanted: int, draws: Any,
    n_draws: int,
) -> int:  # fmt: skip
    """Write plans of a power, no two alike, and draws of the others' plans; return how many plans there are."""
    rules, state = view_rules(tables), view_state(buffer)
    n = rules.spaces
    counts, one = new_array((n, WIDTH), 0), new_array((n, 3), 0)
    count_reaching(rules, state, counts)
    found = 0
    for i in range(wanted):
        make_plan(rules, state, near, counts, power, noise_of_draw(noise, i), words, one)
        new = True
        for k in range(found):
            new = new and not is_alike(one, plans[k])
        if new:
            copy_plan(one, plans[found])
            found += 1
    for i in range(n_draws):
        draw_others(rules, state, near, counts, power, noise_of_draw(noise, i), words, draws[i])
    return found


@rule
def value_at_sight(tables: Any, buffer: Any, near: Any, power: int, plan: Any, draw: Any) -> float:
    """Return what comes of a plan at once, against a draw of the others' plans."""
    rules, after = view_rules(tables), buffer.copy()
    state = view_state(after)
    give(rules, state, plan)
    give(rules, state, draw)
    move_units(rules, state)
    value = worth(rules, state, near, power, state.season == 1)
    release(after)
    return value


@rule
def is_better(
    tables: Any, buffer: Any, near: Any, power: int, plan: Any, draws: Any, n_draws: int, known: Any, found: Any,
) -> bool:  # fmt: skip
    """Return True if a plan does better at sight than one whose values are known, on the average of the draws; write
    its own values to `found`. What falls behind clearly is not tried to the end.
    """
    gain = 0.0
    for i in range(n_draws):
        found[i] = value_at_sight(tables, buffer, near, power, plan, draws[i])
        gain += found[i] - known[i]
        if i >= 1 and gain < -HOPELESS:
            return False
    return gain > 1e-9


@rule
def value_plans(
    tables: Any, buffer: Any, near: Any, power: int, plans: Any, count: int, draws: Any, n_draws: int, values: Any
) -> None:
    """Value each plan at sight, and put the best first."""
    moved = new_array((view_rules(tables).spaces, 3), 0)
    for i in range(count):
        values[i] = 0.0
        for draw in range(n_draws):
            values[i] += value_at_sight(tables, buffer, near, power, plans[i], draws[draw]) / n_draws
        k = i
        while k > 0 and values[k] > values[k - 1]:
            values[k], values[k - 1] = values[k - 1], values[k]
            copy_plan(plans[k], moved)
            copy_plan(plans[k - 1], plans[k])
            copy_plan(moved, plans[k - 1])
            k -= 1


@rule
def improve(
    tables: Any, buffer: Any, near: Any, power: int, words: Any, plan: Any, draws: Any, n_draws: int, sweeps: int
) -> None:
    """Try for each unit in turn, in a drawn order, all that it could be ordered instead; keep what is better at
    sight.
    """
    rules, state = view_rules(tables), view_state(buffer)
    n = rules.spaces
    listed = new_array((4 + 2 * rules.places + 2 * n * n, 3), 0)
    own, count = new_array(n, 0), 0
    for space in range(n):
        if plan[space][VERB] >= 0:
            own[count] = space
            count += 1
    known, found = new_array(n_draws, 0.0), new_array(n_draws, 0.0)
    for i in range(n_draws):
        known[i] = value_at_sight(tables, buffer, near, power, plan, draws[i])
    for _ in range(sweeps):
        better = False
        for i in range(count - 1, -1, -1):
            j = below(words, i + 1)
            own[i], own[j] = own[j], own[i]
            space = own[i]
            verb, source, target = plan[space][VERB], plan[space][SOURCE], plan[space][TARGET]
            for k in range(list_orders(rules, state, space, state.unbuilt[power], 0, listed)):
                v, s, t = listed[k][VERB], listed[k][SOURCE], listed[k][TARGET]
                foreign = v == SUPPORT and state.power[s] != power
                if foreign or (v == verb and s == source and t == target):
                    continue
                put(plan[space], v, s, t)
                if is_better(tables, buffer, near, power, plan, draws, n_draws, known, found):
                    verb, source, target, better = v, s, t, True
                    for j in range(n_draws):
                        known[j] = found[j]
            put(plan[space], verb, source, target)
        if not better:
            break


@rule
def roll(
    tables: Any, buffer: Any, near: Any, power: int, noise: float, words: Any, plans: Any, chosen: Any, count: int,
    draw: int, rest: float, phases: int, values: Any,
) -> None:  # fmt: skip
    """Play on once from each of the chosen plans, all against one draw of the others' and by the same random numbers;
    add what comes of it to `values`. rest: noise of the plans after these.
    """
    rules, state = view_rules(tables), view_state(buffer)
    n = rules.spaces
    counts, others = new_array((n, WIDTH), 0), new_array((n, 3), 0)
    count_reaching(rules, state, counts)
    draw_others(rules, state, near, counts, power, noise_of_draw(noise, draw), words, others)
    a, b, c, d = words[0], words[1], words[2], words[3]
    for i in range(count):
        words[0], words[1], words[2], words[3] = a, b, c, d
        after = buffer.copy()
        then = view_state(after)
        give(rules, then, plans[chosen[i]])
        give(rules, then, others)
        values[i] += value_after(rules, then, near, power, words, rest, phases)
        release(after)


@rule
def value_of_roll(
    tables: Any, buffer: Any, near: Any, power: int, plan: Any, draw: Any, seed: Any, rest: float, phases: int
) -> float:
    """Return what comes of a plan by playing on, against a draw of the others' plans by its random numbers."""
    after, words = buffer.copy(), new_array(4, 0)
    for j in range(4):
        words[j] = seed[j]
    rules, state = view_rules(tables), view_state(after)
    give(rules, state, plan)
    give(rules, state, draw)
    value = value_after(rules, state, near, power, words, rest, phases)
    release(after)
    return value


@rule
def refine(
    tables: Any, buffer: Any, near: Any, power: int, noise: float, words: Any, plan: Any, space: int, n_draws: int,
    rest: float, phases: int,
) -> None:  # fmt: skip
    """Try for one unit all that it could be ordered instead, and keep what does better when it is played on: each order
    against the same new draws and by the same random numbers.

    An order is better if its gain, summed over the draws, is greater than the root of the sum of the squared gains; it
    is given up where its loss is, after three draws or more.
    """
    rules, state = view_rules(tables), view_state(buffer)
    n = rules.spaces
    listed = new_array((4 + 2 * rules.places + 2 * n * n, 3), 0)
    seeds, known, found = new_array((n_draws, 4), 0), new_array(n_draws, 0.0), new_array(n_draws, 0.0)
    counts, draws = new_array((n, WIDTH), 0), new_array((n_draws, n, 3), 0)
    count_reaching(rules, state, counts)
    for i in range(n_draws):
        draw_others(rules, state, near, counts, power, noise_of_draw(noise, i), words, draws[i])
    for i in range(n_draws):
        for j in range(4):
            seeds[i][j] = next_word(words)
    for i in range(n_draws):
        known[i] = value_of_roll(tables, buffer, near, power, plan, draws[i], seeds[i], rest, phases)
    verb, source, target = plan[space][VERB], plan[space][SOURCE], plan[space][TARGET]
    for k in range(list_orders(rules, state, space, state.unbuilt[power], 0, listed)):
        v, s, t = listed[k][VERB], listed[k][SOURCE], listed[k][TARGET]
        foreign = v == SUPPORT and state.power[s] != power
        if foreign or (v == verb and s == source and t == target):
            continue
        put(plan[space], v, s, t)
        gain = squares = 0.0
        for i in range(n_draws):
            found[i] = value_of_roll(tables, buffer, near, power, plan, draws[i], seeds[i], rest, phases)
            gain += found[i] - known[i]
            squares += (found[i] - known[i]) * (found[i] - known[i])
            if i >= 2 and gain < 0.0 and gain * gain > squares:
                break
        if gain > 0.0 and gain * gain > squares:
            verb, source, target = v, s, t
            for i in range(n_draws):
                known[i] = found[i]
    put(plan[space], verb, source, target)


@rule
def keep_half(chosen: Any, sums: Any, count: int) -> int:
    """Put the candidates with the greater sums first, and return how many stay: half, rounded up."""
    for i in range(1, count):
        k = i
        while k > 0 and sums[k] > sums[k - 1]:
            sums[k], sums[k - 1] = sums[k - 1], sums[k]
            chosen[k], chosen[k - 1] = chosen[k - 1], chosen[k]
            k -= 1
    return (count + 1) // 2


@rule
def roll_actions(
    tables: Any, buffer: Any, near: Any, power: int, words: Any, actions: Any, count: int, rest: float, phases: int,
    values: Any,
) -> None:  # fmt: skip
    """Play on once from each of the chosen retreats, builds or removals, and add what comes of it to `values`; powers
    that have not entered all go by what is near.
    """
    rules = view_rules(tables)
    n = rules.spaces
    counts, goals = new_array((n, WIDTH), 0), new_array(n, 0.0)
    count_reaching(rules, view_state(buffer), counts)
    a, b, c, d = words[0], words[1], words[2], words[3]
    for i in range(count):
        words[0], words[1], words[2], words[3] = a, b, c, d
        after = buffer.copy()
        state = view_state(after)
        enter_action(rules, state, power, actions[i])
        if state.phase == RETREATS:
            retreat_all(rules, state, near, counts, goals)
        else:
            adjust_all(rules, state, near, counts, goals)
        values[i] += value_after(rules, state, near, power, words, rest, phases)
        release(after)


@rule
def value_of_place(tables: Any, buffer: Any, near: Any, power: int, space: int, place: int) -> float:
    """Return how good a retreat, build or removal is by what is near; see `rollouts.place_value`."""
    rules, state = view_rules(tables), view_state(buffer)
    n = rules.spaces
    counts, goals = new_array((n, WIDTH), 0), new_array(n, 0.0)
    count_reaching(rules, state, counts)
    list_goals(rules, state, counts, power, goals)
    return place_value(rules, state, near, counts, goals, power, state.phase, space, place)


# From Python

PLANS = EntryPoints("heiau", "plans", (plan, value_of_place))
SEARCH = EntryPoints("heiau", "agents", (propose, value_plans, improve, roll, refine, keep_half, roll_actions))


def _examples_of_plans() -> dict[str, tuple[Any, ...]]:
    words, plan, near = np.zeros(1, np.int64), np.zeros((1, 3), np.int64), np.zeros((1, 1, 1))
    base = words, words, near, 0
    return {"plan": (*base, 0.0, words, plan), "value_of_place": (*base, 0, 0)}


def _examples() -> dict[str, tuple[Any, ...]]:
    words, reals, plan = np.zeros(1, np.int64), np.zeros(1), np.zeros((1, 3), np.int64)
    plans, base = np.zeros((1, 1, 3), np.int64), (words, words, np.zeros((1, 1, 1)), 0)
    return {
        "propose": (*base, 0.0, words, plans, 0, plans, 0),
        "value_plans": (*base, plans, 0, plans, 0, reals),
        "improve": (*base, words, plan, plans, 0, 0),
        "roll": (*base, 0.0, words, plans, words, 0, 0, 0.0, 0, reals),
        "refine": (*base, 0.0, words, plan, 0, 0, 0.0, 0),
        "keep_half": (words, reals, 0),
        "roll_actions": (*base, words, words, 0, 0.0, 0, reals),
    }


def compile_entries() -> None:
    """Compile all entry points that are not compiled yet."""
    PLANS.compile_now(_examples_of_plans)
    SEARCH.compile_now(_examples)


class Analysis:
    """Entry points of one position and their first arguments, compiled or interpreted.

    Args:
        state: the position, as its player knows it.
        search: whether it is searched: that compiles what it needs first. A single plan does without where there is no
            machine code.
        fade: the discount of a goal for each move of distance.

    Attributes:
        tables, buffer, near, power: what the entry points are called with; the position is a copy.
        plans, search: the entry points.
    """

    def __init__(self, state: State, search: bool = False, fade: float = FADE) -> None:
        self.compiled: bool = not INTERPRETED and (search or PLANS.load())
        self.plans: Any = PLANS.compile_now(_examples_of_plans) if self.compiled else PLANS.interpreted
        self.search: Any = SEARCH.compile_now(_examples) if search else None
        tables, buffer = records(state, self.compiled)
        self.tables: Any = tables
        self.buffer: Any = buffer
        near = chart_of(state.game.options.board, fade)
        self.near: Any = near if self.compiled else near.tolist()
        self.power: int = state.power_of(state.current_player)

    def numbers(self, values: Sequence[int]) -> Any:
        """Return whole numbers as the entry points take them."""
        return np.array(values, np.int64) if self.compiled else list(values)

    def new_plans(self, *count: int) -> Any:
        """Return an empty plan, or several."""
        shape = *count, len(self.near[0][0]), 3
        return np.zeros(shape, np.int64) if self.compiled else new_array(shape, 0)


@lru_cache(maxsize=8)
def chart_of(board: Board, fade: float = FADE) -> NDArray[np.float64]:
    """Return what a goal is worth to a unit by how many moves it is away, boats built on the way included:
    float64[kind, place, space], 1 where it stands, `fade` times less a move.
    """
    places, size = len(board.places), len(board.spaces)
    near = np.zeros((3, places, size))
    ahead: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for place, space in enumerate(board.space_of):
        for kind in (ARMY, BUNCH, FLEET):
            if not board.can_stand(kind, place):
                continue
            steps = [(kind, end) for end in board.moves[kind][place]]
            if kind == BUNCH:
                inland = board.inland[place]
                steps = [(ARMY if inland >> board.space_of[end] & 1 else BUNCH, end) for _, end in steps]
            elif kind == ARMY and board.kind[space] == "coast":
                steps += [(BUNCH, end) for end in board.standing(space)]
            ahead[kind, place] = steps
    for start in ahead:
        seen, ring, weight = {start}, [start], 1.0
        while ring:
            for _, place in ring:
                space = board.space_of[place]
                near[*start, space] = max(near[*start, space], weight)
            ring = list(dict.fromkeys(end for at in ring for end in ahead[at] if end not in seen))
            seen.update(ring)
            weight *= fade
    return near
