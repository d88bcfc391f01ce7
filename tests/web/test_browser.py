"""The page in a real browser: a game by clicks, undo, save and load, two people, reloads, keyboard, phone,
accessibility.

Needs Chromium, Playwright and axe-playwright-python; skipped where one is missing.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hawaii_env import agents

from .conftest import AGENT, seat_list

pytestmark = [pytest.mark.browser, pytest.mark.slow]

WAIT = 120_000  # milliseconds; far more than a quiet machine needs


def began(page: Any, url: str, *seats: str, **options: Any) -> dict[str, Any]:
    """Begin a game without its form, go to it, and return what the server said."""
    page.goto(url)
    made = page.evaluate(
        "async body => (await fetch('/api/games', {method: 'POST', headers: {'Content-Type': 'application/json'}, "
        "body})).json()",
        json.dumps({"seats": seat_list(*seats), **options}),
    )
    page.goto(f"{url}/#/game/{made['id']}")
    return made


class Person:
    """One person at one screen."""

    def __init__(self, context: Any, url: str, speed: str, guided: bool = False) -> None:
        self.context, self.url = context, url
        context.set_default_timeout(WAIT)
        kept = {"speed": speed, **({} if guided else {"guide": "off", "warn": "off"})}
        for name, value in kept.items():
            context.add_init_script(f"try {{ localStorage.setItem('hawaii.{name}', '{value}') }} catch {{}}")
        self.errors: list[str] = []
        self.page = self.window()

    def window(self) -> Any:
        page = self.context.new_page()
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on(
            "console",
            lambda said: said.type == "error" and "status of 4" not in said.text and self.errors.append(said.text),
        )
        return page

    def play(self, *seats: str, **options: Any) -> Person:
        """Be in a game that was begun without its form."""
        began(self.page, self.url, *seats, **options)
        self.page.wait_for_selector(".map svg")
        return self

    def begin(
        self, kamehameha: str = "me", allied: str = f"agent {AGENT}", scenario: str = "long", dice: str = "server"
    ) -> None:
        self.page.goto(self.url)
        self.page.check(f"#scenario-{scenario}")
        self.page.check("#opponent-more")
        self.page.select_option("select[name=kamehameha]", kamehameha)
        self.page.select_option("select[name=allied]", allied)
        if dice != "server":
            self.page.get_by_text("Dice, and other readings").click()
            self.page.locator("select[name=dice]").first.select_option(dice)
        self.page.get_by_role("button", name="Begin").click()
        self.page.wait_for_selector(".map svg")

    def ready(self) -> bool:
        """Wait until something is asked of this person; False where the game is over."""
        self.page.wait_for_selector(
            ".decision:not([aria-busy]) .choice, .decision:not([aria-busy]) p:has-text('The game is over')"
        )
        return self.page.locator(".decision .choice").count() > 0

    def events(self) -> int:
        return int(self.page.locator(".controls input[type=range]").get_attribute("max"))

    def choose(self, text: str) -> None:
        """Click the first choice whose text in the engine's words begins so, and wait for what follows."""
        before = self.events()
        self.page.locator(f".choice[data-text^='{text}']").first.click()
        self.page.wait_for_function(
            "n => Number(document.querySelector('.controls input[type=range]').max) > n", arg=before
        )

    def texts(self) -> list[str]:
        return self.page.locator(".decision .choice").evaluate_all("all => all.map(b => b.dataset.text)")


def violations(page: Any) -> list[tuple[str, list[str]]]:
    """Return the rules of axe that a page violates, each with the first elements that do."""
    # The page's own policy forbids inline scripts, so axe is run from outside of it.
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    found = axe.run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return [(one["id"], [node["html"][:160] for node in one["nodes"][:3]]) for one in found]


@contextmanager
def people(browser: Any, url: str, usual: str = "instant") -> Iterator[Callable[..., Person]]:
    """Yield a function that makes a person at a server. None may have seen an error in the end."""
    made: list[Person] = []

    def new(speed: str = usual, guided: bool = False, **options: Any) -> Person:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        made.append(Person(context, url, speed, guided))
        return made[-1]

    yield new
    for one in made:
        one.context.close()
    assert [error for one in made for error in one.errors] == []


def click_on_the_map(me: Person, action: str) -> bool:
    """Click a ringed piece, card or space that an action names; False where it is hidden by another one."""
    point = me.page.evaluate(
        """action => {
            for (const element of document.querySelectorAll('.map [data-actions]')) {
                if (!element.dataset.actions.split(' ').includes(action)) continue;
                const box = element.getBoundingClientRect();
                for (const [fx, fy] of [[.5, .5], [.3, .5], [.7, .5], [.5, .25], [.5, .75]]) {
                    const x = box.left + box.width * fx, y = box.top + box.height * fy;
                    if (document.elementFromPoint(x, y)?.closest('[data-actions]') === element) return [x, y];
                }
            }
            return null;
        }""",
        action,
    )
    if point is None:
        return False
    me.page.mouse.click(*point)
    return True


def test_a_whole_game_by_clicks(person: Callable[..., Person], tmp_path: Path) -> None:
    me = person()
    me.begin(scenario="short")
    draw, on_map, decisions = random.Random(5), 0, 0
    while me.ready() and decisions < 600:
        decisions += 1
        before = me.events()
        actions = me.page.locator(".decision .choice").evaluate_all("all => all.map(b => b.dataset.action)")
        action = draw.choice(actions)
        done = click_on_the_map(me, action)
        on_map += done
        changed = (
            "n => Number(document.querySelector('.controls input[type=range]').max) > n || "
            "document.querySelector('.decision .quiet') !== null"
        )
        if done:
            me.page.wait_for_function(changed, arg=before)
        # A click selects, and narrows the buttons to what is selected.
        button = me.page.locator(f".decision:not([aria-busy]) .choice[data-action='{action}']")
        if me.events() == before and button.count():
            button.click()
        me.page.wait_for_function(
            "n => Number(document.querySelector('.controls input[type=range]').max) > n", arg=before
        )
    assert on_map > decisions / 2
    assert me.page.locator("#question").inner_text().endswith("]")
    with me.page.expect_download() as got:
        me.page.get_by_role("button", name="Download the record").click()
    path = tmp_path / "game.jsonl"
    got.value.save_as(path)
    from hawaii_env import records

    assert records.verify(path).outcome is not None
    # Looking back.
    me.page.get_by_role("button", name="Step back").click()
    me.page.wait_for_selector("#question:has-text('Looking back')")


def test_undo_save_and_load(person: Callable[..., Person]) -> None:
    me = person()
    me.begin()
    assert me.ready()
    before, count = me.texts(), me.events()
    me.choose("recruit")
    me.page.get_by_role("button", name="Undo").click()
    me.page.wait_for_function("n => Number(document.querySelector('.controls input[type=range]').max) === n", arg=count)
    me.ready()
    assert me.texts() == before
    me.page.get_by_label("Name of the save").fill("The <i>first</i> day")
    me.page.get_by_role("button", name="Save").click()
    me.page.wait_for_selector("#toast:has-text('Saved')")
    me.choose("recruit")
    me.page.get_by_role("link", name="Games").click()
    assert me.page.locator("#my-saves + ul strong").inner_text() == "The <i>first</i> day"
    me.page.get_by_role("button", name="Load The").click()
    me.page.wait_for_selector(".map svg")
    me.ready()
    assert me.texts() == before


def test_a_record_goes_out_and_comes_in(person: Callable[..., Person], tmp_path: Path) -> None:
    me = person()
    me.begin()
    assert me.ready()
    me.choose("recruit")
    me.ready()
    before = me.texts()
    with me.page.expect_download() as got:
        me.page.get_by_role("button", name="Download the record").click()
    path = tmp_path / "mine.jsonl"
    got.value.save_as(path)
    other = person()
    other.page.goto(other.url)
    other.page.get_by_text("Continue from a record").click()
    form = other.page.locator("details.sheet form")
    form.locator("input[type=file]").set_input_files(path)
    form.locator("select[name=allied]").select_option("me")
    other.page.get_by_role("button", name="Load the record").click()
    other.page.wait_for_selector(".map svg")
    assert other.ready()
    assert other.texts() == before

    path.write_text(path.read_text(encoding="utf-8").replace('"recruit ', '"recruit 2 '), encoding="utf-8")
    other.page.goto(other.url)
    other.page.get_by_text("Continue from a record").click()
    form.locator("input[type=file]").set_input_files(path)
    other.page.get_by_role("button", name="Load the record").click()
    other.page.wait_for_selector("#toast:has-text('line')")


def test_a_reload_goes_on_from_the_present(person: Callable[..., Person]) -> None:
    """At every speed; what has happened is not played again."""
    me = person(speed="normal")
    me.begin()
    assert me.ready()
    count = me.events()
    assert count > 0
    me.page.reload()
    assert me.ready()
    assert me.page.locator("#toast p").count() == 0
    assert int(me.page.locator(".controls input[type=range]").input_value()) == me.events() == count


def test_help_comes_where_one_points(person: Callable[..., Person]) -> None:
    me = person()
    me.begin()
    assert me.ready()
    info = me.page.locator(".info")
    me.page.locator(".decision .choice[data-text^='recruit']").first.hover()
    me.page.wait_for_selector(".info:has-text('[9.0] Recruiting')")
    assert "R-10" in info.inner_text()
    # The ruling itself is one click away.
    info.locator("summary:has-text('R-10')").click()
    assert "Played:" in info.inner_text()
    me.page.locator(".map [data-card]").first.hover()
    me.page.wait_for_selector(".info .card-text:has-text('Discovery’s Guns')")
    me.page.locator(".map .piece[data-place=kona][data-piece-kind=kamehameha]").hover()
    me.page.wait_for_selector(".info:has-text('A leader')")
    assert "R-04 Leaders are elite" in info.inner_text()
    me.page.locator(".map path[data-space=kauai]").hover(position={"x": 70, "y": 20})
    me.page.wait_for_selector(".info h3:has-text('Kauaʻi')")
    me.page.locator(".chips button[title^='R-10']").hover()
    me.page.wait_for_selector(".info h3:has-text('R-10')")


def test_two_people_on_two_machines(person: Callable[..., Person]) -> None:
    host, guest, stranger = person(), person(), person()
    host.begin("me", "guest")
    link = host.page.get_by_label("Invitation link").input_value()
    guest.page.goto(link)
    guest.page.wait_for_selector(".map svg")
    assert guest.ready()
    assert host.page.locator(".decision .choice").count() == 0
    guest.choose("place kalani")
    # The other screen follows by itself.
    host.page.wait_for_selector(".log li:has-text('Kalanikūpule placed')")
    host.page.wait_for_selector(".invitation", state="detached")
    settled = (
        ".decision:not([aria-busy]) .choice[data-text^='place'], .decision:not([aria-busy]) h2:has-text('Kamehameha')"
    )
    while guest.page.wait_for_selector(settled) and guest.page.locator(".decision .choice[data-text^='place']").count():
        guest.choose("place")
    host.page.wait_for_selector(".decision .choice[data-text^='recruit']")
    # Neither the used link nor the game's address lets anybody else in.
    stranger.page.goto(link)
    stranger.page.wait_for_selector(".sheet:has-text('not valid')")
    stranger.page.goto(host.page.url)
    stranger.page.wait_for_selector("h1:has-text('That did not work')")


def battle_position() -> str:
    return """{"turn": "april", "half": "kamehameha", "phase": "fire", "field": "maui", "fleet_moves": 0,
      "units": {"kamehameha": {"maui": ["royal_guard", "warrior_2", "canoe"], "kona": ["kamehameha"]},
                "allied": {"maui": ["kalani", "thunderers", "maui_warrior", "oahu_warrior", "oahu_warrior"],
                           "waikiki": ["oahu_warrior"]}},
      "battle": {"kind": "invasion", "advantage": "kamehameha", "turn_side": "kamehameha", "firing": "kamehameha"}}"""


def test_the_editor_starts_a_battle_and_a_reload_in_its_middle_changes_nothing(person: Callable[..., Person]) -> None:
    me = person()
    me.page.goto(f"{me.url}/#/edit")
    me.page.get_by_text("Numbers: how many").click()
    me.page.fill("#n-kamehameha-warrior_2-kona", "9")
    me.page.keyboard.press("Tab")
    me.page.wait_for_selector(".problem:has-text('too many')")
    assert me.page.get_by_role("button", name="Start a game").is_disabled()
    me.page.get_by_text("The position as data").click()
    me.page.fill("#position-data", battle_position())
    me.page.keyboard.press("Tab")
    me.page.wait_for_selector(".preview .battle")
    me.page.select_option("select[name=allied]", "me")
    me.page.get_by_role("button", name="Start a game").click()
    me.page.wait_for_selector(".game .map .battle")
    me.ready()
    me.choose("fire")
    me.page.wait_for_selector(".log li:has-text('Die ')")
    me.ready()
    told = me.page.locator("#question").inner_text(), me.texts(), me.page.locator(".log").inner_text(), me.events()
    me.page.reload()
    me.page.wait_for_selector(".game .map .battle")
    me.ready()
    assert (
        me.page.locator("#question").inner_text(),
        me.texts(),
        me.page.locator(".log").inner_text(),
        me.events(),
    ) == told
    # A second window of the same browser has the same game, and hears of what the first does.
    other = me.window()
    other.goto(me.page.url)
    other.wait_for_selector(".decision .choice")
    me.page.locator(".decision .choice").first.click()
    other.wait_for_function("n => Number(document.querySelector('.controls input[type=range]').max) > n", arg=told[3])


def test_by_keyboard_alone(person: Callable[..., Person]) -> None:
    me = person()
    me.page.goto(me.url)
    me.page.wait_for_selector("h1")

    def tab_to(name: str) -> None:
        for _ in range(60):
            me.page.keyboard.press("Tab")
            found = me.page.evaluate(
                "() => (document.activeElement.getAttribute('aria-label') ?? document.activeElement.innerText ?? "
                "'').trim()"
            )
            if found.startswith(name):
                return
        raise AssertionError(f"Tab does not come to {name!r}")

    me.page.keyboard.press("Tab")
    assert me.page.evaluate("() => document.activeElement.className") == "skip"
    tab_to("Begin")
    me.page.keyboard.press("Enter")
    me.page.wait_for_selector(".decision .choice")
    for _ in range(3):
        me.ready()
        before = me.events()
        if not me.page.evaluate("() => document.activeElement.id === 'question'"):
            tab_to(me.page.locator(".decision .choice").first.inner_text())
        else:
            me.page.keyboard.press("ArrowDown")
        assert me.page.evaluate("() => document.activeElement.classList.contains('choice')")
        me.page.keyboard.press("Enter")
        me.page.wait_for_function(
            "n => Number(document.querySelector('.controls input[type=range]').max) > n", arg=before
        )
        me.ready()
        # The focus is where the next decision is.
        me.page.wait_for_function("() => document.activeElement.id === 'question'")
    assert me.page.locator("#live").inner_text()
    tab_to("Undo")
    count = me.events()
    me.page.keyboard.press("Space")
    me.page.wait_for_function("n => Number(document.querySelector('.controls input[type=range]').max) < n", arg=count)
    # What a rule says comes with the focus.
    me.ready()
    tab_to(me.page.locator(".chip[title^='[10.0]']").inner_text())
    assert "Section 10.0" in me.page.locator(".info").inner_text()


@pytest.fixture
def watcher(browser: Any, serve: Callable[..., Any]) -> Iterator[Callable[..., Person]]:
    """Watches a game that is the same each time, and long: random players may end one within a month."""
    with serve() as server, people(browser, server.url, "fast") as new:
        yield new


def test_watching_two_agents(watcher: Callable[..., Person]) -> None:
    me = watcher()
    me.begin(f"agent {AGENT}", f"agent {AGENT}")
    me.page.wait_for_function("() => Number(document.querySelector('.controls input[type=range]').value) > 12")
    me.page.get_by_role("button", name="Pause").click()
    me.page.wait_for_timeout(500)
    at = me.page.locator(".controls input[type=range]").input_value()
    me.page.wait_for_timeout(2500)
    assert me.page.locator(".controls input[type=range]").input_value() == at
    me.page.get_by_label("Speed").select_option("instant")
    me.page.get_by_role("button", name="Continue").click()
    me.page.wait_for_function(
        "n => Number(document.querySelector('.controls input[type=range]').value) > n + 30", arg=int(at)
    )


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_pieces_glide_unless_one_would_rather_not(watcher: Callable[..., Person], motion: str) -> None:
    me = watcher(reduced_motion=motion)
    me.context.add_init_script(
        """
        window.glides = [];
        const animate = Element.prototype.animate;
        Element.prototype.animate = function (frames, options) {
            window.glides.push([this.dataset.place, frames[0].transform]);
            return animate.call(this, frames, options);
        };
        """
    )
    me.begin(f"agent {AGENT}", f"agent {AGENT}")
    me.page.wait_for_function("() => Number(document.querySelector('.controls input[type=range]').value) > 25")
    glides = me.page.evaluate("() => window.glides")
    if motion == "reduce":
        assert glides == []
        return
    # Recruits come from the box, at least; nothing glides from where it stands.
    assert len(glides) > 3
    assert all(re.fullmatch(r"translate\(-?[\d.]+px, -?[\d.]+px\)", shift) for _, shift in glides)
    assert "translate(0.0px, 0.0px)" not in {shift for _, shift in glides}


class Advised(agents.RandomAgent):
    """Has a policy, which likes the last choice, and thinks that all is well."""

    class policy:
        @staticmethod
        def evaluate(observation: Any, legal: Sequence[int]) -> tuple[Any, float]:
            likes = np.ones(len(legal))
            likes[-1] = 3 * len(legal)
            return likes, 0.5

    def act(self, state: Any, legal_actions: Sequence[int], clock: Any = None) -> int:
        return legal_actions[-1]


def test_a_hint(browser: Any, serve: Callable[..., Any]) -> None:
    agents.register("web-advised", Advised)
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    with serve(hints=("web-advised",)) as made:
        me = Person(context, made.url, "instant")
        me.begin()
        me.ready()
        last = me.texts()[-1]
        me.page.get_by_role("button", name="Hint").click()
        told = me.page.locator(
            ".group:has(.choice.advised) .hint-box, .foot:has(.choice.advised) .hint-box"
        ).inner_text()
        assert told.startswith("Web advised suggests this")
        assert "75%" in told
        shares = [int(share) for share in re.findall(r"(\d+) times in 100", told)]
        assert shares[0] > 60
        advised = me.page.locator(".choice.advised")
        assert advised.get_attribute("data-text") == last
        assert f"{shares[0]}%" in advised.inner_text()
        # It changes nothing, and goes with the decision.
        me.choose(last)
        me.ready()
        assert me.page.locator(".hint-box").count() == 0
        me.page.goto("about:blank")
    context.close()
    assert me.errors == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_accessibility_of_hints_and_the_editor(person: Callable[..., Person], scheme: str) -> None:
    """What not every game has; `test_browser_axe` looks at the others."""
    me = person(color_scheme=scheme)
    me.begin()
    me.ready()
    me.page.get_by_role("button", name="Hint").click()
    me.page.wait_for_selector(".hint-box")
    me.page.get_by_text("The board in words").click()
    assert violations(me.page) == []
    me.page.goto(f"{me.url}/#/edit")
    me.page.wait_for_selector(".preview svg")
    assert violations(me.page) == []
    me.begin("me", "guest", dice="hand")
    me.page.wait_for_selector(".invitation")
    assert violations(me.page) == []
