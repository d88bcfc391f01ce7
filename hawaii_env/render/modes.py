"""The render modes of environments: ``ansi``, ``svg``, ``rgb_array``, ``human``."""

from __future__ import annotations

import os
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hawaii_env.errors import OptionError
from hawaii_env.game import State
from hawaii_env.render.picture import need, render_rgb, render_svg
from hawaii_env.render.text import render_ansi

__all__ = ["RENDER_MODES", "Renderer", "Window", "check_mode"]

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


_NO_DISPLAY = (
    'render_mode "human" opens a window, and there is no display ({}); "rgb_array", "svg" and "ansi" need none'
)
_UNSEEN = "; the pictures go to SDL's dummy driver, where nobody sees them"
_DRIVER = ("SDL_VIDEODRIVER", "SDL_VIDEO_DRIVER")  # SDL 2, SDL 3


class Window:
    """A window for one picture at a time. It opens with the first picture, and takes its size.

    Its user may close it: then `open` is False, and further pictures are not shown. Keys and clicks mean nothing to it.
    On a machine without a display it warns, and continues with SDL's dummy driver, which shows nothing and waits for
    nothing.

    Args:
        title: what stands in its title bar.
        fps: pictures a second at most; `show` waits for as long as that takes. 0 never waits.

    Raises:
        MissingExtraError: pygame-ce is not installed.
    """

    def __init__(self, title: str = "hawaii_env", fps: float = 0) -> None:
        os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
        self._pygame: Any = need("pygame", 'render_mode="human"', "pygame-ce")
        self.title = title
        self.fps = fps
        self.open: bool = True
        self._screen: Any = None
        self._clock: Any = None
        self._seen = True

    def show(self, picture: NDArray[np.uint8]) -> bool:
        """Show a picture, uint8[height, width, 3], and look after the window's events; return whether the window is
        still open.

        Raises:
            OptionError: there is no display, and this SDL has no dummy driver.
        """
        if not self.open:
            return False
        pygame = self._pygame
        if (
            not isinstance(picture, np.ndarray)
            or picture.dtype != np.uint8
            or picture.ndim != 3
            or picture.shape[2] != 3
        ):
            raise OptionError("picture: expected uint8[height, width, 3]")
        height, width = picture.shape[:2]
        if self._screen is None or self._screen.get_size() != (width, height):
            self._screen = self._open((width, height))
            pygame.display.set_caption(self.title)
            self._clock = pygame.time.Clock()
        # pygame's arrays have the width first.
        self._screen.blit(pygame.surfarray.make_surface(picture.swapaxes(0, 1)), (0, 0))
        pygame.display.flip()
        for event in pygame.event.get():
            if event.type == pygame.QUIT:
                self.close()
                return False
        if self.fps and self._seen:
            self._clock.tick(self.fps)
        return True

    def _open(self, size: tuple[int, int]) -> Any:
        """Return the window's surface. Where the machine has no display, warn and take the dummy driver's."""
        display = self._pygame.display
        opened = display.get_init()  # by another window of this process, with whatever driver it found
        try:
            display.init()
            screen = display.set_mode(size)
            driver = display.get_driver()
        except self._pygame.error as error:
            problem = str(error)
        else:
            # SDL takes one of these, too, where it finds nothing better.
            self._seen = driver not in ("dummy", "offscreen") or driver in map(os.environ.get, _DRIVER)
            if self._seen or opened:
                return screen
            problem = f"SDL found only its {driver} driver"
        self._seen = False
        display.quit()
        before = {name: os.environ.pop(name) for name in _DRIVER if name in os.environ}
        os.environ.update(dict.fromkeys(_DRIVER, "dummy"))
        try:
            display.init()
            screen = display.set_mode(size)
        except self._pygame.error as error:
            raise OptionError(_NO_DISPLAY.format(problem)) from error
        finally:
            for name in _DRIVER:
                del os.environ[name]
            os.environ.update(before)
        warnings.warn(_NO_DISPLAY.format(problem) + _UNSEEN, stacklevel=2)
        return screen

    def pixels(self) -> NDArray[np.uint8]:
        """Return the pixels of the window, uint8[height, width, 3].

        Raises:
            OptionError: nothing was shown yet.
        """
        if self._screen is None:
            raise OptionError("the window has shown nothing yet")
        return np.ascontiguousarray(self._pygame.surfarray.array3d(self._screen).swapaxes(0, 1))

    def close(self) -> None:
        """Close the window for good."""
        self.open = False
        if self._screen is not None:
            self._screen = None
            self._pygame.display.quit()
