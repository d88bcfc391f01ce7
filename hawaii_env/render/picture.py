"""Positions as pictures: SVG, and from it PNG, arrays and a window.

`render_svg` draws any game's position: a game with a picture of its own names what draws its view in its spec
(`hawaii_env.games.GameSpec`), and every other one gets its view as a page of text. Rasterising needs resvg-py and
Pillow, the window pygame-ce: the extra ``render``. A picture that is drawn in layers (`hawaii_env.render.layers`) is
quick as pixels: `render_image` and `render_rgb` rasterise what is new.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Mapping, Sequence
from functools import cache
from html import escape
from importlib import resources
from io import BytesIO
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hawaii_env import games
from hawaii_env._arguments import check_count
from hawaii_env.errors import HawaiiError, OptionError
from hawaii_env.game import Event, Game, State, check_player
from hawaii_env.render.layers import Box, Drawing, Layer, composed, letters
from hawaii_env.render.theme import darkened

__all__ = [
    "MissingExtraError",
    "SvgDrawer",
    "need",
    "rasterize",
    "render_image",
    "render_rgb",
    "render_svg",
    "save_picture",
    "to_png",
]


class MissingExtraError(HawaiiError, ImportError):
    """A library is missing that an extra of this distribution brings."""


class SvgDrawer(Protocol):
    """Draws the positions of one game."""

    def __call__(
        self, view: Any, *, game: Game, legal: Mapping[int, str] | None, events: Sequence[Event], width: int | None
    ) -> str | Drawing:
        """Return a position as a drawing in layers, or as one SVG document, which is rasterised whole each time.

        Args:
            view: `State.view(player)`; nothing else of the position is shown to it.
            game: the game, for its names.
            legal: legal actions to highlight, action -> text, or None.
            events: what has just happened, oldest first.
            width: width in pixels of the document, or None.
        """
        ...


def need(module: str, what: str, package: str, extra: str = "render") -> Any:
    """Import a module that an extra brings.

    Raises:
        MissingExtraError: it is not installed; the message names the extra.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtraError(
            f'{what} needs {package}, which is not installed: pip install "hawaii-env[{extra}]" brings it'
        ) from error


def _drawn(
    state: State, legal: bool, width: int | None, events: Sequence[Event] | None, player: int | None
) -> str | Drawing:
    game = state.game
    spec = games.get(game.name)
    draw: SvgDrawer = (None if spec is None else spec.load("picture")) or _text_page
    lit = None
    if legal:
        lit = {
            action: game.action_text(action)
            for player in state.acting_players
            for action in state.legal_actions(player)
        }
    knowing = check_player(state, player)
    if width is not None:
        _check_width(width)
    trace = (state.trace or ()) if events is None else events
    recent = [event for event in trace if state.may_see(event, knowing)]
    return draw(state.view(player), game=game, legal=lit, events=recent, width=width)


def render_svg(
    state: State,
    legal: bool = False,
    width: int | None = None,
    events: Sequence[Event] | None = None,
    player: int | None = None,
    dark: bool = False,
) -> str:
    """Return a position as one SVG document.

    Args:
        state: the position. The drawing is made from what `player` may know; nothing else is looked at.
        legal: True highlights the legal actions of whoever decides.
        width: width in pixels; None leaves it to the place where the picture stands.
        events: what has just happened; None takes the state's trace, where it has one.
        player: whose knowledge is drawn, an index or SPECTATOR; None is who decides.
        dark: True takes the colours of dark pages.
    """
    drawn = _drawn(state, legal, width, events, player)
    svg = drawn if isinstance(drawn, str) else drawn.svg(width)
    return darkened(svg) if dark else svg


@cache
def _fonts() -> list[str]:
    """Return the fonts that come with the package, so that pictures are alike on every machine."""
    folder = resources.files("hawaii_env.render").joinpath("data")
    return sorted(str(file) for file in folder.iterdir() if file.name.endswith(".ttf"))


def _check_width(width: object) -> None:
    check_count("width", width, 16, 8192)


def _png(svg: str, width: int | None) -> bytes:
    """Return an SVG document as a PNG; its own size where `width` is None."""
    resvg = need("resvg_py", "a picture as pixels", "resvg-py")
    return bytes(
        resvg.svg_to_bytes(
            svg_string=svg, width=width, skip_system_fonts=True, font_files=_fonts(), font_family="Fira Sans",
            sans_serif_family="Fira Sans", serif_family="Alegreya", monospace_family="Fira Sans",
        )
    )  # fmt: skip


def to_png(svg: str, width: int = 800) -> bytes:
    """Return an SVG document as a PNG of this width in pixels.

    Raises:
        OptionError: the width is not 16 to 8192.
        MissingExtraError: resvg-py is not installed.
    """
    _check_width(width)
    return _png(svg, width)


def _image(svg: str, width: int | None) -> Any:
    """Return an SVG document as an RGBA image."""
    with need("PIL.Image", "a picture as an array", "Pillow").open(BytesIO(_png(svg, width))) as picture:
        return picture.convert("RGBA")


def _on_white(picture: Any) -> Any:
    ground = need("PIL.Image", "a picture as an array", "Pillow").new("RGB", picture.size, "white")
    ground.paste(picture, mask=picture)
    return ground


def rasterize(svg: str, width: int = 800) -> NDArray[np.uint8]:
    """Return an SVG document as an array: uint8[height, width, 3], red, green and blue, 0 to 255. Raises as
    `to_png`.
    """
    _check_width(width)
    return np.array(_on_white(_image(svg, width)), np.uint8)


def render_rgb(
    state: State,
    width: int = 800,
    legal: bool = False,
    events: Sequence[Event] | None = None,
    player: int | None = None,
    dark: bool = False,
) -> NDArray[np.uint8]:
    """Return a position as an array: uint8[height, width, 3], on white; the arguments are those of `render_svg`. Raises
    as `to_png`.
    """
    _check_width(width)
    drawn = _drawn(state, legal, width, events, player)
    if isinstance(drawn, str):
        return rasterize(darkened(drawn) if dark else drawn, width)
    need("PIL.Image", "a picture as an array", "Pillow")
    size = width, math.ceil(width * drawn.height / drawn.width)  # as resvg rounds
    theme = "dark" if dark else "light"
    return composed(drawn, size, lambda svg: _image(darkened(svg) if dark else svg, None), theme)


def render_image(
    state: State,
    width: int = 800,
    legal: bool = False,
    events: Sequence[Event] | None = None,
    player: int | None = None,
    dark: bool = False,
) -> Any:
    """Return a position as an RGB image of Pillow's; the arguments are those of `render_rgb`, which see."""
    image = need("PIL.Image", "a picture as an array", "Pillow")
    return image.fromarray(render_rgb(state, width, legal, events, player, dark))


def save_picture(state: State, path: str | Path, width: int = 800, legal: bool = False) -> None:
    """Write a position's picture to a file whose name ends in ``.svg`` or ``.png``.

    Raises:
        OptionError: another ending.
        MissingExtraError: a PNG without resvg-py.
    """
    path = Path(path)
    if path.suffix == ".svg":
        path.write_text(render_svg(state, legal=legal, width=width) + "\n", encoding="utf-8")
    elif path.suffix == ".png":
        path.write_bytes(to_png(render_svg(state, legal=legal), width))
    else:
        raise OptionError(f"a picture's name ends in .svg or .png, not {path.name!r}")


def _text_page(
    view: Any, *, game: Game, legal: Mapping[int, str] | None, events: Sequence[Event], width: int | None
) -> Drawing:
    """Return a page of text, for a game without a picture of its own."""
    from hawaii_env.render.text import view_lines

    lines = [f"{game.name}", *view_lines(view.to_dict())]
    if events:
        lines.append(f"last: {events[-1].text}")
    if legal:
        lines.append("legal: " + ", ".join(legal.values()))
    lines = [line if len(line) <= 110 else line[:109] + "…" for line in lines]
    height, across = 40 + 22 * len(lines), 800
    layers = [Layer(f'<rect width="{across}" height="{height}" fill="#FBF8EF"/>', Box(0, 0, across, height))]
    for number, line in enumerate(lines):
        x, y, text = 20 + 9 * (len(line) - len(line.lstrip())), 36 + 22 * number, line.strip()
        layers.append(Layer(f'<text x="{x}" y="{y}" fill="#24414C">{escape(text)}</text>', letters(x, y, text, 15)))
    attributes = {
        "role": "img",
        "font-size": "15",
        "font-family": "'Fira Sans', 'Segoe UI', 'Noto Sans', Arial, sans-serif",
    }
    return Drawing(across, height, layers, attributes, f"<title>{escape(game.name)}</title>")
