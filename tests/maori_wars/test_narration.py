"""The narration: each event in words, turns as chapters, combats and raids as scenes."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from typing import Any

import pytest
from moves import walk

from hawaii_env.game import Chance, State
from hawaii_env.maori_wars.game import Game
from hawaii_env.maori_wars.narration import MaoriNarration
from hawaii_env.maori_wars.pictures.lit import Lit
from hawaii_env.maori_wars.pictures.phrases import Context, changes, decision_phrase, place_name
from hawaii_env.maori_wars.pictures.picture import drawing
from hawaii_env.maori_wars.pictures.scene import Scene
from hawaii_env.maori_wars.pictures.text import board_text

GAME = Game(scenario="taranaki")
RULES = GAME.ruleset


@pytest.mark.parametrize(("scenario", "seed", "most"), [
    ("taranaki", 1, 2000), ("flagstaff", 1, 2000), ("waikato", 4, 100),
    pytest.param("campaign", 5, 60, marks=pytest.mark.slow),
])  # fmt: skip
def test_a_game_is_narrated_and_drawn(scenario: str, seed: int, most: int) -> None:
    """Each event has a sentence without ids, the choice of a hex one that is told with its unit's; each position
    a drawing in which what names a hex can be clicked.
    """
    game = Game(scenario=scenario)
    narration, chapters, scenes = MaoriNarration(game), 0, 0
    for number, (before, events, after) in enumerate(walk(game, seed, most)):
        for event, line in zip(events, narration.narrate(events, before, after), strict=True):
            assert line.text[:1].isupper() and not re.search(r"_|/|\b[a-z]+\d", line.text), (event, line.text)
            assert line.partial or not event.text.startswith("from "), (event, line.text)
            assert not re.match(r"(Infantry|Passes)\. ", line.text), line.text  # the result is told alone
            assert (line.die is None) == (not isinstance(event, Chance) or event.kind == "chit")
            assert line.die is None or re.match(rf"(Māori|The British) roll {line.die} [^?]+: ", line.text), line.text
            chapters, scenes = chapters + (line.chapter is not None), scenes + (line.scene is not None)
        if number % 12 == 0:
            view = after.view().to_dict()
            legal = {action: game.action_text(action) for action in after.legal_actions()}
            root = ElementTree.fromstring(drawing(view, game.ruleset, legal).svg())
            shown = {int(a) for e in root.iter() for a in (e.get("data-actions") or "").split()}
            lit = Lit(legal, Scene(view, game.ruleset))
            assert {a for acts in lit.hexes.values() for a in acts} <= shown
            assert {a for a in legal if legal[a].split()[0] in ("from", "to", "target", "place", "build")} <= shown
            assert max(map(len, board_text(view, game.ruleset).split("\n"))) <= 80
    assert chapters >= 1 and scenes > 0


def start(**changed: Any) -> dict[str, Any]:
    return GAME.initial_state(chance="explicit").view().to_dict() | changed


def test_a_march_in_a_sentence() -> None:
    """Three decisions; a leader who is with them gives his name to Māori warriors."""
    context, view = Context(stage="movement"), start()
    texts = ["from 1134", "unit warrior", "to 1034", "from 1033", "unit infantry", "to 0934"]
    assert [decision_phrase(RULES, text, view, context) for text in texts] == [
        "at Huirangi", "Wiremu Kīngi Te Rangitāke’s taua", "Wiremu Kīngi Te Rangitāke’s taua marches from Huirangi to "
        "Mataitawa", "at New Plymouth", "infantry", "infantry march from New Plymouth to Ōmatā",
    ]  # fmt: skip


def test_a_voyage_in_a_sentence() -> None:
    """Cargo goes aboard; the boat sails."""
    context, view = Context(stage="movement"), start()
    texts = ["from 1033", "unit gunboat", "unit infantry", "unit pratt", "to 1338"]
    assert [decision_phrase(RULES, text, view, context) for text in texts] == [
        "at New Plymouth", "a gunboat", "infantry go aboard",
        "Thomas Pratt goes aboard", "a gunboat sails from New Plymouth to Pātea",
    ]  # fmt: skip


def test_who_slips_away() -> None:
    """[9.0] The sentence names who goes, from where and where to."""
    view = start(step="leave", phase="combat", combat={"target": "1134"})
    piece = next(i for i, one in enumerate(view["pieces"]) if (one["at"], one["kind"]) == ("1134", "warrior"))
    view["about"] = {"piece": piece}
    said = decision_phrase(RULES, "go s", view, Context(stage="combat", target="1134"))
    assert said == "Wiremu Kīngi Te Rangitāke’s taua slips away from Huirangi to 1135 near Mataitawa"
    view["step"] = "retreat"
    assert " retreats from Huirangi to " in decision_phrase(RULES, "go s", view, Context(stage="combat"))


@pytest.mark.parametrize(("stage", "verb", "text", "said"), [
    ("reinforcement", "", "unit militia", "militia come from the box"),
    ("reinforcement", "unit", "place 0934", "militia come to Ōmatā"),
    ("bush", "from", "unit warrior", "a taua goes into the bush"),
    ("bush", "unit", "place 1233", "militia come out of the bush at Urenui"),
    ("bush", "unit", "target 0934", "militia raid Ōmatā"),
    ("bush", "target", "go s", "they raid from Kaitake"),
    ("bush", "", "hunt", "they hunt in the bush"),
    ("combat", "", "counter n", "the answer falls on 0933 near Ōmatā"),
    ("combat", "", "column pa", "the guns fire on the pā"),
    ("combat", "", "evade", "tries to slip away"),
    ("construction", "build", "structure fort", "a fort is built at Ōmatā"),
    ("construction", "build", "structure repair", "what stands at Ōmatā is repaired"),
    ("alliance", "", "target 0936", "they talk with the people of Ōpunakē"),
    ("movement", "", "scuttle", "the waka is scuttled"),
])  # fmt: skip
def test_decisions_in_words(stage: str, verb: str, text: str, said: str) -> None:
    context = Context(stage=stage, hex="0934", target="0934", territory="taranaki", unit="militia", verb=verb)
    assert decision_phrase(RULES, text, start(), context) == said


def test_changes_in_words() -> None:
    """Losses, Disrupted pieces, structures, towns and points."""
    was, now = start(), start()
    now["pieces"] = [one for one in now["pieces"] if one["kind"] != "pratt"]
    now["out"] = {"pratt": 1}
    lost = next(one for one in now["pieces"] if one["kind"] == "warrior")
    now["pieces"].remove(lost)
    now["boxes"]["maori"]["warrior"] += 1
    next(one for one in now["pieces"] if one["kind"] == "infantry")["disrupted"] = True
    now["structures"] |= {"1134": "village", "0835": "pa/disrupted"}
    del now["structures"]["0934"]
    now |= {"taken": ["1033"], "marker": -2}
    assert set(changes(RULES, was, now)) == {
        "Thomas Pratt is lost", "1 Māori warrior is lost", "1 infantry is Disrupted",
        "the pā of Huirangi is now a village", "Warea is Disrupted", "the settlement of Ōmatā is gone",
        "New Plymouth is taken", "2 points for Māori",
    }  # fmt: skip
    assert "New Plymouth is British again" in changes(RULES, now, was)
    assert place_name(RULES, "1136") == "Te Ngutu-o-te-Manu" and place_name(RULES, "taranaki") == "Taranaki"


def told(state: State, *texts: str) -> list[Any]:
    """The lines of some decisions."""
    narration, lines = MaoriNarration(state.game), list[Any]()
    for text in texts:
        before = state.clone()
        state.start_trace()
        state.apply(state.game.parse_action(state, text))
        lines += narration.narrate(list(state.trace or []), before, state)
    return lines


def test_the_last_step_of_a_choice_says_it_all() -> None:
    """The steps before it are partial, so that a terminal tells a march in one sentence."""
    lines = told(GAME.initial_state(chance="explicit"), "pass", "from 0835", "to 0936")  # its one unit is forced
    assert [line.partial for line in lines] == [False, True, True, False]
    assert lines[-1].text == "A taua marches from Warea to Ōpunakē" and lines[0].chapter == "Turn 1, March 1860"


def test_what_a_step_changes_stands_in_its_line() -> None:
    """[12.0] The first step of construction is partial; its second says what has changed."""
    state = GAME.initial_state(chance="explicit")
    while state.view().phase != "construction":
        legal = {GAME.action_text(action): action for action in state.legal_actions()}
        state.apply(legal.get("done", legal.get("pass", min(legal.values()))))
    lines = told(state, "build 1136")
    assert [line.partial for line in lines] == [True, False]
    assert lines[1].text.endswith("built at Te Ngutu-o-te-Manu: the village of Te Ngutu-o-te-Manu is now a pā")
