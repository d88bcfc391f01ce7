"""The ruleset of Hawaii, 1795, and its tables for the rules. See `hawaii_env.rulesets`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, cast

import numpy as np
from pydantic import BaseModel

from hawaii_env import rulesets
from hawaii_env.errors import OptionError
from hawaii_env.rulesets import Problem, from_files

from .models import (
    DECKS,
    ISLAND_OF,
    MODELS,
    MONTHS,
    OWN_ISLAND,
    OWNER_FIRST,
    OWNERS,
    Advantage,
    AnyEvent,
    Appeal,
    BattleResults,
    CanoeLoad,
    Card,
    GoHome,
    GunpowderDice,
    Map,
    Piece,
    Pieces,
    RecruitAmong,
    Scenario,
    Space,
    Victory,
    class_of,
    kind_id,
    kinds_of,
)
from .rules import names
from .rules.cards import card_of, side_of
from .rules.tables import ISLANDS, PLACED_ON, TABLES

__all__ = ["SEA_VICTOR", "Ruleset"]

SEA_VICTOR = ("repulsed", "assault")
"""Values of the option `sea_victor` (R-18)."""

WINDOWS = ("none", "movement", "sighting", "battle")


class Ruleset(rulesets.Ruleset):
    """The data of a game, checked."""

    folder: ClassVar[Path] = Path(__file__).parent
    models: ClassVar[Mapping[str, type[BaseModel]]] = MODELS

    _map: Map = from_files("map.toml")
    _pieces: Pieces = from_files("pieces.toml")
    results: BattleResults = from_files("battle_results.toml")
    """The Battle Results Table."""
    scenarios: Mapping[str, Scenario] = from_files("scenarios.toml scenarios")
    """Scenarios by id."""
    victory: Mapping[str, Victory] = from_files("scenarios.toml victory")
    """Occupation victory by side."""
    canoe_load: CanoeLoad = from_files("pieces.toml canoe_load")
    """Load of a canoe [10.3]: units, leaders."""
    sighted_up_to: int = from_files("battle_results.toml sighting up_to")
    """A fleet is sighted on a die of 1 to this [11.7]."""
    spaces: Mapping[str, Space] = from_files("map.toml spaces")
    """Spaces by id."""

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """Kinds of piece, in the order of `names.KINDS`."""
        return tuple(getattr(self._pieces, owner)[kind] for i, owner in enumerate(OWNERS) for kind in kinds_of(i))

    @cached_property
    def _cards(self) -> dict[str, Card]:
        cards = self.files["cards.toml"]
        decks = (sorted(getattr(cards, deck).items(), key=lambda pair: pair[1].number) for deck in DECKS)
        return {name: card for deck in decks for name, card in deck}

    @property
    def cards(self) -> tuple[Card, ...]:
        """Eighteen cards: Kamehameha's 1 to 9, then the Allies'."""
        return tuple(self._cards.values())

    @property
    def card_ids(self) -> tuple[str, ...]:
        """Return card ids by index: Kamehameha's 1-9, then the Allies'."""
        return tuple(self._cards)

    def card(self, side: int | str, number: int) -> Card:
        """Return a card by side (0, 1 or the name) and number 1 to 9. Raises OptionError."""
        return self._cards[self.card_id(side, number)]

    def card_id(self, side: int | str, number: int) -> str:
        """Return the id of a card. Raises OptionError."""
        if side not in (0, 1, *DECKS):
            raise OptionError(f"side {side!r}: expected 0, 1, {', '.join(DECKS)}")
        if type(number) is not int or not 1 <= number <= 9:
            raise OptionError(f"card number {number!r}: expected 1 to 9")
        return self.card_ids[card_of(DECKS.index(side) if isinstance(side, str) else side, number)]

    def space_name(self, space: int | str) -> str:
        """Return the name shown for a space, by number or id. Raises OptionError."""
        return self.spaces[_known("space", space, names.SPACES)].name

    def island_name(self, island: int | str) -> str:
        """Return the name shown for an island, by number or id. Raises OptionError."""
        return self._map.islands[_known("island", island, ISLANDS)]

    def side_name(self, side: int | str) -> str:
        """Return the name shown for a side: 0 or 'kamehameha', 1 or 'allied', 2 or 'kauai'. Raises OptionError."""
        return cast(Any, self.about).sides[_known("side", side, OWNERS)]

    def problems(self) -> Iterator[Problem]:
        """Yield what is wrong between scenarios, pieces and cards."""
        cards = [card for deck in DECKS for card in getattr(self.files["cards.toml"], deck).values()]
        held = {card.number for card in cards if card.event and card.event.timing == "hold"}
        for name, scenario in self.scenarios.items():
            for table, key, problem, allowed in (
                *_start_problems(scenario, self._pieces),
                *_fixed_problems(scenario, held),
            ):
                yield Problem("scenarios.toml", f"scenarios.{name}.{table}", key, problem, allowed)

    def plays(self) -> str:
        """Return what the hash is taken of, in one order whatever the files' order."""
        kinds = {
            kind: [p.count, p.strength, p.elite, p.plus, p.gunpowder, p.pike, sorted(p.home)]
            for kind, p in zip(names.KINDS, self.pieces, strict=True)
        }
        cards: list[Any] = []
        for name, card in self._cards.items():
            event: list[Any] | None = None
            if card.event is not None:
                values = {k: sorted(cast(Any, v)) if isinstance(v, tuple) else v for k, v in card.event.args.items()}
                event = [card.event.timing, card.event.effect, card.event.window, values]
            cards.append([name, dict(card.recruit), sorted(card.recruit_once), card.fleets, event])
        scenarios = {
            name: {
                "months": [s.first_month, s.last_month, s.shuffle],
                "fixed": dict(s.fixed_cards),
                "choose": dict(s.choose_warriors),
                "start": {owner: {kind: dict(at) for kind, at in kinds.items()} for owner, kinds in s.start.items()},
            }
            for name, s in self.scenarios.items()
        }
        played = {
            "format": 1,
            "forts": [self.spaces[space].fort for space in names.SPACES],
            "kinds": kinds,
            "results": [self.results.column(role, elite) for role in (0, 1) for elite in (0, 1)],
            "cards": cards,
            "victory": {
                side: [sorted(v.all), v.at_least, sorted(v.some), sorted(v.any)] for side, v in self.victory.items()
            },
            "scenarios": scenarios,
        }
        # The printed numbers may be left out of the files, and so of the hash.
        for name, table in (("canoe_load", self.canoe_load), ("sighting", self.results.sighting)):
            if table not in (Pieces.model_fields["canoe_load"].default, BattleResults.model_fields["sighting"].default):
                played[name] = table.model_dump()
        return json.dumps(played, sort_keys=True)

    def tables(self, scenario: str = "long", final_check: bool = False, sea_victor: str = "repulsed") -> Any:
        """Return a new interpreted record of TABLES for one scenario and its options, without a template."""
        row = TABLES.new(template=0)
        for name in TABLES.lists:  # arrays, to be filled by ranges
            setattr(row, name, np.array(getattr(row, name), np.int64))
        self._fill_pieces(row)
        self._fill_map(row)
        self._fill_scenario(row, self.scenarios[scenario])
        for index, card in enumerate(self.cards):
            self._fill_card(row, index, card)
        row.final_check = int(final_check)
        row.assault = SEA_VICTOR.index(sea_victor)
        for name in TABLES.lists:
            setattr(row, name, getattr(row, name).tolist())
        return row

    def _fill_pieces(self, row: Any) -> None:
        piece = 0
        for kind, it in enumerate(self.pieces):
            owner = sum(kind >= first for first in OWNER_FIRST[1:3])
            row.first[kind], row.count[kind] = piece, it.count
            here = slice(piece, piece + it.count)
            row.kind[here], row.side[here] = kind, owner
            row.strength[here] = it.strength or 0
            row.elite[here], row.plus[here] = bool(it.elite), bool(it.plus)
            row.gun[here], row.pike[here] = it.gunpowder, it.pike
            row.leader[here] = it.class_ == "leader"
            row.canoe[here] = it.class_ == "canoe"
            row.warrior[here] = it.class_ == "warrior"
            row.home[here] = _island_mask(it.home)
            piece += it.count
        row.units_a_canoe, row.leaders_a_canoe = self.canoe_load.units, self.canoe_load.leaders
        row.sighted_up_to = self.sighted_up_to
        for role in (0, 1):
            for elite in (0, 1):
                column = self.results.column(role, elite) or ()
                row.results[role][elite] = [names.RESULTS.index(result) for result in column]

    def _fill_map(self, row: Any) -> None:
        for index, space in enumerate(names.SPACES):
            row.fort[index] = self.spaces[space].fort
            row.island[index] = ISLANDS.index(ISLAND_OF[space])
            others = [i for i, s in enumerate(names.SPACES) if ISLAND_OF[s] == ISLAND_OF[space] and s != space]
            row.sibling[index] = others[0] if others else -1
        for index, side in enumerate(DECKS):
            victory = self.victory[side]
            row.win_all[index] = _space_mask(victory.all)
            row.win_some[index] = _space_mask(victory.some)
            row.win_some_n[index] = victory.at_least
            row.win_any[index] = _space_mask(victory.any)

    def _fill_scenario(self, row: Any, scenario: Scenario) -> None:
        row.start[:] = names.BOX
        for owner, owner_name in enumerate(OWNERS):
            for kind, places in scenario.start[owner_name].items():
                piece = int(row.first[kind_id(owner, kind)])
                # In the order of the map, whatever the file's: piece numbers are part of every record.
                for place in sorted(places, key=_place):
                    row.start[piece : piece + places[place]] = _place(place)
                    piece += places[place]
        for index, side in enumerate(DECKS):
            row.choose[index] = scenario.choose_warriors[side]
            row.choose_island[index] = ISLANDS.index(OWN_ISLAND[side])
        row.first_month, row.last_month = scenario.first_month, scenario.last_month
        row.reshuffle_month = scenario.shuffle
        for month, number in scenario.fixed_cards.items():
            row.fixed[MONTHS.index(month) + 1] = [number, number]

    def _fill_card(self, row: Any, index: int, card: Card) -> None:
        side = side_of(index)
        row.fleets[index] = card.fleets
        for want, count in card.recruit.items():
            row.recruit[index][_want(side, want)] = count
            row.once[index][_want(side, want)] = count if want in card.recruit_once else 0
        if card.event is None:
            return
        event = card.event
        row.timing[index] = names.TIMINGS.index(event.timing)
        row.window[index] = WINDOWS.index(event.window) if event.window else 0
        row.effect[index] = names.EFFECTS.index(event.effect)
        args = _effect_args(side, event)
        row.effect_args[index][: len(args)] = args


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
    """Return the mask of the kinds that a card of a side names; a class means the side's kinds and Kaua'i's (R-36)."""
    mask = 0
    for owner in (side, 2):
        for kind in kinds_of(owner):
            if kind in wanted or class_of(kind) in wanted:
                mask |= 1 << kind_id(owner, kind)
    return mask


def _effect_args(side: int, event: AnyEvent) -> list[int]:
    """Return the arguments of an event's effect, as `names` lists them."""
    match event:
        case GunpowderDice() | Advantage():
            return [event.amount]
        case Appeal():
            return [_faces(event.neutral), _faces(event.enemy)]
        case GoHome():
            return [event.count, _kind_mask(side, event.pieces), _faces(event.die)]
        case RecruitAmong():
            return [_kind_mask(side, event.kinds), _island_mask(event.islands)]
        case _:
            return []


def _known(what: str, name: int | str, known: Sequence[str]) -> str:
    """Return one of some names, given by itself or its number. Raises OptionError."""
    found = known[name] if isinstance(name, int) and 0 <= name < len(known) else name
    if found not in known:
        raise OptionError(f"{what} {name!r}: expected one of {', '.join(known)}")
    return cast(str, found)


# What scenarios, pieces and cards must fulfil together: table in the scenario, key, problem, what is allowed

Problems = Iterator[tuple[str, str, str, str]]


def _fixed_problems(scenario: Scenario, held: set[int]) -> Problems:
    """[R-40] Yield fixed cards that the shuffle would take from the hand."""
    for month, number in scenario.fixed_cards.items():
        if number in held:
            free = ", ".join(str(n) for n in range(1, 10) if n not in held)
            text = f"card {number} of a deck is held, and the shuffle takes it back (R-40)"
            yield "fixed_cards", month, text, free


def _start_problems(scenario: Scenario, pieces: Pieces) -> Problems:
    """Yield what is wrong with a scenario's start places, by the pieces that there are."""
    standing: dict[str, set[str]] = {owner: set() for owner in OWNERS}
    for owner in OWNERS:
        where, table = f"start.{owner}", getattr(pieces, owner)
        own = [OWN_ISLAND[owner]] if owner in OWN_ISLAND else []
        allowed = (*names.SPACES, *own) if own else ("kauai",)
        placed = {kind: sum(places.values()) for kind, places in scenario.start[owner].items()}
        for kind, places in scenario.start[owner].items():
            if kind not in table:
                yield where, kind, "is not a kind of piece of this side", ", ".join(table)
                continue
            for place in places:
                if place not in allowed:
                    yield f"{where}.{kind}", place, "is no start place of this side", ", ".join(allowed)
                else:
                    standing[owner] |= _spaces_of(place) if place in own else {place}
            if placed[kind] > table[kind].count:
                text = f"places {placed[kind]} of {table[kind].count} pieces"
                yield where, kind, text, f"at most {table[kind].count}, the count in pieces.toml"
        if owner == "kauai":
            for kind, piece in table.items():
                if placed.get(kind, 0) < piece.count:
                    text = f"places {placed.get(kind, 0)} of {piece.count} pieces, and Kaua'i has no box"
                    yield where, kind, text, f"{{ kauai = {piece.count} }}"
            continue
        choice = scenario.choose_warriors[owner]
        warriors = [k for k in table if class_of(k) == "warrior" and k != "kaiana_warriors"]
        left = sum(table[k].count - placed.get(k, 0) for k in warriors)
        if choice > left:
            yield "choose_warriors", owner, f"{choice}: the box has {left} warriors", f"0 to {max(left, 0)}"
        if choice:
            standing[owner] |= _spaces_of(OWN_ISLAND[owner])
        if owner == "kamehameha" and not placed.get("kamehameha"):
            yield where, "kamehameha", "is missing: his loss ends the game [5.2]", "a start place"
    for one, other in (("kamehameha", "allied"), ("kamehameha", "kauai"), ("allied", "kauai")):
        both = sorted(standing[one] & standing[other], key=names.SPACES.index)
        if both:
            text = f"pieces of {one} may stand there too: {', '.join(both)}"
            yield "start", other, text, "spaces of one side only"


def _spaces_of(island: str) -> set[str]:
    return {space for space in names.SPACES if ISLAND_OF[space] == island}
