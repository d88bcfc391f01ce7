"""How ALOHA looks: board, picture, story. All is drawn from the view."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import pytest

from hawaii_env.aloha.pictures import board
from hawaii_env.aloha.pictures.names import okina
from hawaii_env.aloha.spec import SPEC
from hawaii_env.aloha.story import AlohaStory
from hawaii_env.game import Chance, Decision
from hawaii_env.render.picture import render_rgb, render_svg
from hawaii_env.replay.story import steps

from .helpers import chapter, game, play, tokens


def test_board() -> None:
    """Tokens and Action tokens by island, tracks, cards with what they do."""
    text = board(chapter(red={"commerce": 7}))
    assert "ALOHA: Chapter I, to 1843; Red acts" in text and re.search(r"Oʻahu +10\+1 +10\+1", text)
    assert re.search(r"Commerce +7 +0", text) and re.search(r"King/Queen +\*", text)
    assert "4: The Thaddeus, 1820 (Oʻahu, Hawaiʻi): receives 3 Aloha" in text


def test_board_of_other_phases() -> None:
    """Migrations, dice and the end are told."""
    moving = play(chapter(), "migrate oahu maui")
    assert "migration: Oʻahu to Maui" in board(moving)
    rolling = chapter("chapter_1", "die", dice={"left": [1, 3], "totals": [7, 0]})
    assert "dice: Red 7, 1 to roll; Yellow 0, 3 to roll" in board(rolling)
    ended = chapter("epilogue", "over", red={"points": 9})
    assert "Red won: most points [W]" in board(ended)


def test_names_keep_their_marks() -> None:
    """ʻOkina in names, apostrophes in English genitives."""
    assert (
        okina("O'ahu, Pa'ula'ula, 'Ai Noa, The Queen's Hospital") == "Oʻahu, Paʻulaʻula, ʻAi Noa, The Queen's Hospital"
    )


@pytest.mark.parametrize("players", [2, 3, 4])
def test_picture_through_a_game(players: int) -> None:
    """Every position of a game is a well-formed drawing with all players; tokens stand in it."""
    state = game(players).initial_state(seed=players)
    number = 0
    while not state.is_terminal:
        state.apply(state.legal_actions()[number % len(state.legal_actions())])
        number += 1
        if number % 9 == 0 or state.is_terminal:
            root = ElementTree.fromstring(render_svg(state, legal=not state.is_terminal))
            texts = "".join(root.itertext())
            view = state.view()
            assert all(f"{own.points} points" in texts for own in view.players.values())
            shown = [element.get("data-player") for element in root.iter() if element.get("data-player")]
            assert len(shown) >= sum(1 for own in view.players.values() for count in own.tokens if count)


def test_picture_as_pixels() -> None:
    """The layers draw within their boxes: pixels by layers are those of the whole document."""
    found = render_rgb(chapter(), 500)
    assert found.shape == (350, 500, 3) and len({tuple(pixel) for pixel in found[::20, ::20].reshape(-1, 3)}) > 5


def test_story() -> None:
    """Stages are chapters, conflicts scenes; every event of a game has words, ten of each kind at least are not its own
    text.
    """
    state = game(3).initial_state(seed=2, trace=True)
    story = AlohaStory(state.game)
    assert [side.letter for side in story.sides] == ["R", "Y", "G"]
    chapters, scenes, dice = [], [], 0
    follow = game(3).initial_state(chance="explicit")
    number = 0
    while not state.is_terminal:
        state.apply(state.legal_actions()[(7 * number) % len(state.legal_actions())])
        number += 1
    assert state.trace is not None
    pairs, at = [], 0
    trace = state.trace
    while at < len(trace):
        event = trace[at]
        if isinstance(event, Chance):
            follow.apply_chance(event.outcome)
        elif not event.forced:
            follow.apply(event.action)
        pairs.append((event, follow.clone()))
        at += 1
    for events, before, after in steps(pairs, game(3).initial_state(chance="explicit")):
        for line, event in zip(story.tell(events, before, after), events, strict=True):
            chapters += [line.chapter] if line.chapter else []
            scenes += [line.scene] if line.scene else []
            dice += line.die is not None
            assert line.text and line.text != event.text
            assert not isinstance(event, Decision) or line.player == event.player
    assert chapters == [
        "Prologue",
        "Chapter I, to 1843",
        "Chapter II, 1843 to 1895",
        "Chapter III, 1895 to 1959",
        "Epilogue",
    ]
    assert scenes == ["Battle of Kuamoʻo", "Paulet Affair", "Abdication of Queen Liliʻuokalani"] and dice >= 18


def test_the_spec_names_them() -> None:
    """What the spec names is there."""
    assert SPEC.load("board") is board and SPEC.load("story") is AlohaStory and callable(SPEC.load("picture"))
    assert tokens() == [0] * 5
