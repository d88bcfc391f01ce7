"""The board as a picture: the map with its pieces, and beside it points, turns, boxes and the bush.

Drawn from the view alone. What can be chosen carries ``data-actions``, for who shows the document in a browser.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from html import escape
from typing import Any

from hawaii_env.game import Event
from hawaii_env.maori_wars.pictures.chart import HEAD, PANEL, Chart, chart_of
from hawaii_env.maori_wars.pictures.counters import GOLD, badge, counter, leader, structure
from hawaii_env.maori_wars.pictures.ground import ground
from hawaii_env.maori_wars.pictures.labels import labels_of, name_layers
from hawaii_env.maori_wars.pictures.lit import Lit, acts_of
from hawaii_env.maori_wars.pictures.names import STRUCTURE_NAMES, initials
from hawaii_env.maori_wars.pictures.panels import header, panels, piece, sheet
from hawaii_env.maori_wars.pictures.phrases import last_phrase
from hawaii_env.maori_wars.pictures.scene import Group, Scene
from hawaii_env.maori_wars.ruleset import Ruleset
from hawaii_env.render.layers import Box, Drawing, Layer, apart, markup, readable

__all__ = ["Stack", "draw", "drawing"]

FONT = "'Fira Sans', 'Segoe UI', 'Noto Sans', Arial, sans-serif"


@cache
def _outlines(chart: Chart) -> dict[str, tuple[str, str]]:
    """Return of each hex that can be pointed at its outline, and what is said of it: name and number."""
    said = {at: f"{name} ({at})" if (name := chart.board.hex_name(at)) != at else at for at in chart.hexes}
    return {
        at: (chart.outline(at, 0.95), f"<title>{escape(said[at])}</title>")
        for at in chart.hexes
        if chart.board.terrain(at) != "mountain"
    }


def _hexes(chart: Chart, lit: Lit) -> Iterator[Layer]:
    """Draw the hexes as what can be pointed at, those that can be chosen lit."""
    hexes = _outlines(chart)
    named = '<path class="space{}" data-space="{}" d="{}" {} pointer-events="all"{}>{}</path>'
    plain = [
        named.format("", at, line, 'fill="none"', "", said) for at, (line, said) in hexes.items() if at not in lit.hexes
    ]
    yield markup("".join(plain))
    style = f'fill="{GOLD}" fill-opacity=".2" stroke="{GOLD}" stroke-width="3"'
    for at, (line, said) in hexes.items():
        if acts := lit.hexes.get(at):
            svg = named.format(" legal", at, line, style, acts_of(acts), said)
            shape = f'<path d="{chart.outline(None, 0.95)}" {style}/>'
            yield Layer(svg, chart.around([at]), shape, chart.at(at))


class Stack:
    """The pieces of a hex, fanned out: land units in the middle, leaders above, boats below.

    Attributes:
        parts: each group with the middle of what is drawn.
        top: where it begins.
    """

    def __init__(self, chart: Chart, at: str, groups: Sequence[Group], stands: bool) -> None:
        self.at, (x, y), height = at, chart.at(at), chart.height
        self.unit = min(34.0, max(19.0, height * 0.43))
        self.disc = min(12.5, max(7.5, height * 0.19))
        rows = (
            [group for group in groups if group.is_leader],
            [group for group in groups if not group.is_leader and not group.is_boat],
            [group for group in groups if group.is_boat],
        )
        up = height * (0.16 if stands else 0.0)
        downs = (y - up - self.unit * 0.5 - self.disc * 0.3, y - up, y + height * 0.2)
        self.parts: list[tuple[Group, float, float]] = []
        for row, groups_, down in zip(range(3), rows, downs, strict=True):
            size = 2 * self.disc if row == 0 else self.unit
            step = min(size * 1.16, max(size * 0.56, (chart.side * 1.9 - size) / max(1, len(groups_) - 1)))
            middle = x + (chart.side * 0.66 if row == 2 else 0)
            for number, group in enumerate(groups_):
                across = middle + (number - (len(groups_) - 1) / 2) * step
                self.parts.append((group, across, down))
        self.parts.sort(key=lambda part: part[0].is_leader)
        self.top: float = min(down for *_, down in self.parts)

    @property
    def boxes(self) -> Iterator[Box]:
        """The squares that the pieces cover."""
        for group, x, y in self.parts:
            half = self.disc if group.is_leader else self.unit * 0.52
            yield Box(x - half, y - half, 2 * half, 2 * half)

    def drawn(self, rules: Ruleset, group: Group) -> str:
        """Return a group as it looks, around (0, 0)."""
        if group.is_leader:
            return leader(initials(rules.leaders[group.kind].name), group.side, self.disc)
        many = badge(group.count, -self.unit * 0.46, -self.unit * 0.42) if group.count > 1 else ""
        return counter(group.kind, group.side, self.unit, group.disrupted) + many

    def layers(self, rules: Ruleset, lit: Lit) -> Iterator[Layer]:
        """Return a layer for each group."""
        for group, x, y in self.parts:
            shape = self.drawn(rules, group)
            acts = lit.of_group(self.at, group)
            if acts:
                shape = f'<circle r="{self.unit * 0.74:.1f}" fill="{GOLD}" fill-opacity=".55"/>{shape}'
            reach = self.unit
            box = Box(x - reach, y - reach, 2 * reach, 2 * reach)
            yield Layer(piece(group, rules, self.at, x, y, shape, acts_of(acts)), box, shape, (x, y))


def _structures(scene: Scene, chart: Chart) -> Iterator[Layer]:
    """Draw structures and towns of the theatre."""
    size = min(46.0, max(25.0, chart.height * 0.62))
    inside = set(chart.hexes)
    for at, one in scene.structures.items():
        if at not in inside:
            continue
        x, y = chart.at(at)
        y += chart.height * (0.27 if scene.units(at) else 0.05)
        shape = structure(one.kind, one.side, size, one.disrupted)
        said = "town" if one.kind == "town" else STRUCTURE_NAMES[one.kind]
        svg = (
            f'<g class="structure" data-place="{at}" data-structure="{one.kind}" '
            f'transform="translate({x:.1f},{y:.1f})">'
            f"<title>{escape(said)}{', Disrupted' if one.disrupted else ''}</title>{shape}</g>"
        )
        yield Layer(svg, Box(x - size, y - size, 2 * size, 2 * size), shape, (x, y))


def _marks(scene: Scene, chart: Chart) -> Iterator[Layer]:
    """Draw the target of a combat with arrows of those who attack, and the sap [6.0, 9.0]."""
    parts, marked, sap = list[str](), list[str](), scene.view["sap"]
    target, inside = scene.target, set(chart.hexes)
    if target is not None:
        marked += [target, *(at for at in scene.participants if at in inside)]
        parts += [_arrow(chart, at, target, "#A5352B") for at in marked[1:]]
        parts.append(
            f'<path d="{chart.outline(target, 0.9)}" fill="none" stroke="#D8352B" stroke-width="3" '
            'stroke-dasharray="7 4"/>'
        )
    if scene.current is not None and scene.current in inside and scene.current != target:
        marked.append(scene.current)
        around = chart.outline(scene.current, 0.92)
        parts += [
            f'<path d="{around}" fill="none" stroke="{colour}" stroke-width="{wide}"/>'
            for colour, wide in (("#FFFFFF", 4), ("#24303B", 2))
        ]
    if sap is not None and "hex" in sap:
        marked += [sap["hex"], sap["target"]]
        parts.append(_arrow(chart, sap["hex"], sap["target"], "#6B4A2C", ' stroke-dasharray="3 3"'))
    if marked:
        yield Layer(f'<g fill="none">{"".join(parts)}</g>', chart.around(marked))


def _arrow(chart: Chart, start: str, end: str, colour: str, more: str = "") -> str:
    (x, y), (u, v) = chart.at(start), chart.at(end)
    p, q = x + 0.34 * (u - x), y + 0.34 * (v - y)
    s, t = x + 0.62 * (u - x), y + 0.62 * (v - y)
    dx, dy = (s - p), (t - q)
    length = max(1.0, (dx * dx + dy * dy) ** 0.5)
    dx, dy = dx / length, dy / length
    head = f"M{s + 9 * dx:.1f} {t + 9 * dy:.1f}L{s - 7 * dy:.1f} {t + 7 * dx:.1f}L{s + 7 * dy:.1f} {t - 7 * dx:.1f}z"
    return (
        f'<path d="M{p:.1f} {q:.1f}L{s:.1f} {t:.1f}" stroke="#FBF8F0" stroke-width="9"/><path d="{head}" '
        f'fill="{colour}" stroke="#FBF8F0" stroke-width="1.5"/><path d="M{p:.1f} {q:.1f}L{s:.1f} {t:.1f}" '
        f'stroke="{colour}" stroke-width="5"{more}/>'
    )


def drawing(
    view: Mapping[str, Any], rules: Ruleset, legal: Mapping[int, str] | None = None, events: Sequence[Event] = ()
) -> Drawing:
    """Return a position as a drawing.

    Args:
        view: the position as a table, as `State.view().to_dict()` gives it.
        rules: its ruleset.
        legal: legal actions; what they name is lit.
        events: what has happened; the last one is told.
    """
    scenario = rules.scenarios[view["scenario"]]
    chart = chart_of(rules, scenario.theatre)
    scene = Scene(view, rules)
    lit = Lit(legal, scene)
    column, bottom = panels(scene, scenario, chart, lit)
    width, height = chart.left + chart.size[0] + PANEL, HEAD + chart.size[1]
    layers = [Layer(ground(chart), Box(0, 0, width, height))]
    layers += _hexes(chart, lit)
    layers += _structures(scene, chart)
    inside = set(chart.hexes)
    stacks = [Stack(chart, at, groups, at in scene.structures) for at, groups in scene.groups.items() if at in inside]
    layers += _marks(scene, chart)
    for stack in sorted(stacks, key=lambda stack: stack.top):
        layers += stack.layers(rules, lit)
    layers += name_layers(chart, tuple(box for stack in stacks for box in stack.boxes))
    last = last_phrase(rules, events, view)
    top = Box(0, 0, width, HEAD)
    layers += [
        markup('<g class="heading">'),
        Layer(sheet(top), top),
        *header(scene, scenario, width, last),
        markup("</g>"),
    ]
    beside = Box(width - PANEL, HEAD, PANEL, height - HEAD)
    layers += [markup('<g class="beside">'), Layer(sheet(beside), beside), *column, markup("</g>")]
    said = f"Maori Wars, {scenario.name}, turn {view['turn']}"
    attributes = {"role": "img", "aria-label": escape(said, quote=True), "font-family": FONT}
    attributes |= apart(Box(*chart.theatre), beside._replace(height=bottom - HEAD)) | readable(
        labels_of(chart).readable
    )
    return Drawing(width, height, layers, attributes, f"<title>{escape(said)}</title>")


def draw(
    view: Any, *, game: Any, legal: Mapping[int, str] | None, events: Sequence[Event], width: int | None
) -> Drawing:
    """Return a position as a drawing in layers; see `hawaii_env.render.picture.SvgDrawer`."""
    return drawing(view.to_dict(), game.ruleset, legal, events)
