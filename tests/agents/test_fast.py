"""Public modules for compiled agents: their examples run, and what they export is there."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import import_module

import pytest

from hawaii_env import games


@pytest.mark.parametrize("name", games.list_games())
def test_the_example_runs_interpreted(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module = import_module(f"hawaii_env.{name}.fast")
    example = re.search(r"```python\n(.*?)```", module.__doc__ or "", re.DOTALL)
    assert example is not None and all(hasattr(module, exported) for exported in module.__all__)
    monkeypatch.setenv("HAWAII_ENV_PLAIN", "1")
    done = subprocess.run([sys.executable, "-c", example[1]], capture_output=True, text=True)
    assert done.returncode == 0 and int(done.stdout) > 0, done.stderr
