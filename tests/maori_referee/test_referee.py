"""The referee alone: the page's own example, and what must always hold."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from . import Referee, Rules, read
from .crowds import crowd
from .data import PLAYERS
from .players import BIASES, POLICIES, fall
from .table import Table

CONTENT = read()
FIRST = read(Path(__file__).parents[2] / "experiments/configs/rulesets/maori_wars-1")
"""The numbers before their calibration, for which the page's example is written."""


def tell(referee: Referee, *answers: str | int) -> Referee:
    """Decisions in texts, chance in numbers."""
    for answer in answers:
        if isinstance(answer, int):
            referee.apply_chance(answer)
        else:
            referee.apply(answer)
    return referee


def test_the_pages_example() -> None:
    """Section 9: an assault on Te Ārei."""
    referee = Referee(Rules(FIRST, "taranaki"))
    table = referee.table
    while (table.phase, table.mover) != ("combat", "british"):
        referee.apply("pass" if "pass" in referee.legal_texts() else "done")
    tell(referee, "target 1134", "with nw all", "with nw artillery", "with n all", "stand", 22)
    assert ("british", "done", True) in table.log and set(referee.legal_texts()) == {"column units", "column pa"}
    tell(referee, "column pa", 4)
    assert table.structures["1134"].disrupted and referee.current_player == 0
    tell(referee, "counter n", 4)
    assert all(unit.disrupted for unit in table.land_units("1133", "british")) and table.structures["1133"].disrupted
    tell(referee, 6)
    assert all(unit.disrupted for unit in table.land_units("1134", "maori"))
    assert table.structures["1134"].kind == "pa" and table.marker == 0 and referee.current_player == 1
    assert len(table.attacked) == 4 and set(table.bound) == {"1033", "1133"}


def check(table: Table) -> None:
    """What must always hold: one place a piece, limits, owners apart, boats afloat, chits in one place."""
    rules = table.rules
    assert sorted(map(id, table.pieces)) == sorted(id(p) for pieces in table.by_place.values() for p in pieces)
    assert all(piece.place == place for place, pieces in table.by_place.items() for piece in pieces)
    for player in PLAYERS:
        bush = [piece for piece in table.in_bush(player) if not piece.leader]
        assert len(bush) <= rules.charts["bush"]["limit"][player]
        assert not any(piece.disrupted for piece in table.in_box(player))
        for piece in table.on_map(player):
            hex_id, land = piece.place, rules.land[piece.place]
            counted = [other for other in table.at(hex_id, player) if table.stacks(other)]
            british = any(rules.kinds[other.name]["side"] == "british" for other in counted)
            assert len(counted) <= (2 if british and land.terrain == "rough" else 4)
            assert rules.enterable(hex_id) and not table.neutral(hex_id)
            assert not (piece.land_unit and table.enemy_held(hex_id, player))
            if piece.name == "canoe" and land.dry:
                assert any(other.native and other.owner == player for other in table.at(hex_id))
            if piece.name == "gunboat":
                assert land.coast or any(hex_id in hexes for hexes in rules.navigable.values())
    assert table.cup | table.aside | set(rules.scenario["remove"]) == set(rules.chits) and not table.cup & table.aside


def play(referee: Referee, rng: random.Random) -> None:
    """A game to its end."""
    policies, bias = [rng.choice(list(POLICIES.values())) for _ in PLAYERS], rng.choice(BIASES)
    while not referee.is_terminal:
        check(referee.table)
        assert abs(referee.table.marker) < 9
        if referee.current_player < 0:
            assert sum(chance for _, chance in referee.chance_outcomes()) == pytest.approx(1)
            referee.apply_chance(fall(referee, rng, bias))
        else:
            texts = referee.legal_texts()
            assert len(texts) == len(set(texts)) > 1
            referee.apply(policies[referee.current_player](referee, rng))
    assert sum(referee.returns()) == 0 and sum(referee.outcome().shares) == 1


@pytest.mark.parametrize("name", ["taranaki", "flagstaff", "waikato"])
def test_games_end(name: str) -> None:
    """[1.0] The invariants hold at every node of shipped scenarios."""
    play(Referee(Rules(CONTENT, name)), random.Random(0))


def test_crowds_end() -> None:
    """[1.0] They hold where many pieces stand in few hexes."""
    for seed in range(4):
        scenarios = {"scenarios": {"crowd": crowd(CONTENT, seed)}}
        play(Referee(Rules({**CONTENT, "scenarios": scenarios}, "crowd")), random.Random(seed))
