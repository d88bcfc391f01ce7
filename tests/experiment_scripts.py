"""Loads the scripts of experiments/, which are no package, for the tests of them."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent


def load(name: str) -> ModuleType:
    """Return the script ``experiments/NAME.py`` as a module; it is run once."""
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, ROOT / "experiments" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def curves() -> None:
    """Asked for by a test in which runs draw their curves."""


@pytest.fixture(autouse=True)
def quick_runs(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """For a module that imports it: runs leave an empty ``curves.png``; drawing takes most of a short run's time."""

    def left_out(lines: Sequence[dict[str, Any]], path: Path, title: str) -> None:
        path.write_bytes(b"")

    if "curves" not in request.fixturenames:
        monkeypatch.setattr(sys.modules["training.runs"], "draw", left_out)
