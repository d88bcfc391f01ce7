"""Arguments that describe a battle, checked, and the model of it: units by name, the space, the kind [11.0 to 14.2]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, cast

from hawaii_env._arguments import check_choice, check_count, check_kind
from hawaii_env.errors import OptionError
from hawaii_env.texts import suggest

from ..game import Game
from ..rules import names
from ..rules.names import KIND_NAMES, KINDS, SPACES
from .model import ATTACKER, DEFENDER, BattleModel, results_of
from .units import UnitType

__all__ = ["battle_model", "die_chances"]

_SIDE_KINDS = names.K_KALANI  # kinds below are Kamehameha's, those from Kaua'i's on stand with either side


def die_chances(
    game: Game | None = None, role: int = ATTACKER, elite: bool = False
) -> tuple[Fraction, Fraction, Fraction]:
    """[11.2, 12.0, R-05] Return the chances of no effect, panic and elimination of one die.

    Args:
        game: whose Battle Results Table is read; None is the shipped one.
        role: 0 where the side that fires attacks, 1 where it defends.
        elite: whether the unit that fires is elite.
    """
    check_count("role", role, 0, 1)
    none, panic, elimination = results_of(game_of(game).ruleset)[role][bool(elite)]
    return Fraction(none, 6), Fraction(panic, 6), Fraction(elimination, 6)


def battle_model(
    attackers: Sequence[str],
    defenders: Sequence[str],
    space: str = "open",
    kind: str = "invasion",
    earthworks: bool = False,
    *,
    advantage: int = 0,
    gunpowder: int = 0,
    escape: bool = False,
    chiefs: bool = True,
    ruleset: Any = None,
    game: Game | None = None,
    merge: bool = True,
) -> BattleModel:
    """Return the model of a battle between units given by name; its `root` is where it begins.

    Args:
        attackers: as for `battle_odds`, as are all below.
        defenders: the same.
        space: the same.
        kind: the same.
        earthworks: the same.
        advantage: the same.
        gunpowder: the same.
        escape: the same.
        chiefs: the same.
        ruleset: the same.
        game: the same.
        merge: kinds that fight alike are one type; False: each kind is a type, as a choice at random needs.

    Raises:
        OptionError: an unknown unit, space or kind, no unit, more units than the game has, or a battle that cannot be.
    """
    game = game_of(game, ruleset)
    kinds = sides_of(names_of(attackers, "attackers"), names_of(defenders, "defenders"))
    check_count("advantage", advantage, 0, 9)
    check_count("gunpowder", gunpowder, 0, 9)
    walls = walls_of(game, space, kind, earthworks)
    if escape and kind != "overland":
        raise OptionError("escape: only defenders of an overland attack leave by canoe [11.6]")
    record = game.tables
    left = types_of(record, kinds[0], "attackers", merge)
    right = types_of(record, kinds[1], "defenders", merge)
    role = ATTACKER if min(kinds[0]) < _SIDE_KINDS else DEFENDER
    results = results_of(game.ruleset)
    return BattleModel(left, right, results, walls, kind == "sea", advantage, gunpowder, escape, chiefs, role)


def game_of(game: Game | None, ruleset: Any = None) -> Game:
    """Return the game that is meant; None is a new one, of the ruleset."""
    if game is None:
        return Game(rules=ruleset)
    check_kind("game", game, Game)
    if ruleset is not None:
        raise OptionError("ruleset: the game brings its own; pass one of the two")
    return game


def _kinds_named(name: str) -> list[int]:
    return [kind for kind, known in enumerate(KIND_NAMES) if known == name]


def names_of(units: Sequence[str], what: str) -> tuple[str, ...]:
    """Return the names of a side's units, checked."""
    if isinstance(units, str) or not isinstance(cast(object, units), Sequence) or not units:
        raise OptionError(f"{what}: expected a list of at least one unit, not {units!r}")
    for name in units:
        if not _kinds_named(name):
            known = sorted({KIND_NAMES[k] for k in range(len(KINDS)) if "canoe" not in KINDS[k]})
            hint = suggest(name, known)
            raise OptionError(f"{what}: there is no unit {name!r}; the units are {', '.join(known)}{hint}")
        if "canoe" in name:
            raise OptionError(f"{what}: a {name} never fights and is no loss [11.2]; leave it out")
    return tuple(units)


def may_stand_with(kind: int, side: int) -> bool:
    """Return True if units of a kind may fight for a side."""
    return kind >= names.K_KAUAI_WARRIOR or (kind < _SIDE_KINDS) == (side == 0)


def sides_of(attackers: tuple[str, ...], defenders: tuple[str, ...]) -> tuple[list[int], list[int]]:
    """Return the kinds of both sides' units: of the two players where that is possible, else of whoever has such
    units.
    """
    for side in (0, 1):
        found: list[list[int]] = []
        for at, units in ((side, attackers), (1 - side, defenders)):
            found.append([k for name in units for k in _kinds_named(name) if may_stand_with(k, at)])
        if len(found[0]) == len(attackers) and len(found[1]) == len(defenders):
            return found[0], found[1]
    return [_kinds_named(name)[0] for name in attackers], [_kinds_named(name)[0] for name in defenders]


def how_it_fights(record: Any, piece: int) -> tuple[int, bool, bool, bool, bool]:
    """Return strength, elite, counts for advantage, gunpowder, pike."""
    elite, plus, gun, pike = (bool(getattr(record, name)[piece]) for name in ("elite", "plus", "gun", "pike"))
    return int(record.strength[piece]), elite, plus, gun, pike


def types_of(record: Any, kinds: Sequence[int], what: str, merge: bool) -> list[UnitType]:
    """Return the unit types of a side, in the order of kinds; with `merge` kinds that fight alike are one."""
    types: dict[Any, UnitType] = {}
    for kind in sorted(set(kinds)):
        count, there = kinds.count(kind), int(record.count[kind])
        if count > there:
            raise OptionError(f"{what}: {count} times {KIND_NAMES[kind]}, but the game has {there}")
        piece = int(record.first[kind])
        life = 1 if kind == names.K_KAMEHAMEHA else 2 if kind in (names.K_KALANI, names.K_KAIANA) else 0
        fights = how_it_fights(record, piece)
        key: Any = fights if merge and not life else kind
        if key in types:
            types[key] = replace(types[key], count=types[key].count + count)
        else:
            types[key] = UnitType(KIND_NAMES[kind], count, *fights, life)
    return list(types.values())


def walls_of(game: Game, space: str, kind: str, earthworks: bool) -> bool:
    """[13.0] Return True if the defenders ignore panic."""
    check_choice("kind", kind, names.BATTLES)
    check_choice("space", space, ("open", "fort", *SPACES))
    fort = space == "fort" or (space in SPACES and bool(game.tables.fort[SPACES.index(space)]))
    if kind == "sea":
        if earthworks:
            raise OptionError("earthworks: there are none at sea [11.8]")
        return False
    if earthworks and fort:
        raise OptionError(f"earthworks: they are placed where no fort is [9.0], and {space} has one")
    if kind == "overland" and space in SPACES:
        sibling = int(game.tables.sibling[SPACES.index(space)])
        if sibling < 0:
            raise OptionError(f"kind: nobody attacks {space} overland, its island has one space [10.2]")
    return fort or earthworks
