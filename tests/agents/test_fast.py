"""Public modules for compiled agents: their examples run, and what they export is there."""

from __future__ import annotations

import re
from importlib import import_module

import pytest
from waiting import python

from hawaii_env import games


@pytest.mark.parametrize("name", games.list_games())
def test_the_example_runs_interpreted(name: str) -> None:
    module = import_module(f"hawaii_env.{name}.fast")
    example = re.search(r"```python\n(.*?)```", module.__doc__ or "", re.DOTALL)
    assert example is not None and all(hasattr(module, exported) for exported in module.__all__)
    assert int(python(example[1], HAWAII_ENV_PLAIN="1").stdout) > 0
