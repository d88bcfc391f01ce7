"""The benchmark runs, names what is missing, goes on when stopped, and tells changes from noise."""

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
report: Any = load("benching.report")


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    return subprocess.run(
        [sys.executable, str(BENCH), *arguments], capture_output=True, text=True, env=environment, check=False
    )


@pytest.mark.slow
def test_a_tiny_benchmark_writes_its_files_and_names_missing_peers(tmp_path: Path) -> None:
    ours = "yardstick,batch,playout,playout_plain,aec,clone,copy_array,frame,frame_whole,import_numpy,heiau_batch"
    only = f"{ours},adjudicate_arrays,backgammon_full,chess_v6,pgx_backgammon,scaling,parts"
    tiny = ("--quick", "--rounds", "2", "--seconds", "0.02", "--only", only, "--out", str(tmp_path))
    done = run(*tiny, "--python-peer", f"pgx={tmp_path / 'no' / 'python'}")
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "bench.json").read_text(encoding="utf-8"))
    for name in (*ours.split(","), "adjudicate_arrays", "part_run", "envs_16_threads_2"):
        it = found["measures"][name]
        assert 0 < it["least"] <= it["median"] <= it["greatest"]
        assert len(found["figures"][name]) == 2
    for pair in ("playout/yardstick", "clone/copy_array", "frame/frame_whole", "aec/chess_v6"):
        assert pair.partition("/")[2] in found["missing"] or found["ratios"][pair]["median"] > 0
    targets = {(target["measure"], target["to"]): target for target in found["targets"]}
    assert targets["playout", ""]["met"] in (True, False)
    assert targets["cold_compile", ""]["met"] is None
    assert [it["num_envs"] for it in found["scaling"]] == [1, 16, 256]
    assert found["scaling"][0]["wall_2"] is None
    assert found["scaling"][2]["wall_2"]["median"] > 0
    # A missing peer is named in all three places: in the output, in the JSON and on the page.
    assert "does not start" in found["missing"]["pgx_backgammon"]
    assert "missing: pgx_backgammon" in done.stdout and "changes:" in done.stdout
    page = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "**Missing: pgx_backgammon**" in page and "| not measured | - |" in page
    assert (tmp_path / "bench.svg").exists() == found["chart"]


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


class Counting:
    """A worker of made-up measures, which is interrupted at its `stop`-th result."""

    def __init__(self, stop: int) -> None:
        self.done: list[str] = []
        self.stop = stop

    def ask(self, run: str, seconds: float) -> dict[str, float]:
        if len(self.done) == self.stop:
            raise KeyboardInterrupt
        self.done.append(run)
        return {"count": len(self.done), "cpu": 1 / seconds, "wall": 1.0}


def counted(stop: int) -> tuple[Any, list[str]]:
    """A bench of a measure, and of a rare one, that is interrupted at its `stop`-th result."""
    made, worker = bench.Bench([], {}, None), Counting(stop)
    made.measures = dict.fromkeys(("yardstick", "cold_start"), worker)
    return made, worker.done


def test_a_stopped_run_goes_on(tmp_path: Path) -> None:
    path, settings, rounds = tmp_path / "rounds.jsonl", {"seconds": 1}, list[Any]()
    first, done = counted(stop=3)
    log = bench.Log(path, settings, False)
    each = lambda found: rounds.append(json.loads(json.dumps(found)))  # noqa: E731  a copy of each round
    refuses(KeyboardInterrupt, ("", lambda: first.run(4, 1.0, log, each)))
    assert done == ["yardstick", "cold_start", "yardstick"]  # the rare one sat the second round out
    assert [it and it["cpu"] for it in rounds[1]["cold_start"]] == [2.0, None]
    with path.open("a", encoding="utf-8") as file:
        file.write('[1, "cold_st')  # killed while it wrote
    second, done = counted(stop=9)
    log = bench.Log(path, settings, True)
    found = second.run(4, 10.0, log, lambda _: None)
    assert done == ["yardstick", "yardstick", "cold_start"] and log.goes == 2
    assert [it["cpu"] for it in found["yardstick"]] == [1.0, 3.0, 10.0, 20.0]
    assert [it and it["cpu"] for it in found["cold_start"]] == [2.0, None, None, 30.0]
    refuses(SystemExit, ("of another run", lambda: bench.Log(path, {"seconds": 4}, True)))
    assert bench.Log(path, settings, False).found == {}


def test_what_is_written_of_some_rounds(tmp_path: Path) -> None:
    """Page and figures of the rounds so far; targets that were not measured say so."""
    told = {"machine": bench.machine(), "rounds": 7, "seconds": 1.0, "goes": 2, "sizes": [3, 4]}
    rounds = {"yardstick": [{"cpu": 1e6}, {"cpu": 2e6}], "clone": [{"cpu": 5e6}, None], "copy_array": [{"cpu": 1e7}]}
    found = bench.write(told, bench.Bench([], {}, None), rounds, tmp_path)
    assert json.loads((tmp_path / "bench.json").read_text())["figures"] == rounds
    assert found["ratios"] == {"clone/copy_array": {"median": 0.5, "least": 0.5, "greatest": 0.5}}
    page = (tmp_path / "README.md").read_text()
    assert "Measured in 2 goes." in page and "not measured" in page
    assert "| under 1 microsecond | 0.2 us (0.2 us - 0.2 us) | met |" in page


def test_a_library_that_fails_is_reported(tmp_path: Path) -> None:
    worker = bench.Worker(sys.executable, None)
    try:
        refuses(bench.Missing, ("no_such_game", lambda: worker.ask(prepare="no_such_game")))
        assert "versions" in worker.ask(prepare="yardstick")
        assert worker.ask(run="yardstick", seconds=0.01)["cpu"] >= 0.01
    finally:
        worker.close()
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho no such instruction >&2\nexit 3\n", encoding="utf-8")
    python.chmod(0o755)
    worker = bench.Worker(str(python), None)
    try:
        refuses(bench.Missing, ("status 3: no such instruction", lambda: worker.ask(prepare="yardstick")))
    finally:
        worker.close()


def test_changes_stand_out_from_noise() -> None:
    def figures(least: float, median: float, greatest: float) -> dict[str, float]:
        return {"least": least, "median": median, "greatest": greatest}

    ratios = {"a": figures(9, 10, 11), "b": figures(9, 10, 11), "c": figures(9.9, 10, 10.1), "d": figures(1, 2, 3)}
    before = {"machine": {"date": "then", "commit": "abc"}, "ratios": ratios}
    same = {"a": figures(7, 8, 9.5), "c": figures(9, 9.2, 9.4), "new": figures(1, 1, 1)}
    head = "ratios differ by more than noise from those of then, commit abc"
    assert report.changes(same, before) == [f"changes: 0 of 2 {head}"]
    assert report.changes({"a": figures(4, 5, 6), "b": figures(19, 20, 21), "c": figures(9, 10, 11)}, before) == [
        f"changes: 2 of 3 {head}",
        "changed: a is 5 times, was 10 times (-50%)",
        "changed: b is 20 times, was 10 times (+100%)",
    ]
    assert "no committed figures" in report.changes(same, None)[0]
