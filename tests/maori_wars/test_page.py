"""Maori Wars on the page: buttons, questions, the combat sheet, the guide."""

from __future__ import annotations

import re
from typing import Any

import pytest
from moves import play, walk

from hawaii_env.maori_wars.game import Game
from hawaii_env.maori_wars.guide import MaoriGuide
from hawaii_env.maori_wars.reach import points_left
from hawaii_env.maori_wars.rules.names import PHASES
from hawaii_env.maori_wars.rules.pieces import is_boat
from hawaii_env.maori_wars.strings import STEPS, MaoriStrings

from .helpers import at

GAME = Game()


@pytest.mark.parametrize(("scenario", "seed", "most"), [
    ("taranaki", 31, 700), pytest.param("waikato", 32, 250, marks=pytest.mark.slow)
])  # fmt: skip
def test_what_begins_a_choice_and_the_points_of_a_march(scenario: str, seed: int, most: int) -> None:
    """A decision goes on with a choice only after one that opens it; each hex of a march says the points that the
    engine then leaves to the piece, or to the one of the stack that has fewest.
    """
    game, checked = Game(scenario=scenario), 0
    strings = MaoriStrings(game)
    steps: Any = walk(game, seed, most)
    for before, events, after in steps:
        if before.current_player < 0:
            continue
        decision, left = events[0], points_left(before)
        (chosen,) = (one for one in strings.actions(before, before.current_player) if one["text"] == decision.text)
        asked = not after.is_terminal and after.current_player == before.current_player
        if asked and strings.status(after, after.current_player)["within"]:
            assert chosen.get("opens"), (decision.text, before.view().step)
        if before.view().step != "move_to":
            assert left == {}
            continue
        assert list(left) == before.legal_actions() and chosen["mark"] == str(left[chosen["action"]])
        for action, points in left.items():
            state = before.clone()
            state.start_trace()
            state.apply(action)
            if state.stage != "movement":  # it was the last march, and points are forgotten
                continue
            was, now = before.interpreted(), state.interpreted()
            moved = [n for n in range(was.pieces) if was.place[n] != now.place[n] and not is_boat(was, n)]
            hex_ = game.hexes.index(game.action_text(action).split()[1])
            assert min(now.points[n] for n in moved if now.place[n] == hex_) == points
            checked += 1
    assert checked > 200


def test_each_step_has_a_question() -> None:
    """Decisions have a text, dice have one, and no other steps have."""
    dice, automatic = {*GAME.chance_kinds}, {"begin", "arrivals", "sap", "rally_next", "combat_step", "apply"}
    assert set(STEPS) == {*PHASES} - dice - automatic - {"starve_check"}


COMBAT = ("target 1134", "with nw all", "with nw artillery")


def combat(declared: bool = True) -> Any:
    """The British attack on Huirangi, declared or about to be."""
    state = GAME.initial_state(chance="explicit")
    while state.view().half == "maori" or state.view().phase != "combat":
        legal = {GAME.action_text(action): action for action in state.legal_actions()}
        if state.current_player < 0:
            state.apply_chance(1)
        else:
            state.apply(legal.get("done", legal.get("pass", min(legal.values()))))
    for text in COMBAT if declared else ():
        state.apply(GAME.parse_action(state, text))
    return state


def test_the_combat_sheet() -> None:
    """[9.0] Target, participants, gun, and the Combat Results Table."""
    note = MaoriStrings(GAME).at_hand(combat(), (), 1)["note"]
    assert note["title"] == "Attack on Huirangi" and note["facts"][0].startswith("Target: Huirangi (1134): pā, ")
    assert "From New Plymouth: 2 infantry" in note["facts"] and "Bombarding: 1 artillery" in note["facts"]
    assert note["table"]["columns"] == [str(n) for n in range(9)] and note["table"]["rows"][2]["cells"][8] == "EE"
    assert [step["label"] for step in note["steps"] if step["state"] == "running"] == ["Declare"]
    assert MaoriStrings(GAME).at_hand(GAME.initial_state(seed=1), (), 0)["note"] is None


def test_the_combat_sheet_follows_the_steps() -> None:
    """[9.0] The worked example of the design: the dispatch with its text, the dice, the row and what is added."""
    state, strings = combat(), MaoriStrings(GAME)
    state.start_trace()

    def note() -> Any:
        return strings.at_hand(state, state.trace or (), 1)["note"]

    for text in ("with n all", "stand"):
        state.apply(GAME.parse_action(state, text))
    assert [step["label"] for step in note()["steps"] if step["state"] == "running"] == ["Dispatch"]
    state.apply_chance(22)
    state.apply(GAME.parse_action(state, "column pa"))
    state.apply_chance(4)
    state.apply(GAME.parse_action(state, "counter n"))
    steps = {step["label"]: step for step in note()["steps"]}
    assert steps["Dispatch"]["text"] == "22 Damp Powder: Attack -1, counter-attack -1"
    assert (steps["Guns"]["text"], steps["Answer"]["state"], steps["Attack"]["state"]) == ("die 4", "running", "next")
    assert [row["now"] for row in note()["table"]["rows"]] == [False, True, False]
    assert note()["table"]["caption"].endswith("This roll: the die -1")
    state.apply_chance(4)
    assert state.phase == "attack" and note()["table"]["caption"].endswith("This roll: the die -3")


def test_buttons_say_what_they_do() -> None:
    """Hexes with who is there, sides by the hex across, ends by what they end."""
    state, strings = combat(), MaoriStrings(GAME)
    labels = {one["text"]: f"{one['group']} {one['label']}".strip() for one in strings.actions(state, 1)}
    assert labels["with n infantry"] == "From Waitara (Te Kohia) Infantry" and labels["done"] == "Attack"
    start = GAME.initial_state(seed=1)
    while start.view().step != "move":
        legal = {GAME.action_text(action): action for action in start.legal_actions()}
        start.apply(legal.get("pass", min(legal.values())))
    labels = {one["text"]: f"{one['group']} {one['label']}".strip() for one in strings.actions(start, 0)}
    assert labels["from 0835"] == "From Warea (0835): pā, 1 Māori warrior" and labels["done"] == "End movement"
    assert strings.status(start, 0)["when"] == "March 1860, Māori half: movement"
    before = start.clone()
    start.start_trace()
    start.apply(GAME.parse_action(start, "from 0835"))
    assert strings.undo_text(before, (start.trace or [])[0]) == "At Warea"
    homes = {"0934": "settlement", "1133": "settlement", "1136": "village"}
    full = at({"1033": "infantry " * 4}, homes, "reinforcement", "british", boxes={"british": {"militia": 1}})
    why = MaoriStrings(full.game).why_not(play(full, "unit militia"), 1, {"place": "1033"}, "")
    assert why == "it is full: at most 4 land units of a player stand in a hex [4.0, R-07]"


def test_the_guide_counts() -> None:
    """The marker, villages and settlements, the places next to enemies, food."""
    guide, state = MaoriGuide(GAME), GAME.initial_state(seed=1)
    sections = {one["title"]: one["lines"] for one in guide.advice(state, 1)["sections"]}
    said = [line["text"] for line in sections["The end"]]
    assert said[0] == "The marker says: tie; 9 points decide at once." and said[1] == "4 turns left, this one included."
    assert "You have 3 settlements; without any the game is lost." in said
    assert "They have 5 villages and pā; without any the game is lost." in said
    danger = {line["text"]: line["mark"] for line in sections["Places in danger"]}
    assert danger["Waitara (Te Kohia): 3 enemy units next to it, 2 within."] == "danger"
    food = {one["title"]: one["lines"] for one in guide.advice(state, 0)["sections"]}["Food and boxes"]
    assert re.match(r"Your villages and pā feed 15 warriors; you have \d+\.", food[0]["text"])
    assert guide.why(state) == ""
    attack = combat(declared=False)
    marks = guide.advice(attack, 1)["marks"]
    texts = {GAME.action_text(action): one for action, one in marks.items()}
    assert re.fullmatch(r"\d+%", texts["target 1134"]["mark"]) and "Huirangi: taken" in texts["target 1134"]["text"]
