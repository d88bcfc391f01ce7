"""Positions written by hand: what cannot be is an error that names the field and the rule."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from refusals import refuses

from hawaii_env.errors import StateError
from hawaii_env.maori_wars import Game
from hawaii_env.state_checks import check_chance

from .helpers import at, game_of

WRONG: list[tuple[dict[str, Any], str]] = [
    ({"turn": 5}, "turn: expected a whole number from 1 to 4"),
    ({"scenario": "waikato"}, "scenario: this game's is 'taranaki'"),
    ({"structures": {"1033": "village"}}, r"structures: 1033: a structure other than a fort is on a town \[3.0\]"),
    ({"structures": {"1034": "castle"}}, "structures: 1034: expected one of settlement"),
    ({"taken": ["1034"]}, "taken: 1034 is not a town"),
    ({"cup": [1, 1]}, "cup: chit 1 is there twice"),
    ({"cup": [2]}, r"cup: chit 2 is not in this scenario \[14.0\]"),
    ({"cup": [1]}, "is neither in the cup nor aside"),
    ({"marker": 9}, r"marker: the marker is beyond its bounds \[1.0\]"),
    ({"forts_built": 3}, "forts_built: expected a whole number from 0 to 2"),
    ({"step": "sap"}, "step: nobody decides at step sap"),
    ({"step": "boat"}, "boat: required at step boat"),
    ({"decides": None}, "decides: somebody decides at step move"),
    ({"out": {}}, "pieces: expected 23"),
    ({"structures": {"1035": "pa"}}, r"structures: 1035 is a mountain, which nobody enters \[R-01\]"),
    ({"taken": ["0101"]}, "taken: 0101 is not a land hex"),
    ({"boxes": {"british": {"militia": 11}}}, r"british: militia: there are 10 counters of militia, not more \[3.0\]"),
    ({"boxes": {"maori": {"heke": 2}}}, r"boxes: maori: heke: there is one heke, not two \[3.0\]"),
    (
        {"taken": ["1033"]},
        r"pieces: 1033: a town is British with Māori pieces in it, or taken with British .* \[R-08\]",
    ),
    ({"sap": {"target": "1134", "hex": "0835"}}, r"sap: the sap marker does not lie next to a target \[6.0\]"),
    ({"decides": "british"}, r"decides: the step asks the other player \[2.0, 9.0\]"),
    ({"step": "attack", "combat": {"attacker": "maori"}}, r"step: the step is not one of this phase \[2.0\]"),
]


@pytest.mark.parametrize(("change", "message"), WRONG)
def test_what_cannot_be_is_an_error(change: dict[str, Any], message: str) -> None:
    """[14.0] The message names the field."""
    fields = at({"1034": "warrior", "1133": "infantry", "1033": "infantry"}).view().to_dict()
    refuses(StateError, (message, lambda: game_of().position(**(fields | change))))


NEXT = {"attacker": "maori", "target": "1133"}
HIT = NEXT | {"victim": "british", "spot": "1133", "outcome": "E", "losses": 1, "after": "combat_step"}
NOBODY_ATTACKS = r"combat: 1133: nobody takes part who could attack \[9.0, 10.0\]"
NOBODY_THERE = r"combat: 1133: nobody is there whom the result befalls \[9.0, 11.0\]"
IN_COMBAT: list[tuple[str, str, dict[str, Any], dict[str, Any], str]] = [
    *(
        ("combat", step, NEXT, {"piece": 1, "hex": "1034", "left": 1}, NOBODY_ATTACKS)
        for step in (
            "evade", "evasion", "leave", "chit", "reinforce", "reinforce_place", "disrupt_from", "disrupt_unit",
            "leader", "charge_or_not", "charge", "counter_side", "counter", "attack", "advance",
        )
    ),
    *(("combat", step, HIT, {"piece": 1}, NOBODY_ATTACKS) for step in ("lose", "retreat")),
    ("combat", "panic", HIT | {"resume": "apply"}, {"piece": 1}, NOBODY_THERE),  # the infantry is not Disrupted
    ("combat", "panic", HIT | {"resume": "combat_step"}, {}, NOBODY_THERE),  # nor is there a structure
    ("combat", "absorb", HIT, {}, NOBODY_THERE),  # no fort
    ("combat", "lose", HIT | {"spot": "1034"}, {}, r"combat: 1034: nobody is there"),
    ("combat", "retreat", HIT | {"spot": "1034"}, {"piece": 1}, r"combat: 1034: nobody is there"),
    ("combat", "bombard", NEXT | {"gun": 0}, {}, r"combat: 1133: no gun is there that could fire \[9.0\]"),
    ("combat", "column", NEXT | {"gun": 1}, {}, r"combat: 1133: no gun is there that could fire \[9.0\]"),
    *(("bush", step, NEXT, {"hex": "1034", "territory": "taranaki"}, NOBODY_ATTACKS)
      for step in ("raid_more", "attack", "counter_side", "counter")),
    ("bush", "lose", HIT, {}, NOBODY_ATTACKS),
    *(("bush", step, {"attacker": "maori", "hunting": 1}, {"territory": "taranaki"}, "combat: nobody takes part")
      for step in ("hunt_more", "hunt", "prey", "attack", "counter")),
]  # fmt: skip


@pytest.mark.parametrize(("phase", "step", "combat", "about", "message"), IN_COMBAT)
def test_no_combat_without_participants(
    phase: str, step: str, combat: dict[str, Any], about: dict[str, Any], message: str
) -> None:
    """[9.0, 10.0, 11.0] Every step of a combat, chit, raid or result that needs somebody: the field, hex and rule."""
    fields = at({"1034": "warrior", "1133": "infantry"}).view().to_dict()
    with pytest.raises(StateError, match=message):
        game_of().position(**(fields | {"phase": phase, "step": step, "combat": combat, "about": about}))


@pytest.mark.parametrize(
    ("step", "hex_id", "target", "message"),
    [
        ("chit", "1034", "1133", NOBODY_ATTACKS),  # two hexes away
        ("advance", "1134", "1133", r"combat: 1133: nobody advances where the enemy still stands \[9.0\]"),
        ("evade", "1034", "1134", r"combat: 1134: nobody is attacked \[9.0, 10.0\]"),
        ("attack", "1034", "1134", r"combat: 1134: nobody is attacked \[9.0, 10.0\]"),
    ],
)
def test_no_combat_without_a_defender(step: str, hex_id: str, target: str, message: str) -> None:
    """[9.0] A warrior takes part against a hex that is empty, too far away, or still held."""
    fields = at({hex_id: "warrior", "1133": "infantry"}).view().to_dict()
    warrior = next(piece for piece in fields["pieces"] if piece["kind"] == "warrior")
    warrior |= {"did": ["participant", "attacked"], "origin": hex_id, "points": 0}
    with pytest.raises(StateError, match=message):
        game_of().position(**(fields | {"phase": "combat", "step": step, "combat": NEXT | {"target": target}}))


@pytest.mark.parametrize(
    ("piece", "message"),
    [
        ({"at": "1035"}, r"pieces 0: at: 1035 is a mountain, which nobody enters \[R-01\]"),
        ({"at": "0101"}, "pieces 0: at: 0101 is not a land hex"),
        ({"at": "1418"}, r"pieces 0: at: 1418 is outside the theatre \[R-05\]"),
        ({"origin": "0101"}, "pieces 0: origin: 0101 is not a land hex"),
        ({"owner": "british"}, "owner: warrior is not british"),
        ({"points": 6}, "points: expected a whole number from 0 to 5"),
        ({"kind": "heke", "disrupted": True}, r"only units are Disrupted \[11.0\]"),
        ({"at": "1133"}, r"pieces: 1133: pieces of both players are in a hex, and not leaders alone \[6.0\]"),
        ({"at": "waikato"}, "waikato is not in the theatre"),
        ({"at": "1033"}, r"pieces: 1033: a town is British with Māori pieces in it"),
    ],
)
def test_pieces_that_cannot_be_are_errors(piece: dict[str, Any], message: str) -> None:
    """[6.0, 11.0] The message names the piece and the field."""
    fields = at({"1034": "warrior", "1133": "infantry"}).view().to_dict()
    fields["pieces"][0] |= piece
    refuses(StateError, (message, lambda: game_of().position(**fields)))


def test_a_crowded_hex_is_an_error() -> None:
    """[4.0] Five warriors in a hex."""
    with pytest.raises(StateError, match=r"pieces: \d{4}: a hex is over the stacking limit \[4.0\]"):
        at({"1034": "warrior " * 5})


def test_json_at_every_step() -> None:
    """[9.0] A game goes on alike from the JSON of each of its positions."""
    state = Game("flagstaff").initial_state(chance="explicit")
    for step in range(400):
        if state.is_terminal:
            break
        again = state.game.state_from_json(state.to_json())
        assert again.to_json() == state.to_json() and again.legal_actions() == state.legal_actions()
        state = again
        if state.current_player < 0:
            outcomes = state.chance_outcomes()
            state.apply_chance(outcomes[step % len(outcomes)][0])
        else:
            legal = state.legal_actions()
            state.apply(legal[(7 * step + 3) % len(legal)])
    assert state.turn > 1


@pytest.mark.parametrize("scenario", ["taranaki", "flagstaff"])
def test_merged_outcomes(scenario: str) -> None:
    """[9.0] Faces that lead to the same position are one, at every chance node of some turns."""
    check_chance(Game(scenario).initial_state(seed=3), random.Random(3), steps=200)


def test_the_grid_has_the_six_neighbours_at_fixed_offsets() -> None:
    game = Game(scenario="flagstaff")
    numbered = game.to_grid(1 + np.arange(len(game.hexes)))
    for number, near in enumerate(game.neighbours.tolist()):
        row, column = game.grid_index[number]
        assert numbered[row, column] == number + 1
        for (down, right), other in zip(((-1, 0), (-1, 1), (0, 1), (1, 0), (1, -1), (0, -1)), near, strict=True):
            assert other < 0 or game.grid_index[other].tolist() == [row + down, column + right]
    assert (numbered > 0).sum() == len(game.hexes)
