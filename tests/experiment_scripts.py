"""Access to the scripts of experiments/, which are no package, and to commands, for their tests."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from waiting import until

from hawaii_env import cli

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "experiments"))
load = import_module


def run_hawaii(command: str, words: Sequence[str]) -> int:
    """Run a command of ``hawaii`` in this process."""
    return cli.main([command, *words])


def killed_run(command: str, settings: dict[str, Any], folder: Path, lines: int) -> None:
    """Begin a run of a command of ``hawaii``, and kill it when it has written some lines of its progress."""
    words = [
        str(part)
        for key, value in settings.items()
        for part in ([f"--{key}"] if key == "quiet" else [f"--{key.replace('_', '-')}", value])
    ]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "agents")])}
    process = subprocess.Popen(
        [sys.executable, "-m", "hawaii_env", command, *words, "--out", str(folder)], env=environment
    )
    progress = folder / "progress.jsonl"
    until(lambda: process.poll() is not None or (progress.exists() and progress.read_text().count("\n") >= lines))
    process.kill()
    process.wait()


def refuses_to_resume(main: Callable[[list[str]], int], folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Check that a command names a checkpoint that is missing, and one that is none."""
    for text in ("there is no checkpoint", "is not a checkpoint"):
        assert main(["--resume", "--out", str(folder)]) == 2
        assert text in capsys.readouterr().err
        folder.mkdir(exist_ok=True)
        (folder / "checkpoint.pt").write_bytes(b"nothing")


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
