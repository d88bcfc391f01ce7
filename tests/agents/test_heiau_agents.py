"""Agents of Heiau Diplomacy: what they answer, that seeds repeat games, and how strong they are."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

import pytest

import hawaii_env
from hawaii_agents.heiau import BestResponseAgent, GreedyAgent, search
from hawaii_agents.heiau.search import SEARCH, Analysis, chart_of
from hawaii_agents.heiau.self_play import equal_game
from hawaii_env import agents
from hawaii_env.heiau import Game
from hawaii_env.heiau.adjudicator import BOARD, MOVE, SUPPORT

FEW = {"samples": 2, "plans": 4, "draws": 2, "sweeps": 1, "best": 3, "phases": 1, "refine": 2}


def greedy_position(scenario: str, decisions: int, seed: int = 1) -> Any:
    """A position that greedy players come to."""
    state = Game(scenario=scenario).initial_state(seed=seed)
    players = [GreedyAgent(seed=player) for player in range(state.game.num_players)]
    for _ in range(decisions):
        state.apply(players[state.current_player].act(state.for_search(), state.legal_actions()))
    return state


def test_the_chart_counts_moves_with_boats_built_on_the_way() -> None:
    """A goal is worth 1 where the unit stands, and 0.55 times less a move; an army needs a move to build boats."""
    near = chart_of(BOARD)
    at, place = BOARD.index, BOARD.place_index
    army, bunch = near[0, place["lanai"]], near[1, place["lanai"]]
    assert bunch[at["lanai"]] == 1 and bunch[at["kalohi"]] == pytest.approx(0.55)
    assert army[at["kalohi"]] == pytest.approx(0.55**2)
    assert not near[0, place["kalohi"]].any(), "no army stands at sea"


def test_greedy_takes_an_open_heiau_and_drives_out_a_lone_unit_with_support() -> None:
    """Two units beside a foreign heiau: one moves there, the other supports it."""
    units = {"sunrise": ["A hilo", "A kalae", "A mauna_loa"], "sunset": ["A puna"]}
    state = Game(scenario="race").position(
        units=units, owners={"hilo": "sunrise", "puna": "sunset"}, season="fall", phase="orders"
    )
    agent = GreedyAgent(noise=0.0, seed=1)
    agent.begin(state.game, 0)
    plan = agent.plan(state.for_search())
    puna = BOARD.index["puna"]
    verbs = sorted((order.verb, order.target) for order in plan.values())
    assert (MOVE, BOARD.place_index["puna"]) in verbs and (SUPPORT, puna) in verbs, plan


@pytest.mark.parametrize("scenario", ["race", "two_haoles"])
def test_greedy_answers_every_phase_and_repeats_by_its_seed(scenario: str) -> None:
    """Ballots, orders, retreats and adjustments; the same seed gives the same game."""
    one, other = (greedy_position(scenario, 24) for _ in range(2))
    assert one.to_json(secrets=True) == other.to_json(secrets=True)


def test_who_does_not_see_the_start_plans_for_its_fleet_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A European's first orders need no search: nobody's units are seen."""
    state = Game(scenario="haole").initial_state(seed=1)
    while state.phase == "ballot" or state.game.powers[state.current_player] != "haole":
        state.apply(state.legal_actions()[0])

    def refuse(*_: object) -> None:
        raise AssertionError("nothing is searched")

    monkeypatch.setattr(BestResponseAgent, "_halve", refuse)
    plan = BestResponseAgent(seed=1).plan(state.for_search())
    assert list(plan) == [BOARD.index["spo"]]


def test_halving_keeps_the_best_and_shares_the_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five candidates: three, two, one stay; each round has its part of the draws."""

    plain: Any = SimpleNamespace(numbers=list, search=SEARCH.interpreted)

    rounds: list[int] = []

    def roll(chosen: Any, left: int, draw: int, sums: Any) -> None:
        rounds.append(left)
        for i in range(left):
            sums[i] += {7: 1.0, 8: 5.0, 9: 2.0, 10: 4.0, 11: 3.0}[chosen[i]]

    agent = BestResponseAgent(samples=9)
    assert agent._halve(plain, [7, 8, 9, 10, 11], roll, None) == 8
    assert rounds == [5] * 3 + [3] * 3 + [2] * 3


@pytest.mark.parametrize("scenario", ["race", "triangle", "wings", "haole", "two_haoles"])
def test_the_shipped_policy_plays_two_to_six(scenario: str) -> None:
    """One file for all numbers of players; by draws, too."""
    game = Game(scenario=scenario)
    players = agents.load_agents(["ppo:greedy=false"] * game.num_players, game, 1)
    state = game.initial_state(seed=1)
    for _ in range(30):
        action = players[state.current_player].act(state.for_search(), state.legal_actions(), None)
        assert action in state.legal_actions()
        state.apply(action)


# What follows compiles, or takes long.


@pytest.mark.slow
@pytest.mark.parametrize("scenario", ["race", "haole", "discovery"])
def test_both_modes_make_the_same_plans(scenario: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled or as plain Python: the same numbers, the same plans, by search and without."""
    few = FEW | {"plans": 3, "draws": 1, "phases": 0}
    for decisions in (20, 70):
        state = greedy_position(scenario, decisions).for_search()
        found: list[Any] = []
        for plain in (False, True):
            monkeypatch.setattr(search, "INTERPRETED", plain)
            monkeypatch.setattr(
                SEARCH, "compile_now", (lambda _: SEARCH.interpreted) if plain else (lambda _: SEARCH.compiled)
            )
            analysis = Analysis(state, search=True)
            assert analysis.compiled is not plain
            found.append(
                [agent.plan(state) for agent in (GreedyAgent(noise=1.0, seed=3), BestResponseAgent(**few, seed=3))]
            )
        assert found[0] == found[1]


@pytest.mark.slow
def test_best_responses_repeat_by_their_seed_and_keep_to_their_time() -> None:
    """With samples the seed decides; with `ms` a legal plan comes whatever the time."""
    state = greedy_position("race", 30)
    plans = [BestResponseAgent(**FEW, seed=5).plan(state.for_search()) for _ in range(2)]
    assert plans[0] == plans[1]
    own = {space for space, unit in state.record.units.items() if unit.power == state.power_of(state.current_player)}
    assert set(BestResponseAgent(ms=1, seed=5).plan(state.for_search())) == own


@pytest.mark.slow
def test_best_responses_beat_greedy_and_greedy_beats_random() -> None:
    """Sixteen games each, sides swapped, of which equals would win eight; the docs have the figures of long matches."""
    game = Game(scenario="race")
    for strong, weak in (("heiau-best-response", "heiau-greedy"), ("heiau-greedy", "random")):
        points = 0.0
        for seed in range(16):
            specs = [weak, weak]
            specs[seed % 2] = strong
            outcome = hawaii_env.play(game, specs, seed=seed).outcome()
            assert outcome is not None
            points += outcome.shares[seed % 2]
        assert points >= 10, (strong, weak, points)


@pytest.mark.slow
@pytest.mark.parametrize("scenario", ["duel", "two_haoles"])
def test_a_game_between_equals_is_played_to_its_end(scenario: str) -> None:
    """Shares sum to 1; the same seed gives the same game."""
    game, agent = Game(scenario=scenario, last_year=4), BestResponseAgent(**FEW)
    one, other = (equal_game(game, 3, agent) for _ in range(2))
    assert one == other and sum(one["shares"]) == pytest.approx(1) and 1 <= one["year"] <= 4


def test_random_positions_never_stop_greedy() -> None:
    """Whatever random players have left behind, a legal action comes."""
    choose = random.Random(1)
    state = Game(scenario="discovery").initial_state(seed=2)
    agent = GreedyAgent(seed=1)
    for step in range(80):
        legal = state.legal_actions()
        if step % 9 == 0:
            assert agent.act(state.for_search(), legal) in legal
        state.apply(choose.choice(legal))
