"""The toy game keeps the promises of `hawaii_env.game`; so the adapters' tests stand on something."""

from __future__ import annotations

import pytest
from refusals import refuses
from toy import ToyGame

from hawaii_env import fuzz
from hawaii_env.errors import GameOverError
from hawaii_env.game import CHANCE, SIMULTANEOUS, TERMINAL, Chance, Decision


@pytest.fixture
def game() -> ToyGame:
    return ToyGame()


def test_whole_games_keep_every_promise(game: ToyGame) -> None:
    winners = {fuzz.check_game(game, seed)[1] for seed in range(60)}
    assert winners == {None, 0, 1, 2}


def test_a_game_by_hand(game: ToyGame) -> None:
    state = game.initial_state(chance="explicit", trace=True)
    assert state.current_player == CHANCE
    state.apply_chance(5)
    assert state.current_player == SIMULTANEOUS
    assert list(state.acting_players) == [0, 1, 2]
    assert state.legal_actions(1) == [1, 2, 3]
    state.apply_joint({0: 2, 1: 2, 2: 1})
    assert state.current_player == 2
    assert [game.action_text(action) for action in state.legal_actions()] == ["keep", "trade 1"]
    state.apply(game.parse_action(state, "keep"))
    assert state.points == [0, 0, 3]
    assert state.trace is not None
    assert state.trace[:2] == [Chance("tide", 5, "tide 5"), Decision(0, 2, "bid 2")]
    assert state.trace[-1] == Decision(2, 4, "keep")


def test_forced_choices_are_noted_and_not_asked(game: ToyGame) -> None:
    state = game.position(round=4, phase="bid", prize=2, winner=-1, hands=[[1], [1, 3], []], points=[0, 0, 0])
    state.start_trace()
    assert list(state.acting_players) == [1]
    state.apply_joint({1: 3})
    assert state.trace == [Decision(0, 1, "bid 1", True), Decision(1, 3, "bid 3"), Decision(2, 0, "pass", True)]


def test_the_end(game: ToyGame) -> None:
    state = game.position(round=4, phase="prize", prize=2, winner=1, hands=[[], [], []], points=[1, 0, 0])
    state.apply(4)
    assert state.current_player == TERMINAL
    assert state.returns() == [-0.5, 1.0, -0.5]
    outcome = state.outcome()
    assert outcome is not None
    assert outcome.winner == 1
    refuses(GameOverError, ("", lambda: state.apply(4)))
