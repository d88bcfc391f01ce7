"""A whole game of four seats in browsers: people by invitation links, and bots. Needs what `test_browser` needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from hawaii_env.aloha import Game

from .conftest import AGENT, Running
from .test_browser import Person

pytestmark = [pytest.mark.browser, pytest.mark.slow]

GOES_ON = ".decision:not([aria-busy]) button.choice"


@pytest.fixture(scope="module")
def server(serve: Callable[..., Any]) -> Iterator[Running]:
    Game().compile()
    with serve(game="aloha", values=("playouts:games=2",)) as made:
        yield made


def click_a_choice(me: Person, number: int) -> bool:
    """Take a choice where there are some; it may be gone before it is clicked."""
    return me.page.evaluate(
        """([where, number]) => {
            const all = document.querySelectorAll(where);
            all[number % all.length]?.click();
            return all.length > 0;
        }""",
        [GOES_ON, number],
    )


def test_four_seats_two_people_and_two_bots(person: Callable[..., Person]) -> None:
    """From the form to the end: links, who resigns and comes back, the election, the places."""
    host, guest, third = person(), person(), person()
    host.page.goto(host.url)
    host.page.click("label[for=players-4]")
    host.page.click("label[for=opponent-more]")
    seats = host.page.locator("form[aria-labelledby=new-game] .seats select")
    assert [seats.nth(n).get_attribute("name") for n in range(4)] == ["red", "yellow", "green", "blue"]
    for n, kind in enumerate(("me", "guest", "guest", f"agent {AGENT}")):
        seats.nth(n).select_option(kind)
    host.page.get_by_role("button", name="Begin").click()
    host.page.wait_for_selector(".invitation .link-side")
    links = host.page.locator(".invitation input.link")
    assert links.count() == 2
    addresses = [links.nth(n).input_value() for n in range(2)]
    for me, address in zip((guest, third), addresses, strict=True):
        me.page.goto(address)
        me.page.wait_for_selector(".players li.to-move")
    host.page.wait_for_selector(".invitation", state="detached")
    # What one writes to all is read by all, a watcher too, who writes nothing.
    watcher = person()
    host.page.get_by_text("Menu").click()
    host.page.locator("button.watch").click()
    watcher.page.goto(host.page.locator("dialog input.link").input_value())
    host.page.locator("dialog .yes").click()
    guest.page.locator(".chat summary").click()
    guest.page.get_by_label("Message", exact=True).fill("Aloha <b>kākou</b>")
    guest.page.locator(".chat button[type=submit]").click()
    for me in (host, watcher):
        me.page.locator(".chat summary:has-text('1 new'):has-text('Aloha <b>kākou</b>')").wait_for()
    watcher.page.locator(".chat summary").click()
    assert watcher.page.locator(".chat form").is_hidden() and watcher.page.get_by_text("You watch").is_visible()
    # The host sees who watches, and lets them no longer.
    host.page.locator(".watchers li:has-text('Watcher 1') button").click()
    host.page.locator("dialog .yes").click()
    watcher.page.get_by_text("You are no longer watching this game.").wait_for()
    assert host.page.locator(".watchers").is_hidden()
    # The third goes, and a bot plays on.
    third.page.get_by_text("Menu").click()
    third.page.locator("button.resign").click()
    assert "the computer plays in your place" in third.page.locator("dialog").inner_text()
    third.page.locator("dialog .yes").click()
    third.page.get_by_text("The computer plays for you.").wait_for()
    host.page.wait_for_selector(".players li.green:has-text('Easy, for the guest')")
    number = 0
    while host.page.query_selector("button.rematch") is None:
        moved = [click_a_choice(me, number) for me in (host, guest)]
        number += any(moved)
        if number == 5:  # back, and gone again
            third.page.get_by_role("button", name="Take my seat back").click()
            third.page.wait_for_selector("button.resign", state="attached")
            third.page.locator("button.resign").click()
            third.page.locator("dialog .yes").click()
            number += 1
        host.page.wait_for_timeout(60)
    for me in (host, guest, third):
        me.page.wait_for_selector("button.rematch")
        places = me.page.locator(".places li").all_inner_texts()
        assert len(places) == 4 and all(text.rpartition(": ")[2].isdigit() for text in places)
        assert "Governor" in me.page.locator(".decision").inner_text()
    points = [int(text.rpartition(": ")[2]) for text in host.page.locator(".places li").all_inner_texts()]
    assert points == sorted(points, reverse=True)
