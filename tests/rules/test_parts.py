"""Functions of the rules asked directly: counts that a game only compares, and what is answered where nothing is."""

from __future__ import annotations

from typing import Any

import pytest

from hawaii_env.hawaii1795.game import State
from hawaii_env.hawaii1795.rules import names
from hawaii_env.hawaii1795.rules.flow import effects_may_coincide
from hawaii_env.hawaii1795.rules.land_battle import (
    able_to_fire,
    advantage_bonus,
    advantage_of,
    plus_units,
    unpanicked_left,
    victor_of_round,
)
from hawaii_env.hawaii1795.rules.movement import least_carried, least_marched, march_spaces
from hawaii_env.hawaii1795.rules.pieces import finish, kauai_pieces_alive
from hawaii_env.hawaii1795.rules.recruiting import in_box, wanted_as
from hawaii_env.hawaii1795.rules.setup import next_to_place
from hawaii_env.hawaii1795.rules.withdrawal import island_mask

from .helpers import GAME, HIT, SPACES, A, K, advantage, battle, do, fire, moving

KIND = names.KINDS.index


def parts(state: State) -> tuple[Any, Any]:
    """The tables and the position as the functions of the rules take them, in the plain mode."""
    return GAME.tables, state.interpreted()


def test_units_of_a_battle_are_counted() -> None:
    """[11.1 ii, 11.1 viii] Units that count for advantage, unpanicked units; equal numbers give nobody the bonus."""
    state = battle("maui", ["royal_guard", "john_young", "canoe"], ["kalani", "thunderers", "pike", "oahu_canoe"])
    rules, position = parts(state)
    assert [plus_units(rules, position, side) for side in (0, 1)] == [2, 2]
    assert [advantage_bonus(rules, position, side) for side in (0, 1)] == [0, 0]
    assert [unpanicked_left(rules, position, side) for side in (0, 1)] == [2, 3]
    do(fire(advantage(state, K), "royal_guard", HIT), "lose thunderers")
    rules, position = parts(state)
    assert [plus_units(rules, position, side) for side in (0, 1)] == [2, 1]
    assert [advantage_bonus(rules, position, side) for side in (0, 1)] == [1, 0]
    assert [unpanicked_left(rules, position, side) for side in (0, 1)] == [2, 2]


def test_who_is_able_to_fire() -> None:
    """[11.1 v, 14.2] A bit for each side's units, and one for those of gunpowder."""
    for ours, theirs, mask in (
        ("vancouver", "brown", 0b1111),
        ("pike", "brown", 0b1011),
        ("vancouver", "pike", 0b0111),
    ):
        rules, position = parts(battle("maui", [ours], [theirs]))
        assert able_to_fire(rules, position) == mask


def test_nobody_has_won_yet() -> None:
    """[11.1 iii, 11.1 viii] A tie of the advantage dice, and a round after which both sides stand, have no victor."""
    rules, position = parts(battle("maui", ["pike"], ["maui_warrior"]))
    assert advantage_of(rules, position, 3, 3) == victor_of_round(rules, position) == -1


def test_a_game_is_won_once() -> None:
    """[5.0] What comes after the victory of a side changes nothing."""
    for winner in (0, 1):
        _, position = parts(moving(K, {"kona": ["pike"]}))
        finish(position, winner, 3)
        finish(position, 1 - winner, 4)
        assert (position.winner, position.reason) == (winner, 3)


def test_the_pieces_of_kauai_are_counted() -> None:
    """[2.0] Those in play; the others are dead."""
    for places, alive in (({"kauai": ["kauai_warrior", "kauai_warrior"]}, 2), ({"kauai": ["kauai_canoe"]}, 1), ({}, 0)):
        state = moving(K, {"kona": ["pike"], **places}, kauai=K)
        assert kauai_pieces_alive(*parts(state)) == alive


def test_nothing_is_wanted_or_left() -> None:
    """[8.1, 9.0, R-06] Recruits that no card asks for, pieces that no box has, pieces still to be placed."""
    rules, position = parts(moving(K, {"kona": ["pike", "royal_guard"]}))
    assert wanted_as(rules, position, KIND("pike")) == -1
    assert in_box(rules, position, KIND("royal_guard")) == next_to_place(rules, position) == -1


def test_nobody_may_march_or_board() -> None:
    """[10.2, 10.3] 2 stands for nobody, where 0 and 1 tell what the freshest has done."""
    state = moving(K, {"kona": ["pike"], "maui": ["warrior_1"]})
    rules, position = parts(state)
    spaces = march_spaces(rules, position)
    assert least_carried(rules, position, KIND("warrior_1"), SPACES.index("maui"), spaces) == 2
    assert least_marched(rules, position, KIND("warrior_1")) == 2


def test_the_spaces_of_an_island() -> None:
    """[4.0] One or two, as a mask."""
    rules, _ = parts(moving(K, {"kona": ["pike"]}))
    islands = (("kona", "hilo"), ("maui",), ("molokai",), ("waikiki", "koolau"), ("kauai",))
    for island in islands:
        mask = sum(1 << SPACES.index(space) for space in island)
        assert {island_mask(rules, SPACES.index(space)) for space in island} == {mask}


@pytest.mark.parametrize(("side", "unit"), [(K, "vancouver"), (A, "brown")])
def test_effects_of_a_hit_that_may_coincide(side: str, unit: str) -> None:
    """[11.3] Where all who are hit have panicked, and where the last die of a round falls; nowhere else."""
    state = battle("maui", ["vancouver", "pike"], ["brown", "maui_warrior"])
    assert not effects_may_coincide(*parts(state))
    rules, position = parts(fire(advantage(state, side), unit))
    assert position.phase == names.HIT_DIE and position.dice > 1 and not effects_may_coincide(rules, position)
    dice, position.dice = position.dice, 1
    assert not effects_may_coincide(rules, position)  # others are still to fire
    for piece in range(len(position.place)):
        position.fired[piece] = 1
    assert effects_may_coincide(rules, position)
    position.dice = dice
    assert not effects_may_coincide(rules, position)
    for piece in range(len(position.place)):
        position.panicked[piece] = int(position.owner[piece] == 1 - position.firing)
    assert effects_may_coincide(rules, position)
