"""The map below the pieces: sea, coast, bush, mountains, lakes, rivers, hexes, borders and names of territories."""

from __future__ import annotations

import math
from functools import cache
from html import escape

from hawaii_env.maori_wars.pictures.chart import SPREAD, Chart, smooth
from hawaii_env.maori_wars.pictures.labels import labels_of
from hawaii_env.maori_wars.pictures.names import THEMES
from hawaii_env.render.relief import SEA, depths, grain, mountains, ridges

__all__ = ["ground", "paint"]


def paint(*names: str) -> str:
    """Return the colours of an element, as attributes; names are those of `THEMES`."""
    return " ".join(f'{what}="{colour}"' for what, colour in (THEMES[name] for name in names))


def _frame(chart: Chart, more: float) -> str:
    """Return the rectangle of the map, and so much more on each side, as attributes."""
    width, height = (size + 2 * more for size in chart.size)
    return f'x="{chart.left - more:g}" y="{chart.top - more:g}" width="{width:g}" height="{height:g}"'


def _mountains(chart: Chart) -> str:
    """Draw the ranges of Te Ika-a-Māui."""
    lines = [[(*chart.place(north, east), metres) for north, east, metres in one] for one in ridges("te_ika_a_maui")]
    return mountains(lines, chart.scale)


def _cells(chart: Chart, terrain: str) -> str:
    return "".join(chart.outline(at, 1.04) for at in chart.hexes if chart.board.terrain(at) == terrain)


def _land(chart: Chart) -> str:
    """Draw the land, that of the theatre by its terrain; borders of terrain are soft."""
    others = [at for at in chart.board.land if at not in set(chart.hexes) and chart.shown(at)]
    inside = "".join(chart.outline(at) for at in chart.hexes)
    outside = "".join(chart.outline(at, 1.02) for at in others)
    return (
        f'<use href="#mw-coast" {paint("far")}/><g clip-path="url(#mw-land)">'
        f'<path d="{inside}" {paint("clear", "clear_edge")} stroke-width="{chart.height * 0.7:.1f}" '
        'stroke-linejoin="round"/>'
        f'<g filter="url(#mw-soft)"><path d="{_cells(chart, "rough")}" {paint("rough")}/>'
        f'<path d="{_cells(chart, "mountain")}" {paint("high")}/></g>'
        f'<path d="{outside}" {paint("far")}/>'
        f"{_mountains(chart)}{_trees(chart)}{_peaks(chart)}</g>"
    )


def _scatter(at: str, number: int) -> list[tuple[float, float]]:
    """Return points of the unit square, spread evenly and not in rows, the same for a hex every time."""
    seed = int(at) * 0.754877666 % 1.0, int(at) * 0.569840296 % 1.0
    return [((seed[0] + k * 0.754877666) % 1.0, (seed[1] + k * 0.569840296) % 1.0) for k in range(number)]


def _trees(chart: Chart) -> str:
    """Draw the bush: crowns of trees strewn over rough hexes, more of them where hexes are large."""
    number = round(min(22, 8 + (chart.height - 36) / 3.5))
    crowns: tuple[list[str], list[str]] = ([], [])
    for at in chart.hexes:
        if chart.board.terrain(at) != "rough":
            continue
        x, y = chart.at(at)
        for k, (u, v) in enumerate(_scatter(at, number)):
            px, py = x + (u - 0.5) * 1.6 * chart.side, y + (v - 0.5) * 0.92 * chart.height
            if abs(py - y) <= math.sqrt(3) * (chart.side - abs(px - x)):
                crowns[k % 2].append(f"M{px:.0f} {py:.0f}h.1")
    size = 3.2 + chart.height / 26
    return "".join(
        f'<path d="{"".join(points)}" fill="none" {paint("bush")} stroke-width="{size * part:.1f}" '
        'stroke-linecap="round"/>'
        for points, part in zip(crowns, (1.0, 0.7), strict=True)
    )


def _peaks(chart: Chart) -> str:
    """Draw mountains: peaks with a lit side."""
    dark: list[str] = []
    snow: list[str] = []
    unit = chart.height / 3.3
    for at in chart.hexes:
        if chart.board.terrain(at) != "mountain":
            continue
        x, y = chart.at(at)
        for dx, dy, s in ((-0.95, 0.42, 0.8), (0.9, 0.5, 0.72), (0, 0.35, 1.15)):
            px, py, s = x + dx * unit, y + dy * unit, s * unit
            dark.append(f"M{px - s:.1f} {py + 0.6 * s:.1f}L{px:.1f} {py - s:.1f}L{px + s:.1f} {py + 0.6 * s:.1f}z")
            snow.append(
                f"M{px:.1f} {py - s:.1f}L{px - 0.4 * s:.1f} {py - 0.36 * s:.1f}L{px - 0.1 * s:.1f} {py - 0.5 * s:.1f}"
                f"L{px + 0.12 * s:.1f} {py - 0.3 * s:.1f}L{px + 0.4 * s:.1f} {py - 0.36 * s:.1f}z"
            )
    return f'<path d="{"".join(dark)}" {paint("peak")}/><path d="{"".join(snow)}" {paint("snow")}/>'


def _waters(chart: Chart) -> str:
    """Draw Taupō, the lakes at lake hexsides, rivers with their dotted reaches, and sides of water."""
    parts = [f'<path d="{chart.lake()}" {paint("water", "shore")} stroke-width="1"/>']
    wide = max(2.0, chart.height / 22)
    parts += [
        f'<path d="{smooth(chart.river(name))}" fill="none" {paint("river")} stroke-width="{wide:.1f}" '
        'stroke-linecap="round" stroke-linejoin="round"/>'
        for name in chart.board.map.rivers
    ]
    for name in chart.board.map.rivers:
        line = chart.dotted(name)
        if len(line) > 1:
            path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in line)
            parts.append(f'<path d="{path}" fill="none" {paint("river")} stroke-width="{2 * wide:.1f}"/>')
            parts.append(
                f'<path d="{path}" fill="none" {paint("ford")} stroke-width="{0.85 * wide:.1f}" stroke-linecap="round" '
                f'stroke-dasharray="0.1 {2.4 * wide:.1f}"/>'
            )
    for _, _, ((x, y), (u, v)) in chart.sides("lake"):
        turn = math.degrees(math.atan2(v - y, u - x))
        parts.append(
            f'<ellipse rx="{chart.side * 0.46:.1f}" ry="{chart.side * 0.2:.1f}" '
            f'transform="translate({(x + u) / 2:.1f},{(y + v) / 2:.1f}) rotate({turn:.0f})" '
            f'{paint("water", "shore")} stroke-width="1" stroke-dasharray="3 2"/>'
        )
    return "".join(parts)


def _edges(chart: Chart) -> str:
    """Draw the grid, sides of water, and borders of territories."""
    parts = [
        f'<path d="{"".join(chart.outline(at) for at in chart.hexes)}" fill="none" {paint("grid")} '
        'stroke-opacity=".2" stroke-width="1"/>'
    ]
    for kind, wide, more in (("water", 12, ""), ("mixed", 24, ' stroke-opacity=".65" stroke-dasharray="4 4"')):
        lines = "".join(f"M{x:.1f} {y:.1f}L{u:.1f} {v:.1f}" for _, _, ((x, y), (u, v)) in chart.sides(kind))
        parts.append(
            f'<path d="{lines}" fill="none" {paint("river")} stroke-width="{max(30, chart.height) / wide:.1f}"{more}/>'
        )
    lines = "".join(f"M{x:.1f} {y:.1f}L{u:.1f} {v:.1f}" for (x, y), (u, v) in chart.borders)
    parts.append(
        f'<path d="{lines}" fill="none" {paint("border")} stroke-opacity=".75" stroke-width="2.2" '
        'stroke-linecap="round" stroke-dasharray="0.1 5"/>'
    )
    return "".join(parts)


def _areas(chart: Chart) -> str:
    """Draw the names of territories."""
    parts: list[str] = []
    for name, (x, y, size) in chart.area_names.items():
        parts.append(
            f'<text x="{x:.0f}" y="{y + size / 3:.0f}" font-family="Alegreya, Georgia, serif" font-size="{size:.0f}" '
            f'font-weight="bold" letter-spacing="{size * 0.2:.1f}" text-anchor="middle" {paint("area")} '
            f'fill-opacity=".55">{escape(chart.board.map.territories[name].name.upper())}</text>'
        )
    return "".join(parts)


def _numbers(chart: Chart) -> str:
    """Draw the numbers of hexes."""
    labels = labels_of(chart)
    texts = (f'<text x="{x:.0f}" y="{y:.0f}">{at}</text>' for at, (x, y) in labels.numbers.items())
    return (
        f'<g class="hex-numbers" font-size="{labels.least:g}" text-anchor="middle" fill-opacity=".75" {paint("area")}>'
        f"{''.join(texts)}</g>"
    )


@cache
def ground(chart: Chart) -> str:
    """Return the map without anything that changes."""
    return (
        "<defs>"
        f'<path id="mw-coast" d="{chart.coast()}"/><clipPath id="mw-land"><use href="#mw-coast"/></clipPath>'
        f'<clipPath id="mw-frame"><rect {_frame(chart, 0)}/></clipPath>'
        '<filter id="mw-soft" x="-5%" y="-5%" width="110%" height="110%">'
        f'<feGaussianBlur stdDeviation="{chart.height * 0.15:.1f}"/></filter></defs>'
        f'<g clip-path="url(#mw-frame)" data-spread=""><rect {_frame(chart, SPREAD)} fill="{SEA}"/>'
        f"{depths('mw-coast', 1.6 * max(chart.height, 44.0))}{_land(chart)}"
        f'<use href="#mw-coast" fill="none" {paint("shore")} stroke-width="1.3" stroke-linejoin="round"/>'
        f"{_waters(chart)}{grain('mw-', _frame(chart, SPREAD))}{_edges(chart)}{_areas(chart)}{_numbers(chart)}</g>"
    )
