"""Signs of what players have: a small picture for each resource."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from hawaii_env.aloha.pictures.names import RESOURCE_NAMES

__all__ = ["TINTS", "icon", "icons"]

TINTS = {
    "hawaiian": "#8A5A12",
    "commerce": "#1F6F54",
    "aloha": "#B3366B",
    "warrior": "#8C2F1B",
    "vote": "#3A4FA0",
    "pool": "#5C6B70",
}
"""The colour of each resource; `pool` are the tokens that are not on the board."""

PETAL = "M0,-1.5C-4.6,-4.5 -4.2,-10 0,-10.5C4.2,-10 4.6,-4.5 0,-1.5Z"
SHAPES = {
    # a feathered helmet
    "hawaiian": '<path d="M-8,9V1C-8,-4 -4,-7 1,-7C4,-7 7,-5.5 8,-3L3,0V9H-1V3H-4V9Z"/>'
    '<path d="M-9,-2C-8,-8 -3,-11 3,-10" fill="none" stroke="{}" stroke-width="2.6" stroke-linecap="round"/>',
    # a ship under sail
    "commerce": '<path d="M-10,4H10L7,9H-7Z"/><path d="M-1,-10V2H-8Q-6,-6 -1,-10Z"/><path d="M1,-8Q8,-4 8,2H1Z"/>',
    # a plumeria
    "aloha": "".join(f'<path d="{PETAL}" transform="rotate({72 * k})"/>' for k in range(5))
    + '<circle r="2" fill="#fff"/>',
    # two spears
    "warrior": '<path d="M-8,8L7,-7M8,8L-7,-7" stroke="{}" stroke-width="2.4" stroke-linecap="round"/>'
    '<path d="M9.5,-9.5L8,-3.5L3.5,-8Z"/><path d="M-9.5,-9.5L-8,-3.5L-3.5,-8Z"/>',
    # a ballot
    "vote": '<path d="M-8,-1H8V9H-8Z"/><path d="M-4,-10H5V-2H-4Z" fill="#fff" stroke="{}" stroke-width="1.6"/>'
    '<path d="M-2,-6.5L0,-4.5L3.2,-8.4" fill="none" stroke="{}" stroke-width="1.6"/>',
    # tokens in a bowl
    "pool": '<path d="M-10,1H10Q9,9 0,9T-10,1Z"/><circle cx="-4" cy="-3" r="3"/><circle cx="4" cy="-3" r="3"/>'
    '<circle cy="-6.5" r="3"/>',
}


def icon(resource: str, x: float, y: float, scale: float = 1.0, colour: str = "") -> str:
    """Return the sign of a resource, with its middle at a point; it is 20 wide at a scale of 1."""
    tint = colour or TINTS[resource]
    return (
        f'<g transform="translate({x:g},{y:g}) scale({scale:g})" fill="{tint}"><title>'
        f"{escape(RESOURCE_NAMES.get(resource, 'tokens left to bring in'))}</title>"
        f"{SHAPES[resource].replace('{}', tint)}</g>"
    )


def icons(given: Mapping[Any, int], x: float, y: float, size: float = 15.0, ink: str = "") -> tuple[str, float]:
    """Return amounts as numbers with signs, from a left end on, and where they end.

    Args:
        given: amounts by resource; zeros are left out.
        x: the left end.
        y: the base line of the numbers.
        size: of the numbers.
        ink: of numbers and signs; empty: each has its resource's colour.
    """
    parts: list[str] = []
    for resource, number in given.items():
        if number:
            text = str(number)
            parts.append(
                f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" font-weight="bold" fill="{ink or TINTS[resource]}">'
                f"{text}</text>"
            )
            x += 0.58 * size * len(text) + 0.72 * size
            parts.append(icon(resource, x, y - 0.36 * size, size / 19, ink))
            x += 1.15 * size
    return "".join(parts), x
