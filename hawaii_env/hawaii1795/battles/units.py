"""The units of one side in a battle, as multisets of types in their conditions [11.2 to 14.2]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

__all__ = ["FIRED", "PANICKED", "READY", "Side", "UnitType", "Units", "keeping"]

READY, FIRED, PANICKED = 0, 1, 2
"""Conditions: it may fire this round, it has fired, it is panicked."""

_BITS, _TYPE_BITS = 6, 18
_MOST = (1 << _BITS) - 1


def keeping(strength: int, elite: bool, gun: bool, pike: bool, leader: bool) -> float:
    """Return how much a rule of thumb wants to keep a unit: the least is given up first; leaders, elite, guns and pikes
    are kept.
    """
    return strength + 2.0 * elite + gun + pike + 20.0 * leader


@dataclass(frozen=True, slots=True)
class UnitType:
    """Units that fight alike.

    Attributes:
        name: name of the kind; of the first one where several fight alike.
        count: units of the type at the start.
        strength: dice that one rolls.
        elite: it cannot panic and fires on the elite column.
        plus: it counts for Battlefield Advantage.
        gun: it is of gunpowder.
        pike: it is a pike.
        life: 0, or which sudden death it stands for [5.2]: 1 Kamehameha, 2 the chiefs.
    """

    name: str
    count: int
    strength: int
    elite: bool
    plus: bool
    gun: bool
    pike: bool
    life: int

    @property
    def fights(self) -> tuple[int, bool, bool, bool, bool]:
        """Strength, elite, counts for advantage, gunpowder, pike."""
        return self.strength, self.elite, self.plus, self.gun, self.pike


Hit: TypeAlias = "tuple[tuple[int, int], Units, bool]"
"""The unit that a loss or a panic takes, (type, condition); the units after it; whether that is sudden death."""


class Units:
    """A side's units in their conditions; one object for each multiset of a side, so that equal ones are identical.

    Attributes:
        side: whose.
        bits: for each type 18 bits, six each for the units that may fire, those that have fired and those that are
            panicked; 0: nobody is left.
        plus: unpanicked units that count for Battlefield Advantage.
        ready: somebody may fire; `guns`: of gunpowder.
        unpanicked: somebody is not panicked.
        soft: somebody may panic.
        used: 0 where a pike is unpanicked that may cancel a panic; else the side's bit of the pikes used in a position.
        fallen: nobody is left of those whose death is sudden death [5.2].
        fires: who may fire, (type, units after); `gunshots`: of gunpowder. None until `Side.fill`, as are all below.
        losses: whom an elimination may take; `panics`: whom a panic may take.
        fresh: the units in the next round; `rallied`: in the second battle.
    """

    __slots__ = (
        "bits", "fallen", "fires", "fresh", "guns", "gunshots", "losses", "panics", "plus", "rallied", "ready", "side",
        "soft", "unpanicked", "used",
    )  # fmt: skip

    def __init__(self, side: Side, bits: int) -> None:
        self.side: Side = side
        self.bits: int = bits
        self.plus: int = sum((bits >> at) & _MOST for at in side.plus_fields)
        self.ready: bool = bool(bits & side.ready)
        self.guns: bool = bool(bits & side.guns)
        self.unpanicked: bool = bool(bits & side.unpanicked)
        self.soft: bool = bool(bits & side.soft)
        self.used: int = 0 if bits & side.pikes else side.bit
        self.fallen: bool = any(not bits & mask for mask in side.lives)
        self.fires: Any = None
        self.gunshots: Any = None
        self.losses: Any = None
        self.panics: Any = None
        self.fresh: Any = None
        self.rallied: Any = None

    def __repr__(self) -> str:
        return f"Units({self.bits:#x})"

    def __len__(self) -> int:
        """Return units, panicked or not."""
        return sum(self.counts)

    def __bool__(self) -> bool:
        return self.bits != 0

    @property
    def counts(self) -> list[int]:
        """Units by type, in whatever condition."""
        return [
            sum((self.bits >> (at + c * _BITS)) & _MOST for c in (READY, FIRED, PANICKED)) for at in self.side.fields
        ]

    @property
    def upright(self) -> int:
        """Unpanicked units."""
        return sum((self.bits >> (at + c * _BITS)) & _MOST for at in self.side.fields for c in (READY, FIRED))


class Side:
    """One side's types, and the multisets of them.

    Args:
        types: the types; `count` units of each are there at the start.
        dice_bonus: dice that a card adds to each gunpowder unit.
        both_chiefs: Kalani and Kaiana live, so that one's death alone is not a sudden death.
        bit: the side's bit of the pikes used in a position.
        pikes: whether its pikes cancel panics; those behind walls have none to cancel.
    """

    def __init__(
        self, types: Sequence[UnitType], dice_bonus: int, both_chiefs: bool, bit: int = 1, pikes: bool = True
    ) -> None:
        self.bit = bit
        self.types: tuple[UnitType, ...] = tuple(types)
        self.fields: list[int] = [i * _TYPE_BITS for i in range(len(self.types))]  # shift of each type's first field
        self.dice: list[int] = [it.strength + (dice_bonus if it.gun else 0) for it in self.types]
        self.elite: list[int] = [int(it.elite) for it in self.types]
        self.ready: int = 0
        self.fired: int = 0
        self.panicked: int = 0
        self.guns: int = 0
        self.soft: int = 0
        self.pikes: int = 0
        self.plus_fields: list[int] = []
        lives: dict[int, list[int]] = {}
        for at, it in zip(self.fields, self.types, strict=True):
            self.ready |= _MOST << at
            self.fired |= _MOST << (at + _BITS)
            self.panicked |= _MOST << (at + 2 * _BITS)
            whole = ((1 << _TYPE_BITS) - 1) << at
            if it.gun:
                self.guns |= _MOST << at
            if not it.elite:
                self.soft |= whole
            if it.pike and pikes:
                self.pikes |= (_MOST << at) | (_MOST << (at + _BITS))
            if it.plus:
                self.plus_fields += [at, at + _BITS]
            if it.life and it.count:
                lives.setdefault(it.life, []).append(whole)
        self.unpanicked: int = self.ready | self.fired
        # [5.2] Sudden death: when nobody of a group is left. One chief alone is none, unless the other is dead.
        self.lives: tuple[int, ...] = tuple(
            sum(masks) for life, masks in lives.items() if life == 1 or len(masks) > 1 or not both_chiefs
        )
        self._known: dict[int, Units] = {}
        self.start: Units = self.units(sum(it.count << at for at, it in zip(self.fields, self.types, strict=True)))

    def shift(self, i: int, condition: int) -> int:
        """Return the bit at which the field of a type and a condition begins in `Units.bits`."""
        return self.fields[i] + condition * _BITS

    def units(self, bits: int) -> Units:
        """Return the multiset of these bits."""
        found = self._known.get(bits)
        if found is None:
            found = self._known[bits] = Units(self, bits)
        return found

    def type_of(self, name: str, fights: tuple[int, bool, bool, bool, bool]) -> int:
        """Return the type of a kind of unit: by its name, else by how it fights; -1 where there is none."""
        for i, it in enumerate(self.types):
            if it.name == name:
                return i
        for i, it in enumerate(self.types):
            if not it.life and it.fights == fights:
                return i
        return -1

    def _moved(self, units: Units, i: int, condition: int, to: int | None) -> Units:
        """Return the units with one unit of a type and a condition in another condition, or gone."""
        bits = units.bits - (1 << self.shift(i, condition))
        return self.units(bits if to is None else bits + (1 << self.shift(i, to)))

    def _hits(self, units: Units, taken: Sequence[tuple[int, int]], panic: bool) -> list[Hit]:
        found: list[Hit] = []
        for i, condition in taken:
            lost = not panic or condition == PANICKED
            after = self._moved(units, i, condition, None if lost else PANICKED)
            found.append(((i, condition), after, lost and after.fallen))
        return found

    def fill(self, units: Units) -> None:
        """Note what may become of units: whom a shot, a loss, a panic takes; who is there in the next round and
        battle.
        """
        bits = units.bits
        there = [
            (i, c)
            for i in range(len(self.types))
            for c in (READY, FIRED, PANICKED)
            if (bits >> self.shift(i, c)) & _MOST
        ]
        shots = [(i, self._moved(units, i, READY, FIRED)) for i, c in there if c == READY]
        units.fires, units.gunshots = shots, [shot for shot in shots if self.types[shot[0]].gun]
        # [11.3] Eliminations go to unpanicked units while there are any.
        units.losses = self._hits(units, [(i, c) for i, c in there if c != PANICKED or not units.unpanicked], False)
        # [12.0] Elite units do not panic; a panicked one is eliminated.
        units.panics = self._hits(units, [(i, c) for i, c in there if not self.types[i].elite], True)
        # [11.1 i] Everybody unpanicked may fire again; [11.4, 11.6] before the second battle the panicked rally, too.
        fired, panicked = bits & self.fired, bits & self.panicked
        fresh = bits - fired + (fired >> _BITS)
        units.fresh = self.units(fresh)
        units.rallied = self.units(fresh - panicked + (panicked >> 2 * _BITS))
