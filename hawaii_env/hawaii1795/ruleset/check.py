"""Checks of a ruleset's files: every problem is found, and named by file, table and key with what is allowed there."""

from __future__ import annotations

import re
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin

from pydantic import ValidationError

from ..rules.names import SPACES
from ..rules.tables import ISLANDS
from .models import (
    ARGS_OF,
    DECKS,
    FILES,
    MODELS,
    MONTHS,
    OWNERS,
    TIMINGS_OF,
    VARIABLE,
    WINDOW_OF,
    BattleResults,
    Card,
    Cards,
    Event,
    Map,
    Piece,
    Pieces,
    Scenario,
    Scenarios,
    Table,
    class_of,
    kinds_of,
)

__all__ = ["ISLAND_OF", "OWN_ISLAND", "Problem", "Value", "check_documents", "check_model", "wants_of"]

ISLAND_OF = {
    "kona": "hawaii",
    "hilo": "hawaii",
    "maui": "maui",
    "molokai": "molokai",
    "waikiki": "oahu",
    "koolau": "oahu",
    "kauai": "kauai",
}
"""Island of each space: part of the engine, because marches and landings depend on the pairs."""

OWN_ISLAND = {"kamehameha": "hawaii", "allied": "oahu"}
"""The island on which a side may place pieces of its choice at set-up [6.0, 6.2]."""

SOURCE = re.compile(r"^(printed( \d+\.\d+)?|ruling R-\d\d|reconstructed)$")
SOURCE_ALLOWED = '"printed" (with a section: "printed 6.0"), "ruling R-nn", "reconstructed"'
_UNSOURCED = {"ruleset.toml": ("name", "version", "kind")}  # these say nothing about the game

Document = dict[str, Any]


@dataclass(frozen=True)
class Problem:
    """One thing wrong with a ruleset."""

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


# ---- where values come from


def _source_of(chain: Sequence[tuple[Any, tuple[str, ...]]]) -> Any:
    """Find the source of a value: the innermost table's word first. `chain` pairs a `source` with the path under it."""
    for spec, path in reversed(chain):
        for name in (*path, None):
            if not isinstance(spec, dict):
                break
            table = cast(Document, spec)
            spec = table.get(name, table.get("rest")) if name is not None else table.get("rest")
        if spec is not None:
            return spec
    return None


def _check_spec(
    file: str, table: str, spec: Any, values: Any, rulings: frozenset[str], path: str = "source"
) -> Iterator[Problem]:
    """Check a `source`: its words, and that it names keys which are there."""
    if isinstance(spec, dict):
        for key, inner in cast(Document, spec).items():
            known = cast(Document, values) if isinstance(values, dict) else {}
            if key != "rest" and key not in known:
                allowed = ", ".join(["rest", *(k for k in known if k not in ("source", "note"))])
                yield Problem(file, table, f"{path}.{key}", "names no key of the table", allowed)
            else:
                yield from _check_spec(
                    file, table, inner, values if key == "rest" else known[key], rulings, f"{path}.{key}"
                )
    elif not isinstance(spec, str) or not SOURCE.match(spec):
        yield Problem(file, table, path, f"{spec!r} is no source", SOURCE_ALLOWED)
    elif spec.startswith("ruling ") and spec.removeprefix("ruling ") not in rulings:
        yield Problem(
            file, table, path, f"{spec!r} names no ruling of rulings.toml", f"{min(rulings)} to {max(rulings)}"
        )


def _walk(
    file: str,
    document: Document,
    rulings: frozenset[str],
    values: list[Value],
    problems: list[Problem],
    path: tuple[str, ...] = (),
    chain: tuple[tuple[Any, tuple[str, ...]], ...] = (),
) -> Document:
    """Collect every value with its source; return the document without `source` and `note`."""
    table = ".".join(path)
    if "source" in document:
        problems.extend(_check_spec(file, table, document["source"], document, rulings))
        chain = (*chain, (document["source"], ()))
    if not isinstance(document.get("note", ""), str):
        problems.append(Problem(file, table, "note", "is not text", "text"))
    bare: Document = {}
    for key, value in document.items():
        if key in ("source", "note"):
            continue
        deeper = tuple((spec, (*under, key)) for spec, under in chain)
        if isinstance(value, dict):
            bare[key] = _walk(file, cast(Document, value), rulings, values, problems, (*path, key), deeper)
            continue
        bare[key] = value
        if not path and key in _UNSOURCED.get(file, ()):
            continue
        source = _source_of(deeper)
        if source is None:
            problems.append(Problem(file, table, key, "has no source", f"a `source` in its table: {SOURCE_ALLOWED}"))
        values.append(Value(file, table, key, value, str(source)))
    return bare


# ---- shape


def _unwrap(annotation: Any) -> Any:
    """Take Annotated and Optional off a type."""
    while True:
        origin = get_origin(annotation)
        if origin is Annotated:
            annotation = get_args(annotation)[0]
        elif origin in (Union, types.UnionType):
            annotation = next(a for a in get_args(annotation) if a is not type(None))
        else:
            return annotation


def _keys(model: type[Table]) -> list[str]:
    return [field.alias or name for name, field in model.model_fields.items()]


def _describe(model: type[Table], loc: Sequence[str | int]) -> tuple[str, str]:
    """Say what is allowed at a place of a model, and which keys the table has that the place is in."""
    kind: Any = model
    description, keys = "", ", ".join(_keys(model))
    for place, item in enumerate(loc):
        if isinstance(kind, type) and issubclass(kind, Table):
            keys = ", ".join(_keys(kind))
            field = next((f for n, f in kind.model_fields.items() if (f.alias or n) == item), None)
            if field is None:
                break
            description, kind = field.description or "", _unwrap(field.annotation)
        elif get_origin(kind) is tuple:
            kind = _unwrap(get_args(kind)[0])
        elif get_origin(kind) is not None and issubclass(get_origin(kind) or object, Mapping):
            name, value = (_unwrap(a) for a in get_args(kind))
            keys = ", ".join(get_args(name)) if get_origin(name) is Literal else "lower-case words"
            if loc[place + 1 : place + 2] == ("[key]",):
                break
            kind = _unwrap(value)
            if isinstance(kind, type) and issubclass(kind, Table):
                description = f"a table of {', '.join(_keys(kind))}"
        else:
            break
    return description, keys


def check_model(file: str, model: type[Table], document: Document, prefix: str = "") -> tuple[Any, list[Problem]]:
    """Validate a document; return the model's instance, or None, and the problems."""
    try:
        return model.model_validate(document), []
    except ValidationError as error:
        return None, [_problem(file, model, dict(entry), prefix) for entry in error.errors(include_url=False)]


def _problem(file: str, model: type[Table], entry: dict[str, Any], prefix: str) -> Problem:
    loc: tuple[str | int, ...] = entry["loc"]
    description, keys = _describe(model, loc)
    names = [str(part) for part in loc if isinstance(part, str) and part not in ("[key]", "args")]
    items = "".join(f"item {part + 1}: " for part in loc if isinstance(part, int))
    if prefix:
        names = [*prefix.split("."), *names]
    kind, value = entry["type"], entry["input"]
    shown = "a table" if isinstance(value, dict) else repr(value)
    if kind == "missing":
        problem, allowed = "is missing", description
    elif kind == "extra_forbidden":
        problem, allowed = "is not a key of this table", keys or "no key"
    elif "[key]" in loc:
        problem, allowed = "is not a name of this table", keys
    elif kind in ("too_short", "too_long"):
        problem, allowed = f"has {entry['ctx']['actual_length']} items", description
    elif kind == "value_error":
        problem, allowed = f"{items}{shown}: {entry['ctx']['error']}", description
    else:
        problem, allowed = f"{items}{shown} is not allowed", description
    return Problem(file, ".".join(names[:-1]), names[-1] if names else "", problem, allowed)


def _split_events(document: Document) -> Document:
    """Put the values of each card's effect into `args`, where the model of an event expects them."""
    out: Document = {}
    for deck, cards in document.items():
        if not isinstance(cards, dict):
            out[deck] = cards
            continue
        out[deck] = {}
        for name, card in cast(Document, cards).items():
            event = cast(Document, card).get("event") if isinstance(card, dict) else None
            if isinstance(event, dict):
                pairs = cast(Document, event)
                fixed = {k: v for k, v in pairs.items() if k in ("timing", "effect", "window")}
                args = {k: v for k, v in pairs.items() if k not in fixed}
                card = {**cast(Document, card), "event": {**fixed, "args": args}}
            out[deck][name] = card
    return out


# ---- what pydantic cannot see: the engine's fixed parts, and values that depend on each other


def _all_there(file: str, table: str, have: Mapping[str, Any], wanted: Sequence[str]) -> Iterator[Problem]:
    for name in wanted:
        if name not in have:
            yield Problem(file, table, name, "is missing", ", ".join(wanted))


def _check_map(it: Map) -> Iterator[Problem]:
    yield from _all_there("map.toml", "islands", it.islands, ISLANDS)
    yield from _all_there("map.toml", "spaces", it.spaces, SPACES)
    for name, space in it.spaces.items():
        if space.island != ISLAND_OF[name]:
            text = f"{space.island!r}: the island of a space is fixed by the engine"
            yield Problem("map.toml", f"spaces.{name}", "island", text, f'"{ISLAND_OF[name]}"')


def _check_pieces(it: Pieces) -> Iterator[Problem]:
    file = "pieces.toml"
    total, complete = 1, True
    for owner, name in enumerate(OWNERS):
        kinds = kinds_of(owner)
        table = getattr(it, name)
        missing = list(_all_there(file, name, table, kinds))
        complete = complete and not missing
        yield from missing
        for kind, piece in table.items():
            where = f"{name}.{kind}"
            if kind not in kinds:
                yield Problem(file, name, kind, "is not a kind of piece of this side", ", ".join(kinds))
                complete = False
                continue
            total += piece.count
            if piece.class_ != class_of(kind):
                text = f"{piece.class_!r}: the class of a kind is fixed by the engine"
                yield Problem(file, where, "class", text, f'"{class_of(kind)}"')
            if kind not in VARIABLE and piece.count != 1:
                yield Problem(file, where, "count", f"{piece.count}: this kind is a single piece in the engine", "1")
            if class_of(kind) == "canoe":
                for key in ("strength", "elite", "plus", "gunpowder", "pike"):
                    if getattr(piece, key) not in (None, False):
                        yield Problem(file, where, key, "a canoe has none: it never fires [11.2]", "leave the key out")
            else:
                for key in ("strength", "elite", "plus"):
                    if getattr(piece, key) is None:
                        yield Problem(file, where, key, "is missing", _describe(Piece, [key])[0])
            if name == "kauai" and piece.home:
                yield Problem(file, where, "home", "pieces of Kaua'i are never recruited [9.0]", "[]")
            if name != "kauai" and not piece.home:
                yield Problem(file, where, "home", "is empty", f"one or more of {', '.join(ISLANDS)}")
    if complete and total != 40:
        yield Problem(file, "", "count", f"the pieces are {total}, the earthworks among them", "40 in all [1.0]")


def _check_results(it: BattleResults) -> Iterator[Problem]:
    for role, name in enumerate(("attacker", "defender")):
        for elite, key in enumerate(("non_elite", "elite")):
            if it.column(role, elite) is None:
                description = "six results here, or in table [both] for both sides"
                yield Problem("battle_results.toml", name, key, "is missing", description)


def wants_of(owner: int) -> tuple[str, ...]:
    """What a side's recruit lines may ask for: its kinds, without its first leader, and the two classes."""
    kinds = tuple(kind for kind in kinds_of(owner) if kind != "kamehameha")
    return (*kinds, *(name for name in ("warrior", "canoe") if name not in kinds))


def _check_cards(it: Cards) -> Iterator[Problem]:
    file = "cards.toml"
    ids: dict[str, str] = {}
    for owner, deck in enumerate(DECKS):
        cards: Mapping[str, Card] = getattr(it, deck)
        if len(cards) != 9:
            yield Problem(file, deck, "", f"the deck has {len(cards)} cards", "nine cards, numbered 1 to 9 [1.0]")
        seen: dict[int, str] = {}
        for name, card in cards.items():
            where = f"{deck}.{name}"
            if card.number in seen:
                text = f"{card.number} is the number of {seen[card.number]} too"
                free = ", ".join(str(n) for n in range(1, 10) if n not in {c.number for c in cards.values()})
                yield Problem(file, where, "number", text, f"a number of 1 to 9 that is free: {free or 'none'}")
            seen[card.number] = name
            if name in ids:
                yield Problem(file, where, "", f"the other deck has a card {name} too", "an id that no other card has")
            ids[name] = deck
            wants = wants_of(owner)
            for want in card.recruit:
                if want not in wants:
                    yield Problem(file, f"{where}.recruit", want, "cannot be recruited by this side", ", ".join(wants))
            for want in card.recruit_once:
                if want not in card.recruit:
                    allowed = ", ".join(card.recruit) or "nothing, as the card recruits nothing"
                    yield Problem(file, where, "recruit_once", f"{want!r} does not stand in `recruit`", allowed)
            if card.event is not None:
                yield from _check_event(f"{where}.event", owner, card, card.event)


def _check_event(where: str, owner: int, card: Card, event: Event) -> Iterator[Problem]:
    file = "cards.toml"
    if event.effect not in ARGS_OF:
        text = f"{event.effect!r} is an unknown effect"
        yield Problem(file, where, "effect", text, ", ".join(ARGS_OF))
        return
    timings = TIMINGS_OF[event.effect]
    if event.timing not in timings:
        text = f"{event.timing!r} does not go with the effect {event.effect}"
        yield Problem(file, where, "timing", text, ", ".join(timings))
    if event.timing in timings:
        windows = (WINDOW_OF[event.effect],) if event.timing == "hold" else ()
        if windows and event.window not in windows:
            text = "is missing" if event.window is None else f"{event.window!r} does not go with this event"
            yield Problem(file, where, "window", text, ", ".join(windows))
        elif event.window is not None and not windows:
            text = f"{event.window!r}: an event of the timing {event.timing} has no window"
            yield Problem(file, where, "window", text, 'leave the key out, except with the timing "hold"')
    args, problems = check_model(file, ARGS_OF[event.effect], dict(event.args), where)
    yield from problems
    if args is None:
        return
    if event.effect == "home":
        kinds = [k for k in kinds_of(owner) + kinds_of(2) if class_of(k) != "leader"]
        allowed = [*kinds, *(c for c in ("warrior", "canoe") if c not in kinds)]
        for kind in args.pieces:
            if kind not in allowed:
                yield Problem(file, where, "pieces", f"{kind!r} cannot go home", ", ".join(allowed))
    if event.effect == "recruit_among":
        kinds = [k for k in card.recruit if k in kinds_of(owner) and class_of(k) != "canoe"]
        for kind in args.kinds:
            if kind not in kinds:
                text = f"{kind!r} is no kind, other than a canoe, that the card recruits"
                yield Problem(file, where, "kinds", text, ", ".join(kinds) or "none, with this `recruit`")


def _check_scenarios(it: Scenarios) -> Iterator[Problem]:
    file = "scenarios.toml"
    yield from _all_there(file, "victory", it.victory, DECKS)
    for name, victory in it.victory.items():
        if victory.at_least > len(victory.some):
            text = f"{victory.at_least} of {len(victory.some)} spaces"
            yield Problem(file, f"victory.{name}", "at_least", text, f"0 to {len(victory.some)}")
        if not (victory.all or victory.at_least or victory.any):
            yield Problem(file, f"victory.{name}", "", "asks for nothing", "a space in `all` or `any`, or `at_least`")
    yield from _all_there(file, "scenarios", it.scenarios, ("long", "short"))
    for name, scenario in it.scenarios.items():
        where = f"scenarios.{name}"
        yield from _all_there(file, f"{where}.choose_warriors", scenario.choose_warriors, DECKS)
        yield from _all_there(file, f"{where}.start", scenario.start, OWNERS)
        first, last, shuffle = scenario.first_month, scenario.last_month, scenario.shuffle
        if last < first:
            yield Problem(file, where, "last_month", "comes before the first", ", ".join(MONTHS[first - 1 :]))
            continue
        if not first <= shuffle <= last:
            yield Problem(file, where, "shuffle", "is no month of the scenario", ", ".join(MONTHS[first - 1 : last]))
            continue
        if last - shuffle >= 9:
            text = f"{last - shuffle + 1} turns are played after it, with nine cards"
            yield Problem(file, where, "shuffle", text, ", ".join(MONTHS[max(last - 9, first - 1) : last]))
        before = MONTHS[first - 1 : shuffle - 1]
        for month in scenario.fixed_cards:
            if month not in before:
                allowed = ", ".join(before) or "none, as the scenario starts with the shuffle"
                yield Problem(file, f"{where}.fixed_cards", month, "is no month before the shuffle", allowed)
        yield from _all_there(file, f"{where}.fixed_cards", scenario.fixed_cards, before)
        if len(set(scenario.fixed_cards.values())) < len(scenario.fixed_cards):
            yield Problem(file, where, "fixed_cards", "a card comes twice", "different cards")


def _check_start(name: str, scenario: Scenario, pieces: Pieces) -> Iterator[Problem]:
    """Check a scenario's start places against the pieces that there are."""
    file = "scenarios.toml"
    standing: dict[str, set[str]] = {}
    for owner_name in OWNERS:
        where = f"scenarios.{name}.start.{owner_name}"
        table: Mapping[str, Piece] = getattr(pieces, owner_name)
        islands = (OWN_ISLAND[owner_name],) if owner_name in OWN_ISLAND else ()
        allowed = SPACES + islands if owner_name != "kauai" else ("kauai",)
        placed: dict[str, int] = {}
        for kind, places in scenario.start[owner_name].items():
            if kind not in table:
                yield Problem(file, where, kind, "is not a kind of piece of this side", ", ".join(table))
                continue
            placed[kind] = sum(places.values())
            for place in places:
                if place not in allowed:
                    yield Problem(file, f"{where}.{kind}", place, "is no start place of this side", ", ".join(allowed))
                else:
                    spaces = [s for s in SPACES if ISLAND_OF[s] == place] if place in islands else [place]
                    standing.setdefault(owner_name, set()).update(spaces)
            if placed[kind] > table[kind].count:
                text = f"places {placed[kind]} of {table[kind].count} pieces"
                yield Problem(file, where, kind, text, f"at most {table[kind].count}, the count in pieces.toml")
        if owner_name == "kauai":
            for kind, piece in table.items():
                if placed.get(kind, 0) < piece.count:
                    text = f"places {placed.get(kind, 0)} of {piece.count} pieces, and Kaua'i has no box"
                    yield Problem(file, where, kind, text, f"{{ kauai = {piece.count} }}")
            continue
        choice = scenario.choose_warriors[owner_name]
        warriors = [k for k in table if class_of(k) == "warrior" and k != "kaiana_warriors"]
        left = sum(table[k].count - placed.get(k, 0) for k in warriors)
        if choice > left:
            text = f"{choice}: the box has {left} warriors"
            yield Problem(file, f"scenarios.{name}.choose_warriors", owner_name, text, f"0 to {max(left, 0)}")
        if choice:
            standing.setdefault(owner_name, set()).update(s for s in SPACES if ISLAND_OF[s] == OWN_ISLAND[owner_name])
        if owner_name == "kamehameha" and not placed.get("kamehameha"):
            yield Problem(file, where, "kamehameha", "is missing: his loss ends the game [5.2]", "a start place")
    for one, other in (("kamehameha", "allied"), ("kamehameha", "kauai"), ("allied", "kauai")):
        both = sorted(standing.get(one, set()) & standing.get(other, set()), key=SPACES.index)
        if both:
            text = f"pieces of {one} may stand there too: {', '.join(both)}"
            yield Problem(file, f"scenarios.{name}.start", other, text, "spaces of one side only")


def check_documents(
    documents: Mapping[str, Document], rulings: frozenset[str]
) -> tuple[dict[str, Any], list[Value], list[Problem]]:
    """Check the files of a ruleset, read as TOML; return their models, every value with its source, and the
    problems.
    """
    models: dict[str, Any] = {}
    values: list[Value] = []
    problems: list[Problem] = []
    for file in FILES:
        bare = _walk(file, documents[file], rulings, values, sources := [])
        if file == "cards.toml":
            bare = _split_events(bare)
        model, found = check_model(file, MODELS[file], bare)
        if model is not None:
            models[file] = model
            found += _own_problems(model)
        problems += found or sources  # a value that is wrong says more than one without a source
    if not problems:
        scenarios, pieces, cards = models["scenarios.toml"], models["pieces.toml"], models["cards.toml"]
        for name, scenario in scenarios.scenarios.items():
            problems += _check_start(name, scenario, pieces)
            problems += _check_fixed(name, scenario, cards)
        if models["ruleset.toml"].kind == "printed":
            rest = [value for value in values if value.source == "reconstructed"]
            if rest:
                text = (
                    f'"printed", but {len(rest)} values are reconstructed, the first '
                    f"{rest[0].table}.{rest[0].key} in {rest[0].file}"
                )
                problems.append(Problem("ruleset.toml", "", "kind", text, '"reconstructed" or "variant"'))
    return models, values, problems


def _check_fixed(name: str, scenario: Scenario, cards: Cards) -> Iterator[Problem]:
    # The shuffle would take it from the hand.
    held = {c.number for deck in DECKS for c in getattr(cards, deck).values() if c.event and c.event.timing == "hold"}
    for month, number in scenario.fixed_cards.items():
        if number in held:
            free = ", ".join(str(n) for n in range(1, 10) if n not in held)
            text = f"card {number} of a deck is held, and the shuffle takes it back (R-40)"
            yield Problem("scenarios.toml", f"scenarios.{name}.fixed_cards", month, text, free)


def _own_problems(model: Any) -> list[Problem]:
    match model:
        case Map():
            return list(_check_map(model))
        case Pieces():
            return list(_check_pieces(model))
        case BattleResults():
            return list(_check_results(model))
        case Cards():
            return list(_check_cards(model))
        case Scenarios():
            return list(_check_scenarios(model))
        case _:
            return list(_all_there("ruleset.toml", "sides", model.sides, OWNERS))
