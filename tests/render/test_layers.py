"""Pictures made of layers look like the whole SVG rasterised, and only what is new is rasterised."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hawaii_env import games, hawaii1795_v1, load_game
from hawaii_env.hawaii1795 import Game, State
from hawaii_env.hawaii1795.pictures import drawing
from hawaii_env.render import layers, picture
from hawaii_env.render.layers import Box, Drawing, Layer, markup
from hawaii_env.render.picture import rasterize, render_image, render_rgb, render_svg
from tests.render.test_snapshots import POSITIONS, difference, events_of
from tests.toy import ToyGame

pytest.importorskip("resvg_py", reason="the extra render")
Image: Any = pytest.importorskip("PIL.Image", reason="the extra render")

GAME = Game()


@pytest.fixture
def rasterized(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """The sizes of what has been rasterised since, with nothing kept from before."""
    monkeypatch.setattr(layers, "_kept", layers._Kept(64 << 20))
    sizes: list[tuple[int, int]] = []
    make = picture._image

    def counted(svg: str, width: int | None) -> Any:
        found = make(svg, width)
        sizes.append(found.size)
        return found

    monkeypatch.setattr(picture, "_image", counted)
    return sizes


def by_layers(found: Drawing, width: int) -> np.ndarray[Any, Any]:
    size = width, math.ceil(width * found.height / found.width)
    return layers.composed(found, size, lambda svg: picture._image(svg, None))


def some_states(seed: int, every: int) -> list[State]:
    """Positions of a random game, one in `every`, with what happened before them."""
    state, dice, found = GAME.initial_state(seed=seed, trace=True), random.Random(seed), []
    while not state.is_terminal:
        state.apply(dice.choice(state.legal_actions()))
        if state.decisions % every == 0:
            copy = state.clone(trace=True)
            copy.trace = list(state.trace or ())
            found.append(copy)
    return found


@pytest.mark.parametrize("name", POSITIONS)
@pytest.mark.parametrize("width", [321, pytest.param(800, marks=pytest.mark.slow)])
def test_layers_equal_the_whole(name: str, width: int) -> None:
    entry = POSITIONS[name]
    drawn = drawing(entry["view"], entry["legal"], events=events_of(entry["events"]))
    whole, composed = rasterize(drawn.svg(), width), by_layers(drawn, width)
    assert composed.shape == whole.shape
    # Pieces stand at quarters of a pixel; nothing is cut off, nothing is missing.
    mean, share = difference(whole, composed)
    assert mean < 0.5 and share < 0.0002, f"mean difference {mean:.3f}, {share:.3%} of the pixels differ clearly"


def test_so_do_positions_of_a_game_and_of_a_ruleset_with_wide_names() -> None:
    for state in some_states(seed=3, every=60):
        mean, share = difference(rasterize(render_svg(state), 640), render_rgb(state, 640))
        assert mean < 0.5 and share < 0.0002
    content: Any = Game(rules=Path(__file__).parents[1] / "reconstructed-1").ruleset.content
    spaces = content["map.toml"]["spaces"]
    named = {key: {**entry, "name": "WWWWWW " + entry["name"]} for key, entry in spaces.items()}
    content["map.toml"] = {**content["map.toml"], "spaces": named}
    wide = Game(rules=content).initial_state(seed=1)
    _, share = difference(rasterize(render_svg(wide), 640), render_rgb(wide, 640))
    assert "WWWWWW Kona" in render_svg(wide) and share < 0.0002


@pytest.mark.parametrize("name", ["aloha", "heiau", "maori_wars"])
def test_no_layer_of_another_game_is_cut_and_none_stays(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    state, dice = load_game(name).initial_state(seed=1, trace=True), random.Random(1)
    changed = render_rgb(state, 700, legal=True)
    for _ in range(3):
        for player in state.acting_players[:1]:
            state.apply(dice.choice(state.legal_actions(player)))
        changed = render_rgb(state, 700, legal=True)
    monkeypatch.setattr(layers, "_kept", layers._Kept(64 << 20))
    np.testing.assert_array_equal(changed, render_rgb(state, 700, legal=True))
    mean, share = difference(rasterize(render_svg(state, legal=True), 700), render_rgb(state, 700, legal=True))
    assert mean < 0.5 and share < 0.0002


def test_a_picture_seen_before_rasterises_nothing(rasterized: list[tuple[int, int]]) -> None:
    state = GAME.initial_state(seed=1)
    first = render_rgb(state, 400)
    assert (400, 276) in rasterized
    rasterized.clear()
    again = render_rgb(state, 400)
    assert rasterized == []
    np.testing.assert_array_equal(first, again)
    first[:] = 0
    np.testing.assert_array_equal(render_rgb(state, 400), again)


@pytest.mark.slow
def test_a_game_rasterises_its_map_once_and_then_what_changes(rasterized: list[tuple[int, int]]) -> None:
    env = hawaii1795_v1.env(render_mode="rgb_array")
    env.reset(seed=2)
    env.render()
    assert max(rasterized) == (1000, 690)
    rasterized.clear()
    dice, frames = random.Random(2), 0
    for _ in env.agent_iter():
        observation, _, termination, truncation, _ = env.last()
        if termination or truncation:
            break
        env.step(int(dice.choice(observation["action_mask"].nonzero()[0])))  # type: ignore[index]
        env.render()
        frames += 1
    pixels = sum(width * height for width, height in rasterized)
    assert frames > 30 and (1000, 690) not in rasterized
    assert pixels / frames < 0.15 * 1000 * 690


def test_what_is_kept_is_bounded() -> None:
    kept = layers._Kept(10)
    made: list[int] = []

    def get(key: int, size: int) -> int:
        return kept.get(key, lambda: (made.append(key) or key, size))

    assert [get(1, 4), get(2, 4), get(1, 4), get(3, 4)] == [1, 2, 1, 3]
    assert made == [1, 2, 3] and kept.bytes == 8
    get(1, 4)
    assert made == [1, 2, 3]  # 2 was the longest unused
    get(2, 4)
    get(9, 11)
    assert made == [1, 2, 3, 2, 9] and kept.bytes <= 10
    get(9, 11)
    assert made[-2:] == [9, 9]  # too large to keep


def test_layers_are_put_together_in_their_order_on_white() -> None:
    square = '<rect x="2" y="2" width="6" height="6" fill="{}"{}/>'
    inside = Box(2, 2, 6, 6)
    drawn = Drawing(
        10,
        5,
        [
            Layer(square.format("#f00", ""), Box(0, 0, 10, 5)),
            markup('<g class="a">'),
            Layer(square.format("#00f", ' fill-opacity=".5"'), inside),
            Layer('<rect x="20" width="5" height="5"/>', Box(20, 0, 5, 5)),
            markup("</g>"),
        ],
        {"font-size": "3"},
        "<title>t</title>",
    )
    found = by_layers(drawn, 20)
    assert found.shape == (10, 20, 3)
    assert found[0, 0].tolist() == [255, 255, 255] and found[6, 6].tolist() == pytest.approx([127, 0, 128], abs=2)
    assert drawn.svg(20).startswith(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 5" width="20" height="10" font-size="3"><title>'
    )
    np.testing.assert_allclose(rasterize(drawn.svg(), 20).astype(int), found, atol=2)
    assert (by_layers(Drawing(10, 5, [], {}), 20) == 255).all()


def test_a_drawer_may_give_a_whole_document(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"><rect width="5" height="10" fill="#0f0"/></svg>'
    )
    monkeypatch.setattr(games, "_registered", {})
    games.register(games.GameSpec(name="tides", title="Tides", game=ToyGame, picture=lambda view, **more: whole))
    state = ToyGame().initial_state(seed=1)
    assert render_svg(state) == whole
    found = render_rgb(state, 20)
    assert found.shape == (20, 20, 3) and found[5, 5].tolist() == [0, 255, 0] and found[5, 15].tolist() == [255] * 3


def test_pages_of_text_are_drawn_in_layers_too(rasterized: list[tuple[int, int]]) -> None:
    state = ToyGame().initial_state(seed=1)
    found = render_image(state, 400)
    _, share = difference(rasterize(render_svg(state), 400), np.asarray(found))
    assert found.mode == "RGB" and len(rasterized) > 4 and share < 0.0005
