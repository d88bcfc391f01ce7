"""How the game is shown: board, text log, picture, narration, replay page; and its agents."""

from __future__ import annotations

import base64
import json
import random
import re
import zlib
from pathlib import Path
from xml.etree import ElementTree

import pytest
from moves import play

import hawaii_env
from hawaii_env import records
from hawaii_env.game import SPECTATOR, Decision, Event
from hawaii_env.heiau import Game, State
from hawaii_env.heiau.adjudicator import BOARD, BUNCH, MOVE, Order, Unit, adjudicate
from hawaii_env.heiau.pictures.names import named
from hawaii_env.heiau.texts import order_text, parse_order
from hawaii_env.narration import narration_of, steps
from hawaii_env.render.picture import render_svg
from hawaii_env.render.text import render_text, text_log
from hawaii_env.replay.page import replay_page

from .helpers import position


def middle(scenario: str, decisions: int, seed: int = 1) -> State:
    """A position some decisions into a random game."""
    state = Game(scenario=scenario).initial_state(seed=seed, trace=True)
    choose = random.Random(seed)
    for _ in range(decisions):
        state.apply(choose.choice(state.legal_actions()))
    return state


@pytest.mark.parametrize("scenario", ["race", "clans", "two_haoles"])
def test_the_board_shows_everything_public(scenario: str) -> None:
    """Every unit, owner and last order stands on it, in lines of 120 columns."""
    state = middle(scenario, 90)
    view = state.view(SPECTATOR)
    text = render_text(state, SPECTATOR)
    assert max(map(len, text.split("\n"))) <= 120
    flat = " ".join(text.split())
    rules = state.game.ruleset
    for one in view.last:
        assert named(rules, one["order"]) in flat
    for space in view.owners:
        name = named(rules, space)
        assert f"{name}*[" in flat or f"{name}+[" in flat


def test_the_picture_shows_units_orders_and_owners() -> None:
    """It is well-formed, and another where a unit, an owner or a last order is another."""
    still = position("race", {"sunrise": ["A puna"], "sunset": ["B kaiwi"]})
    moved = position("race", {"sunrise": ["A puna"], "sunset": ["B kalohi"]})
    owned = position("race", {"sunrise": ["A puna"], "sunset": ["B kaiwi"]}, owners={"hilo": "sunset"})
    after = play(position("race", {"sunrise": ["A puna"], "sunset": ["B kaiwi"]}), "move hilo", "hold")
    drawn = [render_svg(state, player=SPECTATOR) for state in (still, moved, owned, after)]
    assert len(set(drawn)) == 4
    for svg in drawn:
        root = ElementTree.fromstring(svg)
        told = {"".join(text.itertext()) for text in root.iter("{http://www.w3.org/2000/svg}text")}
        assert {"Kahoʻolawe", "North Pacific Ocean", "Sunrise", "Heiau Diplomacy: Race"} <= told
    assert "data-actions" in render_svg(still, legal=True) and "data-actions" not in drawn[0]


@pytest.mark.parametrize("scenario", ["triangle", "haole"])
def test_games_are_narrated(scenario: str) -> None:
    """By the narrator in whole orders, by the narration in a line an event, with years."""
    game = Game(scenario=scenario, last_year=2)
    start = game.initial_state(seed=4, trace=True)
    choose = random.Random(7)
    while not start.is_terminal:
        start.apply(choose.choice(start.legal_actions()))
    events = list(start.trace or [])
    pairs = list(_follow(game, events))
    log = text_log(game)
    lines = [*log.feed(pairs), *log.end(start)]
    text = "\n".join(lines)
    assert "Spring 1:" in text and "Fall 2:" in text and "[R-23]" in text
    assert all(report["order"].split()[0] in "ABF" for report in start.view(SPECTATOR).last)
    narration = narration_of(game)
    told = [line for group in steps(pairs, game.initial_state(seed=4)) for line in narration.narrate(*group)]
    assert len(told) == len(events)
    assert [line.chapter for line in told if line.chapter] == ["Year 1", "Year 2"]
    revealed = [line for line in told if line.results]
    assert len(revealed) == 4 and all(len(line.results) > 1 for line in revealed)
    # Each order that was told has its result, and no other line.
    results = {n - back for n, line in enumerate(told) for back, text in line.results if text.startswith(" – ")}
    orders = [n for n, event in enumerate(events) if isinstance(event, Decision) and (event.turn or 0) % 5 in (3, 0)]
    assert results == {n for n in orders if not told[n].partial}
    # A removal that is forced in the step of the last order is told as one.
    removals = [line.text for line, event in zip(told, events, strict=True) if event.text.startswith("remove")]
    assert all(text.endswith("is removed") for text in removals) and (removals or scenario == "triangle")


def _follow(game: Game, events: list[Event]) -> list[tuple[Event, State]]:
    """Events with the positions that followed them."""
    state = game.initial_state(seed=4, trace=True)
    pairs: list[tuple[Event, State]] = []
    for event in events:
        if isinstance(event, Decision) and not event.forced:
            state.apply(event.action)
        pairs.append((event, state.clone()))
    return pairs


def test_orders_are_written_and_read() -> None:
    """Every order that a unit can be given comes back from its text."""
    state = middle("discovery", 60)
    from hawaii_env.heiau.adjudicator import PossibleOrders

    units = state.record.units
    sight = PossibleOrders(BOARD, units, ~BOARD.heiaus, frozenset({5}))
    for space, unit in units.items():
        for order in sight.listed(space):
            source = units[order.source].kind if order.source >= 0 else -1
            text = order_text(BOARD, unit, order, source)
            assert parse_order(BOARD, text, unit.power) == (unit, order, source), text


def test_the_adjudicator_stands_alone() -> None:
    """The example of the documentation."""
    at = BOARD.index
    units = {at["kahului"]: Unit(BUNCH, 0, BOARD.place_index["kahului"])}
    found = adjudicate(BOARD, units, {at["kahului"]: Order(MOVE, -1, BOARD.place_index["honuaula"])})
    assert found.burned == {at["kahului"]} and list(found.units) == [at["honuaula"]]


@pytest.mark.parametrize("scenario", ["duel", "two_haoles"])
def test_the_replay_page(scenario: str, tmp_path: Path) -> None:
    """The exported page stands alone, tells every year, and shows who has how many heiaus by year."""
    path, page = tmp_path / "game.jsonl", tmp_path / "game.html"
    hawaii_env.play(Game(scenario=scenario, last_year=2), "heiau-greedy", seed=3, record=path)
    assert records.verify(path).outcome is not None
    replay_page(path, page, value="none")
    text = page.read_text(encoding="utf-8")
    assert "default-src 'none'" in text and "https://" not in text  # nothing is fetched
    packed = re.search(r'id="data">([A-Za-z0-9+/=]+)</script>', text)
    assert packed is not None
    data = json.loads(zlib.decompress(base64.b64decode(packed[1])))
    assert [name for _, name in data["chapters"]][-1] == "Year 2"
    (heiaus,) = (one for one in data["values"] if one.get("unit") == "heiaus")
    assert all(len(point) == 1 + len(data["sides"]) for point in heiaus["points"])
    assert max(heiaus["points"][-1][1:]) >= 1
