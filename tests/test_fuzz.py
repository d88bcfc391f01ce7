"""The fuzzer finds what is wrong, saves it, and repeats it."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from refusals import refuses
from toy import ToyGame, ToyState

from hawaii_env import fuzz, list_games, load_game, records
from hawaii_env.errors import RecordError
from hawaii_env.game import Decision, State
from hawaii_env.hawaii1795 import Game as Hawaii
from hawaii_env.heiau.ruleset import Ruleset
from hawaii_env.state_checks import check_chance


class Rich(ToyGame):
    """Its invariant fails now and then."""

    def invariants(self, state: State) -> None:
        assert isinstance(state, ToyState)
        assert state.points[1] < 5, "green has too much"


class Leaky(ToyGame):
    """A position that JSON does not bring back."""

    def state_from_json(self, text: str) -> ToyState:
        data = json.loads(text)
        data["points"] = [min(points, 2) for points in data["points"]]
        return super().state_from_json(json.dumps(data))


class Crashing(ToyGame):
    """Crashes in the middle of some games."""

    def invariants(self, state: State) -> None:
        assert isinstance(state, ToyState)
        if state.points[0] >= 3:
            raise ZeroDivisionError("division by zero")


class Endless(ToyGame):
    """Promises fewer decisions than it asks."""

    def __init__(self, rounds: int = 4) -> None:
        super().__init__(rounds)
        self.max_decisions = 3


class Batched(Rich):
    """Has a compiled fuzzer, as it were."""

    calls: list[int]

    def __init__(self, rounds: int = 4) -> None:
        super().__init__(rounds)
        self.calls = []

    def fuzz_batch(self, seeds: Any) -> int:
        self.calls.append(len(seeds))
        return next((i for i, seed in enumerate(seeds) if seed == 5017), -1)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.rounds,)


class Fine(Batched):
    """Its checks in Python find nothing."""

    def invariants(self, state: State) -> None:
        del state


class Bad(Batched):
    """Fails only in games that begin with certain choices, which it tells."""

    def invariants(self, state: State) -> None:
        assert isinstance(state, ToyState)
        assert state.points[2] != 3 or state.hands != [[2, 3], [1, 3], [1, 2]], "blue has bid 3"

    def fuzz_actions(self, seed: int) -> Sequence[int]:
        return [1, 2, 3, 4]


SCENARIOS = Ruleset.load().scenarios
HOLDING = {
    "toy": (ToyGame(), 30), "toy, long": (ToyGame(rounds=7), 30), "hawaii1795": (Hawaii(), 30),
    "hawaii1795, short": (Hawaii(scenario="short", sea_victor="assault"), 30),
    **{f"aloha, {reward}, {players}, {order}": (load_game("aloha", players=players, turn_order=order, reward=reward), 1)
        for reward in ("win", "rank", "margin") for players in (2, 3, 4) for order in ("most_left", "rounds")},
    **{f"heiau, {name}, {lot}": (load_game("heiau", scenario=name, last_year=3, assignment=lot), 2)
        for name in SCENARIOS for lot in ("fixed", "random")},
    # Many short games, so that level ballots and lots are among them.
    **{f"heiau, {name}, {lot}, a year": (load_game("heiau", scenario=name, last_year=1, assignment=lot), 12)
        for name in ("haole", "two_haoles") for lot in ("fixed", "random")},
}  # fmt: skip
"""Games that are fuzzed, and how many of each: every scenario, number of players and option that alters play."""


@pytest.mark.parametrize(
    "name",
    [  # rewards and lots alter nothing but the end and the beginning of a game
        pytest.param(name, marks=[pytest.mark.slow] * bool(re.match("aloha, (rank|margin), [24]|heiau.*random$", name)))
        for name in HOLDING
    ],
)
def test_games_hold(name: str) -> None:
    game, games = HOLDING[name]
    report = fuzz.fuzz(game, games=games, seed=100, out=None)
    assert report.failure is None
    assert report.games == games
    assert sum(report.wins) == report.checked
    assert report.longest <= game.max_decisions
    check_chance(game.initial_state(seed=100), random.Random(100), steps=60)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        # That of Maori Wars is compiled for this test alone, half a minute.
        *(pytest.param(name, {}, marks=[pytest.mark.slow] if name == "maori_wars" else []) for name in list_games()),
        ("aloha", {"players": 3}),
        ("aloha", {"players": 4}),
    ],
)
def test_compiled_fuzzers_play_the_games_of_python(name: str, options: dict[str, Any]) -> None:
    """Games hold, and are those that the same decisions make in Python."""
    game: Any = load_game(name, **options)
    assert game.fuzz_batch(range(200 if name == "aloha" else 2)) == -1 and game.fuzz_message(7) == ""
    state = game.initial_state(seed=7)
    for action in game.fuzz_actions(7):
        state.apply(action)
    assert state.is_terminal


def test_the_same_seed_plays_the_same_games() -> None:
    first, second = (fuzz.fuzz(ToyGame(), games=40, seed=3, out=None) for _ in range(2))
    assert (first.wins, first.decisions) == (second.wins, second.decisions)


@pytest.mark.slow
def test_several_processes_play_the_same_games() -> None:
    one, two = (fuzz.fuzz(ToyGame(), games=200, seed=3, out=None, jobs=jobs) for jobs in (1, 2))
    assert (one.games, one.wins, one.decisions, one.longest) == (two.games, two.wins, two.decisions, two.longest)


@pytest.mark.parametrize(
    ("game", "message"),
    [
        (Rich(), "green has too much"),
        (Leaky(), "JSON"),
        (Crashing(), "ZeroDivisionError: division by zero"),
        (Endless(), "more than 3 decisions"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_failure_is_saved_and_repeats(game: ToyGame, message: str, tmp_path: Path) -> None:
    report = fuzz.fuzz(game, games=300, seed=1, out=tmp_path / "new" / "folder")
    failure = report.failure
    assert failure is not None
    assert message in failure.message
    assert failure.path is not None
    assert str(failure.path) in str(failure)
    assert "hawaii fuzz --replay" in str(failure)

    record = records.read(failure.path)
    assert record.stopped == failure.message
    assert record.seed == failure.seed
    records.verify(failure.path, game, partial=True)
    again = fuzz.replay_failure(failure.path, game)
    assert again is not None
    assert message in again
    assert (fuzz.replay_failure(failure.path, ToyGame()) is None) == (type(game) is not ToyGame)

    refuses(AssertionError, (f"seed {failure.seed}", lambda: fuzz.check_game(game, failure.seed)))


@pytest.mark.slow
def test_a_failure_in_another_process_is_reported(tmp_path: Path) -> None:
    report = fuzz.fuzz(Rich(), games=300, seed=1, out=tmp_path, jobs=2)
    assert report.failure is not None
    assert report.failure.message == "green has too much"


def test_two_failures_of_one_seed_are_both_kept(tmp_path: Path) -> None:
    for _ in range(2):
        fuzz.fuzz(Rich(), games=300, seed=1, out=tmp_path)
    assert len(list(tmp_path.iterdir())) == 2


def test_a_compiled_fuzzer_plays_the_bulk(tmp_path: Path) -> None:
    game = Fine()
    report = fuzz.fuzz(game, games=5000, seed=0, out=None, every=500)
    assert report.failure is None
    compiling, *calls = game.calls  # before the clock starts
    assert compiling == 1 and report.games == 5000 == sum(calls)
    assert report.checked == 10 and fuzz.fuzz(game, games=5000, seed=3, out=None, every=2000).checked == 3

    report = fuzz.fuzz(game, games=100, seed=5000, out=tmp_path, every=10**6)
    assert report.failure is not None
    assert report.failure.seed == 5017
    assert "find nothing" in report.failure.message


def test_a_compiled_failure_is_played_again(tmp_path: Path) -> None:
    failure = fuzz.fuzz(Bad(), games=100, seed=5000, out=tmp_path, every=10**6).failure
    assert failure is not None
    assert failure.seed == 5017
    assert failure.path is not None
    events = records.read(failure.path).events
    played = [event.action for event in events if isinstance(event, Decision) and not event.forced]
    assert played[:4] == [1, 2, 3, 4]


def test_replaying_what_is_no_record(tmp_path: Path) -> None:
    refuses(RecordError, ("", lambda: fuzz.replay_failure(tmp_path / "missing.jsonl")))
