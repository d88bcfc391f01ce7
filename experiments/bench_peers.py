"""Measure our batch beside other libraries' games: OpenSpiel, Pgx, PettingZoo, RLCard, catanatron.

    python experiments/bench_peers.py             # some minutes; writes docs/benchmarks/peers.{json,md,png,svg}
    python experiments/bench_peers.py --quick     # a look; writes to runs/bench/
    python experiments/bench_peers.py --python-peer pgx=/path/to/python --python-peer openspiel=/path/to/python

Each library runs in a process of its own (`bench_peers_worker.py`), which plays a number of decisions whenever it is
told to and says what CPU time that took. All measures take turns, round after round, so that a busy or a slowing
machine meets them alike. Figures are medians over the rounds; ratios are medians of each round's ratio. Every process
stays on one and the same core, but for the scaling curves with two threads.

A library may need versions of others that do not go with ours. Its Python is looked for in this order: what
``--python-peer NAME=PATH`` says; the environment ``.venv-NAME`` in the repository; ``.venv-peers`` there; the Python
that runs this. A peer that none of these has is named as missing.

    python3 -m venv .venv-peers && .venv-peers/bin/pip install open_spiel pettingzoo chess pygame rlcard catanatron
    python3 -m venv .venv-pgx   && .venv-pgx/bin/pip install pgx jax

At the end ratios are compared with those of the last commit. What differs by more than noise is named; the exit status
is 0 all the same.
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from machine import cores, load_told, machine, output_of, told, warned

ROOT = Path(__file__).resolve().parents[1]
WORKER = Path(__file__).resolve().with_name("bench_peers_worker.py")
OUT = ROOT / "docs" / "benchmarks"
QUICK_OUT = ROOT / "runs" / "bench"
COMMITTED = "docs/benchmarks/peers.json"

OURS = "ours"
PEERS = ("openspiel", "pgx", "pettingzoo", "rlcard", "catanatron")

MEASURES: dict[str, tuple[str, str]] = {
    # name: whose it is, what it is
    "yardstick": (OURS, "Tic-tac-toe in plain Python (the yardstick)"),
    "batch": (OURS, "hawaii1795, batch of 1,024: mask, observation, random policy"),
    "batch_raw": (OURS, "hawaii1795, batch of 1,024: the same with int8 observations"),
    "playout": (OURS, "hawaii1795, playouts in compiled code"),
    "state_play": (OURS, "hawaii1795, one State from Python: play only"),
    "state_mask": (OURS, "hawaii1795, one State from Python: with mask"),
    "state_full": (OURS, "hawaii1795, one State from Python: with mask and observation"),
    "aec": (OURS, "hawaii1795_v1, AEC loop"),
    "backgammon_play": ("openspiel", "OpenSpiel backgammon: play only"),
    "backgammon_mask": ("openspiel", "OpenSpiel backgammon: with mask"),
    "backgammon_full": ("openspiel", "OpenSpiel backgammon: with mask and observation"),
    "backgammon_quick": ("openspiel", "OpenSpiel backgammon: with both, mask made from legal_actions()"),
    "chess_play": ("openspiel", "OpenSpiel chess: play only"),
    "chess_mask": ("openspiel", "OpenSpiel chess: with mask"),
    "chess_full": ("openspiel", "OpenSpiel chess: with mask and observation"),
    "chess_quick": ("openspiel", "OpenSpiel chess: with both, mask made from legal_actions()"),
    "pgx_backgammon": ("pgx", "Pgx backgammon, batch of 1,024, in jit on the CPU"),
    "pgx_backgammon_bare": ("pgx", "Pgx backgammon, batch of 1,024, in jit, without auto-reset"),
    "chess_v6": ("pettingzoo", "PettingZoo chess_v6, AEC loop"),
    "connect_four_v3": ("pettingzoo", "PettingZoo connect_four_v3, AEC loop"),
    "leduc_holdem_v4": ("pettingzoo", "PettingZoo leduc_holdem_v4, AEC loop"),
    "rlcard_leduc": ("rlcard", "RLCard leduc hold'em"),
    "rlcard_uno": ("rlcard", "RLCard uno"),
    "rlcard_gin": ("rlcard", "RLCard gin rummy"),
    "catanatron": ("catanatron", "catanatron, rules alone, without observation"),
}

PARTS = {
    "part_sample": "`sample_actions()`: a random legal action of each lane",
    "part_check": "the check that all actions are legal",
    "part_run": "`run()` with the random choice: rules, observation, mask",
    "part_look": "`run()` that only looks: observation and mask, without rules",
}

LIKE: dict[str, str] = {
    **dict.fromkeys(MEASURES, "batch"),
    "state_play": "yardstick",
    "batch": "yardstick",
    "chess_v6": "aec",
    "connect_four_v3": "aec",
    "leduc_holdem_v4": "aec",
    "backgammon_play": "state_play",
    "chess_play": "state_play",
}
"""What a row's last column compares it with: a peer with what is most like it of ours."""

TARGETS: tuple[tuple[str, str, float, str], ...] = (
    ("batch", "", 1e6, "1 million decisions a second"),
    ("batch", "backgammon_full", 50, "50 times OpenSpiel backgammon with mask and observation"),
    ("batch", "pgx_backgammon", 10, "10 times Pgx backgammon on the CPU"),
)

LANES = (1, 4, 16, 64, 256, 1024, 4096, 16384)
QUICK_LANES = (1, 16, 256)
LARGE_CHANGE = 0.15
"""Ratios that differ by less are never called a change."""


class Missing(Exception):
    """A measure cannot be made here; the reason."""


class Worker:
    """A process of `bench_peers_worker.py`."""

    def __init__(self, python: str, core: int | None) -> None:
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")])),
            "PYTHONWARNINGS": "ignore",
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
            "JAX_PLATFORMS": "cpu",
            "PYGAME_HIDE_SUPPORT_PROMPT": "1",
        }
        if core is not None:
            environment["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
        self.versions: dict[str, str] = {}
        self.errors: IO[str] = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115  close()
        try:
            self.child = subprocess.Popen(
                [python, str(WORKER), *([] if core is None else [str(core)])],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self.errors,
                text=True,
                env=environment,
            )
        except OSError as error:
            self.errors.close()
            raise Missing(f"its Python does not start: {error.strerror}") from error

    def ask(self, **request: Any) -> dict[str, Any]:
        """Send a request; return the answer."""
        assert self.child.stdin is not None
        assert self.child.stdout is not None
        line = ""
        with suppress(BrokenPipeError):
            self.child.stdin.write(json.dumps(request) + "\n")
            self.child.stdin.flush()
            line = self.child.stdout.readline()
        if not line:
            self.errors.seek(0)
            last = (self.errors.read().strip().splitlines() or ["it said nothing"])[-1]
            raise Missing(f"its process ended with status {self.child.wait()}: {last}")
        return json.loads(line)

    def prepare(self, name: str) -> dict[str, Any]:
        """Make a measure ready."""
        reply = self.ask(prepare=name)
        if "missing" in reply:
            raise Missing(str(reply["missing"]))
        self.versions = reply["versions"]
        return reply

    def close(self) -> None:
        """End the process."""
        with suppress(BrokenPipeError):
            self.child.communicate()
        self.errors.close()


class Measure:
    """One measure, with the number of decisions that takes about as long as asked for."""

    def __init__(self, name: str, worker: Worker, seconds: float) -> None:
        self.name, self.worker, self.seconds = name, worker, seconds
        self.memory: int | None = None
        self.rate = 1.0

    def calibrate(self) -> None:
        """Find out how many decisions fill the time; the first ones warm caches up."""
        self.worker.ask(run=self.name, decisions=1)
        decisions = 16
        while True:
            reply = self.worker.ask(run=self.name, decisions=decisions)
            self.rate = reply["decisions"] / max(reply["cpu"], 1e-9)
            if reply["cpu"] >= min(0.05, self.seconds / 2):
                return
            decisions = max(4 * decisions, reply["decisions"])

    def run(self) -> dict[str, float]:
        """Return decisions a second, of CPU time and by the clock."""
        reply = self.worker.ask(run=self.name, decisions=max(1, int(self.rate * self.seconds)))
        return {"cpu": reply["decisions"] / reply["cpu"], "wall": reply["decisions"] / reply["wall"]}


def say(text: str) -> None:
    """A line about how far it is."""
    print(text, file=sys.stderr, flush=True)


class Bench:
    """All workers and measures, ready to run."""

    def __init__(
        self, names: Sequence[str], lanes: Sequence[int], pythons: dict[str, str], core: int | None, seconds: float
    ) -> None:
        self.pythons, self.core = pythons, core
        self.workers: dict[tuple[str, int | None, str], Worker] = {}
        self.measures: dict[str, Measure] = {}
        self.missing: dict[str, str] = {}
        self.versions: dict[str, dict[str, str]] = {}
        try:
            for name in names:
                self.add(name, OURS if name in PARTS else MEASURES[name][0], core, seconds)
            for count in lanes:
                for threads in (1, 2)[:count]:
                    # Those of two threads are free to use both cores; so are those of one, to be like them.
                    self.add(f"lanes_{count}_threads_{threads}", OURS, None, seconds / 2)
        except BaseException:
            self.close()
            raise

    def candidates(self, group: str) -> list[str]:
        """The Pythons that may have a library, in the order of preference."""
        if group == OURS:
            return [sys.executable]
        if group in self.pythons:
            return [self.pythons[group]]
        places = [ROOT / folder / "bin" / "python" for folder in (f".venv-{group}", ".venv-peers")]
        return [*(str(place) for place in places if place.exists()), sys.executable]

    def add(self, name: str, group: str, core: int | None, seconds: float) -> None:
        """Prepare a measure in the first Python that has its library; note one that none has."""
        reason = ""
        for python in self.candidates(group):
            try:
                key = (group, core, python)
                if key not in self.workers:
                    self.workers[key] = Worker(python, core)
                worker = self.workers[key]
                reply = worker.prepare(name)
                measure = Measure(name, worker, seconds)
                measure.memory = reply.get("memory")
                measure.calibrate()
            except Missing as error:
                reason = reason or str(error)
                continue
            self.measures[name] = measure
            self.versions[group] = worker.versions
            say(f"ready: {name}, about {measure.rate:,.0f} decisions/s")
            return
        self.missing[name] = reason
        say(f"MISSING: {name} of {group}: {reason}")

    def run(self, rounds: int) -> dict[str, list[dict[str, float]]]:
        """Run all measures in turn, `rounds` times."""
        found: dict[str, list[dict[str, float]]] = {name: [] for name in self.measures}
        began, done, total = time.perf_counter(), 0, rounds * len(self.measures)
        for number in range(rounds):
            for name, measure in self.measures.items():
                if name in found:
                    try:
                        found[name].append(measure.run())
                    except Missing as error:
                        del found[name]
                        self.missing[name] = str(error)
                        say(f"MISSING from round {number + 1} on: {name}: {error}")
                done += 1
                left = (time.perf_counter() - began) / done * (total - done)
                bar = "#" * (20 * done // total)
                figure = f"{found[name][-1]['cpu']:>13,.0f}/s" if name in found else "-"
                say(f"[{bar:<20}] round {number + 1}/{rounds}  {name:<22} {figure}  {left:4.0f} s left")
        return found

    def close(self) -> None:
        """End the processes."""
        for worker in self.workers.values():
            worker.close()


# -- figures ---------------------------------------------------------------------------------------------------------


def spread(values: Sequence[float]) -> dict[str, float]:
    """Median, least and greatest."""
    return {"median": statistics.median(values), "least": min(values), "greatest": max(values)}


def ratio(found: dict[str, list[dict[str, float]]], name: str, other: str) -> dict[str, float] | None:
    """Return how many times faster `name` is than `other`, round by round."""
    if name not in found or other not in found:
        return None
    return spread([a["cpu"] / b["cpu"] for a, b in zip(found[name], found[other], strict=False)])


def verdicts(found: dict[str, list[dict[str, float]]]) -> list[dict[str, Any]]:
    """Each target with its figure, and whether it is met; None where something is missing."""
    result: list[dict[str, Any]] = []
    for name, other, target, words in TARGETS:
        if other:
            figure = ratio(found, name, other)
        else:
            figure = spread([it["cpu"] for it in found[name]]) if name in found else None
        met = None if figure is None else figure["median"] >= target
        result.append({"measure": name, "to": other or None, "target": words, "figure": figure, "met": met})
    return result


def compare(ratios: dict[str, Any], before: dict[str, Any]) -> list[str]:
    """Ratios that have changed by more than noise, in words.

    Noise is what the rounds of either run differ by. So a change is one whose ranges, least to greatest, do not meet,
    and of 15% or more.
    """
    lines: list[str] = []
    for name, new in ratios.items():
        old = before.get(name)
        if old is None:
            continue
        change = new["median"] / old["median"] - 1
        apart = new["least"] > old["greatest"] or new["greatest"] < old["least"]
        if apart and abs(change) >= LARGE_CHANGE:
            word = "faster" if change > 0 else "SLOWER"
            lines.append(f"{word}: {name} is {times(new['median'])}, was {times(old['median'])} ({change:+.0%})")
    return lines


def committed(path: Path | None) -> dict[str, Any] | None:
    """The figures to compare with: those of a file, or of the last commit; None where there are none."""
    try:
        if path is not None:
            return json.loads(path.read_text(encoding="utf-8"))
        text = output_of("git", "show", f"HEAD:{COMMITTED}")
        return None if text is None else json.loads(text)
    except (OSError, ValueError):
        return None


def regression(report: dict[str, Any], before: dict[str, Any] | None) -> list[str]:
    """Return the result of the check: a line about the whole, and one for each change."""
    if before is None:
        return ["regression check: there are no committed figures to compare with"]
    both = [name for name in report["ratios"] if name in before.get("ratios", {})]
    lines = compare(report["ratios"], before.get("ratios", {}))
    on = before.get("machine", {})
    head = f"regression check: {len(both)} ratios against those of {on.get('date')}, commit {on.get('commit')}: "
    worse = sum(line.startswith("SLOWER") for line in lines)
    if not both:
        return [head + "nothing to compare"]
    if not lines:
        return [head + "no change beyond noise"]
    return [head + f"{worse} slower, {len(lines) - worse} faster, beyond noise", *lines]


# -- what is written -------------------------------------------------------------------------------------------------


def times(value: float) -> str:
    """A ratio, to be read."""
    text = f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2g}"
    return f"{text} times"


def rate(value: float) -> str:
    """Decisions a second, in three digits."""
    places = 2 - math.floor(math.log10(value)) if value > 0 else 0
    rounded, digits = round(value, places), max(0, places)
    return f"{rounded:,.{digits}f}"


def measured(verdict: dict[str, Any]) -> str:
    """A target's figure, to be read."""
    figure = verdict["figure"]
    if figure is None:
        return "not measured"
    show = times if verdict["to"] else rate
    return f"{show(figure['median'])} ({show(figure['least'])} - {show(figure['greatest'])})"


def page(report: dict[str, Any]) -> Iterator[str]:
    """The report as Markdown, line by line."""
    on, measures = report["machine"], report["measures"]
    yield "<!-- Written by experiments/bench_peers.py; do not edit. -->"
    yield "# Beside other libraries"
    yield ""
    yield f"{told(on)} {load_told(on)}"
    yield ""
    yield (
        f"{report['rounds']} rounds of all measures in turn, {report['seconds']:g} s each; medians, with the least and "
        "the greatest round. Decisions a second of CPU time, all processes on one core. A ratio is the median of each "
        "round's ratio."
    )
    yield from warned(on)
    for name, reason in report["missing"].items():
        yield ""
        yield f"**Missing: {MEASURES[name][1] if name in MEASURES else name}** ({reason})."
    yield ""
    yield "![Decisions a second](peers.svg)" if report["chart"] else "No chart: matplotlib is not installed."
    yield ""
    yield "## What must be reached"
    yield ""
    yield "| the batch of 1,024, with mask, observation and random policy | measured | |"
    yield "|---|---|---|"
    for verdict in report["targets"]:
        answer = {True: "met", False: "**missed**", None: "-"}[verdict["met"]]
        yield f"| {verdict['target']} | {measured(verdict)} | {answer} |"
    gentle = [(name, report["ratios"].get(f"batch/{name}")) for name in ("backgammon_quick", "pgx_backgammon_bare")]
    if any(found for _, found in gentle):
        yield ""
        yield "Measured in the way that is kindest to the peer, the same ratios are: {}.".format(
            "; ".join(f"{MEASURES[name][1]}: {times(found['median'])}" for name, found in gentle if found)
        )
    yield ""
    yield "## All figures"
    yield ""
    yield "| | decisions/s | least - greatest | our batch is | most alike of ours |"
    yield "|---|---:|---|---:|---|"
    for name, it in measures.items():
        if name not in MEASURES:
            continue
        batch = report["ratios"].get(f"batch/{name}")
        like = LIKE[name]
        beside = report["ratios"].get(f"{like}/{name}")
        words = f"{like}: {times(beside['median'])}" if beside and like not in ("batch", "yardstick") else ""
        yield (
            f"| {MEASURES[name][1]} | {rate(it['median'])} | {rate(it['least'])} - {rate(it['greatest'])} "
            f"| {times(batch['median']) if batch else '-'} | {words} |"
        )
    yield ""
    yield (
        "Games differ, and so does what a decision is: these are ratios of what a learner waits for, not of anybody's "
        "skill. Ratios below 1: our batch is slower. A decision is a player's choice; dice are none. Observations of "
        "hawaii1795 have {} values, its masks {}. OpenSpiel's mask and observation are its `legal_actions_mask()` and "
        "`observation_tensor()`, made into NumPy arrays, with the choice made from the mask; the rows below them make "
        "the mask from the list of legal actions, which is faster and what we would advise. Pgx plays, resets and "
        "chooses inside one compiled loop "
        "in one thread; the row without auto-reset plays 64 steps from the first position, again and again.".format(
            *report["sizes"]
        )
    )
    if report["parts"]:
        yield ""
        yield "## Where a step of the batch spends its time"
        yield ""
        yield "| 1,024 lanes | µs a decision |"
        yield "|---|---:|"
        for name, value in report["parts"].items():
            yield f"| {name} | {value:.3f} |"
    if report["scaling"]:
        yield ""
        yield "## BatchBackend and threads"
        yield ""
        yield (
            "Two threads are measured by the clock, since CPU time says nothing about them: on a busy machine their "
            "figures are too low, and the best round is nearest to the truth. KB a game: what the process grew by, all "
            "arrays included."
        )
        yield ""
        yield "| lanes | 1 thread, CPU time | by the clock, best | 2 threads, by the clock, best | KB a game |"
        yield "|---:|---:|---:|---:|---:|"
        for it in report["scaling"]:
            two = rate(it["wall_2"]["greatest"]) if it["wall_2"] else "-"
            memory = f"{it['memory'] / 1024:.1f}" if it["memory"] and it["lanes"] >= 256 else "-"
            yield (
                f"| {it['lanes']:,} | {rate(it['cpu_1']['median'])} | {rate(it['wall_1']['greatest'])} | {two} | "
                f"{memory} |"
            )
    yield ""
    yield "## To measure it again"
    yield ""
    yield "```sh"
    yield (
        "python3 -m venv .venv-peers && .venv-peers/bin/pip install open_spiel pettingzoo chess pygame rlcard "
        "catanatron"
    )
    yield "python3 -m venv .venv-pgx   && .venv-pgx/bin/pip install pgx jax"
    yield "python experiments/bench_peers.py"
    yield "```"
    yield ""
    yield (
        "`--python-peer NAME=PATH` names another Python for one of "
        f"{', '.join(PEERS)}. Ratios are compared with the last commit's; what differs by more than noise is "
        "named, and nothing fails."
    )
    yield ""
    yield (
        "Versions: "
        + "; ".join(
            f"{group}: " + ", ".join(f"{package} {version}" for package, version in found.items())
            for group, found in report["versions"].items()
        )
        + "."
    )


RELEVANT = {
    OURS: ("numpy", "numba"),
    "openspiel": ("open-spiel",),
    "pgx": ("pgx", "jax", "jaxlib"),
    "pettingzoo": ("pettingzoo", "chess", "rlcard"),
    "rlcard": ("rlcard",),
    "catanatron": ("catanatron",),
}


def chart(report: dict[str, Any], out: Path) -> bool:
    """Draw the decisions a second and the scaling curves; False where matplotlib is not installed."""
    try:
        matplotlib: Any = importlib.import_module("matplotlib")
    except ImportError:
        return False
    matplotlib.use("Agg")
    matplotlib.rcParams |= {"svg.hashsalt": "hawaii_env", "svg.fonttype": "none"}
    pyplot = importlib.import_module("matplotlib.pyplot")
    measures = report["measures"]
    shown = sorted((n for n in measures if n in MEASURES and n != "yardstick"), key=lambda n: measures[n]["median"])
    wide = bool(report["scaling"])
    figure, panels = pyplot.subplots(
        1,
        2 if wide else 1,
        figsize=(14 if wide else 9, 0.3 * len(shown) + 1.5),
        layout="constrained",
        squeeze=False,
        width_ratios=[3, 2] if wide else [1],
    )
    axes = panels[0, 0]
    values = [measures[name]["median"] for name in shown]
    errors = [
        [measures[name]["median"] - measures[name]["least"] for name in shown],
        [measures[name]["greatest"] - measures[name]["median"] for name in shown],
    ]
    colours = ["#1f6f8b" if MEASURES[name][0] == OURS else "#b0b7c0" for name in shown]
    axes.barh([MEASURES[name][1] for name in shown], values, color=colours, xerr=errors, ecolor="#444444", capsize=2)
    for at, name in enumerate(shown):
        axes.text(measures[name]["greatest"] * 1.15, at, rate(measures[name]["median"]), va="center", fontsize=8)
    axes.set_xscale("log")
    axes.tick_params(axis="y", labelsize=8)
    axes.set_xlabel("decisions a second of CPU time, one core (logarithmic)")
    if values:
        axes.set_xlim(min(values) / 3, max(values) * 12)
    axes.spines[["top", "right"]].set_visible(False)
    if wide:
        axes = panels[0, 1]
        curves = (
            ("1 thread, CPU time", "cpu_1", "median", "o-"),
            ("1 thread, by the clock, best", "wall_1", "greatest", "^:"),
            ("2 threads, by the clock, best", "wall_2", "greatest", "s--"),
        )
        for label, key, which, style in curves:
            points = [(it["lanes"], it[key][which]) for it in report["scaling"] if it[key]]
            axes.plot([x for x, _ in points], [y for _, y in points], style, label=label)
        axes.set_xscale("log", base=2)
        axes.set_ylim(bottom=0)
        axes.ticklabel_format(axis="y", style="sci", scilimits=(6, 6))
        axes.set_xlabel("lanes of the batch")
        axes.set_ylabel("decisions a second")
        axes.legend(frameon=False)
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(out / "peers.svg", metadata={"Date": None})
    pyplot.close(figure)
    return True


def summary(bench: Bench, found: dict[str, list[dict[str, float]]]) -> dict[str, Any]:
    """Medians, ratios, scaling and parts."""
    ratios: dict[str, Any] = {}
    for name in found:
        if name in MEASURES:
            for other in {"batch", LIKE[name]} - {name}:
                compared = ratio(found, other, name)
                if compared is not None:
                    ratios[f"{other}/{name}"] = compared
    ratios = dict(sorted(ratios.items()))
    scaling: list[dict[str, Any]] = []
    for name in found:
        if name.startswith("lanes_") and name.endswith("_1"):
            lanes = int(name.split("_")[1])
            two = found.get(f"lanes_{lanes}_threads_2")
            scaling.append(
                {
                    "lanes": lanes,
                    "cpu_1": spread([it["cpu"] for it in found[name]]),
                    "wall_1": spread([it["wall"] for it in found[name]]),
                    "wall_2": spread([it["wall"] for it in two]) if two else None,
                    "memory": bench.measures[name].memory,
                }
            )
    parts = {
        words: statistics.median(1e6 / it["cpu"] for it in found[name])
        for name, words in PARTS.items()
        if name in found
    }
    if parts and "batch" in found:
        parts["the whole step, with `info`"] = statistics.median(1e6 / it["cpu"] for it in found["batch"])
    return {
        "versions": {
            group: {package: version for package, version in versions.items() if package in RELEVANT[group]}
            for group, versions in bench.versions.items()
        },
        "missing": bench.missing,
        "targets": verdicts(found),
        "measures": {
            name: {"what": MEASURES[name][1] if name in MEASURES else PARTS.get(name, name)}
            | spread([it["cpu"] for it in rounds])
            for name, rounds in found.items()
        },
        "ratios": ratios,
        "scaling": scaling,
        "parts": parts,
        "figures": found,
    }


def sizes() -> list[int]:
    """Values in an observation and in a mask of ours."""
    from hawaii_env.hawaii1795 import Game

    game = Game()
    return [len(game.observation_low), game.num_actions]


def options_of(arguments: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds, short scaling curves")
    parser.add_argument("--rounds", type=int, help="rounds (default: 7, quick: 3)")
    parser.add_argument("--seconds", type=float, help="CPU seconds a measure and round (default: 0.5, quick: 0.1)")
    parser.add_argument("--only", default="", metavar="NAMES", help="measures to make, and 'scaling', 'parts'")
    parser.add_argument("--python-peer", action="append", default=[], metavar="NAME=PATH", help="Python of a peer")
    parser.add_argument("--against", type=Path, help="figures to compare with (default: those of the last commit)")
    parser.add_argument("--out", type=Path, help="folder to write to (default: docs/benchmarks, quick: runs/bench)")
    options = parser.parse_args(arguments)
    options.rounds = (3 if options.quick else 7) if options.rounds is None else options.rounds
    options.seconds = (0.1 if options.quick else 0.5) if options.seconds is None else options.seconds
    if options.rounds < 1 or not options.seconds > 0:
        parser.error("--rounds is 1 or more, --seconds more than 0")
    options.only = [name for name in options.only.split(",") if name]
    unknown = set(options.only) - set(MEASURES) - {"scaling", "parts"}
    if unknown:
        parser.error(
            f"--only: there is no {', '.join(sorted(unknown))}; there are {', '.join(MEASURES)}, scaling, parts"
        )
    options.pythons = {}
    for text in options.python_peer:
        name, equals, path = text.partition("=")
        if name not in PEERS or not equals or not path:
            parser.error(f"--python-peer NAME=PATH, with a name of {', '.join(PEERS)}; not {text!r}")
        options.pythons[name] = path
    return options


def compile_all() -> None:
    """Compile what is to be measured; in interpreted mode there is nothing to measure."""
    from hawaii_env.errors import OptionError
    from hawaii_env.hawaii1795 import Game
    from hawaii_env.warm import require_compiled

    try:
        require_compiled(Game())
    except OptionError as error:
        sys.exit(f"bench_peers.py: {error}")


def main(arguments: list[str] | None = None) -> int:
    """Measure and write; the exit status is 0 also where a target is missed or something has become slower."""
    options = options_of(arguments)
    wanted = options.only or [*MEASURES, "scaling", "parts"]
    names = [name for name in MEASURES if name in wanted] + [name for name in PARTS if "parts" in wanted]
    lanes = (QUICK_LANES if options.quick else LANES) if "scaling" in wanted else ()
    out = options.out or (QUICK_OUT if options.quick else OUT)
    before = committed(options.against)
    compile_all()
    report: dict[str, Any] = {
        "machine": machine(),
        "rounds": options.rounds,
        "seconds": options.seconds,
        "sizes": sizes(),
    }
    core = cores()[-1] if hasattr(os, "sched_setaffinity") else None
    bench = Bench(names, lanes, options.pythons, core, options.seconds)
    try:
        found = bench.run(options.rounds)
    finally:
        bench.close()
    report |= summary(bench, found)
    out.mkdir(parents=True, exist_ok=True)
    report["chart"] = chart(report, out)
    (out / "peers.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    (out / "peers.md").write_text("\n".join(page(report)) + "\n", encoding="utf-8")
    for verdict in report["targets"]:
        answer = {True: "met", False: "MISSED", None: "-"}[verdict["met"]]
        print(f"{answer:<7} target: {verdict['target']}: {measured(verdict)}")
    for name, reason in report["missing"].items():
        print(f"missing: {name}: {reason}")
    for line in regression(report, before):
        print(line)
    print(f"written: {out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
