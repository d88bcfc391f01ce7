"""Reports of the benchmarks: medians and ratios of all rounds, targets, a page and a chart."""

from __future__ import annotations

import importlib
import math
import statistics
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from machine import load_sentence, machine_sentence, warned

from hawaii_agents.training.logs import figure
from hawaii_agents.training.runs import table

OURS, INTERPRETED, ADJUDICATION = "ours", "interpreted", "adjudication"
PEERS = ("openspiel", "pgx", "pettingzoo", "rlcard", "catanatron", ADJUDICATION)


class Measure(NamedTuple):
    """A measure.

    Attributes:
        group: whose it is: OURS, INTERPRETED (ours without compiling), or one of PEERS.
        words: what it is.
        like: what it is compared with: something of ours that is most like it, or, for ours, a reference.
        unit: of its figure, a time for each of what is counted; empty: decisions a second.
    """

    group: str
    words: str
    like: str
    unit: str = ""


SCALE = {"us": 1e6, "ms": 1e3, "s": 1.0}

MEASURES: dict[str, Measure] = {
    "yardstick": Measure(OURS, "Tic-tac-toe in plain Python, random playout (the yardstick)", "yardstick"),
    "batch": Measure(OURS, "hawaii1795, batch of 1,024: mask, observation, random policy", "yardstick"),
    "batch_raw": Measure(OURS, "hawaii1795, batch of 1,024 with int8 observations", "batch"),
    "playout": Measure(OURS, "hawaii1795, playouts in compiled code", "yardstick"),
    "playout_plain": Measure(INTERPRETED, "hawaii1795, playouts in interpreted mode", "yardstick"),
    "state_play": Measure(OURS, "hawaii1795, one State from Python: play only", "yardstick"),
    "state_mask": Measure(OURS, "hawaii1795, one State from Python: with mask", "state_play"),
    "state_full": Measure(OURS, "hawaii1795, one State from Python: with mask and observation", "state_play"),
    "aec": Measure(OURS, "hawaii1795_v1, AEC loop with observation and mask", "state_full"),
    "clone": Measure(OURS, "hawaii1795, State.clone()", "copy_array", "us"),
    "copy_array": Measure(OURS, "A bare copy of a NumPy array of that size", "copy_array", "us"),
    "frame": Measure(OURS, "A frame of `rgb_array`, 1000 pixels wide, with the step before it", "frame_whole", "ms"),
    "frame_whole": Measure(OURS, "The same game's frames, each SVG rasterised whole", "frame", "ms"),
    "wide": Measure(
        OURS, "A step of 1,024 environments of a game in Python with 20,011 actions, `RandomAgent`", "frame", "ms"
    ),
    "aloha_playout": Measure(OURS, "ALOHA, two players: playouts in compiled code", "playout"),
    "aloha_batch": Measure(OURS, "ALOHA, two players: batch of 1,024", "batch"),
    "aloha_aec": Measure(OURS, "aloha_v0, AEC loop", "aec"),
    "heiau_batch": Measure(OURS, "Heiau Diplomacy, race: batch of 256", "batch"),
    "heiau_aec": Measure(OURS, "heiau_v0, AEC loop", "aec"),
    "heiau_greedy": Measure(OURS, "Heiau Diplomacy, race: `heiau-greedy` against itself", "yardstick"),
    "heiau_best": Measure(OURS, "Heiau Diplomacy, race: `heiau-best-response` against itself", "heiau_greedy"),
    "heiau_ppo": Measure(OURS, "Heiau Diplomacy, race: `ppo` against itself", "heiau_greedy"),
    "maori_batch": Measure(OURS, "Maori Wars, taranaki: batch of 1,024", "backgammon_full"),
    "maori_playout": Measure(OURS, "Maori Wars, taranaki: playouts in compiled code", "playout"),
    "maori_campaign_batch": Measure(OURS, "Maori Wars, campaign: batch of 1,024", "backgammon_full"),
    "maori_campaign_playout": Measure(OURS, "Maori Wars, campaign: playouts in compiled code", "playout"),
    "maori_aec": Measure(OURS, "maori_wars_v0, AEC loop", "aec"),
    "import_numpy": Measure(OURS, "Import of NumPy alone", "import_numpy", "s"),
    "warm_start": Measure(OURS, "Import and first step, warm cache", "warm_start_peer", "s"),
    "warm_start_peer": Measure("pettingzoo", "Import and first step of connect_four_v3", "warm_start", "s"),
    "cold_start": Measure(OURS, "Import and first step, empty cache, in interpreted mode", "warm_start", "s"),
    "aec_cold_compile": Measure(
        OURS, "The first step of an AEC environment, compiled, from an empty cache", "warm_start", "s"
    ),
    "cold_compile": Measure(
        OURS, "`hawaii warm --game hawaii1795` into an empty cache: every entry point, those of agents too",
        "aec_cold_compile", "s",
    ),
    "aloha_cold_compile": Measure(OURS, "`hawaii warm --game aloha` into an empty cache", "cold_compile", "s"),
    "heiau_cold_compile": Measure(OURS, "`hawaii warm --game heiau` into an empty cache", "cold_compile", "s"),
    "maori_cold_compile": Measure(OURS, "`hawaii warm --game maori_wars` into an empty cache", "cold_compile", "s"),
    "backgammon_play": Measure("openspiel", "OpenSpiel backgammon: play only", "state_play"),
    "backgammon_mask": Measure("openspiel", "OpenSpiel backgammon: with mask", "state_mask"),
    "backgammon_full": Measure("openspiel", "OpenSpiel backgammon: with mask and observation", "state_full"),
    "backgammon_quick": Measure(
        "openspiel", "OpenSpiel backgammon: with both, mask made from legal_actions()", "state_full"
    ),
    "chess_play": Measure("openspiel", "OpenSpiel chess: play only", "state_play"),
    "chess_mask": Measure("openspiel", "OpenSpiel chess: with mask", "state_mask"),
    "chess_full": Measure("openspiel", "OpenSpiel chess: with mask and observation", "state_full"),
    "chess_quick": Measure("openspiel", "OpenSpiel chess: with both, mask made from legal_actions()", "state_full"),
    "pgx_backgammon": Measure("pgx", "Pgx backgammon, batch of 1,024, in jit on the CPU", "batch"),
    "pgx_backgammon_bare": Measure("pgx", "Pgx backgammon, batch of 1,024, in jit, without auto-reset", "batch"),
    "chess_v6": Measure("pettingzoo", "PettingZoo chess_v6, AEC loop", "aec"),
    "connect_four_v3": Measure("pettingzoo", "PettingZoo connect_four_v3, AEC loop", "aec"),
    "leduc_holdem_v4": Measure("pettingzoo", "PettingZoo leduc_holdem_v4, AEC loop", "aec"),
    "rlcard_leduc": Measure("rlcard", "RLCard leduc hold'em", "state_full"),
    "rlcard_uno": Measure("rlcard", "RLCard uno", "state_full"),
    "rlcard_gin": Measure("rlcard", "RLCard gin rummy", "state_full"),
    "catanatron": Measure("catanatron", "catanatron, rules alone, without observation", "state_play"),
    "adjudicate_arrays": Measure(ADJUDICATION, "A movement phase from arrays: `adjudicate_many`", "copy_array", "us"),
    "adjudicate_mappings": Measure(
        ADJUDICATION, "A movement phase from mappings: `adjudicate`", "adjudicate_arrays", "us"
    ),
    "adjudicate_texts": Measure(
        ADJUDICATION, "A movement phase from texts, parsed and checked", "adjudicate_arrays", "us"
    ),
    "pydip_ready": Measure(ADJUDICATION, "pydip: `resolve_turn`", "adjudicate_arrays", "us"),
    "pydip_texts": Measure(ADJUDICATION, "pydip: commands made, and `resolve_turn`", "adjudicate_texts", "us"),
    "diplomacy_moves": Measure(ADJUDICATION, "diplomacy: `_resolve_moves`", "adjudicate_arrays", "us"),
    "diplomacy_process": Measure(ADJUDICATION, "diplomacy: `process`", "adjudicate_arrays", "us"),
    "diplomacy_texts": Measure(ADJUDICATION, "diplomacy: `set_orders` and `process`", "adjudicate_texts", "us"),
}  # fmt: skip
PARTS = {
    "part_sample": "`sample_actions()`: a random legal action of each environment",
    "part_check": "the check that all actions are legal",
    "part_run": "`run()` with the random choice: rules, observation, mask",
    "part_look": "`run()` without rules: every value of observation and mask is written",
    "batch": "the whole step, with `info`",
}

TARGETS: tuple[tuple[str, str, float, str], ...] = (
    # measure, what it is ratio as; without that decisions a second at least, or a time at most
    ("batch", "", 1e6, "1 million decisions a second"),
    ("batch", "backgammon_full", 55, "55 times OpenSpiel backgammon with mask and observation"),
    ("batch", "pgx_backgammon", 10, "10 times Pgx backgammon on the CPU"),
    ("aec", "chess_v6", 100, "100 times chess_v6"),
    ("aec", "connect_four_v3", 5, "5 times connect_four_v3"),
    ("playout", "", 2e6, "2 million decisions a second"),
    ("playout_plain", "", 50e3, "50,000 decisions a second"),
    ("clone", "", 1.0, "under 1 microsecond"),
    ("frame", "", 20.0, "under 20 ms"),
    ("frame", "frame_whole", 5, "5 times as fast as the SVG rasterised whole"),
    ("wide", "", 20.0, "under 20 ms"),
    ("warm_start", "", 2.0, "under 2 s"),
    ("aec_cold_compile", "", 30.0, "under 30 s"),
    ("cold_compile", "", 90.0, "under 90 s"),
    ("aloha_playout", "", 2e6, "2 million decisions a second"),
    ("aloha_batch", "", 1e6, "1 million decisions a second"),
    ("aloha_cold_compile", "", 19.0, "under 19 s"),
    ("heiau_batch", "", 200e3, "200,000 decisions a second"),
    ("adjudicate_arrays", "", 10.0, "under 10 microseconds"),
    ("adjudicate_arrays", "pydip_ready", 20, "20 times pydip"),
    ("adjudicate_arrays", "diplomacy_process", 100, "100 times diplomacy"),
    ("heiau_cold_compile", "", 45.0, "under 45 s"),
    ("maori_batch", "", 300e3, "300,000 decisions a second"),
    ("maori_playout", "", 1e6, "1 million decisions a second"),
    ("maori_campaign_batch", "", 30e3, "30,000 decisions a second"),
    ("maori_campaign_playout", "", 150e3, "150,000 decisions a second"),
    ("maori_cold_compile", "", 60.0, "under 60 s"),
)
LARGE_CHANGE = 0.15
"""Ratios that differ by less are never called a change."""

Round = dict[str, float]
Found = dict[str, list["Round | None"]]
"""A result a round for each measure: what it does in a second of CPU time and of the clock; None if it sat out."""


# ---- figures


def unit_of(name: str) -> str:
    """Return the unit of a measure's figure; empty for decisions a second."""
    return MEASURES[name].unit if name in MEASURES else ""


def spread(values: Sequence[float]) -> dict[str, float]:
    """Return median, least and greatest."""
    return {"median": statistics.median(values), "least": min(values), "greatest": max(values)}


def median_of(found: Found, name: str, clock: str = "cpu") -> dict[str, float] | None:
    """Return the figure of a measure over all rounds, in its unit; None if there is none."""
    rates = [it[clock] for it in found.get(name, ()) if it]
    unit = unit_of(name)
    return spread([SCALE[unit] / rate if unit else rate for rate in rates]) if rates else None


def ratio(found: Found, name: str, other: str) -> dict[str, float] | None:
    """Return how many times as fast a measure is as another, round by round; None if one of them is missing."""
    pairs = zip(found.get(name, ()), found.get(other, ()), strict=False)
    ratios = [a["cpu"] / b["cpu"] for a, b in pairs if a and b]
    return spread(ratios) if ratios else None


def is_ours(name: str) -> bool:
    """Return True for a measure of this library."""
    return MEASURES[name].group in (OURS, INTERPRETED) or name.startswith("adjudicate_")


def summary(found: Found, memory: dict[str, int]) -> dict[str, Any]:
    """Return figures, ratios, targets and scaling of the rounds so far.

    Args:
        found: the rounds.
        memory: bytes a game that was measured.
    """
    pairs: list[tuple[str, str]] = []
    for name in filter(MEASURES.__contains__, found):
        like = MEASURES[name].like
        pairs += [(name, like)] if is_ours(name) else [(like, name), ("batch", name)][: 1 if unit_of(name) else 2]
    targets = []
    for name, other, wanted, words in TARGETS:
        measured = ratio(found, name, other) if other else median_of(found, name)
        most = unit_of(name) and not other
        met = measured and (measured["median"] <= wanted if most else measured["median"] >= wanted)
        targets.append({"measure": name, "to": other, "target": words, "figure": measured, "met": met})
    return {
        "targets": targets,
        "measures": {name: measured for name in found if (measured := median_of(found, name))},
        "ratios": {f"{a}/{b}": measured for a, b in sorted(pairs) if a != b and (measured := ratio(found, a, b))},
        "scaling": [
            {
                "num_envs": n,
                "cpu_1": median_of(found, f"envs_{n}_threads_1"),
                "wall_1": median_of(found, f"envs_{n}_threads_1", "wall"),
                "wall_2": median_of(found, f"envs_{n}_threads_2", "wall"),
                "memory": memory[f"envs_{n}_threads_1"],
            }
            for n in sorted({int(name.split("_")[1]) for name in found if name.startswith("envs_")})
        ],
        "memory": {name: size for name, size in memory.items() if size and name in MEASURES},
        "figures": found,
    }


def changes(ratios: dict[str, Any], before: dict[str, Any] | None) -> list[str]:
    """Return a line about how ratios compare with those of an earlier report, and one for each that has changed.

    Noise is what the rounds of either run differ by. So a change is one whose ranges, least to greatest, do not meet,
    and of 15% or more.
    """
    if before is None:
        return ["changes: there are no committed figures to compare with"]
    lines: list[str] = []
    both = [name for name in ratios if name in before["ratios"]]
    for name in both:
        new, old = ratios[name], before["ratios"][name]
        change = new["median"] / old["median"] - 1
        apart = new["least"] > old["greatest"] or new["greatest"] < old["least"]
        if apart and abs(change) >= LARGE_CHANGE:
            lines.append(f"changed: {name} is {times(new['median'])}, was {times(old['median'])} ({change:+.0%})")
    on = before["machine"]
    head = f"changes: {len(lines)} of {len(both)} ratios differ by more than noise from those of {on['date']}"
    return [f"{head}, commit {on['commit']}", *lines]


# ---- what is written


def times(number: float) -> str:
    """Return a ratio as text."""
    return f"{number:,.0f} times" if number >= 100 else f"{number:.3g} times"


def show(number: float, name: str) -> str:
    """Return a figure as text: with its unit, or decisions a second in three digits."""
    if unit := unit_of(name):
        return f"{number:.3g} {unit}"
    places = 2 - math.floor(math.log10(number)) if number > 0 else 0
    return f"{round(number, places):,.{max(0, places)}f}/s"


def measured(verdict: dict[str, Any]) -> str:
    """Return a target's figure as text."""
    it, name = verdict["figure"], verdict["measure"]
    if it is None:
        return "not measured"
    median, least, greatest = (times(n) if verdict["to"] else show(n, name) for n in it.values())
    return f"{median} ({least} - {greatest})"


def page(report: dict[str, Any]) -> Iterator[str]:
    """Yield the report as Markdown, block by block."""
    on = report["machine"]
    again = "" if report["goes"] == 1 else f" Measured in {report['goes']} goes."
    yield "<!-- Written by experiments/bench.py; do not edit. -->\n# Benchmarks"
    yield f"{machine_sentence(on)} {load_sentence(on)}" + "\n".join(warned(on))
    yield (
        f"{report['rounds']} rounds of all measures in turn, {report['seconds']:g} s of CPU time each; medians, with "
        "the lowest and the highest round. One core, one thread. A ratio is the median over rounds. Compare ratios "
        "across machines, not absolute figures. `make bench` writes this page, `bench.json` with every "
        f"round, and the chart.{again}"
    )
    yield from (f"**Missing: {name}** ({reason})." for name, reason in report["missing"].items())
    yield "![Decisions a second](bench.svg)" if report["chart"] else "No chart: matplotlib is not installed."
    answers = {True: "met", False: "**missed**", None: "-"}
    yield "## Targets"
    yield table(
        ["", "target", "measured", ""],
        [
            [MEASURES[it["measure"]].words, it["target"], measured(it), answers[it["met"]]]
            for it in report["targets"]
        ],
    )  # fmt: skip
    yield from others(report)
    yield from of_this_library(report)
    yield from reproduction(report)


def others(report: dict[str, Any]) -> Iterator[str]:
    """Yield the part on other libraries."""
    yield "## Beside other libraries"
    yield table(
        ["", "median", "lowest - highest", "our batch", "our closest equivalent"],
        [
            [*row, beside(report, f"batch/{name}"), f"{like}: {beside(report, f'{like}/{name}')}"]
            for name, like, row in rows(report, ours=False)
        ],
    )
    gentle = [name for name in ("backgammon_quick", "pgx_backgammon_bare") if f"batch/{name}" in report["ratios"]]
    yield (
        "Games differ, and so do their decisions: these ratios compare the time that a learner waits, not the quality "
        "of libraries. A decision is a player's choice; dice rolls do not count. Observations of hawaii1795 have {} "
        "values, its masks "
        "{}. OpenSpiel's mask and observation are its `legal_actions_mask()` and `observation_tensor()`, converted to "
        "NumPy arrays, and the action is chosen from the mask; a mask made from the list of legal actions is faster, "
        "and we recommend it. Pgx plays, resets and chooses inside one compiled loop in one thread; without "
        "auto-reset it repeats the first 64 steps of a game. All AEC loops are PettingZoo's own, "
        "and all choose a random legal action with `mask.nonzero()`.".format(*report["sizes"])
    ) + "".join(
        f" Measured most favourably for the other library, our batch is {beside(report, f'batch/{name}')} "
        f"{MEASURES[name].words}." for name in gentle
    )  # fmt: skip


def of_this_library(report: dict[str, Any]) -> Iterator[str]:
    """Yield the parts on games and environments, the time of a step, sizes and threads."""
    yield "## Games and environments of this library"
    yield table(
        ["", "median", "lowest - highest", "ratio", "to"],
        [
            [*row, beside(report, f"{name}/{like}"), MEASURES[like].words if like != name else "-"]
            for name, like, row in rows(report, ours=True)
        ],
    )
    yield (
        "Games are complete, from reset to the last step. Frames show random games, one frame after each decision. The "
        "time of a process is its whole CPU time, with the start of Python. The movement phases are 200 phases of the "
        "standard board with 8 to 20 armies and fleets each and the same orders for all libraries. Arrays, mappings, "
        "`resolve_turn`, `process` and `_resolve_moves` (a part of `process`) take orders in the library's own form; "
        "texts are parsed and checked. pydip does not read texts, so its commands are made from objects."
    )
    if report["memory"]:
        yield table(
            ["batch", "KB a game, all arrays included"],
            [[MEASURES[name].words, f"{size / 1024:.1f}"] for name, size in report["memory"].items()],
        )
    if parts := [(words, report["measures"][name]) for name, words in PARTS.items() if name in report["measures"]]:
        yield "## Time of a step of the batch"
        yield table(
            ["1,024 environments", "µs a decision"], [[words, f"{1e6 / it['median']:.3f}"] for words, it in parts]
        )
    if report["scaling"]:
        yield "## Sizes of batches, and threads"
        yield table(
            ["environments", "1 thread, CPU time", "by the clock, best", "2 threads, by the clock, best", "KB a game"],
            [
                [
                    f"{it['num_envs']:,}", show(it["cpu_1"]["median"], ""), show(it["wall_1"]["greatest"], ""),
                    show(it["wall_2"]["greatest"], "") if it["wall_2"] else "-",
                    f"{it['memory'] / 1024:.1f}" if it["memory"] and it["num_envs"] >= 256 else "-",
                ]
                for it in report["scaling"]
            ],
        )  # fmt: skip
        yield (
            "Two threads are measured in wall-clock time, because CPU time does not show their gain. On a busy machine "
            "these figures are too low, so the table gives the best round. KB a game is the growth of the process, "
            "with all arrays."
        )


def reproduction(report: dict[str, Any]) -> Iterator[str]:
    """Yield how to measure again, and versions."""
    yield "## Reproduce"
    yield (
        "```sh\npython3 -m venv .venv-peers && .venv-peers/bin/pip install open_spiel pettingzoo chess pygame rlcard "
        "catanatron\npython3 -m venv .venv-pgx   && .venv-pgx/bin/pip install pgx jax\npip install pydip diplomacy\n"
        "make bench\n```"
    )
    yield (
        f"`--python-peer NAME=PATH` names another Python for one of {', '.join(PEERS)}. The command compares ratios "
        "with those of the last commit, and lists those that differ by more than noise."
    )
    versions = {f"{package} {version}" for found in report["versions"].values() for package, version in found.items()}
    yield f"Versions: {', '.join(sorted(versions))}."


def rows(report: dict[str, Any], ours: bool) -> Iterator[tuple[str, str, list[str]]]:
    """Yield name, what it is compared with, and the first cells of the row of each measure, of ours or of peers."""
    for name, it in report["measures"].items():
        if name in MEASURES and is_ours(name) == ours:
            ends = f"{show(it['least'], name)} - {show(it['greatest'], name)}"
            yield name, MEASURES[name].like, [MEASURES[name].words, show(it["median"], name), ends]


def beside(report: dict[str, Any], key: str) -> str:
    """Return a ratio as text."""
    return times(report["ratios"][key]["median"]) if key in report["ratios"] else "-"


def chart(report: dict[str, Any], path: Path) -> bool:
    """Draw the decisions a second; False if matplotlib is not installed."""
    try:
        matplotlib: Any = importlib.import_module("matplotlib")
    except ImportError:
        return False
    matplotlib.rcParams |= {"svg.hashsalt": "hawaii_env", "svg.fonttype": "none"}
    measures = {name: it for name, it in report["measures"].items() if name in MEASURES and not unit_of(name)}
    shown = sorted(measures, key=lambda name: measures[name]["median"])
    made = figure(9, 0.3 * len(shown) + 1.5)
    axes, values = made.subplots(), [measures[name]["median"] for name in shown]
    errors = [[abs(measures[n][end] - measures[n]["median"]) for n in shown] for end in ("least", "greatest")]
    colours = ["#1f6f8b" if is_ours(name) else "#b0b7c0" for name in shown]
    axes.barh([MEASURES[n].words for n in shown], values, color=colours, xerr=errors, ecolor="#444444", capsize=2)
    for at, name in enumerate(shown):
        axes.text(measures[name]["greatest"] * 1.15, at, show(values[at], name), va="center", fontsize=8)
    axes.set(xscale="log", xlabel="decisions a second of CPU time, one core (logarithmic)")
    axes.tick_params(axis="y", labelsize=8)
    made.savefig(path, metadata={"Date": None})
    return True
