"""The map of Maori Wars, and what follows from it: neighbours, coasts, junctions, distances, theatres."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from .models import HEXSIDES, Map

__all__ = ["Board", "Theatre", "distance", "neighbours"]

_ODD = ((0, -1), (1, -1), (1, 0), (0, 1), (-1, 0), (-1, -1))
_EVEN = ((0, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0))


def neighbours(at: str) -> tuple[str, ...]:
    """Return the six hexes around a hex, in the order of `SIDES`. Some may lie off the map."""
    column, row = int(at[:2]), int(at[2:])
    return tuple(f"{column + x:02}{row + y:02}" for x, y in (_ODD if column % 2 else _EVEN))


def distance(one: str, other: str) -> int:
    """Return the distance of two hexes, whatever lies between [R-03]."""
    (x, y), (u, v) = (_axial(at) for at in (one, other))
    return max(abs(x - u), abs(y - v), abs(x + y - u - v))


def _axial(at: str) -> tuple[int, int]:
    column, row = int(at[:2]), int(at[2:])
    return column, row - (column + 1) // 2


@dataclass(frozen=True)
class Theatre:
    """The part of the map that a scenario plays on [R-05], as cells with numbers.

    The first `n` cells are the land hexes that can be entered, ascending: their numbers stand in the action table and
    in observations. Mountains of the theatre follow, then the water hexes of the map.
    """

    cells: tuple[str, ...]
    n: int
    land: int
    """Number of land cells, mountains included."""
    neighbours: tuple[tuple[int, ...], ...]
    """Of each cell the cells across its sides; -1: off the theatre."""
    sides: tuple[tuple[int, ...], ...]
    """Of each cell the kinds of its sides, as numbers of `HEXSIDES`; a side of a water hex is ``water`` or ``lake``."""

    @cached_property
    def number(self) -> dict[str, int]:
        """Number of each cell by its id."""
        return {at: number for number, at in enumerate(self.cells)}

    @property
    def hexes(self) -> tuple[str, ...]:
        """The land hexes that can be entered."""
        return self.cells[: self.n]


class Board:
    """The map, checked.

    Attributes:
        map: the file's model.
        land: ids of the land hexes, ascending.
        coastal: land hexes that touch the sea: an ocean hex, or a side ``mixed`` or ``water``.
        lakeside: land hexes on a lake: next to a lake hex, or with a side ``lake``.
        rivers: the rivers of each hex that has any, in the order of the file.
        places: the places of each hex that has any, in the order of the file.
        towns: the town of each hex that has one.
    """

    def __init__(self, map: Map) -> None:
        self.map = map
        self.land: tuple[str, ...] = tuple(sorted(map.hexes))
        self.ocean: frozenset[str] = frozenset(map.water.ocean)
        self.lake: frozenset[str] = frozenset(map.water.lake)
        self._side = {frozenset(pair): kind for kind in HEXSIDES[1:] for pair in getattr(map.hexsides, kind)}
        self.coastal: frozenset[str] = frozenset(
            at for at in self.land if self._touches(at, self.ocean, ("mixed", "water"))
        )
        self.lakeside: frozenset[str] = frozenset(at for at in self.land if self._touches(at, self.lake, ("lake",)))
        self.rivers: dict[str, tuple[str, ...]] = _by_hex(
            (at, name) for name, river in map.rivers.items() for at in river.hexes
        )
        self.places: dict[str, tuple[str, ...]] = _by_hex((place.hex, name) for name, place in map.places.items())
        self.towns: dict[str, str] = {at: name for name, at in map.towns.items()}

    def _touches(self, at: str, water: frozenset[str], sides: tuple[str, ...]) -> bool:
        return any(other in water or self.side(at, other) in sides for other in neighbours(at))

    def side(self, one: str, other: str) -> str:
        """Return the kind of the side between two land hexes next to each other."""
        return self._side.get(frozenset((one, other)), "plain")

    def terrain(self, at: str) -> str:
        """Return the terrain of a land hex."""
        return self.map.hexes[at].terrain

    def territory(self, at: str) -> str:
        """Return the territory of a land hex."""
        return self.map.hexes[at].territory

    @property
    def territories(self) -> tuple[str, ...]:
        """Ids of all territories, in the order of the file."""
        return tuple(self.map.territories)

    @cached_property
    def territory_neighbours(self) -> dict[str, tuple[str, ...]]:
        """Territories that touch each territory, in alphabetical order [10.0]."""
        found: dict[str, set[str]] = {name: set() for name in self.map.territories}
        for at in self.land:
            found[self.territory(at)] |= {self.territory(other) for other in neighbours(at) if other in self.map.hexes}
        return {name: tuple(sorted(others - {name})) for name, others in found.items()}

    @cached_property
    def navigable(self) -> frozenset[str]:
        """Hexes of dotted segments of rivers [6.0]."""
        return frozenset(at for river in self.map.rivers.values() for at in river.hexes[: river.navigable])

    def town_name(self, town: str) -> str:
        """Return a town's name: that of the place of the same id, else the id in words."""
        place = self.map.places.get(town)
        return place.name if place else town.replace("_", " ").title()

    def hex_name(self, at: str) -> str:
        """Return the name of a hex: its town or first place, else its id."""
        if at in self.towns:
            return self.town_name(self.towns[at])
        return self.map.places[self.places[at][0]].name if at in self.places else at

    def theatre(self, territories: Iterable[str]) -> Theatre:
        """Return the theatre of these territories [R-05]."""
        inside = frozenset(territories)
        land = [at for at in self.land if self.territory(at) in inside]
        hexes = [at for at in land if self.terrain(at) != "mountain"]
        cells = (*hexes, *(at for at in land if self.terrain(at) == "mountain"), *sorted(self.ocean | self.lake))
        number = {at: i for i, at in enumerate(cells)}
        around = tuple(tuple(number.get(other, -1) for other in neighbours(at)) for at in cells)
        sides = tuple(tuple(HEXSIDES.index(self._any_side(at, other)) for other in neighbours(at)) for at in cells)
        return Theatre(cells, len(hexes), len(land), around, sides)

    def _any_side(self, one: str, other: str) -> str:
        if self.lake & {one, other}:
            return "lake"
        return "water" if self.ocean & {one, other} else self.side(one, other)


def _by_hex(pairs: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for at, name in pairs:
        found[at] = (*found.get(at, ()), name)
    return found


def map_problems(map: Map) -> Iterator[tuple[str, str, str]]:
    """Yield key, problem and what is allowed, for each thing wrong between the tables of a map."""
    yield from _hex_problems(map)
    yield from _side_problems(map)
    yield from _river_problems(map)
    yield from _named_problems(map)
    yield from _derived_problems(map)


def _hex_problems(map: Map) -> Iterator[tuple[str, str, str]]:
    ids = [*(("hexes", at) for at in map.hexes), *(("water.ocean", at) for at in map.water.ocean)]
    seen: set[str] = set()
    for key, at in [*ids, *(("water.lake", at) for at in map.water.lake)]:
        if not (1 <= int(at[:2]) <= map.columns and 1 <= int(at[2:]) <= map.rows):
            yield key, f"{at} is off the grid", f"columns 01 to {map.columns:02}, rows 01 to {map.rows:02}"
        if at in seen:
            yield key, f"{at} is land or water twice", "each hex once"
        seen.add(at)
    for at, hex in map.hexes.items():
        if hex.territory not in map.territories:
            yield f"hexes.{at}.territory", f"there is no territory {hex.territory!r}", ", ".join(map.territories)


def _side_problems(map: Map) -> Iterator[tuple[str, str, str]]:
    seen: set[frozenset[str]] = set()
    for kind in HEXSIDES[1:]:
        for one, other in getattr(map.hexsides, kind):
            key = f"hexsides.{kind}"
            if one not in map.hexes or other not in neighbours(one) or other not in map.hexes:
                yield key, f"{one} - {other} is not a side between two land hexes", "two land hexes next to each other"
            elif map.hexes[one].terrain == map.hexes[other].terrain == "mountain":
                yield key, f"{one} - {other} lies between mountains, which nobody enters [R-01]", "plain sides there"
            if frozenset((one, other)) in seen:
                yield key, f"{one} - {other} stands twice", "each side once"
            seen.add(frozenset((one, other)))


def _river_problems(map: Map) -> Iterator[tuple[str, str, str]]:
    for name, river in map.rivers.items():
        key = f"rivers.{name}.hexes"
        for at in river.hexes:
            if at not in map.hexes:
                yield key, f"{at} is not a land hex", "land hexes"
        for one, other in zip(river.hexes, river.hexes[1:], strict=False):
            if other not in neighbours(one):
                yield key, f"{one} and {other} do not touch", "hexes of which each touches the one before it"


def _named_problems(map: Map) -> Iterator[tuple[str, str, str]]:
    for name, place in map.places.items():
        if place.hex not in map.hexes:
            yield f"places.{name}.hex", f"{place.hex} is not a land hex", "a land hex"
    for name, at in map.towns.items():
        if at not in map.hexes:
            yield f"towns.{name}", f"{at} is not a land hex", "a land hex"
        elif map.hexes[at].terrain == "mountain":
            yield f"towns.{name}", f"{at} is a mountain, which nobody enters [R-01]", "a clear or rough hex"
    if len(set(map.towns.values())) < len(map.towns):
        yield "towns.", "two towns stand in one hex", "a hex of its own for each"


def _derived_problems(map: Map) -> Iterator[tuple[str, str, str]]:
    """Compare what tables say of facts that follow from others."""
    board = Board(map)
    if any(hex.territory not in map.territories for hex in map.hexes.values()):
        return
    for name, territory in map.territories.items():
        true = board.territory_neighbours[name]
        if territory.neighbours is not None and sorted(territory.neighbours) != list(true):
            text = f"{list(territory.neighbours)}, but hexes touch those of {', '.join(true) or 'none'}"
            yield f"territories.{name}.neighbours", text, "the territories that it touches, or no such key"
    for at, hex in map.hexes.items():
        facts = {
            "coast": at in board.coastal,
            "lake": at in board.lakeside,
            "rivers": board.rivers.get(at, ()),
            "places": board.places.get(at, ()),
        }
        for key, true in facts.items():
            said = getattr(hex, key)
            if said is not None and said != true and (isinstance(true, bool) or sorted(said) != sorted(true)):
                text = f"{said!r} goes against the other tables of the map"
                yield f"hexes.{at}.{key}", text, f"{true!r}, or no such key"
