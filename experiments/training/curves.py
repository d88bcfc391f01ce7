"""The curves of a run as a picture, from the lines of its ``progress.jsonl``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any


def draw(lines: Sequence[dict[str, Any]], path: Path, title: str = "") -> None:
    """Draw scores, entropy, the values' quality and the games' length against decisions, and write a PNG. Needs matplotlib."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 6.5), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(2, 2)
    steps = [line["decisions"] / 1e6 for line in lines]
    scores = axes[0, 0]
    names = list(dict.fromkeys(name for line in lines for name in line.get("ladder", {})))
    for name in names:
        told = [
            (x, line["ladder"][name]) for x, line in zip(steps, lines, strict=True) if name in line.get("ladder", {})
        ]
        at, means = [x for x, _ in told], [one["score"] for _, one in told]
        errors = [1.96 * one["error"] for _, one in told]
        band = scores.plot(at, means, marker="o", markersize=3, label=name)[0]
        low, high = (
            [m - e for m, e in zip(means, errors, strict=True)],
            [m + e for m, e in zip(means, errors, strict=True)],
        )
        scores.fill_between(at, low, high, color=band.get_color(), alpha=0.15, linewidth=0)
    scores.set(title="score on the ladder (band: 95%)", ylim=(0, 1))
    scores.axhline(0.5, color="grey", linewidth=0.5)
    if names:
        scores.legend(loc="lower right", fontsize=8)
    for axis, keys, heading in (
        (axes[0, 1], ("entropy",), "entropy of the policy (nats)"),
        (axes[1, 0], ("explained",), "share of the targets' variance that the values explain"),
        (axes[1, 1], ("length",), "decisions a game"),
    ):
        for key in keys:
            axis.plot(steps, smooth([line.get(key, float("nan")) for line in lines]))
        axis.set(title=heading)
    axes[1, 0].set_ylim(0, 1)
    for axis in axes.flat:
        axis.set_xlabel("decisions learned from, millions")
        axis.grid(alpha=0.3)
    if title:
        figure.suptitle(title)
    figure.savefig(path, dpi=100, format="png")


def smooth(values: Sequence[float], weight: float = 0.9) -> list[float]:
    """Return the running mean of values, each new one counting 1 - `weight`; what is not a number is passed over."""
    result: list[float] = []
    mean = float("nan")
    for value in values:
        if value == value:
            mean = value if mean != mean else weight * mean + (1 - weight) * value
        result.append(mean)
    return result
