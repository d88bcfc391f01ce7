"""[Background] The referee alone: the page's own positions, and its answers against trying out everything."""

from __future__ import annotations

import random
from itertools import product

import pytest

from . import Referee
from .adjudication import Equations, Result, adjudicate, solve
from .board import Board, Unit, Units
from .orders import Order, is_route, legal_orders, line, steps
from .scenarios import SCENARIOS

BOARD = Board()


def units_of(*texts: str) -> Units:
    """`dawn B kahului`."""
    found = [Unit(kind, power, place) for power, kind, place in map(str.split, texts)]
    return {unit.space: unit for unit in found}


def resolve(units: Units, **lines: str) -> Result:
    """Orders by space, in one line each without the unit."""
    orders: dict[str, Order] = {}
    for space, unit in units.items():
        wanted = lines.get(space, "H")
        (orders[space],) = {
            order for order in legal_orders(BOARD, units, unit) if line(unit, order, units) == f"{unit.text()} {wanted}"
        }
    return adjudicate(BOARD, units, orders)


def test_the_board() -> None:
    """[Map] 45 spaces, 17 heiaus; Niihau has one border."""
    assert len(BOARD.spaces) == 45 and len(BOARD.heiaus) == 17
    assert BOARD.water["niihau"] == {"kaulakahi"} and BOARD.land["niihau"] == set()


def test_a_failed_move_inland_burns_boats() -> None:
    """Section 8, 1."""
    found = resolve(units_of("dawn B kahului", "dusk A honuaula"), kahului="- honuaula")
    assert found.units["kahului"].text() == "A kahului" and found.burned == {"kahului"}


def test_an_attack_keeps_boats_from_being_built() -> None:
    """Section 8, 2."""
    units = units_of("dawn A kohala", "dusk B hamakua", "dusk B alenuihaha")
    found = resolve(units, kohala="= B", hamakua="- kohala")
    assert found.units["kohala"].text() == "A kohala" and not found.success["kohala"]
    assert resolve(units, kohala="= B").units["kohala"].text() == "B kohala"


def test_a_convoy_to_a_sea() -> None:
    """Section 8, 3."""
    units = units_of("haole F halawa", "dawn B kaunalu", "dawn A lanai")
    assert not any(order.verb == "via" for order in legal_orders(BOARD, units, units["kaunalu"]))
    units = units_of("haole F makanalua/s", "dawn B kaunalu", "dawn A lanai")
    found = resolve(units, makanalua="C B kaunalu - kalohi", kaunalu="- kalohi via")
    assert found.units["kalohi"].text() == "B kalohi"


def test_a_turn_of_race() -> None:
    """Section 8: a year of Race, as it is asked."""
    referee = Referee("race")
    told = "move kawaihae, move hilo, move wailua, move waikiki, hold, move hamakua, hold, move oahu_kailua"
    for text, player in zip(told.split(", "), (0, 0, 1, 1) * 2, strict=True):
        assert referee.decider == player
        referee.answer(text)
    assert referee.phase == "adjustments" and referee.options() == ("build kona_kailua", "build puna", "done")
    for text in ("build puna", "build kona_kailua", "build kilauea", "build aiea"):
        referee.answer(text)
    assert (referee.year, referee.phase, len(referee.units)) == (2, "orders", 8)
    assert all(count == 4 for count in (len(referee.centres(power)) for power in referee.powers))


@pytest.mark.parametrize("name", [row.split(":")[0] for row in SCENARIOS.strip().splitlines()])
def test_random_games_end(name: str) -> None:
    """[Calendar] Within their years, and the returns sum to zero."""
    rng = random.Random(name)
    referee = Referee(name, last_year=6)
    while referee.node is not None:
        assert len(set(referee.options())) == len(referee.options()) > 1
        referee.answer(rng.choice(referee.options()))
    assert referee.year <= 6 and sum(referee.returns()) == 0


def every_way(equations: Equations) -> list[dict[str, bool]]:
    """Which units move, in every way that agrees with all equations; by trying out all there are."""
    movers = [space for what, space in equations.questions if what == "moves"]
    found: list[dict[str, bool]] = []
    for values in product((False, True), repeat=len(movers)):
        guess = dict(zip(movers, values, strict=True))
        answers = {("moves", space): value for space, value in guess.items()}
        for what in ("dislodged", "path", "given"):
            for question in equations.questions:
                if question[0] == what:
                    answers[question] = equations.value(question, answers)
        if all(equations.value(("moves", space), answers) == guess[space] for space in movers):
            found.append(guess)
    return found


def test_answers_against_trying_out_everything() -> None:
    """Section 4.2: the only way that agrees with itself, where there is one; where all of several are circles, most
    move.
    """
    rng = random.Random(2)
    counts = {1: 0, 2: 0}
    for _ in range(50):
        kinds = ["F", "F", *"ABABAB"]
        units: Units = {}
        for space in rng.sample(BOARD.spaces[22:32] + BOARD.spaces[40:43], 8):
            kind = kinds.pop(0)
            if BOARD.kind[space] == "inland":
                kind = "A"
            elif BOARD.kind[space] != "coast" and kind == "A":
                kind = "B"
            units[space] = Unit(kind, rng.choice("xyz"), space)
        orders: dict[str, Order] = {}
        for space, unit in units.items():
            possible = legal_orders(BOARD, units, unit)
            eager = [order for order in possible if order.moving and order.space in units]
            orders[space] = rng.choice(eager if eager and rng.random() < 0.6 else possible)
        equations = Equations(BOARD, units, orders)
        ways = every_way(equations)
        found = {space: value for (what, space), value in solve(equations).items() if what == "moves"}
        if not equations.paradoxes:
            assert found == max(ways, key=lambda way: sum(way.values()))
            assert (len(ways) > 1) == (equations.circles > 0)
            counts[min(len(ways), 2)] += 1
    assert min(counts.values()) > 0


def test_steps_are_unique() -> None:
    """Section 5.1: no two orders are entered alike."""
    units = units_of("x F spo", "y F npo", "x A kalae", "y B hana", "x B makanalua/n", "y A puna")
    for unit in units.values():
        entered = [steps(order) for order in legal_orders(BOARD, units, unit)]
        assert len(set(entered)) == len(entered)
    assert is_route(BOARD, units["kalae"], "hana", [units["spo"], units["npo"]])
