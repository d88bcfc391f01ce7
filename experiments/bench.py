"""Measure speed on this machine: games, environments and agents of this library, and other libraries beside them.

    python experiments/bench.py            # some twenty minutes; writes docs/benchmarks/
    python experiments/bench.py --quick    # a look, in a few minutes; writes to runs/bench/
    python experiments/bench.py --resume   # continues a run that was stopped
    python experiments/bench.py --only batch,backgammon_full,aec,chess_v6

Measures run in processes (`benching/worker.py`), one for each library, all on one core but for the curves with two
threads. All take turns, round after round, so that a busy or a slowing machine meets them alike; figures are medians
over the rounds, of CPU time. Beside each figure stands its ratio to something measured in the same rounds. Every result
is kept at once, in ``rounds.jsonl`` of runs/bench/ or of the folder that is named; page, figures and chart are renewed
after each round. At the end ratios are compared with the last commit's.

A library may need versions of others that do not go with ours. Its Python is looked for in this order: what
``--python-peer NAME=PATH`` says; the environment ``.venv-NAME`` in the repository; ``.venv-peers`` there; the Python
that runs this. A peer that none of these has is named as missing.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import studies
from benching.report import INTERPRETED, MEASURES, OURS, PARTS, PEERS, Found, changes, chart, measured, page, summary
from machine import machine

from hawaii_agents.training import runs
from hawaii_env._machine import cores
from hawaii_env.texts import parse_json

WORKER = Path(__file__).resolve().parent / "benching" / "worker.py"
OUT, QUICK_OUT = studies.ROOT / "docs" / "benchmarks", studies.ROOT / "runs" / "bench"
RARE = {
    "cold_start", "aec_cold_compile", *(f"{game}cold_compile" for game in ("", "aloha_", "heiau_", "maori_"))
}  # fmt: skip
"""They take up to two minutes each: measured in every third round."""
SLOW = {"heiau_greedy", "heiau_best", "heiau_ppo", *RARE}
"""Left out of a quick look."""
SIZES = (1, 4, 16, 64, 256, 1024, 4096, 16384)
QUICK_SIZES = (1, 16, 256)


class Missing(Exception):
    """A measure cannot be made here; the reason."""


class Worker:
    """A process of `benching/worker.py`.

    Args:
        python: its Python.
        core: the core that it stays on; None is any.
        interpreted: True runs our games in interpreted mode.
    """

    def __init__(self, python: str, core: int | None, interpreted: bool = False) -> None:
        paths = [str(studies.ROOT), str(studies.ROOT / "agents"), os.environ.get("PYTHONPATH", "")]
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
            "PYTHONWARNINGS": "ignore",
            "HAWAII_ENV_PLAIN": "1" if interpreted else "0",
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
            "JAX_PLATFORMS": "cpu",
            "PYGAME_HIDE_SUPPORT_PROMPT": "1",
        }
        if core is not None:
            environment["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
        self.errors: IO[str] = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115  close()
        command = [python, str(WORKER), *([] if core is None else [str(core)])]
        try:
            self.child = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True, env=environment
            )
        except OSError as error:
            self.errors.close()
            raise Missing(f"its Python does not start: {error.strerror}") from error

    def ask(self, **request: Any) -> dict[str, Any]:
        """Send a request; return the answer. Raises Missing."""
        assert self.child.stdin
        assert self.child.stdout
        line = ""
        with suppress(BrokenPipeError):
            self.child.stdin.write(json.dumps(request) + "\n")
            self.child.stdin.flush()
            line = self.child.stdout.readline()
        if not line:
            self.errors.seek(0)
            last = (self.errors.read().strip().splitlines() or ["it said nothing"])[-1]
            raise Missing(f"its process ended with status {self.child.wait()}: {last}")
        reply = parse_json(line)
        if "missing" in reply:
            raise Missing(reply["missing"])
        return reply

    def close(self) -> None:
        """End the process."""
        with suppress(BrokenPipeError):
            self.child.communicate()
        self.errors.close()


class Log:
    """The results of a run, a line of JSON each as soon as it is measured, so that a stopped run can go on.

    Args:
        path: the file.
        settings: what a run must have in common with what is there to go on with it.
        resume: go on, if there is a file; else it is begun anew.

    Raises:
        SystemExit: the file is of another run.
    """

    def __init__(self, path: Path, settings: dict[str, Any], resume: bool) -> None:
        self.path = path
        lines = runs.whole_lines(path) if resume else []
        if lines and lines[0] != settings:
            raise SystemExit(f"--resume: {path} is of another run: {lines[0]}, not {settings}")
        lines = [*(lines or [settings]), "go"]
        self.goes: int = lines.count("go")
        self.found: dict[tuple[int, str], dict[str, float] | None] = {
            (line[0], line[1]): line[2] for line in lines if isinstance(line, list)
        }
        runs.write_lines(path, lines)

    def add(self, number: int, name: str, result: dict[str, float] | None) -> None:
        """Keep the result of a round."""
        self.found[number, name] = result
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps([number, name, result]) + "\n")


def say(text: str) -> None:
    """Print a line about how far it is."""
    print(text, file=sys.stderr, flush=True)


class Bench:
    """All workers and measures, ready to run.

    Args:
        names: the measures.
        pythons: Pythons of peers, by name.
        core: the core to stay on; None is any.

    Attributes:
        missing: why measures cannot be made, by name.
        versions: of the libraries, by group.
        memory: bytes a game, of batches.
    """

    def __init__(self, names: list[str], pythons: dict[str, str], core: int | None) -> None:
        self.pythons = pythons
        self.workers: dict[tuple[str, int | None], Worker] = {}
        self.measures: dict[str, Worker] = {}
        self.missing: dict[str, str] = {}
        self.versions: dict[str, dict[str, str]] = {}
        self.memory: dict[str, int] = {}
        try:
            for name in names:
                self.add(name, MEASURES[name].group if name in MEASURES else OURS, core)
        except BaseException:
            self.close()
            raise

    def candidates(self, group: str) -> list[str]:
        """Return the Pythons that may have a library, in the order of preference."""
        if group in self.pythons:
            return [self.pythons[group]]
        places = [studies.ROOT / folder / "bin" / "python" for folder in (f".venv-{group}", ".venv-peers")]
        return [*(str(place) for place in places if place.exists() and group in PEERS), sys.executable]

    def add(self, name: str, group: str, core: int | None) -> None:
        """Prepare a measure in the first Python that has its library; note one that none has."""
        if name.startswith("envs_"):
            core = None  # with two threads it is free to use both cores; so it is with one, to be like that
        reasons: list[str] = []
        for python in self.candidates(group):
            key = (f"{group} {python}", core)
            try:
                if key not in self.workers:
                    self.workers[key] = Worker(python, core, interpreted=group == INTERPRETED)
                reply = self.workers[key].ask(prepare=name)
            except Missing as error:
                reasons.append(str(error))
                continue
            self.measures[name], self.memory[name] = self.workers[key], reply["memory"]
            self.versions[group] = reply["versions"]
            return
        self.missing[name] = reasons[0]
        say(f"missing: {name} of {group}: {reasons[0]}")

    def run(self, rounds: int, seconds: float, log: Log, each: Callable[[Found], object]) -> Found:
        """Run all measures in turn, `rounds` times, but for what the log has.

        Args:
            rounds, seconds: how many, and of how much CPU time a measure.
            log: what is there, and where each new result is kept at once.
            each: called with the results so far after every round.
        """
        found: Found = {name: [] for name in self.measures}
        for number in range(rounds):
            for name in list(found):
                try:
                    if (number, name) not in log.found:
                        log.add(number, name, self.measure(name, seconds, name in RARE and number % 3 > 0))
                        say(f"round {number + 1}/{rounds}  {name}")
                    found[name].append(log.found[number, name])
                except Missing as error:
                    del found[name]
                    self.missing[name] = str(error)
            each(found)
        return found

    def measure(self, name: str, seconds: float, sits_out: bool) -> dict[str, float] | None:
        """Return what a measure does in a second, of CPU time and by the clock; None if it sits the round out."""
        if sits_out:
            return None
        reply = self.measures[name].ask(run=name, seconds=seconds)
        return {clock: reply["count"] / reply[clock] for clock in ("cpu", "wall")}

    def close(self) -> None:
        """End the processes."""
        for worker in self.workers.values():
            worker.close()


def options_of(arguments: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds, without the slowest measures")
    parser.add_argument("--rounds", type=int, help="rounds (default: 5, quick: 2)")
    parser.add_argument("--seconds", type=float, help="CPU seconds a measure and round (default: 0.5, quick: 0.1)")
    parser.add_argument("--only", default="", metavar="NAMES", help="measures to make, and 'scaling', 'parts'")
    parser.add_argument("--resume", action="store_true", help="go on with the run that was stopped")
    parser.add_argument("--python-peer", action="append", default=[], metavar="NAME=PATH", help="Python of a peer")
    parser.add_argument("--out", type=Path, help="folder to write to (default: docs/benchmarks, quick: runs/bench)")
    options = parser.parse_args(arguments)
    options.rounds = (2 if options.quick else 5) if options.rounds is None else options.rounds
    options.seconds = (0.1 if options.quick else 0.5) if options.seconds is None else options.seconds
    if options.rounds < 1 or not options.seconds > 0:
        parser.error("--rounds is 1 or more, --seconds more than 0")
    groups = {
        "parts": [name for name in PARTS if name not in MEASURES],
        "scaling": [f"envs_{n}_threads_{k}" for n in (QUICK_SIZES if options.quick else SIZES) for k in (1, 2)[:n]],
    }
    known = {name: [name] for name in MEASURES} | groups
    asked = list(filter(None, options.only.split(","))) or [n for n in known if not (options.quick and n in SLOW)]
    if unknown := [name for name in asked if name not in known]:
        parser.error(f"--only: there is no {', '.join(unknown)}; there are {', '.join(known)}")
    options.names = [name for key in known if key in asked for name in known[key]]
    options.pythons = dict(text.partition("=")[::2] for text in options.python_peer)
    if wrong := [name for name, path in options.pythons.items() if name not in PEERS or not path]:
        parser.error(f"--python-peer NAME=PATH, with a name of {', '.join(PEERS)}; not {', '.join(wrong)}")
    options.out = (options.out or (QUICK_OUT if options.quick else OUT)).resolve()
    return options


def wrapped(block: str) -> str:
    """Return a block of Markdown with lines of 118 columns at most, unless it is a table, a picture or code."""
    return block if block.startswith(("|", "!", "<", "#", "```")) else textwrap.fill(block, 118)


def write(head: dict[str, Any], bench: Bench, found: Found, out: Path) -> dict[str, Any]:
    """Write what the rounds so far say: the page, every round as JSON, the chart. Return the report."""
    report = {**head, "missing": bench.missing, "versions": bench.versions, **summary(found, bench.memory)}
    out.mkdir(parents=True, exist_ok=True)
    report["chart"] = chart(report, out / "bench.svg")
    runs.write_json(out / "bench.json", report)
    runs.write_text(out / "README.md", "\n\n".join(wrapped(block.strip("\n")) for block in page(report)) + "\n")
    return report


def main(arguments: list[str] | None = None) -> int:
    """Measure and write; the exit status is 0 also if a target is missed or something has become slower."""
    options = options_of(arguments)

    from hawaii_env.hawaii1795 import Game

    game, on = Game(), machine()
    settings = {
        "names": options.names,
        "seconds": options.seconds,
        "commit": on["commit"],
        "processor": on["processor"],
    }
    log = Log((QUICK_OUT if options.out == OUT else options.out) / "rounds.jsonl", settings, options.resume)
    before = runs.git("show", "HEAD:docs/benchmarks/bench.json")
    bench = Bench(options.names, options.pythons, cores()[-1] if hasattr(os, "sched_setaffinity") else None)
    sizes = [game.observation_size, game.num_actions]
    head = {"machine": on, "rounds": options.rounds, "seconds": options.seconds, "goes": log.goes, "sizes": sizes}
    try:
        found = bench.run(options.rounds, options.seconds, log, lambda now: write(head, bench, now, options.out))
    except KeyboardInterrupt:
        say("stopped; the same command with --resume continues")
        return 130
    finally:
        bench.close()
    report = write(head, bench, found, options.out)
    for verdict in report["targets"]:
        answer = {True: "met", False: "MISSED", None: "-"}[verdict["met"]]
        print(f"{answer:<7} {MEASURES[verdict['measure']].words}: {measured(verdict)} (target: {verdict['target']})")
    for line in (
        *(f"missing: {name}: {reason}" for name, reason in report["missing"].items()),
        *changes(report["ratios"], parse_json(before) if before else None),
        f"written: {options.out}",
    ):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
