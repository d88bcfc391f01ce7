"""What the pictures of all games share: names that can be read, the colours of dark pages, mountains on the islands."""

from __future__ import annotations

import random
import re
from importlib import resources
from typing import Any
from xml.etree import ElementTree

import pytest

from hawaii_env import load_game
from hawaii_env.render.coasts import coasts, outline, relief
from hawaii_env.render.picture import render_svg
from hawaii_env.render.relief import SEA, ridges
from hawaii_env.render.theme import DARK, darkened, style_sheet

GAMES = ["aloha", "hawaii1795", "heiau", "maori_wars"]
WARS = ["flagstaff", "taranaki", "waikato", "campaign"]
BOARD = 800.0
"""Pixels of a board's width in a window of 1280 by 800, at least."""


def start(name: str, **more: Any) -> str:
    return render_svg(load_game(name).initial_state(seed=1), legal=True, **more)


def letter_sizes(svg: str) -> dict[str, list[float]]:
    """The sizes of letters in units of the picture, those of names and of the marks of pieces."""
    found: dict[str, list[float]] = {"name": [], "mark": []}

    def walk(node: ElementTree.Element, scale: float, kind: str, size: str) -> None:
        words, size = node.get("class", "").split(), node.get("font-size", size)
        kind = (
            "name"
            if {"place-name", "label", "hex-numbers"} & set(words) or node.get("font-style") == "italic"
            else kind
        )
        kind = "mark" if "piece" in words else kind
        for by in re.findall(r"scale\(([\d.]+)", node.get("transform", "")):
            scale *= float(by)
        if node.tag.endswith("}text") and node.text and kind:
            found[kind].append(scale * float(size))
        for child in node:
            walk(child, scale, kind, size)

    walk(ElementTree.fromstring(svg), 1.0, "", "")
    return found


@pytest.mark.parametrize(
    ("name", "scenario"), [*((name, None) for name in GAMES[:3]), *(("maori_wars", s) for s in WARS)]
)
def test_names_and_marks_can_be_read_at_1280_by_800(name: str, scenario: str | None) -> None:
    """No name is below 12 pixels, no mark of a piece below 11, at the size at which a page begins; that is the whole
    board, but for the maps of Maori Wars.
    """
    state = load_game(name, **({"scenario": scenario} if scenario else {})).initial_state(seed=2)
    draw, seen = random.Random(3), 0
    for turn in range(160):
        if turn % 16 == 0:
            svg = render_svg(state, legal=True)
            wide, readable = re.search(r'viewBox="0 0 (\d+)', svg), re.search(r'data-readable="([\d.]+)"', svg)
            assert wide and readable
            scale, sizes = float(readable[1]), letter_sizes(svg)
            assert name == "maori_wars" or scale * float(wide[1]) <= BOARD
            assert sizes["name"] and min(sizes["name"]) * scale > 11.99
            assert min(sizes["mark"], default=99.0) * scale >= 11
            seen += len(sizes["mark"])
        if state.is_terminal:
            break
        state.apply(draw.choice(state.legal_actions(state.acting_players[0])))
    assert seen >= 20


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
