"""Arguments of the wrong kind are refused with an error of ours that names them, and nothing has happened."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import pytest

from hawaii_env import agents, hawaii1795_v0, records, rollouts
from hawaii_env.env.vector import make_batch
from hawaii_env.errors import HawaiiError
from hawaii_env.hawaii1795 import Game

GAME: Any = Game()
STATE: Any = GAME.initial_state(seed=1)
BAD: dict[str, tuple[Callable[[], object], str]] = {
    "play's seed": (lambda: agents.play(GAME, "random", seed="0"), "a seed is an integer"),  # type: ignore[arg-type]
    "play's agents": (lambda: agents.play(GAME, None), "agents: several are wanted"),  # type: ignore[arg-type]
    "play's game": (lambda: agents.play(None, "random"), "game: a Game is wanted"),  # type: ignore[arg-type]
    "a record's path": (lambda: records.read(None), "path: a path is wanted"),  # type: ignore[arg-type]
    "a mask's room": (lambda: STATE.legal_mask(1), r"out: int8\[991\] is wanted, not 1"),
    "an observation's room": (lambda: STATE.observation(0, out=1), r"out: float32\[639\] is wanted, not 1"),
    "an observer": (lambda: STATE.observation("x"), "player: 0 or 1 is wanted"),
    "a player": (lambda: STATE.legal_actions("x"), "player: an index is wanted"),
    "a viewer": (lambda: STATE.view(2), "player: an index from 0 to 1"),
    "a batch's games": (lambda: make_batch(None, 2), "games: several are wanted"),  # type: ignore[arg-type]
    "a batch's size": (lambda: make_batch(Game, 2**31), "num_envs: at most 1,048,576 lanes"),
    "actions": (lambda: rollouts.step_many(STATE, True), "actions: several are wanted"),  # type: ignore[arg-type]
    "a reset's options": (lambda: hawaii1795_v0.env().reset(options={"colour": 1}), "'colour' means nothing here"),
    "a batch's options": (lambda: make_batch(GAME, 2).reset(options={"colour": 1}), "'colour' means nothing here"),
    "a gymnasium reset's options": (
        lambda: gymnasium.make("hawaii_env/Hawaii1795-v0").reset(options={"colour": 1}),
        "'colour' means nothing here",
    ),
    "a seed of a clone": (lambda: STATE.clone(seed="x"), "a seed is an integer"),
    "a JSON": (lambda: GAME.state_from_json(None), "state: not JSON"),
    "an action's text": (lambda: GAME.parse_action(STATE, None), "an action's text is a string"),
}


@pytest.mark.parametrize("name", BAD)
def test_wrong_arguments_are_named(name: str) -> None:
    call, message = BAD[name]
    before = STATE.to_json(secrets=True)
    with pytest.raises(HawaiiError, match=message):
        call()
    assert STATE.to_json(secrets=True) == before
