"""The map as a picture: islands, spaces, heiaus with their owners, units, and the last orders as arrows.

Everything is drawn from the view and the positions in the ruleset's map; nothing here knows the rules.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from html import escape
from typing import Any

from hawaii_env.heiau.pictures.text import marks, title
from hawaii_env.heiau.play import Game
from hawaii_env.heiau.positions import HeiauView
from hawaii_env.heiau.ruleset.loading import Ruleset
from hawaii_env.render.layers import Box, Drawing, Layer

__all__ = ["COLOURS", "drawing"]

COLOURS = ("#B3541E", "#0B6FA8", "#0F7B57", "#8C3F73", "#7A6A00", "#3B3B3B")
"""Of the powers, by index: tones that colour-blind people tell apart, dark enough for white letters; each also has its
letters.
"""

SEA, LAND, SHORE, INK, PAPER = "#CFE3EA", "#EBDDBB", "#B79F6B", "#24414C", "#FBF8EF"
HEAD, FOOT = 56.0, 22.0
FONT = "'Fira Sans', 'Segoe UI', 'Noto Sans', Arial, sans-serif"


class _Chart:
    """Where things are drawn."""

    def __init__(self, rules: Ruleset) -> None:
        self.at: dict[str, tuple[float, float]] = {}
        for space in rules.spaces:
            self.at[space.id] = (space.x, space.y + HEAD)
            for coast, (x, y) in space.coasts.items():
                self.at[f"{space.id}/{coast}"] = (x, y + HEAD)


def _ground(rules: Ruleset, chart: _Chart) -> str:
    """Sea, islands, borders and names."""
    width, height = rules.size
    board = rules.board
    parts = [f'<rect width="{width:g}" height="{height + HEAD + FOOT:g}" fill="{SEA}"/>']
    lines: list[str] = []
    for a, one in enumerate(board.places):
        for b, other in enumerate(board.places):
            if (
                a < b
                and board.water[a] >> b & 1
                and "sea" in (board.kind[board.space_of[a]], board.kind[board.space_of[b]])
            ):
                (x, y), (u, v) = chart.at[one], chart.at[other]
                lines.append(f"M{x:g} {y:g}L{u:g} {v:g}")
    parts.append(f'<path d="{"".join(lines)}" stroke="#9DC3D0" stroke-width="1" fill="none" stroke-dasharray="2 4"/>')
    land = [s for s in range(len(board.spaces)) if board.is_land(s)]
    shape: list[str] = []
    borders: list[str] = []
    for s in land:
        x, y = chart.at[board.spaces[s]]
        shape.append(f"M{x:g} {y:g}h.01")
        for t in land:
            if s < t and board.land[s] >> t & 1:
                u, v = chart.at[board.spaces[t]]
                shape.append(f"M{x:g} {y:g}L{u:g} {v:g}")
                borders.append(f"M{x:g} {y:g}L{u:g} {v:g}")
    path = "".join(shape)
    for colour, size in ((SHORE, 56), (LAND, 52)):
        parts.append(
            f'<path d="{path}" stroke="{colour}" stroke-width="{size}" stroke-linecap="round" '
            'stroke-linejoin="round" fill="none"/>'
        )
    parts.append(f'<path d="{"".join(borders)}" stroke="{SHORE}" stroke-width="1.6" fill="none"/>')
    for space in rules.spaces:
        x, y = chart.at[space.id]
        name = escape(space.name)
        if space.kind == "sea":
            name = name.replace(" Channel", " Ch.")
            parts.append(
                f'<text x="{x:g}" y="{y + 24:g}" font-size="10.5" font-style="italic" text-anchor="middle" '
                f'fill="#47727F">{name}</text>'
            )
            parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="3" fill="#6FA3B3"/>')
        else:
            parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="3" fill="{SHORE}"/>')
            y += 24 if space.coasts else 0  # below the units on its coasts
            parts.append(
                f'<text x="{x:g}" y="{y + 23:g}" font-size="10.5" text-anchor="middle" fill="{INK}" '
                f'stroke="{LAND}" stroke-width="2.4" '
                f'paint-order="stroke">{name}</text>'
            )
    return "".join(parts)


def _centre(x: float, y: float, colour: str, post: bool) -> str:
    """A heiau as a stepped platform, a post as a house, in its owner's colour."""
    if post:
        return f'<path d="M{x - 6:g} {y + 5:g}v-7l6 -5 6 5v7z" fill="{colour}" stroke="{INK}" stroke-width="1"/>'
    return f'<path d="M{x - 8:g} {y + 5:g}v-5h3v-4h10v4h3v5z" fill="{colour}" stroke="{INK}" stroke-width="1"/>'


def _unit(x: float, y: float, kind: str, colour: str, mark: str, out: bool = False) -> str:
    """An army is a disc, a bunch a hull under a sail, a fleet a square with masts."""
    edge = f'stroke="{"#D62828" if out else "#FFFFFF"}" stroke-width="{2.4 if out else 1.4}"'
    if kind == "A":
        body = f'<circle cx="{x:g}" cy="{y:g}" r="11" fill="{colour}" {edge}/>'
    elif kind == "B":
        body = (
            f'<path d="M{x - 15:g} {y - 1:g}q4 13 15 13t15 -13z" fill="{colour}" {edge}/>'
            f'<path d="M{x - 1:g} {y - 3:g}v-13q11 3 10 13z" fill="{colour}" {edge}/>'
        )
        y += 4
    else:
        body = (
            f'<path d="M{x - 13:g} {y - 9:g}h26v18h-26z" fill="{colour}" {edge}/><path d="M{x - 6:g} '
            f'{y - 9:g}v-8M{x + 6:g} {y - 9:g}v-8" stroke="{colour}" stroke-width="3"/>'
        )
    return (
        f'{body}<text x="{x:g}" y="{y + 4:g}" font-size="11" font-weight="bold" text-anchor="middle" '
        f'fill="#FFFFFF">{mark}</text>'
    )


def _arrow(start: tuple[float, float], end: tuple[float, float], colour: str, style: str, failed: bool) -> str:
    """A line with a head; a failed order ends in a cross half-way."""
    (x, y), (u, v) = start, end
    length = math.hypot(u - x, v - y) or 1.0
    dx, dy = (u - x) / length, (v - y) / length
    tip = max(length - 14, length * 0.6)
    u, v = x + dx * tip, y + dy * tip
    head = (
        f"M{u - 8 * dx - 4 * dy:.1f} {v - 8 * dy + 4 * dx:.1f}L{u:.1f} {v:.1f}L{u - 8 * dx + 4 * dy:.1f} "
        f"{v - 8 * dy - 4 * dx:.1f}"
    )
    found = f'<path d="M{x:.1f} {y:.1f}L{u:.1f} {v:.1f}" stroke="#FFFFFF" stroke-width="4.6" fill="none" opacity=".7"/>'
    found += f'<path d="M{x:.1f} {y:.1f}L{u:.1f} {v:.1f}" stroke="{colour}" stroke-width="2.4" fill="none"{style}/>'
    found += f'<path d="{head}" stroke="{colour}" stroke-width="2.4" fill="none"/>'
    if failed:
        m, n = x + dx * tip * 0.55, y + dy * tip * 0.55
        cross = f"M{m - 5:.1f} {n - 5:.1f}l10 10m0 -10l-10 10"
        found += (
            f'<path d="{cross}" stroke="#FFFFFF" stroke-width="5"/><path d="{cross}" stroke="#D62828" '
            'stroke-width="2.6"/>'
        )
    return found


_DOTS = {"S": ' stroke-dasharray="6 4"', "C": ' stroke-dasharray="2 3"'}


def _order(text: str, chart: _Chart, colour: str, failed: bool) -> str:
    """An order as Diplomacy players draw it: moves solid, supports dashed to the middle of what they help, convoys
    dotted.
    """
    words = text.split()
    start = chart.at[words[1]]
    if words[2] == "-":
        return _arrow(start, chart.at[words[3]], colour, "", failed)
    if words[2] in _DOTS:
        source = chart.at[words[4]]
        goal = chart.at[words[6]] if len(words) > 5 else source
        middle = ((source[0] + goal[0]) / 2, (source[1] + goal[1]) / 2)
        return _arrow(start, middle, colour, _DOTS[words[2]], failed)
    return ""


def _head(view: HeiauView, game: Game, width: float) -> str:
    """When it is, and the powers with what they own."""
    short = marks(game.powers)
    parts = [
        f'<rect width="{width:g}" height="{HEAD:g}" fill="{PAPER}"/>',
        f'<text x="16" y="24" font-size="17" font-weight="bold" fill="{INK}">Heiau Diplomacy: '
        f"{escape(view.scenario.replace('_', ' '))}</text>",
        f'<text x="16" y="45" font-size="14" fill="{INK}">{escape(view.reason or title(view))}</text>',
    ]
    step = (width - 310) / max(1, len(game.powers))
    for index, power in enumerate(game.powers):
        x = 310 + index * step
        owned = sum(owner == power for owner in view.owners.values())
        parts.append(f'<circle cx="{x:g}" cy="28" r="13" fill="{COLOURS[index]}"/>')
        parts.append(
            f'<text x="{x:g}" y="32" font-size="11" font-weight="bold" text-anchor="middle" '
            f'fill="#FFFFFF">{short[power]}</text>'
        )
        parts.append(f'<text x="{x + 19:g}" y="25" font-size="13" fill="{INK}">{power}</text>')
        count = len(view.units.get(power, ()))
        parts.append(f'<text x="{x + 19:g}" y="41" font-size="10" fill="{INK}">{owned} owned, {count} units</text>')
    return "".join(parts)


def drawing(view: HeiauView, game: Game, legal: Mapping[int, str] | None = None) -> Drawing:
    """Return a position as a drawing.

    Args:
        view: the position as somebody knows it.
        game: its game, for the map and the powers.
        legal: legal actions; the places that they name are ringed.
    """
    rules = game.ruleset
    chart = _Chart(rules)
    width, height = rules.size[0], rules.size[1] + HEAD + FOOT
    box = Box(0, 0, width, height)
    colour = dict(zip(game.powers, COLOURS, strict=False))
    short = marks(game.powers)
    layers = [Layer(_ground(rules, chart), box)]
    centres: list[str] = []
    for space in rules.spaces:
        if space.heiau or space.id in view.posts:
            x, y = chart.at[space.id]
            centres.append(
                _centre(x + 20, y - 10, colour.get(view.owners.get(space.id, ""), "#FFFFFF"), not space.heiau)
            )
    layers.append(Layer("".join(centres), box))
    arrows = [_order(one["order"], chart, colour[one["power"]], not one["success"]) for one in view.last]
    if any(arrows):
        layers.append(Layer(f'<g opacity=".85">{"".join(arrows)}</g>', box))
    units: list[str] = []
    for power, texts in view.units.items():
        for text in texts:
            kind, _, place = text.partition(" ")
            units.append(_unit(*chart.at[place], kind, colour[power], short[power]))
    for one in view.dislodged:
        kind, _, place = one["unit"].partition(" ")
        x, y = chart.at[place]
        units.append(_unit(x + 16, y + 12, kind, colour[one["power"]], short[one["power"]], out=True))
    layers.append(Layer("".join(units), box))
    if legal:
        rings = {text.split()[-1] for text in legal.values()} & set(chart.at)
        marked = "".join(
            f'<circle cx="{chart.at[p][0]:g}" cy="{chart.at[p][1]:g}" r="17" fill="none" stroke="#D4A300" '
            'stroke-width="3"/>'
            for p in sorted(rings)
        )
        layers.append(Layer(marked, box))
    layers.append(Layer(_head(view, game, width), Box(0, 0, width, HEAD)))
    told = escape(f"Heiau Diplomacy, {view.scenario}, {title(view)}")
    attributes: dict[str, Any] = {"role": "img", "font-family": FONT}
    return Drawing(width, height, layers, attributes, f"<title>{told}</title>")
