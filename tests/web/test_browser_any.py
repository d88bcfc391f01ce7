"""The page in a browser with games that have no pictures, words or guide of their own."""

from __future__ import annotations

from typing import Any

import pytest
from three_games import GAMES, installed

from hawaii_env import games

__all__ = ["installed"]  # the fixture

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.usefixtures("installed")]


@pytest.mark.parametrize("name", GAMES)
def test_a_game_is_played_to_its_end(name: str, browser: Any, serve: Any) -> None:
    with serve(game=name) as server:
        context = browser.new_context(viewport={"width": 1200, "height": 900})
        page, errors = context.new_page(), list[str]()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        page.goto(server.url)
        page.wait_for_selector("form[aria-labelledby=new-game]")
        assert page.title() == games.find(name).title
        assert page.locator(".bar nav a").all_text_contents() == ["Games"]
        page.click("label[for=opponent-more]")
        for select in page.query_selector_all("form[aria-labelledby=new-game] .seats select")[1:]:
            select.select_option("agent random")
        page.click("button.primary")
        page.wait_for_selector(".map svg text")
        page.click("dialog.ask button:has-text('Begin')")  # the welcome
        page.select_option("select[aria-label=Speed]", "instant")
        while not page.query_selector("button.rematch"):
            choice = page.query_selector(".decision:not([aria-busy]) button.choice")
            if choice is not None:
                # It may be gone before it is clicked.
                page.evaluate("button => button.click()", choice)
            page.wait_for_timeout(100)
        assert page.locator(".places li").count() == (0 if name == "highest_die" else games.find(name).players[1])
        assert page.locator(".log .moment").count() > 1
        page.click("details.in-words summary")
        assert page.locator(".board-text-plain").inner_text()
        assert errors == []
        context.close()
