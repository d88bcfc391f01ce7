"""The benchmark runs, and writes what it says; speed itself is no test."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
BENCH = ROOT / "experiments" / "bench.py"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    return subprocess.run(
        [sys.executable, str(BENCH), *arguments], capture_output=True, text=True, env=environment, check=False
    )


@pytest.mark.slow
def test_a_tiny_benchmark_writes_its_files(tmp_path: Path) -> None:
    skip = "chess_v6,leduc_holdem_v4,warm_start,warm_start_peer,cold_compile,aloha_cold_compile,heiau_cold_compile"
    done = run("--quick", "--rounds", "2", "--seconds", "0.02", "--skip", skip, "--out", str(tmp_path))
    assert done.returncode == 0, done.stderr
    report = json.loads((tmp_path / "bench.json").read_text(encoding="utf-8"))
    for name in (
        "yardstick",
        "playout",
        "playout_plain",
        "aec",
        "clone",
        "copy_array",
        "frame",
        "frame_whole",
        "import_numpy",
        "aloha_playout",
        "aloha_batch",
        "heiau_batch",
        "heiau_phase",
        "heiau_phase_python",
    ):
        it = report["measures"][name]
        assert 0 < it["least"] <= it["median"] <= it["greatest"]
        assert len(report["figures"][name]) == it["rounds"] == 2
        assert name in ("yardstick", "copy_array", "frame_whole", "import_numpy") or it["ratio"]["median"] > 0
    targets = {(t["measure"], t["to"]): t for t in report["targets"]}
    assert targets["playout", None]["met"] in (True, False)
    assert targets["cold_compile", None]["met"] is None
    assert "connect_four_v3" in report["measures"] or "connect_four_v3" in report["missing"]
    page = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "| not measured | - |" in page and "In-engine random playout" in page
    assert (tmp_path / "chart.png").exists() == report["chart"]
    if "connect_four_v3" in report["missing"]:
        assert "**Missing: connect_four_v3" in page


@pytest.mark.parametrize(
    ("arguments", "message"), [(("--skip", "chess"), "there is no chess"), (("--rounds", "-1"), "1 or more")]
)
def test_bad_arguments(arguments: tuple[str, ...], message: str) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert message in done.stderr
