"""Settings that must stand before hawaii_env is first imported, the profiles of hypothesis, and a browser."""

import gc
import os
import shutil
import sys
from collections.abc import Iterator
from typing import Any

import pytest

# Compiled code checks every index: an illegal read fails a test instead of returning rubbish.
os.environ.setdefault("HAWAII_ENV_BOUNDS_CHECK", "1")
# The compiled mode, from the first test on; HAWAII_ENV_PLAIN=1 tests the plain one.
os.environ["HAWAII_ENV_PLAIN"] = os.environ.get("HAWAII_ENV_PLAIN") or "0"
# Lines of text as on a terminal of 80 columns, wherever the tests run.
os.environ["COLUMNS"] = "80"
# Processes that tests start read bytecode; without it each of hundreds compiles the package first.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

from hypothesis import settings

# So does this one: otherwise pytest rewrites every assert of the suite on each run, longer work than all imports.
sys.dont_write_bytecode = False

# A first call compiles, so no deadline. The same examples on every run, but for the nightly ones.
settings.register_profile("default", deadline=None, derandomize=True, max_examples=50)
settings.register_profile("nightly", deadline=None, max_examples=2000, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

# Thousands of tests and torch are a large heap, which the collector looks through a third of the time by default.
gc.set_threshold(50_000, 20, 50)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish(session: pytest.Session) -> None:
    """Compile what most tests of a game need before a large part of the tests, each game in one of the processes: two
    that compile different parts of a game prepare its rules twice, and wait for each other.
    """
    if len(session.items) < 1000 or session.config.option.collectonly or os.environ["HAWAII_ENV_PLAIN"] != "0":
        return
    from hawaii_env import list_games, load_game, make_batch, warm

    first, step = (os.environ.get(f"PYTEST_XDIST_WORKER{name}", "") for name in ("", "_COUNT"))
    for name in list_games()[int(first.removeprefix("gw") or 0) :: int(step or 1)]:
        game: Any = load_game(name)
        if name in ("aloha", "hawaii1795"):  # whose agents are tested compiled, too
            warm.warm(game)
            continue
        make_batch([game], 1).reset(seed=0)
        if name == "heiau":
            game.fuzz_batch([0])


@pytest.fixture
def toys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets the toy games be found by their names, as installed ones are."""
    import toy

    from hawaii_env import games

    monkeypatch.setattr(games, "_registered", {spec.name: spec for spec in (toy.TIDES, toy.LAGOON)})


@pytest.fixture
def interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Games and agents run interpreted; see `environments.interpret`."""
    from environments import interpret

    interpret(monkeypatch)


@pytest.fixture
def no_display(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets SDL find no display, and no window of another test."""
    pytest.importorskip("resvg_py", reason="the extra render")
    pytest.importorskip("pygame", reason="the extra render").display.quit()
    monkeypatch.setenv("SDL_VIDEODRIVER", "no_such_driver")


@pytest.fixture
def diarists(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return the agents that the agent string ``"diarist"`` makes."""
    from environments import Diarist

    from hawaii_env import agents

    monkeypatch.setattr(Diarist, "made", [], raising=False)
    monkeypatch.setitem(agents._registered, "diarist", Diarist)
    return Diarist.made


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium, headless; skipped where Playwright or a browser is missing. HAWAII_ENV_CHROMIUM names another one.

    One for all tests of a run: Playwright lets a thread have no second one.
    """
    api = pytest.importorskip("playwright.sync_api")
    names = ("chromium", "chromium-browser", "google-chrome")
    path = os.environ.get("HAWAII_ENV_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    with api.sync_playwright() as playwright:
        if path is None and not os.path.exists(playwright.chromium.executable_path):
            pytest.skip("there is no Chromium")
        arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        launched = playwright.chromium.launch(executable_path=path, args=arguments)
        yield launched
        launched.close()
