"""The form of Maori Wars' ruleset files, and what each must fulfil by itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, Field

from hawaii_env.rulesets import EVERY, About, Line, Problems, Slug, Table, different, no_repeats, whole

from .charts import Charts, Dispatches, Modifier, Owner
from .rules.names import KINDS, STRUCTURES
from .rules.state import N_CHITS

__all__ = [
    "HEXSIDES",
    "KIND_SIDES",
    "MODELS",
    "Arrival",
    "Coast",
    "Kind",
    "Leader",
    "Map",
    "Scenario",
    "SetUp",
    "Units",
]

KIND_SIDES = ("british",) * 8 + ("queenite", "maori", "maori")
"""Category of each kind [3.0]; a canoe is of whoever owns it."""

HEXSIDES = ("plain", "mixed", "water", "lake")
"""Kinds of hexside, in the order of `names.PLAIN` and the others."""

MOST_GUNS = 15
"""Artillery that `pieces.SOFT` leaves room for in the count of a hex."""


HexId: TypeAlias = Annotated[str, Field(pattern=r"^\d{4}$", description="a hex as ccrr: column and row, 2 digits each")]
HexIds: TypeAlias = Annotated[tuple[HexId, ...], AfterValidator(no_repeats), different("hexes, each as ccrr")]
Slugs: TypeAlias = Annotated[tuple[Slug, ...], AfterValidator(no_repeats), different("ids")]
Count: TypeAlias = Annotated[int, Field(ge=0, le=99)]
if TYPE_CHECKING:  # a type checker sees plain text, so that any string may look a key up
    KindId: TypeAlias = str
    StructureId: TypeAlias = str
else:
    KindId, StructureId = Literal[KINDS], Literal[STRUCTURES]
Units_: TypeAlias = Mapping[KindId, Annotated[int, Field(ge=1, le=99)]]


class MaoriAbout(About):
    """``ruleset.toml``: what the set is called and how the players are shown."""

    sides: Annotated[Mapping[Owner, Line], EVERY]


# ---- map.toml


class Territory(Table):
    """A territory [10.0]. Its neighbours are derived from the hexes; a file may repeat them."""

    name: Line
    neighbours: Slugs | None = None


class Hex(Table):
    """A land hex. Whatever else a file says of it is derived from the other tables, and must agree with them."""

    terrain: Literal["clear", "rough", "mountain"]
    territory: Slug
    coast: bool | None = None
    lake: bool | None = None
    rivers: Slugs | None = None
    places: Slugs | None = None


class Water(Table):
    """Water hexes: the sea within two hexes of land, and lakes."""

    ocean: HexIds
    lake: HexIds


Pairs: TypeAlias = tuple[tuple[HexId, HexId], ...]


class Hexsides(Table):
    """Sides between two land hexes that are not plain land [6.0, 9.0]."""

    water: Pairs
    mixed: Pairs
    lake: Pairs


class River(Table):
    """A river from its mouth, or from the hex of another river, up; its first `navigable` hexes are dotted [6.0]."""

    name: Line
    hexes: Annotated[HexIds, Field(min_length=1)]
    navigable: Count

    def problems(self) -> Problems:
        """See `hawaii_env.rulesets.Table.problems`."""
        if self.navigable > len(self.hexes):
            yield "navigable", f"{self.navigable} hexes of a river of {len(self.hexes)}", f"0 to {len(self.hexes)}"


class Lake(Table):
    """A lake's name."""

    name: Line


class Place(Table):
    """A name on the map."""

    name: Line
    hex: HexId


class Map(Table):
    """``map.toml``."""

    columns: int = whole(1, 99)
    rows: int = whole(1, 99)
    territories: Annotated[Mapping[Slug, Territory], Field(min_length=1)]
    hexes: Annotated[Mapping[HexId, Hex], Field(min_length=1)]
    water: Water
    hexsides: Hexsides
    rivers: Mapping[Slug, River]
    lakes: Mapping[Slug, Lake]
    places: Mapping[Slug, Place]
    towns: Mapping[Slug, HexId]


# ---- units.toml


class Cost(Table):
    """Movement points that a hex costs [6.0]."""

    clear: int = whole(1, 9)
    rough: int = whole(1, 9)


class CanoeCounters(Table):
    """Canoe counters of each player."""

    maori: Count
    queenite: Count


class Kind(Table):
    """A kind of unit [3.0]."""

    name: Line
    side: Literal["british", "queenite", "maori"]
    count: Count | CanoeCounters
    strength: int = whole(0, 1)
    move: int = whole(1, 9)
    cost: Cost | None = None
    infantry: bool
    panic: int | None = Field(None, ge=0, le=6)
    stacks: bool
    bush: bool
    surprised: bool = False
    bonus: Modifier = 0
    place: Literal["town", "british", "queenite", "maori"]
    loss: bool


class NeutralUnits(Table):
    """Counters of neutral units."""

    count: Count


class Leader(Table):
    """A leader [3.0, 7.0]."""

    name: Line
    category: Literal["maori", "queenite", "british", "neutral"]
    bush: bool
    rangers: bool = False

    def problems(self) -> Problems:
        """See `hawaii_env.rulesets.Table.problems`."""
        if self.rangers and self.category != "british":
            yield "rangers", "only a British leader leads Rangers [7.0, R-16]", "false"


class Units(Table):
    """``units.toml``."""

    kinds: Annotated[Mapping[KindId, Kind], EVERY]
    neutral: NeutralUnits
    structures: Annotated[Mapping[StructureId, Count], EVERY]
    leaders: Mapping[Slug, Leader]

    def problems(self) -> Problems:
        """See `hawaii_env.rulesets.Table.problems`."""
        for key, wanted in (("kinds", KINDS), ("structures", STRUCTURES)):
            if tuple(getattr(self, key)) != wanted and set(getattr(self, key)) == set(wanted):
                yield f"{key}.", "the order is fixed by the rules", ", ".join(wanted)
        for name, kind in self.kinds.items():
            yield from ((f"kinds.{name}.{key}", why, allowed) for key, why, allowed in _kind_problems(name, kind))
        for name in set(self.leaders) & {*KINDS, "unit"}:
            yield f"leaders.{name}", "is the name of a kind of unit", "another id"


def _kind_problems(name: str, kind: Kind) -> Iterator[tuple[str, str, str]]:
    boat, canoe = name in ("gunboat", "canoe"), name == "canoe"
    fixed: dict[str, Any] = {
        "side": KIND_SIDES[KINDS.index(name)],
        "strength": int(not boat and name != "artillery"),
        "stacks": not boat and name != "artillery",
        "loss": not boat,
    }
    for key, wanted in fixed.items():
        if getattr(kind, key) != wanted:
            yield key, f"{getattr(kind, key)!r}: fixed by the rules [3.0, 4.0, 9.0]", repr(wanted)
    if isinstance(kind.count, CanoeCounters) != canoe:
        yield "count", "only canoes have counters of two sides", "a table of maori, queenite" if canoe else "a number"
    if name == "artillery" and isinstance(kind.count, int) and kind.count > MOST_GUNS:
        yield "count", f"{kind.count}, and one hex may have to hold them all", f"at most {MOST_GUNS}"
    for key in ("cost", "panic"):
        if (getattr(kind, key) is None) != boat:
            yield key, "boats have none, land units have it", "leave the key out" if boat else "a value"
    if boat and kind.bush:
        yield "bush", "boats do not enter the bush [10.0]", "false"


# ---- scenarios.toml


class PerTurn(Table):
    """Units from each Reinforcement Box a turn [5.0]."""

    maori: int = whole(0, 9)
    british: int = whole(0, 9)


class Shipment(Table):
    """[14.0] The British voyage of one turn: artillery and up to `units` units from a hex."""

    turn: int = whole(1, 99)
    from_: HexId = Field(alias="from")
    units: int = whole(1, 9)


class SetUp(Table):
    """The pieces of a hex at the start."""

    at: HexId
    structure: StructureId | None = None
    units: Units_ = Field(default_factory=dict)
    neutral: int = whole(0, 12, 0)
    leaders: Slugs = ()


class Arrival(Table):
    """Automatic reinforcements [5.0]."""

    turn: int = whole(1, 99)
    side: Owner
    at: HexId
    units: Units_ = Field(default_factory=dict)
    leaders: Slugs = ()


class Scenario(Table):
    """A scenario [14.0]."""

    name: Line
    turns: int = whole(1, 99)
    first: Annotated[str, Field(pattern=r"^\d{4}-(0[1-9]|1[0-2])$", description="year and month, as 1860-03")]
    theatre: Annotated[Slugs, Field(min_length=1)]
    designated: Slugs
    remove: Annotated[tuple[Annotated[int, Field(ge=1, le=N_CHITS)], ...], AfterValidator(no_repeats)]
    per_turn: PerTurn
    fort_limit: Count
    bush_banned: Annotated[tuple[KindId, ...], AfterValidator(no_repeats)]
    sap: bool
    shipment: Shipment | None = None
    box: Annotated[Mapping[Owner, Units_], EVERY]
    arrivals: tuple[Arrival, ...]
    setup: tuple[SetUp, ...]

    def problems(self) -> Problems:
        """See `hawaii_env.rulesets.Table.problems`."""
        late = [("shipment", self.shipment), *((f"arrivals.{i}", one) for i, one in enumerate(self.arrivals, start=1))]
        for table, one in late:
            if one is not None and one.turn > self.turns:
                yield f"{table}.turn", f"turn {one.turn} is after the last one", f"1 to {self.turns}"
        if len(self.remove) == N_CHITS:
            yield "remove", "no chit is left", f"at most {N_CHITS - 1} chits"


class Scenarios(Table):
    """``scenarios.toml``."""

    default: Slug
    scenarios: Annotated[Mapping[Slug, Scenario], Field(min_length=1)]

    def problems(self) -> Problems:
        """See `hawaii_env.rulesets.Table.problems`."""
        if self.default not in self.scenarios:
            yield "default", f"{self.default!r} is not a scenario", ", ".join(self.scenarios)


# ---- coast.toml

Point: TypeAlias = tuple[float, float]
Polyline: TypeAlias = Annotated[tuple[Point, ...], Field(min_length=2)]


class Projection(Table):
    """The place of a latitude and longitude, and of a hex, in kilometres east and south."""

    lat0: float
    lon0: float
    km_lat: float = Field(gt=0)
    km_lon: float = Field(gt=0)
    column: float = Field(gt=0)
    row: float = Field(gt=0)


class Lines(Table):
    """The coast and the shore of the lake, closed, as latitudes and longitudes."""

    coast: Polyline
    taupo: Polyline


class Coast(Table):
    """``coast.toml``: for pictures only."""

    projection: Projection
    lines: Lines
    rivers: Mapping[Slug, Polyline]


MODELS: dict[str, type[BaseModel]] = {
    "ruleset.toml": MaoriAbout, "map.toml": Map, "units.toml": Units, "charts.toml": Charts,
    "dispatches.toml": Dispatches, "scenarios.toml": Scenarios, "coast.toml": Coast,
}  # fmt: skip
"""Model of each file."""
