"""The ruleset of Maori Wars: map, kinds, charts, chits and scenarios. See `hawaii_env.rulesets`."""

from __future__ import annotations

import json
import types
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from pydantic import BaseModel

from hawaii_env import rulesets
from hawaii_env.rulesets import Problem, from_files

from .board import Board, Theatre, map_problems
from .charts import Charts, Chit
from .models import HEXSIDES, MODELS, Coast, Kind, Leader, Scenario, Units
from .setup import scenario_problems

__all__ = ["Ruleset"]

_NOT_PLAYED = ("source", "note", "name")
_SHOWN = ("ruleset.toml", "map.toml", "coast.toml")


class Ruleset(rulesets.Ruleset):
    """The data of a game, checked."""

    folder: ClassVar[Path] = Path(__file__).parent
    models: ClassVar[Mapping[str, type[BaseModel]]] = MODELS
    aspects: ClassVar[Mapping[str, str]] = types.MappingProxyType(
        {
            "columns": "how strengths compare, or what is shelled",
            "numbers": "chits are numbered 1 to 40",
            "neutrals": "neutral villages, pa, units and leaders",
        }
    )

    units: Units = from_files("units.toml")
    """Kinds of unit, neutral units, structures, leaders."""
    kinds: Mapping[str, Kind] = from_files("units.toml kinds")
    """Kinds of unit by id, in the order of `names.KINDS`."""
    leaders: Mapping[str, Leader] = from_files("units.toml leaders")
    """Leaders by id, in the order of the action table."""
    charts: Charts = from_files("charts.toml")
    """The charts."""
    chits: tuple[Chit, ...] = from_files("dispatches.toml chits")
    """The forty Battle Dispatch chits, in the order of their numbers."""
    scenarios: Mapping[str, Scenario] = from_files("scenarios.toml scenarios")
    """Scenarios by id."""
    default: str = from_files("scenarios.toml default")
    """The scenario that is played if none is named."""
    coast: Coast = from_files("coast.toml")
    """Coastline, lake and rivers: for pictures only."""

    @cached_property
    def board(self) -> Board:
        """The map."""
        return Board(self.files["map.toml"])

    def theatre(self, scenario: str) -> Theatre:
        """Return the theatre of a scenario [R-05]."""
        return self.board.theatre(self.scenarios[scenario].theatre)

    def chits_of(self, scenario: str) -> tuple[int, ...]:
        """Return the numbers of the chits that a scenario begins with, ascending [14.0]."""
        removed = self.scenarios[scenario].remove
        return tuple(chit.n for chit in self.chits if chit.n not in removed)

    def problems(self) -> Iterator[Problem]:
        """Yield what is wrong with the map and with scenarios."""
        wrong = [_problem("map.toml", *one) for one in map_problems(self.files["map.toml"])]
        yield from wrong
        terrain = self.charts.terrain
        limits = terrain.stack, terrain.stack_british_rough
        for name, scenario in {} if wrong else self.scenarios.items():
            for key, *rest in scenario_problems(self.board, self.units, limits, scenario):
                yield _problem("scenarios.toml", f"scenarios.{name}.{key}", *rest)

    def plays(self) -> str:
        """Return what the hash is taken of: titles of chits are in it, as records tell what was drawn; names, sources,
        what follows from other tables, and the coast are not.
        """
        map = self.files["map.toml"]
        played = {name: _played(file) for name, file in self.content.items() if name not in _SHOWN}
        played["hexes"] = {at: [hex.terrain, hex.territory] for at, hex in map.hexes.items()}
        played["rivers"] = [[river.hexes, river.navigable] for river in map.rivers.values()]
        played["sides"] = {kind: getattr(map.hexsides, kind) for kind in HEXSIDES[1:]}
        played["water"] = [map.water.ocean, map.water.lake]
        played["towns"], played["territories"] = sorted(map.towns.values()), list(map.territories)
        return json.dumps(played)


def _problem(file: str, key: str, problem: str, allowed: str) -> Problem:
    table, _, last = key.rpartition(".")
    return Problem(file, table, last, problem, allowed)


def _played(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _played(item) for key, item in value.items() if key not in _NOT_PLAYED}
    return [_played(item) for item in value] if isinstance(value, list) else value
