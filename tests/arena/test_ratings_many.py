"""Ratings of games of more than two players: the model of Plackett and Luce, shares and places, forfeits, intervals."""

import json
import math
from itertools import combinations, cycle, islice

import numpy as np
import pytest
from refusals import refuses

from hawaii_env.arena import standings
from hawaii_env.arena.plackett_luce import ELO, FEW, PlackettLuce
from hawaii_env.arena.ratings import GameResult, Ratings, fit, score_interval
from hawaii_env.arena.result import comparisons, counted, places_of
from hawaii_env.errors import OptionError

pytest.importorskip("scipy")

STRENGTHS = {"random": 0.0, "a": 80.0, "b": 200.0, "c": 300.0, "d": 450.0, "e": 600.0}
SEATS = (60.0, 20.0, -20.0, -60.0)


def play(elo: dict[str, float], meetings: int, seed: int = 0, winner: bool = False) -> list[GameResult]:
    """Meetings at tables of four, seated in all rotations; places by the model (Gumbel noise), or the winner alone."""
    generator = np.random.default_rng(seed)
    games = []
    for k, table in enumerate(islice(cycle(combinations(elo, 4)), meetings)):
        around = [table[i] for i in generator.permutation(4)]
        for rotation in range(4):
            seats = tuple(around[rotation:] + around[:rotation])
            worth = np.array([(elo[p] + s) / ELO for p, s in zip(seats, SEATS, strict=True)]) + generator.gumbel(size=4)
            places = tuple(int(1 + (worth > w).sum()) for w in worth)
            shares = tuple(float(place == 1) for place in places)
            games.append(GameResult(seats, shares, str(k), places=() if winner else places))
    return games


@pytest.mark.parametrize("winner", [False, True])
def test_known_strengths_and_seats_are_found(winner: bool) -> None:
    games = play(STRENGTHS, 150, seed=1, winner=winner)
    found = fit(games, by="shares" if winner else "places")
    assert found.players[:3] == ("e", "d", "c") and found.warnings == ()
    for player, strength in STRENGTHS.items():
        assert found[player].low <= strength <= found[player].high
        assert found[player].high - found[player].low < (300 if winner else 130)
    assert all(seat.low <= truth <= seat.high for seat, truth in zip(found.seats, SEATS, strict=True))
    assert found.side.value == pytest.approx(found.seats[0].value * 4 / 3)
    assert found["e"].seat_games == tuple(sum(g.seats[s] == "e" for g in games) for s in range(4)) == (100,) * 4
    assert math.isnan(found.tie.nu.value)
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["by"] == ("shares" if winner else "places")


def held(meetings: int, tournaments: int) -> tuple[float, float]:
    """How often the intervals of simulated tournaments hold the strengths, and the seats' worths."""
    strengths, seats = [], []
    for seed in range(tournaments):
        found = fit(play(STRENGTHS, meetings, seed), seed=seed)
        strengths += [found[p].low <= elo <= found[p].high for p, elo in STRENGTHS.items() if p != "random"]
        seats += [seat.low <= truth <= seat.high for seat, truth in zip(found.seats, SEATS, strict=True)]
    return float(np.mean(strengths)), float(np.mean(seats))


@pytest.mark.slow
@pytest.mark.parametrize("meetings", [5, FEW - 1, 45])
def test_intervals_hold_the_truth_as_often_as_they_say(meetings: int) -> None:
    strengths, seats = held(meetings, 40)
    assert 0.88 <= strengths <= 0.99 and 0.88 <= seats <= 0.99


def test_one_meeting_says_little_and_the_intervals_say_so() -> None:
    found = fit(play(dict(islice(STRENGTHS.items(), 4)), 1))
    assert found.pairings == 1 < FEW
    assert all(row.high - row.low > 300 for row in found.table if row.player != "random")


def model_of(*games: GameResult) -> tuple[PlackettLuce, list[str]]:
    results = [counted(game) for game in games]
    players = sorted({player for game in results for player in game.seats})
    return PlackettLuce(results, players), players


def likelihood(model: PlackettLuce, at: np.ndarray) -> float:
    flat = np.zeros(model.size)
    return -model.loss(flat, flat)[0](at)[0]


def test_the_likelihood_is_that_of_plackett_and_luce() -> None:
    abc = ("a", "b", "c")
    at = np.random.default_rng(0).normal(size=6)
    wa, wb, wc = (math.exp(at[i] + at[3 + i]) for i in range(3))
    ranked = GameResult(abc, (0.0, 1.0, 0.0), places=(2, 1, 3))
    assert likelihood(model_of(ranked)[0], at) == pytest.approx(
        math.log(wb / (wa + wb + wc)) + math.log(wa / (wa + wc))
    )
    # Who are last together are not compared: the winner is all that was seen.
    won = GameResult(abc, (0.0, 0.0, 1.0))
    assert likelihood(model_of(won)[0], at) == pytest.approx(math.log(wc / (wa + wb + wc)))
    # Two level at the top, as Efron has it: the second of them is drawn beside half of both.
    level = GameResult(abc, (0.5, 0.0, 0.5))
    rest = (wa + wc) / 2 + wb
    assert likelihood(model_of(level)[0], at) == pytest.approx(math.log(wa * wc / (wa + wb + wc) / rest))
    # Who forfeits is behind each of the others, who are not compared.
    forfeit = GameResult(abc, (0.5, 0.5, 0.0), forfeit=2)
    assert likelihood(model_of(forfeit)[0], at) == pytest.approx(math.log(wa / (wa + wc)) + math.log(wb / (wb + wc)))
    # A pairing of them all is their sum.
    whole = model_of(ranked, won, level, forfeit)[0]
    assert likelihood(whole, at) == pytest.approx(
        sum(likelihood(model_of(g)[0], at) for g in (ranked, won, level, forfeit))
    )


def test_the_likelihood_is_that_of_statsmodels() -> None:
    phreg = pytest.importorskip("statsmodels.duration.hazard_regression").PHReg
    generator = np.random.default_rng(3)
    players = [*"abcdef"]
    results, lines = [], []
    for number in range(60):
        table, worth = generator.permutation(6)[:4], generator.integers(3, size=4)
        places = tuple(int(1 + (worth > w).sum()) for w in worth)
        results.append(GameResult(tuple(players[i] for i in table), (0.25,) * 4, str(number), places=places))
        # Cox's model, a stratum a game: the last are censored, unless all are level.
        seen = [place < max(places) or max(places) == 1 for place in places]
        lines += [(number, *line) for line in zip(table, range(4), places, seen, strict=True)]
    stratum, player, seat, place, status = np.array(lines, dtype=np.int64).T
    covariates = np.zeros((len(lines), 10))
    covariates[np.arange(len(lines)), player] = covariates[np.arange(len(lines)), 6 + seat] = 1.0
    cox = phreg(place.astype(float), covariates, status=status, strata=stratum, ties="efron")
    model, at, flat = PlackettLuce(results, players), generator.normal(size=10), np.zeros(10)
    loss, curve = model.loss(flat, flat)
    assert -loss(at)[0] == pytest.approx(cox.loglike(at))
    assert -loss(at)[1] == pytest.approx(cox.score(at)) and -curve(at) == pytest.approx(cox.hessian(at))


def test_places_tell_what_shares_do_not() -> None:
    # a always wins; b is always second, c third.
    games = [
        GameResult(
            seats, tuple(float(p == "a") for p in seats), str(k), places=tuple("abc".index(p) + 1 for p in seats)
        )
        for k in range(20)
        for seats in (("a", "b", "c"), ("b", "c", "a"), ("c", "a", "b"))
    ]
    places, shares = (fit(games, anchor="a", bootstrap=20, by=by) for by in ("places", "shares"))
    assert places.players == ("a", "b", "c") and places["b"].elo > places["c"].elo + 300
    assert shares["b"].elo == pytest.approx(shares["c"].elo, abs=0.01) and shares["a"].elo > shares["b"].elo + 300
    assert places.stronger("b", "c") == 1.0 and places.cross["b", "c"].wins == 60
    assert math.isnan(shares.cross["b", "c"].score) and shares.cross["a", "c"].wins == 60
    assert places["b"].place == 2.0 and places["b"].places == (0, 60, 0) and places["b"].score == 0.0
    assert [s.player for s in standings(games, by="places")] == ["a", "b", "c"]
    assert [(s.place, s.score) for s in standings(games)] == [(1.0, 1.0), (2.0, 0.0), (3.0, 0.0)]
    assert score_interval(games, "b", "c").mean == 1.0 and score_interval(games, "b", "c").pairs == 20
    assert score_interval(games, "b", "c", by="shares").pairs == 0


def test_who_wins_always_has_an_interval_that_goes_on() -> None:
    others = [GameResult(("a", "b", "c", "x"), (0.0, 0.0, 0.0, 1.0), str(k)) for k in range(20)]
    mixed = play({"a": 0.0, "b": 50.0, "c": 100.0, "random": 0.0}, 20)
    found = fit(others + mixed)
    assert any("one-sided" in warning and "x" in warning for warning in found.warnings)
    assert found["x"].low < found["x"].elo < found["x"].high and found["x"].high - found["x"].elo > 300


def test_a_forfeit_is_behind_all_and_says_nothing_of_the_others() -> None:
    seats = ("a", "b", "c", "bad")
    games = [GameResult(seats, (0.2, 0.2, 0.6, 0.0), str(k), forfeit=3, scores=None) for k in range(25)]
    assert counted(games[0]).places == (1, 1, 1, 4) and sum(counted(games[0]).shares) == pytest.approx(1.0)
    assert list(comparisons(counted(games[0]))) == [(0, 3, 1.0), (1, 3, 1.0), (2, 3, 1.0)]
    found = fit(games, anchor=None, bootstrap=20)
    assert (found["bad"].forfeits, found["bad"].losses, found["bad"].places) == (25, 25, (0, 0, 0, 25))
    assert found.players[-1] == "bad" and found["a"].elo - found["bad"].elo > 300
    assert found.cross["a", "bad"].wins == 25 and math.isnan(found.cross["a", "b"].score)
    assert (found["a"].games, found["a"].place) == (25, 1.0) and math.isnan(found["a"].points)


def test_points_are_means_over_the_games_that_were_played_out() -> None:
    games = [
        GameResult(("a", "b", "c"), (1.0, 0.0, 0.0), scores=(9.0, 4.0, 2.0)),
        GameResult(("b", "c", "a"), (0.0, 0.5, 0.5), scores=(1.0, 7.0, 7.0)),
        GameResult(("c", "a", "b"), (0.0, 0.5, 0.5), forfeit=0),
    ]
    found = fit(games, anchor=None, bootstrap=0)
    assert [found[p].points for p in "abc"] == [8.0, 2.5, 4.5]
    assert [found[p].places for p in "abc"] == [(3, 0, 0), (1, 1, 1), (1, 1, 1)]
    assert {s.player: (s.points, s.place) for s in standings(games)}["b"] == (2.5, 2.0)


def test_places_that_follow_from_shares() -> None:
    assert places_of((0.5, 0.0, 0.5, 0.0)) == (1, 3, 1, 3)
    assert places_of((0.2, 0.5, 0.3)) == (3, 1, 2)


def test_order_names_and_seeds() -> None:
    games = play(STRENGTHS, 25)
    found = fit(games, bootstrap=30, seed=1)
    shuffled = fit([games[i] for i in np.random.default_rng(1).permutation(len(games))], bootstrap=0)
    assert all(shuffled[p].elo == pytest.approx(found[p].elo, abs=1e-3) for p in STRENGTHS)
    again, other = (fit(games, bootstrap=30, seed=seed) for seed in (1, 2))
    assert np.array_equal(found.samples, again.samples) and not np.array_equal(found.samples, other.samples)


def test_statistics_of_two_players_reject_more() -> None:
    found: Ratings = fit(play(STRENGTHS, 15), bootstrap=0)
    refuses(OptionError, ("for games of two players", lambda: found.probabilities("a", "b")))
    lead = found["b"].elo - found["a"].elo
    assert found.expected("b", "a") == pytest.approx(1 / (1 + 10 ** (-lead / 400)))
