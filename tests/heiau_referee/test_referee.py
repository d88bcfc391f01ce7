"""[Background] The referee alone: games end, and its answers are those of trying out everything."""

from __future__ import annotations

import random
from itertools import product

import pytest

from . import Referee
from .adjudication import Equations, solve
from .board import Board, Unit, Units
from .orders import Order, legal_orders
from .scenarios import SCENARIOS

BOARD = Board()


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
