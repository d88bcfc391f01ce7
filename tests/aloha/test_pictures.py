"""How ALOHA looks: board, picture, narration. All is drawn from the view."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from itertools import combinations

import numpy as np
import pytest
from colours import SIGHTS, lab
from moves import play, walk

from hawaii_env.aloha.narration import AlohaNarration
from hawaii_env.aloha.pictures import board
from hawaii_env.aloha.pictures.names import COLOURS
from hawaii_env.aloha.pictures.picture import SHAPES
from hawaii_env.aloha.rules.names import ISLANDS
from hawaii_env.game import Decision
from hawaii_env.render.picture import render_svg
from hawaii_env.texts import spell

from .helpers import chapter, game


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
    assert spell("O'ahu, 'Ai Noa, The Queen's Hospital") == "Oʻahu, ʻAi Noa, The Queen’s Hospital"
    assert spell("Spreckels' Ditch, the traders' claims") == "Spreckels’ Ditch, the traders’ claims"


def test_the_colour_blind_tell_the_players_apart() -> None:
    """By colour and by shape."""
    for sight in SIGHTS:
        for one, other in combinations(COLOURS, 2):
            assert np.linalg.norm(lab(one, sight) - lab(other, sight)) > 20, (one, other, sight)
    assert len(set(SHAPES)) == len(COLOURS)


@pytest.mark.parametrize("start", ISLANDS)
@pytest.mark.parametrize("end", ISLANDS)
def test_the_arrow_of_a_migration_crosses_no_token(start: str, end: str) -> None:
    """Whatever the islands, with two players on all of them: it bends, and its head stops short of the row."""
    if start == end:
        return
    everywhere = [4, 4, 4, 4, 4]
    moving = chapter(
        phase="amount",
        migration=(start, end),
        red={"tokens": everywhere, "actions": [1] * 5},
        yellow={"tokens": everywhere},
    )
    svg = render_svg(moving)
    tokens_at = [
        tuple(map(float, found)) for found in re.findall(r'transform="translate\(([\d.]+),([\d.]+)\) scale\(1\)"', svg)
    ]
    found = re.search(r'class="arrow last".*?d="M([^"]+)".*?points="([^"]+)"', svg)
    assert found is not None
    line = [tuple(map(float, point.split(","))) for point in found[1].split("L")]
    own = line[0]
    assert own in tokens_at and len(tokens_at) >= 10
    for x, y in tokens_at[:10]:
        if (x, y) != own:
            assert all((x - a) ** 2 + (y - b) ** 2 > 18**2 for a, b in line), (start, end, x, y)


def test_what_can_be_chosen_can_be_clicked() -> None:
    """Every legal action of a chapter stands in the picture's data, as an action; migrations at their target,
    too.
    """
    state = chapter()
    root = ElementTree.fromstring(render_svg(state, legal=True))
    texts = {action: state.game.action_text(action) for action in state.legal_actions()}
    for name, verbs in (("data-actions", {"migrate", "warrior", "take", "event"}), ("data-targets", {"migrate"})):
        found = {int(a) for element in root.iter() for a in (element.get(name) or "").split()}
        assert found == {action for action, text in texts.items() if text.split()[0] in verbs}
    (maui,) = [e for e in root.iter() if e.get("data-space") == "maui" and e.get("data-targets")]
    assert {texts[int(a)].split()[2] for a in str(maui.get("data-targets")).split()} == {"maui"}


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
            assert all(f"{own.points} point{'s' * (own.points != 1)}" in texts for own in view.players.values())
            shown = [element.get("data-player") for element in root.iter() if element.get("data-player")]
            assert len(shown) >= sum(1 for own in view.players.values() for count in own.tokens if count)


def test_narration() -> None:
    """Stages are chapters, conflicts scenes; every event of a game has words, ten of each kind at least are not its own
    text.
    """
    narration = AlohaNarration(game(3))
    assert [side.letter for side in narration.sides] == ["R", "Y", "G"]
    chapters, scenes, dice = [], [], 0
    for before, events, after in walk(game(3), 2):
        for line, event in zip(narration.narrate(events, before, after), events, strict=True):
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
