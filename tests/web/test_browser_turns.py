"""Turns that are entered by clicks, in a browser: moves, supports, builds, several people at several screens.

Needs what tests/web/test_browser.py needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from .conftest import Running
from .test_browser import Person, began

pytestmark = pytest.mark.browser

AGENT = "heiau-greedy"
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
HEAD = 56  # of the picture, above the map


@pytest.fixture(scope="module")
def server(serve: Callable[..., Any]) -> Iterator[Running]:
    with serve(game="heiau", agents=(AGENT, "random"), hints=(AGENT,), values=()) as made:
        yield made


def click(me: Person, place: str) -> None:
    """Click or tap the middle of a place, where the picture that shows the turn has it."""
    me.page.wait_for_selector(f".map [data-ring='{place}'], .map [data-space='{place}']", state="attached")
    point = me.page.evaluate(
        """place => {
            const ring = document.querySelector(`.map [data-ring='${place}']`);
            const cell = document.querySelector(`.map .cell[data-space='${place}']`);
            const element = ring ?? cell;
            element.scrollIntoView({block: 'nearest', inline: 'center'});
            const box = element.getBoundingClientRect();
            return [box.left + box.width / 2, box.top + box.height / 2];
        }""",
        place,
    )
    (me.page.touchscreen.tap if me.page.evaluate("() => navigator.maxTouchPoints > 0") else me.page.mouse.click)(*point)


def order(me: Person, text: str) -> None:
    """Wait until an order stands in the list."""
    me.page.wait_for_selector(f".subjects .code:text-is('{text}')")


@pytest.mark.parametrize("screen", [{}, pytest.param(PHONE, marks=pytest.mark.slow)], ids=["mouse", "touch"])
def test_orders_by_clicks(person: Callable[..., Person], screen: dict[str, Any]) -> None:
    """A unit, then where it goes; for a support what is helped, then where that goes; a bubble where more is meant."""
    me = person(**screen).play("me", AGENT, scenario="race")
    click(me, "puna")
    me.page.wait_for_selector(".turn-ring.picked[data-ring=puna]")
    click(me, "kalae")
    order(me, "B Puna - Kalae")
    assert me.page.locator(".map .arrow.entered.move").count() == 1
    # It can be changed.
    click(me, "puna")
    click(me, "hilo")
    order(me, "B Puna - Hilo")
    # Kona-Kailua helps Puna to go to Kalae, which both reach.
    click(me, "kona_kailua")
    me.page.wait_for_selector(".turn-ring.picked[data-ring=kona_kailua]")
    click(me, "puna")
    me.page.wait_for_selector(".turn-ring.via[data-ring=puna]")
    click(me, "kalae")
    order(me, "B Kona-Kailua S B Puna - Kalae")
    assert me.page.locator(".map .arrow.entered.support").count() == 1
    # Where holding and more could be meant, it is asked.
    me.page.locator(".subject[data-subject=kona_kailua]").click()
    me.page.locator(".options .choice[data-text='B Kona-Kailua H']").click()
    order(me, "B Kona-Kailua H")
    assert me.page.evaluate("() => document.activeElement.dataset.subject") == "kona_kailua"  # for who uses keys
    # Typed, with what is wrong told.
    me.page.fill("#typed", "KonaK - hilo")
    me.page.keyboard.press("Enter")
    me.page.wait_for_selector(".typed-error:has-text('of that kind are')")
    me.page.fill("#typed", "KonaK - kawai")
    me.page.keyboard.press("Enter")
    order(me, "B Kona-Kailua - Kawaihae")
    # What was chosen last can be taken back before it is sent.
    me.page.locator(".subject[data-subject=kona_kailua]").click()
    me.page.locator(".options .choice[data-text='B Kona-Kailua H']").click()
    order(me, "B Kona-Kailua H")
    me.page.locator(".undo").click()
    order(me, "B Kona-Kailua - Kawaihae")
    # A reload loses nothing; what is sent is played.
    me.page.reload()
    order(me, "B Kona-Kailua - Kawaihae")
    order(me, "B Puna - Hilo")
    me.page.locator(".send").click()
    me.page.wait_for_selector(".subject[data-subject=kawaihae]")
    assert me.page.locator(".map .orders .arrow.move").count() >= 2
    # What was entered at the same time is one step, back and forth; the record is there meanwhile.
    slider = me.page.locator(".controls input[type=range]")
    assert me.events() > 1
    me.page.get_by_role("button", name="Step back").click()
    me.page.wait_for_function("() => document.querySelector('.controls input[type=range]').value === '0'")
    slider.press("ArrowRight")
    me.page.wait_for_function(
        "n => document.querySelector('.controls input[type=range]').value === n", arg=str(me.events())
    )
    slider.press("ArrowLeft")
    me.page.wait_for_function("() => document.querySelector('.controls input[type=range]').value === '0'")
    with me.page.expect_download() as got:
        me.page.get_by_role("button", name="Download the record").click()
    assert '"stopped"' in Path(got.value.path()).read_text(encoding="utf-8")


@pytest.mark.slow
def test_three_people_enter_at_once(person: Callable[..., Person]) -> None:
    """By links, each at a screen of their own; sealed until all are in, and changeable till then."""
    one, two, three = person(), person(), person(**PHONE)
    made = began(one.page, one.url, "me", "guest", "guest", scenario="triangle", last_year=1)
    for me, side in ((two, "noon"), (three, "dusk")):
        me.page.goto(f"{me.url}/#/join/{made['invitations'][side]}")
        me.page.wait_for_selector(".draft .turn-ring")
    click(one, "lahaina")
    click(one, "kahului")
    order(one, "B Lāhainā - Kahului")
    one.page.locator(".send").click()
    one.page.wait_for_selector(".change")
    two.page.wait_for_selector(".waits:text-is('Waiting for Dusk')")
    assert two.page.locator(".map .arrow.entered").count() == 0
    assert "Kahului" not in two.page.locator(".told").inner_text()
    assert one.page.locator(".map .arrow.entered").count() == 1
    one.page.locator(".change").click()
    one.page.wait_for_selector(".send")
    two.page.wait_for_selector(".waits:text-is('Waiting for Dawn, Dusk')")
    for me in (one, two, three):
        me.page.locator(".send").click()
        if me is not three:
            me.page.wait_for_selector(".change")
    for me in (one, two, three):
        me.page.wait_for_selector(".log .moment:has-text('moves to Kahului')", state="attached")
        me.page.wait_for_selector(".send")
        me.page.locator(".send").click()
        if me is not three:
            me.page.wait_for_selector(".change")
    for me in (one, two, three):
        me.page.wait_for_selector("button.rematch", state="attached")


@pytest.mark.slow
def test_a_game_from_the_form_to_its_end(person: Callable[..., Person]) -> None:
    """Six seats by the scenario, agents in those that are free; suggestions, retreats and Winters on the way."""
    me = person()
    me.page.goto(me.url)
    me.page.select_option("#scenario", "discovery")
    me.page.click("label[for=opponent-more]")
    seats = me.page.locator("form[aria-labelledby=new-game] .seats select")
    assert [seats.nth(n).get_attribute("name") for n in range(6)] == [
        "dawn", "morning", "noon", "dusk", "night", "haole",
    ]  # fmt: skip
    for n in range(1, 6):
        seats.nth(n).select_option("level 2")
    me.page.locator("summary:has-text('readings')").click()
    me.page.fill("#last-year", "3")
    me.page.get_by_role("button", name="Begin").click()
    told: set[str] = set()
    while True:
        # What is asked and that it can be sent, or that it is over, seen at one moment.
        asked = me.page.wait_for_function(
            """() => {
                if (document.querySelector('button.rematch')) return 'over';
                const send = document.querySelector('.decision:not([aria-busy]) .send');
                const slider = document.querySelector('.controls input[type=range]');
                const question = document.querySelector('#question');
                return send && slider.value === slider.max && question.textContent.split(': ')[1];
            }"""
        ).json_value()
        if asked == "over":
            break
        told.add(asked)
        before = me.events()
        with me.page.expect_response(lambda answer: "/hint" in answer.url):
            me.page.locator(".hint").click()
        me.page.wait_for_selector(".send:not([disabled])")
        with me.page.expect_response(lambda answer: answer.url.endswith("/turn")):
            me.page.locator(".send").click()
        me.page.wait_for_function(
            "n => Number(document.querySelector('.controls input[type=range]').max) > n", arg=before
        )
    assert "Your orders" in told
    assert me.page.locator(".places li").count() == 6
