"""What the page is told of a game: the log with its headings, what is at hand in each moment, why nothing is taken
back, sketches.
"""

from __future__ import annotations

import random
import re
from typing import Any

import pytest

from hawaii_env import list_games, load_game
from hawaii_env.game import Chance
from hawaii_env.hawaii1795 import Game
from hawaii_env.hawaii1795.strings import HawaiiStrings
from hawaii_env.web.table import STRIDE, Table

from .conftest import Browser, Running

GAME = Game("short")
DATA: dict[str, Any] = {"seats": [{"kind": "human", "agent": None}] * 2, "dice": "hand", "start": None}


def table_after(seed: int, steps: int, game: Any = GAME) -> Table:
    """A game that went on at random."""
    seats = [{"kind": "human", "agent": None}] * game.num_players
    table, draw = Table(game, {**DATA, "seats": seats}), random.Random(seed)
    for _ in range(steps):
        if table.state.is_terminal:
            break
        if table.at_chance:
            table.apply_chance(draw.choice([outcome for outcome, _ in table.state.chance_outcomes()]), "me")
        else:
            table.play(draw.choice(table.state.legal_actions()), "me")
    return table


def lines(table: Table) -> list[dict[str, Any]]:
    return table.log.lines


@pytest.mark.parametrize("seed", range(3))
def test_the_log_is_the_same_whenever_it_is_read(seed: int) -> None:
    """At once, in pieces, and after something was taken back."""
    whole = table_after(seed, 160)
    told = list(lines(whole))
    assert [line["n"] for line in told] == list(range(1, len(whole.trace) + 1))
    by_steps = Table(GAME, dict(DATA))
    for step, event in enumerate(whole.events()):
        by_steps.feed(whole.events()[: step + 1] if not getattr(event[0], "forced", False) else [])
        if step % 7 == 0:
            lines(by_steps)
    assert lines(by_steps) == told
    # Undo, and on as before.
    again = Table(GAME, dict(DATA))
    again.feed(whole.events())
    lines(again)
    for _ in range(25):
        if again.undoable("me") is None:
            break
        again.undo("me")
        assert lines(again) == told[: len(again.trace)]
    again.feed(whole.events())
    assert lines(again) == told


@pytest.mark.parametrize("name", list_games())
def test_positions_are_made_again_and_few_are_kept(name: str) -> None:
    table = table_after(1, 60, load_game(name))
    told = list(lines(table))
    made = [table.before(number).to_json() for number in range(len(table.steps))]
    again = Table(table.game, dict(table.data))
    for number, step in enumerate(table.steps):
        again.feed(table.events()[: step.first])
        assert again.state.to_json() == made[number] == table.position(step.first).to_json()
    assert len(table._kept) <= len(table.steps) // STRIDE + 1 + STRIDE
    # What was taken back, and then what was done, cannot be stored.
    mark = table.mark()
    while table.undoable("me") is not None:
        table.undo("me")
    table.restore(mark)
    mark = table.mark()
    if not table.over:
        outcomes = table.state.chance_outcomes() if table.at_chance else ()
        table.apply_chance(outcomes[0][0]) if outcomes else table.play(table.state.legal_actions()[0])
    table.restore(mark)
    assert lines(table) == told
    assert [table.before(number).to_json() for number in range(len(table.steps))] == made


def test_a_fleet_move_is_one_line() -> None:
    told = lines(table_after(1, 400))
    assert {line["kind"] for line in told if line["partial"]} >= {"fleet", "pickup", "embark", "done"}
    sailed = [line["text"] for line in told if line["kind"] == "sail"]
    assert sailed and all(re.search(r": A fleet sails from .+ to \w+", text) for text in sailed)
    assert any(re.search(r" with \w+", text) for text in sailed)


def test_headings_of_months_halves_and_battles() -> None:
    told = lines(table_after(1, 400))
    chapters = [line["chapter"] for line in told if line["chapter"]]
    assert chapters[:4] == ["Set-up", "March", "April", "May"]
    halves = [line["heading"] for line in told if line["heading"]]
    assert re.fullmatch(r"March: Kamehameha, card \d .+", halves[1])
    assert re.fullmatch(r"March: Allies, card \d .+", halves[2])
    battles = [line["scene"] for line in told if line["scene"]]
    assert battles
    assert all(re.match(r"(Sea battle off|Invasion of|Overland attack on) ", battle) for battle in battles)
    # A die is somebody's, and lies in a battle where units fire.
    dice = [line for line in told if line["kind"] == "hit_die"]
    assert dice
    assert all(line["inside"] and line["whose"] in (0, 1) and 1 <= line["die"] <= 6 for line in dice)


@pytest.mark.parametrize("seed", range(3))
def test_the_table_shows_what_the_die_did(seed: int) -> None:
    """The cell that is marked after a die is the result of the engine, unless those that are hit ignore it."""
    table, seen = table_after(seed, 500), 0
    for n, event in enumerate(table.trace, 1):
        if not isinstance(event, Chance) or event.kind != "hit_die":
            continue
        state = table.position(n)
        if state.view().battle is None or n not in [step.first for step in table.steps]:
            continue
        note = HawaiiStrings(state.game).at_hand(state, table.trace[max(0, n - 40) : n], 0)["note"]
        (row,) = [row for row in note["table"]["rows"] if row["now"]]
        cell, text = row["cells"][note["table"]["at"]], lines(table)[n - 1]["text"]
        said = "lost" if "is lost" in text else "panic" if "panic" in text else "–"
        assert cell == said, text
        assert ("elite" in row["label"]) == ("elite" in firing(table, n)), text
        seen += 1
    assert seen > 10


def firing(table: Table, n: int) -> str:
    """The line of the unit whose die is the n-th event; a leader of the elite without that word never fires."""
    return next(line["text"] for line in reversed(lines(table)[:n]) if line["kind"] == "fire")


def test_why_nothing_is_taken_back(server: Running) -> None:
    me = server.browser()
    game = me.begin("me", "guest")
    assert me.state(game)["refused"]["undo"] == "Nothing decided yet"
    made = me.post("/api/games", {"seats": [{"kind": "me"}, {"kind": "guest"}]}, 201)
    guest = server.browser()
    guest.post("/api/join", {"invitation": made["invitations"]["allied"]})
    guest.act(made["id"], guest.my_turn(made["id"]))
    assert "undo" not in guest.state(made["id"])["refused"]
    assert me.state(made["id"])["refused"]["undo"] == "The other side has decided since"
    alone = server.browser()
    hand = alone.begin("me", "me", dice="hand", scenario="short")
    state = alone.my_turn(hand)
    while not state["chance"]:
        alone.act(hand, state)
        state = alone.my_turn(hand)
    assert state["chance"]["card"]
    alone.post(f"/api/games/{hand}/chance", {"version": state["version"], "outcome": None})
    assert alone.state(hand)["refused"]["undo"] == "A card was drawn since"


def test_dice_by_hand_say_whose_they_are() -> None:
    table, seen = Table(GAME, dict(DATA)), dict[str, set[str]]()
    for seed in range(3):
        table = table_after(seed, 300)
        for step in table.steps:
            if step.chance:
                before = table.position(step.first)
                told = HawaiiStrings(before.game).chance(before)
                seen.setdefault(told["kind"], set()).add(told["side"])
                whose = "Kamehameha’s" if told["side"] == "kamehameha" else "the Allies’"
                assert whose in told["help"]
                assert lines(table)[step.first]["whose"] == ("kamehameha", "allied").index(told["side"])
    # In a battle and at its beginning both sides roll; the defender looks out for a fleet.
    assert seen["advantage"] == seen["hit_die"] == {"kamehameha", "allied"}


def check(me: Browser, position: Any, status: int = 200) -> Any:
    return me.post("/api/positions", {"position": position, "sketch": True}, status)


def test_a_position_that_cannot_be_is_drawn(server: Running) -> None:
    me = server.browser()
    start = me.get("/api/setup")["starts"]["long"]
    fine = {key: start[key] for key in ("turn", "half", "phase", "units", "kauai")}
    assert check(me, fine)["problem"] is None
    units = {**fine["units"], "kamehameha": {"maui": ["royal_guard"], "kona": ["kamehameha"]}}
    found = check(me, {**fine, "units": units})
    assert "on Maui" in found["problem"]
    assert 'data-piece="royal_guard" data-place="maui"' in found["svg"]
    assert "This position cannot be yet" in found["svg"]
    # Without the word it is refused as ever.
    me.post("/api/positions", {"position": {**fine, "units": units}}, 422)


@pytest.mark.parametrize(
    "wrong",
    [
        {"units": 3}, {"units": {"kamehameha": 3}}, {"units": {"kamehameha": {"kona": 3}}},
        {"units": {"kamehameha": {"kona": [3, "<b>", "canoe/<b>"]}}},
        {"units": {"<b>": {"<b>": ["<b>"]}}}, {"dead": 3}, {"dead": [3, "x", "a:b", "kamehameha:<b>"]}, {"turn": 3},
        {"turn": "<b>"}, {"half": []},
        {"kauai": {}}, {"decider": "<b>"}, {"battle": {"kind": "<b>"}},
        {"units": {"kamehameha": {"kona": ["warrior_2" + "/fired" * 999]}}},
        {"units": {"allied": {"maui": ["maui_warrior"] * 3000}}},
    ],
)  # fmt: skip
def test_a_sketch_takes_anything_and_repeats_no_markup(server: Running, wrong: dict[str, Any]) -> None:
    me = server.browser()
    found = check(me, {"turn": "may", "half": "allied", "phase": "movement", "units": {}, **wrong})
    assert found["problem"]
    assert "<b>" not in found["svg"]
    assert len(found["svg"]) < 200_000
