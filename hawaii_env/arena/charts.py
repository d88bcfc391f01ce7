"""The charts of a report: ranking, cross-table, seats, results, lengths and speed, drawn with Matplotlib.

Each function returns a figure; `inline_svg` makes one part of a page, where it takes the page's colours, light or dark,
and `save` writes files for everything else. Colours are those of Okabe and Ito, or a scale from orange to blue, which
people with any common kind of colour blindness can distinguish; numbers repeat all their information.
"""

from __future__ import annotations

import importlib
import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hawaii_env.texts import number, show, write_bytes

__all__ = ["inline_svg", "lengths", "outcomes", "ranking", "save", "scores", "seats", "speed"]

BLUE, ORANGE, GREEN, VERMILION, PURPLE, SKY, GREY = (
    "#0072b2",
    "#e69f00",
    "#009e73",
    "#d55e00",
    "#cc79a7",
    "#56b4e9",
    "#bdbdbd",
)
SERIES = (BLUE, ORANGE, GREEN, VERMILION, PURPLE, SKY)
MARKERS = ("o", "s", "^", "D", "v", "P")
INK, LINE, DOT = "#1a1b1e", "#d8d9dc", "#0072b3"
"""Text, grid lines and dots. In a page each becomes the page's own: no other part of a chart uses these values."""

PAGE = {INK: "currentColor", LINE: "var(--line)", DOT: "var(--dot)"}
WIDTH = 4.2
"""Inches: small enough that text is still read at the width of a phone."""

NAME = 26
"""Longest name of a player beside a chart, in characters."""

STYLE: dict[str, Any] = {
    "font.size": 8.5,
    "font.family": ["DejaVu Sans"],
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": LINE,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "axes.axisbelow": True,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "xtick.minor.size": 0,
    "ytick.minor.size": 0,
    "grid.color": LINE,
    "grid.linewidth": 0.7,
    "svg.fonttype": "none",
    "text.parse_math": False,  # a name may have dollars
    "svg.hashsalt": "hawaii_env",
    "legend.frameon": False,
}


def _matplotlib(name: str = "matplotlib") -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"charts need Matplotlib: pip install 'hawaii-env[arena]' ({error})", name=error.name
        ) from error


def short(name: str, length: int = NAME) -> str:
    """Return a name for display, shortened in the middle."""
    name = show(name)
    if len(name) <= length:
        return name
    head = (length - 1) // 2
    return f"{name[:head]}…{name[len(name) - (length - 1 - head) :]}"


def _axes(height: float, width: float = WIDTH) -> tuple[Any, Any]:
    with _matplotlib().rc_context(STYLE):
        figure = _matplotlib("matplotlib.figure").Figure(figsize=(width, height), layout="constrained")
        return figure, figure.add_subplot()


def _names(axes: Any, players: Sequence[str]) -> None:
    """Label one line for each player, the first at the top."""
    axes.set_yticks(range(len(players)), [short(player) for player in players])
    axes.set_ylim(len(players) - 0.4, -0.6)


def _aside(axes: Any, row: int, text: str) -> None:
    """Write a figure to the right of a line."""
    axes.text(1.02, row, text, transform=axes.get_yaxis_transform(), va="center_baseline", ha="left")


def _columns(names: Sequence[str]) -> int:
    """Return the columns of a legend; four names fill two lines of two."""
    return 2 if len(names) == 4 else min(len(names), 3)


def _height(rows: int) -> float:
    return 0.75 + 0.25 * rows


def ranking(players: Sequence[str], elo: Sequence[float], low: Sequence[float], high: Sequence[float]) -> Any:
    """Draw ratings, best first, as dots on the bars of their 95% intervals; no bar if an end is NaN."""
    with _matplotlib().rc_context(STYLE):
        figure, axes = _axes(_height(len(players)))
        for row, (value, left, right) in enumerate(zip(elo, low, high, strict=True)):
            if right > left:
                axes.barh(row, right - left, left=left, height=0.46, color=DOT, alpha=0.32, linewidth=0)
            axes.plot([value], [row], "o", color=DOT, markersize=4.5)
            _aside(axes, row, number(value, 0))
        _names(axes, players)
        axes.set_xlabel("Elo, with 95% interval")
        axes.grid(axis="x")
    return figure


def scores(
    players: Sequence[str],
    matrix: NDArray[np.float64],
    label: str = "score in % of the row's player\nagainst the column's",
) -> Any:
    """Return the score of each row's player against each column's in percent, float64[n, n]; NaN stays empty."""
    with _matplotlib().rc_context(STYLE):
        colours = _matplotlib("matplotlib.colors").LinearSegmentedColormap.from_list(
            "score", [ORANGE, "#f2d9a0", "#ececec", "#9cc3de", BLUE]
        )
        count = len(players)
        size = max(0.34 * count, 1.2)
        longest = 0.075 * max(len(short(player)) for player in players)
        figure, axes = _axes(size + longest + 0.5, max(size + longest + 0.5, 3.2))
        borders = np.arange(count + 1) - 0.5
        axes.pcolormesh(borders, borders, np.ma.masked_invalid(matrix), cmap=colours, vmin=0.0, vmax=1.0)
        axes.set_aspect("equal")
        axes.invert_yaxis()
        for i in range(count):
            for j in range(count):
                if not np.isnan(matrix[i, j]):
                    ink = "#ffffff" if matrix[i, j] >= 0.93 else "#101010"
                    axes.text(j, i, f"{100 * matrix[i, j]:.0f}", ha="center", va="center", fontsize=7.5, color=ink)
        axes.set_xticks(range(count), [short(player) for player in players], rotation=90)
        axes.set_yticks(range(count), [short(player) for player in players])
        axes.xaxis.tick_top()
        axes.set_xticks(borders, minor=True)
        axes.set_yticks(borders, minor=True)
        axes.set_axisbelow(False)
        axes.grid(which="minor", linewidth=0.7)
        axes.spines[:].set_visible(False)
        axes.set_xlabel(label)
    return figure


def seats(players: Sequence[str], by_seat: NDArray[np.float64], names: Sequence[str]) -> Any:
    """Draw each player's mean score in each seat, float64[n, S], on one line."""
    with _matplotlib().rc_context(STYLE):
        figure, axes = _axes(_height(len(players)) + 0.25)
        for row, values in enumerate(by_seat):
            there = values[~np.isnan(values)]
            if len(there) > 1:
                axes.plot([100 * there.min(), 100 * there.max()], [row, row], color=GREY, linewidth=2.5, zorder=1)
        for seat, name in enumerate(names):
            axes.plot(
                100 * by_seat[:, seat],
                range(len(players)),
                linestyle="none",
                marker=MARKERS[seat % len(MARKERS)],
                color=SERIES[seat % len(SERIES)],
                markersize=5.5,
                label=short(name),
            )
        _names(axes, players)
        axes.set_xlim(-3, 103)
        axes.set_xlabel("mean score in %, by seat")
        axes.grid(axis="x")
        figure.legend(loc="outside upper left", ncols=_columns(names), handletextpad=0.2)
    return figure


def outcomes(lines: Sequence[str], shares: NDArray[np.float64], names: Sequence[str]) -> Any:
    """Draw shares of results that sum to 1, float64[L, R], as one bar for each line."""
    palette = (BLUE, GREY, ORANGE) if len(names) == 3 else (*SERIES[: len(names) - 1], GREY)
    with _matplotlib().rc_context(STYLE):
        figure, axes = _axes(_height(len(lines)) + 0.25)
        left = np.zeros(len(lines))
        for kind, name in enumerate(names):
            width = 100 * np.nan_to_num(shares[:, kind])
            colour = palette[kind % len(palette)]
            axes.barh(range(len(lines)), width, left=left, height=0.72, color=colour, label=short(name), linewidth=0)
            for row, part in enumerate(width):
                if part >= 7:
                    ink = "#ffffff" if colour in (BLUE, GREEN, VERMILION) else "#101010"
                    axes.text(
                        left[row] + part / 2, row, f"{part:.0f}", ha="center", va="center", color=ink, fontsize=7.5
                    )
            left += width
        _names(axes, lines)
        axes.set_xlim(0, 100)
        axes.set_xlabel("share of games in %")
        axes.grid(axis="x")
        figure.legend(loc="outside upper left", ncols=_columns(names), handlelength=1.0, handletextpad=0.4)
    return figure


def lengths(edges: NDArray[np.float64], counts: NDArray[np.int64]) -> Any:
    """Draw a histogram of the decisions of games: bin edges, float64[b + 1], and counts, int64[b]."""
    with _matplotlib().rc_context(STYLE):
        figure, axes = _axes(2.3)
        axes.bar(edges[:-1], counts, width=np.diff(edges) * 0.94, align="edge", color=DOT, linewidth=0)
        axes.set_xlabel("decisions in a game")
        axes.set_ylabel("games")
        axes.yaxis.get_major_locator().set_params(integer=True)
        axes.grid(axis="y")
    return figure


def speed(players: Sequence[str], rates: Sequence[float]) -> Any:
    """Draw decisions per second of each player on a logarithmic scale; NaN is left out."""
    with _matplotlib().rc_context(STYLE):
        figure, axes = _axes(_height(len(players)))
        known = [rate for rate in rates if rate > 0]
        low, high = (10.0 ** np.floor(np.log10(min(known))), max(known)) if known else (1.0, 10.0)
        for row, rate in enumerate(rates):
            if rate > 0:
                axes.plot([low, rate], [row, row], color=GREY, linewidth=2.5, zorder=1)
                axes.plot([rate], [row], "o", color=DOT, markersize=5)
                _aside(axes, row, number(rate))
        axes.set_xscale("log")
        axes.set_xlim(low, high * 1.5)
        _names(axes, players)
        axes.set_xlabel("decisions per second, logarithmic scale")
        axes.grid(axis="x")
    return figure


def _svg(figure: Any, transparent: bool) -> str:
    with _matplotlib().rc_context(STYLE):
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", transparent=transparent, metadata={"Date": None, "Creator": None})
    return buffer.getvalue()


def inline_svg(figure: Any, key: str, label: str) -> str:
    """Return a figure as an ``<svg>`` element for a page.

    Text takes the page's own colour and font, grid lines ``--line`` and dots ``--dot``.

    Args:
        figure: a figure of this module.
        key: prefix of all ids, so that several figures fit in one page.
        label: text for screen readers, without ``"``, ``<`` and ``&``.
    """
    text = _svg(figure, transparent=True)
    text = text[text.index("<svg") :].strip()
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.DOTALL)
    for colour, mine in PAGE.items():
        text = text.replace(colour, mine)
    text = re.sub(r'\bid="', f'id="{key}-', text)
    text = re.sub(r'(xlink:href="#|url\(#)', rf"\1{key}-", text)
    text = re.sub(r"font: ([\d.]+px) [^;\"]*", r"font-size: \1", text)
    width = re.search(r'width="([\d.]+)pt" height="[\d.]+pt"', text)
    assert width is not None
    pixels = float(width[1]) * 96 / 72
    text = text.replace(width[0], f'style="width: {1.3 * pixels:.0f}px"', 1)
    return text.replace("<svg", f'<svg role="img" aria-label="{label}"', 1)


def save(figure: Any, folder: Path, name: str) -> None:
    """Write a figure to ``name.svg`` and ``name.png`` in a folder, on white."""
    write_bytes(folder / f"{name}.svg", _svg(figure, transparent=False).encode())
    with _matplotlib().rc_context(STYLE):
        picture = io.BytesIO()
        figure.savefig(picture, dpi=160, metadata={"Software": None})
        write_bytes(folder / f"{name}.png", picture.getvalue())
