"""The page in a real browser when the server is away, when a link leads nowhere, and when one logs out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from waiting import until

from .conftest import AGENT, Running, settings
from .test_browser import Person

pytestmark = [pytest.mark.browser, pytest.mark.slow]

AWAY = ".banner:has-text('The server does not answer')"


def test_the_notice_goes_when_the_server_is_back(browser: Any, tmp_path: Path) -> None:
    given = settings(database=str(tmp_path / "games.sqlite"))
    server = Running(given)
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    me = Person(context, server.url, "instant")
    try:
        me.begin()
        assert me.ready()
        size = me.page.locator(".map").bounding_box()
        server.stop()
        me.page.wait_for_selector(AWAY)
        assert me.page.locator(".map").bounding_box() == size  # it lies over the map
        me.page.locator(".decision .choice").first.click()
        me.page.wait_for_selector("#toast:has-text('The server does not answer just now')")
        seen: list[str] = []
        me.page.on("response", lambda response: seen.append(response.url))
        server = Running(given, server.port)
        me.page.wait_for_selector(AWAY, state="detached")
        # Nothing has happened meanwhile: a request that waits for news would have kept the notice for as long.
        # Playwright may tell of an answer after the page has shown it.
        until(lambda: any("wait=" in url for url in seen) or me.page.wait_for_timeout(20))
        assert "wait=0" in next(url for url in seen if "wait=" in url), seen
        me.choose("recruit")
        # A page that is opened while the server is away comes by itself.
        server.stop()
        other = me.window()
        other.route("**/api/setup", lambda route: route.abort())
        server = Running(given, server.port)
        other.goto(me.url)
        other.wait_for_selector("h1:has-text('The server does not answer')")
        other.unroute("**/api/setup")
        other.wait_for_selector("h1:has-text('A new game')")
        other.route("**/api/games/**", lambda route: route.abort())
        other.goto(me.page.url)
        other.wait_for_selector("h1:has-text('The server does not answer')")
        other.unroute("**/api/games/**")
        other.wait_for_selector(".decision .choice")
    finally:
        context.close()
        server.stop()
    # A server that stops may still say so.
    assert [error for error in me.errors if "ERR_" not in error and "status of 503" not in error] == []


@pytest.mark.parametrize(
    ("link", "words"),
    [
        ("#/join/bad!link", "This invitation is not valid"),
        ("#/join/" + "x" * 43, "Ask the sender for a new one"),
        ("#/game/bad!link", "There is no such game here, or it is not yours"),
        ("#/game/" + "x" * 43, "There is no such game here, or it is not yours"),
    ],
)
def test_a_bad_link_shows_words(person: Callable[..., Person], link: str, words: str) -> None:
    me = person()
    me.page.goto(f"{me.url}/{link}")
    me.page.wait_for_selector(f":is(#toast, .sheet):has-text('{words}')")
    assert "^[" not in me.page.locator("body").inner_text()


def test_logging_out(person: Callable[..., Person]) -> None:
    me = person()
    me.begin("me", f"agent {AGENT}")
    me.ready()
    game = me.page.url
    me.page.goto(me.url)
    me.page.wait_for_selector("#my-games")
    me.page.get_by_role("button", name="Log out").click()
    me.page.locator("dialog .yes").click()
    me.page.wait_for_selector("#my-games", state="detached")
    assert me.context.cookies() == []
    me.page.goto(game)
    me.page.wait_for_selector(".sheet:has-text('There is no such game here')")
