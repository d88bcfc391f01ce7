"""The static evaluation: what it sees, that both modes see the same, and searches that value by it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hawaii_agents.hawaii1795.search import FEATURES, WEIGHTS, Plans, Search, Static, static
from hawaii_env.hawaii1795.battles import BattleTable
from hawaii_env.hawaii1795.fast import KIND_NUMBERS

from .test_search import FEW, GAME, somewhere, win_at_hand


def counted(state: Any) -> tuple[Any, Any, Any, Any]:
    """A position's forces, as the compiled code counts them."""
    units, boats, chiefs = np.zeros((2, 7, 22), np.int64), np.zeros((2, 7), np.int64), np.zeros(2, np.int64)
    rules, held = GAME.tables, state.interpreted()
    static.count_pieces(rules, held, units, boats, chiefs)
    return units, boats, chiefs, np.array(held.left)


def value(*given: Any, arrays: Any = None, found: Any = None) -> float:
    """Return what counted forces are worth in a month to a side, by the evaluation as plain Python."""
    found = np.zeros(len(FEATURES)) if found is None else found
    units, boats, chiefs, left, month, side = given
    given_by = Static.of(GAME).arrays if arrays is None else arrays
    return static.static_value(GAME.tables, units, boats, chiefs, left, month, side, given_by, found)


def test_pieces_are_counted_where_they_stand() -> None:
    units, boats, chiefs, left = counted(win_at_hand())
    assert units.sum() == 8 and boats.sum() == 1 and boats[1, 2] == 1
    assert units[0, 0, KIND_NUMBERS["kamehameha", "warrior_2"]] == 4
    assert units[1, 4, KIND_NUMBERS["allied", "kalani"]] == 1
    assert chiefs.tolist() == [1, 2]
    assert all(mask & 0b1111111110 for mask in left.tolist())


def test_odds_are_those_of_the_table() -> None:
    table, odds = BattleTable.of(GAME.ruleset), Static.of(GAME).arrays.odds
    rng = np.random.default_rng(1)
    for attack, defence in rng.uniform(0, 14, (60, 2)):
        for walls, kind in enumerate(("open", "walls")):
            assert static.chance_of(odds[walls], attack, defence) == pytest.approx(table.chance(attack, defence, kind))
    assert static.chance_of(odds[0], 0.0, 1.0) == 0.0 and static.chance_of(odds[1], 1.0, 0.0) == 1.0


def test_who_has_won_and_who_cannot_any_more() -> None:
    units, boats, chiefs, left = counted(win_at_hand())
    assert value(units, boats, np.array([0, 2]), left, 6, 0) == -1.0
    assert value(units, boats, np.array([1, 0]), left, 6, 0) == 1.0
    assert value(units, boats, chiefs, left, 11, 1) == 0.0  # November has ended
    units[1, 1] = units[1, 4]  # they march into Hilo, and leave none of those who stood at Waikiki
    held = units.copy()
    held[1, 4, KIND_NUMBERS["allied", "oahu_warrior"]] = 1
    assert value(held, boats, chiefs, left, 6, 0) == -1.0  # at the beginning of their half they have won
    found = np.zeros(len(FEATURES))
    assert -1.0 < value(held, boats, chiefs, left, 6, 1, found=found) < 1.0
    assert found[FEATURES.index("holds")] > 0.0


def test_more_force_is_worth_more_and_danger_costs() -> None:
    units, boats, chiefs, left = counted(win_at_hand())
    stronger = units.copy()
    stronger[0, 0, KIND_NUMBERS["kamehameha", "royal_guard"]] += 1
    for side, sign in ((0, 1), (1, -1)):
        before, after = (value(u, boats, chiefs, left, 6, side) for u in (units, stronger))
        assert sign * (after - before) > 0
    fleets = boats.copy()
    fleets[0, 0] = 3
    stakes: list[float] = []
    for b in (boats, fleets):
        found = np.zeros(len(FEATURES))
        value(units, b, chiefs, left, 6, 1, found=found)
        stakes.append(float(found[FEATURES.index("stake")]))
    assert stakes[1] > stakes[0]


def test_other_weights_and_other_rulesets_are_other_evaluations() -> None:
    given = counted(somewhere(3))
    other = Static(GAME, tuple(tuple(2 * w for w in side) for side in WEIGHTS))
    assert abs(value(*given, 5, 0, arrays=other.arrays)) > abs(value(*given, 5, 0)) > 0
    assert Static.of(GAME) is Static.of(GAME)


def test_the_graph_search_values_by_it() -> None:
    state = somewhere(8)
    runs = [Search(GAME, values="static", seed=seed) for seed in (1, 1, 2)]
    for search in runs:
        search.set_root(state)
        search.run(FEW)
    assert runs[0].visits.tolist() == runs[1].visits.tolist()
    assert runs[0].value == runs[1].value != runs[2].value
    assert -1 < runs[0].value < 1


def test_plans_without_a_network_are_repeatable_and_their_memory_is_what_it_was() -> None:
    state = somewhere(1, 26)
    while state.current_player < 0 or state.phase != "movement":
        if state.current_player < 0:
            state.apply_chance(state.chance_outcomes()[0][0])
        else:
            state.apply(state.legal_actions()[-1])
    runs = [Plans(GAME, seed=seed, most=24) for seed in (4, 4, 5)]
    for plans in runs:
        plans.set_root(state)
        plans.run(FEW)
    arrays = {name: array.nbytes for name, array in vars(runs[0]).items() if isinstance(array, np.ndarray)}
    assert runs[0].plans == runs[1].plans and runs[0].plans != runs[2].plans
    assert len(runs[0].plans) > 4 and runs[0].suits(state)
    done = next(actions for actions, *_ in runs[0].plans if len(actions) == 1)
    assert GAME.action_text(done[0]) == "done"  # to do nothing is always a candidate
    for _ in range(4):
        runs[0].run(10 * FEW)
    assert arrays == {name: array.nbytes for name, array in vars(runs[0]).items() if isinstance(array, np.ndarray)}
