"""The form of Hawaii, 1795's ruleset files, and what each must fulfil by itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field

from hawaii_env.rulesets import (
    EVERY,
    About,
    Die,
    Faces,
    Line,
    Problems,
    Slug,
    Table,
    Text,
    different,
    no_repeats,
    whole,
)

from .rules import names
from .rules.names import KINDS, N_KINDS, SPACES
from .rules.tables import ISLANDS

DECKS = ("kamehameha", "allied")
OWNERS = ("kamehameha", "allied", "kauai")
MONTHS = names.MONTHS[1:]

ISLAND_OF = {
    "kona": "hawaii", "hilo": "hawaii", "maui": "maui", "molokai": "molokai", "waikiki": "oahu", "koolau": "oahu",
    "kauai": "kauai",
}  # fmt: skip
"""Island of each space: part of the engine, because marches and landings depend on the pairs."""

OWN_ISLAND = {"kamehameha": "hawaii", "allied": "oahu"}
"""The island on which a side may place pieces of its choice at set-up [6.0, 6.2]."""

OWNER_FIRST = (0, KINDS.index("kalani"), KINDS.index("kauai_warrior"), N_KINDS)
"""Number of each owner's first kind, and the number of kinds."""

_CLASSES: dict[str, tuple[str, ...]] = {
    "leader": ("kamehameha", "john_young", "kalani", "kaiana"),
    "warrior": ("warrior_2", "warrior_1", "oahu_warrior", "maui_warrior", "kaiana_warriors"),
    "canoe": ("canoe", "oahu_canoe", "maui_canoe", "kauai_canoe"),
}
VARIABLE = (
    "warrior_2", "warrior_1", "canoe", "oahu_warrior", "maui_warrior", "oahu_canoe", "maui_canoe", "kauai_warrior",
    "kauai_canoe",
)  # fmt: skip
"""Kinds of which a ruleset may have another number of pieces than one."""


def kinds_of(owner: int) -> tuple[str, ...]:
    """Return the names of an owner's kinds as its files write them (0 Kamehameha, 1 the Allies, 2 Kaua'i)."""
    return tuple(kind.removeprefix("allied_") for kind in KINDS[OWNER_FIRST[owner] : OWNER_FIRST[owner + 1]])


def kind_id(owner: int, name: str) -> int:
    """Return the number of the kind that an owner's file calls `name`. Raises ValueError if there is none."""
    return OWNER_FIRST[owner] + kinds_of(owner).index(name)


def class_of(kind: str) -> str:
    """Return what the engine takes a kind for: leader, unit, warrior or canoe [3.1]."""
    return next((name for name, kinds in _CLASSES.items() if kind in kinds), "unit")


def wants_of(owner: int) -> tuple[str, ...]:
    """Return what a side's recruit lines may ask for: its kinds, without its first leader, and the two classes."""
    kinds = tuple(kind for kind in kinds_of(owner) if kind != "kamehameha")
    return (*kinds, *(name for name in ("warrior", "canoe") if name not in kinds))


def _month(value: Any) -> int:
    if value in MONTHS:
        return MONTHS.index(value) + 1
    raise ValueError("not a month")


Words: TypeAlias = Annotated[tuple[str, ...], AfterValidator(no_repeats), different("names", 1)]
Month: TypeAlias = Annotated[int, BeforeValidator(_month), Field(description=f"one of {', '.join(MONTHS)}")]
Recruits: TypeAlias = Mapping[str, Annotated[int, Field(ge=1, le=9)]]
if TYPE_CHECKING:  # a type checker sees plain text, so that any string may look a key up
    SpaceId: TypeAlias = str
    IslandId: TypeAlias = str
    OwnerId: TypeAlias = str
    DeckId: TypeAlias = str
    MonthName: TypeAlias = str
    Kamehamehas: TypeAlias = str
    Allies: TypeAlias = str
    Neutrals: TypeAlias = str
else:
    SpaceId, IslandId, OwnerId, DeckId, MonthName, Kamehamehas, Allies, Neutrals = (
        Literal[names] for names in (SPACES, ISLANDS, OWNERS, DECKS, MONTHS, *map(kinds_of, range(3)))
    )
Spaces: TypeAlias = Annotated[
    tuple[SpaceId, ...], AfterValidator(no_repeats), different(f"spaces of {', '.join(SPACES)}")
]
Islands: TypeAlias = Annotated[
    tuple[IslandId, ...], AfterValidator(no_repeats), different(f"islands of {', '.join(ISLANDS)}")
]


class HawaiiAbout(About):
    """``ruleset.toml``: what the set is called and how the players are shown."""

    sides: Annotated[Mapping[OwnerId, Line], EVERY]


class Space(Table):
    """A land space [4.0]."""

    name: Line
    island: IslandId
    colour: Slug
    fort: bool


class Map(Table):
    """``map.toml`` [4.0]."""

    islands: Annotated[Mapping[IslandId, Line], EVERY]
    spaces: Annotated[Mapping[SpaceId, Space], EVERY]

    def problems(self) -> Problems:
        """See `hawaii_env.rulesets.Table.problems`."""
        for name, space in self.spaces.items():
            if space.island != ISLAND_OF[name]:
                text = f"{space.island!r}: the island of a space is fixed by the engine"
                yield f"spaces.{name}.island", text, f'"{ISLAND_OF[name]}"'


class Piece(Table):
    """A kind of piece [3.0, 3.1]."""

    name: Line
    class_: Literal["leader", "unit", "warrior", "canoe"] = Field(alias="class")
    count: int = whole(0, 39)
    strength: Die | None = None
    elite: bool | None = None
    plus: bool | None = None
    gunpowder: bool = False
    pike: bool = False
    home: Islands


class Earthworks(Table):
    """The earthworks marker, the fortieth piece [3.1]."""

    name: Line
    count: Literal[1]


class CanoeLoad(Table):
    """Load of a canoe [10.3, 11.7]."""

    units: int = whole(1, 2)
    leaders: int = whole(0, 2)


class Pieces(Table):
    """``pieces.toml`` [1.0, 3.0]."""

    earthworks: Earthworks
    canoe_load: CanoeLoad = CanoeLoad(units=2, leaders=2)
    kamehameha: Annotated[Mapping[Kamehamehas, Piece], EVERY]
    allied: Annotated[Mapping[Allies, Piece], EVERY]
    kauai: Annotated[Mapping[Neutrals, Piece], EVERY]

    def problems(self) -> Problems:
        """See `hawaii_env.rulesets.Table.problems`."""
        sides: dict[str, Mapping[str, Piece]] = {name: getattr(self, name) for name in OWNERS}
        for name, pieces in sides.items():
            for kind, piece in pieces.items():
                for key, problem, allowed in _piece_problems(name, kind, piece):
                    yield f"{name}.{kind}.{key}", problem, allowed
        total = 1 + sum(piece.count for pieces in sides.values() for piece in pieces.values())
        if total != 40 and all(len(pieces) == len(kinds_of(i)) for i, pieces in enumerate(sides.values())):
            yield "count", f"the pieces are {total}, the earthworks among them", "40 in all [1.0]"


def _piece_problems(owner: str, kind: str, piece: Piece) -> Problems:
    if piece.class_ != class_of(kind):
        yield "class", f"{piece.class_!r}: the class of a kind is fixed by the engine", f'"{class_of(kind)}"'
    if kind not in VARIABLE and piece.count != 1:
        yield "count", f"{piece.count}: this kind is a single piece in the engine", "1"
    for key in ("strength", "elite", "plus", "gunpowder", "pike"):
        value = getattr(piece, key)
        if class_of(kind) == "canoe" and value not in (None, False):
            yield key, "a canoe has none: it never fires [11.2]", "leave the key out"
        if class_of(kind) != "canoe" and value is None:
            yield key, "is missing", "a whole number 1 to 6" if key == "strength" else "true or false"
    if owner == "kauai" and piece.home:
        yield "home", "pieces of Kaua'i are never recruited [9.0]", "[]"
    if owner != "kauai" and not piece.home:
        yield "home", "is empty", f"one or more of {', '.join(ISLANDS)}"


Column: TypeAlias = Annotated[
    tuple[Literal["none", "panic", "elimination"], ...],
    Field(
        min_length=6,
        max_length=6,
        description='six results, for a die of 1 to 6, each "none", "panic" or "elimination"',
    ),
]


class Columns(Table):
    """Columns of the Battle Results Table for the attacker, the defender or both [11.2, 12.0]."""

    non_elite: Column | None = None
    elite: Column | None = None


class Sighting(Table):
    """The sighting die [11.7]."""

    up_to: int = whole(0, 6)


class BattleResults(Table):
    """``battle_results.toml`` [11.2, 11.3, 11.7]."""

    sighting: Sighting = Sighting(up_to=3)
    both: Columns = Columns()
    attacker: Columns = Columns()
    defender: Columns = Columns()

    def column(self, role: int, elite: int) -> tuple[str, ...] | None:
        """Return six results of the side that fires (0 attacker, 1 defender), or None if the file has no such
        column.
        """
        name = ("non_elite", "elite")[elite]
        own: tuple[str, ...] | None = getattr((self.attacker, self.defender)[role], name)
        return own if own is not None else getattr(self.both, name)

    def problems(self) -> Problems:
        """See `hawaii_env.rulesets.Table.problems`."""
        for role, name in enumerate(("attacker", "defender")):
            for elite, key in enumerate(("non_elite", "elite")):
                if self.column(role, elite) is None:
                    yield f"{name}.{key}", "is missing", "six results here, or in table [both] for both sides"


class Event(Table):
    """A card's event [8.2]: when it happens, its effect, and the effect's values."""

    WINDOW: ClassVar[str] = ""
    """The window in which it is played when it is held."""

    timing: Any
    effect: Any
    window: Literal["movement", "sighting", "battle"] | None = None

    @property
    def args(self) -> dict[str, Any]:
        """The effect's values, those that are given."""
        return {key: getattr(self, key) for key in self.model_fields_set - {"timing", "effect", "window"}}

    def problems(self) -> Problems:
        """See `hawaii_env.rulesets.Table.problems`."""
        if self.timing != "hold":
            if self.window is not None:
                text = f"{self.window!r}: an event of the timing {self.timing} has no window"
                yield "window", text, 'leave the key out, except with the timing "hold"'
        elif self.window != self.WINDOW:
            text = "is missing" if self.window is None else f"{self.window!r} does not go with this event"
            yield "window", text, self.WINDOW


class GunpowderDice(Event):
    """More dice for gunpowder units."""

    timing: Literal["this_turn"]
    effect: Literal["gunpowder_dice"]
    amount: int = whole(1, 5)


class Advantage(Event):
    """A bonus to advantage rolls."""

    timing: Literal["this_turn"]
    effect: Literal["advantage"]
    amount: int = whole(1, 5)


class Appeal(Event):
    """A die by which Kaua'i changes sides."""

    timing: Literal["now"]
    effect: Literal["appeal"]
    neutral: Faces
    enemy: Faces


class GoHome(Event):
    """Pieces that go home."""

    timing: Literal["now"]
    effect: Literal["home"]
    count: int = whole(1, 19)
    pieces: Words
    die: Annotated[Faces, Field(min_length=1)] | None = None


class RecruitAmong(Event):
    """One of several kinds is recruited."""

    timing: Literal["recruiting"]
    effect: Literal["recruit_among"]
    kinds: Words
    islands: Annotated[Islands, Field(min_length=1)]


class NoSighting(Event):
    """No fleet is sighted."""

    WINDOW: ClassVar[str] = "movement"
    timing: Literal["this_turn", "hold"]
    effect: Literal["no_sighting"]


class SureSighting(Event):
    """A fleet is sighted without a die."""

    WINDOW: ClassVar[str] = "sighting"
    timing: Literal["hold"]
    effect: Literal["sure_sighting"]


class EarthworksEvent(Event):
    """The defender has earthworks."""

    WINDOW: ClassVar[str] = "battle"
    timing: Literal["hold"]
    effect: Literal["earthworks"]


AnyEvent: TypeAlias = Annotated[
    GunpowderDice | Advantage | Appeal | GoHome | RecruitAmong | NoSighting | SureSighting | EarthworksEvent,
    Field(discriminator="effect"),
]


class Card(Table):
    """A campaign card [8.1]."""

    number: int = whole(1, 9)
    title: Line
    recruit: Recruits = Field(default_factory=dict)
    recruit_once: Annotated[tuple[str, ...], AfterValidator(no_repeats), different("names in `recruit`")] = ()
    fleets: int = whole(0, 10)
    event: AnyEvent | None = None
    text: Text

    def problems(self) -> Problems:
        """See `hawaii_env.rulesets.Table.problems`."""
        for want in self.recruit_once:
            if want not in self.recruit:
                allowed = ", ".join(self.recruit) or "nothing, as the card recruits nothing"
                yield "recruit_once", f"{want!r} does not stand in `recruit`", allowed


Deck: TypeAlias = Mapping[Slug, Card]


class Cards(Table):
    """``cards.toml`` [8.0]."""

    kamehameha: Deck
    allied: Deck

    def problems(self) -> Problems:
        """See `hawaii_env.rulesets.Table.problems`."""
        for name in self.allied:
            if name in self.kamehameha:
                yield f"allied.{name}.", f"the other deck has a card {name} too", "an id that no other card has"
        for owner, deck in enumerate(DECKS):
            cards: Mapping[str, Card] = getattr(self, deck)
            if len(cards) != 9:
                yield f"{deck}.", f"the deck has {len(cards)} cards", "nine cards, numbered 1 to 9 [1.0]"
            seen: dict[int, str] = {}
            free = ", ".join(str(n) for n in range(1, 10) if n not in {card.number for card in cards.values()})
            for name, card in cards.items():
                if card.number in seen:
                    text = f"{card.number} is the number of {seen[card.number]} too"
                    yield f"{deck}.{name}.number", text, f"a number of 1 to 9 that is free: {free or 'none'}"
                seen[card.number] = name
                for key, problem, allowed in _card_problems(owner, card):
                    yield f"{deck}.{name}.{key}", problem, allowed


def _card_problems(owner: int, card: Card) -> Problems:
    """Return the names on a card that its side has not."""
    wants = wants_of(owner)
    for want in card.recruit:
        if want not in wants:
            yield f"recruit.{want}", "cannot be recruited by this side", ", ".join(wants)
    if isinstance(card.event, GoHome):
        kinds = [k for k in kinds_of(owner) + kinds_of(2) if class_of(k) != "leader"]
        allowed = [*kinds, *(c for c in ("warrior", "canoe") if c not in kinds)]
        for kind in card.event.pieces:
            if kind not in allowed:
                yield "event.pieces", f"{kind!r} cannot go home", ", ".join(allowed)
    if isinstance(card.event, RecruitAmong):
        kinds = [k for k in card.recruit if k in kinds_of(owner) and class_of(k) != "canoe"]
        for kind in card.event.kinds:
            if kind not in kinds:
                text = f"{kind!r} is not a kind, other than a canoe, that the card recruits"
                yield "event.kinds", text, ", ".join(kinds) or "none, with this `recruit`"


class Victory(Table):
    """Spaces that a side must occupy [5.1]."""

    all: Spaces
    at_least: int = whole(0, 7)
    some: Spaces
    any: Spaces

    def problems(self) -> Problems:
        """See `hawaii_env.rulesets.Table.problems`."""
        if self.at_least > len(self.some):
            yield "at_least", f"{self.at_least} of {len(self.some)} spaces", f"0 to {len(self.some)}"
        if not (self.all or self.at_least or self.any):
            yield "", "asks for nothing", "a space in `all` or `any`, or `at_least`"


Starts: TypeAlias = Mapping[str, Mapping[str, Annotated[int, Field(ge=1, le=39)]]]


class Scenario(Table):
    """A scenario [6.0]."""

    name: Line
    first_month: Month
    last_month: Month
    fixed_cards: Mapping[MonthName, Annotated[int, Field(ge=1, le=9)]]
    shuffle: Month
    choose_warriors: Annotated[Mapping[DeckId, Annotated[int, Field(ge=0, le=12)]], EVERY]
    start: Annotated[Mapping[OwnerId, Starts], EVERY]

    def problems(self) -> Problems:
        """See `hawaii_env.rulesets.Table.problems`."""
        first, last, shuffle = self.first_month, self.last_month, self.shuffle
        if last < first:
            yield "last_month", "comes before the first", ", ".join(MONTHS[first - 1 :])
            return
        if not first <= shuffle <= last:
            yield "shuffle", "is no month of the scenario", ", ".join(MONTHS[first - 1 : last])
            return
        if last - shuffle >= 9:
            text = f"{last - shuffle + 1} turns are played after it, with nine cards"
            yield "shuffle", text, ", ".join(MONTHS[max(last - 9, first - 1) : last])
        before = MONTHS[first - 1 : shuffle - 1]
        allowed = ", ".join(before) or "none, as the scenario starts with the shuffle"
        for month in {*self.fixed_cards} ^ {*before}:
            text = "is missing" if month in before else "is no month before the shuffle"
            yield f"fixed_cards.{month}", text, allowed
        if len(set(self.fixed_cards.values())) < len(self.fixed_cards):
            yield "fixed_cards", "a card comes twice", "different cards"


class Scenarios(Table):
    """``scenarios.toml`` [5.0, 6.0]."""

    victory: Annotated[Mapping[DeckId, Victory], EVERY]
    scenarios: Annotated[Mapping[Slug, Scenario], Field(min_length=1)]


MODELS: dict[str, type[BaseModel]] = {
    "ruleset.toml": HawaiiAbout, "map.toml": Map, "pieces.toml": Pieces, "battle_results.toml": BattleResults,
    "cards.toml": Cards, "scenarios.toml": Scenarios,
}  # fmt: skip
"""Model of each file."""
