"""Panels beside the map: points, turns, the chit in force, the combat, boxes, the bush, and signs."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from html import escape
from typing import Any

from hawaii_env.maori_wars.models import Scenario
from hawaii_env.maori_wars.pictures.chart import HEAD, PANEL, Chart, Point, point_list
from hawaii_env.maori_wars.pictures.counters import CREAM, GOLD, badge, counter, leader, structure
from hawaii_env.maori_wars.pictures.ground import paint
from hawaii_env.maori_wars.pictures.labels import overlap
from hawaii_env.maori_wars.pictures.lit import Lit, acts_of
from hawaii_env.maori_wars.pictures.names import (
    COLOURS,
    PHASE_NAMES,
    STRUCTURE_NAMES,
    THEMES,
    chit_effect,
    counted,
    initials,
    level_of,
    month,
)
from hawaii_env.maori_wars.pictures.scene import Group, Scene, side_of
from hawaii_env.maori_wars.ruleset import Ruleset
from hawaii_env.render.layers import Box, Layer, letters
from hawaii_env.texts import count

__all__ = ["header", "panels", "piece", "sheet", "text"]

_SERIF = 'font-family="Alegreya, \'Iowan Old Style\', Georgia, serif" font-weight="bold"'
INNER = PANEL - 20
SIDE_NAMES = {"maori": "Māori", "british": "British"}


def text(x: float, y: float, words: str, size: float = 13, name: str = "ink", more: str = "") -> str:
    """Return a line of text."""
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" {paint(name)}{more}>{escape(words)}</text>'


def sheet(box: Box) -> str:
    """Return a rectangle of paper."""
    return f'<rect x="{box.left:g}" y="{box.top:g}" width="{box.width:g}" height="{box.height:g}" {paint("paper")}/>'


def _title(x: float, y: float, words: str) -> str:
    return text(x, y, words, 16, more=f" {_SERIF}")


def header(scene: Scene, scenario: Scenario, width: float, last: str) -> list[Layer]:
    """Return the line above the map: scenario, turn and phase, what has just happened."""
    view = scene.view
    doing = PHASE_NAMES[view["phase"]]
    when = f"Turn {view['turn']} of {scenario.turns}, {month(scenario.first, view['turn'])}"
    said = f"{when}: {SIDE_NAMES[view['half']]} half, {doing.lower()}"
    if view["result"] is not None:
        winner = view["winner"]
        said = f"{'A tie' if winner is None else f'{SIDE_NAMES[winner]} victory'}: {view['result'].partition(' [')[0]}"
    decides = view["decides"]
    if decides is not None:
        said += f"; {SIDE_NAMES[decides]} {'decide' if decides == 'maori' else 'player decides'}"
    room = int((width - 20) / 6.4)
    last = last[: room - len(said)]
    return [
        Layer(text(14, 24, scenario.name, 21, more=f" {_SERIF}"), letters(14, 24, scenario.name, 16)),
        Layer(text(14, 45, said, 14, "mark", ' font-weight="bold"'), letters(14, 45, said, 10)),
        Layer(text(width - 12, 45, last, 13, "soft", ' text-anchor="end"'), letters(width - 12, 45, last, 10, "end")),
    ]


class _Column:
    """Panels one below the other."""

    def __init__(self, left: float) -> None:
        self.left, self.y = left + 10, HEAD + 6
        self.parts: list[Layer] = []

    def _add(self, part: Layer, down: float = 0.0) -> None:
        x, y = self.left, self.y + down
        assert part.box is not None
        moved = part.box._replace(left=x + part.box.left, top=y + part.box.top)
        shape, at = part.svg if part.shape is None else part.shape, (x + part.at[0], y + part.at[1])
        self.parts.append(Layer(f'<g transform="translate({x:g},{y:g})">{part.svg}</g>', moved, shape, at))

    def box(self, title: str, height: float, body: str, *more: Layer) -> None:
        """Add a panel; its body is drawn from its own corner, below the title, and `more` above it."""
        around = Box(-1, -1, INNER + 2, height + 30)  # on paper, so that its pixels are opaque
        frame = f'<rect width="{INNER:g}" height="{height + 28:g}" rx="7" {paint("box", "frame")}/>'
        inside = f'<g transform="translate(0,28)">{body}</g>' if body else ""
        self._add(Layer(f"{sheet(around)}{frame}{_title(10, 20, title)}{inside}", around))
        for part in more:
            self._add(part, 28)
        self.y += height + 34

    def lines(self, title: str, lines: Sequence[str]) -> None:
        """Add a panel with lines of text."""
        downs = [10 + 15.5 * number for number in range(len(lines))]
        texts = [Layer(text(10, y, line, 12.5), letters(10, y, line, 9)) for y, line in zip(downs, lines, strict=True)]
        self.box(title, 15.5 * len(lines), "", *texts)


def _marker(rules: Ruleset, marker: int) -> str:
    """Draw the track of victory points [1.0]."""
    end = rules.charts.victory.decisive
    cell = (INNER - 20) / (2 * end + 1)
    parts: list[str] = []
    for points in range(-end, end + 1):
        x = 10 + (points + end) * cell
        side = "maori" if points < 0 else "british"
        level = level_of(rules, points).split()[0]
        depth = {"tie": 0.0, "minor": 0.3, "major": 0.55, "decisive": 0.9}[level]
        parts.append(
            f'<rect x="{x:.1f}" width="{cell:.1f}" height="20" {paint("paper", "frame")}/><rect x="{x:.1f}" '
            f'width="{cell:.1f}" height="20" {paint(side)} fill-opacity="{depth}"/>'
        )
        if points % 3 == 0:
            parts.append(text(x + cell / 2, 33, str(abs(points)), 12, "soft", ' text-anchor="middle"'))
    x = 10 + (max(-end, min(end, marker)) + end + 0.5) * cell
    colour = COLOURS["maori" if marker < 0 else "british" if marker else "neutral"]
    parts.append(f'<path d="M{x:.1f},-4l9,14l-9,14l-9,-14z" fill="{GOLD}" stroke="{colour}" stroke-width="3"/>')
    who = "level" if not marker else f"{count(abs(marker), 'point')} for {'Māori' if marker < 0 else 'the British'}"
    parts.append(text(10, 52, f"{who[:1].upper()}{who[1:]}: {level_of(rules, marker).partition(' of ')[0]}"))
    return "".join(parts)


def _turns(scenario: Scenario, view: Mapping[str, Any]) -> str:
    """Draw the track of turns, with the reinforcements that are due."""
    cell = min(40.0, (INNER - 20) / scenario.turns)
    parts: list[str] = []
    for turn in range(1, scenario.turns + 1):
        x, now = 10 + (turn - 1) * cell, turn == view["turn"]
        fill = f'fill="{GOLD}"' if now else paint("paper")
        parts.append(f'<rect x="{x:.1f}" width="{cell:.1f}" height="22" {fill}/>')
        parts.append(
            f'<rect x="{x:.1f}" width="{cell:.1f}" height="22" fill="none" {paint("frame")}/>'
            f'<text x="{x + cell / 2:.1f}" y="15.5" font-size="12" text-anchor="middle" '
            + (f'fill="#24303B" font-weight="bold">{turn}</text>' if now else f"{paint('ink')}>{turn}</text>")
        )
        for number, one in enumerate(one for one in scenario.arrivals if one.turn == turn):
            parts.append(
                f'<circle cx="{x + cell / 2 + 9 * number:.1f}" cy="28" r="3.6" fill="{COLOURS[one.side]}" '
                f'stroke="{CREAM}"><title>reinforcements: {SIDE_NAMES[one.side]}</title></circle>'
            )
    return "".join(parts)


def _row(
    groups: Sequence[Group], scene: Scene, lit: Lit, x: float, y: float, place: str, size: float = 22
) -> Iterator[Layer]:
    """Draw groups of pieces side by side."""
    rules = scene.rules
    for number, group in enumerate(groups):
        at = x + number * size * 1.42
        drawn = (
            leader(initials(rules.leaders[group.kind].name), group.side, size * 0.46)
            if group.is_leader
            else counter(group.kind, group.side, size, group.disrupted)
        )
        many = badge(group.count, -size * 0.46, -size * 0.42) if group.count > 1 else ""
        acts = acts_of(lit.of_group(place, group))
        glow = f'<circle r="{size * 0.74:.1f}" fill="{GOLD}" fill-opacity=".6"/>' if acts else ""
        shape, reach = glow + drawn + many, size
        svg = piece(group, rules, place, at, y, shape, acts)
        yield Layer(svg, Box(at - reach, y - reach, 2 * reach, 2 * reach), shape, (at, y))


def piece(group: Group, rules: Ruleset, place: str, x: float, y: float, drawn: str, more: str = "") -> str:
    """Return the element of a group of pieces, as pages look for it."""
    said = counted(rules, group.kind, group.count) + (", Disrupted" if group.disrupted else "")
    return (
        f'<g class="piece{" legal" * bool(more)}" data-place="{place}" data-side="{group.side}" '
        f'data-piece="{group.kind}{"/disrupted" * group.disrupted}" data-piece-kind="{group.kind}" '
        f'data-count="{group.count}"{more} transform="translate({x:.1f},{y:.1f})"><title>{escape(said)}</title>'
        f"{drawn}</g>"
    )


def _boxes(scene: Scene, lit: Lit) -> Iterator[Layer]:
    """Draw the Reinforcement Boxes [5.0]."""
    rules = scene.rules
    for row, owner in enumerate(("maori", "british")):
        y = 14 + 30 * row
        held = scene.view["boxes"][owner]
        groups = [Group(kind, side_of(rules, kind, owner), False, n, kind in rules.leaders) for kind, n in held.items()]
        words = text(10, y + 4, SIDE_NAMES[owner], 13, more=' font-weight="bold"')
        words += "" if groups else text(70, y + 4, "empty", 13, "soft")
        yield Layer(words, Box(4, y - 12, 110, 24))
        yield from _row(groups, scene, lit, 82, y, f"box/{owner}", 22 if len(groups) <= 6 else 22 * 6 / len(groups))


def _chit(rules: Ruleset, number: int) -> tuple[str, float]:
    """Draw the chit in force [9.0]."""
    chit = rules.chits[number - 1]
    lines = textwrap.wrap(chit_effect(rules, chit), 36)
    body = (
        f'<circle cx="25" cy="14" r="14" fill="{GOLD}" stroke="#8A6A10" stroke-width="1.5"/><text x="25" y="18.5" '
        f'font-size="13" font-weight="bold" text-anchor="middle" fill="#24303B">{number}</text>'
        + text(46, 12, chit.title, 15, more=f" {_SERIF}")
    )
    return body + "".join(text(46, 29 + 16 * i, line, 12.5) for i, line in enumerate(lines)), 24.0 + 16 * len(lines)


def _combat(scene: Scene, target: str) -> list[str]:
    """Return the lines that tell of a combat."""
    board = scene.rules.board
    name = board.hex_name(target)
    lines = [f"Target: {name}{'' if name == target else f' ({target})'}"]
    for at, units in scene.participants.items():
        where = board.hex_name(at) if at in board.map.hexes else "the bush"
        said = ", ".join(counted(scene.rules, kind, n) for kind, n in units.items())
        lines.append(f"from {where}: {said}")
    if scene.gun:
        lines.append(f"bombarding: {counted(scene.rules, scene.gun, 1)}")
    return [part for line in lines for part in textwrap.wrap(line, 44)]


@cache
def _territories(chart: Chart) -> tuple[float, dict[str, tuple[str, Point]], str]:
    """Return the small map of the territories: its height, of each its path and its middle, and the borders."""
    hexes = [chart.at(at) for at in chart.hexes]
    west, east = min(x for x, _ in hexes), max(x for x, _ in hexes)
    north, south = min(y for _, y in hexes), max(y for _, y in hexes)
    height = 48.0 if len(chart.territories) == 1 else 220.0 if len(chart.territories) < 4 else 420.0
    scale = min((INNER - 30) / (east - west + 1), (height - 24) / (south - north + 1))
    left, top = INNER / 2 - (west + east) / 2 * scale, height / 2 - (north + south) / 2 * scale
    found: dict[str, tuple[str, Point]] = {}
    for territory in chart.territories:
        inside = [at for at in chart.hexes if chart.board.territory(at) == territory]
        path = "".join(f"M{point_list(_small(chart.corners(at, 1.06), scale, left, top))}z" for at in inside)
        x, y = (sum(chart.at(at)[axis] for at in inside) / len(inside) * scale for axis in (0, 1))
        found[territory] = path, (left + x, top + y)
    borders = [(_small(edge, scale, left, top)) for edge in chart.borders]
    return height, found, "".join(f"M{a[0]:.1f} {a[1]:.1f}L{b[0]:.1f} {b[1]:.1f}" for a, b in borders)


def _bush(scene: Scene, chart: Chart, lit: Lit) -> tuple[float, str, list[Layer]]:
    """Draw the Bush Raider Box: its height, a small map of the territories, and in each who is there [10.0]."""
    height, territories, lines = _territories(chart)
    parts: list[str] = []
    for territory, (path, _) in territories.items():
        acts = acts_of(lit.territories.get(territory))
        style = f'class="space legal" fill="{GOLD}"' if acts else f'class="space territory" fill="{THEMES["rough"][1]}"'
        parts.append(f'<path {style} data-space="{territory}" d="{path}"{acts}/>')
    parts.append(f'<path d="{lines}" fill="none" {paint("halo")} stroke-width="3"/>')
    found, taken = list[Layer](), list[Box]()
    for territory, (_, (x, y)) in territories.items():
        name = chart.board.map.territories[territory].name
        groups = scene.units(territory)
        half = max(3.4 * len(name) + 4, 13 * len(groups))
        x = min(max(x, 4 + half), INNER - 4 - half)
        high = 40 if groups else 15
        tops = (min(max(0, y + shift - 14), height - high) for shift in (0, 12, -12, 24, -24, 36, -36))
        tries = [Box(x - half, top, 2 * half, high) for top in tops]
        box = min(tries, key=lambda box: sum(overlap(box, other) for other in taken))
        taken.append(box)
        words = text(x, box.top + 12, name, 12, more=' text-anchor="middle"')
        found.append(Layer(words, letters(x, box.top + 12, name, 9, "middle")))
        left = x - 18 * 1.42 * (len(groups) - 1) / 2
        found += _row(groups, scene, lit, left, box.top + 28, territory, 18)
    return height, "".join(parts), found


def _small(points: Sequence[Point], scale: float, left: float, top: float) -> list[Point]:
    return [(left + x * scale, top + y * scale) for x, y in points]


def _rest(scene: Scene, scenario: Scenario) -> list[str]:
    """Return lines about chits, forts and leaders."""
    view = scene.view
    cup = f"{count(len(view['cup']), 'chit')} in the cup"
    if view["aside"]:
        cup += f", {len(view['aside'])} put aside"
    lines = [cup]
    if scenario.fort_limit < 99:
        lines.append(f"Forts built: {view['forts_built']} of {scenario.fort_limit}")
    if view["out"]:
        lines.append(f"Lost: {', '.join(counted(scene.rules, kind, n) for kind, n in view['out'].items())}")
    return [part for line in lines for part in textwrap.wrap(line, 44)]


def _signs(rules: Ruleset) -> Iterator[str]:
    """Draw what each sign means."""
    rows = [(counter(kind, one.side, 18, False), one.name.partition(" (")[0]) for kind, one in rules.kinds.items()]
    rows.append((counter("neutral", "neutral", 18, False), "Neutral unit"))
    rows.append((counter("infantry", "british", 18, True), "Disrupted"))
    rows += [(structure(kind, side, 22, False), STRUCTURE_NAMES[kind]) for kind, side in (
        ("village", "maori"), ("pa", "maori"), ("settlement", "british"), ("fort", "british"),
    )]  # fmt: skip
    rows.append((structure("town", "british", 22, False), "town"))
    rows.append((leader("", "maori", 7), "leader"))
    half = (len(rows) + 1) // 2
    for number, (sign, words) in enumerate(rows):
        x, y = 20 + INNER * 0.56 * (number // half), 10 + 21 * (number % half)
        words = words[:1].upper() + words[1:]
        yield f'<g transform="translate({x:.1f},{y:.1f})">{sign}</g>{text(x + 18, y + 4, words, 12)}'


def panels(scene: Scene, scenario: Scenario, chart: Chart, lit: Lit) -> tuple[list[Layer], float]:
    """Return the column beside the map, and where it ends. The signs are left out where there is no room for them."""
    rules, view = scene.rules, scene.view
    column = _Column(chart.left + chart.size[0])
    column.box("Victory points", 60, _marker(rules, view["marker"]))
    column.box("Turns", 34, _turns(scenario, view))
    if chit := (view["combat"] or {}).get("chit"):
        body, height = _chit(rules, chit)
        column.box("Battle dispatch", height, body)
    if scene.target:
        column.lines("Combat", _combat(scene, scene.target))
    column.box("Reinforcement boxes", 60, "", *_boxes(scene, lit))
    height, body, more = _bush(scene, chart, lit)
    column.box("In the bush", height, body, *more)
    column.lines("Chits, forts, leaders", _rest(scene, scenario))
    signs = list(_signs(rules))
    height = 21.0 * ((len(signs) + 1) // 2) + 4
    if column.y + height + 28 <= HEAD + chart.size[1]:
        column.box("Signs", height, "".join(signs))
    return column.parts, column.y
