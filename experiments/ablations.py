"""What single settings of the self-play trainer do: arms with several seeds each, and their curves.

    python experiments/ablations.py --arms trainer --seeds 3 --out runs/ablations
    python experiments/ablations.py --arms trainer --only "base,lambda 1" --decisions 1_000_000 --out runs/some

The file of arms (`configs/arms/trainer.toml`) has settings of all runs and what each arm changes. Seeds go round the
arms, so that a run that is stopped has nearly as much of each. Each run is a folder of `ppo_selfplay.py`; the same
command goes on where a stopped one left off, bit by bit. ``ablations.md`` and ``ablations.png`` are written after each
run: scores on the ladder against decisions and against hours of processor time.
"""

from __future__ import annotations

import os
import re
import sys
import time
import tomllib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
import numpy as np
from training import runs
from training.settings import Args as Settings
from training.trainer import Trainer

from hawaii_env.errors import OptionError


@dataclass
class Args:
    """What a comparison is told."""

    out: str = "runs/ablations"  # folder of folders
    arms: str = "trainer"  # a TOML file, or the name of one in experiments/configs/arms
    only: str = ""  # names of arms with commas between; empty: all
    seeds: int = 3  # runs of an arm, with the seeds 1, 2, ...; an arm's own `seeds` in the file is a limit
    decisions: int = 0  # of each run; 0: as the file says
    minutes: float = 0.0  # stop after so many minutes of wall-clock time; the same command goes on
    quiet: bool = False  # print nothing


@dataclass
class Arm:
    """What is compared.

    Attributes:
        settings: of its runs.
        seeds: how many there are.
    """

    settings: Settings
    seeds: int


def read_arms(args: Args) -> dict[str, Arm]:
    """Return the arms by name.

    Raises:
        OptionError: no such file or arm, or a key that is no setting.
    """
    path = Path(args.arms) if Path(args.arms).is_file() else runs.PRESETS / "arms" / f"{args.arms}.toml"
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise OptionError(f"arms: {path}: {error}") from None
    base, listed = content.get("base", {}), content.get("arm", [])
    names = [str(arm.get("name", "")) for arm in listed]
    if not names or "" in names or len(set(names)) < len(names):
        raise OptionError(f"arms: {path}: one [[arm]] or more is wanted, each with a name of its own")
    wanted = [name.strip() for name in args.only.split(",")] if args.only else names
    if unknown := set(wanted) - set(names):
        raise OptionError(f"only: no arm {', '.join(sorted(unknown))} in {path}; there are {', '.join(names)}")
    own = {"decisions": args.decisions} if args.decisions else {}
    arms: dict[str, Arm] = {}
    for arm in listed:
        settings = {**base, **{key: value for key, value in arm.items() if key not in ("name", "seeds")}, **own}
        seeds = arm.get("seeds", args.seeds)
        if not isinstance(seeds, int) or seeds < 1:
            raise OptionError(f"arms: {path}: {arm['name']}: seeds is 1 or more, not {seeds!r}")
        if wrong := set(settings) - set(asdict(Settings())):
            raise OptionError(f"arms: {path}: {arm['name']}: {', '.join(sorted(wrong))} is no setting")
        if arm["name"] in wanted:
            arms[arm["name"]] = Arm(Settings(**settings, quiet=True), min(seeds, args.seeds))
    return arms


def folder_of(out: Path, name: str, seed: int) -> Path:
    """Return the folder of a run."""
    return out / f"{re.sub(r'[^a-z0-9.]+', '-', name.lower()).strip('-')}-{seed}"


def train(settings: Settings, seed: int, folder: Path, minutes: float) -> bool:
    """Begin a run or go on with it, for some minutes at most; return whether it has spent its decisions."""
    changes = {"decisions": settings.decisions, "minutes": 0.0}
    if (folder / "checkpoint.pt").is_file():
        trainer = Trainer.load(folder, **changes)
    else:
        trainer = Trainer(Settings(**{**asdict(settings), "seed": seed, "out": str(folder)}))
    if minutes:
        trainer.args.minutes = trainer.seconds / 60 + minutes
    trainer.run(folder)
    return trainer.decisions >= settings.decisions


def ladder(folder: Path) -> dict[str, list[tuple[float, float, float]]]:
    """Return what a run has scored, by opponent: millions of decisions, hours of processor time, score."""
    found: dict[str, list[tuple[float, float, float]]] = {}
    for line in runs.whole_lines(folder / "progress.jsonl"):
        for name, one in line.get("ladder", {}).items():
            if name != "past_best":
                point = line["decisions"] / 1e6, line["cpu_seconds"] / 3600, one["score"]
                found.setdefault(name, []).append(point)
    return found


def report(out: Path, arms: dict[str, Arm]) -> str:
    """Write ``ablations.md`` and, where matplotlib is installed, ``ablations.png``; return the table."""
    lines = [
        "| arm | opponent | runs | decisions, millions | hours a run | score of each run |",
        "|---|---|---|---|---|---|",
    ]
    curves: dict[str, dict[str, list[list[tuple[float, float, float]]]]] = {}
    for name, arm in arms.items():
        for seed in range(1, arm.seeds + 1):
            for opponent, points in ladder(folder_of(out, name, seed)).items():
                curves.setdefault(opponent, {}).setdefault(name, []).append(points)
    for opponent, of in curves.items():
        for name, found in of.items():
            last = [points[-1] for points in found]
            scores = ", ".join(f"{score:.3f}" for _, _, score in last)
            millions, hours = (np.mean([point[k] for point in last]) for k in (0, 1))
            lines.append(f"| {name} | {opponent} | {len(last)} | {millions:.2f} | {hours:.3f} | {scores} |")
    text = "\n".join(lines) + "\n"
    runs.write_text(out / "ablations.md", text)
    _draw(curves, out / "ablations.png")
    return text


def _draw(curves: dict[str, dict[str, list[list[tuple[float, float, float]]]]], path: Path) -> None:
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        return
    if not curves:
        return
    figure = Figure(figsize=(11, 3.6 * len(curves)), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(len(curves), 2, squeeze=False)
    for row, (opponent, of) in zip(axes, curves.items(), strict=True):
        for column, what in enumerate(("millions of decisions", "hours of processor time")):
            for number, (name, found) in enumerate(of.items()):
                style = "-" if number < 10 else "--"  # more arms than colours
                for k, points in enumerate(found):
                    at, scores = [point[column] for point in points], [point[2] for point in points]
                    row[column].plot(
                        at, scores, style, color=f"C{number % 10}", alpha=0.7, label="" if k else name, linewidth=1
                    )
            row[column].set(xlabel=what, ylabel=f"score against {opponent}", ylim=(0, 1))
            row[column].grid(alpha=0.3)
    axes[0][0].legend(fontsize=7)
    runs.replace(path, lambda part: figure.savefig(part, dpi=100, format="png"))


def run(args: Args) -> str:
    """Train what is missing, write the figures after each run, and return the table."""
    arms, out = read_arms(args), Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    begin, text = time.perf_counter(), ""
    for seed in range(1, args.seeds + 1):
        for name, arm in arms.items():
            if seed > arm.seeds:
                continue
            left = args.minutes - (time.perf_counter() - begin) / 60 if args.minutes else 0.0
            if args.minutes and left <= 0:
                return report(out, arms)
            whole = train(arm.settings, seed, folder_of(out, name, seed), left)
            text = report(out, arms)
            if not args.quiet:
                print(f"{name}, seed {seed}: {'done' if whole else 'stopped'}", flush=True)
    return text


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare, as the command line says; return the exit status."""
    return runs.work_on(Args, arguments, "What single settings of the self-play trainer do.", run)


if __name__ == "__main__":
    sys.exit(main())
