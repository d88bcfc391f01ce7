"""A ruleset: the files of `data/`, loaded, checked and frozen into the tables that the compiled rules read.

A folder of the user's own replaces any of the files. Every value says whether it is printed, chosen by a ruling or
reconstructed; display names stand apart from ids and change neither the tables nor the hash.
"""

from __future__ import annotations

import copy
import hashlib
import json
import tomllib
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NoReturn, cast

import numpy as np
from numpy.typing import NDArray

from hawaii_env._rulesets import find_folder
from hawaii_env.errors import OptionError, RulesetError

from ..rules import names
from ..rules.cards import card_of, side_of
from ..rules.tables import ISLANDS, PLACED_ON, TABLE_FIELDS, TABLES, PlainTables, plain_tables
from .check import ISLAND_OF, OWN_ISLAND, Document, Problem, Value, check_documents, check_model
from .models import (
    DECKS,
    FILES,
    MONTHS,
    OWNER_FIRST,
    OWNERS,
    WINDOWS,
    BattleResults,
    CanoeLoad,
    Card,
    Event,
    Map,
    Piece,
    Pieces,
    Ruling,
    Rulings,
    Scenario,
    Space,
    Victory,
    class_of,
    kind_id,
    kinds_of,
)

__all__ = [
    "DATA",
    "RULINGS",
    "SEA_VICTOR",
    "TABLES",
    "TABLE_FIELDS",
    "PlainTables",
    "Ruleset",
    "load_ruleset",
    "load_rulings",
    "plain_tables",
    "read_folder",
]

DATA = Path(__file__).with_name("data")
"""Folder of the shipped files."""

RULINGS = Path(__file__).with_name("rulings.toml")
"""The rulings."""

SEA_VICTOR = ("repulsed", "assault")
"""Values of the option `sea_victor` (R-18)."""

_FORMAT = 1


class Ruleset:
    """One checked ruleset. Immutable; copies are the object itself, and a pickle carries the files' content."""

    __slots__ = (
        "_about",
        "_cards",
        "_content",
        "_hash",
        "_kinds",
        "_load",
        "_map",
        "_results",
        "_scenarios",
        "_values",
        "_victory",
    )

    _about: Any
    _cards: tuple[tuple[str, Card], ...]
    _content: str
    _hash: str
    _kinds: tuple[Piece, ...]
    _load: CanoeLoad
    _map: Map
    _results: BattleResults
    _scenarios: Mapping[str, Scenario]
    _values: tuple[Value, ...]
    _victory: Mapping[str, Victory]

    def __init__(self, documents: Mapping[str, Document]) -> None:
        """Check the files' content, read as TOML and keyed by file name. Raises RulesetError with every problem."""
        documents = _completed(documents)
        models, values, problems = check_documents(documents, _ruling_ids())
        if problems:
            _fail(problems)
        pieces: Pieces = models["pieces.toml"]
        cards = models["cards.toml"]
        put = super().__setattr__
        put("_about", models["ruleset.toml"])
        put("_map", models["map.toml"])
        put("_load", pieces.canoe_load)
        put("_kinds", tuple(getattr(pieces, owner)[kind] for i, owner in enumerate(OWNERS) for kind in kinds_of(i)))
        put("_results", models["battle_results.toml"])
        decks = (sorted(getattr(cards, deck).items(), key=lambda pair: pair[1].number) for deck in DECKS)
        put("_cards", tuple(pair for deck in decks for pair in deck))
        put("_victory", models["scenarios.toml"].victory)
        put("_scenarios", models["scenarios.toml"].scenarios)
        put("_values", tuple(values))
        put("_content", json.dumps({"format": _FORMAT, "files": {f: documents[f] for f in FILES}}, ensure_ascii=False))
        put("_hash", hashlib.sha256(json.dumps(self._plays(), sort_keys=True).encode()).hexdigest())

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("a ruleset cannot be changed; load another one")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError("a ruleset cannot be changed; load another one")

    def __copy__(self) -> Ruleset:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Ruleset:
        return self

    def __reduce__(self) -> tuple[Any, tuple[dict[str, Any]]]:
        return _from_content, (self.content,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ruleset) and self._content == other._content

    def __hash__(self) -> int:
        return hash(self._content)

    def __repr__(self) -> str:
        return f"<Ruleset {self.name} {self.version} {self.hash[:12]}>"

    # ---- what it is

    @property
    def name(self) -> str:
        """Name of the set."""
        return self._about.name

    @property
    def version(self) -> str:
        """Version of the set."""
        return self._about.version

    @property
    def kind(self) -> str:
        """'printed', 'reconstructed' or 'variant'."""
        return self._about.kind

    @property
    def hash(self) -> str:
        """SHA-256, in hex, of everything that plays: not of names, texts, sources, comments or formatting."""
        return self._hash

    @property
    def content(self) -> dict[str, Any]:
        """The whole ruleset as plain JSON values (a fresh copy); `from_content` takes it back."""
        return json.loads(self._content)

    @classmethod
    def from_content(cls, content: Mapping[str, Any]) -> Ruleset:
        """Make a ruleset of what `content` gave. Raises RulesetError, as loading does.

        Effects of a user's own must be registered already: content imports no module.
        """
        files: Any = (
            content.get("files") if cast(Any, content).__class__ is dict and content.get("format") == _FORMAT else None
        )
        if not isinstance(files, dict) or not all(isinstance(cast(Document, files).get(f), dict) for f in FILES):
            allowed = f"format {_FORMAT} with {', '.join(FILES)}"
            _fail([Problem("ruleset content", "", "files", "is not a ruleset's content", allowed)])
        return cls(copy.deepcopy(cast(dict[str, Document], files)))

    @property
    def provenance(self) -> tuple[Value, ...]:
        """Every value with its file, table, key and source."""
        return self._values

    # ---- parts

    @property
    def canoe_load(self) -> CanoeLoad:
        """What a canoe carries [10.3]: units, leaders."""
        return self._load

    @property
    def sighted_up_to(self) -> int:
        """A fleet is sighted on a die of 1 to this [11.7]."""
        return self._results.sighting.up_to

    @property
    def spaces(self) -> Mapping[str, Space]:
        """Spaces by id."""
        return self._map.spaces

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """Kinds of piece, in the order of `names.KINDS`."""
        return self._kinds

    @property
    def cards(self) -> tuple[Card, ...]:
        """Eighteen cards: Kamehameha's 1 to 9, then the Allies'."""
        return tuple(card for _, card in self._cards)

    @property
    def card_ids(self) -> tuple[str, ...]:
        """Ids of the eighteen cards, in the same order."""
        return tuple(name for name, _ in self._cards)

    @property
    def scenarios(self) -> Mapping[str, Scenario]:
        """Scenarios by id."""
        return self._scenarios

    @property
    def victory(self) -> Mapping[str, Victory]:
        """Occupation victory by side."""
        return self._victory

    @property
    def results(self) -> BattleResults:
        """The Battle Results Table."""
        return self._results

    def card(self, side: int | str, number: int) -> Card:
        """A card by side (0, 1 or the name) and number 1 to 9. Raises OptionError."""
        return self._cards[self._card_index(side, number)][1]

    def card_id(self, side: int | str, number: int) -> str:
        """Id of a card. Raises OptionError."""
        return self._cards[self._card_index(side, number)][0]

    def _card_index(self, side: int | str, number: int) -> int:
        if side not in (0, 1, *DECKS):
            raise OptionError(f"side {side!r}: allowed are 0, 1, {', '.join(DECKS)}")
        if type(number) is not int or not 1 <= number <= 9:
            raise OptionError(f"card number {number!r}: allowed are 1 to 9")
        return card_of(DECKS.index(side) if isinstance(side, str) else side, number)

    def space_name(self, space: int | str) -> str:
        """Name shown for a space, by number or id. Raises OptionError."""
        known = names.SPACES[space] if isinstance(space, int) and 0 <= space < names.N_SPACES else space
        if known not in names.SPACES:
            raise OptionError(f"space {space!r}: allowed are {', '.join(names.SPACES)}")
        return self._map.spaces[known].name

    def island_name(self, island: int | str) -> str:
        """Name shown for an island, by number or id. Raises OptionError."""
        known = ISLANDS[island] if isinstance(island, int) and 0 <= island < len(ISLANDS) else island
        if known not in ISLANDS:
            raise OptionError(f"island {island!r}: allowed are {', '.join(ISLANDS)}")
        return self._map.islands[known]

    def kind_name(self, kind: int | str) -> str:
        """Name shown for a kind of piece, by number or id of `names.KINDS`. Raises OptionError."""
        if isinstance(kind, str) and kind in names.KINDS:
            kind = names.KINDS.index(kind)
        if not isinstance(kind, int) or not 0 <= kind < names.N_KINDS:
            raise OptionError(f"kind {kind!r}: allowed are {', '.join(names.KINDS)}")
        return self._kinds[kind].name

    def side_name(self, side: int | str) -> str:
        """Name shown for a side: 0 or 'kamehameha', 1 or 'allied', 2 or 'kauai'. Raises OptionError."""
        known = OWNERS[side] if isinstance(side, int) and 0 <= side < len(OWNERS) else side
        if known not in OWNERS:
            raise OptionError(f"side {side!r}: allowed are {', '.join(OWNERS)}")
        return self._about.sides[known]

    # ---- what plays

    def _plays(self) -> dict[str, Any]:
        """Everything that alters play, in one order whatever the files' order; what the hash is taken of."""
        kinds: dict[str, Any] = {
            kind: [p.count, p.strength, p.elite, p.plus, p.gunpowder, p.pike, sorted(p.home)]
            for kind, p in zip(names.KINDS, self._kinds, strict=True)
        }
        cards: list[Any] = []
        for name, card in self._cards:
            event: list[Any] | None = None
            if card.event is not None:
                given = card.event.args
                values = {k: sorted(cast(tuple[Any, ...], v)) if isinstance(v, tuple) else v for k, v in given.items()}
                event = [card.event.timing, card.event.effect, card.event.window, values]
            cards.append([name, dict(card.recruit), sorted(card.recruit_once), card.fleets, event])
        scenarios: dict[str, Any] = {
            name: {
                "months": [s.first_month, s.last_month, s.shuffle],
                "fixed": dict(s.fixed_cards),
                "choose": dict(s.choose_warriors),
                "start": {owner: {kind: dict(at) for kind, at in kinds.items()} for owner, kinds in s.start.items()},
            }
            for name, s in self._scenarios.items()
        }
        # Only where they are not those of the shipped files: rulesets had neither at first, and keep their hashes.
        dice = {"canoe_load": self._load.model_dump(), "sighting": self._results.sighting.model_dump()}
        changed = {table: dice[table] for file, table in _FILLED_IN if dice[table] != _bare(_shipped_file(file)[table])}
        return changed | {
            "format": _FORMAT,
            "forts": [self._map.spaces[space].fort for space in names.SPACES],
            "kinds": kinds,
            "results": [self._results.column(role, elite) for role in (0, 1) for elite in (0, 1)],
            "cards": cards,
            "victory": {
                side: [sorted(v.all), v.at_least, sorted(v.some), sorted(v.any)] for side, v in self._victory.items()
            },
            "scenarios": scenarios,
        }

    def tables(self, scenario: str = "long", final_check: bool = False, sea_victor: str = "repulsed") -> NDArray[Any]:
        """Freeze the ruleset for one scenario and its options; return a fresh record array of TABLES, shape (1,).

        Raises OptionError for an unknown scenario or option, RulesetError for an effect that is no longer registered.
        """
        if scenario not in tuple(self._scenarios):
            raise OptionError(f"scenario {scenario!r}: allowed are {', '.join(self._scenarios)}")
        if final_check not in (False, True):
            raise OptionError(f"final_check {final_check!r}: allowed are True, False")
        if sea_victor not in SEA_VICTOR:
            raise OptionError(f"sea_victor {sea_victor!r}: allowed are {', '.join(SEA_VICTOR)}")
        tables = np.zeros(1, TABLES)
        row: Any = tables[0]
        self._fill_pieces(row)
        self._fill_map(row)
        self._fill_scenario(row, self._scenarios[scenario])
        for index, (name, card) in enumerate(self._cards):
            self._fill_card(row, index, name, card)
        row["final_check"] = int(final_check)
        row["assault"] = SEA_VICTOR.index(sea_victor)
        return tables

    def _fill_pieces(self, row: Any) -> None:
        piece = 0
        for kind, it in enumerate(self._kinds):
            owner = sum(kind >= first for first in OWNER_FIRST[1:3])
            row["first"][kind], row["count"][kind] = piece, it.count
            here = slice(piece, piece + it.count)
            row["kind"][here], row["side"][here] = kind, owner
            row["strength"][here] = it.strength or 0
            row["elite"][here], row["plus"][here] = bool(it.elite), bool(it.plus)
            row["gun"][here], row["pike"][here] = it.gunpowder, it.pike
            row["leader"][here] = it.class_ == "leader"
            row["canoe"][here] = it.class_ == "canoe"
            row["warrior"][here] = it.class_ == "warrior"
            row["home"][here] = _island_mask(it.home)
            piece += it.count
        row["units_a_canoe"], row["leaders_a_canoe"] = self._load.units, self._load.leaders
        row["sighted_up_to"] = self._results.sighting.up_to
        for role in (0, 1):
            for elite in (0, 1):
                column = self._results.column(role, elite) or ()
                row["results"][role * 12 + elite * 6 :][:6] = [names.RESULTS.index(result) for result in column]

    def _fill_map(self, row: Any) -> None:
        for index, space in enumerate(names.SPACES):
            row["fort"][index] = self._map.spaces[space].fort
            row["island"][index] = ISLANDS.index(ISLAND_OF[space])
            others = [i for i, s in enumerate(names.SPACES) if ISLAND_OF[s] == ISLAND_OF[space] and s != space]
            row["sibling"][index] = others[0] if others else -1
        for index, side in enumerate(DECKS):
            victory = self._victory[side]
            row["win_all"][index] = _space_mask(victory.all)
            row["win_some"][index] = _space_mask(victory.some)
            row["win_some_n"][index] = victory.at_least
            row["win_any"][index] = _space_mask(victory.any)

    def _fill_scenario(self, row: Any, scenario: Scenario) -> None:
        row["start"][:] = names.BOX
        for owner, owner_name in enumerate(OWNERS):
            for kind, places in scenario.start[owner_name].items():
                piece = int(row["first"][kind_id(owner, kind)])
                # In the order of the map, whatever the file's: piece numbers are part of every record.
                for place in sorted(places, key=_place):
                    row["start"][piece : piece + places[place]] = _place(place)
                    piece += places[place]
        for index, side in enumerate(DECKS):
            row["choose"][index] = scenario.choose_warriors[side]
            row["choose_island"][index] = ISLANDS.index(OWN_ISLAND[side])
        row["first_month"], row["last_month"] = scenario.first_month, scenario.last_month
        row["reshuffle_month"] = scenario.shuffle
        for month, number in scenario.fixed_cards.items():
            at = (MONTHS.index(month) + 1) * 2
            row["fixed"][at : at + 2] = number

    def _fill_card(self, row: Any, index: int, name: str, card: Card) -> None:
        side = side_of(index)
        row["fleets"][index] = card.fleets
        for want, count in card.recruit.items():
            at = index * names.N_WANTS + _want(side, want)
            row["recruit"][at] = count
            row["once"][at] = count if want in card.recruit_once else 0
        if card.event is None:
            return
        event = card.event
        row["timing"][index] = names.TIMINGS.index(event.timing)
        row["window"][index] = WINDOWS.index(event.window) if event.window else 0
        effect, args = _effect(side, event)
        row["effect"][index] = effect
        row["effect_args"][index * names.N_EFFECT_ARGS :][: len(args)] = args


def _from_content(content: dict[str, Any]) -> Ruleset:
    return Ruleset.from_content(content)


def _place(place: str) -> int:
    return names.SPACES.index(place) if place in names.SPACES else PLACED_ON + ISLANDS.index(place)


def _want(side: int, want: str) -> int:
    if want in ("warrior", "canoe"):
        return names.WANT_WARRIOR if want == "warrior" else names.WANT_CANOE
    return kind_id(side, want)


def _space_mask(spaces: tuple[str, ...]) -> int:
    return sum(1 << names.SPACES.index(space) for space in spaces)


def _island_mask(islands: tuple[str, ...]) -> int:
    return sum(1 << index for index, space in enumerate(names.SPACES) if ISLAND_OF[space] in islands)


def _faces(faces: Any) -> int:
    return sum(1 << face for face in faces or ())


def _kind_mask(side: int, wanted: Any) -> int:
    """Mask of kinds that a card of a side names; a class stands for the side's kinds and for those of Kaua'i (R-36)."""
    mask = 0
    for owner in (side, 2):
        for kind in kinds_of(owner):
            if kind in wanted or class_of(kind) in wanted:
                mask |= 1 << kind_id(owner, kind)
    return mask


def _effect(side: int, event: Event) -> tuple[int, list[int]]:
    """Number and arguments of an event's effect, as `names` lists them."""
    values: Mapping[str, Any] = event.args
    match names.EFFECTS.index(event.effect):
        case names.FX_GUNPOWDER | names.FX_ADVANTAGE as effect:
            args = [values["amount"]]
        case names.FX_APPEAL as effect:
            args = [_faces(values["neutral"]), _faces(values["enemy"])]
        case names.FX_HOME as effect:
            args = [values["count"], _kind_mask(side, values["pieces"]), _faces(values.get("die"))]
        case names.FX_RECRUIT_AMONG as effect:
            args = [_kind_mask(side, values["kinds"]), _island_mask(tuple(values["islands"]))]
        case effect:
            args = []
    return effect, args


def _fail(problems: list[Problem]) -> NoReturn:
    raise RulesetError("\n".join(str(problem) for problem in problems))


def _read(path: Path) -> Document:
    """Read one TOML file. Raises RulesetError, naming file and line."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RulesetError(f"{path.name}: is not TOML: {error}; allowed: a TOML file in UTF-8") from error


_FILLED_IN = (("pieces.toml", "canoe_load"), ("battle_results.toml", "sighting"))
"""Tables that a file may lack: those of the shipped files stand in for them, as shipped files do for files."""


@cache
def _shipped_file(name: str) -> Document:
    return _read(DATA / name)


def _bare(table: Any) -> dict[str, Any]:
    return {key: value for key, value in table.items() if key not in ("source", "note")}


def _completed(documents: Mapping[str, Document]) -> dict[str, Document]:
    """The files with the tables that they lack."""
    full = dict(documents)
    for file, table in _FILLED_IN:
        if table not in full[file]:
            full[file] = full[file] | {table: _shipped_file(file)[table]}
    return full


def read_folder(folder: str | Path) -> dict[str, Document]:
    """Return the files of a ruleset folder, with the shipped ones for those that it lacks. Raises RulesetError."""
    folder = find_folder(folder, DATA, _shipped().name, FILES)
    own = sorted(path.name for path in folder.glob("*.toml"))
    for name in own:
        if name not in FILES:
            raise RulesetError(f"{name}: is no file of a ruleset; allowed: {', '.join(FILES)}")
    if not own:
        raise RulesetError(f"rules folder {str(folder)!r}: no file of a ruleset; allowed: any of {', '.join(FILES)}")
    documents = {name: _read((folder if name in own else DATA) / name) for name in FILES}
    if "ruleset.toml" not in own:
        # A mixed set must not bear the shipped name.
        documents["ruleset.toml"] |= {"name": folder.resolve().name[:60] or "own", "kind": "variant"}
    return documents


@lru_cache(maxsize=1)
def _shipped() -> Ruleset:
    return Ruleset({name: _read(DATA / name) for name in FILES})


def load_ruleset(folder: str | Path | None = None) -> Ruleset:
    """Load and check a ruleset: the shipped one (None, or its name), or a folder's files with the shipped ones for
    those that it lacks. A folder goes before a name.

    Raises RulesetError, naming file, table, key and what is allowed, for every problem found.
    """
    if folder is None or (str(folder) == _shipped().name and not Path(folder).is_dir()):
        return _shipped()
    return Ruleset(read_folder(folder))


@lru_cache(maxsize=1)
def load_rulings() -> tuple[Ruling, ...]:
    """The rulings, in the order of their ids. Raises RulesetError."""
    model, problems = check_model(RULINGS.name, Rulings, _read(RULINGS))
    if problems:
        _fail(problems)
    rulings: tuple[Ruling, ...] = cast(Rulings, model).rulings
    ids = [ruling.id for ruling in rulings]
    if ids != sorted(set(ids)):
        text = "ids are not in order, or one comes twice"
        _fail([Problem(RULINGS.name, "rulings", "id", text, "each id once, ascending")])
    return rulings


@lru_cache(maxsize=1)
def _ruling_ids() -> frozenset[str]:
    return frozenset(ruling.id for ruling in load_rulings())
