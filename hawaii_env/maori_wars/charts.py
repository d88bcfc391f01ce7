"""The form of Maori Wars' charts and Battle Dispatch chits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from pydantic import Field

from hawaii_env.rulesets import Faces, Line, Problems, Table, whole

from .rules.names import KINDS
from .rules.state import N_CHITS

__all__ = ["Charts", "Chit", "Dispatches", "Modifier", "Owner"]


Owner: TypeAlias = Literal["maori", "british"]
Modifier: TypeAlias = Annotated[int, Field(ge=-8, le=8)]
Points: TypeAlias = Annotated[int, Field(ge=0, le=9)]


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
    """Most units of each player in the whole Bush Raider Box."""

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
    british_range: int = whole(0, 3)


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
