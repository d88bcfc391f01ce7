"""The reference tree search: right on small games whose values are known, and sensible on Hawaii, 1795."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

import pytest
from refusals import refuses
from toy import LagoonGame, ToyGame, ToyState

import hawaii_env
from hawaii_agents.tree_search import PythonSearch
from hawaii_env import agents
from hawaii_env.errors import OptionError
from hawaii_env.game import CHANCE, SIMULTANEOUS, State
from hawaii_env.hawaii1795 import Game as Hawaii

GAME = ToyGame()
HAND = list[list[int]]


def bidding(hands: HAND, points: list[int], round: int = 3) -> ToyState:
    return GAME.position(round=round, phase="bid", prize=2, winner=-1, hands=hands, points=points)


def prize(hands: HAND, points: list[int], prize: int = 2, round: int = 4) -> ToyState:
    return GAME.position(round=round, phase="prize", prize=prize, winner=0, hands=hands, points=points)


def exact(state: State) -> list[float]:
    """The max^n value of a position in which never two choose at once, by looking at everything."""
    if state.is_terminal:
        return state.returns()
    if state.current_player == CHANCE:
        value = [0.0] * 3
        for outcome, probability in state.chance_outcomes():
            after = state.clone()
            after.apply_chance(outcome)
            value = [v + probability * part for v, part in zip(value, exact(after), strict=True)]
        return value
    (player,) = state.acting_players
    found: list[list[float]] = []
    for action in state.legal_actions(player):
        after = state.clone()
        if state.current_player == SIMULTANEOUS:
            after.apply_joint({player: action})
        else:
            after.apply(action)
        found.append(exact(after))
    return max(found, key=lambda value: value[player])


# Positions of tides before two more rolls, with choices of all players. In each of their positions the player's best
# action is the only one, or others as good for it are as good for everybody: else the value of max^n were not one
# value.
SMALL: list[tuple[HAND, list[int]]] = [
    ([[1, 2], [], [2]], [0, 2, 2]),
    ([[1, 2], [2], []], [0, 2, 1]),
    ([[1, 2], [1], [3]], [0, 2, 0]),
    ([[1, 2, 3], [1], [3]], [0, 1, 0]),
]


def error(hands: HAND, points: list[int], sims: int) -> float:
    """How far the search's value is from the exact one, in the worst player's."""
    state = bidding(hands, points, round=2)
    found = PythonSearch(sims=sims, seed=1, c=1.0).search(state, player=0)
    return max(abs(v - t) for v, t in zip(found.value, exact(state), strict=True))


@pytest.mark.parametrize(("hands", "points"), SMALL)
def test_values_come_near_to_expectimax(hands: HAND, points: list[int]) -> None:
    few, many = error(hands, points, 30), error(hands, points, 3000)
    assert many < 0.1
    assert many < 0.5 * few


@pytest.mark.slow
@pytest.mark.parametrize(("hands", "points"), SMALL)
def test_values_converge_to_expectimax(hands: HAND, points: list[int]) -> None:
    assert error(hands, points, 60_000) < 0.02


def test_the_winning_move_is_found() -> None:
    # Keeping the prize wins, trading it away ties or loses.
    state = prize([[], [1], [1]], [1, 2, 0])
    found = PythonSearch(sims=50, seed=0).search(state)
    assert GAME.action_text(found.action) == "keep"
    assert found.line == ["keep"]
    assert found.values[found.action] == 1.0
    assert sum(found.visits.values()) == found.simulations == 50


def test_a_move_that_wins_later_is_found() -> None:
    # Keeping one point leaves the last prize, of one at least, to who has the only card: the card is worth more.
    state = prize([[], [], [1]], [0, 0, 1], prize=1, round=3)
    assert exact(state)[0] > exact_after(state, "keep")
    found = PythonSearch(sims=400, seed=0).search(state)
    assert GAME.action_text(found.action).startswith("trade")
    assert exact_after(state, GAME.action_text(found.action)) == pytest.approx(exact(state)[0])


def exact_after(state: State, text: str) -> float:
    after = state.clone()
    after.apply(GAME.parse_action(state, text))
    return exact(after)[0]


def test_simultaneous_turns_find_the_dominant_bid() -> None:
    state = bidding([[1, 3], [1, 2], [1, 2]], [0, 0, 0], round=4)
    found = PythonSearch(sims=1000, seed=2).search(state, player=0)
    assert found.visits[3] > 10 * found.visits[1]
    assert found.values[3] > 0.9 > found.values[1]
    refuses(
        OptionError, (r"player -2 has no decision here; acting are \[0, 1, 2\]", lambda: PythonSearch().search(state))
    )


def test_the_same_seed_gives_the_same_search() -> None:
    def games(seed: int) -> list[object]:
        players = [PythonSearch(sims=40, seed=seed + i) for i in range(3)]
        return list(hawaii_env.play(GAME, players, 3).trace or [])

    assert games(1) == games(1)
    assert any(games(1) != games(seed) for seed in range(2, 5))


def test_the_position_is_left_as_it_is() -> None:
    state = bidding([[1, 2, 3], [3], [2]], [0, 2, 1], round=2)
    before = state.to_json()
    PythonSearch(sims=30, seed=0).search(state, player=0)
    assert state.to_json() == before


# Trees that are kept


def test_the_subtree_of_the_position_is_reused() -> None:
    state = bidding([[1, 2], [1], [3]], [0, 2, 0], round=2)
    search = PythonSearch(sims=2000, seed=1)
    first = search.search(state, player=0)
    assert first.reused == 0
    # Bid 1: blue wins the prize with its 3, and decides.
    state.apply_joint({0: 1})
    assert state.current_player == 2
    second = search.search(state)
    assert second.reused == first.visits[1] > 0
    assert second.simulations == 2000
    # The position counts itself once, from when it was new; whatever came after went through an action.
    assert sum(second.visits.values()) == second.reused + 2000 - 1
    assert second.value[2] == pytest.approx(exact(state)[2], abs=0.1)


def test_a_tree_is_dropped_for_another_position_another_game_and_if_asked() -> None:
    state, other = prize([[], [1], [1]], [1, 2, 0]), prize([[], [1], [1]], [1, 1, 0])
    search = PythonSearch(sims=20, seed=1)
    assert search.search(state).reused == 0
    assert search.search(state).reused == 20
    assert search.search(other).reused == 0
    search.begin(GAME, 0)
    assert search.search(other).reused == 0
    search = PythonSearch(sims=20, seed=1, reuse=False)
    assert [search.search(state).reused for _ in range(2)] == [0, 0]


# Values and priors of the caller's


def test_positions_are_valued_as_asked() -> None:
    seen: list[State] = []

    def evaluate(state: State) -> Sequence[float]:
        seen.append(state)
        return [0.25, -0.5, 0.25]

    state = bidding([[1, 2, 3], [3], [2]], [0, 2, 1], round=2)
    found = PythonSearch(sims=1, seed=0, evaluate=evaluate).search(state, player=0)
    assert found.value == [0.25, -0.5, 0.25]
    PythonSearch(sims=200, seed=0, evaluate=evaluate).search(state, player=0)
    assert all(position.acting_players and not position.is_terminal for position in seen)


def test_priors_guide_the_first_simulations() -> None:
    asked: list[tuple[tuple[int, ...], int]] = []

    def prior(state: State, actions: Sequence[int], player: int) -> Sequence[float]:
        asked.append((tuple(actions), player))
        return [10.0 if action == 2 else 1.0 for action in actions]

    state = bidding([[1, 2, 3], [1, 2], [3]], [0, 0, 0], round=1)
    found = PythonSearch(sims=8, seed=0, prior=prior, evaluate=lambda state: [0.0, 0.0, 0.0]).search(state, player=0)
    assert found.visits[2] > found.visits[1] + found.visits[3]
    assert asked[:2] == [((1, 2, 3), 0), ((1, 2), 1)]


@pytest.mark.parametrize("weights", [[1.0], [0.0, 0.0], [1.0, -1.0], [1.0, math.nan]])
def test_odd_priors_are_rejected(weights: list[float]) -> None:
    state = bidding([[1, 2], [3], [1]], [0, 0, 0])
    refuses(
        OptionError,
        (
            "a prior gives 2 weights",
            lambda: PythonSearch(sims=5, prior=lambda state, actions, player: weights).search(state, player=0),
        ),
    )


def test_odd_values_are_rejected() -> None:
    refuses(
        OptionError,
        (
            "evaluate gives 3 values",
            lambda: PythonSearch(sims=5, evaluate=lambda state: [1.0]).search(
                bidding([[1, 2], [3], [1]], [0, 0, 0]), player=0
            ),
        ),
    )


# Limits


def test_time_is_kept() -> None:
    state = bidding([[1, 2, 3]] * 3, [0, 0, 0], round=1)
    for search, seconds in (
        (PythonSearch(sims=None, seconds=0.1, seed=0), None),
        (PythonSearch(sims=10**9, seed=0), 0.1),
        (PythonSearch(sims=10**9, seconds=5.0, seed=0), 0.1),
    ):
        started = time.process_time()
        found = search.search(state, agents.Clock(seconds), player=0)
        assert time.process_time() - started < 3  # far below the other limit; machines are shared
        assert found.simulations > 1
    late = agents.Clock(1e-6)
    assert PythonSearch(sims=10**9).search(state, late, player=0).simulations == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sims": 0}, "sims"),
        ({"sims": True}, "sims"),
        ({"sims": 1.5}, "sims"),
        ({"sims": None}, "needs a limit"),
        ({"seconds": 0}, "seconds"),
        ({"c": -1.0}, "c: "),
        ({"c": math.nan}, "c: "),
        ({"seed": -1}, "seed"),
    ],
)
def test_odd_options_are_rejected(options: dict[str, float], message: str) -> None:
    refuses(
        OptionError,
        (message, lambda: PythonSearch(**options)),  # pyright: ignore[reportArgumentType]
    )


def test_dice_not_yet_rolled_are_not_used() -> None:
    refuses(OptionError, ("for_search", lambda: PythonSearch().search(GAME.initial_state(seed=1), player=0)))


# Hawaii, 1795


@pytest.mark.parametrize("seed", range(3))
def test_the_last_attack_is_made(seed: int) -> None:
    """In November an army stands beside the last two enemies; who ends his movement now lets them go."""
    game = Hawaii()
    army = ["john_young", "royal_guard", "vancouver", "musketeer", "pike", "warrior_2", "warrior_2", "warrior_2"]
    ours = {"waikiki": army, "kona": ["kamehameha/marched"]}
    state = game.position(
        turn="november",
        half="kamehameha",
        phase="movement",
        fleet_moves=0,
        units={"kamehameha": ours, "allied": {"koolau": ["kalani", "kaiana"]}},
    )
    found = PythonSearch(sims=300, seed=seed).search(state)
    assert game.action_text(found.action).endswith("waikiki koolau")
    assert all(text == "done" or text.startswith("march") for text in map(game.action_text, found.visits))
    assert found.value[0] > 0.5
    assert found.visits[game.parse_action(state, "done")] < 30


# Hidden things and sealed orders


@pytest.mark.slow
def test_it_plays_hidden_hands_better_than_chance() -> None:
    """One seat of four, rotated: its share of the points is more than a quarter."""
    game = LagoonGame(rounds=1)
    points = [0.0, 0.0]
    for seed in range(12):
        seat = seed % 4
        players = ["random"] * 4
        state = hawaii_env.play(
            game,
            [PythonSearch(sims=200, seed=seed) if i == seat else name for i, name in enumerate(players)],
            seed=seed,
        )
        outcome = state.outcome()
        assert outcome is not None and outcome.scores is not None
        points[0] += outcome.scores[seat]
        points[1] += sum(outcome.scores)
    assert points[0] / points[1] > 0.35


def test_what_is_hidden_does_not_move_the_search() -> None:
    game = LagoonGame(rounds=1)
    one = game.initial_state(seed=3)
    other = one.resample(0, seed=8)
    assert one.explicit().to_json(secrets=True) != other.to_json(secrets=True)
    found = [PythonSearch(sims=100, seed=1).search(state.for_search(0)) for state in (one, other)]
    assert found[0].visits == found[1].visits
