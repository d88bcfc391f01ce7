"""The curves of a run as a picture, from the lines of its ``progress.jsonl``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

CURVES = {
    "entropy": "entropy of the policy (nats)",
    "explained": "share of the targets' variance that the values explain",
    "length": "decisions a game",
    "policy_loss": "loss of the policy",
    "value_loss": "loss of the values",
}
"""What a line may tell besides scores, the more telling first."""


FEW = 30
"""Fewer points are drawn as they are, not as running means."""


def panels(lines: Sequence[dict[str, Any]], most: int = 4) -> list[str]:
    """Return what there is to draw: ``"ladder"`` where scores were measured, and keys of CURVES; at most so many."""
    told = {key for line in lines for key in line}
    return [key for key in ("ladder", *CURVES) if key in told][:most]


def draw(lines: Sequence[dict[str, Any]], path: Path, title: str = "") -> None:
    """Draw scores on the ladder and other curves of the run against decisions, and write a PNG. Needs matplotlib."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    shown = panels(lines) or ["ladder"]
    rows = (len(shown) + 1) // 2
    figure = Figure(figsize=(10, 3.25 * rows), layout="constrained")
    FigureCanvasAgg(figure)
    steps = [line["decisions"] / 1e6 for line in lines]
    for number, key in enumerate(shown, 1):
        axes = figure.add_subplot(rows, min(2, len(shown)), number)
        if key == "ladder":
            _scores(axes, lines, steps)
        else:
            values = [line.get(key, float("nan")) for line in lines]
            axes.plot(steps, values if len(values) < FEW else smooth(values))
            axes.set(title=CURVES[key])
            if key == "explained":
                axes.set_ylim(0, 1)
        axes.set_xlabel("decisions learned from, millions")
        axes.grid(alpha=0.3)
    if title:
        figure.suptitle(title)
    figure.savefig(path, dpi=100, format="png")


def _scores(axes: Any, lines: Sequence[dict[str, Any]], steps: Sequence[float]) -> None:
    """Draw the score against each opponent of the ladder, with its 95% band."""
    names = list(dict.fromkeys(name for line in lines for name in line.get("ladder", {})))
    for name in names:
        told = [
            (x, line["ladder"][name]) for x, line in zip(steps, lines, strict=True) if name in line.get("ladder", {})
        ]
        at, means = [x for x, _ in told], [one["score"] for _, one in told]
        errors = [1.96 * one["error"] for _, one in told]
        band = axes.plot(at, means, marker="o", markersize=3, label=name)[0]
        low, high = (
            [m - e for m, e in zip(means, errors, strict=True)],
            [m + e for m, e in zip(means, errors, strict=True)],
        )
        axes.fill_between(at, low, high, color=band.get_color(), alpha=0.15, linewidth=0)
    axes.set(title="score on the ladder (band: 95%)", ylim=(0, 1))
    axes.axhline(0.5, color="grey", linewidth=0.5)
    if names:
        axes.legend(loc="lower right", fontsize=8)


def smooth(values: Sequence[float], weight: float = 0.9) -> list[float]:
    """Return the running mean of values, each new one counting 1 - `weight`; what is not a number is passed over."""
    result: list[float] = []
    mean = float("nan")
    for value in values:
        if value == value:
            mean = value if mean != mean else weight * mean + (1 - weight) * value
        result.append(mean)
    return result
