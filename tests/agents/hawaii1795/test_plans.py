"""Search among whole plans: what a plan is, what a rollout sees and does, and that the better plan is found."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from refusals import refuses, refuses_each

from hawaii_agents.hawaii1795.search import Plans, network, playing
from hawaii_env.core.jit import INTERPRETED
from hawaii_env.errors import GameOverError, OptionError
from hawaii_env.game import CHANCE
from hawaii_env.hawaii1795 import Game
from hawaii_env.hawaii1795.fast import position_bytes

from .test_search import GAME, expected, somewhere, tensors

NET = tensors() | {name: tensors()[name] / 9 for name in ("score.weight", "score.bias")}
"""Its values are well within -1 and 1."""
FEW = 12 if INTERPRETED else 60


def moving(seed: int) -> Any:
    """A position at movement."""
    while True:
        state = somewhere(seed, 20 + seed)
        if state.current_player != CHANCE and state.view().phase == "movement":
            return state
        seed += 1


def planned(state: Any, rollouts: int = FEW, **settings: Any) -> Plans:
    plans = Plans(GAME, NET, **{"seed": 3, "most": 12, **settings})
    plans.set_root(state)
    plans.run(rollouts)
    return plans


def test_a_plan_goes_on_until_another_has_the_word() -> None:
    state = moving(1)
    ends = set[bytes]()
    found = planned(state).plans
    for actions, _, _ in found:
        after = state.clone()
        for action in actions:
            assert after.current_player == state.current_player
            after.apply(action)
        assert after.current_player != state.current_player
        ends.add(ending(state, actions))
    assert len(found) == len(ends) > 2  # those that reach one position are one


def test_some_candidates_are_found_whatever_the_policy_thinks() -> None:
    def found(network: dict[str, Any] | None, **settings: Any) -> list[tuple[int, ...]]:
        plans = Plans(GAME, network, heat=1e-3, seed=3, **settings)  # so cold, the policy has but one plan
        plans.set_root(moving(1))
        plans.run(FEW)
        return [tuple(plan) for plan, _, _ in plans.plans]

    alone, scouted, many = found(NET), found(NET, scouted=3), found(NET, scouted=8, most=24)
    assert len(alone) == 1 < len(scouted) <= 4 < len(many) <= 9
    assert set(alone) < set(scouted) and set(alone) < set(many)
    assert found(NET, scouted=3) == scouted  # by rollouts the same seed gives the same
    refused: list[dict[str, Any]] = [{"scouted": -1}, {"scouting": 0.0}, {"scouting": float("nan")}]
    refuses_each(OptionError, lambda wrong: next(iter(wrong)), lambda wrong: Plans(GAME, NET, **wrong), refused)


def test_the_scouted_are_the_best_of_a_search_without_the_policy() -> None:
    plans = Plans(GAME, NET, heat=1e-3, seed=3, scouted=2, scouting=1.0)
    state = moving(1)
    plans.set_root(state)
    plans.run(FEW)
    other = Plans(GAME, seed=4)
    other.set_root(state)
    other.run(FEW)
    likeliest = Plans(GAME, NET, heat=1e-3, seed=3)
    likeliest.set_root(state)
    longest = sorted(other.plans, key=lambda one: -one[1])[:2]  # those that outlived the others, the better first
    best = [ending(state, plan) for plan, _, _ in longest]
    assert {ending(state, plan) for plan, _, _ in plans.plans} == {ending(state, likeliest.plans[0][0]), *best}


def ending(state: Any, plan: list[int]) -> bytes:
    """The position that a plan leads to."""
    after = state.clone()
    for action in plan:
        after.apply(action)
    return position_bytes(after)


def test_the_likeliest_plan_is_a_candidate() -> None:
    state = moving(2)
    after, likeliest = state.clone(), []
    while after.current_player == state.current_player:
        legal = after.legal_actions()
        seen = np.asarray(after.observation(after.current_player), float)
        likeliest.append(legal[int(expected(tensors(), seen, legal)[0].argmax())])
        after.apply(likeliest[-1])
    plans = Plans(GAME, NET, seed=8)
    plans.set_root(state)
    assert [actions for actions, _, _ in plans.plans] == [likeliest]


def test_sums_carried_along_are_those_of_the_observation() -> None:
    """After each of some decisions, for both viewers, to rounding; looked at in Python, as what is compiled is."""
    state, rules, made = somewhere(5), GAME.tables, tensors()
    net, weight, bias = network.Weights(made, GAME), made["first.weight"].T, made["first.bias"]
    arrays, scale, hidden = net.arrays, net.arrays.scale, len(net.arrays.policy_bias)
    eyes = network.observation_buffers(arrays)
    seen, sums = np.stack([arrays.template] * 2), np.stack([arrays.first_bias[:hidden]] * 2)
    changed = 0
    for _ in range(12):
        held = state.interpreted().copy()
        for viewer in (0, 1):
            before = seen[viewer].copy()
            playing.update_sums(rules, held, viewer, arrays, eyes, seen, sums)
            changed += int((before != seen[viewer]).sum())
            assert (seen[viewer, : len(scale)] * scale).tolist() == pytest.approx(state.observation(viewer).tolist())
            whole = bias[:hidden] + state.observation(viewer) @ weight[:, :hidden]
            assert sums[viewer] == pytest.approx(whole, abs=2e-5)
        if state.is_terminal:
            break
        state.apply(state.legal_actions()[-1]) if state.current_player != CHANCE else state.apply_chance(
            state.chance_outcomes()[0][0]
        )
    assert changed > 100


@pytest.mark.parametrize(
    ("options", "play", "counts", "totals"),
    [({"tensors": NET, "halves": 1}, "_play", "_visits", "_totals"),
     ({"answers": 6}, "_play_answers", "_answered", "_answered_totals")],
)  # fmt: skip
def test_rollouts_are_the_same_whatever_the_order(options: dict[str, Any], play: str, counts: str, totals: str) -> None:
    """Rollout k of a plan is one, with answers or without, played in one go or in two, alone or beside others."""
    one, other = (Plans(GAME, seed=5, most=8, **options) for _ in range(2))
    for plans in one, other:
        plans.set_root(moving(4))
        plans._draw(7)
    rows = list(range(one._count))
    getattr(one, play)(rows, 6, None)
    for p in reversed(rows):
        getattr(other, play)([p], 2, None)
        getattr(other, play)([p], 4, None)
    assert one._count == other._count > 1
    assert getattr(one, counts)[rows].tolist() == getattr(other, counts)[rows].tolist() == [6] * len(rows)
    assert getattr(one, totals)[rows] == pytest.approx(getattr(other, totals)[rows], abs=1e-12)
    assert len(set(getattr(one, totals)[rows].round(9).tolist())) > 1


def test_the_same_seed_gives_the_same_and_the_next_position_goes_on() -> None:
    state = moving(6)
    while len(planned(state).plans[0][0]) < 2:
        state.apply(state.legal_actions()[-1])
    one, other = planned(state), planned(state)
    assert [p[:2] for p in one.plans] == [p[:2] for p in other.plans]
    assert [p[0] for p in one.plans] != [p[0] for p in planned(state, seed=4).plans]
    actions, visits, _ = one.plans[0]
    assert one.best() == actions[0] and visits == max(p[1] for p in one.plans)
    after = state.clone()
    after.apply(actions[0])
    one.set_root(after)
    kept = {tuple(a): v for a, v, _ in one.plans}
    assert kept[tuple(actions[1:])] == visits
    assert one.run(FEW) > 0
    one.set_root(state)  # nothing goes on to here
    assert not any(v for _, v, _ in one.plans)


def test_what_it_says_of_the_root() -> None:
    state = moving(7)
    plans = planned(state)
    assert plans.actions.tolist() == state.legal_actions()
    assert plans.visits.sum() == plans.simulations > 0
    means = dict(zip(plans.actions.tolist(), plans.means.tolist(), strict=True))
    for actions, _, mean in plans.plans:
        assert means[actions[0]] >= mean - 1e-12 or means[actions[0]] == plans.plans[0][2]
    sign = 1 if state.current_player == 0 else -1
    assert plans.value == pytest.approx(sign * plans.plans[0][2])


def test_halving_spends_what_it_is_given() -> None:
    state = moving(8)
    plans = planned(state, 200 if not INTERPRETED else 24)
    counts = sorted((v for _, v, _ in plans.plans), reverse=True)
    assert counts[0] > counts[-1] > 0
    assert plans.simulations <= (200 if not INTERPRETED else 24) + len(counts)
    timed = Plans(GAME, NET, seed=1)
    timed.set_root(state)
    assert timed.run(seconds=0.05) > 0


LAST = {
    "turn": "november",
    "half": "allied",
    "phase": "movement",
    "fleet_moves": 0,
    "dead": ["kaiana"],
    "units": {
        "kamehameha": {"kona": ["kamehameha"]},
        "allied": {"hilo": ["thunderers", "oahu_warrior", "oahu_warrior", "maui_warrior"], "maui": ["kalani"]},
    },
}


def test_it_finds_the_only_way_to_win() -> None:
    """In the last half-turn nobody wins who stays at home: the four march against the king alone."""
    state = GAME.position(**LAST)
    plans = Plans(GAME, NET, seed=2, most=16, heat=3.0)
    taken = set[str]()
    while state.current_player == 1:
        plans.set_root(state)
        plans.run(40 if INTERPRETED else 400)
        action = plans.best()
        taken.add(GAME.action_text(action))
        state.apply(action)
    assert sum("march" in text for text in taken) >= 3


KING_ALONE = {
    **LAST,
    "half": "kamehameha",
    "units": {
        "kamehameha": {"kona": ["kamehameha"]},
        "allied": {"hilo": ["thunderers", "oahu_warrior", "oahu_warrior", "maui_warrior"], "maui": ["kalani"]},
    },
}


def answered(state: Any, rollouts: int, **settings: Any) -> Plans:
    """A search without a network whose candidates have all been answered."""
    plans = Plans(GAME, seed=2, most=6, answers=8, **settings)
    plans.set_root(state)
    plans._draw(5)
    plans._play(list(range(plans._count)), rollouts, None)
    plans._play_answers(list(range(plans._count)), rollouts, None)
    return plans


def test_the_enemy_answers_as_is_best_for_him() -> None:
    """[5.2] In the last month the king stands alone beside four enemies: quiet play spares him, an answer kills him."""
    state = GAME.position(**KING_ALONE)
    plans = answered(state, 8 if INTERPRETED else 40)
    quiet, deep = plans._means(), plans._means(answered=True)
    assert (quiet > -0.9).all() and deep[0] < -0.6  # plan 0 stays where it is
    assert (plans._answered[: plans._count] == (8 if INTERPRETED else 40)).all()
    # A chief alone, over the sea, is not to be feared as four warriors beside him are.
    safe = GAME.position(**{**KING_ALONE, "units": {**KING_ALONE["units"], "allied": {"koolau": ["kalani"]}}})
    assert answered(safe, 8)._means(answered=True)[0] > -0.4


def test_answers_are_played_where_there_are_rollouts_enough() -> None:
    state = moving(8)
    few, many = 100, 1_300 if INTERPRETED else 4_000
    plans = Plans(GAME, seed=3, most=16, answers=4)
    for rollouts, wanted in ((few, False), (many, True)):
        plans.clear()
        plans.set_root(state)
        spent = plans.run(rollouts)
        assert plans._answered.any() == wanted and 0 < spent <= 1.1 * rollouts + 64
        assert plans.best() in state.legal_actions()
    finalists = np.flatnonzero(plans._answered[: plans._count])
    assert 2 <= len(finalists) <= 8
    means = plans._means(answered=True)
    assert plans.best() == plans._plans[plans._order[0], 0] and plans._order[0] in finalists
    assert means[plans._order[0]] == max(means[p] for p in finalists if plans._answered[p] == plans._answered.max())
    timed = Plans(GAME, seed=1, answers=4)
    for seconds, wanted in ((0.001, False), (0.2, True)):  # by time, where it is reckoned to be enough for as many
        timed.seed(1)
        timed._speed = 50_000.0
        timed.set_root(state)
        assert timed.run(seconds=seconds) > 0 and timed._answered.any() == wanted
    refuses(
        OptionError,
        ("answers", lambda: Plans(GAME, NET, answers=4)),
        ("answers", lambda: Plans(GAME, answers=-1)),
    )


def test_refusals() -> None:
    refuses(
        OptionError,
        ("has none", lambda: Plans(GAME, tensors(policy=False))),
        ("heat", lambda: Plans(GAME, NET, heat=0)),
        ("most", lambda: Plans(GAME, NET, most=0)),
    )
    plans = Plans(GAME, NET)
    refuses(OptionError, ("set_root", lambda: plans.run(1)))
    chance = GAME.initial_state(chance="explicit")
    while chance.current_player != CHANCE:
        chance.apply(chance.legal_actions()[0])
    refuses(OptionError, ("chance", lambda: plans.set_root(chance)))
    over = Game().initial_state(seed=1)
    while not over.is_terminal:
        over.apply(over.legal_actions()[0])
    refuses(GameOverError, ("plan", lambda: plans.set_root(over)))
