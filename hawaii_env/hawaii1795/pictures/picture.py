"""Hawaii, 1795 as a picture: `svg` draws the whole public position from its view.

It is a pure function of its arguments: nothing here knows the rules, and the state's generator is never near it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from html import escape
from importlib import resources
from itertools import chain, pairwise
from typing import Any

from hawaii_env._arguments import check_count, check_kind, check_list, check_text
from hawaii_env.errors import OptionError
from hawaii_env.game import Chance, Decision, Event
from hawaii_env.hawaii1795.pictures.battle import battle_board, in_battle
from hawaii_env.hawaii1795.pictures.counters import FONT, PITCH, SIZE, Group, counter, groups, side_mark
from hawaii_env.hawaii1795.pictures.legal import Highlights, highlights
from hawaii_env.hawaii1795.pictures.names import piece_of, space_name
from hawaii_env.hawaii1795.pictures.panels import GOLD, INK, SERIF, boxes, cards, header, key
from hawaii_env.hawaii1795.pictures.phrases import question
from hawaii_env.hawaii1795.ruleset import Ruleset
from hawaii_env.render.coasts import coasts, line_points, outline, relief
from hawaii_env.render.layers import Box, Drawing, Layer, around, letters, markup, readable
from hawaii_env.render.placing import Area, Point, within
from hawaii_env.render.relief import SEA, depths, grain
from hawaii_env.texts import parse_json, show_value

__all__ = ["HEIGHT", "WIDTH", "drawing", "svg"]

WIDTH, HEIGHT = 1000, 690
"""The picture's own units; it is drawn to be legible at 800 pixels of width."""

_LAND = {"orange": "#F2CF9E", "blue": "#D6DFEF", "yellow": "#F3E69C", "green": "#CFE0AE"}
_OTHER = "#DCE4DC"
_SIDES = ("kamehameha", "allied", "neutral")

# Of each space: the middle of its name, the middle of its units, its canoes, fleets bound for it.
_PLACES: dict[str, tuple[Point, Point, Point, Point]] = {
    "kauai": ((150, 128), (150, 186), (208, 278), (72, 300)),
    "waikiki": ((330, 318), (320, 236), (418, 324), (196, 304)),
    "koolau": ((500, 152), (404, 220), (446, 110), (286, 102)),
    "molokai": ((504, 190), (566, 236), (578, 294), (500, 330)),
    "maui": ((744, 254), (704, 310), (820, 272), (894, 306)),
    "kona": ((684, 440), (790, 450), (704, 496), (630, 534)),
    "hilo": ((918, 374), (902, 488), (964, 570), (952, 330)),
}

_FORTS: dict[str, tuple[float, float]] = {
    "kauai": (98, 214), "waikiki": (372, 284), "koolau": (374, 150), "molokai": (500, 232), "maui": (648, 262),
    "kona": (775, 512), "hilo": (932, 431),
}  # fmt: skip
"""Places of forts, on the coast."""

_NAMES = (("Niʻihau", 48, 268), ("Lānaʻi", 577, 340), ("Kahoʻolawe", 640, 408))
"""Islands that are no spaces: the middle of their names."""

_FITS = (
    (1.18, 46.0, 0.97), (1.18, 44.0, 0.85), (1.0, 39.0, 0.9), (1.0, 38.0, 0.75), (1.0, 38.0, 0.62), (1.0, 36.0, 0.5),
)  # fmt: skip
"""Scale, pitch and share on land of the units of a space, the first that has room for all. The large scale makes
counters 34 pixels wide where the whole board is 800; the small one is the least that can be read.
"""

_SHARED = {"waikiki": "koolau", "hilo": "kona"}
"""Spaces whose units leave alone those of another space of their island."""

_FRAMES: dict[str, tuple[Point, int]] = {
    "waikiki": ((295, 232), 3), "koolau": ((406, 214), 2), "molokai": ((568, 230), 4),
}  # fmt: skip
"""Middle of the frame of units for which the land has no room, and how many stand in a row; elsewhere four around the
middle of units.
"""

SHORE = 604.0
"""The edge between the map and the recruit boxes."""


@cache
def _map() -> dict[str, Any]:
    """Return the shapes of spaces and crests, as docs/make_map.py wrote them."""
    file = resources.files("hawaii_env.hawaii1795.pictures").joinpath("map.json")
    return parse_json(file.read_bytes())


@cache
def _area(space: str) -> Area:
    """Return where the units of a space can stand."""
    corners = line_points(_map()["spaces"][space])
    return Area(corners, max(map(outline, coasts()), key=lambda land: within(corners, land).sum()))


@cache
def _stands(space: str, number: int, beside: int = 0) -> tuple[float, list[Point], bool]:
    """Return the scale and the places of so many counters of units on the land of a space, clear of those `beside` it
    on the same island; and True if the land has no room for them, so that they need a frame.
    """
    middle, avoid = _PLACES[space][1], [(*_FORTS[space], 0.0)]
    if beside:
        scale, others, _ = _stands(_SHARED[space], beside)
        avoid += [(x, y, 17.5 * scale) for x, y in others]
    for scale, pitch, share in _FITS:
        places = _area(space).rows(number, middle, 17 * scale, pitch, share, avoid)
        if places is not None:
            return scale, places, False
    middle, abreast = _FRAMES.get(space, (middle, 4))
    return 1.0, _grid([min(abreast, number - i) for i in range(0, number, abreast)], *middle), True


def _grid(lines: Sequence[int], x: float, y: float) -> list[Point]:
    """Return the places of lines of so many counters around (x, y)."""
    return [
        (x + (column - (line - 1) / 2) * PITCH, y + (row - (len(lines) - 1) / 2) * PITCH)
        for row, line in enumerate(lines)
        for column in range(line)
    ]


@cache
def _shipped() -> Any:
    from hawaii_env.hawaii1795.ruleset import Ruleset

    return Ruleset.load()


def _sea(prefix: str) -> str:
    islands = "".join(f'<path d="{d}"/>' for d in coasts().values())
    return (
        f'<defs><g id="{prefix}coasts">{islands}</g><clipPath id="{prefix}land">{islands}</clipPath></defs>'
        f'<rect class="sea" x="-1000" y="70" width="3000" height="{SHORE - 70:g}" fill="{SEA}"/>'
        f"{depths(f'{prefix}coasts')}"
    )


def _islands(ruleset: Any, prefix: str, lights: Mapping[str, Sequence[Any]]) -> str:
    data = _map()
    parts: list[str] = []
    for island, d in coasts().items():
        if island not in ("oahu", "hawaii", *data["spaces"]):
            parts.append(
                f'<path class="island" data-island="{island}" d="{d}" fill="{_OTHER}" stroke="#5E7F86" '
                'stroke-width="1"/>'
            )
    for space, d in data["spaces"].items():
        entry = ruleset.spaces[space]
        actions = lights.get(space)
        data_actions = "" if actions is None else f' data-actions="{escape(" ".join(map(str, actions)))}"'
        name = escape(space_name(space, ruleset) + (" (fort)" if entry.fort else ""))
        parts.append(
            f'<path id="{prefix}space-{space}" class="space{"" if actions is None else " legal"}" '
            f'data-space="{space}" data-island="{entry.island}"{data_actions} '
            f'd="{d}" fill="{_LAND.get(entry.colour, _OTHER)}" stroke="#5E7F86" stroke-width="1.1" '
            f'stroke-linejoin="round"><title>{name}</title></path>'
        )
    parts += [relief(island, f"{prefix}land") for island in coasts()]
    parts.append(grain(prefix, f'x="0" y="70" width="1000" height="{SHORE - 70:g}"'))
    for d in data["crests"].values():
        parts.append(f'<path class="crest" d="{d}" fill="none" stroke="#FFF9E7" stroke-opacity=".7" stroke-width="5"/>')
        parts.append(
            f'<path class="crest" d="{d}" fill="none" stroke="#7D6440" stroke-width="2" stroke-dasharray="7 3.5"/>'
        )
    parts += [
        f'<text x="{x}" y="{y}" font-size="15" font-style="italic" text-anchor="middle" fill="{INK}" '
        f'stroke="#E9F4F4" stroke-opacity=".7" stroke-width="3" paint-order="stroke">{name}</text>'
        for name, x, y in _NAMES
    ]
    return f'<g class="islands">{"".join(parts)}</g>'


@cache
def _ground(ruleset: Any, prefix: str) -> str:
    """Draw the map where nothing can be chosen."""
    return _sea(prefix) + _islands(ruleset, prefix, {})


@cache
def _light(space: str) -> Layer:
    """Draw the light around a space that can be chosen."""
    d = _map()["spaces"][space]
    light = (
        f'<path class="glow" d="{d}" fill="{GOLD}" fill-opacity=".22" stroke="#2B2410" stroke-width="4.6" '
        f'stroke-linejoin="round" pointer-events="none"/><path class="glow" d="{d}" fill="none" stroke="{GOLD}" '
        'stroke-width="3" stroke-linejoin="round" pointer-events="none"/>'
    )
    return Layer(light, around(line_points(d), 3))


def _occupier(view: Mapping[str, Any], space: str, ruleset: Any) -> str | None:
    """Return the one side with units that are not canoes in a space, or None."""
    there = [
        side
        for side in _SIDES
        if any(
            piece_of(text.split("/")[0], side, ruleset).class_ != "canoe" for text in view["units"][side].get(space, [])
        )
    ]
    return there[0] if len(there) == 1 else None


def _label(view: Mapping[str, Any], space: str, ruleset: Any) -> Layer:
    x, y = _PLACES[space][0]
    name = space_name(space, ruleset)
    owner = _occupier(view, space, ruleset)
    half = len(name) * 4.6
    parts = [
        f'<text x="{x:g}" y="{y:g}" font-size="19" font-weight="bold" font-family="{SERIF}" '
        f'text-anchor="middle" fill="{INK}" '
        'stroke="#E9F4F4" stroke-opacity=".85" stroke-width="3.4" stroke-linejoin="round" '
        f'paint-order="stroke">{escape(name)}</text>'
    ]
    if owner is not None:
        parts.append(side_mark(owner, x - half - 11, y - 6, 14))
    held = "" if owner is None else f' data-occupier="{owner}"'
    left, top, width, height = letters(x, y, name, 19, "middle")
    return Layer(
        f'<g class="label" data-space="{space}"{held}>{"".join(parts)}</g>',
        Box(min(left, x - half - 20), top - 2, max(width, 2 * half + 50), height + 4),
    )


def _fort(space: str) -> Layer:
    """Draw the fort of a space."""
    x, y = _FORTS[space]
    wall = f"M{x - 12:g},{y + 8:g}v-16h5v4h4.5v-4h5v4h4.5v-4h5v16z"
    return Layer(
        f'<path class="fort" d="{wall}" fill="#6E5B43" stroke="#fff" stroke-width="1.4" stroke-linejoin="round">'
        "<title>fort</title></path>",
        around([(x, y)], 14),
    )


class _Board:
    """Puts counters onto the map."""

    def __init__(self, view: Mapping[str, Any], ruleset: Any, lit: Highlights | None) -> None:
        self.view, self.ruleset, self.lit = view, ruleset, lit
        self.moved = in_battle(view)

    def here(self, side: str, place: str) -> list[Group]:
        """Return the groups of a side in a place, unless they stand on the battle board."""
        if self.moved.get(side) == place:
            return []
        return groups(side, place, self.view["units"][side].get(place, []), self.ruleset)

    def draw(self, group: Group, x: float, y: float, scale: float) -> Layer:
        """Return one counter, lit where it can act."""
        actions = None if self.lit is None else self.lit.pieces.get((group.side, group.place, group.text))
        return counter(group, x, y, self.ruleset, scale=scale, actions=actions)

    def rows(self, lines: Sequence[Sequence[Group]], x: float, y: float) -> list[Layer]:
        """Return lines of counters around (x, y)."""
        places = _grid([len(line) for line in lines], x, y)
        return [self.draw(group, *at, 1.0) for group, at in zip(chain(*lines), places, strict=True)]

    def units(self, space: str) -> list[Group]:
        """Return the groups of a space's units that are not canoes."""
        there = (group for side in _SIDES for group in self.here(side, space))
        return [group for group in there if not group.kind.endswith("canoe")]

    def ashore(self, space: str) -> list[Layer]:
        """Return the units of a space, in a frame if its land has no room for them."""
        units, beside = self.units(space), _SHARED.get(space)
        scale, places, crowded = _stands(space, len(units), len(self.units(beside)) if beside else 0)
        counters = [self.draw(group, *at, scale) for group, at in zip(units, places, strict=True)]
        return [_frame(places), *counters] if crowded else counters

    def space(self, space: str) -> list[Layer]:
        """Return units and canoes of a space."""
        _, middle, (canoe_x, canoe_y), _ = _PLACES[space]
        canoes = [group for side in _SIDES for group in self.here(side, space) if group.kind.endswith("canoe")]
        parts = self.ashore(space)
        abreast = 2 if len(canoes) in (2, 4) or space != "waikiki" else 3
        fleet = [canoes[i : i + abreast] for i in range(0, len(canoes), abreast)]
        # Off Hilo the sea ends soon: further rows go upwards, and to the west.
        canoe_x = (
            min(canoe_x, WIDTH - SIZE / 2 - 5 - (min(abreast, len(fleet[0])) - 1) / 2 * PITCH) if fleet else canoe_x
        )
        canoe_y = min(canoe_y, SHORE - (SIZE / 2 + 4 + (len(fleet) - 1) / 2 * PITCH))
        parts += self.rows(fleet, canoe_x, canoe_y)
        if self.moved and self.view["field"] == space and not self.units(space):
            parts.append(_clash(*middle))
        return [markup(f'<g class="units" data-space="{space}">'), *parts, markup("</g>")]

    def fleet(self, place: str, x: float, y: float, to: tuple[float, float] | None, said: str) -> list[Layer]:
        """Return a fleet at sea in a boat-shaped frame, with an arrow to where it is bound."""
        found = [group for side in _SIDES for group in self.here(side, place)]
        if not found:
            return []
        lines = [found[i : i + 3] for i in range(0, len(found), 3)]
        across, down = (PITCH / 2 * n + 6 for n in (len(lines[0]), len(lines)))  # off Hilo the sea ends soon
        x, y = max(across, min(x, WIDTH - across)), max(70 + down, min(y, SHORE - down))
        frame, size = _frame(_grid([len(line) for line in lines], x, y)), max(len(lines[0]), len(lines)) * PITCH
        return [
            markup(f'<g class="fleet" data-place="{place}"><title>{escape(said)}</title>'),
            *([] if to is None else _arrow(x, y, *to, start=size / 2 + 6, end=24)),
            frame,
            *self.rows(lines, x, y),
            markup("</g>"),
        ]


def _frame(places: Sequence[Point]) -> Layer:
    """Draw a boat-shaped frame around counters."""
    left, top, width, height = box = around(places, PITCH / 2 + 5)
    return Layer(
        f'<rect x="{left:g}" y="{top:g}" width="{width:g}" height="{height:g}" rx="{min(height / 2, 20):g}" '
        'fill="#EAF5F6" fill-opacity=".8" stroke="#1F5568" stroke-width="1.5" stroke-dasharray="6 3"/>',
        Box(left - 1, top - 1, box.width + 2, box.height + 2),
    )


def _arrow(
    x1: float, y1: float, x2: float, y2: float, start: float = 0, end: float = 0, kind: str = "bound"
) -> list[Layer]:
    """Return a curved arrow, beginning and ending at a distance from its points; none where they are too close."""
    length = max(((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5, 1)
    if length <= start + end + 6:
        return []
    ux, uy = (x2 - x1) / length, (y2 - y1) / length
    bend = min(length * 0.16, 40)
    sx, sy, tx, ty = x1 + ux * start, y1 + uy * start, x2 - ux * end, y2 - uy * end
    mx, my = (sx + tx) / 2 + uy * bend, (sy + ty) / 2 - ux * bend
    # The head lies along the curve's end.
    hx, hy = tx - mx, ty - my
    size = (hx * hx + hy * hy) ** 0.5 or 1
    hx, hy = hx / size * 13, hy / size * 13
    head = (
        f"M{tx:.1f},{ty:.1f}L{tx - hx - hy * 0.5:.1f},{ty - hy + hx * 0.5:.1f}"
        f"L{tx - hx + hy * 0.5:.1f},{ty - hy - hx * 0.5:.1f}Z"
    )
    line = f"M{sx:.1f},{sy:.1f}Q{mx:.1f},{my:.1f} {tx - hx * 0.8:.1f},{ty - hy * 0.8:.1f}"
    # A curve lies within its three points; stroke and head reach a little further.
    left, top = min(sx, mx, tx) - 10, min(sy, my, ty) - 10
    return [
        Layer(
            f'<g class="arrow {kind}" pointer-events="none"><path d="{line}" fill="none" stroke="#FFFDF6" '
            'stroke-width="7" stroke-linecap="round" stroke-opacity=".85"/>'
            f'<path d="{line}" fill="none" stroke="#1F4C5C" stroke-width="3"/><path d="{head}" '
            'fill="#1F4C5C" stroke="#FFFDF6" stroke-width="1.2"/></g>',
            Box(left, top, max(sx, mx, tx) + 10 - left, max(sy, my, ty) + 10 - top),
        )
    ]


def _clash(x: float, y: float) -> Layer:
    """Return crossed spears for a space whose battle is on the battle board."""
    return Layer(
        f'<g class="clash" transform="translate({x:g},{y:g})"><circle r="19" fill="#FFFDF6" '
        'stroke="#34606F" stroke-width="1.4"/>'
        '<path d="M-11,11L10,-10M11,11L-10,-10" stroke="#8C2F1B" stroke-width="3"/>'
        '<path d="M13,-13L4.5,-10.5 10.5,-4.5ZM-13,-13L-4.5,-10.5 -10.5,-4.5Z" fill="#8C2F1B"/></g>',
        Box(x - 20, y - 20, 40, 40),
    )


def _last_move(view: Mapping[str, Any], events: Sequence[Event]) -> list[Layer]:
    """Return an arrow for the march or the fleet move that has just been made."""
    if not events or not isinstance(events[-1], Decision):
        return []
    verb, *words = events[-1].text.split()
    stops: list[str] = []
    if verb == "march":
        stops = words[1:]
    elif verb == "sail":
        stops = [words[0]]
        for event in reversed(events[:-1]):
            if isinstance(event, Decision) and event.text.startswith("pickup "):
                stops.insert(0, event.text.split()[-1])
            elif isinstance(event, Decision) and event.text.startswith("fleet "):
                stops.insert(0, event.text.split()[-1])
                break
    stops = [stop for number, stop in enumerate(stops) if not number or stop != stops[number - 1]]
    points = [_PLACES[stop][1 if verb == "march" else 2] for stop in stops]
    if verb == "sail" and any(f"sea/{stops[-1]}" in places for places in view["units"].values()):
        points[-1] = _PLACES[stops[-1]][3]  # it waits at sea until the invasion [10.3]
    return [layer for a, b in pairwise(points) for layer in _arrow(a[0], a[1], b[0], b[1], 22, 22, "moved")]


def drawing(
    view: Any,
    legal: Mapping[int, str] | Iterable[str] | None = None,
    *,
    events: Sequence[Event] = (),
    ruleset: Any = None,
    title: str = "Hawai'i, 1795",
    prefix: str = "hawaii-",
) -> Drawing:
    """Draw a position in layers; the arguments are those of `svg`."""
    if not isinstance(view, Mapping) and not hasattr(view, "to_dict"):
        raise OptionError(f"view: expected the result of State.view(), or its to_dict(), not {view!r}")
    data: Mapping[str, Any] = view if isinstance(view, Mapping) else view.to_dict()
    check_text("title", title)
    check_text("prefix", prefix)
    for event in (events := check_list("events", events)):
        if not isinstance(event, (Decision, Chance)):
            raise OptionError(f"events: expected a Decision or a Chance, not {show_value(event)}")
    ruleset = _shipped() if ruleset is None else check_kind("ruleset", ruleset, Ruleset)
    if legal is not None and not isinstance(legal, Mapping):
        legal = [check_text("legal", text) for text in check_list("legal", legal)]
    lit = None if legal is None else highlights(data, legal)
    board = _Board(data, ruleset, lit)
    shape, lights = _ground(ruleset, prefix), {} if lit is None else lit.spaces
    ground = _sea(prefix) + _islands(ruleset, prefix, lights) if lights else shape
    parts = [Layer(ground, Box(0, 0, WIDTH, HEIGHT), shape), *map(_light, lights)]
    parts += [_fort(space) for space in _PLACES if ruleset.spaces[space].fort]
    parts += [_label(data, space, ruleset) for space in _PLACES]
    for space in _PLACES:
        parts += board.space(space)
    parts += _last_move(data, events)
    for space, (_, (x, y), _, (fleet_x, fleet_y)) in _PLACES.items():
        said = f"bound for {space_name(space, ruleset)}"
        parts += board.fleet(f"sea/{space}", fleet_x, fleet_y, (x, y), said)
    loading = data["fleet"]
    if loading is not None:
        x, y = _PLACES[loading["pickup"] or loading["at"] or "kona"][3]
        parts += board.fleet("aboard", x, y, None, "the fleet that is being loaded")
    if data["field"] is not None:
        x, y = _PLACES[data["field"]][2]
        parts += board.fleet("war", x, y, None, "war fleet")
    parts += battle_board(data, ruleset, lit, events) or key(data, ruleset, events)
    parts += cards(data, ruleset, lit)
    parts += boxes(data, ruleset, lit)
    parts += header(data, ruleset, lit, title)
    said = escape(f"{data['turn'].capitalize()}. {question(data, ruleset)}")
    return Drawing(
        WIDTH,
        HEIGHT,
        parts,
        {"class": "hawaii1795", "role": "img", "font-family": FONT, "aria-label": said} | readable(),
        f"<title>{escape(title)}</title><desc>{said}</desc>",
    )


def svg(
    view: Any,
    legal: Mapping[int, str] | Iterable[str] | None = None,
    *,
    events: Sequence[Event] = (),
    ruleset: Any = None,
    title: str = "Hawai'i, 1795",
    prefix: str = "hawaii-",
    width: int | None = None,
) -> str:
    """Draw a position as one SVG document.

    Groups and shapes carry ``data-`` attributes for scripts: spaces ``data-space``, pieces ``data-side``,
    ``data-piece-kind``, ``data-piece``, ``data-place`` and ``data-count``; what legal actions speak of has the class
    ``legal`` and ``data-actions``, its actions with blanks between.

    Args:
        view: the position: `State.view()`, or its `to_dict()`.
        legal: the legal actions to highlight: their texts, or a mapping from action to text, which names them by
            number. None highlights nothing.
        events: what has just happened, oldest first (the end of a trace): the last dice and the last move are shown.
        ruleset: the ruleset that names and strengths come from; None is the shipped one.
        title: what stands in the upper left corner.
        prefix: begins every id, so that several pictures can stand in one page.
        width: width in pixels; None leaves it to the place where the picture stands.

    Returns:
        The document, as text without an XML declaration, so that it can stand in HTML.
    """
    return drawing(view, legal, events=events, ruleset=ruleset, title=title, prefix=prefix).svg(
        None if width is None else check_count("width", width)
    )
