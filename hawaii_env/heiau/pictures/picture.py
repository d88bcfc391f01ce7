"""The map as a picture: islands, spaces, heiaus with their owners, units, and orders as arrows.

Everything is drawn from the view and the positions in the ruleset's map; nothing here knows the rules.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import cache
from html import escape

from hawaii_env.heiau.game import Game
from hawaii_env.heiau.pictures.chart import HEAD, NAME, SHORE, Arrow, Chart, chart_of
from hawaii_env.heiau.pictures.names import COLOURS, colours_of, marks, power_name, space_of, title
from hawaii_env.heiau.positions import HeiauView
from hawaii_env.render.coasts import coasts, outline, relief
from hawaii_env.render.layers import Box, Drawing, Layer, around, letters, markup, readable
from hawaii_env.render.relief import SEA, SHADOW, SHELF, SHOAL, grain
from hawaii_env.texts import count

__all__ = ["COLOURS", "drawing", "order_svg"]

SAND, EDGE, INK, PAPER, GOLD, RED = "#EBDDBB", "#5E7F86", "#24414C", "#FBF8EF", "#FFD43B", "#E03131"
JOINT = "#24414D"
"""Lines of white stones, in the dark too."""

TITLE = "font-family=\"Alegreya, 'Iowan Old Style', Georgia, serif\""
FONT = "'Fira Sans', 'Segoe UI', 'Noto Sans', Arial, sans-serif"


def _line(points: list[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points) + "z"


@cache
def _land(chart: Chart, island: str) -> tuple[str, float]:
    """Return a path whose stroke, and inside, is an island, and the stroke's width."""
    if island in chart.coasts:
        return _line(chart.coasts[island]), 0.0
    shape = [f"M{x:g} {y:g}h.01" for x, y in (chart.at[one] for one in chart.land if chart.islands[one] == island)]
    for one, other in chart.ways:
        (x, y), (u, v) = chart.at[one], chart.at[other]
        if chart.islands[one] == chart.islands[other] == island:
            shape.append(f"M{x:g} {y:g}L{u:g} {v:g}")
    return "".join(shape), 2 * SHORE


def _isles(chart: Chart, colour: str, wider: float, opacity: float = 1.0) -> str:
    """Return all islands in a colour, and so much around them."""
    parts: list[str] = []
    for island in dict.fromkeys(chart.islands[one] for one in chart.land):
        path, width = _land(chart, island)
        fill = colour if not width else "none"
        parts.append(
            f'<path d="{path}" fill="{fill}" stroke="{colour}" stroke-width="{width + wider:g}"'
            ' stroke-linecap="round" stroke-linejoin="round"/>'
        )
    seen = "" if opacity == 1 else f' opacity="{opacity}"'
    return f"<g{seen}>{''.join(parts)}</g>"


@cache
def _ground(chart: Chart) -> str:
    """Draw sea, channels and islands; the sea reaches beyond the picture, so that no frame has stripes beside it."""
    width, height = chart.size
    parts = [
        f'<rect class="sea" x="{-width:g}" y="{-height:g}" width="{3 * width:g}" height="{3 * height:g}" fill="{SEA}"/>'
    ]
    board = chart.rules.board
    for space in chart.rules.spaces:
        if space.kind == "sea" and not board.oceans >> board.spaces.index(space.id) & 1:
            x, y = chart.at[space.id]
            ends = [chart.at[b if a == space.id else a] for a, b, _ in chart.lanes if space.id in (a, b)]
            reach = sorted(math.dist((x, y), end) for end in ends)[: max(2, len(ends) // 2)]
            parts += [
                f'<circle cx="{x:g}" cy="{y:g}" r="{part * sum(reach) / len(reach):.0f}" fill="{SHOAL}" '
                'fill-opacity=".06"/>'
                for part in (1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4)
            ]
    parts += [_isles(chart, SHELF, 34), _isles(chart, SHOAL, 15)]
    lines = [
        f"M{chart.at[a][0]:g} {chart.at[a][1]:g}L{chart.at[b][0]:g} {chart.at[b][1]:g}"
        for a, b, through in chart.lanes
        if not through
    ]
    parts.append(
        f'<path d="{"".join(lines)}" stroke="#fff" stroke-opacity="0.6" stroke-width="1.2" fill="none" '
        'stroke-dasharray="1.5 5" stroke-linecap="round"/>'
    )
    parts.append(f'<g transform="translate(2.5 3.5)">{_isles(chart, "#0B2530", 0, 0.28)}</g>')
    parts += [_isles(chart, EDGE, 3), _isles(chart, SAND, 0), *_middles(chart)]
    parts.append(grain("heiau-", f'width="{width:g}" height="{height:g}"'))
    return "".join(parts)


@cache
def _mountains(chart: Chart, island: str) -> Layer:
    """Draw the mountains of an island with a coast, moved and scaled as its coast is."""
    coast, (left, top, width, height) = chart.rules.coasts[island], around(chart.coasts[island], 0)
    x, y, *_ = around(outline(coast.outline), 0)
    clip = f'<clipPath id="heiau-land-{island}"><path d="{coasts()[coast.outline]}"/></clipPath>'
    moved = f"translate({left - coast.scale * x:.2f} {top - coast.scale * y:.2f}) scale({coast.scale:g})"
    drawn = f'<g transform="{moved}" pointer-events="none">{clip}{relief(coast.outline, f"heiau-land-{island}")}</g>'
    return Layer(drawn, Box(left, top, width, height))


def _cells(view: HeiauView, chart: Chart, colour: Mapping[str, str]) -> Iterator[Layer]:
    """Draw the spaces on land, those that are owned in a tint of their owner's colour, and the ways between them."""
    width, height = chart.size
    for island in dict.fromkeys(chart.islands[one] for one in chart.land):
        path, wide = _land(chart, island)
        inside = f'fill="none" stroke="#fff" stroke-width="{wide:g}"' if wide else 'fill="#fff"'
        parts = [
            f'<mask id="heiau-{island}" maskUnits="userSpaceOnUse" x="0" y="0" width="{width:g}" height="{height:g}">'
            f'<path d="{path}" {inside} stroke-linecap="round" stroke-linejoin="round"/></mask>'
            f'<g mask="url(#heiau-{island})">'
        ]
        spaces = [one for one in chart.land if chart.islands[one] == island]
        for one in spaces:
            line, owner = _line(chart.cells[one]), view.owners.get(one)
            parts.append(
                f'<path class="cell" data-space="{one}" d="{line}" fill="{SAND}" stroke="#A08A5C" '
                'stroke-width="1.1" stroke-opacity="0.8"/>'
            )
            if owner is not None:
                parts.append(f'<path d="{line}" fill="{colour[owner]}" fill-opacity=".42" pointer-events="none"/>')
        middles = [chart.at[one] for one in spaces]
        parts += ["</g>", *(f'<circle cx="{x:g}" cy="{y:g}" r="2.6" fill="#8A744A"/>' for x, y in middles)]
        yield Layer("".join(parts), around(chart.coasts.get(island, middles), SHORE + 2))
        if island in chart.coasts:
            yield _mountains(chart, island)
    ridges = "".join(f"M{x:.1f} {y:.1f}L{u:.1f} {v:.1f}" for (x, y), (u, v) in chart.ridges)
    ways = "".join(
        f"M{chart.at[a][0]:g} {chart.at[a][1]:g}L{chart.at[b][0]:g} {chart.at[b][1]:g}" for a, b in chart.trails
    )
    if ridges or ways:
        yield Layer(
            f'<path d="{ridges}" stroke="#6E5A36" stroke-width="5" fill="none"/><path d="{ways}" stroke="#8A744A" '
            'stroke-width="1.4" stroke-dasharray="2 4" fill="none"/>',
            Box(0, 0, width, height),
        )


def _middles(chart: Chart) -> Iterator[str]:
    """Draw the middles of the seas, and the letters of coasts."""
    for space in chart.rules.spaces:
        if space.kind == "sea":
            x, y = chart.at[space.id]
            yield f'<circle cx="{x:g}" cy="{y:g}" r="2.6" fill="#3E7F92"/>'
        for coast in space.coasts:
            x, y = chart.at[f"{space.id}/{coast}"]
            yield (
                f'<text x="{x:g}" y="{y + 4:g}" font-size="15" font-style="italic" text-anchor="middle" '
                f'fill="#1D5566">{escape(coast)}</text>'
            )


def _names(chart: Chart) -> Iterator[Layer]:
    """Draw the names, to be drawn above all else: neither arrows nor rings nor units cover them."""
    yield markup('<g class="place-names">')
    for space in chart.rules.spaces:
        (x, y), text = chart.names[space.id]
        style, ink, halo = ' font-style="italic"', "#1D5566", "#B7DAE1"
        if space.kind != "sea":
            style, ink, halo = "", INK, "#F3E9CF"
        yield Layer(
            f'<text class="place-name" data-space="{space.id}" x="{x:g}" y="{y:g}" font-size="{NAME:g}"{style} '
            f'text-anchor="middle" fill="{ink}" stroke="{halo}" stroke-width="3" stroke-linejoin="round" '
            f'paint-order="stroke">{escape(text)}</text>',
            letters(x, y, text, NAME, "middle"),
        )
    yield markup("</g>")


def _centre(x: float, y: float, colour: str, post: bool) -> str:
    """Return a heiau as a stepped stone platform, a post as a house, in its owner's colour."""
    if post:
        shape, lines = f"M{x - 9:g} {y + 8:g}v-11l9 -8 9 8v11z", f"M{x - 2:g} {y + 8:g}v-6h4v6"
    else:
        shape = f"M{x - 14:g} {y + 8:g}v-6h4v-5h4v-5h12v5h4v5h4v6z"
        lines = f"M{x - 10:g} {y + 2:g}h20m-4 -5h-12m1 11v-6m9 6v-6m-4 0v-5"
    return (
        f'<path d="{shape}" fill="{colour}" stroke="#fff" stroke-width="3.6"/><path d="{shape}" fill="{colour}" '
        f'stroke="{JOINT}" stroke-width="1.2"/><path d="{lines}" fill="none" stroke="{_seam(colour)}" '
        'stroke-width="1"/>'
    )


def _seam(colour: str) -> str:
    """Return the colour of a platform's joints: dark on white, light on an owner's colour."""
    return JOINT if colour == "#FFFFFF" else "#FFFFFF"


def _unit(text: str, power: str, short: str, colour: str, at: tuple[float, float], out: bool = False) -> Layer:
    """Draw a unit: an army is a disc, a bunch a hull under a sail, a fleet a square with masts; who must
    retreat has a red edge.
    """
    kind, _, place = text.partition(" ")
    edge = f'stroke="{RED if out else "#FFFFFF"}" stroke-width="{2.8 if out else 1.6}"'
    down = 4.0
    if kind == "A":
        body = f'<circle r="12.5" fill="{colour}" {edge}/>'
    elif kind == "B":
        body = (
            f'<path d="M-16 -1q4 14 16 14t16 -14z" fill="{colour}" {edge}/><path d="M-1 -3v-14q12 3 11 14z" '
            f'fill="{colour}" {edge}/>'
        )
        down = 8.5
    else:
        body = (
            f'<path d="M-7 -9v-9M7 -9v-9" stroke="#fff" stroke-width="5"/><path d="M-7 -9v-9M7 -9v-9" '
            f'stroke="{colour}" stroke-width="3"/><path d="M-15 -9h30l-4 20h-22z" fill="{colour}" {edge}/>'
        )
    said = {"A": "army", "B": "boat bunch", "F": "fleet"}[kind] + (", dislodged" if out else "")
    shape = (
        f'<g transform="scale(1.4)"><ellipse cx="1.5" cy="11" rx="14" ry="4" {SHADOW}/>{body}<text '
        f'y="{down:g}" font-size="11.5" font-weight="bold" text-anchor="middle" fill="#FFFFFF">{short}</text></g>'
    )
    return Layer(
        f'<g class="piece{" out" if out else ""}" data-place="{place.partition("/")[0]}" '
        f'data-side="{power}" data-piece="{kind}" data-piece-kind="{kind}" data-count="1" '
        f'transform="translate({at[0]:g},{at[1]:g})"><title>{said}</title>{shape}</g>',
        around([at], 34),
        shape,
        at,
    )


DASHES = {"support": "7 4", "convoy": "2 4", "via": "12 4 2 4", "hold": "3 3", "build": "3 3"}


def order_svg(arrow: Arrow, colour: str, failed: bool = False, kind: str = "last") -> str:
    """Return an order as Diplomacy players draw it: moves solid, those by convoy dashed and dotted, supports dashed to
    the middle of what they help, convoys dotted; a cross where it failed.
    """
    dash = f' stroke-dasharray="{DASHES[arrow.kind]}"' if arrow.kind in DASHES else ""
    parts = [
        f'<g class="arrow {arrow.kind} {kind}" fill="none"><path d="{arrow.line}" stroke="#fff" stroke-width="5.4" '
        f'stroke-opacity=".8"/><path d="{arrow.line}" stroke="{colour}" stroke-width="3"{dash}/>'
    ]
    if arrow.head:
        parts.append(f'<path d="{arrow.head}" fill="{colour}" stroke="#fff" stroke-width="1"/>')
    if failed:
        x, y = arrow.tip
        cross = f"M{x - 5:.1f} {y - 5:.1f}l10 10m0 -10l-10 10"
        parts.append(
            f'<path d="{cross}" stroke="#fff" stroke-width="6.4"/><path d="{cross}" stroke="{RED}" stroke-width="3.2"/>'
        )
    return "".join(parts) + "</g>"


def _layer(order: str, chart: Chart, drawn: str) -> Layer:
    """Return an order as a layer; bows and rings reach a little beyond its places."""
    return Layer(drawn, around((chart.at[word] for word in order.split() if word in chart.at), 40))


def _orders(view: HeiauView, chart: Chart, colour: Mapping[str, str], faded: bool) -> list[Layer]:
    """Draw the orders of the last movement phase, those of fleets and supports below moves."""
    found: list[tuple[int, Layer]] = []
    for one in view.last:
        arrow = chart.arrow(one["order"])
        if arrow is None or arrow.kind in ("hold", "build"):
            continue
        shown = order_svg(arrow, colour[one["power"]], not one["success"])
        shown = f'<g opacity=".3">{shown}</g>' if faded else shown
        over = 2 * (arrow.kind in ("move", "via")) + (not one["success"])
        found.append((over, _layer(one["order"], chart, shown)))
    return [shown for _, shown in sorted(found, key=lambda pair: pair[0])]


def _entered(view: HeiauView, chart: Chart, colour: Mapping[str, str]) -> list[Layer]:
    """Draw the orders of the running turn, as far as somebody knows them: a power's own."""
    if view.phase != "orders":
        return []
    kinds = {space_of(unit).partition("/")[0]: unit[0] for units in view.units.values() for unit in units}
    found: list[Layer] = []
    for power, steps in view.entered.items():
        units, left = iter(view.units.get(power, ())), iter(steps)
        for step in left:
            unit = next(units, None)
            verb, _, rest = step.partition(" ")
            if unit is None or verb not in ("move", "via", "support", "convoy"):
                continue
            if verb in ("move", "via"):
                order = f"{unit} - {rest}{' via' if verb == 'via' else ''}"
            else:
                second = next(left, "")
                order = f"{unit} {verb[0].upper()} {kinds.get(rest, 'A')} {rest}"
                order += f" - {second[3:]}" if second.startswith("to ") else ""
            arrow = chart.arrow(order)
            if arrow is not None:
                found.append(_layer(order, chart, order_svg(arrow, colour[power], kind="own")))
    return found


def _head(view: HeiauView, game: Game, chart: Chart, colour: Mapping[str, str]) -> Iterator[Layer]:
    """Draw the date, and the powers with what they own."""
    short, width = marks(game.powers), chart.size[0]
    yield Layer(
        f'<rect x="{-width:g}" width="{3 * width:g}" height="{HEAD:g}" fill="{PAPER}"/>'
        f'<text x="16" y="25" font-size="20" font-weight="bold" {TITLE} fill="{INK}">Heiau Diplomacy: '
        f"{escape(power_name(view.scenario))}</text>",
        Box(0, 0, width, HEAD),
    )
    said, bold = view.reason or title(view), "" if len(view.reason) > 40 else ' font-weight="bold"'
    words = f'<text x="16" y="45" font-size="14"{bold} fill="#A8321F">{escape(said)}</text>'
    yield Layer(words, letters(16, 45, said, 11))
    owned: dict[str, str] = {}
    for power in game.powers:
        posts = sum(owner == power and space in view.posts for space, owner in view.owners.items())
        heiaus = sum(owner == power for owner in view.owners.values()) - posts
        owned[power] = count(heiaus, "heiau") + (f", {count(posts, 'post')}" if posts else "")
    # Each has the same room, but for those whose posts need more.
    step = (width - 330) / max(4, len(game.powers))
    more = {power: max(0.0, 36 + 6.7 * len(said) - step) for power, said in owned.items()}
    less = sum(more.values()) / max(1, sum(not room for room in more.values()))
    x = width - 4 - len(game.powers) * step + 18
    for power in game.powers:
        room = step + (more[power] or -less)
        yield Layer(
            f'<circle cx="{x:g}" cy="28" r="15" fill="{colour[power]}"/><text x="{x:g}" y="33" font-size="14" '
            f'font-weight="bold" text-anchor="middle" fill="#FFFFFF">{short[power]}</text>'
            f'<text x="{x + 20:g}" y="17" font-size="15" font-weight="bold" fill="{INK}">{power_name(power)}</text>'
            f'<text x="{x + 20:g}" y="34" font-size="14.5" fill="{INK}">{owned[power]}</text>'
            f'<text x="{x + 20:g}" y="51" font-size="14.5" fill="{INK}">'
            f"{count(len(view.units.get(power, ())), 'unit')}</text>",
            Box(x - 17, 0, room + 14, HEAD),
        )
        x += room


@cache
def _legend(chart: Chart) -> str:
    """Draw the legend, where the map has room."""
    x, y = 22.0, chart.size[1] - 124
    grey = "#4A5A60"
    parts = [f'<g class="legend" fill="{INK}" font-size="14.5">']
    for row, (sign, text) in enumerate(
        (
            (f'<g transform="scale(.6)">{_unit("A x", "", "", grey, (14, 0)).svg}</g>', "army"),
            (f'<g transform="scale(.6)">{_unit("B x", "", "", grey, (14, 2)).svg}</g>', "boat bunch"),
            (f'<g transform="scale(.6)">{_unit("F x", "", "", grey, (14, 4)).svg}</g>', "fleet"),
            (_centre(10, 0, "#FFFFFF", False), "heiau, nobody’s"),
            (_centre(10, 0, "#FFFFFF", True), "trading post"),
        )
    ):
        sign = sign.replace('class="piece"', 'class="sign"')
        parts.append(f'<g transform="translate({x:g},{y + 25 * row:g})">{sign}<text x="32" y="5">{text}</text></g>')
    for row, (kind, text) in enumerate(
        (("move", "moves"), ("via", "moves by convoy"), ("support", "supports"), ("convoy", "convoys"))
    ):
        head = "M40 0l-11 -5.5v11z" if kind in ("move", "via") else "M34 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0z"
        line = order_svg(Arrow(kind, "M0 0L31 0", head, (0, 0)), grey, kind="sign")
        parts.append(
            f'<g transform="translate({x + 165:g},{y + 25 * row:g})">{line}<text x="50" y="5">{text}</text></g>'
        )
    failed = order_svg(Arrow("move", "M0 0L31 0", "M40 0l-11 -5.5v11z", (34, 0)), grey, True, "sign")
    parts.append(
        f'<g transform="translate({x + 165:g},{y + 100:g})">{failed}<text x="50" y="5">fails, bounces</text></g>'
    )
    return "".join(parts) + "</g>"


def drawing(view: HeiauView, game: Game, legal: Mapping[int, str] | None = None) -> Drawing:
    """Return a position as a drawing.

    Args:
        view: the position as somebody knows it.
        game: its game, for the map and the powers.
        legal: legal actions; the places that they name are ringed.
    """
    rules = game.ruleset
    chart = chart_of(rules)
    width, height = chart.size
    box = Box(0, 0, width, height)
    colour, short = colours_of(game.powers), marks(game.powers)
    layers = [Layer(_ground(chart) + _legend(chart), box), *_cells(view, chart, colour)]
    for space in rules.spaces:
        if space.heiau or space.id in view.posts:
            x, y = chart.centres[space.id]
            owner = view.owners.get(space.id, "")
            centre = _centre(x, y, colour.get(owner, "#FFFFFF"), not space.heiau)
            layers.append(Layer(centre, around([(x, y)], 20)))
    own = _entered(view, chart, colour)
    layers += [markup('<g class="orders">'), *_orders(view, chart, colour, bool(own)), markup("</g>")]
    layers += [markup('<g class="own">'), *own, markup("</g>")]
    layers += [
        _unit(text, power, short[power], colour[power], chart.at[space_of(text)])
        for power, texts in view.units.items()
        for text in texts
    ]
    for one in view.dislodged:
        place, power = space_of(one["unit"]), one["power"]
        x, y = chart.at[place]
        at = chart.outs.get(place.partition("/")[0], (x - 22, y - 20))
        layers.append(_unit(one["unit"], power, short[power], colour[power], at, True))
    if legal:
        rings: dict[str, list[int]] = {}
        for action, text in legal.items():
            place = text.split()[-1]
            if place in chart.at:
                rings.setdefault(place, []).append(action)
        layers += [
            Layer(
                f'<circle class="space legal" data-space="{place}" data-actions="{" ".join(map(str, actions))}" '
                f'cx="{chart.at[place][0]:g}" cy="{chart.at[place][1]:g}" r="23" fill="{GOLD}" fill-opacity=".12" '
                f'stroke="{GOLD}" stroke-width="3"/>',
                around([chart.at[place]], 25),
            )
            for place, actions in sorted(rings.items())
        ]
    layers += _names(chart)
    layers += _head(view, game, chart, colour)
    name = escape(f"Heiau Diplomacy, {view.scenario}, {title(view)}")
    attributes = {"role": "img", "font-family": FONT} | readable()
    return Drawing(width, height, layers, attributes, f"<title>{name}</title>")
