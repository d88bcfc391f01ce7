"""The form of Heiau Diplomacy's ruleset files, and what each must fulfil by itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, Field

from hawaii_env.rulesets import About, Line, Table, whole

__all__ = ["MODELS", "Coast", "Map", "Scenarios", "Space"]

Id: TypeAlias = Annotated[str, Field(pattern=r"^[a-z0-9_]+$", description="lower-case letters, digits and '_'")]
Pairs: TypeAlias = tuple[tuple[str, str], ...]
Problems: TypeAlias = Iterator[tuple[str, str, str]]


class Head(Table):
    """Numbers of the map: the size of its picture, its spaces and heiaus, and heiaus that win [Background]."""

    width: float
    height: float
    spaces: int = whole(2, 64)
    heiaus: int = whole(1, 64)
    victory: int = whole(1, 64)

    def problems(self) -> Problems:
        """See `hawaii_env.rulesets.Table.problems`."""
        if self.victory > self.heiaus:
            yield "victory", f"{self.victory} heiaus win, and there are {self.heiaus}", f"1 to {self.heiaus}"


class Space(Table):
    """A space of the map beside its borders; `x`, `y` and the coasts' points are of a picture of the map's size."""

    id: Id
    name: Line
    abbr: Line
    kind: Literal["sea", "coast", "inland"]
    island: str
    heiau: bool
    x: float
    y: float
    why: str = ""
    coasts: Mapping[Id, tuple[float, float]] = Field(default_factory=dict)

    def problems(self) -> Problems:
        """See `hawaii_env.rulesets.Table.problems`."""
        if self.heiau and self.kind != "coast":
            why = "no heiau stands in a sea" if self.kind == "sea" else "no action builds inland, so no heiau is there"
            yield "heiau", why, "false"
        if self.coasts and (self.kind != "coast" or len(self.coasts) < 2):
            yield "coasts", "only coastal land has coasts, two or more", "leave the key out"


class Coast(Table):
    """An island's coast in pictures: an outline of `hawaii_env.render.coasts`, its scale, and where its middle goes."""

    outline: Literal["niihau", "kauai", "oahu", "molokai", "lanai", "maui", "kahoolawe", "hawaii"]
    scale: float = Field(gt=0, le=10)
    x: float
    y: float


class Borders(Table):
    """The borders, each pair once, for both ways [Map]. An end on water is a space, or a coast as ``space/n``."""

    oceans: tuple[str, ...]
    land: Pairs
    water: Pairs


class Map(Table):
    """``map.toml``."""

    map: Head
    space: tuple[Space, ...]
    adjacency: Borders
    coasts: Mapping[Id, Coast] = Field(default_factory=dict)

    def problems(self) -> Problems:
        """See `hawaii_env.rulesets.Table.problems`."""
        spaces = {space.id: space for space in self.space}
        counts = len(self.space), sum(space.heiau for space in self.space)
        for island in set(self.coasts) - {space.island for space in self.space}:
            yield f"coasts.{island}", f"there is no island {island!r}", "islands of [[space]]"
        if len(spaces) < len(self.space):
            yield "space.id", "a space stands twice", "each id once"
        if counts != (self.map.spaces, self.map.heiaus):
            text = (
                f"{self.map.spaces} with {self.map.heiaus} heiaus, but {counts[0]} with {counts[1]} heiaus stand here"
            )
            yield "map.spaces", text, "what stands here"
        for space in self.adjacency.oceans:
            if space not in spaces or spaces[space].kind != "sea":
                yield "adjacency.oceans", f"{space!r} is not a sea", "seas"
        for key, pairs in (("land", self.adjacency.land), ("water", self.adjacency.water)):
            seen: set[frozenset[str]] = set()
            for pair in pairs:
                for end in pair:
                    if why := _end_problem(spaces, key, end):
                        yield f"adjacency.{key}", *why
                if len(set(pair)) < 2 or frozenset(pair) in seen:
                    text = f"{' - '.join(pair)} stands twice, or is not a pair"
                    yield f"adjacency.{key}", text, "each pair of different spaces once"
                seen.add(frozenset(pair))
        yield from self._dry(spaces)

    def _dry(self, spaces: Mapping[str, Space]) -> Problems:
        ends = {end for pair in self.adjacency.water for end in pair}
        wet = {end.partition("/")[0] for end in ends}
        for name, space in spaces.items():
            if space.kind != "inland" and name not in wet:
                yield f"space.{name}.kind", f"{name} is {space.kind} and touches no water", "inland"
            for coast in space.coasts:
                if f"{name}/{coast}" not in ends:
                    yield f"space.{name}.coasts", f"{name}/{coast} touches no water", "coasts with a border on water"


def _end_problem(spaces: Mapping[str, Space], key: str, end: str) -> tuple[str, str] | None:
    name, _, coast = end.partition("/")
    space = spaces.get(name)
    if space is None:
        return f"there is no space {name!r}", "ids of [[space]]"
    coasts = ", ".join(f"{name}/{one}" for one in space.coasts)
    if coast and (key == "land" or coast not in space.coasts):
        return f"there is no coast {end!r}", name if key == "land" else coasts or name
    if key == "water" and space.coasts and not coast:
        return f"{name} has coasts: name one", coasts
    if space.kind == ("sea" if key == "land" else "inland"):
        return f"{name} is {'a sea' if key == 'land' else 'inland'}", "coastal land" + " or inland" * (key == "land")
    return None


class PowerTable(Table):
    """A power and its units at the start, as ``"B makanalua/n"``."""

    id: Id
    units: tuple[str, ...]


class ScenarioTable(Table):
    """A scenario; `ballot`: the native powers start as in the scenario that wins the ballot [Haole, Two Haoles]."""

    id: Id
    powers: Annotated[tuple[PowerTable, ...], Field(min_length=2, max_length=6)]
    ballot: Annotated[tuple[str, ...], Field(max_length=2)] = ()

    def problems(self) -> Problems:
        """See `hawaii_env.rulesets.Table.problems`."""
        if len({power.id for power in self.powers}) < len(self.powers):
            yield "powers", "two powers have one name", "names of their own"


class Scenarios(Table):
    """``scenarios.toml``."""

    scenario: Annotated[tuple[ScenarioTable, ...], Field(min_length=1)]

    def problems(self) -> Problems:
        """See `hawaii_env.rulesets.Table.problems`."""
        if len({one.id for one in self.scenario}) < len(self.scenario):
            yield "scenario.id", "two scenarios have one name", "names of their own"


MODELS: dict[str, type[BaseModel]] = {"ruleset.toml": About, "map.toml": Map, "scenarios.toml": Scenarios}
"""Model of each file."""
