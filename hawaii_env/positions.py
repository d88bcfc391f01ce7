"""Positions as data, in the same form for all games: views, strict parsing of their fields, and JSON.

A game's `position` accepts the fields of its view: ``game.position(**state.view().to_dict())`` is the same position.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, TypeAlias, cast

from hawaii_env._arguments import whole
from hawaii_env.errors import StateError
from hawaii_env.texts import parse_json, show_value, suggest

__all__ = ["Reader", "View", "forbid", "pick_name", "plain", "read_json", "whole_number", "write_json"]

MISSING: Any = object()
Why: TypeAlias = Callable[[str], "str | None"]
WORDS = 8
"""Words of a game's generators: four for cards, four for dice."""


class View:
    """Base of the views of games, frozen dataclasses: a position as an observer knows it."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON values: ``game.position(**view.to_dict())`` is this position again."""
        return plain(self)


def plain(value: Any) -> Any:
    """Return a copy of a value in JSON types: a dict for a dataclass, lists for tuples."""
    if value is None or type(value) in (int, str, bool):
        return value
    if dataclasses.is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in cast(Mapping[str, Any], value).items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in cast(Sequence[Any], value)]
    return value


# ---- reading fields


def forbid(wrong: object, message: str) -> None:
    """Raise StateError with this message if the condition holds: one call for each rule that a position may break."""
    if wrong:
        raise StateError(message)


def whole_number(value: object, where: str, low: int, high: int) -> int:
    """Return a whole number between two bounds. Raises StateError."""
    number = whole(value)
    if number is None or not low <= number <= high:
        raise StateError(f"{where}: expected a whole number from {low} to {high}, not {show_value(value)}")
    return number


def pick_name(value: object, where: str, names: Sequence[str], why: Why | None = None) -> int:
    """Return the index of a name. Raises StateError, which gives the reason or the nearest name."""
    if not isinstance(value, str) or value not in names:
        if why is not None and isinstance(value, str) and (problem := why(value)):
            raise StateError(f"{where}: {value} {problem}")
        known = ", ".join(filter(None, names))
        raise StateError(f"{where}: expected one of {known}, not {show_value(value)}{suggest(value, names)}")
    return list(names).index(value)


class Reader:
    """Fields of a table, each taken once. Errors are StateErrors that name the field.

    Args:
        fields: a mapping.
        where: the names of the enclosing tables, for example ``"players: red_0: "``.
        why: returns why a name is not allowed, or None; without it, errors list the allowed names.
    """

    def __init__(self, fields: object, where: str = "", why: Why | None = None) -> None:
        if not isinstance(fields, Mapping):
            raise StateError(f"{where.removesuffix(': ') or 'position'}: expected a table, not {show_value(fields)}")
        self._left = dict(cast(Mapping[str, Any], fields))
        self._known: list[str] = []
        self._where, self.why = where, why

    def at(self, key: str) -> str:
        """Return a field's name with those of its enclosing tables."""
        return f"{self._where}{key}"

    def fail(self, key: str, message: str) -> NoReturn:
        """Raise StateError about a field."""
        raise StateError(f"{self.at(key)}: {message}")

    def __contains__(self, key: str) -> bool:
        return key in self._left

    def given(self, key: str) -> bool:
        """Return True if an optional field is present and not None; a None is consumed."""
        self._known.append(key)
        if self._left.get(key) is None:
            self._left.pop(key, None)
            return False
        return True

    def take(self, key: str, default: Any = MISSING) -> Any:
        """Return a field, or the default."""
        self._known.append(key)
        if key not in self._left and default is MISSING:
            raise StateError(f"{self.at(key)} is missing")
        return self._left.pop(key, default)

    def whole(self, key: str, low: int, high: int, default: Any = MISSING) -> int:
        """Return a whole number between two bounds."""
        return whole_number(self.take(key, default), self.at(key), low, high)

    def wholes(self, key: str, length: int, low: int, high: int, default: Any = MISSING) -> list[int]:
        """Return a list of a given length of whole numbers between two bounds."""
        values = self.items(key, default)
        if len(values) != length:
            self.fail(key, f"expected {length} whole numbers, not {show_value(values)}")
        return [whole_number(value, self.at(key), low, high) for value in values]

    def flag(self, key: str, default: Any = MISSING) -> bool:
        """Return True or False."""
        value = self.take(key, default)
        if not isinstance(value, bool):
            self.fail(key, f"expected true or false, not {show_value(value)}")
        return value

    def pick(self, key: str, names: Sequence[str], default: Any = MISSING) -> int:
        """Return the index of a name, or -1 for None if None is the default."""
        value = self.take(key, default)
        return -1 if value is None and default is None else pick_name(value, self.at(key), names, self.why)

    def picks(self, key: str, names: Sequence[str], default: Any = ()) -> list[int]:
        """Return the indices of a list of names."""
        return [pick_name(value, self.at(key), names, self.why) for value in self.items(key, default)]

    def items(self, key: str, default: Any = ()) -> list[Any]:
        """Return a list."""
        value = self.take(key, default)
        if not isinstance(value, (list, tuple)):
            self.fail(key, f"expected a list, not {show_value(value)}")
        return list(cast(Sequence[Any], value))

    def table(self, key: str, default: Any = MISSING, names: Sequence[str] | None = None) -> Reader:
        """Return a reader of a table in this one.

        Args:
            key: the field.
            default: the table if the field is missing.
            names: the keys that the table may have, or None.
        """
        reader = Reader(self.take(key, default), f"{self.at(key)}: ", self.why)
        if names is not None:
            for name in reader._left:
                pick_name(name, self.at(key), names, self.why)
        return reader

    def keys_left(self) -> list[str]:
        """Return the names of the remaining fields, in order."""
        return list(self._left)

    def rest(self) -> dict[str, Any]:
        """Return the remaining fields."""
        left, self._left = self._left, {}
        return left

    def end(self) -> None:
        """Raise StateError if a field remains."""
        for key in self._left:
            pick_name(key, f"{self._where}fields".removesuffix(": "), sorted(self._known))


# ---- JSON


def write_json(game: Any, fields: Mapping[str, Any], generator: Sequence[Any] | None = None) -> str:
    """Return a position as one line of JSON: the game, its ruleset's hash and options, the fields, the generator.

    Args:
        game: the game.
        fields: those of a view, as JSON values.
        generator: the words of the generator, for the program that runs the game; otherwise None.
    """
    document = {"game": game.name, "ruleset": game.ruleset_hash, "options": _options(game), **fields}
    if generator is not None:
        document["generator"] = list(generator)
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def read_json(game: Any, text: str) -> tuple[dict[str, Any], list[int] | None]:
    """Return the fields of a position written by `write_json`, and the words of its generator or None.

    Raises:
        StateError: not JSON, or a position of another game, ruleset or options.
    """
    try:
        document = parse_json(text)
    except ValueError as error:
        cut = "; is the text truncated?" if isinstance(error, json.JSONDecodeError) else ""
        raise StateError(f"state: {error}{cut}") from None
    reader = Reader(document, "state: ")
    for key, wanted in (("game", game.name), ("ruleset", game.ruleset_hash), ("options", _options(game))):
        found = reader.take(key)
        if found != wanted:
            reader.fail(key, f"this game's is {wanted!r}, not {show_value(found)}")
    generator = reader.wholes("generator", WORDS, 0, (1 << 32) - 1) if reader.given("generator") else None
    return reader.rest(), generator


def _options(game: Any) -> dict[str, Any]:
    return {key: value for key, value in game.params.items() if key != "rules"}
