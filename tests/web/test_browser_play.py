"""The page in a real browser: opponents by level, guidance and warnings, the people at a game, and its end. Needs what
`test_browser` needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hawaii_env import records
from hawaii_env.hawaii1795.spec import SPEC

from .conftest import AGENT, Running
from .test_browser import Person, violations

pytestmark = [pytest.mark.browser, pytest.mark.slow]

DANGER = {
    "turn": "june", "half": "kamehameha", "phase": "movement", "fleet_moves": 3,
    "units": {
        "kamehameha": {"kona": ["kamehameha", "warrior_2", "warrior_2", "canoe", "canoe"], "hilo": ["warrior_1"]},
        "allied": {"maui": ["maui_warrior"], "waikiki": ["kalani", "oahu_warrior", "oahu_warrior", "oahu_canoe"]},
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def server(serve: Callable[..., Any]) -> Iterator[Running]:
    with serve(values=("playouts:games=2",)) as made:
        yield made


def resign(me: Person) -> None:
    me.page.get_by_text("Menu").click()
    me.page.locator("button.resign").first.click()
    me.page.locator("dialog .yes").click()
    me.page.wait_for_selector(".rematch")


def test_a_level_is_chosen_by_its_name(person: Callable[..., Person]) -> None:
    me = person()
    me.page.goto(me.url)
    me.page.wait_for_selector("#new-game")
    # A gentle one is the default, and no name of an agent is to be seen.
    assert me.page.locator("input[name=level]:checked").get_attribute("value") == str(SPEC.level)
    levels = me.page.locator("fieldset.levels label").all_inner_texts()
    assert [text.split() for text in levels] == [[str(level.number), level.name] for level in SPEC.levels]
    assert "rule-of-thumb" not in me.page.locator("form").first.inner_text()
    me.page.check("#level-4")
    assert "odds" in me.page.locator(".level-about").inner_text()
    me.page.check("#side-allied")
    me.page.check("#scenario-short")
    me.page.get_by_role("button", name="Begin").click()
    me.page.wait_for_selector(".players li:has-text('Hard')")
    assert me.page.locator(".players li.kamehameha .who").get_attribute("title") == "Hard (level 4)"
    assert me.ready()
    # It is remembered; and “More” has every agent.
    me.page.goto(me.url)
    me.page.wait_for_selector("#new-game")
    assert me.page.locator("#level-4").is_checked()
    assert me.page.locator("#side-allied").is_checked()
    me.page.check("#opponent-more")
    assert me.page.locator("select[name=allied]").first.locator(f"option[value='agent {AGENT}']").count() == 1


def test_the_first_game_has_guidance(person: Callable[..., Person]) -> None:
    me = person(guided=True)
    me.page.goto(me.url)
    me.page.wait_for_selector("#new-game")
    me.page.check("#level-1")
    me.page.get_by_role("button", name="Begin").click()
    told = me.page.locator("dialog")
    told.wait_for()
    assert "How to win" in told.inner_text() and "Kona" in told.inner_text()
    # Five steps that point at what they speak of.
    told.locator(".yes").click()
    for step in range(1, 6):
        me.page.wait_for_selector(f".tour:has-text('{step} of 5')")
        assert me.page.locator(".toured").count() == 1
        # A choice leads on as well.
        me.page.locator(".decision .choice" if step == 2 else ".tour .primary").first.click()
    assert me.page.locator(".tour, .toured").count() == 0
    me.page.wait_for_selector(".guide li")
    for text in ("You win", "They win", "Your chief", "Kona and Hilo: held.", "Kamehameha is at Kona"):
        assert text in me.page.locator(".guide").inner_text()
    # A number opens what the rules say there.
    me.page.locator(".guide .ref:text-is('[5.1]')").first.click()
    assert "A side occupies a space" in told.inner_text()
    told.locator("button").last.click()
    # It is said once; closed it stays closed, and the next game is without.
    me.page.reload()
    assert me.ready()
    me.page.wait_for_selector(".guide li")
    assert me.page.locator("dialog").count() == 0
    me.page.wait_for_timeout(200)
    me.page.get_by_text("What matters now").click()
    me.page.reload()
    assert me.ready()
    assert me.page.locator(".guide").get_attribute("open") is None


def aboard(me: Person) -> Person:
    """Have Kamehameha in a canoe, and be warned of dangers."""
    me.context.add_init_script("localStorage.setItem('hawaii.warn', 'on')")
    me.play("me", AGENT, position=DANGER)
    assert me.ready()
    for text in ("fleet kona", "pickup kona", "embark kamehameha"):
        me.choose(text)
    assert me.ready()
    return me


def test_guidance_ends_with_the_first_game(person: Callable[..., Person]) -> None:
    me = person(guided=True).play("me", AGENT, position=DANGER)
    me.page.locator("dialog .no").click()
    resign(me)
    assert me.page.locator(".guide").is_hidden()
    me.page.get_by_role("link", name="New game").click()
    me.page.wait_for_selector("#new-game")
    assert not me.page.locator("#guide").is_checked()


@pytest.mark.parametrize("answer", ["no", "yes"])
def test_a_chief_at_stake_is_asked_about(person: Callable[..., Person], answer: str) -> None:
    me = aboard(person())
    if me.page.locator(".choice[data-text^='sail']").count() == 0:
        me.choose("done")
        assert me.ready()
    before = me.events()
    # What is no danger is not asked about; what is, is, with the odds.
    me.page.locator(".choice[data-text='sail waikiki']").click()
    dialog = me.page.locator("dialog")
    dialog.wait_for()
    assert "Kamehameha attacks Waikīkī" in dialog.inner_text()
    assert "%" in dialog.inner_text()
    assert dialog.locator(".no").evaluate("button => button === document.activeElement")
    if answer == "no":
        me.page.keyboard.press("Escape")
        dialog.wait_for(state="detached")
        assert me.events() == before
        me.choose("sail molokai")
    else:
        dialog.locator(".yes").click()
        me.page.wait_for_selector(".log li:has-text('to Waikīkī')")


def test_a_choice_is_asked_about_once_and_answers_its_own_position(person: Callable[..., Person]) -> None:
    me = aboard(person())

    def late(route: Any) -> None:
        me.page.wait_for_timeout(700)
        route.continue_()

    me.page.route("**/advice*", late)
    if me.page.locator(".choice[data-text^='sail']").count() == 0:
        me.choose("done")
    else:
        me.page.reload()
    me.page.locator(".choice[data-text='sail waikiki']").dblclick()
    dialog = me.page.locator("dialog")
    dialog.first.wait_for()
    me.page.wait_for_timeout(300)
    assert dialog.count() == 1
    # Meanwhile the position changes, as in another tab: what was asked about is not sent into another one.
    me.page.unroute("**/advice*")
    me.page.evaluate(
        """async () => {
            const game = '/api/games/' + location.hash.split('/')[2];
            const {version} = await (await fetch(game)).json();
            const headers = {'Content-Type': 'application/json'};
            await fetch(game + '/undo', {method: 'POST', headers, body: JSON.stringify({version})});
        }"""
    )
    me.page.wait_for_function("() => !document.querySelector(\".choice[data-text^='sail']\")")
    answers: list[tuple[Any, int]] = []
    me.page.on(
        "response",
        lambda answer: "/actions" in answer.url and answers.append((answer.request.post_data_json, answer.status)),
    )
    version = me.page.evaluate(
        "async () => (await (await fetch('/api/games/' + location.hash.split('/')[2])).json()).version"
    )
    dialog.locator(".yes").click()
    me.page.wait_for_selector("#toast:has-text('has changed since')")
    assert answers[0][0]["version"] < version
    assert answers[0][1] == 409


def test_a_turn_is_taken_back_at_once(person: Callable[..., Person]) -> None:
    me = person().play("me", AGENT, position=DANGER)
    assert me.ready()
    before = me.texts()
    me.choose("march warrior_2 kona hilo")
    assert me.ready()
    assert me.page.locator(".undo-turn").count() == 0
    me.choose("march warrior_1 hilo kona")
    assert me.ready()
    me.page.locator(".undo-turn").click()
    me.page.wait_for_function("() => document.querySelector('.controls input[type=range]').max === '0'")
    assert me.ready()
    assert me.texts() == before


def test_two_people_from_the_first_word_to_the_rematch(person: Callable[..., Person], tmp_path: Path) -> None:
    host, guest = person(), person()
    host.page.goto(host.url)
    host.page.wait_for_selector("#new-game")
    host.page.check("#opponent-friend")
    host.page.get_by_label("My name").fill("<i>Keoni</i>")
    host.page.check("#scenario-short")
    host.page.get_by_role("button", name="Begin").click()
    link = host.page.get_by_label("Invitation link").input_value()
    guest.page.goto(link)
    guest.page.wait_for_selector(".players li:has-text('<i>Keoni</i>')")
    guest.page.get_by_text("Menu").click()
    guest.page.get_by_label("My name").fill("Māhealani")
    guest.page.get_by_role("button", name="Set name").click()
    host.page.wait_for_selector(".players li:has-text('Māhealani')")
    # The title tells whose turn it is.
    assert host.ready()
    assert host.page.title().startswith("● Your turn")
    assert not guest.page.title().startswith("●")
    # A draw is declined by playing on, then agreed.
    guest.page.get_by_role("button", name="Offer a draw").click()
    host.page.wait_for_selector(".notice:has-text('Māhealani offers a draw')")
    assert host.page.title().startswith("A draw is offered")
    host.choose("place")
    guest.page.wait_for_selector("button.offer")
    assert host.page.locator(".notice").inner_text() == ""
    guest.page.get_by_role("button", name="Offer a draw").click()
    host.page.get_by_role("button", name="Accept the draw").click()
    for one in (host, guest):
        one.page.wait_for_selector("#question:has-text('A draw, as you agreed')")
        assert one.page.title().startswith("The game is over")
    with host.page.expect_download() as got:
        host.page.get_by_role("button", name="Download the record").click()
    path = tmp_path / "game.jsonl"
    got.value.save_as(path)
    found = records.verify(path)
    assert found.record.agreement == records.Agreement("draw", None, 2)
    assert found.record.header["players"] == ["<i>Keoni</i>", "Māhealani"]
    # Again, with the sides changed; the other finds it.
    host.page.get_by_role("button", name="Rematch, other side").click()
    host.page.wait_for_selector(".players li.allied:has-text('(you)')")
    guest.page.locator(".next a").click()
    guest.page.wait_for_selector(".players li.kamehameha:has-text('Māhealani (you)')")


def test_the_end_has_a_curve_that_leads_anywhere(person: Callable[..., Person], tmp_path: Path) -> None:
    me = person()
    me.begin(f"agent {AGENT}", "agent random", scenario="short")
    me.page.wait_for_selector(".curve polyline")
    assert violations(me.page) == []
    label = me.page.locator(".curve").get_attribute("aria-label")
    assert label is not None
    assert label.startswith("Curve of Kamehameha’s chances: ")
    assert "The game is over." in me.page.locator(".decision").inner_text()
    end = me.events()
    box = me.page.locator(".curve").bounding_box()
    me.page.mouse.click(box["x"] + box["width"] * 0.5, box["y"] + box["height"] / 2)
    me.page.wait_for_function(
        "end => Number(document.querySelector('.controls input[type=range]').value) < end * .7", arg=end
    )
    me.page.wait_for_selector("#question:has-text('Looking back')")
    # The replay opens without script errors, for somebody who has nothing but its address.
    address = me.page.locator("a.replay").get_attribute("href")
    other = person()
    other.page.goto(f"{other.url}{address}")
    other.page.wait_for_selector("svg")
    assert other.page.title() == "Hawaii, 1795: Short"
    with me.page.expect_download() as got:
        me.page.get_by_role("button", name="Download the replay").click()
    path = tmp_path / "game.html"
    got.value.save_as(path)
    assert "<svg" in path.read_text(encoding="utf-8") or path.stat().st_size > 50_000


def test_when_the_other_has_gone(browser: Any, serve: Callable[..., Any]) -> None:
    with serve(absent=1.0) as made:
        contexts = [browser.new_context(viewport={"width": 1280, "height": 900}) for _ in range(2)]
        host, guest = (Person(context, made.url, "instant") for context in contexts)
        host.begin("me", "guest")
        guest.page.goto(host.page.get_by_label("Invitation link").input_value())
        guest.page.wait_for_selector(".decision .choice")
        address = guest.page.url
        guest.page.goto("about:blank")
        host.page.wait_for_selector(".notice:has-text('has left')")
        host.page.get_by_label("Who plays for them").select_option(label="level 1, Beginner")
        host.page.get_by_role("button", name="Let the computer play").click()
        host.page.wait_for_selector(".players li:has-text('Beginner, for the guest')")
        assert host.ready()
        guest.page.goto(address)
        guest.page.get_by_role("button", name="Take my seat back").click()
        host.page.wait_for_selector(".players li.allied .who:text-is('guest')")
        for one in (host, guest):
            one.page.goto("about:blank")
            assert one.errors == []
        for context in contexts:
            context.close()


def test_a_sound_only_where_one_wants_it(person: Callable[..., Person]) -> None:
    me = person()
    me.context.add_init_script(
        """
        window.tones = 0;
        const make = AudioContext.prototype.createOscillator;
        AudioContext.prototype.createOscillator = function () { window.tones += 1; return make.call(this); };
        """
    )
    me.begin()
    assert me.ready()
    me.choose("recruit")
    me.ready()
    assert me.page.evaluate("() => window.tones") == 0
    me.page.get_by_text("Menu").click()
    me.page.get_by_label("A sound when it is my turn").check()
    assert me.page.evaluate("() => window.tones") == 2
    resign_button = me.page.locator("button.resign")
    resign_button.click()
    me.page.locator("dialog .yes").click()
    me.page.wait_for_function("() => window.tones === 4")
