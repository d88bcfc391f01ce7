"""Schedules: pairs with swapped sides and the same seed, round robin, gauntlet, Swiss."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from refusals import refuses, refuses_each

from hawaii_env.arena import schedule
from hawaii_env.arena.schedule import Meeting
from hawaii_env.errors import OptionError


def test_a_pair_swaps_sides_and_shares_its_seed() -> None:
    first, second = Meeting(("a", "b"), 3).games(seed=7)
    assert (first.seats, second.seats) == (("a", "b"), ("b", "a"))
    assert first.seed == second.seed
    assert first.pairing == second.pairing
    assert first.key != second.key
    assert len({*first.seeds, *second.seeds}) == 4
    assert 0 <= first.seed < 2**53
    assert all(0 <= seed < 2**31 for seed in first.seeds)


def test_more_players_sit_in_every_seat_once() -> None:
    games = Meeting(("a", "b", "c"), 0).games(seed=0)
    for seat in range(3):
        assert sorted(game.seats[seat] for game in games) == ["a", "b", "c"]
    assert len({game.seed for game in games}) == 1


def test_seeds_depend_on_the_tournament_and_the_meeting_alone() -> None:
    assert Meeting(("a", "b"), 0).games(1) == Meeting(("a", "b"), 0).games(1)
    seeds = {
        Meeting(players, number).games(seed)[0].seed
        for players in (("a", "b"), ("a", "c"))
        for number in (0, 1)
        for seed in (0, 1)
    }
    assert len(seeds) == 8


def test_round_robin() -> None:
    meetings = schedule.round_robin(["c", "a", "b"], pairs=2)
    assert Counter(meeting.players for meeting in meetings) == {("a", "b"): 2, ("a", "c"): 2, ("b", "c"): 2}
    assert [meeting.number for meeting in meetings] == [0, 0, 0, 1, 1, 1]
    assert set(schedule.round_robin(["b", "a"], 2)) < set(meetings)
    assert len(schedule.round_robin([*"abcd"], 1, seats=3)) == 4


def test_gauntlet() -> None:
    meetings = schedule.gauntlet(["c", "a", "b"], pairs=1)
    assert [meeting.players for meeting in meetings] == [("a", "c"), ("b", "c")]
    assert all("d" in meeting.players for meeting in schedule.gauntlet([*"dabc"], 1, seats=3))
    assert len(schedule.gauntlet([*"dabc"], 1, seats=3)) == 3


@pytest.mark.parametrize(
    ("players", "pairs", "text"),
    [
        (["a"], 1, "2 agents sit"),
        (["a", "b"], 2**40, "pairs: .* meetings are too many; at most"),
        (["a", "a"], 1, "'a' was named 2 times"),
    ],
)
def test_wrong_arguments_are_rejected(players: Any, pairs: Any, text: str) -> None:
    refuses_each(OptionError, text, lambda make: make(players, pairs), (schedule.round_robin, schedule.gauntlet))
    refuses(OptionError, ("'a' was named 2 times", lambda: schedule.swiss_round(["a", "a"], {}, {})))


@pytest.mark.parametrize("count", [2, 3, 4, 5, 6, 7, 8, 11, 16, 20])
def test_swiss_repeats_no_meeting_while_that_can_be_avoided(count: int) -> None:
    players = [f"p{i}" for i in range(count)]
    choose = random.Random(count)
    met: Counter[frozenset[str]] = Counter()
    byes: Counter[str] = Counter()
    points: Counter[str] = Counter()
    # After half the rounds of a round robin, a round without repetition always exists (Dirac); greedy pairing fails
    # before.
    rounds = max(1, count // 2)
    for _ in range(rounds):
        pairs, bye = schedule.swiss_round(players, points, met, byes)
        assert sorted([player for pair in pairs for player in pair] + ([bye] if bye else [])) == sorted(players)
        assert (bye is None) == (count % 2 == 0)
        for pair in pairs:
            assert not met[frozenset(pair)]
            met[frozenset(pair)] += 1
            points[choose.choice(pair)] += 1
        if bye:
            byes[bye] += 1
            points[bye] += 1
    assert max(byes.values(), default=0) <= 1


@pytest.mark.parametrize("count", [4, 6, 8])
def test_swiss_goes_on_when_everybody_has_met(count: int) -> None:
    players = [f"p{i}" for i in range(count)]
    met: Counter[frozenset[str]] = Counter()
    for _ in range(2 * count):
        pairs, _ = schedule.swiss_round(players, {}, met)
        assert len(pairs) == count // 2
        met.update(frozenset(pair) for pair in pairs)
    assert max(met.values()) - min(met.values()) <= 3


def test_swiss_finds_the_only_round_that_is_left() -> None:
    # Everybody has met everybody but one: the pairing is forced, and far from the ranking.
    players = [f"p{i}" for i in range(20)]
    free = {frozenset((players[i], players[19 - i])) for i in range(10)}
    met = Counter({frozenset((a, b)): 1 for a in players for b in players if a < b and frozenset((a, b)) not in free})
    pairs, _ = schedule.swiss_round(players, {}, met)
    assert {frozenset(pair) for pair in pairs} == free


def test_swiss_pairs_by_points() -> None:
    pairs, bye = schedule.swiss_round(["a", "b", "c", "d"], {"c": 2, "a": 1, "d": 2}, {})
    assert pairs == [("c", "d"), ("a", "b")]
    assert bye is None
    _, bye = schedule.swiss_round(["a", "b", "c"], {"a": 1}, {}, {"c": 1})
    assert bye == "b"
