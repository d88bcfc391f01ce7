"""The ruleset of Heiau Diplomacy: map and scenarios. See `hawaii_env.rulesets`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from pydantic import BaseModel

from hawaii_env import rulesets
from hawaii_env.rulesets import Problem, from_files
from hawaii_env.texts import show_value

from .models import MODELS, Coast, Map, ScenarioTable, Space
from .rules.board import FLEET, KINDS, Board, Unit

__all__ = ["Power", "Ruleset", "Scenario", "Space", "read_unit"]


@dataclass(frozen=True)
class Power:
    """A power of a scenario: its id, its units at the start, and whether it is European [Fleets]."""

    id: str
    units: tuple[Unit, ...]
    european: bool


@dataclass(frozen=True)
class Scenario:
    """A scenario: its powers by index, and for a ballot the scenarios between which is chosen [Haole, Two Haoles]."""

    id: str
    powers: tuple[Power, ...]
    ballot: tuple[str, ...] = ()

    @cached_property
    def europeans(self) -> frozenset[int]:
        """Indices of the European powers."""
        return frozenset(i for i, power in enumerate(self.powers) if power.european)


class Ruleset(rulesets.Ruleset):
    """The data of a game, checked."""

    folder: ClassVar[Path] = Path(__file__).parent
    models: ClassVar[Mapping[str, type[BaseModel]]] = MODELS

    _map: Map = from_files("map.toml")
    spaces: tuple[Space, ...] = from_files("map.toml space")
    """The spaces in table order."""
    victory: int = from_files("map.toml map victory")
    """Heiaus that win [Background]."""
    coasts: Mapping[str, Coast] = from_files("map.toml coasts")
    """The coasts of islands in pictures; an island without one is drawn around its spaces."""

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the map's picture."""
        return self._map.map.width, self._map.map.height

    @property
    def printed(self) -> frozenset[str]:
        """Ids of the spaces whose names are printed."""
        names = (value for value in self.provenance if value.table.startswith("space.") and value.key == "name")
        return frozenset(value.table.removeprefix("space.") for value in names if value.source == "printed")

    @cached_property
    def board(self) -> Board:
        """The board."""
        borders = self._map.adjacency
        return Board(
            [space.id for space in self.spaces],
            [space.kind for space in self.spaces],
            {space.id: tuple(space.coasts) for space in self.spaces if space.coasts},
            borders.land,
            borders.water,
            borders.oceans,
            [space.id for space in self.spaces if space.heiau],
        )

    @cached_property
    def scenarios(self) -> Mapping[str, Scenario]:
        """The scenarios by id, in the order of their file."""
        return {one.id: self._scenario(one) for one in self.files["scenarios.toml"].scenario}

    def _scenario(self, table: ScenarioTable) -> Scenario:
        powers: list[Power] = []
        for index, one in enumerate(table.powers):
            units = tuple(read_unit(self.board, text, index) for text in one.units)
            powers.append(Power(one.id, units, any(unit.kind == FLEET for unit in units)))
        return Scenario(table.id, tuple(powers), table.ballot)

    def problems(self) -> Iterator[Problem]:
        """Yield what is wrong with units and ballots of scenarios."""
        file, tables = "scenarios.toml", self.files["scenarios.toml"].scenario
        wrong = [Problem(file, *one) for table in tables for one in self._unit_problems(table)]
        yield from wrong
        for name, scenario in {} if wrong else self.scenarios.items():
            natives = len(scenario.powers) - len(scenario.europeans)
            chosen = [self.scenarios[one] for one in scenario.ballot if one in self.scenarios]
            if scenario.ballot and [len(one.powers) for one in chosen] != [natives, natives]:
                allowed = f"two scenarios for {natives} powers"
                yield Problem(file, f"scenario.{name}", "ballot", f"{list(scenario.ballot)} is not allowed", allowed)

    def _unit_problems(self, table: ScenarioTable) -> Iterator[tuple[str, str, str, str]]:
        held: set[int] = set()
        for index, power in enumerate(table.powers):
            for text in power.units:
                where = f"scenario.{table.id}.powers.{power.id}", "units"
                try:
                    space = self.board.space_of[read_unit(self.board, text, index).place]
                except ValueError as error:
                    yield *where, str(error), "A, B or F and a place where such a unit can be, as 'B makanalua/n'"
                    continue
                if space in held:
                    yield *where, f"two units start in {self.board.spaces[space]}", "one unit a space"
                held.add(space)

    def plays(self) -> str:
        """Return what the hash is taken of: not pictures, names and remarks."""
        played = {
            "map": [[s.id, s.kind, s.heiau, sorted(s.coasts)] for s in self.spaces],
            "land": self.board.land,
            "water": self.board.water,
            "oceans": self.board.oceans,
            "victory": self.victory,
            "scenarios": [[s.id, s.ballot, [[p.id, p.units] for p in s.powers]] for s in self.scenarios.values()],
        }
        return json.dumps(played)


def read_unit(board: Board, text: object, power: int) -> Unit:
    """Return the unit that a text as ``"B makanalua/n"`` names.

    Raises:
        ValueError: no such kind or place, or one where such a unit cannot be.
    """
    letter, _, place = text.partition(" ") if isinstance(text, str) else ("", "", "")
    if len(letter) != 1 or letter not in KINDS or not place:
        raise ValueError(f"a unit is A, B or F and a place, as 'B makanalua/n', not {show_value(text)}")
    if place not in board.place_index:
        raise ValueError(f"{text}: there is no place {place!r} on the map [Map]")
    unit = Unit(KINDS.index(letter), power, board.place_index[place])
    if not board.can_stand(unit.kind, unit.place):
        raise ValueError(f"{text}: such a unit cannot be there [Armies, Boats, Fleets, Map]")
    return unit
