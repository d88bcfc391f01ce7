"""Whole games between equals, compiled: what each power gets when all play best responses.

As `BestResponseAgent` with a number of samples, but for retreats, builds and removals, which go by what is near.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hawaii_env.core import EntryPoints, rule
from hawaii_env.core.rng import below
from hawaii_env.heiau import Game
from hawaii_env.heiau.fast import (
    ADJUSTMENTS,
    EUROPEAN,
    MAX_POWERS,
    N_ACTIONS,
    N_POWERS,
    N_SPACES,
    NOBODY,
    ORDERS,
    RETREATS,
    hidden,
    make_array,
    resolve_phase,
    view_spaces,
    view_state,
)

from .plans import WIDTH, count_reaching, floats, give, make_plan
from .rollouts import adjust_all, retreat_all
from .search import IMPROVED, Analysis, improve, keep_half, propose, refine, roll, value_plans

__all__ = ["equal_game"]


@rule
def best_plan(
    tables: Any, buffer: Any, near: Any, power: int, noise: float, words: Any, n_plans: int, n_draws: int, sweeps: int,
    best: int, samples: int, phases: int, tries: int, out: Any,
) -> None:  # fmt: skip
    """Write to `out` the plan that does best; the arguments are those of `BestResponseAgent`."""
    n = tables[N_SPACES]
    plans, draws, values = make_array(3 * n * n_plans, 0), make_array(3 * n * n_draws, 0), floats(n_plans)
    count = propose(tables, buffer, near, power, noise, words, plans, n_plans, draws, n_draws)
    value_plans(tables, buffer, near, power, plans, count, draws, n_draws, values)
    for i in range(min(count, IMPROVED)):
        improve(tables, buffer, near, power, words, plans, i, draws, n_draws, sweeps, values)
    left = min(count, best)
    chosen, sums, draw, rounds = make_array(best, 0), floats(best), 0, 0
    for i in range(left):
        chosen[i] = i
    while 1 << rounds < left:
        rounds += 1
    for step in range(rounds):
        while draw < (samples * (step + 1)) // rounds or draw == 0:
            roll(tables, buffer, near, power, noise, words, plans, chosen, left, draw, 0.5 * noise, phases, sums)
            draw += 1
        left = keep_half(chosen, sums, left)
    own, units = make_array(n, 0), 0
    for space in range(n):
        if plans[3 * (n * chosen[0] + space)] >= 0:
            own[units] = space
            units += 1
    for i in range(units - 1, -1, -1):
        j = below(words, i + 1)
        own[i], own[j] = own[j], own[i]
        if tries > 0:
            refine(tables, buffer, near, power, noise, words, plans, chosen[0], own[i], tries, 0.5 * noise, phases)
    for j in range(3 * n):
        out[j] = plans[3 * n * chosen[0] + j]


@rule
def plan_unseen(tables: Any, buffer: Any, near: Any, power: int, noise: float, words: Any, out: Any) -> None:
    """Write a European's plan while it does not see the native powers [R-20]."""
    seen = buffer.copy()
    spaces, counts = view_spaces(seen), make_array(WIDTH * tables[N_SPACES], 0)
    for space in range(tables[N_SPACES]):
        at = spaces[space]
        at.owner = NOBODY
        if at.kind != NOBODY and tables[tables[EUROPEAN] + at.power] == 0:
            at.kind = at.power = at.place = NOBODY
    count_reaching(tables, spaces, counts)
    make_plan(tables, view_state(seen), spaces, near, counts, power, noise, words, out)


@rule
def play_equals(
    tables: Any, buffer: Any, near: Any, noise: float, words: Any, n_plans: int, n_draws: int, sweeps: int, best: int,
    samples: int, phases: int, tries: int, weights: Any,
) -> int:  # fmt: skip
    """Play a game that has come to its first orders to the end. Write the powers' shares of the victory, as parts of
    their sum, to `weights`, and return the last year.
    """
    state, spaces, n = view_state(buffer), view_spaces(buffer), tables[N_SPACES]
    legal, counts, goals = make_array(tables[N_ACTIONS], 0), make_array(WIDTH * n, 0), floats(n)
    plans, one = make_array(3 * n * MAX_POWERS, NOBODY), make_array(3 * n, NOBODY)
    while state.phase in (ORDERS, RETREATS, ADJUSTMENTS):
        count_reaching(tables, spaces, counts)
        if state.phase == ORDERS:
            for power in range(tables[N_POWERS]):
                if hidden(tables, state) and tables[tables[EUROPEAN] + power] != 0:
                    plan_unseen(tables, buffer, near, power, noise, words, one)
                else:
                    best_plan(
                        tables, buffer, near, power, noise, words, n_plans, n_draws, sweeps, best, samples, phases,
                        tries, one,
                    )  # fmt: skip
                for j in range(3 * n):
                    plans[3 * n * power + j] = one[j]
            for power in range(tables[N_POWERS]):
                give(tables, spaces, plans, power)
        elif state.phase == RETREATS:
            retreat_all(tables, spaces, near, counts, goals)
        else:
            adjust_all(tables, state, spaces, near, counts, goals)
        resolve_phase(tables, state, spaces, legal)
    for power in range(tables[N_POWERS]):
        weights[power] = state.weight[power]
    return int(state.year)


EQUALS = EntryPoints("heiau", "self-play", (play_equals,), seconds=10)


def _examples() -> dict[str, tuple[Any, ...]]:
    words = np.zeros(1, np.int64)
    return {"play_equals": (words, words, np.zeros(1), 0.0, words, 0, 0, 0, 0, 0, 0, 0, words)}


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
    state = game.initial_state(seed=seed)
    while state.phase == "ballot":
        state.apply(int(choose.choice(state.legal_actions())))
    on = Analysis(state, search=True)
    weights = on.numbers([0] * game.num_players)
    year = EQUALS.for_a_job(_examples).play_equals(
        on.tables, on.buffer, on.near, agent.noise, on.numbers(choose.integers(0, 1 << 32, 4).tolist()), agent.plans,
        agent.draws, agent.sweeps, agent.best, agent.samples, agent.phases, agent.refine,
        weights,
    )  # fmt: skip
    shares = [int(weight) / int(sum(weights)) for weight in weights]
    return {"shares": shares, "year": int(year), "draw": max(shares) < 1}
