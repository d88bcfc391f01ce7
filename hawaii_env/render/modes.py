"""The render modes of environments: ``ansi``, ``svg``, ``rgb_array``, ``human``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hawaii_env.errors import OptionError
from hawaii_env.game import State
from hawaii_env.render.picture import need, render_rgb, render_svg
from hawaii_env.render.text import render_ansi
from hawaii_env.render.window import Window

__all__ = ["RENDER_MODES", "Renderer", "check_mode"]

RENDER_MODES = ("ansi", "human", "rgb_array", "svg")
WIDTH = 1000
"""Width in pixels of what ``rgb_array`` and ``human`` show."""


def check_mode(mode: object) -> None:
    """Raise OptionError unless `mode` is None or a render mode, and MissingExtraError where what it needs is not
    installed.
    """
    if mode is None:
        return
    if not isinstance(mode, str) or mode not in RENDER_MODES:
        raise OptionError(f"render_mode is None or one of {', '.join(map(repr, RENDER_MODES))}, not {mode!r}")
    if mode in ("rgb_array", "human"):
        need("resvg_py", f'render_mode="{mode}"', "resvg-py")
        need("PIL.Image", f'render_mode="{mode}"', "Pillow")
    if mode == "human":
        Window()


class Renderer:
    """Shows the positions of one environment in one mode. Copies open windows of their own.

    Args:
        mode: ``"ansi"``: text, coloured on a terminal where rich is installed; ``"svg"``: an SVG document;
            ``"rgb_array"``: uint8[height, width, 3]; ``"human"``: a window.
        title: the window's title.
        fps: pictures a second at most, in the window.
        width: width in pixels of arrays and of the window.

    Raises:
        OptionError: no such mode.
        MissingExtraError: what the mode needs is not installed.
    """

    def __init__(self, mode: str, title: str = "hawaii_env", fps: float = 0, width: int = WIDTH) -> None:
        check_mode(mode)
        self.mode: str = mode
        self.title: str = title
        self.fps: float = fps
        self.width: int = width
        self.window: Window | None = None

    def render(self, state: State) -> str | NDArray[np.uint8] | None:
        """Return the position in the renderer's mode; None for ``"human"``, which shows it."""
        if self.mode == "ansi":
            return render_ansi(state)
        if self.mode == "svg":
            return render_svg(state)
        if self.mode == "rgb_array":
            return render_rgb(state, self.width)
        if self.window is None:
            self.window = Window(self.title, self.fps)
        self.window.fps = self.fps
        if self.window.open:
            self.window.show(render_rgb(state, self.width))
        return None

    def close(self) -> None:
        """Close the window, where one is open; the next picture opens another."""
        if self.window is not None:
            self.window.close()
            self.window = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "window": None}
