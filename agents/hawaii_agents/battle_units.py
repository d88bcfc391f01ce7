"""Units in battle as multisets of types in their conditions [11.0 to 14.2]: what `battle_solver` solves battles of.

Units that fight alike are counted, not named, so that whatever is left of one battle is the same position as in another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

__all__ = [
    "ATTACKER",
    "DEFENDER",
    "FIRED",
    "OBJECTIVES",
    "PANICKED",
    "READY",
    "SUDDEN_DEATH",
    "Army",
    "Choice",
    "Group",
    "Position",
    "Terms",
    "TooLargeError",
    "UnitType",
    "Units",
]

ATTACKER, DEFENDER = 0, 1
READY, FIRED, PANICKED = 0, 1, 2

OBJECTIVES = ("win", "material", "war")
"""What a side plays for: `win` the chance to win the battle, ties by the strength lost; `material` that chance and a part of
the strength lost; `war` the same, and leaders' deaths beyond their strength."""

STRENGTH = 0.05  # material, war: what a point of strength lost counts, against 1 for the battle
CHIEF = 1.0  # war: what a leader's death counts that ends no game by itself, but leaves one death to the end of it
SUDDEN_DEATH = 5.0  # war: what a death counts that ends the game [5.2]


class TooLargeError(Exception):
    """The battle takes more positions than were allowed."""


class UnitType(NamedTuple):
    """Units that fight alike, and count alike when lost.

    Attributes:
        dice: dice that one rolls, a card's bonus included, 1 to 31.
        strength: its strength, which its loss counts.
        elite: it cannot panic and fires on the elite column [12.0].
        plus: it counts for Battlefield Advantage [11.1 ii].
        gun: it is of gunpowder [14.2].
        pike: it is a pike [14.1].
        life: 1: the side's sudden death comes when no unit with `life` is left [5.2]; 0: an ordinary unit.
        chief: a leader whose death alone ends nothing, but leaves the other chief's death to end the game.
    """

    dice: int
    strength: int
    elite: bool = False
    plus: bool = False
    gun: bool = False
    pike: bool = False
    life: int = 0
    chief: bool = False


class Group(NamedTuple):
    """Units of one type: how many may fire, have fired, are panicked."""

    type: UnitType
    ready: int
    fired: int
    panicked: int


@dataclass(frozen=True, slots=True)
class Terms:
    """What holds throughout a battle; battles of equal terms share what has been solved.

    Attributes:
        results: faces of no effect, of panic, of elimination, by role * 2 + elite of who fires (they sum to 6).
        walls: the defenders ignore panic [13.0].
        sea: a sea battle: one battle alone [11.8].
        advantage: added to the attackers' advantage die by a card.
        escape: beaten attackers, and defenders beaten twice, leave instead of being eliminated [11.5, 11.6]. Who leaves
            loses no units.
        objective: of OBJECTIVES.
    """

    results: tuple[tuple[int, int, int], ...]
    walls: bool = False
    sea: bool = False
    advantage: int = 0
    escape: tuple[bool, bool] = (True, False)
    objective: str = "win"


class Units:
    """A side's units in their conditions, with what may become of them; one object for each distinct multiset."""

    __slots__ = (
        "count", "fires", "fresh", "groups", "guns", "gunshots", "id", "lives", "losses", "panics", "pikes", "plus",
        "rallied", "ready", "soft", "strength", "upright", "worth",
    )  # fmt: skip

    def __init__(self, number: int, groups: tuple[Group, ...], war: bool) -> None:
        self.id: int = number
        self.groups: tuple[Group, ...] = groups
        self.count: int = 0
        self.strength: int = 0
        self.plus: int = 0
        self.worth: float = 0.0
        self.ready: bool = False
        self.guns: bool = False
        self.upright: bool = False
        self.soft: bool = False
        self.pikes: bool = False
        self.lives: bool = False
        self.losses: Any = None  # filled in by Army.fill when first needed
        self.panics: Any = None
        self.fires: Any = None
        self.gunshots: Any = None
        self.fresh: Any = None
        self.rallied: Any = None
        for kind, ready, fired, panicked in groups:
            n = ready + fired + panicked
            self.count += n
            self.strength += n * kind.strength
            self.worth += n * (kind.strength * STRENGTH + (CHIEF if war and kind.chief else 0.0))
            if ready:
                self.ready = True
                self.guns = self.guns or kind.gun
            if ready + fired:
                self.upright = True
                self.pikes = self.pikes or kind.pike
                self.plus += kind.plus * (ready + fired)
            self.soft = self.soft or not kind.elite
            self.lives = self.lives or bool(kind.life)


Choice: TypeAlias = tuple[UnitType, int, Units, bool]
"""Whom a side names: type, condition, its units after that, whether that is sudden death."""


class Army:
    """The multisets that a side has had in battles of the same terms."""

    def __init__(self, war: bool) -> None:
        self.war = war
        self.known: dict[tuple[Group, ...], Units] = {}

    def units(self, groups: Sequence[Group]) -> Units:
        """The multiset of these groups (one a type, in any order; empty ones may be among them)."""
        key = tuple(sorted(g for g in groups if g.ready or g.fired or g.panicked))
        found = self.known.get(key)
        if found is None:
            # From 1 on: a position's key is never 0.
            found = self.known[key] = Units(len(self.known) + 1, key, self.war)
        return found

    def _with(self, units: Units, i: int, *counts: int) -> Units:
        groups = list(units.groups)
        groups[i] = Group(groups[i].type, *counts)
        return self.units(groups)

    def _choice(self, units: Units, i: int, condition: int, *counts: int) -> Choice:
        after = self._with(units, i, *counts)
        return units.groups[i].type, condition, after, units.lives and not after.lives

    def fill(self, units: Units) -> None:
        """Note what may become of a multiset: whom a loss, a panic, a shot takes, who is there in the next round and battle."""
        units.losses, units.panics, units.fires, units.gunshots = [], [], [], []
        for i, (kind, r, f, p) in enumerate(units.groups):
            if r:
                shot = (kind, self._with(units, i, r - 1, f + 1, p))
                units.fires.append(shot)
                if kind.gun:
                    units.gunshots.append(shot)
            # [11.3] Eliminations go to unpanicked units while there are any.
            if units.upright:
                if r:
                    units.losses.append(self._choice(units, i, READY, r - 1, f, p))
                if f:
                    units.losses.append(self._choice(units, i, FIRED, r, f - 1, p))
            elif p:
                units.losses.append(self._choice(units, i, PANICKED, r, f, p - 1))
            if not kind.elite:
                if r:
                    units.panics.append(self._choice(units, i, READY, r - 1, f, p + 1))
                if f:
                    units.panics.append(self._choice(units, i, FIRED, r, f - 1, p + 1))
                if p:
                    units.panics.append(self._choice(units, i, PANICKED, r, f, p - 1))
        units.fresh = self.units([Group(kind, r + f, 0, p) for kind, r, f, p in units.groups])
        units.rallied = self.units([Group(kind, r + f + p, 0, 0) for kind, r, f, p in units.groups])


class Position(NamedTuple):
    """Where a battle stands when the dice or a side are to decide.

    Attributes:
        stage: "start" a round begins, "fire" a unit is chosen, "roll" its next die, "lose" and "panic" the side that is hit
            chooses.
        second: the second battle is being fought.
        attackers: the attackers' units.
        defenders: the defenders' units.
        turn: the role whose turn it is.
        pikes: bit 0: the attackers' pikes have cancelled a panic this round; bit 1: the defenders'.
        who: the role that fires.
        elite: the unit that fires is elite.
        dice: dice that it has left.
        first: start: Kamehameha's advantage die where it has fallen already, else 0.
        kamehameha: start: the role whose die that is.
    """

    stage: str
    second: int
    attackers: Units
    defenders: Units
    turn: int = 0
    pikes: int = 0
    who: int = 0
    elite: bool = False
    dice: int = 0
    first: int = 0
    kamehameha: int = 0
