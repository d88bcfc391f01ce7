"""Comparisons of settings of the self-play trainer: arms with several seeds each, and their curves.

    python experiments/ablations.py --arms trainer --seeds 3 --out runs/ablations
    python experiments/ablations.py --arms trainer --only "base,lambda 1" --decisions 1_000_000 --out runs/some

The file of arms (`configs/arms/trainer.toml`) has settings of all runs and the changes of each arm. An arm is trained
by PPO, or names another `trainer` of `TRAINERS`, for whose runs the file has a table of settings. Seeds take turns over
the arms, so that a stopped comparison has nearly as much of each. Each run is a folder of its trainer; the same command
resumes, bit by bit. ``ablations.md`` and ``ablations.png`` are written after each run: scores on the
ladder against decisions and against hours of processor time. Five runs of an arm or more have the mean of the middle
half of their scores (IQM), with a 95% interval by the bootstrap over runs.
"""

from __future__ import annotations

import importlib.util
import re
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import studies
from numpy.typing import NDArray
from scipy.stats import bootstrap, trim_mean

from hawaii_agents.training import expert_iteration as expert
from hawaii_agents.training import ppo_selfplay as ppo
from hawaii_agents.training import runs
from hawaii_agents.training.logs import figure
from hawaii_env.errors import OptionError

Points = list[tuple[float, float, float]]
"""Millions of decisions, hours of processor time (with a graphics card of all), score."""
TRAINERS: dict[str, Any] = {"base": ppo, "expert-iteration": expert}
"""Modules with `Args` and `Trainer`, by the table that has the settings of all their runs."""
IQM = 5
"""Fewest runs of an arm for which the mean of the middle half is used."""


@dataclass
class Args:
    """The settings of a comparison."""

    out: str = "runs/ablations"  # folder of folders
    arms: str = "trainer"  # a TOML file, or the name of one in experiments/configs/arms
    only: str = ""  # names of arms with commas between; empty: all
    seeds: int = 3  # runs of an arm, with the seeds 1, 2, ...; an arm's own `seeds` in the file is a limit
    decisions: int = 0  # of each run; 0: as in the file
    minutes: float = 0.0  # stop after so many minutes of wall-clock time; the same command resumes
    quiet: bool = False  # print nothing


def read_arms(args: Args) -> dict[str, tuple[Any, int]]:
    """Return the arms by name: settings of their runs, `Args` of their trainer, and the number of runs.

    Raises:
        OptionError: no such file or arm, or a key that is not a setting.
    """
    path, content = runs.read_config(args.arms, studies.CONFIGS / "arms", "arms")
    listed = content.get("arm", [])
    names = [str(arm.get("name", "")) for arm in listed]
    if not names or "" in names or len(set(names)) < len(names):
        raise OptionError(f"arms: {path}: one [[arm]] or more, each with a name of its own")
    wanted = [name.strip() for name in args.only.split(",")] if args.only else names
    if unknown := set(wanted) - set(names):
        raise OptionError(f"only: no arm {', '.join(sorted(unknown))} in {path}; there are {', '.join(names)}")
    own = {"decisions": args.decisions} if args.decisions else {}
    arms: dict[str, tuple[Any, int]] = {}
    for arm in listed:
        trainer = arm.get("trainer", "base")
        if trainer not in TRAINERS:
            raise OptionError(f"arms: {path}: trainer is one of {', '.join(TRAINERS)}, not {trainer!r}")
        settings = {**content.get(trainer, {}), **arm, **own, "quiet": True}
        settings.pop("trainer", None)
        name, seeds = settings.pop("name"), settings.pop("seeds", args.seeds)
        if not isinstance(seeds, int) or seeds < 1:
            raise OptionError(f"arms: {path}: {name}: seeds is 1 or more, not {seeds!r}")
        if wrong := set(settings) - set(asdict(TRAINERS[trainer].Args())):
            raise OptionError(f"arms: {path}: {name}: {', '.join(sorted(wrong))} is not a setting")
        if name in wanted:
            arms[name] = TRAINERS[trainer].Args(**settings), min(seeds, args.seeds)
    return arms


def folder_of(out: Path, name: str, seed: int) -> Path:
    """Return the folder of a run."""
    return out / f"{re.sub(r'[^a-z0-9.]+', '-', name.lower()).strip('-')}-{seed}"


def scores(folder: Path) -> dict[str, Points]:
    """Return a run's scores by opponent."""
    found: dict[str, Points] = {}
    settings = runs.read_json(folder / "config.json") if (folder / "config.json").is_file() else {}
    clock = "cpu_seconds" if settings.get("device", "cpu") == "cpu" else "seconds"
    for line in runs.whole_lines(folder / "progress.jsonl"):
        for name, one in line.get("ladder", {}).items():
            if name != "past_best":
                point = line["decisions"] / 1e6, line[clock] / 3600, one["score"]
                found.setdefault(name, []).append(point)
    return found


def middle(*tasks: Sequence[float]) -> tuple[float, float, float]:
    """Return the mean of the middle half of some runs' scores, and its 95% interval by the bootstrap over runs.

    Args:
        tasks: scores of each task, such as a game or an opponent; runs are drawn within each (a stratified bootstrap).
    """
    each = [np.asarray(values) for values in tasks]
    found = bootstrap(each, _trimmed, n_resamples=2000, method="percentile", rng=1)
    low, high = found.confidence_interval
    return float(_trimmed(*each)), float(low), float(high)


def _trimmed(*tasks: NDArray[np.float64], axis: int = -1) -> NDArray[np.float64]:
    return trim_mean(np.concatenate(tasks, axis=axis), 0.25, axis=axis)


def report(out: Path, arms: dict[str, tuple[Any, int]]) -> str:
    """Write ``ablations.md`` and, if matplotlib is installed, ``ablations.png``; return the table."""
    curves: dict[str, dict[str, list[Points]]] = {}
    for name, (_, seeds) in arms.items():
        for seed in range(1, seeds + 1):
            for opponent, points in scores(folder_of(out, name, seed)).items():
                curves.setdefault(opponent, {}).setdefault(name, []).append(points)
    head = ["arm", "opponent", "runs", "decisions, millions", "hours a run", "score of each run", "IQM"]
    rows: list[list[object]] = []
    for opponent, found in curves.items():
        for name, each in found.items():
            last = [points[-1] for points in each]
            millions, hours = (np.mean([point[k] for point in last]) for k in (0, 1))
            ends = ", ".join(f"{score:.3f}" for _, _, score in last)
            iqm = "{:.3f} ({:.3f} to {:.3f})".format(*middle([point[2] for point in last])) if len(last) >= IQM else "-"
            rows.append([name, opponent, len(last), f"{millions:.2f}", f"{hours:.3f}", ends, iqm])
    text = runs.table(head, rows)
    runs.write_text(out / "ablations.md", text)
    if curves and importlib.util.find_spec("matplotlib"):
        runs.replace(out / "ablations.png", lambda part: draw(curves, part))
    return text


def draw(curves: dict[str, dict[str, list[Points]]], path: Path) -> None:
    """Draw scores against decisions and hours, one row for each opponent and one colour for each arm; write a PNG."""
    made = figure(11, 2.6 * len(curves))
    arms = list(dict.fromkeys(name for found in curves.values() for name in found))
    axes = made.subplots(len(curves), 2, squeeze=False)
    for row, (opponent, found) in zip(axes, curves.items(), strict=True):
        for column, label in enumerate(("millions of decisions", "hours")):
            for name, each in found.items():
                number = arms.index(name)
                style = {"linestyle": "-" if number < 10 else "--", "color": f"C{number % 10}", "linewidth": 1}
                for k, points in enumerate(each):
                    at, ends = [point[column] for point in points], [point[2] for point in points]
                    row[column].plot(at, ends, alpha=0.7, label="" if k else name, **style)
            row[column].set(xlabel=label, ylabel=f"score against {opponent}", ylim=(0, 1))
            row[column].grid(alpha=0.3)
        row[0].legend(fontsize=7)
    made.savefig(path, dpi=80, format="png")


def run(args: Args) -> str:
    """Train the missing runs, write the figures after each, and return the table."""
    arms, out = read_arms(args), Path(args.out)
    begin, text = time.perf_counter(), ""
    for seed in range(1, args.seeds + 1):
        for name, (settings, seeds) in arms.items():
            if seed > seeds:
                continue
            left = args.minutes - (time.perf_counter() - begin) / 60 if args.minutes else 0.0
            if args.minutes and left <= 0:
                return report(out, arms)
            kind = next(module.Trainer for module in TRAINERS.values() if isinstance(settings, module.Args))
            done = ppo.train(settings, seed, folder_of(out, name, seed), left, kind)
            text = report(out, arms)
            if not args.quiet:
                print(f"{name}, seed {seed}: {'done' if done else 'stopped'}", flush=True)
    return text


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""

    def work() -> None:
        args = studies.parse(Args, arguments, "Comparisons of settings of the self-play trainer.", resume=False)[0]
        text = run(args)
        if not args.quiet:
            print(text)

    return studies.finish(work, "stopped; the same command goes on from the last checkpoints")


if __name__ == "__main__":
    sys.exit(main())
