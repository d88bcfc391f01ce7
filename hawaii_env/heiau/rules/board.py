"""The board: spaces, places, who goes where by itself [Armies, Boats, Fleets, Map].

A *space* is an index of the map's table. A *place* is a space, or one coast of a space that has several: places are
numbered in table order, the coasts after their space. Sets of spaces or places are bit masks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

__all__ = ["ARMY", "BUNCH", "FLEET", "KINDS", "Board", "Unit", "bits"]

ARMY, BUNCH, FLEET = range(3)
KINDS = "ABF"
"""The letters of army, boat bunch and fleet."""


class Unit(NamedTuple):
    """A unit: what it is, whose (a power's index), and its place."""

    kind: int
    power: int
    place: int


def bits(mask: int) -> Iterator[int]:
    """Yield the members of a bit mask, ascending."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


class Board:
    """A map as tables of small integers. Any map of armies and fleets will do: the standard board of Diplomacy too.

    Args:
        spaces: the spaces' ids, in table order.
        kinds: ``"sea"``, ``"coast"`` or ``"inland"`` for each.
        coasts: the coasts of the spaces that have several, by space, as ``{"makanalua": ("n", "s")}``.
        land: pairs of spaces between which armies march.
        water: pairs of places between which boats and fleets go; a place is a space or ``space/coast``.
        oceans: seas closed to boat bunches.
        heiaus: spaces with a heiau.

    Attributes:
        spaces, places: ids, by index.
        space_of: each place's space.
        bare: each space's place without a coast.
        coasts: the places that are coasts of each space; empty where it has none.
        kind: each space's kind.
        oceans, heiaus: masks of spaces.
        land: mask of the spaces that an army reaches, by space.
        water: mask of the places that a fleet reaches, by place.
        inland: mask of the spaces that a bunch reaches by land alone, by place [Boats 3].
        moves: places that a unit of each kind reaches by itself, ascending, ``moves[kind][place]``.
        reach: the same as a mask of spaces, ``reach[kind][place]``.
    """

    def __init__(
        self,
        spaces: Sequence[str],
        kinds: Sequence[str],
        coasts: Mapping[str, Sequence[str]],
        land: Sequence[tuple[str, str]],
        water: Sequence[tuple[str, str]],
        oceans: Sequence[str] = (),
        heiaus: Sequence[str] = (),
    ) -> None:
        self.spaces: tuple[str, ...] = tuple(spaces)
        self.kind: tuple[str, ...] = tuple(kinds)
        self.index: dict[str, int] = {name: i for i, name in enumerate(spaces)}
        places: list[str] = []
        space_of: list[int] = []
        self.bare: list[int] = []
        self.coasts: list[tuple[int, ...]] = []
        for at, name in enumerate(spaces):
            self.bare.append(len(places))
            named = tuple(coasts.get(name, ()))
            self.coasts.append(tuple(len(places) + 1 + i for i in range(len(named))))
            places += [name, *(f"{name}/{coast}" for coast in named)]
            space_of += [at] * (1 + len(named))
        self.places: tuple[str, ...] = tuple(places)
        self.place_index: dict[str, int] = {name: i for i, name in enumerate(places)}
        self.space_of: tuple[int, ...] = tuple(space_of)
        self.oceans: int = self._mask(oceans)
        self.heiaus: int = self._mask(heiaus)
        self.land: list[int] = [0] * len(spaces)
        for one, other in land:
            a, b = self.index[one], self.index[other]
            self.land[a] |= 1 << b
            self.land[b] |= 1 << a
        self.water: list[int] = [0] * len(places)
        for one, other in water:
            a, b = self.place_index[one], self.place_index[other]
            self.water[a] |= 1 << b
            self.water[b] |= 1 << a
        self._reaches()
        self.tables: dict[Any, Any] = {}  # by mode, for the rules

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "tables": {}}

    def _mask(self, names: Sequence[str]) -> int:
        return sum(1 << self.index[name] for name in names)

    def _reaches(self) -> None:
        """Set the places that each kind of unit reaches by itself [Armies, Boats 2, Boats 3, Fleets]."""
        n = len(self.places)
        armies = [sum(1 << self.bare[s] for s in bits(self.land[self.space_of[p]])) for p in range(n)]
        open_water = [
            sum(1 << q for q in bits(self.water[p]) if not self.oceans >> self.space_of[q] & 1) for p in range(n)
        ]
        self.inland: list[int] = [self.land[self.space_of[p]] & ~self.spaces_of(self.water[p]) for p in range(n)]
        bunches = [open_water[p] | sum(1 << self.bare[s] for s in bits(self.inland[p])) for p in range(n)]
        self.moves: list[list[tuple[int, ...]]] = [
            [tuple(bits(mask)) for mask in masks] for masks in (armies, bunches, self.water)
        ]
        self.reach: list[list[int]] = [
            [self.spaces_of(mask) for mask in masks] for masks in (armies, bunches, self.water)
        ]

    def spaces_of(self, places: int) -> int:
        """Return the mask of the spaces of a mask of places."""
        found = 0
        for place in bits(places):
            found |= 1 << self.space_of[place]
        return found

    def standing(self, space: int) -> tuple[int, ...]:
        """Return the places of a space where a bunch or fleet can stand: its coasts, or the space itself."""
        return self.coasts[space] or (self.bare[space],)

    def is_land(self, space: int) -> bool:
        """Return True for land, coastal or inland."""
        return self.kind[space] != "sea"

    def can_stand(self, kind: int, place: int) -> bool:
        """Return True if a unit of this kind may be [Armies, Boats 2, Fleets, Map]."""
        space = self.space_of[place]
        if kind == ARMY:
            return self.is_land(space) and place == self.bare[space]
        if self.kind[space] == "inland" or place not in self.standing(space):
            return False
        return kind == FLEET or not self.oceans >> space & 1
