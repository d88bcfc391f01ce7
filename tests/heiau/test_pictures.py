"""The map as a picture: names that can be read, colours that colour-blind people tell apart, orders as arrows."""

from __future__ import annotations

import math
import random
import re
import tomllib
from itertools import combinations

import numpy as np
import pytest
from colours import SIGHTS, lab, linear
from moves import play

from hawaii_env.game import SPECTATOR
from hawaii_env.heiau import Game
from hawaii_env.heiau.pictures.chart import chart_of
from hawaii_env.heiau.pictures.names import COLOURS, colours_of
from hawaii_env.heiau.ruleset import Ruleset
from hawaii_env.narration import narration_of
from hawaii_env.render.picture import render_svg

from .helpers import position


@pytest.mark.parametrize("sight", SIGHTS)
def test_six_colours_are_distinguishable(sight: str) -> None:
    """Any two are ten times as far apart as what is just noticed (CIE 1976), and letters read on each."""
    for one, other in combinations(COLOURS, 2):
        assert np.linalg.norm(lab(one, sight) - lab(other, sight)) > 23, (one, other)
    for colour in COLOURS:
        assert 1.05 / (linear(colour) @ np.array([0.2126, 0.7152, 0.0722]) + 0.05) > 3, f"white letters on {colour}"


def test_a_power_has_its_colour_in_every_scenario() -> None:
    """Powers of one scenario differ, and the page shows the same."""
    seen: dict[str, str] = {}
    for name in Game().ruleset.scenarios:
        game = Game(scenario=name)
        colours = colours_of(game.powers)
        assert len(set(colours.values())) == game.num_players
        assert [side.colour for side in narration_of(game).sides] == list(colours.values())
        for power, colour in colours.items():
            assert seen.setdefault(power, colour) == colour
    assert len(set(colours_of(["dawn", "hilo", "x"]).values())) == 3


def test_names_cover_neither_units_nor_one_another() -> None:
    """Each name's box is free of other names and of the units that may stand on the map, but for corners of letters."""
    chart = chart_of(Game().ruleset)
    boxes = {}
    for space, ((x, y), text) in chart.names.items():
        half = 3.4 * len(text)
        boxes[space] = (x - half, y - 10, x + half, y + 2)
        assert x - half >= 0 and x + half <= chart.size[0] and y <= chart.size[1]
    for (one, a), (other, b) in combinations(boxes.items(), 2):
        wide, high = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
        assert wide <= 0 or high <= 0 or wide * high < 60, (one, other)
    for space, box in boxes.items():
        for place, (x, y) in chart.at.items():
            inside = box[0] < x < box[2] and box[1] < y < box[3]
            assert not inside, f"the name of {space} covers the middle of {place}"


@pytest.mark.parametrize(
    ("order", "kind"),
    [
        ("B hilo - puna", "move"), ("A lanai - kona_kailua via", "via"), ("B puna S A hilo - kalae", "support"),
        ("B puna S A hilo", "support"), ("F spo C A lanai - kona_kailua", "convoy"), ("A hilo H", "hold"),
        ("A kohala = B", "build"), ("F koolau = C", "build"), ("B kaunalu - makanalua/n", "move"),
    ],
)  # fmt: skip
def test_orders_are_arrows(order: str, kind: str) -> None:
    arrow = chart_of(Game().ruleset).arrow(order)
    assert arrow is not None and arrow.kind == kind and arrow.line.startswith("M")
    assert bool(arrow.head) == (kind in ("move", "via", "convoy") or " - " in order)


def test_units_that_change_places_have_two_ways() -> None:
    """Their arrows do not cover one another."""
    chart = chart_of(Game().ruleset)
    there, back = chart.arrow("A hilo - puna"), chart.arrow("A puna - hilo")
    assert there is not None and back is not None
    bows = [np.array(line.line.split("Q")[1].split()[:2], float) for line in (there, back)]
    assert np.linalg.norm(bows[0] - bows[1]) > 10


def test_a_bounce_has_a_cross_and_a_dislodged_unit_an_edge() -> None:
    start = position("race", {"sunrise": ["A puna", "A mauna_loa"], "sunset": ["A hilo"]})
    after = play(start, "support puna", "to hilo", "move hilo", "hold")
    svg = render_svg(after, player=SPECTATOR)
    assert 'class="arrow support last"' in svg and 'class="arrow move last"' in svg
    assert 'class="piece out"' in svg and "dislodged" in svg
    crosses = svg.count("#E03131")
    bounced = play(position("race", {"sunrise": ["A puna"], "sunset": ["A hilo"]}), "move hilo", "hold")
    still = play(position("race", {"sunrise": ["A puna"], "sunset": ["A hilo"]}), "hold", "hold")
    told = [render_svg(state, player=SPECTATOR).count("#E03131") for state in (bounced, still)]
    assert told[0] == told[1] + 1 and crosses > told[1]


def test_counts_of_six_powers_do_not_overlap() -> None:
    """The words beside a power's mark end before the next mark."""
    draw, state, seen = random.Random(2), Game(scenario="two_haoles").initial_state(seed=4), 0
    while not state.is_terminal and seen < 3:
        state.apply(draw.choice(state.legal_actions(state.acting_players[0])))
        if not state.view(SPECTATOR).posts:
            continue
        svg, seen = render_svg(state, player=SPECTATOR), seen + 1
        marks = [float(x) - 15 for x in re.findall(r'<circle cx="([\d.]+)" cy="28" r="15"', svg)]
        words = [
            (float(x), text) for x, text in re.findall(r'<text x="([\d.]+)" y="34" font-size="14.5"[^>]*>(.*?)<', svg)
        ]
        assert len(words) == len(marks) == 6 and any("post" in text for _, text in words)
        for (x, text), end in zip(words, [*marks[1:], 1000.0], strict=True):
            assert x + 6.5 * len(text) < end, text
    assert seen


def test_the_picture_shows_every_island_whole() -> None:
    chart = chart_of(Ruleset.load())
    assert all(y < chart.size[1] - 10 for coast in chart.coasts.values() for _, y in coast)


def test_every_border_on_land_is_an_edge_of_two_cells_and_no_edge_is_without_a_border() -> None:
    chart = chart_of(Game().ruleset)
    assert chart.ways and not chart.trails and not chart.ridges


def test_a_map_without_coasts_is_drawn_around_its_spaces() -> None:
    data = tomllib.loads((Ruleset.folder / "data" / "map.toml").read_text(encoding="utf-8"))
    del data["coasts"]
    chart = chart_of(Ruleset.load({"map.toml": data}))
    assert not chart.coasts and chart.trails == chart.ways
    assert all(math.dist(chart.at[one], corner) < 120 for one in chart.land for corner in chart.cells[one])
