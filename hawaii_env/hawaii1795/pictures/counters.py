"""The counters of Hawaii, 1795: one shape and colour a side, a symbol a type, the strength, marks of condition.

Every counter is drawn around (0, 0) in a square of `SIZE` units. Sides differ by shape, darkness and colour, so that
they can be told apart without colour: Kamehameha's are red squares, the Allies' dark octagons, neutral Kaua'i's pale
circles.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from typing import Any

from hawaii_env.hawaii1795.pictures.names import piece_of, type_of
from hawaii_env.hawaii1795.pictures.phrases import mark_phrase
from hawaii_env.render.layers import Box, Layer
from hawaii_env.render.relief import SHADOW
from hawaii_env.texts import spell

__all__ = ["FONT", "PITCH", "SIDE_INK", "SIZE", "Group", "counter", "groups", "side_mark", "symbol"]

SIZE = 36.0
PITCH = 40.0
"""Distance of the middles of neighbouring counters."""

FONT = "'Fira Sans', 'Segoe UI', 'Helvetica Neue', 'Noto Sans', Arial, sans-serif"

SIDE_INK = {"kamehameha": "#A93A22", "allied": "#123A5E", "neutral": "#6B5A1E"}
"""A side's dark colour, for text and outlines."""
_FILL = {"kamehameha": "#B9452B", "allied": "#143C62", "neutral": "#EFE2AE"}
_TRIM = {"kamehameha": "#F4C95D", "allied": "#9FCBE6", "neutral": "#6B5A1E"}
_INK = {"kamehameha": "#FFF6E6", "allied": "#F2F8FC", "neutral": "#3D3412"}
_PALE = "#F7F3E8"

# What tells pieces of one type and strength apart.
_TAGS = {
    "kamehameha": "Ka",
    "john_young": "JY",
    "kalani": "Kl",
    "kaiana": "Kn",
    "kaiana_warriors": "Kn",
    "oahu_warrior": "O",
    "maui_warrior": "M",
    "kauai_warrior": "Ki",
    "oahu_canoe": "O",
    "maui_canoe": "M",
    "kauai_canoe": "Ki",
}

_ORDER = ("leader", "guard", "cannon", "musket", "pike", "warrior", "canoe")


@dataclass(frozen=True, slots=True)
class Group:
    """Equal pieces of one side in one place.

    Attributes:
        side: whose they are now.
        place: where they are, as the view names it; ``"box"`` and ``"dead"`` too.
        text: a piece with its marks, as the view gives it.
        count: how many.
    """

    side: str
    place: str
    text: str
    count: int

    @property
    def kind(self) -> str:
        """The piece without its marks."""
        return self.text.split("/")[0]

    @property
    def marks(self) -> frozenset[str]:
        """Its marks."""
        return frozenset(self.text.split("/")[1:])


def groups(side: str, place: str, pieces: Iterable[str], ruleset: Any) -> list[Group]:
    """Return equal pieces as groups: leaders first, canoes last, the fresh before the spent and the panicked."""
    counts: dict[str, int] = {}
    for text in pieces:
        counts[text] = counts.get(text, 0) + 1

    def order(text: str) -> tuple[Any, ...]:
        kind, *marks = text.split("/")
        piece = piece_of(kind, side, ruleset)
        return (_ORDER.index(type_of(piece)), -(piece.strength or 0), kind, "panicked" in marks, len(marks), text)

    return [Group(side, place, text, counts[text]) for text in sorted(counts, key=order)]


# Symbols, about 20 wide and 16 high around (0, 0).
_SYMBOLS = {
    # A feathered helmet with its crest.
    "leader": '<path d="M-9.6,4.6C-10.6,-5.6 -4.6,-10.8 1.4,-10.4 7.4,-10 11,-5 10.6,1.6L7.6,1.6C7.4,-3.6 4.8,-7 '
    '.8,-7.2 -4.2,-7.4 -7.4,-3 -6.8,4.6Z" fill="{0}"/>'
    '<path d="M-5.6,8.6C-6.6,-1.6 -3.4,-5.6 .8,-5.8 4.8,-5.8 7,-2 7,3.4H2.2V8.6Z" fill="{0}"/>',
    "guard": '<path d="M0,-9L2.5,-2.9 9.1,-2.4 4,1.8 5.6,8.2 0,4.7 -5.6,8.2 -4,1.8 -9.1,-2.4 -2.5,-2.9Z" fill="{0}"/>',
    "cannon": '<path d="M-10.6,-1.2L8.8,-8.1 10.6,-3.9 -8.4,4.2A3,3 0 0 1 -10.6,-1.2Z" fill="{0}"/>'
    '<circle cx="-1.2" cy="3.4" r="4.7" fill="{1}" stroke="{0}" stroke-width="1.9"/><circle cx="-1.2" '
    'cy="3.4" r="1.4" fill="{0}"/>',
    "musket": '<path d="M-10.8,8.2L-12,4.9 -4.6,.5 -3.4,-1.2 10.6,-9.1 11.5,-7.5 -1,.4 -2.2,2.6 -5,3.4Z" fill="{0}"/>'
    '<path d="M-1.2,.2L.6,3.2" stroke="{0}" stroke-width="1.5"/>',
    "pike": '<path d="M-6,8V-3M0,8V-3M6,8V-3" stroke="{0}" stroke-width="1.9"/>'
    '<path d="M-6,-9.4L-3.6,-2.2H-8.4ZM0,-9.4L2.4,-2.2H-2.4ZM6,-9.4L8.4,-2.2H3.6Z" fill="{0}"/>',
    # A man with a spear.
    "warrior": '<circle cx="-1.6" cy="-5.8" r="3.1" fill="{0}"/><path d="M-7.6,8C-7.6,1 -5.4,-1.6 -1.6,-1.6S4.4,1 '
    '4.4,8Z" fill="{0}"/>'
    '<path d="M7.4,8V-5" stroke="{0}" stroke-width="1.7"/><path d="M7.4,-9.8L9.4,-4H5.4Z" fill="{0}"/>',
    # A hull, its float, a crab-claw sail.
    "canoe": '<path d="M-12,3.6C-6,6.4 6,6.4 12,3.2 10.6,8.6 6,9.8 0,9.8S-10.4,8.8 -12,3.6Z" fill="{0}"/>'
    '<path d="M-2.2,4.2C-6,-4 -4.8,-9.4 -7.2,-11.4 1.4,-10.2 7.4,-5.6 8.6,-11 10,-2.6 4.4,2.2 -2.2,4.2Z" fill="{0}"/>',
    # An eye, a house, two hands' grip.
    "sighting": '<path d="M-11,0C-6,-8 6,-8 11,0 6,8 -6,8 -11,0Z" fill="{0}"/><circle r="4" fill="{1}"/>'
    '<circle r="1.8" fill="{0}"/>',
    "home": '<path d="M-11,1L0,-9 11,1H8V9H2V3H-2V9H-8V1Z" fill="{0}"/>',
    "dice": '<rect x="-9" y="-9" width="18" height="18" rx="3.5" fill="{0}"/><circle cx="-4" cy="-4" r="2" fill="{1}"/>'
    '<circle r="2" fill="{1}"/><circle cx="4" cy="4" r="2" fill="{1}"/>',
    "appeal": '<path d="M-11,-6Q0,-13 11,-6V3Q4,8 -3,6L-8,10V4Q-11,3 -11,0Z" fill="{0}"/>',
    "earthworks": '<path d="M-11,7L-7,-3 -3,3 0,-5 3,3 7,-3 11,7Z" fill="{0}"/>',
}


def symbol(name: str, ink: str, back: str) -> str:
    """Return a type's symbol around (0, 0) in the colour `ink`, on the colour `back`."""
    return _SYMBOLS[name].format(ink, back)


def _outline(side: str, half: float) -> str:
    """Return the outline of a side's counter, as an element without its closing."""
    if side == "kamehameha":
        return f'<rect x="{-half:g}" y="{-half:g}" width="{2 * half:g}" height="{2 * half:g}" rx="3.5"'
    if side == "allied":
        c = round(half * 0.42, 1)
        return f'<path d="M{-half:g},{c:g}V{-c:g}L{-c:g},{-half:g}H{c:g}L{half:g},{-c:g}V{c:g}L{c:g},{half:g}H{-c:g}Z"'
    return f'<circle r="{half:g}"'


def side_mark(side: str, x: float, y: float, size: float) -> str:
    """Return a side's shape in its colour, as a sign of whose something is."""
    return (
        f'<g transform="translate({x:g},{y:g})">{_outline(side, size / 2)} fill="{_FILL[side]}" '
        f'stroke="{_TRIM[side]}" stroke-width="1.2"/></g>'
    )


def counter(
    group: Group,
    x: float,
    y: float,
    ruleset: Any,
    *,
    scale: float = 1.0,
    actions: Iterable[int | str] | None = None,
    active: bool = False,
    title: str = "",
) -> Layer:
    """Return a group as one counter at (x, y).

    Args:
        group: what it shows.
        ruleset: gives strength, type and name.
        scale: 1 is `SIZE` units.
        actions: the legal actions that this piece is part of; None where nothing is highlighted. They become
            ``data-actions``.
        active: True rings the unit that fires.
        title: more text for the tooltip.
    """
    panicked, legal = "panicked" in group.marks, actions is not None
    said = ", ".join(mark_phrase(mark, ruleset) for mark in sorted(group.marks))
    name = spell(piece_of(group.kind, group.side, ruleset).name)
    text = f"{group.count} × {name}" if group.count > 1 else name
    text += f" ({said})" if said else ""
    data: Mapping[str, Any] = {
        "data-side": group.side,
        "data-piece-kind": group.kind,
        "data-piece": group.text,
        "data-place": group.place,
        "data-count": group.count,
    }
    if legal:
        data = {**data, "data-actions": " ".join(map(str, actions or ()))}
    attributes = " ".join(f'{key}="{escape(str(value))}"' for key, value in data.items())
    states = {"panicked": panicked, "spent": _is_spent(group), "legal": legal, "active": active}
    classes = " ".join(["piece", *(name for name, holds in states.items() if holds)])
    size = "" if scale == 1 else f" scale({scale:g})"
    half = scale * (26 if panicked else 22.5)  # a tilted counter reaches further
    body = _face(group, ruleset, legal, active)
    return Layer(
        f'<g class="{classes}" {attributes} '
        f'transform="translate({x:g},{y:g}){size}"><title>{escape(text + title)}</title>{body}</g>',
        Box(x - half, y - half, 2 * half, 2 * half),
        f'<g transform="scale({scale:g})">{body}</g>',
        (x, y),
    )


def _is_spent(group: Group) -> bool:
    return bool(group.marks & {"fired", "marched", "carried"})


@lru_cache(4096)
def _face(group: Group, ruleset: Any, legal: bool, active: bool) -> str:
    """Return what is drawn on a counter."""
    side, kind = group.side, group.kind
    piece = piece_of(kind, side, ruleset)
    kind_of, panicked = type_of(piece), "panicked" in group.marks
    fill, ink, trim = (_PALE, SIDE_INK[side], SIDE_INK[side]) if panicked else (_FILL[side], _INK[side], _TRIM[side])
    parts = [f'{_outline(side, 17)} transform="translate(1.5,2.2)" {SHADOW}/>']
    if group.count > 1:
        parts.append(
            f'<g transform="translate(2.6,2.6)">{_outline(side, 17)} fill="{fill}" stroke="#fff" stroke-width="1"/></g>'
        )
    if legal or active:
        ring = "#FFD84A" if legal else "#FFFFFF"
        parts.append(f'{_outline(side, 20.5)} class="ring" fill="{ring}" stroke="#2B2410" stroke-width="1.1"/>')
    dash = ' stroke-dasharray="4 2.6"' if panicked else ""
    parts.append(
        f'{_outline(side, 17)} fill="{fill}" stroke="{ink if panicked else "#FFFFFF"}" '
        f'stroke-width="{2 if panicked else 0.9}"{dash}/>'
    )
    if not panicked:
        parts.append(f'{_outline(side, 14.6)} fill="none" stroke="{trim}" stroke-width="0.9" stroke-opacity="0.75"/>')
    tag, beside = _TAGS.get(kind, ""), -5.5 if group.count > 1 else 0.0
    if kind_of == "canoe":
        parts.append(
            f'<g transform="translate(0,{-5 if tag else 0}) '
            f'scale({0.88 if tag else 1})">{symbol("canoe", ink, fill)}</g>'
        )
        if tag:
            parts.append(f'<text x="{beside:g}" y="15.5" font-size="14" text-anchor="middle" fill="{ink}">{tag}</text>')
    else:
        plus = "+" if piece.plus else ""
        place = "translate(-8.6,-5.6) scale(.5)" if tag else "translate(0,-6) scale(.9)"
        parts.append(f'<g transform="{place}">{symbol(kind_of, ink, fill)}</g>')
        if tag:
            parts.append(f'<text x="5.4" y="-.4" font-size="14" text-anchor="middle" fill="{ink}">{tag}</text>')
        parts.append(
            f'<text x="{beside:g}" y="14.4" font-size="15.5" font-weight="bold" '
            'text-anchor="middle" '
            f'fill="{ink}">{piece.strength}{plus}</text>'
        )
    if panicked:
        parts = [f'<g transform="rotate(-13)">{"".join(parts)}</g>']
    if _is_spent(group):
        parts.append(
            '<circle cx="-14.5" cy="-14.5" r="6.2" fill="#F7F3E8" stroke="#333" stroke-width=".9"/>'
            '<path d="M-17.3,-14.4L-15.1,-12 -11.6,-16.8" fill="none" stroke="#333" stroke-width="1.8"/>'
        )
    if group.count > 1:
        parts.append(
            # Within the ring, so that the ring of the counter beside it does not cover the number.
            '<rect x="1.8" y="6.2" width="18.4" height="15" rx="7" fill="#FFFDF6" stroke="#333" stroke-width=".9"/>'
            '<text x="11" y="18.6" font-size="14" font-weight="bold" text-anchor="middle" '
            f'fill="#222">×{group.count}</text>'
        )
    return "".join(parts)
