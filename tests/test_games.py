"""The registry of games, and what a spec must have."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from typing import Any

import pytest
from toy import SPEC as TIDES
from toy4 import SPEC as LAGOON

from hawaii_env import fuzz, games
from hawaii_env.errors import OptionError
from hawaii_env.game import Outcome
from hawaii_env.games import Option
from hawaii_env.hawaii1795 import Game


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games, "_registered", {})


def test_installed_games_are_found_by_name() -> None:
    assert "hawaii1795" in games.names()
    assert games.find("hawaii1795").title == "Hawaii, 1795"
    assert games.make("hawaii1795", scenario="short") == Game(scenario="short")
    assert games.get("chess") is None
    with pytest.raises(OptionError, match=r"no game 'chess'; known are: .*hawaii1795"):
        games.find("chess")


def test_options_are_the_arguments_of_the_game() -> None:
    spec = games.find("hawaii1795")
    assert [option.name for option in spec.options] == list(Game().params)
    assert {option.name: option.default for option in spec.options} == dict(Game().params)
    with pytest.raises(OptionError, match=r"hawaii1795 has no option 'players'; it takes: .*scenario"):
        spec.make(players=3)
    by_name = {option.name: option for option in spec.options}
    assert by_name["final_check"].read("True") is True
    with pytest.raises(OptionError, match="sea_victor: allowed are repulsed, assault, not 'home'"):
        by_name["sea_victor"].read("home")
    assert Option(name="n", meaning="a number", default=3).read("7") == 7
    with pytest.raises(OptionError, match="an integer is wanted"):
        Option(name="n", meaning="a number", default=3).read("x")


def test_every_part_of_every_installed_game_loads() -> None:
    for name in games.names():
        spec = games.find(name)
        for part in ("game", "picture", "board", "narrator", "story", "words"):
            assert spec.load(part) is not None or getattr(spec, part) is None
        assert spec.load("game").name == name


def test_registered_games_are_played() -> None:
    games.register(TIDES)
    games.register(LAGOON)
    games.register(LAGOON)  # once more is no collision
    assert {"tides", "lagoon"} <= {*games.names()}
    assert games.make("lagoon", rounds=2).params == {"rounds": 2}


BAD: list[tuple[dict[str, Any], str]] = [
    ({"name": "Tides"}, "lower-case"),
    ({"title": ""}, "game 'tides': title is missing"),
    ({"game": "toy.ToyGame"}, "game 'tides': game is named as 'module:attribute', not 'toy.ToyGame'"),
    ({"game": None}, "game 'tides': game"),
    ({"picture": "nowhere"}, "game 'tides': picture"),
    ({"players": (3, 2)}, "players are the fewest and the most"),
    ({"options": (Option(name="a", meaning=""),)}, "option 'a' has no meaning"),
    ({"options": (Option(name="a", meaning="x"), Option(name="a", meaning="y"))}, "option 'a' stands twice"),
]


@pytest.mark.parametrize(("change", "message"), BAD)
def test_a_spec_that_lacks_something_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        games.register(dataclasses.replace(TIDES, **change))


def test_a_name_is_given_once() -> None:
    games.register(TIDES)
    with pytest.raises(OptionError, match="another game 'tides'"):
        games.register(dataclasses.replace(TIDES, title="Other tides"))
    with pytest.raises(OptionError, match="another game 'hawaii1795'"):
        games.register(dataclasses.replace(TIDES, name="hawaii1795"))
    with pytest.raises(OptionError, match="a game is declared by a GameSpec"):
        games.register(Game)  # type: ignore[arg-type]
    missing = dataclasses.replace(TIDES, game="toy:Nothing")
    with pytest.raises(OptionError, match=r"game 'tides': game = 'toy:Nothing' cannot be loaded"):
        missing.make()


def test_the_registry_imports_no_game() -> None:
    code = (
        "import sys; from hawaii_env import games; games.names(); games.find('hawaii1795');"
        "print([m for m in sys.modules if m.startswith('hawaii_env.hawaii1795.') and m != 'hawaii_env.hawaii1795.spec'])"
    )
    # The package of a spec is imported with it, so this holds for what its package does not import by itself.
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "odds" not in done.stdout and "search" not in done.stdout


# What a game declares must be what it does: the fuzzer says so


def test_declarations_that_do_not_hold_are_found() -> None:
    liar = LAGOON.load("game")(rounds=1)
    liar.utility = "zero_sum"
    with pytest.raises(AssertionError, match="a zero-sum game whose returns are"):
        fuzz.check_game(liar, 1)
    liar = LAGOON.load("game")(rounds=1)
    liar.information = "perfect"
    with pytest.raises(AssertionError, match="declares perfect information, and players see different things"):
        fuzz.check_game(liar, 1)
    liar = LAGOON.load("game")(rounds=1)
    liar.max_chance_outcomes = 3
    with pytest.raises(AssertionError, match=r"chance outcomes .* max_chance_outcomes is 3"):
        fuzz.check_game(liar, 1)
    liar = LAGOON.load("game")(rounds=1)
    liar.dynamics = "sequential"
    with pytest.raises(AssertionError, match="a sealed turn in a game whose dynamics are 'sequential'"):
        fuzz.check_game(liar, 1)


def test_outcomes_fit_themselves() -> None:
    assert Outcome.of([0.5, 0, 0.5], "level").places == (1, 3, 1)
    assert Outcome.of([0.5, 0, 0.5], "level").winner is None
    assert Outcome.won_by(1, 3, "won").shares == (0.0, 1.0, 0.0)
    assert Outcome.won_by(1, 3, "won").winner == 1
    with pytest.raises(OptionError, match="sum to 1"):
        Outcome.of([0.5, 0.6], "too much")
    with pytest.raises(OptionError, match="a place"):
        Outcome.of([0.5, 0.5], "short", places=[1])
