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
from hawaii_env.rulesets import Problem

from .board import Board, Theatre, map_problems
from .charts import Charts, Chit
from .models import HEXSIDES, MODELS, Coast, Kind, Leader, Scenario, Units
from .setup import scenario_problems

__all__ = ["Ruleset", "scenario_names"]

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

    @cached_property
    def board(self) -> Board:
        """The map."""
        return Board(self.files["map.toml"])

    @property
    def units(self) -> Units:
        """Kinds of unit, neutral units, structures, leaders."""
        return self.files["units.toml"]

    @property
    def kinds(self) -> Mapping[str, Kind]:
        """Kinds of unit by id, in the order of `names.KINDS`."""
        return self.units.kinds

    @property
    def leaders(self) -> Mapping[str, Leader]:
        """Leaders by id, in the order of the action table."""
        return self.units.leaders

    @property
    def charts(self) -> Charts:
        """The charts."""
        return self.files["charts.toml"]

    @property
    def chits(self) -> tuple[Chit, ...]:
        """The forty Battle Dispatch chits, in the order of their numbers."""
        return self.files["dispatches.toml"].chits

    @property
    def scenarios(self) -> Mapping[str, Scenario]:
        """Scenarios by id."""
        return self.files["scenarios.toml"].scenarios

    @property
    def default(self) -> str:
        """The scenario that is played if none is named."""
        return self.files["scenarios.toml"].default

    @property
    def coast(self) -> Coast:
        """Coastline, lake and rivers: for pictures only."""
        return self.files["coast.toml"]

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


def scenario_names(rules: str | None = None, **_: object) -> list[str]:
    """Return the scenarios of a ruleset: a folder, or None for the shipped one."""
    return list(Ruleset.load(rules).scenarios)
