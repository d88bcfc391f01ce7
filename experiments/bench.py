"""Measure speed on this machine, with PettingZoo's classic games beside ours.

    python experiments/bench.py            # some minutes; writes docs/benchmarks/
    python experiments/bench.py --quick    # a look, in about a minute; writes to runs/bench/
    python experiments/bench.py --resume   # goes on with a run that was stopped

All measures take turns, round after round, so that a busy or a slowing machine meets them alike; figures are medians
over the rounds, of CPU time. Beside each absolute figure stands its ratio to something measured in the same rounds:
ratios travel between machines, absolute figures do not. Every figure is kept as soon as it is there, in
``rounds.jsonl`` of runs/bench/ or of the folder that is named, and what is written is renewed after each round.

Peers: chess_v6, connect_four_v3 and leduc_holdem_v4 of ``pettingzoo[classic]``. One that is not installed is named as
missing.
"""

from __future__ import annotations

import argparse
import json
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benching.measures import (
    COMPILED_FIRST_STEP,
    OUR_FIRST_STEP,
    PEER_FIRST_STEP,
    WARM,
    PlainPlayout,
    aloha_batch,
    aloha_playout,
    batch,
    clone,
    compile_all,
    copy_array,
    frames,
    hawaii,
    heiau_agent,
    heiau_batch,
    heiau_phase,
    peer,
    playout,
    process,
    wide,
    yardstick,
)
from benching.report import NAMES, PEERS, Figures, chart, measured_on, page, show, summary, times, verdicts
from training import runs

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "docs" / "benchmarks"
QUICK_OUT = ROOT / "runs" / "bench"
WIDTH = 118
"""Columns of the page's text."""
HEIAU_AGENTS = {"heiau_greedy": "heiau-greedy", "heiau_best": "heiau-best-response", "heiau_ppo": "ppo"}


class Log:
    """The figures of a run, a line of JSON each as soon as it is measured, so that a stopped run can go on.

    Args:
        path: the file.
        settings: what a run must have in common with what is there to go on with it.
        resume: go on, where a file is there; else it is begun anew.

    Raises:
        SystemExit: the file is of another run.
    """

    def __init__(self, path: Path, settings: dict[str, Any], resume: bool) -> None:
        self.path = path
        self.figures: dict[tuple[int, str], float | None] = {}
        self.goes = 1
        lines = runs.whole_lines(path) if resume else []  # what was cut off is measured again
        if lines:
            if lines[0] != settings:
                raise SystemExit(f"--resume: {path} is of another run: {lines[0]}, not {settings}")
            self.goes += 1 + sum("go" in line for line in lines[1:])
            self.figures = {(line["round"], line["measure"]): line["figure"] for line in lines[1:] if "round" in line}
            lines.append({"go": self.goes})
        runs.write_lines(path, lines or [settings])

    def add(self, number: int, name: str, figure: float | None) -> None:
        """Keep a figure."""
        self.figures[number, name] = figure
        self._write({"round": number, "measure": name, "figure": figure})

    def _write(self, line: dict[str, Any]) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


class Bench:
    """All measures, ready to run."""

    def __init__(self, skip: set[str], games: int, quick: bool) -> None:
        self.missing: dict[str, str] = {}
        self.measures: dict[str, Callable[[float], float]] = {}
        self.rarely: set[str] = {
            "cold_compile",
            "aec_cold_compile",
            "cold_start",
            "aloha_cold_compile",
            "heiau_cold_compile",
        }  # every second round: they take half a minute each
        self.plain: PlainPlayout | None = None
        self.add("yardstick", yardstick, skip)
        self.add("playout", lambda: playout(games), skip)
        if "playout_plain" not in skip:
            self.plain = PlainPlayout(min(games, 50))
            self.measures["playout_plain"] = self.plain
        self.add("aec", hawaii, skip)
        self.add("batch", batch, skip)
        for name in PEERS:
            self.add(name, lambda name=name: peer(name), skip)
        self.add("clone", clone, skip)
        self.add("copy_array", copy_array, skip)
        self.add("frame", lambda: frames(whole=False), skip)
        self.add("frame_whole", lambda: frames(whole=True), skip)
        self.add("wide", wide, skip)
        self.add("aloha_playout", aloha_playout, skip)
        self.add("aloha_batch", aloha_batch, skip)
        self.add("warm_start", lambda: process(OUR_FIRST_STEP), skip)
        if "connect_four_v3" not in self.missing:
            self.add("warm_start_peer", lambda: process(PEER_FIRST_STEP), skip)
        self.add("import_numpy", lambda: process("import numpy"), skip)
        self.add("cold_compile", lambda: process(WARM.format("hawaii1795"), empty_cache=True), skip)
        self.add("aec_cold_compile", lambda: process(COMPILED_FIRST_STEP, empty_cache=True), skip)
        self.add("aloha_cold_compile", lambda: process(WARM.format("aloha"), empty_cache=True), skip)
        self.add("heiau_batch", heiau_batch, skip)
        self.add("heiau_phase", lambda: heiau_phase(python=False), skip)
        self.add("heiau_phase_python", lambda: heiau_phase(python=True), skip)
        self.add("heiau_cold_compile", lambda: process(WARM.format("heiau"), empty_cache=True), skip)
        if not quick:
            for name, spec in HEIAU_AGENTS.items():
                self.add(name, lambda spec=spec: heiau_agent(spec), skip)
            self.add("cold_start", lambda: process(OUR_FIRST_STEP, empty_cache=True), skip)

    def add(self, name: str, make: Callable[[], Callable[[float], float]], skip: set[str]) -> None:
        """Prepare a measure; note a peer that is not there."""
        if name in skip:
            return
        try:
            self.measures[name] = make()
        except ImportError as error:
            self.missing[name] = str(error)
            print(f"missing: {name}: {error}", file=sys.stderr)

    def run(self, rounds: int, seconds: float, log: Log, each: Callable[[Figures], object]) -> Figures:
        """Run all measures in turn, `rounds` times, but for what the log has; a figure a round, None where a measure
        sits a round out.

        Args:
            rounds, seconds: how many, and of how much CPU time a measure.
            log: what is there, and where each new figure goes at once.
            each: called with the figures so far after every round.
        """
        found: Figures = {name: [] for name in self.measures}
        for number in range(rounds):
            for name, measure in self.measures.items():
                known = (number, name) in log.figures
                if not known:
                    log.add(number, name, None if name in self.rarely and number % 2 else measure(seconds))
                figure = log.figures[number, name]
                found[name].append(figure)
                if figure is not None and not known:
                    print(f"round {number + 1}/{rounds}  {name:<16} {show(figure, name)}", file=sys.stderr, flush=True)
            each(found)
        return found

    def close(self) -> None:
        """End the processes."""
        if self.plain is not None:
            self.plain.close()


def write(told: dict[str, Any], found: Figures, out: Path) -> dict[str, Any]:
    """Write what the rounds so far say: the page, every round as JSON, the chart. Return the report."""
    measures = summary(found)
    report: dict[str, Any] = {**told, "targets": verdicts(found, measures), "measures": measures, "figures": found}
    report["rounds"] = max(map(len, found.values()))
    out.mkdir(parents=True, exist_ok=True)
    report["chart"] = chart(report, out / "chart.png")
    (out / "bench.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    lines = (line if line[:1] in ("", "|", "!") else textwrap.fill(line, WIDTH) for line in page(report))
    (out / "README.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return report


def main(arguments: list[str] | None = None) -> int:
    """Measure and write; the exit status is 0 also where a target is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds")
    parser.add_argument("--rounds", type=int, help="rounds (default: 7, quick: 3)")
    parser.add_argument("--seconds", type=float, help="CPU seconds a measure and round (default: 1, quick: 0.3)")
    parser.add_argument("--skip", default="", metavar="NAMES", help=f"measures to leave out, of {', '.join(NAMES)}")
    parser.add_argument("--resume", action="store_true", help="go on with the run that was stopped")
    parser.add_argument("--out", type=Path, help="folder to write to (default: docs/benchmarks, quick: runs/bench)")
    options = parser.parse_args(arguments)
    rounds = options.rounds or (3 if options.quick else 7)
    seconds = options.seconds or (0.3 if options.quick else 1.0)
    skip = set(filter(None, options.skip.split(",")))
    if skip - set(NAMES):
        parser.error(f"--skip: there is no {', '.join(sorted(skip - set(NAMES)))}; measures are {', '.join(NAMES)}")
    if rounds < 1 or seconds <= 0:
        parser.error("--rounds is 1 or more, --seconds more than 0")
    out = options.out or (QUICK_OUT if options.quick else OUT)
    on = measured_on()
    shared = {"rounds": rounds, "seconds": seconds, "quick": options.quick, "skip": sorted(skip)}
    log = Log(
        (options.out or QUICK_OUT) / "rounds.jsonl",
        shared | {"commit": on["commit"], "processor": on["processor"]},
        options.resume,
    )
    compile_all()
    bench = Bench(skip, games=200 if options.quick else 1000, quick=options.quick)
    if not bench.measures:
        parser.error("--skip: nothing is left to measure")
    told = {"machine": on, "rounds": rounds, "seconds": seconds, "goes": log.goes, "missing": bench.missing}
    try:
        found = bench.run(rounds, seconds, log, lambda figures: write(told, figures, out))
    except KeyboardInterrupt:
        print("stopped; the same command with --resume goes on", file=sys.stderr)
        return 130
    finally:
        bench.close()
    report = write(told, found, out)
    for verdict in report["targets"]:
        figure = verdict["figure"]
        measured = (
            "not measured"
            if figure is None
            else f"{times(figure)} times"
            if verdict["to"]
            else show(figure, verdict["measure"])
        )
        answer = {True: "met", False: "MISSED", None: "-"}[verdict["met"]]
        print(f"{answer:<7} {NAMES[verdict['measure']]}: {measured} (target: {verdict['target']})")
    print(f"written: {out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
