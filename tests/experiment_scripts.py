"""Access to the scripts of experiments/, which are no package, and to commands, for their tests."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from hawaii_env import cli

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "experiments"))
load = import_module


def run_hawaii(command: str, words: Sequence[str]) -> int:
    """Run a command of ``hawaii`` in this process."""
    return cli.main([command, *words])


@pytest.fixture
def curves() -> None:
    """Let the runs of a test draw their curves."""


@pytest.fixture(autouse=True)
def quick_runs(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the runs of a module that imports this leave an empty ``curves.png``: drawing takes most of a short run."""

    def left_out(lines: Sequence[dict[str, Any]], path: Path, title: str) -> None:
        path.write_bytes(b"")

    if "curves" not in request.fixturenames:
        monkeypatch.setattr(sys.modules["hawaii_agents.training.logs"], "draw", left_out)
