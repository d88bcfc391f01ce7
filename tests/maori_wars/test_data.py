"""The data: what the shipped files hold, and what makes a ruleset wrong."""

from __future__ import annotations

import pytest

from hawaii_env.maori_wars.board import distance, neighbours
from hawaii_env.maori_wars.ruleset import Ruleset

SHIPPED = Ruleset.load()


def test_the_map() -> None:
    """547 land hexes, 30 of them mountains; 169 coastal; 328 hexes of sea and one of a lake."""
    board = SHIPPED.board
    terrains = [hex.terrain for hex in board.map.hexes.values()]
    assert len(board.land) == 547 and terrains.count("mountain") == 30 and len(terrains) - 30 == 517
    assert (len(board.coastal), len(board.ocean), board.lake) == (169, 328, {"2132"})
    assert len(board.territories) == 8 and len(board.towns) == 5 and set(board.towns) <= board.coastal


@pytest.mark.parametrize(
    ("scenario", "n", "turns", "chits", "pieces"),
    [("taranaki", 37, 4, 31, 23), ("flagstaff", 103, 4, 27, 32), ("waikato", 205, 6, 36, 60),
     ("campaign", 517, 18, 40, 69)],
)  # fmt: skip
def test_scenarios(scenario: str, n: int, turns: int, chits: int, pieces: int) -> None:
    """[14.0, R-05] Sizes of the theatres, turns, chits, and all pieces that a scenario can have."""
    one, theatre = SHIPPED.scenarios[scenario], SHIPPED.theatre(scenario)
    assert (theatre.n, one.turns, len(SHIPPED.chits_of(scenario))) == (n, turns, chits)
    assert list(theatre.hexes) == sorted(theatre.hexes) and len(theatre.cells) == len(set(theatre.cells))
    units = sum(sum(line.units.values()) + line.neutral for line in one.setup)
    units += sum(sum(line.units.values()) for line in one.arrivals) + sum(sum(b.values()) for b in one.box.values())
    leaders = sum(len(line.leaders) for line in (*one.setup, *one.arrivals))
    assert units + leaders == pieces


def test_neighbours() -> None:
    """[R-03] Sides are named from the north with the clock, and a side is the third on of the hex across."""
    assert neighbours("1134") == ("1133", "1233", "1234", "1135", "1034", "1033")
    assert neighbours("1034") == ("1033", "1134", "1135", "1035", "0935", "0934")
    for at in SHIPPED.board.land:
        assert all(neighbours(other)[(side + 3) % 6] == at for side, other in enumerate(neighbours(at)))
    assert distance("1315", "1418") == 4 == distance("1418", "1315") and distance("1134", "1134") == 0
    assert {distance("1134", other) for other in neighbours("1134")} == {1}
