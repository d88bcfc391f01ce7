"""Ratings: the model finds what made the games, and says how sure it is."""

import json
import math
from itertools import combinations

import numpy as np
import pytest
from refusals import refuses
from waiting import python

from hawaii_env.arena import ratings
from hawaii_env.arena.plackett_luce import ELO, PlackettLuce
from hawaii_env.arena.ratings import GameResult, Prior, fit
from hawaii_env.errors import OptionError, RecordError

WIN, TIE, LOSS = (1.0, 0.0), (0.5, 0.5), (0.0, 1.0)
FLAT = Prior(strength=1e5, seat=1e5, tie_spread=1e3)


def play(elo: dict[str, float], pairs: int, side: float = 0.0, nu: float = 0.5, seed: int = 0) -> list[GameResult]:
    """Pairs of games with the sides swapped, as many of each two players, drawn from the model."""
    generator = np.random.default_rng(seed)
    games = []
    for a, b in combinations(elo, 2):
        for k in range(pairs):
            for first, second in ((a, b), (b, a)):
                x = (elo[first] - elo[second] + side) / ELO
                chances = np.array([math.exp(x / 2), nu, math.exp(-x / 2)])
                scores = (WIN, TIE, LOSS)[generator.choice(3, p=chances / chances.sum())]
                games.append(GameResult((first, second), scores, f"{a}-{b}-{k}"))
    return games


def swapped(a: str, b: str, wins: int, ties: int, losses: int) -> list[GameResult]:
    """As many wins, ties and losses of `a` from either seat."""
    games = []
    for scores, count in ((WIN, wins), (TIE, ties), (LOSS, losses)):
        for _ in range(count):
            games += [GameResult((a, b), scores), GameResult((b, a), scores[::-1])]
    return games


def test_two_players_are_as_the_closed_form_says() -> None:
    found = fit(swapped("a", "b", 60, 25, 15), anchor="b", prior=FLAT, bootstrap=0)
    assert found["a"].elo == pytest.approx(400 * math.log10(60 / 15), abs=1e-3)
    assert found["b"].elo == 0.0
    assert found.tie.nu.value == pytest.approx(25 / math.sqrt(60 * 15), rel=1e-5)
    assert found.tie.share.value == pytest.approx(found.tie.nu.value / (2 + found.tie.nu.value))
    assert found.side.value == pytest.approx(0.0, abs=1e-6)
    assert found.expected("a", "b") == pytest.approx(0.6 + 0.125, abs=1e-6)
    assert found.probabilities("a", "b") == pytest.approx((0.6, 0.25, 0.15), abs=1e-6)


def test_the_side_of_two_players_is_as_the_closed_form_says() -> None:
    games = [GameResult(("a", "b"), WIN)] * 80 + [GameResult(("a", "b"), LOSS)] * 20
    games += [GameResult(("b", "a"), WIN)] * 60 + [GameResult(("b", "a"), LOSS)] * 40
    found = fit(games, anchor="b", prior=Prior(1e5, 1e5, ties=1e-6, tie_spread=1e-3), bootstrap=0)
    first, second = 400 * math.log10(80 / 20), 400 * math.log10(60 / 40)  # the first player's lead in either order
    assert found["a"].elo == pytest.approx((first - second) / 2, abs=0.01)
    assert found.side.value == pytest.approx((first + second) / 2, abs=0.01)
    assert found.side.value == pytest.approx(found.seats[0].value - found.seats[1].value)


def test_known_strengths_side_and_ties_are_found() -> None:
    elo = {"random": 0.0, "a": 150.0, "b": 320.0, "c": 400.0, "d": 700.0}
    found = fit(play(elo, 400, side=80.0, nu=0.6), bootstrap=100)
    assert found.players == ("d", "c", "b", "a", "random")
    for player, strength in elo.items():
        row = found[player]
        assert abs(row.elo - strength) < 40
        assert row.low - 15 < strength < row.high + 15
        assert row.low <= row.elo <= row.high
    assert abs(found.side.value - 80) < 15 and found.side.low < found.side.value < found.side.high
    assert abs(found.tie.nu.value - 0.6) < 0.05 and found.tie.nu.low < 0.6 < found.tie.nu.high
    assert found.warnings == () and len(found.components) == 1
    assert found["random"].low == found["random"].high == 0.0


@pytest.mark.slow
def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    elo = {"random": 0.0, "a": 150.0, "b": 300.0, "c": 420.0, "d": 800.0}
    held = []
    for seed in range(100):
        found = fit(play(elo, 15, side=60.0, seed=seed), bootstrap=200, seed=seed)
        held += [found[p].low <= elo[p] <= found[p].high for p in "abcd"]
        held += [found.side.low <= 60 <= found.side.high, found.tie.nu.low <= 0.5 <= found.tie.nu.high]
    assert 0.90 <= np.mean(held) <= 0.98


def test_an_anchor_only_shifts() -> None:
    games = play({"random": 0.0, "a": 200.0, "b": 450.0}, 60)
    found, other, mean = (
        fit(games, bootstrap=0),
        fit(games, anchor="a", bootstrap=0),
        fit(games, anchor=None, bootstrap=0),
    )
    assert other["b"].elo - other["random"].elo == pytest.approx(found["b"].elo, abs=1e-6)
    assert other["a"].elo == 0.0 and other.anchor == "a"
    assert sum(row.elo for row in mean.table) == pytest.approx(0.0, abs=1e-6) and mean.anchor is None
    assert mean.warnings == ()


def test_an_absent_anchor_is_reported() -> None:
    found = fit(swapped("a", "b", 6, 2, 2), bootstrap=10)
    assert found.anchor is None and any("'random' played no game" in warning for warning in found.warnings)
    assert found["a"].elo == pytest.approx(-found["b"].elo)


def test_an_unbeaten_player_is_finite_and_its_interval_honest() -> None:
    found = fit(swapped("a", "random", 250, 0, 0), bootstrap=50)
    row = found["a"]
    # 500 wins: the score that loses none in 500 with probability exp(-1.92) is 1 - 1.92/500
    least = ratings.elo_of_score(1 - 1.92 / 500)
    assert abs(row.low - least) < 60 and 400 < row.high - row.elo < 2500 and math.isfinite(row.elo)
    assert found.stronger("a", "random") == 1.0
    assert any("one-sided" in warning and "a" in warning for warning in found.warnings)
    assert fit(swapped("a", "random", 250, 0, 1), bootstrap=0).warnings == ()


def test_more_wins_without_a_loss_raise_the_lower_end() -> None:
    lows = [fit(swapped("a", "random", n, 0, 0), bootstrap=20)["a"].low for n in (5, 50, 500)]
    assert lows[0] < lows[1] - 200 < lows[2] - 400


@pytest.mark.parametrize("opponents", [5, pytest.param(12, marks=pytest.mark.slow)])
@pytest.mark.parametrize("anchor", [None, "king", "a"])
def test_a_gauntlet_that_one_player_won_throughout_is_ranked(opponents: int, anchor: str | None) -> None:
    others = "abcdefghijkl"[:opponents]
    games = [game for other in others for game in swapped("king", other, 10, 0, 0)]
    found = fit(games, anchor=anchor, bootstrap=4)
    assert found.players == ("king", *others)
    for other in others:
        lead, row = found["king"].elo - found[other].elo, found[other]
        assert 900 < lead < 1300
        assert row.player == anchor or row.low < row.elo < row.high
    assert len({round(found[other].elo, 3) for other in others}) == 1  # all lost alike


def test_all_beat_the_anchor_yet_compare_closely_with_each_other() -> None:
    games = play({"a": 0.0, "b": 100.0, "c": 200.0}, 100)
    for player in "abc":
        games += swapped(player, "random", 20, 0, 0)
    found = fit(games, bootstrap=60)
    assert found["b"].high - found["b"].low > 300
    gap = found.samples[:, found.players.index("c")] - found.samples[:, found.players.index("b")]
    assert np.std(gap) < 30
    assert found.stronger("c", "b") > 0.95


def test_groups_without_a_game_between_them_are_named() -> None:
    found = fit(swapped("a", "random", 6, 2, 2) + swapped("x", "y", 6, 2, 2), bootstrap=30)
    assert found.components == (("a", "random"), ("x", "y"))
    assert any("2 groups" in warning and "x, y" in warning for warning in found.warnings)
    assert found["x"].high - found["x"].low > 800 > found["a"].high - found["a"].low


def test_a_forfeit_is_a_loss_whatever_the_shares() -> None:
    games = [GameResult(("a", "b"), TIE, forfeit=0), GameResult(("b", "a"), WIN, forfeit=1)]
    found = fit(games, anchor=None, bootstrap=0)
    assert (found["a"].losses, found["a"].forfeits, found["a"].ties, found["b"].wins) == (2, 2, 0, 2)
    assert found["b"].elo > 100 and found.cross["b", "a"].score == 1.0


def test_pairings_are_resampled_not_games() -> None:
    # In each pair the first seat wins both games: a's score is 1 of 2 in every pair, without any spread.
    games = [GameResult(seats, WIN, str(k)) for k in range(100) for seats in (("a", "b"), ("b", "a"))]
    games += [GameResult(seats, LOSS, f"x{k}") for k in range(20) for seats in (("a", "b"), ("b", "a"))]
    paired = fit(games, anchor="b", bootstrap=100)
    single = fit([GameResult(g.seats, g.shares) for g in games], anchor="b", bootstrap=100)
    assert paired["a"].elo == pytest.approx(single["a"].elo, abs=1e-4)
    assert paired["a"].high - paired["a"].low < 0.5 * (single["a"].high - single["a"].low)
    assert (paired.pairings, single.pairings) == (120, 240)


def test_tables_count_the_games() -> None:
    games = [
        GameResult(("a", "b"), WIN, "1", decisions=(100, 80), seconds=(2.0, 1.0)),
        GameResult(("b", "a"), TIE, "1", decisions=(60, 50), seconds=(1.0, 1.0)),
        GameResult(("a", "c"), LOSS, "2"),
        GameResult(("a", "a"), WIN, "3"),
    ]
    found = fit(games, anchor=None, bootstrap=5)
    row = found["a"]
    assert (row.games, row.wins, row.ties, row.losses, row.score) == (3, 1, 1, 1, 0.5)
    assert row.seat_games == (2, 1) and row.seat_scores == (0.5, 0.5)
    assert row.decisions == 150 and row.decisions_per_second == 50.0
    assert math.isnan(found["c"].decisions_per_second) and math.isnan(found["c"].seat_scores[0])
    cell = found.cross["a", "b"]
    assert (cell.games, cell.wins, cell.ties, cell.losses, cell.score) == (2, 1, 1, 0, 0.75)
    assert found.cross["b", "a"].score == 0.25 and ("b", "c") not in found.cross
    assert found.games == 4
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["table"][0]["player"] == found.players[0]


def test_the_gradient_and_the_curvature_are_those_of_the_loss() -> None:
    games = play({"random": 0.0, "a": 200.0, "b": 300.0}, 20, side=50.0)
    model = PlackettLuce(games, ["a", "b", "random"])
    generator = np.random.default_rng(0)
    at = generator.normal(size=model.size)
    loss, curve = model.loss(np.zeros(model.size), np.full(model.size, 0.3))
    slope, bend, step = loss(at)[1], curve(at), 1e-5
    for i in range(model.size):
        move = np.zeros(model.size)
        move[i] = step
        assert slope[i] == pytest.approx((loss(at + move)[0] - loss(at - move)[0]) / (2 * step), abs=1e-4)
        assert bend[i] == pytest.approx((loss(at + move)[1] - loss(at - move)[1]) / (2 * step), abs=1e-4)


def test_superiority_is_a_probability() -> None:
    found = fit(play({"random": 0.0, "a": 200.0, "b": 210.0}, 40), bootstrap=80)
    assert np.allclose(found.superiority + found.superiority.T, 1.0) and np.all(np.diag(found.superiority) == 0.5)
    assert found.stronger("a", "random") > 0.99 and 0.0 < found.stronger("a", "b") < 1.0
    refuses(OptionError, ("'x' is not rated; rated are", lambda: found.stronger("x", "a")))


def test_without_bootstrap_there_are_no_intervals() -> None:
    found = fit(swapped("a", "random", 6, 2, 2), bootstrap=0)
    assert math.isnan(found["a"].low) and math.isnan(found.side.high) and np.isnan(found.superiority).all()
    assert found.samples.shape == (0, 2) and found.to_dict()["table"][0]["low"] is None


def test_nothing_one_game_and_only_ties_are_rated() -> None:
    assert fit([]).table == () and fit([]).warnings == ("There are no games to rate.",)
    one = fit([GameResult(("a", "b"), WIN)], bootstrap=10)
    assert one["a"].elo > one["b"].elo and math.isfinite(one["a"].high)
    ties = fit([GameResult(("a", "random"), TIE)] * 20, bootstrap=10)
    assert ties["a"].elo == pytest.approx(0.0, abs=1e-6) and ties.tie.share.value > 0.9
    alone = fit([GameResult(("a", "a"), WIN)] * 20 + [GameResult(("a", "a"), LOSS)] * 5, anchor="a", bootstrap=10)
    assert alone.side.value > 100 and alone["a"].games == 0 and math.isnan(alone["a"].score)


def test_a_player_who_ties_more_than_others_has_a_tie_term() -> None:
    games = swapped("a", "random", 60, 5, 35) + swapped("dull", "random", 30, 60, 10) + swapped("a", "dull", 35, 35, 30)
    found = fit(games, bootstrap=0)
    assert found["dull"].tie > 1.5 and found["a"].tie < 1.0
    assert found.probabilities("dull", "random")[1] > found.probabilities("a", "random")[1] + 0.2


def test_chi_squared_is_small_for_ladders_and_large_for_circles() -> None:
    ladder = fit(play({"random": 0.0, "a": 100.0, "b": 200.0, "c": 300.0}, 200), bootstrap=0)
    assert ladder.goodness.degrees == 3 and ladder.goodness.fits and "chi-squared" in ladder.verdict
    circle = fit(
        swapped("a", "b", 80, 0, 20) + swapped("b", "c", 80, 0, 20) + swapped("c", "a", 80, 0, 20), bootstrap=0
    )
    # All ratings are equal; each of three scores of 320 in 400 is 120 off, with a variance of 400 / 4
    assert circle.goodness.chi_squared == pytest.approx(3 * 60**2 / 50, rel=5e-3) and circle.goodness.degrees == 1
    assert not circle.goodness.fits and circle.goodness.p_value < 1e-6 and "no Elo is shown" in circle.verdict
    nash = circle.nash()
    assert nash is not None and nash.mass == pytest.approx([1 / 3] * 3, abs=1e-4)


def test_nash_averages_are_those_of_games_worked_out_by_hand() -> None:
    circle = np.array([[0.5, 1.0, 0.0], [0.0, 0.5, 1.0], [1.0, 0.0, 0.5]])
    copies = circle[np.ix_([0, 0, 1, 2], [0, 0, 1, 2])]  # the copy shares its original's part
    assert ratings.nash_average(copies).mass == pytest.approx([1 / 6, 1 / 6, 1 / 3, 1 / 3], abs=1e-4)
    skewed = np.array([[0.5, 0.6, 0.2], [0.4, 0.5, 0.9], [0.8, 0.1, 0.5]])  # edges 1, 4, 3: masses as the others' edges
    assert ratings.nash_average(skewed).mass == pytest.approx([4 / 8, 3 / 8, 1 / 8], abs=1e-4)
    best = ratings.nash_average(np.array([[0.5, 0.9], [0.1, 0.5]]))
    assert best.mass.tolist() == [1.0, 0.0] and best.score == pytest.approx([0.5, 0.1])
    for wrong, words in ((np.array([[0.5, np.nan], [np.nan, 0.5]]), "never met"), (circle + 0.1, "add up to 1")):
        refuses(OptionError, (words, lambda wrong=wrong: ratings.nash_average(wrong)))


@pytest.mark.parametrize(
    ("game", "message"),
    [
        (GameResult(("a",), (1.0,)), "seats: a rated game needs two"),
        (GameResult(("a", "b"), (1.0,)), "shares: 1 shares for 2 seats"),
        (GameResult(("a", "b"), (1.0, 1.0)), "sum to 2"),
        (GameResult(("a", "b"), (1.5, -0.5)), "not all from 0 to 1"),
        (GameResult(("a", "b"), (math.nan, 0.5)), "not all from 0 to 1"),
        (GameResult(("a", "b"), WIN, forfeit=-1), "seat -1 is not from 0 to 1"),
        (GameResult(("a", "b"), WIN, forfeit=2), "seat 2 is not from 0 to 1"),
        (GameResult(("a", "b"), WIN, places=(1,)), "places: 1 places for 2 seats"),
        (GameResult(("a", "b"), WIN, places=(1, 3)), "each is 1 and how many are before it"),
        (GameResult(("a", "b"), WIN, places=(0, 1)), "each is 1 and how many are before it"),
        (GameResult(("a", "b"), WIN, scores=(1.0, 2.0, 3.0)), "scores: 3 scores for 2 seats"),
    ],
)
def test_games_that_cannot_be_are_rejected(game: GameResult, message: str) -> None:
    refuses(RecordError, (message, lambda: fit([game])))


def test_scipy_is_imported_when_it_is_needed_and_its_extra_named() -> None:
    code = (
        "import sys; sys.modules['scipy'] = None\n"
        "from hawaii_env.arena.ratings import GameResult, Sprt, fit\n"
        "Sprt(0, 10).update(2.0)\n"
        "try: fit([GameResult(('a', 'b'), (1.0, 0.0))])\n"
        "except ModuleNotFoundError as error: print(error)\n"
    )
    assert "hawaii-env[arena]" in python(code).stdout
