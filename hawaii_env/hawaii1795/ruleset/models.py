"""The shape of a ruleset's files, as pydantic models. What each value may be stands in its field's description."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeVar, cast

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StrictBool, StrictInt, StrictStr

from ..rules.names import KINDS, N_KINDS, SPACES, TIMINGS
from ..rules.tables import ISLANDS

K = TypeVar("K")
V = TypeVar("V")

FILES = ("ruleset.toml", "map.toml", "pieces.toml", "battle_results.toml", "cards.toml", "scenarios.toml")
"""The files of a ruleset. A folder may hold any of them; the shipped ones stand in for the others."""

DECKS = ("kamehameha", "allied")
OWNERS = ("kamehameha", "allied", "kauai")
MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
)  # fmt: skip
WINDOWS = ("none", "movement", "sighting", "battle")
WINDOW_OF = {"no_sighting": "movement", "sure_sighting": "sighting", "earthworks": "battle"}
TIMINGS_OF: dict[str, tuple[str, ...]] = {
    "gunpowder_dice": ("this_turn",),
    "advantage": ("this_turn",),
    "appeal": ("now",),
    "home": ("now",),
    "recruit_among": ("recruiting",),
    "no_sighting": ("this_turn", "hold"),
    "sure_sighting": ("hold",),
    "earthworks": ("hold",),
}
"""The timings at which the engine knows each effect [8.1, 8.2]."""

OWNER_FIRST = (0, KINDS.index("kalani"), KINDS.index("kauai_warrior"), N_KINDS)
"""Number of each owner's first kind, and the number of kinds."""


def kinds_of(owner: int) -> tuple[str, ...]:
    """Names of an owner's kinds as its files write them (0 Kamehameha, 1 the Allies, 2 Kaua'i)."""
    return tuple(kind.removeprefix("allied_") for kind in KINDS[OWNER_FIRST[owner] : OWNER_FIRST[owner + 1]])


def kind_id(owner: int, name: str) -> int:
    """Number of the kind that an owner's file calls `name`. Raises ValueError if there is none."""
    return OWNER_FIRST[owner] + kinds_of(owner).index(name)


_CLASSES: dict[str, tuple[str, ...]] = {
    "leader": ("kamehameha", "john_young", "kalani", "kaiana"),
    "warrior": ("warrior_2", "warrior_1", "oahu_warrior", "maui_warrior", "kaiana_warriors"),
    "canoe": ("canoe", "oahu_canoe", "maui_canoe", "kauai_canoe"),
}


def class_of(kind: str) -> str:
    """What the engine takes a kind for: leader, unit, warrior or canoe [3.1]."""
    return next((name for name, kinds in _CLASSES.items() if kind in kinds), "unit")


VARIABLE = (
    "warrior_2",
    "warrior_1",
    "canoe",
    "oahu_warrior",
    "maui_warrior",
    "oahu_canoe",
    "maui_canoe",
    "kauai_warrior",
    "kauai_canoe",
)
"""Kinds of which a ruleset may have another number of pieces than one."""


def _plain(value: str) -> str:
    if not value.strip() or any(ord(c) < 32 for c in value):
        raise ValueError("not a line of text")
    return value


def _no_repeats(value: tuple[Any, ...]) -> tuple[Any, ...]:
    if len(set(value)) < len(value):
        raise ValueError("a value comes twice")
    return value


def _freeze(value: Mapping[K, V]) -> Mapping[K, V]:
    return MappingProxyType(dict(value))


def _freeze_args(value: Mapping[str, Any]) -> Mapping[str, Any]:
    return MappingProxyType({k: tuple(cast(list[Any], v)) if isinstance(v, list) else v for k, v in value.items()})


def _months(value: Any) -> Any:
    if isinstance(value, str) and value in MONTHS:
        return MONTHS.index(value) + 1
    raise ValueError("not a month")


Line = Annotated[StrictStr, AfterValidator(_plain), Field(min_length=1, max_length=60)]
Text = Annotated[StrictStr, AfterValidator(_plain), Field(min_length=1, max_length=600)]
Slug = Annotated[StrictStr, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
Face = Annotated[StrictInt, Field(ge=1, le=6)]
Faces = Annotated[tuple[Face, ...], AfterValidator(_no_repeats)]
Month = Annotated[int, BeforeValidator(_months)]
if TYPE_CHECKING:  # a type checker sees plain text, so that any string may look a key up
    SpaceId = IslandId = OwnerId = DeckId = MonthName = str
else:
    SpaceId, IslandId, OwnerId, DeckId, MonthName = (
        Literal[names] for names in (SPACES, ISLANDS, OWNERS, DECKS, MONTHS)
    )
Spaces = Annotated[tuple[SpaceId, ...], AfterValidator(_no_repeats)]

LINE = "one line of text, at most 60 characters"
FACES = "a list of different die faces, each 1 to 6"
SPACE_LIST = f"a list of different spaces of {', '.join(SPACES)}"
MONTH = f"one of {', '.join(MONTHS)}"


class Table(BaseModel):
    """A table of a ruleset file: immutable, and without a key that is not known."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)


class About(Table):
    """`ruleset.toml`: what the set is called and how the players are shown."""

    name: Line = Field(description=LINE)
    version: Line = Field(description=LINE)
    kind: Literal["printed", "reconstructed", "variant"] = Field(description='"printed", "reconstructed" or "variant"')
    sides: Annotated[Mapping[OwnerId, Line], AfterValidator(_freeze)] = Field(
        description=f"a table of {', '.join(OWNERS)}, each {LINE}"
    )


class Space(Table):
    """A land space [4.0]."""

    name: Line = Field(description=LINE)
    island: IslandId = Field(description=f"one of {', '.join(ISLANDS)}; fixed for each space")
    colour: Slug = Field(description="a lower-case word")
    fort: StrictBool = Field(description="true or false")


class Map(Table):
    """`map.toml` [4.0]."""

    islands: Annotated[Mapping[IslandId, Line], AfterValidator(_freeze)] = Field(
        description=f"a table of {', '.join(ISLANDS)}, each {LINE}"
    )
    spaces: Annotated[Mapping[SpaceId, Space], AfterValidator(_freeze)] = Field(
        description=f"a table of {', '.join(SPACES)}"
    )


class Piece(Table):
    """A kind of piece [3.0, 3.1]."""

    name: Line = Field(description=LINE)
    class_: Literal["leader", "unit", "warrior", "canoe"] = Field(
        alias="class", description="leader, unit, warrior or canoe; fixed for each kind"
    )
    count: Annotated[StrictInt, Field(ge=0, le=39)] = Field(description="a whole number 0 to 39")
    strength: Annotated[StrictInt, Field(ge=1, le=6)] | None = Field(
        default=None, description="a whole number 1 to 6; none for a canoe"
    )
    elite: StrictBool | None = Field(default=None, description="true or false; none for a canoe")
    plus: StrictBool | None = Field(default=None, description="true or false; none for a canoe")
    gunpowder: StrictBool = Field(default=False, description="true or false")
    pike: StrictBool = Field(default=False, description="true or false")
    home: Annotated[tuple[IslandId, ...], AfterValidator(_no_repeats)] = Field(
        description=f"a list of different islands of {', '.join(ISLANDS)}"
    )


class Earthworks(Table):
    """The earthworks marker, the fortieth piece [3.1]."""

    name: Line = Field(description=LINE)
    count: Literal[1] = Field(description="1, the engine's single marker")


class CanoeLoad(Table):
    """What a canoe carries [10.3, 11.7]."""

    units: Annotated[StrictInt, Field(ge=1, le=2)] = Field(description="a whole number 1 or 2")
    leaders: Annotated[StrictInt, Field(ge=0, le=2)] = Field(description="a whole number 0 to 2")


KindTable = Annotated[Mapping[str, Piece], AfterValidator(_freeze)]


class Pieces(Table):
    """`pieces.toml` [1.0, 3.0]."""

    earthworks: Earthworks = Field(description="the table of the earthworks marker")
    canoe_load: CanoeLoad = Field(description="a table of units, leaders")
    kamehameha: KindTable = Field(description=f"a table of {', '.join(kinds_of(0))}")
    allied: KindTable = Field(description=f"a table of {', '.join(kinds_of(1))}")
    kauai: KindTable = Field(description=f"a table of {', '.join(kinds_of(2))}")


Result = Literal["none", "panic", "elimination"]
Column = Annotated[tuple[Result, ...], Field(min_length=6, max_length=6)]
COLUMN = 'six results, for a die of 1 to 6, each "none", "panic" or "elimination"'


class Columns(Table):
    """Columns of the Battle Results Table for the attacker, the defender or both [11.2, 12.0]."""

    non_elite: Column | None = Field(default=None, description=COLUMN)
    elite: Column | None = Field(default=None, description=COLUMN)


class Sighting(Table):
    """The sighting die [11.7]."""

    up_to: Annotated[StrictInt, Field(ge=0, le=6)] = Field(description="a whole number 0 to 6")


class BattleResults(Table):
    """`battle_results.toml` [11.2, 11.3, 11.7]."""

    sighting: Sighting = Field(description="a table of up_to")
    both: Columns = Field(default=Columns(), description="a table of non_elite, elite")
    attacker: Columns = Field(default=Columns(), description="a table of non_elite, elite")
    defender: Columns = Field(default=Columns(), description="a table of non_elite, elite")

    def column(self, role: int, elite: int) -> tuple[str, ...] | None:
        """Six results of the side that fires (0 attacker, 1 defender), or None if the file has no such column."""
        name = ("non_elite", "elite")[elite]
        own: tuple[str, ...] | None = getattr((self.attacker, self.defender)[role], name)
        return own if own is not None else getattr(self.both, name)


class GunpowderArgs(Table):
    """Values of `gunpowder_dice` and `advantage`."""

    amount: Annotated[StrictInt, Field(ge=1, le=5)] = Field(description="a whole number 1 to 5")


class AppealArgs(Table):
    """Values of `appeal`."""

    neutral: Faces = Field(description=FACES)
    enemy: Faces = Field(description=FACES)


class HomeArgs(Table):
    """Values of `home`."""

    count: Annotated[StrictInt, Field(ge=1, le=19)] = Field(description="a whole number 1 to 19")
    pieces: Annotated[tuple[StrictStr, ...], AfterValidator(_no_repeats), Field(min_length=1)] = Field(
        description="a list of different kinds or classes"
    )
    die: Annotated[Faces, Field(min_length=1)] | None = Field(default=None, description=FACES)


class AmongArgs(Table):
    """Values of `recruit_among`."""

    kinds: Annotated[tuple[StrictStr, ...], AfterValidator(_no_repeats), Field(min_length=1)] = Field(
        description="a list of different kinds that the card recruits"
    )
    islands: Annotated[tuple[IslandId, ...], AfterValidator(_no_repeats), Field(min_length=1)] = Field(
        description=f"a list of different islands of {', '.join(ISLANDS)}"
    )


class NoArgs(Table):
    """An effect without values."""


ARGS_OF: dict[str, type[Table]] = {
    "gunpowder_dice": GunpowderArgs,
    "advantage": GunpowderArgs,
    "appeal": AppealArgs,
    "home": HomeArgs,
    "recruit_among": AmongArgs,
    "no_sighting": NoArgs,
    "sure_sighting": NoArgs,
    "earthworks": NoArgs,
}
"""Model of the values of each of the engine's effects."""


class Event(Table):
    """A card's event [8.2]. The effect's values stand beside these keys in the file and in `args` here."""

    timing: Literal["now", "this_turn", "hold", "recruiting"] = Field(description=f"one of {', '.join(TIMINGS[1:])}")
    effect: Slug = Field(description="the name of an effect")
    window: Literal["movement", "sighting", "battle"] | None = Field(
        default=None, description='"movement", "sighting" or "battle", for the timing "hold" only'
    )
    args: Annotated[Mapping[str, Any], AfterValidator(_freeze_args)] = Field(
        default=MappingProxyType({}), description="the effect's values"
    )


class Card(Table):
    """A campaign card [8.1]."""

    number: Annotated[StrictInt, Field(ge=1, le=9)] = Field(description="a whole number 1 to 9, each once a deck")
    title: Line = Field(description=LINE)
    recruit: Annotated[Mapping[str, Annotated[StrictInt, Field(ge=1, le=9)]], AfterValidator(_freeze)] = Field(
        default=MappingProxyType({}),
        description="kinds of the side's pieces, warrior or canoe, each with a number 1 to 9",
    )
    recruit_once: Annotated[tuple[StrictStr, ...], AfterValidator(_no_repeats)] = Field(
        default=(), description="a list of names that stand in `recruit`"
    )
    fleets: Annotated[StrictInt, Field(ge=0, le=10)] = Field(description="a whole number 0 to 10")
    event: Event | None = Field(default=None, description="a table of timing, effect and the effect's values")
    text: Text = Field(description="text of at most 600 characters")


CardTable = Annotated[Mapping[Slug, Card], AfterValidator(_freeze)]


class Cards(Table):
    """`cards.toml` [8.0]."""

    kamehameha: CardTable = Field(description="nine tables, one a card, each named by the card's id")
    allied: CardTable = Field(description="nine tables, one a card, each named by the card's id")


class Victory(Table):
    """What a side must occupy [5.1]."""

    all: Spaces = Field(description=SPACE_LIST)
    at_least: Annotated[StrictInt, Field(ge=0, le=7)] = Field(description="a whole number 0 to 7")
    some: Spaces = Field(description=SPACE_LIST)
    any: Spaces = Field(description=SPACE_LIST)


Places = Annotated[Mapping[str, Annotated[StrictInt, Field(ge=1, le=39)]], AfterValidator(_freeze)]
Starts = Annotated[Mapping[str, Places], AfterValidator(_freeze)]


class Scenario(Table):
    """A scenario [6.0]."""

    name: Line = Field(description=LINE)
    first_month: Month = Field(description=MONTH)
    last_month: Month = Field(description=MONTH)
    fixed_cards: Annotated[Mapping[MonthName, Annotated[StrictInt, Field(ge=1, le=9)]], AfterValidator(_freeze)] = (
        Field(description="a table of months, each with the number of a card, 1 to 9")
    )
    shuffle: Month = Field(description=MONTH)
    choose_warriors: Annotated[Mapping[DeckId, Annotated[StrictInt, Field(ge=0, le=12)]], AfterValidator(_freeze)] = (
        Field(description="a table of kamehameha, allied, each a whole number 0 to 12")
    )
    start: Annotated[Mapping[OwnerId, Starts], AfterValidator(_freeze)] = Field(
        description=f"a table of {', '.join(OWNERS)}, each a table of kinds"
    )


class Scenarios(Table):
    """`scenarios.toml` [5.0, 6.0]."""

    victory: Annotated[Mapping[DeckId, Victory], AfterValidator(_freeze)] = Field(
        description="a table of kamehameha, allied"
    )
    scenarios: Annotated[Mapping[Slug, Scenario], AfterValidator(_freeze)] = Field(
        description="a table of scenarios, long and short among them"
    )


class Ruling(Table):
    """A place where the rulebook is silent or contradicts itself, and the reading that this project plays."""

    id: Annotated[StrictStr, Field(pattern=r"^R-\d\d$")] = Field(description="R- and two digits")
    title: Line = Field(description=LINE)
    sections: tuple[Annotated[StrictStr, Field(pattern=r"^\d+\.\d+$")], ...] = Field(description="a list of sections")
    question: Text = Field(description="text")
    readings: Annotated[tuple[Text, ...], Field(min_length=2)] = Field(description="two or more readings")
    choice: Text = Field(description="text")
    reason: Text = Field(description="text")
    test: Annotated[StrictStr, Field(pattern=r"^tests/\S+::test_r_\d\d$")] = Field(
        description="path::function of its test"
    )
    option: Literal["final_check", "sea_victor"] | None = Field(
        default=None, description="the option that plays another reading"
    )


class Rulings(Table):
    """`rulings.toml`."""

    rulings: tuple[Ruling, ...] = Field(description="an array of tables")


MODELS: dict[str, type[Table]] = {
    "ruleset.toml": About,
    "map.toml": Map,
    "pieces.toml": Pieces,
    "battle_results.toml": BattleResults,
    "cards.toml": Cards,
    "scenarios.toml": Scenarios,
}
"""Model of each file."""
