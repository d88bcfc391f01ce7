"""The render modes of environments, the window, and what is said where something is missing."""

from __future__ import annotations

import copy
import os
import re
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from environments import begun
from refusals import refuses, refuses_each
from waiting import python

from hawaii_env import games, hawaii1795_v1, play
from hawaii_env.env.aec import GameEnv
from hawaii_env.errors import OptionError
from hawaii_env.hawaii1795 import Game
from hawaii_env.render import picture
from hawaii_env.render.modes import RENDER_MODES, Renderer, Window, check_mode
from hawaii_env.render.picture import MissingExtraError, rasterize, render_rgb, render_svg, save_picture, to_png
from hawaii_env.render.text import render_ansi, render_text
from hawaii_env.terminal import coloured
from tests.toy import ToyGame

pytest.importorskip("resvg_py", reason="the extra render")
pygame: Any = pytest.importorskip("pygame", reason="the extra render")

GAME = Game()


@pytest.fixture(autouse=True)
def _no_display(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")


def env_of(mode: str | None) -> GameEnv:
    env = hawaii1795_v1.env(render_mode=mode)
    env.metadata["render_fps"] = 0
    return env


def test_every_mode_gives_what_it_says() -> None:
    assert hawaii1795_v1.env().metadata["render_modes"] == list(RENDER_MODES)
    shown: dict[str, Any] = {}
    window = None
    for mode in RENDER_MODES:
        env = begun(env_of(mode), 5)
        env.step(int(np.flatnonzero(env.last()[0]["action_mask"])[0]))  # type: ignore[index]
        shown[mode] = env.render()
        if mode == "human":
            assert env._renderer is not None and env._renderer.window is not None
            window = env._renderer.window.pixels()
        env.close()
    assert shown["human"] is None
    assert isinstance(shown["ansi"], str) and "Waikīkī" in shown["ansi"] and "\x1b" not in shown["ansi"]
    assert shown["svg"].startswith("<svg ")
    array = shown["rgb_array"]
    assert array.dtype == np.uint8 and array.shape == (690, 1000, 3)
    assert window is not None
    np.testing.assert_array_equal(window, array)
    assert np.abs(rasterize(shown["svg"], 1000).astype(int) - array).mean() < 0.15


@pytest.mark.parametrize("mode", RENDER_MODES)
def test_a_game_without_a_picture_has_every_mode(mode: str) -> None:
    env = GameEnv(ToyGame(), render_mode=mode)
    env.metadata["render_fps"] = 0
    env.reset(seed=1)
    found = env.render()
    assert (found is None) == (mode == "human")
    if mode == "rgb_array":
        assert isinstance(found, np.ndarray) and found.std() > 5
    env.close()


def test_the_window_shows_the_first_position_and_each_step(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[np.ndarray[Any, Any]] = []
    monkeypatch.setattr(Window, "show", lambda self, found: shown.append(found) or True)
    env = begun(env_of("human"), 5)
    for _ in range(2):
        env.step(env.game_state.legal_actions()[0])
    env.close()
    assert len(shown) == 3
    assert not np.array_equal(shown[0], shown[1])


def test_who_closes_the_window_ends_the_pictures_not_the_game() -> None:
    env = begun(env_of("human"), 5)
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    env.step(env.game_state.legal_actions()[0])
    assert env._renderer is not None and env._renderer.window is not None and not env._renderer.window.open
    env.step(env.game_state.legal_actions()[0])
    env.close()
    env.reset(seed=6)
    assert env._renderer.window is not None and env._renderer.window.open
    env.close()


def test_copies_have_no_window() -> None:
    env = begun(env_of("human"), 5)
    other = copy.deepcopy(env)
    assert other._renderer is not None and other._renderer is not env._renderer and other._renderer.window is None
    env.close()


def test_a_window_waits_for_its_pace() -> None:
    window = Window(fps=20)
    still = np.zeros((40, 60, 3), np.uint8)
    window.show(still)
    started = time.perf_counter()
    window.show(still)
    window.show(still)
    assert time.perf_counter() - started > 0.06
    window.close()
    assert not window.show(still)
    refuses(OptionError, ("nothing", lambda: window.pixels()))


@pytest.mark.parametrize("driver", ["nosuchdriver", pytest.param(None, marks=pytest.mark.slow)])
def test_without_a_display_it_warns_and_goes_on(driver: str | None) -> None:
    # None: SDL looks for itself, and falls back to a driver without a screen.
    hidden = ("SDL_VIDEODRIVER", "SDL_VIDEO_DRIVER", "DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR")
    if driver is None and not sys.platform.startswith("linux"):
        pytest.skip("elsewhere there is always a display")
    code = (
        "import os; before = dict(os.environ)\nfrom hawaii_env import hawaii1795_v1 as h; from "
        "hawaii_env.render.modes import Window\nfor _ in range(2): e = h.env(render_mode='human'); e.reset(seed=1); "
        "e.close()\nassert {k: v for k, v in os.environ.items() if 'SDL' in k} == {k: v for k, v in before.items() if "
        "'SDL' in k}\none, two = Window(fps=1), Window(fps=1)\nimport numpy as np; still = np.full((40, 60, 3), 7, "
        "np.uint8)\nfor _ in range(9): assert one.show(still) and two.show(still); one._clock = None  # nobody sees "
        "it, so nobody waits\nassert (one.pixels() == 7).all()\n"
    )
    done = python(code, **{**dict.fromkeys(hidden), "SDL_VIDEODRIVER": driver, "HAWAII_ENV_PLAIN": "1"})
    assert "UserWarning" in done.stderr and "no display" in done.stderr and '"rgb_array"' in done.stderr


def test_without_a_dummy_driver_the_error_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: Any) -> None:
        raise pygame.error("no driver at all")

    monkeypatch.setattr(pygame.display, "set_mode", never)
    monkeypatch.setenv("SDL_VIDEODRIVER", "mine")
    refuses(
        OptionError,
        (
            r'display \((mine not available|no driver at all)\); "rgb_array"',
            lambda: Window().show(np.zeros((4, 6, 3), np.uint8)),
        ),
    )
    assert os.environ["SDL_VIDEODRIVER"] == "mine" and "SDL_VIDEO_DRIVER" not in os.environ


@pytest.mark.parametrize(
    ("mode", "module", "package"),
    [("rgb_array", "resvg_py", "resvg-py"), ("human", "pygame", "pygame-ce"), ("human", "PIL.Image", "Pillow")],
)
def test_what_is_missing_is_named_with_its_extra(
    monkeypatch: pytest.MonkeyPatch, mode: str, module: str, package: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    refuses(MissingExtraError, (rf"{package}.*hawaii-env\[render\]", lambda: env_of(mode)))
    assert env_of("svg") is not None


@pytest.mark.parametrize("mode", ["hologram", "", 3])
def test_unknown_modes(mode: Any) -> None:
    refuses_each(
        OptionError,
        "'rgb_array'",
        lambda make: make(mode),
        (check_mode, Renderer, lambda mode: GameEnv(GAME, render_mode=mode)),
    )


def test_text_is_coloured_on_terminals_only(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rich", reason="the extra render")
    state = GAME.initial_state(seed=1)
    plain, coloured = render_text(state), render_ansi(state, colour=True)
    assert render_ansi(state) == plain == render_ansi(state, colour=False)
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == plain
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert render_ansi(state) == coloured
    monkeypatch.setenv("NO_COLOR", "1")
    assert render_ansi(state) == plain


def test_text_without_rich_is_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    state = GAME.initial_state(seed=1)
    monkeypatch.setitem(sys.modules, "rich.console", None)
    assert render_ansi(state, colour=True) == render_text(state)


def test_pieces_that_are_gone_are_counted() -> None:
    state = play(GAME, ["random", "random"], seed=2)
    assert state.view().dead[1:] == ["neutral:kauai_warrior"] * 2
    assert "gone for good: Kamehameha, 2 × Kauaʻi warriors" in render_text(state)


def test_a_line_that_continues_below_has_one_style() -> None:
    pytest.importorskip("rich")
    text = coloured(
        "March. A tie:\n  none.\n----\ngone for good: kalani,\n  kaiana\nbox", games.find("hawaii1795").styles
    )
    bold = ["\x1b[1" in line for line in text.split("\n")]
    assert bold == [True, True, False, True, True, False]


def test_files(tmp_path: Path) -> None:
    state = GAME.initial_state(seed=1)
    save_picture(state, tmp_path / "a.svg", width=640)
    save_picture(state, tmp_path / "a.png", width=320)
    assert (tmp_path / "a.svg").read_text(encoding="utf-8").startswith("<svg ")
    assert (tmp_path / "a.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    refuses(OptionError, (r"\.svg or \.png", lambda: save_picture(state, tmp_path / "a.jpg")))
    refuses_each(
        OptionError,
        "width",
        lambda width: to_png(render_svg(state), width),  # type: ignore[arg-type]
        (0, 9000, 3.5, True),
    )


def test_arrays_are_opaque_and_their_own() -> None:
    state = GAME.initial_state(seed=1)
    one, other = render_rgb(state, 300), render_rgb(state, 300)
    assert one.shape == (207, 300, 3)
    one[:] = 0
    assert other.any()
    bare = rasterize('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"/>', 20)
    assert (bare == 255).all()


def test_fonts_come_with_the_package() -> None:
    names = {Path(font).name for font in picture._fonts()}
    assert names == {"Alegreya-Bold.ttf", "FiraSans-Bold.ttf", "FiraSans-Regular.ttf"}
    letters = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 40"><text x="5" y="30" font-size="30" '
        'font-family="sans-serif">{}</text></svg>'
    )
    for pair in ("ʻ ", "ū ", "ä ", "× "):
        assert not np.array_equal(rasterize(letters.format(pair[0] * 3), 200), rasterize(letters.format(""), 200))


def test_text_needs_none_of_the_extras() -> None:
    code = (
        "import sys\nfor name in ('rich', 'rich.console', 'pygame', 'PIL', 'PIL.Image', 'resvg_py'): sys.modules[name] "
        "= None\nfrom hawaii_env import hawaii1795_v1 as h\nfor mode in ('ansi', 'svg'):\n    e = "
        "h.env(render_mode=mode); e.reset(seed=1); assert len(e.render()) > 500\n"
    )
    python(code, HAWAII_ENV_PLAIN="1")


def test_a_state_shows_itself_in_a_notebook() -> None:
    state: Any = GAME.initial_state(seed=1)
    assert state._repr_svg_() == render_svg(state)
