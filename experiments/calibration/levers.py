"""Effects of levers: figures of many rulesets, fitted over the values of the levers, one by one and in pairs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hawaii_agents.training import runs
from hawaii_agents.training.levers import Levers
from hawaii_agents.training.logs import figure

Rulesets = Sequence[dict[str, Any]]
"""Rulesets with their ``choice``, an index into `values_of` for each lever, and their figures."""
Aims = dict[str, list[float]]
"""By figure the least, the greatest value that is aimed at, and the weight of a miss of 1."""


def values_of(levers: Levers) -> list[list[Any]]:
    """Return the different values of each lever."""
    every = [lever["values"] for lever in levers.levers]
    return [[value for k, value in enumerate(values) if value not in values[:k]] for values in every]


def drawn(levers: Levers, n: int, seed: int) -> list[list[int]]:
    """Return n different combinations of values, each as indices into `values_of`."""
    rng, sizes, found = (
        np.random.default_rng(seed),
        list(map(len, values_of(levers))),
        dict[tuple[int, ...], list[int]](),
    )
    while len(found) < min(n, math.prod(sizes)):
        one = [int(rng.integers(size)) for size in sizes]
        found.setdefault(tuple(one), one)
    return list(found.values())


def design(choices: NDArray[np.int64], sizes: Sequence[int]) -> NDArray[np.float64]:
    """Return the columns of the fit: 1, each lever's values, and all pairs of two levers' values."""
    flags = [choices[:, k, None] == np.arange(1, size) for k, size in enumerate(sizes)]
    pairs = [(a[:, :, None] & b[:, None, :]).reshape(len(choices), -1) for a, b in itertools.combinations(flags, 2)]
    return np.concatenate([np.ones((len(choices), 1)), *flags, *pairs], 1).astype(np.float64)


def fit(found: Rulesets, name: str, sizes: Sequence[int]) -> NDArray[np.float64]:
    """Return a figure's coefficients on `design`, by ridge regression that shrinks pairs more than single levers."""
    rows = [one for one in found if np.isfinite(one[name])]
    matrix = design(np.array([one["choice"] for one in rows]), sizes)
    singles = 1 + sum(size - 1 for size in sizes)
    weight = np.where(np.arange(matrix.shape[1]) < singles, 0.1, 10.0)
    target = np.array([one[name] for one in rows])
    return np.asarray(np.linalg.solve(matrix.T @ matrix + np.diag(weight), matrix.T @ target), np.float64)


def missed(figures: dict[str, Any], aims: Aims) -> float:
    """Return by how much figures miss the aims, weighted."""
    total = 0.0
    for name, (least, most, *weight) in aims.items():
        value = figures[name]
        miss = max(0.0, least - value, value - most) if np.isfinite(value) else 1.0
        total += (weight[0] if weight else 1.0) * miss
    return total


def ranked(found: Rulesets, levers: Levers, aims: Aims) -> list[dict[str, Any]]:
    """Return all combinations with their fitted figures, those that miss the aims least first."""
    sizes = list(map(len, values_of(levers)))
    every = np.array(list(itertools.product(*map(range, sizes))))
    names = [name for name in found[0] if name not in ("choice", "seed") and all(name in one for one in found)]
    matrix, unknown = design(every, sizes), np.full(len(every), math.nan)
    measured = {name for name in names if any(np.isfinite(one[name]) for one in found)}
    fitted = {name: matrix @ fit(found, name, sizes) if name in measured else unknown for name in names}
    rows = [{"choice": one.tolist(), **{name: float(fitted[name][k]) for name in names}} for k, one in enumerate(every)]
    return sorted(rows, key=lambda row: missed(row, aims))


def page(found: Rulesets, confirmed: Rulesets, levers: Levers, aims: Aims, show: Any) -> str:
    """Return tables of the levers' effects, of the best combinations as fitted, and of those that were played again.

    Args:
        show: writes a figure, given its name and its value.
    """
    options, names = values_of(levers), [name for name in found[0] if name not in ("choice", "seed")]
    effects: list[list[object]] = []
    for k, (lever, values) in enumerate(zip(levers.levers, options, strict=True)):
        for v, value in enumerate(values):
            some = [one for one in found if one["choice"][k] == v]
            means = {name: [one[name] for one in some if np.isfinite(one.get(name, math.nan))] for name in names}
            cells = [show(name, float(np.mean(each)) if each else math.nan) for name, each in means.items()]
            effects.append([lever["name"], _short(value), len(some), *cells])

    def listed(rows: Rulesets) -> str:
        cells = [
            [
                ", ".join(_short(options[k][v]) for k, v in enumerate(row["choice"])), f"{missed(row, aims):.2f}",
                *(show(name, row[name]) for name in names if name in row),
            ]
            for row in rows
        ]  # fmt: skip
        return runs.table(["values", "missed", *(name for name in names if name in rows[0])], cells)

    text = f"# Levers, {len(found)} rulesets\n\n{runs.table(['lever', 'value', 'rulesets', *names], effects)}"
    text += f"\n## Fitted, the best\n\n{listed(ranked(found, levers, aims)[:20])}"
    if confirmed:
        text += f"\n## Played again\n\n{listed(sorted(confirmed, key=lambda row: missed(row, aims)))}"
    return text


def _short(value: Any) -> str:
    return "other" if isinstance(value, dict) else str(value)


def draw(found: Rulesets, confirmed: Rulesets, aims: Aims, pairs: Sequence[Sequence[str]], path: Path) -> None:
    """Draw pairs of figures against each other, the aims in green, and write a PNG: what excludes what."""
    made = figure(5 * len(pairs), 4)
    for axes, (x, y) in zip(made.subplots(1, len(pairs), squeeze=False)[0], pairs, strict=True):
        axes.scatter([one[x] for one in found], [one[y] for one in found], s=8)
        again = [one[x] for one in confirmed], [one[y] for one in confirmed]
        axes.scatter(*again, s=50, facecolors="none", edgecolors="black")
        for name, band in ((x, axes.axvspan), (y, axes.axhspan)):
            if name in aims:
                band(*aims[name][:2], color="#9dc183", alpha=0.25, lw=0)
        axes.set(xlabel=x.replace("_", " "), ylabel=y.replace("_", " "))
    made.suptitle("Rulesets (rings: played again); green: the aims", fontsize=10)
    made.savefig(path, dpi=110, format="png")
