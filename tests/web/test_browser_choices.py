"""The choices of every question are in view: a browser plays whole games at 1280x720 and counts what is visible."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest

from hawaii_env import games, load_game

from .test_browser import began

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SIZE = {"width": 1280, "height": 720}
COUNT = """() => {
    const seen = one => {
        const box = one.getBoundingClientRect();
        const at = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
        return Boolean(at) && one.contains(at) && box.bottom <= innerHeight;
    };
    const folds = [...document.querySelectorAll('.decision .more:not([hidden]) > summary')];
    const choices = [...document.querySelectorAll('.decision button.choice, .decision button.subject')];
    return [folds.every(seen), choices.map(one => [seen(one), one.textContent, Boolean(one.closest('.more'))])];
}"""


TOLD = """() => {
    const list = document.querySelector('.told .log'), box = list.getBoundingClientRect();
    const lines = [...list.querySelectorAll('.moment')].filter(line => getComputedStyle(line.parentElement).opacity > 0)
        .map(line => line.getBoundingClientRect());
    return !list.querySelector('.moment') || Boolean(document.querySelector('.decision.filled'))
        || lines.some(line => Math.min(line.bottom, box.bottom) - Math.max(line.top, box.top) > 20);
}"""
"""Tells whether a line of what happened can be read, or the choices need its room."""


def counted(page: Any) -> int:
    """Return how many choices are asked for now: every one is in view, or a quarter, places without a name where nobody
    stands, is in one group whose summary is.
    """
    folds_seen, found = page.evaluate(COUNT)
    hidden = [words for seen, words, more in found if not (seen and not more)]
    folded = [words for _, words, more in found if more]
    assert hidden == folded, page.locator("#question").inner_text()
    assert len(folded) <= len(found) / 4
    assert all(re.fullmatch(r"\d+", words) for words in folded)
    assert folds_seen, page.locator("#question").inner_text()
    page.wait_for_function(TOLD)
    return len(found)


DARK = """() => {
    const taken = new Set([...document.querySelectorAll('.draft [data-ring]')].map(one => one.dataset.ring));
    for (const one of document.querySelectorAll('.map :is(.cell, path.space)')) {
        const {left, top, width, height} = one.getBoundingClientRect();
        const [x, y] = [left + width / 2, top + height / 2], hit = document.elementFromPoint(x, y);
        const thing = hit?.closest('.map [data-actions], .map [data-place], .map [data-space]');
        const place = thing?.dataset.place ?? thing?.dataset.space;
        if (place === one.dataset.space && !taken.has(place) && !('actions' in thing.dataset)
            && !document.querySelector(`.map [data-actions][data-space="${place}"]`)) return [x, y];
    }
}"""
"""A point of the map where nothing can be chosen."""


@pytest.mark.parametrize("name", ["hawaii1795", "heiau", "aloha", "maori_wars"])
def test_what_cannot_be_done_says_why(name: str, browser: Any, serve: Any) -> None:
    """By the game's own reason, whose sections open their paragraphs."""
    with serve(game=name) as server:
        context = browser.new_context(viewport=SIZE)
        context.add_init_script("try { localStorage.setItem('hawaii.welcomed', 'yes') } catch {}")
        page = context.new_page()
        began(page, server.url, *["me"] * games.find(name).players[0])
        page.wait_for_function(ASKED, arg="")
        while (point := page.evaluate(DARK)) is None:  # everything can be chosen, as at ALOHA's first decision
            last = page.wait_for_function(ASKED, arg="").json_value()
            page.evaluate("() => document.querySelector('.decision .choice').click()")
            page.wait_for_function(ASKED, arg=last)
        page.mouse.click(*point)
        page.wait_for_selector("#toast:has-text(': ') button.ref")
        page.locator("#toast button.ref").first.click()
        page.wait_for_selector("dialog:has-text('By the rules')")
        context.close()


SEEN = """() => {
    const inside = (box, frame) => box.left >= frame.left - 2 && box.right <= frame.right + 2
        && box.top >= frame.top - 2 && box.bottom <= frame.bottom + 2;
    const page = {left: 0, top: 0, right: innerWidth, bottom: innerHeight};
    const map = document.querySelector('.map').getBoundingClientRect();
    const shown = selector => [...document.querySelectorAll(`.map ${selector}`)];
    const lit = shown(':is(.piece.legal:not(.box *), .space.legal, .turn-ring.subject)');
    const players = [...document.querySelectorAll('.players li')];
    const me = players.find(one => one.querySelector('.who').textContent === 'you');
    const own = lit.length ? lit : shown(`.piece[data-side="${me.className.split(' ')[0]}"]`);
    const legend = document.querySelector('.game.keyed .map .legend')?.getBoundingClientRect();
    const row = document.querySelector('.game.in-playback .controls')?.getBoundingClientRect();
    const large = one => parseFloat(getComputedStyle(one).fontSize) * one.getScreenCTM().a;
    return {
        names: innerHeight !== 800 || shown(':is(.place-name, .label text, .hex-numbers text)').map(large)
            .every(size => size > 11.99),
        legend: !legend || inside(legend, map),
        playback: !row || row.bottom <= document.querySelector('.dock').getBoundingClientRect().top,
        top: scrollY, map: inside(map, page), wide: document.documentElement.scrollWidth <= innerWidth,
        question: inside(document.querySelector('#question').getBoundingClientRect(), page),
        own: !own.length || own.some(one => inside(one.getBoundingClientRect(), map)),
        heading: inside(document.querySelector('dialog h2')?.getBoundingClientRect() ?? page, page),
    };
}"""

SEEN_PARTS = ("top", "map", "wide", "question", "own", "heading", "legend", "playback", "names")


@pytest.mark.parametrize("size", [(1280, 720), (1280, 800), (390, 844), (640, 360)])
@pytest.mark.parametrize("name", ["hawaii1795", "heiau", "aloha", "maori_wars"])
def test_a_new_game_begins_at_its_top_and_ones_own(name: str, size: tuple[int, int], browser: Any, serve: Any) -> None:
    """Map and question are in view, wherever the page before was scrolled to; on a phone the question stays there.
    At 1280x800 names have 12 pixels.
    """
    with serve(game=name) as server:
        phone = size == (390, 844)
        viewport = {"width": size[0], "height": size[1]}
        context = browser.new_context(viewport=viewport, has_touch=phone, is_mobile=phone)
        context.add_init_script("try { localStorage.setItem('hawaii.speed', 'instant') } catch {}")
        page = context.new_page()
        page.goto(server.url)
        page.wait_for_selector("#new-game")
        if phone:
            page.locator("label[for^=side-]").nth(1).click()  # the other side's pieces stand elsewhere
        page.evaluate("() => scrollTo(0, 9999)")
        page.get_by_role("button", name="Begin").click()
        page.wait_for_selector("dialog .no")
        page.wait_for_function(ASKED, arg="")
        for _ in range(2):  # below the welcome, and without it
            expected = dict.fromkeys(SEEN_PARTS, True) | {"top": 0}
            for _ in range(50):  # what came last may still be being laid out
                if page.evaluate(SEEN) == expected:
                    break
                page.wait_for_timeout(20)
            assert page.evaluate(SEEN) == expected
            if page.locator("dialog .no").count():
                page.locator("dialog .no").click()
        if phone:
            page.evaluate("() => scrollTo(0, 300)")
            assert page.evaluate(SEEN)["question"]
            page.evaluate("() => scrollTo(0, 0)")
            for button in page.locator(".zoomer .legend-button:visible").all():
                button.click()
                assert page.locator(".game.keyed").count() and page.evaluate(SEEN)["legend"]
                button.click()
                assert page.evaluate(SEEN)["own"]
            page.evaluate("() => document.querySelector('.controls button').click()")  # a step back
            page.wait_for_selector(".game.in-playback")
            assert page.evaluate(SEEN)["playback"]
        context.close()


ASKED = """last => {
    const slider = document.querySelector('.controls input[type=range]');
    if (document.querySelector('button.rematch')) return 'over';
    if (!slider || slider.value !== slider.max) return null;
    const choices = [...document.querySelectorAll('.decision:not([aria-busy]) :is(.choice, .send)')];
    const offered = document.querySelector('.decision .send') ? [] : choices.map(choice => choice.dataset.action);
    const asked = `${slider.max} ${document.querySelector('#question')?.textContent} ${offered}`;
    return asked === last || !choices.length ? null : asked;
}"""
"""The question that is asked now, null while it is the last one; for a second unit the words may be the same."""


def turn_counted(page: Any, draw: random.Random) -> list[int]:
    """Open every subject of a turn that is entered as a whole, count its options, and choose one."""
    found = [counted(page)]
    for n in range(page.locator(".decision .subject").count()):
        page.evaluate("n => document.querySelectorAll('.decision .subject')[n]?.click()", n)  # one may stay open
        options = page.locator(".options .choice").count()
        if options:
            found.append(counted(page))
            page.evaluate("n => document.querySelectorAll('.options .choice')[n].click()", draw.randrange(options))
    return found


OPTIONS: dict[str, list[dict[str, Any]]] = {
    "hawaii1795": [{}, {"scenario": "short"}],
    "heiau": [{}, {"scenario": "wings"}, {"scenario": "discovery"}],
    "aloha": [{}, {"players": 4}],
    "maori_wars": [{}, {"scenario": "waikato"}, {"scenario": "campaign"}],
}
"""Options of each game: the seed chooses among them."""


@pytest.mark.parametrize("seed", [1, *(pytest.param(n, marks=pytest.mark.nightly) for n in (2, 3, 4))])
@pytest.mark.parametrize("name", ["hawaii1795", "heiau", "aloha", "maori_wars"])
def test_every_choice_is_in_view(name: str, seed: int, browser: Any, serve: Any) -> None:
    draw, found, last = random.Random(seed), list[int](), ""
    with serve(game=name) as server:
        context = browser.new_context(viewport=SIZE)
        kept = "for (const [k, v] of [['speed', 'instant'], ['warn', 'off'], ['welcomed', 'yes']])"
        context.add_init_script(f"try {{ {kept} localStorage.setItem('hawaii.' + k, v) }} catch {{}}")
        page = context.new_page()
        options = OPTIONS[name][(seed - 1) % len(OPTIONS[name])]
        began(page, server.url, *["me"] * load_game(name, **options).num_players, **options)
        while (asked := page.wait_for_function(ASKED, arg=last).json_value()) != "over" and len(found) < 300:
            last = asked
            if page.locator(".decision .send").count():
                found += turn_counted(page, draw)
                if page.locator(".decision .send[disabled]").count():  # too few are removed: as the hint has it
                    page.locator(".decision .hint").click()
                page.locator(".decision .send:not([disabled])").click()
                page.evaluate("() => document.querySelector('dialog .yes')?.click()")  # builds may be left
            else:
                found.append(counted(page))
                page.evaluate(
                    "n => document.querySelectorAll('.decision .choice')[n].click()", draw.randrange(found[-1])
                )
        context.close()
    assert len(found) > 20  # a short game asks few
    assert max(found) > 5
