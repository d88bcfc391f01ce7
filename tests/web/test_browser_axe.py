"""No panel, dialog or page of any game violates a rule of axe, in light and dark, or names a rule that does not open
its paragraph. Needs what `test_browser` needs.
"""

from __future__ import annotations

from typing import Any

import pytest

from hawaii_env import games

from .conftest import seat_list
from .test_browser import WAIT, violations
from .test_browser_choices import ASKED, DARK, SIZE

pytestmark = [pytest.mark.browser, pytest.mark.slow]

POST = """async ([path, body]) => (await fetch('/api/' + path, {
    method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(body)
})).json()"""

UNOPENED = r"""() => {
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = [];
    while (walk.nextNode()) {
        const {data, parentElement} = walk.currentNode;
        if (/\[\d+\.\d[^\]]*\]|\bR-\d\d\b/.test(data) && !parentElement.closest('button, summary, svg, .rule, .unseen'))
            found.push(data);
    }
    return found;
}"""
"""Texts with numbers of rules that are no buttons."""

READ = """() => document.querySelector('.chat li').getBoundingClientRect().bottom
    <= document.querySelector('.chat form').getBoundingClientRect().top"""
"""Tells whether a message stands free of the field below it."""

GET = "async path => (await fetch('/api/' + path)).json()"


class Checked:
    """A page that axe looks at.

    Attributes:
        places: what was looked at.
    """

    def __init__(self, browser: Any, url: str, scheme: str) -> None:
        self.context = browser.new_context(viewport=SIZE, color_scheme=scheme, reduced_motion="reduce")
        self.context.set_default_timeout(WAIT)
        self.page, self.url, self.places = self.context.new_page(), url, list[str]()

    def check(self, where: str, selector: str) -> None:
        """Look at the page once an element is there."""
        self.page.wait_for_selector(selector)
        assert violations(self.page) == [], where
        assert self.page.evaluate(UNOPENED) == [], where
        self.places.append(where)

    def click(self, selector: str) -> None:
        self.page.locator(selector).first.click()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["hawaii1795", "heiau", "aloha", "maori_wars"])
def test_accessibility(name: str, scheme: str, browser: Any, serve: Any) -> None:
    count = games.find(name).players[0]
    with serve(game=name, values=("playouts:games=2",)) as server:
        host, guest, watcher = (Checked(browser, server.url, scheme) for _ in range(3))
        host.page.goto(server.url)
        host.check("start", "#new-game")
        for opponent in ("friend", "more"):
            host.click(f"label[for=opponent-{opponent}]")
            host.check(f"start, {opponent}", ".seats, fieldset")
        seats = seat_list(*["guest"] * (count - 1), "me")
        while True:  # the guide waits for one's turn, and a lot may say who begins
            seats.append(seats.pop(0))
            made = host.page.evaluate(POST, ["games", {"seats": seats, "limit": 600}])
            game = f"games/{made['id']}"
            if host.page.evaluate(GET, game)["yours"]:
                break
        host.page.goto(f"{server.url}/#/game/{made['id']}")
        host.check("welcome", "dialog .yes")
        host.click("dialog .yes")
        host.check("tour", ".tour")
        for step in range(1, 6):  # each points at what it speaks of
            host.page.wait_for_selector(f".tour:has-text('{step} of 5')")
            assert host.page.locator(".toured").count() == 1
            host.click(".tour .primary")
        host.check("invitation", ".invitation")
        assert not host.page.locator(".invitation input.link").is_visible()  # no field where nobody made a link here
        for link in made["invitations"].values():
            guest.page.goto(f"{server.url}/#/join/{link}")
            guest.page.wait_for_selector(".players .time")
        state = guest.page.evaluate(GET, game)
        guest.page.evaluate(POST, [f"{game}/chat", {"version": state["version"], "seat": None, "text": "Aloha!"}])
        host.click(".people summary")
        host.click("button.watch")
        host.check("link to watch", "dialog input.link")
        watcher.page.goto(host.page.locator("dialog input.link").input_value())
        host.click("dialog .yes")
        host.check("menu, watchers, time left", ".watchers button")
        host.click(".watchers button")
        host.check("a watcher is removed", "dialog .no")
        host.click("dialog .no")
        host.click(".chat summary")
        host.check("chat", ".chat[open] li")
        assert host.page.evaluate(READ)  # below the open menu as well
        host.click(".chat button:has-text('Mute')")
        host.check("muted", ".chat button:has-text('Hear')")
        host.page.wait_for_selector(".chat li", state="detached")
        for one in (guest, host):  # whoever is asked
            if one.page.locator("dialog .no").count():
                one.page.locator("dialog .no").click()
            if one.page.evaluate(ASKED, "") and (point := one.page.evaluate(DARK)):
                one.page.mouse.click(*point)
                one.check("why not", "#toast button.ref")
                one.page.mouse.click(*point)  # on a busy machine axe takes longer than a toast stands
                one.click("#toast button.ref")
                one.check("a rule", "dialog:has-text('By the rules')")
                one.click("dialog .yes")
        host.click("button.resign")
        host.check("a question", "dialog .no")
        host.click("dialog .yes")
        host.check("the end", "a.replay")
        host.page.goto(f"{server.url}/#/rules")
        host.check("rules", "main h1")
        for one in (host, guest, watcher):
            one.context.close()
    assert len(host.places) >= 12
