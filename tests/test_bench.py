"""The benchmark runs, and writes what it says; speed itself is no test."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from experiment_scripts import load
from refusals import refuses

ROOT = Path(__file__).resolve().parents[1]
BENCH = ROOT / "experiments" / "bench.py"
bench: Any = load("bench")


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    return subprocess.run(
        [sys.executable, str(BENCH), *arguments], capture_output=True, text=True, env=environment, check=False
    )


@pytest.mark.slow
def test_a_tiny_benchmark_writes_its_files(tmp_path: Path) -> None:
    skip = "chess_v6,leduc_holdem_v4,warm_start,warm_start_peer,cold_compile,aec_cold_compile,aloha_cold_compile,heiau_cold_compile"
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


def counted(stop: int) -> tuple[Any, list[str]]:
    """A bench of two made-up measures, one of them rare, which is interrupted at its `stop`-th figure."""
    made = bench.Bench(skip=set(bench.NAMES), games=1, quick=True)
    done: list[str] = []

    def measure(name: str, seconds: float) -> float:
        if len(done) == stop:
            raise KeyboardInterrupt
        done.append(name)
        return seconds * len(done)

    for name in ("yardstick", "cold_start"):
        made.measures[name] = lambda seconds, name=name: measure(name, seconds)
    return made, done


def test_a_stopped_run_goes_on(tmp_path: Path) -> None:
    path, settings, rounds = tmp_path / "rounds.jsonl", {"rounds": 3}, list[dict[str, list[Any]]]()
    first, done = counted(stop=3)
    refuses(
        KeyboardInterrupt,
        (
            "",
            lambda: first.run(
                3,
                1.0,
                bench.Log(path, settings, resume=False),
                lambda found: rounds.append(json.loads(json.dumps(found))),
            ),
        ),
    )
    assert done == ["yardstick", "cold_start", "yardstick"]  # the rare one sat the second round out
    assert rounds == [{"yardstick": [1.0], "cold_start": [2.0]}, {"yardstick": [1.0, 3.0], "cold_start": [2.0, None]}]
    with path.open("a", encoding="utf-8") as file:
        file.write('{"round": 1, "meas')  # killed while it wrote
    second, done = counted(stop=9)
    log = bench.Log(path, settings, resume=True)
    found = second.run(3, 10.0, log, lambda _: None)
    assert done == ["yardstick", "cold_start"] and log.goes == 2
    assert found == {"yardstick": [1.0, 3.0, 10.0], "cold_start": [2.0, None, 20.0]}
    assert bench.summary(found)["yardstick"]["median"] == 3.0
    refuses(SystemExit, ("of another run", lambda: bench.Log(path, {"rounds": 4}, resume=True)))
    assert bench.Log(path, settings, resume=False).figures == {}


def test_what_is_written_after_a_round(tmp_path: Path) -> None:
    """Page and figures of the rounds so far; targets that were not measured say so."""
    told = {"machine": bench.measured_on(), "rounds": 7, "seconds": 1.0, "goes": 2, "missing": {}}
    report = bench.write(told, {"yardstick": [1e6, 2e6], "heiau_phase": [1.5, 2.0]}, tmp_path)
    assert report["rounds"] == 2 and json.loads((tmp_path / "bench.json").read_text())["figures"]["heiau_phase"] == [
        1.5,
        2,
    ]
    page = (tmp_path / "README.md").read_text()
    assert "Measured in 2 goes." in page and "| under 10 microseconds | 1.750 us | met |" in page
    assert "not measured" in page
