"""The map below the tokens: sea, paper, mountains."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from hawaii_env.render.coasts import coasts, outline, relief
from hawaii_env.render.layers import Box, Layer, around
from hawaii_env.render.relief import SEA as DEEP
from hawaii_env.render.relief import depths, grain

__all__ = ["GOLD", "HEIGHT", "PAPER", "SEA", "UP", "WIDTH", "ground", "light"]

WIDTH, HEIGHT = 1000, 690
PAPER, GOLD = "#FBF8EF", "#FFD84A"
LAND = {"kauai": "#F3E69C", "oahu": "#D6DFEF", "molokai": "#D9E4CF", "maui": "#E3D6E8", "hawaii": "#F2CF9E"}
UP = 27
"""The shift of the islands above their coasts' coordinates, which leaves room below them."""
SEA = (54, 578)
"""Top and bottom of the map."""


@cache
def _sea() -> str:
    """Draw sea and paper."""
    shores = "".join(f'<path d="{coasts()[island]}"/>' for island in LAND)
    top, bottom = SEA
    across = f'x="{-WIDTH}" width="{3 * WIDTH}"'
    frame = f'{across} y="{top}" height="{bottom - top}"'
    return (
        f'<defs><g id="aloha-coasts" transform="translate(0 -{UP})">{shores}</g></defs><rect {frame} fill="{DEEP}"/>'
        f'{depths("aloha-coasts")}{grain("aloha-", frame)}<rect {across} height="{top}" fill="{PAPER}"/>'
        f'<rect {across} y="{bottom}" height="{HEIGHT - bottom}" fill="{PAPER}"/>'
    )


@cache
def _drawn(more: tuple[str, ...]) -> str:
    islands = (
        f'<path class="space{" legal" * ("data-actions" in said)}" data-space="{island}" d="{coasts()[island]}" '
        f'transform="translate(0 -{UP})" fill="{LAND[island]}" stroke="#5E7F86" stroke-width="1.1" '
        f'stroke-linejoin="round"{said}/>{_mountains(island)}'
        for island, said in zip(LAND, more, strict=True)
    )
    return _sea() + "".join(islands)


def ground(more: Mapping[str, str]) -> Layer:
    """Draw the map, each island with more attributes."""
    shape = _drawn(("",) * len(LAND))
    return Layer(_drawn(tuple(more.get(island, "") for island in LAND)), Box(0, 0, WIDTH, HEIGHT), shape)


@cache
def light(island: str) -> Layer:
    """Draw the light around an island that can be chosen."""
    left, top, width, height = around(outline(island), 4)
    return Layer(
        f'<path class="glow" d="{coasts()[island]}" transform="translate(0 -{UP})" fill="none" stroke="{GOLD}" '
        'stroke-width="4" stroke-linejoin="round" pointer-events="none"/>',
        Box(left, top - UP, width, height),
    )


@cache
def _mountains(island: str) -> str:
    """Draw an island's mountains and the grain of its paper."""
    left, top, width, height = around(outline(island), 2)
    clip = f'<clipPath id="aloha-{island}"><path d="{coasts()[island]}"/></clipPath>'
    box = f'x="{left:g}" y="{top:g}" width="{width:g}" height="{height:g}"'
    rough = f'<g clip-path="url(#aloha-{island})">{grain(f"aloha-{island}", box)}</g>'
    return (
        f'<g transform="translate(0 -{UP})" pointer-events="none">{clip}{relief(island, f"aloha-{island}")}{rough}</g>'
    )
