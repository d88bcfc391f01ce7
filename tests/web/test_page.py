"""What a page must show and must not do: selecting, battles, table on small screens, what is at hand, the editor by
hand.

Needs what tests/web/test_browser.py needs; quick enough for every run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from .test_browser import Person

pytestmark = pytest.mark.browser

PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
DESK: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}}
TABLET: dict[str, Any] = {"viewport": {"width": 820, "height": 1180}, "has_touch": True}

MOVEMENT: dict[str, Any] = {
    "turn": "may",
    "half": "kamehameha",
    "phase": "movement",
    "fleet_moves": 3,
    "card": "peleleu_fleet",
    "units": {
        "kamehameha": {"kona": ["kamehameha", "royal_guard", "warrior_2", "canoe"], "hilo": ["vancouver", "pike"]},
        "allied": {
            "maui": ["kalani", "maui_warrior", "maui_canoe"],
            "waikiki": ["oahu_warrior", "oahu_canoe"],
            "koolau": ["kaiana"],
        },
        "neutral": {"kauai": ["kauai_warrior", "kauai_warrior", "kauai_canoe"]},
    },
}
BATTLE: dict[str, Any] = {
    "turn": "april", "half": "kamehameha", "phase": "fire", "field": "maui", "fleet_moves": 0,
    "units": {
        "kamehameha": {"maui": ["kamehameha", "warrior_2", "canoe"], "kona": ["warrior_2"]},
        "allied": {"maui": ["kalani", "maui_warrior", "oahu_warrior/panicked"], "waikiki": ["oahu_warrior"]},
    },
    "battle": {"kind": "invasion", "advantage": "kamehameha", "turn_side": "kamehameha", "firing": "kamehameha"},
}  # fmt: skip


def play(me: Person, position: dict[str, Any] | None, **more: Any) -> Person:
    """Begin a game of two at this screen."""
    me.play("me", "me", **({} if position is None else {"position": position}), **more)
    me.page.wait_for_selector(".decision .choice")
    return me


def click(me: Person, selector: str) -> None:
    """A click or tap in the middle of a piece; of a space where nothing stands. Waits until the picture is as new as
    the decision beside it, which is there first."""
    me.page.wait_for_function(
        """() => {
            const slider = document.querySelector('.controls input[type=range]');
            return (!slider || slider.value === slider.max) && !document.querySelector('.decision[aria-busy]');
        }"""
    )
    point = me.page.evaluate(
        """selector => {
            const element = document.querySelector(selector);
            element.scrollIntoView({block: 'nearest', inline: 'center'});
            const box = element.getBoundingClientRect();
            for (let y = 0.1; y < 1; y += 0.1) for (let x = 0.1; x < 1; x += 0.1) {
                const at = [box.left + box.width * x, box.top + box.height * y];
                const hit = document.elementFromPoint(...at);
                if (hit && (hit === element || element.contains(hit)) && !hit.closest('.zoomer')) return at;
            }
            return null;
        }""",
        selector,
    )
    assert point, f"nothing of {selector} can be clicked"
    (me.page.touchscreen.tap if me.page.evaluate("() => navigator.maxTouchPoints > 0") else me.page.mouse.click)(*point)


def settled(me: Person) -> int:
    me.page.wait_for_timeout(250)
    return me.events()


GUARD = ".map .piece[data-place=kona][data-piece-kind=royal_guard]"
HILO = ".map path[data-space=hilo]"


@pytest.mark.parametrize("screen", [DESK, pytest.param(PHONE, marks=pytest.mark.slow)], ids=["mouse", "touch"])
def test_a_click_selects_and_a_target_acts(person: Callable[..., Person], screen: dict[str, Any]) -> None:
    me = play(person(**screen), MOVEMENT)
    # Looking at one thing after the other does nothing, however little could be meant.
    for selector in (HILO, GUARD, GUARD, ".map .piece[data-place=kona][data-piece-kind=canoe]", HILO, HILO):
        click(me, selector)
        assert settled(me) == 0, selector
    # A piece, and where it goes.
    click(me, GUARD)
    assert settled(me) == 0
    assert me.texts()[:1] == ["march royal_guard kona hilo"]
    click(me, HILO)
    me.page.wait_for_selector(".log li:has-text('Royal Guard from Kona to Hilo')")
    assert me.events() == 1
    # What has no target waits for a button: beside it, or in the bar of choices.
    click(me, ".map .piece.legal[data-place=kona][data-piece-kind=canoe]")
    assert settled(me) == 1
    where = ".bubble .choice-here" if screen is DESK else ".decision .choice"
    assert me.page.locator(where).count() == 1
    me.page.locator(where).click()
    me.page.wait_for_selector(".decision .choice[data-text^=pickup]")
    # A space that is all that could be meant is only selected, too.
    click(me, ".map path.legal[data-space=kona]")
    assert settled(me) == 2
    assert len(me.texts()) == 1
    me.page.locator(where).click()
    me.page.wait_for_selector(".decision .choice[data-text^=embark]")


def in_sight(me: Person, selector: str) -> bool:
    """Whether an element lies within the window, and nothing covers its middle."""
    return me.page.evaluate(
        """selector => {
            const element = document.querySelector(selector), box = element.getBoundingClientRect();
            const hit = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
            return box.width > 0 && box.top >= -1 && box.left >= -1
                && box.bottom <= innerHeight + 1 && box.right <= innerWidth + 1
                && (element.contains(hit) || hit?.contains(element));
        }""",
        selector,
    )


def test_a_battle_on_screen(person: Callable[..., Person]) -> None:
    me = play(person(**DESK), BATTLE, dice="hand")
    assert in_sight(me, ".note .results")
    assert me.page.locator(".note .now-row").count() == 0
    me.choose("fire kamehameha")
    me.page.wait_for_selector(".note .now-row th:has-text('elite')")
    # Whose die it is stands in the question, on the map as well, and in the colour of the dice.
    assert me.page.locator("#question").inner_text() == "Kamehameha fires with Kamehameha: 3 dice to roll"
    assert me.page.locator(".map .decider").text_content() == "Kamehameha fires with Kamehameha: 3 dice to roll"
    assert me.page.locator(".decision .die.kamehameha").count() == 6
    me.page.locator("[data-outcome='3']").click()
    me.page.wait_for_selector(".decision .choice[data-text^='panic']")
    assert me.page.locator(".note td.fell").inner_text() == "panic"
    assert me.page.locator(".note thead th.fell").inner_text() == "3"
    # A second panic is a loss, and is called one before it is chosen and after it.
    assert me.page.locator(".decision .group:has-text('Lost by a second panic')").count() == 1
    me.choose("panic oahu_warrior")
    me.page.wait_for_selector(".log .lost:has-text('Warriors of Oʻahu in panic a second time: lost')")
    lines = [text.strip() for text in me.page.locator(".log .moment").all_inner_texts()]
    assert lines == [
        "Kamehameha: Kamehameha to fire, 3 dice: elite column", "Die 3: panic, by the elite column",
        "Allies: Warriors of Oʻahu in panic a second time: lost",
    ]  # fmt: skip
    for selector in (".note .results", ".log li:last-child", ".decision .undo"):
        assert in_sight(me, selector), selector


def test_the_log_has_headings(person: Callable[..., Person]) -> None:
    me = play(person(**DESK), BATTLE)
    me.choose("fire kamehameha")
    me.page.wait_for_selector(".log .chapter")  # the log follows the picture
    assert me.page.locator(".log .chapter").all_inner_texts() == ["April"]
    assert me.page.locator(".log .half").all_inner_texts() == ["Kamehameha, card 2 The Long Pikes"]
    assert me.page.locator(".log .scene").all_inner_texts() == ["Invasion of Maui"]
    assert me.page.locator(".map .battle .title").text_content() == "Invasion of Maui"


@pytest.mark.parametrize(
    "position", [pytest.param(MOVEMENT, marks=pytest.mark.slow), BATTLE], ids=["movement", "battle"]
)
def test_a_phone_shows_map_and_choices_together(person: Callable[..., Person], position: dict[str, Any]) -> None:
    me = play(person(**PHONE), position)
    for selector in ("#question", ".decision .choice", ".decision .undo", ".hint"):
        assert in_sight(me, selector), selector
    map_, dock = (me.page.locator(selector).bounding_box() for selector in (".map", ".dock"))
    assert map_ and dock
    assert map_["y"] >= 0 and map_["height"] > 250
    assert map_["y"] + map_["height"] <= dock["y"]
    assert dock["y"] + dock["height"] == pytest.approx(844, abs=1)
    assert me.page.evaluate("() => document.documentElement.scrollWidth") <= 390
    if position is BATTLE:
        assert in_sight(me, ".note .results")
        assert in_sight(me, ".map .battle")
    else:
        # What ends the movement is in visibility, however many choices there are.
        assert in_sight(me, ".choice[data-text=done]")
    # The bar stays where the page is scrolled, and can be folded.
    me.page.evaluate("() => scrollTo(0, document.body.scrollHeight)")
    assert in_sight(me, "#question")
    me.page.get_by_role("button", name="Fold").tap()
    assert me.page.locator(".dock").bounding_box()["height"] < 120  # pyright: ignore[reportOptionalSubscript]
    me.page.get_by_role("button", name="Unfold").tap()
    # A tap on a piece tells what it is, in the bar.
    me.page.evaluate("() => scrollTo(0, 0)")
    click(me, ".map .piece[data-piece-kind=kamehameha]")
    me.page.wait_for_selector(".info h3:has-text('Kamehameha')")
    assert me.page.locator(".info").is_visible()


@pytest.mark.parametrize(
    ("position", "size"),
    [pytest.param(None, (800, 600), marks=pytest.mark.slow), (MOVEMENT, (1280, 800)), (BATTLE, (800, 600))],
    ids=["beginning", "movement", "battle"],
)
def test_nothing_important_is_below_the_fold(
    person: Callable[..., Person],
    position: dict[str, Any] | None,
    size: tuple[int, int],
) -> None:
    me = play(person(viewport={"width": size[0], "height": size[1]}), position)
    wanted = [".map svg", "#question", ".decision .choice", ".now", ".controls", ".tools .record"]
    if position is BATTLE:
        wanted.append(".note .results")
    if size[1] >= 800:
        wanted += [".decision .undo", ".hint", "#at-hand", ".chips .chip", ".log"]
    assert [selector for selector in wanted if not in_sight(me, selector)] == []


@pytest.mark.parametrize("screen", [pytest.param(DESK, marks=pytest.mark.slow), PHONE], ids=["desk", "phone"])
def test_the_end_is_in_sight(person: Callable[..., Person], screen: dict[str, Any]) -> None:
    me = play(person(**screen), BATTLE)
    me.page.evaluate(
        """async () => {
            const game = '/api/games/' + location.hash.split('/')[2];
            const {version} = await (await fetch(game)).json();
            const headers = {'Content-Type': 'application/json'};
            await fetch(game + '/resign', {method: 'POST', headers, body: JSON.stringify({version, seat: 0})});
        }"""
    )
    me.page.wait_for_selector(".rematch")
    me.page.wait_for_timeout(300)
    # The battle that it ended in gives way to who has won, why, and what can be done now.
    for selector in ("#question", ".rematch", ".decision a.button", "a.replay"):
        assert in_sight(me, selector), selector
    assert me.page.locator("a.replay + button + button").inner_text() == "Download the replay"


def test_what_is_at_hand_follows_the_position(person: Callable[..., Person]) -> None:
    me = play(person(**DESK), MOVEMENT)
    info = me.page.locator(".info-body")
    assert "Peleleu Fleet" in info.inner_text()
    me.page.locator(GUARD).hover()
    me.page.wait_for_selector(".info h3:has-text('Royal Guard')")
    me.page.mouse.move(5, 5)
    me.choose("march royal_guard")
    me.page.wait_for_selector(".info h3:has-text('Peleleu Fleet')")
    assert "Royal Guard" not in info.inner_text()
    # The half ends; a moment back it is the old card again.
    me.choose("done")
    me.page.wait_for_selector(".info-body:not(:has-text('Peleleu Fleet'))")
    me.ready()  # all that follows from it is told
    me.page.locator(".log .moment").first.click()
    me.page.wait_for_selector(".info h3:has-text('Peleleu Fleet')")
    assert me.page.locator(".log [aria-current]").inner_text() == "Kamehameha: Royal Guard from Kona to Hilo"


@pytest.mark.slow
def test_the_legend_shows_when_asked_for(person: Callable[..., Person]) -> None:
    me = play(person(**DESK), MOVEMENT)
    legend = me.page.locator(".map .legend").first
    for shown in (False, True, False):
        assert legend.is_visible() == shown
        me.page.click(".zooms .legend-button")


def test_why_undo_is_grey(person: Callable[..., Person]) -> None:
    me = play(person(**DESK), BATTLE)
    undo, why = me.page.locator(".decision .undo"), me.page.locator("#undo-words")
    assert undo.is_disabled()
    assert why.inner_text() == "Nothing decided yet"
    me.choose("fire warrior_2")
    me.ready()
    assert undo.is_disabled()
    assert why.inner_text() == "A die was rolled since"
    play(me, MOVEMENT)
    me.choose("march royal_guard")
    me.page.wait_for_selector(".undo:not([disabled])")
    assert why.inner_text() == "March Kona → Hilo Royal Guard (3+)"
    undo.click()
    me.page.wait_for_selector(".log:not(:has-text('Royal Guard'))", state="attached")
    assert me.page.locator(".log .moment").count() == 0


def test_one_vocabulary_in_map_and_panel(person: Callable[..., Person]) -> None:
    me = play(person(**DESK), MOVEMENT)
    assert me.page.locator(".map .button text").text_content() == "End movement"
    assert me.page.locator(".choice[data-text=done]").inner_text() == "End movement"
    me.choose("march royal_guard")
    moved = me.page.locator(".map .piece[data-place=hilo][data-piece-kind=royal_guard]")
    title = moved.locator("title").text_content()
    assert title == "Royal Guard (has marched)"
    moved.hover()
    me.page.wait_for_selector(".info li:has-text('This one has marched this turn.')")
    # The map's button for what has no place acts as the panel's.
    me.page.locator(".map .button").click()
    me.page.wait_for_selector(".log li:has-text('Kamehameha: All have moved')")


def pieces(me: Person, place: str, kind: str) -> int:
    counts = me.page.locator(f".preview .piece[data-place={place}][data-piece-kind={kind}]")
    return sum(int(count) for count in counts.evaluate_all("all => all.map(one => one.dataset.count)"))


def middle(me: Person, selector: str) -> tuple[float, float]:
    box = me.page.locator(selector).first.bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_the_editor_places_pieces_by_drag(person: Callable[..., Person]) -> None:
    me = person(**DESK)
    me.page.goto(f"{me.url}/#/edit")
    me.page.wait_for_selector(".preview svg")
    assert in_sight(me, ".preview svg")

    def drag(source: str, target: tuple[float, float]) -> None:
        me.page.mouse.move(*middle(me, source))
        me.page.mouse.down()
        me.page.mouse.move(target[0] - 30, target[1] - 10, steps=3)
        me.page.mouse.move(*target)
        assert me.page.locator(".ghost").count() == 1
        me.page.mouse.up()
        assert me.page.locator(".ghost").count() == 0

    start = pieces(me, "kona", "warrior_2")
    drag(".preview .piece[data-place=box][data-piece-kind=warrior_2]", middle(me, ".preview .label[data-space=kona]"))
    me.page.wait_for_selector(f".preview .piece[data-place=kona][data-piece-kind=warrior_2][data-count='{start + 1}']")
    # In the sea it is the nearest space; in the box it is out of play.
    x, y = middle(me, ".preview .piece[data-place=hilo][data-piece-kind=canoe]")
    drag(".preview .piece[data-place=kona][data-piece-kind=canoe]", (x - 35, y + 12))
    me.page.wait_for_selector(".preview .piece[data-place=hilo][data-piece-kind=canoe][data-count='2']")
    drag(".preview .piece[data-place=hilo][data-piece-kind=warrior_2]", middle(me, ".preview .box[data-side=allied]"))
    me.page.wait_for_selector(".preview .piece[data-place=hilo][data-piece-kind=warrior_2]", state="detached")
    # What cannot be is drawn all the same, says why, and can be taken back.
    drag(".preview .piece[data-place=kona][data-piece-kind=kamehameha]", middle(me, ".preview .label[data-space=maui]"))
    me.page.wait_for_selector(".problem:has-text('both sides on Maui')")
    assert pieces(me, "maui", "kamehameha") == 1
    assert me.page.get_by_role("button", name="Start a game").is_disabled()
    me.page.get_by_role("button", name="Take back").click()
    me.page.wait_for_selector(".preview .piece[data-place=kona][data-piece-kind=kamehameha]")
    me.page.wait_for_selector("button.primary:not([disabled])")
    # The number boxes are the same position, and the way without a pointer.
    me.page.get_by_text("Numbers: how many").click()
    assert me.page.locator("#n-kamehameha-warrior_2-kona").input_value() == str(start + 1)
    assert me.page.locator("#n-kamehameha-canoe-hilo").input_value() == "2"


@pytest.mark.slow
def test_the_editor_places_pieces_by_tap(person: Callable[..., Person]) -> None:
    me = person(**PHONE)
    me.page.goto(f"{me.url}/#/edit")
    me.page.wait_for_selector(".preview svg")
    start = pieces(me, "hilo", "warrior_1")
    click(me, ".preview .piece[data-place=box][data-piece-kind=warrior_1]")
    me.page.wait_for_selector(".hand:has-text('Warriors of Hawaiʻi (1)')")
    for number in (1, 2):
        # It stays in hand: each tap moves one.
        click(me, ".preview path[data-space=hilo]")
        me.page.wait_for_selector(
            f".preview .piece[data-place=hilo][data-piece-kind=warrior_1][data-count='{start + number}']"
        )
    sizes = me.page.locator(".preview .piece").evaluate_all("all => all.map(one => one.getBoundingClientRect().width)")
    assert min(sizes) >= 24
    assert me.page.evaluate("() => document.documentElement.scrollWidth") <= 390


@pytest.mark.slow
def test_the_editor_places_pieces_by_a_finger_that_drags(person: Callable[..., Person]) -> None:
    me = person(**TABLET)
    me.page.goto(f"{me.url}/#/edit")
    me.page.wait_for_selector(".preview svg")
    for piece in ("[data-place=maui][data-piece-kind=maui_warrior]", "[data-place=kona][data-piece-kind=canoe]"):
        me.page.evaluate(
            "one => document.querySelector(one).scrollIntoView({block: 'nearest', inline: 'center'})",
            f".preview .piece{piece}",
        )
    end = middle(me, ".preview .piece[data-place=kona][data-piece-kind=canoe]")
    x, y = middle(me, ".preview .piece[data-place=maui][data-piece-kind=maui_warrior]")
    touch = me.context.new_cdp_session(me.page)

    def send(kind: str, *points: tuple[float, float]) -> None:
        told = [{"x": x, "y": y} for x, y in points]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": told})

    send("touchStart", (x, y))
    for step in range(1, 9):
        send("touchMove", (x + (end[0] - x) * step / 8, y + (end[1] - y) * step / 8))
        me.page.wait_for_timeout(30)
    send("touchEnd")
    # The map must not take the finger for one that moves the map.
    me.page.wait_for_selector(".preview .piece[data-place=kona][data-piece-kind=maui_warrior]")
