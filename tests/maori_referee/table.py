"""[3.0, 4.0, 6.0] Pieces, structures and the table that they lie on; questions, dice and points."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from .data import PLAYERS, Rules

T = TypeVar("T")

BOX, OUT = "box", "out"
"""Places off the map: the owner's Reinforcement Box, and out of the game."""

MAORI_STRUCTURES = ("village", "pa")
BRITISH_STRUCTURES = ("settlement", "fort", "queenite_village", "queenite_pa")
FORT_PA = ("fort", "pa", "queenite_pa")
LESSER = {"fort": "settlement", "pa": "village", "queenite_pa": "queenite_village"}
"""[9.0] What a fort or pa that is lost leaves behind."""


@dataclass(frozen=True)
class Decision:
    """Somebody chooses one of several texts."""

    player: str
    options: tuple[str, ...]


@dataclass(frozen=True)
class Chance:
    """A die is rolled or a chit is drawn."""

    kind: str
    outcomes: tuple[int, ...]


Node = Decision | Chance
Steps = Generator[Node, str | int, T]
"""A part of the game that asks and rolls on its way, and returns something."""


class GameOver(Exception):
    """[1.0] The game ends at once; `winner` is a player or nobody."""

    def __init__(self, winner: str | None, level: str) -> None:
        super().__init__(winner, level)
        self.winner, self.level = winner, level


@dataclass(eq=False)
class Piece:
    """A unit or a leader.

    Attributes:
        name: the kind of unit, `neutral` for a unit of neutrals, or the leader.
        owner: maori, british or neutral.
        place: a hex, `bush TERRITORY`, the owner's Box, or out of the game.
        category: of a leader: maori, queenite, british or neutral; else empty.
        points: movement points left in this movement phase.
        may_march: it has not marched yet, or may once more.
        fresh: it has neither marched nor been carried.
        carried: a boat has carried it in this phase.
        moved: of a boat.
    """

    name: str
    owner: str
    place: str
    category: str = ""
    disrupted: bool = False
    points: int = 0
    may_march: bool = False
    fresh: bool = False
    carried: bool = False
    moved: bool = False

    @property
    def leader(self) -> bool:
        """No unit."""
        return bool(self.category)

    @property
    def boat(self) -> bool:
        """[3.0] A canoe or gunboat."""
        return self.name in ("canoe", "gunboat")

    @property
    def land_unit(self) -> bool:
        """All units but boats."""
        return not self.leader and not self.boat

    @property
    def ready(self) -> bool:
        """A unit that is not Disrupted."""
        return not self.leader and not self.disrupted

    @property
    def text(self) -> str:
        """As action texts name it."""
        return f"{self.name}/disrupted" if self.disrupted else self.name

    @property
    def native(self) -> bool:
        """[6.0] May carry and capture canoes."""
        return self.name in ("warrior", "queenite")


@dataclass
class Structure:
    """[3.0] A village, pa, settlement, fort ... but not a town."""

    kind: str
    disrupted: bool = False


def other_player(player: str) -> str:
    """The opponent."""
    return PLAYERS[1 - PLAYERS.index(player)]


class Table:
    """The position, and what rules ask of it.

    Attributes:
        structures: by hex. towns: by hex, True where Māori have taken it.
        marker: positive for the British player.
        cup, aside: numbers of chits.
        sap: the marker's hex and its target, or None.
        attacked, evaded, bombarded: pieces that did so in this combat phase. bound: the target of the hexes that were
            attacked from. shelled: hexes that were bombarded.
        participants: units in the attack that is going on. acted: pieces that did something in this bush raider phase.
        events: how often what was reached.
        log: who, what, and whether it was forced.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.pieces: list[Piece] = []
        self.by_place: dict[str, list[Piece]] = defaultdict(list)
        self.structures: dict[str, Structure] = {}
        self.towns = {hex_id: False for hex_id in rules.towns if hex_id in rules.land}
        self.turn, self.mover, self.phase, self.marker, self.forts_built = 1, "maori", "", 0, 0
        self.cup = {number for number in rules.chits if number not in rules.scenario["remove"]}
        self.aside: set[int] = set()
        self.sap: tuple[str, str] | None = None
        self.attacked: set[Piece] = set()
        self.evaded: set[Piece] = set()
        self.bombarded: set[Piece] = set()
        self.participants: set[Piece] = set()
        self.acted: set[Piece] = set()
        self.bound: dict[str, str] = {}
        self.shelled: set[str] = set()
        self.events: Counter[str] = Counter()
        self.log: list[tuple[str, str, bool]] = []

    # Questions and dice

    def choose(self, player: str, options: Mapping[str, T]) -> Steps[T]:
        """Let a player choose; one option alone is not asked."""
        assert options
        if len(options) == 1:
            (text,) = options
        else:
            answer = yield Decision(player, tuple(options))
            assert isinstance(answer, str)
            text = answer
        self.log.append((player, text, len(options) == 1))
        return options[text]

    def roll(self, kind: str, outcomes: Iterable[int] = range(1, 7)) -> Steps[int]:
        """A die, or a chit."""
        number = yield Chance(kind, tuple(outcomes))
        assert isinstance(number, int)
        self.log.append((kind, str(number), False))
        self.events[f"die {kind}"] += 1
        return number

    # Points and the end

    def score(self, player: str, points: int) -> None:
        """[1.0] Move the marker towards a player."""
        self.marker += points if player == "british" else -points
        if abs(self.marker) >= self.rules.charts["victory"]["decisive"]:
            self.events["end by marker"] += 1
            raise GameOver("british" if self.marker > 0 else "maori", "decisive")

    def worth(self, thing: str) -> int:
        """Points to the opponent of whoever suffers it."""
        return self.rules.charts["points"][thing]

    # Pieces

    def add(self, piece: Piece) -> Piece:
        """A piece appears."""
        self.pieces.append(piece)
        self.by_place[piece.place].append(piece)
        return piece

    def put(self, place: str, *pieces: Piece) -> None:
        """Move pieces together; what that causes is for others."""
        left = {piece.place for piece in pieces}
        for piece in pieces:
            self.by_place[piece.place].remove(piece)
            piece.place = place
            self.by_place[place].append(piece)
            if place in (BOX, OUT):  # who comes back has done nothing yet
                piece.disrupted = False
                for marks in (self.attacked, self.evaded, self.bombarded):
                    marks.discard(piece)
        for hex_id in (*left, place):
            self.strand(hex_id)

    def strand(self, place: str) -> None:
        """[6.0] Remove canoes in an all-land hex without anybody who may carry them."""
        if place in self.rules.land and self.rules.land[place].dry:
            for canoe in [piece for piece in self.by_place[place] if piece.name == "canoe"]:
                if not any(piece.native and piece.owner == canoe.owner for piece in self.by_place[place]):
                    self.events["stranded canoe"] += 1
                    self.put(OUT, canoe)

    def order(self, piece: Piece) -> tuple[int, bool]:
        """Kinds and leaders in the order of their files, ready before Disrupted."""
        if piece.leader:
            return len(self.rules.kind_order) + self.rules.leader_order.index(piece.name), False
        kinds = self.rules.kind_order
        return kinds.index(piece.name) if piece.name in kinds else len(kinds), piece.disrupted

    def at(self, place: str, owner: str | None = None) -> list[Piece]:
        """The pieces of a place in order; an owner's alone."""
        found = self.by_place.get(place, ())
        return sorted((piece for piece in found if owner in (None, piece.owner)), key=self.order)

    def land_units(self, place: str, owner: str) -> list[Piece]:
        """In order."""
        return [piece for piece in self.at(place, owner) if piece.land_unit]

    def fighters(self, place: str, owner: str, ready: bool = False) -> list[Piece]:
        """Units of strength 1; only the ready ones if asked."""
        return [
            piece
            for piece in self.land_units(place, owner)
            if self.rules.kinds[piece.name]["strength"] and not (ready and piece.disrupted)
        ]

    def boats(self, place: str, owner: str) -> list[Piece]:
        """In order."""
        return [piece for piece in self.at(place, owner) if piece.boat]

    def leaders(self, place: str, owner: str) -> list[Piece]:
        """In order."""
        return [piece for piece in self.at(place, owner) if piece.leader]

    def on_map(self, owner: str | None = None) -> Iterator[Piece]:
        """In order: by hex, then kind."""
        for hex_id in sorted(place for place, pieces in self.by_place.items() if pieces and place in self.rules.land):
            yield from self.at(hex_id, owner)

    def in_bush(self, owner: str) -> Iterator[Piece]:
        """In order: by territory, then kind."""
        for territory in self.rules.territories:
            yield from self.at(f"bush {territory}", owner)

    def in_box(self, owner: str) -> list[Piece]:
        """In order."""
        return self.at(BOX, owner)

    # Structures

    def owns(self, player: str, kind: str) -> bool:
        """A kind of structure is a player's."""
        return kind in (MAORI_STRUCTURES if player == "maori" else BRITISH_STRUCTURES)

    def structure(self, hex_id: str, *owners: str) -> Structure | None:
        """The structure there; of these players alone, if any are named. Towns are none."""
        found = self.structures.get(hex_id)
        if found is None or (owners and not any(self.owns(owner, found.kind) for owner in owners)):
            return None
        return found

    def fort_pa(self, hex_id: str, owner: str) -> Structure | None:
        """A player's fort or pa."""
        found = self.structure(hex_id, owner)
        return found if found and found.kind in FORT_PA else None

    def own_town(self, hex_id: str, player: str) -> bool:
        """[R-08] A town is the British player's until it is taken."""
        return player == "british" and self.towns.get(hex_id) is False

    def has_structure(self, hex_id: str, player: str) -> bool:
        """A structure of the player, towns too."""
        return self.own_town(hex_id, player) or self.structure(hex_id, player) is not None

    def count(self, *kinds: str) -> int:
        """Structures of these kinds on the map."""
        return sum(structure.kind in kinds for structure in self.structures.values())

    def counter_left(self, kind: str) -> bool:
        """[12.0] A structure's counter is left."""
        return self.count(kind) < self.rules.structure_count[kind]

    def supplied(self, name: str) -> int:
        """[13.0] Units of warriors or Queenites that their structures supply."""
        kinds = MAORI_STRUCTURES if name == "warrior" else ("queenite_village", "queenite_pa")
        return self.count(*kinds) * self.rules.charts["supply"]["units_per_structure"]

    def in_play(self, name: str, owner: str) -> list[Piece]:
        """Units of a kind on the map and in the bush, in order."""
        return [piece for pieces in (self.on_map(owner), self.in_bush(owner)) for piece in pieces if piece.name == name]

    def unit_counter_left(self, name: str, owner: str) -> bool:
        """[3.0, R-09] A unit's counter is left: neither on the map, in the bush nor in a Box."""
        number = self.rules.kinds[name]["count"]
        if name == "canoe":
            number = number["maori" if owner == "maori" else "queenite"]
        return sum(p.name == name and p.owner == owner and p.place != OUT for p in self.pieces) < number

    # Looking at a hex

    def enemy_held(self, hex_id: str, player: str) -> bool:
        """An enemy land unit, or an enemy structure."""
        enemy = other_player(player)
        return self.has_structure(hex_id, enemy) or bool(self.land_units(hex_id, enemy))

    def soft(self, hex_id: str, player: str) -> bool:
        """Enemy leaders or boats alone."""
        return bool(self.at(hex_id, other_player(player))) and not self.enemy_held(hex_id, player)

    def neutral(self, hex_id: str) -> bool:
        """Neutral counters."""
        structure = self.structures.get(hex_id)
        return bool(structure and structure.kind.startswith("neutral")) or bool(self.at(hex_id, "neutral"))

    def open(self, hex_id: str, player: str) -> bool:
        """A player's piece may end there."""
        return (
            self.rules.enterable(hex_id)
            and not self.neutral(hex_id)
            and not self.enemy_held(hex_id, player)
            and not self.at(hex_id, other_player(player))
        )

    def enemy_units(self, hex_id: str, player: str) -> bool:
        """Land units or boats of the enemy."""
        return any(not piece.leader for piece in self.at(hex_id, other_player(player)))

    # Stacking

    def stacks(self, piece: Piece) -> bool:
        """[4.0] It counts for the limit."""
        return not piece.leader and bool(self.rules.kinds[piece.name]["stacks"])

    def room(self, hex_id: str, player: str, *more: Piece) -> bool:
        """[4.0, R-07] These pieces, too, can stand there."""
        if not any(self.stacks(piece) for piece in more):
            return True
        counted = [p for p in (*self.at(hex_id, player), *more) if self.stacks(p)]
        chart = self.rules.charts["terrain"]
        british = any(self.rules.kinds[piece.name]["side"] == "british" for piece in counted)
        rough = self.rules.land[hex_id].terrain == "rough"
        return len(counted) <= (chart["stack_british_rough"] if british and rough else chart["stack"])

    def exits(self, hex_id: str, piece: Piece) -> dict[str, str]:
        """[9.0] Where a unit may retreat or evade to, by side."""
        return {
            side: other
            for side, other in self.rules.land_around(hex_id).items()
            if self.rules.passable(hex_id, other)
            and self.open(other, piece.owner)
            and self.room(other, piece.owner, piece)
        }


@dataclass
class Frame:
    """What a fight needs: who against whom, modifiers, what happened.

    Attributes:
        stood: the participants, and the hexes that they attack from.
        free: the combat of a counterstroke: what units did in the phase does not matter for it.
        hit: the charge or attack had a result.
        vacated: evasion emptied a hex without fort or pa.
        on_empty: the result of an attack on an empty structure.
    """

    attacker: str
    defender: str
    target: str
    free: bool = False
    stood: dict[Piece, str] = field(default_factory=dict)
    gun: Piece | None = None
    attack: int = 0
    counter: int = 0
    bombard: int = 0
    columns: int = 0
    no_counter: bool = False
    no_bombard: bool = False
    called_off: bool = False
    second: bool = False
    hit: bool = False
    vacated: bool = False
    on_empty: str = ""
    charged: set[Piece] = field(default_factory=set)

    def ready(self) -> list[Piece]:
        """The participants that still stand where they stood, and are ready."""
        return [piece for piece, hex_id in self.stood.items() if piece.place == hex_id and piece.ready]
