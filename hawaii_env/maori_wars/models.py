"""The form of Maori Wars' ruleset files, and what each must fulfil by itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, Field

from hawaii_env.rulesets import EVERY, About, Line, Slug, Table, whole

from .rules.names import KINDS, STRUCTURES
from .rules.state import N_CHITS

__all__ = ["MODELS", "Charts", "Chit", "Coast", "Dispatches", "Kind", "Leader", "Map", "Scenario", "Scenarios", "Units"]

KIND_SIDES = ("british",) * 8 + ("queenite", "maori", "maori")
"""Category of each kind [3.0]; a canoe is of whoever owns it."""

HEXSIDES = ("plain", "mixed", "water", "lake")
"""Kinds of hexside, in the order of `names.PLAIN` and the others."""


def _no_repeats(value: tuple[Any, ...]) -> tuple[Any, ...]:
    if len(set(value)) < len(value):
        raise ValueError("a value comes twice")
    return value


def _different(what: str) -> Any:
    """Return what is said of a list without repeats."""
    return Field(description=f"a list of different {what}")


Problems: TypeAlias = Iterator[tuple[str, str, str]]
HexId: TypeAlias = Annotated[str, Field(pattern=r"^\d{4}$", description="a hex as ccrr: column and row, 2 digits each")]
HexIds: TypeAlias = Annotated[tuple[HexId, ...], AfterValidator(_no_repeats), _different("hexes, each as ccrr")]
Slugs: TypeAlias = Annotated[tuple[Slug, ...], AfterValidator(_no_repeats), _different("ids")]
Owner: TypeAlias = Literal["maori", "british"]
Die: TypeAlias = Annotated[int, Field(ge=1, le=6)]
Faces: TypeAlias = Annotated[tuple[Die, ...], AfterValidator(_no_repeats), _different("die faces, each 1 to 6")]
Modifier: TypeAlias = Annotated[int, Field(ge=-8, le=8)]
Count: TypeAlias = Annotated[int, Field(ge=0, le=99)]
Points: TypeAlias = Annotated[int, Field(ge=0, le=9)]
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
    for key in ("cost", "panic"):
        if (getattr(kind, key) is None) != boat:
            yield key, "boats have none, land units have it", "leave the key out" if boat else "a value"
    if boat and kind.bush:
        yield "bush", "boats do not enter the bush [10.0]", "false"


# ---- charts.toml


class AttackTerrain(Table):
    """Modifier of an attack by the terrain of its target."""

    clear: Modifier
    rough: Modifier


class Terrain(Table):
    """Effects of terrain and structures; limits; points for carrying [4.0, 6.0, 9.0]."""

    attack: AttackTerrain
    fort_pa_occupied: Modifier
    fort_pa_empty: Modifier
    stack: int = whole(1, 9)
    stack_british_rough: int = whole(1, 9)
    transport: int = whole(0, 9)
    carry: int = whole(0, 9)


Result: TypeAlias = Literal["none", "D", "A", "R", "E", "ER", "EE"]
CombatRow: TypeAlias = Annotated[tuple[Result, ...], Field(min_length=9, max_length=9)]


class CombatResults(Table):
    """The Combat Results Table: results of modified dice 0 to 8, by the comparison of strengths [9.0]."""

    lesser: CombatRow
    equal: CombatRow
    greater: CombatRow


class CombatNumbers(Table):
    """Modifiers and faces of combat [3.0, 6.0, 9.0]."""

    charge: Modifier
    militia_alone: Modifier
    sap_defence: Modifier
    fort_strength: int = whole(0, 9)
    absorb: Faces


class Evasion(Table):
    """Faces on which an evasion succeeds [9.0]."""

    maori: Faces
    maori_hunted: Faces
    rangers_queenites: Faces
    british_leader: Faces
    single_british: Faces


class Panic(Table):
    """A structure is reduced on this face or less [11.0]."""

    structure: int = whole(0, 6)


class Rally(Table):
    """Least face of a rally, alone and with a leader [7.0]; 7: never."""

    alone: int = whole(1, 7)
    british_leader: int = whole(1, 7)
    ranger_leader: int = whole(1, 7)
    queenite_leader: int = whole(1, 7)
    maori_leader: int = whole(1, 7)


class Bombardment(Table):
    """Results of bombardment by the die, 1 to 6, for each kind of target [9.0]."""

    units: Annotated[tuple[Literal["none", "D", "E"], ...], Field(min_length=6, max_length=6)]
    canoe: Annotated[tuple[Literal["none", "D", "removed"], ...], Field(min_length=6, max_length=6)]
    pa: Annotated[tuple[Literal["none", "D", "removed"], ...], Field(min_length=6, max_length=6)]
    neutral: Annotated[tuple[Literal["maori", "none", "british"], ...], Field(min_length=6, max_length=6)]


class Alliance(Table):
    """Results of talks by the modified die, 1 to 7; modifiers; hexes of the way back [8.0]."""

    result: Annotated[tuple[Literal["opponent", "none", "own"], ...], Field(min_length=7, max_length=7)]
    british_sole: Modifier
    maori: Modifier
    withdraw: int = whole(0, 9)


class BushLimit(Table):
    """Units of each player in the Bush Raider Box, by territory."""

    maori: int = whole(0, 9)
    british: int = whole(0, 9)


class Bush(Table):
    """Limits, faces of a hunt, and surprise in the bush [10.0]."""

    limit: BushLimit
    hunt: Faces
    surprise: Modifier


class Supply(Table):
    """Warriors that a structure feeds, and steps of a British supply line [13.0]."""

    units_per_structure: int = whole(1, 9)
    british_range: int = whole(0, 9)


class Construction(Table):
    """Distance of a new structure, and points for a fort [12.0]."""

    range: int = whole(1, 99)
    fort_cost: Points


class Victory(Table):
    """Points that decide at once, and least points of a minor and a major victory [1.0]."""

    decisive: int = whole(1, 99)
    minor: int = whole(1, 99)
    major: int = whole(1, 99)

    def problems(self) -> Problems:
        """See `hawaii_env.rulesets.Table.problems`."""
        if not self.minor <= self.major <= self.decisive:
            yield "major", "minor, major and decisive do not ascend", f"{self.minor} to {self.decisive}"


class PointValues(Table):
    """Points to the opponent of whoever suffers it."""

    unit: Points
    leader: Points
    maori_canoe: Points
    settlement: Points
    village: Points
    fort: Points
    pa: Points
    town: Points
    alliance: Points


class Charts(Table):
    """``charts.toml``."""

    terrain: Terrain
    crt: CombatResults
    combat: CombatNumbers
    evasion: Evasion
    panic: Panic
    rally: Rally
    bombardment: Bombardment
    alliance: Alliance
    bush: Bush
    supply: Supply
    construction: Construction
    victory: Victory
    points: PointValues


# ---- dispatches.toml

Party: TypeAlias = Literal["attacker", "defender"]
CONDITIONS = ("maori_attacks", "british_attacks", "rough", "river", "pa")
_OF_A_KIND = tuple(f"{party}_has {kind}" for party in ("attacker", "defender") for kind in KINDS)
if TYPE_CHECKING:
    Condition: TypeAlias = str
else:
    Condition = Annotated[
        Literal[CONDITIONS + _OF_A_KIND],
        Field(description=f"{', '.join(CONDITIONS)}, attacker_has KIND, defender_has KIND"),
    ]


class Effect(Table):
    """The effect of a chit."""

    none: Literal[True] | None = None
    attack: Modifier | None = None
    counter: Modifier | None = None
    bombard: Modifier | None = None
    counter_column: int | None = Field(None, ge=1, le=2)
    no_counter: Literal[True] | None = None
    no_bombard: Literal[True] | None = None
    call_off: Literal[True] | None = None
    reinforce: Literal["attacker", "defender", "maori", "british"] | None = None
    disrupt: Literal["attacker"] | None = None
    rally: Party | None = None
    leader_hit: Party | None = None
    faces: Faces | None = None
    slip_away: Literal[True] | None = None
    second_combat: Literal[True] | None = None
    points: Owner | None = None
    amount: int | None = Field(None, ge=1, le=9)

    def problems(self) -> Problems:
        """See `hawaii_env.rulesets.Table.problems`."""
        said = self.model_fields_set
        if not said:
            yield "", "does nothing", "none = true, or an effect"
        if self.none and len(said) > 1:
            yield "none", "stands beside an effect", "none = true alone"
        for key, of in (("faces", "leader_hit"), ("amount", "points")):
            if (key in said) != (of in said):
                yield key, f"{of} and {key} belong together", "both or neither"


class Chit(Table):
    """A Battle Dispatch chit [9.0]."""

    n: int = whole(1, N_CHITS)
    title: Line
    if_: tuple[Condition, ...] = Field((), alias="if")
    effect: Effect
    once: bool = False


class Dispatches(Table):
    """``dispatches.toml``."""

    chits: tuple[Chit, ...]

    def problems(self) -> Problems:
        """See `hawaii_env.rulesets.Table.problems`."""
        if [chit.n for chit in self.chits] != list(range(1, N_CHITS + 1)):
            yield "chits.n", "chits are not numbered in order", f"1 to {N_CHITS}, each once, ascending"


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
    remove: Annotated[tuple[Annotated[int, Field(ge=1, le=N_CHITS)], ...], AfterValidator(_no_repeats)]
    per_turn: PerTurn
    fort_limit: Count
    bush_banned: Annotated[tuple[KindId, ...], AfterValidator(_no_repeats)]
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
            yield "default", f"{self.default!r} is no scenario", ", ".join(self.scenarios)


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


MODELS = {
    "ruleset.toml": MaoriAbout, "map.toml": Map, "units.toml": Units, "charts.toml": Charts,
    "dispatches.toml": Dispatches, "scenarios.toml": Scenarios, "coast.toml": Coast,
}  # fmt: skip
"""Model of each file."""
