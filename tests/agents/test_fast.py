"""Public modules for compiled agents: their examples run, and what they export is there."""

from __future__ import annotations

import random
import re
from importlib import import_module

import pytest
from waiting import python

from hawaii_env import games
from hawaii_env.core.game import AGENT_HOOKS

COMMON = {*AGENT_HOOKS, "STATE", "TABLES", "copy_record", "new_record", "records", "view_rules", "view_state"}
"""The exports of every game's module."""


@pytest.mark.parametrize("name", games.list_games())
def test_the_example_runs_interpreted(name: str) -> None:
    module = import_module(f"hawaii_env.{name}.fast")
    example = re.search(r"```python\n(.*?)```", module.__doc__ or "", re.DOTALL)
    assert example is not None and all(hasattr(module, exported) for exported in module.__all__)
    assert int(python(example[1], HAWAII_ENV_PLAIN="1").stdout) > 0


@pytest.mark.parametrize("name", games.list_games())
def test_every_game_offers_the_same_rules(name: str) -> None:
    """A random game by the rules that all modules export is the one that a state plays."""
    fast, state = import_module(f"hawaii_env.{name}.fast"), games.load_game(name).initial_state(seed=1)
    assert set(fast.__all__) >= COMMON
    rules, record = fast.records(state, compiled=False)
    choose = random.Random(1)
    for _ in range(60):
        fast.list_legal(rules, record)
        assert list(record.legal[: record.n_legal]) == state.legal_actions()
        action = choose.choice(state.legal_actions())
        state.apply(action)
        fast.apply_action(rules, record, action)
        fast.run(rules, record)
    player, found = state.current_player, state.observation(state.current_player, raw=True)
    out = [0] * len(found)
    fast.write_observation(rules, record, player, out)
    assert out == found.tolist() and not fast.is_chance(rules, record)
