"""The map in a real browser, with the largest board: pieces taken up by a click or dragged, stacks, boats in three
clicks, what stands beside the map, keys. Needs what `test_browser` needs.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from waiting import until

from hawaii_env import load_game
from hawaii_env.game import State

from .conftest import Running
from .test_browser import Person

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def server(serve: Callable[..., Any]) -> Iterator[Running]:
    with serve(game="maori_wars") as made:
        yield made


def at_the_move(me: Person, side: str, scenario: str = "taranaki") -> Person:
    """Begin a game at one screen, and pass until a side moves."""
    me.page.goto(me.url)
    me.page.wait_for_selector("#new-game")
    game = me.page.evaluate(
        """async ([scenario, side]) => {
            const post = async (path, body) => (await fetch('/api/' + path, {
                method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(body)
            })).json();
            const {id} = await post('games', {scenario, seats: [{kind: 'me'}, {kind: 'me'}]});
            for (;;) {
                const {version, status, player, actions} = await (await fetch('/api/games/' + id)).json();
                if (status.phase === 'move' && player === side) return id;
                const last = actions.find(one => ['pass', 'done'].includes(one.text)) ?? actions[0];
                await post(`games/${id}/actions`, {version, action: last.action});
            }
        }""",
        [scenario, {"maori": 0, "british": 1}[side]],
    )
    me.page.goto(f"{me.url}/#/game/{game}")
    assert me.ready()
    return me


def middle(me: Person, selector: str) -> tuple[float, float]:
    # The picture may be drawn anew just then.
    box = until(lambda: me.page.locator(selector).first.bounding_box())
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def question(me: Person, text: str) -> None:
    me.page.wait_for_selector(f"#question:has-text('{text}')")


WARRIOR = ".map .piece[data-place='0835'][data-piece='warrior']"


def test_a_piece_is_taken_up_let_go_and_dragged(person: Callable[..., Person]) -> None:
    me = at_the_move(person(), "maori")
    before = me.events()
    me.page.locator(WARRIOR).click()
    question(me, "Where does it go?")
    marks = me.page.locator(".map .marks text").evaluate_all("all => all.map(one => one.textContent)")
    assert len(marks) == me.page.locator(".decision .choice").count() and set(marks) <= set("01234")
    me.page.keyboard.press("Escape")
    question(me, "Who moves?")
    for to, said in (((30.0, 600.0), "cannot go"), (middle(me, ".map path[data-space='0936']"), None)):
        me.page.mouse.move(*middle(me, WARRIOR))
        me.page.mouse.down()
        me.page.mouse.move(to[0] - 5, to[1], steps=4)
        me.page.wait_for_selector(".map .marks text")
        assert me.page.locator(".ghost").count() == 1
        me.page.mouse.move(*to)
        me.page.mouse.up()
        if said is not None:
            me.page.wait_for_selector(f"#toast:has-text('{said}')")
            assert me.events() == before
    me.page.wait_for_selector(".log li:has-text('marches from Warea to Ōpunakē')")
    assert me.page.locator(".ghost").count() == 0


COVERED = """() => {
    const boxes = selector => [...document.querySelectorAll(selector)].map(one => one.getBoundingClientRect());
    const names = boxes('.map .place-name');
    return boxes('.map .marks rect').map(mark => Math.max(0, ...names.map(name =>
        Math.max(0, Math.min(mark.right, name.right) - Math.max(mark.left, name.left)) *
        Math.max(0, Math.min(mark.bottom, name.bottom) - Math.max(mark.top, name.top)) / mark.width / mark.height)));
}"""
"""How much of each mark of a goal covers a name."""


@pytest.mark.parametrize("scenario", ["flagstaff", "taranaki", "waikato"])
def test_marks_of_goals_cover_no_name(scenario: str, person: Callable[..., Person]) -> None:
    me, seen = at_the_move(person(), "british", scenario), 0
    spaces = me.page.locator(".map path.space[data-actions]")
    spaces.first.wait_for(state="attached")
    for n in range(min(spaces.count(), 4)):
        spaces.nth(n).dispatch_event("click")
        question(me, "Where does it go?")
        me.page.wait_for_selector(".map .marks text", state="attached")
        covered = me.page.evaluate(COVERED)
        assert max(covered) <= 0.25
        seen += len(covered)
        me.page.keyboard.press("Escape")
        question(me, "Who moves?")
    assert seen >= 8


def test_what_cannot_be_done_says_why_by_rule(person: Callable[..., Person]) -> None:
    me = at_the_move(person(), "maori")
    before = me.events()
    me.page.locator(".map .piece[data-place='1033'][data-piece='infantry']").click(position={"x": 6, "y": 14})
    me.page.wait_for_selector("#toast:has-text('2 infantry: Māori decide now')")
    for goal, why in (("1430", "that way costs"), ("1033", "enemy units hold it")):
        me.page.locator(WARRIOR).click()
        question(me, "Where does it go?")
        me.page.mouse.click(*middle(me, f".map path[data-space='{goal}']"))
        me.page.wait_for_selector(f"#toast:has-text('cannot go to'):has-text('{why}'):has-text('It can go to')")
    assert me.events() == before


def test_a_finger_drags_a_piece(person: Callable[..., Person]) -> None:
    me = at_the_move(person(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True), "maori")
    finger = me.context.new_cdp_session(me.page)
    piece = me.page.locator(WARRIOR)
    piece.scroll_into_view_if_needed()

    def touch(kind: str, *points: tuple[float, float]) -> None:
        at = [{"x": x, "y": y} for x, y in points]
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": at})

    from_, to = middle(me, WARRIOR), middle(me, ".map path[data-space='0936']")
    touch("touchStart", from_)
    for part in (0.2, 0.5, 0.8, 1.0):
        touch("touchMove", (from_[0] + (to[0] - from_[0]) * part, from_[1] + (to[1] - from_[1]) * part))
        me.page.wait_for_selector(".ghost")
    me.page.wait_for_selector(".map .marks text")
    touch("touchEnd")
    me.page.wait_for_selector(".log li:has-text('marches from Warea to Ōpunakē')", state="attached")


def raid_ahead() -> tuple[dict[str, Any], list[str]]:
    """Return a position of random play before a raid that others may join, and the words that lead to its side."""
    game = load_game("maori_wars", scenario="taranaki")

    def way(state: State, *verbs: str) -> list[str] | None:
        if not verbs:
            joined = state.phase == "raid_side" and after(state, state.legal_actions()[0]).phase == "raid_more"
            return [] if joined else None
        for action in state.legal_actions():
            verb, _, word = game.action_text(action).partition(" ")
            if verb == verbs[0] and (rest := way(after(state, action), *verbs[1:])) is not None:
                return [word, *rest]
        return None

    def after(state: State, action: int) -> State:
        ahead = state.clone()
        ahead.apply(action)
        return ahead

    for seed in range(50):
        state, pick = game.initial_state(seed=seed), random.Random(seed)
        while not state.is_terminal:
            if state.phase == "bush_move" and (words := way(state, "territory", "unit", "target")):
                return state.view().to_dict(), words
            state.apply(pick.choice(state.legal_actions()))
    raise AssertionError("no raid in fifty games")


def test_a_raid_out_of_the_bush_by_mouse(person: Callable[..., Person]) -> None:
    """Territory, piece and target are clicked, the side, and the target again, where the raid begins."""
    position, (territory, unit, target) = raid_ahead()
    me = person().play("me", "me", position=position, scenario="taranaki")
    question(me, "Who goes into the bush")
    me.page.locator(f".beside path[data-space='{territory}']").click()
    question(me, "Which piece acts?")
    me.page.locator(f".beside .piece[data-place='{territory}'][data-piece='{unit}']").first.click()
    question(me, "What does it do?")
    me.page.mouse.click(*middle(me, f".map path[data-space='{target}']"))
    question(me, "Where does it come out")
    me.page.locator(".map path.space.legal").first.click()
    me.page.locator(".choice-here:has-text('To ')").click()
    question(me, "Who else raids?")
    me.page.mouse.click(*middle(me, f".map path[data-space='{target}']"))
    me.page.locator(".choice-here:has-text('Raid')").click()
    me.page.wait_for_selector("#question:not(:has-text('Who else raids?'))")
    me.page.wait_for_selector(".log li:has-text('raid')", state="attached")


def test_a_stack_and_a_boat_in_three_clicks(person: Callable[..., Person]) -> None:
    me = at_the_move(person(), "british")
    x, y = middle(me, ".map path[data-space='0935']")
    me.page.mouse.click(x - 20, y + 2)  # the hex, beside its pieces: all of them
    question(me, "Where does it go?")
    me.page.locator(".map path[data-space='0936']").click()
    me.page.wait_for_selector(".log li:has-text('all march from Kaitake to Ōpunakē')")
    assert me.ready()
    me.page.locator(".map .piece[data-place='1033'][data-piece='gunboat']").click()
    question(me, "Who goes aboard")
    before = me.events()
    me.page.locator(".map .piece[data-place='1033'][data-piece='infantry']").click(position={"x": 6, "y": 14})
    me.page.wait_for_selector(".decision .undo:has-text('Back')")
    assert me.events() == before
    me.page.locator(".map path[data-space='1338']").click()
    me.page.wait_for_selector(".log li:has-text('sails from New Plymouth to')")
    me.page.wait_for_selector(".map .piece[data-place='1338'][data-piece='infantry']")


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (1000, 800), (844, 390), (390, 844)])
def test_the_board_can_be_read(person: Callable[..., Person], width: int, height: int) -> None:
    """No name under 12 pixels, and the tracks beside the map or a press away."""
    me = at_the_move(person(viewport={"width": width, "height": height}), "maori")
    sizes = """selector => [...document.querySelectorAll(selector)].map(
        one => parseFloat(one.getAttribute('font-size')) * one.getScreenCTM().a)"""
    assert min(me.page.evaluate(sizes, ".map :not(.hex-numbers) > text")) >= 11
    assert min(me.page.evaluate(sizes, ".map .place-name")) > 11.95
    if width <= 1100:
        me.page.locator(".open-beside").click()
    assert me.page.locator(".map-box > .beside").is_visible()
    assert min(me.page.evaluate(sizes, ".beside text")) > 11.95


def test_the_map_by_keys(person: Callable[..., Person]) -> None:
    me = at_the_move(person(), "maori")
    me.page.locator(".map").focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowLeft", "ArrowUp"):
        me.page.keyboard.press(key)
    assert me.page.locator(".map path.pointed").count() == 1
    me.page.keyboard.press("Enter")
    question(me, "Where does it go?")
    # From anywhere on the page.
    me.page.locator("#question").focus()
    me.page.keyboard.press("Escape")
    question(me, "Who moves?")


def test_keys_and_clicks_before_an_answer_is_drawn_count(person: Callable[..., Person]) -> None:
    me = at_the_move(person(), "maori")
    held: list[Any] = []
    pictures: list[Any] = []
    me.page.route("**/ahead", lambda route: held.append(route))
    x, y = middle(me, WARRIOR)
    for let_go in (True, False):
        with me.page.expect_request("**/ahead"):
            me.page.mouse.click(x, y)
        if let_go:
            me.page.keyboard.press("Escape")
        else:
            me.page.mouse.click(*middle(me, ".map path[data-space='0936']"))
            me.page.route("**/moments/*", lambda route: pictures.append(route))
        with me.page.expect_response("**/ahead"):
            until(lambda: held or me.page.wait_for_timeout(20))
            held.pop().continue_()
        if let_go:
            me.page.wait_for_function("() => !document.querySelector('.decision').hasAttribute('aria-busy')")
            me.page.wait_for_timeout(100)
            assert me.page.locator("#question").inner_text().endswith("Who moves?")
    # What was begun is gone with the answer, though the picture of what follows comes later.
    until(lambda: pictures or me.page.wait_for_timeout(20))
    me.page.wait_for_function("() => !document.querySelector('.decision').hasAttribute('aria-busy')")
    assert me.page.locator(".decision .undo:has-text('Back')").count() == 0
    me.page.unroute("**/moments/*")
    for route in pictures:
        route.continue_()
    me.page.wait_for_selector(".log li:has-text('marches from Warea to Ōpunakē')")
