"""PPO from nothing on the solved games: what its policies lose exactly, after one and after ten million decisions.

    python experiments/exact_training.py --seeds 5 --out runs/exact-training --write

Trains each arm of `configs/arms/exact.toml`, seeds in turn, as `ablations.py` does, and measures the exploitability of
each policy when it plays its likeliest action, and in the sealed turns of `atoll` also when it draws. Each run's folder
keeps its figures in ``exact.json``; the same command resumes, bit by bit. ``--write`` puts all figures into
docs/benchmarks/exact-training.json.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ablations
import numpy as np
import studies

from hawaii_agents.ppo import PPOAgent
from hawaii_agents.training import ppo_selfplay as ppo
from hawaii_agents.training import runs
from hawaii_env import exact

RESULTS = studies.ROOT / "docs" / "benchmarks" / "exact-training.json"
PLAYS = {"mini": ("likeliest",), "atoll": ("likeliest", "draws")}
"""Ways to play that are measured; an optimal strategy need only draw in sealed turns."""


@dataclass
class Args:
    """The settings of a study."""

    out: str = "runs/exact-training"  # folder of folders
    arms: str = "exact"  # a TOML file, or the name of one in experiments/configs/arms
    only: str = ""  # names of arms with commas between; empty: all
    seeds: int = 5  # runs of an arm, with the seeds 1, 2, ...
    write: bool = False  # write docs/benchmarks/exact-training.json


def losses(folder: Path, settings: Any) -> dict[str, Any]:
    """Return what the policy of a run loses to best responses in its game, by how it plays and by seat."""
    game = settings.games_for(1)[0]
    weights = str(folder / "policy.safetensors")
    figures: dict[str, Any] = {}
    for plays in PLAYS[settings.scenario]:
        found = exact.exploitability(PPOAgent(weights, greedy=plays == "likeliest"), game)
        figures[plays] = [round(seat, 6) + 0.0 for seat in found.seats]
    return figures


def measure(settings: Any, seed: int, folder: Path) -> dict[str, Any]:
    """Return the figures of a run of an arm: train it, or take them from its folder if they are there."""
    found: dict[str, Any] | None = runs.read_json(folder / "exact.json")
    if found is None:
        ppo.train(settings, seed, folder, 0.0)
        last = runs.whole_lines(folder / "progress.jsonl")[-1]
        found = {
            "game": settings.scenario, "seed": seed, "decisions": last["decisions"],
            "cpu_seconds": round(last["cpu_seconds"], 1), "exploitability": losses(folder, settings),
        }  # fmt: skip
        runs.write_json(folder / "exact.json", found)
    return found


def summary(found: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what the runs of an arm lost, a row for each way to play, with the mean of the middle half of the runs."""
    rows: list[dict[str, Any]] = []
    for plays in found[0]["exploitability"]:
        seats = [one["exploitability"][plays] for one in found]
        means = [sum(pair) / 2 for pair in seats]
        middle = ablations.middle(means) if len(found) >= ablations.IQM else None
        row = {
            "game": found[0]["game"], "decisions": found[0]["decisions"], "plays": plays, "seats": seats,
            "cpu_seconds": round(float(np.mean([one["cpu_seconds"] for one in found])), 1),
            "middle": middle and [round(figure, 4) for figure in middle],
        }  # fmt: skip
        rows.append(row)
    return rows


def run(args: Args) -> list[dict[str, Any]]:
    """Train and measure what is missing; return the figures of all arms."""
    arms = ablations.read_arms(ablations.Args(arms=args.arms, only=args.only, seeds=args.seeds))
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in arms}
    for seed in range(1, args.seeds + 1):
        for name, (settings, seeds) in arms.items():
            if seed > seeds:
                continue
            row = measure(settings, seed, ablations.folder_of(Path(args.out), name, seed))
            found[name].append(row)
            text = ", ".join(f"{plays} {sum(seats) / 2:.4f}" for plays, seats in row["exploitability"].items())
            print(
                f"{name}, seed {seed}: {row['decisions']:,} decisions, {row['cpu_seconds']:.0f} s, {text}", flush=True
            )
    rows = [row for each in found.values() for row in summary(each)]
    if args.write:
        runs.write_json(RESULTS, rows)
    return rows


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""

    def work() -> None:
        run(studies.parse(Args, arguments, "PPO from nothing on the solved games.", resume=False)[0])

    return studies.finish(work, "stopped; the same command goes on from the last checkpoints")


if __name__ == "__main__":
    sys.exit(main())
