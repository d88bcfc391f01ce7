"""ALOHA as `hawaii_env.game` and the environments ask for it: bounds, rewards, observation, an example
game.
"""

from __future__ import annotations

import random

import pytest
from moves import play
from refusals import refuses

from hawaii_env.aloha.observation import COMMON, PER_PLAYER, PLAYER_FIELDS
from hawaii_env.aloha.rules.actions import CODEC
from hawaii_env.errors import GameOverError

from .helpers import chapter, game, of


@pytest.mark.parametrize("players", [2, 3, 4])
def test_points_never_fall_and_games_end(players: int) -> None:
    """Every game ends within `max_decisions`, forced ones counted; points never fall."""
    rules, choose = game(players), random.Random(players)
    state = rules.initial_state(seed=0)
    for seed in range(15):
        state = rules.initial_state(seed=seed, trace=True)
        points = [0] * players
        while not state.is_terminal:
            state.apply(choose.choice(state.legal_actions()))
            assert all(now >= was for now, was in zip(state.points, points, strict=True))
            points = state.points
        assert state.trace is not None and len(state.trace) < 3 * rules.max_decisions
        assert sum(hasattr(event, "action") for event in state.trace) <= rules.max_decisions == 40 * players + 39
        assert sum(state.returns()) == pytest.approx(0)
    refuses(GameOverError, ("", lambda: state.apply(0)))


def test_the_table_has_105_actions() -> None:
    """The families in the order of the page, each text once."""
    texts = CODEC.texts
    assert (
        len(texts) == 105
        and texts[5] == "migrate kauai oahu"
        and texts[24] == "migrate hawaii maui"
        and texts[25] == "amount 1"
    )
    assert texts[55:61] == (
        "warrior",
        "warrior kauai",
        "warrior oahu",
        "warrior molokai",
        "warrior maui",
        "warrior hawaii",
    )
    assert (
        texts[61] == "king kauai"
        and texts[66] == "take kauai"
        and texts[71] == "event 1 kauai"
        and texts[90] == "event 4 hawaii"
    )
    assert texts[91:93] == ("convert kauai commerce", "convert kauai aloha") and texts[101:] == (
        "convert commerce vote",
        "convert aloha vote",
        "done",
        "pass",
    )


@pytest.mark.parametrize(("reward", "returns"), [("win", [-1 / 3, 1, -1 / 3, -1 / 3]), ("rank", [1 / 3, 1, -1, -1 / 3]),
    ("margin", [3 / 60, 43 / 60, -34 / 60, -12 / 60])])  # fmt: skip
def test_rewards(reward: str, returns: list[float]) -> None:
    """Points 20, 40, 10, 15, differences cut at 20: by victory, by place, by margin."""
    own = dict(zip(("red", "yellow", "green", "blue"), ({"points": n} for n in (20, 40, 10, 15)), strict=True))
    state = chapter("epilogue", "over", players=4, options={"reward": reward}, **own)
    if reward == "margin":
        points = [20, 40, 10, 15]
        returns = [sum(max(-20, min(20, a - b)) for b in points) / 60 for a in points]
        assert returns == pytest.approx([-5 / 60, 60 / 60, -35 / 60, -20 / 60])
    assert state.returns() == pytest.approx(returns)
    outcome = state.outcome()
    assert outcome is not None and outcome.places == (2, 1, 4, 3) and outcome.scores == (20, 40, 10, 15)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_observation_sizes(players: int) -> None:
    """118 common values and 55 a player; what the documented table says adds up."""
    rules = game(players)
    assert rules.observation_size == {2: 228, 3: 283, 4: 338}[players] == COMMON + PER_PLAYER * players
    assert sum(number for _, number in PLAYER_FIELDS) == PER_PLAYER
    assert sum(part.size for part in rules.observation_parts) == rules.observation_size


def test_observation_is_from_the_observers_seat() -> None:
    """Players stand clockwise from the observer; what is his is first."""
    state = chapter(players=3, yellow={"commerce": 4, "points": 0}, face_up=[19, 7, None, None])
    seen = state.game.split_observation(state.observation(1, raw=True))
    assert (
        seen["observer"] == 1
        and seen["players"][0][6] == 4
        and seen["players"][2][0] == 1
        and seen["players"][2][11] == 1
    )
    assert seen["face_up"][0].tolist() == [19, 0, 1, 0, 1, 0, 0, 1, *[0] * 5, 0, 2, 0, 0, 0]
    assert seen["face_up"][1][:3].tolist() == [7, 1, 0] and not seen["face_up"][2].any()
    assert seen["phase"].argmax() == 7 and seen["stage"].argmax() == 1


def test_the_example() -> None:
    """The beginning of a game, move by move, worked out by hand."""
    state = play(
        game().initial_state(chance="explicit"), 1, "settle molokai", "settle maui", "migrate molokai oahu", "amount 9",
        "migrate maui hawaii", "amount 8", "warrior", "migrate maui oahu", "amount 3", 2, 5, 1, 6, 3,
    )  # fmt: skip
    assert [of(state, p).points for p in (0, 1)] == [2, 4]
    assert state.view().chiefs == (None, "yellow_1", "yellow_1", "red_0", "red_0")
    assert [of(state, p).actions for p in (0, 1)] == [(0, 1, 0, 2, 2), (0, 2, 2, 0, 0)]
    play(state, "king molokai", 14, 12, 17)
    assert of(state).tokens == (0, 3, 0, 8, 7)
    play(state, 10, 8)
    assert state.view().face_up == (14, 12, 10, 8) and state.current_player == 1
    play(state, "event 2 molokai", 19, "event 3 maui", 16, 3)
    assert [of(state, p).tokens[1] for p in (0, 1)] == [1, 7] and of(state).aloha == 3 and of(state, 1).tokens[2] == 13
    assert state.view().face_up == (14, 19, 3, 8) and state.current_player == 1
    assert play(state, "take molokai").current_player == 0
