"""Checks of a ruleset's files: every problem is found, and named by file, table and key with what is allowed there."""

from __future__ import annotations

import json
import re
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, Union, cast, get_args, get_origin

from pydantic import BaseModel, ConfigDict, RootModel, ValidationError, field_validator
from pydantic.fields import FieldInfo

from hawaii_env.texts import show_value

__all__ = ["EVERY", "RULESET", "Document", "Problem", "Table", "Value", "Walk", "as_tuples", "validate"]

SOURCE = re.compile(r"printed( \d+\.\d+(, \d+\.\d+)*)?|ruling R-\d\d|reconstructed")
SOURCE_ALLOWED = '"printed" (with a section: "printed 6.0"), "ruling R-nn", "reconstructed"'
RULESET = "ruleset.toml"

EVERY = object()
"""Said of a mapping whose names are a Literal: it has all of them."""

Document = dict[str, Any]


@dataclass(frozen=True)
class Problem:
    """One thing wrong with a ruleset, and what is allowed in its place."""

    file: str
    table: str
    key: str
    problem: str
    allowed: str

    def __str__(self) -> str:
        table = f", table [{self.table}]" if self.table else ""
        key = f", key {self.key}" if self.key else ""
        return f"{self.file}{table}{key}: {self.problem}; allowed: {self.allowed}"


@dataclass(frozen=True)
class Value:
    """One value of a ruleset and where it comes from."""

    file: str
    table: str
    key: str
    value: Any
    source: str


def _freeze(value: Any) -> Any:
    if isinstance(value, dict):
        return types.MappingProxyType({key: _freeze(item) for key, item in cast(Document, value).items()})
    return value


class Table(BaseModel):
    """Base of the models of tables: immutable, with no key and no type that is not declared. Lists are tuples."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", frozen=True, strict=True)

    @field_validator("*")
    @classmethod
    def _frozen(cls, value: Any) -> Any:
        return _freeze(value)

    def problems(self) -> Iterator[tuple[str, str, str]]:
        """Yield key (a path with dots for one further down; ending with a dot for a table), problem and what is
        allowed, for each thing that types cannot say. It is asked when all values of the file have their types.
        """
        yield from ()


# ---- what a model allows, in words


def _bare(kind: Any) -> Any:
    """Return a type without its annotations: Annotated, Optional, a root model."""
    while True:
        if isinstance(kind, FieldInfo):
            kind = kind.annotation
        elif get_origin(kind) is Annotated:
            kind = get_args(kind)[0]
        elif get_origin(kind) in (Union, types.UnionType):
            others = [one for one in get_args(kind) if one is not type(None)]
            if len(others) > 1:
                return kind
            kind = others[0]
        elif isinstance(kind, type) and issubclass(kind, RootModel):
            kind = kind.model_fields["root"]
        else:
            return kind


def _annotations(kind: Any) -> list[Any]:
    """Return the annotations of a type: descriptions and bounds."""
    if isinstance(kind, FieldInfo):
        return [kind, *kind.metadata, *_annotations(kind.annotation)]
    if get_origin(kind) is Annotated:
        inner, *said = get_args(kind)
        return [*said, *(one for s in said if isinstance(s, FieldInfo) for one in s.metadata), *_annotations(inner)]
    if get_origin(kind) in (Union, types.UnionType):
        others = [one for one in get_args(kind) if one is not type(None)]
        return _annotations(others[0]) if len(others) == 1 else []
    return []


def _keys(model: type[BaseModel]) -> dict[str, FieldInfo]:
    return {field.alias or name: field for name, field in model.model_fields.items()}


def _allowed(kind: Any) -> str:
    """Say what a type allows."""
    said, bare = _annotations(kind), _bare(kind)
    description = next((one.description for one in said if isinstance(one, FieldInfo) and one.description), None)
    if description:
        return description
    if bare is bool:
        return "true or false"
    if bare is int or bare is float:
        low, high = (next((getattr(one, end) for one in said if hasattr(one, end)), None) for end in ("ge", "le"))
        span = f" {low} to {high}" if high is not None else f" of {low} or more" if low is not None else ""
        return f"a {'whole ' if bare is int else ''}number{span}"
    if get_origin(bare) is Literal:
        return ", ".join(json.dumps(one, ensure_ascii=False) for one in get_args(bare))
    if get_origin(bare) is tuple:
        return f"a list, each {_allowed(get_args(bare)[0])}"
    if get_origin(bare) in (Union, types.UnionType):
        return " or ".join(_allowed(one) for one in get_args(bare))
    if isinstance(bare, type) and issubclass(bare, BaseModel):
        return f"a table of {', '.join(_keys(bare))}"
    if _is_mapping(bare):
        name, value = get_args(bare)
        return f"a table of {_names(name)}, each {_allowed(value)}"
    return "text" if bare is str else "a value"


def _names(kind: Any) -> str:
    bare = _bare(kind)
    return ", ".join(get_args(bare)) if get_origin(bare) is Literal else "lower-case words"


def _is_mapping(bare: Any) -> bool:
    origin = get_origin(bare)
    return isinstance(origin, type) and issubclass(origin, Mapping)


def _member(union: Any, tag: object) -> Any:
    """Return the model of a union whose tag this is, or None."""
    for one in get_args(union):
        fields = one.model_fields.values() if isinstance(one, type) and issubclass(one, BaseModel) else ()
        if any(tag in get_args(field.annotation) for field in fields if get_origin(field.annotation) is Literal):
            return one
    return None


@dataclass
class _Place:
    """The place in a file of what a validator found wrong, in the file's own names."""

    kind: Any
    value: Any
    names: list[str]
    items: str = ""
    keys: str = ""
    """Keys that the innermost table may have."""

    def go(self, part: str | int) -> None:
        """Go one step down."""
        bare = _bare(self.kind)
        if get_origin(bare) in (Union, types.UnionType):
            self.kind = _member(bare, part)
            return
        try:
            self.value = self.value[part]
        except (LookupError, TypeError):
            self.value = None
        if isinstance(part, int):
            self.kind = get_args(bare)[0]
            if isinstance(self.value, Mapping):
                self.names.append(_label(self.value, part))
            else:
                self.items += f"item {part + 1}: "
            return
        self.names.append(part)
        if isinstance(bare, type) and issubclass(bare, BaseModel):
            fields = _keys(bare)
            self.keys, self.kind = ", ".join(fields), fields.get(part)
        elif _is_mapping(bare):
            self.keys, self.kind = _names(get_args(bare)[0]), get_args(bare)[1]


def _label(table: Any, index: int) -> str:
    """Return the name of a table in a list: its id, or its number."""
    return str(table.get("id", index + 1))


def _problem(file: str, model: type[BaseModel], document: Any, entry: Any) -> Problem:
    """Return a validator's error as a problem."""
    place, kind, value = _Place(model, document, []), entry["type"], entry["input"]
    for part in entry["loc"]:
        if part == "[key]":
            break
        place.go(part)
    allowed = _allowed(place.kind) if place.kind is not None else ""
    shown = "a table" if isinstance(value, Mapping) else show_value(list(value) if isinstance(value, tuple) else value)
    if kind == "missing":
        problem = f"{place.items}is missing"
    elif kind == "extra_forbidden":
        problem, allowed = "is not a key of this table", place.keys or "no key"
    elif "[key]" in entry["loc"]:
        problem, allowed = "is not a name of this table", place.keys
    elif kind.startswith("union_tag"):
        tag = entry["ctx"]["discriminator"].strip("'")
        place.names.append(tag)
        problem = f"{show_value(value[tag])} is unknown" if tag in value else "is missing"
        allowed = ", ".join(get_args(_keys(one)[tag].annotation)[0] for one in get_args(_bare(place.kind)))
    elif kind in ("too_short", "too_long"):
        problem = f"has {entry['ctx']['actual_length']} items"
        allowed = f"{allowed}, {entry['msg'].partition('have ')[2].partition(' after')[0]}"
    elif kind == "value_error":
        problem = f"{place.items}{shown}: {entry['ctx']['error']}"
    else:
        problem = f"{place.items}{shown} is not allowed"
    names = place.names
    return Problem(file, ".".join(names[:-1]), names[-1] if names else "", problem, allowed)


def validate(file: str, model: type[BaseModel], document: Document) -> tuple[Any, list[Problem]]:
    """Return the model of a document, or None, and what is wrong with it."""
    try:
        found = model.model_validate(document)
    except ValidationError as error:
        return None, [_problem(file, model, document, entry) for entry in error.errors(include_url=False)]
    return found, list(_own_problems(file, found, ()))


def _own_problems(file: str, value: Any, path: tuple[str, ...]) -> Iterator[Problem]:
    """Yield what a table and those in it say of themselves."""
    if hasattr(value, "problems"):
        for key, problem, allowed in value.problems():
            *table, last = (*path, *key.split("."))
            yield Problem(file, ".".join(table), last, problem, allowed)
    below: Any = ()
    if isinstance(value, RootModel):
        below = cast(Any, value).root.items()
    elif isinstance(value, BaseModel):
        for name, field in type(value).model_fields.items():
            wanted = get_args(get_args(field.annotation)[0]) if EVERY in field.metadata else ()
            for one in wanted:
                if one not in getattr(value, name):
                    yield Problem(file, ".".join((*path, name)), one, "is missing", ", ".join(wanted))
        below = ((field.alias or name, getattr(value, name)) for name, field in type(value).model_fields.items())
    elif isinstance(value, Mapping):
        below = cast(Document, value).items()
    elif isinstance(value, tuple):
        items = enumerate(cast(tuple[Any, ...], value))
        below = ((str(getattr(item, "id", index + 1)), item) for index, item in items)
    for name, item in below:
        yield from _own_problems(file, item, (*path, name))


# ---- where values come from


class Walk:
    """A pass over a file: every value with its source; the tables without ``source`` and ``note``.

    Args:
        file: its name.
        rulings: ids that a source may name.
        aspects: what a source may name beside keys, with its meaning: facts of a table that no single key holds.
    """

    def __init__(self, file: str, rulings: frozenset[str], aspects: Mapping[str, str]) -> None:
        self.file, self.rulings, self.aspects = file, rulings, aspects
        self.values: list[Value] = []
        self.problems: list[Problem] = []

    def table(
        self, document: Document, path: tuple[str, ...] = (), chain: tuple[tuple[Any, tuple[str, ...]], ...] = ()
    ) -> Document:
        """Return a table without its sources. `chain` pairs each source above it with the path that leads here."""
        table = ".".join(path)
        if "source" in document:
            self.problems += self._check(table, document["source"], document)
            chain = (*chain, (document["source"], ()))
        if not isinstance(document.get("note", ""), str):
            self.problems.append(Problem(self.file, table, "note", "is not text", "text"))
        bare: Document = {}
        for key, value in document.items():
            if key in ("source", "note"):
                continue
            deeper = tuple((spec, (*under, key)) for spec, under in chain)
            if isinstance(value, dict):
                bare[key] = self.table(cast(Document, value), (*path, key), deeper)
            elif _are_tables(value):
                labels = [_label(item, index) for index, item in enumerate(value)]
                bare[key] = tuple(
                    self.table(item, (*path, key, label), tuple((spec, (*under, label)) for spec, under in deeper))
                    for label, item in zip(labels, value, strict=True)
                )
            else:
                bare[key] = as_tuples(value)
                self._note(table, key, value, deeper)
        return bare

    def _note(self, table: str, key: str, value: Any, chain: tuple[tuple[Any, tuple[str, ...]], ...]) -> None:
        source = _source_of(chain)
        if source is None and (self.file == RULESET or (table, key) == ("", "default")):
            return  # names, and which scenario is played if none is named, say nothing about the printed game
        if source is None:
            text = f"a `source` in its table: {SOURCE_ALLOWED}"
            self.problems.append(Problem(self.file, table, key, "has no source", text))
        self.values.append(Value(self.file, table, key, value, str(source)))

    def _check(self, table: str, spec: Any, values: Any, path: str = "source") -> Iterator[Problem]:
        """Check a source: its words, and that it names keys which are there."""
        if isinstance(spec, dict):
            known = cast(Document, values) if isinstance(values, dict) else {}
            for key, inner in cast(Document, spec).items():
                if key in self.aspects and key not in known:
                    self.values.append(Value(self.file, table, key, self.aspects[key], str(inner)))
                    yield from self._check(table, inner, {}, f"{path}.{key}")
                elif key != "rest" and key not in known:
                    allowed = ", ".join(["rest", *(k for k in known if k not in ("source", "note"))])
                    yield Problem(self.file, table, f"{path}.{key}", "names no key of the table", allowed)
                else:
                    yield from self._check(table, inner, values if key == "rest" else known[key], f"{path}.{key}")
        elif not isinstance(spec, str) or not SOURCE.fullmatch(spec):
            yield Problem(self.file, table, path, f"{show_value(spec)} is not a source", SOURCE_ALLOWED)
        elif spec.startswith("ruling ") and spec.removeprefix("ruling ") not in self.rulings:
            allowed = f"{min(self.rulings, default='')} to {max(self.rulings, default='')}"
            yield Problem(self.file, table, path, f"{show_value(spec)} names no ruling of rulings.toml", allowed)


def _are_tables(value: Any) -> bool:
    return isinstance(value, list) and value != [] and all(isinstance(one, dict) for one in cast(list[Any], value))


def _source_of(chain: tuple[tuple[Any, tuple[str, ...]], ...]) -> Any:
    """Return the source of a value: the innermost table's word first."""
    for spec, path in reversed(chain):
        for name in (*path, None):
            if not isinstance(spec, dict):
                break
            table = cast(Document, spec)
            spec = table.get(name, table.get("rest")) if name is not None else table.get("rest")
        if spec is not None:
            return spec
    return None


def as_tuples(value: Any) -> Any:
    """Return a document with tuples for its lists."""
    if isinstance(value, dict):
        return {key: as_tuples(item) for key, item in cast(Document, value).items()}
    return tuple(map(as_tuples, cast(list[Any], value))) if isinstance(value, list) else value
