"""Loading and checking map and scenarios: every wrong value is refused with file, entry and what is allowed."""

from __future__ import annotations

import hashlib
import json
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, cast

from hawaii_env._rulesets import find_folder
from hawaii_env.errors import RulesetError
from hawaii_env.heiau.rules.board import FLEET, KINDS, Board, Unit

__all__ = [
    "DATA",
    "FILES",
    "RULINGS",
    "Power",
    "Ruleset",
    "Scenario",
    "Space",
    "load_ruleset",
    "load_rulings",
    "read_unit",
]

FOLDER = Path(__file__).parent
DATA = FOLDER / "data"
FILES = ("map.toml", "scenarios.toml")
RULINGS = FOLDER / "rulings.toml"
SOURCES = ("printed", "reconstructed")


@dataclass(frozen=True)
class Space:
    """What the map says of a space beside its borders; `x`, `y` and the coasts' points are of a picture of the map's
    size.
    """

    id: str
    name: str
    abbr: str
    kind: str
    island: str
    heiau: bool
    x: float
    y: float
    source: str
    why: str
    coasts: Mapping[str, tuple[float, float]]


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


class Ruleset:
    """A checked ruleset.

    Args:
        texts: the content of each of `FILES`.

    Attributes:
        name: the map's name and version.
        hash: hex SHA-256 of what is played by; pictures and remarks do not count.
        spaces: the spaces in table order.
        board: the board.
        scenarios: by id, in the order of their file.
        victory: heiaus that win [Background].
        size: width and height of the map's picture.

    Raises:
        RulesetError: something is wrong; the message names file and entry.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts: dict[str, str] = {file: texts[file] for file in FILES}
        parsed: dict[str, dict[str, Any]] = {}
        for file, text in self.texts.items():
            try:
                parsed[file] = tomllib.loads(text)
            except tomllib.TOMLDecodeError as error:
                raise RulesetError(f"{file}: {error}") from error
        for file, read in (("map.toml", self._read_map), ("scenarios.toml", self._read_scenarios)):
            try:
                read(parsed[file])
            except RulesetError:
                raise
            except KeyError as error:
                raise RulesetError(f"{file}: {error} is missing") from error
            except (TypeError, AttributeError, ValueError) as error:
                raise RulesetError(f"{file}: a value of another kind is wanted: {error}") from error
        played = {
            "map": [[s.id, s.kind, s.heiau, sorted(s.coasts)] for s in self.spaces],
            "land": self.board.land,
            "water": self.board.water,
            "oceans": self.board.oceans,
            "victory": self.victory,
            "scenarios": [[s.id, s.ballot, [[p.id, p.units] for p in s.powers]] for s in self.scenarios.values()],
        }
        self.hash: str = hashlib.sha256(json.dumps(played).encode()).hexdigest()

    def _read_map(self, data: Mapping[str, Any]) -> None:
        where = "map.toml"
        head = _table(where, data, "map", "name version width height spaces heiaus victory")
        entries = data.get("space")
        if not isinstance(entries, list):
            raise RulesetError(f"{where}: [[space]] is missing")
        self.spaces: tuple[Space, ...] = tuple(_space(where, entry) for entry in cast("list[Any]", entries))
        ids = [space.id for space in self.spaces]
        for space in ids:
            if ids.count(space) > 1:
                raise RulesetError(f"{where}: the space {space!r} stands twice")
        heiaus = [space.id for space in self.spaces if space.heiau]
        if len(ids) != head["spaces"] or len(heiaus) != head["heiaus"]:
            raise RulesetError(
                f"{where}: {len(ids)} spaces with {len(heiaus)} heiaus stand here, and [map] says {head['spaces']} "
                f"with {head['heiaus']}"
            )
        self.victory: int = head["victory"]
        if not isinstance(self.victory, int) or not 1 <= self.victory <= len(heiaus):
            raise RulesetError(f"{where}: victory needs {self.victory} heiaus, and there are {len(heiaus)}")
        borders = _table(where, data, "adjacency", "oceans land water")
        self.board: Board = self._board(where, borders, heiaus)
        self.name: str = f"{head['name']}-{head['version']}"
        self.size: tuple[float, float] = (head["width"], head["height"])

    def _board(self, where: str, borders: Mapping[str, Any], heiaus: list[str]) -> Board:
        kinds = {space.id: space.kind for space in self.spaces}
        coasts = {space.id: tuple(space.coasts) for space in self.spaces if space.coasts}
        pairs: dict[str, list[tuple[str, str]]] = {}
        for name in ("land", "water"):
            pairs[name] = []
            for entry in borders[name]:
                if not isinstance(entry, list) or len(cast("list[Any]", entry)) != 2:
                    raise RulesetError(f"{where}: adjacency.{name}: a pair of spaces is wanted, not {entry!r}")
                one, other = cast("list[str]", entry)
                for end in (one, other):
                    _check_end(where, name, end, kinds, coasts)
                if (one, other) in pairs[name] or (other, one) in pairs[name] or one == other:
                    raise RulesetError(f"{where}: adjacency.{name}: {one} - {other} stands twice, or is no pair")
                pairs[name].append((one, other))
        for space in borders["oceans"]:
            if kinds.get(space) != "sea":
                raise RulesetError(f"{where}: adjacency.oceans: {space!r} is no sea")
        wet = {end.partition("/")[0] for pair in pairs["water"] for end in pair}
        for space, kind in kinds.items():
            if kind != "inland" and space not in wet:
                raise RulesetError(f"{where}: {space!r} is {kind} and touches no water")
        for space, named in coasts.items():
            for coast in named:
                if not any(f"{space}/{coast}" in pair for pair in pairs["water"]):
                    raise RulesetError(f"{where}: the coast {space}/{coast} touches no water")
        return Board(
            list(kinds), list(kinds.values()), coasts, pairs["land"], pairs["water"], borders["oceans"], heiaus
        )

    def _read_scenarios(self, data: Mapping[str, Any]) -> None:
        where = "scenarios.toml"
        self.scenarios: dict[str, Scenario] = {}
        for entry in data.get("scenario", ()):
            name = entry.get("id")
            if not isinstance(name, str) or name in self.scenarios:
                raise RulesetError(f"{where}: scenario {name!r} has no name of its own")
            powers: list[Power] = []
            held: set[str] = set()
            for power in entry.get("powers", ()):
                units = tuple(
                    read_unit(self.board, f"{where}: {name}, {power['id']}", u, len(powers)) for u in power["units"]
                )
                for unit in units:
                    at = self.board.spaces[self.board.space_of[unit.place]]
                    if at in held:
                        raise RulesetError(f"{where}: {name}: two units start in {at}")
                    held.add(at)
                powers.append(Power(power["id"], units, any(unit.kind == FLEET for unit in units)))
            if not 2 <= len(powers) <= 6 or len({power.id for power in powers}) != len(powers):
                raise RulesetError(f"{where}: {name}: two to six powers with names of their own are wanted")
            self.scenarios[name] = Scenario(name, tuple(powers), tuple(entry.get("ballot", ())))
        for scenario in self.scenarios.values():
            natives = [power for power in scenario.powers if not power.european]
            for choice in scenario.ballot:
                chosen = self.scenarios.get(choice)
                if chosen is None or len(chosen.powers) != len(natives) or len(scenario.ballot) != 2:
                    raise RulesetError(
                        f"{where}: {scenario.id}: ballot: two scenarios for {len(natives)} powers are wanted"
                    )
        if not self.scenarios:
            raise RulesetError(f"{where}: [[scenario]] is missing")


def _table(where: str, data: Mapping[str, Any], name: str, keys: str) -> Mapping[str, Any]:
    table = data.get(name)
    missing = [key for key in keys.split() if not isinstance(table, dict) or key not in table]
    if missing:
        raise RulesetError(f"{where}: [{name}] lacks {', '.join(missing)}")
    return cast("Mapping[str, Any]", table)


def _space(where: str, entry: Mapping[str, Any]) -> Space:
    name = entry.get("id")
    known = {"id", "name", "abbr", "kind", "island", "heiau", "x", "y", "source", "why", "coasts"}
    if not isinstance(name, str) or not name.replace("_", "").isalnum() or name != name.lower():
        raise RulesetError(f"{where}: a space's id is lower-case letters, digits and '_', not {name!r}")
    missing = sorted(known - {"why", "coasts"} - set(entry))
    unknown = sorted(set(entry) - known)
    if missing or unknown:
        raise RulesetError(f"{where}: space {name!r} lacks {missing} or has unknown keys {unknown}")
    if entry["kind"] not in ("sea", "coast", "inland"):
        raise RulesetError(f"{where}: space {name!r}: kind is sea, coast or inland, not {entry['kind']!r}")
    if entry["source"] not in SOURCES:
        raise RulesetError(f"{where}: space {name!r}: source is printed or reconstructed, not {entry['source']!r}")
    if entry["heiau"] and entry["kind"] == "sea":
        raise RulesetError(f"{where}: space {name!r}: no heiau stands in a sea")
    if entry["heiau"] and entry["kind"] == "inland":
        raise RulesetError(f"{where}: space {name!r}: no action builds inland, so no heiau stands there")
    coasts = {coast: (float(at[0]), float(at[1])) for coast, at in entry.get("coasts", {}).items()}
    if coasts and (entry["kind"] != "coast" or len(coasts) < 2):
        raise RulesetError(f"{where}: space {name!r}: only coastal land has coasts, two or more")
    values = {key: entry[key] for key in known - {"why", "coasts"}}
    return Space(**values, why=entry.get("why", ""), coasts=coasts)


def _check_end(
    where: str, name: str, end: str, kinds: Mapping[str, str], coasts: Mapping[str, tuple[str, ...]]
) -> None:
    space, _, coast = end.partition("/")
    if space not in kinds:
        raise RulesetError(f"{where}: adjacency.{name}: there is no space {space!r}")
    if coast and (name == "land" or coast not in coasts.get(space, ())):
        raise RulesetError(f"{where}: adjacency.{name}: there is no coast {end!r}")
    if name == "water" and space in coasts and not coast:
        raise RulesetError(f"{where}: adjacency.{name}: {space} has coasts {', '.join(coasts[space])}: name one")
    if name == "land" and kinds[space] == "sea":
        raise RulesetError(f"{where}: adjacency.{name}: {space!r} is a sea")
    if name == "water" and kinds[space] == "inland":
        raise RulesetError(f"{where}: adjacency.{name}: {space!r} is inland")


def read_unit(board: Board, where: str, text: object, power: int) -> Unit:
    """Return the unit that a text as ``"B makanalua/n"`` names.

    Raises:
        RulesetError: no such kind or place, or one where such a unit cannot be.
    """
    letter, _, place = text.partition(" ") if isinstance(text, str) else ("", "", "")
    if len(letter) != 1 or letter not in KINDS or not place:
        raise RulesetError(f"{where}: a unit is A, B or F and a place, as 'B makanalua/n', not {text!r}")
    if place not in board.place_index:
        raise RulesetError(f"{where}: {text}: there is no place {place!r} on the map [Map]")
    unit = Unit(KINDS.index(letter), power, board.place_index[place])
    if not board.can_stand(unit.kind, unit.place):
        raise RulesetError(f"{where}: {text}: such a unit cannot be there [Armies, Boats, Fleets, Map]")
    return unit


@cache
def _shipped() -> Ruleset:
    return Ruleset({file: (DATA / file).read_text(encoding="utf-8") for file in FILES})


def load_ruleset(rules: str | os.PathLike[str] | Mapping[str, str] | None = None) -> Ruleset:
    """Return a ruleset.

    Args:
        rules: None or its name for the shipped one; a folder with files that replace the shipped ones (`FILES`); or
            their texts by name.

    Raises:
        RulesetError: no such ruleset or folder, an unknown file, or something wrong in one.
    """
    if rules is None or (rules == _shipped().name and not Path(rules).is_dir()):
        return _shipped()
    texts = dict(_shipped().texts)
    if isinstance(rules, Mapping):
        unknown = sorted(set(rules) - set(FILES))
        texts.update(rules)
    else:
        folder = find_folder(Path(rules), DATA, _shipped().name, FILES)
        found = {path.name: path for path in folder.glob("*.toml")}
        unknown = sorted(set(found) - set(FILES)) or ([] if found else ["no file"])
        texts.update({file: path.read_text(encoding="utf-8") for file, path in found.items()})
    if unknown:
        raise RulesetError(f"rules: {', '.join(unknown)}: a ruleset has the files {', '.join(FILES)}")
    return Ruleset(texts)


def scenario_names(rules: str | None = None, **_: object) -> list[str]:
    """Return the scenarios of a ruleset: a folder, or None for the shipped one."""
    return list(load_ruleset(rules).scenarios)


@cache
def load_rulings() -> tuple[Mapping[str, Any], ...]:
    """Return the rulings: id, title, sections, question, readings, choice, reason, test, and option where one plays
    another reading.
    """
    return tuple(tomllib.loads(RULINGS.read_text(encoding="utf-8"))["rulings"])
