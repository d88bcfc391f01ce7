"""Reports of the benchmarks: medians and ratios of all rounds, targets, a page and a chart."""

from __future__ import annotations

import importlib
import importlib.metadata
import statistics
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from machine import load_told, machine, told, warned

Figures = dict[str, list[float | None]]
"""A figure a round for each measure; None where it sat a round out."""

PEERS = ("chess_v6", "connect_four_v3", "leduc_holdem_v4")

TARGETS: tuple[tuple[str, str, str, float, str], ...] = (
    # measure, what is compared: its figure or its ratio to another measure, at least or at most, target, in words
    ("playout", "", ">=", 2e6, "2 million decisions a second"),
    ("playout_plain", "", ">=", 50e3, "50,000 decisions a second"),
    ("aec", "chess_v6", ">=", 100, "100 times chess_v6"),
    ("aec", "connect_four_v3", ">=", 5, "5 times connect_four_v3"),
    ("clone", "", "<=", 1.0, "under 1 microsecond"),
    ("frame", "", "<=", 20.0, "under 20 ms"),
    ("frame", "frame_whole", "<=", 0.2, "a fifth of the SVG rasterised whole"),
    ("wide", "", "<=", 20.0, "under 20 ms"),
    ("warm_start", "", "<=", 2.0, "under 2 s"),
    ("cold_compile", "", "<=", 90.0, "under 90 s"),
    ("aec_cold_compile", "", "<=", 30.0, "under 30 s"),
    ("aloha_playout", "", ">=", 2e6, "2 million decisions a second"),
    ("aloha_batch", "", ">=", 1e6, "1 million decisions a second"),
    ("aloha_cold_compile", "", "<=", 19.0, "under 19 s"),
    ("heiau_batch", "", ">=", 200e3, "200,000 decisions a second"),
    ("heiau_phase", "", "<=", 10.0, "under 10 microseconds"),
    ("heiau_cold_compile", "", "<=", 45.0, "under 45 s"),
)

NAMES = {
    "yardstick": "Tic-tac-toe in plain Python, random playout (the yardstick)",
    "playout": "In-engine random playout, compiled",
    "playout_plain": "In-engine random playout, interpreted mode",
    "aec": "hawaii1795_v1.env(), AEC loop with observation and mask",
    "batch": "A batch of 1,024 lanes, random players, float32 observations",
    "chess_v6": "chess_v6.env(), the same loop",
    "connect_four_v3": "connect_four_v3.env(), the same loop",
    "leduc_holdem_v4": "leduc_holdem_v4.env(), the same loop",
    "clone": "State.clone()",
    "copy_array": "A bare copy of a NumPy array of that size",
    "frame": "A frame of `rgb_array`, 1000 pixels wide, with the step before it",
    "frame_whole": "The same game's frames, each SVG rasterised whole",
    "wide": "A step of 1,024 lanes of a game in Python with 20,011 actions, `RandomAgent` choosing",
    "warm_start": "Import and first step, warm cache",
    "warm_start_peer": "Import and first step of connect_four_v3",
    "import_numpy": "Import of NumPy alone",
    "cold_compile": "`hawaii warm --game hawaii1795` into an empty cache: every entry point, those of agents too",
    "aec_cold_compile": "The first step of an AEC environment, compiled, from an empty cache",
    "cold_start": "Import and first step, empty cache",
    "aloha_playout": "ALOHA, two players: `playouts()`, compiled",
    "aloha_batch": "ALOHA, two players: a batch of 1,024, `sample_actions()` and `step()`, with mask and observation",
    "aloha_cold_compile": "`hawaii warm --game aloha` into an empty cache",
    "heiau_batch": "Heiau Diplomacy, race: a batch of 256 lanes with observation and mask, random legal actions",
    "heiau_phase": "Heiau Diplomacy: a movement phase of 12 units, adjudicated",
    "heiau_phase_python": "The same from and to Python's units and orders",
    "heiau_greedy": "Heiau Diplomacy, race: `heiau-greedy` against itself, search copies included",
    "heiau_best": "The same of `heiau-best-response`",
    "heiau_ppo": "The same of `ppo`",
    "heiau_cold_compile": "`hawaii warm --game heiau` into an empty cache",
}
UNITS = {
    "clone": "us",
    "copy_array": "us",
    "frame": "ms",
    "frame_whole": "ms",
    "wide": "ms",
    "warm_start": "s",
    "warm_start_peer": "s",
    "import_numpy": "s",
    "cold_compile": "s",
    "aec_cold_compile": "s",
    "cold_start": "s",
    "aloha_cold_compile": "s",
    "heiau_phase": "us",
    "heiau_phase_python": "us",
    "heiau_cold_compile": "s",
}
"""Decisions a second where nothing stands here."""

REFERENCES = {
    "playout": "yardstick",
    "playout_plain": "yardstick",
    "aec": "connect_four_v3",
    "chess_v6": "connect_four_v3",
    "leduc_holdem_v4": "connect_four_v3",
    "clone": "copy_array",
    "frame": "frame_whole",
    "warm_start": "warm_start_peer",
    "warm_start_peer": "import_numpy",
    "cold_compile": "warm_start",
    "aec_cold_compile": "cold_compile",
    "cold_start": "warm_start",
    "aloha_playout": "playout",
    "aloha_batch": "aloha_playout",
    "aloha_cold_compile": "cold_compile",
    "heiau_batch": "yardstick",
    "heiau_phase": "copy_array",
    "heiau_phase_python": "heiau_phase",
    "heiau_cold_compile": "cold_compile",
}
"""What each figure is compared with; the yardstick where that is missing."""


def ratio(found: Figures, name: str, other: str) -> dict[str, Any] | None:
    """The ratio of two measures, round by round: median, least, greatest."""
    pairs = zip(found.get(name, []), found.get(other, []), strict=False)
    ratios = [a / b for a, b in pairs if a is not None and b]
    if not ratios:
        return None
    return {"to": other, "median": statistics.median(ratios), "least": min(ratios), "greatest": max(ratios)}


def summary(found: Figures) -> dict[str, dict[str, Any]]:
    """Medians, spreads and ratios of all measures."""
    result: dict[str, dict[str, Any]] = {}
    for name, figures in found.items():
        there = [figure for figure in figures if figure is not None]
        others = [
            other for other in (REFERENCES.get(name), "yardstick", "import_numpy") if other in found and other != name
        ]
        other = next((o for o in others if o and (UNITS.get(o) == UNITS.get(name))), None)
        result[name] = {
            "what": NAMES[name],
            "unit": UNITS.get(name, "decisions/s"),
            "median": statistics.median(there),
            "least": min(there),
            "greatest": max(there),
            "rounds": len(there),
            "ratio": ratio(found, name, other) if other else None,
        }
    return result


def verdicts(found: Figures, measures: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Each target with its figure, and whether it is met; None where something is missing."""
    result: list[dict[str, Any]] = []
    for name, other, direction, target, words in TARGETS:
        if other:
            compared = ratio(found, name, other)
            figure = None if compared is None else compared["median"]
        else:
            figure = measures[name]["median"] if name in measures else None
        met = None if figure is None else figure >= target if direction == ">=" else figure <= target
        result.append({"measure": name, "to": other or None, "target": words, "figure": figure, "met": met})
    return result


def measured_on() -> dict[str, Any]:
    """Return what the figures were measured on."""
    versions: dict[str, str] = {}
    for package in ("hawaii-env", "numpy", "numba", "gymnasium", "pettingzoo", "chess", "rlcard"):
        with suppress(importlib.metadata.PackageNotFoundError):
            versions[package] = importlib.metadata.version(package)
    from hawaii_env import __version__

    versions.setdefault("hawaii-env", __version__)
    return machine(versions=versions)


def show(figure: float, name: str) -> str:
    """A figure with its unit."""
    unit = UNITS.get(name, "/s")
    if unit == "us":
        return f"{figure:.3f} us"
    if unit == "ms":
        return f"{figure:.2f} ms"
    return f"{figure:.2f} s" if unit == "s" else f"{figure:,.0f}/s"


def times(value: float) -> str:
    """A ratio in a few digits."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _goes(report: dict[str, Any]) -> str:
    return "" if report["goes"] == 1 else f"Measured in {report['goes']} goes. "


def page(report: dict[str, Any]) -> Iterator[str]:
    """The report as Markdown, line by line."""
    on = report["machine"]
    yield "<!-- Written by experiments/bench.py; do not edit. -->"
    yield "# Benchmarks"
    yield ""
    versions = ", ".join(f"{package} {version}" for package, version in on["versions"].items())
    yield told(on, f", {versions}")
    yield (
        f"{report['rounds']} rounds, {report['seconds']:g} s of CPU time a measure and round, all measures in turn; "
        f"medians, with the least and the greatest round. {load_told(on)} {_goes(report)}Ratios are medians of the "
        "ratios of each round. One core, one thread."
    )
    yield from warned(on)
    for name, reason in report["missing"].items():
        yield ""
        extra = "hawaii-env[render]" if name.startswith("frame") else "pettingzoo[classic]"
        yield f"**Missing: {name} ({reason}).** Install `{extra}` to have it measured."
    yield ""
    yield "`make bench` writes this page, `bench.json` with every round, and the chart."
    yield ""
    yield (
        "![Decisions a second](chart.png)"
        if report["chart"]
        else "No chart: matplotlib is not installed, or nothing was measured that it shows."
    )
    yield ""
    yield "## What must be reached"
    yield ""
    yield "| | target | measured | |"
    yield "|---|---|---|---|"
    for verdict in report["targets"]:
        name, figure = verdict["measure"], verdict["figure"]
        measured = (
            "not measured" if figure is None else f"{times(figure)} times" if verdict["to"] else show(figure, name)
        )
        answer = {True: "met", False: "**missed**", None: "-"}[verdict["met"]]
        yield f"| {NAMES[name]} | {verdict['target']} | {measured} | {answer} |"
    yield ""
    yield "## All figures"
    yield ""
    yield "| | median | least - greatest | ratio | to |"
    yield "|---|---|---|---|---|"
    for name, it in report["measures"].items():
        spread = f"{show(it['least'], name)} - {show(it['greatest'], name)}"
        compared = it["ratio"]
        beside = f"{times(compared['median'])} | {NAMES[compared['to']]}" if compared else "1 | -"
        yield f"| {it['what']} | {show(it['median'], name)} | {spread} | {beside} |"
    yield ""
    yield (
        "The AEC loops are PettingZoo's own (`agent_iter`, `last`, `step`), with one chooser for all: a random legal "
        "action by `mask.nonzero()`. The long scenario is played, whole games from reset to the last `step(None)`. "
        "Playouts are whole games, too, from a copied first position. Frames are of random games, shown after each "
        "decision. A process's time is the CPU time of the whole process, with Python's start."
    )


def chart(report: dict[str, Any], path: Path) -> bool:
    """Draw the decisions a second; False where there are none, or matplotlib is not installed."""
    try:
        matplotlib = importlib.import_module("matplotlib")
    except ImportError:
        return False
    matplotlib.use("Agg")
    pyplot = importlib.import_module("matplotlib.pyplot")
    labels = {
        "playout": "hawaii1795, in-engine playout",
        "aec": "hawaii1795_v1, AEC loop",
        "playout_plain": "hawaii1795, in-engine, interpreted mode",
        "connect_four_v3": "connect_four_v3, AEC loop",
        "leduc_holdem_v4": "leduc_holdem_v4, AEC loop",
        "chess_v6": "chess_v6, AEC loop",
    }
    measures = report["measures"]
    shown = sorted((name for name in labels if name in measures), key=lambda name: measures[name]["median"])
    if not shown:
        return False
    figure, axes = pyplot.subplots(figsize=(8, 0.5 * len(shown) + 1.2), layout="constrained")
    values = [measures[name]["median"] for name in shown]
    spread = [
        [measures[name]["median"] - measures[name]["least"] for name in shown],
        [measures[name]["greatest"] - measures[name]["median"] for name in shown],
    ]
    colours = ["#b0b7c0" if name in PEERS else "#1f6f8b" for name in shown]
    axes.barh([labels[name] for name in shown], values, color=colours, xerr=spread, ecolor="#444444", capsize=2)
    for at, name in enumerate(shown):
        axes.text(measures[name]["greatest"] * 1.15, at, show(measures[name]["median"], name), va="center", fontsize=9)
    axes.set_xscale("log")
    axes.set_xlim(min(values) / 3, max(values) * 12)
    axes.set_xlabel("decisions a second of CPU time, one core (logarithmic)")
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=130)
    pyplot.close(figure)
    return True
