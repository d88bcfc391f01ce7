"""Whole games between equals, compiled: what each power gets when all play best responses.

As `BestResponseAgent` with a number of samples, but for retreats, builds and removals, which go by what is near.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hawaii_env.core import EntryPoints, rule
from hawaii_env.core.rng import below
from hawaii_env.heiau import Game, State
from hawaii_env.heiau.fast import (
    ADJUSTMENTS,
    MAX_POWERS,
    NOBODY,
    ORDERS,
    RETREATS,
    hidden,
    new_array,
    release,
    resolve_phase,
    view_rules,
    view_state,
)

from .plans import VERB, WIDTH, copy_plan, count_reaching, give, make_plan
from .rollouts import adjust_all, retreat_all
from .search import IMPROVED, Analysis, improve, keep_half, propose, refine, roll, value_plans

__all__ = ["equal_game"]


@rule
def best_plan(
    tables: Any, buffer: Any, near: Any, power: int, noise: float, words: Any, n_plans: int, n_draws: int, sweeps: int,
    best: int, samples: int, phases: int, tries: int, out: Any,
) -> None:  # fmt: skip
    """Write to `out` the plan that does best; the arguments are those of `BestResponseAgent`."""
    n = view_rules(tables).spaces
    plans, draws, values = new_array((n_plans, n, 3), 0), new_array((n_draws, n, 3), 0), new_array(n_plans, 0.0)
    count = propose(tables, buffer, near, power, noise, words, plans, n_plans, draws, n_draws)
    value_plans(tables, buffer, near, power, plans, count, draws, n_draws, values)
    for i in range(min(count, IMPROVED)):
        improve(tables, buffer, near, power, words, plans[i], draws, n_draws, sweeps)
    left = min(count, best)
    chosen, sums, draw, rounds = new_array(best, 0), new_array(best, 0.0), 0, 0
    for i in range(left):
        chosen[i] = i
    while 1 << rounds < left:
        rounds += 1
    for step in range(rounds):
        while draw < (samples * (step + 1)) // rounds or draw == 0:
            roll(tables, buffer, near, power, noise, words, plans, chosen, left, draw, 0.5 * noise, phases, sums)
            draw += 1
        left = keep_half(chosen, sums, left)
    plan, own, units = plans[chosen[0]], new_array(n, 0), 0
    for space in range(n):
        if plan[space][VERB] >= 0:
            own[units] = space
            units += 1
    for i in range(units - 1, -1, -1):
        j = below(words, i + 1)
        own[i], own[j] = own[j], own[i]
        if tries > 0:
            refine(tables, buffer, near, power, noise, words, plan, own[i], tries, 0.5 * noise, phases)
    copy_plan(plan, out)


@rule
def plan_unseen(tables: Any, buffer: Any, near: Any, power: int, noise: float, words: Any, out: Any) -> None:
    """Write a European's plan while it does not see the native powers [R-20]."""
    rules, seen = view_rules(tables), buffer.copy()
    state, counts = view_state(seen), new_array((rules.spaces, WIDTH), 0)
    for space in range(rules.spaces):
        state.owner[space] = NOBODY
        if state.kind[space] != NOBODY and rules.european[state.power[space]] == 0:
            state.kind[space] = state.power[space] = state.place[space] = NOBODY
    count_reaching(rules, state, counts)
    make_plan(rules, state, near, counts, power, noise, words, out)
    release(seen)


@rule
def play_equals(
    tables: Any, buffer: Any, near: Any, noise: float, words: Any, n_plans: int, n_draws: int, sweeps: int, best: int,
    samples: int, phases: int, tries: int, weights: Any,
) -> int:  # fmt: skip
    """Play a game that has come to its first orders to the end. Write the powers' shares of the victory, as parts of
    their sum, to `weights`, and return the last year.
    """
    rules, state = view_rules(tables), view_state(buffer)
    n = rules.spaces
    counts, goals = new_array((n, WIDTH), 0), new_array(n, 0.0)
    plans = new_array((MAX_POWERS, n, 3), NOBODY)
    while state.phase in (ORDERS, RETREATS, ADJUSTMENTS):
        count_reaching(rules, state, counts)
        if state.phase == ORDERS:
            for power in range(rules.powers):
                if hidden(rules, state) and rules.european[power] != 0:
                    plan_unseen(tables, buffer, near, power, noise, words, plans[power])
                else:
                    best_plan(
                        tables, buffer, near, power, noise, words, n_plans, n_draws, sweeps, best, samples, phases,
                        tries, plans[power],
                    )  # fmt: skip
            for power in range(rules.powers):
                give(rules, state, plans[power])
        elif state.phase == RETREATS:
            retreat_all(rules, state, near, counts, goals)
        else:
            adjust_all(rules, state, near, counts, goals)
        resolve_phase(rules, state)
    for power in range(rules.powers):
        weights[power] = state.weight[power]
    return int(state.year)


EQUALS = EntryPoints("heiau", "self-play", (play_equals,))


def _examples() -> dict[str, tuple[Any, ...]]:
    words = np.zeros(1, np.int64)
    return {"play_equals": (words, words, np.zeros((1, 1, 1)), 0.0, words, 0, 0, 0, 0, 0, 0, 0, words)}


def equal_game(game: Game, seed: int, agent: Any) -> dict[str, Any]:
    """Play one game between equals; ballots are drawn.

    Args:
        game: the game; its powers are not drawn by lot.
        seed: of the ballots and of all plans.
        agent: the `BestResponseAgent` whose settings all play by.

    Returns:
        `shares`: of the victory by power; `year`: the last that was played; `draw`: whether it was shared.
    """
    choose = np.random.default_rng(seed)
    state: State = game.initial_state(seed=seed)
    while state.phase == "ballot":
        state.apply(int(choose.choice(state.legal_actions())))
    on = Analysis(state, search=True)
    weights = on.numbers([0] * game.num_players)
    year = EQUALS.compile_now(_examples).play_equals(
        on.tables, on.buffer, on.near, agent.noise, on.numbers(choose.integers(0, 1 << 32, 4).tolist()), agent.plans,
        agent.draws, agent.sweeps, agent.best, agent.samples, agent.phases, agent.refine,
        weights,
    )  # fmt: skip
    shares = [int(weight) / int(sum(weights)) for weight in weights]
    return {"shares": shares, "year": int(year), "draw": max(shares) < 1}
