"""The log of a training run: ``progress.jsonl``, a picture of its curves, TensorBoard files, a progress bar."""

from __future__ import annotations

import importlib.util
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from hawaii_env.errors import OptionError

from . import runs

REDRAW = 20.0
"""Seconds between two pictures of the curves."""
FEW = 30
"""Fewer points are drawn as they are, more as running means."""
CURVES = {
    "entropy": "entropy of the policy (nats)",
    "explained": "share of the targets' variance that the values explain",
    "length": "decisions per game",
    "policy_loss": "loss of the policy",
    "value_loss": "loss of the values",
}
"""Curves besides scores, the most telling first."""


class Log:
    """Writes ``progress.jsonl``, ``curves.png`` and TensorBoard files during the run.

    Args:
        folder: the run's folder; it is made.
        settings: written to ``config.json``.
        keep: lines of an earlier part of the run to keep; those after them are played again.
        tensorboard: write TensorBoard's files, too.
        step: TensorBoard's step so far; later ones are removed.

    Raises:
        OptionError: TensorBoard is asked for and not installed.
    """

    def __init__(self, folder: Path, settings: dict[str, Any], keep: int, tensorboard: bool, step: int) -> None:
        runs.write_json(folder / "config.json", settings)
        self.folder: Path = folder
        path = folder / "progress.jsonl"
        self.lines: list[dict[str, Any]] = runs.whole_lines(path)[:keep]
        runs.write_lines(path, self.lines)
        self._board: Any = None
        if tensorboard:
            if importlib.util.find_spec("tensorboard") is None:
                raise OptionError("tensorboard=True needs TensorBoard: python -m pip install tensorboard")
            from torch.utils.tensorboard import SummaryWriter

            self._board = SummaryWriter(str(folder), purge_step=step + 1 if step else None)
        self._file = path.open("a", encoding="utf-8")
        self._drawn = 0.0

    def write(self, line: dict[str, Any], step: int) -> None:
        """Add a line and draw the curves if it has new scores; `step` is TensorBoard's."""
        self.lines.append(line)
        self._file.write(json.dumps(line) + "\n")
        self._file.flush()
        if self._board is not None:
            for name, value in flat(line):
                self._board.add_scalar(name, value, step)
        if "ladder" in line and time.perf_counter() - self._drawn >= REDRAW:
            self._draw()

    def _draw(self) -> None:
        if importlib.util.find_spec("matplotlib") and self.lines and "decisions" in self.lines[-1]:
            runs.replace(self.folder / "curves.png", lambda part: draw(self.lines, part, self.folder.name))
            self._drawn = time.perf_counter()

    def close(self) -> None:
        """Draw the curves and close the files."""
        self._draw()
        self._file.close()
        if self._board is not None:
            self._board.close()


def flat(line: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, float]]:
    """Yield the numbers of a line by name, those of tables in it as ``table/name``."""
    for name, value in line.items():
        if isinstance(value, dict):
            yield from flat(value, f"{prefix}{name}/")
        elif isinstance(value, (int, float)):
            yield prefix + name, value


def progress_bar(total: int) -> Callable[[int], None] | None:
    """Return a function that shows so many decisions on a bar; None if no terminal watches."""
    if importlib.util.find_spec("rich") is None or not sys.stderr.isatty():
        return None
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn, TimeRemainingColumn

    columns = BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn()
    progress = Progress(*columns, console=Console(stderr=True))
    task = progress.add_task("decisions", total=total)
    progress.start()

    def show(done: int) -> None:
        progress.update(task, completed=min(done, total))
        if done >= total:
            progress.stop()

    return show


# Curves


def figure(width: float, height: float) -> Any:
    """Return an empty figure of so many inches that needs no display. Needs matplotlib."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    made = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(made)
    return made


def panels(lines: Sequence[dict[str, Any]], most: int = 4) -> list[str]:
    """Return what to draw, at most so many: ``"ladder"`` if scores were measured, and keys of CURVES."""
    measured = {key for line in lines for key in line}
    return [key for key in ("ladder", *CURVES) if key in measured][:most]


def draw(lines: Sequence[dict[str, Any]], path: Path, title: str = "") -> None:
    """Draw scores on the ladder and other curves of a run against decisions, and write a PNG."""
    shown = panels(lines) or ["ladder"]
    rows = (len(shown) + 1) // 2
    made = figure(10, 3.25 * rows)
    steps = [line["decisions"] / 1e6 for line in lines]
    for number, key in enumerate(shown, 1):
        axes = made.add_subplot(rows, min(2, len(shown)), number)
        if key == "ladder":
            _draw_scores(axes, lines, steps)
        else:
            values = [line.get(key, float("nan")) for line in lines]
            axes.plot(steps, values if len(values) < FEW else smooth(values))
            axes.set(title=CURVES[key], **({"ylim": (0, 1)} if key == "explained" else {}))
        axes.set_xlabel("decisions learned from, millions")
        axes.grid(alpha=0.3)
    made.suptitle(title)
    made.savefig(path, dpi=100, format="png")


def _draw_scores(axes: Any, lines: Sequence[dict[str, Any]], steps: Sequence[float]) -> None:
    """Draw the score against each opponent of the ladder, with its 95% band."""
    for name in dict.fromkeys(name for line in lines for name in line.get("ladder", {})):
        there = [
            (x, line["ladder"][name]) for x, line in zip(steps, lines, strict=True) if name in line.get("ladder", {})
        ]
        at, means = [x for x, _ in there], [one["score"] for _, one in there]
        low, high = ([one["score"] + sign * 1.96 * one["error"] for _, one in there] for sign in (-1, 1))
        band = axes.plot(at, means, marker="o", markersize=3, label=name)[0]
        axes.fill_between(at, low, high, color=band.get_color(), alpha=0.15, linewidth=0)
        axes.legend(loc="lower right", fontsize=8)
    axes.set(title="score on the ladder (band: 95%)", ylim=(0, 1))
    axes.axhline(0.5, color="grey", linewidth=0.5)


def smooth(values: Sequence[float], weight: float = 0.9) -> list[float]:
    """Return the running mean of values, each new one counting 1 - `weight`; NaN leaves it as it is."""
    result: list[float] = []
    mean = float("nan")
    for value in values:
        if value == value:
            mean = value if mean != mean else weight * mean + (1 - weight) * value
        result.append(mean)
    return result
