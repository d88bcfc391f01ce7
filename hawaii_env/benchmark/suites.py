"""Suites: the definitions of tracks, TOML files of the game packages.

A game that has tracks names, in its `GameSpec.tracks`, the package in whose folder ``tracks`` the files lie. A suite is
frozen: a change to it, or to the rules, actions or observations that it uses, needs a new `version`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from hawaii_env import agents, exact, games
from hawaii_env.agents import Agent
from hawaii_env.arena.store import file_digest
from hawaii_env.benchmark.form import Form, Setting, digest, parse
from hawaii_env.errors import OptionError
from hawaii_env.game import Game
from hawaii_env.texts import parse_toml, show_value
from hawaii_env.variation import load_variation, sample_rules

__all__ = ["Match", "Opponent", "Puzzle", "Scenario", "Suite", "load_suite", "tracks"]

QUICK = 1
"""Meetings of a cell with ``--quick``."""

Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_.-]*$", max_length=60)]
Games = Annotated[int, Field(ge=1, le=100_000)]


class Scenario(Form):
    """A kind of the game: options of its `Game`, and a split of rulesets of which each meeting plays another one; or a
    solved game.
    """

    name: Name
    options: dict[str, Any] = Field(default_factory=dict[str, Any])
    solved: str | None = Field(None, description="Name of a game of `hawaii_env.exact`, with options of `make_game`.")
    value: float | None = Field(None, description="Its value for the first player.")
    positions: int | None = Field(None, description="How many positions its solution has.")
    split: str | None = Field(None, description="Name of a split of RuleShift; none: the ruleset of the options.")


class Opponent(Form):
    """An opponent, which takes all seats but one. ``{agent}`` stands for the measured agent."""

    name: Name
    agent: str
    focal: str = Field("{agent}", description="Who sits in the seat that is measured.")
    held_out: bool = False
    scored: bool = True
    slow: bool = Field(False, description="True: its cells have as many games as those of slow agents.")


class Puzzle(Form):
    """A position with its proved best and worst share for the first player."""

    name: str
    kind: Name
    best: float
    worst: float
    positions: int
    position: dict[str, Any]
    options: dict[str, Any] = Field(default_factory=dict[str, Any])


class Suite(Form):
    """A track: scenarios and opponents, of which each pair is a cell, or puzzles, of which each kind is one. The game
    is empty if all scenarios are solved games.
    """

    track: Name
    version: int = Field(ge=1)
    title: str
    game: str = ""
    seed: int = Field(0, ge=0)
    games: Games = 400
    slow_games: Games = 200
    attempts: Games = 3
    rules: str = ""
    gap_to: str | None = Field(None, description="Scenario with whose scores those of the others are compared.")
    scenario: list[Scenario]
    opponent: list[Opponent] = Field(default_factory=list[Opponent])
    puzzle: list[Puzzle] = Field(default_factory=list[Puzzle])

    def load_game(self, options: dict[str, Any], solved: str | None = None) -> Game:
        """Return the game with these options, or a solved game."""
        return exact.make_game(solved, **options) if solved else games.load_game(self.game, **options)

    @property
    def solved(self) -> bool:
        """True if the scenarios are solved games."""
        return not self.game

    @property
    def settings(self) -> list[Setting]:
        """The scenarios with the hashes of their rules, actions and observations."""
        found: list[Setting] = []
        for one in self.scenario:
            game = self.load_game(one.options, one.solved)
            found.append(
                Setting(
                    name=one.name,
                    game=game.name,
                    options=one.options,
                    seats=list(game.agents),
                    rules=load_variation(self.game).split(one.split).digest if one.split else game.ruleset_hash,
                    actions=game.action_table_hash,
                    observation=game.observation_hash,
                )
            )
        return found

    @cached_property
    def hash(self) -> str:
        """The SHA-256 of the suite, of the hashes of its settings and of the files that its opponents play by.

        Raises:
            OptionError: a file of an opponent is missing.
        """
        files = {one.name: self.files(agents.load_agent(one.agent, seed=0)) for one in self.opponent if one.scored}
        settings = [setting.model_dump() for setting in self.settings]
        return digest([self.model_dump(exclude_none=True), settings, *([files] if any(files.values()) else [])])

    def files(self, agent: Agent, more: Iterable[Path] = ()) -> dict[str, str]:
        """Begin each scenario that an agent plays, and close the agent; return the files that it plays by and others,
        with their SHA-256.

        Raises:
            OptionError: the agent refuses a game, or all of solved games.
        """
        paths = list(more)
        try:
            for _ in self._begun(agent):
                paths += map(Path, agents.files(agent))
        finally:
            agents.close(agent)
        found: dict[str, str] = {}
        for path in filter(Path.is_file, paths):
            if found.setdefault(path.name, digest := file_digest(path)) != digest:
                found[f"{path.absolute().parent.name}/{path.name}"] = digest
        return found

    def _begun(self, agent: Agent) -> Iterator[Scenario]:
        """Begin each scenario, and yield it: all, or of solved games those that the agent does not refuse.

        Raises:
            OptionError: it refuses a game, or all solved games.
        """
        refusals = list[OptionError]()
        for scenario in self.scenario:
            try:
                agents.begin(agent, self.load_game(scenario.options, scenario.solved), 0)
            except OptionError as error:
                refusals.append(error)
            else:
                yield scenario
        if len(refusals) > (len(self.scenario) - 1 if self.solved else 0):
            raise refusals[0]

    def played(self, agent: str) -> list[Scenario]:
        """Return the scenarios for an agent: all, or of solved games those that it does not refuse.

        Raises:
            OptionError: it refuses all solved games.
        """
        if not self.solved:
            return self.scenario
        made = agents.load_agent(agent, seed=0)
        try:
            return list(self._begun(made))
        finally:
            agents.close(made)

    def _games(self, scenario: Scenario, meetings: int) -> tuple[Game, ...]:
        """Return the games that so many meetings play in turn."""
        if not scenario.split:
            return (self.load_game(scenario.options, scenario.solved),)
        size = min(meetings, len(load_variation(self.game).split(scenario.split).draws))
        rules = sample_rules(self.game, scenario.split, size, self.seed)
        return tuple(self.load_game({**scenario.options, "rules": one}) for one in rules)

    def matches(self, agent: str, quick: bool = False, slow: bool = False) -> Iterator[Match]:
        """Yield the cells for an agent, scenario by scenario."""
        for scenario in self.played(agent):
            game = self.load_game(scenario.options, scenario.solved)
            for opponent in self.opponent:
                count = self.slow_games if slow or opponent.slow else self.games
                meetings = QUICK if quick else -(-count // game.num_players)
                games = self._games(scenario, meetings)
                focal, other = (
                    text.replace("{agent}", agent if text == "{agent}" else f"({agent})")
                    for text in (opponent.focal, opponent.agent)
                )
                yield Match(scenario, opponent, games, focal, other, meetings)


@dataclass(frozen=True)
class Match:
    """A cell before it is played.

    Attributes:
        scenario: the scenario.
        opponent: the opponent of the suite.
        games: the games that meetings play in turn.
        focal: agent string of the measured player.
        other: agent string of all other seats.
        meetings: meetings, of as many games as the game has seats.
    """

    scenario: Scenario
    opponent: Opponent
    games: tuple[Game, ...]
    focal: str
    other: str
    meetings: int

    @property
    def game(self) -> Game:
        """The first game."""
        return self.games[0]

    @property
    def name(self) -> str:
        """Return the cell's name, which is its folder."""
        return f"{self.scenario.name}/{self.opponent.name}"


def _files() -> dict[str, Any]:
    """Return the files of all suites, by track: those of games, and of the solved games."""
    found: dict[str, Any] = {}
    for package in (*(games.find(name).tracks for name in games.list_games()), exact.__name__):
        if package is not None:
            for path in (resources.files(package) / "tracks").iterdir():
                if path.name.endswith(".toml"):
                    found[path.name.removesuffix(".toml")] = path
    return found


def tracks() -> list[str]:
    """Return the names of all tracks, ascending."""
    return sorted(_files())


@cache
def load_suite(track: str) -> Suite:
    """Return the suite of a track.

    Raises:
        OptionError: an unknown track; the message lists the known ones.
    """
    path = _files().get(track)
    if path is None:
        raise OptionError(f"track: there is no track {show_value(track)}; known are: {', '.join(tracks())}")
    suite = parse(Suite, parse_toml(path.read_text(encoding="utf-8")), path)
    kinds = [one.solved is not None and one.value is not None for one in suite.scenario]
    if suite.track != track or bool(suite.puzzle) == bool(suite.opponent) or kinds != [suite.solved] * len(kinds):
        raise OptionError(
            f"{path}: expected the track {track}, with scenarios and opponents or with puzzles, of a game or of solved "
            "games with their values"
        )
    return suite
