"""The replay page in a real browser, opened from the disk."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from toy import ToyGame

import hawaii_env
from hawaii_env.game import State
from hawaii_env.hawaii1795 import Game as Hawaii
from hawaii_env.replay import replay_page
from hawaii_env.replay.page import PARTIAL, SEALED

pytestmark = pytest.mark.browser


class Swing:
    """Values that swing from side to side, and do not need many games to be played."""

    label = "a pendulum"

    def values(self, state: State) -> list[float]:
        swing = math.sin(sum(state.to_json().encode()) / 9)
        return [swing, -swing]


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    hawaii_env.play(Hawaii(), "random", seed=4, record=folder / "game.jsonl")
    return replay_page(folder / "game.jsonl", folder / "game.html", value=Swing()).path


class Opened:
    """A page in the browser, with what it did wrong."""

    def __init__(self, browser: Any, path: Path, **context: Any) -> None:
        self.address = path.as_uri()
        self.context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, **context})
        self.page = self.context.new_page()
        self.wrong: list[str] = []
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("console", lambda message: self.wrong.append(message.text))
        self.page.on("request", lambda request: self.wrong.append(request.url) if self.outside(request.url) else None)

    def outside(self, url: str) -> bool:
        return url.split("#")[0] != self.address

    def open(self, moment: str = "") -> Opened:
        self.page.goto("about:blank")
        self.page.goto(self.address + moment)
        self.page.wait_for_selector("html[data-ready]")
        return self

    @property
    def step(self) -> int:
        return int(self.page.input_value("#slider"))

    def until(self, expression: str) -> None:
        """Wait until an expression holds; Playwright's own wait evaluates text in the page, which the page forbids."""
        for _ in range(200):
            if self.page.evaluate(expression):
                return
            self.page.wait_for_timeout(50)
        raise AssertionError(f"never: {expression}")

    @property
    def data(self) -> Any:
        """The page's data, unpacked as the page does it."""
        return self.page.evaluate(
            """async () => {
                const packed = atob(document.getElementById("data").textContent);
                const bytes = Uint8Array.from(packed, (c) => c.charCodeAt(0));
                const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
                const {lines, chapters, scenes, values} = await new Response(stream).json();
                return {lines, chapters, scenes, values};
            }"""
        )

    def current(self) -> int:
        """The step that is marked in the account; it must be the only one."""
        marked = self.page.locator("#lines a[aria-current=step]")
        assert marked.count() == 1
        return int(marked.get_attribute("href").removeprefix("#step="))


@pytest.fixture
def opened(browser: Any, page_file: Path) -> Iterator[Opened]:
    found = Opened(browser, page_file)
    yield found
    found.context.close()
    assert found.wrong == []


def test_keys_go_through_the_game(opened: Opened) -> None:
    press = opened.open().page.keyboard.press
    data = opened.data
    last = len(data["lines"])
    asked = [step for step, line in enumerate(data["lines"], 1) if line[2] & 3 == 1]
    chapters, scenes = ([step for step, _ in data[kind]] for kind in ("chapters", "scenes"))
    wanted = [("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", last), ("ArrowRight", last)]
    wanted += [("ArrowUp", max(step for step in asked if step < last)), ("Home", 0), ("ArrowDown", asked[0])]
    wanted += [("PageDown", min(step for step in chapters if step > asked[0]))]
    wanted += [("Home", 0), ("Shift+PageDown", scenes[0]), ("Shift+PageDown", scenes[1])]
    wanted += [("Shift+PageUp", scenes[0]), ("PageUp", max(step for step in chapters if step < scenes[0]))]
    for key, step in wanted:
        press(key)
        assert opened.step == opened.current() == step, key
    assert opened.page.inner_text("#now").startswith(("Kamehameha: ", "Allies: ", "Kamehameha draws"))


def test_the_map_and_the_words_follow(opened: Opened) -> None:
    page = opened.open("#step=0").page
    data = opened.data
    seen: set[str] = set()
    last = len(data["lines"])
    whole = [
        step for step in range(last + 1) if step in (0, last) or not data["lines"][step - 1][2] & (PARTIAL | SEALED)
    ]
    for step in whole[::9]:
        page.evaluate("step => { location.hash = `#step=${step}` }", step)
        opened.until(f"document.getElementById('slider').value === '{step}'")
        assert opened.current() == step
        label = page.get_attribute("#map svg", "aria-label")
        assert page.inner_text("#asked") == label or step == last
        assert page.locator("#map .space").count() == 7
        seen.add(page.inner_html("#map"))
        text = "The beginning" if step == 0 else data["lines"][step - 1][0]
        assert page.inner_text("#now").endswith(text)
        assert text in page.get_attribute("#slider", "aria-valuetext")
    assert len(seen) > 10


def test_links_to_a_moment(opened: Opened) -> None:
    page = opened.open("#step=33").page
    assert opened.step == opened.current() == 33
    page.click("[data-go=on]")
    opened.until("location.hash === '#step=34'")
    page.reload()
    page.wait_for_selector("html[data-ready]")
    assert opened.step == 34
    for odd, step in (("#step=999999", len(opened.data["lines"])), ("#step=x", 0), ("#nothing", 0)):
        assert opened.open(odd).step == step
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened.open("#step=12").page.click("#link")
    opened.until("document.getElementById('link').textContent === 'Copied'")
    assert page.evaluate("navigator.clipboard.readText()") == f"{opened.address}#step=12"


def test_clicks_on_curve_log_and_slider(opened: Opened) -> None:
    page = opened.open().page
    last = len(opened.data["lines"])
    box = page.locator("#curve svg").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 40)
    assert abs(opened.step - last / 2) <= 1
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 40)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] + 50, box["y"] + 40)
    page.mouse.up()
    assert opened.step == last
    page.click("#lines a[href='#step=5']")
    assert opened.step == 5
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.getAttribute('href')") == "#step=6"
    page.focus("#slider")
    page.keyboard.press("ArrowRight")
    assert opened.step == 7
    page.click("[data-go=end]")
    assert page.get_attribute("[data-go=on]", "aria-disabled") == "true" and opened.step == last
    page.keyboard.press("Enter")
    assert opened.step == last
    assert page.evaluate("document.activeElement.dataset.go") == "end"


def test_buttons_step_by_the_chosen_unit(opened: Opened) -> None:
    page = opened.open().page
    data = opened.data
    for unit, steps in (("chapter", data["chapters"]), ("scene", data["scenes"])):
        page.keyboard.press("Home")
        page.check(f"#units input[value={unit}]", force=True)
        for step, _ in steps[:2]:
            page.click("[data-go=on]")
            assert opened.step == step
    page.click("[data-go=back]")
    assert opened.step == data["scenes"][0][0]


def test_it_plays_and_pauses(opened: Opened) -> None:
    page = opened.open("#step=3").page
    page.select_option("#speed", "4")
    page.focus("#lines a[aria-current]")
    page.keyboard.press("Space")
    assert page.get_attribute("#play", "aria-label") == "Pause"
    assert page.get_attribute("#now", "aria-live") == "off"
    opened.until("Number(document.getElementById('slider').value) >= 5")
    page.keyboard.press("Space")
    assert page.get_attribute("#play", "aria-label") == "Play"
    assert page.get_attribute("#now", "aria-live") == "polite"
    stopped = opened.step
    page.wait_for_timeout(500)
    assert opened.step == stopped
    page.keyboard.press("End")
    page.click("#play")
    assert opened.step == 0


def test_the_curve_says_what_the_values_are(opened: Opened) -> None:
    page = opened.open("#step=999999").page
    end = opened.data["values"][0]["points"][-1]
    assert not page.is_visible("#opinion")
    told = page.inner_text("#chances")
    assert f"Kamehameha {round(50 + 50 * end[1])}%" in told and f"Allies {round(50 + 50 * end[2])}%" in told
    assert "by a pendulum; a tie counts half" in told
    assert page.locator("#curve [data-scene]").count() >= len(opened.data["scenes"]) - 1


@pytest.mark.slow
def test_one_opinion_of_several_is_chosen(browser: Any, page_file: Path, tmp_path: Path) -> None:
    class Steady:
        label = "a stone"

        def values(self, state: State) -> list[float]:
            return [0.5, -0.5]

    path = replay_page(page_file.with_suffix(".jsonl"), tmp_path / "two.html", value=[Swing(), Steady()]).path
    opened = Opened(browser, path)
    page = opened.open("#step=30").page
    assert page.locator("#opinion option").all_inner_texts() == ["a pendulum", "a stone"]
    before = page.inner_text("#chances")
    drawn = page.locator("#curve path.other").get_attribute("d")
    page.select_option("#opinion", label="a stone")
    assert page.inner_text("#chances") != before
    assert "Kamehameha 75%" in page.inner_text("#chances") and "a tie counts half" in page.inner_text("#chances")
    assert page.locator("#curve path.other").get_attribute("d") != drawn
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    assert "Kamehameha 75%" in page.inner_text("#chances")
    opened.context.close()
    assert opened.wrong == []


@pytest.mark.parametrize(("width", "scheme"), [(380, "light"), (1280, "dark")])
def test_it_fits_and_letters_stand_out(browser: Any, page_file: Path, width: int, scheme: str) -> None:
    opened = Opened(browser, page_file, viewport={"width": width, "height": 780}, color_scheme=scheme)
    page = opened.open("#step=40").page
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    # Contrast of the texts around the map against what lies behind them: 4.5 to 1 [WCAG 1.4.3].
    ratios = page.evaluate(
        """() => {
            const level = (c) => { c /= 255; return c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4; };
            const bright = ([r, g, b]) => .2126 * level(r) + .7152 * level(g) + .0722 * level(b);
            const parts = (text) => text.match(/[\\d.]+/g).map(Number);
            const behind = (element) => {
                for (; element; element = element.parentElement) {
                    const colour = parts(getComputedStyle(element).backgroundColor);
                    if (colour.length < 4 || colour[3] === 1) return colour;
                }
            };
            const found = {};
            for (const selector of ["h1", "header .soft", "#now", "#asked", "#play", "[data-go=on]",
                    "#units input:checked + span", "#units input:not(:checked) + span", "#link", "#chances .soft",
                    "#lines h3", "#lines a[aria-current]", "#lines .forced", ".mark:not(.dice)", "summary"]) {
                const element = document.querySelector(selector);
                const [a, b] = [bright(parts(getComputedStyle(element).color)), bright(behind(element))];
                found[selector] = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
            }
            return found;
        }"""
    )
    assert {selector: ratio for selector, ratio in ratios.items() if ratio < 4.5} == {}
    small = page.evaluate(
        """() => [...document.querySelectorAll("button:not(.ref), select, fieldset label")]
            .filter((element) => element.offsetParent).map((element) => element.getBoundingClientRect())
            .filter((box) => box.height < 32 || box.width < 32).length"""
    )
    assert small == 0
    if width < 900:
        page.click("#enlarge")
        assert page.get_attribute("#enlarge", "aria-pressed") == "true"
        assert page.evaluate("document.querySelector('#map svg').clientWidth") == 1000
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    opened.context.close()
    assert opened.wrong == []


@pytest.mark.parametrize(
    "name", ["aloha", *(pytest.param(one, marks=pytest.mark.slow) for one in ("hawaii1795", "heiau", "maori_wars"))]
)
def test_numbers_of_rules_open_their_paragraphs(name: str, browser: Any, tmp_path: Path) -> None:
    hawaii_env.play(hawaii_env.load_game(name), "random", seed=4, record=tmp_path / "game.jsonl")
    opened = Opened(browser, replay_page(tmp_path / "game.jsonl", tmp_path / "game.html", value="none").path)
    page = opened.open().page
    page.keyboard.press("End")
    for place in ("#summary", "#asked", "#result"):
        number = page.inner_text(f"{place} .ref")
        page.click(f"{place} .ref")
        dialog = page.locator("dialog[open]").inner_text()
        assert dialog.startswith("By the rules") and number.strip("[]").split(",")[0] in dialog and len(dialog) > 100
        page.keyboard.press("Home")  # goes nowhere below it
        page.keyboard.press("Escape")
        page.wait_for_selector("dialog", state="detached")
    assert opened.step == len(opened.data["lines"])
    opened.context.close()
    assert opened.wrong == []


def test_a_game_of_three_without_months(browser: Any, tmp_path: Path) -> None:
    toy = ToyGame()
    hawaii_env.play(toy, "random", seed=1, record=tmp_path / "toy.jsonl")
    path = replay_page(tmp_path / "toy.jsonl", tmp_path / "toy.html", game=toy, value="playouts:games=3").path
    opened = Opened(browser, path)
    page = opened.open().page
    assert page.locator("#units input").count() == 2
    assert page.locator("#curve polyline").count() == 3
    page.keyboard.press("PageDown")
    assert opened.step == 0
    page.keyboard.press("End")
    assert opened.step == opened.current() == len(opened.data["lines"])
    opened.context.close()
    assert opened.wrong == []


def test_a_damaged_page_says_so(browser: Any, page_file: Path, tmp_path: Path) -> None:
    path = tmp_path / "damaged.html"
    text = page_file.read_text(encoding="utf-8")
    at = text.index('id="data">') + 500
    path.write_text(text[:at] + "AAAA" + text[at + 400 :], encoding="utf-8")
    opened = Opened(browser, path)
    opened.page.goto(opened.address)
    opened.page.wait_for_selector("#trouble:not([hidden])")
    assert "damaged" in opened.page.inner_text("#trouble")
    opened.context.close()
