"""ALOHA on the page: words, guide, levels; and its replay page with the chart of points."""

from __future__ import annotations

import base64
import json
import re
import zlib
from pathlib import Path
from typing import Any

import pytest
from moves import play, walk

import hawaii_env
from hawaii_env.aloha.guide import AlohaGuide
from hawaii_env.aloha.strings import AlohaStrings
from hawaii_env.game import CHANCE, State
from hawaii_env.render.text import text_log
from hawaii_env.replay import replay_page

from .helpers import chapter, game


def words_at(state: State) -> tuple[AlohaStrings, dict[str, Any]]:
    words = AlohaStrings(state.game)
    return words, words.status(state, state.current_player)


def test_choices_say_what_they_do() -> None:
    """With amounts, tokens and cards."""
    state = chapter()
    found = {one["text"]: f"{one['group']} {one['label']}" for one in AlohaStrings(state.game).actions(state, 0)}
    assert found["take oahu"] == "Take what the island gives Oʻahu: 1 Commerce"
    assert found["migrate oahu maui"] == "Migrate from Oʻahu (10) to Maui"
    assert "4. The Thaddeus, 1820: receives 3 Aloha on Oʻahu" in found.values()
    _, status = words_at(play(state, "migrate oahu maui"))
    assert status["question"] == "How many go from Oʻahu to Maui?"


def test_what_chance_brings_is_asked() -> None:
    """By hand: who begins, each die with whose it is, each card."""
    state = game(3).initial_state(chance="explicit")
    words = AlohaStrings(state.game)
    assert [one["label"] for one in words.chance(state)["outcomes"]] == ["Red", "Yellow", "Green"]
    rolling = chapter("chapter_1", "die", dice={"left": [0, 3], "totals": [7, 0]}).explicit()
    told = words_at(rolling)[0].chance(rolling)
    assert (told["side"], told["question"], told["card"]) == ("yellow", "Yellow: what does the die show?", False)
    note = words_at(rolling)[0].at_hand(rolling, (), 0)["note"]
    assert note["table"]["columns"] == ["Red", "Yellow"] and note["table"]["rows"][2]["cells"] == ["7", "0"]
    drawing, dice = game(2).initial_state(chance="explicit"), iter((6, 6, 1, 1, 1, 1))
    while drawing.phase != "event":
        if drawing.phase == "die":
            drawing.apply_chance(next(dice))
        elif drawing.current_player == CHANCE:
            drawing.apply_chance(0)
        else:
            drawing.apply(drawing.legal_actions()[0])
    told = words_at(drawing)[0].chance(drawing)
    assert told["card"] and {"outcome", "label", "card"} == set(told["outcomes"][0])


def test_the_guide_says_where_one_stands() -> None:
    """Ahead, level, behind; the votes; who was elected."""
    state = chapter(red={"commerce": 7, "tokens": [0, 10, 0, 0, 0]})
    sections = {one["title"]: one["lines"] for one in AlohaGuide(state.game).advice(state, 0)["sections"]}
    points = sections["The points of this stage"]
    assert {"text": "Commerce: you lead with 7 against 0 (Yellow).", "mark": "done"} in points
    assert any(line["text"].startswith("Hawaiian: you have 10, Yellow has") for line in points)
    assert "third die for Kamehameha III" in sections["Paulet Affair"][0]["text"]
    ended = chapter("epilogue", "over", red={"points": 9, "cards": ["epilogue monarch"], "vote": 3})
    # Three monarchs of two votes each, and three Home Rule tokens.
    assert AlohaGuide(ended.game).why(ended) == "Red was elected Governor (votes: Red 9, Yellow 0)."


@pytest.mark.slow
def test_the_replay_page_has_a_chart_of_points(tmp_path: Path) -> None:
    """Each player's points along the game, beside the opinions, all in -1 ... 1."""
    four = game(4)
    state = hawaii_env.play(four, "random", seed=4, record=tmp_path / "game.jsonl")
    page = replay_page(tmp_path / "game.jsonl", tmp_path / "game.html", value="playouts:games=1").path
    packed = re.search(r'id="data">([^<]+)<', page.read_text(encoding="utf-8"))
    assert packed
    points, opinion = json.loads(zlib.decompress(base64.b64decode(packed[1])))["values"]
    assert points["unit"] == "points" and points["points"][0] == [0, 0, 0, 0, 0]
    outcome = state.outcome()
    assert outcome is not None and points["points"][-1][1:] == list(outcome.scores or ())
    for player in range(1, 5):
        row = [point[player] for point in points["points"]]
        assert row == sorted(row)
    values = [value for point in opinion["points"] for value in point[1:]]
    assert "unit" not in opinion and min(values) == -1 and max(values) == 1


def test_a_terminal_shows_the_narration() -> None:
    """Chapters with the board before them, the dice of a conflict in a paragraph, points at the end of each stage."""
    log, lines = text_log(game(3)), list[str]()
    for _, events, state in walk(game(3), 1):
        lines += log.feed([(event, state) for event in events])
    lines += log.end(state)  # pyright: ignore[reportPossiblyUnboundVariable]
    text = "\n".join(lines)
    assert text.count("ALOHA: ") == 5
    heads = [line for line in lines if line.endswith(":") and not line.startswith(" ")]
    assert heads == [
        "Prologue:",
        "Chapter I, to 1843:",
        "Chapter II, 1843 to 1895:",
        "Chapter III, 1895 to 1959:",
        "Epilogue:",
    ]
    flat = " ".join(text.split())
    assert flat.count("points: Red") == 5 and re.search(r"is Governor; points: Red \d+ \(\+\d+\)", flat)
    assert re.search(r"\n    Red rolls \d; Red rolls \d;", text)


@pytest.mark.parametrize("players", [2, 4])
def test_seats_follow_the_number_of_players(players: int) -> None:
    """The page is told the sides of each number of players, and their colours."""
    pytest.importorskip("fastapi")
    pytest.importorskip("limits")
    from hawaii_env.web.service import Service
    from hawaii_env.web.settings import Settings
    from hawaii_env.web.snapshots import Snapshots
    from hawaii_env.web.strings import side_style

    service = Service(Settings(game="aloha", workers=0))
    try:
        told = Snapshots(service).setup()
        assert list(told["seating"]) == ["players"]
        sides = [side["id"] for side in told["seating"]["players"][str(players)]]
        assert sides == ["red", "yellow", "green", "blue"][:players]
        assert set(told["names"]) == {"red", "yellow", "green", "blue"}
        style = side_style(*service.seatings()["players"].values())
        assert all(f".{side} {{ --side: " in style for side in sides)
    finally:
        service.thinker.close()
        service.store.close()
