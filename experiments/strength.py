"""Strength of an agent by a number of its agent string: simulations, seconds, decisions of training.

    python experiments/strength.py --agent guided:sims={} --values 10,100,1000,10000 --against ppo --pairs 100 --out
    runs/budget python experiments/strength.py --agent ppo:weights=runs/full/{}.safetensors --values 100000,200000
    --against rule-of-thumb --out runs/learning

Every value is a match of its own in a folder of ``OUT``, so the same command goes on where a stopped one left off, and
more values or more pairs play only what is missing. ``strength.json`` and ``strength.png`` are written anew after each
match. Several ``--agent`` are several curves. ``VALUE*PAIRS`` among the values gives a value its own number of pairs.

``--write`` puts the points among those of docs/benchmarks/strength.json, in place of the same agent's against the same
opponent, and ``python docs/generate.py`` writes the page from it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from training import runs

from hawaii_env import arena
from hawaii_env.arena.sprt import score_interval
from hawaii_env.errors import HawaiiError, OptionError
from hawaii_env.hawaii1795 import Game

FIGURES = Path(__file__).resolve().parent.parent / "docs" / "benchmarks" / "strength.json"
WHICH = ("ruleset", "scenario", "agent", "against")
"""What a point of FIGURES is known by."""


def parse_values(text: str, pairs: int) -> list[tuple[str, int]]:
    """Return the values and the pairs of each: ``"10,1000*40"`` with 100 pairs is ``[("10", 100), ("1000", 40)]``."""
    result: list[tuple[str, int]] = []
    for part in text.split(","):
        value, star, own = part.strip().partition("*")
        if not value or (star and (not own.isdecimal() or not int(own))):
            raise OptionError(f"values: {part!r} is neither VALUE nor VALUE*PAIRS")
        try:
            float(value)
        except ValueError:
            raise OptionError(f"values: {value!r} is no number") from None
        result.append((value, int(own) if star else pairs))
    return result


def measure(game: Game, agent: str, against: str, pairs: int, seed: int, processes: int, out: Path) -> dict[str, Any]:
    """Play one match, or what is missing of it; return its figures. A tie is half a win; the interval is by pairs,
    95%.
    """
    found = arena.play_match(game, agent, against, pairs=pairs, seed=seed, processes=processes, out=out)
    if found.void:
        raise HawaiiError(f"{out}: {found.void} games could not be played; the same command tries them again")
    keys = [player.key for player in found.players]
    mine = next(one for one in found.standings if one.player == keys[0])
    score = score_interval(found.results, keys[0], keys[1])
    return {
        "agent": agent,
        "against": against,
        "games": mine.all.games,
        "score": round(score.mean, 4),
        "interval": [round(score.low, 4), round(score.high, 4)],
        "by_side": {
            side: round(s.shares / s.games, 4) for side, s in zip(game.agents, mine.seats, strict=True) if s.games
        },
        "ties": round(mine.all.ties / mine.all.games, 4),
        "forfeits": mine.forfeits,
        "seconds_a_decision": round(mine.seconds / max(1, mine.decisions), 5),
    }


def keep(whole: dict[str, Any], path: Path = FIGURES) -> None:
    """Put the points of `strength.json` among those of a file, in place of those of the same match."""
    known: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    fresh = [{**{key: whole[key] for key in ("ruleset", "scenario", "seed")}, **point} for point in whole["points"]]
    names = [[point[key] for key in WHICH] for point in fresh]
    merged = [point for point in known if [point[key] for key in WHICH] not in names] + fresh
    merged.sort(key=lambda p: (*(p[key] for key in ("ruleset", "scenario", "against", "curve")), p["value"]))
    runs.replace(path, lambda part: part.write_text(json.dumps(merged, indent=1) + "\n", encoding="utf-8"))


def draw(points: Sequence[dict[str, Any]], path: Path, label: str) -> None:
    """Draw score against value with 95% bars, a curve for each agent, and write a PNG. Needs matplotlib."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.5), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    for agent in dict.fromkeys(point["curve"] for point in points):
        own = sorted((point for point in points if point["curve"] == agent), key=lambda point: point["value"])
        at, scores = [point["value"] for point in own], [point["score"] for point in own]
        below = [point["score"] - point["interval"][0] for point in own]
        above = [point["interval"][1] - point["score"] for point in own]
        axes.errorbar(at, scores, yerr=[below, above], marker="o", markersize=4, capsize=3, label=agent)
    values = sorted(point["value"] for point in points)
    if values[0] > 0 and values[-1] > 20 * values[0]:
        axes.set_xscale("log")
    axes.axhline(0.5, color="grey", linewidth=0.5)
    axes.set(ylim=(0, 1), xlabel=label, ylabel="score", title=f"score against {points[0]['against']} (bars: 95%)")
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right", fontsize=8)
    figure.savefig(path, dpi=100, format="png")


def run(
    agents: Sequence[str], values: Sequence[tuple[str, int]], against: str, scenario: str, seed: int, processes: int,
    out: Path, label: str, write: bool = False
) -> list[dict[str, Any]]:  # fmt: skip
    """Play every match, write the figures after each, return them."""
    for agent in agents:
        if agent.count("{}") != 1:
            raise OptionError(f"agent: {agent!r} must have {{}} once, where the value goes")
    game = Game(scenario=scenario)
    out.mkdir(parents=True, exist_ok=True)
    points: list[dict[str, Any]] = []
    for value, pairs in values:
        for number, agent in enumerate(agents):
            place = out / f"{number}-{value}"
            figures = measure(game, agent.replace("{}", value), against, pairs, seed, processes, place)
            points.append({"curve": agent, "value": float(value), **figures})
            whole = {"ruleset": game.ruleset_name, "scenario": scenario, "seed": seed, "label": label, "points": points}
            runs.write_json(out / "strength.json", whole)
            draw(points, out / "strength.png", label)
            if write:
                keep(whole)
            low, high = figures["interval"]
            print(
                f"{figures['agent']}: {figures['score']:.1%} ({low:.1%} to {high:.1%}), {figures['games']} games, "
                f"{1000 * figures['seconds_a_decision']:.1f} ms a decision",
                flush=True,
            )
    return points


def main(arguments: Sequence[str] | None = None) -> int:
    """Play and print, as the command line says; return the exit status."""
    parser = argparse.ArgumentParser(description="How an agent's strength grows with a number of its spec.")
    parser.add_argument(
        "--agent", required=True, action="append", help="spec with {} where the value goes; may be given more than once"
    )
    parser.add_argument(
        "--values", required=True, help="numbers with commas between; VALUE*PAIRS for other pairs than --pairs"
    )
    parser.add_argument("--against", default="ppo", help="spec of the opponent")
    parser.add_argument("--label", default="simulations a decision", help="what the values are, for the picture")
    parser.add_argument("--scenario", default="long")
    parser.add_argument("--pairs", type=int, default=100, help="pairs of games with swapped sides, each value")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--write", action="store_true", help=f"renew {FIGURES.relative_to(FIGURES.parents[2])}")
    args = parser.parse_args(arguments)  # fmt: skip

    def work() -> None:
        values = parse_values(args.values, args.pairs)
        agents, place = args.agent, args.out
        run(agents, values, args.against, args.scenario, args.seed, args.processes, place, args.label, args.write)

    return runs.finish(work)


if __name__ == "__main__":
    sys.exit(main())
