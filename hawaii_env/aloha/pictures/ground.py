"""The map below the tokens: sea, paper, mountains."""

from __future__ import annotations

from functools import cache

from hawaii_env.render.coasts import coasts, outline, relief
from hawaii_env.render.layers import Box, Layer, around
from hawaii_env.render.relief import SEA as DEEP
from hawaii_env.render.relief import depths, grain

__all__ = ["HEIGHT", "LAND", "PAPER", "SEA", "UP", "WIDTH", "ground", "mountains"]

WIDTH, HEIGHT = 1000, 690
PAPER = "#FBF8EF"
LAND = {"kauai": "#F3E69C", "oahu": "#D6DFEF", "molokai": "#D9E4CF", "maui": "#E3D6E8", "hawaii": "#F2CF9E"}
UP = 27
"""The shift of the islands above their coasts' coordinates, which leaves room below them."""
SEA = (54, 578)
"""Top and bottom of the map."""


@cache
def ground() -> Layer:
    """Draw sea and paper."""
    shores = "".join(f'<path d="{coasts()[island]}"/>' for island in LAND)
    top, bottom = SEA
    frame = f'x="{-WIDTH}" y="{top}" width="{3 * WIDTH}" height="{bottom - top}"'
    return Layer(
        f'<defs><g id="aloha-coasts" transform="translate(0 -{UP})">{shores}</g></defs><rect {frame} fill="{DEEP}"/>'
        f'{depths("aloha-coasts")}{grain("aloha-", frame)}<rect width="{WIDTH}" height="{top}" fill="{PAPER}"/>'
        f'<rect y="{bottom}" width="{WIDTH}" height="{HEIGHT - bottom}" fill="{PAPER}"/>',
        Box(0, 0, WIDTH, HEIGHT),
    )


@cache
def mountains(island: str) -> Layer:
    """Draw an island's mountains and the grain of its paper."""
    left, top, width, height = around(outline(island), 2)
    clip = f'<clipPath id="aloha-{island}"><path d="{coasts()[island]}"/></clipPath>'
    box = f'x="{left:g}" y="{top:g}" width="{width:g}" height="{height:g}"'
    rough = f'<g clip-path="url(#aloha-{island})">{grain(f"aloha-{island}", box)}</g>'
    drawn = (
        f'<g transform="translate(0 -{UP})" pointer-events="none">{clip}{relief(island, f"aloha-{island}")}{rough}</g>'
    )
    return Layer(drawn, Box(left, top - UP, width, height))
