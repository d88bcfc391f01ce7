"""What the pictures of all games share: names that can be read, the colours of dark pages, mountains on the islands."""

from __future__ import annotations

import re
from importlib import resources
from typing import Any

import pytest

from hawaii_env import load_game
from hawaii_env.render.coasts import coasts, outline, relief
from hawaii_env.render.picture import render_svg
from hawaii_env.render.relief import SEA, ridges
from hawaii_env.render.theme import DARK, darkened, style_sheet

GAMES = ["aloha", "hawaii1795", "heiau", "maori_wars"]
BOARD = 800.0
"""Pixels of a board's width in a window of 1280 by 800, at least; a board that says how large it must be is zoomed."""


def start(name: str, **more: Any) -> str:
    return render_svg(load_game(name).initial_state(seed=1), legal=True, **more)


@pytest.mark.parametrize("name", GAMES)
def test_names_can_be_read_at_1280_by_800(name: str) -> None:
    """No name is below 12 pixels at the size at which a page begins."""
    svg = start(name)
    wide, readable = re.search(r'viewBox="0 0 (\d+)', svg), re.search(r'data-readable="([\d.]+)"', svg)
    assert wide
    scale = float(readable[1]) if readable else BOARD / float(wide[1])
    names = [float(size) for size in re.findall(r'class="place-name"[^>]*? font-size="([\d.]+)"', svg)]
    names += map(float, re.findall(r'<g class="label"[^>]*><text[^>]*? font-size="([\d.]+)"', svg))
    names += map(float, re.findall(r'font-size="([\d.]+)" font-style="italic"', svg))
    assert names and min(names) * scale > 11.9  # `readable` has two places


def test_dark_pages() -> None:
    """The style sheet that pages take is that of the table; no picture brings its own, which a page's policy blocks."""
    sheet = resources.files("hawaii_env.web").joinpath("static/picture.css").read_text(encoding="utf-8")
    assert sheet == style_sheet() and f".map {{ background: light-dark({SEA}, {DARK[SEA]}); }}" in sheet
    assert all(re.fullmatch("#[0-9A-F]{6}", colour) for pair in DARK.items() for colour in pair)
    assert not set(DARK) & set(DARK.values())  # what is dark already stays as it is


@pytest.mark.parametrize("name", GAMES)
def test_a_dark_picture_has_no_bright_ground(name: str) -> None:
    Image = pytest.importorskip("PIL.Image", reason="the extra render")
    picture: Any = pytest.importorskip("hawaii_env.render.picture")
    svg = start(name, dark=True)
    assert "<style" not in svg and svg == darkened(start(name))
    pixels = picture.rasterize(svg, 250)
    bright = Image.fromarray(pixels).convert("L").point(lambda value: 255 * (value > 150)).histogram()[255]
    assert bright < 0.12 * pixels[..., 0].size


def test_every_island_has_mountains() -> None:
    for island in coasts():
        assert ridges(island) and 'class="relief"' in relief(island, "land")
        points = re.findall(r"M(-?\d+) (-?\d+)l", relief(island, "land"))
        xs, ys = zip(*outline(island), strict=True)
        assert all(min(xs) - 9 < float(x) < max(xs) + 9 and min(ys) - 9 < float(y) < max(ys) + 9 for x, y in points)
    assert max(height for line in ridges("hawaii") for *_, height in line) == 4207
    assert max(height for line in ridges("te_ika_a_maui") for *_, height in line) == 2797
