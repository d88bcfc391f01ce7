"""A window that shows pictures, made with pygame-ce."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hawaii_env.errors import OptionError
from hawaii_env.render.picture import need

__all__ = ["Window"]

_NO_DISPLAY = (
    'render_mode "human" opens a window, and there is no display ({}); "rgb_array", "svg" and "ansi" need none'
)


class Window:
    """A window for one picture at a time. It opens with the first picture, and takes its size.

    Its user may close it: then `open` is False, and further pictures are not shown. Keys and clicks mean nothing to it.

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

    def show(self, picture: NDArray[np.uint8]) -> bool:
        """Show a picture, uint8[height, width, 3], and look after the window's events; return whether the window is still open.

        Raises:
            OptionError: this machine has no display.
        """
        if not self.open:
            return False
        pygame = self._pygame
        height, width = picture.shape[:2]
        if self._screen is None or self._screen.get_size() != (width, height):
            try:
                pygame.display.init()
                self._screen = pygame.display.set_mode((width, height))
            except pygame.error as error:
                raise OptionError(_NO_DISPLAY.format(error)) from error
            driver = pygame.display.get_driver()
            asked = {os.environ.get("SDL_VIDEODRIVER"), os.environ.get("SDL_VIDEO_DRIVER")}
            if driver in ("dummy", "offscreen") and driver not in asked:
                # SDL takes it where it finds nothing better; a window that nobody sees is of use only to who asked for it.
                self._screen = None
                pygame.display.quit()
                raise OptionError(_NO_DISPLAY.format(f"SDL found only its {driver} driver"))
            pygame.display.set_caption(self.title)
            self._clock = pygame.time.Clock()
        # pygame's arrays have the width first.
        self._screen.blit(pygame.surfarray.make_surface(picture.swapaxes(0, 1)), (0, 0))
        pygame.display.flip()
        for event in pygame.event.get():
            if event.type == pygame.QUIT:
                self.close()
                return False
        if self.fps:
            self._clock.tick(self.fps)
        return True

    def pixels(self) -> NDArray[np.uint8]:
        """What the window shows, uint8[height, width, 3].

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
