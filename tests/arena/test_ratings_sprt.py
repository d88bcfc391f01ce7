"""The sequential test and the interval of a score: their formulas, and how often they err."""

import math
from typing import Any

import numpy as np
import pytest
from refusals import refuses, refuses_each

from hawaii_env.arena.ratings import GameResult, Sprt, elo_of_score, pair_scores, score_interval, score_of_elo
from hawaii_env.arena.sprt import log_likelihood_ratio, mean_interval
from hawaii_env.errors import OptionError, RecordError

WIN, TIE, LOSS = (1.0, 0.0), (0.5, 0.5), (0.0, 1.0)
SHAPE = np.array([0.15, 0.2, 0.3, 0.2, 0.15])
VALUES = np.array([0.0, 0.25, 0.5, 0.75, 1.0])


def tilted(elo: float, shape: np.ndarray = SHAPE) -> np.ndarray:
    """Chances of the five pair scores with the mean that a lead stands for."""
    low, high = -60.0, 60.0
    chances = shape
    for _ in range(100):
        middle = 0.5 * (low + high)
        chances = shape * np.exp(middle * VALUES)
        chances = chances / chances.sum()
        low, high = (middle, high) if chances @ VALUES < score_of_elo(elo) else (low, middle)
    return chances


def share_of_h1(elo: float, elo0: float, elo1: float, tests: int, shape: np.ndarray = SHAPE) -> tuple[float, float]:
    """Many tests side by side with a true lead: how many say H1, and the mean number of pairs."""
    generator = np.random.default_rng(7)
    bounds = Sprt(elo0, elo1)
    counts = np.zeros((tests, 5))
    chances = tilted(elo, shape)
    alive, wins, pairs = np.arange(tests), 0, 0
    for _ in range(3000):
        counts[alive, generator.choice(5, size=len(alive), p=chances)] += 1
        pairs += len(alive)
        ratio = log_likelihood_ratio(counts[alive], elo0, elo1)
        wins += int((ratio >= bounds.upper).sum())
        alive = alive[(ratio < bounds.upper) & (ratio > bounds.lower)]
        if not len(alive):
            break
    assert not len(alive)
    return wins / tests, pairs / tests


@pytest.mark.parametrize("shape", [SHAPE, np.array([0.4, 0.0, 0.2, 0.0, 0.4])], ids=["spread", "no ties"])
@pytest.mark.slow
def test_errors_are_as_frequent_as_promised(shape: np.ndarray) -> None:
    tests = 300
    false, pairs0 = share_of_h1(0.0, 0.0, 100.0, tests, shape)
    found, pairs1 = share_of_h1(100.0, 0.0, 100.0, tests, shape)
    slack = 3 * math.sqrt(0.05 * 0.95 / tests)
    assert 0.01 < false < 0.05 + slack and 0.01 < 1 - found < 0.05 + slack
    assert pairs0 < 150 and pairs1 < 150


def test_a_lead_between_the_hypotheses_is_a_toss_up() -> None:
    middle, _ = share_of_h1(50.0, 0.0, 100.0, 300)
    assert 0.35 < middle < 0.65


@pytest.mark.filterwarnings("ignore:Values in x were outside bounds:RuntimeWarning")  # SciPy's before 1.16
def test_the_ratio_is_that_of_the_constrained_maximum_likelihoods() -> None:
    optimize = pytest.importorskip("scipy.optimize")
    counts = np.array([7.0, 3.0, 12.0, 5.0, 13.0])

    def best(score: float) -> float:
        given = [
            {"type": "eq", "fun": lambda p: p.sum() - 1},
            {"type": "eq", "fun": lambda p: p @ VALUES - score},
        ]
        found = optimize.minimize(
            lambda p: -counts @ np.log(np.maximum(p, 1e-12)),
            np.full(5, 0.2),
            bounds=[(1e-9, 1)] * 5,
            constraints=given,
            tol=1e-12,
        )
        return -float(found.fun)

    brute = best(score_of_elo(60)) - best(score_of_elo(-20))
    assert float(log_likelihood_ratio(counts, -20, 60)) == pytest.approx(brute, abs=1e-4)


def test_only_wins_count_as_the_closed_form_says() -> None:
    test = Sprt(0, 20)
    while test.update(2) == "continue":
        pass
    assert test.status == "H1" and test.counts.tolist() == [0, 0, 0, 0, test.pairs]
    assert test.llr == pytest.approx(test.pairs * math.log(score_of_elo(20) / 0.5))
    assert test.llr >= test.upper > test.llr - math.log(score_of_elo(20) / 0.5)


def test_a_verdict_stays_and_is_described() -> None:
    test = Sprt(0, 100)
    assert "undecided" in test.describe() and math.isnan(test.score)
    while test.update(0.5) == "continue":
        pass
    assert test.status == "H0"
    pairs = test.pairs
    for _ in range(200):
        assert test.update(2.0) == "H0"
    assert test.pairs == pairs + 200 and test.llr > test.upper
    assert "H0: the lead is 0 Elo rather than 100" in test.describe() and f"{test.pairs} pairs" in repr(test)


def test_bounds_are_those_of_wald() -> None:
    test = Sprt(0, 10, alpha=0.01, beta=0.1)
    assert test.upper == pytest.approx(math.log(0.9 / 0.01)) and test.lower == pytest.approx(math.log(0.1 / 0.99))


def test_bad_arguments_are_rejected() -> None:
    refuses_each(OptionError, "elo1 must be above elo0", lambda arguments: Sprt(*arguments), ((10, 10), (10, 0)))
    odd: list[tuple[Any, Any]] = [(0, 1e9), (-5000, 0), (math.nan, 3)]
    refuses_each(OptionError, r"elo[01]", lambda arguments: Sprt(*arguments), odd)
    assert (score_of_elo(1e9), score_of_elo(-1e9)) == (1.0, pytest.approx(0.0))
    refuses(
        OptionError,
        (r"alpha: expected a number above 0 and below 0.5", lambda: Sprt(0, 10, alpha=0.5)),
        (r"pair score 0.7: .* 0, 0.5, 1, 1.5 or 2", lambda: Sprt(0, 10).update(0.7)),
    )


def test_scores_and_elo_are_each_others_inverse() -> None:
    for elo in (-700.0, -1.0, 0.0, 35.0, 400.0):
        assert elo_of_score(score_of_elo(elo)) == pytest.approx(elo)
    assert score_of_elo(400) == pytest.approx(10 / 11)
    assert (elo_of_score(0.0), elo_of_score(1.0)) == (-math.inf, math.inf)


def test_pairs_are_two_games_with_the_sides_swapped() -> None:
    games = [
        GameResult(("a", "b"), WIN, "1"),
        GameResult(("a", "b"), TIE, "2"),
        GameResult(("b", "a"), LOSS, "1"),
        GameResult(("a", "c"), WIN, "1"),  # others
        GameResult(("a", "b"), WIN, "2"),  # the same side again
        GameResult(("b", "a"), TIE, "2"),
        GameResult(("a", "b"), LOSS),  # without a pairing
        GameResult(("b", "a"), TIE, "3", forfeit=0),  # alone
    ]
    assert pair_scores(games, "a", "b") == ([2.0, 1.0], 3)
    assert pair_scores(games, "b", "a") == ([0.0, 1.0], 3)
    refuses(RecordError, ("sum to 2", lambda: pair_scores([GameResult(("a", "b"), (1.0, 1.0), "1")], "a", "b")))


def test_the_interval_counts_pairs() -> None:
    # The first seat always wins: every pair is 1 of 2, and the games say nothing that the pairs do not.
    games = [GameResult(seats, WIN, str(k)) for k in range(50) for seats in (("a", "b"), ("b", "a"))]
    found = score_interval(games, "a", "b")
    assert (found.mean, found.pairs, found.games, found.left_over) == (0.5, 50, 100, 0)
    assert 0.45 < found.low < 0.5 < found.high < 0.55
    assert "50.0%" in str(found) and "50 pairs, 100 games" in str(found)
    nobody = score_interval(games, "a", "c")
    assert math.isnan(nobody.mean) and (nobody.low, nobody.high, nobody.pairs) == (0.0, 1.0, 0)


def test_the_interval_of_games_of_three_is_over_pairings() -> None:
    games = [
        GameResult(("a", "b", "c"), (1.0, 0.0, 0.0), "1"),
        GameResult(("b", "c", "a"), (0.5, 0.0, 0.5), "1"),
        GameResult(("c", "a", "b"), (1.0, 0.0, 0.0), "2"),  # says nothing about a and b
        GameResult(("c", "a", "b"), (0.0, 0.0, 1.0), "3"),
    ]
    found = score_interval(games, "a", "b")
    assert (found.mean, found.pairs, found.games) == (0.375, 2, 3)


def test_an_interval_is_never_of_no_width_nor_outside() -> None:
    mean, low, high = mean_interval([1.0] * 500)
    t = 1.96472  # Student's, 499 degrees of freedom
    assert (mean, high) == (1.0, 1.0) and low == pytest.approx(math.exp(-t * t / 2 / 500), abs=1e-6)
    assert mean_interval([0.0] * 500)[2] == pytest.approx(1 - low, abs=1e-6)
    assert mean_interval([0.25]) == (0.25, 0.0, 1.0)
    assert math.isnan(mean_interval([])[0])


@pytest.mark.parametrize("elo", [0.0, pytest.param(400.0, marks=pytest.mark.slow)])
def test_intervals_hold_the_truth_as_often_as_they_say(elo: float) -> None:
    generator = np.random.default_rng(1)
    chances = tilted(elo)
    held = 0
    for _ in range(100):
        _, low, high = mean_interval(generator.choice(VALUES, size=60, p=chances).tolist())
        held += low <= score_of_elo(elo) <= high
    assert 0.90 < held / 100 < 0.995
