"""Counters and structures as drawings around (0, 0). Sides differ by colour and darkness, kinds by their signs."""

from __future__ import annotations

from hawaii_env.maori_wars.pictures.names import COLOURS
from hawaii_env.render.relief import SHADOW

__all__ = ["CREAM", "GOLD", "badge", "counter", "leader", "structure"]

CREAM, AMBER, GOLD = "#FBF8F0", "#F0A030", "#FFD84A"

_TAIAHA = "M-6.5,6.5L6.5,-6.5M-6.5,-6.5L6.5,6.5M-6.8,3.6l3.2,3.2M6.8,3.6l-3.2,3.2"
_SIGNS = {
    "infantry": "M-8.5,-6.5L8.5,6.5M-8.5,6.5L8.5,-6.5",
    "naval": "M0,-6V6.5M-3.5,-3H3.5M-6.5,1.5C-6,5 -3,6.5 0,6.5C3,6.5 6,5 6.5,1.5"
    "M-1.6,-7.5a1.6,1.6 0 1 0 3.2,0a1.6,1.6 0 1 0 -3.2,0",
    "militia": "M-6.5,6.5V-6L0,1.5L6.5,-6V6.5",
    "constabulary": "M0,-7.5L2,-2.4L7.3,-2.4L3.1,0.9L4.6,6.2L0,3L-4.6,6.2L-3.1,0.9L-7.3,-2.4L-2,-2.4Z",
    "rangers": "M0,-8L-4.6,-1.5H-2.2L-6.2,4.2H6.2L2.2,-1.5H4.6ZM0,4.2V8",
    "cavalry": "M-8.5,6.5L8.5,-6.5",
    "artillery": "M-4,2.2a4.4,4.4 0 1 0 8.8,0a4.4,4.4 0 1 0 -8.8,0M-8.5,-1.5L8.5,-6.5",
    "gunboat": "M-9.5,2H9.5L6.5,7H-6.5ZM-1.5,2V-6.5H2.5V2M2.5,-6.5C5,-9 7,-6 9,-8",
    "queenite": _TAIAHA,
    "warrior": _TAIAHA,
    "canoe": "M-10,-1.5C-8,5.5 8,5.5 10,-4.5M-9,1.5H8.6M-4,1.5L-7,7.5M1,1.5L-2,7.5M6,1.5L3,7.5",
    "neutral": "M-4.5,0a4.5,4.5 0 1 0 9,0a4.5,4.5 0 1 0 -9,0",
}
"""Strokes of each kind's sign, in a square of 24."""

_FILLED = ("constabulary", "rangers", "gunboat")


def counter(kind: str, side: str, size: float, disrupted: bool) -> str:
    """Draw a counter: a plate in its side's colour; a Disrupted one is tilted, pale, and has a broken edge."""
    colour, scale = COLOURS[side], size / 24
    fill, ink = (CREAM, colour) if disrupted else (colour, CREAM)
    edge = (
        f'stroke="{colour}" stroke-width="2" stroke-dasharray="4 2.4"'
        if disrupted
        else f'stroke="{CREAM}" stroke-width="1.3"'
    )
    turned = " rotate(-16)" if disrupted else ""
    solid = ink if kind in _FILLED else "none"
    return (
        f'<g transform="scale({scale:.3f}){turned}"><rect x="-11.5" y="-9.5" width="26" height="23" rx="3.5" {SHADOW}/>'
        f'<rect x="-13" y="-11.5" width="26" height="23" rx="3.5" '
        f'fill="{fill}" {edge}/><path d="{_SIGNS[kind]}" fill="{solid}" stroke="{ink}" stroke-width="1.9" '
        'stroke-linecap="round" stroke-linejoin="round"/></g>'
    )


def leader(initials: str, side: str, radius: float) -> str:
    """Draw a leader: a disc with a ring, and with initials where there is room for letters."""
    ring = f'<circle r="{radius:.1f}" fill="{COLOURS[side]}" stroke="{CREAM}" stroke-width="1.3"/>'
    if radius < 10:
        s = radius / 9
        star = f'<path transform="scale({s:.2f})" d="{_SIGNS["constabulary"]}" fill="{GOLD}"/>'
        return ring + star
    return (
        f'{ring}<text y="4.5" font-size="12.5" font-weight="bold" text-anchor="middle" fill="{CREAM}">{initials}</text>'
    )


def badge(number: int, x: float, y: float) -> str:
    """Draw the number of alike pieces."""
    return (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="8" fill="{CREAM}" stroke="#24303B" stroke-width="1"/><text x="{x:.1f}" '
        f'y="{y + 4.4:.1f}" font-size="12.5" font-weight="bold" text-anchor="middle" fill="#24303B">{number}</text>'
    )


_POSTS = "".join(f"M{x},6V{-4 - (abs(x) % 2)}" for x in range(-13, 14, 3))

_DRAWN = {
    # walls or earth, then roofs in the side's colour, then lines
    "village": (
        "M-13,8V0L-6,-6L1,0V8ZM3,8V2.5L8,-2L13,2.5V8Z",
        "M-15,1L-6,-8L3,1L1.2,2.6L-6,-4.2L-13.2,2.6ZM1.5,3.6L8,-4L14.5,3.6L13,5L8,-0.6L3,5Z",
        "M-7.8,8V2.8H-4.2V8",
    ),
    "pa": ("M-16,9L-12,2H12L16,9Z", "M-2.6,-5V-11H6L4.4,-8.6L6,-6.2H-1V-5Z", _POSTS + "M-14.5,-0.5H14.5M-14.5,3H14.5"),
    "settlement": (
        "M-10,8V-1H10V8Z",
        "M-12.5,0L-6,-8H6L12.5,0ZM5.5,-7V-11.5H8.6V-4Z",
        "M-2,8V2.6H2V8M-7.4,1.8h3v3h-3zM4.4,1.8h3v3h-3z",
    ),
    "fort": (
        "M-15,9L-11.5,5V-2L-15,-6H-8L-4.5,-2.5H4.5L8,-6H15L11.5,-2V5L15,9H8L4.5,6H-4.5L-8,9Z",
        "M-0.6,-2V-14H9L6.6,-11L9,-8H0.9V-2Z",
        "M-7,0.2H7V4H-7Z",
    ),
    "town": (
        "M-15,8V0H-7V8ZM-5,8V-4H3V8ZM5,8V0H15V8Z",
        "M-16.5,1L-11,-5L-5.5,1ZM-6,-3.5L-1,-14L4,-3.5ZM3.5,1L10,-5L16.5,1Z",
        "M-2.6,8V3.6H0.6V8M8.6,8V4H11.6V8",
    ),
}


def structure(kind: str, side: str, size: float, disrupted: bool) -> str:
    """Draw a structure: a village of whare, a pā with its palisade, a cottage, a redoubt, a town."""
    walls, roofs, lines = _DRAWN[kind.rpartition("_")[2]]
    colour, scale = COLOURS[side], size / 32
    lit = (
        f'<g transform="translate(13,-7)"><circle r="6.5" fill="{CREAM}" stroke="{AMBER}" stroke-width="1.6"/>'
        '<path d="M1.4,-4.2L-2.6,0.6H1.6L-1.4,4.4" fill="none" stroke="#C2571A" stroke-width="1.8" '
        'stroke-linejoin="round"/></g>'
    )
    return (
        f'<g transform="scale({scale:.3f})"><path d="{walls}{roofs}" fill="none" stroke="{CREAM}" stroke-width="4.5" '
        f'stroke-linejoin="round" stroke-opacity=".85"/><path d="{walls}" fill="{CREAM}" stroke="{colour}" '
        f'stroke-width="1.5" stroke-linejoin="round"/><path d="{lines}" fill="none" stroke="{colour}" '
        f'stroke-width="1.6"/><path d="{roofs}" fill="{colour}"/>{lit if disrupted else ""}</g>'
    )
