"""The engine against the independent referee (tests/maori_referee): texts, chance, views, returns, in lockstep.

Differences that were found and settled are listed in tests/maori_referee/SETTLED.md.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

import maori_referee
import pytest
from maori_referee import Referee, Rules, read, variants
from maori_referee.compare import play
from maori_referee.crowds import crowd, write
from maori_referee.reached import missing

from hawaii_env.maori_wars import Game

CROWDED = Path(maori_referee.__file__).parent / "crowded"
HANDMADE = tuple(read(CROWDED)["scenarios"]["scenarios"])
SCRIPTS = {
    "trench": ("sapper",),
    "ruins": ("wrecker",),
    "waters": ("sailor", "gunner"),
    "raids": ("raider",),
    "neutrals": ("talker", "gunner"),
}
"""The players that reach what a crowded scenario is made for; in the others `storms`."""


@lru_cache
def rules_of(scenario: str, folder: Path | None) -> tuple[Game, Rules]:
    """A scenario for the engine and for the referee."""
    game = Game(scenario=scenario, rules=folder, levels=True) if folder else Game(scenario=scenario)
    return game, Rules(read(folder), scenario)


def lockstep(game: Game, rules: Rules, seed: int, policy: str | None = None) -> Counter[str]:
    """A game; returns what was reached."""
    policies = (policy, policy) if policy else None
    referee = Referee(rules, levels=bool(game.params["levels"]))
    return play(game.initial_state(chance="explicit"), referee, random.Random(seed), policies)


def play_shipped(scenario: str, seed: int) -> Counter[str]:
    """A game of a shipped scenario."""
    return lockstep(*rules_of(scenario, None), seed)


def play_handmade(seed: int) -> Counter[str]:
    """A game of a crowded scenario made by hand, every other one by its script."""
    scenario = HANDMADE[seed % len(HANDMADE)]
    scripts = SCRIPTS.get(scenario, ("storms",))
    script = scripts[seed // len(HANDMADE) // 2 % len(scripts)] if seed // len(HANDMADE) % 2 else None
    return lockstep(*rules_of(scenario, CROWDED), seed, script)


def play_crowd(seed: int, numbers: bool = False) -> Counter[str]:
    """A game of a crowded scenario of chance's choosing; by other charts, values, chits and maps if asked."""
    content = variants.variant(read(), seed) if numbers else read()
    with TemporaryDirectory() as folder:
        path = write(Path(folder), {"crowd": crowd(content, seed)})
        if numbers:
            variants.write(path, content)
        return lockstep(Game(scenario="crowd", rules=path), Rules(read(path), "crowd"), seed)


def play_variant(seed: int) -> Counter[str]:
    """A game of a crowd by other numbers."""
    return play_crowd(seed, numbers=True)


def played(play_one: Callable[[int], Counter[str]], seeds: range) -> Counter[str]:
    """What was reached in many games."""
    return sum(map(play_one, seeds), Counter[str]())


@pytest.mark.parametrize("scenario", ["taranaki", "flagstaff", "waikato"])
def test_shipped_scenarios(scenario: str) -> None:
    assert sum(play_shipped(scenario, seed)["games"] for seed in range(1)) == 1


def test_crowded_scenarios() -> None:
    """By hand and of chance's choosing."""
    assert played(play_handmade, range(9, 11))["games"] == 2 and played(play_crowd, range(1))["games"] == 1


def test_other_numbers() -> None:
    """By charts, values of units, chits and maps of chance's choosing."""
    assert played(play_variant, range(3))["games"] == 3


@pytest.mark.nightly
@pytest.mark.timeout(7200)
def test_everything_is_reached() -> None:
    """Each chit, result, structure ... ten times at least."""
    assert not missing(played(play_handmade, range(1620)) + played(play_crowd, range(600)))


@pytest.mark.nightly
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("part", range(20))
def test_thousands_of_games(part: int) -> None:
    start = 10_000 * (part + 1)
    for scenario, games in (("taranaki", 100), ("flagstaff", 50), ("waikato", 20), ("campaign", 2)):
        assert sum(play_shipped(scenario, seed)["games"] for seed in range(start, start + games)) == games
    for play_one in (play_handmade, play_crowd, play_variant):
        assert played(play_one, range(start, start + 64))["games"] == 64
