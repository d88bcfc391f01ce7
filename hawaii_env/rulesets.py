"""Rulesets of all games: folders of TOML files, checked against models and frozen. See docs/rulesets.md.

A game declares a pydantic model for each file and checks of the whole ruleset. A user's folder replaces any of the
shipped files. Every value says whether it is printed, chosen by a ruling or reconstructed.
"""

from __future__ import annotations

import copy
import hashlib
import json
import os
import re
import types
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from functools import cache, reduce
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, NoReturn, Self, TypeAlias, cast

from pydantic import AfterValidator, BaseModel, Field

from hawaii_env._arguments import check_path
from hawaii_env._ruleset_checks import EVERY, RULESET, Document, Problem, Table, Value, Walk, as_tuples, validate
from hawaii_env.errors import RulesetError
from hawaii_env.texts import describe_error, parse_json, parse_toml, read_bytes, show, show_value, spell

__all__ = [
    "EVERY",
    "About",
    "Die",
    "Faces",
    "Line",
    "Problem",
    "Problems",
    "Ruleset",
    "Ruling",
    "Section",
    "Slug",
    "Table",
    "Text",
    "Value",
    "different",
    "from_files",
    "no_repeats",
    "whole",
]

# ---- models of files


def whole(low: int, high: int, default: Any = ...) -> Any:
    """Return a field for a whole number between two bounds, both included."""
    return Field(default, ge=low, le=high)


def _one_line(value: str) -> str:
    if not value.strip() or show(value) != value:
        raise ValueError("not a line of text")
    return value


_LINE = "one line of text, at most 60 characters"
Line = Annotated[str, Field(min_length=1, max_length=60, description=_LINE), AfterValidator(_one_line)]
_TEXT = "text of at most 600 characters"
Text = Annotated[str, Field(min_length=1, max_length=600, description=_TEXT), AfterValidator(_one_line)]
Slug = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$", description="a lower-case word")]


def no_repeats(value: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a list without repeats. Raises ValueError."""
    if len(set(value)) < len(value):
        raise ValueError("a value comes twice")
    return value


def different(what: str, least: int = 0) -> Any:
    """Return the description of a list without repeats."""
    return Field(min_length=least, description=f"a list of different {what}")


Problems: TypeAlias = Iterator[tuple[str, str, str]]
Die: TypeAlias = Annotated[int, Field(ge=1, le=6)]
Faces: TypeAlias = Annotated[tuple[Die, ...], AfterValidator(no_repeats), different("die faces, each 1 to 6")]


class About(Table):
    """``ruleset.toml``: the name of the set. It does not affect play."""

    name: Line
    version: Line
    kind: Literal["printed", "reconstructed", "variant"]


class Ruling(Table):
    """A point on which the rulebook is silent or contradicts itself, and the reading that this project uses."""

    id: Annotated[str, Field(pattern=r"^R-\d\d$", description="R- and two digits")]
    title: str = ""
    sections: tuple[str, ...]
    question: Text
    readings: tuple[Text, ...] = ()
    choice: Text
    reason: Text
    test: Annotated[str, Field(pattern=r"^tests/\S+::test_r_\d\d$", description="path::function of its test")]
    option: str | None = None


class Section(Table):
    """A section of the rulebook and its implementation: a rule, or none with a ``reason``."""

    id: str
    printed: str = ""
    title: Text
    status: Literal["implemented", "not a rule"] = "implemented"
    reason: str = ""


class _Rulings(Table):
    rulings: tuple[Ruling, ...]

    def problems(self) -> Iterator[tuple[str, str, str]]:
        ids = [ruling.id for ruling in self.rulings]
        if ids != sorted(set(ids)):
            yield "rulings.id", "ids are not in order, or one comes twice", "each id once, ascending"


class _Sections(Table):
    sections: tuple[Section, ...]


# ---- rulesets


def from_files(place: str) -> Any:
    """Return a property of a ruleset: the value at a place in its files, as ``"map.toml spaces"``."""
    file, *names = place.split()
    return property(lambda ruleset: reduce(getattr, names, ruleset.files[file]))


class Ruleset(ABC):
    """One checked ruleset. Immutable; copies are the object itself, and a pickle contains the files' content.

    A game subclasses it, names its models and the folder of its files, and adds the data for its rules.

    Attributes:
        files: the files by name, as their models.
        provenance: every value with its file, table, key and source.
    """

    folder: ClassVar[Path]
    """Folder of the game's package: in it ``data`` with the shipped files, ``rulings.toml``, ``sections.toml`` and
    ``rules.md``, the rules in our own words."""
    models: ClassVar[Mapping[str, type[BaseModel]]]
    """Model of each file by its name; ``ruleset.toml`` is among them."""
    aspects: ClassVar[Mapping[str, str]] = types.MappingProxyType({})
    """Names that a `source` may give beside keys of its table, with its meaning."""

    files: Mapping[str, Any]
    provenance: tuple[Value, ...]

    def __init__(self, content: Mapping[str, Document]) -> None:
        """Check the content of all files. Raises RulesetError with every problem."""
        rulings = frozenset(ruling.id for ruling in self.rulings())
        files: dict[str, Any] = {}
        values: list[Value] = []
        problems: list[Problem] = []
        for name, model in self.models.items():
            walk = Walk(name, rulings, self.aspects)
            files[name], found = validate(name, model, walk.table(content[name]))
            values += walk.values
            problems += found or walk.problems  # a value that is wrong says more than one without a source
        self.files, self.provenance = types.MappingProxyType(files), tuple(values)
        if not problems:
            problems = [*self._kind_problems(), *self.problems()]
        if problems:
            _fail(*problems)
        self._content = json.dumps({name: content[name] for name in self.models}, ensure_ascii=False)
        self.hash: str = hashlib.sha256(self.plays().encode()).hexdigest()

    # ---- what a game adds

    def problems(self) -> Iterator[Problem]:
        """Yield problems between files. Called if each file by itself is correct."""
        yield from ()

    @abstractmethod
    def plays(self) -> str:
        """Return everything that affects play, as JSON: the input of the hash."""

    # ---- what it is

    @property
    def about(self) -> About:
        """Name, version and kind."""
        return self.files[RULESET]

    @property
    def name(self) -> str:
        """Name of the set."""
        return self.about.name

    def rules_text(self) -> str:
        """Return the game's rules in our own words, as Markdown: the file ``rules.md`` of the game's package, with this
        set's numbers in place of names such as ``{{board.set_up.stock}}``.

        Raises:
            AttributeError, KeyError: the text names a value that the set does not have.
        """

        def value(match: re.Match[str]) -> str:
            found: Any = self
            for part in match[1].split("."):
                found = found[part] if isinstance(found, Mapping) else getattr(found, part)
            return str(found)

        return spell(re.sub(r"\{\{([\w.]+)\}\}", value, (self.folder / "rules.md").read_text(encoding="utf-8")))

    @property
    def content(self) -> dict[str, Any]:
        """The files by name, as plain JSON values (a new copy), which `load` accepts."""
        return parse_json(self._content)

    @property
    def param(self) -> dict[str, Any] | None:
        """The value of a game's ``params["rules"]``: None for the shipped ruleset, otherwise the content."""
        return None if self is self.load() else self.content

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: Any) -> Self:
        return self

    def __reduce__(self) -> Any:
        return type(self).load, (self.content,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ruleset) and type(self) is type(other) and self._content == other._content

    def __hash__(self) -> int:
        return hash(self._content)

    def __repr__(self) -> str:
        return f"<Ruleset {self.name} {self.about.version} {self.hash[:12]}>"

    # ---- loading

    @classmethod
    def load(cls, rules: str | os.PathLike[str] | Mapping[str, Any] | Ruleset | None = None) -> Self:
        """Return a ruleset.

        Args:
            rules: None or its name for the shipped one; a folder (which takes precedence over a name), or a mapping
                like `content`, whose files replace the shipped ones of the same names; or a ruleset.

        Raises:
            RulesetError: no such folder, an unknown file, or a problem in one. A line for each problem names
                file, table, key and what is allowed.
        """
        if isinstance(rules, cls):
            return rules
        shipped = cast("Self", _shipped(cls))
        if rules is None or (isinstance(rules, str) and rules == shipped.name and not Path(shipped.name).is_dir()):
            return shipped
        if isinstance(rules, Mapping):
            try:
                given, name, where = copy.deepcopy(dict(rules)), "own", "rules"
            except RecursionError:
                raise RulesetError("rules: the tables are nested too deeply") from None
        elif isinstance(rules, (str, os.PathLike)):
            given, name = cls._read_folder(check_path("rules", rules))
            where = f"rules folder {str(rules)!r}"
        else:
            what = f"a ruleset of {rules.folder.name}" if isinstance(rules, Ruleset) else show_value(rules)
            raise RulesetError(
                f"rules: expected a folder, the content of a ruleset of {cls.folder.name} or None, not {what}"
            )
        unknown = [str(file) for file in given if file not in cls.models]
        if unknown or not given:
            what = f"{unknown[0]}: is not a file of a ruleset" if unknown else f"{where}: no file of a ruleset"
            raise RulesetError(f"{what}; allowed: {', '.join(cls.models)}")
        if wrong := [file for file, document in given.items() if not isinstance(document, dict)]:
            raise RulesetError(f"{wrong[0]}: is not a table; allowed: what {wrong[0]} holds, by its keys")
        content = {**shipped.content, **given}
        if RULESET not in given:  # a mixed set must not bear the shipped name
            content[RULESET] |= {"name": name, "kind": "variant"}
        return shipped if content == shipped.content else cls(content)

    @classmethod
    def _read_folder(cls, folder: Path) -> tuple[dict[str, Any], str]:
        if not folder.is_dir():
            raise RulesetError(
                f"rules: there is no folder {str(folder)!r}, and the only shipped ruleset is {cls.load().name!r}; "
                f"allowed: that name, or a folder with any of {', '.join(cls.models)}"
            )
        paths = sorted(folder.glob("*.toml"))
        given = {path.name: _read(path) if path.name in cls.models else {} for path in paths}
        return given, folder.resolve().name[:60].strip() or "own"

    @classmethod
    def scenario_names(cls, rules: str | None = None, **_: object) -> list[str]:
        """Return the scenarios of a ruleset, if the game has scenarios: a folder, or None for the shipped one."""
        return list(cast(Any, cls.load(rules)).scenarios)

    @classmethod
    def rulings(cls) -> tuple[Ruling, ...]:
        """Return the game's rulings, in the order of their ids."""
        return _read_model(cls.folder / "rulings.toml", _Rulings).rulings

    @classmethod
    def sections(cls) -> tuple[Section, ...]:
        """Return the sections of the game's rulebook."""
        return _read_model(cls.folder / "sections.toml", _Sections).sections

    @classmethod
    def references(cls) -> dict[str, Any]:
        """Return what the numbers in a text stand for, in JSON's types: ``sections``, id -> title, and ``rulings``,
        id -> ``title``, ``question`` (empty where it is the title), ``choice``, ``reason``, ``sections``.
        """

        def plain(text: str) -> str:
            return spell(" ".join(text.split()).replace("`", ""))

        rulings = {
            one.id: {
                "title": plain(one.title or one.question),
                "question": plain(one.question) if one.title else "",
                "choice": plain(one.choice),
                "reason": plain(one.reason),
                "sections": list(one.sections),
            }
            for one in cls.rulings()
        }
        return {"sections": {one.id: plain(one.title) for one in cls.sections()}, "rulings": rulings}

    def _kind_problems(self) -> Iterator[Problem]:
        rest = [value for value in self.provenance if value.source == "reconstructed"]
        if self.about.kind == "printed" and rest:
            one = f"{rest[0].table}.{rest[0].key} in {rest[0].file}"
            text = f'"printed", but {len(rest)} values are reconstructed, the first {one}'
            yield Problem(RULESET, "", "kind", text, '"reconstructed" or "variant"')


MOST_PROBLEMS = 50
"""Problems that an error lists."""


def _fail(*problems: Problem) -> NoReturn:
    more = len(problems) - MOST_PROBLEMS
    rest = [f"and {more} more problems"] if more > 0 else []
    raise RulesetError("\n".join([*map(str, problems[:MOST_PROBLEMS]), *rest]))


def _read(path: Path) -> Document:
    """Read one TOML file. Raises RulesetError, naming file and line."""
    try:
        return parse_toml(read_bytes(path))
    except (OSError, ValueError) as error:
        what = "cannot be read" if isinstance(error, OSError) else "is not TOML"
        raise RulesetError(f"{path.name}: {what}: {describe_error(error)}; allowed: a TOML file in UTF-8") from error


@cache
def _shipped(kind: type[Ruleset]) -> Ruleset:
    return kind({name: _read(kind.folder / "data" / name) for name in kind.models})


@cache
def _read_model(path: Path, model: type[Any]) -> Any:
    found, problems = validate(path.name, model, as_tuples(_read(path)))
    if problems:
        _fail(*problems)
    return found
