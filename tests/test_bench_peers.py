"""The benchmark beside other libraries runs, names what is missing, and tells changes from noise."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from refusals import refuses

ROOT = Path(__file__).resolve().parents[1]
BENCH = ROOT / "experiments" / "bench_peers.py"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    return subprocess.run(
        [sys.executable, str(BENCH), *arguments], capture_output=True, text=True, env=environment, check=False
    )


def module() -> Any:
    spec = importlib.util.spec_from_file_location("bench_peers", BENCH)
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def figures(least: float, median: float, greatest: float) -> dict[str, float]:
    return {"least": least, "median": median, "greatest": greatest}


@pytest.mark.slow
def test_a_tiny_benchmark_writes_its_files_and_names_missing_peers(tmp_path: Path) -> None:
    only = "yardstick,batch,backgammon_full,pgx_backgammon,scaling,parts"
    tiny = ("--quick", "--rounds", "2", "--seconds", "0.01", "--only", only)
    absent = tmp_path / "no" / "python"
    done = run(*tiny, "--python-peer", f"pgx={absent}", "--out", str(tmp_path))
    assert done.returncode == 0, done.stderr
    report = json.loads((tmp_path / "peers.json").read_text(encoding="utf-8"))
    for name in ("yardstick", "batch", "part_run", "lanes_16_threads_2"):
        it = report["measures"][name]
        assert 0 < it["least"] <= it["median"] <= it["greatest"]
        assert len(report["figures"][name]) == 2
    assert report["ratios"]["yardstick/batch"]["median"] > 0
    assert [it["lanes"] for it in report["scaling"]] == [1, 16, 256]
    assert report["scaling"][0]["wall_2"] is None
    assert report["scaling"][2]["wall_2"]["median"] > 0
    # Missing peers are named in all three places: in the output, in the JSON and on the page.
    assert "does not start" in report["missing"]["pgx_backgammon"]
    assert "missing: pgx_backgammon" in done.stdout
    page = (tmp_path / "peers.md").read_text(encoding="utf-8")
    assert "**Missing: Pgx backgammon" in page
    assert "| not measured | - |" in page
    assert ("backgammon_full" in report["measures"]) != ("backgammon_full" in report["missing"])
    assert "regression check:" in done.stdout
    assert (tmp_path / "peers.svg").exists() == report["chart"]


def test_a_library_that_is_not_installed_is_missing() -> None:
    bench = module()
    worker = bench.Worker(sys.executable, None)
    try:
        refuses(bench.Missing, ("no_such_game", lambda: worker.prepare("no_such_game")))
        assert worker.prepare("yardstick")["ok"]
        assert worker.ask(run="yardstick", decisions=100)["decisions"] >= 100
    finally:
        worker.close()


def test_a_process_that_dies_is_missing_with_its_last_words(tmp_path: Path) -> None:
    bench = module()
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho no such instruction >&2\nexit 3\n", encoding="utf-8")
    python.chmod(0o755)
    worker = bench.Worker(str(python), None)
    try:
        refuses(bench.Missing, ("status 3: no such instruction", lambda: worker.prepare("yardstick")))
    finally:
        worker.close()


def test_regression_check_tells_changes_from_noise() -> None:
    bench = module()
    before = {
        "machine": {"date": "then", "commit": "abc"},
        "ratios": {
            "a": figures(9, 10, 11),
            "b": figures(9, 10, 11),
            "c": figures(9.9, 10, 10.1),
            "d": figures(1, 2, 3),
        },
    }
    same = {"ratios": {"a": figures(7, 8, 9.5), "c": figures(9, 9.2, 9.4), "new": figures(1, 1, 1)}}
    assert bench.regression(same, before) == [
        "regression check: 2 ratios against those of then, commit abc: no change beyond noise"
    ]
    changed = {"ratios": {"a": figures(4, 5, 6), "b": figures(19, 20, 21), "c": figures(9, 10, 11)}}
    assert bench.regression(changed, before) == [
        "regression check: 3 ratios against those of then, commit abc: 1 slower, 1 faster, beyond noise",
        "SLOWER: a is 5 times, was 10.0 times (-50%)",
        "faster: b is 20.0 times, was 10.0 times (+100%)",
    ]
    assert "no committed figures" in bench.regression(changed, None)[0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--only", "chess"), "there is no chess"),
        (("--rounds", "0"), "1 or more"),
        (("--python-peer", "dos=x"), "NAME=PATH"),
        (("--python-peer", "pgx"), "NAME=PATH"),
    ],
)
def test_bad_arguments(arguments: tuple[str, ...], message: str) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert message in done.stderr
