"""[3.0, 6.0, 9.0, 14.0] What the files say, as the referee uses it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hawaii_env

SIDES = ("n", "ne", "se", "s", "sw", "nw")
ODD = {"n": (0, -1), "ne": (1, -1), "se": (1, 0), "s": (0, 1), "sw": (-1, 0), "nw": (-1, -1)}
EVEN = {"n": (0, -1), "ne": (1, 0), "se": (1, 1), "s": (0, 1), "sw": (-1, 1), "nw": (-1, 0)}
"""Columns and rows from a hex of an odd or even column to its neighbours."""

PLAYERS = ("maori", "british")
FILES = ("map", "units", "charts", "dispatches", "scenarios")
SHIPPED = Path(hawaii_env.__file__).parent / "maori_wars" / "data"
"""The folder of the shipped files."""


def read(folder: Path | None = None, shipped: Path = SHIPPED) -> dict[str, Any]:
    """The content of the files by their names without ending; those that the folder lacks are the shipped ones."""
    content: dict[str, Any] = {}
    for name in FILES:
        own = folder / f"{name}.toml" if folder else None
        path = own if own and own.exists() else shipped / f"{name}.toml"
        content[name] = tomllib.loads(path.read_text(encoding="utf-8"))
    return content


def beside(hex_id: str) -> dict[str, str]:
    """The six neighbours by side, whether the map has them or not."""
    column, row = int(hex_id[:2]), int(hex_id[2:])
    steps = ODD if column % 2 else EVEN
    return {side: f"{column + steps[side][0]:02d}{row + steps[side][1]:02d}" for side in SIDES}


@dataclass(frozen=True)
class Land:
    """A land hex."""

    terrain: str
    territory: str
    coast: bool
    lake: bool
    rivers: frozenset[str]

    @property
    def dry(self) -> bool:
        """[6.0] All-land: no boat can float there."""
        return not (self.coast or self.lake or self.rivers)


@dataclass(frozen=True)
class Leader:
    """[3.0] A leader's fields."""

    category: str
    bush: bool
    rangers: bool


@dataclass(frozen=True)
class Chit:
    """[9.0 step 3] A Battle Dispatch."""

    number: int
    title: str
    conditions: tuple[str, ...]
    effect: Mapping[str, Any]
    once: bool


class Rules:
    """One scenario's numbers and map.

    Attributes:
        land: the land hexes of the theatre, mountains too.
        open_land: those that can be entered, ascending.
        ocean, lakes: water hexes.
        kinds, leaders, chits: in the order of the files.
        charts: the charts, as they are in their file.
        scenario: the scenario's table.
    """

    def __init__(self, content: Mapping[str, Any], name: str) -> None:
        self.name = name
        self.scenario: Mapping[str, Any] = content["scenarios"]["scenarios"][name]
        self.charts: Mapping[str, Any] = content["charts"]
        units, chart = content["units"], content["map"]
        self.kinds: dict[str, Mapping[str, Any]] = dict(units["kinds"])
        self.kind_order = list(self.kinds)
        self.neutral_count: int = units["neutral"]["count"]
        self.structure_count = {name: n for name, n in units["structures"].items() if name != "source"}
        self.leaders = {
            name: Leader(table["category"], table["bush"], table.get("rangers", False))
            for name, table in units["leaders"].items()
            if name != "source"
        }
        self.leader_order = list(self.leaders)
        self.chits = {
            table["n"]: Chit(
                table["n"], table["title"], tuple(table.get("if", ())), table["effect"], table.get("once", False)
            )
            for table in content["dispatches"]["chits"]
        }
        self.read_map(chart)

    def read_map(self, chart: Mapping[str, Any]) -> None:
        """Keep what lies in the theatre."""
        theatre = self.scenario["theatre"]
        hexes = {hex_id: table for hex_id, table in chart["hexes"].items() if hex_id != "source"}
        near = {hex_id: {hexes[o]["territory"] for o in beside(hex_id).values() if o in hexes} for hex_id in hexes}
        self.territories = [name for name in chart["territories"] if name != "source" and name in theatre]
        self.territory_neighbours = {
            name: [
                other
                for other in self.territories
                if other != name and any(table["territory"] == name and other in near[h] for h, table in hexes.items())
            ]
            for name in self.territories
        }
        self.designated = frozenset(self.scenario["designated"])
        self.ocean, self.lakes = frozenset(chart["water"]["ocean"]), frozenset(chart["water"]["lake"])
        self.rivers: dict[str, list[str]] = {
            name: table["hexes"] for name, table in chart["rivers"].items() if name != "source"
        }
        self.navigable = {
            name: hexes[: chart["rivers"][name]["navigable"]] for name, hexes in self.rivers.items()
        }  # [6.0] the dotted segment
        sides = {kind: chart["hexsides"].get(kind, ()) for kind in ("water", "mixed", "lake")}
        self.hexsides = {frozenset(pair): kind for kind, pairs in sides.items() for pair in pairs}
        wet = {hex_id for kind in ("water", "mixed") for pair in sides[kind] for hex_id in pair}
        lakeside = {hex_id for pair in sides["lake"] for hex_id in pair}
        self.land = {
            hex_id: Land(
                table["terrain"],
                table["territory"],
                hex_id in wet or not self.ocean.isdisjoint(beside(hex_id).values()),
                hex_id in lakeside or not self.lakes.isdisjoint(beside(hex_id).values()),
                frozenset(name for name, river in self.rivers.items() if hex_id in river),
            )
            for hex_id, table in hexes.items()
            if table["territory"] in theatre
        }
        self.open_land = sorted(hex_id for hex_id, land in self.land.items() if land.terrain != "mountain")
        self.towns = frozenset(hex_id for name, hex_id in chart["towns"].items() if name != "source")
        self._around: dict[str, dict[str, str]] = {}

    # Geometry

    def around(self, hex_id: str) -> dict[str, str]:
        """The neighbours by side: land of the theatre (mountains too) and water."""
        if hex_id not in self._around:
            self._around[hex_id] = {
                side: other
                for side, other in beside(hex_id).items()
                if other in self.land or other in self.ocean or other in self.lakes
            }
        return self._around[hex_id]

    def land_around(self, hex_id: str) -> dict[str, str]:
        """The neighbours by side that pieces can stand in."""
        return {side: other for side, other in self.around(hex_id).items() if self.enterable(other)}

    def enterable(self, hex_id: str) -> bool:
        """[R-01] Land of the theatre, no mountain."""
        return hex_id in self.land and self.land[hex_id].terrain != "mountain"

    def hexside(self, one: str, other: str) -> str:
        """The kind of a hexside between land hexes: plain, mixed, water, lake."""
        return self.hexsides.get(frozenset((one, other)), "plain")

    def passable(self, one: str, other: str) -> bool:
        """[6.0, R-49] Land pieces may cross."""
        return self.hexside(one, other) not in ("water", "lake")

    def distance(self, one: str, other: str) -> int:
        """[R-03] In hexes over any terrain."""
        (q, r), (s, t) = self._axes(one), self._axes(other)
        return max(abs(q - s), abs(r - t), abs((q + r) - (s + t)))

    @staticmethod
    def _axes(hex_id: str) -> tuple[int, int]:
        column, row = int(hex_id[:2]) - 1, int(hex_id[2:])
        return column, row - (column - column % 2) // 2

    # Boats

    def canoe_steps(self, hex_id: str) -> Iterator[tuple[str, str]]:
        """[6.0] The hexes that a canoe can paddle to, and over what: sea, lake, river."""
        for other in self.around(hex_id).values():
            if other in self.land and not self.enterable(other):
                continue
            here, there = self.land.get(hex_id), self.land.get(other)
            if here and there:
                side = self.hexside(hex_id, other)
                if side == "lake":
                    yield other, "lake"
                elif side in ("mixed", "water") and here.coast and there.coast:
                    yield other, "sea"
            elif not here and not there:
                yield other, "sea" if other in self.ocean else "lake"
            else:
                water, shore = (other, here) if here else (hex_id, there)
                assert shore is not None
                if water in self.ocean and shore.coast:
                    yield other, "sea"
                elif water in self.lakes and shore.lake:
                    yield other, "lake"
        for hexes in self.rivers.values():
            for other in next_to(hexes, hex_id):
                if self.enterable(other):
                    yield other, "river"

    def gunboat_rivers(self, hex_id: str) -> Iterator[str]:
        """[6.0] The next navigable hexes along a river."""
        for hexes in self.navigable.values():
            for other in next_to(hexes, hex_id):
                if self.enterable(other):
                    yield other

    def water_connection(self, one: str, other: str) -> bool:
        """[9.0 step 4, R-24] A gunboat in one of these adjacent hexes reaches the other with its guns."""
        here, there = self.land[one], self.land[other]
        if here.rivers & there.rivers:
            return True
        if not (here.coast and there.coast):
            return False
        ocean = (set(self.around(hex_id).values()) & self.ocean for hex_id in (one, other))
        return self.hexside(one, other) != "plain" or bool(set.intersection(*ocean))

    def supply_steps(self, hex_id: str, by_water: bool) -> Iterator[str]:
        """[13.0] The next hexes of a line of supply."""
        for other in self.around(hex_id).values():
            if by_water or (other in self.land and hex_id in self.land and self.passable(hex_id, other)):
                yield other

    # Numbers

    def attack_modifier(self, hex_id: str) -> int:
        """The terrain's modifier of an attack into the hex."""
        return self.charts["terrain"]["attack"][self.land[hex_id].terrain]

    def cost(self, name: str, hex_id: str) -> int:
        """[6.0] Points that a kind of land unit or a leader pays to enter a hex."""
        terrain = self.land[hex_id].terrain
        if name in self.leaders:
            return 2 if terrain == "rough" and not self.leaders[name].bush else 1
        return self.kinds[name]["cost"][terrain]

    def allowance(self, name: str) -> int:
        """[6.0] Movement points."""
        return 4 if name in self.leaders else self.kinds[name]["move"]


def next_to(hexes: list[str], hex_id: str) -> Iterator[str]:
    """The neighbours of an entry in a list."""
    for index, other in enumerate(hexes):
        if other == hex_id:
            yield from hexes[max(index - 1, 0) : index]
            yield from hexes[index + 1 : index + 2]
