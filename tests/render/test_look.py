"""What the pictures of all games share: names that can be read, the colours of dark pages, mountains on the islands."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from importlib import resources
from itertools import product
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from hawaii_env import load_game
from hawaii_env.aloha.pictures.ground import UP
from hawaii_env.aloha.pictures.picture import PLACES
from hawaii_env.hawaii1795.pictures import svg as hawaii_svg
from hawaii_env.hawaii1795.pictures.names import space_name
from hawaii_env.hawaii1795.rules.names import SPACES
from hawaii_env.heiau.pictures.chart import chart_of
from hawaii_env.maori_wars.pictures.chart import chart_of as theatre_of
from hawaii_env.maori_wars.pictures.labels import labels_of
from hawaii_env.maori_wars.pictures.picture import Stack
from hawaii_env.maori_wars.pictures.scene import Group, Scene
from hawaii_env.render.coasts import coasts, line_points, outline, relief
from hawaii_env.render.picture import render_svg
from hawaii_env.render.placing import within
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


Piece = tuple[str, float, float, float, list[Any], float, float]
"""A piece that stands somewhere: what it is, its middle, half its size, the shapes that it may touch, and how much of
it does, at least and at most.
"""


def hawaii_pieces() -> Iterator[Piece]:
    """All kinds of a side's units in each space, one more at a time, with canoes; and forts."""
    ruleset: Any = load_game("hawaii1795").ruleset  # pyright: ignore[reportAttributeAccessIssue]
    view = load_game("hawaii1795").initial_state(seed=1).view().to_dict()
    kinds = [
        "kamehameha",
        "john_young",
        "royal_guard",
        "vancouver",
        "musketeer",
        "pike",
        "warrior_2",
        "warrior_1",
        "canoe",
    ]
    islands = [list(outline(island)) for island in coasts()]
    for space, number in product(SPACES, range(1, 9)):
        view["units"] = {"kamehameha": {space: [*kinds[:number], *kinds[-1:] * 2]}, "allied": {}, "neutral": {}}
        root = ElementTree.fromstring(hawaii_svg(view, ruleset=ruleset))
        land = root.find(f".//*[@data-space='{space}'][@d]")
        assert land is not None
        for one in root.iterfind(f".//*[@data-place='{space}']"):
            x, y, scale, *_ = (*map(float, re.findall(r"-?[\d.]+", one.attrib["transform"])), 1.0)
            what = f"{one.get('data-piece')} of {number} in {space_name(space, ruleset)}"
            if one.get("data-piece") == "canoe":
                yield what, x, y, 17, islands, 0.0, 0.12
            else:
                if space in ("koolau", "molokai") and number > 4:  # in a frame
                    near = [square(u, v, 40) for u, v in line_points(land.attrib["d"])[::6]]
                    yield what, x, y, 4, near, 0.5, 1.0
                    continue
                yield what, x, y, 2, [line_points(land.attrib["d"])], 0.5, 1.0
                yield what, x, y, 17 * scale, islands, 0.4 if space in ("koolau", "molokai") else 0.48, 1.0


def square(x: float, y: float, half: float) -> list[Any]:
    return [(x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half)]


def hawaii_covers() -> Iterator[Piece]:
    """As many kinds of units in all spaces at once: no counter covers another, or a name; nor do held cards."""
    ruleset: Any = load_game("hawaii1795").ruleset  # pyright: ignore[reportAttributeAccessIssue]
    view = load_game("hawaii1795").initial_state(seed=1).view().to_dict()
    kinds = ["kamehameha", "john_young", "royal_guard", "vancouver", "musketeer", "pike", "warrior_2", "warrior_1"]
    view["held"] = ["ku_snatcher_of_islands", "hold_the_line", "muskets_for_land"]
    for number in range(1, 9):
        there = [*kinds[:number], "canoe"]
        view["units"] = {"kamehameha": dict.fromkeys(SPACES, there), "allied": {}, "neutral": {}}
        root = ElementTree.fromstring(hawaii_svg(view, ruleset=ruleset))
        stands = {
            f"{one.get('data-piece')} of {number} in {one.get('data-place')}": (
                *map(float, re.findall(r"-?[\d.]+", one.attrib["transform"])),
                1.0,
            )[:3]
            for one in root.iterfind(".//*[@data-place]")
            if one.get("data-place") in SPACES and one.get("data-piece")
        }
        names = [
            square(float(text.attrib["x"]), float(text.attrib["y"]) - 6, 7)
            for label in root.iterfind(".//*[@class='label']")
            for text in label
            if text.tag.endswith("}text")
        ]
        for what, (x, y, scale) in stands.items():
            others = [square(u, v, 17 * by) for other, (u, v, by) in stands.items() if other != what]
            yield f"{what} under another", x, y, 16.5 * scale, others, 0.0, 0.13
            yield f"{what} over a name", x, y, 16.5 * scale, names, 0.0, 0.1
    names, root = [], ElementTree.fromstring(hawaii_svg(view, ruleset=ruleset))
    for label in root.iterfind(".//*[@class='label']/*[@text-anchor='middle']"):
        x, y, half = float(label.attrib["x"]), float(label.attrib["y"]) - 7, 5.0 * len(label.text or "")
        names.append([(x - half, y - 8), (x + half, y - 8), (x + half, y + 8), (x - half, y + 8)])
    for one in root.iterfind(".//*[@class='held']/*[@width]"):
        x, y, wide, high = (float(one.attrib[key]) for key in ("x", "y", "width", "height"))
        for at in np.linspace(x + high / 2, x + wide - high / 2, 12):
            yield "a card that is held over a name", float(at), y + high / 2, high / 2, names, 0.0, 0.0


def heiau_pieces() -> Iterator[Piece]:
    """A unit, a heiau or post and a dislodged unit in each space."""
    chart = chart_of(load_game("heiau").ruleset)  # pyright: ignore[reportAttributeAccessIssue]
    for one, island in ((one, chart.islands[one]) for one in chart.land):
        own, coast = [chart.cells[one]], [chart.coasts[island]]
        small = 0.15 * (island in ("niihau", "kohoolawe") or one == "oahu_kailua")
        yield f"unit in {one}", *chart.at[one], 13, coast, 0.8 - small, 1.0
        yield f"unit in {one}", *chart.at[one], 4, own, 0.5, 1.0
        yield f"heiau in {one}", *chart.centres[one], 11, coast, 0.85 - small, 1.0
        yield f"heiau in {one}", *chart.centres[one], 4, own, 0.5, 1.0
        yield f"dislodged in {one}", *chart.outs[one], 13, coast, 0.35 - small, 1.0


def aloha_pieces() -> Iterator[Piece]:
    """Tokens of four players on each island."""
    for island, (_, _, spots) in PLACES.items():
        for number, (x, y) in enumerate(spots):
            yield f"tokens of {number} on {island}", x, y + UP, 13, [outline(island)], 0.8, 1.0


def maori_pieces() -> Iterator[Piece]:
    """Stacks at the limit in the hexes of each theatre, with a leader and a boat."""
    for scenario in WARS:
        rules: Any = load_game("maori_wars", scenario=scenario).ruleset  # pyright: ignore[reportAttributeAccessIssue]
        chart = theatre_of(rules, rules.scenarios[scenario].theatre)
        groups = [Group(kind, "british", False, 1, False) for kind in ("infantry", "militia", "naval", "artillery")]
        groups += [
            Group("gunboat", "british", False, 1, False),
            Group(next(iter(rules.leaders)), "british", False, 1, True),
        ]
        for at, stands in product(chart.hexes[:3], (False, True)):
            for group, x, y in Stack(chart, at, groups, stands).parts:
                yield f"{group.kind} in {at}", x, y, 4, [chart.corners(at)], 0.5, 1.0


def maori_covers() -> Iterator[Piece]:
    """The pieces of positions of whole games, with the names that cover them."""
    for scenario in WARS:
        state: Any = load_game("maori_wars", scenario=scenario).initial_state(seed=2)
        chart = theatre_of(state.game.ruleset, state.game.ruleset.scenarios[scenario].theatre)
        draw, labels = random.Random(5), labels_of(chart)
        for turn in range(600):
            if turn % 40 == 0:
                scene = Scene(state.view().to_dict(), state.game.ruleset)
                stacks = [
                    Stack(chart, at, groups, at in scene.structures)
                    for at, groups in scene.groups.items()
                    if at in chart.hexes
                ]
                spots = labels.around([box for stack in stacks for box in stack.boxes])
                names = [[(x, y), (x + w, y), (x + w, y + h), (x, y + h)] for *_, (x, y, w, h) in spots.values()]
                for stack in stacks:
                    for (group, x, y), box in zip(stack.parts, stack.boxes, strict=True):
                        yield f"{group.kind} in {stack.at} of {scenario}", x, y, box.width / 2, names, 0.0, 0.25
            if state.is_terminal:
                break
            state.apply(draw.choice(state.legal_actions(state.acting_players[0])))


def drawn_names(svg: str, label: str) -> list[list[Any]]:
    """The boxes of the names of a map whose elements have a class."""
    found: list[list[Any]] = []
    for text in ElementTree.fromstring(svg).iterfind(f".//*[@class='{label}']"):
        text = text if text.tag.endswith("}text") else text[0]
        x, y, size = (float(text.attrib[key]) for key in ("x", "y", "font-size"))
        half = 0.23 * size * len(text.text or "")
        found.append([(x - half, y - 0.7 * size), (x + half, y - 0.7 * size), (x + half, y), (x - half, y)])
    return found


def aloha_covers() -> Iterator[Piece]:
    """The tokens of four players on each island, and the names of islands."""
    names = drawn_names(start("aloha"), "label")
    assert len(names) == len(PLACES)
    for what, x, y, half, *_ in aloha_pieces():
        yield f"{what} over a name", x, y, half, names, 0.0, 0.05


def heiau_covers() -> Iterator[Piece]:
    """The units and heiaus of the spaces, and the names of spaces, which are drawn last."""
    names = drawn_names(start("heiau"), "place-name")
    assert len(names) == 45
    rules: Any = load_game("heiau").ruleset  # pyright: ignore[reportAttributeAccessIssue]
    chart = chart_of(rules)
    for one, (x, y) in chart.at.items():
        yield f"unit in {one} under a name", x, y, 13, names, 0.0, 0.05
    for space in rules.spaces:
        if space.heiau:
            yield f"heiau in {space.id} under a name", *chart.centres[space.id], 11, names, 0.0, 0.2


PIECES = [
    aloha_pieces,
    aloha_covers,
    hawaii_pieces,
    hawaii_covers,
    heiau_pieces,
    heiau_covers,
    maori_pieces,
    maori_covers,
]


@pytest.mark.parametrize(
    "pieces", [pytest.param(one, marks=[pytest.mark.slow] * (one is maori_covers)) for one in PIECES]
)
def test_pieces_of_a_crowded_space_stand_in_it(pieces: Callable[[], Iterator[Piece]]) -> None:
    """Middles are inside of their space and hardly anything is in the sea; canoes are in the sea. Nothing covers a
    piece.
    """
    seen = 0
    for what, x, y, half, shapes, least, most in pieces():
        grid = np.stack(np.meshgrid(*(np.linspace(at - half, at + half, 9) for at in (x, y))), -1).reshape(-1, 2)
        share = max(float(within(grid, shape).mean()) for shape in shapes)
        assert least <= share <= most, f"{what}: {share:.2f} of it"
        seen += 1
    assert seen >= 20


def test_dark_pages() -> None:
    """The style sheet that pages take is that of the table; no picture brings its own, which a page's policy blocks."""
    sheet = resources.files("hawaii_env.web").joinpath("static/picture.css").read_text(encoding="utf-8")
    assert sheet == style_sheet() and f".map {{ background: {DARK[SEA]}; }}" in sheet
    light = resources.files("hawaii_env.web").joinpath("static/board.css").read_text(encoding="utf-8")
    assert f"background: {SEA};" in light
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
